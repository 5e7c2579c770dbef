"""Tables of discriminative power: measures x tests, or collections x measures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from pdeval.report import footnotes as footnote
from pdeval.report import numbers as decimals
from pdeval.report.columns import About, Part, assemble, grouped, need, numbers, texts, unique
from pdeval.report.report import Report
from pdeval.report.rows import emphases
from pdeval.report.stacked_collections import MORE, by_of, row_per_collection
from pdeval.significance.corrections import NOT_NEEDED
from pdeval.verbs import verb

EACH_ITS_OWN = "paired tests"


@verb(on="discriminative_power", name="report", core=True, command=True)
def report_discriminative_power(
    frame: pd.DataFrame,
    *,
    digits: int = 1,
    group: str | None = None,
    by: str | Sequence[str] | None = None,
    average: bool = False,
    against: str | None = None,
    names: Mapping[str, str] | None = None,
    caption: str | None = None,
    label: str | None = None,
    notes: str | Sequence[str] | None = None,
    footnotes: bool = True,
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
    places, known = decimals.check(digits), dict(names or {})
    setting = [name for name in ("test", "correction", "alpha") if name in frame.columns]
    varied = [name for name in setting if frame[name].nunique() > 1] or setting[:1]
    by_of(frame, group)
    collections = [name for name in by_of(frame, by) if name != group]
    if collections:
        rows_by = [*([group] if group else []), *collections]
        options = {"digits": places, "average": average, "names": known, "against": against}
        return _power_of_collections(frame, rows_by, options, About(caption, label, notes), footnotes)
    if against is not None:
        raise ValueError("against= marks a table of several collections; name the column that tells them apart, by=.")
    key = [*([group] if group else []), "measure"]
    unique(frame, [*key, *setting], "the discriminative powers")
    ordered, _ = grouped(frame, group, known)
    rows, groups = grouped(ordered.drop_duplicates(key)[key], group, known)
    parts: list[Part] = [texts("measure", "Measure", rows["measure"], known)]
    settings = ordered[varied].drop_duplicates() if varied else pd.DataFrame(index=[0])
    for values in settings.itertuples(index=False):
        chosen = (
            ordered if not varied else ordered[(ordered[varied].astype(str) == [str(v) for v in values]).all(axis=1)]
        )
        percent = rows.merge(chosen[[*key, "percent"]], on=key, how="left")["percent"].to_numpy(dtype=float)
        printed = decimals.printed(percent, places)
        stress: list[Any] = []
        for size in [part.size for part in groups] or [len(rows)]:
            stress += emphases(printed[len(stress) : len(stress) + size], higher=True)
        title = _setting(dict(zip(varied, values)), known) or "Detected"
        name = " ".join(map(str, ("percent", *values))) if len(settings) > 1 else "percent"
        parts.append(numbers(name, f"{title} (%)", percent, places, emphasis=stress))
    used = {cell.emphasis for _, cells in parts for cell in cells}
    said = _power_notes(frame, varied, footnote.emphasis(used)) if footnotes else []
    return assemble(parts, About(caption, label, notes), said=said, groups=groups, group_names=[group] if group else [])


def _power_of_collections(
    frame: pd.DataFrame, by: list[str], options: dict[str, Any], about: About, footnotes: bool
) -> Report:
    """Return one row per collection with measures in columns, under the name of the test where there are several."""
    frame, tests = _each_its_own(frame, [*by, "measure"])
    setting = [name for name in ("test", "correction", "alpha") if name in frame.columns]
    several = [name for name in setting if frame[name].nunique() > 1]
    parts, groups = row_per_collection(
        frame,
        by,
        [*(several or setting[:1]), "measure"],
        "percent",
        higher=True,
        heading=lambda values: _setting(values, options["names"]),
        what="the discriminative powers",
        **options,
    )
    used = {cell.emphasis for _, cells in parts for cell in cells}
    bold = footnote.emphasis(used)
    if any(cell.marks for _, cells in parts for cell in cells):
        bold.append(f"{MORE} more than {options['names'].get(options['against'], options['against'])}.")
    said = _power_notes(frame, several, bold, tests) if footnotes else []
    return assemble(parts, about, said=said, groups=groups, group_names=[", ".join(by[:-1])] if groups else [])


def _each_its_own(frame: pd.DataFrame, key: list[str]) -> tuple[pd.DataFrame, dict[str, list[str]]]:
    """Return a table with one name for the tests of measures that have one each, and whose test was which.

    Examples
    --------
    >>> frame = pd.DataFrame({"set": "x", "measure": ["rrLP", "sgnLP"], "test": ["t", "sign"], "correction": "holm"})
    >>> found, tests = _each_its_own(frame, ["set", "measure"])
    >>> found["test"].tolist(), tests
    (['paired tests', 'paired tests'], {'t': ['rrLP'], 'sign': ['sgnLP']})
    """
    told: dict[str, list[str]] = {}
    if "test" not in frame.columns:
        return frame, told
    names, measures = frame["test"].astype(str).to_numpy(dtype=object), frame["measure"].astype(str).to_numpy()
    rest = [name for name in ("correction", "alpha") if name in frame.columns]
    for rows in frame.groupby(rest, sort=False, observed=True).indices.values() if rest else [slice(None)]:
        own = list(dict.fromkeys(zip(names[rows], measures[rows])))
        of = [measure for _, measure in own]
        if len({test for test, _ in own}) < 2 or len(set(of)) < len(of) or frame.iloc[rows].duplicated(key).any():
            continue
        for test, measure in own:
            told.setdefault(test, []).append(measure)
        names[rows] = EACH_ITS_OWN
    return frame.assign(test=names), told


def _setting(values: Mapping[str, object], names: Mapping[str, str]) -> str:
    said = []
    for name, value in values.items():
        if str(value) in names or value == EACH_ITS_OWN:
            said.append(names.get(str(value), str(value)))
        elif name == "alpha":
            said.append(f"α = {decimals.share(float(str(value)))}")
        elif value != NOT_NEEDED:
            known = (
                footnote.words_of_test(str(value))
                if name == "test"
                else footnote.CORRECTIONS.get(str(value), str(value))
            )
            said.append(known.removeprefix("paired ").removesuffix(" test").removesuffix(" correction"))
    text = ", ".join(said)
    return text[:1].upper() + text[1:]


def _power_notes(
    frame: pd.DataFrame, varied: list[str], bold: list[str], own: Mapping[str, Sequence[str]] | None = None
) -> list[str]:
    fixed = {
        name: frame[name].iloc[0]
        for name in ("test", "correction", "alpha")
        if name in frame.columns and name not in varied
    }
    tests: Mapping[str, Sequence[str]] = {str(fixed["test"]): [""]} if "test" in fixed else {}
    if own and "test" in fixed:
        tests, own = own, None
    how = footnote.significance(tests, fixed.get("correction"), fixed.get("alpha"))
    pairs = f"{frame['pairs'].iloc[0]} pairs" if "pairs" in frame and frame["pairs"].nunique() == 1 else "the pairs"
    first = f"Percentage of {pairs} of systems that are significantly different" + (f" ({how})." if how else ".")
    if own:
        first += f" {EACH_ITS_OWN.capitalize()}: {footnote.significance(own, None, None)}."
    return [first, *bold, *footnote.basis_of(frame)]
