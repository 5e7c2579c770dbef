"""Broken tables and calls, each with what it is told: the kind of error and the words that help.

A case is (what is called, kind of error, text). RUNS and QRELS are sound; a case breaks one thing.
"""

import math

import pandas as pd
import pytest

import pdeval

RUNS = pd.DataFrame(
    {
        "run": ["bm25"] * 3 + ["dense"] * 3 + ["ql"] * 2,
        "query_id": ["q1", "q1", "q2", "q1", "q1", "q2", "q1", "q1"],
        "doc_id": ["d1", "d2", "d1", "d2", "d3", "d1", "d3", "d1"],
        "score": [3.0, 2.0, 1.0, 5.0, 4.0, 1.0, 2.0, 1.0],
        "rank": [1, 2, 1, 1, 2, 1, 1, 2],
    }
)
QRELS = pd.DataFrame(
    {
        "query_id": ["q1", "q1", "q1", "q2"],
        "doc_id": ["d1", "d2", "d9", "d1"],
        "relevance": [2, 1, 0, 1],
    }
)
SUBTOPICS = QRELS.assign(subtopic=["1", "2", "1", "1"])
SCORES = pd.DataFrame(
    [
        (run, q, "AP", value)
        for q in ("q1", "q2")
        for run, value in (("bm25", 0.5), ("dense", 0.4), ("ql", 0.1))
    ],
    columns=["run", "query_id", "measure", "value"],
)
PREFER = pd.DataFrame(
    [
        (q, a, b, "RPP", 0.5)
        for q in ("q1", "q2")
        for a, b in (("bm25", "dense"), ("bm25", "ql"), ("dense", "ql"))
    ],
    columns=["query_id", "run_a", "run_b", "measure", "value"],
)


def measure(runs=RUNS, qrels=QRELS, measures="AP", **rules):
    return runs.ireval.measure(qrels, measures, **rules)


def prefer(measures="RPP", runs=RUNS, qrels=QRELS, **rules):
    return runs.ireval.prefer(qrels, measures, **rules)


def weighted(weight):
    return prefer(pdeval.parse("RPP", weight=weight), level=1)


def put(frame, column, row, value):
    """Return the frame with one value changed, other columns as they were."""
    held = frame[column].astype(object)
    held.iloc[row] = value
    return frame.assign(**{column: held})


def many(frame, times):
    return pd.concat([frame] * times, ignore_index=True)


TABLES = {
    # columns
    "no doc column": (
        lambda: measure(RUNS.drop(columns="doc_id")), ValueError,
        r"no doc column \(known names: doc_id",
    ),
    "no query column": (
        lambda: measure(RUNS.drop(columns="query_id")), ValueError,
        "no query column .*Bind other names",
    ),
    "no score and no rank": (
        lambda: measure(RUNS.drop(columns=["score", "rank"])), ValueError,
        r"neither a score nor a rank column; it has run, query_id, doc_id\. Bind one with df\.ireval\(score=",
    ),
    "no grade column": (
        lambda: measure(qrels=QRELS.rename(columns={"relevance": "useful"})), ValueError,
        r"judgments table has no grade column \(known names: relevance.*qrels\.ireval\(grade=",
    ),
    "faults in both tables": (
        lambda: measure(RUNS.assign(doc_id=None), QRELS.rename(columns={"relevance": "useful"})), ValueError,
        r"missing ids(.|\n)*no grade column|no grade column",
    ),
    "vocabularies mixed, one column too many": (
        lambda: measure(RUNS.rename(columns={"query_id": "qid"}).assign(topic="q1")), ValueError,
        r"two columns could be the query: 'qid' and 'topic'\. Specify it: df\.ireval\(query='qid'\)",
    ),
    "two query columns": (
        lambda: measure(RUNS.assign(q_id="q1")), ValueError,
        r"two columns could be the query: 'q_id' and 'query_id'\. Specify it: df\.ireval\(query='q_id'\)",
    ),
    "two run columns": (
        lambda: measure(RUNS.rename(columns={"query_id": "qid", "doc_id": "docno"}).assign(name="x")), ValueError,
        r"two columns could be the run: 'run' and 'name'",
    ),
    "two grade columns": (
        lambda: measure(qrels=QRELS.assign(label=1)), ValueError,
        r"two columns could be the grade: 'relevance' and 'label'.*qrels\.ireval\(grade='relevance'\)",
    ),
    "a column name twice": (
        lambda: measure(pd.concat([RUNS, RUNS[["score"]]], axis=1)), ValueError, "column name 'score' more than once",
    ),
    "an unknown role": (
        lambda: RUNS.ireval(topic="query_id"), TypeError,
        "no role 'topic'; roles are run, query, doc",
    ),
    "a role misspelt": (lambda: RUNS.ireval(qurey="query_id"), TypeError, r"no role 'qurey'.*Did you mean 'query'\?"),
    "an unknown column": (
        lambda: RUNS.ireval(query="topic_no"), KeyError,
        "no column 'topic_no' for the role 'query'; the table has run",
    ),
    # ids
    "missing ids": (
        lambda: measure(put(RUNS, "query_id", 1, None)), ValueError,
        "query column has 1 missing ids. Drop",
    ),
    "missing run ids": (lambda: measure(put(RUNS, "run", 1, None)), ValueError, "run column has 1 missing ids"),
    "missing judged ids": (
        lambda: measure(qrels=put(QRELS, "doc_id", 0, None)), ValueError,
        "the judgments' doc column has 1 missing ids",
    ),
    "float ids": (
        lambda: measure(RUNS.assign(query_id=1.5)), ValueError,
        r"query column has float64 values, e\.g\. 1\.5; ids must be strings or integers",
    ),
    "ids of several types": (
        lambda: measure(put(RUNS, "doc_id", 0, 7)), ValueError,
        "doc column has values of type int, str; ids must be",
    ),
    "true and false as ids": (
        lambda: measure(RUNS.assign(query_id=True)), ValueError, "has bool values, e.g. True; ids must be strings",
    ),
    "query ids as numbers and as text": (
        lambda: measure(RUNS.assign(query_id=1)), ValueError,
        "query ids are integers in the run table and strings in the judgments, so none would match. Convert one",
    ),
    "document ids as numbers and as text": (
        lambda: measure(qrels=QRELS.assign(doc_id=range(4))), ValueError,
        "doc ids are strings in the run table and integers in the judgments",
    ),
    "no query in common": (
        lambda: measure(qrels=QRELS.assign(query_id="Q-" + QRELS["query_id"])), ValueError,
        "no query of the runs is judged: the runs have 'q1', 'q2', the judgments 'Q-q1', 'Q-q2'. Use the same ids",
    ),
    # values
    "a score that is NaN": (
        lambda: measure(RUNS.assign(score=[math.nan, *RUNS["score"][1:]])), ValueError,
        r"score column has 1 missing values \(NaN\), first in row 0\. Drop them with \.dropna\(subset=\['score'\]\)",
    ),
    "a score that is text": (
        lambda: measure(put(RUNS, "score", 2, "high")), ValueError,
        "score column has 1 values that are not numbers, e.g. 'high'",
    ),
    "a score that is complex": (
        lambda: measure(RUNS.assign(score=1j)), ValueError,
        "score column has complex numbers",
    ),
    "a grade that is text": (
        lambda: measure(qrels=put(QRELS, "relevance", 0, "very")), ValueError,
        "grade column has 1 values that are not numbers",
    ),
    "a grade that is missing": (
        lambda: measure(qrels=put(QRELS, "relevance", 0, None)), ValueError, "grade column has 1 missing values",
    ),
    "no runs": (lambda: measure(RUNS[:0]), ValueError, "the run table is empty; there is nothing to evaluate"),
    "no judgments": (lambda: measure(qrels=QRELS[:0]), ValueError, "the judgments table is empty"),
    "duplicate rows": (
        lambda: measure(many(RUNS, 2)), ValueError,
        r"8 duplicate \(run, query, doc\) rows, e\.g\. \('bm25', 'q1', 'd1'\)[^\n]*\n"
        r"If the table has several runs, (.|\n)*df\.ireval\(run=\['run', '\.\.\.'\]\)(.|\n)*keep the best ones with "
        r"\.sort_values\('score'\)\.drop_duplicates\(\['run', 'query_id', 'doc_id'\], keep='last'\)",
    ),
    "runs without their column": (
        lambda: measure(RUNS.drop(columns="run")), ValueError,
        r"duplicate \(query, doc\) rows(.|\n)*several runs, add a column that names them and bind it: df\.ireval\(run=",
    ),
    "two grades for one item": (
        lambda: measure(qrels=pd.concat([QRELS, QRELS[:1].assign(relevance=0)])), ValueError,
        r"1 \(query, doc\) pairs with different grades, e\.g\. \('q1', 'd1'\) with 2 and 0",
    ),
    "two grades for one subtopic": (
        lambda: measure(qrels=pd.concat([SUBTOPICS, SUBTOPICS[:1].assign(relevance=0)])), ValueError,
        r"1 \(query, subtopic, doc\) rows with different grades; keep one",
    ),
    # what is not a table
    "a dictionary": (
        lambda: measure(qrels={"query_id": ["q1"], "doc_id": ["d1"], "relevance": [1]}), TypeError,
        "has a list under 'query_id': expected a dict of doc to number. Convert a dict of columns with pandas",
    ),
    "a path": (lambda: measure(qrels="qrels.txt"), TypeError, "takes judgments first"),
    "a series": (lambda: measure(qrels=QRELS["relevance"]), TypeError, "got Series"),
    "nothing": (lambda: measure(qrels=None), TypeError, "got NoneType"),
    "tables the wrong way round": (lambda: measure(QRELS, RUNS), ValueError, "this looks like a judg"),
    "scores for runs": (lambda: measure(SCORES), ValueError, "needs a run table, .*this looks like a scores"),
}  # fmt: skip

CALLS = {
    # rules
    "an unknown ties rule": (
        lambda: measure(ties="random"), ValueError,
        "ties='random': choose 'docid', 'rank', 'first' or",
    ),
    "an unknown compat rule": (
        lambda: measure(compat="trec_eval"), ValueError,
        "compat='trec_eval': choose 'trec_eval-10'",
    ),
    "an unknown topics rule": (
        lambda: measure(queries="all"), ValueError,
        "queries='all': choose 'relevant', 'judged'",
    ),
    "a depth of nothing": (lambda: measure(depth=0), ValueError, "depth=0: expected an integer of at least 1"),
    "half a depth": (lambda: measure(depth=1.5), ValueError, "depth=1.5: expected an integer"),
    "a level of nothing": (
        lambda: measure(level=0), ValueError,
        r"level=0: the smallest relevant grade must be a number above 0\.",
    ),
    "a level that is text": (lambda: measure(level="2"), ValueError, "level='2': the smallest relevant grade must be"),
    "a level above all grades": (
        lambda: measure(level=3), ValueError,
        r"no judged query has an item with a grade of at least 3 \(the largest grade is 2\)",
    ),
    "no query answered by all": (
        lambda: measure(RUNS.query("run == 'ql' or run == 'dense' and query_id == 'q2'"), queries="common"), ValueError,
        "no judged query was answered by all runs, so queries='common' leaves no query to evaluate",
    ),
    "ranks that are equal": (
        lambda: measure(RUNS.assign(rank=1), ties="rank"), ValueError,
        r"3 rows have the same rank as another row of their list, e\.g\. in run 'bm25', query 'q1'.*Use ties='docid'",
    ),
    "no ranks": (
        lambda: measure(RUNS.drop(columns="rank"), ties="rank"), ValueError,
        r"ties='rank' needs a rank column; bind one",
    ),
    "no scores": (
        lambda: measure(RUNS.drop(columns="score"), ties="docid"), ValueError, "ties='docid' needs a score column",
    ),
    "no closed form": (
        lambda: measure(measures="bpref", ties="expected"), ValueError,
        "no closed form over the orders of tied items; .*works for AP",
    ),
    "expected first items": (
        lambda: measure(ties="expected", depth=5), ValueError,
        "depth= cannot be combined with ties='expected', because tied items have no definite rank. Drop depth=",
    ),
    "preferences of expected ranks": (
        lambda: prefer(ties="expected"), ValueError, "RPP compares rankings, but with ties='expected' tied items",
    ),
    "an unknown option": (
        lambda: prefer(levels=2), TypeError,
        r"prefer\(\) has no option 'levels'\. Its options are qrels, measures, .*Did you mean 'level'\?",
    ),
    # measures
    "an unknown measure": (
        lambda: measure(measures="NDGC@10"), KeyError,
        r"no measure 'NDGC@10'\. Did you mean 'nDCG@10'\?",
    ),
    "no measure": (lambda: measure(measures=[]), ValueError, "no measure was requested. Pass at least one"),
    "an unknown parameter": (
        lambda: measure(measures="RBP(q=0.5)"), KeyError,
        r"RBP has no parameter 'q' .*Its parameters are p, k, level",
    ),
    "a parameter out of bounds": (
        lambda: measure(measures="RBP(p=1.5)"), ValueError,
        "p=1.5 in .*: expected a number between 0 and 1",
    ),
    "a cutoff of nothing": (
        lambda: measure(measures="P@0"), ValueError,
        "the cutoff in 'P@0' is 0: expected an integer",
    ),
    "an unreadable measure": (lambda: measure(measures="P@@5"), ValueError, "the cutoff in 'P@@5' is '@5'"),
    "a preference as a measure": (
        lambda: measure(measures="RPP"), ValueError,
        r"RPP is a preference, not a measure of one ranking\. Use \.ireval\.prefer",
    ),
    "subtopics that are not there": (
        lambda: measure(measures="alpha-nDCG@20"), ValueError,
        r"needs subtopics, but the judgments have no subtopic column",
    ),
    "subtopic preferences without them": (lambda: prefer("ST-RPP"), ValueError, "needs subtopics"),
    "an ordering as a preference": (lambda: prefer("borda"), ValueError, "borda is an ordering, not a preference"),
    # runs and pairs
    "an unknown baseline": (
        lambda: prefer(baseline="bm52"), KeyError,
        r"no baseline 'bm52'; the runs are.*Did you mean 'bm25'\?",
    ),
    "a pair with an unknown run": (
        lambda: prefer(pairs=[("bm25", "splade")]), KeyError,
        "no run 'splade'; the runs are",
    ),
    "a run with itself": (lambda: prefer(pairs=[("ql", "ql")]), ValueError, "a run cannot be compared with itself"),
    "a pair twice": (
        lambda: prefer(pairs=[("ql", "bm25"), ("bm25", "ql")]), ValueError, "contains the same two runs more than once",
    ),
    "no pairs": (lambda: prefer(pairs=[]), ValueError, r"pairs=\[\]: expected a list of \(run_a, run_b\)"),
    "a baseline and pairs": (
        lambda: prefer(baseline="ql", pairs=[("ql", "bm25")]), ValueError, "baseline= and pairs= cannot be combined",
    ),
    "one run": (lambda: prefer(runs=RUNS[:3]), ValueError, "a preference needs two runs; there is one: 'bm25'"),
    "one run to order": (
        lambda: RUNS[:3].ireval.order(QRELS, "RPP"), ValueError,
        r"an ordering needs at least two runs, found 1: \['bm25'\]\.",
    ),
    "negative weights": (lambda: weighted([1, -1]), ValueError, "must not be negative or NaN, found -1"),
    "weights of nothing": (lambda: weighted([0, 0]), ValueError, "sum to 0; the sum must be positive and finite"),
    "weights that are NaN": (lambda: weighted([math.nan, 1]), ValueError, "must not be negative or NaN"),
    "too few weights": (
        lambda: weighted([1]), ValueError,
        "but a query needs 2 weights",
    ),
    "unknown weights": (
        lambda: weighted("linear"), ValueError,
        "weight='linear': choose 'uniform', 'dcg', 'inverse'",
    ),
    "an unknown query to explain": (
        lambda: RUNS.ireval.explain(QRELS, "q7"), KeyError, "no judged query 'q7'; the judged queries are 'q1', 'q2'",
    ),
    # results
    "scores that repeat": (
        lambda: many(SCORES, 2).ireval.order(), ValueError,
        "6 rows that repeat an earlier .run, query_id",
    ),
    "scores without a query": (
        lambda: SCORES.drop(columns="query_id").ireval.order(), ValueError,
        r"expected a scores table .*; it has the columns run, measure, value\. Bind .*query=",
    ),
    "empty scores": (lambda: SCORES[:0].ireval.summary(), ValueError, "the scores table is empty"),
    "both directions": (
        lambda: pd.concat([PREFER, PREFER[:1].assign(run_a="dense", run_b="bm25")]).ireval.summary(), ValueError,
        "pairs in both directions, e.g. .*Keep one direction, with positive values if run_a is better",
    ),
    "preferences with gaps": (
        lambda: PREFER.drop(index=[2, 5]).ireval.order(method="mc4"), ValueError,
        "the preferences have 2 of 3 pairs of runs, all against 'bm25'; an ordering needs all,",
    ),
    "preferences that repeat": (lambda: many(PREFER, 2).ireval.matrix(), ValueError, "6 rows that repeat an earlier"),
    "a run preferred to itself": (
        lambda: PREFER.assign(run_b=PREFER["run_a"]).ireval.summary(), ValueError, "6 rows compare a run with itself",
    ),
    "order() without judgments": (
        lambda: RUNS.ireval.order(), TypeError,
        r"order\(\) of a run table needs judgments: \.ireval\.order\(qrels",
    ),
    "compare() without judgments": (
        lambda: RUNS.ireval.compare(), TypeError,
        r"compare\(\) of a run table needs judgments",
    ),
    "summary() of runs": (
        lambda: RUNS.ireval.summary(), TypeError,
        r"summary\(\) of a run table needs judgments: \.ireval\.summary\(qrels",
    ),
    "judgments for scores": (
        lambda: SCORES.ireval.compare(QRELS), TypeError,
        "takes no judgments, because its values are already",
    ),
    "an unknown ordering": (
        lambda: SCORES.ireval.order(method="bordo"), KeyError,
        r"no ordering 'bordo'\. Did you mean 'borda'\?",
    ),
    "an unknown group": (
        lambda: SCORES.ireval.summary(by="family"), KeyError,
        "no column 'family' to group by.*add_metadata",
    ),
    "a report of nothing known": (
        lambda: pd.DataFrame({"x": [1]}).ireval.report(), ValueError,
        r"report\(\): expected a ",
    ),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore:.*missing from run")
@pytest.mark.parametrize("case", TABLES)
def test_a_broken_table_is_told_what_is_wrong_with_it(case):
    call, kind, text = TABLES[case]
    with pytest.raises(kind, match=text):
        call()


@pytest.mark.filterwarnings("ignore:.*missing from run")
@pytest.mark.parametrize("case", CALLS)
def test_a_broken_call_is_told_what_is_wrong_with_it(case):
    call, kind, text = CALLS[case]
    with pytest.raises(kind, match=text):
        call()


def test_there_are_many_cases_and_the_tables_are_sound():
    assert len(TABLES) >= 30
    assert len(CALLS) >= 40
    with pytest.warns(UserWarning, match="1 of 2 judged queries are missing from run 'ql'"):
        assert len(measure()) == 6
    assert len(SCORES.ireval.order()) == len(PREFER.ireval.order()) == 3


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda runs: pd.concat([runs, runs.head(1)]), r"1 duplicate \(run, user, item\) rows"),
        (lambda runs: runs.assign(item_id=1), "the item ids are integers in the run table and str"),
        (lambda runs: runs.assign(user_id="x"), "no user of the runs is judged"),
    ],
)
def test_messages_speak_of_users_and_items_if_the_columns_do(change, message):
    runs = pd.DataFrame({"run": "a", "user_id": "u", "item_id": ["i", "j"], "score": [2.0, 1.0]})
    ratings = pd.DataFrame({"user_id": "u", "item_id": ["i", "i"], "rating": [1, 1]})
    with pytest.raises(ValueError, match=message):
        change(runs).ireval.measure(ratings, "P@1")
    conflict = r"1 \(user, item\) pairs with different grades.* \.groupby\(\['user_id', 'item_id'\]"
    with pytest.raises(ValueError, match=conflict):
        runs.ireval.measure(ratings.assign(rating=[1, 2]), "P@1")
