"""Agreement of assessors on a table (item, assessor, label), and the judgments that other assessors would have made.

A row without a label counts as if it were not there. An item needs two labels to say anything about agreement.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

import numpy as np
import pandas as pd

from pdeval.collections import kappas
from pdeval.collections.kappas import Kappa, Labels, kappa
from pdeval.kinds.labels import labels as repeated

__all__ = ["COEFFICIENTS", "Kappa", "agreement", "kappa", "pairwise", "pairwise_matrix", "swapped_qrels"]

Coefficient = Literal["percent", "scott", "cohen", "fleiss", "alpha_nominal", "alpha_ordinal", "alpha_interval"]
COEFFICIENTS: tuple[Coefficient, ...] = (
    "percent",
    "scott",
    "cohen",
    "fleiss",
    "alpha_nominal",
    "alpha_ordinal",
    "alpha_interval",
)
ORDERED = ("alpha_ordinal", "alpha_interval")


def agreement(
    labels: pd.DataFrame,
    coefficients: Sequence[Coefficient] | Coefficient | None = None,
    *,
    order: Sequence[object] | None = None,
    by: str | Sequence[str] | None = None,
    item: str | Sequence[str] = "item",
    assessor: str = "assessor",
    label: str = "label",
) -> pd.DataFrame:
    """Return agreement coefficients of all assessors together: one row per coefficient.

    Parameters
    ----------
    labels : DataFrame
        One row per label given: item, assessor, label. Items may be named by several columns.
    coefficients : sequence of str, optional
        Any of 'percent' (share of agreeing pairs of labels, mean over items), 'scott' (the slides' kappa: chance from
        pooled label shares; for more than two assessors over all pairs of labels of an item), 'cohen' (mean over the
        pairs of assessors for which it is defined: Light's kappa), 'fleiss' (statsmodels; items with the most common
        number of labels), 'alpha_nominal', 'alpha_ordinal', 'alpha_interval' (Krippendorff). By default all that the
        labels allow: the last two need ordered labels.
    order : sequence, optional
        The labels from lowest to highest. Numbers and ordered categoricals have an order already. Labels that are not
        numbers count as 0, 1, 2, ... on the interval scale.
    by : str or sequence of str, optional
        Column(s) that split the table into separate label tables, such as the task.
    item, assessor, label : str
        The columns.

    Returns
    -------
    DataFrame
        [by,] coefficient, items, assessors, labels (counted ones), observed, expected, value. For the two ordered
        alphas agreement is 1 minus the disagreement as a share of the largest possible; for 'cohen' observed and
        expected are means over pairs of assessors.

    Examples
    --------
    >>> table = pd.DataFrame({"item": [1, 1, 2, 2, 3, 3, 4, 4], "assessor": ["ann", "bob"] * 4,
    ...                       "label": [1, 1, 0, 0, 1, 0, 0, 0]})
    >>> print(agreement(table, ["scott", "cohen", "alpha_nominal"]).round(3).to_string(index=False))
      coefficient  items  assessors  labels  observed  expected  value
            scott      4          2       8      0.75     0.531  0.467
            cohen      4          2       8      0.75     0.500  0.500
    alpha_nominal      4          2       8      0.75     0.464  0.533
    """
    groups = [by] if isinstance(by, str) else list(by or [])
    read, _, scaled = _read(labels, item, assessor, label, order, groups)
    chosen = _chosen(coefficients, scaled)
    if not groups:
        return pd.DataFrame([_row(name, read) for name in chosen])
    keys = labels.loc[labels[label].notna(), groups]
    number = keys.groupby(groups, observed=True, sort=True).ngroup().to_numpy()
    rows = []
    for group, at in enumerate(np.unique(number, return_index=True)[1]):  # a handful of tasks
        part = read.take(np.flatnonzero(number == group))
        rows += [{**keys.iloc[at].to_dict(), **_row(name, part)} for name in chosen]
    return pd.DataFrame(rows, columns=[*groups, *_COLUMNS])


def pairwise(
    labels: pd.DataFrame,
    *,
    item: str | Sequence[str] = "item",
    assessor: str = "assessor",
    label: str = "label",
) -> pd.DataFrame:
    """Return the agreement of every pair of assessors who labelled an item in common.

    Returns
    -------
    DataFrame
        assessor_a, assessor_b, items, percent, scott, cohen; sorted by the pair. Columns are named after `assessor`.
        A kappa is NaN where both gave one and the same label only.

    Examples
    --------
    >>> table = pd.DataFrame({"item": [1, 1, 2, 2, 3, 3, 4, 4], "assessor": ["ann", "bob"] * 4,
    ...                       "label": [1, 1, 0, 0, 1, 0, 0, 0]})
    >>> pairwise(table).round(3).values.tolist()
    [['ann', 'bob', 4, 0.75, 0.467, 0.5]]
    """
    read, assessors, _ = _read(labels, item, assessor, label, None, [])
    two = kappas.pairs(read)
    return pd.DataFrame(
        {
            f"{assessor}_a": repeated(assessors, two["a"]),
            f"{assessor}_b": repeated(assessors, two["b"]),
            "items": two["items"],
            "percent": two["observed"],
            "scott": kappas.corrected(two["observed"], two["pooled"]),
            "cohen": kappas.corrected(two["observed"], two["own"]),
        }
    )


def pairwise_matrix(
    labels: pd.DataFrame,
    coefficient: Literal["percent", "scott", "cohen"] = "cohen",
    *,
    item: str | Sequence[str] = "item",
    assessor: str = "assessor",
    label: str = "label",
) -> pd.DataFrame:
    """Return the pairwise agreement as a symmetric matrix, assessors in rows and columns; NaN where undefined.

    Examples
    --------
    >>> table = pd.DataFrame({"item": [1, 1, 2, 2, 3, 3, 4, 4], "assessor": ["ann", "bob"] * 4,
    ...                       "label": [1, 1, 0, 0, 1, 0, 0, 0]})
    >>> pairwise_matrix(table).values.tolist()
    [[1.0, 0.5], [0.5, 1.0]]
    """
    if coefficient not in ("percent", "scott", "cohen"):
        raise ValueError(f"coefficient is 'percent', 'scott' or 'cohen', not {coefficient!r}.")
    read, assessors, _ = _read(labels, item, assessor, label, None, [])
    two = kappas.pairs(read)
    chance: dict[str, np.ndarray | float] = {"percent": 0.0, "scott": two["pooled"], "cohen": two["own"]}
    square = np.full((len(assessors), len(assessors)), np.nan)
    square[two["a"], two["b"]] = square[two["b"], two["a"]] = kappas.corrected(two["observed"], chance[coefficient])
    np.fill_diagonal(square, 1.0)
    names = assessors.rename(assessor)
    return pd.DataFrame(square, index=names, columns=names)


def swapped_qrels(
    labels: pd.DataFrame,
    *,
    how: Literal["assessor", "draw"] = "assessor",
    per: Literal["item", "query"] = "item",
    draws: int = 100,
    seed: int | None = 0,
    grades: Mapping[object, float] | None = None,
    query: str = "query_id",
    doc: str = "doc_id",
    assessor: str = "assessor",
    label: str = "label",
) -> Iterator[tuple[object, pd.DataFrame]]:
    """Yield (name, qrels): the judgments as each assessor, or a random mix of assessors, would have made them.

    Score the same runs on each and compare the orderings (Voorhees 2000: scores move, orderings hardly do).

    Parameters
    ----------
    labels : DataFrame
        One row per label given: query, doc, assessor, label.
    how : {'assessor', 'draw'}
        'assessor': one qrels per assessor, holding what that assessor labelled; the name is the assessor.
        'draw': `draws` qrels, each from assessors drawn at random; the name is 0, 1, ...
    per : {'item', 'query'}
        What a drawn assessor decides: one (query, doc), drawn among those who labelled it, so that every qrels is
        complete; or a whole query, as in TREC, where items that the drawn assessor did not label stay unjudged.
    draws, seed : int
        Number of draws, and the seed of the generator.
    grades : mapping of label to number, optional
        The grade of each label; needed where labels are not numbers.

    Examples
    --------
    >>> table = pd.DataFrame({"query_id": ["q", "q"], "doc_id": ["d", "d"], "assessor": ["ann", "bob"],
    ...                       "label": ["yes", "no"]})
    >>> for name, qrels in swapped_qrels(table, grades={"yes": 1, "no": 0}):
    ...     print(name, qrels.values.tolist())
    ann [['q', 'd', 1]]
    bob [['q', 'd', 0]]
    """
    if how not in ("assessor", "draw") or per not in ("item", "query"):
        raise ValueError(f"how is 'assessor' or 'draw' and per is 'item' or 'query', not {how!r} and {per!r}.")
    read, assessors, _ = _read(labels, [query, doc], assessor, label, None, [])
    given = labels.loc[labels[label].notna(), [query, doc, label]]
    if given.empty:
        raise ValueError(f"the label table holds no labels: column {label!r} is empty in all {len(labels):,} rows.")
    by_item = np.lexsort((read.assessor, read.item))
    qrels = given[[query, doc]].assign(relevance=_grades(given[label], grades)).iloc[by_item]
    who = read.assessor[by_item].astype(np.int64)
    if how == "assessor":
        for code, name in enumerate(assessors):
            yield name, qrels[who == code].reset_index(drop=True)
        return
    decided = read.item[by_item]
    if per == "query":
        decided = qrels.groupby(query, observed=True, sort=True).ngroup().to_numpy()
    # one entry per (what is decided, assessor), sorted: a draw picks one entry of every unit
    entries, entry = np.unique(decided * len(assessors) + who, return_inverse=True)
    size = np.bincount(entries // max(len(assessors), 1))
    start = np.cumsum(size) - size
    rng = np.random.default_rng(seed)
    for number in range(draws):
        picked = start + (rng.random(len(start)) * size).astype(np.int64)
        yield number, qrels[picked[decided] == entry].reset_index(drop=True)


def _grades(given: pd.Series, grades: Mapping[object, float] | None) -> np.ndarray:
    if grades is None:
        if not pd.api.types.is_numeric_dtype(given.dtype):
            raise ValueError(
                f"the labels are not numbers, e.g. {given.iloc[0]!r}; say what each is worth: "
                f"grades={{{given.iloc[0]!r}: 1, ...}}."
            )
        return given.to_numpy()
    unknown = [value for value in given.unique() if value not in grades]
    if unknown:
        raise ValueError(f"grades= has no grade for {len(unknown)} of the labels, e.g. {unknown[:3]}.")
    return given.astype(object).map(dict(grades)).to_numpy(dtype=type(next(iter(grades.values()))))


def _chosen(coefficients: Sequence[Coefficient] | Coefficient | None, scaled: bool) -> list[str]:
    if coefficients is None:
        return [name for name in COEFFICIENTS if scaled or name not in ORDERED]
    chosen = [coefficients] if isinstance(coefficients, str) else list(coefficients)
    unknown = [name for name in chosen if name not in COEFFICIENTS]
    if unknown:
        raise KeyError(f"no coefficient {unknown[0]!r}; there are {', '.join(COEFFICIENTS)}.")
    ordered = [name for name in chosen if name in ORDERED]
    if ordered and not scaled:
        raise ValueError(f"{ordered[0]} needs ordered labels: give order=[lowest, ..., highest].")
    return list(chosen)


def _read(
    frame: pd.DataFrame,
    item: str | Sequence[str],
    assessor: str,
    label: str,
    order: Sequence[object] | None,
    groups: list[str],
) -> tuple[Labels, pd.Index, bool]:
    """Return the table as codes, the assessors, and whether labels are ordered; an error names every fault."""
    items = [item] if isinstance(item, str) else list(item)
    absent = [name for name in [*groups, *items, assessor, label] if name not in frame.columns]
    if absent:
        raise ValueError(
            f"the label table has no column {', '.join(map(repr, absent))}; it has "
            f"{', '.join(map(str, frame.columns))}. Name the columns with item=, assessor=, label= (or query=, doc=)."
        )
    frame = frame[frame[label].notna()]
    faults = []
    keys = [*groups, *items]
    for name in dict.fromkeys([*keys, assessor]):
        if missing := int(frame[name].isna().sum()):
            faults.append(f"{missing:,} rows without a value in {name!r}")
    twice = frame.duplicated([*keys, assessor])
    if twice.any():
        example = next(frame.loc[twice, [*keys, assessor]].itertuples(index=False, name=None))
        faults.append(
            f"{int(twice.sum()):,} repeated labels of one item by one assessor, e.g. {example}; keep one of each with "
            f".drop_duplicates({[*keys, assessor]})"
        )
    column = frame[label]
    unknown = [] if order is None else [value for value in column.unique() if value not in list(order)]
    if unknown:
        faults.append(f"labels that order= does not name, e.g. {unknown[:3]}")
    if faults:
        raise ValueError("the label table cannot be read: " + "; ".join(faults) + ".")
    if order is not None:
        column = column.astype(object).astype(pd.CategoricalDtype(list(order), ordered=True))
    codes, found = pd.factorize(column, sort=True)
    categories = column.cat.categories if isinstance(column.dtype, pd.CategoricalDtype) else pd.Index(found)
    scaled = pd.api.types.is_numeric_dtype(column.dtype) or bool(getattr(column.dtype, "ordered", False))
    if pd.api.types.is_numeric_dtype(categories.dtype):
        values = pd.Index(found).to_numpy(dtype=np.float64)
    else:  # a label that nobody gave keeps its place on the scale
        values = categories.get_indexer(pd.Index(found)).astype(np.float64)
    who, assessors = pd.factorize(frame[assessor], sort=True)
    number = frame.groupby(keys, observed=True, sort=True).ngroup().to_numpy()
    return Labels(number, who, codes, values), pd.Index(assessors), scaled


_COLUMNS = ("coefficient", "items", "assessors", "labels", "observed", "expected", "value")


def _row(name: str, read: Labels) -> dict[str, object]:
    part = read.even() if name == "fleiss" else read.paired()
    if name == "percent":
        observed = kappas.pooled(part).observed
        found = Kappa(observed, np.nan, observed)
    elif name == "scott":
        found = kappas.pooled(part)
    elif name == "cohen":
        found = kappas.cohen(part)
    elif name == "fleiss":
        found = kappas.fleiss(part)
    else:
        found = kappas.alpha(part, name.removeprefix("alpha_"))
    return {
        "coefficient": name,
        "items": len(np.unique(part.item)),
        "assessors": len(np.unique(part.assessor)),
        "labels": len(part.item),
        "observed": found.observed,
        "expected": found.expected,
        "value": found.kappa,
    }
