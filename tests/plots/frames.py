"""Synthetic result frames of the shapes pdeval writes: what the plot tests draw."""

import numpy as np
import pandas as pd

MEASURES = ["RPP", "invRPP", "dcgRPP", "AP", "NDCG", "RR"]


def run_names(count: int) -> list[str]:
    """Names as track participants choose them: short, long, with dots and underscores."""
    heads = [
        "bm25",
        "covidex.t5",
        "UIowaS_Run",
        "sparse-dense-rrf-prf",
        "poznan",
        "xj4wang",
        "SFDC-fus12-enc24-tf3",
    ]
    return [f"{heads[i % len(heads)]}.{i}" if i else "bm25" for i in range(count)]


def preferences(runs: int = 5, queries: int = 50, measures=("RPP",), seed: int = 0) -> pd.DataFrame:
    """Per-query preferences of every pair once; the first runs tend to be better; some are ties."""
    rng = np.random.default_rng(seed)
    names = np.array(run_names(runs), dtype=object)
    a, b = np.triu_indices(runs, 1)
    skill = np.linspace(1, 0, runs)[None, :] + 0.5 * rng.standard_normal((queries, runs))
    parts = []
    for i, measure in enumerate(measures):
        noisy = skill + 0.25 * i * rng.standard_normal((queries, runs))
        value = np.tanh(noisy[:, a] - noisy[:, b])
        value = np.where(np.abs(value) < (0.3 if measure == "RR" else 0.02), 0.0, value)
        query, pair = np.indices(value.shape)
        parts.append(
            pd.DataFrame(
                {
                    "query_id": (query + 301).ravel().astype(str),
                    "run_a": names[a[pair.ravel()]],
                    "run_b": names[b[pair.ravel()]],
                    "measure": measure,
                    "value": value.ravel(),
                }
            )
        )
    return pd.concat(parts, ignore_index=True)


def comparisons(runs: int = 5, near: int = 2, measure: str = "RPP", seed: int = 0) -> pd.DataFrame:
    """A test of every pair: runs more than `near` places apart differ significantly."""
    rng = np.random.default_rng(seed)
    names = np.array(run_names(runs), dtype=object)
    a, b = np.triu_indices(runs, 1)
    p = np.clip(0.2 * np.exp(-(b - a) / max(near, 1)) + 0.02 * rng.random(len(a)), 0, 1)
    return pd.DataFrame(
        {
            "run_a": names[a],
            "run_b": names[b],
            "measure": measure,
            "test": "t",
            "mean_a": 0.5,
            "mean_b": 0.4,
            "difference": 0.1,
            "p_value": p,
            "significant": (b - a) > near,
        }
    )


def leaderboards(runs: int = 5) -> pd.DataFrame:
    """A leaderboard of overlapping tiers."""
    frame = orders(runs)
    return frame.assign(
        tier=frame["rank"],
        last_tier=np.minimum(frame["rank"] + 1, runs),
        in_top_tier=frame["rank"] == 1,
        score_low=frame["score"] - 0.1,
        score_high=frame["score"] + 0.1,
    )


def orders(runs: int = 5, measure: str = "RPP", method: str = "mc4") -> pd.DataFrame:
    """An ordering with rank intervals; rows not in rank order."""
    rank = np.arange(1, runs + 1)
    spread = 1 + rank % 4
    frame = pd.DataFrame(
        {
            "run": run_names(runs),
            "measure": measure,
            "method": method,
            "score": np.linspace(0.9, 0.1, runs),
            "rank": rank,
            "rank_low": np.maximum(rank - spread, 1),
            "rank_high": np.minimum(rank + spread, runs),
        }
    )
    return frame.iloc[::-1].reset_index(drop=True)


def curves(runs: int = 4, seed: int = 0) -> pd.DataFrame:
    """Interpolated precision at eleven recall points."""
    rng = np.random.default_rng(seed)
    recall = np.linspace(0, 1, 11)
    names = run_names(runs)
    top, fall = rng.uniform(0.5, 0.95, runs), rng.uniform(0.6, 2.5, runs)
    precision = top[:, None] * (1 - recall[None, :]) ** fall[:, None] + 0.02
    return pd.DataFrame(
        {
            "run": np.repeat(names, 11),
            "recall": np.tile(recall, runs),
            "precision": precision.ravel(),
        }
    )


def disaggregated(seed: int = 0) -> pd.DataFrame:
    """The contribution of six recall levels of two rankings of one query (Figure 4b of Diaz and Ferraro, 2022)."""
    f, g = np.array([1.0, 2, 9, 14, 30, 41]), np.array([3.0, 4, 6, 10, 22, 60])
    i = np.arange(1, 7)
    parts = {
        "RBP": 0.9**f - 0.9**g,
        "AP": i * (1 / f - 1 / g),
        "NDCG": 1 / np.log2(f + 1) - 1 / np.log2(g + 1),
        "RR": np.where(i == 1, 1 / f - 1 / g, 0.0),
        "ASL": g - f,
        "RPP": np.sign(g - f),
    }
    return pd.concat(
        [
            pd.DataFrame(
                {
                    "query_id": "301",
                    "run_a": "a",
                    "run_b": "b",
                    "measure": name,
                    "population": "any",
                    "recall": i,
                    "weight": 1.0,
                    "value": value,
                }
            )
            for name, value in parts.items()
        ],
        ignore_index=True,
    )


def degraded(drop: str = "queries", seed: int = 0) -> pd.DataFrame:
    """Kendall's tau with the full ordering, ten samples at each of ten sizes, six measures."""
    rng = np.random.default_rng(seed)
    keep = np.arange(5, 51, 5) if drop == "queries" else np.round(np.linspace(0.1, 1, 10), 1)
    kept = keep / keep.max()
    parts = []
    for i, measure in enumerate(MEASURES):
        tau = (
            1
            - (0.3 + 0.06 * i) * (1 - kept)[:, None]
            + 0.05 * (1 - kept)[:, None] * rng.standard_normal((10, 10))
        )
        parts.append(
            pd.DataFrame(
                {
                    "measure": measure,
                    "to": drop,
                    "keep": np.repeat(keep, 10),
                    "draw": np.tile(np.arange(10), 10),
                    "statistic": "tau_b",
                    "value": tau.ravel(),
                }
            )
        )
    return pd.concat(parts, ignore_index=True)


def p_values(pairs: int = 300, measures=MEASURES, seed: int = 0) -> pd.DataFrame:
    """p-values of all pairs of runs under several measures, in no order."""
    rng = np.random.default_rng(seed)
    parts = [
        pd.DataFrame(
            {
                "measure": m,
                "test": "t",
                "pair": np.arange(pairs),
                "p_value": rng.random(pairs) ** (3.5 - 0.4 * i),
            }
        )
        for i, m in enumerate(measures)
    ]
    return pd.concat(parts, ignore_index=True)


def tied_levels() -> pd.DataFrame:
    """The share of tied pairs at thirty recall levels of four collections."""
    level = np.arange(1, 31)
    shapes = {"robust": 0.2, "web": 0.3, "deep-pass 2021": 0.55, "ml-1m": 0.4}
    return pd.concat(
        [
            pd.DataFrame(
                {
                    "collection": name,
                    "recall": level,
                    "tied_fraction": first * np.exp(-0.1 * (level - 1)) + 0.05,
                }
            )
            for name, first in shapes.items()
        ],
        ignore_index=True,
    )


def items(runs=("bm25", "neural"), count: int = 2000, seed: int = 0) -> pd.DataFrame:
    """One row per relevant item: its search length and whether it was found."""
    rng = np.random.default_rng(seed)
    parts = [
        pd.DataFrame(
            {
                "run": name,
                "query_id": rng.integers(1, 50, count).astype(str),
                "doc_id": np.arange(count).astype(str),
                "asl": np.ceil(rng.lognormal(3.5 - i, 2.0, count)),
                "retrieved": rng.random(count) < 0.75 + 0.1 * i,
            }
        )
        for i, name in enumerate(runs)
    ]
    return pd.concat(parts, ignore_index=True)


def correlations() -> pd.DataFrame:
    """Kendall's tau between the orderings of six measures, one triangle."""
    a, b = np.triu_indices(len(MEASURES), 1)
    names = np.array(MEASURES, dtype=object)
    return pd.DataFrame(
        {"measure_a": names[a], "measure_b": names[b], "value": 0.95 - 0.1 * (b - a)}
    )


def matrix(runs: int = 4) -> pd.DataFrame:
    """Mean preferences, runs x runs: antisymmetric, the first run the best."""
    place = np.arange(runs)
    return pd.DataFrame(
        (place[None, :] - place[:, None]) / runs, index=run_names(runs), columns=run_names(runs)
    )


def summary(runs: int = 8, measures=("AP",)) -> pd.DataFrame:
    """Means with confidence intervals, the best run in the middle of the frame."""
    level = 0.1 + 0.3 * np.sin(np.linspace(0, np.pi, runs))
    parts = [
        pd.DataFrame(
            {
                "run": run_names(runs),
                "measure": measure,
                "n": 50,
                "mean": level + 0.15 * i,
                "sd": 0.2,
                "ci_low": level + 0.15 * i - 0.05,
                "ci_high": level + 0.15 * i + 0.05,
            }
        )
        for i, measure in enumerate(measures)
    ]
    return pd.concat(parts, ignore_index=True)


def components(measures=("AP", "RR")) -> pd.DataFrame:
    """How much of the variance is the query, the system on it, the replicate, and the rest."""
    source = ["query", "system x query", "replicate", "residual"]
    variance = np.array([0.04, 0.01, 0.002, 0.003])
    in_means = np.array([np.nan, 0.01 / 50, 0.002, 0.003 / 50])
    one = pd.DataFrame({"source": source, "variance": variance, "sd": np.sqrt(variance)})
    one = one.assign(
        fraction=variance / variance.sum(), difference_fraction=in_means / np.nansum(in_means)
    )
    return pd.concat([one.assign(measure=name) for name in measures], ignore_index=True)


def pivoted() -> pd.DataFrame:
    """Correlations of six measures as a symmetric square."""
    return pd.DataFrame(np.eye(len(MEASURES)), index=MEASURES, columns=MEASURES)


def wins() -> pd.DataFrame:
    """Wins of interleaved runs."""
    counts = {
        "per": "query",
        "n": 8,
        "a_wins": [3, 1],
        "b_wins": [1, 4],
        "ties": [4, 3],
        "a_win_rate": 0.5,
        "b_win_rate": 0.5,
    }
    return pd.DataFrame({"run_a": ["lm", "rm3"], "run_b": "bm25", **counts, "p_value": 0.3})


def buckets() -> dict:
    return {
        "bucket": ["1-9", "10+", "not retrieved"],
        "low": [1, 10, np.nan],
        "high": [10, np.inf, np.nan],
    }


def explained() -> pd.DataFrame:
    """A preference between two runs on one query, by grade and recall level."""
    return pd.DataFrame(
        {
            "query_id": "1", "run_a": "lm", "run_b": "bm25", "measure": "RPP",
            "population": ["grade >= 1"] * 3 + ["grade >= 2"], "recall": [1, 2, 3, 1],
            "doc_a": list("abca"), "rank_a": [1.0, 3, 9, 1], "doc_b": list("bacb"), "rank_b": [2.0, 3, 4, 4],
            "ahead": ["lm", "tie", "bm25", "lm"], "weight": 0.25, "value": [1.0, 0, -1, 1],
            "running_sum": [0.25, 0.25, 0.0, 0.25],
        }
    )  # fmt: skip


def surface() -> pd.DataFrame:
    """What an item contributes to RR by its ranks in two rankings."""
    a, b = (place.ravel() + 1 for place in np.indices((4, 4)))
    return pd.DataFrame({"measure": "RR", "rank_a": a, "rank_b": b, "value": 1 / a - 1 / b})


def spread() -> pd.DataFrame:
    """The distribution of signs, and of differences that are mostly small."""
    signs = pd.DataFrame({"measure": "RPP", "value": [-1.0, 0.0, 1.0], "ecdf": [0.4, 0.6, 1.0]})
    small = pd.DataFrame({"measure": "AP", "value": [-0.5, 0.0, 0.5], "ecdf": [0.01, 0.6, 1.0]})
    return pd.concat([signs, small], ignore_index=True)


def behavior() -> pd.DataFrame:
    """Two behavior measures of three buckets."""
    value = np.array([0.5, 4.0, 0.6, 3.0, 0.7, 2.0])
    return pd.DataFrame(
        {
            "bucket": np.repeat(["orig", "flat", "rand"], 2),
            "measure": ["abandonment_rate", "clicks_per_query"] * 3,
            "aggregate": "mean",
            "n": 90,
            "value": value,
            "ci_low": value - 0.1,
            "ci_high": value + 0.1,
        }
    )


def headroom() -> pd.DataFrame:
    """How many collections' best runs are in each bucket of P@20."""
    low = np.array([0, 0.25, 0.5, 0.75])
    bucket = ["[0, 0.25)", "[0.25, 0.5)", "[0.5, 0.75)", "[0.75, 1]"]
    count = np.array([1, 3, 0, 4])
    return pd.DataFrame(
        {
            "measure": "P@20",
            "bucket": bucket,
            "low": low,
            "high": low + 0.25,
            "count": count,
            "fraction": count / 8,
        }
    )


def discounts() -> pd.DataFrame:
    """What three ranks are worth."""
    weights = {"P@2": [0.5, 0.5, 0.0], "RBP(p=0.5)": [4 / 7, 2 / 7, 1 / 7]}
    parts = [
        pd.DataFrame({"measure": name, "rank": [1, 2, 3], "weight": w})
        for name, w in weights.items()
    ]
    return pd.concat(parts, ignore_index=True)


# one frame of every kind of table that is drawn, with the columns that its schema asks for


def effects(collections=6):
    """What collections say of one pair of runs."""
    difference = 0.02 * np.arange(collections)
    frame = pd.DataFrame(
        {"collection": [f"set {i}" for i in range(collections)], "run_a": "neural", "run_b": "bm25"}
    )
    frame = frame.assign(measure="AP", test="t", n=20, difference=difference, se=0.05)
    frame = frame.assign(
        ci_low=difference - 0.1, ci_high=difference + 0.1, p_value=0.1, p_adjusted=0.2
    )
    frame = frame.assign(significant=False, weight=1 / collections)
    frame.attrs |= {"by": ["collection"], "run_columns": ["run"]}
    return frame


def meta_analyses():
    """What all collections say of two pairs."""
    frame = pd.DataFrame(
        {"run_a": ["neural", "ql"], "run_b": "bm25", "measure": "AP", "collections": 6}
    )
    return frame.assign(
        macro=[0.05, 0.0], ci_low=-0.01, ci_high=0.11, micro=0.05, fixed=0.0, random=0.0
    )


KINDS = {
    "collection_effects": effects,
    "meta_analysis": meta_analyses,
    "components": components,
    "reproduction": lambda: pd.DataFrame(
        {"run": ["a", "b"] * 2, "measure": ["AP", "AP", "RR", "RR"], "n": 9, "original": 0.3, "mean": 0.2, "rmse": 0.1,
         "p_value": 0.5, "effect_ratio": [0.9, 1.2, 0.8, 1.1], "delta_ri": [0.1, -0.1, 0.2, -0.05]}
    ),
    "recall_curve": lambda: pd.DataFrame(
        {"run": ["a", "a", "b", "b"], "effort": [0.0, 1.0] * 2, "n": 9, "mean": [0.0, 0.9, 0.0, 0.8],
         "ci_low": [0.0, 0.8, 0.0, 0.7], "ci_high": [0.0, 1.0, 0.0, 0.9]}
    ),
    "exposure_tradeoff": lambda: pd.DataFrame(
        {"run": ["a", "b", "c"], "disparity": [1.0, 1.4, 2.0], "relevance": [0.5, 0.6, 0.7], "area": [0.6, 0.6, 0.6]}
    ),
    "scores": lambda: preferences(3).rename(columns={"run_a": "run"}).drop(columns="run_b").drop_duplicates(
        ["run", "query_id"], ignore_index=True
    ).assign(measure="AP"),
    "preferences": lambda: preferences(2, measures=("RPP", "AP")),
    "means": lambda: comparisons(4)[["run_a", "run_b", "measure"]].assign(n=50, mean=0.1, sd=0.2),
    "matrix": matrix,
    "summary": summary,
    "curve": curves,
    "contributions": disaggregated,
    "contribution_surface": surface,
    "contribution_ecdf": spread,
    "discounts": discounts,
    "headroom": headroom,
    "behavior": behavior,
    "pair_explanation": explained,
    "orders": orders,
    "leaderboards": leaderboards,
    "comparisons": comparisons,
    "discriminative_curve": lambda: p_values().assign(correction="none", fraction=0.5),
    "correlations": lambda: correlations().assign(coefficient="tau_b", runs=12),
    "sign_agreement": lambda: correlations().rename(columns={"value": "agreement"}).assign(fuzziness=0, pairs=9, r=0.5),
    "locality": lambda: pd.DataFrame({"recall_a": [1, 1, 2], "recall_b": [2, 3, 3], "pairs": 9, "r": [0.4, 0.2, 0.5]}),
    "robustness": lambda: degraded().assign(policy="random"),
    "robustness_summary": lambda: pd.DataFrame(
        {"measure": "AP", "to": "queries", "policy": "random", "keep": [5, 9], "statistic": "tau_b", "draws": 9,
         "mean": [0.5, 0.9], "sd": 0.1}
    ),
    "ties_by_recall": lambda: pd.DataFrame(
        {"recall": [1, 2], "pairs": 10, "ties": [5, 1], "tied_fraction": [0.5, 0.1]}
    ),
    "ties_by_first": lambda: pd.DataFrame({"p1": [1, 2], "pairs": 10, "ties": [5, 1], "tied_fraction": [0.5, 0.1]}
    ),
    "tie_probability": lambda: pd.DataFrame({"n": 4, "m": [1, 2], "p1": [1, 1], "probability": [0.25, 0.5]}),
    "deciding_levels": lambda: pd.DataFrame({"run_a": "lm", "run_b": "bm25", "query_id": ["1", "2"], "recall": [1, 2]}),
    "deciding_ecdf": lambda: pd.DataFrame({"recall": [1, 2], "decided": [4, 9], "pairs": 10, "ecdf": [0.4, 0.9]}),
    "search_lengths": items,
    "search_length_histogram": lambda: pd.DataFrame(
        {"run": "lm", **buckets(), "count": [5, 3, 2], "fraction": [0.5, 0.3, 0.2]}
    ),
    "search_length_wins": lambda: pd.DataFrame(
        {"run_a": "lm", "run_b": "bm25", "class": ["ahead", "same", "later"],
         "bucket": ["-9 to -1", "0", "1 to 9"], "low": [-9, 0, 1], "high": [0, 1, 10],
         "count": [5, 3, 2], "fraction": [0.5, 0.3, 0.2]}
    ),
    "search_length_differences": lambda: pd.DataFrame(
        {"run_a": "lm", "run_b": "bm25", "query_id": "1", "doc_id": list("abc"), "value_a": [1, 5, 9],
         "value_b": [2, 5, 4], "difference": [-1, 0, 5], "retrieved_a": True, "retrieved_b": True}
    ),
    "wins": wins,
}  # fmt: skip
