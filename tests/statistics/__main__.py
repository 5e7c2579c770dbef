"""Print the table of sizes and coverages: `python -m tests.statistics`."""

from __future__ import annotations

import sys
import time
from itertools import chain

from tests.statistics.findings import HEAD, line
from tests.statistics.intervals import all_intervals
from tests.statistics.seeds import all_seeds, naive_table
from tests.statistics.sizes import all_sizes


def main() -> int:
    """Simulate, print the table, and return 1 where something misses what is stated."""
    begin = time.process_time()
    print(HEAD)
    found = []
    for one in chain(all_sizes(), all_intervals(), all_seeds()):
        found.append(one)
        print(line(one), flush=True)
    missed = [one for one in found if one.verdict == "MISSED"]
    print(
        f"\n{len(found)} checks, {len(missed)} missed, {time.process_time() - begin:.0f} s of processor time."
    )
    print(f"\n{naive_table()}")
    return int(bool(missed))


if __name__ == "__main__":
    sys.exit(main())
