import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pdeval
from pdeval.catalog import ENTRIES, parse
from pdeval.kernels.terms import TERMS as DECLARED
from tests import naive
from tests.evaluate.test_pairs import collection, join
from tests.examples import examples
from tests.joins_by_hand import ruled

# q1: x finds the relevant items at 1, 3, never; y at 2, 3, 4. The pool of q1 has 8 items: a, b, c, five others
LISTS = {
    "x": {"q1": ["a", "n1", "b", "n2"], "q2": ["e"]},
    "y": {"q1": ["n3", "c", "b", "a", "n4", "n5"], "q2": ["f", "e"]},
}
GRADES = {"q1": {"a": 1, "b": 2, "c": 1}, "q2": {"e": 1}, "q3": {"z": 0}}


@pytest.fixture(scope="module")
def joined():
    return naive.table(LISTS).ireval.join(naive.judgments(GRADES))


LG = math.log2
IDEAL = 2 + 1 / LG(3) + 1 / LG(4)
TERMS = {
    "RBP(p=0.5)": ([0.5 - 0.25, 0.0, 0 - 0.5**4], 1.0),
    "AP": ([1 - 1 / 2, 0.0, 3 * (0 - 1 / 4)], 1 / 3),
    "AP@3": ([1 - 1 / 2, 0.0, 0.0], 1 / 3),
    "P@2": ([0.0, 0.0, 0.0], 1.0),
    "P": ([1 / 4 - 1 / 6, 1 / 4 - 1 / 6, -1 / 6], 1.0),
    "R@3": ([0.0, 0.0, 0.0], 1 / 3),
    "R": ([0.0, 0.0, -1.0], 1 / 3),
    "nDCG": ([1 - 1 / LG(3), 2 / LG(4) - 2 / LG(4), -1 / LG(5)], 1 / IDEAL),
    "DCG@3": ([1 - 1 / LG(3), 0.0, 0.0], 1.0),
    "RR": ([1 / 2, 0.0, 0.0], 1.0),
    "RR(i=3)": ([0.0, 0.0, -1 / 4], 1.0),
    "ISL(unretrieved=corpus)": ([1.0, 0.0, 0.0], 1.0),
    "ESL(i=2,unretrieved=corpus)": ([0.0, 0.0, 0.0], 1.0),
    "TSL(unretrieved=corpus)": ([0.0, 0.0, 4.0 - 8.0], 1.0),
    "ASL(unretrieved=corpus)": ([1.0, 0.0, 4.0 - 8.0], 1 / 3),
    "ASL(unretrieved=corpus)@g1-2": ([1.0, 0.0, 0.0], 1 / 2),
    "RPP(level=1)": ([1.0, 0.0, -1.0], 1 / 3),
    "bpref": ([0.0, 0.0, -1.0], 1 / 3),
}


@pytest.mark.parametrize("measure", TERMS)
def test_each_recall_level_contributes_its_term(joined, measure):
    frame = joined.disaggregate(pdeval.parse(measure, label=measure))
    q1 = frame[frame["query_id"] == "q1"]
    values, weight = TERMS[measure]
    assert q1["value"].tolist() == pytest.approx(values, abs=1e-15)
    assert q1["weight"].tolist() == pytest.approx([weight] * 3, abs=1e-15)
    assert q1["recall"].tolist() == [1, 2, 3]
    assert set(q1["measure"]) == {measure}
    assert set(q1["population"]) == {"relevant"}


def test_items_that_were_not_retrieved_take_the_last_places():
    lists = {"x": {"q": ["d1", "n1", "n2"]}, "y": {"q": ["d1", "d2", "d3"]}}
    judged = naive.table(lists).ireval.join(
        naive.judgments({"q": {"d1": 1, "d2": 1, "d3": 1, "z": 0}})
    )
    assert judged.disaggregate("ASL")["value"].tolist() == [0.0, -2.0, -2.0]
    assert judged.prefer("ASL(unretrieved=corpus)")["value"].tolist() == pytest.approx(
        [-4 / 3], abs=1e-15
    )


def test_graded_judgments_have_a_population_of_users_per_grade(joined):
    frame = joined.disaggregate("RPP").query("query_id == 'q1'")
    assert frame["population"].astype(str).tolist() == ["grade >= 1"] * 3 + ["grade >= 2"]
    assert frame["weight"].tolist() == pytest.approx([1 / 4] * 4, abs=1e-15)
    assert frame["value"].tolist() == [1.0, 0.0, -1.0, 0.0]


def test_graded_average_precision_is_that_of_users_with_a_threshold_at_each_grade(joined):
    # a and c have grade 1, b has 2: three items from grade 1 on, one from grade 2 on
    frame = joined.disaggregate("GAP").query("query_id == 'q1'")
    assert frame["population"].astype(str).tolist() == ["grade >= 1"] * 3 + ["grade >= 2"]
    assert frame["weight"].tolist() == pytest.approx([3 / 4 / 3] * 3 + [1 / 4], abs=1e-15)
    assert frame["value"].tolist() == pytest.approx([1 / 2, 0.0, -3 / 4, 0.0], abs=1e-15)


def test_intent_aware_average_precision_is_that_of_users_of_each_subtopic():
    judged = pdeval.datasets.sample_judged(subtopics=True, queries="common")
    pair = {"pairs": [("hybrid", "bm25")]}
    frame = judged.disaggregate("MAP-IA", **pair)
    assert "any subtopic" not in set(frame["population"])
    per_query = frame.groupby("query_id", observed=True)
    subtopics = per_query["population"].nunique()
    weight = frame.groupby(["query_id", "population"], observed=True)["weight"].sum()
    expected = 1 / subtopics.reindex(weight.index.get_level_values("query_id"))
    np.testing.assert_allclose(weight, expected, rtol=1e-12)
    wanted = judged.prefer("MAP-IA", **pair).set_index("query_id")["value"]
    found = (frame["weight"] * frame["value"]).groupby(frame["query_id"], observed=True).sum()
    np.testing.assert_allclose(found.reindex(wanted.index), wanted, rtol=0, atol=1e-12)


def test_subtopics_have_populations_under_the_callers_names():
    judged = pdeval.datasets.sample_judged(subtopics=True, queries="common")
    frame = judged.disaggregate("ST-RPP", pairs=[("hybrid", "bm25")])
    known = set(pdeval.datasets.sample_qrels(subtopics=True)["subtopic"].astype(str))
    assert {
        name.removeprefix("subtopic ") for name in set(frame["population"]) - {"any subtopic"}
    } <= known
    assert frame.groupby("query_id", observed=True)["weight"].sum().tolist() == pytest.approx(
        [1.0] * 48, abs=1e-12
    )


def sums(frame):
    weighted = frame.assign(value=frame["weight"] * frame["value"])
    return weighted.groupby(["query_id", "run_a", "run_b", "measure"], observed=True)["value"].sum()


PREFERENCES = [
    name
    for name, entry in ENTRIES.items()
    if entry.family == "preference" and name != "p-MRR"  # compares items, not recall levels
]
CHOSEN = [
    "I(user=dcg)",
    "OI(user=dcg)",
    "OI(over=found)",
    "OI(user=dcg,over=found)",
    "ST-RPP(background=0)",
    "ST-RPP(subtopics=uniform,weight=dcg)",
    "ST-dcgRPP(subtopics={1:0.7,3:0.1},background=0.5)",
    "ST-invRPP(subtopics=uniform,background=3)",
]
GRADED = [
    "EU(grades=uniform)",
    "RPP(grades=uniform)",
    "dcgRPP(grades={1:1,2:3})",
    "invRPP(grades={2:1})",
    "RPP(grades=uniform,weight=inverse)",
]
SAME = [
    "AP",
    "AP@3",
    "P",
    "P@3",
    "R",
    "R@3",
    "RBP",
    "RBP(p=0.5)@4",
    "RR",
    "RR(i=2)",
    "DCG",
    "nDCG",
    "nDCG(gain=exp)@3",
    "nDCG(discount=jk)",
    "nDCG(discount=zipf)",
    "DCG(discount=jk,base=5)",
    "bpref",
    "EU",
    "EU(utility=reciprocal,weight=dcg)",
    "ST-EU",
    "ST-EU(utility=log,background=0)",
    "GAP",
    "GAP@3",
    "MAP-IA",
]
PLACED = ["ISL", "ESL(i=2)", "TSL", "ASL", "ASL@g1-2"]


@pytest.mark.broad
@given(st.integers(0, 10_000), st.sampled_from([None, 1, 2]))
@examples(25)
def test_weighted_values_add_up_to_the_preference(seed, level):
    lists, grades, subtopics = collection(seed)
    grades["q1"]["d0"] = 2
    positions = join(lists, grades, subtopics)
    weights = [
        parse("RPP", weight=[3.0, *[1.0] * 30], label="first"),
        parse("RPP", weight=lambda i: 0.9**i, label="patient"),
        parse("ST-RPP", weight=lambda i: i, label="deep"),
    ]
    names = [*PREFERENCES, *CHOSEN, *(GRADED if level is None else ()), *weights, *SAME, *PLACED]
    found = sums(
        ruled(pdeval.evaluate.contributions.disaggregate)(
            positions, names, level=level, queries="common"
        )
    )
    own = {one.label: one for one in weights}
    told = [own.get(label, label) for label in found.index.unique("measure")]
    wanted = ruled(pdeval.evaluate.pairs.prefer)(positions, told, level=level, queries="common")
    wanted = wanted.set_index(["query_id", "run_a", "run_b", "measure"])["value"]
    np.testing.assert_allclose(
        found.reindex(wanted.index).fillna(0.0), wanted, rtol=1e-12, atol=1e-12
    )


@pytest.mark.parametrize("name", PLACED)
def test_the_name_of_a_search_length_says_that_items_not_retrieved_stand_at_the_end_of_the_corpus(
    joined, name
):
    asked = parse(name, unretrieved="corpus")
    for frame in (
        joined.disaggregate(name),
        joined.disaggregate([name, asked]),
        joined.disaggregate(name, per="pair"),
        joined.disaggregate.ecdf(name),
        joined.explain("q1", ["RPP(level=1)", name], runs=["x", "y"]),
    ):
        labels = set(frame["measure"].astype(str))
        assert labels - {"RPP(level=1)"} == {asked.label}
        assert set(frame.attrs["measures"]) == labels


def test_every_sum_over_recall_levels_is_tried_here():
    tried = {parse(name).entry.name for name in [*SAME, *PLACED]}
    assert set(DECLARED) == tried, "add the measure to SAME or PLACED"


def test_a_first_level_without_users_does_not_hide_the_others():
    judged = pdeval.datasets.sample_judged(queries="common")
    late = parse("RPP", weight=lambda i: i > 1, label="second item on", level=1)
    found = sums(judged.disaggregate(late, baseline="bm25"))
    wanted = judged.prefer(late, baseline="bm25").set_index(
        ["query_id", "run_a", "run_b", "measure"]
    )["value"]
    np.testing.assert_allclose(found.reindex(wanted.index), wanted, rtol=0, atol=1e-12)
    assert wanted.abs().max() > 0


# x finds the relevant items of q1 at 1, 3, never, of 4 items; y at 2, 3, 4, of 6
CELLS = {
    "sgnLP": ([1.0, 0.0, -1.0], [1, 0, 0]),
    "sgnLR": ([1.0, 0.0, -1.0], [0, 0, 1]),
    "rrLP": ([1 / 2, 0.0, -1 / 4], [1, 0, 0]),
    # items found by rank: x 1 1 2 2 2 2, y 0 1 2 3 3 3
    "I": ([1.0, 0.0, 0.0, -1.0, -1.0, -1.0], [1 / 6] * 6),
}


@pytest.mark.parametrize("measure", CELLS)
def test_each_cell_of_a_preference_says_who_is_ahead_there(joined, measure):
    q1 = joined.disaggregate(measure).query("query_id == 'q1'")
    values, weight = CELLS[measure]
    assert q1["value"].tolist() == pytest.approx(values, abs=1e-15)
    assert q1["weight"].tolist() == pytest.approx(weight, abs=1e-15)
    assert q1["recall"].tolist() == list(range(1, len(values) + 1))


def test_offline_interleaving_has_a_cell_for_each_stopping_item_found_or_not():
    lists = {"x": {"q": ["d1", "d2"]}, "y": {"q": ["n1", "d1"]}}
    judged = naive.table(lists).ireval.join(naive.judgments({"q": {"d1": 1, "d2": 1, "lost": 1}}))
    frame = judged.disaggregate(["OI", "OI(over=found)"])
    # stopping at d1 the cutoff is rank 1, at d2 rank 2: x has more of what was clicked; nobody gets to a third
    assert frame["value"].tolist() == [1.0, 1.0, 0.0] * 2
    assert frame["weight"].tolist() == pytest.approx([1 / 3] * 3 + [1 / 2, 1 / 2, 0])
    assert set(frame["population"]) == {"relevant"}


@pytest.mark.parametrize("measure", ["OI", "I", "RPP", "AP"])
def test_the_mean_over_the_orders_of_ties_has_no_recall_levels(measure):
    judged = naive.table(LISTS).ireval.join(naive.judgments(GRADES), ties="expected")
    with pytest.raises(
        ValueError, match=r"ties='expected' has no definite ranks\. Use another ties="
    ):
        judged.disaggregate(measure)


def test_equal_rankings_have_no_level_that_decides():
    lists = {"x": {"q": ["a", "b"]}, "y": {"q": ["a", "b"]}}
    judged = naive.table(lists).ireval.join(naive.judgments({"q": {"a": 1, "b": 1}}))
    frame = judged.disaggregate(["sgnLP", "rrLP", "sgnLR"])
    assert set(frame["weight"]) == set(frame["value"]) == {0.0}


# means over queries

EVERY = ["RPP", "sgnLP", "I", "OI", "AP", "bpref", "ASL"]


@pytest.mark.broad
@pytest.mark.parametrize("queries", ["common", "answered", "judged"])
@pytest.mark.parametrize("measure", EVERY)
@pytest.mark.filterwarnings("ignore:.*are missing")
def test_means_over_queries_add_up_to_the_mean_preference_of_each_group(measure, queries):
    judged = pdeval.datasets.sample_judged(queries=queries)
    half = pd.Series(
        {query: "low" if query < "125" else "high" for query in judged.queries}, name="half"
    )
    metadata = half.rename_axis("query_id").reset_index()
    frame = judged.disaggregate(measure, per="pair", by="half", metadata=metadata, baseline="bm25")
    assert list(frame)[:1] == ["half"]
    found = (
        (frame["weight"] * frame["value"])
        .groupby([frame["half"], frame["run_a"]], observed=True)
        .sum()
    )
    prefs = judged.prefer(frame["measure"].iloc[0], baseline="bm25").dropna(subset="value")
    segment = prefs["query_id"].astype(str).map(half).rename("half")
    wanted = prefs.groupby([segment, "run_a"], observed=True)["value"].agg(["mean", "size"])
    np.testing.assert_allclose(found.reindex(wanted.index), wanted["mean"], rtol=0, atol=1e-10)
    n = frame.groupby(["half", "run_a"], observed=True)["n"].agg(["min", "max"])
    assert (n["min"] == n["max"]).all()
    assert n["min"].reindex(wanted.index).tolist() == wanted["size"].tolist()


def test_the_frame_is_tidy_and_sorted(joined):
    frame = joined.disaggregate(["RPP", "AP"])
    assert list(frame) == [
        "query_id",
        "run_a",
        "run_b",
        "measure",
        "population",
        "recall",
        "weight",
        "value",
    ]
    keys = frame.astype({"query_id": str, "measure": str})[
        ["query_id", "measure", "recall"]
    ].values.tolist()
    assert keys == [
        ["q1", "RPP", 1], ["q1", "RPP", 2], ["q1", "RPP", 3], ["q1", "RPP", 1],
        ["q1", "AP", 1], ["q1", "AP", 2], ["q1", "AP", 3],
        ["q2", "RPP", 1], ["q2", "AP", 1],
    ]  # fmt: skip
    assert frame.attrs["queries"] == "relevant"


@pytest.mark.parametrize("choice", [{"baseline": "x"}, {"pairs": [("y", "x")]}])
def test_pairs_may_be_chosen(joined, choice):
    frame = joined.disaggregate("RPP(level=1)", **choice)
    assert frame["value"].tolist() == [-1.0, 0.0, 1.0, -1.0]
    assert (set(frame["run_a"]), set(frame["run_b"])) == ({"y"}, {"x"})


def test_the_level_chooses_the_items(joined):
    assert joined.at(level=2).disaggregate("RPP")["value"].tolist() == [0.0]


@pytest.mark.parametrize(
    ("measures", "level", "text"),
    [
        (
            "F@10",
            None,
            r"F@10 is not a sum over recall levels; disaggregate\(\) supports RPP and its variants, AP, P, R, RBP",
        ),
        ("RPP", 9, "no judged query has an item with a grade of at least 9"),
    ],
)
def test_what_is_no_sum_over_levels_is_refused(joined, measures, level, text):
    with pytest.raises(ValueError, match=text):
        joined.at(level=level).disaggregate(measures)


def test_frames_keep_what_they_rest_on(joined):
    frame = joined.disaggregate("AP")
    assert isinstance(frame, pd.DataFrame)
    assert repr(frame.ireval).startswith("table of contributions of recall levels: 4 rows")
