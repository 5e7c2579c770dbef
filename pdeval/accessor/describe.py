"""Descriptions and displays of tables, and errors about unknown verbs, derived from schemas and declared verbs."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

import numpy as np
import pandas as pd

from pdeval.evaluate import DEPTH, MEASURES, first_counts, places_of_runs
from pdeval.files.score_files import catalog_name
from pdeval.join import Judged, ids, lists
from pdeval.report import report
from pdeval.report.page import component_of
from pdeval.tables import (
    SCHEMAS,
    candidates,
    kind_of,
    missing_columns,
    names_of,
    reader,
    run_labels,
    visible,
)
from pdeval.verbs import VERBS, Verb, html, nearest, of_kind, with_article


def describe(frame: pd.DataFrame, binding: Mapping[str, Any]) -> str:
    """Return one line about a frame.

    Examples
    --------
    >>> describe(pd.DataFrame({"x": [1]}), {})
    'an unrecognized table (columns x); bind its roles: df.ireval(query=..., doc=..., score=...)'
    """
    kind = kind_of(frame, binding)
    if kind is None:
        columns = ", ".join(map(str, list(frame.columns)[:8]))
        text = f"an unrecognized table (columns {columns})"
        try:
            reader.not_in_the_index(frame, binding)
        except ValueError as error:
            return f"{text}: {error}"
        return (
            f"{text}; {nearly(frame) or 'bind its roles: df.ireval(query=..., doc=..., score=...)'}"
        )
    schema = SCHEMAS[kind]
    if len(frame) == 0:
        return f"{schema.article} without rows"
    known = SIZES.get(kind)
    try:
        size = (
            many(len(frame), "row") if known is None else known(reader.read(frame, kind, binding))
        )
    except (ValueError, KeyError) as error:
        return f"{schema.article} with a fault: {error.args[0]}"
    labels = (
        " with machine labels"
        if kind in ("scores", "preferences") and "machine" in frame.columns
        else ""
    )
    if "conclusion" in frame.attrs:  # of an explanation
        size = f"{size}; {frame.attrs['conclusion']}"
    return f"{schema.description}{labels}: {size}" + (
        f"; next: {schema.then}" if schema.then else ""
    )


# tables about documents and queries, which a notebook shows with their description
DISPLAYED = (
    *("explanation", "pair_explanation", "unjudged_values"),
    *("labeled", "labeled_pair", "hard_queries"),
)
MAX_ROWS = 60
MAX_RUNS, MAX_HITS = 200, 2_000_000  # of a join that is displayed as an interactive report
UNJUDGED = '<span style="opacity: 0.6">unjudged</span>'


def html_of_table(frame: pd.DataFrame, binding: Mapping[str, Any]) -> str | None:
    """Return a table about documents or queries as HTML, below its description; None for other tables.

    Examples
    --------
    >>> import pdeval
    >>> frame = pdeval.datasets.sample_judged().explain(120, "nDCG@10", runs="rerank-s1")
    >>> "unjudged</span></td>" in html_of_table(frame, {})
    True
    """
    if isinstance(frame, Explanation):
        return frame._repr_html_()
    if kind_of(frame, binding) not in DISPLAYED:
        return None
    ids = frame.attrs.get("grade_column"), frame.attrs.get("doc_column")
    present = {
        grade: frame[doc].notna() & frame[grade].isna()
        for grade, doc in [ids, ("grade_a", "doc_a"), ("grade_b", "doc_b")]
        if grade in frame.columns and doc in frame.columns
    }
    return _html(describe(frame, binding), frame, present)


def html_of_join(judged: Judged, text: str) -> str:
    """Return the interactive report of a join; its plain form is a table of the queries and labels of each run."""
    n_judged, n_documents, *_ = first_counts(judged, judged.level, DEPTH)
    positions = judged.positions
    fraction = n_judged.sum(axis=0) / np.maximum(n_documents.sum(axis=0), 1)
    columns = {
        "run": run_labels(judged.runs),
        "queries": positions.answered.sum(axis=0),
        "documents": positions.list_sizes.sum(axis=0),
        f"judged of the first {DEPTH}": [f"{value:.0%}" for value in fraction],
    }
    plain = _html(text, pd.DataFrame(columns), {})
    if len(judged.runs) > MAX_RUNS or len(positions.rank) > MAX_HITS:
        return plain
    return _interactive(judged, plain, measures=MEASURES[:2])


class Explanation(pd.DataFrame):
    """The table of `explain`, which a notebook displays as the rankings of the page; its copies are plain frames."""

    _display: tuple[Judged, dict[str, Any]] | None = None  # a join, and options of its display

    @property
    def _constructor(self) -> type[pd.DataFrame]:
        return pd.DataFrame

    @classmethod
    def of(cls, frame: pd.DataFrame, judged: Judged, options: Mapping[str, Any]) -> "Explanation":
        """Return the table with the part of the join that a notebook displays."""
        runs, names = options.get("runs"), run_labels(judged.runs)
        places = list(range(len(names))) if runs is None else places_of_runs(judged.runs, runs)
        positions = judged.positions.keep_runs(np.isin(np.arange(len(names)), places))
        queries = frame[judged.queries.name]
        state = {
            "measures": options.get("measures", MEASURES),
            "texts": options.get("texts"),
            "query": str(queries.iloc[0]),
            "systems": [names[place] for place in places] if len(places) <= 2 else None,
        }
        result = cls(frame)
        result.attrs = frame.attrs
        part = judged.on(positions.keep_topics(judged.queries.isin(queries)))
        # not by `result._display =`, which pandas takes for a column
        object.__setattr__(result, "_display", (part, state))
        return result

    def _repr_html_(self) -> str:
        plain = html_of_table(self.copy(), {}) or ""
        if self._display is None:  # a table that was stored
            return plain
        part, state = self._display
        return _interactive(part, plain, **state)


def displayed(
    verb: Verb, result: pd.DataFrame, data: object, options: Mapping[str, Any]
) -> pd.DataFrame:
    """Return the result of a verb, as the table that a notebook displays: rankings for `explain`, by item."""
    by_item = verb.name == "explain" and options.get("per") != "run"
    if by_item and isinstance(data, Judged) and isinstance(result, pd.DataFrame):
        return Explanation.of(result, data, options)
    return result


def _interactive(
    judged: Judged,
    plain: str,
    *,
    measures: object,
    texts: object = None,
    query: str | None = None,
    systems: Sequence[str] | None = None,
) -> str:
    """Return the component of the page for a join, opened at a query; `plain` if it has no report."""
    judged = Judged(judged.positions, judged.level, judged.query_rule, {"missing queries"})
    try:
        table = report(judged, measures, marks=None, texts=texts)
    except (KeyError, ValueError):  # such as a join in which no query counts
        return plain
    if query is None:
        return component_of(table, plain)
    (origin,) = table.origins
    if systems is None:  # the worst and the best
        means = origin.table.mean[0] * (1 if origin.table.higher[0] else -1)
        systems = [origin.systems[place] for place in (np.argmin(means), np.argmax(means))]
    state = dict(zip(("system", "against"), systems)) | {"query": query}
    return component_of(
        table, plain, start=urlencode({**state, "measure": origin.table.measures[0]})
    )


def _html(text: str, frame: pd.DataFrame, unjudged: Mapping[Any, pd.Series]) -> str:
    """Return a description and the first rows of a table; texts are escaped, also their control characters.

    `unjudged` are columns of grades, and their rows with unjudged documents.
    """
    paragraphs = "".join(f"<p>{html.escape(visible(line))}</p>" for line in text.split("\n"))
    rows = frame.head(MAX_ROWS)
    columns = {}
    for name in rows.columns:
        cells = pd.Series([_cell(value) for value in rows[name]], rows.index, dtype=object)
        if name in unjudged:
            cells = cells.mask(unjudged[name].head(MAX_ROWS), UNJUDGED)
        columns[html.escape(visible(str(name)))] = cells
    with pd.option_context("display.max_colwidth", None):
        table = pd.DataFrame(columns).to_html(index=False, escape=False, border=0)
    more = len(frame) - len(rows)
    end = f"<p>and {many(more, 'row')} more</p>" if more else ""
    return f"<div>{paragraphs}{table}{end}</div>"


def _cell(value: Any) -> str:
    """Return a value as HTML: a missing one is empty, other texts are escaped."""
    if pd.isna(value):
        return ""
    text = f"{value:.3f}" if isinstance(value, float) else visible(str(value))
    return (
        f'<span dir="auto">{html.escape(text)}</span>'
        if isinstance(value, str)
        else html.escape(text)
    )


def size_of_join(judged: Judged) -> str:
    """Return the number of runs and queries of a join, and of queries that count if these are fewer.

    Examples
    --------
    >>> import pdeval
    >>> size_of_join(pdeval.datasets.sample_judged(queries="common"))
    '12 runs x 48 of 50 queries'
    """
    counted = int(judged.counted().any(axis=1).sum())
    queries = many(len(judged.queries), "query", "queries")
    if counted < len(judged.queries):
        queries = f"{counted:,} of {queries}"
    return f"{many(len(judged.runs), 'run')} x {queries}"


def many(count: int, one: str, more: str | None = None) -> str:
    """Return a count with its noun.

    Examples
    --------
    >>> many(1, "query", "queries"), many(2, "run")
    ('1 query', '2 runs')
    """
    return f"{count:,} {one if count == 1 else more or one + 's'}"


def _runs(table: reader.Table) -> str:
    run_lists = lists.find_lists(table)
    by = "score" if "score" in table else "rank"
    size = (
        f"{many(len(run_lists.runs), 'run')} x {many(len(run_lists.queries), 'query', 'queries')}"
    )
    return f"{size}, {many(len(table.frame), 'row')}, ranked by {by}"


def _qrels(table: reader.Table) -> str:
    queries = len(ids.column_ids(table.column("query"), "query").unique()[0])
    relevant = int((reader.numbers(table.column("grade"), "grade") > 0).sum())
    with_subtopics = "with subtopics, " if "subtopic" in table else ""
    items = many(len(table.frame), "item")
    if table.implicit:
        return f"{many(queries, 'query', 'queries')}, {items}, without grades: all have grade 1"
    return f"{with_subtopics}{many(queries, 'query', 'queries')}, {items}, {relevant:,} relevant"


def _results(table: reader.Table) -> str:
    frame, names = table.frame, list(table.run_columns)
    measures = list(dict.fromkeys(map(str, frame[table.roles["measure"]].unique())))
    names_of_measures = ", ".join(measures[:4]) + (", ..." if len(measures) > 4 else "")
    if table.kind == "preferences":
        sides = [f"{name}_{side}" for side in "ab" for name in names]
        of = many(len(frame[sides].drop_duplicates()), "pair")
    else:
        of = many(len(frame[names].drop_duplicates()) if names else 1, "run")
    return f"{of} x {many(frame[table.roles['query']].nunique(), 'query', 'queries')}, {names_of_measures}"


SIZES = {"runs": _runs, "qrels": _qrels, "scores": _results, "preferences": _results}


def nearly(frame: pd.DataFrame) -> str:
    """Return what an unrecognized frame looks like, and the call that converts it; empty without a match.

    Examples
    --------
    >>> nearly(pd.DataFrame({"qid": ["1"], "map": [0.5]}))
    'it looks like scores with one column per measure (map): convert it with pdeval.scores(df)'
    >>> nearly(pd.DataFrame({"x": [1]}))
    ''
    """
    columns = [str(name) for name in frame.columns]
    if any(name == "winner" or name.startswith("winner_") for name in columns):
        return "it looks like a log of votes: convert it with pdeval.votes(df)"
    id_columns = candidates("query", columns) or [
        name for name in names_of("run") if name in columns
    ]
    numeric = [
        str(name) for name, column in frame.items() if pd.api.types.is_numeric_dtype(column.dtype)
    ]
    measures = [
        name for name in numeric if name not in id_columns and catalog_name(name) is not None
    ]
    if id_columns and measures and not candidates("doc", columns):
        return (
            f"it looks like scores with one column per measure ({', '.join(measures[:3])}): convert it with "
            "pdeval.scores(df)"
        )
    return ""


FEW = 4  # number of kinds of table in an error


class NoSuchVerb(AttributeError, ValueError):
    """A table does not have that verb."""


def wrong_name(kind: str | None, name: str, accessor: Any = None) -> AttributeError:
    """Return the AttributeError for an unknown verb, with a suggestion.

    Parameters
    ----------
    kind : str, optional
        Kind of the table; None if it was not recognized.
    name : str
        The attribute that was requested.
    accessor : Ireval, optional
        Accessor of the table, used to report missing columns.

    Examples
    --------
    >>> import pdeval
    >>> wrong_name("scores", "ttest")
    NoSuchVerb("no verb 'ttest'. Use .compare(test='t').")
    """
    if name.startswith("_") or name in ("shape", "columns", "size"):
        return AttributeError(name)
    every = list(dict.fromkeys(verb for verbs in VERBS.values() for verb in verbs.values()))
    for verb in every:
        if name in verb.other_names:
            return NoSuchVerb(f"no verb {name!r}. Use .{verb.other_names[name]}.")
    if schema := SCHEMAS.get(kind or ""):
        reason = {"report": schema.no_report, "plot": schema.no_plot}.get(name)
        if reason:
            return NoSuchVerb(f"{schema.article} has no {name}: {reason}.")
    if kinds := dict.fromkeys(on for verb in every if verb.family == name for on in verb.on):
        return NoSuchVerb(_elsewhere(kind, name, kinds, accessor))
    near = nearest(name, {verb.family for verb in of_kind(kind or "").values()})
    hint = f" Did you mean .{near}()?" if near else ""
    return NoSuchVerb(f"no verb {name!r}.{hint} {_looks(kind)}")


def _elsewhere(kind: str | None, name: str, kinds: Iterable[str], accessor: Any) -> str:
    """Return the error about a verb of other kinds of table: which have it, and what this one lacks."""
    wanted = list(dict.fromkeys("runs" if one == "judged" else one for one in kinds))
    if kind is None and accessor is not None:
        if hint := nearly(accessor._frame):
            return f"{name}(): this table is not recognized; {hint}."
        known = [one for one in wanted if one in SCHEMAS and not SCHEMAS[one].square]
        first = min(known, key=lambda one: (_missing_fraction(one, accessor), one != "runs"))
        try:
            reader.read(accessor, first)
        except (ValueError, KeyError, TypeError) as fault:
            return f"{name}(): {fault.args[0]}"
    if kind == "judged" and len(wanted) > FEW:
        return f"{name}() needs a table of results, and {_looks(kind)} Use .measure('AP').ireval.{name}()."
    texts = [with_article(SCHEMAS[one].description) for one in wanted if one in SCHEMAS]
    if len(texts) > FEW:
        texts[FEW - 1 :] = [f"one of {len(texts) - FEW + 1} other tables that verbs return"]
    needs = ", ".join(texts[:-1]) + (" or " if len(texts) > 1 else "") + texts[-1]
    return f"{name}() needs {needs}; {_looks(kind)}"


def _missing_fraction(kind: str, accessor: Any) -> float:
    """Return the fraction of the columns of a kind that a table lacks; the run column is optional."""
    schema = SCHEMAS[kind]
    marks = [one for one in schema.recognized_by or schema.required if one != "run"]
    return len(missing_columns(schema, accessor._frame, accessor._binding)) / max(len(marks), 1)


def _looks(kind: str | None) -> str:
    if kind is None:
        return "this table is not recognized. Bind its roles: df.ireval(query=..., doc=..., score=...)."
    if kind == "judged":
        return "this is a join of runs and judgments."
    then = SCHEMAS[kind].then
    return f"this looks like {SCHEMAS[kind].article}." + (f" Next: {then}." if then else "")
