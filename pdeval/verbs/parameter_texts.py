"""Documentation of parameters that many verbs share: one text each, inserted into docstrings in signature order.

An entry of the docstring itself has precedence. An entry that begins with "..." is appended to the shared text:

    confidence : float
        ... It is not corrected for the number of comparisons.
"""

import functools
import inspect
import re
import textwrap
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])

WIDTH = 116
# rules of the join: (type, text)
RULES = {
    "level": (
        "float, optional",
        "The smallest relevant grade; by default any positive grade is relevant.",
    ),
    "queries": (
        "{'relevant', 'judged', 'answered', 'common'}",
        "Queries that count: those with a relevant item (an unanswered query gets the worst possible score); all "
        "judged queries; for each run, those that it answered; those that every run answered.",
    ),
    "ties": (
        "{'docid', 'rank', 'first', 'expected'}, optional",
        "Order of items with equal scores: by document id, descending, as in trec_eval; by the rank column; by the "
        "order of rows; or the mean over all orders. By default 'docid' if there are scores, else 'rank'.",
    ),
    "compat": (
        "{'trec_eval-10', 'trec_eval-9', 'pref_eval'}",
        "Tool to reproduce where tools differ.",
    ),
    "depth": ("int, optional", "Use only the first `depth` items of each list."),
    "judged_only": (
        "bool",
        "Whether to remove unjudged items from the lists before ranks are assigned, as trec_eval's -J does. By default "
        "they are kept and count as non-relevant.",
    ),
    "validate": (
        "bool",
        "Whether to check for duplicate documents, which takes about a third of the time of a join. Without the check, "
        "the best rank of each document counts.",
    ),
    "items": (
        "DataFrame or bound accessor, optional",
        "All items that can be recommended, for measures of items: ids, and columns of numbers or features (genres, "
        "embeddings), with one row per item, or one per item and genre.",
    ),
    "history": (
        "DataFrame or bound accessor, optional",
        "Earlier interactions of the users, for measures of items: user, item.",
    ),
}
# options that the pipeline adds to verbs
PIPELINE = {
    "by": (
        "str or list of str, optional",
        "Column(s) to group by: of queries (such as their category), of runs (their family) or of stacked collections. "
        "They are columns of the tables or of `metadata`. The results of all groups are stacked, with these columns "
        "first. A column of both runs and judgments identifies collections, and nothing is joined across them.",
    ),
    "metadata": (
        "DataFrame or list of them, optional",
        "Attributes of queries, runs or collections, one row each, with columns for `by` that the tables do not have. "
        "If they have the column of `replicate`, their other columns identify the system.",
    ),
    "replicate": (
        "str or list of str, optional",
        "Column(s) of the run that distinguish replicates of a system, such as the seed: values are first averaged "
        "over replicates within each query, so n is the number of queries.",
    ),
    "machine": (
        "DataFrame, nested dict or bound accessor, optional",
        "Machine judgments of the queries that have human judgments, and of other queries. `qrels` are then the human "
        "judgments, and estimates and intervals are about human judgments of all queries, which is valid if the "
        "queries with human judgments are a random sample. `measure` and `prefer` return both values, in the columns "
        "value and machine.",
    ),
}
SHARED = {
    **RULES,
    **PIPELINE,
    "qrels": (
        "DataFrame, nested dict or bound accessor",
        "Judgments: query, doc, grade and optionally subtopic, as a table of any library or nested as "
        "query -> doc -> grade.",
    ),
    "measures": (
        "str, Measure, or list of them, optional",
        "For runs, the measures to compute; for a table of results, the measures to use, by default all.",
    ),
    "baseline": (
        "run, tuple of ids, or list of them, optional",
        "Run to compare all other runs with; it is `run_b` of each pair. Each of several baselines is compared with "
        "all other runs.",
    ),
    "pairs": (
        "list of (run_a, run_b), or DataFrame of both, optional",
        "Pairs of runs to use; by default every pair once.",
    ),
    "per": ("{'all', 'query'}", "One row for all queries together, or one for each query."),
    "alpha": (
        "float",
        "Significance level: a difference is significant if its corrected p-value is below it.",
    ),
    "confidence": ("float", "Confidence level of the intervals."),
    "correction": (
        "str or None",
        "Correction for the number of comparisons of a measure: a method of "
        "statsmodels' `multipletests` ('bonferroni', 'sidak', 'holm', 'holm-sidak', 'simes-hochberg', 'hommel', "
        "'fdr_bh', 'fdr_by', 'fdr_tsbh', 'fdr_tsbky', 'fdr_gbs') or 'none'.",
    ),
    "draws": ("int", "Number of random draws of tests and intervals that use them."),
    "seed": (
        "int or None",
        "Random seed. The same seed gives the same result; None chooses a new one.",
    ),
    "unit": (
        "{'user', 'session', 'query'}, optional",
        "Unit of observation: a user or session with all its queries, or an issued query (a session, for queries per "
        "session). By default the user or, in a log without users, the session. Observations of one user are not "
        "independent, so a unit finer than the randomized one raises the type I error rate, and warns.",
    ),
    "winsorize": (
        "float, optional",
        "Quantile, such as 0.99, of the values of all units at which larger values are cut: few users with very large "
        "values then have less weight. Of a ratio, numerators and denominators are cut; rates are not.",
    ),
    "texts": (
        "table, mapping, iterable, or pair of them, optional",
        "Texts of queries and documents to show, cut to a length: a table of ids and texts in any vocabulary, "
        "id -> text, named tuples or a dataset of ir_datasets, or {'queries': ..., 'docs': ...} of these.",
    ),
    "progress": (
        "bool, optional",
        "Whether to show a progress bar; by default after one second in interactive sessions.",
    ),
    "grades": (
        "mapping of label to number, optional",
        "Grade of each label; needed if labels are not numbers.",
    ),
    "digits": ("int", "Number of decimals."),
    "names": (
        "mapping of str to str, optional",
        "Display names of runs, measures, columns and other labels.",
    ),
    "caption": ("str, optional", "Plain text above the table."),
    "label": ("str, optional", "Label for LaTeX's \\ref and the HTML anchor."),
    "notes": ("str or list of str, optional", "Sentences after the footnote."),
    "footnotes": (
        "bool",
        "Whether to describe the numbers and marks below the table: test, correction, alpha, number of queries, tie "
        "rule and topic rule, as far as they apply.",
    ),
}
# parameters of plots; other verbs have other parameters of these names
PLOTS = {
    "measures": (
        "sequence of str, optional",
        "Measures to draw, in this order; by default all.",
    ),
    "ax": (
        "Axes, optional",
        "Axes to draw on; by default new ones, sized to fit the rows or labels.",
    ),
    "value": ("str, optional", "Column of values, if it has another name."),
    "group": ("str, optional", "Column that distinguishes lines, if it has another name."),
    "legend": ('{"inside", "right", "below", "above"} or None', "Position of the legend."),
}
RETURNED = {
    "Axes": "Axes\n    The axes drawn on.",
    "Report": "Report\n"
    "    The table; `print` shows it as Markdown, and `.to_latex()`, `.to_html()`, `.to_frame()` and `.save(path)`\n"
    "    give it in other formats.",
}
SECTIONS = ("Parameters", "Returns", "Raises", "Warns", "Notes", "References", "Examples")


@functools.cache
def sections(text: str) -> Mapping[str, str]:
    """Return the sections of a numpydoc docstring by title; the text before them is under ''.

    Examples
    --------
    >>> sections("Return it." + chr(10) * 2 + "Parameters" + chr(10) + "-" * 10 + chr(10) + "x : int")
    {'': 'Return it.', 'Parameters': 'x : int'}
    """
    parts = re.split(r"(?m)^([A-Z][a-z ]+)\n-{3,}\n", inspect.cleandoc(text))
    bodies = [body.strip("\n") for body in parts[2::2]]
    return {"": parts[0].strip(), **dict(zip(parts[1::2], bodies))}


@functools.cache
def _entries(text: str) -> dict[str, str]:
    """Return the entries of a Parameters section by parameter; several parameters may share an entry."""
    return {
        name: entry
        for entry in [entry.rstrip() for entry in re.split(r"(?m)^(?=\S)", text) if entry]
        for name in re.split(r",\s*", entry.partition(":")[0].strip())
    }


@functools.cache
def indented(text: str) -> str:
    """Return a paragraph as the body of an entry.

    Examples
    --------
    >>> indented("Number of decimals.")
    '    Number of decimals.'
    """
    return textwrap.fill(text, WIDTH, initial_indent=" " * 4, subsequent_indent=" " * 4)


def completed(doc: str, names: Iterable[str], returns: str = "", returned: str = "") -> str:
    """Return a docstring with the texts of shared parameters, in the order of the names.

    Parameters
    ----------
    names : iterable of str
        Parameters of the signature; entries of other parameters are omitted.
    returns : str
        Name of the returned type.
    returned : str
        The Returns section, if the docstring has none and the type has no shared text.

    Examples
    --------
    >>> print(completed("Return the table.", ["digits"]))
    Return the table.
    <BLANKLINE>
    Parameters
    ----------
    digits : int
        Number of decimals.
    <BLANKLINE>
    """
    parts = dict(sections(doc))
    written = _entries(parts.pop("Parameters", ""))
    shared = {**SHARED, **PLOTS} if returns == "Axes" else SHARED
    entries = [_entry(name, written.get(name), shared) for name in names]
    if present := dict.fromkeys(filter(None, entries)):  # several parameters may share an entry
        parts["Parameters"] = "\n".join(present)
    if text := RETURNED.get(returns, returned):
        parts.setdefault("Returns", text)
    titles = [title for title in (*SECTIONS, *parts) if title in parts and title]
    bodies = [f"{title}\n{'-' * len(title)}\n{parts[title]}" for title in dict.fromkeys(titles)]
    return "\n\n".join([parts[""], *bodies]) + "\n"


def _entry(name: str, written: str | None, shared: Mapping[str, tuple[str, str]]) -> str:
    """Return the entry of a parameter: that of the docstring, the shared text, or both; empty without either."""
    head, _, body = (written or "").partition("\n")
    addition = body.strip().removeprefix("...")
    if written and (name not in shared or addition == body.strip()):
        return written
    if name not in shared:
        return ""
    kind, text = shared[name]
    head = head or f"{name} : {kind}"
    addition = " ".join(addition.split())
    return f"{head}\n{indented(f'{text} {addition}'.strip())}"


def return_type(function: Callable[..., Any]) -> str:
    """Return the name of the type that a function is annotated to return.

    Examples
    --------
    >>> return_type(return_type)
    'str'
    """
    annotation = function.__annotations__.get("return", "")
    return str(getattr(annotation, "__name__", annotation)).rpartition(".")[2]


def describes_parameters(function: Function) -> Function:
    """Add the texts of shared parameters to the docstring of a function.

    Examples
    --------
    >>> @describes_parameters
    ... def table(*, digits: int = 3):
    ...     "Return the table."
    >>> "digits : int" in table.__doc__
    True
    """
    if function.__doc__:
        function.__doc__ = completed(
            function.__doc__, inspect.signature(function).parameters, return_type(function)
        )
    return function
