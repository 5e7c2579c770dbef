"""The names of tests and corrections, what else they are called, and which test a measure gets by default."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from typing import Literal, get_args

Test = Literal["t", "wilcoxon", "sign", "randomisation", "bootstrap", "hsd", "tukey", "default"]
TESTS = tuple(name for name in get_args(Test) if name != "default")
TEST_ALIASES = {
    "student": "t",
    "ttest": "t",
    "t-test": "t",
    "binomial": "sign",
    "randomization": "randomisation",
    "permutation": "randomisation",
    "randomised_hsd": "hsd",
    "randomized_hsd": "hsd",
    "tukey_hsd": "tukey",
    "analytic_hsd": "tukey",
}
FAMILY_WISE = ("hsd", "tukey")

Correction = Literal[
    "bonferroni",
    "sidak",
    "holm",
    "holm-sidak",
    "simes-hochberg",
    "hommel",
    "fdr_bh",
    "fdr_by",
    "fdr_tsbh",
    "fdr_tsbky",
    "fdr_gbs",
    "none",
]
CORRECTIONS = get_args(Correction)
CORRECTION_ALIASES = {
    "b": "bonferroni",
    "bonf": "bonferroni",
    "s": "sidak",
    "h": "holm",
    "hs": "holm-sidak",
    "sh": "simes-hochberg",
    "hochberg": "simes-hochberg",
    "ho": "hommel",
    "bh": "fdr_bh",
    "by": "fdr_by",
}

# What the frames say for a test that already accounts for all pairs.
NOT_NEEDED = "none needed"


def choose(value: str, what: str, choices: Iterable[str], aliases: Mapping[str, str]) -> str:
    """Return the choice that a text names, or raise a ValueError that offers the nearest one.

    Examples
    --------
    >>> choose("Holm", "correction", CORRECTIONS, CORRECTION_ALIASES)
    'holm'
    """
    choices = tuple(choices)
    text = value.lower() if isinstance(value, str) else value
    text = aliases.get(text, text)
    if text in choices:
        return str(text)
    close = difflib.get_close_matches(str(text), [*choices, *aliases], n=1, cutoff=0.5)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    raise ValueError(f"no {what} {value!r}.{hint} There are: {', '.join(choices)}.")


def which_test(test: str | None, measure: str) -> str:
    """Return the test of a measure: the one asked for, or by default the sign test for signs and t for the rest.

    Examples
    --------
    >>> which_test(None, "sgnLP"), which_test("default", "AP"), which_test("binomial", "AP")
    ('sign', 't', 'sign')
    """
    if test is None or test == "default":
        return "sign" if measure.startswith(("sgnLP", "sgnLR")) else "t"
    return choose(test, "test", (*TESTS, "default"), TEST_ALIASES)


def which_correction(correction: str | None) -> str:
    """Return the name of a correction as pdeval writes it.

    Examples
    --------
    >>> which_correction("BH"), which_correction(None)
    ('fdr_bh', 'none')
    """
    return "none" if correction is None else choose(correction, "correction", CORRECTIONS, CORRECTION_ALIASES)
