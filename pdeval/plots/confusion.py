"""Confusion by grade as colours: what an assessor makes of each label of the reference."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from pdeval.kinds.tables import assessor_column
from pdeval.plots import legibility, style
from pdeval.plots.drawing import drawn, plot
from pdeval.plots.selection import one
from pdeval.plots.squares import draw_scale, fill_cells, write_numbers

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@plot(on=("confusions",), first=("confusions",))
def confusion_heatmap(
    frame: pd.DataFrame,
    *,
    ax: Axes | None = None,
    assessor: str | None = None,
    annotate: bool | None = None,
    colorbar: bool = True,
) -> Axes:
    """Return axes with the share of each label (column) among the items of each label of the reference (row).

    Parameters
    ----------
    frame : DataFrame
        Confusions: assessor, reference, label, n, share.
    ax : Axes, optional
        Where to draw; new axes by default.
    assessor : str, optional
        The assessor; needed where the frame has several.
    annotate : bool, optional
        Write the shares into the cells; by default where they fit.
    colorbar : bool
        Draw the scale.

    Returns
    -------
    Axes
        Those drawn on.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> table = pd.DataFrame({"assessor": "llm", "reference": [0, 0, 1, 1], "label": [0, 1, 0, 1], "n": [3, 1, 0, 2],
    ...                       "share": [0.75, 0.25, 0.0, 1.0]})
    >>> ax = confusion_heatmap(table, ax=Figure().subplots())
    >>> ax.get_xlabel(), [text.get_text() for text in ax.texts]
    ('Label by llm', ['0.75', '0.25', '0.00', '1.00'])
    """
    drawn(frame, "confusion_heatmap").need("reference", "label", "n", "share")
    rows, name = one(frame, assessor_column(frame), assessor, plot="confusion_heatmap")
    if rows.duplicated(["reference", "label"]).any():
        raise ValueError("confusion_heatmap() needs one share per label of the reference and label; some repeat.")
    values = list(dict.fromkeys(rows["reference"]))
    wide = rows.set_index(["reference", "label"])
    square = wide["share"].unstack().reindex(index=values, columns=values).astype(float)
    total = wide["n"].unstack().reindex(index=values).sum(axis=1)
    side = min(2.2 + 0.4 * len(values), 9.0)
    ax = style.axes(ax, width=side + 0.9, height=side)
    fill_cells(ax, square, style.rising(), 0.0, 1.0)
    reference = str(frame.attrs.get("reference", "reference"))
    known = {"reference": "Label of the reference", "true label": "True label"}.get(reference, f"Label by {reference}")
    style.finish(ax, x=f"Label by {name}", y=f"{known} (items)")
    if colorbar:
        draw_scale(ax, "Share of the row")
    texts = [f"{value} ({count:,.0f})" for value, count in total.items()]
    legibility.name_ticks(ax, "x", [str(value) for value in values])
    legibility.name_ticks(ax, "y", texts)
    write_numbers(ax, square, annotate, ".2f")
    return ax
