"""Relevant items against the others: worked by hand, and the definitions of recommender libraries."""

import numpy as np
import pytest

import pdeval
from pdeval.kernels import AP, AUC, GAP, MCC, PAP, Accuracy, Fallout, PartialAUC, SetP, SetRelP
from pdeval.kernels.expected_ties import expected_AP
from pdeval.kernels.sets import catalog
from pdeval.kernels.terms import average_precision

inf = np.inf
RANK = np.array([1.0, 4.0, inf])


def test_average_precision_is_divided_by_what_the_name_says():
    assert AP(RANK, k=2) == 1 / 3
    assert AP(RANK, k=2, norm="min") == 1 / 2
    assert AP(RANK, k=4, norm="min") == AP(RANK, k=4) == (1 + 2 / 4) / 3
    assert AP(RANK, k=5, norm="k") == (1 + 2 / 4) / 5
    with pytest.raises(
        ValueError, match="norm='k' divides by the cutoff, but the measure has no cutoff"
    ):
        AP(RANK, norm="k")
    assert pdeval.parse("AP(norm=min)@10").spelled == "AP(norm=min)@10"


@pytest.mark.parametrize("norm", ["m", "min", "k"])
def test_terms_and_expected_ties_know_the_norm(norm):
    value = AP(RANK, k=2, norm=norm)
    terms, weight = average_precision(RANK, norm=norm, k=2)
    assert (weight * terms).sum() == pytest.approx(value)
    assert expected_AP(RANK - 1, np.ones(3), norm=norm, k=2) == pytest.approx(value)


def test_accuracy_counts_pairs_of_the_list_that_are_in_order():
    assert Accuracy(RANK, 5) == pytest.approx(4 / 6)
    assert Accuracy(RANK, 5, k=1) == 1.0
    assert Accuracy(np.array([inf]), 5) == 0.0


def test_items_that_were_not_retrieved_are_in_any_order_for_the_area_under_the_curve():
    # 2 relevant and 4 others; x stands first, y nowhere, as two of the others
    assert AUC(np.array([1.0, inf]), 3, 6) == (4 + 2 / 2) / 8
    assert AUC(np.array([1.0, inf]), 3, items=6) == AUC(np.array([1.0, inf]), 3, 6)
    assert AUC(np.array([inf]), 0, 9) == 0.5
    assert AUC(np.array([1.0, 2.0]), 2, 2) == 1.0


def test_partial_areas_look_at_the_first_others():
    assert PartialAUC(np.array([1.0, 3.0]), k=2) == (2 + 1) / 4
    assert PartialAUC(np.array([9.0, inf]), k=2) == 0.0
    assert PAP(np.array([1.0, 3.0, 4.0]), k=2) == (2 + 1) / 4
    assert PartialAUC(np.array([1.0, 3.0, 4.0]), k=2) == (2 + 1 + 1) / 6


def test_fall_out_and_correlation_take_the_size_of_the_catalog():
    rank = np.array([1.0, 4.0])
    assert Fallout(rank, 10, 22, k=5) == Fallout(rank, 10, items=22, k=5) == 3 / 20
    assert MCC(rank, 10, items=22, k=5) == pytest.approx(34 / np.sqrt(5 * 2 * 20 * 17))
    assert MCC(rank, 2, items=2) == 0.0
    judged = pdeval.datasets.sample_judged(queries="common")
    found = judged.measure(
        ["Fallout@10", "Fallout(items=100000)@10", "MCC@10", "AUC", "AUC(items=100000)"]
    )
    assert found["value"].between(-1, 1).all()


def test_graded_average_precision_is_that_of_binary_grades_and_weighs_levels_by_their_items():
    grades = np.ones(3)
    assert GAP(RANK, grades, grades) == pytest.approx(AP(RANK))
    grade = np.array([1.0, 3.0, 2.0])
    levels = [AP(RANK), AP(np.array([4.0, inf])), AP(np.array([4.0]))]
    assert GAP(RANK, grade, np.array([3.0, 2.0, 1.0])) == pytest.approx(
        (3 * levels[0] + 2 * levels[1] + levels[2]) / 6
    )


def test_relative_set_precision_has_two_spellings():
    assert SetP(RANK, 8, relative=True) == SetRelP(RANK, 8)
    assert pdeval.parse("SetP(relative=True)").spelled == "SetRelP"
    assert pdeval.parse("SetP(relative=true,rel=2)").spelled == "SetP(relative=True,level=2)"


def random_lists(lists=24, known=9, wanted=3):
    """Return lists of items out of `known`, of which the first `wanted` are relevant, and the ranks of these."""
    rng = np.random.default_rng(7)
    shown = [rng.permutation(known)[: length % (known + 1)].tolist() for length in range(lists)]
    ranks = [
        sorted(one.index(item) + 1.0 if item in one else inf for item in range(wanted))
        for one in shown
    ]
    return shown, np.array(ranks).T


def in_order(relevant, others):
    """Return the share of pairs in which the relevant item stands above the other; of two at one place a half."""
    pairs = [(a < b) + (a == b) / 2 for a in relevant for b in others]
    return sum(pairs) / len(pairs) if pairs else None


@pytest.mark.parametrize("k", [inf, 1, 4])
def test_pairs_of_the_list_and_of_the_catalog_are_counted_one_by_one(k):
    shown, ranks = random_lists()
    retrieved = np.array([len(one) for one in shown])
    accuracy, partial, both = (
        Accuracy(ranks, retrieved, k=k),
        PartialAUC(ranks, k=min(k, 6)),
        PAP(ranks, k=min(k, 6)),
    )
    for at, one in enumerate(shown):
        seen = one[: int(min(k, 99))]
        places = [place for place, item in enumerate(seen) if item < 3]
        wanted = in_order(places, [place for place, item in enumerate(seen) if item >= 3])
        assert accuracy[at] == pytest.approx(wanted if wanted is not None else float(bool(places)))
        worse = [place for place, item in enumerate(one) if item >= 3][: int(min(k, 6))]
        worse += [99] * (
            int(min(k, 6)) - len(worse)
        )  # others that the list does not hold stand below it
        better = [one.index(item) if item in one else inf for item in range(3)]
        assert partial[at] == pytest.approx(in_order(better, worse))
        assert both[at] == pytest.approx(in_order(sorted(better)[: int(min(k, 6))], worse))


@pytest.mark.parametrize("known", [4, 9, 12])
def test_relevant_items_against_all_others_of_the_catalog(known):
    shown, ranks = random_lists(known=min(known, 9))
    retrieved = np.array([len(one) for one in shown])
    corpus = np.full(len(shown), float(known))
    found = {
        "AUC": [AUC(ranks, retrieved, corpus), AUC(ranks, retrieved, items=known)],
        "Fallout": [
            Fallout(ranks, retrieved, corpus, k=4),
            Fallout(ranks, retrieved, 99, items=known, k=4),
        ],
        "MCC": [MCC(ranks, retrieved, corpus, k=4), MCC(ranks, retrieved, 99, items=known, k=4)],
        "all": [MCC(ranks, retrieved, corpus), MCC(ranks, retrieved, items=known)],
    }
    for at, one in enumerate(shown):
        place = [one.index(item) if item in one else 99 for item in range(known)]
        wanted = {
            "AUC": in_order(place[:3], place[3:]),
            "Fallout": sum(item >= 3 for item in one[:4]) / (known - 3),
        }
        for name, seen in (("MCC", one[:4]), ("all", one)):
            there = [item in seen for item in range(known)]
            relevant = [item < 3 for item in range(known)]
            wanted[name] = (
                np.corrcoef(there, relevant)[0, 1] if any(there) and not all(there) else 0.0
            )
        for name, (by_corpus, by_number) in found.items():
            assert by_corpus[at] == pytest.approx(wanted[name], abs=1e-12), name
            assert by_number[at] == by_corpus[at], name


def test_a_catalog_holds_its_relevant_items():
    assert catalog(None, 3, 3) == 0.0
    assert catalog(2.0, None, 3) == 0.0  # what is known may be less than what is relevant
    with pytest.raises(
        ValueError, match=r"items=2 is smaller than the number of relevant items \(3\)"
    ):
        catalog(None, 2, 3)
    assert AUC(RANK, 2, 3) == 1.0
    assert Fallout(RANK, 2, 3) == 0.0
    assert AUC(np.array([5.0, inf]), 5, items=4) == 0.0  # more was retrieved than the catalog holds


@pytest.mark.parametrize("k", [inf, 3])
def test_graded_average_precision_is_the_mean_of_that_of_every_level(k):
    rng = np.random.default_rng(8)
    ranks = np.sort(
        rng.permuted(np.tile(np.append(np.arange(1.0, 8), [inf, inf]), (12, 1)), axis=1)[:, :4],
        axis=1,
    ).T
    grade = rng.choice([0.5, 1.0, 3.0, 4.0], (4, 12))
    grade[1, ::3] = 0.0  # an item without a grade, which no reader wants
    ideal = -np.sort(-grade, axis=0)
    found = GAP(ranks, grade, ideal, k=k)
    for at in range(12):
        made = whole = below = 0.0
        for level in sorted({*grade[:, at]} - {0.0}):
            own = ranks[grade[:, at] >= level, at]
            made += (level - below) * sum(
                (own <= rank).sum() / rank for rank in own if rank <= min(k, 99)
            )
            whole += (level - below) * len(own)
            below = level
        assert found[at] == pytest.approx(made / whole, rel=1e-12)
        assert (
            float(GAP(ranks[:, at].tolist(), grade[:, at].tolist(), ideal[:, at].tolist(), k=k))
            == found[at]
        )
