"""pytrec_eval in every bit of every double, and ir_measures."""

from __future__ import annotations

import math
from collections.abc import Iterator
from importlib.util import find_spec

import pdeval
from tests.differential import answers, plain
from tests.differential.answers import Difference
from tests.differential.cases import Case

TEXTS = ("runid", "relstring", "num_q")
LOGARITHMS = (
    "gm_map",
    "gm_bpref",
)  # pytrec_eval gives the logarithm of a query's value, pdeval the value
IR_MEASURES = {
    "AP": "AP", "AP@3": "AP@3", "nDCG": "nDCG", "nDCG@3": "nDCG@3", "P@5": "P@5", "R@5": "R@5", "RR": "RR",
    "Rprec": "Rprec", "Success@2": "Success@2", "IPrec@0.5": "IPrec(recall=0.5)", "Bpref": "Bpref", "SetP": "SetP",
    "SetR": "SetR", "SetF": "SetF", "NumRet": "NumRet", "infAP": "infAP",
}  # fmt: skip


def fit(case: Case) -> bool:
    """Return whether trec_eval's code could hold the case: whole grades, ids that end where C strings do.

    pytrec_eval 0.5.11 crashes (segmentation fault) where all judgments of a query are negative.
    """
    if any(max(docs.values()) < 0 for docs in case.grades().values()):
        return False
    ids = [str(one) for row in case.runs for one in row[1:3]] + [
        str(one) for row in case.judgments for one in row[::2]
    ]
    return all(float(row[3]).is_integer() for row in case.judgments) and not any(
        "\0" in one for one in ids
    )


def dictionaries(case: Case):
    """Return ({query: {doc: grade}}, {run: {query: {doc: score}}})."""
    grades = {
        query: {doc: int(grade) for doc, grade in docs.items()}
        for query, docs in case.grades().items()
    }
    held: dict[tuple, dict[str, dict[str, float]]] = {}
    for run, query, doc, score, _ in case.runs:
        held.setdefault(run, {}).setdefault(str(query), {})[str(doc)] = float(score)
    return grades, held


def pytrec_eval(case: Case) -> Iterator[Difference | None]:
    """Compare all measures of pytrec_eval."""
    import pytrec_eval as peer

    if not fit(case):
        return
    level = max(int(case.rules.level or 1), 1)
    grades, held = dictionaries(case)
    asked = set(peer.supported_measures) - set(TEXTS)
    oracle = peer.RelevanceEvaluator(grades, asked, relevance_level=level)
    theirs = {}
    for run, lists in held.items():
        for query, values in oracle.evaluate(lists).items():
            for name, value in values.items():
                theirs[run, query, name] = math.exp(value) if name in LOGARITHMS else value
    names = list(dict.fromkeys(name for *_, name in theirs)) or ["map"]
    back = {pdeval.parse(name).label: name for name in names}
    again = case.under(
        level=level, queries="answered", ties="docid", compat="trec_eval-9", depth=None
    )
    found = {
        (run, query, back[name]): v
        for (run, query, name), v in answers.measured(again, names).items()
    }
    exact, logs = (
        {k: v for k, v in found.items() if (k[2] in LOGARITHMS) == wanted}
        for wanted in (False, True)
    )
    yield from answers.differences(
        "pytrec_eval", exact, {k: v for k, v in theirs.items() if k[2] not in LOGARITHMS}, bits=True
    )
    yield from answers.differences(
        "pytrec_eval", logs, {k: v for k, v in theirs.items() if k[2] in LOGARITHMS}
    )


def ir_measures(case: Case) -> Iterator[Difference | None]:
    """Compare what ir_measures computes with its own providers."""
    import ir_measures as peer

    if not fit(case):
        return
    level = max(int(case.rules.level or 1), 1)
    grades, held = dictionaries(case)
    wanted = {}
    for theirs, ours in IR_MEASURES.items():
        base, _, cut = theirs.partition("@")
        relative = level > 1 and base not in ("nDCG", "NumRet")
        name = f"{base}(rel={level})" if relative else base
        wanted[peer.parse_measure(name + ("@" + cut if cut else ""))] = ours
    values = {}
    for run, lists in held.items():
        for one in answers.quiet(
            lambda lists=lists: list(peer.iter_calc(list(wanted), grades, lists))
        ):
            values[run, one.query_id, wanted[one.measure]] = one.value
    again = case.under(
        level=level, queries="judged", ties="docid", compat="trec_eval-9", depth=None
    )
    yield from answers.differences("ir_measures", answers.measured(again, wanted.values()), values)


def naive(case: Case) -> Iterator[Difference | None]:
    """Compare the measures with their definitions in plain Python; where ties may be averaged over, that too."""
    yield from answers.differences(
        "plain", answers.measured(case, plain.MEASURES), plain.scores(case)
    )
    if case.subtopics:
        ours = answers.measured(case, plain.SUBTOPICS)
        yield from answers.differences("plain, subtopics", ours, plain.subtopic_scores(case))
    if case.rules.depth is None:  # which of tied items are deep enough is not averaged over
        mean = plain.expected(case)
        if mean is not None:
            again = case.under(ties="expected")
            yield from answers.differences(
                "plain, expected", answers.measured(again, plain.EXPECTED), mean
            )


def present(package: str) -> bool:
    """Return whether a package is installed."""
    return find_spec(package) is not None
