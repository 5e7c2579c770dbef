"""Several collections in one run table: each is evaluated with its own judgments, metadata and machine labels.

A column that `by=` names and that runs and judgments both have identifies the collection.
"""

from __future__ import annotations

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
from pdeval.tables.vocabularies import names_of
from pdeval.verbs import Verb

JUDGMENTS = ("qrels", "labels")


@dataclass(frozen=True)
class Collections:
    """The run table of several collections, and their judgments.

    Parameters
    ----------
    accessor : Ireval
        The accessor of the run table.
    names : list of str
        The columns that identify a collection, in the runs and in the judgments.
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
        """Return the collections of a call, or None where runs and judgments are of one."""
        by = shared.get("by", options.get("by"))
        if accessor._kind != "runs" or not isinstance(by, str | list | tuple):
            return None
        if "by" not in shared and "runs" in verb.on:
            return None
        judgments = {name: options[name] for name in JUDGMENTS if options.get(name) is not None}
        known = (
            [] if "by" in shared else getattr(accessor._frame, "attrs", {}).get("collections", ())
        )
        names = [
            name
            for name in dict.fromkeys([*known, *groups.named(by)])
            if name in accessor._frame.columns
        ]
        names = [
            name
            for name in names
            if any(name in frame_of(value).columns for value in judgments.values())
        ]
        if not names:
            return None
        if (machine := shared.get("machine")) is not None:
            _check_machine(names, machine)
            judgments["machine"] = machine
        return cls(accessor, names, judgments)

    def call(self, verb: Verb, options: dict[str, Any], shared: dict[str, Any]) -> Any:
        """Return the results of a verb for each collection; a verb about all groups together gets all of them."""
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
        divided = {name: _divided(value, self.names) for name, value in self.judgments.items()}
        further = [name for name in shared["by"] if name not in labels.columns]
        rest = {name: value for name, value in shared.items() if name not in ("by", "metadata")}

        def result(key: tuple[Any, ...], frame: pd.DataFrame) -> pd.DataFrame:
            options_of_verb = {
                **options,
                **rest,
                **{name: part.of(key, name) for name, part in divided.items()},
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
        """Return the labels of the collections with what metadata say of them, their ids and frames, other metadata.

        Metadata about collections have the columns that identify them, and none of the other columns of the runs.
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
        """Return the join of each collection, divided further by what `by` names, for a verb about all groups."""
        check_one_family(options.get("measures"))
        by = groups.named(options["by"])
        by = [*(name for name in self.names if name not in by), *by]
        labels, keys, frames, metadata = self._grouped(
            by, groups.tables_of(options.get("metadata"))
        )
        divided = {name: _divided(value, self.names) for name, value in self.judgments.items()}
        further = [name for name in by if name not in labels.columns]

        def joined(
            at: int, key: tuple[Any, ...], frame: pd.DataFrame
        ) -> tuple[pd.DataFrame, list[Any]]:
            accessor = type(self.accessor)(frame, self.accessor._binding)
            source = accessor._source(verb, {**options, "qrels": divided["qrels"].of(key, "qrels")})
            if "machine" in divided:
                source = Join(WithMachine.of(source.data, divided["machine"].of(key, "machine")))
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


def _check_machine(names: list[str], machine: object) -> None:
    """Raise where the machine's judgments do not name their collection."""
    missing = [name for name in names if name not in frame_of(machine).columns]
    if missing:
        raise ValueError(
            f"people's judgments are of several collections, and the machine's have no column {missing[0]!r} to tell "
            "which are of which: add it to them."
        )


@dataclass(frozen=True)
class _Divided:
    """Judgments by collection: `keys` are the columns that they have, none for judgments that serve all collections."""

    names: list[str]
    keys: list[str]
    parts: dict[tuple[Any, ...], Any]

    def of(self, key: tuple[Any, ...], argument: str) -> Any:
        """Return the judgments of a collection, or raise where there are none."""
        known_values = tuple(value for name, value in zip(self.names, key) if name in self.keys)
        if known_values not in self.parts:
            where = ", ".join(f"{name}={value!r}" for name, value in zip(self.keys, known_values))
            whose = "judgments by the machine" if argument == "machine" else "judgments"
            raise ValueError(
                f"there are runs but no {whose} of {where}; the judgments have {_examples(self.parts)}."
            )
        return self.parts[known_values]


def _divided(value: Any, names: list[str]) -> _Divided:
    """Return judgments divided into collections."""
    frame = frame_of(value)
    keys = [name for name in names if name in frame.columns]
    if not keys:
        return _Divided(names, [], {(): value})
    labels, parts = rows_by(frame, keys)
    binding = getattr(value, "_binding", None)
    kept = {
        tuple(row): _without_subtopics(part) for part, (_, row) in zip(parts, labels.iterrows())
    }
    return _Divided(
        names,
        keys,
        {k: type(value)(part, binding) if binding else part for k, part in kept.items()},
    )


def _without_subtopics(part: pd.DataFrame) -> pd.DataFrame:
    """Return judgments without the column of subtopics that only other collections have."""
    empty = [
        name for name in names_of("subtopic") if name in part.columns and part[name].isna().all()
    ]
    return part.drop(columns=empty) if empty else part


def _rows_of(metadata: pd.DataFrame, names: list[str], key: tuple[Any, ...]) -> pd.DataFrame:
    """Return the rows of metadata that are about one collection."""
    for name, value in zip(names, key):
        if name in metadata.columns:
            metadata = metadata[metadata[name] == value].drop(columns=name)
    return metadata


def _examples(keys: Any) -> str:
    examples = [" / ".join(map(str, key)) for key in keys]
    return ", ".join(map(repr, examples[:3])) + (
        f", ... ({len(examples)} in all)" if len(examples) > 3 else ""
    )


def check_shared_ids(runs: object, qrels: object) -> None:
    """Raise where a query id is one of several collections: lists and judgments of other queries would be joined.

    A column of judgments or runs that is called `collection`, `dataset`, ... tells them apart. Where every id is of one
    collection, all may be joined at once.

    Examples
    --------
    >>> qrels = pd.DataFrame({"collection": ["x", "y"], "query_id": "1", "doc_id": ["a", "b"], "relevance": 1})
    >>> check_shared_ids(None, qrels)
    Traceback (most recent call last):
    ValueError: 1 of 1 query ids are in several collections, e.g. '1' in 'x' and 'y': they are different queries. The
    column collection tells collections apart: by='collection', with the same column in the runs, works within each, and
    .verdict(by='collection') over all.
    """
    if not _checked(qrels, "qrels", "runs"):
        _checked(runs, "runs", "judgments")


def _checked(table: object, kind: str, other: str) -> bool:
    """Return whether a table has a column that tells collections apart; raise where their queries share ids."""
    frame: Any = table.frame if isinstance(table, reader.Table) else getattr(table, "_frame", table)
    columns = [name for name in COLLECTIONS if name in getattr(frame, "columns", ())]
    if not columns:
        return False
    if isinstance(frame, pd.DataFrame) and all(
        (frame[name] == frame[name].iloc[:1].squeeze()).all() for name in columns
    ):
        return True  # all of one collection
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
            raise ValueError(
                f"{len(ids):,} of {pairs[query].nunique():,} query ids are in several {_plural(name)}, e.g. {ids[0]!r} "
                f"in {examples}: they are different queries. "
                + several_collections(name, beside=f", with the same column in the {other},")
            )
    return bool(columns)


def _pairs(frame: Any, names: list[str]) -> pd.DataFrame:
    """Return the different pairs of two columns; rows of a query stand together, so that few are looked at."""
    if not isinstance(frame, pd.DataFrame):
        return frame[names].drop_duplicates().compute()
    first = stretches([frame[name] for name in names])
    return frame[names].iloc[first].drop_duplicates().astype(object)


def _plural(name: str) -> str:
    return {"corpus": "corpora"}.get(name, f"{name.replace('_', ' ')}s")
