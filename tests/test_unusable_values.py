"""What no table and no option can be: errors of Python, numpy and Arrow before, now with what is wrong and what to do.

A case is (what is called, kind of error, text), as in test_bad_input.
"""

import math

import numpy as np
import pandas as pd
import pytest

from tests.test_bad_input import QRELS, RUNS, SCORES, measure, put


def said(frame, **attrs):
    """Return the frame with something else said of it."""
    frame = frame.copy()
    frame.attrs = attrs
    return frame


TABLES = {
    "half of a character in an id": (
        lambda: measure(put(RUNS, "doc_id", 0, "\ud800")), ValueError,
        r"doc column has a lone surrogate, which cannot be encoded",
    ),
    "half of a character in a result": (
        lambda: put(SCORES, "run", 0, "\ud800").ireval.summary(), ValueError,
        r"column 'run' contains half of a character \(a lone surrogate\), e\.g\. '\\ud800'",
    ),
    "lists as ids": (
        lambda: SCORES.assign(run=[["x"]] * 6).ireval.order(), ValueError,
        r"column 'run' contains a list, e\.g\. \['x'\]\. Convert it to strings or numbers, e\.g\. with \.astype\(str\)",
    ),
    "a column without a name": (
        lambda: SCORES.rename(columns={"value": None}).ireval, ValueError,
        r"a column has no name \(None or NaN\)\. Name it: df\.columns = \[\.\.\.\]",
    ),
    "a column without a name in the judgments": (
        lambda: measure(qrels=QRELS.rename(columns={"relevance": None})), ValueError, "a column has no name",
    ),
    "a column named by half of a character": (
        lambda: SCORES.set_axis(pd.Index([*SCORES.columns[:-1], "\ud800"], dtype=object), axis=1).ireval, ValueError,
        r"the column name '\\ud800' contains half of a character",
    ),
    "a grade of 400 digits": (
        lambda: measure(qrels=put(QRELS, "relevance", 0, 10**400)), ValueError,
        "grade column has values that do not fit in 64-bit floats",
    ),
    "an infinite grade": (
        lambda: measure(qrels=QRELS.assign(relevance=math.inf)), ValueError, "grade column has infinite grades",
    ),
    "attributes of somebody else": (
        lambda: said(SCORES, run_columns=5).ireval, ValueError,
        r"df\.attrs\['run_columns'\] is 5, which pdeval did not write. Remove it",
    ),
}  # fmt: skip
OPTIONS = {
    "an array without dimensions": (
        lambda: SCORES.ireval.summary(confidence=np.array(0.9)), ValueError,
        r"confidence= is an array without dimensions. Pass its value: array\.item\(\)",
    ),
    "an array without dimensions in a list": (
        lambda: SCORES.ireval.compare(baseline=[np.array("x")]), KeyError, "no baseline",
    ),
    "400 digits": (
        lambda: SCORES.ireval.quantiles(draws=10**400), ValueError,
        "draws= is an integer of more than 300 digits. Pass a smaller one",
    ),
    "a span of time": (
        lambda: SCORES.ireval.quantiles(draws=np.timedelta64(3, "D")), ValueError, "draws=.*: expected an integer",
    ),
    "half of a character": (
        lambda: SCORES.ireval.summary("\ud800"), ValueError, r"measures='\\ud800' contains half of a character",
    ),
    "several columns for one role": (
        lambda: RUNS.ireval(query=["query_id"]), TypeError, r"query=\['query_id'\]: expected one column name",
    ),
    "no column for a role": (
        lambda: RUNS.ireval(run=[]), TypeError, r"run=\[\]: expected one or several column names",
    ),
    "a direction that is none": (
        lambda: SCORES.ireval(higher=3), TypeError,
        "higher=3: expected True or False, or a mapping of measures to these",
    ),
    "parameters nested too deeply": (
        lambda: measure(measures=f"RBP(p={'-' * 5000}1)"), ValueError, "cannot parse the parameters of 'RBP",
    ),
    "minus five times": (
        lambda: measure(measures="RBP(p=-----1)"), ValueError,
        "cannot parse '-----1' in .*: expected a number or a word",
    ),
    "a list among the keys": (
        lambda: measure(measures="nDCG(gains={[]:1})"), ValueError,
        r"cannot parse '\{\[\]:1\}' in .*: expected a number",
    ),
    "a multiple beyond every list": (
        lambda: measure(measures="Rprec(mult=1e308)"), ValueError,
        r"mult=1e\+308 in .*: expected a number between 0 and 1e\+09",
    ),
    "a level of 400 digits": (
        lambda: measure(measures=f"AP(level={10**400})"), ValueError,
        "level=an int in .*: expected the smallest relevant grade",
    ),
    "half of a character in a measure": (
        lambda: measure(measures="RBP(p='\ud800')"), ValueError, "contains half of a character",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", {**TABLES, **OPTIONS})
def test_28_22_what_cannot_be_meant_is_refused_in_words(case):
    call, kind, text = {**TABLES, **OPTIONS}[case]
    with pytest.raises(kind, match=text):
        call()
