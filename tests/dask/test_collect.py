"""What is gathered: the positions of pandas to the last bit, rows where they are few, and a bound on both."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import pdeval
from pdeval.accessor import ACCESSORS, Joined
from pdeval.dask.collect import Gathered, bytes_of_a_row
from pdeval.dask.partition_plan import plan
from pdeval.join import judged as pandas_join
from pdeval.tables.reader import Table
from pdeval.verbs import VERBS, of_kind, verb
from tests import naive
from tests.dask.bits import SCORES, by_run, divided, gathered, quiet, same_bits, same_positions

dask = pytest.importorskip("dask")

pytestmark = pytest.mark.extras


class TestPositions:
    @pytest.mark.broad
    @pytest.mark.parametrize("parts", [1, 3, 17])
    def test_the_positions_are_those_of_pandas_in_the_same_order(self, runs, qrels, parts):
        found = divided(runs, parts).ireval.join(qrels).gathered().positions
        same_positions(runs.ireval.join(qrels).positions, found)

    @pytest.mark.broad
    @pytest.mark.parametrize("rows", ["by query", "mixed"])
    def test_hits_of_one_item_stand_in_the_order_of_the_runs_whatever_that_of_the_rows(
        self, some, qrels, rows
    ):
        found = divided(some, 5, rows).ireval.join(qrels).gathered().positions
        same_positions(by_run(some.ireval.join(qrels).positions), found)

    @pytest.mark.broad
    @pytest.mark.parametrize(
        "rules",
        [
            {"depth": 20},
            {"ties": "expected"},
            {"ties": "rank"},
            {"ties": "first"},
            {"compat": "trec_eval-9"},
        ],
        ids=str,
    )
    def test_the_rules_of_the_join_mean_what_they_mean_on_pandas(self, some, qrels, rules):
        table = divided(some, 4, "mixed")
        expected = table.compute().reset_index(drop=True).ireval.join(qrels, **rules).positions
        same_positions(by_run(expected), table.ireval.join(qrels, **rules).gathered().positions)

    @pytest.mark.broad
    @pytest.mark.parametrize("subtopics", [True, False])
    @pytest.mark.parametrize("rows", ["by run", "mixed"])
    def test_a_join_of_relevant_items_alone_is_that_of_pandas(self, few, subtopics, rows):
        qrels = pdeval.datasets.sample_qrels(subtopics=subtopics)
        again = pd.concat([qrels, qrels[qrels["relevance"] == 0].head(1)], ignore_index=True)
        for given in (
            qrels,
            again,
        ):  # a judgment given twice keeps pandas from leaving out the others
            expected = pandas_join.join(few, given, complete=False).positions
            found = Gathered(plan(divided(few, 4, rows), given, complete=False)).positions
            same_positions(by_run(expected), found)

    @pytest.mark.broad
    def test_queries_without_answers_or_judgments_and_other_ids_are_as_on_pandas(self, few, qrels):
        stray = few.head(3).assign(run="stray", query_id="999")
        frame = pd.concat([few, stray], ignore_index=True).assign(seed=7)
        judged = qrels.assign(query_id=qrels["query_id"].astype(str).astype(int))
        frame = frame.assign(query_id=frame["query_id"].astype(int)).rename(
            columns={"query_id": "topic_no"}
        )
        bound = {"query": "topic_no", "run": ["run", "seed"]}
        expected = frame.ireval(**bound).join(judged).positions
        assert expected.extra == 1
        for rows in ("by run", "mixed"):
            shuffled = (
                frame.sample(frac=1, random_state=1, ignore_index=True)
                if rows == "mixed"
                else frame
            )
            found = divided(shuffled, 3).ireval(**bound).join(judged).gathered().positions
            same_positions(by_run(expected), found)

    @pytest.mark.broad
    def test_they_are_gathered_once_for_all_levels_and_topic_rules(self, some, qrels):
        joined = divided(some, 3).ireval.join(qrels)
        assert joined.at(level=2).positions is joined.positions
        assert joined.at(level=2).at(queries="common").level == 2
        same_bits(quiet(some.ireval.join(qrels).at(level=2).curve), quiet(joined.at(level=2).curve))

    @pytest.mark.broad
    def test_partitions_of_whole_lists_are_gathered_without_a_shuffle(self, some, qrels):
        import dask.dataframe as dd

        parts = [part for _, part in some.groupby("run", observed=True)]
        joined = dd.from_map(lambda at: parts[at], range(5), meta=some.iloc[:0]).ireval.join(qrels)
        same_positions(some.ireval.join(qrels).positions, joined.positions)
        assert [made.context.coded for made in joined.plan.made.values()] == [False]


class TestTheBound:
    @pytest.mark.broad
    def test_the_estimate_is_never_below_what_is_gathered(self, runs, qrels):
        for table, judged in (
            (divided(runs, 3), qrels),
            (divided(runs, 3), pdeval.datasets.sample_qrels()),
        ):
            here = table.ireval.join(judged).here
            hits, size = here.expected()
            at = here.positions
            assert len(at.item) <= hits <= 3 * len(at.item)
            arrays = [
                getattr(at, name) for name in ("item", "run", "rank", "start", "size", "retrieved")
            ]
            arrays += [at.judged.topic, at.judged.doc, at.judged.grade]
            assert sum(array.nbytes for array in arrays) <= size

    @pytest.mark.broad
    def test_positions_that_might_not_fit_are_not_begun(self, some, qrels):
        seen = ["of this test"]
        joined = _read_with(some, seen).ireval.join(qrels)
        before = len(seen)
        with dask.config.set({"pdeval.gather-limit": "100 KiB"}):
            with pytest.raises(
                ValueError,
                match=r"the positions of all judged items, which curve\(\) needs \(5 runs x 50 queries, up to .* may",
            ):
                joined.curve()
            with pytest.raises(
                ValueError,
                match=r"at most 100.00 kiB are gathered. measure\(\), prefer\(\), .* run in the partitions",
            ):
                joined.curve()
            with pytest.raises(
                ValueError, match="the positions of all judged items, which this needs"
            ):
                joined.gathered()
            assert len(seen) == before
            expected = quiet(some.ireval.measure, qrels, ["AP", "RR"])
            same_bits(expected, gathered(quiet(joined.measure, ["AP", "RR"]), SCORES))
            same_bits(expected.ireval.summary(), quiet(joined.summary, ["AP", "RR"]))
        same_bits(quiet(some.ireval.curve, qrels), quiet(joined.curve))

    @pytest.mark.broad
    def test_the_bound_that_the_error_advises_is_enough(self, some, qrels):
        joined = divided(some, 3).ireval.join(qrels)
        with (
            dask.config.set({"pdeval.gather-limit": "1 KiB"}),
            pytest.raises(ValueError, match="raise") as told,
        ):
            joined.curve()
        advised = str(told.value).rpartition("': '")[2].partition("'")[0]
        with dask.config.set({"pdeval.gather-limit": advised}):
            assert len(quiet(joined.curve)) == 55


class TestRows:
    @pytest.mark.broad
    def test_items_that_nobody_returned_are_counted_where_the_rows_are(self, few, qrels):
        measure = "ASL(unretrieved=corpus)"
        expected = quiet(few.ireval.mean, qrels, measure)
        table = divided(few, 3, "mixed")
        with dask.config.set({"pdeval.gather-limit": "500 KiB"}):  # positions fit, the rows do not
            same_bits(expected, quiet(table.ireval.mean, qrels, measure))
            with pytest.raises(
                ValueError, match=r"the 4,\d+ rows of the run table, which this needs, may take"
            ):
                table.ireval.join(qrels).tables[0]

    @pytest.mark.broad
    def test_rows_are_read_only_where_a_verb_asks_for_them(self, some, qrels):
        seen = ["of that test"]
        joined = _read_with(some, seen).ireval.join(qrels)
        joined.positions  # noqa: B018
        once = len(seen)
        quiet(joined.curve)
        assert len(seen) == once
        quiet(joined.explain, "116")  # unjudged documents are rows of the run table
        assert len(joined.tables[0].frame) == len(some)
        assert len(seen) > once

    @pytest.mark.broad
    def test_the_callers_name_of_the_grade_is_kept(self, some):
        qrels = pdeval.datasets.sample_qrels().rename(columns={"relevance": "label"})
        expected = some.ireval.join(qrels).explain("116", "AP")
        assert "label" in expected
        same_bits(expected, divided(some, 3, "mixed").ireval.join(qrels).explain("116", "AP"))


@pytest.fixture
def rows_verb():
    """A verb of run tables that reads the rows, declared after the accessors were made."""

    @verb(on="runs")
    def lengths_of(
        runs: Table, qrels: object = None, *, ties: str | None = None, queries: str = ""
    ) -> pd.DataFrame:
        """Return how many rows each run has.

        Parameters
        ----------
        qrels : DataFrame, optional
            Judgments.
        ties, queries : str, optional
            Rules.
        """
        frame = runs.frame.groupby("run", observed=True).size().rename("n").reset_index()
        judged = qrels.frame if isinstance(qrels, Table) else qrels
        return frame.assign(judged=len(judged), ties=str(ties), queries=queries)

    yield
    del VERBS["runs"]["lengths_of"]
    for accessor, kind in ((ACCESSORS["runs"], "runs"), (Joined, "judged")):
        del accessor.lengths_of
        accessor._verbs = of_kind(kind)


@pytest.mark.usefixtures("rows_verb")
class TestVerbsOfRunTables:
    @pytest.mark.broad
    def test_their_rows_are_gathered(self, some, qrels):
        table = divided(some, 5, "mixed")
        same_bits(
            some.ireval.lengths_of(qrels, queries="x"), table.ireval.lengths_of(qrels, queries="x")
        )
        same_bits(some.ireval.lengths_of(qrels), table.ireval.lengths_of(divided(qrels, 2)))

    @pytest.mark.broad
    def test_a_join_tells_them_its_judgments_and_rules(self, some, qrels):
        rules = {"ties": "rank", "queries": "common"}
        joined = divided(some, 5, "mixed").ireval.join(qrels, **rules)
        found = joined.lengths_of()
        assert found["ties"].tolist() == ["rank"] * 5
        same_bits(some.ireval.join(qrels, **rules).lengths_of(), found)
        assert joined.plan.made == {}  # no positions were gathered for it

    def test_too_many_rows_are_an_error_that_says_what_to_do(self, some, qrels):
        table = divided(some, 5, "mixed")
        with dask.config.set({"pdeval.gather-limit": "100 KiB"}):
            with pytest.raises(
                ValueError,
                match=r"rows of the run table, which lengths_of\(\) needs, may take .* and at most",
            ):
                table.ireval.lengths_of(qrels)
            with pytest.raises(
                ValueError, match=r"Select columns, runs or queries first, or raise the limit"
            ):
                table.ireval.join(qrels).lengths_of()


def _read_with(frame, seen):
    """Return a frame in three partitions on Dask, which notes every read; Dask takes equal functions for the same."""
    import dask.dataframe as dd

    parts = np.array_split(np.arange(len(frame)), 3)

    def read(at):
        seen.append(at)
        return frame.iloc[parts[at]]

    return dd.from_map(read, range(3), meta=frame.iloc[:0])


@pytest.mark.broad
def test_a_join_on_dask_is_a_join(some, qrels):
    joined = divided(some, 3, "mixed").ireval.join(qrels, queries="common")
    plain = Joined(joined.positions, joined.level, joined.query_rule)
    assert isinstance(joined, Joined)
    assert joined.attrs == plain.attrs
    np.testing.assert_array_equal(joined.counted(), replace(plain).counted())


@pytest.mark.parametrize(("complete", "items", "hits"), [(True, 4, 3 + 1), (False, 2, 2 + 1)])
def test_what_positions_may_take_is_counted_by_list_from_what_is_judged(complete, items, hits):
    runs = naive.table({"a": {"1": ["x", "y", "z"]}, "b": {"1": ["x"]}})
    qrels = naive.judgments({"1": {"x": 1, "y": 0, "z": 2, "w": 0}})
    found = Gathered(plan(divided(runs, 2), qrels, complete=complete))
    # 40 bytes per hit, 64 per item, 8 for each of two lists
    assert found.expected() == (hits, 40 * hits + 64 * items + 8 * 2)
    assert len(found) == 2
    rows, judged = found
    assert (len(rows.frame), len(judged.frame)) == (4, 4)


def test_rows_that_a_verb_of_run_tables_needs_are_gathered_only_where_they_are_few():
    runs = naive.table({"a": {"1": ["x", "y", "z"]}, "b": {"1": ["x"]}})
    labels = pd.DataFrame(
        {"query_id": "1", "doc_id": ["x", "x"], "assessor": ["ann", "bob"], "label": [1, 1]}
    )
    table = divided(runs, 2)
    assert table.ireval.swap_assessors(labels, "AP")["runs"].tolist() == [2]
    with (
        dask.config.set({"pdeval.gather-limit": "100 B"}),
        pytest.raises(
            ValueError,
            match=r"the 4 rows of the run table, which swap_assessors\(\) needs, may take",
        ),
    ):
        table.ireval.swap_assessors(labels, "AP")


@pytest.mark.broad
@pytest.mark.parametrize("rows", ["by run", "by query", "mixed"])
def test_hyperparameters_that_are_missing_or_fractions_tell_runs_apart(few, qrels, rows):
    rate = few["run"].map({"bm25": 0.5, "ql": np.nan, "tfidf": 0.1, "dense-s1": np.nan})
    table = divided(few.assign(rate=rate), 3, rows).ireval(run=["run", "rate"])
    expected = table._frame.compute().reset_index(drop=True).ireval(run=["run", "rate"]).join(qrels)
    found = table.join(qrels)
    same_positions(by_run(expected.positions), found.positions)
    by = ["run", "rate", "query_id"]
    same_bits(
        quiet(expected.measure, ["AP", "RR"]), gathered(quiet(found.measure, ["AP", "RR"]), by)
    )
    same_bits(quiet(expected.order, "RPP"), quiet(found.order, "RPP"))


@pytest.mark.broad
def test_leaving_runs_out_of_the_pool_gathers_no_rows(some, qrels):
    joined = divided(some, 3, "mixed").ireval.join(qrels)
    team = {"bm25": "a", "bm25+rm3": "a", "ql": "b", "tfidf": "c", "dense-s1": "d"}
    joined.positions  # noqa: B018
    with dask.config.set({"pdeval.gather-limit": "1 KiB"}):
        for options in ({}, {"team": team}):
            expected = quiet(some.ireval.join(qrels).pool.leave_one_out, "AP", **options)
            same_bits(expected, quiet(joined.gathered().pool.leave_one_out, "AP", **options))


def test_a_row_takes_the_bytes_of_its_numbers_categories_and_texts():
    frame = pd.DataFrame(
        {"run": pd.Categorical(["a"]), "doc_id": ["d"], "score": [0.5], "rank": [1], "n": [2]}
    )
    assert bytes_of_a_row(frame) == 4 + 48 + 3 * 8
