"""Columns of a frame as columns of print; what every report but that of systems is made of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from pdeval.report import numbers as decimals
from pdeval.report.report import DASH, Cell, Column, Emphasis, Group, Report

Part = tuple[Column, list[Cell]]


@dataclass(frozen=True)
class About:
    """What stands around a table."""

    caption: str | None = None
    label: str | None = None
    notes: str | Sequence[str] | None = None


def texts(name: str, header: str, values: Iterable[object], names: Mapping[str, str] | None = None) -> Part:
    """Return a column of texts, under their display names.

    Examples
    --------
    >>> column, cells = texts("run", "System", ["bm25"], {"bm25": "BM25"})
    >>> cells[0].text
    'BM25'
    """
    shown = [(names or {}).get(str(value), str(value)) for value in values]
    return Column(name, header, numeric=False), [Cell(text, text) for text in shown]


def numbers(
    name: str,
    header: str,
    values: pd.Series | np.ndarray,
    digits: int,
    *,
    group: str = "",
    emphasis: Sequence[Emphasis] | None = None,
    marks: Sequence[str] | None = None,
    spread: Mapping[str, np.ndarray] | None = None,
    text: Callable[[float, int], str] = decimals.number,
) -> Part:
    """Return a column of numbers; whole-number columns have no decimals, NaN is a dash.

    Examples
    --------
    >>> column, cells = numbers("n", "Pairs", np.array([3, 4]), 3)
    >>> [cell.text for cell in cells]
    ['3', '4']
    """
    whole = pd.api.types.is_integer_dtype(values)
    array = np.asarray(values, dtype=float)
    places = 0 if whole else digits
    ends = {} if spread is None else {key: np.asarray(value, dtype=float) for key, value in spread.items()}
    cells = []
    for i, value in enumerate(array):
        printed = text(float(value), places)
        if printed == DASH:
            cells.append(Cell(None, DASH))
            continue
        around = tuple(float(end[i]) for end in ends.values())
        cells.append(
            Cell(
                int(value) if whole else float(value),
                printed,
                "" if emphasis is None else emphasis[i],
                "" if marks is None else marks[i],
                around,
                tuple(decimals.number(end, places) for end in around),
            )
        )
    return Column(name, header, group=group, spread=tuple(ends)), cells


def any_column(name: str, header: str, values: pd.Series, digits: int, names: Mapping[str, str] | None = None) -> Part:
    """Return a column of numbers where the values are numbers, else of texts."""
    if pd.api.types.is_bool_dtype(values.dtype):
        return texts(name, header, np.where(values.to_numpy(), "yes", "no"))
    if pd.api.types.is_numeric_dtype(values.dtype):
        return numbers(name, header, values, digits)
    return texts(name, header, [DASH if missing else value for value, missing in zip(values, values.isna())], names)


def assemble(
    parts: Sequence[Part],
    about: About,
    *,
    said: Sequence[str] = (),
    groups: Sequence[Group] = (),
    group_names: Sequence[str] = (),
) -> Report:
    """Return the report of columns that stand side by side.

    Examples
    --------
    >>> print(assemble([texts("run", "System", ["bm25"])], About(notes="Nothing else.")))
    | System |
    |:-------|
    | bm25   |
    <BLANKLINE>
    Nothing else.
    """
    own = [about.notes] if isinstance(about.notes, str) else list(about.notes or ())
    return Report(
        columns=tuple(column for column, _ in parts),
        rows=tuple(zip(*(cells for _, cells in parts))),
        groups=tuple(groups),
        group_names=tuple(group_names),
        caption=about.caption,
        label=about.label,
        notes=(*said, *own),
    )


def need(frame: object, columns: Sequence[str], what: str, they: str = "they") -> pd.DataFrame:
    """Return the frame if it has rows and these columns.

    Examples
    --------
    >>> need(pd.DataFrame({"run": ["a"]}), ["run", "rank"], "the orders")
    Traceback (most recent call last):
    ValueError: the orders have no column 'rank'; they have run.
    """
    have = "have" if they == "they" else "has"
    if not isinstance(frame, pd.DataFrame):
        raise TypeError(f"{what} must be a pandas DataFrame, not {type(frame).__name__}.")
    missing = [name for name in columns if name not in frame.columns]
    if missing:
        found = ", ".join(map(str, frame.columns))
        raise ValueError(f"{what} {have} no column {missing[0]!r}; {they} {have} {found}.")
    if not len(frame):
        raise ValueError(f"{what} {have} no rows; there is nothing to report.")
    return frame.reset_index(drop=True)


def unique(frame: pd.DataFrame, key: Sequence[str], what: str) -> None:
    """Raise where a key occurs twice, or is no column."""
    missing = [name for name in key if name not in frame.columns]
    if missing:
        found = ", ".join(map(str, frame.columns))
        raise ValueError(f"{what} have no column {missing[0]!r}; they have {found}.")
    repeated = frame[frame.duplicated(list(key))]
    if len(repeated):
        first = tuple(str(value) for value in repeated[list(key)].iloc[0])
        raise ValueError(f"{what} have {len(repeated)} duplicate ({', '.join(key)}) rows, e.g. {first}; keep one each.")


def pair_texts(frame: pd.DataFrame, stems: Sequence[str], names: Mapping[str, str]) -> list[Part]:
    """Return the columns that name both runs of a pair.

    Examples
    --------
    >>> parts = pair_texts(pd.DataFrame({"run_a": ["lm"], "run_b": ["bm25"]}), ["run"], {})
    >>> [column.header for column, _ in parts]
    ['System A', 'System B']
    """
    return [
        texts(f"{stem}_{side}", f"{'System' if stem == 'run' else stem} {side.upper()}", frame[f"{stem}_{side}"], names)
        for side in "ab"
        for stem in stems
    ]


def grouped(
    frame: pd.DataFrame, column: str | Sequence[str] | None, names: Mapping[str, str] | None = None
) -> tuple[pd.DataFrame, list[Group]]:
    """Return the rows with equal values of some columns next to each other, and the groups that they form.

    Examples
    --------
    >>> frame, groups = grouped(pd.DataFrame({"set": ["x", "y", "x"], "n": [1, 2, 3]}), "set")
    >>> frame["n"].tolist(), [(group.title, group.size) for group in groups]
    ([1, 3, 2], [('x', 2), ('y', 1)])
    """
    columns = [] if column is None else [column] if isinstance(column, str) else list(column)
    if not columns:
        return frame, []
    missing = [name for name in columns if name not in frame.columns]
    if missing:
        raise KeyError(f"no column {missing[0]!r} to group by; there are {', '.join(map(str, frame.columns))}.")
    values = list(zip(*(frame[name].astype(str) for name in columns)))
    first = {value: place for place, value in enumerate(dict.fromkeys(values))}
    place = np.array([first[value] for value in values], dtype=np.intp)
    frame = frame.iloc[np.argsort(place, kind="stable")].reset_index(drop=True)
    sizes = np.bincount(place, minlength=len(first))
    found = []
    for value, size in zip(first, sizes):
        shown = ", ".join((names or {}).get(one, one) for one in value)
        found.append(Group(shown, int(size), (shown,)))
    return frame, found
