"""How many small faults the tests notice: `python -m tests.mutations [--folders kernels] [--sample 20] [--minutes 3]`.

Every mutant is one fault (`mutants`), tried in a fork, in the running code (`live`) and, where it survives that, on a
copy of the package (`trial`), by the tests that run its line (`covering`; without that map by those of its folder and
of the folders above). The score is the share of mutants that a test fails on, or hangs on; those listed in
`equivalent` do not count. The exit code is 1 below a bar.
"""

from __future__ import annotations

import argparse
import compileall
import shutil
import sys
import tempfile
import time
from itertools import chain, islice
from pathlib import Path

from tests.mutations.covering import BUDGET, covering, make
from tests.mutations.live import live, new_code
from tests.mutations.mutants import Mutant, mutants
from tests.mutations.trial import KILLED, ROOT, SURVIVED, TIMEOUT, Trial, copy, preload, stages

# the least share of mutants that tests must notice, over these folders together
BARS = [(("kernels", "join", "orderings", "significance"), 0.95), (("accessor", "dask"), 0.85)]


def main() -> int:
    """Try a sample of mutants, print what became of them, and return 1 where too many survive."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutations", description=__doc__)
    folders = [folder for group, _ in BARS for folder in group]
    parser.add_argument(
        "--folders",
        nargs="+",
        choices=folders,
        default=folders,
        metavar="FOLDER",
        help=", ".join(folders),
    )
    parser.add_argument(
        "--files",
        nargs="+",
        default=[],
        help="only mutants of these, or of their lines, e.g. kernels/binary.py kernels/sets.py:40",
    )
    parser.add_argument(
        "--sample", type=int, metavar="N", help="at most N mutants of each folder; all by default"
    )
    parser.add_argument("--seed", type=int, default=0, help="which sample")
    parser.add_argument(
        "--minutes", type=float, default=1e9, help="begin no mutant after this time"
    )
    parser.add_argument("--jobs", type=int, default=2, help="how many at a time")
    parser.add_argument(
        "--near", action="store_true", help="only the tests of the mutant's own folder"
    )
    parser.add_argument(
        "--quick",
        action="store_true",
        help="only in the running code: what survives is not tried again",
    )
    parser.add_argument(
        "--budget",
        type=float,
        default=BUDGET,
        help="seconds of tests of a line that many tests run",
    )
    parser.add_argument(
        "--map",
        action="store_true",
        help="first note which tests run which line, in some 15 minutes",
    )
    parser.add_argument("--list", action="store_true", help="print the mutants and try none")
    asked = parser.parse_args()

    chosen = sample(asked.folders, asked.files, asked.sample, asked.seed)
    if asked.list:
        for one in chosen:
            print(f"pdeval/{one.file}:{one.line}: {one.change}")
        return 0
    if asked.map:
        make(ROOT, folders)
    preload()
    tests = {one: asked_of(one, near=asked.near, budget=asked.budget) for one in chosen}
    results = tried(tests, asked.jobs, asked.minutes, quick=asked.quick)
    show(results)
    return int(below(results))


def sample(folders: list[str], files: list[str], size: int | None, seed: int) -> list[Mutant]:
    """Return the mutants to try, folders in turn, so that a run cut short has tried some of each."""
    drawn = []
    for folder in folders:
        found = [one for one in mutants(ROOT / "pdeval", folder) if not one.equivalent]
        found = [
            one
            for one in found
            if not files or one.file in files or f"{one.file}:{one.line}" in files
        ]
        found.sort(key=lambda one: one.draw(seed))
        usable = (one for one in found if one.compiles(ROOT / "pdeval"))
        drawn += list(enumerate(islice(usable, size)))
    return [one for _, one in sorted(drawn, key=lambda item: item[0])]


def tried(
    tests: dict[Mutant, list[list[str]]], jobs: int, minutes: float, *, quick: bool
) -> dict[Mutant, str]:
    """Return what became of each mutant: tried in the running code first, then on files, if not only `quick`."""
    end = time.monotonic() + 60 * minutes
    found = live(
        {one: [*chain(*tests[one])] for one in tests if new_code(ROOT / "pdeval", one)},
        jobs,
        end,
        tell,
    )
    results = {one: outcome for one, (outcome, _) in found.items()}
    left = [] if quick else [one for one in tests if results.get(one, SURVIVED) == SURVIVED]
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        free = places(Path(folder), jobs, tests)
        on_files, killers = tried_on_files(left, free, tests, end)
        sound({*killers, *(killer for _, killer in found.values())} - {""}, free[0])
    return results | on_files


def tried_on_files(
    chosen: list[Mutant], free: list[Path], tests: dict[Mutant, list[list[str]]], end: float
) -> tuple[dict[Mutant, str], set[str]]:
    """Return what became of each mutant on a copy of the package, and the tests that killed them."""
    results: dict[Mutant, str] = {}
    killers: set[str] = set()
    waiting, running = chosen[::-1], []
    while (waiting and time.monotonic() < end) or running:
        while waiting and free and time.monotonic() < end:
            one = waiting.pop()
            running.append(Trial(free.pop(), one, tests[one], 1200))
        time.sleep(0.02)
        for trial in [*running]:
            outcome = trial.outcome()
            if outcome is not None:
                running.remove(trial)
                free.append(trial.place)
                results[trial.mutant] = outcome
                killers.add(trial.killer())
                tell(trial.mutant, outcome, time.monotonic() - trial.began, trial.killer())
    return results, killers


def asked_of(mutant: Mutant, *, near: bool, budget: float) -> list[list[str]]:
    """Return the tests that a mutant must survive, in stages: those that run its line, where that is known."""
    found = [] if near else covering(ROOT, mutant, budget)
    own = stages(mutant.file)
    return [*found, own[0]] if found else own[: 2 if near else None]


def tell(mutant: Mutant, outcome: str, took: float, killer: str) -> None:
    """Print one line for a mutant, as it ends."""
    print(
        f"{outcome:<8} {took:5.1f}s pdeval/{mutant.file}:{mutant.line}: {mutant.change}  {killer}",
        flush=True,
    )


def places(folder: Path, jobs: int, tests: dict[Mutant, list[list[str]]]) -> list[Path]:
    """Return copies of the package, one for each job, with the bytecode that forks then read and do not write."""
    first = copy(folder / "0")
    compileall.compile_dir(first / "pdeval", quiet=1)
    named = (test for stages_ in tests.values() for stage in stages_ for test in stage)
    files = list(dict.fromkeys(test.partition("::")[0] for test in named))
    ended(Trial(first, None, [files], 600, "--collect-only"))
    return [
        first,
        *(Path(shutil.copytree(first, folder / str(number))) for number in range(1, jobs)),
    ]


def sound(killers: set[str], place: Path) -> None:
    """Stop where a test that killed a mutant fails without one too."""
    trial = Trial(place, None, [sorted(killers)], 1200)
    if killers and ended(trial) != SURVIVED:
        sys.exit(
            f"this fails without any mutant, so it tells nothing: {trial.killer() or 'pytest itself'}"
        )


def ended(trial: Trial) -> str:
    """Return what becomes of a trial, waiting for it."""
    while (outcome := trial.outcome()) is None:
        time.sleep(0.02)
    return outcome


def show(results: dict[Mutant, str]) -> None:
    """Print the survivors and the table of folders."""
    survivors = sorted(
        (one for one in results if results[one] == SURVIVED), key=lambda one: (one.file, one.line)
    )
    print(f"\n{len(survivors)} survivors")
    for one in survivors:
        print(f"  pdeval/{one.file}:{one.line}: {one.change}\n      {one.on}")
    print(f"\n{'folder':<14}{'mutants':>8}{'killed':>8}{'survived':>10}{'timeout':>9}{'score':>8}")
    for folders, bar in BARS:
        for folder in folders:
            row([folder], results, folder)
        row(list(folders), results, f"  bar {bar:.0%}")


def row(folders: list[str], results: dict[Mutant, str], name: str) -> None:
    """Print one line of the table."""
    ends = [result for one, result in results.items() if one.folder in folders]
    if ends:
        counts = [ends.count(one) for one in (KILLED, SURVIVED, TIMEOUT)]
        print(
            f"{name:<14}{len(ends):>8}{counts[0]:>8}{counts[1]:>10}{counts[2]:>9}{score(ends):>8.1%}"
        )


def score(ends: list[str]) -> float:
    """Return the share of mutants that did not survive."""
    return 1 - ends.count(SURVIVED) / len(ends)


def below(results: dict[Mutant, str]) -> bool:
    """Return whether a group of folders is below its bar."""
    groups = [
        ([result for one, result in results.items() if one.folder in folders], bar)
        for folders, bar in BARS
    ]
    return any(score(ends) < bar for ends, bar in groups if ends)


if __name__ == "__main__":
    sys.exit(main())
