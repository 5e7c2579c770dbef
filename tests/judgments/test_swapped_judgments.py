"""The judgments that other assessors would have made."""

import pandas as pd
import pytest

from pdeval.judgments import judges
from pdeval.tables.reader import read


def swapped_qrels(frame, **options):
    return judges.swapped_qrels(read(frame, "labels"), **options)


LABELS = pd.DataFrame(
    [
        ("1", "x", "ann", 1), ("1", "x", "bob", 0), ("1", "y", "ann", 0), ("1", "y", "bob", 1),
        ("2", "x", "bob", 2), ("2", "x", "cy", 1), ("2", "z", "cy", 0),
    ],
    columns=["query_id", "doc_id", "assessor", "label"],
)  # fmt: skip


def test_each_assessors_own_judgments():
    found = dict(swapped_qrels(LABELS))
    assert list(found) == ["ann", "bob", "cy"]
    assert found["bob"].to_numpy().tolist() == [["1", "x", 0], ["1", "y", 1], ["2", "x", 2]]
    assert list(found["bob"].columns) == ["query_id", "doc_id", "relevance"]


def test_drawn_judgments_are_complete_and_come_from_assessors_of_the_item():
    judged = {tuple(row) for row in LABELS[["query_id", "doc_id", "label"]].to_numpy().tolist()}
    seen = set()
    for _, qrels in swapped_qrels(LABELS, how="draw", draws=60):
        assert qrels[["query_id", "doc_id"]].to_numpy().tolist() == [
            ["1", "x"],
            ["1", "y"],
            ["2", "x"],
            ["2", "z"],
        ]
        seen |= {tuple(row) for row in qrels.to_numpy().tolist()}
    assert seen == judged  # every label has its turn, and nothing else turns up


def test_an_assessor_drawn_for_a_query_decides_all_of_it():
    for _, qrels in swapped_qrels(LABELS, how="draw", per="query", draws=30):
        first = qrels[qrels["query_id"] == "1"]["relevance"].tolist()
        assert first in ([1, 0], [0, 1])  # ann's, or bob's
        second = qrels[qrels["query_id"] == "2"].to_numpy().tolist()
        assert second in ([["2", "x", 2]], [["2", "x", 1], ["2", "z", 0]])  # bob never labeled z


def test_draws_depend_on_the_seed_alone():
    def drawn(frame, seed):
        return [
            qrels["relevance"].tolist()
            for _, qrels in swapped_qrels(frame, how="draw", draws=20, seed=seed)
        ]

    assert drawn(LABELS, 1) == drawn(LABELS.sample(frac=1, random_state=0), 1)
    assert drawn(LABELS, 1) != drawn(LABELS, 2)


def test_words_need_grades_before_they_are_judgments():
    worded = LABELS.assign(label=LABELS["label"].map({0: "no", 1: "yes", 2: "very"}))
    with pytest.raises(
        ValueError, match=r"labels are not numbers, e.g. 'yes'. Specify the grade of each"
    ):
        list(swapped_qrels(worded))
    with pytest.raises(ValueError, match=r"no grade for 1 of the labels, e.g. \['very'\]"):
        list(swapped_qrels(worded, grades={"yes": 1, "no": 0}))
    graded = dict(swapped_qrels(worded, grades={"yes": 1, "no": 0, "very": 2}))
    pd.testing.assert_frame_equal(graded["bob"], dict(swapped_qrels(LABELS))["bob"])
    with pytest.raises(
        ValueError, match=f"has no labels: column 'label' is missing in all {len(LABELS)} rows"
    ):
        list(swapped_qrels(LABELS.assign(label=None)))
