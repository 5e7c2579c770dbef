"""The footnote: what the numbers and marks of a table rest on, in words."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from pdeval.report.numbers import share
from pdeval.significance.corrections import NOT_NEEDED
from pdeval.significance.registry import MACHINE_TESTS, TESTS, WALD
from pdeval.significance.replicates import TEST as REPLICATES
from pdeval.significance.test_result import direction

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
    "docid": "tied scores ordered by {doc} id",
    "rank": "ranked by the rank column",
    "first": "tied scores in the order of the rows",
    "expected": "tied scores count by their mean over all orders",
}
TOPICS = {
    # true of every selection of queries and systems as well
    "relevant": "{queries} without a relevant {doc} do not count",
    "judged": "{queries} without a relevant {doc} count too",
    "answered": "{queries} that a system did not answer do not count for it",
    "common": "only {queries} that every system answered count",
}
RAISED, BELOW = "Raised letters:", "Letters below a number:"
ASKERS = ("user", "customer", "member", "visitor", "reader", "session")
ITEMS = ("item", "product", "movie", "book", "track", "song", "video", "article", "page", "passage")


@dataclass(frozen=True)
class Words:
    """What a table's own columns call that which was asked and that which was ranked: queries and documents, or not."""

    query: str = "query"
    queries: str = "queries"
    doc: str = "document"
    docs: str = "documents"
    per: str = field(default="system", repr=False)  # what may have more of them than another


def words(attrs: Mapping[Any, Any]) -> Words:
    """Return the words of a table, from the names of its query and item columns.

    Examples
    --------
    >>> words({"query_column": "userId", "doc_column": "item_id"})
    Words(query='user', queries='users', doc='item', docs='items')
    >>> words({"query_column": "qid"}).queries
    'queries'
    """
    asker, item = (_stem(str(attrs.get(name, ""))) for name in ("query_column", "doc_column"))
    query = (asker, f"{asker}s") if asker in ASKERS else ("query", "queries")
    doc = item if item in ITEMS else "document"
    return Words(*query, doc, f"{doc}s", str(attrs.get("counted_per", "system")))


def _stem(column: str) -> str:
    """A column's name without what says that it is an id."""
    return re.sub(r"(?i)[ _-]?(id|idx|no|key)$", "", column).lower()


def words_of_test(test: str) -> str:
    """Return what a footnote calls a significance test, as it was declared.

    Examples
    --------
    >>> words_of_test("t"), words_of_test("of mine")
    ('paired Student t test', 'of mine test')
    """
    if test == WALD:
        return "Wald test of Bradley–Terry strengths with sandwich errors"
    if test == REPLICATES:
        return "t test of a model with queries and replicates random"
    known = {**TESTS, **MACHINE_TESTS}
    return (known[test].says if test in known else "") or f"{test} test"


def significance(
    tests: Mapping[str, Sequence[str]],
    correction: object,
    alpha: object,
    draws: object = None,
    *,
    each_baseline: bool = False,
) -> str:
    """Return "paired Student t test, Bonferroni correction, α = 0.05", as far as each is known.

    `tests` says which measures each test was used for; `each_baseline` that the correction is made for each of several.

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
        each = " for each baseline" if each_baseline and correction != "none" else ""
        said.append(CORRECTIONS.get(str(correction), f"{correction} correction") + each)
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
    each = bool(comparisons.attrs.get("each_baseline"))
    how = significance(tests, known["correction"], known["alpha"], known["draws"], each_baseline=each)
    if {"difference", "significant"} <= set(comparisons.columns):
        against_mean = direction(comparisons) * comparisons["difference"].to_numpy(dtype=float) < 0
        if (against_mean & comparisons["significant"].to_numpy(dtype=bool)).any():
            how += "; the direction is that of the test, which is not always that of the means"
    return how


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


def meaning(kind: str, marked: str, baselines: Sequence[str]) -> str:
    """Return what significance marks mean, as far as they are used.

    Examples
    --------
    >>> meaning("daggers", "†", ["bm25"]), meaning("letters", "", [])
    ('† significantly better than bm25', 'No difference is significant')
    >>> meaning("daggers", "†1‡2", ["bm25", "ql"])
    '† significantly better, ‡ significantly worse than the baseline of that number: 1 bm25, 2 ql'
    """
    if not marked and kind == "letters":
        return "No difference is significant"
    if not marked:
        return f"No difference to {' or '.join(baselines)} is significant"
    if kind == "letters":
        return f"{RAISED} significantly better than the system of that letter"
    said = [f"{sign} significantly {word}" for sign, word in (("†", "better"), ("‡", "worse")) if sign in marked]
    if len(baselines) == 1:
        return f"{', '.join(said)} than {baselines[0]}"
    listed = ", ".join(f"{i + 1} {text}" for i, text in enumerate(baselines))
    return f"{', '.join(said)} than the baseline of that number: {listed}"


def placed(notes: Sequence[str], *, below: bool) -> list[str]:
    """Return the notes of a table whose letters are raised, or stand below the numbers.

    Examples
    --------
    >>> placed(["Raised letters: significantly better than the system of that letter."], below=True)
    ['Letters below a number: significantly better than the system of that letter.']
    """
    return [BELOW + one.removeprefix(RAISED) if below and one.startswith(RAISED) else one for one in notes]


def over_replicates(attrs: Mapping[Any, Any]) -> str:
    """Return what ± is in a table of systems with replicates.

    Examples
    --------
    >>> over_replicates({"replicate": ["seed"]})
    '± the standard deviation over replicates (seed) of the mean over queries.'
    """
    names = attrs.get("replicate") or ()
    of = f" ({', '.join(map(str, names))})" if names else ""
    return f"± the standard deviation over replicates{of} of the mean over {words(attrs).queries}."


def queries(n: np.ndarray, said: Words | None = None) -> str:
    """Return "50 queries", or the least and the most where systems differ.

    Examples
    --------
    >>> queries(np.array([[50, 50]])), queries(np.array([[48, 50]])), queries(np.array([[1]]))
    ('50 queries', '48 to 50 queries per system', '1 query')
    """
    said = said or Words()
    least, most = int(np.min(n)), int(np.max(n))
    if most == 0:
        return ""
    if least != most:
        return f"{least} to {most} {said.queries} per {said.per}"
    return f"{most} {said.query if most == 1 else said.queries}"


def rules(attrs: Mapping[Any, Any], measures: Iterable[str] | None = None) -> list[str]:
    """Return the tie rule, the topic rule, the level and the conventions that a table says it was made with.

    Examples
    --------
    >>> rules({"ties": "docid", "topics": "relevant", "level": 2})
    ['tied scores ordered by document id', 'queries without a relevant document do not count', 'relevant from grade 2']
    """
    own = words(attrs)
    said = []
    if attrs.get("ties") is not None:
        known = TIES.get(str(attrs["ties"]))
        said.append(f"ties: {attrs['ties']}" if known is None else known.format(**vars(own)))
    if attrs.get("topics") is not None:
        known = TOPICS.get(str(attrs["topics"]))
        said.append(f"topics: {attrs['topics']}" if known is None else known.format(**vars(own)))
    if attrs.get("judged_only"):
        said.append(f"unjudged {own.docs} removed")
    if attrs.get("level") is not None:
        said += levels(attrs, measures)
    if attrs.get("compat") is not None:
        said.append(f"conventions of {attrs['compat']}")
    return said


def levels(attrs: Mapping[Any, Any], measures: Iterable[str] | None = None) -> list[str]:
    """Return from which grade on items are relevant, in which measures, and which measures go by the grades themselves.

    Parameters
    ----------
    measures : iterable of str, optional
        The measures shown; by default those that the table knows.

    Examples
    --------
    >>> levels({"level": 4, "topics": "relevant"}, ["AP", "RR", "nDCG@10"])
    ['relevant from grade 4 in AP, RR', 'nDCG@10 counts every positive grade']
    >>> levels({"level": 4, "topics": "common", "query_column": "user_id", "doc_column": "item_id"}, ["AP"])
    ['relevant from grade 4; users without a relevant item count as 0']
    """
    from pdeval.catalog import parse

    level = f"relevant from grade {share(float(attrs['level']))}"
    known = attrs.get("measures")
    shown = list(dict.fromkeys(measures if measures is not None else known if isinstance(known, Mapping) else ()))
    graded, binary = [], []
    for name in shown:
        try:
            found = parse(name)
        except (ValueError, KeyError, TypeError):
            continue  # a measure of the table's own: nothing is known of it
        if found.kind == "graded":
            graded.append(name)
        elif found.level is None:  # its own level is in its name
            binary.append(name)
    said = []
    if not graded or binary:
        own = words(attrs)
        said.append(level + (f" in {', '.join(binary)}" if graded else ""))
        if attrs.get("topics", "relevant") not in (None, "relevant"):
            there = " there" if graded else ""
            said[0] += f"; {own.queries} without a relevant {own.doc} count as 0{there}"
    if graded:
        said.append(f"{', '.join(graded)} count{'s' if len(graded) == 1 else ''} every positive grade")
    return said


def basis(n: np.ndarray | None, attrs: Mapping[Any, Any], measures: Iterable[str] | None = None) -> list[str]:
    """Return the one sentence on queries and rules, or nothing where nothing is known.

    Examples
    --------
    >>> basis(np.array([2]), {"ties": "docid"})
    ['2 queries; tied scores ordered by document id.']
    """
    counted = "" if n is None else queries(n, words(attrs))
    if " per system" in counted and attrs.get("topics") == "common":  # systems of several tables, put together
        attrs = {**attrs, "topics": None}
    said = "; ".join(part for part in [counted, *rules(attrs, measures)] if part)
    capital = said[:1].islower() and said[1:2].islower()  # a measure's name stays as it is
    return [(said[0].upper() if capital else said[0]) + said[1:] + "."] if said else []


def basis_of(frame: pd.DataFrame, n: np.ndarray | None = None) -> list[str]:
    """Return the sentence on queries and rules of a table, about the measures that it shows.

    Examples
    --------
    >>> frame = pd.DataFrame({"measure": ["nDCG@10"]})
    >>> frame.attrs = {"level": 2}
    >>> basis_of(frame)
    ['nDCG@10 counts every positive grade.']
    """
    shown = list(frame["measure"].astype(str).unique()) if "measure" in frame.columns else None
    return basis(n, frame.attrs, shown)


def of_machine(summaries: Sequence[pd.DataFrame | None]) -> list[str]:
    """Return how many queries people and a machine labelled, and what the machine is worth; nothing without one.

    Examples
    --------
    >>> of_machine([pd.DataFrame({"n": [50, 50], "n_machine": [550, 550], "effective_n": [96.8, 104.1]})])
    ["Prediction-powered estimates and intervals: people's labels of 50 queries and a machine's of 550 more are worth 97
    to 104 queries labelled by people."]
    """
    frames = [frame for frame in summaries if frame is not None]
    if not frames:
        return []
    said = words(frames[0].attrs)
    counts = []
    for name in ("n", "n_machine", "effective_n"):
        values = np.concatenate([frame[name].to_numpy(dtype=float) for frame in frames])
        least, most = (int(np.rint(end)) for end in (values.min(), values.max()))
        counts.append(f"{least:,}" if least == most else f"{least:,} to {most:,}")
    return [
        f"Prediction-powered estimates and intervals: people's labels of {counts[0]} {said.queries} and a machine's of "
        f"{counts[1]} more are worth {counts[2]} {said.queries} labelled by people."
    ]
