import pandas as pd
import pytest

from pdeval.tables.recognition import kind_of, pair_stems, run_columns
from pdeval.tables.schemas import SCHEMAS, table

SCORES = pd.DataFrame(
    [(m, s, q, "AP", 0.5) for m in ("x", "y") for s in (1, 2) for q in ("1", "2")],
    columns=["model", "seed", "query_id", "measure", "value"],
)
KEY = ["query_id", "measure"]


def test_what_a_frame_says_of_itself_comes_first_where_its_columns_agree():
    held = SCORES.rename(columns={"model": "run"})
    held.attrs["table"] = "scores"
    assert kind_of(held) == "scores"
    held.attrs["table"] = "preferences"
    assert kind_of(held) == "scores"
    held.attrs["table"] = "no such table"
    assert kind_of(held) == "scores"


def test_the_table_that_the_most_columns_fit_is_meant():
    table(
        "example",
        "run query measure value:float tied_fraction:fraction",
        "example table",
        row="run",
    )
    try:
        assert kind_of(SCORES) == "scores"
        assert kind_of(SCORES.assign(tied_fraction=0.5)) == "example"
    finally:
        del SCHEMAS["example"]


def test_the_fewest_columns_by_which_no_row_repeats_name_the_runs():
    assert run_columns(SCORES, KEY, {}) == ("model", "seed")
    assert run_columns(SCORES.assign(family=SCORES["model"] + "!"), KEY, {}) == ("model", "seed")
    assert run_columns(SCORES[SCORES["seed"] == 1], KEY, {}) == ("model",)


def test_twenty_runs_of_several_columns_are_never_called_one():
    several = SCORES.assign(year=2020, note=None)
    assert run_columns(several, KEY, {}) == ("model", "seed")


def test_what_the_caller_bound_and_what_the_table_says_come_first():
    held = SCORES.assign(run=SCORES["model"] + SCORES["seed"].astype(str))
    assert run_columns(held, KEY, {}) == ("run",)
    assert run_columns(held, KEY, {"run": ["model", "seed"]}) == ("model", "seed")
    held.attrs["run_columns"] = ["model", "seed"]
    assert run_columns(held, KEY, {}) == ("model", "seed")


def test_several_ways_to_tell_runs_apart_are_asked_about():
    held = pd.DataFrame({"a": [1, 1, 2, 2], "b": [1, 2, 1, 2], "c": [1, 2, 2, 1]})
    held = pd.concat([held, held.assign(c=[2, 1, 1, 2])]).assign(
        query_id=["1"] * 4 + ["2"] * 4, measure="AP"
    )
    with pytest.raises(
        ValueError,
        match=r"the columns a, b or a, c could identify the runs.*df\.ireval\(run=\['a', 'b'\]\)",
    ):
        run_columns(held, KEY, {})


def test_a_run_column_that_does_not_suffice_is_asked_about():
    held = SCORES.rename(columns={"model": "run"})
    text = r"the table has duplicate rows \(run, query_id, measure\)\. The columns run, seed distinguish them: use "
    text += r"df\.ireval\(run=\['run', 's"
    with pytest.raises(ValueError, match=text):
        run_columns(held, KEY, {})


def test_the_only_run_needs_no_name():
    assert (
        run_columns(
            SCORES[(SCORES["seed"] == 1) & (SCORES["model"] == "x")][["query_id", "measure"]],
            KEY,
            {},
        )
        == ()
    )


def test_both_sides_of_a_pair_name_its_runs():
    columns = ["model_a", "seed_a", "model_b", "seed_b", "mean_a", "mean_b", "query_id", "measure"]
    held = pd.DataFrame([["x", 1, "x", 2, 0.1, 0.2, "1", "AP"]], columns=columns)
    assert pair_stems(held) == ["model", "seed"]
    assert run_columns(held, KEY, {}, paired=True) == ("model", "seed")
    assert run_columns(held.assign(run_a="x1", run_b="x2"), KEY, {}, paired=True) == ("run",)
