"""Estimates from ranks among sampled candidates: against ranks among all items that are known."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import pdeval  # noqa: F401
from pdeval.kernels import sampling_bias as kernels
from pdeval.kernels.sampling_bias import corrected_for_sampling

N, NEGATIVES = 500, 50
RANK = np.arange(1, N + 1)
MEASURES = {"R@10": (RANK <= 10) * 1.0, "nDCG@10": np.where(RANK <= 10, 1 / np.log2(RANK + 1), 0.0)}


def sampled(rank, rng):
    """The ranks among candidates drawn with replacement."""
    return rng.binomial(NEGATIVES, (rank - 1) / (N - 1))


@pytest.mark.parametrize("name", MEASURES)
def test_the_correction_is_nearer_to_the_measure_of_all_items_than_sampled_ranks_are(name):
    rng = np.random.default_rng(0)
    of_rank = MEASURES[name]
    rank = np.minimum(rng.geometric(0.02, size=20_000), N)
    true = of_rank[rank - 1].mean()
    at = sampled(rank, rng)
    plain = of_rank[at].mean()  # as if the candidates were all items
    better = corrected_for_sampling(of_rank, NEGATIVES, gamma=0.01)[at].mean()
    assert plain > 1.8 * true  # sampled ranks flatter
    assert abs(better - true) < 0.2 * abs(plain - true)


def test_with_no_weight_of_variance_the_bias_is_least():
    of_rank = MEASURES["R@10"]
    likely = stats.binom.pmf(np.arange(NEGATIVES + 1), NEGATIVES, (RANK[:, None] - 1) / (N - 1))

    def bias(gamma):
        return np.square(
            likely @ corrected_for_sampling(of_rank, NEGATIVES, gamma=gamma) - of_rank
        ).sum()

    assert bias(0.001) < bias(0.1) < bias(1.0)


def test_the_unbiased_rank_is_the_rank_itself_where_all_items_are_candidates():
    assert corrected_for_sampling(1.0 / np.arange(1, 6), 4, estimator="rank").tolist() == [
        1,
        1 / 2,
        1 / 3,
        1 / 4,
        1 / 5,
    ]
    with pytest.raises(ValueError, match="negatives=0"):
        corrected_for_sampling(np.ones(3), 0)


def leave_one_out(users=4_000, seed=0):
    """Runs of one held-out item and sampled negatives per user, what was held out, and its ranks among all items."""
    rng = np.random.default_rng(seed)
    rank = np.minimum(rng.geometric(0.02, size=users), N)
    above = sampled(rank, rng)  # negatives that score above the held-out item
    number = np.arange(NEGATIVES)
    score = np.where(number < above[:, None], 2.0, 0.0) - number / 1000
    lists = pd.DataFrame(
        {
            "user_id": np.repeat(np.arange(users), NEGATIVES + 1),
            "item_id": np.tile(np.arange(NEGATIVES + 1), users),
            "score": np.column_stack([np.ones(users), score]).ravel(),
        }
    )
    return lists, pd.DataFrame({"user_id": np.arange(users), "item_id": 0}), rank


@pytest.mark.parametrize(
    ("name", "of_rank"), [("R", MEASURES["R@10"]), ("nDCG", MEASURES["nDCG@10"])]
)
def test_runs_of_sampling_bias_have_the_measure_among_all_items(name, of_rank):
    runs, held_out, rank = leave_one_out()
    asked = [f"Sampled(of={name},negatives={NEGATIVES},items={N},gamma=0.01)@10", f"{name}@10"]
    found, plain = runs.ireval.summary(held_out, asked)["mean"]
    true = of_rank[rank - 1].mean()
    assert plain > 1.8 * true
    assert abs(found - true) < 0.2 * (plain - true)
    worth = corrected_for_sampling(of_rank, NEGATIVES, gamma=0.01)
    scores = runs.ireval.measure(held_out, asked[0])
    above = (runs["score"] > 1).groupby(runs["user_id"]).sum()
    assert scores.set_index("user_id")["value"].tolist() == worth[above].tolist()


@pytest.mark.broad
def test_the_area_under_the_curve_needs_no_more_than_the_expected_rank():
    runs, held_out, rank = leave_one_out()
    asked = f"Sampled(of=AUC,negatives={NEGATIVES},items={N},estimator=rank)"
    (found,) = runs.ireval.summary(held_out, asked)["mean"]
    error = (
        np.sqrt(NEGATIVES * 0.25) / NEGATIVES / np.sqrt(len(rank))
    )  # at most, of a binomial share
    assert abs(found - ((N - rank) / (N - 1)).mean()) < 4 * error
    assert found == pytest.approx(runs.ireval.summary(held_out, "AUC")["mean"].item(), abs=1e-12)


SAID = f"Sampled(negatives={NEGATIVES},items={N})@10"


def test_what_is_not_said_or_does_not_fit_is_refused():
    runs, held_out, _ = leave_one_out(users=5)
    two = pd.concat([held_out, held_out.head(1).assign(item_id=7)])
    cases = {
        r"Sampled requires the number of negatives .*'Sampled\(of=nDCG": (
            runs,
            held_out,
            "Sampled@10",
        ),
        "a list has 51 items, but negatives=20 implies at most 21": (
            runs,
            held_out,
            SAID.replace("50", "20", 1),
        ),
        "negatives=50 must be smaller than items=50": (runs, held_out, SAID.replace("500", "50")),
        "one relevant item per list, but a list has 2": (runs, two, SAID),
        "not among the candidates of 5 lists": (
            runs[runs["item_id"] > 0],
            held_out.assign(item_id=999),
            SAID,
        ),
    }
    for text, (lists, qrels, name) in cases.items():
        with pytest.raises(ValueError, match=text):
            lists.ireval.measure(qrels, name)


def test_a_user_without_a_list_counts_nothing():
    runs, held_out, _ = leave_one_out(users=5)
    with pytest.warns(UserWarning, match="1 of 5 judged users"):
        found = runs[runs["user_id"] > 0].ireval.measure(held_out, SAID)
    assert found["value"].iloc[0] == 0.0


def test_a_large_catalog_is_looked_at_in_parts(monkeypatch):
    whole = corrected_for_sampling(MEASURES["R@10"], NEGATIVES)
    monkeypatch.setattr(kernels, "STEP", 7 * (NEGATIVES + 1))
    np.testing.assert_allclose(
        corrected_for_sampling(MEASURES["R@10"], NEGATIVES), whole, rtol=1e-9
    )


@pytest.mark.parametrize("name", ["Sampled(negatives=50)@10", "Sampled(items=500)@10"])
def test_both_numbers_have_to_be_said(name):
    runs, held_out, _ = leave_one_out(users=2)
    with pytest.raises(
        ValueError, match="the number of negatives of each list and the number of items"
    ):
        runs.ireval.measure(held_out, name)


def test_one_negative_tells_first_from_last():
    of_rank = np.array([1.0, 0.5, 0.2, 0.1])
    assert corrected_for_sampling(of_rank, 1, estimator="rank").tolist() == [1.0, 0.1]
    # the share of the other items that are above is 0, 1/3, 2/3, 1: least squares of two values f, g at these chances
    above = np.array([0, 1 / 3, 2 / 3, 1])
    design = np.column_stack([1 - above, above])
    expected = np.linalg.lstsq(design, of_rank, rcond=None)[0]
    np.testing.assert_allclose(corrected_for_sampling(of_rank, 1, gamma=0.0), expected, atol=1e-12)
    # and with variance, which is p (1 - p) (f - g)^2 at each
    both = np.vstack([design, np.sqrt(0.3 * above * (1 - above))[:, None] * [1.0, -1.0]])
    expected = np.linalg.lstsq(both, np.append(of_rank, np.zeros(4)), rcond=None)[0]
    np.testing.assert_allclose(corrected_for_sampling(of_rank, 1, gamma=0.3), expected, rtol=1e-9)


def test_no_lists_have_no_values():
    found = kernels.Sampled(np.zeros((1, 0)), np.zeros(0), negatives=5, items=9)
    assert found.shape == (0,)


@pytest.mark.parametrize("of", ["R", "nDCG", "AP", "AUC"])
def test_what_is_estimated_is_the_measure_of_one_relevant_item(of):
    rank = np.arange(1.0, 31)
    worth = {"R": rank**0, "nDCG": 1 / np.log2(rank + 1), "AP": 1 / rank, "AUC": (30 - rank) / 29}[
        of
    ]
    for k in (3, np.inf):
        expected = corrected_for_sampling(np.where(rank <= k, worth, 0.0), 6, gamma=0.2)
        found = kernels.Sampled(
            np.array([[1.0, 4.0, 7.0]]),
            np.full(3, 7.0),
            of=of,
            negatives=6,
            items=30,
            gamma=0.2,
            k=k,
        )
        assert found.tolist() == expected[[0, 3, 6]].tolist()


class TestMaximumLikelihood:
    @pytest.mark.broad
    @pytest.mark.parametrize("name", MEASURES)
    def test_it_is_nearly_unbiased_where_sampled_ranks_are_not_and_varies_less_than_the_trade_off(
        self, name
    ):
        rng, of_rank = np.random.default_rng(5), MEASURES[name]
        rank = np.minimum(rng.geometric(0.02, size=(3_000, 40)), N)  # 40 runs of 3,000 users
        at = rng.binomial(NEGATIVES, (rank - 1) / (N - 1))
        counts = np.stack([np.bincount(one, minlength=NEGATIVES + 1) for one in at.T], axis=1)
        true = of_rank[rank - 1].mean(axis=0)
        likely = np.array([kernels.rank_distribution(one, N) @ of_rank for one in counts.T])
        plain = of_rank[at].mean(axis=0)
        traded = corrected_for_sampling(of_rank, NEGATIVES, gamma=0.01)[at].mean(axis=0)
        assert (plain - true).min() > 0.1
        assert abs((likely - true).mean()) < 0.02 * (plain - true).mean()
        assert (likely - true).std() < (traded - true).std()

    def test_a_step_never_makes_the_sample_less_likely(self):
        counts = np.bincount(
            sampled(
                np.minimum(np.random.default_rng(2).geometric(0.02, 500), N),
                np.random.default_rng(3),
            ),
            minlength=51,
        )
        chances = stats.binom.pmf(np.arange(51), NEGATIVES, (RANK[:, None] - 1) / (N - 1))
        spread, before = np.full(N, 1 / N), -np.inf
        for _ in range(200):  # a plain loop over ranks, which the result is one of
            mixed = spread @ chances
            fit = (counts / counts.sum()) @ np.log(mixed)
            assert fit >= before - 1e-12
            spread = spread * (chances @ (counts / counts.sum() / mixed))
            if fit - before < kernels.ENOUGH:
                break
            before = fit
        np.testing.assert_allclose(
            kernels.rank_distribution(counts, N), spread, rtol=1e-9, atol=1e-15
        )

    def test_it_is_a_distribution_and_that_of_the_sample_where_all_items_are_candidates_of_one_rank(
        self,
    ):
        found = kernels.rank_distribution(np.array([0, 0, 7]), 3)  # always below both others
        assert found.sum() == pytest.approx(1.0, rel=1e-12)
        assert found[2] > 0.99

    @pytest.mark.broad
    def test_runs_have_the_mean_of_their_own_distribution(self):
        one, held_out, rank = leave_one_out(users=2_000)
        other, _, _ = leave_one_out(users=2_000, seed=1)
        runs = pd.concat([one.assign(run="a"), other.assign(run="b", score=-other["score"])])
        asked = f"Sampled(negatives={NEGATIVES},items={N},estimator=MLE)@10"
        found = runs.ireval.summary(held_out, asked)["mean"]
        for name, lists, mean in zip(
            "ab", (runs[runs["run"] == "a"], runs[runs["run"] == "b"]), found
        ):
            alone = lists.drop(columns="run").ireval.measure(held_out, asked)["value"]
            assert alone.mean() == pytest.approx(mean, rel=1e-12), name
        true = (rank <= 10).mean()
        assert abs(found[0] - true) < 0.1 * (
            runs.ireval.summary(held_out, "R@10")["mean"][0] - true
        )
        assert found[1] < 0.01

    @pytest.mark.broad
    @pytest.mark.parametrize("of", ["R", "nDCG"])
    def test_intervals_over_users_hold_the_measure_among_all_items(self, of):
        rng, users, times, inside = np.random.default_rng(9), 1_500, 150, 0
        chance = stats.geom.pmf(RANK, 0.02)
        chance[-1] += 1 - chance.sum()
        true = chance @ MEASURES[f"{of}@10"]
        for _ in range(times):
            above = sampled(np.minimum(rng.geometric(0.02, size=users), N), rng)
            rank, told = (
                above[None, :, None] + 1.0,
                {"negatives": NEGATIVES, "items": N, "estimator": "MLE", "k": 10},
            )
            value = kernels.Sampled(rank, np.full((users, 1), NEGATIVES + 1.0), of=of, **told)[:, 0]
            inside += abs(value.mean() - true) <= stats.norm.ppf(0.975) * value.std(
                ddof=1
            ) / np.sqrt(users)
        assert inside / times > 0.95 - 3 * np.sqrt(0.95 * 0.05 / times)

    def test_a_users_value_is_how_much_more_users_of_their_rank_would_raise_the_estimate(self):
        counts, of_rank, more = np.array([60, 25, 10, 5]), 1 / np.arange(1.0, 9), 1e-4
        above = np.repeat(np.arange(4), counts)[:, None]
        found = kernels._of_distributions(of_rank, 3, above, np.ones(above.shape, dtype=bool))[:, 0]
        plain = kernels.rank_distribution(counts, 8) @ of_rank
        assert (found * counts).sum() / 100 == pytest.approx(plain, rel=1e-12)
        for rank in range(4):
            share = (1 - more) * counts / 100 + more * np.eye(4)[rank]
            raised = (kernels.rank_distribution(share, 8) @ of_rank - plain) / more
            assert found[rank] - plain == pytest.approx(raised, rel=1e-2, abs=1e-4)

    def test_all_users_are_looked_at_together_however_blocks_are_made(self, monkeypatch):
        from pdeval.join import blocks

        runs, held_out, _ = leave_one_out(users=400)
        asked = f"Sampled(negatives={NEGATIVES},items={N},estimator=MLE)@10"
        whole = runs.ireval.measure(held_out, asked)["value"].tolist()
        monkeypatch.setattr(blocks.View.blocks, "__kwdefaults__", {"empty": False, "most": 7})
        assert runs.ireval.measure(held_out, asked)["value"].tolist() == whole

    def test_what_it_cannot_do_is_said(self):
        with pytest.raises(
            ValueError,
            match=r"^10,000,000 items and 100 negatives need 1,010,000,000 probabilities, .* estimator=BV",
        ):
            kernels.rank_distribution(np.ones(101), 10_000_000)
        dd = pytest.importorskip("dask.dataframe")
        import pdeval.dask.accessor  # noqa: F401

        runs, held_out, _ = leave_one_out(users=5)
        with pytest.raises(
            ValueError, match=r"needs the lists of all users together.*estimator=BV"
        ):
            dd.from_pandas(runs, npartitions=2).ireval.measure(
                held_out, SAID.replace(")", ",estimator=MLE)")
            )


class TestLimits:
    def test_all_other_items_may_be_drawn_and_none_more(self):
        rank, retrieved = np.array([[1.0, 5.0]]), np.array([5.0, 5.0])
        found = kernels.Sampled(rank, retrieved, negatives=4, items=5, estimator="rank", k=3)
        assert found.tolist() == [1.0, 0.0]
        with pytest.raises(ValueError, match="negatives=5 must be smaller than items=5"):
            kernels.Sampled(rank, retrieved, negatives=5, items=5)
        with pytest.raises(
            ValueError, match="a list has 6 items, but negatives=4 implies at most 5"
        ):
            kernels.Sampled(rank, np.array([5.0, 6.0]), negatives=4, items=9)
        with pytest.raises(ValueError, match="not among the candidates of 1 lists"):
            kernels.Sampled(np.array([[1.0, np.inf]]), retrieved, negatives=4, items=9)
        # a user without a list has no rank, which is no matter
        assert (
            kernels.Sampled(np.array([[1.0, np.inf]]), np.array([5.0, 0.0]), negatives=4, items=9)[
                1
            ]
            == 0.0
        )

    def test_as_many_chances_as_are_allowed_are_looked_at(self, monkeypatch):
        counts = np.array([3, 2, 1])
        whole = kernels.rank_distribution(counts, 7)
        monkeypatch.setattr(kernels, "MOST", 21)
        assert kernels.rank_distribution(counts, 7).tolist() == whole.tolist()
        monkeypatch.setattr(kernels, "MOST", 20)
        with pytest.raises(
            ValueError, match="7 items and 2 negatives need 21 probabilities, more than"
        ):
            kernels.rank_distribution(counts.tolist(), 7)

    @pytest.mark.parametrize("estimator", ["BV", "rank", "MLE"])
    def test_users_and_runs_side_by_side_are_those_of_each_run_alone(self, estimator):
        rng = np.random.default_rng(4)
        rank, retrieved = rng.integers(1, 7, (1, 9, 2)) * 1.0, np.full((9, 2), 6.0)
        retrieved[3, 1], rank[0, 3, 1] = 0.0, np.inf
        told = {
            "of": "nDCG",
            "negatives": 5,
            "items": 20,
            "estimator": estimator,
            "gamma": 0.3,
            "k": 8,
        }
        together = kernels.Sampled(rank, retrieved, **told)
        assert together.shape == (9, 2)
        for run in range(2):
            alone = kernels.Sampled(rank[:, :, [run]], retrieved[:, [run]], **told)[:, 0]
            assert together[:, run].tolist() == pytest.approx(alone.tolist(), rel=1e-12)
        assert together[3, 1] == 0.0
        assert kernels.Sampled(rank[:, :0], retrieved[:0], **told).shape == (0, 2)

    def test_with_one_part_more_or_less_the_sums_are_the_same(self, monkeypatch):
        of_rank = 1 / np.arange(1.0, 8)
        whole = corrected_for_sampling(of_rank, 2)
        for step in (0, 3, 6, 9, 20, 21):  # parts of 1, 2, 3, 6 and 7 ranks
            monkeypatch.setattr(kernels, "STEP", step)
            np.testing.assert_allclose(corrected_for_sampling(of_rank, 2), whole, rtol=1e-9)
        with pytest.raises(ValueError, match="negatives=0"):
            corrected_for_sampling(of_rank, 0)

    def test_one_item_alone_is_always_first(self):
        assert kernels._likely(np.array([0]), 1, 2).tolist() == [[1.0, 0.0, 0.0]]

    def test_ranks_that_nobody_has_and_nobody_can_have_are_left_out(self):
        # of two items one is above the other always or never: a sampled rank between the ends has no chance
        assert kernels.rank_distribution(np.array([5, 0, 3]), 2).tolist() == pytest.approx(
            [5 / 8, 3 / 8]
        )
        above = np.array([[0], [0], [2], [0]])
        found = kernels._of_distributions(
            np.array([1.0, 0.0]), 2, above, np.ones((4, 1), dtype=bool)
        )
        assert found[[0, 2], 0].tolist() == pytest.approx([1.0, 0.0])
        assert (found[[0, 0, 2, 0], 0]).mean() == pytest.approx(3 / 4)
