"""pytrec_eval's interface: nested dicts in, nested dicts of floats out, equal to its numbers to the last bit.

    from pdeval.compat import pytrec_eval
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, {"map", "ndcg_cut.10"})
    evaluator.evaluate(run)

It also accepts DataFrames: judgments as a table, and a run table with one or more runs.
"""

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from itertools import chain
from numbers import Integral, Real
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from pdeval.catalog import SETS, SINCE_10, TABLE, needs_judged, parse
from pdeval.cli.trec_eval_output import lines
from pdeval.evaluate import Views
from pdeval.join import Judged, Judgments, NothingJudged, Positions, positions, read_judgments
from pdeval.tables import Table, read, text_dtype

__all__ = [
    "RelevanceEvaluator",
    "compute_aggregated_measure",
    "parse_qrel",
    "parse_run",
    "supported_measures",
    "supported_nicknames",
]

__version__ = "0.5.11"  # the release of pytrec_eval-terrier whose names and numbers these are

supported_measures = frozenset(set(TABLE) - set(SINCE_10))
supported_nicknames = {
    name: frozenset(set(members) - set(SINCE_10)) for name, members in SETS.items()
}

LEAST = 0.00001  # trec_eval replaces 0 by this before taking the logarithm
LOGARITHMS = {"gm_map": "map", "gm_bpref": "bpref"}
CONSTANTS = {"runid": 0.0, "num_q": 1.0, "relstring": 0.0}


class RelevanceEvaluator:
    """Evaluates runs against judgments, like the class of the same name in pytrec_eval.

    Parameters
    ----------
    query_relevance : mapping of query to mapping of doc to grade, or DataFrame
        Judgments. A query without any judgment is ignored.
    measures : iterable of str
        Names of trec_eval, with parameters after a dot or an underscore ("ndcg_cut.5,10", "P_10"), or names of
        sets: "official", "set", "all_trec".
    relevance_level : int
        Smallest relevant grade.
    judged_docs_only_flag : bool
        Whether to remove unjudged documents from the rankings first.

    Examples
    --------
    >>> qrels = {"q1": {"d1": 1, "d2": 0, "d3": 2}}
    >>> evaluator = RelevanceEvaluator(qrels, {"map", "ndcg_cut.1,3"})
    >>> evaluator.evaluate({"q1": {"d1": 0.5, "d2": 0.9}})
    {'q1': {'map': 0.25, 'ndcg_cut_1': 0.0, 'ndcg_cut_3': 0.23981246656813146}}

    The result for a DataFrame of several runs has one such dict per run:

    >>> import pdeval
    >>> evaluator = RelevanceEvaluator(pdeval.datasets.sample_qrels(), {"map"})
    >>> evaluator.evaluate(pdeval.datasets.sample_runs())["bm25"]["101"]
    {'map': 0.34699396726546056}
    """

    def __init__(
        self,
        query_relevance: Any,
        measures: Iterable[str],
        relevance_level: int = 1,
        judged_docs_only_flag: bool = False,
    ) -> None:
        if relevance_level != int(relevance_level) or relevance_level < 1:
            raise TypeError(
                f"relevance_level={relevance_level!r}: expected an integer of at least 1."
            )
        names = _spelled(set(measures))
        requested = lines(names, version=9) if names else []
        # pytrec_eval names set_F without its parameter
        self._lines = [
            line._replace(name="set_F") if line.measure == "set_F" else line for line in requested
        ]
        self._level = int(relevance_level)
        self._judged_only = bool(judged_docs_only_flag)
        self._measures = {
            line.name: parse(LOGARITHMS.get(line.measure) or str(line.label))
            for line in self._lines
            if line.measure not in CONSTANTS
        }
        self._complete = self._judged_only or needs_judged(self._measures.values())
        is_dict = isinstance(query_relevance, Mapping)
        self._qrels = (
            dict_table(query_relevance, "qrels") if is_dict else read(query_relevance, "qrels")
        )

    def evaluate(self, scores: Any) -> dict[Any, Any]:
        """Return the value of every measure on every judged query that the run answers.

        Parameters
        ----------
        scores : mapping of query to mapping of doc to score, or DataFrame
            A run, or a run table.

        Returns
        -------
        dict
            Query -> measure -> value; for a run table with a run column, run -> query -> measure -> value.
        """
        if isinstance(scores, Mapping | list | tuple) and not len(scores):
            return {}
        if isinstance(scores, Mapping):
            return self._of_dict(scores)
        if not isinstance(scores, pd.DataFrame) and not hasattr(scores, "_frame"):
            raise TypeError(
                f"a run must be a dict of dicts or a DataFrame, got {type(scores).__name__}."
            )
        table = read(scores, "runs")
        joined = self._join(table, validate=True)
        results = {} if joined is None else self._nested(joined, joined.answered)
        return results if table.run_columns else next(iter(results.values()), {})

    def _of_dict(self, scores: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
        empty = [query for query, docs in scores.items() if not len(docs)]
        joined = self._join(dict_table(scores, "runs"), validate=False)
        if joined is None and empty:
            joined = self._join_empty()
        if joined is None:
            return {}
        answered = joined.answered
        if empty:
            answered = answered | np.asarray(joined.queries.astype(object).isin(empty))[:, None]
        return next(iter(self._nested(joined, answered).values()))

    def _join_empty(self) -> Positions | None:
        """Return the join of an empty list: the join of the first judged item, without its row."""
        first = self._qrels.frame.iloc[:1].rename(columns={self._qrels.roles["grade"]: "score"})
        roles = {
            "query": self._qrels.roles["query"],
            "doc": self._qrels.roles["doc"],
            "score": "score",
        }
        joined = self._join(Table("runs", first, roles), validate=False)
        if joined is None:
            return None
        none = np.zeros(0, dtype=np.int64)
        return replace(
            joined,
            item=none,
            run=none,
            rank=none.astype(np.float64),
            start=none.astype(np.float64),
            size=none.astype(np.float64),
            retrieved=np.zeros_like(joined.retrieved),
        )

    def _join(self, runs: Table, *, validate: bool) -> Positions | None:
        if not len(self._qrels.frame) or not len(runs.frame):
            return None
        rules: dict[str, Any] = {"ties": "docid", "compat": "trec_eval-9", "validate": validate}
        try:
            return positions.join(
                runs, self._qrels, complete=self._complete, judged=self._judgments, **rules
            )
        except NothingJudged:
            return None

    @cached_property
    def _judgments(self) -> Judgments:
        """The judgments, which all runs share."""
        return read_judgments(self._qrels, complete=self._complete)

    def _nested(
        self, joined: Positions, mask: np.ndarray
    ) -> dict[Any, dict[Any, dict[str, float]]]:
        """Return run -> query -> measure -> value for the (query, run) cells of a mask."""
        joined = joined.only_judged() if self._judged_only else joined
        values = self._values(joined)
        queries = np.array(joined.queries.astype(object))
        runs: Iterable[Any] = (
            joined.runs.iloc[:, 0].astype(object)
            if len(joined.runs.columns) == 1
            else joined.runs.itertuples(index=False, name=None)
        )
        measures = [line.name for line in self._lines]
        return {
            name: {
                query: dict(zip(measures, row))
                for query, row in zip(queries[rows], values[:, rows, run].T.tolist())
            }
            for run, (name, rows) in enumerate(zip(runs, mask.T))
        }

    def _values(self, joined: Positions) -> np.ndarray:
        """Return the values of all measures, of shape (measures, topics, runs)."""
        views = Views(Judged(joined, self._level, "judged"))
        relevant = np.bincount(
            joined.judged.topic[joined.relevant(self._level)], minlength=len(joined.queries)
        )
        nothing = joined.retrieved == 0
        values = np.empty((len(self._lines), *joined.retrieved.shape))
        for row, line in zip(values, self._lines):
            row[:] = (
                CONSTANTS[line.measure]
                if line.measure in CONSTANTS
                else views.values(self._measures[line.name])
            )
            if line.measure in LOGARITHMS:
                # the C library's logarithm, which numpy's may differ from in the last bit
                row[:] = np.reshape(
                    [math.log(max(value, LEAST)) for value in row.ravel().tolist()], row.shape
                )
            if line.measure in ("iprec_at_recall", "11pt_avg") and nothing.any():
                # the precision of an empty list before its first relevant item is 0 of 0 there
                recall = 0.0 if line.measure == "11pt_avg" else float(line.name.rpartition("_")[2])
                row[nothing & ((recall * relevant + 0.9).astype(int) == 0)[:, None]] = np.nan
        return values


def _spelled(measures: Iterable[str]) -> list[str]:
    """Return names in the syntax of trec_eval's -m; raise if one is not supported."""
    names = []
    for name in measures:
        match = re.fullmatch(r"(.+?)[._]([0-9]+(?:\.[0-9]+)?(?:,[0-9]+(?:\.[0-9]+)?)*)", str(name))
        style = TABLE[match[1]][0] if match and match[1] in supported_measures else "plain"
        if name in supported_measures or name in supported_nicknames:
            names.append(name)
        elif match and (style in ("integer", "fraction") or match[1] == "set_F"):
            names.append(f"{match[1]}.{match[2]}")
        else:
            raise ValueError(
                f"unsupported measure {name!r}. Supported: {', '.join(sorted(supported_measures))}. Write cutoffs as "
                "'ndcg_cut.5,10' or 'P_10'."
            )
    return names


def dict_table(nested: Mapping[Any, Mapping[Any, Any]], kind: str) -> Table:
    """Return a nested dict as a table; raise if its keys are not strings or its values not numbers."""
    what, number, role, column, needs = DICTS[kind]
    inner = list(nested.values())
    for docs in inner:
        if not isinstance(docs, Mapping):
            raise TypeError(
                f"a {what} dict must have a dict for every query, got {type(docs).__name__}."
            )
    names = list(chain.from_iterable(inner))
    ids = _inferred(names, pa.string())
    kinds = {*map(type, nested), *(map(type, names) if ids is None else ())}
    if wrong := [kind for kind in kinds if not issubclass(kind, str)]:
        raise TypeError(
            f"the ids of the {what} must be strings; some are {wrong[0].__name__}. Convert them with str()."
        )
    numbers = list(chain.from_iterable(part.values() for part in inner))
    values = _inferred(numbers, pa.float64() if number is Real else pa.int64())
    kinds = set(map(type, numbers)) if values is None else set()
    if wrong := [kind for kind in kinds if not issubclass(kind, number)]:
        raise TypeError(f"the {needs}; some are {wrong[0].__name__}.")
    query = pd.Categorical.from_codes(
        np.repeat(np.arange(len(inner)), [len(docs) for docs in inner]),
        categories=pd.Index(list(nested), dtype=object),
    )
    ids = pa.array(names, pa.large_string()) if ids is None else ids
    doc = text_dtype().__from_arrow__(pa.chunked_array([ids]))
    value = np.array(numbers if values is None else values, dtype=np.float64)
    frame = pd.DataFrame({"query_id": query, "doc_id": doc, column: value})
    return Table(kind, frame, {"query": "query_id", "doc": "doc_id", role: column})


def _inferred(values: list[Any], kind: pa.DataType) -> pa.Array | None:
    """Return values as an Arrow array if all are of this type, which Arrow finds faster than Python; else None."""
    try:
        array = pa.array(values)
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError, UnicodeEncodeError):
        return None
    plain = isinstance(array, pa.Array) and array.type == kind  # large texts come in several chunks
    return array if plain and not array.null_count else None


# for each kind of table: name in messages, type of the numbers, their role and column, and the error if they differ
DICTS: dict[str, tuple[str, type, str, str, str]] = {
    "qrels": (
        "judgments",
        Integral,
        "grade",
        "relevance",
        "grades of the judgments must be integers",
    ),
    "runs": ("run", Real, "score", "score", "scores of the run must be numbers"),
}


def compute_aggregated_measure(measure: str, values: Iterable[float]) -> float:
    """Aggregate the values of all queries: the sum of counts, the geometric mean of logarithms, else the mean.

    Examples
    --------
    >>> compute_aggregated_measure("num_ret", [2.0, 3.0]), compute_aggregated_measure("map", [0.5, 0.25])
    (5.0, 0.375)
    """
    per_query = list(values)
    if measure.startswith("num_"):
        return float(np.sum(per_query))
    return float(
        np.exp(np.sum(per_query) / len(per_query))
        if measure.startswith("gm_")
        else np.mean(per_query)
    )


def parse_run(f_run: Iterable[str]) -> dict[str, dict[str, float]]:
    """Parse the lines of a TREC run file into nested dicts; a repeated document in a list is an error.

    Examples
    --------
    >>> parse_run(["q1 Q0 d1 1 0.5 bm25"])
    {'q1': {'d1': 0.5}}
    """
    return _parsed(f_run, fields=6, value=4, number=float)


def parse_qrel(f_qrel: Iterable[str]) -> dict[str, dict[str, int]]:
    """Parse the lines of a TREC qrels file into nested dicts; a document judged twice is an error.

    Examples
    --------
    >>> parse_qrel(["q1 0 d1 1"])
    {'q1': {'d1': 1}}
    """
    return _parsed(f_qrel, fields=4, value=3, number=int)


def _parsed(
    file: Iterable[str], *, fields: int, value: int, number: Any
) -> dict[str, dict[str, Any]]:
    lists: dict[str, dict[str, Any]] = {}
    for line_number, line in enumerate(file, 1):
        parts = line.split()
        if len(parts) != fields:
            raise ValueError(
                f"line {line_number} has {len(parts)} fields, not {fields}: {line.strip()!r}."
            )
        query, doc = parts[0], parts[2]
        if doc in lists.setdefault(query, {}):
            raise ValueError(
                f"line {line_number} repeats document {doc!r} of query {query!r}. Keep one of the lines."
            )
        lists[query][doc] = number(parts[value])
    return lists
