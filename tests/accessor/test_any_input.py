"""The same bits whatever table comes in: pandas, Polars, PyArrow, DuckDB, dicts; over the whole catalog."""

import functools
import subprocess
import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import pdeval
from pdeval.catalog import ENTRIES
from tests.plain_measures import METRICS
from tests.walk_tables import quiet


def printed_by(code):
    """What a fresh interpreter prints."""
    command = [sys.executable, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


PREFERRED = [name for name, entry in ENTRIES.items() if entry.family == "preference"]


@functools.cache
def tables():
    """Runs of eight queries, judgments with subtopics, and metadata; ids as plain text."""
    runs, _, metadata = pdeval.datasets.load_sample()
    qrels = pdeval.datasets.sample_qrels(subtopics=True)
    queries = sorted(qrels["query_id"].unique())[:8]
    runs, qrels = (
        one[one["query_id"].isin(queries)].reset_index(drop=True) for one in (runs, qrels)
    )
    text = pdeval.tables.dataframes.text_dtype()
    runs = runs.astype({"run": text, "query_id": text})
    qrels = qrels.astype({"query_id": text, "doc_id": text, "subtopic": text})
    return runs[["run", "query_id", "doc_id", "score"]], qrels, metadata


def on_polars(frame):
    polars = pytest.importorskip("polars")
    return polars.from_arrow(pa.Table.from_pandas(frame, preserve_index=False))


def on_polars_categories(frame):
    polars = pytest.importorskip("polars")
    ids = [name for name in ("run", "query_id") if name in frame]
    return on_polars(frame).with_columns(polars.col(ids).cast(polars.Categorical))


def on_arrow(frame):
    return pa.Table.from_pandas(frame, preserve_index=False)


def on_duckdb(frame):
    duckdb = pytest.importorskip("duckdb")
    connection = duckdb.connect()
    arrow = on_arrow(frame)
    connection.register("given", arrow)
    connection.execute("CREATE TABLE held AS SELECT * FROM given")
    return connection.table("held")


LIBRARIES = {
    "PyArrow": on_arrow,
    "PyArrow, in small batches": lambda frame: pa.Table.from_batches(
        on_arrow(frame).to_batches(max_chunksize=97)
    ),
    "a PyArrow reader": lambda frame: on_arrow(frame).to_reader(),
    "Polars": pytest.param(on_polars, marks=pytest.mark.extras),
    "Polars, categories": pytest.param(on_polars_categories, marks=pytest.mark.extras),
    "DuckDB": pytest.param(on_duckdb, marks=pytest.mark.extras),
}
every_library = pytest.mark.parametrize("convert", list(LIBRARIES.values()), ids=list(LIBRARIES))


def same_bits(left, right):
    """Fail unless two results hold the same ids and the same bits."""
    assert left.columns.tolist() == right.columns.tolist()
    for name in left:
        if left[name].dtype == np.float64:
            np.testing.assert_array_equal(
                left[name].to_numpy().view(np.int64), right[name].to_numpy().view(np.int64)
            )
        else:
            assert left[name].astype(object).tolist() == right[name].astype(object).tolist(), name


@functools.cache
def expected():
    runs, qrels, _ = tables()
    return quiet(runs.ireval.measure, qrels, METRICS), quiet(runs.ireval.prefer, qrels, PREFERRED)


@pytest.mark.broad
@every_library
def test_every_entry_of_the_catalog_has_the_same_bits(convert):
    runs, qrels, _ = tables()
    scores, preferences = expected()
    same_bits(quiet(pdeval.frame(convert(runs)).ireval.measure, convert(qrels), METRICS), scores)
    same_bits(
        quiet(pdeval.frame(convert(runs)).ireval.prefer, convert(qrels), PREFERRED), preferences
    )


@pytest.mark.broad
def test_every_entry_of_the_catalog_has_the_same_bits_from_dicts():
    runs, qrels, _ = tables()
    plain = qrels.drop(columns="subtopic").drop_duplicates(["query_id", "doc_id"])
    held = {}
    for row in runs.itertuples():
        held.setdefault(row.run, {}).setdefault(row.query_id, {})[row.doc_id] = row.score
    judged = {}
    for row in plain.itertuples():
        judged.setdefault(row.query_id, {})[row.doc_id] = row.relevance
    plain_ones = {
        name
        for name, one in ENTRIES.items()
        if one.kind != "subtopic" and one.population != "subtopics"
    }
    flat, both = ([name for name in names if name in plain_ones] for names in (METRICS, PREFERRED))
    assert len(flat) > 30
    assert len(both) > 5
    given = pdeval.from_dict(held)
    same_bits(quiet(given.ireval.measure, judged, flat), quiet(runs.ireval.measure, plain, flat))
    same_bits(quiet(given.ireval.prefer, judged, both), quiet(runs.ireval.prefer, plain, both))


@pytest.mark.broad
@every_library
def test_judgments_metadata_and_tables_of_results_are_taken_wherever_a_table_is(convert):
    runs, qrels, metadata = tables()
    given = convert(metadata)
    grouped = quiet(runs.ireval.summary, convert(qrels), "AP", by="family", metadata=[given])
    same_bits(grouped, quiet(runs.ireval.summary, qrels, "AP", by="family", metadata=metadata))
    scores = quiet(runs.ireval.measure, qrels, "AP")
    compared = scores.ireval.compare("AP")
    report = scores.ireval.report(comparisons=convert(compared))
    marked = scores.ireval.report(comparisons=compared)
    assert report.to_markdown().count("|") > 50
    for one, other in zip(report.to_markdown().splitlines(), marked.to_markdown().splitlines()):
        assert one == other or not one.startswith(
            "|"
        )  # notes lack what only the attrs of a frame tell
    same_bits(scores.ireval.add_metadata(convert(metadata)), scores.ireval.add_metadata(metadata))
    judged = quiet(runs.ireval.join, convert(qrels))
    same_bits(judged.measure("AP"), scores)
    same_bits(quiet(runs.ireval.check, convert(qrels)), quiet(runs.ireval.check, qrels))


@pytest.mark.broad
@every_library
def test_scores_of_another_library_are_ordered_and_compared_as_ours(convert, tmp_path):
    runs, qrels, _ = tables()
    scores = quiet(runs.ireval.measure, qrels, ["AP", "ASL"])  # of the second, less is better
    same_bits(pdeval.frame(convert(scores)).ireval.order(), scores.ireval.order())
    same_bits(pdeval.frame(convert(scores)).ireval.compare("AP"), scores.ireval.compare("AP"))


@pytest.mark.broad
@every_library
def test_runs_and_judgments_of_another_library_are_written(convert, tmp_path):
    runs, qrels, _ = tables()
    pdeval.write_runs(convert(runs), tmp_path / "runs")
    pdeval.write_qrels(
        convert(qrels.drop(columns="subtopic").drop_duplicates(["query_id", "doc_id"])),
        tmp_path / "q",
    )
    assert len(list((tmp_path / "runs").iterdir())) == runs["run"].nunique()
    assert len(pdeval.read_qrels(tmp_path / "q")) > 0


@pytest.mark.broad
@pytest.mark.parametrize("convert", [on_arrow, *list(LIBRARIES.values())[3:]])
def test_the_callers_tables_are_never_changed(convert):
    runs, qrels, metadata = tables()
    held = [convert(one) for one in (runs, qrels, metadata)]
    quiet(pdeval.frame(held[0]).ireval.summary, held[1], "AP", by="family", metadata=held[2])
    for table, before in zip(held, (runs, qrels, metadata)):
        same_bits(pdeval.frame(table).astype(object), before.astype(object))


@pytest.mark.broad
@pytest.mark.extras
def test_judgments_of_another_library_are_taken_on_dask():
    dd = pytest.importorskip("dask.dataframe")
    pytest.importorskip("pdeval.dask.accessor")
    runs, qrels, _ = tables()
    lazy = dd.from_pandas(runs, npartitions=3)
    wanted = quiet(runs.ireval.summary, qrels, "AP")
    same_bits(quiet(lazy.ireval.summary, on_arrow(qrels), "AP"), wanted)
    same_bits(quiet(lazy.ireval.join(on_arrow(qrels)).summary, "AP"), wanted)


@pytest.mark.extras
class TestPolars:
    @pytest.mark.broad
    def test_a_polars_frame_has_the_verbs_where_polars_is_imported_first(self):
        pytest.importorskip("polars")
        code = (
            "import polars, pdeval, warnings; warnings.simplefilter('ignore');"
            "runs, qrels, metadata = map(polars.DataFrame, pdeval.datasets.load_sample());"
            "print(runs.ireval.measure(qrels, 'AP').ireval, '|', 'measure' in dir(runs.ireval), '|', qrels.ireval)"
        )
        printed = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        ).stdout
        assert printed.startswith("scores table: 12 runs x 50 queries")
        assert "| True | judgments table: 50 queries" in printed

    @pytest.mark.broad
    def test_importing_pdeval_does_not_import_polars(self):
        code = "import sys, pdeval; print('polars' in sys.modules, 'duckdb' in sys.modules)"
        assert printed_by(code) == "False False"

    @pytest.mark.broad
    @pytest.mark.parametrize("package", ["polars", "dask.dataframe"])
    def test_frames_of_other_packages_have_the_accessor_in_either_order_of_imports(self, package):
        pytest.importorskip(package)
        for first, second in ((package, "pdeval"), ("pdeval", package)):
            code = f"import {first}; import {second}; print(hasattr({package}.DataFrame, 'ireval'))"
            assert printed_by(code) == "True"

    def test_judgments_on_dask_are_gathered_for_runs_on_pandas(self):
        dask = pytest.importorskip("dask.dataframe")
        runs, qrels, _ = tables()
        on_dask = dask.from_pandas(qrels, npartitions=2)
        expected = runs.ireval.measure(qrels, "AP")
        pd.testing.assert_frame_equal(runs.ireval.measure(on_dask, "AP"), expected)
        pd.testing.assert_frame_equal(runs.ireval.join(on_dask).measure("AP"), expected)
        pd.testing.assert_frame_equal(runs.ireval.measure(on_dask.ireval, "AP"), expected)

    @pytest.mark.broad
    def test_a_frame_that_is_changed_in_place_is_read_as_it_is_now(self):
        polars = pytest.importorskip("polars")
        runs = polars.DataFrame({"query_id": ["1", "1"], "doc_id": ["x", "y"], "score": [2.0, 1.0]})
        qrels = polars.DataFrame({"topic": ["1"], "doc": ["y"], "relevance": [1]})
        bound = qrels.ireval(query="topic", doc="doc")
        assert runs.ireval.measure(bound, "RR")["value"].tolist() == [0.5]
        runs[1, "score"] = 9.0
        assert runs.ireval.measure(bound, "RR")["value"].tolist() == [1.0]
        assert runs.ireval.measure(qrels.rename({"doc": "docid"}).ireval, "RR")[
            "value"
        ].tolist() == [1.0]

    def test_a_lazy_frame_is_told_to_collect(self):
        polars = pytest.importorskip("polars")
        runs, qrels, _ = tables()
        lazy = polars.LazyFrame({"query_id": ["1"], "doc_id": ["y"], "relevance": [1]})
        calls = [
            lambda: pdeval.frame(lazy),
            lambda: lazy.ireval,
            lambda: runs.ireval.measure(lazy, "AP"),
            lambda: runs.ireval.join(lazy),
            lambda: runs.ireval.summary(qrels, "AP", by="family", metadata=lazy),
            lambda: pdeval.write_qrels(lazy, "never"),
        ]
        for call in calls:
            with pytest.raises(
                TypeError, match=r"a LazyFrame is a query plan. Call \.collect\(\) first"
            ):
                call()

    def test_a_frame_with_missing_values_is_reported_as_that_of_pandas_is(self):
        polars = pytest.importorskip("polars")
        qrels = polars.DataFrame({"query_id": ["1"], "doc_id": ["y"], "relevance": [1]})
        runs = polars.DataFrame(
            {"query_id": ["1", "1"], "doc_id": ["x", "y"], "score": [None, 1.0]}
        )
        with pytest.raises(
            ValueError, match=r"score column has 1 missing values \(NaN\), first in row 0"
        ):
            pdeval.frame(runs).ireval.measure(qrels)
        runs = polars.DataFrame(
            {"query_id": ["1", None], "doc_id": ["x", "y"], "score": [2.0, 1.0]}
        )
        with pytest.raises(ValueError, match=r"the query column has 1 missing ids\. Drop or fill"):
            pdeval.frame(runs).ireval.measure(qrels)

    def test_results_go_back_to_polars_and_arrow(self):
        polars = pytest.importorskip("polars")
        runs, qrels, _ = tables()
        scores = quiet(runs.ireval.measure, qrels, ["AP"])
        back = [polars.DataFrame(scores), polars.from_pandas(scores), pa.Table.from_pandas(scores)]
        if hasattr(pd.DataFrame, "__arrow_c_stream__"):
            back.append(pa.table(scores))
        for table in back:
            same_bits(pdeval.frame(table), scores)


@pytest.mark.broad
@pytest.mark.extras
def test_a_duckdb_connection_is_told_to_pass_a_relation():
    duckdb = pytest.importorskip("duckdb")
    runs, _, _ = tables()
    for call in (pdeval.frame, runs.ireval.measure, runs.ireval.join):
        with pytest.raises(
            TypeError, match=r"a connection has several tables. Pass one, e.g. con\.sql\("
        ):
            call(duckdb.connect())


@pytest.mark.broad
@pytest.mark.extras
def test_numbers_of_sql_are_numbers():
    duckdb = pytest.importorskip("duckdb")
    runs = duckdb.sql("SELECT 'a' AS run, 1 AS query_id, 7 AS doc_id, 0.3 AS score, uuid() AS note")
    qrels = duckdb.sql("SELECT 1 AS query_id, 7 AS doc_id, sum(1) AS relevance")  # a HUGEINT
    frame = pdeval.frame(runs)
    assert frame["score"].tolist() == [0.3]
    assert frame.ireval.measure(qrels, "RR")["value"].tolist() == [1.0]
