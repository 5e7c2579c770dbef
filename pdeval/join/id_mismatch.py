"""Judgments whose ids match those of the runs in part only: ids of another form, or queries of which nothing matches.

In a pooled collection many relevant items are in no run, so that their share tells nothing. What tells is a form of
ids, or a query, of which nothing at all is found where most of the others is.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pdeval.join.ids import Ids
from pdeval.join.positions import FEW, Positions

SHARE = 0.1  # of the relevant items: fewer are not told of
MOST = (
    0.5  # of the relevant items of other queries: where the runs find fewer, a query of which they find none is usual
)
SAMPLE, ROWS = 1 << 7, 1 << 16  # ids that are looked at first, and rows of the runs where these tell
# three views of ids: numbers as 9, or 0 where they begin with 0; how many digits they have; letters and signs alone
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


def partly_unlike(positions: Positions, doc: Ids | None) -> str | None:
    """Return what to say where a part of the judged ids cannot match those of the runs, or None.

    Parameters
    ----------
    doc : Ids, optional
        The items of the runs, row by row, where the rows are there.

    Examples
    --------
    >>> import pandas as pd, pdeval
    >>> ids = [f"d{n}" for n in range(60)]
    >>> runs = pd.DataFrame({"query_id": "1", "doc_id": ids, "score": range(60)})
    >>> judged = runs.ireval.join(pd.DataFrame({"query_id": "1", "doc_id": ids, "relevance": 1}))
    >>> print(partly_unlike(judged.positions, None))
    None
    """
    judged = positions.judged
    answered = np.asarray(positions.answered.any(axis=1))
    item = np.flatnonzero((judged.grade > 0) & answered[judged.topic])
    hit = np.zeros(len(judged.topic), dtype=bool)
    hit[positions.item] = True
    hit = hit[item]
    lost = np.count_nonzero(~hit)
    if lost < max(FEW, SHARE * len(item)) or lost == len(item):
        return None
    if doc is not None:
        text = _unlike_forms(judged.docs, judged.doc[item[hit]], judged.doc[item[~hit]], doc, len(item))
        text = text or _edited_ids(judged.docs, judged.doc[item[hit]], judged.doc[item[~hit]], doc, len(item))
        if text is not None:
            return text
    total, found = (np.bincount(judged.topic[some], minlength=len(answered)) for some in (item, item[hit]))
    silent = (found == 0) & (total >= FEW) & (positions.list_sizes.max(axis=1) >= FEW)
    less = int(total[silent].sum())
    if less < SHARE * len(item) or found.sum() < MOST * total[~silent].sum():
        return None
    query, others = positions.queries[silent].tolist()[0], found.sum() / total[~silent].sum()
    return (
        f"no run returns any of the {less:,} relevant items of {silent.sum():,} queries ({less / len(item):.0%} of "
        f"all), e.g. of query {query!r}, where {others:.0%} of the others are returned: are the ids of items, and of "
        "queries, those of the runs?"
    )


def _unlike_forms(docs: Ids, hit: np.ndarray, lost: np.ndarray, doc: Ids, count: int) -> str | None:
    """Return what to say where many ids that no run returns are of a form that no id of the runs has."""
    for steps in _FORMS:
        some = _formed(_spread(docs, lost, SAMPLE), steps)
        forms = some.value_counts()
        often = forms.field("values").filter(pc.greater_equal(forms.field("counts"), SHARE * len(some)))
        for others, rows in ((docs, hit), (doc, None)):  # the ids of the runs are looked at where it matters alone
            if len(often):
                known = _formed(_spread(others, rows, SAMPLE if rows is not None else ROWS), steps)
                often = often.filter(pc.invert(pc.is_in(often, value_set=known)))
        if len(often):
            missing = docs.take(lost).as_text()
            of_them = missing.filter(pc.is_in(_formed(missing, steps), value_set=often))
            if len(of_them) >= max(FEW, SHARE * count):
                return (
                    f"{len(of_them) / count:.0%} of the relevant items ({len(of_them):,} of {count:,}) have ids like "
                    f"{of_them[0].as_py()!r}, and the runs return none of that form but such as "
                    f"{docs.take(hit[:1]).as_text()[0].as_py()!r}. Make the ids alike."
                )
    return None


def _edited_ids(docs: Ids, hit: np.ndarray, lost: np.ndarray, doc: Ids, count: int) -> str | None:
    """Return what to say where many ids that no run returns are those of the runs but for one edit, or None.

    Ids that are found are edited too: where these match as often (numbers from 1 to n do), the edit tells nothing.
    """
    returned = _spread(doc, None, ROWS).cast(pa.large_string())
    sampled_lost, sampled_hit = (_spread(docs, rows, 8 * SAMPLE).cast(pa.large_string()) for rows in (lost, hit))

    def matched(ids: pa.Array) -> np.ndarray:
        # probes the few ids with the many rows, so that the rows need no table
        seen = pc.unique(returned.filter(pc.is_in(returned, value_set=ids)))
        return np.asarray(pc.is_in(ids, value_set=seen))

    usual = matched(sampled_hit).mean()
    for how, edit in _EDITS.items():
        there = matched(edit(sampled_lost))
        by_chance = matched(edit(sampled_hit)).mean()
        if there.sum() >= FEW and there.mean() >= max(usual / 4, 4 * by_chance):
            at = int(there.argmax())
            return (
                f"{len(lost) / count:.0%} of the relevant items ({len(lost):,} of {count:,}) are returned by no run; "
                f"many of them match {how}: {sampled_lost[at].as_py()!r} is judged, and "
                f"{edit(sampled_lost)[at].as_py()!r} is returned. Make the ids alike."
            )
    return None


def _spread(ids: Ids, rows: np.ndarray | None, most: int) -> pa.Array:
    """Return the texts of some rows (or of all), or of at most so many that are spread over them."""
    count = len(ids) if rows is None else len(rows)
    some = np.arange(0, count, -(-count // most) if count else 1)
    return ids.take(some if rows is None else rows[some]).as_text()


def _formed(text: pa.Array, steps: tuple[tuple[str, str], ...]) -> pa.Array:
    for pattern, to in steps:
        text = pc.replace_substring_regex(text, pattern, to)
    return text.cast(pa.large_string())
