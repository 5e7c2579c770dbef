"""Print the table of sizes and coverages, or write its page: `python -m tests.statistics [--write]`."""

from __future__ import annotations

import sys
import time
from itertools import chain
from pathlib import Path

from tests.statistics.findings import HEAD, Finding, line
from tests.statistics.intervals import all_intervals
from tests.statistics.seeds import all_seeds, naive_table
from tests.statistics.sizes import all_sizes
from tests.statistics.verbs import all_verbs

PAGE = Path(__file__).parents[2] / "notebooks" / "site" / "simulations.md"
TITLE = """# Simulations

How often tests reject a true null hypothesis, and how often intervals cover, by simulation. `stated` is the level; a \
verdict of "exact" means that it is within the exact binomial limits of what was observed, "at most" or "at least" \
that a known deviation has this bound. Tests of seeds are in the printed output of the command only. \
`python -m tests.statistics --write` renews this page; \
`pytest -m slow tests/statistics` fails if a limit is missed.
"""


def main(arguments: list[str]) -> int:
    """Simulate, print or write the table, and return 1 where something misses what is stated."""
    begin = time.process_time()
    print(HEAD)
    found: list[Finding] = []
    for parts in ((all_verbs(), all_sizes(), all_intervals()), (all_seeds(),)):
        if found and "--write" in arguments:
            PAGE.write_text(page([line(one) for one in found]), encoding="utf-8")
        for one in chain(*parts):
            found.append(one)
            print(line(one), flush=True)
    missed = [one for one in found if one.verdict == "MISSED"]
    print(
        f"\n{len(found)} checks, {len(missed)} missed, {time.process_time() - begin:.0f} s of processor time."
    )
    print(f"\n{naive_table()}")
    return int(bool(missed))


def page(lines: list[str]) -> str:
    """Return the page with the lines of the table."""
    return "\n".join([TITLE, HEAD, *lines, ""])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
