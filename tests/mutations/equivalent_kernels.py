"""Mutants of the kernels that no test can kill: (file, part of the line, changes, why)."""

from __future__ import annotations

from tests.mutations.reasons import AT_A_TIME

BROADCAST = "zeros of fewer axes broadcast to the same"
NOT_THERE = "what is not there is not looked at"
FURTHER = "how far a table is made ahead: it holds the same"

IN_KERNELS: list[tuple[str, str, tuple[str, ...], str]] = [
    (
        "kernels/diversity.py",
        "value[~left] = -1.0",
        ("1.0 -> 2.0",),
        "any negative number is below all gains",
    ),
    ("kernels/expected_ties.py", "r = np.where(here, relevant[", ("1.0 -> 2.0",), NOT_THERE),
    ("kernels/cwl.py", "CELLS = 1 << 18", ("1 -> 2", "18 -> 19"), AT_A_TIME),
    (
        "kernels/sets.py",
        "for least in np.unique(ideal[ideal > 0]).tolist():",
        ("ideal > 0 -> (ideal >= 0)",),
        "a level of 0 adds 0",
    ),
    (
        "kernels/sampling_bias.py",
        "chance = above[:, None] / max(n_items - 1, 1)",
        ("1 -> 2",),
        "of one item none is above: 0 by any number",
    ),
    (
        "kernels/sets.py",
        "seen, best, below = np.zeros(near.shape)",
        ("1 -> 2",),
        BROADCAST,
    ),
    (
        "kernels/interpolation.py",
        "where = [counted(recall, len(rank), points)",
        ("counted(recall, len(rank), points) -> counted(len(rank), recall, points)",),
        "only the product of both counts",
    ),
    (
        "kernels/primitives.py",
        "grown = np.fromiter(map(math.log2, range(",
        ("1 -> 2", "2 -> 3"),
        FURTHER,
    ),
    (
        "kernels/primitives.py",
        "most = float(np.max(grade, initial=0.0))",
        ("0.0 -> 1.0",),
        "both are far below the limit",
    ),
    (
        "kernels/continuation.py",
        "weight = np.multiply.accumulate(np.append(1.0",
        ("1.0 -> 2.0",),
        "all weights are twice as large, and are divided by their sums",
    ),
    (
        "kernels/continuation.py",
        "weight = np.multiply.accumulate(np.append(1.0",
        ("deepest - 1 -> (deepest + 1)",),
        FURTHER,
    ),
    (
        "kernels/continuation.py",
        "deepest = max(int(depth.max(initial=0)), m)",
        ("0 -> 1",),
        FURTHER,
    ),
    (
        "kernels/cwl.py",
        "step = max(CELLS // depth, 1)",
        ("CELLS // depth -> (CELLS * depth)", "1 -> 2"),
        AT_A_TIME,
    ),
    (
        "kernels/cwl.py",
        "return np.clip(gain, 0.0, 1.0)",
        ("np.clip(gain, 0.0, 1.0) -> np.clip(0.0, gain, 1.0)",),
        "of three numbers the middle one, whichever is said first",
    ),
    ("kernels/graded.py", "value = np.zeros(np.shape(rank)[1:])", ("1 -> 2",), BROADCAST),
    (
        "kernels/expected_ties.py",
        "ranks = np.arange(1.0, (begin + number).max(initial=0) + 1)",
        ("0 -> 1", "1 -> 2"),
        FURTHER,
    ),
    (
        "kernels/expected_ties.py",
        "for u in range(int(j.max(initial=1))):",
        ("1 -> 2",),
        "one factor more, which is 1",
    ),
    (
        "kernels/expected_ties.py",
        "for step in range(int((n - r).max(",
        ("0 -> 1", "1 -> 2"),
        "beyond the last place it adds 0",
    ),
    (
        "kernels/expected_ties.py",
        "onward = np.where(t < last",
        ("1.0 -> 2.0",),
        "beyond the last place nothing is looked at",
    ),
    (
        "kernels/incomplete_judgments.py",
        "j = np.where(here, rank, 1.0) - 1",
        ("1.0 -> 2.0",),
        NOT_THERE,
    ),
    (
        "kernels/incomplete_judgments.py",
        "above, pooled = np.where(here, above, 0.0)",
        ("0.0 -> 1.0",),
        NOT_THERE,
    ),
    (
        "kernels/lexicographic.py",
        "break",
        ("break -> pass",),
        "with no list left, all that follows is of none",
    ),
    (
        "kernels/sampling_bias.py",
        "for at in range(0, n_items, step := max(",
        ("1 -> 2", "STEP // (negatives + 1) -> (STEP * (negatives + 1))"),
        AT_A_TIME,
    ),
    (
        "kernels/expected_ties.py",
        "begin = np.where(number > 0, start, 0.0)",
        ("0.0 -> 1.0",),
        NOT_THERE,
    ),
    (
        "kernels/lexicographic.py",
        "weight > UNSEEN * worse",
        ("weight > UNSEEN * worse -> (weight >= UNSEEN * worse)",),
        "what weighs nothing adds nothing",
    ),
    (
        "kernels/graded.py",
        "for number in range(1, int(order.max(",
        ("0 -> 1",),
        "a step that no list has adds nothing",
    ),
    (
        "kernels/sampling_bias.py",
        "deepest = float(np.max(retrieved, initial=0.0))",
        ("0.0 -> 1.0",),
        "there is one negative at least",
    ),
]
