"""Judges against people, run by run and pair by pair."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from pdeval.collections.judge_sets import (
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
from pdeval.evaluate.scores import MEASURES
from pdeval.judged.prepared import Compat
from pdeval.judged.ranks import Ties
from pdeval.judged.topics import Topics
from pdeval.kinds.labels import labels as repeated
from pdeval.kinds.schemas import table
from pdeval.kinds.tables import Table
from pdeval.mechanics.registries import listed_in_docs
from pdeval.orderings.standings import Standing
from pdeval.significance.corrections import Correction
from pdeval.significance.registry import TESTS
from pdeval.verbs import verb

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
        "flipped": "whether the two differences have opposite signs",
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
    grades : mapping of label to number, optional
        The grade of each label of a label table; needed where labels are not numbers.
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
    correction : str or None
        For the number of pairs of a measure, as in `compare`.
    alpha : float
        A pair is significantly different where its corrected p-value is below this.
    draws : int
        Of the tests that draw at random.
    seed : int or None
        The same seed gives the same p-values; None for a new one.
    grades : mapping of label to number, optional
        The grade of each label of a label table; needed where labels are not numbers.
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
