"""Assessor agreement: the slides' table, published figures, statsmodels, and a real crowd-sourcing table."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.inter_rater import aggregate_raters, cohens_kappa, fleiss_kappa

from pdeval.collections.assessors import COEFFICIENTS, agreement, kappa, pairwise, pairwise_matrix, swapped_qrels

SLIDES = np.array([[300, 20], [10, 70]])

# Krippendorff (2011), "Computing Krippendorff's alpha-reliability", section C: 4 observers, 12 units, missing data
OBSERVERS = {
    "A": [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
    "B": [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
    "C": [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
    "D": [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
}


def long(confusion: np.ndarray) -> pd.DataFrame:
    """Two assessors' label table from their table of counts."""
    first, second = (np.repeat(side.ravel(), confusion.ravel()) for side in np.indices(confusion.shape))
    item = np.arange(len(first))
    return pd.concat(
        [
            pd.DataFrame({"item": item, "assessor": "one", "label": first}),
            pd.DataFrame({"item": item, "assessor": "two", "label": second}),
        ]
    )


def values(frame: pd.DataFrame) -> dict[str, float]:
    return dict(zip(frame["coefficient"], frame["value"], strict=True))


@pytest.fixture
def crowd(shared_data):
    return pd.read_csv(shared_data / "crowd-nyt-core17" / "judgments.csv")


def test_kappa_of_the_slides_pools_the_marginals():
    found = kappa(SLIDES)
    assert found.observed == 0.925
    assert found.expected == pytest.approx(0.2125**2 + 0.7875**2, abs=1e-15)
    assert [round(value, 3) for value in found] == [0.925, 0.665, 0.776]


def test_a_table_of_counts_and_the_labels_behind_it_agree():
    rows = agreement(long(SLIDES), ["scott", "cohen", "fleiss"]).set_index("coefficient")
    assert rows.loc["scott", ["observed", "expected", "value"]].tolist() == pytest.approx(list(kappa(SLIDES)))
    assert rows.loc["cohen", "value"] == pytest.approx(kappa(SLIDES, marginals="own").kappa)
    assert rows.loc["fleiss", "value"] == pytest.approx(kappa(SLIDES).kappa)  # two assessors: Fleiss is Scott
    assert rows[["items", "assessors", "labels"]].to_numpy().tolist() == [[400, 2, 800]] * 3


@pytest.mark.parametrize("confusion", [SLIDES, [[5, 1, 0], [2, 7, 3], [0, 1, 4]], [[0, 3], [4, 0]]])
def test_own_marginals_are_cohens_kappa_of_statsmodels(confusion):
    oracle = cohens_kappa(np.asarray(confusion), return_results=False)
    assert kappa(confusion, marginals="own").kappa == pytest.approx(oracle, abs=1e-12)


def test_published_example_of_krippendorffs_alpha():
    table = pd.DataFrame(OBSERVERS).melt(var_name="assessor", value_name="label", ignore_index=False)
    table = table.reset_index(names="item")
    found = values(agreement(table, ["alpha_nominal", "alpha_ordinal", "alpha_interval"]))
    assert [round(value, 3) for value in found.values()] == [0.743, 0.815, 0.849]
    # the last unit has one value and cannot be paired
    assert agreement(table, "alpha_nominal")[["items", "labels"]].to_numpy().tolist() == [[11, 40]]


def test_chance_agreement_is_zero_and_full_agreement_is_one():
    chance = kappa([[25, 25], [25, 25]])
    assert chance.kappa == 0
    assert kappa([[30, 0], [0, 20]]).kappa == 1


def test_one_label_for_everything_says_nothing():
    table = pd.DataFrame({"item": [1, 1, 2, 2], "assessor": ["a", "b"] * 2, "label": [1, 1, 1, 1]})
    found = values(agreement(table))
    assert found.pop("percent") == 1
    assert np.isnan(list(found.values())).all()
    assert np.isnan(kappa([[4, 0], [0, 0]]).kappa)
    assert np.isnan(kappa(np.zeros((2, 2))).kappa)


def test_items_labelled_once_leave_nothing_to_compare():
    table = pd.DataFrame({"item": [1, 2], "assessor": ["a", "b"], "label": [1, 0]})
    found = agreement(table)
    assert found["items"].tolist() == [0] * len(COEFFICIENTS)
    assert found["value"].isna().all()
    assert len(pairwise(table)) == 0
    assert pairwise_matrix(table).isna().to_numpy().tolist() == [[False, True], [True, False]]


def test_an_order_gives_words_a_scale_and_without_it_they_have_none():
    words = {0: "no", 1: "maybe", 2: "yes"}
    table = long(np.array([[5, 1, 0], [2, 7, 3], [0, 1, 4]]))
    worded = table.assign(label=table["label"].map(words))
    assert set(values(agreement(worded))) == set(COEFFICIENTS[:5])
    ordered = agreement(worded, order=["no", "maybe", "yes"])
    pd.testing.assert_frame_equal(ordered, agreement(table))
    categorical = worded.assign(label=pd.Categorical(worded["label"], ["no", "maybe", "yes"], ordered=True))
    pd.testing.assert_frame_equal(agreement(categorical), agreement(table))


def test_a_label_that_nobody_gave_keeps_its_place_on_the_scale():
    table = pd.DataFrame(
        {"item": [1, 1, 2, 2, 3, 3], "assessor": ["a", "b"] * 3, "label": ["low", "low", "high", "top", "top", "top"]}
    )
    with_gap = agreement(table, "alpha_interval", order=["low", "mid", "high", "top"])
    as_numbers = table.assign(label=table["label"].map({"low": 0, "high": 2, "top": 3}))
    assert with_gap["value"].tolist() == agreement(as_numbers, "alpha_interval")["value"].tolist()


def test_row_order_changes_nothing():
    table = long(np.array([[5, 1, 0], [2, 7, 3], [0, 1, 4]]))
    shuffled = table.sample(frac=1, random_state=3)
    pd.testing.assert_frame_equal(agreement(table), agreement(shuffled))
    pd.testing.assert_frame_equal(pairwise(table), pairwise(shuffled))


def test_every_fault_of_a_label_table_is_named_at_once():
    table = pd.DataFrame({"item": [1, 1, None], "assessor": ["a", "a", "b"], "label": ["x", "y", "x"]})
    with pytest.raises(ValueError, match=r"1 rows without a value in 'item'.*1 repeated labels.*order=.*'y'"):
        agreement(table, order=["x"])
    with pytest.raises(ValueError, match="no column 'who', 'grade'; it has item, assessor, label"):
        agreement(table, assessor="who", label="grade")


def test_wrong_choices_are_refused_by_name():
    table = long(SLIDES)
    with pytest.raises(KeyError, match="no coefficient 'gwet'; there are percent"):
        agreement(table, "gwet")
    with pytest.raises(ValueError, match="alpha_ordinal needs ordered labels"):
        agreement(table.assign(label=table["label"].map({0: "no", 1: "yes"})), "alpha_ordinal")
    with pytest.raises(ValueError, match=r"square table of counts, found shape \(1, 2\)"):
        kappa([[1, 2]])
    with pytest.raises(ValueError, match="'pooled' or 'own', not 'both'"):
        kappa(SLIDES, marginals="both")
    with pytest.raises(ValueError, match="coefficient is 'percent', 'scott' or 'cohen', not 'fleiss'"):
        pairwise_matrix(table, "fleiss")


def naive_alpha(table: pd.DataFrame, scale: str) -> float:
    """Krippendorff's alpha from every ordered pair of labels of an item, one at a time."""
    units = [list(labels) for _, labels in table.groupby("item")["label"] if len(labels) > 1]
    every = sorted(label for unit in units for label in unit)
    count = {label: every.count(label) for label in set(every)}

    def apart(x: float, y: float) -> float:
        if scale == "nominal":
            return float(x != y)
        if scale == "interval":
            return (x - y) ** 2
        low, high = min(x, y), max(x, y)
        between = sum(n for label, n in count.items() if low <= label <= high)
        return (between - (count[low] + count[high]) / 2) ** 2

    within = [(x, y, len(u) - 1) for u in units for i, x in enumerate(u) for j, y in enumerate(u) if i != j]
    observed = sum(apart(x, y) / others for x, y, others in within)
    expected = sum(apart(x, y) * n * m for x, n in count.items() for y, m in count.items()) / (len(every) - 1)
    return 1 - observed / expected if expected else np.nan


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 3), st.integers(0, 3)), max_size=20))
@settings(max_examples=60, deadline=None)
def test_alpha_equals_the_sum_over_all_pairs_of_labels(rows):
    table = pd.DataFrame(rows, columns=["item", "assessor", "label"], dtype="int64")
    table = table.drop_duplicates(["item", "assessor"])
    for scale in ("nominal", "ordinal", "interval"):
        found = agreement(table, f"alpha_{scale}")["value"].iloc[0]
        assert found == pytest.approx(naive_alpha(table, scale), nan_ok=True, abs=1e-9)


def test_crowd_figures_equal_statsmodels_and_an_independent_computation(crowd):
    found = agreement(
        crowd,
        by="job",
        item=["topic", "doc"],
        assessor="worker",
        order=["not_relevant", "relevant", "highly_relevant"],
    )
    assert found["job"].unique().tolist() == sorted(crowd["job"].unique())
    for job, rows in found.groupby("job"):
        table = crowd[(crowd["job"] == job) & crowd["label"].notna()]
        table = table.assign(
            item=table["topic"].astype(str) + "/" + table["doc"].astype(str),
            label=table["label"].map({"not_relevant": 0, "relevant": 1, "highly_relevant": 2}),
        )
        value = values(rows)
        sizes = table.groupby("item").size()
        full = table[table["item"].map(sizes) == 15]
        raters = np.stack([group["label"].to_numpy() for _, group in full.groupby("item")])
        assert value["fleiss"] == pytest.approx(fleiss_kappa(aggregate_raters(raters)[0]), abs=1e-12)
        share = [
            np.mean([x == y for x, y in combinations(labels.tolist(), 2)])
            for _, labels in table.groupby("item")["label"]
        ]
        chance = (table["label"].value_counts(normalize=True) ** 2).sum()
        assert value["percent"] == pytest.approx(np.mean(share), abs=1e-12)
        assert value["scott"] == pytest.approx((np.mean(share) - chance) / (1 - chance), abs=1e-12)
        for scale in ("nominal", "ordinal", "interval"):
            assert value[f"alpha_{scale}"] == pytest.approx(naive_alpha(table, scale), abs=1e-12)


def test_crowd_pairs_equal_statsmodels_cohen_pair_by_pair(crowd):
    job = crowd[crowd["job"] == "3P-Doc-High"]
    pairs = pairwise(job, item=["topic", "doc"], assessor="worker")
    assert list(pairs.columns) == ["worker_a", "worker_b", "items", "percent", "scott", "cohen"]
    wide = job.pivot(index=["topic", "doc"], columns="worker", values="label")
    checked = 0
    for row in pairs[pairs["items"] >= 20].itertuples():
        both = wide[[row.worker_a, row.worker_b]].dropna()
        table = pd.crosstab(both[row.worker_a], both[row.worker_b])
        table = table.reindex(index=table.index.union(table.columns), columns=table.index.union(table.columns))
        table = table.fillna(0).to_numpy()
        assert row.items == len(both)
        assert row.cohen == pytest.approx(cohens_kappa(table, return_results=False), abs=1e-12)
        assert row.scott == pytest.approx(kappa(table).kappa, abs=1e-12)
        checked += 1
    assert checked > 50
    light = pairs["cohen"].dropna()
    mean = agreement(job, "cohen", item=["topic", "doc"], assessor="worker")["value"].iloc[0]
    assert mean == pytest.approx(light.mean(), abs=1e-12)


def test_the_matrix_is_the_pairs_seen_from_both_sides(crowd):
    job = crowd[crowd["job"] == "2P-Doc-High"]
    pairs = pairwise(job, item=["topic", "doc"], assessor="worker")
    matrix = pairwise_matrix(job, "scott", item=["topic", "doc"], assessor="worker")
    np.testing.assert_array_equal(matrix.to_numpy(), matrix.to_numpy().T)
    row = pairs[pairs["items"] > 10].iloc[0]
    assert matrix.loc[row["worker_a"], row["worker_b"]] == row["scott"]


LABELS = pd.DataFrame(
    [
        ("1", "x", "ann", 1), ("1", "x", "bob", 0), ("1", "y", "ann", 0), ("1", "y", "bob", 1),
        ("2", "x", "bob", 2), ("2", "x", "cy", 1), ("2", "z", "cy", 0),
    ],
    columns=["query_id", "doc_id", "assessor", "label"],
)  # fmt: skip


def test_each_assessors_own_judgments():
    found = dict(swapped_qrels(LABELS))
    assert list(found) == ["ann", "bob", "cy"]
    assert found["bob"].to_numpy().tolist() == [["1", "x", 0], ["1", "y", 1], ["2", "x", 2]]
    assert list(found["bob"].columns) == ["query_id", "doc_id", "relevance"]


def test_drawn_judgments_are_complete_and_come_from_assessors_of_the_item():
    judged = {tuple(row) for row in LABELS[["query_id", "doc_id", "label"]].to_numpy().tolist()}
    seen = set()
    for _, qrels in swapped_qrels(LABELS, how="draw", draws=60):
        assert qrels[["query_id", "doc_id"]].to_numpy().tolist() == [["1", "x"], ["1", "y"], ["2", "x"], ["2", "z"]]
        seen |= {tuple(row) for row in qrels.to_numpy().tolist()}
    assert seen == judged  # every label has its turn, and nothing else turns up


def test_an_assessor_drawn_for_a_query_decides_all_of_it():
    for _, qrels in swapped_qrels(LABELS, how="draw", per="query", draws=30):
        first = qrels[qrels["query_id"] == "1"]["relevance"].tolist()
        assert first in ([1, 0], [0, 1])  # ann's, or bob's
        second = qrels[qrels["query_id"] == "2"].to_numpy().tolist()
        assert second in ([["2", "x", 2]], [["2", "x", 1], ["2", "z", 0]])  # bob never labelled z


def test_draws_depend_on_the_seed_alone():
    def drawn(frame, seed):
        return [qrels["relevance"].tolist() for _, qrels in swapped_qrels(frame, how="draw", draws=20, seed=seed)]

    assert drawn(LABELS, 1) == drawn(LABELS.sample(frac=1, random_state=0), 1)
    assert drawn(LABELS, 1) != drawn(LABELS, 2)


def test_words_need_grades_before_they_are_judgments():
    worded = LABELS.assign(label=LABELS["label"].map({0: "no", 1: "yes", 2: "very"}))
    with pytest.raises(ValueError, match=r"labels are not numbers, e.g. 'yes'; say what each is worth"):
        list(swapped_qrels(worded))
    with pytest.raises(ValueError, match=r"no grade for 1 of the labels, e.g. \['very'\]"):
        list(swapped_qrels(worded, grades={"yes": 1, "no": 0}))
    graded = dict(swapped_qrels(worded, grades={"yes": 1, "no": 0, "very": 2}))
    pd.testing.assert_frame_equal(graded["bob"], dict(swapped_qrels(LABELS))["bob"])
    with pytest.raises(ValueError, match="how is 'assessor' or 'draw'"):
        list(swapped_qrels(LABELS, how="random"))
    with pytest.raises(ValueError, match=f"holds no labels: column 'label' is empty in all {len(LABELS)} rows"):
        list(swapped_qrels(LABELS.assign(label=None)))
