"""Mutants: one small change each to a file of the package, such as a slip of the pen would make.

What only people read is left alone: docstrings, annotations, the text of errors and warnings, `repr`.
"""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.mutations.equivalent import EQUIVALENT

# files and functions whose work is text for people
TEXTS = {f"accessor/{name}.py" for name in ("describe", "documentation", "guesses", "stubs")}
TEXT_FUNCTIONS = {"__repr__", "__str__", "_repr_html_", "__dir__", "_misfit", "_some"}
TEXT_KEYWORDS = {"reference", "description", "means", "row", "no_report", "no_plot"}
# that a copy is made, a bar shown, the lengths of zipped rows checked: not seen in the result
UNSEEN_KEYWORDS = {"copy", "progress", "stacklevel", "strict"}

COMPARED = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
CALCULATED = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitOr,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}
_OPPOSITE = [
    ("min", "max"),
    ("minimum", "maximum"),
    ("any", "all"),
    ("argmin", "argmax"),
    ("floor", "ceil"),
]
_OPPOSITE_TEXT = [("left", "right"), ("first", "last")]
# constants that say how much is done at a time, and what is reckoned with them: memory, not the result
AT_A_TIME = {"BLOCK", "PAIR_BLOCK", "PATTERNS", "TILE", "BOOTSTRAP_PAIRS"}
# what a function of numpy does unasked, so that it may as well be left out
USUAL = {
    *((name, "axis", "0") for name in ("accumulate", "reduceat", "stack", "concatenate")),
    *((name, "axis", "-1") for name in ("argsort", "sort", "partition", "diff", "take_along_axis")),
    *((name, "dtype", "np.float64") for name in ("zeros", "ones", "empty")),
    ("searchsorted", "side", "'left'"),
    ("nan_to_num", "nan", "0.0"),
}
# in any order the same; and what only changes the type of what it is given
SYMMETRIC = {
    *(
        "isinstance",
        "min",
        "max",
        "np.minimum",
        "np.maximum",
        "np.add",
        "np.multiply",
        "np.equal",
        "np.not_equal",
    ),
    *("np.broadcast_shapes", "np.array_equal", "np.logical_and", "np.logical_or"),
}
CASTS = {"float", "int", "bool", "str", "list", "tuple", "np.asarray", "np.array"}
OPPOSITE = {a: b for pair in _OPPOSITE for a, b in (pair, pair[::-1])}
OPPOSITE_TEXT = {a: b for pair in _OPPOSITE_TEXT for a, b in (pair, pair[::-1])}


@dataclass(frozen=True)
class Mutant:
    """One change: the bytes `begin` to `end` of a file become `text`."""

    file: str
    line: int
    column: int
    begin: int
    end: int
    was: str
    text: str
    on: str  # the statement, or the header of a compound one, without white space and trailing commas

    @property
    def folder(self) -> str:
        """The folder of the file."""
        return self.file.split("/", maxsplit=1)[0]

    @property
    def change(self) -> str:
        """The change, to print and to list by hand."""
        return f"{_short(self.was)} -> {_short(self.text)}"

    @property
    def equivalent(self) -> bool:
        """Whether it is known that no test can tell it from the original."""
        return any(
            file == self.file and squeezed(text) in self.on and self.change in changes
            for file, text, changes, _ in EQUIVALENT
        )

    def draw(self, seed: int) -> str:
        """Return what samples are sorted by: it stays as it is when other lines change, and so does the sample."""
        told = f"{seed}|{self.file}|{self.on}|{self.column}|{self.change}"  # two equal numbers of a line are two draws
        return hashlib.sha256(told.encode()).hexdigest()

    def compiles(self, package: Path) -> bool:
        """Return whether it is Python at all; if not, it is no mutant."""
        try:
            ast.parse(self.applied((package / self.file).read_bytes()))
        except SyntaxError:
            return False
        return True

    def applied(self, source: bytes) -> bytes:
        """Return the file with the change made."""
        return source[: self.begin] + self.text.encode() + source[self.end :]


def squeezed(text: str) -> str:
    """Return code without what a formatter changes: white space, line breaks and trailing commas."""
    return re.sub(r",(?=[)\]}])", "", re.sub(r"\s+", "", text))


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 70 else text[:67] + "..."


def mutants(package: Path, folder: str) -> list[Mutant]:
    """Return all mutants of a folder, in the order of its files."""
    found: list[Mutant] = []
    for path in sorted((package / folder).rglob("*.py")):
        file = path.relative_to(package).as_posix()
        if file not in TEXTS:
            found += mutants_of(path.read_bytes(), file)
    return found


def mutants_of(source: bytes, file: str) -> list[Mutant]:
    """Return the mutants of one file."""
    lines = source.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    found = {}
    tree = ast.parse(source)
    statements = _statement_of_line(tree, lines)
    for node, text in _changes(tree):
        begin, end = (
            starts[node.lineno - 1] + node.col_offset,
            starts[node.end_lineno - 1] + node.end_col_offset,
        )
        on = statements[node.lineno]
        found[begin, end, text] = Mutant(
            file, node.lineno, node.col_offset, begin, end, source[begin:end].decode(), text, on
        )
    return [found[key] for key in sorted(found)]


def _statement_of_line(tree: ast.Module, lines: list[bytes]) -> dict[int, str]:
    """Return the innermost statement that each line belongs to; of a compound one its header."""
    texts: dict[int, str] = {}
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.stmt)]
    for node in sorted(
        nodes, key=lambda one: (one.lineno, -(one.end_lineno or 0))
    ):  # inner ones overwrite outer ones
        body = getattr(node, "body", None)
        last = max(body[0].lineno - 1, node.lineno) if body else node.end_lineno or node.lineno
        decorators = [one.lineno for one in getattr(node, "decorator_list", [])]
        first = min([node.lineno, *decorators])
        text = squeezed(b"".join(lines[first - 1 : last]).decode())
        texts.update(dict.fromkeys(range(first, (node.end_lineno or last) + 1), text))
    return texts


def _changes(tree: ast.Module) -> Iterator[tuple[ast.AST, str]]:
    """Yield nodes and the text that takes their place."""
    for node in _code(tree):
        if isinstance(node, ast.Compare):
            yield from _compared(node)
        elif (
            isinstance(node, ast.BinOp)
            and type(node.op) in CALCULATED
            and not _of_text(node)
            and not _by_one(node)
        ):
            yield node, _text(ast.BinOp(node.left, CALCULATED[type(node.op)](), node.right))
        elif isinstance(node, ast.Constant):
            yield from _constant(node)
        elif isinstance(node, ast.UnaryOp) and not isinstance(node.operand, ast.Constant):
            yield node, _text(node.operand)
        elif isinstance(node, ast.BoolOp):
            yield (
                node,
                _text(
                    ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)
                ),
            )
        elif isinstance(node, ast.Call):
            yield from _called(node)
        elif isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Load):
            name = node.id if isinstance(node, ast.Name) else node.attr
            if name in OPPOSITE:
                other = OPPOSITE[name]
                yield (
                    node,
                    other
                    if isinstance(node, ast.Name)
                    else ast.unparse(ast.Attribute(node.value, other)),
                )
        if isinstance(node, (ast.If, ast.IfExp, ast.While)) and not isinstance(
            node.test, (ast.Compare, ast.UnaryOp)
        ):
            yield node.test, f"(not ({ast.unparse(node.test)}))"
        yield from _statements(node)


def _compared(node: ast.Compare) -> Iterator[tuple[ast.AST, str]]:
    for place, op in enumerate(node.ops):
        ops = [*node.ops]
        ops[place] = COMPARED[type(op)]()
        yield node, _text(ast.Compare(node.left, ops, node.comparators))


def _constant(node: ast.Constant) -> Iterator[tuple[ast.AST, str]]:
    value = node.value
    if isinstance(value, bool):
        yield node, str(not value)
    elif isinstance(value, (int, float)):
        yield node, repr(value + 1)
    elif isinstance(value, str) and value in OPPOSITE_TEXT:
        yield node, repr(OPPOSITE_TEXT[value])


def _called(node: ast.Call) -> Iterator[tuple[ast.AST, str]]:
    plain = not any(isinstance(one, ast.Starred) for one in node.args)
    for place in range(
        len(node.args) - 1 if plain and ast.unparse(node.func) not in SYMMETRIC else 0
    ):
        args = [*node.args]
        args[place], args[place + 1] = args[place + 1], args[place]
        if ast.unparse(args[place]) != ast.unparse(args[place + 1]):
            yield node, ast.unparse(ast.Call(node.func, args, node.keywords))
    for keyword in node.keywords:
        if (
            keyword.arg is not None
            and keyword.arg not in TEXT_KEYWORDS | UNSEEN_KEYWORDS
            and not _usual(node, keyword)
        ):
            rest = [one for one in node.keywords if one is not keyword]
            yield node, ast.unparse(ast.Call(node.func, node.args, rest))


def _usual(node: ast.Call, keyword: ast.keyword) -> bool:
    return (
        ast.unparse(node.func).rpartition(".")[2],
        keyword.arg,
        ast.unparse(keyword.value),
    ) in USUAL


def _statements(node: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    """Yield what a statement may be lost to: nothing at all, or a part of what it returns."""
    if _may_be_lost(node):
        yield node, "pass"
    elif (
        isinstance(node, ast.Return)
        and isinstance(node.value, ast.BinOp)
        and not _of_text(node.value)
    ):
        yield node.value, _text(node.value.left)
    elif isinstance(node, ast.Return) and isinstance(node.value, ast.Call) and node.value.args:
        first = node.value.args[0]
        told = isinstance(first, (ast.Starred, ast.Constant, ast.GeneratorExp, ast.Lambda))
        if not told and ast.unparse(node.value.func) not in CASTS:
            yield node.value, _text(first)


def _may_be_lost(node: ast.AST) -> bool:
    if isinstance(
        node, ast.Assign
    ):  # a new name that is lost is a NameError, which is no test of the tests
        placed = all(isinstance(one, (ast.Subscript, ast.Attribute)) for one in node.targets)
        return placed or _names(node.targets) <= _names([node.value])
    called = isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
    return called or isinstance(node, (ast.AugAssign, ast.Raise, ast.Continue, ast.Break))


def _names(nodes: list[ast.expr]) -> set[str]:
    return {one.id for node in nodes for one in ast.walk(node) if isinstance(one, ast.Name)}


def _text(node: ast.expr) -> str:
    return f"({ast.unparse(node)})"


def _of_text(node: ast.BinOp) -> bool:
    texts = (ast.JoinedStr, ast.List, ast.ListComp)
    return any(
        isinstance(one, texts) or (isinstance(one, ast.Constant) and isinstance(one.value, str))
        for one in ast.walk(node)
    )


def _code(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a tree that run and are not for people to read."""
    yield node
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "type_comment"):
            continue
        unknown = ast.UnaryOp if name == "args" and _shapes(node) else ()
        for child in value if isinstance(value, list) else [value]:
            if (
                isinstance(child, ast.AST)
                and not isinstance(child, unknown)
                and not _for_people(child)
            ):
                yield from _code(child)


def _shapes(node: ast.AST) -> bool:
    """Return whether a call shapes an array: to numpy any negative number is the side that is not known."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "reshape"
    )


def _by_one(node: ast.BinOp) -> bool:
    """Return whether a number is only made a fraction: to multiply by 1.0 is to divide by it."""
    return (
        isinstance(node.op, (ast.Mult, ast.Div))
        and isinstance(node.right, ast.Constant)
        and node.right.value == 1.0
    )


def _for_people(node: ast.AST) -> bool:
    if isinstance(node, ast.Raise):
        node.exc = node.cause = None  # that it is raised counts, its text does not
        return False
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        return ast.unparse(node.value.func) == "table"  # the schemas have their own walk
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return node.name in TEXT_FUNCTIONS or "text" in node.name.split("_")
    if isinstance(node, ast.If):
        return ast.unparse(node.test) == "TYPE_CHECKING"
    if isinstance(node, ast.keyword):
        return node.arg in TEXT_KEYWORDS | UNSEEN_KEYWORDS
    if isinstance(node, ast.Call):
        named = ast.unparse(node.func)
        return named in ("cast", "TypeVar", "warnings.warn", "table", "get_args") or named.endswith(
            "warn_once"
        )
    if isinstance(node, ast.Assign):
        named = ast.unparse(node.targets[0])
        if AT_A_TIME & _names([*node.targets, node.value]):
            return isinstance(node.value, ast.Call | ast.BinOp | ast.BoolOp | ast.Constant)
        return named == "__all__" or (named[:1].isupper() and "Literal" in ast.unparse(node.value))
    return isinstance(node, (ast.JoinedStr, ast.Import, ast.ImportFrom))
