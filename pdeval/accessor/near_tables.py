"""Tables that become one that pdeval knows by one call: logs of votes, and scores with one column per measure."""

from __future__ import annotations

import pandas as pd

from pdeval.kinds.vocabularies import candidates, names_of
from pdeval.trec.score_layouts import catalog_name


def nearly(frame: pd.DataFrame) -> str:
    """Return what a frame that is not recognised looks like, and the call that makes a table of it; or nothing.

    Examples
    --------
    >>> nearly(pd.DataFrame({"qid": ["1"], "map": [0.5]}))
    'it looks like scores with one column per measure (map): pdeval.scores(df) makes a scores table of it'
    >>> nearly(pd.DataFrame({"x": [1]}))
    ''
    """
    columns = [str(name) for name in frame.columns]
    if any(name == "winner" or name.startswith("winner_") for name in columns):
        return "it looks like a log of votes: pdeval.votes(df) makes preferences of it"
    named = candidates("query", columns) or [name for name in names_of("run") if name in columns]
    numeric = [str(name) for name in frame.columns if pd.api.types.is_numeric_dtype(frame[name].dtype)]
    measures = [name for name in numeric if name not in named and catalog_name(name) is not None]
    if named and measures and not candidates("doc", columns):
        return (
            f"it looks like scores with one column per measure ({', '.join(measures[:3])}): pdeval.scores(df) makes a "
            "scores table of it"
        )
    return ""
