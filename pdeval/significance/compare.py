"""Compare runs pair by pair: one tidy row per pair and measure, with its test and its correction."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import pandas as pd

from pdeval.catalog import parse_all
from pdeval.evaluate import (
    MEASURES,
    N_GROUPS,
    Scores,
    ScoresLike,
    Source,
    baselines_of,
    check_mean,
    estimates,
    merged_attrs,
    new_seed,
    of_users,
    pseudo_values,
    sources,
    stacked,
)
from pdeval.join import Judged
from pdeval.significance import hsd, mean_ranks, paired_tests
from pdeval.significance.corrections import (
    JOINT_CORRECTIONS,
    MAX_T,
    NOT_NEEDED,
    JointCorrection,
    adjust,
    single_step_level,
    which_correction,
)
from pdeval.significance.max_t import critical_value, maxima, tail
from pdeval.significance.noninferiority import against_margin, margin_of
from pdeval.significance.paired_differences import (
    BLOCK,
    Pairs,
    check,
    complete,
    concatenated,
)
from pdeval.significance.registry import (
    TESTS,
    SignificanceTest,
    which_test,
    with_correction,
)
from pdeval.tables import NOISE, table
from pdeval.verbs import TooFew, check_not_declared, listed_in_docs, special, verb

# importing the others declares their tests
__all__ = ["compare", "hsd", "mean_ranks", "paired_tests"]

# up to so many runs, all pairs of t-tests are corrected by max-t
MAX_T_RUNS = 30
# with fewer queries, random signs have too few patterns: the family-wise error rate of max-t exceeds alpha
MAX_T_QUERIES = 8
# a measure of a table of pairs, and its test
Part = tuple[Pairs, int, SignificanceTest]
# number of a table, some of its measures, pairs and their differences
Block = tuple[int, Sequence[int], np.ndarray, np.ndarray]
# families over all groups of `by`, and the family within each group; None is the default
WITHIN_GROUPS: dict[str, str | None] = {"groups": None, "all_groups": "all"}
# columns of p-values that are adjusted for the family
ADJUSTED = ("p_adjusted", "p_noninferior", "p_equivalent")
# the question that a comparison of systems with replicates answers
THESE_MODELS = "Are these trained models different? Queries are random, replicates fixed."

table(
    "comparisons",
    "run_a run_b measure test n:int mean_a:float mean_b:float difference:float [estimate:float] ci_low:float "
    "ci_high:float effect_size:float statistic:float p_value:float p_adjusted:float significant:bool [se:float] "
    "[df:float] [effect_low:float effect_high:float] [margin:float lower:float upper:float p_noninferior:float "
    "noninferior:bool p_equivalent:float equivalent:bool] [n_machine:int lam:float effective_n:float] "
    "[rank_a:float rank_b:float]",
    "table of comparisons",
    recognized_by="run_a run_b measure p_value",
    row="pair of runs and measure",
    sort="measure run_a run_b",
    then=".report(), .plot()",
    means={
        "n": "number of queries that both runs have",
        "mean_a": "mean of run_a in the measure's own unit; missing for preferences",
        "mean_b": "mean of run_b",
        "difference": "positive if run_a is better, also if lower values of the measure are better",
        "estimate": "estimate of the test if it is not the mean difference: Hodges-Lehmann, median, or mean rank",
        "ci_low": "lower end of the interval of the estimate, simultaneous if p-values are corrected",
        "ci_high": "upper end of the interval",
        "effect_size": "Cohen's d of the differences, or that of the test; positive if the test favors run_a",
        "se": "standard error of the difference",
        "df": "degrees of freedom of the t-test",
        "effect_low": "lower end of the interval of the effect size, at the level of the other interval",
        "effect_high": "upper end of the interval of the effect size",
        "margin": "largest loss that is acceptable, in the unit of the measure",
        "lower": "lower limit of the difference at one-sided level alpha, simultaneous if p-values are corrected",
        "upper": "upper limit of the difference at one-sided level alpha",
        "p_noninferior": "corrected one-sided p-value of a loss of at least the margin",
        "noninferior": "whether run_a is not worse than run_b by the margin: the lower limit is above -margin",
        "p_equivalent": "corrected p-value of a difference of at least the margin, in either direction (TOST)",
        "equivalent": "whether the difference is within the margin",
        "n_machine": "number of queries with machine labels only; n is then the number of queries with human labels",
        "lam": "lambda, the weight of the machine labels; 0 ignores them",
        "effective_n": "number of queries with human labels that would give an interval of the same width",
        "rank_a": "mean rank of run_a among all runs, 1 is the best; only tests of mean ranks have it",
        "rank_b": "mean rank of run_b",
    },
)


@verb(
    on=("scores", "preferences", "judged"),
    # each test gets the queries of its group only
    per_measure="padded",
    returns="comparisons",
    core=True,
    command=True,
    independent=True,
    machine=True,
    other_names={
        "ttest": "compare(test='t')",
        "t_test": "compare(test='t')",
        "wilcoxon": "compare(test='wilcoxon')",
        "significance": "compare()",
        "tukey": "compare(test='tukey')",
        "hsd": "compare(test='hsd')",
        "nemenyi": "compare(test='nemenyi')",
        "conover": "compare(test='conover')",
    },
)
@listed_in_docs(tests=TESTS)
def compare(
    data: ScoresLike,
    measures: object = MEASURES,
    *,
    test: str | None = None,
    correction: JointCorrection | None = "auto",
    baseline: object = None,
    alpha: float = 0.05,
    family: Literal["measure", "baseline", "all", "groups", "all_groups"] | None = None,
    margin: float | str | None = None,
    confidence: float | None = None,
    draws: int = 10_000,
    seed: int | None = 0,
    progress: bool | None = None,
) -> pd.DataFrame:
    """Return one row per measure and pair of runs: the difference, its interval and its significance.

    Parameters
    ----------
    test : str, optional
        Significance test. By default the test declared by the measure: the sign test for sgnLP and sgnLR, the t-test
        for all others. A query that one run of a pair lacks is dropped for that pair; `n` is the number of remaining
        queries. Family-wise tests use only the queries that all runs have. `@pdeval.test` declares another test.
        The declared tests are:

        {tests}

        If there are machine labels in addition to human labels, the test is 'ppi': Student's test of the
        prediction-powered difference. Each pair has its own lambda, so `difference` is not exactly `mean_a - mean_b`.
    correction : str or None
        ... 'max-t' uses the joint distribution of the t statistics of a family, by one random sign per query: with a
        baseline it is Dunnett's comparison, for all pairs Tukey's HSD without equal variances. 'auto', the default, is
        'max-t' for t-tests of at least 8 queries with a baseline or of up to 30 runs, else 'holm'. HSD and Nemenyi's
        test already account for all pairs of a measure: `p_adjusted` is then `p_value`, and the family is the measure.
    family : {'measure', 'baseline', 'all', 'groups', 'all_groups'}, optional
        P-values that are corrected together: all pairs of a measure, including those that a baseline excludes from the
        result; the pairs with one baseline, per measure; all rows of the result (with `by`, of a group); or, with
        `by`, the pairs of a measure (with one baseline, if there is one) in all groups, such as collections, or all
        rows of all groups. By default 'baseline' if there is one, else 'measure'. HSD and Nemenyi's test have the
        family 'measure', Dunnett's test the family 'baseline'; they raise for 'all', and for each other's family.
    margin : float or str, optional
        Largest loss that is acceptable: a difference in the unit of the measure, or a percentage of the mean of run_b
        such as '5%'. The t-tests against it are one-sided, corrected over the same families: run_a is not inferior if
        the lower limit is above -margin, and equivalent if both limits are within the margin. Requires test='t'.
    confidence : float, optional
        Confidence level of the intervals, by default 1 - alpha. If p-values are corrected, it is the probability that
        all intervals of a family include their true differences. See Notes.
    draws : int
        ... Their p-values are never below 1 / (1 + draws).
    seed : int or None
        ... Block sizes and threads do not matter.

    Raises
    ------
    ValueError
        Fewer than two runs, two queries, or two queries in common for some pair; infinite values.
    KeyError
        The baseline is not among the runs.

    Notes
    -----
    Pairs without any difference have p = 1, effect size 0 and statistic 0. `attrs` has the correction, family, number
    of comparisons per family, alpha, confidence, draws and seed.

    The interval inverts the test: Student's for t, Hodges and Lehmann's for Wilcoxon's test, order statistics for the
    sign test, shifts for the randomization test, bootstrap-t for the bootstrap. It has the level of the correction:
    1 - alpha / m of each of m comparisons for Bonferroni's, the quantile of the largest |t| for max-t. Holm's and the
    other stepwise corrections have no simple intervals. They get those of the single-step correction that they refine.
    If such an interval includes 0 though the difference is significant, it ends at 0. With confidence = 1 - alpha,
    the interval of a difference that is not significant includes 0, and that of a significant one never extends
    beyond 0.

    With family='groups' or 'all_groups', the adjusted p-values p of each of G groups become 1 - (1 - p)^G (Sidak), and
    its intervals have confidence (1 - alpha)^(1/G). This is exact for groups without common queries, such as
    collections, and conservative for others. It requires a correction of the family-wise error rate.

    References
    ----------
    Westfall and Young (1993), Resampling-based multiple testing; Romano and Wolf (2005), Exact and approximate
    stepdown methods for multiple hypothesis testing; Guilbaud (2008), Simultaneous confidence regions corresponding to
    Holm's step-down procedure, for intervals that end at 0.

    Examples
    --------
    >>> import pdeval
    >>> scores = pdeval.datasets.sample_judged(queries="common").measure("AP")
    >>> result = scores.ireval.compare(baseline="bm25")
    >>> result[["run_a", "run_b", "n", "difference", "p_value", "p_adjusted", "significant"]].head(3).round(4)
          run_a run_b   n  difference  p_value  p_adjusted  significant
    0  bm25+rm3  bm25  48      0.0115   0.4400      0.9843        False
    1  dense-s1  bm25  48      0.1080   0.0001      0.0003         True
    2  dense-s2  bm25  48      0.1139   0.0001      0.0007         True
    """
    try:
        cubes = comparable(data, measures, machine=True)
    except KeyError:
        check_not_declared(measures, "a significance test", TESTS, "compare(test={})")
        raise
    for cube in cubes:
        check(cube)
    machine = any(getattr(cube, "machine", None) is not None for cube in cubes)
    tests = [
        [which_test(test, measure, cube.attrs, machine=machine) for measure in cube.measures]
        for cube in cubes
    ]
    over_groups = family in WITHIN_GROUPS
    groups = N_GROUPS.get() if over_groups else 0
    if over_groups and not groups:
        raise ValueError(
            f"family={family!r} corrects the groups of by= together: pass by=<column>, such as by='collection'."
        )
    corrected_together = _family(WITHIN_GROUPS.get(str(family), family), baseline, tests)
    confidence = 1 - alpha if confidence is None else confidence
    # groups are independent, so their levels multiply
    across = "sidak" if groups > 1 else "none"
    level = single_step_level(across, alpha, groups)
    miss = single_step_level(across, 1 - confidence, groups)
    seed = new_seed() if seed is None else seed
    options: dict[str, Any] = {"draws": draws, "seed": seed, "progress": progress}
    # one table for each baseline, whose pairs are a family
    tables = []
    for cube, kinds in zip(cubes, tests, strict=True):
        rows = [None] if baseline is None else baselines_of(cube.runs, baseline)
        ids = [None if row is None else tuple(cube.runs.iloc[row]) for row in rows]
        tables += [
            (Pairs.of(cube, baseline=one, others=corrected_together == "measure"), kinds)
            for one in ids
        ]
    # a part is a measure of a table; `family_of` is the family of each part, whose p-values are corrected at once
    parts = [
        (pairs, measure, kind) for pairs, kinds in tables for measure, kind in enumerate(kinds)
    ]
    family_wise = np.array([kind.family_wise for *_, kind in parts])
    family_of = np.arange(len(parts)) * (corrected_together != "all")
    lengths = np.array([len(pairs) for pairs, *_ in parts])
    size = np.bincount(family_of, weights=lengths)[family_of]
    step = _correction(correction, parts, baseline)
    if groups and not family_wise.all() and (step == "none" or step.startswith("fdr")):
        raise ValueError(
            f"family={family!r} requires a correction of the family-wise error rate, not correction={step!r}. Use "
            "correction='holm', or correct each group with family='measure'."
        )
    largest: dict[int, np.ndarray] = {}
    if step == MAX_T:
        several = np.flatnonzero(~family_wise & (size > 1))
        largest = _maxima(parts, family_of, several, options)
    of_parts = []
    for number, (*_, kind) in enumerate(parts):
        single_step = "none" if kind.family_wise or step == MAX_T else step
        m = int(size[number])
        of_part = {**options, "confidence": 1 - single_step_level(single_step, miss, m)}
        if number in largest:
            of_part["critical"] = critical_value(largest[number], miss).item()
            of_part["size"] = m
        of_parts.append(of_part)
    rest = iter(of_parts)
    results = _results(tables, [[next(rest) for _ in kinds] for _, kinds in tables])

    n, p, statistic = (
        np.concatenate([columns[name] for columns in results])
        for name in ("n", "p_value", "statistic")
    )
    adjusted, single = p.copy(), np.repeat(family_wise, lengths)
    if step == MAX_T:
        ends = np.cumsum(lengths)
        for number, drawn in largest.items():
            place = slice(ends[number] - lengths[number], ends[number])
            # never smaller than without correction; Bonferroni's for pairs with few common queries
            times = np.where(n[place] < MAX_T_QUERIES, size[number], 1)
            least = np.minimum(times * p[place], 1.0)
            adjusted[place] = np.maximum(least, tail(drawn, np.abs(statistic[place])))
    else:
        adjusted[~single] = adjust(
            adjusted[~single],
            np.repeat(family_of, lengths)[~single],
            correction=step,
            alpha=alpha,
        )
    ends = np.cumsum([len(columns["p_value"]) for columns in results])
    corrected = [
        with_correction(columns, p, level, agree=abs(confidence + alpha - 1) < NOISE)
        for columns, p in zip(results, np.split(adjusted, ends[:-1]), strict=True)
    ]
    if margin is not None:
        of_parts = [
            {
                name: columns[name][first : first + len(pairs)]
                for name in ("n", "mean_b", "difference", "se")
                if name in columns
            }
            for columns, (pairs, kinds) in zip(results, tables, strict=True)
            for first in range(0, len(kinds) * len(pairs), len(pairs))
        ]
        one_sided = _margins(parts, of_parts, margin, largest, family_of, options)
        tested = iter(
            against_margin(
                *one_sided,
                correction=step,
                family=family_of,
                size=size,
                alpha=level,
                few=MAX_T_QUERIES,
            )
        )
        corrected = [
            {**columns, **concatenated([next(tested) for _ in kinds])}
            for columns, (_, kinds) in zip(corrected, tables, strict=True)
        ]
    frames = []
    for columns, (pairs, kinds) in zip(corrected, tables):
        if groups > 1:
            with np.errstate(divide="ignore"):  # p = 1
                columns |= {
                    name: -np.expm1(groups * np.log1p(-columns[name]))
                    for name in columns
                    if name in ADJUSTED
                }
        if not pairs.against.all():
            reported = np.tile(pairs.against, len(kinds))
            columns = {key: values[reported] for key, values in columns.items()}
        frames.append(pairs.frame([columns], [kind.name for kind in kinds]))
    frame = stacked(frames)
    if len(tables) > len(cubes):  # measure by measure, whatever the baseline
        by_measure = np.argsort(pd.factorize(frame["measure"])[0], kind="stable")
        frame = frame.iloc[by_measure].reset_index(drop=True)
    frame.attrs.update(merged_attrs(pairs.source.attrs for pairs, _ in tables))
    name = parts[0][-1].family if family_wise.all() else corrected_together
    frame.attrs.update(
        correction=NOT_NEEDED if family_wise.all() else step,
        family=family if groups else name,
        comparisons=sorted(set((size * max(groups, 1)).astype(int).tolist())),
        simultaneous=bool(((size * max(groups, 1) > 1) & (family_wise | (step != "none"))).all()),
        alpha=alpha,
        confidence=confidence,
        draws=draws,
        seed=seed,
        **({} if margin is None else {"margin": margin}),
    )
    if "replicate" in frame.attrs:
        frame.attrs["question"] = THESE_MODELS
    return frame


def _family(family: str | None, baseline: object, tests: list[list[SignificanceTest]]) -> str:
    """Return the family of the correction; raise if a family-wise test has another one."""
    if family is None:
        return "measure" if baseline is None else "baseline"
    if family == "baseline" and baseline is None:
        raise ValueError(
            "family='baseline' needs a baseline: pass baseline=<run id>, or family='measure'."
        )
    measures = sum(map(len, tests))
    other = [
        test
        for kinds in tests
        for test in kinds
        if test.family_wise and family != test.family and not (family == "all" and measures == 1)
    ]
    if other:
        pairs = {"baseline": "the pairs with the baseline", "measure": "all pairs"}
        raise ValueError(
            f"test={other[0].name!r} corrects for {pairs[other[0].family]} of one measure; family={family!r} requires "
            + (
                f"the pairs of {measures} measures together."
                if family == "all"
                else f"{'only ' * (family == 'baseline')}{pairs[family]}."
            )
            + f" Use family={other[0].family!r}, or a test of one pair, e.g. test='t' with family={family!r}."
        )
    return family


def _correction(correction: str | None, parts: Sequence[Part], baseline: object) -> str:
    """Return the name of the correction; raise if max-t does not apply to a test."""
    name = which_correction(correction, JOINT_CORRECTIONS)
    others = [
        (pairs.source.measures[measure], test.name)
        for pairs, measure, test in parts
        if test.name != "t" and not test.family_wise
    ]
    queries = min(len(pairs.source.queries) for pairs, *_ in parts)
    short = queries < MAX_T_QUERIES
    if name == "auto":
        many = max(len(pairs.source.runs) for pairs, *_ in parts) > MAX_T_RUNS
        return "holm" if others or short or (many and baseline is None) else MAX_T
    if name == MAX_T and others:
        measure, test = others[0]
        raise ValueError(
            f"correction='max-t' requires test='t'; {measure!r} has test={test!r}. Use correction='holm'."
        )
    if name == MAX_T and short:
        raise ValueError(
            f"correction='max-t' requires at least {MAX_T_QUERIES} queries, found {queries}. Use correction='holm'."
        )
    return name


def _maxima(
    parts: Sequence[Part], family_of: np.ndarray, several: np.ndarray, options: dict[str, Any]
) -> dict[int, np.ndarray]:
    """Return the draws of the largest |t| of the family of each part; equal queries have equal signs in all parts."""
    queries = parts[0][0].source.queries
    for pairs, *_ in parts[1:]:
        queries = queries.union(pairs.source.queries, sort=False)
    largest: dict[int, np.ndarray] = {}
    for number in several:
        pairs, measure, _ = parts[number]
        n = pairs.n_queries[measure]
        rows = queries.get_indexer(pairs.source.queries[:n])
        # signs are drawn for all queries, or for those of a smaller group that is computed with others
        drawn_for = n if n < len(pairs.source.queries) else len(queries)
        for numbers, D in pairs.blocks(measure, shared=2):
            scores = None
            source = pairs.source
            if isinstance(source, Scores) and not np.isnan(source.values[measure, :n]).any():
                sides = pairs.a[numbers], pairs.b[numbers]
                scores = (
                    source.values[measure, :n],
                    *sides[:: 1 if source.higher[measure] else -1],
                )
            drawn = maxima(D, rows=rows, size=drawn_for, scores=scores, **options)
            family = int(family_of[number])
            largest[family] = np.maximum(largest.get(family, -np.inf), drawn)
    return {int(number): largest[int(family_of[number])] for number in several}


def _margins(
    parts: Sequence[Part],
    results: list[dict[str, np.ndarray]],
    margin: float | str,
    largest: dict[int, np.ndarray],
    family_of: np.ndarray,
    options: dict[str, Any],
) -> tuple[list[dict[str, np.ndarray]], list[np.ndarray], dict[int, np.ndarray]]:
    """Return the columns, the margin and the draws of the largest t of each part, for tests against a margin."""
    for pairs, measure, test in parts:
        if test.name != "t":
            raise ValueError(
                f"margin= requires test='t'; {pairs.source.measures[measure]!r} has test={test.name!r}."
            )
    margins = [
        margin_of(margin, columns["mean_b"], pairs.source.measures[measure])
        for (pairs, measure, _), columns in zip(parts, results, strict=True)
    ]
    several = np.array(sorted(largest), dtype=int)
    return results, margins, _maxima(parts, family_of, several, {**options, "one_sided": True})


def _results(
    tables: Sequence[tuple[Pairs, Sequence[SignificanceTest]]],
    options: Sequence[Sequence[dict[str, Any]]],
) -> list[dict[str, np.ndarray]]:
    """Return the columns of each table, measure by measure; tests of one pair are called once for many measures."""
    # (places among all measures and pairs of the table, columns)
    results: list[list[tuple[np.ndarray, dict[str, np.ndarray]]]] = [[] for _ in tables]
    # (number of the table, measures, pairs, differences) of each call, up to a block of differences
    calls: dict[Any, list[Block]] = {}
    size: Counter[Any] = Counter()

    def test_pairs(blocks: list[Block]) -> None:
        tested = _tested(tables, options, blocks)
        end = 0
        for at, measures, numbers, D in blocks:
            first, end = end, end + D.shape[1]
            places = np.add.outer(np.array(measures) * len(tables[at][0]), numbers).ravel()
            columns = {name: values[first:end] for name, values in tested.items()}
            results[at].append((places, columns))
        blocks.clear()

    for at, ((pairs, kinds), of_table) in enumerate(zip(tables, options, strict=True)):
        together: dict[Any, list[int]] = {}
        for measure, (test, of_part) in enumerate(zip(kinds, of_table, strict=True)):
            first = measure * len(pairs)
            if test.machine:
                results[at] += [
                    (first + numbers, columns)
                    for numbers, columns in _with_machine(pairs, measure, test, of_part)
                ]
            elif test.joint:
                columns = _measured_together(pairs, measure, test, of_part)
                results[at].append((first + np.arange(len(pairs)), columns))
            else:
                # products of draws are rounded differently with more pairs: such a test is of one part
                alone = (at, measure) if test.drawn else "critical" in of_part
                key = test.name, pairs.n_queries[measure], of_part["confidence"], alone
                together.setdefault(key, []).append(measure)
        for key, measures in together.items():
            blocks = calls.setdefault(key, [])
            for part, numbers, D in pairs.blocks_of(measures, shared=2):
                if blocks and size[key] + D.size > BLOCK:
                    test_pairs(blocks)
                    size[key] = 0
                size[key] += D.size
                # contiguous columns: numpy adds the differences of a pair in the same order, alone or among others
                columns_of_pairs = D.swapaxes(1, 2).reshape(-1, D.shape[1]).T
                blocks.append((at, part, numbers, columns_of_pairs))
    for blocks in calls.values():
        test_pairs(blocks)
    return [_in_order(blocks) for blocks in results]


def _in_order(blocks: list[tuple[np.ndarray, dict[str, np.ndarray]]]) -> dict[str, np.ndarray]:
    """Return the columns of (places, columns) in the order of the places."""
    blocks = sorted(blocks, key=lambda block: block[0][0])
    columns = concatenated([columns for _, columns in blocks])
    order = np.argsort(np.concatenate([places for places, _ in blocks]))
    return {name: values[order] for name, values in columns.items()}


def _tested(
    tables: Sequence[tuple[Pairs, Sequence[SignificanceTest]]],
    options: Sequence[Sequence[dict[str, Any]]],
    blocks: Sequence[Block],
) -> dict[str, np.ndarray]:
    """Return the columns of a test of one pair for blocks of pairs with the same test, queries and confidence."""
    D = np.asfortranarray(np.hstack([block for *_, block in blocks]))
    counted = ~np.isnan(D)
    # one value per measure of a table, repeated for its pairs
    parts = [(at, measure, numbers) for at, part, numbers, _ in blocks for measure in part]
    lengths = [len(numbers) for *_, numbers in parts]
    first, measure, _ = parts[0]
    test, of_part = tables[first][1][measure], dict(options[first][measure])
    if "critical" in of_part:
        critical, size = (
            np.repeat([options[at][measure][name] for at, measure, _ in parts], lengths)
            for name in ("critical", "size")
        )
        n = counted.sum(axis=0)
        # the level at which Student's interval has the critical value, or the usual one if smaller
        usual = (1 - of_part["confidence"]) / np.where(n < MAX_T_QUERIES, size, 1)
        of_part["confidence"] = 1 - np.minimum(usual, 2 * special.stdtr(n - 1, -critical))
    sides, limits = [], []
    for (at, measure, numbers), end in zip(parts, np.cumsum(lengths).tolist()):
        pairs, place = tables[at][0], slice(end - len(numbers), end)
        sides.append(pairs.sides(measure, numbers, counted[:, place]))
        limits.append(pairs.limits(measure, D[:, place]))
    mean_a, mean_b = np.concatenate(sides, axis=1)
    lowest, highest = np.repeat(np.array(limits), lengths, axis=0).T
    return test.result(D, **of_part).columns(mean_a, mean_b, (lowest, highest))


def _with_machine(
    pairs: Pairs, measure: int, test: SignificanceTest, options: dict[str, Any]
) -> Iterator[tuple[np.ndarray, dict[str, np.ndarray]]]:
    """Yield (numbers of pairs, their columns) from human and machine labels."""
    source: Any = pairs.source
    label = source.measures[measure]
    check_mean(label, source.attrs)
    means = (
        estimates(source, measure).mean
        if isinstance(source, Scores)
        else np.full(len(source.runs), np.nan)
    )
    by_machine = replace(pairs, source=replace(source, values=source.machine, machine=None))
    for (numbers, people), (_, machine) in zip(
        pairs.blocks(measure), by_machine.blocks(measure), strict=True
    ):
        outcome = test(people, machine, source.probability, **options)
        few = np.flatnonzero((outcome.n < 2) | (outcome.more["n_machine"] < 2))
        if len(few):
            raise TooFew(
                f"the pair {pairs.name(int(numbers[few[0]]))} has {outcome.n[few[0]]} queries with human labels and "
                f"{outcome.more['n_machine'][few[0]]} with machine labels only for {label!r}; at least two of each are "
                "needed."
            )
        sides = means[pairs.a[numbers]], means[pairs.b[numbers]]
        yield numbers, outcome.columns(*sides, pairs.limits(measure, people))


def _measured_together(
    pairs: Pairs, measure: int, test: SignificanceTest, options: dict[str, Any]
) -> dict[str, np.ndarray]:
    """Return the columns of one measure for a joint test of all runs, such as Tukey's HSD."""
    values, counted = complete(pairs, measure, test.description.removesuffix(" test"))
    if test.scores_only and values.ndim == 3:
        others = [name for name, one in TESTS.items() if one.joint and not one.scores_only]
        raise ValueError(
            f"test={test.name!r} requires a score per run; {pairs.source.measures[measure]!r} is a preference between "
            f"runs. Use test={others[0]!r}, which accepts preferences."
        )
    sides = pairs.sides(measure, np.arange(len(pairs)), counted)
    return test.result(values, pairs.a, pairs.b, **options).columns(
        *sides, pairs.limits(measure, values)
    )


def comparable(data: ScoresLike, measures: object, *, machine: bool = False) -> list[Source]:
    """Return the sources of a comparison; measures of all lists together have pseudo-values of groups of users.

    The pseudo-values of the jackknife vary about the value of a run, and the standard error of their mean is that of
    the jackknife. So a test of their differences is a test of the difference of two values, over users.
    """
    if isinstance(data, Judged):
        requested = parse_all(MEASURES if measures is None else measures)
        sets = [one for one in requested if one.entry.family == "set"]
        if sets:
            rest = [one for one in requested if one.entry.family != "set"]
            by_kind = [[one for one in sets if of_users(one) == kind] for kind in (False, True)]
            made: list[Source] = [pseudo_values(data, one) for one in by_kind if one]
            return made + (list(sources(data, rest, machine=machine)) if rest else [])
    return list(sources(data, measures, machine=machine))
