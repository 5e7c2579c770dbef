"""Compare runs pair by pair: one tidy row per pair and measure, with its test and its correction."""

from __future__ import annotations

import itertools
from dataclasses import replace
from functools import partial
from typing import Any, Literal

import numpy as np
import pandas as pd

from pdeval.evaluate.cube import Scores, merged_attrs, stacked
from pdeval.evaluate.ppi import check_mean, estimates
from pdeval.evaluate.run_selection import baselines_of
from pdeval.evaluate.scores import MEASURES
from pdeval.evaluate.sources import Held, sources
from pdeval.significance import hsd, hsd_normal, mean_ranks, paired_tests
from pdeval.significance.corrections import NOT_NEEDED, Correction, adjust, which_correction
from pdeval.significance.paired_differences import Pairs, check, complete, enough
from pdeval.significance.registry import TESTS, SignificanceTest, not_tests, which_test
from pdeval.significance.test_result import Outcome, completed, describe
from pdeval.tables.labels import labels
from pdeval.tables.schemas import table
from pdeval.verbs import arguments, verb
from pdeval.verbs.arguments import TooFew
from pdeval.verbs.registry import listed_in_docs

# importing the others declares their tests
__all__ = ["compare", "hsd", "hsd_normal", "mean_ranks", "paired_tests"]

Family = Literal["measure", "baseline", "all"]

# what a comparison of systems with replicates answers: their runs as they are, or runs that might have been
THESE_MODELS = "Are these trained models different? Queries are random, replicates fixed."

NUMBERS = ("difference", "ci_low", "ci_high", "effect_size", "statistic", "p_value")
COLUMNS = ("n", "mean_a", "mean_b", *NUMBERS, "p_adjusted", "significant")

table(
    "comparisons",
    "run_a run_b measure test n:int mean_a:float mean_b:float difference:float ci_low:float ci_high:float "
    "effect_size:float statistic:float p_value:float p_adjusted:float significant:bool [df:float] "
    "[n_machine:int lam:float effective_n:float] [rank_a:float rank_b:float]",
    "table of comparisons",
    known_by="run_a run_b measure p_value",
    row="pair of runs and measure",
    sort="measure run_a run_b",
    then=".report(), .plot()",
    means={
        "n": "number of queries that both runs have",
        "mean_a": "mean of run_a in the measure's own unit; missing for preferences",
        "mean_b": "mean of run_b",
        "difference": "positive where run_a is better, also where less of the measure is better",
        "effect_size": "Cohen's d of the differences, or that of the test; positive where the test favors run_a",
        "df": "degrees of freedom of the test where replicates are random, or where a machine labelled too",
        "n_machine": "queries that only a machine labelled; n are then those that people labelled",
        "lam": "lambda, how far the machine is trusted: 0 not at all",
        "effective_n": "how many queries people alone would have to label for an interval as narrow",
        "rank_a": "mean rank of run_a among all runs, 1 the best; of tests of mean ranks",
        "rank_b": "mean rank of run_b",
    },
)


@verb(
    on=("scores", "preferences", "judged"),
    per_measure=True,
    gives="comparisons",
    core=True,
    command=True,
    independent=True,
    machine=True,
    meant_by={
        "ttest": "compare(test='t')",
        "t_test": "compare(test='t')",
        "wilcoxon": "compare(test='wilcoxon')",
        "significance": "compare()",
        "tukey": "compare(test='tukey')",
        "hsd": "compare(test='hsd')",
        "nemenyi": "compare(test='nemenyi')",
        "conover": "compare(test='conover')",
    },
)
@listed_in_docs(tests=TESTS)
def compare(
    held: Held,
    measures: object = MEASURES,
    *,
    test: str | None = None,
    correction: Correction | None = "bonferroni",
    baseline: object = None,
    alpha: float = 0.05,
    family: Family | None = None,
    confidence: float = 0.95,
    draws: int = 10_000,
    seed: int | None = 0,
    progress: bool | None = None,
) -> pd.DataFrame:
    """Return one row per measure and pair of runs: the difference, its interval and its significance.

    Parameters
    ----------
    test : str, optional
        By default the test of the measure's declaration: the sign test for sgnLP and sgnLR, the t-test for the rest. A
        query that one side lacks is left out for that pair, `n` says how many remain; family-wise tests use only the
        queries that every run has. `@pdeval.test` declares another. There are:

        {tests}

        Where a machine labelled more queries than people did, the test is 'ppi': Student's test of the
        prediction-powered difference, with a lambda of its own for every pair; `difference` is then not quite
        `mean_a - mean_b`.
    correction : str or None
        ... HSD and Nemenyi's test account for all pairs of a measure by themselves: `p_adjusted` is then `p_value`, and
        the family is the measure.
    family : {'measure', 'baseline', 'all'}, optional
        What is corrected together: all pairs of a measure, also those that a baseline leaves out of the result; the
        pairs with one baseline, per measure; all rows of the result, with `by` of a group. By default 'baseline' where
        there is one, else 'measure'. HSD and Nemenyi's test have the family 'measure' and raise for another one.
    confidence : float
        ... They are not corrected for the number of comparisons, except by HSD and Nemenyi's test.
    draws : int
        ... Their p-values are never below 1 / (1 + draws).
    seed : int or None
        ... Block sizes and threads do not matter.

    Raises
    ------
    ValueError
        Fewer than two runs, two queries, or two queries in common for some pair; infinite values.
    KeyError
        The baseline is not among the runs.

    Notes
    -----
    Pairs that never differ have p = 1, effect and statistic 0. `attrs` holds correction, family, alpha, confidence,
    draws and seed.

    Examples
    --------
    >>> import pdeval
    >>> scores = pdeval.datasets.sample_judged(topics="common").measure("AP")
    >>> found = scores.ireval.compare(baseline="bm25")
    >>> found[["run_a", "run_b", "n", "difference", "p_value", "p_adjusted", "significant"]].head(3).round(4)
          run_a run_b   n  difference  p_value  p_adjusted  significant
    0  bm25+rm3  bm25  48      0.0115   0.4400      1.0000        False
    1  dense-s1  bm25  48      0.1080   0.0001      0.0006         True
    2  dense-s2  bm25  48      0.1139   0.0001      0.0009         True
    """
    try:
        found = sources(held, measures, machine=True)
    except KeyError:
        not_tests(measures, "compare(test={})")
        raise
    for one in found:
        check(one)
    alpha, confidence = arguments.share("alpha", alpha), arguments.share("confidence", confidence)
    arguments.seed(seed)
    machine = any(getattr(one, "machine", None) is not None for one in found)
    tests = [[which_test(test, measure, one.attrs, machine=machine) for measure in one.measures] for one in found]
    name = which_correction(correction)
    together = _family(family, baseline)
    if family is not None:
        _check_family(together, tests)
    if seed is None:
        # one new seed for the whole call: blocks of pairs and measures share their draws
        seed = int(np.random.default_rng().integers(2**63))
    options = {"confidence": confidence, "draws": draws, "seed": seed, "progress": progress}
    # one table for each baseline, whose pairs are a family of their own
    chosen = [_each_baseline(one.runs, baseline) for one in found]
    found = [one for one, bases in zip(found, chosen, strict=True) for _ in bases]
    tests = [kinds for kinds, bases in zip(tests, chosen, strict=True) for _ in bases]
    tables = []
    for one, kinds, base in zip(found, tests, itertools.chain(*chosen), strict=True):
        pairs = Pairs.of(one, baseline=base, others=together == "measure")
        parts = [_measured(pairs, number, kind, options) for number, kind in enumerate(kinds)]
        unknown = np.full(len(pairs), np.nan)  # what only the tests of other measures know
        keys = dict.fromkeys(key for part in parts for key in part)
        tables.append((pairs, {key: np.concatenate([part.get(key, unknown) for part in parts]) for key in keys}))

    sizes = [len(pairs) for (pairs, _), kinds in zip(tables, tests, strict=True) for _ in kinds]
    p_value = np.concatenate([columns["p_value"] for _, columns in tables])
    wise = np.repeat([kind.family_wise for kinds in tests for kind in kinds], sizes)
    group = np.repeat(np.arange(len(sizes)), sizes) * (together != "all")
    adjusted = p_value.copy()
    if not wise.all():
        adjusted[~wise] = adjust(p_value[~wise], group[~wise], correction=name, alpha=alpha)
    frames, first = [], 0
    for (pairs, columns), kinds in zip(tables, tests, strict=True):
        rows = len(pairs) * len(kinds)
        columns["p_adjusted"] = adjusted[first : first + rows]
        columns["significant"] = columns["p_adjusted"] < alpha
        columns |= {key: columns.pop(key) for key in list(columns) if key not in COLUMNS}  # what only some tests know
        shown = np.tile(pairs.against, len(kinds))
        frames.append(_tidy(pairs, kinds, {key: values[shown] for key, values in columns.items()}))
        first += rows
    frame = stacked(frames)
    if any(len(bases) > 1 for bases in chosen):  # measure by measure, whatever the baseline
        by_measure = np.argsort(pd.factorize(frame["measure"])[0], kind="stable")
        frame = frame.iloc[by_measure].reset_index(drop=True)
    frame.attrs.update(merged_attrs(one.attrs for one in found))
    frame.attrs.update(
        correction=NOT_NEEDED if wise.all() else name,
        family="measure" if wise.all() else together,
        alpha=alpha,
        confidence=confidence,
        draws=draws,
        seed=seed,
    )
    if "replicate" in frame.attrs:
        frame.attrs["question"] = THESE_MODELS
    return frame


def _each_baseline(runs: pd.DataFrame, baseline: object) -> list[object]:
    """Return the baselines as ids, or None alone."""
    if baseline is None:
        return [None]
    return [tuple(runs.iloc[row]) for row in baselines_of(runs, baseline)]


def _measured(pairs: Pairs, measure: int, test: SignificanceTest, options: dict[str, Any]) -> dict[str, np.ndarray]:
    """Return the columns of one measure: one value per pair, in the order of the pairs."""
    if test.joint:
        return _measured_together(pairs, measure, test, options)
    if test.machine:
        return _measured_with_machine(pairs, measure, test, options)
    columns: dict[str, np.ndarray] = {}
    rest = {"name": test.name, "confidence": options["confidence"]}
    for numbers, D in pairs.blocks(measure):
        counted = ~np.isnan(D)
        enough(pairs, numbers, counted.sum(axis=0), pairs.source.measures[measure])
        sides = pairs.sides(measure, numbers, None if counted.all() else counted)
        outcome = completed(test(D, **options), partial(describe, D), pairs=len(numbers), **rest)
        for key, values in _columns(outcome, *sides, limits=pairs.limits(measure, D)).items():
            columns.setdefault(key, np.empty(len(pairs), dtype=values.dtype))[numbers] = values
    return columns


def _measured_with_machine(
    pairs: Pairs, measure: int, test: SignificanceTest, options: dict[str, Any]
) -> dict[str, np.ndarray]:
    """Return the columns of one measure from labels by people and by a machine."""
    source: Any = pairs.source
    label = source.measures[measure]
    check_mean(label, source.attrs)
    means = estimates(source, measure).mean if isinstance(source, Scores) else np.full(len(source.runs), np.nan)
    by_machine = replace(pairs, source=replace(source, values=source.machine, machine=None))
    columns: dict[str, np.ndarray] = {}
    for (numbers, people), (_, machine) in zip(pairs.blocks(measure), by_machine.blocks(measure), strict=True):
        outcome = test(people, machine, source.probability, **options)
        few = np.flatnonzero((outcome.n < 2) | (outcome.more["n_machine"] < 2))
        if len(few):
            raise TooFew(
                f"the pair {pairs.name(int(numbers[few[0]]))} has {outcome.n[few[0]]} queries by people and "
                f"{outcome.more['n_machine'][few[0]]} by the machine alone of {label!r}; two of each are needed."
            )
        sides, limits = (means[pairs.a[numbers]], means[pairs.b[numbers]]), pairs.limits(measure, people)
        for key, values in _columns(outcome, *sides, limits=limits).items():
            columns.setdefault(key, np.empty(len(pairs), dtype=values.dtype))[numbers] = values
    return columns


def _measured_together(
    pairs: Pairs, measure: int, test: SignificanceTest, options: dict[str, Any]
) -> dict[str, np.ndarray]:
    """Return the columns of one measure under a test that looks at all runs at once, such as Tukey's HSD."""
    values, counted = complete(pairs, measure, test.says.removesuffix(" test"))
    if test.scores_only and values.ndim == 3:
        others = [name for name, one in TESTS.items() if one.joint and not one.scores_only]
        raise ValueError(
            f"test={test.name!r} needs a score per run; {pairs.source.measures[measure]!r} is a preference between "
            f"runs. Use test={others[0]!r}, which takes preferences."
        )
    found = test(values, pairs.a, pairs.b, **options)
    outcome = completed(
        found,
        partial(hsd.described_pairs, values, pairs.a, pairs.b),
        name=test.name,
        pairs=len(pairs),
        confidence=options["confidence"],
    )
    limits = pairs.limits(measure, values)
    return _columns(outcome, *pairs.sides(measure, np.arange(len(pairs)), counted), limits=limits)


def _columns(
    outcome: Outcome, mean_a: np.ndarray, mean_b: np.ndarray, *, limits: tuple[float, float]
) -> dict[str, np.ndarray]:
    """Return the columns of the comparisons that a test fills; intervals stay within the limits of a difference."""
    numbers = (
        outcome.mean,
        np.clip(outcome.ci_low, *limits),
        np.clip(outcome.ci_high, *limits),
        outcome.effect_size,
        outcome.statistic,
        outcome.p_value,
    )
    return {
        "n": outcome.n.astype(np.int64),
        "mean_a": mean_a,
        "mean_b": mean_b,
        **dict(zip(NUMBERS, numbers, strict=True)),
        **outcome.more,
    }


def _tidy(pairs: Pairs, tests: list[SignificanceTest], columns: dict[str, np.ndarray]) -> pd.DataFrame:
    """Return the comparisons: the labels of the shown pairs, then the columns."""
    head = pairs.columns(len(tests))
    measure = np.repeat(np.arange(len(tests)), int(pairs.against.sum()))
    head["measure"] = labels(pd.Index(pairs.source.measures), measure)
    head["test"] = labels(pd.Index([one.name for one in tests]), measure)
    return pd.DataFrame({**head, **columns}, copy=False)


def _check_family(family: str, tests: list[list[SignificanceTest]]) -> None:
    """Raise if a family is asked for that is not that of a family-wise test: all pairs of one measure."""
    wise = [test.name for kinds in tests for test in kinds if test.family_wise]
    measures = sum(map(len, tests))
    if not wise or family == "measure" or (family == "all" and measures == 1):
        return
    raise ValueError(
        f"test={wise[0]!r} corrects for all pairs of one measure; family={family!r} asks for "
        + (f"the pairs of {measures} measures together." if family == "all" else "the pairs with the baseline alone.")
        + f" Use family='measure', or a test of one pair, e.g. test='t' with family={family!r}."
    )


def _family(family: str | None, baseline: object) -> str:
    """Return the family that is corrected together."""
    if family is None:
        return "measure" if baseline is None else "baseline"
    family = arguments.one_of("family", family, ("measure", "baseline", "all"))
    if family == "baseline" and baseline is None:
        raise ValueError("family='baseline' needs a baseline: pass baseline=<run id>, or family='measure'.")
    return family
