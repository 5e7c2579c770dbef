"""What trec_eval's `-m` means: measures, their cutoffs, and the names under which they are printed."""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

from pdeval.catalog import parse

Style = Literal["plain", "whole", "share", "text"]
DEPTHS = "5,10,15,20,30,100,200,500,1000"
TENTHS = "0,.1,.2,.3,.4,.5,.6,.7,.8,.9,1"
FIFTHS = ".2,.4,.6,.8,1,1.2,1.4,1.6,1.8,2"

# in the order in which trec_eval prints them: how parameters are written into the name, and which are the default.
# "whole" and "share" measures have one line per parameter (P_5, iprec_at_recall_0.10), "text" ones a single line
TABLE: dict[str, tuple[Style, str]] = {
    "runid": ("plain", ""),
    "num_q": ("plain", ""),
    "num_ret": ("plain", ""),
    "num_rel": ("plain", ""),
    "num_rel_ret": ("plain", ""),
    "map": ("plain", ""),
    "gm_map": ("plain", ""),
    "Rprec": ("plain", ""),
    "bpref": ("plain", ""),
    "recip_rank": ("plain", ""),
    "iprec_at_recall": ("share", TENTHS),
    "P": ("whole", DEPTHS),
    "relstring": ("text", ""),
    "recall": ("whole", DEPTHS),
    "infAP": ("plain", ""),
    "gm_bpref": ("plain", ""),
    "Rprec_mult": ("share", FIFTHS),
    "utility": ("text", ""),
    "11pt_avg": ("text", ""),
    "binG": ("plain", ""),
    "G": ("text", ""),
    "ndcg": ("text", ""),
    "ndcg_rel": ("text", ""),
    "Rndcg": ("text", ""),
    "ndcg_cut": ("whole", DEPTHS),
    "map_cut": ("whole", DEPTHS),
    "relative_P": ("whole", DEPTHS),
    "success": ("whole", "1,5,10"),
    "set_P": ("plain", ""),
    "set_relative_P": ("plain", ""),
    "set_recall": ("plain", ""),
    "set_map": ("plain", ""),
    "set_F": ("text", ""),
    "num_nonrel_judged_ret": ("plain", ""),
    "rbp": ("text", ""),
    "rbp_resid": ("text", ""),
    "unj": ("whole", "5,10,20"),
}
SETS = {
    "official": tuple(TABLE)[: tuple(TABLE).index("relstring")],
    "set": (*tuple(TABLE)[:5], "utility", "set_P", "set_relative_P", "set_recall", "set_map", "set_F"),
    "all_trec": tuple(TABLE),
}
# of the whole run, and of a query alone: neither is a number to average
TOTAL_ONLY = ("runid", "num_q", "gm_map", "gm_bpref")
QUERY_ONLY = ("relstring",)


class Line(NamedTuple):
    """One line of the output: the measure of trec_eval, the name that it prints, and pdeval's name for it."""

    measure: str
    name: str
    label: str | None


def lines(asked: list[str]) -> list[Line]:
    """Return the lines that a list of `-m` values asks for, in trec_eval's order.

    A name with parameters replaces the same name without; cutoffs given twice add up. pdeval's own names are
    understood too, and come last.

    Examples
    --------
    >>> [line.name for line in lines(["ndcg_cut.20,10", "P.5,7,3", "map"])]
    ['map', 'P_3', 'P_5', 'P_7', 'ndcg_cut_10', 'ndcg_cut_20']
    >>> [(line.name, line.label) for line in lines(["iprec_at_recall..10", "RBP(p=0.5)"])]
    [('iprec_at_recall_0.10', 'IPrec@0.1'), ('RBP(p=0.5)', 'RBP(p=0.5)')]
    """
    chosen: dict[str, list[str]] = {}
    others: dict[str, Line] = {}
    for text in asked or ["official"]:
        name, _, parameters = text.partition(".")
        if name not in TABLE and name not in SETS:
            name, parameters = _underscored(text)
        if name in SETS and not parameters:
            for member in SETS[name]:
                chosen.setdefault(member, [])
        elif name in TABLE:
            _check_takes(name, parameters, text)
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
    return (name, parameters) if numbered and _number(parameters) is not None else (text, "")


def _check_takes(name: str, parameters: str, text: str) -> None:
    style = TABLE[name][0]
    if parameters and style == "plain":
        raise ValueError(f"{name} takes no parameters, but {text!r} has some; write '-m {name}'.")
    if name == "relstring" and parameters and not parameters.isdecimal():
        raise ValueError(f"cannot read {parameters!r} in '-m {text}'; write a depth like '-m relstring.20'.")
    if style in ("whole", "share"):
        for part in filter(None, parameters.split(",")):
            value = _number(part)
            if value is None or not math.isfinite(value) or (style == "whole" and value < 1) or value < 0:
                raise ValueError(
                    f"cannot read {part!r} in '-m {text}'; write cutoffs like '-m {name}.{TABLE[name][1]}'."
                )


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _lines_of(name: str, given: list[str]) -> list[Line]:
    style, default = TABLE[name]
    if style == "plain":
        return [_line(name, name)]
    if style == "text":
        return [_line(name, f"{name}_{given[-1]}" if given else name)]
    texts = [part for text in given or [default] for part in text.split(",") if part]
    numbers = sorted({math.floor(float(text)) if style == "whole" else float(text) for text in texts})
    return [_line(name, f"{name}_{number:d}" if style == "whole" else f"{name}_{number:.2f}") for number in numbers]


def _line(measure: str, name: str) -> Line:
    if measure in ("runid", "num_q", "relstring"):
        return Line(measure, name, None)
    return Line(measure, name, parse(name).label)
