"""Options from a verb: what its signature and its docstring say, as a shell can type it.

Literals are choices, booleans are flags, lists stand between commas, a DataFrame is a file, a run is its name. What
can only be said in Python (mappings, functions, pairs of runs) has no option.
"""

from __future__ import annotations

import argparse
import collections.abc
import inspect
import re
import types
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Union, get_args, get_origin

import pandas as pd

from pdeval.accessor.docstrings import of_door
from pdeval.accessor.methods import evaluated, signature_of
from pdeval.verbs import Verb
from pdeval.verbs.parameter_texts import sections

SHELL = ("qrels", "measures", "progress")  # what files, -m and --quiet say
LETTERS = {"level": "-l", "depth": "-M", "judged_only": "-J"}  # as trec_eval has them
FORMERLY = {"draws": "bootstrap"}  # options that have another name now
LISTS = (collections.abc.Sequence, collections.abc.Iterable, collections.abc.Collection, list, tuple)


@dataclass(frozen=True)
class Form:
    """How a parameter is typed: one of some words, a number, a text, a flag, a file, or several of them."""

    choices: tuple[str, ...] = ()
    numbers: tuple[type, ...] = ()
    text: bool = False
    flag: bool = False
    file: bool = False
    several: Form | None = None
    nothing: bool = False

    @property
    def single(self) -> bool:
        """Whether one value may stand alone."""
        return bool(self.choices or self.numbers or self.text)

    def read(self, text: str) -> Any:
        """Return the value that a text says."""
        if text in self.choices:
            return text
        if self.nothing and text.lower() == "none":
            return None
        for kind, pattern in ((int, r"[+-]?\d+"), (float, r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?inf")):
            if kind in self.numbers and re.fullmatch(pattern, text):
                return number_of(text, kind)
        if self.text:
            return text
        if self.choices:
            raise argparse.ArgumentTypeError(f"invalid choice: {text!r} (choose from {', '.join(self.choices)})")
        raise argparse.ArgumentTypeError(f"{text!r} is not a {'whole ' if float not in self.numbers else ''}number")


def number_of(text: str, kind: type) -> Any:
    """Return the number that digits say, or raise where they are more than Python reads.

    Examples
    --------
    >>> number_of("12", int)
    12
    """
    try:
        return kind(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"a number of {len(text):,} characters is too large") from None


def form_of(annotation: Any, said: str = "") -> Form | None:
    """Return how a parameter of this type is typed, or None where a shell cannot say it.

    Parameters
    ----------
    said : str
        Its type in the docstring: an `object` that is a run is typed by its name.

    Examples
    --------
    >>> form_of(Literal["a", "b"] | None).choices, form_of(float | list[float]).several.numbers
    (('a', 'b'), (<class 'float'>,))
    >>> form_of(dict[str, str]) is None, form_of(object, "run, optional").text
    (True, True)
    """
    found: dict[str, Any] = {"choices": (), "numbers": ()}
    for part in get_args(annotation) if get_origin(annotation) in (Union, types.UnionType) else (annotation,):
        origin = get_origin(part)
        if origin is Literal:
            found["choices"] += tuple(str(one) for one in get_args(part) if one is not None)
        elif origin in (Union, types.UnionType):
            inner = form_of(part, said)
            found |= {} if inner is None else {"choices": found["choices"] + inner.choices}
        elif part is bool:
            found["flag"] = True
        elif part in (int, float):
            found["numbers"] += (part,)
        elif part is str or (part in (object, Any) and re.match(r"run\b", said)):
            found["text"] = True
        elif isinstance(part, type) and issubclass(part, pd.DataFrame):
            found["file"] = True
        elif origin in LISTS and get_args(part):
            found["several"] = form_of(get_args(part)[0], said)
    form = Form(**found)
    return form if form.single or form.flag or form.file or form.several else None


@dataclass(frozen=True)
class Option:
    """One option: the parameter, its form, what can be typed, and what argparse is told about it."""

    name: str
    form: Form
    flags: tuple[str, ...]
    settings: dict[str, Any] = field(default_factory=dict)

    def add_to(self, group: argparse._ActionsContainer) -> None:
        """Add it to a parser; what is not typed is left to the verb's own default."""
        group.add_argument(*self.flags, dest=self.name, default=argparse.SUPPRESS, **self.settings)
        if self.name in FORMERLY:
            group.add_argument(f"--{FORMERLY[self.name]}", action=Renamed, now=self.flags[-1], help=argparse.SUPPRESS)

    def value(self, typed: Any) -> Any:
        """Return what the verb is given: a list of one is that one where it may stand alone."""
        if self.form.several is not None and self.form.single and len(typed) == 1:
            return typed[0]
        return typed


class Renamed(argparse.Action):
    """An option that has another name now, and says so."""

    def __init__(self, option_strings: list[str], dest: str, *, now: str, help: str | None = None) -> None:
        super().__init__(option_strings, dest, nargs="?", default=argparse.SUPPRESS, help=help)
        self.now = now

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        parser.error(f"{self.option_strings[0]} is now {self.now}")


def options_of(verb: Verb, readers: dict[str, Callable[[str], Any]] | None = None) -> list[Option]:
    """Return the options of a verb: its own, then the rules of the join.

    Parameters
    ----------
    readers : mapping of parameter to function, optional
        What checks a text that names an entry of a registry, where the annotation only says that it is a text.

    Examples
    --------
    >>> from pdeval.verbs import VERBS
    >>> [option.flags[-1] for option in options_of(VERBS["judged"]["prefer"])]
    ['--baseline', '--by', '--metadata', '--level', '--topics', '--ties', '--compat', '--depth',
    '--judged-only', '--validate']
    """
    parameters = list(signature_of(verb, "runs").parameters.values())[1:]
    said = described(of_door(verb, [parameter.name for parameter in parameters]))
    found = []
    for parameter in parameters:
        kind, meaning = said.get(parameter.name, ("", ""))
        form = form_of(annotation := evaluated(verb, parameter.annotation, parameter.name), kind)
        if parameter.name not in SHELL and form is not None:
            if parameter.default is not None and type(None) in get_args(annotation):
                form = replace(form, nothing=True)  # another default than None, so that None has to be said
            found.append(_option(parameter, form, meaning, (readers or {}).get(parameter.name)))
    return found


def _option(parameter: inspect.Parameter, form: Form, meaning: str, reader: Callable[[str], Any] | None) -> Option:
    name, metavar = parameter.name, parameter.name.upper()
    settings: dict[str, Any] = {}
    flags = (*filter(None, [LETTERS.get(name)]), f"--{name.replace('_', '-')}")
    words = form.choices or (form.several.choices if form.several else ()) or _names(meaning)
    meaning = _for_a_shell(meaning)
    if form.flag and not form.single:
        settings["action"] = "store_true" if parameter.default is False else argparse.BooleanOptionalAction
    elif form.file:
        metavar = settings["metavar"] = "FILE"
    elif form.several is not None:
        metavar = settings["metavar"] = f"{name.upper()}[,...]"
        settings |= {"type": _listed(form, reader), "action": "extend"}
    else:
        metavar = settings["metavar"] = _metavar(name, form)
        settings["type"] = reader or form.read
    if words and not metavar.startswith("{") and not all(word in meaning for word in words):
        meaning = f"{meaning} One of {', '.join(words)}."
    if parameter.default is inspect.Parameter.empty:
        settings["required"] = True
    settings["help"] = _help(meaning.replace(f"`{name}`", metavar), parameter.default)
    return Option(name, form, flags, settings)


def _listed(form: Form, reader: Callable[[str], Any] | None) -> Callable[[str], list[Any]]:
    inner = form.several or form
    return lambda text: [(reader or inner.read)(part) for part in split(text, sentences=inner.text)]


def _names(meaning: str) -> tuple[str, ...]:
    """Return the names that the entry of a parameter lists, one each line: `- "name": what it is`."""
    return tuple(re.findall(r"(?m)^\s*- [\"'](.+?)[\"']:", meaning))


def _for_a_shell(meaning: str) -> str:
    """Return the first paragraph of a parameter's entry without what only Python can do."""
    sentences = re.split(r"(?<=[.:]) (?=[A-Z`@])", " ".join(meaning.partition("\n\n")[0].split()))
    return " ".join(one for one in sentences if "pdeval." not in one and one != "There are:")


def _metavar(name: str, form: Form) -> str:
    words = "{" + ",".join(form.choices) + "}"
    if form.choices and not form.text and not form.numbers and len(words) <= 50:
        return words
    if form.numbers and not form.text:
        return "N" if float not in form.numbers else "X"
    return "RUN" if name == "baseline" else name.upper()


def _help(meaning: str, default: Any) -> str:
    text = meaning.replace("`", "").replace("%", "%%")
    shown = default is not None and default is not False and default != () and default is not inspect.Parameter.empty
    if not shown or "default" in text.lower():
        return text
    value = {True: "yes"}.get(default, default) if isinstance(default, bool) else default
    listed = ",".join(map(str, value)) if isinstance(value, list | tuple) else value
    return f"{text.removesuffix('.')} (default: {listed}).".strip()


def described(doc: str) -> dict[str, tuple[str, str]]:
    """Return (type, meaning) of every parameter that a docstring describes, the meaning in its lines.

    Examples
    --------
    >>> list(described(split.__doc__)), described(form_of.__doc__)["said"][0]
    (['sentences'], 'str')
    """
    found = {}
    for entry in filter(str.strip, re.split(r"(?m)^(?=\S)", sections(doc).get("Parameters", ""))):
        head, _, body = entry.partition("\n")
        names, _, kind = head.partition(" : ")
        for name in names.split(","):
            found[name.strip()] = kind.strip(), inspect.cleandoc(body)
    return found


def split(text: str, *, sentences: bool = False) -> list[str]:
    """Return the names in a text, which commas outside of brackets part.

    Parameters
    ----------
    sentences : bool
        Whether it may be prose, where a comma with a blank behind it parts nothing.

    Examples
    --------
    >>> split("AP,RBP(p=0.8,k=10), nDCG@10"), split("On two, or three,twice", sentences=True)
    (['AP', 'RBP(p=0.8,k=10)', 'nDCG@10'], ['On two, or three', 'twice'])
    """
    depth, parts = 0, [""]
    for letter, after in zip(text, text[1:] + "x"):
        depth += (letter in "([{") - (letter in ")]}")
        if letter == "," and depth == 0 and not (sentences and after.isspace()):
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip()]
