"""Types that annotations of verbs name, for checks, stubs and the command line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pdeval.accessor.building import RULES
from pdeval.judged import judged, positions, prepared
from pdeval.mechanics.named_types import named_type
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
    if isinstance(annotation, str) and isinstance(of, Verb) and name in RULES and name not in of.own:
        return eval(annotation, {**vars(prepared), **vars(positions), **vars(judged)})
    return named_type(annotation, of.function if isinstance(of, Verb) else of)
