"""Mutants of the join that no test can kill, since they change no result: (file, part of the line, changes, why)."""

from __future__ import annotations

from tests.mutations.reasons import AT_A_TIME, LARGE, NARROW, TWO_WAYS, WHOLE

IN_JUDGED: list[tuple[str, str, tuple[str, ...], str]] = [
    (
        "join/ids.py",
        "if first + width * (count - 1) + 8 > len(data):",
        ("count - 1 -> (count + 1)", "8 -> 9"),
        TWO_WAYS,
    ),
    (
        "join/ids.py",
        "np.zeros(8, np.uint8)]), 0",
        ("8 -> 9",),
        "more zeros beyond the end, which are masked",
    ),
    (
        "join/ids.py",
        "raw = np.frombuffer(data, dtype=np.uint8)",
        ("0 -> 1",),
        "zeros are added all the same",
    ),
    (
        "join/ids.py",
        "offsets = np.arange(len(number) + 1, dtype=np.int64) * width",
        ("1 -> 2", "np.arange(len(number) + 1, dtype=np.int64) -> np.arange(len(number) + 1)"),
        "an offset more is not read, and whole numbers have 64 bits unasked",
    ),
    ("join/ids.py", "np.diff(offsets[at : at + CHUNK + 1]) != width", ("1 -> 2",), AT_A_TIME),
    (
        "join/lists.py",
        "if 2 * len(_begins([query, *names.values()], SAMPLE)) < min(count, SAMPLE):",
        (
            "2 -> 3",
            "min -> max",
            "2 * len(_begins([query, *names.values()], SAMPLE)) < min(count, SAM... -> "
            "(2 * len(_begins([query, *names.values()], SAMPLE)) <= min(count, S...",
        ),
        TWO_WAYS,
    ),
    (
        "join/lists.py",
        "queries, query_code = query.unique(narrow=True, natural=True)",
        ("query.unique(narrow=True, natural=True) -> query.unique(natural=True)",),
        NARROW,
    ),
    (
        "join/lists.py",
        "parts = {name: column.unique(narrow=True)",
        ("True -> False", "column.unique(narrow=True) -> column.unique()"),
        NARROW,
    ),
    ("join/lists.py", "code = combined_codes([(run_code, len(runs))", ("True -> False",), NARROW),
    (
        "join/lists.py",
        "if len(rows) and (rows[1:] >= rows[:-1]).all():",
        ("rows[1:] >= rows[:-1] -> (rows[1:] > rows[:-1])",),
        TWO_WAYS,
    ),
    ("join/lists.py", "width = max(int(sizes[by_size[at]]), 1)", ("1 -> 2",), AT_A_TIME),
    (
        "join/positions.py",
        "return np.where(keys[at] == key, at, -1)",
        ("1 -> 2",),
        "any negative number is no place",
    ),
    (
        "join/blocks.py",
        "narrow = (int(by.max(initial=0)) + 2) << bits < 1 << 31",
        (
            "2 -> 3",
            "(int(by.max(initial=0)) + 2) << bits < 1 << 31 -> (int(by.max(initial=0)) + 2 << bits <= 1 << 31)",
        ),
        TWO_WAYS,
    ),
    (
        "join/blocks.py",
        "bits = int(self.count.max(initial=1)).bit_length()",
        ("1 -> 2", "self.count.max(initial=1) -> self.count.max()"),
        "any number of bits that holds the place of an item",
    ),
    (
        "join/item_catalog.py",
        "history=HistoryTable(",
        (
            "HistoryTable(self.history.user.iloc[:0], self.history.item.iloc[:0]) -> "
            "HistoryTable(self.history.item.iloc[:0], self.history.user.iloc[:0])",
        ),
        "neither holds a row, and what they held is known",
    ),
    (
        "join/ranks.py",
        "cut = cut[score[stop[cut]] == score[stop[cut] - 1]]",
        ("cut = cut[score[stop[cut]] == score[stop[cut] - 1]] -> pass",),
        "lists that are not cut within a group end where they are cut, looked at or not",
    ),
    (
        "join/lists.py",
        'return pd.DataFrame({"run": ["run"]}), np.zeros(count, dtype=np.int64)',
        ("np.zeros(count, dtype=np.int64) -> np.zeros(count)",),
        WHOLE,
    ),
    (
        "judgments/check.py",
        "leaked = np.add.reduceat(again, lists.starts[:-1], dtype=np.int64)",
        (
            "np.add.reduceat(again, lists.starts[:-1], dtype=np.int64) -> np.add.reduceat(again, lists.starts[:-1])",
        ),
        "truth values are added up as whole numbers of 64 bits unasked",
    ),
    (
        "join/ranks.py",
        "later = np.zeros(len(rows), dtype=np.int64)",
        ("np.zeros(len(rows), dtype=np.int64) -> np.zeros(len(rows))",),
        WHOLE,
    ),
    (
        "join/positions.py",
        "table = np.full(cells, -1, dtype=np.int32)",
        ("1 -> 2",),
        "any negative number is no place",
    ),
    ("join/lists.py", "if count < 2**31:", ("2**31 -> (2 * 31)",), NARROW),
    (
        "join/blocks.py",
        "begins, reach = [], -1",
        ("1 -> 2",),
        "any number below all sizes begins the first group",
    ),
    (
        "join/ranks.py",
        "order = np.arange(len(score), dtype=np.int32 if len(score) < 2**31",
        (
            "2 -> 3",
            "31 -> 32",
            "2**31 -> (2 * 31)",
            "len(score) < 2**31 -> (len(score) <= 2 ** 31)",
        ),
        LARGE,
    ),
]
