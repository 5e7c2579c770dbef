"""Hasse diagrams of position vectors: what an order of rankings can and cannot tell apart."""

from __future__ import annotations

from itertools import combinations
from math import comb
from typing import TYPE_CHECKING, Literal

import numpy as np

from pdeval.plots import style, text_layout
from pdeval.verbs.arguments import is_whole, refuse_unusable, shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST = 84


def hasse(
    n: int, m: int, *, order: Literal["RR", "LP", "dominance"] = "RR", ax: Axes | None = None
) -> Axes:
    """Return axes with the Hasse diagram of all positions of m relevant items among n, the best at the top.

    Diaz (2023), Figure 1: reciprocal rank ties all vectors with the same first position, lexiprecision ties
    none, and each order keeps what the weaker ones say.

    Parameters
    ----------
    n, m : int
        The number of positions and of relevant items; at most 84 vectors (n = 9, m = 3) can be read.
    order : {"RR", "LP", "dominance"}
        "RR": by the first position alone, one row per value (left of the figure). "LP": lexiprecision, a
        single chain (right of the figure). "dominance": no item lower and one item higher, the partial order
        that every sensible measure respects.
    ax : Axes, optional
        Where to draw; new axes by default.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> ax = hasse(4, 2, ax=Figure().subplots())
    >>> [text.get_text() for text in ax.texts]
    ['(1,2)', '(1,3)', '(1,4)', '(2,3)', '(2,4)', '(3,4)']
    >>> len(ax.collections[0].get_segments())  # 3 x 2 lines from the first row, 2 x 1 from the second
    8
    """
    refuse_unusable("n", n)
    if not (is_whole(n) and is_whole(m)) or not 1 <= m <= n:
        raise ValueError(
            f"hasse() needs whole numbers 1 <= m <= n; found n={shown(n)}, m={shown(m)}."
        )
    if not isinstance(order, str) or order not in ("RR", "LP", "dominance"):  # type: ignore[redundant-expr]
        raise ValueError(f"no order {shown(order)}; hasse() draws 'RR', 'LP' or 'dominance'.")
    if comb(n, m) > MOST:
        raise ValueError(
            f"hasse({n}, {m}) has {comb(n, m):,} position vectors; at most {MOST} can be read. Choose a smaller n or m."
        )
    vectors = np.array(list(combinations(range(1, n + 1), m)))
    # the row of each vector, 0 for the best
    row = {
        "RR": vectors[:, 0] - 1,
        "LP": np.arange(len(vectors)),
        "dominance": vectors.sum(axis=1) - vectors[0].sum(),
    }[order]
    # pairs (better, worse) with nothing in between are in rows next to each other
    below = row[None, :] - row[:, None] == 1
    if order == "dominance":
        below &= (vectors[None, :, :] >= vectors[:, None, :]).all(axis=2)
    width = np.bincount(row)
    # each row is centred; within it the vectors are in lexicographic order
    nth = np.array([int((row[:i] == row[i]).sum()) for i in range(len(row))])
    points = np.column_stack([nth - (width[row] - 1) / 2, -row.astype(float)])
    label_width = 0.1 + 0.085 * (2 * m + 1)  # inches
    ax = style.axes(
        ax,
        width=max(2.4, 0.6 + label_width * width.max()),
        height=max(1.8, 0.4 + 0.42 * len(width)),
    )
    return _draw(ax, vectors, points, np.argwhere(below))


def _draw(ax: Axes, vectors: np.ndarray, points: np.ndarray, edges: np.ndarray) -> Axes:
    """Draw lines, then the vectors on white ground."""
    from matplotlib.collections import LineCollection

    # a weak order joins every vector of a row with every one of the next: many lines, so faint ones
    look = (
        {"colors": "#888888", "linewidths": 0.7}
        if len(edges) <= 40
        else {"colors": "#C4C4C4", "linewidths": 0.4}
    )
    ax.add_collection(LineCollection(points[edges], zorder=1, **look))
    names = [f"({','.join(map(str, vector))})" for vector in vectors]
    left, bottom = points.min(axis=0)
    right, top = points.max(axis=0)
    wide, high = text_layout.inches(ax)
    # points that a label has across and down
    across = 72 * wide / (right - left + 1.2)
    down = 72 * high / (top - bottom + 1.0)
    size = max(
        3.5, min(text_layout.text_size(ax), across / (0.6 * max(map(len, names))), 0.62 * down)
    )
    for name, (x, y) in zip(names, points):
        ax.text(
            x,
            y,
            name,
            ha="center",
            va="center",
            fontsize=size,
            zorder=2,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.8},
        )
    ax.set(xlim=(left - 0.6, right + 0.6), ylim=(bottom - 0.5, top + 0.5))
    ax.set_axis_off()
    return ax
