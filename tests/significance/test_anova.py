"""The two-way table against statsmodels."""

import numpy as np
import pandas as pd
import pytest

from pdeval.evaluate.cube import Preferences, Scores, all_pairs
from pdeval.significance.anova import anova, two_way


def cube(values, measures=("AP",)):
    values = np.asarray(values, dtype=float)
    return Scores(
        pd.DataFrame({"run": [f"r{k}" for k in range(values.shape[2])]}),
        pd.Index([f"q{k}" for k in range(values.shape[1])], name="query_id"),
        measures,
        values,
        np.ones(len(measures), bool),
    )


def random_values(measures=1, queries=12, runs=5):
    return np.random.default_rng(0).gamma(2.0, size=(measures, queries, runs))


def test_the_table_is_that_of_statsmodels():
    from statsmodels.formula.api import ols
    from statsmodels.stats.anova import anova_lm

    values = random_values(2)
    result = anova(cube(values, ("AP", "RR")))
    for number, measure in enumerate(("AP", "RR")):
        query, run = np.indices(values[number].shape)
        frame = pd.DataFrame(
            {"query": query.ravel(), "run": run.ravel(), "value": values[number].ravel()}
        )
        expected = anova_lm(ols("value ~ C(run) + C(query)", frame).fit())
        rows = result[result["measure"] == measure].set_index("source")
        for ours, theirs in (("run", "C(run)"), ("query", "C(query)"), ("residual", "Residual")):
            got = rows.loc[ours, ["df", "sum_sq", "mean_sq", "statistic", "p_value"]].to_numpy(
                dtype=float
            )
            assert got == pytest.approx(
                expected.loc[theirs].to_numpy(dtype=float), rel=1e-9, nan_ok=True
            )
        total = ((values[number] - values[number].mean()) ** 2).sum()
        assert rows.loc["total", "sum_sq"] == pytest.approx(total, rel=1e-12)


def test_effects_are_partial_omega_squared():
    rows = anova(cube(random_values())).set_index("source")
    f = rows.loc["run", "statistic"]
    assert rows.loc["run", "effect_size"] == pytest.approx(4 * (f - 1) / (4 * (f - 1) + 60))


def test_incomplete_queries_are_left_out_with_a_warning():
    values = random_values()
    complete = anova(cube(values[:, 1:]))
    values[0, 0, 2] = np.nan
    with pytest.warns(UserWarning, match="1 of 12 queries have no 'AP' value for at least one run"):
        result = anova(cube(values))
    assert result["sum_sq"].tolist() == pytest.approx(complete["sum_sq"].tolist())


def test_no_residual_gives_infinite_f_and_p_zero():
    additive = np.arange(4.0)[:, None] + np.array([0.0, 1.0, 2.0])
    rows = anova(cube(additive[None])).set_index("source")
    assert rows.loc[["run", "query"], "p_value"].tolist() == [0.0, 0.0]
    assert rows.loc["run", ["statistic", "effect_size"]].tolist() == [np.inf, 1.0]


def test_runs_that_never_differ_have_p_one():
    equal = np.repeat(np.arange(4.0)[:, None], 3, axis=1)
    rows = anova(cube(equal[None])).set_index("source")
    assert rows.loc["run", ["statistic", "p_value"]].tolist() == [0.0, 1.0]


def preferences(D, runs):
    a, b = all_pairs(runs)
    queries = pd.Index(range(len(D)), name="query_id")
    return Preferences(
        pd.DataFrame({"run": [f"r{k}" for k in range(runs)]}), queries, ("X",), a, b, D[None]
    )


def test_score_differences_give_the_same_run_row_and_no_query_row():
    values = random_values()
    a, b = all_pairs(5)
    rows = anova(preferences(values[0][:, a] - values[0][:, b], 5)).set_index("source")
    expected = anova(cube(values)).set_index("source")
    columns = ["sum_sq", "statistic", "p_value"]
    assert rows.loc["run", columns].tolist() == pytest.approx(
        expected.loc["run", columns].tolist(), rel=1e-9
    )
    assert np.isnan(rows.loc["query", columns].to_numpy(dtype=float)).all()


def test_preferences_that_are_not_score_differences_are_refused():
    a, b = all_pairs(5)
    D = np.sign(random_values()[0][:, a] - random_values()[0][:, b])
    with pytest.raises(
        ValueError, match=r"anova\(\) requires a score per run and query; 'X' is a preference"
    ):
        anova(preferences(D, 5))


def test_the_total_has_no_mean_square_and_what_is_known_of_the_scores_is_kept():
    one = cube(random_values())
    known = Scores(one.runs, one.queries, one.measures, one.values, one.higher, {"level": 2})
    rows = anova(known)
    assert rows.attrs["level"] == 2
    assert np.isnan(rows["mean_sq"]).tolist() == [False, False, False, True]
    assert rows["source"].tolist() == ["run", "query", "residual", "total"]


def test_of_differences_neither_the_queries_nor_the_total_are_known():
    found = two_way(random_values()[0], scored=False)
    assert found["df"].tolist() == [4, 11, 44, 59]
    for name in ("sum_sq", "mean_sq", "statistic", "p_value", "effect_size"):
        assert np.isnan(found[name][[1, 3]]).all(), name
        assert not np.isnan(found[name][0]), name


@pytest.mark.parametrize("unit", [1.0, 2.0**40, 2.0**-40])
def test_means_that_differ_by_rounding_have_no_variance_in_any_unit(unit):
    same = np.array([[0.0, 0.0], [0.1 + 0.2, 0.3]])  # a mean of 0.15 each, on paper
    assert same[:, 0].mean() != same[:, 1].mean()
    assert two_way(same * unit)["sum_sq"][0] == 0.0
    values = np.random.default_rng(3).random((6, 3))
    assert two_way(values * unit)["sum_sq"][0] == pytest.approx(
        6 * unit**2 * np.square(values.mean(axis=0) - values.mean()).sum(), rel=1e-9
    )
