"""Every verb that takes judgments or another table takes those of other libraries: the same answer as from pandas."""

import pandas as pd
import pyarrow as pa
import pytest

import pdeval
from pdeval.accessor.methods import signature_of
from pdeval.verbs import of_kind
from tests import walk_tables
from tests.verb_calls import arguments, asked, same
from tests.walk_tables import quiet

# matplotlib draws what other verbs return
VERBS = {name: verb for name, verb in of_kind("runs").items() if verb.family != "plot"}


def on_arrow(value):
    return (
        pa.Table.from_pandas(value, preserve_index=False)
        if isinstance(value, pd.DataFrame)
        else value
    )


def as_dict(qrels):
    return {
        query: dict(zip(part["doc_id"].astype(str), part["relevance"].tolist()))
        for query, part in qrels.groupby("query_id", observed=True)
    }


def plain_ids(frame):
    ids = [name for name in ("run", "query_id", "doc_id") if name in frame]
    return frame.astype(dict.fromkeys(ids, pdeval.tables.dataframes.text_dtype()))


@pytest.fixture(scope="module")
def tables():
    return plain_ids(walk_tables.runs()), plain_ids(walk_tables.qrels())


LONG = ("fit_population", "robustness", "replicates", "replicates.compare")


@pytest.mark.parametrize(
    "name", [pytest.param(one, marks=pytest.mark.slow) if one in LONG else one for one in VERBS]
)
def test_every_verb_takes_tables_of_others(tables, name):
    runs, qrels = tables
    qrels = qrels.iloc[::2] if name == "label_next.items" else qrels  # some items are left to label
    verb = VERBS[name]
    given = arguments(name, walk_tables.judged())
    if "query" in given:
        given = {**given, "query": runs["query_id"].iloc[0]}
    for key in ("draws", "progress"):
        if key in {parameter.name for parameter in verb.parameters}:
            given = {**given, key: 5 if key == "draws" else False}
    needs = "qrels" in signature_of(verb, "runs").parameters
    others = {key: on_arrow(value) for key, value in given.items()}
    if not needs and not any(isinstance(value, pa.Table) for value in others.values()):
        pytest.skip("takes no table")
    wanted = ask(runs, name, given, qrels if needs else None)
    same(ask(runs, name, others, on_arrow(qrels) if needs else None), wanted)
    if needs:
        same(ask(runs, name, given, as_dict(qrels)), wanted)


def ask(runs, name, given, qrels):
    told = given if qrels is None else {**given, "qrels": qrels}
    return quiet(asked, runs.ireval, name, told)
