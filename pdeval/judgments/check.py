"""Checks of runs and judgments before evaluation, and the description of a collection."""

import numpy as np
import pandas as pd

from pdeval.evaluate import described_frame, run_columns
from pdeval.join import (
    Ids,
    Judged,
    Positions,
    Rows,
    checked_level,
    column_ids,
    duplicates,
    have_gaps,
    positions_of,
    rows_of,
    same_type,
)
from pdeval.join import (
    lists as list_index,
)
from pdeval.kernels.primitives import share
from pdeval.tables import Table, numbers, read, read_history, table, unique_values
from pdeval.verbs import verb

MOST_GRADES = 8  # of more grades, only the smallest and largest are written


table(
    "accounting",
    "run answered:int missing:int extra:int without_relevant:int rows:int duplicates:int tied_fraction:fraction "
    "tied_integers:int "
    "misranked:int rank_gaps:int judged_fraction:fraction [in_history:int] [relevant_in_history:int]",
    "accounting of runs",
    row="run",
    sort="run",
    means={
        "answered": "judged queries that the run answered",
        "missing": "queries with a relevant item that it did not answer",
        "extra": "queries that it answered and that have no judgments",
        "without_relevant": "queries that it answered and that have no relevant item",
        "rows": "items that it returned",
        "duplicates": "items that it returned again for the same query",
        "tied_fraction": "fraction of its items with the same score as another item of the list",
        "tied_integers": "number of such items whose ids are integers, which are compared as text: 99 before 100",
        "misranked": "lists whose rank column contradicts the scores, and is ignored unless ties='rank'",
        "rank_gaps": "lists whose ranks are not 1, 2, 3, ... (or 0, 1, 2, ...); ties='rank' closes the gaps",
        "judged_fraction": "fraction of its items, on judged queries, that were judged",
        "in_history": "number of its items that are in the history of their user, if a history is given",
        "relevant_in_history": "number of relevant items of its answered queries that are in the users' history",
    },
    no_report="it describes the input; report .summary()",
    no_plot="it is a table to read: one row per run",
)


table(
    "description",
    "queries:int runs:int docs_per_query:float judged_per_query:float relevant_per_query:float "
    "subtopics_per_query:float grades",
    "description of collections",
    row="collection",
    means={
        "queries": "queries that count",
        "runs": "number of runs",
        "docs_per_query": "mean number of items in a list",
        "judged_per_query": "mean number of judged items of a query",
        "relevant_per_query": "mean number of relevant items of a query",
        "subtopics_per_query": "mean number of judged subtopics of a query",
        "grades": "grades of the judgments",
    },
    no_plot="it is one row per collection, to be read",
)


@verb(
    on="runs",
    returns="accounting",
    core=True,
    command=True,
    other_names={"validate": "check(qrels)"},
    own="history",
)
def check(
    runs: Table, qrels: object, *, level: float | None = None, history: object = None
) -> pd.DataFrame:
    """Return the number of missing queries, duplicates, ties and unjudged items of each run.

    Items are ranked by score. Items with equal scores are ranked by id, in descending order of the ids as strings, as
    in trec_eval: 99 is ranked above 100. `tied_integers` counts the items that this affects. If the table has scores, a
    rank column is ignored unless ties="rank". `misranked` counts the lists in which an item with a larger rank has a
    larger score, and `rank_gaps` the lists whose ranks are not consecutive.

    Parameters
    ----------
    qrels : DataFrame or bound accessor
        Judgments: query, doc, grade, maybe subtopic.
    history : DataFrame or bound accessor, optional
        Earlier items of the users (user, item). `in_history` then counts the items of lists that their users already
        have, and `relevant_in_history` the relevant items that were known when the runs were made.

    Examples
    --------
    >>> import pdeval
    >>> result = pdeval.datasets.sample_judged().check()
    >>> result.loc[6:7, ["run", "answered", "missing", "rows", "tied_fraction", "judged_fraction"]].round(3)
             run  answered  missing  rows  tied_fraction  judged_fraction
    6         ql        48        2  4800          0.019            0.525
    7  rerank-s1        50        0  5000          0.024            0.517

    For recommendations, pass the history to count items that the users already had:

    >>> runs, ratings, history, _, _ = pdeval.datasets.load_recommendations()
    >>> leaked = runs.ireval.check(ratings, level=4, history=history)
    >>> leaked.loc[leaked["in_history"] > 0, ["model", "factors", "rows", "in_history", "relevant_in_history"]]
         model  factors  rows  in_history  relevant_in_history
    6  itemknn       20  4800        1246                    0
    """
    qrels, level = read(qrels, "qrels"), checked_level(level)
    rows = rows_of(runs, qrels, validate=False)
    lists, topic = rows.lists, rows.topic
    positions = positions_of(rows, ranked=False)
    # which queries have a relevant item
    relevant = (
        np.bincount(
            positions.judged.topic[positions.relevant(level)], minlength=len(positions.queries)
        )
        > 0
    )
    known = topic >= 0
    n_runs = len(lists.runs)

    def count(run: np.ndarray, weights: np.ndarray | None = None) -> np.ndarray:
        return np.asarray(np.bincount(run, weights, minlength=n_runs), dtype=np.int64)

    misranked, with_gaps = _rank_faults(runs, lists)
    size, tied = count(lists.run, lists.sizes), count(lists.run, _tied(rows))
    counts = {
        "answered": count(lists.run[known]),
        "missing": relevant.sum() - count(lists.run[known & relevant[topic]]),
        "extra": count(lists.run[~known]),
        "without_relevant": count(lists.run[known & ~relevant[topic]]),
        "rows": size,
        "duplicates": count(lists.run[lists.of_given(duplicates.rows_repeated(rows.doc, lists))]),
        "tied_fraction": share(tied, size),
        "tied_integers": tied * (rows.doc.type == "integers"),
        "misranked": count(lists.run[misranked]),
        "rank_gaps": count(lists.run[with_gaps]),
        # hits are the judged items of lists
        "judged_fraction": share(
            count(positions.run, positions.judged.grade[positions.item] >= 0),
            count(lists.run[known], positions.retrieved[topic[known], lists.run[known]]),
        ),
    }
    if history is not None:
        leaked, tested = leaks(rows, positions, history, level)
        counts |= {
            "in_history": count(lists.run, leaked),
            "relevant_in_history": count(lists.run[known], tested[topic[known]]),
        }
    kept = np.flatnonzero(count(lists.run))
    return described_frame(
        run_columns(lists.runs, kept) | {name: values[kept] for name, values in counts.items()},
        Judged(positions, level).attrs,
    )


def _tied(rows: Rows) -> np.ndarray:
    """Return how many rows of each list share their score with another row of it."""
    starts = rows.lists.starts
    same = np.zeros(
        len(rows.score) + 1, dtype=bool
    )  # whether a row has the score of the row before
    if rows.ties != "rank":
        np.equal(rows.score[1:], rows.score[:-1], out=same[1:-1])
    same[starts] = False  # the rows belong to different lists
    return np.add.reduceat(same[1:] | same[:-1], starts[:-1], dtype=np.int64)


def _rank_faults(runs: Table, lists: list_index.Lists) -> tuple[np.ndarray, np.ndarray]:
    """Return the lists in which an item of a larger rank has a larger score, and those whose ranks have gaps."""
    none = np.zeros(0, dtype=np.int64)
    if "rank" not in runs:
        return none, none
    # NaN for values that are not numbers
    ranks = pd.to_numeric(runs.column("rank"), errors="coerce")
    rank = _by_list(ranks.to_numpy(dtype=np.float64, na_value=np.nan), lists)
    first, last = (
        extreme.reduceat(rank, lists.starts[:-1]) for extreme in (np.minimum, np.maximum)
    )
    with_gaps = np.flatnonzero(have_gaps(first, last, lists.sizes))
    if "score" not in runs:
        return none, with_gaps
    score = _by_list(numbers(runs.column("score"), "score"), lists)
    list_of_row = np.repeat(np.arange(len(lists.sizes)), lists.sizes)
    # the largest score comes first among equal ranks, so only steps from one rank to the next can rise
    order = np.lexsort((-score, rank, list_of_row))
    score, rank, list_of_row = score[order], rank[order], list_of_row[order]
    rises = (
        (score[1:] > score[:-1]) & (rank[1:] > rank[:-1]) & (list_of_row[1:] == list_of_row[:-1])
    )
    return unique_values(list_of_row[1:][rises]), with_gaps


def _by_list(column: np.ndarray, lists: list_index.Lists) -> np.ndarray:
    """Return a column of the run table list by list."""
    return column if lists.order is None else column[lists.order]


def leaks(
    rows: Rows, positions: Positions, history: object, level: float | None
) -> tuple[np.ndarray, np.ndarray]:
    """Return the number of items of each list, and of relevant items of each topic, in the history of the user.

    Examples
    --------
    >>> import pandas as pd
    >>> from pdeval.join.positions import positions_of
    >>> from pdeval.join.positions import rows_of
    >>> from pdeval.tables.reader import read
    >>> runs = pd.DataFrame({"user_id": "u", "item_id": ["a", "b"], "score": [2, 1]})
    >>> tested = pd.DataFrame({"user_id": "u", "item_id": ["b", "c"], "rating": 1})
    >>> rows = rows_of(read(runs, "runs"), read(tested, "qrels"))
    >>> had = pd.DataFrame({"user_id": ["u", "u"], "item_id": ["a", "c"]})
    >>> [result.tolist() for result in leaks(rows, positions_of(rows), had, None)]
    [[1], [1]]
    """
    table = read_history(history)
    users, user = column_ids(table.user, "history's query").unique()
    items, item = column_ids(table.item, "history's doc").unique()
    keys = unique_values(user.astype(np.int64) * len(items) + item)
    judged, lists = positions.judged, rows.lists
    same_type("query", users, lists.queries, "the history", "the runs")
    same_type("doc", items, rows.doc, "the history", "the runs")
    user_of_list = lists.queries.probe(users).astype(np.int64)[lists.query]
    if not (user_of_list >= 0).any():
        raise ValueError(
            f"the runs and the history have no users in common: the runs have {_examples(lists.queries)}, the history "
            f"{_examples(users)}. Use the same user ids in both."
        )

    def in_history(user: np.ndarray, item: np.ndarray) -> np.ndarray:
        """Return which pairs of a user and an item (-1 where unknown) are among the keys."""
        key = user * len(items) + item
        place = np.minimum(np.searchsorted(keys, key), len(keys) - 1)
        return (keys[place] == key) & (user >= 0) & (item >= 0)

    again = in_history(np.repeat(user_of_list, lists.sizes), _by_list(rows.doc.probe(items), lists))
    leaked = np.add.reduceat(again, lists.starts[:-1], dtype=np.int64)
    relevant = np.flatnonzero(positions.relevant(level))
    topic = judged.topic[relevant]
    tested = in_history(
        judged.queries.probe(users).astype(np.int64)[topic],
        judged.docs.probe(items).astype(np.int64)[judged.doc[relevant]],
    )
    return leaked, np.bincount(topic, tested, minlength=len(judged.queries)).astype(np.int64)


def _examples(ids: Ids) -> str:
    return ", ".join(map(repr, ids.index()[:3].tolist())) + (", ..." if len(ids) > 3 else "")


@verb(on="judged", returns="description", needs="judged", command=True)
def describe(judged: Judged) -> pd.DataFrame:
    """Return one row that describes the collection: queries, runs, list lengths, judged and relevant items, grades.

    Lists, items and subtopics are counted over the queries selected by `queries`. An unanswered query has no list. An
    item that was judged for several subtopics is one item.

    Returns
    -------
    DataFrame
        One row; with by="collection" one per collection.

    Examples
    --------
    >>> import pdeval
    >>> judged = pdeval.datasets.sample_judged(queries="common")
    >>> judged.describe().T
                                  0
    queries                      48
    runs                         12
    docs_per_query            100.0
    judged_per_query      88.708333
    relevant_per_query    23.854167
    subtopics_per_query         0.0
    grades               0, 1, 2, 3
    """
    positions, counted = judged.positions, judged.counted()
    queries: np.ndarray = np.any(counted, axis=1)
    n = int(queries.sum())
    if not n:
        raise judged.nothing_counts()
    lists = counted & positions.answered
    items = queries[positions.judged.topic]
    grades = [f"{value:g}" for value in np.unique(positions.judged.grade[items])]
    scale = (
        f"{grades[0]} to {grades[-1]} ({len(grades)} different)"
        if len(grades) > MOST_GRADES
        else ", ".join(grades)
    )
    with np.errstate(invalid="ignore"):
        columns = {
            "queries": [n],
            "runs": [len(judged.runs)],
            "docs_per_query": [np.float64(positions.retrieved[lists].sum()) / lists.sum()],
            "judged_per_query": [items.sum() / n],
            "relevant_per_query": [(positions.relevant(judged.level) & items).sum() / n],
            "subtopics_per_query": [_subtopics(judged, queries) / n],
            "grades": [scale],
        }
    # how ties are ranked is of no matter to what a collection is
    return described_frame(
        columns, {key: judged.attrs[key] for key in judged.attrs if key not in ("ties", "compat")}
    )


def _subtopics(judged: Judged, queries: np.ndarray) -> int:
    """Return how many different subtopics the queries have, together."""
    judgments = judged.positions.judged
    if judgments.subtopic is None or judgments.subtopics is None:
        return 0
    topic = judgments.topic[judgments.subtopic[0].astype(np.int64)]
    # (query, subtopic) as one number
    key = topic * len(judgments.subtopics) + judgments.subtopic[1].astype(np.int64)
    return len(unique_values(key[queries[topic]]))
