"""Tables to keep: what the caller does to a frame afterwards does not reach them, at as little memory as that takes."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd

from pdeval.kinds.tables import Table


def frozen_table(table: Table) -> Table:
    """Return the table on a frame of its own, which no edit of the caller's frame changes.

    Where pandas copies on write (from version 3, or by its option) numbers are shared until someone writes; elsewhere
    they are copied. Extension arrays, which `.values` hands to the caller as they are, are copied: Arrow's at no cost,
    since its memory is never written, categories by their codes.

    Examples
    --------
    >>> from pdeval.kinds.tables import read
    >>> frame = pd.DataFrame({"query_id": ["q"], "doc_id": ["d"], "score": [0.5]})
    >>> kept = frozen_table(read(frame, "runs"))
    >>> frame.loc[0, "score"] = 9.0
    >>> kept.column("score").tolist()
    [0.5]
    """
    if not copies_on_write():
        return replace(table, frame=table.frame.copy())
    frame = table.frame.copy(deep=False)
    for name, dtype in table.frame.dtypes.items():
        if isinstance(dtype, pd.api.extensions.ExtensionDtype):
            frame[name] = frame[name].array.copy()
    return replace(table, frame=frame)


def copies_on_write() -> bool:
    """Return whether two frames may share memory without that an edit of one is seen in the other.

    Examples
    --------
    >>> copies_on_write() or int(pd.__version__.partition(".")[0]) < 3
    True
    """
    return int(pd.__version__.partition(".")[0]) >= 3 or pd.options.mode.copy_on_write is True
