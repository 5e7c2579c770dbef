"""A provider of ir_measures that computes with pdeval: `import pdeval.compat.ir_measures` registers it.

    from ir_measures import AP, nDCG
    from pdeval.compat.ir_measures import provider
    provider.calc_aggregate([AP, nDCG @ 10], qrels, run)

Values are equal to those of the provider that ir_measures uses for a measure: to the last bit if that is pytrec_eval,
else to rounding (gdeval prints 5 decimals). Equal scores are ordered as there, too; only Compat takes another order of
items with the same grade and score in the ideal ranking. Spellings for which ir_measures has no definition are not
supported: RBP without rel=, nDCG with dcg='exp-log2' and gains=, and measures of subtopics without a cutoff or with
judged_only=True.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import product
from typing import Any

import pandas as pd

try:
    import ir_measures
    from ir_measures import providers
    from ir_measures.providers import base
except ImportError as error:
    raise ImportError("the provider needs ir_measures: pip install ir-measures.") from error

from pdeval.catalog import parse
from pdeval.compat.pytrec_eval import RelevanceEvaluator, dict_table
from pdeval.evaluate import Views
from pdeval.join import Judged, NothingJudged, positions
from pdeval.tables import Table, read

measures: Any = ir_measures.measures  # none of it has annotations
util: Any = ir_measures.util
SPECS: Any = base
NOT_PROVIDED = SPECS.NOT_PROVIDED
ANY, NEEDED, NONE = SPECS.Any(), SPECS.Any(required=True), SPECS.Choices(SPECS.NOT_PROVIDED)
ALL = SPECS.Choices(False)  # of judged_only=

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
    "RR": lambda m: "recip_rank" if m["cutoff"] is NOT_PROVIDED else None,
    "Rprec": lambda _: "Rprec",
    "SetAP": lambda _: "set_map",
    "SetF": lambda m: f"set_F.{m['beta']}",
    "SetP": lambda m: "set_relative_P" if m["relative"] else "set_P",
    "SetR": lambda _: "set_recall",
    "Success": lambda m: f"success_{m['cutoff']}",
    "infAP": lambda _: "infAP",
    "nDCG": lambda m: _ndcg(m) if m["dcg"] == "log2" else None,
}

# the order of equal scores, by measures that trec_eval does not define: by document id, from the last (docid) or the
# first (ascending), or as in the table (first)
SUBTOPICS = (
    "ERR_IA",
    "nERR_IA",
    "alpha_DCG",
    "alpha_nDCG",
    "NRBP",
    "nNRBP",
    "AP_IA",
    "P_IA",
    "StRecall",
)
TIES: dict[str, str] = {
    **dict.fromkeys(["ERR", "nDCG"], "docid"),
    **dict.fromkeys(["RR", "Judged", "Compat"], "ascending"),
    **dict.fromkeys(
        ["RBP", "BPM", "SDCG", "NERR8", "NERR9", "NERR10", "NERR11", "INST", "INSQ", "Accuracy"],
        "first",
    ),
    **dict.fromkeys(SUBTOPICS, "ascending"),
}


def _ndcg(measure: Any) -> str:
    return "ndcg" if measure["cutoff"] is NOT_PROVIDED else f"ndcg_cut_{measure['cutoff']}"


class PdevalProvider(providers.Provider):
    """ir_measures' measures, computed by pdeval.

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
        measures._RR(cutoff=ANY, rel=ANY, judged_only=ANY),
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
        measures._nDCG(cutoff=ANY, dcg=ANY, gains=NONE, judged_only=ANY),
        measures._ERR(cutoff=ANY),
        measures._RBP(cutoff=ANY, rel=NEEDED, p=ANY),
        measures._Judged(cutoff=ANY),
        measures._Compat(p=ANY, normalize=ANY),
        measures._Accuracy(cutoff=ANY, rel=ANY),
        measures._BPM(cutoff=NEEDED, T=ANY, min_rel=ANY, max_rel=NEEDED),
        measures._SDCG(cutoff=NEEDED, dcg=SPECS.Choices("log2"), min_rel=ANY, max_rel=NEEDED),
        measures._NERR8(cutoff=NEEDED, min_rel=ANY, max_rel=NEEDED),
        measures._NERR9(cutoff=NEEDED, min_rel=ANY, max_rel=NEEDED),
        measures._NERR10(p=ANY, min_rel=ANY, max_rel=NEEDED),
        measures._NERR11(T=ANY, min_rel=ANY, max_rel=NEEDED),
        measures._INST(T=ANY, min_rel=ANY, max_rel=NEEDED),
        measures._INSQ(T=ANY, min_rel=ANY, max_rel=NEEDED),
        measures._ERR_IA(cutoff=NEEDED, rel=ANY, judged_only=ALL),
        measures._nERR_IA(cutoff=NEEDED, rel=ANY, judged_only=ALL),
        measures._alpha_DCG(cutoff=NEEDED, alpha=ANY, rel=ANY, judged_only=ALL),
        measures._alpha_nDCG(cutoff=NEEDED, alpha=ANY, rel=ANY, judged_only=ALL),
        measures._NRBP(alpha=ANY, beta=ANY, rel=ANY),
        measures._nNRBP(alpha=ANY, beta=ANY, rel=ANY),
        measures._AP_IA(rel=ANY, judged_only=ALL),
        measures._P_IA(cutoff=NEEDED, rel=ANY, judged_only=ALL),
        measures._StRecall(cutoff=NEEDED, rel=ANY),
    ]

    def _evaluator(self, requested: Iterable[Any], qrels: Any) -> Evaluator:
        requested = list(requested)
        if unsupported := [measure for measure in requested if not self.supports(measure)]:
            raise ValueError(
                f"unsupported measure {unsupported[0]}. Check measures with provider.supports(measure)."
            )
        if isinstance(qrels, dict):
            return Evaluator(requested, dict_table(qrels, "qrels").frame, set(qrels))
        frame = util.QrelsConverter(qrels).as_pd_dataframe()
        return Evaluator(requested, frame, set(frame["query_id"]))


class Evaluator(providers.Evaluator):
    """Computes measures of ir_measures; returned by `provider.evaluator(measures, qrels)`.

    Parameters
    ----------
    requested : list of measures of ir_measures
        Measures to compute.
    qrels : DataFrame
        Judgments.
    queries : set of str
        Judged queries, also those without any judgment.
    """

    def __init__(self, requested: list[Any], qrels: pd.DataFrame, queries: set[str]) -> None:
        super().__init__(requested, queries)
        groups: dict[Any, dict[str, Any]] = {}
        others: dict[Any, list[Any]] = {}
        for measure in requested:
            name = SPELLED[measure.NAME](measure) if measure.NAME in SPELLED else None
            if name is None:
                others.setdefault((TIES[measure.NAME], measure.NAME in SUBTOPICS), []).append(
                    measure
                )
            else:
                groups.setdefault(_rules(measure), {})[name] = measure
        items = qrels[["query_id", "doc_id", "relevance"]]
        # the iterations of ir_measures are subtopics
        with_subtopics = items.assign(subtopic=qrels.get("iteration", "0"))
        self.groups = [
            (measures, RelevanceEvaluator(_regraded(items, dict(gains)), measures, level, only))
            for (level, gains, only, _), measures in groups.items()
        ]
        self.others = [
            (measures, ties, read(with_subtopics if subtopics else items, "qrels"))
            for (ties, subtopics), measures in others.items()
        ]

    def iter_calc(self, run: Any) -> Iterator[Any]:
        """Yield the values of a run; a query without one has the default of the measure, but none of Accuracy."""
        rows = (
            run
            if isinstance(run, dict)
            else util.RunConverter(run).as_pd_dataframe()[["query_id", "doc_id", "score"]]
        )
        # a beta is not in the name of set_F
        metrics = [
            ir_measures.Metric(
                query_id=query,
                measure=measure,
                value=values["set_F" if name.startswith("set_F") else name],
            )
            for measures, evaluator in self.groups
            for query, values in evaluator.evaluate(rows).items()
            for name, measure in measures.items()
        ]
        for requested, ties, judgments in self.others:
            metrics += _values(requested, judgments, rows, ties)
        expected = product((one for one in self.measures if one.NAME != "Accuracy"), self.qrel_qids)
        missing = set(expected) - {(metric.measure, metric.query_id) for metric in metrics}
        yield from metrics
        yield from (
            ir_measures.Metric(query_id=query, measure=measure, value=measure.DEFAULT)
            for measure, query in sorted(missing, key=lambda one: (str(one[0]), one[1]))
        )


def _values(requested: list[Any], judgments: Table, rows: Any, ties: str) -> Iterator[Any]:
    """Yield the values of measures that trec_eval does not define."""
    runs = dict_table(rows, "runs") if isinstance(rows, dict) else read(rows, "runs")
    if not len(runs.frame) or not len(judgments.frame):
        return
    if ties == "ascending":
        runs = replace(
            runs, frame=runs.frame.sort_values(runs.roles["doc"], kind="stable", ignore_index=True)
        )
    try:
        joined = positions.join(runs, judgments, ties="docid" if ties == "docid" else "first")
    except NothingJudged:
        return
    views = Views(Judged(joined, None, "judged"))
    for measure in requested:
        parsed = parse(measure)
        # ir_measures leaves out lists without a relevant item
        kept = (
            views.values(parse("Success", level=parsed.level, k=parsed.parameters["k"]))[:, 0] > 0
            if measure.NAME == "Accuracy"
            else joined.answered[:, 0]
        )
        yield from (
            ir_measures.Metric(query_id=query, measure=measure, value=value)
            for query, value in zip(joined.queries[kept], views.values(parsed)[kept, 0].tolist())
        )


def _rules(measure: Any) -> tuple[Any, ...]:
    """Return the rules of a measure: level, gains, judged items only, and the beta of SetF."""

    def value(name: str, default: Any) -> Any:
        provided = name in measure.SUPPORTED_PARAMS and measure[name] is not NOT_PROVIDED
        return measure[name] if provided else default

    return (
        value("rel", 1),
        tuple(sorted(value("gains", {}).items())),
        bool(value("judged_only", False)),
        measure["beta"] if measure.NAME == "SetF" else None,
    )


def _regraded(qrels: pd.DataFrame, gains: dict[int, int]) -> pd.DataFrame:
    grade = qrels["relevance"]
    return qrels.assign(relevance=grade.map(gains).fillna(grade).astype(grade.dtype))


provider: Any = SPECS.register(PdevalProvider())  # type: ignore[no-untyped-call]
