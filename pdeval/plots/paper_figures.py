"""Figures of the papers, one call each: joins of runs and judgments in, a figure of several panels out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from pdeval.plots import style
from pdeval.studies.contributions import contribution_surface
from pdeval.verbs import checks_arguments, integer, one_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DISCOUNTED = ("RBP(p=0.5)", "nDCG", "RPP")
COMPARED = ("AP", "nDCG", "ASL(unretrieved=corpus)", "RR", "OI", "OI(user=dcg)")
# rows of a figure: what is removed, and the statistic that is drawn
PANELS = {
    "agreement": (
        ("labels", "ranking_agreement"),
        ("labels", "system_agreement"),
        ("queries", "system_agreement"),
    ),
    "ties": (("labels", "ties"),),
}


@checks_arguments
def contribution_figure(
    collections: object, measures: Sequence[str] = DISCOUNTED, *, ranks: int = 25
) -> Figure:
    """Return a figure of the contributions of recall levels: their surface, and their distribution in each collection.

    Diaz and Ferraro (2022), Figure 2. Each measure has a row.

    Parameters
    ----------
    collections : join or mapping of str to join
        Runs joined to judgments, as `runs.ireval.join(qrels)` returns them, by the name of their collection.
    measures : list of str
        Measures and preferences that `disaggregate` supports, except search lengths.
    ranks : int, default 25
        Number of ranks on either axis of the surface.

    Examples
    --------
    >>> import pdeval
    >>> judged = pdeval.datasets.sample_judged(queries="common")
    >>> [ax.get_title() for ax in contribution_figure({"sample": judged}, ["RPP"]).axes[:2]]
    ['RPP', 'sample']
    """
    joins = _joins_by_name(collections)
    names = list(measures)
    surface = contribution_surface(names, ranks=ranks)
    figure, axes = _grid(len(names), 1 + len(joins), height=2.7)
    for row, name in zip(axes, names):
        _title(surface.ireval.plot(measure=name, ax=row[0]), name)
    for column, (title, judged) in enumerate(joins.items(), start=1):
        parts = judged.disaggregate.ecdf(names)
        for row, name in zip(axes, names):
            _title(parts.ireval.plot(measures=[name], ax=row[column]), title)
    return figure


@checks_arguments
def agreement_figure(
    collections: object,
    measures: Sequence[str] = COMPARED,
    *,
    against: str = "RPP",
    pairs: int = 100,
    points: int = 1000,
    seed: int | None = 0,
) -> Figure:
    """Return a figure of the differences of measures against a preference, on pairs of runs drawn at random.

    Diaz and Ferraro (2022), Figure 5. Each measure has a panel for each collection, with the correlation and the sign
    agreement over all queries of the drawn pairs.

    Parameters
    ----------
    collections : join or mapping of str to join
        Runs joined to judgments, as `runs.ireval.join(qrels)` returns them, by the name of their collection.
    measures : list of str
        Measures and preferences, one panel each.
    against : str, default "RPP"
        Measure or preference of the vertical axis.
    pairs : int, default 100
        Number of pairs of runs that are drawn; all if there are fewer.
    points : int, default 1000
        Maximum number of points in a panel.
    seed : int or None
        Random seed. The same seed gives the same result; None chooses a new one.

    Examples
    --------
    >>> import pdeval
    >>> judged = pdeval.datasets.sample_judged(queries="common")
    >>> figure = agreement_figure(judged, ["AP", "OI"])
    >>> print(figure.axes[0].get_title())
    AP
    r about zero = 0.91, sign agreement = 0.91
    """
    joins = _joins_by_name(collections)
    integer("pairs", pairs, 1)
    names = list(measures)
    across = min(len(names), 3)
    down = -(-len(names) // across)  # rounded up
    figure, axes = _grid(len(joins) * down, across, height=3.0)
    # the panels of each collection, of which the last ones may be empty
    blocks = axes.reshape(len(joins), -1)
    for panels, (title, judged) in zip(blocks, joins.items()):
        differences = judged.prefer([against, *names], pairs=_drawn_pairs(judged, pairs, seed))
        for ax in panels[len(names) :]:
            ax.remove()
        for ax, name in zip(panels, names):
            differences.ireval.plot.difference_scatter(
                measures=(name, against), ax=ax, most=points, seed=seed
            )
            heading = f"{title}: {name}" if title else name
            _title(ax, f"{heading}\n{ax.get_title()}")
    return figure


@checks_arguments
def incomplete_data_figure(
    collections: object,
    measures: Sequence[str] = ("RR", "rrLP", "sgnLP"),
    *,
    show: Literal["agreement", "ties"] = "agreement",
    against: str = "RR",
    draws: int = 10,
    seed: int | None = 0,
    progress: bool | None = None,
) -> Figure:
    """Return a figure of preferences on incomplete data, with a column for each collection.

    Diaz (2023), Figure 8 (`show="agreement"`): the agreement of rankings and of systems with `against` on all data, as
    labels and queries are removed. Figure 9 (`show="ties"`): the number of ties as labels are removed.

    Parameters
    ----------
    collections : join or mapping of str to join
        Runs joined to judgments, as `runs.ireval.join(qrels)` returns them, by the name of their collection.
    measures : list of str
        Measures and preferences, one line each.
    show : {'agreement', 'ties'}
        Statistic to draw.
    against : str, default "RR"
        Measure on all data with which the agreement is computed.
    draws : int, default 10
        Number of random draws of each size.
    seed : int or None
        Random seed. The same seed gives the same result; None chooses a new one.
    progress : bool, optional
        Whether to show a progress bar; by default after one second in interactive sessions.

    Examples
    --------
    >>> import pdeval
    >>> judged = pdeval.datasets.sample_judged(queries="common")
    >>> figure = incomplete_data_figure({"sample": judged}, show="ties", draws=2, progress=False)
    >>> [(ax.get_title(), ax.get_ylabel()) for ax in figure.axes]
    [('sample', 'Tied pairs')]
    """
    joins = _joins_by_name(collections)
    rows = PANELS[one_of("show", show, tuple(PANELS))]
    figure, axes = _grid(len(rows), len(joins), height=2.8)
    for column, (title, judged) in enumerate(joins.items()):
        removed = {
            to: judged.robustness(
                list(measures), to=to, draws=draws, against=against, seed=seed, progress=progress
            )
            for to in dict.fromkeys(to for to, _ in rows)
        }
        for ax, (to, statistic) in zip(axes[:, column], rows):
            _title(removed[to].ireval.plot(statistic=statistic, ax=ax), title)
    return figure


def _joins_by_name(collections: object) -> dict[str, Any]:
    """Return joins by the name of their collection; a single join has an empty name."""
    joins = dict(collections) if isinstance(collections, Mapping) else {"": collections}
    if not joins:
        raise ValueError("there is no collection to draw. Pass a join, or {name: join, ...}.")
    for judged in joins.values():
        if not hasattr(judged, "disaggregate") or not hasattr(judged, "runs"):
            raise TypeError(
                f"expected a join of runs and judgments, found {type(judged).__name__}. "
                "Make it with runs.ireval.join(qrels)."
            )
    return {str(name): judged for name, judged in joins.items()}


def _grid(rows: int, columns: int, *, height: float) -> tuple[Figure, np.ndarray]:
    """Return a new figure and its axes, shape (rows, columns)."""
    figure = style.pyplot().figure(figsize=(3.3 * columns, height * rows), layout="constrained")
    return figure, figure.subplots(rows, columns, squeeze=False)


def _title(ax: Axes, text: str) -> None:
    ax.set_title(text, fontsize=1.1 * style.text_size(ax))


def _drawn_pairs(judged: Any, pairs: int, seed: int | None) -> list[tuple[Any, Any]]:
    """Return pairs of runs, drawn without replacement from all."""
    runs = judged.runs.itertuples(index=False, name=None)
    ids = [run[0] if len(run) == 1 else run for run in runs]
    a, b = np.triu_indices(len(ids), k=1)
    drawn = np.random.default_rng(seed).choice(len(a), size=min(pairs, len(a)), replace=False)
    return [(ids[a[pair]], ids[b[pair]]) for pair in np.sort(drawn).tolist()]
