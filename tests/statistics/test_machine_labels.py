"""Prediction-powered intervals cover as they say, whatever the judge is worth (issue 20)."""

import pytest

from tests.statistics.machine_labels import JUDGES, LABELLED, MEASURES, cell, cells

SIZE, CASES = 8_000, 1_200


@pytest.fixture(scope="module")
def found():
    return list(cells(cases=CASES, size=SIZE))


def pooled(found, **of):
    """Return the share of simulations that cover, over all measures of a judge and number of queries."""
    own = [one for one in found if all(getattr(one, name) == value for name, value in of.items())]
    assert len(own) >= len(MEASURES)
    return sum(one.covered.hits for one in own) / sum(one.covered.cases for one in own)


@pytest.mark.slow
def test_intervals_cover_93_to_97_percent_whatever_the_judge(found):
    for judge in JUDGES:
        for n in LABELLED:
            assert 0.93 <= pooled(found, judge=judge, n=n) <= 0.97, (judge, n)
    for one in found:  # a cell of few simulations: its limits
        low, high = one.covered.limits
        assert low <= 0.97, one
        assert high >= 0.93, one


@pytest.mark.slow
def test_they_are_never_wider_than_people_alone_by_five_percent(found):
    assert max(one.against_people for one in found) < 1.05
    assert min(one.against_people for one in found if one.judge == "biased" and one.n <= 50) < 0.75


@pytest.mark.slow
def test_a_perfect_judge_is_nearly_as_good_as_people_on_all_queries(found):
    ratios = [one.against_all for one in found if one.judge == "perfect"]
    assert min(ratios) > 0.98
    assert max(ratios) < 1.02


@pytest.mark.slow
def test_the_interval_of_the_judge_alone_fails(found):
    fooled = [one for one in found if one.judge not in ("perfect",)]
    assert all(one.alone.verdict == "MISSED" for one in fooled)
    assert all(one.alone.share < 0.2 for one in fooled if one.measure in MEASURES)
    assert all(one.alone.verdict == "exact" for one in found if one.judge == "perfect")


@pytest.mark.slow
def test_the_figure_of_the_methods_comes_again():
    # 600 queries, 50 labelled by people, a judge that misses a quarter and adds a twelfth; average precision
    one = cell("biased", "AP", 50, cases=2_000, alone=550, size=SIZE)
    assert one.width / one.against_people == pytest.approx(0.102, abs=0.003)
    assert one.width == pytest.approx(0.073, abs=0.003)
    assert one.worth == pytest.approx(97, abs=8)
    assert (one.people.verdict, one.alone.hits, one.covered.verdict) == ("exact", 0, "exact")
