"""Summaries, comparisons and orders of runs that rest on few labels by people and many by a machine."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from pdeval.catalog.known import aggregate_of
from pdeval.evaluate.cube import Scores
from pdeval.evaluate.two_labels import TwoLabels, held_twice
from pdeval.kinds.labels import labels
from pdeval.kinds.schemas import table
from pdeval.kinds.tables import Table
from pdeval.mechanics import arguments
from pdeval.mechanics.arguments import TooFew
from pdeval.significance.compare import Family, _each_baseline, _family
from pdeval.significance.compared import Pairs, finite
from pdeval.significance.corrections import Correction, adjust, which_correction
from pdeval.significance.outcome import ratio
from pdeval.significance.prediction_powered import Powered, powered
from pdeval.significance.registry import PPI as TEST
from pdeval.verbs import verb

MEANS = {
    "n": "queries that people labelled",
    "n_machine": "queries that only the machine labelled",
    "lam": "lambda, how far the machine is trusted: 0 not at all",
    "effective_n": "how many queries people alone would have to label for an interval as narrow",
}
table(
    "powered_summary",
    "run measure n:int n_machine:int mean:float ci_low:float ci_high:float human:float machine:float lam:float "
    "df:float effective_n:float",
    "summary with machine labels",
    known_by="measure mean n_machine effective_n",
    row="run and measure",
    sort="run",
    means={
        **MEANS,
        "mean": "the prediction-powered estimate of the mean over queries, by people's labels",
        "human": "the mean of the n queries by people alone",
        "machine": "the mean of all queries by the machine alone, right or wrong",
        "df": "degrees of freedom of the interval",
    },
    unreported="report the scores themselves, which have .report()",
    undrawn="draw its columns mean, ci_low and ci_high",
)


@verb(on="powered_scores", gives="powered_summary", name="summary", core=True)
def powered_summary(held: Table, measures: object = None, *, confidence: float = 0.95) -> pd.DataFrame:
    """Return the mean of each run and measure by people's labels, made sharper by a machine's.

    The interval is valid whatever the machine is worth, where the queries that people labelled are a random sample of
    all: it is about the mean that people would give. See `pdeval.significance.prediction_powered`.

    Parameters
    ----------
    measures : str, Measure, or list of them, optional
        Which of the table's measures; by default all.
    confidence : float
        Of the interval.

    Examples
    --------
    >>> import pdeval
    >>> runs, machine, _ = pdeval.datasets.load_sample()
    >>> human = machine[machine["query_id"].astype(int) < 121]  # a perfect machine, and people who labelled 19 queries
    >>> scores = runs.ireval.measure(human, "AP", machine=machine, topics="common")
    >>> scores.ireval.summary()[["run", "n", "n_machine", "mean", "ci_low", "ci_high", "effective_n"]].head(2).round(3)
            run   n  n_machine   mean  ci_low  ci_high  effective_n
    0      bm25  19         29  0.324   0.279    0.368         48.0
    1  bm25+rm3  19         29  0.335   0.286    0.384         48.0
    """
    return summed_up(held_twice(held, measures), confidence)


def summed_up(found: TwoLabels, confidence: float = 0.95) -> pd.DataFrame:
    """Return the summary of two cubes of scores."""
    arguments.share("confidence", confidence)
    n_measures, n_runs = len(found.measures), len(found.runs)
    parts = [of_measure(found, number) for number in range(n_measures)]
    run, measure = np.divmod(np.arange(n_runs * n_measures), n_measures)
    columns: dict[str, Any] = {name: labels(found.runs[name], run) for name in found.runs.columns}
    columns["measure"] = labels(pd.Index(found.measures), measure)
    low, high = zip(*(part.interval(confidence) for part in parts), strict=True)
    made = {"ci_low": low, "ci_high": high}
    for name in ("n", "n_machine", "mean", "ci_low", "ci_high", "human", "machine", "lam", "df", "effective_n"):
        each = made.get(name) or [getattr(part, name) for part in parts]
        columns[name] = np.stack(each, axis=1).ravel()
    frame = pd.DataFrame(columns)
    frame.attrs.update({**found.attrs, "confidence": confidence})
    return frame


def of_measure(found: TwoLabels, measure: int) -> Powered:
    """Return the estimates of all runs by a measure."""
    label = found.measures[measure]
    _means_only(label, found.attrs)
    human, machine = finite(found.people.values[measure], label), finite(found.judge.values[measure], label)
    made = powered(human, machine, probability=found.probability)
    few = np.flatnonzero((made.n < 2) | (made.n_machine < 2))
    if len(few):
        name = " / ".join(map(str, found.runs.iloc[few[0]]))
        raise TooFew(
            f"{name!r} has {made.n[few[0]]} queries by people and {made.n_machine[few[0]]} by the machine alone of "
            f"{label!r}; two of each are needed."
        )
    return made


def _means_only(label: str, attrs: Any) -> None:
    way = aggregate_of(label, attrs)
    if way != "mean":
        raise ValueError(f"{label} is a {way} over queries; machine labels sharpen means. Choose another measure.")


@verb(
    on=("powered_scores", "powered_preferences"),
    gives="comparisons",
    name="compare",
    core=True,
    independent="always",
)
def powered_compare(
    held: Table,
    measures: object = None,
    *,
    test: str | None = None,
    correction: Correction | None = "bonferroni",
    baseline: object = None,
    alpha: float = 0.05,
    family: Family | None = None,
    confidence: float = 0.95,
) -> pd.DataFrame:
    """Return one row per measure and pair of runs: the difference by people's labels, made sharper by a machine's.

    Parameters
    ----------
    measures : str, Measure, or list of them, optional
        Which of the table's measures; by default all.
    test : {'ppi'}, optional
        Student's test of the prediction-powered difference, with a lambda of its own for every pair.
    correction : str or None
        As in `compare` of a scores table.
    baseline : run, tuple of ids, or list of them, optional
        Only pairs of a run with this one, which is then `run_b`.
    alpha : float
        `significant` is `p_adjusted < alpha`.
    family : {'measure', 'baseline', 'all'}, optional
        What is corrected together, as in `compare` of a scores table.
    confidence : float
        Of the interval.

    Notes
    -----
    `difference` has a lambda of its own and is not quite `mean_a - mean_b`.

    Examples
    --------
    >>> import pdeval
    >>> runs, machine, _ = pdeval.datasets.load_sample()
    >>> human = machine[machine["query_id"].astype(int) < 121]
    >>> found = runs.ireval.compare(human, "AP", machine=machine, baseline="bm25", topics="common")
    >>> found[["run_a", "test", "n", "n_machine", "difference", "p_adjusted", "effective_n"]].head(2).round(3)
          run_a test   n  n_machine  difference  p_adjusted  effective_n
    0  bm25+rm3  ppi  19         29       0.011       1.000       46.860
    1  dense-s1  ppi  19         29       0.108       0.001       47.855
    """
    return compared_twice(
        held_twice(held, measures),
        test=test,
        correction=correction,
        baseline=baseline,
        alpha=alpha,
        family=family,
        confidence=confidence,
    )


def compared_twice(
    found: TwoLabels,
    *,
    test: str | None = None,
    correction: str | None = "bonferroni",
    baseline: object = None,
    alpha: float = 0.05,
    family: str | None = None,
    confidence: float = 0.95,
) -> pd.DataFrame:
    """Return the comparisons of two cubes of scores or preferences."""
    alpha, confidence = arguments.share("alpha", alpha), arguments.share("confidence", confidence)
    if test not in (None, "default", TEST):
        raise ValueError(
            f"test={test!r} knows one value a query; with machine labels there is test='{TEST}'. People's labels alone "
            f"are tested without machine=."
        )
    name, together = which_correction(correction), _family(family, baseline)
    parts: list[pd.DataFrame] = []
    for base in _each_baseline(found.runs, baseline):
        people = Pairs.of(found.people, baseline=base, others=together == "measure")
        judge = Pairs.of(found.judge, baseline=base, others=together == "measure")
        for number, label in enumerate(found.measures):
            columns = _of_pairs(found, people, judge, number, confidence)
            head = people.columns(1) | {"measure": label, "test": TEST}
            adjusted = columns["p_value"]
            if together != "all":
                adjusted = adjust(adjusted, np.zeros(len(people), np.int64), correction=name, alpha=alpha)
            columns["p_adjusted"], columns["significant"] = adjusted, adjusted < alpha
            shown = {key: values[people.against] for key, values in columns.items()}
            parts.append(pd.DataFrame({**head, **shown}))
    frame = pd.concat(parts)
    if together == "all":
        p = frame["p_value"].to_numpy()
        frame["p_adjusted"] = adjust(p, np.zeros(len(p), np.int64), correction=name, alpha=alpha)
        frame["significant"] = frame["p_adjusted"] < alpha
    order = np.argsort(pd.factorize(frame["measure"])[0], kind="stable")  # measure by measure, whatever the baseline
    frame = frame.iloc[order].reset_index(drop=True)
    frame.attrs.update(found.attrs)
    frame.attrs.update(correction=name, family=together, alpha=alpha, confidence=confidence)
    return frame


def _of_pairs(found: TwoLabels, people: Pairs, judge: Pairs, measure: int, confidence: float) -> dict[str, np.ndarray]:
    """Return the columns of one measure: one value per pair."""
    label = found.measures[measure]
    _means_only(label, found.attrs)
    columns: dict[str, np.ndarray] = {}
    means = of_measure(found, measure).mean if isinstance(found.judge, Scores) else None
    for (numbers, human), (_, machine) in zip(people.blocks(measure), judge.blocks(measure), strict=True):
        made = powered(human, machine, probability=found.probability)
        few = np.flatnonzero((made.n < 2) | (made.n_machine < 2))
        if len(few):
            raise TooFew(
                f"the pair {people.name(int(numbers[few[0]]))} has {made.n[few[0]]} queries by people and "
                f"{made.n_machine[few[0]]} by the machine alone of {label!r}; two of each are needed."
            )
        low, high = made.interval(confidence)
        nothing = np.full(len(numbers), np.nan)
        part = {
            "n": made.n.astype(np.int64),
            "mean_a": nothing if means is None else means[people.a[numbers]],
            "mean_b": nothing if means is None else means[people.b[numbers]],
            "difference": made.mean,
            "ci_low": low,
            "ci_high": high,
            "effect_size": ratio(made.mean, made.human_sd),
            "statistic": made.statistic,
            "p_value": made.p_value,
            "p_adjusted": nothing,
            "significant": np.zeros(len(numbers), bool),
            "df": made.df,
            "n_machine": made.n_machine.astype(np.int64),
            "lam": made.lam,
            "effective_n": made.effective_n,
        }
        for key, values in part.items():
            columns.setdefault(key, np.empty(len(people), dtype=values.dtype))[numbers] = values
    return columns
