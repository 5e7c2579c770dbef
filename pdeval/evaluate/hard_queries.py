"""Queries that deserve a look: on which all runs fail, two runs differ most, or few documents are judged.

The page of a report lists the rows of `hard_queries` with their `reason`, and opens a query from its row: the problem
'runs differ' opens the lists of `best` and `worst`, which are labels of runs.
"""

import numpy as np
import pandas as pd

from pdeval.catalog import Measure, parse_all
from pdeval.evaluate.cube import stacked
from pdeval.evaluate.run_selection import places_of_runs
from pdeval.evaluate.scores import Views, attributes, only_metrics, values_of
from pdeval.evaluate.unjudged import conclusion, cutoff, has_unjudged
from pdeval.join import Judged
from pdeval.tables import labels, read_texts, run_labels, table
from pdeval.verbs import verb

table(
    "hard_queries",
    "query measure problem place:int value:float best:any worst:any reason [query_text:any]",
    "table of queries that deserve a look",
    recognized_by="problem place value best worst reason",
    row="measure, problem and place",
    sort="measure problem place",
    then=".report()",
    no_plot="it is a table to read: one row per query",
    means={
        "problem": "'all fail', 'runs differ' or 'few labels'",
        "place": "the place of the query in the list of this problem, from 1",
        "value": "'all fail': the value of the best run; 'runs differ': the difference between the best and the worst "
        "run; 'few labels': the fraction of judged items among the first ones of all runs",
        "best": "the run with the best value; for 'few labels', with the most judged items",
        "worst": "the run with the worst value; for 'few labels', with the fewest judged items",
        "reason": "the reason in words",
        "query_text": "with texts=: the text of the query",
    },
)


@verb(on="judged", returns="hard_queries", needs="judged")
def hard_queries(
    judged: Judged,
    measures: object = ("nDCG@10",),
    *,
    runs: object = None,
    top: int = 5,
    texts: object = None,
) -> pd.DataFrame:
    """Return queries that deserve a look, with the reason: all runs fail, two runs differ most, few labels.

    A query may have several problems. Equal queries stay in their order. Queries on which some of the runs do not count
    are not listed.

    Parameters
    ----------
    measures : str, Measure, or list of them
        Measures by which runs fail or differ. Labels are counted down to the cutoff of the measure, or 10.
    runs : run or list of runs, optional
        Runs to look at; all by default. With two runs, these are the queries on which they differ most.
    top : int
        Number of queries of each problem.

    Examples
    --------
    >>> import pdeval
    >>> judged = pdeval.datasets.sample_judged(queries="common")
    >>> table = judged.hard_queries(runs=["bm25", "rerank-s1"], top=1)
    >>> table[["query_id", "problem", "value", "best", "worst"]].round(3)
      query_id      problem  value       best      worst
    0      132     all fail  0.139  rerank-s1       bm25
    1      113  runs differ  0.661  rerank-s1       bm25
    2      120   few labels  0.650       bm25  rerank-s1
    >>> print(table["reason"].iloc[0])
    no run has more than 0.139 nDCG@10; 3 of 10 relevant documents are among the first 10 of any run.
    """
    requested = parse_all(measures)
    only_metrics(requested)
    if runs is not None:
        kept = np.isin(np.arange(len(judged.runs)), places_of_runs(judged.runs, runs))
        judged = judged.on(judged.positions.keep_runs(kept))
    frame = stacked([_of_measure(judged, measure, top) for measure in requested])
    frame.attrs.update(attributes(judged, requested))
    return read_texts(texts).added(frame, str(judged.queries.name), {})


def _of_measure(judged: Judged, measure: Measure, top: int) -> pd.DataFrame:
    """Return the queries of each problem by one measure."""
    views, depth = Views(judged), cutoff([measure])
    sign = 1 if measure.higher else -1
    values = sign * values_of(judged, [measure])[:, 0]
    used = views.counted(measure).all(axis=1) & np.isfinite(values).all(axis=1)
    judged.check_counted(used)
    n_judged, first_ones, relevant, retrieved = first_counts(judged, views.level(measure), depth)
    listed = first_ones.sum(axis=1)
    fraction = np.divide(
        n_judged.sum(axis=1), listed, out=np.full(len(listed), np.inf), where=listed > 0
    )
    best, spread = values.max(axis=1), np.ptp(values, axis=1)
    # the values by which runs are best or worst, and the number that sorts the queries
    problems = {
        "all fail": (values, np.where(used, best, np.inf)),
        "runs differ": (values, np.where(used & (spread > 0), -spread, np.inf)),
        "few labels": (n_judged, np.where(used, fraction, np.inf)),
    }
    names = np.array(run_labels(judged.runs), dtype=object)
    rows: list[tuple[np.ndarray, ...]] = []
    reasons: list[str] = []
    for problem, (scores, key) in problems.items():
        topics = np.argsort(key, kind="stable")[: min(top, np.count_nonzero(np.isfinite(key)))]
        first, last = scores[topics].argmax(axis=1), scores[topics].argmin(axis=1)
        value = key[topics] * {"all fail": sign, "runs differ": -1, "few labels": 1}[problem]
        if problem == "all fail":
            limit = "more" if measure.higher else "less"
            reasons += [
                f"no run has {limit} than {best:.3f} {measure.label}; {hits} of {total} relevant documents "
                f"{'is' if hits == 1 else 'are'} among the first {depth} of any run."
                for best, hits, total in zip(value, retrieved[topics], relevant[topics])
            ]
        elif problem == "few labels":
            # the mean over runs, and the run with the fewest
            means = n_judged[topics].mean(axis=1)
            numbers = zip(names[last], means, n_judged[topics, last], relevant[topics])
            reasons += [
                f"{mean:.1f} of the first {depth} documents are judged on average, {least} in {name}; "
                f"{total} relevant {'document is' if total == 1 else 'documents are'} known."
                for name, mean, least, total in numbers
            ]
        else:
            two = np.sort(np.stack([first, last], axis=1), axis=1)
            counts = n_judged, first_ones - n_judged
            if not has_unjudged(judged.positions):
                counts = first_ones, 0 * first_ones
            reasons += _differences(judged, measure, topics, two, names, counts)
        rows.append((topics, np.arange(1, len(topics) + 1), value, first, last))
    n_rows = [len(topics) for topics, *_ in rows]
    topics, place, value, first, last = map(np.concatenate, zip(*rows))
    return pd.DataFrame(
        {
            str(judged.queries.name): labels(judged.queries, topics),
            "measure": pd.array([measure.label] * len(topics), dtype="str"),
            "problem": pd.array(np.repeat([*problems], n_rows), dtype="str"),
            "place": place,
            "value": value,
            "best": pd.array(names[first], dtype="str"),
            "worst": pd.array(names[last], dtype="str"),
            "reason": pd.array(reasons, dtype="str"),
        }
    )


def first_counts(judged: Judged, level: float | None, depth: int) -> tuple[np.ndarray, ...]:
    """Return judged and all documents among the first ones of each list, and relevant and retrieved ones by topic.

    The first two have the shape (topics, runs). A relevant document is retrieved if any run has it among its first
    ones.
    """
    positions = judged.positions
    n_topics, n_runs = shape = positions.retrieved.shape
    first = positions.rank <= depth
    lists = positions.lists_of(first & (positions.judged.grade[positions.item] >= 0))
    topic, relevant = positions.judged.topic, positions.relevant(level)
    seen = np.zeros(len(topic), dtype=bool)
    seen[positions.item[first]] = True
    return (
        np.bincount(lists, minlength=n_topics * n_runs).reshape(shape),
        np.minimum(positions.list_sizes, depth),
        np.bincount(topic[relevant], minlength=n_topics),
        np.bincount(topic[relevant & seen], minlength=n_topics),
    )


def _differences(
    judged: Judged,
    measure: Measure,
    topics: np.ndarray,
    pairs: np.ndarray,
    names: np.ndarray,
    counts: tuple[np.ndarray, np.ndarray],
) -> list[str]:
    """Return why two runs differ on each query, as in `explain`.

    `pairs` has the two runs of each topic. `counts` are the judged and the unjudged documents among the first ones, of
    shape (topics, runs).
    """
    if not len(topics):
        return []
    numbers = [count[topics[:, None], pairs] for count in counts]
    if judged.part is None:  # lists of other queries are not needed
        kept, topics = np.unique(topics, return_inverse=True)
        judged = judged.on(
            judged.positions.keep_topics(np.isin(np.arange(len(judged.queries)), kept))
        )
    left_out = judged.changed("judged only", lambda one: one.on(one.positions.only_judged()))
    values = [values_of(join, [measure])[topics[:, None], 0, pairs] for join in (judged, left_out)]
    return [conclusion(measure, *columns) for columns in zip(names[pairs], *values, *numbers)]
