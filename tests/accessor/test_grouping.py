"""`by=`, `metadata=` and `replicate=`: one call for many groups gives the numbers of a loop by hand, bit for bit."""

import warnings
from functools import reduce

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pdeval
from pdeval.accessor.pipeline import options_of
from pdeval.evaluate.groups import rows_by
from pdeval.verbs import of_kind
from tests.examples import examples

RUNS, QRELS, METADATA = pdeval.datasets.load_sample()
NAMES = ["bm25", "ql", "dense-s1", "dense-s2", "rerank-s1"]
RUNS = RUNS[RUNS["run"].isin(NAMES)].reset_index(drop=True)
QUERIES = pd.DataFrame({"query_id": sorted(QRELS["query_id"].unique())})
QUERIES["category"] = np.where(np.arange(len(QUERIES)) % 3 == 0, "long", "short")

ITEMS = pd.concat([RUNS[["doc_id"]], QRELS[["doc_id"]]]).drop_duplicates(ignore_index=True)
ITEMS["group"] = np.where(ITEMS.index % 3 == 0, "few", "many")
OF_ITEMS = {
    "measures": ["Coverage@10"],
    "items": RUNS[["doc_id"]].drop_duplicates(),
    "draws": 20,
}

ARGUMENTS = {
    "agreement": None,
    "anova.sample_size": {"difference": 0.1},
    "awrf": {"groups": ITEMS},
    "exposure_shares": {"groups": ITEMS},
    # the items of a review are by default those of all runs of the join, also in groups of runs
    "recall_curve": {"n_items": 500},
    "stopping": {"n_items": 500},
    "beyond_accuracy": OF_ITEMS,
    "beyond_accuracy.compare": OF_ITEMS,
    "prefer": {"measures": ["RPP", "AP"]},
    "disaggregate": {"measures": ["AP", "RPP"], "baseline": "bm25"},
    "order": {"measures": ["AP", "RPP", "ASL"], "draws": 20},
    "compare": {"measures": ["AP", "RPP"]},
    "discriminative_power": {"measures": ["AP", "RPP"], "draws": 99},
    "discriminative_power.curve": {"measures": ["AP", "RPP"], "draws": 99},
    "equivalence": {"rope": 0.01},
    "delta_sort": {"new": "nDCG@10"},
    "replicates": {"measures": ["AP", "RR"], "replicate": "run"},
    "search_lengths.differences": {"run_a": "bm25", "run_b": "ql"},
    "search_lengths.rrie": {"run_a": "bm25", "run_b": "ql"},
    "search_lengths.wins": {"run_a": "bm25", "run_b": "ql"},
    "robustness": {"measures": ["AP", "RPP"], "to": "queries", "draws": 3, "keep": [5, 8]},
    "swap_assessors": {
        "labels": pd.concat([QRELS.assign(assessor=name) for name in "xy"]).rename(
            columns={"relevance": "label"}
        ),
        "measures": ["AP"],
    },
}
JOINED = [
    name
    for name, verb in of_kind("judged").items()
    if "by" in options_of(verb) and "judged" in verb.on
]
JOINED.remove("replicates.compare")  # whose systems are of several columns: tested with its own
OF_ROWS = [
    name
    for name, verb in of_kind("runs").items()
    if "by" in options_of(verb) and "judged" not in verb.on
]
# of scores; of systems of several columns
NOT_HERE = [("preferences", "anova"), ("preferences", "friedman"), ("scores", "replicates.compare")]
HELD = {
    kind: [
        name
        for name, verb in of_kind(kind).items()
        if "by" in options_of(verb) and (kind, name) not in NOT_HERE
    ]
    for kind in ("scores", "preferences", "orders")
}


def ask(accessor, name, **given):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return reduce(getattr, name.split("."), accessor)(**{**ARGUMENTS.get(name, {}), **given})


def by_hand(parts, column):
    """Return results under the label of their group, on each other."""
    frames = [frame.assign(**{column: label}) for label, frame in parts]
    whole = pd.concat([frame.astype(object) for frame in frames], ignore_index=True)
    return whole[[column, *(name for name in whole.columns if name != column)]]


def same(left, right):
    assert list(left.columns) == list(right.columns)
    pd.testing.assert_frame_equal(left.astype(object), right.astype(object), rtol=0, atol=0)


def queries_of(frame, category):
    return frame[frame["query_id"].isin(QUERIES.loc[QUERIES["category"] == category, "query_id"])]


@pytest.fixture(scope="module")
def judged():
    return RUNS.ireval.join(QRELS, queries="common")


@pytest.mark.parametrize("name", JOINED)
def test_groups_of_queries_are_the_loop_by_hand(judged, name):
    found = ask(judged, name, by="category", metadata=QUERIES)
    hand = []
    for category in ("long", "short"):
        own = judged.on(judged.positions.keep_topics((QUERIES["category"] == category).to_numpy()))
        hand.append((category, ask(type(judged)(own.positions, own.level, own.query_rule), name)))
    same(found, by_hand(hand, "category"))


@pytest.mark.broad
@pytest.mark.parametrize("name", JOINED)
def test_groups_of_runs_are_the_loop_by_hand(judged, name):
    kind = pd.DataFrame({"run": NAMES, "kind": ["old", "old", "new", "old", "new"]})
    given = {"run_a": "bm25", "run_b": "ql"} if "run_a" in ARGUMENTS.get(name, {}) else {}
    if given or name == "disaggregate":
        return  # both runs are of one group, and the other group has neither
    found = ask(judged, name, by="kind", metadata=kind)
    hand = []
    for one in ("new", "old"):
        own = RUNS[RUNS["run"].isin(kind.loc[kind["kind"] == one, "run"])]
        hand.append((one, ask(own.ireval.join(QRELS, queries="common"), name)))
    same(found, by_hand(hand, "kind"))


@pytest.mark.broad
@pytest.mark.parametrize("name", JOINED)
def test_stacked_collections_are_the_loop_by_hand(name):
    renamed = {
        "102": "101",
        "103": "104",
        "105": "107",
        "106": "110",
    }  # the ids of the first collection, other topics
    halves, qrels = (
        {
            "one": queries_of(frame, "long"),
            "two": frame[frame["query_id"].isin([*renamed])].assign(
                query_id=lambda f: f["query_id"].map(renamed)
            ),
        }
        for frame in (RUNS, QRELS)
    )
    runs = pd.concat(
        [part.assign(collection=label) for label, part in halves.items()], ignore_index=True
    )
    judgments = pd.concat(
        [part.assign(collection=label) for label, part in qrels.items()], ignore_index=True
    )
    given = {"keep": [3]} if name == "robustness" else {}
    found = ask(runs.ireval, name, qrels=judgments, by="collection", **given)
    hand = [
        (label, ask(halves[label].ireval, name, qrels=qrels[label], **given)) for label in halves
    ]
    same(found, by_hand(hand, "collection"))
    assert found.attrs["collections"] == ["collection"]


# they need tables that have tests of their own, in tests/answers and tests/online
NEED_TABLES = ("abstention", "interleave", "interleave.many", "measure_spans")


@pytest.mark.broad
@pytest.mark.parametrize("name", [name for name in OF_ROWS if name not in NEED_TABLES])
def test_verbs_of_run_tables_are_the_loop_by_hand(name):
    verb = of_kind("runs")[name]
    takes = {parameter.name for parameter in verb.parameters}
    given = {"qrels": QRELS} if "qrels" in takes else {}
    found = ask(RUNS.ireval, name, by="category", metadata=QUERIES, **given)
    hand = []
    for category in ("long", "short"):
        own = {"qrels": queries_of(QRELS, category)} if given else {}
        own |= (
            {"labels": queries_of(ARGUMENTS[name]["labels"], category)} if "labels" in takes else {}
        )
        hand.append((category, ask(queries_of(RUNS, category).ireval, name, **own)))
    same(found, by_hand(hand, "category"))


NEED_MACHINE = {
    "label_bounds": {},
    "label_next": {"n_queries": 2},
    "label_next.sample_size": {"width": 0.2},
}


@pytest.mark.broad
@pytest.mark.parametrize(
    ("kind", "name"), [(kind, name) for kind, names in HELD.items() for name in names]
)
def test_groups_of_a_table_are_the_loop_by_hand(judged, kind, name):
    table = {
        "scores": lambda: (
            judged.expected_exposure()
            if name == "exposure_tradeoff"
            else judged.measure(["AP", "nDCG@10"])
        ),
        "preferences": lambda: judged.prefer(["RPP", "AP"]),
        "orders": lambda: judged.order(["AP", "RPP"], by="category", metadata=QUERIES),
    }[kind]()
    if kind == "orders":
        given = {"others": judged.order(["AP", "RPP"])} if name == "correlate.against" else {}
        parts = {label: table[table["category"] == label] for label in ("long", "short")}
    else:
        attrs = table.attrs
        table = table.merge(QUERIES, on="query_id")
        table.attrs = attrs
        given = {"measures": None} if "measures" in ARGUMENTS.get(name, {}) else {}
        given |= {"confidence": RUNS} if name.startswith("risk_coverage") else {}
        if name in NEED_MACHINE:  # people labeled every fourth query
            known = table["query_id"].astype(int) % 4 == 0
            table = table.assign(machine=table["value"] * 0.9, value=table["value"].where(known))
            table.attrs, given = attrs, {**given, **NEED_MACHINE[name]}
        parts = {label: queries_of(table, label) for label in ("long", "short")}
    found = ask(table.ireval, name, by="category", **given)
    hand = [
        (label, ask(part.drop(columns="category").ireval, name, **given))
        for label, part in parts.items()
    ]
    same(found, by_hand(hand, "category"))


def test_two_columns_group_by_both_in_the_order_asked(judged):
    found = judged.summary("AP", by=["family", "category"], metadata=[METADATA, QUERIES])
    assert found[["family", "category", "run"]].drop_duplicates().to_records(index=False).tolist()[
        :3
    ] == [
        ("dense", "long", "dense-s1"),
        ("dense", "long", "dense-s2"),
        ("dense", "short", "dense-s1"),
    ]
    again = judged.summary("AP", by=["category", "family"], metadata=[METADATA, QUERIES])
    same(
        again.sort_values(["family", "category", "run"], ignore_index=True)[list(found.columns)],
        found,
    )


def test_metadata_of_stacked_collections_are_those_of_each_collection():
    # query 1 is easy in the first collection and hard in the second, whose ranking of it is another
    lists = {("one", "1"): "ab", ("one", "2"): "ba", ("two", "1"): "ba", ("two", "2"): "ab"}
    runs = pd.DataFrame(
        [
            (coll, "x", query, doc, -place)
            for (coll, query), docs in lists.items()
            for place, doc in enumerate(docs)
        ],
        columns=["collection", "run", "query_id", "doc_id", "score"],
    )
    asked = pd.DataFrame([*lists], columns=["collection", "query_id"])
    qrels = asked.assign(doc_id="a", relevance=1)
    kinds = asked.assign(kind=["easy", "hard", "hard", "easy"])
    found = runs.ireval.summary(qrels, "RR", by=["collection", "kind"], metadata=kinds)
    rows = found[["collection", "kind", "n", "mean"]].to_records(index=False).tolist()
    assert rows == [
        ("one", "easy", 1, 1.0),
        ("one", "hard", 1, 0.5),
        ("two", "easy", 1, 1.0),
        ("two", "hard", 1, 0.5),
    ]


class TestWhatIsSaid:
    def test_a_group_with_too_few_runs_is_left_out_by_name(self, judged):
        with pytest.warns(
            UserWarning,
            match=r"1 of 3 groups was skipped because of too few runs or queries, e\.g\. family='reranker': an order",
        ):
            found = judged.order("AP", by="family", metadata=METADATA)
        assert found["family"].unique().tolist() == ["dense", "lexical"]

    def test_where_no_group_has_enough_it_is_an_error(self, judged):
        one_each = QUERIES.assign(own=QUERIES["query_id"])
        with pytest.raises(
            ValueError,
            match=r"all groups have too few runs or queries, e.g\. own='101': a significance test needs",
        ):
            judged.compare("AP", by="own", metadata=one_each)

    def test_metadata_that_miss_a_run_or_have_it_twice(self, judged):
        with pytest.raises(ValueError, match="the metadata have no row for run 'bm25'"):
            judged.order("AP", by="family", metadata=METADATA[METADATA["run"] != "bm25"])
        with pytest.raises(ValueError, match="the metadata have run 'bm25' more than once"):
            judged.order(
                "AP",
                by="family",
                metadata=pd.concat([METADATA, METADATA.iloc[:1].assign(family="x")]),
            )

    def test_a_query_id_in_two_collections_needs_the_column(self):
        runs, qrels = (
            pd.concat([frame.assign(collection=name) for name in ("one", "two")])
            for frame in (RUNS, QRELS)
        )
        with pytest.raises(ValueError, match="by='collection'"):
            runs.ireval.measure(qrels, "AP")
        with pytest.raises(
            ValueError, match="by='collection', with the same column in the judgments"
        ):
            runs.ireval.measure(QRELS, "AP", by="collection", validate=False)

    def test_runs_of_a_collection_without_judgments(self):
        runs = pd.concat([RUNS.assign(collection=name) for name in ("one", "two")])
        with pytest.raises(
            ValueError, match=r"there are runs but no judgments of collection='two'\. .* have 'one'"
        ):
            runs.ireval.measure(
                QRELS.assign(collection="one"), "AP", by="collection", queries="common"
            )

    def test_a_table_of_several_collections_is_not_taken_for_one(self):
        runs, qrels = (
            pd.concat([frame.assign(collection=name) for name in ("one", "two")])
            for frame in (RUNS, QRELS)
        )
        scores = runs.ireval.measure(qrels, "AP", by="collection", queries="common")
        with pytest.raises(
            ValueError,
            match=r"several collections .* Use compare\(by='collection'\) for each collection",
        ):
            scores.ireval.compare()
        assert len(scores.ireval.compare(by="collection", baseline="bm25")) == 2 * 4

    @pytest.mark.parametrize(
        ("by", "match"),
        [
            ("query_id", "by='query_id' is the query of the table"),
            ("color", "no column 'color' to group by among .*Pass metadata="),
            ([], r"by=\[\]: expected a column name or a list of column names"),
            (7, "by=7: expected a column name or a list of column names"),
            (["run", "run"], "contains a column name twice"),
        ],
    )
    def test_by_that_names_no_group(self, judged, by, match):
        with pytest.raises((ValueError, KeyError), match=match):
            judged.order("AP", by=by)

    def test_missing_labels_of_groups_are_counted(self, judged):
        some = QUERIES.assign(category=QUERIES["category"].where(QUERIES.index > 2))
        with pytest.raises(
            ValueError,
            match=r"3 queries have a missing value in column 'category'\. Fill or drop them first",
        ):
            judged.compare("AP", by="category", metadata=some)

    def test_metadata_without_by(self, judged):
        with pytest.raises(
            ValueError, match=r"metadata= needs by= or replicate=\. Specify the columns"
        ):
            judged.order("AP", metadata=METADATA)


class TestReplicates:
    RUNS = (
        RUNS.merge(METADATA[["run", "model", "seed"]])
        .drop(columns="run")
        .ireval(run=["model", "seed"])
    )

    def test_values_are_averaged_within_each_query(self):
        with pytest.warns(UserWarning, match="differs: 'bm25' has 1 and 'dense' has 2"):
            found = self.RUNS.summary(QRELS, "AP", replicate="seed", queries="common")
        scores = RUNS.ireval.measure(QRELS, "AP", queries="common")
        dense = scores[scores["run"].str.startswith("dense")].groupby("query_id")["value"].mean()
        row = found[found["model"] == "dense"].iloc[0]
        assert row["n"] == len(dense) == 48
        assert row["mean"] == pytest.approx(dense.mean(), abs=1e-15)
        assert row["sd"] == pytest.approx(dense.std(), abs=1e-15)

    @pytest.mark.filterwarnings("ignore:the number of replicates")
    def test_a_preference_is_the_mean_over_pairs_of_replicates(self):
        found = self.RUNS.summary(QRELS, "RPP", replicate="seed", queries="common", baseline="bm25")
        prefs = RUNS.ireval.summary(QRELS, "RPP", queries="common", baseline="bm25")
        both = prefs[prefs["run_a"].isin(["dense-s1", "dense-s2"])]["mean"].mean()
        assert found.loc[found["model_a"] == "dense", "mean"].item() == pytest.approx(
            both, abs=1e-15
        )

    @pytest.mark.broad
    @pytest.mark.parametrize("method", ["mean", "borda", "mc4"])
    @pytest.mark.parametrize("grouped", [{}, {"by": "category", "metadata": QUERIES}])
    def test_averages_are_ordered_as_pref_eval_does_where_the_call_or_the_join_asks_for_it(
        self, method, grouped
    ):
        alike = pd.concat(
            [
                RUNS[RUNS["run"] == "bm25"].assign(model=name, seed=n)
                for name in "xaq"
                for n in (1, 2)
            ]
        )
        runs = alike.drop(columns="run").ireval(run=["model", "seed"])
        given = {"measures": "AP", "method": method, "replicate": "seed", **grouped}
        plain = runs.order(QRELS, queries="common", **given)
        assert set(plain["rank"]) == {1}  # three runs that are one
        for found in (
            runs.order(QRELS, queries="common", compat="pref_eval", **given),
            runs.join(QRELS, queries="common").order(compat="pref_eval", **given),
            runs.join(QRELS, queries="common", compat="pref_eval").order(**given),
        ):
            assert found["model"].tolist() == ["x", "q", "a"] * (2 if grouped else 1)
            assert found["rank"].tolist() == [1, 2, 3] * (2 if grouped else 1)

    def test_a_join_as_pref_eval_averages_for_verbs_that_have_no_such_rule(self):
        given = {"measures": "AP", "replicate": "seed"}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            asked = self.RUNS.join(QRELS, queries="common", compat="pref_eval").summary(**given)
            same(asked, self.RUNS.join(QRELS, queries="common").summary(**given))

    @pytest.mark.filterwarnings("ignore:the number of replicates")
    @pytest.mark.parametrize("verb", ["order"])
    def test_the_default_measures_of_averages_are_those_of_the_verb(self, verb):
        found = getattr(self.RUNS.join(QRELS, queries="common"), verb)(replicate="seed")
        assert found["measure"].unique().tolist() == ["RPP"]
        same(found, getattr(self.RUNS, verb)(QRELS, replicate="seed", queries="common"))

    def test_a_column_that_names_no_run(self):
        with pytest.raises(
            KeyError,
            match="replicate='fold' is not an id column of the runs; they have model, seed",
        ):
            self.RUNS.compare(QRELS, "AP", replicate="fold", queries="common")

    def test_a_table_of_scores_is_averaged_before_it_is_compared(self):
        scores = self.RUNS.measure(QRELS, ["AP", "RR"], queries="common")
        with pytest.warns(UserWarning, match="'bm25' has 1 and"):
            found = scores.ireval.compare("RR", replicate="seed")
        with pytest.warns(UserWarning, match="'bm25' has 1 and"):
            same(found, self.RUNS.compare(QRELS, "RR", replicate="seed", queries="common"))
        assert found["measure"].unique().tolist() == ["RR"]


@pytest.mark.broad
@given(
    st.lists(
        st.tuples(st.sampled_from("xyz"), st.integers(1, 2), st.integers(1, 9)),
        min_size=1,
        max_size=6,
    )
)
@examples(60)
def test_rows_of_a_group_are_those_of_a_plain_loop_however_they_stand(stretches):
    rows = [(part, half) for part, half, times in stretches for _ in range(times)]
    frame = pd.DataFrame(rows, columns=["part", "half"]).assign(n=range(len(rows)))
    frame.attrs["said"] = "kept"
    for by in (["part"], ["half", "part"]):
        labels, parts = rows_by(frame, by)
        keys = sorted({tuple(row) for row in frame[by].itertuples(index=False)})
        assert [tuple(row) for row in labels.itertuples(index=False)] == keys
        found = list(parts)
        own = [
            [n for n, row in enumerate(frame[by].itertuples(index=False)) if tuple(row) == key]
            for key in keys
        ]
        assert [part["n"].tolist() for part in found] == own
        assert all(part.attrs == {"said": "kept"} for part in found)


@pytest.mark.broad
def test_replicates_taken_for_systems_are_told_of_tables_too():
    runs = (
        RUNS.merge(METADATA[["run", "model", "seed"]])
        .drop(columns="run")
        .ireval(run=["model", "seed"])
    )
    text = "5 runs of 4 systems differ only in seed but are treated as independent systems"
    tables = (
        runs.measure(QRELS, "AP", queries="common"),
        runs.prefer(QRELS, "RPP", queries="common"),
    )
    for table in tables:
        with pytest.warns(UserWarning, match=text):
            table.ireval.compare()
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # an order without draws takes nothing for independent
        tables[0].ireval.order()
        tables[0].drop(columns="seed").assign(run=tables[0]["seed"].astype(str)).ireval(
            run=["model", "run"]
        ).order()


def test_groups_of_pairs_are_the_loop_by_hand_where_queries_are_summed_up(judged):
    found = judged.disaggregate("RPP", per="pair", by="category", metadata=QUERIES)
    long = QUERIES.loc[QUERIES["category"] == "long", "query_id"]
    part = RUNS[RUNS["query_id"].isin(long)].ireval.join(
        QRELS[QRELS["query_id"].isin(long)], queries="common"
    )
    wanted = part.disaggregate("RPP", per="pair")
    same(found[found["category"] == "long"].drop(columns="category").reset_index(drop=True), wanted)


def test_a_run_that_answered_no_query_of_a_group_is_not_in_it():
    long = QUERIES.loc[QUERIES["category"] == "long", "query_id"]
    runs = RUNS[(RUNS["run"] != "ql") | ~RUNS["query_id"].isin(long)]
    judged = runs.ireval.join(QRELS, queries="answered")
    for verb in ("measure", "summary", "order"):
        found = getattr(judged, verb)("AP", by="category", metadata=QUERIES)
        assert "ql" in set(found["run"])
        assert "ql" not in set(found.loc[found["category"] == "long", "run"])


def test_groups_that_are_none_are_no_groups(judged):
    same(judged.compare("AP", by=None, metadata=None, replicate=None), judged.compare("AP"))


@pytest.mark.broad
@pytest.mark.filterwarnings("ignore:the number of replicates")
def test_replicates_are_averaged_within_groups_of_runs_that_each_have_their_own_queries():
    runs = RUNS.merge(METADATA[["run", "model", "seed"]]).drop(columns="run")
    runs["kind"] = np.where(runs["model"].isin(["bm25", "ql"]), "sparse", "learnt")
    runs = runs[~((runs["model"] == "ql") & (runs["query_id"] == runs["query_id"].iloc[0]))]
    names = {"run": ["kind", "model", "seed"]}
    for measure in ("AP", "RPP"):
        found = runs.ireval(**names).compare(
            QRELS, measure, by="kind", replicate="seed", queries="common"
        )
        parts = [
            (kind, part.ireval(**names).compare(QRELS, measure, replicate="seed", queries="common"))
            for kind, part in runs.groupby("kind")
        ]
        expected = pd.concat([part for _, part in parts], ignore_index=True)
        assert found["n"].tolist() == expected["n"].tolist()
        np.testing.assert_array_equal(found["difference"], expected["difference"])


@pytest.mark.broad
def test_metadata_of_collections_may_stand_in_several_tables():
    runs, qrels = (
        pd.concat([frame.assign(collection=name) for name in ("one", "two")])
        for frame in (RUNS, QRELS)
    )
    fields = pd.DataFrame({"collection": ["one", "two"], "field": ["law", "news"]})
    years = pd.DataFrame({"collection": ["two", "one"], "year": [2021, 2020]})
    by = ["collection", "field", "year"]
    found = runs.ireval.summary(qrels, "AP", by=by, metadata=[fields, years], queries="common")
    both = runs.ireval.summary(qrels, "AP", by=by, metadata=fields.merge(years), queries="common")
    same(found, both)
    assert found[by].drop_duplicates().to_numpy().tolist() == [
        ["one", "law", 2020],
        ["two", "news", 2021],
    ]
