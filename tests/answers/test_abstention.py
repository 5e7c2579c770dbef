"""Abstention: values by hand, risk-coverage against MTEB's formula, groups, and messages."""

import re

import numpy as np
import pandas as pd
import pytest

QUERIES = pd.DataFrame(
    {
        "query_id": list("12345"),
        "answerable": [True, True, True, False, False],
        "kind": list("xyxyx"),
    }
)
# a abstains from 3 (wrong) and 4 (right); b from nothing
RUNS = pd.DataFrame(
    {
        "run": ["a"] * 3 + ["b"] * 5,
        "query_id": list("125") + list("12345"),
        "doc_id": "d",
        "score": [0.9, 0.8, 0.3, 0.9, 0.8, 0.7, 0.2, 0.1],
    }
)


def means(scores):
    return scores.groupby(["run", "measure"], sort=False)["value"].mean().tolist()


def test_accuracy_precision_and_recall_of_abstaining():
    scores = RUNS.ireval.abstention(QUERIES)
    # run a: 1, 2 and 4 are right of 5; one of two abstentions; one of two unanswerable queries
    assert means(scores)[:3] == [3 / 5, 1 / 2, 1 / 2]
    # run b never abstains: it has no precision
    precision = scores.query("measure == 'AbstentionPrecision'")
    assert precision["run"].unique().tolist() == ["a"]
    assert means(scores)[3:] == [3 / 5, 0.0]


def test_a_list_of_low_scores_is_no_answer():
    scores = RUNS.ireval.abstention(QUERIES, "AbstentionAccuracy", threshold=0.5)
    assert means(scores) == [4 / 5, 1.0]
    at_the_threshold = RUNS.ireval.abstention(QUERIES, "AbstentionRecall", threshold=0.2)
    assert means(at_the_threshold) == [1 / 2, 1.0]


def test_abstention_by_groups_of_queries_and_compared():
    scores = RUNS.ireval.abstention(QUERIES, "AbstentionAccuracy")
    by = scores.ireval.summary(by="kind", metadata=QUERIES[["query_id", "kind"]])
    assert by["mean"].tolist() == [1 / 3, 2 / 3, 1.0, 1 / 2]
    assert len(scores.ireval.compare()) == 1


def test_abstention_by_groups_equals_a_loop_over_the_groups():
    grouped = RUNS.ireval.abstention(QUERIES, by="kind", metadata=QUERIES)
    parts = []
    for kind, queries in QUERIES.groupby("kind"):
        runs = RUNS[RUNS["query_id"].isin(queries["query_id"])]
        part = runs.ireval.abstention(queries)
        parts.append(part.assign(kind=kind)[["kind", *part.columns]])
    loop = pd.concat(parts, ignore_index=True)
    loop["kind"] = loop["kind"].astype(grouped["kind"].dtype)
    pd.testing.assert_frame_equal(grouped, loop, check_exact=True)
    shuffled = RUNS.sample(frac=1, random_state=0)
    again = shuffled.ireval.abstention(QUERIES, by="kind", metadata=QUERIES)
    pd.testing.assert_frame_equal(again, grouped, check_exact=True)


def test_a_run_that_abstains_from_a_whole_group_has_its_values_in_this_group():
    # run a has no row of query 4, and query 3 has a row of run b only
    metadata = QUERIES.assign(kind=["w", "w", "x", "y", "w"])
    grouped = RUNS.ireval.abstention(QUERIES, "AbstentionAccuracy", by="kind", metadata=metadata)
    of_a = grouped.query("run == 'a'")
    assert of_a.groupby("kind")["value"].mean().to_dict() == {"w": 2 / 3, "x": 0.0, "y": 1.0}


def nauc(confidence, metric):
    """mteb._evaluators.retrieval_metrics.nauc, by its documentation: ten rates of abstention, trapezoids."""
    rates = np.linspace(0, 1, 11)[:-1]

    def curve(key):
        order = np.argsort(key, kind="stable")
        dropped = [min(round(rate * len(key)), len(key) - 1) for rate in rates]
        return np.array([metric[order[n:]].mean() for n in dropped])

    flat = metric.mean() * rates[-1]
    area, oracle = (np.trapezoid(curve(key), rates) for key in (confidence, metric))
    return (area - flat) / (oracle - flat)


@pytest.mark.parametrize("n", [2, 3, 17, 50])
def test_the_normalized_area_is_that_of_mteb(n):
    rng = np.random.default_rng(n)
    metric, confidence = rng.random((2, n))
    ids = {"run": "a", "query_id": np.arange(n)}
    scores = pd.DataFrame({**ids, "measure": "AP", "value": metric})
    table = pd.DataFrame({**ids, "confidence": confidence}).sample(frac=1, random_state=1)
    result = scores.ireval.risk_coverage(table, compat="mteb")
    assert result["nAUC"].item() == pytest.approx(nauc(confidence, metric), rel=1e-12)
    lower = scores.assign(value=-metric).ireval(higher=False).risk_coverage(table, compat="mteb")
    assert lower["nAUC"].item() == pytest.approx(nauc(confidence, metric), rel=1e-12)


SCORES = pd.DataFrame(
    {"run": "a", "query_id": list("abcd"), "measure": "AP", "value": [0.9, 0.2, 0.6, 0.1]}
)
CONFIDENCE = SCORES[["run", "query_id"]].assign(confidence=[0.8, 0.4, 0.3, 0.1])


def test_the_area_is_the_mean_of_the_curve():
    curve = SCORES.ireval.risk_coverage.curve(CONFIDENCE)
    expected = [0.45, 1.7 / 3, 0.55, 0.9]
    assert curve["coverage"].tolist() == [1.0, 0.75, 0.5, 0.25]
    assert curve["value"].tolist() == pytest.approx(expected)
    result = SCORES.ireval.risk_coverage(CONFIDENCE)
    oracle = np.mean([0.45, 1.7 / 3, 0.75, 0.9])
    assert result["area"].item() == pytest.approx(np.mean(expected))
    assert result["oracle"].item() == pytest.approx(oracle)
    assert result["nAUC"].item() == pytest.approx((np.mean(expected) - 0.45) / (oracle - 0.45))


def test_a_perfect_confidence_has_1_and_none_has_0():
    perfect = CONFIDENCE.assign(confidence=SCORES["value"])
    assert SCORES.ireval.risk_coverage(perfect)["nAUC"].item() == pytest.approx(1.0)
    # all confidences are equal: queries are dropped at random
    constant = CONFIDENCE.assign(confidence=1.0)
    assert SCORES.ireval.risk_coverage(constant)["nAUC"].item() == pytest.approx(0.0)
    equal = SCORES.assign(value=0.3).ireval.risk_coverage(CONFIDENCE)
    assert np.isnan(equal["nAUC"].item())


def test_queries_without_confidence_are_dropped_first_and_runs_may_differ():
    table = pd.concat([SCORES, SCORES.assign(run="b").head(3)])
    known = CONFIDENCE.query("query_id != 'a'")
    curve = table.ireval.risk_coverage.curve(pd.concat([known, known.assign(run="b")]))
    assert curve.groupby("run")["value"].apply(lambda part: part.round(4).tolist()).tolist() == [
        [0.45, 0.3, 0.4, 0.2],
        [0.5667, 0.4, 0.2],
    ]
    shuffled = table.sample(frac=1, random_state=3)
    result = shuffled.ireval.risk_coverage(known.assign(run="b").iloc[::-1])
    pd.testing.assert_frame_equal(result, table.ireval.risk_coverage(known.assign(run="b")))


def test_the_best_score_of_a_list_is_a_confidence():
    runs = CONFIDENCE.rename(columns={"confidence": "score"}).assign(doc_id="x")
    runs = pd.concat([runs, runs.assign(doc_id="y", score=0.0)])
    expected = SCORES.ireval.risk_coverage(CONFIDENCE)
    pd.testing.assert_frame_equal(SCORES.ireval.risk_coverage(runs), expected)


def test_risk_coverage_by_groups():
    kind = pd.DataFrame({"query_id": list("abcd"), "kind": list("xxyy")})
    result = SCORES.ireval.risk_coverage(CONFIDENCE, by="kind", metadata=kind)
    assert result["area"].tolist() == pytest.approx([(0.55 + 0.9) / 2, (0.35 + 0.6) / 2])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: RUNS.ireval.abstention(QUERIES[["query_id"]]),
            "answerable= has no column 'answerable'; it has query_id. Add it, with True for queries that have an "
            "answer.",
        ),
        (
            lambda: RUNS.ireval.abstention(QUERIES.assign(answerable="yes")),
            "the column 'answerable' has values other than True and False.",
        ),
        (
            lambda: RUNS.ireval.abstention(pd.concat([QUERIES, QUERIES.head(1)])),
            "answerable= has 1 rows that repeat a query. Keep one row of each query.",
        ),
        (
            lambda: RUNS.ireval.abstention(QUERIES.assign(query_id=range(5))),
            "no query of the runs is in answerable=, which has e.g. 0. Use the same ids, of the same type.",
        ),
        (
            lambda: RUNS.drop(columns="score").assign(rank=1).ireval.abstention(QUERIES, threshold=1.0),
            "threshold= needs scores, but the run table has only ranks. Add them.",
        ),
        (
            lambda: SCORES.ireval.risk_coverage(CONFIDENCE.rename(columns={"confidence": "c"})),
            "confidence= has no column 'confidence'; it has run, query_id, c. Add it, or pass a run table.",
        ),
        (
            lambda: SCORES.ireval.risk_coverage(pd.concat([CONFIDENCE, CONFIDENCE])),
            "confidence= has 4 rows that repeat a run and query. Keep one of each.",
        ),
        (
            lambda: SCORES.ireval.risk_coverage(CONFIDENCE.assign(query_id=range(4))),
            "no query of confidence= is in the table of answers, which has e.g. 'a'.",
        ),
        (
            lambda: SCORES.ireval.risk_coverage(CONFIDENCE.assign(confidence=np.nan)),
            "the confidence column has 4 missing values (NaN)",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_evaluated_is_answered_by_its_fault(call, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        call()
