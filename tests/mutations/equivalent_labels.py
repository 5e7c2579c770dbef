"""Mutants of the significance by labels of people and machines that no test can kill: (file, part, changes, why)."""

from __future__ import annotations

IN_LABELS: list[tuple[str, str, tuple[str, ...], str]] = [
    ("significance/meta_analysis.py", "effect = np.where(there, difference, 0.0)", ("0.0 -> 1.0",), "its weight is 0"),
    ("significance/prediction_powered.py", "weights = both * 1.0", ("1.0 -> 2.0",), "weights count by their ratios"),
    (
        "significance/prediction_powered.py",
        "weights = np.where(both, 1.0 / probability",
        ("1.0 -> 2.0",),
        "weights count by their ratios",
    ),
    (
        "significance/prediction_powered.py",
        "residual = np.where(both, h - slopes * (g - whole), 0.0)",
        ("0.0 -> 1.0",),
        "its weight is 0",
    ),
    (
        "significance/prediction_powered.py",
        "return np.clip(np.where(known, slope * factor, 0.0), 0.0, 1.0)",
        (
            "np.clip(np.where(known, slope * factor, 0.0), 0.0, 1.0) -> "
            "np.clip(0.0, np.where(known, slope * factor, 0.0), 1.0)",
        ),
        "the larger of the two, whichever is named first",
    ),
    (
        "significance/powered_order.py",
        "chance = np.repeat(chance, people.shape[1], axis=1)",
        ("np.repeat(chance, people.shape[1], axis=1) -> np.repeat(chance, people.shape[1])",),
        "row by row either way, and given its shape again where it is used",
    ),
]
