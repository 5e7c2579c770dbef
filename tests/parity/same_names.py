"""One small data set, and what each peer calls its measures on it: the file, and the table of the page "same_name".

    python -m tests.parity.same_names --write

asks each peer that can be imported, keeps what the file says of the others, and writes the page's table anew.
"""

from __future__ import annotations

import importlib.metadata
import json
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

HERE = Path(__file__).parent
TO = HERE / "same_names.json"
PAGE = HERE.parents[1] / "notebooks" / "site" / "same_name.md"
USERS, ITEMS, K = 6, 30, 5
BEYOND = "[beyond accuracy](beyond_accuracy.md)"


class Row(NamedTuple):
    """A name of a peer: as written there and here, the value both give, and what differs."""

    name: str
    here: str = ""
    value: float | None = None
    note: str = ""


class Peer(NamedTuple):
    """A library: its name, its distribution, how near its values are, its live list of names, and its rows."""

    name: str
    package: str
    rel: float
    names: Callable[[], Iterable[str]]
    rows: Callable[[], Iterable[Row]]


def data() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the lists of six users, each of all thirty items, and grades 0 to 3 of about half of these."""
    rng = np.random.default_rng(12)
    users, items = (
        np.array([f"{letter}{n:02}" for n in range(size)])
        for letter, size in (("u", USERS), ("i", ITEMS))
    )
    lists = pd.DataFrame({"user_id": np.repeat(users, ITEMS), "item_id": np.tile(items, USERS)})
    lists["rank"] = np.concatenate([rng.permutation(ITEMS) + 1 for _ in users])
    lists["score"] = 1 - lists["rank"] / (ITEMS + 1)
    grade = rng.choice(4, len(lists), p=[0.5, 0.25, 0.15, 0.1])
    grades = lists[["user_id", "item_id"]].assign(relevance=grade)[rng.random(len(lists)) < 0.5]
    ordered = lists.sort_values(["user_id", "rank"], ignore_index=True)
    return ordered, grades.reset_index(drop=True)


def relevant() -> pd.DataFrame:
    """Return the judgments of relevant items alone, for peers whose ground truth is a set."""
    grades = data()[1]
    return grades[grades["relevance"] > 0].reset_index(drop=True)


def written(name: str, peer: Peer) -> dict[str, Any]:
    """Return what the file holds of a peer, asked now."""
    rows = [
        [*row[:2], None if row.value is None else float(row.value), row.note] for row in peer.rows()
    ]
    return {"version": importlib.metadata.version(peer.package), "rel": peer.rel, "rows": rows}


def held() -> dict[str, Any]:
    """Return the file."""
    return json.loads(TO.read_text(encoding="utf-8")) if TO.exists() else {}


def table() -> str:
    """Return the page's tables, one for each peer."""
    lines = []
    for name, peer in held().items():
        lines += [
            "",
            f"## {name} {peer['version']}",
            "",
            "| name there | in pdeval | value | |",
            "|---|---|---|---|",
        ]
        for there, here, value, note in peer["rows"]:
            spelled = f"`{here}`" if here else "not available"
            shown = "" if value is None else f"{value:.6f}"
            lines.append(f"| `{there}` | {spelled} | {shown} | {note} |".replace("|  |", "| |"))
    return "\n".join([*lines, "", ""])


def write() -> None:
    """Ask the peers that are here, and write the file and the page's table."""
    from tests.parity.same_names_peers import PEERS

    known = held()
    for peer in PEERS:
        try:
            known[peer.name] = written(peer.name, peer)
        except ImportError as fault:
            print(f"{peer.name}: {fault}")
    ordered = {peer.name: known[peer.name] for peer in PEERS if peer.name in known}
    rows = json.dumps(ordered, indent=1, ensure_ascii=False)
    TO.write_text(rows + "\n", encoding="utf-8", newline="\n")
    text = PAGE.read_text(encoding="utf-8")
    before, mark, rest = text.partition("<!-- same names -->\n")
    after = rest.partition("<!-- /same names -->")[2]
    PAGE.write_text(
        f"{before}{mark}{table()}<!-- /same names -->{after}", encoding="utf-8", newline="\n"
    )


if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        sys.exit("usage: python -m tests.parity.same_names --write")
    write()
