"""The sample of answers: its generator, its sizes, and that its tables fit each other."""

import pandas as pd
import pytest

import pdeval
from pdeval.datasets.sample import stored
from pdeval.tables.dataframes import from_arrow
from tests.datasets import generate_answers


@pytest.fixture(scope="module")
def sample():
    return pdeval.datasets.load_answers()


def test_the_generator_makes_exactly_the_answers_that_are_shipped():
    for name, table in generate_answers.answer_tables().items():
        pd.testing.assert_frame_equal(from_arrow(table), from_arrow(stored(name)))


def test_eight_systems_answer_thirty_queries_of_which_six_have_no_answer(sample):
    assert len(sample.systems) == 8
    assert sample.queries["answerable"].value_counts().to_dict() == {True: 24, False: 6}
    assert sample.nuggets.groupby(["run", "query_id"], observed=True).ngroups == 8 * 24
    labeled = sample.nuggets.dropna(subset="assignment")
    assert labeled["query_id"].nunique() == 12
    assert sample.nuggets["machine"].notna().all()


def test_the_tables_fit_each_other(sample):
    key = ["query_id", "doc_id"]
    relevant = sample.qrels.query("relevance > 0")[key].sort_values(key, ignore_index=True)
    spans = sample.spans[key].drop_duplicates().sort_values(key, ignore_index=True)
    assert relevant.astype(str).equals(spans.astype(str))
    cited = sample.citations.dropna(subset="doc_id")[["run", *key]].astype(str)
    lists = sample.chunks[["run", *key]].drop_duplicates().astype(str)
    assert len(cited.merge(lists)) == len(cited)
    assert not sample.chunks.duplicated(["run", *key, "start"]).any()


def test_every_verb_of_answers_reads_the_sample(sample):
    assert len(sample.citations.ireval.measure(qrels=sample.qrels)) == 8 * 24 * 3
    runs = sample.chunks.ireval.collapse()
    assert len(sample.citations.ireval.measure("CitationUse@5", runs=runs)) == 8 * 24
    accuracy = sample.chunks.ireval.abstention(sample.queries, "AbstentionAccuracy")
    assert accuracy.groupby("run", observed=True)["value"].mean().max() > 0.9
