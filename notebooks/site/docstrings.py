"""Docstrings to Markdown: numpydoc sections become headings, definition lists and blocks of code."""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Iterable, Sequence
from typing import Any

from pdeval.verbs.parameter_texts import sections

CODE = re.compile(r"(`+[^`]+`+)")
MARKUP = re.compile(r"([*_<>\[\]$])")
PROMPT = re.compile(r"^\s*(>>>|\.\.\.) ?")
WIDTH = 88


def escaped(text: str) -> str:
    """Return prose whose stars, brackets and underscores stand for themselves; code between backticks stays."""
    parts = CODE.split(text)
    return "".join(
        part if place % 2 else MARKUP.sub(r"\\\1", part) for place, part in enumerate(parts)
    )


def prose(text: str) -> str:
    """Return paragraphs, lists and indented code of a docstring as Markdown."""
    blocks = []
    for block in re.split(r"\n\s*\n", textwrap.dedent(text).strip("\n")):
        code = all(line.startswith("    ") for line in block.splitlines())
        blocks.append(
            f"```text\n{textwrap.dedent(block)}\n```" if code else escaped(block).replace("``", "`")
        )
    return "\n\n".join(blocks)


def entries(text: str) -> str:
    """Return the entries of a Parameters, Returns or Raises section as a definition list."""
    made = []
    for entry in re.split(r"(?m)^(?=\S)", text):
        head, _, body = entry.rstrip().partition("\n")
        if not head:
            continue
        names, _, kind = (part.strip() for part in head.partition(" : "))
        term = (
            ", ".join(f"`{name.strip()}`" for name in names.split(","))
            if kind or _name(names)
            else escaped(names)
        )
        term += f" : *{escaped(kind)}*" if kind else ""
        said = textwrap.indent(prose(body), "  ").strip() if body.strip() else "\N{NO-BREAK SPACE}"
        made.append(f"{term}\n: {said}\n")
    return "\n".join(made)


def _name(text: str) -> bool:
    return bool(re.fullmatch(r"\w+", text))


def examples(text: str) -> str:
    """Return doctests as blocks of Python sessions, and what stands between them as prose."""
    made = []
    for block in re.split(r"\n\s*\n", textwrap.dedent(text).strip("\n")):
        session = PROMPT.match(block) or (
            made and made[-1].startswith("```") and block.startswith(" ")
        )
        made.append(f"```pycon\n{block}\n```" if session else escaped(block))
    return "\n\n".join(made)


def body(doc: str | None, *, level: int, skip: Iterable[str] = ()) -> str:
    """Return a whole docstring as Markdown without its first paragraph, its sections under headings of a level."""
    found = dict(sections(doc or ""))  # the parts are cached
    rest = found.pop("", "").partition("\n\n")[2]
    made = [prose(rest)] if rest else []
    for title, text in found.items():
        if title in skip:
            continue
        made.append(f"{'#' * level} {title}")
        if title in ("Parameters", "Returns", "Raises", "Warns", "Attributes"):
            made.append(entries(text))
        else:
            made.append(examples(text) if title == "Examples" else prose(text))
    return "\n\n".join(made) + "\n"


def example(doc: str | None) -> str:
    """Return the example of a docstring."""
    return examples(sections(doc or "").get("Examples", ""))


def first(doc: str | None) -> str:
    """Return the first paragraph of a docstring as one line of Markdown."""
    text = re.sub(
        r"^Return,? ", "", " ".join(inspect.cleandoc(doc or "").partition("\n\n")[0].split())
    )
    return escaped(text[:1].upper() + text[1:])


def call(name: str, parameters: Sequence[inspect.Parameter]) -> str:
    """Return how a function is called, with its defaults, broken where it is long.

    Examples
    --------
    >>> call("f", list(inspect.signature(lambda a, *, b=1: 0).parameters.values()))
    'f(a, *, b=1)'
    """
    words = []
    starred = False
    for one in parameters:
        if one.kind is one.KEYWORD_ONLY and not starred:
            words.append("*")
            starred = True
        starred = starred or one.kind is one.VAR_POSITIONAL
        sign = {one.VAR_POSITIONAL: "*", one.VAR_KEYWORD: "**"}.get(one.kind, "")
        words.append(
            f"{sign}{one.name}" + ("" if one.default is one.empty else f"={_written(one.default)}")
        )
    line = f"{name}({', '.join(words)})"
    if len(line) <= WIDTH:
        return line
    inside = textwrap.fill(
        ", ".join(words), WIDTH - 4, break_long_words=False, break_on_hyphens=False
    )
    return f"{name}(\n{textwrap.indent(inside, '    ')},\n)"


def _written(value: Any) -> str:
    if inspect.isfunction(value) or inspect.isclass(value):
        return str(value.__name__)
    return repr(value)
