"""What tests, orderings and tallies work on: the scores and preferences that a table holds or a join gives.

Preferences that are rounding are 0 for all of them (`decided`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from pdeval.catalog import Measure, parse, parse_all
from pdeval.catalog.known import known_of
from pdeval.evaluate import pivot
from pdeval.evaluate.cube import Computed, Preferences, Scores, stacked
from pdeval.evaluate.pairs import Pairs, select
from pdeval.evaluate.scores import MEASURES, scores
from pdeval.judged.judged import Judged
from pdeval.kinds.tables import Table
from pdeval.mechanics.arguments import several
from pdeval.mechanics.equality import NOISE, cleared, size_of

Source: TypeAlias = Scores | Preferences | Pairs
Held: TypeAlias = Judged | Table | Source | Sequence[Source]


def sources(held: Held, measures: object = MEASURES) -> list[Source]:
    """Return the cubes or streams behind a join or a table: one for scores, one for preferences.

    Parameters
    ----------
    held : Judged, Table, or cubes
        A join; a table of scores or preferences; or what this function returns.
    measures : str or list, optional
        What to compute for a join; which of its measures to use of a table, None for all.

    Examples
    --------
    >>> import pdeval
    >>> [source.measures for source in sources(pdeval.datasets.sample_judged(topics="common"), ["RPP", "AP", "RR"])]
    [('RPP',), ('AP', 'RR')]
    """
    if isinstance(held, Judged):
        asked = parse_all(MEASURES if measures is None else measures)
        groups = [list(group) for _, group in groupby(asked, key=lambda measure: measure.entry.family)]
        return [_computed(held, group, tell=number == 0) for number, group in enumerate(groups)]
    if isinstance(held, Table):
        table = held if measures is None else only(held, measures)
        return [pivot.scores(table) if table.kind == "scores" else pivot.preferences(table)]
    return list(held) if isinstance(held, list | tuple) else [held]  # type: ignore[list-item]


def _computed(judged: Judged, measures: list[Measure], *, tell: bool) -> Source:
    if measures[0].entry.family in ("metric", "set"):  # of which the latter are refused, with where to ask
        return scores(judged, measures, tell=tell)
    return select(judged, measures, tell=tell)


def only(table: Table, measures: object) -> Table:
    """Return the rows of some measures, in the order asked."""
    asked = list(map(str, several("measures", measures)))
    column = table.column("measure").astype(str)
    missing = [one for one in asked if not (column == one).any()]
    if missing:
        held = ", ".join(map(repr, dict.fromkeys(column)))
        raise KeyError(f"no measure {missing[0]!r} in this table; it has {held}.")
    frame = pd.concat([table.frame[column == one] for one in asked])
    frame[table.roles["measure"]] = pd.Categorical(frame[table.roles["measure"]].astype(str), categories=asked)
    frame.attrs.update(table.frame.attrs)
    return Table(table.kind, frame, table.roles, table.run_columns, table.higher)


def declared_size(label: str, attrs: Mapping[Any, Any] | None = None) -> float:
    """Return the size of the numbers whose differences the preferences of a measure are; 0 where nothing tells.

    Examples
    --------
    >>> declared_size("RPP"), declared_size("AP"), declared_size("ASL"), declared_size("my own")
    (1.0, 1.0, 0.0, 0.0)
    """
    known = known_of(label, attrs)
    if known is not None and "size" in known:
        return known["size"]
    if known is not None and known["family"] == "preference":
        return 1.0
    try:
        top = float(parse(label).entry.range[1])
    except (KeyError, ValueError):
        return 0.0
    return top if np.isfinite(top) else 0.0


def clear_values(values: np.ndarray, label: str = "", attrs: Mapping[Any, Any] | None = None) -> np.ndarray:
    """Return preferences of one measure, of any pairs and queries, with those that are rounding made 0.

    Examples
    --------
    >>> clear_values(np.array([0.5, -1.1e-16]), "AP").tolist(), clear_values(np.array([5e-16, 1e-16]), "own").tolist()
    ([0.5, 0.0], [5e-16, 1e-16])
    """
    return np.where(np.abs(values) <= NOISE * max(declared_size(label, attrs), size_of(values)), 0.0, values)


def decided(source: Any, measure: int) -> Iterator[tuple[slice, np.ndarray]]:
    """Yield (slice of pairs, preferences of shape (queries, pairs of the slice)) of one measure, rounding made 0.

    Rounding is relative to the declared size of the measure. Where a table holds a measure that has none, it is
    relative to the largest preference in it; where a join computes differences of scores, equal scores gave 0.

    Examples
    --------
    >>> cube = Preferences(pd.DataFrame({"run": ["a", "b"]}), pd.Index(["1", "2"], name="query_id"), ("RPP",),
    ...                    np.array([0]), np.array([1]), np.array([[[1.1e-16], [0.5]]]))
    >>> [values.tolist() for _, values in decided(cube, 0)]
    [[[0.0], [0.5]]]
    """
    label = source.measures[measure]
    held = isinstance(source, Preferences) and not isinstance(source, Computed)
    known = known_of(label, source.attrs)
    if not held and known is not None and known["family"] == "metric":
        yield from source.blocks(measure)
        return
    least = declared_size(label, source.attrs)
    if held and not least:
        least = size_of(source.values[measure])
    for part, values in source.blocks(measure):
        yield part, cleared(values, least)


def each(function: Callable[..., pd.DataFrame], held: Sequence[Source], **options: Any) -> pd.DataFrame:
    """Return one frame from the same function on several sources, in their order."""
    return stacked([function(source, **options) for source in held])
