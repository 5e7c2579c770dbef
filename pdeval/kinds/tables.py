"""The table kinds and their columns: which column plays which role, under whose vocabulary.

Roles: run, query, doc, score, rank; grade, subtopic, assessor. A table speaks one whole vocabulary (pdeval's own,
PyTerrier's, ranx', TREC's, a recommender's), or the caller binds roles:
`df.ireval(query="topic_no", run=["model", "seed"])`.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

Kind = Literal["runs", "qrels", "scores", "preferences", "orders", "comparisons", "labels", "clicks"]
Binding = Mapping[str, str | Sequence[str]]

VOCABULARIES: dict[str, dict[str, str]] = {
    "pdeval": {"run": "run", "query": "query_id", "doc": "doc_id"},
    "PyTerrier": {"run": "name", "query": "qid", "doc": "docno"},
    "ranx": {"run": "run", "query": "q_id", "doc": "doc_id"},
    "TREC": {"run": "tag", "query": "topic", "doc": "docid"},
    "recommender": {"run": "run", "query": "user_id", "doc": "item_id"},
    "plain": {"run": "run", "query": "query", "doc": "doc"},
}
GRADES = ("relevance", "label", "grade", "rating", "rel")
ROLES = ("run", "query", "doc", "score", "rank", "grade", "subtopic", "assessor", "measure", "value")
NAMES = {
    "runs": "a run table (run, query, doc, score)",
    "qrels": "a judgments table (query, doc, grade)",
    "scores": "a scores table (run, query, measure, value)",
    "preferences": "a preferences table (query, run_a, run_b, measure, value)",
    "orders": "an orders table (run, measure, method, score, rank)",
    "comparisons": "a comparisons table (run_a, run_b, measure, p_value)",
    "labels": "a labels table (item, assessor, label)",
    "clicks": "a click log (session, query, timestamp, action)",
}


@dataclass(frozen=True)
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

    def column(self, role: str) -> pd.Series:
        """Return the column that plays a role."""
        return self.frame[self.roles[role]]

    def __contains__(self, role: str) -> bool:
        return role in self.roles


def kind_of(frame: pd.DataFrame, binding: Binding | None = None) -> str | None:
    """Return what kind of table a frame looks like, or None.

    Examples
    --------
    >>> kind_of(pd.DataFrame(columns=["query_id", "doc_id", "relevance"]))
    'qrels'
    >>> kind_of(pd.DataFrame(columns=["run", "query_id", "measure", "value"]))
    'scores'
    """
    binding = binding or {}
    columns = set(map(str, frame.columns)) | ({"measure", "value"} & set(binding))
    if {"measure", "method", "score", "rank"} <= columns:
        return "orders"
    if "measure" in columns and "p_value" in columns:
        return "comparisons"
    if {"measure", "value"} <= columns:
        return "preferences" if paired_columns(frame) else "scores"
    if {"session", "timestamp"} <= columns or {"session", "action"} <= columns:
        return "clicks"
    if {"assessor", "label"} <= columns or "assessor" in binding:
        return "labels"
    query, doc = _has(columns, binding, "query"), _has(columns, binding, "doc")
    if query and doc:
        graded = "grade" in binding or any(name in columns for name in GRADES)
        ranked = {"score", "rank"} & (columns | set(binding))
        if graded and not ranked:
            return "qrels"
        return "runs" if ranked else None
    return None


def _has(columns: Iterable[str], binding: Binding, role: str) -> bool:
    return role in binding or any(words[role] in columns for words in VOCABULARIES.values())


def paired_columns(frame: pd.DataFrame) -> list[str]:
    """Return the names X for which the frame has both X_a and X_b, run ids first.

    Examples
    --------
    >>> paired_columns(pd.DataFrame(columns=["model_a", "model_b", "mean_a", "mean_b"]))
    ['model']
    """
    columns = list(map(str, frame.columns))
    stems = [name[:-2] for name in columns if name.endswith("_a") and f"{name[:-2]}_b" in columns]
    hinted = frame.attrs.get("run_columns")
    if hinted and set(hinted) <= set(stems):
        return list(hinted)
    if hinted and set(hinted) <= set(columns):
        return []  # a table of single runs, to which columns of the caller's were joined
    return [stem for stem in stems if stem not in ("mean", "measure", "method")]


def read(frame: object, kind: Kind, binding: Binding | None = None) -> Table:
    """Return the frame with its roles bound, or an error that names every fault.

    Parameters
    ----------
    frame : DataFrame or bound accessor
        A table, or `df.ireval(query="topic_no")`.
    kind : {'runs', 'qrels', ...}
        The kind that is needed here.
    binding : mapping of role to column(s), optional
        What the caller bound by hand.

    Examples
    --------
    >>> qrels = pd.DataFrame({"topic_no": ["1"], "docno": ["d"], "label": [1]})
    >>> read(qrels, "qrels", {"query": "topic_no"}).roles
    {'query': 'topic_no', 'doc': 'docno', 'grade': 'label'}
    """
    bound = getattr(frame, "_binding", None)
    if bound is not None:
        frame, binding = frame._frame, {**bound, **(binding or {})}  # type: ignore[attr-defined]
    if not isinstance(frame, pd.DataFrame):
        raise TypeError(f"expected a pandas DataFrame holding {NAMES[kind]}, got {type(frame).__name__}.")
    binding = _checked_binding(frame, binding or {}, kind)
    repeated = frame.columns[frame.columns.duplicated()].unique().tolist()
    if repeated:
        raise ValueError(f"the table has the column name {repeated[0]!r} more than once; rename one of them.")
    not_in_the_index(frame, binding)
    if kind in ("runs", "qrels"):
        return _read_items(frame, kind, binding)
    return _read_results(frame, kind, binding)


def _checked_binding(frame: pd.DataFrame, binding: Binding, kind: str) -> dict[str, Any]:
    for role, names in binding.items():
        if role not in ROLES:
            near = difflib.get_close_matches(role, ROLES, n=1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            raise KeyError(f"no role {role!r}; roles are {', '.join(ROLES)}.{hint}")
        for name in names if isinstance(names, (list, tuple)) else [names]:
            if name not in frame.columns:
                raise KeyError(f"no column {name!r} for the role {role!r}; the table has {_listed(frame.columns)}.")
    return dict(binding)


def not_in_the_index(frame: pd.DataFrame, binding: Binding) -> None:
    """Raise where an id that no column holds is in the index, as after `set_index` or `groupby`."""
    words = {r: {w[r] for w in VOCABULARIES.values()} for r in ("run", "query", "doc") if r not in binding}
    absent = set().union(*(names for names in words.values() if names.isdisjoint(frame.columns)))
    inside = [name for name in frame.index.names if name in absent]
    if inside:
        raise ValueError(
            f"{' and '.join(inside)} {'are' if len(inside) > 1 else 'is'} in the index of the table, not among its "
            "columns. Call .reset_index() first."
        )


def _listed(names: Iterable[object], most: int = 12) -> str:
    texts = [str(name) for name in names]
    return ", ".join(texts[:most]) + (f", ... ({len(texts)} in all)" if len(texts) > most else "")


def _words(frame: pd.DataFrame, kind: str, binding: Binding) -> dict[str, str]:
    """Return the one vocabulary whose query and doc columns the frame has."""
    columns = set(frame.columns)
    fits = {
        name: words
        for name, words in VOCABULARIES.items()
        if all(role in binding or words[role] in columns for role in ("query", "doc"))
    }
    if not fits:
        missing = [role for role in ("query", "doc") if not _has(columns, binding, role)]
        if len(missing) == 0:
            found = {r: [w[r] for w in VOCABULARIES.values() if w[r] in columns] for r in ("query", "doc")}
            raise ValueError(
                f"this table mixes vocabularies: query columns {found['query']}, doc columns {found['doc']}. "
                f"Bind them: df.ireval(query={found['query'][0]!r}, doc={found['doc'][0]!r})."
            )
        raise ValueError(_missing_text(frame, kind, missing, binding))
    chosen: dict[str, set[str]] = {
        role: {words[role] for words in fits.values()} for role in ("query", "doc") if role not in binding
    }
    for role, names in chosen.items():
        if len(names) > 1:
            first, second = sorted(names)[:2]
            raise ValueError(
                f"two columns could be the {role}: {first!r} and {second!r}. Say which: df.ireval({role}={first!r})."
            )
    return next(iter(fits.values()))


def _missing_text(frame: pd.DataFrame, kind: str, missing: list[str], binding: Binding) -> str:
    known = {role: list(dict.fromkeys(w[role] for w in VOCABULARIES.values())) for role in ("query", "doc")}
    parts = [f"no {role} column (known names: {', '.join(known[role])})" for role in missing]
    if kind == "runs" and not {"score", "rank"} & {*frame.columns, *binding}:
        parts.append("neither a score nor a rank column")
        missing = [*missing, "score"]
    if kind == "qrels" and "grade" not in binding and not {*GRADES} & {*frame.columns}:
        parts.append(f"no grade column (known names: {', '.join(GRADES)})")
        missing = [*missing, "grade"]
    other = kind_of(frame)
    looks = f" It looks like {NAMES[other]}." if other and other != kind else ""
    bind = ", ".join(f"{role}=..." for role in missing)
    return (
        f"expected {NAMES[kind]}, but found {' and '.join(parts)} among the columns {_listed(frame.columns)}."
        f"{looks} Bind other names with df.ireval({bind})."
    )


def _read_items(frame: pd.DataFrame, kind: Kind, binding: dict[str, Any]) -> Table:
    words = _words(frame, kind, binding)
    roles: dict[str, str] = {role: binding.get(role, words[role]) for role in ("query", "doc")}
    if kind == "runs":
        for role in ("score", "rank"):
            name = binding.get(role, role)
            if name in frame.columns:
                roles[role] = name
        if "score" not in roles and "rank" not in roles:
            other = " It looks like a judgments table." if kind_of(frame) == "qrels" or _grade(frame, binding) else ""
            raise ValueError(
                f"the run table has neither a score nor a rank column; it has {_listed(frame.columns)}.{other} "
                "Bind one with df.ireval(score=...)."
            )
        return Table(kind, frame, roles, _run_columns(frame, binding, words["run"]))
    grade = _grade(frame, binding) or ("score" if words["query"] == "q_id" and "score" in frame.columns else None)
    if grade is None:
        raise ValueError(
            f"the judgments table has no grade column (known names: {', '.join(GRADES)}); it has "
            f"{_listed(frame.columns)}. Bind it with qrels.ireval(grade=...)."
        )
    roles["grade"] = grade
    for role in ("subtopic", "assessor"):
        name = binding.get(role, role)
        if name in frame.columns:
            roles[role] = name
    return Table(kind, frame, roles)


def _grade(frame: pd.DataFrame, binding: Binding) -> str | None:
    if "grade" in binding:
        return binding["grade"]  # type: ignore[return-value]
    present = [name for name in GRADES if name in frame.columns]
    if len(present) > 1:
        raise ValueError(
            f"two columns could be the grade: {present[0]!r} and {present[1]!r}. "
            f"Say which: qrels.ireval(grade={present[0]!r})."
        )
    return present[0] if present else None


def _run_columns(frame: pd.DataFrame, binding: Binding, own: str) -> tuple[str, ...]:
    if "run" in binding:
        bound = binding["run"]
        return tuple(bound) if isinstance(bound, (list, tuple)) else (bound,)  # type: ignore[return-value]
    hinted = frame.attrs.get("run_columns")
    if hinted and set(hinted) <= set(frame.columns):
        return tuple(hinted)
    present = [name for name in dict.fromkeys(["run", own]) if name in frame.columns]
    if len(present) > 1:
        raise ValueError(
            f"two columns could be the run: {present[0]!r} and {present[1]!r}. "
            f"Say which: df.ireval(run={present[0]!r})."
        )
    return tuple(present)


def _read_results(frame: pd.DataFrame, kind: Kind, binding: dict[str, Any]) -> Table:
    needed = {
        "scores": ("measure", "value"),
        "preferences": ("measure", "value"),
        "orders": ("measure", "score", "rank"),
    }
    names = {role: binding.get(role, role) for role in needed.get(kind, ())}
    missing = [name for name in names.values() if name not in frame.columns]
    paired = kind == "preferences"
    if missing or (kind in ("scores", "preferences") and paired != bool(paired_columns(frame))):
        other = kind_of(frame, binding)
        looks = f"; this looks like {NAMES[other]}" if other and other != kind else ""
        then = _NEXT.get((str(other), str(kind)), "")
        raise ValueError(f"expected {NAMES[kind]}{looks}; it has the columns {_listed(frame.columns)}.{then}")
    roles = dict(names)
    if kind in ("scores", "preferences"):
        roles["query"] = _query_column(frame, binding)
    if paired:
        return Table(kind, frame, roles, tuple(paired_columns(frame)))
    own = next((w["run"] for w in VOCABULARIES.values() if w["run"] in frame.columns), "run")
    return Table(kind, frame, roles, _run_columns(frame, binding, own))


_NEXT = {
    ("scores", "preferences"): " Scores have .summary(), .order() and .compare().",
    ("preferences", "scores"): " Preferences have .mean(), .matrix(), .order() and .compare().",
    ("runs", "scores"): " Call .ireval.measure(qrels) first.",
    ("runs", "preferences"): " Call .ireval.prefer(qrels) first.",
    ("qrels", "scores"): " Start from the run table: runs.ireval.measure(qrels).",
}


def _query_column(frame: pd.DataFrame, binding: Binding) -> str:
    if "query" in binding:
        return binding["query"]  # type: ignore[return-value]
    hinted = frame.attrs.get("query_column")
    if hinted in frame.columns:
        return str(hinted)
    present = [w["query"] for w in VOCABULARIES.values() if w["query"] in frame.columns]
    if len(present) > 1 and "query" in present:
        present.remove("query")  # beside a query id, `query` is its text
    if len(present) != 1:
        found = (
            f"two columns could be the query: {present}"
            if present
            else f"no query column among {_listed(frame.columns)}"
        )
        raise ValueError(f"{found}. Say which: df.ireval(query=...).")
    return present[0]


def together(*steps: Callable[[], Any]) -> list[Any]:
    """Return what each step returns, or raise one error that names the faults of all of them.

    Examples
    --------
    >>> together(lambda: numbers(pd.Series(["x"]), "score"), lambda: numbers(pd.Series([None]), "grade"))
    Traceback (most recent call last):
    ValueError: the score column holds 1 values that are not numbers, e.g. 'x'.
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


def numbers(column: pd.Series, what: str) -> np.ndarray:
    """Return a column as 64-bit floats; an error names the first values that are not numbers.

    Examples
    --------
    >>> numbers(pd.Series([1, 2]), "score").tolist()
    [1.0, 2.0]
    """
    if pd.api.types.is_complex_dtype(column.dtype):
        raise ValueError(f"the {what} column holds complex numbers, which have no order; take their real part.")
    if pd.api.types.is_numeric_dtype(column.dtype):
        values = column.to_numpy(dtype=np.float64, na_value=np.nan)
    else:
        read = pd.to_numeric(column.astype(object), errors="coerce")
        wrong = column[read.isna() & column.notna()]
        if len(wrong):
            raise ValueError(
                f"the {what} column holds {len(wrong):,} values that are not numbers, e.g. {wrong.iloc[0]!r}."
            )
        values = read.to_numpy(dtype=np.float64)
    missing = int(np.isnan(values).sum())
    if missing:
        at = int(np.flatnonzero(np.isnan(values))[0])
        raise ValueError(
            f"the {what} column has {missing:,} missing values (NaN), first in row {at:,}. "
            f"Drop them with .dropna(subset=[{column.name!r}]) or fill them."
        )
    return values
