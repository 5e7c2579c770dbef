"""Every test keeps its size and every interval its coverage, or the bound that is stated for it (issue 13)."""

import pytest

from pdeval.significance.registry import TESTS
from tests.statistics import families, labels, sizes, verbs
from tests.statistics.__main__ import PAGE, page
from tests.statistics.findings import Finding, line
from tests.statistics.intervals import all_intervals
from tests.statistics.nulls import NULLS
from tests.statistics.seeds import all_naive, all_seeds
from tests.statistics.verbs import collections


@pytest.mark.slow
def test_tests_err_as_often_as_they_say_and_intervals_cover_as_often():
    found = [*(one for cell in sizes.CELLS for one in cell()), *all_intervals()]
    missed = [line(one) for one in found if one.verdict == "MISSED"]
    assert not missed, "\n".join(missed)
    checked = {(one.what, one.null) for one in found}
    assert {(name, null) for name in TESTS for null in NULLS} <= checked
    assert {(f"interval of {name}", null) for name in TESTS for null in NULLS} <= checked


@pytest.mark.slow
@pytest.mark.parametrize("part", [verbs, families, labels])
def test_verbs_keep_what_the_page_of_simulations_states(part):
    found = [one for cell in part.CELLS for one in cell()]
    missed = [line(one) for one in found if one.verdict == "MISSED"]
    assert not missed, "\n".join(missed)
    # known limits have not become worse than the page states
    rows = (one.strip("| ").split(" | ") for one in PAGE.read_text("utf-8").splitlines())
    stated = {tuple(row[:3]): float(row[5]) for row in rows if len(row) > 8 and row[5][0] == "0"}
    for one in found:
        if one.verdict == "liberal":
            low, high = one.limits
            assert low <= stated[one.what, one.null, str(one.n)] <= high, line(one)


@pytest.mark.skipif(not PAGE.exists(), reason="the pages are not installed with the tests")
def test_the_page_of_simulations_has_a_line_for_every_cell_and_none_that_missed():
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    rows = [one for one in lines if one.startswith("| ") and one.count("|") > 5]
    rows = [one for one in rows if not one.startswith("| test or")]
    assert PAGE.read_text(encoding="utf-8") == page(rows)
    assert len(rows) > 450
    assert not [one for one in rows if "MISSED" in one]
    # a cell without draws, simulated again
    assert {line(one) for one in collections()} <= set(rows)


@pytest.mark.slow
def test_tests_of_seeds_answer_their_question_as_often_as_they_say():
    found = list(all_seeds())
    missed = [line(one) for one in found if one.verdict == "MISSED"]
    assert not missed, "\n".join(missed)
    outside = [
        line(one) for one in found if one.covers and not one.known and not 0.93 <= one.share <= 0.97
    ]
    assert not outside, "\n".join(outside)


@pytest.mark.slow
def test_tests_that_get_seeds_wrong_fail_the_same_check():
    found = list(all_naive())
    assert [one.verdict for one in found] == ["MISSED"] * len(found)
    assert min(one.share for one in found if one.level == 0.05) > 0.1


def test_the_limits_are_those_of_clopper_and_pearson():
    one = Finding("t", "normal", 25, 1000, 50, 0.05)
    assert one.limits == pytest.approx((0.03024, 0.07673), abs=1e-5)
    assert one.verdict == "exact"
    assert Finding("t", "normal", 25, 1000, 0, 0.05).limits == pytest.approx((0, 0.00757), abs=1e-4)
    assert Finding("t", "normal", 25, 1000, 1000, 0.95, True).limits[1] == 1


def test_limits_of_a_level_depend_on_level_and_number_of_simulations_only():
    # scipy.stats.binom.ppf([0.0005, 0.9995], 1000, 0.05) / 1000
    found = [Finding("t", "normal", 25, 1000, hits, 0.05).accepted for hits in (0, 50, 1000)]
    assert found == [(0.029, 0.074)] * 3


@pytest.mark.parametrize(
    ("hits", "known", "verdict"),
    [
        (60, "", "exact"),
        (60, "liberal", "exact"),
        (10, "conservative", "conservative"),
        (90, "conservative", "MISSED"),
        (90, "liberal", "liberal"),
        (10, "liberal", "MISSED"),
        (10, "", "MISSED"),
        (90, "", "MISSED"),
    ],
)
def test_a_deviation_is_known_in_one_direction_only(hits, known, verdict):
    assert Finding("sign", "normal", 25, 1000, hits, 0.05, False, known).verdict == verdict
    covered = Finding("rank", "normal", 25, 1000, 1000 - hits, 0.95, True, known)
    assert covered.verdict == verdict
