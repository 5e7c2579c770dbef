"""The hierarchical bootstrap: worked means, gaps in the data, and coverage on data whose variances are known."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

from pdeval.evaluate.seeds import chunks
from pdeval.significance import hierarchical_bootstrap
from pdeval.significance.hierarchical_bootstrap import (
    _drawn_collections,
    _drawn_queries,
    _Part,
)
from pdeval.significance.paired_tests import student
from pdeval.tables.equal_values import describe

CASES, WITHIN = 2000, 0.2


def within_binomial_limits(found, level):
    low, high = stats.binom.interval(0.999, CASES, level)
    return low <= found <= high


def collections(count, sizes, between, seed):
    """Independent cases as columns: differences whose collections differ by `between` and queries by WITHIN."""
    random = np.random.default_rng(seed)
    n = random.integers(*sizes, size=count)
    effect = between * random.normal(size=(count, CASES))
    return [effect[c] + WITHIN * random.normal(size=(n[c], CASES)) for c in range(count)], effect, n


def macro_and_micro(*parts, **options):
    """Return both estimates with their values as attributes."""
    estimates = hierarchical_bootstrap.macro_and_micro(*parts, **options)
    return tuple(SimpleNamespace(**estimate) for estimate in estimates)


def known(estimates, over):
    """Return the estimates that have an interval: over collections micro is descriptive."""
    if over == "collections":
        assert np.isnan(
            [estimates[1].se, estimates[1].ci_low, estimates[1].ci_high, estimates[1].p_value]
        ).all()
    return estimates[: 1 if over == "collections" else 2]


def covered(estimate, truth):
    return int(((estimate.ci_low <= truth) & (truth <= estimate.ci_high)).sum())


def test_macro_is_the_mean_of_means_and_micro_that_of_queries():
    parts = [np.array([[1.0], [3.0]]), np.array([[0.0], [0.0], [3.0], [1.0]])]
    for over in ("collections", "queries"):
        macro, micro = macro_and_micro(parts, over=over, draws=50)
        assert macro.mean.tolist() == [1.5]
        assert micro.mean.tolist() == [8 / 6]
    # collections as observations: sd of (2, 1) over the square root of 2; queries: variances 2 / 2 and 2 / 4
    assert macro_and_micro(parts, draws=50)[0].se.tolist() == pytest.approx([0.5])
    assert macro_and_micro(parts, over="queries", draws=50)[0].se.tolist() == pytest.approx(
        [np.sqrt(1.5) / 2]
    )


@pytest.mark.broad
def test_the_interval_excludes_zero_where_p_says_so():
    parts, _, _ = collections(8, (5, 20), 0.1, 3)
    for over in ("collections", "queries"):
        for found in known(macro_and_micro(parts, over=over, draws=199), over):
            excluded = (found.ci_low > 0) | (found.ci_high < 0)
            assert (excluded == (found.p_value < 0.05)).all()


def test_too_few_draws_for_the_confidence_give_an_infinite_interval():
    found = macro_and_micro([np.array([[0.1], [0.3]]), np.array([[0.2], [0.5]])], draws=10)[0]
    assert [found.ci_low[0], found.ci_high[0]] == [-np.inf, np.inf]


def resampled(part, times, rng):
    """Queries of a collection drawn that often, as the bootstrap draws them: rows of places, in a plain order."""
    return [sorted(row) for row in rng.integers(len(part), size=(times, len(part))).tolist()]


def distance_by_hand(parts, places, queries):
    """Return one draw's studentized distance: the mean of its collections from the observed one, over its error."""
    observed = sum(sum(part) / len(part) for part in parts) / len(parts)
    mean = [sum(parts[c][q] for q in drawn) / len(drawn) for c, drawn in zip(places, queries)]
    return (np.mean(mean) - observed) / (np.std(mean, ddof=1) / np.sqrt(len(places)))


UNEVEN = [[0.5, 0.1, -0.2, 0.3], [0.7, 0.2], [-0.4, 0.1, 0.6]]


def distances(draws, seed):
    """Return distances of draws of collections by a plain loop; None where all drawn are alike."""
    rng = np.random.default_rng(seed)
    place = rng.integers(3, size=(draws, 3))
    drawn = [iter(resampled(part, int((place == c).sum()), rng)) for c, part in enumerate(UNEVEN)]
    chosen = []
    for row in np.sort(place, axis=1).tolist():
        queries = [next(drawn[c]) for c in row]
        alike = len({tuple(UNEVEN[c][q] for q in one) for c, one in zip(row, queries)}) == 1
        chosen.append(None if alike else distance_by_hand(UNEVEN, row, queries))
    return chosen


@pytest.mark.parametrize(
    ("draws", "seeds"), [(30, 1), (1, 25)]
)  # of one draw some collections have no part in it
def test_draws_of_collections_are_those_of_a_plain_loop(draws, seeds):
    own = [
        _Part.of(np.array(part)[:, None], np.array([np.mean(part)]), np.array([len(part)]))
        for part in UNEVEN
    ]
    count = 0
    for seed in range(9, 9 + seeds):
        found = _drawn_collections(own, draws, np.random.default_rng(seed))
        assert found.shape == (draws, 1)
        pairs = [
            (a, b) for a, b in zip(found[:, 0].tolist(), distances(draws, seed)) if b is not None
        ]
        count += len(pairs)
        assert [a for a, _ in pairs] == pytest.approx([b for _, b in pairs], rel=1e-9)
    assert count > 20


def test_draws_of_queries_are_those_of_a_plain_loop():
    rng, draws = np.random.default_rng(9), 30
    drawn = [resampled(part, draws, rng) for part in UNEVEN]
    own = [
        _Part.of(np.array(part)[:, None], np.array([np.mean(part)]), np.array([len(part)]))
        for part in UNEVEN
    ]
    found = _drawn_queries(own, draws, np.random.default_rng(9), 2)
    for weighted in (0, 1):
        weight = [len(part) / 9 if weighted else 1 / 3 for part in UNEVEN]
        for draw in range(draws):
            values = [[part[q] for q in rows[draw]] for part, rows in zip(UNEVEN, drawn)]
            away = sum(
                w * (np.mean(v) - np.mean(part)) for w, v, part in zip(weight, values, UNEVEN)
            )
            error = sum(w**2 * np.var(v) / (len(v) - 1) for w, v in zip(weight, values))
            assert found[weighted, draw, 0] == pytest.approx(away / np.sqrt(error), rel=1e-9)


def test_rounding_is_measured_by_the_largest_of_the_collections():
    # every query of the first collection differs by the same, on paper; of the second by nothing
    part = _Part(np.full((3, 1), 1e-13), None, np.array([0.1]), np.array([3]))
    none = _Part(np.zeros((3, 1)), None, np.array([0.0]), np.array([3]))
    assert _drawn_queries([part, none], 4, np.random.default_rng(0), 1).tolist() == [[[0.0]] * 4]


@pytest.mark.broad
def test_a_pair_is_drawn_alike_whatever_stands_beside_it():
    parts, _, _ = collections(5, (5, 20), 0.1, 4)
    whole = macro_and_micro([part[:, :700] for part in parts], draws=100)
    alone = macro_and_micro([part[:, 650:652] for part in parts], draws=100)
    np.testing.assert_allclose(whole[0].ci_low[650:652], alone[0].ci_low, rtol=1e-9)
    assert whole[0].p_value[650:652].tolist() == alone[0].p_value.tolist()


def test_collections_that_lack_a_pair_are_as_if_they_were_not_there():
    parts, _, _ = collections(5, (5, 20), 0.1, 6)
    parts = [part[:, :3] for part in parts]
    gone = [part.copy() for part in parts]
    gone[1][:, 0] = np.nan
    gone[4][1:, 0] = np.nan  # one query is no collection
    for over in ("collections", "queries"):
        found = macro_and_micro(gone, over=over, draws=100)
        alone = macro_and_micro([gone[c][:, :1] for c in (0, 2, 3)], over=over, draws=100)
        for one, two in zip(found, alone):
            np.testing.assert_allclose(
                [one.mean[0], one.ci_low[0]], [two.mean[0], two.ci_low[0]], rtol=1e-9
            )


def test_queries_that_a_pair_lacks_do_not_count_for_it():
    parts, _, _ = collections(6, (10, 20), 0.1, 7)
    parts = [part[:, :1].copy() for part in parts]
    for part in parts:
        part[::3] = np.nan
    left = [part[~np.isnan(part[:, 0])] for part in parts]
    for one, two in zip(macro_and_micro(parts), macro_and_micro(left)):
        np.testing.assert_allclose([one.mean, one.se], [two.mean, two.se], rtol=1e-12)
        np.testing.assert_allclose(
            one.ci_low, two.ci_low, atol=0.2 * float(two.se[0])
        )  # drawn otherwise


def test_too_few_collections_and_no_difference_at_all():
    one, none = [np.array([[0.1], [0.2]])], [np.zeros((3, 1)), np.zeros((4, 1))]
    macro, _ = macro_and_micro(one, draws=20)
    assert macro.mean.tolist() == pytest.approx([0.15])
    assert np.isnan([macro.ci_low, macro.ci_high, macro.p_value]).all()
    assert not np.isnan(macro_and_micro(one, over="queries", draws=20)[0].p_value).any()
    for over in ("collections", "queries"):
        for found in known(macro_and_micro(none, over=over, draws=20), over):
            assert [found.mean[0], found.ci_low[0], found.ci_high[0], found.p_value[0]] == [
                0,
                0,
                0,
                1,
            ]


def test_a_collection_without_queries_is_as_if_it_was_not_there():
    parts = [np.array([[0.1, 0.2], [0.3, 0.1]]), np.array([[0.2, 0.5], [0.5, 0.0], [0.1, 0.1]])]
    for over in ("collections", "queries"):
        found = macro_and_micro([np.zeros((0, 2)), *parts], over=over, draws=30)
        for one, two in zip(found, macro_and_micro(parts, over=over, draws=30)):
            np.testing.assert_array_equal(
                [one.mean, one.se, one.p_value], [two.mean, two.se, two.p_value]
            )


def test_a_constant_difference_is_certain():
    parts = [np.full((3, 1), 0.1), np.full((5, 1), 0.1)]
    for over in ("collections", "queries"):
        for found in known(macro_and_micro(parts, over=over, draws=19), over):
            assert found.p_value.tolist() == [1 / 20]
            assert found.ci_low.tolist() == pytest.approx([0.1])


@pytest.mark.large
@pytest.mark.slow
@pytest.mark.parametrize("between", [0.0, 0.05, 0.2])
@pytest.mark.parametrize(("count", "sizes"), [(12, (10, 41)), (18, (10, 61)), (18, (3, 9))])
def test_intervals_over_collections_cover_as_often_as_they_say(count, sizes, between):
    parts, _, _ = collections(count, sizes, between, 100 + count)
    macro, _ = macro_and_micro(parts, draws=999)
    assert 0.93 * CASES <= covered(macro, 0.0) <= 0.97 * CASES
    assert within_binomial_limits(int((macro.p_value < 0.05).sum()), 0.05)


@pytest.mark.large
@pytest.mark.slow
@pytest.mark.parametrize("between", [0.0, 0.2])
@pytest.mark.parametrize(("count", "sizes"), [(3, (20, 41)), (18, (10, 61)), (18, (3, 9))])
def test_intervals_over_queries_cover_the_mean_of_these_collections(count, sizes, between):
    parts, effect, n = collections(count, sizes, between, 200 + count)
    macro, micro = macro_and_micro(parts, over="queries", draws=999)
    assert 0.93 * CASES <= covered(macro, effect.mean(axis=0)) <= 0.97 * CASES
    assert (
        0.93 * CASES <= covered(micro, (n[:, None] * effect).sum(axis=0) / n.sum()) <= 0.97 * CASES
    )
    if between == 0:
        assert within_binomial_limits(int((macro.p_value < 0.05).sum()), 0.05)


@pytest.mark.large
@pytest.mark.slow
def test_with_very_few_collections_the_verdict_errs_on_the_safe_side():
    parts, _, _ = collections(3, (20, 41), 0.2, 300)
    assert (macro_and_micro(parts, draws=999)[0].p_value < 0.05).sum() <= stats.binom.ppf(
        0.999, CASES, 0.05
    )


@pytest.mark.large
@pytest.mark.slow
def test_the_pooled_test_takes_differences_between_collections_for_a_difference_between_runs():
    parts, _, _ = collections(18, (10, 61), 0.05, 118)
    pooled = int((student(np.concatenate(parts)).p_value < 0.05).sum())
    assert pooled > 4 * 0.05 * CASES
    assert not within_binomial_limits(pooled, 0.05)


def markdown():
    """Return how often each test finds a difference where there is none, as a table for the documentation."""
    from pdeval.significance.over_collections import combined_effects

    lines = [
        "| collections | queries each | sd between | verdict | covers | random effects | fixed effects | pooled t |",
        "|---:|:---|---:|---:|---:|---:|---:|---:|",
    ]
    for count, sizes in ((3, (20, 41)), (6, (10, 41)), (18, (10, 61)), (18, (3, 9))):
        for between in (0.0, 0.05, 0.2):
            parts, _, _ = collections(count, sizes, between, 400 + count)
            macro, _ = macro_and_micro(parts, draws=999)
            n, mean, sd = (np.stack(values) for values in zip(*map(describe, parts)))
            meta = combined_effects(mean, sd / np.sqrt(n))
            ps = (
                macro.p_value,
                None,
                meta["random_p"],
                meta["fixed_p"],
                student(np.concatenate(parts)).p_value,
            )
            shares = [covered(macro, 0.0) / CASES if p is None else (p < 0.05).mean() for p in ps]
            cells = " | ".join(f"{100 * share:.1f}%" for share in shares)
            lines.append(f"| {count} | {sizes[0]} to {sizes[1] - 1} | {between:g} | {cells} |")
    return "\n".join(lines)


if __name__ == "__main__":  # python -m tests.significance.test_hierarchy
    print(markdown())


def test_what_lacks_a_mean_an_error_or_a_draw_has_no_interval():
    drawn = np.tile(np.linspace(-1, 1, 41)[:, None], 4)
    drawn[5, 3] = np.nan
    mean, se = np.array([0.5, np.nan, 0.5, 0.5]), np.array([0.1, 0.1, np.nan, 0.1])
    found = SimpleNamespace(**hierarchical_bootstrap._estimate(mean, se, drawn, 0.9))
    for ends in (found.ci_low, found.ci_high, found.p_value):
        assert np.isnan(ends).tolist() == [False, True, True, True]


def test_queries_drawn_for_a_pair_that_some_lack_are_averaged_over_those_that_have_it():
    values = np.array([0.4, np.nan, np.nan, 0.9, np.nan])
    part = _Part.of(values[:, None], np.array([0.65]), np.array([2]))
    mean, n, often = part.drawn(60, np.random.default_rng(2))
    has = ~np.isnan(values)
    seen = set()
    for draw in range(60):
        drawn = np.repeat(values[has] - 0.65, often[draw][has].astype(int))
        assert mean[draw, 0] == pytest.approx(drawn.mean() if len(drawn) else 0.0, abs=1e-15)
        assert n[draw, 0] == max(len(drawn), 1)
        seen.add(len(drawn))
    assert {0, 1, 2} <= seen


@pytest.mark.parametrize("draws", [9, 19, 20, 59, 99])
@pytest.mark.parametrize("confidence", [0.9, 0.95, 0.99])
def test_interval_and_p_are_those_counted_draw_by_draw(draws, confidence):
    random = np.random.default_rng(draws)
    drawn = random.integers(-6, 7, size=(draws, 5)) / 4  # with ties
    mean, se = np.array([0.5, -0.75, 0.0, 0.25, 0.25]), np.array([0.5, 0.5, 0.25, 0.0, 0.25])
    found = SimpleNamespace(**hierarchical_bootstrap._estimate(mean, se, drawn, confidence))
    level = {0.9: 10, 0.95: 20, 0.99: 100}[confidence]  # 1 over the level
    allowed = [
        m for m in range(draws) if level * (1 + m) < 1 + draws
    ]  # draws as far out with p below it
    for at in range(5):
        sizes = sorted(np.abs(drawn[:, at]).tolist(), reverse=True)
        t = np.inf if se[at] == 0 else abs(mean[at]) / se[at]
        half = 0.0 if se[at] == 0 else se[at] * (sizes[allowed[-1]] if allowed else np.inf)
        assert found.p_value[at] == pytest.approx(
            (1 + sum(one >= t for one in sizes)) / (1 + draws), rel=1e-15
        )
        assert (found.ci_low[at], found.ci_high[at]) == pytest.approx(
            (mean[at] - half, mean[at] + half), rel=1e-12
        )


def test_means_and_errors_of_uneven_collections_with_gaps_are_those_worked_pair_by_pair():
    random = np.random.default_rng(8)
    parts = [random.normal(0.2, 1.0, size=(n, 4)) for n in (3, 6, 4, 2)]
    parts[1][2:4, 1] = parts[2][1:, 2] = parts[0][:, 3] = parts[3][0, 3] = np.nan
    for over in ("collections", "queries"):
        estimates = macro_and_micro(parts, over=over, draws=20)
        for pair in range(4):
            own = [part[~np.isnan(part[:, pair]), pair] for part in parts]
            own = [d for d in own if len(d) > 1]
            k, means = len(own), np.array([d.mean() for d in own])
            for estimate, weight in zip(
                estimates, (np.ones(k), np.array([len(d) for d in own])), strict=True
            ):
                share = weight / weight.sum()
                mean = share @ means
                if over == "collections":
                    error = np.sqrt(k / (k - 1) * np.square(share * (means - mean)).sum())
                else:
                    error = np.sqrt(
                        sum(w**2 * d.var(ddof=1) / len(d) for w, d in zip(share, own, strict=True))
                    )
                assert estimate.mean[pair] == pytest.approx(mean, rel=1e-12)
                if over == "queries" or estimate is estimates[0]:
                    assert estimate.se[pair] == pytest.approx(error, rel=1e-12)


def test_the_whole_bootstrap_is_its_draws_chunk_by_chunk(monkeypatch):
    random = np.random.default_rng(5)
    parts = [random.normal(0.1, 1.0, size=(n, 3)) for n in (4, 5, 7)]
    parts[1][:, 1] = np.nan
    draws, own = 150, {(0, 2): (0, 1, 2), (1,): (0, 2)}  # which pairs have which collections
    for over, draw in (("collections", _drawn_collections), ("queries", _drawn_queries)):
        found = macro_and_micro(parts, over=over, draws=draws, seed=3, confidence=0.9)
        with monkeypatch.context() as narrow:
            narrow.setattr(hierarchical_bootstrap, "WIDTH", 1)
            again = macro_and_micro(parts, over=over, draws=draws, seed=3, confidence=0.9)
        for pairs, kept in own.items():
            made = [
                _Part.of(
                    parts[c][:, pairs],
                    parts[c][:, pairs].mean(axis=0),
                    np.full(len(pairs), len(parts[c])),
                )
                for c in kept
            ]
            steps = [np.random.default_rng(child) for _, child in chunks(draws, 3)]
            sizes = [size for size, _ in chunks(draws, 3)]
            more = (2,) if over == "queries" else ()
            drawn = [
                np.atleast_3d(draw(made, size, rng, *more).T).T for size, rng in zip(sizes, steps)
            ]
            drawn = np.concatenate(drawn, axis=1)
            for number, (estimate, other) in enumerate(
                zip(known(found, over), known(again, over), strict=True)
            ):
                wanted = hierarchical_bootstrap._estimate(
                    estimate.mean[[*pairs]], estimate.se[[*pairs]], drawn[number], 0.9
                )
                for name in ("ci_low", "ci_high", "p_value"):
                    values = getattr(estimate, name)[[*pairs]]
                    assert values == pytest.approx(wanted[name], rel=1e-9), name
                    assert getattr(other, name)[[*pairs]] == pytest.approx(values, rel=1e-9), name


def test_a_pair_that_no_collection_has_has_no_mean_beside_one_that_all_have():
    parts = [
        np.array([[0.5, np.nan], [0.25, np.nan]]),
        np.array([[1.0, 0.5], [0.0, np.nan], [0.5, np.nan]]),
    ]
    for over in ("collections", "queries"):
        for found in known(macro_and_micro(parts, over=over, draws=20), over):
            for values in (found.mean, found.ci_low, found.ci_high, found.p_value):
                assert np.isnan(values).tolist() == [False, True]


def test_a_bar_says_what_it_is_of(capsys):
    macro_and_micro([np.ones((2, 1)), np.ones((3, 1))], draws=5, progress=True)
    assert "conclusion" in capsys.readouterr().err


def test_queries_are_drawn_alike_for_pairs_of_other_sizes_and_other_units():
    random = np.random.default_rng(6)
    parts = [random.normal(0.5, 1.0, size=(n, 3)) for n in (5, 3, 6)]
    parts[0][:2, 1] = parts[2][3, 1] = np.nan
    for part in parts:
        part[:, 2] *= 2.0**60
    for over in ("collections", "queries"):
        whole = macro_and_micro(parts, over=over, draws=99, confidence=0.9)
        for pair in range(3):
            alone = macro_and_micro(
                [part[:, [pair]] for part in parts], over=over, draws=99, confidence=0.9
            )
            for one, two in zip(known(whole, over), known(alone, over)):
                for name in ("mean", "se", "ci_low", "ci_high", "p_value"):
                    assert getattr(one, name)[pair] == pytest.approx(
                        getattr(two, name)[0], rel=1e-9
                    ), (over, name)


def test_draws_of_queries_that_a_pair_lacks_are_weighed_by_how_many_it_has():
    values = [
        np.array([0.5, 0.1, -0.2, 0.3]),
        np.array([0.7, np.nan, 0.2]),
        np.array([-0.4, 0.1, 0.6, np.nan, 0.9]),
    ]
    sizes = [4, 2, 4]
    own = [
        _Part.of(v[:, None], np.array([np.nanmean(v)]), np.array([size]))
        for v, size in zip(values, sizes)
    ]
    found = _drawn_queries(own, 40, np.random.default_rng(4), 2)
    rng = np.random.default_rng(4)
    drawn = [rng.integers(len(v), size=(40, len(v))) for v in values]
    for draw in range(40):
        kept = [
            v[rows[draw]][~np.isnan(v[rows[draw]])] - np.nanmean(v)
            for v, rows in zip(values, drawn)
        ]
        away = [x.mean() if len(x) else 0.0 for x in kept]
        error = [x.var() / max(len(x) - 1, 1) if len(x) else 0.0 for x in kept]
        for weighted in (0, 1):
            weight = [size / 10 if weighted else 1 / 3 for size in sizes]
            wanted = np.dot(weight, away) / np.sqrt(np.dot(np.square(weight), error))
            assert found[weighted, draw, 0] == pytest.approx(wanted, rel=1e-9)


def test_columns_without_a_query_count_none_as_a_whole_number():
    n, *rest = describe(np.zeros((0, 2)))
    assert (n.tolist(), n.dtype) == ([0, 0], np.int64)
    assert np.isnan(rest).all()
