"""The walk: options of verbs and public functions with bad values, and their tables in bad forms.

`python -m tests.walk` counts the outcomes.

An outcome is one of

    answered    the value has a meaning there, and there was a result
    refused     a ValueError, KeyError or TypeError that pdeval raises itself, with a sentence or the option's name
    raw         anything else: an error of numpy, pandas, scipy or Python, or one of ours that says nothing
    slow        no answer within the time limit, or not within the memory limit

The last two are faults. "Raises itself" is mechanical: the innermost frame of the traceback is a file of the package
and the line that it is at belongs to a `raise` statement.
"""

import argparse
import ast
import contextlib
import errno
import functools
import io
import signal
import sys
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from functools import reduce
from pathlib import Path

import numpy as np
import pandas as pd

import pdeval
from pdeval.accessor.methods import RULES, signature_of
from pdeval.verbs import of_kind
from tests.walk_forms import FORMS
from tests.walk_functions import calls
from tests.walk_tables import FEW, NEEDED, quiet, tables

PACKAGE = Path(pdeval.__file__).parent
LIMIT = 5.0  # seconds of the processor for one call; the tables are small
MEMORY = 2**31  # bytes beyond what the process has
NAN, INF = float("nan"), float("inf")


VALUES = {
    "text": "x",
    "empty text": "",
    "NaN": NAN,
    "infinity": INF,
    "negative": -1,
    "zero": 0,
    "half": 0.5,
    "beyond one": 1.5,
    "true": True,
    "huge": 10**9,
    "beyond 64 bits": 10**30,
    "None": None,
    "empty list": [],
    "empty mapping": {},
    "list of text": ["x"],
    "list of numbers": [1, -1],
    "list of NaN": [NAN],
    "list of lists": [[1]],
    "mapping": {"x": "x"},
    "mapping of numbers": {1: NAN},
    "object": object(),
    "array": np.zeros((2, 2)),
    "empty frame": pd.DataFrame(),
    "NA": pd.NA,
    "date": pd.Timestamp("2024-01-01"),
    "array without dimensions": np.array(0.5),
    "whole array without dimensions": np.array(3),
    "text array without dimensions": np.array("x"),
    "NaN array without dimensions": np.array(NAN),
    "object array without dimensions": np.array(None, dtype=object),
    "list of arrays without dimensions": [np.array("x")],
    "array of text": np.array(["x", "y"]),
    "empty array": np.array([]),
    "lone surrogate": "\ud800",
    "list of lone surrogates": ["\ud800"],
    "NUL": "\0",
    "long text": "x" * 100_000,
    "bytes": b"x",
    "400 digits": 10**400,
    "minus 400 digits": -(10**400),
    "5,000 digits": 10**5000,
    "list of 400 digits": [10**400],
    "mapping of 400 digits": {"x": 10**400},
    "complex": 1j,
    "decimal": Decimal("0.5"),
    "decimal NaN": Decimal("NaN"),
    "fraction": Fraction(1, 2),
    "numpy NaN": np.float32("nan"),
    "set": {"x"},
    "tuple of None": (None,),
    "list of mappings": [{"x": 1}],
    "mapping of lists": {"x": []},
    "mapping of mappings": {"x": {"y": 1}},
    "function": len,
    "type": int,
    "slice": slice(1),
    "interval of time": np.timedelta64(1, "D"),
    "series": pd.Series(["x", "y"]),
    "series of lists": pd.Series([["x"]]),
    "frame": pd.DataFrame({"x": [1, 2]}),
    "frame with a column None": pd.DataFrame({None: [1, 2]}),
}


@dataclass(frozen=True)
class Step:
    """One option of one callable; `call` takes the option's value."""

    who: str
    option: str
    call: Callable[[object], object]
    function: object
    values: Mapping[str, object] = field(default_factory=lambda: VALUES, repr=False)


@dataclass(frozen=True)
class Outcome:
    """What came of a value."""

    who: str
    option: str
    value: str
    outcome: str
    said: str = ""


def verb_steps() -> Iterator[Step]:
    """Yield every option of every verb on every kind that has it."""
    for kind in tables():  # every kind that has verbs: a test of the walk holds the two together
        for name, verb in of_kind(kind).items():
            parameters = list(signature_of(verb, kind).parameters.values())[1:]
            needed = {p.name: NEEDED[p.name]() for p in parameters if p.default is p.empty}
            needed |= {p.name: FEW[p.name] for p in parameters if p.name in FEW}
            for parameter in parameters:
                yield Step(
                    f"{kind}.{name}",
                    parameter.name,
                    functools.partial(_ask, kind, name, needed, parameter.name),
                    "join"
                    if parameter.name in RULES and parameter.name not in verb.own
                    else verb.function,
                )


def table_steps() -> Iterator[Step]:
    """Yield every table that a verb works on or is given, to be brought into other forms."""
    for kind in tables():
        for name, verb in of_kind(kind).items():
            parameters = list(signature_of(verb, kind).parameters.values())[1:]
            needed = {p.name: NEEDED[p.name]() for p in parameters if p.default is p.empty}
            needed |= {p.name: FEW[p.name] for p in parameters if p.name in FEW}
            for option in [
                "",
                *(one for one, value in needed.items() if isinstance(value, pd.DataFrame)),
            ]:
                if kind != "judged" or option:
                    call = functools.partial(_formed, kind, name, needed, option)
                    yield Step(f"{kind}.{name}", option, call, (verb.function, kind), FORMS)


def _formed(
    kind: str, name: str, needed: dict[str, object], option: str, form: Callable[..., object]
) -> object:
    if option:
        return _ask(kind, name, needed, option, form(needed[option]))
    return _ask(kind, name, needed, "", None, form(tables()[kind]))


def function_steps() -> Iterator[Step]:
    """Yield every parameter of the public functions of pdeval's modules."""
    return (Step(*call) for call in calls())


def _ask(
    kind: str,
    name: str,
    needed: dict[str, object],
    option: str,
    value: object,
    table: object = None,
) -> object:
    table = tables()[kind] if table is None else table
    accessor = table if kind == "judged" else table.ireval
    if name.partition(".")[0] == "plot" and option != "ax":
        from matplotlib.figure import Figure

        needed = {**needed, "ax": Figure().subplots()}
    return reduce(getattr, name.split("."), accessor)(
        **{**needed, **({option: value} if option else {})}
    )


def once(steps: Iterator[Step]) -> Iterator[Step]:
    """Yield the steps, an option of a function that several tables have only once."""
    seen = set()
    for step in steps:
        if (step.function, step.option) not in seen:
            seen.add((step.function, step.option))
            yield step


class _Slow(BaseException):
    """Raised by the clock, past every handler."""


@contextmanager
def _limited(seconds: float) -> Iterator[None]:
    """Stop what takes longer, where the system has such a clock."""
    if not hasattr(signal, "setitimer"):
        yield
        return

    def stop(*_: object) -> None:
        raise _Slow

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


@contextmanager
def bounded_memory(more: int = MEMORY) -> Iterator[None]:
    """Refuse the process more memory than this beyond what it has, where the system can."""
    try:
        import resource

        has = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    except (ImportError, OSError):
        yield
        return
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (has + more, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


@functools.cache
def _raises(path: str) -> frozenset[int]:
    """Return the lines of a file that belong to a raise statement."""
    tree = ast.parse(Path(path).read_text(encoding="utf-8"))
    spans = [
        range(node.lineno, node.end_lineno + 1)
        for node in ast.walk(tree)
        if isinstance(node, ast.Raise)
    ]
    return frozenset(line for span in spans for line in span)


def own_words(error: BaseException, option: str) -> bool:
    """Return whether an error is pdeval's own: raised by it, of a kind that users catch, and saying something."""
    if isinstance(error, OSError) and error.errno == errno.ENAMETOOLONG:  # the system says which
        return True
    if not isinstance(
        error,
        ValueError
        | KeyError
        | TypeError
        | AttributeError
        | FileNotFoundError
        | IsADirectoryError
        | NotADirectoryError,
    ):
        return False
    last = traceback.extract_tb(error.__traceback__)[-1]
    if PACKAGE not in Path(last.filename).parents or last.lineno not in _raises(last.filename):
        return False
    if isinstance(error, OSError):  # whose first argument is a number
        return True
    said = str(error.args[0]) if error.args else ""
    sentence = len(said.split()) > 2 and said.rstrip().endswith((".", "?", "!", ")"))
    return sentence or (option and f"{option}=" in said)


def outcome_of(step: Step, value: str) -> Outcome:
    """Return what comes of asking an option with a value."""
    given, started = step.values[value], time.process_time()
    said = ""
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
    try:
        with _limited(LIMIT), warnings.catch_warnings():
            warnings.simplefilter("error")  # numpy's warnings tell of numbers that make no sense
            warnings.simplefilter("ignore", UserWarning)
            warnings.simplefilter("ignore", DeprecationWarning)
            if step.values is FORMS:  # where a table's numbers make no sense, numpy may say so
                warnings.filterwarnings("ignore", category=RuntimeWarning)
            step.call(given)
            found = "answered"
    except _Slow:
        found = "slow"
    except MemoryError as error:
        found, said = "slow", f"MemoryError: {error}"
    except Exception as error:
        found = "refused" if own_words(error, step.option) else "raw"
        last = traceback.extract_tb(error.__traceback__)[-1]
        ours = [
            one
            for one in traceback.extract_tb(error.__traceback__)
            if PACKAGE in Path(one.filename).parents
        ]
        place = (
            f"{Path(ours[-1].filename).relative_to(PACKAGE)}:{ours[-1].lineno}"
            if ours
            else last.filename
        )
        said = f"{type(error).__name__} at {place}: {error}"
    if time.process_time() - started > LIMIT:
        found = "slow"
    return Outcome(step.who, step.option, value, found, said)


def walk(steps: Iterator[Step], every: int = 1) -> list[Outcome]:
    """Return the outcome of every step with every value, or with every third, each step beginning at another."""
    quiet(tables)
    with bounded_memory(), contextlib.redirect_stderr(io.StringIO()):  # bars of progress
        return [
            outcome_of(step, value)
            for at, step in enumerate(steps)
            for value in list(step.values)[at % every :: every]
        ]


def counted(outcomes: list[Outcome]) -> pd.DataFrame:
    """Return how often each value had each outcome."""
    frame = pd.DataFrame(
        [(one.value, one.outcome) for one in outcomes], columns=["value", "outcome"]
    )
    order = pd.CategoricalDtype(["answered", "refused", "raw", "slow"])
    table = pd.crosstab(frame["value"], frame["outcome"].astype(order), dropna=False)
    table = table.reindex([name for name in (*VALUES, *FORMS) if name in table.index])
    table.loc["all"] = table.sum()
    return table.astype(int)


def main() -> int:
    """Print the table of bad inputs with counts, and every fault."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.walk", description=__doc__.partition("\n")[0]
    )
    parser.add_argument(
        "--quick", action="store_true", help="options that several tables share only once"
    )
    parser.add_argument("--only", default="", help="verbs whose name contains this")
    asked = parser.parse_args()
    import matplotlib

    matplotlib.use("agg")
    started = time.process_time()
    steps = [
        step
        for step in (*verb_steps(), *function_steps(), *table_steps())
        if asked.only in step.who
    ]
    steps = list(once(iter(steps))) if asked.quick else steps
    found = []
    for step in steps:
        found += walk(iter([step]))
        for one in found[-len(step.values) :]:
            if one.outcome in ("raw", "slow"):
                print(
                    f"{one.outcome}: {one.who}({one.option}: {one.value}): {one.said[:200]}",
                    flush=True,
                )
    faults = [one for one in found if one.outcome in ("raw", "slow")]
    print(counted(found).to_string())
    pairs = len({(one.who, one.option) for one in found})
    bad = Counter((one.who, one.option) for one in faults)
    who = len({one.who for one in found})
    print(
        f"{who} verbs of tables and functions, {pairs} options, {len(found)} values; {len(bad)} options with faults"
    )
    print(f"{time.process_time() - started:.0f} s")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
