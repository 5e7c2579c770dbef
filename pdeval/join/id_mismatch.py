"""Ids of runs and judgments that do not match: of different types, of other forms, or of nothing in common.

In a pooled collection no run retrieves many of the relevant items, so the fraction retrieved shows nothing. What shows
a mismatch is a form of ids, or a query, of which nothing is retrieved although most of the others are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from pdeval.join.ids import Ids, column_ids
from pdeval.join.lists import find_lists
from pdeval.tables import Table
from pdeval.verbs import short_repr

if TYPE_CHECKING:
    from pdeval.join.positions import Positions

FEW = 10  # items; fewer may well have nothing in common
SHARE = 0.1  # of the relevant items; fewer are not mentioned
MOST = 0.5  # of the relevant items of other queries; if runs retrieve fewer, a query without any is usual
SAMPLE, ROWS = (
    1 << 7,
    1 << 16,
)  # ids that are looked at first, and rows of the runs if these show a mismatch
# three views of ids: numbers as 9, or 0 if they begin with 0; the number of digits; letters and signs only
_FORMS = (
    (("[1-9][0-9]*", "9"), ("0+9?", "0")),
    (("[0-9]", "9"),),
    (("[0-9]+", ""), ("[a-z]+", "a"), ("[A-Z]+", "A")),
)
# changes that make ids of the judgments those of the runs, in the words of the warning
_EDITS = {
    "without their first character": lambda ids: pc.utf8_slice_codeunits(ids, 1),
    "without their last character": lambda ids: pc.utf8_slice_codeunits(ids, 0, -1),
    "in lower case": pc.utf8_lower,
    "in upper case": pc.utf8_upper,
}


class NothingJudged(ValueError):
    """No query, or no item, of the runs is judged."""

    def __init__(self, role: str, runs: Ids, judged: Ids, noun: str | None = None) -> None:
        self.some = (
            f"the runs have {examples(runs.index())}, the judgments {examples(judged.index())}"
        )
        self.role = role
        super().__init__(
            f"no {noun or role} of the runs is judged: {self.some}. Use the same ids in both tables."
        )


def examples(values: pd.Index) -> str:
    """Return the first three of several values, for a message.

    Examples
    --------
    >>> examples(pd.Index([1, 2, 3, 4]))
    '1, 2, 3, ...'
    """
    return ", ".join(map(short_repr, values[:3].tolist())) + (", ..." if len(values) > 3 else "")


def same_type(
    role: str, one: Ids, other: Ids, here: str = "the run table", there: str = "the judgments"
) -> None:
    """Raise if the ids of one table are strings and those of another integers."""
    if len(one) and len(other) and one.type != other.type:
        raise ValueError(
            f"the {role} ids are {one.type} in {here} and {other.type} in {there}, so none would match. "
            f"Convert one of them, e.g. with .astype(str)."
        )


def sharing_nothing(positions: Positions) -> np.ndarray:
    """Return the runs without a judged item for any query; raise if that is every run.

    It is an error if both sides have at least `FEW` distinct items. Rows are read only if a run has no hit.
    """
    if positions.source is None:
        return np.zeros(0, dtype=np.int64)
    without_hit = np.bincount(positions.run, minlength=len(positions.runs)) == 0
    silent = np.flatnonzero(without_hit & positions.answered.any(axis=0))
    if len(silent) == 0:
        return silent
    runs, qrels = positions.source
    judged = column_ids(qrels.column("doc"), "judgments' doc").unique()[0]
    strangers, items = holding_none(runs, silent, judged)
    if len(strangers) == len(positions.runs) and min(len(items), len(judged)) >= FEW:
        raise NothingJudged("item", items, judged)
    return strangers


def holding_none(runs: Table, places: np.ndarray, judged: Ids) -> tuple[np.ndarray, Ids]:
    """Return which runs (of these places) have no judged item for any query, and the distinct items of all these."""
    lists = find_lists(runs)
    mask = np.repeat(np.isin(lists.run, places), lists.sizes)
    rows = np.flatnonzero(mask) if lists.order is None else lists.order[mask]
    items = column_ids(runs.column("doc"), "doc").take(rows)
    run_of_hit = np.repeat(lists.run, lists.sizes)[mask][items.probe(judged) >= 0]
    return places[np.bincount(run_of_hit, minlength=len(lists.runs))[places] == 0], items.unique()[
        0
    ]


def partly_unlike(positions: Positions, rows: Callable[[], Ids | None]) -> str | None:
    """Return the warning if a part of the judged ids cannot match those of the runs, or None.

    Parameters
    ----------
    rows : callable
        Returns the items of the runs, row by row, or None if the rows are not available.

    Examples
    --------
    >>> import pandas as pd, pdeval
    >>> ids = [f"d{n}" for n in range(60)]
    >>> runs = pd.DataFrame({"query_id": "1", "doc_id": ids, "score": range(60)})
    >>> judged = runs.ireval.join(pd.DataFrame({"query_id": "1", "doc_id": ids, "relevance": 1}))
    >>> print(partly_unlike(judged.positions, lambda: None))
    None
    """
    judged = positions.judged
    answered = np.asarray(positions.answered.any(axis=1))
    item = np.flatnonzero((judged.grade > 0) & answered[judged.topic])
    hit = np.isin(item, positions.item)
    lost = np.count_nonzero(~hit)
    if lost < max(FEW, SHARE * len(item)) or lost == len(item):
        return None
    if (doc := rows()) is not None:
        ids = judged.docs, judged.doc[item[hit]], judged.doc[item[~hit]], doc, len(item)
        if (text := _unlike_forms(*ids) or _edited_ids(*ids)) is not None:
            return text
    total, retrieved = (
        np.bincount(judged.topic[rows], minlength=len(answered)) for rows in (item, item[hit])
    )
    silent = (retrieved == 0) & (total >= FEW) & (positions.list_sizes.max(axis=1) >= FEW)
    missing, others = int(total[silent].sum()), total[~silent].sum()
    if missing < SHARE * len(item) or retrieved.sum() < MOST * others:
        return None
    return (
        f"no run returns any of the {missing:,} relevant items of {silent.sum():,} queries "
        f"({missing / len(item):.0%} of all), e.g. of query {positions.queries[silent].tolist()[0]!r}, where "
        f"{retrieved.sum() / others:.0%} of the others are returned: are the ids of items, and of queries, those of "
        "the runs?"
    )


def _unlike_forms(docs: Ids, hit: np.ndarray, lost: np.ndarray, doc: Ids, count: int) -> str | None:
    """Return the warning if many ids that no run returns are of a form that no id of the runs has."""
    sample, matching = (_spread(docs, rows, SAMPLE) for rows in (lost, hit))
    # ids of the runs are read only if a form is missing among the judged ids that match
    stages: list[Callable[[], pa.Array]] = [
        lambda: matching[:FEW],
        lambda: matching,
        lambda: _spread(doc, None, ROWS),
    ]
    for steps in _FORMS:
        forms = _forms(sample, steps).value_counts()
        frequent = forms.field("values").filter(
            pc.greater_equal(forms.field("counts"), SHARE * len(sample))
        )
        for others in stages:
            if len(frequent):
                known = _forms(others(), steps)
                frequent = frequent.filter(pc.invert(pc.is_in(frequent, value_set=known)))
        if len(frequent):
            missing = docs.take(lost).as_text()
            unlike = missing.filter(pc.is_in(_forms(missing, steps), value_set=frequent))
            if len(unlike) >= max(FEW, SHARE * count):
                return (
                    f"{len(unlike) / count:.0%} of the relevant items ({len(unlike):,} of {count:,}) have ids like "
                    f"{unlike[0].as_py()!r}, and the runs return none of that form but such as "
                    f"{docs.take(hit[:1]).as_text()[0].as_py()!r}. Use the same ids in both tables."
                )
    return None


def _edited_ids(docs: Ids, hit: np.ndarray, lost: np.ndarray, doc: Ids, count: int) -> str | None:
    """Return the warning if many ids that no run returns are those of the runs but for one edit, or None.

    Ids that match are edited too: if these match as often (numbers from 1 to n do), the edit shows nothing.
    """
    sampled_lost, sampled_hit = (
        _spread(docs, rows, 8 * SAMPLE).cast(pa.large_string()) for rows in (lost, hit)
    )
    both = sampled_lost, sampled_hit
    parts = [sampled_hit, *(edit(ids) for ids in both for edit in _EDITS.values())]
    # one lookup of few rows among all these ids, and one of all these ids
    ids = pa.concat_arrays(parts)
    returned = _spread(doc, None, ROWS >> 2).cast(pa.large_string())
    seen = returned.filter(pc.is_in(returned, value_set=ids))
    ends = np.cumsum([len(part) for part in parts])[:-1]
    matched = np.split(np.asarray(pc.is_in(ids, value_set=seen)), ends)
    usual = matched[0].mean()
    for (how, edit), matches, by_chance in zip(
        _EDITS.items(), matched[1:], matched[1 + len(_EDITS) :]
    ):
        if matches.sum() >= FEW and matches.mean() >= max(usual / 4, 4 * by_chance.mean()):
            lost_ids = sampled_lost.filter(pa.array(matches))
            # numbered ids are others of their kind without a digit: d12 and d1
            removed = {
                "without their first character": pc.utf8_slice_codeunits(lost_ids, 0, 1),
                "without their last character": pc.utf8_slice_codeunits(lost_ids, -1),
            }.get(how)
            if removed is not None and (
                len(pc.unique(removed)) > 1 or removed[0].as_py().isdigit()
            ):
                continue
            return (
                f"{len(lost) / count:.0%} of the relevant items ({len(lost):,} of {count:,}) are returned by no run; "
                f"many of them match {how}: {lost_ids[0].as_py()!r} is judged, and "
                f"{edit(lost_ids)[0].as_py()!r} is returned. Use the same ids in both tables."
            )
    return None


def _spread(ids: Ids, rows: np.ndarray | None, most: int) -> pa.Array:
    """Return the texts of rows (None: all), or of at most `most` of them at equal distances."""
    count = len(ids) if rows is None else len(rows)
    sample = np.arange(0, count, -(-count // most) if count else 1)
    return ids.take(sample if rows is None else rows[sample]).as_text()


def _forms(text: pa.Array, steps: tuple[tuple[str, str], ...]) -> pa.Array:
    for pattern, replacement in steps:
        text = pc.replace_substring_regex(text, pattern, replacement)
    return text.cast(pa.large_string())
