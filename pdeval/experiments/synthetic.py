"""Agreement of measures over lists that no system made: all of them, random ones, or those that runs resemble.

A list is N places that hold a relevant item or not. All lists are seen against the same recall base of N relevant
items, so that only what they show tells them apart: AP is the sum of precisions over N.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from pdeval.catalog import Measure, parse_all
from pdeval.catalog.known import described
from pdeval.evaluate.cube import all_pairs
from pdeval.evaluate.pairs import Pairs
from pdeval.evaluate.scores import Views
from pdeval.experiments.agreement import Tally, fuzziness_of, tallied
from pdeval.experiments.side_by_side import together
from pdeval.judged import ids
from pdeval.judged.judged import Judged
from pdeval.judged.judgments import Judgments
from pdeval.judged.positions import Positions
from pdeval.mechanics.arguments import whole
from pdeval.mechanics.progress import track

MEASURES = ("DCG(discount=jk)", "AP", "P@10", "RBP(p=0.5)", "RBP(p=0.8)")
CELLS = 1 << 17  # small blocks stay in the processor's cache
MOST = 12


def judged_of(relevant: np.ndarray) -> Judged:
    """Return lists of relevant (True) and other items, shape (lists, N), as the rankings of one query by many runs.

    Examples
    --------
    >>> from pdeval.evaluate.scores import scores
    >>> lists = np.array([[True, False], [False, True]])
    >>> scores(judged_of(lists), "AP").values.tolist()
    [[[0.5, 0.25]]]
    """
    lists, depth = relevant.shape
    run, place = np.nonzero(relevant)
    # the i-th relevant item of a list is item i of the recall base
    item = (np.cumsum(relevant, axis=1, dtype=np.int32) - 1)[run, place]
    order = np.argsort(item.astype(np.int16 if depth < 2**15 else np.int32), kind="stable")
    rank = (place[order] + 1).astype(np.float64)
    base = np.arange(depth)
    items = Judgments(
        ids.Ids(numbers=np.zeros(1, dtype=np.int64)), ids.Ids(numbers=base), base * 0, base, base * 0 + 1.0
    )
    positions = Positions(
        pd.DataFrame({"run": np.arange(lists)}),
        pd.Index([0], name="query_id"),
        items,
        item[order].astype(np.int64),
        run[order],
        rank,
        rank - 1,
        np.ones(len(rank)),
        np.full((1, lists), depth, dtype=np.int64),
        rules={"ties": "docid", "compat": "trec_eval-10", "depth": None},
    )
    return Judged(positions)


def uniform(
    N: int = 10, measures: object = MEASURES, *, fuzziness: float | Sequence[float] = 0.0, progress: bool | None = None
) -> pd.DataFrame:
    """Return the agreement of every two measures over all pairs of the 2^N lists of N items, exactly.

    Parameters
    ----------
    N : int
        The length of the lists, at most 12.
    measures : str, Measure, or list of them
        Measures and preferences.
    fuzziness : float or list of float
        The difference up to which opposite signs are forgiven; several give one row each.
    progress : bool, optional
        Show a bar; by default after a second, to a person.

    Returns
    -------
    DataFrame
        measure_a, measure_b, fuzziness, pairs, agreement, r.

    References
    ----------
    Shokouhi, Yilmaz, Craswell and Robertson 2009, Table 1, "uniform".

    Examples
    --------
    >>> uniform(N=10, measures=["AP", "P@10", "RBP(p=0.5)"]).round(4)
      measure_a   measure_b  fuzziness   pairs  agreement       r
    0        AP        P@10        0.0  523776     0.7694  0.9086
    1        AP  RBP(p=0.5)        0.0  523776     0.8200  0.8050
    2      P@10  RBP(p=0.5)        0.0  523776     0.6001  0.5472
    """
    if not 1 <= N <= MOST or N % 1:
        raise ValueError(
            f"N={N!r}: all pairs of lists are counted for lists of 1 to {MOST} items; use random_lists(N=...) for more."
        )
    lists = (np.arange(2**N)[:, None] >> np.arange(N)) & 1 == 1
    asked = _asked(measures)
    source = Pairs(judged_of(lists), asked, *all_pairs(len(lists)), memory=1 << 28)
    return _described(tallied(source, fuzziness=fuzziness, progress=progress), asked)


def random_lists(
    N: int = 1000,
    measures: object = MEASURES,
    *,
    pairs: int = 100_000,
    relevance: float = 0.5,
    fuzziness: float | Sequence[float] = 0.0,
    seed: int | None = 0,
    progress: bool | None = None,
) -> pd.DataFrame:
    """Return the agreement of every two measures over random pairs of lists of N items.

    Parameters
    ----------
    N : int
        The length of the lists.
    measures : str, Measure, or list of them
        Measures and preferences.
    pairs : int
        How many pairs are drawn; the standard error of a rate is at most 0.5 / sqrt(pairs).
    relevance : float
        The chance that a place holds a relevant item.
    fuzziness : float or list of float
        The difference up to which opposite signs are forgiven; several give one row each.
    seed : int, optional
        Of the draws.
    progress : bool, optional
        Show a bar; by default after a second, to a person.

    Returns
    -------
    DataFrame
        measure_a, measure_b, fuzziness, pairs, agreement, r.

    References
    ----------
    Shokouhi, Yilmaz, Craswell and Robertson 2009, Table 1, "uniform, N = 1000".

    Examples
    --------
    >>> random_lists(N=50, measures=["AP", "P@10"], pairs=2000, seed=1).round(3)
      measure_a measure_b  fuzziness  pairs  agreement      r
    0        AP      P@10        0.0   2000       0.66  0.712
    """
    _check_size(N, pairs)
    if not 0 < relevance < 1:
        raise ValueError(f"relevance={relevance!r}: the chance of a relevant item must be between 0 and 1.")
    asked = _asked(measures)
    tally = Tally([measure.label for measure in asked], 1, fuzziness_of(fuzziness))
    draws = _drawn(int(N), int(pairs), relevance, seed)
    step = _pairs_at_a_time(N)
    for lists in track(draws, total=-(-pairs // step), desc="random lists", progress=progress):
        first = np.arange(0, len(lists), 2)
        for block in together(Pairs(judged_of(lists), asked, first, first + 1), progress=False):
            tally.add(block)
    return _described(tally.frame(), asked)


def sampled(
    judged: Judged,
    measures: object = MEASURES,
    *,
    N: int = 10,
    pairs: int = 100_000,
    identical: bool = False,
    fuzziness: float | Sequence[float] = 0.0,
    seed: int | None = 0,
    progress: bool | None = None,
) -> pd.DataFrame:
    """Return the agreement of every two measures over pairs of lists drawn from what runs returned.

    The first N places of every (run, query) that counts are a list; pairs of lists are drawn at random, of any two
    runs and queries, so that a list is as likely as it is frequent. `agree` compares runs on the same query instead.

    Parameters
    ----------
    judged : Judged
        A join of runs and judgments, made by `runs.ireval.join(qrels)`.
    measures : str, Measure, or list of them
        Measures and preferences.
    N : int
        How much of every ranking is looked at.
    pairs : int
        How many pairs are drawn.
    identical : bool
        Keep pairs of equal lists, on which all measures agree; by default they are drawn anew, as the exact count
        over all lists has none.
    fuzziness : float or list of float
        The difference up to which opposite signs are forgiven; several give one row each.
    seed : int, optional
        Of the draws.
    progress : bool, optional
        Show a bar; by default after a second, to a person.

    Returns
    -------
    DataFrame
        measure_a, measure_b, fuzziness, pairs, agreement, r.

    References
    ----------
    Shokouhi, Yilmaz, Craswell and Robertson 2009, Table 1, "sampled".

    Examples
    --------
    >>> import pdeval
    >>> judged = pdeval.datasets.sample_judged(topics="common")
    >>> sampled(judged, ["AP", "RBP(p=0.8)"], pairs=5000).round(3)
      measure_a   measure_b  fuzziness  pairs  agreement      r
    0        AP  RBP(p=0.8)        0.0   5000      0.973  0.969
    """
    _check_size(N, pairs)
    lists = shown(judged, N)
    different, code = np.unique(lists, axis=0, return_inverse=True)
    code = np.asarray(code).ravel()
    if len(different) < 2 and not identical:
        raise ValueError(f"the first {N} places of all {len(lists):,} lists are the same; there is no pair to compare.")
    rng = np.random.default_rng(seed)
    drawn = np.empty((0, 2), dtype=np.int64)
    while len(drawn) < pairs:
        more = code[rng.integers(len(code), size=(pairs, 2))]
        drawn = np.concatenate([drawn, more if identical else more[more[:, 0] != more[:, 1]]])
    a, b = drawn[:pairs].T
    # a list is evaluated once, however often it was returned
    asked = _asked(measures)
    source = Pairs(judged_of(different), asked, a, b, memory=1 << 28)
    return _described(tallied(source, fuzziness=fuzziness, progress=progress), asked)


def shown(judged: Judged, N: int) -> np.ndarray:
    """Return which of the first N places hold a relevant item, for every list that counts: shape (lists, N).

    Examples
    --------
    >>> import pdeval
    >>> shown(pdeval.datasets.sample_judged(), 10).shape
    (600, 10)
    """
    counts = judged.counted()
    cells = np.zeros((*counts.shape, N), dtype=bool)
    for block in Views(judged).blocks("binary", judged.level):
        at, topic, run = np.nonzero(block["rank"] <= N)
        cells[block.topics[topic], run, block["rank"][at, topic, run].astype(np.int64) - 1] = True
    lists: np.ndarray = cells[counts]
    return lists


def _asked(measures: object) -> tuple[Measure, ...]:
    asked = tuple(parse_all(measures))
    if len(asked) < 2:
        raise ValueError(f"agreement is between two measures; there is one: {asked[0].label}.")
    return asked


def _check_size(N: int, pairs: int) -> None:
    whole("N", N, 1)
    whole("pairs", pairs, 1)


def _pairs_at_a_time(N: int) -> int:
    return max(CELLS // (2 * int(N)), 1)


def _drawn(N: int, pairs: int, relevance: float, seed: int | None) -> Iterator[np.ndarray]:
    """Yield blocks of random lists; one stream of numbers, so that the size of a block changes nothing."""
    rng = np.random.default_rng(seed)
    step = _pairs_at_a_time(N)
    for first in range(0, pairs, step):
        yield rng.random((2 * min(step, pairs - first), N)) < relevance


def _described(frame: pd.DataFrame, asked: tuple[Measure, ...]) -> pd.DataFrame:
    """Return the frame saying what it is; synthetic lists have no rules of runs and queries to say."""
    frame.attrs = {"measures": described(asked), "table": "sign_agreement"}
    return frame
