"""What tests, orderings and tallies work on: the scores and preferences that a table holds or a join gives."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from typing import Any, TypeAlias

import pandas as pd

from pdeval.catalog import Measure, parse_all
from pdeval.evaluate import pivot
from pdeval.evaluate.cube import Preferences, Scores, stacked
from pdeval.evaluate.pairs import Pairs, select
from pdeval.evaluate.scores import MEASURES, scores
from pdeval.judged.judged import Judged
from pdeval.kinds.tables import Table

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
    if measures[0].entry.family == "metric":
        return scores(judged, measures, tell=tell)
    return select(judged, measures, tell=tell)


def only(table: Table, measures: object) -> Table:
    """Return the rows of some measures, in the order asked."""
    one_name = isinstance(measures, str) or not isinstance(measures, Iterable)
    asked = [str(one) for one in ([measures] if one_name else measures)]  # type: ignore[attr-defined]
    column = table.column("measure").astype(str)
    missing = [one for one in asked if not (column == one).any()]
    if missing:
        held = ", ".join(map(repr, dict.fromkeys(column)))
        raise KeyError(f"no measure {missing[0]!r} in this table; it has {held}.")
    frame = pd.concat([table.frame[column == one] for one in asked])
    frame[table.roles["measure"]] = pd.Categorical(frame[table.roles["measure"]].astype(str), categories=asked)
    frame.attrs.update(table.frame.attrs)
    return Table(table.kind, frame, table.roles, table.run_columns, table.higher)


def each(function: Callable[..., pd.DataFrame], held: Sequence[Source], **options: Any) -> pd.DataFrame:
    """Return one frame from the same function on several sources, in their order."""
    return stacked([function(source, **options) for source in held])
