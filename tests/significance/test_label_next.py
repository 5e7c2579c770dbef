"""What to label next: chances that are known, draws that keep them, and estimates that make them good."""

import numpy as np
import pandas as pd
import pytest

import pdeval
from pdeval.kinds.schemas import SCHEMAS, faults
from pdeval.significance.label_next import chances, planned, queries_needed, systematic
from pdeval.significance.prediction_powered import powered

RUNS, QRELS, _ = pdeval.datasets.load_sample()
HUMAN = QRELS[QRELS["query_id"].astype(int) < 121]
STRICT = QRELS.assign(relevance=(QRELS["relevance"] > 1) * 1)
SCORES = RUNS.ireval.measure(HUMAN, ["AP", "P@10"], machine=STRICT, topics="common")
PREFERENCES = RUNS.ireval.prefer(HUMAN, "RPP", machine=STRICT, topics="common", baseline="bm25")
DESIGNS = ["importance", "stratified", "uniform"]
NAMES = {"run": ["run"], "query": ["query_id"]}


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("table", [SCORES, PREFERENCES], ids=["scores", "preferences"])
def test_as_many_unlabelled_queries_are_drawn_as_were_asked_for(table, design):
    plan = table.ireval.label_next(queries=7, design=design)
    assert faults(SCHEMAS["to_label"], plan, NAMES) == []
    assert plan["chosen"].sum() == 7
    assert not (plan["chosen"] & plan["labelled"]).any()
    assert plan["labelled"].sum() == 19
    # chances of the draw come back from those of both: before 19 of 48
    drawn = (plan["probability"] - 19 / 48) / (1 - 19 / 48)
    assert drawn[~plan["labelled"]].sum() == pytest.approx(7)
    assert plan.equals(table.sample(frac=1, random_state=0).ireval.label_next(queries=7, design=design))


def test_a_systematic_draw_keeps_every_chance():
    rng = np.random.default_rng(0)
    size = np.array([0.2, 1.0, 1.0, 3.0, 0.8, 9.0])
    chance = chances(size, np.zeros(6, dtype=bool), 3)
    assert chance.sum() == pytest.approx(3)
    assert chance.max() == 1
    taken = np.zeros(6)
    for _ in range(20_000):
        drawn = systematic(chance, rng.permutation(6), rng.random())
        assert len(set(drawn)) == 3
        taken[drawn] += 1
    np.testing.assert_allclose(taken / 20_000, chance, atol=0.015)


def test_queries_where_machine_and_people_differ_are_drawn_more_often():
    rng = np.random.default_rng(1)
    machine = rng.random(300)
    people = machine + rng.normal(0, 0.02 + 0.3 * machine)  # the more the machine says, the less it knows
    frame = pd.DataFrame({"run": "a", "query_id": np.arange(300), "measure": "AP", "machine": machine})
    frame["human"] = np.where(np.arange(300) < 80, people, np.nan)
    for design in ("importance", "stratified"):
        plan = frame[["run", "query_id", "measure", "human", "machine"]].ireval.label_next(queries=60, design=design)
        high, low = (plan.loc[rows, "predicted_sd"].mean() for rows in (machine > 0.7, machine < 0.3))
        assert high > 1.4 * low


def two_phases(design, *, tables, seed):
    """Draw 40 queries, plan 40 more, label them, and infer: (error, covered, width) of every time."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(tables):
        machine = rng.random((300, 1))
        people = 0.2 + 0.6 * machine + rng.normal(0, 0.02 + 0.3 * machine)
        labelled = np.arange(300) < 40
        known = np.where(labelled[:, None], people, np.nan)
        _, chance, chosen = planned(known, machine, 40, design, rng)
        labelled[chosen] = True
        chance = 40 / 300 + (1 - 40 / 300) * chance
        made = powered(np.where(labelled[:, None], people, np.nan), machine, probability=chance)
        low, high = (end.item() for end in made.interval())
        found.append((made.mean.item() - 0.5, low <= 0.5 <= high, high - low))
    return np.array(found)


@pytest.mark.slow
def test_estimates_from_drawn_queries_are_unbiased_cover_and_are_narrower():
    found = {design: two_phases(design, tables=1000, seed=5) for design in DESIGNS}
    for design, rows in found.items():
        error, covered, _ = rows.T
        assert abs(error.mean()) < 3.3 * error.std() / np.sqrt(len(error)), design
        assert 0.93 <= covered.mean() <= 0.97, design
    width = {design: rows[:, 2].mean() for design, rows in found.items()}
    assert width["importance"] < 0.97 * width["uniform"]
    assert width["stratified"] < 0.97 * width["uniform"]


@pytest.mark.slow
def test_unequal_chances_mislead_where_they_are_not_made_good():
    rng = np.random.default_rng(8)
    size, cases = 400, 2000
    people = rng.beta(2, 4, (size, cases))
    machine = people + 0.2 * rng.normal(size=people.shape)
    chance = 0.05 + 0.6 * people  # good queries are labelled more often
    drawn = rng.random(people.shape) < chance
    human = np.where(drawn, people, np.nan)
    truth = 2 / 6
    plain, weighed = powered(human, machine), powered(human, machine, probability=chance)
    shares = [((low <= truth) & (truth <= high)).mean() for low, high in (plain.interval(), weighed.interval())]
    assert shares[0] < 0.8
    assert 0.93 <= shares[1] <= 0.97
    assert abs(weighed.mean.mean() - truth) < 4 * weighed.mean.std() / np.sqrt(cases)


class TestHowMany:
    def test_the_table_says_what_each_run_or_pair_needs(self):
        for table, kind in ((SCORES, "labels_needed"), (PREFERENCES, "pair_labels_needed")):
            found = table.ireval.label_next.sample_size(width=0.2)
            assert faults(SCHEMAS[kind], found, NAMES) == []
            assert found["wanted"].unique().tolist() == [0.2]
        summary = SCORES.ireval.summary()
        found = SCORES.ireval.label_next.sample_size(width=0.2)
        np.testing.assert_allclose(found["ci_width"], summary["ci_high"] - summary["ci_low"], rtol=1e-12)

    def test_what_is_reached_already_needs_no_more_and_what_no_one_reaches_is_endless(self):
        now = SCORES.ireval.label_next.sample_size(width=0.2)
        wide = SCORES.ireval.label_next.sample_size(width=float(now["ci_width"].max()) * 1.1)
        assert (wide["queries_needed"] <= 19 + 2).all()
        assert np.isinf(SCORES.ireval.label_next.sample_size(width=0.001)["queries_needed"]).all()

    def test_so_many_labels_give_the_wanted_width(self):
        rng = np.random.default_rng(2)
        machine = rng.random((500, 200))
        people = machine + rng.normal(0, 0.15, machine.shape)

        def labelled(n):
            return powered(np.where(np.arange(500)[:, None] < n, people, np.nan), machine)

        needed = int(np.median(queries_needed(labelled(40), 0.07)))
        low, high = labelled(needed).interval()
        assert 40 < needed < 500
        assert (high - low).mean() == pytest.approx(0.07, rel=0.04)

    def test_bad_plans_are_refused(self):
        with pytest.raises(ValueError, match=r"width=-1\.0: give a number above 0"):
            SCORES.ireval.label_next.sample_size(width=-1)
        with pytest.raises(ValueError, match="queries=30: people have not labelled 29 of the 48 queries; draw fewer"):
            SCORES.ireval.label_next(queries=30)
        with pytest.raises(ValueError, match="design='best': choose 'importance', 'stratified' or 'uniform'"):
            SCORES.ireval.label_next(design="best")
