"""How other tools write scores: trec_eval, ir_measures, BEIR, MTEB, ranx; each to rows of [run], query, measure, value.

Where a tool writes means alone, the query is the collection, or 'all' where it has no name.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from pdeval.catalog.entries import parse
from pdeval.catalog.trec_eval import TEXTS

MEANS = "all"  # what trec_eval and ir_measures call all queries together
COLUMNS = ["run", "query_id", "measure", "value"]


def catalog_name(label: str) -> str | None:
    """Return how the catalog spells a measure under the label of another tool, or None where it has no such measure.

    Examples
    --------
    >>> catalog_name("ndcg_at_10"), catalog_name("ndcg_cut_10"), catalog_name("main_score")
    ('ndcg@10', 'ndcg_cut_10', None)
    """
    for name in (label, re.sub(r"_at_(\d+)$", r"@\1", label)):
        try:
            parse(name)
        except (KeyError, ValueError, TypeError):
            continue
        return name
    return None


def of_text(text: str, path: Path) -> pd.DataFrame:
    """Return the rows of trec_eval's output, or of ir_measures' command; means are left out where queries are there.

    Examples
    --------
    >>> rows = of_text("map 301 0.25\\nmap 302 0.75\\nmap all 0.5\\nrunid all bm25\\n", Path("bm25.eval"))
    >>> rows[["query_id", "measure", "value"]].values.tolist()
    [['301', 'map', 0.25], ['302', 'map', 0.75]]
    """
    if not text.strip():
        raise ValueError(f"'{path}' is empty.")
    try:
        held = pd.read_csv(io.StringIO(text), sep=r"\s+", header=None, dtype=str, keep_default_na=False, quoting=3)
    except pd.errors.ParserError as fault:
        raise ValueError(f"'{path}' is not what trec_eval or ir_measures print: {str(fault).strip()}") from fault
    if held.shape[1] == 2:
        held.insert(0, "query", MEANS)
    if held.shape[1] != 3:
        raise ValueError(
            f"'{path}' has {held.shape[1]} columns; trec_eval prints measure, query and value, ir_measures query, "
            "measure and value."
        )
    held.columns = ["query_id", "measure", "value"] if _second(held, path) else ["measure", "query_id", "value"]
    tags = held.loc[held["measure"] == "runid", "value"].unique()
    held = held[~held["measure"].isin(TEXTS)]
    wrong = held[pd.to_numeric(held["value"], errors="coerce").isna()]
    if len(wrong):
        line = int(wrong.index[0]) + 1
        raise ValueError(f"'{path}', line {line}: the value {wrong['value'].iloc[0]!r} is no number.")
    values = held["value"].to_numpy(dtype=object).astype(np.float64)  # the nearest float, which to_numeric may miss
    held = held.assign(value=values, run=str(tags[0]) if len(tags) == 1 else None)
    single = held[held["query_id"] != MEANS]
    return (single if len(single) else held)[COLUMNS].reset_index(drop=True)


def _second(held: pd.DataFrame, path: Path) -> bool:
    """Whether measures stand in the second column, as ir_measures prints them, by which of two are known."""
    shares = []
    for place in (0, 1):
        names = [name for name in held.iloc[:, place].unique() if name not in TEXTS]
        shares.append(sum(catalog_name(name) is not None for name in names) / max(len(names), 1))
    if max(shares) == 0:
        raise ValueError(
            f"'{path}': no measure is known in its first or second column, e.g. {held.iloc[0, 0]!r} and "
            f"{held.iloc[0, 1]!r}; trec_eval prints measure, query and value, ir_measures query, measure and value."
        )
    return shares[1] > shares[0]


def of_json(text: str, path: Path) -> pd.DataFrame:
    """Return the rows of a result in JSON: ir_measures' lines, MTEB's, BEIR's, or a report of ranx.

    Examples
    --------
    >>> of_json('{"ndcg": {"NDCG@10": 0.5}, "map": {"MAP@10": 0.25}}', Path("scifact.json"))["measure"].tolist()
    ['NDCG@10', 'MAP@10']
    """
    try:
        held = json.loads(text)
    except json.JSONDecodeError:
        try:
            held = [json.loads(line) for line in text.splitlines() if line.strip()]
        except json.JSONDecodeError as fault:
            raise ValueError(f"'{path}' is not JSON: {fault}.") from None
    if isinstance(held, list):
        return _of_lines(held, path)
    return of_mapping(held, f"'{path}'")


def _of_lines(held: list[Any], path: Path) -> pd.DataFrame:
    if not held or not all(isinstance(one, Mapping) and {"measure", "value"} <= set(one) for one in held):
        raise ValueError(f"'{path}' holds a list in JSON, but not of objects with measure and value.")
    rows = pd.DataFrame(held)
    rows["query_id"] = rows["query_id"].astype(str) if "query_id" in rows else MEANS
    single = rows[rows["query_id"] != MEANS]
    rows = single if len(single) else rows
    return rows.assign(run=None, value=rows["value"].astype(float))[COLUMNS].reset_index(drop=True)


def of_mapping(held: Any, where: str) -> pd.DataFrame:
    """Return the rows of a result that is a mapping, as MTEB, BEIR and ranx write it.

    Examples
    --------
    >>> scores = {"test": [{"ndcg_at_10": 0.5, "main_score": 0.5, "hf_subset": "default"}]}
    >>> of_mapping({"task_name": "SciFact", "scores": scores}, "SciFact.json").values.tolist()
    [[None, 'SciFact', 'ndcg_at_10', 0.5], [None, 'SciFact', 'main_score', 0.5]]
    """
    if not isinstance(held, Mapping) or not held:
        raise ValueError(f"{where} holds {type(held).__name__} in JSON; expected a result of MTEB, BEIR or ranx.")
    if "model_names" in held:
        rows = [
            (name, MEANS, measure, value)
            for name in held["model_names"]
            for measure, value in held[name]["scores"].items()
        ]
    elif "task_name" in held or "mteb_dataset_name" in held:
        rows = _of_mteb(held, where)
    else:
        rows = _of_beir(held, where)
    if not rows:
        raise ValueError(f"{where} holds no scores.")
    return pd.DataFrame(rows, columns=COLUMNS)


def _of_mteb(held: Mapping[str, Any], where: str) -> list[tuple[Any, ...]]:
    task = held.get("task_name", held.get("mteb_dataset_name"))
    splits = held.get("scores") or {name: [one] for name, one in held.items() if isinstance(one, Mapping)}
    split = "test" if "test" in splits else next(iter(splits), None)
    if split is None or (split != "test" and len(splits) > 1):
        raise ValueError(f"{where} holds the splits {', '.join(splits) or 'none'}; which is meant cannot be told.")
    subsets = splits[split]
    rows: list[tuple[Any, ...]] = []
    for one in subsets:
        query = task if len(subsets) == 1 else f"{task}/{one.get('hf_subset', len(rows))}"
        rows += [(None, query, name, value) for name, value in one.items() if _is_score(name, value)]
    return rows


def _is_score(name: str, value: Any) -> bool:
    # how well a model knows when to abstain is no score of its rankings
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number and not name.startswith("nauc_") and name not in ("evaluation_time", "num_samples")


def _of_beir(held: Mapping[str, Any], where: str) -> list[tuple[Any, ...]]:
    rows: list[tuple[Any, ...]] = []
    for name, one in held.items():
        if isinstance(one, Mapping):
            query = MEANS if catalog_name(str(name)) else str(name)  # "ndcg" holds NDCG@1, NDCG@3, ...
            rows += [(None, query, label, value) for label, value in one.items()]
        else:
            rows.append((None, MEANS, name, one))
    wrong = [label for _, _, label, value in rows if not _is_score(str(label), value)]
    if wrong:
        raise ValueError(
            f"{where}: {wrong[0]!r} is no number. Expected are measures and their values, as BEIR writes them, or a "
            "result of MTEB or ranx."
        )
    return rows
