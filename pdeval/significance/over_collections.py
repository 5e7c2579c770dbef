"""The verdict over many collections: one row per pair of runs, whatever each collection said."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np
import pandas as pd

from pdeval.evaluate.grouped import GroupedCube, grouped_cube
from pdeval.evaluate.groups import Metadata, with_groups
from pdeval.evaluate.scores import MEASURES
from pdeval.evaluate.sources import Held
from pdeval.join.rules import outside
from pdeval.significance.corrections import Correction, adjust, which_correction
from pdeval.significance.hierarchical_bootstrap import Over, macro_and_micro
from pdeval.significance.meta_analysis import meta_analysis
from pdeval.significance.paired_differences import Pairs
from pdeval.significance.registry import TESTS, SignificanceTest, which_test
from pdeval.significance.test_result import completed, describe
from pdeval.tables.labels import labels
from pdeval.tables.schemas import table
from pdeval.verbs import arguments, verb
from pdeval.verbs.arguments import TooFew


@dataclass(frozen=True)
class Effects:
    """One row per collection and one column per pair of runs; NaN where a pair has fewer than two queries there."""

    n: np.ndarray
    difference: np.ndarray
    se: np.ndarray
    effect_size: np.ndarray
    ci_low: np.ndarray
    ci_high: np.ndarray
    p_value: np.ndarray

    @property
    def there(self) -> np.ndarray:
        """Whether a collection counts for a pair."""
        return ~np.isnan(self.difference)


def read_collections(
    held: Held,
    measures: object,
    by: object,
    replicate: object,
    baseline: object,
    over: str,
    metadata: Metadata = None,
) -> tuple[GroupedCube, Pairs]:
    """Return values by collection, and the pairs of runs; `over` is what needs at least two of them."""
    found = grouped_cube(held, measures, by, replicate, metadata)
    if over == "collections" and len(found) < 2:
        raise TooFew(
            f"a verdict over collections needs at least two; {' and '.join(found.by.columns)} has only "
            f"{found.names[0]!r}. Say over='queries', or compare() the runs."
        )
    return found, pairs_within(found, baseline)


def said_of(found: GroupedCube) -> dict[Any, Any]:
    """Return what a result over collections says of itself: the rules of its table, and what told them apart."""
    left = {name: value for name, value in found.source.attrs.items() if name not in ("by", "collections", "table")}
    return left | {"verdict_by": list(map(str, found.by.columns))}


def pairs_within(found: GroupedCube, baseline: object) -> Pairs:
    """Return the pairs of runs to compare, or raise where no two of them share a collection."""
    pairs = Pairs.of(found.source, baseline=baseline)
    few = np.ones(len(found), dtype=bool)
    for measure in range(len(found.source.measures)):
        for _, D in pairs.blocks(measure):
            counted = ~np.isnan(D)
            enough = np.stack([counted[part].sum(axis=0) > 1 for part in found.slices()])
            few &= ~enough.any(axis=1)
    what = " and ".join(found.by.columns)
    if few.all():
        raise TooFew(
            f"no two runs have two queries in common within any {what}, e.g. {found.names[0]!r}. Where the column is "
            "about runs, group by one about queries or collections."
        )
    if few.any():
        names = [name for name, left in zip(found.names, few) if left]
        are = "is" if len(names) == 1 else "are"
        shown = ", ".join(map(repr, names[:3])) + (", ..." if len(names) > 3 else "")
        warnings.warn(
            f"{len(names)} of {len(found)} groups by {what} {are} left out: {shown}; no pair of runs has two queries "
            "in common there, and one query has no variance.",
            UserWarning,
            stacklevel=outside(),
        )
    return pairs


def pairwise_test(test: str | None, measure: str, attrs: dict[Any, Any]) -> SignificanceTest:
    """Return the test within each collection, or raise where it looks at all runs at once."""
    found = which_test(test, measure, attrs)
    if found.joint:
        others = ", ".join(repr(name) for name, one in TESTS.items() if not one.joint)
        raise ValueError(f"test={found.name!r} looks at all runs at once; within groups choose one of {others}.")
    return found


def blocks_within(found: GroupedCube, pairs: Pairs, measure: int) -> Iterator[tuple[np.ndarray, list[np.ndarray]]]:
    """Yield (numbers of pairs, the differences in each collection), NaN where a pair has fewer than two queries."""
    for numbers, D in pairs.blocks(measure):
        parts = [D[part] for part in found.slices()]
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
    >>> found = effects_of([np.array([[0.1], [0.3]])], TESTS["t"], confidence=0.95, draws=1, seed=0)
    >>> found.difference.round(3).tolist(), found.se.round(3).tolist(), found.p_value.round(3).tolist()
    ([[0.2]], [[0.1]], [[0.295]])
    """
    shape = (len(parts), parts[0].shape[1])
    n = np.zeros(shape, dtype=np.int64)
    numbers = np.full((6, *shape), np.nan)
    for at, part in enumerate(parts):
        ok = np.flatnonzero((~np.isnan(part)).sum(axis=0) > 1)
        if not len(ok):
            continue
        D = part[:, ok]
        options = {"confidence": confidence, "draws": draws, "seed": seed, "progress": False}
        said = completed(test(D, **options), partial(describe, D), name=test.name, pairs=len(ok), confidence=confidence)
        size, mean, sd = describe(D)
        n[at, ok] = size
        numbers[:, at, ok] = mean, sd / np.sqrt(size), said.effect_size, said.ci_low, said.ci_high, said.p_value
    return Effects(n, *numbers)


def corrected(p_value: np.ndarray, pairs: Pairs, *, baseline: bool, correction: str, alpha: float) -> np.ndarray:
    """Return p-values (collections, pairs) corrected within each collection: among all pairs, or those of a baseline.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> two = SimpleNamespace(b=np.array([1, 2]))
    >>> corrected(np.array([[0.01, 0.02], [0.03, 0.04]]), two, baseline=False, correction="bonferroni", alpha=0.05)
    array([[0.02, 0.04],
           [0.06, 0.08]])
    """
    of_pair = np.unique(pairs.b, return_inverse=True)[1] if baseline else np.zeros(len(pairs.b), dtype=np.int64)
    family = np.arange(len(p_value))[:, None] * (of_pair.max() + 1) + of_pair
    return adjust(p_value.ravel(), family.ravel(), correction=correction, alpha=alpha).reshape(p_value.shape)


COUNTS = ("better", "significantly_better", "worse", "significantly_worse")
META = ("fixed", "fixed_low", "fixed_high", "fixed_p", "random", "random_low", "random_high", "random_p")
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
    held: Held,
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
    alpha, confidence = arguments.share("alpha", alpha), arguments.share("confidence", confidence)
    over = arguments.one_of("over", over, ("collections", "queries"))  # type: ignore[assignment]
    per = arguments.one_of("per", per, ("pair", "collection"))  # type: ignore[assignment]
    draws, name = arguments.whole("draws", draws, 1), which_correction(correction)
    if seed is None:
        seed = int(np.random.default_rng().integers(2**63))
    found, pairs = read_collections(
        held, measures, by, replicate, baseline, over if per == "pair" else "queries", metadata
    )
    options: dict[str, Any] = {"confidence": confidence, "draws": draws, "seed": seed}
    frames = []
    for measure, label in enumerate(found.source.measures):
        chosen = pairwise_test(test, label, found.source.attrs)
        columns: dict[str, np.ndarray] = {}
        within = [
            (numbers, parts, effects_of(parts, chosen, **options))
            for numbers, parts in blocks_within(found, pairs, measure)
        ]
        p = _gathered([(numbers, effects.p_value) for numbers, _, effects in within], len(pairs))
        adjusted = corrected(p, pairs, baseline=baseline is not None, correction=name, alpha=alpha)
        for numbers, parts, effects in within:
            made = _of_collections(effects, adjusted[:, numbers], alpha)
            if per == "pair":
                estimates = macro_and_micro(parts, over=over, progress=progress, **options)
                made = _over_all(effects, adjusted[:, numbers], estimates, confidence, alpha)
            limits = pairs.limits(measure, np.concatenate(parts))
            for key, values in made.items():
                if key.endswith(("_low", "_high")):
                    values = np.clip(values, *limits)
                whole = columns.setdefault(key, np.empty((*values.shape[:-1], len(pairs)), dtype=values.dtype))
                whole[..., numbers] = values
        if per == "pair":
            frames.append(_verdicts(columns, pairs, label, chosen.name, baseline is not None, name, alpha))
        else:
            frames.append(_effects(columns, pairs, found, label, chosen.name))
    frame = pd.concat(frames, ignore_index=True)
    if per == "collection":
        code = frame.pop("_group").to_numpy()
        order = np.argsort(code, kind="stable")
        frame = frame.take(order).reset_index(drop=True)
        frame.attrs = said_of(found)
        frame = with_groups(frame, found.by, code[order])
    else:
        frame.attrs = said_of(found) | {"over": over}
    family = "measure" if baseline is None else "baseline"
    frame.attrs.update(correction=name, family=family, alpha=alpha, draws=draws, seed=seed, confidence=confidence)
    return frame


def _gathered(blocks: list[tuple[np.ndarray, np.ndarray]], pairs: int) -> np.ndarray:
    whole = np.full((len(blocks[0][1]), pairs), np.nan)
    for numbers, values in blocks:
        whole[:, numbers] = values
    return whole


def _of_collections(effects: Effects, adjusted: np.ndarray, alpha: float) -> dict[str, np.ndarray]:
    """Return the columns of each collection and pair."""
    weight = meta_analysis(effects.difference, effects.se).weight
    names = ("n", "difference", "se", "ci_low", "ci_high", "effect_size", "p_value")
    columns = {name: getattr(effects, name) for name in names}
    return columns | {"p_adjusted": adjusted, "significant": adjusted < alpha, "weight": weight}


def _over_all(
    effects: Effects, adjusted: np.ndarray, estimates: tuple[Any, Any], confidence: float, alpha: float
) -> dict[str, np.ndarray]:
    """Return the columns of each pair over its collections."""
    macro, micro = estimates
    meta = meta_analysis(effects.difference, effects.se, confidence=confidence)
    up, down, sure = effects.effect_size > 0, effects.effect_size < 0, adjusted < alpha
    counts = [one.sum(axis=0) for one in (up, up & sure, down, down & sure)]
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


def _verdicts(
    columns: dict[str, np.ndarray], pairs: Pairs, label: str, test: str, each: bool, correction: str, alpha: float
) -> pd.DataFrame:
    p = columns["p_value"]
    family = np.unique(pairs.b, return_inverse=True)[1] if each else np.zeros(len(p), dtype=np.int64)
    adjusted = adjust(p, family, correction=correction, alpha=alpha)
    columns = columns | {"p_adjusted": adjusted, "significant": adjusted < alpha}
    columns["verdict"] = _sentences(columns)
    order = ["collections", "n", "macro", "ci_low", "ci_high", "p_value", "p_adjusted", "significant"]
    order += [name for name in columns if name not in order]
    head = pairs.columns(1) | {"measure": label, "test": test}
    return pd.DataFrame({**head, **{name: columns[name] for name in order}})


def _sentences(columns: dict[str, np.ndarray]) -> np.ndarray:
    """Return the verdicts in words; equal ones are said once."""
    sign = np.where(columns["significant"], np.sign(columns["macro"]), 0.0)
    keys = np.stack([*(columns[name] for name in COUNTS), columns["collections"], sign.astype(np.int64)])
    distinct, member = np.unique(keys, axis=1, return_inverse=True)
    said = []
    for better, sure, worse, surely, k, over_all in distinct.T.tolist():
        also = f", significantly on {surely}" if surely else ""
        end = {1: "better", -1: "worse", 0: "undecided"}[over_all]
        said.append(f"better on {better} of {k}, significantly on {sure}, worse on {worse}{also}; {end} over all")
    texts = np.array(["no collection has both" if k == 0 else one for one, k in zip(said, distinct[4])], dtype=object)
    return texts[member.ravel()]


def _effects(columns: dict[str, np.ndarray], pairs: Pairs, found: GroupedCube, label: str, test: str) -> pd.DataFrame:
    """Return one row per collection and pair that it has."""
    there = ~np.isnan(columns["difference"])
    group, pair = np.nonzero(there)
    runs = found.source.runs
    sides = (("a", pairs.a[pair]), ("b", pairs.b[pair]))
    head: dict[str, Any] = {f"{name}_{side}": labels(runs[name], rows) for side, rows in sides for name in runs}
    head |= {"measure": label, "test": test}
    return pd.DataFrame({**head, **{name: values[there] for name, values in columns.items()}, "_group": group})
