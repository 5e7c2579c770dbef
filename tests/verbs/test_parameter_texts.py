"""Shared parameters have one text, which docstrings of verbs and of accessor methods receive in signature order."""

import inspect
import re

import pytest

import pdeval
from pdeval.verbs import VERBS
from pdeval.verbs.parameter_texts import (
    PLOTS,
    RETURNED,
    SHARED,
    completed,
    describes_parameters,
    sections,
)


def test_a_missing_entry_gets_the_shared_text_in_the_order_of_the_signature():
    doc = completed(
        "Return it.\n\nParameters\n----------\nmine : int\n    My own.", ["seed", "mine"]
    )
    assert re.findall(r"(?m)^(\w+) :", doc) == ["seed", "mine"]
    assert SHARED["seed"][1] in doc


def test_an_entry_of_the_docstring_wins():
    doc = completed(
        "Return it.\n\nParameters\n----------\nseed : int\n    Where it starts.", ["seed"]
    )
    assert sections(doc)["Parameters"] == "seed : int\n    Where it starts."


def test_an_entry_that_begins_with_dots_is_added_to_the_shared_text():
    doc = completed(
        "Return it.\n\nParameters\n----------\ndigits : int\n    ... Zeros\n    count.", ["digits"]
    )
    assert sections(doc)["Parameters"] == "digits : int\n    Number of decimals. Zeros count."


def test_parameters_that_share_an_entry_are_listed_once():
    doc = completed("Return it.\n\nParameters\n----------\nx, y : int\n    Both.", ["x", "y"])
    assert sections(doc)["Parameters"] == "x, y : int\n    Both."


def test_plots_and_reports_return_what_all_of_them_do():
    assert sections(completed("Draw.", ["measures"], "Axes")) == {
        "": "Draw.",
        "Parameters": "measures : sequence of str, optional\n    " + PLOTS["measures"][1],
        "Returns": RETURNED["Axes"],
    }
    assert sections(completed("Print.", [], "Report"))["Returns"] == RETURNED["Report"]


def test_a_function_without_docstring_stays_without():
    assert describes_parameters(lambda seed: seed).__doc__ is None


def test_methods_of_both_accessors_and_plots_have_the_shared_texts():
    judged = pdeval.datasets.sample_judged(queries="common")
    for doc in (judged.compare.__doc__, judged.measure("AP").ireval.compare.__doc__):
        assert SHARED["progress"][1] in " ".join(doc.split())
    assert "Position of the legend." in pdeval.plots.summary_bars.__doc__


def _entries():
    for kind, verbs in VERBS.items():
        for name, verb in verbs.items():
            yield pytest.param(verb, id=f"{kind}.{name}")


@pytest.mark.parametrize("verb", list(_entries()))
def test_no_docstring_repeats_a_shared_text(verb):
    source = " ".join(inspect.getsource(verb.function).split())
    texts = [text for _, text in {**SHARED, **PLOTS}.values() if len(text) > 25]
    assert [text for text in texts if text in source] == []
