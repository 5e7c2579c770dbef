import warnings

import pandas as pd
import pytest

import pdeval
from pdeval.evaluate import sources
from tests import naive


@pytest.fixture(scope="module")
def tables():
    return pdeval.datasets.sample_runs(), pdeval.datasets.sample_qrels()


@pytest.fixture(scope="module")
def joined(tables):
    return tables[0].ireval.join(tables[1])


def told(function):
    """Return the texts of the warnings that a call gives."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        function()
    return [str(one.message) for one in caught]


MISSING = "2 of 50 judged queries are missing from run 'ql'; they get the worst possible score."
VERBS = {
    "measure": lambda one: one.measure(["AP", "RR"]),
    "prefer": lambda one: one.prefer(["RPP", "AP"], baseline="bm25"),
    "order by win rates": lambda one: one.order("RPP"),
    "order by several measures": lambda one: one.order(["RPP", "AP", "rrLP", "RR"]),
    "compare": lambda one: one.compare(["RPP", "AP", "sgnLP"], baseline="bm25"),
    "summary of preferences": lambda one: one.summary("RPP"),
    "matrix": lambda one: one.matrix("RPP"),
    "curve": lambda one: one.curve(),
    "disaggregate": lambda one: one.disaggregate("RPP", baseline="bm25"),
    "correlate": lambda one: one.correlate(["RPP", "AP", "RR"]),
    "ties.deciding": lambda one: one.ties.deciding_levels(),
    "agree.masked": lambda one: one.agree.masked(),
    "agree.locality": lambda one: one.agree.locality(),
    "search_lengths": lambda one: one.search_lengths(),
}


@pytest.mark.broad
@pytest.mark.parametrize("verb", VERBS)
def test_missing_queries_are_told_once_for_a_join(tables, verb):
    joined = tables[0].ireval.join(tables[1])
    assert told(lambda: VERBS[verb](joined)) == [MISSING]
    assert told(lambda: VERBS[verb](joined)) == []
    assert told(lambda: VERBS[verb](joined.at(level=1))) == []


@pytest.mark.parametrize("queries", ["relevant", "judged", "answered", "common"])
def test_nothing_is_told_where_the_caller_chose_the_queries(tables, queries):
    assert told(lambda: tables[0].ireval.measure(tables[1], "AP", queries=queries)) == []
    assert told(lambda: tables[0].ireval.join(tables[1]).at(queries=queries).measure("AP")) == []


UNASKED = {
    "prefer": lambda one: one.prefer("RPP", pairs=[("bm25", "hybrid")]),
    "disaggregate": lambda one: one.disaggregate("RPP", pairs=[("bm25", "hybrid")]),
    "ties.deciding": lambda one: one.ties.deciding_levels(pairs=[("bm25", "hybrid")]),
    "agree.masked": lambda one: one.agree.masked(pairs=[("bm25", "hybrid")]),
    "search_lengths": lambda one: one.search_lengths(runs=["bm25"]),
    "search_lengths.histogram": lambda one: one.search_lengths.histogram(runs=["bm25", "hybrid"]),
    "search_lengths.wins": lambda one: one.search_lengths.wins("bm25", "hybrid"),
    "search_lengths.differences": lambda one: one.search_lengths.differences("hybrid", "bm25"),
    "search_lengths.rrie": lambda one: one.search_lengths.rrie("bm25", "hybrid"),
}


@pytest.mark.parametrize("verb", UNASKED)
def test_missing_queries_of_runs_that_were_not_asked_for_are_not_told(joined, verb):
    assert told(lambda: UNASKED[verb](joined)) == []


@pytest.mark.broad
def test_missing_queries_of_runs_that_were_asked_for_are_told(tables):
    runs, qrels = tables
    assert told(lambda: runs.ireval.join(qrels).search_lengths.rrie("bm25", "ql")) == [MISSING]
    assert told(lambda: runs.ireval.join(qrels).search_lengths.histogram(runs=["ql"])) == [MISSING]
    assert told(lambda: runs.ireval.join(qrels).prefer("RPP", pairs=[("ql", "bm25")])) == [MISSING]


def test_the_warning_points_at_the_callers_line(tables):
    runs, qrels = tables
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        runs.ireval.order(qrels, ["AP", "RPP"])
        runs.ireval.compare(qrels, ["AP", "RPP"], baseline="bm25")
    assert {one.filename for one in caught} == {__file__}
    assert len(caught) == 2


def test_one_join_serves_many_levels_and_topic_rules(tables, joined):
    runs, qrels = tables
    again = runs.ireval.measure(qrels, "AP", level=2, queries="common")
    pd.testing.assert_frame_equal(joined.at(level=2, queries="common").measure("AP"), again)
    assert joined.level is None


def test_what_at_is_not_given_stays(joined):
    strict = joined.at(level=2, queries="common")
    assert (strict.at(queries="judged").level, strict.at(level=3).query_rule) == (2, "common")
    assert strict.at(level=None).level is None
    assert strict.at().query_rule == "common"


@pytest.mark.parametrize("level", [0, -1, "2", float("nan")])
def test_a_level_that_is_no_grade_is_refused(tables, joined, level):
    with pytest.raises(
        ValueError,
        match=r"level=.*: the smallest relevant grade must be a number above 0",
    ):
        joined.at(level=level)
    with pytest.raises(ValueError, match="level="):
        tables[0].ireval.join(tables[1], level=level)


@pytest.mark.filterwarnings("ignore:.*missing from run")
def test_win_rates_with_and_without_pairs_give_one_order(joined):
    direct = joined.order(["RPP", "sgnLP", "sgnLR"])
    by_pairs = joined.prefer(["RPP", "sgnLP", "sgnLR"]).ireval.order(method="winrate")
    assert direct["run"].tolist() == by_pairs["run"].tolist()
    assert direct["score"].tolist() == pytest.approx(by_pairs["score"].tolist(), abs=1e-12)
    assert direct["rank"].tolist() == by_pairs["rank"].tolist()


def test_runs_that_count_on_different_queries_are_ordered_by_their_pairs(joined):
    apart = joined.at(queries="answered")
    direct, by_pairs = apart.order("RPP"), apart.prefer("RPP").ireval.order(method="winrate")
    assert direct["run"].tolist() == by_pairs["run"].tolist()
    assert direct["score"].tolist() == pytest.approx(by_pairs["score"].tolist(), abs=1e-12)


@pytest.mark.broad
@pytest.mark.filterwarnings("ignore:.*missing from run")
def test_streams_and_tables_give_the_same_results(joined):
    prefer = joined.prefer(["RPP"])
    pd.testing.assert_frame_equal(
        joined.summary("RPP"), prefer.ireval.summary(), check_categorical=False
    )
    pd.testing.assert_frame_equal(joined.matrix("RPP"), prefer.ireval.matrix())
    one, two = (
        joined.compare(["RPP", "AP"]),
        pd.concat([prefer.ireval.compare(), joined.measure("AP").ireval.compare()]),
    )
    assert one["p_value"].tolist() == pytest.approx(two["p_value"].tolist(), abs=1e-12)
    assert one["measure"].astype(str).tolist() == two["measure"].astype(str).tolist()


def test_sources_keep_the_order_of_the_measures(joined):
    common = joined.at(queries="common")
    kinds = [
        (type(one).__name__, one.measures) for one in sources(common, ["AP", "RPP", "sgnLP", "RR"])
    ]
    assert kinds == [("Scores", ("AP",)), ("Pairs", ("RPP", "sgnLP")), ("Scores", ("RR",))]


def test_what_was_joined_is_said(joined):
    assert repr(joined).startswith(
        "runs joined to judgments: 12 runs x 50 queries; next: .measure()"
    )
    single = naive.table({"r": {"q": ["a"]}}).ireval.join(naive.judgments({"q": {"a": 1}}))
    assert repr(single).startswith("runs joined to judgments: 1 run x 1 query;")


def test_a_join_says_how_many_queries_count(joined):
    assert repr(joined.at(queries="common")).startswith(
        "runs joined to judgments: 12 runs x 48 of 50 queries;"
    )
    assert joined.at(queries="common").measure("AP")["query_id"].nunique() == 48
    assert repr(joined.at(queries="answered")).startswith(
        "runs joined to judgments: 12 runs x 50 queries;"
    )
    assert repr(joined.at(queries="common", level=9)).startswith(
        "runs joined to judgments: 12 runs x 48 of 50 queries;"
    )
    assert repr(joined.at(queries="relevant", level=9)).startswith(
        "runs joined to judgments: 12 runs x 0 of 50 queries;"
    )


@pytest.mark.broad
def test_orderings_do_not_depend_on_the_names_of_runs(tables):
    runs, qrels = tables
    names = {name: f"z{i:02d}" for i, name in enumerate(sorted(runs["run"].unique(), reverse=True))}
    renamed = runs.assign(run=runs["run"].astype(object).map(names))
    method = ["winrate", "borda", "copeland", "mc4", "bradley-terry"]
    one = runs.ireval.order(qrels, "RPP", method=method, queries="common")
    two = renamed.ireval.order(qrels, "RPP", method=method, queries="common")
    keyed = [
        {
            (names.get(run, run), how): (rank, round(score, 9))
            for run, how, rank, score in zip(*map(list, columns))
        }
        for columns in ([t["run"], t["method"], t["rank"], t["score"]] for t in (one, two))
    ]
    assert keyed[0] == keyed[1]


@pytest.mark.parametrize("verb", ["check", "pool", "interleave"])
def test_verbs_of_run_tables_are_verbs_of_the_join_which_knows_the_judgments(tables, verb):
    runs, qrels = tables
    joined = runs.ireval.join(qrels, level=2, ties="rank")
    rules = {"check": {"qrels": qrels, "level": 2}, "pool": {"qrels": qrels, "ties": "rank"}}
    told = rules.get(verb, {"ties": "rank"})
    options = {"interleave": {"pairs": [("bm25", "ql")]}}.get(verb, {})
    wanted = getattr(runs.ireval, verb)(**told, **options)
    pd.testing.assert_frame_equal(getattr(joined, verb)(**options), wanted)


def test_at_keeps_the_verbs(joined):
    assert type(joined.at(level=2)) is type(joined)


def test_a_kept_join_does_not_see_later_edits_of_the_frames():
    runs = pd.DataFrame(
        {"run": ["x"] * 3, "query_id": "1", "doc_id": ["a", "b", "c"], "score": [3.0, 2.0, 1.0]}
    )
    qrels = pd.DataFrame({"query_id": ["1"], "doc_id": ["b"], "relevance": [1]})
    judged = runs.ireval.join(qrels)
    runs["score"] = [1.0, 2.0, 3.0]
    runs.loc[0, "query_id"] = "2"
    qrels["doc_id"] = "c"
    assert judged.check()[["answered", "rows"]].iloc[0].tolist() == [1, 3]
    assert judged.pool(depth=1)["doc_id"].tolist() == ["a"]
