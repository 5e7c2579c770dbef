"""Orders with machine labels: the resamples of a plain loop, and what a result says of itself."""

import numpy as np
import pandas as pd
import pytest

import pdeval
from pdeval.evaluate.ppi import powered
from pdeval.evaluate.seeds import chunks
from pdeval.orderings import order as room
from pdeval.orderings.votes import ranks

RUNS, QRELS, _ = pdeval.datasets.load_sample()
HUMAN = QRELS[QRELS["query_id"].astype(int) < 121]
NOISY = QRELS.assign(
    relevance=np.where(np.random.default_rng(0).random(len(QRELS)) < 0.2, 0, QRELS["relevance"])
)
SCORES = RUNS.ireval.measure(HUMAN, ["AP", "ASL"], machine=NOISY, queries="common")
DRAWN = SCORES.assign(probability=0.2 + 0.6 * (SCORES["query_id"].astype(int) % 5) / 5)
RAGGED = SCORES[(SCORES["run"] != "ql") | ~SCORES["query_id"].isin(["105", "110"])]


def resampled(table, measure, draws, seed):
    """The estimates of every run in every resample: queries of people and the others drawn apart, one by one."""
    part = table[table["measure"] == measure]
    human, machine = (
        part.pivot(index="query_id", columns="run", values=one) for one in ("value", "machine")
    )
    chance = None
    if "probability" in table:
        chance = (
            part.groupby("query_id", observed=True)["probability"]
            .first()
            .reindex(human.index)
            .to_numpy()
        )
    labeled = human.notna().any(axis=1).to_numpy()
    found = []
    for size, own in chunks(draws, seed):
        rng = np.random.default_rng(own)
        places = [np.flatnonzero(labeled), np.flatnonzero(~labeled)]
        drawn = np.concatenate([one[rng.integers(0, len(one), (len(one), size))] for one in places])
        for rows in drawn.T:
            own_chance = None if chance is None else chance[rows]
            made = powered(human.to_numpy()[rows], machine.to_numpy()[rows], probability=own_chance)
            found.append(made.mean)
    return np.array(found), list(human.columns)


@pytest.mark.broad
@pytest.mark.parametrize(
    "table", [SCORES, DRAWN, RAGGED], ids=["equal chances", "own chances", "gaps"]
)
@pytest.mark.parametrize(("measure", "sign"), [("AP", 1), ("ASL", -1)])
def test_intervals_of_ranks_are_those_of_a_plain_loop(table, measure, sign):
    found = table.ireval.order(
        measure, draws=70, confidence=0.76, seed=3, rank_interval="percentile"
    ).set_index("run")
    again, runs = resampled(table, measure, 70, 3)
    places = np.stack([ranks(sign * one, 0.0) for one in again])
    low, high = np.quantile(places, [0.12, 0.88], axis=0, method="inverted_cdf").astype(int)
    assert found.loc[runs, "rank_low"].tolist() == low.tolist()
    assert found.loc[runs, "rank_high"].tolist() == high.tolist()
    assert (low < high).any()


@pytest.mark.parametrize("cells", [1, 2000])
def test_how_many_resamples_are_made_at_a_time_changes_nothing(monkeypatch, cells):
    whole = DRAWN.ireval.order("AP", draws=40)
    monkeypatch.setattr(room, "CELLS", cells)
    pd.testing.assert_frame_equal(DRAWN.ireval.order("AP", draws=40), whole, check_exact=True)


def test_an_order_says_how_it_was_made_and_stands_measure_by_measure():
    found = SCORES.ireval.order(confidence=0.7)
    assert found.attrs["confidence"] == 0.7
    assert found.attrs["queries"] == "common"
    assert found["measure"].tolist() == ["AP"] * 12 + ["ASL"] * 12
    assert "rank_low" not in found
    for _, part in found.groupby("measure", sort=False, observed=True):
        assert part["rank"].is_monotonic_increasing
    summary = SCORES.ireval.summary(confidence=0.7)
    both = found.merge(summary, on=["run", "measure"])
    assert both["score_high"].tolist() == both["ci_high"].tolist()


def test_win_rates_are_shares_of_opponents_beaten_by_both_kinds_of_labels():
    table = RUNS.ireval.prefer(HUMAN, "RPP", machine=NOISY, queries="common")
    found = table.ireval.order(draws=20).set_index("run")["score"]
    turned = table.rename(columns={"run_a": "run_b", "run_b": "run_a"})
    turned[["value", "machine"]] = -turned[["value", "machine"]]
    both = pd.concat([table, turned])
    sides = {"index": "query_id", "columns": "run_a", "observed": True}
    human, machine = (both.pivot_table(**sides, values=name) for name in ("value", "machine"))
    made = powered(human.reindex(machine.index).to_numpy(), machine.to_numpy())
    np.testing.assert_allclose(found[list(machine.columns)], made.mean, rtol=1e-9)


def test_runs_that_tie_stand_as_the_table_names_them():
    names = [f"r{number:02}" for number in range(40)]
    good = np.arange(40) % 3 == 0
    rows = [
        (
            run,
            query,
            "AP",
            (0.5 + 0.01 * query + 0.2 * better) if query < 3 else np.nan,
            0.1 * query + 0.2 * better,
        )
        for run, better in zip(names, good, strict=True)
        for query in range(6)
    ]
    table = pd.DataFrame(rows, columns=["run", "query_id", "measure", "value", "machine"])
    found = table.ireval.order()
    assert found["run"].tolist() == [*np.array(names)[good], *np.array(names)[~good]]
    assert found["rank"].tolist() == [1] * 14 + [15] * 26
    assert found["method"].unique().tolist() == ["mean"]


def test_preferences_of_some_pairs_give_no_order_and_bad_options_are_named():
    against = RUNS.ireval.prefer(HUMAN, "RPP", machine=NOISY, queries="common", baseline="bm25")
    with pytest.raises(ValueError, match="the preferences have 11 of 66 pairs of runs"):
        against.ireval.order()
    for wrong in ({"draws": -1}, {"confidence": 1.5}, {"seed": -1}, {"method": "median"}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            SCORES.ireval.order("AP", **wrong)
    assert SCORES.ireval.order("AP", method="mean").equals(SCORES.ireval.order("AP"))


def test_of_two_runs_the_one_wins_what_the_other_loses():
    two = RUNS[RUNS["run"].isin(["bm25", "hybrid"])]
    table = two.ireval.prefer(HUMAN, ["RPP", "sgnLP"], machine=NOISY, queries="common")
    found = table.ireval.order().set_index(["measure", "run"])["score"]
    for measure, rows in table.groupby("measure", observed=True):
        made = powered(rows[["value"]].to_numpy(), rows[["machine"]].to_numpy())
        assert found[measure, "bm25"] == pytest.approx(made.mean.item())
        assert found[measure, "hybrid"] == pytest.approx(-made.mean.item())
