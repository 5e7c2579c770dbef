"""Metadata of runs, queries or collections: one row each, matched by their ids."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from pdeval.tables import reader
from pdeval.tables.vocabularies import listed


def matched_rows(frame: pd.DataFrame, metadata: pd.DataFrame, keys: list[str]) -> np.ndarray:
    """Return the row of metadata of each row of a table; raise if one is missing or duplicate.

    Examples
    --------
    >>> metadata = pd.DataFrame({"run": ["a", "b"], "family": ["old", "new"]})
    >>> matched_rows(pd.DataFrame({"run": ["b", "b", "a"]}), metadata, ["run"]).tolist()
    [1, 1, 0]
    """
    sides = [metadata[keys], frame[keys]]
    if not sides[0].dtypes.equals(sides[1].dtypes) or len(keys) > 1:
        sides = [side.astype(object) for side in sides]
    known, wanted = (
        pd.Index(side[keys[0]]) if len(keys) == 1 else pd.MultiIndex.from_frame(side)
        for side in sides
    )
    what = f"({', '.join(keys)})" if len(keys) > 1 else keys[0]
    if not known.is_unique:
        repeated = known[known.duplicated()].unique()
        differ = metadata.drop_duplicates().duplicated(keys).any()
        advice = f"Keep one row per {what}" if differ else "Use .drop_duplicates()"
        raise ValueError(f"the metadata have {_examples(repeated, what)} more than once. {advice}.")
    row = known.get_indexer(wanted)
    if (row < 0).any():
        absent = wanted[row < 0].unique()
        kinds = list(dict.fromkeys(type(side[0]).__name__ for side in (wanted, known) if len(side)))
        hint = (
            f" Their ids are {kinds[1]}, those of the table are {kinds[0]}: convert one of them."
            if len(kinds) > 1
            else ""
        )
        raise ValueError(
            f"the metadata have no row for {_examples(absent, what)}. Add the missing rows.{hint}"
        )
    return row


def with_metadata(
    frame: pd.DataFrame,
    binding: Any,
    kind: str,
    by: Sequence[str],
    metadata: Sequence[pd.DataFrame],
) -> pd.DataFrame:
    """Return a table with the columns of metadata in `by`.

    Metadata describe the runs, queries, users or collections of the table. Without the ids of runs, queries or users,
    the columns of `by` in both tables identify collections.

    Examples
    --------
    >>> scores = pd.DataFrame({"site": ["x", "y"], "run": "a", "query_id": "1", "measure": "AP", "value": [0.1, 0.2]})
    >>> about = pd.DataFrame({"site": ["y", "x"], "language": ["fr", "en"]})
    >>> with_metadata(scores, {"run": "run"}, "scores", ["language", "site"], [about])["language"].tolist()
    ['en', 'fr']
    """
    attrs = frame.attrs
    for about in metadata:
        names = [name for name in by if name in about.columns]
        if not names:
            continue
        table = reader.read(first_group(frame, by), kind, binding)
        collections = [name for name in attrs.get("collections", ()) if name in frame.columns]
        ids = [
            *table.run_columns,
            *(table.roles[role] for role in ("query", "user") if role in table),
        ]
        shared = [name for name in about.columns if name in frame.columns]
        keys = [name for name in ids if name in shared and name not in names]
        # query ids are unique within collections; metadata of collections have no other ids
        keys += [
            name
            for name in dict.fromkeys([*collections, *([] if keys else names)])
            if name in shared
        ]
        if not keys:
            raise ValueError(
                f"the metadata have no id column of queries or runs: their columns are {listed(about.columns)}; "
                f"expected one of {listed(ids)}."
            )
        row = matched_rows(frame, about, keys)
        frame = frame.assign(
            **{name: about[name].array.take(row) for name in names if name not in keys}
        )
        frame.attrs = dict(attrs)
    return frame


def runs_within(frame: pd.DataFrame, binding: Any, kind: str, by: object) -> dict[str, Any]:
    """Return the binding of a table with the id columns of its runs, as determined within one group of `by`.

    Collections may share ids, so (run, query, measure) is unique only within a collection.

    Examples
    --------
    >>> scores = pd.DataFrame({"site": ["x", "y"], "run": "a", "query_id": "1", "measure": "AP", "value": [0.1, 0.2]})
    >>> runs_within(scores, {}, "scores", "site")
    {'run': ['run']}
    """
    names = [by] if isinstance(by, str) else list(by) if isinstance(by, list | tuple) else []
    if (
        "run" in binding
        or frame.attrs.get("run_columns")
        or kind not in ("scores", "preferences")
        or not any(name in frame.columns for name in names)
    ):
        return dict(binding)
    runs = reader.read(first_group(frame, names), kind, binding).run_columns
    return {**binding, **({"run": list(runs)} if runs else {})}


def first_group(frame: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """Return the rows of the first group by the columns that a table has."""
    names = [name for name in by if name in frame.columns]
    if not names or not len(frame):
        return frame
    same = [
        (frame[name] == frame[name].iloc[0]).astype("boolean").fillna(False).to_numpy(dtype=bool)
        for name in names
    ]
    part = frame[np.logical_and.reduce(same)]
    part.attrs = dict(frame.attrs)
    return part


def _examples(values: pd.Index, what: str) -> str:
    names = ", ".join(repr(value) for value in values[:3].tolist())
    return (
        f"{len(values):,} values of {what}, e.g. {names}" if len(values) > 1 else f"{what} {names}"
    )


def places(known: Sequence[pd.Series], wanted: Sequence[pd.Series]) -> np.ndarray:
    """Return, for every wanted row, the row of `known` with the same key, or -1.

    Parameters
    ----------
    known, wanted : sequences of Series
        The key columns of the two tables, pairwise. The known keys are all different.

    Examples
    --------
    >>> known = pd.DataFrame({"q": pd.Categorical(["a", "a", "b"]), "d": [1, 2, 1]})
    >>> wanted = pd.DataFrame({"q": ["b", "c", "a"], "d": [1, 1, 2]})
    >>> places([known.q, known.d], [wanted.q, wanted.d]).tolist()
    [2, -1, 1]
    """
    n_known = len(known[0])
    # one number per key of both tables, the known ones first
    code = np.zeros(n_known + len(wanted[0]), dtype=np.int64)
    present = np.ones(len(wanted[0]), dtype=bool)
    for left, right in zip(known, wanted, strict=True):
        left_code, left_values = pd.factorize(left)
        right_code, right_values = pd.factorize(right)
        _same_kind(pd.Index(left_values), pd.Index(right_values), left.name)
        place = (
            pd.Index(left_values).astype(object).get_indexer(pd.Index(right_values).astype(object))
        )
        matched = np.where(right_code >= 0, np.append(place, -1)[right_code], -1)
        present &= matched >= 0
        # numbered anew after each column, so that the product cannot overflow
        code = code * (len(left_values) + 1) + np.concatenate([left_code, matched]) + 1
        code = pd.factorize(code)[0].astype(np.int64)
    row = np.full(int(code.max(initial=-1)) + 1, -1, dtype=np.int64)
    row[code[:n_known]] = np.arange(n_known)
    return np.where(present, row[code[n_known:]], -1)


def numeric(column: pd.Series | pd.Index) -> bool:
    """Return whether the values of a column, or its categories, are numbers.

    Examples
    --------
    >>> numeric(pd.Series(pd.Categorical([3]))), numeric(pd.Series(["3"]))
    (True, False)
    """
    values = column.dtype.categories if isinstance(column.dtype, pd.CategoricalDtype) else column
    if pd.api.types.is_object_dtype(values.dtype):
        return pd.api.types.infer_dtype(values, skipna=True) in (
            "integer",
            "floating",
            "mixed-integer-float",
        )
    return bool(pd.api.types.is_numeric_dtype(values.dtype))


def _same_kind(left: pd.Index, right: pd.Index, name: object) -> None:
    if len(left) and len(right) and numeric(left) != numeric(right):
        kinds = ["numbers" if numeric(side) else "text" for side in (left, right)]
        raise ValueError(
            f"column {name!r} has {kinds[0]} in one table and {kinds[1]} in the other, so no rows match. "
            "Convert one of them with .astype(str)."
        )
