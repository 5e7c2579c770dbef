"""Judges against people: orderings, scores, significant differences; which queries; judges who cannot be compared."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import pdeval
from pdeval.judgments.judges import judges_of
from pdeval.orderings.coefficients import rbo, tau_ap
from pdeval.verbs.arguments import TooFew

pytestmark = pytest.mark.filterwarnings("ignore:.* judged queries are missing")
COMMON = {"queries": "common"}


@pytest.fixture(scope="module")
def sample():
    runs, qrels, _ = pdeval.datasets.load_sample()
    return runs, qrels


@pytest.fixture(scope="module")
def noisy(sample):
    """A judge who misses a third of the relevant items and finds some that people do not."""
    rng = np.random.default_rng(1)
    grade = sample[1]["relevance"].to_numpy()
    missed, added = rng.random(len(grade)) < 0.33, rng.random(len(grade)) < 0.05
    return sample[1].assign(relevance=np.where(missed, 0, np.where(added & (grade == 0), 1, grade)))


@pytest.mark.broad
def test_a_judge_who_agrees_with_people_changes_nothing(sample):
    runs, qrels = sample
    found = runs.ireval.judges(
        qrels, {"same": qrels.sample(frac=1, random_state=0)}, ["AP", "RPP"], **COMMON
    )
    alike = found[
        ["tau_b", "tau_ap", "rbo", "overlap_top", "tau_b_top", "fraction_confirmed"]
    ].to_numpy()
    assert alike == pytest.approx(np.ones(alike.shape), abs=1e-12)
    assert (found[["difference", "flipped", "opposed", "lost", "gained"]] == 0).all(axis=None)
    assert found["fraction_significant"].tolist() == found["fraction_significant_machine"].tolist()


@pytest.mark.broad
def test_every_number_is_that_of_the_verbs_on_each_set_of_judgments(sample, noisy):
    runs, qrels = sample
    options = {"top": 5, "correction": "bonferroni", **COMMON}
    found = runs.ireval.judges(qrels, {"noisy": noisy}, ["AP", "nDCG@10"], **options)
    for row in found.itertuples():
        sides = [runs.ireval.join(one, **COMMON) for one in (qrels, noisy)]
        orders = [side.order(row.measure).set_index("run").sort_index() for side in sides]
        human, machine = (-one["rank"].to_numpy() for one in orders)
        assert row.tau_b == pytest.approx(stats.kendalltau(human, machine).statistic, abs=1e-12)
        assert row.tau_ap == pytest.approx(tau_ap(human, machine))
        assert row.rbo == pytest.approx(rbo(human, machine))
        top = human >= -5
        assert row.tau_b_top == pytest.approx(
            stats.kendalltau(human[top], machine[top]).statistic, abs=1e-12
        )
        assert row.overlap_top == (top & (machine >= -5)).sum() / 5
        scores = [one["score"].to_numpy() for one in orders]
        assert row.difference == pytest.approx((scores[1] - scores[0]).mean())
        assert row.difference_absolute == pytest.approx(np.abs(scores[1] - scores[0]).mean())
        power = [
            side.discriminative_power(row.measure, tests="t", correction="bonferroni")[
                "fraction_significant"
            ].iloc[0]
            for side in sides
        ]
        assert [row.fraction_significant, row.fraction_significant_machine] == pytest.approx(power)
        tests = [side.compare(row.measure, correction="bonferroni") for side in sides]
        sure = [one["significant"].to_numpy() for one in tests]
        sign = [np.sign(one["difference"].to_numpy()) for one in tests]
        assert row.both == (sure[0] & sure[1] & (sign[0] == sign[1])).sum()
        assert row.opposed == (sure[0] & sure[1] & (sign[0] != sign[1])).sum()
        assert row.lost == (sure[0] & ~sure[1]).sum()
        assert row.gained == (~sure[0] & sure[1]).sum()
        assert row.fraction_confirmed == pytest.approx(row.both / sure[0].sum())
        assert row.flipped == (sign[0] * sign[1] < 0).sum()


@pytest.mark.broad
def test_scores_are_those_of_each_set_and_ranks_tell_who_moves(sample, noisy):
    runs, qrels = sample
    found = runs.ireval.judges.scores(qrels, {"noisy": noisy}, ["AP", "RR"], **COMMON)
    for measure, rows in found.groupby("measure"):
        human, machine = (
            runs.ireval.order(one, measure, **COMMON).set_index("run") for one in (qrels, noisy)
        )
        own = rows.set_index("run")
        assert own["human"].to_dict() == pytest.approx(human["score"].to_dict())
        assert own["machine"].to_dict() == pytest.approx(machine["score"].to_dict())
        assert own["rank"].to_dict() == human["rank"].to_dict()
        assert own["rank_machine"].to_dict() == machine["rank"].to_dict()
        assert (own["moved"] == own["rank"] - own["rank_machine"]).all()
        assert own["rank"].is_monotonic_increasing


@pytest.mark.broad
def test_pairs_are_the_counts_of_the_table(sample, noisy):
    runs, qrels = sample
    machine = {"noisy": noisy, "same": qrels}
    table = runs.ireval.judges(qrels, machine, ["AP", "RR"], **COMMON).set_index(
        ["judge", "measure"]
    )
    pairs = runs.ireval.judges.pairs(qrels, machine, ["AP", "RR"], **COMMON)
    for key, rows in pairs.groupby(["judge", "measure"]):
        counts = rows["conclusion"].value_counts()
        for verdict in ("both", "opposed", "lost", "gained"):
            assert counts.get(verdict, 0) == table.loc[key, verdict]
        assert rows["flipped"].sum() == table.loc[key, "flipped"]
        assert len(rows) == table.loc[key, "pairs"] == 66


@pytest.mark.broad
def test_judges_come_as_a_mapping_as_labels_or_alone(sample, noisy):
    runs, qrels = sample
    both = {"a": noisy, "b": qrels}
    mapped = runs.ireval.judges(qrels, both, "AP", **COMMON)
    labels = pd.concat([one.assign(assessor=name) for name, one in both.items()]).rename(
        columns={"relevance": "label"}
    )
    pd.testing.assert_frame_equal(runs.ireval.judges(qrels, labels, "AP", **COMMON), mapped)
    alone = runs.ireval.judges(qrels, noisy, "AP", **COMMON)
    assert alone["judge"].tolist() == ["machine"]
    pd.testing.assert_frame_equal(alone.drop(columns="judge"), mapped.head(1).drop(columns="judge"))
    joined = runs.ireval.join(qrels, **COMMON).judges(both, "AP")
    pd.testing.assert_frame_equal(joined, mapped)
    words = labels.assign(label=labels["label"].map({0: "no", 1: "some", 2: "much", 3: "all"}))
    grades = {"no": 0, "some": 1, "much": 2, "all": 3}
    pd.testing.assert_frame_equal(
        runs.ireval.judges(qrels, words, "AP", grades=grades, **COMMON), mapped
    )
    renamed = noisy.set_axis(["topic", "page", "stars"], axis=1).ireval(
        query="topic", doc="page", grade="stars"
    )
    pd.testing.assert_frame_equal(
        runs.ireval.judges(qrels, {"a": renamed}, "AP", **COMMON), mapped.head(1)
    )
    with pytest.raises(
        ValueError, match=r"machine=\{\} is empty. Pass the judgments of at least one judge"
    ):
        judges_of({})


@pytest.mark.broad
def test_a_judge_may_label_items_that_people_did_not(sample):
    runs, qrels = sample
    less = qrels[qrels.index % 4 > 0]
    found = runs.ireval.judges.scores(less, {"all": qrels}, "AP", **COMMON).set_index("run")
    oracle = runs.ireval.order(qrels, "AP", **COMMON).set_index("run")["score"]
    assert found["machine"].to_dict() == pytest.approx(oracle.to_dict())
    assert found["human"].to_dict() == pytest.approx(
        runs.ireval.order(less, "AP", **COMMON).set_index("run")["score"].to_dict()
    )


def some(qrels, low, high):
    number = qrels["query_id"].astype(int)
    return qrels[(number >= low) & (number < high)]


@pytest.mark.broad
def test_where_queries_differ_the_caller_says_which_to_use(sample):
    runs, qrels = sample
    machine = {"early": some(qrels, 101, 131), "late": some(qrels, 121, 151)}
    with pytest.raises(
        ValueError,
        match=r"have 50 queries and those of judge 'early' 30, of which 30 are in common\. ",
    ):
        runs.ireval.judges(qrels, machine, "AP")
    with pytest.raises(
        ValueError,
        match=r"query_set='common' for .*, query_set='each' for .*, query_set='all' for all queries of each",
    ):
        runs.ireval.judges(qrels, machine, "AP")
    common = runs.ireval.judges(qrels, machine, "AP", query_set="common")
    assert common[["queries", "queries_machine"]].values.tolist() == [[10, 10]] * 2
    assert common["tau_b"].tolist() == pytest.approx([1, 1])
    each = runs.ireval.judges(qrels, machine, "AP", query_set="each")
    assert each[["queries", "queries_machine"]].values.tolist() == [[30, 30]] * 2
    assert each["tau_b"].tolist() == pytest.approx([1, 1])
    own = runs.ireval.judges(qrels, machine, "AP", query_set="all")
    assert own[["queries", "queries_machine"]].values.tolist() == [[50, 30]] * 2
    assert (own["tau_b"] < 1).all()


@pytest.mark.broad
def test_a_query_without_relevant_items_by_the_judge_is_one_that_differs(sample):
    runs, qrels = sample
    first = qrels["query_id"] == qrels["query_id"].iloc[0]
    judge = qrels.assign(relevance=qrels["relevance"].mask(first, 0))
    with pytest.raises(ValueError, match="have 50 queries and those of judge 'machine' 49"):
        runs.ireval.judges(qrels, judge, "AP")
    assert runs.ireval.judges(qrels, judge, "AP", query_set="common")["queries"].tolist() == [49]
    assert runs.ireval.judges(qrels, judge, "AP", queries="judged")["queries"].tolist() == [50]


@pytest.mark.broad
def test_judges_of_other_queries_only_are_refused(sample):
    runs, qrels = sample
    human, machine = some(qrels, 101, 126), {"llm": some(qrels, 126, 151)}
    for queries in (None, "common", "each"):
        with pytest.raises(
            ValueError,
            match=r"judge 'llm' has none of the 25 queries .* '101', but 25 others, e.g. '126'",
        ):
            runs.ireval.judges(human, machine, "AP", query_set=queries)
    assert runs.ireval.judges(human, machine, "AP", query_set="all")[
        "queries_machine"
    ].tolist() == [25]


@pytest.mark.broad
def test_judges_who_tell_nothing_are_refused(sample, noisy):
    runs, qrels = sample
    with pytest.raises(
        ValueError,
        match="judge 'flat' gives all items the grade 1, so the labels carry no information",
    ):
        runs.ireval.judges(qrels, {"noisy": noisy, "flat": qrels.assign(relevance=1)}, "AP")
    with pytest.raises(
        ValueError,
        match=r"judge 'llm' gave 4 grades .* the scale \(0, 1, 2, 3\): 10, 20, 30 and others",
    ):
        runs.ireval.judges(
            qrels, {"llm": qrels.assign(relevance=10 * (1 + qrels["relevance"]))}, "AP"
        )
    halves = qrels.assign(relevance=qrels["relevance"] / 2)
    with pytest.raises(
        ValueError,
        match=r"not on the scale \(0, 1, 2, 3\): 0.5, 1.5\. Map them to this scale first",
    ):
        runs.ireval.judges(qrels, {"llm": halves}, "AP")
    assert (
        len(
            runs.ireval.judges(qrels, {"llm": halves}, "AP", scale=[0, 0.5, 1, 1.5, 2, 3], **COMMON)
        )
        == 1
    )
    with pytest.raises(
        ValueError, match=r"human assessors gave 2 grades that are not on the scale"
    ):
        runs.ireval.judges(qrels, {"llm": noisy}, "AP", scale=[0, 1])
    with pytest.raises(
        TooFew, match="no item is relevant by the judgments of judge 'llm' at level=2"
    ):
        runs.ireval.judges(
            qrels, {"llm": qrels.assign(relevance=qrels["relevance"].clip(upper=1))}, "AP", level=2
        )


@pytest.mark.broad
def test_few_queries_or_runs_are_refused(sample, noisy):
    runs, qrels = sample
    with pytest.raises(
        TooFew,
        match="at least two queries, but there is one for judge 'machine' with query_set='common'",
    ):
        runs.ireval.judges(qrels, some(noisy, 101, 102), "AP", query_set="common")
    with pytest.raises(TooFew, match=r"there is only one run\. Pass at least two runs"):
        runs[runs["run"] == "bm25"].ireval.judges(qrels, noisy, "AP")
    with pytest.raises(
        ValueError,
        match=r"ids of 'query_id' are .* in the human judgments and int64 in those of judge 'llm'",
    ):
        runs.ireval.judges(
            qrels, {"llm": noisy.assign(query_id=noisy["query_id"].astype(int))}, "AP"
        )
    with pytest.raises(ValueError, match="query_set='some': choose 'common', 'each' or 'all'"):
        runs.ireval.judges(qrels, noisy, "AP", query_set="some")


def test_one_label_by_a_judge_is_too_little(sample):
    runs, qrels = sample
    with pytest.raises(
        ValueError, match=r"gives all items the grade ., so the labels carry no information"
    ):
        runs.ireval.judges(qrels, {"once": qrels.head(1)}, "AP", query_set="common")


def test_judgments_of_items_that_no_run_has_are_refused(sample, noisy):
    runs, qrels = sample
    apart = noisy.assign(doc_id="old-" + noisy["doc_id"])
    with pytest.raises(
        ValueError,
        match=r"none of the 4,432 judgments of judge 'old' is of an item of the runs",
    ):
        runs.ireval.judges(qrels, {"old": apart}, "AP")


def test_people_who_find_nothing_relevant_are_told_so(sample):
    runs, qrels = sample
    nothing, accessor = qrels.assign(relevance=0), runs.ireval.judges
    for ask in (accessor, accessor.scores, accessor.pairs, accessor.bias):
        with pytest.raises(
            ValueError, match="all human judgments have the grade 0, so no item is relevant"
        ):
            ask(nothing, qrels)


def test_a_large_grade_takes_no_more_memory_than_a_small_one(sample):
    runs, qrels = sample
    large = qrels.assign(relevance=qrels["relevance"].mask(qrels["relevance"] == 3, 10**13))
    found = runs.ireval.judges(large, {"same": large}, "AP", **COMMON)
    assert found["flipped"].tolist() == [0]
    with pytest.raises(
        ValueError, match=r"not on the scale \(0, 1, 2, 3, 4, 5, \.\.\.\): 0.5\. Map them"
    ):
        runs.ireval.judges(
            large, large.assign(relevance=large["relevance"].replace(1, 0.5)), "AP", **COMMON
        )
