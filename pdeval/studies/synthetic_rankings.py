"""Agreement of measures over synthetic lists: all lists of a length, random lists, and lists sampled from runs.

A list has N ranks, each with a relevant item or not. All lists have the same recall base, by default N relevant items,
so AP is the sum of precisions divided by N.

Fuzziness is a threshold of differences, which depend on the scale of the values. The paper does not state its scale;
`fitted_scale` returns the one of about twenty that fits its fuzzy columns best.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from pdeval.catalog import described, parse_all
from pdeval.evaluate import Pairs, Views, all_pairs, described_frame
from pdeval.join import Judged, Judgments, Positions, ids
from pdeval.kernels.graded import Gains
from pdeval.studies.sign_agreement import Tally, count, fuzziness_of
from pdeval.verbs import checks_arguments, integer, positive, track

MEASURES = ("DCG(discount=jk)", "AP", "P@10", "RBP(p=0.5)", "RBP(p=0.8)")
CELLS = 1 << 17  # small blocks stay in the processor's cache
MOST = 12
LONGEST, DRAWN = 1_000_000, 10_000_000  # lists and pairs that memory and time are given to


def judged_of(relevant: np.ndarray, recall_base: int | None = None) -> Judged:
    """Return lists of relevant (True) and other items, shape (lists, N), as the rankings of one query by many runs.

    Parameters
    ----------
    recall_base : int, optional
        Number of relevant items, of which a list has at most N; by default N.

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
    base = np.arange(depth if recall_base is None else recall_base)
    items = Judgments(
        ids.Ids(numbers=np.zeros(1, dtype=np.int64)),
        ids.Ids(numbers=base),
        base * 0,
        base,
        base * 0 + 1.0,
    )
    return Judged(
        Positions(
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
    )


def fitted_scale(N: int) -> dict[str, float]:
    """Return the factors of the measures of Table 1 that reproduce its fuzzy columns best.

    With R = N / 2: AP over a recall base of R, DCG over that of R relevant items in a row, RBP without its factor
    1 - p. Chosen by fit to the 20 cells of the columns "uniform" with fuzziness 0.01, so it is no independent
    check of them. The absolute distances from the printed values sum to about 0.20 with this scale and to 0.56
    without it (lists of 10: 0.05 and 0.08; 60,000 pairs of lists of 1000, an error of about 0.02). Fuzziness relative
    to the larger value, which is the wording of the paper, fits equally well without a scale: 0.20 (lists of 10: 0.04).

    Examples
    --------
    >>> {measure: round(scale, 3) for measure, scale in fitted_scale(10).items()}
    {'DCG(discount=jk)': 0.281, 'AP': 2.0, 'RBP(p=0.5)': 2.0, 'RBP(p=0.8)': 5.0}
    """
    half = integer("N", N, 2, LONGEST) // 2
    ideal = float(Gains(discount="jk").discounted(np.ones(half), np.arange(1.0, half + 1)).sum())
    return {
        "DCG(discount=jk)": 1 / ideal,
        "AP": N / half,
        "RBP(p=0.5)": 1 / (1 - 0.5),
        "RBP(p=0.8)": 1 / (1 - 0.8),
    }


@dataclass
class Agreement:
    """The agreement of every two measures over pairs of lists of N places; the options of all functions here."""

    measures: object
    N: int
    recall_base: int | None
    fuzziness: float | Sequence[float]
    relative: bool
    scale: Mapping[str, float] | None

    def __post_init__(self) -> None:
        """Check the options, and begin with no pairs."""
        self.parsed = tuple(parse_all(self.measures))
        labels = [measure.label for measure in self.parsed]
        if (
            self.recall_base is not None
            and integer("recall_base", self.recall_base, 1, LONGEST) < self.N
        ):
            raise ValueError(
                f"recall_base={self.recall_base}: lists of length {self.N} may have {self.N} relevant items, so "
                f"recall_base must be at least {self.N}. To divide by fewer, scale the values: "
                f"scale={{'AP': {self.N}/{self.recall_base}}}."
            )
        factors = {
            str(name): positive(f"scale[{str(name)!r}]", value)
            for name, value in (self.scale or {}).items()
        }
        if unknown := [name for name in factors if name not in labels]:
            raise KeyError(
                f"scale= contains {unknown[0]!r}, which is not one of the measures {', '.join(labels)}."
            )
        self.tally = Tally(labels, 1, fuzziness_of(self.fuzziness), factors)

    def count(
        self, lists: np.ndarray, a: np.ndarray, b: np.ndarray, *, progress: bool | None
    ) -> None:
        """Count pairs of lists."""
        judged = judged_of(lists, self.N if self.recall_base is None else self.recall_base)
        pairs = Pairs(judged, self.parsed, a, b, memory=1 << 28)
        count(self.tally, pairs, relative=self.relative, progress=progress)

    def frame(self) -> pd.DataFrame:
        """Return the agreement; synthetic lists have no rules of runs and queries that it could carry."""
        attrs = {"measures": described(self.parsed), "table": "sign_agreement"}
        return described_frame(
            self.tally.frame(), attrs | ({"relative": True} if self.relative else {})
        )


@checks_arguments
def uniform(
    N: int = 10,
    measures: object = MEASURES,
    *,
    recall_base: int | None = None,
    fuzziness: float | Sequence[float] = 0.0,
    relative: bool = False,
    scale: Mapping[str, float] | None = None,
    progress: bool | None = None,
) -> pd.DataFrame:
    """Return the agreement of every two measures over all pairs of the 2^N lists of N items, exactly.

    Parameters
    ----------
    N : int
        Length of the lists, at most 12.
    measures : str, Measure, or list of them
        Measures and preferences.
    recall_base : int, optional
        Number of relevant items, at least N; by default N. AP and nDCG divide by it.
    fuzziness : float or list of float
        Threshold of differences. If it is positive, two measures disagree only if their signs are opposite and both
        differences are larger. Several values give one row each.
    relative : bool
        Whether fuzziness is relative to the larger of both values (0.01 is one percent) instead of absolute.
    scale : mapping of measure to number, optional
        Factors of the values, applied before differences are compared with the fuzziness; see `fitted_scale`.
    progress : bool, optional
        Whether to show a progress bar; by default in notebooks and interactive terminals, after one second.

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
            f"N={N!r}: expected a length from 1 to {MOST}. Use random_lists(N=...) for longer lists."
        )
    lists = (
        np.arange(2**N)[:, None] >> np.arange(N)
    ) & 1 == 1  # the binary digits of 0, 1, ..., 2^N - 1
    agreement = Agreement(measures, N, recall_base, fuzziness, relative, scale)
    agreement.count(lists, *all_pairs(len(lists)), progress=progress)
    return agreement.frame()


@checks_arguments
def random_lists(
    N: int = 1000,
    measures: object = MEASURES,
    *,
    pairs: int = 100_000,
    relevance: float = 0.5,
    recall_base: int | None = None,
    fuzziness: float | Sequence[float] = 0.0,
    relative: bool = False,
    scale: Mapping[str, float] | None = None,
    seed: int | None = 0,
    progress: bool | None = None,
) -> pd.DataFrame:
    """Return the agreement of every two measures over random pairs of lists of N items.

    Parameters
    ----------
    N : int
        Length of the lists.
    measures : str, Measure, or list of them
        Measures and preferences.
    pairs : int
        Number of pairs to draw; the standard error of a rate is at most 0.5 / sqrt(pairs).
    relevance : float
        Probability that an item is relevant.
    recall_base : int, optional
        Number of relevant items, at least N; by default N. AP and nDCG divide by it.
    fuzziness : float or list of float
        Threshold of differences. If it is positive, two measures disagree only if their signs are opposite and both
        differences are larger. Several values give one row each.
    relative : bool
        Whether fuzziness is relative to the larger of both values (0.01 is one percent) instead of absolute.
    scale : mapping of measure to number, optional
        Factors of the values, applied before differences are compared with the fuzziness; see `fitted_scale`.
    seed : int, optional
        Random seed. The same seed gives the same result; None chooses a new one.
    progress : bool, optional
        Whether to show a progress bar; by default in notebooks and interactive terminals, after one second.

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
    integer("N", N, 1, LONGEST)
    integer("pairs", pairs, 1, DRAWN)
    if not 0 < relevance < 1:
        raise ValueError(f"relevance={relevance!r}: expected a probability between 0 and 1.")
    agreement = Agreement(measures, N, recall_base, fuzziness, relative, scale)
    rng = np.random.default_rng(seed)
    step = max(
        CELLS // (2 * int(N)), 1
    )  # pairs at a time; one stream of numbers, so that it changes nothing
    starts = range(0, int(pairs), step)
    for start in track(starts, total=len(starts), desc="random lists", progress=progress):
        lists = rng.random((2 * min(step, int(pairs) - start), int(N))) < relevance
        first = np.arange(0, len(lists), 2)
        agreement.count(lists, first, first + 1, progress=False)
    return agreement.frame()


@checks_arguments
def sampled(
    judged: Judged,
    measures: object = MEASURES,
    *,
    N: int = 10,
    pairs: int = 100_000,
    identical: bool = False,
    recall_base: int | None = None,
    fuzziness: float | Sequence[float] = 0.0,
    relative: bool = False,
    scale: Mapping[str, float] | None = None,
    seed: int | None = 0,
    progress: bool | None = None,
) -> pd.DataFrame:
    """Return the agreement of every two measures over pairs of lists drawn from the rankings of runs.

    A list is the first N ranks of a run on a query that counts. Pairs of lists are drawn at random from all runs and
    queries, so the probability of a list is its frequency. `agree` compares runs on the same query instead.

    Parameters
    ----------
    judged : Judged
        A join of runs and judgments, made by `runs.ireval.join(qrels)`.
    measures : str, Measure, or list of them
        Measures and preferences.
    N : int
        Number of ranks of each list to use.
    pairs : int
        Number of pairs to draw.
    identical : bool
        Whether to keep pairs of equal lists, on which all measures agree. By default they are replaced by new draws,
        because the exact count over all lists does not have such pairs.
    recall_base : int, optional
        Number of relevant items, at least N; by default N. AP and nDCG divide by it.
    fuzziness : float or list of float
        Threshold of differences. If it is positive, two measures disagree only if their signs are opposite and both
        differences are larger. Several values give one row each.
    relative : bool
        Whether fuzziness is relative to the larger of both values (0.01 is one percent) instead of absolute.
    scale : mapping of measure to number, optional
        Factors of the values, applied before differences are compared with the fuzziness; see `fitted_scale`.
    seed : int, optional
        Random seed. The same seed gives the same result; None chooses a new one.
    progress : bool, optional
        Whether to show a progress bar; by default in notebooks and interactive terminals, after one second.

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
    >>> judged = pdeval.datasets.sample_judged(queries="common")
    >>> sampled(judged, ["AP", "RBP(p=0.8)"], pairs=5000).round(3)
      measure_a   measure_b  fuzziness  pairs  agreement      r
    0        AP  RBP(p=0.8)        0.0   5000      0.973  0.969
    """
    integer("N", N, 1, LONGEST)
    integer("pairs", pairs, 1, DRAWN)
    lists = first_places(judged, N)
    different, code = np.unique(lists, axis=0, return_inverse=True)
    code = np.asarray(code).ravel()
    if len(different) < 2 and not identical:
        raise ValueError(
            f"the first {N} ranks of all {len(lists):,} lists are the same, so there is no pair to compare."
        )
    rng = np.random.default_rng(seed)
    # pairs of codes of lists, drawn until there are enough different ones
    drawn = np.empty((0, 2), dtype=np.int64)
    while len(drawn) < pairs:
        more = code[rng.integers(len(code), size=(pairs, 2))]
        drawn = np.concatenate([drawn, more if identical else more[more[:, 0] != more[:, 1]]])
    a, b = drawn[:pairs].T
    agreement = Agreement(measures, N, recall_base, fuzziness, relative, scale)
    agreement.count(
        different, a, b, progress=progress
    )  # a list is evaluated once, however often it was returned
    return agreement.frame()


def first_places(judged: Judged, N: int) -> np.ndarray:
    """Return which of the first N places hold a relevant item, for every list that counts: shape (lists, N).

    Examples
    --------
    >>> import pdeval
    >>> first_places(pdeval.datasets.sample_judged(), 10).shape
    (600, 10)
    """
    counts = judged.counted()
    cells = np.zeros((*counts.shape, N), dtype=bool)  # queries x runs x places
    for block in Views(judged).blocks("binary", judged.level):
        at, topic, run = np.nonzero(block["rank"] <= N)
        cells[block.topics[topic], run, block["rank"][at, topic, run].astype(np.int64) - 1] = True
    return np.asarray(cells[counts])


@checks_arguments
def agreement_table(
    collections: Judged | Mapping[str, Judged],
    measures: object = MEASURES,
    *,
    lengths: Sequence[int] = (10, 1000),
    pairs: int = 100_000,
    fuzziness: float | Sequence[float] = (0.0, 0.01),
    relative: bool = False,
    fitted: bool = False,
    seed: int | None = 0,
    progress: bool | None = None,
) -> pd.DataFrame:
    """Return the agreement of every two measures over synthetic lists and over lists sampled from runs.

    Table 1 of the paper; `.ireval.report(columns="lists", group="fuzziness")` prints it in its shape. Lists of at most
    12 items are enumerated, and pairs of longer ones are drawn at random.

    Parameters
    ----------
    collections : Judged or mapping of str to Judged
        Runs joined to judgments, as `runs.ireval.join(qrels)` returns them, by the name of their collection.
    measures : str, Measure, or list of them
        Measures and preferences.
    lengths : sequence of int, default (10, 1000)
        Lengths of the lists.
    pairs : int, default 100,000
        Number of pairs that are drawn.
    fuzziness : float or list of float, default (0, 0.01)
        Threshold of differences. If it is positive, two measures disagree only if their signs are opposite and both
        differences are larger.
    relative : bool, default False
        Whether fuzziness is a fraction of the larger of both values.
    fitted : bool, default False
        Whether values are multiplied by `fitted_scale` before differences are compared with the fuzziness.

    Returns
    -------
    DataFrame
        lists, measure_a, measure_b, fuzziness, pairs, agreement, r; `lists` is e.g. "uniform, N = 10".

    References
    ----------
    Shokouhi, Yilmaz, Craswell and Robertson 2009, Table 1.

    Examples
    --------
    >>> import pdeval
    >>> judged = pdeval.datasets.sample_judged(queries="common")
    >>> table = agreement_table({"sample": judged}, ["AP", "P@10"], lengths=[10], pairs=2000, fuzziness=0)
    >>> table.drop(columns="r").round(3)
                 lists measure_a measure_b  fuzziness   pairs  agreement
    0  uniform, N = 10        AP      P@10        0.0  523776      0.769
    1   sample, N = 10        AP      P@10        0.0    2000      0.856
    """
    joins = collections if isinstance(collections, Mapping) else {"sampled": collections}
    options: dict[str, Any] = {"fuzziness": fuzziness, "relative": relative, "progress": progress}
    drawn: dict[str, Any] = {"pairs": pairs, "seed": seed}
    labels = [measure.label for measure in parse_all(measures)]
    parts = []
    for N in lengths:
        if fitted:
            scale = fitted_scale(N)
            options["scale"] = {label: scale[label] for label in labels if label in scale}
        synthetic = (
            uniform(N, measures, **options)
            if N <= MOST
            else random_lists(N, measures, **drawn, **options)
        )
        parts.append(synthetic.assign(lists=f"uniform, N = {N}"))
        for name, judged in joins.items():
            table = sampled(judged, measures, N=N, **drawn, **options)
            parts.append(table.assign(lists=f"{name}, N = {N}"))
    table = pd.concat(parts, ignore_index=True)
    return described_frame(
        table[["lists", *(name for name in table.columns if name != "lists")]], parts[0].attrs
    )
