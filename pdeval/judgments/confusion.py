"""Confusion by grade: what assessors say of items that a reference gives each label."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd

from pdeval.judgments.agreement_counts import CELLS, interval
from pdeval.judgments.labels import Labels, coded, given, item_columns, label_names, units_of, what_is
from pdeval.tables.labels import labels as repeated
from pdeval.tables.reader import Table, read
from pdeval.tables.schemas import table
from pdeval.verbs import verb
from pdeval.verbs.arguments import TooFew, several, shown

MOST = 50  # labels of a table that people can read
REFERENCE = "reference"  # what judgments are called where they are taken for an assessor's labels
table(
    "confusions",
    "assessor reference:any label:any n:float share:share [ci_low:float ci_high:float]",
    "confusion of labels",
    known_by="reference label n share",
    row="assessor, label of the reference and label",
    sort="assessor reference label",
    then=".report(), .plot()",
    means={
        "assessor": "the assessor, under the caller's column name",
        "reference": "the label that the reference gives: another assessor, judgments, or the true label of a model",
        "label": "the label that the assessor gives",
        "n": "how many items have both; expected ones under a model",
        "share": "of the items to which the reference gives its label; missing where there are none",
        "ci_low": "lower end of the bootstrap interval of the share",
        "ci_high": "its upper end",
    },
)


@verb(on="labels", gives="confusions", family="agreement", name="confusion")
def confusion(
    labels: Table,
    reference: object,
    *,
    order: Sequence[object] | None = None,
    draws: int = 0,
    resample: Literal["query", "item"] | None = None,
    confidence: float = 0.95,
    seed: int | None = 0,
) -> pd.DataFrame:
    """Return what each assessor says of the items to which a reference gives each label: counts and shares.

    Parameters
    ----------
    reference : assessor, list of assessors, or DataFrame
        Whose labels the others are held against: an assessor of the table; several of them, each of whose labels of an
        item counts; or judgments (query, doc, grade).
    order : list, optional
        The labels from lowest to highest. Numbers and ordered categoricals have an order already.
    draws : int
        Resamples for a bootstrap interval of each share; 0 for none.
    resample : {'query', 'item'}, optional
        What is drawn with replacement; by default queries where the table has them.

    Examples
    --------
    >>> labels = pd.DataFrame({"doc_id": list("aabbccdd"), "assessor": ["people", "llm"] * 4,
    ...                        "label": [1, 1, 0, 1, 1, 1, 0, 0]})
    >>> labels.ireval.agreement.confusion("people")
      assessor  reference  label  n  share
    0      llm          0      0  1    0.5
    1      llm          0      1  1    0.5
    2      llm          1      0  0    0.0
    3      llm          1      1  2    1.0
    """
    held, names = with_reference(labels, reference)
    found, assessors, _ = coded(held, order=order)
    values = label_names(held, order)
    if len(values) > MOST:
        low, *_, high = values.tolist()
        raise ValueError(
            f"there are {len(values):,} different labels, e.g. {low!r} and {high!r}; a confusion has at most {MOST}. "
            "Round them to grades first."
        )
    is_reference = np.isin(np.arange(len(assessors)), assessors.get_indexer(pd.Index(names)))
    one, two = _matched(found, is_reference)
    others = np.flatnonzero(~is_reference)
    if not len(one):
        theirs = "the reference" if isinstance(reference, pd.DataFrame) else " and ".join(map(repr, names[:3]))
        raise ValueError(
            f"no item has a label both of {theirs} and of another assessor; there are {len(np.unique(found.item)):,} "
            "items in all. Are items named alike on both sides?"
        )
    number = len(values)
    place = np.cumsum(~is_reference) - 1
    cell = (place[found.assessor[two]] * number + found.label[one]) * number + found.label[two]
    size = len(others) * number**2
    tables = np.bincount(cell, minlength=size).reshape(-1, number, number)
    frame = of_tables(tables, labels.roles["assessor"], assessors[others], values)
    frame.attrs.update({f"{role}_column": str(name) for role, name in labels.roles.items()})
    frame.attrs["reference"] = REFERENCE if isinstance(reference, pd.DataFrame) else ", ".join(map(str, names))
    if draws:
        unit, what = units_of(held, found, resample)
        own = np.unique(unit[found.item[one]], return_inverse=True)[1]
        drawn = _drawn(own, cell, size, number, what, draws, seed)
        frame["ci_low"], frame["ci_high"] = interval(drawn, confidence, int(own.max()) + 1)
        frame.attrs.update(draws=draws, confidence=confidence, seed=seed, resample=what)
    return frame


def of_tables(tables: np.ndarray, name: str, assessors: pd.Index, values: pd.Index) -> pd.DataFrame:
    """Return tables of counts (assessor, label of the reference, label) as a tidy frame with the shares of rows."""
    who, first, second = (axis.ravel() for axis in np.indices(tables.shape))
    total = np.broadcast_to(tables.sum(axis=2, keepdims=True), tables.shape)
    share = np.divide(tables, total, out=np.full(tables.shape, np.nan), where=total > 0)
    columns: dict[str, Any] = {
        name: repeated(assessors, who),
        "reference": repeated(values, first),
        "label": repeated(values, second),
        "n": tables.ravel(),
        "share": share.ravel(),
    }
    return pd.DataFrame(columns)


def with_reference(labels: Table, reference: object) -> tuple[Table, list[object]]:
    """Return the labels with those of a reference among them, and the names of the assessors who are it.

    Examples
    --------
    >>> frame = pd.DataFrame({"doc_id": ["a"], "assessor": ["llm"], "label": [1]})
    >>> with_reference(read(frame, "labels"), "people")
    Traceback (most recent call last):
    KeyError: "no assessor 'people' among the labels; there are 'llm'."
    """
    if isinstance(reference, pd.DataFrame) or hasattr(reference, "_binding"):
        return _beside(labels, read(reference, "qrels"))
    names = [reference] if isinstance(reference, str | tuple) else several("reference", reference)
    known = given(labels)[labels.roles["assessor"]].unique().tolist()
    absent = [name for name in names if isinstance(name, np.ndarray) or name not in known]
    if absent:
        some = ", ".join(map(repr, known[:3])) + (f", ... ({len(known)} in all)" if len(known) > 3 else "")
        raise KeyError(f"no assessor {absent[0]!r} among the labels; there are {some}.")
    if set(known) <= set(names):
        raise ValueError(f"reference={shown(reference)} is every assessor of the table; there is nobody to hold to it.")
    return labels, names


def _beside(labels: Table, qrels: Table) -> tuple[Table, list[object]]:
    """Return the labels with judgments among them, as those of an assessor of their own."""
    if "query" not in labels:
        have = ", ".join(map(str, labels.frame.columns))
        raise ValueError(f"judgments are of queries, and the label table has no query column among {have}.")
    names = [*item_columns(labels), labels.roles["assessor"], labels.roles["label"]]
    if (labels.column("assessor") == REFERENCE).any():
        raise ValueError(f"an assessor is called {REFERENCE!r}, which stands for the judgments here; rename one.")
    theirs = qrels.frame[[qrels.roles[role] for role in ("query", "doc", "grade")]].set_axis(
        [*item_columns(labels), labels.roles["label"]], axis=1
    )
    for one in item_columns(labels):
        if pd.api.types.is_numeric_dtype(theirs[one].dtype) != pd.api.types.is_numeric_dtype(labels.frame[one].dtype):
            raise ValueError(
                f"{one!r} is {labels.frame[one].dtype} among the labels and {theirs[one].dtype} among the judgments; "
                "make both the same with .astype(str)."
            )
    theirs[labels.roles["assessor"]] = REFERENCE
    frame = pd.concat([labels.frame[names].astype(object), theirs[names].astype(object)], ignore_index=True)
    return Table("labels", frame.infer_objects(), labels.roles), [REFERENCE]


def _matched(labels: Labels, is_reference: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return every label of the reference with every other label of the same item, as places in the table."""
    theirs, others = np.flatnonzero(is_reference[labels.assessor]), np.flatnonzero(~is_reference[labels.assessor])
    theirs = theirs[np.argsort(labels.item[theirs], kind="stable")]
    low = np.searchsorted(labels.item[theirs], labels.item[others], side="left")
    often = np.searchsorted(labels.item[theirs], labels.item[others], side="right") - low
    two = np.repeat(others, often)
    within = np.arange(len(two)) - np.repeat(np.cumsum(often) - often, often)
    return theirs[np.repeat(low, often) + within], two


def _drawn(
    unit: np.ndarray, cell: np.ndarray, size: int, number: int, what: str, draws: int, seed: int | None
) -> np.ndarray:
    """Return the shares of resamples of the units, one row each."""
    from scipy.sparse import csr_matrix

    units = int(unit.max()) + 1
    if units < 2:
        raise TooFew(f"the bootstrap draws {what_is(what)} with replacement, and there is one {what}.")
    sums = csr_matrix((np.ones(len(cell)), (unit, cell)), shape=(units, size))
    rng = np.random.default_rng(seed)
    step, found = max(CELLS // size, 1), []
    for low in range(0, draws, step):
        often = rng.multinomial(units, np.full(units, 1 / units), size=min(step, draws - low)).astype(np.float64)
        tables = np.asarray((sums.T @ often.T).T).reshape(len(often), -1, number)
        total = tables.sum(axis=2, keepdims=True)
        share = np.divide(tables, total, out=np.full(tables.shape, np.nan), where=total > 0)
        found.append(share.reshape(len(often), -1))
    return np.concatenate(found)
