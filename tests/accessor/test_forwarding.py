"""What an accessor is given reaches the verb: every option of every verb, every rule of the join."""

import collections
import contextlib
import inspect
from collections import defaultdict
from unittest import mock

import numpy as np
import pandas as pd
import pytest

import pdeval
from pdeval.accessor import Joined, methods
from pdeval.accessor.methods import JOIN_ONLY, RULES, complete, joins
from pdeval.accessor.pipeline import described as stamped
from pdeval.join.judged import Judged
from pdeval.verbs import of_kind
from tests import naive

RUNS = naive.table(
    {"a": {"1": ["x", "y", "z"], "2": ["y"]}, "b": {"1": ["z", "x"], "2": ["x", "y"]}}
)
QRELS = naive.judgments({"1": {"x": 1, "y": 2, "z": 0}, "2": {"y": 2, "x": 1}})
# none of them is the default
CHOSEN = {
    "level": 2,
    "queries": "common",
    "ties": "first",
    "compat": "trec_eval-9",
    "depth": 2,
    "judged_only": True,
    "validate": False,
}


@contextlib.contextmanager
def heard(verb):
    """Give what the function of a verb is called with, in the place of what it does."""
    calls, function = [], verb.function
    _ = verb.parameters, verb.takes  # they are read off the function
    for kind in ("judged", "runs", "table"):
        methods.method_of(verb, kind)  # so are methods, when somebody looks at them
    object.__setattr__(verb, "function", lambda *args, **options: calls.append((args, options)))
    unchecked = defaultdict(
        lambda: lambda _, value: value
    )  # what stands for a value is none that a check would let by
    try:
        with mock.patch.object(methods, "checks_of", return_value=unchecked):
            yield calls
    finally:
        object.__setattr__(verb, "function", function)


def asked(accessor, name):
    found = accessor
    for part in name.split("."):
        found = getattr(found, part)
    return found


def sentinels(verb, leave_out=()):
    names = [p.name for p in verb.parameters if p.kind is not inspect.Parameter.VAR_KEYWORD]
    # a run table is divided by `by` before a report is made
    leave_out = (*leave_out, *(["by"] if verb.name == "report" else []))
    return {
        name: "AP" if name == "measures" else object() for name in names if name not in leave_out
    }


def same(given, got):
    """Fail unless every option arrived as it was given; measures may arrive parsed."""
    assert set(given) <= set(got)
    for name, value in given.items():
        if name == "measures":
            assert got[name] == "AP" or [one.label for one in got[name]] == ["AP"]
        else:
            assert got[name] is value, name


JUDGED = list(of_kind("judged"))


@pytest.fixture(autouse=True)
def unchecked(monkeypatch):
    """Let any object through, so that what arrives can be told from anything else."""
    through = collections.defaultdict(lambda: lambda name, value: value)
    monkeypatch.setattr(methods, "checks_of", lambda verb, kind: through)


@pytest.fixture(scope="module")
def judged():
    return RUNS.ireval.join(QRELS, **CHOSEN)


@pytest.mark.parametrize("name", JUDGED)
def test_a_join_hands_every_option_to_the_verb(judged, name):
    verb = of_kind("judged")[name]
    known = () if "judged" in verb.on else [one for one in ("qrels", *RULES) if one not in verb.own]
    given = sentinels(verb, known)
    with heard(verb) as calls:
        asked(judged, name)(**given)
    [((held,), got)] = calls
    same(given, got)
    if "judged" in verb.on:
        assert held is judged
        assert set(got) == set(given)
    else:  # a verb of run tables: the join tells its own judgments and rules
        assert held is judged.tables[0]
        told = {p.name for p in verb.parameters} & set(known) - {"validate"}
        assert set(got) == set(given) | told
        for one in told:
            assert got[one] is judged.tables[1] if one == "qrels" else got[one] == CHOSEN[one], one


@pytest.mark.parametrize("name", JUDGED)
def test_a_run_table_hands_options_to_the_verb_and_rules_to_the_join(name):
    verb = of_kind("runs")[name]
    if not joins(verb, "runs"):
        given = sentinels(verb)
        with heard(verb) as calls:
            asked(RUNS.ireval, name)(**given)
        [((held,), got)] = calls
        same(given, got)
        assert held.kind == "runs"
        return
    own = verb.own if verb.core else (*verb.own, *JOIN_ONLY)
    rules = {one: value for one, value in CHOSEN.items() if one not in own}
    given = sentinels(verb, [one for one in RULES if one not in verb.own])
    with heard(verb) as calls:
        asked(RUNS.ireval, name)(QRELS, **given, **rules)
    [((held,), got)] = calls
    same(given, got)
    assert set(got) == set(given)
    assert isinstance(held, Joined)
    assert {"level": held.level, "queries": held.query_rule, **held.positions.rules}.items() >= {
        one: value for one, value in rules.items() if one != "validate"
    }.items()


@pytest.mark.parametrize("rule", [*CHOSEN])
def test_every_rule_reaches_the_kept_join(rule):
    twice = pd.concat([RUNS, RUNS.iloc[:1]], ignore_index=True)
    if rule == "validate":
        with pytest.raises(ValueError, match="duplicate"):
            twice.ireval.join(QRELS)
        assert twice.ireval.join(QRELS, validate=False).positions.retrieved.max() == 4
        return
    found = RUNS.ireval.join(QRELS, **{rule: CHOSEN[rule]})
    plain = {
        "level": None,
        "queries": "relevant",
        "ties": "docid",
        "compat": "trec_eval-10",
        "depth": None,
    }
    got = {"level": found.level, "queries": found.query_rule, **found.positions.rules}
    assert got == {**plain, rule: CHOSEN[rule]}


@pytest.mark.parametrize(
    ("verb", "measures", "complete"),
    [
        ("measure", "AP", False),
        ("measure", "bpref", True),
        ("measure", ["AP", "bpref"], True),
        ("explain", "AP", True),
    ],
)
def test_a_join_made_for_a_verb_holds_what_the_verb_needs(verb, measures, complete):
    made = of_kind("runs")[verb]
    with heard(made) as calls:
        asked(RUNS.ireval, verb)(QRELS, *(["1"] if verb == "explain" else []), measures)
    [((held,), _)] = calls
    assert held.positions.complete is complete
    assert len(held.positions.judged.grade) >= 4


def test_a_join_kept_holds_all_judged_items():
    assert RUNS.ireval.join(QRELS).positions.complete
    assert np.isin(0, RUNS.ireval.join(QRELS).positions.judged.grade)


def test_who_names_the_topics_is_not_told_of_missing_queries():
    runs = RUNS[~((RUNS["run"] == "a") & (RUNS["query_id"] == "2"))]
    with pytest.warns(UserWarning, match="1 of 2 judged queries"):
        runs.ireval.measure(QRELS, "AP")
    assert (
        len(runs.ireval.measure(QRELS, "AP", queries="relevant")) == 4
    )  # a warning would be an error here
    with pytest.warns(UserWarning, match="1 of 2 judged queries"):
        runs.ireval.join(QRELS, queries="relevant").measure("AP")
    assert isinstance(runs.ireval.join(QRELS, queries="judged"), Judged)


@pytest.mark.broad
def test_results_hand_their_table_and_every_option_to_the_verb():
    scores = pdeval.datasets.sample_judged(queries="common").measure(["AP", "RR"])
    for name, verb in of_kind("scores").items():
        given = sentinels(verb)
        with heard(verb) as calls:
            asked(scores.ireval, name)(**given)
            if "measures" in given:
                asked(scores.ireval, name)(
                    **{one: value for one, value in given.items() if one != "measures"}
                )
        same(given, calls[0][1])
        assert set(calls[0][1]) == set(given), name
        if "measures" in given:
            assert calls[1][1]["measures"] is None, name  # all that the table holds


def test_every_verb_that_draws_gives_the_same_each_time_and_under_one_seed():
    for kind in ("judged", "runs", "scores", "preferences"):
        for name, verb in of_kind(kind).items():
            seeds = [p.default for p in verb.parameters if p.name == "seed"]
            assert seeds in ([], [0]), name


def test_what_a_join_must_hold_is_all_where_the_measures_do_not_tell():
    measure, order, lengths = (
        of_kind("runs")[name] for name in ("measure", "order", "search_lengths")
    )
    assert complete(measure, {"measures": None}) is True
    assert (
        complete(order, {"measures": "NoSuch"}) is True
    )  # not a measure: the verb says what was meant
    with pytest.raises(KeyError, match="NoSuch"):
        complete(measure, {"measures": "NoSuch"})
    assert complete(lengths, {}) is (lengths.needs == "judged")
    given = {"measures": ["AP", "RR"]}
    assert complete(measure, given) is False
    assert [one.label for one in given["measures"]] == ["AP", "RR"]  # parsed once
    assert complete(measure, {}) is False  # the verb's own measures are of relevant items


def test_a_method_is_named_after_its_accessor_and_its_verb(judged):
    assert type(judged).measure.__qualname__ == "judged.measure"
    assert type(RUNS.ireval).measure.__qualname__ == "runs.measure"
    assert type(judged).ties.by_recall.__qualname__ == "judged.ties.by_recall"
    assert (type(judged).ties.by_recall.__name__, type(judged).measure.__name__) == (
        "by_recall",
        "measure",
    )
    scores = RUNS.ireval.measure(QRELS, "AP")
    assert type(scores.ireval).order.__qualname__ == "table.order"
    assert type(scores.ireval).order.__module__ == "pdeval.orderings.order"


@pytest.mark.parametrize("given", ["AP", ["AP"], ("AP",), pdeval.parse("AP")])
def test_measures_in_the_place_of_judgments_are_told_apart(given):
    with pytest.raises(
        TypeError,
        match=r"measure\(\) of a run table takes judgments first: .ireval.measure\(qrels, ",
    ):
        RUNS.ireval.measure(given)
    with pytest.raises(TypeError, match=r"join\(\) of a run table takes judgments first"):
        RUNS.ireval.join(given)


def test_a_result_is_named_among_the_tables_that_its_verb_gives():
    order, measure = of_kind("judged")["order"], of_kind("judged")["measure"]
    frame = RUNS.ireval.measure(QRELS, "AP")
    assert stamped(measure, frame.copy()).attrs["table"] == "scores"
    assert "table" not in stamped(order, frame.copy()).attrs  # these are no orders
    assert stamped(order, "text") == "text"


def test_an_unknown_verb_of_a_family_lists_its_verbs():
    orders = RUNS.ireval.order(QRELS, "AP")
    with pytest.raises(
        AttributeError,
        match=r"this table has no correlate.nothing\(\)\. Use one of .correlate\(\), ",
    ):
        _ = orders.ireval.correlate.nothing
