"""Names of measures in trec_eval: `P.5,10`, `ndcg.1=3,2=9`, and the names of sets such as `all_trec`."""

import math
import re
from typing import Literal

Style = Literal["plain", "integer", "fraction", "text"]
DEPTHS = "5,10,15,20,30,100,200,500,1000"
TENTHS = "0,.1,.2,.3,.4,.5,.6,.7,.8,.9,1"
FIFTHS = ".2,.4,.6,.8,1,1.2,1.4,1.6,1.8,2"

# in the order in which trec_eval prints them: the type of the parameters in the name, and their defaults.
# "integer" and "fraction" measures have one line per parameter (P_5, iprec_at_recall_0.10), "text" ones a single line
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
    "iprec_at_recall": ("fraction", TENTHS),
    "P": ("integer", DEPTHS),
    "relstring": ("text", ""),
    "recall": ("integer", DEPTHS),
    "infAP": ("plain", ""),
    "gm_bpref": ("plain", ""),
    "Rprec_mult": ("fraction", FIFTHS),
    "utility": ("text", ""),
    "11pt_avg": ("text", ""),
    "binG": ("plain", ""),
    "G": ("text", ""),
    "ndcg": ("text", ""),
    "ndcg_rel": ("text", ""),
    "Rndcg": ("text", ""),
    "ndcg_cut": ("integer", DEPTHS),
    "map_cut": ("integer", DEPTHS),
    "relative_P": ("integer", DEPTHS),
    "success": ("integer", "1,5,10"),
    "set_P": ("plain", ""),
    "set_relative_P": ("plain", ""),
    "set_recall": ("plain", ""),
    "set_map": ("plain", ""),
    "set_F": ("text", ""),
    "num_nonrel_judged_ret": ("plain", ""),
    "rbp": ("text", ""),
    "rbp_resid": ("text", ""),
    "unj": ("integer", "5,10,20"),
}
SETS = {
    "official": tuple(TABLE)[: tuple(TABLE).index("relstring")],
    "set": (
        *tuple(TABLE)[:5],
        "utility",
        "set_P",
        "set_relative_P",
        "set_recall",
        "set_map",
        "set_F",
    ),
    "all_trec": tuple(TABLE),
}
TEXTS = ("runid", "relstring")  # printed, but not numbers
SINCE_10 = ("rbp", "rbp_resid", "unj")  # not in version 9
# measures that need other judgments than a qrels file
OTHER_JUDGMENTS = ("prefs", "all_prefs", "qrels_jg")


def joined(names: list[str]) -> list[str]:
    """Return names that were split at commas, with the parameters of trec_eval's spelling joined to their measure.

    Examples
    --------
    >>> joined(["AP", "P.5", "10", "utility.2", "-1", "0", "0"])
    ['AP', 'P.5,10', 'utility.2,-1,0,0']
    """
    measures: list[str] = []
    for name in names:
        if measures and _dotted(measures[-1]) and re.fullmatch(r"[-+]?[\d.]+(=[-+.\d]+)?", name):
            measures[-1] += f",{name}"
        else:
            measures.append(name)
    return measures


def spelled_out(text: str) -> list[str] | None:
    """Return the measures of a name in trec_eval's spelling; None if it is not such a name.

    The texts `runid` and `relstring` are not measures and are omitted from the sets.

    Examples
    --------
    >>> spelled_out("P.5,10"), spelled_out("ndcg.1=3,2=9"), spelled_out("iprec_at_recall..125"), spelled_out("map")
    (['P_5', 'P_10'], ['ndcg_1=3,2=9'], ['iprec_at_recall_0.125'], None)
    >>> spelled_out("official")[:5]
    ['num_q', 'num_ret', 'num_rel', 'num_rel_ret', 'map']
    """
    if text in SETS:
        members = [name for name in SETS[text] if name not in TEXTS]
        return [name for member in members for name in exact_names(member, [])]
    if text in OTHER_JUDGMENTS:
        raise ValueError(
            f"{text!r} needs preference judgments or judgment groups, which pdeval does not support."
        )
    if not _dotted(text):
        return None
    name, _, parameters = text.partition(".")
    if name in TEXTS:
        raise ValueError(
            f"{name} is a text, not a measure. Print it with 'pdeval evaluate --trec-eval -m {text}'."
        )
    if name.startswith("rbp") and "=" not in parameters:  # ranx' rbp.95
        return None
    check_parameters(name, parameters, text)
    return exact_names(name, [parameters])


def _dotted(text: str) -> bool:
    name, dot, parameters = text.partition(".")
    return bool(dot and parameters) and name in TABLE


def check_parameters(name: str, parameters: str, text: str) -> None:
    """Raise if the parameters of a measure cannot be parsed.

    Examples
    --------
    >>> check_parameters("map", "5", "map.5")
    Traceback (most recent call last):
    ValueError: map has no parameters, but 'map.5' sets some. Write 'map'.
    """
    style, default = TABLE[name]
    if parameters and style == "plain":
        raise ValueError(f"{name} has no parameters, but {text!r} sets some. Write {name!r}.")
    if name == "relstring" and parameters and not parameters.isdecimal():
        raise ValueError(
            f"cannot parse {parameters!r} in {text!r}. Write a depth like 'relstring.20'."
        )
    if style in ("integer", "fraction"):
        for part in filter(None, parameters.split(",")):
            value = number(part)
            if (
                value is None
                or not math.isfinite(value)
                or (style == "integer" and value < 1)
                or value < 0
            ):
                raise ValueError(
                    f"cannot parse {part!r} in {text!r}. Write cutoffs like '{name}.{default}'."
                )


def cutoffs(name: str, given: list[str]) -> list[float]:
    """Return the cutoffs of a measure in ascending order, by default those of trec_eval; integers are rounded down.

    Examples
    --------
    >>> cutoffs("ndcg_cut", ["10,20,23.4"]), cutoffs("success", []), cutoffs("Rprec_mult", [".125"])
    ([10, 20, 23], [1, 5, 10], [0.125])
    """
    style, default = TABLE[name]
    texts = [part for text in given or [default] for part in text.split(",") if part]
    return sorted(
        {math.floor(float(text)) if style == "integer" else float(text) for text in texts}
    )


def exact_names(name: str, given: list[str]) -> list[str]:
    """Return the names of a measure with its parameters, unrounded, for `pdeval.parse`.

    Examples
    --------
    >>> exact_names("iprec_at_recall", [".125,1"]), exact_names("set_F", ["2"]), exact_names("map", [])
    (['iprec_at_recall_0.125', 'iprec_at_recall_1'], ['set_F_2'], ['map'])
    """
    if TABLE[name][0] in ("integer", "fraction"):
        return [
            f"{name}_{int(cutoff) if cutoff == int(cutoff) else cutoff}"
            for cutoff in cutoffs(name, given)
        ]
    return [f"{name}_{given[0]}" if given else name]


def number(text: str) -> float | None:
    """Return a text as a number, or None.

    Examples
    --------
    >>> number(".5"), number("x")
    (0.5, None)
    """
    try:
        return float(text)
    except ValueError:
        return None
