"""Tables of confusion: labels of the reference in rows, labels given in columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from pdeval.kinds.tables import assessor_column
from pdeval.report import digits as decimals
from pdeval.report.listing import About, Part, assemble, grouped, need, numbers, texts, unique
from pdeval.report.spec import Report
from pdeval.verbs import verb


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
    names : mapping of str to str, optional
        Display names of labels and assessors.
    caption : str, optional
        Plain text over the table.
    label : str, optional
        For LaTeX's \\ref and the HTML anchor.
    notes : str or list of str, optional
        Sentences after the footnote.
    footnotes : bool, default True
        Whether to say what the numbers are.

    Returns
    -------
    Report
        The table; `print` shows it as Markdown, and `.to_latex()`, `.to_html()`, `.to_frame()` and `.save(path)` give
        it in other formats.

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
