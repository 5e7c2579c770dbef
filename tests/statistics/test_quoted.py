"""Figures of simulations in docstrings and pages are those of the page of simulations."""

import re
from pathlib import Path

import pytest

from tests.statistics.__main__ import PAGE

ROOT = Path(__file__).parents[2]
SETS = ("Coverage@5", "Gini@5", "Entropy@5")
USERS = ("100 users, 600 items", "100")
SPREAD = "10 runs, standard deviations from 0.5 to 1.5"
MANY_SEEDS = "4 systems, {} random seeds of sd 0.1 / 0.02 / 0.02 / 0.02"

# file, what it states without the figures, and the row of each figure, or the rows of the smallest and the largest one
PERCENTAGES = [
    (
        "pdeval/evaluate/summary.py",
        "covered {:.0f}, {:.0f} and {:.0f}% in simulations; with 10 queries of strong skew, {:.0f}, {:.0f} and {:.0f}%",
        [
            (f"summary(interval={interval!r})", null, n)
            for null, n in (("bounded", "5"), ("lognormal", "10"))
            for interval in ("student", "bootstrap-t", "bca")
        ],
    ),
    (
        "pdeval/evaluate/summary.py",
        "95% intervals of 100 users covered {:.0f} to {:.0f}% in simulations",
        [[(f"summary, {measure}", *USERS) for measure in SETS]],
    ),
    (
        "notebooks/site/beyond_accuracy.md",
        "with 100 users, 95% intervals covered the true value in {:.0f} to {:.0f}% of the samples",
        [[(f"summary, {measure}", *USERS) for measure in SETS]],
    ),
    (
        "pdeval/significance/beyond_accuracy.py",
        "95% intervals of differences of Coverage, Gini and Entropy covered {:.0f} to {:.0f}%",
        [[(f"beyond_accuracy.compare, {measure}", *USERS) for measure in SETS]],
    ),
    (
        "pdeval/evaluate/summary.py",
        "covered {:.1f}% (normal values) and {:.1f}% (skewed values in [0, 1]), of the worst 20 of 200 queries {:.1f}% "
        "and {:.1f}%",
        [
            ("quantiles(worst=0.1)", null, n)
            for n in ("100", "200")
            for null in ("normal", "beta(.8, 2)")
        ],
    ),
    (
        "pdeval/online/behavior.py",
        "too little ({:.0f}% in place of 95% with 100 users and a rate of .01)",
        [("behavior, rate, ratio by the bootstrap", "rate 0.01, users differ", "100")],
    ),
    (
        "pdeval/online/two_sample_tests.py",
        "{:.0f}% instead of 95% for 100 users and a rate of .01; that of the bootstrap is {:.0f}%, that of this "
        "interval {:.0f} to {:.0f}%",
        [
            ("behavior, rate, mean of users by Student", "rate 0.01, users differ", "100"),
            ("behavior, rate, ratio by the bootstrap", "rate 0.01, users differ", "100"),
            ("behavior, rate, ratio", "rate 0.01, users differ", "100"),
            ("behavior, rate, mean of users", "rate 0.01, users differ", "100"),
        ],
    ),
    (
        "pdeval/orderings/order.py",
        "that of the best of 30 in {:.0f}% of cases, in place of 95%",
        [("order(rank_interval='percentile'), the best", "30 nearly equal runs", "50")],
    ),
    (
        "pdeval/orderings/order.py",
        "covered all ranks of 9 nearly equal runs in {:.0f}% of simulations at level 95% ('joint': {:.0f}%)",
        [
            (f"order('leximin', rank_interval={kind!r}), all", "9 nearly equal runs", "50")
            for kind in ("marginal", "joint")
        ],
    ),
    (
        "pdeval/significance/leaderboard.py",
        "95% intervals covered {:.0f}%, those of the bootstrap {:.0f}%",
        [
            (f"vote leaderboard(errors={kind!r})", "10 systems, strengths from -2 to 2", "60")
            for kind in ("sandwich", "bootstrap")
        ],
    ),
    (
        "pdeval/significance/over_collections.py",
        "was {:.0f} to {:.0f}% in simulations with 2 to 10 collections",
        [
            [
                ("meta_analysis, macro", "2 collections", "80"),
                ("meta_analysis, macro", "3 collections", "120"),
                ("meta_analysis, macro", "6 collections", "240"),
                ("meta_analysis, macro", "4 unequal collections", "470"),
                ("meta_analysis, macro", "10 unequal collections", "750"),
            ]
        ],
    ),
    (
        "pdeval/significance/over_collections.py",
        "that of random effects was at most {:.0f}%, and {:.2f}% if one of four collections",
        [
            ("meta_analysis, random effects", "10 unequal collections", "750"),
            ("meta_analysis, random effects", "4 unequal collections", "470"),
        ],
    ),
    (
        "pdeval/significance/hsd.py",
        "were .5 to 1.5, the family-wise error rate at 5% was {:.0f}% in simulations. That of "
        "compare(correction='max-t'), which does not assume it, was {:.0f}%",
        [(f"compare({call})", SPREAD, "50") for call in ("test='tukey'", "correction='max-t'")],
    ),
    (
        "pdeval/significance/hsd.py",
        "was {:.0f}% in simulations if the baseline had the smallest and {:.0f}% if it had the largest. Those of "
        "compare(correction='max-t'), which does not assume it, were {:.0f} and {:.0f}%",
        [
            (f"compare({call})", f"{SPREAD}, {which} of the baseline", "50")
            for call in ("test='dunnett'", "correction='max-t'")
            for which in ("smallest", "largest")
        ],
    ),
    (
        "pdeval/significance/replicates.py",
        "it was {:.0f}% with five seeds, {:.0f}% with three and {:.0f}% with two",
        [("replicates.compare()", MANY_SEEDS.format(seeds), "25") for seeds in (5, 3, 2)],
    ),
    (
        "pdeval/significance/replicates.py",
        "the type I error rate at 5% was {:.0f} to {:.0f}% if the seeds of all systems have one variance",
        [
            [
                ("replicates.compare()", f"{systems} random seeds of sd {sd}", "25")
                for systems in ("4 systems, 3", "2 systems, 5", "2 systems, 10")
                for sd in ("0", "0.01", "0.03")
            ]
        ],
    ),
]
FRACTIONS = [
    (
        "pdeval/significance/power.py",
        "with 5, 7 and 11 collections, the power was {:.2f}, {:.2f} and {:.2f} for a wanted 0.8",
        [
            ("meta_analysis.sample_size", f"effect {effect} sd of collections", n)
            for effect, n in (("2.4", "5"), ("1.5", "7"), ("1", "11"))
        ],
    ),
    (
        "pdeval/evaluate/preference_learning.py",
        "covered {:.2f} of the weights of grades and {:.2f} of those of recall levels; with penalty=0.1, {:.2f} of the "
        "latter",
        [
            (f"fit_population(over={over}, penalty={penalty})", "40 queries, planted weights", "40")
            for over, penalty in (("'grades'", 1), ("'recall'", 1), ("'recall'", 0.1))
        ],
    ),
]


def found():
    """Return what was observed in each row of the page: of the rows of several levels, at the first."""
    rows = {}
    for one in PAGE.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in one.strip("|").split("|")]
        if len(cells) == 9 and re.fullmatch(r"[01]\.\d+", cells[5]):
            rows.setdefault(tuple(cells[:3]), float(cells[5]))
    return rows


@pytest.mark.skipif(not PAGE.exists(), reason="the pages are not installed with the tests")
def test_figures_that_the_documentation_quotes_are_on_the_page_of_simulations():
    observed, missing = found(), []
    for unit, quotes in ((100, PERCENTAGES), (1, FRACTIONS)):
        for file, text, places in quotes:
            figures = []
            for place in places:
                rows = place if isinstance(place, list) else [place]
                values = [unit * observed[row] for row in rows]
                figures += [min(values), max(values)] if len(rows) > 1 else values
            words = " ".join((ROOT / file).read_text(encoding="utf-8").split())
            if text.format(*figures) not in words:
                missing.append((file, text.format(*figures)))
    assert not missing
