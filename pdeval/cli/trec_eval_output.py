"""Scores as trec_eval prints them: `measure<TAB>query<TAB>value`, the measure padded to 22 characters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pdeval.catalog import parse
from pdeval.catalog.directions import aggregate_of
from pdeval.catalog.trec_eval_names import (
    OTHER_JUDGMENTS,
    SETS,
    SINCE_10,
    TABLE,
    check_parameters,
    cutoffs,
    exact_names,
    number,
)
from pdeval.evaluate.cube import Scores
from pdeval.evaluate.scores import scores
from pdeval.evaluate.summary import of_scores
from pdeval.join.judged import Judged
from pdeval.join.positions import Positions
from pdeval.tables.labels import run_labels

# of the whole run, and of a query alone: neither is a number to average
TOTAL_ONLY = ("runid", "num_q", "gm_map", "gm_bpref")
QUERY_ONLY = ("relstring",)


class Line(NamedTuple):
    """One line of the output: the measure of trec_eval, the name that it prints, and the measure that is computed."""

    measure: str
    name: str
    label: str | None


def lines(asked: list[str], *, version: int = 10) -> list[Line]:
    """Return the lines that a list of `-m` values asks for, in trec_eval's order.

    A name with parameters replaces the same name without; cutoffs given twice add up. pdeval's own names are
    understood too, and come last.

    Parameters
    ----------
    version : {10, 9}
        Of trec_eval: version 9 has no rbp, rbp_resid and unj.

    Examples
    --------
    >>> [line.name for line in lines(["ndcg_cut.20,10", "P.5,7,3", "map"])]
    ['map', 'P_3', 'P_5', 'P_7', 'ndcg_cut_10', 'ndcg_cut_20']

    The name is rounded as trec_eval does, what is computed is not:

    >>> [(line.name, line.label) for line in lines(["iprec_at_recall..125", "RBP(p=0.5)"])]
    [('iprec_at_recall_0.12', 'iprec_at_recall_0.125'), ('RBP(p=0.5)', 'RBP(p=0.5)')]
    """
    lacking = SINCE_10 if version < 10 else ()
    chosen: dict[str, list[str]] = {}
    others: dict[str, Line] = {}
    for text in asked or ["official"]:
        name, _, parameters = text.partition(".")
        if name not in TABLE and name not in SETS:
            name, parameters = _underscored(text)
        if name in OTHER_JUDGMENTS:
            raise ValueError(
                f"'-m {name}' is not served: it is for preference judgments or judgment groups (-R prefs, qrels_jg), "
                "and pdeval reads qrels."
            )
        if name in lacking:
            raise ValueError(f"trec_eval 9 has no measure {name!r}: leave out '-m {text}', or '--compat trec_eval-9'.")
        if name in SETS and not parameters:
            for member in SETS[name]:
                if member not in lacking:
                    chosen.setdefault(member, [])
        elif name in TABLE:
            check_parameters(name, parameters, text)
            chosen.setdefault(name, []).extend([parameters] if parameters else [])
        else:
            label = parse(text).label
            others.setdefault(label, Line(label, label, label))
    found = [line for name in TABLE if name in chosen for line in _lines_of(name, chosen[name])]
    return [*found, *others.values()]


def _underscored(text: str) -> tuple[str, str]:
    """Return a printed name such as ndcg_cut_10, which scripts also pass to -m, as name and parameter."""
    name, _, parameters = text.rpartition("_")
    numbered = name in TABLE and TABLE[name][0] in ("whole", "share")
    return (name, parameters) if numbered and number(parameters) is not None else (text, "")


def _lines_of(name: str, given: list[str]) -> list[Line]:
    style, exact = TABLE[name][0], exact_names(name, given)
    printed = [f"{name}_{cutoff:.2f}" for cutoff in cutoffs(name, given)] if style == "share" else exact
    return [_line(name, *names) for names in zip(printed, exact)]


def _line(measure: str, name: str, exact: str) -> Line:
    if measure in ("runid", "num_q", "relstring"):
        return Line(measure, name, None)
    asked = parse(exact)
    if asked.parameters.get("rest") and measure == "utility":
        raise ValueError(
            "the fourth parameter of utility weighs the rest of the collection, whose size trec_eval takes from -N; "
            f"that is not served: make it 0 in {exact!r}, or ask for pdeval's own Utility(rest=...)."
        )
    return Line(measure, name, asked.label)


RELSTRING = 10


def rows(
    judged: Judged,
    lines: Sequence[Line],
    *,
    per_query: bool = False,
    total: bool = True,
    tags: Mapping[str, str] | None = None,
    unanswered: bool = True,
) -> Iterator[str]:
    """Yield the output line by line, run after run.

    Parameters
    ----------
    judged : Judged
        Runs and judgments, under the level and topic rule wanted.
    lines : list of Line
        What to print; see `pdeval.cli.trec_eval_output.lines`.
    per_query : bool
        Print every query before the total (`-q`).
    total : bool
        Print the total (not `-n`).
    tags : mapping of run to str, optional
        What stands behind `runid`; by default the run's name. Where there are several runs, each begins with it.
    unanswered : bool
        Print lines for queries that count but that the run did not answer (`-q -c`); trec_eval 9 prints none.

    Examples
    --------
    >>> import pdeval
    >>> from pdeval.cli.trec_eval_output import lines
    >>> runs = pdeval.datasets.sample_runs().query("run == 'bm25'")
    >>> judged = runs.ireval.join(pdeval.datasets.sample_qrels(), topics="answered")
    >>> for row in rows(judged, lines(["num_q", "map"])):
    ...     print(row.replace("\\t", "|"))
    num_q                 |all|50
    map                   |all|0.3278
    """
    labels = list(dict.fromkeys(line.label for line in lines if line.label is not None))
    cube = scores(judged, labels or ["NumRet"])
    means = of_scores(cube, confidence=None)["mean"].to_numpy().reshape(len(cube.runs), len(cube.measures))
    answered = ~np.isnan(cube.values[0])
    several = len(cube.runs) > 1
    strings = [line for line in lines if line.measure in QUERY_ONLY]
    for place, run in enumerate(run_labels(cube.runs)):
        tag = (tags or {}).get(str(run), str(run))
        if several and not any(line.measure == "runid" for line in lines):
            yield row("runid", "all", tag)
        if per_query:
            relevance = {line.name: _relevance_strings(judged.positions, line.name, place) for line in strings}
            shown = answered[:, place]
            if not unanswered:
                shown = shown & judged.positions.answered[:, place]
            yield from _of_queries(cube, lines, place, shown, relevance)
        if total:
            values = dict(zip(cube.measures, means[place]))
            yield from _of_run(lines, values, tag, int(answered[:, place].sum()), cube.attrs)


def row(name: str, query: object, value: str) -> str:
    """Return one line.

    Examples
    --------
    >>> row("map", 301, "0.1785")
    'map                   \\t301\\t0.1785'
    """
    return f"{name:<22}\t{query}\t{value}"


def _shown(label: str, value: float, attrs: Mapping[str, Any]) -> str:
    return f"{value:.0f}" if aggregate_of(label, attrs) == "sum" else f"{value:6.4f}"


def _of_queries(
    cube: Scores, lines: Sequence[Line], run: int, answered: np.ndarray, relevance: dict[str, dict[Any, Any]]
) -> Iterator[str]:
    places = {label: place for place, label in enumerate(cube.measures)}
    own = [line for line in lines if line.measure not in TOTAL_ONLY]
    for at, query in enumerate(cube.queries):
        if not answered[at]:
            continue
        for line in own:
            if line.label is None:
                yield row(line.name, query, f"'{relevance[line.name].get(query, '')}'")
            else:
                yield row(line.name, query, _shown(line.label, cube.values[places[line.label], at, run], cube.attrs))


def _of_run(
    lines: Sequence[Line], values: Mapping[str, float], tag: str, queries: int, attrs: Mapping[str, Any]
) -> Iterator[str]:
    for line in lines:
        if line.measure == "runid":
            yield row("runid", "all", tag)
        elif line.measure == "num_q":
            yield row("num_q", "all", str(queries))
        elif line.label is not None:
            yield row(line.name, "all", _shown(line.label, values[line.label], attrs))


def _relevance_strings(positions: Positions, name: str, run: int) -> dict[object, str]:
    """Return the grades of the first items per query: - not in the pool, . in the pool but not judged, > above 9."""
    depth = int(name.partition("_")[2] or RELSTRING)
    near = (positions.run == run) & (positions.rank <= depth)
    topic = positions.judged.topic[positions.item[near]]
    grade = positions.judged.grade[positions.item[near]]
    table = np.full((len(positions.queries), depth), "-")
    digits = np.where(grade > 9, ">", np.where(grade < 0, ".", np.clip(grade, 0, 9).astype(int).astype(str)))
    table[topic, positions.rank[near].astype(int) - 1] = digits
    length = np.minimum(positions.retrieved[:, run], depth).astype(int)
    return {query: "".join(line[:end]) for query, line, end in zip(positions.queries, table, length)}


def needed(lines: Sequence[Line]) -> list[Any] | None:
    """Return the measures that a join has to serve; None where it must hold every judged item.

    Examples
    --------
    >>> from pdeval.cli.trec_eval_output import lines
    >>> needed(lines(["map"]))[0].label, needed(lines(["relstring"]))
    ('map', None)
    """
    if any(line.measure in QUERY_ONLY for line in lines):
        return None
    return [parse(line.label) for line in lines if line.label is not None] or [parse("NumRet")]


def tags(runs: pd.DataFrame) -> dict[str, str]:
    """Return the tag in the last line of each run, which trec_eval prints as `runid`, by the name of the run.

    Examples
    --------
    >>> tags(pd.DataFrame({"run": ["submission", "submission"], "tag": ["DRAFT", "STANDARD"]}))
    {'submission': 'STANDARD'}
    """
    if "tag" not in runs.columns:
        return {}
    last = runs.drop_duplicates("run", keep="last").dropna(subset=["tag"])
    return dict(zip(last["run"].astype(str), last["tag"].astype(str)))
