"""Columns of a frame as columns of a report, with one row per row or per collection; the options of all reports."""

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

import numpy as np
import pandas as pd

from pdeval.evaluate import option_columns
from pdeval.report import numbers as decimals
from pdeval.report.report import DASH, Cell, Column, Emphasis, Group, Report
from pdeval.tables import listed
from pdeval.verbs import describes_parameters, integer

Part = tuple[Column, list[Cell]]
MEAN = "Mean"
MORE = "†"


def texts(
    name: str, header: str, values: Iterable[object], names: Mapping[str, str] | None = None
) -> Part:
    """Return a column of strings, with display names.

    Examples
    --------
    >>> column, cells = texts("run", "System", ["bm25"], {"bm25": "BM25"})
    >>> cells[0].text
    'BM25'
    """
    labels = [(names or {}).get(str(value), str(value)) for value in values]
    return Column(name, header, numeric=False), [Cell(label, label) for label in labels]


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
    """Return a column of numbers; integer columns have no decimals, NaN is a dash.

    Examples
    --------
    >>> column, cells = numbers("n", "Pairs", np.array([3, 4]), 3)
    >>> [cell.text for cell in cells]
    ['3', '4']
    """
    is_integer = pd.api.types.is_integer_dtype(values)
    places = 0 if is_integer else digits
    ends = {end: np.asarray(bounds, dtype=float) for end, bounds in (spread or {}).items()}
    cells = []
    for i, value in enumerate(np.asarray(values, dtype=float).tolist()):
        printed = text(value, places)
        if printed == DASH:
            cells.append(Cell(None, DASH))
            continue
        bounds = tuple(float(bound[i]) for bound in ends.values())
        cells.append(
            Cell(
                int(value) if is_integer else value,
                printed,
                emphasis[i] if emphasis else "",
                marks[i] if marks else "",
                bounds,
                tuple(decimals.number(bound, places) for bound in bounds),
            )
        )
    return Column(name, header, group=group, spread=tuple(ends)), cells


def any_column(
    name: str,
    header: str,
    values: pd.Series,
    digits: int,
    names: Mapping[str, str] | None = None,
    text: Callable[[float, int], str] = decimals.number,
) -> Part:
    """Return a column of numbers if the values are numeric, otherwise of strings."""
    if pd.api.types.is_bool_dtype(values.dtype):
        return texts(name, header, np.where(values.to_numpy(), "yes", "no"))
    if pd.api.types.is_numeric_dtype(values.dtype):
        return numbers(name, header, values, digits, text=text)
    return texts(
        name,
        header,
        [DASH if missing else value for value, missing in zip(values, values.isna())],
        names,
    )


def assemble(
    parts: Sequence[Part],
    notes: Sequence[str] = (),
    *,
    groups: Sequence[Group] = (),
    group_names: Sequence[str] = (),
    caption: str | None = None,
) -> Report:
    """Return the report of columns side by side; `group_names` are the columns of the titles over rows.

    Examples
    --------
    >>> print(assemble([texts("run", "System", ["bm25"])], ["Nothing else."]))
    System
    ------
    bm25
    <BLANKLINE>
    Nothing else.
    """
    return Report(
        *columns_and_rows(parts),
        groups=tuple(groups),
        group_names=(", ".join(group_names),) if group_names else (),
        caption=caption,
        notes=tuple(notes),
    )


def columns_and_rows(
    parts: Sequence[Part],
) -> tuple[tuple[Column, ...], tuple[tuple[Cell, ...], ...]]:
    """Return the columns, and the rows of their cells."""
    return tuple(column for column, _ in parts), tuple(zip(*(cells for _, cells in parts)))


def reported(
    *, has_footnotes: bool = True
) -> Callable[[Callable[..., Report]], Callable[..., Report]]:
    """Return the decorator that adds the options of all reports: names, caption, label, notes and footnotes.

    The decorated function takes `known`, the display names, in the place of `names`, and `digits` that are checked. The
    notes of its report are the footnotes; its caption is a default.

    Parameters
    ----------
    has_footnotes : bool
        Whether the report has the option `footnotes`, which omits the notes of the function.

    Examples
    --------
    >>> @reported()
    ... def report_runs(runs: list[str], *, known: Mapping[str, str]) -> Report:
    ...     return assemble([texts("run", "System", runs, known)])
    >>> report_runs(["bm25"], names={"bm25": "BM25"}, caption="One run.").to_markdown().split()
    ['One', 'run.', '|', 'System', '|', '|:-------|', '|', 'BM25', '|']
    """

    def decorate(build: Callable[..., Report]) -> Callable[..., Report]:
        def report(
            *args: Any,
            names: Mapping[str, str] | None = None,
            caption: str | None = None,
            label: str | None = None,
            notes: str | Sequence[str] | None = None,
            footnotes: bool = True,
            **options: Any,
        ) -> Report:
            if not isinstance(options.get("digits", {}), Mapping):
                options["digits"] = integer("digits", options["digits"], 0, decimals.MAX_DIGITS)
            known = {str(key): str(text) for key, text in (names or {}).items()}
            built = build(*args, known=known, **options)
            if built.caption is not None:  # a default, which an empty text removes
                caption = (built.caption if caption is None else caption) or None
            added = [notes] if isinstance(notes, str) else notes or ()
            return replace(
                built,
                caption=caption,
                label=label,
                notes=(*(built.notes if footnotes else ()), *added),
            )

        shared = inspect.signature(report).parameters
        # `names` takes the place of `known`, the other options come last
        last = ("caption", "label", "notes", *(["footnotes"] if has_footnotes else []))
        parameters = [
            *(
                shared["names"] if parameter.name == "known" else parameter
                for parameter in inspect.signature(build).parameters.values()
            ),
            *(shared[name] for name in last),
        ]
        functools.update_wrapper(report, build)
        report.__annotations__ = {
            parameter.name: parameter.annotation for parameter in parameters
        } | {"return": "Report"}
        report.__signature__ = inspect.Signature(parameters, return_annotation="Report")  # type: ignore[attr-defined]
        return describes_parameters(report)

    return decorate


def need(frame: object, columns: Sequence[str], what: str, they: str = "they") -> pd.DataFrame:
    """Return the frame if it has rows and these columns.

    Examples
    --------
    >>> need(pd.DataFrame({"run": ["a"]}), ["run", "rank"], "the orders")
    Traceback (most recent call last):
    ValueError: the orders have no column 'rank'; they have run.
    """
    if not isinstance(frame, pd.DataFrame):
        raise TypeError(f"{what} must be a pandas DataFrame, not {type(frame).__name__}.")
    have = "have" if they == "they" else "has"
    if missing := [name for name in columns if name not in frame.columns]:
        present = ", ".join(map(str, frame.columns))
        raise ValueError(f"{what} {have} no column {missing[0]!r}; {they} {have} {present}.")
    if not len(frame):
        raise ValueError(f"{what} {have} no rows; there is nothing to report.")
    return frame.reset_index(drop=True)


def check_unique(frame: pd.DataFrame, key: Sequence[str], what: str, they: str = "they") -> None:
    """Raise if a key occurs twice, or is not a column."""
    need(frame, key, what, they)
    repeated = frame.loc[frame.duplicated(list(key)), list(key)]
    if len(repeated):
        have = "have" if they == "they" else "has"
        examples = f"({', '.join(key)}) rows, e.g. {tuple(map(str, repeated.iloc[0]))}"
        raise ValueError(
            f"{what} {have} {len(repeated)} duplicate {examples}. Keep one row of each."
        )


def run_texts(runs: pd.DataFrame, names: Mapping[str, str]) -> list[Part]:
    """Return the columns that name runs."""
    return [
        texts(name, names.get(name, "System" if name == "run" else name), runs[name], names)
        for name in runs.columns
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
    columns = column_names(column)
    if not columns:
        return frame, []
    values = list(zip(*(frame[name].astype(str) for name in columns)))
    # groups are numbered as they first appear
    codes, distinct = pd.factorize(pd.Series(values, dtype=object))
    frame = frame.iloc[np.argsort(codes, kind="stable")].reset_index(drop=True)
    titles = [", ".join((names or {}).get(part, part) for part in value) for value in distinct]
    sizes = np.bincount(codes).tolist()
    return frame, [Group(title, size, (title,)) for title, size in zip(titles, sizes)]


def column_names(columns: str | Sequence[str] | None) -> list[str]:
    """Return one column, several or none as a list."""
    if columns is None:
        return []
    return [columns] if isinstance(columns, str) else list(columns)


def by_of(
    frame: pd.DataFrame, by: str | Sequence[str] | None, *, attribute: str = "by"
) -> list[str]:
    """Return the columns of the collections or segments of a table: the requested ones, or those of its `attrs`.

    Examples
    --------
    >>> frame = pd.DataFrame({"collection": ["x"], "measure": ["AP"]})
    >>> frame.attrs["by"] = ["collection"]
    >>> by_of(frame, None), by_of(frame, "measure")
    (['collection'], ['measure'])
    """
    if by is None:
        return [name for name in frame.attrs.get(attribute, ()) if name in frame.columns]
    names = option_columns(by)
    if missing := [name for name in names if name not in frame.columns]:
        raise KeyError(f"no column {missing[0]!r} to group by; there are {listed(frame.columns)}.")
    return names


def titles(labels: pd.DataFrame, names: Mapping[str, str]) -> list[str]:
    """Return one text per row of labels: 'news, robust'."""
    return [
        ", ".join(names.get(str(one), str(one)) for one in row)
        for row in labels.itertuples(index=False)
    ]


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
    heading: Callable[[Mapping[Any, Any]], str] | None = None,
    what: str = "the table",
) -> tuple[list[Part], list[Group]]:
    """Return a column for each combination of some columns, with one row per collection; earlier columns are titles.

    Parameters
    ----------
    across : sequence of str
        Columns whose values become columns: the last gives the header, those before it the heading over headers.
    average : bool
        Whether the last row is the mean over collections; a dash if one of them has no value.
    higher : bool, optional
        Whether more is better: then the best of each row and heading is marked.
    against : str, optional
        One of the headers: better values in the same row and under the same heading are marked.

    Examples
    --------
    >>> frame = pd.DataFrame({"set": ["x", "x", "y", "y"], "measure": ["AP", "RR"] * 2,
    ...                       "tied_fraction": [0.1, 0.2, 0.3, 0.5]})
    >>> parts, _ = row_per_collection(frame, ["set"], ["measure"], "tied_fraction", digits=1, names={}, percent=True,
    ...                               average=True)
    >>> [[cell.text for cell in cells] for _, cells in parts]
    [['x', 'y', 'Mean'], ['10.0', '30.0', '20.0'], ['20.0', '50.0', '35.0']]
    """
    by, across = list(by), list(across)
    check_unique(frame, [*by, *across], what)
    labels = _neighbors(frame[by].drop_duplicates().reset_index(drop=True))
    keys = _neighbors(frame[across].drop_duplicates().reset_index(drop=True))
    row = pd.MultiIndex.from_frame(labels).get_indexer(pd.MultiIndex.from_frame(frame[by]))
    column = pd.MultiIndex.from_frame(keys).get_indexer(pd.MultiIndex.from_frame(frame[across]))
    values = np.full((len(labels), len(keys)), np.nan)
    values[row, column] = frame[value].to_numpy(dtype=float) * (100.0 if percent else 1.0)
    rows = [names.get(str(label), str(label)) for label in labels[by[-1]]]
    if average:
        values = np.vstack([values, values.mean(axis=0)])
        rows.append(names.get(MEAN, MEAN))
    varied = [name for name in across[:-1] if keys[name].nunique() > 1]
    # without columns, pandas 2 has no records
    settings = keys[varied].to_dict("records") if varied else [{}] * len(keys)
    headings = [
        heading(values)
        if heading is not None
        else ", ".join(
            # a number is preceded by the name of its column
            names.get(str(value), f"{name} {value:g}" if isinstance(value, float) else str(value))
            for name, value in values.items()
        )
        for values in settings
    ]
    last = keys[across[-1]].astype(str).tolist()
    emphasis = _best(values, headings, digits, higher)
    marks = _better(values, headings, last, digits, higher is not False, against)
    words = by[-1].removesuffix("_id").replace("_", " ")
    parts: list[Part] = [texts(by[-1], names.get(by[-1]) or words[:1].upper() + words[1:], rows)]
    parts += [
        numbers(
            " ".join(map(str, key)),
            names.get(last[i], last[i]),
            values[:, i],
            digits,
            group=headings[i],
            emphasis=emphasis[:, i].tolist(),
            marks=marks[:, i].tolist(),
        )
        for i, key in enumerate(keys.itertuples(index=False))
    ]
    return parts, title_groups(titles(labels[by[:-1]], names), int(average)) if len(by) > 1 else []


def title_groups(texts: Sequence[str], n_more: int = 0) -> list[Group]:
    """Return the titles over neighboring rows with the same text; `n_more` rows after them have the title All.

    Examples
    --------
    >>> [(group.title, group.size) for group in title_groups(["news", "news", "web"], 1)]
    [('news', 2), ('web', 1), ('All', 1)]
    """
    sizes = [(text, len(list(members))) for text, members in groupby(texts)]
    sizes += [("All", n_more)] if n_more else []
    return [Group(text, size, (text,)) for text, size in sizes]


def _neighbors(keys: pd.DataFrame) -> pd.DataFrame:
    """Return rows with the same heading, all but the last column, next to each other, as headings first appear."""
    if keys.shape[1] == 1:
        return keys
    codes = keys.groupby(list(keys.columns[:-1]), sort=False, observed=True, dropna=False).ngroup()
    return keys.iloc[np.argsort(codes.to_numpy(), kind="stable")].reset_index(drop=True)


def _best(values: np.ndarray, headings: list[str], digits: int, higher: bool | None) -> np.ndarray:
    """Return which cells are the best and the second of their row, under each heading."""
    emphasis = np.full(values.shape, "", dtype=object)
    for heading in dict.fromkeys(headings) if higher is not None else ():
        columns = [i for i, other in enumerate(headings) if other == heading]
        for row, row_values in zip(emphasis, values):
            words = decimals.emphases(decimals.printed(row_values[columns], digits), bool(higher))
            if words.count("second") > 1 and "" not in words:
                # all others are second, which does not distinguish any
                words = [word if word == "best" else "" for word in words]
            row[columns] = words
    return emphasis


def _better(
    values: np.ndarray,
    headings: list[str],
    keys: list[str],
    digits: int,
    higher: bool,
    against: str | None,
) -> np.ndarray:
    """Return the marks of values that are better, as printed, than one column under the same heading."""
    marks = np.full(values.shape, "", dtype=object)
    if against is None:
        return marks
    if against not in keys:
        raise KeyError(
            f"against={against!r} is not a column; the columns are {listed(dict.fromkeys(keys))}."
        )
    printed = np.array([decimals.printed(row, digits) for row in values])
    base = {heading: i for i, (heading, key) in enumerate(zip(headings, keys)) if key == against}
    for i, heading in enumerate(headings):
        if heading in base:
            gain = printed[:, i] - printed[:, base[heading]]
            marks[(gain if higher else -gain) > 0, i] = MORE
    return marks
