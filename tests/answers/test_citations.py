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

QRELS = pd.DataFrame({"query_id": "1", "doc_id": ["d1", "d2", "d3"], "relevance": [2, 0, 1]})
RUNS = pd.DataFrame(
    {"run": "a", "query_id": "1", "doc_id": ["d3", "d1", "d2", "d4"], "score": [4.0, 3.0, 2.0, 1.0]}
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


def test_the_fraction_of_citations_that_are_relevant():
    # d1, d2 and d1 are cited; d1 is relevant with grade 2
    assert values(ONE, "CitationRelevance", qrels=QRELS) == [2 / 3]
    assert values(ONE, "CitationRelevance", qrels=QRELS, level=3) == [0.0]
    unjudged = QRELS.query("doc_id == 'd3'")
    assert values(ONE, "CitationRelevance", qrels=unjudged) == [0.0]
    table = ONE.assign(position=[2, 1, 1, np.nan])
    assert values(table, "CitationRelevance", qrels=QRELS, first=True) == [0.5]


def test_the_fraction_of_retrieved_documents_that_are_cited():
    # d1 and d2 of d3, d1, d2, d4
    assert values(ONE, ["CitationUse", "CitationUse@2"], runs=RUNS) == [0.5, 0.5]
    assert values(ONE, ["CitationUse@1", "CitationUse@3"], runs=RUNS) == [0.0, 2 / 3]
    assert values(ONE, "CitationUse", runs=RUNS.drop(columns="run")) == [0.5]
    more = pd.concat([RUNS, RUNS.assign(run="z"), RUNS.assign(query_id="9")]).sample(frac=1)
    assert values(ONE, "CitationUse@3", runs=more) == [2 / 3]


def test_support_by_a_machine_gives_scores_by_both():
    rng = np.random.default_rng(2)
    table = pd.concat([ONE.assign(query_id=str(query)) for query in range(8)], ignore_index=True)
    machine = rng.choice(["full", "partial", "none"], len(table))
    table["machine"] = np.where(table["doc_id"].notna(), machine, None)
    labeled = table["query_id"].astype(int) < 4
    human = rng.choice([0.0, 0.5, 1.0], len(table))
    table["support"] = np.where(labeled & table["doc_id"].notna(), human, np.nan)
    scores = table.ireval.measure()
    by_machine = table.drop(columns="support").rename(columns={"machine": "support"})
    expected = by_machine.ireval.measure()
    assert scores["machine"].tolist() == expected["value"].tolist()
    by_human = table[labeled].drop(columns="machine").ireval.measure()
    assert scores["value"].dropna().tolist() == by_human["value"].tolist()


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
            "NuggetAll is not a measure of citations. Use CitationPrecision or CitationRecall or CitationF or "
            "CitationRelevance or CitationUse.",
        ),
        (ONE, {"measures": "CitationRelevance"}, "CitationRelevance needs judgments. Pass qrels=."),
        (
            ONE,
            {"measures": "CitationRelevance", "qrels": QRELS.assign(query_id="9")},
            "no query of qrels= is in the table of answers, which has e.g. '1'. Use the same ids, of the same type.",
        ),
        (
            ONE,
            {"measures": "CitationRelevance", "qrels": QRELS.assign(doc_id=[1, 2, 3])},
            "the doc ids are strings in the citations and integers in the judgments table, so none would match.",
        ),
        (ONE, {"measures": "CitationUse"}, "CitationUse needs the retrieved documents. Pass runs=."),
        (
            ONE,
            {"measures": "CitationUse", "runs": RUNS.assign(run="other")},
            "no run of runs= is a run of the answers, e.g. 'a'. Use the same names.",
        ),
        (
            pd.concat([ONE, ONE.assign(run="b")]),
            {"measures": "CitationUse", "runs": RUNS.drop(columns="run")},
            "the runs of runs= are identified by no column, those of the answers by run. Use the same columns.",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_measured_is_answered_by_its_fault(table, options, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        table.ireval.measure(**options)
