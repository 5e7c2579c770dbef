"""Agreement over synthetic lists: Table 1 of Shokouhi, Yilmaz, Craswell and Robertson (2009)."""

import itertools

import numpy as np
import pandas as pd
import pytest

import pdeval
from pdeval import studies
from pdeval.evaluate import scores as evaluate
from pdeval.studies import random_lists, sampled, synthetic_rankings, uniform
from tests.studies.rankings import inf, judged

DCG, P, RBP5, RBP8 = "DCG(discount=jk)", "P@10", "RBP(p=0.5)", "RBP(p=0.8)"
# measure, measure; exact rate for N = 10; printed: N = 10 fuzzy, N = 1000, sampled N = 10
TABLE_1 = [
    (DCG, "AP", 0.9554, 0.96, 0.90, 0.98),
    (DCG, P, 0.7557, 0.93, 0.54, 0.92),
    (DCG, RBP5, 0.8301, 0.84, 0.61, 0.93),
    (DCG, RBP8, 0.9480, 0.96, 0.64, 0.98),
    ("AP", P, 0.7694, 0.94, 0.51, 0.92),
    ("AP", RBP5, 0.8200, 0.83, 0.56, 0.93),
    ("AP", RBP8, 0.9485, 0.96, 0.59, 0.98),
    (P, RBP5, 0.6001, 0.77, 0.59, 0.86),
    (P, RBP8, 0.7255, 0.90, 0.71, 0.90),
    (RBP5, RBP8, 0.8565, 0.87, 0.85, 0.94),
]


def column(number):
    return pd.Series({(row[0], row[1]): row[number] for row in TABLE_1}, name="agreement")


def rates(table, fuzziness=0.0):
    kept = table[table["fuzziness"] == fuzziness]
    return pd.Series(
        kept["agreement"].tolist(),
        index=zip(kept["measure_a"], kept["measure_b"]),
        name="agreement",
    )


@pytest.fixture(scope="module")
def all_lists():
    return uniform(N=10, fuzziness=[0, 0.01])


@pytest.mark.broad
def test_all_lists_of_ten_give_the_ten_rates_of_table_1_to_four_digits(all_lists):
    assert all_lists["pairs"].unique().tolist() == [1024 * 1023 // 2]
    assert rates(all_lists).round(4).to_dict() == column(2).to_dict()


@pytest.mark.broad
def test_all_lists_of_ten_with_fuzziness_are_as_printed(all_lists):
    assert (rates(all_lists, 0.01) - column(3)).abs().max() < 0.015


def distance(table):
    """How far the ten rates with fuzziness 0.01 of lists of ten are from print, added up."""
    return (rates(table, 0.01) - column(3)).abs().sum()


@pytest.mark.broad
def test_the_fitted_scale_and_relative_fuzziness_bring_the_fuzzy_column_nearer_to_print(all_lists):
    # plain values: 0.084 of the 0.556 that methods give for N = 10 and N = 1000 together
    scaled, relative = (
        uniform(fuzziness=0.01, scale=synthetic_rankings.fitted_scale(10)),
        uniform(fuzziness=0.01, relative=True),
    )
    found = [round(distance(table), 3) for table in (all_lists, scaled, relative)]
    assert found == [0.084, 0.048, 0.042]
    assert relative.attrs["relative"] is True


@pytest.mark.slow
def test_the_fitted_scale_brings_lists_of_a_thousand_nearer_to_print():
    printed = [
        0.99,
        0.76,
        0.69,
        0.72,
        0.73,
        0.63,
        0.67,
        0.76,
        0.88,
        0.86,
    ]  # in the order of TABLE_1
    options = {"N": 1000, "pairs": 6000, "fuzziness": 0.01, "seed": 0}
    plain, scaled = (
        random_lists(**options),
        random_lists(**options, scale=synthetic_rankings.fitted_scale(1000)),
    )
    distances = [
        (rates(table, 0.01).reindex(column(3).index) - printed).abs().sum()
        for table in (plain, scaled)
    ]
    assert distances == [pytest.approx(0.47, abs=0.04), pytest.approx(0.16, abs=0.05)]


@pytest.mark.broad
def test_scales_and_the_kind_of_fuzziness_change_nothing_without_fuzziness(all_lists):
    options = [{"scale": synthetic_rankings.fitted_scale(10)}, {"relative": True}]
    for table in (uniform(fuzziness=0, **one) for one in options):
        pd.testing.assert_series_equal(rates(table), rates(all_lists))
        kept = all_lists[all_lists["fuzziness"] == 0].reset_index(drop=True)
        pd.testing.assert_series_equal(table["r"], kept["r"])


def naive(values_a, values_b, least, *, relative=False):
    """The share of pairs of lists on which two measures do not disagree by more than the fuzziness."""
    agreeing = pairs = 0
    for i, j in itertools.combinations(range(len(values_a)), 2):
        sizes, signs = [], []
        for values in (values_a, values_b):
            difference, larger = values[i] - values[j], max(abs(values[i]), abs(values[j]))
            sizes.append(abs(difference) / larger if relative and larger else abs(difference))
            signs.append(np.sign(difference))
        pairs += 1
        agreeing += not (signs[0] * signs[1] < 0 and min(sizes) > least)
    return agreeing / pairs


@pytest.mark.parametrize("relative", [False, True])
def test_fuzziness_is_a_difference_or_a_share_of_the_larger_value(relative):
    lists = (np.arange(16)[:, None] >> np.arange(4)) & 1 == 1
    rbp = [sum(0.5 * 0.5**r for r in np.flatnonzero(one)) for one in lists]
    precision = [one[:3].sum() / 3 for one in lists]
    for least in (0.1, 0.2, 0.45):
        table = uniform(N=4, measures=["RBP(p=0.5)", "P@3"], fuzziness=least, relative=relative)
        assert table["agreement"].item() == pytest.approx(
            naive(rbp, precision, least, relative=relative)
        )


def test_a_scale_multiplies_values_before_fuzziness_is_held_against_them():
    asked = ["RBP(p=0.5)", "P@3"]
    both = uniform(N=4, measures=asked, fuzziness=0.2, scale={"RBP(p=0.5)": 2, "P@3": 2})
    assert (
        both["agreement"].item() == uniform(N=4, measures=asked, fuzziness=0.1)["agreement"].item()
    )


def test_a_larger_recall_base_divides_average_precision_by_more():
    lists = np.array([[True, False, True]])
    cube = evaluate.scores(synthetic_rankings.judged_of(lists, 12), ["AP", "P@3", "R@3"])
    assert cube.values[:, 0, 0].tolist() == pytest.approx([(1 + 2 / 3) / 12, 2 / 3, 2 / 12])
    options = {"N": 6, "measures": ["AP", "P@6"], "fuzziness": 0.03}
    wide, scaled, plain = (
        uniform(**options, recall_base=12),
        uniform(**options, scale={"AP": 0.5}),
        uniform(**options),
    )
    assert wide["agreement"].item() == scaled["agreement"].item()
    assert wide["agreement"].item() > plain["agreement"].item()


def test_random_and_sampled_lists_take_the_same_options():
    options = {"measures": ["AP", "P@4"], "N": 4, "pairs": 300, "fuzziness": 0.1}
    for drawn in (random_lists, lambda **given: sampled(FOUND, **given)):
        plain = drawn(**options)["agreement"].item()
        assert (
            drawn(**options, recall_base=400)["agreement"].item() == 1.0
        )  # AP then never differs by more
        assert drawn(**options, scale={"AP": 1e-3})["agreement"].item() == 1.0
        assert drawn(**options, relative=True)["agreement"].item() <= plain


@pytest.mark.large
@pytest.mark.slow
def test_random_lists_of_a_thousand_are_as_printed():
    table = random_lists(N=1000, pairs=40_000, seed=0)
    assert (rates(table) - column(4)).abs().max() < 0.02


@pytest.mark.broad
def test_lists_drawn_from_runs_agree_nearly_as_often_as_printed(shared_data):
    from pdeval.files import read_qrels, read_runs

    # the paper drew from TREC-7 and TREC-8; other runs, the same picture
    folder = shared_data / "trec-covid-r3"
    runs = read_runs(folder / "runs")
    joined = runs.ireval.join(read_qrels(folder / "qrels.txt"), depth=10, validate=False)
    table = sampled(joined, N=10, pairs=50_000)
    assert (rates(table) - column(5)).abs().max() < 0.015


def test_lists_are_scored_against_a_recall_base_as_long_as_they_are():
    lists = np.array([[True, False, True], [False, False, False]])
    cube = evaluate.scores(synthetic_rankings.judged_of(lists), ["AP", "P@3", "RR"])
    assert cube.values[:, 0, 0].tolist() == pytest.approx([(1 + 2 / 3) / 3, 2 / 3, 1.0])
    assert cube.values[:, 0, 1].tolist() == [0.0, 0.0, 0.0]


def test_all_pairs_of_short_lists_match_a_naive_count():
    lists = list(itertools.product([0, 1], repeat=3))

    def first(row):
        return 1 / (row.index(1) + 1) if 1 in row else 0.0

    agreeing = sum(
        np.sign(first(x) - first(y)) == np.sign(sum(x) - sum(y))
        for x, y in itertools.combinations(lists, 2)
    )
    table = uniform(N=3, measures=["RR", "P@3"])
    assert table["pairs"].item() == 28
    assert table["agreement"].item() == pytest.approx(agreeing / 28)


def test_preferences_are_measures_too():
    table = uniform(N=3, measures=["sgnLP", "RR"])
    # lexicographic precision decides every pair of different lists, as RR does where it is not tied
    assert table["agreement"].item() == pytest.approx(1 - (6 + 1 + 0) / 28)


@pytest.mark.broad
def test_random_lists_are_the_same_for_the_same_seed_and_any_block(monkeypatch):
    options = {"N": 30, "pairs": 500, "measures": ["AP", "P@10", "RR"], "fuzziness": [0, 0.02]}
    whole = random_lists(**options, seed=7)
    monkeypatch.setattr(synthetic_rankings, "CELLS", 600)
    pd.testing.assert_frame_equal(random_lists(**options, seed=7), whole, rtol=1e-12)
    assert not random_lists(**options, seed=8)["agreement"].equals(whole["agreement"])


def test_relevance_sets_how_many_places_hold_a_relevant_item():
    rare = random_lists(N=20, measures=["RR", "AP"], pairs=4000, relevance=0.02)
    # with 2% of 20 places, a list has mostly nothing or one item, where RR and AP agree
    assert rare["agreement"].item() > 0.97


FOUND = judged(
    {"q": {"a": [1, 4], "b": [1, 4], "c": [2, inf]}, "s": {"a": [3], "b": [1], "c": [12]}}
)


def test_the_first_places_of_runs_become_lists():
    lists = synthetic_rankings.first_places(FOUND, 4)
    assert lists.astype(int).tolist() == [
        [1, 0, 0, 1], [1, 0, 0, 1], [0, 1, 0, 0], [0, 0, 1, 0], [1, 0, 0, 0], [0, 0, 0, 0]
    ]  # fmt: skip


def test_equal_lists_are_drawn_only_on_request():
    # RR ties {1, 4} and {1}; with all pairs alike, that is 2 of 14 pairs of different lists
    options = {"measures": ["RR", "AP"], "N": 4, "pairs": 20_000, "seed": 1}
    assert sampled(FOUND, **options)["agreement"].item() == pytest.approx(1 - 2 / 14, abs=0.01)
    # 36 ordered draws: 6 + 2 equal, 28 different of which 4 tie by RR alone
    assert sampled(FOUND, **options, identical=True)["agreement"].item() == pytest.approx(
        1 - 4 / 36, abs=0.01
    )


def test_sampling_is_seeded():
    options = {"measures": ["RR", "AP"], "N": 4, "pairs": 300}
    first, again, other = (sampled(FOUND, **options, seed=seed) for seed in (1, 1, 2))
    pd.testing.assert_frame_equal(first, again)
    assert first["r"].item() != other["r"].item()


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: uniform(N=13), r"N=13: expected a length from 1 to 12"),
        (
            lambda: uniform(N=3, measures="AP"),
            "agreement requires two measures, found only AP.",
        ),
        (
            lambda: uniform(N=4, recall_base=3),
            r"recall_base=3: lists of length 4 .* scale=\{'AP': 4/3\}",
        ),
        (lambda: uniform(N=4, scale={"AP": 0}), r"scale\['AP'\]=0: expected a number above 0."),
        (
            lambda: uniform(N=4, measures=["RPP", "AP"], relative=True),
            "RPP is a preference between two rankings",
        ),
        (lambda: random_lists(pairs=0), "pairs=0: expected an integer of at least 1."),
        (
            lambda: random_lists(relevance=1.0),
            "relevance=1.0: expected a probability between 0 and 1.",
        ),
        (
            lambda: sampled(judged({"q": {"a": [1], "b": [1]}}), N=3),
            "the first 3 ranks of all 2 lists are the same",
        ),
    ],
)
def test_what_cannot_be_counted_is_an_error(call, text):
    with pytest.raises(ValueError, match=text):
        call()


def test_a_scale_of_a_measure_that_was_not_asked_for_is_an_error():
    with pytest.raises(
        KeyError, match="scale= contains 'MAP', which is not one of the measures AP, RR"
    ):
        uniform(N=4, measures=["AP", "RR"], scale={"MAP": 2})


def test_table_1_is_one_call_in_the_shape_of_the_paper():
    sample = pdeval.datasets.sample_judged(queries="common")
    measures = ["AP", "P@10", "RBP(p=0.5)"]
    table = studies.agreement_table({"sample": sample}, measures, pairs=500, progress=False)
    lists = ["uniform, N = 10", "sample, N = 10", "uniform, N = 1000", "sample, N = 1000"]
    assert table["lists"].unique().tolist() == lists
    assert len(table) == 3 * 2 * 4
    options = {"fuzziness": [0.0, 0.01], "progress": False}
    parts = [
        studies.uniform(10, measures, **options),
        studies.sampled(sample, measures, N=10, pairs=500, **options),
        studies.random_lists(1000, measures, pairs=500, **options),
        studies.sampled(sample, measures, N=1000, pairs=500, **options),
    ]
    expected = pd.concat(parts, ignore_index=True)
    pd.testing.assert_frame_equal(table.drop(columns="lists"), expected, check_exact=True)
    report = table.ireval.report(columns="lists", group="fuzziness", digits=2)
    assert [column.header for column in report.columns][2:] == lists
    assert len(report.rows) == 6


def test_table_1_takes_the_fitted_scale_of_each_length_and_one_join():
    sample = pdeval.datasets.sample_judged(queries="common")
    table = studies.agreement_table(
        sample, ["AP", "P@10"], lengths=[10], pairs=500, fitted=True, progress=False
    )
    expected = studies.uniform(
        10, ["AP", "P@10"], fuzziness=[0.0, 0.01], scale={"AP": 2.0}, progress=False
    )
    assert table["agreement"][:2].tolist() == expected["agreement"].tolist()
    assert table["lists"].tolist() == ["uniform, N = 10"] * 2 + ["sampled, N = 10"] * 2
