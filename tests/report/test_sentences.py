"""Sentences for a paper: every case in proper English, and what they say is what the marks say."""

import numpy as np
import pandas as pd
import pytest

import pdeval
from pdeval.evaluate.cube import Scores
from pdeval.report import Cell, Column, Report, report
from pdeval.report.sentences import HERE

T = "(paired Student t test, α = 0.05)"


def made(
    beaten, *, means=None, names="abcd", measures=("AP",), baseline=None, shown=None, **options
):
    """The report of systems of whom some are said to beat others: a mapping of measure to pairs, the winner first."""
    n = len(names)
    if not isinstance(beaten, dict):
        beaten = dict.fromkeys(measures, beaten)
    means = means or [0.5 - 0.1 * i for i in range(n)]
    values = np.array([[means, means]] * len(measures))
    cube = Scores(
        pd.DataFrame({"run": list(names)}),
        pd.Index([1, 2], name="query_id"),
        tuple(measures),
        values,
        np.ones(len(measures), dtype=bool),
    )
    rows = []
    for measure in measures:
        for i in range(n):
            for j in range(i + 1, n):
                a, b = names[i], names[j]
                won = (
                    1.0 if (a, b) in beaten[measure] else -1.0 if (b, a) in beaten[measure] else 0.0
                )
                rows.append((a, b, measure, "t", won or 0.1, won != 0))
    pairs = pd.DataFrame(
        rows, columns=["run_a", "run_b", "measure", "test", "difference", "significant"]
    )
    pairs.attrs["alpha"] = 0.05
    return report(cube, comparisons=pairs, baseline=baseline, names=shown, **options)


def test_the_best_system_beats_some():
    found = made([("a", "c"), ("a", "d")]).sentence()
    assert (
        found == f"a is significantly better than 2 of the 3 other systems in AP {T}; "
        "it does not differ significantly from b."
    )


def test_the_best_system_beats_all():
    assert made([("a", "b"), ("a", "c"), ("a", "d")]).sentence() == (
        f"a is significantly better than all 3 other systems in AP {T}."
    )
    assert made([("a", "b"), ("a", "c")], names="abc").sentence() == (
        f"a is significantly better than both other systems in AP {T}."
    )
    assert (
        made([("a", "b")], names="ab").sentence() == f"a is significantly better than b in AP {T}."
    )


def test_the_best_system_beats_none_though_others_differ():
    assert made([("b", "d")]).sentence() == (
        f"a has the best AP, but is not significantly better than any other system {T}."
    )


def test_nothing_is_significant():
    assert made([]).sentence() == f"No difference among the 4 systems is significant in AP {T}."
    assert (
        made([], names="ab").sentence()
        == f"No difference between a and b is significant in AP {T}."
    )


def test_systems_that_print_alike_share_the_best_value():
    found = made([("a", "c"), ("a", "d"), ("b", "d")], means=[0.50001, 0.5, 0.4, 0.3]).sentence()
    assert found == (
        f"a and b share the best AP of 4 systems {T}; a is significantly better than 2 of the 3 other systems; "
        "b is significantly better than 1 of the 3 other systems."
    )


def test_several_measures_with_the_same_outcome_share_a_sentence():
    wins = {"AP": [("a", "d")], "RR": [("a", "d")], "P": []}
    assert made(wins, measures=("AP", "RR", "P")).sentence() == (
        f"a is significantly better than 1 of the 3 other systems in AP and RR {T}; "
        "it does not differ significantly from b and c. "
        "No difference among the 4 systems is significant in P."
    )


def test_many_that_are_not_told_apart_are_counted():
    found = made([("a", "h")], names="abcdefgh", means=[0.9 - 0.1 * i for i in range(8)]).sentence()
    assert found.endswith("it does not differ significantly from the other 6.")


@pytest.mark.broad
def test_a_baseline_is_what_others_differ_from():
    beaten = [("a", "c"), ("b", "c"), ("c", "d")]
    assert made(beaten, baseline="c").sentence() == (
        f"a and b are significantly better than c in AP {T}; d is significantly worse."
    )
    assert made([("a", "c")], baseline="c").sentence() == (
        f"a is significantly better than c in AP {T}; b and d do not differ significantly from it."
    )
    assert made([("c", "d")], baseline="c").sentence() == (
        f"d is significantly worse than c in AP {T}; a and b do not differ significantly from it."
    )
    assert made([], baseline="c").sentence() == (
        f"None of the 3 other systems differs significantly from c in AP {T}."
    )
    assert (
        made([], baseline="b", names="ab").sentence()
        == f"a does not differ significantly from b in AP {T}."
    )


def test_several_baselines_have_a_sentence_each():
    assert made([("a", "c"), ("a", "d")], baseline=["c", "d"]).sentence() == (
        f"a is significantly better than c in AP {T}; b and d do not differ significantly from it. "
        "a is significantly better than d in AP; b and c do not differ significantly from it."
    )


def test_many_systems_that_beat_a_baseline_are_counted():
    names = "abcdefgh"
    found = made(
        [(one, "h") for one in names[:6]],
        names=names,
        baseline="h",
        means=[0.9 - 0.1 * i for i in range(8)],
    )
    assert found.sentence() == (
        f"6 of the 7 other systems are significantly better than h in AP {T}; g does not differ significantly from it."
    )


def test_one_system_and_no_test_are_said(scores):
    assert (
        made([], names="a").sentence()
        == "The table has one system, a; there is nothing to compare it with."
    )
    assert report(scores, marks=None).sentence() == (
        "dense has the best AP and ASL of 3 systems; differences were not tested."
    )
    assert made([], means=[0.5] * 4, marks=None).sentence() == (
        "The 4 systems are equal in AP; differences were not tested."
    )


def test_names_are_those_of_the_table_and_none_can_stand_for_a_measure():
    found = made([("a", "b")], names="ab", shown={"a": "{} of {}", "AP": "MAP"}).sentence()
    assert found == f"{{}} of {{}} is significantly better than b in MAP {T}."
    assert HERE not in found


def test_collections_have_sentences_of_their_own():
    scores = pdeval.datasets.sample_judged(queries="common").measure("AP")
    three = scores[scores["run"].isin(["bm25", "ql", "hybrid"])]
    both = pd.concat(
        [three.assign(collection="x"), three.assign(collection="y")], ignore_index=True
    )
    found = both.ireval.report(by="collection").sentence()
    how = "(paired Student t test, max-t correction of 3 comparisons, α = 0.05)"
    assert found == (
        f"On x, hybrid is significantly better than both other systems in AP {how}. "
        "On y, hybrid is significantly better than both other systems in AP."
    )


def test_a_table_of_something_else_has_no_sentence():
    table = Report((Column("AP", "AP"),), ((Cell(0.5, "0.5"),),))
    with pytest.raises(
        ValueError,
        match=r"sentence\(\) requires a table of systems\. Call it on the report of scores",
    ):
        table.sentence()


@pytest.mark.parametrize("measure", ["AP", "nDCG@10", "RR", "ISL"])
@pytest.mark.parametrize("correction", ["bonferroni", "none"])
def test_the_sentence_counts_the_marks_of_the_table(measure, correction):
    judged = pdeval.datasets.sample_judged(queries="common")
    table = judged.report(measure, correction=correction)
    best = [row for row in table.rows if row[-1].emphasis == "best"]
    beaten = len(best[0][-1].marks)
    if not any(row[-1].marks for row in table.rows):
        assert table.sentence().startswith("No difference")
    elif beaten and len(best) == 1:
        others = len(table.rows) - 1
        said = f"all {others}" if beaten == others else f"{beaten} of the {others}"
        assert table.sentence().startswith(
            f"{best[0][1].text} is significantly better than {said} other systems"
        )
    daggers = judged.report(measure, correction=correction, baseline="bm25")
    better = [row[0].text for row in daggers.rows if row[-1].marks == "†"]
    if len(better) > 4:
        assert daggers.sentence().startswith(
            f"{len(better)} of the {len(daggers.rows) - 1} other systems are sign"
        )
    else:
        assert all(name in daggers.sentence() for name in better)
