"""Known deviations of tests and intervals from their level, with the reason of each.

They are declared by direction only: a conservative test errs less often than its level, a liberal one more often. How
far each deviates is on the page of simulations.
"""

from __future__ import annotations

from tests.statistics.findings import Deviation

STEPS = "counts come in steps, and ties drop out"
TAILS = "resamples of heavy tails spread t wider than it is"
REACHED = "draws that tie with what was observed count as reaching it"
TIED = "tied ranks vary less than the test takes them to"
SKEWED = "Student's interval of a skewed mean: mean and spread go together"
WHOLE = "ranks are whole numbers: an interval of them covers more"
RARE = "few users with many of a rare event: rate and spread go together"
ROUGH = "rates are counts, which come in steps"
SAFE, KNOWN_LIMIT = "conservative", "liberal"

# what has such a name, under these distributions (none: under all)
KNOWN: tuple[tuple[tuple[str, ...], tuple[str, ...], Deviation, str], ...] = (
    (("sign", "wins", "interval of sign"), (), SAFE, STEPS),
    (("bootstrap", "interval of bootstrap"), ("lognormal",), SAFE, TAILS),
    (("randomization", "exact_randomization"), ("discrete",), SAFE, REACHED),
    (("interval of wilcoxon",), ("discrete",), SAFE, STEPS),
    (
        ("interval of randomization", "interval of exact_randomization"),
        ("discrete",),
        SAFE,
        REACHED,
    ),
    (("nemenyi",), ("discrete", "bounded"), SAFE, TIED),
    (("summary", "behavior, mean"), ("lognormal",), KNOWN_LIMIT, SKEWED),
    (("rank by mean", "rank by winrate"), (), SAFE, WHOLE),
    (("interval of z",), ("rate .05", "rate .95"), SAFE, ROUGH),
    # exactly 0.9283 for rates of .2 and .8, by adding up the binomial
    (("behavior, rate",), ("rate .2", "rate .8"), KNOWN_LIMIT, ROUGH),
    (("behavior, rate over queries",), ("rate .05", "rate .95"), KNOWN_LIMIT, RARE),
    (("behavior, ratio",), ("rate .05",), KNOWN_LIMIT, RARE),
)


def expected(what: str, null: str) -> tuple[Deviation, str]:
    """Return the direction and the reason of a known deviation, or two empty strings.

    Examples
    --------
    >>> expected("sign", "normal")
    ('conservative', 'counts come in steps, and ties drop out')
    >>> expected("t", "normal")
    ('', '')
    """
    for names, nulls, deviation, why in KNOWN:
        if what in names and (not nulls or null in nulls):
            return deviation, why
    return "", ""
