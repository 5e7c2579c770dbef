"""`.ireval` on Dask DataFrames: the verbs of pandas, with the same signatures and the same numbers.

The accessor is registered when both pdeval and `dask.dataframe` are imported.

A run table is evaluated in partitions of complete queries. Each verb first reads the id columns, to find the runs, the
queries they answered, and how the rows are divided. Rows are shuffled only if a judged query is spread over several
partitions, unless the verb needs one list at a time and every list is in one partition (files of one run each).
`to_parquet` writes a table that needs no shuffle. The first pass and the evaluation read the table once each: persist
tables that are expensive to compute.

`measure`, `prefer` and `labeled` return lazy frames; `summary`, `order` and `compare` gather a matrix of queries x
runs. Every other verb of a join gathers its positions, and a verb that reads the rows themselves (pools, interleaving,
checks) gathers those; both only up to a size, by an estimate that is made first: 4 GiB, or
`dask.config.set({"pdeval.gather-limit": "16 GiB"})`. See `pdeval.dask.collect`. Side tables (`items=`, `history=`)
on Dask are gathered, and sent to every worker.

Progress is shown by Dask: `with dask.diagnostics.ProgressBar(): ...`, or the dashboard of a cluster. Before a shuffle
on a cluster, Arrow on the workers is configured to return freed memory to the system at once. Otherwise, Dask counts
that memory as used, and pauses workers with little memory during the shuffle.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce, wraps
from inspect import cleandoc
from operator import and_
from textwrap import fill
from types import EllipsisType
from typing import Any, Self

import pandas as pd

from pdeval.accessor import ACCESSORS, Ireval, Joined
from pdeval.accessor import join as join_on_pandas
from pdeval.accessor.describe import many, size_of_join
from pdeval.accessor.methods import checks_roles, joins, new_method, rules_of_join
from pdeval.accessor.pipeline import (
    Collections,
    call,
    check_shared_ids,
    described,
    shared_options,
    warn_about_replicates,
)
from pdeval.dask.collect import Gathered, few_enough
from pdeval.dask.files import read_runs, to_parquet
from pdeval.dask.lazy_verbs import LAZY, PARTWISE
from pdeval.dask.partition_plan import Plan, plan
from pdeval.evaluate import Join, coded, rows_by
from pdeval.join import Judged, Positions, QueryRule, catalog_of, checked_level
from pdeval.tables import SCHEMAS, as_table, gathered_table, is_dask, kind_of, reader, rows_of
from pdeval.verbs import Verb, of_kind

__all__ = ["DaskIreval", "DaskJudged", "read_runs"]


class DaskJudged(Joined):
    """Runs on Dask joined to judgments, for repeated evaluation; returned by `runs.ireval.join(qrels)`.

    It has the verbs of the join on pandas. `measure`, `prefer`, `summary`, `order` and `compare` run in the partitions.
    For all other verbs, the positions are gathered once (see `pdeval.dask.collect`) and evaluated as on pandas. Side
    tables of items and users are sent to every partition, for measures of the items of single lists. For measures of
    all lists together (coverage, Gini), the first k items of every list are gathered, as integers of 4 bytes.

    Parameters
    ----------
    plan : Plan
        Both tables after the first pass.
    level : float, optional
        Smallest relevant grade; by default any positive grade is relevant.
    query_rule : {'relevant', 'judged', 'answered', 'common'}
        Which queries count.

    Examples
    --------
    >>> import dask.dataframe as dd, pdeval, pdeval.dask.accessor
    >>> runs = dd.from_pandas(pdeval.datasets.sample_runs(), npartitions=4)
    >>> judged = runs.ireval.join(pdeval.datasets.sample_qrels(), queries="common")
    >>> judged
    runs on Dask joined to judgments: 12 runs x 48 of 50 queries, 4 partitions; next: ...
    >>> judged.curve(points=3).head(3).round(3)
        run  recall  precision
    0  bm25     0.0      0.776
    1  bm25     0.5      0.332
    2  bm25     1.0      0.016
    """

    def __init__(
        self,
        plan: Plan,
        level: float | None = None,
        query_rule: QueryRule = "relevant",
        here: Gathered | None = None,
    ) -> None:
        # the class is frozen
        self.__dict__.update(
            plan=plan, level=level, query_rule=query_rule, here=here or Gathered(plan)
        )

    plan: Plan
    here: Gathered

    @property
    def positions(self) -> Positions:
        """The ranks of the judged items, gathered on first use."""
        return self.here.positions

    @property
    def known(self) -> Judged:
        """The join without ranks: runs, queries, and the queries that each run answered."""
        return Judged(self.plan.known, self.level, self.query_rule)

    @property
    def runs(self) -> pd.DataFrame:
        """The runs, one row each: the run column(s) of the caller."""
        return self.known.runs

    @property
    def queries(self) -> pd.Index:
        """All judged queries, with the name of the caller's query column."""
        return self.known.queries

    def at(
        self, *, level: float | EllipsisType | None = ..., queries: QueryRule | EllipsisType = ...
    ) -> DaskJudged:
        """Return the same join under another relevance level or topic rule; nothing is gathered again."""
        rules = self.known.at(level=level, queries=queries)
        return DaskJudged(self.plan, rules.level, rules.query_rule, self.here)

    at.__doc__ = Joined.at.__doc__

    def gathered(self) -> Joined:
        """Return the join on pandas, with the same positions as a join of the same rows on pandas."""
        return Joined(self.positions, self.level, self.query_rule)

    def _call(self, verb: Verb, options: dict[str, Any]) -> Any:
        shared = shared_options(verb, options)
        if "machine" in shared:
            raise ValueError(
                "machine= requires another join of the runs. Call the verb on the run table: "
                f"runs.ireval.{verb.name}(qrels, ..., machine=...)."
            )
        if verb.name in PARTWISE and not shared:
            warn_about_replicates(verb, options, Join(self))
            return described(verb, PARTWISE[verb.name](self, **options))
        if "judged" in verb.on:
            self.here.check(f"{verb.name}()")
            join = self.gathered()
        else:  # a verb of run tables ranks the rows itself
            join = Joined(self.here.unranked, self.level, self.query_rule)
        return call(join, verb, {**options, **shared})

    def _repr_html_(self) -> None:
        """Nothing: the text is shown, and no positions are gathered."""

    def __repr__(self) -> str:
        size, parts = size_of_join(self.known), many(self.plan.frame.npartitions, "partition")
        return f"runs on Dask joined to judgments: {size}, {parts}; next: .measure(), .prefer(), .order(), .compare()"


def joined(runs: object, qrels: object, *, level: float | None = None, **rules: Any) -> DaskJudged:
    """Return the join of a Dask run table with judgments; only ids (and ranks) are read."""
    level, queries = checked_level(level), rules.pop("queries", "relevant")
    items, history = (gathered_table(rules.pop(name, None)) for name in ("items", "history"))
    check_shared_ids(runs, qrels)
    join = DaskJudged(
        plan(runs, qrels, catalog=catalog_of(items, history), **rules), level, queries
    )
    if gaps := join.plan.census.gaps:
        join.known.warn_once("gaps", gaps)
    return join


try:
    from dask.dataframe.extensions import register_dataframe_accessor
except ImportError as error:
    raise ImportError("the Dask engine needs dask: pip install 'pdeval[dask]'.") from error


LAZILY = (
    "On Dask, the result is a lazy Dask DataFrame with the partitions of the rows. Each partition is sorted as the "
    "result on pandas, and the dtypes are the same."
)
DIVIDED = (
    "On Dask, the id columns are read once; other columns are read when a verb needs them. Judgments may be on pandas "
    "or on Dask: small ones are sent to every worker, large ones are divided as the runs are."
)


@register_dataframe_accessor("ireval")
class DaskIreval(Ireval):
    """Evaluation of rankings on a Dask DataFrame, with the verbs of the pandas accessor.

    For run tables, see the module. A table of results is gathered and evaluated on pandas.

    Examples
    --------
    >>> import dask.dataframe as dd, pdeval
    >>> runs = dd.from_pandas(pdeval.datasets.sample_runs(), npartitions=4)
    >>> runs.ireval
    run table on Dask: 4 partitions; next: .measure(qrels), .prefer(qrels), .order(qrels)
    >>> scores = runs.ireval.measure(pdeval.datasets.sample_qrels(), ["AP", "RR"], queries="common")
    >>> scores.ireval.summary().head(2).round(3)
        run measure   n   mean     sd  ci_low  ci_high
    0  bm25      AP  48  0.324  0.155   0.279    0.369
    1  bm25      RR  48  0.735  0.343   0.635    0.835
    """

    _frame: Any  # of Dask

    def __new__(cls, frame: Any, binding: Mapping[str, Any] | None = None) -> Self:
        kind = str(kind_of(frame._meta, binding))
        if kind not in ON_DASK and kind in ACCESSORS:  # a table that was declared later
            ON_DASK[kind] = _accessor_class(kind)
        return object.__new__(ON_DASK.get(kind, DaskIreval))  # type: ignore[return-value]

    def __reduce__(self) -> tuple[Any, ...]:
        return DaskIreval, (self._frame, self._binding)

    @checks_roles
    @wraps(Ireval.__call__)
    def __call__(self, **binding: Any) -> DaskIreval:
        bound = {
            **self._binding,
            **{role: name for role, name in binding.items() if name is not None},
        }
        return DaskIreval(self._frame, reader.checked_binding(self._frame._meta, bound))

    def _rows_by(self, names: list[str]) -> tuple[pd.DataFrame, Any]:
        frame = self._frame
        labels = rows_by(rows_of(frame[names].drop_duplicates()), names)[0]
        rows = labels.to_dict("records")
        return labels, (
            frame[reduce(and_, (frame[name] == row[name] for name in names))] for row in rows
        )

    def _computed(self, result: Any) -> Any:
        return rows_of(result) if is_dask(result) else result

    def _call(self, verb: Verb, options: dict[str, Any]) -> Any:
        partwise = joins(verb, self._kind or "") or (self._kind == "runs" and verb.name in PARTWISE)
        if not partwise or options.get("machine") is not None:  # two joins of the same rows
            return self._gathered(verb.name)._call(verb, _gathered_options(options))
        shared = shared_options(verb, dict(options))
        if shared or Collections.of(self, verb, _gathered_options(options), shared):
            return call(self, verb, options)
        return self._dask_join(verb, options)._call(verb, _gathered_options(options))

    def _dask_join(self, verb: Verb, options: dict[str, Any]) -> DaskJudged:
        """Return the join with the judgments; its rules are removed from the options."""
        qrels = options.pop("qrels")
        return joined(self, qrels, **rules_of_join(qrels, verb, options))

    def _joined(self, verb: Verb, options: dict[str, Any]) -> Joined:
        join = self._dask_join(verb, options)
        join.here.check(f"{verb.name}()")
        return join.gathered()

    def _gathered(self, caller: str) -> Ireval:
        """Return the pandas accessor of the same table, with rows of results in the same order as on pandas."""
        if self._kind == "runs":
            few_enough(len(self._frame), self._frame._meta, f"{caller}()")
        rows = rows_of(self._frame)
        if self._kind in ("scores", "preferences"):
            table = reader.read(rows, self._kind, self._binding)
            query = table.roles["query"]
            pairs = [f"{name}_{side}" for side in "ab" for name in table.run_columns]
            by = [query, *pairs] if self._kind == "preferences" else [*table.run_columns, query]
            rows = rows.sort_values(
                by,
                kind="stable",
                ignore_index=True,
                key=lambda column: coded(column, "query")[0] if column.name == query else column,
            )
        return Ireval(rows, self._binding)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *(["to_parquet"] if self._kind == "runs" else [])]

    def __repr__(self) -> str:
        kind = kind_of(self._frame._meta, self._binding)
        if kind is None:
            return "a Dask table that pdeval does not recognize; bind its roles: df.ireval(query=..., doc=...)"
        then = f"; next: {SCHEMAS[kind].then}" if SCHEMAS[kind].then else ""
        return f"{SCHEMAS[kind].description} on Dask: {many(self._frame.npartitions, 'partition')}{then}"


def _gathered_options(options: dict[str, Any]) -> dict[str, Any]:
    """Return options with Dask tables among them gathered."""
    return {name: gathered_table(value) for name, value in options.items()}


@wraps(join_on_pandas)
def _join(self: DaskIreval, qrels: object, **rules: Any) -> DaskJudged:
    qrels = as_table(qrels, judgments=True)
    return joined(self, qrels, **rules_of_join(qrels, None, rules))


def _with(doc: str | None, sentence: str) -> str:
    """Return a docstring with one more paragraph after its first."""
    first, _, rest = cleandoc(doc or "").partition("\n\n")
    return f"{first}\n\n{fill(sentence, 116)}\n\n{rest}\n"


def _accessor_class(kind: str) -> type[DaskIreval]:
    on_pandas = ACCESSORS[kind]
    return type(f"Dask{on_pandas.__name__}", (DaskIreval, on_pandas), {"__module__": __name__})


# the accessors of pandas with the same verbs, called as on Dask
ON_DASK: dict[str, type[DaskIreval]] = {kind: _accessor_class(kind) for kind in ACCESSORS}
ON_DASK["runs"].join = _join  # type: ignore[attr-defined]
ON_DASK["runs"].to_parquet = to_parquet  # type: ignore[attr-defined]
_join.__doc__ = _with(join_on_pandas.__doc__, DIVIDED)

for _name in LAZY:
    for _accessor_of, _kind in ((ON_DASK["runs"], "runs"), (DaskJudged, "judged")):
        _method = new_method(of_kind("judged")[_name], _kind)
        _method.__doc__ = _with(_method.__doc__, LAZILY)
        setattr(_accessor_of, _name, _method)
