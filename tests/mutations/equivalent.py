"""Mutants that no test can kill, each with its reason: (file, part of the line, changes, why)."""

from __future__ import annotations

AT_A_TIME = "how much is done at a time: memory, not the result"
TWO_WAYS = "which of two ways with one result"
AGAIN = "equal hashes are looked at again"
WIDER = "the way for shorter texts gives the same for these too"
SHIFT = "a shift of a query moves all its runs alike"
TRUE = "1 is as true as True"
PATH = "on which way, and how fast, a search comes to where it ends: the same within its tolerance"
TAIL = "the ends of a sum, whose terms there are below 1e-17 of it"
WHOLE = "whole numbers as floats, exact below 2**53, and shown nowhere"
UNIQUE = "the names of runs are all different, and stand sorted"

LARGE = "more than two thousand million rows would tell; below it is memory, not the result"
SHARED = "those that are equal share what they get, in whatever order they stand"

EQUIVALENT: list[tuple[str, str, tuple[str, ...], str]] = [
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
    ("kernels/diversity.py", "value[~left] = -1.0", ("1.0 -> 2.0",), "any negative number is below all gains"),
    ("kernels/expected.py", "r = np.where(here, relevant[", ("1.0 -> 2.0",), "what is not there is not looked at"),
    (
        "orderings/order.py",
        "each = 1 + len(source.runs) * any(",
        (
            "any -> all",
            "1 -> 2",
            "\"worst_first\" in one.entry.columns -> ('worst_first' not in one.entry.columns)",
        ),
        AT_A_TIME,
    ),
    (
        "orderings/order.py",
        "else np.ones(len(source.measures), dtype=bool)",
        ("np.ones(len(source.measures), dtype=bool) -> np.ones(len(source.measures))",),
        TRUE,
    ),
    (
        "orderings/worst_first.py",
        "new = np.ones(upward.shape, dtype=bool)",
        ("np.ones(upward.shape, dtype=bool) -> np.ones(upward.shape)",),
        TRUE,
    ),
    (
        "orderings/order.py",
        "place = np.argsort(np.array(texts",
        (
            'np.argsort(np.array(texts, dtype=object), kind="stable") -> np.argsort(np.array(texts, dtype=object))',
            "np.array(texts, dtype=object) -> np.array(texts)",
        ),
        UNIQUE,
    ),
    (
        "significance/hsd.py",
        "if runs <= 4096 else np.uint64",
        ("runs <= 4096 -> (runs < 4096)", "4096 -> 4097"),
        "keys of 32 or of 64 bits draw alike",
    ),
    (
        "significance/hsd.py",
        "flat = (X - X.min(axis=1",
        (
            "X - X.min(axis=1, keepdims=True) -> (X + X.min(axis=1, keepdims=True))",
            "X.min -> X.max",
            "X.min(axis=1, keepdims=True) -> X.min(keepdims=True)",
        ),
        SHIFT,
    ),
    (
        "significance/hsd.py",
        "np.take(flat[query], where, out=found,",
        ('np.take(flat[query], where, out=found, mode="clip") -> np.take(flat[query], where, out=found)',),
        "no place is beyond the ends; clipping only saves a copy",
    ),
    (
        "significance/power.py",
        "critical, shift = special.stdtrit",
        ("2 -> 3",),
        "fewer are taken for sure, and the integral says 1 of them too",
    ),
    (
        "significance/power.py",
        "slack = np.maximum(shift - 8.3",
        ("8.3 -> 9.3",),
        "as above: more are asked of the integral",
    ),
    ("significance/hierarchy.py", "n, mean = np.where(there, n, 0)", ("0.0 -> 1.0",), "its weight is 0"),
    ("significance/hierarchy.py", "variance = np.where(there, np.square(sd)", ("0.0 -> 1.0",), "its weight is 0"),
    (
        "significance/leaderboard.py",
        "differs = np.zeros((len(index), len(index)), dtype=bool)",
        ("np.zeros((len(index), len(index)), dtype=bool) -> np.zeros((len(index), len(index)))",),
        TRUE,
    ),
    ("significance/vote_leaderboard.py", "CELLS = 1 << 22", ("1 -> 2", "22 -> 23"), AT_A_TIME),
    ("significance/powered_order.py", "CELLS = 1 << 21", ("1 -> 2", "21 -> 22", "1 << 21 -> (1 >> 21)"), AT_A_TIME),
    ("significance/powered_order.py", "width = max(1, CELLS // people.size)", ("1 -> 2",), AT_A_TIME),
    ("significance/normal_hsd.py", "CELLS = 1 << 21", ("1 -> 2", "21 -> 22"), AT_A_TIME),
    ("kernels/cwl.py", "CELLS = 1 << 18", ("1 -> 2", "18 -> 19"), AT_A_TIME),
    (
        "significance/powered_order.py",
        "for size, own in track(steps",
        (
            'track(steps, total=len(steps), desc=f"bootstrap {found.measures[num... -> '
            "track(steps, desc=f'bootstrap {found.measures[number]}', progress=p...",
        ),
        "how long a bar is",
    ),
    (
        "significance/power.py",
        "optimize.brentq(missing",
        ("optimize.brentq(missing, 0.0, high, xtol=1e-10) -> optimize.brentq(missing, 0.0, high)",),
        "scipy's own tolerance is finer: the same within 1e-10",
    ),
    (
        "significance/power.py",
        "while missing(high) < 0:",
        ("missing(high) < 0 -> (missing(high) <= 0)",),
        "a root at the end of the bracket is found in a wider one too",
    ),
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
        "significance/hsd.py",
        "if total <= NOISE**2 * np.square(centred).sum():",
        ("total <= NOISE**2 * np.square(centred).sum() -> (total < NOISE ** 2 * np.square(centred).sum())",),
        "nothing by any number is nothing",
    ),
    ("significance/compared.py", "else 0.0 - values", ("0.0 -> 1.0",), "a shift of all runs moves no difference"),
    (
        "significance/components.py",
        "mean = np.array([expected[pool == one][0]",
        ("0.0 -> 1.0",),
        "the mean square of an empty pool, which has no spread",
    ),
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
        "significance/hsd.py",
        "scale = float(values.max(axis=(1, 2)).mean())",
        ("values.max(axis=(1, 2)) -> values.max()",),
        "the size that rounding is measured against, to a factor of a few",
    ),
    ("orderings/elimination.py", "weight, runs = weight.copy(), weight.shape[-1]", ("1 -> 2",), "the matrix is square"),
    (
        "orderings/elimination.py",
        "if weight.ndim > 2 and len(weight) > 1:",
        (
            "weight.ndim > 2 and len(weight) > 1 -> (weight.ndim > 2 or len(weight) > 1)",
            "weight.ndim > 2 and len(weight) > 1 -> (not (weight.ndim > 2 and len(weight) > 1))",
            "weight.ndim > 2 -> (weight.ndim >= 2)",
            "len(weight) > 1 -> (len(weight) >= 1)",
            "1 -> 2",
            "2 -> 3",
        ),
        "which of two ways, with one result within 1e-15",
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
    (
        "significance/meta_analysis.py",
        "usable = (k > 1) & (np.where(there, se, 1.0) > 0).all(axis=0)",
        ("(np.where(there, se, 1.0) > 0).all -> (np.where(there, se, 1.0) > 0).any",),
        "a weight of 1 / 0 among others makes all of it NaN too",
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
        "significance/studentised.py",
        "t = step * np.arange(np.floor(-(60 / df + 0.5) / step)",
        ("60 -> 61", "0.5 -> 1.5", "np.floor -> np.ceil", "9 -> 10", "1 -> 2", "1.0 -> 2.0", "np.ceil -> np.floor"),
        TAIL,
    ),
    (
        "significance/components.py",
        "start[RESIDUAL] = max(squares.residual / freedom[RESIDUAL] / size, NOISE)",
        (
            "squares.residual / freedom[RESIDUAL] / size -> (squares.residual / freedom[RESIDUAL] * size)",
            "start[RESIDUAL] = max(squares.residual / freedom[RESIDUAL] / size, ... -> pass",
        ),
        PATH,
    ),
    (
        "orderings/strengths.py",
        "even = bool(",
        (
            "games.size - len(games) * games.shape[-1] -> (games.size + len(games) * games.shape[-1])",
            "len(games) * games.shape[-1] -> (len(games) / games.shape[-1])",
        ),
        "the way for uneven games gives the same for even ones",
    ),
    (
        "orderings/strengths.py",
        "height = max(1, CELLS // games[0].size)",
        ("0 -> 1", "1 -> 2", "CELLS // games[0].size -> (CELLS * games[0].size)"),
        AT_A_TIME,
    ),
    ("orderings/strengths.py", "for _ in range(200):", ("200 -> 201",), PATH),
    ("orderings/strengths.py", "if reach < 0.01:", ("0.01 -> 1.01", "reach < 0.01 -> (reach <= 0.01)"), PATH),
    ("orderings/strengths.py", "break", ("break -> pass",), PATH),
    (
        "orderings/strengths.py",
        "move = np.where(reach[:, None] < 0.5, step",
        ("0.5 -> 1.5", "reach[:, None] < 0.5 -> (reach[:, None] <= 0.5)"),
        PATH,
    ),
    ("orderings/strengths.py", "done, least = reach * longer < SETTLED", ("np.minimum -> np.maximum",), PATH),
    (
        "orderings/strengths.py",
        "keep = ~done & (reach <= 10.0 * least)",
        (
            "10.0 -> 11.0",
            "10.0 * least -> (10.0 / least)",
            "reach <= 10.0 * least -> (reach < 10.0 * least)",
            "~done & (reach <= 10.0 * least) -> (~done | (reach <= 10.0 * least))",
        ),
        PATH,
    ),
    ("orderings/strengths.py", "if keep.all():", ("keep.all -> keep.any",), PATH),
    ("orderings/strengths.py", "continue", ("continue -> pass",), PATH),
    (
        "orderings/strengths.py",
        "left, now, gone, before, least, longer, won, games = (",
        ("left, now, gone, before, least, longer, won, games = ( each[keep] f... -> pass",),
        PATH,
    ),
    (
        "significance/meta_analysis.py",
        "v = np.where(there, 1 / (variance + tau2), 0.0)",
        ("1 -> 2",),
        "a factor of all weights, of which only the shares are taken",
    ),
    (
        "engines/dividing.py",
        "return dask.delayed(self.whole, traverse=False)",
        ("dask.delayed(self.whole, traverse=False) -> dask.delayed(self.whole)", "False -> True"),
        "what Dask looks through, in time",
    ),
    (
        "significance/delta_sort.py",
        "for (_, n0), (_, n1) in zip(before, after, strict=True)]",
        ("zip(before, after, strict=True) -> zip(after, before, strict=True)",),
        "a move is as far in the one direction as in the other",
    ),
    (
        "orderings/standings.py",
        "runs.itertuples(index=False, name=None)",
        ("runs.itertuples(index=False, name=None) -> runs.itertuples(index=False)",),
        "a tuple with names is equal to one without",
    ),
    ("orderings/vote_strengths.py", "height = max(1, (1 << 22) // size)", ("22 -> 23", "1 -> 2"), AT_A_TIME),
    ("judged/texts.py", "for place in range(1, min(-(-longest // 8), 4) - 1):", ("8 -> 9", "4 -> 5"), AGAIN),
    (
        "significance/posteriors.py",
        "order = np.argsort(np.where(counted, values, np.inf)",
        (
            'np.argsort(np.where(counted, values, np.inf), axis=0, kind="stable") -> '
            "np.argsort(np.where(counted, values, np.inf), axis=0)",
        ),
        SHARED,
    ),
    ("significance/power.py", "low, high = np.where(short, high, low)", ("2 -> 3",), PATH),
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
        "significance/delta_sort.py",
        "before, after = (averaged(one, names, tell=one is before)",
        ("one is before -> (one is not before)",),
        "either of the two says it, and both would say the same",
    ),
    (
        "kernels/confusion.py",
        "for least in np.unique(ideal[ideal > 0]).tolist():",
        ("ideal > 0 -> (ideal >= 0)",),
        "a level of 0 adds 0",
    ),
    (
        "kernels/sampled.py",
        "share = above[:, None] / max(n_items - 1, 1)",
        ("1 -> 2",),
        "of one item none is above: 0 by any number",
    ),
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
        "significance/paired.py",
        "for count in np.flatnonzero(np.bincount(kept[tied > 0])",
        ("0 -> 1",),
        "two alike add 6",
    ),
    ("significance/paired.py", "exact = np.flatnonzero((kept == count) & (tied > 0))", ("0 -> 1",), "two alike add 6"),
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
        "significance/components.py",
        "free = free if RESIDUAL in free else np.append(free, RESIDUAL)",
        ("np.append(free, RESIDUAL) -> np.append(RESIDUAL, free)",),
        "the same variances, in whatever order they stand",
    ),
    (
        "significance/studentised.py",
        "spread = 1 / np.sqrt(2 * df)",
        ("2 -> 3",),
        "points a little nearer to each other: the same to 1e-12",
    ),
    (
        "significance/vote_leaderboard.py",
        "differs = np.zeros((len(fitted.strength),) * 2, dtype=bool)",
        ("np.zeros((len(fitted.strength),) * 2, dtype=bool) -> np.zeros((len(fitted.strength),) * 2)",),
        TRUE,
    ),
    (
        "significance/anova.py",
        "return float(np.square(np.where(away > NOISE * np.abs(X).max(), away, 0.0)).sum())",
        ("away > NOISE * np.abs(X).max() -> (away >= NOISE * np.abs(X).max())",),
        "what is rounding either way",
    ),
    (
        "orderings/votes.py",
        "as_one, as_two = (np.searchsorted(side, np.arange(runs + 1))",
        ("1 -> 2",),
        "one end more, which is not looked at",
    ),
    (
        "significance/prediction_powered.py",
        "away = [np.where(weights > 0, x - np.nansum(weights * x, axis=0) / total, 0.0) for x in (h, g)]",
        ("0.0 -> 1.0",),
        "its weight is 0",
    ),
    (
        "significance/prediction_powered.py",
        "share = np.where(total > weights",
        ("total > weights -> (total >= weights)",),
        "a query alone has nothing to learn from, by 0 or by NaN",
    ),
    (
        "judged/ranks.py",
        "if whole and rows[-1, -1] - rows[0, 0] + 1 == rows.size:",
        ("rows[-1, -1] - rows[0, 0] -> (rows[-1, -1] + rows[0, 0])",),
        TWO_WAYS,
    ),
    (
        "orderings/vote_strengths.py",
        "number = np.full(len(joined), -1)",
        ("1 -> 2",),
        "any negative number is no component",
    ),
]
