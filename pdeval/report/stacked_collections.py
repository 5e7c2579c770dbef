"""Tables of several collections or segments: one row each, what is compared in columns, means over all of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from pdeval.evaluate.groups import named
from pdeval.report import numbers as decimals
from pdeval.report.columns import Part, numbers, texts, unique
from pdeval.report.report import DASH, Cell, Column, Emphasis, Group
from pdeval.report.rows import emphases
from pdeval.tables.vocabularies import listed

MEAN = "Mean"
MORE = "†"


def by_of(frame: pd.DataFrame, by: str | Sequence[str] | None, *, said: str = "by") -> list[str]:
    """Return the columns that tell the collections or segments of a table apart: those asked for, or those it says.

    Examples
    --------
    >>> frame = pd.DataFrame({"collection": ["x"], "measure": ["AP"]})
    >>> frame.attrs["by"] = ["collection"]
    >>> by_of(frame, None), by_of(frame, "measure")
    (['collection'], ['measure'])
    """
    if by is None:
        return [name for name in frame.attrs.get(said, ()) if name in frame.columns]
    names = named(by)
    missing = [name for name in names if name not in frame.columns]
    if missing:
        raise KeyError(f"no column {missing[0]!r} to group by; there are {listed(frame.columns)}.")
    return names


def titles(labels: pd.DataFrame, names: Mapping[str, str]) -> list[str]:
    """Return one text per row of labels: 'news, robust'."""
    return [", ".join(names.get(str(one), str(one)) for one in row) for row in labels.itertuples(index=False)]


def header(name: str, names: Mapping[str, str]) -> str:
    """Return the header of a column that names collections.

    Examples
    --------
    >>> header("query_group", {}), header("collection", {"collection": "Dataset"})
    ('Query group', 'Dataset')
    """
    words = name.removesuffix("_id").replace("_", " ")
    return names.get(name) or words[:1].upper() + words[1:]


def row_per_collection(
    frame: pd.DataFrame,
    by: Sequence[str],
    across: Sequence[str],
    value: str,
    *,
    digits: int,
    names: Mapping[str, str],
    percent: bool = False,
    average: bool = False,
    higher: bool | None = None,
    against: str | None = None,
    heading: Callable[[dict[str, Any]], str] | None = None,
    what: str = "the table",
) -> tuple[list[Part], list[Group]]:
    """Return a column for each combination of some columns, with one row per collection; earlier columns are titles.

    Parameters
    ----------
    across : sequence of str
        Columns whose values become columns: the last gives the header, those before it the heading over headers.
    average : bool
        Whether the last row is the mean over collections; a dash where one of them has no value.
    higher : bool, optional
        Whether more is better: then the best of each row and heading is marked.
    against : str, optional
        One of the headers: what is better than it, in the same row and under the same heading, has a mark.

    Examples
    --------
    >>> frame = pd.DataFrame({"set": ["x", "x", "y", "y"], "measure": ["AP", "RR"] * 2, "tied": [0.1, 0.2, 0.3, 0.5]})
    >>> parts, _ = row_per_collection(frame, ["set"], ["measure"], "tied", digits=1, names={}, percent=True,
    ...                               average=True)
    >>> [[cell.text for cell in cells] for _, cells in parts]
    [['x', 'y', 'Mean'], ['10.0', '30.0', '20.0'], ['20.0', '50.0', '35.0']]
    """
    by, across = list(by), list(across)
    unique(frame, [*by, *across], what)
    labels = _neighbours(frame[by].drop_duplicates().reset_index(drop=True))
    keys = _neighbours(frame[across].drop_duplicates().reset_index(drop=True))
    row = _index(labels).get_indexer(_index(frame[by]))
    column = _index(keys).get_indexer(_index(frame[across]))
    values = np.full((len(labels), len(keys)), np.nan)
    values[row, column] = frame[value].to_numpy(dtype=float) * (100.0 if percent else 1.0)
    if average:
        values = np.vstack([values, values.mean(axis=0)])
    heads = [_heading(dict(zip(across, one)), across, keys, names, heading) for one in keys.itertuples(index=False)]
    stress = _best(values, [group for group, _ in heads], digits, higher)
    marks = _better(values, heads, keys[across[-1]].astype(str).tolist(), digits, higher is not False, against)
    rows = [names.get(str(one), str(one)) for one in labels[by[-1]]]
    last = names.get(MEAN, MEAN)
    parts: list[Part] = [texts(by[-1], header(by[-1], names), [*rows, *([last] if average else [])])]
    for place, (group, head) in enumerate(heads):
        name = " ".join(map(str, keys.iloc[place]))
        shown = {"emphasis": [one[place] for one in stress], "marks": marks[:, place].tolist()}
        parts.append(numbers(name, head, values[:, place], digits, group=group, **shown))
    return parts, titled(labels[by[:-1]], names, int(average))


def titled(labels: pd.DataFrame, names: Mapping[str, str], more: int = 0) -> list[Group]:
    """Return the titles over neighbouring rows with equal labels; `more` rows after them have a title of their own."""
    if not len(labels.columns):
        return []
    found: list[list[Any]] = []
    for text in titles(labels, names):
        if found and found[-1][0] == text:
            found[-1][1] += 1
        else:
            found.append([text, 1])
    return [Group(text, size, (text,)) for text, size in found] + ([Group("All", more, ("All",))] if more else [])


def _index(labels: pd.DataFrame) -> pd.Index:
    plain = labels.astype(object)
    return pd.Index(plain.iloc[:, 0]) if plain.shape[1] == 1 else pd.MultiIndex.from_frame(plain)


def _neighbours(keys: pd.DataFrame) -> pd.DataFrame:
    """Return rows with the same heading, all but the last column, next to each other, as headings first appear."""
    if keys.shape[1] == 1:
        return keys
    place = keys.groupby(list(keys.columns[:-1]), sort=False, observed=True, dropna=False).ngroup()
    return keys.iloc[np.argsort(place.to_numpy(), kind="stable")].reset_index(drop=True)


def _heading(
    key: dict[str, Any],
    across: list[str],
    keys: pd.DataFrame,
    names: Mapping[str, str],
    heading: Callable[[dict[str, Any]], str] | None,
) -> tuple[str, str]:
    """Return the heading over a column, of what differs between columns, and its own header."""
    last = str(key[across[-1]])
    over = {name: key[name] for name in across[:-1] if keys[name].nunique() > 1}
    if heading is not None:
        return heading(over), names.get(last, last)
    # a number alone would not say what it is
    told = {name: f"{name} {one:g}" if isinstance(one, float) else str(one) for name, one in over.items()}
    return ", ".join(names.get(str(over[name]), text) for name, text in told.items()), names.get(last, last)


def _best(values: np.ndarray, headings: list[str], digits: int, higher: bool | None) -> list[list[Emphasis]]:
    """Return which cells are the best and the second of their row, under each heading."""
    found: list[list[Emphasis]] = [[""] * len(headings) for _ in values]
    if higher is None:
        return found
    for group in dict.fromkeys(headings):
        own = [place for place, one in enumerate(headings) if one == group]
        for row, printed in zip(found, values):
            marked = emphases(decimals.printed(printed[own], digits), higher)
            if marked.count("second") > 1 and "" not in marked:
                marked = [one if one == "best" else "" for one in marked]  # all others are second: it tells nothing
            for place, one in zip(own, marked):
                row[place] = one
    return found


def _better(
    values: np.ndarray, heads: list[tuple[str, str]], keys: list[str], digits: int, higher: bool, against: str | None
) -> np.ndarray:
    """Return the marks of what is better, as it prints, than one column under the same heading."""
    marks = np.full(values.shape, "", dtype=object)
    if against is None:
        return marks
    if against not in keys:
        raise KeyError(f"against={against!r} is none of the columns; there are {listed(dict.fromkeys(keys))}.")
    shown = np.array([decimals.printed(row, digits) for row in values])
    base = {group: place for place, ((group, _), key) in enumerate(zip(heads, keys)) if key == against}
    for place, (group, _) in enumerate(heads):
        if group in base:
            gain = shown[:, place] - shown[:, base[group]]
            marks[(gain if higher else -gain) > 0, place] = MORE
    return marks


def triangle(
    frame: pd.DataFrame, sides: tuple[str, str], value: str, *, digits: int, names: Mapping[str, str]
) -> list[Part]:
    """Return pairs of measures as a triangle, each value the mean over all rows of its pair: one per collection.

    A pair that some collections lack, or have no value of, is a dash.

    Examples
    --------
    >>> frame = pd.DataFrame({"measure_a": ["AP", "AP", "RR"], "measure_b": ["RR", "P", "P"], "value": [1, 0.5, 0]})
    >>> parts = triangle(frame, ("measure_a", "measure_b"), "value", digits=1, names={})
    >>> [[cell.text for cell in cells] for _, cells in parts]
    [['AP', 'RR'], ['1.0', '–'], ['0.5', '0.0']]
    """
    found = frame.astype(dict.fromkeys(sides, str)).groupby(list(sides), sort=False, observed=True)[value]
    pairs: dict[Any, float] = found.mean().where(found.count() == found.size().max()).to_dict()
    measures = list(dict.fromkeys([*(a for a, _ in pairs), *(b for _, b in pairs)]))
    parts: list[Part] = [texts(sides[0], "", measures[:-1], names)]
    for place, over in enumerate(measures[1:], 1):
        cells = []
        for at, one in enumerate(measures[:-1]):
            mean = pairs.get((one, over), pairs.get((over, one), np.nan)) if at < place else np.nan
            printed = decimals.number(float(mean), digits)
            cells.append(Cell(None, DASH) if printed == DASH else Cell(float(mean), printed))
        parts.append((Column(over, names.get(over, over)), cells))
    return parts


def over_collections(
    frame: pd.DataFrame, by: Sequence[str], shown: Sequence[str], *, digits: Mapping[str, int], spread: bool
) -> tuple[pd.DataFrame, dict[str, Part]]:
    """Return the rows of a table without its collections, and each column of numbers as its mean over them.

    With `spread` a cell is the range from one standard deviation below the mean to one above it, as '0.3–0.6'.

    Examples
    --------
    >>> frame = pd.DataFrame({"set": ["x", "y"], "step": "all", "tau_b": [0.5, 0.7]})
    >>> rows, parts = over_collections(frame, ["set"], ["step", "tau_b"], digits={"tau_b": 2}, spread=True)
    >>> rows["step"].tolist(), parts["tau_b"][1][0].text
    (['all'], '0.46–0.74')
    """
    own = [name for name in shown if name not in by]
    values = [name for name in own if pd.api.types.is_float_dtype(frame[name].dtype)]
    keys = [name for name in own if name not in values and not pd.api.types.is_numeric_dtype(frame[name].dtype)]
    if not keys:
        frame, keys = frame.assign(_all="all"), ["_all"]
    unique(frame, [*by, *keys], "the table")
    grouped = frame.groupby(keys, sort=False, observed=True, dropna=False)[values]
    everywhere = grouped.count() == len(frame[list(by)].drop_duplicates())  # means of fewer would not compare
    mean, sd = grouped.mean().where(everywhere), grouped.std()
    parts: dict[str, Part] = {}
    for name in values:
        column, cells = numbers(name, name, mean[name], digits[name])
        if spread:
            ends = [mean[name] - sd[name], mean[name] + sd[name]]
            printed = [[decimals.number(float(one), digits[name]) for one in end] for end in ends]
            cells = [
                Cell(c.value, f"{low}{DASH}{high}" if low != DASH else DASH) for c, low, high in zip(cells, *printed)
            ]
        parts[name] = (column, cells)
    return mean.index.to_frame(index=False), parts
