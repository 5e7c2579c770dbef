"""Tables with intervals, two orderings, and scores: what the plots of such tables draw."""

import numpy as np
import pandas as pd

from tests.plots.frames import comparisons, orders, run_names


def several_orders(runs=8):
    """Two orderings of the same runs that differ by more than a few places."""
    first = orders(runs, measure="AP", method="mean")
    place = np.random.default_rng(1).permutation(runs) + 1
    second = orders(runs, measure="RPP", method="winrate")
    moved = np.where(np.arange(runs) % 3 == 0, place, second["rank"])
    second["rank"] = moved.argsort(kind="stable").argsort(kind="stable") + 1
    return pd.concat([first, second], ignore_index=True)


def scores(runs=6, queries=40, measure="AP"):
    """Values of runs on queries: the first runs better, the first queries harder."""
    values = np.random.default_rng(3).random((runs, queries)) * np.linspace(1, 0.4, runs)[:, None]
    run, query = np.indices(values.shape)
    ids = np.array(run_names(runs), dtype=object)[run.ravel()]
    frame = pd.DataFrame({"run": ids, "query_id": (query.ravel() + 301).astype(str)})
    return frame.assign(measure=measure, value=(values * np.linspace(0.3, 1, queries)).ravel())


def with_intervals(runs=6):
    """Comparisons of runs with a baseline, with intervals."""
    frame = comparisons(runs).query("run_a == 'bm25'").reset_index(drop=True)
    difference = np.linspace(-0.1, 0.2, len(frame))
    frame = frame.assign(
        n=50, difference=difference, ci_low=difference - 0.06, ci_high=difference + 0.06
    )
    frame.attrs["confidence"] = 0.95
    return frame.assign(p_adjusted=frame["p_value"], significant=difference > 0.06)


def gaps():
    """Gaps between segments of a run."""
    frame = pd.DataFrame(
        {"run": "lm", "measure": "AP", "segment_a": ["short", "short", "mid"], "segment_b": "long"}
    )
    frame.loc[0, "segment_b"] = "mid"
    frame = frame.assign(
        n_a=20, n_b=30, gap=[0.1, -0.05, 0.02], ci_low=-0.1, ci_high=0.2, p_value=0.1
    )
    return frame.assign(p_adjusted=0.1, significant=[True, False, False], largest=False)


def segmented(pairs=False):
    """What segments of queries say of a run, or of a pair of runs."""
    frame = pd.DataFrame({"length": ["short", "mid", "long"], "measure": "AP", "n": 20})
    value = np.array([0.3, 0.2, 0.1])
    frame = (
        frame.assign(run="lm", mean=value)
        if not pairs
        else frame.assign(run_a="lm", run_b="ql", difference=value)
    )
    frame = frame.assign(
        ci_low=value - 0.1, ci_high=value + 0.1, gap=0.1, gap_low=0.0, gap_high=0.2, gap_p=0.1
    )
    frame = frame.assign(gap_p_adjusted=0.1, gap_significant=[True, False, False])
    return (
        frame.assign(p_value=0.1, p_adjusted=0.1, significant=False, better="neither")
        if pairs
        else frame
    )


def compared_buckets():
    """Behavior in two buckets against the first."""
    frame = pd.DataFrame(
        {"bucket_a": ["flat", "rand"], "bucket_b": "orig", "measure": "clicks_per_query"}
    )
    frame = frame.assign(aggregate="mean", test="welch", n_a=50, n_b=50, value_a=1.0, value_b=1.2)
    frame = frame.assign(
        difference=[-0.2, 0.1], ci_low=[-0.3, -0.1], ci_high=[-0.1, 0.3], effect_size=0.1
    )
    return frame.assign(statistic=1.0, p_value=0.1, p_adjusted=0.1, significant=[True, False])


def quantiles():
    """Quantiles of two runs."""
    frame = pd.DataFrame(
        {"run": ["lm", "lm", "ql", "ql"], "measure": "AP", "statistic": "quantile", "n": 50}
    )
    return frame.assign(
        fraction=[0.1, 0.5] * 2, value=[0.1, 0.4, 0.2, 0.3], ci_low=0.05, ci_high=0.5
    )


def ranked(runs: int = 5, test: str = "nemenyi", seed: int = 0) -> pd.DataFrame:
    """A test of the mean ranks of every pair."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(30, runs)) - np.linspace(0, 1.5, runs)
    query, run = np.indices(values.shape)
    names = np.array(run_names(runs), dtype=object)
    frame = pd.DataFrame(
        {"run": names[run.ravel()], "query_id": query.ravel().astype(str), "measure": "AP"}
    )
    return frame.assign(value=values.ravel()).ireval.compare(test=test)


def equivalences(runs: int = 5) -> pd.DataFrame:
    """Practical equivalence of every run and the last."""
    names = run_names(runs)
    better = np.linspace(0.9, 0.1, runs - 1)
    frame = pd.DataFrame(
        {"run_a": names[:-1], "run_b": names[-1], "measure": "AP", "test": "correlated_t", "n": 50}
    )
    frame = frame.assign(
        mean_a=0.3, mean_b=0.2, difference=0.1, rope=0.01, worse=0.6 * (1 - better)
    )
    return frame.assign(equivalent=0.4 * (1 - better), better=better)


KINDS = {
    "equivalences": equivalences,
    "comparisons": with_intervals,
    "segments": segmented,
    "segment_differences": lambda: segmented(pairs=True),
    "segment_gaps": gaps,
    "segment_difference_gaps": lambda: gaps().drop(columns="run").assign(run_a="lm", run_b="ql"),
    "bucket_comparisons": compared_buckets,
    "quantiles": quantiles,
}
