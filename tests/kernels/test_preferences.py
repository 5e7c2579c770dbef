"""Preferences of two rankings: by hand, against plain definitions, and what must hold for all of them."""

import inspect
import itertools
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pdeval
from pdeval.catalog import ENTRIES, parse
from pdeval.kernels import RR, preferences
from pdeval.kernels.preferences import (
    RPP,
    ST_RPP,
    dcgRPP,
    interleaving,
    invRPP,
    rrLP,
    sgnLP,
    sgnLR,
    unscaled,
    users,
    weights,
)
from pdeval.kernels.preferences import offline_interleaving as OI
from tests.examples import examples

inf = math.inf
NAMES = [name for name, entry in ENTRIES.items() if entry.family == "preference"]


def f(*ranks):
    return np.array(ranks, dtype=float)


@st.composite
def rankings(draw, count=2, most=5, deepest=12):
    """Return `count` rankings of the same m relevant items: item ranks, infinity where not found."""
    m = draw(st.integers(1, most))
    found = []
    for _ in range(count):
        ranks = draw(st.lists(st.integers(1, deepest), min_size=m, max_size=m, unique=True))
        lost = draw(st.lists(st.booleans(), min_size=m, max_size=m))
        found.append(
            np.array([inf if gone else rank for rank, gone in zip(ranks, lost)], dtype=float)
        )
    return found


def call(name, x, y, length=12):
    """Return the preference of two rankings, given the ranks of the same items on both sides."""
    sides = {"x": x, "y": y}
    columns = []
    for column in ENTRIES[name].columns:
        side, _, own = column.partition("_")
        ranks = sides[side]
        columns.append(
            {"": np.sort(ranks), "items": ranks, "retrieved": np.array(float(length))}[own]
        )
    return float(ENTRIES[name].kernel(*columns))


@pytest.mark.parametrize("name", NAMES)
@given(both=rankings())
@examples(40)
def test_a_preference_is_antisymmetric_zero_on_itself_and_within_its_range(name, both):
    x, y = both
    value = call(name, x, y)
    low, high = ENTRIES[name].range
    assert value == -call(name, y, x)
    assert call(name, x, x) == 0
    assert low <= value <= high


@pytest.mark.parametrize("name", NAMES)
@given(both=rankings())
@examples(25)
def test_finding_every_item_sooner_is_never_worse(name, both):
    x, _ = both
    assert call(name, x, x + 1, length=13) >= 0


@given(st.integers(1, 9) | st.just(inf), st.integers(1, 9) | st.just(inf))
def test_with_one_relevant_item_all_recall_paired_preferences_are_the_sign_of_the_difference_in_rr(
    a, b
):
    sign = np.sign(RR(f(a)) - RR(f(b)))
    for kernel in (RPP, dcgRPP, invRPP, ST_RPP, sgnLP, sgnLR):
        assert kernel(f(a), f(b)) == sign


@given(rankings())
def test_rrlp_is_the_difference_in_rr_unless_that_is_zero(both):
    x, y = map(np.sort, both)
    if RR(x) != RR(y):
        assert rrLP(x, y) == RR(x) - RR(y)
    assert np.sign(rrLP(x, y)) == sgnLP(x, y)


@given(rankings(count=3, deepest=6))
def test_lexicographic_preferences_are_transitive(three):
    x, y, z = map(np.sort, three)
    for kernel in (sgnLP, sgnLR):
        if kernel(x, y) >= 0 and kernel(y, z) >= 0:
            assert kernel(x, z) >= 0
            assert (kernel(x, z) > 0) == (kernel(x, y) > 0 or kernel(y, z) > 0)


@given(rankings())
def test_lexicographic_precision_and_recall_mirror_each_other(both):
    x, y = map(np.sort, both)
    assert sgnLR(x, y) == sgnLP(x[::-1], y[::-1])
    assert sgnLP(x, y) == sgnLR(x[::-1], y[::-1])


@given(rankings())
def test_lexicographic_recall_counts_what_was_found_and_then_looks_from_the_end(both):
    x, y = map(np.sort, both)
    found = [int(np.isfinite(side).sum()) for side in (x, y)]
    if found[0] != found[1]:
        wanted = np.sign(found[0] - found[1])
    else:
        differ = [i for i in range(found[0]) if x[i] != y[i]]
        wanted = np.sign(y[differ[-1]] - x[differ[-1]]) if differ else 0
    assert sgnLR(x, y) == wanted


def test_rpp_is_not_transitive():
    x, y, z = f(1, 8, 9), f(2, 4, 10), f(3, 5, 7)
    assert [float(RPP(x, y)), float(RPP(y, z)), float(RPP(z, x))] == pytest.approx(
        [1 / 3, 1 / 3, 1 / 3]
    )


def test_figure_4_of_best_case_retrieval_evaluation():
    # papers/001: equal first positions, f_2 = 8 against f'_2 = 4
    x, y = f(1, 8), f(1, 4)
    assert RR(x) - RR(y) == 0
    assert sgnLP(x, y) == -1
    assert rrLP(x, y) == -1 / 8


def test_the_binary_part_of_the_worked_example():
    # X ranks B, C, D, A and Y ranks A, D, B, C, all but D relevant: methods, section 2
    x, y = f(1, 2, 4), f(1, 3, 4)
    assert RPP(x, y) == pytest.approx(1 / 3, abs=1e-15)
    assert invRPP(x, y) == pytest.approx((1 / 2) / (1 + 1 / 2 + 1 / 3), abs=1e-15)
    third = (1 / math.log2(3)) / (1 + 1 / math.log2(3) + 1 / 2)
    assert dcgRPP(x, y) == pytest.approx(third, abs=1e-15)


def test_items_that_neither_found_are_level_and_one_found_beats_one_lost():
    assert RPP(f(1, inf), f(1, inf)) == 0
    assert RPP(f(1, 900), f(1, inf)) == 0.5
    assert sgnLP(f(inf), f(inf)) == 0
    assert rrLP(f(1, 10), f(1, inf)) == pytest.approx(0.1)


@given(rankings())
def test_kernels_take_many_pairs_at_once(both):
    x, y = map(np.sort, both)
    for kernel in (RPP, dcgRPP, invRPP, sgnLP, sgnLR, rrLP):
        many = kernel(np.stack([x, y, x], axis=1), np.stack([y, x, x], axis=1))
        assert many.tolist() == [kernel(x, y), kernel(y, x), 0.0]


# weights


def test_weights_by_name_by_array_and_by_function_sum_to_one():
    assert weights("uniform", 4).tolist() == [0.25] * 4
    assert weights("inverse", 2).tolist() == pytest.approx([2 / 3, 1 / 3])
    assert weights("dcg", 2).tolist() == pytest.approx(
        [1 / (1 + 1 / math.log2(3)), 1 - 1 / (1 + 1 / math.log2(3))]
    )
    assert weights(np.array([3, 1, 6]), 2).tolist() == [0.75, 0.25]
    assert weights([1, 1, 2], 3).tolist() == [0.25, 0.25, 0.5]
    assert weights(lambda i: 2.0**-i, 2).tolist() == pytest.approx([2 / 3, 1 / 3])
    assert weights(lambda i: 1.0, 2).tolist() == [0.5, 0.5]
    assert weights(lambda levels: levels[::-1], 3).tolist() == pytest.approx(
        [1 / 2, 1 / 3, 1 / 6]
    )  # of all at once
    assert weights("dcg", 0).tolist() == []


@pytest.mark.parametrize(
    ("weight", "text"),
    [
        (
            "linear",
            "weight='linear': choose 'uniform', 'dcg', 'inverse', an array, a mapping or a function",
        ),
        ([1.0, 1.0], "weight= is an array of shape .2,., but a query needs 3 weights"),
        (np.ones((3, 2)), "array of shape .3, 2."),
        ([1.0, -1.0, 1.0], "must not be negative or NaN, found -1"),
        ([1.0, math.nan, 1.0], "must not be negative or NaN"),
        (
            [0.0, 0.0, 0.0],
            "weights of the first 3 recall levels sum to 0; the sum must be positive and finite",
        ),
        ([1.0, math.inf, 1.0], "sum to inf"),
        (lambda i: -i, "must not be negative"),
        (lambda i: 0 * i, "sum to 0"),
    ],
)
def test_weights_that_weigh_nothing_are_refused(weight, text):
    with pytest.raises(ValueError, match=text):
        weights(weight, 3)


def test_weights_of_ones_own_make_a_preference():
    assert RPP(f(1, 4), f(2, 3), weight=[3, 1]) == 0.5
    assert parse("RPP", weight=[3, 1]).label == "RPP(weight=[3,1])"


# interleaving


def naive_interleaving(x, y, length, user):
    p = [1.0 if user == "uniform" else 1 / math.log2(k + 1) for k in range(1, length + 1)]
    lead = [np.sign((x <= k).sum() - (y <= k).sum()) for k in range(1, length + 1)]
    return sum(w * s for w, s in zip(p, lead)) / sum(p)


@pytest.mark.parametrize("user", ["uniform", "dcg"])
def test_interleaving_preferences_of_many_lists_are_those_of_each_alone(user):
    rng = np.random.default_rng(0)
    x, y = (
        np.sort(
            rng.permuted(np.tile(np.append(np.arange(1.0, 9), inf), (6, 1)), axis=1)[:, :3], axis=1
        ).T
        for _ in "xy"
    )
    lengths = rng.integers(8, 12, (2, 6)).astype(float)
    found = interleaving(x, y, *lengths, user=user)
    alone = [
        naive_interleaving(x[:, at], y[:, at], int(lengths[:, at].max()), user) for at in range(6)
    ]
    assert found.tolist() == pytest.approx(alone)
    assert len(set(found)) > 3


@pytest.mark.parametrize("user", ["uniform", "dcg"])
@given(both=rankings())
@examples(60)
def test_the_interleaving_preference_is_the_mean_sign_over_cutoffs(user, both):
    x, y = both
    value = interleaving(np.sort(x), np.sort(y), np.array(12.0), np.array(9.0), user=user)
    assert value == pytest.approx(naive_interleaving(x, y, 12, user), abs=1e-12)


def test_two_empty_rankings_are_level():
    assert interleaving(f(inf), f(inf), np.array(0.0), np.array(0.0)) == 0
    assert OI(f(inf, inf), f(inf, inf)) == 0


def full_lists(x, y):
    """Return two lists of documents in which relevant item i stands at ranks x[i] and y[i]."""
    lists = []
    for side, ranks in (("x", x), ("y", y)):
        length = int(max([12, *ranks[np.isfinite(ranks)]]))
        docs = [f"noise {side}{place}" for place in range(length)]
        for item, rank in enumerate(ranks):
            if np.isfinite(rank):
                docs[int(rank) - 1] = item
        lists.append(docs)
    return lists


def balanced(first, second):
    """Return the balanced interleaving of two lists, `first` having the first turn."""
    mixed = []
    for doc in itertools.chain.from_iterable(itertools.zip_longest(first, second)):
        if doc is not None and doc not in mixed:
            mixed.append(doc)
    return mixed


def one_interleaving(x, y, user):
    """Return the expected sign of x's credit less y's by building the interleaving in which x goes first."""
    a, b = full_lists(x, y)
    clickable = [doc for doc in balanced(a, b) if isinstance(doc, int)]
    value = total = 0.0
    for stop in range(1, len(clickable) + 1):
        clicked = clickable[:stop]
        last = clicked[-1]
        k = min(docs.index(last) + 1 for docs in (a, b) if last in docs)
        credit = [sum(doc in docs[:k] for doc in clicked) for docs in (a, b)]
        weight = 1.0 if user == "uniform" else 1 / math.log2(stop + 1)
        value += weight * np.sign(credit[0] - credit[1])
        total += weight
    return value / total if total else 0.0


@pytest.mark.parametrize("user", ["uniform", "dcg"])
@given(both=rankings())
@examples(80)
def test_offline_interleaving_is_what_building_both_interleavings_gives(user, both):
    x, y = both
    found = (one_interleaving(x, y, user) - one_interleaving(y, x, user)) / 2
    assert OI(x, y, user=user, over="found") == pytest.approx(found, abs=1e-12)
    # by default the user may want items that neither list holds, and is then indifferent
    held = len([one for one in zip(x, y) if min(one) < inf])
    mass = [1.0 if user == "uniform" else 1 / math.log2(j + 1) for j in range(1, len(x) + 1)]
    assert OI(x, y, user=user) == pytest.approx(found * sum(mass[:held]) / sum(mass), abs=1e-12)


def test_every_preference_is_documented_with_its_source():
    for name in NAMES:
        assert ENTRIES[name].reference, name
        assert "Examples" in inspect.getdoc(ENTRIES[name].kernel), name
    assert set(NAMES) >= {
        "RPP",
        "dcgRPP",
        "invRPP",
        "ST-RPP",
        "ST-dcgRPP",
        "ST-invRPP",
        "sgnLP",
        "rrLP",
        "sgnLR",
    }
    assert preferences.RPP_PAPER in ENTRIES["OI"].reference


def test_a_function_of_one_level_weighs_as_one_of_all_levels():
    def one(i):
        return 1.0 if i < 3 else 1 / math.log2(i)

    all_at_once = weights(lambda i: np.where(i < 3, 1.0, 1 / np.log2(np.maximum(i, 2))), 5)
    assert weights(one, 5).tolist() == all_at_once.tolist()


@pytest.mark.parametrize(
    "given", [{1: 0, 2: 0}, {1: -1, 2: 3}, {1: "x"}, {1: math.inf}, {1: math.nan, 2: 1}, {}]
)
def test_weights_of_users_are_numbers_none_negative_not_all_zero(given):
    with pytest.raises(
        ValueError, match=r"weights of users must be non-negative numbers, not all 0\."
    ):
        users(given, "RPP(grades=...)")


def test_weights_of_users_may_be_zero_for_some():
    assert users({1: 0, 2: np.float32(0.5)}, "") == {1: 0, 2: 0.5}


@pytest.mark.parametrize("name", NAMES)
def test_where_there_are_no_pairs_there_are_no_preferences(name):
    entry = ENTRIES[name]
    if entry.population == "subtopics":
        pytest.skip("its users are made by the evaluator")
    held = {"retrieved": np.zeros((2, 0))}
    given = [
        held.get(column.removeprefix("x_").removeprefix("y_"), np.zeros((3, 2, 0)))
        for column in entry.columns
    ]
    assert np.shape(entry.kernel(*given)) == (2, 0)


@pytest.mark.parametrize("kind", [np.float32, np.uint8, list])
@pytest.mark.parametrize("name", NAMES)
def test_ranks_may_come_in_any_type_and_are_reckoned_with_as_doubles(name, kind):
    entry = ENTRIES[name]
    if entry.population == "subtopics":
        pytest.skip("its users are made by the evaluator")
    if (name, kind) == ("rrLP", np.float32):
        pytest.skip("it is computed with the numbers that it is given")
    sides = {"x": np.array([1.0, 4.0, 6.0]), "y": np.array([2.0, 3.0, 7.0])}
    held = {"retrieved": np.array(9.0)}
    given = [held.get(column[2:], sides[column[0]]) for column in entry.columns]
    other = [one.tolist() if kind is list else one.astype(kind) for one in given]
    found = np.asarray(entry.kernel(*other))
    assert found.dtype == np.float64
    assert float(found) == float(entry.kernel(*given))


@pytest.mark.parametrize("user", ["uniform", "dcg"])
def test_interleaving_no_pairs_gives_no_preferences_for_any_user(user):
    none, lists = np.zeros((3, 0)), np.zeros(0)
    assert interleaving(none, none, lists, lists, user=user).shape == (0,)
    assert OI(none, none, user=user).shape == (0,)
    ranks = np.array([1.0, 4.0])
    assert float(interleaving(ranks, ranks + 1, np.array(0.0), np.array(0.0), user=user)) == 0.0


def test_weights_by_name_are_what_they_are_called_before_they_are_scaled():
    assert unscaled("uniform", 3).tolist() == [1.0, 1.0, 1.0]
    assert unscaled("dcg", 3).tolist() == [1.0, 1 / math.log2(3), 1 / math.log2(4)]
    assert unscaled("inverse", 3).tolist() == [1.0, 1 / 2, 1 / 3]
    assert unscaled([3, 0, 6, 7], 3).tolist() == [
        3.0,
        0.0,
        6.0,
    ]  # a level of no weight among others
    assert unscaled(lambda i: 2, 3).tolist() == [2.0, 2.0, 2.0]
    for told in (
        [3, 0, 6],
        lambda i: 2,
        lambda i: 2 if i > 1 else 1,
        np.array([1, 2, 3], dtype=np.float32),
    ):
        assert unscaled(told, 3).dtype == np.float64


def test_no_recall_levels_need_no_weights():
    for weight in ("uniform", "dcg", "inverse", [], [1.0], lambda i: i):
        assert weights(weight, 0).tolist() == []


def test_a_mapping_weighs_its_levels_and_a_query_without_them_is_a_tie():
    assert weights({1: 1, 3: 3}, 3).tolist() == [0.25, 0, 0.75]
    assert weights({1: 1, 3: 3}, 2).tolist() == [1, 0]
    assert weights({3: 1}, 2).tolist() == [0, 0]
    for wrong in ({}, {0: 1}, {1: 0}, {"a": 1}):
        with pytest.raises(
            ValueError, match=r"expected \{level: weight, \.\.\.\} with levels from 1"
        ):
            weights(wrong, 2)
    with pytest.raises(ValueError, match=r"must not be negative or NaN, found -1"):
        weights({1: -1, 2: 3}, 2)


# p(k), as a function of the rank, and the same by other means
USER_MODELS = [
    ("uniform", lambda k: 1.0, np.ones(30)),
    ("dcg", lambda k: 1 / math.log2(k + 1), {k: 1 / math.log2(k + 1) for k in range(1, 31)}),
    ("inverse", lambda k: 1 / k, 1 / np.arange(1.0, 31)),
    (
        {1: 0.2, 4: 0.8},
        lambda k: {1: 0.2, 4: 0.8}.get(k, 0.0),
        np.array([0.2, 0, 0, 0.8] + [0] * 26),
    ),
    (lambda k: 0.9**k, lambda k: 0.9**k, np.float64(0.9) ** np.arange(1, 31)),
]


@pytest.mark.parametrize("model", USER_MODELS)
@given(st.lists(st.integers(1, 9), min_size=1, max_size=4, unique=True), st.data())
@examples(20)
def test_interleaving_takes_any_user_model(model, first, data):
    user, chance, same = model
    lists = st.lists(st.integers(1, 9), min_size=0, max_size=len(first), unique=True)
    second = data.draw(lists)
    x = np.array(sorted(first), dtype=float)
    y = np.array([*sorted(second), *[inf] * (len(first) - len(second))])
    ends = np.array(9), np.array(8)
    # equation 2, cutoff by cutoff
    share = [chance(k) for k in range(1, 10)]
    lead = [np.sign((x <= k).sum() - (y <= k).sum()) for k in range(1, 10)]
    expected = sum(p * sign for p, sign in zip(share, lead)) / sum(share)
    for told in (user, chance, same):
        assert interleaving(x, y, *ends, user=told) == pytest.approx(expected, abs=1e-12)
    # offline interleaving: the stopping item instead of the cutoff
    by_uniform = [OI(x, y, user={j: 1.0}) for j in range(1, len(x) + 1)]
    stops = [chance(j) for j in range(1, len(x) + 1)]
    wanted = sum(p * won for p, won in zip(stops, by_uniform)) / sum(stops) if sum(stops) else 0.0
    for told in (user, chance, same):
        assert OI(x, y, user=told) == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize("name", ["I", "OI"])
def test_a_user_model_gives_the_same_in_pairs_of_runs_and_adds_up_by_cell(name):
    judged = pdeval.datasets.sample_judged(queries="common")
    measures = [
        pdeval.parse(name, user=lambda k: 0.9**k, label="patient"),
        pdeval.parse(name, user={k: 0.9**k for k in range(1, 101)}, label="mapped"),
        pdeval.parse(name, user={2: 1.0}, label="second"),
        f"{name}(user=inverse)",
    ]
    pair = {"pairs": [("hybrid", "bm25"), ("ql", "bm25")]}
    values = judged.prefer(measures, **pair)
    wide = values.pivot(index=["query_id", "run_a"], columns="measure", values="value")
    np.testing.assert_allclose(wide["patient"], wide["mapped"], rtol=0, atol=1e-12)
    assert set(wide["second"]) <= {-1.0, -0.5, 0.0, 0.5, 1.0}
    cells = judged.disaggregate(measures, **pair)
    sums = (
        (cells["weight"] * cells["value"])
        .groupby([cells["query_id"], cells["run_a"], cells["measure"]], observed=True)
        .sum()
    )
    expected = values.set_index(["query_id", "run_a", "measure"])["value"]
    np.testing.assert_allclose(sums.reindex(expected.index), expected, rtol=0, atol=1e-12)


def test_an_unknown_user_model_is_refused():
    x = np.array([1.0])
    with pytest.raises(
        ValueError, match=r"user='lazy': choose 'uniform', 'dcg', 'inverse', an array"
    ):
        interleaving(x, x + 1, np.array(3), np.array(3), user="lazy")
    with pytest.raises(
        ValueError, match=r"user='lazy': choose 'uniform', 'dcg', 'inverse', an array"
    ):
        OI(x, x + 1, user="lazy")


def test_p_mrr_is_how_far_items_fell_that_the_changed_instruction_excludes():
    # mteb, tests of calculate_pmrr: document 0 goes from rank 4 to rank 1 (-0.75), and back (0.75)
    original = {"0": 1, "1": 2, "2": 3, "3": 4}
    changed = {"0": 4, "1": 1, "2": 2, "3": 3}
    runs = pd.DataFrame(
        [
            (run, "a", doc, score)
            for run, scores in [("original", original), ("changed", changed)]
            for doc, score in scores.items()
        ],
        columns=["run", "query_id", "doc_id", "score"],
    )
    qrels = pd.DataFrame({"query_id": ["a"], "doc_id": ["0"], "relevance": [1]})
    found = runs.ireval.prefer(qrels, "p-MRR", pairs=[("original", "changed")])
    assert found["value"].tolist() == [-0.75]
    missing = pd.DataFrame({"query_id": "a", "doc_id": ["0", "9"], "relevance": [1, 1]})
    found = runs.ireval.prefer(missing, "p-MRR", pairs=[("changed", "original")])
    # the item that neither retrieved has the rank 5 in both
    assert found["value"].tolist() == [0.375]
