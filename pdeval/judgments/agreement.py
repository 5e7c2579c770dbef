"""Agreement of assessors: several coefficients of all of them together, and of every two."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
import pandas as pd

from pdeval.evaluate.groups import named
from pdeval.judgments.agreement_counts import interval, of_each_unit, resampled
from pdeval.judgments.kappas import COEFFICIENTS, Coefficient, pairs
from pdeval.judgments.labels import Labels, coded, given, units_of, what_is
from pdeval.tables.labels import labels as repeated
from pdeval.tables.reader import Table
from pdeval.tables.schemas import table
from pdeval.verbs import verb
from pdeval.verbs.arguments import TooFew

PAIRWISE = tuple(name for name, one in COEFFICIENTS.items() if one.pair_chance is not None)

AGREEMENT = table(
    "agreement_of_assessors",
    "[by:any] coefficient items:int assessors:int labels:int observed:float expected:float value:float "
    "[ci_low:float ci_high:float]",
    "agreement of assessors",
    known_by="coefficient assessors observed expected value",
    row="coefficient",
    means={
        "by": "the part of the table, under the name(s) given as by=",
        "items": "items that count",
        "assessors": "assessors who labelled one of them",
        "labels": "labels that were given to them",
        "observed": "agreement that was observed",
        "expected": "agreement that is expected by chance",
        "value": "(observed - expected) / (1 - expected); missing where only one label was given",
        "ci_low": "lower end of the bootstrap interval over queries (or items), where draws were asked for",
        "ci_high": "its upper end",
    },
    unreported="it is a table to read: one row per coefficient",
    undrawn="it is a table to read: one row per coefficient",
)
table(
    "agreement_by_query",
    f"query items:int assessors:int labels:int [{' '.join(f'{name}:float' for name in COEFFICIENTS)}]",
    "agreement of assessors by query",
    known_by=f"query items assessors labels {'|'.join(COEFFICIENTS)}",
    row="query",
    sort="query",
    means={
        "items": "items with at least two labels",
        "assessors": "assessors who labelled one of them",
        "labels": "labels that were given to them",
        **{name: one.says for name, one in COEFFICIENTS.items()},
    },
    unreported="it is a table to read: one row per query",
    undrawn="it is a table to read: one row per query",
)
table(
    "assessor_pairs",
    f"assessor_a assessor_b items:int {' '.join(f'{name}:float' for name in PAIRWISE)}",
    "agreement of pairs of assessors",
    known_by=f"items {' '.join(PAIRWISE)}",
    row="pair of assessors",
    sort="assessor_a assessor_b",
    means={
        "assessor_a": "the first assessor, under the name of the column",
        "assessor_b": "the second assessor",
        "items": "items that both labelled",
        **{name: COEFFICIENTS[name].says for name in PAIRWISE},
    },
    unreported="report the matrix: .agreement.pairs('cohen').ireval.report()",
    undrawn="draw the matrix: .agreement.pairs('cohen').ireval.plot()",
)


@verb(on="labels", gives="agreement_of_assessors", formerly="assessor_agreement")
def agreement(
    labels: Table,
    coefficients: str | Sequence[str] | None = None,
    *,
    order: Sequence[object] | None = None,
    by: str | Sequence[str] | None = None,
    draws: int = 0,
    resample: Literal["query", "item"] | None = None,
    confidence: float = 0.95,
    seed: int | None = 0,
) -> pd.DataFrame:
    """Return how far assessors agree beyond chance, by several coefficients.

    An item is a (query, doc), or a doc where there is no query. Rows without a label count as if they were not there;
    an item needs two labels to count.

    Parameters
    ----------
    coefficients : str or list of str, optional
        Any of "observed" (share of agreeing pairs of labels, mean over items), "scott" (chance from pooled label
        shares; for more than two assessors over all pairs of labels of an item), "cohen" (mean over the pairs of
        assessors for which it is defined: Light's kappa), "fleiss" (statsmodels; items with the most common number of
        labels), "alpha_nominal", "alpha_ordinal", "alpha_interval" (Krippendorff), "cohen_linear", "cohen_quadratic"
        (weighted: labels near each other disagree less). By default all that the labels allow: the last four need
        ordered labels.
    order : list, optional
        The labels from lowest to highest. Numbers and ordered categoricals have an order already. Labels that are not
        numbers count as 0, 1, 2, ... on the interval scale.
    by : str or list of str, optional
        Column(s) that split the table into separate ones, such as the task.
    draws : int
        Resamples for a bootstrap interval of each value; 0 for none.
    resample : {'query', 'item'}, optional
        What is drawn with replacement: whole queries, whose items are alike; or items. By default queries where the
        table has them.
    confidence : float
        ... They are percentiles that allow for few queries (Hesterberg 2015). Draws in which a coefficient is undefined
        do not count.

    Notes
    -----
    For the two ordered alphas and the weighted kappas agreement is 1 minus the disagreement as a share of the largest
    possible; for the kappas of Cohen observed and expected are means over pairs of assessors.

    Examples
    --------
    >>> labels = pd.DataFrame({"doc_id": [1, 1, 2, 2, 3, 3, 4, 4], "assessor": ["ann", "bob"] * 4,
    ...                        "label": [1, 1, 0, 0, 1, 0, 0, 0]})
    >>> labels.ireval.agreement(["scott", "cohen", "alpha_nominal"]).round(3)
         coefficient  items  assessors  labels  observed  expected  value
    0          scott      4          2       8      0.75     0.531  0.467
    1          cohen      4          2       8      0.75     0.500  0.500
    2  alpha_nominal      4          2       8      0.75     0.464  0.533
    """
    groups = [] if by is None else named(by)
    absent = [name for name in groups if name not in labels.frame.columns]
    if absent:
        have = ", ".join(map(str, labels.frame.columns))
        raise KeyError(f"no column {absent[0]!r} to split the labels by; the table has {have}.")
    read, _, scaled = coded(labels, order=order, by=groups)
    chosen = _chosen(coefficients, scaled)
    names = [*groups, *AGREEMENT.required, *(("ci_low", "ci_high") if draws else ())]
    unit, what = units_of(labels, read, resample) if draws or resample else (np.zeros(0, dtype=np.int64), None)

    def rows_of(part: Labels) -> list[dict[str, object]]:
        ends = _intervals(chosen, part, unit, str(what), draws, confidence, seed) if draws else [{} for _ in chosen]
        return [{**_row(one, part), **end} for one, end in zip(chosen, ends, strict=True)]

    if not groups:
        frame = pd.DataFrame(rows_of(read), columns=names)
    else:
        keys = given(labels)[groups]
        number = keys.groupby(groups, observed=True, sort=True).ngroup().to_numpy()
        rows = []
        for group, at in enumerate(np.unique(number, return_index=True)[1]):  # a handful of tasks
            part = read.take(np.flatnonzero(number == group))
            rows += [{**keys.iloc[at].to_dict(), **row} for row in rows_of(part)]
        frame = pd.DataFrame(rows, columns=names)
    if draws:
        frame.attrs.update(draws=draws, confidence=confidence, seed=seed, resample=what)
    return _carrying(labels, frame)


@verb(on="labels", gives="agreement_by_query", family="agreement", name="by_query")
def agreement_by_query(
    labels: Table, coefficients: str | Sequence[str] | None = None, *, order: Sequence[object] | None = None
) -> pd.DataFrame:
    """Return how far assessors agree on each query, all queries at once.

    Parameters
    ----------
    coefficients : str or list of str, optional
        Which; see `agreement`. By default all that the labels allow. One is missing where a query has nothing to tell
        it by: no item with two labels, or one label for everything.
    order : list, optional
        The labels from lowest to highest. Numbers and ordered categoricals have an order already.

    Examples
    --------
    >>> labels = pd.DataFrame({"query_id": list("1111222222"), "doc_id": list("aabbccddee"),
    ...                        "assessor": ["ann", "bob"] * 5, "label": [1, 1, 0, 0, 1, 0, 0, 0, 1, 1]})
    >>> labels.ireval.agreement.by_query(["observed", "cohen"]).round(3)
      query_id  items  assessors  labels  observed  cohen
    0        1      2          2       4     1.000    1.0
    1        2      3          2       6     0.667    0.4
    """
    read, _, scaled = coded(labels, order=order)
    chosen = _chosen(coefficients, scaled)
    unit, _ = units_of(labels, read, "query")
    part = read.paired()
    number = int(unit.max(initial=-1)) + 1
    ids = pd.Index(pd.factorize(given(labels)[labels.roles["query"]], sort=True)[1])
    own = unit[part.item]
    seen = np.unique(own * (int(read.assessor.max(initial=0)) + 1) + part.assessor)
    columns = {
        labels.roles["query"]: repeated(ids, np.arange(number)),
        "items": np.bincount(unit[np.unique(part.item)], minlength=number),
        "assessors": np.bincount(seen // (int(read.assessor.max(initial=0)) + 1), minlength=number),
        "labels": np.bincount(own, minlength=number),
        **{one.name: of_each_unit(one, read, unit)[2] for one in chosen},
    }
    return _carrying(labels, pd.DataFrame(columns))


@verb(
    on="labels",
    gives=("assessor_pairs", "matrix"),
    family="agreement",
    name="pairs",
    formerly="assessor_pairs",
)
def agreement_of_pairs(labels: Table, matrix: str | None = None) -> pd.DataFrame:
    """Return the agreement of every two assessors who labelled an item in common.

    A kappa is missing where both gave one and the same label only.

    Parameters
    ----------
    matrix : {'observed', 'scott', 'cohen'}, optional
        Return this coefficient as a square frame, assessors in rows and columns; by default a table of all three.

    Examples
    --------
    >>> labels = pd.DataFrame({"doc_id": [1, 1, 2, 2, 3, 3, 4, 4], "assessor": ["ann", "bob"] * 4,
    ...                        "label": [1, 1, 0, 0, 1, 0, 0, 0]})
    >>> labels.ireval.agreement.pairs().round(3)
      assessor_a assessor_b  items  observed  scott  cohen
    0        ann        bob      4      0.75  0.467    0.5
    """
    if matrix is not None and matrix not in PAIRWISE:
        raise KeyError(f"no coefficient {matrix!r} of pairs; there are {', '.join(PAIRWISE)}.{_renamed(matrix)}")
    read, assessors, _ = coded(labels)
    two, name = pairs(read), labels.roles["assessor"]
    if matrix is not None:
        return _square(labels, COEFFICIENTS[matrix].of_pairs(two), two, assessors.rename(name))
    columns = {f"{name}_a": repeated(assessors, two["a"]), f"{name}_b": repeated(assessors, two["b"])}
    columns |= {"items": two["items"], **{one: COEFFICIENTS[one].of_pairs(two) for one in PAIRWISE}}
    return _carrying(labels, pd.DataFrame(columns))


def _square(labels: Table, value: np.ndarray, two: dict[str, np.ndarray], assessors: pd.Index) -> pd.DataFrame:
    """Return the values of pairs of assessors from both sides, 1 on the diagonal; missing where undefined."""
    square = np.full((len(assessors), len(assessors)), np.nan)
    square[two["a"], two["b"]] = square[two["b"], two["a"]] = value
    np.fill_diagonal(square, 1.0)
    return _carrying(labels, pd.DataFrame(square, index=assessors, columns=assessors))


def _intervals(
    chosen: list[Coefficient],
    part: Labels,
    unit: np.ndarray,
    what: str,
    draws: int,
    confidence: float,
    seed: int | None,
) -> list[dict[str, object]]:
    """Return the bootstrap interval of each coefficient; they share their draws."""
    present, own = np.unique(unit[part.item], return_inverse=True)
    if len(present) < 2:
        one = "one query" if what == "query" else "one item"
        other = " Resample items: resample='item'." if what == "query" and len(np.unique(part.item)) > 1 else ""
        raise TooFew(f"the bootstrap draws {what_is(what)} with replacement, and there is {one}.{other}")
    mine = np.zeros_like(unit)
    mine[part.item] = own
    mine = mine[: int(part.item.max()) + 1]
    ends = [interval(resampled(one, part, mine, draws, seed), confidence, len(present)) for one in chosen]
    return [{"ci_low": float(low), "ci_high": float(high)} for low, high in ends]


def _carrying(labels: Table, frame: pd.DataFrame) -> pd.DataFrame:
    frame.attrs.update({f"{role}_column": str(name) for role, name in labels.roles.items()})
    return frame


def _chosen(coefficients: str | Sequence[str] | None, scaled: bool) -> list[Coefficient]:
    if coefficients is None:
        return [one for one in COEFFICIENTS.values() if scaled or not one.scaled]
    names = [coefficients] if isinstance(coefficients, str) else list(coefficients)
    unknown = [name for name in names if name not in COEFFICIENTS]
    if unknown:
        raise KeyError(f"no coefficient {unknown[0]!r}; there are {', '.join(COEFFICIENTS)}.{_renamed(unknown[0])}")
    chosen = [COEFFICIENTS[name] for name in names]
    ordered = [one.name for one in chosen if one.scaled]
    if ordered and not scaled:
        raise ValueError(f"{ordered[0]} needs ordered labels: give order=[lowest, ..., highest].")
    return chosen


def _renamed(name: str) -> str:
    return " 'percent' is now 'observed'." if name == "percent" else ""


def _row(one: Coefficient, read: Labels) -> dict[str, object]:
    part = one.counted(read)
    found = one.function(part)
    return {
        "coefficient": one.name,
        "items": len(np.unique(part.item)),
        "assessors": len(np.unique(part.assessor)),
        "labels": len(part.item),
        "observed": found.observed,
        "expected": found.expected,
        "value": found.kappa,
    }
