"""Reading of tables: the column of each role.

Roles: run, query, doc, score, rank; grade, subtopic, assessor. A table has the column names of a vocabulary (pdeval,
PyTerrier, ranx, TREC, recommenders) or an unambiguous mixture of them, or the caller binds roles:
`df.ireval(query="topic_no", run=["model", "seed"])`.
"""

from collections.abc import Callable, Collection, Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from pdeval.tables.dataframes import as_table, not_a_table
from pdeval.tables.recognition import bound_or_hinted, column_names, implicit, kind_of, runs_of
from pdeval.tables.schemas import KINDS, PAIRED, SCHEMAS, Schema
from pdeval.tables.vocabularies import (
    GRADES,
    ROLES,
    Binding,
    bound_call,
    candidates,
    direction_text,
    item_roles,
    known_text,
    listed,
    names_of,
    only_column,
    run_words,
)
from pdeval.verbs import LARGE, did_you_mean, short_repr


@dataclass(frozen=True, eq=False)
class Table:
    """A frame with its roles bound to columns.

    Examples
    --------
    >>> import pdeval
    >>> table = read(pdeval.datasets.sample_runs(), "runs")
    >>> table.roles["query"], table.run_columns
    ('query_id', ('run',))
    """

    kind: str
    frame: pd.DataFrame
    roles: Mapping[str, str]
    run_columns: tuple[str, ...] = ()
    higher: Mapping[str, bool] | bool | None = None
    implicit: bool = False

    def column(self, role: str) -> pd.Series:
        """Return the column of a role."""
        return self.frame[self.roles[role]]

    def __contains__(self, role: str) -> bool:
        return role in self.roles


def read(frame: object, kind: str, binding: Binding | None = None) -> Table:
    """Return the frame with its roles bound to columns; raise if roles are missing.

    Parameters
    ----------
    frame : DataFrame or bound accessor
        A table, or `df.ireval(query="topic_no")`.
    kind : {'runs', 'qrels', ...}
        Expected kind of the table.
    binding : mapping of role to column(s), optional
        Roles bound by the caller.

    Examples
    --------
    >>> qrels = pd.DataFrame({"topic_no": ["1"], "docno": ["d"], "label": [1]})
    >>> read(qrels, "qrels", {"query": "topic_no"}).roles
    {'query': 'topic_no', 'doc': 'docno', 'grade': 'label'}
    """
    if isinstance(frame, Table) and frame.kind == kind:  # already read, by a join
        return frame
    if (bound := getattr(frame, "_binding", None)) is not None:
        frame, binding = frame._frame, {**bound, **(binding or {})}  # type: ignore[attr-defined]
    frame = as_table(frame, judgments=kind == "qrels")
    if not isinstance(frame, pd.DataFrame):
        raise TypeError(not_a_table(frame, f"a pandas DataFrame with {SCHEMAS[kind].article}"))
    binding = checked_binding(frame, binding or {})
    not_in_the_index(frame, binding)
    special = {"runs": _read_runs, "qrels": _read_qrels, "labels": _read_labels}
    return special[kind](frame, binding) if kind in special else _read_results(frame, kind, binding)


def described_frame(frame: pd.DataFrame, binding: Binding, kind: str) -> pd.DataFrame:
    """Return a frame with its bound columns stated in `attrs`: for code that reads frames directly."""
    frame = plain(as_table(frame), kind)
    if not binding:
        return frame
    names = binding.get("run")
    stated: dict[Any, Any] = {}
    if names is not None:
        stated["run_columns"] = [names] if isinstance(names, str) else list(names)
    if "query" in binding:
        stated["query_column"] = binding["query"]
    frame = frame.copy(deep=False)
    frame.attrs = {**frame.attrs, **stated}
    return frame


def checked_binding(frame: pd.DataFrame, binding: Binding) -> dict[str, Any]:
    """Return a binding of roles to columns, or raise if a role or a column does not exist."""
    for role, names in binding.items():
        if role == "higher":
            flags = list(names.values()) if isinstance(names, Mapping) else [names]
            if not all(isinstance(flag, bool | np.bool_) for flag in flags):
                raise TypeError(
                    f"higher={short_repr(names)}: expected True or False, or a mapping of measures to these."
                )
            continue
        if role not in ROLES:
            hint = did_you_mean(role, ROLES)
            raise KeyError(f"no role {role!r}; roles are {', '.join(ROLES)}.{hint}")
        plural = role in ("run", "feature")
        for name in names if plural and isinstance(names, list | tuple) and names else [names]:
            if not isinstance(name, Hashable) or isinstance(name, tuple):
                count = "one or several column names" if plural else "one column name"
                raise TypeError(f"{role}={short_repr(names)}: expected {count}.")
            paired = role == "run" and {f"{name}_a", f"{name}_b"} <= set(frame.columns)
            if name not in frame.columns and not paired:
                raise KeyError(
                    f"no column {name!r} for the role {role!r}; the table has {listed(frame.columns)}."
                )
    return dict(binding)


def not_in_the_index(frame: pd.DataFrame, binding: Binding) -> None:
    """Raise if an id is in the index instead of a column, as after `set_index` or `groupby`."""
    words = [set(names_of(role)) for role in ("run", "query", "doc") if role not in binding]
    absent = set().union(*(names for names in words if names.isdisjoint(frame.columns)))
    if inside := [name for name in frame.index.names if name in absent]:
        raise ValueError(
            f"{' and '.join(inside)} {'are' if len(inside) > 1 else 'is'} in the index of the table, not in its "
            "columns. Call .reset_index() first."
        )


def _missing_text(frame: pd.DataFrame, kind: str, missing: list[str], binding: Binding) -> str:
    parts, question = [known_text(role) for role in missing], None
    if kind == "runs" and not {*names_of("score"), "rank"} & {*frame.columns, *binding}:
        parts.append("neither a score nor a rank column")
        question = direction_text(frame.columns)
        missing = missing if question else [*missing, "score"]
    if kind == "qrels" and "grade" not in binding and not {*GRADES} & {*frame.columns}:
        parts.append(f"no grade column (known names: {', '.join(GRADES)})")
        missing = [*missing, "grade"]
    other = kind_of(frame)
    looks = f" It looks like {SCHEMAS[other].article}." if other and other != kind else ""
    return (
        f"expected {SCHEMAS[kind].article}, but found {' and '.join(parts)} among the columns {listed(frame.columns)}."
        f"{looks} Bind other names with df.ireval({bound_call(missing, frame.columns)})."
        + (f" {question}" if question else "")
    )


def _read_items(
    frame: pd.DataFrame, kind: str, binding: dict[str, Any]
) -> tuple[dict[str, str], list[str]]:
    """Return the columns of runs or judgments by their roles, and the columns without a role."""
    roles = item_roles(
        frame.columns, kind, binding, lambda missing: _missing_text(frame, kind, missing, binding)
    )
    return roles, [name for name in frame.columns if name not in roles.values()]


def _read_runs(frame: pd.DataFrame, binding: dict[str, Any]) -> Table:
    roles, others = _read_items(frame, "runs", binding)
    if not {"score", "rank"} & set(roles):
        looks = " It looks like a judgments table." if kind_of(frame) == "qrels" else ""
        advice = (
            direction_text(others) or f"Bind one with df.ireval({bound_call(['score'], others)})."
        )
        raise ValueError(
            f"the run table has neither a score nor a rank column; it has {listed(frame.columns)}.{looks} {advice}"
        )
    runs = bound_or_hinted(frame, binding, frame.columns)
    if runs is None:
        run = only_column("run", [name for name in run_words(roles) if name in frame.columns])
        runs = () if run is None else (run,)
    return Table("runs", frame, roles, runs)


def _read_qrels(frame: pd.DataFrame, binding: dict[str, Any]) -> Table:
    roles, others = _read_items(frame, "qrels", binding)
    ungraded = "grade" not in roles and implicit(frame, binding)
    if ungraded:
        # implicit feedback: all items are relevant
        frame = frame.assign(relevance=1)
        roles["grade"] = "relevance"
    if "grade" not in roles:
        raise ValueError(
            f"the judgments table has no grade column (known names: {', '.join(GRADES)}); it has "
            f"{listed(frame.columns)}. Bind it with qrels.ireval({bound_call(['grade'], others)})."
        )
    optional = {role: binding.get(role, role) for role in ("subtopic", "assessor", "propensity")}
    roles |= {role: name for role, name in optional.items() if name in frame.columns}
    return Table("qrels", frame, roles, implicit=ungraded)


def _read_labels(frame: pd.DataFrame, binding: dict[str, Any]) -> Table:
    """Return the labels of a (query, doc), or of a doc alone; `item` is the doc if no other is known."""
    roles = {
        role: binding[role] for role in ("query", "doc", "assessor", "label") if role in binding
    }
    for role in ("assessor", "label", "doc", "query"):
        names = candidates(role, frame.columns, [*roles.values()])
        if role in ("doc", "query") and role not in roles:
            only_column(role, names)
        if names:
            roles.setdefault(role, names[0])
    if missing := [role for role in ("doc", "assessor", "label") if role not in roles]:
        raise ValueError(_missing_text(frame, "labels", missing, binding))
    order = [role for role in ("query", "doc", "assessor", "label") if role in roles]
    return Table("labels", frame, {role: roles[role] for role in order})


def _read_results(frame: pd.DataFrame, kind: str, binding: dict[str, Any]) -> Table:
    """Return a table of any other kind, with its roles by its schema."""
    schema = SCHEMAS[kind]
    if kind_of(frame, binding) != kind:
        raise ValueError(_unfit_text(frame, schema, binding))
    roles: dict[str, str] = {}
    for column in schema.columns:
        if column.name in ("run", *PAIRED):
            continue
        if column.name == "query":
            # the user of a click log is not a query if there is a query id
            others = {other.name for other in schema.columns} - {"query"}
            name = query_column(frame, binding, others, needed=not column.optional)
        else:
            name = next(
                (
                    name
                    for name in column_names(column.name, frame, binding)
                    if name in frame.columns
                ),
                None,
            )
        # a column named machine may be a host that identifies a run
        if name is not None and (
            column.name != "machine" or KINDS[column.holds](frame[name].dtype)
        ):
            roles[column.name] = str(name)
    return Table(
        kind,
        frame,
        roles,
        runs_of(frame, schema, binding) if {PAIRED[0], "run"} & set(schema.required) else (),
        binding.get("higher"),
    )


def _unfit_text(frame: pd.DataFrame, schema: Schema, binding: Binding) -> str:
    other = kind_of(frame, binding)
    looks = f"; this looks like {SCHEMAS[other].article}" if other and other != schema.name else ""
    roles = [name for name in schema.marks if name in ROLES and name != "run"]
    absent = [
        role for role in roles if role not in binding and not {*names_of(role)} & {*frame.columns}
    ]
    bind = (
        f" Bind other names with df.ireval({', '.join(f'{role}=...' for role in absent)})."
        if absent
        else ""
    )
    advice = _NEXT_STEPS.get((str(other), schema.name)) or bind
    return f"expected {schema.article}{looks}; it has the columns {listed(frame.columns)}.{advice}"


# advice, by the kind of the table and the kind that is needed
_NEXT_STEPS = {
    ("scores", "preferences"): " Scores have .summary(), .order() and .compare().",
    ("preferences", "scores"): " Preferences have .summary(), .matrix(), .order() and .compare().",
    ("runs", "scores"): " Call .ireval.measure(qrels) first.",
    ("runs", "preferences"): " Call .ireval.prefer(qrels) first.",
    ("qrels", "scores"): " Start from the run table: runs.ireval.measure(qrels).",
}


def query_column(
    frame: pd.DataFrame, binding: Binding, others: Collection[str] = (), *, needed: bool = True
) -> str | None:
    """Return the column of query ids: bound, stated or known; without one None, or raise if it is needed."""
    stated = binding.get("query", frame.attrs.get("query_column"))
    if "query" in binding or stated in frame.columns:
        return str(stated)
    present = candidates("query", frame.columns, others)
    if len(present) == 1 or not needed:
        return present[0] if len(present) == 1 else None
    fault = (
        f"two columns could be the query: {present}"
        if present
        else f"no query column among {listed(frame.columns)}"
    )
    raise ValueError(f"{fault}. Specify it: df.ireval(query=...).")


def assessor_column(frame: pd.DataFrame) -> str:
    """Return the column of assessors of a result: stated or known; 'assessor' without one.

    Examples
    --------
    >>> assessor_column(pd.DataFrame({"assessor": ["ann"], "fraction": [0.5]}))
    'assessor'
    """
    names = [name for name in names_of("assessor") if name in frame]
    return str(frame.attrs.get("assessor_column") or next(iter(names), "assessor"))


def together(*steps: Callable[[], Any]) -> list[Any]:
    """Return the results of all steps; raise one error with the messages of all steps that fail.

    Examples
    --------
    >>> together(lambda: numbers(pd.Series(["x"]), "score"), lambda: numbers(pd.Series([None]), "grade"))
    Traceback (most recent call last):
    ValueError: the score column has 1 values that are not numbers, e.g. 'x'.
    the grade column has 1 missing values (NaN), first in row 0. Drop them with .dropna(subset=[None]) or fill them.
    """
    results, faults = [], []
    for step in steps:
        try:
            results.append(step())
        except ValueError as fault:
            faults.append(fault)
    if len(faults) == 1:
        raise faults[0]
    if faults:
        raise ValueError("\n".join(map(str, faults)))
    return results


def numbers(column: pd.Series, what: str, *, narrow: bool = False) -> np.ndarray:
    """Return a column as 64-bit floats; raise if values are missing or not numbers.

    With `narrow`, 32-bit floats stay as they are, and nothing is copied.

    Examples
    --------
    >>> numbers(pd.Series([1, 2]), "score").tolist()
    [1.0, 2.0]
    """
    values = _floats(column, what, narrow=narrow)
    if np.isnan(values.max(initial=-np.inf)):  # the largest is NaN if any is
        missing = np.flatnonzero(np.isnan(values))
        raise ValueError(
            f"the {what} column has {len(missing):,} missing values (NaN), first in row {missing[0]:,}. "
            f"Drop them with .dropna(subset=[{column.name!r}]) or fill them."
        )
    return values


def _floats(column: pd.Series, what: str, *, narrow: bool = False) -> np.ndarray:
    """Return a column of numbers of any dtype as floats, with NaN for missing values."""
    plain = pd.api.types.is_numeric_dtype(column.dtype)
    try:
        read = column if plain else pd.to_numeric(column.astype(object), errors="coerce")
        if read.dtype == object:  # integers beyond 64 bits stay objects
            read = read.astype(np.float64)
    except (
        TypeError,
        OverflowError,
    ):  # raised for arrays, and for integers that no float can represent
        raise ValueError(
            f"the {what} column has values that do not fit in 64-bit floats. Convert them."
        ) from None
    # one complex number among objects makes the column complex
    if pd.api.types.is_complex_dtype(read.dtype):
        raise ValueError(
            f"the {what} column has complex numbers, which have no order. Use their real part."
        )
    if plain:
        kept = np.float32 if narrow and column.dtype == np.float32 else np.float64
        return column.to_numpy(dtype=kept, na_value=np.nan)
    wrong = column[read.isna() & column.notna()]
    if len(wrong):
        raise ValueError(
            f"the {what} column has {len(wrong):,} values that are not numbers, e.g. {wrong.iloc[0]!r}."
        )
    return read.to_numpy(dtype=np.float64)


def plain(frame: pd.DataFrame, kind: str | None) -> pd.DataFrame:
    """Return a table with numpy numbers, and without columns that are also in the index.

    Examples
    --------
    >>> frame = pd.DataFrame({"recall": [0.5], "precision": pd.array([0.25], dtype="Float64")})
    >>> plain(frame, "curve")["precision"].dtype
    dtype('float64')
    """
    schema = SCHEMAS[str(kind)] if kind else None
    holds = {column.name: column.holds for column in schema.columns} if schema else {}
    holds |= dict.fromkeys(frame.columns, "float") if schema and schema.square else {}
    columns = {}
    for name in frame.columns:
        dtype = frame[name].dtype
        is_plain = isinstance(dtype, np.dtype) and dtype.kind in "iuf" and dtype.itemsize <= 8
        if holds.get(name) in ("int", "float", "fraction") and not is_plain:
            values = _floats(frame[name], str(name))
            # a missing value is not equal to itself: the column then stays float
            integers = (
                holds[name] == "int"
                and (np.abs(values) < LARGE).all()
                and (values == np.round(values)).all()
            )
            columns[name] = values.astype(np.int64) if integers else values
    if columns:
        frame = frame.copy(deep=False)
        for name, values in columns.items():
            frame[name] = values
    return (
        frame if set(frame.index.names).isdisjoint(frame.columns) else frame.reset_index(drop=True)
    )
