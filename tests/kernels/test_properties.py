"""What holds for every measure of the catalog: worst and best rankings, promotions, and many lists at once.

A measure is exempt from a property only with its reason in a table here.
"""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pdeval.catalog import ENTRIES, metric, parse
from tests.examples import examples
from tests.kernels.lists import columns, value

NAMES = [
    name
    for name, entry in ENTRIES.items()
    if entry.family == "metric" and entry.kind != "items" and name != "Sampled"
]
CUTOFFS = [
    f"{name}@5" for name in NAMES if ENTRIES[name].at == "k" and "k" in ENTRIES[name].parameters
]
ASKED = [
    *NAMES,
    *CUTOFFS,
    "IPrec@0.5",
    "RR(i=2)",
    "ESL(i=2)",
    "ASL@g1-2",
    "ASL(unretrieved=corpus)",
    "Rprec(mult=2)",
]

UNJUDGED = "an empty ranking holds no unjudged or non-relevant item"
SEEN = "says how much of the ranking was judged; the ideal ranking holds items of negative grade, which were not"
LESS = "retrieving fewer other items beside the relevant ones is better still"
RARE = "a ranking is best that has items of small propensity first, whatever their grades"
COVER = "the best ranking over subtopics is hard to find; the greedy one scores 1, see below"

NO_WORST = {
    **dict.fromkeys(("NumNonrelRet", "Unjudged", "RBPresidual", "Fallout"), UNJUDGED),
    "Utility": "an empty ranking is worth 0, one of other items less",
    "MCC": "an empty ranking has 0, one of other items less",
    **dict.fromkeys(
        ("AUC", "wAUC"),
        "an empty ranking leaves all items tied, one of other items puts these above",
    ),
}
NO_BEST = {
    **dict.fromkeys(("NumRet", "NumNonrelRet"), "counts what was retrieved"),
    **dict.fromkeys(("Judged", "Unjudged", "RBPresidual"), SEEN),
    **dict.fromkeys(
        (
            "P (no cutoff)",
            "F (no cutoff)",
            "Fallout",
            "MCC",
            "Accuracy",
            "SetP",
            "SetF",
            "SetAP",
            "Utility",
            "UDCG",
        ),
        LESS,
    ),
    "ASL": "by the paper's rule a missed item costs the irrelevant items retrieved: fewer of them is better",
    **dict.fromkeys([name for name, entry in ENTRIES.items() if entry.kind == "subtopic"], COVER),
    **dict.fromkeys(
        ("IFT", "IFT-rate"), "gains found sooner keep the reader looking on, past items without any"
    ),
    **dict.fromkeys(("wR", "wDCG", "wAP", "wAUC"), RARE),
}
NO_PROMOTION = {
    **dict.fromkeys(("wR", "wDCG", "wAP", "wAUC"), RARE),
    **dict.fromkeys(
        ("BPM", "BPMD", "IFT", "IFT-goal"), "a little gain may end the search before a better item"
    ),
    "IFT-rate": "gains found sooner keep the reader looking on, past items without any",
    "Accuracy": "among the first k items alone: one that enters last there has others above it, where there was none",
    "infAP": "its estimate of precision rests on judged items alone, and falls when one of them stays behind",
}


def base(name):
    return name.split("@")[0].split("(")[0]


def without(exempt):
    """Return the measures asked for, less the exempt ones; the corpus rule of ASL is never exempt."""
    kept = [
        name for name in ASKED if base(name) not in exempt and f"{name} (no cutoff)" not in exempt
    ]
    return [*kept, "ASL(unretrieved=corpus)"]


def better(name, a, b):
    """Return by how much `a` is better than `b`; equal infinities are equal."""
    if a == b:
        return 0.0
    return a - b if ENTRIES[base(name)].higher else b - a


# a ranking of items a..l, grades of some items a..p, subtopics of the relevant ones
ITEMS = "abcdefghijkl"
RANKINGS = st.tuples(st.permutations(list(ITEMS)), st.integers(2, 12)).map(
    lambda pair: pair[0][: pair[1]]
)
GRADES = st.dictionaries(
    st.sampled_from("abcdefghijklmnop"), st.sampled_from([-1, 0, 0, 1, 2, 3]), min_size=1
)
QUERY_RULES = st.lists(st.sets(st.integers(1, 4), min_size=1), min_size=16, max_size=16)


def judged(grades, topics):
    return {item: topics[i] for i, item in enumerate(sorted(grades)) if grades[item] > 0}


def some_relevant(grades):
    return any(grade > 0 for grade in grades.values())


@pytest.mark.broad
@given(ranking=RANKINGS, grades=GRADES.filter(some_relevant), topics=QUERY_RULES)
@examples(60)
def test_nothing_found_is_worst(ranking, grades, topics):
    options = {"subtopics": judged(grades, topics), "corpus": 40.0}
    for name in without(NO_WORST):
        some, nothing = (value(name, list_, grades, **options) for list_ in (ranking, []))
        assert better(name, some, nothing) >= 0, name


@given(ranking=RANKINGS, grades=GRADES.filter(some_relevant), topics=QUERY_RULES)
@examples(60)
def test_the_ideal_ranking_is_best(ranking, grades, topics):
    options = {"subtopics": judged(grades, topics), "corpus": 40.0}
    ideal = sorted(grades, key=lambda d: (-grades[d], d))
    for name in without(NO_BEST):
        best, other = (value(name, list_, grades, **options) for list_ in (ideal, ranking))
        assert better(name, best, other) >= -1e-12, name


@pytest.mark.parametrize("name", ["alpha-nDCG", "nERR-IA", "nNRBP"])
@given(grades=GRADES.filter(some_relevant), topics=QUERY_RULES, depth=st.integers(1, 20))
@examples(30)
def test_the_greedy_ranking_over_subtopics_scores_one(name, grades, topics, depth):
    subtopics, gain, ideal = judged(grades, topics), {}, []
    left = set(subtopics)
    while left:
        best = max(left, key=lambda d: (sum(gain.get(s, 1.0) for s in subtopics[d]), d))
        left.remove(best)
        ideal.append(best)
        gain.update({s: gain.get(s, 1.0) / 2 for s in subtopics[best]})
    asked = name if name == "nNRBP" else f"{name}@{depth}"
    assert value(asked, ideal, grades, subtopics=subtopics) == pytest.approx(1.0, abs=1e-12)


@pytest.mark.broad
@given(
    where=st.integers(0, 10),
    ranking=RANKINGS,
    grades=GRADES.filter(some_relevant),
    topics=QUERY_RULES,
)
@examples(100)
def test_promoting_a_relevant_item_over_a_worse_one_never_hurts(where, ranking, grades, topics):
    worth = [max(grades.get(item, 0), 0) for item in ranking]
    below_worse = [i for i in range(1, len(ranking)) if worth[i] > worth[i - 1]]
    assume(below_worse)
    at = below_worse[where % len(below_worse)]
    upper, lower, worse = ranking[at - 1], ranking[at], worth[at - 1]
    promoted = [*ranking[: at - 1], lower, upper, *ranking[at + 1 :]]
    options = {"subtopics": judged(grades, topics), "corpus": 40.0}
    for name in without(NO_PROMOTION):
        if worse and ENTRIES[base(name)].kind == "subtopic":
            continue  # the other item is relevant too, perhaps to more subtopics
        after, before = (value(name, list_, grades, **options) for list_ in (promoted, ranking))
        assert better(name, after, before) >= -1e-12, name


@given(
    lists=st.lists(RANKINGS, min_size=4, max_size=4),
    grades=GRADES.filter(some_relevant),
    topics=QUERY_RULES,
)
@examples(15)
def test_many_lists_at_once_equal_each_list_alone_to_the_last_bit(lists, grades, topics):
    # two topics with the same judgments, two runs each: columns of a topic have a last axis of length 1
    lists = [ranking[: 4 * i] for i, ranking in enumerate(lists)]
    for name in ASKED:
        measure = parse(name)
        entry = measure.entry
        made = [
            columns(entry.kind, r, grades, subtopics=judged(grades, topics), corpus=40.0)
            for r in lists
        ]
        alone = [
            float(entry.kernel(*[one[c] for c in entry.columns], **measure.parameters))
            for one in made
        ]
        together = entry.kernel(
            *[stacked(made, column) for column in entry.columns], **measure.parameters
        )
        assert np.broadcast_to(together, (2, 2)).ravel().tolist() == alone, name


def stacked(made, column):
    values = [np.asarray(one[column]) for one in made]
    if column == "top_grade":
        return values[0]
    if column in ("ideal", "belongs", "nonrelevant", "corpus", "relevants", "subtopics"):
        return np.stack(values[:2], axis=-1)[..., None]
    return np.stack(values, axis=-1).reshape(*values[0].shape, 2, 2)


PADDING = {
    "rank": math.inf,
    "above": math.inf,
    "pooled": math.inf,
}  # and 0 in every other column of items


def check_padding(name, ranking, grades, more):
    """Compare one list alone with the same list in a block of topics with more items, as the evaluator makes it."""
    measure = parse(name)
    entry = measure.entry
    held = columns(entry.kind, ranking, grades, corpus=40.0)
    m = len(held["rank"])
    filled = {
        column: np.concatenate([one, np.full(more, PADDING.get(column, 0), dtype=one.dtype)])[
            :, None, None
        ]
        for column, one in held.items()
        if np.ndim(one) == 1
    }
    given = [filled.get(column, held[column]) for column in entry.columns]
    own = {"m": np.full((1, 1), m)} if entry.asks_m else {}
    found = np.broadcast_to(entry.kernel(*given, **own, **measure.parameters), (1, 1)).item()
    alone = float(entry.kernel(*[held[column] for column in entry.columns], **measure.parameters))
    assert found == pytest.approx(alone, rel=1e-14, abs=0), name


@given(ranking=RANKINGS, grades=GRADES.filter(some_relevant), more=st.integers(1, 6))
@examples(40)
def test_a_measure_declared_padded_gives_the_same_beside_topics_with_more_items(
    ranking, grades, more
):
    for name in [
        *ASKED,
        "AP(norm=min)@3",
        "AP(norm=k)@3",
        "F(beta=2)@3",
        "nDCG(gain=exp)@3",
        "nDCG(least=2)",
    ]:
        if parse(name).padded:
            check_padding(name, ranking, grades, more)


def test_padded_measures_have_one_population_and_need_items():
    # the evaluator looks neither for populations nor at empty topics where topics of several sizes share a block
    wrong = [
        name
        for name, one in ENTRIES.items()
        if one.padded and (one.population or one.empty or one.together)
    ]
    assert wrong == []


@pytest.mark.parametrize(
    ("kernel", "grades"),
    [
        (lambda rank: (1.0 / rank).sum(axis=0) / len(rank), {"a": 1, "b": 1}),
        (lambda rank: 1.0 / rank[-1], {"a": 1, "b": 1}),
        (lambda rank, grade: grade.mean(axis=0) / 3, {"a": 1, "b": 3}),
        (lambda rank, m=None: (rank <= rank.shape[0]).mean(axis=0), {"a": 1, "b": 1}),
    ],
)
def test_a_measure_wrongly_declared_padded_is_refused(kernel, grades):
    kernel.__name__ = "Planted"
    metric(padded=True, kind="graded")(kernel)
    try:
        assert 0 <= value("Planted", ["a", "b"], grades) <= 1  # nothing else is wrong with it
        with pytest.raises(AssertionError, match="Planted"):
            check_padding("Planted", ["a", "b"], grades, 2)
    finally:
        del ENTRIES["Planted"]


@pytest.mark.parametrize("name", ASKED)
def test_where_there_are_no_lists_there_are_no_values(name):
    measure = parse(name)
    entry = measure.entry
    grades = {"a": 2, "b": 1, "c": 0, "d": -1}
    made = [
        columns(
            entry.kind, ["a", "c"], grades, subtopics={"a": {"s"}, "b": {"s", "t"}}, corpus=40.0
        )
    ] * 4
    held = [stacked(made, column) for column in entry.columns]
    none = [one[..., :0] if one.ndim and one.shape[-1] == 2 else one for one in held]
    found = entry.kernel(*none, **measure.parameters)
    assert np.broadcast_shapes(np.shape(found), (2, 0)) == (2, 0)


# these compute with the numbers as they are given: doubles, as the evaluator has them
AS_GIVEN = {
    "UDCG",  # whose grades may be negative
    "ESL",
    "ISL",
    "TSL",
    "TSE",
    "infAP",
    "RBPresidual",
    "gRBP",
    "G",
    "BinG",
    "nDCGrel",
    "RnDCG",
}


@pytest.mark.parametrize("kind", [np.float32, np.uint8, list])
@pytest.mark.parametrize("name", [name for name in ASKED if base(name) not in AS_GIVEN])
def test_numbers_may_come_in_any_type_and_are_reckoned_with_as_doubles(name, kind):
    measure = parse(name)
    entry = measure.entry
    grades = {"a": 2, "b": 1, "c": 0, "d": -1, "e": 3, "f": 1}
    topics = {"a": {"s"}, "b": {"s", "t"}, "f": {"t"}}
    held = columns(
        entry.kind, ["c", "a", "x", "f", "b", "e", "d"], grades, subtopics=topics, corpus=40.0
    )
    given = [np.asarray(held[column]) for column in entry.columns]
    if kind is list:
        other = [one.tolist() for one in given]
    else:
        other = [one if one.dtype == bool else one.astype(kind) for one in given]
    found = np.asarray(entry.kernel(*other, **measure.parameters))
    assert found.dtype == np.float64
    assert float(found) == float(entry.kernel(*given, **measure.parameters))


@pytest.mark.parametrize("name", ASKED)
def test_no_measure_writes_into_what_it_is_given(name):
    measure = parse(name)
    entry = measure.entry
    grades = {"a": 2, "b": 1, "c": 0, "d": -1, "e": 3, "f": 1}
    topics = {"a": {"s"}, "b": {"s", "t"}, "f": {"t"}}
    held = columns(entry.kind, ["c", "a", "x", "f", "b"], grades, subtopics=topics, corpus=40.0)
    given = [np.array(held[column]) for column in entry.columns]
    for array in given:
        array.setflags(write=False)
    entry.kernel(*given, **measure.parameters)


@given(ranking=RANKINGS, grades=GRADES, topics=QUERY_RULES)
@examples(60)
def test_values_stay_in_the_range_that_the_catalog_states(ranking, grades, topics):
    for name in ASKED:
        low, high = ENTRIES[base(name)].range
        got = value(name, ranking, grades, subtopics=judged(grades, topics))
        if base(name) in ("alpha-nDCG", "nERR-IA", "nNRBP"):
            high = math.inf  # the greedy ideal ranking falls a little short of the best one
        if not some_relevant(grades):
            low = min(low, 0.0)  # a query with nothing to find scores 0
        assert low <= got <= high + 1e-12, name
