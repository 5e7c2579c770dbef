"""What each collection says of each pair of runs: the difference, its standard error, and its test."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from pdeval.evaluate.collected import Collected, collected
from pdeval.evaluate.groups import Metadata
from pdeval.evaluate.sources import Held
from pdeval.judged.topics import outside
from pdeval.mechanics.arguments import TooFew
from pdeval.significance.compared import Pairs
from pdeval.significance.corrections import adjust
from pdeval.significance.outcome import completed, describe
from pdeval.significance.registry import TESTS, SignificanceTest, which_test


@dataclass(frozen=True)
class Effects:
    """One row per collection and one column per pair of runs; NaN where a pair has fewer than two queries there."""

    n: np.ndarray
    difference: np.ndarray
    se: np.ndarray
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
) -> tuple[Collected, Pairs]:
    """Return values by collection, and the pairs of runs; `over` is what needs at least two of them."""
    found = collected(held, measures, by, replicate, metadata)
    if over == "collections" and len(found) < 2:
        raise TooFew(
            f"a verdict over collections needs at least two; {' and '.join(found.by.columns)} has only "
            f"{found.names[0]!r}. Say over='queries', or compare() the runs."
        )
    return found, pairs_within(found, baseline)


def said_of(found: Collected) -> dict[Any, Any]:
    """Return what a result over collections says of itself: the rules of its table, and what told them apart."""
    left = {name: value for name, value in found.source.attrs.items() if name not in ("by", "collections", "table")}
    return left | {"verdict_by": list(map(str, found.by.columns))}


def pairs_within(found: Collected, baseline: object) -> Pairs:
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


def blocks_within(found: Collected, pairs: Pairs, measure: int) -> Iterator[tuple[np.ndarray, list[np.ndarray]]]:
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
    numbers = np.full((5, *shape), np.nan)
    for at, part in enumerate(parts):
        ok = np.flatnonzero((~np.isnan(part)).sum(axis=0) > 1)
        if not len(ok):
            continue
        D = part[:, ok]
        options = {"confidence": confidence, "draws": draws, "seed": seed, "progress": False}
        said = completed(test(D, **options), partial(describe, D), name=test.name, pairs=len(ok), confidence=confidence)
        size, mean, sd = describe(D)
        n[at, ok] = size
        numbers[:, at, ok] = mean, sd / np.sqrt(size), said.ci_low, said.ci_high, said.p_value
    difference, se, low, high, p_value = numbers
    return Effects(n, difference, se, low, high, p_value)


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
