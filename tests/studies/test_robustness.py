"""Orderings from fewer queries and labels: against doing it the slow way."""

import threading

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import pdeval
from pdeval.evaluate import scores as evaluate
from pdeval.evaluate.pairs import select
from pdeval.studies import robustness
from pdeval.studies.robustness import Plan
from tests.studies.rankings import inf, judged, random_judged

pytestmark = pytest.mark.filterwarnings("ignore:.*judged queries are missing")

FOUND = random_judged(np.random.default_rng(11), queries=9, runs=5, length=12)


@pytest.fixture(scope="module")
def sample():
    return pdeval.datasets.sample_judged()


def fewer_data(found, measures, *, to="queries", **options):
    return robustness.robustness(found, measures, to=to, **options)


def value(table, statistic, **where):
    rows = table[table["statistic"] == statistic]
    for name, wanted in where.items():
        rows = rows[rows[name] == wanted]
    return rows["value"].item()


def test_the_result_is_tidy():
    table = fewer_data(FOUND, ["AP", "RPP"], keep=[3, 9], draws=2)
    assert table.columns.tolist() == [
        "measure",
        "to",
        "policy",
        "keep",
        "draw",
        "statistic",
        "value",
    ]
    assert len(table) == 2 * 2 * 2 * 4
    assert table["statistic"].iloc[:4].tolist() == [
        "tau_b",
        "ranking_agreement",
        "system_agreement",
        "ties",
    ]
    assert table["draw"].iloc[::4].tolist() == [0, 1] * 4
    assert table["keep"].iloc[::8].tolist() == [3, 9, 3, 9]


@pytest.mark.parametrize("drop", ["queries", "labels"])
def test_all_data_agrees_with_itself(drop):
    table = fewer_data(FOUND, ["AP", "RPP", "rrLP"], to=drop, keep=[1.0], draws=2)
    for statistic in ("tau_b", "ranking_agreement", "system_agreement"):
        assert table[table["statistic"] == statistic]["value"].tolist() == pytest.approx([1.0] * 6)


def slow(found, measure, kept=None):
    """Return tau, agreements and ties of the positions thinned to `found`, against all of FOUND."""
    whole, part = (select(one, measure).cube() for one in (FOUND, found))
    rows = np.ones(len(FOUND.queries), dtype=bool) if kept is None else kept
    before, after = whole.values[0], part.values[0][rows]
    told = np.abs(before[rows]) > 1e-12
    ranking = (np.sign(before[rows]) == np.sign(after.round(12)))[told].mean()
    means = before.mean(axis=0), after.mean(axis=0)
    clear = np.abs(means[0]) > 1e-12
    system = (np.sign(means[0].round(12)) == np.sign(means[1].round(12)))[clear].mean()
    if measure in ("RPP", "rrLP"):
        merits = []
        for mean in means:
            wins = np.zeros(len(FOUND.runs))
            np.add.at(wins, whole.a, mean)
            np.add.at(wins, whole.b, -mean)
            merits.append(wins)
    else:
        merits = [evaluate.scores(one, measure).values[0][kept_rows].mean(axis=0)
                  for one, kept_rows in ((FOUND, slice(None)), (found, rows))]  # fmt: skip
    tau = stats.kendalltau(merits[0].round(10), merits[1].round(10)).statistic
    return [tau, ranking, system, (np.abs(after) < 1e-12).sum()]


@pytest.mark.parametrize("measure", ["AP", "RR", "RPP", "rrLP"])
def test_fewer_queries_equal_evaluating_those_queries_alone(measure):
    table = fewer_data(FOUND, measure, keep=[4], draws=2, seed=3, method=None)
    for sample, rng in enumerate(robustness.streams(2, seed=3)):
        kept = np.argsort(rng.permutation(9)) < 4
        rows = table[table["draw"] == sample]
        assert rows["value"].tolist() == pytest.approx(slow(FOUND, measure, kept))


@pytest.mark.parametrize("measure", ["AP", "RR", "RPP", "rrLP"])
@pytest.mark.parametrize("policy", ["random", "pool"])
def test_fewer_labels_equal_evaluating_with_those_labels_alone(measure, policy):
    table = fewer_data(
        FOUND, measure, to="labels", keep=[0.4], draws=2, seed=3, policy=policy, method=None
    )
    for sample, rng in enumerate(robustness.streams(2, seed=3)):
        kept = robustness.label_order(FOUND, rng, policy=policy) <= 0.4
        rows = table[table["draw"] == sample]
        assert rows["value"].tolist() == pytest.approx(
            slow(FOUND.on(FOUND.positions.keep_items(kept)), measure)
        )


@pytest.mark.parametrize("measure", ["AP", "RPP"])
def test_shorter_lists_equal_evaluating_the_shorter_lists_alone(measure):
    table = fewer_data(FOUND, measure, to="depth", keep=[2, 5, 12], method=None)
    for depth in (2, 5, 12):
        rows = table[table["keep"] == depth]
        expected = slow(FOUND.on(FOUND.positions.keep_depth(depth)), measure)
        assert rows["value"].tolist() == pytest.approx(expected)
    assert rows["value"].tolist()[:3] == pytest.approx([1, 1, 1])  # the lists have 12 items
    assert table["draw"].unique().tolist() == [0]


def test_a_join_that_is_cut_equals_a_join_with_that_depth():
    runs, qrels = pdeval.datasets.sample_runs(), pdeval.datasets.sample_qrels()
    whole = runs.ireval.join(qrels, queries="common")
    cut = whole.on(whole.positions.keep_depth(7))
    measures = ["AP", "nDCG", "Rprec", "bpref"]
    expected = runs.ireval.join(qrels, queries="common", depth=7).measure(measures)
    pd.testing.assert_frame_equal(evaluate.measure(cut, measures), expected, check_exact=True)


def test_lists_without_unjudged_items_cannot_be_shortened():
    condensed = pdeval.datasets.sample_judged(queries="common", judged_only=True)
    with pytest.raises(
        ValueError, match=r"judged_only=True or ties='expected' cannot be shortened"
    ):
        condensed.robustness("AP", to="depth")


@pytest.mark.broad
@pytest.mark.parametrize("drop", ["queries", "labels"])
def test_the_work_may_be_cut_into_any_blocks(sample, drop):
    options = {
        "measures": ["RPP", "AP", "rrLP"],
        "to": drop,
        "keep": [0.3, 0.6],
        "draws": 2,
        "seed": 4,
    }
    whole, parts = (fewer_data(sample, **options, memory=memory) for memory in (1 << 28, 20_000))
    pd.testing.assert_frame_equal(whole, parts, rtol=1e-12)


def test_samples_are_seeded_and_the_first_ones_stay_with_more():
    options = {"measures": "RR", "to": "labels", "keep": [0.3]}
    few, many, other = (
        fewer_data(FOUND, **options, draws=n, seed=s) for n, s in ((2, 1), (4, 1), (2, 2))
    )
    assert many[many["draw"] < 2]["value"].tolist() == few["value"].tolist()
    assert other["value"].tolist() != few["value"].tolist()


def test_less_is_part_of_more_within_a_sample():
    # with nested samples, the ties of 3 queries are among those of 6
    table = fewer_data(FOUND, "RR", keep=[3, 6, 9], draws=3)
    ties = table[table["statistic"] == "ties"].pivot(index="draw", columns="keep", values="value")
    assert (ties[3] <= ties[6]).all()
    assert (ties[6] <= ties[9]).all()


def test_draws_that_keep_the_same_labels_are_looked_at_once(sample, monkeypatch):
    looked = []
    statistics = Plan.statistics
    monkeypatch.setattr(
        Plan, "statistics", lambda self, *given: looked.append(1) or statistics(self, *given)
    )
    frame = sample.robustness("AP", to="labels", keep=[0.5, 1.0], draws=3)
    assert len(looked) == 3 + 1
    whole = frame[frame["keep"] == 1.0].pivot(index="draw", columns="statistic", values="value")
    assert (whole == whole.iloc[0]).all(axis=None)


@pytest.mark.parametrize("memory", [1, 1 << 28])
def test_the_number_of_threads_does_not_change_a_result(monkeypatch, memory):
    options = {"measures": ["RPP", "AP"], "to": "labels", "draws": 3, "memory": memory}
    one = fewer_data(FOUND, **options)
    used, statistics = set(), Plan.statistics
    monkeypatch.setattr(
        Plan,
        "statistics",
        lambda self, *given: used.add(threading.get_ident()) or statistics(self, *given),
    )
    for cores in (1, 3):
        monkeypatch.setattr(robustness, "available_cores", lambda cores=cores: cores)
        used.clear()
        pd.testing.assert_frame_equal(fewer_data(FOUND, **options), one, check_exact=True)
        assert (used == {threading.get_ident()}) == (cores == 1 or memory == 1)


def test_agreement_may_be_with_another_measure_on_all_data():
    found = judged({"q": {"a": [1, 9], "b": [2, 3]}, "s": {"a": [1, 9], "b": [1, 3]}})
    own = fewer_data(found, "AP", keep=[2], draws=1)
    assert value(own, "ranking_agreement") == 1.0
    # RR: a on q, a tie on s; AP: a on q (.611, .583), b on s (.611, .833) and over both; R@3: b on q
    other = fewer_data(found, ["AP", "RR", "R@3"], keep=[2], draws=1, against="RR")
    assert value(other, "ranking_agreement", measure="RR") == 1.0
    assert value(other, "ranking_agreement", measure="AP") == 1.0
    assert value(other, "ranking_agreement", measure="R@3") == 0.0
    assert value(other, "system_agreement", measure="AP") == 0.0
    assert value(other, "tau_b", measure="AP") == pytest.approx(1.0)


def test_ties_count_pairs_on_the_queries_kept():
    found = judged({"q": {"a": [1], "b": [1], "c": [2]}, "s": {"a": [inf], "b": [inf], "c": [inf]}})
    assert value(fewer_data(found, "RR", keep=[2], draws=1), "ties") == 1 + 3
    with pytest.raises(ValueError, match=r"keep=\[3\]: expected numbers of queries from 1 to 2"):
        fewer_data(found, "RR", keep=[3])


@pytest.mark.broad
def test_preferences_order_runs_by_the_markov_chain_of_the_paper(sample):
    table = fewer_data(sample, ["RPP", "AP"], keep=[12], draws=2, seed=3)
    found = table[table["statistic"] == "tau_b"].set_index(["measure", "draw"])["value"]
    scores = {"RPP": sample.prefer("RPP"), "AP": sample.measure("AP")}
    for draw, rng in enumerate(robustness.streams(2, seed=3)):
        kept = sample.queries[np.argsort(rng.permutation(len(sample.queries))) < 12]
        for measure, method in (("RPP", "mc4"), ("AP", "mean")):
            every, few = (
                one.ireval.order(method=method).set_index("run")["rank"].sort_index()
                for one in (
                    scores[measure],
                    scores[measure][scores[measure]["query_id"].isin(kept)],
                )
            )
            assert found[measure, draw] == pytest.approx(
                stats.kendalltau(every, few).statistic, abs=1e-12
            )


def test_other_ways_of_ordering_can_be_asked_for(sample):
    copeland = fewer_data(sample, ["RPP", "AP"], keep=[10], draws=2, method="copeland")
    default = fewer_data(sample, ["RPP", "AP"], keep=[10], draws=2)
    same = copeland["statistic"] != "tau_b"
    pd.testing.assert_frame_equal(copeland[same], default[same])
    assert copeland["value"].tolist() != default["value"].tolist()


def test_means_and_deviations_over_samples_on_request():
    table = fewer_data(FOUND, "AP", keep=[4], draws=5, seed=2)
    short = fewer_data(FOUND, "AP", keep=[4], draws=5, seed=2, summary=True)
    assert short.columns.tolist() == [
        "measure",
        "to",
        "policy",
        "keep",
        "statistic",
        "draws",
        "mean",
        "sd",
    ]
    taus = table[table["statistic"] == "tau_b"]["value"]
    assert short["mean"].iloc[0] == pytest.approx(taus.mean())
    assert short["sd"].iloc[0] == pytest.approx(taus.std(ddof=1))
    assert short["draws"].tolist() == [5] * 4


def test_judged_non_relevant_items_are_thinned_too(sample):
    table = fewer_data(sample, "bpref", to="labels", keep=[0.5, 1.0], draws=1)
    assert value(table, "tau_b", keep=1.0) == pytest.approx(1.0)
    assert 0.2 < value(table, "tau_b", keep=0.5) < 1


def test_reciprocal_rank_loses_its_order_before_other_measures_do(sample):
    table = fewer_data(sample, ["RPP", "AP", "RR"], to="labels", keep=[0.3], draws=5, summary=True)
    tau = table[table["statistic"] == "tau_b"].set_index("measure")["mean"]
    assert tau["RR"] < tau["AP"]
    assert tau["RR"] < tau["RPP"]


@pytest.mark.large
@pytest.mark.slow
def test_ten_samples_of_ten_sizes_on_trec_covid(shared_data):
    from pdeval.files import read_qrels, read_runs

    folder = shared_data / "trec-covid-r3"
    runs, qrels = read_runs(folder / "runs"), read_qrels(folder / "qrels.txt")
    found = runs.ireval.join(qrels, compat="trec_eval-9", validate=False)
    measures = ["RPP", "invRPP", "dcgRPP", "AP", "nDCG", "RR"]
    table = fewer_data(found, measures, to="labels", summary=True)
    assert len(table) == 6 * 10 * 4
    tau = table[table["statistic"] == "tau_b"].pivot(index="keep", columns="measure", values="mean")
    # Diaz and Ferraro (2022), Figure 7: RR is the worst throughout, AP falls behind where most labels are missing
    assert (tau["RR"] < tau.drop(columns="RR").min(axis=1))[tau.index < 1].all()
    assert tau.loc[0.1, "AP"] < tau.loc[0.1, "nDCG"] < tau.loc[0.1, "RPP"]
    # Diaz (2023), Figure 9: ties of RR grow with the labels, those of other measures shrink
    ties = table[table["statistic"] == "ties"].pivot(index="keep", columns="measure", values="mean")
    assert ties["RR"].is_monotonic_increasing
    assert ties["AP"].is_monotonic_decreasing


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"to": "runs"}, "to='runs': choose 'queries', 'labels' or 'depth'."),
        ({"policy": "depth"}, "policy='depth': choose 'random' or 'pool'."),
        (
            {"policy": "pool"},
            "policy='pool' selects labels, found to='queries'. Use to='labels'.",
        ),
        ({"to": "depth", "keep": [0.5]}, r"keep=\[0.5\]: expected ranks of at least 1"),
        ({"draws": 0}, "draws=0: expected an integer of at least 1."),
    ],
)
def test_options_that_make_no_sense_are_named(options, text):
    with pytest.raises(ValueError, match=text):
        pdeval.datasets.sample_judged(queries="common").robustness(
            "AP", **{"to": "queries", **options}
        )
    with pytest.raises(ValueError, match="no query counts with queries='relevant' and level=5"):
        fewer_data(FOUND.at(level=5), "AP")


@pytest.mark.filterwarnings("ignore:invalid value")
def test_measures_without_a_mean_are_an_error():
    with pytest.raises(ValueError, match=r"TSL is infinite for unretrieved items and has no mean"):
        fewer_data(judged({"q": {"a": [1, 2], "b": [2, inf]}}), "TSL")


@pytest.mark.broad
def test_a_measure_to_agree_with_may_need_judged_items_that_others_do_not():
    runs, qrels = pdeval.datasets.sample_runs(), pdeval.datasets.sample_qrels()
    options = {"to": "labels", "keep": [0.5], "draws": 1, "against": "bpref"}
    table = runs.ireval.robustness(qrels, "AP", **options, queries="common")
    pd.testing.assert_frame_equal(
        table,
        runs.ireval.join(qrels, queries="common").robustness("AP", **{"to": "queries", **options}),
    )
