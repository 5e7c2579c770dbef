"""Read scores computed by other tools: trec_eval, ir_measures, BEIR, MTEB, ranx, tools for RAG, and tables."""

import io
import json
import re
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd

from pdeval.catalog import DEFAULT, TEXTS, Known, described, known_of, parse
from pdeval.files import file_io
from pdeval.files.reading import Names, check_options
from pdeval.files.tabular import SEPARATORS, file_text, separated_table
from pdeval.tables import (
    as_table,
    bound_call,
    candidates,
    from_dict,
    is_ranx,
    kind_of,
    likely,
    listed,
    names_of,
    not_a_table,
    read,
)
from pdeval.tables import (
    frame as frame_of,
)
from pdeval.verbs import checks_arguments, is_finite, one_of, short_repr

MEANS = "all"  # the query id of means in trec_eval and ir_measures
COLUMNS = ["run", "query_id", "measure", "value"]


def catalog_name(label: str) -> str | None:
    """Return the name in the catalog of a measure of another tool, or None if there is no such measure.

    Examples
    --------
    >>> catalog_name("ndcg_at_10"), catalog_name("ndcg_cut_10"), catalog_name("main_score")
    ('ndcg@10', 'ndcg_cut_10', None)
    """
    for name in (label, re.sub(r"_at_(\d+)$", r"@\1", label)):
        with suppress(KeyError, ValueError, TypeError):
            parse(name)
            return name
    return None


def ask_for_ids(frame: pd.DataFrame, known: Mapping[str, list[str]], where: str = "") -> None:
    """Raise if a table of scores without a column of runs or queries has such a column under an unknown name.

    Means have one row per run, and no string column that may be a query.

    Parameters
    ----------
    known : mapping of role to columns
        Columns of runs, queries and measures, as far as they are known; their values are repeated if another column
        distinguishes the rows.
    where : str
        Start of the message.

    Examples
    --------
    >>> ask_for_ids(pd.DataFrame({"query_text": ["who?"], "map": [0.5]}), {"run": [], "query": []})
    Traceback (most recent call last):
    ValueError: unknown query column among query_text, map. Specify it: pdeval.scores(table, query='query_text').
    """
    unknown = [role for role, columns in known.items() if not columns]
    if not unknown:
        return
    names = [name for columns in known.values() for name in columns]
    rest = [name for name in frame.columns if name not in (*names, "value")]
    texts = [name for name in rest if not pd.api.types.is_numeric_dtype(frame[name].dtype)]
    sounds = "query" in unknown and likely("query", texts)
    again = (
        frame[names].astype(str).duplicated(keep=False)
        if names
        else pd.Series(len(frame) > 1, frame.index)
    )
    if not (sounds or again.any()):
        return
    shared = ""
    if again.any() and names:
        example = ", ".join(short_repr(frame[name][again].iloc[0]) for name in names)
        bound = " and ".join(role for role in known if known[role])
        shared = f"; {int(again.sum()):,} rows have the same {bound}, e.g. {example}"
    roles = ["query"] if sounds else unknown
    raise ValueError(
        f"{where}unknown {' or '.join(roles)} column among {listed(frame.columns)}{shared}. Specify it: "
        f"pdeval.scores(table, {bound_call(roles, rest)})."
    )


def of_text(text: str, path: Path) -> pd.DataFrame:
    """Return the rows of the output of trec_eval or ir_measures, without means if there are queries.

    Examples
    --------
    >>> rows = of_text("map 301 0.25\\nmap 302 0.75\\nmap all 0.5\\nrunid all bm25\\n", Path("bm25.eval"))
    >>> rows[["query_id", "measure", "value"]].values.tolist()
    [['301', 'map', 0.25], ['302', 'map', 0.75]]
    """
    try:
        rows = pd.read_csv(
            io.StringIO(text), sep=r"\s+", header=None, dtype=str, keep_default_na=False, quoting=3
        )
    except pd.errors.ParserError as fault:
        raise ValueError(
            f"'{path}' is not an output of trec_eval or ir_measures: {str(fault).strip()}"
        ) from fault
    if rows.shape[1] == 2:
        rows.insert(0, "query", MEANS)
    expected = "trec_eval prints measure, query and value, ir_measures query, measure and value."
    if rows.shape[1] != 3:
        raise ValueError(f"'{path}' has {rows.shape[1]} columns. {expected}")
    # ir_measures prints measures in the second column: the column with more known names has the measures
    known = [_known_fraction(rows[column]) for column in rows.columns[:2]]
    if max(known) == 0:
        raise ValueError(
            f"'{path}' has no known measure in its first two columns, e.g. {rows.iloc[0, 0]!r} and "
            f"{rows.iloc[0, 1]!r}. {expected}"
        )
    names = ["measure", "query_id"] if known[0] >= known[1] else ["query_id", "measure"]
    rows.columns = [*names, "value"]
    tags = rows.loc[rows["measure"] == "runid", "value"].unique()
    rows = rows[~rows["measure"].isin(TEXTS)]
    wrong = rows[pd.to_numeric(rows["value"], errors="coerce").isna()]
    if len(wrong):
        line = int(wrong.index[0]) + 1
        raise ValueError(
            f"'{path}', line {line}: the value {wrong['value'].iloc[0]!r} is not a number."
        )
    values = (
        rows["value"].to_numpy(dtype=object).astype(np.float64)
    )  # the nearest float, which to_numeric may miss
    return _without_means(rows.assign(value=values, run=str(tags[0]) if len(tags) == 1 else None))


def _known_fraction(column: pd.Series) -> float:
    names = [name for name in column.unique() if name not in TEXTS]
    return sum(catalog_name(name) is not None for name in names) / max(len(names), 1)


def _without_means(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of queries, or the means if there are no other rows."""
    per_query = rows[rows["query_id"] != MEANS]
    return (per_query if len(per_query) else rows)[COLUMNS].reset_index(drop=True)


def of_json(text: str, path: Path) -> pd.DataFrame:
    """Return the rows of a result in JSON: lines of ir_measures, results of MTEB and BEIR, or a report of ranx.

    Examples
    --------
    >>> of_json('{"ndcg": {"NDCG@10": 0.5}, "map": {"MAP@10": 0.25}}', Path("scifact.json"))["measure"].tolist()
    ['NDCG@10', 'MAP@10']
    """
    try:
        result = json.loads(text)
    except json.JSONDecodeError:
        try:
            result = [json.loads(line) for line in text.splitlines() if line.strip()]
        except json.JSONDecodeError as fault:
            raise ValueError(f"'{path}' is not JSON: {fault}.") from None
    if not isinstance(result, list):
        return of_mapping(result, f"'{path}'")
    if not result or not all(
        isinstance(line, Mapping) and {"measure", "value"} <= set(line) for line in result
    ):
        raise ValueError(f"'{path}' has a JSON list, but not of objects with measure and value.")
    rows = pd.DataFrame(result)
    if "query_id" not in rows:
        ask_for_ids(rows, {"query": [], "measure": ["measure"]}, f"'{path}': ")
        rows["query_id"] = MEANS
    return _without_means(rows.astype({"query_id": str, "value": float}).assign(run=None))


def of_mapping(result: Any, where: str) -> pd.DataFrame:
    """Return the rows of a result that is a mapping, as written by MTEB, BEIR and ranx.

    Examples
    --------
    >>> scores = {"test": [{"ndcg_at_10": 0.5, "main_score": 0.5, "hf_subset": "default"}]}
    >>> of_mapping({"task_name": "SciFact", "scores": scores}, "SciFact.json").values.tolist()
    [[None, 'SciFact', 'ndcg_at_10', 0.5], [None, 'SciFact', 'main_score', 0.5]]
    """
    if not isinstance(result, Mapping) or not result:
        raise ValueError(
            f"{where} has {type(result).__name__} in JSON; expected a result of MTEB, BEIR or ranx."
        )
    rows_of = next(
        rows for marks, rows in JSON_RESULTS.items() if not marks or set(marks) & set(result)
    )
    rows = rows_of(result, where)
    if not rows:
        raise ValueError(f"{where} has no scores.")
    return pd.DataFrame(rows, columns=COLUMNS)


def _of_ranx(result: Mapping[str, Any], _: str) -> list[tuple[Any, ...]]:
    return [
        (name, MEANS, measure, value)
        for name in result["model_names"]
        for measure, value in result[name]["scores"].items()
    ]


def _of_mteb(result: Mapping[str, Any], where: str) -> list[tuple[Any, ...]]:
    task = result.get("task_name", result.get("mteb_dataset_name"))
    splits = result.get("scores") or {
        name: [part] for name, part in result.items() if isinstance(part, Mapping)
    }
    split = "test" if "test" in splits else next(iter(splits), None)
    if split is None or (split != "test" and len(splits) > 1):
        raise ValueError(
            f"{where} has the splits {', '.join(splits) or 'none'}, and none of them is 'test'. Keep one split."
        )
    rows: list[tuple[Any, ...]] = []
    for subset in splits[split]:
        query = task if len(splits[split]) == 1 else f"{task}/{subset.get('hf_subset', len(rows))}"
        rows += [
            (None, query, name, value) for name, value in subset.items() if _is_score(name, value)
        ]
    return rows


def _is_score(name: str, value: Any) -> bool:
    # nauc measures abstention, not the ranking
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return (
        number and not name.startswith("nauc_") and name not in ("evaluation_time", "num_samples")
    )


def _of_beir(result: Mapping[str, Any], where: str) -> list[tuple[Any, ...]]:
    rows: list[tuple[Any, ...]] = []
    for name, part in result.items():
        values = part if isinstance(part, Mapping) else {name: part}
        # "ndcg" maps to NDCG@1, NDCG@3, ...; any other key of a mapping is a query
        query = str(name) if isinstance(part, Mapping) and not catalog_name(str(name)) else MEANS
        rows += [(None, query, label, value) for label, value in values.items()]
    if wrong := [label for _, _, label, value in rows if not _is_score(str(label), value)]:
        raise ValueError(
            f"{where}: {wrong[0]!r} is not a number. Expected measures and their values, as written by BEIR, or a "
            "result of MTEB or ranx."
        )
    return rows


def _of_deepeval(result: Any, _: str) -> list[tuple[Any, ...]]:
    """Return the rows of an evaluation of deepeval: an object, or its file."""

    def field(part: Any, name: str, other: str) -> Any:
        return part.get(other) if isinstance(part, Mapping) else getattr(part, name)

    rows = [
        (
            None,
            field(case, "input", "input"),
            field(one, "name", "name"),
            field(one, "score", "score"),
        )
        for case in field(result, "test_results", "testCases")
        for one in field(case, "metrics_data", "metricsData") or ()
    ]
    return [row for row in rows if row[-1] is not None]


# formats of JSON results: keys that identify the format, and the function that returns its rows
JSON_RESULTS: dict[tuple[str, ...], Callable[[Mapping[str, Any], str], list[tuple[Any, ...]]]] = {
    ("model_names",): _of_ranx,
    ("task_name", "mteb_dataset_name"): _of_mteb,
    ("testCases",): _of_deepeval,
    (): _of_beir,
}


# runs, if no column has a name that means a run
MODELS = ("model_name", "model_names", "model", "system", "method")
MAIN = "main_score"  # the measure of the tables of MTEB
# methods of the results of other packages that return a table or a mapping
CONVERTERS = {"ranx": ["to_dict"], "ragas": ["to_pandas"], "mteb": ["to_dataframe", "to_dict"]}
# runs of TruLens
APPS = ("app_name", "app_version", "app_id")
# queries of tools for RAG (ragas, deepeval, TruLens) and tasks of MTEB, if no column has a name that means a query
QUESTIONS = ("user_input", "question", "input", "task_name")
# measures of ragas, deepeval, TruLens and open-rag-eval that are better if higher, in lower case with _ for other signs
HIGHER_IS_BETTER = """
    agent_goal_accuracy answer_correctness answer_relevance answer_relevancy answer_similarity argument_correctness
    bert_score bleu_score chrf_score citation_f1_score citation_faithfulness coherence comprehensiveness conciseness
    context_entity_recall context_precision context_recall context_relevance context_relevancy context_utilization
    contextual_precision contextual_recall contextual_relevancy conversation_completeness correctness exact_match
    factual_correctness faithfulness faithfulness_with_hhem goal_accuracy groundedness hallucination_score helpfulness
    id_based_context_precision id_based_context_recall json_correctness knowledge_retention
    llm_context_precision_with_reference llm_context_precision_without_reference main_score
    mean_nugget_assignment_score mean_umbrela_score non_llm_context_precision_with_reference non_llm_context_recall
    non_llm_string_similarity nv_accuracy nv_context_relevance nv_response_groundedness pattern_match plan_adherence
    plan_quality prompt_alignment response_relevancy role_adherence rouge_score semantic_similarity step_efficiency
    string_present string_presence summarization summary_score task_completion tool_call_accuracy tool_call_f1
    tool_correctness tool_use topic_adherence turn_contextual_precision turn_contextual_recall
    turn_contextual_relevancy turn_faithfulness turn_relevancy vital_nuggetizer_score"""
LOWER_IS_BETTER = """
    harmfulness latency maliciousness noise_sensitivity noise_sensitivity_irrelevant noise_sensitivity_relevant
    total_cost total_tokens"""
# in deepeval, lower is better in version 3 and higher in version 4.3
CHANGED = frozenset({"bias", "hallucination", "misuse", "toxicity"})


@checks_arguments
def scores(
    table: object,
    *,
    measure: str | None = None,
    measures: Sequence[str] | None = None,
    run: str | Sequence[str] | None = None,
    query: str | None = None,
    higher: bool | Mapping[str, bool] | None = None,
) -> pd.DataFrame:
    """Return scores that another tool computed as a scores table, which has `.order()`, `.compare()`, `.report()`.

    Parameters
    ----------
    table : DataFrame, mapping, named tuples, or results of ranx
        One column per measure (PyTerrier: `name, qid, map, ndcg`), one column per run with `measure=`, or rows of
        measure and value; the dicts of pytrec_eval, query -> measure -> value, or run -> query -> measure -> value;
        the `Metric` tuples of ir_measures; a `ranx.Report`, or evaluated `ranx.Run`s; the tables of ragas, TruLens,
        open-rag-eval and MTEB, and the results of ragas, deepeval and MTEB. Polars tables are accepted too.
    measure : str, optional
        Measure of all columns, if each column is a run.
    measures : list of str, optional
        Columns or labels to keep; by default all, which must be measures of the catalog.
    run, query : str, optional
        Columns of the run(s) and the query, if their names are not known. A table with one row per run and no
        query column has means, which get the query 'all'. For dicts and tuples of one run, `run` is its name.
    higher : bool or mapping of measure to bool, optional
        Whether higher is better, for measures that are neither in the catalog nor known measures of tools for RAG.

    Returns
    -------
    DataFrame
        One row per run, query and measure: run, query, measure, value. Its `attrs` describe the measures of the
        catalog. Cells without a value have no row.

    Examples
    --------
    >>> import pdeval
    >>> wide = pd.DataFrame({"name": ["bm25", "bm25"], "qid": ["1", "2"], "map": [0.5, 0.25], "P_5": [0.4, 0.2]})
    >>> pdeval.scores(wide)
       name qid measure  value
    0  bm25   1     map   0.50
    1  bm25   1     P_5   0.40
    2  bm25   2     map   0.25
    3  bm25   2     P_5   0.20
    >>> by_run = pd.DataFrame({"qid": ["1", "2"], "bm25": [0.5, 0.25], "ql": [0.4, 0.35]})
    >>> pdeval.scores(by_run, measure="AP").ireval.order()
        run measure method  score  rank
    0  bm25      AP   mean  0.375     1
    1    ql      AP   mean  0.375     1
    """
    frame = _framed(table, run)
    if measure is None and measures is None:
        measure = MAIN if _has_models_as_columns(frame) else None
        measures = _feedback(frame)
    if measure is not None and (measures is not None or "measure" in frame.columns):
        raise ValueError(
            "measure= is the measure of all columns if each column is a run; it cannot be combined with measures=."
        )
    if kind_of(frame) == "scores" or {"measure", "value"} <= set(frame.columns):
        rows, runs, name = _with_ids(frame, run, query)
        read(rows, "scores", {"query": name, "run": runs})
    else:
        rows, runs, name = (
            _by_measure(frame, run, query, measures)
            if measure is None
            else _by_run(frame, query, measure)
        )
    rows = rows[[*runs, name, "measure", "value"]]
    if measures is not None:
        labels = rows["measure"].astype(str)
        if unknown := [label for label in measures if label not in set(labels)]:
            raise KeyError(f"no measure {unknown[0]!r} among {listed(rows['measure'].unique())}.")
        rows = rows[labels.isin(measures)]
    rows = rows.dropna(subset="value").reset_index(drop=True)
    if not len(rows):
        raise ValueError("the table has no values.")
    names = dict.fromkeys(rows["measure"].astype(str))
    _check_changed(names, higher)
    rows.attrs = {
        "measures": known_measures(names, higher),
        "run_columns": runs,
        "table": "scores",
        "query_column": name,
    }
    return rows


def _check_changed(labels: Iterable[str], higher: object) -> None:
    """Raise if the direction of a measure depends on the version of deepeval, and the caller does not state it."""
    stated = (
        set(higher) if isinstance(higher, Mapping) else set(labels if higher is not None else ())
    )
    if unstated := [label for label in labels if label.lower() in CHANGED and label not in stated]:
        raise ValueError(
            f"the direction of {unstated[0]!r} depends on the version of deepeval: lower is better in version 3, "
            f"higher in version 4.3. Specify it: higher={{{unstated[0]!r}: True}}, or False."
        )


def known_measures(labels: Iterable[str], higher: object = None) -> dict[str, Known]:
    """Return the descriptions of measures of other tools, by label; unknown ones are omitted.

    Examples
    --------
    >>> known_measures(["mrr_at_10", "mine"], higher={"mine": False})["mine"]["higher"]
    False
    """
    measures: dict[str, Known] = {}
    for label in labels:
        name = catalog_name(label)
        direction = known_direction(label)
        if name is not None:
            measures |= described([parse(name, label=label)])
        elif direction is not None:
            measures[label] = {**DEFAULT, "higher": direction}
        if (known := known_of(label, {"measures": measures}, higher)) is not None:
            measures[label] = known
    return measures


def known_direction(label: str) -> bool | None:
    """Return whether higher is better for a measure of a tool for RAG; None if it is unknown.

    Examples
    --------
    >>> [known_direction(label) for label in ("Answer Relevancy", "noise_sensitivity(mode=relevant)", "mine")]
    [True, False, None]
    """
    if re.search(r"\[.*(GEval|DAG)\]$", label):  # criteria of users of deepeval
        return True
    name = re.sub(r"\(.*\)$", "", label).strip().lower()
    name = re.sub(r"^(retrieval|generation)_score_", "", re.sub(r"\W+", "_", name))
    if name in LOWER_IS_BETTER.split():
        return False
    return True if name in HIGHER_IS_BETTER.split() else None


def _feedback(frame: pd.DataFrame) -> list[str] | None:
    """Return the feedback columns of a table of records of TruLens; None for other tables."""
    if not {"app_id", "record_id", "input"} <= set(frame.columns):
        return None
    return [name for name in map(str, frame.columns) if f"{name}_calls" in frame.columns] or None


def _has_models_as_columns(frame: pd.DataFrame) -> bool:
    """Return whether this is a wide table of MTEB: one row per task, one column per model."""
    others = [str(name) for name in frame.columns if name != "task_name"]
    known = any(name in MODELS or catalog_name(name) or _is_known(name) for name in others)
    return len(others) < len(frame.columns) and not known


def _open_rag_eval(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a table of open-rag-eval with one row per run: its columns begin with run_1_, run_2_, ..."""
    known = frame.columns.astype(str).str.extract(
        r"^(run_\d+)_(?:retrieval|generation)_score_(\w+)$"
    )
    runs = known[0].dropna().unique()
    if not len(runs):
        return frame
    parts = []
    for run in runs:
        places = known.index[known[0] == run]
        part = frame.iloc[:, places].set_axis(known.loc[places, 1].tolist(), axis=1)
        parts.append(frame[["query_id"]].assign(run=run).join(part.select_dtypes("number")))
    result = pd.concat(parts, ignore_index=True)
    return result.drop(columns="run") if len(runs) == 1 else result


def _framed(table: Any, run: Any) -> pd.DataFrame:
    """Return scores of any supported type as a DataFrame."""
    name = run if isinstance(run, str) else None
    several = table if isinstance(table, list | tuple) and table else [table]
    if all(is_ranx(one) for one in several):
        return pd.concat([_of_ranx_run(one) for one in several], ignore_index=True)
    convert = CONVERTERS.get(type(table).__module__.partition(".")[0], ())
    table = next((getattr(table, how)() for how in convert if hasattr(table, how)), table)
    formats = {key for keys in JSON_RESULTS for key in keys}
    if hasattr(table, "test_results") or (isinstance(table, Mapping) and formats & set(table)):
        is_file = isinstance(table, Mapping)
        rows = of_mapping(table, "the result") if is_file else _of_deepeval(table, "")
        frame = pd.DataFrame(rows, columns=COLUMNS)
        if frame["run"].notna().all():
            return frame
        return frame.drop(columns="run") if name is None else frame.assign(run=name)
    if isinstance(table, Mapping) and table and all(map(is_finite, table.values())):
        raise ValueError(
            f"this dict has one mean per measure ({listed(table)}), without queries. Use the result with one row per "
            "query, e.g. result.to_pandas() of ragas. To keep the means, use pdeval.scores(pandas.DataFrame([means]))."
        )
    if isinstance(table, Mapping):
        return from_dict(table, what="runs", run=name).rename(
            columns={"doc_id": "measure", "score": "value"}
        )
    if isinstance(table, Iterable) and not isinstance(table, str) and not hasattr(table, "columns"):
        table = list(table)
        fields = getattr(table[0], "_fields", ()) if table else ()
        if {"query_id", "measure", "value"} <= set(fields):
            metrics = pd.DataFrame(table, columns=fields)
            metrics["measure"] = metrics["measure"].map(str)
            return metrics if name is None else metrics.assign(run=name)
    frame = as_table(table)
    if not isinstance(frame, pd.DataFrame):
        raise TypeError(not_a_table(frame, "a table of scores"))
    if "task_name" in frame.columns:  # MTEB adds the column is_public
        return frame.select_dtypes(exclude="bool").rename(columns={"score": MAIN})
    return _open_rag_eval(frame)


def _of_ranx_run(run: Any) -> pd.DataFrame:
    """Return the scores of a run that ranx evaluated: metric -> query -> value."""
    metrics = dict(getattr(run, "scores", {}))
    if not metrics:
        raise ValueError(
            "this ranx.Run has no scores. Evaluate it first: ranx.evaluate(qrels, run, metrics)."
        )
    rows = [
        (run.name or "run", query, metric, value)
        for metric, values in metrics.items()
        for query, value in values.items()
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


def _with_ids(
    frame: pd.DataFrame, run: Any, query: str | None
) -> tuple[pd.DataFrame, list[str], str]:
    """Return a table of scores with columns for runs and queries, and their names.

    A table of one run, or of means, may not have them. A column that may have ids under an unknown name is an error.
    """
    name, runs = _query_column(frame, query), _run_names(frame, run)
    apps = [one for one in APPS if one in (*frame.columns, *frame.index.names)]
    if apps and name is None and not runs:
        raise ValueError(
            f"this is a leaderboard of TruLens: means per app ({', '.join(apps)}), without queries. Use the table with "
            "one row per record: records, _ = session.get_records_and_feedback(); pdeval.scores(records). To keep the "
            f"means, use pdeval.scores(leaderboard.reset_index(), run={apps!r})."
        )
    known = {"run": runs, "query": [] if name is None else [name]}
    ask_for_ids(frame, known | ({"measure": ["measure"]} if "measure" in frame else {}))
    frame = frame if name is not None else frame.assign(query_id=MEANS)
    frame = frame if runs else frame.assign(run=run if isinstance(run, str) else "run")
    return frame, runs or ["run"], name or "query_id"


def _query_column(frame: pd.DataFrame, query: str | None) -> str | None:
    if query is not None and query not in frame.columns:
        raise KeyError(f"no column {query!r}; the table has {listed(frame.columns)}.")
    names = [query] if query is not None else candidates("query", frame.columns)
    names = names or [name for name in QUESTIONS if name in frame.columns][:1]
    if len(names) > 1:
        raise ValueError(
            f"two columns could be the query: {names[0]!r} and {names[1]!r}. Specify it: query={names[0]!r}."
        )
    return names[0] if names else None


def _by_run(
    frame: pd.DataFrame, query: str | None, measure: str
) -> tuple[pd.DataFrame, list[str], str]:
    name = _query_column(frame, query)
    if name is None:
        raise ValueError(f"no query column among {listed(frame.columns)}. Specify it: query=...")
    runs = [column for column in frame.columns if column != name]
    texts = [column for column in runs if not pd.api.types.is_numeric_dtype(frame[column].dtype)]
    if texts or not runs:
        fault = f"the column {texts[0]!r} is not numeric" if texts else "there are no other columns"
        raise ValueError(
            f"with measure=, all columns except {name!r} must be runs with numeric values, but {fault}."
        )
    rows = frame.melt(id_vars=name, value_vars=runs, var_name="run", value_name="value")
    return rows.assign(measure=measure), ["run"], name


def _by_measure(
    frame: pd.DataFrame, run: Any, query: str | None, measures: Sequence[str] | None
) -> tuple[pd.DataFrame, list[str], str]:
    wide, runs, name = _with_ids(frame, run, query)
    others = [column for column in frame.columns if column not in (name, *runs)]
    numeric = [column for column in others if pd.api.types.is_numeric_dtype(frame[column].dtype)]
    labels = numeric if measures is None else list(measures)
    if absent := [column for column in labels if column not in frame.columns]:
        raise KeyError(f"no column {absent[0]!r}; the table has {listed(frame.columns)}.")
    unknown = [
        column
        for column in labels
        if measures is None and catalog_name(str(column)) is None and not _is_known(str(column))
    ]
    if unknown or not labels:
        known = [str(column) for column in labels if column not in unknown]
        hint = (
            f"Use measures={known!r} to keep the known ones"
            if known
            else "Use measures=[...] to select the measures"
        )
        raise ValueError(
            f"the columns {listed(unknown or frame.columns)} are not measures of the catalog. {hint}. If each "
            "column is a run, specify the measure: measure='AP'."
        )
    # melt stacks measure by measure; sorting by row makes the measures of a row adjacent
    return (
        wide.assign(_row=range(len(wide)))
        .melt(id_vars=[*runs, name, "_row"], value_vars=labels, var_name="measure")
        .sort_values("_row", kind="stable", ignore_index=True),
        runs,
        name,
    )


def _is_known(label: str) -> bool:
    return known_direction(label) is not None or label.lower() in CHANGED


def _run_names(frame: pd.DataFrame, run: Any) -> list[str]:
    if isinstance(run, str):
        return [run] if run in frame.columns else []
    if run is not None:
        if missing := [name for name in run if name not in frame.columns]:
            raise KeyError(f"no run column {listed(missing)} among {listed(frame.columns)}.")
        return list(run)
    hinted = frame.attrs.get("run_columns") or ()
    if hinted and set(hinted) <= set(frame.columns):
        return list(hinted)
    known = [name for name in (*names_of("run"), *MODELS) if name in frame.columns]
    if not known and _feedback(frame):
        return [name for name in APPS[:2] if name in frame.columns]
    return ["run"] if "run" in known else known[:1]


META = "model_meta.json"  # file with the name of the model in the results of MTEB


@checks_arguments
def read_scores(
    paths: file_io.PathLike | Iterable[file_io.PathLike] | Mapping[str, file_io.PathLike],
    *,
    names: Names = "file",
    measures: Sequence[str] | None = None,
    higher: bool | Mapping[str, bool] | None = None,
    queries: Literal["answered", "common"] | None = None,
    encoding: str | None = None,
) -> pd.DataFrame:
    """Read score files of other tools into one scores table, which has `.order()`, `.compare()`, `.report()`.

    Supported are the outputs of `trec_eval -q` and `ir_measures -q` (and means, without -q), JSON lines of ir_measures,
    results of BEIR and MTEB and reports of ranx in JSON, and CSV, TSV or parquet with one row per value or one
    column per measure. Means are omitted if there are queries. If a file has only means, the query is
    the collection (MTEB's task) or 'all'.

    Parameters
    ----------
    paths : path, pattern, folder, list of these, or dict of run name to path
        The files. A run may be in several files, each with other queries, measures or collections.
    names : {'file', 'tag'}
        Whether a run is named after its file, without .eval .txt .json and compression, or by the `runid` of trec_eval.
        A run name in the file is kept; results of MTEB are named after their model, or its folder.
    measures : list of str, optional
        Labels to keep; by default all.
    higher : bool or mapping of measure to bool, optional
        Whether higher is better, for measures that are not in the catalog.
    queries : {'answered', 'common'}, optional
        Queries to keep if runs have different queries: all, or those of every run. By default all are
        kept, with a warning.
    encoding : str, optional
        Encoding of files that are not UTF-8.

    Returns
    -------
    DataFrame
        One row per run, query and measure: run, query_id, measure, value. Most tools print four decimals, so ties may
        result from rounding.

    Examples
    --------
    >>> import pdeval, tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "bm25.eval").write_text("map 301 0.25\\nmap 302 0.75\\nmap all 0.5\\n")
    >>> _ = (folder / "ql.eval").write_text("map 301 0.50\\nmap 302 0.80\\nmap all 0.65\\n")
    >>> pdeval.read_scores(folder).ireval.order()
        run measure method  score  rank
    0    ql     map   mean   0.65     1
    1  bm25     map   mean   0.50     2
    """
    names = check_options(names, encoding)
    common = queries and one_of("queries", queries, ("answered", "common"))
    paths_of_run = paths if isinstance(paths, Mapping) else {None: paths}
    parts = []
    for name, path in (
        (name, path) for name, several in paths_of_run.items() for path in file_io.expand(several)
    ):
        if path.name == META:
            continue
        part = _rows(path, encoding)
        has_run = "run" in part.columns and part["run"].notna().all()
        is_text = file_io.ending(path) not in (".json", ".csv", ".tsv", ".parquet")
        if name is not None or not has_run or (names == "file" and is_text):
            part = part.assign(run=name or _run_name(path))
        parts.append(part.assign(_file=str(path)))
    return _together(parts, measures, higher, common)


def _run_name(path: Path) -> str:
    """Return the name of a run from its file; for a result of MTEB, the name of the model."""
    beside = path.parent / META
    if file_io.ending(path) == ".json" and beside.is_file():
        return str(json.loads(beside.read_text(encoding="utf-8")).get("name") or path.parent.name)
    name = file_io.run_name(path)
    return re.sub(r"(?i)\.(eval|json|jsonl|scores)$", "", name) or name


def _rows(path: Path, encoding: str | None) -> pd.DataFrame:
    """Return the rows of a file: run (optional), query_id, measure, value; ids as strings."""
    if file_io.is_parquet(path):
        file_io.check_present(path)
        return _tidy(pd.read_parquet(path), path)
    data = file_text(path, encoding)
    if data.lstrip().startswith((b"{", b"[")):
        return of_json(data.decode(), path)
    if file_io.ending(path) not in SEPARATORS:
        return of_text(data.decode(), path)
    ids = (*names_of("run"), *names_of("query"))
    return _tidy(frame_of(separated_table(data, SEPARATORS[file_io.ending(path)], ids, path)), path)


def _tidy(frame: pd.DataFrame, path: Path) -> pd.DataFrame:
    """Return a table of scores, long or wide, under pdeval's names."""
    try:
        frame = _framed(frame, None)
        rows = scores(frame)
    except (ValueError, KeyError) as fault:
        raise ValueError(f"'{path}': {fault.args[0]}") from None
    runs = rows.attrs["run_columns"]
    if len(runs) > 1:
        raise ValueError(
            f"'{path}' identifies runs by {', '.join(runs)}. Read it with pandas, then use pdeval.scores(...)."
        )
    renamed = rows.rename(columns={runs[0]: "run", rows.attrs["query_column"]: "query_id"})
    return renamed if runs[0] in frame.columns else renamed.assign(run=None)


def _together(
    parts: list[pd.DataFrame], measures: Any, higher: Any, queries: str | None
) -> pd.DataFrame:
    """Return the rows of all files in one table; a repeated value is an error."""
    rows = pd.concat(parts, ignore_index=True).astype({"run": str, "query_id": str, "measure": str})
    if measures is not None and set(measures) & set(rows["measure"]):
        rows = rows[rows["measure"].isin(measures)]
    key = ["run", "query_id", "measure"]
    again = rows.duplicated(key)
    if again.any():
        row = rows[again].iloc[0]
        both = rows[(rows[key] == row[key]).all(axis=1)]["_file"].unique()
        where = " and ".join(f"'{path}'" for path in both[:2])
        raise ValueError(
            f"{int(again.sum()):,} values occur twice, e.g. {row['measure']} of run {row['run']!r} for query "
            f"{row['query_id']!r} in {where}. Name the runs explicitly: read_scores({{'bm25': path, ...}})."
        )
    table = scores(
        rows.drop(columns="_file"), measures=measures, higher=higher, run="run", query="query_id"
    )
    return _even(table, queries)


def _even(table: pd.DataFrame, rule: str | None) -> pd.DataFrame:
    """Return scores whose runs have the same queries if that is requested; else warn about the differences."""
    # (queries, runs), both sorted: whether the run has the query
    has = pd.crosstab(table["query_id"], table["run"]).to_numpy() > 0
    if rule == "answered" or has.all():
        return table
    queries, runs = np.unique(table["query_id"]), np.unique(table["run"])
    common = queries[has.all(axis=1)]
    if MEANS in queries and len(queries) > 1:
        lone = runs[has[queries == MEANS][0]][0]
        raise ValueError(
            f"run {lone!r} has only means, but others have queries. Print it with -q, or drop it."
        )
    if not len(common):
        raise ValueError(
            f"no query is common to all {len(runs):,} runs, so they cannot be compared: e.g. {runs[0]!r} has "
            f"{queries[has[:, 0]][0]!r}, {runs[-1]!r} has {queries[has[:, -1]][0]!r}. Read files with the same "
            "queries together."
        )
    if rule == "common":
        return table[table["query_id"].isin(common)].reset_index(drop=True)
    least = int(has.sum(axis=0).argmin())
    warnings.warn(
        f"runs have different queries: {len(common):,} of {len(queries):,} are common to all, run {runs[least]!r} has "
        f"{int(has[:, least].sum()):,}. Means are over the queries of each run. Use queries='common' to keep the "
        "common ones.",
        stacklevel=4,
    )
    return table
