"""Runs compared with the original ones: scores, effects, order of items; change over snapshots."""

import itertools

import numpy as np
import pandas as pd
import pytest

import pdeval
from pdeval.kernels.rank_similarity import rank_biased_overlap, tau_union
from pdeval.orderings.coefficients import rbo
from pdeval.studies import changes, metadata_differences


def ranked(values, queries=("1", "2", "3")):
    """Return runs and judgments whose P@20 has these values: {run: value of each query}, in twentieths."""
    rows = [
        (run, query, f"{'r' if place < round(20 * value) else 'n'}{place}", 20 - place)
        for run, scores in values.items()
        for query, value in zip(queries, scores)
        for place in range(20)
    ]
    qrels = [(query, f"r{place}", 1) for query in queries for place in range(20)]
    runs = pd.DataFrame(rows, columns=["run", "query_id", "doc_id", "score"])
    return runs, pd.DataFrame(qrels, columns=["query_id", "doc_id", "relevance"])


ORIGINAL = {"a": [0.5, 0.6, 0.7], "b": [0.4, 0.5, 0.5]}
REPRODUCED = {"a": [0.55, 0.5, 0.7], "b": [0.45, 0.5, 0.45]}


def test_rmse_effect_ratio_and_delta_ri_of_worked_scores():
    (original, qrels), (reproduced, _) = ranked(ORIGINAL), ranked(REPRODUCED)
    found = reproduced.ireval.reproduce(qrels, original, "P@20", baseline="b").set_index("run")
    assert found.loc["a", "rmse"] == pytest.approx(0.06455, abs=5e-6)
    assert found.loc["a", "effect_ratio"] == pytest.approx(0.875)
    assert found.loc["a", "delta_ri"] == pytest.approx(0.0357, abs=5e-5)
    assert np.isnan(found.loc["b", "effect_ratio"])


def test_runs_on_other_queries_have_effects_and_an_unpaired_test():
    (original, theirs), (reproduced, mine) = ranked(ORIGINAL), ranked(REPRODUCED, ("7", "8", "9"))
    join = original.ireval.join(theirs)
    found = reproduced.ireval.reproduce(mine, join, "P@20", baseline="b").set_index("run")
    assert np.isnan(found.loc["a", "rmse"])
    assert found.loc["a", "effect_ratio"] == pytest.approx(0.875)
    # scipy.stats.ttest_ind([.55, .5, .7], [.5, .6, .7])
    assert found.loc["a", "p_value"] == pytest.approx(0.8512370, abs=1e-7)
    with pytest.raises(ValueError, match="the original runs have no query of these runs"):
        reproduced.ireval.reproduce(mine, join, per="query")


# repro_eval 0.5.0 with pytrec_eval-terrier 0.5.11 on the sample collection, the 50 queries that all four runs answered:
# ER, DRI, RMSE and ttest of dense-s1 (original) and dense-s2 over the baselines bm25 and bm25+rm3; KTU of 3 queries
REPRO_EVAL = {
    "AP": [0.9642423395448709, 0.018960479203398217, 0.07919066357187991, 0.6093167747549062],
    "RR": [0.8970408412814869, 0.0132621373861921, 0.2927554992018513, 0.7900016784254986],
    "nDCG@10": [1.1498751819025959, -0.03731285861403119, 0.12195014376329921, 0.7561104372925891],
}
UNION = {"101": 0.122828282828, "102": 0.068686868687, "103": 0.067070707071}


def sides():
    runs = pdeval.datasets.sample_runs()
    original = runs[runs["run"].isin(["bm25", "dense-s1"])]
    names = {"bm25+rm3": "bm25", "dense-s2": "dense-s1"}
    reproduced = runs[runs["run"].isin(list(names))]
    return (
        original,
        reproduced.assign(run=reproduced["run"].map(names)),
        pdeval.datasets.sample_qrels(),
    )


def test_the_values_of_repro_eval():
    original, reproduced, qrels = sides()
    found = reproduced.ireval.reproduce(qrels, original, list(REPRO_EVAL), baseline="bm25")
    rows = found[found["run"] == "dense-s1"]
    columns = ["effect_ratio", "delta_ri", "rmse", "p_value"]
    assert rows[columns].to_numpy() == pytest.approx(np.array(list(REPRO_EVAL.values())), abs=1e-12)
    order = reproduced.ireval.reproduce(qrels, original, per="query", union="id")
    taus = order[order["run"] == "dense-s1"].set_index("query_id")["tau_union"]
    assert {query: round(taus[query], 12) for query in UNION} == UNION


def test_equal_rankings_are_reproduced_perfectly():
    original, _, qrels = sides()
    found = original.ireval.reproduce(qrels, original, "AP", baseline="bm25")
    assert found["rmse"].tolist() == [0, 0]
    assert found["p_value"].tolist() == [1, 1]
    assert found["effect_ratio"].tolist()[1:] == [1.0]
    order = original.ireval.reproduce(qrels, original, per="query")
    assert (order["tau_union"] == 1).all()
    assert order["rbo"].to_numpy() == pytest.approx(1.0, abs=1e-12)


def test_runs_with_ranks_are_compared_with_runs_with_scores():
    runs, qrels = ranked(ORIGINAL)
    ranks = runs.assign(rank=21 - runs["score"]).drop(columns="score")
    for original, again in ((runs, ranks), (ranks, runs)):
        assert again.ireval.reproduce(qrels, original, "P@20")["rmse"].tolist() == [0, 0]
        assert (again.ireval.reproduce(qrels, original, per="query")["tau_union"] == 1).all()


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"baseline": "x"}, KeyError, "baseline='x' is not among the reproduced runs: a, b"),
        (
            {"pairs": {"a": "z"}},
            KeyError,
            "pairs= has the run 'z', which is not among the original runs: a, b",
        ),
        ({"pairs": {}}, ValueError, "no run has the name of an original run"),
        ({"p": 1.0}, ValueError, "p=1.0: expected a fraction between 0 and 1"),
    ],
)
def test_what_cannot_be_compared_is_refused(options, error, message):
    runs, qrels = ranked(ORIGINAL)
    with pytest.raises(error, match=message):
        runs.ireval.reproduce(qrels, runs, "P@20", **options)


def test_tau_union_counts_places_in_the_union():
    # rankings a b c and a x b: the union a b c x has the places 1 2 3 and 1 4 2
    runs = pd.DataFrame({"run": "r", "query_id": "q", "doc_id": list("abc"), "rank": [1, 2, 3]})
    other = runs.assign(doc_id=list("axb"))
    qrels = pd.DataFrame({"query_id": "q", "doc_id": ["a"], "relevance": 1})
    (found,) = other.ireval.reproduce(qrels, runs, per="query")["tau_union"]
    assert found == pytest.approx(1 / 3)
    assert np.isnan(tau_union(np.array([1.0]), np.array([1.0])))


def places(groups, items):
    start, end, at = {}, {}, 1
    for group in groups:
        start |= dict.fromkeys(group, at)
        end |= dict.fromkeys(group, at + len(group) - 1)
        at += len(group)
    return [np.array([side.get(item, np.inf) for item in items], float) for side in (start, end)]


def overlap(x, y, **options):
    items = sorted({*"".join(x), *"".join(y)})
    return rank_biased_overlap(*places(x, items), *places(y, items), **options)


def plain(x, y, p, depth):
    """Return the sum of rank-biased overlap down to a depth."""
    return (1 - p) * sum(p ** (d - 1) * len({*x[:d]} & {*y[:d]}) / d for d in range(1, depth + 1))


def orders(groups):
    every = itertools.product(*[list(itertools.permutations(group)) for group in groups])
    return ["".join(itertools.chain(*one)) for one in every]


def test_overlap_with_ties_is_the_mean_over_the_orders_of_tied_items():
    x, y, p = ["a", "bc", "d"], ["ba", "cd"], 0.8
    values = [plain(one, other, p, 4) + p**4 for one in orders(x) for other in orders(y)]
    assert float(overlap(x, y, p=p).extrapolated) == pytest.approx(np.mean(values), abs=1e-12)
    assert float(overlap(x, x, p=p, ties="b").extrapolated) == pytest.approx(1.0)
    # the orderings of systems have Webber's rule
    webber = float(overlap(x, y, p=p, ties="w").extrapolated)
    assert webber == pytest.approx(rbo([3, 2, 2, 1], [2, 2, 1, 1], p=p), abs=1e-12)


@pytest.mark.parametrize(("x", "y"), [("abc", "bxyz"), ("abcd", "abcd"), ("a", "xyz")])
def test_the_residual_is_the_range_that_unseen_items_leave_open(x, y):
    p, unseen = 0.8, [chr(1000 + i) for i in range(300)]
    low = plain([*x, *unseen], [*y, *(one + "'" for one in unseen)], p, 300)
    rest_x, rest_y = [i for i in y if i not in x], [i for i in x if i not in y]
    high = plain([*x, *rest_x, *unseen], [*y, *rest_y, *unseen], p, 300)
    found = overlap(list(x), list(y), p=p)
    assert float(found.residual) == pytest.approx(high - low, abs=1e-12)
    assert low <= float(found.extrapolated) <= high + 1e-12


def snapshot(values, queries):
    return pd.DataFrame({"run": "a", "query_id": queries, "measure": "AP", "value": values})


def test_change_over_snapshots_is_paired_on_the_same_queries_only():
    from scipy import stats

    first = snapshot([0.5, 0.6, 0.7, 0.4], list("1234"))
    paired = changes({"t0": first, "t1": snapshot([0.4, 0.5, 0.3, 0.4], list("1234"))})
    low, high = stats.ttest_rel([0.4, 0.5, 0.3, 0.4], [0.5, 0.6, 0.7, 0.4]).confidence_interval()
    assert paired.loc[1, ["ci_low", "ci_high"]].tolist() == pytest.approx([low, high])
    other = changes({"t0": first, "t1": snapshot([0.4, 0.5, 0.3], list("789"))})
    test = stats.ttest_ind([0.4, 0.5, 0.3], [0.5, 0.6, 0.7, 0.4], equal_var=False)
    low, high = test.confidence_interval()
    assert other.loc[1, ["ci_low", "ci_high"]].tolist() == pytest.approx([low, high])
    assert other.loc[1, "relative_change"] == pytest.approx((0.4 - 0.55) / 0.55)


def test_the_run_that_lost_most_has_the_rank_1():
    first = pd.concat([snapshot([0.5, 0.7], ["1", "2"]).assign(run=run) for run in "ab"])
    later = first.assign(value=[0.5, 0.6, 0.2, 0.3])
    found = changes({"t0": first, "t1": later})
    assert found.loc[found["snapshot"] == "t1", "loss_rank"].tolist() == [2, 1]
    with pytest.raises(ValueError, match="snapshot 't1' does not have all runs"):
        changes({"t0": first, "t1": later[later["run"] == "a"]})
    with pytest.raises(ValueError, match="1 snapshot: pass the scores of at least two"):
        changes({"t0": first})


def test_metadata_of_both_sides_are_shown_side_by_side():
    original = pd.DataFrame({"run": ["a"], "os": ["x"], "cpu": ["m1"]})
    found = metadata_differences(original, pd.DataFrame({"run": ["a"], "os": ["y"]}))
    assert found["key"].tolist() == ["cpu", "os"]
    assert found["same"].tolist() == [False, False]
    with pytest.raises(KeyError, match="the metadata of the reproduced runs has no column 'run'"):
        metadata_differences(original, original.drop(columns="run"))
