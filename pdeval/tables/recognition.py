"""Recognition of tables: their kind, and the id columns of their runs."""

import functools
from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import combinations
from typing import Any

import pandas as pd

from pdeval.tables.dataframes import check_labels
from pdeval.tables.schemas import KINDS, PAIRED, SCHEMAS, Schema
from pdeval.tables.vocabularies import ITEM, VOCABULARIES, Binding, names_of

COUNTED = ("recall", "keep", "draw")  # numbers that distinguish the rows of a run
COLLECTIONS = ("collection", "dataset", "corpus", "track", "benchmark", "test_collection")
UNMARKED = ("-",)  # tables that columns cannot identify: recognized only by their `attrs`


def kind_of(
    frame: pd.DataFrame, binding: Binding | None = None, among: Iterable[str] | None = None
) -> str | None:
    """Return the kind of a table, or None if it is not recognized.

    The kind stated in `attrs` has precedence if the columns fit; otherwise the kind that most columns fit.

    Examples
    --------
    >>> kind_of(pd.DataFrame(columns=["query_id", "doc_id", "relevance"]))
    'qrels'
    >>> kind_of(pd.DataFrame(columns=["run", "query_id", "measure", "value"]))
    'scores'
    """
    binding = binding or {}
    check_labels(frame)
    stated = {
        name: value
        for name, value in frame.attrs.items()
        if name in ("table", "run_columns") or str(name).endswith("_column")
    }
    among = among if among is None else tuple(among)
    shape = frame.shape[0] == frame.shape[1] and list(frame.index)
    # everything that the kind depends on; tables of a call are recognized several times
    key = repr((list(frame.columns), stated, binding, among, shape, len(SCHEMAS)))
    if key not in _RECOGNIZED:
        if len(_RECOGNIZED) > 1000:
            _RECOGNIZED.clear()
        _RECOGNIZED[key] = _kind_of(frame, binding, among)
    return _RECOGNIZED[key]


_RECOGNIZED: dict[str, str | None] = {}


def _kind_of(frame: pd.DataFrame, binding: Binding, among: tuple[str, ...] | None) -> str | None:
    schemas = list(SCHEMAS.values()) if among is None else [SCHEMAS[name] for name in among]
    stated = SCHEMAS.get(str(frame.attrs.get("table")))
    if stated is not None and stated in schemas and fits(stated, frame, binding):
        return stated.name
    has = _having(frame, binding)
    best, most = None, (-1, 0)
    for schema in schemas:
        unmarked = schema.recognized_by == UNMARKED
        known = 0 if unmarked else len(schema.marks) + schema.square
        # the count comes first: it is cheaper than the test of the columns
        if (
            known >= most[0]
            and not (unmarked and among is None)
            and fits(schema, frame, binding, has)
        ):
            # with equally many identifying columns, the kind with more columns: click logs and runs both have ranks
            size = known, sum(has(column.name) for column in schema.columns)
            if size > most:
                best, most = schema.name, size
    if among is not None:
        return best
    if best is None:
        return "qrels" if implicit(frame, binding) or _graded(frame, binding) else None
    # ranked items are a run, whatever columns were merged into them
    is_run = (
        fits(SCHEMAS["runs"], frame, binding, has)
        and has("score")
        and "score" not in SCHEMAS[best].named
    )
    return "runs" if is_run else best


# columns that implicit feedback may have besides query and item
IMPLICIT = ("timestamp", "time", "date", "datetime")


def implicit(frame: pd.DataFrame, binding: Binding) -> bool:
    """Return whether a frame has queries and items but no grades: each item then has grade 1.

    Any other column might be a grade under an unknown name.

    Examples
    --------
    >>> implicit(pd.DataFrame(columns=["user_id", "item_id", "timestamp"]), {})
    True
    """
    columns = set(map(str, frame.columns))
    ids = {binding.get(role, name) for role in ITEM for name in names_of(role)}
    return (
        columns <= {*ids, *IMPLICIT, binding.get("propensity", "propensity")}
        and len(columns & ids) == 2
        and all(map(_having(frame, binding), ITEM))
    )


def _graded(frame: pd.DataFrame, binding: Binding) -> bool:
    """Return whether queries and items have a grade under a name that only one vocabulary has."""
    columns = set(map(str, frame.columns))
    return any(
        words.get("grade") in columns
        and all(role in binding or words[role] in columns for role in ITEM)
        for words in VOCABULARIES.values()
    )


def missing_columns(schema: Schema, frame: pd.DataFrame, binding: Binding) -> list[str]:
    """Return the columns that are missing for a frame to be a table.

    Examples
    --------
    >>> missing_columns(SCHEMAS["scores"], pd.DataFrame(columns=["run", "measure", "value"]), {})
    ['query']
    """
    has = _having(frame, binding)
    marks = () if schema.recognized_by == UNMARKED else schema.marks
    return [alternatives for alternatives in marks if not any(map(has, alternatives.split("|")))]


def fits(
    schema: Schema, frame: pd.DataFrame, binding: Binding, has: Callable[[str], bool] | None = None
) -> bool:
    """Return whether a frame has the columns of a table; `has` tests one column, for callers with many tables."""
    if schema.recognized_by == UNMARKED:
        return True
    if schema.square:
        return (
            len(frame) > 0
            and frame.shape[0] == frame.shape[1]
            and list(frame.index) == list(frame.columns)
        )
    has = has or _having(frame, binding)
    # ends at the first column that is missing, unlike `lacking`
    return all(any(map(has, alternatives.split("|"))) for alternatives in schema.marks)


def _having(frame: pd.DataFrame, binding: Binding) -> Callable[[str], bool]:
    """Return a cached function that tests whether a frame has a column; schemas share columns."""
    columns = set(map(str, frame.columns))

    @functools.cache
    def has(column: str) -> bool:
        if column in binding or column == "run":  # a table of one run needs no run column
            return True
        if column in PAIRED:
            return bool(pair_stems(frame))
        return any(name in columns for name in column_names(column, frame, binding))

    return has


# columns of both sides of a pair that are not ids of runs
NOT_RUNS = (
    *("mean", "measure", "method", "rank", "credit", "n", "value", "only", "recall", "wins"),
    *("assessor", "label", "judgments", "segment"),
)


def pair_stems(frame: pd.DataFrame) -> list[str]:
    """Return the names X of id columns of runs for which the frame has both X_a and X_b.

    Examples
    --------
    >>> pair_stems(pd.DataFrame(columns=["model_a", "model_b", "mean_a", "mean_b"]))
    ['model']
    """
    columns = list(map(str, frame.columns))
    stems = [name[:-2] for name in columns if name.endswith("_a") and f"{name[:-2]}_b" in columns]
    hinted = frame.attrs.get("run_columns")
    if hinted and set(hinted) <= set(stems):
        return list(hinted)
    if hinted and set(hinted) <= set(columns):
        return []  # a table of single runs, into which the caller merged columns
    return [stem for stem in stems if stem not in NOT_RUNS]


def runs_of(frame: pd.DataFrame, schema: Schema, binding: Binding | None = None) -> tuple[str, ...]:
    """Return the id columns of the runs of a table, without the `_a` and `_b` of pairs.

    The other ids and texts of the schema distinguish the rows of a run; columns of the schema are not ids of runs.

    Examples
    --------
    >>> frame = pd.DataFrame({"model": ["a", "a"], "seed": [1, 2], "query_id": "1", "measure": "AP", "value": [0.1, 1]})
    >>> runs_of(frame, SCHEMAS["scores"])
    ('seed',)
    """
    binding = binding or {}
    content: dict[str, str] = {}
    for column in schema.columns:
        if column.name not in ("run", *PAIRED):
            present = [
                name for name in column_names(column.name, frame, binding) if name in frame.columns
            ]
            content |= {
                str(name): column.holds
                for name in present
                if not column.optional or KINDS[column.holds](frame[name].dtype)
            }
    key = [name for name, holds in content.items() if holds in ("id", "text") or name in COUNTED]
    paired = any(column.name in PAIRED for column in schema.columns)
    return run_columns(frame, key, binding, paired=paired, taken=content)


def column_names(column: str, frame: pd.DataFrame, binding: Binding) -> list[Any]:
    """Return the possible names of a column of a schema: the bound name, or the stated and known ones."""
    if column in binding:
        return [binding[column]]
    return [frame.attrs.get(f"{column}_column"), *names_of(column)]


def bound_or_hinted(
    frame: pd.DataFrame, binding: Binding, columns: Collection[Any]
) -> tuple[str, ...] | None:
    """Return the id columns of runs if the caller bound them or the frame states them; otherwise None."""
    if "run" in binding:
        bound = binding["run"]
        return tuple(bound) if isinstance(bound, list | tuple) else (bound,)
    hinted = frame.attrs.get("run_columns")
    return tuple(hinted) if hinted and set(hinted) <= set(columns) else None


def run_columns(
    frame: pd.DataFrame,
    key: Sequence[str],
    binding: Binding,
    *,
    paired: bool = False,
    taken: Iterable[str] = (),
) -> tuple[str, ...]:
    """Return the id columns of the runs of a result table: bound, stated, known, or needed for unique rows.

    Parameters
    ----------
    key : sequence of str
        Columns that are unique within a run, such as query and measure of scores.
    paired : bool
        Whether the id columns are X_a and X_b.
    taken : iterable of str
        Columns with another role, such as the value, which are not ids of runs.

    Examples
    --------
    >>> frame = pd.DataFrame({"model": ["a", "a"], "seed": [1, 2], "year": [9, 9], "query_id": "1", "measure": "AP"})
    >>> run_columns(frame, ["query_id", "measure"], {})
    ('seed',)
    """
    every: list[Any] = list(frame.columns)
    columns = pair_stems(frame) if paired else [name for name in every if isinstance(name, str)]
    if (stated := bound_or_hinted(frame, binding, columns)) is not None:
        return stated
    known = [name for name in names_of("run") if name in columns]
    known = ["run"] if "run" in known else known[:1]
    if paired:
        return tuple(known or columns)
    if not _repeats(frame, [*known, *key]):
        return tuple(known)
    return _fewest_columns(
        frame,
        [name for name in columns if name not in (*known, *key, *taken) and may_name(frame[name])],
        list(key),
        known,
    )


def may_name(column: pd.Series) -> bool:
    """Return whether the values of a column may be ids of runs: numbers with a fraction are not.

    Examples
    --------
    >>> may_name(pd.Series([1, 2])), may_name(pd.Series([0.5, 2]))
    (True, False)
    """
    return not pd.api.types.is_float_dtype(column.dtype) or bool((column.dropna() % 1 == 0).all())


def _fewest_columns(
    frame: pd.DataFrame, others: list[str], key: list[str], known: list[str]
) -> tuple[str, ...]:
    """Return the smallest set of columns that makes rows unique; raise if it is ambiguous."""
    choices: list[tuple[str, ...]] = []
    for size in range(1, min(len(others), 4) + 1):
        choices = [(*known, *names) for names in combinations(others, size)]
        choices = [names for names in choices if not _repeats(frame, [*names, *key])]
        if choices:
            break
    if not choices:
        return tuple(known)  # the caller raises about duplicate rows
    first = choices[0]
    if known:
        repeated = f"the table has duplicate rows ({', '.join([*known, *key])})."
        if stacked := [name for names in choices for name in names if name in COLLECTIONS]:
            raise ValueError(f"{repeated} {several_collections(stacked[0])}")
        raise ValueError(
            f"{repeated} The columns {', '.join(first)} distinguish them: use df.ireval(run={list(first)!r}). "
            f"If the table stacks several collections, use by={first[-1]!r} instead."
        )
    # choices that group the rows in the same way are equivalent
    groups = [
        frame.groupby(list(names), observed=True, sort=False, dropna=False).ngroup()
        for names in choices
    ]
    if not all((group == groups[0]).all() for group in groups):
        raise ValueError(
            f"the columns {', '.join(first)} or {', '.join(choices[1])} could identify the runs of this table. "
            f"Specify them: df.ireval(run={list(first)!r})."
        )
    return first


def several_collections(column: str, *, beside: str = "") -> str:
    """Return advice for a table of several collections that was used as one.

    Examples
    --------
    >>> several_collections("dataset")
    "Column 'dataset' identifies collections: use by='dataset' for each, or .meta_analysis(by='dataset') for all."
    """
    return (
        f"Column {column!r} identifies collections: use by={column!r}{beside} for each, or "
        f".meta_analysis(by={column!r}) for all."
    )


def _repeats(frame: pd.DataFrame, columns: list[str]) -> bool:
    present = [name for name in columns if name in frame.columns]
    return bool(frame.duplicated(present).any()) if present else len(frame) > 1
