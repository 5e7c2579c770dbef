"""Runs cases for some time, shrinks what differs, and counts."""

from __future__ import annotations

import argparse
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from tests.differential import answers, entry_points, peers, plain_preferences, sql
from tests.differential.answers import Difference
from tests.differential.cases import AWAITED, Case, draw

SHRINKING = 30.0  # seconds


def preferences(case: Case) -> Iterator[Difference | None]:
    """Compare preferences and win rates with their definitions in plain Python."""
    if not 2 <= len(case.names) <= 10:  # plain loops over more pairs take too long
        return
    names = plain_preferences.PREFERENCES + (plain_preferences.SUBTOPICS if case.subtopics else ())
    ours, both = answers.preferred(case, names), plain_preferences.preferences(case, names)
    yield from answers.differences("plain, preferences", *answers.one_way(ours, both))
    if case.rules.queries in (
        "relevant",
        "judged",
    ):  # the others average each run over queries of its own
        wins = plain_preferences.win_rates(case, ("RPP", "sgnLP", "rrLP"))
        found = answers.ordered(case, ("RPP", "sgnLP", "rrLP"), "winrate")
        yield from answers.differences("plain, win rates", found, wins)
        found = answers.ordered(case, ("AP",), "copeland")
        yield from answers.differences("plain, Copeland", found, plain_preferences.copeland(case))


@dataclass(frozen=True)
class Oracle:
    """What a case is compared with: a function, the package that it needs, and every how many cases it is asked."""

    compare: Callable[[Case], Iterator[Difference | None]]
    package: str = "pdeval"
    every: int = 1


ORACLES = {
    "pytrec_eval": Oracle(peers.pytrec_eval, "pytrec_eval"),
    "ir_measures": Oracle(peers.ir_measures, "ir_measures", 2),
    "plain Python": Oracle(peers.naive),
    "plain preferences": Oracle(preferences),
    "SQL": Oracle(sql.compare, "duckdb"),
    "join": Oracle(entry_points.joined),
    "files and command line": Oracle(entry_points.read_again, every=2),
    "Dask": Oracle(entry_points.on_dask, "dask", 8),
}


@dataclass
class Tally:
    """What was compared so far."""

    cases: int = 0
    values: Counter = field(default_factory=Counter)
    found: list[Difference] = field(default_factory=list)

    def shown(self) -> str:
        """Return the counts, a line each."""
        lines = [f"cases                    {self.cases:>12,}"]
        lines += [f"  {name:<22} {self.values[name]:>12,} values" for name in ORACLES]
        lines += [
            f"values compared          {self.values.total():>12,}",
            f"differences              {len(self.found):>12,}",
        ]
        return "\n".join(lines)


def first_difference(
    oracle: Oracle, name: str, case: Case, tally: Tally | None = None
) -> Difference | None:
    """Return the first difference of a case, counting values; an exception that is not expected is one too."""
    try:
        for one in oracle.compare(case) if case.shares_queries else strangers(case):
            if one is not None:
                return one
            if tally is not None:
                tally.values[name] += 1
    except Exception as error:
        return Difference(
            name, f"{type(error).__name__}", str(error), traceback.format_exc(limit=-3)
        )
    return None


def strangers(case: Case) -> Iterator[Difference | None]:
    """Compare with what is owed where no query of the runs is judged: an error that says so."""
    try:
        found = answers.measured(case, ["AP"])
    except ValueError as error:
        yield (
            None
            if "no query of the runs is judged" in str(error)
            else Difference("refusal", "text", str(error), "")
        )
    else:
        yield Difference("refusal", "none", found, "no query of the runs is judged")


def shrunk(oracle: Oracle, name: str, case: Case, was: Difference) -> tuple[Case, Difference]:
    """Return the smallest case found by dropping rows that still differs in the same way."""
    until = time.monotonic() + SHRINKING
    for part in ("runs", "judgments"):
        size = len(getattr(case, part)) // 2
        while size and time.monotonic() < until:
            rows, at = getattr(case, part), 0
            while at < len(rows) and time.monotonic() < until:
                fewer = rows[:at] + rows[at + size :]
                less = replace(case, **{part: fewer})
                found = first_difference(oracle, name, less) if fewer else None
                if found is not None and _alike(found, was):
                    case, rows, was = less, fewer, found
                else:
                    at += size
            size = size // 2
    return case, was


def _alike(one: Difference, other: Difference) -> bool:
    """Return whether two differences are of one kind: values, a missing cell, or the same exception."""
    kinds = [
        (d.oracle, d.key if isinstance(d.key, str) else (d.ours is None, d.theirs is None))
        for d in (one, other)
    ]
    return kinds[0] == kinds[1]


def tell(case: Case, found: Difference) -> None:
    """Print a difference with the seed that gives it and the smallest tables."""
    print(f"\nDIFFERENCE from {found.oracle}, --seed {case.seed} --cases 1")
    print(f"rules {case.rules}\nstored {case.stored}")
    print("runs (run, query, doc, score, rank):", *case.runs, sep="\n  ")
    print("judgments (query, subtopic, doc, grade):", *case.judgments, sep="\n  ")
    print(f"at {found.key!r}\n  pdeval: {found.ours!r}\n  other:  {found.theirs!r}", flush=True)


def run(
    *, seconds: float, seed: int, cases: int | None = None, stop: int = 1, awaited: bool = False
) -> Tally:
    """Compare cases of rising seeds until the time is over; end early at `stop` differences."""
    until, tally = time.monotonic() + seconds, Tally()
    here = {name: oracle for name, oracle in ORACLES.items() if peers.present(oracle.package)}
    for name in ORACLES.keys() - here.keys():
        print(
            f"not compared with {name}: {ORACLES[name].package} is not installed (pip install 'pdeval[test]')."
        )
    while (
        time.monotonic() < until
        and (cases is None or tally.cases < cases)
        and len(tally.found) < stop
    ):
        case = draw(seed + tally.cases, awaited=awaited)
        for name, oracle in here.items():
            if cases is None and (case.seed % oracle.every or time.monotonic() > until):
                continue
            found = first_difference(oracle, name, case, tally)
            if found is not None:
                tally.found.append(found)
                tell(*shrunk(oracle, name, case, found))
        tally.cases += 1
    return tally


def main(words: list[str] | None = None) -> int:
    """Run from the shell."""
    asked = argparse.ArgumentParser(prog="python -m tests.differential", description=__doc__)
    asked.add_argument("--seconds", type=float, default=60)
    asked.add_argument("--seed", type=int, default=0, help="the first case; the next ones follow")
    asked.add_argument(
        "--cases", type=int, help="end after so many, each compared with every oracle"
    )
    asked.add_argument("--stop", type=int, default=1, help="end at so many differences")
    asked.add_argument("--faults", action="store_true", help="damage files and frames instead")
    asked.add_argument(
        "--awaited", action="store_true", help="hold to what other mends are awaited for, too"
    )
    given = asked.parse_args(words)
    shared = {
        "seconds": given.seconds,
        "seed": given.seed,
        "cases": given.cases,
        "stop": given.stop,
    }
    if given.faults:
        from tests.differential import faults

        return faults.report(**shared, awaited=given.awaited)
    tally = run(**shared, awaited=given.awaited)
    print(tally.shown())
    if not given.awaited:
        print(f"left out: {', '.join(AWAITED)} (--awaited)")
    return 1 if tally.found else 0
