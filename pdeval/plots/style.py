"""How every plot looks: colours that survive colour blindness and grey print, one frame for all.

Colours are those of Okabe and Ito (2008), without the yellow that white paper swallows; line patterns,
markers and hatches repeat what the colours say. Sizes are set on the artists: rcParams are read, never set.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from pdeval.plots import text_layout
from pdeval.tables.labels import visible

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap

BLUE, VERMILLION, GREEN, PURPLE = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
ORANGE, SKY, BLACK = "#E69F00", "#56B4E9", "#000000"
WIN, LOSS, TIE, FADED = BLUE, ORANGE, "#D9D9D9", "#BBBBBB"
PALETTE = (BLUE, VERMILLION, GREEN, BLACK, PURPLE, ORANGE, SKY)
PATTERNS: tuple[Any, ...] = (
    "-",
    (0, (5, 1.5)),
    (0, (1, 1)),
    (0, (5, 1, 1, 1)),
    (0, (3, 1, 1, 1, 1, 1)),
)
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">")
HATCHES = ("", "////", "....", "xxxx", "----", "oooo", "++++")

Place = Literal["inside", "right", "below", "above"]


def axes(ax: Axes | None, *, width: float = 5.0, height: float = 3.4) -> Axes:
    """Return the given axes, or those of a new figure of this size in inches.

    Raises
    ------
    ImportError
        If matplotlib is not installed.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> mine = Figure().subplots()
    >>> axes(mine) is mine
    True
    """
    if ax is not None:
        if not hasattr(ax, "transData"):
            raise TypeError(
                f"ax must be one matplotlib Axes; found {type(ax).__name__}. "
                "Of several, pass one: fig, (left, right) = plt.subplots(1, 2), then ax=left."
            )
        return ax
    return pyplot().subplots(figsize=(width, height), layout="constrained")[1]


def pyplot() -> Any:
    """Return matplotlib's pyplot, or raise if it is not installed."""
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError("plots need matplotlib: pip install 'pdeval[plots]'.") from None
    return plt


def finish(
    ax: Axes,
    *,
    x: str = "",
    y: str = "",
    title: str = "",
    grid: str = "",
    note: str = "",
    rows: Sequence[str] | None = None,
    what: str = "Runs",
    place: Place | None = None,
) -> Axes:
    """Set labels, title, text sizes and a light grid ('x', 'y', 'both'); hide the outer spines; draw the legend.

    Parameters
    ----------
    x, y, title : str
        Labels; they are broken into lines that fit.
    note : str
        What lines or bands are, under the x label.
    rows : list of str, optional
        Names of the rows of a list, for the y axis.
    what : str
        What the rows are.
    place : {"inside", "right", "below", "above"} or None
        Place of the legend; None draws none.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> finish(Figure().subplots(), x="Recall").get_xlabel()
    'Recall'
    """
    size = text_layout.text_size(ax)
    width, height = text_layout.allotted(ax)
    below = [text_layout.wrapped(text, 0.8 * width, size) for text in (x, note) if text]
    ax.set_xlabel("\n".join(below), fontsize=size)
    # the label of the label keeps the full text, which `fit_label` breaks again
    ax.xaxis.label.set_label("\n".join(visible(text) for text in (x, note) if text))
    ax.set_ylabel(text_layout.wrapped(y, 0.9 * height, size), fontsize=size)
    if title:
        ax.set_title(text_layout.wrapped(title, 0.8 * width, size), fontsize=size)
    ax.tick_params(labelsize=size * 0.9)
    ax.spines[["top", "right"]].set_visible(False)
    if grid:
        ax.grid(axis=grid, color="#E5E5E5", linewidth=0.6)  # type: ignore[arg-type]
        ax.set_axisbelow(True)
    if rows is not None:
        text_layout.name_list(ax, rows, what=what)
    legend(ax, place=place)
    return ax


def interval(frame: pd.DataFrame, what: str = "confidence interval") -> str:
    """Return what an interval is in words: how much of what, where the table says how much.

    Examples
    --------
    >>> known = pd.DataFrame()
    >>> known.attrs["confidence"] = 0.95
    >>> interval(known), interval(pd.DataFrame())
    ('95% confidence interval', 'confidence interval')
    """
    share = frame.attrs.get("confidence")
    return what if share is None else f"{100 * float(share):g}% {what}"


def line(i: int) -> dict[str, Any]:
    """Return colour, pattern and marker of the i-th line; different for the first 35 lines in grey too.

    Examples
    --------
    >>> line(1)["color"], line(1)["marker"]
    ('#D55E00', 's')
    """
    return {
        "color": PALETTE[i % len(PALETTE)],
        "linestyle": PATTERNS[i % len(PATTERNS)],
        "marker": MARKERS[i % len(MARKERS)],
        "markersize": 3.5,
        "linewidth": 1.3,
        "markeredgewidth": 0,
    }


def fill(i: int) -> dict[str, Any]:
    """Return colour and hatch of the i-th kind of bar.

    Examples
    --------
    >>> fill(0)["hatch"], fill(1)["hatch"]
    ('', '////')
    """
    return {
        "facecolor": PALETTE[i % len(PALETTE)],
        "hatch": HATCHES[i % len(HATCHES)],
        "edgecolor": "white",
        "linewidth": 0.0,
    }


def legend(ax: Axes, *, place: Place | None = "inside", columns: int = 0) -> None:
    """Draw the legend inside the axes, right of them, below or above them; None draws none.

    Names that are longer than the room they have are cut in the middle.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> ax = Figure().subplots()
    >>> line = ax.plot([0, 1], label="bm25")
    >>> legend(ax, place="right")
    >>> ax.get_legend().get_texts()[0].get_text()
    'bm25'
    """
    lines, entries = ax.get_legend_handles_labels()
    if place is None or not entries:
        return
    size = 0.9 * text_layout.text_size(ax)
    width = text_layout.inches(ax)[0]
    available = 0.4 * text_layout.allotted(ax)[0] if place == "right" else 0.95 * width
    entries = _cut(
        entries, int(72 * available / (0.56 * size)) - 7
    )  # a sample of the line is as wide as 7 letters
    options: dict[str, Any] = {
        "fontsize": size,
        "borderpad": 0.2,
        "labelspacing": 0.25,
        "handlelength": 2.4,
        "handletextpad": 0.5,
    }
    if place == "inside":
        options |= {"loc": "best", "framealpha": 0.8, "edgecolor": "none", "ncols": columns or 1}
    elif place == "right":
        options |= {"loc": "center left", "bbox_to_anchor": (1.01, 0.5), "frameon": False}
    else:
        fitting = int(
            72 * width / (size * (0.55 * max(map(len, entries)) + 4.5))
        )  # entries beside each other
        options |= {
            "loc": "lower center" if place == "above" else "upper center",
            "bbox_to_anchor": (0.5, float(place == "above")),
            "borderaxespad": 0.1,
            "frameon": False,
            "ncols": columns or max(1, min(len(entries), fitting)),
            "columnspacing": 1.0,
        }
        if place == "below":  # clear of tick and axis labels, which take about this many points
            options["bbox_transform"] = text_layout.lower(ax, 12 + 2.4 * size / 0.9)
    ax.legend(lines, entries, **options)


def _cut(entries: list[str], letters: int) -> list[str]:
    """Return the texts of a legend, those with more letters cut in the middle; formulas stay as they are."""
    full = [text.replace(r"\$", "$") for text in entries]
    texts = []
    for entry, long, short in zip(entries, full, text_layout.shorten(full, letters)):
        is_formula = "$" in entry.replace(r"\$", "")
        texts.append(entry if is_formula or short == long else text_layout.plain(short))
    return texts


def diverging() -> Colormap:
    """Return the colour map of signed values: orange below 0, white at 0, dark blue above.

    Its two ends differ in lightness, so that strong positive and negative values differ in grey too.

    Examples
    --------
    >>> [round(float(part), 1) for part in diverging()(1.0)[:3]]
    [0.0, 0.3, 0.4]
    """
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list(
        "preference", ["#B35900", ORANGE, "#FFFFFF", SKY, "#00406B"]
    )


def rising() -> Colormap:
    """Return the colour map of values of one sign: white to dark blue.

    Examples
    --------
    >>> [float(part) for part in rising()(0.0)[:3]]
    [1.0, 1.0, 1.0]
    """
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("rising", ["#FFFFFF", SKY, BLUE, "#00314F"])


def ink(colours: np.ndarray) -> np.ndarray:
    """Return black or white for each RGBA row: whichever reads better on it.

    Examples
    --------
    >>> ink(np.array([[1.0, 1, 1, 1], [0, 0.2, 0.4, 1]])).tolist()
    ['black', 'white']
    """
    # perceived lightness of red, green and blue
    light = np.asarray(colours)[..., :3] @ np.array([0.299, 0.587, 0.114])
    return np.where(light > 0.55, "black", "white")
