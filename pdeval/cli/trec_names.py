"""What trec_eval's `-m` means: measures, their cutoffs, and the names under which they are printed."""

from __future__ import annotations

from typing import NamedTuple

from pdeval.catalog import parse
from pdeval.catalog.trec_eval import (
    OTHER_JUDGMENTS,
    SETS,
    SINCE_10,
    TABLE,
    check_parameters,
    cutoffs,
    exact_names,
    number,
)

# of the whole run, and of a query alone: neither is a number to average
TOTAL_ONLY = ("runid", "num_q", "gm_map", "gm_bpref")
QUERY_ONLY = ("relstring",)


class Line(NamedTuple):
    """One line of the output: the measure of trec_eval, the name that it prints, and the measure that is computed."""

    measure: str
    name: str
    label: str | None


def lines(asked: list[str], *, version: int = 10) -> list[Line]:
    """Return the lines that a list of `-m` values asks for, in trec_eval's order.

    A name with parameters replaces the same name without; cutoffs given twice add up. pdeval's own names are
    understood too, and come last.

    Parameters
    ----------
    version : {10, 9}
        Of trec_eval: version 9 has no rbp, rbp_resid and unj.

    Examples
    --------
    >>> [line.name for line in lines(["ndcg_cut.20,10", "P.5,7,3", "map"])]
    ['map', 'P_3', 'P_5', 'P_7', 'ndcg_cut_10', 'ndcg_cut_20']

    The name is rounded as trec_eval does, what is computed is not:

    >>> [(line.name, line.label) for line in lines(["iprec_at_recall..125", "RBP(p=0.5)"])]
    [('iprec_at_recall_0.12', 'iprec_at_recall_0.125'), ('RBP(p=0.5)', 'RBP(p=0.5)')]
    """
    lacking = SINCE_10 if version < 10 else ()
    chosen: dict[str, list[str]] = {}
    others: dict[str, Line] = {}
    for text in asked or ["official"]:
        name, _, parameters = text.partition(".")
        if name not in TABLE and name not in SETS:
            name, parameters = _underscored(text)
        if name in OTHER_JUDGMENTS:
            raise ValueError(
                f"'-m {name}' is not served: it is for preference judgments or judgment groups (-R prefs, qrels_jg), "
                "and pdeval reads qrels."
            )
        if name in lacking:
            raise ValueError(f"trec_eval 9 has no measure {name!r}: leave out '-m {text}', or '--compat trec_eval-9'.")
        if name in SETS and not parameters:
            for member in SETS[name]:
                if member not in lacking:
                    chosen.setdefault(member, [])
        elif name in TABLE:
            check_parameters(name, parameters, text)
            chosen.setdefault(name, []).extend([parameters] if parameters else [])
        else:
            label = parse(text).label
            others.setdefault(label, Line(label, label, label))
    found = [line for name in TABLE if name in chosen for line in _lines_of(name, chosen[name])]
    return [*found, *others.values()]


def _underscored(text: str) -> tuple[str, str]:
    """Return a printed name such as ndcg_cut_10, which scripts also pass to -m, as name and parameter."""
    name, _, parameters = text.rpartition("_")
    numbered = name in TABLE and TABLE[name][0] in ("whole", "share")
    return (name, parameters) if numbered and number(parameters) is not None else (text, "")


def _lines_of(name: str, given: list[str]) -> list[Line]:
    style, exact = TABLE[name][0], exact_names(name, given)
    printed = [f"{name}_{cutoff:.2f}" for cutoff in cutoffs(name, given)] if style == "share" else exact
    return [_line(name, *names) for names in zip(printed, exact)]


def _line(measure: str, name: str, exact: str) -> Line:
    if measure in ("runid", "num_q", "relstring"):
        return Line(measure, name, None)
    asked = parse(exact)
    if asked.parameters.get("rest") and measure == "utility":
        raise ValueError(
            "the fourth parameter of utility weighs the rest of the collection, whose size trec_eval takes from -N; "
            f"that is not served: make it 0 in {exact!r}, or ask for pdeval's own Utility(rest=...)."
        )
    return Line(measure, name, asked.label)
