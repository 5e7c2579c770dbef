"""Where a test or interval is known not to keep its level to the digit: the stated bound, and why.

Tests have the most that they may reject, intervals the least that they may cover.
"""

from __future__ import annotations

STEPS = "counts come in steps, and ties drop out"
TAILS = "resamples of heavy tails spread t wider than it is: conservative"
REACHED = "draws that tie with what was observed count as reaching it"
TIED = "tied ranks vary less than the test takes them to"
SKEWED = "Student's interval of a skewed mean: mean and spread go together"
WHOLE = "ranks are whole numbers: an interval of them covers more"
RARE = "few users with many of a rare event: rate and spread go together"
ROUGH = "rates are counts, which come in steps"

# what has such a name, under these distributions (none: under all), has a bound for each level
KNOWN: tuple[tuple[tuple[str, ...], tuple[str, ...], dict[float, float], str], ...] = (
    (("sign", "wins"), (), {0.05: 0.05, 0.01: 0.01}, STEPS),
    (("bootstrap",), ("lognormal",), {0.05: 0.05, 0.01: 0.01}, TAILS),
    (("interval of bootstrap",), ("lognormal",), {0.95: 0.95}, TAILS),
    (("randomization", "exact_randomization"), ("discrete",), {0.05: 0.05, 0.01: 0.01}, REACHED),
    (("interval of sign",), (), {0.95: 0.95}, STEPS),
    (("interval of wilcoxon",), ("discrete",), {0.95: 0.95}, STEPS),
    (
        ("interval of randomization", "interval of exact_randomization"),
        ("discrete",),
        {0.95: 0.95},
        REACHED,
    ),
    (("nemenyi",), ("discrete", "bounded"), {0.05: 0.05, 0.01: 0.01}, TIED),
    (("summary", "behavior, mean"), ("lognormal",), {0.95: 0.86}, SKEWED),
    (("rank by mean", "rank by winrate"), (), {0.95: 0.95}, WHOLE),
    (("interval of z",), (), {0.95: 0.94}, ROUGH),
    (
        ("behavior, rate",),
        (),
        {0.95: 0.928},
        ROUGH,
    ),  # exactly 0.9283 for a rate of .2, by adding up the binomial
    (("behavior, rate over queries",), ("rate .05", "rate .95"), {0.95: 0.92}, RARE),
    (("behavior, ratio",), ("rate .05",), {0.95: 0.89}, RARE),
)


def expected(what: str, null: str, level: float) -> tuple[float | None, str]:
    """Return (bound, why), or (None, '') where the level itself is expected.

    Examples
    --------
    >>> expected("sign", "normal", 0.05)
    (0.05, 'counts come in steps, and ties drop out')
    >>> expected("t", "normal", 0.05)
    (None, '')
    """
    for names, nulls, bounds, why in KNOWN:
        if what in names and (not nulls or null in nulls) and level in bounds:
            return bounds[level], why
    return None, ""
