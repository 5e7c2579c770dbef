"""Issue 13, item 6: what has no meaning is refused, not computed."""

import numpy as np
import pytest

import pdeval
from tests.walk_tables import judged, qrels, quiet, runs, tables

NAN = float("nan")


@pytest.mark.parametrize(
    ("measure", "text"),
    [
        ("RBP(p=0.5,p=0.9)", "sets p twice. Keep one"),
        ("RBP(p=0.5)(p=0.9)", "cannot parse the parameters"),
        ("P(k=10)@20", "sets k twice, as a parameter and after @"),
        ("gRBP(max_grade=0)", "max_grade=0.* must be above 0"),
        ("gRBP(max_grade=-1)", "max_grade=-1.* must be above 0"),
        ("ERR(max_grade=0)", "max_grade=0.* must be above 0"),
        ("nERR(max_grade=0)", "max_grade=0.* must be above 0"),
    ],
)
def test_13_6_a_measure_that_contradicts_itself_is_refused(measure, text):
    with pytest.raises(ValueError, match=text):
        quiet(judged().measure, measure)


@pytest.mark.parametrize("difference", [NAN, np.inf, "x", [0.1]])
def test_13_6_power_of_no_difference_is_refused(difference):
    for verb in (judged().power, judged().power.sample_size):
        with pytest.raises(ValueError, match=r"difference=.*: expected a"):
            quiet(verb, "AP", difference=difference)


@pytest.mark.broad
def test_13_6_buckets_are_compared_at_a_share():
    with pytest.raises(
        ValueError, match=r"alpha=1.5: expected a fraction between 0 and 1; 1.5% is 0.015"
    ):
        tables()["clicks"].ireval.compare_buckets(alpha=1.5)


def test_13_6_clicks_on_missing_grades_and_on_foreign_ids_are_refused():
    with pytest.raises(ValueError, match="grade column has 685 missing values"):
        runs().ireval.simulate_clicks(qrels().assign(relevance=NAN))
    with pytest.raises(ValueError, match="no query of the lists is in the judgments"):
        runs().ireval.simulate_clicks(
            qrels().assign(query_id="x" + qrels()["query_id"].astype(str))
        )


@pytest.mark.parametrize("depth", [1, 15])
def test_13_6_the_locality_of_two_runs_is_a_correlation_or_missing(depth):
    two = runs()[runs()["run"].isin(["bm25", "ql"])]
    first = two["query_id"].iloc[0]
    for table in (two, two[two["query_id"] == first]):
        r = quiet(table.ireval.agree.locality, qrels(), levels=3, ahead=2, depth=depth)["r"]
        assert ((r.abs() <= 1 + 1e-12) | r.isna()).all()


def test_locality_takes_no_more_levels_than_memory_holds():
    with pytest.raises(ValueError, match="levels=1000: expected an integer of at most 200"):
        pdeval.datasets.sample_judged(queries="common").agree.locality(levels=1000)
