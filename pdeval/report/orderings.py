"""The table of an ordering: ranks and scores of the runs, side by side for several measures or methods."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import pandas as pd

from pdeval.report import footnotes as footnote
from pdeval.report import numbers as decimals
from pdeval.report.columns import About, Part, assemble, need, numbers, texts, unique
from pdeval.report.report import Report
from pdeval.report.rows import emphases
from pdeval.report.stacked_collections import by_of, titles
from pdeval.tables.labels import natural, run_labels
from pdeval.tables.recognition import runs_of
from pdeval.tables.schemas import SCHEMAS
from pdeval.verbs import verb

Show = Literal["rank", "score", "both"]
METHODS = {
    "mean": "mean",
    "winrate": "win rate",
    "borda": "Borda",
    "copeland": "Copeland",
    "mc4": "MC4",
    "bradley-terry": "Bradley–Terry",
}


@verb(on=("orders", "leaderboards"), name="report", core=True, command=True)
def report_order(
    frame: pd.DataFrame,
    *,
    show: Show | None = None,
    digits: int = 3,
    by: str | Sequence[str] | None = None,
    average: bool = True,
    names: Mapping[str, str] | None = None,
    caption: str | None = None,
    label: str | None = None,
    notes: str | Sequence[str] | None = None,
    footnotes: bool = True,
) -> Report:
    """Return the table of an ordering, best run first: ranks, their intervals, tiers, scores.

    Several measures or methods stand side by side; the rows follow the first. Several collections stand side by side
    too, followed by the mean rank over them, which the rows then follow; a run that a collection lacks has a dash.

    Parameters
    ----------
    show : {"rank", "score", "both"}, optional
        By default both for one ordering and ranks for several.
    digits : int, default 3
        Decimals of the scores.
    by : str or list of str, optional
        The column(s) that tell collections apart; by default those that the table says.
    average : bool, default True
        Whether collections are followed by the mean rank over them.

    Examples
    --------
    >>> orders = pd.DataFrame({"run": ["lm", "bm25"], "measure": "RPP", "method": "mc4", "score": [0.6, 0.4],
    ...                        "rank": [1, 2]})
    >>> print(orders.ireval.report())
    | System |  Rank |     Score |
    |:-------|------:|----------:|
    | lm     | **1** | **0.600** |
    | bm25   |     2 |     0.400 |
    <BLANKLINE>
    RPP, MC4. Best in bold.
    """
    frame = need(frame, ["measure", "method", "score", "rank"], "the orders")
    places = decimals.check(digits)
    if show not in (None, "rank", "score", "both"):
        raise ValueError(f"show={show!r}: choose 'rank', 'score' or 'both'.")
    known = {**METHODS, **(names or {})}
    columns = list(runs_of(frame, SCHEMAS["orders"]))
    if stacked := by_of(frame, by):
        columns = [name for name in columns if name not in stacked]
        return _of_collections(
            frame, stacked, columns, show or "rank", places, average, known, About(caption, label, notes), footnotes
        )
    unique(frame, [*columns, "measure", "method"], "the orders")
    frame = frame.assign(_run=run_labels(frame[columns]))
    pairs = list(dict.fromkeys(zip(frame["measure"].astype(str), frame["method"].astype(str))))
    shown = show or ("both" if len(pairs) == 1 else "rank")
    parts_of = {
        pair: frame[(frame["measure"].astype(str) == pair[0]) & (frame["method"].astype(str) == pair[1])]
        for pair in pairs
    }
    first = parts_of[pairs[0]]
    rank = first["rank"].to_numpy(dtype=float)
    first = first.iloc[sorted(range(len(first)), key=lambda i: (rank[i], natural(first["_run"].iloc[i])))]
    rows = first["_run"].tolist()
    stub: list[Part] = [
        texts(name, known.get(name, "System" if name == "run" else name), first[name], known) for name in columns
    ]
    body: list[Part] = []
    for pair in pairs:
        part = parts_of[pair].set_index("_run")
        _check_same(rows, part.index, pair, pairs[0])
        body += _ordering(part.loc[rows], pair, pairs, shown, places, known)
    said = _footnotes(frame, pairs, known, body) if footnotes else []
    return assemble([*stub, *body], About(caption, label, notes), said=said)


def _of_collections(
    frame: pd.DataFrame,
    by: list[str],
    columns: list[str],
    show: str,
    digits: int,
    average: bool,
    names: Mapping[str, str],
    about: About,
    footnotes: bool,
) -> Report:
    """Return the orderings of several collections side by side, and the mean rank over them."""
    unique(frame, [*by, *columns, "measure", "method"], "the orders")
    frame = frame.assign(_run=run_labels(frame[columns]), _set=titles(frame[by], names))
    sets = list(dict.fromkeys(frame["_set"]))
    pairs = list(dict.fromkeys(zip(frame["measure"].astype(str), frame["method"].astype(str))))
    runs = frame.drop_duplicates("_run").set_index("_run")[columns]
    body: dict[tuple[str, str], list[Part]] = {pair: [] for pair in pairs}
    means = {}
    for pair in pairs:
        own = frame[(frame["measure"].astype(str) == pair[0]) & (frame["method"].astype(str) == pair[1])]
        ranks = own.pivot(index="_run", columns="_set", values="rank").reindex(index=runs.index, columns=sets)
        means[pair] = ranks.mean(axis=1, skipna=False)  # over fewer collections it would not compare
    first = means[pairs[0]].to_numpy()
    order = sorted(range(len(runs)), key=lambda i: (np.nan_to_num(first[i], nan=np.inf), natural(runs.index[i])))
    rows = runs.index[order]
    said_of = {pair: ", ".join(names.get(one, one) for one in pair) if len(pairs) > 1 else "" for pair in pairs}
    for pair in pairs:
        for one in sets:
            part = frame[(frame["_set"] == one) & (frame["measure"].astype(str) == pair[0])]
            part = part[part["method"].astype(str) == pair[1]].set_index("_run").reindex(rows)
            for column, cells in _ordering(part, pair, [pair], show, digits, names):
                over, head = (
                    (said_of[pair], one)
                    if show != "both"
                    else (", ".join(filter(None, (said_of[pair], one))), column.header)
                )
                name = " ".join((one, *(pair if len(pairs) > 1 else ()), column.name))
                body[pair].append((replace(column, name=name, header=head, group=over), cells))
        if average:
            mean = means[pair].reindex(rows).to_numpy()
            name = " ".join(("mean rank", *(pair if len(pairs) > 1 else ())))
            stress = emphases(decimals.printed(mean, 1), higher=False)
            body[pair].append(numbers(name, "Mean rank", mean, 1, group=said_of[pair], emphasis=stress))
    stub = [
        texts(name, names.get(name, "System" if name == "run" else name), runs.loc[rows, name], names)
        for name in columns
    ]
    parts = [part for own in body.values() for part in own]
    said = []
    if footnotes:
        said = [{"rank": "Ranks", "score": "Scores", "both": "Ranks and scores"}[show] + " within each collection."]
        said += _footnotes(frame, pairs, names, parts)
    return assemble([*stub, *parts], about, said=said)


def _check_same(rows: list[str], index: pd.Index, pair: tuple[str, str], first: tuple[str, str]) -> None:
    differ = set(rows).symmetric_difference(index)
    if differ:
        run = min(differ)
        has, lacks = (first, pair) if run in rows else (pair, first)
        raise ValueError(
            f"run {run!r} is in the ordering by {has[0]} ({has[1]}) but not in that by {lacks[0]} ({lacks[1]}); "
            "order the same runs, or report them one by one."
        )


def _ordering(
    part: pd.DataFrame,
    pair: tuple[str, str],
    pairs: list[tuple[str, str]],
    show: str,
    digits: int,
    names: Mapping[str, Any],
) -> list[Part]:
    measure, method = (names.get(text, text) for text in pair)
    several = {"measures": len({m for m, _ in pairs}) > 1, "methods": len({m for _, m in pairs}) > 1}
    stress = emphases(part["rank"].to_numpy(dtype=float), higher=False)
    key = "" if len(pairs) == 1 else f"{pair[0]} {pair[1]} "
    if len(pairs) == 1:
        heads = {"rank": ("", "Rank"), "score": ("", "Score")}
    elif show == "both":
        title = ", ".join(
            text for text, wanted in ((measure, several["measures"]), (method, several["methods"])) if wanted
        )
        heads = {"rank": (title, "Rank"), "score": (title, "Score")}
    else:
        two = several["measures"] and several["methods"]
        head = (measure, method) if two else ("", measure if several["measures"] else method)
        heads = {show: head}
    found = []
    if show in ("rank", "both"):
        ranks = part["rank"].to_numpy(dtype=float)
        whole = bool((ranks == np.round(ranks))[~np.isnan(ranks)].all())
        spread = _ends(part, "rank")
        group, header = heads["rank"]
        found.append(
            numbers(f"{key}rank", header, ranks, 0 if whole else 1, group=group, emphasis=stress, spread=spread)
        )
        if "tier" in part.columns and len(heads) == 2:
            ends = (part[name].astype("Int64").astype(str) for name in ("tier", "tier_last"))
            shown = pd.Series([low if low == high else f"{low}–{high}" for low, high in zip(*ends)])
            column, cells = texts(f"{key}tier", "Tier", shown, {})
            found.append((replace(column, group=group), cells))
    if show in ("score", "both"):
        group, header = heads["score"]
        scores = part["score"].to_numpy(dtype=float)
        digits = 0 if pair[1] in ("copeland", "leximin") else digits  # counts of runs
        found.append(
            numbers(f"{key}score", header, scores, digits, group=group, emphasis=stress, spread=_ends(part, "score"))
        )
    return found


def _ends(part: pd.DataFrame, of: str) -> dict[str, np.ndarray] | None:
    """Return the ends of the interval of a column, None where it has none."""
    if f"{of}_low" not in part.columns or f"{of}_high" not in part.columns:
        return None
    return {end: part[f"{of}_{end}"].to_numpy(dtype=float) for end in ("low", "high")}


def _drawn(attrs: Mapping[Any, Any]) -> str:
    """Return what intervals are taken over, in the plural: queries, collections, votes, or what votes belong to."""
    if "votes" in attrs:
        names = list(attrs.get("resample", ["votes"]))
        said = "" if names == ["votes"] else f", drawn by {', '.join(names)}"
        return f"{attrs['votes']:,} votes{said}"
    return "collections" if "resample" in attrs else footnote.words(attrs).queries


def _footnotes(
    frame: pd.DataFrame, pairs: list[tuple[str, str]], names: Mapping[str, Any], body: list[Part]
) -> list[str]:
    measures, methods = (list(dict.fromkeys(pair[i] for pair in pairs)) for i in (0, 1))
    one = [names.get(group[0], group[0]) for group in (measures, methods) if len(group) == 1]
    said = [", ".join(one) + "."] if one else []
    used = {cell.emphasis for _, cells in body for cell in cells}
    said += footnote.emphasis(used)
    if "winrate" in methods and any(column.name.endswith("score") for column, _ in body):
        over = footnote.words(frame.attrs).queries
        others = frame["_run"].nunique() - 1
        said.append(f"The win rate is the sum of preferences over the {others} other systems, mean over {over}.")
    if any(column.spread for column, _ in body):
        over = _drawn(frame.attrs)
        both = any(column.spread and column.name.endswith("score") for column, _ in body)
        what = "intervals of rank and score" if both else "interval of the rank"
        how = "sandwich" if frame.attrs.get("errors") == "sandwich" else "bootstrap"
        said.append(f"In brackets the {how} {what} over {over}.")
    if any(column.name.endswith("tier") for column, _ in body):
        known = frame.attrs
        how = footnote.significance(known.get("tests", {}), known.get("correction"), known.get("alpha"))
        said.append(f"No system of a tier is significantly better than one below it ({how}).")
    return [*said, *footnote.basis_of(frame)]
