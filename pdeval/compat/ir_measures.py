"""A provider of ir_measures that computes with pdeval: `import pdeval.compat.ir_measures` registers it.

    from ir_measures import AP, nDCG
    from pdeval.compat.ir_measures import provider
    provider.calc_aggregate([AP, nDCG @ 10], qrels, run)

Its numbers are those of ir_measures' own provider of these measures, pytrec_eval, to the last bit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

try:
    import ir_measures
    from ir_measures import providers
    from ir_measures.providers import base
except ImportError as error:
    raise ImportError("the provider needs ir_measures: pip install ir-measures.") from error

from pdeval.compat.pytrec_eval import RelevanceEvaluator

measures: Any = ir_measures.measures  # none of it has annotations
util: Any = ir_measures.util
SPECS: Any = base
NOT_PROVIDED = SPECS.NOT_PROVIDED
ANY, NEEDED, NONE = SPECS.Any(), SPECS.Any(required=True), SPECS.Choices(SPECS.NOT_PROVIDED)

# how trec_eval spells a measure, from its parameters; what is in no list below has neither rel= nor judged_only=
SPELLED: dict[str, Any] = {
    "AP": lambda m: "map" if m["cutoff"] is NOT_PROVIDED else f"map_cut_{m['cutoff']}",
    "Bpref": lambda _: "bpref",
    "IPrec": lambda m: f"iprec_at_recall_{m['recall']:.2f}",
    "NumQ": lambda _: "num_q",
    "NumRel": lambda _: "num_rel",
    "NumRet": lambda m: "num_ret" if m["rel"] is NOT_PROVIDED else "num_rel_ret",
    "P": lambda m: f"P_{m['cutoff']}",
    "R": lambda m: f"recall_{m['cutoff']}",
    "RR": lambda _: "recip_rank",
    "Rprec": lambda _: "Rprec",
    "SetAP": lambda _: "set_map",
    "SetF": lambda m: f"set_F.{m['beta']}",
    "SetP": lambda m: "set_relative_P" if m["relative"] else "set_P",
    "SetR": lambda _: "set_recall",
    "Success": lambda m: f"success_{m['cutoff']}",
    "infAP": lambda _: "infAP",
    "nDCG": lambda m: "ndcg" if m["cutoff"] is NOT_PROVIDED else f"ndcg_cut_{m['cutoff']}",
}


class PdevalProvider(providers.Provider):
    """ir_measures' measures that trec_eval defines, computed by pdeval.

    Examples
    --------
    >>> from ir_measures import AP, nDCG
    >>> qrels, run = {"q1": {"d1": 1, "d2": 0, "d3": 2}}, {"q1": {"d1": 0.5, "d2": 0.9}}
    >>> provider.calc_aggregate([AP, nDCG @ 3], qrels, run)
    {AP: 0.25, nDCG@3: 0.23981246656813146}
    """

    NAME = "pdeval"
    SUPPORTED_MEASURES = [  # noqa: RUF012
        measures._P(cutoff=NEEDED, rel=ANY, judged_only=ANY),
        measures._RR(cutoff=NONE, rel=ANY, judged_only=ANY),
        measures._Rprec(rel=ANY, judged_only=ANY),
        measures._AP(cutoff=ANY, rel=ANY, judged_only=ANY),
        measures._nDCG(cutoff=ANY, dcg=SPECS.Choices("log2"), gains=ANY, judged_only=ANY),
        measures._R(cutoff=NEEDED, judged_only=ANY),
        measures._Bpref(rel=ANY),
        measures._NumRet(rel=ANY),
        measures._NumQ(),
        measures._NumRel(rel=ANY),
        measures._SetAP(rel=ANY, judged_only=ANY),
        measures._SetF(rel=ANY, beta=ANY, judged_only=ANY),
        measures._SetP(rel=ANY, relative=ANY, judged_only=ANY),
        measures._SetR(rel=ANY),
        measures._Success(rel=ANY, cutoff=NEEDED, judged_only=ANY),
        measures._IPrec(recall=ANY, judged_only=ANY),
        measures._infAP(rel=ANY),
    ]

    def _evaluator(self, asked: Iterable[Any], qrels: Any) -> Evaluator:
        return Evaluator(list(asked), _held(util.QrelsConverter(qrels), qrels, "relevance"))


class Evaluator(providers.Evaluator):
    """Scores runs by some measures of ir_measures; made by the provider.

    Parameters
    ----------
    asked : list of measures of ir_measures
        What to compute.
    qrels : dict of dicts or DataFrame
        Judgments.
    """

    def __init__(self, asked: list[Any], qrels: Any) -> None:
        super().__init__(asked, set(qrels if isinstance(qrels, dict) else qrels["query_id"].unique()))
        groups: dict[Any, dict[str, Any]] = {}
        for measure in asked:
            if measure.NAME not in SPELLED:
                raise ValueError(f"unsupported measure {measure}: provider.supports(measure) tells which are.")
            groups.setdefault(_rules(measure), {})[SPELLED[measure.NAME](measure)] = measure
        self.groups = [(named, _evaluator(rules, named, qrels)) for rules, named in groups.items()]

    def _iter_calc(self, run: Any) -> Iterator[Any]:
        held = _held(util.RunConverter(run), run, "score")
        for named, evaluator in self.groups:
            for query, values in evaluator.evaluate(held).items():
                # a beta is not in the name of set_F
                for value, measure in zip(_in_order(values, named), named.values()):
                    yield ir_measures.Metric(query_id=query, measure=measure, value=value)


def _rules(measure: Any) -> tuple[Any, ...]:
    """Return by which rules a measure is computed: level, gains, judged items only, and the beta of SetF."""
    known = measure.SUPPORTED_PARAMS
    level = measure["rel"] if "rel" in known and measure["rel"] is not NOT_PROVIDED else 1
    gains = measure["gains"] if "gains" in known and measure["gains"] is not NOT_PROVIDED else {}
    only = bool(measure["judged_only"]) if "judged_only" in known else False
    beta = measure["beta"] if measure.NAME == "SetF" else None
    return level, tuple(sorted(gains.items())), only, beta


def _evaluator(rules: tuple[Any, ...], named: dict[str, Any], qrels: Any) -> RelevanceEvaluator:
    level, gains, only, _ = rules
    return RelevanceEvaluator(_regraded(qrels, dict(gains)), named, level, only)


def _regraded(qrels: Any, gains: dict[int, int]) -> Any:
    if not gains:
        return qrels
    if isinstance(qrels, dict):
        return {query: {doc: gains.get(grade, grade) for doc, grade in docs.items()} for query, docs in qrels.items()}
    grade = qrels["relevance"]
    return qrels.assign(relevance=grade.map(gains).fillna(grade).astype(grade.dtype))


def _in_order(values: dict[str, float], named: dict[str, Any]) -> Iterator[float]:
    for name in named:
        yield values["set_F" if name.startswith("set_F") else name]


def _held(converter: Any, given: Any, value: str) -> Any:
    """Return a table of ir_measures as a dict of dicts, where it is one, or as a frame of the columns that count."""
    if isinstance(given, dict):
        return given
    return converter.as_pd_dataframe()[["query_id", "doc_id", value]]


provider: Any = SPECS.register(PdevalProvider())  # type: ignore[no-untyped-call]
