"""The gate of a continuous evaluation: may a candidate replace the baseline?"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd

from pdeval.catalog import parse_all
from pdeval.evaluate import MEASURES, ScoresLike, grouped_cube, new_seed, place_of, sources
from pdeval.significance.compare import MAX_T_QUERIES
from pdeval.significance.corrections import (
    JOINT_CORRECTIONS,
    MAX_T,
    JointCorrection,
    single_step_level,
    which_correction,
)
from pdeval.significance.max_t import maxima
from pdeval.significance.noninferiority import against_margin, margin_of, queries_for_margin
from pdeval.significance.paired_differences import Pairs
from pdeval.tables import describe, ratio, table
from pdeval.verbs import verb

Requirement = Literal["no_loss", "noninferiority"]
NO_LOSS, NONINFERIORITY = REQUIREMENTS = ("no_loss", "noninferiority")

table(
    "gates",
    "measure requirement n:int candidate:float baseline:float difference:float lower:float upper:float limit:float "
    "p_value:float queries_needed:float passed:bool conclusion",
    "gate",
    recognized_by="measure requirement limit passed conclusion",
    row="measure and group",
    sort="measure",
    then=".report()",
    means={
        "requirement": "'noninferiority': the loss must be shown to be below the limit; 'no_loss': it must not be "
        "significant",
        "n": "number of queries that both runs have",
        "candidate": "mean of the candidate in the measure's own unit; missing for preferences",
        "baseline": "mean of the baseline",
        "difference": "positive if the candidate is better, also if lower values of the measure are better",
        "lower": "lower limit of the difference at one-sided level alpha, simultaneous over rows of a requirement",
        "upper": "upper limit of the difference at one-sided level alpha",
        "limit": "largest loss that is acceptable, as a negative difference",
        "p_value": "corrected one-sided p-value: of a loss beyond the limit for 'noninferiority', of no loss for "
        "'no_loss'",
        "queries_needed": "number of queries that show non-inferiority with the required power if there is no loss",
        "passed": "whether the requirement is met",
        "conclusion": "the result in words",
    },
    no_plot="it is a list of conclusions; draw .compare(margin=...)",
)


@verb(
    on=("scores", "preferences", "judged"),
    returns="gates",
    command=True,
    other_names={"noninferiority": "gate(margin=...)", "regression": "gate()"},
)
def gate(
    data: ScoresLike,
    candidate: object,
    baseline: object,
    measures: object = MEASURES,
    *,
    margin: float | str | None = None,
    require: Requirement | None = None,
    protect: str | Sequence[str] | None = None,
    by: str | Sequence[str] | None = None,
    metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
    correction: JointCorrection | None = "auto",
    alpha: float = 0.05,
    power: float = 0.8,
    draws: int = 10_000,
    seed: int | None = 0,
    progress: bool | None = None,
) -> pd.DataFrame:
    """Return, per measure and group of queries, whether a candidate may replace the baseline, and why.

    Parameters
    ----------
    candidate : run
        Run that is to replace the baseline.
    baseline : run
        Run that is in use.
    margin : float or str, optional
        Largest loss that is acceptable: a difference in the unit of the measure, or a percentage of the mean of the
        baseline such as '2%'. By default 0.
    require : {'noninferiority', 'no_loss'}, optional
        'noninferiority': a row passes if the loss is significantly below the margin; too few queries do not pass.
        'no_loss': a row passes unless the loss is significantly beyond the margin; too few queries pass. By default
        'noninferiority' with a margin, else 'no_loss'.
    protect : str or list of str, optional
        Further measures that must not lose significantly ('no_loss' without a margin).
    by : str or list of str, optional
        Column(s) that identify groups of queries. All rows with the same requirement are corrected together.
    metadata : DataFrame or list of them, optional
        Table(s) with one row per query, whose columns can be used in `by`.
    correction : str or None
        ... 'auto' is 'max-t' if all groups have at least 8 queries, else 'holm'.
    alpha : float
        One-sided significance level.
    power : float
        Probability with which `queries_needed` queries show non-inferiority if there is no loss.

    Raises
    ------
    ValueError
        The candidate is the baseline; non-inferiority without a margin.
    KeyError
        The candidate or the baseline is not among the runs.

    Notes
    -----
    Tests are one-sided paired t-tests, as in `compare(margin=...)`. On the command line, `pdeval gate` ends with status
    0 if all rows passed, 1 if one did not, and 2 for any error.

    Examples
    --------
    >>> import pdeval
    >>> judged = pdeval.datasets.sample_judged(queries="common")
    >>> rows = judged.gate("hybrid", "bm25", "AP", margin="5%", protect="P@10")
    >>> rows[["measure", "requirement", "difference", "lower", "limit", "passed"]].round(3)
      measure     requirement  difference  lower  limit  passed
    0      AP  noninferiority       0.175  0.133 -0.016    True
    1    P@10         no_loss       0.148  0.099  0.000    True
    >>> judged.gate("bm25+rm3", "bm25", "AP", margin=0.005)["conclusion"].item()
    'not enough queries: n needed is 2571, found 48; the loss may be up to 0.0132 (limit 0.005)'
    """
    usual = require or (NO_LOSS if margin is None else NONINFERIORITY)
    if usual == NONINFERIORITY and margin is None:
        raise ValueError(
            "require='noninferiority' needs margin=, the largest loss that is acceptable, e.g. margin='2%'."
        )
    name = which_correction(correction, JOINT_CORRECTIONS)
    options = {"draws": draws, "seed": new_seed() if seed is None else seed, "progress": progress}
    requested, protected = _requested(measures, protect)
    cells = _cells(data, requested, candidate, baseline, by, metadata)
    is_protected = np.isin(cells.labels, protected)
    requirement = np.where(is_protected, NO_LOSS, usual)
    limit = np.zeros(len(requirement))
    if margin is not None:
        for label in set(cells.labels[~is_protected]):
            rows = (cells.labels == label) & ~is_protected
            limit[rows] = margin_of(margin, cells.baseline[rows], label)
    n, mean, _ = describe(cells.D)
    columns = _tested(cells.D, requirement, limit, name, alpha, power, options)
    frame = pd.DataFrame(
        {
            **cells.groups,
            "measure": cells.labels,
            "requirement": requirement,
            "n": n,
            "candidate": cells.candidate,
            "baseline": cells.baseline,
            "difference": mean,
            "lower": columns["lower"],
            "upper": columns["upper"],
            "limit": 0.0 - limit,
            "p_value": columns["p_value"],
            "queries_needed": columns["needed"],
            "passed": np.where(requirement == NO_LOSS, ~columns["lost"], columns["shown"]),
        }
    )
    frame["conclusion"] = [
        _conclusion(row, columns["lost"][i]) for i, row in enumerate(frame.itertuples())
    ]
    frame.attrs = {
        **cells.attrs,
        "correction": columns["correction"],
        "alpha": alpha,
        "candidate": str(candidate),
        "baseline": str(baseline),
        **({} if by is None else {"by": [by] if isinstance(by, str) else list(by)}),
    }
    return frame


class Cells(NamedTuple):
    """The comparisons of a gate: one column of differences (queries, cells) per measure and group, and their labels."""

    D: np.ndarray
    labels: np.ndarray
    groups: dict[str, Any]
    candidate: np.ndarray
    baseline: np.ndarray
    attrs: dict[Any, Any]


def _requested(measures: object, protect: object) -> tuple[object, list[str]]:
    """Return all measures to evaluate, and the labels of the protected ones."""
    if protect is None:
        return measures, []
    texts = [protect] if isinstance(protect, str) else list(protect)  # type: ignore[call-overload]
    protected = parse_all(texts)
    wanted = parse_all(MEASURES if measures is None else measures)
    labels = [one.label for one in protected]
    return [*(one for one in wanted if one.label not in labels), *protected], labels


def _cells(
    data: ScoresLike,
    measures: object,
    candidate: object,
    baseline: object,
    by: object,
    metadata: Any,
) -> Cells:
    """Return the differences between candidate and baseline, one column per measure and group."""
    if by is None:
        cubes: list[Any] = list(sources(data, measures))
        slices, labels = [slice(None)], pd.DataFrame()
    else:
        grouped = grouped_cube(data, measures, by, metadata=metadata)
        cubes = [grouped.source]
        slices, labels = list(grouped.slices()), grouped.by
    queries = cubes[0].queries
    for cube in cubes[1:]:
        queries = queries.union(cube.queries, sort=False)
    parts, names, sides = [], [], []
    for cube in cubes:
        rows = [
            place_of(cube.runs, one, what)
            for one, what in ((candidate, "candidate"), (baseline, "baseline"))
        ]
        if rows[0] == rows[1]:
            raise ValueError(
                f"the candidate {candidate!r} is the baseline. Pass two different runs."
            )
        pairs = Pairs.of(cube, baseline=tuple(cube.runs.iloc[rows[1]]))
        kept = pairs.a == rows[0]
        columns = ("a", "b", "kept", "flipped", "against")
        pairs = replace(pairs, **{name: getattr(pairs, name)[kept] for name in columns})
        at = queries.get_indexer(cube.queries)
        for measure, name in enumerate(cube.measures):
            for numbers, D in pairs.blocks(measure):
                for part in slices:
                    values = np.full(len(queries), np.nan)
                    values[at[part]] = D[part, 0]
                    parts.append(values)
                    names.append(name)
                    with np.errstate(invalid="ignore"):
                        counted = ~np.isnan(values[at])[:, None]
                        sides.append(pairs.sides(measure, numbers, counted))
    group = np.tile(np.arange(len(slices)), len(names) // len(slices))
    return Cells(
        np.stack(parts, axis=1),
        np.array(names, dtype=object),
        {str(name): labels[name].array.take(group) for name in labels},
        np.array([one[0][0] for one in sides]),
        np.array([one[1][0] for one in sides]),
        cubes[0].attrs,
    )


def _tested(
    D: np.ndarray,
    requirement: np.ndarray,
    margin: np.ndarray,
    correction: str,
    alpha: float,
    power: float,
    options: dict[str, Any],
) -> dict[str, Any]:
    """Return limits, p-values and conclusions of all columns; rows with one requirement are one family."""
    n, mean, sd = describe(D)
    testable = n > 1
    if correction == "auto":
        enough = testable.any() and n[testable].min() >= MAX_T_QUERIES
        correction = MAX_T if enough else "holm"
    result: dict[str, Any] = {
        name: np.full(len(n), np.nan) for name in ("lower", "upper", "p_value", "needed")
    }
    result |= {name: np.zeros(len(n), dtype=bool) for name in ("lost", "shown")}
    result["correction"] = correction
    for kind in REQUIREMENTS:
        rows = np.flatnonzero(testable & (requirement == kind))
        if not len(rows):
            continue
        se = sd[rows] / np.sqrt(n[rows])
        family: dict[str, Any] = {
            "correction": correction,
            "family": np.zeros(1, dtype=int),
            "size": np.array([len(rows)]),
            "alpha": alpha,
            "few": MAX_T_QUERIES,
        }
        drawn = {}
        if correction == MAX_T and len(rows) > 1:
            drawn[0] = maxima(D[:, rows], one_sided=True, **options)
        part = {"n": n[rows], "difference": mean[rows], "se": se}
        kept = against_margin([part], [margin[rows]], drawn, **family)[0]
        # a loss beyond the margin is a gain of the baseline of more than the margin
        turned = {**part, "difference": 0.0 - mean[rows]}
        lost = against_margin([turned], [0.0 - margin[rows]], drawn, **family)[0]
        result["shown"][rows] = kept["noninferior"]
        result["lost"][rows] = lost["noninferior"]
        result["lower"][rows] = kept["lower"]
        result["upper"][rows] = 0.0 - lost["lower"]
        tested = kept if kind == NONINFERIORITY else lost
        result["p_value"][rows] = tested["p_noninferior"]
        if kind == NONINFERIORITY:
            level = single_step_level(
                "holm" if correction == MAX_T else correction, alpha, len(rows)
            )
            width = ratio(margin[rows], sd[rows])
            result["needed"][rows] = queries_for_margin(np.zeros(len(rows)), width, power, level)
    return result


def _conclusion(row: Any, lost: bool) -> str:
    """Return the result of one row in words."""
    limit = f" (limit {0.0 - row.limit:.3g})" if row.limit < 0 else ""
    if row.n < 2:
        return f"not enough queries: n needed is at least 2, found {row.n}"
    if row.requirement == NO_LOSS:
        if lost:
            return f"significant loss of at least {0.0 - row.upper:.3g}{limit}"
        if row.lower <= 0:
            return f"no significant loss; it may be up to {0.0 - row.lower:.3g}{limit}"
    if row.passed and row.lower > 0:
        return f"better by at least {row.lower:.3g}{limit}"
    loss = f"{max(0.0 - row.lower, 0.0):.3g}"
    if row.passed:
        return f"not inferior: the loss is at most {loss}{limit}"
    if lost:
        return f"inferior: the loss is at least {0.0 - row.upper:.3g}{limit}"
    if row.n < row.queries_needed:
        return (
            f"not enough queries: n needed is {row.queries_needed:.0f}, found {row.n}; the loss may be up to "
            f"{loss}{limit}"
        )
    return f"non-inferiority is not shown: the loss may be up to {loss}{limit}"
