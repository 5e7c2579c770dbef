"""No option of any verb answers a bad value, and no verb a bad table, with an error that is not pdeval's own."""

import pytest

from pdeval.verbs import VERBS
from tests.walk import (
    FORMS,
    VALUES,
    counted,
    function_steps,
    once,
    outcome_of,
    own_words,
    table_steps,
    verb_steps,
    walk,
)
from tests.walk_tables import tables

pytest.importorskip("matplotlib")
pytestmark = pytest.mark.extras


def faults(outcomes):
    return [one for one in outcomes if one.outcome in ("raw", "slow")]


@pytest.mark.broad
def test_every_kind_of_table_that_has_verbs_is_walked():
    assert set(tables()) == set(VERBS) - {"example"}


@pytest.mark.broad
def test_13_11_no_option_gives_a_raw_error():
    """Every option of every function with every 15th value; all of them in the slow set."""
    assert faults(walk(once(verb_steps()), every=15)) == []


@pytest.mark.large
@pytest.mark.slow
def test_13_11_no_option_of_any_accessor_gives_a_raw_error():
    found = walk(once(verb_steps()))
    assert faults(found) == []
    table = counted(found)
    assert table.loc["all"].sum() == len(found)
    assert (table.loc[list(VALUES)].sum(axis=1) == len(found) // len(VALUES)).all()


@pytest.mark.broad
def test_no_option_of_readers_writers_and_makers_of_tables_gives_a_raw_error():
    """Wrong types, NaN, empty and huge for every parameter of functions, of datasets and of the experiments."""
    steps = [one for one in function_steps() if not one.who.startswith("plots.")]
    assert len(steps) > 130
    assert faults(walk(steps, every=17)) == []


@pytest.mark.large
@pytest.mark.slow
def test_no_option_of_any_function_gives_a_raw_error():
    """413 of 1,725 were raw."""
    assert faults(walk(function_steps())) == []


@pytest.mark.broad
def test_28_22_no_form_of_a_table_gives_a_raw_error():
    """Every table of every verb in every 30th form; all of them in the slow set."""
    assert len(FORMS) >= 70
    assert faults(walk(once(table_steps()), every=30)) == []


@pytest.mark.large
@pytest.mark.slow
def test_28_22_no_form_of_any_table_gives_a_raw_error():
    assert faults(walk(once(table_steps()))) == []


@pytest.mark.broad
def test_the_walk_brings_tables_into_other_forms():
    step = next(one for one in table_steps() if (one.who, one.option) == ("confusions.report", ""))
    forms = ("numbers: Arrow", "columns: one named None", "rows: none")
    assert [outcome_of(step, form).outcome for form in forms] == ["answered", "refused", "refused"]
    assert "a column has no name" in outcome_of(step, forms[1]).said


def test_an_error_of_numpy_is_not_our_own():
    with pytest.raises(ValueError) as caught:
        int("x")
    assert not own_words(caught.value, "draws")


@pytest.mark.broad
def test_the_walk_sees_what_was_refused_and_what_answered():
    step = next(
        one for one in verb_steps() if (one.who, one.option) == ("scores.summary", "confidence")
    )
    assert [outcome_of(step, value).outcome for value in ("half", "text", "NaN")] == [
        "answered",
        "refused",
        "refused",
    ]
    assert "expected a fraction" in outcome_of(step, "beyond one").said
