"""Simulated logs: well formed, seeded, and with the outcomes that the rankings deserve."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest

from pdeval.online.simulation import ClickModel

DOCS = np.array([f"d{n:02d}" for n in range(20)])


def interleave(table, **options):
    return table.ireval.interleave(**options)


def multileave(table, **options):
    return table.ireval.interleave.many(**options)


def simulate(shown, qrels, **options):
    return shown.ireval.simulate_clicks(qrels, **options)


def credit(lists, log, **options):
    return log.ireval.credit(lists, **options)


def wins(credits, **options):
    return credits.ireval.wins(**options)


def collection(
    noise: dict[str, float], queries: int, seed: int
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Runs that score relevant documents higher, under more or less noise, over queries with 5 relevant of 20."""
    rng = np.random.default_rng(seed)
    relevant = np.zeros((queries, len(DOCS)))
    relevant[:, :5] = 1
    query = np.repeat(np.arange(queries), len(DOCS))
    parts = [
        pd.DataFrame(
            {
                "run": run,
                "query_id": query,
                "doc_id": np.tile(DOCS, queries),
                "score": (relevant + amount * rng.standard_normal(relevant.shape)).ravel(),
            }
        )
        for run, amount in noise.items()
    ]
    qrels = pd.DataFrame(
        {
            "query_id": query,
            "doc_id": np.tile(DOCS, queries),
            "relevance": relevant.ravel().astype(int),
        }
    )
    return pd.concat(parts, ignore_index=True), qrels


@pytest.mark.parametrize(
    "model", ["perfect", "navigational", "informational", "position-biased", "cascade"]
)
@pytest.mark.parametrize("method", ["team-draft", "balanced", "probabilistic"])
def test_the_better_run_wins(method, model):
    runs, qrels = collection({"better": 0.4, "worse": 2.0}, queries=60, seed=1)
    lists = interleave(runs, method=method, draws=4)
    found = wins(credit(lists, simulate(lists, qrels, model=model)), per="impression").iloc[0]
    assert found["run_a"] == "better"
    assert found["a_wins"] > found["b_wins"]
    assert found["significant"]


@pytest.mark.broad
@pytest.mark.parametrize("method", ["team-draft", "balanced", "probabilistic"])
def test_equal_runs_do_not_win_beyond_alpha(method):
    pairs = 120
    runs, qrels = collection(
        {f"{number:03d}": 1.0 for number in range(2 * pairs)}, queries=30, seed=2
    )
    lists = interleave(
        runs, method=method, pairs=[(f"{n:03d}", f"{n + pairs:03d}") for n in range(pairs)]
    )
    found = wins(
        credit(lists, simulate(lists, qrels, model="informational")), per="query", correction="none"
    )
    assert len(found) == pairs
    assert (
        binomtest(int(found["significant"].sum()), pairs, 0.05, alternative="greater").pvalue
        > 0.001
    )
    total = found[["a_wins", "b_wins"]].sum()
    assert binomtest(int(total["a_wins"]), int(total.sum())).pvalue > 0.001


@pytest.mark.broad
def test_identical_runs_tie_in_balanced_and_are_a_fair_toss_in_team_draft():
    runs, qrels = collection({"one": 1.0}, queries=50, seed=3)
    both = pd.concat([runs, runs.assign(run="two")])
    lists = interleave(both, method="balanced", draws=5)
    assert (credit(lists, simulate(lists, qrels))["winner"].dropna() == "tie").all()
    drafted = interleave(both, draws=40)
    log = simulate(drafted, qrels, model="navigational")
    tossed = wins(credit(drafted, log), per="impression").iloc[0]
    assert binomtest(int(tossed["a_wins"]), int(tossed["a_wins"] + tossed["b_wins"])).pvalue > 0.001
    assert (
        wins(credit(drafted, log, shared="nobody"), per="impression")["ties"].iloc[0] == tossed["n"]
    )


def test_multileaving_orders_runs_by_quality():
    runs, qrels = collection({"a-good": 0.3, "b-fair": 1.0, "c-poor": 5.0}, queries=60, seed=4)
    lists = multileave(runs, draws=6)
    found = wins(credit(lists, simulate(lists, qrels)), per="impression")
    assert found[["run_a", "run_b"]].to_numpy().tolist() == [
        ["a-good", "b-fair"],
        ["a-good", "c-poor"],
        ["b-fair", "c-poor"],
    ]
    assert (found["a_wins"] > found["b_wins"]).all()
    assert found["significant"].all()


@pytest.mark.broad
def test_a_run_that_finds_everything_is_preferred_to_one_that_finds_nothing_in_every_query():
    runs, qrels = collection({"all": 0.0, "nothing": 0.0}, queries=20, seed=5)
    runs.loc[runs["run"] == "nothing", "score"] *= -1
    for first, second, value in (("all", "nothing", 1), ("nothing", "all", -1)):
        for method in ("team-draft", "balanced"):
            lists = interleave(runs, method=method, pairs=[(first, second)], draws=3)
            found = credit(lists, simulate(lists, qrels)).ireval.preferences()
            assert found["measure"].unique().tolist() == [method]
            assert found["value"].tolist() == [value] * 20


def test_a_simulated_log_is_a_clean_click_log():
    runs, qrels = collection({"x": 0.5, "y": 1.0}, queries=10, seed=6)
    log = simulate(runs, qrels, model="informational", sessions=5, users=7, reformulate=0.8)
    assert log.ireval.check().empty
    assert log.columns.tolist() == [
        "session",
        "user",
        "bucket",
        "query_id",
        "timestamp",
        "action",
        "rank",
        "doc_id",
    ]
    assert log.groupby("bucket", observed=True)["session"].nunique().tolist() == [50, 50]
    assert log.groupby("bucket", observed=True)["user"].nunique().max() <= 7
    assert log.groupby("user")["bucket"].nunique().max() == 1
    assert str(log["timestamp"].dt.tz) == "UTC"
    assert log["rank"].isna().tolist() == (log["action"] == "impression").tolist()


@pytest.mark.broad
def test_only_users_without_a_relevant_click_reformulate_and_never_to_the_same_query():
    runs, qrels = collection({"x": 3.0}, queries=12, seed=7)
    log = simulate(
        runs, qrels, model="cascade", sessions=20, reformulate=1.0, max_queries=3, depth=3
    )
    found = log.ireval.per_query()
    relevant = log.merge(qrels[qrels["relevance"] > 0], on=["query_id", "doc_id"])
    satisfied = set(zip(relevant["session"], relevant["query_id"], strict=True))
    sizes = log.ireval.per_session()["queries"]
    assert sizes.max() == 3
    for session, rows in found.groupby("session"):
        queries = rows["query_id"].tolist()
        assert all(first != second for first, second in pairwise(queries))
        unhappy = [(session, query) not in satisfied for query in queries]
        assert all(unhappy[:-1])
        assert len(queries) == 3 or not unhappy[-1]


def test_an_arm_with_one_query_cannot_reformulate():
    runs, qrels = collection({"x": 9.0, "y": 9.0}, queries=1, seed=8)
    log = simulate(runs, qrels, sessions=30, depth=1, reformulate=1.0)
    assert log.ireval.per_session()["queries"].max() == 1


@pytest.mark.broad
def test_the_log_depends_on_the_seed_alone():
    runs, qrels = collection({"x": 1.0, "y": 1.0}, queries=8, seed=9)
    lists = interleave(runs, draws=3)
    log = simulate(lists, qrels, model="informational", seed=3, reformulate=0.5)
    again = simulate(lists.sample(frac=1, random_state=0), qrels.sample(frac=1, random_state=0),
                     model="informational", seed=3, reformulate=0.5)  # fmt: skip
    pd.testing.assert_frame_equal(log, again)
    assert not log.equals(simulate(lists, qrels, model="informational", seed=4, reformulate=0.5))
    assert {"run_a", "run_b", "draw", "method"} <= set(log.columns)


def test_unjudged_documents_are_not_relevant_and_grades_can_count_in_proportion():
    runs = pd.DataFrame({"run": "x", "query_id": 1, "doc_id": list("abc"), "rank": [1, 2, 3]})
    qrels = pd.DataFrame({"query_id": 1, "doc_id": ["a", "b"], "relevance": [2, 1]})
    count = simulate(runs, qrels, sessions=2000)["doc_id"].value_counts()
    assert count.to_dict() == {"a": 2000, "b": 2000}
    strict = simulate(runs, qrels, sessions=20, level=2)["doc_id"].value_counts()
    assert strict.to_dict() == {"a": 20}
    graded = simulate(runs, qrels, sessions=2000, graded=True)["doc_id"].value_counts()
    assert graded["a"] == 2000
    assert binomtest(int(graded["b"]), 2000).pvalue > 0.001


def test_wrong_tables_and_numbers_are_refused():
    runs, qrels = collection({"x": 1.0}, queries=2, seed=1)
    with pytest.raises(
        ValueError, match=r"the judgments table has no grade column \(known names: relevance"
    ):
        simulate(runs, qrels.rename(columns={"relevance": "conclusion"}))
    with pytest.raises(
        ValueError, match="column 'query_id' has text in one table and numbers in the other"
    ):
        simulate(runs, qrels.assign(query_id=qrels["query_id"].astype(str)))
    with pytest.raises(ValueError, match=r"\(query, doc\) pairs with different grades"):
        simulate(runs, pd.concat([qrels, qrels.assign(relevance=3)]))
    with pytest.raises(KeyError, match="no click model 'hasty'; there are perfect, navigational"):
        simulate(runs, qrels, model="hasty")
    with pytest.raises(ValueError, match="level=0: the smallest relevant grade"):
        simulate(runs, qrels, level=0)
    with pytest.raises(ValueError, match="the lists have no rows"):
        simulate(interleave(runs.assign(run="y"), pairs=[("y", "y")]).iloc[:0], qrels)
    with pytest.raises(ValueError, match=r"reformulate=2: expected a number of at most 1"):
        simulate(runs, qrels, reformulate=2)


def test_ids_of_documents_keep_their_type():
    for docs, missing in ((list("ab"), np.nan), ([7, 8], pd.NA)):
        runs = pd.DataFrame({"run": "x", "query_id": 1, "doc_id": docs, "rank": [1, 2]})
        log = simulate(runs, pd.DataFrame({"query_id": [1], "doc_id": docs[:1], "relevance": [1]}))
        assert log["doc_id"].isna().tolist() == [True, False]
        assert log["doc_id"].tolist()[1] == docs[0]
        assert pd.api.types.is_integer_dtype(log["doc_id"].dtype) == (missing is pd.NA)


def test_a_model_can_be_declared_or_given():
    runs, qrels = collection({"x": 1.0}, queries=3, seed=2)
    clicks = simulate(runs, qrels, model=ClickModel(click=(1.0, 1.0)), depth=4)
    assert (clicks["action"] == "click").sum() == 3 * 4
    assert simulate(runs, qrels, model=ClickModel(click=(0.0, 0.0)))["rank"].isna().all()


def test_a_join_knows_its_judgments_level_and_ranking():
    runs, qrels = collection({"x": 1.0, "y": 2.0}, queries=6, seed=3)
    qrels = qrels.assign(relevance=qrels["relevance"] * np.where(qrels["doc_id"] < "d03", 2, 1))
    judged = runs.ireval.join(qrels, level=2, ties="first")
    found = judged.simulate_clicks("informational", sessions=3, depth=5)
    wanted = simulate(
        runs, qrels, model="informational", sessions=3, depth=5, level=2, ties="first"
    )
    pd.testing.assert_frame_equal(found, wanted)
    pd.testing.assert_frame_equal(
        judged.interleave(depth=4), interleave(runs, depth=4, ties="first")
    )
    pd.testing.assert_frame_equal(judged.interleave.many(), multileave(runs, ties="first"))
    with pytest.raises(TypeError, match=r"no option 'level'.*The join already has it"):
        judged.simulate_clicks(level=1)
