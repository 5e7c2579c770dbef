"""Every declared vocabulary is understood as it stands, in run tables and in judgments."""

import pandas as pd
import pytest

from pdeval.kinds import tables
from pdeval.kinds.vocabularies import VOCABULARIES


@pytest.mark.parametrize("name", VOCABULARIES)
def test_runs_in_a_declared_vocabulary_are_read_by_its_words(name):
    words = VOCABULARIES[name]
    frame = pd.DataFrame({words["run"]: ["a"], words["query"]: ["1"], words["doc"]: ["x"], "score": [1.0]})
    table = tables.read(frame, "runs")
    assert (table.roles["query"], table.roles["doc"], table.run_columns) == (
        words["query"],
        words["doc"],
        (words["run"],),
    )
    assert tables.kind_of(frame) == "runs"


@pytest.mark.parametrize("name", VOCABULARIES)
def test_judgments_in_a_declared_vocabulary_are_read_by_its_words(name):
    words = VOCABULARIES[name]
    frame = pd.DataFrame({words["query"]: ["1"], words["doc"]: ["x"], "relevance": [1]})
    table = tables.read(frame, "qrels")
    assert (table.roles["query"], table.roles["doc"]) == (words["query"], words["doc"])
    assert tables.kind_of(frame) == "qrels"
