"""Small multiples: the plot of a table, once for each of its collections or segments, on axes with one scale."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from pdeval.evaluate.groups import groups_of, named
from pdeval.plots import style, text_layout
from pdeval.plots.registry import PLOTS
from pdeval.tables.labels import natural_places
from pdeval.tables.recognition import kind_of
from pdeval.tables.vocabularies import listed
from pdeval.verbs import VERBS, Verb, verb

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST = 24


def panels(
    frame: pd.DataFrame,
    *,
    by: str | Sequence[str] | None = None,
    plot: str | None = None,
    columns: int = 3,
    options: Mapping[str, Any] | None = None,
) -> Figure:
    """Return a figure with a panel for each collection or segment of a table, in natural order, on one scale.

    Parameters
    ----------
    by : str or list of str, optional
        The column(s) that tell panels apart; by default those that the table says. At most 24 panels are drawn.
    plot : str, optional
        Which plot of this table, by its name in `.plot`; by default that of `.plot()`.
    columns : int, default 3
        How many panels stand side by side.
    options : mapping of str to any, optional
        What the plot is given for every panel, e.g. {"measure": "AP"}.

    Returns
    -------
    matplotlib.figure.Figure
        The figure; its `axes` are the panels. A legend that is the same in all is drawn once.

    Examples
    --------
    >>> import pdeval
    >>> orders = pdeval.datasets.sample_judged(topics="common").order("AP")
    >>> both = pd.concat([orders.assign(collection=name) for name in ("robust", "core")], ignore_index=True)
    >>> [ax.get_title() for ax in both.ireval.plot.panels(by="collection").axes]
    ['core', 'robust']
    """
    names = named(by) if by is not None else list(frame.attrs.get("by", ()))
    missing = [name for name in names if name not in frame.columns]
    if missing:
        raise KeyError(
            f"no column {missing[0]!r} to tell panels apart; there are {listed(frame.columns)}."
        )
    if not names:
        raise ValueError(
            "the table does not say which column tells its collections apart: name it with by=."
        )
    draw = _plot_of(frame, plot)
    labels, parts = _parts(frame, names)
    if len(parts) > MOST:
        raise ValueError(
            f"{len(parts):,} panels by {listed(names)} are too many to read, at most {MOST} are drawn: keep some, e.g. "
            f"df[df[{names[0]!r}].isin([...])], or draw one column of them at a time."
        )
    across = max(1, min(columns, len(parts)))
    down = -(-len(parts) // across)  # rounded up
    figure: Figure = style.pyplot().figure(figsize=(3.4 * across, 2.8 * down), layout="constrained")
    axes = [figure.add_subplot(down, across, place) for place, _ in enumerate(parts, start=1)]
    for ax, label, part in zip(axes, labels, parts):
        draw(part, **{**(options or {}), "ax": ax})
        title = ax.get_title()
        ax.set_title(
            f"{label}: {title}" if title else label, fontsize=1.1 * text_layout.text_size(ax)
        )
    _share_scales(axes)
    _label_once(axes, across)
    # the longest list of names sets the height
    ticks = max(len(ax.get_yticks()) if _has_names(ax.yaxis) else 0 for ax in axes)
    figure.set_size_inches(3.4 * across, max(2.8, 0.17 * ticks + 0.9) * down)
    return figure


def _plot_of(frame: pd.DataFrame, name: str | None) -> Any:
    """Return what draws one panel."""
    verbs: Mapping[str, Verb] = VERBS.get(str(kind_of(frame)), {})
    if name is None and "plot" in verbs:
        return verbs["plot"].function
    plots = sorted(
        key.partition(".")[2] for key in verbs if key.startswith("plot.") and key != "plot.panels"
    )
    if name not in plots:
        raise KeyError(f"plot={name!r} is no plot of this table; there are {listed(plots)}.")
    return verbs[f"plot.{name}"].function


def _parts(frame: pd.DataFrame, names: list[str]) -> tuple[list[str], list[pd.DataFrame]]:
    """Return the title and the rows of each panel; categories stand in their order, all else in natural order."""
    groups = groups_of(names, frame[names], pd.DataFrame(index=[0]))
    rows = list(groups.labels.itertuples(index=False, name=None))
    order = natural_places(rows)
    parts = [frame[groups.queries == groups.query[at]].reset_index(drop=True) for at in order]
    for part in parts:
        part.attrs = {
            key: value for key, value in frame.attrs.items() if key not in ("by", "collections")
        }
    return [", ".join(map(str, rows[at])) for at in order], parts


def _has_names(axis: Any) -> bool:
    """Return whether an axis has names on it, and no scale."""
    from matplotlib.ticker import FixedFormatter, FuncFormatter

    return isinstance(axis.get_major_formatter(), FixedFormatter | FuncFormatter)


def _share_scales(axes: Sequence[Axes]) -> None:
    """Give all panels one scale on each axis, unless it has names."""
    for side in "xy":
        if any(_has_names(getattr(ax, f"{side}axis")) for ax in axes):
            continue
        ends = [getattr(ax, f"get_{side}lim")() for ax in axes]
        low, high = min(map(min, ends)), max(map(max, ends))
        for ax, (first, last) in zip(axes, ends):
            # an axis that runs downwards still does
            getattr(ax, f"set_{side}lim")(*((low, high) if first <= last else (high, low)))


def _label_once(axes: Sequence[Axes], across: int) -> None:
    """Label the outer axes only, and draw one legend, if all panels have the same."""
    for side in "xy":
        if len({getattr(ax, f"get_{side}label")() for ax in axes}) > 1:
            continue
        for place, ax in enumerate(axes):
            outer = place % across == 0 if side == "y" else place + across >= len(axes)
            if not outer:
                getattr(ax, f"set_{side}label")("")
    legends = [ax.get_legend() for ax in axes]
    texts = {
        tuple(text.get_text() for text in legend.get_texts()) if legend else ()
        for legend in legends
    }
    if len(texts) == 1:
        for legend in filter(None, legends[1:]):
            legend.remove()


verb(on=tuple(dict.fromkeys(kind for one in PLOTS.values() for kind in one.first)), family="plot")(
    panels
)
