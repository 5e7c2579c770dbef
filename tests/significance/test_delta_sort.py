"""DeltaSort by hand, its direction for search lengths, and the chain from MAP to ASL."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import pdeval
from pdeval.evaluate.cube import Scores
from pdeval.significance.delta_sort import gain, means_and_better_runs, moved, moved_along
from pdeval.significance.paired_tests import student

QUERIES = pd.Index(range(6), name="query_id")
NOISE = np.array([0.0, 0.01, -0.01, 0.02, -0.02, 0.0])


def cube(means, name="AP", higher=True, runs="abcd"):
    """Runs whose values move a little around their means, each in its own way: clear differences."""
    values = np.array(means)[None, :] * (1 + np.outer(NOISE, [1, -1, 0.5, -0.5][: len(means)]))
    return Scores(
        pd.DataFrame({"run": list(runs)[: len(means)]}),
        QUERIES,
        (name,),
        values[None],
        np.array([higher]),
    )


def test_places_are_counted_by_hand():
    # old: d > c > b > a, 0, 1, 2, 3 systems better; new: a first, then d, c, b: 0, 3, 2, 1 better
    result = moved(cube([0.1, 0.2, 0.3, 0.4]), cube([0.8, 0.2, 0.3, 0.4], "RR"), per="run")
    assert list(result.columns) == [
        *(
            "run",
            "measure_old",
            "measure_new",
            "value_old",
            "value_new",
            "better_old",
            "better_new",
            "delta_sort",
        )
    ]
    assert result["better_old"].tolist() == [3, 2, 1, 0]
    assert result["better_new"].tolist() == [0, 3, 2, 1]
    assert result["delta_sort"].tolist() == [75.0, 25.0, 25.0, 25.0]


@pytest.mark.filterwarnings("error")
def test_what_was_nothing_before_has_no_change_of_value():
    new = cube([0.8, 0.2, 0.3, 0.6], "RR")
    assert moved(cube([0.0, 0.2, 0.3, 0.4]), new)["delta_value"].iloc[0] == pytest.approx(
        (1 + 1 + 1.5) / 3
    )
    assert np.isnan(moved(cube([0.0, 0.0, 0.0, 0.0]), new)["delta_value"].iloc[0])


def test_a_collection_gets_the_largest_move_with_tau_and_the_change_of_value():
    old, new = cube([0.1, 0.2, 0.3, 0.4]), cube([0.8, 0.2, 0.3, 0.4], "RR")
    row = moved(old, new).iloc[0]
    assert row["delta_sort"] == 75.0
    assert row["runs"] == 4
    means = [table.values[0].mean(axis=0) for table in (old, new)]
    assert row["tau_b"] == pytest.approx(stats.kendalltau(*means).statistic)
    assert row["delta_value"] == pytest.approx((means[1] / means[0]).mean())


def test_a_lead_below_the_margin_is_no_lead():
    # 0.105 is 5% above 0.1, significant all the same
    close = cube([0.1, 0.105, 0.3, 0.4])
    assert moved(close, close, per="run")["better_old"].tolist() == [2, 2, 1, 0]
    assert moved(close, close, per="run", margin=0.04)["better_old"].tolist() == [3, 2, 1, 0]


def test_a_lead_of_exactly_the_margin_is_one():
    values = np.tile([0.5, 0.55], (6, 1)) + np.outer(NOISE, [1, -1])
    table = Scores(
        pd.DataFrame({"run": ["a", "b"]}), QUERIES, ("AP",), values[None], np.array([True])
    )
    assert moved(table, table, per="run")["better_old"].tolist() == [1, 0]


def test_a_lead_that_is_not_significant_is_no_lead():
    values = np.array([[0.1, 0.9], [0.5, 0.1], [0.2, 0.1], [0.1, 0.8], [0.3, 0.1], [0.4, 0.5]])
    table = Scores(
        pd.DataFrame({"run": ["a", "b"]}), QUERIES, ("AP",), values[None], np.array([True])
    )
    assert values.mean(axis=0)[1] > 1.1 * values.mean(axis=0)[0]
    assert moved(table, table, per="run")["better_old"].tolist() == [0, 0]


def test_less_is_better_for_search_lengths_and_their_reciprocal_is_the_value():
    old, new = cube([0.5, 0.25, 0.2, 0.1]), cube([2.0, 4.0, 5.0, 10.0], "ASL", higher=False)
    result = moved(old, new, per="run")
    assert result["better_new"].tolist() == [0, 1, 2, 3]
    row = moved(old, new).iloc[0]
    assert row["delta_sort"] == 0.0
    assert row["tau_b"] == pytest.approx(1.0)
    assert row["delta_value"] == pytest.approx(1.0, abs=0.01)


def test_runs_are_matched_by_name_not_by_place():
    old = cube([0.1, 0.2, 0.3, 0.4])
    turned = Scores(
        old.runs.iloc[::-1].reset_index(drop=True),
        QUERIES,
        ("AP",),
        old.values[:, :, ::-1],
        old.higher,
    )
    assert moved(old, turned).iloc[0][["delta_sort", "tau_b", "delta_value"]].tolist() == [
        0.0,
        1.0,
        1.0,
    ]


def test_one_old_measure_goes_with_several_new_ones():
    one, other = cube([0.1, 0.2, 0.3, 0.4]), cube([0.8, 0.2, 0.3, 0.4])
    both = Scores(
        one.runs,
        QUERIES,
        ("x", "y"),
        np.concatenate([one.values, other.values]),
        np.array([True, True]),
    )
    assert moved(one, both)["delta_sort"].tolist() == [0.0, 75.0]
    assert moved(both, both)["measure_new"].tolist() == ["x", "y"]
    three = Scores(
        one.runs, QUERIES, ("x", "y", "z"), np.repeat(one.values, 3, axis=0), np.ones(3, bool)
    )
    with pytest.raises(ValueError, match="2 old measures cannot be paired with 3 new ones"):
        moved(both, three)


def test_other_runs_are_refused():
    with pytest.raises(
        ValueError, match=r"must be of the same runs; 2 are only on one side, e\.g\. d, e"
    ):
        moved(cube([0.1, 0.2, 0.3, 0.4]), cube([0.1, 0.2, 0.3, 0.4], runs="abce"))


def test_systems_that_all_tie_have_no_tau_but_every_other_number():
    tied = Scores(
        pd.DataFrame({"run": ["a", "b"]}),
        QUERIES,
        ("AP",),
        np.repeat(NOISE[:, None], 2, axis=1)[None] + 1,
        np.array([True]),
    )
    row = moved(tied, tied).iloc[0]
    assert np.isnan(row["tau_b"])
    assert row[["delta_sort", "delta_value"]].tolist() == [0.0, 1.0]


def items():
    random = np.random.default_rng(0)
    rows = [(run, query) for run in "abcd" for query in range(6) for _ in range(3)]
    frame = pd.DataFrame(rows, columns=["run", "query_id"])
    frame["asl"] = 1.0 + random.integers(0, 20, len(frame)) * (
        1 + frame["run"].map({"a": 0, "b": 1, "c": 2, "d": 5})
    )
    return frame


def chain_of(ap, table, **options):
    """Return the chain from search lengths of items."""
    lengths = table.assign(precision=1 / table["asl"]).groupby(["run", "query_id"])
    asl, precision = (
        lengths[name].mean().unstack("run").reindex(ap.queries)[ap.runs["run"].tolist()].to_numpy()
        for name in ("asl", "precision")
    )
    return moved_along(ap, asl, precision, **options)


def test_the_chain_goes_from_map_to_search_length_by_its_means():
    table, ap = items(), cube([0.1, 0.2, 0.3, 0.4])
    chain = chain_of(ap, table.sample(frac=1, random_state=1))
    assert chain.index.tolist() == [0, 1, 2, 3]
    assert chain["measure_old"].tolist() == ["AP", "atomized precision", "1/ASL per query", "AP"]
    assert chain["measure_new"].tolist() == ["atomized precision", "1/ASL per query", "ASL", "ASL"]
    first = ap.values[0].mean(axis=0)
    per_query = table.groupby(["run", "query_id"])["asl"]
    atomized = per_query.agg(lambda x: (1 / x).mean()).groupby("run").mean()
    within = (1 / per_query.mean()).groupby("run").mean()
    across = 1 / per_query.mean().groupby("run").mean()
    expected = [
        (atomized / first).mean(),
        (within / atomized).mean(),
        (across / within).mean(),
        (across / first).mean(),
    ]
    assert chain["delta_value"].tolist() == pytest.approx(expected)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"per": "system"}, "per='system': choose 'all' or 'run'"),
        ({"margin": -1}, "margin=-1: expected a number of at least 0"),
    ],
)
def test_wrong_options_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        pdeval.datasets.sample_judged(queries="common").delta_sort("RR", **options)


def test_systems_of_equal_mean_are_tied_in_tau_whatever_their_rounding():
    # issue 12, item 2: the mean of .1 .2 .3 and of .3 .2 .1 differ in the last digit, and AP puts y above x
    values = {"P@10": [[0.1, 0.3, 0.1], [0.2, 0.2, 0.1], [0.3, 0.1, 0.1]]}
    values["AP"] = [[0.4, 0.5, 0.1], [0.5, 0.6, 0.1], [0.6, 0.7, 0.2]]
    table = pd.DataFrame(
        [
            (run, query, name, value)
            for name, rows in values.items()
            for query, row in enumerate(rows)
            for run, value in zip("xyz", row, strict=True)
        ],
        columns=["run", "query_id", "measure", "value"],
    )
    found = table.ireval.delta_sort("AP", old="P@10")["tau_b"].item()
    assert found == pytest.approx(2 / np.sqrt(6))
    assert table.ireval.order().ireval.correlate()["value"].item() == pytest.approx(found, abs=0)


def test_the_chain_ties_systems_whose_mean_search_lengths_differ_by_rounding():
    # issue 12, item 2: the same ASL on paper, added up in another order
    ap = Scores(
        pd.DataFrame({"run": list("xyz")}),
        pd.Index([1, 2, 3], name="query_id"),
        ("AP",),
        np.array([[[0.4, 0.5, 0.1], [0.5, 0.6, 0.1], [0.6, 0.7, 0.2]]]),
        np.array([True]),
    )
    lengths = {"x": [1.1, 1.3, 1.7], "y": [1.7, 1.3, 1.1], "z": [9.0, 9.0, 9.0]}
    assert np.mean(lengths["x"]) != np.mean(lengths["y"])
    items = pd.DataFrame(
        [(run, q + 1, asl) for run, row in lengths.items() for q, asl in enumerate(row)]
    )
    items.columns = ["run", "query_id", "asl"]
    chain = chain_of(ap, items).set_index("step")["tau_b"]
    assert chain["cumulative"] == pytest.approx(2 / np.sqrt(6))


def test_a_pair_without_two_queries_in_common_is_refused():
    values = np.array([[[0.1, np.nan, 0.3], [0.2, 0.1, np.nan], [np.nan, 0.4, 0.5]]])
    table = Scores(
        pd.DataFrame({"run": list("abc")}),
        pd.Index(range(3), name="query_id"),
        ("AP",),
        values,
        np.array([True]),
    )
    with pytest.raises(ValueError, match="3 pairs have fewer than two common queries for 'AP'"):
        moved(table, table)


def plainly_better(values, higher, margin, alpha):
    """How many runs are better than each, by the definition: one pair after the other, on the queries of both."""
    better = np.zeros(values.shape[1], int)
    for one in range(values.shape[1]):
        for other in range(values.shape[1]):
            both = ~np.isnan(values[:, one]) & ~np.isnan(values[:, other])
            mine, theirs = values[both, one], values[both, other]
            lead = (theirs.mean() - mine.mean()) * (1 if higher else -1)
            if (
                one != other
                and lead >= margin * abs(mine.mean())
                and stats.ttest_rel(theirs, mine).pvalue <= alpha
            ):
                better[one] += 1
    return better


@pytest.mark.parametrize("higher", [True, False])
@pytest.mark.parametrize(("margin", "alpha"), [(0.1, 0.05), (0.0, 0.3), (0.5, 0.2)])
def test_the_number_of_better_runs_is_that_of_the_definition_on_any_scores(higher, margin, alpha):
    random = np.random.default_rng(int(100 * margin) + higher)
    values = random.random((2, 9, 6)) * random.random(6) + 0.05
    values[0, :2, 1] = values[1, 3, :2] = np.nan
    runs = pd.DataFrame({"run": list("abcdef")})
    old, new = (
        Scores(
            runs,
            pd.Index(range(9), name="query_id"),
            (name,),
            one[None],
            np.array([way]),
            {"level": 2},
        )
        for name, one, way in (("AP", values[0], True), ("X", values[1], higher))
    )
    found = moved(old, new, margin=margin, alpha=alpha, per="run")
    before = plainly_better(values[0], True, margin, alpha)
    after = plainly_better(values[1], higher, margin, alpha)
    assert found["better_old"].tolist() == before.tolist()
    assert found["better_new"].tolist() == after.tolist()
    assert found["delta_sort"].tolist() == pytest.approx(list(100 * np.abs(before - after) / 6))
    assert found["value_new"].tolist() == pytest.approx(np.nanmean(values[1], axis=0).tolist())
    largest = moved(old, new, margin=margin, alpha=alpha)
    assert largest["delta_sort"].item() == found["delta_sort"].max()
    assert found.attrs["level"] == largest.attrs["level"] == 2


def test_the_margin_and_the_level_reach_every_step_of_the_chain():
    ap = cube([0.1, 0.2, 0.3, 0.4])
    table = items()
    assert (chain_of(ap, table, margin=50.0)["delta_sort"] == 0).all()
    usual, strict = (
        chain_of(ap, table, alpha=alpha)["delta_sort"].tolist() for alpha in (0.05, 1e-9)
    )
    assert usual != strict


def test_a_system_with_fewer_seeds_is_told_of_once_though_two_measures_are_averaged():
    runs = pd.DataFrame({"model": ["a", "a", "b"], "seed": [1, 2, 1]})
    values = np.random.default_rng(3).random((2, 6, 3))
    seeds = pd.concat(
        [
            runs.iloc[[run]].assign(query_id=query, measure=name, value=values[number, query, run])
            for number, name in enumerate(["AP", "RR"])
            for query in range(6)
            for run in range(3)
        ],
        ignore_index=True,
    )
    with pytest.warns(UserWarning, match="averaged over its own replicates") as told:
        found = seeds.ireval.delta_sort("RR", old="AP", per="run", replicate="seed")
    assert [str(one.message) for one in told] == [
        "the number of replicates (seed) differs: 'b' has 1 and 'a' has 2. Each system is averaged over its own "
        "replicates."
    ]
    assert found["model"].tolist() == ["a", "b"]
    assert found["value_old"].tolist() == pytest.approx(
        [values[0, :, :2].mean(), values[0, :, 2].mean()]
    )


@pytest.mark.parametrize(("olds", "news"), [(1, 3), (3, 1), (2, 2)])
def test_measures_are_taken_in_turn_each_in_its_own_direction(olds, news):
    random = np.random.default_rng(olds)
    runs = pd.DataFrame({"run": list("dbca"), "seed": [1, 2, 3, 4]})
    sides = []
    for count, name in ((olds, "o"), (news, "n")):
        values = random.random((count, 6, 4)) + 4 * random.random((count, 1, 4)) + 0.1
        names = tuple(f"{name}{number}" for number in range(count))
        sides.append(Scores(runs, QUERIES, names, values, np.arange(count) % 2 == 0))
    old, new = sides
    rows, each = moved(old, new), moved(old, new, per="run")
    assert list(rows.columns) == [
        "measure_old",
        "measure_new",
        "runs",
        "delta_sort",
        "tau_b",
        "delta_value",
    ]
    assert each.index.tolist() == list(range(4 * max(olds, news)))
    for number in range(max(olds, news)):
        (a, one), (b, two) = (
            (k % len(side.measures), side) for k, side in ((number, old), (number, new))
        )
        before, after = one.values[a].mean(axis=0), two.values[b].mean(axis=0)
        counts = [
            plainly_better(side.values[k], bool(side.higher[k]), 0.1, 0.05)
            for k, side in ((a, old), (b, new))
        ]
        move = 100 * np.abs(counts[0] - counts[1]) / 4
        signs = [1 if side.higher[k] else -1 for k, side in ((a, old), (b, new))]
        tau = stats.kendalltau(signs[0] * before, signs[1] * after).statistic
        value = np.mean(after ** signs[1] / before ** signs[0])
        row = rows.iloc[number]
        assert row[["measure_old", "measure_new", "runs"]].tolist() == [f"o{a}", f"n{b}", 4]
        assert row[["delta_sort", "tau_b", "delta_value"]].tolist() == pytest.approx(
            [move.max(), tau, value]
        )
        part = each.iloc[4 * number : 4 * number + 4]
        assert part[["run", "seed"]].to_dict("list") == runs.to_dict("list")
        assert (set(part["measure_old"]), set(part["measure_new"])) == ({f"o{a}"}, {f"n{b}"})
        assert part["value_old"].tolist() == pytest.approx(before)
        assert part["value_new"].tolist() == pytest.approx(after)
        assert part["better_old"].tolist() == counts[0].tolist()
        assert part["better_new"].tolist() == counts[1].tolist()
        assert part["delta_sort"].tolist() == pytest.approx(move)
    assert each[["better_old", "better_new"]].dtypes.tolist() == [np.dtype(np.int64)] * 2


def test_a_p_value_of_exactly_the_level_is_a_lead():
    values = np.random.default_rng(8).random((7, 2)) + [0.0, 0.3]
    level = float(stats.ttest_rel(values[:, 0], values[:, 1]).pvalue)
    table = Scores(
        pd.DataFrame({"run": ["a", "b"]}),
        pd.Index(range(7)),
        ("AP",),
        values[None],
        np.array([True]),
    )
    for alpha, expected in ((level * (1 + 1e-9), [1, 0]), (level * (1 - 1e-9), [0, 0])):
        assert means_and_better_runs(table, 0, 0.1, alpha)[1].tolist() == expected
    exact = student(values[:, :1] - values[:, 1:]).p_value.item()
    assert exact == pytest.approx(level, rel=1e-12)
    assert means_and_better_runs(table, 0, 0.1, exact)[1].tolist() == [1, 0]


def test_the_margin_is_a_share_of_the_mean_over_the_queries_of_both():
    one, two = np.full((2, 9), np.nan)
    one[:6], two[:6], one[6:] = (
        0.5 + NOISE,
        0.56 - NOISE,
        0.9,
    )  # 12% above 0.5, and 9.5% above 0.633
    table = Scores(
        pd.DataFrame({"run": ["a", "b"]}),
        pd.Index(range(9)),
        ("AP",),
        np.stack([one, two], axis=1)[None],
        np.array([True]),
    )
    mean, better = means_and_better_runs(table, 0, 0.1, 0.05)
    assert mean.tolist() == pytest.approx([(6 * 0.5 + 3 * 0.9) / 9, 0.56])
    assert better.tolist() == [1, 0]


def test_a_lead_of_exactly_one_counts_and_a_lead_of_nothing_does_not():
    values = np.array([[2.0, 1.0, 1.0], [3.0, 2.0, 2.0], [5.0, 4.0, 4.0]])
    table = Scores(
        pd.DataFrame({"run": list("abc")}),
        pd.Index(range(3)),
        ("AP",),
        values[None],
        np.array([True]),
    )
    assert means_and_better_runs(table, 0, 0.0, 0.05)[1].tolist() == [0, 1, 1]


def test_the_reciprocal_of_nothing_is_endless():
    assert gain(np.array([0.0, 4.0]), False).tolist() == [np.inf, 0.25]
    assert gain(np.array([0.0, 4.0]), True).tolist() == [0.0, 4.0]


@pytest.mark.broad
def test_the_accessor_hands_on_margin_level_and_kind():
    runs, qrels, _ = pdeval.datasets.load_sample()
    judged = runs[runs["run"].isin(["bm25", "ql", "hybrid"])].ireval.join(qrels, queries="common")
    given = {"margin": 0.4, "alpha": 0.3, "per": "run"}
    found = judged.delta_sort(["RR", "P@10"], old="AP", **given)
    table = judged.measure(["AP", "RR", "P@10"])
    pd.testing.assert_frame_equal(table.ireval.delta_sort(["RR", "P@10"], old="AP", **given), found)
    for measure, side in (("AP", "old"), ("RR", "new"), ("P@10", "new")):
        wide = table[table["measure"] == measure].pivot(
            index="query_id", columns="run", values="value"
        )
        counts = dict(
            zip(wide.columns, plainly_better(wide.to_numpy(), True, 0.4, 0.3), strict=True)
        )
        part = found[found[f"measure_{side}"] == measure]
        assert part[f"better_{side}"].tolist() == [counts[run] for run in part["run"]]
    assert (
        len(table.ireval.delta_sort("RR")) == len(table.ireval.delta_sort(("RR",), old=["AP"])) == 1
    )


def test_a_query_without_items_is_left_out_of_the_means_of_its_run():
    table, ap = items(), cube([0.1, 0.2, 0.3, 0.4])
    table.loc[5, "asl"] = 0.5
    few = table[(table["run"] != "b") | (table["query_id"] != 2)]
    chain = chain_of(ap, few).set_index("step")["delta_value"]
    across = 1 / few.groupby(["run", "query_id"])["asl"].mean().groupby("run").mean()
    assert chain["cumulative"] == pytest.approx((across / ap.values[0].mean(axis=0)).mean())
