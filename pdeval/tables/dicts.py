"""Nested dicts and named tuples to tables: what pytrec_eval, ranx, ir_measures and ir_datasets hold runs in.

    {query: {doc: number}}              a run or judgments
    {run: {query: {doc: score}}}        runs
    [ScoredDoc(query_id, doc_id, score), ...], [Qrel(query_id, doc_id, relevance, ...), ...]
    ranx.Run, ranx.Qrels

Python's own loops over a dict are the only ones: keys and values are chained straight into arrays.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from numbers import Integral, Real
from typing import Any, Literal

import numpy as np
import pandas as pd
import pyarrow as pa

from pdeval.tables import arrow
from pdeval.verbs.checks import checks_arguments

What = Literal["runs", "qrels"]


@checks_arguments
def from_dict(
    table: object, *, what: What | None = None, run: str | None = None, subtopics: bool = False
) -> pd.DataFrame:
    """Return nested dicts, named tuples, or ranx' `Run` and `Qrels`, as a run table or judgments.

    The verbs take judgments in these forms as they are; this is needed for the runs.

    Parameters
    ----------
    table : mapping, iterable of named tuples, ranx.Run or ranx.Qrels
        query -> doc -> number, as pytrec_eval and ranx take it; run -> query -> doc -> score; or the `ScoredDoc` and
        `Qrel` tuples of ir_measures and ir_datasets, whose iterators are read to their end.
    what : {'runs', 'qrels'}, optional
        Whether the numbers are scores or grades. By default as these tools write them: whole numbers are grades, all
        others scores.
    run : str, optional
        What to call the run of query -> doc -> score; by default it has no name, or that of a `ranx.Run`.
    subtopics : bool
        Whether the `iteration` of judgments is a subtopic, as in `read_qrels`; by default it is left out.

    Returns
    -------
    DataFrame
        [run], query_id, doc_id, score; or query_id, doc_id, relevance, [subtopic]: rows in the order of the dict. A
        query without documents has no rows: to judgments it is an unanswered one.

    Examples
    --------
    >>> import pdeval
    >>> runs = pdeval.from_dict({"bm25": {"q1": {"d1": 1.5, "d2": 0.5}}, "ql": {"q1": {"d2": 9.0}}})
    >>> runs
        run query_id doc_id  score
    0  bm25       q1     d1    1.5
    1  bm25       q1     d2    0.5
    2    ql       q1     d2    9.0
    >>> runs.ireval.measure({"q1": {"d2": 1, "d3": 0}}, "RR")
        run query_id measure  value
    0  bm25       q1      RR    0.5
    1    ql       q1      RR    1.0
    """
    if what not in (None, "runs", "qrels"):
        raise ValueError(f"what={what!r}: choose 'runs' or 'qrels'.")
    if what == "qrels" and run is not None:
        raise ValueError(f"run={run!r}: judgments have no run.")
    if is_ranx(table):
        return _of_ranx(table, what, run)
    if isinstance(table, Mapping):
        return _of_mapping(table, what, run)
    if isinstance(table, Iterable) and not isinstance(table, str | bytes | pd.DataFrame | pd.Series):
        return _of_tuples(list(table), what, run, subtopics)
    raise TypeError(f"expected nested dicts or named tuples, got {type(table).__name__}.")


def as_judgments(value: Any) -> Any:
    """Return judgments given as nested dicts, named tuples or `ranx.Qrels` as a table; all else as it is.

    Examples
    --------
    >>> as_judgments({"q1": {"d1": 2}}).to_dict("records")
    [{'query_id': 'q1', 'doc_id': 'd1', 'relevance': 2}]
    """
    first = value[0] if isinstance(value, list | tuple) and value else None
    rows = isinstance(value, Iterator) or hasattr(first, "_fields")
    if rows or is_ranx(value) or (isinstance(value, Mapping) and not hasattr(value, "_frame")):
        return from_dict(value, what="qrels")
    return value


def is_ranx(value: object) -> bool:
    """Return whether an object is a `Run` or `Qrels` of ranx, which is not imported to tell.

    Examples
    --------
    >>> is_ranx({})
    False
    """
    kind = type(value)
    return kind.__module__.partition(".")[0] == "ranx" and kind.__name__ in ("Run", "Qrels")


def _of_ranx(table: Any, what: What | None, run: str | None) -> pd.DataFrame:
    own: What = "qrels" if type(table).__name__ == "Qrels" else "runs"
    if what is not None and what != own:
        raise ValueError(f"a ranx.{type(table).__name__} holds {own}, not {what}.")
    return _of_mapping(table.to_dict(), own, None if own == "qrels" else run or table.name)


def _of_mapping(table: Mapping[Any, Any], what: What | None, run: str | None) -> pd.DataFrame:
    _check_level(table, "the dict")
    inner = list(table.values())
    below = _types(inner)
    deep = [kind for kind in below if issubclass(kind, Mapping)]
    if deep and len(deep) < len(below):
        raise ValueError(_mixed_text(table))
    if not deep:
        return _of_lists(table, None if run is None else [(run, len(table))], what)
    if what == "qrels":
        raise ValueError("judgments are query -> doc -> grade; these dicts go one level deeper, as runs do.")
    if run is not None:
        raise ValueError(f"run={run!r}: these dicts name their runs, {_some(table)}.")
    for name, part in table.items():
        _check_level(part, f"the run {name!r}")
    lists = [(query, docs) for part in inner for query, docs in part.items()]
    return _of_lists(lists, [(name, len(part)) for name, part in table.items()], "runs")


def _types(inner: list[Mapping[Any, Any]]) -> set[type]:
    return set(map(type, chain.from_iterable(part.values() for part in inner)))


def _check_level(table: Mapping[Any, Any], where: str) -> None:
    """Raise where a dict of dicts is empty, or holds anything else."""
    if not table:
        raise ValueError(f"{where} is empty; expected query -> doc -> number, or run -> query -> doc -> score.")
    for key, part in table.items():
        if isinstance(part, pd.DataFrame):
            raise TypeError(
                f"{where} holds a DataFrame under {key!r}. Stack them: "
                "pandas.concat(frames, names=['run']).reset_index(level='run')."
            )
        if not isinstance(part, Mapping):
            raise TypeError(
                f"{where} holds a {type(part).__name__} under {key!r}, where a dict of doc to number is expected; "
                "pandas.DataFrame(...) makes a table of a dict of columns."
            )


def _mixed_text(table: Mapping[Any, Any]) -> str:
    """Return where dicts are of another depth than elsewhere."""
    found: dict[bool, str] = {}
    for key, part in table.items():
        for inside, one in part.items():
            found.setdefault(isinstance(one, Mapping), f"[{key!r}][{inside!r}]")
    return f"the dicts are not of one depth: a dict stands at {found[True]}, a number at {found[False]}."


def _of_lists(
    lists: Mapping[Any, Mapping[Any, Any]] | list[tuple[Any, Mapping[Any, Any]]],
    runs: list[tuple[Any, int]] | None,
    what: What | None,
) -> pd.DataFrame:
    """Return the table of lists (query, {doc: number}); `runs` says how many of them each run has, in order."""
    pairs = list(lists.items()) if isinstance(lists, Mapping) else lists
    queries, inner = [query for query, _ in pairs], [docs for _, docs in pairs]
    sizes = np.fromiter(map(len, inner), dtype=np.int64, count=len(inner))
    total = int(sizes.sum())
    if not total:
        raise ValueError(f"the dicts hold no documents: all {len(inner):,} queries are empty.")
    values = _values(pairs, total)
    columns: dict[str, Any] = {}
    if runs is not None:
        of_list = np.repeat(np.arange(len(runs)), [n for _, n in runs])
        columns["run"] = _ids([name for name, _ in runs], "run", np.repeat(of_list, sizes))
    columns["query_id"] = _ids(queries, "query", np.repeat(np.arange(len(queries)), sizes))
    columns["doc_id"] = _ids(list(chain.from_iterable(inner)), "document")
    whole = np.issubdtype(values.dtype, np.integer)
    if what == "qrels" or (what is None and runs is None and whole):
        return pd.DataFrame({**columns, "relevance": values}, copy=False)
    return pd.DataFrame({**columns, "score": values.astype(np.float64)}, copy=False)


def _values(pairs: list[tuple[Any, Mapping[Any, Any]]], total: int) -> np.ndarray:
    """Return the numbers of all dicts, whole ones as integers; raise where one is no number, and say where."""
    inner = [docs for _, docs in pairs]
    kinds = _types(inner)
    wrong = [kind for kind in kinds if not issubclass(kind, Real | np.bool_)]
    if wrong:
        query, doc, one = next((q, doc, one) for q, docs in pairs for doc, one in docs.items() if type(one) in wrong)
        raise ValueError(
            f"the number of document {doc!r} of query {query!r} is {one!r}, of type {type(one).__name__}; give numbers."
        )
    whole = all(issubclass(kind, Integral | np.bool_) for kind in kinds)
    every = chain.from_iterable(docs.values() for docs in inner)
    try:
        return np.fromiter(every, dtype=np.int64 if whole else np.float64, count=total)
    except OverflowError as fault:
        raise ValueError("a number is too large to be a grade or a score.") from fault


def _ids(names: list[Any], what: str, rows: np.ndarray | None = None) -> Any:
    """Return ids as a column of text or numbers, each repeated as `rows` say."""
    try:
        made = pa.array(names, from_pandas=True)
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        kinds = sorted({type(name).__name__ for name in names})
        raise ValueError(f"the {what} ids are of several types: {', '.join(kinds)}; make them all text.") from None
    if not (pa.types.is_string(made.type) or pa.types.is_integer(made.type)):
        raise ValueError(f"the {what} ids are of type {type(names[0]).__name__}, e.g. {names[0]!r}; make them text.")
    if rows is not None:
        made = made.take(pa.array(rows))
    return arrow.series(pa.chunked_array([made]))


FIELDS = {"subtopic_id": "subtopic"}


def _of_tuples(rows: list[Any], what: What | None, run: str | None, subtopics: bool) -> pd.DataFrame:
    """Return named tuples as a table, a field as a column."""
    if not rows:
        raise ValueError("there are no rows: what was given is empty. An iterator can be read once only.")
    kinds = list(dict.fromkeys(map(type, rows)))
    fields = getattr(kinds[0], "_fields", None)
    if fields is None:
        raise TypeError(
            f"expected nested dicts or named tuples, got a list of {kinds[0].__name__}. "
            "pandas.DataFrame(rows, columns=['query_id', 'doc_id', 'score']) makes a table of rows."
        )
    if len(kinds) > 1:
        raise ValueError(f"the rows are of several types: {', '.join(kind.__name__ for kind in kinds)}.")
    number: str = next((name for name in ("relevance", "score") if name in fields), "")
    missing = [name for name in ("query_id", "doc_id") if name not in fields]
    if not number or missing:
        raise ValueError(
            f"{kinds[0].__name__} has no field {missing[0] if missing else 'relevance or score'!r}; it has "
            f"{', '.join(fields)}. Expected are (query_id, doc_id, score) or (query_id, doc_id, relevance)."
        )
    if what is not None and what != ("qrels" if number == "relevance" else "runs"):
        raise ValueError(f"{kinds[0].__name__} has a {number}: these are no {what}.")
    columns: dict[str, Any] = dict(zip(fields, zip(*rows)))
    if subtopics and "iteration" in columns:
        columns["subtopic"] = columns["iteration"]
    columns.pop("iteration", None)
    named: dict[str, Any] = {FIELDS.get(name, name): list(values) for name, values in columns.items()}
    ids = {name: _ids(named[name], name.partition("_")[0]) for name in ("query_id", "doc_id")}
    numbers = {number: _number_column(named, number)}
    made = pd.DataFrame({**named, **ids, **numbers}, copy=False)
    if run is not None:
        made.insert(0, "run", run)
    return made


def _number_column(named: dict[str, list[Any]], number: str) -> np.ndarray:
    values = named[number]
    wrong = [kind for kind in set(map(type, values)) if not issubclass(kind, Real | np.bool_)]
    if wrong:
        at = next(row for row, one in enumerate(values) if type(one) in wrong)
        where = f"document {named['doc_id'][at]!r} of query {named['query_id'][at]!r}"
        raise ValueError(f"the {number} of {where} is {values[at]!r}; give numbers.")
    return np.array(values)


def _some(names: Iterable[object]) -> str:
    shown = [repr(name) for name in names]
    return ", ".join(shown[:3]) + (f", ... ({len(shown)} in all)" if len(shown) > 3 else "")
