"""`pdeval.join_parts`: the join of all rows at once to the last bit, from parts of any make, or an error that helps."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import pdeval
from pdeval.accessor import Joined
from pdeval.join.blocks import corpus_sizes
from pdeval.verbs import VERBS
from tests import naive
from tests.dask.bits import by_run, quiet, same_bits, same_positions
from tests.verb_calls import VERBS_OF_A_JOIN, arguments, asked, same

READ_ROWS = (  # unjudged documents are among their rows, or count
    "explain",
    "expected_exposure",
    "awrf",
    "exposure_shares",
    "reproduce",
)
JOINED = [
    name for name, verb in VERBS_OF_A_JOIN.items() if "judged" in verb.on and name not in READ_ROWS
]


def by_query(frame):
    return [part for _, part in frame.groupby(frame["query_id"].astype(str), sort=True)]


def batches(frame, size):
    """Return the rows sorted by query, in batches that end anywhere."""
    frame = frame.sort_values("query_id", kind="stable", ignore_index=True)
    return [frame.iloc[first : first + size] for first in range(0, len(frame), size)]


class TestTheJoin:
    @pytest.mark.broad
    def test_parts_of_whole_queries_make_the_join_of_all_rows(self, runs, qrels):
        made = pdeval.join_parts(by_query(runs), qrels)
        assert type(made) is Joined
        same_positions(by_run(runs.ireval.join(qrels).positions), made.positions)

    @pytest.mark.broad
    @pytest.mark.parametrize("size", [1, 7, 1000, 2001, 10**6])
    def test_batches_of_rows_sorted_by_query_may_end_anywhere(self, few, qrels, size):
        few = few[few["query_id"] < "114"] if size == 1 else few
        expected = by_run(few.ireval.join(qrels).positions)
        same_positions(expected, pdeval.join_parts(iter(batches(few, size)), qrels).positions)

    def test_one_query_is_enough_also_where_it_is_the_first_that_is_judged(self, few, qrels):
        part = few[few["query_id"] == "110"]
        own = qrels[qrels["query_id"].astype(str) >= "110"]
        same_positions(
            by_run(part.ireval.join(own).positions), pdeval.join_parts([part], own).positions
        )

    @pytest.mark.broad
    @pytest.mark.parametrize("inside", ["by run", "mixed"])
    def test_rows_inside_a_part_may_stand_in_any_order(self, few, qrels, inside):
        parts = np.array_split(few["query_id"].unique(), 3)
        frames = [few[few["query_id"].isin(part)] for part in parts]
        if inside == "mixed":
            frames = [frame.sample(frac=1, random_state=2) for frame in frames]
        same_positions(
            by_run(few.ireval.join(qrels).positions), pdeval.join_parts(frames, qrels).positions
        )

    @pytest.mark.broad
    @pytest.mark.parametrize(
        "rules",
        [
            {"depth": 20},
            {"ties": "expected"},
            {"ties": "rank"},
            {"ties": "first"},
            {"compat": "trec_eval-9"},
            {"level": 2, "queries": "common"},
            {"validate": False, "queries": "judged"},
        ],
        ids=str,
    )
    def test_the_rules_mean_what_they_mean_of_one_table(self, few, qrels, rules):
        few = few.assign(score=few["score"].round(1)).sort_values(
            "query_id", kind="stable", ignore_index=True
        )
        expected, found = (
            few.ireval.join(qrels, **rules),
            pdeval.join_parts(batches(few, 777), qrels, **rules),
        )
        same_positions(by_run(expected.positions), found.positions)
        assert (found.level, found.query_rule, found.attrs) == (
            expected.level,
            expected.query_rule,
            expected.attrs,
        )

    @pytest.mark.broad
    def test_ids_of_numbers_several_run_columns_and_other_names_are_understood(self, few, qrels):
        frame = few.assign(
            topic_no=few["query_id"].astype(int), seed=np.where(few["run"] < "c", 1, 2)
        )
        frame, judged = (
            frame.drop(columns="query_id"),
            qrels.assign(query_id=qrels["query_id"].astype(int)),
        )
        bound = {"query": "topic_no", "run": ["run", "seed"]}
        parts = [part.ireval(**bound) for _, part in frame.groupby("topic_no")]
        expected = by_run(frame.ireval(**bound).join(judged).positions)
        same_positions(expected, pdeval.join_parts(parts, judged).positions)

    @pytest.mark.broad
    def test_a_run_that_has_no_row_in_the_first_parts_is_a_run(self, few, qrels):
        late = few[(few["query_id"] > "115") | (few["run"] != "ql")].sort_values(
            "query_id", kind="stable"
        )
        same_positions(
            by_run(late.ireval.join(qrels).positions),
            pdeval.join_parts(batches(late, 900), qrels).positions,
        )

    @pytest.mark.broad
    def test_queries_without_judgments_are_counted_and_their_rows_looked_at(self, few, qrels):
        strange = few[few["query_id"] == "110"].assign(query_id="999")
        parts = [*by_query(few), strange]
        expected = pd.concat(parts, ignore_index=True).ireval.join(qrels).positions
        found = pdeval.join_parts(parts, qrels).positions
        assert found.extra == expected.extra == 4
        with pytest.raises(ValueError, match=r"part \d+: the run table has 4 duplicate"):
            pdeval.join_parts(
                [*by_query(few), pd.concat([strange, strange.groupby("run").head(1)])], qrels
            )

    @pytest.mark.broad
    def test_empty_parts_are_skipped_and_frames_stay_as_they_are(self, few, qrels):
        parts = by_query(few)
        before = [part.copy() for part in parts]
        found = pdeval.join_parts(
            [few.iloc[:0], parts[0], few.iloc[:0], *parts[1:], few.iloc[:0]], qrels
        )
        same_positions(by_run(few.ireval.join(qrels).positions), found.positions)
        for one, two in zip(before, parts, strict=True):
            pd.testing.assert_frame_equal(one, two)

    @pytest.mark.broad
    def test_parts_may_differ_in_the_dtype_of_what_means_the_same(self, few, qrels):
        few = few.assign(score=few["score"].round())
        parts = by_query(few)
        parts[1] = parts[1].astype({"score": int, "run": "category", "query_id": "category"})
        parts[2] = parts[2].astype({"score": "float32", "doc_id": "category"})
        same_positions(
            by_run(few.ireval.join(qrels).positions), pdeval.join_parts(parts, qrels).positions
        )

    @pytest.mark.broad
    def test_one_part_is_in_memory_at_a_time(self, few, qrels):
        import weakref

        alive = []

        def read():
            for part in batches(few, 999):
                assert sum(one() is not None for one in alive) <= 1
                frame = part.copy()
                alive.append(weakref.ref(frame))
                yield frame
                del frame

        assert len(pdeval.join_parts(read(), qrels).runs) == 4
        assert len(alive) > 3


class TestVerbs:
    @pytest.mark.broad
    @pytest.mark.parametrize("name", JOINED)
    def test_every_verb_of_a_join_is_the_same_to_the_last_bit(self, some, name):
        judged = pdeval.datasets.sample_qrels()
        whole = some.sort_values("query_id", kind="stable", ignore_index=True)
        one, two = (
            whole.ireval.join(judged),
            pdeval.join_parts(batches(some, 5000), judged, corpus=True),
        )
        given = arguments(name, one)
        same(asked(one, name, given), asked(two, name, given))

    @pytest.mark.broad
    @pytest.mark.parametrize(
        "name", [*READ_ROWS, *(name for name in VERBS["runs"] if name not in JOINED)]
    )
    def test_a_verb_that_reads_rows_says_that_they_are_gone(self, few, qrels, name):
        made = pdeval.join_parts(by_query(few), qrels)
        with pytest.raises(ValueError, match=r"which join_parts\(\) does not keep"):
            asked(made, name, arguments(name, few.ireval.join(qrels)))

    @pytest.mark.broad
    def test_what_counts_the_corpus_says_so_too(self, few, qrels):
        with pytest.raises(
            ValueError, match=r"Count them during the join: pdeval.join_parts\(.*, corpus=True\)"
        ):
            quiet(pdeval.join_parts(by_query(few), qrels).summary, "ASL")

    @pytest.mark.broad
    @pytest.mark.parametrize("rules", [{}, {"depth": 10}, {"level": 2}], ids=str)
    def test_the_items_of_queries_are_counted_where_that_is_asked_for(self, few, qrels, rules):
        expected = few.ireval.join(qrels, **rules)
        found = pdeval.join_parts(batches(few, 999), qrels, corpus=True, **rules)
        same_bits(quiet(expected.measure, "ASL"), quiet(found.measure, "ASL"))
        some = expected.positions.answered.all(axis=1)
        one, two = (join.on(join.positions.keep_topics(some)) for join in (expected, found))
        np.testing.assert_array_equal(corpus_sizes(one.positions), corpus_sizes(two.positions))

    @pytest.mark.broad
    def test_a_weight_for_a_grade_that_no_item_has_is_an_error_as_of_one_table(self, few, qrels):
        with pytest.raises(KeyError, match="gives a weight to grade 7, which no relevant item has"):
            pdeval.join_parts(by_query(few), qrels, queries="common").prefer(
                "RPP(grades={1:1,7:2})"
            )

    @pytest.mark.broad
    def test_missing_queries_are_told_once_and_not_where_the_rule_was_chosen(self, few, qrels):
        made = pdeval.join_parts(by_query(few), qrels)
        with pytest.warns(UserWarning, match="judged queries are missing from run"):
            made.measure("AP")
        made.measure("AP")
        pdeval.join_parts(by_query(few), qrels, queries="judged").measure("AP")


class TestOtherFrames:
    @pytest.mark.broad
    def test_record_batches_arrow_tables_and_readers_are_parts(self, few, qrels):
        frame = few.sort_values("query_id", kind="stable", ignore_index=True)
        expected = by_run(frame.ireval.join(qrels).positions)
        table = pa.Table.from_pandas(frame, preserve_index=False)
        for parts in (
            table.to_batches(max_chunksize=999),
            pa.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=1234)),
            [table.slice(0, 3000), table.slice(3000)],
        ):
            same_positions(
                expected, pdeval.join_parts(parts, pa.Table.from_pandas(qrels)).positions
            )

    @pytest.mark.broad
    def test_dictionaries_of_record_batches_need_not_be_the_same(self, few, qrels):
        parts = [
            pa.RecordBatch.from_pandas(part.astype({"run": "category"})) for part in by_query(few)
        ]
        same_positions(
            by_run(few.ireval.join(qrels).positions), pdeval.join_parts(parts, qrels).positions
        )

    @pytest.mark.broad
    @pytest.mark.extras
    def test_polars_frames_are_parts_and_a_lazy_one_is_told_to_collect(self, few, qrels):
        polars = pytest.importorskip("polars")
        frame = polars.from_pandas(few).sort("query_id", maintain_order=True)
        expected = by_run(few.ireval.join(qrels).positions)
        for parts in (frame.iter_slices(999), frame.partition_by("query_id")):
            same_positions(
                expected,
                pdeval.join_parts(
                    parts, polars.from_pandas(qrels.astype(str).astype({"relevance": int}))
                ).positions,
            )
        with pytest.raises(TypeError, match=r"part 0: .*LazyFrame.*Call \.collect\(\) first"):
            pdeval.join_parts([frame.lazy()], qrels)
        with pytest.raises(TypeError, match="requires an iterable of tables"):
            pdeval.join_parts(frame, qrels)

    @pytest.mark.broad
    @pytest.mark.extras
    def test_batches_of_duckdb_ordered_by_query_are_parts(self, few, qrels):
        duckdb = pytest.importorskip("duckdb")
        known = duckdb.connect()
        known.register("runs", few)
        ordered = known.sql("SELECT * FROM runs ORDER BY query_id")
        reader = (
            getattr(ordered, "to_arrow_reader", None) or ordered.fetch_arrow_reader
        )  # its name before DuckDB 1.4
        found = reader(2048)
        same_positions(
            by_run(few.ireval.join(qrels).positions), pdeval.join_parts(found, qrels).positions
        )

    @pytest.mark.extras
    @pytest.mark.slow
    @pytest.mark.filterwarnings("ignore")
    def test_spark_measures_query_by_query_and_its_batches_are_parts(self, few, monkeypatch):
        import sys

        sql = pytest.importorskip("pyspark.sql")
        monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
        judged = pdeval.datasets.sample_qrels().astype({"query_id": str})

        def measured(part):
            import pdeval  # noqa: F401

            theirs = judged[judged["query_id"].isin(part["query_id"])]
            return part.ireval.measure(theirs, ["AP", "nDCG@10"], queries="answered")

        settings = {"spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "3"}
        spark = sql.SparkSession.builder.master("local[1]").config(map=settings).getOrCreate()
        try:
            table = spark.createDataFrame(few.astype({"doc_id": str}))
            schema = "run string, query_id string, measure string, value double"
            scores = table.groupBy("query_id").applyInPandas(measured, schema).toPandas()
            joined = pdeval.join_parts(table.orderBy("query_id").toArrow().to_batches(999), judged)
        finally:
            spark.stop()
        expected = few.ireval.measure(judged, ["AP", "nDCG@10"], queries="answered")
        scores = scores.sort_values(["run", "query_id"], kind="stable", ignore_index=True)
        np.testing.assert_array_equal(scores["value"], expected["value"])
        same_positions(by_run(few.ireval.join(judged).positions), joined.positions)

    @pytest.mark.broad
    def test_files_and_row_groups_of_parquet_are_parts(self, few, qrels, tmp_path):
        dataset = pytest.importorskip("pyarrow.dataset")
        for at, part in enumerate(batches(few, 2500)):
            part.to_parquet(tmp_path / f"{at}.parquet", row_group_size=700)
        expected = by_run(few.ireval.join(qrels).positions)
        found = dataset.dataset(tmp_path).to_batches()
        same_positions(expected, pdeval.join_parts(found, qrels).positions)


class TestFaults:
    @pytest.mark.broad
    def test_a_query_in_two_parts_is_named(self, few, qrels):
        parts = by_query(few)
        with pytest.raises(
            ValueError,
            match=r"part 4: query '111' also has rows in part 1, but parts must .*ORDER BY query",
        ):
            pdeval.join_parts([*parts[:4], parts[1].tail(5), *parts[4:]], qrels)
        with pytest.raises(
            ValueError,
            match=r"part 1: query '110' also has rows in part 0, but parts must have complete queries",
        ):
            pdeval.join_parts([part for _, part in few.groupby("run")], qrels)

    @pytest.mark.broad
    def test_a_query_without_judgments_in_two_parts_is_named_too(self, few, qrels):
        strange = few.head(4).assign(query_id="999")
        with pytest.raises(
            ValueError,
            match="query '999' also has rows in part 0, but parts must have complete queries",
        ):
            pdeval.join_parts([strange.head(2), *by_query(few), strange.tail(2)], qrels)

    @pytest.mark.parametrize("parts", [[], [0], iter([0, 0])])
    def test_no_rows_are_nothing_to_evaluate(self, few, qrels, parts):
        with pytest.raises(ValueError, match="no part has rows"):
            pdeval.join_parts((few.iloc[:rows] for rows in parts), qrels)

    def test_parts_of_different_columns_are_an_error_that_shows_both(self, few, qrels):
        parts = by_query(few)
        other = parts[1].drop(columns="score")
        with pytest.raises(
            ValueError,
            match=r"part 1: the columns .* differ from those of the first part, .*score.*the same",
        ):
            pdeval.join_parts([parts[0], other], qrels)
        with pytest.raises(ValueError, match=r"part 1: the columns .*\btag\b.* differ from"):
            pdeval.join_parts([parts[0], parts[1].rename(columns={"run": "tag"})], qrels)
        with pytest.raises(
            ValueError, match=r"part 1: expected a run table .*, but found no query column"
        ):
            pdeval.join_parts([parts[0], parts[1].drop(columns="query_id")], qrels)

    @pytest.mark.broad
    def test_a_column_that_no_rule_needs_may_be_missing(self, few, qrels):
        parts = by_query(few)
        found = pdeval.join_parts(
            [parts[0], *(part.drop(columns="rank") for part in parts[1:])], qrels
        )
        same_positions(by_run(few.ireval.join(qrels).positions), found.positions)

    @pytest.mark.broad
    def test_ids_of_another_type_in_one_part_are_an_error(self, few, qrels):
        parts = by_query(few)
        with pytest.raises(
            ValueError, match="part 1: the query ids are integers in the run table and strings in"
        ):
            pdeval.join_parts([parts[0], parts[1].astype({"query_id": int}), *parts[2:]], qrels)
        with pytest.raises(
            ValueError, match="the run ids are integers in some parts and strings in others"
        ):
            pdeval.join_parts([parts[0], parts[1][parts[1]["run"] == "ql"].assign(run=7)], qrels)

    @pytest.mark.broad
    def test_faults_of_rows_name_the_part(self, few, qrels):
        parts = by_query(few)
        again = pd.concat([parts[2], parts[2].head(1)])
        with pytest.raises(
            ValueError, match=r"part 3: the run table has 1 duplicate \(run, query, doc\) rows"
        ):
            pdeval.join_parts([*parts[:2], few.iloc[:0], again, *parts[3:]], qrels)
        score = parts[1]["score"].where(np.arange(len(parts[1])) != 3)
        with pytest.raises(ValueError, match="part 1: the score column has 1 missing values"):
            pdeval.join_parts([parts[0], parts[1].assign(score=score)], qrels)

    def test_a_generator_that_raises_is_heard_with_the_number_of_the_part(self, few, qrels):
        def read():
            yield from by_query(few)[:2]
            raise OSError("the disk is gone")

        with pytest.raises(OSError, match="the disk is gone") as fault:
            pdeval.join_parts(read(), qrels)
        assert fault.value.__notes__ == ["while part 2 was read, for join_parts()"]

    def test_what_is_no_iterable_of_tables_is_refused(self, few, qrels):
        for wrong in (few, few.ireval, pa.table({"a": [1]}), "runs.parquet", {"a": few}, 7):
            with pytest.raises(TypeError, match=r"join_parts\(\) requires an iterable of tables"):
                pdeval.join_parts(wrong, qrels)
        with pytest.raises(
            TypeError, match=r"expected a pandas DataFrame with a run table .*, got str"
        ):
            pdeval.join_parts(["runs.parquet"], qrels)

    def test_rules_that_do_not_exist_are_refused_before_anything_is_read(self, few, qrels):
        with pytest.raises(ValueError, match="level=0"):
            pdeval.join_parts(iter([]), qrels, level=0)
        with pytest.raises(ValueError, match=r"^depth=0: expected an integer"):
            pdeval.join_parts(iter([few]), qrels, depth=0)

    @pytest.mark.broad
    def test_judgments_of_other_queries_or_items_are_an_error(self, few, qrels):
        with pytest.raises(
            ValueError, match="no query of the runs is judged: the runs have '110', '111'"
        ):
            pdeval.join_parts(
                by_query(few), qrels.assign(query_id="x" + qrels["query_id"].astype(str))
            )
        with pytest.raises(ValueError, match="no item of the runs is judged: the runs have"):
            pdeval.join_parts(by_query(few), qrels.assign(doc_id="x" + qrels["doc_id"].astype(str)))

    def test_a_run_of_other_items_is_told_as_of_one_table(self):
        runs = naive.table(
            {
                "a": {"1": ["x"], "2": ["y"]},
                "b": {"1": ["p"], "2": ["q"]},
                "c": {"1": ["y"], "2": ["z"]},
            }
        )
        qrels = naive.judgments({"1": {"x": 1}, "2": {"y": 1}})
        with pytest.warns(UserWarning, match="no item of 'b' is judged for any query"):
            pdeval.join_parts(by_query(runs), qrels)
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            pdeval.join_parts(by_query(runs[runs["run"] != "b"]), qrels)
        assert told == []


@pytest.mark.broad
def test_hyperparameters_that_are_missing_or_fractions_tell_runs_apart(few, qrels):
    frame = few.assign(
        rate=few["run"].map({"bm25": 0.5, "ql": np.nan, "tfidf": 0.1, "dense-s1": np.nan})
    )
    bound = {"run": ["run", "rate"]}
    expected = frame.ireval(**bound).join(qrels)
    found = pdeval.join_parts([part.ireval(**bound) for part in by_query(frame)], qrels)
    same_positions(by_run(expected.positions), found.positions)
    same_bits(quiet(expected.measure, "AP"), quiet(found.measure, "AP"))
