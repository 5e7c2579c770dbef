"""The label of a group never replaces a column of the result: `by=` with such a name is refused, whatever the verb."""

import pandas as pd
import pytest

from pdeval.accessor.methods import signature_of
from pdeval.tables.schemas import SCHEMAS
from pdeval.verbs import VERBS, of_kind
from tests.dask.bits import quiet
from tests.verb_calls import asked
from tests.walk_tables import FEW, NEEDED, qrels, runs, tables

IDS = (
    "run",
    "query",
    "doc",
    "user",
    "bucket",
    "session",
    "subtopic",
    "assessor",
)  # under the names that callers give


def columns_of(verb):
    """The columns of every table that a verb returns; a report is made from the tables that it is asked of."""
    kinds = verb.returns or (verb.on if verb.takes == "scores" else ())
    own = {
        column.name: column.holds
        for kind in kinds
        if kind in SCHEMAS
        for column in SCHEMAS[kind].columns
    }
    return [
        name for name, holds in own.items() if (name not in IDS or holds != "id") and name != "by"
    ]


def calls(kinds):
    for kind in kinds:
        for name, verb in of_kind(kind).items():
            parameters = signature_of(verb, kind).parameters.values()
            if "by" in {one.name for one in parameters}:
                needed = {
                    p.name: NEEDED[p.name]()
                    for p in parameters
                    if p.default is p.empty and p.name != "self"
                }
                given = {**needed, **{p.name: FEW[p.name] for p in parameters if p.name in FEW}}
                yield from (
                    (kind, name, column, {**given, "by": column}) for column in columns_of(verb)
                )


def of_queries(column):
    ids = sorted(runs()["query_id"].unique())
    return pd.DataFrame({"query_id": ids, column: [number % 2 for number in range(len(ids))]})


def refusal(accessor, name, given):
    """What a call is refused with; nothing where it is answered."""
    try:
        asked(accessor, name, given)
    except ValueError as error:
        return str(error)
    return ""


def test_by_of_a_column_that_the_result_has_is_refused_for_every_verb_and_column():
    answered, tried = [], 0
    for kind, name, column, given in calls(VERBS):
        table = tables()[kind]
        if kind in ("runs", "judged"):
            accessor, given = (
                table if kind == "judged" else table.ireval,
                {**given, "metadata": of_queries(column)},
            )
        else:
            accessor = table.assign(**{column: table.get(column, 0)}).ireval(
                **({"run": "run"} if "run" in table else {})
            )
            another = column == "machine" and kind in (
                "scores",
                "preferences",
            )  # values by a machine beside people's
            if another or name not in accessor._verbs:  # with the column it is another table
                continue
        tried += 1
        text = refusal(accessor, name, given)
        if f"by={column!r}" not in text:
            answered.append((kind, name, column, text))
    assert not answered
    assert tried > 400


@pytest.mark.extras
@pytest.mark.parametrize("kept", [False, True])
def test_on_dask_it_is_refused_too(kept):
    import dask.dataframe as dd

    import pdeval.dask.accessor  # noqa: F401

    accessor = dd.from_pandas(runs(), npartitions=2).ireval
    accessor = quiet(accessor.join, qrels()) if kept else accessor
    for _, name, column, given in calls(["judged" if kept else "runs"]):
        assert f"by={column!r}" in refusal(
            accessor, name, {**given, "metadata": of_queries(column)}
        ), (
            name,
            column,
        )


@pytest.mark.parametrize(
    ("verb", "column", "text"),
    [
        (
            "order",
            "method",
            r"by='method' is also a column of the .*orders that order\(\) returns .*",
        ),
        (
            "summary",
            "n",
            r"by='n' is also a column of the .*summary that summary\(\) returns \(number of queries .*",
        ),
        (
            "compare",
            "p_value",
            r"by='p_value' is also a column of the .*comparisons that compare\(\) returns .*",
        ),
    ],
)
def test_the_refusal_names_both_and_says_how_to_rename(verb, column, text):
    about = of_queries(column)
    rename = rf"Rename it first: metadata\.rename\(columns=\{{'{column}': '{column}_group'\}}\)\."
    with pytest.raises(ValueError, match=text + rename):
        getattr(tables()["judged"], verb)(by=column, metadata=about)
    renamed = about.rename(columns={column: f"{column}_group"})
    assert (
        column
        in quiet(getattr(tables()["judged"], verb), by=f"{column}_group", metadata=renamed).columns
    )
    with pytest.raises(
        ValueError,
        match=rf"Rename it first: df\.rename\(columns=\{{'{column}': '{column}_group'\}}",
    ):
        getattr(runs().merge(about).ireval, verb)(qrels(), by=column)


def test_columns_that_the_caller_names_are_not_replaced_either():
    with pytest.raises(ValueError, match=r"by='AP' is also a column of the result.*rename"):
        quiet(tables()["judged"].summary, "AP", wide=True, by="AP", metadata=of_queries("AP"))
    two = runs().rename(columns={"run": "model"}).ireval(run="model")
    with pytest.raises(ValueError, match=r"by='model_a' is also a column of the result.*rename"):
        quiet(two.compare, qrels(), by="model_a", metadata=of_queries("model_a"))


def test_runs_of_a_group_may_be_named_by_its_column():
    two = runs().assign(seed=1).ireval(run=["run", "seed"])
    found = quiet(two.measure, qrels(), "AP", by="run")
    assert found["run"].astype(str).unique().tolist() == sorted(runs()["run"].unique())


@pytest.mark.parametrize("replicate", [None, "seed"])
@pytest.mark.parametrize(
    ("verb", "column"), [("order", "method"), ("summary", "n"), ("compare", "mean")]
)
def test_a_column_that_names_runs_is_not_replaced_by_a_column_of_the_result(
    verb, column, replicate
):
    named = runs().rename(columns={"run": column}).assign(seed=1).ireval(run=[column, "seed"])
    text = rf"the runs have the id column {column!r}, but the .* of {verb}\(\) has another column of .*Rename it"
    with pytest.raises(ValueError, match=text):
        quiet(getattr(named, verb), qrels(), "AP", replicate=replicate)
