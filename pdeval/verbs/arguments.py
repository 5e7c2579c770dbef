"""Checks of arguments: an error names the argument, its value, and what was expected.

A name has one meaning in all functions, so its range is declared once, in `WORDS`: `alpha` is a fraction, `draws` a
count. The accessors check the arguments of a call before the verb runs; omitted options cost nothing.

    checker("alpha", float)                 a fraction between 0 and 1
    checker("seed", int | None)             a non-negative integer, or None
    checker("per", Literal["run", "query"]) one of two words
    checker("edges", Sequence[float])       a list of numbers

A parameter annotated as `object` is a run, a measure or a table, which only the verb can look up. Missing values and
empty lists cannot be any of these and raise here.
"""

import ast
import dis
import functools
import inspect
import math
import numbers
import os
import re
import sys
import types
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Literal, TypeGuard, TypeVar, Union, cast, get_args, get_origin

import numpy as np
import pandas as pd

from pdeval.verbs.spelling import nearest

LARGE = 2**61
# lone surrogates, except those that stand for bytes of file names that are not UTF-8
HALVES = re.compile("[\ud800-\udc7f\udd00-\udfff]")
MOST_BITS = 1023  # of the integers that a float can represent


class TooFew(ValueError):
    """Too few runs, queries or values for a result: a fault of the data, not of the call."""


def _require(valid: bool, name: str, value: object, expected: str) -> None:
    """Raise if an argument is not valid."""
    if not valid:
        raise ValueError(f"{name}={short_repr(value)}: expected {expected}.")


def share(name: str, value: float) -> float:
    """Return a fraction; raise unless it is between 0 and 1.

    Examples
    --------
    >>> share("alpha", 5)
    Traceback (most recent call last):
    ValueError: alpha=5: expected a fraction between 0 and 1; 5% is 0.05.
    """
    percent = f"; {value:g}% is {value / 100:g}" if is_number(value) and 1 <= value < 100 else ""
    valid = is_number(value) and 0 < value < 1
    _require(valid, name, value, f"a fraction between 0 and 1{percent}")
    return float(value)


def integer(name: str, value: Any, least: int, most: float = np.inf) -> int:
    """Return an integer; raise if it is not one, is below the least or above the most.

    Examples
    --------
    >>> integer("draws", 0.5, 1)
    Traceback (most recent call last):
    ValueError: draws=0.5: expected an integer of at least 1.
    """
    lowest = "" if least < -LARGE else f" of at least {least}"
    _require(is_integer(value) and value >= least, name, value, f"an integer{lowest}")
    _require(value <= most, name, value, f"an integer of at most {most:,}")
    return int(value)


def number(name: str, value: float, least: float, most: float = np.inf) -> float:
    """Return a number; raise if it is not one, is below the least or above the most.

    Examples
    --------
    >>> number("margin", -1, 0)
    Traceback (most recent call last):
    ValueError: margin=-1: expected a number of at least 0.
    """
    _require(is_number(value) and value >= least, name, value, f"a number of at least {least:g}")
    _require(value <= most, name, value, f"a number of at most {most:g}")
    return float(value)


def finite(name: str, value: float) -> float:
    """Return a number; raise if it is not one or not finite.

    Examples
    --------
    >>> finite("difference", float("nan"))
    Traceback (most recent call last):
    ValueError: difference=nan: expected a finite number.
    """
    _require(is_finite(value), name, value, "a finite number")
    return float(value)


def positive(name: str, value: float) -> float:
    """Return a number; raise unless it is finite and above 0.

    Examples
    --------
    >>> positive("upper", 0)
    Traceback (most recent call last):
    ValueError: upper=0: expected a number above 0.
    """
    _require(is_finite(value) and value > 0, name, value, "a number above 0")
    return float(value)


def one_of(
    name: str,
    value: object,
    choices: Iterable[str],
    aliases: Mapping[str, str] | None = None,
    meant: Mapping[str, str] | None = None,
) -> str:
    """Return the choice of that name or alias; case does not matter.

    A name in `meant` is not accepted, but the error suggests the choice that it means.

    Examples
    --------
    >>> one_of("correction", "BH", ["holm", "fdr_bh"], {"bh": "fdr_bh"})
    'fdr_bh'
    >>> one_of("correction", "hlom", ["holm", "fdr_bh", "none"])
    Traceback (most recent call last):
    ValueError: correction='hlom': choose 'holm', 'fdr_bh' or 'none'. Did you mean 'holm'?
    """
    choices = tuple(choices)
    aliases = aliases or {}
    text: Any = value
    if isinstance(value, str):
        text = aliases.get(value.lower(), value.lower())
        for choice in choices:
            if text == choice.lower():
                return choice
    near = (meant or {}).get(short_repr(text).strip("'")) or nearest(
        text, dict(zip(choices, choices)) | dict(aliases)
    )
    hint = f" Did you mean {near!r}?" if near else ""
    listed = (
        ", ".join(map(repr, choices[:-1]))
        + (" or " if len(choices) > 1 else "")
        + repr(choices[-1])
    )
    raise ValueError(f"{name}={short_repr(value)}: choose {listed}.{hint}")


def several(name: str, value: object) -> list[Any]:
    """Return one value or an iterable of values as a list; raise if it is empty.

    Examples
    --------
    >>> several("measures", "AP"), several("measures", ("AP", "RR"))
    (['AP'], ['AP', 'RR'])
    >>> several("measures", [])
    Traceback (most recent call last):
    ValueError: measures=[] is empty. Pass at least one, or omit the argument.
    """
    values = list(value) if isinstance(value, Iterable) and not isinstance(value, str) else [value]
    if not values:
        raise ValueError(
            f"{name}={short_repr(value)} is empty. Pass at least one, or omit the argument."
        )
    return values


def seed(value: Any) -> int | None:
    """Return a random seed, or None for a new one; raise if it is neither.

    Examples
    --------
    >>> seed("today")
    Traceback (most recent call last):
    ValueError: seed='today': expected a non-negative integer, or None for a random seed.
    """
    valid = value is None or (is_integer(value) and value >= 0)
    _require(valid, "seed", value, "a non-negative integer, or None for a random seed")
    return None if value is None else int(value)


def is_number(value: object) -> bool:
    """Return whether a value is a real number; True and False are not."""
    # numpy counts timedeltas among the integers
    return isinstance(value, numbers.Real) and not isinstance(
        value, bool | np.bool_ | np.timedelta64
    )


def is_finite(value: object) -> TypeGuard[float]:
    """Return whether a value is a number that a float can represent: neither infinite nor missing."""
    try:
        return is_number(value) and math.isfinite(value)  # type: ignore[arg-type]
    except OverflowError:  # an integer of hundreds of digits
        return False


def is_integer(value: object) -> TypeGuard[int]:
    """Return whether a value is an integer; True and False are not."""
    return is_number(value) and isinstance(value, int | np.integer)


def refuse_unusable(name: str, value: object) -> None:
    """Raise if no option accepts a value: an array without dimensions, an integer beyond every float.

    Examples
    --------
    >>> refuse_unusable("alpha", np.array(0.05))
    Traceback (most recent call last):
    ValueError: alpha= is an array without dimensions. Pass its value: array.item().
    """
    if isinstance(value, np.ndarray) and value.ndim == 0:
        raise ValueError(f"{name}= is an array without dimensions. Pass its value: array.item().")
    if isinstance(value, int) and value.bit_length() > MOST_BITS:
        raise ValueError(f"{name}= is an integer of more than 300 digits. Pass a smaller one.")
    texts = value if isinstance(value, list | tuple) else [value]
    if any(isinstance(one, str) and not one.isprintable() and HALVES.search(one) for one in texts):
        raise ValueError(
            f"{name}={short_repr(value)} contains half of a character (a lone surrogate). Remove it."
        )
    if name in ("path", "paths", "folder") and any(
        isinstance(one, str) and "\0" in one for one in texts
    ):
        raise ValueError(
            f"{name}={short_repr(value)} contains the character NUL, which file names cannot contain."
        )


def is_missing(value: object) -> bool:
    """Return whether a value is missing: None, NaN, NA or NaT."""
    return value is None or (pd.api.types.is_scalar(value) and bool(pd.isna(value)))  # type: ignore[call-overload]


def short_repr(value: object) -> str:
    """Return a short text of a value for a message, in one line.

    Examples
    --------
    >>> short_repr("x"), short_repr(list(range(100)))
    ("'x'", 'a list of 100')
    """
    if isinstance(value, list | tuple | dict | set) or pd.api.types.is_scalar(value):
        try:
            text = repr(value)
        except ValueError:  # Python does not print integers of thousands of digits
            text = ""
        if 0 < len(text) <= 80 and "\n" not in text:
            return text
    size = f" of {len(value)}" if hasattr(value, "__len__") and np.ndim(value) else ""  # type: ignore[arg-type]
    return f"{with_article(type(value).__name__)}{size}"


def with_article(noun: str) -> str:
    """Return a noun with its indefinite article.

    Examples
    --------
    >>> with_article("list"), with_article("int")
    ('a list', 'an int')
    """
    return f"{'an' if noun[0].lower() in 'aeio' else 'a'} {noun}"


def named_type(annotation: Any, function: Callable[..., Any]) -> Any:
    """Return the type of an annotation, evaluated with the names of the module of the function.

    Examples
    --------
    >>> named_type("Callable | None", named_type)
    collections.abc.Callable | None
    """
    if not isinstance(annotation, str):
        return annotation
    function = inspect.unwrap(function)  # a decorator may be defined in another module
    try:
        return eval(annotation, function.__globals__)
    except NameError:  # only then is the source read
        return eval(annotation, {**typing_only(function.__module__), **function.__globals__})


@functools.cache
def typing_only(module: str) -> dict[str, type]:
    """Return the names that a module imports for type checkers only, each as an empty type.

    Examples
    --------
    >>> typing_only("pdeval.accessor")["JudgedVerbs"].__module__
    'pdeval.accessor.typed'
    """
    try:
        tree = ast.parse(inspect.getsource(sys.modules[module]))
    except (OSError, TypeError):  # written in a notebook
        return {}
    tests = ("TYPE_CHECKING", "typing.TYPE_CHECKING")
    return {
        alias.asname or alias.name: type(alias.name, (), {"__module__": node.module})
        for block in ast.walk(tree)
        if isinstance(block, ast.If) and ast.unparse(block.test) in tests
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


Check = Callable[[str, Any], Any]
Function = TypeVar("Function", bound=Callable[..., Any])

LARGEST = 2**62  # larger integers are not counts
MOST = 10_000_000  # limit of repetitions, for memory and time
LISTS = (
    Sequence,
    Iterable,
    Collection,
    list,
    tuple,
)


def between(least: float, most: float) -> Check:
    """Return the check of a number between two others, both included."""
    return lambda name, value: number(name, value, least, most)


def count(least: int, most: int = LARGEST) -> Check:
    """Return the check of an integer."""
    return lambda name, value: integer(name, value, least, most)


# range of the numbers of a name, in all functions
WORDS: dict[str, Check] = {
    **dict.fromkeys(("alpha", "confidence", "power", "p"), share),
    **dict.fromkeys(
        ("depth", "n_queries", "max_queries", "most", "ahead", "memory", "top"), count(1)
    ),
    **dict.fromkeys(("sessions", "users"), count(1, MOST)),
    "levels": count(1, 10_000),
    "points": count(1, 10_000),
    **dict.fromkeys(
        ("penalty", "margin", "tau", "fuzziness", "rope"), between(0, np.finfo(float).max)
    ),
    **dict.fromkeys(("seconds_per_result", "seconds_per_click"), between(0, 1e9)),
    "draws": count(0, MOST),
    "digits": count(0, 15),
    "highlight": count(0),
    **dict.fromkeys(("upper", "prior"), positive),
    "reformulate": between(0, 1),
    "seed": lambda _, value: seed(value),
}
# choices with aliases, which the registries of the verbs look up
REGISTERED = ("correction", "compat", "ties")
# arguments that verbs check themselves, with better messages: tables, levels, names of measures, groups and buckets
CHECKED_BY_VERBS = (
    *("qrels", "lists", "labeled", "level", "measures", "pairs", "over"),
    *("by", "replicate", "shares", "aggregate"),
)
CHECKED_BY_FUNCTIONS = ("parts", "ax")
MAY_BE_EMPTY = ("notes", "highlight", "caption", "label", "names", "columns")


def checks_arguments(function: Function) -> Function:
    """Return a public function that checks its arguments by their annotations; finer checks are its own.

    Examples
    --------
    >>> @checks_arguments
    ... def first(path: str, *, draws: int = 3) -> str:
    ...     return path[:draws]
    >>> first("runs", draws="x")
    Traceback (most recent call last):
    ValueError: draws='x': expected an integer.
    """

    @functools.wraps(function)
    def call(*args: Any, **options: Any) -> Any:
        signature = inspect.signature(function)
        try:
            bound = signature.bind(*args, **options).arguments
        except TypeError:
            bound = {}  # Python reports missing and unknown arguments
        for name, value in bound.items():
            refuse_unusable(name, value)
            parts = alternatives(named_type(signature.parameters[name].annotation, function))
            if name not in CHECKED_BY_FUNCTIONS and not any(_may_be(part, value) for part in parts):
                empty = " is empty" if isinstance(value, Mapping) and not value else ""
                raise ValueError(
                    f"{name}={short_repr(value)}{empty}: expected {_type_names(parts)}."
                )
            if name in WORDS and is_number(value) and {int, float} & set(parts):
                WORDS[name](name, value)
        with explained(bound.values()):
            return function(*args, **options)

    return cast("Function", call)


def _may_be(part: Any, value: Any) -> bool:
    """Return whether a value has the type of an annotation: any string for a choice, any list for a list."""
    if part in (object, Any, pd.DataFrame):
        return True  # the reader of tables raises with the expected columns
    if get_origin(part) is Mapping:
        return (
            isinstance(value, Mapping)
            and len(value) > 0
            and all(_fits(get_args(part)[0], key) for key in value)
        )
    element = get_args(part)[0] if get_origin(part) in LISTS else None
    if element is not None and isinstance(value, str):
        return bool(value.strip()) and element not in (int, float)
    if get_origin(element) is Literal:
        return _is_list(value) and all(isinstance(one, str) for one in _elements(value))
    return isinstance(value, str) if get_origin(part) is Literal else _fits(part, value)


def checker(name: str, annotation: Any) -> Check:
    """Return the check of a parameter, which returns the value or raises.

    Examples
    --------
    >>> checker("draws", int)("draws", 100)
    100
    >>> checker("draws", int)("draws", -1)
    Traceback (most recent call last):
    ValueError: draws=-1: expected an integer of at least 0.
    >>> checker("edges", list[float])("edges", [1, "x"])
    Traceback (most recent call last):
    ValueError: edges=[1, 'x']: expected a list of numbers.
    """
    return _checker(
        name, annotation, repr(annotation)
    )  # choices in another order are equal, and say another sentence


@functools.cache
def _checker(name: str, annotation: Any, _written: str) -> Check:
    """Return the check of a parameter, cached."""
    parts = alternatives(annotation)
    if name in CHECKED_BY_VERBS:
        return lambda _, value: value
    if object in parts or Any in parts:
        return functools.partial(_something, needed=name in NEEDED)
    numeric = any(part in (int, float) for part in parts)
    choices = tuple(
        one
        for part in parts
        if get_origin(part) is Literal
        for one in get_args(part)
        if one is not None
    )
    simple = choices and all(get_origin(part) is Literal or part is type(None) for part in parts)
    word = WORDS.get(name) if numeric else None
    optional = type(None) in parts or any(
        None in get_args(part) for part in parts if get_origin(part) is Literal
    )
    several = [part for part in parts if get_origin(part) in LISTS]

    def check(name: str, value: Any) -> Any:
        if value is None and optional:
            return None
        if simple:
            known = name in REGISTERED and isinstance(value, str)
            return value if known else one_of(name, value, choices)
        if numeric and is_number(value):
            if word is not None:
                return word(name, value)
            return integer(name, value, -LARGEST) if float not in parts else finite(name, value)
        if (
            word is not None
            and not several
            and not (str in parts and isinstance(value, str))
            and not any(get_origin(part) is Mapping for part in parts)
        ):
            return word(name, value)
        if not any(_fits(part, value) for part in parts):
            raise ValueError(f"{name}={short_repr(value)}: expected {_type_names(parts)}.")
        if (
            (several or hasattr(value, "columns"))
            and not isinstance(value, str)
            and name not in MAY_BE_EMPTY
            and _size(value) == 0
        ):
            raise ValueError(f"{name}={short_repr(value)} is empty: expected {_type_names(parts)}.")
        return _names(value) if several else value

    return check


NEEDED = ("qrels", "labels", "labeled", "lists", "others", "query", "run_a", "run_b", "new", "old")


def _something(name: str, value: Any, *, needed: bool) -> Any:
    """Return a value that may be a run, a measure or a table; raise if it is missing or empty."""
    nothing = (value is None and needed) or (value is not None and is_missing(value))
    if nothing or isinstance(value, bool | np.bool_):
        raise ValueError(f"{name}={short_repr(value)}: expected one or several names, or a table.")
    table = needed and hasattr(value, "columns")  # the verb raises with its missing columns
    if not isinstance(value, str) and not table and _size(value) == 0:
        if hasattr(value, "columns"):
            raise ValueError(
                f"{name}= is a table without rows. Pass a table with rows, or omit the argument."
            )
        raise ValueError(
            f"{name}={short_repr(value)} is empty. Pass at least one, or omit the argument."
        )
    if isinstance(value, str) and not value.strip():
        raise ValueError(f"{name}={value!r} is empty. Pass a name, or omit the argument.")
    return _names(value)


def _names(value: Any) -> Any:
    """Return a column of strings as a list, and any other value unchanged."""
    if not isinstance(value, np.ndarray | pd.Index | pd.Series) or value.ndim != 1:
        return value
    return list(value) if not len(value) or np.asarray(value).dtype.kind in "OUT" else value


def alternatives(annotation: Any) -> tuple[Any, ...]:
    """Return the members of a union, or the annotation itself."""
    if get_origin(annotation) in (Union, types.UnionType):
        return tuple(part for one in get_args(annotation) for part in alternatives(one))
    return (annotation,)


def _size(value: Any) -> int:
    return len(value) if hasattr(value, "__len__") else 1


def _is_table(value: Any) -> bool:
    known = any(hasattr(value, name) for name in ("columns", "_frame", "__arrow_c_stream__"))
    return known and not isinstance(value, pd.Series)


# whether a value is of a simple type
SIMPLE: dict[Any, Callable[[Any], bool]] = {
    **dict.fromkeys((object, Any), lambda value: not is_missing(value)),
    str: lambda value: (
        isinstance(value, str) or hasattr(value, "entry")
    ),  # a declared function stands for its name
    bool: lambda value: isinstance(value, bool | np.bool_),
    int: lambda value: is_integer(value) and abs(int(value)) <= LARGEST,
    float: lambda value: is_finite(value) or (is_number(value) and value in (np.inf, -np.inf)),
    pd.DataFrame: _is_table,
}


def _fits(annotation: Any, value: Any) -> bool:
    """Return whether a value is of the annotated type, down to the elements of lists and mappings."""
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is None and annotation in SIMPLE:
        return SIMPLE[annotation](value)
    if origin in (Union, types.UnionType):
        return any(_fits(part, value) for part in inner)
    if origin is Literal:
        return isinstance(value, str) and value.lower() in {str(choice).lower() for choice in inner}
    if origin is tuple:
        return isinstance(value, list | tuple) and len(value) == len(inner)
    if origin in LISTS:
        return _is_list(value) and all(_fits(inner[0], element) for element in _elements(value))
    if origin is Mapping:
        return isinstance(value, Mapping | pd.Series) and all(
            _fits(inner[0], key) and _fits(inner[1], element) for key, element in value.items()
        )
    if origin is os.PathLike:
        return isinstance(value, os.PathLike)
    if getattr(annotation, "__name__", "") == "Axes":  # matplotlib is not imported to look at one
        return hasattr(value, "transData")
    return not isinstance(annotation, type) or isinstance(value, annotation)


def _is_list(value: Any) -> bool:
    if isinstance(value, np.ndarray):
        return value.ndim == 1
    return isinstance(value, Iterable) and not isinstance(
        value, str | bytes | Mapping | pd.DataFrame
    )


def _elements(value: Any) -> Any:
    return value if hasattr(value, "__len__") else ()  # iterators are not consumed


# names of types in messages, alone and as elements of a list
WORDED = {
    bool: "True or False",
    int: "an integer",
    float: "a number",
    str: "a string",
    type(None): "None",
}
LISTED = {int: "integers", float: "numbers", str: "strings", pd.DataFrame: "DataFrames"}


def _type_names(parts: tuple[Any, ...]) -> str:
    """Return the types of a parameter for a message."""
    names = list(dict.fromkeys(_type_name(part) for part in parts))
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + f" or {names[-1]}"


def _type_name(part: Any) -> str:
    origin, inner = get_origin(part), get_args(part)
    if origin is Literal:
        return "one of " + ", ".join(map(repr, inner))
    if origin in LISTS:
        return (
            "a list of pairs"
            if get_origin(inner[0]) is tuple
            else f"a list of {LISTED.get(inner[0], 'names')}"
        )
    if origin is Mapping:
        return "a mapping"
    if origin is os.PathLike:
        return "a path"
    return WORDED.get(part) or f"a {getattr(part, '__name__', 'value')}"


# a table is searched for faults only after a call has failed, so valid tables cost nothing
FAILURES = (
    TypeError,
    ValueError,
    LookupError,
    AttributeError,
    ArithmeticError,
    NotImplementedError,
)
LIBRARIES = ("numpy", "pandas", "pyarrow", "scipy", "matplotlib")
RAISE = dis.opmap["RAISE_VARARGS"]


@contextmanager
def explained(values: Iterable[object]) -> Iterator[None]:
    """Raise an error that names the fault of a table, if Python, numpy, pandas or Arrow failed on it.

    Examples
    --------
    >>> table = pd.DataFrame({"run": [["a"], ["b"]]})
    >>> with explained([table]):
    ...     table["run"].unique()
    Traceback (most recent call last):
    ValueError: column 'run' contains a list, e.g. ['a']. Convert it to strings or numbers, e.g. with .astype(str).
    """
    try:
        yield
    except FAILURES as error:
        if _explains_itself(error):
            raise
        tables = [getattr(value, "_frame", value) for value in values]
        faults = [_fault(table, error) for table in tables if isinstance(table, pd.DataFrame)]
        if fault := next(filter(None, faults), ""):
            raise ValueError(fault) from error
        raise


def _explains_itself(error: Exception) -> bool:
    """Return whether an error comes from a raise statement of pdeval or of a measure declared by a user."""
    place = error.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    if (
        place is None
        or str(place.tb_frame.f_globals.get("__name__")).partition(".")[0] in LIBRARIES
    ):
        return False
    return place.tb_frame.f_code.co_code[place.tb_lasti] == RAISE


def _fault(table: pd.DataFrame, error: Exception) -> str:
    """Return the fault of the column names of a table, or of its first invalid column; empty without one."""
    labels: list[object] = list(table.columns)
    if odd := [name for name in labels if not isinstance(name, str)]:
        return f"the column name {odd[0]!r} is not a string. Rename the column."
    for find in (_odd_values, _odd_column):
        for name, column in table.items():
            if fault := find(column, error):
                return f"column {name!r} {fault}"
    return ""


def _odd_values(column: pd.Series, error: Exception) -> str:
    """Return the first object that a column should not contain; empty without one."""
    values = column.cat.categories if isinstance(column.dtype, pd.CategoricalDtype) else column
    for value in values if values.dtype == object else ():
        if isinstance(value, bytes):
            return (
                f"contains bytes, e.g. {short_repr(value)}. Decode them with .str.decode('utf-8')."
            )
        if isinstance(error, UnicodeError) and re.search("[\ud800-\udfff]", str(value)):
            return f"contains half of a character (a lone surrogate), e.g. {short_repr(value)}. Remove it."
        if isinstance(value, int) and value.bit_length() > MOST_BITS:
            return "contains an integer of more than 300 digits. Convert it with .astype(str)."
        if not isinstance(value, str | numbers.Number) and not is_missing(value):
            example = f"{with_article(type(value).__name__)}, e.g. {short_repr(value)}"
            return f"contains {example}. Convert it to strings or numbers, e.g. with .astype(str)."
    return ""


def _odd_column(column: pd.Series, _: Exception) -> str:
    """Return the unusual property of a column: missing or infinite values, or an unusual dtype."""
    number = pd.api.types.is_numeric_dtype(column.dtype)
    if number and str(column.dtype) in ("float16", "float128", "bool", "complex128"):
        return f"contains {column.dtype} values. Convert it with .astype(float)."
    if missing := int(column.isna().sum()):
        return f"has {missing:,} missing values. Drop or fill them."
    if number and np.isinf(column.to_numpy(dtype=np.float64)).any():
        return "has infinite values. Drop those rows."
    kinds = sorted({type(value).__name__ for value in column}) if column.dtype == object else []
    return (
        f"contains values of several types: {', '.join(kinds)}. Convert all to strings or all to numbers."
        if len(kinds) > 1
        else ""
    )
