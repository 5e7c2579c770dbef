"""Metadata joined on to tables that keep what they say of themselves."""

import pandas as pd
import pytest

import pdeval
from pdeval.evaluate.add_metadata import annotated
from pdeval.tables.schemas import SCHEMAS
from pdeval.verbs import VERBS


@pytest.fixture(scope="module")
def metadata():
    return pdeval.datasets.sample_metadata()


@pytest.fixture(scope="module")
def scores():
    return pdeval.datasets.sample_judged(queries="common").measure(["AP", "RR"])


def test_rows_index_and_what_the_table_says_stay_as_they_are(scores, metadata):
    part = scores.sample(frac=0.5, random_state=2)
    found = part.ireval.add_metadata(metadata)
    pd.testing.assert_frame_equal(found[list(scores)], part)
    assert found.attrs == {**part.attrs, "table": "scores"}
    assert list(found) == [*scores, "model", "family", "seed", "year"]
    wanted = metadata.astype({"run": "str"}).set_index("run").loc[part["run"].astype(str), "year"]
    assert found["year"].tolist() == wanted.tolist()
    assert found["year"].dtype == metadata["year"].dtype


def test_the_callers_tables_are_not_changed(scores, metadata):
    before, columns = scores.copy(), list(metadata)
    scores.ireval.add_metadata(metadata)
    pd.testing.assert_frame_equal(scores, before)
    assert list(metadata) == columns


def test_the_direction_of_an_own_measure_survives(metadata):
    own = pdeval.parse("ASL", label="my length")
    found = (
        pdeval.datasets.sample_judged(queries="common").measure(own).ireval.add_metadata(metadata)
    )
    assert found.attrs["measures"]["my length"]["higher"] is False
    assert repr(found.ireval).startswith("scores table: 12 runs x 48 queries, my length")


@pytest.mark.broad
def test_groups_of_metadata_are_summed_up(scores, metadata):
    found = scores.ireval.add_metadata(metadata).ireval.summary(by="family")
    wanted = scores.merge(metadata, on="run").ireval.summary(by="family")
    pd.testing.assert_frame_equal(found, wanted)


def test_queries_have_metadata_too(scores):
    kinds = pd.DataFrame({"query_id": scores["query_id"].unique()}).assign(kind="long")
    assert scores.ireval.add_metadata(kinds)["kind"].eq("long").all()


@pytest.mark.broad
def test_runs_of_several_columns_are_matched_by_those_that_the_metadata_have(metadata):
    sample = pdeval.datasets.load_sample()
    runs = sample.runs.merge(metadata[["run", "model", "seed"]], on="run").drop(columns="run")
    scores = runs.ireval(run=["model", "seed"]).measure(sample.qrels, "AP", queries="common")
    models = metadata[["model", "family"]].drop_duplicates()
    assert scores.ireval.add_metadata(models)["family"].notna().all()
    both = scores.ireval.add_metadata(metadata[["model", "seed", "year"]])
    assert both.attrs["run_columns"] == ["model", "seed"]
    assert repr(both.ireval).startswith("scores table: 12 runs")


def test_what_merge_lost_is_said_again(scores, metadata):
    lost = scores.copy()
    lost.attrs.clear()
    found = lost.ireval.add_metadata(metadata)
    assert (found.attrs["table"], found.attrs["run_columns"], found.attrs["query_column"]) == (
        "scores",
        ["run"],
        "query_id",
    )


def test_annotating_again_changes_nothing(scores, metadata):
    once = scores.ireval.add_metadata(metadata)
    pd.testing.assert_frame_equal(once.ireval.add_metadata(metadata), once)


def test_a_column_to_match_by_may_be_named(scores):
    measures = pd.DataFrame({"measure": ["AP", "RR"], "kind": ["deep", "shallow"]})
    found = scores.ireval.add_metadata(measures, on="measure")
    assert found.drop_duplicates("measure")["kind"].tolist() == ["deep", "shallow"]


def test_run_tables_are_annotated_under_their_own_names(metadata):
    runs = pdeval.datasets.sample_runs().rename(
        columns={"run": "name", "query_id": "qid", "doc_id": "docno"}
    )
    found = runs.ireval.add_metadata(metadata.rename(columns={"run": "name"}))
    assert repr(found.ireval).startswith("run table: 12 runs x 50 queries")
    assert found["family"].notna().all()


def test_faulty_metadata_are_errors_that_name_the_fault(scores, metadata):
    with pytest.raises(ValueError, match=r"metadata=.*expected a DataFrame"):
        scores.ireval.add_metadata({"bm25": "old"})
    with pytest.raises(
        ValueError,
        match=r"the metadata have none of the id columns of this table \(run, query_id\); their columns are system",
    ):
        scores.ireval.add_metadata(metadata[["run"]].set_axis(["system"], axis=1))
    with pytest.raises(
        ValueError, match=r"the metadata have run 'bm25' more than once. Keep one row per run"
    ):
        scores.ireval.add_metadata(pd.concat([metadata, metadata.head(1).assign(year=1)]))
    with pytest.raises(ValueError, match=r"run 'bm25' more than once. Use .drop_duplicates\(\)"):
        scores.ireval.add_metadata(pd.concat([metadata, metadata.head(1)]))
    with pytest.raises(
        ValueError,
        match=r"no row for 8 values of run, e.g. 'dense-s3', 'hybrid', 'ql'\. Add the missing rows",
    ):
        scores.ireval.add_metadata(metadata.head(4))
    with pytest.raises(
        ValueError, match=r"Their ids are int, those of the table are str: convert one of them"
    ):
        scores.ireval.add_metadata(pd.DataFrame({"query_id": [101, 102], "kind": "x"}))
    with pytest.raises(
        ValueError, match=r"both have a column 'value', which differs in 1,152 rows, e.g. .* and -1"
    ):
        scores.ireval.add_metadata(metadata[["run"]].assign(value=-1))
    with pytest.raises(
        KeyError,
        match="on='model': the table has no such column; the columns are run, query_id, measure",
    ):
        scores.ireval.add_metadata(metadata, on="model")
    with pytest.raises(
        KeyError, match="on='query_id': the metadata has no such column; the columns are run, model"
    ):
        scores.ireval.add_metadata(metadata, on=["run", "query_id"])


@pytest.mark.parametrize("name", SCHEMAS)
def test_every_table_of_runs_or_queries_has_it(name):
    assert ("add_metadata" in VERBS.get(name, {})) == annotated(SCHEMAS[name])


def test_tables_of_pairs_and_raw_tables_have_none():
    assert not any(
        map(annotated, map(SCHEMAS.get, ("preferences", "qrels", "labels", "clicks", "pool_pairs")))
    )
