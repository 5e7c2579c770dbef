"""Gates: the table of requirements, a JUnit file for build servers, and a summary for pull requests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from xml.etree import ElementTree as ET

import pandas as pd

from pdeval.report import numbers as decimals
from pdeval.report.columns import assemble, by_of, need, numbers, reported, texts
from pdeval.report.footnotes import CORRECTIONS
from pdeval.report.report import Report
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
    Measure   n            Difference       p  Result  Verdict
    --------------------------------------------------------------------------------
    AP       48  0.175 [0.133, 0.217]  <0.001  passed  better by at least 0.133
                                                       (limit 0.0162)
    <BLANKLINE>
    hybrid in place of bm25. In brackets the one-sided limits of the difference
    (paired Student t tests, α = 0.05).
    """
    frame = need(frame, ["measure", "difference", "limit", "passed", "verdict"], "the gate")
    groups = by_of(frame, by)
    spread = {name: frame[name].to_numpy(dtype=float) for name in ("lower", "upper")}
    parts = [texts(name, name, frame[name], known) for name in groups]
    parts += [
        texts("measure", "Measure", frame["measure"], known),
        numbers("n", "n", frame["n"], digits),
        numbers("difference", "Difference", frame["difference"], digits, spread=spread),
        numbers("p_value", "p", frame["p_value"].astype(float), digits, text=decimals.p_value),
        texts("passed", "Result", [PASSED if one else FAILED for one in frame["passed"]], known),
        texts("verdict", "Verdict", frame["verdict"], known),
    ]
    return assemble(parts, _gate_notes(frame))


def _gate_notes(frame: pd.DataFrame) -> list[str]:
    """Return the notes on the runs, the test and its correction."""
    attrs = frame.attrs
    notes = []
    if "candidate" in attrs:
        notes.append(f"{attrs['candidate']} in place of {attrs['baseline']}.")
    if "correction" in attrs:
        correction = CORRECTIONS.get(attrs["correction"], attrs["correction"])
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
    suite = ET.Element("testsuite", {"name": "pdeval gate", **counts})
    groups = by_of(frame, None)
    for row in frame.to_dict("records"):
        name = ", ".join(str(row[column]) for column in (*groups, "measure"))
        case = ET.SubElement(
            suite, "testcase", {"classname": f"gate.{row['requirement']}", "name": name}
        )
        if not row["passed"]:
            failure = {"message": row["verdict"], "type": row["requirement"]}
            ET.SubElement(case, "failure", failure)
        else:
            ET.SubElement(case, "system-out").text = row["verdict"]
    ET.indent(suite)
    return ET.tostring(suite, encoding="unicode")
