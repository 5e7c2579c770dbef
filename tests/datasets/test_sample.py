import runpy

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from pdeval import datasets
from pdeval.datasets import sample as shipped
from tests.datasets import generate


@pytest.fixture(scope="module")
def sample() -> datasets.Sample:
    return datasets.load_sample()


@pytest.mark.broad
def test_the_generator_makes_exactly_the_tables_that_are_shipped():
    for name, table in generate.tables().items():
        assert table.equals(pq.read_table(shipped.FOLDER / f"{name}.parquet")), name


@pytest.mark.broad
def test_another_seed_makes_other_rankings():
    other = generate.tables(seed=generate.SEED + 1)
    assert not other["runs"].equals(shipped.stored("runs"))


@pytest.mark.broad
def test_writing_the_files_anew_changes_no_table(tmp_path):
    paths = generate.write(tmp_path, generate.tables())
    assert [path.name for path in paths] == ["runs.parquet", "qrels.parquet", "metadata.parquet"]
    assert pq.read_table(tmp_path / "runs.parquet").equals(shipped.stored("runs"))


def test_the_files_are_under_a_megabyte():
    assert sum(path.stat().st_size for path in shipped.FOLDER.glob("*.parquet")) < 1_000_000


def test_twelve_runs_answer_fifty_queries_a_hundred_deep_except_two_lists(sample):
    lists = sample.runs.groupby(["run", "query_id"], observed=True)["rank"]
    assert sample.runs["run"].nunique() == 12
    assert sample.runs["query_id"].nunique() == 50
    assert len(lists) == 12 * 50 - 2
    assert (lists.size() == 100).all()
    assert (lists.min() == 1).all()
    assert (lists.max() == 100).all()
    answered = sample.runs.loc[sample.runs["run"] == "ql", "query_id"].unique()
    assert set(sample.qrels["query_id"]) - set(answered) == {"117", "138"}


def test_no_item_is_listed_or_judged_twice(sample):
    assert not sample.runs.duplicated(["run", "query_id", "doc_id"]).any()
    assert not sample.qrels.duplicated(["query_id", "doc_id"]).any()
    assert (
        not datasets.sample_qrels(subtopics=True)
        .duplicated(["query_id", "subtopic", "doc_id"])
        .any()
    )


def test_scores_never_rise_along_the_ranks_and_some_tie(sample):
    step = sample.runs.groupby(["run", "query_id"], observed=True)["score"].diff()
    assert (step.dropna() <= 0).all()
    tied = (step == 0).groupby(sample.runs["run"], observed=True).mean()
    assert tied["bm25"] > 0.2
    assert tied["ql"] < 0.05


def test_every_query_has_grades_up_to_three_and_two_to_five_subtopics(sample):
    subtopics = datasets.sample_qrels(subtopics=True)
    count = subtopics.groupby("query_id", observed=True)["subtopic"].nunique()
    assert sorted(count.unique()) == [2, 3, 4, 5]
    assert sorted(sample.qrels["relevance"].unique()) == [0, 1, 2, 3]
    assert (sample.qrels.groupby("query_id", observed=True)["relevance"].max() > 0).all()
    assert len(count) == 50


def test_the_plain_grade_is_the_highest_over_subtopics(sample):
    best: dict[tuple[str, str], int] = {}
    for row in datasets.sample_qrels(subtopics=True).itertuples():
        key = (row.query_id, row.doc_id)
        best[key] = max(best.get(key, 0), row.relevance)
    assert best == {(row.query_id, row.doc_id): row.relevance for row in sample.qrels.itertuples()}


def test_only_runs_outside_the_pool_have_unjudged_items_in_their_first_twenty(sample):
    top = sample.runs[sample.runs["rank"] <= 20].astype({"query_id": str})
    judged = top.merge(
        sample.qrels.astype({"query_id": str}), on=["query_id", "doc_id"], how="left"
    )
    unjudged = judged["relevance"].isna().groupby(judged["run"], observed=True).any()
    assert set(unjudged.index[unjudged]) == {"dense-s3", "rerank-s1", "rerank-s2"}


@pytest.mark.broad
def test_system_means_spread_and_neighbors_are_close(sample):
    scipy_stats = pytest.importorskip("scipy.stats")
    pytrec_eval = pytest.importorskip("pytrec_eval")
    qrels: dict[str, dict[str, int]] = {}
    for row in sample.qrels.itertuples():
        qrels.setdefault(row.query_id, {})[row.doc_id] = row.relevance
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, {"ndcg_cut_10"})
    values = {}
    for run, rows in sample.runs.groupby("run", observed=True):
        lists: dict[str, dict[str, float]] = {}
        for row in rows.itertuples():
            lists.setdefault(row.query_id, {})[row.doc_id] = row.score
        result = evaluator.evaluate(lists)
        values[run] = {query: scores["ndcg_cut_10"] for query, scores in result.items()}
    table = pd.DataFrame(values).reindex(sorted(qrels)).fillna(0.0)
    means = table.mean().sort_values()
    assert means.index[0] == "tfidf"
    assert set(means.index[-2:]) == {"rerank-s1", "rerank-s2"}
    assert 0.2 < means.iloc[0] < 0.3
    assert 0.6 < means.iloc[-1] < 0.7
    p = {
        pair: scipy_stats.ttest_rel(table[pair[0]], table[pair[1]]).pvalue
        for pair in [
            ("dense-s1", "dense-s2"),
            ("bm25", "bm25+rm3"),
            ("tfidf", "bm25"),
            ("bm25", "rerank-s1"),
        ]
    }
    assert p["dense-s1", "dense-s2"] > 0.05
    assert p["bm25", "bm25+rm3"] > 0.05
    assert p["tfidf", "bm25"] < 0.01
    assert p["bm25", "rerank-s1"] < 0.001
    assert table["dense-s1"].corr(table["dense-s2"]) > table["dense-s1"].corr(table["tfidf"]) + 0.3


def test_metadata_has_one_row_per_run_to_join_on(sample):
    assert sample.metadata.columns.tolist() == ["run", "model", "family", "seed", "year"]
    assert sample.metadata["run"].tolist() == sample.runs["run"].cat.categories.tolist()
    joined = sample.runs.astype({"run": str}).merge(
        sample.metadata, on="run", validate="many_to_one"
    )
    assert len(joined) == len(sample.runs)


def test_columns_and_types(sample):
    assert sample.runs.columns.tolist() == ["run", "query_id", "doc_id", "score", "rank"]
    assert sample.qrels.columns.tolist() == ["query_id", "doc_id", "relevance"]
    assert isinstance(sample.runs["query_id"].dtype, pd.CategoricalDtype)
    assert sample.runs["query_id"].tolist()[0] == "101"
    assert sample.runs["score"].dtype == np.float64
    assert sample.runs["rank"].dtype == sample.qrels["relevance"].dtype == np.int64


def test_changing_the_sample_does_not_change_the_next_one():
    mine = datasets.sample_runs()
    mine["score"] = 0.0
    mine.loc[0, "rank"] = 99
    assert datasets.sample_runs()["score"].iloc[0] == 31.6
    assert datasets.sample_runs()["rank"].iloc[0] == 1


@pytest.mark.broad
def test_the_command_writes_every_file(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(shipped, "FOLDER", tmp_path)
    runpy.run_path(generate.__file__, run_name="__main__")
    written = [line.split(":")[0] for line in capsys.readouterr().out.splitlines()]
    assert written == [
        "runs.parquet",
        "qrels.parquet",
        "metadata.parquet",
        "recommendations.parquet",
        "history.parquet",
        "ratings.parquet",
        "items.parquet",
        "users.parquet",
    ]
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(written)
