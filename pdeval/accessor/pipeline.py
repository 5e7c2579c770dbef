"""The call of a verb, the same for every accessor.

    options  ->  collections  ->  source  ->  groups  ->  replicates  ->  verb  ->  one table

The accessor creates the source (`_source`): the join of its runs with judgments, or its table. Each of several
collections is evaluated with its own judgments, metadata and machine labels.
"""

import inspect
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import pandas as pd

from pdeval.accessor.describe import displayed
from pdeval.catalog import parse_all
from pdeval.evaluate import (
    NO_MACHINE,
    Grouped,
    Join,
    Rows,
    WithMachine,
    check_one_family,
    coded,
    frame_of,
    groups,
    named_by_metadata,
    rows_by,
    stretches,
    warn_about_seeds,
)
from pdeval.join import Judged
from pdeval.tables import (
    COLLECTIONS,
    PAIRED,
    SCHEMAS,
    Schema,
    gathered_table,
    kind_of,
    listed,
    matched_rows,
    names_of,
    reader,
    several_collections,
)
from pdeval.verbs import Verb, track

LARGE = 20_000  # rows of a collection; with more, new ids take longer than a join of its own
SHARED = {
    "by": str | Sequence[str] | None,
    "metadata": pd.DataFrame | Sequence[pd.DataFrame] | None,
    "replicate": str | Sequence[str] | None,
    "machine": "object",
}


def call(accessor: Any, verb: Verb, options: dict[str, Any]) -> Any:
    """Return the result of a verb."""
    options = {name: gathered_table(value) for name, value in options.items()}
    check_group_names(verb, options, getattr(accessor, "_kind", None) or "")
    # by, metadata, replicate, machine, without omitted ones
    shared = shared_options(verb, options)
    if collections := Collections.of(accessor, verb, options, shared):
        return described(verb, collections.call(verb, options, shared))
    if "by" not in shared:
        check_one_collection(accessor, verb)
    source = accessor._source(verb, options)
    if "machine" in shared:
        source = Join(WithMachine.of(source.data, shared["machine"]))
    replicate = shared.get("replicate")
    if replicate is None:
        warn_about_replicates(verb, options, source)
    if "by" not in shared:
        if "metadata" in shared:
            source = with_replicates(source, replicate or options["replicate"], shared["metadata"])
        data = data_of(source, verb, replicate)
        result = described(verb, verb.function(data, **options))
        return displayed(verb, result, data, options)
    bar = options.get("progress")
    if any(parameter.name == "progress" for parameter in verb.parameters):
        options["progress"] = False  # one bar for all groups
    if verb.per_list:
        source = Rows(verb.function(source.data, **options), verb.returns[0])
    batched = None
    if verb.takes == "scores":
        batched = groups.Batches(verb, options, bool(verb.per_measure and not replicate))
    labels, done, parts = source.groups(shared["by"], shared["metadata"], batched)
    parts = track(parts, total=len(labels), desc=verb.name, progress=bar)

    def of_part(part: Join | Rows) -> pd.DataFrame:
        if verb.per_list:
            return frame_of(part.data)
        return verb.function(data_of(part, verb, replicate), **{**options, **part.options})

    return described(verb, groups.apply_to_groups(of_part, parts, labels, done))


def data_of(source: Join | Rows, verb: Verb, replicate: object) -> Any:
    """Return the first argument of the function of a verb: a join, a table or a frame, averaged over replicates."""
    if replicate is not None:
        return source.averaged(groups.option_columns(replicate, "replicate"))
    if isinstance(source, Rows):
        if source.has_machine and not verb.machine:
            raise ValueError(f"{verb.name}() {NO_MACHINE}.")
        if verb.takes == "frame":
            return source.described
    return source.data


def with_replicates(source: Join | Rows, replicate: object, metadata: Any) -> Join | Rows:
    """Return a source whose runs have the id columns of the metadata, if one of these distinguishes replicates."""
    names = groups.option_columns(replicate, "replicate")
    data = named_by_metadata(source.data, names, groups.tables_of(metadata))
    return Join(data) if isinstance(source, Join) else Rows.of_table(data, source.judgments)


def described(verb: Verb, result: Any) -> Any:
    """Return a result with the name of its table in `attrs`."""
    if isinstance(result, pd.DataFrame) and verb.returns:
        result.attrs.pop("table", None)
        if (name := kind_of(result, among=verb.returns)) is not None:
            _check_runs(verb, SCHEMAS[name], result)
            result.attrs["table"] = name
    return result


def _check_runs(verb: Verb, schema: Schema, result: pd.DataFrame) -> None:
    """Raise if an id column of runs has the name of another column of the result."""
    ends = [name.removeprefix("run") for name in ("run", *PAIRED) if name in schema.named]
    for name in result.attrs.get("run_columns", ()):
        lost = [
            name + end
            for end in ends
            if name + end in schema.required and name + end not in ("run", *PAIRED)
        ]
        if lost:
            raise ValueError(
                f"the runs have the id column {name!r}, but the {schema.description} of {verb.name}() has "
                f"another column of that name ({lost[0]}). "
                f"Rename it first: df.rename(columns={{{name!r}: 'run_{name}'}})."
            )


def check_group_names(verb: Verb, options: dict[str, Any], kind: str) -> None:
    """Raise if a column of `by` has the name of a column of the result.

    Roles of the table itself are checked with its columns.
    """
    if not isinstance(by := options.get("by"), str | list | tuple):
        return
    checked = (
        kind in SCHEMAS
        and kind != "runs"
        and verb.returns
        and (verb.takes == "scores" or "by" in options_of(verb))
    )
    roles = SCHEMAS[kind].named if checked else ()
    for table in verb.returns or (verb.on if verb.takes == "scores" else ()):
        columns = SCHEMAS[table].own if table in SCHEMAS else ()
        for name in [by] if isinstance(by, str) else by:
            if name in columns and name not in roles:
                about = groups.tables_of(options.get("metadata"))
                raise groups.replaced(
                    name, SCHEMAS[table], f"{verb.name}()", any(name in one for one in about)
                )


def options_of(verb: Verb) -> dict[str, inspect.Parameter]:
    """Return the options that the pipeline handles for a verb: by, metadata, replicate, machine.

    Examples
    --------
    >>> from pdeval.verbs import VERBS
    >>> list(options_of(VERBS["judged"]["compare"])), list(options_of(VERBS["judged"]["curve"]))
    (['by', 'metadata', 'replicate', 'machine'], ['by', 'metadata'])
    """
    own = {parameter.name for parameter in verb.parameters}
    names = []
    if verb.returns and verb.grouped and not all(SCHEMAS[name].square for name in verb.returns):
        names = (
            ["by", "metadata"] if "by" not in own else ["metadata"] if "judged" in verb.on else []
        )
        names += ["replicate"] if verb.takes == "scores" and "measures" in own else []
    names += ["machine"] if verb.machine and "judged" in verb.on else []
    return {
        name: inspect.Parameter(
            name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=SHARED[name]
        )
        for name in names
        if name not in own
    }


def shared_options(verb: Verb, options: dict[str, Any]) -> dict[str, Any]:
    """Return by, metadata, replicate and machine, removed from the options of a verb, without omitted ones."""
    shared = {name: options.pop(name, None) for name in options_of(verb)}
    shared = {name: value for name, value in shared.items() if value is not None}
    if "by" in shared:
        shared["by"] = groups.option_columns(shared["by"])
        fine = any(parameter.name == "per" for parameter in verb.parameters)
        if fine and shared["by"] in (["query"], ["run"]):
            raise ValueError(
                f"by= groups by columns of the tables or metadata. For one result per {shared['by'][0]}, use "
                f"per={shared['by'][0]!r}."
            )
        shared.setdefault("metadata", options.get("metadata"))
    elif "metadata" in shared and all(
        one is None
        for one in (options.get("by"), shared.get("replicate"), options.get("replicate"))
    ):
        raise ValueError(
            "metadata= needs by= or replicate=. Specify the columns to group by, or the column that distinguishes "
            "replicates."
        )
    if "metadata" in shared:
        groups.tables_of(shared["metadata"])
    return shared


def warn_about_replicates(verb: Verb, options: dict[str, Any], source: Join | Rows) -> None:
    """Warn if a verb treats runs as independent systems that differ only in a seed."""
    draws = next(
        (parameter.default for parameter in verb.parameters if parameter.name == "draws"), 1
    )
    if verb.independent and options.get("replicate") is None and options.get("draws", draws):
        warn_about_seeds(source.runs)


def check_one_collection(accessor: Any, verb: Verb) -> None:
    """Raise if a table of several collections is used as one."""
    frame: Any = getattr(accessor, "_frame", None)  # a join has none, and one collection
    known = getattr(frame, "attrs", {}).get("collections", ())
    names = [name for name in known if name in frame.columns]
    if any(frame[name].nunique() > 1 for name in names) and "by" in options_of(verb):
        by = repr(names[0]) if len(names) == 1 else repr(names)
        raise ValueError(
            f"this table has several collections ({listed(names)}) with different queries. Use {verb.name}(by={by}) "
            f"for each collection, or .meta_analysis(by={by}) for all."
        )


def judgments_among(options: dict[str, Any]) -> dict[str, Any]:
    """Return the options that are judgments, without missing ones."""
    return {name: options[name] for name in ("qrels", "labels") if options.get(name) is not None}


@dataclass(frozen=True, eq=False)
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
    ) -> Self | None:
        """Return the collections of a call, or None if there is only one."""
        by = shared.get("by", options.get("by"))
        every_group = "by" not in shared and "runs" in verb.on
        if accessor._kind != "runs" or every_group or not isinstance(by, str | list | tuple):
            return None
        judgments = judgments_among(options)
        known = (
            [] if "by" in shared else getattr(accessor._frame, "attrs", {}).get("collections", ())
        )
        columns = {name for value in judgments.values() for name in frame_of(value).columns}
        names = [
            name
            for name in dict.fromkeys([*known, *groups.option_columns(by)])
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
        if (joined := self._joined_at_once(verb, options, shared)) is not None:
            return joined
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
            accessor = self.accessor._with(frame)
            return accessor._computed(accessor._call(verb, options_of_verb))

        frame = groups.apply_to_groups(lambda part: result(*part), zip(keys, frames), labels)
        frame.attrs["collections"] = self.names
        return frame

    def _joined_at_once(
        self, verb: Verb, options: dict[str, Any], shared: dict[str, Any]
    ) -> pd.DataFrame | None:
        """Return the results of all collections from one join, in which every query has an id of its own.

        None if collections differ in their runs, and if anything warns or raises, as verbs do that use more than the
        ranks of judged items: each collection is then joined separately.
        """
        # the team of a run may differ between collections
        of_join = "judged" in verb.on and options.get("team") is None
        simple = of_join and [*self.judgments] == ["qrels"] and shared["by"] == self.names
        if not simple or [*shared] != ["by", "metadata"] or shared["metadata"] is not None:
            return None
        options = dict(options)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                judged, divided, ids = self._one_join(verb, options)
        except Exception:  # noqa: BLE001 - raised again for the collection, with its name
            return None
        n_ids = len(ids)
        batched = groups.Batches(verb, options) if verb.per_measure else None
        done = [] if batched is None else batched.of_join(judged, divided)

        def of_collection(part: Judged) -> pd.DataFrame:
            names = ids.take(part.queries.to_numpy() % n_ids).rename(part.queries.name)
            part = replace(part, positions=replace(part.positions, queries=names), warned=set())
            return verb.function(part, **options)

        masks = divided.masks(leave={group for codes, _, _ in done for group in codes})
        parts = groups.parts_of_join(judged, masks)
        frame = groups.apply_to_groups(of_collection, parts, divided.labels, done)
        frame.attrs["collections"] = self.names
        return frame

    def _one_join(
        self, verb: Verb, options: dict[str, Any]
    ) -> tuple[Judged, groups.Groups, pd.Index]:
        """Return the join of all collections, its groups, and the query ids; query i of collection c is c * n + i."""
        default = next((one.default for one in verb.parameters if one.name == "measures"), ())
        measures = options.get("measures", default)
        families = {one.entry.family for one in (parse_all(measures) if measures else ())}
        if families - {"metric", "preference"} or {"items", "history"} & {*options}:
            raise ValueError("values of lists, or of items that belong to a query")
        value, binding = options["qrels"], getattr(options["qrels"], "_binding", None)
        both = {"runs": self.accessor._frame, "qrels": frame_of(value)}
        if len(both["runs"]) > LARGE * len(stretches([both["runs"][name] for name in self.names])):
            raise ValueError("large collections")
        divided = groups.groups_of(self.names, both["runs"][self.names])
        collection = {
            "runs": divided.codes,
            "qrels": matched_rows(both["qrels"], divided.labels, self.names),
        }
        tables = {
            kind: reader.read(frame.drop(columns=self.names), kind, bound)
            for (kind, frame), bound in zip(both.items(), (self.accessor._binding, binding))
        }
        if "subtopic" in tables["qrels"]:
            raise ValueError("only some collections may have subtopics")
        code, ids = coded(
            pd.concat([table.column("query") for table in tables.values()], ignore_index=True),
            "query",
        )
        codes = dict(zip(both, np.split(code, [len(both["runs"])])))

        def joined(rows: dict[str, Any], queries: bool, options: dict[str, Any]) -> Judged:
            frames = [
                table.frame.assign(
                    **(
                        {table.roles["query"]: collection[kind] * len(ids) + codes[kind]}
                        if queries
                        else {}
                    )
                )[rows[kind]]
                for kind, table in tables.items()
            ]
            options["qrels"] = type(value)(frames[1], binding) if binding else frames[1]
            source = self.accessor._with(frames[0])._source(verb, options)
            warn_about_replicates(verb, options, source)
            return source.data

        first = joined({kind: collection[kind] == 0 for kind in both}, False, dict(options))
        judged = joined(dict.fromkeys(both, slice(None)), True, options)
        judged.warn_of_missing_queries()
        of_query, query = np.divmod(judged.queries.to_numpy(), len(ids))
        ids = ids.astype(first.queries.dtype).rename(first.queries.name)
        begin = np.searchsorted(of_query, np.arange(len(divided.labels)))
        # a run without a list in a collection is none of its runs
        lists = np.add.reduceat(judged.positions.retrieved, begin)
        same = [
            judged.runs.equals(first.runs),
            ids.take(query[of_query == 0]).equals(first.queries),
            bool(lists.all() and np.array_equal(np.unique(of_query), np.arange(len(begin)))),
            bool((np.diff(judged.queries.to_numpy()) > 0).all()),
            judged.positions.rules == first.positions.rules and judged.level == first.level,
        ]
        compat = judged.positions.rules.get("compat"), options.get("compat")
        if not all(same) or "pref_eval" in compat:
            raise ValueError("collections differ in their runs or rules")
        one_class = np.zeros(len(judged.runs), dtype=np.intp)
        number = np.arange(len(begin))
        return judged, groups.Groups(divided.labels, number, 0 * number, of_query, one_class), ids

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
        by = groups.option_columns(options["by"])
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
            accessor = self.accessor._with(frame)
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
