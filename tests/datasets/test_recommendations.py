"""The sample of recommendations: made from its seed, small, and with the structure that its docstring promises."""

import pyarrow.parquet as pq
import pytest

from pdeval import datasets
from pdeval.datasets import sample as shipped
from tests.datasets import generate


@pytest.fixture(scope="module")
def made():
    return datasets.load_recommendations()


@pytest.mark.broad
def test_the_generator_makes_exactly_the_recommendations_that_are_shipped(tmp_path):
    for name, table in generate.recommendation_tables().items():
        assert table.equals(pq.read_table(shipped.FOLDER / f"{name}.parquet")), name
    assert (
        sum(
            path.stat().st_size
            for path in generate.write(tmp_path, generate.recommendation_tables())
        )
        < 300_000
    )
    assert not generate.recommendation_tables(seed=1)["ratings"].equals(shipped.stored("ratings"))


def test_twelve_runs_of_models_sizes_and_seeds_show_every_user_twenty_items(made):
    lists = made.runs.groupby(["model", "factors", "seed", "user_id"], observed=True)[
        "item_id"
    ].agg(["size", "nunique"])
    assert len(lists) == 12 * 240
    assert (lists == 20).all().all()
    assert made.runs.groupby("model", observed=True)["seed"].nunique().to_dict() == {
        "als": 3, "itemknn": 1, "neural": 3, "popular": 1,
    }  # fmt: skip
    assert repr(made.runs.ireval).startswith("run table: 12 runs x 240 queries")


def test_popularity_follows_a_power_law_and_items_have_several_genres(made):
    had_by = made.history["item_id"].value_counts()
    assert had_by.iloc[:40].sum() > 0.3 * had_by.sum()
    assert made.items["genre"].str.count(r"\|").max() == 2
    assert sorted(made.ratings["rating"].unique()) == [1, 2, 3, 4, 5]
    assert made.users["group"].value_counts().min() > 40


def test_nobody_is_tested_on_what_they_had_and_one_run_shows_it_again(made):
    both = made.ratings.merge(made.history, on=["user_id", "item_id"])
    assert len(both) == 0
    found = made.runs.ireval.check(made.ratings, level=4, history=made.history)
    assert (found["relevant_in_history"] == 0).all()
    again = made.runs.merge(made.history, on=["user_id", "item_id"])
    assert found["in_history"].sum() == len(again) > 0
    assert found.loc[found["in_history"] > 0, ["model", "factors"]].to_numpy().tolist() == [
        ["itemknn", 20]
    ]
