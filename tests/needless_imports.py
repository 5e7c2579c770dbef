"""Which verbs import scipy.stats or statsmodels where they are asked as little as they can be asked: a walk over all.

`python -m tests.needless_imports` prints their names. The slow packages are shut once the tables are made, so that
every verb is seen by itself, whatever came before it.
"""

import importlib.abc
import sys
from functools import reduce

import pdeval  # noqa: F401
from pdeval.accessor.methods import RULES, signature_of
from pdeval.verbs import VERBS, of_kind
from tests.walk_tables import FEW, NEEDED, quiet, tables

SLOW = ("scipy.stats", "statsmodels")


class Shut(importlib.abc.MetaPathFinder):
    """Imports of the slow packages, refused and counted."""

    def __init__(self):
        self.asked = []

    def find_spec(self, name, path=None, target=None):
        """Refuse a slow package."""
        if name.startswith(SLOW):
            self.asked.append(name)
            raise ImportError(f"{name} is shut")


def shut() -> Shut:
    """Forget the slow packages, and refuse them from now on."""
    import scipy

    for name in [name for name in sys.modules if name.startswith(SLOW)]:
        del sys.modules[name]
    vars(scipy).pop("stats", None)
    found = Shut()
    sys.meta_path.insert(0, found)
    return found


def importing() -> list[str]:
    """Return the verbs, with their kinds of table, that ask for a slow package."""
    held = {kind: table for kind, table in tables().items() if kind in VERBS}
    needed = {name: value() for name, value in NEEDED.items()}
    accessor = shut()
    found = []
    for kind, table in held.items():
        for name, verb in of_kind(kind).items():
            if name.partition(".")[0] == "plot":
                continue
            parameters = list(signature_of(verb, kind).parameters.values())[1:]
            given = {
                p.name: needed[p.name]
                for p in parameters
                if p.name in needed and p.default is p.empty
            }
            given |= {
                p.name: FEW[p.name] for p in parameters if p.name in FEW and p.name not in RULES
            }
            accessor.asked.clear()
            on = table if kind == "judged" else table.ireval
            try:
                quiet(reduce(getattr, name.split("."), on), **given)
            except ImportError:
                pass
            except (ValueError, TypeError, KeyError):  # this small table is too little for it
                pass
            if accessor.asked:
                found.append(f"{kind}.{name}")
    return found


if __name__ == "__main__":
    print("\n".join(importing()))
