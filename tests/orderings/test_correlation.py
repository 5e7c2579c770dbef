"""Correlation tables: matched by run id, between measures and methods, or between all and part of the data."""

import numpy as np
import pandas as pd
import pytest

import pdeval
from pdeval.evaluate import cube
from pdeval.orderings.coefficients import COEFFICIENTS, coefficient, rbo
from pdeval.orderings.correlation import correlate as correlate_held
from pdeval.orderings.correlation import correlate_against
from pdeval.orderings.order import order
from pdeval.tables.reader import read


def correlate(source, **options):
    """Correlate a frame of orders, all its measures, or a cube."""
    held = read(source, "orders") if isinstance(source, pd.DataFrame) else source
    return correlate_held(held, None, **options)


def correlate_with(frame, others, **options):
    return correlate_against(read(frame, "orders"), others, **options)


def orders(ranks, *, measure="AP", method="mean", scores=None):
    rank = list(ranks.values())
    score = [-r for r in rank] if scores is None else scores
    return pd.DataFrame(
        {"run": list(ranks), "measure": measure, "method": method, "score": score, "rank": rank}
    )


AP = orders({"a": 1, "b": 2, "c": 3, "d": 4})
RR = orders({"d": 4, "c": 3, "a": 2, "b": 1}, measure="RR")
ASL = orders({"b": 2, "a": 1, "d": 3, "c": 4}, measure="ASL", scores=[12.0, 10.0, 19.0, 20.0])


def test_results_say_which_table_they_are():
    assert AP.ireval.correlate.against(AP).attrs["table"] == "correlations_by_measure"
    assert pd.concat([AP, RR]).ireval.correlate().attrs["table"] == "correlations"


def test_runs_are_matched_by_id_not_by_row():
    table = correlate(pd.concat([AP, RR]), coefficients=["tau_b", "tau_ap"])
    assert list(table.columns) == ["measure_a", "measure_b", "coefficient", "runs", "value"]
    assert table["value"].tolist() == pytest.approx([2 / 3, 2 / 3 * 2 - 1])
    assert table["runs"].tolist() == [4, 4]


def test_each_two_measures_come_once_whatever_the_order_of_the_rows():
    frame = pd.concat([RR, ASL, AP], ignore_index=True)
    table = correlate(frame)
    assert list(zip(table["measure_a"], table["measure_b"])) == [
        ("AP", "ASL"),
        ("AP", "RR"),
        ("ASL", "RR"),
    ]
    pd.testing.assert_frame_equal(table, correlate(frame.sample(frac=1, random_state=3)))


def test_categories_set_the_order_of_measures():
    frame = pd.concat([AP, RR, ASL])
    frame["measure"] = pd.Categorical(frame["measure"], ["RR", "ASL", "AP"])
    assert correlate(frame, matrix=True).index.tolist() == ["RR", "ASL", "AP"]


def test_pearson_turns_the_scores_of_a_measure_where_less_is_better():
    frame = pd.concat([AP.assign(score=[0.4, 0.3, 0.2, 0.1]), ASL])
    value = correlate(frame, coefficients="pearson")["value"].item()
    assert value == pytest.approx(
        -np.corrcoef([0.4, 0.3, 0.2, 0.1], [10.0, 12.0, 20.0, 19.0])[0, 1]
    )
    assert value > 0


def test_several_methods_are_told_apart():
    frame = pd.concat([AP, AP.assign(method="mc4", rank=[2, 1, 3, 4]), RR])
    table = correlate(frame)
    assert list(table.columns) == [
        "measure_a",
        "measure_b",
        "method_a",
        "method_b",
        "coefficient",
        "runs",
        "value",
    ]
    assert table[["measure_a", "method_a", "measure_b", "method_b"]].values.tolist() == [
        ["AP", "mc4", "AP", "mean"],
        ["AP", "mc4", "RR", "mean"],
        ["AP", "mean", "RR", "mean"],
    ]
    square = correlate(frame, matrix=True)
    assert square.index.tolist() == [("AP", "mc4"), ("AP", "mean"), ("RR", "mean")]
    assert square.index.names == square.columns.names == ["measure", "method"]
    assert isinstance(square.index, pd.MultiIndex)


def test_a_table_of_orders_can_be_cut_to_a_method():
    frame = pd.concat([AP, RR, AP.assign(method="mc4"), RR.assign(method="mc4")])
    pd.testing.assert_frame_equal(correlate(frame, method="mean"), correlate(pd.concat([AP, RR])))


def test_the_matrix_is_square_and_symmetric_with_ones():
    square = correlate(pd.concat([AP, RR, ASL]), matrix=True)
    assert square.index.tolist() == square.columns.tolist() == ["AP", "ASL", "RR"]
    assert (square.index.name, square.columns.name) == ("measure", "measure")
    assert np.diag(square).tolist() == pytest.approx([1, 1, 1])
    np.testing.assert_array_equal(square, square.T)
    assert square.loc["AP", "RR"] == pytest.approx(2 / 3)


def test_the_rows_of_the_matrix_are_the_reference_of_tau_ap():
    swapped_twice = orders({"a": 2, "b": 3, "c": 1, "d": 4}, measure="RR")
    square = correlate(pd.concat([AP, swapped_twice]), coefficients="tau_ap", matrix=True)
    # c a b d against a b c d: 0 of 1, 1 of 2, 3 of 3; a b c d against c a b d: 1 of 1, 0 of 2, 3 of 3
    assert square.loc["AP", "RR"] == pytest.approx(2 / 3 * (0 + 1 / 2 + 1) - 1)
    assert square.loc["RR", "AP"] == pytest.approx(2 / 3 * (1 + 0 + 1) - 1)


@pytest.mark.broad
def test_scores_are_ordered_first():
    values = np.random.default_rng(0).random((2, 10, 5))
    runs, queries = pd.DataFrame({"run": list("vwxyz")}), pd.Index(range(10), name="query_id")
    table = cube.Scores(runs, queries, ("RR", "AP"), values, np.array([True, False]))
    for method in ("mean", ["mean", "borda"], None):
        by_hand = order(table, method=method)
        by_hand = by_hand.assign(measure=pd.Categorical(by_hand["measure"], ["RR", "AP"]))
        by_hand["method"] = pd.Categorical(by_hand["method"], ["mean", "borda"])
        pd.testing.assert_frame_equal(correlate(table, method=method), correlate(by_hand))
    assert correlate(table)["measure_a"].tolist() == ["RR"]


def test_runs_named_by_several_columns_are_matched_by_all():
    frame = pd.concat([AP, RR]).assign(
        model="m", seed=lambda f: f["run"].map({"a": 1, "b": 2, "c": 3, "d": 4})
    )
    frame = frame.drop(columns="run")
    assert correlate(frame)["value"].item() == pytest.approx(2 / 3)


def test_more_columns_do_not_matter_once_the_run_is_named():
    frame = pd.concat([AP, RR]).assign(row=range(8))
    assert frame.ireval(run="run").correlate()["value"].item() == pytest.approx(2 / 3)


def test_all_and_part_of_the_data_are_compared_measure_by_measure():
    part = pd.concat([RR.assign(rank=[1, 2, 3, 4]), AP.iloc[::-1], ASL])
    table = correlate_with(pd.concat([AP, RR]), part, coefficients=["tau_b", "spearman"])
    assert list(table.columns) == ["measure", "coefficient", "runs", "value"]
    assert table["measure"].tolist() == ["AP", "AP", "RR", "RR"]
    assert table["value"].tolist() == pytest.approx([1, 1, -1, -1])


def test_the_first_table_is_the_reference_of_tau_ap():
    swapped_twice = orders({"a": 2, "b": 3, "c": 1, "d": 4})
    assert correlate_with(AP, swapped_twice, coefficients="tau_ap")[
        "value"
    ].item() == pytest.approx(0)


def test_unequal_runs_are_an_error_that_names_them():
    with pytest.raises(
        ValueError,
        match=r"have different runs: 1 are in one of them only, e.g. 'd'. .*runs='common'",
    ):
        correlate(pd.concat([AP, RR.iloc[1:]]))
    with pytest.raises(ValueError, match=r"2 are in one of them only, e.g. 'd', 'e'"):
        correlate_with(AP, orders({"a": 1, "b": 2, "c": 3, "e": 4}))


def test_common_runs_are_compared_and_counted_where_asked():
    table = correlate(pd.concat([AP, RR.iloc[1:]]), runs="common")
    assert (table["runs"].item(), table["value"].item()) == (3, pytest.approx(1 / 3))
    table = correlate_with(AP, orders({"b": 1, "a": 2, "e": 3, "d": 4}), runs="common")
    assert (table["runs"].item(), table["value"].item()) == (3, pytest.approx(1 / 3))


def test_ids_of_other_types_never_match_silently():
    with pytest.raises(
        ValueError, match=r"4 are in one of them only, e.g. 1, 2, '1'\. Order the same runs"
    ):
        correlate_with(orders({1: 1, 2: 2}), orders({"1": 1, "2": 2}))


def test_fewer_than_two_common_runs_are_an_error():
    with pytest.raises(ValueError, match="have 1 common runs; a correlation needs two"):
        correlate_with(AP, orders({"a": 1, "x": 2}), runs="common")


def test_two_common_runs_are_enough():
    found = correlate_with(AP, orders({"b": 1, "a": 2, "x": 3}), runs="common")
    assert (found["runs"].tolist(), found["value"].tolist()) == ([2], [-1.0])


def test_a_run_twice_in_an_ordering_is_an_error_that_names_it():
    with pytest.raises(
        ValueError,
        match=r"run 'b' occurs more than once in the ordering \('AP', 'mean'\).*df.ireval\(run=",
    ):
        pd.concat([AP, RR, AP.iloc[[1]]]).ireval(run="run").correlate()


def test_one_ordering_is_nothing_to_correlate():
    with pytest.raises(
        ValueError, match=r"a correlation needs two orderings, found \('AP', 'mean'\)"
    ):
        correlate(AP)


def test_tables_without_a_measure_in_common_are_an_error():
    with pytest.raises(
        ValueError,
        match=r"no common \(measure, method\): \('AP', 'mean'\) in one, \('RR', 'mean'\) in the other",
    ):
        correlate_with(AP, RR)


def test_a_table_that_is_not_of_orders_is_an_error():
    with pytest.raises(
        ValueError, match=r"expected a table of orders \(run, measure, method, score, rank\)"
    ):
        correlate(AP.drop(columns=["method", "rank"]))
    with pytest.raises(
        ValueError,
        match="this table of orders has no run column; it needs one in addition to measure and method",
    ):
        correlate(AP.drop(columns="run"))


def test_the_matrix_shows_one_coefficient():
    with pytest.raises(ValueError, match="returns one coefficient, got 2: tau_a, rbo"):
        correlate(pd.concat([AP, RR]), coefficients=["tau_a", "rbo"], matrix=True)


@pytest.mark.parametrize(
    ("option", "error", "message"),
    [
        ({"coefficients": "goodman"}, KeyError, "no coefficient 'goodman'"),
        ({"coefficients": "tau-B"}, KeyError, "Did you mean 'tau_b'"),
        ({"coefficients": []}, ValueError, r"^coefficients=\[\] is empty"),
    ],
)
def test_unknown_options_are_errors(option, error, message):
    with pytest.raises(error, match=message):
        correlate(pd.concat([AP, RR]), **option)
    with pytest.raises(ValueError, match="runs='all': choose 'same' or 'common'"):
        pd.concat([AP, RR]).ireval.correlate(runs="all")


@pytest.mark.parametrize("asked", ["tau_b", ["AP", "kendall"]])
def test_a_coefficient_in_the_place_of_a_measure_is_told_where_it_goes(asked):
    with pytest.raises(
        ValueError,
        match=r"is a coefficient, not a measure. Use correlate.against\(coefficients='tau_b'\)",
    ):
        AP.ireval.correlate.against(AP, measures=asked)
    with pytest.raises(KeyError, match="no such"):
        AP.ireval.correlate.against(AP, measures="no such")


def test_of_no_orderings_there_is_no_correlation():
    orders = pdeval.datasets.sample_judged(queries="common").order(["AP", "RR"])
    with pytest.raises(
        ValueError, match=r"a correlation needs two orderings, found none\. Order by several"
    ):
        orders.head(0).ireval.correlate()
    with pytest.raises(
        ValueError, match=r"the tables have no common \(measure, method\): .* none in the other"
    ):
        orders.ireval.correlate.against(orders.head(0))


def test_the_matrix_takes_the_options_of_the_table():
    frame = pd.concat([AP, RR, ASL])
    for p in (0.3, 0.9):
        tidy = correlate(frame, coefficients="rbo", p=p).set_index(["measure_a", "measure_b"])[
            "value"
        ]
        square = correlate(frame, coefficients="rbo", p=p, matrix=True)
        for (a, b), value in tidy.items():
            assert square.loc[a, b] == value
    assert square.attrs["coefficient"] == "rbo"
    with pytest.raises(
        ValueError, match=r"have different runs: 1 are in one of them only, e\.g\. 'd'"
    ):
        correlate(pd.concat([AP, RR.iloc[1:]]), matrix=True)
    assert correlate(pd.concat([AP, RR.iloc[1:]]), matrix=True, runs="common").loc[
        "AP", "RR"
    ] == pytest.approx(1 / 3)


def test_a_table_carries_what_the_orders_carry():
    frame = pd.concat([AP, RR])
    frame.attrs["note"] = "mine"
    assert correlate(frame).attrs["note"] == correlate(frame, matrix=True).attrs["note"] == "mine"
    assert correlate_with(frame, frame).attrs["note"] == "mine"
    assert correlate(frame)["runs"].dtype == np.int64


def test_some_measures_of_two_tables_are_compared_with_the_options_asked_for():
    part = pd.concat([RR.assign(rank=[1, 2, 3, 4]), AP.assign(rank=[2, 1, 4, 3])])
    whole = pd.concat([AP, RR, ASL])
    some = correlate_with(whole, part, measures="RR", coefficients=["rbo", "tau_b"], p=0.4)
    assert some[["measure", "coefficient"]].values.tolist() == [["RR", "rbo"], ["RR", "tau_b"]]
    mine, theirs = (
        RR.set_index("run")["rank"],
        RR.assign(rank=[1, 2, 3, 4]).set_index("run")["rank"],
    )
    assert some["value"].tolist() == [rbo(-mine, -theirs[mine.index], p=0.4), -1.0]
    with pytest.raises(ValueError, match="p=0: expected a fraction between 0 and 1"):
        whole.ireval.correlate.against(part, p=0)
    with pytest.raises(ValueError, match="runs='all': choose 'same' or 'common'"):
        whole.ireval.correlate.against(part, runs="all")


def test_several_methods_of_two_tables_are_told_apart():
    both = pd.concat([AP, AP.assign(method="mc4", rank=[4, 3, 2, 1]), RR])
    found = correlate_with(both, both.iloc[::-1].assign(rank=lambda f: f["rank"]))
    assert list(found.columns) == ["measure", "method", "coefficient", "runs", "value"]
    assert found[["measure", "method"]].values.tolist() == [
        ["AP", "mc4"],
        ["AP", "mean"],
        ["RR", "mean"],
    ]
    assert found["value"].tolist() == pytest.approx([1.0, 1.0, 1.0])
    alone = correlate_with(both, AP.assign(method="mc4"))
    assert alone[["measure", "method"]].values.tolist() == [["AP", "mc4"]]
    assert alone["value"].tolist() == pytest.approx([-1.0])


def test_a_table_of_orders_is_cut_to_measures_and_methods_in_any_spelling():
    frame = pd.concat(
        [one.assign(method=method) for one in (AP, RR, ASL) for method in ("mean", "mc4", "borda")]
    )
    held = read(frame, "orders")
    found = correlate_held(held, ["AP", "RR"], method="MC4")
    assert found[["measure_a", "measure_b"]].values.tolist() == [["AP", "RR"]]
    assert list(found.columns) == ["measure_a", "measure_b", "coefficient", "runs", "value"]
    paper = correlate_held(held, "AP", method="paper")
    assert paper[["method_a", "method_b"]].values.tolist() == [["mc4", "mean"]]
    two = correlate_held(held, "AP", method=["borda", "mean"])
    assert two[["method_a", "method_b"]].values.tolist() == [["borda", "mean"]]


def test_a_coefficient_in_the_place_of_a_measure_of_a_table_is_told_where_it_goes():
    held = read(pd.concat([AP, RR]), "orders")
    for asked in ("kendall", ["AP", "rbo"], ("rbo",)):
        with pytest.raises(
            ValueError, match=r"is a coefficient, not a measure. Use correlate\(coefficients="
        ):
            correlate_held(held, asked)
    with pytest.raises(KeyError, match="no such"):
        correlate_held(held, "no such")


def test_measures_stand_as_the_table_knows_them_and_the_rest_sorted():
    frame = pd.concat([AP, RR, ASL, AP.assign(measure="P@5"), AP.assign(measure="DCG")])
    frame.attrs["measures"] = {"RR": {}, "nDCG": {}, "ASL": {}}
    assert correlate(frame, matrix=True).index.tolist() == ["RR", "ASL", "AP", "DCG", "P@5"]


def test_scores_are_turned_by_the_best_and_the_worst_run_of_an_ordering_also_where_others_are_left_out():
    less = orders({"a": 1, "b": 2, "c": 3, "e": 4}, measure="ASL", scores=[5.0, 7.0, 6.0, 9.0])
    more = AP.assign(score=[0.9, 0.5, 0.6, 0.1])
    value = correlate(pd.concat([more, less]), coefficients="pearson", runs="common")[
        "value"
    ].item()
    assert value == pytest.approx(np.corrcoef([0.9, 0.5, 0.6], [-5.0, -7.0, -6.0])[0, 1])
    assert value > 0.9
    flat = orders({"a": 1, "b": 1, "c": 1, "d": 1}, measure="RR", scores=[0.5, 0.5, 0.5, 0.5])
    assert np.isnan(correlate(pd.concat([more, flat]), coefficients="pearson")["value"].item())


@pytest.mark.parametrize("p", [1e-9, 1 - 1e-9])
def test_a_persistence_is_between_0_and_1(p):
    assert len(correlate(pd.concat([AP, RR]), p=p)) == 1
    for wrong in (0, 1, -0.5, 1.5):
        with pytest.raises(ValueError, match=f"p={wrong}: expected a fraction between 0 and 1"):
            pd.concat([AP, RR]).ireval.correlate(p=wrong)


def test_numbers_that_may_be_missing_are_read_as_floats():
    frame = pd.concat([AP, RR]).astype({"score": "Float64", "rank": "Int64"})
    assert correlate(frame)["value"].tolist() == pytest.approx([2 / 3])
    frame.iloc[0, frame.columns.get_loc("score")] = pd.NA
    assert np.isnan(correlate(frame, coefficients="pearson")["value"].item())
    frame.iloc[0, frame.columns.get_loc("rank")] = pd.NA  # not a run of this ordering
    assert correlate(frame, runs="common")["runs"].tolist() == [3]


def test_orderings_that_tie_all_runs_are_not_turned_and_the_first_is_the_reference_of_scores_too():
    tied = orders({"a": 1, "b": 1, "c": 1, "d": 1}, measure="RR", scores=[4.0, 3.0, 2.0, 2.5])
    frame = pd.concat([AP.assign(score=[0.9, 0.5, 0.3, 0.1]), tied])
    value = correlate(frame, coefficients="pearson")["value"].item()
    assert value == pytest.approx(np.corrcoef([0.9, 0.5, 0.3, 0.1], [4.0, 3.0, 2.0, 2.5])[0, 1])
    coefficient(lambda x, y: float(x[0] - 100 * y[0]), name="of_the_first", looks_at="scores")
    try:
        assert correlate(frame, coefficients="of_the_first")["value"].item() == pytest.approx(
            0.9 - 400.0
        )
    finally:
        del COEFFICIENTS["of_the_first"]
