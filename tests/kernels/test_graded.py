"""Graded relevance: the lecture slides' numbers, and plain loops over the grades of a list."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdeval import kernels as metrics
from pdeval.kernels.graded import Gains, read_base, read_gains
from tests.examples import examples
from tests.kernels.lists import value

# grades of a list from the top (None: unjudged), and grades of judged items that it misses
LISTS = st.tuples(
    st.lists(st.sampled_from([None, -1, 0, 1, 2, 3]), min_size=1, max_size=15),
    st.lists(st.sampled_from([0, 1, 2, 4]), max_size=4),
).filter(lambda pair: any(grade and grade > 0 for grade in pair[0] + pair[1]))


def measured(name, listed, missed):
    ranking = [f"d{i:02}" for i in range(len(listed))]
    grades = {d: grade for d, grade in zip(ranking, listed) if grade is not None}
    grades.update({f"m{i:02}": grade for i, grade in enumerate(missed)})
    return value(name, ranking, grades)


def gained(listed, missed):
    """Return the positive gains down the list, and those of the ideal ranking."""
    down = [max(grade or 0, 0) for grade in listed]
    return down, sorted((grade for grade in down + missed if grade > 0), reverse=True)


def test_dcg_of_the_lecture_slides_at_every_cutoff():
    grades = [3, 2, 3, 0, 0, 1, 2, 2, 3, 0]
    printed = [3, 5, 6.89, 6.89, 6.89, 7.28, 7.99, 8.66, 9.61, 9.61]
    values = [measured(f"DCG(discount=jk)@{k}", grades, []) for k in range(1, 11)]
    assert np.round(values, 2).tolist() == printed


def test_ndcg_of_the_lecture_slides():
    assert measured("nDCG(discount=jk)", [2, 1, 2, 0], []) == pytest.approx(0.9203, abs=5e-5)
    assert measured("DCG(discount=jk)", [4, 2, 0, 1], []) == 6.5
    assert measured("DCG(discount=jk)", [4, 2, 1, 0], []) == pytest.approx(6.63, abs=5e-3)
    assert measured("nDCG(discount=jk)", [4, 2, 0, 1], []) == pytest.approx(0.98, abs=5e-3)


@given(LISTS)
@examples(60)
def test_any_discount_is_the_loop_of_its_definition(pair):
    down, ideal = gained(*pair)
    divisors = {
        "discount=zipf": lambda rank: rank,
        "discount='1/r'": lambda rank: rank,
        "base=10": lambda rank: math.log10(rank + 1),
        "discount=jk,base=10": lambda rank: max(1.0, math.log10(rank)),
        "discount=jk,base=3": lambda rank: max(1.0, math.log(rank, 3)),
    }
    for said, divide in divisors.items():
        for k in (1, 3, 100):
            dcg, best = (
                sum(g / divide(i) for i, g in enumerate(one[:k], start=1)) for one in (down, ideal)
            )
            assert measured(f"DCG({said})@{k}", *pair) == pytest.approx(dcg, rel=1e-12, abs=1e-12)
            assert measured(f"nDCG({said})@{k}", *pair) == pytest.approx(dcg / best, abs=1e-12)


def test_the_base_of_log_of_rank_and_one_changes_the_unit_of_dcg_and_nothing_of_ndcg():
    grades = [3, 0, 2, 1]
    assert measured("DCG(base=10)", grades, [2]) == pytest.approx(
        measured("DCG", grades, [2]) * math.log2(10)
    )
    assert measured("nDCG(base=10)", grades, [2]) == pytest.approx(measured("nDCG", grades, [2]))
    assert measured("nDCG(base=2)", grades, [2]) == measured("nDCG", grades, [2])


@pytest.mark.parametrize("base", [1, 0, -2, "e", True])
def test_a_base_that_has_no_logarithm_is_refused(base):
    with pytest.raises(
        ValueError, match=r"base=.* the base of the logarithm must be a number above 1"
    ):
        measured(f"DCG(base={base})", [1], [])


@given(LISTS)
@examples(60)
def test_ndcg_is_the_loop_of_its_definition(pair):
    down, ideal = gained(*pair)
    for gain, of in (("linear", float), ("exp", lambda grade: 2.0**grade - 1)):
        for k in (1, 3, 100):
            dcg = sum(of(g) / math.log2(i + 2) for i, g in enumerate(down[:k]))
            best = sum(of(g) / math.log2(i + 2) for i, g in enumerate(ideal[:k]))
            assert measured(f"nDCG(gain={gain})@{k}", *pair) == pytest.approx(dcg / best, abs=1e-12)
            assert measured(f"CG(gain={gain})@{k}", *pair) == pytest.approx(
                sum(map(of, down[:k])), abs=1e-12
            )


def test_the_ideal_ranking_is_not_cut_at_the_length_of_the_run():
    assert measured("nDCG", [1], [1]) == pytest.approx(1 / (1 + 1 / math.log2(3)))


def test_the_level_does_not_touch_gains():
    grades = {"A": 1, "B": 2}
    assert value("nDCG", ["A", "B"], grades, level=2) == value("nDCG", ["A", "B"], grades)


def test_gains_by_grade_replace_only_those_listed_and_order_the_ideal_ranking():
    assert Gains(gains={2: 9}).of(np.array([1.0, 2.0, 3.0])).tolist() == [1.0, 9.0, 3.0]
    assert Gains(gains={2: 9, 1: -1}).ideal(np.array([3.0, 2.0, 1.0])).tolist() == [9.0, 3.0, 0.0]
    assert measured("nDCG(gains={1:3,2:1})", [1, 2], []) == 1.0
    assert measured("ndcg_1=3,2=1", [2, 1], []) < 1.0


@given(LISTS)
@examples(60)
def test_expected_reciprocal_rank_is_the_loop_of_its_definition(pair):
    down, ideal = gained(*pair)

    def err(grades, top, k):
        still, value = 1.0, 0.0
        for i, grade in enumerate(grades[:k], start=1):
            stop = (2.0**grade - 1) / 2.0**top
            value, still = value + still * stop / i, still * (1 - stop)
        return value

    top = max(ideal)
    for k in (1, 5, 100):
        assert measured(f"ERR@{k}", *pair) == pytest.approx(err(down, top, k), abs=1e-12)
        assert measured(f"ERR(max_grade=4)@{k}", *pair) == pytest.approx(err(down, 4, k), abs=1e-12)
        assert measured(f"nERR@{k}", *pair) == pytest.approx(
            err(down, top, k) / err(ideal, top, k), abs=1e-12
        )


@given(LISTS)
@examples(60)
def test_q_measure_is_the_loop_of_its_definition(pair):
    down, ideal = gained(*pair)
    value, count, gain = 0.0, 0, 0.0
    for rank, grade in enumerate(down, start=1):
        if grade > 0:
            count, gain = count + 1, gain + grade
            value += (count + gain) / (rank + sum(ideal[:rank]))
    assert measured("Q", *pair) == pytest.approx(value / len(ideal), abs=1e-12)
    assert measured("Q(beta=0)", *pair) == pytest.approx(measured("AP", *pair), abs=1e-12)


def test_q_measure_counts_items_at_the_level_only():
    grades = {"A": 1, "B": 2}
    # B is the one relevant item, at rank 2: C = 1, cg = 3, cg* = 3
    assert value("Q", ["A", "B"], grades, level=2) == pytest.approx((1 + 3) / (2 + 3))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("gRBP(p=0.5)", 0.5 * (1 / 4 + 2 / 4 / 4)),  # a missed item has the largest grade, 4
        ("gRBP(p=0.5,max_grade=2)", 0.5 * (1 / 2 + 2 / 2 / 4)),
        ("gRBP(p=0.5,max_grade=1)", 0.5 * (1 + 1 / 4)),
        ("gRBP(p=0.5)@2", 0.5 * 1 / 4),
        ("rbp", 0.1 * (1 / 4 + 0.81 * 2 / 4)),
    ],
)
def test_graded_rank_biased_precision_by_hand(name, expected):
    assert measured(name, [1, 0, 2], [4]) == pytest.approx(expected, abs=1e-15)


def test_graded_rank_biased_precision_scales_by_the_qrels_or_by_the_query():
    grades = {"A": 2}
    assert value("gRBP(p=0.5)", ["A"], grades, top_grade=4) == 0.25
    assert value("gRBP(p=0.5,max_grade=topic)", ["A"], grades, top_grade=4) == 0.5
    with pytest.raises(ValueError, match="max_grade='query' must be a number or 'topic'"):
        value("gRBP(max_grade=query)", ["A"], grades)


def stepwise(down, ideal):
    """Return trec_eval's Rndcg, ndcg_rel and G by going down the list, rank by rank."""
    depth = max(len(down), len(ideal))
    down, best = down + [0] * (depth - len(down)), ideal + [0] * (depth - len(ideal))
    dcg = np.cumsum([g / math.log2(i + 2) for i, g in enumerate(down)])
    idcg = np.cumsum([g / math.log2(i + 2) for i, g in enumerate(best)])
    ratio = dcg / idcg
    rel = [ratio[i] for i, g in enumerate(down) if g > 0]
    ndcg_rel = (sum(rel) + (len(ideal) - len(rel)) * ratio[-1]) / len(ideal)
    cost = np.cumsum([max(g, 1) for g in best])
    g = sum(
        g / math.log2(2 + cost[i] - sum(down[: i + 1])) for i, g in enumerate(down) if g > 0
    ) / sum(ideal)
    steps = [i for i in range(len(ideal)) if i + 1 == len(ideal) or ideal[i] != ideal[i + 1]]
    return ndcg_rel, g, [ratio[i] for i in steps], ratio[-1]


@given(LISTS)
@examples(80)
def test_gain_level_measures_are_the_walk_down_the_list(pair):
    down, ideal = gained(*pair)
    ndcg_rel, g, at_steps, at_end = stepwise(down, ideal)
    if len(down) > len(ideal) + 1:
        at_steps = [*at_steps, at_end]
    assert measured("ndcg_rel", *pair) == pytest.approx(ndcg_rel, abs=1e-12)
    assert measured("G", *pair) == pytest.approx(g, abs=1e-12)
    assert measured("Rndcg", *pair) == pytest.approx(sum(at_steps) / len(at_steps), abs=1e-12)


def test_rndcg_alone_looks_at_the_level():
    grades = {"A": 1, "B": 1}
    assert value("Rndcg", ["A", "B"], grades, level=2) == 0.0
    assert (
        value("ndcg", ["A", "B"], grades, level=2)
        == value("ndcg_rel", ["A", "B"], grades, level=2)
        == 1.0
    )


def test_binary_grades_make_g_the_binary_g():
    assert measured("G", [0, 1, 0, 1], [1]) == pytest.approx(measured("binG", [0, 1, 0, 1], [1]))


def test_nothing_found_raises_no_warning():
    nowhere, grades = np.full((2, 1), math.inf), np.array([[2.0], [1.0]])
    with np.errstate(divide="raise", invalid="raise"):
        for kernel in (metrics.nDCG, metrics.nDCGrel, metrics.G):
            assert kernel(nowhere, grades, grades).tolist() == [0.0]
        assert metrics.RnDCG(
            nowhere, grades, grades, np.array([5.0]), np.array([2.0])
        ).tolist() == [0.0]
        assert metrics.ERR(nowhere, grades, 2.0).tolist() == [0.0]


@pytest.mark.broad
def test_a_grade_whose_exponential_gain_no_number_holds_is_refused():
    ranks, most = np.array([1.0]), np.array([1023.0])
    assert float(metrics.CG(ranks, most, gain="exp")) == 2.0**1023
    text = (
        "grade 1024 has an exponential gain of 2.1024, which is too large for a float; "
        "the largest possible grade is 1023"
    )
    for measure in ("CG(gain=exp)", "DCG(gain=exp)", "nDCG(gain=exp)@10", "ERR", "nERR"):
        runs = pd.DataFrame({"run": ["x"], "query_id": "1", "doc_id": "a", "score": 1.0})
        qrels = pd.DataFrame({"query_id": ["1"], "doc_id": "a", "relevance": [1024]})
        with pytest.raises(ValueError, match=text):
            runs.ireval.measure(qrels, measure)
        assert (runs.ireval.measure(qrels.assign(relevance=1000), measure)["value"] > 0).all()


def test_the_end_of_a_run_counts_one_item_beyond_the_last_positive_gain():
    # a grade of 1 is worth nothing: the ideal ranking has one gain, of 2; the run has it at rank 2
    ranks, grades, ideal = np.array([1.0, 2.0]), np.array([1.0, 2.0]), np.array([2.0, 1.0])
    at_the_end = 1 / math.log2(3)  # 2 / log2(3), over an ideal 2; the cutoff at 1 adds nothing
    for retrieved, wanted in ((2, 0.0), (3, at_the_end / 2)):
        assert float(
            metrics.RnDCG(ranks, grades, ideal, retrieved, 2, gains={1: 0})
        ) == pytest.approx(wanted)


def test_grade_0_has_a_gain_where_gains_say_so_but_none_where_relevance_counts():
    grade = np.array([0.0, 1.0, 2.0])
    assert Gains("linear", {0: 0.5}).of(grade).tolist() == [0.5, 1.0, 2.0]
    assert Gains("exp", {0: 0.5, 2: 9}).of(grade).tolist() == [0.5, 1.0, 9.0]
    assert Gains("binary", {0: 0, 2: 9}).of(grade).tolist() == [0.0, 1.0, 9.0]
    with pytest.raises(
        ValueError,
        match=r"gains=\{0: 0.5\} gives a gain to grade 0, which is never relevant, but gain='binary' counts relevant",
    ):
        Gains("binary", {0: 0.5}).of(grade)


def test_negative_grades_have_no_gain():
    for gains in ({0: 0, -1: 0, 2: 5}, {0: 1}):
        assert read_gains(gains, "nDCG") == gains
    with pytest.raises(
        ValueError, match="gives a gain to grade -2, but items of negative grade are unjudged"
    ):
        read_gains({-2: 0.5, 1: 1}, "nDCG")


RANK = np.array(
    [[1.0, 2.0, 4.0, math.inf], [3.0, 5.0, math.inf, math.inf], [6.0, math.inf, math.inf, math.inf]]
)
GRADE = np.array([[1.0, 3.0, 2.0, 1.0], [2.0, 0.0, 1.0, 3.0], [3.0, 2.0, 1.0, 1.0]])
WORTH = {
    "linear": ({}, lambda g: g),
    "exp": ({"gain": "exp"}, lambda g: 2**g - 1),
    "binary": ({"gain": "binary"}, lambda g: float(g > 0)),
    "gains": ({"gains": {0: 0.5, 1: 4.0}}, lambda g: {0.0: 0.5, 1.0: 4.0}.get(g, g)),
    "least": (
        {"gain": "exp", "gains": {2: 9.0}, "least": 2.0},
        lambda g: {2.0: 9.0, 3.0: 7.0}.get(g, 0.0),
    ),
}
DIVIDED = {
    "log2(r+1)": lambda f, base: math.log(f + 1, base),
    "jk": lambda f, base: max(1.0, math.log(f, base)),
    "zipf": lambda f, base: f,
}


@pytest.mark.parametrize("discount", DIVIDED)
@pytest.mark.parametrize("worth", WORTH)
@pytest.mark.parametrize(("k", "base"), [(math.inf, 2.0), (3, 2.0), (4, 3.0)])
def test_many_lists_are_added_up_one_by_one(worth, discount, k, base):
    options, of = WORTH[worth]
    ideal = -np.sort(-GRADE, axis=0)
    told = {**options, "discount": discount, "base": base, "k": k}
    plain, found = metrics.CG(RANK, GRADE, **options, k=k), metrics.DCG(RANK, GRADE, **told)
    share = metrics.nDCG(RANK, GRADE, ideal, **told)
    for at in range(4):
        items = [(f, of(g)) for f, g in zip(RANK[:, at], GRADE[:, at]) if f <= k and f < math.inf]
        best = sorted(map(of, GRADE[:, at].tolist()), reverse=True)[: int(min(k, 3))]
        dcg = sum(g / DIVIDED[discount](f, base) for f, g in items)
        wanted = sum(g / DIVIDED[discount](f, base) for f, g in enumerate(best, start=1))
        assert plain[at] == pytest.approx(sum(g for _, g in items))
        assert found[at] == pytest.approx(dcg)
        assert share[at] == pytest.approx(dcg / wanted)
    one = [part[:, 0].astype(int).tolist() for part in (RANK, GRADE, ideal)]
    assert float(metrics.nDCG(*one, **told)) == pytest.approx(share[0])


@pytest.mark.parametrize(("k", "beta"), [(math.inf, 1.0), (3, 2.0), (1, 0.0)])
def test_q_of_many_lists_is_added_up_one_by_one(k, beta):
    ideal, relevant = -np.sort(-GRADE, axis=0), GRADE >= 2
    found = metrics.Q(RANK, GRADE, ideal, relevant, relevant.sum(axis=0), beta=beta, k=k)
    for at in range(4):
        value, count, gain = 0.0, 0, 0.0
        for f, g in zip(RANK[:, at], GRADE[:, at]):
            count, gain = count + (g >= 2), gain + g
            if g >= 2 and f <= k and f < math.inf:
                value += (count + beta * gain) / (f + beta * ideal[: int(f), at].sum())
        assert found[at] == pytest.approx(
            value / relevant[:, at].sum() if relevant[:, at].any() else 0.0
        )
    folded = metrics.Q(
        RANK.reshape(3, 2, 2),
        GRADE.reshape(3, 2, 2),
        ideal[:, :1, None],
        relevant.reshape(3, 2, 2),
        2,
        beta=beta,
        k=k,
    )
    alone = metrics.Q(RANK[:, 0], GRADE[:, 0], ideal[:, 0], relevant[:, 0], 2, beta=beta, k=k)
    assert folded[0, 0] == pytest.approx(float(alone))


@pytest.mark.parametrize(
    "value", ["1=3=4", "x", 5, None, {"a": 1}, {1: "x"}, {1: math.inf}, {1: math.nan}, "1=inf"]
)
def test_gains_are_numbers_by_grade(value):
    with pytest.raises(ValueError, match=r"must be a gain for each grade, e\.g\. \{1:3,2:9\}"):
        read_gains(value, "nDCG")


def test_whole_numbers_are_written_whole_and_others_as_they_are():
    found = read_gains({0.5: "3", "2": 4.5, 0: -1}, "nDCG")
    assert found == {0.5: 3, 2: 4.5, 0: -1}
    assert [type(number) for pair in found.items() for number in pair] == [
        float,
        int,
        int,
        float,
        int,
        int,
    ]


def test_the_base_of_a_logarithm_is_above_one_and_a_number():
    assert [read_base(base, "DCG") for base in (1.5, 3)] == [1.5, 3.0]
    assert type(read_base(3, "DCG")) is float
    for base in (1, 1.0, math.inf, math.nan, True, "3"):
        with pytest.raises(ValueError, match=r"the base of the logarithm must be a number above 1"):
            read_base(base, "DCG")
