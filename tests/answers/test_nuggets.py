"""Nuggets: values of methods.md and of open-nuggetizer, the rules about what is missing, and messages.

`calculate_nugget_scores` of open_nuggetizer 0.0.1 (github.com/NamaWho/pyterrier-nuggetizer, commit 2b83580) gives the
same values as compat="nuggetizer" for 2,000 random answers (12,000 values, difference 0), and for 899 of the 903
answers of the three systems in its folder data/assignments; the other four lack a nugget that another system has.
"""

import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pdeval

NAMES = ["NuggetAll", "NuggetVital", "NuggetWeighted"]
STRICT = [f"{name}(strict=true)" for name in NAMES]
LABELS = ["support", "partial_support", "not_support"]


def answer(assignments, importances, run="a", query="1", **more):
    return pd.DataFrame(
        {
            "run": run,
            "query_id": query,
            "nugget": [f"n{number}" for number in range(len(assignments))],
            "assignment": assignments,
            "importance": importances,
            **more,
        }
    )


FIVE = answer(
    ["support", "partial_support", "not_support", "support", "partial_support"],
    ["vital", "vital", "vital", "okay", "okay"],
)


def values(table, measures, **options):
    return table.ireval.measure(measures, **options)["value"].tolist()


def test_nugget_scores_of_one_answer():
    assert values(FIVE, NAMES) == [0.6, 0.5, 0.5625]
    assert values(FIVE, STRICT) == [0.4, 1 / 3, 0.375]
    assert values(FIVE, "NuggetWeighted(okay_weight=0)") == [0.5]


def test_nugget_f_of_trec_qa():
    table = answer(
        ["support", "not_support", "not_support", "support"], ["vital"] * 3 + ["okay"], length=350
    )
    # allowance 2 * 100, precision 200 / 350, recall 1 / 3
    assert values(table, "NuggetF")[0] == pytest.approx(0.347826, abs=1e-6)
    precision, recall = 200 / 350, 1 / 3
    assert values(table, "NuggetF(beta=1)")[0] == pytest.approx(
        2 * precision * recall / (precision + recall)
    )
    assert values(table.assign(length=199), "NuggetF(beta=1)")[0] == pytest.approx(0.5)


def test_importances_and_assignments_may_be_numbers():
    table = answer([1.0, 0.25, 0.0], [3.0, 1.0, 0.0], length=10)
    assert values(table, ["NuggetAll", "NuggetWeighted"]) == [1.25 / 3, 3.25 / 4]
    assert values(table, "NuggetAll(strict=true)") == [1 / 3]
    # nugget pyramid: recall is weighted, precision is 1
    assert values(table, "NuggetF(beta=0)") == [1.0]
    assert values(table, "NuggetF(beta=1)")[0] == pytest.approx(2 * 0.8125 / 1.8125)


def test_a_nugget_without_assignment_and_a_run_without_answer_count_0():
    table = pd.concat([FIVE, FIVE.assign(run="b").head(1), FIVE.assign(query_id="2")])
    with pytest.warns(UserWarning, match="answers") as caught:
        scores = table.ireval.measure("NuggetAll")
    assert [str(one.message) for one in caught] == [
        "1 of 4 answers are missing, e.g. of run 'b' to query '2'. They get the worst possible score.",
        "4 of 15 nuggets of answers have no assignment. They count as not supported.",
    ]
    assert scores["value"].tolist() == [0.6, 0.6, 0.2, 0.0]


def test_nuggets_that_no_answer_contains_come_from_their_own_table():
    known = FIVE[["query_id", "nugget", "importance"]]
    more = pd.concat(
        [known, known.tail(1).assign(nugget="n9"), known.assign(query_id="unanswered")]
    )
    with pytest.warns(UserWarning, match="1 of 6 nuggets of answers have no assignment"):
        both = FIVE.drop(columns="importance").ireval.measure(
            ["NuggetAll", "NuggetVital"], nuggets=more
        )
    assert both["value"].tolist() == [3 / 6, 0.5]
    with pytest.warns(UserWarning, match="no assignment"):
        assert values(FIVE, "NuggetAll", nuggets=more.drop(columns="importance")) == [3 / 6]


def test_a_query_without_vital_nuggets_has_no_value_unless_as_in_the_nuggetizer():
    table = answer(["support"], ["okay"])
    assert len(table.ireval.measure("NuggetVital")) == 0
    assert values(table, "NuggetVital", compat="nuggetizer") == [0.0]
    assert values(table, "NuggetWeighted") == [1.0]


@given(st.data())
def test_random_tables_equal_the_formulas_of_the_nuggetizer(data):
    # nuggetizer.core.metrics.calculate_nugget_scores (0.0.6), and the weighted scores of open_nuggetizer.metrics
    n = data.draw(st.integers(1, 6))
    importances = data.draw(st.lists(st.sampled_from(["vital", "okay"]), min_size=n, max_size=n))
    assignments = {
        run: data.draw(st.lists(st.sampled_from(LABELS), min_size=n, max_size=n)) for run in "ab"
    }
    table = pd.concat([answer(labels, importances, run) for run, labels in assignments.items()])
    shuffled = table.sample(frac=1, random_state=n)
    scores = shuffled.ireval.measure([*NAMES, *STRICT], compat="nuggetizer")
    for run, labels in assignments.items():
        expected = []
        for partial in (0.5, 0.0):
            credit = [{"support": 1.0, "partial_support": partial}.get(one, 0.0) for one in labels]
            vital = [one for one, kind in zip(credit, importances) if kind == "vital"]
            okay = [one for one, kind in zip(credit, importances) if kind == "okay"]
            expected += [
                sum(credit) / n,
                sum(vital) / len(vital) if vital else 0.0,
                (sum(vital) + 0.5 * sum(okay)) / (len(vital) + 0.5 * len(okay)),
            ]
        assert scores.loc[scores["run"] == run, "value"].tolist() == expected


def test_the_scores_have_every_verb_of_scores():
    rng = np.random.default_rng(0)
    table = pd.concat(
        [
            answer(rng.choice(LABELS, 5), FIVE["importance"], run, query, kind=int(query) % 2)
            for run in "abc"
            for query in map(str, range(8))
        ]
    )
    scores = table.ireval.measure()
    assert scores.ireval.order("NuggetAll")["rank"].tolist() == [1, 2, 3]
    assert len(scores.ireval.compare("NuggetVital")) == 3
    assert scores.ireval.leaderboard("NuggetAll", draws=20)["rank"].tolist() == [1, 2, 3]
    assert len(scores.ireval.report().to_frame()) == 3
    by = table.ireval.measure("NuggetAll", by="kind")
    assert by.columns.tolist() == ["kind", "run", "query_id", "measure", "value"]
    assert by["value"].sum() == pytest.approx(scores.query("measure == 'NuggetAll'")["value"].sum())


def test_seeds_of_a_system_are_averaged_within_a_query():
    rng = np.random.default_rng(1)
    table = pd.concat(
        [
            answer(rng.choice(LABELS, 5), FIVE["importance"], run, query, seed=seed)
            for run in "ab"
            for seed in (1, 2)
            for query in map(str, range(6))
        ]
    )
    scores = table.ireval(run=["run", "seed"]).measure("NuggetAll")
    averaged = scores.ireval.summary(replicate="seed")
    expected = scores.groupby("run")["value"].mean()
    assert averaged["mean"].tolist() == pytest.approx(expected.tolist())
    assert len(scores.ireval.compare(replicate="seed")) == 1


def test_a_table_of_open_nuggetizer_is_recognized_by_its_columns():
    table = FIVE.rename(columns={"query_id": "qid", "nugget": "nugget_id"}).assign(nugget="text")
    assert repr(table.ireval) == "table of nuggets: 5 rows; next: .measure()"
    assert table.ireval.measure("NuggetAll").columns.tolist() == ["run", "qid", "measure", "value"]


@pytest.mark.parametrize(
    ("table", "measures", "message"),
    [
        (
            FIVE.replace({"assignment": {"support": "yes"}}),
            "NuggetAll",
            "the assignment column has 2 unknown values, e.g. 'yes'. Use 'support', 'partial_support', "
            "'not_support', or numbers of 0 to 1. With compat='nuggetizer', other labels count 0.",
        ),
        (
            answer([2.0], ["vital"]),
            "NuggetAll",
            "the assignment column has 1 unknown values, e.g. 2.0. Use",
        ),
        (
            pd.concat([FIVE, FIVE.head(2)]),
            "NuggetAll",
            "the table of nuggets has 2 rows that repeat an earlier (run, query, nugget), e.g. ('a', '1', 'n0'). Bind "
            "the columns that distinguish runs, df.ireval(run=[...]), or keep one of each.",
        ),
        (
            FIVE.drop(columns="importance"),
            "NuggetVital",
            "NuggetVital needs the importance of nuggets, but there is no column 'importance'. Add it, pass nuggets=, "
            "or use NuggetAll.",
        ),
        (
            FIVE.replace({"importance": {"okay": None}}),
            "NuggetWeighted",
            "2 of 5 nuggets have no importance, which NuggetWeighted needs. Fill the column, pass nuggets=, or use "
            "NuggetAll.",
        ),
        (
            pd.concat([FIVE, FIVE.assign(run="b", importance="okay")]),
            "NuggetVital",
            "3 nuggets have several importances",
        ),
        (
            FIVE.assign(importance=1.0),
            "NuggetVital",
            "NuggetVital needs the importances 'vital' and 'okay', but they are numbers. Use NuggetWeighted.",
        ),
        (
            FIVE,
            "NuggetF",
            "NuggetF needs the length of answers, but there is no column 'length'. Add it.",
        ),
        (
            FIVE.assign(length=[1, 1, 1, 1, 2]),
            "NuggetF",
            "the answer ('a', '1') has several values in column 'length'. An answer has one length.",
        ),
        (FIVE, "AP", "AP is not a measure of nuggets. Use NuggetAll or NuggetVital or NuggetWeighted or NuggetF."),
        (FIVE.head(0), "NuggetAll", "the table of nuggets is empty."),
    ],
)  # fmt: skip
def test_what_cannot_be_measured_is_answered_by_its_fault(table, measures, message):
    with pytest.raises(ValueError, match=message if ".*" in message else re.escape(message)):
        table.ireval.measure(measures)


def test_nugget_measures_need_a_table_of_nuggets():
    judged = pdeval.datasets.sample_judged(queries="common")
    message = "NuggetAll is a measure of answers, not of one ranking. Use .ireval.measure"
    for verb in (judged.measure, judged.prefer, judged.order, judged.compare):
        with pytest.raises(ValueError, match=message):
            verb("NuggetAll")


def test_tables_of_further_nuggets_are_divided_with_the_groups():
    answers = pdeval.datasets.load_answers()
    more = answers.nuggets[["query_id", "nugget", "importance"]].drop_duplicates()
    plain = answers.nuggets.drop(columns=["importance", "machine"])
    known = plain["assignment"].notna().groupby(plain["query_id"], observed=True).transform("all")
    grouped = plain[known].ireval.measure(nuggets=more, by="type", metadata=answers.queries)
    for kind, part in grouped.groupby("type", observed=True):
        queries = answers.queries.loc[answers.queries["type"] == kind, "query_id"]
        rows = plain[known & plain["query_id"].isin(queries)]
        alone = rows.ireval.measure(nuggets=more)
        assert part["value"].tolist() == alone["value"].tolist()
    few = more[more["query_id"] == plain.loc[known, "query_id"].iloc[0]]
    with pytest.raises(ValueError, match=r"in the group type=.*: nuggets= has no nugget of the"):
        plain[known].ireval.measure("NuggetAll", nuggets=few, by="type", metadata=answers.queries)
