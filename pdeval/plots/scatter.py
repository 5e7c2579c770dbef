"""Points: two measures on the same pairs, judges against human assessors, recall levels against each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from pdeval.evaluate import clear_values
from pdeval.plots import style
from pdeval.plots.heatmaps import COEFFICIENTS
from pdeval.plots.registry import PlotTable, chosen, plot
from pdeval.report.orderings import METHODS
from pdeval.studies.sign_agreement import about_zero
from pdeval.tables import listed
from pdeval.verbs import one_of, several, short_repr

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Number = Literal["tau_b", "tau_ap", "rbo", "overlap_top", "tau_b_top", "fraction_confirmed"]
NUMBERS = {
    **{
        name: f"{COEFFICIENTS[name]} with the ordering by human labels"
        for name in ("tau_b", "tau_ap", "rbo")
    },
    "overlap_top": "Fraction of the top runs in common",
    "tau_b_top": "Kendall's τ of the top runs by human labels",
    "fraction_confirmed": "Fraction of significant pairs by human labels that are confirmed",
}
REACH = 0.44  # of a cell, from its middle
DOT = 4.0  # area of one point, in square points


def draw_groups(
    ax: Axes, x: np.ndarray, y: np.ndarray, group: pd.Series, *, spread: float = 0.0, **look: Any
) -> int:
    """Draw points with a marker per group, `spread` over y, and return the number of groups."""
    labels = list(dict.fromkeys(group))
    for i, label in enumerate(labels):
        rows = (group == label).to_numpy()
        shift = (i - (len(labels) - 1) / 2) * spread / len(labels)
        marker: dict[str, Any] = style.line(i) | {"linestyle": "none", "zorder": 3} | look
        ax.plot(x[rows], y[rows] + shift, label=style.plain(label) or "_all", **marker)
    return len(labels)


@plot(on=("preferences",))
def difference_scatter(
    table: PlotTable,
    *,
    ax: Axes | None = None,
    measures: Sequence[str] | None = None,
    most: int = 5000,
    seed: int | None = 0,
) -> Axes:
    """Return axes with one point per query and pair of runs: its difference under two measures.

    Diaz and Ferraro (2022), Figure 5. Crosses are pairs on which the two measures do not agree in sign; the
    title gives the correlation about zero, as `agree` does, and the sign agreement: the fraction of points with equal
    signs. Two ties agree; a tie and a preference do not.

    Parameters
    ----------
    frame : DataFrame
        Preferences (query, run_a, run_b, measure, value) under two measures, or a wide frame with one column
        per measure.
    measures : (str, str), optional
        The measures of the x and the y axis; required if the frame has more than two.
    most : int
        Maximum number of points to draw, a random sample; r and agreement are over all points.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> prefs = pd.DataFrame({"query_id": ["1", "2", "3"] * 2, "run_a": "x", "run_b": "y",
    ...                       "measure": ["RPP"] * 3 + ["AP"] * 3, "value": [1, 0.5, -1, 0.4, -0.1, -0.3]})
    >>> difference_scatter(prefs, ax=Figure().subplots()).get_title()
    'r about zero = 0.85, sign agreement = 0.67'
    """
    (x_name, x), (y_name, y) = _two_measures(table, measures)
    known = ~(np.isnan(x) | np.isnan(y))
    x = clear_values(x[known], x_name, table.frame.attrs)
    y = clear_values(y[known], y_name, table.frame.attrs)
    if not len(x):
        raise ValueError(f"{x_name} and {y_name} have no query and pair of runs in common.")
    agrees = np.sign(x) == np.sign(y)
    r = float(about_zero(x @ x, y @ y, x @ y))
    title = f"r about zero = {'undefined' if np.isnan(r) else f'{r:.2f}'}, sign agreement = {agrees.mean():.2f}"
    if len(x) > most:
        sample = np.sort(np.random.default_rng(seed).choice(len(x), size=most, replace=False))
        x, y, agrees = x[sample], y[sample], agrees[sample]
    ax = style.axes(ax, width=3.8, height=3.6)
    few = len(x) <= 500
    for points, label, color, marker, width in (
        (agrees, "same sign", style.BLUE, "o", 0.0),
        (~agrees, "different sign", style.VERMILLION, "x", 0.8),
    ):
        ax.scatter(
            x[points],
            y[points],
            s=14 if few else 5,
            c=color,
            marker=marker,
            linewidths=width,
            alpha=0.7 if few else 0.4,
            label=label,
            rasterized=len(x) > 2000,
            zorder=3,
        )
    ax.axhline(0, color=style.foreground(), linewidth=0.6)
    ax.axvline(0, color=style.foreground(), linewidth=0.6)
    # zero is in the middle of both axes
    across, up = (1.06 * float(np.abs(values).max()) or 1.0 for values in (x, y))
    ax.set(xlim=(-across, across), ylim=(-up, up))
    style.few_ticks(ax, across)
    return style.finish(
        ax,
        x=f"Difference in {x_name}",
        y=f"Difference in {y_name}",
        title=title,
        place="inside",
    )


def _two_measures(table: PlotTable, measures: Sequence[str] | None) -> list[tuple[str, np.ndarray]]:
    """Return two measures, each with its values on the same queries and pairs."""
    frame = table.frame
    if measures is not None and len(several("measures", measures)) != 2:
        raise ValueError(f"measures={short_repr(measures)}: expected two names, for x and y.")
    if (
        measures is not None
        and "measure" not in frame.columns
        and set(measures) <= set(frame.columns)
    ):
        return [(name, table.numbers(name)) for name in measures]
    measure = table.need("measure", "value").names("measure")
    present = [str(name) for name in measure.categories]
    if measures is None and len(present) != 2:
        raise ValueError(
            f"difference_scatter() draws two measures; the frame has {len(present)}: {listed(present, 6)}. "
            "Choose: measures=('RPP', 'AP')."
        )
    codes = [present.index(name) for name in chosen(measures, present)]
    sides = [f"{stem}_{side}" for side in "ab" for stem in table.run_columns]
    keys = sides if table.query is None else [table.query, *sides]
    parts = [frame.loc[measure.codes == code, [*keys, "value"]] for code in codes]
    for part in parts:
        table.unique(f"value per measure and ({', '.join(keys)})", *(part[key] for key in keys))
    # only queries and pairs that both measures have
    joined = parts[0].merge(parts[1], on=keys, suffixes=("_x", "_y"))
    return [
        (present[code], joined[f"value_{side}"].to_numpy(float)) for code, side in zip(codes, "xy")
    ]


@plot(on=("judges",), first=("judges",), needs=("judge",))
def judge_dots(
    table: PlotTable,
    *,
    ax: Axes | None = None,
    value: Number = "tau_b",
    legend: style.Place | None = "above",
) -> Axes:
    """Return axes with one row per judge and one mark per measure: the agreement of the judge with human assessors.

    Parameters
    ----------
    frame : DataFrame
        Judges against human assessors: judge, measure, tau_b, ...
    value : {'tau_b', 'tau_ap', 'rbo', 'overlap_top', 'tau_b_top', 'kept'}
        The number to draw; the best is 1 for each.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> table = pd.DataFrame({"judge": ["llm", "crowd"], "measure": "AP", "tau_b": [0.9, 0.7], "flipped": 1,
    ...                       "lost": 0, "gained": 0, "fraction_confirmed": 1.0})
    >>> ax = judge_dots(table, ax=Figure().subplots())
    >>> [label.get_text() for label in ax.get_yticklabels()], ax.lines[0].get_xdata().tolist()
    (['llm', 'crowd'], [0.9, 0.7])
    """
    value = one_of("value", value, NUMBERS)  # type: ignore[assignment]
    frame = table.need(value).frame
    judge = frame["judge"].astype(str)
    judges = list(dict.fromkeys(judge))
    keys = [name for name in ("measure", "method") if name in frame.columns]
    keys = [name for name in keys if frame[name].nunique() > 1] or keys[:1]
    texts = frame[keys].astype(str).replace({"method": METHODS})
    label = texts.agg(", ".join, axis=1) if keys else pd.Series("", index=frame.index)
    table.unique("row per judge and measure", judge, label)
    number = table.numbers(value)
    # the row of each judge, in order of appearance
    row = pd.Index(judges).get_indexer(pd.Index(judge)).astype(float)
    ax = style.axes(ax, height=style.list_height(len(judges)))
    count = draw_groups(
        ax, number, row, label, spread=0.6, markersize=5.5
    )  # equal numbers would hide each other
    low = float(np.nanmin(number, initial=0.9))  # ranges from the tenth below the smallest number
    ax.set(xlim=(np.floor(10 * low - 0.5) / 10, 1.05), ylim=(len(judges) - 0.4, -0.6))
    return style.finish(
        ax,
        x=NUMBERS[value],
        grid="x",
        rows=judges,
        what="Judges",
        place=legend if count > 1 else None,
    )


@plot(on=("judge_scores",), first=("judge_scores",), needs=("judge", "human", "machine"))
def judge_scatter(
    table: PlotTable,
    *,
    ax: Axes | None = None,
    measure: str | None = None,
    legend: style.Place | None = "above",
) -> Axes:
    """Return axes with one point per run and judge: its score by the judge against its score by human assessors.

    Parameters
    ----------
    frame : DataFrame
        Scores by judges and by human assessors: judge, run, measure, human, machine.
    measure : str, optional
        The measure; required if the frame has several.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> table = pd.DataFrame({"judge": "llm", "run": ["lm", "bm25"], "measure": "AP", "human": [0.3, 0.2],
    ...                       "machine": [0.5, 0.3], "rank": [1, 2], "rank_machine": [1, 2], "moved": 0})
    >>> ax = judge_scatter(table, ax=Figure().subplots())
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('AP by human labels', 'AP by the judge')
    """
    rows, name = table.one("measure", measure)
    rows, _ = rows.one("method", None, option=False)
    judge = rows.frame["judge"].astype(str)
    table.unique("row per judge and run", judge, rows.runs())
    human, machine = rows.numbers("human"), rows.numbers("machine")
    low, high = float(np.nanmin([human, machine])), float(np.nanmax([human, machine]))
    pad = 0.05 * (high - low or 1.0)
    ax = style.axes(ax, width=4.2, height=4.2)
    ax.plot(
        [low, high],
        [low, high],
        color=style.FADED,
        linewidth=0.8,
        zorder=1,
        label="_equal",
    )
    judges = draw_groups(ax, human, machine, judge, markersize=4.5, alpha=0.8)
    ax.set(xlim=(low - pad, high + pad), ylim=(low - pad, high + pad))
    score = name or "Score"
    return style.finish(
        ax,
        x=f"{score} by human labels",
        y=f"{score} by {'the judge' if judges == 1 else 'each judge'}",
        grid="both",
        place=legend if judges > 1 else None,
    )


@plot(on=("reproduction",), first=("reproduction",), needs=("effect_ratio", "delta_ri"))
def effect_scatter(
    table: PlotTable, *, ax: Axes | None = None, legend: style.Place | None = "above"
) -> Axes:
    """Return axes with one point per run and measure: its effect ratio against delta RI.

    Breuer et al. (2020), Figure 4. A perfect reproduction has the effect ratio 1 and delta RI 0, where the lines cross.
    The effect is smaller than the original one in the region of smaller ratios and positive delta RI.

    Parameters
    ----------
    frame : DataFrame
        Reproduced runs: run, measure, effect_ratio, delta_ri.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> frame = pd.DataFrame({"run": "a", "measure": ["AP", "RR"], "original": 0.3, "mean": 0.3, "rmse": 0.1,
    ...                       "effect_ratio": [0.9, 1.1], "delta_ri": [0.02, -0.01]})
    >>> effect_scatter(frame, ax=Figure().subplots()).get_xlabel()
    'Effect ratio (1: the original effect)'
    """
    ratio, delta = table.numbers("effect_ratio"), table.numbers("delta_ri")
    known = ~(np.isnan(ratio) | np.isnan(delta))
    if not known.any():
        raise ValueError(
            "there is no effect to draw. Call .ireval.reproduce(qrels, original, baseline=...)."
        )
    ax = style.axes(ax, width=4.2, height=3.6)
    ax.axvline(1, color=style.FADED, linewidth=0.8, zorder=1)
    ax.axhline(0, color=style.FADED, linewidth=0.8, zorder=1)
    group = table.frame["measure"].astype(str)[known]
    groups = draw_groups(ax, ratio[known], delta[known], group, markersize=5)
    return style.finish(
        ax,
        x="Effect ratio (1: the original effect)",
        y="Difference of relative improvements, ΔRI (0: the original)",
        grid="both",
        place=legend if groups > 1 else None,
    )


@plot(on=("contributions",), needs=("recall", "value"))
def level_scatter(
    table: PlotTable,
    *,
    ax: Axes | None = None,
    measure: str | None = None,
    levels: int = 8,
    most: int = 500,
    seed: int | None = 0,
) -> Axes:
    """Return axes with a square of recall levels: below the diagonal points and their fit, above it the correlation.

    Diaz (2023), Figure 7a, draws the differences in reciprocal rank, `disaggregate("EU(utility=reciprocal)")`. A point
    is a query and a pair of runs; equal ones are one point, whose area is their number. The fit passes through zero and
    the correlation is about zero, because the order of the runs of a pair is arbitrary. A query counts at the levels
    that it has. Each level has its own scale, symmetric around zero.

    Parameters
    ----------
    frame : DataFrame
        Contributions of recall levels: query, run_a, run_b, measure, population, recall, value.
    measure : str, optional
        The measure; required if the frame has several.
    levels : int
        Number of recall levels to draw.
    most : int
        Maximum number of points per cell, a random sample; fits and correlations are over all points.

    Examples
    --------
    >>> import pdeval
    >>> from matplotlib.figure import Figure
    >>> judged = pdeval.datasets.sample_judged(queries="common", level=1)
    >>> ax = level_scatter(judged.disaggregate("EU(utility=reciprocal)"), levels=3, ax=Figure().subplots())
    >>> [text.get_text() for text in ax.texts]
    ['0.70', '0.53', '0.77']
    """
    rows, name = table.one("measure", measure)
    wide = _by_level(rows, levels)
    n = len(wide.columns)
    if n < 2:
        raise ValueError(
            f"level_scatter() draws recall levels against each other; the frame has {n} up to {levels}."
        )
    ax = style.axes(ax, width=5.2, height=5.0)
    ax.set(xlim=(0, n), ylim=(n, 0), aspect="equal")
    size = min(0.9 * style.text_size(ax), 72 * min(style.inches(ax)) / n / 2.6)
    largest = (72 * min(style.inches(ax)) / n / 6) ** 2  # a sixth of a cell across, in points
    values, rng = wide.to_numpy(), np.random.default_rng(seed)
    scale = np.nanmax(np.abs(values), axis=0)
    scale[scale == 0] = 1.0
    colors = style.color_map(signed=True)
    for j, i in zip(*np.triu_indices(n, 1)):
        # below the diagonal: column j and row i of the square; only rows that have the deeper level i
        x, y = values[~np.isnan(values[:, i])][:, [j, i]].T
        xx, yy, xy = x @ x, y @ y, x @ y
        sample = rng.permutation(len(x))[:most]
        points, counts = np.unique(
            np.column_stack([x[sample] / scale[j], y[sample] / scale[i]]),
            axis=0,
            return_counts=True,
        )
        ax.scatter(
            j + 0.5 + REACH * points[:, 0],
            i + 0.5 - REACH * points[:, 1],
            s=counts * min(DOT, largest / counts.max(initial=1)),
            c=style.BLUE,
            linewidths=0,
            alpha=0.45,
            rasterized=True,
            zorder=3,
        )
        if xx > 0:
            slope = xy / xx * scale[j] / scale[i]
            length = (
                min(1.0, 1.0 / abs(slope)) if slope else 1.0
            )  # the line ends at the border of its cell
            ends = REACH * length * np.array([-1.0, 1.0])
            ax.plot(
                j + 0.5 + ends,
                i + 0.5 - slope * ends,
                color=style.VERMILLION,
                linewidth=1.0,
                zorder=4,
            )
        # above the diagonal: the correlation
        r = xy / np.sqrt(xx * yy) if xx * yy > 0 else np.nan
        shade = colors(0.5 + 0.5 * np.nan_to_num(r))
        ax.bar(
            i,
            1.0,
            width=1.0,
            bottom=j,
            align="edge",
            color=[shade],
            linewidth=0,
            zorder=1,
        )
        ax.text(
            i + 0.5,
            j + 0.5,
            "–" if np.isnan(r) else format(r, ".2f").replace("-", "−"),
            ha="center",
            va="center",
            fontsize=size,
            color=style.ink(np.array([shade]))[0],
        )
    for at in range(n + 1):
        ax.axhline(at, color="#CCCCCC", linewidth=0.6)
        ax.axvline(at, color="#CCCCCC", linewidth=0.6)
    style.finish(
        ax,
        x="Recall level",
        y="Recall level",
        title=f"Differences of two runs in {name} at two recall levels",
        note="Below the diagonal: queries and pairs of runs, equal ones as a larger point. Above: their correlation",
    )
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0)
    ax.set_xticks(np.arange(n) + 0.5, map(str, wide.columns))
    ax.set_yticks(np.arange(n) + 0.5, map(str, wide.columns))
    return ax


def _by_level(table: PlotTable, levels: int) -> pd.DataFrame:
    """Return the values with a row for each query, pair and population, and a column for each level; NaN if none."""
    rows = table.frame[table.frame["recall"].to_numpy() <= levels]
    sides = [f"{stem}_{side}" for side in "ab" for stem in table.run_columns]
    keys = [key for key in (table.query, *sides, "population") if key in rows.columns]
    return table.wide(
        "value for each query, pair of runs and recall level",
        rows.groupby(keys, observed=True, sort=False).ngroup().to_numpy()
        if keys
        else np.zeros(len(rows), int),
        rows["recall"].to_numpy(),
        rows["value"].to_numpy(float),
    )
