"""Learned populations: planted users are found again, and judged on queries that the fit did not see."""

import numpy as np
import pandas as pd
import pytest

import pdeval
from pdeval.catalog import ENTRIES
from pdeval.evaluate.preference_learning import _Model, labeled_pairs
from tests import naive

RUNS, QUERIES = 8, 40
DOCS = [f"d{i:02d}" for i in range(24)]
LEVELS = np.array([8.0, 4.0, 2.0, 2.0, 1.0, 1.0, 1.0, 1.0])
GRADES = {1: 0.1, 2: 0.2, 3: 0.7}
QUERY_RULES = {"s1": 0.7, "s2": 0.2, "s3": 0.1}
CUTOFFS = np.repeat([0.2, 0.2, 0.1, 0.05, 0.02, 0.005], [1, 1, 2, 4, 8, 8])  # of ranks 1 to 24


def lists():
    rng = np.random.default_rng(5)
    return {
        f"r{r}": {f"q{q}": rng.permutation(DOCS).tolist() for q in range(QUERIES)}
        for r in range(RUNS)
    }


@pytest.fixture(scope="module")
def joined():
    """Random rankings with 8 relevant items in three grades."""
    grades = {f"q{q}": dict(zip(DOCS, [1, 1, 1, 1, 2, 2, 3, 3])) for q in range(QUERIES)}
    return naive.table(lists()).ireval.join(naive.judgments(grades))


@pytest.fixture(scope="module")
def diverse():
    """The same rankings with nine relevant items in three subtopics."""
    rows = [(f"q{q}", f"s{i % 3 + 1}", DOCS[i], 1) for q in range(QUERIES) for i in range(9)]
    qrels = pd.DataFrame(rows, columns=["query_id", "subtopic", "doc_id", "relevance"])
    return naive.table(lists()).ireval.join(qrels)


def people(judged, measure, slope=12.0, seed=0):
    """Return winners drawn with a chance that grows with a preference."""
    prefs = judged.prefer(measure)
    won = np.random.default_rng(seed).random(len(prefs)) < 1 / (1 + np.exp(-slope * prefs["value"]))
    return prefs.assign(winner=np.where(won, "a", "b")).drop(columns=["measure", "value"])


@pytest.mark.parametrize("over", ["recall", "grades", "cutoffs", ["recall", "grades"]])
def test_the_derivatives_are_those_of_the_preference(joined, over):
    model = _Model(joined, people(joined, "RPP"), [over] if isinstance(over, str) else over)
    rng = np.random.default_rng(1)
    theta, pull = rng.normal(size=sum(model.free) + 1), rng.normal(size=len(model.sign))
    found = np.concatenate([by - by.mean() for by in model.slopes(theta, pull, model.score(theta))])
    for i, slope in enumerate(found):
        step = np.eye(len(theta))[i] * 1e-6
        change = (pull * (model.score(theta + step)[0] - model.score(theta - step)[0])).sum() / 2e-6
        assert slope == pytest.approx(change, abs=1e-5)


@pytest.mark.broad
def test_planted_recall_levels_are_recovered(joined):
    judged = joined.at(level=1)
    table = people(judged, pdeval.parse("RPP", weight=LEVELS, level=1))
    found = judged.fit_population(table, penalty=0.1, draws=0)
    weight = found.parameters["weight"](np.arange(1.0, 9))
    np.testing.assert_allclose(weight / weight.sum(), LEVELS / LEVELS.sum(), rtol=0, atol=0.06)
    assert found.weights["name"].tolist() == ["1", "2", "3-4", "5+"]
    assert found.labels == len(table)


@pytest.mark.broad
def test_planted_grades_are_recovered_with_intervals_that_hold_them(joined):
    table = people(joined, pdeval.parse("RPP", grades=GRADES))
    found = joined.fit_population(table, over="grades", penalty=0.1, draws=20)
    np.testing.assert_allclose(found.weights["weight"], list(GRADES.values()), rtol=0, atol=0.08)
    assert found.weights["uniform"].tolist() == [1 / 3] * 3
    assert (found.weights["low"] <= found.weights["weight"]).all()
    assert (found.weights["weight"] <= found.weights["high"]).all()
    assert (
        found.weights["low"].iloc[2] > 1 / 3
    )  # the interval of the planted favourite leaves out equal weights


@pytest.mark.broad
def test_planted_subtopics_are_recovered_and_the_background_with_them(diverse):
    table = people(diverse, pdeval.parse("ST-RPP", subtopics=QUERY_RULES, background=0))
    found = diverse.fit_population(table, over="subtopics", penalty=0.1, draws=0)
    weight = found.weights.set_index("name")["weight"]
    named = weight[[f"subtopic {name}" for name in QUERY_RULES]]
    assert weight["any subtopic"] < 0.15
    np.testing.assert_allclose(named / named.sum(), list(QUERY_RULES.values()), rtol=0, atol=0.08)
    assert found.weights["low"].isna().all()


@pytest.fixture(scope="module")
def uneven():
    """The same rankings cut at 0 to 24 items, with 3 to 8 relevant items."""
    cut = {
        run: {query: ranked[: (5 * q + 7 * r) % 25] for q, (query, ranked) in enumerate(of.items())}
        for r, (run, of) in enumerate(lists().items())
    }
    grades = {f"q{q}": dict.fromkeys(DOCS[: 3 + q % 6], 1) for q in range(QUERIES)}
    return naive.table(cut).ireval.join(naive.judgments(grades))


@pytest.mark.broad
@pytest.mark.parametrize("weight", [CUTOFFS, CUTOFFS[::-1], np.ones(24)])
def test_planted_cutoffs_are_recovered(joined, weight):
    weight = weight / weight.sum()
    table = people(joined, pdeval.parse("I", user=weight), slope=20.0)
    found = joined.fit_population(table, over="cutoffs", penalty=0.1, draws=0)
    assert found.weights["name"].tolist() == ["1", "2", "3-4", "5-8", "9-16", "17+"]
    assert set(found.weights["over"]) == {"cutoffs"}
    fitted = found.parameters["user"](np.arange(1.0, 25))
    # the probability of the cutoffs of a bin
    planted, fitted = (
        np.add.reduceat(each, [0, 1, 2, 4, 8, 16]) for each in (weight, fitted / fitted.sum())
    )
    np.testing.assert_allclose(fitted, planted, rtol=0, atol=0.04)


@pytest.mark.filterwarnings("ignore:.*judged queries are missing")
@pytest.mark.parametrize("judgments", ["joined", "uneven"])
def test_the_features_of_cutoffs_are_those_of_the_interleaving_preference(request, judgments):
    judged = request.getfixturevalue(judgments)
    prefs = judged.prefer("I").query("value != 0")
    model = _Model(judged, prefs, ["cutoffs"])
    theta = np.random.default_rng(1).normal(size=len(model.bins) + 1)
    topic, a, b, _ = labeled_pairs(judged.positions, prefs, "query_id")
    runs = judged.runs["run"].to_numpy()
    values = judged.prefer(pdeval.parse("I", **model.parameters(theta), label="fitted"))
    values = values.set_index(["query_id", "run_a", "run_b"])["value"]
    wanted = values.loc[list(zip(judged.positions.queries[topic], runs[a], runs[b]))]
    np.testing.assert_allclose(model.score(theta)[0], wanted, rtol=0, atol=1e-12)


@pytest.mark.filterwarnings("ignore:.*judged queries are missing")
@pytest.mark.parametrize("judgments", ["joined", "uneven"])
def test_fitted_cutoffs_are_the_interleaving_preference_of_these_weights(request, judgments):
    judged = request.getfixturevalue(judgments)
    population = judged.fit_population(judged.prefer("I(user=inverse)"), over="cutoffs", draws=0)
    assert list(population.parameters) == ["user"]
    table = population.parameters["user"].frame()
    assert list(table.columns) == ["cutoffs", "weight"]
    first, weight = table["cutoffs"].to_numpy(), table["weight"].to_numpy()
    array = weight[np.searchsorted(first, np.arange(1, 25), side="right") - 1]
    wanted = judged.prefer(pdeval.parse("I", user=array))["value"]
    name = population.register("peopleI")
    try:
        for measure in (name, population.measure()):
            found = judged.prefer(measure)["value"]
            assert found.to_numpy().tobytes() == wanted.to_numpy().tobytes()  # to the last bit
        right = np.sign(wanted) == np.sign(judged.prefer("I(user=inverse)")["value"])
        assert right.mean() > 0.9
        assert judged.order(name)["measure"].unique().tolist() == [name]
    finally:
        del ENTRIES[name]


@pytest.mark.broad
def test_levels_and_grades_are_fitted_together(joined):
    planted = pdeval.parse("RPP", weight=LEVELS, grades=GRADES)
    found = joined.fit_population(
        people(joined, planted, slope=20.0), over=["recall", "grades"], penalty=0.1, draws=0
    )
    grades = found.weights.query("over == 'grades'")["weight"]
    np.testing.assert_allclose(grades, list(GRADES.values()), rtol=0, atol=0.12)
    assert found.weights.query("over == 'recall'")["weight"].iloc[0] > 0.3


@pytest.mark.broad
def test_held_out_agreement_is_above_that_of_equal_weights_where_users_differ(joined):
    table = people(joined, pdeval.parse("RPP", grades={1: 0.02, 2: 0.03, 3: 0.95}))
    found = joined.fit_population(table, over="grades", draws=0)
    assert found.agreement > found.uniform_agreement + 2 * found.standard_error


@pytest.mark.broad
def test_held_out_agreement_is_no_more_than_an_error_below_where_they_do_not(joined):
    # on average over sets of labels: one set alone is by chance more than its error below in one case of six
    found = [
        joined.fit_population(
            people(joined, "RPP(grades=uniform)", seed=seed), over="grades", draws=0, seed=seed
        )
        for seed in range(12)
    ]
    below = np.mean([one.uniform_agreement - one.agreement for one in found])
    assert below < np.mean([one.standard_error for one in found])


@pytest.mark.broad
def test_agreement_is_that_of_the_preference_itself_on_held_out_queries(joined):
    table = people(joined, pdeval.parse("RPP", grades=GRADES))
    found = joined.fit_population(table, over="grades", draws=0)
    prefs = joined.prefer("RPP(grades=uniform)")
    right = (1 + np.sign(prefs["value"].round(12)) * np.where(table["winner"] == "a", 1, -1)) / 2
    assert found.uniform_agreement == pytest.approx(right.mean(), abs=1e-12)


@pytest.mark.broad
def test_a_strong_penalty_makes_weights_equal(joined):
    found = joined.fit_population(
        people(joined, pdeval.parse("RPP", grades=GRADES)), "grades", penalty=1e6, draws=0
    )
    np.testing.assert_allclose(found.weights["weight"], found.weights["uniform"], rtol=0, atol=0.01)


@pytest.mark.broad
def test_the_order_of_rows_does_not_matter_and_a_seed_repeats_everything(joined):
    table = people(joined, "RPP")
    one, two = (
        joined.fit_population(rows, draws=5)
        for rows in (table, table.sample(frac=1, random_state=1))
    )
    pd.testing.assert_frame_equal(one.weights, two.weights)
    assert (one.agreement, one.standard_error) == (two.agreement, two.standard_error)


@pytest.mark.broad
def test_a_registered_population_is_a_measure_by_name_everywhere(joined):
    table = people(joined, pdeval.parse("RPP", grades=GRADES))
    found = joined.fit_population(table, over=["recall", "grades"], draws=0)
    name = found.register("peopleRPP")
    try:
        wanted = joined.prefer(found.measure(name))
        pd.testing.assert_frame_equal(joined.prefer(name), wanted)
        assert joined.order(name)["measure"].unique().tolist() == [name]
        assert joined.compare([name, "AP"])["measure"].unique().tolist() == [name, "AP"]
        cells = joined.disaggregate(name)
        sums = (
            (cells["weight"] * cells["value"])
            .groupby([cells[c] for c in ("query_id", "run_a", "run_b")], observed=True)
            .sum()
        )
        np.testing.assert_allclose(sums, wanted["value"], rtol=0, atol=1e-12)
        assert "learned from" in pdeval.catalog().set_index("name").loc[name, "summary"]
        assert found.register(name) == name  # again, after another fit
    finally:
        del ENTRIES[name]


@pytest.mark.broad
def test_credits_of_interleaving_are_labels():
    runs, qrels, _ = pdeval.datasets.load_sample()
    judged = runs.ireval.join(qrels, queries="common")
    shown = runs.ireval.interleave(pairs=[("bm25", "hybrid"), ("ql", "tfidf")], draws=4)
    credits = shown.ireval.simulate_clicks(qrels, "navigational").ireval.credit(shown)
    credits = credits[credits["query_id"].isin(judged.queries)]
    found = judged.fit_population(credits, draws=0)
    assert found.labels == credits["winner"].isin(["a", "b"]).sum()


@pytest.mark.parametrize(
    ("options", "kind", "text"),
    [
        (
            {"over": "level"},
            ValueError,
            "over='level': choose 'recall', 'grades', 'subtopics' or 'cut",
        ),
        ({"over": ["grades", "subtopics"]}, ValueError, "grades and subtopics cannot be combined"),
        (
            {"over": ["cutoffs", "recall"]},
            ValueError,
            r"^over=\['cutoffs', 'recall'\]: cutoffs and recall cannot be combined. Use one of them; only 'recall' can "
            "be combined, with 'grades' or 'subtopics'.$",
        ),
        ({"over": []}, ValueError, "fit recall levels, grades or subtopics|is empty"),
        ({"folds": 1}, ValueError, "folds=1: expected an integer of at least 2"),
        (
            {"folds": 99},
            ValueError,
            "the labels are on 40 queries, but folds=99 needs 99",
        ),
        ({"draws": -1}, ValueError, "draws=-1"),
        ({"penalty": -1}, ValueError, "penalty=-1"),
        ({"confidence": 95}, ValueError, "confidence=95"),
        ({"over": "subtopics"}, ValueError, "needs subtopics"),
    ],
)
def test_a_fit_that_cannot_be_made_is_refused(joined, options, kind, text):
    with pytest.raises(kind, match=text):
        joined.fit_population(people(joined, "RPP"), **options)


def test_one_grade_has_nothing_to_weigh(joined):
    with pytest.raises(
        ValueError, match="over='grades' needs several positive grades, and no level"
    ):
        joined.at(level=1).fit_population(people(joined, "RPP"), over="grades")


@pytest.mark.broad
@pytest.mark.parametrize(
    ("name", "text"),
    [("RPP", "there is already a measure 'RPP'"), ("a, b", "is not a valid name of a measure")],
)
def test_a_name_that_is_taken_or_cannot_be_read_is_refused(joined, name, text):
    found = joined.fit_population(people(joined, "RPP"), draws=0)
    with pytest.raises(ValueError, match=text):
        found.register(name)
