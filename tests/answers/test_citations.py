"""Citations: the values of one answer, the rules about what is missing, and messages."""

import re

import numpy as np
import pandas as pd
import pytest

ALL = ["CitationPrecision", "CitationRecall", "CitationF"]
ONE = pd.DataFrame(
    {
        "run": "a",
        "query_id": "1",
        "sentence": [1, 1, 2, 3],
        "doc_id": ["d1", "d2", "d1", None],
        "support": ["full", "none", "partial", None],
    }
)


def values(table, measures=None, **options):
    return table.ireval.measure(measures, **options)["value"].tolist()


def test_support_of_one_answer():
    # precision (1 + 0 + .5) / 3 citations, recall (1 + .5 + 0) / 3 sentences
    assert values(ONE) == [0.5, 0.5, 0.5]
    numbers = ONE.assign(support=[1.0, 0.0, 0.5, np.nan])
    assert values(numbers) == [0.5, 0.5, 0.5]


def test_f_weighs_recall_by_beta():
    table = ONE.assign(support=["full", "full", "full", None])
    # precision 1, recall 2 / 3
    assert values(table, "CitationF")[0] == pytest.approx(0.8)
    assert values(table, "CitationF(beta=2)")[0] == pytest.approx(5 * (2 / 3) / (4 + 2 / 3))


def test_only_the_first_citation_of_a_sentence_may_count():
    # the first citations are d2 (none) and d1 (partial)
    table = ONE.assign(position=[2, 1, 1, np.nan])
    assert values(table, ALL[:2], first=True) == [0.25, 0.5 / 3]
    assert values(table, ALL[:2]) == [0.5, 0.5]


def test_an_answer_without_citations_and_a_run_without_answer_have_0():
    none = ONE.tail(1).assign(run="b")
    table = pd.concat([ONE, none, ONE.assign(query_id="2")])
    with pytest.warns(
        UserWarning, match=r"1 of 4 answers are missing, e\.g\. of run 'b' to query '2'"
    ):
        scores = table.ireval.measure("CitationF")
    assert scores["value"].tolist() == [0.5, 0.5, 0.0, 0.0]


def test_a_citation_without_a_judgment_counts_as_not_supporting():
    table = ONE.assign(support=["full", None, "partial", None])
    with pytest.warns(UserWarning, match="1 of 3 citations have no support value"):
        assert values(table) == [0.5, 0.5, 0.5]


def test_the_values_do_not_depend_on_the_order_of_rows():
    rng = np.random.default_rng(1)
    table = pd.DataFrame(
        {
            "run": rng.choice(["a", "b"], 400),
            "query_id": rng.integers(0, 5, 400),
            "sentence": rng.integers(0, 9, 400),
            "doc_id": rng.integers(0, 30, 400),
            "support": rng.random(400),
            "position": rng.permutation(400),
        }
    ).drop_duplicates(["run", "query_id", "sentence", "doc_id"])
    shuffled = table.sample(frac=1, random_state=2)
    for first in (False, True):
        scores = table.ireval.measure(first=first)
        pd.testing.assert_frame_equal(
            scores, shuffled.ireval.measure(first=first), check_exact=True
        )
        # by the definitions, with groups of pandas
        counted = table.sort_values("position")
        answer = ["run", "query_id"]
        if first:
            counted = counted.groupby([*answer, "sentence"]).head(1)
        precision = counted.groupby(answer)["support"].mean()
        recall = counted.groupby([*answer, "sentence"])["support"].max().groupby(answer).mean()
        wide = scores.pivot(index=answer, columns="measure", values="value")
        np.testing.assert_allclose(wide["CitationPrecision"], precision, rtol=1e-13)
        np.testing.assert_allclose(wide["CitationRecall"], recall, rtol=1e-13)


@pytest.mark.parametrize(
    ("table", "options", "message"),
    [
        (
            ONE.replace({"support": {"full": "yes"}}),
            {},
            "the support column has 1 unknown values, e.g. 'yes'. Use 'full', 'partial', 'none', or numbers of 0 to 1.",
        ),
        (
            pd.concat([ONE, ONE.head(1)]),
            {},
            "the table of citations has 1 rows that repeat an earlier (run, query, sentence, doc), e.g. "
            "('a', '1', 1, 'd1').",
        ),
        (ONE, {"first": True}, "first=True needs the place of each citation in its sentence"),
        (
            ONE,
            {"measures": "NuggetAll"},
            "NuggetAll is not a measure of citations. Use CitationPrecision, CitationRecall or CitationF.",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_measured_is_answered_by_its_fault(table, options, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        table.ireval.measure(**options)
