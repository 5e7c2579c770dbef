"""What a verb works on: the scores and preferences that a table holds, or that runs and judgments give."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pandas as pd

from pdeval.accessor.joined import Joined, join
from pdeval.evaluate import pivot
from pdeval.evaluate.cube import stacked
from pdeval.kinds import tables

RULES = ("level", "topics", "ties", "compat", "depth", "validate")


def of(accessor: Any, qrels: object, measures: object, rules: dict[str, Any], verb: str) -> list[Any]:
    """Return the cubes or streams behind a table: one for scores, one for preferences.

    Examples
    --------
    >>> frame = pd.DataFrame({"run": ["a"], "query_id": ["1"], "measure": ["AP"], "value": [0.5]})
    >>> of(frame.ireval, None, None, {}, "order")[0].measures
    ('AP',)
    """
    kind = tables.kind_of(accessor._frame, accessor._binding)
    if kind in ("scores", "preferences"):
        if qrels is not None or rules:
            extra = ", ".join(["qrels"] * (qrels is not None) + sorted(rules))
            raise TypeError(f"{verb}() on {tables.NAMES[kind]} takes no {extra}: its numbers are already computed.")
        table = tables.read(accessor, kind)  # type: ignore[arg-type]
        if measures is not None:
            table = only(table, measures)
        return [pivot.scores(table) if kind == "scores" else pivot.preferences(table)]
    if kind == "runs":
        if qrels is None:
            raise ValueError(
                f"{verb}() needs a scores or preferences table, or judgments; this looks like a run table "
                f"(run, query, doc, score). Call .ireval.{verb}(qrels, ...), or .ireval.measure(qrels) first."
            )
        return joined_of(accessor, qrels, measures, rules, verb).sources(measures)
    looks = f"this looks like {tables.NAMES[kind]}" if kind else f"the columns are {list(accessor._frame.columns)}"
    raise ValueError(f"{verb}() needs a run, scores or preferences table; {looks}.")


def joined_of(accessor: Any, qrels: object, measures: object, rules: dict[str, Any], verb: str) -> Joined:
    """Return the join of an accessor's run table, with the rules that a verb was given."""
    unknown = sorted(set(rules) - set(RULES))
    if unknown:
        raise TypeError(f"{verb}() has no option {unknown[0]!r}; the rules of a join are {', '.join(RULES)}.")
    level, topics = rules.get("level"), rules.get("topics", "relevant")
    rest = {name: value for name, value in rules.items() if name not in ("level", "topics")}
    return join(accessor, qrels, measures, level=level, topics=topics, **rest)


def only(table: tables.Table, measures: object) -> tables.Table:
    """Return the rows of some measures, in the order asked."""
    asked = [measures] if isinstance(measures, str) else [str(one) for one in measures]  # type: ignore[attr-defined]
    column = table.column("measure").astype(str)
    missing = [one for one in asked if not (column == one).any()]
    if missing:
        held = ", ".join(map(repr, dict.fromkeys(column)))
        raise KeyError(f"no measure {missing[0]!r} in this table; it has {held}.")
    frame = pd.concat([table.frame[column == one] for one in asked])
    frame[table.roles["measure"]] = pd.Categorical(frame[table.roles["measure"]].astype(str), categories=asked)
    frame.attrs.update(table.frame.attrs)
    return tables.Table(table.kind, frame, table.roles, table.run_columns)


def each(function: Callable[..., pd.DataFrame], sources: Sequence[Any], **options: Any) -> pd.DataFrame:
    """Return one frame from the same function on several sources, in their order."""
    return stacked([function(source, **options) for source in sources])
