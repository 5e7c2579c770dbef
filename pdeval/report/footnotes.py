"""The footnotes of a table: tests, marks, intervals, numbers of queries and rules, in words."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from pdeval.catalog import Measure, parse
from pdeval.report.report import Cell
from pdeval.significance.corrections import NOT_NEEDED
from pdeval.significance.registry import MACHINE_TESTS, TESTS, WALD, direction
from pdeval.significance.replicates import TEST as REPLICATES

CORRECTIONS = {
    "max-t": "max-t correction",
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
# corrections without intervals, and the single-step correction whose intervals they get
STEPWISE = {
    "holm": "Bonferroni",
    "simes-hochberg": "Bonferroni",
    "hommel": "Bonferroni",
    "holm-sidak": "Šidák",
    "fdr_bh": "Bonferroni",
    "fdr_by": "Bonferroni",
    "fdr_tsbh": "Bonferroni",
    "fdr_tsbky": "Bonferroni",
    "fdr_gbs": "Bonferroni",
}
TIES = {
    "docid": "tied scores ordered by {doc} id",
    "rank": "ranked by the rank column",
    "first": "tied scores in the order of the rows",
    "expected": "tied scores count by their mean over all orders",
}
QUERY_RULES = {
    # true of every selection of queries and systems as well
    "relevant": "{queries} without a relevant {doc} do not count",
    "judged": "{queries} without a relevant {doc} count too",
    "answered": "{queries} that a system did not answer do not count for it",
    "common": "only {queries} that every system answered count",
}
OTHER_TESTS = {
    WALD: "Wald test of Bradley–Terry strengths with sandwich errors",
    REPLICATES: "t test of a model with queries and replicates random",
}
UNMARKED = "Significance is not marked"  # the beginning of notes on missing marks
RAISED, BELOW = "Raised letters:", "Letters below a number:"
BOLD, BOLD_AND_UNDERLINED = "Best in bold.", "Best in bold, second underlined."
_ID_ENDING = re.compile(r"(?i)[ _-]?(id|idx|no|key)$")
USERS = ("user", "customer", "member", "visitor", "reader", "session")
ITEMS = ("item", "product", "movie", "book", "track", "song", "video", "article", "page", "passage")


@dataclass(frozen=True)
class Words:
    """The nouns of a table, after its columns: queries and documents, or users and items."""

    query: str = "query"
    queries: str = "queries"
    doc: str = "document"
    docs: str = "documents"
    per: str = field(
        default="system", repr=False
    )  # systems, or collections, may have different numbers of queries


def words(attrs: Mapping[Any, Any]) -> Words:
    """Return the words of a table, from the names of its query and item columns.

    Examples
    --------
    >>> words({"query_column": "userId", "doc_column": "item_id"})
    Words(query='user', queries='users', doc='item', docs='items')
    >>> words({"query_column": "qid"}).queries
    'queries'
    """
    # the names of columns without the ending of ids
    user, item = (
        _ID_ENDING.sub("", str(attrs.get(name, ""))).lower()
        for name in ("query_column", "doc_column")
    )
    query = (user, f"{user}s") if user in USERS else ("query", "queries")
    doc = item if item in ITEMS else "document"
    return Words(*query, doc, f"{doc}s", str(attrs.get("counted_per", "system")))


def words_of_test(test: str) -> str:
    """Return the description of a significance test in footnotes.

    Examples
    --------
    >>> words_of_test("t"), words_of_test("of mine")
    ('paired Student t test', 'of mine test')
    """
    declared = TESTS.get(test) or MACHINE_TESTS.get(test)
    return (declared and declared.description) or OTHER_TESTS.get(test, f"{test} test")


def significance(
    tests: Mapping[str, Sequence[str]],
    correction: object,
    alpha: object,
    draws: object = None,
    *,
    each_baseline: bool = False,
    comparisons: Sequence[int] = (),
    family: str = "measure",
) -> str:
    """Return "paired Student t test, Bonferroni correction, α = 0.05", as far as each is known.

    `tests` maps each test to its measures. With `each_baseline`, the correction is made for each baseline separately.
    `comparisons` are the numbers of comparisons that are corrected together, and `family` is that of `compare`.

    Examples
    --------
    >>> significance({"t": ["AP"]}, "bonferroni", 0.05)
    'paired Student t test, Bonferroni correction, α = 0.05'
    >>> significance({"t": ["AP"], "sign": ["sgnLP"]}, "none", 0.01)
    'paired Student t test for AP, sign test for sgnLP, no correction, α = 0.01'
    >>> significance({"t": ["AP", "RR"]}, "max-t", 0.05, comparisons=[66])
    'paired Student t test, max-t correction of 66 comparisons per measure, α = 0.05'
    >>> significance({"t": ["AP", "RR"]}, "holm", 0.05, comparisons=[33], family="groups")
    'paired Student t test, Holm correction of 33 comparisons per measure in all groups, α = 0.05'
    >>> significance({"hsd": ["AP"]}, "none needed", 0.05, draws=10_000)
    'randomized Tukey HSD test with 10,000 draws, α = 0.05'
    """
    parts = []
    for test, measures in tests.items():
        drawn = draws is not None and test in TESTS and TESTS[test].drawn
        number = f" with {int(str(draws)):,} draws" if drawn else ""
        which = f" for {', '.join(measures)}" if len(tests) > 1 else ""
        parts.append(words_of_test(test) + number + which)
    # one comparison has nothing to correct
    if correction is not None and correction != NOT_NEEDED and list(comparisons) != [1]:
        name = CORRECTIONS.get(str(correction), f"{correction} correction")
        corrected = correction != "none" and len(comparisons) > 0
        number = " to ".join(map(str, dict.fromkeys([*comparisons[:1], *comparisons[-1:]])))
        each = f" of {number} comparisons" if corrected else ""
        if corrected and sum(map(len, tests.values())) > 1:
            each += " of all measures together" if family.startswith("all") else " per measure"
        each += " in all groups" if corrected and family.endswith("groups") else ""
        each += " for each baseline" if each_baseline and correction != "none" else ""
        parts.append(name + each)
    if alpha is not None:
        parts.append(f"α = {float(str(alpha)):.10g}")
    return ", ".join(parts)


def of_comparisons(comparisons: pd.DataFrame, **defaults: object) -> str:
    """Return how comparisons were computed, from their `test` column and `attrs`; `defaults` complete the attributes.

    Examples
    --------
    >>> of_comparisons(pd.DataFrame({"measure": ["AP"], "test": ["t"]}), alpha=0.01)
    'paired Student t test, α = 0.01'
    """
    tests: dict[Any, list[str]] = (
        comparisons[["test", "measure"]]
        .drop_duplicates()
        .astype(str)
        .groupby("test", sort=False, dropna=False)["measure"]
        .agg(list)
        .to_dict()
        if "test" in comparisons
        else {}
    )
    attrs: dict[Any, Any] = {**defaults, **comparisons.attrs}
    how = significance(
        tests,
        *(attrs.get(name) for name in ("correction", "alpha", "draws")),
        each_baseline=bool(attrs.get("each_baseline")),
        comparisons=attrs.get("comparisons", ()),
        family=str(attrs.get("family")),
    )
    if {"difference", "significant"} <= set(comparisons.columns):
        against_mean = direction(comparisons) * comparisons["difference"].to_numpy(dtype=float) < 0
        if (against_mean & comparisons["significant"].to_numpy(dtype=bool)).any():
            how += "; the direction is that of the test, which is not always that of the means"
    return how


def difference_interval(attrs: Mapping[Any, Any], of: str = "difference") -> str:
    """Return the note on the intervals of comparisons: their level, and whether they are simultaneous.

    Examples
    --------
    >>> difference_interval({"confidence": 0.95, "simultaneous": True, "correction": "max-t"})
    'In brackets the simultaneous 95% confidence interval of the difference.'
    """
    level = attrs.get("confidence")
    percent = "" if level is None else f"{100 * level:.10g}% "
    together = "simultaneous " if attrs.get("simultaneous") else ""
    note = f"In brackets the {together}{percent}confidence interval of the {of}"
    step = attrs.get("correction")
    if together and step in STEPWISE:
        note += f" ({STEPWISE[step]}; it ends at 0 if only the stepwise correction excludes 0)"
    return f"{note}."


def emphasis(cells: Iterable[Iterable[Cell]]) -> list[str]:
    """Return the legend of bold and underlined, if the rows or columns use them.

    Examples
    --------
    >>> emphasis([[Cell(0.5, "0.5", "best"), Cell(0.1, "0.1")]])
    ['Best in bold.']
    """
    used = {cell.emphasis for several in cells for cell in several}
    if "best" not in used:
        return []
    return [BOLD_AND_UNDERLINED if "second" in used else BOLD]


def meaning(kind: str, marked: str, baselines: Sequence[str]) -> str:
    """Return the legend of the significance marks that are used.

    Examples
    --------
    >>> meaning("daggers", "†", ["bm25"]), meaning("letters", "", [])
    ('† significantly better than bm25', 'No difference is significant')
    >>> meaning("daggers", "†1‡2", ["bm25", "ql"])
    '† significantly better, ‡ significantly worse than the baseline of that number: 1 bm25, 2 ql'
    """
    if kind == "letters":
        return (
            f"{RAISED} significantly better than the system of that letter"
            if marked
            else "No difference is significant"
        )
    if not marked:
        return f"No difference to {' or '.join(baselines)} is significant"
    signs = [
        f"{sign} significantly {word}"
        for sign, word in (("†", "better"), ("‡", "worse"))
        if sign in marked
    ]
    numbered = ", ".join(f"{i} {text}" for i, text in enumerate(baselines, 1))
    against = baselines[0] if len(baselines) == 1 else f"the baseline of that number: {numbered}"
    return f"{', '.join(signs)} than {against}"


def placed(notes: Sequence[str], *, below: bool) -> list[str]:
    """Return the notes of a table whose letters are raised, or set below the numbers.

    Examples
    --------
    >>> placed(["Raised letters: significantly better than the system of that letter."], below=True)
    ['Letters below a number: significantly better than the system of that letter.']
    """
    return [
        BELOW + one.removeprefix(RAISED) if below and one.startswith(RAISED) else one
        for one in notes
    ]


def interval(kind: str | None, attrs: Mapping[Any, Any], confidence: float | None) -> list[str]:
    """Return the note on the interval or spread after each mean; `confidence` is None if it is unknown.

    Examples
    --------
    >>> interval("replicates", {"replicate": ["seed"]}, 0.95)
    ['± the standard deviation over replicates (seed) of the mean over queries.']
    """
    queries = words(attrs).queries
    names = ", ".join(map(str, attrs.get("replicate") or ()))
    replicates = f"replicates ({names})" if names else "replicates"
    level = "" if confidence is None else f"{100 * confidence:.10g}% "
    test = "" if confidence is None else " (Student t)"
    notes = {
        "sd": f"± the standard deviation over {queries}.",
        "replicates": f"± the standard deviation over {replicates} of the mean over {queries}.",
        "ci": f"In brackets the {level}confidence interval of the mean{test}.",
    }
    return [notes[kind]] if kind is not None else []


def queries(n: np.ndarray, nouns: Words | None = None) -> str:
    """Return "50 queries", or the minimum and maximum if systems differ.

    Examples
    --------
    >>> queries(np.array([[50, 50]])), queries(np.array([[48, 50]])), queries(np.array([[1]]))
    ('50 queries', '48 to 50 queries per system', '1 query')
    """
    nouns = nouns or Words()
    least, most = int(np.min(n)), int(np.max(n))
    if least != most:
        return f"{least} to {most} {nouns.queries} per {nouns.per}"
    return f"{most} {nouns.query if most == 1 else nouns.queries}" if most else ""


def rules(attrs: Mapping[Any, Any], measures: Iterable[str] | None = None) -> list[str]:
    """Return the notes on the tie rule, the topic rule, the relevance level and the conventions of a table.

    Examples
    --------
    >>> rules({"ties": "docid", "queries": "relevant", "level": 2})
    ['tied scores ordered by document id', 'queries without a relevant document do not count', 'relevant from grade 2']
    """
    nouns = words(attrs)
    notes = []
    for option, texts in (("ties", TIES), ("queries", QUERY_RULES)):
        if (value := attrs.get(option)) is not None:
            text = texts.get(str(value))
            notes.append(text.format(**vars(nouns)) if text else f"{option}: {value}")
    notes += [f"unjudged {nouns.docs} removed"] if attrs.get("judged_only") else []
    if attrs.get("level") is not None:
        notes += levels(attrs, measures)
    elif attrs.get("queries") is not None:  # computed by pdeval
        notes += grade_thresholds(attrs, measures)
    conventions = attrs.get("compat")
    return notes if conventions is None else [*notes, f"conventions of {conventions}"]


def levels(attrs: Mapping[Any, Any], measures: Iterable[str] | None = None) -> list[str]:
    """Return the notes on the smallest relevant grade, the measures it applies to, and the graded measures.

    Parameters
    ----------
    measures : iterable of str, optional
        Measures of the table; by default those in its `attrs`.

    Examples
    --------
    >>> levels({"level": 4, "queries": "relevant"}, ["AP", "RR", "nDCG@10"])
    ['relevant from grade 4 in AP, RR', 'nDCG@10 counts every positive grade']
    >>> levels({"level": 4, "queries": "common", "query_column": "user_id", "doc_column": "item_id"}, ["AP"])
    ['relevant from grade 4; users without a relevant item count as 0']
    """
    known = _measures_of(attrs, measures)
    graded = [name for name, measure in known.items() if measure and measure.kind == "graded"]
    # without measures whose name has the level
    binary = [
        name
        for name, measure in known.items()
        if measure and measure.kind != "graded" and measure.level is None
    ]
    notes = []
    if not graded or binary:
        nouns = words(attrs)
        which = f" in {', '.join(binary)}" if graded else ""
        note = f"relevant from grade {float(attrs['level']):.10g}{which}"
        if attrs.get("queries", "relevant") not in (None, "relevant"):
            note += f"; {nouns.queries} without a relevant {nouns.doc} count as 0{' there' if graded else ''}"
        notes.append(note)
    all_grades = f"{', '.join(graded)} count{'s' if len(graded) == 1 else ''} every positive grade"
    return [*notes, all_grades] if graded else notes


def grade_thresholds(attrs: Mapping[Any, Any], measures: Iterable[str] | None = None) -> list[str]:
    """Return the note on preferences that average over grade thresholds.

    Examples
    --------
    >>> grade_thresholds({"measures": {"RPP": {}, "sgnLP": {}}})
    ['RPP averaged over grade thresholds (level=1: binary)']
    """
    names = [
        name
        for name, measure in _measures_of(attrs, measures).items()
        if measure and measure.entry.population == "grades" and measure.level is None
    ]
    return [f"{', '.join(names)} averaged over grade thresholds (level=1: binary)"] if names else []


def _measures_of(
    attrs: Mapping[Any, Any], measures: Iterable[str] | None
) -> dict[str, Measure | None]:
    """Return the measures of a table in the catalog, by default those in its `attrs`."""
    if measures is None:
        measures = attrs["measures"] if isinstance(attrs.get("measures"), Mapping) else ()
    return {name: parsed(name) for name in measures}


def parsed(name: str) -> Measure | None:
    """Return the measure of the catalog that a name means, None if there is none."""
    try:
        return parse(name)
    except (KeyError, ValueError, TypeError):
        return None


def basis(
    n: np.ndarray | None, attrs: Mapping[Any, Any], measures: Iterable[str] | None = None
) -> list[str]:
    """Return one sentence on queries and rules, or an empty list if nothing is known.

    Examples
    --------
    >>> basis(np.array([2]), {"ties": "docid"})
    ['2 queries; tied scores ordered by document id.']
    """
    number = "" if n is None else queries(n, words(attrs))
    if (
        " per system" in number and attrs.get("queries") == "common"
    ):  # systems of several tables, combined
        attrs = {**attrs, "queries": None}
    text = "; ".join(filter(None, [number, *rules(attrs, measures)]))
    if text[:1].islower() and text[1:2].islower():  # the name of a measure stays as it is
        text = text[0].upper() + text[1:]
    return [f"{text}."] if text else []


def basis_of(frame: pd.DataFrame, n: np.ndarray | None = None) -> list[str]:
    """Return the sentence on queries and rules of a table, for the measures in it.

    Examples
    --------
    >>> frame = pd.DataFrame({"measure": ["nDCG@10"]})
    >>> frame.attrs = {"level": 2}
    >>> basis_of(frame)
    ['nDCG@10 counts every positive grade.']
    """
    measures = list(frame["measure"].astype(str).unique()) if "measure" in frame.columns else None
    return basis(n, frame.attrs, measures)


def of_machine(summaries: Sequence[pd.DataFrame | None]) -> list[str]:
    """Return the note on human and machine labels and the effective sample size; empty without machine labels.

    Examples
    --------
    >>> of_machine([pd.DataFrame({"n": [50, 50], "n_machine": [550, 550], "effective_n": [96.8, 104.1]})])
    ["Prediction-powered estimates and intervals: people's labels of 50 queries and a machine's of 550 more are worth 97
    to 104 queries labeled by people."]
    """
    frames = [frame for frame in summaries if frame is not None]
    if not frames:
        return []
    nouns = words(frames[0].attrs).queries
    counts = []
    for name in ("n", "n_machine", "effective_n"):
        values = np.rint(np.concatenate([frame[name].to_numpy(dtype=float) for frame in frames]))
        ends = dict.fromkeys([f"{int(values.min()):,}", f"{int(values.max()):,}"])
        counts.append(" to ".join(ends))
    return [
        f"Prediction-powered estimates and intervals: people's labels of {counts[0]} {nouns} and a machine's of "
        f"{counts[1]} more are worth {counts[2]} {nouns} labeled by people."
    ]
