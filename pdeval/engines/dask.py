"""`.ireval` on Dask DataFrames: measure, prefer, summary, order, compare, as on pandas and with the same numbers.

`import pdeval.engines.dask` registers the accessor; `pdeval.read_runs(..., engine="dask")` does so by itself.

A run table is evaluated in partitions that hold whole queries. Each verb first reads the id columns, which tells the
runs, which queries they answered, and how the rows are divided. Rows are shuffled only where that is needed: where a
judged query is spread over partitions, unless the measures look at single lists and every list is whole (files of
one run each). `to_parquet` writes a table so that no evaluation of it shuffles again. The first pass and the
evaluation read the table once each: persist what is costly to make.

Progress is Dask's own: `with dask.diagnostics.ProgressBar(): ...`, or the dashboard of a cluster. Where workers have
little memory, set ARROW_DEFAULT_MEMORY_POOL=system in their environment: Arrow keeps freed memory for itself, and
Dask, which takes it for used, may stop such a worker in the middle of a shuffle.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

try:
    from dask.dataframe.extensions import register_dataframe_accessor
except ImportError as error:
    raise ImportError("the Dask engine needs dask: pip install 'pdeval[dask]'.") from error

from pdeval.catalog import parse_all
from pdeval.engines import layout
from pdeval.engines.dividing import join
from pdeval.engines.joined import MEASURES, Joined
from pdeval.engines.reading import read_runs
from pdeval.evaluate import scores as evaluate
from pdeval.kinds import tables

__all__ = ["DaskIreval", "read_runs"]

RULES = ("level", "topics", "ties", "compat", "depth", "validate")


@register_dataframe_accessor("ireval")
class DaskIreval:
    """Evaluation of rankings on a Dask DataFrame.

    On a run table `measure` and `prefer` return lazy Dask frames: one partition each for the partitions of the rows,
    rows sorted inside a partition as pandas sorts them, dtypes those of pandas with all runs and queries as known
    categories. `summary`, `order` and `compare` return pandas frames. On Dask tables of scores or preferences the
    last three gather the table; on the run table itself they never hold more than its queries x runs.

    Examples
    --------
    >>> import dask.dataframe as dd, pdeval
    >>> runs = dd.from_pandas(pdeval.datasets.sample_runs(), npartitions=4)
    >>> runs.ireval
    a run table (run, query, doc, score) on Dask: 4 partitions; next: .measure(qrels), .prefer(qrels)
    """

    def __init__(self, frame: Any) -> None:
        self._frame = frame
        self._binding: dict[str, Any] = {}

    def __call__(self, **binding: Any) -> DaskIreval:
        """Return the accessor with roles bound to columns: `run`, `query`, `doc`, `score`, `rank`, `grade`, ...

        Examples
        --------
        >>> import dask.dataframe as dd
        >>> frame = pd.DataFrame({"topic_no": ["1"], "docno": ["d"], "label": [1]})
        >>> dd.from_pandas(frame, npartitions=1).ireval(query="topic_no")
        a judgments table (query, doc, grade) on Dask: 1 partition
        """
        bound = DaskIreval(self._frame)
        bound._binding = tables._checked_binding(self._frame._meta, {**self._binding, **binding}, "runs")
        return bound

    def __repr__(self) -> str:
        kind = self._kind()
        if kind is None:
            return "a Dask table that pdeval does not recognise; bind its roles: df.ireval(query=..., doc=...)"
        count = self._frame.npartitions
        then = {"runs": "; next: .measure(qrels), .prefer(qrels)", "scores": "; next: .summary(), .order(), .compare()"}
        return f"{tables.NAMES[kind]} on Dask: {count:,} partition{'s' * (count != 1)}{then.get(kind, '')}"

    def _kind(self) -> str | None:
        return tables.kind_of(self._frame._meta, self._binding)

    def join(self, qrels: object, **rules: Any) -> Joined:
        """Return the join of these runs with judgments: an object to keep, so that several verbs count rows once.

        Parameters
        ----------
        qrels : pandas or Dask DataFrame, or bound accessor
            Judgments. Small ones are sent to every worker, large ones divided as the runs are.
        **rules
            level, topics, ties, compat, depth, validate, as on pandas.

        Examples
        --------
        >>> import dask.dataframe as dd, pdeval
        >>> runs = dd.from_pandas(pdeval.datasets.sample_runs(), npartitions=4)
        >>> joined = runs.ireval.join(pdeval.datasets.sample_qrels(), topics="answered")
        >>> len(joined.measure("AP"))
        598
        """
        return self._join(qrels, None, rules, "join")

    def _join(self, qrels: object, measures: object, rules: dict[str, Any], verb: str) -> Joined:
        unknown = sorted(set(rules) - set(RULES))
        if unknown:
            raise TypeError(f"{verb}() has no option {unknown[0]!r}; the rules of a join are {', '.join(RULES)}.")
        return join(self, qrels, measures, **rules)

    def measure(self, qrels: object, measures: object = MEASURES, **rules: Any) -> Any:
        """Return what every run scores on every query, as a lazy Dask frame: run, query, measure, value.

        Parameters
        ----------
        measures : str or list
            Names such as "nDCG@10" or "RBP(p=0.9)"; `pdeval.catalog()` lists all.
        qrels, **rules
            As in `join`.

        Examples
        --------
        >>> import dask.dataframe as dd, pdeval
        >>> runs = dd.from_pandas(pdeval.datasets.sample_runs(), npartitions=4)
        >>> scores = runs.ireval.measure(pdeval.datasets.sample_qrels(), ["AP", "nDCG@10"], topics="answered")
        >>> list(scores), len(scores)
        (['run', 'query_id', 'measure', 'value'], 1196)
        """
        evaluate.only_metrics(parse_all(measures))
        return self._join(qrels, measures, rules, "measure").measure(measures)

    def prefer(
        self,
        qrels: object,
        measures: object = ("RPP",),
        *,
        baseline: object = None,
        pairs: object = None,
        **rules: Any,
    ) -> Any:
        """Return the preferences between runs on every query, as a lazy Dask frame: query, run_a, run_b, ...

        Parameters
        ----------
        measures, baseline, pairs
            As on pandas.
        qrels, **rules
            As in `join`.

        Examples
        --------
        >>> import dask.dataframe as dd, pdeval
        >>> runs = dd.from_pandas(pdeval.datasets.sample_runs(), npartitions=4)
        >>> prefs = runs.ireval.prefer(pdeval.datasets.sample_qrels(), "RPP", baseline="bm25", topics="common")
        >>> len(prefs)
        528
        """
        # any measure is a preference through its difference, and a pair's two lists may be in two partitions
        joined = self._join(qrels, [*parse_all(measures), "RPP"], rules, "prefer")
        return joined.prefer(measures, baseline=baseline, pairs=pairs)

    def summary(
        self,
        qrels: object = None,
        measures: object = MEASURES,
        *,
        by: str | Sequence[str] | None = None,
        wide: bool = False,
        confidence: float = 0.95,
        **rules: Any,
    ) -> pd.DataFrame:
        """Return per run and measure: n, mean, sd, ci_low, ci_high, as a pandas frame.

        On a scores table as on pandas; on a run table with judgments, `runs.ireval.summary(qrels, "AP")`.

        Parameters
        ----------
        qrels, measures, **rules
            As in `measure`; for a run table.
        by, wide, confidence
            As on pandas; `by` for a scores table.

        Examples
        --------
        >>> import dask.dataframe as dd, pdeval
        >>> runs = dd.from_pandas(pdeval.datasets.sample_runs(), npartitions=4)
        >>> table = runs.ireval.summary(pdeval.datasets.sample_qrels(), ["AP", "RR"], topics="answered", wide=True)
        >>> table.round(3).head(2).to_dict("records")
        [{'run': 'bm25', 'AP': 0.328, 'RR': 0.746}, {'run': 'bm25+rm3', 'AP': 0.337, 'RR': 0.744}]
        """
        if _names(qrels):
            by, qrels = qrels, None  # type: ignore[assignment]
        if self._kind() != "runs":
            return self._local().summary(by, wide=wide, confidence=confidence)
        if qrels is None or by is not None:
            raise ValueError(
                "summary() of a run table needs judgments, and has no by=: call .ireval.summary(qrels, measures), or "
                ".ireval.measure(qrels) and join the metadata."
            )
        joined = self._join(qrels, measures, rules, "summary")
        return joined.summary(measures, confidence=confidence, wide=wide)

    def order(
        self, qrels: object = None, measures: object = None, *, method: Any = None, compat: Any = None, **options: Any
    ) -> pd.DataFrame:
        """Return the runs in order, as a pandas frame: run, measure, method, score, rank[, rank_low, rank_high].

        Parameters
        ----------
        qrels, measures, method, compat
            As on pandas: judgments and measures (default: RPP) for a run table; the first argument may be the method
            for scores and preferences.
        **options
            bootstrap, confidence, seed, progress as on pandas, and the rules of `join`.

        Examples
        --------
        >>> import dask.dataframe as dd, pdeval
        >>> runs = dd.from_pandas(pdeval.datasets.sample_runs(), npartitions=4)
        >>> runs.ireval.order(pdeval.datasets.sample_qrels(), "RPP", topics="common").columns.tolist()
        ['run', 'measure', 'method', 'score', 'rank']
        """
        if qrels is None or _names(qrels) or self._kind() != "runs":
            return self._local().order(qrels, measures, method=method, compat=compat, **options)
        rules = {name: options.pop(name) for name in RULES if name in options}
        rules |= {} if compat is None else {"compat": compat}
        own = {"method": method, "compat": "pref_eval" if compat == "pref_eval" else None}
        measures = "RPP" if measures is None else measures
        return self._join(qrels, measures, rules, "order").order(measures, **own, **options)

    def compare(self, qrels: object = None, measures: object = None, **options: Any) -> pd.DataFrame:
        """Return one row per pair and measure, as a pandas frame: difference, interval, p-value, significance.

        Parameters
        ----------
        qrels, measures
            As in `order`; the measures are by default those of `measure`.
        **options
            test, correction, baseline, alpha, family, confidence, draws, seed, progress as on pandas, and the rules
            of `join`.

        Examples
        --------
        >>> import dask.dataframe as dd, pdeval
        >>> runs = dd.from_pandas(pdeval.datasets.sample_runs(), npartitions=4)
        >>> len(runs.ireval.compare(pdeval.datasets.sample_qrels(), ["AP", "RPP"], baseline="bm25", topics="common"))
        22
        """
        if qrels is None or self._kind() != "runs":
            return self._local().compare(qrels, measures, **options)
        rules = {name: options.pop(name) for name in RULES if name in options}
        wanted = MEASURES if measures is None else measures
        return self._join(qrels, wanted, rules, "compare").compare(wanted, **options)

    def to_parquet(self, path: Any, **options: Any) -> None:
        """Write the run table as parquet, a file a partition and every query in one file.

        What `dd.read_parquet(path)` then gives is evaluated without a shuffle. Lists stand together, in their order;
        ids are written as text or integers.

        Parameters
        ----------
        path : path
            A folder.
        **options
            Of Dask's own `to_parquet`.

        Examples
        --------
        >>> import dask.dataframe as dd, pdeval, tempfile
        >>> runs = dd.from_pandas(pdeval.datasets.sample_runs(), npartitions=4)
        >>> folder = tempfile.mkdtemp()
        >>> runs.ireval.to_parquet(folder)
        >>> len(dd.read_parquet(folder))
        59800
        """
        table = tables.read(self._frame._meta, "runs", self._binding)
        layout.write(self._frame, table, path, **options)

    def _local(self) -> Any:
        """Return pandas' accessor of a scores or preferences table, rows in the order in which pandas makes them."""
        kind, meta = self._kind(), self._frame._meta
        if kind not in ("scores", "preferences"):
            return meta.ireval(**self._binding)  # which says what is wrong without reading the rows
        table = tables.read(meta, kind, self._binding)  # type: ignore[arg-type]
        names = [*table.run_columns]
        if kind == "preferences":
            by = [table.roles["query"], *(f"{name}_{side}" for side in "ab" for name in names), table.roles["measure"]]
        else:
            by = [*names, table.roles["query"], table.roles["measure"]]
        frame = self._frame.compute().sort_values(by, kind="stable", ignore_index=True)
        frame.attrs.update(meta.attrs)
        return frame.ireval(**self._binding)


def _names(value: object) -> bool:
    return isinstance(value, str) or (isinstance(value, (list, tuple)) and all(isinstance(one, str) for one in value))
