"""Run tables of several collections: each is evaluated with its own judgments, metadata and machine labels.

A column of `by=` that runs and judgments both have identifies the collection.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from pdeval.evaluate import groups
from pdeval.evaluate.grouped import Grouped, check_one_family
from pdeval.evaluate.groups import Join, frame_of, rows_by, stretches
from pdeval.evaluate.ppi import WithMachine
from pdeval.tables import reader
from pdeval.tables.metadata import matched_rows
from pdeval.tables.recognition import COLLECTIONS, several_collections
from pdeval.tables.vocabularies import listed, names_of
from pdeval.verbs import Verb


def judgments_among(options: dict[str, Any]) -> dict[str, Any]:
    """Return the options that are judgments, without missing ones."""
    return {name: options[name] for name in ("qrels", "labels") if options.get(name) is not None}


@dataclass(frozen=True)
class Collections:
    """The run table of several collections, and their judgments.

    Parameters
    ----------
    accessor : Ireval
        Accessor of the run table.
    names : list of str
        Columns that identify collections, in the runs and in the judgments.
    judgments : dict
        Judgments by the name of the argument: qrels, labels, machine.
    """

    accessor: Any
    names: list[str]
    judgments: dict[str, Any]

    @classmethod
    def of(
        cls, accessor: Any, verb: Verb, options: dict[str, Any], shared: dict[str, Any]
    ) -> Collections | None:
        """Return the collections of a call, or None if there is only one."""
        by = shared.get("by", options.get("by"))
        if accessor._kind != "runs" or not isinstance(by, str | list | tuple):
            return None
        if "by" not in shared and "runs" in verb.on:
            return None
        judgments = judgments_among(options)
        known = (
            [] if "by" in shared else getattr(accessor._frame, "attrs", {}).get("collections", ())
        )
        columns = {name for value in judgments.values() for name in frame_of(value).columns}
        names = [
            name
            for name in dict.fromkeys([*known, *groups.named(by)])
            if name in accessor._frame.columns and name in columns
        ]
        if not names:
            return None
        if "machine" in shared:
            judgments["machine"] = shared["machine"]
            missing = [name for name in names if name not in frame_of(shared["machine"]).columns]
            if missing:
                raise ValueError(
                    f"the human judgments have several collections, but the machine judgments have no column "
                    f"{missing[0]!r} that identifies them. Add the column."
                )
        return cls(accessor, names, judgments)

    def call(self, verb: Verb, options: dict[str, Any], shared: dict[str, Any]) -> Any:
        """Return the results of a verb for each collection; a verb of all groups receives all collections."""
        if "by" not in shared:
            options_of_verb = {
                name: value
                for name, value in options.items()
                if name in {one.name for one in verb.parameters}
            }
            return verb.function(self.grouped(verb, options), **options_of_verb)
        labels, keys, frames, metadata = self._grouped(
            shared["by"], groups.tables_of(shared.get("metadata"))
        )
        divided = {
            name: _divided(value, self.names, name) for name, value in self.judgments.items()
        }
        further = [name for name in shared["by"] if name not in labels.columns]
        rest = {name: value for name, value in shared.items() if name not in ("by", "metadata")}

        def result(key: tuple[Any, ...], frame: pd.DataFrame) -> pd.DataFrame:
            options_of_verb = {
                **options,
                **rest,
                **{name: part(key) for name, part in divided.items()},
            }
            if further or "metadata" in options:
                options_of_verb["metadata"] = [
                    _rows_of(one, self.names, key) for one in metadata
                ] or None
            if further:
                options_of_verb["by"] = further
            accessor = type(self.accessor)(frame, self.accessor._binding)
            return accessor._computed(accessor._call(verb, options_of_verb))

        frame = groups.apply_to_groups(lambda part: result(*part), zip(keys, frames), labels)
        frame.attrs["collections"] = self.names
        return frame

    def _grouped(
        self, by: list[str], metadata: list[pd.DataFrame]
    ) -> tuple[pd.DataFrame, list[Any], Any, list[Any]]:
        """Return the labels of the collections with their metadata, their ids and frames, and other metadata.

        Metadata of collections have the columns that identify collections, and no other column of the runs.
        """
        ids, frames = self.accessor._rows_by(self.names)
        keys, labels, left = [tuple(row) for _, row in ids.iterrows()], ids, []
        for one in metadata:
            new = [name for name in by if name in one.columns and name not in self.names]
            others = {*map(str, one.columns)} & {*map(str, self.accessor._frame.columns)} - {
                *self.names,
                *new,
            }
            known = [name for name in self.names if name in one.columns]
            if not new or not known or others:
                left.append(one)
                continue
            row = matched_rows(ids, one, known)
            labels = labels.assign(**{name: one[name].array.take(row) for name in new})
        if len(left) == len(metadata):
            return labels, keys, frames, left
        labels = labels[[name for name in by if name in labels.columns]]
        order = np.argsort(
            groups.groups_of(list(labels.columns), labels, pd.DataFrame(index=[0])).codes,
            kind="stable",
        )
        frames = list(frames)
        return (
            labels.iloc[order].reset_index(drop=True),
            [keys[i] for i in order],
            [frames[i] for i in order],
            left,
        )

    def grouped(self, verb: Verb, options: dict[str, Any]) -> Grouped:
        """Return the join of each collection, divided by the other columns of `by`, for a verb of all groups."""
        check_one_family(options.get("measures"))
        by = groups.named(options["by"])
        by = [*(name for name in self.names if name not in by), *by]
        labels, keys, frames, metadata = self._grouped(
            by, groups.tables_of(options.get("metadata"))
        )
        divided = {
            name: _divided(value, self.names, name) for name, value in self.judgments.items()
        }
        further = [name for name in by if name not in labels.columns]

        def joined(
            at: int, key: tuple[Any, ...], frame: pd.DataFrame
        ) -> tuple[pd.DataFrame, list[Any]]:
            accessor = type(self.accessor)(frame, self.accessor._binding)
            source = accessor._source(verb, {**options, "qrels": divided["qrels"](key)})
            if "machine" in divided:
                source = Join(WithMachine.of(source.data, divided["machine"](key)))
            if not further:
                return labels.iloc[[at]], [source.data]
            within, _, parts = source.groups(
                further, [_rows_of(one, self.names, key) for one in metadata]
            )
            label = labels.iloc[[at] * len(within)].reset_index(drop=True)
            return pd.concat([label, within], axis=1), [part.data for part in parts]

        joins = groups.of_groups(
            lambda part: joined(*part), zip(range(len(keys)), keys, frames), labels
        )
        rows = pd.concat([label for _, (label, _) in joins], ignore_index=True)
        return Grouped(rows, [part for _, (_, parts) in joins for part in parts], self.names)


def _divided(value: Any, names: list[str], argument: str) -> Callable[[tuple[Any, ...]], Any]:
    """Return a function of the collection that returns its judgments; those without its columns are for all."""
    frame = frame_of(value)
    keys = [name for name in names if name in frame.columns]
    judgments: dict[tuple[Any, ...], Any] = {(): value}
    if keys:
        labels, parts = rows_by(frame, keys)
        binding = getattr(value, "_binding", None)
        kept = {
            tuple(row): _without_subtopics(part) for part, (_, row) in zip(parts, labels.iterrows())
        }
        judgments = {k: type(value)(part, binding) if binding else part for k, part in kept.items()}

    def of(key: tuple[Any, ...]) -> Any:
        known_values = tuple(part for name, part in zip(names, key) if name in keys)
        if known_values not in judgments:
            where = ", ".join(f"{name}={part!r}" for name, part in zip(keys, known_values))
            whose = "machine judgments" if argument == "machine" else "judgments"
            present = listed((repr(" / ".join(map(str, one))) for one in judgments), most=3)
            raise ValueError(
                f"there are runs but no {whose} of {where}. The judgments have {present}."
            )
        return judgments[known_values]

    return of


def _without_subtopics(part: pd.DataFrame) -> pd.DataFrame:
    """Return judgments without the column of subtopics if it is empty."""
    empty = [
        name for name in names_of("subtopic") if name in part.columns and part[name].isna().all()
    ]
    return part.drop(columns=empty) if empty else part


def _rows_of(metadata: pd.DataFrame, names: list[str], key: tuple[Any, ...]) -> pd.DataFrame:
    """Return the rows of metadata of one collection."""
    for name, value in zip(names, key):
        if name in metadata.columns:
            metadata = metadata[metadata[name] == value].drop(columns=name)
    return metadata


def check_shared_ids(runs: object, qrels: object) -> None:
    """Raise if several collections have the same query id, because different queries would be joined.

    A column `collection`, `dataset`, ... of the judgments or runs identifies collections. If all ids are unique, the
    collections can be joined at once.

    Examples
    --------
    >>> qrels = pd.DataFrame({"collection": ["x", "y"], "query_id": "1", "doc_id": ["a", "b"], "relevance": 1})
    >>> check_shared_ids(None, qrels)
    Traceback (most recent call last):
    ValueError: 1 of 1 query ids are in several collections, e.g. '1' in 'x' and 'y': they are different queries. Column
    'collection' identifies collections: use by='collection', with the same column in the runs, for each, or
    .meta_analysis(by='collection') for all.
    """
    if not _checked(qrels, "qrels", "runs"):
        _checked(runs, "runs", "judgments")


def _checked(table: object, kind: str, other: str) -> bool:
    """Return whether a table has a column of collections; raise if their queries share ids."""
    frame: Any = table.frame if isinstance(table, reader.Table) else getattr(table, "_frame", table)
    columns = [name for name in COLLECTIONS if name in getattr(frame, "columns", ())]
    if not columns:
        return False
    if isinstance(frame, pd.DataFrame) and all(
        (frame[name] == frame[name].iloc[:1].squeeze()).all() for name in columns
    ):
        return True  # only one collection
    empty = frame.iloc[:0] if isinstance(frame, pd.DataFrame) else frame._meta  # of Dask
    table_read = reader.read(empty, kind, getattr(table, "_binding", None))
    query = table_read.roles.get("query")
    columns = [
        name
        for name in columns
        if name not in (*table_read.roles.values(), *table_read.run_columns)
    ]
    if query is None:
        return bool(columns)
    for name in columns:
        pairs = _pairs(frame, [query, name])
        again = pairs[query].duplicated(keep=False)
        if again.any():
            ids = pairs[query][again].unique()
            examples = " and ".join(
                repr(one) for one in pairs.loc[pairs[query] == ids[0], name].tolist()[:2]
            )
            several = {"corpus": "corpora"}.get(name, f"{name.replace('_', ' ')}s")
            raise ValueError(
                f"{len(ids):,} of {pairs[query].nunique():,} query ids are in several {several}, e.g. {ids[0]!r} "
                f"in {examples}: they are different queries. "
                + several_collections(name, beside=f", with the same column in the {other},")
            )
    return bool(columns)


def _pairs(frame: Any, names: list[str]) -> pd.DataFrame:
    """Return the distinct pairs of two columns; rows of a query are adjacent, so few rows are compared."""
    if not isinstance(frame, pd.DataFrame):
        return frame[names].drop_duplicates().compute()
    first = stretches([frame[name] for name in names])
    return frame[names].iloc[first].drop_duplicates().astype(object)
