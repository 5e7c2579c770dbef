"""Discriminative power and the curve of p-values."""

import numpy as np
import pandas as pd
import pytest

import pdeval
from pdeval.evaluate.cube import Scores
from pdeval.significance import discriminative_power as discriminative
from pdeval.significance.compare import compare
from pdeval.significance.discriminative_power import discriminative_curve, discriminative_power


def cube():
    """Two measures of 6 runs: one tells them apart, the other is noise."""
    random = np.random.default_rng(0)
    noise = random.normal(size=(2, 30, 6))
    noise[0] = 0.2 * noise[0] + 0.1 * np.arange(6)
    runs = pd.DataFrame({"run": list("abcdef")})
    return Scores(
        runs,
        pd.Index(range(30), name="query_id"),
        ("sharp", "sgnLP"),
        noise,
        np.array([True, True]),
    )


@pytest.mark.broad
def test_the_share_is_that_of_the_significant_rows():
    result = discriminative_power(
        cube(), tests=["default", "wilcoxon", "hsd"], correction="holm", draws=500
    )
    assert list(result.columns) == [
        "measure",
        "test",
        "correction",
        "alpha",
        "pairs",
        "n_significant",
        "fraction_significant",
    ]
    assert result["measure"].tolist() == ["sharp", "sgnLP"] * 3
    assert result["test"].tolist() == ["t", "sign", "wilcoxon", "wilcoxon", "hsd", "hsd"]
    assert result["correction"].tolist() == ["holm"] * 4 + ["none needed"] * 2
    for row in result.itertuples():
        rows = compare(cube(), test=row.test, correction="holm", draws=500)
        found = rows.loc[rows["measure"] == row.measure, "significant"]
        assert (row.pairs, row.n_significant) == (15, found.sum())
        assert row.fraction_significant == pytest.approx(row.n_significant / 15)
    assert (result.loc[result["measure"] == "sharp", "n_significant"] > 5).all()
    assert (result.loc[result["measure"] == "sgnLP", "n_significant"] < 3).all()


def test_a_wider_alpha_detects_no_fewer_pairs():
    found = [
        discriminative_power(cube(), tests=["t"], alpha=alpha)["n_significant"].tolist()
        for alpha in (0.01, 0.2)
    ]
    assert found[0][0] < found[1][0]
    assert found[0][1] <= found[1][1]


def test_the_curve_falls_and_holds_every_pair():
    curve = discriminative_curve(cube(), tests=["t", "sign"], correction="none")
    assert list(curve.columns) == ["measure", "test", "correction", "pair", "fraction", "p_value"]
    assert len(curve) == 2 * 2 * 15
    part = curve[(curve["measure"] == "sharp") & (curve["test"] == "t")]
    assert part["p_value"].is_monotonic_decreasing
    raw = compare(cube(), correction="none", test="t").query("measure == 'sharp'")["p_value"]
    assert sorted(part["p_value"]) == sorted(raw)
    assert part["pair"].tolist() == list(range(1, 16))
    assert part["fraction"].iloc[-1] == 1.0


def test_one_test_may_be_given_by_its_name_alone():
    assert discriminative_power(cube(), tests="t")["test"].tolist() == ["t", "t"]


def test_no_test_at_all_is_refused():
    scores = pdeval.datasets.sample_judged(queries="common").measure("AP")
    with pytest.raises(ValueError, match=r"^tests=\[\] is empty"):
        scores.ireval.discriminative_power(tests=[])


def test_names_are_checked_before_the_work_begins():
    with pytest.raises(ValueError, match=r"no test 'tukei'\. Did you mean 'tukey'"):
        discriminative_power(cube(), tests=["hsd", "tukei"], draws=10**9)


def test_the_share_of_the_curve_below_alpha_is_what_discriminative_power_detects_by_default():
    # issue 12, item 21: one was corrected, the other not
    detected = discriminative_power(cube(), draws=300).set_index(["measure", "test"])[
        "fraction_significant"
    ]
    curve = discriminative_curve(cube(), draws=300)
    below = (curve["p_value"] < 0.05).groupby([curve["measure"], curve["test"]], sort=False).mean()
    assert 0 < detected.iloc[0] < 1
    assert below.to_dict() == detected.to_dict()


@pytest.mark.parametrize("verb", [discriminative_power, discriminative_curve])
def test_every_name_is_checked_before_any_work(monkeypatch, verb):
    monkeypatch.setattr(
        discriminative, "compare", lambda *args, **options: pytest.fail("work was begun")
    )
    with pytest.raises(ValueError, match="no test 'nope'"):
        verb(cube(), tests=["t", "nope"])


def test_a_measure_that_tells_nothing_apart_has_its_row_too():
    found = discriminative_power(cube(), tests="t", alpha=1e-40)
    assert (
        found[["pairs", "n_significant", "fraction_significant"]].to_numpy().tolist()
        == [[15, 0, 0.0]] * 2
    )
    assert set(found["alpha"]) == {1e-40}


def test_the_curve_is_that_of_sorting_each_measure_by_hand():
    random = np.random.default_rng(1)
    values = random.integers(0, 3, size=(3, 6, 5)).astype(float)  # with equal p-values
    runs = pd.DataFrame({"run": list("abcde")})
    names = ("z", "a", "m")
    source = Scores(
        runs, pd.Index(range(6), name="query_id"), names, values, np.ones(3, bool), {"level": 2}
    )
    curve = discriminative_curve(source, tests=["sign", "hsd"], correction="holm", draws=40, seed=3)
    assert curve.attrs["level"] == 2
    assert curve.index.tolist() == list(range(60))
    assert curve["measure"].tolist() == np.repeat(["z", "a", "m"] * 2, 10).tolist()
    assert curve["test"].tolist() == ["sign"] * 30 + ["hsd"] * 30
    assert curve["correction"].tolist() == ["holm"] * 30 + ["none needed"] * 30
    assert curve["pair"].tolist() == list(range(1, 11)) * 6
    assert curve["fraction"].tolist() == [pair / 10 for pair in range(1, 11)] * 6
    wanted = []
    for test in ("sign", "hsd"):
        rows = compare(source, test=test, correction="holm", draws=40, seed=3)
        for name in names:
            wanted += sorted(rows.loc[rows["measure"] == name, "p_adjusted"], reverse=True)
    assert curve["p_value"].tolist() == wanted
    power = discriminative_power(source, tests=["hsd"], draws=40, seed=3)
    assert power.attrs["level"] == 2
    assert power.index.tolist() == [0, 1, 2]


@pytest.mark.parametrize("verb", [discriminative_power, discriminative_curve])
def test_a_measure_that_is_not_there_or_is_a_test_is_told(verb):
    scores = pdeval.datasets.sample_judged(queries="common").measure("AP")
    accessor = scores.ireval.discriminative_power
    accessor = accessor if verb is discriminative_power else accessor.curve
    with pytest.raises(KeyError, match="RR"):
        accessor("RR")
    with pytest.raises(ValueError, match=r"discriminative_power\(tests='wilcoxon'\)"):
        accessor("wilcoxon")
