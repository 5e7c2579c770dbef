"""The style of all plots: colors, patterns and markers; labels, ticks and legends that fit the axes.

The colors are those of Okabe and Ito (2008), without yellow, which is hard to see on white. Line patterns, markers
and hatches distinguish the same things in gray print. Sizes are set on the artists: rcParams are read, never set.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from pdeval.tables import visible

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap


LEAST_TEXT = 7.8  # points; ticks and legends are 0.9 of it: 7 points, the smallest size that is legible in print
MOST_LINES = 3  # of a label; a longer one is cut in the middle
LEAST_LABEL = 4.5  # points; below this only every k-th name is shown


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


def inches(ax: Axes) -> tuple[float, float]:
    """Return the width and height of the axes in inches, as far as known before the layout is done.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> [round(side, 2) for side in inches(Figure(figsize=(4, 2)).add_axes((0, 0, 0.5, 1)))]
    [2.0, 2.0]
    """
    ax.apply_aspect()
    figure: Any = ax.figure
    box, dpi = ax.get_window_extent(), figure.dpi
    return float(box.width / dpi), float(box.height / dpi)


def allotted(ax: Axes) -> tuple[float, float]:
    """Return the width and height in inches of the axes with all their labels: their part of the figure.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> allotted(Figure(figsize=(7, 2)).subplots(1, 2)[0])
    (3.5, 2.0)
    """
    figure: Any = ax.figure
    width, height = figure.bbox.width / figure.dpi, figure.bbox.height / figure.dpi
    cell = ax.get_subplotspec()
    if cell is None:  # axes placed by hand: matplotlib's margins leave them about this part
        box = ax.get_position(original=True)
        return float(width * min(1.0, box.width / 0.775)), float(
            height * min(1.0, box.height / 0.77)
        )
    rows, cols = cell.get_gridspec().get_geometry()
    return float(width * len(cell.colspan) / cols), float(height * len(cell.rowspan) / rows)


def settle(ax: Axes) -> None:
    """Execute the layout of the figure, if it has one: `inches` is then the size that labels and scales leave.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> ax = Figure(figsize=(4, 3), layout="constrained").subplots()
    >>> before = inches(ax)[0]
    >>> label = ax.set_ylabel("two\\nlines")
    >>> settle(ax)
    >>> inches(ax)[0] != before
    True
    """
    figure: Any = ax.figure
    # a subfigure is laid out with the figure around it
    while figure is not getattr(figure, "figure", figure):
        figure = figure.figure
    if (engine := figure.get_layout_engine()) is not None:
        engine.execute(figure)


def list_height(rows: int, *, row: float = 0.22) -> float:
    """Return the height in inches of new axes with a list of rows; rows of long lists are closer.

    Examples
    --------
    >>> round(list_height(10), 1), round(list_height(79), 1)
    (3.3, 12.2)
    """
    return max(1.8, 1.1 + (row if rows <= 30 else 0.14) * rows)


def text_size(ax: Axes) -> float:
    """Return the size of ordinary text in points: that of rcParams, smaller on small axes, at least 7.8.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> text_size(Figure(figsize=(3.3, 2.4)).subplots()), text_size(Figure(figsize=(5, 3.4)).subplots())
    (7.8, 10.0)
    """
    import matplotlib as mpl

    usual = float(mpl.rcParams["font.size"])
    return min(usual, max(LEAST_TEXT, usual * allotted(ax)[0] / 5.0))


def plain(text: str) -> str:
    r"""Return a string escaped for matplotlib: without formulas and control characters.

    Examples
    --------
    >>> print(plain("a_$b$"), plain("x\n y"))
    a_\$b\$ x\n y
    """
    return visible(text).replace("$", r"\$")


def entry(name: str) -> str:
    r"""Return the label of a line or bar for the legend, which omits labels that begin with an underscore.

    Examples
    --------
    >>> entry("bm25"), entry("_draft"), entry("")
    ('bm25', ' _draft', '')
    """
    return plain(f" {name}" if name.startswith("_") else name)


def wrapped(text: str, width: float, size: float) -> str:
    """Return a label in as few lines as fit the width in inches; the lines are as even as possible.

    Examples
    --------
    >>> wrapped("Mean AP (with 95% confidence interval)", 1.6, 10).splitlines()
    ['Mean AP (with 95%', 'confidence interval)']
    >>> wrapped("Posterior probability in % (nDCG@10, equivalent: ±0.02)", 3.9, 10).splitlines()
    ['Posterior probability in %', '(nDCG@10, equivalent: ±0.02)']
    """
    fitting = max(16, int(72 * width / (0.56 * size)))  # letters; one is 0.56 of its size wide
    text = shorten([visible(text)], MOST_LINES * fitting)[0]
    if len(text) <= fitting:
        return plain(text)
    lines = textwrap.wrap(text, fitting)
    # the shortest length that needs no more lines
    for length in range(-(-len(text) // len(lines)), fitting):
        even = textwrap.wrap(text, length)
        if len(even) <= len(lines):
            lines = even
            break
    return "\n".join(map(plain, lines))


def fit_label(ax: Axes, label: Any = None, *, share: float = 0.95) -> None:
    """Wrap the x label, or another under the axes, again after names have changed the width of the axes.

    The text before wrapping is kept as the label of the text artist, which matplotlib does not use.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> ax = Figure(figsize=(2, 2)).subplots()
    >>> label = ax.set_xlabel("Difference of AP (with 95% confidence interval)", fontsize=7)
    >>> fit_label(ax)
    >>> len(ax.get_xlabel().splitlines())
    2
    """
    label = ax.xaxis.label if label is None else label
    width, size = share * inches(ax)[0], float(label.get_fontsize())
    fitting = max(16, int(72 * width / (0.56 * size)))
    if max(map(len, label.get_text().split("\n"))) > fitting:
        texts = (str(label.get_label()) or label.get_text().replace(r"\$", "$")).split("\n")
        label.set_text("\n".join(wrapped(text, width, size) for text in texts))


def shorten(names: Sequence[str], length: int) -> list[str]:
    """Cut names longer than `length` in the middle; names that would become equal, around their first difference.

    Examples
    --------
    >>> shorten(["covidex.r3.t5.monot5.bm25tuned", "bm25"], 15)
    ['covidex…m25tuned', 'bm25']
    >>> shorten(["a-very-long-name-1-of-a-run", "a-very-long-name-2-of-a-run"], 8)
    ['…e-1-of-…', '…e-2-of-…']
    """
    length = max(length, 7)
    cut = {
        n: n if len(n) <= length + 1 else n[: length // 2] + "…" + n[-(length - length // 2) :]
        for n in names
    }
    names_of: dict[str, list[str]] = {}
    for name, short in cut.items():
        names_of.setdefault(short, []).append(name)
    groups = [group for group in names_of.values() if len(group) > 1]
    for group in groups:
        # begin two letters before the first one that differs
        differs = next((at for at, letters in enumerate(zip(*group)) if len(set(letters)) > 1), 2)
        start = max(differs - 2, 0)
        cut.update({name: f"…{name[start : start + length - 1]}…" for name in group})
    if len(set(cut.values())) < len(cut):  # they differ in several places: number them
        for number, name in enumerate((name for group in groups for name in group), 1):
            cut[name] = f"{name[: length - 4]}… #{number}"
    return [cut[name] for name in names]


def name_ticks(
    ax: Axes, axis: Literal["x", "y"], names: Sequence[str], *, share: float = 0.46
) -> int:
    """Name the ticks 0, 1, 2, ... of an axis in text that fits, and return the step between named ticks.

    Text shrinks down to 4.5 points; if that is not enough only every k-th tick gets a name. Names on the
    x axis are rotated if they do not fit side by side. Names longer than `share` of the figure
    are cut in the middle.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> ax = Figure(figsize=(3.3, 2.4)).subplots()
    >>> name_ticks(ax, "y", ["bm25", "lm"]), name_ticks(ax, "y", [f"run {i}" for i in range(79)])
    (1, 3)
    """
    names = [visible(name) for name in names]
    size = text_size(ax) * 0.9
    points = 72 * inches(ax)[0 if axis == "x" else 1] / max(len(names), 1)  # for each name
    flat = axis == "x" and 0.62 * size * max(map(len, names), default=1) < points
    step = 1
    if not flat:
        # names below each other: those that would be too small are thinned out, long ones are cut
        step = int(np.ceil(LEAST_LABEL * 1.05 / points))
        size = min(size, points * step / 1.05)
        names = shorten(
            names, int(share * allotted(ax)[0 if axis == "y" else 1] * 72 / (0.55 * size))
        )
    getattr(ax, f"set_{axis}ticks")(
        range(0, len(names), step),
        [plain(name) for name in names[::step]],
        fontsize=size,
        rotation=0 if axis == "y" or flat else 90,
    )
    ax.tick_params(axis=axis, length=0 if step == 1 else 2)
    return step


def name_list(ax: Axes, names: Sequence[str], *, what: str = "Runs", share: float = 0.46) -> None:
    """Name the rows of a list on the y axis, measured again after the layout of the figure.

    If pairs 'a − b' with one baseline b are too long, the rows are named a, and the axis "Each − b".

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> ax = Figure(figsize=(3.3, 2.4)).subplots()
    >>> name_list(ax, [f"run {i}" for i in range(79)])
    >>> ax.get_ylabel()
    'Runs (every 3rd named)'
    """
    # names take width from the axes, so labels and sizes are fitted twice
    name_ticks(ax, "y", names, share=share)
    pairs = [re.split(" (−|vs) ", name, maxsplit=1) for name in names]
    ends = {" ".join(pair[1:]) for pair in pairs}
    is_cut = any("…" in label.get_text() for label in ax.get_yticklabels())
    if is_cut and len(names) > 1 and len(ends) == 1 and ends != {""}:
        # the label of the axis has the baseline once
        names = [pair[0] for pair in pairs]
        what = f"Each {ends.pop()}"
        ax.set_ylabel(wrapped(what, 0.9 * allotted(ax)[1], text_size(ax)), fontsize=text_size(ax))
        name_ticks(ax, "y", names, share=share)
    settle(ax)
    fit_label(ax)
    step = name_ticks(ax, "y", names, share=share)
    if step > 1:
        ax.set_ylabel(what + every(step), fontsize=text_size(ax))


def number_ticks(ax: Axes, count: int) -> None:
    """Number the ticks of the x axis from 1, at a step at which the numbers do not overlap.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> ax = Figure(figsize=(3.3, 2.4)).subplots()
    >>> number_ticks(ax, 79)
    >>> [label.get_text() for label in ax.get_xticklabels()][:4]
    ['1', '10', '20', '30']
    """
    size = text_size(ax) * 0.9
    points = 72 * inches(ax)[0] / max(count, 1)  # for each number
    step = round_step(0.65 * size * (len(str(count)) + 0.6) / points)
    # 1, 5, 10, ... rather than 1, 6, 11
    ticks = [0, *range(step - 1, count, step)] if step > 2 else list(range(0, count, step))
    ax.set_xticks(ticks, [str(tick + 1) for tick in ticks], fontsize=size)
    ax.tick_params(axis="x", length=0 if step == 1 else 2)


def round_step(least: float) -> int:
    """Return the smallest of 1, 2, 5, 10, 20, ..., 1000 that is not below a number."""
    return next((step for step in (1, 2, 5, 10, 20, 50, 100, 200, 500) if step >= least), 1000)


def recall_ticks(ax: Axes, last: float) -> None:
    """Put the ticks of the x axis on recall levels: 1 and even steps up to the last.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> ax = Figure().subplots()
    >>> recall_ticks(ax, 30)
    >>> ax.get_xticks().tolist()
    [1, 5, 10, 15, 20, 25, 30]
    """
    if not np.isfinite(last):
        raise ValueError("there is nothing to draw: no row of the table has a finite value.")
    reach = max(1, int(last))
    # at most six steps
    steps = (
        5,
        10,
        20,
        50,
        100,
        200,
        500,
        1000,
        5000 if reach <= 30_000 else 10 ** (len(str(reach)) - 1),
    )
    step = 1 if reach <= 10 else next((s for s in steps if reach / s <= 6), steps[-1])
    ax.set_xticks(range(1, reach + 1) if step == 1 else [1, *range(step, reach + 1, step)])


def few_ticks(ax: Axes, reach: float) -> None:
    """Put ticks on an x axis from -reach to reach, as many as fit with their numbers.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> ax = Figure(figsize=(3.3, 2.4)).subplots()
    >>> limits = ax.set_xlim(-5200, 5200)
    >>> few_ticks(ax, 5200)
    >>> ax.get_xticks().tolist()
    [-6000.0, -4000.0, -2000.0, 0.0, 2000.0, 4000.0, 6000.0]
    """
    longest = len(f"-{reach:.0f}") if reach >= 10 else 5
    fitting = 72 * inches(ax)[0] / (0.62 * 0.9 * text_size(ax) * (longest + 1.5))
    ax.locator_params("x", nbins=int(np.clip(fitting, 2, 8)), steps=[1, 2, 2.5, 3, 5, 10])


def every(step: int) -> str:
    """Return the suffix of an axis label that states which rows are named.

    Examples
    --------
    >>> every(2), every(3), every(11)
    (' (every 2nd named)', ' (every 3rd named)', ' (every 11th named)')
    """
    ending = (
        "th" if step % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(step % 10, "th")
    )
    return f" (every {step}{ending} named)"


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
                "If you have several, pass one: fig, (left, right) = plt.subplots(1, 2), then ax=left."
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
    columns: Sequence[str] | None = None,
    what: str = "Runs",
    place: Place | None = None,
) -> Axes:
    """Set labels, title, text sizes and a light grid ('x', 'y', 'both'); hide the outer spines; draw the legend.

    Parameters
    ----------
    x, y, title : str
        Labels; they are wrapped to fit.
    note : str
        Description of lines or bands, under the x label.
    rows : list of str, optional
        Names of the rows of a list, for the y axis.
    columns : list of str, optional
        Names of the columns, for the x axis.
    what : str
        Plural noun for the rows.
    place : {"inside", "right", "below", "above"} or None
        Place of the legend; None draws none.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> finish(Figure().subplots(), x="Recall").get_xlabel()
    'Recall'
    """
    size = text_size(ax)
    width, height = allotted(ax)
    below = "\n".join(wrapped(text, 0.8 * width, size) for text in (x, note) if text)
    ax.set_xlabel(below, fontsize=size)
    # the label of the text artist keeps the full text, which `fit_label` wraps again
    ax.xaxis.label.set_label("\n".join(visible(text) for text in (x, note) if text))
    ax.set_ylabel(wrapped(y, 0.9 * height, size), fontsize=size)
    ax.tick_params(labelsize=size * 0.9)
    ax.spines[["top", "right"]].set_visible(False)
    if grid:
        ax.grid(axis=grid, color=foreground(), alpha=0.1, linewidth=0.6)  # type: ignore[arg-type]
        ax.set_axisbelow(True)
    if rows is not None:
        name_list(ax, rows, what=what)
    if columns is not None:
        name_ticks(ax, "x", columns)
    if title:  # long names of rows leave less width
        ax.set_title(
            wrapped(title, 0.8 * width if rows is None else inches(ax)[0], size), fontsize=size
        )
    legend(ax, place=place)
    return ax


def interval(frame: pd.DataFrame, what: str = "confidence interval") -> str:
    """Return the description of an interval: its confidence level, and whether it is simultaneous.

    Nothing is known of a table that pdeval did not make.

    Examples
    --------
    >>> known = pd.DataFrame()
    >>> known.attrs["confidence"] = 0.95
    >>> interval(known), interval(pd.DataFrame())
    ('95% confidence interval, not simultaneous', 'confidence interval')
    """
    share = frame.attrs.get("confidence")
    what = what if share is None else f"{100 * float(share):g}% {what}"
    if frame.attrs.get("simultaneous"):
        return f"simultaneous {what}"
    return f"{what}, not simultaneous" if frame.attrs else what


def foreground() -> str:
    """Return the color of text and lines: black, on a dark background white.

    Examples
    --------
    >>> foreground()
    'black'
    """
    import matplotlib as mpl

    return str(mpl.rcParams["text.color"])


def color(i: int) -> str:
    """Return the i-th color of the palette; black is white on a dark background.

    Examples
    --------
    >>> color(0), color(3)
    ('#0072B2', 'black')
    """
    of_palette = PALETTE[i % len(PALETTE)]
    return foreground() if of_palette == BLACK else of_palette


def line(i: int) -> dict[str, Any]:
    """Return color, pattern and marker of the i-th line; the first 35 lines also differ in gray.

    Examples
    --------
    >>> line(1)["color"], line(1)["marker"]
    ('#D55E00', 's')
    """
    return {
        "color": color(i),
        "linestyle": PATTERNS[i % len(PATTERNS)],
        "marker": MARKERS[i % len(MARKERS)],
        "markersize": 3.5,
        "linewidth": 1.3,
        "markeredgewidth": 0,
    }


def fill(i: int) -> dict[str, Any]:
    """Return color and hatch of the i-th kind of bar.

    Examples
    --------
    >>> fill(0)["hatch"], fill(1)["hatch"]
    ('', '////')
    """
    return {
        "facecolor": color(i),
        "hatch": HATCHES[i % len(HATCHES)],
        "edgecolor": "white",
        "linewidth": 0.0,
    }


def legend(ax: Axes, *, place: Place | None = "inside", columns: int = 0) -> None:
    """Draw the legend inside the axes, right of them, below or above them; None draws none.

    Names that do not fit are cut in the middle.

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
    size = 0.9 * text_size(ax)
    width = inches(ax)[0]
    available = 0.4 * allotted(ax)[0] if place == "right" else 0.95 * width
    letters = int(72 * available / (0.56 * size)) - 7  # a sample of the line is 7 letters wide
    full = [text.replace(r"\$", "$") for text in entries]
    cut = {long: plain(short) for long, short in zip(full, shorten(full, letters)) if short != long}
    # formulas stay as they are
    entries = [
        entry if "$" in entry.replace(r"\$", "") else cut.get(long, entry)
        for entry, long in zip(entries, full)
    ]
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
        )  # entries per row
        options |= {
            "loc": "lower center" if place == "above" else "upper center",
            "bbox_to_anchor": (0.5, float(place == "above")),
            "borderaxespad": 0.1,
            "frameon": False,
            "ncols": columns or max(1, min(len(entries), fitting)),
            "columnspacing": 1.0,
        }
        if place == "below":  # clear of tick and axis labels, which take about this many points
            from matplotlib.transforms import ScaledTranslation

            down = ScaledTranslation(0, -(12 + 2.4 * size / 0.9) / 72, ax.figure.dpi_scale_trans)
            options["bbox_transform"] = ax.transAxes + down
        if place == "above" and ax.get_title():  # the title is above the legend
            rows = -(-len(entries) // options["ncols"])
            ax.set_title(
                ax.get_title(), fontsize=ax.title.get_fontsize(), pad=6 + 1.5 * size * rows
            )
    for handle in ax.legend(lines, entries, **options).legend_handles:
        if handle is not None:  # faint points of a scatter are opaque in the legend
            handle.set_alpha(1.0)


def color_map(*, signed: bool) -> Colormap:
    """Return the color map of values: white to dark blue; of signed values orange below 0, white at 0, blue above.

    The two ends of the signed map differ in lightness, so strong positive and negative values also differ in gray.

    Examples
    --------
    >>> [round(float(part), 1) for part in color_map(signed=True)(1.0)[:3]]
    [0.0, 0.3, 0.4]
    >>> [float(part) for part in color_map(signed=False)(0.0)[:3]]
    [1.0, 1.0, 1.0]
    """
    from matplotlib.colors import LinearSegmentedColormap

    negative = ["#B35900", ORANGE, "#FFFFFF", SKY, "#00406B"]
    positive = ["#FFFFFF", SKY, BLUE, "#00314F"]
    return LinearSegmentedColormap.from_list("values", negative if signed else positive)


def ink(colors: np.ndarray) -> np.ndarray:
    """Return black or white for each RGBA row: the one with the better contrast.

    Examples
    --------
    >>> ink(np.array([[1.0, 1, 1, 1], [0, 0.2, 0.4, 1]])).tolist()
    ['black', 'white']
    """
    # perceived lightness of red, green and blue
    light = np.asarray(colors)[..., :3] @ np.array([0.299, 0.587, 0.114])
    return np.where(light > 0.55, "black", "white")
