"""What is asked of ir_measures and cwl_eval on the data set of `same_names`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from tests.parity.same_names import K, Row, data

SUBTOPICS = (
    "needs subtopics: equal to ndeval on runs of the Web track, in `tests/parity/test_web_track.py`"
)
INTENT_AWARE = {
    "alpha_nDCG",
    "alpha_DCG",
    "ERR_IA",
    "nERR_IA",
    "AP_IA",
    "P_IA",
    "NRBP",
    "nNRBP",
    "StRecall",
}
NEEDED = {
    "RBP": "RBP(rel=1)",
    "IPrec": "IPrec@0.5",
    "Accuracy": "Accuracy@20",
}  # written with what they need
NOTES = {
    **dict.fromkeys(
        ("NumQ", "NumRel", "NumRet", "NumRelRet"),
        "the mean over queries; ir_measures returns the sum",
    ),
    "Accuracy": "a list without a relevant item down to the cutoff has no value in ir_measures, so it does not count",
}


def ir_measures_names() -> Iterable[str]:
    """Return the names of ir_measures' registry."""
    import ir_measures

    return list(ir_measures.measures.registry)


def ir_measures() -> Iterator[Row]:
    """Return ir_measures' names, each by the first of its providers that is here."""
    import ir_measures as there

    names = {"user_id": "query_id", "item_id": "doc_id"}
    run, qrels = (one.rename(columns=names) for one in data())
    run, qrels = run.drop(columns="rank"), qrels.astype({"relevance": int})
    for name, measure in there.measures.registry.items():
        cut = "@5" if "cutoff" in measure.SUPPORTED_PARAMS else ""
        own = "(max_rel=3)" if "max_rel" in measure.SUPPORTED_PARAMS else ""
        spelled = NEEDED.get(name, f"{name}{own}{cut}")
        if measure.NAME in INTENT_AWARE:
            yield Row(spelled, spelled, None, SUBTOPICS)
        elif name == "ERR":
            by_gdeval = "computed by gdeval, with the largest grade 4 and five decimals; equal to these decimals"
            yield Row(
                spelled,
                "ERR(max_grade=4)@5",
                None,
                f"{by_gdeval}, in `tests/parity/test_ir_measures.py`",
            )
        else:
            found = [
                one.value for one in there.iter_calc([there.parse_measure(spelled)], qrels, run)
            ]
            yield Row(spelled, spelled, np.mean(found), NOTES.get(name, ""))


def cwl_eval_names() -> Iterable[str]:
    """Return cwl_eval's user models."""
    import importlib
    import pkgutil

    from cwl.ruler import measures

    for module in pkgutil.iter_modules(measures.__path__):
        importlib.import_module(f"{measures.__name__}.{module.name}")
    from cwl.ruler.measures.cwl_metrics import CWLMetric

    return {one.__name__ for one in CWLMetric.__subclasses__()}


def cwl_eval() -> Iterator[Row]:
    """Return cwl_eval's names: expected utility, with gains of a third of the grade."""
    from cwl.ruler import cwl_ruler as there
    from cwl.ruler.measures.cwl_npv import NPVCWLMetric
    from cwl.ruler.measures.cwl_set import SETCWLMetric
    from cwl.ruler.ranking import Ranking

    lists, grades = data()
    grade = lists.merge(grades, how="left")["relevance"].fillna(0).astype(float)
    vectors = [own.to_numpy() for _, own in grade.groupby(lists["user_id"])]

    def ask(metric, binary):
        found = []
        for vector in vectors:
            gain = (vector > 0) * 1.0 if binary else vector / 3
            metric.measure(Ranking("q", gain, np.ones(len(gain))))
            found.append(metric.get_scores()[0])
        return np.mean(found)

    hits = "with gains of 0 and 1"
    yield Row("PrecisionCWLMetric(5)", "P@5", ask(there.PrecisionCWLMetric(K), True), hits)
    yield Row("RRCWLMetric()", "RR", ask(there.RRCWLMetric(), True), hits)
    yield Row("APCWLMetric()", "AP", ask(there.APCWLMetric(), True), hits)
    yield Row("RBPCWLMetric(0.8)", "RBP(p=0.8)", ask(there.RBPCWLMetric(0.8), True), hits)
    rate = f"{hits}; net present value is RBP with p = 1 / (1 + rate)"
    yield Row("NPVCWLMetric(0.25)", "RBP(p=0.8)", ask(NPVCWLMetric(0.25), True), rate)
    graded = {
        "INSTCWLMetric(1)": (there.INSTCWLMetric(1.0), "INST(max_grade=3)"),
        "INSQCWLMetric(1)": (there.INSQCWLMetric(1.0), "INSQ(max_grade=3)"),
        "BPMCWLMetric(1, 5)": (there.BPMCWLMetric(1.0, K), "BPM(max_grade=3)@5"),
        "BPMDCWLMetric(1, 5)": (there.BPMDCWLMetric(1.0, K), "BPMD(hc=0,max_grade=3)@5"),
        "NDCGCWLMetric(5)": (there.NDCGCWLMetric(K), "SDCG(max_grade=3)@5"),
        "NERReq8CWLMetric(5)": (there.NERReq8CWLMetric(K), "NERR8(max_grade=3)@5"),
        "NERReq9CWLMetric(5)": (there.NERReq9CWLMetric(K), "NERR9(max_grade=3)@5"),
        "NERReq10CWLMetric(0.9)": (there.NERReq10CWLMetric(0.9), "NERR10(max_grade=3)"),
        "NERReq11CWLMetric(1)": (there.NERReq11CWLMetric(1.0), "NERR11(max_grade=3)"),
        "TBGCWLMetric(22)": (there.TBGCWLMetric(22), "TBG(halflife=22,max_grade=3)"),
        "UMeasureCWLMetric(50)": (there.UMeasureCWLMetric(50), "U(L=50,max_grade=3)"),
        "SETCWLMetric(0.5, 5)": (SETCWLMetric(0.5, K), "SET(max_grade=3)@5"),
        "IFTGoalCWLMetric(2, 0.9, 10)": (
            there.IFTGoalCWLMetric(2.0, 0.9, 10.0),
            "IFT-goal(max_grade=3)",
        ),
        "IFTRateCWLMetric(0.2, 0.9, 10)": (
            there.IFTRateCWLMetric(0.2, 0.9, 10.0),
            "IFT-rate(max_grade=3)",
        ),
        "IFTGoalRateCWLMetric(2, 0.9, 10, 0.2, 0.9, 10)": (
            there.IFTGoalRateCWLMetric(2.0, 0.9, 10.0, 0.2, 0.9, 10.0),
            "IFT(max_grade=3)",
        ),
    }
    notes = {
        "BPMD": "the accepted cost is constant in cwl_eval: `hc=0`",
        "NDCG": "not normalized by the ideal",
    }
    for name, (metric, here) in graded.items():
        yield Row(name, here, ask(metric, False), notes.get(name.partition("CWL")[0], ""))
    yield Row(
        "TrAPCWLMetric()",
        "",
        None,
        "AP divided by the number of retrieved items, an error of 1992 that was corrected",
    )
