"""Print the table of sizes and coverages, or write its page: `python -m tests.statistics [--write]`."""

from __future__ import annotations

import sys
import time
from itertools import chain
from pathlib import Path

from tests.statistics.families import all_families
from tests.statistics.findings import HEAD, Finding, line
from tests.statistics.intervals import all_intervals
from tests.statistics.labels import all_labels
from tests.statistics.seeds import all_seeds, naive_table
from tests.statistics.sizes import all_sizes
from tests.statistics.verbs import all_verbs

PAGE = Path(__file__).parents[2] / "notebooks" / "site" / "simulations.md"
PARTS = (all_verbs, all_families, all_labels, all_sizes, all_intervals, all_seeds)
TITLE = """# Simulations

How often tests reject a true null hypothesis, how often intervals cover, and whether plans reach their power, by \
simulation. `stated` is the level, `found` what was observed. The limits are those of a binomial count if the level is \
correct: they depend on the level and the number of simulations only, and were fixed before the simulations were run.

| verdict | meaning |
|---|---|
| exact | within the limits |
| conservative | a known deviation to the safe side: fewer errors, more coverage, or more power than stated |
| liberal | a known limit: more errors or less coverage than stated |

The reason of each deviation is in the last column. A deviation without a declared reason is a failure. All rows are \
from one run of `python -m tests.statistics --write`; `pytest -m slow tests/statistics` fails if a row misses its \
limits without a reason.

"""


def main(arguments: list[str]) -> int:
    """Simulate, print or write the table, and return 1 if a row misses its limits without a known reason."""
    begin = time.process_time()
    print(HEAD)
    found: list[Finding] = []
    for one in chain.from_iterable(part() for part in PARTS):
        found.append(one)
        print(line(one), flush=True)
    if "--write" in arguments:
        PAGE.write_text(page([line(one) for one in found]), encoding="utf-8")
    missed = [one for one in found if one.verdict == "MISSED"]
    print(
        f"\n{len(found)} checks, {len(missed)} missed, {time.process_time() - begin:.0f} s of processor time."
    )
    print(f"\n{naive_table()}")
    return int(bool(missed))


def page(lines: list[str]) -> str:
    """Return the page with the lines of the table."""
    return "\n".join([TITLE + HEAD, *lines, ""])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
