import pandas as pd
import pytest

import pdeval
from pdeval.accessor import sources
from pdeval.evaluate import cube, pairs
from pdeval.kinds import tables

SCORES = pd.DataFrame({"run": list("ab"), "query_id": "1", "measure": "AP", "value": [0.5, 0.25]})
PREFERENCES = pd.DataFrame({"query_id": ["1"], "run_a": "a", "run_b": "b", "measure": "RPP", "value": [0.5]})
RUNS = pd.DataFrame({"run": list("ab"), "query_id": "1", "doc_id": "d", "score": 1.0})
QRELS = pd.DataFrame({"query_id": ["1"], "doc_id": ["d"], "relevance": [1]})


def test_each_kind_of_table_gives_its_source():
    assert isinstance(sources.of(SCORES.ireval, None, None, {}, "order")[0], cube.Scores)
    assert isinstance(sources.of(PREFERENCES.ireval, None, None, {}, "order")[0], cube.Preferences)
    found = sources.of(RUNS.ireval, QRELS, ["AP", "RPP"], {}, "order")
    assert [type(one) for one in found] == [cube.Scores, pairs.Pairs]


@pytest.mark.parametrize(
    ("frame", "qrels", "rules", "kind", "text"),
    [
        (
            RUNS,
            None,
            {},
            ValueError,
            r"order\(\) needs a scores or preferences table, or judgments; this looks like a run",
        ),
        (
            QRELS,
            None,
            {},
            ValueError,
            r"order\(\) needs a run, scores or preferences table; this looks like a judgments",
        ),
        (pd.DataFrame({"x": [1]}), None, {}, ValueError, r"needs a run, scores or preferences table; the columns are"),
        (SCORES, QRELS, {}, TypeError, "takes no qrels: its numbers are already computed"),
        (SCORES, None, {"level": 1, "depth": 2}, TypeError, "takes no depth, level: its numbers"),
        (
            RUNS,
            QRELS,
            {"levels": 1},
            TypeError,
            r"order\(\) has no option 'levels'; the rules of a join are level, topics",
        ),
    ],
)
def test_what_a_verb_cannot_work_on_is_an_error_that_says_what_to_call(frame, qrels, rules, kind, text):
    with pytest.raises(kind, match=text):
        sources.of(frame.ireval, qrels, "AP", rules, "order")


def test_rows_of_some_measures_are_kept_in_the_order_asked():
    table = tables.read(pd.concat([SCORES, SCORES.assign(measure="RR")]), "scores")
    kept = sources.only(table, ["RR", "AP"])
    assert kept.frame["measure"].tolist() == ["RR", "RR", "AP", "AP"]
    assert sources.only(table, "AP").frame["value"].tolist() == [0.5, 0.25]
    assert sources.only(table, [pdeval.parse("AP")]).frame["value"].tolist() == [0.5, 0.25]


def test_one_function_serves_several_sources():
    def count(source, extra):
        return pd.DataFrame({"n": [len(source)], "extra": [extra]})

    assert sources.each(count, [[1], [1, 2]], extra="x").values.tolist() == [[1, "x"], [2, "x"]]
