"""Tables of items and of the history of users, for measures of item properties.

    items      one row per item: its id, and columns of numbers; or several rows per item, one for each of its genres
    history    one row per interaction of a user (query) with an item

Features of items are texts (`genre`; several in a cell, separated by `|`, or a list), numbers in several columns
(`emb_0`, `emb_1`, ...), or vectors. `items.ireval(doc="movie", feature=["genre", "studio"])` binds other columns.
"""

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from pdeval.tables.dataframes import as_table, check_unique, not_a_table
from pdeval.tables.reader import checked_binding, numbers
from pdeval.tables.vocabularies import (
    ITEM,
    candidates,
    item_roles,
    known_text,
    likely,
    listed,
    names_of,
    only_column,
)

FEATURES = (
    *("feature", "features", "genre", "genres", "category", "categories"),
    *("tag", "tags", "topic", "topics", "embedding", "vector"),
)
SEPARATOR = "|"  # of several genres in a cell, as in MovieLens


@dataclass(frozen=True, eq=False)
class ItemTable:
    """Items and their columns.

    Parameters
    ----------
    frame : DataFrame
        The first row of each item.
    doc : str
        The column of item ids.
    rows : DataFrame
        All rows.
    binding : dict
        The binding of the caller.
    """

    frame: pd.DataFrame
    doc: str
    rows: pd.DataFrame
    binding: dict[str, Any]

    @property
    def ids(self) -> pd.Series:
        """The ids of the items, one each."""
        return self.frame[self.doc]

    def column(self, name: str) -> np.ndarray | None:
        """Return a column of numbers, one per item; None if there is no such column."""
        name = str(self.binding.get(name, name))
        if name not in self.frame.columns or name == self.doc:
            return None
        repeated = len(self.rows) > len(self.frame)
        if repeated and len(self.rows[[self.doc, name]].drop_duplicates()) > len(self.frame):
            raise ValueError(
                f"the items table has several values of {name!r} for the same item. Keep one value per item."
            )
        if isinstance(first := next(iter(self.frame[name].dropna()), None), str):
            raise ValueError(
                f"a measure needs numbers, but column {name!r} of the items has strings, e.g. {first!r}. Convert them "
                "to numbers, or use them as features: items.ireval(feature=...)."
            )
        return numbers(self.frame[name], f"items' {name}")

    def features(self) -> tuple[np.ndarray, list[str]]:
        """Return the features of the items, of shape (items, features), and their names."""
        columns = self._feature_columns()
        item_of_row = pd.Index(self.ids).get_indexer(self.rows[self.doc])
        parts = [self._of_column(column, item_of_row) for column in columns]
        names = [name for _, part in parts for name in part]
        if not names:
            raise ValueError(
                f"no item has a feature: {listed(columns)} of the items table is empty. Fill it, or bind another "
                "column with items.ireval(feature=...)."
            )
        return np.concatenate([values for values, _ in parts], axis=1), names

    def _feature_columns(self) -> list[str]:
        if (bound := self.binding.get("feature")) is not None:
            return [bound] if isinstance(bound, str) else list(bound)
        known = [name for name in FEATURES if name in self.rows.columns and name != self.doc]
        if len(known) > 1:
            raise ValueError(
                f"two columns could be the features of the items: {known[0]!r} and {known[1]!r}. Specify one or both: "
                f"items.ireval(feature={known[:2]!r})."
            )
        # numbered columns of one stem: emb_0, emb_1, ...
        numbered: dict[str, list[str]] = {}
        for name in map(str, self.rows.columns):
            match = re.fullmatch(r"(.*?)[_-]?\d+", name)
            if match and pd.api.types.is_numeric_dtype(self.rows[name].dtype):
                numbered.setdefault(match[1], []).append(name)
        if not known and len(numbered) == 1:
            known = next(iter(numbered.values()))
            known = known if len(known) > 1 else []
        if not known:
            raise ValueError(
                f"the items table has no features: known names are {', '.join(FEATURES)}, or numbered columns (emb_0, "
                f"emb_1, ...); it has {listed(self.rows.columns)}. Bind them with items.ireval(feature=[...])."
            )
        return known

    def _of_column(self, name: str, item_of_row: np.ndarray) -> tuple[np.ndarray, list[str]]:
        column = self.rows[name]
        first: Any = next(iter(column.dropna()), None)
        is_list = isinstance(first, (list, tuple, np.ndarray))
        if is_list and not isinstance(next(iter(first), None), str):
            lengths = {len(vector) for vector in column}
            if len(lengths) > 1:
                raise ValueError(
                    f"the vectors in column {name!r} have different lengths, e.g. {sorted(lengths)[:3]}."
                )
            stacked = np.stack(
                [np.asarray(vector, dtype=np.float64) for vector in self.frame[name]]
            )
            return stacked, [f"{name}_{number}" for number in range(stacked.shape[1])]
        if not is_list and pd.api.types.is_bool_dtype(column.dtype):
            return self.frame[name].to_numpy(dtype=np.float64)[:, None], [name]
        if pd.api.types.is_numeric_dtype(column.dtype) and not pd.api.types.is_bool_dtype(
            column.dtype
        ):
            return numbers(self.frame[name], f"items' {name}")[:, None], [name]
        # one row per item and word, indexed by item
        words = pd.Series(column.astype(object).to_numpy(), index=item_of_row)
        if not is_list:
            words = words.dropna().astype(str).str.split(SEPARATOR, regex=False)
        words = words.explode()
        words = words[words.notna() & (words != "")]
        code, names = pd.factorize(words.to_numpy(dtype=object), sort=True)
        values = np.zeros((len(self.frame), len(names)))
        values[words.index.to_numpy(dtype=np.intp), code] = 1.0
        return values, [str(one) for one in names]


@dataclass(frozen=True, eq=False)
class HistoryTable:
    """Earlier interactions: the user and the item of each."""

    user: pd.Series
    item: pd.Series


def read_items(table: object) -> ItemTable:
    """Return the table of items; raise if it is not valid.

    Examples
    --------
    >>> items = pd.DataFrame({"item_id": ["a", "b"], "genre": ["drama|crime", "drama"], "year": [1999, 2001]})
    >>> table = read_items(items)
    >>> table.features()
    (array([[1., 1.],
           [0., 1.]]), ['crime', 'drama'])
    >>> table.column("year").tolist()
    [1999.0, 2001.0]
    """
    frame, binding = _unbound(table, "items")
    docs = [binding["doc"]] if "doc" in binding else candidates("doc", frame.columns)
    name = only_column("doc", docs, "items")
    if name is None:
        near = next(iter(map(repr, likely("doc", frame.columns))), "...")
        raise ValueError(
            f"the items table has {known_text('doc')}; it has {listed(frame.columns)}. Bind it with "
            f"items.ireval(doc={near})."
        )
    if not len(frame):
        raise ValueError("the items table is empty. Pass all items that can be recommended.")
    if missing := int(frame[name].isna().sum()):
        raise ValueError(
            f"column {name!r} of the items has {missing:,} missing ids. Drop or fill those rows."
        )
    return ItemTable(frame.drop_duplicates(name).reset_index(drop=True), name, frame, binding)


def read_history(table: object) -> HistoryTable:
    """Return the earlier interactions of users; raise if the table is not valid.

    Examples
    --------
    >>> read_history(pd.DataFrame({"user_id": ["u"], "item_id": ["a"], "rating": [4]})).item.tolist()
    ['a']
    """
    frame, binding = _unbound(table, "history")

    def missing(roles: list[str]) -> str:
        return (
            f"the history has {' and '.join(map(known_text, roles))}; it has {listed(frame.columns)}. Bind them with "
            f"history.ireval({', '.join(f'{role}=...' for role in roles)})."
        )

    roles = item_roles(frame.columns, "history", binding, missing)
    if not len(frame):
        raise ValueError(
            "the history is empty. Pass at least one interaction, or omit the argument."
        )
    return HistoryTable(frame[roles["query"]], frame[roles["doc"]])


def _unbound(table: object, what: str) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Return the frame of a table, and the binding of the caller."""
    frame = getattr(table, "_frame", table)
    frame = frame if isinstance(frame, pd.DataFrame) else as_table(frame)
    if not isinstance(frame, pd.DataFrame):
        raise TypeError(not_a_table(frame, f"a pandas DataFrame as {what}="))
    check_unique(frame.columns, f"the {what} table")
    if inside := [name for role in ITEM for name in frame.index.names if name in names_of(role)]:
        raise ValueError(
            f"{inside[0]} is in the index of the {what} table. Call .reset_index() first."
        )
    return frame, checked_binding(frame, getattr(table, "_binding", None) or {})
