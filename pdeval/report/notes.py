"""The footnote: what the numbers and marks of a table rest on, in words."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from pdeval.report.digits import share
from pdeval.significance.corrections import NOT_NEEDED
from pdeval.significance.registry import TESTS

CORRECTIONS = {
    "bonferroni": "Bonferroni correction",
    "sidak": "Šidák correction",
    "holm": "Holm correction",
    "holm-sidak": "Holm–Šidák correction",
    "simes-hochberg": "Hochberg correction",
    "hommel": "Hommel correction",
    "fdr_bh": "Benjamini–Hochberg correction",
    "fdr_by": "Benjamini–Yekutieli correction",
    "fdr_tsbh": "two-stage Benjamini–Hochberg correction",
    "fdr_tsbky": "two-stage Benjamini–Krieger–Yekutieli correction",
    "fdr_gbs": "Gavrilov–Benjamini–Sarkar correction",
    "none": "no correction",
}
TIES = {
    "docid": "tied scores ordered by document id",
    "rank": "ranked by the rank column",
    "first": "tied scores in the order of the rows",
    "expected": "tied scores count by their mean over all orders",
}
TOPICS = {
    "relevant": "every query with a relevant document counts",
    "judged": "every judged query counts",
    "answered": "each system counts on the queries that it answered",
    "common": "only queries that every system answered count",
}


def words_of_test(test: str) -> str:
    """Return what a footnote calls a significance test, as it was declared.

    Examples
    --------
    >>> words_of_test("t"), words_of_test("of mine")
    ('paired Student t test', 'of mine test')
    """
    return (TESTS[test].says if test in TESTS else "") or f"{test} test"


def significance(tests: Mapping[str, Sequence[str]], correction: object, alpha: object, draws: object = None) -> str:
    """Return "paired Student t test, Bonferroni correction, α = 0.05", as far as each is known.

    `tests` says which measures each test was used for.

    Examples
    --------
    >>> significance({"t": ["AP"]}, "bonferroni", 0.05)
    'paired Student t test, Bonferroni correction, α = 0.05'
    >>> significance({"t": ["AP"], "sign": ["sgnLP"]}, "none", 0.01)
    'paired Student t test for AP, sign test for sgnLP, no correction, α = 0.01'
    >>> significance({"hsd": ["AP"]}, "none needed", 0.05, draws=10_000)
    'randomised Tukey HSD test with 10,000 draws, α = 0.05'
    """
    said = []
    for test, measures in tests.items():
        name = words_of_test(test)
        drawn = test in TESTS and TESTS[test].drawn
        name += f" with {int(str(draws)):,} draws" if drawn and draws is not None else ""
        said.append(name + (f" for {', '.join(measures)}" if len(tests) > 1 else ""))
    if correction is not None and correction != NOT_NEEDED:
        said.append(CORRECTIONS.get(str(correction), f"{correction} correction"))
    if alpha is not None:
        said.append(f"α = {share(float(str(alpha)))}")
    return ", ".join(said)


def of_comparisons(comparisons: pd.DataFrame, **asked: object) -> str:
    """Return how comparisons were made, from their `test` column and attributes; `asked` fills what they do not say.

    Examples
    --------
    >>> of_comparisons(pd.DataFrame({"measure": ["AP"], "test": ["t"]}), alpha=0.01)
    'paired Student t test, α = 0.01'
    """
    tests: dict[str, list[str]] = {}
    if "test" in comparisons:
        for test, measure in comparisons[["test", "measure"]].astype(str).drop_duplicates().itertuples(index=False):
            tests.setdefault(test, []).append(measure)
    known = {name: comparisons.attrs.get(name, asked.get(name)) for name in ("correction", "alpha", "draws")}
    return significance(tests, known["correction"], known["alpha"], known["draws"])


def emphasis(used: Collection[str]) -> list[str]:
    """Return what bold and underlined mean, as far as they are used.

    Examples
    --------
    >>> emphasis({"best", ""})
    ['Best in bold.']
    """
    if "best" not in used:
        return []
    return ["Best in bold, second underlined." if "second" in used else "Best in bold."]


def queries(n: np.ndarray) -> str:
    """Return "50 queries", or the least and the most where systems differ.

    Examples
    --------
    >>> queries(np.array([[50, 50]])), queries(np.array([[48, 50]])), queries(np.array([[1]]))
    ('50 queries', '48 to 50 queries per system', '1 query')
    """
    least, most = int(np.min(n)), int(np.max(n))
    if most == 0:
        return ""
    if least != most:
        return f"{least} to {most} queries per system"
    return f"{most} quer{'y' if most == 1 else 'ies'}"


def rules(attrs: Mapping[Any, Any]) -> list[str]:
    """Return the tie rule, the topic rule, the level and the conventions that a table says it was made with.

    Examples
    --------
    >>> rules({"ties": "docid", "topics": "common", "level": 2})
    ['tied scores ordered by document id', 'only queries that every system answered count',
     'relevant from grade 2']
    """
    said = []
    if attrs.get("ties") is not None:
        said.append(TIES.get(str(attrs["ties"]), f"ties: {attrs['ties']}"))
    if attrs.get("topics") is not None:
        said.append(TOPICS.get(str(attrs["topics"]), f"topics: {attrs['topics']}"))
    if attrs.get("level") is not None:
        said.append(f"relevant from grade {share(float(attrs['level']))}")
    if attrs.get("compat") is not None:
        said.append(f"conventions of {attrs['compat']}")
    return said


def basis(n: np.ndarray | None, attrs: Mapping[Any, Any]) -> list[str]:
    """Return the one sentence on queries and rules, or nothing where nothing is known.

    Examples
    --------
    >>> basis(np.array([2]), {"ties": "docid"})
    ['2 queries; tied scores ordered by document id.']
    """
    said = "; ".join(part for part in ["" if n is None else queries(n), *rules(attrs)] if part)
    return [said[0].upper() + said[1:] + "."] if said else []
