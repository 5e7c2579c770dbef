"""The order of rows decides nothing: every verb gives the same bits from shuffled tables, whatever they hold."""

import functools

import numpy as np
import pandas as pd
import pytest

import pdeval
from pdeval.accessor.methods import signature_of
from pdeval.report.report import Report
from pdeval.verbs import VERBS, of_kind
from tests.dask.bits import quiet
from tests.verb_calls import asked, same
from tests.walk_tables import FEW, NEEDED, exposures, qrels, runs, tables

ARGUMENTS = {
    **dict.fromkeys(
        ("beyond_accuracy", "beyond_accuracy.compare"),
        lambda: {
            "measures": ["Coverage@10"],
            "items": runs()[["doc_id"]].drop_duplicates(ignore_index=True),
        },
    ),
    "consensus": lambda: {"ties": "lowest"},
    "label_next": lambda: {"n_queries": 2},
    "label_next.items": lambda: {
        "qrels": few(),
        "machine": qrels(),
        "measures": "RBP",
        "size": 3,
        "depth": 100,
    },
    "matrix": lambda: {"measure": "RPP"},
    "measure_spans": lambda: {"chunks": NEEDED["chunks"]()},
    **dict.fromkeys(
        ("replicates", "replicates.compare"),
        lambda: {"system": "family", "metadata": pdeval.datasets.sample_metadata()},
    ),
}
# a preference has no score per run; these tables name neither runs nor queries
REFUSED = [("preferences", "anova"), ("preferences", "friedman")]
REFUSED += [(kind, "add_metadata") for kind in ("sign_agreement", "masked_agreement", "ties")]
# the log of the walk has sessions
REFUSED += [("clicks", "add_sessions")]
# these need values by a machine beside people's; see the last test
MACHINE = ("label_bounds", "label_next", "label_next.sample_size")
REFUSED += [(kind, verb) for kind in ("scores", "preferences") for verb in MACHINE]
COLLECTED = (
    "segments",
    "segments.gaps",
    "collection_means",
    "meta_analysis",
    "meta_analysis.sample_size",
)


@functools.cache
def few():
    return qrels()[qrels()["relevance"] > 0].groupby("query_id").head(3).reset_index(drop=True)


@functools.cache
def halves():
    ids = sorted(runs()["query_id"].unique())
    return pd.DataFrame({"query_id": ids, "half": np.arange(len(ids)) % 2})


def mixed(table, seed):
    """A table with its rows in another order; a square has none."""
    if not isinstance(table, pd.DataFrame) or list(table.index) == list(table.columns):
        return table
    made = table.take(np.random.default_rng(seed).permutation(len(table))).reset_index(drop=True)
    made.attrs = dict(table.attrs)
    return made


def given_to(kind, name):
    """What a verb is asked with, beside its table."""
    verb = of_kind(kind)[name]
    parameters = [one for one in signature_of(verb, kind).parameters.values() if one.name != "self"]
    given = {one.name: NEEDED[one.name]() for one in parameters if one.default is one.empty}
    given |= {one.name: FEW[one.name] for one in parameters if one.name in FEW}
    own = ARGUMENTS.get(name, dict)()
    given |= {
        one: value
        for one, value in own.items()
        if one in {parameter.name for parameter in parameters}
    }
    if "by" in given and kind in ("runs", "judged"):
        given["metadata"] = halves()
    table = table_of(kind, name)
    if name == "add_metadata" and "run" not in table and "query_id" in table:
        given["metadata"] = halves()
    return given


def table_of(kind, name):
    if (kind, name) == ("clicks", "credit"):
        return tables()["lists"].ireval.simulate_clicks(qrels())
    if (kind, name) == ("scores", "exposure_tradeoff"):
        return exposures()
    return runs() if kind == "judged" else tables()[kind]


def answer(kind, name, table, given, judgments):
    accessor = quiet(table.ireval.join, judgments) if kind == "judged" else table.ireval
    return asked(accessor, name, given)


def plain(result, verb, kind):
    """A result without the order of the rows of its table, where it has that: printed or annotated as they stand."""
    if isinstance(result, Report) and (verb.takes == "frame" or kind == "summary"):
        return sorted(cell.text for row in result.rows for cell in row)
    if verb.name == "add_metadata":
        return result.sort_values(
            list(result.columns), key=lambda one: one.astype(str), ignore_index=True
        )
    return result


def check(kind, name, **more):
    verb, table, given = of_kind(kind)[name], table_of(kind, name), {**given_to(kind, name), **more}
    judgments = few() if name == "label_next.items" else qrels()  # people have not labeled all
    wanted = plain(answer(kind, name, table, given, judgments), verb, kind)
    for seed in (1, 2):
        shuffled = {one: mixed(value, seed) for one, value in given.items()}
        same(
            plain(
                answer(kind, name, mixed(table, seed), shuffled, mixed(judgments, seed)), verb, kind
            ),
            wanted,
        )


def check_all(calls):
    """Check some verbs, (kind, name, more) each, and name all that fail."""
    failed = {}
    for kind, name, more in calls:
        try:
            check(kind, name, **more)
        except AssertionError as error:
            failed[f"{kind}.{name}"] = str(error)
    assert not failed


def verbs_of(kind):
    return [
        name
        for name in of_kind(kind)
        if not name.startswith("plot") and (kind, name) not in REFUSED
    ]


def test_groups_of_queries_and_clicks_do_not_depend_on_the_order_of_rows():
    asked_for = [(kind, name) for kind in ("scores", "preferences") for name in COLLECTED]
    asked_for += [("clicks", "per_query"), ("clicks", "compare_buckets")]
    check_all((kind, name, {}) for kind, name in asked_for)


@pytest.mark.broad
@pytest.mark.parametrize("kind", VERBS)
def test_no_verb_depends_on_the_order_of_rows(kind):
    check_all((kind, name, {}) for name in verbs_of(kind))


@pytest.mark.broad
@pytest.mark.parametrize("kind", ["scores", "preferences", "judged"])
def test_no_verb_of_groups_depends_on_the_order_of_rows(kind):
    calls = []
    for name in verbs_of(kind):
        parameters = signature_of(of_kind(kind)[name], kind).parameters
        if "by" in parameters and not name.startswith("replicates"):
            more = {"metadata": halves()} if kind == "judged" and "metadata" in parameters else {}
            calls.append((kind, name, {"by": "half", **more}))
    check_all(calls)


@pytest.mark.broad
@pytest.mark.parametrize("kind", ["scores", "preferences"])
def test_tables_that_say_nothing_of_themselves_do_not_depend_on_it_either(kind, monkeypatch):
    table = tables()[kind]
    bare = table[table["measure"] == "AP"].reset_index(drop=True)
    bare.attrs = {}
    monkeypatch.setitem(tables(), kind, bare)
    names = [
        name for name in verbs_of(kind) if name not in ("agree", "correlate", "delta_sort")
    ]  # of two measures
    check_all((kind, name, {"measure": "AP"} if name == "matrix" else {}) for name in names)


def test_queries_that_some_run_lacks_stand_in_their_order():
    scores = tables()["scores"]
    first = scores["query_id"].min()
    partly = scores[(scores["query_id"] != first) | (scores["run"] != scores["run"].min())]
    wanted = quiet(partly.ireval.meta_analysis, by="half", draws=99)
    same(quiet(partly.iloc[::-1].ireval.meta_analysis, by="half", draws=99), wanted)


def test_a_value_of_clicks_and_the_rank_of_a_result_clicked_twice_do_not_depend_on_the_order_of_rows():
    rows = [("impression", "d1", 1, np.nan), ("click", "d1", 3, np.nan), ("click", "d1", 1, np.nan)]
    rows += [("purchase", None, None, value) for value in (0.1, 0.2, 0.3, 0.7)]
    log = pd.DataFrame(rows, columns=["action", "doc_id", "rank", "value"])
    log = log.assign(session=1, user="u", query_id="q", timestamp=np.arange(len(log)) // 2)
    wanted = log.ireval(value="value").per_query()
    for seed in range(8):
        same(mixed(log, seed).ireval(value="value").per_query(), wanted)
    assert wanted["mean_reciprocal_rank"].item() == 1.0


@pytest.mark.broad
@pytest.mark.parametrize("verb", [*MACHINE, "summary", "order", "compare"])
def test_tables_with_machine_labels_do_not_depend_on_the_order_of_rows(verb):
    people = qrels()[qrels()["query_id"].astype(int) % 2 == 1]
    table = quiet(runs().ireval.measure, people, ["AP", "RR"], machine=qrels(), queries="judged")
    options = {"label_next": {"n_queries": 2}, "label_next.sample_size": {"width": 0.5}}.get(
        verb, {}
    )
    same(asked(table.ireval, verb, options), asked(mixed(table, 1).ireval, verb, options))
