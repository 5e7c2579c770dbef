"""Orders: what is passed on to the votes and back, of joins and of tables, and what is drawn again."""

from unittest import mock

import numpy as np
import pandas as pd
import pytest

import pdeval
from pdeval.catalog import ENTRIES
from pdeval.evaluate import cube
from pdeval.evaluate.mean_preferences import WinRates
from pdeval.orderings import order as room
from pdeval.orderings.order import _of_judgments, _resamples, _source, of_judged, order, ordered


@pytest.fixture
def declared():
    """What is declared in a test is forgotten after it."""
    with mock.patch.dict(ENTRIES):
        yield


def scores(values, higher=True):
    values = np.array(values, dtype=float)
    runs = pd.DataFrame({"run": list("abcd")[: values.shape[-1]]})
    queries = pd.Index([str(q) for q in range(len(values))], name="query_id")
    return cube.Scores(runs, queries, ("own",), values[None], np.array([higher]))


def runs_and_qrels():
    """Three runs, of which the last did not answer the second query."""
    rows = [
        ("x", "1", "ab"),
        ("x", "2", "ba"),
        ("y", "1", "ba"),
        ("y", "2", "ab"),
        ("z", "1", "ba"),
    ]
    runs = pd.DataFrame(
        [
            (run, query, doc, -float(place))
            for run, query, docs in rows
            for place, doc in enumerate(docs)
        ],
        columns=["run", "query_id", "doc_id", "score"],
    )
    qrels = pd.DataFrame(
        {"query_id": ["2", "1", "2"], "doc_id": ["c", "a", "a"], "relevance": [0, 1, 2]}
    )
    return runs, qrels


@pytest.mark.parametrize(
    ("options", "direct"),
    [
        ({}, True),
        ({"queries": "answered"}, False),
        ({"compat": "pref_eval"}, False),
        ({"queries": "common"}, True),
    ],
)
def test_win_rates_are_direct_where_every_query_has_all_runs_or_none(options, direct):
    runs, qrels = runs_and_qrels()
    joined = runs.ireval.join(qrels, **options)
    assert isinstance(_source(joined, pdeval.parse("RPP"), warn=False), WinRates) == direct


def test_a_join_is_ordered_by_recall_paired_preference_unless_asked_and_told_of_once():
    runs, qrels = runs_and_qrels()
    joined = runs.ireval.join(qrels)
    with pytest.warns(UserWarning, match="1 of 2 judged queries") as told:
        usual = of_judged(joined, None)
    assert len(told) == 1
    assert usual["measure"].unique().tolist() == ["RPP"]
    joined = runs.ireval.join(qrels)
    with pytest.warns(UserWarning, match="1 of 2 judged queries") as told:
        both = of_judged(joined, ["RPP", "AP"])
    assert len(told) == 1
    pd.testing.assert_frame_equal(both[both["measure"] == "RPP"], usual, check_categorical=False)
    assert both["method"].tolist() == ["winrate"] * 3 + ["mean"] * 3


def test_a_join_that_follows_pref_eval_is_ordered_as_it_does():
    runs, qrels = runs_and_qrels()
    runs = runs[runs["run"] != "z"]
    asked = order(runs.ireval.join(qrels), "RPP", compat="pref_eval", method=["winrate", "mc4"])
    joined = order(runs.ireval.join(qrels, compat="pref_eval"), "RPP", method=["winrate", "mc4"])
    pd.testing.assert_frame_equal(asked, joined)
    assert asked["rank"].tolist() == [1, 2] * 2  # a win each: the name decides, the last one first
    assert asked["run"].tolist() == ["y", "x"] * 2
    assert order(runs.ireval.join(qrels), "RPP")["rank"].tolist() == [1, 1]


@pytest.mark.parametrize("level", [None, 0, 1])
def test_an_item_of_grade_0_is_not_relevant_at_any_level(level):
    runs, qrels = runs_and_qrels()
    queries = pd.Index(["1", "2"])
    assert _of_judgments(runs.ireval.join(qrels), level, queries).tolist() == [0, 1]
    assert _of_judgments(runs.ireval.join(qrels, level=2), None, queries).tolist() == [1, 0]
    assert _of_judgments(
        runs.ireval.join(qrels.assign(relevance=[0.5, 1, 2])), None, queries
    ).tolist() == [1, 0]


def test_whatever_numbers_an_ordering_gives_scores_are_floats(declared):
    @pdeval.ordering
    def halved(value):
        """The mean in single precision."""
        return value.astype(np.float32)

    @pdeval.ordering
    def unsigned(net):
        """Runs beaten, as whole numbers without a sign."""
        return (net > 0).sum(axis=-1).astype(np.uint8)

    for compat in (None, "pref_eval"):
        found = order(scores([[0.5, 0.25, 0.125]]), method=["halved", "unsigned"], compat=compat)
        assert found["score"].dtype == np.float64
        assert found["run"].tolist() == ["a", "b", "c"] * 2
        assert found["rank"].tolist() == [1, 2, 3] * 2
        assert found["score"].tolist() == [0.5, 0.25, 0.125, 2.0, 1.0, 0.0]


@pytest.mark.parametrize("column", ["value", "wins", "surplus", "net", "shared", "worst_first"])
def test_one_score_of_a_run_is_what_any_ordering_has_to_give(declared, column):
    held = {"value": 1, "wins": 1, "surplus": 1}

    def right(given):
        return given if column in held else given.sum(axis=-1)

    def wrong(given):
        return given.sum(axis=-1) if column in held else given

    for name, kernel in (("right", right), ("wrong", wrong)):
        space = {"kernel": kernel}
        exec(f"def {name}({column}):\n    'Made of {column}.'\n    return kernel({column})", space)
        pdeval.ordering(space[name])
    assert len(order(scores([[0.5, 0.25], [0.5, 0.75]]), method="right", draws=3)) == 2
    with pytest.raises(
        ValueError,
        match=r"the ordering 'wrong' returned an array of shape .*, expected \(1, 2\): one",
    ):
        order(scores([[0.5, 0.25], [0.5, 0.75]]), method="wrong")


def test_intervals_are_given_and_named_where_there_are_draws():
    plain = ordered(scores([[0.5, 0.25], [0.5, 0.75]]))
    assert list(plain.columns) == ["run", "measure", "method", "score", "rank"]
    assert "confidence" not in plain.attrs
    drawn = ordered(scores([[0.5, 0.25], [0.5, 0.75]]), draws=5, confidence=0.5)
    assert list(drawn.columns) == [*plain.columns, "rank_low", "rank_high"]
    assert drawn.attrs["confidence"] == 0.5
    assert drawn["rank_low"].dtype == drawn["rank_high"].dtype == np.int64
    more = ordered(scores([[0.5, 0.25], [0.5, 0.75]]), draws=5, scores=True)
    assert list(more.columns) == [*drawn.columns, "score_low", "score_high"]
    assert list(ordered(scores([[0.5, 0.25]]), scores=True).columns) == list(plain.columns)


@pytest.mark.parametrize("block", [1, 40, 1 << 21])
def test_resamples_draw_as_many_queries_as_there_are_in_blocks_of_one_stream(monkeypatch, block):
    monkeypatch.setattr(room, "BLOCK", block)
    blocks = list(_resamples(12, 6, 2, 11, 3))
    found = np.concatenate(blocks)
    assert found.tolist() == np.random.default_rng(3).multinomial(6, [1 / 6] * 6, size=11).tolist()
    assert len(blocks) == {1: 11, 40: 2}.get(
        block, 1
    )  # 4 * 40 cells, at 2 * 2 * 2 + 12 each, are 8 resamples


@pytest.mark.parametrize(
    ("measures", "named"),
    [
        (["AP", "Borda"], "'Borda'"),
        (("mc4(teleport=0.1)",), r"'mc4\(teleport=0.1\)'"),
        ("leximin", "'leximin'"),
    ],
)
def test_an_ordering_in_the_place_of_a_measure_is_told_where_it_goes(measures, named):
    judged = pdeval.datasets.sample_judged(queries="common")
    for held in (judged, judged.measure("AP").ireval):
        with pytest.raises(
            ValueError, match=rf"{named} is an ordering, not a measure. Use order\(method="
        ):
            held.order(measures)
    with pytest.raises(KeyError, match="no such"):
        judged.measure("AP").ireval.order("no such")


def test_scores_are_tied_within_rounding_of_the_largest_that_they_are_made_of(declared):
    thirds = np.array([[0.1, 0.3], [0.2, 0.2], [0.3, 0.1]]) * 2.0**20
    assert thirds[:, 0].sum() != thirds[::-1, 0].sum()
    assert order(scores(thirds), method="mean")["rank"].tolist() == [1, 1]
    assert order(scores(thirds + [[0, 1e-3]]), method="mean")["run"].tolist() == ["b", "a"]

    @pdeval.ordering
    def of_both(value, wins):
        """Numbers that differ by one and a half times the rounding of 1."""
        return value * 0 + wins * 0 + [1.0, 1.0 + 1.5e-12]

    @pdeval.ordering
    def of_one(value):
        """The same numbers."""
        return value * 0 + [1.0, 1.0 + 1.5e-12]

    found = order(scores([[1.0, 0.5]]), method=["of_both", "of_one"])
    # win rates of two runs are what is left of twice the values
    assert found["rank"].tolist() == [1, 1, 1, 2]


def test_intervals_of_scores_are_quantiles_of_what_is_drawn():
    values = np.random.default_rng(2).random((6, 3))
    for higher in (True, False):
        found = ordered(
            scores(values, higher), draws=40, confidence=0.5, seed=1, scores=True
        ).sort_values("run")
        weights = np.random.default_rng(1).multinomial(6, [1 / 6] * 6, size=40)
        ends = np.quantile(weights @ values / 6, [0.25, 0.75], axis=0)
        np.testing.assert_allclose(found["score_low"], ends[0], rtol=1e-12)
        np.testing.assert_allclose(found["score_high"], ends[1], rtol=1e-12)
