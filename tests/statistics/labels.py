"""Judges, crowds, chosen items and learned populations by simulation; many data sets are one call."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd

import pdeval  # noqa: F401
from pdeval.evaluate.ppi import Powered, powered
from pdeval.evaluate.preference_learning import _Model
from pdeval.judgments.label_samples import queries_needed
from pdeval.significance.registry import student_interval
from pdeval.tables.equal_values import describe
from tests.statistics.findings import Finding, counted
from tests.statistics.item_samples import with_machine

CASES = 400
HOLM = "Holm's correction of dependent tests"
ESTIMATED = "the posterior takes estimated error rates of assessors as known"
SHRUNK = "percentiles of 100 bootstrap samples of 40 queries"


def _tables(
    rng: np.random.Generator, runs: int, queries: int, items: int
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return random rankings of the same items by all runs, and the items of each query."""
    query, item = (axis.ravel() for axis in np.indices((queries, items)))
    known = pd.DataFrame({"query_id": query, "doc_id": item})
    lists = [known.assign(run=f"r{run}", score=rng.random(query.size)) for run in range(runs)]
    return pd.concat(lists, ignore_index=True), known


def judges() -> Iterator[Finding]:
    """Yield how often runs without a difference differ by a judge, and how often a judge is wrongly said to favor one.

    Every judge is a data set: human labels and runs are fixed, and labels of judges are random.
    """
    rng = np.random.default_rng(20)
    runs, items = _tables(rng, 5, 25, 20)
    qrels = items.assign(relevance=rng.integers(1, 4, len(items)))
    random = {
        f"judge {case}": items.assign(relevance=rng.integers(0, 2, len(items)))
        for case in range(CASES)
    }
    options = {"scale": range(5), "queries": "judged"}
    found = runs.ireval.judges(qrels, random, "AP", draws=1000, **options)
    wrong = (found["both"] + found["opposed"] + found["gained"] > 0).to_numpy()
    yield Finding("judges, any pair by the judge", "5 equal runs", 25, *counted(wrong), 0.05)
    # one grade higher or lower, with the same probability for every grade
    noise = rng.choice([-1, 0, 1], p=[0.2, 0.6, 0.2], size=(CASES, len(items)))
    noisy = {
        f"judge {case}": items.assign(relevance=qrels["relevance"] + one)
        for case, one in enumerate(noise)
    }
    found = runs.ireval.judges.bias(qrels, noisy, scale=range(5))
    wrong = found.groupby("judge")["significant"].any().to_numpy()
    inside = (found["ci_low"].le(0) & found["ci_high"].ge(0)).groupby(found["judge"]).all()
    shape, known = "5 runs, errors without bias", ("conservative", HOLM)
    yield Finding("judges.bias, any run", shape, 25, *counted(wrong), 0.05, False, *known)
    hits = counted(inside.to_numpy())
    yield Finding("judges.bias, all intervals", shape, 25, *hits, 0.95, True, *known)


def crowds() -> Iterator[Finding]:
    """Yield the calibration of the posterior of Dawid and Skene, for one item of each data set."""
    rng, accuracy = np.random.default_rng(11), np.array([0.95, 0.85, 0.8, 0.7, 0.6])
    for items, known in ((60, ("liberal", ESTIMATED)), (500, ())):
        truth = rng.random((CASES // 2, items)) < 0.3
        right = rng.random((*truth.shape, len(accuracy))) < accuracy
        label = np.where(right, truth[..., None], ~truth[..., None]).astype(int)
        case, item, assessor = (axis.ravel() for axis in np.indices(label.shape))
        columns = {"case": case, "query_id": "1", "doc_id": item, "assessor": assessor}
        table = pd.DataFrame({**columns, "label": label.ravel()})
        found = table.ireval.consensus(method="dawid_skene", by="case")
        # items of one data set are dependent
        one = found[found["doc_id"] == found["case"] % items]
        hits = counted(one["relevance"].to_numpy() == truth[one["case"], one["doc_id"]])
        level = float(one["fraction"].mean())
        shape = f"{items} items, 5 assessors of accuracy .6 to .95"
        yield Finding("consensus, correct labels", shape, items, *hits, level, True, *known)


def chosen_items() -> Iterator[Finding]:
    """Yield the coverage of the mean of P@10 from items that `label_next.items` chose."""
    rng, queries, draws, n = np.random.default_rng(21), 400, 6, 50
    skewed = ("liberal", "weights of items make estimates skewed")
    for design, known in (("importance", ()), ("uniform", skewed)):
        error, own = with_machine(design, "biased", queries=queries, draws=draws, size=20)
        query = rng.integers(0, queries, (n, 5 * CASES))
        draw = rng.integers(0, draws, query.shape)
        low, high = student_interval(*describe((own + error)[draw, query]), 0.95)
        hits = counted((low <= own.mean()) & (own.mean() <= high))
        shape = f"P@10, 20 of 100 items, {design}"
        yield Finding("label_next.items", shape, n, *hits, 0.95, True, *known)


def learned() -> Iterator[Finding]:
    """Yield the coverage of planted weights of recall levels, grades and cutoffs, by the bootstrap over queries."""
    rng = np.random.default_rng(22)
    runs, items = _tables(rng, 6, 40, 24)
    grade = np.where(items["doc_id"] < 8, 1 + (items["doc_id"] % 4 == 3), 0)
    judged = runs.ireval.join(items.assign(relevance=grade))
    prefs = judged.prefer("RPP")
    shares = {
        "grades": [0.3, 0.7],
        "recall": [0.4, 0.3, 0.2, 0.1],
        "cutoffs": [0.3, 0.25, 0.2, 0.15, 0.07, 0.03],
    }
    for over, penalty in (("grades", 1.0), ("recall", 1.0), ("recall", 0.1), ("cutoffs", 1.0)):
        labels = prefs.assign(winner="a").drop(columns=["measure", "value"])
        model = _Model(judged, labels, [over])
        theta = np.append(np.log(shares[over]), 1.0)
        chance = 1 / (1 + np.exp(-12.0 * model.score(theta)[0]))
        true, n = model.shares(theta), len(model.topics)
        inside = np.zeros(CASES // 2, dtype=bool)
        for case in range(len(inside)):
            model.sign = np.where(rng.random(len(chance)) < chance, 1.0, -1.0)
            best = model.fitted(np.ones(len(chance)), penalty)
            picked = rng.integers(n, size=(100, n))
            counts = (np.bincount(one, minlength=n)[model.topic] * 1.0 for one in picked)
            drawn = [model.shares(model.fitted(count, penalty, best)) for count in counts]
            low, high = np.quantile(drawn, [0.025, 0.975], axis=0)
            # one weight of each data set, because they sum to 1
            inside[case] = ((low <= true) & (true <= high))[case % len(true)]
        what, hits = f"fit_population(over={over!r}, penalty={penalty:g})", counted(inside)
        shape = "40 queries, planted weights"
        yield Finding(what, shape, 40, *hits, 0.95, True, "liberal", SHRUNK)


def planned_labels() -> Iterator[Finding]:
    """Yield how often intervals reach the width that `label_next.sample_size` planned for, and their coverage.

    A pilot with 100 labeled queries gives the number of labels; new queries with that number give the interval. The
    number is planned for the expected width, so half of the intervals are to be narrower.
    """
    rng, queries, mean = np.random.default_rng(23), 400, 0.4
    query = np.arange(queries)[:, None]

    def labeled(n: np.ndarray | int) -> Powered:
        machine = rng.random((queries, CASES))
        human = mean + 0.6 * (machine - 0.5) + rng.normal(0, 0.12, machine.shape)
        return powered(np.where(query < n, human, np.nan), machine)

    for width in (0.06, 0.05):
        needed = queries_needed(labeled(100), width)
        low, high = labeled(needed).interval(0.95)
        shape, n = f"width {width}, 100 of 400 labels in the pilot", int(np.median(needed))
        hits = counted(high - low <= width)
        yield Finding("label_next.sample_size, width reached", shape, n, *hits, 0.5, True)
        hits = counted((low <= mean) & (mean <= high))
        yield Finding("label_next.sample_size, coverage", shape, n, *hits, 0.95, True)


CELLS: tuple[Callable[[], Iterator[Finding]], ...] = (
    judges,
    crowds,
    chosen_items,
    learned,
    planned_labels,
)
