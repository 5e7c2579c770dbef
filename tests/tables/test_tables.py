import pandas as pd
import pyarrow as pa
import pytest

from pdeval.tables import reader
from pdeval.tables.recognition import pair_stems


def frame(*columns):
    return pd.DataFrame({name: ["1"] for name in columns})


KINDS = {
    ("run", "query_id", "doc_id", "score"): "runs",
    ("query_id", "doc_id", "rank"): "runs",
    ("qid", "docno", "query", "score", "rank", "name"): "runs",
    ("q_id", "doc_id", "score"): "runs",
    ("user_id", "item_id", "score"): "runs",
    ("query_id", "doc_id", "relevance", "score"): "runs",
    ("query_id", "doc_id", "relevance"): "qrels",
    ("qid", "docno", "label", "iteration"): "qrels",
    ("topic", "docid", "rel"): "qrels",
    ("user_id", "item_id", "rating"): "qrels",
    ("query_id", "subtopic", "doc_id", "relevance"): "qrels",
    ("run", "query_id", "measure", "value"): "scores",
    ("query_id", "run_a", "run_b", "measure", "value"): "preferences",
    ("qid", "model_a", "seed_a", "model_b", "seed_b", "measure", "value"): "preferences",
    ("run", "measure", "method", "score", "rank"): "orders",
    ("run_a", "run_b", "measure", "p_value"): "comparisons",
    ("session", "query", "timestamp", "action"): "clicks",
    ("item", "assessor", "label"): "labels",
    ("x", "y"): None,
    ("query_id", "doc_id"): "qrels",  # implicit feedback
    ("query_id", "doc_id", "note"): None,
}


@pytest.mark.parametrize("columns", KINDS, ids=" ".join)
def test_a_table_is_known_by_its_columns(columns):
    assert reader.kind_of(frame(*columns)) == KINDS[columns]


@pytest.mark.parametrize(
    ("columns", "binding", "kind"),
    [
        (("topic_no", "docno", "sim"), {"query": "topic_no", "score": "sim"}, "runs"),
        (
            ("topic_no", "page", "useful"),
            {"query": "topic_no", "doc": "page", "grade": "useful"},
            "qrels",
        ),
        (("run", "query_id", "metric", "v"), {"measure": "metric", "value": "v"}, "scores"),
        (
            ("query_id", "run_a", "run_b", "metric", "v"),
            {"measure": "metric", "value": "v"},
            "preferences",
        ),
    ],
)
def test_bound_roles_count_when_a_table_is_recognized(columns, binding, kind):
    assert reader.kind_of(frame(*columns), binding) == kind


VOCABULARIES = {
    ("run", "query_id", "doc_id", "score"): ("query_id", "doc_id", ("run",)),
    ("name", "qid", "docno", "score", "query"): ("qid", "docno", ("name",)),
    ("run", "qid", "docno", "score"): ("qid", "docno", ("run",)),
    ("run", "q_id", "doc_id", "score"): ("q_id", "doc_id", ("run",)),
    ("tag", "topic", "docid", "score"): ("topic", "docid", ("tag",)),
    ("run", "user_id", "item_id", "score"): ("user_id", "item_id", ("run",)),
    ("run", "query", "doc", "score"): ("query", "doc", ("run",)),
    ("query_id", "doc_id", "score"): ("query_id", "doc_id", ()),
    ("query_id", "doc_id", "score", "name"): ("query_id", "doc_id", ()),
}


@pytest.mark.parametrize("columns", VOCABULARIES, ids=" ".join)
def test_every_vocabulary_is_understood(columns):
    query, doc, run = VOCABULARIES[columns]
    table = reader.read(frame(*columns), "runs")
    assert (table.roles["query"], table.roles["doc"], table.run_columns) == (query, doc, run)


@pytest.mark.parametrize(
    ("columns", "grade"),
    [
        (("query_id", "doc_id", "relevance"), "relevance"),
        (("qid", "docno", "label"), "label"),
        (("q_id", "doc_id", "score"), "score"),
        (("topic", "docid", "rel"), "rel"),
        (("user_id", "item_id", "rating"), "rating"),
        (("query", "doc", "grade"), "grade"),
    ],
)
def test_every_vocabulary_of_judgments_is_understood(columns, grade):
    assert reader.read(frame(*columns), "qrels").roles["grade"] == grade


def test_a_column_called_subtopic_is_one_and_iteration_is_not():
    assert "subtopic" in reader.read(frame("query_id", "doc_id", "relevance", "subtopic"), "qrels")
    assert "subtopic" not in reader.read(
        frame("query_id", "doc_id", "relevance", "iteration"), "qrels"
    )


def test_bound_columns_come_before_known_names():
    held = frame("query_id", "topic_no", "doc_id", "score", "model", "seed", "sim")
    table = reader.read(
        held, "runs", {"query": "topic_no", "run": ["model", "seed"], "score": "sim"}
    )
    assert table.roles == {"query": "topic_no", "doc": "doc_id", "score": "sim"}
    assert table.run_columns == ("model", "seed")


def test_a_bound_accessor_is_read_with_its_binding():
    held = pd.DataFrame({"topic_no": ["1"], "docno": ["d"], "label": [1]})
    assert reader.read(held.ireval(query="topic_no"), "qrels").roles["query"] == "topic_no"


def test_columns_may_have_numbers_for_names():
    held = pd.DataFrame([["bm25", "1", "d", 0.5]])
    table = reader.read(held, "runs", {"run": 0, "query": 1, "doc": 2, "score": 3})
    assert table.column("doc").tolist() == ["d"]
    assert table.run_columns == (0,)


FAULTS = {
    "no doc": (
        ("query_id", "score"),
        "runs",
        {},
        r"no doc column \(known names: doc_id, docno, .* columns query_id",
    ),
    "no query, no doc": (
        ("a", "score"),
        "runs",
        {},
        r"no query column .* and no doc column .*query=\.\.\., doc=\.\.\.\)",
    ),
    "nothing known": (
        ("a", "b"),
        "runs",
        {},
        r"no query.* and no doc.* and neither a score.*doc=\.\.\., score=\.\.\.",
    ),
    "nothing judged": (
        ("a", "b"),
        "qrels",
        {},
        r"no query.* and no doc.* and no grade.*doc=\.\.\., grade=\.\.\.",
    ),
    "mixed": (
        ("qid", "topic", "doc_id", "score"),
        "runs",
        {},
        "two columns could be the query: 'qid' and 'topic'",
    ),
    "two scores": (
        ("userID", "itemID", "score", "prediction"),
        "runs",
        {},
        "the score: 'score' and 'prediction'",
    ),
    "near names": (
        ("topic_no", "page", "sim"),
        "runs",
        {},
        r"df\.ireval\(query='topic_no', doc='page', score='sim'\)",
    ),
    "a near grade": (
        ("qid", "docno", "judgment"),
        "qrels",
        {},
        r"qrels\.ireval\(grade='judgment'\)",
    ),
    "a near score": (
        ("qid", "docno", "sim"),
        "runs",
        {},
        r"Bind one with df\.ireval\(score='sim'\)",
    ),
    "two queries": (
        ("query_id", "q_id", "doc_id", "score"),
        "runs",
        {},
        "two columns could be the query: 'q_id' and",
    ),
    "two runs": (
        ("run", "name", "qid", "docno", "score"),
        "runs",
        {},
        "two columns could be the run: 'run' and 'name'",
    ),
    "two grades": (
        ("query_id", "doc_id", "label", "rel"),
        "qrels",
        {},
        "two columns could be the grade: 'label' and",
    ),
    "no score": (
        ("query_id", "doc_id"),
        "runs",
        {},
        "neither a score nor a rank column; it has query_id, doc_id",
    ),
    "judgments": (("query_id", "doc_id", "rel"), "runs", {}, "It looks like a judgments table"),
    "no grade": (
        ("query_id", "doc_id", "x"),
        "qrels",
        {},
        r"no grade column \(known names: relevance, label",
    ),
    "scores": (("run", "query_id", "measure", "value"), "runs", {}, "looks like a scores table"),
    "no value": (("run", "query_id", "measure"), "scores", {}, "expected a scores table"),
    "runs": (
        ("run", "query_id", "doc_id", "score"),
        "scores",
        {},
        r"looks like a run table.*\.measure\(qrels\) first",
    ),
    "unpaired": (
        ("run", "query_id", "measure", "value"),
        "preferences",
        {},
        "expected a preferences table.*scores",
    ),
    "paired": (
        ("query_id", "run_a", "run_b", "measure", "value"),
        "scores",
        {},
        "looks like a preferences table",
    ),
    "no query in scores": (
        ("run", "measure", "value"),
        "scores",
        {},
        r"columns run, measure, value\. Bind .*\(query=\.\.\.\)",
    ),
    "two queries in scores": (
        ("run", "qid", "topic", "measure", "value"),
        "scores",
        {},
        "two columns could be the query",
    ),
}


@pytest.mark.parametrize("case", FAULTS)
def test_faults_say_what_was_found_and_what_to_write(case):
    columns, kind, binding, text = FAULTS[case]
    with pytest.raises(ValueError, match=text):
        reader.read(frame(*columns), kind, binding)


@pytest.mark.parametrize(
    ("binding", "text"),
    [
        ({"queery": "topic"}, r"no role 'queery'; roles are run, query.*Did you mean 'query'\?"),
        (
            {"query": "topik"},
            "no column 'topik' for the role 'query'; the table has topic, docid, score",
        ),
        ({"run": ["topic", "seed"]}, "no column 'seed' for the role 'run'"),
    ],
)
def test_a_binding_to_nothing_is_an_error(binding, text):
    with pytest.raises(KeyError, match=text):
        reader.read(frame("topic", "docid", "score"), "runs", binding)


def test_a_repeated_column_name_is_an_error():
    twice = pd.DataFrame([["1", "d", 1.0, 2.0]], columns=["query_id", "doc_id", "score", "score"])
    with pytest.raises(ValueError, match="column name 'score' more than once"):
        reader.read(twice, "runs")


def test_beside_a_query_id_the_column_query_is_text():
    held = frame("run", "qid", "query", "measure", "value")
    assert reader.read(held, "scores").roles["query"] == "qid"


def test_metadata_that_looks_like_pairs_makes_no_preferences_of_scores():
    scores = frame("run", "query_id", "measure", "value", "rate_a", "rate_b")
    scores.attrs["run_columns"] = ["run"]
    assert reader.kind_of(scores) == "scores"
    assert reader.read(scores, "scores").run_columns == ("run",)


def test_pair_columns_of_results_are_found():
    assert pair_stems(frame("model_a", "seed_a", "model_b", "seed_b", "mean_a", "mean_b")) == [
        "model",
        "seed",
    ]


@pytest.mark.parametrize(
    "dtype",
    [
        "int64",
        "float32",
        "Int64",
        "Float64",
        "bool",
        "object",
        "category",
        pd.ArrowDtype(pa.float32()),
        "str",
    ],
)
def test_numbers_are_read_from_every_kind_of_column(dtype):
    held = pd.Series([1, 0]).astype(dtype) if dtype != "str" else pd.Series(["1", "0.0"])
    assert reader.numbers(held, "score").tolist() == [1.0, 0.0]


@pytest.mark.parametrize(
    ("column", "text"),
    [
        (
            pd.Series(["a", "1", "b"], name="score"),
            "score column has 2 values that are not numbers, e.g. 'a'",
        ),
        (
            pd.Series([1.0, None], name="s"),
            r"1 missing values \(NaN\), first in row 1\. Drop.*subset=\['s'\]",
        ),
        (pd.Series([1, None], dtype="Int64", name="s"), "1 missing values"),
        (pd.Series([1.0, None], dtype=object, name="s"), "1 missing values"),
        (pd.Series([1 + 1j], name="s"), "score column has complex numbers, which have no order"),
        (
            pd.Series([2.0, 1 + 1j], name="s", dtype=object),
            "score column has complex numbers, which have no order",
        ),
        (pd.Series(pd.to_datetime(["2020-01-01"]), name="s"), "1 values that are not numbers"),
    ],
)
def test_what_is_not_a_number_is_an_error(column, text):
    with pytest.raises(ValueError, match=text):
        reader.numbers(column, "score")


@pytest.mark.parametrize(
    ("index", "text"),
    [
        (
            ["run", "query_id"],
            "run and query_id are in the index of the table, not in its columns",
        ),
        (["query_id"], r"query_id is in the index of the table, .* Call \.reset_index\(\) first\."),
    ],
)
def test_ids_in_the_index_are_found_there(index, text):
    runs = frame("run", "query_id", "doc_id", "score").set_index(index)
    with pytest.raises(ValueError, match=text):
        reader.read(runs, "runs")
    scores = frame("run", "query_id", "measure", "value").set_index(index)
    with pytest.raises(ValueError, match=text):
        reader.read(scores, "scores")


def test_an_index_that_only_sounds_like_an_id_is_left_alone():
    runs = frame("name", "qid", "docno", "score").rename_axis("doc")
    assert reader.read(runs, "runs").roles["doc"] == "docno"


def test_scores_and_preferences_say_what_each_can_do():
    with pytest.raises(
        ValueError, match=r"Scores have \.summary\(\), \.order\(\) and \.compare\(\)"
    ):
        reader.read(frame("run", "query_id", "measure", "value"), "preferences")
    with pytest.raises(ValueError, match=r"Preferences have \.summary\(\), \.matrix\(\)"):
        reader.read(frame("query_id", "run_a", "run_b", "measure", "value"), "scores")


@pytest.mark.parametrize(
    "name",
    [
        *(
            "dist",
            "L2",
            "l2_dist",
            "cosine_distance",
            "cosineDistance",
            "distance_score",
            "pred_loss",
            "cost",
            "nll",
        ),
        *("perplexity", "reconstruction_error", "distance"),
    ],
)
def test_a_column_of_which_less_may_be_better_is_asked_for_its_direction(name):
    frame = pd.DataFrame({"query_id": ["1"], "doc_id": ["a"], name: [0.5]})
    question = (
        f"If a smaller {name!r} is better, use df.assign(score=-df[{name!r}]); "
        f"otherwise df.ireval(score={name!r})."
    )
    with pytest.raises(ValueError) as error:
        reader.read(frame, "runs")
    assert str(error.value).endswith(f"it has query_id, doc_id, {name}. {question}")
    with pytest.raises(ValueError) as error:
        reader.read(frame.rename(columns={"doc_id": "what"}), "runs")
    assert str(error.value).endswith(f"Bind other names with df.ireval(doc=...). {question}")


@pytest.mark.parametrize("name", ["similarity", "distinctness", "glossary", "costume"])
def test_a_column_of_another_name_is_not_asked_for_its_direction(name):
    with pytest.raises(ValueError, match="neither a score nor a rank column") as error:
        reader.read(pd.DataFrame({"query_id": ["1"], "doc_id": ["a"], name: [0.5]}), "runs")
    assert "If a smaller" not in str(error.value)
