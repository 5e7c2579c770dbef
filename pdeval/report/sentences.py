"""What a table of systems shows, as sentences for the text of a paper; made from the same tests as its marks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from pdeval.report.significance_marks import Verdict

MOST_NAMED = 4
HERE = "\x00"  # no name has it: control characters are spelled out


@dataclass(frozen=True)
class Finding:
    """What was found in one collection: its systems and measures as printed, the best of each, who beats whom."""

    where: str
    systems: tuple[str, ...]
    measures: tuple[str, ...]
    best: tuple[tuple[int, ...], ...]
    verdict: Verdict
    untested: tuple[str, ...] = ()


class Claim(NamedTuple):
    """A claim, and what is added after how it was tested; `HERE` is where the measures stand."""

    main: str
    rest: str = ""
    tested: bool = True


def best_places(values: np.ndarray, higher: bool) -> tuple[int, ...]:
    """Return the places of the best of some printed values.

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
    """Return the sentences of all collections; how differences were tested is said with the first that needs it.

    Examples
    --------
    >>> beats = np.zeros((1, 1, 3, 3), dtype=bool)
    >>> beats[0, 0, 2, :2] = True
    >>> made = Verdict([[""], [""], ["ab"]], "letters", "sign test, α = 0.05", beats=beats)
    >>> sentence([Finding("", ("bm25", "ql", "hybrid"), ("AP",), ((2,),), made)])
    'hybrid is significantly better than both other systems in AP (sign test, α = 0.05).'
    """
    if not findings:
        raise ValueError(
            "sentence() says what a table of systems shows; this is another table. Call it on the report of scores, "
            "preferences, a summary, or runs joined to judgments."
        )
    said, how = [], ""
    for finding in findings:
        for claim, measures in _gathered(finding):
            main, rest = (text.replace(HERE, _and(measures)) for text in (claim.main, claim.rest))
            own = finding.verdict.how if claim.tested else ""
            shown = f" ({own})" if own and own != how else ""
            how = own or how
            start = f"On {finding.where}, {main}" if finding.where else _capital(main)
            said.append(start + shown + (f"; {rest}" if rest else "") + ".")
    return " ".join(said)


def _gathered(finding: Finding) -> list[tuple[Claim, list[str]]]:
    """The claims, each with all measures that it holds for."""
    found: dict[Claim, list[str]] = {}
    for place, measure in enumerate(finding.measures):
        for claim in _claims(finding, place):
            found.setdefault(claim, []).append(measure)
    return list(found.items())


def _claims(finding: Finding, measure: int) -> Iterable[Claim]:
    systems, verdict = finding.systems, finding.verdict
    if len(systems) == 1:
        return [Claim(f"the table has one system, {systems[0]}", "there is nothing to compare it with", tested=False)]
    best = [systems[run] for run in finding.best[measure]]
    if finding.measures[measure] in finding.untested or verdict.beats is None:
        why = f"{HERE} has infinite values and was not tested" if finding.untested else "differences were not tested"
        return [Claim(_leads(best, len(systems)), why, tested=False)]
    if verdict.bases:
        return [_against(finding, verdict.beats[i, measure], base) for i, base in enumerate(verdict.bases)]
    return [_about_best(finding, verdict.beats[0, measure], finding.best[measure])]


def _leads(best: list[str], systems: int) -> str:
    if not best or len(best) == systems:
        return f"the {systems} systems are equal in {HERE}" if best else f"no system has a value of {HERE}"
    return f"{_and(best)} {'has' if len(best) == 1 else 'share'} the best {HERE} of {systems} systems"


def _about_best(finding: Finding, beats: np.ndarray, best: Sequence[int]) -> Claim:
    """The best systems of a measure, and whom they are significantly better than."""
    systems, others = finding.systems, len(finding.systems) - 1
    if not beats.any():
        pair = f"between {_and(systems)}" if len(systems) == 2 else f"among the {len(systems)} systems"
        return Claim(f"no difference {pair} is significant in {HERE}")
    if len(best) != 1:
        each = [f"{systems[run]} is {_better(finding, beats, run)}" for run in best]
        return Claim(_leads([systems[run] for run in best], len(systems)), "; ".join(each))
    run = best[0]
    beaten = int(beats[run].sum())
    ahead = [systems[i] for i in np.flatnonzero(beats[:, run])]  # by ranks or signs, against the means
    above = f"{_named(ahead, 'another')} {'is' if len(ahead) == 1 else 'are'} significantly better" if ahead else ""
    if not beaten:
        return Claim(f"{systems[run]} has the best {HERE}, but is {_better(finding, beats, run)}", above)
    apart = [systems[i] for i in range(others + 1) if i != run and not beats[run, i] and not beats[i, run]]
    level = f"it is not told apart from {_named(apart, 'the other')}" if apart else ""
    rest = "; ".join(part for part in (above, level) if part)
    return Claim(f"{systems[run]} is {_better(finding, beats, run)} in {HERE}", rest)


def _better(finding: Finding, beats: np.ndarray, run: int) -> str:
    """Than how many systems one is better."""
    beaten, others = int(beats[run].sum()), len(finding.systems) - 1
    if beaten == others:
        loser = next(name for i, name in enumerate(finding.systems) if i != run)
        whom = loser if others == 1 else "both other systems" if others == 2 else f"all {others} other systems"
        return f"significantly better than {whom}"
    if not beaten:
        return "not significantly better than any other system"
    return f"significantly better than {beaten} of the {others} other systems"


def _against(finding: Finding, beats: np.ndarray, base: int) -> Claim:
    """Who differs significantly from a baseline."""
    systems = finding.systems
    better, worse = ([systems[i] for i in np.flatnonzero(row)] for row in (beats[:, base], beats[base]))
    level = [name for i, name in enumerate(systems) if i != base and name not in better and name not in worse]
    if not better and not worse:
        who = f"{level[0]} does not differ" if len(level) == 1 else f"none of the {len(level)} other systems differs"
        return Claim(f"{who} significantly from {systems[base]} in {HERE}")
    parts: list[str] = []
    for names, word in ((better, "better"), (worse, "worse")):
        if names:
            than = f" than {systems[base]} in {HERE}" if not parts else ""
            many = f"{len(names)} of the {len(systems) - 1} other systems" if not parts else f"{len(names)}"
            who = many if len(names) > MOST_NAMED else _and(names)
            parts.append(f"{who} {'is' if len(names) == 1 else 'are'} significantly {word}{than}")
    if level:
        who = _named(level, "the other")
        parts.append(f"{who} {'does' if len(level) == 1 else 'do'} not differ significantly from it")
    return Claim(parts[0], "; ".join(parts[1:]))


def _named(names: Sequence[str], many: str) -> str:
    """Some names, or their number where there are many."""
    return _and(names) if len(names) <= MOST_NAMED else f"{many} {len(names)}"


def _and(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _capital(text: str) -> str:
    """A sentence begins with a capital, but for the name of a system, which stays as it is."""
    own = text.startswith(("no ", "none of ", "the "))
    return text[0].upper() + text[1:] if own else text
