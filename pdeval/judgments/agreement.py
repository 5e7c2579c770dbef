"""Agreement of assessors: overall, by query and by pair of assessors; confusion matrices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd

from pdeval.evaluate.cube import coded as column_codes
from pdeval.evaluate.cube import described_frame
from pdeval.evaluate.groups import named
from pdeval.join.lists import ranges
from pdeval.judgments.agreement_coefficients import (
    COEFFICIENTS,
    Coefficient,
    check_units,
    corrected,
    interval,
    of_each_unit,
    pairs,
    resampled,
    resamples,
)
from pdeval.judgments.labels import (
    Labels,
    coded,
    given,
    item_columns,
    query_column,
    role_columns,
    sparse,
    units_of,
)
from pdeval.kernels.primitives import share
from pdeval.tables.labels import labels as repeated
from pdeval.tables.reader import Table, read
from pdeval.tables.schemas import table
from pdeval.verbs import verb
from pdeval.verbs.arguments import one_of, several, shown

PAIRWISE = {name: one.pair_chance for name, one in COEFFICIENTS.items() if one.pair_chance}
MOST = 50  # largest number of different labels of a confusion matrix
REFERENCE = "reference"  # name of judgments that are used as the labels of an assessor


AGREEMENT = table(
    "agreement_of_assessors",
    "[by:any] coefficient items:int assessors:int labels:int observed:float expected:float value:float "
    "[ci_low:float ci_high:float]",
    "agreement of assessors",
    recognized_by="coefficient assessors observed expected value",
    row="coefficient",
    then=".report()",
    means={
        "by": "the group, under the name(s) of by=",
        "items": "number of items with at least two labels",
        "assessors": "number of assessors who labeled these items",
        "labels": "number of labels of these items",
        "observed": "observed agreement",
        "expected": "agreement expected by chance",
        "value": "(observed - expected) / (1 - expected); missing if all labels are equal",
        "ci_low": "lower limit of the bootstrap interval over queries or items, if draws > 0",
        "ci_high": "upper limit",
    },
    no_plot="it is a table to read: one row per coefficient",
)


table(
    "agreement_by_query",
    f"query items:int assessors:int labels:int [{' '.join(f'{name}:float' for name in COEFFICIENTS)}]",
    "agreement of assessors by query",
    recognized_by=f"query items assessors labels {'|'.join(COEFFICIENTS)}",
    row="query",
    then=".report()",
    sort="query",
    means={
        "items": "number of items with at least two labels",
        "assessors": "number of assessors who labeled these items",
        "labels": "number of labels of these items",
        **{name: one.description for name, one in COEFFICIENTS.items()},
    },
    no_plot="it is a table to read: one row per query",
)


table(
    "assessor_pairs",
    f"assessor_a assessor_b items:int {' '.join(f'{name}:float' for name in PAIRWISE)}",
    "agreement of pairs of assessors",
    recognized_by=f"items {' '.join(PAIRWISE)}",
    row="pair of assessors",
    sort="assessor_a assessor_b",
    means={
        "assessor_a": "the first assessor, under the name of the column",
        "assessor_b": "the second assessor",
        "items": "items that both labeled",
        **{name: COEFFICIENTS[name].description for name in PAIRWISE},
    },
    no_report="report the matrix: .agreement.pairs('cohen').ireval.report()",
    no_plot="draw the matrix: .agreement.pairs('cohen').ireval.plot()",
)


table(
    "confusions",
    "assessor reference:any label:any n:float fraction:fraction [ci_low:float ci_high:float]",
    "confusion of labels",
    recognized_by="reference label n fraction",
    row="assessor, label of the reference and label",
    sort="assessor reference label",
    then=".report(), .plot()",
    means={
        "assessor": "the assessor, under the caller's column name",
        "reference": "label of the reference: another assessor, judgments, or the true label of a model",
        "label": "label of the assessor",
        "n": "number of items with both labels; the expected number under a model",
        "fraction": "n divided by the number of items with this label of the reference; missing if there are none",
        "ci_low": "lower limit of the bootstrap interval of the fraction",
        "ci_high": "upper limit",
    },
)


@verb(on="labels", returns="agreement_of_assessors")
def agreement(
    labels: Table,
    coefficients: str | Sequence[str] | None = None,
    *,
    order: Sequence[object] | None = None,
    by: str | Sequence[str] | None = None,
    draws: int = 0,
    resample: Literal["query", "item"] | None = None,
    confidence: float = 0.95,
    seed: int | None = 0,
) -> pd.DataFrame:
    """Compute the agreement of assessors beyond chance, by several coefficients.

    An item is a (query, doc), or a doc if the table has no queries. Rows without a label are ignored. Only items with
    at least two labels count.

    Parameters
    ----------
    coefficients : str or list of str, optional
        Any of "observed" (fraction of agreeing pairs of labels, mean over items), "scott" (chance from pooled label
        frequencies; for more than two assessors over all pairs of labels of an item), "cohen" (mean over the pairs of
        assessors for which it is defined: Light's kappa), "fleiss" (statsmodels; items with the most common number of
        labels), "alpha_nominal", "alpha_ordinal", "alpha_interval" (Krippendorff), "cohen_linear", "cohen_quadratic"
        (weighted: labels near each other disagree less). By default all that apply: the last four
        need ordered labels.
    order : list, optional
        Labels from lowest to highest; by default the order of numbers or of an ordered categorical. Labels that are
        not numbers have the values 0, 1, 2, ... on the interval scale.
    by : str or list of str, optional
        Column(s) to group by, such as the task.
    draws : int
        Number of bootstrap samples for the interval of each value; 0 for no interval.
    resample : {'query', 'item'}, optional
        Unit that is drawn with replacement: queries, because items of a query are dependent, or items. By default
        queries, if the table has them.
    confidence : float
        ... Percentile intervals, widened for few queries (Hesterberg 2015). Bootstrap samples in which a coefficient is
        undefined are left out.

    Notes
    -----
    For the two ordered alphas and the weighted kappas, agreement is 1 minus the disagreement divided by the largest
    possible disagreement. For Cohen's kappas, observed and expected agreement are means over pairs of assessors.

    Examples
    --------
    >>> labels = pd.DataFrame({"doc_id": [1, 1, 2, 2, 3, 3, 4, 4], "assessor": ["ann", "bob"] * 4,
    ...                        "label": [1, 1, 0, 0, 1, 0, 0, 0]})
    >>> labels.ireval.agreement(["scott", "cohen", "alpha_nominal"]).round(3)
         coefficient  items  assessors  labels  observed  expected  value
    0          scott      4          2       8      0.75     0.531  0.467
    1          cohen      4          2       8      0.75     0.500  0.500
    2  alpha_nominal      4          2       8      0.75     0.464  0.533
    """
    groups = [] if by is None else named(by)
    absent = [name for name in groups if name not in labels.frame.columns]
    if absent:
        columns = ", ".join(map(str, labels.frame.columns))
        raise KeyError(f"no column {absent[0]!r} to split the labels by; the table has {columns}.")
    codes, _, ordered = coded(labels, order=order, by=groups)
    chosen = _chosen(coefficients, ordered)
    parts: list[tuple[dict[Any, Any], Labels]] = [({}, codes)]
    if groups:
        keys = given(labels)[groups]
        group = keys.groupby(groups, observed=True, sort=True).ngroup().to_numpy()
        first_rows = np.unique(group, return_index=True)[1]  # a handful of tasks
        parts = [
            (keys.iloc[row].to_dict(), codes.take(np.flatnonzero(group == group[row])))
            for row in first_rows
        ]
    names, attrs = [*groups, *AGREEMENT.required], role_columns(labels)
    rows = [{**ids, **_row(one, part)} for ids, part in parts for one in chosen]
    if draws or resample:
        unit, what = units_of(labels, codes, resample)
    if draws:
        names += ["ci_low", "ci_high"]
        attrs |= {"draws": draws, "confidence": confidence, "seed": seed, "resample": what}
        ends = [
            end
            for _, part in parts
            for end in _intervals(chosen, part, unit, what, draws, confidence, seed)
        ]
        rows = [row | end for row, end in zip(rows, ends, strict=True)]
    return described_frame(pd.DataFrame(rows, columns=names), attrs)


def _chosen(coefficients: str | Sequence[str] | None, ordered: bool) -> list[Coefficient]:
    """Return the coefficients by name; by default all that the labels allow."""
    if coefficients is None:
        return [one for one in COEFFICIENTS.values() if ordered or not one.scaled]
    names = [coefficients] if isinstance(coefficients, str) else list(coefficients)
    chosen = [COEFFICIENTS[one_of("coefficients", name, COEFFICIENTS)] for name in names]
    needing_order = [one.name for one in chosen if one.scaled]
    if needing_order and not ordered:
        raise ValueError(
            f"{needing_order[0]} requires ordered labels. Pass order=[lowest, ..., highest]."
        )
    return chosen


def _row(one: Coefficient, codes: Labels) -> dict[str, object]:
    """Return the columns of one coefficient."""
    part = one.counted(codes)
    return {
        "coefficient": one.name,
        "items": len(np.unique(part.item)),
        "assessors": len(np.unique(part.assessor)),
        "labels": len(part.item),
        **dict(zip(("observed", "expected", "value"), one.function(part), strict=True)),
    }


def _intervals(
    chosen: list[Coefficient],
    part: Labels,
    unit: np.ndarray,
    what: str,
    draws: int,
    confidence: float,
    seed: int | None,
) -> list[dict[str, object]]:
    """Return the bootstrap interval of each coefficient, all from the same samples."""
    units, new_unit = np.unique(unit[part.item], return_inverse=True)
    several_items = what == "query" and len(np.unique(part.item)) > 1
    check_units(len(units), what, " Resample items: resample='item'." if several_items else "")
    # units that the part has, numbered from 0, by item
    unit_of_item = np.zeros(int(part.item.max()) + 1, dtype=unit.dtype)
    unit_of_item[part.item] = new_unit
    ends = [
        interval(resampled(one, part, unit_of_item, draws, seed), confidence, len(units))
        for one in chosen
    ]
    return [{"ci_low": float(low), "ci_high": float(high)} for low, high in ends]


@verb(on="labels", returns="agreement_by_query", family="agreement", name="by_query")
def agreement_by_query(
    labels: Table,
    coefficients: str | Sequence[str] | None = None,
    *,
    order: Sequence[object] | None = None,
) -> pd.DataFrame:
    """Compute the agreement of assessors on each query.

    Parameters
    ----------
    coefficients : str or list of str, optional
        Coefficients; see `agreement`. A value is missing if no item of the query has two labels, or if all labels are
        equal.
    order : list, optional
        Labels from lowest to highest; by default the order of numbers or of an ordered categorical.

    Examples
    --------
    >>> labels = pd.DataFrame({"query_id": list("1111222222"), "doc_id": list("aabbccddee"),
    ...                        "assessor": ["ann", "bob"] * 5, "label": [1, 1, 0, 0, 1, 0, 0, 0, 1, 1]})
    >>> labels.ireval.agreement.by_query(["observed", "cohen"]).round(3)
      query_id  items  assessors  labels  observed  cohen
    0        1      2          2       4     1.000    1.0
    1        2      3          2       6     0.667    0.4
    """
    codes, assessors, ordered = coded(labels, order=order)
    chosen = _chosen(coefficients, ordered)
    # items with one label count for no query
    query_of_item, _ = units_of(labels, codes, "query")
    part = codes.paired()
    ids = column_codes(given(labels)[labels.roles["query"]], "query")[1]
    query = query_of_item[part.item]
    # each assessor of a query once
    assessor_of_query = np.unique(query * max(len(assessors), 1) + part.assessor) // max(
        len(assessors), 1
    )
    counted = {
        "items": query_of_item[np.unique(part.item)],
        "assessors": assessor_of_query,
        "labels": query,
    }
    columns = {
        labels.roles["query"]: repeated(ids, np.arange(len(ids))),
        **{name: np.bincount(queries, minlength=len(ids)) for name, queries in counted.items()},
        **{one.name: of_each_unit(one, codes, query_of_item)[2] for one in chosen},
    }
    return described_frame(columns, role_columns(labels))


@verb(
    on="labels",
    returns=("assessor_pairs", "matrix"),
    family="agreement",
    name="pairs",
)
def agreement_of_pairs(
    labels: Table, matrix: Literal["observed", "scott", "cohen"] | None = None
) -> pd.DataFrame:
    """Return the agreement of every two assessors who labeled an item in common.

    A kappa is missing if both assessors used the same label for all items.

    Parameters
    ----------
    matrix : {'observed', 'scott', 'cohen'}, optional
        Coefficient to return as a square frame, assessors in rows and columns; by default a table of all three.

    Examples
    --------
    >>> labels = pd.DataFrame({"doc_id": [1, 1, 2, 2, 3, 3, 4, 4], "assessor": ["ann", "bob"] * 4,
    ...                        "label": [1, 1, 0, 0, 1, 0, 0, 0]})
    >>> labels.ireval.agreement.pairs().round(3)
      assessor_a assessor_b  items  observed  scott  cohen
    0        ann        bob      4      0.75  0.467    0.5
    """
    codes, assessors, _ = coded(labels)
    two, name = pairs(codes), labels.roles["assessor"]
    values = {one: corrected(two["observed"], two[chance]) for one, chance in PAIRWISE.items()}
    if matrix is None:
        ids = {f"{name}_{side}": repeated(assessors, two[side]) for side in "ab"}
        return described_frame({**ids, "items": two["items"], **values}, role_columns(labels))
    square = np.full((len(assessors), len(assessors)), np.nan)
    # each pair from both sides
    square[two["a"], two["b"]] = square[two["b"], two["a"]] = values[matrix]
    np.fill_diagonal(square, 1.0)
    frame = pd.DataFrame(square, index=assessors.rename(name), columns=assessors.rename(name))
    frame.attrs.update(role_columns(labels))
    return frame


@verb(on="labels", returns="confusions", family="agreement", name="confusion")
def confusion(
    labels: Table,
    reference: object,
    *,
    order: Sequence[object] | None = None,
    draws: int = 0,
    resample: Literal["query", "item"] | None = None,
    confidence: float = 0.95,
    seed: int | None = 0,
) -> pd.DataFrame:
    """Return what each assessor says of the items to which a reference gives each label: counts and shares.

    Parameters
    ----------
    reference : assessor, list of assessors, or DataFrame
        Labels to compare with: those of an assessor of the table; of several assessors, each label of an item counting
        once; or judgments (query, doc, grade).
    order : list, optional
        Labels from lowest to highest; by default the order of numbers or of an ordered categorical.
    draws : int
        Number of bootstrap samples for the interval of each fraction; 0 for no interval.
    resample : {'query', 'item'}, optional
        Unit that is drawn with replacement; by default queries, if the table has them.

    Examples
    --------
    >>> labels = pd.DataFrame({"doc_id": list("aabbccdd"), "assessor": ["people", "llm"] * 4,
    ...                        "label": [1, 1, 0, 1, 1, 1, 0, 0]})
    >>> labels.ireval.agreement.confusion("people")
      assessor  reference  label  n  fraction
    0      llm          0      0  1       0.5
    1      llm          0      1  1       0.5
    2      llm          1      0  0       0.0
    3      llm          1      1  2       1.0
    """
    both, names = with_reference(labels, reference)
    codes, assessors, _ = coded(both, order=order)
    values = codes.names
    if len(values) > MOST:
        low, *_, high = values.tolist()
        raise ValueError(
            f"there are {len(values):,} different labels, e.g. {low!r} and {high!r}; a confusion has at "
            f"most {MOST}. Round them to grades first."
        )
    # which assessors are the reference, by code
    is_reference = np.isin(np.arange(len(assessors)), assessors.get_indexer(pd.Index(names)))
    one, two = _matched(codes, is_reference)
    if not len(one):
        raise ValueError(
            f"none of the {len(np.unique(codes.item)):,} items has a label of {' or '.join(map(repr, names[:3]))} and "
            "one of another assessor. Use the same item ids on both sides."
        )
    number = len(values)
    others = assessors[~is_reference]
    place = np.cumsum(~is_reference) - 1  # of an assessor among the others
    # (assessor, label of the reference, label) as one number
    cell = (place[codes.assessor[two]] * number + codes.label[one]) * number + codes.label[two]
    shape = (len(others), number, number)
    tables = np.bincount(cell, minlength=len(others) * number**2).reshape(shape)
    attrs = {**role_columns(labels), "reference": ", ".join(map(str, names))}
    frame = of_tables(tables, labels.roles["assessor"], others, values, attrs)
    if draws:
        unit, what = units_of(both, codes, resample)
        unit_of_pair = np.unique(unit[codes.item[one]], return_inverse=True)[1]
        check_units(int(unit_of_pair.max()) + 1, what)
        frame["ci_low"], frame["ci_high"] = interval(
            _resampled_shares(unit_of_pair, cell, shape, draws, seed),
            confidence,
            int(unit_of_pair.max()) + 1,
        )
        frame.attrs.update(draws=draws, confidence=confidence, seed=seed, resample=what)
    return frame


def _resampled_shares(
    unit: np.ndarray, cell: np.ndarray, shape: tuple[int, int, int], draws: int, seed: int | None
) -> np.ndarray:
    """Return the shares of bootstrap samples of the units, one row each."""
    units, size = int(unit.max()) + 1, int(np.prod(shape))
    sums = sparse(unit, cell, (units, size))
    tables = [
        np.asarray((sums.T @ times.astype(np.float64).T).T).reshape(-1, *shape)
        for times in resamples(units, draws, seed, size)
    ]
    fractions = [share(table, table.sum(axis=-1, keepdims=True), np.nan) for table in tables]
    return np.concatenate(fractions).reshape(draws, -1)


def of_tables(
    tables: np.ndarray, name: str, assessors: pd.Index, values: pd.Index, attrs: dict[str, Any]
) -> pd.DataFrame:
    """Return tables of counts (assessor, label of the reference, label) as a tidy frame with the fractions of rows."""
    who, first, second = (axis.ravel() for axis in np.indices(tables.shape))
    columns: dict[str, Any] = {
        name: repeated(assessors, who),
        "reference": repeated(values, first),
        "label": repeated(values, second),
        "n": tables.ravel(),
        "fraction": share(tables, tables.sum(axis=-1, keepdims=True), np.nan).ravel(),
    }
    return described_frame(columns, attrs)


def with_reference(labels: Table, reference: object) -> tuple[Table, list[object]]:
    """Return the labels together with those of the reference, and the names of the assessors of the reference.

    Examples
    --------
    >>> frame = pd.DataFrame({"doc_id": ["a"], "assessor": ["llm"], "label": [1]})
    >>> with_reference(read(frame, "labels"), "people")
    Traceback (most recent call last):
    KeyError: "no assessor 'people' among the labels; there are 'llm'."
    """
    if isinstance(reference, pd.DataFrame) or hasattr(reference, "_binding"):
        return _with_judgments(labels, read(reference, "qrels"))
    names = [reference] if isinstance(reference, str | tuple) else several("reference", reference)
    known = given(labels)[labels.roles["assessor"]].unique().tolist()
    absent = [name for name in names if isinstance(name, np.ndarray) or name not in known]
    if absent:
        examples = ", ".join(map(repr, known[:3])) + (
            f", ... ({len(known)} in all)" if len(known) > 3 else ""
        )
        raise KeyError(f"no assessor {absent[0]!r} among the labels; there are {examples}.")
    if set(known) <= set(names):
        raise ValueError(
            f"reference={shown(reference)} contains every assessor of the table, so no assessor is left to compare "
            "with it."
        )
    return labels, names


def _with_judgments(labels: Table, qrels: Table) -> tuple[Table, list[object]]:
    """Return the labels with judgments among them, as those of an assessor of their own."""
    query_column(labels)
    if (labels.column("assessor") == REFERENCE).any():
        raise ValueError(
            f"an assessor has the id {REFERENCE!r}, which is reserved for the judgments. Rename the assessor."
        )
    items, assessor, label = item_columns(labels), labels.roles["assessor"], labels.roles["label"]
    judged = qrels.frame[[qrels.roles[role] for role in ("query", "doc", "grade")]].set_axis(
        [*items, label], axis=1
    )
    for name in items:
        if pd.api.types.is_numeric_dtype(judged[name].dtype) != pd.api.types.is_numeric_dtype(
            labels.frame[name].dtype
        ):
            raise ValueError(
                f"{name!r} is {labels.frame[name].dtype} in the labels and {judged[name].dtype} in the "
                "judgments. Convert both with .astype(str)."
            )
    parts = [
        part[[*items, assessor, label]].astype(object)
        for part in (labels.frame, judged.assign(**{assessor: REFERENCE}))
    ]
    return Table("labels", pd.concat(parts, ignore_index=True).infer_objects(), labels.roles), [
        REFERENCE
    ]


def _matched(codes: Labels, is_reference: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return every label of the reference with every other label of the same item, as row numbers."""
    theirs, others = (
        np.flatnonzero(mask[codes.assessor]) for mask in (is_reference, ~is_reference)
    )
    # sorted by item: the labels of an item are adjacent
    theirs = theirs[np.argsort(codes.item[theirs], kind="stable")]
    # start and end of the reference labels for the item of each other label
    low, high = (
        np.searchsorted(codes.item[theirs], codes.item[others], side=side)
        for side in ("left", "right")
    )
    often = high - low
    return theirs[ranges(low, often)], np.repeat(others, often)
