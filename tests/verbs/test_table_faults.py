"""Values of a table that made a call fail."""

import numpy as np
import pandas as pd
import pytest

from pdeval.verbs.arguments import explained

FAULTS = {
    "half of a character": (
        ["\ud800"],
        lambda column: "".join(column).encode(),
        "contains half of a character",
    ),
    "bytes": (
        [b"\xff"],
        lambda column: str(column[0], "utf-8"),
        r"contains bytes, e\.g\. b'\\xff'\. Decode them",
    ),
    "400 digits": (
        [1, 10**400],
        lambda column: list(map(float, column)),
        "contains an integer of more than 300 digits",
    ),
    "an array": (
        ["x", np.array(1)],
        lambda column: {*column},
        r"contains a ndarray, e\.g\. a ndarray\. Convert it to strings",
    ),
    "a text among numbers": (
        [1, "x"],
        lambda column: sorted(column),
        "contains values of several types: int, str. Convert all",
    ),
    "a missing name": (
        ["x", None],
        lambda column: "".join(column),
        "has 1 missing values. Drop or fill them",
    ),
    "an infinite value": (
        [1.0, np.inf],
        lambda column: int(column[1]),
        "has infinite values. Drop those rows",
    ),
}


@pytest.mark.parametrize("case", FAULTS)
def test_the_column_that_made_a_call_fail_is_named(case):
    values, call, text = FAULTS[case]
    number = isinstance(values[0], float)
    table = pd.DataFrame({"sound": "x", "run": pd.Series(values, dtype=None if number else object)})
    with pytest.raises(ValueError, match=f"^column 'run' {text}") as caught, explained([table]):
        call(list(table["run"]))
    assert caught.value.__cause__ is not None


def test_a_label_that_is_no_text_is_named():
    text = r"^the column name 3 is not a string\. Rename the column\.$"
    with pytest.raises(ValueError, match=text), explained(["AP", pd.DataFrame({3: [1]})]):
        {}["3"]


@pytest.mark.parametrize("kind", [TypeError, ValueError, KeyError, OverflowError])
def test_an_error_that_was_raised_with_words_stays_as_it_is(kind):
    with pytest.raises(kind, match="no such run"), explained([pd.DataFrame({"run": [["x"]]})]):
        raise kind("no such run")


def test_an_error_that_no_table_explains_stays_as_it_is():
    with pytest.raises(KeyError), explained([pd.DataFrame({"run": ["x"], "value": 1.0}), None]):
        {}["x"]
