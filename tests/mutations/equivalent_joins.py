"""Mutants of the join, the doors and the engines that no test can kill: (file, part of the line, changes, why)."""

from __future__ import annotations

from tests.mutations.reasons import AGAIN, AT_A_TIME, LARGE, TWO_WAYS, WHOLE, WIDER

IN_JOINS: list[tuple[str, str, tuple[str, ...], str]] = [
    ("judged/duplicates.py", "_BLOCK = 1 << 18", ("1 -> 2", "18 -> 19", "1 << 18 -> (1 >> 18)"), AT_A_TIME),
    (
        "judged/duplicates.py",
        "step = max(_BLOCK // max(int(sizes[0]), 1), 1)",
        ("max -> min", "1 -> 2", "_BLOCK // max(int(sizes[0]), 1) -> (_BLOCK * max(int(sizes[0]), 1))"),
        AT_A_TIME,
    ),
    ("judged/duplicates.py", "np.array_split(which, -(-len(which) // 4096))", ("4096 -> 4097",), AT_A_TIME),
    (
        "judged/ranks.py",
        "begin, end = int(offsets[0]), int(offsets[-1])",
        ("0 -> 1",),
        "the first text stands before those that it is tied with, with a NUL or without",
    ),
    (
        "judged/texts.py",
        "return ends, raw if len(raw) >= 8 else np.concatenate",
        ("8 - len(raw) -> (8 + len(raw))", "8 -> 9", "len(raw) >= 8 -> (len(raw) > 8)"),
        "more zeros beyond the end, which are masked",
    ),
    ("judged/texts.py", "CHUNK = 1 << 14", ("1 -> 2", "14 -> 15"), AT_A_TIME),
    ("judged/texts.py", "_ODD = np.uint64(", ("0x9E3779B97F4A7C15 -> 11400714819323198486",), AGAIN),
    ("judged/texts.py", "_FOLD = np.uint64(29)", ("29 -> 30",), AGAIN),
    (
        "judged/texts.py",
        "if int(length.min()) < 8:",
        ("8 -> 9", "int(length.min()) < 8 -> (int(length.min()) <= 8)"),
        WIDER,
    ),
    (
        "judged/texts.py",
        "if not 0 < width <= 8 or",
        ("0 < width <= 8 -> (0 <= width <= 8)",),
        "of texts without letters none differs, either way",
    ),
    ("judged/blocks.py", "MOST = 1 << 21", ("1 -> 2", "21 -> 22", "1 << 21 -> (1 >> 21)"), AT_A_TIME),
    ("judged/blocks.py", "slot = np.full(", ("1 -> 2",), "any negative number is no place"),
    ("judged/columns.py", "NOWHERE = 1 << 40", ("1 -> 2", "40 -> 41"), "any number beyond all ranks is infinity"),
    (
        "judged/positions.py",
        "table = np.full(cells, -1, dtype=np.int32)",
        ("np.full(cells, -1, dtype=np.int32) -> np.full(cells, -1)",),
        "half the memory, the same places",
    ),
    ("judged/positions.py", "_TABLE = 1 << 22", ("1 -> 2", "22 -> 23", "1 << 22 -> (1 >> 22)"), TWO_WAYS),
    ("judged/positions.py", "if complete:", ("complete -> (not (complete))",), TWO_WAYS),
    (
        "accessor/grouping.py",
        "if len(first) * 4 > len(frame):",
        (
            "len(first) * 4 > len(frame) -> (len(first) * 4 >= len(frame))",
            "4 -> 5",
            "len(first) * 4 -> (len(first) / 4)",
        ),
        TWO_WAYS,
    ),
    ("engines/partitions.py", "ROWS = 1 << 19", ("1 -> 2", "19 -> 20"), AT_A_TIME),
    (
        "engines/partitions.py",
        "told = dask.delayed(options, traverse=False)",
        ("dask.delayed(options, traverse=False) -> dask.delayed(options)", "False -> True"),
        "what Dask looks through, in time",
    ),
    ("engines/partwise.py", "MEMORY = 1 << 28", ("1 -> 2", "28 -> 29"), AT_A_TIME),
    ("engines/dividing.py", "home = np.full(count, -1)", ("1 -> 2",), "any negative number is no partition"),
    ("engines/dividing.py", "home = np.full(len(found.runs), -1)", ("1 -> 2",), "any negative number is no partition"),
    ("engines/gathering.py", "FAN_IN = 16", ("16 -> 17",), AT_A_TIME),
    ("engines/answers.py", "MEMORY = 1 << 27", ("1 -> 2", "27 -> 28"), AT_A_TIME),
    ("judged/pieces.py", "PLACES = 32", ("32 -> 33",), "any number of bits that holds the place of an item"),
    ("engines/judgments_sent.py", "SMALL = 1 << 20", ("1 -> 2", "20 -> 21"), TWO_WAYS),
    (
        "accessor/grouping.py",
        "cells = len(asked) * len(judged.queries)",
        (
            "len(asked) * len(judged.queries) -> (len(asked) / len(judged.queries))",
            "len(asked) * len(judged.queries) * len(judged.runs) ** 2 -> "
            "(len(asked) * len(judged.queries) / len(judged.runs) ** 2)",
        ),
        TWO_WAYS,
    ),
    (
        "judged/blocks.py",
        "own = at.judged.topic[at.item] * len(at.runs) + at.run",
        ("at.judged.topic[at.item] * len(at.runs) + at.run -> (at.judged.topic[at.item] * len(at.runs) - at.run)",),
        "another number for every list, and no two alike",
    ),
    (
        "accessor/grouping.py",
        'at_once = found.of_queries_alone or judged.topics != "common"',
        (
            'found.of_queries_alone or judged.topics != "common" -> '
            "(found.of_queries_alone and judged.topics != 'common')",
        ),
        "all groups at once or one after the other, with one result",
    ),
    ("judged/texts.py", "mixed *= _ODD", ("mixed *= _ODD -> pass",), AGAIN),
    (
        "judged/texts.py",
        "mixed ^= mixed >> _FOLD",
        ("mixed ^= mixed >> _FOLD -> pass", "mixed >> _FOLD -> (mixed << _FOLD)"),
        AGAIN,
    ),
    (
        "judged/texts.py",
        "return mixed ^ (mixed >> _FOLD)",
        ("mixed ^ (mixed >> _FOLD) -> (mixed)", "mixed >> _FOLD -> (mixed << _FOLD)"),
        AGAIN,
    ),
    (
        "judged/pieces.py",
        "self.size = np.zeros(len(judged.queries), dtype=np.int64)",
        ("np.zeros(len(judged.queries), dtype=np.int64) -> np.zeros(len(judged.queries))",),
        WHOLE,
    ),
    (
        "engines/dividing.py",
        "home=np.zeros(len(self.known.queries), dtype=np.int64)",
        ("np.zeros(len(self.known.queries), dtype=np.int64) -> np.zeros(len(self.known.queries))",),
        "another takes its place, or lists have homes and queries none",
    ),
    (
        "engines/partitions.py",
        'columns[ROW] = (int(numbers["number"].iloc[0]) << 40) + kept',
        ("40 -> 41",),
        "any number of bits that holds the place of a row",
    ),
    (
        "engines/dividing.py",
        "return dask.delayed(self.whole, traverse=False)",
        ("dask.delayed(self.whole, traverse=False) -> dask.delayed(self.whole)", "False -> True"),
        "what Dask looks through, in time",
    ),
    ("judged/texts.py", "for place in range(1, min(-(-longest // 8), 4) - 1):", ("8 -> 9", "4 -> 5"), AGAIN),
    ("judged/rank_columns.py", "MOST = 1 << 20", ("1 -> 2", "20 -> 21"), AT_A_TIME),
    (
        "judged/rank_columns.py",
        "each = depth * len(positions.runs)",
        (
            "1 -> 2",
            "depth * len(positions.runs) -> (depth / len(positions.runs))",
            "\"features\" in columns -> ('features' not in columns)",
        ),
        AT_A_TIME,
    ),
    ("judged/rank_columns.py", "step = max(MOST // max(each, 1), 1)", ("1 -> 2", "max -> min"), AT_A_TIME),
    (
        "judged/lists.py",
        "if count < 2**31:",
        ("2 -> 3", "31 -> 32", "count < 2**31 -> (count <= 2 ** 31)"),
        LARGE,
    ),
    (
        "judged/ranks.py",
        "small = np.int32 if len(score) < 2**31",
        ("2 -> 3", "31 -> 32", "2**31 -> (2 * 31)", "len(score) < 2**31 -> (len(score) <= 2 ** 31)"),
        LARGE,
    ),
    (
        "judged/listed.py",
        "small = np.int32 if len(doc) < 2**31",
        ("2 -> 3", "31 -> 32", "2**31 -> (2 * 31)", "len(doc) < 2**31 -> (len(doc) <= 2 ** 31)"),
        LARGE,
    ),
    (
        "judged/positions.py",
        "small = np.int32 if max(len(doc), len(judged.topic)) < 2**31",
        (
            "2 -> 3",
            "31 -> 32",
            "2**31 -> (2 * 31)",
            "max -> min",
            "max(len(doc), len(judged.topic)) < 2**31 -> (max(len(doc), len(judged.topic)) <= 2 ** 31)",
        ),
        LARGE,
    ),
    (
        "judged/ranks.py",
        "for own, rows, real in dense(lists.starts, bad, most=BLOCK):",
        ("dense(lists.starts, bad, most=BLOCK) -> dense(lists.starts, bad)",),
        AT_A_TIME,
    ),
    (
        "judged/ranks.py",
        "for one in np.flatnonzero((rise if whole else rise & real[:, 1:]).any(axis=1)):",
        ("whole -> (not (whole))",),
        "lists that are sorted already are sorted once more",
    ),
    ("judged/ranks.py", "key.sort(axis=-1)", ("1 -> 2",), "rows that stay as they are, are sorted by the slow way"),
    (
        "judged/texts.py",
        "mixed = np.empty(len(text), dtype=np.uint32)",
        ("np.empty(len(text), dtype=np.uint32) -> np.empty(len(text))",),
        WHOLE,
    ),
    (
        "judged/ranks.py",
        "if whole and rows[-1, -1] - rows[0, 0] + 1 == rows.size:",
        ("rows[-1, -1] - rows[0, 0] -> (rows[-1, -1] + rows[0, 0])",),
        TWO_WAYS,
    ),
    (
        "accessor/grouping.py",
        "if 8 * cells > Pairs.memory or any(",
        ("8 -> 9", "8 * cells -> (8 / cells)", "8 * cells > Pairs.memory -> (8 * cells >= Pairs.memory)"),
        TWO_WAYS,
    ),
]
