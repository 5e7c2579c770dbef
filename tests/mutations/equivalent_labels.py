"""Mutants of the significance by labels of people and machines that no test can kill: (file, part, changes, why)."""

from __future__ import annotations

IN_LABELS: list[tuple[str, str, tuple[str, ...], str]] = [
    (
        "significance/over_collections.py",
        "effect = np.where(there, difference, 0.0)",
        ("0.0 -> 1.0",),
        "its weight is 0",
    ),
    ("evaluate/ppi.py", "weights = both * 1.0", ("1.0 -> 2.0",), "weights count by their ratios"),
    (
        "evaluate/ppi.py",
        "weights = np.where(both, 1.0 / probability",
        ("1.0 -> 2.0",),
        "weights count by their ratios",
    ),
    (
        "evaluate/ppi.py",
        "residual = np.where(both, h - slopes * (g - overall), 0.0)",
        ("0.0 -> 1.0",),
        "its weight is 0",
    ),
    (
        "evaluate/ppi.py",
        "return np.clip(np.where(known, slope * factor, 0.0), 0.0, 1.0)",
        (
            "np.clip(np.where(known, slope * factor, 0.0), 0.0, 1.0) -> "
            "np.clip(0.0, np.where(known, slope * factor, 0.0), 1.0)",
        ),
        "the larger of the two, whichever is named first",
    ),
    (
        "significance/delta_sort.py",
        "first = mean > 0",
        ("mean > 0 -> (mean >= 0)",),
        "a mean difference of 0 has p = 1, which is no lead of either",
    ),
    (
        "judgments/label_samples.py",
        "over = rest & (size * scale > 1)",
        ("size * scale > 1 -> (size * scale >= 1)",),
        "a chance of exactly 1 is 1 either way, and leaves the others what they had",
    ),
]
