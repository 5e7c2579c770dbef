"""Significance tests: their declarations, looked up by name, and their results.

    @pdeval.test(reference="Smucker, Allan and Carterette 2007")
    def mine(differences): ...          one p-value per column, or a result of scipy

A test is pairwise, or a joint test of all runs; family-wise tests are joint.
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, TypeVar, overload

import numpy as np
import pandas as pd

from pdeval.catalog import default_test
from pdeval.significance.corrections import adjust, single_step_level
from pdeval.tables import NOISE, describe, ratio
from pdeval.verbs import Registry, first_line, lookup, special

BLOCK = 2**17  # differences (queries x pairs) in memory at a time


@dataclass(frozen=True, eq=False)
class Outcome:
    """One value per pair: number of queries, mean difference, an interval, effect, statistic, p-value.

    The sign of the effect size is the direction of the test: positive if it favors run a, regardless of the mean.
    The interval is that of the estimate, which is the mean difference unless `estimate` has another one.
    `more` has the columns of the comparisons that only some tests have.
    """

    n: np.ndarray
    mean: np.ndarray
    ci_low: np.ndarray
    ci_high: np.ndarray
    effect_size: np.ndarray
    statistic: np.ndarray
    p_value: np.ndarray
    more: dict[str, np.ndarray] = field(default_factory=dict)
    estimate: np.ndarray | None = None

    def columns(
        self, mean_a: np.ndarray, mean_b: np.ndarray, limits: tuple[Any, Any]
    ) -> dict[str, np.ndarray]:
        """Return the columns of the comparisons; intervals are clipped to the limits of a difference.

        Intervals of mean ranks have no limits of the measure.
        """
        limits = (-np.inf, np.inf) if "rank_a" in self.more else limits
        return {
            "n": self.n.astype(np.int64),
            "mean_a": mean_a,
            "mean_b": mean_b,
            "difference": self.mean,
            **({} if self.estimate is None else {"estimate": self.estimate}),
            "ci_low": np.clip(self.ci_low, *limits),
            "ci_high": np.clip(self.ci_high, *limits),
            "effect_size": self.effect_size,
            "statistic": self.statistic,
            "p_value": self.p_value,
            **self.more,
        }


def with_correction(
    columns: dict[str, np.ndarray], adjusted: np.ndarray, alpha: float, *, agree: bool = False
) -> dict[str, np.ndarray]:
    """Return the columns with the corrected p-values after the p-values; columns of some tests only come last.

    With `agree`, intervals agree with the verdicts; see `agreeing`.
    """
    names = list(columns)
    end = names.index("p_value") + 1
    corrected = {
        **{name: columns[name] for name in names[:end]},
        "p_adjusted": adjusted,
        "significant": adjusted < alpha,
        **{name: columns[name] for name in names[end:]},
    }
    return agreeing(corrected) if agree else corrected


def described_pairs(
    values: np.ndarray, a: np.ndarray, b: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return number, mean and standard deviation of the differences of each pair, from scores or preferences."""
    width = max(1, BLOCK // len(values))
    blocks = (slice(start, start + width) for start in range(0, len(a), width))
    parts = [
        describe(
            values[:, a[block]] - values[:, b[block]]
            if values.ndim == 2
            else values[:, a[block], b[block]]
        )
        for block in blocks
    ]
    n, mean, sd = map(np.concatenate, zip(*parts, strict=True))
    return n, mean, sd


def agreeing(
    columns: dict[str, np.ndarray], favored: np.ndarray | None = None
) -> dict[str, np.ndarray]:
    """Return the columns with intervals that agree with the verdicts.

    `favored` is positive if the test favors the first side, by default the direction of the test.

    The interval of a difference that is not significant includes 0; that of a significant one does not extend beyond
    0. Intervals of single-step corrections agree already, up to rounding. A stepwise correction may find a difference
    significant if the simultaneous interval of the single-step method that it refines includes 0: the interval then
    ends at 0. Its correction establishes the direction of the difference but not a distance from 0. Corrections that
    are stricter than the single-step method extend the interval to 0.

    Examples
    --------
    >>> columns = {"difference": np.array([0.2, 0.2]), "effect_size": np.array([0.5, 0.5]), "ci_low":
    ...            np.array([-0.1, 0.1]), "ci_high": np.array([0.4, 0.3]), "significant": np.array([True, False])}
    >>> agreeing(columns)["ci_low"].tolist()
    [0.0, 0.0]
    """
    low, high, significant = columns["ci_low"], columns["ci_high"], columns["significant"]
    sign = direction(columns) if favored is None else favored
    low = np.where(significant & (sign > 0), np.maximum(low, 0.0), low)
    high = np.where(significant & (sign < 0), np.minimum(high, 0.0), high)
    low = np.where(significant, low, np.minimum(low, 0.0))
    high = np.where(significant, high, np.maximum(high, 0.0))
    return {**columns, "ci_low": low, "ci_high": high}


def simultaneous(
    difference: np.ndarray,
    p_value: np.ndarray,
    interval: Callable[[float], Any],
    *,
    correction: str,
    alpha: float,
    confidence: float,
    limits: tuple[float, float] = (-np.inf, np.inf),
) -> dict[str, np.ndarray]:
    """Return the columns of one family of tests: simultaneous intervals, p-values, and verdicts that agree with them.

    Parameters
    ----------
    interval : callable
        Returns the lower and upper ends of the intervals at a confidence level.
    limits : tuple of float
        Smallest and largest possible difference.

    Examples
    --------
    >>> mean = np.array([0.2, 0.1])
    >>> made = simultaneous(mean, np.array([0.02, 0.04]), lambda level: (mean - level / 5, mean + level / 5),
    ...                     correction="holm", alpha=0.05, confidence=0.95)
    >>> made["ci_low"].round(3).tolist(), made["p_adjusted"].tolist(), made["significant"].tolist()
    ([0.005, 0.0], [0.04, 0.04], [True, True])
    """
    size = max(int(np.count_nonzero(~np.isnan(p_value))), 1)
    ends = interval(1 - single_step_level(correction, 1 - confidence, size))
    low, high = np.clip(ends, *limits)
    adjusted = adjust(p_value, correction=correction, alpha=alpha)
    columns = {
        "difference": difference,
        "ci_low": low,
        "ci_high": high,
        "p_value": p_value,
        "p_adjusted": adjusted,
        "significant": adjusted < alpha,
    }
    return agreeing(columns) if abs(confidence + alpha - 1) < NOISE else columns


def direction(comparisons: pd.DataFrame | Mapping[str, np.ndarray]) -> np.ndarray:
    """Return 1 for each comparison in which the test favors the first side, -1 for the second, 0 for neither.

    It is the sign of the effect size, which has that of the test's statistic: a rank or sign test may favor the run
    with the smaller mean. The sign of the difference if there is no effect size, NaN if both are missing.

    Examples
    --------
    >>> direction(pd.DataFrame({"difference": [-0.03, 0.1, -0.2], "effect_size": [0.8, 0.2, np.nan]})).tolist()
    [1.0, 1.0, -1.0]
    """
    mean = np.asarray(comparisons["difference"], dtype=float)
    effect = np.asarray(comparisons.get("effect_size", np.nan), dtype=float)
    return np.sign(np.where(np.isnan(effect), mean, effect))


def student_interval(
    n: np.ndarray, mean: np.ndarray, sd: np.ndarray, confidence: float | np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the ends of Student's t interval of a mean.

    Examples
    --------
    >>> low, high = student_interval(np.array([10]), np.array([1.0]), np.array([2.0]), 0.95)
    >>> round(low.item(), 4), round(high.item(), 4)
    (-0.4307, 2.4307)
    """
    with np.errstate(invalid="ignore"):  # infinite times 0
        half = special.stdtrit(n - 1, (1 + confidence) / 2) * sd / np.sqrt(n)
    half = np.where((sd == 0) & (n > 1), 0.0, half)
    return mean - half, mean + half


def student_test(n: np.ndarray, mean: np.ndarray, sd: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return Student's t of a mean and its two-sided p-value, which is NaN for a single value.

    Examples
    --------
    >>> t, p = student_test(np.array([10]), np.array([1.0]), np.array([2.0]))
    >>> round(t.item(), 4), round(p.item(), 4)
    (1.5811, 0.1483)
    """
    t = ratio(mean, sd / np.sqrt(n))
    return t, 2 * special.stdtr(n - 1, -np.abs(t))


def completed(
    returned: Any,
    described: Callable[[], tuple[np.ndarray, np.ndarray, np.ndarray]],
    *,
    name: str,
    pairs: int,
    confidence: float,
) -> Outcome:
    """Return the result of a test as an outcome; p-values without an interval and effect size are completed.

    Number, mean and interval (Student's) are those of the differences; the effect size is Cohen's d.

    Parameters
    ----------
    returned : Outcome, array, or (statistic, p-value)
        Result of the test, one value per pair.
    described : callable
        Returns number, mean and standard deviation of the differences; called only if needed.
    name : str
        Name of the test, for messages.
    pairs : int
        Number of pairs.
    confidence : float
        Confidence level of the interval.

    Examples
    --------
    >>> D = np.array([[0.1], [0.3], [0.2]])
    >>> completed([0.07], lambda: describe(D), name="mine", pairs=1, confidence=0.95).effect_size.round(3).tolist()
    [2.0]
    """
    if isinstance(returned, Outcome):
        return returned
    statistic: Any = None
    if hasattr(returned, "pvalue"):
        statistic, returned = getattr(returned, "statistic", None), returned.pvalue
    elif isinstance(returned, tuple) and len(returned) == 2:
        statistic, returned = returned
    p = np.asarray(returned, dtype=np.float64)
    if p.shape != (pairs,):
        raise ValueError(
            f"the test {name!r} returned p-values of shape {p.shape} for {pairs} pairs. Return one for each column of "
            "the differences: reduce axis 0, the queries."
        )
    wrong = p[~((p >= 0) & (p <= 1))]
    if len(wrong):
        raise ValueError(
            f"the test {name!r} returned {len(wrong):,} p-values outside [0, 1], e.g. {wrong[0]!r}. Return 1 for a "
            "pair without any difference."
        )
    n, mean, sd = described()
    statistic = (
        np.full(pairs, np.nan) if statistic is None else np.asarray(statistic, dtype=np.float64)
    )
    return Outcome(
        n, mean, *student_interval(n, mean, sd, confidence), ratio(mean, sd), statistic, p
    )


OPTIONS = ("confidence", "draws", "seed", "progress")
Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True, eq=False)
class SignificanceTest:
    """One declared test.

    Parameters
    ----------
    function : callable
        Function of the differences (queries, pairs); of a joint test, of the values of all runs and the runs of the
        pairs.
    family_wise : bool
        Whether the test accounts for all pairs of a measure, so its p-values are not corrected.
    scores_only : bool
        Whether a joint test requires a score per run and does not accept preferences.
    description : str
        Name of the test in footnotes.
    joint : bool
        Whether the test uses the values of all runs together, as every family-wise test does.
    machine : bool
        Whether the test takes the differences by human and by machine labels, and the probability of each query.
    family : {'measure', 'baseline'}
        Whether a family-wise test accounts for all pairs of a measure, or for the pairs with one baseline.
    """

    __test__: ClassVar[bool] = False  # not a test of pytest

    name: str
    function: Callable[..., Any]
    family_wise: bool = False
    scores_only: bool = False
    aliases: tuple[str, ...] = ()
    reference: str = ""
    description: str = ""
    joint: bool = False
    machine: bool = False
    family: str = "measure"

    @property
    def summary(self) -> str:
        """The first line of its docstring."""
        return first_line(self.function)

    @cached_property
    def options(self) -> tuple[str, ...]:
        """The options of the function among confidence, draws, seed and progress."""
        return tuple(
            name for name in inspect.signature(self.function).parameters if name in OPTIONS
        )

    @property
    def drawn(self) -> bool:
        """Whether it draws at random, so its result depends on draws and seed."""
        return "draws" in self.options

    def __call__(self, *arrays: Any, **options: Any) -> Any:
        """Call the function with the options that it has."""
        return self.function(
            *arrays, **{name: options[name] for name in self.options if name in options}
        )

    def result(self, *arrays: np.ndarray, confidence: float = 0.95, **options: Any) -> Outcome:
        """Return number, estimate, interval, effect size, statistic and p-value, one of each per pair."""
        described = described_pairs if self.joint else describe
        return completed(
            self(*arrays, confidence=confidence, **options),
            lambda: described(*arrays),
            name=self.name,
            pairs=arrays[-1].shape[-1],  # the differences have one column per pair, and `b` one run
            confidence=confidence,
        )


TESTS: Registry[SignificanceTest] = Registry("test")
# tests of human and machine labels; the first is the default
MACHINE_TESTS: Registry[SignificanceTest] = Registry("test")
WALD = "wald"  # test of differences of strengths, which only votes have


@overload
def significance_test(function: Function) -> Function: ...
@overload
def significance_test(
    *,
    name: str | None = None,
    family_wise: bool = False,
    scores_only: bool = False,
    aliases: Sequence[str] = (),
    reference: str = "",
    description: str = "",
    joint: bool = False,
    machine: bool = False,
    with_baseline: bool = False,
) -> Callable[[Function], Function]: ...
def significance_test(
    function: Callable[..., Any] | None = None,
    *,
    name: str | None = None,
    family_wise: bool = False,
    scores_only: bool = False,
    aliases: Sequence[str] = (),
    reference: str = "",
    description: str = "",
    joint: bool = False,
    machine: bool = False,
    with_baseline: bool = False,
) -> Any:
    """Declare a significance test for `compare(test=...)` and `discriminative_power(tests=...)`.

    Parameters
    ----------
    function : callable
        Function of an array of shape (queries, pairs): the difference between run a and run b, NaN if the query does
        not count for the pair. A joint test takes the scores (queries, runs) or preferences (queries, runs, runs) of
        all runs, without missing values, and the runs `a` and `b` of each pair. It returns one p-value per pair; or a
        pair (statistic, p-value), such as a result of scipy; or an `Outcome`. Parameters named confidence, draws,
        seed or progress get the options of `compare`.
    name : str, optional
        Name of the test; by default the name of the function.
    family_wise : bool
        Whether the test accounts for all pairs of a measure, so its p-values are not corrected again.
    scores_only : bool
        Whether a joint test requires a score per run.
    aliases : sequence of str
        Other names of the test.
    reference : str
        Publication of the test.
    description : str
        Name of the test in footnotes; by default its name followed by "test".
    joint : bool
        Whether the test uses the values of all runs together. Family-wise tests do; the p-values of other joint tests
        are corrected.
    machine : bool
        Whether it is a test of human and machine labels. It then takes the differences by both, and the probability
        of each query or None.
    with_baseline : bool
        Whether a family-wise test accounts for the pairs with one baseline instead of all pairs.

    Examples
    --------
    >>> import pdeval
    >>> @pdeval.test(reference="Student 1908")
    ... def one_sample(differences):
    ...     "The one-sample t-test of the differences, by scipy."
    ...     from scipy import stats
    ...     return stats.ttest_1samp(differences, 0, nan_policy="omit")
    >>> scores = pdeval.datasets.sample_judged(queries="common").measure("AP")
    >>> table = scores.ireval.compare(test="one_sample", baseline="bm25")
    >>> table[["run_a", "run_b", "test", "difference", "p_value"]].head(2).round(3)
          run_a run_b        test  difference  p_value
    0  bm25+rm3  bm25  one_sample       0.011     0.44
    1  dense-s1  bm25  one_sample       0.108     0.00
    >>> del TESTS["one_sample"]
    """

    def declare(given: Callable[..., Any]) -> Callable[..., Any]:
        test_name = name or given.__name__
        test = SignificanceTest(
            test_name,
            given,
            family_wise,
            scores_only,
            tuple(aliases),
            reference,
            description or f"{test_name.replace('_', ' ')} test",
            joint or family_wise,
            machine,
            "baseline" if with_baseline else "measure",
        )
        _check_signature(test)
        (MACHINE_TESTS if machine else TESTS).add(test_name, test, given.__module__)
        ordered = sorted(
            TESTS.items(), key=lambda item: item[1].joint
        )  # listed in this order everywhere
        TESTS.clear()
        TESTS.update(ordered)
        return given

    return declare if function is None else declare(function)


significance_test.__test__ = False  # type: ignore[attr-defined]  # pytest would collect `test`


def _check_signature(test: SignificanceTest) -> None:
    """Raise if a function does not have the parameters of a test."""
    needed = [
        p for p in inspect.signature(test.function).parameters.values() if p.default is p.empty
    ]
    arrays = [p.name for p in needed if p.kind is not p.KEYWORD_ONLY]
    expected = 3 if test.joint or test.machine else 1
    if len(arrays) != expected:
        what = (
            "the values of all runs and both runs of the pairs" if test.joint else "the differences"
        )
        what = (
            "the differences by human and by machine labels, and the probabilities"
            if test.machine
            else what
        )
        raise TypeError(
            f"the test {test.name!r} must take {what}: {expected} arrays, not ({', '.join(arrays)})."
        )
    unknown = [p.name for p in needed if p.kind is p.KEYWORD_ONLY and p.name not in OPTIONS]
    if unknown:
        raise TypeError(
            f"the parameter {unknown[0]!r} of the test {test.name!r} has no default. Add a default, or use one of the "
            f"names {', '.join(OPTIONS)}."
        )


def which_test(
    test: str | None,
    measure: str = "",
    attrs: Mapping[str, Any] | None = None,
    *,
    machine: bool = False,
) -> SignificanceTest:
    """Return the requested test, or by default the test declared by the measure.

    Parameters
    ----------
    test : str or None
        Name of a test; None or "default" for the test declared by the measure.
    measure : str
        Label of the measure.
    attrs : mapping, optional
        Attrs of its table, which may describe the measure.
    machine : bool
        Whether there are machine labels in addition to human labels.

    Examples
    --------
    >>> [which_test(*one).name for one in ((None, "sgnLP"), ("default", "AP"), ("binomial", "AP"))]
    ['sign', 't', 'sign']
    """
    usual = test in (None, "default")
    if machine:
        if not usual and test not in MACHINE_TESTS:
            names = " or ".join(map(repr, MACHINE_TESTS))
            raise ValueError(
                f"test={test!r} cannot be combined with machine labels. Use test={names}, or compare human labels "
                "only, without machine=."
            )
        return MACHINE_TESTS[next(iter(MACHINE_TESTS)) if usual else str(test)]
    if test in MACHINE_TESTS:
        raise ValueError(
            f"test={test!r} requires machine labels. Use runs.ireval.compare(human, ..., machine=qrels)."
        )
    name = default_test(measure, attrs) if usual else str(test)
    return TESTS.get(name) or lookup("test", name, TESTS)
