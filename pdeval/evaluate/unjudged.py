"""Unjudged documents of one query: where runs rank them, and the values of measures under assumptions about them."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import pandas as pd

from pdeval.catalog import Measure
from pdeval.evaluate.scores import Views
from pdeval.join import Judged, Positions, column_ids, top
from pdeval.tables import run_labels

DEPTH = 10  # rank down to which unjudged documents are shown if no measure has a cutoff


def integers(values: np.ndarray) -> Any:
    """Return numbers as nullable integers if all of them are integers; infinite and missing ones are missing.

    Examples
    --------
    >>> integers(np.array([2.0, np.inf])).tolist(), integers(np.array([0.5, np.nan])).tolist()
    ([2, <NA>], [0.5, nan])
    """
    missing = ~np.isfinite(values)
    numbers = np.where(missing, 0.0, values)
    rounded = numbers.astype(np.int64)
    if not (rounded == numbers).all():
        return np.where(missing, np.nan, values)
    return pd.arrays.IntegerArray(rounded, missing)


def cutoff(measures: list[Measure]) -> int:
    """Return the largest cutoff of the measures, 10 if none has one.

    Examples
    --------
    >>> from pdeval.catalog import parse_all
    >>> cutoff(parse_all("AP, P@5, nDCG@20")), cutoff(parse_all("AP"))
    (20, 10)
    """
    cutoffs = [measure.parameters.get("k", np.inf) for measure in measures]
    return int(max((k for k in cutoffs if np.isfinite(k)), default=DEPTH))


def has_unjudged(positions: Positions) -> bool:
    """Return whether unjudged documents have ranks: lists have definite ranks, and the join keeps their rows."""
    return (
        positions.source is not None
        and positions.rules["ties"] != "expected"
        and not positions.rules.get("judged_only")
    )


@dataclass(frozen=True, eq=False)
class Unjudged:
    """The unjudged documents of a query that any run has among its first `depth`, and a join of this query.

    Parameters
    ----------
    judged : Judged
        The join, with one query.
    depth : int
        Rank down to which lists are looked at.
    run, doc, rank : ndarray of shape (rows,)
        The runs that have these documents, the document and its rank, also below `depth`.
    pooled : ndarray of shape (rows,)
        Whether the document has a negative grade: it was pooled, and not judged.
    """

    judged: Judged
    depth: int
    run: np.ndarray
    doc: np.ndarray
    rank: np.ndarray
    pooled: np.ndarray

    @classmethod
    def of_query(cls, judged: Judged, depth: int) -> Self:
        """Return the unjudged documents of a join with one query; none if the join has no definite ranks or no rows."""
        positions, rules = judged.positions, judged.positions.rules
        nothing = np.zeros(0, dtype=np.int64)
        none = cls(judged, depth, nothing, nothing.astype(object), nothing, nothing.astype(bool))
        if positions.source is None or not has_unjudged(positions):
            return none
        table = positions.source[0]
        rows = (table.column("query") == positions.queries[0]).to_numpy(dtype=bool)
        if not rows.any():
            return none
        lists = replace(table, frame=table.frame[rows].reset_index(drop=True))
        options = {name: rules[name] for name in ("depth", "ties", "compat")}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the join has warned about gaps in ranks
            first = top(lists, validate=False, **options)
        place = pd.MultiIndex.from_frame(positions.runs).get_indexer(
            pd.MultiIndex.from_frame(first.lists.runs)
        )
        run = place[first.lists.run[first.own]]
        # the grade at each rank; the last row is of runs that are not in the join
        grade = np.full((len(positions.runs) + 1, int(first.rank.max()) + 1), np.nan)
        grade[positions.run, positions.rank.astype(np.int64)] = positions.judged.grade[
            positions.item
        ]
        grade_of_row = grade[run, first.rank]
        unjudged = (run >= 0) & ~(grade_of_row >= 0)
        docs, code = column_ids(lists.column("doc"), "doc").take(first.row).unique()
        kept = unjudged & np.isin(code, code[unjudged & (first.rank <= depth)])
        return cls(
            judged,
            depth,
            run[kept],
            docs.index().to_numpy(object)[code[kept]],
            first.rank[kept],
            ~np.isnan(grade_of_row[kept]),
        )

    def relevant(self) -> Positions:
        """Return the positions, were all of these documents judged and of the largest grade."""
        positions = self.judged.positions
        judged = positions.judged
        code, docs = pd.factorize(self.doc)
        item = np.append(positions.item, len(judged.topic) + code)
        by = np.argsort(item, kind="stable")  # hits are sorted by item
        grade = positions.top_grade if positions.top_grade > 0 else 1.0
        columns = {"run": self.run, "rank": self.rank, "start": self.rank - 1, "size": 1 + 0 * code}
        hits: dict[str, Any] = {
            name: np.append(getattr(positions, name), new)[by] for name, new in columns.items()
        }
        nothing = np.zeros(len(docs), dtype=np.int64)
        judged = replace(
            judged,
            topic=np.append(judged.topic, nothing),
            doc=np.append(judged.doc, nothing),  # any document: ids are not looked at
            grade=np.append(judged.grade, np.full(len(docs), grade)),
        )
        return replace(positions, judged=judged, item=item[by], **hits)

    def values(self, measures: list[Measure]) -> pd.DataFrame:
        """Return the values of each run and measure: as they are, and under both assumptions."""
        judged, positions = self.judged, self.judged.positions
        columns = [
            np.concatenate([Views(judged.on(join)).values(measure) for measure in measures]).T
            for join in [positions, self.relevant(), positions.only_judged()]
        ]
        columns[1] = np.where(
            [measure.kind == "subtopic" for measure in measures], np.nan, columns[1]
        )  # subtopics of these documents are unknown
        names = ("value", "if_relevant", "if_left_out")
        n_runs = len(positions.runs)
        n_shown = np.minimum(positions.list_sizes[0], self.depth)
        unjudged = np.bincount(self.run[self.rank <= self.depth], minlength=n_runs)
        counts = {"judged": n_shown - unjudged, "unjudged": unjudged}
        return pd.DataFrame(
            {
                "run": np.repeat(np.arange(n_runs), len(measures)),
                "measure": np.tile([measure.label for measure in measures], n_runs),
                **{name: np.repeat(count, len(measures)) for name, count in counts.items()},
                **{name: column.ravel() for name, column in zip(names, columns)},
            }
        )

    def conclusion(self, measure: Measure) -> str:
        """Return one sentence about a measure: who loses, and whether unjudged documents are the reason.

        The documents that are counted are those down to the cutoff of the measure, or the first 10.
        """
        values = replace(self, depth=min(self.depth, cutoff([measure]))).values([measure])
        return conclusion(
            measure,
            run_labels(self.judged.runs),
            *(values[name].to_numpy() for name in ("value", "if_left_out", "judged", "unjudged")),
        )


def conclusion(
    measure: Measure,
    names: Sequence[str],
    values: np.ndarray,
    left_out: np.ndarray,
    judged: np.ndarray,
    unjudged: np.ndarray,
) -> str:
    """Return one sentence about runs on a query, from arrays with one element per run.

    Parameters
    ----------
    values, left_out : ndarray
        Values of the measure, and its values without the unjudged documents.
    judged, unjudged : ndarray
        Number of judged and of unjudged documents among the first ones.

    Examples
    --------
    >>> from pdeval.catalog import parse
    >>> two = np.array([0.0, 0.6]), np.array([1.0, 0.9]), np.array([0, 9]), np.array([10, 1])
    >>> print(conclusion(parse("nDCG@10"), ["a", "b"], *two))
    a loses 0.600 nDCG@10 to b: none of its top 10 documents is judged; with judged documents only it wins by 0.100.
    """
    sign = 1 if measure.higher else -1
    last, first = int(np.argmin(sign * values)), int(np.argmax(sign * values))
    n_judged, total = judged[last], judged[last] + unjudged[last]
    if total == 0:
        count = "it returns no document"
    elif n_judged in (0, total):
        count = f"{'all' if n_judged else 'none'} of its top {total} documents {'are' if n_judged else 'is'} judged"
    else:
        count = f"{n_judged} of its top {total} documents {'is' if n_judged == 1 else 'are'} judged"
    if len(names) == 1:
        text = f"{names[0]} has {measure.label} {values[0]:.3f}: {count}"
        after = f"has {left_out[0]:.3f}"
    else:
        lost = sign * values[first] - sign * values[last]
        text = f"{names[last]} loses {lost:.3f} {measure.label} to {names[first]}: {count}"
        if lost == 0:
            text = f"the runs have the same {measure.label}, {values[last]:.3f}"
        won = sign * left_out[last] - sign * left_out[first]
        after = (
            f"{'wins' if won > 0 else 'loses'} by {abs(won):.3f}" if abs(won) > 1e-12 else "ties"
        )
    changes = unjudged.any() or (left_out != values).any()
    if not changes or (len(names) > 1 and lost == 0):
        return f"{text}."
    return f"{text}; with judged documents only it {after}."
