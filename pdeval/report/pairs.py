"""Tables of pairs: a square matrix of runs, the list of comparisons, labels against those of a reference."""

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np
import pandas as pd

from pdeval.report import footnotes as footnote
from pdeval.report import numbers as decimals
from pdeval.report.columns import (
    Part,
    assemble,
    by_of,
    check_unique,
    grouped,
    need,
    numbers,
    reported,
    texts,
)
from pdeval.report.report import DASH, Cell, Column, Report
from pdeval.report.significance_marks import BETTER, letters, wins
from pdeval.tables import (
    SCHEMAS,
    assessor_column,
    natural_places,
    naturally,
    run_columns,
    run_labels,
    runs_of,
)
from pdeval.verbs import verb

Triangle = Literal["full", "upper", "lower"]
Headers = Literal["names", "letters"]
MAX_COLUMN_NAMES = 5


@verb(on="matrix", name="report", core=True, command=True)
@reported()
def report_matrix(
    frame: pd.DataFrame,
    *,
    comparisons: pd.DataFrame | None = None,
    measure: str | None = None,
    digits: int = 3,
    triangle: Triangle = "full",
    headers: Headers | None = None,
    known: Mapping[str, str],
) -> Report:
    """Return the square matrix of pairs (mean preferences, correlations) as a table, row against column.

    Its diagonal is dashes.

    Parameters
    ----------
    comparisons : DataFrame, optional
        Result of `compare`: † marks rows that are significantly better than the column.
    measure : str, optional
        Measure of the comparisons, if they have several.
    triangle : {"full", "upper", "lower"}
        Part of the matrix to print.
    headers : {"names", "letters"}, optional
        Column headers: the labels, or letters that are listed before the rows (the default for more than five).

    Examples
    --------
    >>> matrix = pd.DataFrame([[0.0, 0.25], [-0.25, 0.0]], index=["bm25", "lm"], columns=["bm25", "lm"])
    >>> print(matrix.ireval.report(digits=2))
           bm25    lm
    -----------------
    bm25      –  0.25
    lm    −0.25     –
    """
    labels = _square(frame)
    order = natural_places(labels)
    labels = [labels[i] for i in order]
    values = frame.iloc[order, order].to_numpy(dtype=float)
    size = len(labels)
    printed = ~np.eye(size, dtype=bool)
    if triangle != "full":
        printed = np.triu(printed) if triangle == "upper" else np.tril(printed)
    if np.isnan(values[printed]).any():
        row, column = np.argwhere(np.isnan(values) & printed)[0]
        raise ValueError(
            f"the matrix has no value for {labels[row]!r} against {labels[column]!r}; fill it in."
        )
    beats, notes = _significant(comparisons, labels, measure)
    headings = [known.get(label, label) for label in labels]
    parts: list[Part] = []
    if headers == "letters" or (headers is None and size > MAX_COLUMN_NAMES):
        headings = letters(size)
        parts.append(texts("letter", "", headings))
    parts.append(texts("row", "", labels, known))
    for j, name in enumerate(labels):
        cells = [
            Cell(
                float(values[i, j]),
                decimals.number(values[i, j], digits),
                marks=BETTER if beats[i, j] else "",
            )
            if printed[i, j]
            else Cell(None, DASH if i == j else "")
            for i in range(size)
        ]
        parts.append((Column(name, headings[j]), cells))
    if "measure" in frame.attrs:
        notes.insert(0, f"Mean preference by {frame.attrs['measure']} for the row over the column.")
    return assemble(parts, [*notes, *footnote.basis(None, frame.attrs)])


def _square(matrix: pd.DataFrame) -> list[str]:
    """Return the labels of a square matrix."""
    need(matrix, (), "the matrix", "it")
    rows, columns = (
        [" / ".join(map(str, label)) if isinstance(label, tuple) else str(label) for label in axis]
        for axis in (matrix.index, matrix.columns)
    )
    if rows != columns:
        raise ValueError(
            f"the matrix must have the same labels, in the same order, as rows and columns; it has {len(rows)} rows "
            f"({', '.join(rows[:3])}) and {len(columns)} columns ({', '.join(columns[:3])})."
        )
    if len(set(rows)) < len(rows):
        repeated = next(label for label in rows if rows.count(label) > 1)
        raise ValueError(
            f"the matrix has the label {repeated!r} more than once; rename one of them."
        )
    return rows


def _significant(
    comparisons: pd.DataFrame | None, labels: list[str], measure: str | None
) -> tuple[np.ndarray, list[str]]:
    """Return which rows are significantly better than which columns, and the note on it."""
    if comparisons is None:
        return np.zeros((len(labels), len(labels)), dtype=bool), []
    frame = need(comparisons, ["measure", "significant"], "the comparisons")
    measures = list(dict.fromkeys(frame["measure"].astype(str)))
    if measure is None and len(measures) > 1:
        raise ValueError(
            f"the comparisons have several measures: {', '.join(measures)}. Choose one with measure=."
        )
    chosen = measures[0] if measure is None else measure
    if chosen not in measures:
        raise KeyError(
            f"no measure {chosen!r} in the comparisons; they have {', '.join(measures)}."
        )
    run_names = run_columns(frame, [], {}, paired=True)
    # runs of several columns have one label in the matrix
    sides = {
        f"run_{side}": run_labels(frame[[f"{name}_{side}" for name in run_names]]) for side in "ab"
    }
    beats = wins(frame.assign(**sides), pd.DataFrame({"run": labels}), [chosen])[0]
    how = footnote.of_comparisons(frame[frame["measure"].astype(str) == chosen])
    return beats, [
        f"{BETTER} the row is significantly better than the column" + (f" ({how})." if how else ".")
    ]


@verb(on="comparisons", name="report", core=True, command=True)
@reported()
def report_comparisons(
    frame: pd.DataFrame,
    *,
    digits: int = 3,
    only_significant: bool = False,
    by: str | Sequence[str] | None = None,
    known: Mapping[str, str],
) -> Report:
    r"""Return the list of compared pairs: difference with its interval, effect size, p-values; * if significant.

    Several measures become groups of rows, and so do several collections.

    Parameters
    ----------
    digits : int, default 3
        Decimals; smaller p-values print as "<0.001".
    only_significant : bool, default False
        Whether to omit all other pairs.
    by : str or list of str, optional
        Column(s) that identify the collections; by default those recorded in the table.

    Examples
    --------
    >>> pairs = pd.DataFrame({"run_a": ["lm"], "run_b": ["bm25"], "measure": ["AP"], "test": ["t"], "n": [50],
    ...                       "difference": [0.0312], "p_adjusted": [0.00004], "significant": [True]})
    >>> print(report_comparisons(pairs))
    System A  System B  Difference  p adjusted
    ------------------------------------------
    lm        bm25           0.031     <0.001*
    <BLANKLINE>
    AP. * significant (paired Student t test). 50 queries.
    """
    frame = need(frame, ["measure", "difference", "significant"], "the comparisons")
    run_names = runs_of(frame, SCHEMAS["comparisons"])
    if not run_names:
        raise ValueError(
            f"the comparisons have no columns of pairs of runs; they have {', '.join(map(str, frame.columns))}."
        )
    collections = by_of(frame, by)
    pair = [f"{name}_{side}" for side in "ab" for name in run_names]
    check_unique(
        frame,
        [*collections, *pair, *(c for c in ("measure", "test") if c in frame)],
        "the comparisons",
    )
    if only_significant:
        frame = frame[frame["significant"].to_numpy(dtype=bool)].reset_index(drop=True)
    titles = [*collections, *(["measure"] if frame["measure"].nunique() > 1 else [])]
    within = frame.groupby([*collections, "measure"], observed=True, sort=False)
    attrs = frame.attrs
    frame = pd.concat([naturally(part, pair) for _, part in within] or [frame], ignore_index=True)
    frame.attrs = attrs
    frame, groups = grouped(frame, titles, known)
    parts = [
        texts(
            f"{name}_{side}",
            f"{'System' if name == 'run' else name} {side.upper()}",
            frame[f"{name}_{side}"],
            known,
        )
        for side in "ab"
        for name in run_names
    ]
    if "test" in frame and frame["test"].nunique() > 1:
        parts.append(
            texts("test", "Test", [footnote.words_of_test(str(test)) for test in frame["test"]])
        )
    ends = {
        name: frame[name].to_numpy(dtype=float) for name in ("ci_low", "ci_high") if name in frame
    }
    has_interval = len(ends) == 2 and not np.isnan(list(ends.values())).any()
    spread = ends if has_interval else None
    estimated = "estimate" in frame and not frame["estimate"].equals(frame["difference"])
    of_mean = None if estimated else spread
    parts.append(numbers("difference", "Difference", frame["difference"], digits, spread=of_mean))
    if estimated:
        parts.append(numbers("estimate", "Estimate", frame["estimate"], digits, spread=spread))
    if "effect_size" in frame:
        parts.append(
            numbers("effect_size", "Effect size", frame["effect_size"].astype(float), digits)
        )
    stars = [
        "*" if significant else "" for significant in frame["significant"].to_numpy(dtype=bool)
    ]
    tested = [name for name in ("p_value", "p_adjusted") if name in frame]
    for name in tested:
        header = {"p_value": "p", "p_adjusted": "p adjusted"}[name]
        marks = stars if name == tested[-1] else None
        parts.append(
            numbers(
                name, header, frame[name].astype(float), digits, marks=marks, text=decimals.p_value
            )
        )
    for name, header in (("noninferior", "p non-inferior"), ("equivalent", "p equivalent")):
        if f"p_{name}" in frame:
            marks = ["*" if shown else "" for shown in frame[name].to_numpy(dtype=bool)]
            values = frame[f"p_{name}"].astype(float)
            parts.append(
                numbers(f"p_{name}", header, values, digits, marks=marks, text=decimals.p_value)
            )
    if collections:
        frame.attrs["counted_per"] = "group"
    notes = _comparison_notes(frame, has_interval, any(stars))
    return assemble(parts, notes, groups=groups, group_names=titles)


def _comparison_notes(frame: pd.DataFrame, has_interval: bool, has_stars: bool) -> list[str]:
    how = footnote.of_comparisons(frame)
    measures = frame["measure"].astype(str).unique()
    notes = [
        *([f"{measures[0]}."] if len(measures) == 1 else []),
        ("* significant" if has_stars else "No difference is significant")
        + (f" ({how})." if how else "."),
    ]
    if has_interval:
        estimated = "estimate" in frame and not frame["estimate"].equals(frame["difference"])
        of = "estimate of the test" if estimated else "difference"
        notes.append(footnote.difference_interval(frame.attrs, of))
    if "margin" in frame and len(frame):
        ends = dict.fromkeys(f"{end:.3g}" for end in (frame["margin"].min(), frame["margin"].max()))
        notes.append(
            f"System A is not inferior if it is worse by less than the margin ({' to '.join(ends)}), and equivalent "
            "if it differs by less; one-sided t tests."
        )
    notes += [str(frame.attrs["question"])] if frame.attrs.get("question") else []
    n = frame["n"].to_numpy(dtype=float) if "n" in frame and len(frame) else None
    return [*notes, *footnote.basis_of(frame, n)]


@verb(on="confusions", name="report", core=True)
@reported()
def report_confusion(
    frame: pd.DataFrame,
    *,
    digits: int = 1,
    counts: bool = False,
    known: Mapping[str, str],
) -> Report:
    """Return the table of confusion: reference labels in rows, assigned labels in columns, percentages of rows.

    Each of several assessors has a group of rows.

    Parameters
    ----------
    digits : int, default 1
        Decimals of the percentages.
    counts : bool, default False
        Whether to print counts of items instead.

    Examples
    --------
    >>> table = pd.DataFrame({"assessor": "llm", "reference": [0, 0, 1, 1], "label": [0, 1, 0, 1], "n": [3, 1, 0, 2],
    ...                       "fraction": [0.75, 0.25, 0.0, 1.0]})
    >>> print(report_confusion(table))
    Reference  Items     0      1
    -----------------------------
    0              4  75.0   25.0
    1              2   0.0  100.0
    <BLANKLINE>
    Percentage of the items of each row that llm gives the label of the column.
    """
    frame = need(frame, ["reference", "label", "n", "fraction"], "the confusions")
    who = assessor_column(frame)
    if who not in frame.columns:
        frame = frame.assign(**{who: "the assessor"})
    check_unique(frame, [who, "reference", "label"], "the confusions")
    assessors = [str(assessor) for assessor in dict.fromkeys(frame[who])]
    titles = [who] if len(assessors) > 1 else []
    wide = frame.pivot(index=[who, "reference"], columns="label", values=["n", "fraction"])
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
        percent = 100 * wide["fraction"][value].to_numpy(dtype=float)
        column = wide["n"][value].to_numpy().astype(count_dtype) if counts else percent
        parts.append(numbers(f"label {value}", known.get(str(value), str(value)), column, digits))
    by = "the assessor" if titles else known.get(assessors[0], assessors[0])
    what = "Number" if counts else "Percentage"
    notes = [f"{what} of the items of each row that {by} gives the label of the column."]
    return assemble(parts, notes, groups=groups, group_names=titles)
