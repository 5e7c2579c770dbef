"""Sign agreement: literal tables, then a naive count over pairs."""

import numpy as np
import pandas as pd
import pytest

import pdeval
from pdeval.evaluate.cube import Preferences, Scores
from pdeval.evaluate.pairs import select
from pdeval.studies.sign_agreement import agree
from tests.studies.rankings import inf, judged, random_judged

RUNS = pd.DataFrame({"run": ["a", "b", "c"]})
QUERIES = pd.Index(["1", "2"], name="query_id")


def scores(*values, higher=(True, True), queries=QUERIES):
    return Scores(RUNS, queries, ("AP", "RR"), np.array(values), np.array(higher))


def test_two_measures_agree_where_the_signs_of_their_differences_are_equal():
    # pairs ab, ac, bc: query 1 AP + + +, RR + - 0; query 2 AP - 0 +, RR - 0 +
    table = agree(scores([[0.5, 0.3, 0.1], [0.2, 0.4, 0.2]], [[0.5, 0.2, 1.0], [0.1, 0.5, 0.1]]))
    # query 1: ab agrees, ac does not, bc (+, -) does not; query 2: all three agree, one of them as a tie
    assert table[["measure_a", "measure_b", "pairs"]].to_numpy().tolist() == [["AP", "RR", 6]]
    assert table["agreement"].item() == pytest.approx(4 / 6)


def test_a_tie_and_a_preference_disagree_unless_there_is_fuzziness():
    cube = scores([[0.5, 0.3, 0.1], [0.5, 0.3, 0.1]], [[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]])
    assert agree(cube, fuzziness=[0, 0.01])["agreement"].tolist() == [0.0, 1.0]


def test_fuzziness_forgives_opposite_signs_where_one_difference_is_small():
    # only pair ab of query 1 is opposite, by 0.02 and 0.2
    cube = scores([[0.50, 0.48, 0.0], [0.9, 0.5, 0.1]], [[0.2, 0.4, 0.0], [0.9, 0.5, 0.1]])
    table = agree(cube, fuzziness=[0, 0.01, 0.02, 0.03])
    assert table["fuzziness"].tolist() == [0.0, 0.01, 0.02, 0.03]
    assert table["agreement"].round(4).tolist() == [0.8333, 0.8333, 1.0, 1.0]


def test_fuzziness_may_be_a_share_of_the_larger_value():
    # pair ab of query 1 is opposite, by 4% and 50% of the larger value
    cube = scores([[0.50, 0.48, 0.0], [0.9, 0.5, 0.1]], [[0.2, 0.4, 0.0], [0.9, 0.5, 0.1]])
    table = agree(cube, fuzziness=[0, 0.03, 0.04, 0.05], relative=True)
    assert table["agreement"].round(4).tolist() == [0.8333, 0.8333, 1.0, 1.0]
    assert table.attrs["relative"] is True
    assert "relative" not in agree(cube, fuzziness=0.03).attrs


@pytest.mark.broad
def test_relative_fuzziness_is_the_same_for_runs_and_for_their_scores():
    joined = pdeval.datasets.sample_judged(queries="common")
    options = {"fuzziness": [0.01, 0.2], "relative": True, "per": "query"}
    of_runs = joined.agree(["AP", "nDCG@10", "ASL"], **options)
    of_scores = joined.measure(["AP", "nDCG@10", "ASL"]).ireval.agree(**options)
    pd.testing.assert_frame_equal(of_runs, of_scores, check_categorical=False)


def test_preferences_have_no_larger_value_that_fuzziness_could_be_a_share_of():
    joined = pdeval.datasets.sample_judged(queries="common")
    for ask in (
        lambda: joined.agree(["AP", "RPP"], fuzziness=0.1, relative=True),
        lambda: joined.prefer(["RPP", "rrLP"]).ireval.agree(fuzziness=0.1, relative=True),
    ):
        with pytest.raises(
            ValueError,
            match=r"RPP is a preference between two rankings, so relative=True is undefined",
        ):
            ask()


def test_a_row_for_every_query_on_request():
    cube = scores([[0.5, 0.3, 0.1], [0.2, 0.4, 0.2]], [[0.5, 0.2, 1.0], [0.1, 0.5, 0.1]])
    table = agree(cube, per="query")
    assert table.columns.tolist() == [
        "query_id",
        "measure_a",
        "measure_b",
        "fuzziness",
        "pairs",
        "agreement",
        "r",
    ]
    assert table["query_id"].tolist() == ["1", "2"]
    assert table["pairs"].tolist() == [3, 3]
    assert table["agreement"].round(4).tolist() == [0.3333, 1.0]


def test_lower_is_better_measures_are_turned():
    cube = scores([[0.5, 0.3, 0.1]] * 2, [[1.0, 2.0, 3.0]] * 2, higher=(True, False))
    table = agree(cube)
    assert table["agreement"].item() == 1.0
    assert table["r"].item() == pytest.approx(1.0)


def test_differences_that_only_rounding_makes_are_ties():
    # 0.1 + 0.2 and 0.3 differ in the last bit
    cube = scores([[0.1 + 0.2, 0.3, 0.0]] * 2, [[1.0, 1.0, 0.5]] * 2)
    assert agree(cube)["agreement"].item() == 1.0


def test_pairs_that_do_not_count_for_a_measure_are_left_out():
    cube = scores([[0.5, 0.3, np.nan], [0.5, 0.3, 0.1]], [[0.5, 0.3, 0.1], [0.5, 0.3, np.nan]])
    table = agree(cube, per="query")
    assert table["pairs"].tolist() == [1, 1]
    assert agree(cube)["pairs"].item() == 2


def test_r_is_undefined_where_a_measure_never_varies():
    table = agree(scores([[0.3, 0.3, 0.3]] * 2, [[0.5, 0.3, 0.1]] * 2))
    assert np.isnan(table["r"].item())
    assert table["agreement"].item() == 0.0


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("order", [(4, 3, 2, 1, 0), (1, 2, 3, 4, 0), (2, 0, 4, 1, 3)])
@pytest.mark.parametrize("per", ["all", "query"])
def test_r_does_not_depend_on_how_runs_are_named(seed, per, order):  # issue 12, item 3
    found = random_judged(np.random.default_rng(seed), queries=9, runs=5)
    table, qrels = found.tables
    # reversing all names turns every pair around, which Pearson's r survives; moving one run to the front does not
    names = {f"run{i}": f"run{at}" for i, at in enumerate(order)}
    turned = table.frame.assign(run=table.frame["run"].map(names)).ireval.join(qrels.frame)
    for measures in (["RPP", "AP", "sgnLP"], ["RR", "ASL"]):
        one, other = agree(found, measures, per=per), agree(turned, measures, per=per)
        np.testing.assert_allclose(one["r"], other["r"], atol=1e-12)
    scores = [join.measure(["AP", "RR"]).ireval.agree(per=per)["r"] for join in (found, turned)]
    np.testing.assert_allclose(*scores, atol=1e-12)


def test_two_runs_have_a_correlation_on_one_query():  # a pair turned around is the same pair
    table = agree(scores([[0.5, 0.3, np.nan]] * 2, [[0.1, 0.2, np.nan]] * 2))
    assert table["r"].tolist() == pytest.approx([-1.0])


def test_preferences_and_metrics_can_be_mixed_and_match_a_naive_count():
    found = random_judged(np.random.default_rng(3), queries=12, runs=5)
    table = agree(found, ["RPP", "AP", "sgnLP"]).set_index(["measure_a", "measure_b"])
    cube = select(found, ["RPP", "AP", "sgnLP"]).cube()
    for i, j in ((0, 1), (0, 2), (1, 2)):
        x, y = cube.values[i].ravel(), cube.values[j].ravel()
        row = table.loc[(cube.measures[i], cube.measures[j])]
        assert row["pairs"] == len(x)
        assert row["agreement"] == pytest.approx(
            np.mean(np.sign(x.round(12)) == np.sign(y.round(12)))
        )
        assert row["r"] == pytest.approx(x @ y / np.sqrt((x @ x) * (y @ y)))


def test_blocks_of_pairs_do_not_change_the_result():
    found = random_judged(np.random.default_rng(4), queries=6, runs=6)
    whole = agree(select(found, ["RPP", "AP", "RR"]), None, fuzziness=[0, 0.05], per="query")
    parts = agree(
        select(found, ["RPP", "AP", "RR"], memory=1), None, fuzziness=[0, 0.05], per="query"
    )
    pd.testing.assert_frame_equal(whole, parts, rtol=1e-12)


def test_a_table_of_preferences_is_a_source_too():
    cube = Preferences(
        RUNS,
        QUERIES,
        ("AP", "RR"),
        np.array([0]),
        np.array([1]),
        np.array([[[0.5], [0.1]], [[0.2], [-1]]]),
    )
    table = agree(cube)
    assert table["agreement"].tolist() == [0.5]


def test_a_baseline_limits_the_pairs():
    found = judged({"q": {"a": [1], "b": [2], "c": [3]}})
    assert agree(found, ["AP", "RR"], baseline="b")["pairs"].item() == 2
    assert agree(found, ["AP", "RR"], pairs=[("a", "c")])["pairs"].item() == 1


def test_runs_that_did_not_answer_count_only_where_the_topic_rule_says_so():
    found = judged({"q": {"a": [1], "b": [2], "c": None}, "s": {"a": [1], "b": [2], "c": [3]}})
    with pytest.warns(UserWarning, match=r"1 of 2 judged queries are missing from run 'c'"):
        assert agree(found, ["AP", "RR"])["pairs"].item() == 6
    assert agree(found.at(queries="answered"), ["AP", "RR"])["pairs"].item() == 4


@pytest.mark.filterwarnings("ignore:no item of")
@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"fuzziness": -0.1}, "fuzziness=-0.1: expected a number of at least 0."),
        ({"per": "topic"}, "per='topic': choose 'all' or 'query'."),
    ],
)
def test_options_that_make_no_sense_are_named(options, text):
    with pytest.raises(ValueError, match=text):
        judged({"q": {"a": [1], "b": [inf]}}).agree(["AP", "RR"], **options)


def test_one_measure_has_nothing_to_agree_with():
    found = judged({"q": {"a": [1], "b": [2]}})
    with pytest.raises(ValueError, match=r"agreement requires two measures, found only AP."):
        agree(found, "AP")


def test_a_table_of_results_has_its_own_measures_and_says_which_to_use():
    table = scores([[0.5, 0.3, 0.1]] * 2, [[0.5, 0.2, 0.4]] * 2).frame()
    table = pd.concat(
        [table, table[table["measure"] == "AP"].assign(measure="P@10")], ignore_index=True
    )
    assert table.ireval.agree()[["measure_a", "measure_b"]].to_numpy().tolist() == [
        ["AP", "RR"],
        ["AP", "P@10"],
        ["RR", "P@10"],
    ]
    found = table.ireval.agree(["RR", "AP"])
    assert found[["measure_a", "measure_b"]].to_numpy().tolist() == [["RR", "AP"]]
    assert found["agreement"].item() == pytest.approx(2 / 3)
    with pytest.raises(
        KeyError, match=r"no measure 'ASL' in this table; it has 'AP', 'RR', 'P@10'."
    ):
        table.ireval.agree(["ASL", "AP"])


def test_a_table_of_preferences_has_its_own_pairs():
    prefs = judged({"q": {"a": [1], "b": [2], "c": [3]}}).prefer(["AP", "RR"])
    assert prefs.ireval.agree()["pairs"].item() == 3
    with pytest.raises(
        ValueError, match=r"baseline= and pairs= cannot be combined with a table of preferences"
    ):
        prefs.ireval.agree(baseline="a")


def test_direction_is_known_of_measures_under_labels_of_their_own():
    found = random_judged(np.random.default_rng(8), queries=6, runs=4)
    own, known = (
        found.agree(["AP", name])["agreement"]
        for name in (pdeval.parse("ASL", label="my length"), "ASL")
    )
    assert own.tolist() == known.tolist()
    table = found.measure(["AP", pdeval.parse("ASL", label="my length")])
    assert table.ireval.agree()["agreement"].tolist() == known.tolist()


def test_what_holds_no_numbers_is_an_error():
    with pytest.raises(
        TypeError, match=r"expected a join, scores or preferences, found DataFrame."
    ):
        agree(scores([[0.5, 0.3, 0.1]] * 2, [[0.5, 0.3, 0.1]] * 2).frame())
