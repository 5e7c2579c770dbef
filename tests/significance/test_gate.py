"""The gate: whether a candidate may replace the baseline, per measure and group."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import pdeval
from pdeval.report.decisions import junit_of, summary_of
from pdeval.significance.noninferiority import queries_for_margin
from pdeval.tables.schemas import SCHEMAS
from tests.schema_faults import faults

JUDGED = pdeval.datasets.sample_judged(queries="common")
SCORES = JUDGED.measure(["AP", "P@10", "RR"])


def two_runs(D, level=0.5):
    queries = np.arange(len(D))
    return pd.concat(
        [
            pd.DataFrame({"run": run, "query_id": queries, "measure": "AP", "value": values})
            for run, values in (("new", level + D), ("old", np.full(len(D), level)))
        ],
        ignore_index=True,
    )


def test_one_row_is_a_one_sided_t_test_against_the_margin():
    D = np.array([0.1, -0.05, 0.2, 0.15, 0.02, 0.3, -0.1, 0.25])
    row = two_runs(D).ireval.gate("new", "old", margin="10%").iloc[0]
    expected = stats.ttest_1samp(D, -0.05, alternative="greater")
    assert row["p_value"] == pytest.approx(expected.pvalue)
    assert row["limit"] == pytest.approx(-0.05)
    assert row["lower"] == pytest.approx(expected.confidence_interval(0.95).low)
    assert row["passed"]
    assert row["queries_needed"] == queries_for_margin(0.0, [0.05 / D.std(ddof=1)], 0.8, 0.05)[0]
    assert row["conclusion"] == "better by at least 0.0129 (limit 0.05)"
    assert faults(SCHEMAS["gates"], two_runs(D).ireval.gate("new", "old"), {}) == []


def test_without_a_margin_only_a_significant_loss_fails():
    assert SCORES.ireval.gate("ql", "bm25")["passed"].all()
    lost = SCORES.ireval.gate("tfidf", "bm25", "AP").iloc[0]
    assert not lost["passed"]
    assert lost["conclusion"].startswith("significant loss of at least 0.0")
    wide = SCORES[SCORES["measure"] == "AP"].pivot(index="query_id", columns="run", values="value")
    test = stats.ttest_rel(wide["tfidf"], wide["bm25"], alternative="less")
    assert lost["p_value"] == pytest.approx(test.pvalue)
    assert lost["upper"] == pytest.approx(test.confidence_interval(0.95).high)


def test_few_queries_say_how_many_are_needed():
    row = SCORES.ireval.gate("ql", "bm25", "AP", margin=0.03).iloc[0]
    assert not row["passed"]
    assert row["conclusion"].startswith(
        f"not enough queries: n needed is {row['queries_needed']:.0f}"
    )
    assert SCORES.ireval.gate("ql", "bm25", "AP", margin=0.03, require="no_loss")["passed"].all()
    beaten = SCORES.ireval.gate("tfidf", "bm25", "AP", margin=0.01)["conclusion"].item()
    assert beaten.startswith("inferior: the loss is at least")


def test_protected_measures_must_not_lose():
    found = JUDGED.gate("tfidf", "bm25", "RR", margin="90%", protect=["AP"])
    assert found["measure"].tolist() == ["RR", "AP"]
    assert found["requirement"].tolist() == ["noninferiority", "no_loss"]
    assert found["passed"].tolist() == [True, False]
    assert found["limit"].tolist()[1] == 0.0


def test_groups_are_corrected_together():
    parted = SCORES.assign(part=SCORES["query_id"].astype(int) % 3)
    options = {"margin": 0.05, "by": "part"}
    found = parted.ireval.gate("hybrid", "bm25", ["AP", "P@10"], **options)
    assert found[["part", "measure"]].to_numpy().tolist() == [
        [part, measure] for measure in ("AP", "P@10") for part in range(3)
    ]
    alone = parted[parted["part"] == 1].ireval.gate("hybrid", "bm25", "AP", margin=0.05).iloc[0]
    one = found.iloc[1]
    assert (one["n"], one["difference"]) == (alone["n"], pytest.approx(alone["difference"]))
    assert one["lower"] < alone["lower"]
    bonferroni = parted.ireval.gate(
        "hybrid", "bm25", ["AP", "P@10"], correction="bonferroni", **options
    )
    plain = parted.ireval.gate("hybrid", "bm25", ["AP", "P@10"], correction="none", **options)
    expected = np.minimum(6 * plain["p_value"], 1)
    assert bonferroni["p_value"].tolist() == pytest.approx(expected.tolist())
    assert (bonferroni["queries_needed"] > plain["queries_needed"]).all()


def test_a_group_with_one_query_is_not_tested():
    parted = SCORES.assign(part=np.where(SCORES["query_id"] == SCORES["query_id"][0], "x", "y"))
    found = parted.ireval.gate("hybrid", "bm25", "AP", by="part", margin=0.05)
    assert found["conclusion"][0] == "not enough queries: n needed is at least 2, found 1"
    assert found["passed"].tolist() == [False, True]


def test_the_limits_agree_with_the_verdicts():
    for margin in (0.01, 0.03, 0.1, "20%"):
        for run in ("ql", "bm25+rm3", "tfidf", "dense-s1"):
            found = SCORES.ireval.gate(run, "bm25", margin=margin)
            assert (found["passed"] == (found["lower"] > found["limit"])).all()
            assert (found["passed"] == (found["p_value"] < 0.05)).all()
            losses = SCORES.ireval.gate(run, "bm25")
            assert (losses["passed"] == (losses["upper"] >= 0)).all()


def test_preferences_have_gates_with_absolute_margins():
    found = JUDGED.gate("hybrid", "bm25", ["AP", "RPP"], margin=0.1)
    assert found["measure"].tolist() == ["AP", "RPP"]
    assert found["passed"].all()


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"candidate": "bm25"}, ValueError, "the candidate 'bm25' is the baseline"),
        ({"candidate": "nosuch"}, KeyError, "nosuch"),
        ({"require": "noninferiority"}, ValueError, "needs margin="),
        ({"margin": -1}, ValueError, "margin=-1"),
        ({"by": "nosuch"}, KeyError, "nosuch"),
    ],
)
def test_what_cannot_be_decided_is_an_error(options, error, text):
    with pytest.raises(error, match=text):
        SCORES.ireval.gate(**{"candidate": "ql", "baseline": "bm25", "measures": "AP", **options})


def test_junit_and_markdown_name_what_failed():
    found = JUDGED.gate("ql", "bm25", ["AP", "RR"], margin=0.03, protect="P@10")
    from xml.etree import ElementTree as ET

    suite = ET.fromstring(junit_of(found))
    assert (suite.get("tests"), suite.get("failures")) == ("3", "2")
    assert [case.get("name") for case in suite] == ["AP", "RR", "P@10"]
    assert suite[0][0].get("message") == found["conclusion"][0]
    text = summary_of(found)
    assert text.startswith(
        "### Gate failed (2 of 3 requirements): ql in place of bm25\n\n| Measure"
    )
    assert found["conclusion"][2] in text
