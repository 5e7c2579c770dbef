"""Every verb of online/ on simulated users: its table is the one declared and is recognized; its accessors."""

import io

import numpy as np
import pandas as pd
import pytest

import pdeval
from pdeval.accessor import ACCESSORS, Joined
from pdeval.join import ranks
from pdeval.tables import reader
from pdeval.tables.recognition import kind_of
from pdeval.tables.schemas import SCHEMAS
from pdeval.verbs import VERBS
from tests.schema_faults import faults
from tests.temporary_declarations import undocumented

ORDER = ["hybrid", "bm25", "tfidf"]
PAIRS = [("bm25", "hybrid"), ("ql", "tfidf")]
VERBS_OF_USERS = {
    (kind, name): verb
    for kind, verbs in VERBS.items()
    for name, verb in verbs.items()
    if verb.function.__module__.startswith("pdeval.online.")
}


@pytest.fixture(scope="module")
def sample():
    return pdeval.datasets.load_sample()


@pytest.fixture(scope="module")
def some(sample):
    return sample.runs[sample.runs["run"].isin(ORDER)]


@pytest.fixture(scope="module")
def log(some, sample):
    return some.ireval.simulate_clicks(
        sample.qrels, "navigational", sessions=4, reformulate=0.5, seed=2
    )


@pytest.fixture(scope="module")
def results(sample, some, log):
    """What every verb returns, by the kind of table that has it and its name."""
    lists = sample.runs.ireval.interleave(pairs=PAIRS, draws=2)
    many = some.ireval.interleave.many(draws=2)
    clicks = lists.ireval.simulate_clicks(sample.qrels, users=20)
    credits = clicks.ireval.credit(lists)
    found = {
        ("runs", "interleave"): lists,
        ("runs", "interleave.many"): many,
        ("runs", "simulate_clicks"): log,
        ("lists", "simulate_clicks"): clicks,
        ("multileaved_lists", "simulate_clicks"): many.ireval.simulate_clicks(sample.qrels),
        ("clicks", "credit"): credits,
        ("credits", "wins"): credits.ireval.wins(),
        ("credits", "preferences"): credits.ireval.preferences(),
        ("clicks", "check_order"): log.ireval.check_order(ORDER),
        ("clicks", "check"): pd.concat([log, log.iloc[:2]]).ireval.check(),
    }
    found["clicks", "compare_buckets.aa_test"] = log.ireval.compare_buckets.aa_test(draws=5)
    for name in (
        "per_query",
        "per_session",
        "per_user",
        "sample_ratio",
        "behavior",
        "compare_buckets",
    ):
        found["clicks", name] = getattr(log.ireval, name)()
    found["clicks", "add_sessions"] = log.drop(columns="session").ireval.add_sessions()
    users = found["clicks", "per_user"].ireval
    for kind, accessor in (("clicks", log.ireval), ("users", users)):
        sizes = accessor.compare_buckets.sample_size(lift=0.1)
        found[kind, "compare_buckets.sample_size"] = sizes
    for name in ("sample_ratio", "behavior", "compare_buckets"):
        found["users", name] = getattr(users, name)()
    found["users", "check_order"] = users.check_order(ORDER)
    found["users", "compare_buckets.aa_test"] = users.compare_buckets.aa_test(draws=5)
    keys = pd.DataFrame({"query_id": ["a", "a"], "action": ["x", "y"]})
    feedback, policies = keys.assign(reward=1.0, propensity=0.5), keys.assign(probability=0.5)
    # a file of scores by round needs ireval(query="round")
    found["feedback", "off_policy"] = feedback.ireval.off_policy(policies, per="query")
    found["feedback", "off_policy.weights"] = feedback.ireval.off_policy.weights(policies)
    return found


def named(frame):
    """The caller's columns by role, as `faults` wants them."""
    roles = {
        key.removesuffix("_column"): [name]
        for key, name in frame.attrs.items()
        if key.endswith("_column")
    }
    return {"time": ["timestamp"], **roles, "run": frame.attrs.get("run_columns", ["run"])}


@pytest.mark.broad
def test_every_verb_of_the_room_is_tried(results):
    assert set(results) == set(VERBS_OF_USERS)


@pytest.mark.broad
@pytest.mark.parametrize("which", sorted(VERBS_OF_USERS), ids="-".join)
def test_every_result_is_the_table_that_was_declared(results, which):
    frame, (gives,) = results[which], VERBS_OF_USERS[which].returns
    assert len(frame) > 0
    assert frame.attrs["table"] == gives
    assert faults(SCHEMAS[gives], frame, named(frame)) == []
    assert repr(frame.ireval).startswith(f"{SCHEMAS[gives].description}: ")


@pytest.mark.broad
@pytest.mark.parametrize("which", sorted(VERBS_OF_USERS), ids="-".join)
def test_every_result_is_known_again_without_attrs(results, which):
    frame = pd.read_csv(io.StringIO(results[which].to_csv(index=False)))
    assert kind_of(frame) == VERBS_OF_USERS[which].returns[0]
    assert "fault" not in repr(frame.ireval)


@pytest.mark.parametrize("which", sorted(VERBS_OF_USERS), ids="-".join)
def test_every_option_of_every_accessor_is_documented(which):
    kind, name = which
    accessors = [ACCESSORS[kind], Joined] if kind == "runs" else [ACCESSORS[kind]]
    for accessor in accessors:
        family, _, own = name.partition(".")
        method = getattr(accessor, family)
        method = getattr(method, own or "__call__") if isinstance(method, type) else method
        names = [one for one in method.__signature__.parameters if one != "self"]
        assert undocumented(names, method.__doc__) == []
        assert "Returns\n-------" in method.__doc__


def test_a_click_log_shows_its_verbs(log):
    own = {"check", "per_query", "per_session", "per_user", "sample_ratio"}
    own |= {"ab_report", "behavior", "compare_buckets", "check_order", "credit", "add_sessions"}
    assert set(dir(log.ireval)) == own
    plain = pd.read_csv(io.StringIO(log.to_csv(index=False)))
    assert set(dir(plain.ireval)) == own


def test_a_run_table_with_sessions_or_ranks_is_no_click_log(sample):
    runs = sample.runs.assign(session=1)
    assert kind_of(runs) == "runs"
    assert kind_of(runs.drop(columns="score")) == "runs"
    assert (
        kind_of(runs.assign(action="click", timestamp=0).drop(columns=["score", "run"])) == "clicks"
    )


@pytest.mark.broad
def test_columns_of_a_log_are_bound_on_the_accessor(log):
    names = {
        "session": "sid",
        "query_id": "qid",
        "doc_id": "docno",
        "timestamp": "when",
        "bucket": "arm",
    }
    bound = log.rename(columns=names).ireval(
        session="sid", query="qid", doc="docno", time="when", bucket="arm"
    )
    for verb in ("per_query", "per_session", "behavior"):
        pd.testing.assert_frame_equal(
            getattr(bound, verb)(), getattr(log.ireval, verb)().rename(columns=names)
        )
    sides = {f"bucket_{side}": f"arm_{side}" for side in "ab"}
    pd.testing.assert_frame_equal(
        bound.compare_buckets(), log.ireval.compare_buckets().rename(columns=sides)
    )
    for verb in ("per_query", "per_session", "behavior", "compare_buckets"):
        assert repr(getattr(bound, verb)().ireval).startswith(
            SCHEMAS[VERBS["clicks"][verb].returns[0]].description
        )


@pytest.mark.broad
def test_which_way_is_better_travels_with_the_tables(results):
    for which in (("clicks", "behavior"), ("clicks", "compare_buckets"), ("clicks", "check_order")):
        known = results[which].attrs["measures"]
        assert not known["abandonment_rate"]["higher"]
        assert known["clicks_per_query"]["higher"]
        assert known["time_to_first_click"]["aggregate"] == "median"


@pytest.mark.broad
def test_tied_scores_are_shown_in_the_order_that_the_measures_see(sample):
    shown = sample.runs.ireval.interleave(pairs=[("tfidf", "bm25")], depth=None)
    by_rank = sample.runs.ireval.interleave(pairs=[("tfidf", "bm25")], depth=None, ties="rank")
    assert not shown["rank_a"].equals(by_rank["rank_a"])
    ranked = sample.runs.assign(rank=ranks.ranked(reader.read(sample.runs, "runs")))
    own = (
        ranked.query("run == 'tfidf'")
        .astype({"query_id": str})
        .set_index(["query_id", "doc_id"])["rank"]
    )
    known = shown[np.isfinite(shown["rank_a"])]
    np.testing.assert_array_equal(
        known["rank_a"], own.reindex(pd.MultiIndex.from_frame(known[["query_id", "doc_id"]]))
    )


def test_click_preferences_are_averaged_like_any_other(results):
    prefs = results["credits", "preferences"]
    mean = prefs.ireval.summary().set_index(["run_a", "run_b"])["mean"]
    assert mean["bm25", "hybrid"] == pytest.approx(
        prefs.loc[prefs["run_b"] == "hybrid", "value"].mean()
    )
    assert mean["bm25", "hybrid"] < 0


@pytest.mark.broad
def test_other_vocabularies_and_several_run_columns_go_all_the_way(sample):
    runs = sample.runs.merge(sample.metadata[["run", "model", "seed"]], on="run").drop(
        columns="run"
    )
    runs = runs.rename(columns={"query_id": "qid", "doc_id": "page"})
    qrels = sample.qrels.rename(
        columns={"relevance": "label"}
    )  # judgments may speak another vocabulary
    bound = runs.ireval(run=["model", "seed"], doc="page")
    lists = bound.interleave(pairs=[(("splade", 1), ("splade", 2))])
    assert list(lists)[:5] == ["model_a", "seed_a", "model_b", "seed_b", "qid"]
    credits = lists.ireval.simulate_clicks(qrels).ireval.credit(lists)
    table = credits.ireval.wins()
    assert table[["model_a", "seed_a", "model_b", "seed_b"]].values.tolist() == [
        ["splade", 1, "splade", 2]
    ]
    assert list(credits.ireval.preferences())[:2] == ["qid", "model_a"]
    buckets = bound.simulate_clicks(qrels, depth=3)
    assert "splade / 1" in set(buckets["bucket"])


@pytest.mark.broad
def test_runs_become_buckets_and_subtopics_their_best_grade(sample):
    some = sample.runs[sample.runs["run"].isin(["bm25", "hybrid"])]
    log = some.ireval.simulate_clicks(pdeval.datasets.sample_qrels(subtopics=True))
    assert log["bucket"].unique().tolist() == ["bm25", "hybrid"]
    pd.testing.assert_frame_equal(log, some.ireval.simulate_clicks(sample.qrels))
