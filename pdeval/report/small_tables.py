"""Tables of how measures agree, or how alike they order runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np
import pandas as pd

from pdeval.report.columns import (
    Part,
    any_column,
    assemble,
    by_of,
    check_unique,
    grouped,
    need,
    numbers,
    reported,
    row_per_collection,
    texts,
    triangle,
)
from pdeval.report.report import Report
from pdeval.tables.reader import assessor_column
from pdeval.verbs import verb

PAIR = ("measure_a", "measure_b")
COEFFICIENTS = {
    "tau_a": "Kendall's τ a",
    "tau_b": "Kendall's τ b",
    "tau_ap": "τ AP",
    "rbo": "Rank-biased overlap",
    "spearman": "Spearman's ρ",
    "pearson": "Pearson's r",
}


@verb(on=("sign_agreement", "correlations"), name="report", core=True, command=True)
@reported(has_footnotes=False)
def report_agreement(
    frame: pd.DataFrame,
    *,
    columns: str | None = None,
    value: str | None = None,
    digits: int = 3,
    group: str | None = None,
    by: str | Sequence[str] | None = None,
    layout: Literal["list", "rows", "triangle"] | None = None,
    average: bool = False,
    known: Mapping[str, str],
) -> Report:
    """Return the table of how pairs of measures agree, or how alike they order runs.

    Parameters
    ----------
    columns : str, optional
        A column (e.g. the kind of sample) whose values become columns of `value` side by side, as papers print it.
    value : str, optional
        The column that is then shown; by default `agreement`, or `value` of correlations.
    group : str, optional
        A column whose values become titles over rows.
    by : str or list of str, optional
        The column(s) that tell collections apart; by default those that the table says.
    layout : {"list", "rows", "triangle"}, optional
        A row per pair of measures; a row per collection and a column per pair, the default of several collections; or
        measures x measures, of several collections their means.
    average : bool, default False
        Whether a row per collection is followed by their mean.

    Examples
    --------
    >>> agreement = pd.DataFrame({"measure_a": "AP", "measure_b": ["P@10", "P@10"], "sample": ["uniform", "runs"],
    ...                           "pairs": [523776, 900], "agreement": [0.7694, 0.91]})
    >>> print(report_agreement(agreement, columns="sample", digits=2))
    | Measure A | Measure B | uniform | runs |
    |:----------|:----------|--------:|-----:|
    | AP        | P@10      |    0.77 | 0.91 |
    """
    frame = need(frame, ["measure_a", "measure_b"], "the agreements")
    value = value or ("agreement" if "agreement" in frame.columns else "value")
    titles = [] if group is None else by_of(frame, group)
    stacked = [name for name in by_of(frame, by) if name not in (group, columns)]
    layout = layout or ("rows" if stacked and columns is None else "list")
    if layout != "list":
        need(frame, [value], "the agreements")
        collections = [*titles, *stacked]
        if layout == "triangle":
            return _triangle(frame, collections, value, digits, known)
        if not stacked:
            raise ValueError(
                "layout='rows' is one row per collection: name the column that tells them apart with by=."
            )
        return _rows(frame, collections, value, digits, average, known)
    words = ("pairs", "agreement", "fuzziness", "coefficient", "runs", "value")
    headers = {
        "measure_a": "Measure A",
        "measure_b": "Measure B",
        **{word: word.capitalize() for word in words},
        **known,
    }
    ordered, groups = grouped(frame, group, known)
    if columns is None:
        listed = [name for name in map(str, ordered.columns) if name != group]
        parts = [
            any_column(name, headers.get(name, name), ordered[name], digits, known)
            for name in listed
        ]
        return assemble(parts, groups=groups, group_names=titles)
    need(frame, [columns, value], "the agreements")
    key = [*titles, *PAIR]
    check_unique(frame, [*key, columns], "the agreements")
    rows, groups = grouped(ordered.drop_duplicates(key)[key], group, known)
    parts = [texts(name, headers[name], rows[name], known) for name in PAIR]
    for setting in dict.fromkeys(ordered[columns]):
        chosen = ordered.loc[ordered[columns] == setting, [*key, value]]
        values = rows.merge(chosen, on=key, how="left")[value]
        parts.append(numbers(str(setting), known.get(str(setting), str(setting)), values, digits))
    return assemble(parts, groups=groups, group_names=titles)


def _triangle(
    frame: pd.DataFrame, by: list[str], value: str, digits: int, known: Mapping[str, str]
) -> Report:
    """Return the triangle of measures; each value is the mean over collections."""
    if frame.duplicated([*by, *PAIR]).any() and (varied := _varied_settings(frame)):
        raise ValueError(
            f"a triangle shows one value per pair: choose one of the values of {varied[0]!r} first."
        )
    n = len(frame[by].drop_duplicates()) if by else 1
    notes = [
        *_coefficient(frame),
        *([f"Means over {n} collections, each counting the same."] if n > 1 else []),
    ]
    return assemble(triangle(frame, PAIR, value, digits=digits, names=known), notes)


def _rows(
    frame: pd.DataFrame,
    by: list[str],
    value: str,
    digits: int,
    average: bool,
    known: Mapping[str, str],
) -> Report:
    """Return one row per collection, with pairs of measures in columns."""
    repeated = frame.duplicated([*by, *PAIR]).any()
    across = [*(_varied_settings(frame) if repeated else []), *PAIR]
    parts, groups = row_per_collection(
        frame, by, across, value, digits=digits, names=known, average=average, what="the agreements"
    )
    return assemble(parts, _coefficient(frame), groups=groups, group_names=by[:-1])


def _varied_settings(frame: pd.DataFrame) -> list[str]:
    settings = ("fuzziness", "coefficient", "method_a", "method_b")
    return [name for name in settings if name in frame.columns and frame[name].nunique() > 1]


def _coefficient(frame: pd.DataFrame) -> list[str]:
    """Return the note on the coefficient of correlations, if it is the same everywhere."""
    if "coefficient" not in frame.columns or frame["coefficient"].nunique() != 1:
        return []
    name = str(frame["coefficient"].iloc[0])
    return [f"{COEFFICIENTS.get(name, name)} of the orderings of systems by two measures."]


@verb(on="confusions", name="report", core=True)
@reported()
def report_confusion(
    frame: pd.DataFrame,
    *,
    digits: int = 1,
    counts: bool = False,
    known: Mapping[str, str],
) -> Report:
    """Return the table of confusion: labels of the reference in rows, labels given in columns, percentages of rows.

    Of several assessors, each has a group of rows.

    Parameters
    ----------
    digits : int, default 1
        Decimals of the percentages.
    counts : bool, default False
        Whether to print counts of items instead.

    Examples
    --------
    >>> table = pd.DataFrame({"assessor": "llm", "reference": [0, 0, 1, 1], "label": [0, 1, 0, 1], "n": [3, 1, 0, 2],
    ...                       "share": [0.75, 0.25, 0.0, 1.0]})
    >>> print(report_confusion(table))
    | Reference | Items |    0 |     1 |
    |:----------|------:|-----:|------:|
    | 0         |     4 | 75.0 |  25.0 |
    | 1         |     2 |  0.0 | 100.0 |
    <BLANKLINE>
    Percentage of the items of each row that llm gives the label of the column.
    """
    frame = need(frame, ["reference", "label", "n", "share"], "the confusions")
    who = assessor_column(frame)
    if who not in frame.columns:
        frame = frame.assign(**{who: "the assessor"})
    check_unique(frame, [who, "reference", "label"], "the confusions")
    assessors = [str(assessor) for assessor in dict.fromkeys(frame[who])]
    titles = [who] if len(assessors) > 1 else []
    wide = frame.pivot(index=[who, "reference"], columns="label", values=["n", "share"])
    rows = frame[[who, "reference"]].drop_duplicates().reset_index(drop=True)
    rows, groups = grouped(rows, titles, known)
    wide = wide.reindex(pd.MultiIndex.from_frame(rows[[who, "reference"]]))
    total = wide["n"].to_numpy().sum(axis=1)
    # weighted items have counts with decimals
    count_dtype = np.int64 if bool(np.all(total == np.round(total))) else float
    parts: list[Part] = [
        texts("reference", "Reference", rows["reference"], known),
        numbers("items", "Items", total.astype(count_dtype), digits),
    ]
    for value in dict.fromkeys(frame["label"]):
        percent = 100 * wide["share"][value].to_numpy(dtype=float)
        column = wide["n"][value].to_numpy().astype(count_dtype) if counts else percent
        parts.append(numbers(f"label {value}", known.get(str(value), str(value)), column, digits))
    by = "the assessor" if titles else known.get(assessors[0], assessors[0])
    what = "Number" if counts else "Percentage"
    notes = [f"{what} of the items of each row that {by} gives the label of the column."]
    return assemble(parts, notes, groups=groups, group_names=titles)
