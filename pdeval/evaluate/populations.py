"""Populations of users: who wants which items of a query, and how many of its users they are.

A user wants i relevant items of at least some grade, of some subtopic, or any relevant item (the background). A
preference averages over such users (Diaz & Ferraro 2022, sections 3.2 and 4).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from pdeval.catalog import Measure
from pdeval.join.blocks import Block, View
from pdeval.join.positions import Positions
from pdeval.kernels.primitives import share as share_of

if TYPE_CHECKING:
    from pdeval.evaluate.scores import Views

Population = tuple[str, np.ndarray | None, list[Block]]


def populations(views: Views, measure: Measure, *, padded: bool = False) -> Iterator[Population]:
    """Yield the populations of a measure: name, share of each topic's users, blocks of the items that they want.

    The share is None where there is one population only. A preference without populations compares relevant items;
    a measure of one ranking looks at those of its kind. With `padded`, topics of about as many items share a block.

    Examples
    --------
    >>> import pdeval
    >>> from pdeval.evaluate.scores import Views
    >>> views = Views(pdeval.datasets.sample_judged())
    >>> [(name, float(share[0].round(3))) for name, share, _ in populations(views, pdeval.parse("RPP"))]
    [('grade >= 1', 0.684), ('grade >= 2', 0.263), ('grade >= 3', 0.053)]
    >>> [float(share[0].round(3)) for _, share, _ in populations(views, pdeval.parse("RPP(grades=uniform)"))]
    [0.333, 0.333, 0.333]
    """
    views = views.under(measure)
    kind, level, told = measure.entry.population, views.level(measure), measure.parameters.get("grades", "items")
    if kind == "subtopics":
        yield from _by_subtopic(views, level, measure, padded)
    elif kind == "grades" and level is None and len(grades_of(views.positions)) > 1:
        yield from _by_grade(views, measure, padded)
    else:
        if level is not None and told != "items":
            raise ValueError(
                f"{measure.label}: with level={level:g} relevance is binary, and grades= has no thresholds to weigh; "
                "leave one of them out."
            )
        items = measure.kind if measure.entry.family == "metric" else "binary"
        yield "relevant", None, views.blocks(items, level, padded=padded, together=measure.together)


def check_populations(positions: Positions, measures: Iterable[Measure]) -> None:
    """Raise where a measure weighs grades or subtopics that no relevant item has.

    Examples
    --------
    >>> import pdeval
    >>> check_populations(pdeval.datasets.sample_judged().positions, [pdeval.parse("RPP(grades={1:1,7:2})")])
    Traceback (most recent call last):
    KeyError: 'RPP(grades={1:1,7:2}) gives a weight to grade 7, which no relevant item has; there are 1, 2, 3.'
    """
    if positions.source is None:
        return  # parts of a table know only their own

    def known_of(what: str) -> Iterable[object]:
        if what == "grade":
            return grades_of(positions).tolist()
        return _subtopic_names(positions) if positions.judged.subtopic is not None else []

    check_weighed(measures, known_of)


def check_weighed(measures: Iterable[Measure], known_of: Callable[[str], Iterable[object]]) -> None:
    """Raise where a measure weighs a grade or a subtopic that there is not; `known_of` tells which there are.

    Examples
    --------
    >>> from pdeval.catalog import parse
    >>> check_weighed([parse("ST-RPP(subtopics={99:1})")], lambda what: ["1", "2"])
    Traceback (most recent call last):
    KeyError: 'ST-RPP(subtopics={99:1}) gives a weight to subtopic 99, which no relevant item has; there are 1, 2.'
    """
    for measure in measures:
        for what in ("grade", "subtopic"):
            told = measure.parameters.get(f"{what}s") if measure.entry.population == f"{what}s" else None
            if not isinstance(told, Mapping):
                continue
            names = [_spelled(one) for one in known_of(what)]
            unknown = [_spelled(one) for one in told if _spelled(one) not in names]
            if unknown and names:
                raise KeyError(
                    f"{measure.label} gives a weight to {what} {unknown[0]}, which no relevant item has; there are "
                    f"{', '.join(names[:8])}{', ...' if len(names) > 8 else ''}."
                )


def grades_of(positions: Positions) -> np.ndarray:
    """Return the positive grades of the judgments, ascending."""
    grade = positions.judged.grade
    return np.unique(grade[grade > 0])


def _by_grade(views: Views, measure: Measure, padded: bool) -> Iterator[Population]:
    """Users with a threshold at each grade that the topic has, by default as many as there are items for them."""
    at, topics = views.positions.judged, len(views.positions.queries)
    grades = grades_of(views.positions)
    has = [np.bincount(at.topic[at.grade == one], minlength=topics) > 0 for one in grades]
    size = [np.where(own, np.bincount(at.topic[at.grade >= one], minlength=topics), 0) for one, own in zip(grades, has)]
    told = measure.parameters.get("grades", "items")
    number = _numbers(told, np.stack(size), [f"{one:g}" for one in grades])
    whole = number.sum(axis=0)
    for one, count in zip(grades.tolist(), number):
        yield f"grade >= {one:g}", share_of(count, whole), views.blocks("binary", one, padded=padded)


def _by_subtopic(views: Views, level: float | None, measure: Measure, padded: bool) -> Iterator[Population]:
    """Users of every subtopic, and users of any relevant item, by default each as many as their items."""
    positions = views.positions
    whole = View(positions, "subtopic", level)
    item, subtopic = whole.member_rows
    topics, codes = len(positions.queries), np.unique(subtopic)
    place = np.searchsorted(codes, subtopic) * topics + positions.judged.topic[item]
    size = np.bincount(place, minlength=len(codes) * topics).reshape(len(codes), topics)
    names = _subtopic_names(positions)
    told, background = measure.parameters.get("subtopics", "items"), measure.parameters.get("background", 1.0)
    number = _numbers(told, size, [_spelled(names[one]) for one in codes])
    everyone = background * (whole.count if told == "items" else np.minimum(whole.count, 1))
    total = number.sum(axis=0) + everyone
    if background:
        yield "any subtopic", share_of(everyone, total), _blocks_of(positions, whole.items, padded)
    for one, count in zip(codes.tolist(), number):
        if count.any():
            blocks = _blocks_of(positions, item[subtopic == one], padded)
            yield f"subtopic {names[one]}", share_of(count, total), blocks


def _numbers(told: Any, size: np.ndarray, names: list[str]) -> np.ndarray:
    """Return how many users each population has on each topic, from the number of items that they want."""
    if told == "items":
        return size
    if told == "uniform":
        return (size > 0) * 1.0
    weight = {_spelled(name): float(value) for name, value in told.items()}
    return np.array([weight.get(name, 0.0) for name in names])[:, None] * (size > 0)


def _spelled(name: object) -> str:
    return f"{name:g}" if isinstance(name, int | float) and not isinstance(name, bool) else str(name)


def _blocks_of(positions: Positions, items: np.ndarray, padded: bool) -> list[Block]:
    """Return the blocks of some judged items, all of them relevant."""
    mine = np.zeros(len(positions.judged.topic), dtype=bool)
    mine[items] = True
    return list(View(positions, "binary", kept=mine, padded=padded).blocks(empty=True))


def _subtopic_names(positions: Positions) -> list[object]:
    """Return the subtopics by code: the caller's ids, or numbers where positions were made without them."""
    known = positions.judged.subtopics
    if known is None:
        return list(range(1, int(positions.judged.subtopic[1].max(initial=0)) + 2))  # type: ignore[index]
    return list(known.index())
