"""Error reduction and the steps from MAP to ASL."""

import numpy as np
import pandas as pd
import pytest

from pdeval.evaluate.cube import Scores
from pdeval.studies.search_length import ablation, rrie
from tests.studies.rankings import inf, judged

RUNS = pd.DataFrame({"run": ["bm25", "neural"]})
MEASURES = ("P@20", "ASL@g1-10", "AP", "ASL")


def scores(*means, measures=MEASURES):
    """Return scores on one query."""
    higher = np.array([not name.startswith("ASL") for name in measures])
    return Scores(
        RUNS, pd.Index(["1"], name="query_id"), measures, np.array(means)[:, None, :], higher
    )


@pytest.mark.parametrize(
    ("means", "printed"),
    [
        ([(0.456, 0.594), (14, 5), (0.401, 0.543), (39, 27)], [25, 69, 24, 32]),
        ([(0.517, 0.706), (51, 6), (0.400, 0.572), (264, 215)], [39, 90, 29, 19]),
    ],
    ids=["documents", "passages"],
)
def test_table_1_follows_from_its_means_by_equations_11_and_12(means, printed):
    table = rrie(scores(*means), "bm25", "neural")
    assert table.columns.tolist() == ["run_a", "run_b", "measure", "mean_a", "mean_b", "rrie"]
    assert (100 * table["rrie"]).round().tolist() == printed


def test_a_loss_is_negative_and_nothing_is_better_than_perfect():
    table = rrie(scores((0.5, 0.25), (1.0, 3.0), measures=("AP", "ASL")), "bm25", "neural")
    assert table["rrie"].iloc[0] == pytest.approx(-0.5)
    assert np.isnan(table["rrie"].iloc[1])


def test_error_reduction_is_computed_from_a_join():
    found = judged({"q": {"a": [1, 5], "b": [1, 2]}, "s": {"a": [4], "b": [2]}})
    table = rrie(found, "a", "b", ["RR", "ASL"])
    assert table["mean_a"].tolist() == [
        pytest.approx((1 + 1 / 4) / 2),
        pytest.approx(((1 + 4) / 2 + 4) / 2),
    ]
    assert table["mean_b"].tolist() == [0.75, 1.5]
    assert table["rrie"].tolist() == pytest.approx([(0.75 - 0.625) / 0.375, (3.25 - 1.5) / 2.25])


def test_measures_without_a_best_value_of_one_are_an_error():
    found = judged({"q": {"a": [1], "b": [2]}})
    with pytest.raises(ValueError, match="DCG has no best value of 1"):
        rrie(found, "a", "b", ["DCG"])
    with pytest.raises(KeyError, match="no run 'x'"):
        rrie(found, "x", "b", ["AP"])


def test_the_chain_goes_from_map_to_one_over_asl_by_hand():
    # a: q ranks 1, 4 (ASL 1, 3); s rank 2 (ASL 2). b: q 2, 3 (2, 2); s 1 (1)
    found = judged({"q": {"a": [1, 4], "b": [2, 3]}, "s": {"a": [2], "b": [1]}})
    table = ablation(found).set_index("step")
    ap = {"a": ((1 + 2 / 4) / 2 + 1 / 2) / 2, "b": ((1 / 2 + 2 / 3) / 2 + 1) / 2}
    atomized = {"a": ((1 + 1 / 3) / 2 + 1 / 2) / 2, "b": (1 / 2 + 1) / 2}
    within = {"a": (1 / 2 + 1 / 2) / 2, "b": (1 / 2 + 1) / 2}
    across = {"a": 1 / ((2 + 2) / 2), "b": 1 / ((2 + 1) / 2)}

    def change(old, new):
        return pytest.approx(np.mean([new[run] / old[run] for run in "ab"]))

    assert table.loc["atomize precision", "delta_value"] == change(ap, atomized)
    assert table.loc["aggregate within query", "delta_value"] == change(atomized, within)
    assert table.loc["aggregate across queries", "delta_value"] == change(within, across)
    assert table.loc["cumulative", "delta_value"] == change(ap, across)


def test_lists_of_relevant_items_only_have_a_reciprocal():
    found = judged({"q": {"a": [1, inf], "b": [2, 3]}, "s": {"a": [1], "b": [1]}}, length=1)
    # a list of length 1 that holds one of two relevant items: the other has length 0, taken as 1
    assert ablation(found).notna()["delta_value"].all()


@pytest.mark.broad
@pytest.mark.filterwarnings("ignore:.*judged queries are missing")
def test_the_steps_change_values_as_much_as_in_table_2(shared_data):
    from pdeval.files import read_qrels, read_runs

    folder = shared_data / "clef-ehealth-2015"
    runs, qrels = read_runs(folder / "runs"), read_qrels(folder / "qrels.binary.txt")
    table = ablation(runs.ireval.join(qrels, validate=False)).set_index("step")
    # mean - sd to mean + sd over 76 tracks, as printed
    for step, low, high in [
        ("atomize precision", 0.3, 0.6),
        ("aggregate within query", 0.03, 0.4),
        ("aggregate across queries", 0.1, 0.9),
        ("cumulative", 0.004, 0.06),
    ]:
        assert low < table.loc[step, "delta_value"] < high


def test_a_scores_table_has_error_reduction_by_its_own_measures():
    found = judged({"q": {"a": [1, 5], "b": [1, 2]}, "s": {"a": [4], "b": [2]}})
    table = found.measure(["RR", "ASL", "AP"]).ireval.search_lengths.rrie("a", "b")
    pd.testing.assert_frame_equal(table, rrie(found, "a", "b", ["RR", "ASL", "AP"]))
    assert found.measure(["RR", "ASL"]).ireval.search_lengths.rrie("a", "b", "ASL")[
        "measure"
    ].tolist() == ["ASL"]


def test_preferences_have_no_error_to_reduce():
    found = judged({"q": {"a": [1], "b": [2]}})
    with pytest.raises(ValueError, match="RPP is a preference, not a measure of one ranking"):
        rrie(found, "a", "b", "RPP")
