"""Meta-analysis over collections: counts, means, and what happens to collections and pairs that lack something."""

import numpy as np
import pandas as pd
import pytest

import pdeval
from pdeval.significance.corrections import adjust
from pdeval.significance.over_collections import _sentences, combined_effects
from pdeval.tables.recognition import kind_of
from pdeval.tables.schemas import SCHEMAS
from tests.schema_faults import faults

NAMES = {"run": ["run"], "query": ["query_id"]}
JUDGED = pdeval.datasets.sample_judged(queries="common")
SCORES = JUDGED.measure(["AP", "ASL"])
PARTED = SCORES.assign(collection="c" + (SCORES["query_id"].astype(int) % 6).astype(str))


def scores_of(values):
    """Scores from {collection: {run: [value of each query]}}; query ids repeat from collection to collection."""
    rows = [
        (name, run, str(query), "AP", value)
        for name, runs in values.items()
        for run, those in runs.items()
        for query, value in enumerate(those)
    ]
    frame = pd.DataFrame(rows, columns=["collection", "run", "query_id", "measure", "value"])
    frame.attrs["run_columns"] = ["run"]
    return frame


SMALL = {
    "x": {"a": [0.5, 0.7, 0.9], "b": [0.4, 0.5, 0.6]},  # 0.1, 0.2, 0.3
    "y": {"a": [0.2, 0.4], "b": [0.3, 0.2]},  # -0.1, 0.2
    "z": {"a": [0.1, 0.2, 0.1, 0.1], "b": [0.2, 0.4, 0.3, 0.2]},  # -0.1, -0.2, -0.2, -0.1
}


def test_macro_micro_and_counts_are_those_worked_by_hand():
    [row] = scores_of(SMALL).ireval.meta_analysis(by="collection", draws=100).to_dict("records")
    assert (row["collections"], row["n"]) == (3, 9)
    assert row["macro"] == pytest.approx((0.2 + 0.05 - 0.15) / 3)
    assert row["micro"] == pytest.approx((0.6 + 0.1 - 0.6) / 9)
    # t of z: -0.15 / (0.0577 / 2) = -5.196, p = 0.0138; of x: 0.2 / (0.1 / sqrt 3) = 3.46, p = 0.0742
    counts = [
        row[name] for name in ("better", "significantly_better", "worse", "significantly_worse")
    ]
    assert counts == [2, 0, 1, 1]
    assert (
        row["conclusion"]
        == "better on 2 of 3, significantly on 0, worse on 1, significantly on 1; undecided over all"
    )


def test_each_collection_says_what_compare_says_of_it():
    found = PARTED.ireval.meta_analysis(
        by="collection", per="collection", baseline="bm25", correction="holm"
    )
    alone = PARTED.ireval.compare(by="collection", baseline="bm25", correction="holm")
    keys = ["collection", "run_a", "run_b", "measure"]
    assert found[keys].to_dict("list") == alone[keys].to_dict("list")
    for name in ("n", "difference", "ci_low", "ci_high", "p_value", "p_adjusted", "significant"):
        np.testing.assert_allclose(
            found[name].astype(float), alone[name].astype(float), rtol=1e-9, err_msg=name
        )


def test_the_verdict_counts_what_its_collections_say_and_averages_them():
    options = {"by": "collection", "correction": "none"}
    over_all = PARTED.ireval.meta_analysis(**options, draws=50)
    each = PARTED.ireval.meta_analysis(**options, per="collection")
    keys = ["run_a", "run_b", "measure"]
    groups = each.groupby(keys, sort=False)
    macro = groups["difference"].mean()
    np.testing.assert_allclose(
        over_all.set_index(keys)["macro"], macro.reindex(over_all.set_index(keys).index)
    )
    sure = each[(each["difference"] > 0) & each["significant"]].groupby(keys).size()
    counted = over_all.set_index(keys)["significantly_better"]
    assert counted.tolist() == sure.reindex(counted.index, fill_value=0).tolist()
    assert (over_all["better"] + over_all["worse"] <= over_all["collections"]).all()


def test_turning_the_pair_turns_the_verdict():
    one = (
        PARTED.ireval.meta_analysis("AP", by="collection", baseline="bm25", draws=100)
        .set_index("run_a")
        .loc["ql"]
    )
    two = (
        PARTED.ireval.meta_analysis("AP", by="collection", baseline="ql", draws=100)
        .set_index("run_a")
        .loc["bm25"]
    )
    assert one["macro"] == pytest.approx(-two["macro"])
    assert one["ci_low"] == pytest.approx(-two["ci_high"])
    assert one["random_low"] == pytest.approx(-two["random_high"])
    assert one["better"] == two["worse"]


def test_preferences_have_a_verdict_of_their_own_values():
    prefs = JUDGED.prefer("RPP", baseline="bm25")
    parted = prefs.assign(collection=prefs["query_id"].astype(int) % 6)
    found = parted.ireval.meta_analysis(by="collection", draws=50).set_index("run_a")
    means = (
        parted.groupby(["run_a", "collection"], observed=True)["value"]
        .mean()
        .groupby("run_a", observed=True)
        .mean()
    )
    np.testing.assert_allclose(found["macro"], means.reindex(found.index))
    assert set(found["run_b"]) == {"bm25"}


def test_queries_of_one_name_in_two_collections_are_two_queries():
    frame = scores_of(SMALL)
    other = frame.assign(query_id=frame["collection"] + frame["query_id"])
    pd.testing.assert_frame_equal(
        frame.ireval.meta_analysis(by="collection", draws=50),
        other.ireval.meta_analysis(by="collection", draws=50),
    )


def test_segments_of_stacked_collections_keep_their_queries_apart():
    frame = scores_of(SMALL).assign(size=["small"] * 6 + ["large"] * 12)
    frame.attrs |= {"run_columns": ["run"], "collections": ["collection"]}
    found = frame.ireval.segments(by="size", baseline="b").set_index("size")
    assert found["n"].to_dict() == {"large": 6, "small": 3}


def test_a_collection_of_one_query_is_left_out_by_name():
    one = scores_of({**SMALL, "single": {"a": [0.9], "b": [0.1]}})
    with pytest.warns(
        UserWarning,
        match=r"1 of 4 groups by collection is skipped: 'single'\. No pair of runs has two",
    ):
        found = one.ireval.meta_analysis(by="collection", draws=50)
    pd.testing.assert_frame_equal(
        found, scores_of(SMALL).ireval.meta_analysis(by="collection", draws=50)
    )


@pytest.mark.parametrize(
    ("count", "said"), [(3, r"'p', 'q', 'r'\. No pair"), (4, r"'p', 'q', 'r', \.\.\.\. No pair")]
)
def test_of_many_collections_of_one_query_three_are_named(count, said):
    singles = {name: {"a": [0.9], "b": [0.1]} for name in "pqrs"[:count]}
    with pytest.warns(
        UserWarning, match=rf"{count} of {3 + count} groups by collection are skipped: {said}"
    ):
        scores_of({**SMALL, **singles}).ireval.meta_analysis(by="collection", draws=50)


def test_a_pair_says_over_how_many_collections_it_is():
    values = {name: dict(runs) for name, runs in SMALL.items()}
    values["x"]["c"] = [0.1, 0.2, 0.3]
    values["y"]["c"] = [0.2, 0.3]
    values["far"] = {"d": [0.1, 0.5], "e": [0.3, 0.4]}
    found = (
        scores_of(values)
        .ireval.meta_analysis(by="collection", draws=50)
        .set_index(["run_a", "run_b"])
    )
    assert found["collections"].to_dict() == {
        ("a", "b"): 3,
        ("a", "c"): 2,
        ("b", "c"): 2,
        ("d", "e"): 1,
        **dict.fromkeys(
            [("a", "d"), ("a", "e"), ("b", "d"), ("b", "e"), ("c", "d"), ("c", "e")], 0
        ),
    }
    assert found.loc[("a", "d"), "conclusion"] == "no collection has both"
    alone = found.loc[("d", "e")]
    assert alone["macro"] == pytest.approx(-0.05)
    assert np.isnan([alone["ci_low"], alone["p_value"], alone["random"]]).all()
    pair = (
        scores_of(SMALL).ireval.meta_analysis(by="collection", draws=50, correction="none").iloc[0]
    )
    assert found.loc[("a", "b"), "p_value"] == pair["p_value"]


def test_fixed_collections_give_a_narrower_interval_where_collections_differ():
    frame = scores_of(
        {
            str(k): {"a": [0.5 + 0.1 * k + d for d in (0, 0.01, 0.02)], "b": [0.5] * 3}
            for k in (-2, -1, 0, 1, 2)
        }
    )
    random, fixed = (
        frame.ireval.meta_analysis(by="collection", over=over).iloc[0]
        for over in ("collections", "queries")
    )
    assert random["macro"] == fixed["macro"]
    assert fixed["ci_high"] - fixed["ci_low"] < 0.2 * (random["ci_high"] - random["ci_low"])
    assert fixed["significant"]
    assert not random["significant"]


def test_replicates_are_averaged_within_each_query():
    seeds = pd.concat(
        [PARTED.assign(seed=1), PARTED.assign(seed=2, value=PARTED["value"] + 0.1)],
        ignore_index=True,
    )
    seeds.attrs["run_columns"] = ["run", "seed"]
    found = seeds.ireval.meta_analysis("AP", by="collection", replicate="seed", draws=50)
    alone = PARTED.ireval.meta_analysis("AP", by="collection", draws=50)
    assert found[["run_a", "run_b"]].to_dict("list") == alone[["run_a", "run_b"]].to_dict("list")
    np.testing.assert_allclose(found["macro"], alone["macro"], atol=1e-12)


def test_bad_calls_say_what_is_wrong_and_what_to_do():
    frame = scores_of(SMALL)
    with pytest.raises(
        KeyError, match=r"no column 'site' to group by; the table has collection, run.*add_metadata"
    ):
        frame.ireval.meta_analysis(by="site")
    with pytest.raises(ValueError, match=r"by='query_id' is the query of the table"):
        frame.ireval.meta_analysis(by="query_id")
    with pytest.raises(ValueError, match=r"by='run' is about runs. Use a column about queries"):
        frame.ireval.meta_analysis(by="run")
    with pytest.raises(
        ValueError, match=r"needs at least two; collection has only 'x'\. Use over='queries'"
    ):
        frame[frame["collection"] == "x"].ireval.meta_analysis(by="collection")
    with pytest.raises(ValueError, match=r"over='runs': choose 'collections' or 'queries'"):
        frame.ireval.meta_analysis(by="collection", over="runs")
    with pytest.raises(ValueError, match=r"test='hsd' tests all runs together, .* Use one of 't'"):
        frame.ireval.meta_analysis(by="collection", test="hsd")
    with pytest.raises(
        ValueError, match=r"no two runs have two queries in common within any family"
    ):
        PARTED.assign(family=PARTED["run"]).ireval.meta_analysis(by="family")
    with pytest.raises(
        ValueError,
        match=r"half='h': .* 10 rows that repeat an earlier \(run, query_id, measure\), e\.g\. \('a', '0', 'AP'\)",
    ):
        frame.assign(half="h").ireval.meta_analysis(by="half", over="queries")
    with pytest.raises(TypeError, match="by"):
        frame.ireval.meta_analysis()
    with pytest.raises(
        ValueError, match=r"measures=\[\] is empty. Pass at least one, or omit the argument"
    ):
        frame.ireval.meta_analysis([], by="collection")
    with pytest.raises(ValueError, match=r"by=3: expected a column name or a list of column names"):
        frame.ireval.search_lengths.headroom(by=3)


TABLES = {
    "meta_analysis": lambda: PARTED.ireval.meta_analysis(by="collection", draws=20),
    "collections_needed": lambda: PARTED.ireval.meta_analysis.sample_size(by="collection"),
    "collection_effects": lambda: PARTED.ireval.meta_analysis(by="collection", per="collection"),
    "segments": lambda: PARTED.ireval.segments(by="collection"),
    "segment_differences": lambda: PARTED.ireval.segments(by="collection", baseline="bm25"),
    "segment_gaps": lambda: PARTED.ireval.segments.gaps(by="collection"),
    "segment_difference_gaps": lambda: PARTED.ireval.segments.gaps(
        by="collection", baseline="bm25"
    ),
}


@pytest.mark.parametrize("name", TABLES)
def test_the_table_is_as_declared_and_known_without_what_it_carries(name):
    found = TABLES[name]()
    assert found.attrs["table"] == name
    own = found.drop(columns=found.attrs.get("by", []))
    assert faults(SCHEMAS[name], own, NAMES) == []
    bare = found.copy()
    bare.attrs.clear()
    assert kind_of(bare) == name


@pytest.mark.parametrize("name", TABLES)
def test_the_table_prints_as_a_report(name):
    if SCHEMAS[name].no_report:
        return
    text = str(TABLES[name]().head(3).ireval.report())
    assert "bm25" in text


@pytest.mark.parametrize("by", [["collection"], ["collection", "half"]])
def test_several_columns_tell_collections_apart_together(by):
    frame = PARTED.assign(half=PARTED["query_id"].astype(int) // 24 % 2)
    found = frame.ireval.meta_analysis("AP", by=by, baseline="bm25", per="collection")
    assert list(found.columns[: len(by)]) == by
    assert len(found) == 11 * len(frame[by].drop_duplicates())


def test_a_collection_without_a_difference_speaks_for_neither_side():
    even = {**SMALL, "even": {"a": [0.4, 0.6], "b": [0.5, 0.5]}}
    [row] = scores_of(even).ireval.meta_analysis(by="collection", draws=50).to_dict("records")
    assert [row[name] for name in ("collections", "n", "better", "worse")] == [4, 11, 2, 1]


@pytest.mark.broad
def test_the_weight_of_a_collection_is_that_of_the_meta_analysis_of_its_pair():
    each = PARTED.ireval.meta_analysis(
        "AP", by="collection", baseline="bm25", per="collection", confidence=0.8
    )
    over_all = PARTED.ireval.meta_analysis(
        "AP", by="collection", baseline="bm25", draws=20, confidence=0.8
    )
    for run, rows in each.groupby("run_a", observed=True):
        meta = combined_effects(
            rows[["difference"]].to_numpy(), rows[["se"]].to_numpy(), confidence=0.8
        )
        np.testing.assert_allclose(rows["weight"], meta["weight"][:, 0])
        row = over_all.set_index("run_a").loc[run]
        for name in ("fixed", "fixed_low", "fixed_high", "random", "random_low", "random_high"):
            assert row[name] == pytest.approx(meta[name].item(), rel=1e-9), name


@pytest.mark.parametrize("per", ["pair", "collection"])
def test_a_verdict_says_how_it_was_made(per):
    said = {"correction": "holm", "alpha": 0.2, "draws": 30, "seed": 7, "confidence": 0.9}
    found = PARTED.ireval.meta_analysis("AP", by="collection", per=per, **said)
    assert said.items() <= found.attrs.items()
    assert (found.attrs["family"], found.attrs["meta_analysis_by"]) == ("measure", ["collection"])
    assert found["significant"].tolist() == (found["p_adjusted"] < 0.2).tolist()
    based = PARTED.ireval.meta_analysis("AP", by="collection", per=per, baseline="bm25", **said)
    assert based.attrs["family"] == "baseline"


def test_draws_without_a_seed_say_which_one_they_had():
    found = PARTED.ireval.meta_analysis("AP", by="collection", baseline="bm25", draws=30, seed=None)
    again = PARTED.ireval.meta_analysis(
        "AP", by="collection", baseline="bm25", draws=30, seed=found.attrs["seed"]
    )
    pd.testing.assert_frame_equal(found, again)
    assert found.attrs["seed"] > 2**32  # one of very many


def test_p_values_over_all_are_corrected_for_the_pairs_of_their_baseline_at_their_level():
    for alpha in (0.001, 0.6):
        options = {"by": "collection", "draws": 200, "correction": "fdr_tsbky", "alpha": alpha}
        found = PARTED.ireval.meta_analysis("AP", baseline=["bm25", "ql"], **options)
        family = pd.factorize(found["run_b"])[0]
        wanted = adjust(found["p_value"].to_numpy(), family, correction="fdr_tsbky", alpha=alpha)
        np.testing.assert_array_equal(found["p_adjusted"], wanted)


def test_verdicts_are_said_in_words():
    rows = {  # better, significantly, worse, significantly, collections, macro, significant
        "better on 3 of 4, significantly on 2, worse on 1; better over all": (
            3,
            2,
            1,
            0,
            4,
            0.2,
            True,
        ),
        "better on 0 of 4, significantly on 0, worse on 4, significantly on 3; worse over all": (
            0,
            0,
            4,
            3,
            4,
            -2,
            True,
        ),
        "better on 2 of 4, significantly on 1, worse on 2, significantly on 1; undecided over all": (
            *(2, 1, 2, 1, 4, -0.1, False),
        ),
        "better on 1 of 1, significantly on 0, worse on 0; undecided over all": (
            1,
            0,
            0,
            0,
            1,
            0.3,
            False,
        ),
        "no collection has both": (0, 0, 0, 0, 0, np.nan, False),
    }
    names = (
        "better",
        "significantly_better",
        "worse",
        "significantly_worse",
        "collections",
        "macro",
        "significant",
    )
    twice = [*rows.values(), *rows.values()]
    columns = {name: np.array([row[place] for row in twice]) for place, name in enumerate(names)}
    assert _sentences(columns).tolist() == [*rows, *rows]
    assert _sentences(columns).dtype == object


def test_one_collection_is_told_of_alone_where_only_its_own_row_is_asked_for():
    alone = scores_of({"x": SMALL["x"]})
    [row] = alone.ireval.meta_analysis(by="collection", per="collection").to_dict("records")
    assert (row["collection"], row["n"], row["difference"]) == ("x", 3, pytest.approx(0.2))
    assert np.isnan(row["weight"])
    [over] = alone.ireval.meta_analysis(by="collection", over="queries", draws=50).to_dict(
        "records"
    )
    assert (over["collections"], over["macro"]) == (1, pytest.approx(0.2))


def test_collections_come_in_order_each_with_all_its_measures_and_pairs():
    found = PARTED.ireval.meta_analysis(
        by="collection", per="collection", baseline=["ql", "bm25"], correction="bonferroni"
    )
    assert found.index.tolist() == list(range(6 * 44))
    assert (
        found["collection"].tolist()
        == np.repeat([f"c{number}" for number in range(6)], 44).tolist()
    )
    assert found["measure"].tolist() == (["AP"] * 22 + ["ASL"] * 22) * 6
    assert found.attrs["correction"] == "bonferroni"
    for _, rows in found.groupby(["collection", "measure", "run_b"], observed=True):
        assert rows["p_adjusted"].tolist() == pytest.approx(
            np.minimum(1, 11 * rows["p_value"]).tolist()
        )
    over = PARTED.ireval.meta_analysis(
        by="collection", baseline=["ql", "bm25"], draws=30, over="queries"
    )
    assert over.index.tolist() == list(range(44))
    assert (over.attrs["over"], over["test"].unique().tolist()) == ("queries", ["t"])


def test_bad_options_are_refused_by_their_name():
    frame = scores_of(SMALL)
    for wrong in (
        {"alpha": 1},
        {"confidence": 0},
        {"draws": 0},
        {"per": "run"},
        {"correction": "x"},
        {"over": "runs"},
    ):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            frame.ireval.meta_analysis(by="collection", **wrong)
    assert len(frame.ireval.meta_analysis(by="collection", draws=1)) == 1


@pytest.mark.broad
def test_a_p_value_of_exactly_the_level_is_not_significant():
    frame = scores_of(SMALL)
    each = frame.ireval.meta_analysis(by="collection", per="collection", correction=None)
    level = float(each.set_index("collection").loc["z", "p_value"])
    for alpha, expected in ((level, 0), (np.nextafter(level, 1), 1)):
        found = frame.ireval.meta_analysis(by="collection", correction=None, alpha=alpha, draws=50)
        assert found["significantly_worse"].item() == expected
        those = frame.ireval.meta_analysis(
            by="collection", per="collection", correction=None, alpha=alpha
        )
        assert those.set_index("collection").loc["z", "significant"] == bool(expected)
    p = float(
        frame.ireval.meta_analysis(by="collection", correction=None, draws=50)["p_value"].item()
    )
    for alpha, expected in ((p, False), (np.nextafter(p, 1), True)):
        found = frame.ireval.meta_analysis(by="collection", correction=None, alpha=alpha, draws=50)
        assert found["significant"].item() == expected


def test_micro_is_descriptive_over_collections_and_has_an_interval_over_queries():
    rng = np.random.default_rng(3)
    rows = [("a", q, c, v) for c, n in (("x", 3), ("y", 9)) for q, v in enumerate(rng.random(n))]
    rows += [("b", q, c, 0.5) for _, q, c, _ in rows]
    scores = pd.DataFrame(rows, columns=["run", "query_id", "site", "value"]).assign(measure="AP")
    found = {
        over: scores.ireval.meta_analysis(by="site", over=over, draws=50)
        for over in ("collections", "queries")
    }
    micro = scores[scores["run"] == "a"]["value"].mean() - 0.5
    for over, table in found.items():
        assert table["micro"].item() == pytest.approx(micro, rel=1e-12)
        assert (
            table[["micro_low", "micro_high"]].isna().to_numpy().ravel().tolist()
            == [over == "collections"] * 2
        )
