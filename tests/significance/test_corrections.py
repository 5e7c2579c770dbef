"""Corrections against statsmodels, families, and the names that are understood."""

from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from pdeval.significance.corrections import CORRECTIONS, adjust, which_correction
from pdeval.significance.registry import TESTS, which_test
from tests.examples import examples

P = np.array([0.0004, 0.011, 0.012, 0.012, 0.04, 0.2, 0.7, 1.0])


@pytest.mark.filterwarnings("ignore:divide by zero:RuntimeWarning:statsmodels")  # its own, at p = 1
@pytest.mark.parametrize("name", [name for name in CORRECTIONS if name != "none"])
def test_every_correction_is_that_of_statsmodels(name):
    expected = multipletests(P, alpha=0.05, method=name)
    got = adjust(P, np.zeros(8, int), correction=name)
    assert got == pytest.approx(np.minimum(expected[1], 1.0), rel=1e-14)
    assert (got < 0.05).tolist() == expected[0].tolist()


@pytest.mark.parametrize("name", ["bonferroni", "holm"])
@mock.patch("gc.collect")  # which statsmodels calls for every family
@examples(30)
@given(
    values=st.lists(
        st.sampled_from([0.0, 1e-300, 0.001, 0.01, 0.01, 0.02, 0.3, 1.0]), min_size=1, max_size=12
    )
)
def test_what_is_computed_here_is_statsmodels_to_the_last_bit(collect, name, values):
    p = np.array(values)
    twice, family = np.concatenate([p, [np.nan], p[::-1]]), np.repeat([1, 0], [len(p), len(p) + 1])
    found = adjust(twice, family, correction=name)
    expected = multipletests(p, method=name)[1]
    assert found[: len(p)].tolist() == expected.tolist()
    assert np.isnan(found[len(p)])
    assert found[len(p) + 1 :].tolist() == multipletests(p[::-1], method=name)[1].tolist()


def test_bonferroni_multiplies_by_the_size_of_the_family():
    assert adjust(P[:3], np.array([0, 0, 1])).tolist() == [0.0008, 0.022, 0.012]


@pytest.mark.parametrize("name", CORRECTIONS)
def test_a_family_without_any_p_value_stays_without_and_changes_no_other(name):
    found = adjust(np.array([0.01, 0.02, np.nan, np.nan]), np.array([0, 0, 1, 2]), correction=name)
    assert (
        found[:2].tolist()
        == adjust(np.array([0.01, 0.02]), np.zeros(2, int), correction=name).tolist()
    )
    assert np.isnan(found[2:]).all()


def test_none_leaves_the_p_values_alone():
    got = adjust(P, np.zeros(8, int), correction="none")
    assert got.tolist() == P.tolist()
    assert got is not P


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("Bonferroni", "bonferroni"),
        ("bh", "fdr_bh"),
        ("hochberg", "simes-hochberg"),
        (None, "none"),
        ("hs", "holm-sidak"),
    ],
)
def test_common_spellings_of_corrections_are_understood(written, name):
    assert which_correction(written) == name


def test_an_unknown_correction_is_refused_with_the_nearest_name():
    with pytest.raises(
        ValueError,
        match=r"='bonferoni': choose 'bonferroni', .* or 'none'\. Did you mean 'bonferroni'",
    ):
        which_correction("bonferoni")


@pytest.mark.parametrize(
    ("measure", "test"),
    [
        ("sgnLP", "sign"),
        ("sgnLR", "sign"),
        ("sgnLP(level=2)", "sign"),
        ("rrLP", "t"),
        ("RPP", "t"),
        ("AP", "t"),
    ],
)
def test_signs_get_the_sign_test_by_default_and_the_rest_gets_t(measure, test):
    assert which_test(None, measure).name == which_test("default", measure).name == test


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("binomial", "sign"),
        ("randomization", "randomization"),
        ("randomized_hsd", "hsd"),
        ("tukey_hsd", "tukey"),
    ],
)
def test_common_spellings_of_tests_are_understood(written, name):
    assert which_test(written, "AP").name == name


def test_every_test_answers_to_its_own_name():
    assert [which_test(name, "sgnLP").name for name in TESTS] == list(TESTS)


def test_an_unknown_test_is_refused_with_the_nearest_name():
    for text, name in [
        ("fdr", "fdr_bh"),
        ("benjamini-hochberg", "fdr_bh"),
        ("benjamini_yekutieli", "fdr_by"),
    ]:
        with pytest.raises(ValueError, match=rf"correction='{text}': .* Did you mean '{name}'\?"):
            which_correction(text)
    with pytest.raises(ValueError, match=r"no test 'wilcoxn'\. Did you mean 'wilcoxon'\?"):
        which_test("wilcoxn", "AP")


@pytest.mark.parametrize("name", ["none", "holm", "bonferroni"])
def test_whole_numbers_become_fractions(name):
    found = adjust(np.array([1, 0, 1]), np.zeros(3, int), correction=name)
    assert (found.tolist(), found.dtype) == ([1.0, 0.0, 1.0], np.float64)


@pytest.mark.parametrize("name", CORRECTIONS)
def test_a_p_value_of_one_is_no_reason_to_warn(name):
    assert adjust(np.array([1.0, 0.5, 1.0]), np.zeros(3, int), correction=name).max() == 1.0


@pytest.mark.parametrize("name", ["fdr_tsbh", "fdr_tsbky"])
def test_two_stages_depend_on_the_level(name):
    p = np.array([0.001, 0.01, 0.03, 0.06, 0.2, 0.9])
    for alpha in (0.01, 0.4):
        expected = np.minimum(multipletests(p, alpha=alpha, method=name)[1], 1.0)
        assert adjust(p, np.zeros(6, int), correction=name, alpha=alpha) == pytest.approx(
            expected, rel=1e-14
        )
    assert (adjust(p, np.zeros(6, int), correction=name) != expected).any()


def test_families_of_one_size_are_adjusted_as_each_alone():
    p = np.round(np.random.default_rng(3).random((40, 6)), 2)  # with ties
    family = np.repeat(np.arange(40), 6)
    order = np.random.default_rng(4).permutation(p.size)
    together = adjust(p.ravel()[order], family[order], correction="holm")
    alone = np.concatenate([adjust(row, correction="holm") for row in p])
    assert together.tolist() == alone[order].tolist()
