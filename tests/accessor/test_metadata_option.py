"""`metadata=` is taken wherever a verb groups or averages: of queries, users, runs and collections."""

import numpy as np
import pandas as pd
import pytest

import pdeval
from pdeval.accessor.methods import signature_of
from pdeval.verbs import of_kind
from tests.dask.bits import quiet, same_bits
from tests.verb_calls import asked

RUNS, QRELS, METADATA = pdeval.datasets.load_sample()
SOME = RUNS[
    RUNS["run"].isin(["bm25", "dense-s1", "dense-s2", "rerank-s1", "rerank-s2"])
].reset_index(drop=True)
USERS = pd.DataFrame({"query_id": sorted(QRELS["query_id"].unique())})
USERS["country"] = np.where(USERS.index % 3 == 0, "fr", "de")


@pytest.fixture(scope="module")
def judged():
    return SOME.ireval.join(QRELS, queries="common")


@pytest.mark.filterwarnings("ignore:the number of replicates")
class TestReport:
    @pytest.mark.parametrize("measures", ["AP", "RPP"])
    def test_metadata_of_queries_tell_its_groups_apart(self, judged, measures):
        table = judged.measure("AP") if measures == "AP" else judged.prefer("RPP")
        merged = table.merge(USERS)
        merged.attrs = table.attrs
        hand = merged.ireval.report(by="country")
        for found in (
            judged.report(measures, by="country", metadata=USERS),
            SOME.ireval.report(QRELS, measures, queries="common", by="country", metadata=USERS),
            table.ireval.report(by="country", metadata=USERS),
        ):
            assert found.to_markdown() == hand.to_markdown()

    def test_metadata_of_queries_and_of_runs_are_given_together(self, judged):
        found = judged.report("AP", by="country", replicate="seed", metadata=[USERS, METADATA])
        assert found.to_frame()["model"].tolist() == ["bm25", "dense", "rerank"]
        assert [column.group or column.header for column in found.columns][2:4] == ["de", "fr"]

    def test_stacked_collections_are_grouped_by_what_their_queries_are(self):
        runs, qrels = (
            pd.concat([one.assign(collection=name) for name in "xy"]) for one in (SOME, QRELS)
        )
        given = {"queries": "common", "by": ["collection", "country"], "metadata": USERS}
        found = runs.ireval.report(qrels, "AP", **given)
        hand = runs.ireval.measure(qrels, "AP", **given).ireval.report(by=given["by"])
        assert found.to_markdown() == hand.to_markdown()

    @pytest.mark.parametrize("measures", ["AP", "RPP"])
    def test_replicates_and_systems_are_named_by_metadata_of_runs(self, judged, measures):
        bound = (
            SOME.merge(METADATA[["run", "model", "seed"]])
            .drop(columns="run")
            .ireval(run=["model", "seed"])
        )
        hand = bound.report(QRELS, measures, queries="common", replicate="seed")
        table = judged.measure("AP") if measures == "AP" else judged.prefer("RPP")
        for found in (
            judged.report(measures, replicate="seed", metadata=METADATA),
            SOME.ireval.report(
                QRELS, measures, queries="common", replicate="seed", metadata=METADATA
            ),
            table.ireval.report(replicate="seed", metadata=METADATA),
        ):
            assert found.to_markdown() == hand.to_markdown()

    def test_systems_of_replicates_are_grouped_by_metadata_of_runs(self, judged):
        found = judged.report("AP", replicate="seed", group="family", metadata=METADATA)
        assert [group.title for group in found.groups] == ["lexical", "dense", "reranker"]
        assert list(found.origins[0].about().columns) == ["family", "year"]  # no seed, and no run

    def test_metadata_under_which_no_run_is_a_replicate_are_refused(self, judged):
        files = METADATA.assign(file=METADATA["run"] + ".txt")
        text = "no two runs have the same model, family, year, file .* Drop the columns of metadata= that differ"
        with pytest.raises(ValueError, match=text):
            judged.report("AP", replicate="seed", metadata=files)


class TestUsers:
    LOG = SOME[SOME["run"].isin(["bm25", "dense-s1"])].ireval.simulate_clicks(QRELS, sessions=6)
    ABOUT = pd.DataFrame({"user": LOG["user"].unique()})
    ABOUT["country"] = np.where(np.arange(len(ABOUT)) % 2 == 0, "fr", "de")

    @pytest.mark.parametrize(
        "name",
        [
            name
            for name, verb in of_kind("clicks").items()
            if "metadata" in signature_of(verb, "clicks").parameters
        ],
    )
    def test_every_verb_of_a_click_log_is_grouped_by_metadata_of_its_users(self, name):
        given = {"by": "country"}
        parameters = signature_of(of_kind("clicks")[name], "clicks").parameters
        if "draws" in parameters:
            given["draws"] = 3
        if (
            parameters.get("order") is not None
            and parameters["order"].default is parameters["order"].empty
        ):
            given["order"] = ["bm25", "dense-s1"]
        if "lists" in parameters:
            pytest.skip("of interleaved lists, which this log has none of")
        hand = asked(self.LOG.merge(self.ABOUT).ireval, name, given)
        same_bits(asked(self.LOG.ireval, name, {**given, "metadata": self.ABOUT}), hand)


NAMES = ["zeta", "alpha", "mid"]


@pytest.fixture(scope="module")
def stacked(tmp_path_factory):
    folder = tmp_path_factory.mktemp("collections")
    for name in NAMES:
        (folder / name / "runs").mkdir(parents=True)
        pdeval.write_runs(SOME[SOME["run"].isin(["bm25", "dense-s1"])], folder / name / "runs")
        pdeval.write_qrels(QRELS, folder / name / "qrels.txt")
    return pdeval.read_collections({name: folder / name for name in NAMES})


class TestOrderOfCollections:
    @pytest.mark.parametrize(
        "verb", ["segments", "meta_analysis", "collection_means", "summary", "compare"]
    )
    def test_the_order_of_the_dict_is_kept_in_tables_and_in_tables_of_tables(self, stacked, verb):
        runs, qrels = stacked
        options = {"per": "collection", "draws": 9} if verb == "meta_analysis" else {}
        given = {"by": "collection", **options}
        column = "query_id" if verb == "collection_means" else "collection"
        scores = quiet(runs.ireval.measure, qrels, "AP", by="collection")
        mixed = scores.sample(frac=1, random_state=1)
        mixed.attrs = scores.attrs
        tables = [quiet(getattr(runs.ireval, verb), qrels, "AP", **given)]
        tables += [quiet(getattr(one.ireval, verb), **given) for one in (scores, mixed)]
        for table in tables:
            assert table[column].astype(str).unique().tolist() == NAMES

    def test_the_order_of_the_dict_is_kept_in_reports(self, stacked):
        runs, qrels = stacked
        scores = quiet(runs.ireval.measure, qrels, "AP", by="collection")
        for report in (
            quiet(runs.ireval.report, qrels, "AP", by="collection", layout="rows", marks=None),
            scores.ireval.report(layout="rows", marks=None),
            scores.ireval.summary(by="collection").ireval.report(layout="rows"),
        ):
            assert report.to_frame().iloc[:, 0].tolist() == [*NAMES, "Mean"]
