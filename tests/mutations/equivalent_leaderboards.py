"""Mutants of leaderboards and their tests that no test can kill: (file, part of the line, changes, why)."""

from __future__ import annotations

from tests.mutations.reasons import SHARED

IN_LEADERBOARDS: list[tuple[str, str, tuple[str, ...], str]] = [
    (
        "significance/tiers.py",
        'down = np.argsort(rank, kind="stable")',
        ('np.argsort(rank, kind="stable") -> np.argsort(rank)',),
        SHARED,
    ),
    (
        "significance/tiers.py",
        "place[down] = np.cumsum(begins(np.asarray(rank)[down])) - 1",
        ("np.cumsum(begins(np.asarray(rank)[down])) - 1 -> (np.cumsum(begins(np.asarray(rank)[down])) + 1)",),
        "places that nobody has, before the first, are in the first tier",
    ),
    (
        "significance/tiers.py",
        "at_places = np.zeros((int(place.max()) + 1,) * 2, dtype=bool)",
        ("1 -> 2",),
        "a place that nobody has, after the last, is in the last tier",
    ),
    (
        "significance/outcome.py",
        "sd = np.sqrt(np.square(away).sum(axis=0) / np.where(n > 1, n - 1, np.nan))",
        ("n > 1 -> (n >= 1)",),
        "of one value it is 0 / 0, which is NaN as well",
    ),
    (
        "significance/mean_ranks.py",
        "return 1.0 if found > 1 - NOISE else found",
        ("found > 1 - NOISE -> (found >= 1 - NOISE)",),
        "exactly at the limit of rounding, which no sum of ranks is at",
    ),
]
