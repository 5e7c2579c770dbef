"""Which items people label next: where measures move and the machine is in doubt, with chances that are known."""

import numpy as np
import pandas as pd
import pytest

import pdeval
from pdeval.catalog.measures import parse_all
from pdeval.judgments.label_samples import effects
from pdeval.judgments.pools import pooled
from pdeval.tables.reader import read
from pdeval.tables.schemas import SCHEMAS
from tests.schema_faults import faults
from tests.statistics.item_samples import with_machine

RUNS, QRELS, _ = pdeval.datasets.load_sample()
RUNS = RUNS[RUNS["run"].isin(["bm25", "hybrid", "ql"])].reset_index(drop=True)
POOL = RUNS.ireval.pool(20)[["query_id", "doc_id"]]
TRUTH = POOL.merge(QRELS, how="left").fillna({"relevance": 0})
PILOT = TRUTH.sample(200, random_state=0)
STRICT = TRUTH.assign(relevance=(TRUTH["relevance"] > 1) * 1)
NAMES = {"run": ["run"], "query": ["query_id"], "doc": ["doc_id"]}


def planned(measures="P@10", **given):
    return RUNS.ireval.label_next.items(
        PILOT, STRICT, measures, **{"size": 150, "depth": 20, **given}
    )


@pytest.mark.parametrize(
    "given", [{}, {"of": "differences"}, {"design": "uniform"}, {"measures": ["P@5", "RBP"]}]
)
def test_as_many_unlabeled_items_are_drawn_as_were_asked_for(given):
    plan = planned(**given)
    assert faults(SCHEMAS["item_sample"], plan, NAMES) == []
    assert plan[["query_id", "doc_id"]].equals(POOL)
    assert (plan["labeled"].sum(), plan["chosen"].sum()) == (200, 150)
    assert not (plan["labeled"] & plan["chosen"]).any()
    assert plan["probability"][~plan["labeled"]].sum() == pytest.approx(150)
    assert (plan["probability"][plan["labeled"]] == 1).all()
    assert plan["probability"].min() > 0
    shuffled = RUNS.sample(frac=1, random_state=1).ireval.label_next.items(
        PILOT.sample(frac=1, random_state=2),
        STRICT,
        **{"measures": "P@10", "size": 150, "depth": 20, **given},
    )
    assert plan.equals(shuffled)


def test_the_machine_s_labels_are_worth_what_people_say_of_those_like_them():
    plan = planned()
    both = plan.merge(STRICT).merge(PILOT.rename(columns={"relevance": "people"}), how="left")
    for grade in (0, 1):
        alike = both[both["relevance"] == grade]
        known = alike["people"].dropna()
        share = ((known > 0).sum() + 0.5) / (len(known) + 1)
        assert alike["predicted"].unique().tolist() == [pytest.approx(share)]
    # what the machine left out is a kind of its own: nothing is known of it
    some = RUNS.ireval.label_next.items(PILOT, PILOT, size=10, depth=20)
    assert some["predicted"][~some["labeled"]].unique().tolist() == [0.5]


@pytest.mark.broad
@pytest.mark.parametrize("of", ["means", "differences"])
def test_effects_are_those_of_plain_loops(of):
    pool = pooled(read(RUNS, "runs"), 20)
    found = effects(pool, parse_all(["P@10", "RBP(p=0.5)"]), of)
    ranked = RUNS.ireval.pool(20, per="run")
    squares = []
    for weigh in (lambda rank: float(rank <= 10), lambda rank: 0.5 ** (rank - 1)):
        own = []
        for _, rows in ranked.groupby(["query_id", "doc_id"], sort=False):
            weights = [weigh(rank) for rank in rows["rank"]] + [0.0] * (3 - len(rows))
            if of == "means":
                own.append(np.mean(np.square(weights)))
            else:
                own.append(np.mean([(a - b) ** 2 for a in weights for b in weights]) / 2)
        squares.append(np.array(own) / np.mean(own))
    np.testing.assert_allclose(found, np.sqrt(np.mean(squares, axis=0)), atol=1e-12)


def test_chances_go_with_effect_and_doubt():
    plan = planned()
    open_ = plan[~plan["labeled"] & (plan["probability"] < 1)]
    size = open_["effect"] * np.sqrt(open_["predicted"] * (1 - open_["predicted"]))
    every = plan[~plan["labeled"]]
    mean = (every["effect"] * np.sqrt(every["predicted"] * (1 - every["predicted"]))).mean()
    np.testing.assert_allclose(open_["probability"] / (0.1 + 0.9 * size / mean), (open_["probability"] / (
        0.1 + 0.9 * size / mean)).iloc[0])  # fmt: skip
    apart = planned(of="differences")
    everywhere = (
        RUNS.ireval.pool(20)
        .query("runs == 3")[["query_id", "doc_id"]]
        .merge(plan.query("rank == 1"))
    )
    alike = apart.merge(everywhere[["query_id", "doc_id"]])["effect"].mean()
    assert alike < 0.7 * everywhere["effect"].mean()


def test_where_everything_is_labeled_estimates_are_the_measures():
    plan = planned()
    rest = plan[~plan["chosen"] & ~plan["labeled"]].index
    whole = plan.assign(labeled=plan["labeled"] | plan.index.isin(rest))
    whole.loc[plan["chosen"], ["labeled", "chosen"]] = [True, False]
    names = ["P@10", "RBP", "R@10", "AP"]
    found = RUNS.ireval.pool.estimate(TRUTH, names, sample=whole, depth=20)
    expected = RUNS.ireval.measure(TRUTH, names, queries="judged", depth=20)
    known = expected.merge(found[["run", "query_id", "measure"]])
    pd.testing.assert_frame_equal(found, known, rtol=1e-9, check_dtype=False)


def test_a_prediction_stands_where_people_did_not_look():
    runs = pd.DataFrame({"run": "a", "query_id": "1", "doc_id": list("xyz"), "score": [3, 2, 1]})
    plan = pd.DataFrame({"query_id": "1", "doc_id": list("xyz"), "rank": [1, 2, 3], "labeled": [True, False, False],
                         "predicted": [0.9, 0.4, 0.2], "probability": [1.0, 0.5, 0.5],
                         "chosen": [False, True, False]})  # fmt: skip
    qrels = pd.DataFrame({"query_id": "1", "doc_id": list("xy"), "relevance": [0, 1]})
    found = runs.ireval.pool.estimate(qrels, ["P@3", "R@2"], sample=plan)
    # x is known, y stands for .4 + (1 - .4) / .5, z for what is predicted; R takes what is known alone
    assert found["value"].tolist() == pytest.approx([(0 + 1.6 + 0.2) / 3, 1.0])


@pytest.mark.slow
@pytest.mark.parametrize("judge", ["biased", "random", "adversarial"])
def test_intervals_get_narrower_faster_than_at_random_and_cover(judge):
    width = {}
    for design in ("importance", "uniform"):
        for size in (5, 15):
            errors, true = with_machine(design, judge, queries=300, draws=6, size=size)
            assert abs(errors.mean()) < 4 * errors.std() / np.sqrt(errors.size), (design, size)
            values = errors + true
            width[design, size] = values.std()  # intervals over queries are in proportion
            draw, query = (
                np.random.default_rng(2)
                .integers(0, [[6], [300]], (2, 50 * 3000))
                .reshape(2, 50, 3000)
            )
            own = values[draw, query]
            half = 2.0096 * own.std(axis=0, ddof=1) / np.sqrt(50)
            covered = np.abs(own.mean(axis=0) - true.mean()) <= half
            assert 0.92 <= covered.mean() <= 0.97, (design, size)
    assert width["importance", 5] < 0.6 * width["uniform", 5]
    assert width["importance", 5] < width["uniform", 15]  # with a third of the labels


class TestWhatIsRefused:
    def test_people_and_machine_with_nothing_in_common(self):
        other = STRICT.assign(doc_id="x" + STRICT["doc_id"])
        with pytest.raises(
            ValueError,
            match="200 items of the pool have human labels and 0 machine labels, but no item has both",
        ):
            RUNS.ireval.label_next.items(PILOT, other, size=10, depth=20)

    def test_measures_that_are_no_sums(self):
        for name in ("AP", "R@10", "nDCG@10", "P"):
            with pytest.raises(
                ValueError, match=f"{name} is not a sum over items. Use P with a cutoff or RBP"
            ):
                planned(name)

    def test_more_items_than_there_are_and_options_that_do_not_exist(self):
        left = len(POOL) - 200
        with pytest.raises(
            ValueError,
            match=f"only {left:,} of the {len(POOL):,} items have no human label. Draw fewer",
        ):
            planned(size=left + 1)
        with pytest.raises(ValueError, match="of='pairs': choose 'means' or 'differences'"):
            planned(of="pairs")
        with pytest.raises(
            ValueError, match="design='stratified': choose 'importance' or 'uniform'"
        ):
            planned(design="stratified")
        alone = RUNS[RUNS["run"] == "ql"]
        with pytest.raises(
            ValueError, match="no item without a human label changes these measures"
        ):
            alone.ireval.label_next.items(PILOT, STRICT, size=10, depth=20, of="differences")
