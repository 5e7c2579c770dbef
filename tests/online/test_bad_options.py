"""Issue 13, items 6 and 11: bad values of every option of the room are refused in our own words, never answered."""

import inspect
import traceback

import numpy as np
import pandas as pd
import pytest

import pdeval
from pdeval.verbs import VERBS

NAN = float("nan")
COUNT = [-1, 0, 0.5, NAN, "x", True, [1]]
SHARE = [-1, 0, 1, 1.5, 2, NAN, "x", True, None, [0.1]]
POSITIVE = [-1, NAN, np.inf, "x", None, True, [1]]
SEED = [-1, 0.5, NAN, "x", True, [1]]
NAMES = [3, "x", [], [[1]], [3], NAN]
CHOICE = ["x", 3, [1], NAN]
BAD = {
    "alpha": SHARE,
    "confidence": SHARE,
    "seed": SEED,
    "depth": COUNT,
    "draws": COUNT,
    "sessions": [*COUNT, None],
    "users": COUNT,
    "max_queries": [*COUNT, None],
    "reformulate": [-0.1, 1.1, *POSITIVE],
    "tau": POSITIVE,
    "seconds_per_result": POSITIVE,
    "seconds_per_click": POSITIVE,
    "start": ["x", "", 3, NAN, None, "2024-13-01", [1]],
    "level": [-1, 0, NAN, "x", [1]],
    "measures": NAMES,
    "order": [3, "x", [], [[1], [2]], ["bm25"], ["bm25", "x"], NAN],
    "pairs": [3, "ab", [], [3], ["ab"], [("bm25",)], [("bm25", "x")], [("bm25", "hybrid", "ql")]],
    "aggregate": [*CHOICE, {"clicks_per_query": "x"}, {"x": "mean"}, {3: "mean"}],
    "unit": CHOICE,
    "interval": [*CHOICE, None],
    "pre": [3, "x", []],
    "covariate": [3, "x", NAN],
    "share": SHARE,
    "sequential": [-1, 0, 1, 0.5, NAN, "x", True, [1]],
    "test": [*CHOICE, None],
    "correction": CHOICE,
    "method": [*CHOICE, None],
    "shared": [*CHOICE, None],
    "candidates": [*COUNT, None],
    "per": [*CHOICE, None],
    "alternative": [*CHOICE, None],
    "ties": CHOICE,
    "compat": [*CHOICE, None],
    "model": [*CHOICE, None],
    "qrels": [3, "x", None],
    "lists": [3, "x", None],
    "runs": [3, "x", []],
    "shares": [
        3,
        "x",
        {"bm25": 1},
        {"bm25": 0, "hybrid": 1},
        {"bm25": NAN, "hybrid": 1},
        {"bm25": "x", "hybrid": 1},
    ],
}
# tables that may be left out, and numbers or choices that may be None
BAD |= {
    "policies": [3, None, "x", [], [3]],
    "estimators": NAMES,
    "rewards": [3, "x", pd.DataFrame({"x": [1]})],
    "logging": [3, "x", pd.DataFrame({"x": [1]})],
    "clip": [0, *POSITIVE],
    "winsorize": [value for value in SHARE if value is not None],
    "lift": [-1, 0, NAN, "x", True, [1]],
    "difference": [-1, 0, NAN, "x", True, [1]],
    "power": SHARE,
    "gap": [0, *POSITIVE],
}
LENIENT = {"graded", "progress"}  # flags: anything is true or false
ZERO_IS_FINE = {
    (kind, name, "draws")
    for kind in ("clicks", "users")
    for name in ("behavior", "compare_buckets")
}
OURS = {
    (kind, name): verb
    for kind, verbs in VERBS.items()
    for name, verb in verbs.items()
    if verb.function.__module__.startswith("pdeval.online.")
}
CASES = [
    (*which, option, value)
    for which, verb in sorted(OURS.items())
    for option in (one.name for one in verb.parameters)
    for value in BAD.get(option, [])
    if not ((*which, option) in ZERO_IS_FINE and value == 0 and value is not False)
]


@pytest.fixture(scope="module")
def tables():
    runs, qrels, _ = pdeval.datasets.load_sample()
    runs = runs[runs["run"].isin(["bm25", "hybrid"])]
    lists, many = runs.ireval.interleave(), runs.ireval.interleave.many()
    clicks = lists.ireval.simulate_clicks(qrels)
    log = runs.ireval.simulate_clicks(qrels)
    keys = pd.DataFrame({"query_id": ["a", "a"], "action": ["x", "y"]})
    return {
        "users": log.ireval.per_user(),
        "feedback": keys.assign(reward=1.0, propensity=0.5),
        "policies": keys.assign(probability=0.5),
        "runs": runs,
        "qrels": qrels,
        "lists": lists,
        "multileaved_lists": many,
        "clicks": log,
        "credits": clicks.ireval.credit(lists),
    }


def asked(tables, kind, name, **given):
    """The answer of a verb, its needed arguments filled in."""
    call = getattr(tables[kind].ireval, name.partition(".")[0])
    call = getattr(call, name.partition(".")[2]) if "." in name else call
    needed = {name: tables[name] for name in ("qrels", "lists", "policies")}
    needed["order"] = ["bm25", "hybrid"]
    verb = OURS[kind, name]
    own = {one.name for one in verb.parameters if one.default is inspect.Parameter.empty}
    return call(**{**{option: needed[option] for option in own}, **given})


def test_every_option_of_the_room_is_tried():
    options = {one.name for verb in OURS.values() for one in verb.parameters}
    assert options - LENIENT == set(BAD)


@pytest.mark.broad
@pytest.mark.parametrize(
    ("kind", "name", "option", "value"), CASES, ids=lambda value: str(value)[:40]
)
def test_bad_values_are_refused_in_our_own_words(tables, kind, name, option, value):
    with pytest.raises((ValueError, TypeError, KeyError)) as caught:
        asked(tables, kind, name, **{option: value})
    raised = traceback.extract_tb(caught.value.__traceback__)[-1].filename.replace("\\", "/")
    assert "/pdeval/" in raised, f"raised by {raised}: {caught.value}"
    assert "raise" in traceback.extract_tb(caught.value.__traceback__)[-1].line, caught.value


@pytest.mark.broad
def test_the_simulation_shows_ids_of_both_sides_where_none_is_shared(tables):
    runs, qrels = tables["runs"], tables["qrels"]
    for column, text in (("query_id", "no query of the lists"), ("doc_id", "no item of the lists")):
        others = qrels.assign(**{column: "x-" + qrels[column].astype(str)})
        ids = [repr(table[column].unique().tolist()[0]) for table in (runs, others)]
        for shown in (runs, tables["lists"], tables["multileaved_lists"]):
            with pytest.raises(
                ValueError, match=f"{text} is in the judgments, .*{column} has '.*', .*'x-"
            ):
                shown.ireval.simulate_clicks(others)
        with pytest.raises(ValueError, match=f"{ids[0]}.*{ids[1]}"):
            runs.ireval.simulate_clicks(others)


@pytest.mark.broad
def test_the_simulation_refuses_grades_that_are_missing(tables):
    qrels = tables["qrels"]
    some = qrels.assign(relevance=qrels["relevance"].astype(float).where(np.arange(len(qrels)) > 5))
    for wrong in (
        qrels.assign(relevance=np.nan),
        some,
        some.assign(relevance=some["relevance"].astype("Int64")),
    ):
        with pytest.raises(ValueError, match=r"grade column has .* missing values"):
            tables["runs"].ireval.simulate_clicks(wrong)


@pytest.mark.broad
def test_lists_of_items_that_nobody_judged_warn(tables):
    """Ids are shared, but no shown item is judged for its query: nobody finds anything."""
    runs = pd.DataFrame({"run": "r", "query_id": ["1", "2"], "doc_id": ["a", "b"], "rank": 1})
    qrels = pd.DataFrame({"query_id": ["1", "2"], "doc_id": ["b", "a"], "relevance": 1})
    with pytest.warns(UserWarning, match="none of the 2 items shown is judged for its query"):
        assert set(runs.ireval.simulate_clicks(qrels)["action"]) == {"impression"}
