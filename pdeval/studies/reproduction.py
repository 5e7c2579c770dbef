"""Reproduction: runs compared with the original runs, by scores, effects and order; and change over snapshots."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
import pandas as pd

from pdeval.evaluate import MEASURES, Scores, described_frame, run_columns, scores_cube
from pdeval.evaluate.scores import scores
from pdeval.join import Judged, column_ids, join, top
from pdeval.kernels.primitives import share
from pdeval.kernels.rank_similarity import Ties, rank_biased_overlap, tau_union
from pdeval.significance.registry import student_test
from pdeval.tables import describe, labels, listed, not_a_table, read, run_labels, table
from pdeval.verbs import short_repr, special, stats, verb

CELLS = 1 << 21  # items x lists of a block

table(
    "reproduction",
    "run measure n:int original:float mean:float rmse:float p_value:float effect_ratio:float delta_ri:float",
    "table of reproduced runs",
    recognized_by="original rmse effect_ratio delta_ri",
    row="run and measure",
    sort="run",
    then=".report(), .plot()",
    means={
        "n": "number of queries of the reproduced run",
        "original": "mean of the original run over its queries",
        "mean": "mean of the reproduced run over its queries",
        "rmse": "root mean squared difference of the scores of a query; missing for other queries",
        "p_value": "p-value of the t-test between original and reproduced scores, paired on the same queries",
        "effect_ratio": "mean improvement over the baseline, divided by that of the original run; 1 is best",
        "delta_ri": "relative improvement of the original run minus that of the reproduced run; 0 is best",
    },
)

table(
    "reproduced_order",
    "run query tau_union:float rbo:float rbo_residual:float",
    "table of reproduced rankings",
    recognized_by="tau_union rbo rbo_residual",
    row="run and query",
    sort="run query",
    means={
        "tau_union": "Kendall's tau of both rankings, over the union of their items",
        "rbo": "rank-biased overlap, extrapolated",
        "rbo_residual": "range of rank-biased overlap that unseen items leave open",
    },
    no_report="it has one row per run and query; average it",
    no_plot="it has one row per run and query; average it",
)


@verb(
    on="judged",
    returns=("reproduction", "reproduced_order"),
    other_names={
        "rpd_eval": "reproduce(qrels, original)",
        "repro_eval": "reproduce(qrels, original)",
    },
    grouped=False,
)
def reproduce(
    judged: Judged,
    original: object,
    measures: object = MEASURES,
    *,
    baseline: object = None,
    pairs: Mapping[Any, Any] | None = None,
    per: Literal["run", "query"] = "run",
    p: float = 0.9,
    rbo_ties: Ties = "b",
    union: Literal["original", "id"] = "original",
) -> pd.DataFrame:
    """Return how close runs are to the original runs: scores, effects, or with `per="query"` the order of items.

    Runs are matched by name, or by `pairs`. If both sides have the same queries, scores are compared query by query;
    otherwise only means and effects are (replication on other queries).

    Parameters
    ----------
    original : DataFrame, bound accessor or join
        The original runs, joined to the same judgments under the same rules; or `original.ireval.join(its_qrels)`.
    measures : str, Measure, or list of them
        Measures of one ranking.
    baseline : str, optional
        Run whose improvement is the effect, on both sides; without it there are no effect ratio and delta RI.
    pairs : mapping of run to run, optional
        The original run of each run, if they have other names.
    per : {'run', 'query'}
        Whether rows are runs and measures, or rankings of queries with their order.
    p : float, default 0.9
        Persistence of rank-biased overlap: the weight of depth d is (1 - p) p^(d - 1).
    rbo_ties : {'b', 'a', 'w'}
        Ties in rank-biased overlap, after Corsi and Urbano (2024): normalized, so that equal rankings have 1; the mean
        over the orders of tied items; or all tied items at the first rank of their group.
    union : {'original', 'id'}
        Order of the union in Kendall's tau union: the original ranking and then the other items of the reproduced
        one, or by item id, as repro_eval 0.5 does.

    Examples
    --------
    >>> import pdeval
    >>> runs, qrels = pdeval.datasets.sample_runs(), pdeval.datasets.sample_qrels()
    >>> original, again = (runs[runs["run"].isin(["bm25", name])] for name in ("dense-s1", "dense-s2"))
    >>> names = {"bm25": "bm25", "dense-s2": "dense-s1"}
    >>> result = again.ireval.reproduce(qrels, original, "AP", baseline="bm25", pairs=names, queries="common")
    >>> result[["run", "original", "mean", "rmse", "effect_ratio", "delta_ri"]].round(3)
            run  original   mean   rmse  effect_ratio  delta_ri
    0      bm25     0.328  0.328  0.000           NaN       NaN
    1  dense-s2     0.427  0.433  0.079         1.058    -0.018
    """
    runs, qrels = judged.tables
    rules: dict[str, Any] = {"queries": judged.query_rule, "level": judged.level}
    rules |= {name: judged.positions.rules.get(name) for name in ("ties", "compat", "depth")}
    if rules["ties"] == ("docid" if "score" in runs else "rank"):
        rules["ties"] = None  # the default, which depends on the columns of the original runs
    other = getattr(original, "judged", original)
    if not isinstance(other, Judged):
        other = join(original, qrels, **rules)
    reproduced, original = _matched(judged, other, pairs)
    if per == "query":
        return _orders(judged, other, reproduced, original, p, rbo_ties, union)
    return _effects(judged, other, reproduced, original, measures, baseline)


def _matched(
    judged: Judged, other: Judged, pairs: Mapping[Any, Any] | None
) -> tuple[np.ndarray, np.ndarray]:
    """Return the places of the reproduced runs and of their originals."""
    if not (pairs is None or isinstance(pairs, Mapping)):
        raise TypeError(
            f"pairs={short_repr(pairs)}: pass a mapping of each run to its original run, "
            "e.g. {'run': 'original run'}."
        )
    names, originals = pd.Index(run_labels(judged.runs)), pd.Index(run_labels(other.runs))
    mapping = {name: name for name in names if name in originals} if pairs is None else dict(pairs)
    for known, wanted, side in (
        (names, mapping, "reproduced"),
        (originals, mapping.values(), "original"),
    ):
        if unknown := [name for name in wanted if name not in known]:
            raise KeyError(
                f"pairs= has the run {unknown[0]!r}, which is not among the {side} runs: {listed(known, 6)}."
            )
    if not mapping:
        raise ValueError(
            f"no run has the name of an original run: the runs are {listed(names, 3)}, the original runs "
            f"{listed(originals, 3)}. Pass pairs={{'run': 'original run'}}."
        )
    return names.get_indexer(pd.Index(list(mapping))), originals.get_indexer(
        pd.Index(list(mapping.values()))
    )


def _mean_effects(
    cube: Scores, runs: np.ndarray, baseline: object, side: str
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the means of all runs, and the mean and the relative improvement of some over the baseline.

    Improvements are of shape (measures, runs); NaN for the baseline, or without one.
    """
    mean = np.nanmean(cube.values, axis=1)
    names = run_labels(cube.runs)
    if baseline is None:
        nothing = np.full((len(mean), len(runs)), np.nan)
        return mean, nothing, nothing
    if not pd.api.types.is_scalar(baseline) or str(baseline) not in names:
        raise KeyError(
            f"baseline={short_repr(baseline)} is not among the {side} runs: {listed(names, 6)}."
        )
    place = names.index(str(baseline))
    base = mean[:, [place]]
    gain = np.where(runs == place, np.nan, mean[:, runs] - base)
    return mean, gain, share(gain, base, np.nan)


def _effects(
    judged: Judged,
    other: Judged,
    reproduced: np.ndarray,
    original: np.ndarray,
    measures: object,
    baseline: object,
) -> pd.DataFrame:
    """Return the table of reproduced runs."""
    new, old = scores(judged, measures), scores(other, measures)
    mean, gain, relative = _mean_effects(new, reproduced, baseline, "reproduced")
    mean_there, gain_there, relative_there = _mean_effects(old, original, baseline, "original")
    place = old.queries.get_indexer(new.queries)
    values, originals = new.values[:, :, reproduced], old.values[:, :, original]
    counted = ~np.isnan(values)
    paired = np.where((place >= 0)[None, :, None], originals[:, place], np.nan)
    # the same queries on both sides: every one that counts has a partner
    same = (counted == ~np.isnan(paired)).all() and counted.sum() == (~np.isnan(originals)).sum()
    shape = (len(mean), len(reproduced))
    if same:
        differences = np.moveaxis(values - paired, 1, 0).reshape(len(place), -1)
        rmse = np.sqrt(np.nanmean(differences**2, axis=0)).reshape(shape)
        p_value = student_test(*describe(differences))[1].reshape(shape)
    else:
        rmse = np.full(shape, np.nan)
        p_value = np.asarray(
            stats.ttest_ind(values, originals, axis=1, nan_policy="omit").pvalue, dtype=np.float64
        )
    run, measure = np.divmod(np.arange(rmse.size), len(mean))
    columns = {
        "n": counted.sum(axis=1),
        "original": mean_there[:, original],
        "mean": mean[:, reproduced],
        "rmse": rmse,
        "p_value": p_value,
        "effect_ratio": share(gain, gain_there, np.nan),
        "delta_ri": relative_there - relative,
    }
    return described_frame(
        {
            **run_columns(new.runs, reproduced[run]),
            "measure": labels(pd.Index(new.measures), measure),
            **{name: column[measure, run] for name, column in columns.items()},
        },
        {**judged.attrs, "baseline": None if baseline is None else str(baseline)},
    )


def _ranked(judged: Judged, runs: np.ndarray, queries: pd.Index) -> tuple[pd.DataFrame, Any]:
    """Return the rows of the lists of these runs and queries, and the ids of their items.

    A row has the number of its list, its item, its rank, and the first and last rank of its group of tied items.
    """
    table, _ = judged.tables
    rules = judged.positions.rules
    first = top(table, rules.get("depth"), ties=rules["ties"], compat=rules["compat"])
    lists = first.lists
    known = pd.MultiIndex.from_frame(judged.runs)
    place = known.get_indexer(pd.MultiIndex.from_frame(lists.runs[list(judged.runs.columns)]))
    number = np.full(len(known) + 1, -1)
    number[runs] = np.arange(len(runs))
    pair = number[place][lists.run]
    query = queries.get_indexer(lists.queries.index())[lists.query]
    of_list = np.where((pair >= 0) & (query >= 0), pair * len(queries) + query, -1)
    # a group of ties begins with a list, or with another score
    begins = np.diff(first.own, prepend=-1) != 0
    if "score" in table and rules["ties"] != "rank":
        score = table.column("score").to_numpy(dtype=np.float64)[first.row]
        begins |= np.diff(score, prepend=np.nan) != 0
    else:
        begins[:] = True
    group = np.cumsum(begins) - 1
    start = first.rank[np.flatnonzero(begins)][group].astype(np.float64)
    kept = of_list[first.own] >= 0
    docs, doc = column_ids(table.column("doc"), "doc").take(first.row[kept]).unique()
    return pd.DataFrame(
        {
            "list": of_list[first.own][kept],
            "doc": doc.astype(np.int64),
            "rank": first.rank[kept].astype(np.float64),
            "start": start[kept],
            "end": (start + np.bincount(group)[group] - 1)[kept],
        }
    ), docs


def _orders(
    judged: Judged,
    other: Judged,
    reproduced: np.ndarray,
    original: np.ndarray,
    p: float,
    ties: Ties,
    union: str,
) -> pd.DataFrame:
    """Return the table of reproduced rankings, of the queries that both sides count."""
    counted = judged.queries[np.flatnonzero(judged.counted().sum(axis=1))]
    common = counted[counted.isin(other.queries[np.flatnonzero(other.counted().sum(axis=1))])]
    if not len(common):
        raise ValueError(
            "the original runs have no query of these runs, so no rankings can be compared. Use per='run'."
        )
    new, docs = _ranked(judged, reproduced, common)
    old, docs_there = _ranked(other, original, common)
    # one code per item for both sides
    place = docs.probe(docs_there)
    place = np.where(place >= 0, place, len(docs_there) + np.arange(len(docs)))
    new["doc"] = place[new["doc"]]
    # the items of both sides, sorted by list and item; infinity if a side lacks the item
    both = old.merge(new, on=["list", "doc"], how="outer", suffixes=("", "_new")).fillna(np.inf)
    ids = np.concatenate([docs_there.index(), docs.index()]).astype(str)
    # inverse permutation
    both["order"] = np.argsort(np.argsort(ids, kind="stable"))[both["doc"]]
    columns = both.drop(columns=["list", "doc"]).to_numpy(np.float64).T
    number = both["list"].to_numpy()
    n_lists = len(reproduced) * len(common)
    starts = np.searchsorted(number, np.arange(n_lists + 1))
    values = np.full((3, n_lists), np.nan)
    # lists whose items fill a block
    step = max(CELLS // max(int(np.diff(starts).max(initial=1)), 1), 1)
    for begin in range(0, n_lists, step):
        block = slice(begin, min(begin + step, n_lists))
        rows = slice(starts[block.start], starts[block.stop])
        width = int(np.diff(starts[block.start : block.stop + 1]).max(initial=1))
        cells = np.full((len(columns), width, block.stop - block.start), np.inf)
        slot = np.arange(rows.start, rows.stop) - starts[number[rows]]
        cells[:, slot, number[rows] - block.start] = columns[:, rows]
        rank, start, end, rank_new, start_new, end_new, by_id = cells
        values[0, block] = tau_union(*_sequences(rank, rank_new, by_id if union == "id" else None))
        values[1:, block] = rank_biased_overlap(start, end, start_new, end_new, p=p, ties=ties)
    answered = np.isin(np.arange(n_lists), old["list"]) & np.isin(np.arange(n_lists), new["list"])
    cell = np.flatnonzero(answered)
    run, query = np.divmod(cell, len(common))
    tau, rbo, residual = values[:, cell]
    return described_frame(
        {
            **run_columns(judged.runs, reproduced[run]),
            str(judged.queries.name): labels(common, query),
            "tau_union": tau,
            "rbo": rbo,
            "rbo_residual": residual,
        },
        judged.attrs,
    )


def _sequences(
    original: np.ndarray, reproduced: np.ndarray, by_id: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    """Return the places of both rankings in their union, rank by rank; NaN below the end of the shorter one."""
    # the original ranking, then the other items in the order of the reproduced one
    length = np.where(np.isfinite(original), original, 0.0).max(axis=0)
    union = (
        np.where(np.isfinite(original), original, length + reproduced) if by_id is None else by_id
    )
    sequences = []
    for rank in (original, reproduced):
        order = np.argsort(rank, axis=0, kind="stable")
        present = np.isfinite(np.take_along_axis(rank, order, axis=0))
        sequences.append(np.where(present, np.take_along_axis(union, order, axis=0), np.nan))
    return sequences[0], sequences[1]


table(
    "changes",
    "run snapshot measure n:int mean:float change:float relative_change:float ci_low:float ci_high:float loss_rank:int",
    "table of changes over snapshots",
    recognized_by="snapshot change relative_change loss_rank",
    row="run, snapshot and measure",
    sort="run",
    means={
        "snapshot": "the snapshot of the collection",
        "n": "number of queries of the snapshot",
        "mean": "mean over these queries",
        "change": "mean minus that of the first snapshot",
        "relative_change": "change divided by the mean of the first snapshot",
        "ci_low": "lower end of the confidence interval of the change",
        "ci_high": "upper end of the confidence interval of the change",
        "loss_rank": "rank of the run by its loss from the first snapshot, 1 for the largest loss",
    },
    no_report="it has one row per run, snapshot and measure; pivot it",
    no_plot="it has one row per run, snapshot and measure; use the line plot of pandas",
)


def changes(snapshots: Mapping[Any, pd.DataFrame], *, confidence: float = 0.95) -> pd.DataFrame:
    """Return how the means of runs change from the first of several snapshots of a collection.

    Queries of a snapshot are matched with those of the first one: if all are the same, the interval is that of the
    paired differences, otherwise Welch's interval of two samples.

    Parameters
    ----------
    snapshots : mapping of snapshot to DataFrame
        Scores of the same runs on each snapshot, in order of time.
    confidence : float, default 0.95
        Confidence level of the intervals.

    Examples
    --------
    >>> first = pd.DataFrame({"run": "a", "query_id": ["1", "2", "3"], "measure": "AP", "value": [0.5, 0.6, 0.7]})
    >>> later = first.assign(value=[0.4, 0.5, 0.3])
    >>> changes({"2022": first, "2023": later}).round(3).iloc[:, :7]
      run snapshot measure  n  mean  change  relative_change
    0   a     2022      AP  3   0.6     0.0            0.000
    1   a     2023      AP  3   0.4    -0.2           -0.333
    """
    if not isinstance(snapshots, Mapping):
        raise TypeError(
            f"snapshots={short_repr(snapshots)}: pass a mapping of each snapshot to its scores, in order of time."
        )
    if len(snapshots) < 2:
        raise ValueError(f"{len(snapshots)} snapshot: pass the scores of at least two.")
    cubes = {name: scores_cube(read(frame, "scores")) for name, frame in snapshots.items()}
    base, *_ = cubes.values()
    result = pd.concat(
        [_change(name, cube, base, confidence) for name, cube in cubes.items()], ignore_index=True
    )
    names = [str(name) for name in base.runs.columns]
    # rank 1 for the largest loss, of measures where less is better the largest gain
    loss = np.where(result.pop("higher"), 1.0, -1.0) * result["relative_change"]
    result["loss_rank"] = (
        loss.groupby([result["snapshot"], result["measure"]]).rank(method="min").astype(np.int64)
    )
    result = result.sort_values([*names, "measure"], kind="stable", ignore_index=True)
    return described_frame(dict(result.items()), {"run_columns": names})


def _change(name: object, cube: Scores, base: Scores, confidence: float) -> pd.DataFrame:
    """Return the change of each run and measure from the first snapshot."""
    runs = pd.Index(run_labels(cube.runs)).get_indexer(pd.Index(run_labels(base.runs)))
    measures = pd.Index(cube.measures).get_indexer(pd.Index(base.measures))
    if (runs < 0).any() or (measures < 0).any():
        raise ValueError(
            f"snapshot {name!r} does not have all runs and measures of the first snapshot. Pass the same in each."
        )
    values = cube.values[measures][:, :, runs]
    query = base.queries.get_indexer(cube.queries)
    same = len(cube.queries) == len(base.queries) and (query >= 0).all()
    shape = values.shape[0] * values.shape[2]
    new, old = (np.moveaxis(array, 1, 0).reshape(-1, shape) for array in (values, base.values))
    n, mean, sd = describe(new)
    n_base, mean_base, sd_base = describe(old)
    if same:
        n_pair, change, sd_pair = describe(new - old[query])
        error, freedom = sd_pair / np.sqrt(n_pair), n_pair - 1.0
    else:
        change = mean - mean_base
        parts = sd**2 / n, sd_base**2 / n_base
        error = np.sqrt(parts[0] + parts[1])
        freedom = error**4 / (parts[0] ** 2 / (n - 1) + parts[1] ** 2 / (n_base - 1))
    half = special.stdtrit(freedom, (1 + confidence) / 2) * error
    measure, run = np.divmod(np.arange(shape), values.shape[2])
    return pd.DataFrame(
        {
            **run_columns(base.runs, run),
            "snapshot": name,
            "measure": labels(pd.Index(base.measures), measure),
            "n": n.astype(np.int64),
            "mean": mean,
            "change": change,
            "relative_change": share(change, mean_base, np.nan),
            "ci_low": change - half,
            "ci_high": change + half,
            "higher": base.higher[measure],
        }
    )


def metadata_differences(original: pd.DataFrame, reproduced: pd.DataFrame) -> pd.DataFrame:
    """Return the ir_metadata of original and reproduced runs side by side, one row per run and key.

    Parameters
    ----------
    original, reproduced : DataFrame
        Metadata of the runs, as `pdeval.read_runs(folder, metadata=True)` returns it: `run`, and one column per key.

    Examples
    --------
    >>> original = pd.DataFrame({"run": ["a"], "platform.os": ["Ubuntu"], "method.automatic": [True]})
    >>> reproduced = pd.DataFrame({"run": ["a"], "platform.os": ["Debian"], "method.automatic": [True]})
    >>> metadata_differences(original, reproduced)
      run               key original reproduced   same
    0   a  method.automatic     True       True   True
    1   a       platform.os   Ubuntu     Debian  False
    """
    sides = []
    for name, frame in (("original", original), ("reproduced", reproduced)):
        if not isinstance(frame, pd.DataFrame):
            raise TypeError(not_a_table(frame, f"{name}=, the metadata of runs"))
        if "run" not in frame.columns:
            raise KeyError(
                f"the metadata of the {name} runs has no column 'run'; it has {listed(frame.columns)}."
            )
        long = frame.astype(object).melt(id_vars="run", var_name="key", value_name=name)
        sides.append(long.dropna(subset=[name]))
    both = sides[0].merge(sides[1], on=["run", "key"], how="outer")
    both = both.sort_values(["run", "key"], ignore_index=True)
    return both.assign(same=both["original"] == both["reproduced"])
