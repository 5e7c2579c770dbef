"""The significant differences of a table of systems as sentences for a paper, from the same tests as its marks."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

MAX_NAMES = 4
HERE = "\x00"  # placeholder of the measures; no name contains it, because control characters are spelled out


class Finding(NamedTuple):
    """The significant differences of one collection, with systems and measures as printed.

    `best` are the indices of the best systems of each measure. `beats` is True if the first run is significantly
    better than the second, of shape (baselines or 1, measures, runs, runs); None if nothing was tested. `bases` are
    the indices of the baselines, `how` names the test.
    """

    collection: str
    systems: tuple[str, ...]
    measures: tuple[str, ...]
    best: tuple[tuple[int, ...], ...]
    how: str = ""
    beats: np.ndarray | None = None
    bases: tuple[int, ...] = ()
    untested: tuple[str, ...] = ()


class Claim(NamedTuple):
    """A claim, and the text after the name of the test; `HERE` is replaced by the measures."""

    main: str
    rest: str = ""
    tested: bool = True


def best_places(values: np.ndarray, higher: bool) -> tuple[int, ...]:
    """Return the indices of the best printed values.

    Examples
    --------
    >>> best_places(np.array([0.2, 0.5, 0.5]), higher=True), best_places(np.array([3.0, np.nan]), higher=False)
    ((1, 2), (0,))
    """
    if np.isnan(values).all():
        return ()
    best = np.nanmax(values) if higher else np.nanmin(values)
    return tuple(np.flatnonzero(values == best).tolist())


def sentence(findings: Sequence[Finding]) -> str:
    """Return the sentences of all collections; the first sentence that needs a test names it.

    Examples
    --------
    >>> beats = np.zeros((1, 1, 3, 3), dtype=bool)
    >>> beats[0, 0, 2, :2] = True
    >>> sentence([Finding("", ("bm25", "ql", "hybrid"), ("AP",), ((2,),), "sign test, α = 0.05", beats)])
    'hybrid is significantly better than both other systems in AP (sign test, α = 0.05).'
    """
    if not findings:
        raise ValueError(
            "sentence() requires a table of systems. Call it on the report of scores, "
            "preferences, a summary, or runs joined to judgments."
        )
    sentences = []
    last_test = ""
    for finding in findings:
        measures_of: dict[Claim, list[str]] = {}
        for i, measure in enumerate(finding.measures):
            for claim in _claims(finding, i):
                measures_of.setdefault(claim, []).append(measure)
        for claim, measures in measures_of.items():
            main, rest = (
                text.replace(HERE, and_list(measures)) for text in (claim.main, claim.rest)
            )
            text = f"On {finding.collection}, {main}" if finding.collection else main
            if text.startswith(("no ", "none of ", "the ")):  # not with the name of a system
                text = text[0].upper() + text[1:]
            if claim.tested and finding.how:
                text += f" ({finding.how})" if finding.how != last_test else ""
                last_test = finding.how
            sentences.append(f"{text}; {rest}." if rest else f"{text}.")
    return " ".join(sentences)


def _claims(finding: Finding, measure: int) -> list[Claim]:
    systems = finding.systems
    if len(systems) == 1:
        return [
            Claim(
                f"the table has one system, {systems[0]}",
                "there is nothing to compare it with",
                tested=False,
            )
        ]
    if finding.measures[measure] in finding.untested or finding.beats is None:
        why = (
            f"{HERE} has infinite values and was not tested"
            if finding.untested
            else "differences were not tested"
        )
        return [Claim(_leaders(finding, measure), why, tested=False)]
    if finding.bases:
        return [
            _against(systems, finding.beats[i, measure], base)
            for i, base in enumerate(finding.bases)
        ]
    return [_about_best(finding, measure, finding.beats[0, measure])]


def _leaders(finding: Finding, measure: int) -> str:
    best = [finding.systems[run] for run in finding.best[measure]]
    n_systems = len(finding.systems)
    if not best:
        return f"no system has a value of {HERE}"
    if len(best) == n_systems:
        return f"the {n_systems} systems are equal in {HERE}"
    return f"{and_list(best)} {'has' if len(best) == 1 else 'share'} the best {HERE} of {n_systems} systems"


def _about_best(finding: Finding, measure: int, beats: np.ndarray) -> Claim:
    """Return which systems the best systems of a measure are significantly better than."""
    systems, best = finding.systems, finding.best[measure]
    if not beats.any():
        pair = (
            f"between {and_list(systems)}"
            if len(systems) == 2
            else f"among the {len(systems)} systems"
        )
        return Claim(f"no difference {pair} is significant in {HERE}")
    if len(best) != 1:
        each = [f"{systems[run]} is {_better_than(systems, beats, run)}" for run in best]
        return Claim(_leaders(finding, measure), "; ".join(each))
    run = best[0]
    rest = []
    # tests of ranks or signs may favor another system than the means do
    if ahead := [systems[i] for i in np.flatnonzero(beats[:, run]).tolist()]:
        rest.append(
            f"{_names_or_count(ahead, 'another')} {'is' if len(ahead) == 1 else 'are'} significantly better"
        )
    if not beats[run].any():
        main = f"{systems[run]} has the best {HERE}, but is {_better_than(systems, beats, run)}"
        return Claim(main, "; ".join(rest))
    if level := [
        name
        for i, name in enumerate(systems)
        if i != run and not beats[run, i] and not beats[i, run]
    ]:
        rest.append(f"it does not differ significantly from {_names_or_count(level, 'the other')}")
    return Claim(
        f"{systems[run]} is {_better_than(systems, beats, run)} in {HERE}", "; ".join(rest)
    )


def _better_than(systems: Sequence[str], beats: np.ndarray, run: int) -> str:
    """Return the number of systems that one is significantly better than."""
    beaten = int(beats[run].sum())
    others = len(systems) - 1
    if not beaten:
        return "not significantly better than any other system"
    if beaten < others:
        return f"significantly better than {beaten} of the {others} other systems"
    if others == 1:
        return f"significantly better than {systems[1 - run]}"
    return f"significantly better than {'both' if others == 2 else f'all {others}'} other systems"


def _against(systems: Sequence[str], beats: np.ndarray, base: int) -> Claim:
    """Return which systems differ significantly from a baseline."""
    better, worse = (
        [systems[i] for i in np.flatnonzero(row).tolist()] for row in (beats[:, base], beats[base])
    )
    level = [
        name
        for i, name in enumerate(systems)
        if i != base and name not in better and name not in worse
    ]
    if not better and not worse:
        who = (
            f"{level[0]} does not differ"
            if len(level) == 1
            else f"none of the {len(level)} other systems differs"
        )
        return Claim(f"{who} significantly from {systems[base]} in {HERE}")
    parts: list[str] = []
    for names, word in ((better, "better"), (worse, "worse")):
        if names:
            # the first part names the baseline, the measures and the number of systems
            than = f" than {systems[base]} in {HERE}" if not parts else ""
            count = (
                f"{len(names)} of the {len(systems) - 1} other systems"
                if not parts
                else f"{len(names)}"
            )
            who = count if len(names) > MAX_NAMES else and_list(names)
            parts.append(f"{who} {'is' if len(names) == 1 else 'are'} significantly {word}{than}")
    if level:
        who = _names_or_count(level, "the other")
        parts.append(
            f"{who} {'does' if len(level) == 1 else 'do'} not differ significantly from it"
        )
    return Claim(parts[0], "; ".join(parts[1:]))


def _names_or_count(names: Sequence[str], determiner: str) -> str:
    return and_list(names) if len(names) <= MAX_NAMES else f"{determiner} {len(names)}"


def and_list(names: Sequence[str]) -> str:
    """Return names as a list in a sentence.

    Examples
    --------
    >>> and_list(["bm25"]), and_list(["bm25", "ql", "lm"])
    ('bm25', 'bm25, ql and lm')
    """
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
