"""Power, queries needed and detectable differences against statsmodels and simulation."""

import numpy as np
import pandas as pd
import pytest
import scipy
from scipy import stats
from statsmodels.stats.power import TTestPower

import pdeval
from pdeval.evaluate.cube import Scores
from pdeval.significance.power import (
    detectable_difference,
    power,
    queries_needed,
    sample_size,
    smallest_effect,
    t_power,
)


def cube(values=None):
    values = np.random.default_rng(0).random((2, 20, 4)) if values is None else values
    runs = pd.DataFrame({"run": [f"r{k}" for k in range(values.shape[2])]})
    queries = pd.Index(range(values.shape[1]), name="query_id")
    measures = ("AP", "RR")[: len(values)]
    return Scores(runs, queries, measures, values, np.ones(len(values), bool))


@pytest.mark.parametrize("alpha", [0.05, 0.001, 0.05 / 3081])
@pytest.mark.parametrize("queries", [2, 5, 30, 249])
def test_power_is_that_of_statsmodels(alpha, queries):
    effect = np.array([0.0, 0.05, 0.2, 0.4])
    expected = TTestPower().power(effect, queries, alpha)
    # statsmodels gives NaN where the chance in the wrong direction underflows
    known = ~np.isnan(expected)
    assert known.sum() >= 3
    assert t_power(effect, queries, alpha)[known] == pytest.approx(expected[known], rel=1e-9)


def test_power_stays_a_number_where_the_integral_underflows():
    effect = np.concatenate([np.linspace(0.1, 3, 30), [10, 1e3, np.inf]])
    for queries in (2, 10, 249, 5000):
        got = t_power(effect, queries, 0.01)
        assert (np.diff(got) >= -1e-9).all()
        assert got[-1] == 1.0


@pytest.mark.parametrize("alpha", [0.05, 0.001])
@pytest.mark.parametrize("wanted", [0.5, 0.8, 0.95])
def test_the_queries_needed_are_the_fewest_that_suffice(alpha, wanted):
    effect = np.array([0.03, 0.1, 0.37, 0.8, 1.5, 4.0])
    needed = queries_needed(effect, wanted, alpha)
    assert (t_power(effect, needed, alpha) >= wanted).all()
    more = needed > 2
    assert (t_power(effect[more], needed[more] - 1, alpha) < wanted).all()
    assert more.sum() >= 5


@pytest.mark.parametrize("effect", [1e-8, 1e-9, 1e-12])
def test_the_queries_needed_for_next_to_nothing_are_told_though_no_float_is_exact(effect):
    normal = ((stats.norm.ppf(0.975) + stats.norm.ppf(0.8)) / effect) ** 2
    assert queries_needed(np.array([effect]), 0.8, 0.05)[0] == pytest.approx(normal, rel=1e-4)


def test_the_queries_needed_round_up_the_solution_of_statsmodels():
    exact = TTestPower().solve_power(effect_size=0.25, alpha=0.05, power=0.8)
    assert queries_needed(np.array([0.25]), 0.8, 0.05).tolist() == [np.ceil(exact)]


def test_no_difference_needs_infinitely_many_queries_and_a_sure_one_two():
    assert queries_needed(np.array([0.0, np.inf, -0.5]), 0.8, 0.05).tolist() == [np.inf, 2.0, 34.0]


@pytest.mark.parametrize(
    ("queries", "wanted", "alpha"), [(3, 0.8, 0.05), (50, 0.8, 0.05), (249, 0.9, 0.001)]
)
def test_the_smallest_effect_is_that_of_statsmodels(queries, wanted, alpha):
    expected = TTestPower().solve_power(nobs=queries, alpha=alpha, power=wanted)
    assert smallest_effect(queries, wanted, alpha) == pytest.approx(expected, rel=1e-6)


def test_the_frames_go_through_the_pairs():
    values = cube().values
    d = values[1, :, 0] - values[1, :, 3]
    planned = power(cube(), difference=0.1, n_queries=60)
    assert list(planned.columns) == [
        *(
            "run_a",
            "run_b",
            "measure",
            "n",
            "sd",
            "difference",
            "effect_size",
            "alpha",
            "n_queries",
            "power",
        )
    ]
    assert planned["measure"].tolist() == ["AP"] * 6 + ["RR"] * 6
    row = planned.iloc[8]
    assert (row["run_a"], row["run_b"], row["n"], row["n_queries"]) == ("r0", "r3", 20, 60)
    assert row["sd"] == pytest.approx(d.std(ddof=1))
    assert row["power"] == pytest.approx(
        TTestPower().power(0.1 / d.std(ddof=1), 60, 0.05), rel=1e-9
    )
    observed = sample_size(cube(), baseline="r3").iloc[3]
    assert observed["difference"] == pytest.approx(d.mean())
    assert (
        observed["queries_needed"]
        == queries_needed(np.array([d.mean() / d.std(ddof=1)]), 0.8, 0.05)[0]
    )


def test_a_detectable_difference_is_detected_with_the_wanted_power():
    found = detectable_difference(cube(), power=0.9, n_queries=40)
    assert list(found.columns[3:]) == [
        *("n", "sd", "difference", "alpha", "power", "n_queries", "effect_size", "detectable")
    ]
    back = power(cube(), difference=found["detectable"].iloc[0], n_queries=40)
    assert back["power"].iloc[0] == pytest.approx(0.9, abs=1e-6)


def test_missing_queries_count_for_their_pairs_only():
    values = cube().values.copy()
    values[0, :5, 1] = np.nan
    assert power(cube(values[:1]))["n_queries"].tolist() == [15, 20, 20, 15, 15, 20]
    assert detectable_difference(cube(values[:1]))["effect_size"].nunique() == 2


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: cube().frame().ireval.power(alpha=2),
            "alpha=2: expected a fraction between 0 and 1",
        ),
        (
            lambda: cube().frame().ireval.power.sample_size(power=80),
            "power=80: expected a fraction between 0 and 1; 80% is 0.8",
        ),
        (lambda: power(cube(), n_queries=1), "n_queries=1: expected an integer of at least 2"),
        (
            lambda: detectable_difference(cube(), power=0.01),
            "power=0.01: expected a probability above alpha=0.05",
        ),
    ],
)
def test_impossible_plans_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_the_power_is_the_share_of_simulated_experiments_that_find_the_difference():
    from pdeval.significance.paired_tests import student

    D = np.random.default_rng(0).normal(0.4, 1.0, size=(30, 4000))
    share = (student(D).p_value < 0.05).mean()
    assert share == pytest.approx(
        t_power(np.array([0.4]), 30, 0.05)[0], abs=4 * np.sqrt(0.25 / 4000)
    )


@pytest.mark.broad
def test_the_queries_needed_are_the_fewest_also_where_the_normal_approximation_asks_for_more():
    effect = np.array([0.72, 0.5, 0.3, 0.1])
    number = np.arange(2, 400)
    enough = np.stack([t_power(effect, int(one), 0.9) >= 0.95 for one in number])
    fewest = number[enough.argmax(axis=0)]
    assert queries_needed(effect, 0.95, 0.9).tolist() == fewest.tolist()
    assert fewest[0] == 3


def test_a_power_of_no_more_than_alpha_is_had_with_any_two_queries():
    assert queries_needed(np.array([0.0, 0.3]), 0.05, 0.05).tolist() == [2.0, 2.0]
    assert queries_needed(np.array([0.0, 0.3]), 0.04, 0.05).tolist() == [2.0, 2.0]


@pytest.mark.filterwarnings(
    "ignore:divide by zero encountered in _nct_:RuntimeWarning"
)  # of scipy 1.13
@pytest.mark.parametrize("queries", [2, 3, 5, 12])
def test_great_effects_of_few_queries_have_the_power_of_the_noncentral_t(queries):
    effect = np.concatenate([np.linspace(0.5, 40, 30), [42.5, 43.5]])
    shift, critical = effect * np.sqrt(queries), stats.t.ppf(0.975, queries - 1)
    wrong = np.nan_to_num(
        stats.nct.cdf(-critical, queries - 1, shift)
    )  # scipy gives NaN where it underflows
    expected = stats.nct.sf(critical, queries - 1, shift) + wrong
    # scipy.special's own noncentral t, which power rests on, is exact to 1e-6 only in earlier versions
    newer = tuple(map(int, scipy.__version__.split(".")[:2])) >= (1, 17)
    assert t_power(effect, queries, 0.05) == pytest.approx(expected, abs=1e-7 if newer else 2e-6)


@pytest.mark.broad
def test_the_queries_needed_are_those_that_counting_up_finds():
    effect = np.array([0.0, 0.28, 0.3, 0.45, 0.8, 1.7, 3.0, 9.0, 40.0])
    number = np.arange(2, 400)
    for wanted, alpha in ((0.8, 0.05), (0.5, 0.2), (0.99, 0.01)):
        enough = np.stack([t_power(effect, int(one), alpha) >= wanted for one in number])
        fewest = np.where(enough.any(axis=0), number[enough.argmax(axis=0)], np.inf)
        assert queries_needed(effect, wanted, alpha).tolist() == fewest.tolist()


def test_whole_numbers_are_effects_too_and_the_smallest_effect_may_be_above_one():
    assert (
        queries_needed([1, 0, -2], 0.8, 0.05).tolist()
        == queries_needed([1.0, 0.0, -2.0], 0.8, 0.05).tolist()
    )
    assert t_power([1, 2], [5, 9], 0.05).tolist() == t_power([1.0, 2.0], [5.0, 9.0], 0.05).tolist()
    for queries, wanted in ((2, 0.9), (3, 0.99), (4, 0.3), (9, 0.06), (400, 0.051)):
        found = smallest_effect(queries, wanted, 0.05)
        assert t_power(np.array([found]), queries, 0.05)[0] == pytest.approx(wanted, abs=1e-8)


@pytest.mark.parametrize("plan", [power, sample_size, detectable_difference])
def test_a_plan_keeps_what_is_known_of_the_scores_and_names_pairs_of_too_few_queries(plan):
    one = cube()
    known = Scores(
        one.runs, one.queries, one.measures, one.values, one.higher, {"level": 2, "ties": "docid"}
    )
    assert {"level": 2, "ties": "docid"}.items() <= plan(known).attrs.items()
    values = one.values.copy()
    values[1, 1:, 2] = np.nan
    with pytest.raises(
        ValueError,
        match=r"3 pairs have fewer than two common queries for 'RR', e\.g\. .*r0.*r2.* with 1\.",
    ):
        plan(cube(values))


@pytest.mark.parametrize("alpha", [0.5, 0.9])
def test_many_queries_find_nothing_more_often_than_alpha_where_there_is_nothing(alpha):
    assert t_power(np.array([0.0]), 5000, alpha) == pytest.approx([alpha], rel=1e-9)
    far = stats.norm.ppf(1 - alpha / 2)
    wanted = stats.norm.sf(far - 0.02 * np.sqrt(5000)) + stats.norm.cdf(-far - 0.02 * np.sqrt(5000))
    assert t_power(np.array([0.02]), 5000, alpha) == pytest.approx([wanted], abs=1e-4)


def test_two_queries_may_be_planned_and_a_power_of_alpha_may_not():
    assert (
        set(power(cube(), n_queries=2)["n_queries"])
        == set(detectable_difference(cube(), n_queries=2)["n_queries"])
        == {2}
    )
    with pytest.raises(ValueError, match=r"power=0\.05: expected a probability above alpha=0\.05"):
        detectable_difference(cube(), power=0.05)
    with pytest.raises(ValueError, match="n_queries=1: expected an integer of at least 2"):
        detectable_difference(cube(), n_queries=1)


def test_three_queries_are_needed_where_two_are_too_few():
    effect = np.array([4.0, 5.0, 12.0, 20.0, 30.0])
    enough = np.stack([t_power(effect, number, 0.05) >= 0.8 for number in (2, 3, 4, 5)])
    fewest = np.array([2, 3, 4, 5])[enough.argmax(axis=0)]
    assert 3 in fewest
    assert queries_needed(effect, 0.8, 0.05).tolist() == fewest.tolist()


@pytest.mark.parametrize("queries", [2, 3, 4, 7, 8])
def test_queries_that_reach_the_wanted_power_exactly_are_enough(queries):
    wanted = t_power(np.array([0.9]), queries, 0.05)[0]
    assert queries_needed(np.array([0.9]), wanted, 0.05).tolist() == [queries]


@pytest.mark.parametrize("option", [{"power": 1.5}, {"alpha": -0.1}])
def test_chances_beyond_one_or_below_nothing_are_refused(option):
    judged = pdeval.datasets.sample_judged(queries="common")
    with pytest.raises(ValueError, match=next(iter(option))):
        judged.power.detectable_difference("AP", n_queries=100, **option)
