"""`.ireval` on Dask DataFrames: the verbs of pandas, with the same signatures and the same numbers.

`import pdeval.engines.dask` registers the accessor; `pdeval.read_runs(..., engine="dask")` does so by itself.

A run table is evaluated in partitions that hold whole queries. Each verb first reads the id columns, which tells the
runs, which queries they answered, and how the rows are divided. Rows are shuffled only where that is needed: where a
judged query is spread over partitions, unless the verb looks at single lists and every list is whole (files of one
run each). `to_parquet` writes a table so that no evaluation of it shuffles again. The first pass and the evaluation
read the table once each: persist what is costly to make.

`measure` and `prefer` return lazy Dask frames; `summary`, `order` and `compare` gather a matrix of queries x runs.
Every other verb of a join gathers its positions, and a verb that reads the rows themselves (pools, interleaving,
checks) gathers those; both only up to a size, by an estimate that is made first: 4 GiB, or
`dask.config.set({"pdeval.gather-limit": "16 GiB"})`. See `pdeval.engines.gathering`. Side tables (`items=`, `history=`)
are gathered where they are on Dask, and sent to every worker.

Progress is Dask's own: `with dask.diagnostics.ProgressBar(): ...`, or the dashboard of a cluster. Before rows are
shuffled on a cluster, its workers are told to give memory that Arrow freed back to the system at once: Dask takes what
Arrow keeps for used, and would stop workers of little memory in the middle of the shuffle.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce, wraps
from inspect import cleandoc
from operator import and_
from textwrap import fill
from typing import Any, Self

import pandas as pd

try:
    from dask.dataframe.extensions import register_dataframe_accessor
except ImportError as error:
    raise ImportError("the Dask engine needs dask: pip install 'pdeval[dask]'.") from error

from pdeval.accessor import DOORS, Ireval, Joined, grouped_runs, grouping, machine_labels
from pdeval.accessor import join as join_on_pandas
from pdeval.accessor.building import joins, new_method, roles_told, rules_of_join, stamped
from pdeval.accessor.describe import many
from pdeval.engines import parquet_folders
from pdeval.engines.dask_judged import DaskJudged, joined
from pdeval.engines.gathering import few_enough, rows_of
from pdeval.engines.partitions import is_dask
from pdeval.engines.partwise import LAZY
from pdeval.engines.run_files import read_runs
from pdeval.kinds import tables
from pdeval.kinds.frames import as_table
from pdeval.kinds.recognition import kind_of
from pdeval.kinds.schemas import SCHEMAS
from pdeval.verbs import VERBS, Verb, of_kind

__all__ = ["DaskIreval", "DaskJudged", "read_runs"]

LAZILY = (
    "On Dask the result is a lazy Dask frame: one partition for each of the rows, sorted inside as pandas sorts the "
    "whole, with the dtypes that pandas gives it."
)
DIVIDED = (
    "On Dask the id columns are read once, and nothing else before a verb asks for it. Judgments may be on pandas or "
    "on Dask: small ones are sent to every worker, large ones divided as the runs are."
)


@register_dataframe_accessor("ireval")
class DaskIreval(Ireval):
    """Evaluation of rankings on a Dask DataFrame: the accessor of pandas, with its verbs.

    On a run table see the module. A table of results is gathered, and then is what it is on pandas.

    Examples
    --------
    >>> import dask.dataframe as dd, pdeval
    >>> runs = dd.from_pandas(pdeval.datasets.sample_runs(), npartitions=4)
    >>> runs.ireval
    run table on Dask: 4 partitions; next: .measure(qrels), .prefer(qrels), .order(qrels)
    >>> scores = runs.ireval.measure(pdeval.datasets.sample_qrels(), ["AP", "RR"], topics="common")
    >>> scores.ireval.summary().head(2).round(3)
        run measure   n   mean     sd  ci_low  ci_high
    0  bm25      AP  48  0.324  0.155   0.279    0.369
    1  bm25      RR  48  0.735  0.343   0.635    0.835
    """

    _frame: Any  # of Dask

    def __new__(cls, frame: Any, binding: Mapping[str, Any] | None = None) -> Self:
        kind = str(kind_of(frame._meta, binding))
        if kind not in ON_DASK and kind in DOORS:  # a table that was declared later
            ON_DASK[kind] = _door(kind)
        return object.__new__(ON_DASK.get(kind, DaskIreval))  # type: ignore[return-value]

    @roles_told
    @wraps(Ireval.__call__)
    def __call__(self, **binding: Any) -> DaskIreval:
        bound = {**self._binding, **{role: name for role, name in binding.items() if name is not None}}
        return DaskIreval(self._frame, tables.checked_binding(self._frame._meta, bound))

    def _rows_by(self, names: list[str]) -> tuple[pd.DataFrame, Any]:
        frame = self._frame
        labels = grouping.rows_by(rows_of(frame[names].drop_duplicates()), names)[0]
        rows = labels.to_dict("records")
        return labels, (frame[reduce(and_, (frame[name] == row[name] for name in names))] for row in rows)

    def _whole(self, result: Any) -> Any:
        return rows_of(result) if is_dask(result) else result

    def _grouped(self, verb: Verb, given: dict[str, Any], asked: dict[str, Any]) -> Any:
        if not joins(verb, self._kind or ""):
            return self._gathered(verb.name)._grouped(verb, given, asked)

        def join(rest: dict[str, Any]) -> Joined:
            return _gathered_join(self, rest.pop("qrels"), verb, rest)

        return grouped_runs.of_runs(self, verb, given, asked, join)

    def _ask(self, verb: Verb, given: dict[str, Any]) -> Any:
        if (machine := machine_labels.taken(verb, given)) is not None:  # two joins of the same rows
            return self._gathered(verb.name)._ask(verb, _here({**given, "machine": machine}))
        if asked := grouping.taken(verb, given):
            return stamped(verb, self._grouped(verb, _here(given), asked))
        if joins(verb, self._kind or ""):
            if given.get("by") is not None and (stacked := grouped_runs.valued(self, verb, _here(given))):
                found = Ireval(self._whole(stacked[0]))._ask(of_kind("scores")[verb.name], stacked[1])
                return grouped_runs.with_joins(found, self, verb, _here(given), _gathered_join)
            qrels = given.pop("qrels")
            made = joined(self, qrels, **rules_of_join(qrels, verb, given))
            return made._ask(verb, _here(given))
        return self._gathered(verb.name)._ask(verb, _here(given))

    def _gathered(self, asking: str) -> Ireval:
        """Return pandas' accessor of the same table; rows of results in the order in which pandas makes them."""
        frame = self._frame
        if self._kind == "runs":
            few_enough(len(frame), frame._meta, f"{asking}()")
        whole = rows_of(frame)
        if self._kind in ("scores", "preferences"):
            table = tables.read(whole, self._kind, self._binding)
            by = [*table.run_columns, table.roles["query"]]
            if self._kind == "preferences":
                by = [table.roles["query"], *(f"{name}_{side}" for side in "ab" for name in table.run_columns)]
            whole = whole.sort_values(by, kind="stable", ignore_index=True)
        return Ireval(whole, self._binding)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *(["to_parquet"] if self._kind == "runs" else [])]

    def __repr__(self) -> str:
        kind = kind_of(self._frame._meta, self._binding)
        if kind is None:
            return "a Dask table that pdeval does not recognise; bind its roles: df.ireval(query=..., doc=...)"
        then = f"; next: {SCHEMAS[kind].then}" if SCHEMAS[kind].then else ""
        return f"{SCHEMAS[kind].says} on Dask: {many(self._frame.npartitions, 'partition')}{then}"


def _gathered_join(door: DaskIreval, qrels: Any, verb: Verb, rest: dict[str, Any]) -> Joined:
    """Return the join of runs and judgments on pandas, by the rules among what a verb was given."""
    made = joined(door, qrels, **rules_of_join(qrels, verb, rest))
    made.here.check(f"{verb.name}()")
    return made.gathered()


def _here(given: dict[str, Any]) -> dict[str, Any]:
    """Return arguments with Dask tables among them gathered."""
    found = {}
    for name, value in given.items():
        if isinstance(value, DaskIreval):
            value = Ireval(rows_of(value._frame), value._binding)
        found[name] = rows_of(value) if is_dask(value) else value
    return found


@wraps(join_on_pandas)
def _join(self: DaskIreval, qrels: object, **rules: Any) -> DaskJudged:
    qrels = as_table(qrels, judgments=True)
    return joined(self, qrels, **rules_of_join(qrels, None, rules))


def to_parquet(self: DaskIreval, path: Any, *, compression: str = "zstd", overwrite: bool = False) -> None:
    """Write the run table as parquet, one file per partition and every query in one file.

    What `dd.read_parquet(path)` then gives is evaluated without a shuffle. Lists stand together, in their order; ids
    are written as text or integers.

    Parameters
    ----------
    path : path
        A folder: a new one, or an empty one. It is there when all of it is written, or not at all.
    compression : str
        What parquet calls the way to compress.
    overwrite : bool
        Whether to replace all of a table that pdeval wrote there before; until the new one is whole, the old one stays.
        What pdeval did not write is never removed.

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
    parquet_folders.write(self._frame, table, path, compression=compression, overwrite=overwrite)


def _with(doc: str | None, sentence: str) -> str:
    """Return a docstring with one more paragraph after its first."""
    first, _, rest = cleandoc(doc or "").partition("\n\n")
    return f"{first}\n\n{fill(sentence, 116)}\n\n{rest}\n"


def _door(kind: str) -> type[DaskIreval]:
    on_pandas = DOORS[kind]
    return type(f"Dask{on_pandas.__name__}", (DaskIreval, on_pandas), {"__module__": __name__})


# the doors of pandas, whose verbs they have, asked in another way
ON_DASK: dict[str, type[DaskIreval]] = {kind: _door(kind) for kind in DOORS}
ON_DASK["runs"].join = _join  # type: ignore[attr-defined]
ON_DASK["runs"].to_parquet = to_parquet  # type: ignore[attr-defined]
_join.__doc__ = _with(join_on_pandas.__doc__, DIVIDED)

for _name in LAZY:
    for _door_of, _kind in ((ON_DASK["runs"], "runs"), (DaskJudged, "judged")):
        _method = new_method(VERBS["judged"][_name], _kind)
        _method.__doc__ = _with(_method.__doc__, LAZILY)
        setattr(_door_of, _name, _method)
