"""Meta-evaluation of judges: would their labels have told the same of the systems as those of people?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from pdeval.evaluate.scores import MEASURES
from pdeval.join.query_rules import Topics
from pdeval.join.ranks import Ties
from pdeval.join.run_lists import Compat
from pdeval.judgments.judge_comparison import (
    VERDICTS,
    Queries,
    carrying,
    common_options,
    compared_sides,
    flipped_pairs,
    sides_of,
    standing_of,
    verdicts_of,
)
from pdeval.kernels.primitives import share
from pdeval.orderings.coefficients import rbo, tau_ap, tau_b
from pdeval.orderings.order import Standing
from pdeval.significance.corrections import Correction
from pdeval.significance.registry import TESTS
from pdeval.tables.labels import labels as repeated
from pdeval.tables.reader import Table
from pdeval.tables.schemas import table
from pdeval.verbs import verb
from pdeval.verbs.registry import listed_in_docs

table(
    "judges",
    "judge:any measure method runs:int queries:int queries_machine:int tau_b:float tau_ap:float rbo:float top:int "
    "overlap_top:share tau_b_top:float difference:float difference_absolute:float pairs:int flipped:int "
    "both:int opposed:int lost:int gained:int detected:share detected_machine:share kept:share",
    "judges against people",
    known_by="judge tau_b flipped lost gained kept",
    row="judge and measure",
    sort="judge measure method",
    then=".report(), .plot()",
    means={
        "judge": "whose judgments are held against those of people",
        "method": "how the runs were ordered",
        "queries": "queries that count by people's judgments",
        "queries_machine": "queries that count by the judge's",
        "tau_b": "Kendall's tau-b of the ordering by the judge and that by people",
        "tau_ap": "AP correlation of the ordering by the judge with that by people, errors at the top weighing most",
        "rbo": "rank-biased overlap of the two orderings",
        "top": "how many runs are the top for the next two columns",
        "overlap_top": "share of the runs of both tops that they have in common",
        "tau_b_top": "Kendall's tau-b over the runs that people put at the top; missing where one side ties them all",
        "difference": "mean over runs of the score by the judge minus that by people",
        "difference_absolute": "mean over runs of its size",
        "pairs": "pairs of runs",
        "flipped": "pairs that the judge puts in the other order, significantly or not",
        "both": "pairs that are significantly different by both, in the same direction",
        "opposed": "pairs that are significantly different by both, in opposite directions",
        "lost": "pairs that are significantly different by people alone",
        "gained": "pairs that are significantly different by the judge alone",
        "detected": "discriminative power under people: share of the pairs that are significantly different",
        "detected_machine": "discriminative power under the judge",
        "kept": "of the pairs that are significantly different by people, the share that the judge confirms",
    },
)


@verb(on="runs", gives="judges", family="judges", grouped=False)
@listed_in_docs(tests=TESTS)
def judges(
    runs: Table,
    qrels: object,
    machine: object,
    measures: object = MEASURES,
    *,
    queries: Queries | None = None,
    top: int = 10,
    p: float = 0.9,
    method: str | Sequence[str] | None = None,
    test: str | None = None,
    correction: Correction | None = "bonferroni",
    alpha: float = 0.05,
    draws: int = 10_000,
    seed: int | None = 0,
    grades: Mapping[object, float] | None = None,
    scale: Sequence[float] | None = None,
    level: float | None = None,
    topics: Topics = "relevant",
    ties: Ties | None = None,
    compat: Compat = "trec_eval-10",
    validate: bool = True,
) -> pd.DataFrame:
    """Return how far the labels of judges lead to what those of people do: orderings, scores, significant differences.

    One row per judge and measure. A judge is whoever labelled: a language model, a crowd, a rule, another person.

    Parameters
    ----------
    qrels : DataFrame or bound accessor
        People's judgments.
    machine : mapping of name to DataFrame, or DataFrame
        The judges' own judgments of the same queries: by the name of each judge; those of one judge; or a table of
        labels (query, doc, assessor, label), each assessor a judge. What a judge did not label is not judged there.
    measures : str, Measure, or list of them
        Measures of one ranking, or preferences.
    queries : {'common', 'each', 'all'}, optional
        What to do where the queries that count differ: use only those of people and every judge; those of people and
        the one judge; or each set of judgments on its own queries. Without it, queries that differ are an error.
    top : int
        How many runs are the top, for `overlap_top` and `tau_b_top`; those tied with the last of them belong to it.
    p : float
        The persistence of RBO.
    method : str or list of str, optional
        How to order the runs; by default by the mean of a measure and by the win rates of a preference.
    test : str, optional
        The test of every pair of runs, under both sets of judgments. There are:

        {tests}
    scale : list of numbers, optional
        The grades that there are; by default the whole numbers from the lowest to the highest that people gave. A judge
        who gives another is an error.

    References
    ----------
    Faggioli et al. (2023), Perspectives on large language models for relevance judgment; Moffat, Scholer and Thomas
    (2012), Models and metrics: IR evaluation as a user process, for pairs that two evaluations decide differently.

    Examples
    --------
    >>> import pdeval
    >>> runs, qrels, _ = pdeval.datasets.load_sample()
    >>> strict = qrels.assign(relevance=qrels["relevance"].where(qrels["relevance"] > 1, 0))
    >>> hasty = qrels.assign(relevance=qrels["relevance"].where(qrels.index % 3 > 0, 0))
    >>> found = runs.ireval.judges(qrels, {"strict": strict, "hasty": hasty}, "AP", topics="common", top=5)
    >>> found[["judge", "measure", "tau_b", "tau_ap", "difference", "flipped", "lost", "gained", "kept"]].round(3)
        judge measure  tau_b  tau_ap  difference  flipped  lost  gained   kept
    0   hasty      AP  0.939   0.952      -0.115        2    16       0  0.644
    1  strict      AP  0.970   0.982      -0.044        1    12       0  0.733
    """
    pairs, asked = sides_of(**common_options(locals()))
    compared = compared_sides(pairs, asked, test=test, correction=correction, alpha=alpha, draws=draws, seed=seed)
    standings: dict[int, Standing] = {}
    rows = []
    for pair, (human, other) in zip(pairs, compared, strict=True):
        one, two = (standing_of(standings, side, asked, method) for side in (pair.human, pair.machine))
        verdicts = verdicts_of(human, other, alpha)
        for key, (measure, how) in enumerate(one.keys):
            own = (human["measure"].astype(str) == measure).to_numpy()
            rows.append(
                {
                    "judge": pair.judge,
                    "measure": measure,
                    "method": how,
                    "runs": one.rank.shape[1],
                    "queries": one.queries[key],
                    "queries_machine": two.queries[key],
                    **_alike(one.rank[key], two.rank[key], top, p),
                    **_apart(one.score[key], two.score[key]),
                    **_told(verdicts[own], flipped_pairs(human, other)[own]),
                }
            )
    frame = pd.DataFrame(rows)
    return carrying(frame, pairs, asked, alpha=alpha, correction=correction, queries=queries)


def _alike(human: np.ndarray, other: np.ndarray, top: int, p: float) -> dict[str, Any]:
    """Return how alike two orderings are, from ranks."""
    first, second = human <= top, other <= top
    both = first & second
    at_top = float(tau_b(-human[first], -other[first])) if first.sum() > 1 else np.nan
    return {
        "tau_b": tau_b(-human, -other),
        "tau_ap": tau_ap(-human, -other),
        "rbo": rbo(-human, -other, p=p),
        "top": top,
        "overlap_top": float(2 * both.sum() / (first.sum() + second.sum())),
        "tau_b_top": at_top,
    }


def _apart(human: np.ndarray, other: np.ndarray) -> dict[str, Any]:
    return {
        "difference": float(np.mean(other - human)),
        "difference_absolute": float(np.mean(np.abs(other - human))),
    }


def _told(verdicts: np.ndarray, flipped: np.ndarray) -> dict[str, Any]:
    """Return the counts of pairs, and the discriminative power under both."""
    both, opposed, lost, gained, _ = np.bincount(verdicts, minlength=len(VERDICTS))
    pairs, by_people = len(verdicts), both + opposed + lost
    return {
        "pairs": pairs,
        "flipped": int(flipped.sum()),
        "both": both,
        "opposed": opposed,
        "lost": lost,
        "gained": gained,
        "detected": by_people / pairs,
        "detected_machine": (both + opposed + gained) / pairs,
        "kept": float(share(both, by_people)) if by_people else np.nan,
    }


table(
    "judge_scores",
    "judge:any run measure method human:float machine:float difference:float rank:int rank_machine:int moved:int",
    "scores by judges and by people",
    known_by="judge human machine rank_machine moved",
    row="judge, run and measure",
    sort="judge measure method rank",
    then=".report(), .plot()",
    means={
        "judge": "whose judgments are held against those of people",
        "method": "how the runs were ordered",
        "human": "the score by people's judgments",
        "machine": "the score by the judge's",
        "difference": "machine - human",
        "rank": "the rank by people's judgments",
        "rank_machine": "the rank by the judge's",
        "moved": "rank - rank_machine: positive where the judge puts the run higher",
    },
)
table(
    "judge_pairs",
    "judge:any run_a run_b measure test human:float machine:float p_human:float p_machine:float flipped:bool verdict",
    "pairs of runs by judges and by people",
    known_by="judge run_a run_b p_human p_machine verdict",
    row="judge, pair of runs and measure",
    sort="judge measure run_a run_b",
    then=".report()",
    means={
        "judge": "whose judgments are held against those of people",
        "human": "the difference by people's judgments, positive where run_a is better",
        "machine": "the difference by the judge's",
        "p_human": "corrected p-value of the test by people's judgments",
        "p_machine": "the same by the judge's",
        "flipped": "whether the test favors opposite sides by the two",
        "verdict": "which differences are significant: 'both', 'opposed' where both are in opposite directions, 'lost' "
        "by people alone, 'gained' by the judge alone, 'neither'",
    },
    undrawn="it is one row per pair; draw .judges() or .judges.scores()",
)


@verb(on="runs", gives="judge_scores", family="judges", name="scores", grouped=False)
def judge_scores(
    runs: Table,
    qrels: object,
    machine: object,
    measures: object = MEASURES,
    *,
    queries: Queries | None = None,
    method: str | Sequence[str] | None = None,
    grades: Mapping[object, float] | None = None,
    scale: Sequence[float] | None = None,
    level: float | None = None,
    topics: Topics = "relevant",
    ties: Ties | None = None,
    compat: Compat = "trec_eval-10",
    validate: bool = True,
) -> pd.DataFrame:
    """Return the score and the rank of every run by people's judgments and by those of each judge.

    Parameters
    ----------
    qrels : DataFrame or bound accessor
        People's judgments.
    machine : mapping of name to DataFrame, or DataFrame
        The judges' own judgments; see `judges`.
    measures : str, Measure, or list of them
        Measures of one ranking, or preferences.
    queries : {'common', 'each', 'all'}, optional
        What to do where the queries that count differ; see `judges`.
    method : str or list of str, optional
        How to order the runs; by default by the mean of a measure and by the win rates of a preference.
    scale : list of numbers, optional
        The grades that there are; see `judges`.

    Examples
    --------
    >>> import pdeval
    >>> runs, qrels, _ = pdeval.datasets.load_sample()
    >>> strict = qrels.assign(relevance=qrels["relevance"].where(qrels["relevance"] > 1, 0))
    >>> found = runs.ireval.judges.scores(qrels, {"strict": strict}, "AP", topics="common")
    >>> found[["judge", "run", "human", "machine", "difference", "rank", "rank_machine"]].head(2).round(3)
        judge        run  human  machine  difference  rank  rank_machine
    0  strict  rerank-s1  0.560    0.533      -0.027     1             1
    1  strict  rerank-s2  0.554    0.515      -0.039     2             2
    """
    pairs, asked = sides_of(**common_options(locals()))
    standings: dict[int, Standing] = {}
    parts = []
    for pair in pairs:
        one, two = (standing_of(standings, side, asked, method) for side in (pair.human, pair.machine))
        key, run = (axis.ravel() for axis in np.indices(one.rank.shape))
        by = np.lexsort((run, one.rank.ravel(), key))
        names = pair.human.runs
        columns: dict[str, Any] = {"judge": [pair.judge] * len(by)}
        columns |= {name: repeated(names[name], run[by]) for name in names.columns}
        columns |= one.columns(key[by])
        human, other = one.score.ravel()[by], two.score.ravel()[by]
        ranks = [side.rank.ravel()[by].astype(np.int64) for side in (one, two)]
        columns |= {"human": human, "machine": other, "difference": other - human}
        columns |= {"rank": ranks[0], "rank_machine": ranks[1], "moved": ranks[0] - ranks[1]}
        parts.append(pd.DataFrame(columns))
    return carrying(pd.concat(parts, ignore_index=True), pairs, asked, queries=queries)


@verb(on="runs", gives="judge_pairs", family="judges", name="pairs", grouped=False)
@listed_in_docs(tests=TESTS)
def judge_pairs(
    runs: Table,
    qrels: object,
    machine: object,
    measures: object = MEASURES,
    *,
    queries: Queries | None = None,
    test: str | None = None,
    correction: Correction | None = "bonferroni",
    alpha: float = 0.05,
    draws: int = 10_000,
    seed: int | None = 0,
    grades: Mapping[object, float] | None = None,
    scale: Sequence[float] | None = None,
    level: float | None = None,
    topics: Topics = "relevant",
    ties: Ties | None = None,
    compat: Compat = "trec_eval-10",
    validate: bool = True,
) -> pd.DataFrame:
    """Return what people's judgments and those of each judge say of every pair of runs, and whether they agree.

    Parameters
    ----------
    qrels : DataFrame or bound accessor
        People's judgments.
    machine : mapping of name to DataFrame, or DataFrame
        The judges' own judgments; see `judges`.
    measures : str, Measure, or list of them
        Measures of one ranking, or preferences.
    queries : {'common', 'each', 'all'}, optional
        What to do where the queries that count differ; see `judges`.
    test : str, optional
        The test of every pair of runs. There are:

        {tests}
    scale : list of numbers, optional
        The grades that there are; see `judges`.

    Examples
    --------
    >>> import pdeval
    >>> runs, qrels, _ = pdeval.datasets.load_sample()
    >>> strict = qrels.assign(relevance=qrels["relevance"].where(qrels["relevance"] > 1, 0))
    >>> found = runs.ireval.judges.pairs(qrels, {"strict": strict}, "AP", topics="common")
    >>> found["verdict"].value_counts().to_dict()
    {'both': 33, 'neither': 21, 'lost': 12}
    """
    pairs, asked = sides_of(**common_options(locals()))
    compared = compared_sides(pairs, asked, test=test, correction=correction, alpha=alpha, draws=draws, seed=seed)
    parts = []
    for pair, (human, other) in zip(pairs, compared, strict=True):
        ids = list(human.columns[: list(human.columns).index("measure")])
        part = human[[*ids, "measure", "test"]].copy()
        part.insert(0, "judge", [pair.judge] * len(part))
        part["human"], part["machine"] = human["difference"].to_numpy(), other["difference"].to_numpy()
        part["p_human"], part["p_machine"] = human["p_adjusted"].to_numpy(), other["p_adjusted"].to_numpy()
        part["flipped"] = flipped_pairs(human, other)
        part["verdict"] = np.array(VERDICTS, dtype=object)[verdicts_of(human, other, alpha)]
        parts.append(part)
    frame = pd.concat(parts, ignore_index=True)
    return carrying(frame, pairs, asked, alpha=alpha, correction=correction, queries=queries)
