"""Label tables as codes: assessor, item and label of each row.

Rows without a label are ignored. Agreement is computed over items with at least two labels.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, Self

import numpy as np
import pandas as pd

from pdeval.evaluate import coded as column_codes
from pdeval.tables import Table


class Labels(NamedTuple):
    """A label table as codes, one entry per label."""

    item: np.ndarray
    assessor: np.ndarray
    label: np.ndarray
    values: np.ndarray  # values of the different labels on the interval scale
    names: pd.Index = pd.Index([])  # the different labels, in the order of their codes

    def take(self, rows: np.ndarray) -> Self:
        """Return the labels of these rows."""
        return self._replace(
            item=self.item[rows], assessor=self.assessor[rows], label=self.label[rows]
        )

    def paired(self) -> Self:
        """Return the labels of items that have at least two."""
        return (
            self.take(np.flatnonzero(np.bincount(self.item)[self.item] >= 2))
            if len(self.item)
            else self
        )

    def even(self) -> Self:
        """Return the labels of items that have the most common number of labels, at least two."""
        part = self.paired()
        if not len(part.item):
            return part
        size = np.bincount(part.item)
        return part.take(np.flatnonzero(size[part.item] == np.bincount(size[size > 0]).argmax()))

    def counts(self) -> Any:
        """Return the sparse table items x labels of how often each label was given."""
        items, item = np.unique(self.item, return_inverse=True)
        return sparse(item, self.label, (len(items), len(self.values)))


def sparse(
    rows: np.ndarray, columns: np.ndarray, shape: tuple[int, int], values: np.ndarray | None = None
) -> Any:
    """Return a sparse matrix with the sums of the values, by default the counts, of each row and column."""
    from scipy.sparse import csr_matrix

    return csr_matrix((np.ones(len(rows)) if values is None else values, (rows, columns)), shape)


def query_column(labels: Table) -> str:
    """Return the name of the query column of a label table, or raise if it has none."""
    if "query" not in labels:
        columns = ", ".join(map(str, labels.frame.columns))
        raise ValueError(
            f"the label table has no query column among {columns}. Bind it: labels.ireval(query=...)."
        )
    return labels.roles["query"]


def given(labels: Table) -> pd.DataFrame:
    """Return the rows of a label table that have a label."""
    return labels.frame[labels.column("label").notna()]


def item_columns(labels: Table) -> list[str]:
    """Return the columns that name an item: query and doc, or the doc alone.

    Examples
    --------
    >>> from pdeval.tables.reader import read
    >>> item_columns(read(pd.DataFrame(columns=["qid", "docno", "assessor", "label"]), "labels"))
    ['qid', 'docno']
    """
    return [labels.roles[role] for role in ("query", "doc") if role in labels]


def role_columns(labels: Table) -> dict[str, Any]:
    """Return which column plays which role, for `attrs`."""
    return {f"{role}_column": str(name) for role, name in labels.roles.items()}


def units_of(
    labels: Table, codes: Labels, what: Literal["query", "item"] | None = None
) -> tuple[np.ndarray, str]:
    """Return the code of the query of each item, or of the item itself, and the name of this unit.

    Parameters
    ----------
    what : {'query', 'item'}, optional
        By default the query, if the table has one.

    Examples
    --------
    >>> from pdeval.tables.reader import read
    >>> table = read(pd.DataFrame({"qid": [7, 7, 9], "docno": [1, 2, 1], "assessor": "ann", "label": 1}), "labels")
    >>> units_of(table, coded(table)[0])
    (array([0, 0, 1]), 'query')
    """
    items = int(codes.item.max(initial=-1)) + 1
    if what == "item" or (what is None and "query" not in labels):
        return np.arange(items), "item"
    query_of_item = np.zeros(items, dtype=np.int64)
    query_of_item[codes.item] = column_codes(given(labels)[query_column(labels)], "query")[0]
    return query_of_item, "query"


def coded(
    labels: Table,
    *,
    order: Sequence[object] | None = None,
    by: Sequence[str] = (),
    repeats: bool = False,
) -> tuple[Labels, pd.Index, bool]:
    """Return a label table as codes, the assessors, and whether labels are ordered; an error names every fault.

    Parameters
    ----------
    order : sequence, optional
        Labels from lowest to highest.
    by : sequence of str
        Columns to group by: the same item may be labeled again in another group.
    repeats : bool
        Whether an assessor may have labeled an item more than once.

    Examples
    --------
    >>> from pdeval.tables.reader import read
    >>> frame = pd.DataFrame({"item": [7, 7], "assessor": ["bob", "ann"], "label": ["yes", "no"]})
    >>> result, assessors, ordered = coded(read(frame, "labels"))
    >>> result.label.tolist(), assessors.tolist(), ordered
    ([1, 0], ['ann', 'bob'], False)
    """
    frame = given(labels)
    assessor = labels.roles["assessor"]
    items = [*by, *item_columns(labels)]
    keys = [*items, assessor]
    faults = [
        f"{count:,} rows without a value in {name!r}"
        for name, count in frame[list(dict.fromkeys(keys))].isna().sum().items()
        if count
    ]
    twice = frame.duplicated(keys)
    if twice.any() and not repeats:
        example = next(frame.loc[twice, keys].itertuples(index=False, name=None))
        faults.append(
            f"{int(twice.sum()):,} repeated labels of one item by one assessor, e.g. {example}; if several assessors "
            "have one name, bind a column that distinguishes them, df.ireval(assessor=...); otherwise keep one of each "
            f"with .drop_duplicates({keys})"
        )
    column = frame[labels.roles["label"]]
    unknown = (
        []
        if order is None
        else [value for value in column.unique().tolist() if value not in list(order)]
    )
    is_complex = pd.api.types.is_complex_dtype(column.dtype)
    faults += [f"labels that are missing from order=, e.g. {unknown[:3]}"] if unknown else []
    faults += ["complex labels, which have no order"] if is_complex else []
    if faults:
        raise ValueError("the label table cannot be read: " + "; ".join(faults) + ".")
    if order is not None:
        column = column.astype(object).astype(pd.CategoricalDtype(list(order), ordered=True))
    codes, uniques = pd.factorize(column, sort=True)
    names = scale = pd.Index(uniques)
    if isinstance(names, pd.CategoricalIndex):
        scale = names.categories
        names = pd.Index(names.astype(scale.dtype))
    ordered = pd.api.types.is_numeric_dtype(column.dtype) or bool(
        getattr(column.dtype, "ordered", False)
    )
    # unused categories keep their places on the scale
    numeric = pd.api.types.is_numeric_dtype(scale.dtype)
    values = np.asarray(names if numeric else scale.get_indexer(names), dtype=np.float64)
    who, assessors = pd.factorize(frame[assessor], sort=True)
    # items are numbered in the order of their ids
    item = frame.groupby(items, observed=True, sort=True).ngroup().to_numpy()
    return Labels(item, who, codes, values, names), pd.Index(assessors), ordered


def items_of(labels: Table, codes: Labels) -> pd.DataFrame:
    """Return the items in the order of their codes: query and doc, or the doc alone."""
    first = np.unique(codes.item, return_index=True)[1]
    return given(labels)[item_columns(labels)].iloc[first].reset_index(drop=True)


def grades_of(column: pd.Series, grades: Mapping[object, float] | None) -> np.ndarray:
    """Return the grade of each label; raise if a label has none."""
    if grades is None:
        if not pd.api.types.is_numeric_dtype(column.dtype):
            raise ValueError(
                f"the labels are not numbers, e.g. {column.iloc[0]!r}. Specify the grade of each: "
                f"grades={{{column.iloc[0]!r}: 1, ...}}."
            )
        return column.to_numpy()
    if unknown := [value for value in column.unique() if value not in grades]:
        raise ValueError(
            f"grades= has no grade for {len(unknown)} of the labels, e.g. {unknown[:3]}."
        )
    return column.astype(object).map(dict(grades)).to_numpy(dtype=type(next(iter(grades.values()))))
