import pandas as pd
import pytest

import pdeval
from pdeval.evaluate import cube, each, only, pairs, sources
from pdeval.tables import reader

SCORES = pd.DataFrame({"run": list("ab"), "query_id": "1", "measure": "AP", "value": [0.5, 0.25]})
PREFERENCES = pd.DataFrame(
    {"query_id": ["1"], "run_a": "a", "run_b": "b", "measure": "RPP", "value": [0.5]}
)
RUNS = pd.DataFrame({"run": list("ab"), "query_id": "1", "doc_id": "d", "score": 1.0})
QRELS = pd.DataFrame({"query_id": ["1"], "doc_id": ["d"], "relevance": [1]})


def test_each_kind_of_table_gives_its_source():
    assert isinstance(sources(reader.read(SCORES, "scores"), None)[0], cube.Scores)
    assert isinstance(sources(reader.read(PREFERENCES, "preferences"), None)[0], cube.Preferences)
    found = sources(RUNS.ireval.join(QRELS), ["AP", "RPP"])
    assert [type(one) for one in found] == [cube.Scores, pairs.Pairs]


def test_what_is_a_source_already_stays_one():
    found = sources(reader.read(SCORES, "scores"), None)
    assert sources(found) == found
    assert sources(found[0]) == found


def test_a_measure_that_the_table_lacks_is_an_error_that_lists_what_it_has():
    with pytest.raises(KeyError, match="no measure 'RR' in this table; it has 'AP'"):
        sources(reader.read(SCORES, "scores"), "RR")


def test_rows_of_some_measures_are_kept_in_the_order_asked():
    table = reader.read(pd.concat([SCORES, SCORES.assign(measure="RR")]), "scores")
    kept = only(table, ["RR", "AP"])
    assert kept.frame["measure"].tolist() == ["RR", "RR", "AP", "AP"]
    assert only(table, "AP").frame["value"].tolist() == [0.5, 0.25]
    assert only(table, [pdeval.parse("AP")]).frame["value"].tolist() == [0.5, 0.25]


def test_one_function_serves_several_sources():
    def count(source, extra):
        return pd.DataFrame({"n": [len(source)], "extra": [extra]})

    assert each(count, [[1], [1, 2]], extra="x").values.tolist() == [[1, "x"], [2, "x"]]


@pytest.mark.parametrize("ask", [
    lambda table: table.delta_sort("RR"), lambda table: table.summary("AP"), lambda table: table.order("AP"),
    lambda table: table.compare("AP"), lambda table: table.quantiles(["AP", "RR"]), lambda table: table.summary(),
])  # fmt: skip
def test_a_row_without_a_measure_is_refused_whichever_measures_are_asked_for(ask):
    table = pdeval.datasets.sample_judged(queries="common").measure(["AP", "RR"])
    table["measure"] = table["measure"].astype(object).mask(table.index == 3, None)
    with pytest.raises(
        ValueError, match="the measure column has 1 missing names; drop or fill those rows"
    ):
        ask(table.ireval)
