"""The verdict over many collections: one row per pair of runs, whatever each collection said."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

from pdeval.evaluate.grouped import GroupedCube, grouped_cube
from pdeval.evaluate.groups import Metadata, with_groups
from pdeval.evaluate.scores import MEASURES
from pdeval.evaluate.sources import Held
from pdeval.join.rules import outside
from pdeval.significance.corrections import Correction, adjust, which_correction
from pdeval.significance.hierarchical_bootstrap import Estimate, Over, macro_and_micro
from pdeval.significance.meta_analysis import meta_analysis
from pdeval.significance.paired_differences import Pairs
from pdeval.significance.registry import TESTS, SignificanceTest, which_test, with_correction
from pdeval.significance.resampling import new_seed
from pdeval.tables.equal_values import describe
from pdeval.tables.schemas import table
from pdeval.verbs import arguments, verb
from pdeval.verbs.arguments import TooFew


@dataclass(frozen=True)
class Effects:
    """One row per collection and one column per pair of runs; NaN where a pair has fewer than two queries there."""

    n: np.ndarray
    difference: np.ndarray
    se: np.ndarray
    ci_low: np.ndarray
    ci_high: np.ndarray
    effect_size: np.ndarray
    p_value: np.ndarray

    @property
    def there(self) -> np.ndarray:
        """Whether a collection counts for a pair."""
        return ~np.isnan(self.difference)


def read_collections(
    data: Held,
    measures: object,
    by: object,
    replicate: object,
    baseline: object,
    over: str,
    metadata: Metadata = None,
) -> tuple[GroupedCube, Pairs]:
    """Return values by collection, and the pairs of runs; `over` is what needs at least two of them."""
    collections = grouped_cube(data, measures, by, replicate, metadata)
    if over == "collections" and len(collections) < 2:
        raise TooFew(
            f"a verdict over collections needs at least two; {' and '.join(collections.by.columns)} has only "
            f"{collections.names[0]!r}. Say over='queries', or compare() the runs."
        )
    return collections, pairs_within(collections, baseline)


def rules_of(collections: GroupedCube) -> dict[Any, Any]:
    """Return what the table says of its values, without what said it of its rows."""
    attrs = collections.source.attrs
    return {
        name: value for name, value in attrs.items() if name not in ("by", "collections", "table")
    }


def attrs_over_collections(collections: GroupedCube) -> dict[Any, Any]:
    """Return what a result over collections says of itself: the rules of its table, and the columns of collections."""
    return rules_of(collections) | {"verdict_by": list(map(str, collections.by.columns))}


def pairs_within(collections: GroupedCube, baseline: object) -> Pairs:
    """Return the pairs of runs to compare, or raise where no two of them share a collection."""
    pairs = Pairs.of(collections.source, baseline=baseline)
    empty = np.ones(len(collections), dtype=bool)
    for measure in range(len(collections.source.measures)):
        for _, parts in blocks_within(collections, pairs, measure):
            empty &= [bool(np.isnan(part).all()) for part in parts]
    what = " and ".join(collections.by.columns)
    if empty.all():
        raise TooFew(
            f"no two runs have two queries in common within any {what}, e.g. {collections.names[0]!r}. Where the "
            "column is about runs, group by one about queries or collections."
        )
    if empty.any():
        names = [repr(name) for name, is_empty in zip(collections.names, empty) if is_empty]
        are = "is" if len(names) == 1 else "are"
        examples = ", ".join(names[:3] + ["..."] * (len(names) > 3))
        warnings.warn(
            f"{len(names)} of {len(collections)} groups by {what} {are} left out: {examples}; no pair of runs has two "
            "queries in common there, and one query has no variance.",
            UserWarning,
            stacklevel=outside(),
        )
    return pairs


def pairwise_test(test: str | None, measure: str, attrs: dict[Any, Any]) -> SignificanceTest:
    """Return the test within each collection, or raise where it looks at all runs at once."""
    chosen = which_test(test, measure, attrs)
    if chosen.joint:
        others = ", ".join(repr(name) for name, one in TESTS.items() if not one.joint)
        raise ValueError(
            f"test={chosen.name!r} looks at all runs at once; within groups choose one of {others}."
        )
    return chosen


def blocks_within(
    collections: GroupedCube, pairs: Pairs, measure: int
) -> Iterator[tuple[np.ndarray, list[np.ndarray]]]:
    """Yield (numbers of pairs, the differences in each collection), NaN where a pair has fewer than two queries."""
    for numbers, D in pairs.blocks(measure):
        parts = [D[part] for part in collections.slices()]
        yield numbers, [np.where((~np.isnan(part)).sum(axis=0) > 1, part, np.nan) for part in parts]


def effects_of(
    parts: list[np.ndarray],
    test: SignificanceTest,
    *,
    confidence: float,
    draws: int,
    seed: int | None,
) -> Effects:
    """Return what each collection says of each pair; p-values are not corrected yet.

    Examples
    --------
    >>> effects = effects_of([np.array([[0.1], [0.3]])], TESTS["t"], confidence=0.95, draws=1, seed=0)
    >>> effects.difference.round(3).tolist(), effects.se.round(3).tolist(), effects.p_value.round(3).tolist()
    ([[0.2]], [[0.1]], [[0.295]])
    """
    shape = (len(parts), parts[0].shape[1])
    n = np.zeros(shape, dtype=np.int64)
    numbers = np.full((6, *shape), np.nan)
    for at, part in enumerate(parts):
        pairs = np.flatnonzero((~np.isnan(part)).sum(axis=0) > 1)
        if not len(pairs):
            continue
        D = part[:, pairs]
        result = test.result(D, confidence=confidence, draws=draws, seed=seed, progress=False)
        n[at, pairs], mean, sd = describe(D)
        se = sd / np.sqrt(n[at, pairs])
        numbers[:, at, pairs] = (
            mean,
            se,
            result.ci_low,
            result.ci_high,
            result.effect_size,
            result.p_value,
        )
    return Effects(n, *numbers)


def corrected(
    p_value: np.ndarray, pairs: Pairs, *, baseline: bool, correction: str, alpha: float
) -> np.ndarray:
    """Return p-values (collections, pairs) corrected within each collection: among all pairs, or those of a baseline.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> two = SimpleNamespace(b=np.array([1, 2]))
    >>> corrected(np.array([[0.01, 0.02], [0.03, 0.04]]), two, baseline=False, correction="bonferroni", alpha=0.05)
    array([[0.02, 0.04],
           [0.06, 0.08]])
    """
    of_pair = (
        np.unique(pairs.b, return_inverse=True)[1]
        if baseline
        else np.zeros(len(pairs.b), dtype=np.int64)
    )
    family = np.arange(len(p_value))[:, None] * (of_pair.max() + 1) + of_pair
    return adjust(p_value.ravel(), family.ravel(), correction=correction, alpha=alpha).reshape(
        p_value.shape
    )


COUNTS = ("better", "significantly_better", "worse", "significantly_worse")
META = (
    "fixed",
    "fixed_low",
    "fixed_high",
    "fixed_p",
    "random",
    "random_low",
    "random_high",
    "random_p",
)
SPREAD = ("q", "q_p", "i2", "tau2")

table(
    "collection_verdicts",
    "run_a run_b measure test collections:int n:int macro:float ci_low:float ci_high:float p_value:float "
    "p_adjusted:float significant:bool micro:float micro_low:float micro_high:float "
    + " ".join(f"{name}:float" for name in (*META, *SPREAD))
    + " "
    + " ".join(f"{name}:int" for name in COUNTS)
    + " verdict",
    "table of verdicts over collections",
    known_by="run_a run_b measure collections macro micro fixed random",
    row="pair of runs and measure",
    sort="measure run_a run_b",
    then=".report(), .plot()",
    means={
        "test": "the test within each collection, on which the significant ones are counted",
        "collections": "number of collections in which the pair has at least two queries",
        "n": "their queries",
        "macro": "mean over collections of the mean difference within each; positive where run_a is better",
        "ci_low": "lower end of the interval of macro, by the hierarchical bootstrap",
        "ci_high": "upper end of it",
        "p_value": "of no macro difference, by the same draws",
        "micro": "mean difference over all queries",
        "micro_low": "lower end of its interval over these collections; missing where other collections are meant",
        "micro_high": "upper end of it",
        "fixed": "fixed-effects mean of the collections' differences, with its normal interval and p",
        "random": "random-effects mean (DerSimonian and Laird), with the interval and p of Hartung and Knapp for the "
        "effective number of collections",
        "q": "Cochran's Q: how much more the collections differ than their queries explain",
        "q_p": "p of no such differences",
        "i2": "share of their variance that is between collections",
        "tau2": "variance between collections",
        "better": "collections where the test favors run_a",
        "significantly_better": "those of them where it is significant, corrected within the collection",
        "worse": "collections where the test favors run_b",
        "significantly_worse": "those of them where it is significant",
        "verdict": "the counts in words, and what p_adjusted says of macro",
    },
)
table(
    "collection_effects",
    "run_a run_b measure test n:int difference:float se:float ci_low:float ci_high:float [effect_size:float] "
    "p_value:float p_adjusted:float significant:bool weight:share",
    "table of differences per collection",
    known_by="run_a run_b measure difference se weight p_value",
    row="collection (under its own column), pair of runs and measure",
    sort="measure run_a run_b",
    then=".report(), .plot()",
    means={
        "difference": "mean difference within the collection; positive where run_a is better",
        "se": "its standard error",
        "effect_size": "that of the test; positive where it favors run_a",
        "p_adjusted": "p-value corrected for the number of pairs within the collection",
        "weight": "share of the collection in the random-effects mean",
    },
)


@verb(
    on=("scores", "preferences", "judged"),
    gives=("collection_verdicts", "collection_effects"),
    independent=True,
)
def verdict(
    data: Held,
    measures: object = MEASURES,
    *,
    by: str | Sequence[str],
    metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
    over: Over = "collections",
    baseline: object = None,
    per: Literal["pair", "collection"] = "pair",
    test: str | None = None,
    correction: Correction | None = "bonferroni",
    alpha: float = 0.05,
    confidence: float = 0.95,
    replicate: str | Sequence[str] | None = None,
    draws: int = 2000,
    seed: int | None = 0,
    progress: bool | None = None,
) -> pd.DataFrame:
    """Return who is better over many collections: the mean difference, its interval, and on how many of them.

    Nothing is paired across collections. A collection counts for a pair of runs where both have at least two queries in
    common; `collections` says how many do, and those that count for no pair are named in a warning.

    Parameters
    ----------
    by : str or list of str
        The column(s) that tell collections apart.
    over : {'collections', 'queries'}
        What the interval, and p, generalise to. 'collections': other collections like these; collections are drawn,
        then queries of each. 'queries': other queries of these very collections; only queries are drawn. The micro mean
        has an interval for 'queries' alone: collections of unequal size are too few to draw it for others.
    per : {'pair', 'collection'}
        One row per pair and measure, or what each collection says of it.
    test : str, optional
        The test within each collection, by its name in `compare`; by default that of the measure's declaration.
    correction : str or None
        ... With baselines, the pairs of each are corrected together: within each collection, and over all of them.
    confidence : float
        ... They are not corrected for the number of comparisons.
    draws : int
        ... p-values are never below 1 / (1 + draws).

    Raises
    ------
    ValueError
        Fewer than two collections where these are drawn; no two runs with two queries in common.
    KeyError
        No such column to group by.

    Notes
    -----
    Draws are studentised, and the interval is symmetric: macro plus and minus the quantile of |t|. The verdict is that
    of macro, whose type I error rate at 5% is 2 to 6% with three to eighteen collections of any size; that of random
    effects is at most 5%, and far below it if one collection has most of the queries. Over collections micro is
    descriptive. Meta-analysis is missing for a pair that does not vary within some collection. See
    `pdeval.significance.meta_analysis`.

    Examples
    --------
    >>> import pdeval
    >>> scores = pdeval.datasets.sample_judged(topics="common").measure("AP")
    >>> sixths = scores.assign(collection=scores["query_id"].astype(int) % 6)  # six collections, for the example
    >>> found = sixths.ireval.verdict(by="collection", baseline="bm25")
    >>> found[["run_a", "run_b", "collections", "n", "macro", "ci_low", "ci_high", "p_value"]].head(3).round(3)
          run_a run_b  collections   n  macro  ci_low  ci_high  p_value
    0  bm25+rm3  bm25            6  48  0.013  -0.024    0.050    0.412
    1  dense-s1  bm25            6  48  0.106   0.037    0.176    0.011
    2  dense-s2  bm25            6  48  0.112   0.050    0.174    0.004
    >>> print(*found["verdict"].head(2), sep="\\n")
    better on 4 of 6, significantly on 0, worse on 2; undecided over all
    better on 6 of 6, significantly on 0, worse on 0; undecided over all
    """
    over = arguments.one_of("over", over, ("collections", "queries"))  # type: ignore[assignment]
    draws, correction = arguments.whole("draws", draws, 1), which_correction(correction)  # type: ignore[assignment]
    seed = new_seed() if seed is None else seed
    collections, pairs = read_collections(
        data, measures, by, replicate, baseline, over if per == "pair" else "queries", metadata
    )
    attrs = attrs_over_collections(collections)
    options: dict[str, Any] = {"confidence": confidence, "draws": draws, "seed": seed}
    family: dict[str, Any] = {
        "baseline": baseline is not None,
        "correction": correction,
        "alpha": alpha,
    }
    frames = []
    for measure, label in enumerate(collections.source.measures):
        chosen = pairwise_test(test, label, attrs)
        blocks = [
            (numbers, parts, effects_of(parts, chosen, **options))
            for numbers, parts in blocks_within(collections, pairs, measure)
        ]
        p = pairs.gather((numbers, {"p": effects.p_value}) for numbers, _, effects in blocks)["p"]
        adjusted = corrected(p, pairs, **family)
        significant = adjusted < alpha
        made = []
        for numbers, parts, effects in blocks:
            if per == "pair":
                estimates = macro_and_micro(parts, over=over, progress=progress, **options)
                columns = _over_all(effects, significant[:, numbers], estimates, confidence)
            else:
                columns = {
                    **vars(effects),
                    "p_adjusted": adjusted[:, numbers],
                    "significant": significant[:, numbers],
                    "weight": meta_analysis(effects.difference, effects.se).weight,
                }
            limits = pairs.limits(measure, np.concatenate(parts))
            ends = {
                key: np.clip(columns[key], *limits)
                for key in columns
                if key.endswith(("_low", "_high"))
            }
            made.append((numbers, columns | ends))
        columns = pairs.gather(made)
        if per == "pair":
            p_adjusted = corrected(columns["p_value"][None], pairs, **family)[0]
            columns = with_correction(columns, p_adjusted, alpha)
            columns["verdict"] = _sentences(columns)
            group, pair = np.zeros(len(pairs), dtype=np.int64), np.arange(len(pairs))
        else:
            there = ~np.isnan(columns["difference"])
            group, pair = np.nonzero(there)
            columns = {name: values[there] for name, values in columns.items()}
        frames.append(
            pd.DataFrame(
                {
                    **pairs.run_columns(pair),
                    "measure": label,
                    "test": chosen.name,
                    **columns,
                    "_group": group,
                }
            )
        )
    frame = pd.concat(frames, ignore_index=True)
    if per == "pair":
        frame = frame.drop(columns="_group")
        frame.attrs = attrs | {"over": over}
    else:
        frame = sorted_by_group(frame, collections.by, attrs)
    frame.attrs.update(
        correction=correction,
        family="measure" if baseline is None else "baseline",
        alpha=alpha,
        draws=draws,
        seed=seed,
        confidence=confidence,
    )
    return frame


def sorted_by_group(frame: pd.DataFrame, by: pd.DataFrame, attrs: dict[Any, Any]) -> pd.DataFrame:
    """Return the rows group by group, with the labels of their groups in front; `_group` numbers these."""
    code = frame.pop("_group").to_numpy()
    order = np.argsort(code, kind="stable")
    frame = frame.take(order).reset_index(drop=True)
    frame.attrs = attrs
    return with_groups(frame, by, code[order])


def _over_all(
    effects: Effects,
    significant: np.ndarray,
    estimates: tuple[Estimate, Estimate],
    confidence: float,
) -> dict[str, np.ndarray]:
    """Return the columns of each pair over its collections."""
    macro, micro = estimates
    meta = meta_analysis(effects.difference, effects.se, confidence=confidence)
    better, worse = effects.effect_size > 0, effects.effect_size < 0
    counts = [
        where.sum(axis=0) for where in (better, better & significant, worse, worse & significant)
    ]
    return {
        "collections": effects.there.sum(axis=0),
        "n": effects.n.sum(axis=0),
        "macro": macro.mean,
        "ci_low": macro.ci_low,
        "ci_high": macro.ci_high,
        "p_value": macro.p_value,
        "micro": micro.mean,
        "micro_low": micro.ci_low,
        "micro_high": micro.ci_high,
        **{name: getattr(meta, name) for name in (*META, *SPREAD)},
        **dict(zip(COUNTS, counts)),
    }


def _sentences(columns: dict[str, np.ndarray]) -> np.ndarray:
    """Return the verdicts in words; equal ones are said once."""
    sign = np.where(columns["significant"], np.sign(columns["macro"]), 0.0)
    keys = np.stack(
        [*(columns[name] for name in COUNTS), columns["collections"], sign.astype(np.int64)]
    )
    distinct, member = np.unique(keys, axis=1, return_inverse=True)
    texts = []
    for better, sure, worse, surely, k, over_all in distinct.T.tolist():
        also = f", significantly on {surely}" if surely else ""
        end = {1: "better", -1: "worse", 0: "undecided"}[over_all]
        text = f"better on {better} of {k}, significantly on {sure}, worse on {worse}{also}; {end} over all"
        texts.append(text if k else "no collection has both")
    return np.array(texts, dtype=object)[member.ravel()]
