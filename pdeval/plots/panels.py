"""Small multiples: the plot of a table, once for each of its collections or segments, on axes with one scale."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from pdeval.evaluate.groups import groups_of, named
from pdeval.plots import text_layout
from pdeval.plots.registry import PLOTS
from pdeval.tables.labels import natural_places
from pdeval.tables.recognition import kind_of
from pdeval.tables.vocabularies import listed
from pdeval.verbs import VERBS, verb

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
        raise KeyError(f"no column {missing[0]!r} to tell panels apart; there are {listed(frame.columns)}.")
    if not names:
        raise ValueError("the table does not say which column tells its collections apart: name it with by=.")
    draw = _plot_of(frame, plot)
    labels, parts = _parts(frame, names)
    if len(parts) > MOST:
        raise ValueError(
            f"{len(parts):,} panels by {listed(names)} are too many to read, at most {MOST} are drawn: keep some, e.g. "
            f"df[df[{names[0]!r}].isin([...])], or draw one column of them at a time."
        )
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError("plots need matplotlib: pip install 'pdeval[plots]'.") from None
    across = max(1, min(columns, len(parts)))
    down = -(-len(parts) // across)
    figure = plt.figure(figsize=(3.4 * across, 2.8 * down), layout="constrained")
    made = [figure.add_subplot(down, across, place + 1) for place in range(len(parts))]
    for ax, label, part in zip(made, labels, parts):
        draw(part, **{**(options or {}), "ax": ax})
        own = ax.get_title()
        ax.set_title(f"{label}: {own}" if own else label, fontsize=1.1 * text_layout.text_size(ax))
    _share(made)
    _say_once(made, across)
    ticks = max(len(ax.get_yticks()) if _fixed(ax.yaxis) else 0 for ax in made)
    figure.set_size_inches(3.4 * across, max(2.8, 0.17 * ticks + 0.9) * down)
    return figure


def _plot_of(frame: pd.DataFrame, name: str | None) -> Any:
    """Return what draws one panel."""
    kind = str(kind_of(frame))
    offered = {key.partition(".")[2]: one for key, one in VERBS.get(kind, {}).items() if key.startswith("plot.")}
    offered.pop("panels", None)
    if name is None and "plot" in VERBS.get(kind, {}):
        return VERBS[kind]["plot"].function
    if name not in offered:
        raise KeyError(f"plot={name!r} is no plot of this table; there are {listed(sorted(offered))}.")
    return offered[name].function


def _parts(frame: pd.DataFrame, names: list[str]) -> tuple[list[str], list[pd.DataFrame]]:
    """Return the title and the rows of each panel; categories stand in their order, all else in natural order."""
    found = groups_of(names, frame[names], pd.DataFrame(index=[0]))
    rows = list(found.labels.itertuples(index=False, name=None))
    parts, order = [], natural_places(rows)
    for at in order:
        part = frame[found.queries == found.query[at]].reset_index(drop=True)
        part.attrs = {key: value for key, value in frame.attrs.items() if key not in ("by", "collections")}
        parts.append(part)
    return [", ".join(map(str, rows[at])) for at in order], parts


def _fixed(axis: Any) -> bool:
    """Return whether an axis has names on it, and no scale."""
    from matplotlib.ticker import FixedFormatter, FuncFormatter

    return isinstance(axis.get_major_formatter(), FixedFormatter | FuncFormatter)


def _share(made: Sequence[Axes]) -> None:
    """Give all panels the scale that has room for each."""
    for side in "xy":
        if any(_fixed(getattr(ax, f"{side}axis")) for ax in made):
            continue
        ends = [getattr(ax, f"get_{side}lim")() for ax in made]
        low, high = min(map(min, ends)), max(map(max, ends))
        for ax, (first, last) in zip(made, ends):
            getattr(ax, f"set_{side}lim")(*((low, high) if first <= last else (high, low)))


def _say_once(made: Sequence[Axes], across: int) -> None:
    """Say labels of axes at the rim alone, and a legend once, where all panels have the same."""
    for side, outer in (
        ("x", [place + across >= len(made) for place in range(len(made))]),
        ("y", [place % across == 0 for place in range(len(made))]),
    ):
        if len({getattr(ax, f"get_{side}label")() for ax in made}) == 1:
            for ax, keep in zip(made, outer):
                if not keep:
                    getattr(ax, f"set_{side}label")("")
    legends = [ax.get_legend() for ax in made]
    texts = {tuple(text.get_text() for text in one.get_texts()) if one is not None else () for one in legends}
    if len(texts) == 1:
        for one in legends[1:]:
            if one is not None:
                one.remove()


verb(on=tuple(dict.fromkeys(kind for one in PLOTS.values() for kind in one.first)), family="plot")(panels)
