"""Segments: means and gaps against scipy, what each segment prefers, and segments of one query."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import pdeval

SCORES = pdeval.datasets.sample_judged(queries="common").measure("AP")
PARTED = SCORES.assign(
    group=(SCORES["query_id"].astype(int) % 4).map({0: "w", 1: "x", 2: "y", 3: "z"})
)


def values(run, group):
    rows = PARTED[(PARTED["run"] == run) & PARTED["group"].isin(list(group))]
    return rows.sort_values("query_id")["value"].to_numpy()


def row(frame, **where):
    [found] = frame[
        np.logical_and.reduce([frame[name] == value for name, value in where.items()])
    ].to_dict("records")
    return found


def test_means_and_their_intervals_are_those_of_the_summary():
    found = PARTED.ireval.segments(by="group")
    alone = PARTED.ireval.summary(by="group")
    assert found[["group", "run", "n"]].to_dict("list") == alone[["group", "run", "n"]].to_dict(
        "list"
    )
    for name in ("mean", "ci_low", "ci_high"):
        np.testing.assert_allclose(found[name], alone[name], rtol=1e-9)


def test_the_gap_to_all_others_is_welchs_of_scipy():
    found = PARTED.ireval.segments(by="group", correction="none")
    found = row(found, group="x", run="ql")
    one, rest = values("ql", "x"), values("ql", "wyz")
    other = stats.ttest_ind(one, rest, equal_var=False)
    ends = other.confidence_interval(0.95)
    assert found["gap"] == pytest.approx(one.mean() - rest.mean())
    assert found["gap_p"] == pytest.approx(other.pvalue)
    assert (found["gap_low"], found["gap_high"]) == pytest.approx((ends.low, ends.high))
    corrected = PARTED.ireval.segments(by="group", correction="bonferroni")
    found = row(corrected, group="x", run="ql")
    assert found["gap_p_adjusted"] == pytest.approx(
        min(1, 48 * other.pvalue)
    )  # 4 groups of 12 runs
    ends = other.confidence_interval(1 - 0.05 / 48)
    assert (found["gap_low"], found["gap_high"]) == pytest.approx((ends.low, ends.high))


def test_gaps_between_two_segments_are_welchs_too_and_one_is_the_largest():
    found = PARTED.ireval.segments.gaps(by="group", confidence=0.9, correction="none")
    one = row(found, run="bm25", segment_a="w", segment_b="y")
    other = stats.ttest_ind(values("bm25", "w"), values("bm25", "y"), equal_var=False)
    ends = other.confidence_interval(0.9)
    assert (one["gap"], one["p_value"]) == pytest.approx(
        (values("bm25", "w").mean() - values("bm25", "y").mean(), other.pvalue)
    )
    assert (one["ci_low"], one["ci_high"]) == pytest.approx((ends.low, ends.high))
    largest = found[found["largest"]].set_index("run")["gap"].abs()
    assert (
        largest.to_dict()
        == found.assign(size=found["gap"].abs()).groupby("run")["size"].max().to_dict()
    )


def test_within_a_segment_the_difference_is_paired_and_between_segments_it_is_not():
    found = row(PARTED.ireval.segments(by="group", baseline="bm25"), group="z", run_a="hybrid")
    paired = stats.ttest_rel(values("hybrid", "z"), values("bm25", "z"))
    assert found["p_value"] == pytest.approx(paired.pvalue)
    own, rest = (values("hybrid", part) - values("bm25", part) for part in ("z", "wxy"))
    assert found["difference"] == pytest.approx(own.mean())
    assert found["gap_p"] == pytest.approx(stats.ttest_ind(own, rest, equal_var=False).pvalue)
    between = row(
        PARTED.ireval.segments.gaps(by="group", baseline="bm25"),
        run_a="hybrid",
        segment_a="w",
        segment_b="z",
    )
    first = values("hybrid", "w") - values("bm25", "w")
    assert between["p_value"] == pytest.approx(stats.ttest_ind(first, own, equal_var=False).pvalue)


def test_groups_say_which_run_they_prefer():
    queries = [str(query) for query in range(12)]
    light = [0.5, 0.6, 0.4, 0.5, 0.6, 0.5]
    value = [*light, *(-one for one in light)]
    prefs = pd.DataFrame(
        {"query_id": queries, "run_a": "a", "run_b": "b", "measure": "RPP", "value": value}
    )
    prefs["user"] = ["light"] * 6 + ["heavy"] * 6
    found = prefs.ireval.segments(by="user").set_index("user")
    assert found["better"].to_dict() == {"heavy": "b", "light": "a"}
    assert found["gap_significant"].all()
    assert (
        prefs.assign(value=[0.5, -0.5] * 6).ireval.segments(by="user")["better"].tolist()
        == ["neither"] * 2
    )


def test_a_segment_of_one_query_is_shown_without_interval_or_test():
    frame = PARTED.assign(group=np.where(PARTED["query_id"] == "101", "one", PARTED["group"]))
    found = row(frame.ireval.segments(by="group"), group="one", run="bm25")
    assert found["n"] == 1
    assert found["mean"] == row(SCORES, run="bm25", query_id="101")["value"]
    assert np.isnan(
        [found[name] for name in ("ci_low", "ci_high", "gap_low", "gap_p", "gap_p_adjusted")]
    ).all()
    assert not found["gap_significant"]
    two = row(frame.ireval.segments(by="group", baseline="bm25"), group="one", run_a="ql")
    assert two["better"] == "neither"
    assert np.isnan(two["p_value"])
    gaps = frame.ireval.segments.gaps(by="group")
    assert not gaps[(gaps["segment_a"] == "one") | (gaps["segment_b"] == "one")]["largest"].any()


def test_runs_that_never_differ_have_no_gap():
    frame = PARTED.assign(value=0.3)
    found = frame.ireval.segments(by="group", baseline="bm25")
    assert set(found["difference"]) == {0.0}
    assert set(found["p_value"]) == set(found["gap_p"]) == {1.0}


def test_one_segment_or_a_missing_column_is_an_error():
    with pytest.raises(
        ValueError, match=r"segments\(\) needs at least two segments; group has only 'x'"
    ):
        PARTED[PARTED["group"] == "x"].ireval.segments(by="group")
    with pytest.raises(
        KeyError, match=r"no column 'language' to group by; the table has run, query_id"
    ):
        PARTED.ireval.segments(by="language")
    with pytest.raises(
        ValueError, match=r"have a missing value in column 'group'. Fill or drop them first"
    ):
        PARTED.assign(group=PARTED["group"].where(PARTED["query_id"] != "101")).ireval.segments(
            by="group"
        )


@pytest.mark.parametrize("absent", ["w", "z"])  # the first of two segments, and the second
def test_a_run_that_a_segment_lacks_has_no_gap_to_it(absent):
    fewer = PARTED[(PARTED["run"] != "ql") | (PARTED["group"] != absent)]
    found = fewer.ireval.segments.gaps(by="group")
    of_run = found[found["run"] == "ql"]
    assert len(of_run) == 3  # of the three segments that it has
    assert absent not in {*of_run["segment_a"], *of_run["segment_b"]}
    assert (found[["n_a", "n_b"]] > 0).all(axis=None)
    assert (found["run"] == "bm25").sum() == 6


def test_gaps_say_how_many_queries_each_segment_has():
    found = (
        PARTED.ireval.segments.gaps(by="group")
        .query("run == 'bm25'")
        .set_index(["segment_a", "segment_b"])
    )
    size = PARTED[PARTED["run"] == "bm25"]["group"].value_counts()
    assert found["n_a"].to_dict() == {key: size[key[0]] for key in found.index}
    assert found["n_b"].to_dict() == {key: size[key[1]] for key in found.index}
    one = PARTED[
        (PARTED["group"] != "w") | (PARTED["query_id"] == "104")
    ]  # a segment of one query has gaps without a test
    few = one.ireval.segments.gaps(by="group").query("run == 'bm25'")
    assert few.loc[few["segment_a"] == "w", "n_a"].tolist() == [1, 1, 1]
    assert len(few) == 6


def test_a_segment_that_a_run_lacks_has_no_row_of_it():
    fewer = PARTED[(PARTED["run"] != "ql") | (PARTED["group"] != "x")]
    found = fewer.ireval.segments(by="group")
    assert found.groupby("group")["run"].nunique().to_dict() == {"w": 12, "x": 11, "y": 12, "z": 12}
    assert (found["n"] > 0).all()
    assert found.index.tolist() == list(range(47))
    against = fewer.ireval.segments(by="group", baseline="bm25")
    assert against.groupby("group")["run_a"].nunique().to_dict() == {
        "w": 11,
        "x": 10,
        "y": 11,
        "z": 11,
    }


def test_what_is_at_alpha_is_not_below_it():
    options = {"by": "group", "baseline": "bm25", "correction": "none"}
    some = PARTED[PARTED["run"].isin(["bm25", "hybrid"])]
    whole = some.ireval.segments(**options).set_index("group")
    assert (whole.loc["z", "better"], bool(whole.loc["z", "significant"])) == ("a", True)
    at = some.ireval.segments(**options, alpha=whole.loc["z", "p_value"]).set_index("group")
    assert (at.loc["z", "better"], bool(at.loc["z", "significant"])) == ("neither", False)
    at = some.ireval.segments(**options, alpha=whole.loc["x", "gap_p"]).set_index("group")
    assert at["gap_significant"].to_dict() == (whole["gap_p"] < whole.loc["x", "gap_p"]).to_dict()
    gaps = some.ireval.segments.gaps(**options)
    at = some.ireval.segments.gaps(**options, alpha=gaps["p_value"].iloc[1])
    assert at["significant"].tolist() == (gaps["p_value"] < gaps["p_value"].iloc[1]).tolist()
    above = some.ireval.segments.gaps(**options, alpha=gaps["p_value"].iloc[1] + 1e-9)
    assert above["significant"].iloc[1]


@pytest.mark.parametrize("verb", ["segments", "segments.gaps"])
def test_what_the_numbers_rest_on_is_kept(verb):
    accessor = PARTED.ireval
    for part in verb.split("."):
        accessor = getattr(accessor, part)
    found = accessor(by="group", correction="holm", alpha=0.1, confidence=0.8)
    assert {name: found.attrs[name] for name in ("correction", "alpha", "confidence")} == {
        "correction": "holm",
        "alpha": 0.1,
        "confidence": 0.8,
    }
    assert found.attrs["queries"] == "common"
    assert "collections" not in found.attrs


GAP = ["gap", "gap_low", "gap_high", "gap_p", "gap_p_adjusted", "gap_significant"]
BETWEEN = [
    "segment_a",
    "segment_b",
    "n_a",
    "n_b",
    "gap",
    "ci_low",
    "ci_high",
    "p_value",
    "p_adjusted",
    "significant",
]


def test_tables_have_their_columns_and_rows_in_order_for_several_measures():
    three = PARTED[PARTED["run"].isin(["bm25", "ql", "hybrid"])]
    both = pd.concat(
        [three, three.assign(measure="RR", value=1 - three["value"])], ignore_index=True
    )
    both.attrs = dict(PARTED.attrs)
    found = both.ireval.segments(by="group")
    assert found.columns.tolist() == [
        "group",
        "run",
        "measure",
        "n",
        "mean",
        "ci_low",
        "ci_high",
        *GAP,
    ]
    assert found["group"].tolist() == np.repeat([*"wxyz"], 6).tolist()
    assert found["measure"].tolist() == (["AP"] * 3 + ["RR"] * 3) * 4
    assert found["run"].tolist() == ["bm25", "hybrid", "ql"] * 8
    against = both.ireval.segments(by="group", baseline="ql")
    own = ["difference", "ci_low", "ci_high", "p_value", "p_adjusted", "significant", "better"]
    assert against.columns.tolist() == ["group", "run_a", "run_b", "measure", "n", *own, *GAP]
    assert against["run_a"].tolist() == ["bm25", "hybrid"] * 8
    assert set(against["run_b"]) == {"ql"}
    gaps = both.ireval.segments.gaps(by="group")
    assert gaps.columns.tolist() == ["run", "measure", *BETWEEN, "largest"]
    assert gaps["measure"].tolist() == ["AP"] * 18 + ["RR"] * 18
    assert gaps["run"].tolist() == np.repeat(["bm25", "hybrid", "ql"] * 2, 6).tolist()
    assert gaps["segment_a"].tolist() == [*"wwwxxy"] * 6
    assert gaps["segment_b"].tolist() == [*"xyzyzz"] * 6
    for frame in (found, against, gaps):
        assert frame.index.tolist() == list(range(len(frame)))
    opposite = gaps["gap"].to_numpy().reshape(2, -1)
    np.testing.assert_allclose(opposite[0], -opposite[1], atol=1e-12)


def test_a_second_segment_of_one_query_has_gaps_without_a_test():
    one = PARTED[(PARTED["group"] != "z") | (PARTED["query_id"] == "103")]
    few = one.ireval.segments.gaps(by="group").query("run == 'bm25' and segment_b == 'z'")
    assert few["n_b"].tolist() == [1, 1, 1]
    assert few["gap"].notna().all()
    assert few["p_value"].isna().all()
