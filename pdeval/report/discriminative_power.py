"""Tables of discriminative power: measures x tests, or collections x measures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from pdeval.report import footnotes as footnote
from pdeval.report import numbers as decimals
from pdeval.report.columns import (
    MORE,
    Part,
    assemble,
    by_of,
    check_unique,
    grouped,
    need,
    numbers,
    reported,
    row_per_collection,
    texts,
)
from pdeval.report.report import Report
from pdeval.significance.corrections import NOT_NEEDED
from pdeval.verbs import verb

SETTINGS = ("test", "correction", "alpha")
PAIRED_TESTS = "paired tests"


@verb(on="discriminative_power", name="report", core=True, command=True)
@reported()
def report_discriminative_power(
    frame: pd.DataFrame,
    *,
    digits: int = 1,
    group: str | None = None,
    by: str | Sequence[str] | None = None,
    average: bool = False,
    against: str | None = None,
    known: Mapping[str, str],
) -> Report:
    """Return the table of discriminative power: the percentage of pairs told apart, measures x tests.

    Of several collections it has one row per collection and one column per measure, under the name of the test where
    there are several. Measures that were each tested in their own way, with one correction, stand under one heading.

    Parameters
    ----------
    digits : int, default 1
        Decimals of the percentages.
    group : str, optional
        A column (e.g. the collection) whose values become titles over rows.
    by : str or list of str, optional
        The column(s) that tell collections apart; by default those that the table says. Of several, all but the last
        are titles over rows.
    average : bool, default False
        Whether the last row is the mean over collections.
    against : str, optional
        A measure, of several collections: what detects more pairs than it, by the same test, is marked.

    Examples
    --------
    >>> power = pd.DataFrame({"measure": ["AP", "RPP"], "test": "hsd", "correction": "none needed", "alpha": 0.05,
    ...                       "pairs": 66, "detected": [20 / 66, 0.5]})
    >>> print(report_discriminative_power(power))
    | Measure | Randomised Tukey HSD (%) |
    |:--------|-------------------------:|
    | AP      |                     30.3 |
    | RPP     |                 **50.0** |
    <BLANKLINE>
    Percentage of 66 pairs of systems that are significantly different (α = 0.05). Best in bold.
    """
    frame = need(frame, ["measure", "detected"], "the discriminative powers")
    frame = frame.assign(percent=100 * frame["detected"].astype(float))
    titles = [] if group is None else by_of(frame, group)
    collections = [name for name in by_of(frame, by) if name != group]
    if collections:
        return _power_of_collections(
            frame, [*titles, *collections], digits, average, against, known
        )
    if against is not None:
        raise ValueError(
            "against= marks a table of several collections; name the column that tells them apart, by=."
        )
    settings = [name for name in SETTINGS if name in frame.columns]
    varied = [name for name in settings if frame[name].nunique() > 1] or settings[:1]
    key = [*titles, "measure"]
    check_unique(frame, [*key, *settings], "the discriminative powers")
    ordered, _ = grouped(frame, group, known)
    rows, groups = grouped(ordered.drop_duplicates(key)[key], group, known)
    parts: list[Part] = [texts("measure", "Measure", rows["measure"], known)]
    combinations = ordered[varied].drop_duplicates() if varied else pd.DataFrame(index=[0])
    for values in combinations.itertuples(index=False):
        same = (ordered[varied].astype(str) == [str(value) for value in values]).all(axis=1)
        chosen = ordered.loc[same, [*key, "percent"]]
        percent = rows.merge(chosen, on=key, how="left")["percent"].to_numpy(dtype=float)
        printed = decimals.printed(percent, digits)
        # the best of each group of rows
        ends = np.cumsum([part.size for part in groups])
        stress = [
            word
            for part in np.split(printed, ends[:-1])
            for word in decimals.emphases(part, higher=True)
        ]
        title = _setting(dict(zip(varied, values)), known) or "Detected"
        name = " ".join(map(str, ("percent", *values))) if len(combinations) > 1 else "percent"
        parts.append(numbers(name, f"{title} (%)", percent, digits, emphasis=stress))
    return assemble(
        parts,
        _power_notes(frame, varied, footnote.emphasis(cells for _, cells in parts)),
        groups=groups,
        group_names=titles,
    )


def _power_of_collections(
    frame: pd.DataFrame,
    by: list[str],
    digits: int,
    average: bool,
    against: str | None,
    known: Mapping[str, str],
) -> Report:
    """Return one row per collection with measures in columns, under the name of the test if there are several."""
    frame, tests = _with_common_test(frame, [*by, "measure"])
    settings = [name for name in SETTINGS if name in frame.columns]
    varied = [name for name in settings if frame[name].nunique() > 1]
    parts, groups = row_per_collection(
        frame,
        by,
        [*(varied or settings[:1]), "measure"],
        "percent",
        digits=digits,
        names=known,
        average=average,
        against=against,
        higher=True,
        heading=lambda values: _setting(values, known),
        what="the discriminative powers",
    )
    legend = footnote.emphasis(cells for _, cells in parts)
    if against is not None and any(cell.marks for _, cells in parts for cell in cells):
        legend.append(f"{MORE} more than {known.get(against, against)}.")
    return assemble(
        parts, _power_notes(frame, varied, legend, tests), groups=groups, group_names=by[:-1]
    )


def _with_common_test(
    frame: pd.DataFrame, key: list[str]
) -> tuple[pd.DataFrame, dict[str, list[str]]]:
    """Return a table with one name for the tests of measures that have one each, and whose test was which.

    Examples
    --------
    >>> frame = pd.DataFrame({"set": "x", "measure": ["rrLP", "sgnLP"], "test": ["t", "sign"], "correction": "holm"})
    >>> found, tests = _with_common_test(frame, ["set", "measure"])
    >>> found["test"].tolist(), tests
    (['paired tests', 'paired tests'], {'t': ['rrLP'], 'sign': ['sgnLP']})
    """
    measures_of: dict[str, list[str]] = {}
    if "test" not in frame.columns:
        return frame, measures_of
    names = frame["test"].astype(str).to_numpy(dtype=object)
    measures = frame["measure"].astype(str).to_numpy()
    fixed = [name for name in ("correction", "alpha") if name in frame.columns]
    for rows in (
        frame.groupby(fixed, sort=False, observed=True).indices.values() if fixed else [slice(None)]
    ):
        tests = list(dict.fromkeys(zip(names[rows], measures[rows])))
        one_test = len({test for test, _ in tests}) < 2
        several_per_measure = len({measure for _, measure in tests}) < len(tests)
        if one_test or several_per_measure or frame.iloc[rows].duplicated(key).any():
            continue
        for test, measure in tests:
            measures_of.setdefault(test, []).append(measure)
        names[rows] = PAIRED_TESTS
    return frame.assign(test=names), measures_of


def _setting(values: Mapping[str, object], known: Mapping[str, str]) -> str:
    """Return test, correction and alpha as the header of a column."""
    texts = []
    for name, value in values.items():
        text = str(value)
        if text in known or value == PAIRED_TESTS:
            texts.append(known.get(text, text))
        elif name == "alpha":
            texts.append(f"α = {decimals.share(float(text))}")
        elif value != NOT_NEEDED:
            words = (
                footnote.words_of_test(text)
                if name == "test"
                else footnote.CORRECTIONS.get(text, text)
            )
            texts.append(
                words.removeprefix("paired ").removesuffix(" test").removesuffix(" correction")
            )
    header = ", ".join(texts)
    return header[:1].upper() + header[1:]


def _power_notes(
    frame: pd.DataFrame,
    varied: list[str],
    legend: list[str],
    measures_of: Mapping[str, Sequence[str]] | None = None,
) -> list[str]:
    """Return the footnotes; `measures_of` are the measures of each test if every measure has its own."""
    fixed = {
        name: frame[name].iloc[0]
        for name in SETTINGS
        if name in frame.columns and name not in varied
    }
    tests: Mapping[str, Sequence[str]] = {str(fixed["test"]): [""]} if "test" in fixed else {}
    how = footnote.significance(
        measures_of if measures_of and tests else tests, fixed.get("correction"), fixed.get("alpha")
    )
    pairs = (
        f"{frame['pairs'].iloc[0]} pairs"
        if "pairs" in frame and frame["pairs"].nunique() == 1
        else "the pairs"
    )
    first = f"Percentage of {pairs} of systems that are significantly different" + (
        f" ({how})." if how else "."
    )
    if measures_of and not tests:
        first += f" {PAIRED_TESTS.capitalize()}: {footnote.significance(measures_of, None, None)}."
    return [first, *legend, *footnote.basis_of(frame)]
