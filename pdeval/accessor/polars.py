"""`.ireval` on Polars frames, where Polars is there already: the door of pandas, on what `pdeval.frame` makes of them.

Polars is never imported. Where it is imported after pdeval, `pdeval.frame(df).ireval` is the same.
"""

from __future__ import annotations

import sys
from typing import Any

from pdeval.tables import dataframes


class PolarsIreval:
    """The accessor of a Polars frame: each call converts what the frame holds then, and asks pandas' accessor.

    A Polars frame can be changed in place, so that nothing of it is kept between calls. Keep
    `pdeval.frame(df).ireval.join(qrels)` where much is asked of one table.

    Examples
    --------
    >>> import pyarrow as pa  # any table that offers an Arrow stream will do here
    >>> PolarsIreval(pa.table({"qid": ["1"], "docno": ["d"], "label": [1]}))
    judgments table: 1 query, 1 item, 1 relevant; next: runs.ireval.measure(qrels)
    """

    def __init__(self, table: Any) -> None:
        self._table = table
        if not dataframes.is_stream(table):
            raise TypeError(dataframes.not_a_table(table))  # a LazyFrame

    def _on_pandas(self) -> Any:
        return dataframes.frame(self._table).ireval

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


def register_on_polars() -> None:
    """Give Polars frames `.ireval`, where Polars is imported and they do not have it; lazy ones get its error."""
    polars = sys.modules.get("polars")
    if polars is None or not hasattr(polars, "api") or hasattr(polars.DataFrame, "ireval"):
        return
    polars.api.register_dataframe_namespace("ireval")(PolarsIreval)
    polars.api.register_lazyframe_namespace("ireval")(PolarsIreval)
