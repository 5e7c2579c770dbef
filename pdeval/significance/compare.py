"""Compare runs pair by pair: one tidy row per pair and measure, with its test and its correction."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import pandas as pd

from pdeval.evaluate.cube import Scores, merged_attrs, stacked
from pdeval.evaluate.ppi import check_mean, estimates
from pdeval.evaluate.run_selection import baselines_of
from pdeval.evaluate.scores import MEASURES
from pdeval.evaluate.seeds import new_seed
from pdeval.evaluate.sources import ScoresLike, sources
from pdeval.significance import hsd, mean_ranks, paired_tests
from pdeval.significance.corrections import NOT_NEEDED, Correction, adjust, which_correction
from pdeval.significance.paired_differences import Pairs, check, complete
from pdeval.significance.registry import (
    TESTS,
    SignificanceTest,
    which_test,
    with_correction,
)
from pdeval.tables.schemas import table
from pdeval.verbs import verb
from pdeval.verbs.arguments import TooFew
from pdeval.verbs.registry import check_not_declared, listed_in_docs

# importing the others declares their tests
__all__ = ["compare", "hsd", "mean_ranks", "paired_tests"]

# the question that a comparison of systems with replicates answers
THESE_MODELS = "Are these trained models different? Queries are random, replicates fixed."

table(
    "comparisons",
    "run_a run_b measure test n:int mean_a:float mean_b:float difference:float ci_low:float ci_high:float "
    "effect_size:float statistic:float p_value:float p_adjusted:float significant:bool [df:float] "
    "[n_machine:int lam:float effective_n:float] [rank_a:float rank_b:float]",
    "table of comparisons",
    recognized_by="run_a run_b measure p_value",
    row="pair of runs and measure",
    sort="measure run_a run_b",
    then=".report(), .plot()",
    means={
        "n": "number of queries that both runs have",
        "mean_a": "mean of run_a in the measure's own unit; missing for preferences",
        "mean_b": "mean of run_b",
        "difference": "positive if run_a is better, also if lower values of the measure are better",
        "effect_size": "Cohen's d of the differences, or that of the test; positive if the test favors run_a",
        "df": "degrees of freedom of the test if replicates are random, or if there are machine labels",
        "n_machine": "number of queries with machine labels only; n is then the number of queries with human labels",
        "lam": "lambda, the weight of the machine labels; 0 ignores them",
        "effective_n": "number of queries with human labels that would give an interval of the same width",
        "rank_a": "mean rank of run_a among all runs, 1 is the best; only tests of mean ranks have it",
        "rank_b": "mean rank of run_b",
    },
)


@verb(
    on=("scores", "preferences", "judged"),
    per_measure=True,
    returns="comparisons",
    core=True,
    command=True,
    independent=True,
    machine=True,
    other_names={
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
    data: ScoresLike,
    measures: object = MEASURES,
    *,
    test: str | None = None,
    correction: Correction | None = "bonferroni",
    baseline: object = None,
    alpha: float = 0.05,
    family: Literal["measure", "baseline", "all"] | None = None,
    confidence: float = 0.95,
    draws: int = 10_000,
    seed: int | None = 0,
    progress: bool | None = None,
) -> pd.DataFrame:
    """Return one row per measure and pair of runs: the difference, its interval and its significance.

    Parameters
    ----------
    test : str, optional
        Significance test. By default the test declared by the measure: the sign test for sgnLP and sgnLR, the t-test
        for all others. A query that one run of a pair lacks is dropped for that pair; `n` is the number of remaining
        queries. Family-wise tests use only the queries that all runs have. `@pdeval.test` declares another test.
        The declared tests are:

        {tests}

        If there are machine labels in addition to human labels, the test is 'ppi': Student's test of the
        prediction-powered difference. Each pair has its own lambda, so `difference` is not exactly `mean_a - mean_b`.
    correction : str or None
        ... HSD and Nemenyi's test already account for all pairs of a measure: `p_adjusted` is then `p_value`, and the
        family is the measure.
    family : {'measure', 'baseline', 'all'}, optional
        P-values that are corrected together: all pairs of a measure, including those that a baseline excludes from the
        result; the pairs with one baseline, per measure; or all rows of the result (with `by`, of a group). By default
        'baseline' if there is one, else 'measure'. HSD and Nemenyi's test have the family 'measure' and raise for any
        other.
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
    Pairs without any difference have p = 1, effect size 0 and statistic 0. `attrs` has the correction, family, alpha,
    confidence, draws and seed.

    Examples
    --------
    >>> import pdeval
    >>> scores = pdeval.datasets.sample_judged(queries="common").measure("AP")
    >>> found = scores.ireval.compare(baseline="bm25")
    >>> found[["run_a", "run_b", "n", "difference", "p_value", "p_adjusted", "significant"]].head(3).round(4)
          run_a run_b   n  difference  p_value  p_adjusted  significant
    0  bm25+rm3  bm25  48      0.0115   0.4400      1.0000        False
    1  dense-s1  bm25  48      0.1080   0.0001      0.0006         True
    2  dense-s2  bm25  48      0.1139   0.0001      0.0009         True
    """
    try:
        cubes = sources(data, measures, machine=True)
    except KeyError:
        check_not_declared(measures, "a significance test", TESTS, "compare(test={})")
        raise
    for cube in cubes:
        check(cube)
    machine = any(getattr(cube, "machine", None) is not None for cube in cubes)
    tests = [
        [which_test(test, measure, cube.attrs, machine=machine) for measure in cube.measures]
        for cube in cubes
    ]
    correction = which_correction(correction)  # type: ignore[assignment]
    corrected_together = _family(family, baseline, tests)
    seed = new_seed() if seed is None else seed
    options = {"confidence": confidence, "draws": draws, "seed": seed, "progress": progress}
    # one table for each baseline, whose pairs are a family
    tables = []
    for cube, kinds in zip(cubes, tests, strict=True):
        rows = [None] if baseline is None else baselines_of(cube.runs, baseline)
        ids = [None if row is None else tuple(cube.runs.iloc[row]) for row in rows]
        tables += [
            (Pairs.of(cube, baseline=one, others=corrected_together == "measure"), kinds)
            for one in ids
        ]
    results = [_tested(pairs, kinds, options) for pairs, kinds in tables]

    # p-values of all tables are corrected at once: `group` is the family of each, here one per table and measure
    sizes = [len(pairs) for pairs, kinds in tables for _ in kinds]
    group = np.repeat(np.arange(len(sizes)), sizes) * (corrected_together != "all")
    family_wise = np.repeat([kind.family_wise for _, kinds in tables for kind in kinds], sizes)
    adjusted = np.concatenate([columns["p_value"] for columns in results])
    adjusted[~family_wise] = adjust(
        adjusted[~family_wise], group[~family_wise], correction=str(correction), alpha=alpha
    )
    ends = np.cumsum([len(columns["p_value"]) for columns in results])
    frames = []
    for (pairs, kinds), columns, p_adjusted in zip(
        tables, results, np.split(adjusted, ends[:-1]), strict=True
    ):
        columns = with_correction(columns, p_adjusted, alpha)
        reported = np.tile(pairs.against, len(kinds))
        columns = {key: values[reported] for key, values in columns.items()}
        frames.append(pairs.frame([columns], [kind.name for kind in kinds]))
    frame = stacked(frames)
    if len(tables) > len(cubes):  # measure by measure, whatever the baseline
        by_measure = np.argsort(pd.factorize(frame["measure"])[0], kind="stable")
        frame = frame.iloc[by_measure].reset_index(drop=True)
    frame.attrs.update(merged_attrs(pairs.source.attrs for pairs, _ in tables))
    frame.attrs.update(
        correction=NOT_NEEDED if family_wise.all() else correction,
        family="measure" if family_wise.all() else corrected_together,
        alpha=alpha,
        confidence=confidence,
        draws=draws,
        seed=seed,
    )
    if "replicate" in frame.attrs:
        frame.attrs["question"] = THESE_MODELS
    return frame


def _family(family: str | None, baseline: object, tests: list[list[SignificanceTest]]) -> str:
    """Return the family of the correction; raise if a family-wise test has another one."""
    if family is None:
        return "measure" if baseline is None else "baseline"
    if family == "baseline" and baseline is None:
        raise ValueError(
            "family='baseline' needs a baseline: pass baseline=<run id>, or family='measure'."
        )
    family_wise = [test.name for kinds in tests for test in kinds if test.family_wise]
    measures = sum(map(len, tests))
    if family_wise and family != "measure" and not (family == "all" and measures == 1):
        raise ValueError(
            f"test={family_wise[0]!r} corrects for all pairs of one measure; family={family!r} requires "
            + (
                f"the pairs of {measures} measures together."
                if family == "all"
                else "only the pairs with the baseline."
            )
            + f" Use family='measure', or a test of one pair, e.g. test='t' with family={family!r}."
        )
    return family


def _tested(
    pairs: Pairs, tests: list[SignificanceTest], options: dict[str, Any]
) -> dict[str, np.ndarray]:
    """Return the columns of all measures, one after the other; NaN if only tests of other measures have a column."""
    parts = [
        pairs.gather(_blocks(pairs, measure, test, options)) for measure, test in enumerate(tests)
    ]
    unknown = np.full(len(pairs), np.nan)
    keys = dict.fromkeys(key for part in parts for key in part)
    return {key: np.concatenate([part.get(key, unknown) for part in parts]) for key in keys}


def _blocks(
    pairs: Pairs, measure: int, test: SignificanceTest, options: dict[str, Any]
) -> Iterator[tuple[np.ndarray, dict[str, np.ndarray]]]:
    """Yield (numbers of pairs, their columns) of one measure."""
    if test.machine:
        yield from _with_machine(pairs, measure, test, options)
    elif test.joint:
        yield np.arange(len(pairs)), _measured_together(pairs, measure, test, options)
    else:
        for numbers, D in pairs.blocks(measure, shared=2):
            sides = pairs.sides(measure, numbers, ~np.isnan(D))
            yield numbers, test.result(D, **options).columns(*sides, pairs.limits(measure, D))


def _with_machine(
    pairs: Pairs, measure: int, test: SignificanceTest, options: dict[str, Any]
) -> Iterator[tuple[np.ndarray, dict[str, np.ndarray]]]:
    """Yield (numbers of pairs, their columns) from human and machine labels."""
    source: Any = pairs.source
    label = source.measures[measure]
    check_mean(label, source.attrs)
    means = (
        estimates(source, measure).mean
        if isinstance(source, Scores)
        else np.full(len(source.runs), np.nan)
    )
    by_machine = replace(pairs, source=replace(source, values=source.machine, machine=None))
    for (numbers, people), (_, machine) in zip(
        pairs.blocks(measure), by_machine.blocks(measure), strict=True
    ):
        outcome = test(people, machine, source.probability, **options)
        few = np.flatnonzero((outcome.n < 2) | (outcome.more["n_machine"] < 2))
        if len(few):
            raise TooFew(
                f"the pair {pairs.name(int(numbers[few[0]]))} has {outcome.n[few[0]]} queries with human labels and "
                f"{outcome.more['n_machine'][few[0]]} with machine labels only for {label!r}; at least two of each are "
                "needed."
            )
        sides = means[pairs.a[numbers]], means[pairs.b[numbers]]
        yield numbers, outcome.columns(*sides, pairs.limits(measure, people))


def _measured_together(
    pairs: Pairs, measure: int, test: SignificanceTest, options: dict[str, Any]
) -> dict[str, np.ndarray]:
    """Return the columns of one measure for a joint test of all runs, such as Tukey's HSD."""
    values, counted = complete(pairs, measure, test.description.removesuffix(" test"))
    if test.scores_only and values.ndim == 3:
        others = [name for name, one in TESTS.items() if one.joint and not one.scores_only]
        raise ValueError(
            f"test={test.name!r} requires a score per run; {pairs.source.measures[measure]!r} is a preference between "
            f"runs. Use test={others[0]!r}, which accepts preferences."
        )
    sides = pairs.sides(measure, np.arange(len(pairs)), counted)
    return test.result(values, pairs.a, pairs.b, **options).columns(
        *sides, pairs.limits(measure, values)
    )
