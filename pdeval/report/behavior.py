"""The table of an A/B test: one row per behavior measure, one column per bucket."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from pdeval.catalog.directions import known_of
from pdeval.report import footnotes as footnote
from pdeval.report.columns import assemble, check_unique, need, numbers, reported, texts
from pdeval.report.report import DASH, Cell, Report
from pdeval.tables.vocabularies import listed
from pdeval.verbs import verb

HYPOTHESIS = {True: ">", False: "<", None: DASH}


@verb(on="behavior", name="ab_report")
@reported()
def report_buckets(
    frame: pd.DataFrame,
    *,
    order: Sequence[str] | None = None,
    digits: int = 3,
    known: Mapping[str, str],
) -> Report:
    """Return the table of an A/B test: the value of each measure in each bucket, with its interval as ± half its width.

    Parameters
    ----------
    order : list of str, optional
        Buckets in the expected order, the best one first. A column then states for each measure whether its values
        should fall (>) or rise (<) in this order. By default all buckets, in the order of the table.
    digits : int, default 3
        Decimals.

    Examples
    --------
    >>> values = {"measure": "abandonment_rate", "aggregate": "ratio", "n": 3500, "value": [0.68, 0.725]}
    >>> table = pd.DataFrame({"bucket": ["ORIG", "FLAT"], **values, "ci_low": [0.66, 0.7], "ci_high": [0.7, 0.75]})
    >>> print(table.ireval.ab_report(order=["ORIG", "FLAT"], footnotes=False))
    Measure                   H1           ORIG           FLAT
    ----------------------------------------------------------
    Abandonment rate (ratio)  <   0.680 ± 0.020  0.725 ± 0.025
    """
    bucket = str(frame.attrs.get("bucket_column", "bucket"))
    columns = [bucket, "measure", "aggregate", "value", "ci_low", "ci_high"]
    frame = need(frame, columns, "the table of behavior", "it")
    check_unique(frame, [bucket, "measure"], "the table of behavior")
    frame = frame.assign(**{bucket: frame[bucket].astype(str)})
    present = list(dict.fromkeys(frame[bucket]))
    buckets = present if order is None else [str(name) for name in order]
    if unknown := [name for name in buckets if name not in present]:
        raise KeyError(f"order= contains {unknown[0]!r}, but the buckets are {listed(present)}.")
    rows = frame.drop_duplicates("measure")[["measure", "aggregate"]].astype(str)
    measures = rows["measure"].tolist()
    titles = [
        known.get(name, f"{name[:1].upper()}{name[1:].replace('_', ' ')} ({aggregate})")
        for name, aggregate in rows.itertuples(index=False, name=None)
    ]
    parts = [texts("measure", "Measure", titles)]
    notes = ["±: half the width of the confidence interval."]
    if order is not None:
        directions = [known_of(name, frame.attrs) for name in measures]
        marks = [HYPOTHESIS[one and bool(one["higher"])] for one in directions]
        parts.append(texts("hypothesis", "H1", marks))
        notes.append(f"H1: expected order of the values if {' > '.join(buckets)} in quality.")
    for name in buckets:
        chosen = frame[frame[bucket] == name].set_index("measure").reindex(measures)
        half = (chosen["ci_high"] - chosen["ci_low"]).to_numpy(float) / 2
        column, cells = numbers(name, known.get(name, name), chosen["value"], digits)
        cells = [
            cell
            if cell.value is None or np.isnan(width)
            else Cell(cell.value, f"{cell.text} ± {width:.{digits}f}")
            for cell, width in zip(cells, half.tolist())
        ]
        parts.append((column, cells))
    return assemble(parts, [*notes, *footnote.basis_of(frame)])
