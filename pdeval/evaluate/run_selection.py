"""Selection of runs and queries by id: baselines and lists of pairs, with suggestions for unknown ids."""

from collections.abc import Iterable

import numpy as np
import pandas as pd

from pdeval.evaluate.cube import all_pairs
from pdeval.tables import run_labels
from pdeval.verbs import TooFew, difflib, is_missing, short_repr


def place_of(runs: pd.DataFrame, name: object, what: str = "run") -> int:
    """Return the row of a run, given its id, its ids as a tuple, or its label.

    Examples
    --------
    >>> place_of(pd.DataFrame({"run": ["bm25", "lm"]}), "lm")
    1
    """
    if isinstance(name, tuple) and len(name) == len(runs.columns):
        same = np.logical_and.reduce(
            [runs[c].astype(object) == v for c, v in zip(runs.columns, name)]
        )
    elif is_missing(name) or (
        np.iterable(name) and not isinstance(name, str | bytes) and len(runs.columns) == 1
    ):
        same = np.zeros(len(runs), dtype=bool)  # no run, or several
    elif len(runs.columns) == 1:
        same = np.array([one == name for one in runs.iloc[:, 0].tolist()], dtype=bool)
    else:
        same = np.array([label == str(name) for label in run_labels(runs)])
    if not same.any():
        ids = runs.iloc[:, 0].tolist() if len(runs.columns) == 1 else run_labels(runs)
        labels = {str(one): repr(one) for one in ids}
        near = difflib.get_close_matches(str(name), labels, n=1)
        hint = f" Did you mean {labels[near[0]]}?" if near else ""
        name = name[0] if isinstance(name, tuple) and len(name) == len(runs.columns) == 1 else name
        examples = ", ".join(list(labels.values())[:5]) + (
            f", ... ({len(ids)} in all)" if len(ids) > 5 else ""
        )
        raise KeyError(f"no {what} {short_repr(name)}; the runs are {examples}.{hint}")
    return int(np.argmax(same))


def places_of_runs(runs: pd.DataFrame, names: object) -> list[int]:
    """Return the rows of a run or of several, each once, in the order of the names.

    Examples
    --------
    >>> places_of_runs(pd.DataFrame({"run": ["bm25", "lm", "dense"]}), ["dense", "bm25"])
    [2, 0]
    """
    single = isinstance(names, str | tuple) or not np.iterable(names)
    chosen = [names] if single else list(names)  # type: ignore[call-overload]
    return list(dict.fromkeys(place_of(runs, name) for name in chosen))


def place_of_query(queries: pd.Index, query: object, what: str = "query") -> int:
    """Return the place of a query id, as an integer or a string.

    Examples
    --------
    >>> place_of_query(pd.Index(["46", "47"]), 47), place_of_query(pd.Index([46, 47]), "47")
    (1, 1)
    """
    known = queries.astype(str)
    place = known.get_indexer(pd.Index([str(query)]))[0] if pd.api.types.is_scalar(query) else -1
    if place < 0:
        examples = ", ".join(map(repr, queries[:3].tolist()))
        plural = what.replace("query", "queries")
        raise KeyError(f"no {what} {short_repr(query)}; the {plural} are {examples}, ...")
    return int(place)


def baselines_of(runs: pd.DataFrame, baseline: object) -> list[int]:
    """Return the rows of the baselines, each once; a tuple with all ids of a run is one baseline.

    Examples
    --------
    >>> baselines_of(pd.DataFrame({"run": ["bm25", "lm", "dense"]}), ["dense", "bm25"])
    [2, 0]
    """
    wide = len(runs.columns)
    several = isinstance(baseline, list | set | frozenset | np.ndarray | pd.Series | pd.Index) or (
        isinstance(baseline, tuple) and wide == 1 and len(baseline) > 1
    )
    names = list(baseline) if several else [baseline]  # type: ignore[call-overload]
    if not names:
        raise ValueError("baseline= is empty. Pass a run or a list of runs.")
    return list(dict.fromkeys(place_of(runs, name, "baseline") for name in names))


def chosen_pairs(
    runs: pd.DataFrame, *, baseline: object = None, pairs: object = None
) -> tuple[np.ndarray, np.ndarray]:
    """Return the index arrays (a, b) of all pairs, of all runs with one or more baselines, or of the given pairs.

    Two baselines are paired once, with the first one as `b`.

    Examples
    --------
    >>> a, b = chosen_pairs(pd.DataFrame({"run": ["x", "y", "z"]}), pairs=[("z", "x")])
    >>> a.tolist(), b.tolist()
    ([2], [0])
    """
    if len(runs) < 2:
        one = f"one: {run_labels(runs)[0]!r}" if len(runs) else "none"
        raise TooFew(f"a preference needs two runs; there is {one}.")
    if baseline is not None and pairs is not None:
        raise ValueError("baseline= and pairs= cannot be combined. Pass one of them.")
    if baseline is not None:
        rows = baselines_of(runs, baseline)
        sides = [all_pairs(len(runs), row) for row in rows]
        kept = [~np.isin(a, rows[:number]) for number, (a, _) in enumerate(sides)]
        a, b = (
            np.concatenate([pair[side][use] for pair, use in zip(sides, kept)]) for side in (0, 1)
        )
        return a, b
    if pairs is None:
        return all_pairs(len(runs))
    if isinstance(pairs, pd.DataFrame):
        listed, wide = list(pairs.itertuples(index=False, name=None)), len(runs.columns)
        both = wide > 1 and len(pairs.columns) == 2 * wide
        pairs = [(row[:wide], row[wide:]) for row in listed] if both else listed
    entries = pairs if isinstance(pairs, Iterable) and not isinstance(pairs, str) else ()
    listed = [
        tuple(pair) if np.iterable(pair) and not isinstance(pair, str) else () for pair in entries
    ]
    if not listed or any(
        len(pair) != 2 or any(isinstance(one, list | dict) for one in pair) for pair in listed
    ):
        raise ValueError(
            f"pairs={short_repr(pairs)}: expected a list of (run_a, run_b), or a DataFrame "
            "with the id columns of both runs."
        )
    place = {
        one: place_of(runs, one) for one in dict.fromkeys(one for pair in listed for one in pair)
    }
    places = np.array([[place[one] for one in pair] for pair in listed])
    if (places[:, 0] == places[:, 1]).any():
        raise ValueError(
            f"a run cannot be compared with itself: {listed[int(np.argmax(places[:, 0] == places[:, 1]))]!r}."
        )
    if len(np.unique(np.sort(places, axis=1), axis=0)) < len(places):
        raise ValueError("pairs= contains the same two runs more than once. List each pair once.")
    return places[:, 0], places[:, 1]
