"""Summaries, comparisons and orders with machine labels, at the accessors."""

import numpy as np
import pandas as pd
import pytest

import pdeval
from pdeval.evaluate.ppi import powered
from pdeval.significance.corrections import adjust
from pdeval.tables.schemas import SCHEMAS
from tests.schema_faults import faults

RUNS, QRELS, _ = pdeval.datasets.load_sample()
HUMAN = QRELS[QRELS["query_id"].astype(int) < 121]
RNG = np.random.default_rng(0)
NOISY = QRELS.assign(relevance=np.where(RNG.random(len(QRELS)) < 0.2, 0, QRELS["relevance"]))
GIVEN = {"machine": NOISY, "queries": "common"}
SCORES = RUNS.ireval.measure(HUMAN, ["AP", "ASL"], **GIVEN)
NAMES = {"run": ["run"], "query": ["query_id"]}


def square(measure, column):
    return SCORES[SCORES["measure"] == measure].pivot(
        index="query_id", columns="run", values=column
    )


class TestSummary:
    def test_it_is_the_statistic_of_each_run_and_measure(self):
        found = SCORES.ireval.summary()
        assert faults(SCHEMAS["summary"], found, NAMES) == []
        for measure in ("AP", "ASL"):
            own = powered(
                square(measure, "value").to_numpy(), square(measure, "machine").to_numpy()
            )
            part = found[found["measure"] == measure]
            for name in ("mean", "lam", "df", "effective_n", "human", "machine"):
                np.testing.assert_allclose(part[name], getattr(own, name), rtol=1e-12)
            np.testing.assert_allclose(
                part[["ci_low", "ci_high"]].to_numpy().T, own.interval(0.95), rtol=1e-12
            )

    def test_people_alone_and_the_machine_alone_are_what_summary_says_of_each(self):
        found = SCORES.ireval.summary("AP")
        for column, qrels in (("human", HUMAN), ("machine", NOISY)):
            own = RUNS.ireval.summary(qrels, "AP", queries="common")
            np.testing.assert_allclose(found[column], own["mean"], rtol=1e-12)

    @pytest.mark.broad
    def test_the_accessor_of_runs_gives_the_same(self):
        direct = RUNS.ireval.summary(HUMAN, ["AP", "ASL"], **GIVEN)
        pd.testing.assert_frame_equal(direct, SCORES.ireval.summary())

    @pytest.mark.broad
    def test_groups_of_queries_are_summed_up_apart(self):
        half = pd.DataFrame({"query_id": QRELS["query_id"].unique()})
        half["half"] = half["query_id"].astype(int) % 2
        found = SCORES.ireval.summary("AP", by="half", metadata=half)
        assert found.groupby("half")["n"].unique().map(list).tolist() == [[10], [9]]
        direct = RUNS.ireval.summary(HUMAN, "AP", **GIVEN, by="half", metadata=half)
        pd.testing.assert_frame_equal(direct, found)

    def test_a_sum_or_a_geometric_mean_is_refused(self):
        with pytest.raises(
            ValueError,
            match="GMAP is a geometric mean over queries; machine labels can only be used for means",
        ):
            RUNS.ireval.summary(HUMAN, "GMAP", **GIVEN)


class TestCompare:
    @pytest.mark.broad
    def test_differences_have_a_lambda_of_their_own(self):
        found = SCORES.ireval.compare(["AP", "ASL"], baseline="bm25", correction="holm")
        assert faults(SCHEMAS["comparisons"], found, NAMES) == []
        assert found["test"].unique().tolist() == ["ppi"]
        for measure, sign in (("AP", 1), ("ASL", -1)):
            human, machine = (sign * square(measure, name) for name in ("value", "machine"))
            own = powered(
                *(
                    x.drop(columns="bm25").sub(x["bm25"], axis=0).to_numpy()
                    for x in (human, machine)
                )
            )
            part = found[found["measure"] == measure]
            np.testing.assert_allclose(part["difference"], own.mean, rtol=1e-9, atol=1e-15)
            np.testing.assert_allclose(part["p_value"], own.p_value, rtol=1e-9)
            ends = part[["ci_low", "ci_high"]].to_numpy().T
            np.testing.assert_allclose(ends, own.interval(1 - 0.05 / 11), rtol=1e-9, atol=1e-12)
        whole = RUNS.ireval.compare(
            HUMAN, ["AP", "ASL"], **GIVEN, baseline="bm25", correction="holm", test="ppi"
        )
        pd.testing.assert_frame_equal(whole, found)

    @pytest.mark.broad
    def test_corrections_are_those_of_compare(self):
        by_people = RUNS.ireval.measure(HUMAN, ["AP", "ASL"], queries="common")
        for family, base in (
            ("measure", None),
            ("baseline", "bm25"),
            ("measure", "bm25"),
            ("all", ["bm25", "ql"]),
        ):
            for correction in ("bonferroni", "holm", "fdr_bh", None):
                given = {"baseline": base, "family": family, "correction": correction}
                found = SCORES.ireval.compare(["AP", "ASL"], **given)
                known = by_people.ireval.compare(["AP", "ASL"], test="t", **given)
                assert found[["run_a", "run_b", "measure"]].equals(
                    known[["run_a", "run_b", "measure"]]
                )
                raw, own = found["p_value"].to_numpy(), found["p_adjusted"].to_numpy()
                assert (own >= raw).all()
                if correction == "bonferroni" and family != "measure":
                    size = len(found) if family == "all" else len(found) // 2
                    np.testing.assert_allclose(own, np.minimum(1, raw * size), rtol=1e-12)

    @pytest.mark.broad
    def test_preferences_are_compared_by_their_mean(self):
        found = RUNS.ireval.prefer(HUMAN, "RPP", **GIVEN, baseline="bm25")
        compared = found.ireval.compare()
        first = found[found["run_a"] == "hybrid"]
        own = powered(first[["value"]].to_numpy(), first[["machine"]].to_numpy())
        row = compared[compared["run_a"] == "hybrid"].iloc[0]
        assert (row["difference"], row["p_value"]) == pytest.approx(
            (own.mean.item(), own.p_value.item()), rel=1e-9
        )
        direct = RUNS.ireval.compare(HUMAN, "RPP", **GIVEN, baseline="bm25")
        pd.testing.assert_frame_equal(direct, compared, check_categorical=False)

    @pytest.mark.broad
    def test_a_perfect_machine_compares_as_all_queries_would(self):
        found = RUNS.ireval.compare(HUMAN, "AP", machine=QRELS, queries="common", correction="none")
        whole = RUNS.ireval.compare(QRELS, "AP", queries="common", test="t", correction="none")
        np.testing.assert_allclose(found["difference"], whole["difference"], rtol=1e-9, atol=1e-12)
        width = (found["ci_high"] - found["ci_low"]) / (whole["ci_high"] - whole["ci_low"])
        assert width.between(0.93, 1.07).all()

    def test_another_test_is_refused_and_ppi_without_a_machine_too(self):
        with pytest.raises(
            ValueError, match=r"test='t' cannot be combined with machine labels\. Use test='ppi'"
        ):
            SCORES.ireval.compare(test="t")
        with pytest.raises(ValueError, match=r"test='ppi' requires machine labels\. Use runs"):
            RUNS.ireval.compare(HUMAN, "AP", test="ppi", queries="common")


class TestOrder:
    def test_scores_are_those_of_the_summary_best_first(self):
        found = SCORES.ireval.order(draws=50)
        assert faults(SCHEMAS["orders"], found, NAMES) == []
        both = found.merge(SCORES.ireval.summary(), on=["run", "measure"])
        assert both["score"].tolist() == both["mean"].tolist()
        assert both["score_low"].tolist() == both["ci_low"].tolist()
        for measure, sign in (("AP", -1), ("ASL", 1)):
            part = found[found["measure"] == measure]
            assert (sign * part["score"]).is_monotonic_increasing
            assert part["rank"].between(part["rank_low"], part["rank_high"]).all()

    @pytest.mark.broad
    def test_a_perfect_machine_gives_the_order_of_all_queries(self):
        for measures in ("AP", "RPP"):
            found = RUNS.ireval.order(HUMAN, measures, machine=QRELS, queries="common")
            whole = RUNS.ireval.order(QRELS, measures, queries="common")
            assert found["run"].tolist() == whole["run"].tolist()
            np.testing.assert_allclose(found["score"], whole["score"], rtol=1e-9)
            assert found["method"].unique().tolist() == whole["method"].unique().tolist()

    def test_the_same_seed_gives_the_same_ranks(self):
        one, two = (SCORES.ireval.order("AP", draws=130, seed=4) for _ in range(2))
        pd.testing.assert_frame_equal(one, two)

    def test_other_methods_are_refused(self):
        for method in ("mc4", "winrate"):
            with pytest.raises(
                ValueError, match=f"method='{method}' cannot be combined with machine labels. Use "
            ):
                SCORES.ireval.order(method=method)


@pytest.mark.broad
def test_level_confidence_and_family_reach_what_they_are_for():
    given = {"correction": "fdr_tsbky", "baseline": ["bm25", "ql"], "confidence": 0.7}
    for alpha in (0.001, 0.6):
        for family in ("all", "baseline", "measure"):
            found = SCORES.ireval.compare(["AP", "ASL"], alpha=alpha, family=family, **given)
            keys = {"all": [], "baseline": ["measure", "run_b"]}.get(family)
            if keys is not None:
                group = (
                    found.groupby(keys, observed=True).ngroup().to_numpy()
                    if keys
                    else np.zeros(len(found), int)
                )
                wanted = adjust(
                    found["p_value"].to_numpy(), group, correction="fdr_tsbky", alpha=alpha
                )
                np.testing.assert_allclose(found["p_adjusted"], wanted, rtol=1e-12)
            assert found["significant"].tolist() == (found["p_adjusted"] < alpha).tolist()
            said = {
                "correction": "fdr_tsbky",
                "family": family,
                "alpha": alpha,
                "confidence": 0.7,
                "queries": "common",
            }
            assert said.items() <= found.attrs.items()
            assert found["measure"].tolist() == ["AP"] * 22 + ["ASL"] * 22


def test_means_and_effects_are_those_of_the_runs_and_of_the_differences():
    found = SCORES.ireval.compare("ASL", baseline="bm25", confidence=0.7, correction="none")
    mean = SCORES.ireval.summary("ASL").set_index("run")["mean"]
    assert found["mean_a"].tolist() == mean[found["run_a"]].tolist()
    assert found["mean_b"].tolist() == mean[found["run_b"]].tolist()
    human, machine = (-square("ASL", name) for name in ("value", "machine"))
    made = powered(
        *(x.drop(columns="bm25").sub(x["bm25"], axis=0).to_numpy() for x in (human, machine))
    )
    np.testing.assert_allclose(
        found[["ci_low", "ci_high"]].to_numpy().T, made.interval(0.7), rtol=1e-9
    )
    np.testing.assert_allclose(found["effect_size"], made.mean / made.human_sd, rtol=1e-9)
    for name in ("statistic", "df", "n_machine", "lam", "effective_n", "n"):
        np.testing.assert_allclose(found[name], getattr(made, name), rtol=1e-9)


@pytest.mark.broad
def test_two_queries_of_each_kind_suffice_and_one_is_named():
    queries = sorted(SCORES["query_id"].unique())
    people = SCORES.dropna(subset="value")["query_id"].unique()[:2]
    alone = [one for one in queries if one not in set(SCORES.dropna(subset="value")["query_id"])][
        :2
    ]
    enough = SCORES[SCORES["query_id"].isin([*people, *alone])]
    assert enough.ireval.summary("AP")["n"].unique().tolist() == [2]
    assert enough.ireval.compare("AP")["n_machine"].unique().tolist() == [2]
    for lost, text in (
        (people[0], "'ql' has 1 queries with human values of 'AP' and 2"),
        (alone[0], "'ql' has 2 .* and 1 with machine values only"),
    ):
        few = enough[(enough["run"] != "ql") | (enough["query_id"] != lost)]
        with pytest.raises(ValueError, match=text):
            few.ireval.summary("AP")
        with pytest.raises(ValueError, match=text):
            few.ireval.compare("AP")


def test_a_p_value_of_exactly_the_level_is_not_significant():
    usual = SCORES.ireval.compare("AP", correction=None)["p_value"]
    level = float(usual.iloc[7])
    for family in ("measure", "all"):
        found = SCORES.ireval.compare("AP", correction=None, alpha=level, family=family)
        assert found["significant"].tolist() == (usual < level).tolist()


@pytest.mark.parametrize("correction", ["holm", "fdr_bh"])
def test_pairs_with_a_baseline_may_be_corrected_for_all_pairs_of_the_measure(correction):
    given = {"correction": correction, "family": "measure"}
    whole, some = (
        SCORES.ireval.compare("AP", **given),
        SCORES.ireval.compare("AP", baseline="bm25", **given),
    )
    known = {
        frozenset((a, b)): p
        for a, b, p in zip(whole["run_a"], whole["run_b"], whole["p_adjusted"], strict=True)
    }
    assert len(known) == 66
    assert len(some) == 11
    assert some["p_adjusted"].tolist() == pytest.approx(
        [known[frozenset((run, "bm25"))] for run in some["run_a"]]
    )
    raw = adjust(some["p_value"].to_numpy(), np.zeros(11, np.int64), correction=correction)
    assert (some["p_adjusted"] > raw).any()


@pytest.mark.broad
def test_rows_are_numbered_and_options_are_looked_at():
    found = SCORES.ireval.compare(["AP", "ASL"], baseline=["bm25", "ql"])
    assert found.index.tolist() == list(range(44))
    assert found["measure"].tolist() == ["AP"] * 22 + ["ASL"] * 22
    assert found["run_b"].tolist() == (["bm25"] * 11 + ["ql"] * 11) * 2
    assert SCORES.ireval.compare("AP", test="default").equals(SCORES.ireval.compare("AP"))
    assert SCORES.ireval.summary("AP", confidence=0.7).attrs["confidence"] == 0.7
    for verb in (SCORES.ireval.summary, SCORES.ireval.compare):
        with pytest.raises(ValueError, match=r"confidence=1\.5"):
            verb("AP", confidence=1.5)
    with pytest.raises(ValueError, match="alpha=2"):
        SCORES.ireval.compare("AP", alpha=2)


def pair_values(runs, human):
    """Preferences of pairs of runs, with people's values of each query; the machine's differ a little."""
    pairs = [(a, b) for number, a in enumerate(runs) for b in runs[number + 1 :]]
    rows = [
        (str(query), a, b, "RPP", value + 0.1 * place, value + 0.2 * place + 0.1 * (query % 3))
        for place, (a, b) in enumerate(pairs)
        for query, value in enumerate(human)
    ]
    return pd.DataFrame(rows, columns=["query_id", "run_a", "run_b", "measure", "value", "machine"])


def test_a_pair_with_one_query_of_a_kind_is_named_and_two_suffice():
    table = pair_values("abc", [0.1, 0.3, 0.2, 0.4])
    table["value"] = table["value"].where(table["query_id"].isin(["0", "1"]))
    found = table.ireval.compare()
    assert found[["n", "n_machine"]].to_numpy().tolist() == [[2, 2]] * 3
    assert found[["mean_a", "mean_b"]].isna().all(axis=None)
    for lost, text in (
        ("0", "has 1 queries with human labels and 2 with machine labels only"),
        ("2", "has 2 queries with human labels and 1 with machine labels only"),
    ):
        few = table[(table["run_b"] != "c") | (table["run_a"] != "b") | (table["query_id"] != lost)]
        with pytest.raises(ValueError, match=rf"the pair .*'b'.*'c'.* {text} for 'RPP'"):
            few.ireval.compare()


def test_chances_of_queries_reach_summaries_and_comparisons():
    chance = 0.2 + 0.6 * (SCORES["query_id"].astype(int) % 5) / 5
    drawn = SCORES.assign(probability=chance)
    human, machine = square("AP", "value"), square("AP", "machine")
    own = (0.2 + 0.6 * (human.index.astype(int) % 5) / 5).to_numpy()
    made = powered(human.to_numpy(), machine.to_numpy(), probability=own)
    found = drawn.ireval.summary("AP")
    for name in ("mean", "human", "df", "lam", "effective_n", "n", "n_machine"):
        np.testing.assert_allclose(found[name], getattr(made, name), rtol=1e-12)
    away = (x.drop(columns="ql").sub(x["ql"], axis=0).to_numpy() for x in (human, machine))
    made = powered(*away, probability=own)
    found = drawn.ireval.compare("AP", baseline="ql")
    np.testing.assert_allclose(found["difference"], made.mean, rtol=1e-9)
    np.testing.assert_allclose(found["p_value"], made.p_value, rtol=1e-9)
