"""What measures are declared with, written a second time from their definitions: defaults, limits, ends, sums."""

import math

import pytest

from pdeval.catalog import ENTRIES, parse

inf = math.inf
KERNELS = {
    name: one
    for name, one in ENTRIES.items()
    if one.family not in ("ordering", "answer", "exposure") and one.kind not in ("items", "set")
}
TENTHS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
GAINS = {"gain": "linear", "gains": None, "least": 0.0}
# who wants what, by number of items; the background is as large as the relevant items say
GRADES = {"grades": "items"}
SUBTOPICS = {"subtopics": "items", "background": 1.0}

GRADE_GAINS = {
    "max_grade": None,
    "min_grade": 0.0,
    "n": 1000,
}  # of C/W/L: grades to gains, and cwl_eval's depth
READER = {"model": "INST", "gain": "graded", **GRADE_GAINS}
FORAGING_GOAL, FORAGING_RATE = {"T": 2.0, "b1": 0.9, "R1": 10.0}, {"A": 0.2, "b2": 0.9, "R2": 10.0}

DEFAULTS = {
    "AP": {"norm": "m"},
    "SetP": {"relative": False},
    **{key: {"items": None} for key in ["AUC", "wAUC", "Fallout", "MCC"]},
    **{key: {"T": 1.0, **GRADE_GAINS} for key in ["INST", "INSQ", "BPM", "NERR11"]},
    "BPMD": {"T": 1.0, "hb": 1.0, "hc": 1.0, "median": 0.5, **GRADE_GAINS},
    **dict.fromkeys(["SDCG", "NERR8", "NERR9"], GRADE_GAINS),
    "NERR10": {"p": 0.9, **GRADE_GAINS},
    "TBG": {"halflife": 224.0, **GRADE_GAINS},
    "U": {"L": 1000.0, **GRADE_GAINS},
    "SET": {"beta": 0.5, **GRADE_GAINS},
    "IFT-goal": {**FORAGING_GOAL, **GRADE_GAINS},
    "IFT-rate": {**FORAGING_RATE, **GRADE_GAINS},
    "IFT": {**FORAGING_GOAL, **FORAGING_RATE, **GRADE_GAINS},
    **dict.fromkeys(["ETU", "ED"], READER),
    "ETC": {**READER, "cost": 1.0},
    **{key: {"norm": "weights"} for key in ["wR", "wAP"]},
    "wDCG": {"norm": "none", "gain": "linear"},
    "Sampled": {"of": "R", "negatives": None, "items": None, "estimator": "BV", "gamma": 0.1},
    "RR": {"i": 1},
    "F": {"beta": 1.0},
    "Rprec": {"mult": 1.0},
    "RBP": {"p": 0.8},
    "CG": GAINS,
    "DCG": {"discount": "log2(r+1)", "base": 2.0, **GAINS},
    "nDCG": {"discount": "log2(r+1)", "base": 2.0, **GAINS},
    "Compat": {"p": 0.95, "normalize": True},
    "Q": {"beta": 1.0},
    **{key: {"alpha": 0.5} for key in ["alpha-DCG", "alpha-nDCG", "ERR-IA", "nERR-IA"]},
    **{key: {"alpha": 0.5, "beta": 0.5} for key in ["NRBP", "nNRBP"]},
    **{key: {"gains": None} for key in ["nDCGrel", "RnDCG", "G"]},
    "IPrec": {"recall": 0.0, "points": "round"},
    "IPrecAvg": {"recalls": TENTHS, "points": "round"},
    "ESL": {"i": 1, "unretrieved": "never"},
    **{key: {"unretrieved": "never"} for key in ["ISL", "TSL"]},
    "ASL": {"unretrieved": "run", "n": inf},
    "SetF": {"beta": 1.0, "x": None},
    "Utility": {
        "hit": 1.0,
        "noise": -1.0,
        "miss": 0.0,
        "rest": 0.0,
    },  # trec_eval's utility, 1,-1,0,0
    "RBPresidual": {"p": 0.8},
    **{key: {"max_grade": None} for key in ["ERR", "nERR"]},
    "gRBP": {"p": 0.8, "max_grade": None},
    "RPP": {"weight": "uniform", **GRADES},
    **dict.fromkeys(["dcgRPP", "invRPP"], GRADES),
    "ST-RPP": {"weight": "uniform", **SUBTOPICS, "per_item": False},
    **dict.fromkeys(["ST-dcgRPP", "ST-invRPP"], SUBTOPICS),
    "EU": {"utility": "precision", "weight": "uniform", **GRADES},
    "ST-EU": {"utility": "precision", "weight": "uniform", **SUBTOPICS},
    **{key: {"recall": 0.95, "items": None, "rule": "cohen"} for key in ["WSS", "TNR"]},
    **{key: {"effort": 0.1, "items": None} for key in ["EffortRecall", "ERF"]},
    **{key: {"items": None} for key in ["ATD", "ReviewLoss"]},
    "D#-nDCG": {"gamma": 0.5},
    "UDCG": {"gamma": 1 / 3},
    "I": {"user": "uniform"},
    "OI": {"user": "uniform", "over": "all"},
}
# a share is from 0 to 1, a preference from -1 to 1
RANGES = {
    **dict.fromkeys(["GMAP", "GMbpref"], (1e-5, 1)),
    **dict.fromkeys(
        ["CG", "DCG", "ASL", "NumQ", "NumRet", "NumRel", "NumRelRet", "NumNonrelRet"], (0, inf)
    ),
    **dict.fromkeys(["ESL", "ISL", "TSL", "ED"], (1, inf)),
    **dict.fromkeys(["ETU", "ETC"], (0, inf)),
    **dict.fromkeys(["wR", "wDCG", "wAP"], (0, inf)),
    **dict.fromkeys(["Utility", "Sampled"], (-inf, inf)),
    **dict.fromkeys(["MCC", "WSS", "ERF"], (-1, 1)),
    "ATD": (1, inf),
}
OF_READERS = {
    *(
        "INST",
        "INSQ",
        "BPM",
        "BPMD",
        "SDCG",
        "NERR8",
        "NERR9",
        "NERR10",
        "NERR11",
        "TBG",
        "U",
        "SET",
    ),
    *("IFT-goal", "IFT-rate", "IFT", "ETU", "ED", "ETC"),
}
GRADED = {
    *OF_READERS,
    "GAP",
    "CG",
    "DCG",
    "wDCG",
    "nDCG",
    "Q",
    "nDCGrel",
    "RnDCG",
    "G",
    "ERR",
    "nERR",
    "gRBP",
    "Compat",
}
OF_SUBTOPICS = {
    *("alpha-DCG", "alpha-nDCG", "ERR-IA", "nERR-IA", "P-IA", "MAP-IA", "NRBP", "nNRBP", "strec"),
    *("D-nDCG", "D#-nDCG"),
    *("ST-RPP", "ST-dcgRPP", "ST-invRPP", "ST-EU"),
}
OF_JUDGED_ITEMS = {"Judged", "Unjudged", "RBPresidual"}
LESS_IS_BETTER = {
    "ESL",
    "ISL",
    "TSL",
    "ASL",
    "NumNonrelRet",
    "Unjudged",
    "RBPresidual",
    "ED",
    "ETC",
    "Fallout",
    "ATD",
    "ReviewLoss",
}
COUNTS = {"NumQ", "NumRet", "NumRel", "NumRelRet", "NumNonrelRet"}
OF_EMPTY_QUERIES = {
    *COUNTS,
    "GMAP",
    "GMbpref",
    "Utility",
    "Judged",
    "Unjudged",
    "RBPresidual",
    "ED",
    "ETC",
}
TWENTY = {"alpha-DCG", "alpha-nDCG", "ERR-IA", "nERR-IA", "P-IA", "strec"}  # ndeval's depth
TEN = {
    "BPM",
    "BPMD",
    "SET",
    "PartialAUC",
    "PAP",
    "D-nDCG",
    "D#-nDCG",
}  # cwl_eval's, and as of other cutoffs
PROBABILITY, NUMBER, PLACE, DIVISOR = (0, 1), (0, inf), (1, inf), (1e-6, inf)
LIMITS = {
    "p": PROBABILITY,
    "alpha": PROBABILITY,
    "recall": PROBABILITY,
    "effort": PROBABILITY,
    "mult": (0, 1e9),  # beyond it the cutoff is no index
    "max_grade": NUMBER,
    "min_grade": NUMBER,
    "cost": NUMBER,
    **dict.fromkeys(["T", "halflife", "L"], DIVISOR),
    "x": NUMBER,
    "background": NUMBER,
    "i": PLACE,
    "n": PLACE,
    "items": PLACE,
    "negatives": PLACE,
    "gamma": NUMBER,
}


@pytest.mark.parametrize("name", KERNELS)
def test_a_measure_without_parameters_is_its_definition(name):
    own = {key: value for key, value in KERNELS[name].parameters.items() if key != "k"}
    assert own == DEFAULTS.get(name, {})
    depth = {**dict.fromkeys(TWENTY, 20), **dict.fromkeys(TEN, 10), "PRES": 100}
    assert KERNELS[name].parameters.get("k", inf) == depth.get(name, inf)
    closed = KERNELS[name].expected
    if closed:  # the mean over the orders of ties takes the same
        assert {**KERNELS[name].parameters, **closed["kernel"].__kwdefaults__} == KERNELS[
            name
        ].parameters


@pytest.mark.parametrize("name", KERNELS)
def test_the_ends_and_the_direction_of_a_measure(name):
    made = KERNELS[name]
    assert made.range == RANGES.get(name, (0, 1) if made.family == "metric" else (-1, 1))
    assert made.higher is (name not in LESS_IS_BETTER)
    geometric = "geometric mean" if name in ("GMAP", "GMbpref") else "mean"
    assert made.aggregate == ("sum" if name in COUNTS else geometric)
    assert made.empty is (name in OF_EMPTY_QUERIES)


@pytest.mark.parametrize("name", KERNELS)
def test_which_items_a_measure_looks_at(name):
    kinds = {
        "graded": GRADED,
        "subtopic": OF_SUBTOPICS,
        "judged": OF_JUDGED_ITEMS,
        "signed": {"UDCG"},
    }
    assert KERNELS[name].kind == next(
        (kind for kind, names in kinds.items() if name in names), "binary"
    )


@pytest.mark.parametrize("name", KERNELS)
def test_parameters_are_refused_outside_their_limits(name):
    made = KERNELS[name]
    beta = PROBABILITY if made.kind == "subtopic" or name == "SET" else NUMBER
    gamma = PROBABILITY if name == "D#-nDCG" else NUMBER
    limits = {**LIMITS, "beta": beta, "gamma": gamma}
    for key, (low, high) in made.limits.items():
        assert (low, high) == limits[key]
    for key in made.parameters:
        if key in limits and name not in ("SetF", "gRBP"):
            low, high = limits[key]
            with pytest.raises(ValueError, match=key):
                parse(f"{name}({key}={low - 1})")
            if high < inf:
                with pytest.raises(ValueError, match=key):
                    parse(f"{name}({key}={high + 1})")
            assert parse(f"{name}({key}={max(low, 1)})").parameters[key] == 1
