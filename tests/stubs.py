"""The stub of the accessors: `python -m tests.stubs` writes pdeval/accessor/typed.pyi from the declared verbs.

The methods of the accessors are set when pdeval is imported, so editors and type checkers cannot find them in the
source. typed.pyi declares them: `JudgedVerbs`, from which the join takes its types, and one class per kind of table.
"""

from __future__ import annotations

import collections.abc
import inspect
import json
import sys
import textwrap
import types
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin

from pdeval import accessor
from pdeval.accessor import ACCESSORS, Ireval, join
from pdeval.accessor.methods import evaluated, signature_of
from pdeval.files.atomic_write import replacing
from pdeval.join.judged import Judged
from pdeval.verbs import Verb, of_kind

FILE = Path(accessor.__file__).with_name("typed.pyi")
WIDTH = 120
TOP = '''"""The verbs of every accessor, for static tools. Written by `python -m tests.stubs`; do not edit."""'''
SHORT = {"pandas": "pd", "numpy": "np"}  # packages that are known by another name


def text() -> str:
    """Return the whole of typed.pyi."""
    names = Names()
    classes = [_accessor_class("JudgedVerbs", "judged", names.text_of(Judged), names)]
    for kind, made in sorted(ACCESSORS.items()):
        if of_kind(kind):
            classes.append(_accessor_class(made.__name__, kind, names.text_of(Ireval), names))
    body = "\n\n".join([names.imports(), "\n\n".join(classes)]) + "\n"
    long = any(len(line) > WIDTH for line in body.splitlines())
    return "\n".join(
        [TOP, "# fmt: off", f"# ruff: noqa: {'E501, ' if long else ''}PYI021", "", body]
    )


class Names:
    """The names that a stub writes for types, and the imports that they need."""

    def __init__(self) -> None:
        self.plain: set[str] = set()
        self.taken: dict[str, str] = {}

    def text_of(self, kind: Any) -> str:
        """Return how a type is written.

        Examples
        --------
        >>> names = Names()
        >>> names.text_of(Literal["a"] | None), names.text_of(list[int]), names.text_of(inspect.Signature)
        ('Literal["a"] | None', 'list[int]', 'Signature')
        """
        if kind is None or kind is type(None):
            return "None"
        if kind is Ellipsis:
            return "..."
        if kind is Any:
            return self._taken("typing", "Any")
        if isinstance(kind, str):
            return repr(kind)
        if isinstance(kind, list):  # the parameters of a Callable
            return f"[{', '.join(map(self.text_of, kind))}]"
        origin, inner = get_origin(kind), get_args(kind)
        if origin in (Union, types.UnionType):
            return " | ".join(dict.fromkeys(map(self.text_of, inner)))
        if origin is Literal:
            self._taken("typing", "Literal")
            return f"Literal[{', '.join(map(written, inner))}]"
        if origin is not None:
            return f"{self.text_of(origin)}[{', '.join(map(self.text_of, inner))}]"
        return self._class(kind)

    def _class(self, kind: Any) -> str:
        home, name = getattr(kind, "__module__", ""), getattr(kind, "__qualname__", "")
        if not home or not name:
            raise TypeError(f"no way to write the type {kind!r} into a stub.")
        package = home.partition(".")[0]
        if package == "builtins":
            return str(name)
        if package in SHORT:
            self.plain.add(package)
            return f"{SHORT[package]}.{name}"
        return self._taken(
            home if getattr(collections.abc, name, None) is not kind else "collections.abc", name
        )

    def _taken(self, home: str, name: str) -> str:
        if self.taken.setdefault(name, home) != home:
            raise TypeError(f"two types are called {name}: of {self.taken[name]} and of {home}.")
        return name

    def imports(self) -> str:
        """Return the import statements, in the order of linters."""
        homes: dict[str, list[str]] = {}
        for name, home in self.taken.items():
            homes.setdefault(home, []).append(name)
        lines = {
            home: f"from {home} import {', '.join(sorted(names))}" for home, names in homes.items()
        }
        packages = {name: f"import {name} as {SHORT[name]}" for name in self.plain}
        pdeval_imports = [lines[home] for home in sorted(lines) if home.startswith("pdeval")]
        standard = [
            lines[home]
            for home in sorted(lines)
            if home.partition(".")[0] in sys.stdlib_module_names
        ]
        others = [packages[name] for name in sorted(packages)]
        others += [
            lines[home] for home in sorted(lines) if lines[home] not in (*pdeval_imports, *standard)
        ]
        return "\n\n".join("\n".join(part) for part in (standard, others, pdeval_imports) if part)


def _accessor_class(name: str, kind: str, base: str, names: Names) -> str:
    """Return the class of an accessor: its verbs, those of a family in a nested class."""
    families: dict[str, list[Verb]] = {}
    for verb in of_kind(kind).values():
        families.setdefault(verb.family, []).append(verb)
    parts = []
    if kind == "runs":
        types_of = {name: evaluated(join, said) for name, said in join.__annotations__.items()}
        parts.append(_method("join", inspect.signature(join), types_of, join.__doc__, names, 4))
    for family, members in sorted(families.items()):
        if [verb.name for verb in members] == [family]:
            parts.append(_verb(members[0], kind, family, names, 4))
            continue
        inside = f"_{family.title().replace('_', '')}"
        methods = [
            _verb(verb, kind, verb.name.partition(".")[2] or "__call__", names, 8)
            for verb in sorted(members, key=lambda verb: verb.name)
        ]
        parts.append(
            "\n\n".join([f'    class {inside}:\n        """Verbs of {family}."""', *methods])
        )
        parts.append(f"    @property\n    def {family}(self) -> {inside}: ...")
    if "summary" in families:
        parts.append("    mean = summary")
    what = "a join" if kind == "judged" else f"a table of the kind {kind!r}"
    return "\n\n".join([f'class {name}({base}):\n    """The verbs of {what}."""', *parts])


def _verb(verb: Verb, kind: str, name: str, names: Names, indent: int) -> str:
    signature = signature_of(verb, kind)
    types_of = {
        one.name: evaluated(verb, one.annotation, one.name) for one in signature.parameters.values()
    }
    types_of["return"] = evaluated(verb, signature.return_annotation)
    return _method(name, signature, types_of, verb.function.__doc__, names, indent)


def _method(
    name: str,
    signature: inspect.Signature,
    types_of: dict[str, Any],
    doc: str | None,
    names: Names,
    indent: int,
) -> str:
    parameters = []
    for parameter in signature.parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY and "*" not in parameters:
            parameters.append("*")
        parameters.append(
            "self" if parameter.name == "self" else _parameter(parameter, types_of, names)
        )
    returned = names.text_of(types_of["return"])
    head = f"def {name}({', '.join(parameters)}) -> {returned}:"
    if len(head) + indent > WIDTH:
        head = "\n".join(
            [f"def {name}(", *(f"    {one}," for one in parameters), f") -> {returned}:"]
        )
    first = (doc or "").strip().partition("\n")[0]
    return textwrap.indent(f'{head}\n    """{first}"""', " " * indent)


def _parameter(parameter: inspect.Parameter, types_of: dict[str, Any], names: Names) -> str:
    text = f"{parameter.name}: {names.text_of(types_of[parameter.name])}"
    if parameter.default is inspect.Parameter.empty:
        return text
    return f"{text} = {written(parameter.default)}"


def written(value: Any) -> str:
    """Return a default as source: itself where it is simple, else dots.

    Examples
    --------
    >>> written("relevant"), written(None), written(("AP",))
    ('"relevant"', 'None', '...')
    """
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    return repr(value) if value is None or isinstance(value, bool | int | float) else "..."


if __name__ == "__main__":
    content = text()
    with replacing(FILE) as beside:
        beside.write_text(content, encoding="utf-8", newline="\n")
