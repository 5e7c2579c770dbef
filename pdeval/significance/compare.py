"""Compare runs pair by pair: one tidy row per pair and measure, with its test and its correction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd

from pdeval.evaluate.cube import stacked
from pdeval.kinds.labels import labels
from pdeval.significance import hsd, paired
from pdeval.significance.corrections import adjust
from pdeval.significance.differences import Pairs, Source, check, complete, enough
from pdeval.significance.names import FAMILY_WISE, NOT_NEEDED, Correction, Test, choose, which_correction, which_test
from pdeval.significance.outcome import Outcome

Family = Literal["measure", "baseline", "all"]

NUMBERS = ("difference", "ci_low", "ci_high", "effect_size", "statistic", "p_value")


def compare(
    source: Source | Sequence[Source],
    *,
    test: Test | str | None = None,
    correction: Correction | str | None = "bonferroni",
    baseline: Any = None,
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
    source : Scores, Preferences or a stream of preference blocks
        Per query, aligned by query id. A query that one side lacks (NaN) is dropped for that pair; `n`
        says how many remain. The HSD tests use only the queries that every run has. A list of them, such as
        the metrics and the preferences of one join, gives one table.
    test : str, optional
        "t" (paired Student t), "wilcoxon" (signed rank), "sign" (exact binomial, ties dropped),
        "randomisation" (paired, by sign flips), "bootstrap" (studentised), "hsd" (Tukey's HSD, randomised,
        for scores and preferences) or "tukey" (Tukey's HSD, analytic, queries as blocks; for scores, or
        preferences that are differences of scores). Default: "sign" for sgnLP and sgnLR, "t" for the rest.
    correction : str, default "bonferroni"
        A method of statsmodels' `multipletests`: "bonferroni", "sidak", "holm", "holm-sidak",
        "simes-hochberg", "hommel", "fdr_bh", "fdr_by", "fdr_tsbh", "fdr_tsbky", "fdr_gbs"; or "none". HSD
        accounts for all pairs of a measure by itself: there `p_adjusted` is `p_value`, and the family is
        the measure.
    baseline : run id, or tuple of ids, optional
        Only pairs of a run with this one, which is then `run_b`.
    alpha : float, default 0.05
        `significant` is `p_adjusted < alpha`.
    family : {"measure", "baseline", "all"}, optional
        What is corrected together: "measure", all pairs of a measure, also those that a baseline leaves
        out of the result; "baseline", the pairs with the baseline, per measure; "all", all rows of the
        result. Default: "baseline" where there is one, else "measure".
    confidence : float, default 0.95
        Of the interval, which is not corrected for the number of comparisons except under HSD.
    draws : int, default 10000
        Of the randomisation, the bootstrap and the randomised HSD. p is never below 1 / (1 + draws).
    seed : int or None, default 0
        The same seed gives the same p-values, whatever the block sizes and threads. None: a new one.
    progress : bool, optional
        Show a progress bar; by default when it takes more than a second and somebody is watching.

    Returns
    -------
    DataFrame
        run_a, run_b (named after the run columns), measure, test, n, mean_a, mean_b, difference, ci_low,
        ci_high, effect_size, statistic, p_value, p_adjusted, significant; by measure, then by pair.
        `difference` is positive where run a is better, also for measures where less is better; `mean_a`
        and `mean_b` are in the measure's own units, NaN for preferences. Pairs that never differ have
        p = 1, effect and statistic 0. `attrs` holds correction, family, alpha, confidence, draws and seed.

    Raises
    ------
    ValueError
        Fewer than two runs, two queries, or two queries in common for some pair; infinite values.
    KeyError
        The baseline is not among the runs.

    Examples
    --------
    >>> from pdeval.evaluate.cube import Scores
    >>> values = np.array([[[0.2, 0.3, 0.9], [0.1, 0.3, 0.7], [0.3, 0.2, 0.8], [0.2, 0.4, 0.6]]])
    >>> scores = Scores(pd.DataFrame({"run": ["bm25", "lm", "bert"]}), pd.Index(["1", "2", "3", "4"], name="query_id"),
    ...                 ("AP",), values, np.array([True]))
    >>> table = compare(scores, baseline="bm25")
    >>> print(table[["run_a", "run_b", "n", "difference", "p_value", "p_adjusted", "significant"]].round(4)
    ...       .to_string(index=False))
    run_a run_b  n  difference  p_value  p_adjusted  significant
       lm  bm25  4        0.10   0.2522      0.5044        False
     bert  bm25  4        0.55   0.0034      0.0068         True
    """
    sources: Sequence[Source] = source if isinstance(source, list | tuple) else [source]  # type: ignore[list-item]
    for one in sources:
        check(one)
    check_share("alpha", alpha)
    check_share("confidence", confidence)
    tests = [[which_test(test, measure) for measure in one.measures] for one in sources]
    name = which_correction(correction)
    together = family_of(family, baseline)
    if seed is None:
        # one new seed for the whole call: blocks of pairs and measures share their draws
        seed = int(np.random.default_rng().integers(2**63))
    options = {"confidence": confidence, "draws": draws, "seed": seed, "progress": progress}
    tables = []
    for one, kinds in zip(sources, tests, strict=True):
        pairs = Pairs.of(one, baseline=baseline, others=together == "measure")
        parts = [measured(pairs, number, kind, options) for number, kind in enumerate(kinds)]
        tables.append((pairs, {key: np.concatenate([part[key] for part in parts]) for key in parts[0]}))

    wise = tests[0][0] in FAMILY_WISE
    p_value = np.concatenate([columns["p_value"] for _, columns in tables])
    sizes = [len(pairs) for (pairs, _), kinds in zip(tables, tests, strict=True) for _ in kinds]
    group = np.repeat(np.arange(len(sizes)), sizes) * (together != "all")
    adjusted = p_value if wise else adjust(p_value, group, correction=name, alpha=alpha)
    frames, first = [], 0
    for (pairs, columns), kinds in zip(tables, tests, strict=True):
        rows = len(pairs) * len(kinds)
        columns["p_adjusted"] = adjusted[first : first + rows]
        columns["significant"] = columns["p_adjusted"] < alpha
        shown = np.tile(pairs.against, len(kinds))
        frames.append(tidy(pairs, kinds, {key: values[shown] for key, values in columns.items()}))
        first += rows
    frame = stacked(frames)
    frame.attrs.update(getattr(sources[0], "attrs", {}))
    frame.attrs.update(
        correction=NOT_NEEDED if wise else name,
        family="measure" if wise else together,
        alpha=alpha,
        confidence=confidence,
        draws=draws,
        seed=seed,
    )
    return frame


def measured(pairs: Pairs, measure: int, test: str, options: dict[str, Any]) -> dict[str, np.ndarray]:
    """Return the columns of one measure: one value per pair, in the order of the pairs."""
    if test in FAMILY_WISE:
        return measured_together(pairs, measure, test, options)
    function = {
        "t": paired.student,
        "wilcoxon": paired.wilcoxon,
        "sign": paired.sign,
        "randomisation": paired.randomisation,
        "bootstrap": paired.bootstrap,
    }[test]
    if test not in ("randomisation", "bootstrap"):
        options = {"confidence": options["confidence"]}
    columns: dict[str, np.ndarray] = {}
    for numbers, D in pairs.blocks(measure):
        counted = ~np.isnan(D)
        enough(pairs, numbers, counted.sum(axis=0), pairs.source.measures[measure])
        sides = pairs.sides(measure, numbers, None if counted.all() else counted)
        for key, values in as_columns(function(D, **options), *sides).items():
            columns.setdefault(key, np.empty(len(pairs), dtype=values.dtype))[numbers] = values
    return columns


def measured_together(pairs: Pairs, measure: int, test: str, options: dict[str, Any]) -> dict[str, np.ndarray]:
    """Return the columns of one measure under Tukey's HSD, which looks at all runs at once."""
    values, counted = complete(pairs, measure)
    if test == "hsd":
        outcome = hsd.randomised(values, pairs.a, pairs.b, **options)
    elif values.ndim == 3:
        raise ValueError(
            f"test='tukey' needs a score per run; {pairs.source.measures[measure]!r} is a preference between runs. "
            "Use test='hsd', the randomised form, which takes preferences."
        )
    else:
        outcome = hsd.tukey(values, pairs.a, pairs.b, confidence=options["confidence"])
    return as_columns(outcome, *pairs.sides(measure, np.arange(len(pairs)), counted))


def as_columns(outcome: Outcome, mean_a: np.ndarray, mean_b: np.ndarray) -> dict[str, np.ndarray]:
    """Return the columns of the comparisons frame that a test fills."""
    numbers = (
        outcome.mean,
        outcome.ci_low,
        outcome.ci_high,
        outcome.effect_size,
        outcome.statistic,
        outcome.p_value,
    )
    return {
        "n": outcome.n.astype(np.int64),
        "mean_a": mean_a,
        "mean_b": mean_b,
        **dict(zip(NUMBERS, numbers, strict=True)),
    }


def tidy(pairs: Pairs, tests: list[str], columns: dict[str, np.ndarray]) -> pd.DataFrame:
    """Return the comparisons frame: the labels of the shown pairs, then the columns."""
    head = pair_labels(pairs, len(tests))
    rows = int(pairs.against.sum())
    kinds = list(dict.fromkeys(tests))
    measure = np.repeat(np.arange(len(tests)), rows)
    head["measure"] = labels(pd.Index(pairs.source.measures), measure)
    head["test"] = labels(pd.Index(kinds), np.array([kinds.index(kind) for kind in tests])[measure])
    return pd.DataFrame({**head, **columns}, copy=False)


def pair_labels(pairs: Pairs, times: int) -> dict[str, Any]:
    """Return the run columns of both sides of the shown pairs, repeated for each of `times` measures."""
    sides = (("a", pairs.a[pairs.against]), ("b", pairs.b[pairs.against]))
    runs = pairs.source.runs
    return {
        f"{name}_{side}": repeated(runs[name], np.tile(rows, times)) for side, rows in sides for name in runs.columns
    }


def repeated(column: pd.Series, rows: np.ndarray) -> Any:
    """Return the rows of a column as labels; its values may repeat, as a model's do over seeds.

    Examples
    --------
    >>> list(repeated(pd.Series(["lm", "lm", "bm25"]), np.array([0, 2, 1])))
    ['lm', 'bm25', 'lm']
    """
    codes, values = pd.factorize(column)
    return labels(pd.Index(values), codes[rows])


def family_of(family: str | None, baseline: Any) -> str:
    """Return the family that is corrected together."""
    if family is None:
        return "measure" if baseline is None else "baseline"
    family = choose(family, "family", ("measure", "baseline", "all"), {})
    if family == "baseline" and baseline is None:
        raise ValueError("family='baseline' needs a baseline: pass baseline=<run id>, or family='measure'.")
    return family


def check_share(name: str, value: float) -> None:
    """Raise unless 0 < value < 1."""
    if not 0 < value < 1:
        raise ValueError(f"{name} must lie between 0 and 1, found {value!r}.")
