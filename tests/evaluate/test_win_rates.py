import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from pdeval.catalog import ENTRIES, parse
from pdeval.evaluate import mean_preferences, pairs
from pdeval.evaluate.mean_preferences import direct, of_measure, won
from pdeval.evaluate.pairs import of_pairs
from pdeval.evaluate.scores import Views
from pdeval.join.judged import Judged
from tests.evaluate.test_pairs import collection, join
from tests.examples import examples
from tests.joins_by_hand import ruled

select, win_rates = ruled(pairs.select), ruled(mean_preferences.win_rates)

DIRECT = [
    name for name, entry in ENTRIES.items() if entry.family == "preference" and direct(parse(name))
]


def by_pairs(joined, name, level=None):
    """Return the sums over opponents of all preferences, (topics, runs)."""
    runs = len(joined.runs)
    a, b = (side.ravel() for side in np.indices((runs, runs)))
    values = of_pairs(Views(Judged(joined, level)), parse(name), a, b)
    return values.reshape(-1, runs, runs).sum(axis=2)


@pytest.mark.broad
@pytest.mark.parametrize("level", [None, 2])
@pytest.mark.parametrize("name", [*DIRECT, "AP", "nDCG@3", "ASL", "ISL"])
def test_win_rates_by_ranking_are_the_sums_over_pairs(name, level):
    for seed in range(3):
        joined = join(*collection(seed))
        rates = of_measure(Views(Judged(joined, level)), parse(name))
        np.testing.assert_allclose(rates, by_pairs(joined, name, level), rtol=0, atol=1e-12)


@given(st.integers(0, 10_000))
@examples(10)
def test_win_rates_of_random_collections_are_the_sums_over_pairs(seed):
    joined = join(*collection(seed))
    for name in ("RPP", "invRPP", "sgnLP", "sgnLR"):
        rates = of_measure(Views(Judged(joined)), parse(name))
        np.testing.assert_allclose(rates, by_pairs(joined, name), rtol=0, atol=1e-12)
        assert abs(rates.sum(axis=1)).max() < 1e-12


def test_which_preferences_need_no_pairs():
    assert set(DIRECT) == {
        "RPP",
        "dcgRPP",
        "invRPP",
        "ST-RPP",
        "ST-dcgRPP",
        "ST-invRPP",
        "sgnLP",
        "sgnLR",
    }
    assert direct(parse("AP"))


@given(arrays(np.float64, (3, 6), elements=st.sampled_from([1.0, 2.0, 3.0, np.inf])))
def test_won_counts_larger_less_smaller_numbers(values):
    finite = np.where(np.isinf(values), 9.0, values)
    wanted = np.sign(finite[:, None, :] - finite[:, :, None]).sum(axis=2)
    assert won(values).tolist() == wanted.tolist()


def test_win_rates_are_scores_of_the_topics_that_count():
    joined = join(*collection()[:2])
    cube = win_rates(joined, ["RPP", "sgnLP"], queries="common")
    assert cube.measures == ("RPP", "sgnLP")
    assert cube.queries.tolist() == ["q1", "q3", "q4"]
    assert cube.higher.all()
    prefer = select(joined, "RPP", queries="common").cube()
    sums = np.zeros(cube.values[0].shape)
    np.add.at(sums, (slice(None), prefer.a), prefer.values[0])
    np.add.at(sums, (slice(None), prefer.b), -prefer.values[0])
    np.testing.assert_allclose(cube.values[0], sums, rtol=0, atol=1e-12)


def test_missing_queries_are_told():
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        win_rates(join(*collection()[:2]), ["RPP", "sgnLP"])
    assert [str(one.message).partition(";")[0] for one in told] == [
        "1 of 4 judged queries are missing from run 'r3'"
    ]


@pytest.mark.parametrize(
    ("name", "rules", "text"),
    [
        ("rrLP", {}, r"win rates of rrLP need its pairs: use \.ireval\.prefer\(qrels, 'rrLP'\)"),
        ("RPP", {"queries": "answered"}, "with queries='answered' runs count on different queries"),
        ("RPP", {"level": 9}, "no judged query has an item with a grade of at least 9"),
    ],
)
def test_win_rates_that_cannot_be_had_are_refused(name, rules, text):
    with pytest.raises(ValueError, match=text):
        win_rates(join(*collection()[:2]), name, **rules)
