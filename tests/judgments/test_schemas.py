"""Every verb of collections, at both accessors: its results are what their schemas say, and `repr` knows them."""

import pandas as pd
import pytest

import pdeval
from pdeval.tables.schemas import SCHEMAS
from pdeval.verbs import VERBS
from tests.schema_faults import faults

pytestmark = pytest.mark.filterwarnings("ignore:.* judged queries are missing")
NAMES = {"query": ["query_id"], "doc": ["doc_id"], "grade": ["relevance"]}


@pytest.fixture(scope="module")
def runs():
    return pdeval.datasets.sample_runs().ireval


@pytest.fixture(scope="module")
def qrels():
    return pdeval.datasets.sample_qrels()


@pytest.fixture(scope="module")
def labels(qrels):
    parts = [
        qrels.assign(assessor=str(least), label=(qrels["relevance"] >= least) * 1)
        for least in (1, 2)
    ]
    return pd.concat(parts, ignore_index=True).drop(columns="relevance")


def half_of(qrels):
    """Every other judged item, as if it had been drawn."""
    plan = qrels[["query_id", "doc_id"]].reset_index(drop=True)
    return plan.assign(rank=1, probability=0.5, chosen=plan.index % 2 == 0)


def strict(qrels):
    """A judge for whom only the best is relevant."""
    return {"strict": qrels.assign(relevance=qrels["relevance"].where(qrels["relevance"] > 1, 0))}


# (verb, table, its caller's names, the call on `runs`, `qrels`, `labels` and `metadata`)
FAMILY = {"team": "family", "metadata": pdeval.datasets.sample_metadata()}
CALLS = {
    "accounting": ("check", {}, lambda r, q, ls: r.check(q)),
    "description": ("describe", {}, lambda r, q, ls: r.describe(q)),
    "pool": ("pool", {}, lambda r, q, ls: r.pool(5)),
    "pool, graded": ("pool", {}, lambda r, q, ls: r.pool(5, qrels=q)),
    "pool_by_run": ("pool", {}, lambda r, q, ls: r.pool(5, qrels=q, per="run")),
    "pool_runs": ("pool.summary", {}, lambda r, q, ls: r.pool.summary(depth=5)),
    "pool_runs, graded": ("pool.summary", {}, lambda r, q, ls: r.pool.summary(q, depth=5)),
    "pool_runs, teams": (
        "pool.summary",
        {"run": ["family"]},
        lambda r, q, ls: r.pool.summary(q, depth=5, **FAMILY),
    ),
    "pool_queries": ("pool.summary", {}, lambda r, q, ls: r.pool.summary(q, depth=5, per="query")),
    "pool_pairs": ("pool.summary", {}, lambda r, q, ls: r.pool.summary(depth=5, per="pair")),
    "pool_pairs, teams": (
        "pool.summary",
        {"run": ["family"]},
        lambda r, q, ls: r.pool.summary(depth=5, per="pair", **FAMILY),
    ),
    "left_out": (
        "pool.leave_one_out",
        {},
        lambda r, q, ls: r.pool.leave_one_out(q, ["AP", "RPP"], depth=20),
    ),
    "left_out, teams": (
        "pool.leave_one_out",
        {"team": ["family"]},
        lambda r, q, ls: r.pool.leave_one_out(q, "AP", depth=20, **FAMILY),
    ),
    "item_sample": ("pool.sample", {}, lambda r, q, ls: r.pool.sample(20, depth=5)),
    "item_sample, by a machine": (
        "label_next.items",
        {},
        lambda r, q, ls: r.label_next.items(q.sample(99, random_state=0), q, size=20, depth=5),
    ),
    "scores": ("pool.estimate", {}, lambda r, q, ls: r.pool.estimate(q, "P@10", sample=half_of(q))),
    "pool_bounds": ("pool.bounds", {}, lambda r, q, ls: r.pool.bounds(q, "P@10", depth=5)),
    "pool_bounds, queries": (
        "pool.bounds",
        {},
        lambda r, q, ls: r.pool.bounds(q, "P@10", depth=5, per="query"),
    ),
    "agreement_of_assessors": ("agreement", {}, lambda r, q, ls: ls.ireval.agreement()),
    "agreement_of_assessors, parts": (
        "agreement",
        {"by": ["task"]},
        lambda r, q, ls: ls.assign(task=ls["query_id"].astype(int) % 2).ireval.agreement(by="task"),
    ),
    "agreement_of_assessors, intervals": (
        "agreement",
        {},
        lambda r, q, ls: ls.ireval.agreement(draws=5),
    ),
    "agreement_by_query": (
        "agreement.by_query",
        {},
        lambda r, q, ls: ls.ireval.agreement.by_query(),
    ),
    "confusions": ("agreement.confusion", {}, lambda r, q, ls: ls.ireval.agreement.confusion("1")),
    "confusions, intervals": (
        "agreement.confusion",
        {},
        lambda r, q, ls: ls.ireval.agreement.confusion("1", draws=5),
    ),
    "confusions, errors": ("assessors.errors", {}, lambda r, q, ls: ls.ireval.assessors.errors()),
    "assessors": ("assessors", {}, lambda r, q, ls: ls.ireval.assessors()),
    "assessors, intervals": ("assessors", {}, lambda r, q, ls: ls.ireval.assessors(draws=3)),
    "posteriors": ("assessors.posteriors", {}, lambda r, q, ls: ls.ireval.assessors.posteriors()),
    "consensus": ("consensus", {}, lambda r, q, ls: ls.ireval.consensus(ties="lowest")),
    "assessor_pairs": ("agreement.pairs", {}, lambda r, q, ls: ls.ireval.agreement.pairs()),
    "assessor_pairs, named": (
        "agreement.pairs",
        {"assessor_a": ["who_a"], "assessor_b": ["who_b"]},
        lambda r, q, ls: (
            ls.rename(columns={"assessor": "who"}).ireval(assessor="who").agreement.pairs()
        ),
    ),
    "matrix": ("agreement.pairs", {}, lambda r, q, ls: ls.ireval.agreement.pairs("scott")),
    "judges": (
        "judges",
        {},
        lambda r, q, ls: r.judges(q, strict(q), ["AP", "RPP"], query_set="common"),
    ),
    "judge_scores": (
        "judges.scores",
        {},
        lambda r, q, ls: r.judges.scores(q, strict(q), "AP", query_set="common"),
    ),
    "judge_bias": ("judges.bias", {}, lambda r, q, ls: r.judges.bias(q, strict(q))),
    "judge_pairs": (
        "judges.pairs",
        {},
        lambda r, q, ls: r.judges.pairs(q, strict(q), "AP", query_set="common"),
    ),
    "swaps": ("swap_assessors", {}, lambda r, q, ls: r.swap_assessors(ls, "RR")),
    "swaps_to_qrels": (
        "swap_assessors",
        {},
        lambda r, q, ls: r.swap_assessors(ls, "RR", qrels=q, how="draw", draws=2),
    ),
    "swapped_orders": (
        "swap_assessors",
        {},
        lambda r, q, ls: r.swap_assessors(ls, "RR", orders=True),
    ),
}


@pytest.mark.broad
@pytest.mark.parametrize("case", CALLS)
def test_every_result_is_what_its_schema_says(case, runs, qrels, labels):
    _, names, call = CALLS[case]
    name = case.partition(",")[0]
    result = call(runs, qrels, labels)
    assert result.attrs["table"] == name
    assert faults(SCHEMAS[name], result, {**NAMES, **names}) == []
    rows = "1 row" if len(result) == 1 else f"{len(result):,} rows"
    rows = (
        "12 runs x 50 queries" if name == "scores" else rows
    )  # what it says of tables that many verbs share
    assert repr(result.ireval).startswith(f"{SCHEMAS[name].description}: {rows}")


@pytest.mark.broad
@pytest.mark.parametrize(
    "case", [case for case in CALLS if case.partition(",")[0] != "pool_by_run"]
)
def test_results_are_recognized_by_their_columns_alone(case, runs, qrels, labels):
    _, _, call = CALLS[case]
    result = call(runs, qrels, labels)
    result.attrs.clear()
    assert repr(result.ireval).startswith(SCHEMAS[case.partition(",")[0]].description)


def test_a_pool_by_run_that_no_longer_says_so_is_the_run_table_that_it_looks_like(runs):
    result = runs.pool(5, per="run")
    result.attrs.clear()
    assert repr(result.ireval).startswith("run table: 12 runs x 50 queries")


def test_every_verb_of_the_room_and_each_of_its_tables_is_called_here():
    own = {
        (verb.name, table)
        for verbs in VERBS.values()
        for verb in verbs.values()
        if verb.function.__module__.startswith("pdeval.judgments")
        and not verb.machine  # they need machine labels
        for table in verb.returns
    }
    assert own == {(verb, case.partition(",")[0]) for case, (verb, _, _) in CALLS.items()}


@pytest.mark.parametrize(
    ("name", "arguments", "options"),
    [
        ("check", (), {}),
        ("pool", (5,), {"per": "run"}),
        ("pool.summary", (), {"depth": 5}),
        ("pool.leave_one_out", ("AP",), {"depth": 20}),
        ("pool.bounds", ("P@10",), {"depth": 5}),
    ],
)
def test_a_join_knows_its_judgments_and_rules(name, arguments, options, runs, qrels):
    family, _, own = name.partition(".")
    judged = runs.join(qrels, level=2, ties="first")
    accessors = [getattr(accessor, family) for accessor in (judged, runs)]
    ask, ask_runs = (getattr(accessor, own) if own else accessor for accessor in accessors)
    rules = {} if name == "check" else {"ties": "first"}
    rules |= {} if name == "pool" else {"level": 2}
    given = {"qrels": qrels, **dict(zip(("depth",), arguments))} if name == "pool" else {}
    wanted = (
        ask_runs(**given, **options, **rules)
        if given
        else ask_runs(qrels, *arguments, **options, **rules)
    )
    pd.testing.assert_frame_equal(ask(*arguments, **options), wanted)


@pytest.mark.broad
def test_results_keep_the_callers_names_and_dtypes():
    sample = pdeval.datasets.load_sample()
    terrier = sample.runs.rename(columns={"run": "name", "query_id": "qid", "doc_id": "docno"})
    terrier = terrier.astype({"name": "str", "qid": "int64"})
    qrels = sample.qrels.rename(
        columns={"query_id": "qid", "doc_id": "docno", "relevance": "label"}
    )
    qrels = qrels.astype({"qid": "int64"})
    pool = terrier.ireval.pool(5, qrels=qrels)
    assert list(pool) == ["qid", "docno", "runs", "rank", "label"]
    assert pool["qid"].dtype == "int64"
    assert list(terrier.ireval.pool.summary(per="pair", depth=5))[:2] == ["name_a", "name_b"]
    assert terrier.ireval.check(qrels)["name"].dtype == terrier["name"].dtype


def test_a_pool_of_depth_20_holds_the_judgments_of_the_runs_that_made_it():
    sample = pdeval.datasets.load_sample()
    outside = ["dense-s3", "rerank-s1", "rerank-s2"]
    answered = ~sample.qrels["query_id"].isin(
        ["117", "138"]
    )  # ql gave its answers to the pool, and lost them
    inside = sample.runs[
        ~sample.runs["run"].isin(outside) & ~sample.runs["query_id"].isin(["117", "138"])
    ]
    pool = inside.ireval.pool(20, qrels=sample.qrels, ties="rank")
    assert pool["relevance"].notna().all()
    assert len(pool) == answered.sum()


@pytest.mark.broad
def test_a_team_may_be_a_column_of_the_run_table_itself():
    sample = pdeval.datasets.load_sample()
    runs = sample.runs.merge(sample.metadata[["run", "family"]], on="run")
    wanted = sample.runs.ireval.pool.summary(team="family", metadata=sample.metadata)
    pd.testing.assert_frame_equal(runs.ireval(run="run").pool.summary(team="family"), wanted)
    with pytest.raises(
        ValueError,
        match=r"team='family' is a column of the metadata, which were not passed. Pass metadata=",
    ):
        sample.runs.ireval.pool.summary(team="family")


@pytest.mark.parametrize(
    "case",
    [
        case
        for case in CALLS
        if case.startswith("pool_") and not case.startswith(("pool_by_run", "pool_bounds"))
    ],
)
def test_counts_of_the_pool_can_be_reported(case, runs, qrels, labels):  # issue 12, item 13
    table = CALLS[case][2](runs, qrels, labels).head(20)
    assert table.ireval.report().to_frame().shape[0] == len(table)


@pytest.mark.parametrize("name", ["leave_one_out", "bounds"])
def test_an_unknown_option_is_named(name, runs, qrels):
    with pytest.raises(
        TypeError, match=rf"pool\.{name}\(\) has no option 'topic'\. .* Did you mean 'queries'"
    ):
        getattr(runs.pool, name)(qrels, "AP", topic="judged")


def test_a_pool_needs_a_run_table(qrels):
    with pytest.raises(AttributeError, match="pool\\(\\) needs a run table"):
        qrels.ireval.pool()


@pytest.mark.parametrize("per", ["query", None])
def test_a_pool_is_per_item_or_per_run(per, runs):
    with pytest.raises(ValueError, match=f"per={per!r}: choose 'item' or 'run'"):
        runs.pool(5, per=per)
