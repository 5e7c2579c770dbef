"""`.ireval` on the frames of Polars and Dask, registered when these packages are imported, before or after pdeval."""

import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType
from typing import Any

from pdeval.tables import frame, is_stream, not_a_table


class PolarsIreval:
    """The accessor of a Polars frame: each call converts the frame and uses the accessor of pandas.

    A Polars frame can be changed in place, so the converted frame is not kept. Use
    `pdeval.frame(df).ireval.join(qrels)` for several calls.

    Examples
    --------
    >>> import pyarrow as pa  # any table with an Arrow stream
    >>> PolarsIreval(pa.table({"qid": ["1"], "docno": ["d"], "label": [1]}))
    judgments table: 1 query, 1 item, 1 relevant; next: runs.ireval.measure(qrels)
    """

    def __init__(self, table: Any) -> None:
        self._table = table
        if not is_stream(table):
            raise TypeError(not_a_table(table))  # a LazyFrame

    def _on_pandas(self) -> Any:
        return frame(self._table).ireval

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self._on_pandas(), name)

    def __call__(self, **binding: Any) -> Any:
        """Return pandas' accessor with roles bound to columns."""
        return self._on_pandas()(**binding)

    def __dir__(self) -> list[str]:
        return dir(self._on_pandas())

    def __repr__(self) -> str:
        return repr(self._on_pandas())


def _register_on_polars() -> None:
    """Register `.ireval` on Polars frames; on lazy frames it raises."""
    polars = sys.modules["polars"]
    polars.api.register_dataframe_namespace("ireval")(PolarsIreval)
    polars.api.register_lazyframe_namespace("ireval")(PolarsIreval)


def _register_on_dask() -> None:
    with suppress(ImportError):  # a version of Dask without accessors
        import_module("pdeval.dask.accessor")


_REGISTER: dict[str, Callable[[], None]] = {
    "polars": _register_on_polars,
    "dask.dataframe": _register_on_dask,
}


class _OnImport(MetaPathFinder):
    """Registers the accessor of a package after its first import; the package is found by the other finders."""

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None = None,  # noqa: ARG002
        target: ModuleType | None = None,  # noqa: ARG002
    ) -> ModuleSpec | None:
        register = _REGISTER.pop(fullname, None)  # so the search below does not come back here
        if register is None:
            return None
        spec = find_spec(fullname)
        if spec is None or spec.loader is None:  # not installed
            return None
        execute = spec.loader.exec_module

        def execute_and_register(module: ModuleType) -> None:
            execute(module)
            register()

        spec.loader.exec_module = execute_and_register  # type: ignore[method-assign]
        return spec


def register() -> None:
    """Register the accessor on packages that are imported, and prepare the others; imports none of them."""
    for name in [name for name in _REGISTER if name in sys.modules]:
        _REGISTER.pop(name)()
    sys.meta_path.insert(0, _OnImport())
