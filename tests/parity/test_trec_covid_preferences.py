"""What Diaz and Ferraro (2022) say about recall-paired preference, on TREC-COVID round 3 and on TREC Web 2012.

Relevance is binary at grade 1 and scores are 32-bit floats. The paper's own collections are others: where it gives
numbers (Fig. 5, Table 2), here are those of an independent computation on TREC-COVID, or what the paper concludes.
"""

import numpy as np
import pandas as pd
import pytest

import pdeval

ASL = "ASL(unretrieved=corpus)"


@pytest.fixture(scope="module")
def covid(shared_data):
    folder = shared_data / "trec-covid-r3"
    qrels = pdeval.read_qrels(folder / "qrels.txt")
    qrels["relevance"] = (qrels["relevance"] >= 1).astype(int)
    return pdeval.read_runs(folder / "runs").ireval.join(qrels, compat="trec_eval-9")


@pytest.fixture(scope="module")
def agreements(covid):
    return by_pair(covid.agree(["RPP", "AP", "nDCG", "RR", ASL]))


def by_pair(table):
    return table.set_index(["measure_a", "measure_b"])


def orderings(joined, preferences, metrics, method):
    """Kendall's tau between metrics, ordered by their means, and preferences, ordered by a method."""
    orders = [joined.order(preferences, method=method), joined.order(metrics)]
    square = pd.concat(orders, ignore_index=True).ireval.correlate(matrix=True)
    return square.droplevel("method").droplevel("method", axis=1)


@pytest.mark.broad
def test_all_pairs_of_79_runs_on_all_40_topics_are_compared(agreements):
    assert (agreements["pairs"] == 79 * 78 // 2 * 40).all()


@pytest.mark.broad
@pytest.mark.parametrize(("metric", "share"), [("AP", 0.94), ("nDCG", 0.93), ("RR", 0.35)])
def test_rpp_agrees_in_sign_with_metrics_as_computed_independently(agreements, metric, share):
    assert round(agreements.loc[("RPP", metric), "agreement"], 2) == share


@pytest.mark.broad
def test_rpp_agrees_with_search_length_on_about_nine_of_ten_pairs(agreements):
    assert agreements.loc[("RPP", ASL), "agreement"] == pytest.approx(0.9, abs=0.02)


@pytest.mark.broad
def test_reciprocal_rank_agrees_least_with_every_measure(agreements):
    with_rr = [pair for pair in agreements.index if "RR" in pair]
    shares = agreements["agreement"]
    assert shares[with_rr].max() < 0.5 < 0.8 < shares.drop(with_rr).min()


@pytest.mark.broad
def test_rpp_agrees_most_with_offline_interleaving(covid):
    # An independent computation over all pairs, correlations about zero: r .988 (uniform user) and .967 (DCG user); of
    # 1,500 pairs of rankings, agreement .965 and .940. Here 60 pairs of runs on all topics: 2,400 pairs of rankings.
    runs = sorted(covid.positions.runs["run"])
    pairs = [
        tuple(np.random.default_rng(seed).choice(runs, size=2, replace=False).tolist())
        for seed in range(60)
    ]
    measures = ["RPP", "OI", "OI(user=dcg)", "AP", "nDCG"]
    found = by_pair(covid.agree(measures, pairs=pairs)).loc["RPP"]
    assert found.loc["OI", "agreement"] == pytest.approx(0.965, abs=0.01)
    assert found.loc["OI", "r"] == pytest.approx(0.988, abs=0.005)
    assert found.loc["OI(user=dcg)", "agreement"] == pytest.approx(0.940, abs=0.01)
    assert found.loc["OI(user=dcg)", "r"] == pytest.approx(0.967, abs=0.005)
    assert found["agreement"].idxmax() == found["r"].idxmax() == "OI"
    assert found.loc["OI(user=dcg)", "r"] > found.loc[["AP", "nDCG"], "r"].max()


@pytest.mark.broad
@pytest.mark.parametrize("method", ["mc4", "winrate"])
def test_orderings_correlate_as_in_table_2a(covid, method):
    tau = orderings(covid, ["invRPP", "RPP", "dcgRPP"], ["RR", "AP", "nDCG"], method)
    # RPP is about as near to AP and nDCG as these are to each other
    assert tau.loc["RPP", ["AP", "nDCG"]].to_numpy() == pytest.approx(
        tau.loc["AP", "nDCG"], abs=0.05
    )
    assert tau.loc["dcgRPP", "AP"] > tau.loc["RPP", "AP"]
    # the nearer the weights of recall levels are to those of RR, the nearer is the ordering
    assert tau.loc["RR", "RPP"] < tau.loc["RR", "dcgRPP"] < tau.loc["RR", "invRPP"]
    # RR is the odd one out
    others = tau.drop("RR").drop("RR", axis=1)
    assert tau["RR"].drop("RR").max() < others.to_numpy().min()
    # Table 2a, without RR: a mean over 16 other collections
    paper = {"RPP": [0.79, 0.93, 0.86, 0.87], "dcgRPP": [0.85, 0.93, 0.88, 0.88]}
    assert tau.loc["RPP", ["invRPP", "dcgRPP", "AP", "nDCG"]].to_numpy() == pytest.approx(
        paper["RPP"], abs=0.1
    )
    assert tau.loc["dcgRPP", ["invRPP", "RPP", "AP", "nDCG"]].to_numpy() == pytest.approx(
        paper["dcgRPP"], abs=0.1
    )


@pytest.fixture(scope="module")
def web(shared_data):
    folder = shared_data / "trec-web-2012-div"
    runs = pdeval.read_runs(folder / "runs")
    return runs, pdeval.read_qrels(folder / "qrels.ndeval.txt", subtopics=True)


@pytest.mark.broad
@pytest.mark.filterwarnings("ignore:the ranks of .* lists have gaps:UserWarning")
def test_subtopic_orderings_correlate_as_in_table_2b(web):
    runs, qrels = web
    joined = runs.ireval.join(qrels, ties="rank")
    tau = orderings(
        joined, ["ST-RPP", "ST-dcgRPP", "ST-invRPP"], ["MAP-IA", "ERR-IA@20", "strec@20"], "mc4"
    )
    assert tau["ST-RPP"].drop("ST-RPP").idxmax() == "ST-dcgRPP"
    assert tau.loc["ST-RPP", "MAP-IA"] > tau.loc["ST-RPP", "ERR-IA@20"]
    assert tau.loc["ERR-IA@20", "ST-invRPP"] > tau.loc["ERR-IA@20", ["ST-RPP", "ST-dcgRPP"]].max()


@pytest.mark.broad
@pytest.mark.filterwarnings("ignore:the ranks of .* lists have gaps:UserWarning")
def test_subtopic_rpp_equals_equation_6_written_out(web):
    runs, qrels = web
    pair = ("ql-cata", "rm-catb-filtered")
    found = runs.ireval.prefer(qrels, "ST-RPP", pairs=[pair], ties="rank").set_index("query_id")[
        "value"
    ]
    runs, relevant = runs[runs["run"].isin(pair)], qrels[qrels["relevance"] > 0]
    for query in ("151", "160", "175", "200"):
        place = {
            run: {doc: rank for rank, doc in enumerate(rows.sort_values("rank")["doc_id"], start=1)}
            for run, rows in runs[runs["query_id"] == query].groupby("run", observed=True)
        }
        judged = relevant[relevant["query_id"] == query]
        populations = [
            *(set(rows) for _, rows in judged.groupby("subtopic", observed=True)["doc_id"])
        ]
        populations.append(set(judged["doc_id"]))
        signs = []
        for wanted in populations:
            x, y = (np.sort([place[run].get(doc, np.inf) for doc in wanted]) for run in pair)
            signs.append((x < y).astype(int) - (x > y))
        # a population's weight is its number of items, and its items share it
        assert found[query] == pytest.approx(np.concatenate(signs).mean(), abs=1e-12)
