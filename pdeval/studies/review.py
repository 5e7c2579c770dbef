"""Systematic reviews: recall against the effort of reading, and rules for stopping."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np
import pandas as pd

from pdeval.catalog import parse
from pdeval.evaluate import described_frame, run_columns
from pdeval.evaluate.scores import scores
from pdeval.join import Judged, View
from pdeval.kernels.primitives import found
from pdeval.kernels.review import (
    all_items,
    stop_after_irrelevant,
    stop_at_effort,
    stop_at_knee,
)
from pdeval.significance.registry import student_interval
from pdeval.tables import describe, labels, table
from pdeval.verbs import short_repr, verb

Rule = Callable[[np.ndarray, np.ndarray], np.ndarray]
RULES = {"effort": stop_at_effort, "irrelevant": stop_after_irrelevant, "knee": stop_at_knee}

table(
    "recall_curve",
    "run effort:fraction n:int mean:fraction ci_low:fraction ci_high:fraction",
    "recall curve",
    recognized_by="effort n mean ci_low ci_high",
    row="run and effort",
    sort="run effort",
    then=".plot()",
    means={
        "effort": "fraction of all items that were read",
        "n": "number of reviews",
        "mean": "mean recall over the reviews",
    },
    no_report="it is a curve; report the measure EffortRecall at some efforts",
)

table(
    "stopping",
    "run rule n:int recall:fraction ci_low:fraction ci_high:fraction effort:fraction reached:fraction",
    "table of stopping rules",
    recognized_by="rule recall effort reached",
    row="run and rule",
    sort="run",
    then=".report()",
    means={
        "rule": "the stopping rule",
        "n": "number of reviews",
        "recall": "mean recall at the stop",
        "effort": "mean fraction of all items that were read",
        "reached": "fraction of the reviews with at least the target recall",
    },
    no_plot="it is a table of a few numbers per rule",
)


@verb(on="judged", returns="recall_curve", needs="relevant")
def recall_curve(
    judged: Judged, *, points: int = 21, n_items: float | None = None, confidence: float = 0.95
) -> pd.DataFrame:
    """Return the mean recall of reviews at equally spaced efforts, with intervals over the reviews.

    A query is a review; the effort is the fraction of all items that were read.

    Parameters
    ----------
    points : int, default 21
        Number of efforts from 0 to 1.
    n_items : float, optional
        Number of items of a review. By default the distinct items of the query in all rankings and judgments.

    Examples
    --------
    >>> import pdeval
    >>> pdeval.datasets.sample_judged(queries="common").recall_curve(points=3).head(3).round(3)
        run  effort   n   mean  ci_low  ci_high
    0  bm25     0.0  48  0.000   0.000    0.000
    1  bm25     0.5  48  0.759   0.717    0.802
    2  bm25     1.0  48  0.759   0.717    0.802
    """
    efforts = np.linspace(0.0, 1.0, max(int(points), 2))
    measures = [parse("EffortRecall", effort=float(effort), items=n_items, label=f"{number}")
                for number, effort in enumerate(efforts)]  # fmt: skip
    cube = scores(judged, measures)
    n, mean, low, high = _interval(np.moveaxis(cube.values, 1, 0), confidence)
    run, effort = np.divmod(np.arange(mean.size), len(efforts))
    return described_frame(
        {
            **run_columns(cube.runs, run),
            "effort": efforts[effort],
            "n": n[effort, run].astype(np.int64),
            "mean": mean[effort, run],
            "ci_low": low[effort, run],
            "ci_high": high[effort, run],
        },
        {**judged.attrs, "confidence": confidence},
    )


def _interval(values: np.ndarray, confidence: float) -> tuple[np.ndarray, ...]:
    """Return number, mean and Student's interval along axis 0 of recalls, inside [0, 1]."""
    shape = values.shape[1:]
    n, mean, sd = describe(values.reshape(len(values), -1))
    low, high = student_interval(n, mean, sd, confidence)
    ends = (np.clip(low, 0.0, 1.0), np.clip(high, 0.0, 1.0))
    return tuple(np.asarray(one).reshape(shape) for one in (n, mean, *ends))


@verb(on="judged", returns="stopping", needs="relevant")
def stopping(
    judged: Judged,
    rules: str | Sequence[str] | Mapping[str, Rule] = ("effort@0.5", "irrelevant@50", "knee@100"),
    *,
    target: float = 0.95,
    n_items: float | None = None,
    confidence: float = 0.95,
) -> pd.DataFrame:
    """Return the recall and the effort of reviews that stop by a rule, for each run and rule.

    Parameters
    ----------
    rules : str, list of str, or mapping of name to function
        "effort@0.5" stops after half of the items, "irrelevant@50" after 50 irrelevant items in a row, "knee@100" by
        the knee method of Cormack and Grossman (2016) after at least 100 items. A function of the ranks of the relevant
        items, (items, reviews, runs), and of the number of items, (reviews, 1), returns the rank of the stop.
    target : float, default 0.95
        Recall that a review should reach.
    n_items : float, optional
        Number of items of a review. By default the distinct items of the query in all rankings and judgments.

    Examples
    --------
    >>> import pdeval
    >>> judged = pdeval.datasets.sample_judged(queries="common")
    >>> judged.stopping(["irrelevant@10", "irrelevant@50"], target=0.5).head(2).round(3)
        run           rule   n  recall  ci_low  ci_high  effort  reached
    0  bm25  irrelevant@10  48   0.484   0.427    0.541   0.150    0.500
    1  bm25  irrelevant@50  48   0.756   0.712    0.799   0.489    0.979
    """
    requested = rules if isinstance(rules, Mapping) else _parsed(rules)
    for name, rule in requested.items():
        if not callable(rule):
            raise TypeError(
                f"the stopping rule {short_repr(name)} is {short_repr(rule)}: "
                "pass a function of ranks and number of items."
            )
    counts = judged.counted()
    judged.check_counted(counts)
    judged.warn_of_missing_queries()

    def of_topics(judged: Judged) -> np.ndarray:
        """Return recall and effort at the stop of each rule, of shape (topics, 2, rules, runs)."""
        n_topics, n_runs = judged.positions.retrieved.shape
        values = np.full((n_topics, 2, len(requested), n_runs), np.nan)
        for block in View(judged.positions, "binary", judged.level).blocks():
            rank = block["rank"]
            size = all_items(None if n_items is not None else block["corpus"], n_items, len(rank))
            size = np.broadcast_to(size, (rank.shape[1], 1))
            for number, rule in enumerate(requested.values()):
                stop = np.minimum(rule(rank, size), size)
                values[block.topics, 0, number] = found(rank, stop).sum(axis=0) / len(rank)
                values[block.topics, 1, number] = stop / size
        return values

    values = judged.per_topic("stops", of_topics).transpose(1, 2, 0, 3)
    recall, effort = np.ascontiguousarray(values)
    recall[:, ~counts] = np.nan
    effort[:, ~counts] = np.nan
    n, mean, low, high = _interval(np.moveaxis(recall, 1, 0), confidence)
    run, rule_number = np.divmod(np.arange(mean.size), len(requested))
    columns = {
        "recall": mean,
        "ci_low": low,
        "ci_high": high,
        "effort": np.nanmean(effort, axis=1),
        "reached": np.nanmean(np.where(np.isnan(recall), np.nan, recall >= target), axis=1),
    }
    return described_frame(
        {
            **run_columns(judged.runs, run),
            "rule": labels(pd.Index(list(requested)), rule_number),
            "n": n[rule_number, run].astype(np.int64),
            **{name: column[rule_number, run] for name, column in columns.items()},
        },
        {**judged.attrs, "confidence": confidence, "target": target},
    )


def _parsed(rules: str | Sequence[str]) -> dict[str, Rule]:
    """Return stopping rules by their names: NAME@value."""
    parsed: dict[str, Rule] = {}
    for text in [rules] if isinstance(rules, str) else rules:
        name, _, value = text.partition("@")
        try:
            function, number = RULES[name], float(value)
        except (KeyError, ValueError):
            raise ValueError(
                f"unknown stopping rule {text!r}. Use 'effort@0.5', 'irrelevant@50', 'knee@100', or a mapping of name "
                "to function."
            ) from None
        parsed[text] = partial(function, value=number)
    return parsed
