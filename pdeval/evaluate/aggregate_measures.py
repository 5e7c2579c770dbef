"""Measures of all lists of a run together (coverage, Gini): one number per run, and how far it would vary.

Every user with a list counts, judged or not; where users without a list are the question (UserCoverage), those count
that the topic rule names.

The interval is that of other users, by the jackknife: some users are left out, others the next time, and the lists of
those who stay are counted as one product of sparse matrices. Its variance is at least that of the number itself, on
average (Efron and Stein 1981). Users drawn with replacement are fewer different ones, who cover less and vary less.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from pdeval.catalog import Measure
from pdeval.catalog.directions import described
from pdeval.evaluate.sources import sd_over_replicates, systems_of
from pdeval.join.item_catalog import Catalogue, Listed, all_lists
from pdeval.join.judged import Judged
from pdeval.join.list_columns import lists_of, popular
from pdeval.join.positions import Rows, unjudged
from pdeval.join.rules import outside
from pdeval.tables.labels import labels

CELLS = 1 << 22  # items (or users) times parts that are looked at together
COLUMNS = ("exposure", "lengths", "users", "popularity", "features", "catalogue")


def of_sets(
    judged: Judged,
    measures: Sequence[Measure],
    *,
    confidence: float | None = 0.95,
    draws: int = 200,
    seed: int | None = 0,
    replicate: Sequence[str] | None = None,
) -> pd.DataFrame:
    """Return the summary of measures of all lists together: one row per run and measure.

    They are all `of_users`, or none is.

    Parameters
    ----------
    confidence : float, optional
        Of the interval; none, and nothing is drawn.
    draws : int
        The users are left out in so many groups, or one by one where they are no more.
    replicate : sequence of str, optional
        The columns of the run that tell replicates apart: values are averaged over them.
    """
    listed, answered = lists_of(judged.positions, measures[0].label), judged.positions.answered
    if judged.positions.rules.get("ties") == "expected":
        raise ValueError(
            f"{measures[0].label} looks at definite lists; ties='expected' gives none. Choose another ties=."
        )
    if of_users(measures[0]):
        counts = judged.counted()
    else:
        listed, answered = everyone(listed, answered, measures[0].label)
        counts = answered & (answered.all(axis=1, keepdims=True) | (judged.topics != "common"))
    if not counts.any():
        raise judged.nothing_counts()
    count = min(draws, len(counts)) if confidence is not None else 0
    group = np.random.default_rng(seed).permutation(len(counts)) % max(count, 1)
    runs = [_OfRun(listed, run, np.flatnonzero(counts[:, run])) for run in range(len(judged.runs))]
    drawn = [
        np.array([[run.value(measure, times) for run in runs] for measure in measures])
        for times in _left_out(group, count, len(listed.catalogue.ids))
    ]
    values, others = drawn[0][:, :, 0], np.concatenate([drawn[0][:, :, :0], *drawn[1:]], axis=2)
    values[:, ~counts.any(axis=0)] = np.nan  # a run without lists that count
    # shape (groups of users, runs); `others` are the values without each group, (measures, runs, groups)
    touched = np.zeros((max(count, 1), len(runs)), dtype=bool)  # which groups have users of a run
    topic, run = np.nonzero(counts)
    touched[group[topic], run] = True
    touched = touched[:count]
    spread = _spread(others, touched)
    more: dict[str, np.ndarray] = {}
    names, n = judged.runs, counts.sum(axis=0)
    if replicate is not None:
        names, system = systems_of(judged.runs, replicate)
        size = np.bincount(system)
        more["replicates"] = np.tile(size, (len(measures), 1))
        more["sd_replicates"] = np.stack([sd_over_replicates(one, system) for one in values])
        n = np.bincount(system, n).astype(np.int64) // size
        # a product with this matrix, (runs, systems), averages over the replicates of each system
        mean = np.zeros((len(judged.runs), len(size)))
        mean[np.arange(len(system)), system] = 1.0 / size[system]
        values = values @ mean
        touched = touched @ (mean > 0)
        spread = _spread(
            np.einsum("mrd,rs->msd", others, mean), touched
        )  # replicates vary together: of the same users
    ends = _interval(measures, values, spread, touched.sum(axis=0), confidence)
    return _frame(judged, measures, names, n, values, ends, more)


def of_users(measure: Measure) -> bool:
    """Return whether a measure asks how long the lists of users are, so that those without one count too."""
    return "lengths" in measure.entry.columns


def everyone(listed: Listed, answered: np.ndarray, label: str) -> tuple[Listed, np.ndarray]:
    """Return the lists of all users of a run table, judged or not, and who has one.

    A group of users has those of its lists that are judged: the groups of other users are not known.
    """
    rows: Rows | None = listed.rows  # none on Dask, which joins judged lists alone
    if rows is None or len(listed.topics) < len(rows.judged.queries):
        lost = 0 if rows is None else len(np.unique(rows.lists.query[rows.topic < 0]))
        if lost:
            warnings.warn(
                f"{lost:,} users with a list have no judgments; within groups {label} leaves them out. Evaluate the "
                "rows of each group to count them.",
                UserWarning,
                stacklevel=outside(),
            )
        kept = np.flatnonzero(answered.any(axis=1))
        return listed.keep_topics(kept), answered[kept]
    judged, topic = unjudged(rows.lists, rows.doc)
    there = np.zeros(
        (len(judged.queries), len(rows.lists.runs) + 1), dtype=bool
    )  # the last is a run without lists
    there[topic, rows.lists.run] = True
    whole = all_lists(rows._replace(judged=judged, topic=topic), listed.catalogue, listed.depth)
    return whole.keep_runs(listed.runs), there[:, listed.runs]


def _spread(without: np.ndarray, touched: np.ndarray) -> np.ndarray:
    """Return the standard error by the jackknife, (measures, runs); NaN where there are not two groups of users."""
    known = ~np.isnan(without) & touched.T
    n = known.sum(axis=2)
    mean = np.where(known, without, 0.0).sum(axis=2) / np.maximum(n, 1)
    away = np.where(known, (without - mean[:, :, None]) ** 2, 0.0).sum(axis=2)
    return np.sqrt(away * np.where(n > 1, n - 1, np.nan) / np.maximum(n, 1))


def _interval(
    measures: Sequence[Measure],
    values: np.ndarray,
    spread: np.ndarray,
    groups: np.ndarray,
    confidence: float | None,
) -> tuple[np.ndarray, np.ndarray]:
    """Return the ends of the intervals, Student's, within what the measures can be."""
    from scipy import special

    half = special.stdtrit(np.maximum(groups - 1, 1), (1 + (confidence or 0.95)) / 2) * spread
    low, high = (np.array([one.entry.range[end] for one in measures])[:, None] for end in (0, 1))
    return np.clip(values - half, low, high), np.clip(values + half, low, high)


def _left_out(group: np.ndarray, count: int, items: int) -> Iterator[np.ndarray]:
    """Yield how often each user counts, (users, parts): once each, then not in the group that is left out."""
    yield np.ones((len(group), 1))
    step = max(CELLS // max(items, len(group), 1), 1)
    for at in range(0, count, step):
        yield (group[:, None] != np.arange(at, min(at + step, count))).astype(np.float64)


class _OfRun:
    """The lists of one run, and what measures of all of them are given."""

    def __init__(self, listed: Listed, run: int, topics: np.ndarray) -> None:
        self.listed, self.topics = listed.keep_topics(topics).keep_runs(np.array([run])), topics
        self.sparse_lists = cache(self._sparse_lists)

    def _sparse_lists(self, k: float, patience: float) -> tuple[Any, Any]:
        """Return sparse matrices: what each user is shown, (items, users), and how many items, (0 to k, users)."""
        from scipy import sparse

        code = self.listed.top(k)[:, :, 0]
        rank, user = np.nonzero(code >= 0)
        users, items = len(self.topics), len(self.listed.catalogue.ids)
        shown = sparse.csr_matrix((patience**rank, (code[rank, user], user)), shape=(items, users))
        lengths = (code >= 0).sum(axis=0)
        return shown, sparse.csr_matrix(
            (np.ones(users), (lengths, np.arange(users))), shape=(len(code) + 1, users)
        )

    def value(self, measure: Measure, times: np.ndarray) -> np.ndarray:
        """Return the value of a measure in each part, where users count so often."""
        entry, parameters = measure.entry, measure.parameters
        items, lengths = self.sparse_lists(
            parameters.get("k", np.inf), float(parameters.get("patience", 1.0))
        )
        own = times[self.topics]
        columns = _item_columns(self.listed.catalogue, measure)
        if "exposure" in entry.columns:
            columns["exposure"] = items @ own
        if "lengths" in entry.columns:
            columns["lengths"] = lengths @ own
        if "users" in entry.columns:
            columns["users"] = own.sum(axis=0)
        with np.errstate(invalid="ignore", divide="ignore"):  # all users of the run may be left out
            value = np.asarray(
                entry.kernel(*(columns[name] for name in entry.columns), **parameters),
                dtype=np.float64,
            )
        if value.shape != (times.shape[1],):
            raise ValueError(
                f"{measure.label} gave an array of shape {value.shape} where {times.shape[1]} numbers were due; a "
                "kernel of all lists gives one number for each column: reduce axis 0, e.g. with .sum(axis=0)."
            )
        return value


def _item_columns(catalogue: Catalogue, measure: Measure) -> dict[str, Any]:
    """Return the columns of the items that a kernel takes, of shape (items, 1), whatever the lists."""
    columns: dict[str, Any] = {}
    for name in measure.entry.columns:
        if name == "catalogue":
            columns[name] = float(len(catalogue.ids))
        elif name == "popularity":
            columns[name] = popular(catalogue, measure.label).popularity[:-1, None]
        elif name == "features":
            catalogue.needed(measure.label, "items")
            columns[name] = catalogue.features[:-1]
        elif name not in COLUMNS:
            own = catalogue.numbers(name)
            if own is None:
                raise catalogue.unknown(
                    measure.label, name, f"a kernel of all lists also has {', '.join(COLUMNS)}"
                )
            columns[name] = own[:-1, None]
    return columns


def _frame(
    judged: Judged,
    measures: Sequence[Measure],
    runs: pd.DataFrame,
    n: np.ndarray,
    values: np.ndarray,
    ends: tuple[np.ndarray, np.ndarray],
    more: dict[str, np.ndarray],
) -> pd.DataFrame:
    """Return the tidy frame: runs in order, measures as requested."""
    run, measure = np.divmod(np.arange(values.size), len(measures))
    columns = {name: labels(runs[name], run) for name in runs.columns}
    columns["measure"] = labels(pd.Index([one.label for one in measures]), measure)
    columns["n"], columns["mean"] = n[run], values.T.ravel()
    columns["sd"] = np.full(values.size, np.nan)  # no user has a value
    columns["ci_low"], columns["ci_high"] = (end.T.ravel() for end in ends)
    frame = pd.DataFrame({**columns, **{name: column.T.ravel() for name, column in more.items()}})
    frame.attrs.update({**judged.attrs, "measures": described(measures)})
    return frame
