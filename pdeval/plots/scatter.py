"""Do two measures prefer the same run? Their differences against each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from pdeval.evaluate.sources import clear_values
from pdeval.plots import style, text_layout
from pdeval.plots.heatmaps import COEFFICIENTS
from pdeval.plots.registry import Drawn, drawn, plot
from pdeval.plots.selection import index_of, names, one
from pdeval.report.orderings import METHODS
from pdeval.studies.sign_agreement import about_zero
from pdeval.tables.vocabularies import listed
from pdeval.verbs.arguments import several, shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@plot(on=("preferences",))
def difference_scatter(
    frame: pd.DataFrame,
    *,
    ax: Axes | None = None,
    measures: Sequence[str] | None = None,
    most: int = 5000,
    seed: int | None = 0,
) -> Axes:
    """Return axes with one point per query and pair of runs: its difference under two measures.

    Diaz and Ferraro (2022), Figure 5. Crosses are pairs on which the two measures do not agree in sign; the
    title gives the correlation about zero, as `agree` does, and the sign agreement: the share of points with equal
    signs, where two ties agree and a tie and a preference do not.

    Parameters
    ----------
    frame : DataFrame
        Preferences (query, run_a, run_b, measure, value) under two measures, or a wide frame with one column
        per measure.
    measures : (str, str), optional
        The measures of the x and the y axis; needed where the frame has more than two.
    most : int
        Draw at most so many points, a seeded sample; r and agreement are those of all points.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> prefs = pd.DataFrame({"query_id": ["1", "2", "3"] * 2, "run_a": "x", "run_b": "y",
    ...                       "measure": ["RPP"] * 3 + ["AP"] * 3, "value": [1, 0.5, -1, 0.4, -0.1, -0.3]})
    >>> difference_scatter(prefs, ax=Figure().subplots()).get_title()
    'r about zero = 0.85, sign agreement = 0.67'
    """
    x_name, y_name, x, y = _two(frame, measures)
    counted = ~(np.isnan(x) | np.isnan(y))
    x, y = (clear_values(*one, frame.attrs) for one in ((x[counted], x_name), (y[counted], y_name)))
    if not len(x):
        raise ValueError(f"{x_name} and {y_name} have no query and pair of runs in common.")
    agrees = np.sign(x) == np.sign(y)
    r = float(about_zero(x @ x, y @ y, x @ y))
    title = f"r about zero = {'undefined' if np.isnan(r) else f'{r:.2f}'}, sign agreement = {agrees.mean():.2f}"
    if len(x) > most:
        drawn = np.sort(np.random.default_rng(seed).choice(len(x), size=most, replace=False))
        x, y, agrees = x[drawn], y[drawn], agrees[drawn]
    ax = style.axes(ax, width=3.8, height=3.6)
    size, alpha = (14, 0.7) if len(x) <= 500 else (5, 0.4)
    kinds = (
        (agrees, "same sign", style.BLUE, "o", 0.0),
        (~agrees, "different sign", style.VERMILLION, "x", 0.8),
    )
    for points, label, colour, marker, width in kinds:
        ax.scatter(
            x[points], y[points], s=size, c=colour, marker=marker, linewidths=width, alpha=alpha, label=label,
            rasterized=len(x) > 2000, zorder=3,
        )  # fmt: skip
    ax.axhline(0, color="black", linewidth=0.6)
    ax.axvline(0, color="black", linewidth=0.6)
    for axis, values in (("x", x), ("y", y)):
        reach = 1.06 * float(np.abs(values).max()) or 1.0
        (ax.set_xlim if axis == "x" else ax.set_ylim)(-reach, reach)
    style.finish(ax, x=x_name, y=y_name, title=title)
    text_layout.few_ticks(ax, float(ax.get_xlim()[1]))
    style.legend(ax)
    return ax


def _two(frame: pd.DataFrame, measures: Sequence[str] | None) -> tuple[str, str, np.ndarray, np.ndarray]:
    """Return the two measures and their values on the same queries and pairs."""
    prefs = drawn(frame, "difference_scatter")
    if measures is not None and len(several("measures", measures)) != 2:
        raise ValueError(f"measures={shown(measures)}: give two names, for x and y.")
    if measures is not None and "measure" not in frame.columns and set(measures) <= set(frame.columns):
        return measures[0], measures[1], frame[measures[0]].to_numpy(float), frame[measures[1]].to_numpy(float)
    prefs.need("measure", "value")
    measure = names(frame, ["measure"])
    present = [str(name) for name in measure.categories]
    if measures is None:
        if len(present) != 2:
            raise ValueError(
                f"difference_scatter() draws two measures; the frame has {len(present)}: {listed(present, 6)}. "
                "Choose: measures=('RPP', 'AP')."
            )
        measures = present
    x_code, y_code = (index_of(name, present, what="measure") for name in measures)
    sides = [f"{stem}_{side}" for side in "ab" for stem in prefs.run_columns]
    keys = sides if prefs.query is None else [prefs.query, *sides]
    parts = [frame.loc[measure.codes == code, [*keys, "value"]] for code in (x_code, y_code)]
    if any(part.duplicated(keys).any() for part in parts):
        raise ValueError(f"difference_scatter() needs one value per measure and ({', '.join(keys)}); some repeat.")
    joined = parts[0].merge(parts[1], on=keys, suffixes=("_x", "_y"))
    x, y = (joined[f"value_{side}"].to_numpy(float) for side in "xy")
    return present[x_code], present[y_code], x, y


Number = Literal["tau_b", "tau_ap", "rbo", "overlap_top", "tau_b_top", "kept"]
SAYS = {
    **{name: f"{COEFFICIENTS[name]} with people's ordering" for name in ("tau_b", "tau_ap", "rbo")},
    "overlap_top": "Share of the top runs in common",
    "tau_b_top": "Kendall's τ of people's top runs",
    "kept": "Share of people's significant pairs that are confirmed",
}


@plot(on=("judges",), first=("judges",))
def judge_dots(
    frame: pd.DataFrame, *, ax: Axes | None = None, value: Number = "tau_b", legend: style.Place | None = "above"
) -> Axes:
    """Return axes with one row per judge and one mark per measure: how far the judge agrees with people.

    Parameters
    ----------
    frame : DataFrame
        Judges against people: judge, measure, tau_b, ...
    value : {'tau_b', 'tau_ap', 'rbo', 'overlap_top', 'tau_b_top', 'kept'}
        The number to draw; the best is 1 for each.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> table = pd.DataFrame({"judge": ["llm", "crowd"], "measure": "AP", "tau_b": [0.9, 0.7], "flipped": 1,
    ...                       "lost": 0, "gained": 0, "kept": 1.0})
    >>> ax = judge_dots(table, ax=Figure().subplots())
    >>> [label.get_text() for label in ax.get_yticklabels()], ax.lines[0].get_xdata().tolist()
    (['llm', 'crowd'], [0.9, 0.7])
    """
    table = drawn(frame, "judge_dots").need("judge", value)
    if value not in SAYS:
        raise ValueError(f"value={value!r}: choose {', '.join(map(repr, SAYS))}.")
    names = list(dict.fromkeys(frame["judge"].astype(str)))
    keys = [name for name in ("measure", "method") if name in frame.columns]
    several = [name for name in keys if frame[name].nunique() > 1] or keys[:1]
    said = frame[several].astype(str).replace({"method": METHODS})
    label = said.agg(", ".join, axis=1) if several else pd.Series("", index=frame.index)
    if pd.DataFrame({"judge": frame["judge"].astype(str), "label": label}).duplicated().any():
        raise ValueError("judge_dots() needs one row per judge and measure; some repeat.")
    ax = style.axes(ax, height=text_layout.list_height(len(names)))
    place = {name: at for at, name in enumerate(names)}
    number = table.column(value).to_numpy(float)
    row = frame["judge"].astype(str).map(place).to_numpy(float)
    texts = list(dict.fromkeys(label))
    for at, text in enumerate(texts):
        own = (label == text).to_numpy()
        look: dict[str, Any] = {**style.line(at), "linestyle": "none", "markersize": 5.5}
        apart = (at - (len(texts) - 1) / 2) * 0.6 / len(texts)  # equal numbers would hide each other
        ax.plot(number[own], row[own] + apart, label=text_layout.plain(text) or "_all", zorder=3, **look)
    low = float(np.nanmin(number, initial=1.0))
    ax.set_xlim(min(-1.05 if low < 0 else 0.0, low), 1.05)
    ax.set_ylim(len(names) - 0.4, -0.6)
    style.finish(ax, x=SAYS[value], grid="x")
    text_layout.name_list(ax, names, what="Judges")
    style.legend(ax, place=legend if label.nunique() > 1 else None)
    return ax


@plot(on=("judge_scores",), first=("judge_scores",))
def judge_scatter(
    frame: pd.DataFrame,
    *,
    ax: Axes | None = None,
    measure: str | None = None,
    legend: style.Place | None = "above",
) -> Axes:
    """Return axes with one point per run and judge: its score by the judge against its score by people.

    Parameters
    ----------
    frame : DataFrame
        Scores by judges and by people: judge, run, measure, human, machine.
    measure : str, optional
        The measure; needed where the frame has several.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> table = pd.DataFrame({"judge": "llm", "run": ["lm", "bm25"], "measure": "AP", "human": [0.3, 0.2],
    ...                       "machine": [0.5, 0.3], "rank": [1, 2], "rank_machine": [1, 2], "moved": 0})
    >>> ax = judge_scatter(table, ax=Figure().subplots())
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('AP by people', 'AP by the judge')
    """
    table = drawn(frame, "judge_scatter").need("judge", "human", "machine")
    rows, name = one(frame, "measure", measure, plot="judge_scatter")
    if "method" in rows.columns:
        rows, _ = one(rows, "method", None, plot="judge_scatter", option=False)
    runs = table.keeping(rows).runs()
    judge = rows["judge"].astype(str)
    if pd.DataFrame({"judge": judge.to_numpy(), "run": np.asarray(runs, dtype=object)}).duplicated().any():
        raise ValueError("judge_scatter() needs one row per judge and run; some repeat.")
    ax = style.axes(ax, width=4.2, height=4.2)
    human, machine = (rows[side].to_numpy(float) for side in ("human", "machine"))
    ends = [float(np.nanmin([human, machine])), float(np.nanmax([human, machine]))]
    pad = 0.05 * (ends[1] - ends[0] or 1.0)
    ax.plot(ends, ends, color=style.FADED, linewidth=0.8, zorder=1, label="_equal")
    names = list(dict.fromkeys(judge))
    for at, text in enumerate(names):
        own = (judge == text).to_numpy()
        look: dict[str, Any] = {**style.line(at), "linestyle": "none", "markersize": 4.5, "alpha": 0.8}
        ax.plot(human[own], machine[own], label=text_layout.plain(text), zorder=3, **look)
    ax.set(xlim=(ends[0] - pad, ends[1] + pad), ylim=(ends[0] - pad, ends[1] + pad))
    said = name or "Score"
    by = "the judge" if len(names) == 1 else "each judge"
    style.finish(ax, x=f"{said} by people", y=f"{said} by {by}", grid="both")
    style.legend(ax, place=legend if len(names) > 1 else None)
    return ax


REACH = 0.44  # of a cell, from its middle


@plot(on=("contributions",))
def level_scatter(
    frame: pd.DataFrame,
    *,
    ax: Axes | None = None,
    measure: str | None = None,
    levels: int = 8,
    most: int = 500,
    seed: int | None = 0,
) -> Axes:
    """Return axes with a square of recall levels: below the diagonal points and their fit, above it the correlation.

    Diaz (2023), Figure 7a, draws the differences in reciprocal rank, `disaggregate("EU(utility=reciprocal)")`. A point
    is a query and a pair of runs; the fit passes through zero and the correlation is taken about it, as a pair has no
    first run. A query counts at the levels that it has. Every level has its own scale, from its largest difference on
    either side.

    Parameters
    ----------
    frame : DataFrame
        Contributions of recall levels: query, run_a, run_b, measure, population, recall, value.
    measure : str, optional
        The measure; needed where the frame has several.
    levels : int
        Draw the first so many recall levels.
    most : int
        Draw so many points of a cell, chosen by chance; fits and correlations are over all.

    Examples
    --------
    >>> import pdeval
    >>> from matplotlib.figure import Figure
    >>> judged = pdeval.datasets.sample_judged(topics="common", level=1)
    >>> ax = level_scatter(judged.disaggregate("EU(utility=reciprocal)"), levels=3, ax=Figure().subplots())
    >>> [text.get_text() for text in ax.texts]
    ['0.70', '0.53', '0.77']
    """
    parts = drawn(frame, "level_scatter").need("recall", "value")
    rows, name = one(frame, "measure", measure, plot="level_scatter")
    wide = _by_level(parts.keeping(rows), levels)
    n = len(wide.columns)
    if n < 2:
        raise ValueError(f"level_scatter() draws recall levels against each other; the frame has {n} up to {levels}.")
    ax = style.axes(ax, width=5.2, height=5.0)
    ax.set(xlim=(0, n), ylim=(n, 0), aspect="equal")
    size = min(0.9 * text_layout.text_size(ax), 72 * min(text_layout.inches(ax)) / n / 2.6)
    values, rng = wide.to_numpy(), np.random.default_rng(seed)
    reach = np.nanmax(np.abs(values), axis=0)
    reach[reach == 0] = 1.0
    colours = style.diverging()
    for j, i in zip(*np.triu_indices(n, 1)):
        x, y = values[~np.isnan(values[:, i])][:, [j, i]].T
        across, up = x @ x, y @ y
        r = x @ y / np.sqrt(across * up) if across * up > 0 else np.nan
        _points(ax, x / reach[j], y / reach[i], (int(j), int(i)), rng, most)
        if across > 0:
            slope = x @ y / across * reach[j] / reach[i]
            run = min(1.0, 1.0 / abs(slope)) if slope else 1.0  # the line ends where its cell does
            ends = REACH * run * np.array([-1.0, 1.0])
            ax.plot(j + 0.5 + ends, i + 0.5 - slope * ends, color=style.VERMILLION, linewidth=1.0, zorder=4)
        shade = colours(0.5 + 0.5 * np.nan_to_num(r))
        ax.bar(i, 1.0, width=1.0, bottom=j, align="edge", color=[shade], linewidth=0, zorder=1)
        text = "–" if np.isnan(r) else format(r, ".2f").replace("-", "−")
        ink = style.ink(np.array([shade]))[0]
        ax.text(i + 0.5, j + 0.5, text, ha="center", va="center", fontsize=size, color=ink)
    for at in range(n + 1):
        ax.axhline(at, color="#CCCCCC", linewidth=0.6)
        ax.axvline(at, color="#CCCCCC", linewidth=0.6)
    style.finish(ax, x="Recall level", y="Recall level", title=name or "")
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0)
    labels = [f"{level}" for level in wide.columns]
    ax.set_xticks(np.arange(n) + 0.5, labels)
    ax.set_yticks(np.arange(n) + 0.5, labels)
    return ax


def _by_level(parts: Drawn, levels: int) -> pd.DataFrame:
    """Return the values with a row for each query, pair and population, and a column for each level; NaN where none."""
    rows = parts.frame[parts.frame["recall"].to_numpy() <= levels]
    sides = [f"{stem}_{side}" for side in "ab" for stem in parts.run_columns]
    keys = [key for key in (parts.query, *sides, "population") if key is not None and key in rows.columns]
    code = rows.groupby(keys, observed=True, sort=False).ngroup() if keys else pd.Series(0, index=rows.index)
    table = pd.DataFrame(
        {"cell": code.to_numpy(), "recall": rows["recall"].to_numpy(), "value": rows["value"].to_numpy(float)}
    )
    if table.duplicated(["cell", "recall"]).any():
        raise ValueError("level_scatter() needs one value for each query, pair of runs and recall level; some repeat.")
    return table.pivot(index="cell", columns="recall", values="value")


def _points(ax: Axes, x: np.ndarray, y: np.ndarray, cell: tuple[int, int], rng: np.random.Generator, most: int) -> None:
    """Draw some of the points in their cell, with values from -1 to 1; a level grows to the right and upwards."""
    some = rng.permutation(len(x))[:most]
    across, down = cell
    place = (across + 0.5 + REACH * x[some], down + 0.5 - REACH * y[some])
    ax.scatter(*place, s=1.2, c=style.BLUE, linewidths=0, alpha=0.45, rasterized=True, zorder=3)
