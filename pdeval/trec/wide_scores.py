"""Scores in other forms to a scores table: one column per measure or per run, dicts, named tuples, ranx' results."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd

from pdeval.catalog.entries import parse
from pdeval.catalog.known import Known, described, known_of
from pdeval.kinds.dicts import from_dict, is_ranx
from pdeval.kinds.frames import as_table, not_a_table
from pdeval.kinds.recognition import kind_of
from pdeval.kinds.tables import read
from pdeval.kinds.vocabularies import candidates, listed, names_of
from pdeval.mechanics.declared import checks_arguments
from pdeval.trec.score_layouts import COLUMNS, MEANS, catalog_name, of_mapping

MODELS = ("model_names", "model", "system", "method")  # runs, where no column has a name that means a run


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
        One column per measure (PyTerrier's `name, qid, map, ndcg`), one column per run with `measure=`, or rows of
        measure and value; the dicts of pytrec_eval, query -> measure -> value, or run -> query -> measure -> value;
        the `Metric` tuples of ir_measures; a `ranx.Report`, or evaluated `ranx.Run`s. Tables may be Polars' or others'.
    measure : str, optional
        What all columns hold, where each is a run.
    measures : list of str, optional
        The columns, or labels, to keep; by default all of them, which must be measures that the catalog knows.
    run, query : str, optional
        The columns of the run(s) and of the query, where their names do not tell; without a query column, values are
        means, of the query 'all'. For dicts and tuples of one run, `run` is its name.
    higher : bool or mapping of measure to bool, optional
        Whether more is better, for measures that the catalog does not know.

    Returns
    -------
    DataFrame
        One row per run, query and measure: run, query, measure, value. It carries what the catalog knows of the
        measures under their labels here. Cells without a value have no row.

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
    if measure is not None and (measures is not None or "measure" in frame.columns):
        raise ValueError("measure= says what the columns hold where each is a run; it does not go with measures=.")
    if kind_of(frame) == "scores" or {"measure", "value"} <= set(frame.columns):
        made, runs = _long(frame, run, query)
    elif measure is not None:
        made, runs = _by_run(frame, query, measure)
    else:
        made, runs = _by_measure(frame, run, query, measures)
    if measures is not None:
        lacking = [name for name in measures if name not in set(made["measure"].astype(str))]
        if lacking:
            raise KeyError(f"no measure {lacking[0]!r}; there are {listed(made['measure'].unique())}.")
        made = made[made["measure"].astype(str).isin(measures)]
    made = made.dropna(subset="value").reset_index(drop=True)
    if not len(made):
        raise ValueError("there are no values: the table is empty.")
    labels = list(dict.fromkeys(made["measure"].astype(str)))
    made.attrs = {"measures": known_measures(labels, higher), "run_columns": runs, "table": "scores"}
    made.attrs["query_column"] = next(name for name in made.columns if name not in (*runs, "measure", "value"))
    return made


def known_measures(labels: Iterable[str], higher: object = None) -> dict[str, Known]:
    """Return what is known of measures under the labels of other tools; what is not known is left to be asked for.

    Examples
    --------
    >>> known_measures(["mrr_at_10", "mine"], higher={"mine": False})["mine"]["higher"]
    False
    """
    found: dict[str, Known] = {}
    for label in labels:
        name = catalog_name(label)
        if name is not None:
            found |= described([parse(name, label=label)])
        known = known_of(label, {"measures": found}, higher)
        if known is not None:
            found[label] = known
    return found


def _framed(table: Any, run: Any) -> pd.DataFrame:
    """Return any form of scores as a frame."""
    one = isinstance(run, str)
    if isinstance(table, list | tuple) and table and all(is_ranx(each) for each in table):
        return pd.concat([_of_ranx_run(each) for each in table], ignore_index=True)
    if is_ranx(table):
        return _of_ranx_run(table)
    if type(table).__module__.partition(".")[0] == "ranx" and hasattr(table, "to_dict"):
        return of_mapping(table.to_dict(), "the report")
    if isinstance(table, Mapping):
        held = from_dict(table, what="runs", run=run if one else None)
        return held.rename(columns={"doc_id": "measure", "score": "value"})
    if isinstance(table, Iterable) and not isinstance(table, str) and not hasattr(table, "columns"):
        rows = list(table)
        if rows and {"query_id", "measure", "value"} <= set(getattr(rows[0], "_fields", ())):
            held = pd.DataFrame(rows, columns=rows[0]._fields)
            held["measure"] = held["measure"].map(str)
            return held.assign(run=run) if one else held
        table = rows
    frame = as_table(table)
    if not isinstance(frame, pd.DataFrame):
        raise TypeError(not_a_table(frame, "a table of scores"))
    return frame


def _of_ranx_run(run: Any) -> pd.DataFrame:
    """Return what ranx left in a run that it evaluated: metric -> query -> value."""
    held = dict(getattr(run, "scores", {}))
    if not held:
        raise ValueError("this ranx.Run holds no scores: evaluate it first, ranx.evaluate(qrels, run, metrics).")
    parts = [
        pd.DataFrame({"run": run.name or "run", "query_id": list(each), "measure": name, "value": list(each.values())})
        for name, each in held.items()
    ]
    return pd.concat(parts, ignore_index=True)[COLUMNS]


def _long(frame: pd.DataFrame, run: Any, query: str | None) -> tuple[pd.DataFrame, list[str]]:
    """Return rows of measure and value with the columns of a scores table alone."""
    columns = set(frame.columns)
    name = query or next(iter(candidates("query", frame.columns)), None)
    frame = frame if name is not None else frame.assign(query_id=MEANS)
    bound = {"query": name or "query_id"} | ({"run": run} if run is not None and _named(run, columns) else {})
    table = read(frame, "scores", bound)
    runs = list(table.run_columns)
    frame = frame if runs else frame.assign(run=run if isinstance(run, str) else "run")
    runs = runs or ["run"]
    return frame[[*runs, bound["query"], "measure", "value"]], runs


def _named(run: Any, columns: set[Any]) -> bool:
    return set([run] if isinstance(run, str) else run) <= columns


def _query_column(frame: pd.DataFrame, query: str | None) -> str | None:
    if query is not None and query not in frame.columns:
        raise KeyError(f"no column {query!r}; the table has {listed(frame.columns)}.")
    found = [query] if query is not None else candidates("query", frame.columns)
    if len(found) > 1:
        raise ValueError(
            f"two columns could be the query: {found[0]!r} and {found[1]!r}. Say which: query={found[0]!r}."
        )
    return found[0] if found else None


def _by_run(frame: pd.DataFrame, query: str | None, measure: str) -> tuple[pd.DataFrame, list[str]]:
    name = _query_column(frame, query)
    if name is None:
        raise ValueError(f"no query column among {listed(frame.columns)}; say which: query=...")
    others = [column for column in frame.columns if column != name]
    texts = [column for column in others if not pd.api.types.is_numeric_dtype(frame[column].dtype)]
    if texts or not others:
        said = f"the column {texts[0]!r} holds no numbers" if texts else "there are none"
        raise ValueError(f"beside {name!r} every column is to be a run with its values, but {said}.")
    made = frame.melt(id_vars=name, value_vars=others, var_name="run", value_name="value").assign(measure=measure)
    return made[["run", name, "measure", "value"]], ["run"]


def _by_measure(
    frame: pd.DataFrame, run: Any, query: str | None, measures: Sequence[str] | None
) -> tuple[pd.DataFrame, list[str]]:
    name = _query_column(frame, query)
    runs = _run_names(frame, run)
    others = [column for column in frame.columns if column not in (name, *runs)]
    numeric = [column for column in others if pd.api.types.is_numeric_dtype(frame[column].dtype)]
    asked = list(measures) if measures is not None else numeric
    lacking = [column for column in asked if column not in frame.columns]
    if lacking:
        raise KeyError(f"no column {lacking[0]!r}; the table has {listed(frame.columns)}.")
    unknown = [column for column in asked if catalog_name(str(column)) is None] if measures is None else []
    if unknown or not asked:
        known = [str(column) for column in asked if column not in unknown]
        hint = f"measures={known!r} keeps those that are" if known else "measures=[...] names those that are"
        raise ValueError(
            f"the columns {listed(unknown or frame.columns)} are no measures that the catalog knows; {hint}. Where "
            "each column is a run, say what they hold: measure='AP'."
        )
    held = frame if name is not None else frame.assign(query_id=MEANS)
    held = held if runs else held.assign(run=run if isinstance(run, str) else "run")
    ids = [*(runs or ["run"]), name or "query_id"]
    made = held.assign(_row=range(len(held))).melt(id_vars=[*ids, "_row"], value_vars=asked, var_name="measure")
    made = made.sort_values("_row", kind="stable", ignore_index=True)  # the measures of a row stand together
    return made[[*ids, "measure", "value"]], ids[:-1]


def _run_names(frame: pd.DataFrame, run: Any) -> list[str]:
    if run is not None and not isinstance(run, str):
        if missing := [name for name in run if name not in frame.columns]:
            raise KeyError(f"no column {listed(missing)} to name the runs by; there are {listed(frame.columns)}.")
        return list(run)
    if run is not None and run in frame.columns:
        return [run]
    known = [name for name in (*names_of("run"), *MODELS) if name in frame.columns]
    if run is not None or not known:
        return []
    return known[:1] if "run" not in known else ["run"]
