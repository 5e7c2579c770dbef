"""Square frames: their labels on both sides, and their cells as colours, with numbers and a scale."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdeval.plots import legibility, style
from pdeval.report.orders import METHODS

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def is_square(frame: pd.DataFrame) -> bool:
    """Say whether the rows and the columns of a frame carry the same names."""
    return len(frame) == len(frame.columns) and set(map(text_of, frame.index)) == set(map(text_of, frame.columns))


def text_of(label: object) -> str:
    """Return a label as text; several ids of a run are joined by a slash."""
    return " / ".join(map(str, label)) if isinstance(label, tuple) else str(label)


def labelled(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a square frame with texts as labels, in the same order on both sides."""
    words = dict(zip(frame.index, axis_texts(frame.index)))
    square = frame.astype(float).set_axis([words[label] for label in frame.index])
    square.columns = pd.Index([words.get(label, text_of(label)) for label in frame.columns])
    return square[list(square.index)]


def axis_texts(labels: pd.Index) -> list[str]:
    """Return the labels of a square as texts; of (measure, method), what is needed to tell them apart.

    Examples
    --------
    >>> both = pd.MultiIndex.from_tuples([("RPP", "winrate"), ("RPP", "mc4"), ("AP", "mean")],
    ...                                  names=["measure", "method"])
    >>> axis_texts(both), axis_texts(both[1:]), axis_texts(both[:2])
    (['RPP, win rate', 'RPP, MC4', 'AP, mean'], ['RPP', 'AP'], ['win rate', 'MC4'])
    """
    if list(labels.names) != ["measure", "method"]:
        return [text_of(label) for label in labels]
    measures = [str(label[0]) for label in labels]
    methods = [METHODS.get(str(label[1]), str(label[1])) for label in labels]
    if len(set(measures)) == len(measures):
        return measures
    if len(set(measures)) == 1:
        return methods
    return [f"{measure}, {method}" for measure, method in zip(measures, methods)]


def fill_cells(ax: Axes, square: pd.DataFrame, colours: Any, low: float, high: float) -> None:
    """Draw the cells; those without a value stay grey."""
    values = np.ma.masked_invalid(square.to_numpy(float))
    ax.imshow(values, cmap=colours, vmin=low, vmax=high, aspect="equal", interpolation="nearest")
    ax.set_facecolor("#EEEEEE")


def write_numbers(ax: Axes, square: pd.DataFrame, annotate: bool | None, form: str) -> None:
    """Write the values into the cells where they fit or are wanted."""
    room = 72 * min(legibility.inches(ax)) / max(len(square), 1)
    size = min(0.85 * legibility.text_size(ax), room / (0.62 * len(format(0.5, form)) + 0.9))
    if annotate is None:
        annotate = size >= 5.0
    if not annotate:
        return
    values = square.to_numpy(float)
    ink = style.ink(ax.images[0].to_rgba(np.nan_to_num(values)))
    for row, column in np.argwhere(~np.isnan(values)):
        text = format(values[row, column], form).replace("-", "−")
        ax.text(column, row, text, ha="center", va="center_baseline", fontsize=size, color=ink[row, column])


def draw_scale(ax: Axes, label: str, *, below: bool = False) -> Axes:
    """Draw the colour scale right of the axes or below them, exactly as long as their side, and return its axes."""
    size = legibility.text_size(ax)
    legibility.settle(ax)
    wide, high = legibility.inches(ax)
    thick, away = 0.08, (0.04 if not below else 2.0 * size / 72)  # inches
    place = (0.0, -(away + thick) / high, 1.0, thick / high) if below else (1 + away / wide, 0.0, thick / wide, 1.0)
    bar = ax.figure.colorbar(ax.images[0], cax=ax.inset_axes(place), orientation="horizontal" if below else "vertical")
    if below:
        bar.set_label(legibility.wrapped(label, 1.1 * wide, size), fontsize=size)
        bar.ax.xaxis.label.set_label(label)
    else:  # above the bar and to its left: beside it, the text would run into the next axes
        bar.ax.set_title(label, fontsize=size, loc="right", pad=3)
    bar.ax.tick_params(labelsize=0.9 * size, length=2)
    bar.outline.set_visible(False)
    return bar.ax
