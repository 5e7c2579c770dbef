"""The table of an ordering: ranks and scores of the runs, side by side for several measures or methods."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import pandas as pd

from pdeval.report import footnotes as footnote
from pdeval.report import numbers as decimals
from pdeval.report.columns import (
    Part,
    assemble,
    by_of,
    check_unique,
    need,
    numbers,
    reported,
    run_texts,
    texts,
    titles,
)
from pdeval.report.report import Report
from pdeval.tables import SCHEMAS, natural, run_labels, runs_of
from pdeval.verbs import verb

Show = Literal["rank", "score", "both"]
Pair = tuple[str, str]  # measure, method
METHODS = {
    "mean": "mean",
    "winrate": "mean preference",
    "borda": "Borda",
    "copeland": "Copeland",
    "mc4": "MC4",
    "bradley-terry": "Bradley–Terry",
}


@verb(on=("orders", "leaderboards"), name="report", core=True, command=True)
@reported()
def report_order(
    frame: pd.DataFrame,
    *,
    show: Show | None = None,
    digits: int = 3,
    by: str | Sequence[str] | None = None,
    average: bool = True,
    known: Mapping[str, str],
) -> Report:
    """Return the table of an ordering, best run first: ranks, their intervals, tiers, scores.

    Several measures or methods are side by side, and rows are sorted by the first. Several collections are side by side
    too, followed by the mean rank over them, by which rows are sorted. A run that a collection does not have is a dash.

    Parameters
    ----------
    show : {"rank", "score", "both"}, optional
        Columns to show; by default both for one ordering and ranks for several.
    digits : int, default 3
        Decimals of the scores.
    by : str or list of str, optional
        Column(s) that identify the collections; by default those recorded in the table.
    average : bool, default True
        Whether to add the mean rank over collections.

    Examples
    --------
    >>> orders = pd.DataFrame({"run": ["lm", "bm25"], "measure": "RPP", "method": "mc4", "score": [0.6, 0.4],
    ...                        "rank": [1, 2]})
    >>> print(orders.ireval.report())
    System  Rank   Score
    --------------------
    lm        *1  *0.600
    bm25       2   0.400
    <BLANKLINE>
    RPP, MC4. Best with *.
    """
    frame = need(frame, ["measure", "method", "score", "rank"], "the orders")
    names = {**METHODS, **known}
    collections = by_of(frame, by)
    columns = [name for name in runs_of(frame, SCHEMAS["orders"]) if name not in collections]
    check_unique(frame, [*collections, *columns, "measure", "method"], "the orders")
    frame = frame.assign(
        _run=run_labels(frame[columns]),
        _measure=frame["measure"].astype(str),
        _method=frame["method"].astype(str),
    )
    pairs = list(dict.fromkeys(zip(frame["_measure"], frame["_method"])))
    runs = frame.drop_duplicates("_run").set_index("_run")[columns]
    notes = []
    if collections:
        show = show or "rank"
        frame = frame.assign(_set=titles(frame[collections], names))
        order, body = _of_collections(frame, runs.index, pairs, show, digits, average, names)
        notes = [
            {"rank": "Ranks", "score": "Scores", "both": "Ranks and scores"}[show]
            + " within each collection."
        ]
    else:
        show = show or ("both" if len(pairs) == 1 else "rank")
        parts = {
            pair: part.set_index("_run")
            for pair, part in frame.groupby(["_measure", "_method"], sort=False)
        }
        rank = parts[pairs[0]]["rank"].astype(float)
        order = sorted(rank.index, key=lambda run: (rank[run], natural(run)))
        body = []
        for pair in pairs:
            if different := set(order).symmetric_difference(parts[pair].index):
                run = min(different)
                has, lacks = (pairs[0], pair) if run in order else (pair, pairs[0])
                raise ValueError(
                    f"run {run!r} is in the ordering by {has[0]} ({has[1]}) but not in that by {lacks[0]} "
                    f"({lacks[1]}). Order the same runs, or report the orderings one by one."
                )
            body += _ordering(parts[pair].loc[order], pair, pairs, show, digits, names)
    return assemble(
        [*run_texts(runs.loc[order], names), *body],
        [*notes, *_footnotes(frame, pairs, names, body)],
    )


def _of_collections(
    frame: pd.DataFrame,
    runs: pd.Index,
    pairs: list[Pair],
    show: str,
    digits: int,
    average: bool,
    names: Mapping[str, str],
) -> tuple[list[str], list[Part]]:
    """Return the runs in the order of their mean ranks, and the orderings of the collections side by side."""
    sets = list(dict.fromkeys(frame["_set"]))
    parts = dict(iter(frame.groupby(["_measure", "_method"], sort=False)))
    ranks = {pair: parts[pair].pivot(index="_run", columns="_set", values="rank") for pair in pairs}
    # means over fewer collections are not comparable
    means = {
        pair: table.reindex(index=runs, columns=sets).mean(axis=1, skipna=False)
        for pair, table in ranks.items()
    }
    first = means[pairs[0]].fillna(np.inf)
    order = sorted(runs, key=lambda run: (first[run], natural(run)))
    body: list[Part] = []
    for pair in pairs:
        several = pair if len(pairs) > 1 else ()
        title = ", ".join(names.get(text, text) for text in several)
        for one in sets:
            part = parts[pair][parts[pair]["_set"] == one].set_index("_run").reindex(order)
            for column, cells in _ordering(part, pair, [pair], show, digits, names):
                # the collection is the header; with ranks and scores it is the heading over both
                group, header = (
                    (", ".join(filter(None, (title, one))), column.header)
                    if show == "both"
                    else (title, one)
                )
                name = " ".join((one, *several, column.name))
                body.append((replace(column, name=name, header=header, group=group), cells))
        if average:
            mean = means[pair].reindex(order).to_numpy()
            stress = decimals.emphases(decimals.printed(mean, 1), higher=False)
            name = " ".join(("mean rank", *several))
            body.append(numbers(name, "Mean rank", mean, 1, group=title, emphasis=stress))
    return order, body


def _ordering(
    part: pd.DataFrame,
    pair: Pair,
    pairs: list[Pair],
    show: str,
    digits: int,
    names: Mapping[str, str],
) -> list[Part]:
    """Return the columns of one ordering: rank, tier and score, as requested."""
    key = "" if len(pairs) == 1 else f"{pair[0]} {pair[1]} "
    # the texts that differ between the orderings: measure, method, or both
    differing = [
        names.get(text, text) for text, values in zip(pair, zip(*pairs)) if len(set(values)) > 1
    ]
    group, header = ", ".join(differing), ""
    if show != "both" and differing:
        group, header = ("", differing[0]) if len(differing) == 1 else (differing[0], differing[1])
    ranks = part["rank"].to_numpy(dtype=float)
    look: dict[str, Any] = {"group": group, "emphasis": decimals.emphases(ranks, higher=False)}
    parts = []
    if show in ("rank", "both"):
        places = 0 if bool((ranks == np.round(ranks))[~np.isnan(ranks)].all()) else 1
        parts.append(
            numbers(
                f"{key}rank", header or "Rank", ranks, places, spread=_ends(part, "rank"), **look
            )
        )
        if "tier" in part.columns and not header:
            ends = (part[name].astype("Int64").astype(str) for name in ("tier", "last_tier"))
            tiers = [low if low == high else f"{low}–{high}" for low, high in zip(*ends)]
            column, cells = texts(f"{key}tier", "Tier", tiers)
            parts.append((replace(column, group=group), cells))
    if show in ("score", "both"):
        places = 0 if pair[1] in ("copeland", "leximin") else digits  # numbers of runs
        parts.append(
            numbers(
                f"{key}score",
                header or "Score",
                part["score"].to_numpy(dtype=float),
                places,
                spread=_ends(part, "score"),
                **look,
            )
        )
    return parts


def _ends(part: pd.DataFrame, of: str) -> dict[str, np.ndarray] | None:
    """Return the bounds of the interval of a column, None without an interval."""
    if f"{of}_low" not in part.columns or f"{of}_high" not in part.columns:
        return None
    return {end: part[f"{of}_{end}"].to_numpy(dtype=float) for end in ("low", "high")}


def _footnotes(
    frame: pd.DataFrame, pairs: list[Pair], names: Mapping[str, str], body: list[Part]
) -> list[str]:
    attrs = frame.attrs
    common = [names.get(values[0], values[0]) for values in zip(*pairs) if len(set(values)) == 1]
    notes = [
        *([", ".join(common) + "."] if common else []),
        *footnote.emphasis(cells for _, cells in body),
    ]
    columns = [column for column, _ in body]
    if "winrate" in {method for _, method in pairs} and any(
        column.name.endswith("score") for column in columns
    ):
        queries = footnote.words(attrs).queries
        others = frame["_run"].nunique() - 1
        notes.append(
            f"The score is the mean preference over the {others} other systems and the {queries}, between -1 and 1."
        )
    if with_spread := [column for column in columns if column.spread]:
        both = any(column.name.endswith("score") for column in with_spread)
        what = "intervals of rank and score" if both else "interval of the rank"
        how = "sandwich" if attrs.get("errors") == "sandwich" else "bootstrap"
        resampled = "collections" if "resample" in attrs else footnote.words(attrs).queries
        if "votes" in attrs:
            columns_drawn = list(attrs.get("resample", ["votes"]))
            by = "" if columns_drawn == ["votes"] else f", drawn by {', '.join(columns_drawn)}"
            resampled = f"{attrs['votes']:,} votes{by}"
        notes.append(f"In brackets the {how} {what} over {resampled}.")
    if any(column.name.endswith("tier") for column in columns):
        how = footnote.significance(
            attrs.get("tests", {}),
            attrs.get("correction"),
            attrs.get("alpha"),
            comparisons=attrs.get("comparisons", ()),
        )
        notes.append(f"No system of a tier is significantly better than one below it ({how}).")
    return [*notes, *footnote.basis_of(frame)]
