"""Search length item by item: how deep a run hides its relevant items, and what another run does for them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from pdeval.plots import style, text_layout
from pdeval.plots.registry import Drawn, drawn, plot
from pdeval.plots.selection import names, one_pair
from pdeval.tables.vocabularies import listed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

EDGES = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
SHIFTS = (1, 3, 10, 30, 100, 300, 1000)
LACKING = ("only run_a", "only run_b", "neither")


@plot(on=("lengths", "length_histogram"), first=("lengths", "length_histogram"))
def asl_histogram(
    frame: pd.DataFrame,
    *,
    ax: Axes | None = None,
    value: str | None = None,
    edges: Sequence[float] = EDGES,
    legend: style.Place | None = "inside",
) -> Axes:
    """Return axes with the number of relevant items in each bucket of search length, those not found last.

    Alex, Hall and Metzler (2022), Figure 5.

    Parameters
    ----------
    frame : DataFrame
        A histogram: run, bucket and count or share, buckets in their order, the last one for items not retrieved (its
        name contains "retrieved" or "found"); or search lengths, one row per relevant item. Without a run column the
        frame is one run. Up to five runs stand side by side.
    value : str, optional
        The column of heights; by default count or share.
    edges : sequence of numbers
        Lower edges of the buckets, where they are made here.
    legend : {"inside", "right", "below", "above"} or None
        ... A single run goes into the title instead.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> items = pd.DataFrame({"run": "bm25", "query_id": "1", "doc_id": list("abcde"), "asl": [1, 1, 4, 30, 999],
    ...                       "retrieved": [True] * 4 + [False]})
    >>> ax = asl_histogram(items, edges=(1, 2, 10), ax=Figure().subplots())
    >>> [label.get_text() for label in ax.get_xticklabels()], [int(bar.get_height()) for bar in ax.patches]
    (['1', '2-9', '10+', 'not retrieved'], [2, 1, 1, 1])
    """
    items = drawn(frame, "asl_histogram")
    if "bucket" not in frame.columns:
        frame, value = _by_item(items, edges), "count"
    histogram = drawn(frame, "asl_histogram", kinds=("length_histogram",))
    height = value or next((name for name in ("count", "share") if name in frame.columns), "count")
    table = _buckets(histogram.need(height), height)
    if len(table.columns) > 5:
        raise ValueError(
            f"asl_histogram() sets at most 5 runs side by side; the frame has {len(table.columns)}: "
            f"{listed(table.columns, 6)}. Select some, e.g. frame[frame['run'] == {table.columns[0]!r}]."
        )
    ax = style.axes(ax)
    _side_by_side(ax, table)
    missing = [i for i, name in enumerate(table.index) if _not_retrieved(name)]
    if missing and len(table) > 1:
        ax.axvline(missing[0] - 0.5, color="black", linewidth=0.6, linestyle=":")
    title = str(table.columns[0]) if len(table.columns) == 1 else ""
    what = "Share of relevant items" if height == "share" else "Relevant items"
    style.finish(ax, x="Search length of the item (ASL)", y=what, title=title, grid="y")
    text_layout.name_ticks(ax, "x", [str(name) for name in table.index])
    style.legend(ax, place=legend if len(table.columns) > 1 else None)
    return ax


@plot(on=("length_wins", "length_differences"), first=("length_wins", "length_differences"))
def asl_wins(
    frame: pd.DataFrame,
    *,
    ax: Axes | None = None,
    pair: Sequence[object] | None = None,
    value: str | None = None,
    edges: Sequence[float] = SHIFTS,
) -> Axes:
    """Return axes with the number of relevant items whose search length differs by so much between two runs.

    Alex, Hall and Metzler (2022), Figure 6: run a minus run b, so that bars left of the middle are items that
    a finds sooner.

    Parameters
    ----------
    frame : DataFrame
        bucket and count or share, buckets from the largest win of run a (negative) to its largest loss, with
        run_a and run_b where known, and with the `class` of items that only one run retrieved, or neither; or one row
        per relevant item with a column `difference`, ASL of a minus ASL of b, and `retrieved_a` and `retrieved_b`
        where known.
    pair : (run, run), optional
        The two runs; needed where the frame has more than one pair.
    value : str, optional
        The column of heights; by default count or share.
    edges : sequence of numbers
        Lower edges of the buckets of wins and of losses, where they are made here.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> items = pd.DataFrame({"difference": [-20, -1, 0, 3, 4]})
    >>> ax = asl_wins(items, edges=(1, 10), ax=Figure().subplots())
    >>> [label.get_text() for label in ax.get_xticklabels()], [int(bar.get_height()) for bar in ax.patches]
    (['≤ −10', '−9 to −1', '0', '1 to 9', '≥ 10'], [1, 1, 1, 2, 0])
    """
    table = drawn(frame, "asl_wins").need("bucket|difference")
    a, b = "the first run", "the second run"
    if stems := table.run_columns:
        frame, sign, a, b = one_pair(frame, pair, stems, plot="asl_wins")
        if (sign < 0).any():
            raise ValueError(f"the frame holds {b} minus {a}: pass pair=({b!r}, {a!r}).")
    if "bucket" not in frame.columns:
        frame, value = _by_class(frame, edges), "count"
    height = value or next((name for name in ("count", "share") if name in frame.columns), "count")
    table.keeping(frame).need("bucket", height)
    side = _sides(frame)
    heights = frame[height].to_numpy(float)
    ax = style.axes(ax)
    place = np.arange(len(frame))
    kinds = (
        (-1, f"{a} sooner", style.WIN, ""),
        (0, "same", style.TIE, ""),
        (1, f"{b} sooner", style.LOSS, "////"),
        (2, f"only {a} has it", style.WIN, "...."),
        (3, f"only {b} has it", style.LOSS, "xxxx"),
        (4, "neither has it", style.FADED, "----"),
    )
    lacking = {"only run_a": f"only {a}", "only run_b": f"only {b}", "neither": "neither"}
    for sign_of, label, colour, hatch in kinds:
        rows = side == sign_of
        if rows.any():
            total = heights[rows].sum()
            text = f"{label}: {total:,.0f}" if height == "count" else f"{label}: {total:.2f}"
            ax.bar(
                place[rows],
                heights[rows],
                0.85,
                color=colour,
                hatch=hatch,
                edgecolor="white",
                linewidth=0,
                label=text_layout.entry(text),
            )
    what = "Share of relevant items" if height == "share" else "Relevant items"
    style.finish(ax, x="Change of the item's search length (ASL)", y=what, grid="y")
    text_layout.name_ticks(ax, "x", [lacking.get(str(name), str(name)) for name in frame["bucket"]])
    if (side <= 1).any() and (side > 1).any():
        ax.axvline(place[side > 1][0] - 0.5, color="black", linewidth=0.6, linestyle=":")
    short = max(map(len, ax.get_legend_handles_labels()[1])) < 28
    # inside it would hide bars, which are high in the middle and at the right
    style.legend(ax, place="above", columns=2 if short else 1)
    return ax


def _by_item(lengths: Drawn, edges: Sequence[float]) -> pd.DataFrame:
    """Count items per run and bucket; those not retrieved have their own."""
    length = lengths.holding("float") or "asl"
    found = lengths.need(length).column("retrieved").to_numpy(bool)
    label = lengths.runs()
    place = np.clip(np.searchsorted(edges, lengths.column(length).to_numpy(float), side="right") - 1, 0, None)
    place = np.where(found, place, len(edges))
    buckets = [_span(low, high) for low, high in zip(edges, [*edges[1:], np.inf])] + ["not retrieved"]
    size = len(label.categories) * len(buckets)
    counts = np.bincount(label.codes.astype(np.intp) * len(buckets) + place, minlength=size)
    return pd.DataFrame(
        {
            "run": np.repeat(np.asarray(label.categories, dtype=object), len(buckets)),
            "bucket": buckets * len(label.categories),
            "count": counts,
        }
    )


def _span(low: float, high: float) -> str:
    """Return the text of a bucket of whole numbers: '1', '2-4', '1000+'."""
    if np.isinf(high):
        return f"{low:g}+"
    return f"{low:g}" if high - low == 1 else f"{low:g}-{high - 1:g}"


def _by_class(frame: pd.DataFrame, edges: Sequence[float]) -> pd.DataFrame:
    """Count differences of items that both runs retrieved; items that one or both lack are classes of their own."""
    difference = frame["difference"].to_numpy(float)
    if not {"retrieved_a", "retrieved_b"} <= set(frame.columns):
        return _by_shift(difference, edges)
    a, b = (frame[f"retrieved_{side}"].to_numpy(bool) for side in "ab")
    counts = [int(which.sum()) for which in (a & ~b, b & ~a, ~a & ~b)]
    apart = pd.DataFrame({"bucket": LACKING, "count": counts, "class": LACKING})
    both = _by_shift(difference[a & b], edges)
    return pd.concat([both.assign(**{"class": "both"}), apart], ignore_index=True)


def _by_shift(difference: np.ndarray, edges: Sequence[float]) -> pd.DataFrame:
    """Count differences in buckets that mirror each other around 0."""
    size = np.searchsorted(edges, np.abs(difference), side="right")
    place = np.where(difference < 0, len(edges) - size, len(edges) + size)
    ups = [f"{low:g}" if high - low == 1 else f"{low:g} to {high - 1:g}" for low, high in pairwise(edges)]
    downs = [f"−{low:g}" if high - low == 1 else f"−{high - 1:g} to −{low:g}" for low, high in pairwise(edges)]
    names = [f"≤ −{edges[-1]:g}", *downs[::-1], "0", *ups, f"≥ {edges[-1]:g}"]
    return pd.DataFrame({"bucket": names, "count": np.bincount(place, minlength=len(names))})


def _buckets(histogram: Drawn, height: str) -> pd.DataFrame:
    """Return heights as buckets x runs, buckets in the order of the frame, 'not retrieved' last."""
    bucket = names(histogram.frame, ["bucket"])
    heights = histogram.column(height).to_numpy(float)
    table = pd.DataFrame({"bucket": bucket, "run": histogram.runs(), "height": heights})
    if table.duplicated(["bucket", "run"]).any():
        raise ValueError(f"asl_histogram() needs one {height!r} for each run and bucket; some repeat.")
    wide = table.pivot(index="bucket", columns="run", values="height").fillna(0.0)
    order = sorted(range(len(bucket.categories)), key=lambda i: _not_retrieved(bucket.categories[i]))
    return wide.reindex([bucket.categories[i] for i in order])


def _not_retrieved(bucket: object) -> bool:
    """Say whether a bucket is the one of items that were not found."""
    return bool(re.search(r"retrieved|found|missing|\binf", str(bucket), re.IGNORECASE)) and "," not in str(bucket)


def _side_by_side(ax: Axes, table: pd.DataFrame) -> None:
    """Draw the bars of each run beside those of the others."""
    place, width = np.arange(len(table)), 0.85 / len(table.columns)
    for i, name in enumerate(table.columns):
        shift = (i - (len(table.columns) - 1) / 2) * width
        ax.bar(place + shift, table[name], width=width * 0.95, label=text_layout.entry(str(name)), **style.fill(i))


def _sides(frame: pd.DataFrame) -> np.ndarray:
    """Return -1, 0 or 1 for each bucket: a win of run a, a tie, a loss; 2, 3 or 4 for items that runs lack."""
    bucket = frame["bucket"]
    classes = frame["class"].astype(str).tolist() if "class" in frame.columns else [""] * len(frame)
    signs: list[float] = []
    for name, own in zip(bucket, classes):
        if own in LACKING:
            signs.append(2.0 + LACKING.index(own))
            continue
        if isinstance(name, pd.Interval):
            signs.append(0.0 if name.left < 0 < name.right else float(np.sign(name.left + name.right)))
            continue
        text = str(name).replace("−", "-")
        numbers = [float(n) for n in re.findall(r"(?<![\d.])-?\d+(?:\.\d+)?", text)]
        if not numbers:
            raise ValueError(f"asl_wins() reads wins and losses from the buckets' numbers; found {str(name)!r}.")
        signs.append(float(np.sign(sum(np.sign(n) for n in numbers))))
    return np.array(signs)
