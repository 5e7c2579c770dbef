import warnings

import numpy as np
import pandas as pd
import pytest

import pdeval
from pdeval.catalog import ENTRIES, parse, parse_all
from pdeval.catalog.measures import needs_judged
from pdeval.evaluate import scores as evaluate
from pdeval.join import positions
from pdeval.join.judged import Judged
from pdeval.tables import reader
from tests import naive
from tests.joins_by_hand import ruled
from tests.plain_measures import needs_nothing

scores = ruled(evaluate.scores)
GRADES = {"q1": {"a": 1, "b": 2}, "q2": {"a": 0}, "q3": {"c": 3}, "q4": {"d": 1}}
LISTS = {
    "r": {"q1": ["x", "a", "b"], "q2": ["a"], "q3": ["c"], "q9": ["a"]},
    "s": {"q1": ["b"], "q3": ["x", "c"]},
}


def join(lists=LISTS, grades=GRADES, **rules):
    return positions.join(
        reader.read(naive.table(lists), "runs"),
        reader.read(naive.judgments(grades), "qrels"),
        **rules,
    )


def cells(cube, measure=0):
    """Return {(run, query): value} of the cells that count."""
    return {
        (run, query): cube.values[measure, q, r]
        for r, run in enumerate(cube.runs["run"])
        for q, query in enumerate(cube.queries)
        if not np.isnan(cube.values[measure, q, r])
    }


AP = {("r", "q1"): (1 / 2 + 2 / 3) / 2, ("s", "q1"): 1 / 2, ("r", "q3"): 1.0, ("s", "q3"): 1 / 2}
QUERY_RULES = {
    "relevant": {**AP, ("r", "q4"): 0.0, ("s", "q4"): 0.0},
    "judged": {**AP, ("r", "q4"): 0.0, ("s", "q4"): 0.0, ("r", "q2"): 0.0, ("s", "q2"): 0.0},
    "answered": {**AP, ("r", "q2"): 0.0},
    "common": AP,
}


@pytest.mark.parametrize("queries", QUERY_RULES)
@pytest.mark.filterwarnings("ignore:.*missing from run")
def test_the_topics_that_count(queries):
    cube = scores(join(), "AP", queries=queries)
    assert cells(cube) == pytest.approx(QUERY_RULES[queries], abs=0)
    assert cube.attrs["queries"] == queries


def test_an_unknown_topics_rule_is_an_error():
    with pytest.raises(
        ValueError, match="queries='all': choose 'relevant', 'judged', 'answered' or 'common'"
    ):
        scores(join(), "AP", queries="all")


def test_queries_that_a_run_did_not_answer_are_told_once_at_the_callers_line():
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        evaluate.scores(Judged(join()), ["AP", "RR", "nDCG@10"])
    assert [str(one.message) for one in told] == [
        "1 of 3 judged queries are missing from run 'r', and some from 1 other run; they get the worst possible score."
    ]
    assert told[0].filename == __file__


@pytest.mark.parametrize("queries", ["answered", "common"])
@pytest.mark.filterwarnings("error")
def test_nothing_is_told_where_missing_queries_do_not_count(queries):
    scores(join(), "AP", queries=queries)


@pytest.mark.parametrize(
    ("queries", "level", "grades", "text"),
    [
        (
            "relevant",
            4,
            GRADES,
            "no judged query has an item with a grade of at least 4 .the largest grade is 3.",
        ),
        (
            "relevant",
            None,
            {"q1": {"a": 0}},
            "no judged query has an item with a positive grade .the largest grade is 0.",
        ),
        ("common", None, {"q2": {"a": 1}}, "no judged query was answered by all runs"),
    ],
)
@pytest.mark.filterwarnings("error")
def test_an_evaluation_on_no_topic_is_an_error(queries, level, grades, text):
    with pytest.raises(ValueError, match=text):
        scores(join(grades=grades), "AP", queries=queries, level=level)


@pytest.mark.filterwarnings("ignore:.*missing from run")
def test_the_level_of_a_measure_comes_before_that_of_the_call():
    cube = scores(join(), ["AP", "AP(level=1)", "AP(level=3)"], level=2)
    assert cube.measures == ("AP", "AP(level=1)", "AP(level=3)")
    assert cells(cube, 0) == {
        ("r", "q1"): 1 / 3,
        ("s", "q1"): 1.0,
        ("r", "q3"): 1.0,
        ("s", "q3"): 0.5,
    }
    assert cells(cube, 1) == cells(scores(join(), "AP"))
    assert cells(cube, 2) == {("r", "q3"): 1.0, ("s", "q3"): 0.5}


@pytest.mark.filterwarnings("ignore:.*missing from run", "ignore:level=2 does not change the gains")
def test_the_level_leaves_gains_alone():
    at = {level: cells(scores(join(), "nDCG", level=level)) for level in (None, 2)}
    assert at[2]["r", "q1"] == at[None]["r", "q1"]


@pytest.mark.filterwarnings("ignore:.*missing from run")
def test_measures_may_be_names_functions_and_measures():
    cube = scores(join(), [parse("AP"), pdeval.kernels.RR, "P@5", "map"])
    assert cube.measures == ("AP", "RR", "P@5", "map")  # called as they were asked for
    assert cube.higher.tolist() == [True] * 4
    assert scores(join(), "ISL").higher.tolist() == [False]


def test_a_measure_of_ones_own_asks_for_columns_by_name():
    @pdeval.metric(kind="judged")
    def SharePooled(rank, retrieved, *, k: int = 3):
        "Judged items among the first k, as a share of what was retrieved."
        return (rank <= k).sum(axis=0) / np.maximum(retrieved, 1)

    try:
        found = cells(scores(join(), ["SharePooled@2"], queries="common"))
    finally:
        del ENTRIES["SharePooled"]
    assert found == {("r", "q1"): 1 / 3, ("s", "q1"): 1.0, ("r", "q3"): 1.0, ("s", "q3"): 0.5}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("RPP", r"RPP is a preference, not a measure of one ranking\. Use \.ireval\.prefer"),
        ("borda", r"borda is an ordering, not a measure of one ranking\. Use \.ireval\.order"),
    ],
)
def test_what_is_no_measure_of_one_ranking_is_refused(name, text):
    with pytest.raises(ValueError, match=text):
        scores(join(), name)


@pytest.mark.broad
def test_needing_judged_items_is_known_beforehand():
    for name, entry in ENTRIES.items():
        if entry.family != "metric" or entry.kind == "subtopic" or not needs_nothing(entry):
            continue
        asked = parse_all(name)
        few = scores(join(complete=needs_judged(asked)), asked, queries="judged", warn=False)
        all_of_them = scores(join(), asked, queries="judged", warn=False)
        np.testing.assert_array_equal(few.values, all_of_them.values, err_msg=name)


def test_a_measure_without_a_closed_form_names_those_that_have_one():
    with pytest.raises(
        ValueError, match=r"bpref has no closed form.*works for AP, .*RR.*Use another ties="
    ):
        scores(join(ties="expected"), "bpref", queries="common")


def test_expected_values_are_the_mean_over_all_orders_of_ties():
    frame = pd.DataFrame(
        {"run": "r", "query_id": "q", "doc_id": list("abcd"), "score": [2.0, 1.0, 1.0, 1.0]}
    )
    qrels = reader.read(naive.judgments({"q": {"b": 1, "d": 1, "z": 1}}), "qrels")
    found = scores(
        positions.join(reader.read(frame, "runs"), qrels, ties="expected"), "AP"
    ).values.item()
    orders = [
        naive.found_at(["a", *order], {"b", "d", "z"})
        for order in ("bcd", "bdc", "cbd", "cdb", "dbc", "dcb")
    ]
    assert found == pytest.approx(np.mean([naive.average_precision(f) for f in orders]), abs=1e-15)


@pytest.mark.broad
def test_blocks_of_any_size_give_the_same_bits(monkeypatch):
    joined = pdeval.datasets.sample_runs().ireval.join(pdeval.datasets.sample_qrels(subtopics=True))
    names = ["AP", "nDCG@10", "bpref", "infAP", "ERR@20", "alpha-nDCG@20", "ERR-IA@20"]
    whole = scores(joined.positions, names, warn=False).values
    function = evaluate.View.blocks
    monkeypatch.setattr(
        evaluate.View, "blocks", lambda view, *, empty=False: function(view, empty=empty, most=1)
    )
    np.testing.assert_array_equal(scores(joined.positions, names, warn=False).values, whole)


@pytest.fixture
def declared():
    """Measures of a user's own, gone after the test."""
    before = set(ENTRIES)
    yield
    for name in set(ENTRIES) - before:
        del ENTRIES[name]


def test_a_kernel_that_does_not_reduce_the_recall_levels_is_told_so(declared):
    @pdeval.metric
    def Found(rank):
        """Forgets to add up."""
        return rank < np.inf

    with pytest.raises(
        ValueError,
        match=r"Found returned an array of shape \(\d, .* reduce axis 0, the recall levels",
    ):
        scores(join(), Found, warn=False)


def test_a_kernel_that_is_not_a_number_somewhere_is_not_dropped_there(declared):
    @pdeval.metric
    def Spread(rank):
        """Infinity less infinity where nothing was found."""
        with np.errstate(invalid="ignore"):
            return rank[-1] - rank[0]

    with pytest.raises(
        ValueError, match=r"Spread is not a number \(NaN\) \d+ times, e\.g\. on query '"
    ):
        scores(join(), Spread, warn=False)


@pytest.mark.parametrize("axis", [None, (0, 1), 1])
def test_a_kernel_that_gives_several_rankings_one_number_is_refused(declared, axis):
    @pdeval.metric
    def Deep(rank):
        """The sum of all reciprocal ranks of a block, where the recall levels of one ranking are meant."""
        return (1 / rank).sum(axis=axis)

    with pytest.raises(
        ValueError, match=r"Deep returned an array of shape .* reduce axis 0, the recall levels"
    ):
        scores(join(), Deep, warn=False)


PADDED = [name for name, entry in ENTRIES.items() if entry.padded]


@pytest.mark.parametrize("small", [1 << 16, 0])
@pytest.mark.parametrize(
    "name", [*PADDED, "AP@5", "R@5", "F@5", "RR(i=3)", "nDCG@5", "nDCG(gain=exp)", "CG@5"]
)
def test_topics_of_different_numbers_of_items_share_a_block_without_changing_a_bit(
    name, small, monkeypatch
):
    from pdeval.join import blocks

    monkeypatch.setattr(blocks, "SMALL", small)
    judged = pdeval.datasets.sample_judged(queries="common")
    measure, views = parse(name), evaluate.Views(judged)
    for level in (None, 2):
        found = evaluate.Views(judged.at(level=level)).values(measure)
        apart = np.zeros(found.shape)
        for block in evaluate.Views(judged.at(level=level)).blocks(measure.kind, level):
            if block.size:
                apart[block.topics] = measure.entry.kernel(
                    *block.columns(measure.columns), **measure.parameters
                )
        np.testing.assert_array_equal(found, apart, strict=True)
    shared = views.blocks(measure.kind, None, padded=True)
    assert len(shared) < len(views.blocks(measure.kind, None))
    assert all((block["m"] <= block.size).all() for block in shared)
