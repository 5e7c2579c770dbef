"""Writes what other libraries give on one run of the sample of recommendations; needs them, and pandas below 3.

    python tests/parity/write_recommender_values.py          in an environment with rectools, replay-rec, recommenders

Each library is asked where it can be imported; values of the others stay as they are in the file.
"""

from __future__ import annotations

import importlib.metadata
import json
from pathlib import Path

import numpy as np
import pandas as pd

HERE = Path(__file__).parent
FILES = HERE.parents[1] / "pdeval" / "datasets" / "files"
TO = HERE / "recommender_values.json"
K = 10


def tables() -> tuple[pd.DataFrame, ...]:
    """Return the lists of one run with ranks, the history, relevant ratings, and genres of items one a column."""
    runs, history, ratings, items = (
        pd.read_parquet(FILES / f"{name}.parquet")
        for name in ("recommendations", "history", "ratings", "items")
    )
    one = runs[(runs["model"] == "neural") & (runs["seed"] == 1)].copy()
    texts = {"user_id": str, "item_id": str}
    one["rank"] = (
        one.sort_values(["score", "item_id"], ascending=False)
        .groupby("user_id", observed=True)
        .cumcount()
        + 1
    )
    relevant = ratings[ratings["rating"] >= 4]
    hot = items.set_index("item_id")["genre"].str.get_dummies("|")
    return one[one["rank"] <= K].astype(texts), history.astype(texts), relevant.astype(texts), hot


def rectools(
    reco: pd.DataFrame, history: pd.DataFrame, relevant: pd.DataFrame, hot: pd.DataFrame
) -> dict[str, float]:
    """Return RecTools' values."""
    from rectools import metrics

    hamming = metrics.PairwiseHammingDistanceCalculator(hot.rename_axis("item_id"))
    catalog = hot.index.tolist()
    return {
        "Novelty@10": metrics.MeanInvUserFreq(k=K).calc(reco, history),
        "ILD(distance=hamming)@10": metrics.IntraListDiversity(
            k=K, distance_calculator=hamming
        ).calc(reco),
        "Coverage@10": metrics.CatalogCoverage(k=K, normalize=True).calc(reco, catalog),
        "AvgChoice@10": metrics.AvgRecPopularity(k=K, normalize=True).calc(reco, history),
        "PopSerendipity@10": metrics.Serendipity(k=K).calc(reco, relevant, history, catalog),
    }


def replay(
    reco: pd.DataFrame, history: pd.DataFrame, relevant: pd.DataFrame, hot: pd.DataFrame
) -> dict[str, float]:
    """Return RePlay's values."""
    from replay import metrics

    columns = {"query_column": "user_id", "item_column": "item_id", "rating_column": "score"}
    return {
        "Unseen@10": metrics.Novelty(K, **columns)(reco, history)[f"Novelty@{K}"],
        "Surprisal@10": metrics.Surprisal(K, **columns)(reco, history)[f"Surprisal@{K}"],
        "Coverage@10": metrics.Coverage(K, **columns)(reco, history)[f"Coverage@{K}"],
    }


def recommenders(
    reco: pd.DataFrame, history: pd.DataFrame, relevant: pd.DataFrame, hot: pd.DataFrame
) -> dict[str, float]:
    """Return the values of Microsoft's recommenders."""
    from recommenders.evaluation import python_evaluation as given

    names = {"col_user": "user_id", "col_item": "item_id"}
    both = reco.merge(relevant.assign(hit=1.0)[["user_id", "item_id", "hit"]], how="left").fillna(
        {"hit": 0.0}
    )
    vectors = pd.DataFrame(
        {"item_id": hot.index, "features": [row.astype(float) for row in hot.to_numpy()]}
    )
    content = {"item_feature_df": vectors, "item_sim_measure": "item_feature_vector", **names}
    return {
        "ChoiceNovelty@10": given.novelty(history, reco, **names),
        "Coverage@10": given.catalog_coverage(history, reco, **names),
        "Entropy@10": given.distributional_coverage(history, reco, **names),
        "ILD@10": given.diversity(history, reco, **content),
        "Unexpectedness@10": given.serendipity(history, reco, **content),
        "Serendipity@10": given.serendipity(history, both, **content, col_relevance="hit"),
    }


def lenskit(
    reco: pd.DataFrame, history: pd.DataFrame, relevant: pd.DataFrame, hot: pd.DataFrame
) -> dict[str, float]:
    """Return LensKit's values."""
    from lenskit.data import ItemList, from_interactions_df
    from lenskit.metrics import ListGini, MeanPopRank
    from lenskit.stats import gini

    ordered = reco.sort_values(["user_id", "rank"])
    lists = [
        ItemList(item_ids=own.to_numpy(), ordered=True)
        for _, own in ordered.groupby("user_id")["item_id"]
    ]
    spread = ListGini(K, items=len(hot))
    popular = MeanPopRank(
        from_interactions_df(history[["user_id", "item_id"]].drop_duplicates()), n=K
    )
    # ExposureGini adds up in single precision: its formula, with its function
    patient = (
        (0.85 ** (reco["rank"] - 1))
        .groupby(reco["item_id"])
        .sum()
        .reindex(hot.index, fill_value=0)
        .to_numpy()
    )
    return {
        "Gini@10": float(
            spread.global_aggregate([spread.compute_list_data(one, None) for one in lists])
        ),
        "Gini(patience=0.85)@10": float(gini(patient)),
        "PopularityRank@10": float(np.mean([popular.measure_list(one, None) for one in lists])),
    }


PACKAGES = {
    rectools: "rectools",
    replay: "replay-rec",
    recommenders: "recommenders",
    lenskit: "lenskit",
}

if __name__ == "__main__":
    held = json.loads(TO.read_text()) if TO.exists() else {}
    for ask, package in PACKAGES.items():
        try:
            found = {name: float(np.asarray(value)) for name, value in ask(*tables()).items()}
            held[package] = {"version": importlib.metadata.version(package), "values": found}
        except ImportError as fault:
            print(f"{package}: {fault}")
    TO.write_text(json.dumps(held, indent=1) + "\n")
