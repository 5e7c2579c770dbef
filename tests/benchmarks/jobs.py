"""The jobs: what pdeval and each peer do with the same tables, from the same start to the same end."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

MEASURES = ["AP", "nDCG@10", "RR", "P@10", "R@100"]
TREC_EVAL = {"map", "ndcg_cut_10", "recip_rank", "P_10", "recall_100"}
RANX = ["map", "ndcg@10", "mrr", "precision@10", "recall@100"]


class Job(NamedTuple):
    """One comparison: the same work by pdeval and by a peer; the peer is None where it is not installed."""

    name: str
    ours: Callable[[], Any]
    peers: dict[str, Callable[[], Any] | None]


def quietly(function: Callable[[], Any]) -> Callable[[], Any]:
    """Return the function with its warnings silenced."""

    def run() -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return function()

    return run


def dicts(runs: pd.DataFrame, qrels: pd.DataFrame) -> tuple[dict, dict]:
    """Return the nested dicts that pytrec_eval needs, built as a pandas user builds them."""
    judged = {
        query: dict(zip(part["doc_id"], part["relevance"].tolist()))
        for query, part in qrels.groupby("query_id")
    }
    found: dict[str, dict] = {}
    for (run, query), part in runs.groupby(["run", "query_id"], sort=False):
        found.setdefault(run, {})[query] = dict(zip(part["doc_id"], part["score"].tolist()))
    return judged, found


def pytrec_eval_on(judged: dict, found: dict) -> pd.DataFrame:
    """Return pytrec_eval's values of the five measures as a long frame."""
    import pytrec_eval

    evaluator = pytrec_eval.RelevanceEvaluator(judged, TREC_EVAL)
    rows = [
        (run, query, measure, value)
        for run, lists in found.items()
        for query, values in evaluator.evaluate(lists).items()
        for measure, value in values.items()
    ]
    return pd.DataFrame(rows, columns=["run", "query_id", "measure", "value"])


def ranx_on(runs: pd.DataFrame, qrels: pd.DataFrame) -> list:
    """Return ranx' means of the five measures, each run from its part of the table."""
    from ranx import Qrels, Run, evaluate

    judged = Qrels.from_df(qrels, q_id_col="query_id", doc_id_col="doc_id", score_col="relevance")
    parts = runs.groupby("run", sort=False)
    return [
        evaluate(
            judged,
            Run.from_df(part, q_id_col="query_id", doc_id_col="doc_id", score_col="score"),
            RANX,
            make_comparable=True,
        )
        for _, part in parts
    ]


def ir_measures_on(runs: pd.DataFrame, qrels: pd.DataFrame) -> list:
    """Return ir_measures' per-query values of the five measures, run by run."""
    import ir_measures

    asked = [ir_measures.parse_measure(name) for name in MEASURES]
    return [
        list(ir_measures.iter_calc(asked, qrels, part))
        for _, part in runs.groupby("run", sort=False)
    ]


def installed(name: str) -> bool:
    """Return whether a peer can be imported."""
    import importlib.util

    return importlib.util.find_spec(name) is not None


def measuring(name: str, runs: pd.DataFrame, qrels: pd.DataFrame, *, slow_peers: bool) -> list[Job]:
    """Return the jobs from DataFrame to five measures, with and without the duplicate check."""
    import pdeval  # noqa: F401

    ready = dicts(runs, qrels) if slow_peers and installed("pytrec_eval") else None
    peers: dict[str, Callable[[], Any] | None] = {
        "pytrec_eval, dicts built": (lambda: pytrec_eval_on(*dicts(runs, qrels)))
        if installed("pytrec_eval")
        else None
    }
    if slow_peers:
        peers["pytrec_eval, dicts ready"] = (lambda: pytrec_eval_on(*ready)) if ready else None
        # ranx takes ids of dtype object only; the conversion is not charged to it
        texts = {
            name: table.astype({c: object for c in table if "id" in c})
            for name, table in (("r", runs), ("q", qrels))
        }
        peers["ranx"] = (lambda: ranx_on(texts["r"], texts["q"])) if installed("ranx") else None
        peers["ir_measures"] = (
            (lambda: ir_measures_on(runs, qrels)) if installed("ir_measures") else None
        )
    checked = quietly(lambda: runs.ireval.measure(qrels, MEASURES))
    plain = quietly(lambda: runs.ireval.measure(qrels, MEASURES, validate=False))
    own = {peer: None if work is None else quietly(work) for peer, work in peers.items()}
    return [Job(f"{name}, validate=False", plain, own), Job(f"{name}, default", checked, own)]


def costs(runs: pd.DataFrame, qrels: pd.DataFrame) -> dict[str, Callable[[], Any]]:
    """Return `measure` of sorted rows, and what is held against it: shuffled rows, no check, the accounting."""
    import pdeval  # noqa: F401

    shuffled = runs.sample(frac=1, random_state=0).reset_index(drop=True)
    works: dict[str, Callable[[], Any]] = {
        "measure": lambda: runs.ireval.measure(qrels, MEASURES),
        "measure, validate=False": lambda: runs.ireval.measure(qrels, MEASURES, validate=False),
        "measure, shuffled rows": lambda: shuffled.ireval.measure(qrels, MEASURES),
        "check": lambda: runs.ireval.check(qrels),
        "check, shuffled rows": lambda: shuffled.ireval.check(qrels),
    }
    return {name: quietly(work) for name, work in works.items()}


def through_adapter(name: str, runs: pd.DataFrame, qrels: pd.DataFrame) -> Job:
    """Return the job from DataFrames to pytrec_eval's nested dicts of five measures, and from dicts that are ready."""
    from pdeval.compat import pytrec_eval as ours

    def dicts_of(tool: Any, judged: dict, found: dict) -> dict:
        evaluator = tool.RelevanceEvaluator(judged, TREC_EVAL)
        return {run: evaluator.evaluate(lists) for run, lists in found.items()}

    peers: dict[str, Callable[[], Any] | None] = {
        "pytrec_eval, dicts built": None,
        "pytrec_eval, dicts ready": None,
    }
    if installed("pytrec_eval"):
        import pytrec_eval

        ready = dicts(runs, qrels)
        peers["pytrec_eval, dicts built"] = lambda: dicts_of(pytrec_eval, *dicts(runs, qrels))
        peers["pytrec_eval, dicts ready"] = lambda: dicts_of(pytrec_eval, *ready)
        peers["the adapter, dicts ready"] = lambda: dicts_of(ours, *ready)
        assert ours.RelevanceEvaluator(qrels, TREC_EVAL).evaluate(runs) == dicts_of(
            pytrec_eval, *ready
        )
    return Job(
        f"{name}, adapter of pytrec_eval",
        lambda: ours.RelevanceEvaluator(qrels, TREC_EVAL).evaluate(runs),
        peers,
    )


def from_files(name: str, runs: pd.DataFrame, qrels: pd.DataFrame, folder: Path) -> Job:
    """Return the job from TREC files to five measures."""
    import pdeval

    pdeval.write_runs(runs, folder / "runs")
    pdeval.write_qrels(qrels, folder / "qrels.txt")

    def ours() -> Any:
        table = pdeval.read_runs(folder / "runs")
        return table.ireval.measure(pdeval.read_qrels(folder / "qrels.txt"), MEASURES)

    def theirs() -> Any:
        import pytrec_eval

        with open(folder / "qrels.txt") as file:
            judged = pytrec_eval.parse_qrel(file)
        found = {}
        for path in sorted((folder / "runs").iterdir()):
            with open(path) as file:
                found[path.stem] = pytrec_eval.parse_run(file)
        return pytrec_eval_on(judged, found)

    peer = quietly(theirs) if installed("pytrec_eval") else None
    return Job(f"{name}, from files", quietly(ours), {"pytrec_eval, its parser": peer})


def preferring(name: str, runs: pd.DataFrame, qrels: pd.DataFrame) -> Job:
    """Return the job of one preference for all pairs of runs.

    The authors' tool is not on PyPI; what stands here is the formula in plain Python over lists of ranks, without
    that tool's reading, caching and printing.
    """
    from pdeval.evaluate.pairs import select
    from pdeval.evaluate.scores import Views

    joined = quietly(lambda: runs.ireval.join(qrels, level=1))()
    topics = [
        [
            [None if np.isinf(rank) else int(rank) for rank in block["rank"][:, t, run]]
            for run in range(block.shape[1])
        ]
        for block in Views(joined.at(level=1)).blocks("binary", 1)
        if block.size
        for t in range(block.shape[0])
    ]

    def plain() -> list[float]:
        found = []
        for lists in topics:
            share = 1.0 / len(lists[0])
            for a, x in enumerate(lists):
                for y in lists[a + 1 :]:
                    total = 0.0
                    for one, other in zip(x, y):
                        if one != other and (other is None or (one is not None and one < other)):
                            total += share
                        elif one != other:
                            total -= share
                    found.append(total)
        return found

    ours = quietly(lambda: select(joined.at(level=1), "RPP").cube(progress=False))
    return Job(f"{name}, all-pairs RPP, compute", ours, {"plain Python": plain})


def randomising(name: str, runs: pd.DataFrame, qrels: pd.DataFrame, draws: int) -> Job:
    """Return the job of a randomized HSD, against scipy's permutation_test with the same statistic."""
    scores = quietly(lambda: runs.ireval.measure(qrels, "AP"))()
    matrix = scores.pivot(index="query_id", columns="run", values="value").to_numpy()

    def theirs() -> Any:
        from scipy.stats import permutation_test

        def spread(*columns: np.ndarray, axis: int = -1) -> np.ndarray:
            means = np.stack([column.mean(axis=axis) for column in columns])
            return means.max(axis=0) - means.min(axis=0)

        columns = list(matrix.T)
        return permutation_test(
            columns,
            spread,
            permutation_type="samples",
            vectorized=True,
            n_resamples=draws,
            batch=max(1, 2**20 // matrix.size),
            alternative="greater",
            rng=np.random.default_rng(0),
        )

    ours = quietly(lambda: scores.ireval.compare(test="hsd", draws=draws, progress=False))
    return Job(
        f"{name}, randomized HSD, {draws:,} draws",
        ours,
        {"scipy permutation_test": quietly(theirs)},
    )


def temporary() -> tempfile.TemporaryDirectory:
    """Return a folder that goes away by itself."""
    return tempfile.TemporaryDirectory(prefix="pdeval-benchmark-")
