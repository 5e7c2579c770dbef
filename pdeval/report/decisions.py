"""Tables of decisions: gates, with files for build servers and pull requests, and A/B tests."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from pdeval.catalog import known_of
from pdeval.online.behavior import behavior
from pdeval.report import footnotes as footnote
from pdeval.report import numbers as decimals
from pdeval.report.columns import assemble, by_of, check_unique, need, numbers, reported, texts
from pdeval.report.report import DASH, Cell, Report
from pdeval.tables import kind_of, listed, read
from pdeval.verbs import verb

PASSED, FAILED = "passed", "failed"


@verb(on="gates", name="report", core=True, command=True)
@reported()
def report_gate(
    frame: pd.DataFrame,
    *,
    digits: int = 3,
    by: str | Sequence[str] | None = None,
    known: Mapping[str, str],
) -> Report:
    """Return the requirements of a gate: measure and group, difference with its limits, result in words.

    Parameters
    ----------
    digits : int, default 3
        Decimals of differences.
    by : str or list of str, optional
        Column(s) that identify the groups; by default those recorded in the table.

    Examples
    --------
    >>> import pdeval
    >>> judged = pdeval.datasets.sample_judged(queries="common")
    >>> print(judged.gate("hybrid", "bm25", "AP", margin="5%").ireval.report())
    Measure   n            Difference       p  Result  Conclusion
    --------------------------------------------------------------------------------
    AP       48  0.175 [0.133, 0.217]  <0.001  passed  better by at least 0.133
                                                       (limit 0.0162)
    <BLANKLINE>
    hybrid in place of bm25. In brackets the one-sided limits of the difference
    (paired Student t tests, α = 0.05).
    """
    frame = need(frame, ["measure", "difference", "limit", "passed", "conclusion"], "the gate")
    spread = {name: frame[name].to_numpy(dtype=float) for name in ("lower", "upper")}
    parts = [
        *(texts(name, name, frame[name], known) for name in by_of(frame, by)),
        texts("measure", "Measure", frame["measure"], known),
        numbers("n", "n", frame["n"], digits),
        numbers("difference", "Difference", frame["difference"], digits, spread=spread),
        numbers("p_value", "p", frame["p_value"].astype(float), digits, text=decimals.p_value),
        texts("passed", "Result", [PASSED if one else FAILED for one in frame["passed"]], known),
        texts("conclusion", "Conclusion", frame["conclusion"], known),
    ]
    return assemble(parts, _gate_notes(frame))


def _gate_notes(frame: pd.DataFrame) -> list[str]:
    """Return the notes on the runs, the test and its correction."""
    attrs = frame.attrs
    notes = (
        [f"{attrs['candidate']} in place of {attrs['baseline']}."] if "candidate" in attrs else []
    )
    if "correction" in attrs:
        correction = footnote.CORRECTIONS.get(attrs["correction"], attrs["correction"])
        # rows with one requirement are corrected together
        counts = frame["requirement"].value_counts().sort_index().tolist()
        number = " and of ".join(map(str, counts))
        how = f"{correction} of {number} comparisons, " if max(counts) > 1 else ""
        notes.append(
            f"In brackets the one-sided limits of the difference (paired Student t tests, {how}"
            f"α = {attrs['alpha']:.10g})."
        )
    return notes


def summary_of(frame: pd.DataFrame) -> str:
    """Return a gate as Markdown: a heading with the result, and the table.

    Examples
    --------
    >>> import pdeval
    >>> judged = pdeval.datasets.sample_judged(queries="common")
    >>> print(summary_of(judged.gate("hybrid", "bm25", "AP", margin="5%")).partition(chr(10))[0])
    ### Gate passed: hybrid in place of bm25
    """
    failed = int((~frame["passed"].to_numpy(dtype=bool)).sum())
    result = f"failed ({failed} of {len(frame)} requirements)" if failed else PASSED
    names = {name: frame.attrs.get(name, name) for name in ("candidate", "baseline")}
    heading = f"### Gate {result}: {names['candidate']} in place of {names['baseline']}"
    return f"{heading}\n\n{report_gate(frame).to_markdown()}"


def junit_of(frame: pd.DataFrame) -> str:
    """Return a gate as JUnit XML: a test case per row, with a failure if it did not pass.

    Examples
    --------
    >>> import pdeval
    >>> judged = pdeval.datasets.sample_judged(queries="common")
    >>> junit_of(judged.gate("hybrid", "bm25", "AP", margin="5%"))[:62]
    '<testsuite name="pdeval gate" tests="1" failures="0" errors="0'
    """
    passed = frame["passed"].to_numpy(dtype=bool)
    counts = {"tests": str(len(frame)), "failures": str(int((~passed).sum())), "errors": "0"}
    from xml.etree import ElementTree as ET  # only this format needs it

    suite = ET.Element("testsuite", {"name": "pdeval gate", **counts})
    groups = by_of(frame, None)
    for row in frame.to_dict("records"):
        name = ", ".join(str(row[column]) for column in (*groups, "measure"))
        case = ET.SubElement(
            suite, "testcase", {"classname": f"gate.{row['requirement']}", "name": name}
        )
        if not row["passed"]:
            failure = {"message": row["conclusion"], "type": row["requirement"]}
            ET.SubElement(case, "failure", failure)
        else:
            ET.SubElement(case, "system-out").text = row["conclusion"]
    ET.indent(suite)
    return ET.tostring(suite, encoding="unicode")


HYPOTHESIS = {True: ">", False: "<", None: DASH}


@verb(on=("behavior", "clicks"), name="ab_report")
@reported()
def report_buckets(
    frame: pd.DataFrame,
    *,
    order: Sequence[str] | None = None,
    digits: int = 3,
    known: Mapping[str, str],
) -> Report:
    """Return the table of an A/B test: the value of each measure in each bucket, with its interval as ± half its width.

    Of a click log, the measures are those of `behavior()` with its defaults.

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
    if kind_of(frame) == "clicks":
        frame = behavior(read(frame, "clicks"))
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
