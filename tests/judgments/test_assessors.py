"""Assessor agreement: the slides' table, published figures, statsmodels, and a real crowd-sourcing table."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.inter_rater import aggregate_raters, cohens_kappa, fleiss_kappa

from pdeval.judgments.agreement import COEFFICIENTS
from tests.examples import examples

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
    first, second = (
        np.repeat(side.ravel(), confusion.ravel()) for side in np.indices(confusion.shape)
    )
    item = np.arange(len(first))
    return pd.concat(
        [
            pd.DataFrame({"item": item, "assessor": "one", "label": first}),
            pd.DataFrame({"item": item, "assessor": "two", "label": second}),
        ]
    )


def values(frame: pd.DataFrame) -> dict[str, float]:
    return dict(zip(frame["coefficient"], frame["value"], strict=True))


def kappa(confusion, coefficient="scott"):
    """Observed and expected agreement and the coefficient of two assessors with this table of counts."""
    found = long(np.asarray(confusion)).ireval.agreement(coefficient)
    return found[["observed", "expected", "value"]].iloc[0]


@pytest.fixture
def crowd(shared_data):
    return pd.read_csv(shared_data / "crowd-nyt-core17" / "judgments.csv")


def test_kappa_of_the_slides_pools_the_marginals():
    found = kappa(SLIDES)
    assert found["observed"] == 0.925
    assert found["expected"] == pytest.approx(0.2125**2 + 0.7875**2, abs=1e-15)
    assert [round(value, 3) for value in found] == [0.925, 0.665, 0.776]


def test_fleiss_kappa_of_two_assessors_is_scotts_pi():
    rows = long(SLIDES).ireval.agreement(["scott", "cohen", "fleiss"]).set_index("coefficient")
    # two assessors: Fleiss is Scott
    assert rows.loc["fleiss", "value"] == pytest.approx(rows.loc["scott", "value"])
    assert rows[["items", "assessors", "labels"]].to_numpy().tolist() == [[400, 2, 800]] * 3


@pytest.mark.parametrize("confusion", [SLIDES, [[5, 1, 0], [2, 7, 3], [0, 1, 4]], [[0, 3], [4, 0]]])
def test_own_marginals_are_cohens_kappa_of_statsmodels(confusion):
    oracle = cohens_kappa(np.asarray(confusion), return_results=False)
    assert kappa(confusion, "cohen")["value"] == pytest.approx(oracle, abs=1e-12)


def test_published_example_of_krippendorffs_alpha():
    table = pd.DataFrame(OBSERVERS).melt(
        var_name="assessor", value_name="label", ignore_index=False
    )
    table = table.reset_index(names="item")
    found = values(table.ireval.agreement(["alpha_nominal", "alpha_ordinal", "alpha_interval"]))
    assert [round(value, 3) for value in found.values()] == [0.743, 0.815, 0.849]
    # the last unit has one value and cannot be paired
    assert table.ireval.agreement("alpha_nominal")[["items", "labels"]].to_numpy().tolist() == [
        [11, 40]
    ]


def test_chance_agreement_is_zero_and_full_agreement_is_one():
    assert kappa([[25, 25], [25, 25]])["value"] == 0
    assert kappa([[30, 0], [0, 20]])["value"] == 1


def test_one_label_for_everything_says_nothing():
    table = pd.DataFrame({"item": [1, 1, 2, 2], "assessor": ["a", "b"] * 2, "label": [1, 1, 1, 1]})
    found = values(table.ireval.agreement())
    assert found.pop("observed") == 1
    assert np.isnan(list(found.values())).all()


def test_items_labeled_once_leave_nothing_to_compare():
    table = pd.DataFrame({"item": [1, 2], "assessor": ["a", "b"], "label": [1, 0]})
    found = table.ireval.agreement()
    assert found["items"].tolist() == [0] * len(COEFFICIENTS)
    assert found["value"].isna().all()
    assert len(table.ireval.agreement.pairs()) == 0
    assert table.ireval.agreement.pairs("cohen").isna().to_numpy().tolist() == [
        [False, True],
        [True, False],
    ]


@pytest.mark.broad
def test_an_order_gives_words_a_scale_and_without_it_they_have_none():
    words = {0: "no", 1: "maybe", 2: "yes"}
    table = long(np.array([[5, 1, 0], [2, 7, 3], [0, 1, 4]]))
    worded = table.assign(label=table["label"].map(words))
    assert set(values(worded.ireval.agreement())) == {
        name for name, one in COEFFICIENTS.items() if not one.scaled
    }
    ordered = worded.ireval.agreement(order=["no", "maybe", "yes"])
    pd.testing.assert_frame_equal(ordered, table.ireval.agreement())
    categorical = worded.assign(
        label=pd.Categorical(worded["label"], ["no", "maybe", "yes"], ordered=True)
    )
    pd.testing.assert_frame_equal(categorical.ireval.agreement(), table.ireval.agreement())


def test_a_label_that_nobody_gave_keeps_its_place_on_the_scale():
    table = pd.DataFrame(
        {
            "item": [1, 1, 2, 2, 3, 3],
            "assessor": ["a", "b"] * 3,
            "label": ["low", "low", "high", "top", "top", "top"],
        }
    )
    with_gap = table.ireval.agreement("alpha_interval", order=["low", "mid", "high", "top"])
    as_numbers = table.assign(label=table["label"].map({"low": 0, "high": 2, "top": 3}))
    assert (
        with_gap["value"].tolist()
        == as_numbers.ireval.agreement("alpha_interval")["value"].tolist()
    )


def test_row_order_changes_nothing():
    table = long(np.array([[5, 1, 0], [2, 7, 3], [0, 1, 4]]))
    shuffled = table.sample(frac=1, random_state=3)
    pd.testing.assert_frame_equal(table.ireval.agreement(), shuffled.ireval.agreement())
    pd.testing.assert_frame_equal(table.ireval.agreement.pairs(), shuffled.ireval.agreement.pairs())


def test_every_fault_of_a_label_table_is_named_at_once():
    table = pd.DataFrame(
        {"item": [1, 1, None], "assessor": ["a", "a", "b"], "label": ["x", "y", "x"]}
    )
    with pytest.raises(
        ValueError, match=r"1 rows without a value in 'item'.*1 repeated labels.*order=.*'y'"
    ):
        table.ireval.agreement(order=["x"])
    with pytest.raises(
        KeyError,
        match="no column 'who' for the role 'assessor'; the table has item, assessor, label",
    ):
        table.ireval(assessor="who")
    with pytest.raises(
        KeyError,
        match="no column 'task' to split the labels by; the table has item, assessor, label",
    ):
        table.ireval.agreement(by="task")


def test_wrong_choices_are_refused_by_name():
    table = long(SLIDES)
    with pytest.raises(
        ValueError, match="coefficients='gwet': choose 'observed', 'scott', 'cohen', 'fleiss'"
    ):
        table.ireval.agreement("gwet")
    with pytest.raises(ValueError, match="alpha_ordinal requires ordered labels"):
        table.assign(label=table["label"].map({0: "no", 1: "yes"})).ireval.agreement(
            "alpha_ordinal"
        )
    with pytest.raises(ValueError, match="matrix='fleiss': choose 'observed', 'scott' or 'cohen'"):
        table.ireval.agreement.pairs("fleiss")


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

    within = [
        (x, y, len(u) - 1)
        for u in units
        for i, x in enumerate(u)
        for j, y in enumerate(u)
        if i != j
    ]
    observed = sum(apart(x, y) / others for x, y, others in within)
    expected = sum(apart(x, y) * n * m for x, n in count.items() for y, m in count.items()) / (
        len(every) - 1
    )
    return 1 - observed / expected if expected else np.nan


@pytest.mark.broad
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 3), st.integers(0, 3)), max_size=20))
@examples(60)
def test_alpha_equals_the_sum_over_all_pairs_of_labels(rows):
    table = pd.DataFrame(rows, columns=["item", "assessor", "label"], dtype="int64")
    table = table.drop_duplicates(["item", "assessor"])
    for scale in ("nominal", "ordinal", "interval"):
        found = table.ireval.agreement(f"alpha_{scale}")["value"].iloc[0]
        assert found == pytest.approx(naive_alpha(table, scale), nan_ok=True, abs=1e-9)


@pytest.mark.broad
def test_crowd_figures_equal_statsmodels_and_an_independent_computation(crowd):
    bound = crowd.ireval(query="topic", doc="doc", assessor="worker", label="label")
    found = bound.agreement(by="job", order=["not_relevant", "relevant", "highly_relevant"])
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
        assert value["fleiss"] == pytest.approx(
            fleiss_kappa(aggregate_raters(raters)[0]), abs=1e-12
        )
        share = [
            np.mean([x == y for x, y in combinations(labels.tolist(), 2)])
            for _, labels in table.groupby("item")["label"]
        ]
        chance = (table["label"].value_counts(normalize=True) ** 2).sum()
        assert value["observed"] == pytest.approx(np.mean(share), abs=1e-12)
        assert value["scott"] == pytest.approx((np.mean(share) - chance) / (1 - chance), abs=1e-12)
        for scale in ("nominal", "ordinal", "interval"):
            assert value[f"alpha_{scale}"] == pytest.approx(naive_alpha(table, scale), abs=1e-12)


@pytest.mark.broad
def test_crowd_pairs_equal_statsmodels_cohen_pair_by_pair(crowd):
    job = crowd[crowd["job"] == "3P-Doc-High"]
    pairs = job.ireval(assessor="worker").agreement.pairs()
    assert list(pairs.columns) == ["worker_a", "worker_b", "items", "observed", "scott", "cohen"]
    wide = job.pivot(index=["topic", "doc"], columns="worker", values="label")
    checked = 0
    for row in pairs[pairs["items"] >= 20].itertuples():
        both = wide[[row.worker_a, row.worker_b]].dropna()
        table = pd.crosstab(both[row.worker_a], both[row.worker_b])
        table = table.reindex(
            index=table.index.union(table.columns), columns=table.index.union(table.columns)
        )
        table = table.fillna(0).to_numpy()
        assert row.items == len(both)
        assert row.cohen == pytest.approx(cohens_kappa(table, return_results=False), abs=1e-12)
        assert row.scott == pytest.approx(kappa(table.astype(int))["value"], abs=1e-12)
        checked += 1
    assert checked > 50
    light = pairs["cohen"].dropna()
    mean = job.ireval(assessor="worker").agreement("cohen")["value"].iloc[0]
    assert mean == pytest.approx(light.mean(), abs=1e-12)


def test_the_matrix_is_the_pairs_seen_from_both_sides(crowd):
    job = crowd[crowd["job"] == "2P-Doc-High"]
    pairs = job.ireval(assessor="worker").agreement.pairs()
    matrix = job.ireval(assessor="worker").agreement.pairs("scott")
    np.testing.assert_array_equal(matrix.to_numpy(), matrix.to_numpy().T)
    row = pairs[pairs["items"] > 10].iloc[0]
    assert matrix.loc[row["worker_a"], row["worker_b"]] == row["scott"]


@pytest.fixture(scope="module")
def judges():
    """The slides' two judges, who agree on 300 and 70 items and differ on 20 and 10."""
    one = np.repeat(["yes", "yes", "no", "no"], [300, 20, 10, 70])
    two = np.repeat(["yes", "no", "yes", "no"], [300, 20, 10, 70])
    frame = pd.DataFrame(
        {"query_id": "1", "doc_id": np.arange(400), "judge 1": one, "judge 2": two}
    )
    return frame.melt(["query_id", "doc_id"], var_name="assessor", value_name="label")


def test_the_slides_kappa_comes_from_a_table_of_queries_and_documents(judges):
    row = judges.ireval.agreement("scott").iloc[0]
    assert row[["observed", "expected", "value"]].tolist() == pytest.approx(
        [0.925, 0.665, 0.776], abs=5e-4
    )


def test_an_item_is_a_query_and_a_document_where_there_are_both():
    table = pd.DataFrame(
        [("1", "d", "ann", 1), ("2", "d", "ann", 0), ("1", "d", "bob", 1), ("2", "d", "bob", 1)],
        columns=["query_id", "doc_id", "assessor", "label"],
    )
    assert table.ireval.agreement("observed")[["items", "value"]].values.tolist() == [[2, 0.5]]
    with pytest.raises(
        ValueError, match=r"2 repeated labels .* distinguishes them, df\.ireval\(assessor"
    ):
        table.drop(columns="query_id").ireval.agreement()


def test_bound_roles_name_the_columns(judges):
    table = judges.set_axis(["topic", "page", "who", "answer"], axis=1)
    bound = table.ireval(doc="page", assessor="who", label="answer")
    found = bound.agreement.pairs()
    assert found.columns.tolist()[:2] == ["who_a", "who_b"]
    assert found["scott"].round(3).tolist() == [0.776]
    pd.testing.assert_frame_equal(bound.agreement(), judges.ireval.agreement())


def test_tasks_are_kept_apart(judges):
    table = pd.concat([judges.assign(task="a"), judges.assign(task="b")])
    found = table.ireval.agreement("observed", by="task")
    assert found[["task", "value"]].values.tolist() == [["a", 0.925], ["b", 0.925]]
