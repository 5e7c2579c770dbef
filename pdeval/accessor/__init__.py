"""The accessor: `.ireval` on every DataFrame, and the join to keep. Both are built from the declared verbs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

# importing these packages declares their verbs; add_metadata comes last, as a verb of every table of runs or queries
from pdeval import (
    answers,
    evaluate,
    judgments,
    kernels,
    online,
    orderings,
    plots,
    report,
    significance,
    studies,
)
from pdeval.accessor.describe import (
    describe,
    html_of_join,
    html_of_table,
    size_of_join,
    wrong_name,
)
from pdeval.accessor.methods import attach, check_rules, checks_roles, joined, joins
from pdeval.accessor.pipeline import call, judgments_among
from pdeval.accessor.registration import register
from pdeval.evaluate import Join, Rows, add_metadata, rows_by
from pdeval.join import Compat, Judged, QueryRule, Ties
from pdeval.tables import SCHEMAS, as_table, gathered_table, kind_of, reader, runs_within
from pdeval.verbs import WATCHERS, Verb, describes_parameters, of_kind

if TYPE_CHECKING:
    from pdeval.accessor.typed import JudgedVerbs
else:
    JudgedVerbs = Judged  # its verbs are set below, and declared in typed.pyi for static tools

__all__ = [
    "Ireval",
    "Joined",
    "add_metadata",
    "answers",
    "evaluate",
    "judgments",
    "kernels",
    "online",
    "orderings",
    "plots",
    "report",
    "significance",
    "studies",
]


class Joined(JudgedVerbs):
    """Runs joined to judgments, for several calls; created by `runs.ireval.join(qrels)`.

    Examples
    --------
    >>> import pdeval
    >>> pdeval.datasets.sample_judged()
    runs joined to judgments: 12 runs x 50 queries; next: .measure(), .prefer(), .order(), .compare()
    """

    _verbs: Mapping[str, Verb] = {}
    _kind = "judged"
    _call = call

    def _source(self, verb: Verb, options: dict[str, Any]) -> Join | Rows:
        """Return the join, or its run table if the verb works on one; the verb then gets the judgments and rules."""
        if "judged" in verb.on:
            return Join(self)
        runs, qrels = self.tables
        known = {
            **self.positions.rules,
            "qrels": qrels,
            "level": self.level,
            "queries": self.query_rule,
        }
        known.setdefault("judged_only", False)
        for name in (parameter.name for parameter in verb.parameters):
            if name in ("items", "history") and self.positions.listed is not None:
                options.setdefault(name, self.positions.listed.catalog.given[name == "history"])
            elif name in known and name not in verb.own:
                options[name] = known[name]
        return Rows.of_table(runs, judgments_among(options))

    def __repr__(self) -> str:
        return f"runs joined to judgments: {size_of_join(self)}; next: .measure(), .prefer(), .order(), .compare()"

    def _repr_html_(self) -> str | None:
        return html_of_join(self, repr(self))

    def __dir__(self) -> list[str]:
        return [
            *dict.fromkeys(verb.family for verb in self._verbs.values()),
            "at",
            "runs",
            "queries",
        ]

    if not TYPE_CHECKING:  # so that static tools report unknown verbs

        def __getattr__(self, name: str) -> Any:
            if name == "mean":  # as in pandas
                return self.summary
            raise wrong_name("judged", name)


@pd.api.extensions.register_dataframe_accessor("ireval")
class Ireval:
    """Evaluation of rankings on a DataFrame: measures, preferences, orderings, significance.

    `df.ireval` recognizes run tables, judgments, and the results of its verbs. `repr(df.ireval)` describes the table,
    and completion lists its verbs. `df.ireval(query="topic_no", run=["model", "seed"])` binds other column names to
    roles.

    Examples
    --------
    >>> import pdeval
    >>> pdeval.datasets.sample_runs().ireval
    run table: 12 runs x 50 queries, 59,800 rows, ranked by score; next: .measure(qrels), .prefer(qrels), .order(qrels)
    """

    _kind: str | None = None
    _verbs: Mapping[str, Verb] = {}

    def __new__(cls, frame: pd.DataFrame, binding: Mapping[str, Any] | None = None) -> Ireval:  # noqa: PYI034
        return object.__new__(ACCESSORS.get(str(kind_of(frame, binding)), Ireval))

    def __init__(self, frame: pd.DataFrame, binding: Mapping[str, Any] | None = None) -> None:
        self._frame = frame
        self._binding: dict[str, Any] = dict(binding or {})

    def _with(self, frame: pd.DataFrame) -> Any:
        """Return the accessor of a part of the table, which is of the same kind."""
        accessor = object.__new__(type(self))
        accessor.__init__(frame, self._binding)  # type: ignore[misc]
        return accessor

    # pickle cannot import its class, which is created from declarations
    def __reduce__(self) -> tuple[Any, ...]:
        return Ireval, (self._frame, self._binding)

    @checks_roles
    def __call__(
        self,
        *,
        run: str | Sequence[str] | None = None,
        query: str | None = None,
        doc: str | None = None,
        score: str | None = None,
        rank: str | None = None,
        grade: str | None = None,
        subtopic: str | None = None,
        assessor: str | None = None,
        label: str | None = None,
        propensity: str | None = None,
        session: str | None = None,
        user: str | None = None,
        time: str | None = None,
        action: str | None = None,
        bucket: str | None = None,
        measure: str | None = None,
        value: str | None = None,
        feature: str | Sequence[str] | None = None,
        popularity: str | None = None,
        higher: bool | Mapping[str, bool] | None = None,
    ) -> Ireval:
        """Return the accessor with roles bound to columns of this table.

        Parameters
        ----------
        run : str or list of str, optional
            Id column(s) of runs.
        query, doc, score, rank : str, optional
            Columns of run tables. Users are queries, items are docs.
        grade, subtopic, assessor, label : str, optional
            Columns of judgments and labels.
        propensity : str, optional
            Column of judgments with the probability that a relevant item was judged.
        session, user, time, action, bucket : str, optional
            Columns of click logs.
        measure, value : str, optional
            Columns of scores and preferences.
        feature : str or list of str, optional
            Feature column(s) of an items table: genres, embeddings.
        popularity : str, optional
            Column of an items table with the fraction of users who had the item.
        higher : bool or mapping of measure to bool, optional
            Whether higher is better, for measures that pdeval does not have.

        Returns
        -------
        Ireval
            Accessor with the verbs of the recognized table.

        Examples
        --------
        >>> qrels = pd.DataFrame({"topic_no": ["1"], "docno": ["d"], "label": [1]})
        >>> qrels.ireval(query="topic_no")
        judgments table: 1 query, 1 item, 1 relevant; next: runs.ireval.measure(qrels)
        """
        given = {
            name: value for name, value in locals().items() if name != "self" and value is not None
        }
        return Ireval(self._frame, reader.checked_binding(self._frame, {**self._binding, **given}))

    def _call(self, verb: Verb, options: dict[str, Any]) -> Any:
        kind = kind_of(self._frame, self._binding)
        if kind == self._kind:
            return call(self, verb, options)
        # the frame was changed after the accessor was made
        fresh = Ireval(self._frame, self._binding)
        if verb.name not in fresh._verbs:
            raise wrong_name(kind, verb.name)
        return call(fresh, fresh._verbs[verb.name], options)

    def _source(self, verb: Verb, options: dict[str, Any]) -> Join | Rows:
        """Return the join of the run table with judgments, or the table itself."""
        kind = self._kind or ""
        if joins(verb, kind):
            return Join(self._joined(verb, options))
        if kind != "runs" and any(parameter.name == "measures" for parameter in verb.parameters):
            options.setdefault("measures", None)  # all that the table has
        if kind != "runs" and isinstance(options.get("measures"), pd.DataFrame | Ireval):
            what = SCHEMAS[kind].description
            raise TypeError(
                f"{verb.name}() of a {what} takes no judgments, because its values are already computed. Omit them."
            )
        binding = self._binding
        if options.get("by") is not None:
            binding = runs_within(self._frame, binding, kind, options["by"])
        return Rows(self._frame, kind, binding, judgments_among(options) if kind == "runs" else {})

    def _joined(self, verb: Verb, options: dict[str, Any]) -> Joined:
        return joined(Joined, self, options.pop("qrels"), verb, options)

    def _rows_by(self, names: list[str]) -> tuple[pd.DataFrame, Any]:
        """Return the labels of groups of rows, and the rows of each."""
        return rows_by(self._frame, names)

    def _computed(self, result: Any) -> Any:
        """Return a result as a frame that can be stacked."""
        return result

    def __repr__(self) -> str:
        return describe(self._frame, self._binding)

    def _repr_html_(self) -> str | None:
        if not hasattr(self._frame, "attrs"):  # a Dask table is not computed to be shown
            return None
        return html_of_table(self._frame, self._binding)

    def __dir__(self) -> list[str]:
        joins = ["join"] if self._kind == "runs" else []
        return [*joins, *dict.fromkeys(verb.family for verb in self._verbs.values())]

    def __getattr__(self, name: str) -> Any:
        if name == "mean":  # as in pandas
            return self.summary
        raise wrong_name(type(self)._kind, name, self if "_frame" in self.__dict__ else None)


@describes_parameters
def join(
    self: Ireval,
    qrels: object,
    *,
    level: float | None = None,
    queries: QueryRule = "relevant",
    ties: Ties | None = None,
    compat: Compat = "trec_eval-10",
    depth: int | None = None,
    judged_only: bool = False,
    validate: bool = True,
    items: object = None,
    history: object = None,
) -> Joined:
    """Return the join of these runs with judgments, which has the verbs of this accessor.

    Returns
    -------
    Joined
        The join; `judged.at(level=..., queries=...)` is the same join with other rules.

    Examples
    --------
    >>> import pdeval
    >>> runs, qrels, metadata = pdeval.datasets.load_sample()
    >>> judged = runs.ireval.join(qrels, queries="common")
    >>> judged.measure("AP").head(2)
        run query_id measure     value
    0  bm25      101      AP  0.346994
    1  bm25      102      AP  0.289136
    """
    given = check_rules(
        {name: value for name, value in locals().items() if name not in ("self", "qrels")}
    )
    if queries == "relevant":  # the default, with a warning about missing queries
        del given["queries"]
    return joined(Joined, self, as_table(gathered_table(qrels), judgments=True), None, given)


def _new_class(kind: str) -> type[Ireval]:
    title = "".join(part.capitalize() for part in kind.split("_"))
    return type(f"{title}Ireval", (Ireval,), {"_kind": kind, "_verbs": {}, "__module__": __name__})


ACCESSORS: dict[str, type[Ireval]] = {kind: _new_class(kind) for kind in SCHEMAS}
ACCESSORS["runs"].join = join  # type: ignore[attr-defined]


def _set_verbs(kind: str) -> None:
    """Set the verbs of a kind of table on its accessor: all at import, later those declared in a notebook."""
    if kind not in ("judged", *ACCESSORS):
        ACCESSORS[kind] = _new_class(kind)
    accessor = Joined if kind == "judged" else ACCESSORS[kind]
    before, accessor._verbs = accessor._verbs, of_kind(kind)
    for name, verb in accessor._verbs.items():
        if before.get(name) is not verb:
            attach(accessor, verb, kind)


def _add_verb(verb: Verb) -> None:
    shared = ("runs", "judged") if {"runs", "judged"} & set(verb.on) else ()
    for kind in {*verb.on, *shared}:
        _set_verbs(kind)


for _kind in [*ACCESSORS, "judged"]:
    _set_verbs(_kind)
WATCHERS.append(_add_verb)
register()  # on Polars and Dask
