"""Mutants that no test can kill, each with its reason: (file, part of the line, change or "*", why)."""

from __future__ import annotations

AT_A_TIME = "how much is done at a time: memory, not the result"
WIDER = "the way for shorter texts gives the same for these too"
ANY_SEED = "one seed is as good as another; its callers give theirs"

EQUIVALENT: list[tuple[str, str, str, str]] = [
    ("judged/duplicates.py", "_BLOCK = 1 << 18", "*", AT_A_TIME),
    ("judged/duplicates.py", "step = max(_BLOCK // max(int(sizes[0]), 1), 1)", "*", AT_A_TIME),
    ("judged/duplicates.py", "held[~real] = np.arange(", "*", "any different numbers fill what is no row"),
    ("judged/ids.py", "_CHUNK = 1 << 14", "*", AT_A_TIME),
    ("judged/ids.py", "_ODD = np.uint64(", "*", "any odd number mixes; equal hashes are looked at again"),
    ("judged/ids.py", "_FOLD = np.uint64(29)", "*", "any fold mixes; equal hashes are looked at again"),
    ("judged/ids.py", "if int(length.min()) < 8:", "8 -> 9", WIDER),
    ("judged/ids.py", "if int(length.min()) < 8:", "int(length.min()) < 8 -> (int(length.min()) <= 8)", WIDER),
    (
        "judged/ids.py",
        "if not 0 < width <= 8 or",
        "0 < width <= 8 -> (0 <= width <= 8)",
        "of texts without letters none differs, either way",
    ),
    ("judged/blocks.py", "MOST = 1 << 21", "*", AT_A_TIME),
    ("judged/blocks.py", "slot = np.full(", "1 -> 2", "any negative number is no place"),
    ("judged/columns.py", "NOWHERE = 1 << 40", "*", "any number beyond all ranks stands for infinity"),
    ("judged/positions.py", "_TABLE = 1 << 22", "*", "which of two ways with one result"),
    ("judged/positions.py", "if cells <= max(_TABLE, 4 * len(key)):", "*", "which of two ways with one result"),
    (
        "kernels/pair_terms.py",
        "longest = np.maximum(",
        "np.asarray(x_retrieved, dtype=np.float64) -> np.asarray(x_retrieved)",
        "lengths are whole numbers, and compare alike",
    ),
    ("orderings/votes.py", "BLOCK = 1 << 21", "*", AT_A_TIME),
    ("orderings/order.py", "else np.ones(len(source.measures), dtype=bool)", "*", "1 is as true as True"),
    ("orderings/order.py", "place = np.argsort(np.array(texts", "*", "the names of runs are all different"),
    ("orderings/order.py", "seed: int | None = 0", "0 -> 1", ANY_SEED),
    ("significance/compare.py", "seed: int | None = 0", "0 -> 1", ANY_SEED),
    ("significance/discriminative.py", "seed: int | None = 0", "0 -> 1", ANY_SEED),
    ("significance/hsd.py", "seed: int | None = 0", "0 -> 1", ANY_SEED),
    ("significance/paired.py", "seed: int | None = 0", "0 -> 1", ANY_SEED),
    (
        "significance/paired.py",
        "np.flatnonzero(np.bincount(kept[tied",
        "1 -> 2",
        "a longer row of zeros has no more counts",
    ),
    ("significance/paired.py", "filled = np.nan_to_num(D, nan=0.0)", "*", "0 is numpy's own choice too"),
    ("significance/paired.py", "BOOTSTRAP_PAIRS = 256", "*", AT_A_TIME),
    ("significance/paired.py", "PATTERNS = 2**20", "*", AT_A_TIME),
    ("significance/compared.py", "BLOCK = 2**20", "*", AT_A_TIME),
    ("significance/hsd.py", "BLOCK = 2**17", "*", AT_A_TIME),
    ("significance/hsd.py", "PAIR_BLOCK = 2**19", "*", AT_A_TIME),
    ("significance/hsd.py", "TILE = 10", "*", AT_A_TIME),
    ("significance/hsd.py", "if runs <= 4096 else np.uint64", "*", "keys of 32 or of 64 bits draw alike"),
    ("significance/hsd.py", "flat = (X - X.min(axis=1", "*", "a shift of a query moves all its runs alike"),
    ("significance/studentised.py", "BLOCK = 2**20", "*", AT_A_TIME),
    (
        "significance/power.py",
        "optimize.brentq(missing",
        "optimize.brentq(missing, 0.0, high, xtol=1e-10) -> optimize.brentq(missing, 0.0, high)",
        "scipy's own tolerance is finer: the same within 1e-10",
    ),
    (
        "significance/power.py",
        "while missing(high) < 0:",
        "missing(high) < 0 -> (missing(high) <= 0)",
        "a root at the end of the bracket is found in a wider one too",
    ),
    ("engines/partitions.py", "ROWS = 1 << 19", "*", AT_A_TIME),
    ("engines/partitions.py", "told = dask.delayed(options, traverse=False)", "*", "what Dask looks through, in time"),
    ("engines/partwise.py", "MEMORY = 1 << 28", "*", AT_A_TIME),
    ("engines/partwise.py", "seed: int | None = 0", "0 -> 1", ANY_SEED),
    ("engines/gathering.py", "FAN_IN = 16", "*", AT_A_TIME),
    ("engines/answers.py", "MEMORY = 1 << 27", "*", AT_A_TIME),
    ("engines/answers.py", "PLACES = 32", "*", "any number of bits that holds the place of an item"),
    ("engines/judgments_sent.py", "SMALL = 1 << 20", "*", "which of two ways with one result"),
]
