"""What each collection says of each pair: against scipy, with gaps, and families of corrections by hand."""

import warnings
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from pdeval.evaluate.cube import Scores
from pdeval.evaluate.grouped import GroupedCube
from pdeval.significance import paired_tests
from pdeval.significance.over_collections import (
    attrs_over_collections,
    blocks_within,
    corrected,
    effects_of,
    pairs_within,
    pairwise_test,
    read_collections,
)
from pdeval.significance.paired_differences import Pairs
from pdeval.significance.registry import TESTS, SignificanceTest
from pdeval.tables.reader import read
from pdeval.verbs.arguments import TooFew

OPTIONS = {"confidence": 0.9, "draws": 70, "seed": 5}


def parts():
    """Three collections of three pairs: the second lacks a pair, the third has one query of another."""
    random = np.random.default_rng(0)
    found = [random.normal(0.1, 1.0, size=(n, 3)) for n in (5, 4, 6)]
    found[0][2, 0] = np.nan
    found[1][:, 1] = np.nan
    found[2][1:, 2] = np.nan
    return found


def test_each_collection_has_its_own_mean_error_interval_and_p():
    found = effects_of(parts(), TESTS["t"], **OPTIONS)
    there = [[True, True, True], [True, False, True], [True, True, False]]
    assert (~np.isnan(found["difference"])).tolist() == there
    for at, part in enumerate(parts()):
        for pair in range(3):
            d = part[~np.isnan(part[:, pair]), pair]
            numbers = [
                found[name][at, pair]
                for name in ("difference", "se", "ci_low", "ci_high", "p_value")
            ]
            if not there[at][pair]:
                assert found["n"][at, pair] == 0
                assert np.isnan(numbers).all()
                continue
            wanted = stats.ttest_1samp(d, 0)
            assert found["n"][at, pair] == len(d)
            assert numbers == pytest.approx(
                [d.mean(), stats.sem(d), *wanted.confidence_interval(0.9), wanted.pvalue]
            )


def test_options_of_a_test_that_draws_are_handed_on():
    first = parts()[0]
    found = effects_of([first, np.full((2, 3), np.nan)], TESTS["bootstrap"], **OPTIONS)
    alone = paired_tests.bootstrap(first, confidence=0.9, draws=70, seed=5)
    for name in ("ci_low", "ci_high", "p_value"):
        assert found[name][0].tolist() == getattr(alone, name).tolist()
        assert np.isnan(found[name][1]).all()
    assert found["n"].tolist() == [[4, 5, 5], [0, 0, 0]]
    assert found["n"].dtype == np.int64


def test_p_values_alone_are_completed_by_students_interval():
    def only_p(D, *, confidence, draws, seed, progress):
        assert {"confidence": confidence, "draws": draws, "seed": seed} == OPTIONS
        assert progress is False
        assert D.shape[1] > 0  # it is not asked about no pair at all
        return np.full(D.shape[1], 0.5)

    test = SignificanceTest("mine", only_p)
    found = effects_of([parts()[0], np.full((4, 3), np.nan)], test, **OPTIONS)
    interval = stats.ttest_1samp(parts()[0][:, 1], 0).confidence_interval(0.9)
    assert found["p_value"][0].tolist() == [0.5] * 3
    assert np.isnan(found["p_value"][1]).all()
    assert (found["ci_low"][0, 1], found["ci_high"][0, 1]) == pytest.approx(interval)


def test_p_values_are_corrected_within_a_collection_and_there_within_a_baseline():
    p = np.array([[0.01, 0.02, 0.03, 0.2], [0.04, np.nan, 0.05, 0.001]])
    pairs = SimpleNamespace(b=np.array([7, 7, 3, 7]))
    options = {"correction": "bonferroni", "alpha": 0.05}
    own = corrected(p, pairs, baseline=True, **options)
    assert own == pytest.approx(
        np.array([[0.03, 0.06, 0.03, 0.6], [0.08, np.nan, 0.05, 0.002]]), nan_ok=True
    )
    together = corrected(p, pairs, baseline=False, **options)
    assert together == pytest.approx(
        np.array([[0.04, 0.08, 0.12, 0.8], [0.12, np.nan, 0.15, 0.003]]), nan_ok=True
    )


@pytest.mark.parametrize("method", ["holm", "fdr_tsbh"])
@pytest.mark.parametrize("alpha", [0.05, 0.3])
def test_the_correction_is_that_of_statsmodels_at_its_alpha(method, alpha):
    from statsmodels.stats.multitest import multipletests

    p = np.array([[0.001, 0.02, 0.03, 0.2, 0.6], [0.9, 0.01, 0.5, 0.04, 0.2]])
    found = corrected(
        p, SimpleNamespace(b=np.arange(5)), baseline=False, correction=method, alpha=alpha
    )
    assert found == pytest.approx(np.stack([multipletests(row, alpha, method)[1] for row in p]))


def collected(sizes, missing=(), attrs=None, by="site"):
    """Collections s0, s1, ... of so many queries of three runs; `missing` are (query, run) without a value."""
    values = np.random.default_rng(1).random((1, sum(sizes), 3))
    for query, run in missing:
        values[0, query, run] = np.nan
    source = Scores(
        pd.DataFrame({"run": ["a", "b", "c"]}),
        pd.Index(range(sum(sizes)), name="query_id"),
        ("AP",),
        values,
        np.array([True]),
        attrs or {},
    )
    return GroupedCube(
        source,
        pd.DataFrame({by: [f"s{number}" for number in range(len(sizes))]}),
        np.append(0, np.cumsum(sizes)),
    )


def test_a_pair_with_one_query_in_a_collection_has_none_there():
    found = collected([3, 2], missing=[(0, 0), (1, 0)])
    ((numbers, (first, second)),) = blocks_within(found, Pairs.of(found.source), 0)
    values = found.source.values[0]
    assert numbers.tolist() == [0, 1, 2]
    assert np.isnan(first[:, :2]).all()  # one query of a with b, and with c
    assert first[:, 2].tolist() == (values[:3, 1] - values[:3, 2]).tolist()
    assert second[:, 0].tolist() == (values[3:, 0] - values[3:, 1]).tolist()


@pytest.mark.parametrize(
    ("sizes", "said"),
    [
        ([2, 1, 3], r"^1 of 3 groups by site is skipped: 's1'\. No pair"),
        ([1, 4, 1], r"^2 of 3 groups by site are skipped: 's0', 's2'\. No pair"),
        ([1, 1, 2, 1], r"^3 of 4 groups by site are skipped: 's0', 's1', 's3'\. No pair"),
        (
            [1, 1, 2, 1, 1],
            r"^4 of 5 groups by site are skipped: 's0', 's1', 's3', \.\.\.\. No pair",
        ),
    ],
)
def test_groups_in_which_nothing_can_be_compared_are_told(sizes, said):
    with pytest.warns(UserWarning, match=said):
        assert len(pairs_within(collected(sizes), None)) == 3


def test_a_group_in_which_one_pair_can_be_compared_is_not_told():
    found = collected([2, 3], missing=[(0, 0), (1, 0)])  # two queries of b and c in the first
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pairs = pairs_within(found, "c")
    assert (pairs.a.tolist(), pairs.b.tolist()) == ([0, 1], [2, 2])


def test_runs_that_share_no_two_queries_of_any_group_are_refused():
    with pytest.raises(
        TooFew, match=r"^no two runs have two queries in common within any site, e\.g\. 's0'"
    ):
        pairs_within(collected([1, 1, 1]), None)


def test_a_test_of_all_runs_at_once_is_refused_within_groups():
    assert [
        pairwise_test(*one, {}).name for one in (("sign", "AP"), (None, "sgnLP"), (None, "AP"))
    ] == [*("sign", "sign", "t")]
    with pytest.raises(
        ValueError,
        match=r"test='hsd' tests all runs together, .* Use one of 't', 'wilcoxon', 'sign'",
    ) as told:
        pairwise_test("hsd", "AP", {})
    assert "tukey" not in str(told.value)


def test_a_result_over_collections_says_what_told_them_apart_and_the_rules_of_its_table():
    found = collected(
        [2, 2], attrs={"level": 2, "by": ["x"], "collections": ["x"], "table": "scores"}
    )
    assert attrs_over_collections(found) == {"level": 2, "meta_analysis_by": ["site"]}


def test_values_are_read_by_group_with_replicates_averaged_and_groups_from_metadata():
    rows = [
        (run, seed, query, name)
        for run in "ab"
        for seed in (1, 2)
        for query in range(6)
        for name in ("AP", "RR")
    ]
    frame = pd.DataFrame(rows, columns=["run", "seed", "query_id", "measure"])
    frame["value"] = np.random.default_rng(2).random(len(frame))
    about = pd.DataFrame({"query_id": range(6), "site": [*"xyxyxy"]})
    table = read(frame.ireval(run=["run", "seed"]), "scores")
    found, pairs = read_collections(table, "RR", "site", "seed", "a", "collections", about)
    assert (found.names, found.ends.tolist(), found.source.measures) == (
        ["x", "y"],
        [0, 3, 6],
        ("RR",),
    )
    assert (pairs.a.tolist(), pairs.b.tolist()) == ([1], [0])
    mean = frame[frame["measure"] == "RR"].groupby(["query_id", "run"])["value"].mean().unstack()
    np.testing.assert_allclose(found.source.values[0], mean.loc[[0, 2, 4, 1, 3, 5]])
    one = about.assign(site="x")
    assert len(read_collections(table, "RR", "site", "seed", None, "queries", one)[0]) == 1
    with pytest.raises(
        TooFew, match=r"^a meta-analysis of collections needs at least two; site has only 'x'\."
    ):
        read_collections(table, "RR", "site", "seed", None, "collections", one)
