"""What to label next: chances that are known, draws that keep them, and estimates that make them good."""

from operator import attrgetter

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import pdeval
from pdeval.evaluate.ppi import powered
from pdeval.judgments.label_samples import chances, planned, queries_needed, systematic
from pdeval.tables.schemas import SCHEMAS
from tests.schema_faults import faults

RUNS, QRELS, _ = pdeval.datasets.load_sample()
HUMAN = QRELS[QRELS["query_id"].astype(int) < 121]
STRICT = QRELS.assign(relevance=(QRELS["relevance"] > 1) * 1)
SCORES = RUNS.ireval.measure(HUMAN, ["AP", "P@10"], machine=STRICT, queries="common")
PREFERENCES = RUNS.ireval.prefer(HUMAN, "RPP", machine=STRICT, queries="common", baseline="bm25")
DESIGNS = ["importance", "stratified", "uniform"]
NAMES = {"run": ["run"], "query": ["query_id"]}


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("table", [SCORES, PREFERENCES], ids=["scores", "preferences"])
def test_as_many_unlabeled_queries_are_drawn_as_were_asked_for(table, design):
    plan = table.ireval.label_next(n_queries=7, design=design)
    assert faults(SCHEMAS["to_label"], plan, NAMES) == []
    assert plan["chosen"].sum() == 7
    assert not (plan["chosen"] & plan["labeled"]).any()
    assert plan["labeled"].sum() == 19
    # chances of the draw come back from those of both: before 19 of 48
    drawn = (plan["probability"] - 19 / 48) / (1 - 19 / 48)
    assert drawn[~plan["labeled"]].sum() == pytest.approx(7)
    assert plan.equals(
        table.sample(frac=1, random_state=0).ireval.label_next(n_queries=7, design=design)
    )


@pytest.mark.broad
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
    people = machine + rng.normal(
        0, 0.02 + 0.3 * machine
    )  # the more the machine says, the less it knows
    frame = pd.DataFrame(
        {"run": "a", "query_id": np.arange(300), "measure": "AP", "machine": machine}
    )
    frame["value"] = np.where(np.arange(300) < 80, people, np.nan)
    for design in ("importance", "stratified"):
        plan = frame[["run", "query_id", "measure", "value", "machine"]].ireval.label_next(
            n_queries=60, design=design
        )
        high, low = (
            plan.loc[rows, "predicted_sd"].mean() for rows in (machine > 0.7, machine < 0.3)
        )
        assert high > 1.4 * low


def two_phases(design, *, tables, seed):
    """Draw 40 queries, plan 40 more, label them, and infer: (error, covered, width) of every time."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(tables):
        machine = rng.random((300, 1))
        people = 0.2 + 0.6 * machine + rng.normal(0, 0.02 + 0.3 * machine)
        labeled = np.arange(300) < 40
        known = np.where(labeled[:, None], people, np.nan)
        _, chance, chosen = planned(known, machine, 40, design, rng)
        labeled[chosen] = True
        chance = 40 / 300 + (1 - 40 / 300) * chance
        made = powered(np.where(labeled[:, None], people, np.nan), machine, probability=chance)
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
    chance = 0.05 + 0.6 * people  # good queries are labeled more often
    drawn = rng.random(people.shape) < chance
    human = np.where(drawn, people, np.nan)
    truth = 2 / 6
    plain, weighed = powered(human, machine), powered(human, machine, probability=chance)
    shares = [
        ((low <= truth) & (truth <= high)).mean()
        for low, high in (plain.interval(), weighed.interval())
    ]
    assert shares[0] < 0.8
    assert 0.93 <= shares[1] <= 0.97
    assert abs(weighed.mean.mean() - truth) < 4 * weighed.mean.std() / np.sqrt(cases)


class TestHowMany:
    def test_the_table_says_what_each_run_or_pair_needs(self):
        for table, kind in ((SCORES, "labels_needed"), (PREFERENCES, "pair_labels_needed")):
            found = table.ireval.label_next.sample_size(width=0.2)
            assert faults(SCHEMAS[kind], found, NAMES) == []
            assert found["target_width"].unique().tolist() == [0.2]
        summary = SCORES.ireval.summary()
        found = SCORES.ireval.label_next.sample_size(width=0.2)
        np.testing.assert_allclose(
            found["ci_width"], summary["ci_high"] - summary["ci_low"], rtol=1e-12
        )

    def test_what_is_reached_already_needs_no_more_and_what_no_one_reaches_is_endless(self):
        now = SCORES.ireval.label_next.sample_size(width=0.2)
        wide = SCORES.ireval.label_next.sample_size(width=float(now["ci_width"].max()) * 1.1)
        assert (wide["queries_needed"] <= 19 + 2).all()
        assert np.isinf(SCORES.ireval.label_next.sample_size(width=0.001)["queries_needed"]).all()

    @pytest.mark.broad
    def test_so_many_labels_give_the_wanted_width(self):
        rng = np.random.default_rng(2)
        machine = rng.random((500, 200))
        people = machine + rng.normal(0, 0.15, machine.shape)

        def labeled(n):
            return powered(np.where(np.arange(500)[:, None] < n, people, np.nan), machine)

        needed = int(np.median(queries_needed(labeled(40), 0.07)))
        low, high = labeled(needed).interval()
        assert 40 < needed < 500
        assert (high - low).mean() == pytest.approx(0.07, rel=0.04)

    def test_bad_plans_are_refused(self):
        with pytest.raises(ValueError, match=r"width=-1\.0: expected a number above 0"):
            SCORES.ireval.label_next.sample_size(width=-1)
        with pytest.raises(
            ValueError,
            match=r"n_queries=30: only 29 of the 48 queries have no human labels. Draw fewer",
        ):
            SCORES.ireval.label_next(n_queries=30)
        with pytest.raises(
            ValueError, match="design='best': choose 'importance', 'stratified' or 'uniform'"
        ):
            SCORES.ireval.label_next(design="best")


def two_tables(seed, *, queries=37, columns=3, labeled=14):
    """Machine values of many queries, and people's of some; a query may lack a value in a column."""
    rng = np.random.default_rng(seed)
    judge = rng.random((queries, columns)).round(1)  # with ties
    judge[rng.random(judge.shape) < 0.05] = np.nan
    people = 0.3 + 0.5 * judge + rng.normal(0, 0.05 + 0.3 * np.nan_to_num(judge))
    people[rng.permutation(queries)[labeled:]] = np.nan
    return people, judge


def plainly_predicted(people, judge, design):
    """The predicted residual of each query by the definition, query after query."""
    count, labeled = len(people), ~np.isnan(people).all(axis=1)
    if design == "uniform":
        return np.ones(count)
    made = powered(people, judge)
    own = np.full(count, np.nan)
    relative = np.full(people.shape, np.nan)
    for column in range(people.shape[1]):
        known = ~np.isnan(people[:, column])
        h, g = people[known, column], judge[known, column]
        if len(h):
            slope = made.lam[column] * (1 + made.n[column] / max(made.n_machine[column], 1))
            square = (h - h.mean() - slope * (g - g.mean())) ** 2
            relative[known, column] = 1.0 if square.max() < 1e-20 else square / square.mean()
    for query in np.flatnonzero(labeled):
        own[query] = np.nanmean(relative[query])
    by_column = np.stack(
        [stats.rankdata(one, nan_policy="omit") / (~np.isnan(one)).sum() for one in judge.T], axis=1
    )
    place = stats.rankdata(np.nanmean(by_column, axis=1)) / count
    near = np.ones(count)
    stratum = np.empty(count, dtype=int)
    stratum[np.argsort(place, kind="stable")] = np.arange(count) * 5 // count
    for query in range(count):
        if design == "stratified":
            those = np.flatnonzero(labeled & (stratum == stratum[query]))
            near[query] = own[those].mean() if len(those) else 1.0
        else:
            those = sorted(
                np.flatnonzero(labeled), key=lambda one: (abs(place[query] - place[one]), one)
            )[:10]
            near[query] = own[those].mean()
    size = np.sqrt(0.5 + 0.5 * near)
    return size / size[~labeled].mean()


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("labeled", [27, 14, 5])
def test_predicted_residuals_are_those_of_plain_loops(design, labeled):
    for seed in range(4):
        people, judge = two_tables(seed, labeled=labeled)
        size, chance, chosen = planned(people, judge, 6, design, np.random.default_rng(seed))
        np.testing.assert_allclose(size, plainly_predicted(people, judge, design), rtol=1e-9)
        open_ = np.isnan(people).all(axis=1)
        assert chance[open_].sum() == pytest.approx(6)
        assert chosen.sum() == 6
        assert open_[chosen].all()
        some = open_ & (chance < 1)
        assert (chance / size)[some] == pytest.approx((chance / size)[some][0])


@pytest.mark.parametrize("design", DESIGNS)
def test_columns_that_lack_labels_of_a_kind_count_with_what_they_have(design):
    people, judge = two_tables(2, columns=4)
    labeled = ~np.isnan(people).all(axis=1)
    people[labeled, 0] = judge[labeled, 0]  # the machine says what people say
    people[:, 1] = np.nan  # nobody labeled it
    judge[~labeled, 2] = judge[np.flatnonzero(~labeled)[1:], 3] = (
        np.nan
    )  # none, and one, by the machine alone
    size, _, _ = planned(people, judge, 6, design, np.random.default_rng(0))
    np.testing.assert_allclose(size, plainly_predicted(people, judge, design), rtol=1e-9)


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("unit", [1.0, 1e9, 1e-9])
def test_a_perfect_machine_leaves_no_query_to_prefer(design, unit):
    people, judge = two_tables(4)
    judge = unit * np.where(np.isnan(judge), 0.3, judge)
    people = np.where(np.isnan(people).all(axis=1)[:, None], np.nan, judge)
    size, chance, _ = planned(people, judge, 6, design, np.random.default_rng(0))
    assert size.tolist() == [1.0] * 37
    np.testing.assert_allclose(chance, 6 / np.isnan(people[:, 0]).sum(), rtol=1e-12)


def test_a_draw_in_strata_takes_of_each_as_many_as_its_chances_say():
    people, judge = two_tables(3, queries=60, columns=1, labeled=20)
    place = pd.Series(judge[:, 0]).rank(pct=True).rank(pct=True).fillna(0.5)
    stratum = np.empty(60, dtype=int)
    stratum[np.argsort(place.to_numpy(), kind="stable")] = np.arange(60) * 5 // 60
    for seed in range(20):
        _, chance, chosen = planned(people, judge, 15, "stratified", np.random.default_rng(seed))
        open_ = np.isnan(people[:, 0])
        expected = np.bincount(stratum[open_], chance[open_], minlength=5)
        found = np.bincount(stratum[chosen], minlength=5)
        assert (np.abs(found - expected) < 1 + 1e-9).all()
        rng = np.random.default_rng(seed)
        order = sorted(
            np.flatnonzero(open_)[rng.permutation(open_.sum())], key=lambda query: stratum[query]
        )
        reached, points = np.cumsum(chance[order]), rng.random() + np.arange(15)
        drawn = [order[np.flatnonzero(reached > point)[0]] for point in points]
        assert np.flatnonzero(chosen).tolist() == sorted(drawn)


def test_chances_above_one_are_one_and_the_others_share_what_is_left():
    size, none = np.array([8.0, 1.0, 1.0, 2.0, 5.0, 1.0]), np.zeros(6, dtype=bool)
    # of 3: 8 and 5 are sure, and 1 is left for 1 + 1 + 2 + 1
    assert chances(size, none, 3).tolist() == [1.0, 0.2, 0.2, 0.4, 1.0, 0.2]
    assert chances(size, none, 6).tolist() == [1.0] * 6
    labeled = np.array([True, False, False, False, True, False])
    assert chances(size, labeled, 1).tolist() == [1.0, 0.2, 0.2, 0.4, 1.0, 0.2]
    # where all others are drawn, those that are labeled would have been too
    assert chances(size, labeled, 4).tolist() == [1.0] * 6


def test_a_systematic_draw_takes_those_whose_stretch_holds_a_point():
    chance, order = np.array([0.5, 0.25, 0.75, 0.5]), np.array([2, 0, 3, 1])
    # stretches in this order: query 2 to .75, query 0 to 1.25, query 3 to 1.75, query 1 to 2
    assert systematic(chance, order, 0.0).tolist() == [2, 0]
    assert systematic(chance, order, 0.25).tolist() == [2, 3]
    assert systematic(chance, order, 0.74).tolist() == [2, 3]
    assert systematic(chance, order, 0.75).tolist() == [0, 1]
    assert systematic(chance, order, np.nextafter(1.0, 0.0)).tolist() == [
        0,
        1,
    ]  # 1 more rounds to 2, the end


@pytest.mark.broad
@pytest.mark.parametrize("confidence", [0.95, 0.8])
def test_the_labels_needed_are_the_first_number_whose_interval_is_narrow_enough(confidence):
    people, judge = two_tables(5, queries=90, columns=4, labeled=25)
    people = np.where(np.isnan(judge) & ~np.isnan(people).all(axis=1)[:, None], 0.4, people)
    judge = np.where(np.isnan(judge), 0.5, judge)
    people[:, 3] = np.where(np.isnan(people[:, 0]), np.nan, 0.7)  # no spread at all
    judge[np.isnan(people[:, 1]).nonzero()[0][:20], 1] = np.nan  # this column has fewer queries
    made = powered(people, judge)
    assert (made.n + made.n_machine).tolist() == [90, 70, 90, 90]
    widths = []  # of each column, with 2, 3, ... labels
    for column in range(3):
        n0, whole = made.n[column], made.n[column] + made.n_machine[column]
        n = np.arange(2, whole + 1)
        explained = min(
            max((1 / n0 - 1 / made.effective_n[column]) / (1 / n0 - 1 / whole), 0.0), 1.0
        )
        rest = (whole - n) / whole
        one, two = (1 - explained * rest * (2 - rest)) / n, explained * rest / whole
        own = one**2 / (n - 1) + two**2 / [max(left - 1, 1) for left in whole - n]
        error = np.sqrt(made.spread[column] * (one + two))
        widths.append(2 * stats.t.ppf((1 + confidence) / 2, (one + two) ** 2 / own) * error)
    some = [widths[column][n - 2] for column in range(3) for n in (3, 30, 65, 69)] + [
        widths[0][-1],
        widths[2][-3],
    ]
    for width in (
        0.5,
        0.02,
        *(1.0000001 * width for width in some),
        *(0.9999999 * width for width in some),
    ):
        expected = [
            next((n for n, one in enumerate(own, start=2) if one <= width), np.inf)
            for own in widths
        ]
        assert queries_needed(made, width, confidence).tolist() == [*expected, 2.0]


@pytest.mark.broad
@pytest.mark.parametrize("table", [SCORES, PREFERENCES], ids=["scores", "preferences"])
def test_every_row_of_the_labels_needed_is_that_of_its_run_or_pair_and_measure(table):
    found = table.ireval.label_next.sample_size(width=0.15, confidence=0.9)
    assert found.attrs["confidence"] == 0.9
    keys = [name for name in found.columns if name.startswith(("run", "measure"))]
    for key, rows in table.groupby(keys, sort=False, observed=True):
        made = powered(rows[["value"]].to_numpy(), rows[["machine"]].to_numpy())
        low, high = made.interval(0.9)
        row = found.set_index(keys).loc[key]
        assert (row["n"], row["n_machine"]) == (made.n.item(), made.n_machine.item())
        assert row["ci_width"] == pytest.approx((high - low).item())
        assert row["queries_needed"] == queries_needed(made, 0.15, 0.9).item()


def test_a_plan_over_chances_adds_them_up_and_draws_anew_with_another_seed():
    queries = SCORES["query_id"].unique()
    before = pd.Series(np.linspace(0.2, 0.8, len(queries)), index=queries)
    plans = {}
    for seed in (0, 1):
        plans[seed] = SCORES.assign(probability=SCORES["query_id"].map(before)).ireval.label_next(
            n_queries=9, seed=seed
        )
    plain = SCORES.ireval.label_next(n_queries=9)
    drawn = (plain["probability"] - 19 / 48) / (1 - 19 / 48)
    chance = before[plain["query_id"]].to_numpy()
    np.testing.assert_allclose(plans[0]["probability"], chance + (1 - chance) * drawn)
    assert plans[0]["chosen"].tolist() == plain["chosen"].tolist() != plans[1]["chosen"].tolist()
    assert plans[1].attrs["seed"] == 1
    assert (plain.attrs["query_column"], plain.attrs["design"]) == ("query_id", "importance")
    assert SCORES.ireval.label_next(n_queries=29)["chosen"].sum() == 29


def test_a_run_without_labels_of_a_kind_needs_more_than_there_are_queries():
    two = SCORES[SCORES["run"].isin(["bm25", "ql"])]
    for lost in (
        two.assign(value=two["value"].where(two["run"] != "ql")),
        two[two["value"].notna() | (two["run"] != "ql")],
    ):
        found = lost.ireval.label_next.sample_size("AP", width=0.2).set_index("run")[
            "queries_needed"
        ]
        assert np.isinf(found["ql"])
        assert (
            found["bm25"]
            == two.ireval.label_next.sample_size("AP", width=0.2)["queries_needed"].iloc[0]
        )
    for verb, wrong in (
        ("label_next.sample_size", {"width": 0.2, "confidence": 2}),
        ("label_next.sample_size", {"width": -1}),
        ("label_next", {"seed": -1}),
        ("label_next", {"n_queries": 0}),
    ):
        with pytest.raises(ValueError, match=list(wrong)[-1]):
            attrgetter(verb)(two.ireval)("AP", **wrong)


def test_labels_needed_weigh_queries_by_their_chances():
    one = SCORES[(SCORES["run"] == "ql") & (SCORES["measure"] == "AP")].copy()
    one["probability"] = 0.2 + 0.6 * (one["query_id"].astype(int) % 5) / 5
    human, machine, chance = (one[name].to_numpy() for name in ("value", "machine", "probability"))
    made = powered(human[:, None], machine[:, None], probability=chance)
    found = one.ireval.label_next.sample_size(width=0.12)
    low, high = made.interval()
    assert found["ci_width"].tolist() == pytest.approx((high - low).tolist())
    assert found["queries_needed"].tolist() == queries_needed(made, 0.12).tolist()


def test_a_single_query_may_be_drawn_and_none_may_not():
    assert SCORES.ireval.label_next(n_queries=1)["chosen"].sum() == 1
    with pytest.raises(ValueError, match="n_queries=0"):
        SCORES.ireval.label_next(n_queries=0)
