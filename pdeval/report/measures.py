"""Tables of measures: how they agree, how similarly they order runs, and their discriminative power."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd

from pdeval.report import footnotes as footnote
from pdeval.report import numbers as decimals
from pdeval.report.columns import (
    MORE,
    Part,
    any_column,
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

PAIR = ("measure_a", "measure_b")
COEFFICIENTS = {
    "tau_a": "Kendall's τ a",
    "tau_b": "Kendall's τ b",
    "tau_ap": "τ AP",
    "rbo": "Rank-biased overlap",
    "spearman": "Spearman's ρ",
    "pearson": "Pearson's r",
}


@verb(on=("sign_agreement", "correlations"), name="report", core=True, command=True)
@reported(has_footnotes=False)
def report_agreement(
    frame: pd.DataFrame,
    *,
    columns: str | None = None,
    value: str | None = None,
    digits: int = 3,
    group: str | None = None,
    by: str | Sequence[str] | None = None,
    layout: Literal["list", "rows", "triangle"] | None = None,
    average: bool = False,
    known: Mapping[str, str],
) -> Report:
    """Return the table of the agreement of pairs of measures, or of the correlation of their orders of runs.

    Parameters
    ----------
    columns : str, optional
        Column (e.g. the kind of sample) whose values become columns of `value`, side by side.
    value : str, optional
        Column that is shown then; by default `agreement`, or `value` of correlations.
    group : str, optional
        Column whose values become titles above rows.
    by : str or list of str, optional
        Column(s) that identify the collections; by default those recorded in the table.
    layout : {"list", "rows", "triangle"}, optional
        One row per pair of measures; one row per collection and one column per pair, the default for several
        collections; or measures x measures, with means over several collections.
    average : bool, default False
        Whether a row per collection is followed by their mean.

    Examples
    --------
    >>> agreement = pd.DataFrame({"measure_a": "AP", "measure_b": ["P@10", "P@10"], "sample": ["uniform", "runs"],
    ...                           "pairs": [523776, 900], "agreement": [0.7694, 0.91]})
    >>> print(report_agreement(agreement, columns="sample", digits=2))
    Measure A  Measure B  uniform  runs
    -----------------------------------
    AP         P@10          0.77  0.91
    """
    frame = need(frame, ["measure_a", "measure_b"], "the agreements")
    value = value or ("agreement" if "agreement" in frame.columns else "value")
    titles = [] if group is None else by_of(frame, group)
    stacked = [name for name in by_of(frame, by) if name not in (group, columns)]
    layout = layout or ("rows" if stacked and columns is None else "list")
    if layout != "list":
        need(frame, [value], "the agreements")
        collections = [*titles, *stacked]
        if layout == "triangle":
            return _triangle(frame, collections, value, digits, known)
        if not stacked:
            raise ValueError(
                "layout='rows' has one row per collection. Specify the column that identifies the collections with by=."
            )
        repeated = frame.duplicated([*collections, *PAIR]).any()
        parts, groups = row_per_collection(
            frame,
            collections,
            [*(_varied_settings(frame) if repeated else []), *PAIR],
            value,
            digits=digits,
            names=known,
            average=average,
            what="the agreements",
        )
        return assemble(parts, _coefficient(frame), groups=groups, group_names=collections[:-1])
    words = ("pairs", "agreement", "fuzziness", "coefficient", "runs", "value")
    headers = {
        "measure_a": "Measure A",
        "measure_b": "Measure B",
        **{word: word.capitalize() for word in words},
        **known,
    }
    ordered, groups = grouped(frame, group, known)
    if columns is None:
        parts = [
            any_column(name, headers.get(name, name), ordered[name], digits, known)
            for name in map(str, ordered.columns)
            if name != group
        ]
        return assemble(parts, groups=groups, group_names=titles)
    need(frame, [columns, value], "the agreements")
    key = [*titles, *PAIR]
    check_unique(frame, [*key, columns], "the agreements")
    rows, groups = grouped(ordered.drop_duplicates(key)[key], group, known)
    parts = [texts(name, headers[name], rows[name], known) for name in PAIR]
    for setting in dict.fromkeys(ordered[columns]):
        chosen = ordered.loc[ordered[columns] == setting, [*key, value]]
        values = rows.merge(chosen, on=key, how="left")[value]
        parts.append(numbers(str(setting), known.get(str(setting), str(setting)), values, digits))
    return assemble(parts, groups=groups, group_names=titles)


def _triangle(
    frame: pd.DataFrame, by: list[str], value: str, digits: int, known: Mapping[str, str]
) -> Report:
    """Return the triangle of measures, each value the mean over collections."""
    if frame.duplicated([*by, *PAIR]).any() and (varied := _varied_settings(frame)):
        raise ValueError(
            f"layout='triangle' shows one value per pair. Select one value of the column {varied[0]!r} first."
        )
    n = len(frame[by].drop_duplicates()) if by else 1
    notes = [
        *_coefficient(frame),
        *([f"Means over {n} collections, each counting the same."] if n > 1 else []),
    ]
    values = frame.astype(dict.fromkeys(PAIR, str)).groupby(list(PAIR), sort=False, observed=True)[
        value
    ]
    # a pair that is missing from some collections is a dash
    means: dict[Any, float] = values.mean().where(values.count() == values.size().max()).to_dict()
    measures = list(dict.fromkeys([*(a for a, _ in means), *(b for _, b in means)]))
    parts: list[Part] = [texts(PAIR[0], "", measures[:-1], known)]
    for j, column in enumerate(measures[1:], 1):
        above = [means.get((row, column), means.get((column, row), np.nan)) for row in measures[:j]]
        padding = [np.nan] * (len(measures) - 1 - j)
        parts.append(
            numbers(column, known.get(column, column), np.array([*above, *padding]), digits)
        )
    return assemble(parts, notes)


def _varied_settings(frame: pd.DataFrame) -> list[str]:
    settings = ("fuzziness", "coefficient", "method_a", "method_b")
    return [name for name in settings if name in frame.columns and frame[name].nunique() > 1]


def _coefficient(frame: pd.DataFrame) -> list[str]:
    """Return the note on the coefficient of correlations, if it is the same everywhere."""
    if "coefficient" not in frame.columns or frame["coefficient"].nunique() != 1:
        return []
    name = str(frame["coefficient"].iloc[0])
    return [f"{COEFFICIENTS.get(name, name)} of the orderings of systems by two measures."]


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
    """Return the table of discriminative power: the percentage of pairs that differ significantly, measures x tests.

    With several collections it has one row per collection and one column per measure, under the name of the test if
    there are several tests. Measures that have one test each, with the same correction, are under one heading.

    Parameters
    ----------
    digits : int, default 1
        Decimals of the percentages.
    group : str, optional
        Column (e.g. the collection) whose values become titles above rows.
    by : str or list of str, optional
        Column(s) that identify the collections; by default those recorded in the table. All but the
        last become titles above rows.
    average : bool, default False
        Whether the last row is the mean over collections.
    against : str, optional
        Measure, if there are several collections: measures that detect more pairs than it with the same test are
        marked.

    Examples
    --------
    >>> power = pd.DataFrame({"measure": ["AP", "RPP"], "test": "hsd", "correction": "none needed", "alpha": 0.05,
    ...                       "pairs": 66, "fraction_significant": [20 / 66, 0.5]})
    >>> print(report_discriminative_power(power))
    Measure  Randomized Tukey HSD (%)
    ---------------------------------
    AP                           30.3
    RPP                         *50.0
    <BLANKLINE>
    Percentage of 66 pairs of systems that are significantly different (α = 0.05).
    Best with *.
    """
    frame = need(frame, ["measure", "fraction_significant"], "the discriminative powers")
    frame = frame.assign(percent=100 * frame["fraction_significant"].astype(float))
    titles = [] if group is None else by_of(frame, group)
    collections = [name for name in by_of(frame, by) if name != group]
    if collections:
        return _power_of_collections(
            frame, [*titles, *collections], digits, average, against, known
        )
    if against is not None:
        raise ValueError(
            "against= requires a table of several collections. Specify the column that identifies them with by=."
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
        # the best of each group of rows
        ends = np.cumsum([part.size for part in groups])
        stress = [
            word
            for part in np.split(decimals.printed(percent, digits), ends[:-1])
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
    frame = _with_common_correction(frame, [*by, "measure"])
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


def _with_common_correction(frame: pd.DataFrame, key: list[str]) -> pd.DataFrame:
    """Return a table with one text for the corrections of a test that differ only between collections.

    Examples
    --------
    >>> frame = pd.DataFrame({"set": ["x", "y"], "measure": "AP", "test": "t", "correction": ["max-t", "holm"]})
    >>> _with_common_correction(frame, ["set", "measure"])["correction"].tolist()
    ['max-t or Holm', 'max-t or Holm']
    """
    settings = [name for name in ("test", "alpha") if name in frame.columns]
    if "correction" not in frame.columns or frame.duplicated([*key, *settings]).any():
        return frame
    names = frame["correction"].astype(str).to_numpy(dtype=object)
    for rows in (
        frame.groupby(settings, sort=False, observed=True).indices.values()
        if settings
        else [np.arange(len(frame))]
    ):
        corrections = list(dict.fromkeys(names[rows]))
        if len(corrections) > 1:
            words = (footnote.CORRECTIONS.get(name, name) for name in corrections)
            names[rows] = " or ".join(word.removesuffix(" correction") for word in words)
    return frame.assign(correction=names)


def _with_common_test(
    frame: pd.DataFrame, key: list[str]
) -> tuple[pd.DataFrame, dict[str, list[str]]]:
    """Return a table with one name for the tests of measures with one test each, and the measures of each test.

    Examples
    --------
    >>> frame = pd.DataFrame({"set": "x", "measure": ["rrLP", "sgnLP"], "test": ["t", "sign"], "correction": "holm"})
    >>> result, tests = _with_common_test(frame, ["set", "measure"])
    >>> result["test"].tolist(), tests
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
            texts.append(f"α = {float(text):.10g}")
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
