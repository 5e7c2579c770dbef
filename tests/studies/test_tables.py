"""Every verb and function of studies/ gives the table that its schema declares."""

import io
import re

import numpy as np
import pandas as pd
import pytest

import pdeval
from pdeval import studies
from pdeval.accessor.methods import docstring_of
from pdeval.tables.schemas import SCHEMAS
from pdeval.verbs import VERBS
from tests.schema_faults import faults
from tests.temporary_declarations import undocumented

COMMON = pdeval.datasets.sample_judged(queries="common")

# each verb with its options, and the table that it gives then
CALLS = {
    "agree": [
        (lambda on: on.agree(["AP", "RPP", "RR"], fuzziness=[0, 0.1]), "sign_agreement"),
        (lambda on: on.agree(per="query"), "sign_agreement"),
    ],
    "agree.labels": [
        (
            lambda on: on.agree.labels(on.prefer("RPP", pairs=[tuple(two(on))]), "AP"),
            "label_agreement",
        )
    ],
    "agree.masked": [
        (lambda on: on.agree.masked(), "masked_agreement"),
        (lambda on: on.agree.masked(per="query"), "masked_agreement"),
    ],
    "agree.locality": [
        (lambda on: on.agree.locality(), "locality"),
        (lambda on: on.agree.locality(kind="regression"), "locality_regression"),
    ],
    "disaggregate.ecdf": [
        (lambda on: on.disaggregate.ecdf(["AP", "RPP"], points=5), "contribution_ecdf"),
        (lambda on: on.disaggregate.ecdf(["AP", "RPP"], per="measure"), "contribution_fractions"),
    ],
    "ties": [(lambda on: on.ties(), "ties"), (lambda on: on.ties(per="query"), "ties")],
    "ties.by_recall": [(lambda on: on.ties.by_recall(), "ties_by_recall")],
    "ties.by_first": [(lambda on: on.ties.by_first(), "ties_by_first")],
    "ties.deciding_levels": [(lambda on: on.ties.deciding_levels(), "deciding_levels")],
    "ties.deciding_ecdf": [(lambda on: on.ties.deciding_ecdf(), "deciding_ecdf")],
    "robustness": [
        (
            lambda on: on.robustness(["AP", "RPP"], to="queries", keep=[5, 10], draws=2),
            "robustness",
        ),
        (
            lambda on: on.robustness("AP", to="labels", keep=[0.5, 1], draws=2, summary=True),
            "robustness_summary",
        ),
    ],
    "recall_curve": [(lambda on: on.recall_curve(points=3), "recall_curve")],
    "stopping": [(lambda on: on.stopping(), "stopping")],
    "reproduce": [
        (lambda on: on.reproduce(on, ["AP", "RR"]), "reproduction"),
        (lambda on: on.reproduce(on, per="query"), "reproduced_order"),
    ],
    "search_lengths": [(lambda on: on.search_lengths(), "search_lengths")],
    "search_lengths.histogram": [
        (lambda on: on.search_lengths.histogram(), "search_length_histogram")
    ],
    "search_lengths.differences": [
        (lambda on: on.search_lengths.differences(*two(on)), "search_length_differences")
    ],
    "search_lengths.wins": [(lambda on: on.search_lengths.wins(*two(on)), "search_length_wins")],
    "search_lengths.effective_fractions": [
        (lambda on: on.search_lengths.effective_fractions(), "effective_fractions")
    ],
    "search_lengths.rrie": [(lambda on: on.search_lengths.rrie(*two(on)), "rrie")],
    "search_lengths.ablation": [(lambda on: on.search_lengths.ablation(), "ablation")],
    "search_lengths.headroom": [
        (
            lambda on: (
                on.measure(["AP", "ASL"])
                .assign(half="one")
                .ireval.search_lengths.headroom(by="half")
            ),
            "headroom",
        )
    ],
}
# what is no verb of a table
FUNCTIONS = {
    "uniform": (lambda: studies.uniform(4), "sign_agreement"),
    "random_lists": (lambda: studies.random_lists(20, pairs=50), "sign_agreement"),
    "sampled": (lambda: studies.sampled(COMMON, pairs=50), "sign_agreement"),
    "tie_probability": (lambda: studies.tie_probability(9, [1, 2], [1, 2]), "tie_probability"),
    "distinct_values": (lambda: studies.distinct_values(9, [1, 2]), "distinct_values"),
    "value_growth": (lambda: studies.value_growth(9, [1, 2], [1, 2]), "value_growth"),
    "implicit_weights": (lambda: studies.implicit_weights([1, 2]), "implicit_weights"),
    "best_systems": (lambda: studies.best_systems({"one": COMMON}), "best_systems"),
    "headroom_of": (lambda: studies.headroom_of({"one": COMMON}), "headroom"),
    "contribution_surface": (
        lambda: studies.contribution_surface("AP", ranks=3),
        "contribution_surface",
    ),
    "discount_curves": (lambda: studies.discount_curves("AP", ranks=3), "discounts"),
    "spread_over_collections": (
        lambda: studies.spread_over_collections(
            COMMON.search_lengths.ablation().assign(collection="one")
        ),
        "over_collections",
    ),
}

EVERY = [(call, name) for calls in CALLS.values() for call, name in calls]
NAMED = [
    f"{verb}-{name}-{number}"
    for verb, calls in CALLS.items()
    for number, (_, name) in enumerate(calls)
]


def two(judged):
    """Return two runs of a join, as a caller names them."""
    rows = list(judged.runs.itertuples(index=False, name=None))
    return [row[0] if len(row) == 1 else row for row in rows[:2]]


def own_verbs():
    return {
        name: verb
        for verbs in VERBS.values()
        for name, verb in verbs.items()
        if verb.function.__module__.startswith("pdeval.studies")
    }


def own_tables():
    return {name for verb in own_verbs().values() for name in verb.returns} | {
        name for _, name in FUNCTIONS.values()
    }


@pytest.fixture(scope="module")
def sample():
    return COMMON


@pytest.fixture(scope="module")
def several_columns():
    """The sample under other names, its runs named by two columns, some ids whole numbers."""
    runs, qrels = pdeval.datasets.sample_runs(), pdeval.datasets.sample_qrels()
    parts = runs["run"].astype(str).str.split("-s", expand=True).reindex(columns=[0, 1])
    runs = runs.assign(
        model=parts[0], seed=parts[1].fillna("0").astype(int), topic=runs["query_id"]
    )
    runs = runs.astype({"topic": int}).drop(columns=["run", "query_id"])
    qrels = qrels.assign(topic=qrels["query_id"].astype(int)).drop(columns="query_id")
    bound = runs.ireval(run=["model", "seed"], query="topic", doc="doc_id")
    return bound.join(qrels.ireval(query="topic", doc="doc_id"), queries="common")


def roles(judged):
    return {
        "run": list(judged.runs.columns),
        "query": [judged.queries.name],
        "doc": [judged.positions.doc_name],
    }


def test_every_verb_and_table_of_the_room_is_tried():
    assert set(CALLS) == set(own_verbs()), (
        "say above how the verb is called, and which table it gives"
    )
    tried = {name for _, name in EVERY} | {name for _, name in FUNCTIONS.values()}
    assert tried == own_tables()


@pytest.mark.parametrize(("call", "name"), EVERY, ids=NAMED)
def test_results_are_as_their_schema_says(sample, call, name):
    table = call(sample)
    assert len(table)
    assert faults(SCHEMAS[name], table, roles(sample)) == []
    assert table.attrs["table"] == name


@pytest.mark.broad
@pytest.mark.parametrize(("call", "name"), EVERY, ids=NAMED)
def test_results_keep_the_columns_and_ids_of_the_caller(several_columns, call, name):
    table = call(several_columns)
    assert faults(SCHEMAS[name], table, roles(several_columns)) == []
    ids = {str(several_columns.queries.name): several_columns.queries, **several_columns.runs}
    ids |= {
        f"{column}_{side}": several_columns.runs[column]
        for column in several_columns.runs
        for side in "ab"
    }
    for column in set(ids) & set(table):
        quadratic = name == "deciding_levels" and not pd.api.types.is_integer_dtype(
            ids[column].dtype
        )
        assert quadratic or table[column].dtype == ids[column].dtype, column


@pytest.mark.parametrize(("call", "name"), EVERY, ids=NAMED)
def test_results_say_what_they_are_and_what_comes_next(sample, call, name):
    table, schema = call(sample), SCHEMAS[name]
    rows = f"{len(table):,} row{'s' if len(table) > 1 else ''}"
    expected = f"{schema.description}: {rows}" + (f"; next: {schema.then}" if schema.then else "")
    assert repr(table.ireval) == expected
    assert repr(table.iloc[:1].ireval).startswith(f"{schema.description}: 1 row")


@pytest.mark.parametrize(("call", "name"), EVERY, ids=NAMED)
def test_results_are_recognized_by_their_columns_alone(sample, call, name):
    table = call(sample)
    text = io.StringIO()
    table.to_csv(text, index=False)
    text.seek(0)
    assert repr(pd.read_csv(text).ireval).startswith(f"{SCHEMAS[name].description}: ")


@pytest.mark.parametrize(("call", "name"), EVERY, ids=NAMED)
def test_rows_are_sorted_as_the_schema_says(sample, call, name):
    table = call(sample)
    names = {"run": "run", "query": "query_id", "doc": "doc_id"}
    by = [names.get(column, column) for column in SCHEMAS[name].sort]
    by = [column for column in by if column in table]
    # measures and runs stand in the order asked for, so the first appearance of a value is its place
    places = [
        pd.factorize(table[column].astype(object), sort=column == "doc_id", use_na_sentinel=False)[
            0
        ]
        for column in by
    ]
    if places:
        assert (np.lexsort(places[::-1]) == np.arange(len(table))).all()


@pytest.mark.parametrize(("call", "name"), EVERY, ids=NAMED)
def test_results_carry_what_their_numbers_rest_on(sample, call, name):
    attrs = call(sample).attrs
    assert attrs["queries"] == "common"
    assert attrs["ties"] == "docid"


@pytest.mark.parametrize("function", FUNCTIONS)
def test_functions_that_are_no_verbs_say_what_they_give(function):
    assert function in studies.__all__
    make, name = FUNCTIONS[function]
    table = make()
    assert faults(SCHEMAS[name], table, {}) == []
    assert repr(table.ireval).startswith(f"{SCHEMAS[name].description}: {len(table)} row")


@pytest.mark.parametrize("name", sorted(own_tables()))
def test_tables_say_what_a_row_and_a_column_is_and_why_they_are_not_reported_or_drawn(name):
    schema = SCHEMAS[name]
    assert schema.row
    unsaid = [column.name for column in schema.columns if not schema.meaning(column.name)]
    assert unsaid == []
    assert (".plot()" in schema.then) == (not schema.no_plot)
    assert (".report()" in schema.then) == (not schema.no_report)


@pytest.mark.parametrize("name", sorted(own_verbs()))
def test_every_option_is_documented_and_the_example_shows_rows(name):
    verb = own_verbs()[name]
    own = [parameter.name for parameter in verb.parameters]
    assert undocumented(own, docstring_of(verb, own)) == []
    assert re.search(r"(?m)^ *[04]  ", verb.function.__doc__)


REPORTED = [
    "ties",
    "agree.masked",
    "search_lengths.rrie",
    "search_lengths.ablation",
    "search_lengths.headroom",
]


@pytest.mark.parametrize("name", REPORTED)
def test_small_tables_can_be_reported(sample, name):  # issue 12, item 13
    table = CALLS[name][0][0](sample)
    assert table.ireval.report().to_frame().shape[0] == len(table)


@pytest.mark.broad
def test_queries_that_are_missing_are_said_once_and_only_of_the_runs_that_were_asked_for():
    for ask in (
        lambda judged: judged.ties.by_recall(),
        lambda judged: judged.ties.by_first(),
        lambda judged: judged.ties.deciding_ecdf(),
        lambda judged: judged.agree.masked(),
        lambda judged: judged.agree.locality(),
        lambda judged: judged.search_lengths.wins("bm25", "ql"),
        lambda judged: judged.search_lengths.ablation(),
        lambda judged: judged.robustness("AP", to="queries", keep=[5], draws=1),
    ):
        judged = pdeval.datasets.sample_judged()
        with pytest.warns(
            UserWarning, match="2 of 50 judged queries are missing from run 'ql'"
        ) as said:
            ask(judged)
        assert len(said) == 1


@pytest.mark.broad
@pytest.mark.filterwarnings("error")
def test_nothing_is_said_of_runs_that_were_not_asked_for():
    judged = pdeval.datasets.sample_judged()
    judged.search_lengths(runs=["bm25"])
    judged.search_lengths.histogram(runs=["bm25"])
    judged.search_lengths.wins("bm25", "bm25+rm3")
    judged.search_lengths.rrie("bm25", "bm25+rm3")
    judged.agree.masked(pairs=[("bm25", "bm25+rm3")])
