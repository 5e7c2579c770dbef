"""Every verb of a join on Dask: the results of pandas to the last bit, under the same signature and docstring."""

import inspect
from functools import cache, reduce

import pytest

import pdeval
from pdeval.accessor import ACCESSORS, Joined
from pdeval.accessor.methods import RULES
from pdeval.verbs import of_kind
from tests import verb_calls
from tests.dask.bits import PREFERENCES, SCORES, divided, gathered, quiet
from tests.verb_calls import VERBS_OF_A_JOIN, arguments, asked

pytest.importorskip("dask")
pytestmark = pytest.mark.extras

from pdeval.dask.accessor import (  # noqa: E402
    DIVIDED,
    LAZILY,
    ON_DASK,
    DaskJudged,
)
from pdeval.dask.lazy_verbs import LAZY, PARTWISE  # noqa: E402
from pdeval.tables.dataframes import is_dask  # noqa: E402


def same(left, right):
    """Fail unless two results are the same; lazy frames in pandas' order."""
    if is_dask(right):
        right = gathered(right, SCORES if "run" in right.columns else PREFERENCES)
    verb_calls.same(left, right)


@cache
def joins(parts, rows):
    """The same rows joined on pandas and on Dask."""
    runs, qrels = pdeval.datasets.sample_runs(), pdeval.datasets.sample_qrels()
    kept = runs["run"].isin(["bm25", "ql", "tfidf", "bm25+rm3", "dense-s1"]) & (
        runs["query_id"].astype(str) > "115"
    )
    table = divided(runs[kept].reset_index(drop=True), parts, rows)
    return table.compute().reset_index(drop=True).ireval.join(qrels), table.ireval.join(qrels)


@pytest.mark.broad
@pytest.mark.parametrize("name", VERBS_OF_A_JOIN)
@pytest.mark.parametrize(("parts", "rows"), [(1, "by run"), (3, "mixed"), (17, "by query")])
def test_every_verb_of_a_join_is_the_same_to_the_last_bit(parts, rows, name):
    judged, on_dask = joins(parts, rows)
    given = arguments(name, judged)
    same(asked(judged, name, given), asked(on_dask, name, given))


@pytest.mark.broad
@pytest.mark.parametrize("name", VERBS_OF_A_JOIN)
def test_every_verb_of_a_run_table_is_the_same_to_the_last_bit(some, name):
    qrels = pdeval.datasets.sample_qrels()
    given = {**arguments(name, joins(1, "by run")[0]), "queries": "common"}
    offered = inspect.signature(reduce(getattr, name.split("."), ACCESSORS["runs"])).parameters
    given = {key: value for key, value in {**given, "qrels": qrels}.items() if key in offered}
    table = divided(some, 4, "mixed")
    same(
        asked(table.compute().reset_index(drop=True).ireval, name, given),
        asked(table.ireval, name, given),
    )


class TestTheDoor:
    def test_no_verb_is_written_again(self):
        for kind, accessor in ON_DASK.items():
            own = {name for name in vars(accessor) if not name.startswith("__")}
            assert own <= ({"join", "to_parquet", *LAZY} if kind == "runs" else set()), kind
        own = {name for name in vars(DaskJudged) if not name.startswith("_")}
        assert own <= {
            "plan",
            "here",
            "positions",
            "known",
            "runs",
            "queries",
            "at",
            "gathered",
            *LAZY,
        }

    def test_what_is_told_of_lazy_results_is_the_only_difference(self):
        for on_pandas, on_dask in ((ACCESSORS["runs"], ON_DASK["runs"]), (Joined, DaskJudged)):
            for name in LAZY:
                one, two = getattr(on_pandas, name), getattr(on_dask, name)
                assert inspect.signature(one) == inspect.signature(two)
                plain = " ".join(two.__doc__.split()).replace(LAZILY + " ", "")
                assert plain == " ".join(one.__doc__.split())
                assert LAZILY in " ".join(two.__doc__.split())
        one, two = ACCESSORS["runs"].join, ON_DASK["runs"].join
        assert inspect.signature(one) == inspect.signature(two)
        assert " ".join(two.__doc__.split()).replace(DIVIDED + " ", "") == " ".join(
            one.__doc__.split()
        )
        call = inspect.signature(ON_DASK["runs"].__call__)
        assert call == inspect.signature(ACCESSORS["runs"].__call__)

    @pytest.mark.broad
    def test_completion_shows_the_verbs_of_pandas_and_how_to_write(self, some, qrels):
        table = divided(some, 2)
        assert set(dir(table.ireval)) == {*dir(some.ireval), "to_parquet"}
        assert dir(table.ireval.join(qrels)) == dir(some.ireval.join(qrels))
        assert dir(quiet(table.ireval.measure, qrels, "AP").ireval) == dir(
            quiet(some.ireval.measure, qrels).ireval
        )

    @pytest.mark.parametrize("name", ["measure", "prefer", "summary", "order", "labeled"])
    def test_verbs_of_the_partitions_take_what_their_verb_takes(self, name):
        own = [
            (p.name, p.kind, p.default)
            for p in inspect.signature(PARTWISE[name]).parameters.values()
        ][1:]
        verb = of_kind("judged")[name]
        # a join has the judgments and rules of a verb of run tables
        given = () if "judged" in verb.on else ("qrels", *RULES)
        parameters = [p for p in verb.parameters if p.name not in given]
        assert own == [(p.name, p.kind, p.default) for p in parameters]

    def test_verbs_of_the_partitions_are_verbs(self):
        assert set(PARTWISE) <= set(of_kind("judged"))
        for name, function in PARTWISE.items():
            first = inspect.signature(function).parameters["measures"]
            verb = inspect.signature(of_kind("judged")[name].function).parameters["measures"]
            assert first.default == verb.default, name
