"""What is asked of each peer on the data set of `same_names`, and what each of its names is here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import pandas as pd

from tests.parity.same_names import BEYOND, ITEMS, K, Peer, Row, data, relevant
from tests.parity.same_names_ir import cwl_eval, cwl_eval_names, ir_measures, ir_measures_names

RATINGS = "measures predicted ratings, not rankings"


def ranx_names() -> Iterable[str]:
    """Return the names that ranx' switch of metrics knows."""
    from ranx.metrics import metric_switch

    return [
        text
        for text in metric_switch.__code__.co_consts
        if isinstance(text, str) and " " not in text
    ]


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
    graded = "with grades 0 and 1: ranx adds higher grades without scaling, so values can exceed 1"
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
    by_found = "divides by the number of relevant items above the cutoff; pdeval divides by m, min(m, k) or k"
    yield Row("RetrievalMAP(top_k=5)", "", None, by_found)
    yield Row("RetrievalMRR", "RR", ask(there.RetrievalMRR()))
    yield Row(
        "RetrievalNormalizedDCG(top_k=5)",
        "nDCG@5",
        ask(there.RetrievalNormalizedDCG(top_k=5), grade),
    )
    yield Row("RetrievalPrecision(top_k=5)", "P@5", ask(there.RetrievalPrecision(top_k=5)))
    yield Row("RetrievalRecall(top_k=5)", "R@5", ask(there.RetrievalRecall(top_k=5)))
    yield Row("RetrievalHitRate(top_k=5)", "Success@5", ask(there.RetrievalHitRate(top_k=5)))
    yield Row("RetrievalRPrecision", "Rprec", ask(there.RetrievalRPrecision()))
    whole = (
        "equal if lists contain all items of the catalog, because torchmetrics knows only the list"
    )
    yield Row(
        "RetrievalFallOut(top_k=5)",
        f"Fallout(items={ITEMS})@5",
        ask(there.RetrievalFallOut(top_k=5)),
        whole,
    )
    yield Row("RetrievalAUROC", f"AUC(items={ITEMS})", ask(there.RetrievalAUROC()), whole)
    yield Row(
        "RetrievalAUROC(top_k=20)",
        "Accuracy@20",
        ask(there.RetrievalAUROC(top_k=20)),
        "of the first 20 items",
    )
    yield Row("RetrievalPrecisionRecallCurve", "", None, "a curve: use `P@k` and `R@k` at every k")
    yield Row(
        "RetrievalRecallAtFixedPrecision",
        "",
        None,
        "a point of the mean curve; `IPrec(recall=0.5)` is computed for each list",
    )


def lenskit_names() -> Iterable[str]:
    """Return the measures among LensKit's public names."""
    from lenskit import metrics

    known = {name: getattr(metrics, name) for name in metrics.__all__}
    kinds = [
        one
        for name, one in known.items()
        if isinstance(one, type) and issubclass(one, metrics.Metric)
    ]
    bases = {metrics.Metric, metrics.ListMetric, metrics.GlobalMetric, metrics.RankingMetricBase}
    helpers = {"call_metric", "quick_measure_model"}
    functions = {
        name for name, one in known.items() if not isinstance(one, type) and callable(one)
    } - helpers
    return {one.__name__ for one in kinds if one not in bases} | functions


def lenskit() -> Iterator[Row]:
    """Return LensKit's names."""
    from lenskit import metrics as there
    from lenskit.data import ItemList
    from lenskit.metrics.ranking import AveragePrecision

    lists, wanted = data()[0], relevant()
    pairs = [
        (
            ItemList(
                item_ids=own["item_id"].to_numpy(), scores=own["score"].to_numpy(), ordered=True
            ),
            ItemList(
                item_ids=theirs["item_id"].to_numpy(), rating=theirs["relevance"].to_numpy(float)
            ),
        )
        for (_, own), (_, theirs) in zip(
            lists.groupby("user_id"), wanted.groupby("user_id"), strict=True
        )
    ]

    def ask(metric):
        return np.mean([metric.measure_list(*pair) for pair in pairs])

    yield Row("Precision(5)", "P@5", ask(there.Precision(K)))
    yield Row(
        "Recall(5)", "RelP@5", ask(there.Recall(K)), "divides by min(m, k); `R@5` divides by m"
    )
    yield Row("Hit(5)", "Success@5", ask(there.Hit(K)))
    yield Row("RecipRank(5)", "RR@5", ask(there.RecipRank(K)))
    yield Row(
        "AveragePrecision(5)", "AP(norm=min)@5", ask(AveragePrecision(K)), "divides by min(m, k)"
    )
    ones, late = (
        "every test item has a gain of 1; ",
        "ranks 1 and 2 are not discounted, as in the first paper (2002)",
    )
    yield Row("NDCG(5)", "nDCG(gain=binary,discount=jk)@5", ask(there.NDCG(K)), ones + late)
    yield Row(
        "NDCG(5, gain='rating')", "nDCG(discount=jk)@5", ask(there.NDCG(K, gain="rating")), late
    )
    yield Row("DCG(5)", "DCG(gain=binary,discount=jk)@5", ask(there.DCG(K)), ones + late)
    yield Row("DCG(5, gain='rating')", "DCG(discount=jk)@5", ask(there.DCG(K, gain="rating")), late)
    yield Row(
        "RBP",
        "RBP(p=0.85)",
        ask(there.RBP()),
        "the default patience is 0.85 in LensKit and 0.8 in pdeval",
    )
    best = "divided by the largest possible value; LensKit calls it experimental"
    yield Row("RBP(normalize=True)", "", None, best)
    yield Row("ListLength", "NumRet", ask(there.ListLength()))
    yield Row(
        "TestItemCount", "NumRel", None, "an abstract class in LensKit, which cannot be evaluated"
    )
    yield Row("RMSE", "", None, RATINGS)
    yield Row("MAE", "", None, RATINGS)
    yield Row("MeanPopRank", "PopularityRank@10", None, BEYOND)
    yield Row("ListGini", "Gini@10", None, BEYOND)
    yield Row("ExposureGini", "Gini(patience=0.85)@10", None, BEYOND)
    lists_own = (
        "entropy of the categories of one list; `Calibration` compares these with the history"
    )
    yield Row("entropy", "", None, lists_own)
    yield Row("rank_biased_entropy", "", None, lists_own)
    yield Row(
        "least_item_promoted", "", None, "compares a list with its re-ranking; needs no judgments"
    )
    yield Row(
        "rank_biased_overlap",
        "",
        None,
        "compares two lists; for two orderings of systems, use the coefficient `rbo`",
    )


def recommenders_names() -> Iterable[str]:
    """Return the functions that evaluate predictions or recommendations."""
    import inspect

    from recommenders.evaluation import python_evaluation as there

    first = {"rating_true", "train_df"}
    helpers = {"merge_rating_true_pred", "merge_ranking_true_pred"}
    found = inspect.getmembers(there, inspect.isfunction)
    return {
        name
        for name, one in found
        if not name.startswith("_")
        and name not in helpers
        and first & {*list(inspect.signature(one).parameters)[:1]}
    }


def recommenders() -> Iterator[Row]:
    """Return the names of Microsoft's recommenders."""
    from recommenders.evaluation import python_evaluation as there

    names = {"user_id": "userID", "item_id": "itemID", "relevance": "rating", "score": "prediction"}
    lists, wanted = (
        one.rename(columns=names) for one in (data()[0].drop(columns="rank"), relevant())
    )
    wanted["rating"] = wanted["rating"].astype(float)

    def ask(function, k=K, **options):
        return function(wanted, lists, k=k, **options)

    yield Row("precision_at_k", "P@5", ask(there.precision_at_k))
    yield Row("recall_at_k", "R@5", ask(there.recall_at_k))
    yield Row("map", "AP@5", ask(there.map), "with k=5; divides by m")
    yield Row("map_at_k", "AP(norm=min)@5", ask(there.map_at_k), "divides by min(m, k)")
    yield Row(
        "ndcg_at_k",
        "nDCG(gain=binary)@5",
        ask(there.ndcg_at_k),
        "the default: a hit is a gain of 1",
    )
    yield Row("ndcg_at_k(score_type='raw')", "nDCG@5", ask(there.ndcg_at_k, score_type="raw"))
    yield Row(
        "ndcg_at_k(score_type='exp')", "nDCG(gain=exp)@5", ask(there.ndcg_at_k, score_type="exp")
    )
    whole = f"with k={ITEMS}; users without a hit do not count in its mean"
    yield Row("r_precision_at_k", "Rprec", ask(there.r_precision_at_k, k=ITEMS), whole)
    yield Row("auc", "", None, "pools the pairs of all users; `AUC` is a mean over users")
    for name in ("rmse", "mae", "rsquared", "exp_var", "logloss"):
        yield Row(name, "", None, RATINGS)
    spelled = {
        "novelty": "ChoiceNovelty@10", "catalog_coverage": "Coverage@10", "distributional_coverage": "Entropy@10",
        "diversity": "ILD@10", "user_diversity": "ILD@10", "serendipity": "Serendipity@10",
        "user_serendipity": "Serendipity@10",
    }  # fmt: skip
    for name, here in spelled.items():
        yield Row(name, here, None, BEYOND)
    yield Row(
        "historical_item_novelty",
        "",
        None,
        "a value of each item; its mean over lists is `ChoiceNovelty`",
    )
    yield Row(
        "user_item_serendipity",
        "",
        None,
        "a value of each item of a list; its mean is `Serendipity`",
    )


def rectools_names() -> Iterable[str]:
    """Return the measures among RecTools' public names."""
    from rectools import metrics

    known = {name: getattr(metrics, name) for name in metrics.__all__}
    other = {"DebiasConfig", "PairwiseDistanceCalculator", "PairwiseHammingDistanceCalculator"}
    other |= {"SparsePairwiseHammingDistanceCalculator"}
    return {name for name, one in known.items() if isinstance(one, type)} - other


def rectools() -> Iterator[Row]:
    """Return RecTools' names."""
    from rectools import metrics as there

    lists, wanted = data()[0], relevant()
    catalog = lists["item_id"].unique()
    asked = {
        "Precision(5)": (there.Precision(K), "P@5", ""),
        "Precision(5, r_precision=True)": (
            there.Precision(K, r_precision=True),
            "RelP@5",
            "divides by min(m, k)",
        ),
        "Recall(5)": (there.Recall(K), "R@5", ""),
        "F1Beta(5)": (there.F1Beta(K), "F@5", ""),
        "HitRate(5)": (there.HitRate(K), "Success@5", ""),
        "MAP(5)": (there.MAP(K), "AP@5", ""),
        "MAP(5, divide_by_k=True)": (there.MAP(K, divide_by_k=True), "AP(norm=k)@5", ""),
        "MRR(5)": (there.MRR(K), "RR@5", ""),
        "NDCG(5)": (
            there.NDCG(K),
            "SDCG(max_grade=1)@5",
            "the default divides by the DCG of a list of relevant items",
        ),
        "PartialAUC(5)": (there.PartialAUC(K), "PartialAUC@5", ""),
        "PAP(5)": (there.PAP(K), "PAP@5", ""),
    }
    binary = wanted.drop(columns="relevance")
    for name, (metric, here, note) in asked.items():
        yield Row(name, here, metric.calc(lists, binary), note)
    mcc = there.MCC(K).calc(lists, binary, catalog)
    yield Row("MCC(5)", f"MCC(items={ITEMS})@5", mcc, "the catalog is an argument in RecTools")
    share = "the fraction of items that are correctly in or out of the list, nearly 1 for a large catalog, unlike `MCC`"
    yield Row("Accuracy(5)", "", None, f"{share}. `Accuracy` here is that of ir_measures")
    spelled = {
        "CatalogCoverage": "Coverage@10", "MeanInvUserFreq": "Novelty@10", "AvgRecPopularity": "AvgChoice@10",
        "IntraListDiversity": "ILD(distance=hamming)@10", "Serendipity": "PopSerendipity@10",
    }  # fmt: skip
    for name, here in spelled.items():
        yield Row(name, here, None, BEYOND)
    yield Row("Intersection", "", None, "compares with the lists of another model")
    yield Row(
        "SufficientReco", "", None, "a check of the input: `NumRet` is the length of each list"
    )
    yield Row(
        "UnrepeatedReco", "", None, "a check of the input: an item twice in a list is an error here"
    )
    yield Row(
        "CoveredUsers",
        "",
        None,
        "a check of the input: the verb `check` reports users without a list",
    )


def replay_names() -> Iterable[str]:
    """Return RePlay's subclasses of its metric."""
    from replay import metrics

    kinds = [
        one
        for one in vars(metrics).values()
        if isinstance(one, type) and issubclass(one, metrics.Metric)
    ]
    return {one.__name__ for one in kinds} - {"Metric"}


def replay() -> Iterator[Row]:
    """Return RePlay's names."""
    from replay import metrics as there

    lists, wanted = data()[0], relevant()
    columns = {"query_column": "user_id", "item_column": "item_id", "rating_column": "score"}
    spelled = {
        "HitRate": "Success@5", "Precision": "P@5", "Recall": "R@5", "MRR": "RR@5", "MAP": "AP(norm=min)@5",
        "NDCG": "nDCG(gain=binary)@5",
    }  # fmt: skip
    for name, here in spelled.items():
        found = getattr(there, name)(K, **columns)(lists.drop(columns="rank"), wanted)
        yield Row(
            f"{name}(5)", here, found[f"{name}@5"], {"MAP": "divides by min(m, k)"}.get(name, "")
        )
    found = there.RocAuc(ITEMS, **columns)(lists.drop(columns="rank"), wanted)[f"RocAuc@{ITEMS}"]
    below = "with a cutoff it uses the first k items, and is 1 if all of these are relevant"
    yield Row(f"RocAuc({ITEMS})", f"AUC(items={ITEMS})", found, below)
    for name, here in {
        "Novelty": "Unseen@10",
        "Surprisal": "Surprisal@10",
        "Coverage": "Coverage@10",
    }.items():
        yield Row(name, here, None, BEYOND)
    yield Row("Unexpectedness", "", None, "compares with the lists of another model")
    yield Row("CategoricalDiversity", "", None, "counts the categories of a list, relevant or not")


PEERS = (
    Peer("ir_measures", "ir-measures", 1e-12, ir_measures_names, ir_measures),
    Peer("cwl_eval", "cwl-eval", 1e-12, cwl_eval_names, cwl_eval),
    Peer("ranx", "ranx", 1e-12, ranx_names, ranx),
    Peer("torchmetrics", "torchmetrics", 1e-6, torchmetrics_names, torchmetrics),
    Peer("LensKit", "lenskit", 1e-12, lenskit_names, lenskit),
    Peer("recommenders", "recommenders", 1e-12, recommenders_names, recommenders),
    Peer("RecTools", "rectools", 1e-12, rectools_names, rectools),
    Peer("RePlay", "replay-rec", 1e-12, replay_names, replay),
)
