"""Tables about measures: their discriminative power and how they agree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import pandas as pd

from pdeval.report import digits as decimals
from pdeval.report import notes as footnote
from pdeval.report.cells import emphases
from pdeval.report.listing import About, Part, any_column, assemble, grouped, need, numbers, texts, unique
from pdeval.report.spec import Report
from pdeval.report.stacked import by_of, row_per_collection, triangle
from pdeval.significance.corrections import NOT_NEEDED
from pdeval.verbs import verb


@verb(on="discriminative_power", name="report", core=True, command=True)
def report_discriminative_power(
    frame: pd.DataFrame,
    *,
    digits: int = 1,
    group: str | None = None,
    by: str | Sequence[str] | None = None,
    average: bool = False,
    names: Mapping[str, str] | None = None,
    caption: str | None = None,
    label: str | None = None,
    notes: str | Sequence[str] | None = None,
    footnotes: bool = True,
) -> Report:
    """Return the table of discriminative power: the percentage of pairs told apart, measures x tests.

    Of several collections it has one row per collection and one column per measure, under the name of the test where
    there are several.

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
    names : mapping of str to str, optional
        Display names of measures, tests and groups.
    caption : str, optional
        Plain text over the table.
    label : str, optional
        For LaTeX's \\ref and the HTML anchor.
    notes : str or list of str, optional
        Sentences after the footnote.
    footnotes : bool, default True
        Whether to say number of pairs, test, correction, alpha, tie rule and topic rule.

    Returns
    -------
    Report
        The table; `print` shows it as Markdown, and `.to_latex()`, `.to_html()`, `.to_frame()` and `.save(path)` give
        it in other formats.

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
        return _power_of_collections(
            frame, rows_by, varied, places, average, known, About(caption, label, notes), footnotes
        )
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
    frame: pd.DataFrame,
    by: list[str],
    varied: list[str],
    digits: int,
    average: bool,
    names: Mapping[str, str],
    about: About,
    footnotes: bool,
) -> Report:
    """Return one row per collection with measures in columns, under the name of the test where there are several."""
    parts, groups = row_per_collection(
        frame,
        by,
        [*varied, "measure"],
        "percent",
        digits=digits,
        names=names,
        average=average,
        higher=True,
        heading=lambda values: _setting(values, names),
        what="the discriminative powers",
    )
    used = {cell.emphasis for _, cells in parts for cell in cells}
    several = [name for name in varied if frame[name].nunique() > 1]
    said = _power_notes(frame, several, footnote.emphasis(used)) if footnotes else []
    return assemble(parts, about, said=said, groups=groups, group_names=[", ".join(by[:-1])] if groups else [])


def _setting(values: Mapping[str, object], names: Mapping[str, str]) -> str:
    said = []
    for name, value in values.items():
        if str(value) in names:
            said.append(names[str(value)])
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


def _power_notes(frame: pd.DataFrame, varied: list[str], bold: list[str]) -> list[str]:
    fixed = {
        name: frame[name].iloc[0]
        for name in ("test", "correction", "alpha")
        if name in frame.columns and name not in varied
    }
    tests = {str(fixed["test"]): [""]} if "test" in fixed else {}
    how = footnote.significance(tests, fixed.get("correction"), fixed.get("alpha"))
    pairs = f"{frame['pairs'].iloc[0]} pairs" if "pairs" in frame and frame["pairs"].nunique() == 1 else "the pairs"
    first = f"Percentage of {pairs} of systems that are significantly different" + (f" ({how})." if how else ".")
    return [first, *bold, *footnote.basis_of(frame)]


@verb(on=("sign_agreement", "correlations"), name="report", core=True, command=True)
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
    names: Mapping[str, str] | None = None,
    caption: str | None = None,
    label: str | None = None,
    notes: str | Sequence[str] | None = None,
) -> Report:
    """Return the table of how pairs of measures agree, or how alike they order runs.

    Parameters
    ----------
    columns : str, optional
        A column (e.g. the kind of sample) whose values become columns of `value` side by side, as papers print it.
    value : str, optional
        The column that is then shown; by default `agreement`, or `value` of correlations.
    digits : int, default 3
        Decimals.
    group : str, optional
        A column whose values become titles over rows.
    by : str or list of str, optional
        The column(s) that tell collections apart; by default those that the table says.
    layout : {"list", "rows", "triangle"}, optional
        A row per pair of measures; a row per collection and a column per pair, the default of several collections; or
        measures x measures, of several collections their means.
    average : bool, default False
        Whether a row per collection is followed by their mean.
    names : mapping of str to str, optional
        Display names of measures, columns and groups.
    caption : str, optional
        Plain text over the table.
    label : str, optional
        For LaTeX's \\ref and the HTML anchor.
    notes : str or list of str, optional
        Sentences under the table.

    Returns
    -------
    Report
        The table; `print` shows it as Markdown, and `.to_latex()`, `.to_html()`, `.to_frame()` and `.save(path)` give
        it in other formats.

    Examples
    --------
    >>> agreement = pd.DataFrame({"measure_a": "AP", "measure_b": ["P@10", "P@10"], "sample": ["uniform", "runs"],
    ...                           "pairs": [523776, 900], "agreement": [0.7694, 0.91]})
    >>> print(report_agreement(agreement, columns="sample", digits=2))
    | Measure A | Measure B | uniform | runs |
    |:----------|:----------|--------:|-----:|
    | AP        | P@10      |    0.77 | 0.91 |
    """
    frame = need(frame, ["measure_a", "measure_b"], "the agreements")
    value = value or ("agreement" if "agreement" in frame.columns else "value")
    places, known = decimals.check(digits), dict(names or {})
    words = ("pairs", "agreement", "fuzziness", "coefficient", "runs", "value")
    heads = {"measure_a": "Measure A", "measure_b": "Measure B", **{word: word.capitalize() for word in words}, **known}
    key = [*([group] if group else []), "measure_a", "measure_b"]
    about = About(caption, label, notes)
    titles = [group] if group else []
    by_of(frame, group)
    stacked = [name for name in by_of(frame, by) if name not in (group, columns)]
    layout = layout or ("rows" if stacked and columns is None else "list")
    if layout != "list":
        return _by_pairs(frame, stacked, group, value, layout, places, average, known, about)
    if columns is None:
        frame, groups = grouped(frame, group, known)
        listed = [name for name in map(str, frame.columns) if name != group]
        parts = [any_column(name, heads.get(name, name), frame[name], places, known) for name in listed]
        return assemble(parts, about, groups=groups, group_names=titles)
    need(frame, [columns, value], "the agreements")
    unique(frame, [*key, columns], "the agreements")
    ordered, _ = grouped(frame, group, known)
    rows, groups = grouped(ordered.drop_duplicates(key)[key], group, known)
    parts = [texts(name, heads[name], rows[name], known) for name in ("measure_a", "measure_b")]
    for setting in dict.fromkeys(ordered[columns]):
        chosen = ordered.loc[ordered[columns] == setting, [*key, value]]
        values = rows.merge(chosen, on=key, how="left")[value]
        parts.append(numbers(str(setting), known.get(str(setting), str(setting)), values, places))
    return assemble(parts, about, groups=groups, group_names=titles)


def _by_pairs(
    frame: pd.DataFrame,
    by: list[str],
    group: str | None,
    value: str,
    layout: str,
    digits: int,
    average: bool,
    names: Mapping[str, str],
    about: About,
) -> Report:
    """Return one row per collection with pairs of measures in columns, or the triangle of measures."""
    need(frame, [value], "the agreements")
    settings = ("fuzziness", "coefficient", "method_a", "method_b")
    varied = [name for name in settings if name in frame.columns and frame[name].nunique() > 1]
    pair = ["measure_a", "measure_b"]
    if layout == "triangle":
        key = [*by, *([group] if group else []), *pair]
        repeated = [name for name in varied if frame.duplicated(key).any()]
        if repeated:
            raise ValueError(f"a triangle shows one value per pair: choose one of the values of {repeated[0]!r} first.")
        n = len(frame[key[:-2]].drop_duplicates()) if len(key) > 2 else 1
        said = [f"Means over {n} collections, each counting the same."] if n > 1 else []
        return assemble(
            triangle(frame, ("measure_a", "measure_b"), value, digits=digits, names=names), about, said=said
        )
    if not by:
        raise ValueError("layout='rows' is one row per collection: name the column that tells them apart with by=.")
    rows = [*([group] if group else []), *by]
    across = [*[name for name in varied if frame.duplicated([*rows, *pair]).any()], *pair]
    parts, groups = row_per_collection(
        frame, rows, across, value, digits=digits, names=names, average=average, what="the agreements"
    )
    return assemble(parts, about, groups=groups, group_names=[", ".join(rows[:-1])] if groups else [])
