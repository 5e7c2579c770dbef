"""Tables of tools for RAG, as ragas 0.4.3, deepeval 4.3.1, TruLens 2.16.0, open-rag-eval and MTEB write them.

Results made by the tools were read, too: `ragas.evaluate(dataset, [ExactMatch(), StringPresence()])`, its `to_pandas()`
and its CSV file; `EvaluationResult` and the JSON of a `TestRun` of deepeval; `TruSession.get_records_and_feedback()` of
a database with two versions of an app; the file of `TRECEvaluator.to_csv` of open-rag-eval (github.com/vectara, commit
dfc4175), with a query that failed; `TaskResult` and `BenchmarkResults` of MTEB 2.26.24, and tables and files of them.
"""

import json
import re
from types import SimpleNamespace

import pandas as pd
import pytest

import pdeval

RAGAS = pd.DataFrame(
    {
        "user_input": ["who?", "what?"],
        "retrieved_contexts": [["a"], ["b", "c"]],
        "response": ["x", "y"],
        "reference": ["x", "z"],
        "faithfulness": [1.0, 0.5],
        "factual_correctness(mode=f1)": [0.4, 0.6],
        "noise_sensitivity(mode=relevant)": [0.25, None],
    }
)
TRULENS = pd.DataFrame(
    {
        "app_id": ["h1", "h1", "h2", "h2"],
        "app_name": "rag",
        "app_version": ["base", "base", "new", "new"],
        "record_id": list("abcd"),
        "input": ["who?", "what?"] * 2,
        "output": "text",
        "latency": [1.0, 2.0, 3.0, 4.0],
        "num_events": 3,
        "total_cost": 0.01,
        "Groundedness": [0.5, 0.75, 1.0, 0.25],
        "Groundedness_calls": [[]] * 4,
        "Groundedness feedback cost in USD": 0.001,
        "Groundedness direction": None,
    }
)
OPEN_RAG_EVAL = pd.DataFrame(
    {
        "query_id": ["1", "2"],
        "query": ["who?", "what?"],
        "run_1_retrieved_passages": "{}",
        "run_1_retrieval_score_umbrela_scores": '{"a": 3}',
        "run_1_retrieval_score_mean_umbrela_score": [2.5, 1.0],
        "run_1_generation_score_hallucination_score": [0.9, 0.8],
        "run_2_retrieval_score_mean_umbrela_score": [2.0, 1.5],
        "run_2_generation_score_hallucination_score": [0.7, 0.6],
    }
)
CASES = {
    "testCases": [
        {"input": "who?", "metricsData": [{"name": "Faithfulness", "score": 0.5}]},
        {
            "input": "what?",
            "metricsData": [
                {"name": "Faithfulness", "score": 1.0},
                {"name": "Contextual Recall", "score": None},
            ],
        },
        {"input": "why?", "metricsData": None},
    ]
}


def rows(table):
    return table.drop(columns="run", errors="ignore").to_numpy().tolist()


def test_a_table_of_ragas_is_read_with_the_directions_of_its_measures():
    scores = pdeval.scores(RAGAS, run="rag")
    assert rows(scores) == [
        ["who?", "faithfulness", 1.0],
        ["who?", "factual_correctness(mode=f1)", 0.4],
        ["who?", "noise_sensitivity(mode=relevant)", 0.25],
        ["what?", "faithfulness", 0.5],
        ["what?", "factual_correctness(mode=f1)", 0.6],
    ]
    assert scores["run"].unique().tolist() == ["rag"]
    higher = {label: known["higher"] for label, known in scores.attrs["measures"].items()}
    assert list(higher.values()) == [True, True, False]
    old = RAGAS.rename(columns={"user_input": "question"})
    assert pdeval.scores(old).attrs["query_column"] == "question"


def test_two_systems_of_ragas_are_compared():
    both = pd.concat([RAGAS.assign(run="a"), RAGAS.assign(run="b", faithfulness=[1.0, 0.75])])
    order = pdeval.scores(both).ireval.order("faithfulness")
    assert order["run"].tolist() == ["b", "a"]


def test_the_records_of_trulens_give_their_feedback():
    scores = pdeval.scores(TRULENS)
    assert scores.attrs["run_columns"] == ["app_name", "app_version"]
    assert scores["measure"].unique().tolist() == ["Groundedness"]
    order = scores.ireval.order()
    assert order["score"].tolist() == [0.625, 0.625]
    costs = pdeval.scores(TRULENS, measures=["latency"])
    assert costs.ireval.order()["app_version"].tolist() == ["base", "new"]


def test_the_columns_of_open_rag_eval_are_runs():
    scores = pdeval.scores(OPEN_RAG_EVAL)
    assert scores.query("run == 'run_2'")["value"].tolist() == [2.0, 0.7, 1.5, 0.6]
    assert scores["measure"].unique().tolist() == ["mean_umbrela_score", "hallucination_score"]
    one = OPEN_RAG_EVAL.loc[:, ~OPEN_RAG_EVAL.columns.str.startswith("run_2")]
    assert pdeval.scores(one, run="mine")["run"].unique().tolist() == ["mine"]


def test_results_of_deepeval_are_objects_or_files(tmp_path):
    expected = [["who?", "Faithfulness", 0.5], ["what?", "Faithfulness", 1.0]]
    assert rows(pdeval.scores(CASES)) == expected
    results = [
        SimpleNamespace(
            input=case["input"],
            metrics_data=[SimpleNamespace(**one) for one in case["metricsData"] or ()],
        )
        for case in CASES["testCases"]
    ]
    result = SimpleNamespace(test_results=results)
    assert rows(pdeval.scores(result, run="mine")) == expected
    path = tmp_path / "rag.json"
    path.write_text(json.dumps(CASES), encoding="utf-8")
    read = pdeval.read_scores(path)
    assert rows(read) == expected
    assert read["run"].unique().tolist() == ["rag"]


def test_results_that_convert_themselves_are_read():
    class EvaluationResult:
        __module__ = "ragas.dataset_schema"

        def to_pandas(self):
            return RAGAS

    result = pdeval.scores(EvaluationResult(), run="rag")
    assert rows(result) == rows(pdeval.scores(RAGAS, run="rag"))


@pytest.mark.parametrize("wide", [True, False])
def test_the_tables_of_mteb_have_the_main_score_of_each_task(wide):
    # BenchmarkResults.to_dataframe(format="wide") and format="long"
    ids = {"task_name": ["SciFact", "NFCorpus"], "is_public": True}
    table = pd.DataFrame({**ids, "e5": [0.5, 0.25], "bge": [0.75, 0.5]})
    long = table.melt(list(ids), var_name="model_name", value_name="score")
    scores = pdeval.scores(table if wide else long)
    assert scores["value"].tolist() == [0.5, 0.25, 0.75, 0.5]
    assert scores.ireval.order().iloc[:, :2].to_numpy().tolist() == [
        ["bge", "main_score"],
        ["e5", "main_score"],
    ]
    named = pdeval.scores(table, measure="nDCG@10")
    assert named["measure"].unique().tolist() == ["nDCG@10"]
    measured = table.rename(columns={"e5": "ndcg_at_10", "bge": "map_at_10"})
    with pytest.raises(ValueError, match="unknown run"):
        pdeval.scores(pd.concat([measured, measured]))


def test_a_result_of_mteb_may_be_a_mapping():
    parts = [{"ndcg_at_10": 0.5, "main_score": 0.5, "hf_subset": "default"}]
    result = {"task_name": "SciFact", "mteb_version": "2.26.24", "scores": {"test": parts}}
    assert pdeval.scores(result, run="e5").to_numpy().tolist() == [
        ["e5", "SciFact", "ndcg_at_10", 0.5],
        ["e5", "SciFact", "main_score", 0.5],
    ]


def test_criteria_that_users_of_deepeval_state_are_better_if_higher():
    table = pd.DataFrame({"input": ["who?"], "Toxicity [GEval]": [0.5], "Tone [DAG]": [1.0]})
    known = pdeval.scores(table).attrs["measures"]
    assert [known[label]["higher"] for label in table.columns[1:]] == [True, True]


def test_files_of_open_rag_eval_and_ragas_are_read(tmp_path):
    OPEN_RAG_EVAL.to_csv(tmp_path / "eval.csv", index=False)
    scores = pdeval.read_scores(tmp_path / "eval.csv")
    assert scores["run"].unique().tolist() == ["run_1", "run_2"]
    RAGAS.to_csv(tmp_path / "rag.csv", index=False)
    ragas = pdeval.read_scores(tmp_path / "rag.csv")
    assert ragas["query_id"].unique().tolist() == ["who?", "what?"]
    assert ragas["run"].unique().tolist() == ["rag"]


def test_a_direction_that_depends_on_the_version_must_be_stated():
    table = pd.DataFrame({"input": ["who?", "what?"], "Toxicity": [0.1, 0.2]})
    message = (
        "the direction of 'Toxicity' depends on the version of deepeval: lower is better in version 3, higher in "
        "version 4.3. Specify it: higher={'Toxicity': True}, or False."
    )
    with pytest.raises(ValueError, match=re.escape(message)):
        pdeval.scores(table)
    stated = pdeval.scores(table, higher={"Toxicity": False})
    assert stated.attrs["measures"]["Toxicity"]["higher"] is False


def test_other_numbers_are_not_measures():
    with pytest.raises(ValueError, match=r"the columns tokens are not measures of the catalog"):
        pdeval.scores(RAGAS.assign(tokens=5))


RECORDS = "records, _ = session.get_records_and_feedback(); pdeval.scores(records)."
# get_leaderboard() of TruLens 2 groups by app_name and app_version, that of trulens_eval by app_id
MEANS = ["Groundedness", "latency", "total_cost"]
LEADERBOARD = TRULENS.groupby(["app_name", "app_version"])[MEANS].mean()


@pytest.mark.parametrize(
    ("table", "what", "advice"),
    [
        (LEADERBOARD, "means per app (app_name, app_version), without queries", RECORDS),
        (LEADERBOARD.reset_index(), "means per app (app_name, app_version), without", RECORDS),
        (LEADERBOARD.rename_axis(["x", "app_id"]).droplevel(0), "means per app (app_id)", RECORDS),
        (
            {"faithfulness": 0.9, "context_recall": 0.8},
            "this dict has one mean per measure (faithfulness, context_recall), without queries",
            "Use the result with one row per query, e.g. result.to_pandas() of ragas.",
        ),
    ],
)
def test_means_without_queries_are_named_with_the_table_to_use(table, what, advice):
    with pytest.raises(ValueError, match=re.escape(what)) as raised:
        pdeval.scores(table)
    assert advice in str(raised.value)


def test_the_advice_about_means_works():
    # the table with one row per record
    assert pdeval.scores(TRULENS)["input"].tolist() == TRULENS["input"].tolist()
    kept = pdeval.scores(LEADERBOARD.reset_index(), run=["app_name", "app_version"])
    assert kept["query_id"].unique().tolist() == ["all"]
    assert kept["value"].tolist() == [0.625, 1.5, 0.01, 0.625, 3.5, 0.01]
    one = pdeval.scores(pd.DataFrame([{"faithfulness": 0.9, "context_recall": 0.8}]))
    assert one["value"].tolist() == [0.9, 0.8]
