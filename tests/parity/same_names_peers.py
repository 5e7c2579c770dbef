"""What is asked of each peer on the data set of `same_names`, and what each of its names is here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pandas as pd

from tests.parity.same_names import ITEMS, Peer, Row, data

RATINGS = "measures predicted ratings, not rankings"


def ranx_names() -> Iterable[str]:
    """Return the names that ranx' switch of metrics knows."""
    from ranx.metrics import metric_switch

    return [text for text in metric_switch.__code__.co_consts if isinstance(text, str) and " " not in text]


def ranx() -> Iterator[Row]:
    """Return ranx' names."""
    from ranx import Qrels, Run, evaluate

    lists, grades = data()
    run = Run.from_df(lists, q_id_col="user_id", doc_id_col="item_id", score_col="score")
    judged = grades.astype({"relevance": "int64"})
    qrels, binary = (
        Qrels.from_df(one, q_id_col="user_id", doc_id_col="item_id", score_col="relevance")
        for one in (judged, judged.assign(relevance=judged["relevance"].clip(upper=1)))
    )
    spelled = {
        "hits@5": "NumRelRet@5", "hit_rate@5": "Success@5", "precision@5": "P@5", "recall@5": "R@5", "f1@5": "F@5",
        "r-precision": "Rprec", "mrr": "RR", "map": "AP", "map@5": "AP@5", "map@5-l2": "AP(level=2)@5",
        "dcg@5": "DCG@5", "dcg_burges@5": "DCG(gain=exp)@5", "ndcg@5": "nDCG@5", "ndcg_burges@5": "nDCG(gain=exp)@5",
        "bpref": "Bpref",
    }  # fmt: skip
    for name, here in spelled.items():
        yield Row(name, here, evaluate(qrels, run, name))
    graded = "with grades 0 and 1: it adds up higher grades as they are, and can exceed 1"
    yield Row("rbp.95", "RBP(p=0.95)", evaluate(binary, run, "rbp.95"), graded)


def torchmetrics_names() -> Iterable[str]:
    """Return the public names of torchmetrics' retrieval."""
    import torchmetrics.retrieval

    return torchmetrics.retrieval.__all__


def torchmetrics() -> Iterator[Row]:
    """Return the names of torchmetrics' retrieval."""
    import torch
    from torchmetrics import retrieval as there

    lists, grades = data()
    grade = lists.merge(grades, how="left")["relevance"].fillna(0).astype(int).to_numpy()
    users = torch.tensor(pd.factorize(lists["user_id"])[0])
    preds = torch.tensor(lists["score"].to_numpy())

    hit = (grade > 0).astype(int)

    def ask(metric, target=hit):
        return float(metric(preds, torch.tensor(target), indexes=users))

    yield Row("RetrievalMAP", "AP", ask(there.RetrievalMAP()))
    by_found = "divides by the relevant items above the cutoff; of those that divide by m, min(m, k) or k none is equal"
    yield Row("RetrievalMAP(top_k=5)", "", None, by_found)
    yield Row("RetrievalMRR", "RR", ask(there.RetrievalMRR()))
    yield Row("RetrievalNormalizedDCG(top_k=5)", "nDCG@5", ask(there.RetrievalNormalizedDCG(top_k=5), grade))
    yield Row("RetrievalPrecision(top_k=5)", "P@5", ask(there.RetrievalPrecision(top_k=5)))
    yield Row("RetrievalRecall(top_k=5)", "R@5", ask(there.RetrievalRecall(top_k=5)))
    yield Row("RetrievalHitRate(top_k=5)", "Success@5", ask(there.RetrievalHitRate(top_k=5)))
    yield Row("RetrievalRPrecision", "Rprec", ask(there.RetrievalRPrecision()))
    whole = "where lists hold the whole catalogue; there a list is all that is known"
    yield Row("RetrievalFallOut(top_k=5)", f"Fallout(items={ITEMS})@5", ask(there.RetrievalFallOut(top_k=5)), whole)
    yield Row("RetrievalAUROC", f"AUC(items={ITEMS})", ask(there.RetrievalAUROC()), whole)
    yield Row("RetrievalAUROC(top_k=20)", "Accuracy@20", ask(there.RetrievalAUROC(top_k=20)), "of the first 20 items")
    yield Row("RetrievalPrecisionRecallCurve", "", None, "a curve: ask for `P@k` and `R@k` at every k")
    yield Row(
        "RetrievalRecallAtFixedPrecision", "", None, "a point of the curve of means; `IPrec(recall=0.5)` is a list's"
    )


PEERS = (
    Peer("ranx", "ranx", 1e-12, ranx_names, ranx),
    Peer("torchmetrics", "torchmetrics", 1e-6, torchmetrics_names, torchmetrics),
)
