"""Verdicts over many collections: one row per pair of runs, from the differences in all collections."""

import warnings
from collections.abc import Iterator, Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd

from pdeval.evaluate import (
    MEASURES,
    GroupedCube,
    Metadata,
    ScoresLike,
    described_frame,
    grouped_cube,
    new_seed,
    with_groups,
)
from pdeval.join import outside
from pdeval.significance.corrections import (
    Correction,
    adjust,
    single_step_level,
    which_correction,
)
from pdeval.significance.hierarchical_bootstrap import Estimate, Over, macro_and_micro
from pdeval.significance.paired_differences import Pairs
from pdeval.significance.registry import (
    TESTS,
    SignificanceTest,
    agreeing,
    which_test,
    with_correction,
)
from pdeval.tables import NOISE, describe, table
from pdeval.verbs import TooFew, arguments, special, verb


def read_collections(
    data: ScoresLike,
    measures: object,
    by: object,
    replicate: object,
    baseline: object,
    over: str,
    metadata: Metadata = None,
) -> tuple[GroupedCube, Pairs]:
    """Return values by collection, and the pairs of runs; over="collections" needs at least two collections."""
    collections = grouped_cube(data, measures, by, replicate, metadata)
    if over == "collections" and len(collections) < 2:
        raise TooFew(
            f"a meta-analysis of collections needs at least two; {' and '.join(collections.by.columns)} has only "
            f"{collections.names[0]!r}. Use over='queries', or compare()."
        )
    return collections, pairs_within(collections, baseline)


def rules_of(collections: GroupedCube) -> dict[Any, Any]:
    """Return the attrs of the table that describe its values, not its rows."""
    attrs = collections.source.attrs.items()
    return {name: value for name, value in attrs if name not in ("by", "collections", "table")}


def attrs_over_collections(collections: GroupedCube) -> dict[Any, Any]:
    """Return the attrs of a result over collections: those of its table, and the columns of the collections."""
    return rules_of(collections) | {"meta_analysis_by": list(map(str, collections.by.columns))}


def pairs_within(collections: GroupedCube, baseline: object) -> Pairs:
    """Return the pairs of runs to compare; raise if no two runs have two common queries in any collection."""
    pairs = Pairs.of(collections.source, baseline=baseline)
    empty = np.ones(len(collections), dtype=bool)
    for measure in range(len(collections.source.measures)):
        for _, parts in blocks_within(collections, pairs, measure):
            empty &= [bool(np.isnan(part).all()) for part in parts]
    what = " and ".join(collections.by.columns)
    if empty.all():
        raise TooFew(
            f"no two runs have two queries in common within any {what}, e.g. {collections.names[0]!r}. If the column "
            "describes runs, group by a column that describes queries or collections."
        )
    if empty.any():
        names = [repr(name) for name, is_empty in zip(collections.names, empty) if is_empty]
        are = "is" if len(names) == 1 else "are"
        examples = ", ".join(names[:3] + ["..."] * (len(names) > 3))
        warnings.warn(
            f"{len(names)} of {len(collections)} groups by {what} {are} skipped: {examples}. No pair of runs has two "
            "queries in common there, and one query has no variance.",
            UserWarning,
            stacklevel=outside(),
        )
    return pairs


def pairwise_test(test: str | None, measure: str, attrs: dict[Any, Any]) -> SignificanceTest:
    """Return the test within each collection, or raise if it is a joint test of all runs."""
    chosen = which_test(test, measure, attrs)
    if chosen.joint:
        raise ValueError(
            f"test={chosen.name!r} tests all runs together, but collections are tested pair by pair. Use one of "
            f"{', '.join(repr(name) for name, one in TESTS.items() if not one.joint)}."
        )
    return chosen


def blocks_within(
    collections: GroupedCube, pairs: Pairs, measure: int
) -> Iterator[tuple[np.ndarray, list[np.ndarray]]]:
    """Yield (numbers of pairs, the differences in each collection), NaN if a pair has fewer than two queries."""
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
) -> dict[str, np.ndarray]:
    """Return the columns of `collection_effects`, of shape (collections, pairs), with uncorrected p-values.

    Values are NaN if a pair has fewer than two queries in a collection.

    Examples
    --------
    >>> effects = effects_of([np.array([[0.1], [0.3]])], TESTS["t"], confidence=0.95, draws=1, seed=0)
    >>> {name: effects[name].round(3).item() for name in ("difference", "se", "p_value")}
    {'difference': 0.2, 'se': 0.1, 'p_value': 0.295}
    """
    shape = (len(parts), parts[0].shape[1])
    n = np.zeros(shape, dtype=np.int64)
    names = ("difference", "se", "ci_low", "ci_high", "effect_size", "p_value")
    effects = {name: np.full(shape, np.nan) for name in names}
    for number, part in enumerate(parts):
        pairs = np.flatnonzero((~np.isnan(part)).sum(axis=0) > 1)
        if not len(pairs):
            continue
        D = part[:, pairs]
        result = test.result(D, confidence=confidence, draws=draws, seed=seed, progress=False)
        n[number, pairs], effects["difference"][number, pairs], sd = describe(D)
        effects["se"][number, pairs] = sd / np.sqrt(n[number, pairs])
        for name in names[2:]:
            effects[name][number, pairs] = getattr(result, name)
    return {"n": n, **effects}


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


def combined_effects(
    difference: np.ndarray, se: np.ndarray, *, confidence: float = 0.95
) -> dict[str, np.ndarray]:
    """Return the fixed- and random-effects meta-analysis of each pair: one column per pair, by name.

    Fixed effects weight a collection by 1 / se^2, with a normal interval. Random effects add the variance between
    collections, `tau2`, estimated by the moments of DerSimonian and Laird (1986) and 0 if the estimate is negative.
    Their interval and test are those of Hartung and Knapp (2001), with two changes for few and unequal collections.
    The standard error is never below that of DerSimonian and Laird (Knapp and Hartung, 2003). The degrees of freedom
    of Student's t are the effective number of collections, 1 / sum(weight^2) (Kish, 1965), minus 1, and at least 1:
    equal weights give collections - 1 as usual, one collection that outweighs all others gives 1. Otherwise the
    result equals that of statsmodels' `combine_effects` with `method_re="dl"`. All values are NaN if a pair has fewer
    than two collections, or a collection without variance. `weight` has one row per collection: its fraction of the
    random-effects mean.

    Parameters
    ----------
    difference, se : ndarray of shape (collections, pairs)
        Mean difference in each collection and its standard error; NaN if the collection does not count for the pair.
    confidence : float, default 0.95
        Confidence level of the intervals.

    Examples
    --------
    >>> result = combined_effects(np.array([[0.10], [0.02], [0.06]]), np.array([[0.02], [0.01], [0.01]]))
    >>> {name: result[name].round(4).item() for name in ("fixed", "random", "i2")}
    {'fixed': 0.0467, 'random': 0.057, 'i2': 0.875}
    """
    there = ~np.isnan(difference)
    k = there.sum(axis=0)
    usable = k > 1
    there = there & usable
    effect = np.where(there, difference, 0.0)
    variance = np.square(se)
    df = np.where(usable, k - 1, np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        # a collection without variance has weight 1 / 0, which makes all results NaN
        w = np.where(there, 1 / variance, 0.0)
        total = w.sum(axis=0)
        fixed = (w * effect).sum(axis=0) / total
        # Cochran's Q, and tau2 by its expectation
        q = (w * np.square(effect - fixed)).sum(axis=0)
        tau2 = np.maximum((q - df) / (total - np.square(w).sum(axis=0) / total), 0.0)
        v = np.where(there, 1 / (variance + tau2), 0.0)
        share = v / v.sum(axis=0)
        random = (share * effect).sum(axis=0)
        # Hartung and Knapp's variance of the mean
        between = (share * np.square(effect - random)).sum(axis=0) / df
        spread = np.sqrt(np.maximum(between, 1 / v.sum(axis=0)))
        of_fixed = np.sqrt(1 / total)
        z, t = fixed / of_fixed, random / spread
        i2 = np.maximum(1 - df / q, 0.0)
        # number of equally weighted collections with the same variance of the mean
        effective = 1 / np.square(share).sum(axis=0)
    df_random = np.clip(effective - 1, 1.0, df)
    normal = special.ndtri((1 + confidence) / 2)
    student = special.stdtrit(df_random, (1 + confidence) / 2)
    return {
        "fixed": fixed,
        "fixed_low": fixed - normal * of_fixed,
        "fixed_high": fixed + normal * of_fixed,
        "fixed_p": 2 * special.ndtr(-np.abs(z)),
        "random": random,
        "random_low": random - student * spread,
        "random_high": random + student * spread,
        "random_p": 2 * special.stdtr(df_random, -np.abs(t)),
        "q": np.where(usable, q, np.nan),
        "q_p": special.chdtrc(df, q),
        "i2": i2,
        "tau2": tau2,
        "weight": np.where(there, share, np.nan),
    }


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
    "meta_analysis",
    "run_a run_b measure test collections:int n:int macro:float ci_low:float ci_high:float p_value:float "
    "p_adjusted:float significant:bool micro:float micro_low:float micro_high:float "
    + " ".join(f"{name}:float" for name in (*META, *SPREAD))
    + " "
    + " ".join(f"{name}:int" for name in COUNTS)
    + " conclusion",
    "meta-analysis of collections",
    recognized_by="run_a run_b measure collections macro micro fixed random",
    row="pair of runs and measure",
    sort="measure run_a run_b",
    then=".report(), .plot()",
    means={
        "test": "test within each collection, used to count the significant differences",
        "collections": "number of collections in which the pair has at least two queries",
        "n": "number of queries of these collections",
        "macro": "mean over collections of the mean difference within each; positive if run_a is better",
        "ci_low": "lower end of the interval of macro, by the hierarchical bootstrap, simultaneous if p-values are "
        "corrected",
        "ci_high": "upper end of this interval",
        "p_value": "p-value of no macro difference, from the same draws",
        "micro": "mean difference over all queries",
        "micro_low": "lower end of its interval over these collections; missing with over='collections'",
        "micro_high": "upper end of this interval",
        "fixed": "fixed-effects mean of the collections' differences, with its normal interval and p",
        "random": "random-effects mean (DerSimonian and Laird), with the interval and p of Hartung and Knapp for the "
        "effective number of collections",
        "q": "Cochran's Q, of the differences between collections",
        "q_p": "p-value of equal differences in all collections",
        "i2": "fraction of the variance of the differences that is between collections",
        "tau2": "variance between collections",
        "better": "number of collections in which the test favors run_a",
        "significantly_better": "number of them with a significant difference, corrected within the collection",
        "worse": "number of collections in which the test favors run_b",
        "significantly_worse": "number of them with a significant difference",
        "conclusion": "these counts in words, and whether macro differs significantly",
    },
)
table(
    "collection_effects",
    "run_a run_b measure test n:int difference:float se:float ci_low:float ci_high:float [effect_size:float] "
    "p_value:float p_adjusted:float significant:bool weight:fraction",
    "table of differences per collection",
    recognized_by="run_a run_b measure difference se weight p_value",
    row="collection (under its own column), pair of runs and measure",
    sort="measure run_a run_b",
    then=".report(), .plot()",
    means={
        "difference": "mean difference within the collection; positive if run_a is better",
        "se": "its standard error",
        "effect_size": "effect size of the test; positive if it favors run_a",
        "p_adjusted": "p-value corrected for the number of pairs within the collection",
        "weight": "weight of the collection in the random-effects mean",
    },
)


@verb(
    on=("scores", "preferences", "judged"),
    returns=("meta_analysis", "collection_effects"),
    independent=True,
)
def meta_analysis(
    data: ScoresLike,
    measures: object = MEASURES,
    *,
    by: str | Sequence[str],
    metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
    over: Over = "collections",
    baseline: object = None,
    per: Literal["pair", "collection"] = "pair",
    test: str | None = None,
    correction: Correction | None = "holm",
    alpha: float = 0.05,
    confidence: float = 0.95,
    replicate: str | Sequence[str] | None = None,
    draws: int = 2000,
    seed: int | None = 0,
    progress: bool | None = None,
) -> pd.DataFrame:
    """Return the mean difference over collections with its interval, and the number of collections won.

    Nothing is paired across collections. A collection counts for a pair of runs if they have at least two queries in
    common; `collections` is the number of these. A warning names collections that count for no pair.

    Parameters
    ----------
    by : str or list of str
        Column(s) that identify collections.
    over : {'collections', 'queries'}
        Population of the interval and the p-value. 'collections': other collections like these; collections are drawn,
        then queries of each. 'queries': other queries of the given collections; only queries are drawn. The micro mean
        has an interval only for 'queries', because it depends on few large collections.
    per : {'pair', 'collection'}
        Whether to return one row per pair and measure, or one row per collection, pair and measure.
    test : str, optional
        Test within each collection, as in `compare`; by default the test declared by the measure.
    correction : str or None
        ... With baselines, the pairs of each baseline are corrected together, within each collection and over all.
        Holm's is the default: collections may have few queries, for which max-t does not hold its level.
    confidence : float
        ... Those of macro, of micro and of the differences within a collection are simultaneous, as in `compare`;
        those of fixed and random effects are not.
    draws : int
        ... p-values are never below 1 / (1 + draws), so intervals of m comparisons need more than m / alpha draws.

    Raises
    ------
    ValueError
        Fewer than two collections with over='collections'; no two runs with two queries in common.
    KeyError
        No such column to group by.

    Notes
    -----
    Draws are studentized, and the interval is symmetric: macro plus and minus the quantile of |t|. The conclusion is
    based on macro, whose type I error rate at 5% was 3 to 6% in simulations with 2 to 10 collections, of equal or of
    very different size; that of random effects was at most 5%, and 0.25% if one of four collections has most of the
    queries. With over='collections', micro is descriptive. The meta-analysis of a pair is missing if it does not vary
    within some collection. See `pdeval.significance.over_collections.combined_effects`.

    Examples
    --------
    >>> import pdeval
    >>> scores = pdeval.datasets.sample_judged(queries="common").measure("AP")
    >>> sixths = scores.assign(collection=scores["query_id"].astype(int) % 6)  # six collections, for the example
    >>> result = sixths.ireval.meta_analysis(by="collection", baseline="bm25")
    >>> result[["run_a", "run_b", "collections", "n", "macro", "ci_low", "ci_high", "p_value"]].head(3).round(3)
          run_a run_b  collections   n  macro  ci_low  ci_high  p_value
    0  bm25+rm3  bm25            6  48  0.013  -0.050    0.076    0.412
    1  dense-s1  bm25            6  48  0.106   0.000    0.236    0.011
    2  dense-s2  bm25            6  48  0.112   0.004    0.219    0.004
    >>> print(*result["conclusion"].head(2), sep="\\n")
    better on 4 of 6, significantly on 0, worse on 2; undecided over all
    better on 6 of 6, significantly on 0, worse on 0; better over all
    """
    over = arguments.one_of("over", over, ("collections", "queries"))  # type: ignore[assignment]
    draws, correction = arguments.integer("draws", draws, 1), which_correction(correction)  # type: ignore[assignment]
    seed = new_seed() if seed is None else seed
    collections, pairs = read_collections(
        data, measures, by, replicate, baseline, over if per == "pair" else "queries", metadata
    )
    attrs = attrs_over_collections(collections)
    # the pairs of each baseline are a family
    size = len(pairs) if baseline is None else np.bincount(pairs.b).max()
    level = 1 - single_step_level(str(correction), 1 - confidence, int(size))
    options: dict[str, Any] = {"confidence": level, "draws": draws, "seed": seed}
    agree = abs(confidence + alpha - 1) < NOISE
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
        p = pairs.gather((numbers, {"p": effects["p_value"]}) for numbers, _, effects in blocks)[
            "p"
        ]
        adjusted = corrected(p, pairs, **family)
        significant = adjusted < alpha
        made = []
        for numbers, parts, effects in blocks:
            if per == "pair":
                estimates = macro_and_micro(parts, over=over, progress=progress, **options)
                columns = _over_all(effects, significant[:, numbers], *estimates, confidence)
            else:
                columns = effects | {
                    "p_adjusted": adjusted[:, numbers],
                    "significant": significant[:, numbers],
                    "weight": combined_effects(effects["difference"], effects["se"])["weight"],
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
            columns = agreeing(columns, np.sign(columns["macro"])) if agree else columns
            columns["conclusion"] = _sentences(columns)
            group, pair = np.zeros(len(pairs), dtype=np.int64), np.arange(len(pairs))
        else:
            columns = agreeing(columns) if agree else columns
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
        simultaneous=correction != "none",
    )
    return frame


def sorted_by_group(frame: pd.DataFrame, by: pd.DataFrame, attrs: dict[Any, Any]) -> pd.DataFrame:
    """Return the rows sorted by group, with the labels of their groups first; column `_group` has the group numbers."""
    code = frame.pop("_group").to_numpy()
    order = np.argsort(code, kind="stable")
    return with_groups(
        described_frame(frame.take(order).reset_index(drop=True), attrs), by, code[order]
    )


def _over_all(
    effects: dict[str, np.ndarray],
    significant: np.ndarray,
    macro: Estimate,
    micro: Estimate,
    confidence: float,
) -> dict[str, np.ndarray]:
    """Return the columns of each pair over its collections."""
    combined = combined_effects(effects["difference"], effects["se"], confidence=confidence)
    better, worse = effects["effect_size"] > 0, effects["effect_size"] < 0
    cases = (better, better & significant, worse, worse & significant)
    return {
        "collections": (~np.isnan(effects["difference"])).sum(axis=0),
        "n": effects["n"].sum(axis=0),
        "macro": macro["mean"],
        **{name: macro[name] for name in ("ci_low", "ci_high", "p_value")},
        "micro": micro["mean"],
        "micro_low": micro["ci_low"],
        "micro_high": micro["ci_high"],
        **{name: combined[name] for name in (*META, *SPREAD)},
        **{name: case.sum(axis=0) for name, case in zip(COUNTS, cases)},
    }


def _sentences(columns: dict[str, np.ndarray]) -> np.ndarray:
    """Return the conclusions in words; equal ones are formatted once."""
    sign = np.where(columns["significant"], np.sign(columns["macro"]), 0.0)
    keys = np.stack(
        [*(columns[name] for name in COUNTS), columns["collections"], sign.astype(np.int64)]
    )
    distinct, member = np.unique(keys, axis=1, return_inverse=True)
    texts = []
    for better, sure, worse, surely, k, over_all in distinct.T.tolist():
        also = f", significantly on {surely}" if surely else ""
        end = ("undecided", "better", "worse")[over_all]  # index -1 is the last
        text = f"better on {better} of {k}, significantly on {sure}, worse on {worse}{also}; {end} over all"
        texts.append(text if k else "no collection has both")
    return np.array(texts, dtype=object)[member.ravel()]
