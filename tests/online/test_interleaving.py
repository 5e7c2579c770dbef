"""Interleaved lists: every one a valid draft, against loops that follow the published algorithms step by step."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import pdeval
from pdeval.online import interleaving
from tests.examples import examples

METHODS = ("team-draft", "balanced", "probabilistic")


def interleave(table, **options):
    return table.ireval.interleave(**options)


def multileave(table, **options):
    return table.ireval.interleave.many(**options)


def runs(**rankings) -> pd.DataFrame:
    """A run table of one query from rankings written as text: one letter a document."""
    rows = [
        (run, "q", doc, place + 1)
        for run, docs in rankings.items()
        for place, doc in enumerate(docs)
    ]
    return pd.DataFrame(rows, columns=["run", "query_id", "doc_id", "rank"])


def several(pairs) -> pd.DataFrame:
    """Runs a and b over queries 0, 1, ... from pairs of rankings."""
    parts = [runs(a=a, b=b).assign(query_id=query) for query, (a, b) in enumerate(pairs)]
    return pd.concat(parts, ignore_index=True)


def naive_balanced(a: str, b: str, a_first: bool) -> str:
    """Joachims' loop."""
    shown, i, j = "", 0, 0
    while i < len(a) and j < len(b):
        if i < j or (i == j and a_first):
            shown += a[i] if a[i] not in shown else ""
            i += 1
        else:
            shown += b[j] if b[j] not in shown else ""
            j += 1
    return shown


def is_draft(a: str, b: str, shown: str, teams: list[str], depth: int) -> bool:
    """Replay a list by the slides' pseudo-code: who may pick, what is picked, when it ends."""
    sizes, taken = {"a": 0, "b": 0}, ""
    for doc, team in zip(shown, teams, strict=True):
        left = {name: [d for d in docs if d not in taken] for name, docs in (("a", a), ("b", b))}
        other = "b" if team == "a" else "a"
        if not left["a"] or not left["b"] or sizes[team] > sizes[other] or left[team][0] != doc:
            return False
        sizes[team] += 1
        taken += doc
    ended = len(taken) == depth or set(a) <= set(taken) or set(b) <= set(taken)
    return ended and abs(sizes["a"] - sizes["b"]) <= 1


ranking = st.permutations("abcdefgh").flatmap(
    lambda docs: st.integers(1, 8).map(lambda n: "".join(docs[:n]))
)
tables = st.lists(st.tuples(ranking, ranking), min_size=1, max_size=6)


@pytest.mark.broad
@given(tables, st.integers(0, 2**32), st.integers(1, 9))
@examples(40)
def test_every_team_draft_list_is_a_valid_draft(pairs, seed, depth):
    lists = interleave(several(pairs), seed=seed, depth=depth, draws=2)
    groups = lists.groupby(["query_id", "draw"])
    assert groups.ngroups == 2 * len(pairs)
    for (query, _), rows in groups:
        assert rows["position"].tolist() == list(range(1, len(rows) + 1))
        assert is_draft(*pairs[query], "".join(rows["doc_id"]), rows["team"].tolist(), depth)


@pytest.mark.broad
@given(tables, st.integers(0, 2**32), st.integers(1, 9))
@examples(40)
def test_every_balanced_list_is_one_of_the_two(pairs, seed, depth):
    lists = interleave(several(pairs), method="balanced", seed=seed, depth=depth, draws=2)
    for (query, _), rows in lists.groupby(["query_id", "draw"]):
        both = {naive_balanced(*pairs[query], first)[:depth] for first in (True, False)}
        assert "".join(rows["doc_id"]) in both


@pytest.mark.broad
@given(tables, st.integers(0, 2**32))
@examples(25)
def test_the_shared_prefix_leads_every_list_and_has_no_team_in_balanced_ones(pairs, seed):
    lists = {
        method: interleave(several(pairs), method=method, seed=seed, depth=None)
        for method in METHODS[:2]
    }
    for query, (a, b) in enumerate(pairs):
        length = next((k for k, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
        for method in METHODS[:2]:
            rows = lists[method][lists[method]["query_id"] == query]
            assert "".join(rows.loc[rows["shared"], "doc_id"]) == a[:length]
            assert rows["shared"].tolist() == [True] * length + [False] * (len(rows) - length)
        balanced = lists["balanced"][lists["balanced"]["query_id"] == query]
        np.testing.assert_array_equal(balanced["team"].isna(), balanced["shared"])


@given(tables, st.integers(0, 2**32), st.sampled_from(METHODS))
@examples(25)
def test_documents_stand_once_with_their_ranks_in_both_runs(pairs, seed, method):
    lists = interleave(several(pairs), method=method, seed=seed)
    assert not lists.duplicated(["query_id", "doc_id"]).any()
    for row in lists.itertuples():
        a, b = pairs[row.query_id]
        assert row.rank_a == (a.index(row.doc_id) + 1 if row.doc_id in a else np.inf)
        assert row.rank_b == (b.index(row.doc_id) + 1 if row.doc_id in b else np.inf)
        if row.team in ("a", "b"):
            assert np.isfinite(row.rank_a if row.team == "a" else row.rank_b)


@given(st.lists(ranking, min_size=2, max_size=4), st.integers(0, 2**32), st.integers(1, 8))
@examples(25)
def test_a_multileaved_list_is_a_draft_of_all_teams(rankings, seed, depth):
    names = "wxyz"[: len(rankings)]
    table = runs(**dict(zip(names, rankings, strict=True)))
    lists = multileave(table, depth=depth, seed=seed)
    taken, picked = "", set()
    for doc, team in zip(lists["doc_id"], lists["team"], strict=True):
        if team in picked:  # a new round: who did not pick in the last one had nothing left
            idle = [docs for name, docs in zip(names, rankings, strict=True) if name not in picked]
            assert all(set(docs) <= set(taken) for docs in idle)
            picked = set()
        assert doc == next(d for d in rankings[names.index(team)] if d not in taken)
        picked.add(team)
        taken += doc
    assert len(taken) == min(depth, len(set("".join(rankings))))


@pytest.mark.parametrize("depth", [1, 2, 5, 8, 20, None])
def test_a_multileaved_list_goes_on_without_the_run_that_has_nothing_left(depth):
    """Issue 12, item 29."""
    lists = multileave(runs(x="a", y="bcdefg", z="hi"), depth=depth, draws=30)
    assert (lists.groupby("draw").size() == min(depth or 9, 9)).all()
    for _, rows in lists.groupby("draw"):
        assert rows["position"].tolist() == list(range(1, len(rows) + 1))
        assert (
            "".join(rows.loc[rows["team"] == "y", "doc_id"])
            == "bcdefg"[: (rows["team"] == "y").sum()]
        )
    if depth in (None, 20):
        assert (lists.loc[lists["position"] > 5, "team"] == "y").all()


def test_equal_runs_share_every_position_fairly():
    table = runs(a="abcdefgh", b="abcdefgh")
    lists = interleave(table, draws=4000, depth=8)
    assert lists["shared"].all()
    for _, rows in lists.groupby("position"):
        assert stats.binomtest(int((rows["team"] == "a").sum()), 4000).pvalue > 0.001
    balanced = interleave(table, method="balanced", draws=3)
    assert balanced["team"].isna().all()


@pytest.mark.broad
def test_both_runs_start_equally_often():
    for method in ("team-draft", "balanced", "probabilistic"):
        first = interleave(runs(a="abcd", b="efgh"), method=method, draws=4000).query(
            "position == 1"
        )
        assert stats.binomtest(int((first["team"] == "a").sum()), 4000).pvalue > 0.001


def test_probabilistic_lists_have_the_probabilities_of_the_definition():
    a, b, tau = "xyz", "zxw", 1.0
    lists = interleave(runs(a=a, b=b), method="probabilistic", tau=tau, depth=2, draws=20_000)
    firsts = lists.pivot(index="draw", columns="position", values="doc_id").astype(str)
    seen = (firsts[1] + firsts[2]).value_counts()

    def chance(docs, doc, without):
        weights = {d: (place + 1.0) ** -tau for place, d in enumerate(docs) if d not in without}
        return weights.get(doc, 0.0) / sum(weights.values())

    def pick(doc, without):
        return (chance(a, doc, without) + chance(b, doc, without)) / 2

    pairs = [(x, y) for x in "wxyz" for y in "wxyz" if x != y]
    expected = np.array([pick(x, "") * pick(y, x) for x, y in pairs])
    assert expected.sum() == pytest.approx(1)
    possible = expected > 0
    counts = np.array([seen.get(x + y, 0) for x, y in pairs])
    assert counts[~possible].sum() == 0
    assert stats.chisquare(counts[possible], 20_000 * expected[possible]).pvalue > 0.001


@pytest.mark.broad
@pytest.mark.parametrize("method", METHODS)
def test_lists_depend_on_the_seed_alone(method, monkeypatch):
    rng = np.random.default_rng(3)
    table = several(
        [["".join(rng.permutation(list("abcdefghij"))) for _ in "ab"] for _ in range(7)]
    )
    lists = interleave(table, method=method, seed=4, draws=3)
    pd.testing.assert_frame_equal(
        lists, interleave(table.sample(frac=1, random_state=1), method=method, seed=4, draws=3)
    )
    assert not lists.equals(interleave(table, method=method, seed=5, draws=3))
    monkeypatch.setattr(interleaving, "BLOCK", 50)  # two lists at a time
    pd.testing.assert_frame_equal(lists, interleave(table, method=method, seed=4, draws=3))


def test_all_pairs_of_runs_over_the_queries_that_both_answered():
    table = pd.concat([runs(x="abc", y="bcd", z="cda"), runs(x="ab", z="ba").assign(query_id="r")])
    lists = interleave(table)
    shown = lists[["run_a", "run_b", "query_id"]].drop_duplicates().to_numpy().tolist()
    assert shown == [["x", "y", "q"], ["x", "z", "q"], ["x", "z", "r"], ["y", "z", "q"]]
    some = interleave(table, pairs=[("z", "x")])
    assert some[["run_a", "run_b"]].drop_duplicates().to_numpy().tolist() == [["z", "x"]]
    everyone = multileave(table)
    assert everyone["query_id"].unique().tolist() == ["q"]
    columns = [
        "run_a",
        "run_b",
        "query_id",
        "draw",
        "position",
        "doc_id",
        "team",
        "rank_a",
        "rank_b",
        "shared",
        "method",
    ]
    assert lists.columns.tolist() == columns
    assert everyone.columns.tolist() == ["query_id", "draw", "position", "doc_id", "team", "method"]


def test_runs_that_share_no_query_have_no_lists():
    table = pd.concat([runs(x="abc"), runs(y="abc").assign(query_id="r")])
    for empty in (interleave(table), interleave(table, method="balanced"), multileave(table)):
        assert len(empty) == 0
        assert {"query_id", "position", "doc_id", "team"} <= set(empty.columns)


def test_runs_named_by_several_columns_keep_them():
    table = (
        runs(x="abc", y="bcd")
        .assign(seed=[1, 1, 1, 2, 2, 2])
        .rename(columns={"run": "model", "doc_id": "item"})
    )
    bound = table.ireval(run=["model", "seed"], doc="item")
    lists = bound.interleave(pairs=[(("y", 2), ("x", 1))])
    assert lists.iloc[0][["model_a", "seed_a", "model_b", "seed_b"]].tolist() == ["y", 2, "x", 1]
    assert set(bound.interleave.many()["team"]) == {"x / 1", "y / 2"}


def test_the_slides_algorithm_stops_where_a_run_has_nothing_left():
    lists = interleave(runs(a="ab", b="cdefgh"), depth=10, draws=50)
    assert lists.groupby("draw").size().isin([3, 4]).all()  # a's second pick ends it
    assert len(interleave(runs(a="abcd", b="efgh"), depth=3)) == 3


def test_wrong_choices_are_refused():
    table = runs(x="ab", y="ba")
    with pytest.raises(
        ValueError,
        match=r"^method='optimized': choose 'team-draft', 'balanced' or 'probabilistic'\.$",
    ):
        interleave(table, method="optimized")
    with pytest.raises(ValueError, match="depth=0: expected an integer of at least 1"):
        interleave(table, depth=0)
    with pytest.raises(ValueError, match="needs two runs; the run table has 1"):
        interleave(runs(x="ab"))
    with pytest.raises(ValueError, match="needs at least two runs; the run table has 1"):
        multileave(runs(x="ab"))
    with pytest.raises(KeyError, match="no run 'w'"):
        interleave(table, pairs=[("w", "x")])


@pytest.mark.broad
def test_13_5_lists_do_not_depend_on_the_order_of_categories():
    keys = ["run_a", "run_b", "query_id", "draw", "position"]

    def lists_of(frame):
        found = frame.ireval.interleave(draws=2).astype(
            dict.fromkeys(["run_a", "run_b", "query_id", "doc_id"], str)
        )
        return found.sort_values(keys, ignore_index=True)[[*keys, "doc_id"]]

    runs = pdeval.datasets.sample_runs()
    runs = runs[runs["run"].isin(["bm25", "ql"])].astype(
        dict.fromkeys(["run", "query_id", "doc_id"], str)
    )
    expected = lists_of(runs)
    for name in ("run", "query_id", "doc_id"):
        turned = sorted(runs[name].unique(), reverse=True)
        found = lists_of(runs.assign(**{name: pd.Categorical(runs[name], categories=turned)}))
        assert found.to_numpy().tolist() == expected.to_numpy().tolist(), name
