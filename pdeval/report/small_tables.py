"""Tables of how measures agree, or how alike they order runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np
import pandas as pd

from pdeval.report import numbers as decimals
from pdeval.report.columns import About, Part, any_column, assemble, grouped, need, numbers, texts, unique
from pdeval.report.report import Report
from pdeval.report.stacked_collections import by_of, row_per_collection, triangle
from pdeval.tables.reader import assessor_column
from pdeval.verbs import verb

COEFFICIENTS = {
    "tau_a": "Kendall's τ a",
    "tau_b": "Kendall's τ b",
    "tau_ap": "τ AP",
    "rbo": "Rank-biased overlap",
    "spearman": "Spearman's ρ",
    "pearson": "Pearson's r",
}


@verb(on=("sign_agreement", "correlations"), name="report", core=True, command=True)
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
    names: Mapping[str, str] | None = None,
    caption: str | None = None,
    label: str | None = None,
    notes: str | Sequence[str] | None = None,
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
    places, known = decimals.check(digits), dict(names or {})
    words = ("pairs", "agreement", "fuzziness", "coefficient", "runs", "value")
    heads = {"measure_a": "Measure A", "measure_b": "Measure B", **{word: word.capitalize() for word in words}, **known}
    key = [*([group] if group else []), "measure_a", "measure_b"]
    about = About(caption, label, notes)
    titles = [group] if group else []
    by_of(frame, group)
    stacked = [name for name in by_of(frame, by) if name not in (group, columns)]
    layout = layout or ("rows" if stacked and columns is None else "list")
    if layout != "list":
        return _by_pairs(frame, stacked, group, value, layout, places, average, known, about)
    if columns is None:
        frame, groups = grouped(frame, group, known)
        listed = [name for name in map(str, frame.columns) if name != group]
        parts = [any_column(name, heads.get(name, name), frame[name], places, known) for name in listed]
        return assemble(parts, about, groups=groups, group_names=titles)
    need(frame, [columns, value], "the agreements")
    unique(frame, [*key, columns], "the agreements")
    ordered, _ = grouped(frame, group, known)
    rows, groups = grouped(ordered.drop_duplicates(key)[key], group, known)
    parts = [texts(name, heads[name], rows[name], known) for name in ("measure_a", "measure_b")]
    for setting in dict.fromkeys(ordered[columns]):
        chosen = ordered.loc[ordered[columns] == setting, [*key, value]]
        values = rows.merge(chosen, on=key, how="left")[value]
        parts.append(numbers(str(setting), known.get(str(setting), str(setting)), values, places))
    return assemble(parts, about, groups=groups, group_names=titles)


def _by_pairs(
    frame: pd.DataFrame,
    by: list[str],
    group: str | None,
    value: str,
    layout: str,
    digits: int,
    average: bool,
    names: Mapping[str, str],
    about: About,
) -> Report:
    """Return one row per collection with pairs of measures in columns, or the triangle of measures."""
    need(frame, [value], "the agreements")
    settings = ("fuzziness", "coefficient", "method_a", "method_b")
    varied = [name for name in settings if name in frame.columns and frame[name].nunique() > 1]
    pair = ["measure_a", "measure_b"]
    if layout == "triangle":
        key = [*by, *([group] if group else []), *pair]
        repeated = [name for name in varied if frame.duplicated(key).any()]
        if repeated:
            raise ValueError(f"a triangle shows one value per pair: choose one of the values of {repeated[0]!r} first.")
        n = len(frame[key[:-2]].drop_duplicates()) if len(key) > 2 else 1
        said = [*_coefficient(frame), *([f"Means over {n} collections, each counting the same."] if n > 1 else [])]
        return assemble(
            triangle(frame, ("measure_a", "measure_b"), value, digits=digits, names=names), about, said=said
        )
    if not by:
        raise ValueError("layout='rows' is one row per collection: name the column that tells them apart with by=.")
    rows = [*([group] if group else []), *by]
    across = [*[name for name in varied if frame.duplicated([*rows, *pair]).any()], *pair]
    parts, groups = row_per_collection(
        frame, rows, across, value, digits=digits, names=names, average=average, what="the agreements"
    )
    titles = [", ".join(rows[:-1])] if groups else []
    return assemble(parts, about, said=_coefficient(frame), groups=groups, group_names=titles)


def _coefficient(frame: pd.DataFrame) -> list[str]:
    """Return what the numbers of a table of correlations are, where they are one coefficient."""
    if "coefficient" not in frame.columns or frame["coefficient"].nunique() != 1:
        return []
    name = str(frame["coefficient"].iloc[0])
    return [f"{COEFFICIENTS.get(name, name)} of the orderings of systems by two measures."]


@verb(on="confusions", name="report", core=True)
def report_confusion(
    frame: pd.DataFrame,
    *,
    digits: int = 1,
    counts: bool = False,
    names: Mapping[str, str] | None = None,
    caption: str | None = None,
    label: str | None = None,
    notes: str | Sequence[str] | None = None,
    footnotes: bool = True,
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
    places, known = decimals.check(digits), dict(names or {})
    frame = need(frame, ["reference", "label", "n", "share"], "the confusions")
    who = assessor_column(frame)
    if who not in frame.columns:
        frame = frame.assign(**{who: "the assessor"})
    unique(frame, [who, "reference", "label"], "the confusions")
    assessors = [str(one) for one in dict.fromkeys(frame[who])]
    several = len(assessors) > 1
    values = list(dict.fromkeys(frame["label"]))
    wide = frame.pivot(index=[who, "reference"], columns="label", values=["n", "share"])
    rows = frame[[who, "reference"]].drop_duplicates().reset_index(drop=True)
    rows, groups = grouped(rows, who if several else None, known)
    wide = wide.reindex(pd.MultiIndex.from_frame(rows[[who, "reference"]]))
    total = wide["n"].to_numpy().sum(axis=1)
    whole = bool(np.all(total == np.round(total)))
    parts: list[Part] = [
        texts("reference", "Reference", rows["reference"], known),
        numbers("items", "Items", total.astype(np.int64) if whole else total, places),
    ]
    for value in values:
        column = wide["n"][value].to_numpy() if counts else 100 * wide["share"][value].to_numpy(dtype=float)
        column = column.astype(np.int64) if counts and whole else column
        parts.append(numbers(f"label {value}", known.get(str(value), str(value)), column, places))
    by = "the assessor" if several else known.get(assessors[0], assessors[0])
    what = "Number" if counts else "Percentage"
    said = [f"{what} of the items of each row that {by} gives the label of the column."] if footnotes else []
    return assemble(parts, About(caption, label, notes), said=said, groups=groups, group_names=[who] if several else [])
