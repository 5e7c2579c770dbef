"""What fits: sizes of axes and text, names of ticks that neither overlap nor shrink away."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from pdeval.tables.labels import visible

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LEAST_TEXT = 7.0  # points: what a printed column still shows well
MOST_LINES = 3  # of a label: a longer one is cut in the middle
LEAST_LABEL = 4.5  # points: below this a list of names is thinned out rather than shrunk


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
    """Do the layout of the figure now, if it has one, so that `inches` knows what labels and scales leave.

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
    engine = figure.get_layout_engine()
    if engine is not None:
        engine.execute(figure)


def list_height(rows: int, *, row: float = 0.22) -> float:
    """Return the height in inches of new axes that list so many rows: long lists are set closer.

    Examples
    --------
    >>> round(list_height(10), 1), round(list_height(79), 1)
    (3.3, 12.2)
    """
    return max(1.8, 1.1 + (row if rows <= 30 else 0.14) * rows)


def text_size(ax: Axes) -> float:
    """Return the size of ordinary text in points: that of rcParams, less on small axes, never below 7.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> text_size(Figure(figsize=(3.3, 2.4)).subplots()), text_size(Figure(figsize=(5, 3.4)).subplots())
    (7.0, 10.0)
    """
    import matplotlib as mpl

    usual = float(mpl.rcParams["font.size"])
    return min(usual, max(LEAST_TEXT, usual * allotted(ax)[0] / 5.0))


def plain(text: str) -> str:
    r"""Return a text of the caller's data so that matplotlib writes it as it is: no formula, no control character.

    Examples
    --------
    >>> print(plain("a_$b$"), plain("x\n y"))
    a_\$b\$ x\n y
    """
    return visible(text).replace("$", r"\$")


def entry(name: str) -> str:
    r"""Return the label of a line or bar for the legend, which leaves out what begins with an underscore.

    Examples
    --------
    >>> entry("bm25"), entry("_draft"), entry("")
    ('bm25', ' _draft', '')
    """
    return plain(f" {name}" if name.startswith("_") else name)


def wrapped(text: str, width: float, size: float) -> str:
    """Return a label, written as it is, in as many lines as fit so many inches; it is broken between words.

    Examples
    --------
    >>> wrapped("Mean AP (with 95% confidence interval)", 1.6, 10).splitlines()
    ['Mean AP (with 95%', 'confidence interval)']
    """
    fitting = max(16, int(72 * width / (0.56 * size)))  # letters; one is 0.56 of its size wide
    text = visible(text)
    if len(text) <= fitting:
        return plain(text)
    return "\n".join(map(plain, even_lines(shorten([text], MOST_LINES * fitting)[0], fitting)))


def even_lines(text: str, fitting: int) -> list[str]:
    """Return a text in as few lines of so many letters as it needs, and these as even as they can be.

    Examples
    --------
    >>> even_lines("Posterior probability in % (nDCG@10, equivalent: ±0.02)", 50)
    ['Posterior probability in %', '(nDCG@10, equivalent: ±0.02)']
    """
    lines = textwrap.wrap(text, fitting)
    # the shortest length that needs no more lines
    shorter = range(-(-len(text) // max(len(lines), 1)), fitting)
    return next(
        (even for length in shorter if len(even := textwrap.wrap(text, length)) <= len(lines)),
        lines,
    )


def fit_label(ax: Axes, label: Any = None, *, share: float = 0.95) -> None:
    """Break the x label, or another under the axes, again, now that the names of a list have taken their room.

    The label as it was before it was broken is the label of its text, which matplotlib has no use for.

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
    fitting = max(16, int(72 * share * inches(ax)[0] / (0.56 * float(label.get_fontsize()))))
    if max(map(len, label.get_text().split("\n"))) > fitting:
        texts = (str(label.get_label()) or label.get_text().replace(r"\$", "$")).split("\n")
        cut = [shorten([text], MOST_LINES * fitting)[0] for text in texts]
        label.set_text("\n".join(plain(part) for text in cut for part in even_lines(text, fitting)))


def shorten(names: Sequence[str], length: int) -> list[str]:
    """Cut names longer than `length` in the middle; those that would become the same, around what tells them apart.

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
        several = [name for group in groups for name in group]
        cut.update(
            {name: f"{name[: length - 4]}… #{number}" for number, name in enumerate(several, 1)}
        )
    return [cut[name] for name in names]


def name_ticks(
    ax: Axes, axis: Literal["x", "y"], names: Sequence[str], *, share: float = 0.42
) -> int:
    """Name the ticks 0, 1, 2, ... of an axis in text that fits, and return every how many-th is named.

    Text shrinks down to 4.5 points; if that is not enough only every k-th tick gets a name. Names on the
    x axis are turned upright where they do not fit side by side. Names longer than `share` of the figure
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
        length = allotted(ax)[0 if axis == "y" else 1]
        names = shorten(names, int(share * length * 72 / (0.55 * size)))
    getattr(ax, f"set_{axis}ticks")(
        range(0, len(names), step),
        [plain(name) for name in names[::step]],
        fontsize=size,
        rotation=0 if axis == "y" or flat else 90,
    )
    ax.tick_params(axis=axis, length=0 if step == 1 else 2)
    return step


def name_list(ax: Axes, names: Sequence[str], *, what: str = "Runs", share: float = 0.42) -> None:
    """Name the rows of a list on the y axis, measured again when the layout has left the axes their room.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> ax = Figure(figsize=(3.3, 2.4)).subplots()
    >>> name_list(ax, [f"run {i}" for i in range(79)])
    >>> ax.get_ylabel()
    'Runs (every 3rd named)'
    """
    # names take width from the axes, so that labels and sizes are fitted twice
    name_ticks(ax, "y", names, share=share)
    settle(ax)
    fit_label(ax)
    step = name_ticks(ax, "y", names, share=share)
    if step > 1:
        ax.set_ylabel(what + every(step), fontsize=text_size(ax))


def number_ticks(ax: Axes, count: int) -> None:
    """Number the ticks of the x axis from 1, at a step that leaves the numbers apart.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> ax = Figure(figsize=(3.3, 2.4)).subplots()
    >>> number_ticks(ax, 79)
    >>> [label.get_text() for label in ax.get_xticklabels()][:4]
    ['1', '5', '10', '15']
    """
    size = text_size(ax) * 0.9
    points = 72 * inches(ax)[0] / max(count, 1)  # for each number
    least = 0.65 * size * (len(str(count)) + 0.6) / points
    step = next((s for s in (1, 2, 5, 10, 20, 50, 100, 200, 500) if s >= least), 1000)
    # 1, 5, 10, ... rather than 1, 6, 11
    ticks = [0, *range(step - 1, count, step)] if step > 2 else list(range(0, count, step))
    ax.set_xticks(ticks, [str(tick + 1) for tick in ticks], fontsize=size)
    ax.tick_params(axis="x", length=0 if step == 1 else 2)


def recall_ticks(ax: Axes, last: float) -> None:
    """Put the ticks of the x axis on recall levels: 1 and whole steps up to the last.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> ax = Figure().subplots()
    >>> recall_ticks(ax, 30)
    >>> ax.get_xticks().tolist()
    [1, 5, 10, 15, 20, 25, 30]
    """
    if not np.isfinite(last):
        raise ValueError(
            "there is nothing to draw: no row of the table has a value that can be drawn."
        )
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


def integer_ticks(ax: Axes) -> None:
    """Put the ticks of the x axis on whole numbers.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> ax = Figure().subplots()
    >>> integer_ticks(ax)
    >>> ax.get_xticks().tolist()
    [0.0, 1.0]
    """
    from matplotlib.ticker import MaxNLocator

    ax.xaxis.set_major_locator(MaxNLocator(integer=True))


def few_ticks(ax: Axes, reach: float) -> None:
    """Put as many ticks on an x axis from -reach to reach as have room for their numbers.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> ax = Figure(figsize=(3.3, 2.4)).subplots()
    >>> limits = ax.set_xlim(-5200, 5200)
    >>> few_ticks(ax, 5200)
    >>> ax.get_xticks().tolist()
    [-6000.0, -4000.0, -2000.0, 0.0, 2000.0, 4000.0, 6000.0]
    """
    from matplotlib.ticker import MaxNLocator

    longest = len(f"-{reach:.0f}") if reach >= 10 else 5
    fitting = 72 * inches(ax)[0] / (0.62 * 0.9 * text_size(ax) * (longest + 1.5))
    ax.xaxis.set_major_locator(
        MaxNLocator(nbins=int(np.clip(fitting, 2, 8)), steps=[1, 2, 2.5, 3, 5, 10])
    )


def every(step: int) -> str:
    """Return the words for an axis label that say which names were left out.

    Examples
    --------
    >>> every(1), every(2), every(3), every(11)
    ('', ' (every 2nd named)', ' (every 3rd named)', ' (every 11th named)')
    """
    if step == 1:
        return ""
    ending = (
        "th" if step % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(step % 10, "th")
    )
    return f" (every {step}{ending} named)"


def lower(ax: Axes, points: float) -> Any:
    """Return the transform of the axes' own coordinates, so many points further down.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> ax = Figure(dpi=72).subplots()
    >>> float(ax.transAxes.transform((0, 0))[1] - lower(ax, 10).transform((0, 0))[1])
    10.0
    """
    from matplotlib.transforms import ScaledTranslation

    figure: Any = ax.figure
    return ax.transAxes + ScaledTranslation(0, -points / 72, figure.dpi_scale_trans)
