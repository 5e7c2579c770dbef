"""The registry of significance tests: all of them work in compare(), and so does what a notebook declares."""

from dataclasses import FrozenInstanceError

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import pdeval
from pdeval import test
from pdeval.catalog import ENTRIES
from pdeval.significance.compare import compare
from pdeval.significance.registry import TESTS, Outcome, which_test
from pdeval.verbs.registry import check_not_declared

JUDGED = pdeval.datasets.sample_judged(queries="common")
SCORES = JUDGED.measure(["AP", "ASL"])
SOME = SCORES[SCORES["query_id"].astype(int) < 116]  # few enough for all signs to be tried


@pytest.fixture(autouse=True)
def declared():
    """What is declared in a test is forgotten after it."""
    before, entries = dict(TESTS), dict(ENTRIES)
    yield
    for registry, old in ((TESTS, before), (ENTRIES, entries)):
        registry.clear()
        registry.update(old)


def test_where_only_some_measures_have_a_family_wise_test_the_others_are_corrected(declared):
    @pdeval.preference(test="hsd")
    def sooner(x, y):
        """Who is sooner at the first recall level."""
        return np.sign(y[0] - x[0])

    judged = pdeval.datasets.sample_judged(queries="common")
    with pytest.raises(
        ValueError,
        match="test='hsd' corrects for all pairs of one measure; family='all' requires the",
    ):
        judged.compare([sooner, "RPP"], family="all", draws=99)
    found = judged.compare([sooner, "RPP"], correction="bonferroni", draws=99)
    assert found.groupby("measure", sort=False)["test"].unique().map(list).tolist() == [
        ["hsd"],
        ["t"],
    ]
    assert (found.attrs["correction"], found.attrs["family"]) == ("bonferroni", "measure")
    wise, single = (found[found["test"] == one] for one in ("hsd", "t"))
    assert wise["p_adjusted"].tolist() == wise["p_value"].tolist()
    np.testing.assert_allclose(
        single["p_adjusted"], np.minimum(1, single["p_value"] * len(single)), rtol=1e-12
    )


def test_a_family_wise_test_is_of_all_pairs_of_a_measure_whatever_the_correction():
    found = SCORES.ireval.compare(test="hsd", draws=50, baseline="bm25", correction="holm")
    assert (found.attrs["correction"], found.attrs["family"]) == ("none needed", "measure")


def test_a_comparison_says_what_it_was_made_with():
    found = SCORES.ireval.compare(
        correction="holm", family="all", alpha=0.1, confidence=0.9, draws=77, seed=5
    )
    told = {
        "correction": "holm",
        "family": "all",
        "alpha": 0.1,
        "confidence": 0.9,
        "draws": 77,
        "seed": 5,
    }
    assert {name: found.attrs[name] for name in told} == told


@pytest.mark.parametrize("name", TESTS)
def test_every_test_compares_runs(name):
    found = SOME.ireval.compare(test=name, draws=50, baseline="bm25")
    assert found["test"].unique().tolist() == [name]
    assert found["p_value"].between(0, 1).all()
    assert (found.attrs["correction"] == "none needed") == TESTS[name].family_wise


@pytest.mark.parametrize("name", TESTS)
def test_every_test_is_of_the_mean_difference_with_an_interval_around_it(name):
    options = {"baseline": "bm25"} if TESTS[name].family == "baseline" else {}
    found = SOME.ireval.compare("AP", test=name, draws=200, **options)
    wide = SOME[SOME["measure"] == "AP"].pivot(index="query_id", columns="run", values="value")
    differences = wide[found["run_a"]].to_numpy() - wide[found["run_b"]].to_numpy()
    np.testing.assert_allclose(found["difference"], differences.mean(axis=0), rtol=1e-9, atol=1e-15)
    assert found["n"].unique().tolist() == [len(wide)]
    estimate = found.get("estimate", found["difference"])
    assert (found["ci_low"] <= estimate).all()
    assert (estimate <= found["ci_high"]).all()
    narrow = SOME.ireval.compare("AP", test=name, draws=200, confidence=0.5, **options)
    assert (narrow["ci_high"] - narrow["ci_low"] < found["ci_high"] - found["ci_low"]).any()
    assert (narrow["ci_high"] - narrow["ci_low"] <= found["ci_high"] - found["ci_low"]).all()


@pytest.mark.parametrize("name", TESTS)
def test_every_test_says_what_it_is_and_where_it_comes_from(name):
    assert TESTS[name].summary.endswith(".")
    assert TESTS[name].reference
    assert TESTS[name].description.endswith("test")


def test_the_names_in_docstrings_and_errors_are_those_of_the_registry():
    for name in TESTS:
        assert f'- "{name}": ' in compare.__doc__
        assert f'- "{name}": ' in SCORES.ireval.discriminative_power.__doc__
    with pytest.raises(KeyError, match=f"There are: {', '.join(TESTS)}."):
        SCORES.ireval.compare(test="chi")


def test_what_draws_at_random_is_known_from_the_signature():
    assert [name for name, one in TESTS.items() if one.drawn] == [
        "randomization",
        "bootstrap",
        "hsd",
        "normal_hsd",
    ]


def test_a_test_of_a_notebook_works_by_name_in_compare_and_discriminative_power():
    @test(aliases=["one_sample_t"])
    def mine(differences):
        """The one-sample t-test of the differences."""
        return stats.ttest_1samp(differences, 0, nan_policy="omit")

    found, ours = (
        SCORES.ireval.compare(test=name, correction="holm") for name in ("One_Sample_T", "t")
    )
    assert found["test"].unique().tolist() == ["mine"]
    ours = ours[found.columns]
    pd.testing.assert_frame_equal(found.drop(columns="test"), ours.drop(columns="test"), rtol=1e-9)
    both = JUDGED.discriminative_power(["AP", "RPP"], tests=["mine", "t"], correction="holm")
    assert both["n_significant"].tolist()[:2] == both["n_significant"].tolist()[2:]
    assert both["test"].tolist() == ["mine", "mine", "t", "t"]


def test_p_values_alone_are_completed_and_options_are_given_by_name():
    seen = {}

    @test
    def drawn(differences, *, draws, seed=None):
        """As many draws as asked for."""
        seen.update(draws=draws, seed=seed)
        return np.full(differences.shape[1], 0.25)

    found, ours = (
        SCORES.ireval.compare(
            test=name, draws=77, seed=5, baseline="bm25", correction="holm", confidence=0.9
        )
        for name in ("drawn", "t")
    )
    assert seen == {"draws": 77, "seed": 5}
    assert found["p_value"].unique().tolist() == [0.25]
    assert found["statistic"].isna().all()
    same = ["n", "mean_a", "mean_b", "difference", "ci_low", "ci_high", "effect_size"]
    pd.testing.assert_frame_equal(found[same], ours[same])


def test_a_family_wise_test_of_a_notebook_is_not_corrected():
    @test(family_wise=True)
    def range_test(values, a, b):
        """A number of its own."""
        return np.full(len(a), 0.01)

    found = JUDGED.compare("AP", test="range_test")
    assert found["p_adjusted"].unique().tolist() == [0.01]
    assert found.attrs["correction"] == "none needed"


def test_only_what_is_not_family_wise_is_corrected_where_measures_have_their_own_tests():
    @pdeval.preference(test="hsd")
    def sooner(x, y):
        """Which ranking has the first relevant item at a better rank."""
        return (x[0] < y[0]) * 1.0 - (x[0] > y[0])

    found = JUDGED.compare([sooner, "AP"], draws=50, correction="bonferroni")
    first, second = (found[found["measure"] == name] for name in ("sooner", "AP"))
    assert first["test"].unique().tolist() == ["hsd"]
    assert (first["p_adjusted"] == first["p_value"]).all()
    np.testing.assert_allclose(second["p_adjusted"], np.minimum(66 * second["p_value"], 1))


def test_an_outcome_of_a_test_is_taken_as_it_is():
    @test
    def certain(differences):
        """Certain of everything."""
        n = np.full(differences.shape[1], 3)
        return Outcome(n, *(np.full(len(n), value) for value in (0.5, 0.25, 0.75, 2.0, 4.0, 0.125)))

    row = SCORES.ireval.compare("AP", test="certain", confidence=0.9).iloc[0]
    assert row[
        ["n", "difference", "ci_low", "ci_high", "effect_size", "statistic", "p_value"]
    ].tolist() == [*(3, 0.5, 0.25, 0.75, 2.0, 4.0, 0.125)]


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        (
            lambda D: 0.5,
            r"the test 'wrong' returned p-values of shape \(\) for 66 pairs\. Return one for each column",
        ),
        (
            lambda D: np.full(D.shape[1], np.nan),
            r"the test 'wrong' returned 66 p-values outside \[0, 1\], e\.g\. np\.float64\(nan\)\.",
        ),
        (
            lambda D: np.full(D.shape[1], 1.5),
            r"66 p-values outside \[0, 1\], e.g. .*1.5",
        ),
    ],
)
def test_what_a_test_may_not_return_is_an_error_that_says_so(returned, message):
    test(returned, name="wrong")
    with pytest.raises(ValueError, match=message):
        SCORES.ireval.compare("AP", test="wrong")


def test_functions_that_are_no_tests_are_refused_when_they_are_declared():
    with pytest.raises(
        TypeError, match=r"the test 'two' must take the differences: 1 arrays, not \(x, y\)"
    ):
        test(lambda x, y: 0, name="two")
    with pytest.raises(TypeError, match="both runs of the pairs: 3 arrays"):
        test(lambda x: 0, name="one", family_wise=True)
    with pytest.raises(
        TypeError, match="the parameter 'power' of the test 'strong' has no default"
    ):
        test(lambda x, *, power: 0, name="strong")
    with pytest.raises(ValueError, match="pdeval already has a test 't' "):
        test(lambda x: 0, name="t")


def test_the_default_test_is_part_of_a_declaration_and_travels_with_its_label():
    label = pdeval.parse("sgnLP", label="my signs")
    prefs = JUDGED.prefer([label, "RPP"])
    assert prefs.attrs["measures"]["my signs"]["test"] == "sign"
    assert prefs.ireval.compare()["test"].unique().tolist() == ["sign", "t"]
    assert JUDGED.compare([label, "AP"])["test"].unique().tolist() == ["sign", "t"]
    assert which_test(None, "never seen").name == "t"


def test_reports_name_every_test_as_papers_do():
    assert {name: one.description for name, one in TESTS.items()} == {
        "t": "paired Student t test",
        "wilcoxon": "Wilcoxon signed-rank test",
        "sign": "sign test",
        "randomization": "paired randomization test",
        "bootstrap": "paired bootstrap test",
        "exact_randomization": "exact paired randomization test",
        "hsd": "randomized Tukey HSD test",
        "normal_hsd": "randomized Tukey HSD (normal limit) test",
        "tukey": "Tukey HSD test",
        "dunnett": "Dunnett test",
        "nemenyi": "Friedman-Nemenyi test",
        "conover": "Friedman-Conover test",
    }


def test_p_values_and_statistics_of_whole_numbers_become_fractions():
    @test
    def sure(differences):
        """Sure of itself."""
        return [4] * differences.shape[1], [1] * differences.shape[1]

    found = SCORES.ireval.compare("AP", test="sure")
    assert found["p_value"].dtype == found["statistic"].dtype == np.float64
    assert found[["p_value", "statistic"]].drop_duplicates().to_numpy().tolist() == [[1.0, 4.0]]


def test_a_declaration_keeps_all_that_it_says():
    @test(name="mine_own", scores_only=True, joint=True, aliases=["own"], reference="a note")
    def anything(values, a, b, *, seed=0, draws=5, power=2):
        """Nothing at all.

        Not a word more.
        """
        return values, a, b, seed, draws, power

    made = TESTS["mine_own"]
    assert (made.name, made.function, made.aliases, made.reference) == (
        "mine_own",
        anything,
        ("own",),
        "a note",
    )
    assert (made.family_wise, made.scores_only, made.joint, made.drawn) == (False, True, True, True)
    assert (made.summary, made.description, made.options) == (
        "Nothing at all.",
        "mine own test",
        ("seed", "draws"),
    )
    assert made(1, 2, 3, seed=4, draws=6, progress=True, confidence=0.5) == (1, 2, 3, 4, 6, 2)
    assert made(1, 2, 3, draws=6) == (1, 2, 3, 0, 6, 2)
    assert which_test("own") is made
    with pytest.raises(FrozenInstanceError):
        made.name = "other"
    plain = test(
        lambda differences, *, progress=None: differences,
        description="a test of mine",
        name="plain",
    )
    assert (TESTS["plain"].description, TESTS["plain"].joint, TESTS["plain"].drawn) == (
        "a test of mine",
        False,
        False,
    )
    assert TESTS["plain"](7, progress=True, seed=1) == plain(7)
    joint = [one.joint for one in TESTS.values()]
    assert joint == sorted(joint)  # tests of one pair stand first, whenever they were declared
    assert list(TESTS)[-1] == "mine_own"
    wise = test(lambda values, a, b: a, name="wise", family_wise=True)
    assert (TESTS["wise"].joint, TESTS["wise"].family_wise, TESTS["wise"].scores_only) == (
        True,
        True,
        False,
    )
    assert wise(1, 2, 3) == 2


def test_options_without_a_default_are_those_that_every_test_may_be_given():
    test(lambda x, *, confidence, draws, seed, progress: 0, name="all_four")
    assert TESTS["all_four"].options == ("confidence", "draws", "seed", "progress")
    test(lambda x, power=2: 0, name="with_default")  # is no array
    with pytest.raises(TypeError, match=r"3 arrays, not \(x, a\)"):
        test(lambda x, a, b=None: 0, name="two_of_three", joint=True)
    assert "two_of_three" not in TESTS


@pytest.mark.parametrize("asked", ["tukey", ["AP", "HSD"], ("binomial",)])
def test_the_error_for_a_test_in_the_place_of_a_measure_has_the_right_call(asked):
    call = "compare(test={})"
    with pytest.raises(
        ValueError,
        match=r"is a significance test, not a measure\. Use compare\(test='(tukey|hsd|sign)'\)\.",
    ):
        check_not_declared(asked, "a significance test", TESTS, call)
    check_not_declared(["AP", 3, None], "a significance test", TESTS, call)
    check_not_declared(7, "a significance test", TESTS, call)


def test_the_test_of_labels_by_a_machine_needs_them():
    with pytest.raises(ValueError, match=r"test='ppi' requires machine labels\. Use runs"):
        which_test("ppi", "AP")
    assert which_test(None, "mine", {"measures": {"mine": {"test": "wilcoxon"}}}).name == "wilcoxon"
    assert (
        which_test("default", "mine", {"measures": {"mine": {"test": "wilcoxon"}}}).name
        == "wilcoxon"
    )
