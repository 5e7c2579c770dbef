"""The data behind the cells of one collection: values per query, pairs of systems, items; within a limit of size."""

from __future__ import annotations

import base64
import json
import math
import warnings
import zlib
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdeval.evaluate.contributions import Factors, RankedItems, factors, ranked_items, users
from pdeval.evaluate.cube import Scores, all_pairs
from pdeval.evaluate.run_selection import baselines_of
from pdeval.evaluate.sources import Differences, decided, sources
from pdeval.report import footnotes as footnote
from pdeval.report.means import mean_preferences
from pdeval.significance.registry import direction
from pdeval.tables.equal_values import settled
from pdeval.tables.labels import run_labels

if TYPE_CHECKING:
    from pdeval.report.systems import Origin

# characters that could end a script or begin a comment, and two line ends that JSON allows and old scripts do not
_UNSAFE = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"}


def json_text(value: Any) -> str:
    r"""Return JSON that is safe inside a script element.

    Examples
    --------
    >>> json_text(["</script>", 0.5])
    '["\\u003c/script\\u003e",0.5]'
    """
    return json.dumps(value, ensure_ascii=True, separators=(",", ":"), allow_nan=False).translate(
        _UNSAFE
    )


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
    """Return numbers for JSON: all digits, None for missing values, strings for infinite values.

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
    """Return numbers with `digits` significant digits.

    Examples
    --------
    >>> rounded(np.array([1 / 3, 0.0, np.nan]), 3)
    [0.333, 0, None]
    """
    return numbers(
        np.array(
            [float(f"{value:.{digits}g}") for value in np.asarray(values, dtype=float).ravel()]
        )
    )


PREFERENCE = "RPP"  # computed for a join in addition to the measures of the report
COLUMNS = ("difference", "p_value", "p_adjusted")
COUNTS = ("won", "lost", "n", "significant")


def pairings(origin: Origin, notes: list[str]) -> list[dict[str, Any]]:
    """Return all pairs of systems by measure, each pair once, in the order (first, second), (first, third), ...

    Notes on them are appended to `notes`.

    Examples
    --------
    >>> import pdeval
    >>> report = pdeval.datasets.sample_judged(queries="common").report(["AP"])
    >>> [pairs["label"] for pairs in pairings(report.origins[0], [])]
    ['AP', 'RPP']
    """
    table = origin.table
    if len(table.runs) < 2:
        notes.append("There is one system: no pair to compare.")
        return []
    result: list[dict[str, Any] | None] = []
    if origin.comparisons is not None:
        notes.append("Pairs are those of the comparisons passed to the report.")
        measures = origin.comparisons["measure"].astype(str)
        for label in table.measures:
            comparisons = origin.comparisons[measures == label]
            result.append(_pairs(origin, label, comparisons, None, label))
    elif table.source is None:
        notes.append("Pairs are not compared: the table has means only, and no values per query.")
    else:
        sources_of = {label: table.only([i]).source for i, label in enumerate(table.measures)}
        items = ranked_items(origin.data)
        # systems that are means over replicates have no preferences
        if (
            items is not None
            and isinstance(table.source, Scores)
            and len(items.runs) == len(table.runs)
        ):
            with warnings.catch_warnings():  # the report has warned of missing queries
                warnings.simplefilter("ignore", UserWarning)
                sources_of[PREFERENCE] = sources(origin.data, PREFERENCE)[0]
        for label, source in sources_of.items():
            result.append(_compared(origin, source, label, notes))
    return [pairs for pairs in result if pairs is not None]


def _compared(origin: Origin, source: Any, label: str, notes: list[str]) -> dict[str, Any] | None:
    """Return the tested pairs of one measure; untested, with a note, if they cannot be tested."""
    from pdeval.significance.compare import compare

    measure = label if label in origin.table.measures else None
    options = {name: value for name, value in origin.how.items() if value is not None}
    if measure is None:  # the preference has its own test
        options.pop("test", None)
    comparisons = None
    try:
        comparisons = compare(source, **options, progress=False)
    except ValueError as error:
        notes.append(f"{label}: pairs are not tested. {str(error)[:1].upper()}{str(error)[1:]}")
    return _pairs(origin, label, comparisons, source, measure)


def _pairs(
    origin: Origin,
    label: str,
    comparisons: pd.DataFrame | None,
    source: Any,
    measure: str | None,
) -> dict[str, Any] | None:
    """Return the pairs of one measure in the order of print; pairs compared in the other order are reversed."""
    runs = origin.table.runs
    size = len(runs)
    columns = {name: np.full(size * (size - 1) // 2, np.nan) for name in (*COLUMNS, *COUNTS)}
    if comparisons is not None and len(comparisons):
        index = _index(runs)
        sides = (comparisons[[f"{name}_{side}" for name in runs.columns]] for side in "ab")
        a, b = (index.get_indexer(_index(side.set_axis(runs.columns, axis=1))) for side in sides)
        known = (a >= 0) & (b >= 0) & (a != b)
        place, sign = _pair_places(size, a[known], b[known])
        for name in (*COLUMNS, "n"):
            if name in comparisons:
                columns[name][place] = comparisons[name].to_numpy(dtype=float)[known]
        columns["difference"][place] *= sign
        if {"difference", "significant"} <= set(comparisons.columns):
            signed = comparisons["significant"].to_numpy(dtype=float) * direction(comparisons)
            columns["significant"][place] = signed[known] * sign
    if source is not None:
        _count(columns, source, runs)
    if all(np.isnan(columns[name]).all() for name in ("difference", "won")):
        return None
    data = {name: rounded(columns[name]) for name in COLUMNS} | {
        name: rounded(columns[name], 9) for name in COUNTS
    }
    return {
        "label": label,
        "measure": measure,
        "how": "" if comparisons is None else footnote.of_comparisons(comparisons),
        "tested": int((~np.isnan(columns["p_adjusted"])).sum()),
        "data": packed(data),
    }


def _count(columns: dict[str, np.ndarray], source: Any, runs: pd.DataFrame) -> None:
    """Count the queries that each side of a pair wins, and fill in the difference if nothing was tested."""
    new_place = _index(runs).get_indexer(_index(source.runs[list(runs.columns)]))
    if isinstance(source, Scores):
        source = Differences(source, *all_pairs(len(source.runs)))
        blocks = source.blocks(0)
    else:
        blocks = decided(source, 0)
    for pairs, differences in blocks:
        place, sign = _pair_places(
            len(runs), new_place[source.a[pairs]], new_place[source.b[pairs]]
        )
        better, worse = (differences > 0).sum(axis=0), (differences < 0).sum(axis=0)
        columns["won"][place] = np.where(sign > 0, better, worse)
        columns["lost"][place] = np.where(sign > 0, worse, better)
        known = ~np.isnan(differences)
        n = known.sum(axis=0)
        columns["n"][place] = n
        with np.errstate(invalid="ignore"):  # infinite differences of both signs have no mean
            mean = np.where(known, differences, 0.0).sum(axis=0) / np.maximum(n, 1)
        untested = np.isnan(columns["difference"][place]) & np.isfinite(mean) & (n > 0)
        columns["difference"][place[untested]] = (mean * sign)[untested]


def _pair_places(size: int, a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the place of each pair in the upper triangle, row by row, and -1 for pairs in the other order."""
    low, high = np.minimum(a, b), np.maximum(a, b)
    return low * (2 * size - low - 1) // 2 + high - low - 1, np.where(a < b, 1, -1)


def _index(runs: pd.DataFrame) -> pd.Index:
    return (
        pd.Index(run_labels(runs))
        if runs.shape[1] == 1
        else pd.MultiIndex.from_frame(runs.astype(str))
    )


MAX_CHECKED = 25  # queries on which the items must add up to the values of the page
TOLERANCE = 1e-9


def adding(
    origin: Origin,
    items: RankedItems,
    queries: pd.Index,
    values: np.ndarray,
    place: np.ndarray,
    preference: str | None,
) -> dict[str, Any]:
    """Return the factors of each measure, None if ranks do not determine it, and the users of the preference.

    Parameters
    ----------
    values : array of shape (measures, queries, systems)
        Values on the page. A label may belong to another measure: factors that do not add up to the values are dropped.
    place : array
        System of each run of the items, -1 if it is not in the report.
    preference : str, optional
        Preference between systems, if each system is one run.

    Examples
    --------
    >>> import pdeval
    >>> judged = pdeval.datasets.sample_judged(queries="common")
    >>> origin, queries = judged.report(["AP", "F@5"]).origins[0], judged.queries[:1]
    >>> value = judged.measure(["AP", "F@5"]).query("query_id == '101'").pivot(index="measure", columns="run")["value"]
    >>> result = adding(origin, RankedItems(judged), queries, value.to_numpy()[:, None], np.arange(12), "RPP")
    >>> [one and one["gain"] for one in result["adds"]], [one["name"] for one in result["users"]["populations"]]
    ([[[1, 1], [2, 1], [3, 1]], None], ['grade >= 1', 'grade >= 2', 'grade >= 3'])
    """
    topics = items.judged.queries.get_indexer(queries)
    adds: list[dict[str, Any] | None] = []
    for label, value in zip(origin.table.measures, values):
        measure = footnote.parsed(label)
        terms = (
            factors(items.judged, measure) if measure is not None and preference != label else None
        )
        fits = terms is not None and _adds_up(terms, items, queries, topics, value, place)
        adds.append(_factors(terms, topics) if terms is not None and fits else None)
    return {"adds": adds, "users": _users(items, topics, preference)}


def _adds_up(
    terms: Factors,
    items: RankedItems,
    queries: pd.Index,
    topics: np.ndarray,
    value: np.ndarray,
    place: np.ndarray,
) -> bool:
    """Return whether items add up to the values of their runs; for a system of several runs, to their mean."""
    step = max(len(queries) // MAX_CHECKED, 1)
    in_table = place >= 0
    n_runs = np.bincount(place[in_table], minlength=value.shape[-1])
    for query, topic, expected in zip(queries[::step], topics[::step], value[::step]):
        ranked = items.of_query(query)
        total = terms.added(topic, ranked.grades, ranked.ranks).sum(axis=0)
        mean = np.bincount(place[in_table], total[in_table], minlength=len(expected)) / np.maximum(
            n_runs, 1
        )
        known = ~np.isnan(expected) & (n_runs > 0)
        if not np.allclose(mean[known], expected[known], rtol=0, atol=TOLERANCE):
            return False
    return True


def _factors(terms: Factors, topics: np.ndarray) -> dict[str, Any]:
    return {
        "gain": [numbers(np.array(pair)) for pair in terms.gain.items()],
        "byLevel": terms.by_level,
        "only": terms.only,
        "packed": packed(
            {"discount": numbers(terms.discount), "weight": numbers(terms.weight[topics])}
        ),
    }


def _users(items: RankedItems, topics: np.ndarray, preference: str | None) -> dict[str, Any] | None:
    """Return the user populations of a preference, their fractions of each query and the weights of their users."""
    measure = None if preference is None else footnote.parsed(preference)
    result = None if measure is None else users(items.judged, measure)
    if result is None:
        return None
    populations, weights = result
    return {
        "label": preference,
        "populations": [{"name": one.name, "least": one.least} for one in populations],
        "packed": packed(
            {
                "shares": [numbers(one.share[topics]) for one in populations],
                "weights": {str(size): numbers(one) for size, one in weights.items()},
            }
        ),
    }


SAMPLE_SIZE = 25  # queries that are packed to estimate the size of all
SHARE = 0.5  # of the remaining size for pairs, then for values per query; items have the rest


def opened(origin: Origin, limit: int) -> dict[str, Any]:
    """Return the data of one collection on the page, in about `limit` bytes.

    Half of the limit is for pairs, by measure. Half of the rest is for values per query, of the queries on which the
    systems differ most. The remaining bytes are for the items of these queries.

    Examples
    --------
    >>> import pdeval
    >>> report = pdeval.datasets.sample_judged(queries="common").report(["AP", "RR"])
    >>> data = opened(report.origins[0], 1_000_000)
    >>> data["systems"][:2], [one["label"] for one in data["measures"]], len(data["queries"])
    (['bm25', 'bm25+rm3'], ['AP', 'RR'], 48)
    """
    table = origin.table
    words = footnote.words(table.attrs)
    notes: list[str] = []
    pairs = pairings(origin, notes)
    data: dict[str, Any] = {
        "title": origin.title,
        "systems": origin.systems,
        "baselines": [] if origin.baseline is None else baselines_of(table.runs, origin.baseline),
        "words": {
            "query": words.query,
            "queries": words.queries,
            "doc": words.doc,
            "docs": words.docs,
        },
        "measures": [
            {
                "label": label,
                "shown": origin.display_name(label),
                "higher": higher,
                "digits": digits,
            }
            for label, higher, digits in zip(table.measures, table.higher, origin.digits)
        ],
        "pairs": _pairs_within(pairs, limit * SHARE, notes),
        "notes": notes,
        "preferences": table.source is not None and not isinstance(table.source, Scores),
        "queries": [],
        "of": 0,
    }
    if table.source is None:
        notes.append(f"The report was made from a summary, which has no values per {words.query}.")
        return data
    values = _values(origin)
    queries = table.source.queries
    kept = _queries_within(values, (limit - len(json_text(data))) * SHARE)
    data |= {"of": len(queries), "queries": [str(queries[i]) for i in kept]}
    data["values"] = [packed(numbers(one)) for one in values[:, kept]]
    if len(kept) < len(queries):
        notes.append(
            f"The page has values of {len(kept):,} of {len(queries):,} {words.queries}: those on which the systems "
            f"differ most in {origin.display_name(table.measures[0])}. Means, counts and p-values are over all of them."
        )
    items = ranked_items(origin.data)
    if items is None:
        notes.append(
            f"The page has no {words.docs} of its {words.queries}: a report made from the runs and judgments, by "
            f"runs.ireval.report(qrels), has them."
        )
        return data
    # the system of each run that items have ranks in, -1 if the report does not show it
    place = pd.Index(run_labels(table.runs)).get_indexer(
        pd.Index(run_labels(items.runs[list(table.runs.columns)]))
    )
    preference = PREFERENCE if len(items.runs) == len(table.runs) else None
    if data["preferences"]:
        preference = table.measures[0]
    adds = adding(origin, items, queries[kept], values[:, kept], place, preference)
    rest = limit - len(json_text(data)) - len(json_text(adds))
    data["items"] = _items(origin, items, queries[kept], place, rest, notes)
    return data | adds if any(data["items"]["data"]) else data


def _pairs_within(
    pairs: list[dict[str, Any]], limit: float, notes: list[str]
) -> list[dict[str, Any]]:
    """Return the pairs of the first measures that fit into the limit."""
    total = np.cumsum([len(one["data"]) for one in pairs])
    n_kept = int(np.searchsorted(total, limit, side="right"))
    if n_kept < len(pairs):
        left_out = ", ".join(one["label"] for one in pairs[n_kept:])
        notes.append(f"Pairs by {left_out} are left out: the page would be larger than its limit.")
    return pairs[:n_kept]


def _values(origin: Origin) -> np.ndarray:
    """Return (measures, queries, systems) in the order of print; values that differ by rounding are made the same."""
    source = origin.table.source
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        values = (
            source.values
            if isinstance(source, Scores)
            else mean_preferences(source, origin.baseline)[0]
        )
    place = pd.MultiIndex.from_frame(source.runs).get_indexer(
        pd.MultiIndex.from_frame(origin.table.runs)
    )
    return np.stack([settled(one) for one in values[:, :, place]])


def _queries_within(values: np.ndarray, limit: float) -> np.ndarray:
    """Return the queries whose values fit into the limit, in their order: those on which systems differ most."""
    n_queries = values.shape[1]
    sample = values[:, :: max(n_queries // SAMPLE_SIZE, 1)]
    size = sum(len(packed(numbers(one))) for one in sample) / max(sample.shape[1], 1)
    most = max(int(limit / max(size, 1)), 1)
    if n_queries <= most:
        return np.arange(n_queries)
    first = np.where(np.isfinite(values[0]), values[0], np.nan)
    known = ~np.isnan(first).all(axis=1)
    spread = np.full(n_queries, -1.0)
    spread[known] = np.nanmax(first[known], axis=1) - np.nanmin(first[known], axis=1)
    return np.sort(np.argsort(-spread, kind="stable")[:most])


def _items(
    origin: Origin,
    items: RankedItems,
    queries: pd.Index,
    place: np.ndarray,
    limit: float,
    notes: list[str],
) -> dict[str, Any]:
    """Return the items of each query, compressed one by one, and note how many are left out."""
    has_replicates = len(np.unique(place)) < len(place)  # a system has several runs
    texts = (
        run_labels(items.runs)
        if has_replicates
        else [origin.systems[i] if i >= 0 else "" for i in place]
    )
    columns = np.flatnonzero(place >= 0)
    columns = columns[np.argsort(place[columns], kind="stable")]
    runs = {"runs": [texts[i] for i in columns], "systems": place[columns].tolist()}
    most = _max_items(items, queries, columns, limit)
    words = footnote.words(origin.table.attrs)
    if most == 0:
        notes.append(f"The {words.docs} are left out: the page would be larger than its limit.")
        return {**runs, "data": [None] * len(queries)}
    n_cut = int((items.sizes(queries) > most).sum())
    what = "judged" if items.complete else "relevant"
    if n_cut:
        notes.append(
            f"The page has at most {most:,} {what} {words.docs} per {words.query}, by grade and then by best rank: "
            f"{n_cut:,} of {len(queries):,} {words.queries} have more."
        )
    notes.append(f"The page has only {what} {words.docs}, not the other {words.docs} of a ranking.")
    return {**runs, "data": [_packed_items(items, query, columns, most) for query in queries]}


def _packed_items(items: RankedItems, query: object, columns: np.ndarray, most: int) -> str:
    ranked = items.of_query(query, most)
    ranks = np.where(np.isfinite(ranked.ranks), ranked.ranks, 0)[:, columns]
    return packed(
        {
            "docs": [str(doc) for doc in ranked.docs],
            "grades": numbers(ranked.grades),
            "relevant": ranked.relevant.astype(int).tolist(),
            "ranks": numbers(ranks.T),
            "of": ranked.of,
        }
    )


def _max_items(items: RankedItems, queries: pd.Index, columns: np.ndarray, limit: float) -> int:
    """Return how many items of each query fit into the limit, estimated from a sample of queries."""
    sample = queries[:: max(len(queries) // SAMPLE_SIZE, 1)]
    most = int(items.sizes(queries).max(initial=0))
    while most > 0:
        size = float(np.mean([len(_packed_items(items, query, columns, most)) for query in sample]))
        size = (size + 3) * len(queries)  # with quotes and commas
        if size <= limit:
            return most
        most = min(most - 1, int(most * max(limit, 0) / size))
    return 0
