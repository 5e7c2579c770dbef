"""The data behind the cells of one collection: values per query, pairs of systems, items; within a limit of size."""

from __future__ import annotations

import base64
import json
import re
import warnings
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdeval.catalog import Measure
from pdeval.evaluate import (
    Differences,
    Factors,
    QueryItems,
    RankedItems,
    Scores,
    all_pairs,
    baselines_of,
    cutoff,
    decided,
    factors,
    sources,
    users,
)
from pdeval.evaluate.hard_queries import hard_queries
from pdeval.evaluate.ranked_items import ranked_items
from pdeval.report import footnotes as footnote
from pdeval.report.means import mean_preferences
from pdeval.report.report import DASH
from pdeval.significance.registry import direction, which_test
from pdeval.tables import (
    SCHEMAS,
    Table,
    Texts,
    cut,
    names_of,
    read_texts,
    run_labels,
    settled,
    visible,
)

if TYPE_CHECKING:
    from pdeval.report.systems import Origin


def json_text(value: Any) -> str:
    r"""Return JSON that is safe inside a script element.

    Examples
    --------
    >>> json_text(["</script>", 0.5])
    '["\\u003c/script\\u003e",0.5]'
    """
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    for sign in "<>&":  # all other characters that could matter are escaped as not ASCII
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


# levels of compression: on large data, higher ones take several times longer and save a few percent
LEVEL = 4
LEVEL_IF_SMALL = 6
SMALL = 200_000  # bytes


def packed(value: np.ndarray | list[Any] | dict[str, Any]) -> str:
    """Return an array, or other data as JSON, compressed, as ASCII text that the page unpacks on use.

    The bytes of an array are sorted by significance: all first bytes, all second bytes, ... That compresses better. The
    text begins with the type: f8, f4, u4, u2, u1, or js for JSON.

    Examples
    --------
    >>> text = packed(np.array([1, 258], dtype="u2"))
    >>> text[:2], zlib.decompress(base64.b64decode(text[2:]))
    ('u2', b'\\x01\\x02\\x00\\x01')
    """
    if isinstance(value, np.ndarray):
        kind = value.dtype.str[1:]
        array = np.ascontiguousarray(value, dtype=f"<{kind}")
        content = array.reshape(-1).view(np.uint8).reshape(-1, array.itemsize).T.tobytes()
    else:
        kind = "js"
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        content = text.encode("utf-8", "surrogatepass")
    level = LEVEL if len(content) > SMALL else LEVEL_IF_SMALL
    return kind + base64.b64encode(zlib.compress(content, level)).decode("ascii")


def integers(values: np.ndarray) -> np.ndarray:
    """Return integers from 0 in the smallest unsigned type.

    Examples
    --------
    >>> integers(np.array([0, 300])).dtype
    dtype('uint16')
    """
    return values.astype(np.min_scalar_type(int(values.max(initial=0))))


PREFERENCE = "RPP"  # computed for a join in addition to the measures of the report
COLUMNS = ("difference", "p_value", "p_adjusted")
COUNTS = ("won", "lost", "n", "significant")


def pairings(
    origin: Origin, notes: list[str], items: RankedItems | None = None
) -> list[dict[str, Any]]:
    """Return all pairs of systems by measure, each pair once, in the order (first, second), (first, third), ...

    Notes on them are appended to `notes`. With items, a preference is added if the report has none.

    Examples
    --------
    >>> import pdeval
    >>> judged = pdeval.datasets.sample_judged(queries="common")
    >>> [pairs["label"] for pairs in pairings(judged.report("AP").origins[0], [], ranked_items(judged))]
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
            result.append(_pairs(origin, label, origin.comparisons[measures == label], None, label))
    elif table.source is None:
        notes.append("Pairs are not compared: the table has means only, and no values per query.")
    else:
        sources_of = {label: table.only([i]).source for i, label in enumerate(table.measures)}
        if _has_preferences(origin, items) and all(
            isinstance(source, Scores) for source in table.sources
        ):
            with warnings.catch_warnings():  # the report has warned of missing queries
                warnings.simplefilter("ignore", UserWarning)
                sources_of[PREFERENCE] = sources(origin.data, PREFERENCE)[0]
        result += [_compared(origin, source, label, notes) for label, source in sources_of.items()]
    return [pairs for pairs in result if pairs is not None]


def _has_preferences(origin: Origin, items: RankedItems | None) -> bool:
    """Return whether each system is one run with definite ranks: means over replicates have no preferences."""
    return (
        items is not None
        and items.judged.positions.rules["ties"] != "expected"
        and len(items.runs) == len(origin.table.runs)
    )


def _compared(origin: Origin, source: Any, label: str, notes: list[str]) -> dict[str, Any] | None:
    """Return the tested pairs of one measure; untested, with a note, if they cannot be tested."""
    from pdeval.significance.compare import compare

    measure = label if label in origin.table.measures else None
    options = {name: value for name, value in origin.how.items() if value is not None}
    if measure is None:  # the preference has its own test
        options.pop("test", None)
    machine = getattr(source, "machine", None) is not None
    if which_test(options.get("test"), label, source.attrs, machine=machine).name == "t":
        # the page has no intervals, and infinite ones are not computed
        options["confidence"] = 1.0
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
        a, b = (_places(runs, comparisons, side) for side in "ab")
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
    data = np.concatenate([columns[name] for name in (*COLUMNS, *COUNTS)])
    return {
        "label": label,
        "measure": measure,
        "how": "" if comparisons is None else footnote.of_comparisons(comparisons),
        "tested": int((~np.isnan(columns["p_adjusted"])).sum()),
        "data": packed(data.astype("f4")),
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


def _places(runs: pd.DataFrame, comparisons: pd.DataFrame, side: str) -> np.ndarray:
    """Return the run of each comparison on one side, -1 if it is not among the runs."""
    names = list(runs.columns)
    frame = comparisons[[f"{name}_{side}" for name in names]].set_axis(names, axis=1)
    # many rows, few runs: runs are numbered in the order of their first rows
    number = frame.groupby(names, sort=False, observed=True, dropna=False).ngroup().to_numpy()
    place: np.ndarray = _index(runs).get_indexer(_index(frame.drop_duplicates()))
    return place[number]


def _index(runs: pd.DataFrame) -> pd.Index:
    return (
        pd.Index(run_labels(runs))
        if runs.shape[1] == 1
        else pd.MultiIndex.from_frame(runs.astype(str))
    )


MAX_CHECKED = 10  # queries on which the items must add up to the values of the page
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
    >>> result = adding(origin, ranked_items(judged), queries, value.to_numpy()[:, None], np.arange(12), "RPP")
    >>> [one and one["gain"] for one in result["adds"]], [one["name"] for one in result["users"]["populations"]]
    ([[(1.0, 1.0), (2.0, 1.0), (3.0, 1.0)], None], ['grade >= 1', 'grade >= 2', 'grade >= 3'])
    """
    topics = items.judged.queries.get_indexer(queries)
    checked = slice(None, None, -(-len(queries) // MAX_CHECKED) or 1)
    ranked = [items.of_query(query) for query in queries[checked]]
    adds: list[dict[str, Any] | None] = []
    for label, value in zip(origin.table.measures, values):
        measure = footnote.parsed(label)
        terms = None if measure is None else factors(items.judged, measure)
        fits = terms is not None and _adds_up(
            terms, zip(ranked, topics[checked], value[checked]), place
        )
        adds.append(_factors(terms, topics) if terms is not None and fits else None)
    return {"adds": adds, "users": _users(items, topics, preference)}


def _adds_up(
    terms: Factors, queries: Iterable[tuple[QueryItems, int, np.ndarray]], place: np.ndarray
) -> bool:
    """Return whether items add up to the values of their runs; for a system of several runs, to their mean."""
    in_table = place >= 0
    for ranked, topic, expected in queries:
        n_runs = np.bincount(place[in_table], minlength=len(expected))
        total = terms.added(topic, ranked.grades, ranked.ranks).sum(axis=0)
        sums = np.bincount(place[in_table], total[in_table], minlength=len(expected))
        mean = sums / np.maximum(n_runs, 1)
        known = ~np.isnan(expected) & (n_runs > 0)
        if not np.allclose(mean[known], expected[known], rtol=0, atol=TOLERANCE):
            return False
    return True


def _factors(terms: Factors, topics: np.ndarray) -> dict[str, Any]:
    return {
        "gain": list(terms.gain.items()),
        "byLevel": terms.by_level,
        "only": terms.only,
        "discount": packed(terms.discount),
        "weight": packed(terms.weight[topics]),
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
        "shares": packed(np.nan_to_num(np.stack([one.share[topics] for one in populations]))),
        "weights": packed({str(size): one.tolist() for size, one in weights.items()}),
    }


SAMPLE_SIZE = 25  # queries that are packed to estimate the size of all
SHARE = 0.5  # of the remaining size for pairs, then for values per query; items have the rest
TOP = 10  # documents of each list that are counted as judged or unjudged
MAX_DEPTH = 50  # documents of each list on the page, judged or not
TEXT_LENGTH = 300  # characters of a text


def opened(origin: Origin, limit: int) -> dict[str, Any]:
    """Return the data of one collection on the page, in about `limit` bytes.

    Half of the limit is for pairs, by measure. Half of the rest is for values per query, of the queries on which the
    systems differ most. The remaining bytes are for the items of these queries, and then for their texts.

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
    known = list(map(footnote.parsed, table.measures))
    measures = [one for one in known if one is not None]
    depth = min(max(cutoff(measures), TOP), MAX_DEPTH)
    items = ranked_items(origin.data, depth) if table.sources else None
    pairs = pairings(origin, notes, items)
    paired = {
        label for cube in table.sources if not isinstance(cube, Scores) for label in cube.measures
    }
    data: dict[str, Any] = {
        "title": origin.title,
        "systems": origin.systems,
        "baselines": [] if origin.baseline is None else baselines_of(table.runs, origin.baseline),
        "words": {name: getattr(words, name) for name in ("query", "queries", "doc", "docs")},
        "measures": [
            {
                "label": label,
                "shown": origin.display_name(label),
                "higher": higher,
                "digits": digits,
                "preference": label in paired,
                # documents that count as the first ones of a ranking
                "top": min(cutoff([] if measure is None else [measure]), depth),
            }
            for label, measure, higher, digits in zip(
                table.measures, known, table.higher, origin.digits
            )
        ],
        "pairs": _pairs_within(pairs, limit * SHARE, notes),
        "notes": notes,
        "queries": [],
        "of": 0,
    }
    if not table.sources:
        notes.append(f"The report was made from a summary, which has no values per {words.query}.")
        return data
    values = _values(origin)
    queries = table.sources[0].queries
    kept = _queries_within(values, (limit - len(json_text(data))) * SHARE)
    shown = queries[kept]
    texts = read_texts(origin.texts)
    data |= {
        "of": len(queries),
        "queries": list(map(str, shown)),
        "values": [packed(one) for one in values[:, kept]],
        "queryFacets": _query_facets(origin.query_metadata, shown),
        "queryTexts": texts.queries(shown, length=TEXT_LENGTH),
    }
    if len(kept) < len(queries):
        notes.append(
            f"The page has values of {len(kept):,} of {len(queries):,} {words.queries}: those on which the systems "
            f"differ most in {origin.display_name(table.measures[0])}. Means, counts and p-values are over all of them."
        )
    if origin.answers is not None:
        data["answers"] = _answers(origin.answers, table.runs, shown)
        if len(json_text(data)) > limit:
            del data["answers"]
            kind = origin.answers.kind
            notes.append(f"The {kind} are left out: the page would be larger than its limit.")
    if items is None:
        what = words.docs
        remedy = "a report made from the runs and judgments, by runs.ireval.report(qrels),"
        for one in measures:
            if one.kind in SCHEMAS and SCHEMAS[one.kind].labels:
                what, remedy = one.kind, f"report(answers={one.kind})"
        if origin.answers is None:
            notes.append(f"The page has no {what} of its {words.queries}: {remedy} has them.")
        return data
    # the system of each run that items have ranks in, -1 if the report does not show it
    place = pd.Index(run_labels(table.runs)).get_indexer(
        pd.Index(run_labels(items.runs[list(table.runs.columns)]))
    )
    preference = (
        next((one for one in table.measures if one in paired), PREFERENCE)
        if _has_preferences(origin, items)
        else None
    )
    data |= adding(origin, items, shown, values[:, kept], place, preference)
    if items.judged.positions.complete:  # otherwise the page lists queries by their values
        data["look"] = _reasons(items, measures, table.measures, shown, place)
    rest = limit - len(json_text(data))
    data["items"], on_page = _items(origin, items, shown, place, rest, notes)
    if on_page is None:
        return {name: value for name, value in data.items() if name not in ("adds", "users")}
    _add_texts(data, on_page, texts, limit - len(json_text(data)))
    return data


def _reasons(
    items: RankedItems,
    measures: list[Measure],
    names: Sequence[str],
    queries: pd.Index,
    place: np.ndarray,
) -> list[list[Any]]:
    """Return the queries that deserve a look: measure, query, problem, worst and best system, and the reason."""
    rows = []
    for measure in measures:
        if measure.entry.family != "metric":
            continue
        # no query counts for all runs, the join does not keep rows, or the measure is of all items of a list
        with suppress(ValueError):
            rows.append(hard_queries(items.judged, measure))
    if not rows:
        return []
    table = pd.concat(rows, ignore_index=True)
    runs = pd.Index(run_labels(items.runs))
    columns = {
        "measure": pd.Index(names).get_indexer(pd.Index(table["measure"])),
        "query": queries.get_indexer(pd.Index(table[queries.name])),
        "problem": table["problem"],
        **{side: place[runs.get_indexer(pd.Index(table[side]))] for side in ("worst", "best")},
        "reason": table["reason"],
    }
    frame = pd.DataFrame(columns)
    kept: list[list[Any]] = frame[frame["query"] >= 0].to_numpy(dtype=object).tolist()
    return kept


def _answers(table: Table, runs: pd.DataFrame, queries: pd.Index) -> dict[str, Any]:
    """Return the items that the answers to each query are labeled by, with their labels in each answer.

    Labels are places in `labels`, by item and system; place 0 is an answer without this item.
    """
    frame, schema = table.frame, SCHEMAS[table.kind]
    *ids, label = [name for name in schema.required if name not in ("run", "query")]
    label_names = [name for name in (label, "machine") if name in table]
    # attributes are the same for all systems
    attributes = [
        column.name
        for column in schema.columns
        if column.holds == "any" and column.name in table and column.name not in label_names
    ]
    systems = run_labels(frame[list(table.run_columns)])
    columns = {
        "query": pd.Index(queries.astype(str)).get_indexer(table.column("query").astype(str)),
        "system": pd.Index(run_labels(runs)).get_indexer(pd.Index(systems)),
        **{name: table.column(name).to_numpy() for name in ids},
        **{name: map(attribute_text, table.column(name)) for name in (*label_names, *attributes)},
    }
    rows = pd.DataFrame({name: list(values) for name, values in columns.items()})
    # the items of a query are those of all runs together, in the order of the rows
    rows = rows[(rows["query"] >= 0) & (rows["system"] >= 0)].sort_values("query", kind="stable")
    key = ["query", *ids]
    items = rows[~rows.duplicated(key)]
    place = rows.groupby(key, sort=False, dropna=False).ngroup()
    labels = pd.Index(["", *(label for name in label_names for label in rows[name])]).unique()

    def codes(name: str) -> str:
        result = np.zeros((len(items), len(runs)), dtype=np.int64)
        result[place, rows["system"]] = labels.get_indexer(pd.Index(rows[name]))
        return packed(integers(result))

    # of several names of an id, the last is that of its text
    names = ([table.roles[role], *(one for one in names_of(role) if one in frame)] for role in ids)
    words = zip(*(map(attribute_text, frame[one[-1]].iloc[items.index]) for one in names))
    return {
        "kind": table.kind,
        "ids": ids,
        "label": label,
        "labels": list(labels),
        "values": [schema.labels.get(one) for one in labels],
        "texts": packed([cut(": ".join(one), TEXT_LENGTH) for one in words]),
        "sizes": packed(integers(np.bincount(items["query"], minlength=len(queries)))),
        "attributes": {name: packed(items[name].tolist()) for name in attributes},
        "human": codes(label),
        "machine": codes("machine") if "machine" in table else None,
    }


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
    cubes = []
    for source in origin.table.sources:
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
        cubes += [settled(one) for one in values[:, :, place]]
    return np.stack(cubes)


def _queries_within(values: np.ndarray, limit: float) -> np.ndarray:
    """Return the queries whose values fit into the limit, in their order: those on which systems differ most."""
    n_queries = values.shape[1]
    sample = values[:, :: max(n_queries // SAMPLE_SIZE, 1)]
    size = sum(len(packed(one)) for one in sample) / max(sample.shape[1], 1)
    most = max(int(limit / max(size, 1)), 1)
    if n_queries <= most:
        return np.arange(n_queries)
    first = np.where(np.isfinite(values[0]), values[0], np.nan)
    known = ~np.isnan(first).all(axis=1)
    spread = np.full(n_queries, -1.0)
    spread[known] = np.nanmax(first[known], axis=1) - np.nanmin(first[known], axis=1)
    return np.sort(np.argsort(-spread, kind="stable")[:most])


def _query_facets(metadata: pd.DataFrame | None, queries: pd.Index) -> list[dict[str, Any]]:
    """Return the columns of the metadata of queries with few values, to filter queries by."""
    if metadata is None:
        return []
    first = metadata.drop_duplicates(queries.name)
    row = pd.Index(first[queries.name].astype(str)).get_indexer(queries.astype(str))
    rows = first.reset_index(drop=True).reindex(row)  # -1 is not in the index: missing values
    names = [name for name in first.columns if name != queries.name]
    return facet_list({str(name): list(map(attribute_text, rows[name])) for name in names})


def _items(
    origin: Origin,
    items: RankedItems,
    queries: pd.Index,
    place: np.ndarray,
    limit: float,
    notes: list[str],
) -> tuple[dict[str, Any], RankedItems | None]:
    """Return the items of all queries with their ranks in each run, and note what is left out.

    The second result are the items on the page, None if there are none.
    """
    has_replicates = len(np.unique(place)) < len(place)  # a system has several runs
    texts = (
        run_labels(items.runs)
        if has_replicates
        else [origin.systems[i] if i >= 0 else "" for i in place]
    )
    columns = np.flatnonzero(place >= 0)
    columns = columns[np.argsort(place[columns], kind="stable")]
    data: dict[str, Any] = {
        "runs": [texts[i] for i in columns],
        "systems": place[columns].tolist(),
        "depth": items.depth,
        "complete": items.complete,
        "top": TOP,
        "of": items.sizes(queries).tolist(),
        "unjudged": None,
        "docs": None,
    }
    if items.depth is not None:
        data["unjudged"] = packed(integers(items.unjudged(queries, TOP)[:, columns]))
    words = footnote.words(origin.table.attrs)
    most = max(data["of"], default=0)
    while most > 0:
        part = items.first(queries, most)
        arrays = _item_arrays(part, len(queries), columns)
        size = sum(map(len, arrays.values()))
        if size <= limit:
            break
        most = min(most - 1, int(most * max(limit, 0) / size))
    if most == 0:
        notes.append(f"The {words.docs} are left out: the page would be larger than its limit.")
        return data, None
    what = "" if items.depth else "judged " if items.complete else "relevant "
    n_cut = int((np.array(data["of"]) > most).sum())
    if n_cut:
        notes.append(
            f"The page has at most {most:,} {what}{words.docs} per {words.query}, relevant ones by grade and then by "
            f"best rank: {n_cut:,} of {len(queries):,} {words.queries} have more."
        )
    notes.append(
        f"The page has only {what}{words.docs}, not the other {words.docs} of a ranking."
        if items.depth is None
        else f"The page has all judged {words.docs} and the first {items.depth} {words.docs} of each ranking, judged "
        "or not."
    )
    return data | arrays, part


def _item_arrays(items: RankedItems, n_queries: int, columns: np.ndarray) -> dict[str, str]:
    """Return ids, grades, relevance and ranks, packed; ranks by query, run and item, 0 if not retrieved."""
    sizes = np.bincount(items.topic, minlength=n_queries)
    first = np.cumsum(sizes) - sizes  # item of each query
    new_run = np.full(len(items.runs), -1)
    new_run[columns] = np.arange(len(columns))
    run = new_run[items.run]
    topic = items.topic[items.item]
    # items of a query are adjacent: the block of a query has one row per run
    place = first[topic] * len(columns) + run * sizes[topic] + items.item - first[topic]
    kept = run >= 0
    rank = integers(items.rank[kept])
    ranks = np.zeros(len(items.topic) * len(columns), dtype=rank.dtype)
    ranks[place[kept]] = rank
    return {
        "docs": packed(list(map(str, items.names()))),
        "sizes": packed(integers(sizes)),
        "grades": packed(items.grade),
        "relevant": packed(items.relevant.astype("u1")),
        "ranks": packed(ranks),
    }


def _add_texts(data: dict[str, Any], items: RankedItems, texts: Texts, limit: float) -> None:
    """Add titles, texts and addresses of the items of the page: as many fields as fit into the limit."""
    if not texts.sources:
        return
    code, known = pd.factorize(items.doc)
    table = texts.documents(items.docs.take(known).index(), length=TEXT_LENGTH)
    fields = {
        name: packed(table[name].tolist()) for name in table.columns if table[name].notna().any()
    }
    if not fields:
        return
    place = packed(integers(code))
    ends = len(place) + np.cumsum([len(field) for field in fields.values()])
    kept = {name: field for (name, field), end in zip(fields.items(), ends) if end < limit}
    if len(kept) < len(fields):
        left_out = ", ".join(name for name in fields if name not in kept)
        data["notes"].append(
            f"The {left_out} of {data['words']['docs']} is left out: the page would be larger than its limit."
        )
    if kept:
        data["texts"] = {"place": place, **kept}


# a column of metadata with more values is not offered as a filter
MAX_FACET_VALUES = 60


def facet_list(columns: Mapping[str, Sequence[str]]) -> list[dict[str, Any]]:
    """Return the columns with several values, and not too many, as names, values and codes of rows.

    Examples
    --------
    >>> facet_list({"family": ["dense", "lexical", "dense"], "year": ["2026", "2026", "2026"]})
    [{'name': 'family', 'values': ['dense', 'lexical'], 'rows': [0, 1, 0]}]
    """
    result = []
    for name, values in columns.items():
        if 1 < len(set(values)) <= MAX_FACET_VALUES:
            codes, known = pd.factorize(pd.Series(values, dtype=object))
            result.append({"name": visible(name), "values": list(known), "rows": codes.tolist()})
    return result


def attribute_text(value: object, display_name: Callable[[object], str] = str) -> str:
    """Return a value of metadata as text: integers without decimals, a dash for a missing value."""
    if value is None or (pd.api.types.is_scalar(value) and pd.isna(value)):  # type: ignore[call-overload]
        return DASH
    text = display_name(int(value) if isinstance(value, float) and value.is_integer() else value)
    return re.sub(r"\s+", " ", visible(text)).strip() or DASH
