"""The accessor on Dask frames: the numbers of pandas, to the last bit, however the rows are divided."""

import warnings

import numpy as np
import pandas as pd
import pytest

import pdeval
from pdeval.catalog import ENTRIES
from tests.dask.bits import PREFERENCES, SCORES, divided, gathered, quiet, same_bits
from tests.plain_measures import METRICS

pytest.importorskip("dask")
pytestmark = pytest.mark.extras

import pdeval.dask.accessor  # noqa: E402

MIXED = ["AP", "nDCG@10", "bpref", "ERR", "AP(level=2)", "GMAP", "ASL"]
SINGLE = ["AP", "nDCG@10", "bpref", "ERR", "AP(level=2)", "alpha-nDCG@10"]


@pytest.mark.broad
@pytest.mark.parametrize(
    ("rules", "rows"),
    [
        ({"queries": "judged"}, "mixed"),
        ({"queries": "answered"}, "by run"),
        ({"queries": "common"}, "by run"),
        ({"queries": "common", "validate": False}, "mixed"),
        ({"ties": "rank", "level": 2}, "mixed"),
        ({"compat": "trec_eval-9", "depth": 20}, "by run"),
    ],
    ids=str,
)
def test_the_rules_of_the_join_mean_what_they_mean_on_pandas(some, qrels, rules, rows):
    table = divided(some, 3, rows)
    measures = SINGLE if rows == "by run" else MIXED
    expected = quiet(some.ireval.measure, qrels, measures, **rules)
    same_bits(expected, gathered(quiet(table.ireval.measure, qrels, measures, **rules), SCORES))
    expected = quiet(some.ireval.prefer, qrels, ["RPP", "rrLP", "AP"], **rules)
    same_bits(
        expected,
        gathered(quiet(table.ireval.prefer, qrels, ["RPP", "rrLP", "AP"], **rules), PREFERENCES),
    )


@pytest.mark.broad
@pytest.mark.parametrize("rows", ["by run", "mixed"])
def test_the_order_of_rows_decides_ties_after_a_shuffle_too(some, qrels, rows):
    table = divided(some, 5, rows)
    expected = quiet(table.compute().ireval.measure, qrels, MIXED, ties="first")
    same_bits(expected, gathered(quiet(table.ireval.measure, qrels, MIXED, ties="first"), SCORES))


@pytest.mark.broad
@pytest.mark.parametrize("rows", ["by run", "by query", "mixed"])
def test_items_that_nobody_returned_are_counted_where_a_measure_asks(few, qrels, rows):
    for judged in (qrels, pdeval.datasets.sample_qrels()):
        expected = quiet(few.ireval.measure, judged, ["ASL(unretrieved=corpus)"])
        lazy = quiet(divided(few, 3, rows).ireval.measure, judged, ["ASL(unretrieved=corpus)"])
        same_bits(expected, gathered(lazy, SCORES))


@pytest.mark.broad
def test_the_mean_over_orders_of_tied_items_is_the_same(runs, qrels):
    measures = ["AP", "nDCG@10", "RR", "P@10"]
    expected = quiet(runs.ireval.measure, qrels, measures, ties="expected")
    lazy = quiet(divided(runs, 4, "mixed").ireval.measure, qrels, measures, ties="expected")
    same_bits(expected, gathered(lazy, SCORES))


@pytest.mark.parametrize(
    ("parts", "rows"), [(1, "mixed"), (3, "by run"), (3, "by query"), (3, "mixed")]
)
@pytest.mark.broad
class TestQueriesAndRunsWithoutAnswers:
    def test_a_query_that_no_run_answered_counts_as_the_worst_case(self, few, qrels, parts, rows):
        table = divided(few, parts, rows)
        for measures in (MIXED, SINGLE):
            expected = quiet(few.ireval.measure, qrels, measures)
            assert ((expected["query_id"] == "112") & (expected["measure"] == "AP")).sum() == 4
            same_bits(expected, gathered(quiet(table.ireval.measure, qrels, measures), SCORES))
        expected = quiet(few.ireval.prefer, qrels, "RPP", queries="judged")
        same_bits(
            expected,
            gathered(quiet(table.ireval.prefer, qrels, "RPP", queries="judged"), PREFERENCES),
        )

    def test_a_run_without_any_judged_query_still_counts(self, few, qrels, parts, rows):
        stray = few.head(3).assign(run="stray", query_id="no such query")
        frame = pd.concat([few, stray], ignore_index=True)
        table = divided(frame, parts, rows)
        for measures in (MIXED, SINGLE):
            expected = quiet(frame.ireval.measure, qrels, measures)
            assert "stray" in set(expected["run"])
            same_bits(expected, gathered(quiet(table.ireval.measure, qrels, measures), SCORES))
        same_bits(quiet(frame.ireval.mean, qrels, "RPP"), quiet(table.ireval.mean, qrels, "RPP"))


@pytest.mark.broad
class TestTablesOfResults:
    def test_scores_on_dask_are_summed_up_as_on_pandas(self, some, qrels):
        scores, lazy = (
            quiet(table.ireval.measure, qrels, MIXED) for table in (some, divided(some, 5, "mixed"))
        )
        same_bits(scores.ireval.summary(), lazy.ireval.summary())
        same_bits(scores.ireval.summary("ERR", wide=True), lazy.ireval.summary("ERR", wide=True))

    def test_scores_on_dask_are_ordered_and_compared_as_on_pandas(self, some, qrels):
        scores, lazy = (
            quiet(table.ireval.measure, qrels, MIXED) for table in (some, divided(some, 5, "mixed"))
        )
        same_bits(
            scores.ireval.order(method=["mean", "mc4"]), lazy.ireval.order(method=["mean", "mc4"])
        )
        same_bits(
            scores.ireval.compare(measures=["ERR", "AP"], baseline="ql"),
            lazy.ireval.compare(measures=["ERR", "AP"], baseline="ql"),
        )

    def test_preferences_on_dask_are_averaged_as_on_pandas(self, some, qrels):
        measures = ["RPP", "rrLP"]
        prefs, lazy = (
            quiet(table.ireval.prefer, qrels, measures)
            for table in (some, divided(some, 5, "mixed"))
        )
        same_bits(prefs.ireval.summary(), lazy.ireval.summary())
        same_bits(prefs.ireval.matrix("rrLP"), lazy.ireval.matrix("rrLP"))

    def test_preferences_on_dask_are_ordered_and_compared_as_on_pandas(self, some, qrels):
        measures = ["RPP", "rrLP"]
        prefs, lazy = (
            quiet(table.ireval.prefer, qrels, measures)
            for table in (some, divided(some, 5, "mixed"))
        )
        same_bits(prefs.ireval.order(method="borda"), lazy.ireval.order(method="borda"))
        same_bits(prefs.ireval.compare(test="sign"), lazy.ireval.compare(test="sign"))

    def test_measures_and_preferences_are_corrected_together_as_on_pandas(self, some, qrels):
        asked = {"measures": ["RPP", "AP"], "family": "all"}
        same_bits(
            quiet(some.ireval.compare, qrels, **asked),
            quiet(divided(some, 5, "mixed").ireval.compare, qrels, **asked),
        )

    def test_a_summary_of_a_run_table_is_that_of_its_scores(self, some, qrels):
        scores = quiet(some.ireval.measure, qrels, MIXED)
        same_bits(
            scores.ireval.summary(), quiet(divided(some, 5, "mixed").ireval.summary, qrels, MIXED)
        )
        wide = quiet(
            divided(some, 5).ireval.summary, qrels, ["AP", "RR"], wide=True, confidence=0.9
        )
        expected = quiet(some.ireval.measure, qrels, ["AP", "RR"])
        same_bits(expected.ireval.summary(wide=True, confidence=0.9), wide)

    def test_groups_of_runs_are_joined_where_they_are_and_not_gathered(
        self, some, qrels, monkeypatch
    ):
        asked = {"by": "family", "metadata": pdeval.datasets.sample_metadata()}
        expected = quiet(some.ireval.order, qrels, "AP", **asked)
        monkeypatch.setattr(pdeval.dask.accessor.DaskIreval, "_gathered", None)
        same_bits(expected, quiet(divided(some, 3, "mixed").ireval.order, qrels, "AP", **asked))

    @pytest.mark.parametrize("by", [["part"], ["part", "half"]])
    def test_stacked_collections_are_joined_one_by_one_as_on_pandas(self, few, qrels, by):
        judgments = qrels[qrels["query_id"].isin(few["query_id"])].astype({"query_id": str})
        frames = [
            pd.concat(
                [
                    frame.assign(part=part, half=half)
                    for part, half in (("p", 1), ("q", 1), ("q", 2))
                ],
                ignore_index=True,
            )
            for frame in (few, judgments)
        ]
        frames = [
            frame[(frame["part"] == "p") | ((frame["query_id"] < "115") == (frame["half"] == 1))]
            for frame in frames
        ]
        expected = quiet(frames[0].ireval.summary, frames[1], ["AP", "RR"], by=by)
        found = quiet(divided(frames[0], 3, "mixed").ireval.summary, frames[1], ["AP", "RR"], by=by)
        pd.testing.assert_frame_equal(
            found.astype({"part": object}), expected.astype({"part": object})
        )

    def test_scores_joined_to_metadata_are_summed_up_by_it(self, some, qrels):
        import dask.dataframe as dd

        metadata = pdeval.datasets.sample_metadata().astype({"run": str})
        scores = quiet(divided(some, 4).ireval.measure, qrels, "AP").astype(
            {"run": "string[pyarrow]"}
        )
        table = scores.merge(dd.from_pandas(metadata, npartitions=1), on="run")
        expected = (
            quiet(some.ireval.measure, qrels, "AP").astype({"run": str}).merge(metadata, on="run")
        )
        found = table.ireval.summary(by="family", per="group")
        pd.testing.assert_frame_equal(
            found.astype({"family": object}),
            expected.ireval.summary(by="family", per="group").astype({"family": object}),
        )


@pytest.mark.broad
def test_a_join_under_another_rule_keeps_what_was_read(some, qrels):
    judged = divided(some, 3, "mixed").ireval.join(qrels)
    other = judged.at(level=2, queries="common")
    assert (other.level, other.query_rule) == (2, "common")
    assert other.plan is judged.plan
    assert other.here is judged.here


@pytest.mark.broad
class TestLazyFrames:
    def test_the_meta_is_exactly_what_the_partitions_hold(self, runs, qrels):
        table = divided(runs, 4, "mixed")
        for lazy in (
            quiet(table.ireval.measure, qrels, ["AP", "RR"]),
            quiet(table.ireval.prefer, qrels, "RPP"),
        ):
            for at in range(lazy.npartitions):
                part = lazy.partitions[at].compute()
                pd.testing.assert_frame_equal(part.iloc[:0], lazy._meta, check_index_type=False)
                assert len(part)

    def test_nothing_but_ids_is_read_before_the_result_is_computed(self, runs, qrels):
        import dask.dataframe as dd

        halves = [runs.iloc[: len(runs) // 2], runs.iloc[len(runs) // 2 :]]
        seen = []

        def read(at):
            seen.append(at)
            return halves[at]

        table = dd.from_map(read, [0, 1], meta=runs.iloc[:0])
        lazy = quiet(table.ireval.measure, qrels, "AP")
        assert sorted(seen) == [0, 1]
        assert len(lazy.compute()) == 600
        assert sorted(seen) == [0, 0, 1, 1]

    def test_a_selected_partition_is_a_part_of_the_whole(self, runs, qrels):
        lazy = quiet(divided(runs, 5, "mixed").ireval.measure, qrels, "AP")
        whole = lazy.compute()
        parts = [lazy.partitions[at].compute() for at in (3, 1)]
        for part in parts:
            mine = whole[whole["query_id"].isin(part["query_id"])].reset_index(drop=True)
            pd.testing.assert_frame_equal(part, mine)

    def test_threads_give_the_same(self, runs, qrels, every_score):
        lazy = quiet(divided(runs, 5, "mixed").ireval.measure, qrels, METRICS)
        found = lazy.compute(scheduler="threads").sort_values(
            SCORES, kind="stable", ignore_index=True
        )
        same_bits(every_score, found)


@pytest.mark.broad
class TestIds:
    @pytest.mark.parametrize("rows", ["by run", "mixed"])
    def test_runs_may_be_named_by_several_columns_and_queries_by_integers(self, some, qrels, rows):
        metadata = pdeval.datasets.sample_metadata()[["run", "model", "seed"]]
        frame = some.merge(metadata, on="run").drop(columns="run")
        frame, judged = (
            table.assign(query_id=table["query_id"].astype(str).astype(int))
            for table in (frame, qrels)
        )
        table = divided(frame, 5, rows)
        bound = {"run": ["model", "seed"]}
        by = ["model", "seed", "query_id"]
        for measures in (["AP", "ASL"], ["AP", "RR"]):
            expected = quiet(frame.ireval(**bound).measure, judged, measures)
            lazy = quiet(table.ireval(**bound).measure, judged, measures)
            same_bits(expected, gathered(lazy, by))
            same_bits(expected.ireval.summary(), lazy.ireval.summary())
        pairs = ["query_id", "model_a", "seed_a", "model_b", "seed_b"]
        expected = quiet(frame.ireval(**bound).prefer, judged, "RPP", baseline=("bm25", 0))
        same_bits(
            expected,
            gathered(
                quiet(table.ireval(**bound).prefer, judged, "RPP", baseline=("bm25", 0)), pairs
            ),
        )

    def test_a_table_without_a_run_column_is_one_run(self, runs, qrels):
        frame = runs[runs["run"] == "ql"].drop(columns="run").reset_index(drop=True)
        for parts, rows in ((1, "by run"), (4, "by query"), (4, "mixed")):
            expected = quiet(frame.ireval.measure, qrels, MIXED)
            same_bits(
                expected,
                gathered(quiet(divided(frame, parts, rows).ireval.measure, qrels, MIXED), SCORES),
            )

    def test_other_names_are_bound_and_kept(self, runs, qrels):
        frame = runs.rename(columns={"query_id": "topic_no", "run": "system"})
        table = divided(frame.sample(frac=1, random_state=1), 3)
        scores = quiet(
            table.ireval(query="topic_no", run="system").measure,
            qrels.ireval(subtopic="subtopic"),
            "AP",
        )
        assert list(scores.columns) == ["system", "topic_no", "measure", "value"]
        assert quiet(scores.ireval.summary)["n"].tolist() == [50] * 12


@pytest.mark.broad
class TestMeasuresOfYourOwn:
    def test_a_measure_from_a_notebook_works_on_dask(self, runs, qrels):
        deep = 3

        @pdeval.metric(range=(0, 1), reference="a test")
        def Shallow(rank, top_grade):
            "Whether the first relevant item is within the first three, by the largest grade."
            return (rank[0] <= deep) / top_grade

        try:
            expected = quiet(runs.ireval.measure, qrels, [Shallow, "AP"])
            lazy = quiet(divided(runs, 7, "mixed").ireval.measure, qrels, [Shallow, "AP"])
            same_bits(expected, gathered(lazy, SCORES))
        finally:
            del ENTRIES["Shallow"]

    def test_weights_of_your_own_work_on_dask(self, runs, qrels):
        measure = pdeval.parse("RPP", weight=lambda level: 1 / level**2)
        expected = quiet(runs.ireval.prefer, qrels, measure, pairs=[("ql", "bm25")])
        lazy = quiet(divided(runs, 3).ireval.prefer, qrels, measure, pairs=[("ql", "bm25")])
        same_bits(expected, gathered(lazy, PREFERENCES))


class TestWhatIsSaid:
    @pytest.mark.broad
    def test_missing_queries_are_told_once_when_the_verb_is_called(self, runs, qrels):
        for rows in ("by run", "mixed"):
            table = divided(runs, 2, rows)
            with pytest.warns(UserWarning, match="judged queries are missing") as told:
                lazy = table.ireval.measure(qrels, "AP")
            assert [str(one.message) for one in told] == [
                "2 of 50 judged queries are missing from run 'ql'; they get the worst possible score."
            ]
            assert told[0].filename == __file__
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                lazy.compute()
            with pytest.warns(UserWarning, match="2 of 50 judged queries are missing") as told:
                table.ireval.summary(qrels, "AP")
            assert len(told) == 1

    @pytest.mark.broad
    def test_the_accessor_says_what_it_understood(self, runs, qrels):
        table = divided(runs, 3)
        assert repr(table.ireval) == (
            "run table on Dask: 3 partitions; next: .measure(qrels), .prefer(qrels), .order(qrels)"
        )
        assert repr(quiet(table.ireval.measure, qrels, "AP").ireval).startswith(
            "scores table on Dask: 3 partitions;"
        )
        assert repr(quiet(table.ireval.prefer, qrels, "RPP").ireval).startswith(
            "preferences table on Dask: "
        )
        assert repr(table[["rank"]].ireval) == (
            "a Dask table that pdeval does not recognize; bind its roles: df.ireval(query=..., doc=...)"
        )

    @pytest.mark.broad
    def test_a_join_is_kept_for_several_verbs(self, runs, qrels):
        joined = divided(runs, 3).ireval.join(qrels, queries="answered")
        assert repr(joined) == (
            "runs on Dask joined to judgments: 12 runs x 50 queries, 3 partitions; "
            "next: .measure(), .prefer(), .order(), .compare()"
        )
        assert "12 runs x 48 of 50 queries, 3 partitions" in repr(joined.at(queries="common"))
        assert joined.summary("AP")["n"].sum() == 598
        assert len(joined.measure()) == 5 * 598


@pytest.mark.broad
def test_values_do_not_depend_on_how_many_topics_stand_together(runs, qrels, every_score):
    one = quiet(
        divided(runs[runs["query_id"] == "130"], 1).ireval.measure,
        qrels,
        METRICS,
        queries="answered",
    )
    mine = every_score[every_score["query_id"] == "130"]
    np.testing.assert_array_equal(
        gathered(one, SCORES)["value"].to_numpy(), mine["value"].to_numpy()
    )


def test_what_is_different_on_dask_is_said_in_the_documentation(few):
    accessor = divided(few, 2).ireval
    assert "On Dask, the id columns are read once" in accessor.join.__doc__
    for name in ("measure", "prefer"):
        for owner in (accessor, pdeval.dask.accessor.DaskJudged):
            assert "On Dask, the result is a lazy Dask DataFrame" in getattr(owner, name).__doc__
            assert "lazy Dask frame" not in getattr(few.ireval, name).__doc__


@pytest.mark.broad
def test_results_that_are_gathered_are_the_frames_that_pandas_makes(some, qrels):
    for verb, measure in (("measure", "AP"), ("prefer", "RPP")):
        expected = quiet(getattr(some.ireval, verb), qrels, measure, queries="common")
        lazy = divided(expected, 3, "mixed")
        pd.testing.assert_frame_equal(
            lazy.ireval._gathered("order")._frame, expected, check_dtype=False
        )


@pytest.mark.broad
def test_judgments_may_be_named_tuples_on_dask_too(some, qrels):
    told = qrels[["query_id", "doc_id", "relevance"]].drop_duplicates(["query_id", "doc_id"])
    told = list(told.itertuples(index=False, name="Judgment"))
    found, wanted = (quiet(one.ireval.join(told).mean, "AP") for one in (divided(some, 3), some))
    same_bits(wanted, found)


@pytest.mark.broad
def test_judgments_may_be_nested_dicts_on_dask_too(some, qrels):
    given = {}
    for row in qrels.drop_duplicates(["query_id", "doc_id"]).itertuples():
        given.setdefault(str(row.query_id), {})[str(row.doc_id)] = int(row.relevance)
    joined = divided(some, 3).ireval.join(given, queries="common")
    same_bits(
        quiet(some.ireval.join(given, queries="common").mean, ["AP"]),
        quiet(joined.mean, ["AP"]),
    )


def test_the_accessor_of_a_lazy_table_is_shown_as_text(some, qrels):
    scores = quiet(divided(some, 2, "mixed").ireval.measure, qrels, "AP")
    assert scores.ireval._repr_html_() is None
