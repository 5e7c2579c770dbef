"""The catalog as a table: everything that can be asked for by name."""

from __future__ import annotations

import pandas as pd

from pdeval.catalog.entries import ENTRIES
from pdeval.catalog.parameters import said
from pdeval.mechanics.declared import checks_arguments


@checks_arguments
def catalog(search: str | None = None) -> pd.DataFrame:
    """Return everything that can be asked for by name, one row per entry.

    Parameters
    ----------
    search : str, optional
        Only entries whose name, aliases, description or reference have this text, whatever its case.

    Examples
    --------
    >>> import pdeval
    >>> table = pdeval.catalog().set_index("name")
    >>> table.loc["AP", "summary"]
    'Average precision: the mean, over relevant items, of the precision where each is found.'
    >>> pdeval.catalog("lexicographic")["name"].tolist()
    ['sgnLP', 'rrLP', 'sgnLR', 'LP', 'LR']
    """
    rows = [
        {
            "name": entry.name,
            "family": entry.family,
            "kind": "" if entry.family == "ordering" else entry.kind,
            "parameters": ", ".join(f"{name}={said(value)}" for name, value in entry.parameters.items()),
            "higher_is_better": entry.higher,
            "low": float(entry.range[0]),
            "high": float(entry.range[1]),
            "summary": entry.summary,
            "aliases": ", ".join(entry.aliases),
            "reference": entry.reference,
        }
        for entry in ENTRIES.values()
    ]
    whole = pd.DataFrame(rows)
    if search is None:
        return whole
    texts = whole[["name", "family", "aliases", "summary", "reference"]].agg(" ".join, axis=1)
    return whole[texts.str.lower().str.contains(search.lower(), regex=False)].reset_index(drop=True)
