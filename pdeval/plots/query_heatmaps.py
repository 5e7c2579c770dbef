"""Every run on every query as colours: which queries are hard, and for whom."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from pdeval.catalog.known import known_of
from pdeval.plots import legibility, style
from pdeval.plots.drawing import drawn, plot
from pdeval.plots.selection import by_name, names, one
from pdeval.plots.squares import draw_scale

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@plot(on=("scores",))
def query_heatmap(
    frame: pd.DataFrame, *, ax: Axes | None = None, measure: str | None = None, colorbar: bool = True
) -> Axes:
    """Return axes with the value of every run (row) on every query (column): the best run on top, the hardest first.

    Parameters
    ----------
    frame : DataFrame
        Scores: run, query, measure, value.
    ax : Axes, optional
        Where to draw; new axes by default, as tall as the list needs.
    measure : str, optional
        The measure; needed where the frame has several.
    colorbar : bool
        Draw the scale.

    Returns
    -------
    Axes
        Those drawn on.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> scores = pd.DataFrame({"run": ["lm", "lm", "bm25", "bm25"], "query_id": ["1", "2"] * 2, "measure": "AP",
    ...                        "value": [0.5, 0.1, 0.25, 0.0]})
    >>> ax = query_heatmap(scores, ax=Figure().subplots())
    >>> [label.get_text() for label in ax.get_yticklabels()], ax.images[0].get_array().tolist()
    (['lm', 'bm25'], [[0.1, 0.5], [0.0, 0.25]])
    """
    table = drawn(frame, "query_heatmap").need("value")
    rows, name = one(frame, "measure", measure, plot="query_heatmap")
    query = table.query
    if query is None:
        raise table.lacks("query_id")
    runs, queries = table.keeping(rows).runs(), by_name(names(rows, [query]))
    if pd.DataFrame({"run": runs.codes, "query": queries.codes}).duplicated().any():
        raise ValueError("query_heatmap() needs one value per run and query; some repeat.")
    values = np.full((len(runs.categories), len(queries.categories)), np.nan)
    values[runs.codes, queries.codes] = rows["value"].to_numpy(float)
    known = known_of(name, frame.attrs) if name else None
    sign = -1.0 if known is not None and not known["higher"] else 1.0
    better = sign * np.where(np.isfinite(values), values, np.nan)
    down = np.argsort(-_means(better, 1), kind="stable")
    across = np.argsort(_means(better, 0), kind="stable")
    shown = np.ma.masked_invalid(values[np.ix_(down, across)])
    ax = style.axes(ax, width=6.4, height=legibility.list_height(len(down)))
    ax.imshow(shown, cmap=style.rising(), aspect="auto", interpolation="nearest")
    ax.set_facecolor("#EEEEEE")
    count = len(across)
    style.finish(ax, x=f"{count} {'query' if count == 1 else 'queries'}, the hardest at the left", title=name)
    ax.set_xticks([])
    if colorbar:
        draw_scale(ax, legibility.plain(name) or "Value")
        ax.set_title("")
    legibility.name_list(ax, [str(runs.categories[i]) for i in down])
    if count <= 30:
        legibility.name_ticks(ax, "x", [str(queries.categories[i]) for i in across])
    return ax


def _means(values: np.ndarray, axis: int) -> np.ndarray:
    """The means of what is known; the worst where nothing is."""
    known = ~np.isnan(values)
    total = np.where(known, values, 0.0).sum(axis=axis)
    return np.where(known.any(axis=axis), total / np.maximum(known.sum(axis=axis), 1), -np.inf)
