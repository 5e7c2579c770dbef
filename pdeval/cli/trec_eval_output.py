"""Scores in the format of trec_eval: `measure<TAB>query<TAB>value`, the measure padded to 22 characters."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pdeval.catalog import (
    OTHER_JUDGMENTS,
    SETS,
    SINCE_10,
    TABLE,
    aggregate_of,
    check_parameters,
    cutoffs,
    exact_names,
    number,
    parse,
)
from pdeval.evaluate import Scores, of_scores
from pdeval.evaluate.scores import scores
from pdeval.join import Judged, Positions
from pdeval.tables import run_labels

# printed only for the run, and only for queries
TOTAL_ONLY = ("runid", "num_q", "gm_map", "gm_bpref")
QUERY_ONLY = ("relstring",)


class Line(NamedTuple):
    """One line of the output: the measure of trec_eval, its printed name, and the computed measure."""

    measure: str
    name: str
    label: str | None


def lines(names: list[str], *, version: int = 10) -> list[Line]:
    """Return the lines that a list of `-m` values requests, in trec_eval's order.

    A name with parameters replaces the name without; several lists of cutoffs are combined. Names of pdeval are
    accepted and come last.

    Parameters
    ----------
    version : {10, 9}
        Version of trec_eval; version 9 has no rbp, rbp_resid and unj.

    Examples
    --------
    >>> [line.name for line in lines(["ndcg_cut.20,10", "P.5,7,3", "map"])]
    ['map', 'P_3', 'P_5', 'P_7', 'ndcg_cut_10', 'ndcg_cut_20']

    The name is rounded as in trec_eval, the computed measure is not:

    >>> [(line.name, line.label) for line in lines(["iprec_at_recall..125", "RBP(p=0.5)"])]
    [('iprec_at_recall_0.12', 'iprec_at_recall_0.125'), ('RBP(p=0.5)', 'RBP(p=0.5)')]
    """
    absent = SINCE_10 if version < 10 else ()
    parameters_of: dict[str, list[str]] = {}
    others: dict[str, Line] = {}
    for text in names or ["official"]:
        name, _, parameters = text.partition(".")
        if name not in TABLE and name not in SETS:
            # a printed name such as ndcg_cut_10, which scripts also pass to -m
            stem, _, cutoff = text.rpartition("_")
            numbered = (
                stem in TABLE
                and TABLE[stem][0] in ("integer", "fraction")
                and number(cutoff) is not None
            )
            name, parameters = (stem, cutoff) if numbered else (text, "")
        if name in OTHER_JUDGMENTS:
            raise ValueError(
                f"'-m {name}' is not supported: it needs preference judgments or judgment groups (-R prefs, qrels_jg), "
                "and pdeval reads only qrels."
            )
        if name in absent:
            raise ValueError(
                f"trec_eval 9 has no measure {name!r}. Omit '-m {text}' or '--compat trec_eval-9'."
            )
        if name in SETS and not parameters:
            for member in set(SETS[name]) - set(absent):
                parameters_of.setdefault(member, [])
        elif name in TABLE:
            check_parameters(name, parameters, text)
            parameters_of.setdefault(name, []).extend([parameters] if parameters else [])
        else:
            label = parse(text).label
            others.setdefault(label, Line(label, label, label))
    requested = []
    for name in (name for name in TABLE if name in parameters_of):
        exact = exact_names(name, parameters_of[name])
        printed = exact
        if TABLE[name][0] == "fraction":
            # the name is rounded as in trec_eval, the computed measure is not
            printed = [f"{name}_{cutoff:.2f}" for cutoff in cutoffs(name, parameters_of[name])]
        requested += [_line(name, *pair) for pair in zip(printed, exact)]
    return [*requested, *others.values()]


def _line(measure: str, name: str, exact: str) -> Line:
    if measure in ("runid", "num_q", "relstring"):
        return Line(measure, name, None)
    computed = parse(exact)
    if computed.parameters.get("rest") and measure == "utility":
        raise ValueError(
            "the fourth parameter of utility, the weight of the rest of the collection (-N), is not supported. "
            f"Set it to 0 in {exact!r}, or use Utility(rest=...) of pdeval."
        )
    return Line(measure, name, computed.label)


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
        Runs and judgments, with the level and the topic rule.
    lines : list of Line
        Lines to print; see `pdeval.cli.trec_eval_output.lines`.
    per_query : bool
        Print every query before the total (`-q`).
    total : bool
        Print the total (not `-n`).
    tags : mapping of run to str, optional
        Value of `runid`; by default the name of the run. The output of each of several runs begins with it.
    unanswered : bool
        Print lines for unanswered queries that count (`-q -c`); trec_eval 9 prints none.

    Examples
    --------
    >>> import pdeval
    >>> from pdeval.cli.trec_eval_output import lines
    >>> runs = pdeval.datasets.sample_runs().query("run == 'bm25'")
    >>> judged = runs.ireval.join(pdeval.datasets.sample_qrels(), queries="answered")
    >>> for row in rows(judged, lines(["num_q", "map"])):
    ...     print(row.replace("\\t", "|"))
    num_q                 |all|50
    map                   |all|0.3278
    """
    labels = list(dict.fromkeys(line.label for line in lines if line.label is not None))
    cube = scores(judged, labels or ["NumRet"])
    means = (
        of_scores(cube, confidence=None)["mean"]
        .to_numpy()
        .reshape(len(cube.runs), len(cube.measures))
    )
    answered = ~np.isnan(cube.values[0])
    printed = answered if unanswered else answered & judged.positions.answered
    formats = {
        label: "{:.0f}" if aggregate_of(label, cube.attrs) == "sum" else "{:6.4f}"
        for label in cube.measures
    }
    has_runid = any(line.measure == "runid" for line in lines)
    # trec_eval sorts queries as text: 10 before 2
    places = np.array(sorted(range(len(cube.queries)), key=lambda place: str(cube.queries[place])))
    for run, name in enumerate(run_labels(cube.runs)):
        texts = {
            "runid": (tags or {}).get(str(name), str(name)),
            "num_q": str(int(answered[:, run].sum())),
        }
        if len(cube.runs) > 1 and not has_runid:
            yield row("runid", "all", texts["runid"])
        if per_query:
            # lines that are not only for the total
            texts_of_line = [
                (line.name, _query_texts(line, cube, judged.positions, run, formats))
                for line in lines
                if line.measure not in TOTAL_ONLY
            ]
            for place in places[printed[places, run]].tolist():
                yield from (
                    row(line, cube.queries[place], values[place]) for line, values in texts_of_line
                )
        if total:
            texts |= {
                label: formats[label].format(mean) for label, mean in zip(cube.measures, means[run])
            }
            of_run = [line for line in lines if line.measure not in QUERY_ONLY]
            yield from (row(line.name, "all", texts[line.label or line.measure]) for line in of_run)


def row(name: str, query: object, value: str) -> str:
    """Return one line.

    Examples
    --------
    >>> row("map", 301, "0.1785")
    'map                   \\t301\\t0.1785'
    """
    return f"{name:<22}\t{query}\t{value}"


def _query_texts(
    line: Line, cube: Scores, positions: Positions, run: int, formats: Mapping[str, str]
) -> list[str]:
    """Return the text of a line for each query."""
    if line.label is None:
        strings = _relevance_strings(positions, line.name, run)
        return [f"'{strings.get(query, '')}'" for query in cube.queries]
    return [
        formats[line.label].format(value)
        for value in cube.values[cube.measures.index(line.label), :, run]
    ]


def _relevance_strings(positions: Positions, name: str, run: int) -> dict[object, str]:
    """Return the grades of the first items per query: - not in the pool, . in the pool but unjudged, > above 9."""
    depth = int(name.partition("_")[2] or RELSTRING)
    near = (positions.run == run) & (positions.rank <= depth)
    topic = positions.judged.topic[positions.item[near]]
    grade = positions.judged.grade[positions.item[near]]
    # (queries, ranks), one character each
    table = np.full((len(positions.queries), depth), "-")
    table[topic, positions.rank[near].astype(int) - 1] = np.where(
        grade > 9, ">", np.where(grade < 0, ".", np.clip(grade, 0, 9).astype(int).astype(str))
    )
    length = np.minimum(positions.retrieved[:, run], depth).astype(int)
    return {
        query: "".join(line[:end]) for query, line, end in zip(positions.queries, table, length)
    }


def needed(lines: Sequence[Line]) -> list[Any] | None:
    """Return the measures that a join is for; None if it must have all judged items.

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
