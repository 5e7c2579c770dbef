"""How many collections a verdict needs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from pdeval.evaluate.scores import MEASURES
from pdeval.evaluate.sources import Held
from pdeval.kinds.schemas import table
from pdeval.mechanics import arguments
from pdeval.significance.effects import (
    Effects,
    blocks_within,
    effects_of,
    pairwise_test,
    read_collections,
    said_of,
)
from pdeval.significance.outcome import ratio
from pdeval.significance.power import queries_needed
from pdeval.verbs import verb

table(
    "collections_needed",
    "run_a run_b measure collections:int sd:float difference:float effect_size:float alpha:float power:float "
    "collections_needed:float",
    "table of collections needed",
    row="pair of runs and measure",
    sort="measure run_a run_b",
    means={
        "collections": "number of collections at hand",
        "sd": "standard deviation of the collections' mean differences",
        "difference": "the macro difference asked about, or the observed one",
        "effect_size": "difference / sd",
        "power": "wanted chance of finding it",
        "collections_needed": "fewest that find it, each with about as many queries; infinite for no difference",
    },
    unreported="a plan is read, not printed",
    undrawn="a plan is read, not drawn",
)


@verb(on=("scores", "preferences", "judged"), gives="collections_needed", family="verdict", name="sample_size")
def collections_needed(
    held: Held,
    measures: object = MEASURES,
    *,
    by: str | Sequence[str],
    metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
    difference: float | None = None,
    power: float = 0.8,
    alpha: float = 0.05,
    baseline: object = None,
    replicate: str | Sequence[str] | None = None,
) -> pd.DataFrame:
    """Return how many collections a verdict needs to find a difference, per measure and pair of runs.

    The collections at hand are the pilot: their mean differences give the standard deviation between collections, and
    new ones are taken to be like them, with about as many queries.

    Parameters
    ----------
    measures : str, Measure, or list of them, optional
        For runs what to compute, for a table which of its measures to use; by default all of them.
    by : str or list of str
        The column(s) that tell collections apart.
    metadata : DataFrame or list of them, optional
        What queries or collections are, one row each, with columns for `by` that are not in the tables.
    difference : float, optional
        The true macro difference, in the measure's units; by default the observed one.
    power : float
        Wanted chance of finding the difference.
    alpha : float
        Two-sided level. For Bonferroni over m comparisons give 0.05 / m.
    baseline : run, tuple of ids, or list of them, optional
        Only pairs of a run with this one, or with one of these.
    replicate : str or list of str, optional
        Columns of the run, such as a seed, whose values are averaged within each query first.

    Examples
    --------
    >>> import pdeval
    >>> scores = pdeval.datasets.sample_judged(topics="common").measure("AP")
    >>> sixths = scores.assign(collection=scores["query_id"].astype(int) % 6)  # six collections, for the example
    >>> needed = sixths.ireval.verdict.sample_size(by="collection", difference=0.05, baseline="bm25")
    >>> needed[["run_a", "run_b", "collections", "sd", "effect_size", "collections_needed"]].head(3).round(3)
          run_a run_b  collections     sd  effect_size  collections_needed
    0  bm25+rm3  bm25            6  0.034        1.487                 6.0
    1  dense-s1  bm25            6  0.063        0.789                15.0
    2  dense-s2  bm25            6  0.055        0.912                12.0
    """
    alpha, power = arguments.share("alpha", alpha), arguments.share("power", power)
    found, pairs = read_collections(held, measures, by, replicate, baseline, "collections", metadata)
    frames = []
    for measure, label in enumerate(found.source.measures):
        k, mean, sd = np.zeros(len(pairs), dtype=np.int64), *np.full((2, len(pairs)), np.nan)
        for numbers, parts in blocks_within(found, pairs, measure):
            effects = effects_of(parts, pairwise_test("t", label, {}), confidence=0.95, draws=1, seed=0)
            k[numbers] = effects.there.sum(axis=0)
            mean[numbers], sd[numbers] = _spread(effects)
        wanted = mean if difference is None else np.full(len(pairs), arguments.finite("difference", difference))
        frame = pd.DataFrame(pairs.columns(1))
        frame["measure"], frame["collections"], frame["sd"] = label, k, sd
        frame["difference"], frame["effect_size"] = wanted, ratio(wanted, sd)
        frame["alpha"], frame["power"] = alpha, power
        known = ~np.isnan(frame["effect_size"].to_numpy())
        needed = np.full(len(frame), np.nan)
        needed[known] = queries_needed(frame["effect_size"].to_numpy()[known], power, alpha)
        frames.append(frame.assign(collections_needed=needed))
    frame = pd.concat(frames, ignore_index=True)
    frame.attrs = said_of(found)
    return frame


def _spread(effects: Effects) -> tuple[np.ndarray, np.ndarray]:
    """Return mean and standard deviation over the collections of a pair."""
    k = effects.there.sum(axis=0)
    with np.errstate(invalid="ignore"):  # nothing of nothing is NaN
        mean = np.where(effects.there, effects.difference, 0.0).sum(axis=0) / k
        away = np.where(effects.there, effects.difference - mean, 0.0)
        return mean, np.sqrt(np.square(away).sum(axis=0) / np.where(k > 1, k - 1, np.nan))
