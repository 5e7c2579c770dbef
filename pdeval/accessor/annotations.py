"""Types that annotations name, for stubs and for the command line: annotations are texts until somebody asks."""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Callable
from functools import cache
from typing import Any

from pdeval.accessor.building import RULES
from pdeval.judged import judged, positions, prepared
from pdeval.verbs import Verb


def evaluated(of: Verb | Callable[..., Any], annotation: Any, name: str = "") -> Any:
    """Return the type that an annotation names, with the names of the file that wrote it.

    Parameters
    ----------
    of : Verb or function
        Whose annotation it is.
    name : str
        The parameter: a rule of the join is annotated where the join is written.

    Examples
    --------
    >>> evaluated(evaluated, "Verb | None")
    pdeval.verbs.Verb | None
    """
    if not isinstance(annotation, str):
        return annotation
    if isinstance(of, Verb) and name in RULES and name not in of.own:
        return eval(annotation, {**vars(prepared), **vars(positions), **vars(judged)})
    function = of.function if isinstance(of, Verb) else of
    try:
        return eval(annotation, function.__globals__)
    except NameError:  # only then is the file read once more
        return eval(annotation, {**typing_only(function.__module__), **function.__globals__})


@cache
def typing_only(module: str) -> dict[str, type]:
    """Return what a module imports for type checkers alone, each as an empty type of that name and home.

    Examples
    --------
    >>> typing_only("pdeval.accessor")["JudgedVerbs"].__module__
    'pdeval.accessor.typed'
    """
    try:
        tree = ast.parse(inspect.getsource(sys.modules[module]))
    except (OSError, TypeError):  # written in a notebook
        return {}
    found = {}
    for block in ast.walk(tree):
        if isinstance(block, ast.If) and ast.unparse(block.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING"):
            for node in block.body:
                if isinstance(node, ast.ImportFrom):
                    for one in node.names:
                        found[one.asname or one.name] = type(one.name, (), {"__module__": node.module})
    return found
