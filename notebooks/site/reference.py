"""The reference pages, written from the registries: verbs, measures, tables, plots and functions."""

from __future__ import annotations

import inspect
from typing import Any

from notebooks.site import docstrings, pictures, registries
from pdeval.tables.schemas import Schema
from pdeval.verbs import Verb

Pages = dict[str, str]


def anchor(text: str) -> str:
    """Return the target by which a section is linked."""
    return "".join(letter if letter.isalnum() else "-" for letter in text.lower()).strip("-")


def linked(kinds: list[str] | tuple[str, ...], up: str) -> str:
    """Return kinds of table, each linked to its description."""
    names = ("runs" if kind == "judged" else kind for kind in kinds)
    links = [
        f"[{name.replace('_', ' ')}]({up}reference/tables.md#table-{anchor(name)})"
        for name in dict.fromkeys(names)
    ]
    return ", ".join(links)


def verb_pages() -> Pages:
    """Return one page for every family of verbs."""
    pages = {"join": join_page()}
    for family, members in registries.families().items():
        pages[family] = f"# {family}\n\n" + "\n".join(
            _verb(verb, alone=len(members) == 1) for verb in members
        )
    return {f"reference/verbs/{name}.md": text for name, text in sorted(pages.items())}


def join_page() -> str:
    """Return the page of the join."""
    signature = list(inspect.signature(registries.join).parameters.values())[1:]
    return "\n\n".join(
        [
            "# join",
            docstrings.first(registries.join.__doc__),
            f"```python\n{docstrings.call('runs.ireval.join', signature)}\n```",
            docstrings.body(registries.join.__doc__, level=2),
        ]
    )


def _verb(verb: Verb, *, alone: bool) -> str:
    level = 2 if alone else 3
    doc = registries.documentation(verb)
    made = [] if alone else [f"## .{verb.name}() of {_short(verb.on)}"]
    calls = [
        docstrings.call(f"{noun}.{verb.name}", list(s.parameters.values()))
        for noun, s in registries.accessors(verb).items()
    ]
    # an example first, then the signature
    made += [docstrings.first(doc), docstrings.example(doc)]
    made.append("```python\n" + "\n\n".join(calls[:3]) + "\n```")
    facts = [f"**Of** {linked(verb.on, '../../')}."]
    if verb.returns:
        facts.append(f"**Gives** {linked(verb.returns, '../../')}.")
    if verb.command:
        facts.append(f"**In a shell**: `pdeval {verb.name}`.")
    if verb.other_names:
        said = "; ".join(f"`{theirs}`: `{ours}`" for theirs, ours in verb.other_names.items())
        facts.append(f"**Elsewhere called** {said}.")
    made += [" ".join(facts), docstrings.body(doc, level=level, skip=("Examples",))]
    return "\n\n".join(part for part in made if part)


def _short(kinds: tuple[str, ...]) -> str:
    names = list(
        dict.fromkeys("runs" if kind == "judged" else kind.replace("_", " ") for kind in kinds)
    )
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def measure_pages() -> Pages:
    """Return one page for each family of what is asked for by name: metrics, preferences, orderings."""
    pages = {}
    for family, (page, title) in registries.FAMILIES.items():
        entries = [one for one in registries.ENTRIES.values() if one.family == family]
        pages[f"reference/{page}.md"] = (
            f"# {title}\n\n" + "\n\n".join(_measure(entry) for entry in entries) + "\n"
        )
    return pages


def index_entry(entry: Any) -> str:
    """Return the entry of a measure in the index: what its name stands for."""
    return str(entry.summary.partition(":")[0].rstrip(".").replace("-", " ").lower())


def _measure(entry: Any) -> str:
    facts = []
    parameters = ", ".join(f"`{name}={_value(value)}`" for name, value in entry.parameters.items())
    if parameters:
        facts.append(("Parameters", parameters))
    if entry.family == "metric":
        facts.append(("Values", f"{_number(entry.range[0])} to {_number(entry.range[1])}"))
        facts.append(("Better", "higher" if entry.higher else "lower"))
        facts.append(("Looks at", LOOKS[entry.kind]))
        if entry.aggregate != "mean":
            facts.append(("Over queries", entry.aggregate))
    if entry.aliases:
        facts.append(("Also called", ", ".join(f"`{name}`" for name in entry.aliases)))
    if entry.reference:
        facts.append(("Reference", docstrings.escaped(entry.reference)))
    table = "\n".join(f"- **{what}**: {text}" for what, text in facts)
    doc = inspect.getdoc(entry.kernel)
    # the search finds entries of the index: RBP by "rank biased"
    described = index_entry(entry)
    index = f"```{{index}} ! single: {described}\n```\n" if described else ""
    parts = [
        f"{index}(measure-{anchor(entry.name)})=\n## {entry.name}",
        docstrings.first(doc),
        table,
    ]
    parts.append(docstrings.body(doc, level=3))
    return "\n\n".join(part for part in parts if part)


LOOKS = {
    "binary": "relevant items",
    "graded": "items of positive grade",
    "judged": "all judged items",
    "subtopic": "relevant items and their subtopics",
    "items": "the items of the list, judged or not",
    "set": "all lists of a run together, and the catalog",
    "signed": "all items with a grade, negative grades included",
    "nuggets": "the nuggets of an answer",
    "citations": "the citations of an answer",
    "spans": "the characters of retrieved chunks",
    "abstention": "which queries were answered",
    "exposure": "the exposure of items or of groups of items",
}


def _value(value: Any) -> str:
    return value.__name__ if callable(value) else str(value)


def _number(value: float) -> str:
    return f"{value:g}" if abs(value) != float("inf") else ("∞" if value > 0 else "−∞")


def table_page() -> Pages:
    """Return the page of every kind of table: its columns, what a row is, and what can be done with it."""
    intro = (
        "# Tables\n\nEvery table that goes in or comes out, by the name that messages and `repr` use. "
        "Columns in brackets may be absent. `run`, `query` and `doc` stand for your own column names.\n\n"
    )
    made = [_table(schema) for _, schema in sorted(registries.SCHEMAS.items())]
    return {"reference/tables.md": intro + "\n\n".join(made) + "\n"}


def _table(schema: Schema) -> str:
    parts = [f"(table-{anchor(schema.name)})=\n## {schema.name.replace('_', ' ')}"]
    said = (
        f"A {schema.description}"
        if schema.description[0] not in "aeio"
        else f"An {schema.description}"
    )
    parts.append(f"{said}{': one row per ' + schema.row if schema.row else ''}.")
    if schema.square:
        parts.append("A square frame with the same labels as index and columns.")
    if schema.columns:
        rows = ["| column | holds | meaning |", "|---|---|---|"]
        for column in schema.columns:
            name = f"[`{column.name}`]" if column.optional else f"`{column.name}`"
            rows.append(
                f"| {name} | {column.holds} | {docstrings.escaped(schema.meaning(column.name))} |"
            )
        parts.append("\n".join(rows))
    able = [verb for verb in registries.verbs() if schema.name in verb.on and verb.family != "plot"]
    given = [verb for verb in registries.verbs() if schema.name in verb.returns]
    if given:
        parts.append(f"**From** {_verbs(given)}.")
    if able and schema.name != "judged":
        parts.append(f"**Can** {_verbs(able)}.")
    if pictures := [
        name
        for name, plot in registries.plots().items()
        if schema.name in registries.drawn_by(name, plot)
    ]:
        parts.append(
            "**Drawn by** " + ", ".join(f"[{name}](../plots/{name}.md)" for name in pictures) + "."
        )
    elif schema.no_plot:
        parts.append(f"Not drawn: {docstrings.escaped(schema.no_plot)}.")
    return "\n\n".join(parts)


def _verbs(verbs: list[Verb]) -> str:
    links = dict.fromkeys(f"[`.{verb.name}()`](verbs/{verb.family}.md)" for verb in verbs)
    return ", ".join(links)


def plot_pages() -> Pages:
    """Return the gallery, and one page for every plot."""
    gallery = ["# Plots", INTRO, ":::{container} gallery"]
    pages = {}
    for name, plot in registries.plots().items():
        kinds = registries.drawn_by(name, plot)
        default = next(
            (v.on for v in registries.verbs() if v.name == "plot" and v.function is plot), ()
        )
        description = docstrings.first(plot.__doc__)
        parameters = list(inspect.signature(plot).parameters.values())
        how = [f"table.ireval.plot.{name}"] if kinds else [f"pdeval.plots.{name}"]
        calls = [docstrings.call(one, parameters[1:] if kinds else parameters) for one in how]
        facts = (
            f"**Draws** {linked(kinds, '../')}." if kinds else f"A function: `pdeval.plots.{name}`."
        )
        if default:
            facts += f" It is what `.plot()` draws of {linked(default, '../')}."
        picture = _pictures(name, f"An example of {name}")
        code = "```python\n" + "\n".join(calls) + "\n```"
        code = f"```python\n{pictures.EXAMPLES[name]}\n```\n\n{code}"
        doc = docstrings.body(plot.__doc__, level=2)
        pages[f"plots/{name}.md"] = "\n\n".join(
            [f"# {name}", description, picture, code, facts, doc]
        )
        gallery.append(f"[{_pictures(name, f'{name}: {description}')} {name}]({name}.md)")
    return {"plots/index.md": "\n\n".join([*gallery, ":::"]) + "\n", **pages}


def _pictures(name: str, text: str) -> str:
    """Return the picture of a plot, of which the theme shows the one for its background."""
    return (
        f"![{text}](../pictures/{name}.png){{.only-light}}"
        f"![{text}](../pictures/{name}.dark.png){{.only-dark}}"
    )


INTRO = (
    "`.ireval.plot()` draws what suits a table; where there are several, they have names: "
    "`orders.ireval.plot.critical_difference()`. Every plot draws onto one `ax` (its own if none is given) and returns "
    "it. Colors are safe for color-blind readers, and patterns repeat them for gray print."
)


def function_page() -> Pages:
    """Return the page of what `pdeval` offers beside the verbs."""
    parts = [
        "# Functions",
        "What `pdeval` offers beside the [verbs](../verbs.md): reading, writing, and declaring your own.",
    ]
    for name, function in registries.functions().items():
        doc = inspect.getdoc(function)
        parts += [f"## {name}", docstrings.first(doc)]
        parts.append(
            f"```python\n{docstrings.call(name, list(inspect.signature(function).parameters.values()))}\n```"
        )
        parts.append(docstrings.body(doc, level=3))
    return {"reference/functions.md": "\n\n".join(parts)}


def report_page() -> Pages:
    """Return the page of what a report can do."""
    parts = ["# The report", "What [`.report()`](verbs/report.md) returns, and what becomes of it."]
    for name, method in registries.report_methods().items():
        doc = inspect.getdoc(method)
        parameters = list(inspect.signature(method).parameters.values())[1:]
        parts += [f"## .{name}()", docstrings.first(doc)]
        parts.append(f"```python\n{docstrings.call(f'report.{name}', parameters)}\n```")
        parts.append(docstrings.body(doc, level=3))
    return {"reference/report.md": "\n\n".join(parts)}


def pages() -> Pages:
    """Return every page of the reference by its path."""
    return {
        **verb_pages(),
        **measure_pages(),
        **table_page(),
        **plot_pages(),
        **function_page(),
        **report_page(),
    }
