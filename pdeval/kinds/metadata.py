"""Metadata: what runs or queries are, one row each, found by their ids."""

from __future__ import annotations

import numpy as np
import pandas as pd


def matched_rows(frame: pd.DataFrame, metadata: pd.DataFrame, keys: list[str]) -> np.ndarray:
    """Return the row of metadata that each row of a table needs, or say what is wrong.

    Examples
    --------
    >>> metadata = pd.DataFrame({"run": ["a", "b"], "family": ["old", "new"]})
    >>> matched_rows(pd.DataFrame({"run": ["b", "b", "a"]}), metadata, ["run"]).tolist()
    [1, 1, 0]
    """
    known, wanted = (_index(side[keys]) for side in (metadata, frame))
    what = f"({', '.join(keys)})" if len(keys) > 1 else keys[0]
    twice = known[known.duplicated()].unique()
    if len(twice):
        differ = metadata.drop_duplicates().duplicated(keys).any()
        advice = f"keep one row per {what}" if differ else "they are the same: .drop_duplicates()"
        raise ValueError(f"the metadata have {_some(twice, what)} more than once; {advice}.")
    row = known.get_indexer(wanted)
    lost = wanted[row < 0].unique()
    if len(lost):
        kinds = list(dict.fromkeys(type(side[0]).__name__ for side in (wanted, known) if len(side)))
        hint = f" Their ids are {kinds[1]}, those of the table {kinds[0]}: make them alike." if len(kinds) > 1 else ""
        raise ValueError(f"the metadata have no row for {_some(lost, what)}; add what is missing.{hint}")
    return row


def _index(columns: pd.DataFrame) -> pd.Index:
    """Return the rows of some columns as an index; categories compare as what they stand for."""
    plain = columns.astype(object)
    return pd.Index(plain.iloc[:, 0]) if plain.shape[1] == 1 else pd.MultiIndex.from_frame(plain)


def _some(values: pd.Index, what: str) -> str:
    shown = ", ".join(repr(value) for value in values[:3].tolist())
    return f"{len(values):,} values of {what}, e.g. {shown}" if len(values) > 1 else f"{what} {shown}"
