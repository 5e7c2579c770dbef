"""The rows of runs with their labels: rank, grade, gain and contribution of every document, judged or not."""

from dataclasses import replace
from typing import Any, Literal, NamedTuple, Self

import numpy as np
import pandas as pd

from pdeval.catalog import Measure, parse_all
from pdeval.evaluate.contributions import item_contributions
from pdeval.evaluate.cube import described_frame, pair_columns, run_columns
from pdeval.evaluate.run_selection import place_of_query, places_of_runs
from pdeval.evaluate.scores import attributes, only_metrics
from pdeval.evaluate.unjudged import integers
from pdeval.join import (
    Compat,
    Judged,
    Positions,
    Rows,
    Ties,
    checked_level,
    first_rows,
    positions_of,
    rows_of,
)
from pdeval.tables import (
    PAIR_TEXT_COLUMNS,
    TEXT_COLUMNS,
    Table,
    Texts,
    labels,
    read,
    read_texts,
    table,
)
from pdeval.verbs import verb

GRADE = "the grade, under the caller's column name; missing if the document is unjudged"
READ = "it is a table to read: one row per document"

table(
    "labeled",
    "run query rank:int doc [score:float] grade:float gain:float " + TEXT_COLUMNS,
    "table of labeled documents",
    recognized_by="-",
    row="run, query and document",
    sort="run query rank",
    no_report=READ,
    no_plot=READ,
    means={
        "rank": "the rank under the rules of the join, from 1",
        "grade": GRADE,
        "gain": "the grade as a gain: 0 if the document is unjudged or its grade is negative",
        "query_text": "with texts=: the text of the query; title, text and url: those of the document",
    },
)
table(
    "labeled_pair",
    "query run_a run_b rank:int doc_a:any grade_a:float doc_b:any grade_b:float moved:int "
    + PAIR_TEXT_COLUMNS,
    "table of two labeled rankings",
    recognized_by="rank doc_a grade_a doc_b grade_b moved",
    row="query and rank",
    sort="query rank",
    no_report=READ,
    no_plot=READ,
    means={
        "doc_a": "the document of run_a at this rank; missing below the end of its list",
        "grade_a": "its grade; missing if it is unjudged",
        "doc_b": "the document of run_b at this rank",
        "grade_b": "its grade",
        "moved": "number of ranks by which run_b ranks doc_b higher than run_a does; missing if run_a does not have it",
        "query_text": "with texts=: the text of the query; title_a, text_a and url_a: those of doc_a, and so for doc_b",
    },
)


@verb(
    on="runs",
    returns=("labeled", "labeled_pair"),
    needs="judged",
    grouped=False,
    other_names={"labelled": "labeled(qrels)", "diffir": "labeled(qrels, layout='side_by_side')"},
)
def labeled(
    table: Table,
    qrels: object,
    measures: object = None,
    *,
    query: object = None,
    runs: object = None,
    top: int | None = None,
    layout: Literal["long", "side_by_side"] = "long",
    texts: object = None,
    level: float | None = None,
    ties: Ties | None = None,
    compat: Compat = "trec_eval-10",
    depth: int | None = None,
    judged_only: bool = False,
) -> pd.DataFrame:
    """Return the documents of each list in rank order, with their grades; the grade of an unjudged document is missing.

    Parameters
    ----------
    measures : str, Measure, or list of them, optional
        Measures, with one column each: the contribution of the document to the measure, as in `explain`. It is missing
        for queries without judgments.
    query : query id or list of them, optional
        Queries to show, as integers or strings; all by default.
    runs : run or list of runs, optional
        Runs to show; all by default. The first of two is run_a.
    top : int, optional
        Number of documents of each list to show; all by default. Contributions do not depend on it.
    layout : {'long', 'side_by_side'}
        One row per document; or one row per rank, with the documents of two runs.

    Examples
    --------
    >>> import pdeval
    >>> judged = pdeval.datasets.sample_judged()
    >>> judged.labeled("nDCG@10", query=103, runs="rerank-s1", top=3).drop(columns="score").round(3)
             run query_id  rank         doc_id  relevance  gain  nDCG@10
    0  rerank-s1      103     1  news-2018-352          3   3.0     0.22
    1  rerank-s1      103     2      doc-01746       <NA>   0.0     0.00
    2  rerank-s1      103     3  news-2018-338       <NA>   0.0     0.00

    Which documents are new in the list of the second run, and which moved up?

    >>> pair = judged.labeled(query=103, runs=["bm25", "rerank-s1"], top=3, layout="side_by_side")
    >>> pair.drop(columns=["query_id", "run_a", "run_b"])
       rank          doc_a  grade_a          doc_b  grade_b  moved
    0     1  news-2022-157        0  news-2018-352        3     58
    1     2  news-2019-478        2      doc-01746     <NA>     46
    2     3  news-2022-018        0  news-2018-338     <NA>   <NA>
    """
    rows = rows_of(table, read(qrels, "qrels"), ties=ties, compat=compat, depth=depth)
    return Request.of(
        *(rows.lists.runs, rows.lists.queries.index(), measures),
        query=query,
        runs=runs,
        layout=layout,
        top=top,
        texts=read_texts(texts),
        level=checked_level(level),
        rules={"ties": rows.ties, "compat": compat, "depth": depth, "judged_only": judged_only},
    ).frame(rows, np.arange(len(rows.lists.runs)))


class Request(NamedTuple):
    """The options of `labeled`, checked once; rows may be those of some of the runs and queries.

    Parameters
    ----------
    runs : DataFrame
        All runs; `selected` are places in it.
    queries : Index, optional
        The queries to show; None for all.
    top_grade : float, optional
        The largest grade of all judgments; by default that of the rows.
    """

    runs: pd.DataFrame
    selected: list[int]
    queries: pd.Index | None
    measures: list[Measure]
    side_by_side: bool
    top: int | None
    texts: Texts
    level: float | None
    rules: dict[str, Any]
    top_grade: float | None = None

    @classmethod
    def of(
        cls,
        all_runs: pd.DataFrame,
        all_queries: pd.Index,
        measures: object,
        *,
        query: object,
        runs: object,
        layout: str,
        **options: Any,
    ) -> Self:
        """Return the request of a call; raise if a run, a query or a measure does not fit."""
        requested = [] if measures is None else parse_all(measures)
        only_metrics(requested)
        if options["rules"]["ties"] == "expected":
            raise ValueError(
                "ties='expected' has no definite ranks. Use ties='docid', 'rank' or 'first'."
            )
        chosen = list(range(len(all_runs))) if runs is None else places_of_runs(all_runs, runs)
        if layout == "side_by_side" and len(chosen) != 2:
            selected = "1 is" if len(chosen) == 1 else f"{len(chosen)} are"
            raise ValueError(
                f"layout='side_by_side' shows two runs, but {selected} selected. Select two with runs=[run_a, run_b]."
            )
        queries = None
        if query is not None:
            wanted = query if np.iterable(query) and not isinstance(query, str) else [query]
            queries = all_queries[[place_of_query(all_queries, one) for one in wanted]]
        return cls(all_runs, chosen, queries, requested, layout == "side_by_side", **options)

    def frame(self, rows: Rows, place_of_run: np.ndarray) -> pd.DataFrame:
        """Return the table of the rows; `place_of_run` is the place of each of their runs among all runs."""
        lists, table = rows.lists, rows.tables[0]
        queries = lists.queries.index()
        depth, judged_only = self.rules["depth"], self.rules["judged_only"]
        run_of_list = place_of_run[lists.run]
        kept = np.isin(run_of_list, self.selected)
        if self.queries is not None:
            kept &= queries.isin(self.queries)[lists.query]
        # with judged_only, ranks change; side by side, run_a may have a document of run_b below rank `top`
        cuts = [depth] if judged_only or self.side_by_side else [depth, self.top]
        cut = min((one for one in cuts if one is not None), default=None)
        place, list_of_row, rank = first_rows(
            rows.score, rows.order, rows.doc, lists, rows.ties, cut, kept
        )
        # the ranks of a list are 1, 2, ...: the new place of a row is that of its list plus its rank
        by_run = np.lexsort((lists.query, run_of_list))
        sizes = np.bincount(list_of_row, minlength=len(by_run))
        starts = np.empty(len(by_run), dtype=np.int64)
        starts[by_run] = np.cumsum(sizes[by_run]) - sizes[by_run]
        order = np.empty(len(place), dtype=np.int64)
        order[starts[list_of_row] + rank - 1] = np.arange(len(place))
        place, list_of_row, rank = place[order], list_of_row[order], rank[order]
        positions = positions_of(rows, compat=self.rules["compat"], depth=depth)
        if self.top_grade is not None:
            positions = replace(positions, top_grade=self.top_grade)
        item = _items(positions, rows)[lists.starts[list_of_row] + rank - 1]
        grades = np.append(positions.judged.grade, np.nan)  # the last one is of item -1, unjudged
        grade = grades[item]
        if judged_only:
            positions, judged = positions.only_judged(), grade >= 0
            place, list_of_row, item, grade = (
                values[judged] for values in (place, list_of_row, item, grade)
            )
            # rows are sorted by list and rank: the remaining ones of a list are counted from 1
            first = np.flatnonzero(np.diff(list_of_row, prepend=-1))
            rank = np.arange(len(place)) - np.repeat(first, np.diff(first, append=len(place))) + 1
        row = place if rows.order is None else rows.order[place]
        joined = Judged(positions, self.level, "judged")
        columns = {
            "query": labels(queries, lists.query[list_of_row]),
            "rank": rank,
            "doc": table.column("doc").array.take(row),
            **({"score": table.column("score").array.take(row)} if "score" in table else {}),
            "grade": integers(grades)[item],
            "gain": np.fmax(grade, 0.0),
            **_contributions(
                joined, self.measures, rows.topic[list_of_row], lists.run[list_of_row], item
            ),
        }
        names = {role: table.roles[role] for role in ("query", "doc")} | {
            "grade": rows.tables[1].roles["grade"]
        }
        attrs = {**attributes(joined, self.measures), "grade_column": names["grade"]}
        return self.arranged(columns, run_of_list[list_of_row], names, attrs)

    def arranged(
        self, columns: dict[str, Any], run: np.ndarray, names: dict[str, str], attrs: dict[str, Any]
    ) -> pd.DataFrame:
        """Return rows, sorted by run, query and rank, in the layout and with texts.

        Parameters
        ----------
        columns : dict
            Columns by their roles: query, rank, doc, score, grade, gain, and those of the measures.
        run : ndarray of shape (rows,)
            The run of each row, a place in all runs.
        names : dict
            The names of query, doc and grade.
        """
        long = pd.DataFrame(columns, copy=False)
        docs = {"": names["doc"]}
        if self.side_by_side:
            docs = {"_a": "doc_a", "_b": "doc_b"}
            a, b = (long[run == place] for place in self.selected)
            pair = _side_by_side(a, b).rename(columns={"query": names["query"]})
            first, second = (np.full(len(pair), place) for place in self.selected)
            ids = pair_columns(self.runs, first, second, labels)
            frame = described_frame({names["query"]: pair[names["query"]], **ids, **pair}, attrs)
        else:
            ids = run_columns(self.runs, run)
            frame = described_frame({**ids, **long.rename(columns=names)}, attrs)
        if self.top is not None:
            frame = frame[frame["rank"] <= self.top].reset_index(drop=True)
        return self.texts.added(frame, names["query"], docs)


def _items(positions: Positions, rows: Rows) -> np.ndarray:
    """Return the judged item at each place, list after list in rank order; -1 if the document is unjudged."""
    known = np.flatnonzero(rows.topic >= 0)
    list_of_cell = np.zeros(positions.retrieved.shape, dtype=np.int64)
    list_of_cell[rows.topic[known], rows.lists.run[known]] = known
    list_of_hit = list_of_cell[positions.judged.topic[positions.item], positions.run]
    item = np.full(len(rows.score), -1)
    item[rows.lists.starts[list_of_hit] + positions.rank.astype(np.int64) - 1] = positions.item
    return item


def _contributions(
    joined: Judged, measures: list[Measure], topic: np.ndarray, run: np.ndarray, item: np.ndarray
) -> dict[str, np.ndarray]:
    """Return the contribution of each row to each measure: 0 if unjudged, missing if the query has no judgments."""
    positions = joined.positions
    topics = np.isin(np.arange(len(positions.queries)), topic)
    runs = np.isin(np.arange(len(positions.runs)), run)
    part = joined.on(positions.keep_topics(topics).keep_runs(runs))
    new_item = np.cumsum(topics[positions.judged.topic]) - 1
    new_run = np.cumsum(runs) - 1
    hits = item >= 0
    columns = {}
    for measure in measures:
        column = np.where(topic >= 0, 0.0, np.nan)
        column[hits] = item_contributions(part, measure)[new_run[run[hits]], new_item[item[hits]]]
        columns[measure.label] = column
    return columns


def _side_by_side(a: pd.DataFrame, b: pd.DataFrame) -> pd.DataFrame:
    """Return two rankings rank by rank, and the number of ranks by which each document of the second one moved."""
    sides = [one.drop(columns=["score", "gain"], errors="ignore") for one in (a, b)]
    above = sides[1].merge(sides[0], on=["query", "doc"], how="left", suffixes=("", "_a"))
    sides[1]["moved"] = integers((above["rank_a"] - above["rank"]).to_numpy(np.float64))
    return sides[0].merge(
        sides[1], on=["query", "rank"], how="outer", suffixes=("_a", "_b"), sort=True
    )
