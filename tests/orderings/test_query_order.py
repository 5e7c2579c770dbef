"""As pref_eval: queries are added up in the order of the table, and rounding breaks ties."""

import pandas as pd


def test_as_pref_eval_queries_are_added_in_the_order_in_which_the_table_names_them():
    # in floating point .1 + .2 + .3 is more than .3 + .2 + .1, and there rounding breaks ties
    values = {"x": [0.1, 0.2, 0.3], "y": [0.3, 0.2, 0.1]}
    rows = [
        (run, f"q{query}", "AP", value)
        for query in range(3)
        for run, own in values.items()
        for value in [own[query]]
    ]
    frame = pd.DataFrame(rows, columns=["run", "query_id", "measure", "value"])
    for table, first in ((frame, "x"), (frame[::-1], "y")):
        found = table.ireval(higher=True).order("AP", method="mean", compat="pref_eval")
        assert (found["run"].iloc[0], found["rank"].tolist()) == (first, [1, 2])
    assert set(frame.ireval(higher=True).order("AP", method="mean")["rank"]) == {1}
