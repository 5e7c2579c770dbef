"""Margins, plans, posteriors, segments and families over groups by simulation; data sets are measures of one table."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd
from scipy import optimize, stats

import pdeval  # noqa: F401
from pdeval.significance.compare import compare
from pdeval.significance.equivalence import correlated_t, signed_rank
from pdeval.significance.noninferiority import queries_for_margin
from tests.statistics.findings import Finding, counted
from tests.statistics.intervals import cube_of

CASES = 400
NAMES = {"run": "r", "measure": "x"}
HOLM = "Holm's correction of dependent tests"
UNEQUAL = "differences have unequal variances, but the test assumes one"
GATE = "rows of a requirement are dependent"


def margins() -> Iterator[Finding]:
    """Yield how often a loss as large as the margin is called acceptable, and the power of planned numbers."""
    rng, n, margin = np.random.default_rng(30), 50, 1.0
    for runs, cases in ((1, 5 * CASES), (9, CASES)):
        values = rng.normal(size=(cases, n, 1)) + rng.normal(size=(cases, n, 1 + runs))
        values[:, :, 1:] -= margin
        options = {"baseline": "r00000", "margin": margin, "draws": 1000, "progress": False}
        found = compare(cube_of(values), test="t", **options)
        for name in ("noninferior", "equivalent"):
            wrong = found[name].groupby(found["measure"], observed=True).any().to_numpy()
            shape = f"{runs} runs worse by the margin"
            yield Finding(f"compare(margin=), {name}", shape, n, *counted(wrong), 0.05)
    for kind, name in (("noninferiority", "noninferior"), ("equivalence", "equivalent")):
        needed = int(queries_for_margin(np.zeros(1), np.array([0.4]), 0.8, 0.05, kind).item())
        drawn = rng.normal(size=(1, needed, 4001))
        drawn[:, :, 0] = 0.0
        options = {"baseline": "r00000", "margin": 0.4, "correction": None, "draws": 1}
        hits = counted(compare(cube_of(drawn), test="t", **options)[name].to_numpy())
        shape = "no difference, margin of 0.4 sd"
        yield Finding(f"power.sample_size, {kind}", shape, needed, *hits, 0.8, True)


def posteriors() -> Iterator[Finding]:
    """Yield how often "better" is 95% probable at the border to "equivalent".

    The border of the mean is the rope. That of the signed-rank posterior is the shift at which as many means of two
    differences are within the rope as above it.
    """
    rng, n, rope = np.random.default_rng(31), 40, 0.5
    D = rng.normal(size=(n, 5 * CASES))
    spread = np.sqrt(0.5)  # of the mean of two differences

    def excess(shift: float) -> float:
        above, below = stats.norm.sf(rope, shift, spread), stats.norm.cdf(-rope, shift, spread)
        return float(2 * above + below - 1)

    border = optimize.brentq(excess, 0, 1)
    what, shape = "equivalence, better above 95%", "normal, at the border of the rope"
    better = correlated_t(D + rope, rope)[2]
    yield Finding(f"{what}, correlated_t", shape, n, *counted(better > 0.95), 0.05)
    better = signed_rank(D + border, rope, 0.5, 500, 0, progress=False)[2]
    yield Finding(f"{what}, signed_rank", shape, n, *counted(better > 0.95), 0.05)


def _scores(
    rng: np.random.Generator, runs: int, groups: int, queries: int, cases: int
) -> pd.DataFrame:
    """Return scores of equal runs in groups of queries; every measure is a data set."""
    shape = (cases, groups * queries, runs)
    values = rng.normal(size=(*shape[:2], 1)) + rng.normal(size=shape)
    case, query, run = (axis.ravel() for axis in np.indices(shape))
    columns = {"group": query // queries, "run": run, "query_id": query, "measure": case}
    frame = pd.DataFrame({**columns, "value": values.ravel()})
    names = {name: frame[name].map(f"{letter}{{}}".format) for name, letter in NAMES.items()}
    return frame.assign(**names)


def _together(
    found: pd.DataFrame, what: str, shape: str, n: int, known: tuple[str, ...], prefix: str = ""
) -> Iterator[Finding]:
    """Yield the family-wise error of each measure, and the simultaneous coverage of 0."""
    low, high = ("gap_low", "gap_high") if prefix else ("ci_low", "ci_high")
    inside = found[low].le(0) & found[high].ge(0)
    by = found["measure"]
    wrong = found[f"{prefix}significant"].groupby(by, observed=True).any().to_numpy()
    yield Finding(what, shape, n, *counted(wrong), 0.05, False, *known)
    every = counted(inside.groupby(by, observed=True).all().to_numpy())
    yield Finding(f"{what}, all intervals", shape, n, *every, 0.95, True, *known)


def groups() -> Iterator[Finding]:
    """Yield the errors of segments, and those of comparisons corrected over all groups."""
    rng = np.random.default_rng(32)
    known = ("conservative", HOLM)
    frame = _scores(rng, 4, 3, 20, CASES)
    scores = frame.ireval(higher=dict.fromkeys(frame["measure"].unique(), True))
    found = scores.segments(by="group", baseline="r0")
    shape = "3 segments, 3 equal runs and a baseline"
    yield from _together(found, "segments, differences", shape, 60, known)
    yield from _together(found, "segments, gaps", shape, 60, known, "gap_")
    options = {"by": "group", "family": "groups", "draws": 500, "progress": False}
    shape = "3 collections, 3 equal runs and a baseline"
    found = scores.compare(baseline="r0", **options)
    yield from _together(found, "compare(family='groups')", shape, 60, ())
    shape = "3 collections, all pairs of 4 equal runs"
    found = scores.compare(**options)
    yield from _together(found, "compare(family='groups')", shape, 60, ())


def measures_together() -> Iterator[Finding]:
    """Yield the errors of comparisons on three correlated measures that are corrected together."""
    rng, n, runs = np.random.default_rng(33), 50, 10
    for baseline, shape in (("r00000", "baseline"), (None, "all pairs")):
        wrong, inside = np.zeros((2, CASES), dtype=bool)
        for case in range(CASES):
            values = rng.normal(size=(1, n, runs)) + rng.normal(0, 0.5, (3, n, runs))
            options = {"baseline": baseline, "family": "all", "draws": 500, "progress": False}
            found = compare(cube_of(values), test="t", correction="max-t", seed=case, **options)
            wrong[case] = found["significant"].any()
            inside[case] = (found["ci_low"].le(0) & found["ci_high"].ge(0)).all()
        shape = f"{shape} of {runs} runs, 3 measures with correlation .8"
        yield Finding("compare(family='all')", shape, n, *counted(wrong), 0.05)
        what = "compare(family='all'), all intervals"
        yield Finding(what, shape, n, *counted(inside), 0.95, True)


def corrections() -> Iterator[Finding]:
    """Yield the errors of tests of one pair with the correction for all pairs that is their default."""
    rng, n, runs = np.random.default_rng(34), 40, 6
    cube = cube_of(rng.normal(size=(CASES, n, 1)) + rng.normal(size=(CASES, n, runs)))
    for test in ("t", "wilcoxon", "sign", "randomization"):
        found = compare(cube, test=test, correction="holm", draws=2000, progress=False)
        call, shape = f"compare(test={test!r}, correction='holm')", f"all pairs of {runs} runs"
        yield from _together(found, call, shape, n, ("conservative", HOLM))


def unequal_variances() -> Iterator[Finding]:
    """Yield the errors of analytic tests and of max-t if the scores of runs have different variances."""
    rng, n, runs = np.random.default_rng(35), 50, 10
    spread = np.linspace(0.5, 1.5, runs)
    cube = cube_of(rng.normal(size=(CASES, n, 1)) + spread * rng.normal(size=(CASES, n, runs)))
    shape = f"{runs} runs, standard deviations from 0.5 to 1.5"
    for baseline, test in (("r00000", "dunnett"), ("r00009", "dunnett"), (None, "tukey")):
        which = {"r00000": ", smallest of the baseline", "r00009": ", largest of the baseline"}
        for name, correction in ((test, "none"), ("t", "max-t")):
            found = compare(cube, test=name, correction=correction, baseline=baseline, draws=1000)
            call = f"compare(test={name!r})" if name == test else "compare(correction='max-t')"
            safe = baseline == "r00000"
            known = ("conservative" if safe else "liberal", UNEQUAL) if name == test else ()
            yield from _together(found, call, shape + which.get(str(baseline), ""), n, known)


def gates() -> Iterator[Finding]:
    """Yield how often a gate passes any loss as large as the margin, and fails without any loss."""
    rng = np.random.default_rng(36)
    for requirement, loss in (("noninferiority", 1.0), ("no_loss", 0.0)):
        wrong = np.zeros(CASES, dtype=bool)
        for case in range(CASES):
            frame = _scores(rng, 2, 3, 20, 2)
            frame["value"] -= loss * (frame["run"] == "r1")
            scores = frame.ireval(higher={"x0": True, "x1": True})
            options = {"margin": loss or None, "by": "group", "draws": 500, "progress": False}
            passed = scores.gate("r1", "r0", seed=case, **options)["passed"]
            wrong[case] = passed.any() if loss else not passed.all()
        shape = "2 measures, 3 groups of 20 queries"
        hits = counted(wrong)
        yield Finding(f"gate, {requirement}", shape, 60, *hits, 0.05, False, "conservative", GATE)


CELLS: tuple[Callable[[], Iterator[Finding]], ...] = (
    margins,
    posteriors,
    groups,
    measures_together,
    corrections,
    unequal_variances,
    gates,
)
