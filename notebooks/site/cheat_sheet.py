"""The cheat sheet of one page, from the registries, as HTML and PDF."""

from __future__ import annotations

import html
from pathlib import Path

from notebooks.site import docstrings, registries
from notebooks.site.contents import TASKS

FIRST = [
    ("pdeval.read_runs(folder), read_qrels(file)", "run files and judgments"),
    ("judged = runs.ireval.join(qrels)", "join once, evaluate many times"),
    ("by='family', metadata=table", "results of each group of queries, runs or collections"),
    ("replicate='seed'", "average over seeds within each query"),
    ("table.ireval.report().to_latex()", "also to_typst, to_html(interactive=True), save(path)"),
    ("pdeval.catalog('recall')", "search the measures"),
]
STYLE = """
@page { size: A4 landscape; margin: 8mm }
body { font: 6.6pt/1.2 system-ui, sans-serif; columns: 3; column-gap: 5mm; margin: 8mm }
h1 { font-size: 13pt; margin: 0 } h2 { font-size: 9pt; margin: 1.2mm 0 0.4mm; break-after: avoid }
p { margin: 0; padding-left: 3mm; text-indent: -3mm; break-inside: avoid } code { font-weight: 600 }
"""


def sections() -> dict[str, list[tuple[str, str]]]:
    """Return the titles of the sheet, each with calls and what they give."""
    made: dict[str, list[tuple[str, str]]] = {"Begin": FIRST}
    for title in TASKS.values():
        made[title] = []
    for family, members in registries.families().items():
        verb = max(members, key=lambda one: bool({"judged", "runs"} & set(one.on)))
        task = TASKS.get(verb.function.__module__.split(".")[1], TASKS["report"])
        made[task].append((f".{family}()", _short(verb.function.__doc__)))
    made["Tables and figures"].append((".plot()", "the figure that suits the table"))
    for family, (_, title) in registries.FAMILIES.items():
        names = [name for name, entry in registries.ENTRIES.items() if entry.family == family]
        made[title] = [("", ", ".join(names))]
    return {title: rows for title, rows in made.items() if rows}


def _short(doc: str | None) -> str:
    """Return the first line of a docstring up to its colon, without the markup of Markdown."""
    text = docstrings.first(doc).replace("\\", "").rstrip(".")
    return text.partition(": ")[0]


def as_html() -> str:
    """Return the sheet as a page of HTML."""
    lines = [
        f"<!doctype html><html lang='en'><meta charset='utf-8'><title>pdeval</title><style>{STYLE}</style>"
    ]
    lines.append("<h1>pdeval cheat sheet</h1>")
    for title, rows in sections().items():
        lines.append(f"<h2>{html.escape(title)}</h2>")
        for call, text in rows:
            code = f"<code>{html.escape(call)}</code> " if call else ""
            lines.append(f"<p>{code}{html.escape(text)}</p>")
    return "\n".join([*lines, "</html>"])


def as_typst() -> str:
    """Return the sheet as Typst markup."""
    from pdeval.report.typst import escape

    lines = [
        '#set page("a4", flipped: true, margin: 8mm, columns: 3)',
        "#set text(size: 7pt)",
        "#set par(leading: 0.35em, spacing: 0.45em, hanging-indent: 0.8em)",
        "#set heading(numbering: none)",
        "#show heading: set text(size: 8.5pt)",
        "= pdeval cheat sheet",
    ]
    for title, rows in sections().items():
        lines.append(f"== {escape(title)}")
        for call, text in rows:
            lines.append((f"*{escape(call)}* " if call else "") + escape(text) + "\n")
    return "\n".join(lines)


def write(folder: Path) -> None:
    """Write cheatsheet.html and cheatsheet.pdf into a folder."""
    import typst

    (folder / "cheatsheet.html").write_text(as_html(), encoding="utf-8")
    typst.compile(as_typst().encode(), output=folder / "cheatsheet.pdf")
