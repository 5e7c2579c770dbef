"""Significance tests, declared by a decorator and found by name.

    @pdeval.test(reference="Smucker, Allan and Carterette 2007")
    def mine(differences): ...          one p-value per column, or a result of scipy's

A test looks at each pair of runs for itself, or, family-wise, at all runs at once.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, TypeVar, overload

import numpy as np

from pdeval.catalog.directions import default_test
from pdeval.significance.test_result import Outcome, completed, describe, described_pairs
from pdeval.verbs.registry import Registry, first_line, lookup, search

OPTIONS = ("confidence", "draws", "seed", "progress")
Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True)
class SignificanceTest:
    """One declared test.

    Parameters
    ----------
    function : callable
        Of the differences (queries, pairs); if joint, of the values of all runs and the sides of the pairs.
    family_wise : bool
        Whether it accounts for all pairs of a measure by itself, so that nothing is corrected.
    scores_only : bool
        Of a test of all runs: whether it needs a score per run, so that preferences will not do.
    says : str
        What a footnote calls it.
    joint : bool
        Whether it looks at all runs at once, as every family-wise test does.
    machine : bool
        Whether it takes the differences by people's labels and those by a machine's, and the probability of each query.
    """

    __test__: ClassVar[bool] = False  # no test of pytest's

    name: str
    function: Callable[..., Any]
    family_wise: bool = False
    scores_only: bool = False
    aliases: tuple[str, ...] = ()
    reference: str = ""
    says: str = ""
    joint: bool = False
    machine: bool = False

    @property
    def summary(self) -> str:
        """The first line of its docstring."""
        return first_line(self.function)

    @cached_property
    def options(self) -> tuple[str, ...]:
        """Which of confidence, draws, seed and progress it takes."""
        return tuple(
            name for name in inspect.signature(self.function).parameters if name in OPTIONS
        )

    @property
    def drawn(self) -> bool:
        """Whether it draws at random, so that draws and seed are part of its result."""
        return "draws" in self.options

    def __call__(self, *arrays: Any, **options: Any) -> Any:
        """Return what the function does, given those options that it takes."""
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
# tests of labels by people and by a machine; the first is the default
MACHINE_TESTS: Registry[SignificanceTest] = Registry("test")
WALD = "wald"  # of differences of strengths, which only votes have


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
    says: str = "",
    joint: bool = False,
    machine: bool = False,
) -> Callable[[Function], Function]: ...
def significance_test(
    function: Callable[..., Any] | None = None,
    *,
    name: str | None = None,
    family_wise: bool = False,
    scores_only: bool = False,
    aliases: Sequence[str] = (),
    reference: str = "",
    says: str = "",
    joint: bool = False,
    machine: bool = False,
) -> Any:
    """Declare a significance test, which `compare(test=...)` and `discriminative_power(tests=...)` then know.

    Parameters
    ----------
    function : callable
        Its one positional parameter is an array of shape (queries, pairs): by how much run a is better on a query,
        NaN where the query does not count for the pair. A joint test takes the scores (queries, runs) or preferences
        (queries, runs, runs) of all runs, without gaps, and the runs `a` and `b` of each pair. It returns one p-value
        per pair; or a pair (statistic, p-value), such as a result of scipy's; or an `Outcome`. Where it has a
        parameter named confidence, draws, seed or progress, it is given what `compare` was given.
    name : str, optional
        The test's name where it is not the function's.
    family_wise : bool
        Whether it accounts for all pairs of a measure by itself, so that its p-values are not corrected again.
    scores_only : bool
        Of a joint test: whether it needs a score per run.
    aliases : sequence of str
        Other names for it.
    reference : str
        Where it comes from.
    says : str
        What a footnote calls it; by default "... test" with its name.
    joint : bool
        Whether it looks at all runs at once. Family-wise tests do; of others the p-values are corrected.
    machine : bool
        Whether it is a test of labels by people and by a machine: it then takes the differences by both, and the
        probability of each query or None.

    Examples
    --------
    >>> import pdeval
    >>> @pdeval.test(reference="Student 1908")
    ... def one_sample(differences):
    ...     "The one-sample t-test of the differences, by scipy."
    ...     from scipy import stats
    ...     return stats.ttest_1samp(differences, 0, nan_policy="omit")
    >>> scores = pdeval.datasets.sample_judged(topics="common").measure("AP")
    >>> table = scores.ireval.compare(test="one_sample", baseline="bm25")
    >>> table[["run_a", "run_b", "test", "difference", "p_value"]].head(2).round(3)
          run_a run_b        test  difference  p_value
    0  bm25+rm3  bm25  one_sample       0.011     0.44
    1  dense-s1  bm25  one_sample       0.108     0.00
    >>> del TESTS["one_sample"]
    """

    def declare(given: Callable[..., Any]) -> Callable[..., Any]:
        test_name = name or given.__name__
        title = says or f"{test_name.replace('_', ' ')} test"
        test = SignificanceTest(
            test_name,
            given,
            family_wise,
            scores_only,
            tuple(aliases),
            reference,
            title,
            joint or family_wise,
            machine,
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


significance_test.__test__ = False  # type: ignore[attr-defined]  # pytest takes `test` for one of its own


def _check_signature(test: SignificanceTest) -> None:
    """Raise where a function cannot be called as a test is."""
    needed = [
        p for p in inspect.signature(test.function).parameters.values() if p.default is p.empty
    ]
    arrays = [p.name for p in needed if p.kind is not p.KEYWORD_ONLY]
    expected = 3 if test.joint or test.machine else 1
    if len(arrays) != expected:
        what = (
            "the values of all runs and both sides of the pairs"
            if test.joint
            else "the differences"
        )
        what = (
            "the differences by people and by the machine, and the probabilities"
            if test.machine
            else what
        )
        raise TypeError(
            f"the test {test.name!r} has to take {what}: {expected} arrays, not ({', '.join(arrays)})."
        )
    unknown = [p.name for p in needed if p.kind is p.KEYWORD_ONLY and p.name not in OPTIONS]
    if unknown:
        raise TypeError(
            f"the parameter {unknown[0]!r} of the test {test.name!r} has no default; give it one, or name it as one of "
            f"{', '.join(OPTIONS)}."
        )


def which_test(
    test: str | None,
    measure: str = "",
    attrs: Mapping[str, Any] | None = None,
    *,
    machine: bool = False,
) -> SignificanceTest:
    """Return the test of a measure: the one asked for, or the one that its declaration says.

    Parameters
    ----------
    test : str or None
        A test's name; None or "default" for the measure's own.
    measure : str
        The label of the measure.
    attrs : mapping, optional
        What its table knows of it.
    machine : bool
        Whether there are labels by a machine beside people's.

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
                f"test={test!r} knows one value a query; with machine labels there is test={names}. People's labels "
                "alone are tested without machine=."
            )
        return MACHINE_TESTS[next(iter(MACHINE_TESTS)) if usual else str(test)]
    if test in MACHINE_TESTS:
        raise ValueError(
            f"test={test!r} needs labels by a machine beside people's: runs.ireval.compare(human, ..., machine=qrels)."
        )
    return lookup("test", default_test(measure, attrs) if usual else str(test), TESTS)


def not_tests(measures: object, call: str) -> None:
    """Raise where a measure that is asked for is a test; `call` is what to say instead, with {} for the name.

    Examples
    --------
    >>> not_tests("Tukey", "compare(test={})")
    Traceback (most recent call last):
    ValueError: 'Tukey' is a significance test, not a measure. Say compare(test='tukey').
    """
    for one in measures if isinstance(measures, list | tuple) else [measures]:
        test = search(one, TESTS) if isinstance(one, str) else None
        if test is not None:
            text = f"{one!r} is a significance test, not a measure. Say {call.format(repr(test.name))}."
            raise ValueError(text) from None
