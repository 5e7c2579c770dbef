"""Mutants of the kernels that no test can kill: (file, part of the line, changes, why)."""

from __future__ import annotations

from tests.mutations.reasons import AT_A_TIME

IN_KERNELS: list[tuple[str, str, tuple[str, ...], str]] = [
    ("kernels/diversity.py", "value[~left] = -1.0", ("1.0 -> 2.0",), "any negative number is below all gains"),
    ("kernels/expected.py", "r = np.where(here, relevant[", ("1.0 -> 2.0",), "what is not there is not looked at"),
    ("kernels/cwl.py", "CELLS = 1 << 18", ("1 -> 2", "18 -> 19"), AT_A_TIME),
    (
        "kernels/confusion.py",
        "for least in np.unique(ideal[ideal > 0]).tolist():",
        ("ideal > 0 -> (ideal >= 0)",),
        "a level of 0 adds 0",
    ),
    (
        "kernels/sampled.py",
        "chance = above[:, None] / max(n_items - 1, 1)",
        ("1 -> 2",),
        "of one item none is above: 0 by any number",
    ),
]
