"""Mutants of the significance that no test can kill: (file, part of the line, changes, why)."""

from __future__ import annotations

from tests.mutations.reasons import AT_A_TIME, PATH, SHIFT, TAIL, TWO_WAYS

IN_SIGNIFICANCE: list[tuple[str, str, tuple[str, ...], str]] = [
    (
        "significance/hsd.py",
        "if runs <= 4096 else np.uint64",
        ("runs <= 4096 -> (runs < 4096)", "4096 -> 4097"),
        "keys of 32 or of 64 bits draw alike",
    ),
    (
        "significance/hsd.py",
        "flat = (values - values.min(axis=1",
        (
            "values - values.min(axis=1, keepdims=True) -> (values + values.min(axis=1, keepdims=True))",
            "values.min -> values.max",
            "values.min(axis=1, keepdims=True) -> values.min(keepdims=True)",
        ),
        SHIFT,
    ),
    (
        "significance/power.py",
        "critical, shift = special.stdtrit",
        ("2 -> 3",),
        "fewer are taken for sure, and the integral says 1 of them too",
    ),
    (
        "significance/power.py",
        "slack = np.maximum(shift - 8.3",
        ("8.3 -> 9.3",),
        "as above: more are asked of the integral",
    ),
    (
        "significance/hierarchical_bootstrap.py",
        "n, mean = np.where(there, n, 0)",
        ("0.0 -> 1.0",),
        "its weight is 0",
    ),
    (
        "significance/hierarchical_bootstrap.py",
        "variance = np.where(there, np.square(sd)",
        ("0.0 -> 1.0",),
        "its weight is 0",
    ),
    ("significance/leaderboard.py", "CELLS = 1 << 22", ("1 -> 2", "22 -> 23"), AT_A_TIME),
    (
        "orderings/order.py",
        "CELLS = 1 << 21",
        ("1 -> 2", "21 -> 22", "1 << 21 -> (1 >> 21)"),
        AT_A_TIME,
    ),
    ("orderings/order.py", "width = max(1, CELLS // people.size)", ("1 -> 2",), AT_A_TIME),
    ("significance/hsd.py", "CELLS = 1 << 21", ("1 -> 2", "21 -> 22"), AT_A_TIME),
    (
        "significance/power.py",
        "optimize.brentq(missing",
        ("optimize.brentq(missing, 0.0, high, xtol=1e-10) -> optimize.brentq(missing, 0.0, high)",),
        "scipy's own tolerance is finer: the same within 1e-10",
    ),
    (
        "significance/power.py",
        "while missing(high) < 0:",
        ("missing(high) < 0 -> (missing(high) <= 0)",),
        "a root at the end of the bracket is found in a wider one too",
    ),
    (
        "significance/hsd.py",
        "if total <= NOISE**2 * np.square(centered).sum():",
        (
            "total <= NOISE**2 * np.square(centered).sum() -> (total < NOISE ** 2 * np.square(centered).sum())",
        ),
        "nothing by any number is nothing",
    ),
    (
        "significance/paired_differences.py",
        "else 0.0 - values",
        ("0.0 -> 1.0",),
        "a shift of all runs moves no difference",
    ),
    (
        "significance/hsd.py",
        "t = step * np.arange(np.floor(-(60 / df + 0.5) / step)",
        (
            "60 -> 61",
            "0.5 -> 1.5",
            "np.floor -> np.ceil",
            "9 -> 10",
            "1 -> 2",
            "1.0 -> 2.0",
            "np.ceil -> np.floor",
        ),
        TAIL,
    ),
    (
        "significance/variance_components.py",
        "residual = max(squares.residual / freedom[RESIDUAL] / size, NOISE)",
        (
            "squares.residual / freedom[RESIDUAL] / size -> (squares.residual / freedom[RESIDUAL] * size)",
        ),
        PATH,
    ),
    (
        "significance/over_collections.py",
        "v = np.where(there, 1 / (variance + tau2), 0.0)",
        ("1 -> 2",),
        "a factor of all weights, of which only the shares are taken",
    ),
    (
        "significance/paired_tests.py",
        "for count in np.flatnonzero(np.bincount(kept[tied > 0])",
        ("0 -> 1",),
        "two alike add 6",
    ),
    (
        "significance/paired_tests.py",
        "exact = np.flatnonzero((kept == count) & (tied > 0))",
        ("0 -> 1",),
        "two alike add 6",
    ),
    (
        "significance/variance_components.py",
        "free = free if RESIDUAL in free else np.append(free, RESIDUAL)",
        ("np.append(free, RESIDUAL) -> np.append(RESIDUAL, free)",),
        "the same variances, in whatever order they stand",
    ),
    (
        "significance/hsd.py",
        "spread = 1 / np.sqrt(2 * df)",
        ("2 -> 3",),
        "points a little nearer to each other: the same to 1e-12",
    ),
    (
        "significance/anova.py",
        "return float(np.square(np.where(away > NOISE * np.abs(X).max(), away, 0.0)).sum())",
        ("away > NOISE * np.abs(X).max() -> (away >= NOISE * np.abs(X).max())",),
        "what is rounding either way",
    ),
    (
        "evaluate/ppi.py",
        "away = [np.where(weights > 0, x - np.nansum(weights * x, axis=0) / total, 0.0) for x in (h, g)]",
        ("0.0 -> 1.0",),
        "its weight is 0",
    ),
    (
        "significance/segments.py",
        "df = np.where(se == 0, n + m - 2.0,",
        ("n + m - 2.0 -> (n + m + 2.0)", "2.0 -> 3.0"),
        "without any spread all degrees of freedom give the same interval and p",
    ),
    (
        "significance/segments.py",
        "mean = np.where(n > 0, mean, 0.0)",
        ("0.0 -> 1.0",),
        "its weight is 0",
    ),
    (
        "significance/hierarchical_bootstrap.py",
        "variance = np.where(there, np.square(sd) / np.maximum(n, 1), 0.0)",
        ("1 -> 2",),
        "a number of queries is 0, where nothing is taken of it, or at least 2",
    ),
    (
        "significance/over_collections.py",
        "family = np.arange(len(p_value))[:, None] * (of_pair.max() + 1) + of_pair",
        ("1 -> 2",),
        "numbers of families, which only have to be different",
    ),
    (
        "significance/equivalence.py",
        "most = mass >= mass.max(axis=0) - NOISE",
        ("mass >= mass.max(axis=0) - NOISE -> (mass > mass.max(axis=0) - NOISE)",),
        "what is rounding either way",
    ),
    (
        "significance/hierarchical_bootstrap.py",
        '"p_value": p + none',
        (
            "mean - half + none -> (mean - half - none)",
            "mean + half + none -> (mean + half - none)",
            "p + none -> (p - none)",
        ),
        "what is added is 0 or NaN, and as well taken away",
    ),
    (
        "significance/power.py",
        "unsure = special.chdtrc(n - 1, (n - 1) * slack**2) > 1e-16",
        (
            "n - 1 -> (n + 1)",
            "slack**2 -> (slack * 2)",
            "special.chdtrc(n - 1, (n - 1) * slack**2) > 1e-16 -> "
            "(special.chdtrc(n - 1, (n - 1) * slack ** 2) >= 1e-16)",
        ),
        "which are asked of the integral: a few more or less, of those that it says 1 of to the last digits",
    ),
    (
        "significance/variance_components.py",
        "float(replicate if replicate > least else 0.0)",
        ("replicate > least -> (replicate >= least)",),
        "what is rounding either way",
    ),
    (
        "significance/variance_components.py",
        "float(residual if residual > least else 0.0)",
        ("residual > least -> (residual >= least)",),
        "what is rounding either way",
    ),
    ("significance/variance_components.py", "for _ in range(50):", ("50 -> 51",), PATH),
    ("significance/variance_components.py", 'options={"ftol": 1e-10', ("500 -> 501",), PATH),
    ("significance/variance_components.py", "np.array([0.25", ("0.25 -> 1.25",), PATH),
    (
        "significance/variance_components.py",
        "free = np.flatnonzero((theta > 1e-7) | ((slope < 0)",
        ("theta > 1e-7 -> (theta >= 1e-07)", "slope < 0 -> (slope <= 0)"),
        PATH,
    ),
    (
        "significance/variance_components.py",
        "if value > deviance + 1e-9:",
        ("value > deviance + 1e-9 -> (value >= deviance + 1e-09)",),
        PATH,
    ),
    (
        "significance/variance_components.py",
        "if moved < NOISE:",
        ("moved < NOISE -> (moved <= NOISE)",),
        PATH,
    ),
    (
        "significance/variance_components.py",
        "moved = float(np.abs(tried - theta).max())",
        ("tried - theta -> (tried + theta)",),
        PATH,
    ),
    ("significance/hierarchical_bootstrap.py", "weights = weights[:1]", ("1 -> 2",), TWO_WAYS),
    (
        "significance/paired_tests.py",
        "spread[spread <= NOISE * total] = 0.0",
        ("spread <= NOISE * total -> (spread < NOISE * total)",),
        "what is rounding either way",
    ),
]
