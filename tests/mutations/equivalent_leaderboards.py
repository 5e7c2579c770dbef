"""Mutants of leaderboards and their tests that no test can kill: (file, part of the line, changes, why)."""

from __future__ import annotations

from tests.mutations.reasons import AT_A_TIME, PATH, SHARED, TAIL

BAR = "what a bar shows"

IN_LEADERBOARDS: list[tuple[str, str, tuple[str, ...], str]] = [
    (
        "significance/leaderboard.py",
        'down = np.argsort(rank, kind="stable")',
        ('np.argsort(rank, kind="stable") -> np.argsort(rank)',),
        SHARED,
    ),
    (
        "significance/leaderboard.py",
        "at_places = np.zeros((int(place.max()) + 1,) * 2, dtype=bool)",
        ("1 -> 2",),
        "a place that nobody has, after the last, is in the last tier",
    ),
    (
        "tables/equal_values.py",
        "sd = np.sqrt(np.square(away).sum(axis=0) / np.where(n > 1, n - 1, np.nan))",
        ("n > 1 -> (n >= 1)",),
        "of one value it is 0 / 0, which is NaN as well",
    ),
    (
        "orderings/order.py",
        'for weights in track(blocks, desc=f"bootstrap {measure}", progress=progress)',
        (
            'track(blocks, desc=f"bootstrap {measure}", progress=progress) -> track(blocks, progress=progress)',
        ),
        BAR,
    ),
    (
        "significance/corrections.py",
        'by_family = known[np.argsort(family[known], kind="stable")]',
        ('np.argsort(family[known], kind="stable") -> np.argsort(family[known])',),
        SHARED,
    ),
    (
        "significance/paired_tests.py",
        "reached[column] = share_reaching(values[values > 0], least[column])",
        ("values > 0 -> (values >= 0)",),
        "both signs of a 0 make the same sums: twice as many of twice as many",
    ),
    (
        "significance/paired_tests.py",
        'above = len(second) - np.searchsorted(second, least - first, side="left")',
        ("least - first -> (least + first)",),
        "sums stand with their negatives",
    ),
    (
        "significance/hsd.py",
        "q = np.asarray(q, dtype=float)",
        ("np.asarray(q, dtype=float) -> np.asarray(q)",),
        "a product with fractions makes it one",
    ),
    (
        "significance/hsd.py",
        "width = np.minimum(flat[part, None] * scale, 40.0)",
        ("40.0 -> 41.0",),
        TAIL,
    ),
    (
        "significance/hsd.py",
        "high = 4.0",
        ("4.0 -> 5.0",),
        PATH,
    ),
    (
        "significance/hsd.py",
        "while tail_of(high, k, df) > p:",
        ("tail_of(high, k, df) > p -> (tail_of(high, k, df) >= p)",),
        PATH,
    ),
    (
        "significance/hsd.py",
        "high *= 2",
        ("2 -> 3",),
        PATH,
    ),
    (
        "significance/hsd.py",
        "t = step * np.arange(np.floor(-(60 / df + 0.5) / step), np.ceil(max(9 * spread, ",
        ("np.ceil(max(9 * spread, 1.0) / step) + 1 -> (np.ceil(max(9 * spread, 1.0) / step) - 1)",),
        TAIL,
    ),
    (
        "significance/hsd.py",
        "t, log_density = t[log_density > -60], log_density[log_density > -60]",
        (
            "log_density > -60 -> (log_density >= -60)",
            "t, log_density = t[log_density > -60], log_density[log_density > -60] -> pass",
        ),
        TAIL,
    ),
    (
        "significance/hsd.py",
        "z = np.arange(-10.0, 9.6, 0.1)",
        (
            "10.0 -> 11.0",
            "9.6 -> 10.6",
        ),
        TAIL,
    ),
    (
        "significance/leaderboard.py",
        "size = max(1, min(draws, CELLS // max(counts.met.size, len(counts.n), counts.groups)))",
        (
            "CELLS // max(counts.met.size, len(counts.n), counts.groups) -> "
            "(CELLS * max(counts.met.size, len(counts.n), counts.groups))",
        ),
        AT_A_TIME,
    ),
    (
        "significance/leaderboard.py",
        "code = table.frame.groupby(names, sort=True, observed=True, dropna=False)",
        (
            "table.frame.groupby(names, sort=True, observed=True, dropna=False) -> "
            "table.frame.groupby(names, sort=True, dropna=False)",
        ),
        "what pandas does unasked, from version 3 on",
    ),
    (
        "significance/leaderboard.py",
        'order = orders.groupby(["measure", "method"], sort=False, observed=True).ngroup()',
        (
            'orders.groupby(["measure", "method"], sort=False, observed=True) -> '
            "orders.groupby(['measure', 'method'], sort=False)",
        ),
        "what pandas does unasked, from version 3 on",
    ),
]
