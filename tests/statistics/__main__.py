"""Print the table of sizes and coverages, or write its page: `python -m tests.statistics [--write] [--jobs N]`.

The number of processes does not change a row: every cell has random numbers of its own.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from tests.statistics import families, labels, sizes, verbs
from tests.statistics.findings import HEAD, Finding, line
from tests.statistics.intervals import all_intervals
from tests.statistics.seeds import all_seeds, naive_table

PAGE = Path(__file__).parents[2] / "notebooks" / "site" / "simulations.md"
CELLS: tuple[Callable[[], Iterator[Finding]], ...] = (
    *verbs.CELLS,
    *families.CELLS,
    *labels.CELLS,
    *sizes.CELLS,
    all_intervals,
    all_seeds,
)
TITLE = """# Simulations

How often tests reject a true null hypothesis, how often intervals cover, and whether plans reach their power, by \
simulation. `stated` is the level, `found` what was observed. The limits are those of a binomial count if the level is \
correct: they depend on the level and the number of simulations only, and were fixed before the simulations were run. \
Seeds are fixed.

| verdict | meaning |
|---|---|
| exact | within the limits |
| conservative | a known deviation to the safe side: fewer errors, more coverage, or more power than stated |
| liberal | a known limit: more errors or less coverage than stated |

Rows with the verdict "exact" are tests that passed. Rows with another verdict are descriptions, not tests: they \
missed the limits, and their direction and reason (last column) were in most cases declared after a first simulation \
had shown the deviation. A deviation without a declared reason is a failure. All rows are from one run of \
`python -m tests.statistics --write`; `pytest -m slow tests/statistics` fails if a row misses its limits without a \
reason. "All intervals" is the fraction of data sets in which all intervals of a family cover. `consensus` states the \
mean of its probabilities.

"""


def main(arguments: list[str]) -> int:
    """Simulate, print or write the table, and return 1 if a row misses its limits without a known reason."""
    parser = argparse.ArgumentParser(prog="python -m tests.statistics")
    parser.add_argument("--write", action="store_true", help="write the page")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="number of processes")
    options = parser.parse_args(arguments)
    print(HEAD)
    found: list[Finding] = []
    with ProcessPoolExecutor(options.jobs) as pool:
        for part in pool.map(simulated, CELLS):
            found += part
            print(*map(line, part), sep="\n", flush=True)
    if options.write:
        PAGE.write_text(page([line(one) for one in found]), encoding="utf-8")
    missed = [one for one in found if one.verdict == "MISSED"]
    print(f"\n{len(found)} checks, {len(missed)} missed.\n\n{naive_table()}")
    return int(bool(missed))


def simulated(cell: Callable[[], Iterator[Finding]]) -> list[Finding]:
    """Return the rows of a cell."""
    return list(cell())


def page(lines: list[str]) -> str:
    """Return the page with the lines of the table."""
    return "\n".join([TITLE + HEAD, *lines, ""])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
