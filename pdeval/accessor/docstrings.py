"""The docstrings of the doors: a verb's own, with the judgments in front, the rules of the join, what is returned."""

from __future__ import annotations

import functools
import inspect
import re
import textwrap
from typing import Any

from pdeval.tables.schemas import SCHEMAS
from pdeval.verbs import Verb

# what the join is told, wherever a verb makes one: (type, meaning)
RULES = {
    "level": ("float, optional", "The least grade that counts as relevant; by default any positive grade."),
    "topics": (
        "{'relevant', 'judged', 'answered', 'common'}",
        "Which queries count: those with a relevant item (a query that a run did not answer is its worst case); every "
        "judged one; what each run answered; what every run answered.",
    ),
    "ties": (
        "{'docid', 'rank', 'first', 'expected'}, optional",
        "Order of equal scores: document id descending, as trec_eval; the rank column; the order of rows; the mean "
        "over all orders. By default 'docid' where there are scores, else 'rank'.",
    ),
    "compat": ("{'trec_eval-10', 'trec_eval-9', 'pref_eval'}", "Whose arithmetic, where tools differ."),
    "depth": ("int, optional", "Look only at the first `depth` items of each list."),
    "judged_only": (
        "bool",
        "Take items that nobody judged out of the lists before they are ranked, as trec_eval's -J does; by default "
        "they stay, as non-relevant ones.",
    ),
    "validate": (
        "bool",
        "Look for duplicate documents (about a third of the time of a join); if not, the best place of each counts.",
    ),
    "items": (
        "DataFrame or bound accessor, optional",
        "Every item that could be recommended, for measures that look at items: its id, and columns of numbers or "
        "features (genres, embeddings), one row per item or one per item and genre.",
    ),
    "history": (
        "DataFrame or bound accessor, optional",
        "What users had before, for measures that look at items: user, item.",
    ),
}
# what every verb is told of groups: (type, meaning)
GROUPS = {
    "by": (
        "str or list of str, optional",
        "Column(s) that group queries (their category), runs (their family) or stacked collections: the "
        "results of all groups, stacked, with these columns in front. Columns of the tables, or of `metadata`; a "
        "column that runs and judgments both have tells collections apart, and nothing is joined across them.",
    ),
    "metadata": ("DataFrame or list of them, optional", "What queries or runs are, one row each, for `by`."),
    "replicate": (
        "str or list of str, optional",
        "Column(s) of the run that tell replicates of a system apart, such as the seed: values are averaged over them "
        "within each query first, so that n counts queries.",
    ),
}
QRELS = (
    "DataFrame, nested dict or bound accessor",
    "Judgments: query, doc, grade, maybe subtopic; a table of any library, or query -> doc -> grade.",
)
GROUPS["machine"] = (
    "DataFrame, nested dict or bound accessor, optional",
    "Judgments by a machine, of the queries that people labelled and of more. `qrels` are then people's, and estimates "
    "and intervals are about what people would say of all queries, which holds where people labelled a random sample "
    "of them. `measure` and `prefer` give both values, in the columns value and machine.",
)
ORDER = ("Parameters", "Returns", "Raises", "Warns", "Notes", "References", "Examples")


@functools.cache
def _sections(text: str) -> tuple[tuple[str, str], ...]:
    parts = re.split(r"(?m)^([A-Z][a-z ]+)\n-{3,}\n", inspect.cleandoc(text))
    bodies = [body.strip("\n") for body in parts[2::2]]
    return (("", parts[0].strip()), *zip(parts[1::2], bodies))


def sections(text: str) -> dict[str, str]:
    """Return the sections of a numpydoc docstring by title; what comes before them is under ''.

    Examples
    --------
    >>> sections("Return it." + chr(10) * 2 + "Parameters" + chr(10) + "-" * 10 + chr(10) + "x : int")
    {'': 'Return it.', 'Parameters': 'x : int'}
    """
    return dict(_sections(text))


@functools.cache
def parameter(name: str, what: tuple[str, str]) -> str:
    """Return the entry of a parameter."""
    return f"{name} : {what[0]}\n{_wrapped(what[1], 4)}"


def _wrapped(text: str, indent: int) -> str:
    return textwrap.fill(text, 116, initial_indent=" " * indent, subsequent_indent=" " * indent)


@functools.cache
def returned(verb: Verb) -> str:
    """Return the Returns section that the schemas of a verb's tables make."""
    lines = []
    for name in verb.gives:
        schema = SCHEMAS[name]
        lines.append("DataFrame")
        if schema.square:
            lines.append(_wrapped(f"A {schema.says} with the same labels as index and columns.", 4))
            continue
        row = f"One row per {schema.row}: " if schema.row else ""
        lines.append(_wrapped(f"{row}{schema.listed}.", 4))
        meanings = [f"- `{c.name}`: {schema.means[c.name]}." for c in schema.columns if c.name in schema.means]
        if meanings:
            lines += [
                "",
                *(textwrap.fill(one, 116, initial_indent=" " * 4, subsequent_indent=" " * 6) for one in meanings),
            ]
    return "\n".join(lines)


@functools.cache
def _entries(text: str) -> dict[str, str]:
    """Return the entries of a Parameters section, by the parameters that each is of."""
    entries = [entry.rstrip() for entry in re.split(r"(?m)^(?=\S)", text) if entry]
    return {name: entry for entry in entries for name in re.split(r",\s*", entry.partition(":")[0].strip())}


def of_door(verb: Verb, names: list[str]) -> str:
    """Return the docstring of a verb at a door whose parameters are these.

    The verb's own text says the rest: its judgments and rules are added where the door takes them, and what it returns
    is said by the schemas of its tables.
    """
    found = sections(verb.function.__doc__ or "")
    own = _entries(found.get("Parameters", ""))
    made = []
    for name in names:
        if name in own:
            if own[name] not in made:  # several parameters may share an entry
                made.append(own[name])
        elif name == "qrels":
            made.append(parameter(name, QRELS))
        elif name in RULES:
            made.append(parameter(name, RULES[name]))
        elif name in GROUPS:
            made.append(parameter(name, GROUPS[name]))
    if made:
        found["Parameters"] = "\n".join(made)
    else:
        found.pop("Parameters", None)
    if "Returns" not in found and verb.gives:
        found["Returns"] = returned(verb)
    whole = [found.pop("")]
    for title in [*ORDER, *(title for title in found if title not in ORDER)]:
        if title in found:
            whole.append(f"{title}\n{'-' * len(title)}\n{found[title]}")
    return "\n\n".join(whole) + "\n"


def undocumented(names: list[str], doc: str) -> list[str]:
    """Return the parameters of a door that its docstring does not name."""
    said: Any = sections(doc).get("Parameters", "")
    keys = [key.strip() for line in re.findall(r"(?m)^(\S[^:]*):", said) for key in line.split(",")]
    return [name for name in names if name not in keys]
