"""Verbs over groups of queries asked of runs and of joins; metadata about collections; what is wrong with either."""

import io

import pandas as pd
import pytest

import pdeval
from pdeval.accessor import pipeline
from pdeval.verbs import of_kind
from tests.verb_calls import arguments

RUNS, QRELS = pdeval.datasets.load_sample()[:2]
QUERIES = QRELS["query_id"].drop_duplicates().reset_index(drop=True)
THIRDS = pd.DataFrame({"query_id": QUERIES, "third": (QUERIES.astype(int) % 3).map("t{}".format)})
VERBS = {
    "meta_analysis": {"baseline": "bm25", "draws": 50},
    "meta_analysis.sample_size": {"baseline": "bm25"},
    "segments": {},
    "segments.gaps": {"baseline": "bm25"},
}


def called(accessor, name, *args, **options):
    for part in name.split("."):
        accessor = getattr(accessor, part)
    return accessor(*args, **options)


def stacked(frame):
    """Return a table as three collections whose queries have the same ids."""
    number = frame["query_id"].astype(int)
    return frame.assign(
        collection=(number % 3).map("s{}".format), query_id=(number // 3).astype(str)
    )


def from_file(frame):
    text = io.StringIO(frame.to_csv(index=False))
    # as pandas 3 reads numbers anyway: to the nearest
    nearest = (
        {} if int(pd.__version__.partition(".")[0]) >= 3 else {"float_precision": "round_trip"}
    )
    return pd.read_csv(text, dtype={"query_id": str}, **nearest)


@pytest.fixture(scope="module")
def judged():
    return RUNS.ireval.join(QRELS, queries="common")


@pytest.fixture(scope="module")
def scores():
    return stacked(RUNS).ireval.measure(stacked(QRELS), "AP", by="collection", queries="common")


@pytest.mark.broad
@pytest.mark.parametrize("measure", ["AP", "RPP"])
@pytest.mark.parametrize("name", VERBS)
def test_runs_and_joins_are_asked_as_their_values_are(judged, name, measure):
    options = {**VERBS[name], "by": "third"}
    values = judged.measure(measure) if measure == "AP" else judged.prefer(measure)
    wanted = called(values.merge(THIRDS, on="query_id").ireval, name, **options)
    for found in (
        called(values.ireval, name, **options, metadata=THIRDS),
        called(judged, name, measure, **options, metadata=THIRDS),
        called(RUNS.ireval, name, QRELS, measure, **options, metadata=THIRDS, queries="common"),
        called(
            RUNS.merge(THIRDS, on="query_id").ireval,
            name,
            QRELS,
            measure,
            **options,
            queries="common",
        ),
    ):
        pd.testing.assert_frame_equal(found, wanted, check_exact=True)
        assert found.attrs["queries"] == "common"


@pytest.mark.broad
@pytest.mark.parametrize("measure", ["AP", "RPP"])
@pytest.mark.parametrize("name", VERBS)
def test_stacked_collections_are_joined_to_their_own_judgments_first(name, measure):
    runs, qrels = stacked(RUNS), stacked(QRELS)
    options = {**VERBS[name], "by": "collection"}
    first = runs.ireval.measure if measure == "AP" else runs.ireval.prefer
    wanted = called(
        first(qrels, measure, by="collection", queries="common").ireval, name, **options
    )
    found = called(runs.ireval, name, qrels, measure, **options, queries="common")
    pd.testing.assert_frame_equal(found, wanted, check_exact=True)
    if name == "meta_analysis":
        assert found["collections"].unique().tolist() == [3]


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("measure", {"measures": ["AP", "RR"]}),
        ("prefer", {"measures": ["RPP", "sgnLP"]}),
        ("summary", {"measures": ["AP", "nDCG@10"]}),
        ("summary", {"measures": "RPP"}),
        ("compare", {"measures": "AP", "baseline": "bm25"}),
        ("order", {"measures": ["RPP", "AP"]}),
        ("quantiles", {"measures": "AP"}),
    ],
)
@pytest.mark.parametrize("lacking", [None, "ql"])
def test_collections_joined_at_once_equal_one_join_each(name, options, lacking, monkeypatch):
    common = set(pdeval.datasets.sample_judged(queries="common").measure("AP")["query_id"])
    runs, qrels = (stacked(frame[frame["query_id"].isin(common)]) for frame in (RUNS, QRELS))
    runs = runs[~((runs["run"] == lacking) & (runs["collection"] == "s1"))]
    results = []
    joined = pipeline.Collections._joined_at_once

    def remembered(*arguments):
        results.append(joined(*arguments))
        return results[-1]

    monkeypatch.setattr(pipeline.Collections, "_joined_at_once", remembered)
    at_once = called(runs.ireval, name, qrels, by="collection", **options)
    # a collection without one of the runs is joined alone
    assert [one is None for one in results] == [lacking is not None]
    monkeypatch.setattr(pipeline.Collections, "_joined_at_once", lambda *_: None)
    each = called(runs.ireval, name, qrels, by="collection", **options)
    pd.testing.assert_frame_equal(at_once, each, check_exact=True)
    assert at_once.attrs == each.attrs


# of the verbs with by=, these are about all groups, compare runs of several columns, or are given further tables
APART = ("replicates", "replicates.compare", "pool.leave_one_out", "abstention", "measure_spans")
# verbs that read rows of the run table beside the ranks of judged items: each collection is joined alone
OF_ROWS = ("awrf", "expected_exposure")


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=() if name in ("curve", "agree.locality") else pytest.mark.broad)
        for name, verb in of_kind("judged").items()
        if "by" in pipeline.options_of(verb) and name not in APART and "judged" in verb.on
    ],
)
def test_every_verb_of_collections_joined_at_once_equals_one_join_each(name, judged, monkeypatch):
    kept = judged.measure("AP")["query_id"]
    runs, qrels = (stacked(frame[frame["query_id"].isin(kept)]) for frame in (RUNS, QRELS))
    joined, results = pipeline.Collections._joined_at_once, []
    monkeypatch.setattr(
        pipeline.Collections,
        "_joined_at_once",
        lambda *given: results.append(joined(*given)) or results[-1],
    )
    options = {**arguments(name, judged), "by": "collection"}
    at_once = called(runs.ireval, name, qrels, **options)
    assert [one is None for one in results] == [name in OF_ROWS]
    monkeypatch.setattr(pipeline.Collections, "_joined_at_once", lambda *_: None)
    each = called(runs.ireval, name, qrels, **options)
    pd.testing.assert_frame_equal(at_once, each, check_exact=True)
    assert at_once.attrs == each.attrs


@pytest.mark.broad
@pytest.mark.extras
@pytest.mark.parametrize("name", VERBS)
def test_stacked_collections_on_dask_are_asked_alike(name):
    dd = pytest.importorskip("dask.dataframe")
    import pdeval.dask.accessor  # noqa: F401

    runs, qrels = stacked(RUNS), stacked(QRELS)
    options = {**VERBS[name], "by": "collection", "queries": "common"}
    divided = dd.from_pandas(runs, npartitions=3)
    found, wanted = (called(one.ireval, name, qrels, "AP", **options) for one in (divided, runs))
    pd.testing.assert_frame_equal(found, wanted, check_exact=True, check_dtype=False)


@pytest.mark.broad
def test_segments_of_stacked_collections_keep_their_queries_apart(scores):
    runs, qrels = stacked(RUNS), stacked(QRELS)
    runs.attrs["collections"] = ["collection"]  # as read_collections says it
    kinds = pd.DataFrame({"collection": ["s2", "s0", "s1"], "kind": ["web", "news", "news"]})
    found = runs.ireval.segments(qrels, "AP", by="kind", metadata=kinds, queries="common")
    news = scores[scores["collection"].isin(["s0", "s1"])]
    assert found["n"].max() == (news["run"] == "bm25").sum()
    by_hand = news.groupby("run")["value"].mean()
    shown = found[found["kind"] == "news"].set_index("run")["mean"]
    pd.testing.assert_series_equal(shown, by_hand, check_names=False)


def test_a_group_of_runs_is_no_segment(judged):
    metadata = pdeval.datasets.sample_metadata()
    with pytest.raises(
        ValueError, match=r"by='family' is about runs\. Use a column about queries or collections"
    ):
        judged.segments("AP", by="family", metadata=metadata)


@pytest.mark.broad
def test_a_report_of_stacked_collections_groups_them_by_metadata_too():
    runs, qrels, by = stacked(RUNS), stacked(QRELS), ["collection", "length"]
    about = runs[["collection", "query_id"]].drop_duplicates()
    about["length"] = (about["query_id"].astype(int) % 2).map({0: "long", 1: "short"})
    found = runs.ireval.report(qrels, "AP", by=by, metadata=about, queries="common")
    scores = runs.ireval.measure(qrels, "AP", by=by, metadata=about, queries="common")
    assert str(found) == str(scores.ireval.report(by=by))
    assert "s2, short" in str(found)


def test_scores_and_preferences_are_asked_apart(judged):
    with pytest.raises(
        ValueError,
        match=r"AP and RPP are a measure of one ranking and a preference\. Request one kind",
    ):
        judged.meta_analysis(["AP", "RPP"], by="third", metadata=THIRDS)
    with pytest.raises(
        ValueError,
        match=r"AP and RPP are a measure of one ranking and a preference\. Request one kind",
    ):
        stacked(RUNS).ireval.meta_analysis(stacked(QRELS), ["AP", "RPP"], by="collection")


class TestMetadataAboutCollections:
    kinds = pd.DataFrame(
        {"collection": ["s1", "s2", "s0"], "kind": ["news", "web", "web"], "year": [1, 2, 3]}
    )

    @pytest.mark.broad
    def test_they_are_titles_over_collections(self, scores):
        runs, qrels = stacked(RUNS), stacked(QRELS)
        by = ["kind", "collection"]
        found = runs.ireval.summary(qrels, "AP", by=by, metadata=self.kinds, queries="common")
        assert found[by].drop_duplicates().to_numpy().tolist() == [
            ["news", "s1"],
            ["web", "s0"],
            ["web", "s2"],
        ]
        assert found.attrs["collections"] == ["collection"]
        plain = runs.ireval.summary(qrels, "AP", by="collection", queries="common").set_index(
            ["collection", "run"]
        )
        again = found.set_index(["collection", "run"])
        assert again["mean"].to_dict() == plain["mean"].to_dict()
        for table in (scores, from_file(scores)):
            of_scores = table.ireval.summary(by=by, metadata=self.kinds)
            pd.testing.assert_frame_equal(of_scores, found, check_exact=True, check_dtype=False)

    @pytest.mark.broad
    def test_they_cover_every_collection_once(self, scores):
        runs, qrels = stacked(RUNS), stacked(QRELS)
        for about, text in (
            (self.kinds[:2], "the metadata have no row for collection 's0'. Add the missing rows"),
            (
                pd.concat([self.kinds, self.kinds.assign(kind="x")]),
                "3 values of collection, e.g. .* more than once",
            ),
        ):
            for ask in (
                lambda **given: runs.ireval.summary(qrels, "AP", **given),
                scores.ireval.summary,
            ):
                with pytest.raises(ValueError, match=text):
                    ask(by=["kind", "collection"], metadata=about)

    def test_ids_of_queries_are_told_apart_by_their_collection(self, scores):
        about = scores[["collection", "query_id"]].drop_duplicates()
        about["hard"] = (about["collection"] == "s0").map({True: "yes", False: "no"})
        found = scores.ireval.summary(by=["collection", "hard"], metadata=about)
        assert found[["collection", "hard"]].drop_duplicates()["hard"].tolist() == [
            "yes",
            "no",
            "no",
        ]


def accessors():
    """Ways to ask for a mean of the same values: runs, a join, scores, preferences, and runs and scores on Dask."""
    judged = RUNS.ireval.join(QRELS, queries="common")
    made = {
        "runs": lambda **given: RUNS.ireval.summary(QRELS, "AP", queries="common", **given),
        "judged": lambda **given: judged.summary("AP", **given),
        "scores": lambda **given: judged.measure("AP").ireval.summary(**given),
        "preferences": lambda **given: judged.prefer("RPP").ireval.summary(**given),
    }

    def on_dask(ask):
        def asked(**given):
            dd = pytest.importorskip("dask.dataframe")
            import pdeval.dask.accessor  # noqa: F401

            return ask(lambda frame: dd.from_pandas(frame, npartitions=3), **given)

        return asked

    made["dask runs"] = on_dask(
        lambda divided, **given: divided(RUNS).ireval.summary(
            QRELS, "AP", queries="common", **given
        )
    )
    made["dask scores"] = on_dask(
        lambda divided, **given: divided(judged.measure("AP")).ireval.summary(**given)
    )
    return made


DOORS = accessors()


@pytest.mark.parametrize("accessor", DOORS)
def test_metadata_that_lack_a_query_are_refused_at_every_accessor(accessor):
    with pytest.raises(
        ValueError,
        match=r"the metadata have no row for 5 values of query_id, e\.g\. '101', '102', ",
    ):
        DOORS[accessor](by="third", metadata=THIRDS[5:])


@pytest.mark.parametrize("accessor", DOORS)
def test_metadata_that_name_a_query_twice_are_refused_at_every_accessor(accessor):
    twice = pd.concat([THIRDS, THIRDS[:1].assign(third="other")])
    with pytest.raises(
        ValueError, match=r"query_id '101' more than once. Keep one row per query_id"
    ):
        DOORS[accessor](by="third", metadata=twice)


@pytest.mark.parametrize("accessor", [name for name in DOORS if name != "preferences"])
def test_metadata_that_lack_a_run_or_name_it_twice_are_refused_at_every_accessor(accessor):
    about = pdeval.datasets.sample_metadata()
    with pytest.raises(
        ValueError, match=r"the metadata have no row for run 'bm25'. Add the missing rows"
    ):
        DOORS[accessor](by="family", metadata=about[about["run"] != "bm25"])
    with pytest.raises(
        ValueError,
        match=r"12 values of run, .* more than once. Use .drop_duplicates",
    ):
        DOORS[accessor](by="family", metadata=pd.concat([about, about]))


class TestQueryIdsOfSeveralCollections:
    text = "16 of 18 query ids are in several collections, e.g. '34' in .*: they are different queries. Column "
    advice = "'collection' identifies collections: use by='collection', with the same column in the {}, for each"

    @pytest.mark.parametrize("disjoint", [False, True])
    def test_they_are_not_joined_as_one(self, disjoint):
        runs, qrels = stacked(RUNS), stacked(QRELS)
        if disjoint:  # no row repeats another: only the column tells
            runs, qrels = (
                one.assign(doc_id=one["collection"] + one["doc_id"]) for one in (runs, qrels)
            )
        for ask in (
            lambda: runs.ireval.measure(qrels, "AP"),
            lambda: runs.ireval.join(qrels),
            lambda: runs.drop(columns="collection").ireval.measure(qrels, "AP"),
        ):
            with pytest.raises(ValueError, match=self.text + self.advice.format("runs")):
                ask()
        with pytest.raises(ValueError, match=self.text + self.advice.format("judgments")):
            runs.ireval.measure(qrels.drop(columns="collection"), "AP", by="collection")

    @pytest.mark.broad
    @pytest.mark.extras
    def test_they_are_not_joined_as_one_on_dask(self):
        dd = pytest.importorskip("dask.dataframe")
        import pdeval.dask.accessor  # noqa: F401

        runs, qrels = dd.from_pandas(stacked(RUNS), npartitions=3), stacked(QRELS)
        for judgments in (qrels, dd.from_pandas(qrels, npartitions=2)):
            with pytest.raises(ValueError, match=self.text + self.advice.format("runs")):
                runs.ireval.measure(judgments, "AP")
        with pytest.raises(ValueError, match=self.text + self.advice.format("judgments")):
            runs.ireval.measure(qrels.drop(columns="collection"), "AP")

    def test_ids_that_are_of_one_collection_each_may_be_joined_at_once(self):
        part = [
            frame.assign(collection=(frame["query_id"].astype(int) % 3).astype(str))
            for frame in (RUNS, QRELS)
        ]
        assert len(part[0].ireval.measure(part[1], "AP", queries="common")) == 12 * 48

    @pytest.mark.broad
    def test_scores_from_a_file_are_first_told_to_group(self, scores):
        found = from_file(scores)
        text = r"the table has duplicate rows \(run, query_id, measure\)\. Column 'collection' identifies collections: "
        text += "use by='collection'"
        for verb in ("summary", "order", "compare"):
            with pytest.raises(ValueError, match=text + r" for each, or \.meta_analysis"):
                called(found.ireval, verb)
        wanted = scores.ireval.meta_analysis(by="collection", draws=10)
        pd.testing.assert_frame_equal(
            found.ireval.meta_analysis(by="collection", draws=10), wanted, check_exact=True
        )
        assert len(found.ireval.segments(by="collection")) == 3 * 12
        assert found.ireval.report(by="collection").rows == scores.ireval.report().rows
        pd.testing.assert_frame_equal(
            found.ireval.order(by="collection"),
            scores.ireval.order(by="collection"),
            check_dtype=False,
        )

    @pytest.mark.broad
    def test_preferences_from_a_file_are_first_told_to_group(self):
        found = from_file(
            stacked(RUNS).ireval.prefer(stacked(QRELS), "RPP", by="collection", queries="common")
        )
        for verb in ("summary", "order", "compare"):
            with pytest.raises(
                ValueError,
                match=r"repeat an earlier .*\. Column 'collection' identifies collections",
            ):
                called(found.ireval, verb)

    def test_where_no_column_tells_them_apart_one_is_asked_for_first(self, scores):
        text = r"repeat an earlier .*\. If the table stacks several collections, add a column that identifies them"
        with pytest.raises(ValueError, match=text):
            from_file(scores).drop(columns="collection").ireval.order()
        both = [stacked(one).drop(columns="collection") for one in (RUNS, QRELS)]
        with pytest.raises(
            ValueError,
            match=r"different grades, .*If they belong to collections, add a column",
        ):
            both[0].ireval.measure(both[1], "AP")


class TestSegmentsOfOneQuery:
    alone = pd.DataFrame({"query_id": QUERIES, "part": ["one", *["rest"] * (len(QUERIES) - 1)]})

    def test_they_have_a_mean_and_no_test(self, judged):
        found = judged.segments("AP", by="part", metadata=self.alone)
        one = found[found["part"] == "one"]
        assert one["n"].unique().tolist() == [1]
        assert one["mean"].notna().all()
        assert one[["ci_low", "ci_high", "gap_p"]].isna().all(axis=None)
        assert not one["gap_significant"].any()

    @pytest.mark.parametrize("verb", ["compare", "discriminative_power", "anova"])
    def test_tests_leave_them_out_by_name(self, judged, verb):
        with pytest.warns(
            UserWarning,
            match="1 of 2 groups was skipped because of too few runs or queries, e.g. part='one'",
        ):
            found = called(judged, verb, "AP", by="part", metadata=self.alone)
        assert found["part"].unique().tolist() == ["rest"]

    def test_a_verdict_leaves_them_out_by_name(self, judged):
        with pytest.warns(
            UserWarning, match=r"1 of 2 groups by part is skipped: 'one'\. No pair of runs has two"
        ):
            judged.meta_analysis("AP", by="part", metadata=self.alone, draws=10)


class TestMissingReplicates:
    @pytest.fixture
    def seeded(self, judged):
        """Two systems of two seeds, of which one lacks a seed on one query."""
        scores = judged.measure("AP")
        names = {
            "dense-s1": ("dense", 1),
            "dense-s2": ("dense", 2),
            "rerank-s1": ("rerank", 1),
            "rerank-s2": ("rerank", 2),
        }
        kept = scores[scores["run"].isin(names)]
        told = pd.DataFrame(
            kept["run"].map(names).tolist(), columns=["model", "seed"], index=kept.index
        )
        return pd.concat([told, kept.drop(columns="run")], axis=1)

    def test_a_seed_missing_on_one_query_is_told(self, seeded):
        less = seeded.drop(seeded.query("model == 'dense' and seed == 2").index[:1])
        with pytest.warns(
            UserWarning,
            match="1 of 48 queries are missing from at least one seed of 'dense'. These queries do not",
        ):
            found = less.ireval(run=["model", "seed"]).compare(replicate="seed")
        assert found["n"].tolist() == [47]

    def test_a_seed_missing_altogether_is_told(self, seeded):
        less = seeded.query("model != 'dense' or seed == 1")
        with pytest.warns(
            UserWarning,
            match="differs: 'dense' has 1 and 'rerank' has 2. Each system is averaged over",
        ):
            found = less.ireval(run=["model", "seed"]).summary(replicate="seed")
        assert found["model"].tolist() == ["dense", "rerank"]

    def test_a_verdict_takes_seeds_for_systems_only_with_a_warning(self, seeded):
        parts = seeded.assign(part=seeded["query_id"].astype(int) % 3)
        with pytest.warns(
            UserWarning,
            match="4 runs of 2 systems differ only in seed but are treated as independent",
        ):
            parts.ireval(run=["model", "seed"]).meta_analysis(by="part", draws=10)
        found = parts.ireval(run=["model", "seed"]).meta_analysis(
            by="part", replicate="seed", draws=10
        )
        assert found[["model_a", "model_b"]].to_numpy().tolist() == [["dense", "rerank"]]
