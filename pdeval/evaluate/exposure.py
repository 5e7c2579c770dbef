"""Exposure of items and groups of items: expected exposure of stochastic rankings, AWRF, and fractions of exposure."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple, Self

import numpy as np
import pandas as pd

from pdeval.catalog import Measure, described, parse_all
from pdeval.evaluate.cube import Scores, described_frame, run_columns, scores_cube
from pdeval.evaluate.cube_sources import systems_of
from pdeval.evaluate.groups import once_for_groups
from pdeval.evaluate.scores import scores
from pdeval.join import Ids, Judged, column_ids, same_type, top
from pdeval.kernels.exposure import (
    UserModel,
    attention,
    expeval_bounds,
    expeval_group_bounds,
    rank_exposure,
    target_exposure,
)
from pdeval.kernels.primitives import share
from pdeval.tables import ItemTable, Spans, Table, labels, numbers, query_column, read_items, table
from pdeval.verbs import verb

CELLS = 1 << 21  # items x topics x systems of a block
Sample = str | Sequence[str] | None
Weight = Callable[[np.ndarray, np.ndarray], np.ndarray]
Target = Literal["uniform", "relevant", "catalog"] | Mapping[str, float] | pd.DataFrame

table(
    "exposure_shares",
    "run group exposure:fraction relevant:fraction catalog:fraction",
    "table of exposure by group",
    row="run and group of items",
    sort="run group",
    then=".report()",
    means={
        "group": "the group of items: a provider, a genre",
        "exposure": "fraction of the exposure that items of the group get, the mean over queries",
        "relevant": "fraction of the relevant items that belong to the group, the mean over queries",
        "catalog": "fraction of all items of the table of groups that belong to the group",
    },
    no_plot="bars of one row per group; use the bar plot of pandas",
)


class Block(NamedTuple):
    """Consecutive topics: arrays of shape (items, topics, systems), or (items, topics) of items."""

    topics: slice
    exposure: np.ndarray
    place: np.ndarray  # of the item among all items, or -1 for padding


@dataclass(frozen=True, eq=False)
class Listing:
    """All items that systems ranked or that are judged, topic by topic, and the rows of the rankings.

    Parameters
    ----------
    judged : Judged
        The join.
    systems : DataFrame
        One row per system; its runs are samples of its rankings.
    topic, doc : ndarray of shape (items,)
        Topic of each item, ascending, and its place in `docs`.
    judgment : ndarray of shape (items,)
        Place of the item in the judgments, or -1.
    row_item, row_run, row_rank : ndarray of shape (rows,)
        Item, run and rank of each row, sorted by item and run.
    """

    judged: Judged
    systems: pd.DataFrame
    system: np.ndarray
    docs: Any
    topic: np.ndarray
    doc: np.ndarray
    judgment: np.ndarray
    row_item: np.ndarray
    row_run: np.ndarray
    row_rank: np.ndarray

    @cached_property
    def grade(self) -> np.ndarray:
        """The grade of each item; NaN if it is unjudged."""
        grade = self.judged.positions.judged.grade
        # the place -1, of unjudged items, selects the last entry
        known = np.append(grade, np.nan)[self.judgment]
        return np.where(known >= 0, known, np.nan)

    @cached_property
    def relevant(self) -> np.ndarray:
        """Which items are relevant at the level."""
        return np.append(self.judged.positions.relevant(self.judged.level), False)[self.judgment]

    @cached_property
    def samples(self) -> np.ndarray:
        """The number of rankings of each system, (topics, systems)."""
        return self.of_systems(self.judged.positions.answered)

    def of_systems(self, values: np.ndarray) -> np.ndarray:
        """Return the sums over the rankings of each system, (topics, systems), of values of runs."""
        return values.astype(np.float64) @ np.eye(len(self.systems))[self.system]

    @cached_property
    def relevant_above(self) -> np.ndarray:
        """For each row, the number of relevant items above it in its list."""
        topic = self.topic[self.row_item]
        # by list, and by rank in a list: lexsort takes the primary key last
        order = np.lexsort((self.row_rank, self.row_run, topic))
        counts = self.relevant[self.row_item[order]]
        before = np.cumsum(counts) - counts
        list_of_row = (topic * len(self.system) + self.row_run)[order]
        begins = np.diff(list_of_row, prepend=-1) != 0
        first = np.maximum.accumulate(np.where(begins, np.arange(len(order)), 0))
        above = np.empty(len(order))
        above[order] = before - before[first]  # minus the items of the lists before
        return above

    def blocks(self, weight: Weight) -> Iterator[Block]:
        """Yield the mean exposure of items over the rankings of each system, by blocks of topics."""
        n_topics, n_systems = self.samples.shape
        # items are sorted by topic and rows by item: the items, and the rows, of a topic are adjacent
        starts = np.searchsorted(self.topic, np.arange(n_topics + 1))
        rows = np.searchsorted(self.row_item, starts)
        values = weight(self.row_rank, self.relevant_above)
        width = max(int(np.diff(starts).max(initial=1)), 1)
        step = max(CELLS // (width * n_systems), 1)
        for begin in range(0, n_topics, step):
            end = min(begin + step, n_topics)
            item = np.arange(starts[begin], starts[end])
            column = self.topic[item] - begin
            slot = item - starts[self.topic[item]]
            place = np.full((width, end - begin), -1)
            place[slot, column] = item
            row = slice(rows[begin], rows[end])
            local = self.row_item[row] - starts[begin]
            cell = (slot[local] * (end - begin) + column[local]) * n_systems
            cell = cell + self.system[self.row_run[row]]
            size = width * (end - begin) * n_systems
            # rows are sorted by item and run: the sum does not depend on the order of the caller's rows
            sums = np.bincount(cell, values[row], minlength=size).reshape(
                width, end - begin, n_systems
            )
            yield Block(slice(begin, end), share(sums, self.samples[begin:end]), place)

    def at(self, values: np.ndarray, block: Block) -> np.ndarray:
        """Return values of items for a block, (items, topics, ...), 0 for padding."""
        padded = np.concatenate([values, np.zeros((1, *values.shape[1:]), dtype=values.dtype)])
        return padded[block.place]


def listing(judged: Judged, sample: Sample) -> Listing:
    """Return the items and the rankings of a join; the runs that differ in `sample` only are one system's rankings."""
    runs, _ = judged.tables
    at = judged.positions
    if at.rules.get("judged_only"):
        raise ValueError(
            "exposure needs all items of a list, but judged_only=True removes unjudged items. Omit it."
        )
    rules = {"depth": at.rules.get("depth"), "ties": at.rules["ties"], "compat": at.rules["compat"]}

    def ranked() -> tuple[Any, Ids, np.ndarray]:
        first = top(runs, **rules)
        return first, *column_ids(runs.column("doc"), "doc").take(first.row).unique()

    # parts of a join have the same run table
    first, docs, doc = once_for_groups((id(runs), *rules.values()), ranked)
    lists = first.lists
    topic = lists.queries.probe(at.judged.queries)[lists.query].astype(np.int64)
    # the runs of this part of the join, by their ids
    known = pd.MultiIndex.from_frame(at.runs)
    run = known.get_indexer(pd.MultiIndex.from_frame(lists.runs[list(at.runs.columns)]))[lists.run]
    kept = np.flatnonzero((topic >= 0) & (run >= 0))
    rows = Spans.of(first.own, kept, kept + 1)  # rows are sorted by list
    topic, run = np.repeat(topic[kept], rows.size), np.repeat(run[kept], rows.size)
    doc, rank = doc[rows.rows], first.rank[rows.rows]
    # (topic, doc) as one integer; judged items that no run has follow
    judged_doc = at.judged.docs.probe(docs)[at.judged.doc].astype(np.int64)
    unlisted = judged_doc < 0
    judged_doc[unlisted] = len(docs) + np.arange(np.count_nonzero(unlisted))
    width = len(docs) + np.count_nonzero(unlisted)
    judged_key = at.judged.topic.astype(np.int64) * width + judged_doc
    row_key = topic * width + doc
    keys, place = np.unique(np.concatenate([row_key, judged_key]), return_inverse=True)
    judgment = np.full(len(keys), -1)
    judgment[place[len(row_key) :]] = np.arange(len(judged_key))
    # judged items come first in a topic: the order of sums does not depend on runs of other groups
    first_judged = np.lexsort((judgment, judgment < 0, keys // width))
    keys, judgment = keys[first_judged], judgment[first_judged]
    place = np.argsort(first_judged)[place]
    names = [sample] if isinstance(sample, str) else list(sample or ())
    if sample is None:  # each run is one ranking, unless there is this column
        names = [name for name in ("sample",) if name in at.runs.columns]
    systems, system = systems_of(at.runs, names) if names else (at.runs, np.arange(len(at.runs)))
    if not len(systems.columns):
        systems = pd.DataFrame({"run": ["run"]})
    order = np.lexsort((run, place[: len(row_key)]))
    return Listing(
        judged,
        systems,
        system,
        docs,
        keys // width,
        keys % width,
        judgment,
        place[: len(row_key)][order],
        run[order],
        rank[order],
    )


class Groups(NamedTuple):
    """The groups of items: `member` of shape (items, groups), 1 if the item belongs to the group.

    `catalog` has the rows of all items of the caller's table, `member` those of a listing.
    """

    names: list[str]
    catalog: np.ndarray
    member: np.ndarray

    @classmethod
    def of(cls, groups: object, listing: Listing) -> Self:
        """Return the groups of the items of a listing; an item that the table does not have belongs to none."""
        table = read_items(groups)
        others = [name for name in table.rows.columns if name != table.doc]
        if "feature" not in table.binding and len(others) == 1:
            table = ItemTable(
                table.frame, table.doc, table.rows, {**table.binding, "feature": others[0]}
            )
        values, names = table.features()
        catalog = (values != 0) * 1.0
        ids = column_ids(table.ids, "groups' doc")
        same_type("doc", listing.docs, ids, "the run table", "the table of groups")
        judgments = listing.judged.positions.judged
        padded = np.concatenate([catalog, np.zeros((1, len(names)))])
        # ranked items by their id, judged items by theirs; the place -1 selects the last row, of no group
        ranked = np.append(listing.docs.probe(ids), -1)
        place = ranked[np.minimum(listing.doc, len(ranked) - 1)]
        from_judgments = np.append(judgments.docs.probe(ids)[judgments.doc], -1)[listing.judgment]
        member = padded[np.where(listing.judgment >= 0, from_judgments, place)]
        if not member.any():
            raise ValueError(
                f"no item of the runs or the judgments is in the table of groups, which has {table.ids.iloc[0]!r}. "
                "Use the same ids in both tables."
            )
        return cls(names, catalog, member)

    @property
    def shares(self) -> np.ndarray:
        """The membership of items, divided among the groups of an item."""
        return share(self.member, self.member.sum(axis=1, keepdims=True))

    def exposure(self, listing: Listing, block: Block, weight: np.ndarray) -> np.ndarray:
        """Return the exposure of groups, (groups, topics, systems); `weight` (items, groups) is the membership."""
        # m: items, t: topics, s: systems, g: groups
        return np.einsum("mts,mtg->gts", block.exposure, listing.at(weight, block), optimize=True)


@verb(
    on="judged",
    returns="scores",
    needs="judged",
    other_names={"expeval": "expected_exposure(qrels)"},
)
def expected_exposure(
    judged: Judged,
    measures: object = ("EE-L", "EE-D", "EE-R"),
    *,
    sample: str | Sequence[str] | None = None,
    model: UserModel = "gerr",
    patience: float = 0.5,
    utility: float = 0.5,
    groups: object = None,
    complete: bool = True,
    normalize: Literal["expeval"] | None = None,
) -> pd.DataFrame:
    """Return the expected exposure loss, disparity and relevance of stochastic rankings on every query.

    The exposure of an item is the mean over the rankings of a system. The target gives items of one grade an equal
    share of what an ideal ranking gives them. An unanswered query has the largest disparity, no relevance, and the loss
    of items that are not exposed.

    Parameters
    ----------
    measures : str, Measure, or list of them
        "EE-L", "EE-D" and "EE-R", by default all three.
    sample : str or list of str, optional
        Id column(s) of the runs that distinguish the rankings of a system, as in
        `df.ireval(run=["run", "sample"])`. By default the column `sample`; without it each run is one ranking.
    model : {'gerr', 'rbp'}
        Model of users: the exposure of rank i is patience^(i - 1); with "gerr" times (1 - utility)^(relevant items
        above it).
    patience : float, default 0.5
        Probability of looking at the next item, below 1.
    utility : float, default 0.5
        Probability of stopping at a relevant item, for "gerr".
    groups : DataFrame or bound accessor, optional
        Table of items and their groups. The exposure of the relevant items of a group is then added up, and the
        measures compare groups. An item in several groups counts in each.
    complete : bool, default True
        Whether judged items of grade 0 have a target, too, as with the option -C of expeval. Otherwise only relevant
        items have one. Unjudged items have the target 0.
    normalize : {'expeval'}, optional
        Whether values are normalized to 0 to 1 by the bounds of expeval. If its bounds are equal, EE-R is 1 and
        EE-D is 0: for EE-R with one positive grade or with groups, and for EE-D with groups under "rbp".

    Examples
    --------
    >>> runs = pd.DataFrame({
    ...     "run": "pl", "sample": [1, 1, 1, 2, 2, 2], "query_id": "q", "doc_id": list("abcbac"), "rank": [1, 2, 3] * 2,
    ... })
    >>> qrels = pd.DataFrame({"query_id": "q", "doc_id": list("abc"), "relevance": [1, 1, 0]})
    >>> runs.ireval(run=["run", "sample"]).expected_exposure(qrels, model="rbp")
      run query_id measure   value
    0  pl        q    EE-L  0.0000
    1  pl        q    EE-D  1.1875
    2  pl        q    EE-R  1.1875
    """
    requested = _requested(measures, ("EE-L", "EE-D", "EE-R"))
    if not 0 <= patience < 1 or not 0 <= utility <= 1:
        raise ValueError(
            f"patience={patience!r} must be from 0 to below 1, and utility={utility!r} from 0 to 1."
        )
    items = listing(judged, sample)
    targeted, target, levels = _targets(items, model, patience, utility, complete)
    grouped = None if groups is None else Groups.of(groups, items)

    def weight(rank: np.ndarray, above: np.ndarray) -> np.ndarray:
        return rank_exposure(rank, above, model, patience, utility)

    values = np.empty((len(requested), *items.samples.shape))
    for block in items.blocks(weight):
        aim = items.at(target, block)[:, :, None]
        exposure = block.exposure
        n_items = items.at(targeted, block).sum(axis=0)[:, None].astype(np.float64)
        if grouped is None:
            size = n_items if complete else np.full(n_items.shape, np.inf)
            bounds = expeval_bounds(aim, size, levels[block.topics, None], model, patience, utility)
        else:
            counted = grouped.member * targeted[:, None]
            exposure = grouped.exposure(items, block, counted)
            # sums over the items m of each group g; t: topics
            aim = np.einsum("mti,mtg->gti", aim, items.at(counted, block))
            there = (items.at(counted, block).sum(axis=0) > 0).T[:, :, None]
            relevants = items.at(items.relevant, block).sum(axis=0)[:, None].astype(np.float64)
            bounds = expeval_group_bounds(aim, relevants, there, model, patience, utility)
        columns = {"exposure": exposure, "target": aim}
        answered = items.samples[block.topics] > 0
        worst = {"EE-D": bounds["EE-D"][1], "EE-R": bounds["EE-R"][0], "EE-L": bounds["EE-R"][1]}
        if not normalize:  # expeval takes a bound of EE-R that is 0 for some targets
            worst["EE-L"] = (aim**2).sum(axis=0)
        for number, one in enumerate(requested):
            value = one.entry.kernel(*(columns[name] for name in one.entry.columns))
            value = np.where(answered, value, worst[one.entry.name])
            if normalize:
                low, high = bounds[one.entry.name]
                value = share(value - low, high - low, 1.0 if one.entry.name == "EE-R" else 0.0)
            values[number, block.topics] = value
    return _frame(items, requested, values)


def _requested(measures: object, offered: tuple[str, ...]) -> list[Measure]:
    """Return the requested measures; raise if one is not offered."""
    requested = parse_all(measures)
    for one in requested:
        if one.entry.name not in offered:
            raise ValueError(
                f"{one.label} is not one of the measures of this verb: {', '.join(offered)}."
            )
    return requested


def _targets(
    items: Listing, model: UserModel, patience: float, utility: float, complete: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return which items have a target exposure, that exposure, and the number of their grades in each topic."""
    targeted = items.grade >= 0 if complete else items.relevant
    place = np.flatnonzero(targeted)
    place = place[np.lexsort((-items.grade[place], items.topic[place]))]
    topic, grade = items.topic[place], items.grade[place]
    # a level: items of one topic and one grade; a topic begins a level
    begins_topic = np.diff(topic, prepend=-1) != 0
    begins = begins_topic | (np.diff(grade, prepend=np.nan) != 0)
    level = np.cumsum(begins) - 1
    first = np.flatnonzero(begins)
    same = np.diff(first, append=len(place))[level]
    start = np.flatnonzero(begins_topic)[np.cumsum(begins_topic) - 1]
    above = first[level] - start
    target = np.zeros(len(items.topic))
    target[place] = target_exposure(above, same, items.relevant[place], model, patience, utility)
    return targeted, target, np.bincount(topic[first], minlength=len(items.samples))


def _frame(items: Listing, measures: list[Measure], values: np.ndarray) -> pd.DataFrame:
    """Return the scores of systems, of the queries that count."""
    judged = items.judged
    counts = judged.counted()
    judged.check_counted(counts)
    judged.warn_of_missing_queries()
    counted = items.of_systems(counts) > 0
    return Scores(
        items.systems,
        judged.queries,
        tuple(one.label for one in measures),
        np.where(counted, values, np.nan),
        np.array([one.higher for one in measures]),
        {
            **judged.attrs,
            "run_columns": list(map(str, items.systems.columns)),
            "measures": described(measures),
        },
    ).frame()


@verb(on="judged", returns="scores", needs="judged")
def awrf(
    judged: Judged,
    groups: object,
    measures: object = ("AWRF", "AWRF*nDCG"),
    *,
    target: Target = "relevant",
    sample: str | Sequence[str] | None = None,
) -> pd.DataFrame:
    """Return the attention-weighted rank fairness of every run on every query.

    The attention of a rank is 1 / log2(max(rank, 2)). It is added up by group and normalized to sum to 1. An item in
    several groups divides its attention among them; items without a group do not count. An unanswered query gets 0.

    Parameters
    ----------
    groups : DataFrame or bound accessor
        Table of items and their groups, one row per item and group, or several groups in a cell, separated by "|".
    measures : str, Measure, or list of them
        "AWRF" and "AWRF*nDCG", by default both.
    target : {'relevant', 'uniform', 'catalog'}, mapping of group to fraction, or DataFrame
        Target distribution: that of the relevant items of the query; equal fractions; that of all items of the table
        of groups; or given fractions, which sum to 1: of all queries, or a table of query, group, fraction.
    sample : str or list of str, optional
        Id column(s) of the runs that distinguish the rankings of a system, whose attention is averaged. By default the
        column `sample`; without it each run is one ranking.

    Examples
    --------
    >>> runs = pd.DataFrame({"run": "a", "query_id": "q", "doc_id": list("wxyz"), "rank": [1, 2, 3, 4]})
    >>> qrels = pd.DataFrame({"query_id": "q", "doc_id": ["w"], "relevance": [1]})
    >>> groups = pd.DataFrame({"doc_id": list("wxyz"), "gender": ["f", "m", "m", "m"]})
    >>> runs.ireval.awrf(qrels, groups, target={"f": 0.5, "m": 0.5}).round(4)
      run query_id    measure   value
    0   a        q       AWRF  0.9755
    1   a        q  AWRF*nDCG  0.9755
    """
    requested = _requested(measures, ("AWRF", "AWRF*nDCG"))
    items = listing(judged, sample)
    of_items = Groups.of(groups, items)
    ndcg = np.zeros(items.samples.shape)
    if any("ndcg" in one.entry.columns for one in requested):
        cube = scores(judged, "nDCG", warn=False)
        known = judged.queries.get_indexer(
            cube.queries
        )  # queries that count for no run have no row
        ndcg[known] = items.of_systems(np.nan_to_num(cube.values[0])) / np.bincount(items.system)
    values = np.empty((len(requested), *items.samples.shape))
    for topics, exposure, aim in _by_group(items, of_items, target):
        columns = {"exposure": exposure, "target": aim, "ndcg": ndcg[topics]}
        for number, one in enumerate(requested):
            values[number, topics] = one.entry.kernel(
                *(columns[name] for name in one.entry.columns)
            )
    return _frame(items, requested, values)


def _by_group(
    items: Listing, groups: Groups, target: Target
) -> Iterator[tuple[slice, np.ndarray, np.ndarray]]:
    """Yield topics, the attention of their groups, (groups, topics, systems), and the target, (groups, topics, 1)."""
    shares = groups.shares
    by_relevance = isinstance(target, str) and target == "relevant"
    fixed = None if by_relevance else _fixed_target(items, groups, target)
    for block in items.blocks(lambda rank, above: attention(rank)):
        if fixed is None:
            aim = items.at(shares * items.relevant[:, None], block).sum(axis=0).T[:, :, None]
        else:
            aim = np.broadcast_to(fixed, (len(fixed), len(items.samples)))[:, block.topics, None]
        yield block.topics, groups.exposure(items, block, shares), aim


def _fixed_target(items: Listing, groups: Groups, target: Target) -> np.ndarray:
    """Return the target fractions of the groups, of shape (groups, 1), or (groups, topics) if given by query."""
    if isinstance(target, str) and target == "uniform":
        return np.full((len(groups.names), 1), 1.0 / len(groups.names))
    if isinstance(target, str) and target == "catalog":
        members = share(groups.catalog, groups.catalog.sum(axis=1, keepdims=True)).sum(axis=0)
        return (members / members.sum())[:, None]
    queries, fixed = items.judged.queries, isinstance(target, Mapping)
    if isinstance(target, Mapping):
        target, queries = pd.DataFrame(target, index=[0]).astype(np.float64), pd.RangeIndex(1)
    elif isinstance(target, pd.DataFrame):
        target = _by_query(target, queries)
    else:
        raise ValueError(
            f"target={target!r}: choose 'relevant', 'uniform', 'catalog', a mapping of group to fraction, or a table."
        )
    if unknown := [name for name in target if name not in groups.names]:
        raise KeyError(
            f"target= has the group {unknown[0]!r}, which no item has; the groups are "
            f"{', '.join(map(repr, groups.names[:5]))}."
        )
    fractions = target.reindex(index=queries, columns=groups.names, fill_value=0.0).to_numpy().T
    wrong = np.flatnonzero((fractions < 0).any(axis=0) | ~np.isclose(fractions.sum(axis=0), 1.0))
    if len(wrong):
        where = "" if fixed else f" for query {queries.tolist()[wrong[0]]!r}"
        raise ValueError(
            f"the fractions of target= sum to {fractions[:, wrong[0]].sum():g}{where}. They must be 0 or more and sum "
            f"to 1{'' if fixed else ' for every query'}."
        )
    return fractions


def _by_query(target: pd.DataFrame, queries: pd.Index) -> pd.DataFrame:
    """Return the fractions of a table of query, group and fraction, with a row per query and a column per group."""
    query = str(query_column(target, {"query": queries.name} if queries.name in target else {}))
    if absent := [name for name in ("group", "fraction") if name not in target]:
        raise ValueError(
            f"target= has no column {absent[0]!r}; it has {', '.join(map(str, target.columns))}. Pass a table of "
            "query, group and fraction."
        )
    if target.duplicated([query, "group"]).any():
        raise ValueError("target= has several fractions of a query and group. Keep one of each.")
    target = target.assign(fraction=numbers(target["fraction"], "fraction"))
    return target.pivot(index=query, columns="group", values="fraction").fillna(0.0)


@verb(on="judged", returns="exposure_shares", needs="judged")
def exposure_shares(
    judged: Judged, groups: object, *, sample: str | Sequence[str] | None = None
) -> pd.DataFrame:
    """Return the fraction of exposure of each group of items, compared with its relevant items and with the catalog.

    Exposure is the attention of `awrf`. For recommenders, groups are providers or genres.

    Parameters
    ----------
    groups : DataFrame or bound accessor
        Table of items and their groups, with all items of the catalog.
    sample : str or list of str, optional
        Id column(s) of the runs that distinguish the rankings of a system, as in `awrf`.

    Examples
    --------
    >>> runs = pd.DataFrame({"run": "a", "user_id": "u", "item_id": list("wxyz"), "rank": [1, 2, 3, 4]})
    >>> clicks = pd.DataFrame({"user_id": "u", "item_id": ["w", "x"], "rating": [1, 1]})
    >>> groups = pd.DataFrame({"item_id": list("vwxyz"), "provider": ["s", "s", "t", "t", "t"]})
    >>> runs.ireval.exposure_shares(clicks, groups).round(3)
      run group  exposure  relevant  catalog
    0   a     s     0.319       0.5      0.4
    1   a     t     0.681       0.5      0.6
    """
    items = listing(judged, sample)
    of_items = Groups.of(groups, items)
    counted = (items.of_systems(judged.counted()) > 0) & (items.samples > 0)
    judged.check_counted(counted)
    shape = (len(of_items.names), len(items.systems))
    exposure, relevant = np.zeros(shape), np.zeros(shape)
    for topics, attention_of_group, aim in _by_group(items, of_items, "relevant"):
        counts = counted[topics]
        exposure += (share(attention_of_group, attention_of_group.sum(axis=0)) * counts).sum(axis=1)
        relevant += (share(aim, aim.sum(axis=0)) * counts).sum(axis=1)
    n_queries = np.maximum(counted.sum(axis=0), 1)
    system, group = np.divmod(np.arange(exposure.size), len(of_items.names))
    return described_frame(
        {
            **run_columns(items.systems, system),
            "group": labels(pd.Index(of_items.names), group),
            "exposure": (exposure / n_queries)[group, system],
            "relevant": (relevant / n_queries)[group, system],
            "catalog": _fixed_target(items, of_items, "catalog")[group, 0],
        },
        {**judged.attrs, "run_columns": list(map(str, items.systems.columns))},
    )


table(
    "exposure_tradeoff",
    "run disparity:float relevance:float area:float",
    "trade-off of exposure",
    recognized_by="disparity relevance area",
    row="run",
    then=".plot()",
    means={
        "disparity": "mean of EE-D over queries",
        "relevance": "mean of EE-R over queries",
        "area": "area under the curve of relevance against disparity of the runs that differ in the parameter only",
    },
    no_report="it is drawn; report the scores",
)


@verb(on="scores", returns="exposure_tradeoff")
def exposure_tradeoff(
    scores: Table, *, parameter: str | Sequence[str] | None = None
) -> pd.DataFrame:
    """Return the mean disparity and relevance of runs, and the area under the curve of each system.

    Parameters
    ----------
    parameter : str or list of str, optional
        Id column(s) that set how random a system's rankings are. The runs that differ in it only form a curve. By
        default all runs form one curve.

    Examples
    --------
    >>> scores = pd.DataFrame({
    ...     "run": ["a", "a", "b", "b"], "query_id": "q", "measure": ["EE-D", "EE-R"] * 2,
    ...     "value": [1.0, 0.5, 2.0, 0.7],
    ... })
    >>> scores.ireval.exposure_tradeoff()
      run  disparity  relevance  area
    0   a        1.0        0.5   0.6
    1   b        2.0        0.7   0.6
    """
    cube = scores_cube(scores)
    if missing := [name for name in ("EE-D", "EE-R") if name not in cube.measures]:
        raise ValueError(
            f"the scores have no measure {missing[0]!r}. Compute them with .ireval.expected_exposure(qrels)."
        )
    disparity, relevance = (
        np.nanmean(cube.values[cube.measures.index(name)], axis=0) for name in ("EE-D", "EE-R")
    )
    names = [parameter] if isinstance(parameter, str) else list(parameter or ())
    curve = systems_of(cube.runs, names)[1] if names else np.zeros(len(cube.runs), dtype=np.intp)
    order = np.lexsort((relevance, disparity, curve))
    # trapezoids between neighbors of a curve
    between = np.diff(curve[order]) == 0
    step = np.diff(disparity[order]) * (relevance[order][1:] + relevance[order][:-1]) / 2
    area = np.bincount(curve[order][1:][between], step[between], minlength=int(curve.max()) + 1)
    return described_frame(
        {
            **run_columns(cube.runs, order),
            "disparity": disparity[order],
            "relevance": relevance[order],
            "area": area[curve[order]],
        },
        {"run_columns": list(map(str, cube.runs.columns))},
    )
