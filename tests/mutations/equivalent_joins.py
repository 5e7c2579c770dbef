"""Mutants of the join, the accessors and the engines that no test can kill: (file, part of the line, changes, why)."""

from __future__ import annotations

from tests.mutations.reasons import AT_A_TIME, LARGE, TWO_WAYS, WHOLE

IN_JOINS: list[tuple[str, str, tuple[str, ...], str]] = [
    (
        "join/duplicates.py",
        "_BLOCK = 1 << 18",
        ("1 -> 2", "18 -> 19", "1 << 18 -> (1 >> 18)"),
        AT_A_TIME,
    ),
    (
        "join/duplicates.py",
        "step = max(_BLOCK // max(int(sizes[0]), 1), 1)",
        (
            "max -> min",
            "1 -> 2",
            "_BLOCK // max(int(sizes[0]), 1) -> (_BLOCK * max(int(sizes[0]), 1))",
        ),
        AT_A_TIME,
    ),
    (
        "join/duplicates.py",
        "np.array_split(which, -(-len(which) // 4096))",
        ("4096 -> 4097",),
        AT_A_TIME,
    ),
    (
        "join/ids.py",
        "return ends, raw if len(raw) >= 8 else np.concatenate",
        ("8 - len(raw) -> (8 + len(raw))", "8 -> 9", "len(raw) >= 8 -> (len(raw) > 8)"),
        "more zeros beyond the end, which are masked",
    ),
    ("join/ids.py", "CHUNK = 1 << 14", ("1 -> 2", "14 -> 15"), AT_A_TIME),
    (
        "join/ids.py",
        "if not 0 < width <= 8 or",
        ("0 < width <= 8 -> (0 <= width <= 8)",),
        "of texts without letters none differs, either way",
    ),
    ("join/blocks.py", "MOST = 1 << 21", ("1 -> 2", "21 -> 22", "1 << 21 -> (1 >> 21)"), AT_A_TIME),
    ("join/blocks.py", "slot = np.full(", ("1 -> 2",), "any negative number is no place"),
    (
        "join/blocks.py",
        "NOWHERE = 1 << 40",
        ("1 -> 2", "40 -> 41"),
        "any number beyond all ranks is infinity",
    ),
    (
        "join/positions.py",
        "table = np.full(cells, -1, dtype=np.int32)",
        ("np.full(cells, -1, dtype=np.int32) -> np.full(cells, -1)",),
        "half the memory, the same places",
    ),
    (
        "join/positions.py",
        "_TABLE = 1 << 22",
        ("1 -> 2", "22 -> 23", "1 << 22 -> (1 >> 22)"),
        TWO_WAYS,
    ),
    (
        "evaluate/groups.py",
        "if len(first) * 4 > len(frame):",
        (
            "len(first) * 4 > len(frame) -> (len(first) * 4 >= len(frame))",
            "4 -> 5",
            "len(first) * 4 -> (len(first) / 4)",
        ),
        TWO_WAYS,
    ),
    ("dask/shuffle.py", "ROWS = 1 << 19", ("1 -> 2", "19 -> 20"), AT_A_TIME),
    ("dask/lazy_verbs.py", "MEMORY = 1 << 28", ("1 -> 2", "28 -> 29"), AT_A_TIME),
    (
        "dask/partition_plan.py",
        "home = np.full(count, -1)",
        ("1 -> 2",),
        "any negative number is no partition",
    ),
    ("dask/partition.py", "MEMORY = 1 << 27", ("1 -> 2", "27 -> 28"), AT_A_TIME),
    (
        "join/merge_parts.py",
        "PLACES = 32",
        ("32 -> 33",),
        "any number of bits that holds the place of an item",
    ),
    ("dask/first_pass.py", "SMALL = 1 << 20", ("1 -> 2", "20 -> 21"), TWO_WAYS),
    (
        "join/merge_parts.py",
        "self.size = np.zeros(len(judged.queries), dtype=np.int64)",
        ("np.zeros(len(judged.queries), dtype=np.int64) -> np.zeros(len(judged.queries))",),
        WHOLE,
    ),
    (
        "dask/partition_plan.py",
        "home=np.zeros(len(self.known.queries), dtype=np.int64)",
        ("np.zeros(len(self.known.queries), dtype=np.int64) -> np.zeros(len(self.known.queries))",),
        "another takes its place, or lists have homes and queries none",
    ),
    (
        "dask/shuffle.py",
        'columns[ROW] = (int(numbers["number"].iloc[0]) << 40) + kept',
        ("40 -> 41",),
        "any number of bits that holds the place of a row",
    ),
    ("join/list_columns.py", "MOST = 1 << 20", ("1 -> 2", "20 -> 21"), AT_A_TIME),
    (
        "join/lists.py",
        "if count < 2**31:",
        ("2 -> 3", "31 -> 32", "count < 2**31 -> (count <= 2 ** 31)"),
        LARGE,
    ),
]
