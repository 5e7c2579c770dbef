"""Recall levels against each other: a scatter matrix of what they contribute to the differences of runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from pdeval.plots import legibility, style
from pdeval.plots.drawing import Drawn, drawn, plot
from pdeval.plots.selection import one

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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
    ax : Axes, optional
        Where to draw; new axes by default.
    measure : str, optional
        The measure; needed where the frame has several.
    levels : int
        Draw the first so many recall levels.
    most : int
        Draw so many points of a cell, chosen by chance; fits and correlations are over all.
    seed : int, optional
        Of the choice.

    Returns
    -------
    Axes
        Those drawn on.

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
    size = min(0.9 * legibility.text_size(ax), 72 * min(legibility.inches(ax)) / n / 2.6)
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
