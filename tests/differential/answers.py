"""What pdeval answers for a case, as {key: value} with ids as text; and what two answers differ in."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple

import pandas as pd

import pdeval  # noqa: F401  (registers .ireval)
from tests.differential.cases import Case

NOTHING = ("no query to evaluate", "they cannot be compared")  # what is said where no cell counts
RELATIVE = 1e-12
ABOUT_ZERO = 1e-15  # signed sums that cancel


class Difference(NamedTuple):
    """One value on which pdeval and an oracle differ."""

    oracle: str
    key: Any
    ours: Any
    theirs: Any


def quiet(function, *args, **options):
    """Return what a function returns, without warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*args, **options)


def accessor(case: Case, runs: pd.DataFrame):
    """Return the accessor of the run table, its run columns named where there are several."""
    return runs.ireval if case.run_columns == ("run",) else runs.ireval(run=list(case.run_columns))


def names_of(case: Case, frame: pd.DataFrame, side: str = "") -> list[tuple]:
    """Return the run of every row, as the case names it."""
    if case.run_columns == ("run",) or side:
        known = {text_of(name): name for name in case.names}
        column = frame.get(f"run{side}")
        if column is not None:
            return [known[str(name)] for name in column.tolist()]
    columns = [frame[f"{name}{side}"].tolist() for name in case.run_columns]
    known = {tuple(map(str, name)): name for name in case.names}
    return [known[tuple(map(str, row))] for row in zip(*columns)]


def text_of(name: tuple) -> str:
    """Return a run's name in one word, as tables of pairs show it."""
    return "-".join(map(str, name))


def answered(function, *, loud: bool = False) -> dict | None:
    """Return an answer, or None where pdeval says that nothing counts."""
    try:
        return function() if loud else quiet(function)
    except ValueError as error:
        if any(text in str(error) for text in NOTHING):
            return None
        raise


def measured(case: Case, measures) -> dict[tuple, float]:
    """Return {(run, query, measure): value}; empty where pdeval says that nothing counts."""

    def ask() -> dict:
        runs, qrels = case.frames()
        frame = accessor(case, runs).measure(qrels, list(measures), **case.rules.given())
        return scores_of(case, frame)

    return answered(ask) or {}


def scores_of(case: Case, frame: pd.DataFrame) -> dict[tuple, float]:
    """Return a table of scores as {(run, query, measure): value}."""
    query = map(str, frame["query_id"].tolist())
    keys = zip(names_of(case, frame), query, frame["measure"].astype(str).tolist())
    return dict(zip(keys, frame["value"].tolist()))


def preferred(case: Case, measures) -> dict[tuple, float]:
    """Return {(query, run_a, run_b, measure): value}; empty where pdeval says that nothing counts."""

    def ask() -> dict:
        runs, qrels = case.frames()
        frame = accessor(case, runs).prefer(qrels, list(measures), **case.rules.given())
        return pairs_of(case, frame)

    return answered(ask) or {}


def pairs_of(case: Case, frame: pd.DataFrame) -> dict[tuple, float]:
    """Return a table of preferences as {(query, run_a, run_b, measure): value}."""
    query = map(str, frame["query_id"].tolist())
    sides = (names_of(case, frame, side) for side in ("_a", "_b"))
    return dict(
        zip(zip(query, *sides, frame["measure"].astype(str).tolist()), frame["value"].tolist())
    )


def ordered(case: Case, measures, method: str) -> dict[tuple, float]:
    """Return {(run, measure): score} of an ordering; empty where pdeval says that nothing counts."""

    def ask() -> dict:
        runs, qrels = case.frames()
        frame = accessor(case, runs).order(
            qrels, list(measures), method=method, **case.rules.given()
        )
        return dict(
            zip(
                zip(names_of(case, frame), frame["measure"].astype(str).tolist()),
                frame["score"].tolist(),
            )
        )

    return answered(ask) or {}


def equal(ours: float, theirs: float, bits: bool) -> bool:
    """Return whether two values are the same: to the last bit, or but for the order of a sum."""
    if ours == theirs or (math.isnan(ours) and math.isnan(theirs)):
        return True
    if bits or not (math.isfinite(ours) and math.isfinite(theirs)):
        return False
    gap = abs(ours - theirs)
    return gap <= ABOUT_ZERO or gap <= RELATIVE * max(abs(ours), abs(theirs))


def differences(
    oracle: str, ours: dict, theirs: dict, *, bits: bool = False
) -> Iterator[Difference | None]:
    """Yield a difference for every value that differs or that only one side has, and None for every equal one."""
    for key in {**theirs, **ours}:
        mine, other = ours.get(key), theirs.get(key)
        same = mine is not None and other is not None and equal(float(mine), float(other), bits)
        yield None if same else Difference(oracle, key, mine, other)


def one_way(ours: dict[tuple, float], both: dict[tuple, float]) -> tuple[dict, dict]:
    """Return pdeval's pairs and an oracle's, which holds both directions, in the direction of pdeval's.

    A pair that pdeval does not have stays, and is a difference.
    """
    known = {(query, b, a, name) for query, a, b, name in ours}
    return ours, {
        key: value
        for key, value in both.items()
        if key in ours or (key not in known and key[1] < key[2])
    }
