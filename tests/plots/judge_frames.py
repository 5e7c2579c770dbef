"""Tables of judges and assessors: what their plots draw."""

import numpy as np
import pandas as pd

import pdeval
from tests.plots.frames import run_names


def confusion(labels=3):
    """What a judge makes of each label of people."""
    counts = np.random.default_rng(0).integers(1, 40, (labels, labels)) + 60 * np.eye(
        labels, dtype=int
    )
    first, second = (axis.ravel() for axis in np.indices(counts.shape))
    frame = pd.DataFrame(
        {"assessor": "llm", "reference": first, "label": second, "n": counts.ravel()}
    )
    return frame.assign(fraction=(counts / counts.sum(axis=1, keepdims=True)).ravel())


def judges(number=3):
    """Some judges by two measures."""
    names = np.repeat(run_names(number), 2)
    frame = pd.DataFrame(
        {"judge": names, "measure": ["AP", "RPP"] * number, "method": ["mean", "winrate"] * number}
    )
    values = np.linspace(0.3, 0.95, 2 * number)
    return frame.assign(
        tau_b=values, tau_ap=values - 0.05, rbo=values, top=10, overlap_top=0.8, tau_b_top=0.5, flipped=3, lost=1,
        gained=2, fraction_confirmed=values,
    )  # fmt: skip


def judge_scores(runs=8):
    """Runs by people and by two judges."""
    human = np.linspace(0.5, 0.2, runs)
    parts = []
    for name, shift in (("llm", 0.1), ("crowd", -0.02)):
        part = pd.DataFrame(
            {
                "judge": name,
                "run": run_names(runs),
                "measure": "AP",
                "method": "mean",
                "human": human,
            }
        )
        parts.append(part.assign(machine=human + shift, difference=shift))
    ranks = np.tile(np.arange(1, runs + 1), 2)
    return pd.concat(parts, ignore_index=True).assign(rank=ranks, rank_machine=ranks, moved=0)


def judge_bias():
    """Return whether two judges favor each of three runs, with intervals."""
    runs, qrels, _ = pdeval.datasets.load_sample()
    some = runs[runs["run"].isin(["bm25", "ql", "hybrid"])]
    strict = qrels.assign(relevance=qrels["relevance"].where(qrels["relevance"] > 1, 0))
    return some.ireval.judges.bias(
        qrels, {"strict": strict, "kind": qrels.assign(relevance=qrels["relevance"].clip(lower=1))}
    )


KINDS = {
    "confusions": confusion,
    "judges": judges,
    "judge_scores": judge_scores,
    "judge_bias": judge_bias,
}
