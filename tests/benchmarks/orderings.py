"""Orderings, leaderboards, means and tests against plain numpy and the peers that fit Bradley-Terry.

`python -m tests.benchmarks.orderings [--quick]` prints processor time, pdeval's and the other's, side by side in one
process: the ratio is the other's time by pdeval's. Bars are of pdeval's seconds, or of the ratio.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

import pdeval  # noqa: F401 - registers .ireval
from pdeval.evaluate.cube import Preferences, all_pairs
from pdeval.evaluate.pairs import select
from pdeval.evaluate.scores import scores
from pdeval.significance.hsd import normal_hsd, permuted_maxima
from pdeval.significance.max_t import maxima
from tests.benchmarks.data import Shape, make
from tests.benchmarks.jobs import installed

SLOW = 2.0  # seconds of one call of a peer, which is then called once


class Row(NamedTuple):
    """One comparison; the peer is None where it is not installed, and `times` scales it to the same work."""

    name: str
    bar: str
    ours: Callable[[], Any]
    peer: str
    theirs: Callable[[], Any] | None
    times: float = 1.0


def spent(work: Callable[[], Any]) -> float:
    """Return the processor seconds that one call takes."""
    begin = time.process_time()
    work()
    return time.process_time() - begin


def table(systems: int, tasks: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Return a leaderboard's scores, and the same as an array (systems, tasks)."""
    rng = np.random.default_rng(1)
    value = (
        0.5
        + rng.normal(0, 0.08, (systems, 1))
        + rng.normal(0, 0.1, tasks)
        + rng.normal(0, 0.08, (systems, tasks))
    )
    value = np.clip(value, 0, 1).round(4)
    run, query = (
        np.repeat([f"s{i:03}" for i in range(systems)], tasks),
        np.tile([f"t{i}" for i in range(tasks)], systems),
    )
    return pd.DataFrame(
        {"run": run, "query_id": query, "measure": "AP", "value": value.ravel()}
    ), value


def resamples(tasks: int, draws: int) -> np.ndarray:
    """Return how often each task is drawn."""
    return np.random.default_rng(0).multinomial(tasks, np.full(tasks, 1 / tasks), size=draws)


def mean_ranks(value: np.ndarray, draws: int) -> np.ndarray:
    """Return the percentiles of ranks by the mean rank, in four lines of numpy."""
    rank = (-value).argsort(axis=0).argsort(axis=0).T + 1.0
    drawn = resamples(value.shape[1], draws) @ rank
    ranks = drawn.argsort(axis=1).argsort(axis=1) + 1
    return np.quantile(ranks, [0.025, 0.975], axis=0)


def pairwise(
    value: np.ndarray, draws: int, score: Callable[[np.ndarray], np.ndarray]
) -> np.ndarray:
    """Return scores of all resamples from who is above whom, resample by resample."""
    above = np.sign(value.T[:, :, None] - value.T[:, None, :]).reshape(value.shape[1], -1)
    size = len(value)
    return np.stack(
        [score((one @ above).reshape(size, size)) for one in resamples(value.shape[1], draws)]
    )


def stationary(net: np.ndarray) -> np.ndarray:
    """Return MC4's distribution by solving one system of equations."""
    size = len(net)
    walk = 0.99 * (net < 0) / size + 0.01 / size
    np.fill_diagonal(walk, 0.0)
    np.fill_diagonal(walk, 1 - walk.sum(axis=1))
    return np.linalg.solve(
        np.vstack([(walk.T - np.eye(size))[:-1], np.ones(size)]), np.r_[np.zeros(size - 1), 1.0]
    )


def votes(count: int, systems: int) -> pd.DataFrame:
    """Return a log of votes as an arena has, most of them on few systems."""
    rng = np.random.default_rng(0)
    strength, share = rng.normal(0, 0.8, systems), rng.dirichlet(np.full(systems, 0.6))
    a, b = rng.choice(systems, (2, count), p=share)
    a, b = a[a != b], b[a != b]
    first = rng.random(len(a)) < 1 / (1 + np.exp(strength[b] - strength[a]))
    word = np.where(rng.random(len(a)) < 0.15, "tie", np.where(first, "model_a", "model_b"))
    names = np.array([f"m{i:03}" for i in range(systems)], dtype=object)
    return pd.DataFrame({"model_a": names[a], "model_b": names[b], "winner": word})


def of_votes(quick: bool) -> list[Row]:
    """Return the rows of a log of votes: one fit, and a leaderboard of 1,000 resamples."""
    log = votes(20_000 if quick else 100_000, 100)
    draws = 100 if quick else 1000
    fit = partial(
        log.ireval.leaderboard, method="bradley-terry(prior=0.01)", errors="sandwich", draws=100
    )
    rows = []
    evalica_fit = choix_fit = None
    if installed("evalica"):
        import evalica

        word = {
            "model_a": evalica.Winner.X,
            "model_b": evalica.Winner.Y,
            "tie": evalica.Winner.Draw,
        }
        won = [word[one] for one in log["winner"]]
        evalica_fit = lambda: evalica.bradley_terry(log["model_a"], log["model_b"], won)  # noqa: E731
    if installed("choix"):
        import choix

        a, b = (log[side].str[1:].astype(int).to_numpy() for side in ("model_a", "model_b"))
        sign = log["winner"].map({"model_a": 1, "tie": 0, "model_b": -1}).to_numpy()
        games = list(
            zip(
                np.where(sign >= 0, a, b)[sign != 0].tolist(),
                np.where(sign >= 0, b, a)[sign != 0].tolist(),
            )
        )
        choix_fit = lambda: choix.opt_pairwise(100, games, alpha=0.01)  # noqa: E731
    rows.append(
        Row(f"{len(log):,} votes, fit, errors, tiers", "", fit, "evalica, one fit", evalica_fit)
    )
    rows.append(
        Row(f"{len(log):,} votes, fit, errors, tiers", "", fit, "choix, one fit", choix_fit)
    )
    whole = lambda: log.ireval.leaderboard(draws=draws, progress=False)  # noqa: E731
    rows.append(
        Row(
            f"{len(log):,} votes, {draws:,} resamples",
            "",
            whole,
            "evalica, a fit each",
            evalica_fit,
            draws,
        )
    )
    return rows


def of_scores(quick: bool) -> list[Row]:
    """Return the rows of 332 systems on 41 tasks."""
    scores, value = table(*((100, 41) if quick else (332, 41)))
    draws = 100 if quick else 1000
    ask = lambda method: lambda: scores.ireval.order(method=method, draws=draws, progress=False)  # noqa: E731
    name = f"{len(value)} x {value.shape[1]}, {draws:,} resamples, "
    copeland = lambda: pairwise(value, draws, lambda net: np.sign(net).sum(axis=1))  # noqa: E731
    found = [
        Row(
            name + "mean",
            "0.1 s",
            ask("mean"),
            "four lines of numpy",
            lambda: mean_ranks(value, draws),
        ),
        Row(
            name + "Borda",
            "0.1 s",
            ask("borda"),
            "four lines of numpy",
            lambda: mean_ranks(value, draws),
        ),
        Row(name + "Copeland", "5 s", ask("copeland"), "numpy, one by one", copeland),
        Row(
            name + "MC4",
            "5 s",
            ask("mc4"),
            "numpy, one by one",
            lambda: pairwise(value, draws, stationary),
        ),
    ]
    fit = None
    if installed("choix"):
        import choix

        won = (value[:, None, :] > value[None, :, :]).sum(axis=2).astype(float)
        fit = lambda: choix.ilsr_pairwise_dense(won, alpha=0.01)  # noqa: E731
    found.append(
        Row(name + "Bradley-Terry", "10 s", ask("bradley-terry"), "choix, a fit each", fit, draws)
    )
    fit = None
    if installed("evalica"):
        import evalica

        counts = (value[:, None, :] > value[None, :, :]).sum(axis=2)
        a, b = (side.tolist() for side in np.nonzero(counts))
        first, often = [evalica.Winner.X] * len(a), counts[counts > 0].astype(float).tolist()
        fit = lambda: evalica.bradley_terry(a, b, first, weights=often)  # noqa: E731
    found.append(
        Row(name + "Bradley-Terry", "10 s", ask("bradley-terry"), "evalica, a fit each", fit, draws)
    )
    return found


def of_preferences(quick: bool) -> list[Row]:
    """Return the rows of preferences: six of them against one, their mean against the join, HSD against a loop."""
    runs, qrels = make(Shape(*((20, 50, 100, 70) if quick else (110, 249, 100, 70))))
    judged = runs.ireval.join(qrels, level=1)
    n_systems, n_queries, n_draws = (10, 50, 1000) if quick else (50, 250, 10_000)
    five_measures = np.random.default_rng(0).random((5, n_queries, n_systems))
    left, right = all_pairs(n_systems)
    six = ["RPP", "invRPP", "dcgRPP", "sgnLP", "rrLP", "sgnLR"]
    all_of = lambda names: lambda: select(judged, names).cube(progress=False)  # noqa: E731
    systems, queries = (20, 2000) if quick else (110, 3900)
    a, b = all_pairs(systems)
    ids = pd.DataFrame({"run": [f"r{i:03}" for i in range(systems)]})
    values = np.random.default_rng(0).integers(-20, 21, (1, queries, len(a))) / 20
    names = pd.Index([f"q{i}" for i in range(queries)], name="query_id")
    prefs = Preferences(ids, names, ("RPP",), a, b, values, {"table": "preferences"}).frame()
    join_of = make(Shape(20, 50, 400, 70) if quick else Shape(110, 249, 840, 70))
    matrix = np.zeros((500 if quick else 20_000, 50, 50))
    for _ in range(3):
        x = np.random.default_rng(2).random((len(matrix), 50))
        matrix += np.sign(x[:, None] - x[:, :, None])
    one, two = np.triu_indices(50, k=1)
    once = lambda: (all_of(["RPP"])(), scores(judged, ["AP"], warn=False))  # noqa: E731
    return [
        Row(
            "RPP and AP of ten tenths of the labels, ten times",
            "23 s",
            lambda: judged.robustness(["RPP", "AP"], to="labels", progress=False),
            "both of all labels, 100 times",
            once,
            100,
        ),
        Row("six preferences, all pairs", "half", all_of(six), "RPP alone", all_of(["RPP"])),
        Row(
            f"mean of {len(prefs):,} preferences",
            "ratio 0.33",
            lambda: prefs.ireval.summary(),
            f"join of {len(join_of[0]):,} rows",
            lambda: join_of[0].ireval.join(join_of[1], level=1),
        ),
        Row(
            f"HSD of {len(matrix):,} x 50 preferences, normal limit",
            "120 s",
            lambda: normal_hsd(matrix, one, two, progress=False),
            "permutations (64 draws, scaled)",
            lambda: permuted_maxima(matrix, draws=64, seed=0, progress=False, threads=1),
            10_000 / 64,
        ),
        Row(
            f"max-t of all pairs of {n_systems} systems, {n_queries} queries, 5 measures, {n_draws:,} draws",
            "ratio 0.2",
            lambda: np.maximum.reduce(
                [
                    maxima(
                        x[:, left] - x[:, right],
                        draws=n_draws,
                        scores=(x, left, right),
                        progress=False,
                    )
                    for x in five_measures
                ]
            ),
            "HSD of one measure",
            lambda: permuted_maxima(five_measures[0], draws=n_draws, seed=0, progress=False),
        ),
        Row(
            f"HSD of {len(matrix):,} x 50 preferences, normal limit",
            "120 s",
            lambda: normal_hsd(matrix, one, two, progress=False),
            "numpy loop (one draw, scaled)",
            lambda: _one_draw(matrix),
            10_000,
        ),
    ]


def _one_draw(matrix: np.ndarray) -> float:
    """Return the largest mean preference after permuting the runs of every query, as plain numpy does it."""
    rng = np.random.default_rng(0)
    total = np.zeros(matrix.shape[1:])
    for one in matrix:
        order = rng.permutation(len(one))
        total += one[np.ix_(order, order)]
    return float(np.abs(total).max()) / len(matrix)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="smaller tables, fewer resamples")
    quick = parser.parse_args().quick
    show(quick)


def show(quick: bool, repeats: int = 2) -> None:
    """Print one line for each row: the least of some repeats, one after the other."""
    warnings.simplefilter("ignore")
    print(f"\n{'job':52} {'bar':>10} {'pdeval s':>9} {'ratio':>8}  other")
    for make_rows in (of_scores, of_votes, of_preferences):
        for row in make_rows(quick):
            row.ours()
            ours = theirs = np.inf
            for again in range(repeats):
                ours = min(ours, spent(row.ours))
                if row.theirs is not None and not (again and theirs > SLOW * row.times):
                    theirs = min(theirs, spent(row.theirs) * row.times)
            ratio = "" if row.theirs is None else f"{theirs / ours:.2f}"
            said = row.peer if row.theirs is not None else f"{row.peer}: not installed"
            print(f"{row.name:52} {row.bar:>10} {ours:9.3f} {ratio:>8}  {said}", flush=True)


if __name__ == "__main__":
    main()
