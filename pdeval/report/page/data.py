"""What is behind the cells of one collection: values per query, pairs of systems, items; within a limit of size."""

from __future__ import annotations

import base64
import json
import math
import warnings
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from pdeval.catalog import Measure, parse
from pdeval.evaluate.cube import Scores, all_pairs
from pdeval.evaluate.item_contributions import Factors, RankedItems, factors, ranked_items, users
from pdeval.evaluate.sources import decided, sources
from pdeval.report import footnotes as footnote
from pdeval.report.means import per_query
from pdeval.report.origins import Origin
from pdeval.significance.test_result import direction
from pdeval.tables.equal_values import settled
from pdeval.tables.labels import run_labels

# what could end a script or begin a comment, and the two line ends that JSON allows and old scripts do not
_UNSAFE = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"}


def json_text(value: Any) -> str:
    r"""Return JSON that can stand inside a script element, whatever the texts in it.

    Examples
    --------
    >>> json_text(["</script>", 0.5])
    '["\\u003c/script\\u003e",0.5]'
    """
    return json.dumps(value, ensure_ascii=True, separators=(",", ":"), allow_nan=False).translate(_UNSAFE)


def packed(value: Any) -> str:
    """Return JSON, compressed, as text of letters and digits; the page unpacks it on use.

    Examples
    --------
    >>> import zlib, base64
    >>> zlib.decompress(base64.b64decode(packed([0, 0.5])))
    b'[0,0.5]'
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return base64.b64encode(zlib.compress(text.encode("utf-8", "surrogatepass"), 9)).decode("ascii")


def numbers(values: np.ndarray) -> list[Any]:
    """Return numbers as JSON holds them: every digit, null for what is missing, texts for what is infinite.

    Examples
    --------
    >>> numbers(np.array([0.1, 2.0, np.nan, np.inf]))
    [0.1, 2, None, 'inf']
    """
    return [_number(value) for value in np.asarray(values, dtype=float).ravel().tolist()]


def _number(value: float) -> float | int | str | None:
    if math.isnan(value):
        return None
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return int(value) if value.is_integer() and abs(value) < 2**53 else value


def rounded(values: np.ndarray, digits: int = 6) -> list[Any]:
    """Return numbers to so many significant digits.

    Examples
    --------
    >>> rounded(np.array([1 / 3, 0.0, np.nan]), 3)
    [0.333, 0, None]
    """
    return numbers(np.array([float(f"{value:.{digits}g}") for value in np.asarray(values, dtype=float).ravel()]))


PREFERENCE = "RPP"  # what a join is asked for beside the measures of the report
COLUMNS = ("difference", "p_value", "p_adjusted")
BLOCK = 2**20  # differences that are held at a time


@dataclass
class Pairings:
    """The pairs of systems by measure, as the page holds them; `said` are sentences on what they are and lack."""

    measures: list[dict[str, Any]] = field(default_factory=list)
    said: list[str] = field(default_factory=list)


def pairings(origin: Origin) -> Pairings:
    """Return all pairs of systems, each once, in the order (first, second), (first, third), ... of print.

    Examples
    --------
    >>> import pdeval
    >>> report = pdeval.datasets.sample_judged(topics="common").report(["AP"])
    >>> [one["label"] for one in pairings(report.origins[0]).measures]
    ['AP', 'RPP']
    """
    found = Pairings()
    table = origin.table
    if len(table.runs) < 2:
        found.said.append("There is one system: no pair to compare.")
        return found
    if origin.comparisons is not None:
        for label in table.measures:
            own = origin.comparisons[origin.comparisons["measure"].astype(str) == label]
            _add(found, origin, label, own, None, label)
        found.said.append("Pairs are those of the comparisons that the report was given.")
        return found
    if table.source is None:
        found.said.append("Pairs are not compared: the table has means alone, and no values per query.")
        return found
    for place, label in enumerate(table.measures):
        _compare(found, origin, table.only([place]).source, label, label)
    items = ranked_items(origin.held)
    # where systems are means over replicates, there are no preferences between them
    if items is not None and isinstance(table.source, Scores) and len(items.runs) == len(table.runs):
        with warnings.catch_warnings():  # the report has told of missing queries
            warnings.simplefilter("ignore", UserWarning)
            _compare(found, origin, sources(origin.held, PREFERENCE)[0], PREFERENCE, None)
    return found


def _compare(found: Pairings, origin: Origin, source: Any, label: str, measure: str | None) -> None:
    from pdeval.significance.compare import compare

    how = {name: value for name, value in origin.how.items() if value is not None}
    if measure is None:  # the preference has a test of its own
        how.pop("test", None)
    try:
        table = compare(source, **how, progress=False)
    except ValueError as error:
        found.said.append(f"{label}: pairs are not tested. {str(error)[:1].upper()}{str(error)[1:]}")
        table = None
    _add(found, origin, label, table, source, measure)


def _add(
    found: Pairings, origin: Origin, label: str, table: pd.DataFrame | None, source: Any, measure: str | None
) -> None:
    """Put the pairs of one measure into the order of print, turned where the comparison has them the other way."""
    runs = origin.table.runs
    size = len(runs)
    columns = {name: np.full(size * (size - 1) // 2, np.nan) for name in (*COLUMNS, "won", "lost", "n", "significant")}
    if table is not None and len(table):
        index = _index(runs)
        a, b = (index.get_indexer(_index(_side(table, runs, side))) for side in "ab")
        known = (a >= 0) & (b >= 0) & (a != b)
        at, sign = _pair_places(size, a[known], b[known])
        for name in (*COLUMNS, "n"):
            if name in table:
                columns[name][at] = table[name].to_numpy(dtype=float)[known] * (sign if name == "difference" else 1)
        if {"difference", "significant"} <= set(table.columns):
            columns["significant"][at] = (table["significant"].to_numpy(dtype=float) * direction(table))[known] * sign
    if source is not None:
        _count(columns, source, runs)
    if all(np.isnan(columns[name]).all() for name in ("difference", "won")):
        return
    how = "" if table is None else footnote.of_comparisons(table)
    known_p = int((~np.isnan(columns["p_adjusted"])).sum())
    found.measures.append(
        {
            "label": label,
            "measure": measure,
            "how": how,
            "tested": known_p,
            "data": packed(
                {
                    **{name: rounded(columns[name]) for name in COLUMNS},
                    **{name: rounded(columns[name], 9) for name in ("won", "lost", "n", "significant")},
                }
            ),
        }
    )


def _count(columns: dict[str, np.ndarray], source: Any, runs: pd.DataFrame) -> None:
    """Count the queries that each side of a pair wins, and fill in the difference where nothing was tested."""
    place = _index(runs).get_indexer(_index(source.runs[list(runs.columns)]))
    for a, b, better, worse, differences in _differences(source):
        at, sign = _pair_places(len(runs), place[a], place[b])
        columns["won"][at] = np.where(sign > 0, better, worse)
        columns["lost"][at] = np.where(sign > 0, worse, better)
        known = ~np.isnan(differences)
        columns["n"][at] = known.sum(axis=0)
        with np.errstate(invalid="ignore"):  # infinite differences of both signs have no mean
            mean = np.where(known, differences, 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
        untested = np.isnan(columns["difference"][at]) & np.isfinite(mean) & known.any(axis=0)
        columns["difference"][at[untested]] = (mean * sign)[untested]


def _differences(source: Any) -> Iterator[tuple[np.ndarray, ...]]:
    """Yield blocks of pairs: both runs, queries that the first wins and loses, differences (queries, pairs)."""
    if not isinstance(source, Scores):
        for part, values in decided(source, 0):
            yield source.a[part], source.b[part], (values > 0).sum(axis=0), (values < 0).sum(axis=0), values
        return
    values = settled(source.values[0] if source.higher[0] else 0.0 - source.values[0])
    first, second = all_pairs(len(source.runs))
    width = max(1, BLOCK // max(1, len(values)))
    for start in range(0, len(first), width):
        a, b = first[start : start + width], second[start : start + width]
        x, y = values[:, a], values[:, b]
        with np.errstate(invalid="ignore"):
            differences = np.where((x == y) & np.isinf(x), 0.0, x - y)  # two infinite values are equal
        yield a, b, (x > y).sum(axis=0), (x < y).sum(axis=0), differences


def _pair_places(size: int, a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the place of each pair among all pairs, and -1 where it is the other way round."""
    low, high = np.minimum(a, b), np.maximum(a, b)
    return low * (2 * size - low - 1) // 2 + high - low - 1, np.where(a < b, 1, -1)


def _index(runs: pd.DataFrame) -> pd.Index:
    return pd.Index(run_labels(runs)) if runs.shape[1] == 1 else pd.MultiIndex.from_frame(runs.astype(str))


def _side(table: pd.DataFrame, runs: pd.DataFrame, side: str) -> pd.DataFrame:
    """The columns that name one side of each pair, named as the columns of the runs."""
    own = table[[f"{name}_{side}" for name in runs.columns]]
    return own.set_axis(list(runs.columns), axis=1)


CHECKED = 25  # queries on which the items must add up to what the page holds
NEAR = 1e-9


def adding(
    origin: Origin, items: RankedItems, queries: pd.Index, values: np.ndarray, place: np.ndarray, preference: str | None
) -> dict[str, Any]:
    """Return the factors of each measure, None where ranks do not tell, and the users of the preference.

    Parameters
    ----------
    values : array of shape (measures, queries, systems)
        What the page holds: a label may be its writer's own, and factors that do not add up to it are not those of its
        measure.
    place : array
        The system of each run of the items, -1 where the report has none of it.
    preference : str, optional
        The preference between systems, where each system is one run.

    Examples
    --------
    >>> import pdeval
    >>> judged = pdeval.datasets.sample_judged(topics="common")
    >>> origin, queries = judged.report(["AP", "F@5"]).origins[0], judged.queries[:1]
    >>> value = judged.measure(["AP", "F@5"]).query("query_id == '101'").pivot(index="measure", columns="run")["value"]
    >>> found = adding(origin, RankedItems(judged), queries, value.to_numpy()[:, None], np.arange(12), "RPP")
    >>> [one and one["gain"] for one in found["adds"]], [one["name"] for one in found["users"]["populations"]]
    ([[[1, 1], [2, 1], [3, 1]], None], ['grade >= 1', 'grade >= 2', 'grade >= 3'])
    """
    topics = items.judged.queries.get_indexer(queries)
    adds: list[dict[str, Any] | None] = []
    for label, value in zip(origin.table.measures, values):
        measure = _parsed(label)
        found = factors(items.judged, measure) if measure is not None and preference != label else None
        fits = found is not None and _adds_up(found, items, queries, topics, value, place)
        adds.append(_held(found, topics) if found is not None and fits else None)
    return {"adds": adds, "users": _users(items, topics, preference)}


def _parsed(label: str) -> Measure | None:
    try:
        return parse(label)
    except (KeyError, ValueError):  # a label of its writer's own
        return None


def _adds_up(
    found: Factors, items: RankedItems, queries: pd.Index, topics: np.ndarray, value: np.ndarray, place: np.ndarray
) -> bool:
    """Whether items add up to the values of their runs; of a system of several runs, to their mean."""
    step = max(len(queries) // CHECKED, 1)
    for query, topic, own in zip(queries[::step], topics[::step], value[::step]):
        held = items.of_query(query)
        total = found.added(topic, held.grades, held.ranks).sum(axis=0)
        for_system = np.bincount(place[place >= 0], total[place >= 0], minlength=len(own))
        runs = np.bincount(place[place >= 0], minlength=len(own))
        counts = ~np.isnan(own) & (runs > 0)
        if not np.allclose((for_system / np.maximum(runs, 1))[counts], own[counts], rtol=0, atol=NEAR):
            return False
    return True


def _held(found: Factors, topics: np.ndarray) -> dict[str, Any]:
    gain = np.array(list(found.gain.items()))
    return {
        "gain": [numbers(one) for one in gain],
        "byLevel": found.by_level,
        "only": found.only,
        "packed": packed({"discount": numbers(found.discount), "weight": numbers(found.weight[topics])}),
    }


def _users(items: RankedItems, topics: np.ndarray, preference: str | None) -> dict[str, Any] | None:
    measure = None if preference is None else _parsed(preference)
    found = None if measure is None else users(items.judged, measure)
    if found is None:
        return None
    populations, weighed = found
    return {
        "label": preference,
        "populations": [{"name": one.name, "least": one.least} for one in populations],
        "packed": packed(
            {
                "shares": [numbers(one.share[topics]) for one in populations],
                "weights": {str(size): numbers(one) for size, one in weighed.items()},
            }
        ),
    }


SAMPLE = 25  # queries that are packed to learn how much room items take
SHARE = 0.5  # of the room that is left for pairs, then for values per query; items have what these leave


def opened(origin: Origin, room: int) -> dict[str, Any]:
    """Return what the page holds of one collection, in about so many bytes.

    Pairs come first, of as many measures as half the room holds; then values, of as many queries as half of what is
    left holds, those on which the systems differ most; then items, for each query as many as the rest holds.

    Examples
    --------
    >>> import pdeval
    >>> report = pdeval.datasets.sample_judged(topics="common").report(["AP", "RR"])
    >>> data = opened(report.origins[0], 1_000_000)
    >>> data["systems"][:2], [one["label"] for one in data["measures"]], len(data["queries"])
    (['bm25', 'bm25+rm3'], ['AP', 'RR'], 48)
    """
    table = origin.table
    said = footnote.words(table.attrs)
    paired = pairings(origin)
    data: dict[str, Any] = {
        "title": origin.title,
        "systems": origin.systems,
        "baselines": origin.baselines,
        "words": {"query": said.query, "queries": said.queries, "doc": said.doc, "docs": said.docs},
        "measures": [
            {"label": label, "shown": origin.display_name(label), "higher": higher, "digits": digits}
            for label, higher, digits in zip(table.measures, table.higher, origin.digits)
        ],
        "pairs": _within_pairs(paired, room * SHARE),
        "said": paired.said,
        "preferences": table.source is not None and not isinstance(table.source, Scores),
        "queries": [],
        "of": 0,
    }
    if table.source is None:
        data["said"].append(f"The report was made from a summary, which has no values per {said.query}.")
        return data
    values, queries = _values(origin)
    kept = _within(values, (room - len(json_text(data))) * SHARE)
    data |= {"of": len(queries), "queries": [str(queries[at]) for at in kept]}
    data["values"] = [packed(numbers(one)) for one in values[:, kept]]
    if len(kept) < len(queries):
        data["said"].append(
            f"Values of {len(kept):,} of {len(queries):,} {said.queries} are held: those on which the systems differ "
            f"most in {origin.display_name(table.measures[0])}. Means, counts and p-values are over all of them."
        )
    items = ranked_items(origin.held)
    if items is None:
        data["said"].append(
            f"The page has no {said.docs} of its {said.queries}: a report made from the runs and judgments, by "
            f"runs.ireval.report(qrels), has them."
        )
        return data
    place = _places(origin, items)
    between = _between(origin, items, data["preferences"])
    adds = adding(origin, items, queries[kept], values[:, kept], place, between)
    left = room - len(json_text(data)) - len(json_text(adds))
    data["items"] = _items(origin, items, queries[kept], place, left, data["said"])
    return data | adds if any(data["items"]["data"]) else data


def _places(origin: Origin, items: RankedItems) -> np.ndarray:
    """Return the system of each run that items have ranks in, -1 where the report does not show it."""
    runs = origin.table.runs
    return pd.Index(run_labels(runs)).get_indexer(pd.Index(run_labels(items.runs[list(runs.columns)])))


def _between(origin: Origin, items: RankedItems, preferences: bool) -> str | None:
    """Return the preference whose users the page tells of; none between systems that are means over replicates."""
    if preferences:
        return origin.table.measures[0]
    return PREFERENCE if len(items.runs) == len(origin.table.runs) else None


def _within_pairs(paired: Pairings, room: float) -> list[dict[str, Any]]:
    """Return the pairs of the measures that the page holds, in their order, as many as there is room for."""
    kept: list[dict[str, Any]] = []
    for one in paired.measures:
        room -= len(one["data"])
        if room >= 0:
            kept.append(one)
    if len(kept) < len(paired.measures):
        left = [one["label"] for one in paired.measures if one not in kept]
        paired.said.append(f"Pairs by {', '.join(left)} are left out: the page would be larger than its limit.")
    return kept


def _values(origin: Origin) -> tuple[np.ndarray, pd.Index]:
    """Return (measures, queries, systems) in the order of print; values that differ by rounding are made the same."""
    table = origin.table
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        values = per_query(table.source, origin.baseline)
    place = pd.MultiIndex.from_frame(table.source.runs).get_indexer(pd.MultiIndex.from_frame(table.runs))
    return np.stack([settled(one) for one in values[:, :, place]]), table.source.queries


def _within(values: np.ndarray, room: float) -> np.ndarray:
    """Return the queries whose values the page holds, in their order: all, or those on which systems differ most."""
    n_queries = values.shape[1]
    sample = values[:, :: max(n_queries // SAMPLE, 1)]
    each = sum(len(packed(numbers(one))) for one in sample) / max(sample.shape[1], 1)
    most = max(int(room / max(each, 1)), 1)
    if n_queries <= most:
        return np.arange(n_queries)
    first = np.where(np.isfinite(values[0]), values[0], np.nan)
    known = ~np.isnan(first).all(axis=1)
    spread = np.full(n_queries, -1.0)
    spread[known] = np.nanmax(first[known], axis=1) - np.nanmin(first[known], axis=1)
    return np.sort(np.argsort(-spread, kind="stable")[:most])


def _items(
    origin: Origin, items: RankedItems, queries: pd.Index, place: np.ndarray, room: float, said: list[str]
) -> dict[str, Any]:
    """Return the items of each query, compressed one by one, and say how many are left out."""
    runs, table = items.runs, origin.table
    several = len(np.unique(place)) < len(place)  # replicates: a system has several runs
    texts = run_labels(runs) if several else [origin.systems[at] if at >= 0 else "" for at in place]
    shown = np.flatnonzero(place >= 0)
    shown = shown[np.argsort(place[shown], kind="stable")]
    kept = {"runs": [texts[at] for at in shown], "systems": place[shown].tolist()}
    most = _most(items, queries, shown, room)
    words = footnote.words(table.attrs)
    if most == 0:
        said.append(f"The {words.docs} are left out: the page would be larger than its limit.")
        return {**kept, "data": [None] * len(queries)}
    found = [_packed_items(items, query, shown, most) for query in queries]
    sizes = items.sizes(queries)
    cut = int((sizes > most).sum())
    what = "judged" if items.complete else "relevant"
    if cut:
        said.append(
            f"Of a {words.query} at most {most:,} {what} {words.docs} are held, by grade and then by best rank: "
            f"{cut:,} of {len(queries):,} {words.queries} have more."
        )
    said.append(f"Only {what} {words.docs} are held: the others of a ranking are not on this page.")
    return {**kept, "data": found}


def _packed_items(items: RankedItems, query: object, shown: np.ndarray, most: int) -> str:
    found = items.of_query(query, most)
    ranks = np.where(np.isfinite(found.ranks), found.ranks, 0)[:, shown]
    return packed(
        {
            "docs": [str(doc) for doc in found.docs],
            "grades": numbers(found.grades),
            "relevant": found.relevant.astype(int).tolist(),
            "ranks": numbers(ranks.T),
            "of": found.of,
        }
    )


def _most(items: RankedItems, queries: pd.Index, shown: np.ndarray, room: float) -> int:
    """Return how many items of each query the room holds, from what a sample of queries takes."""
    sizes = items.sizes(queries)
    largest = int(sizes.max(initial=0))
    sample = queries[:: max(len(queries) // SAMPLE, 1)]
    most = largest
    while most > 0:
        taken = float(np.mean([len(_packed_items(items, query, shown, most)) for query in sample]))
        taken = (taken + 3) * len(queries)  # with their quotes and commas
        if taken <= room:
            return most
        most = min(most - 1, int(most * max(room, 0) / taken))
    return 0
