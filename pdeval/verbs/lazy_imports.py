"""Modules of scipy and of Python, imported at their first use: `import pdeval` loads none of them."""

import sys
from importlib import import_module
from types import ModuleType
from typing import Any


class LazyModule(ModuleType):
    """A module that is imported when one of its names is used.

    Examples
    --------
    >>> float(LazyModule("scipy.special").ndtr(0.0))
    0.5
    """

    def __getattr__(self, name: str) -> Any:
        # modules that are loaded are taken from the dictionary: import_module takes longer
        return getattr(sys.modules.get(self.__name__) or import_module(self.__name__), name)


special, stats, optimize = map(LazyModule, ("scipy.special", "scipy.stats", "scipy.optimize"))
sparse, csgraph = map(LazyModule, ("scipy.sparse", "scipy.sparse.csgraph"))
difflib, html = map(LazyModule, ("difflib", "html"))
