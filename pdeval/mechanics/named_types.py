"""Types that annotations name: annotations are texts until somebody asks."""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Callable
from functools import cache
from typing import Any


def named_type(annotation: Any, function: Callable[..., Any]) -> Any:
    """Return the type that an annotation of a function names, with the names of the file that wrote it.

    Examples
    --------
    >>> named_type("Callable | None", named_type)
    collections.abc.Callable | None
    """
    if not isinstance(annotation, str):
        return annotation
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
