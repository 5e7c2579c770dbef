"""Report formats: each is one function from a `Report` to text or bytes, declared where it is written.

    @report_format("latex", endings=".tex")
    def to_latex(report: Report, *, environment: Environment = "table") -> str: ...

From the declaration come the method `Report.to_latex()`, what `Report.save("table.tex")` writes, and the formats of the
command line.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from pdeval.report.report import Report
from pdeval.verbs.registry import Registry

Function = TypeVar("Function", bound=Callable[..., "str | bytes"])


@dataclass(frozen=True)
class Format:
    """One declared format.

    Parameters
    ----------
    name : str
        As in `Report.to_NAME()`.
    function : callable
        From a report, and options by keyword, to text or bytes.
    endings : tuple of str
        The file endings that mean this format.
    as_file : mapping of str to object
        The options with which a file is written.
    """

    name: str
    function: Callable[..., str | bytes]
    endings: tuple[str, ...] = ()
    as_file: Mapping[str, Any] = field(default_factory=dict)

    @property
    def options(self) -> tuple[str, ...]:
        """The names of its options."""
        return tuple(inspect.signature(self.function).parameters)[1:]

    def file(self, report: Report) -> bytes:
        """Return what a file of this format holds; text ends in a line break."""
        content = self.function(report, **self.as_file)
        if isinstance(content, bytes):
            return content
        return (content if content.endswith("\n") else content + "\n").encode()


FORMATS: Registry[Format] = Registry(
    "report format", replace="module", taken="there is a report format {name!r} already, of {module}."
)


def report_format(
    name: str, *, endings: str | Iterable[str] = (), as_file: Mapping[str, Any] | None = None
) -> Callable[[Function], Function]:
    """Declare a function as a format of reports; see `Format`.

    Parameters
    ----------
    name : str
        One word; the method of `Report` is `to_NAME`.
    endings : str or list of str
        File endings, each with its point; `Report.save` writes this format for them.
    as_file : mapping, optional
        Options with which a file is written, where they differ from the defaults.

    Returns
    -------
    callable
        A decorator that returns the function as it is.

    Examples
    --------
    >>> import pdeval
    >>> @report_format("names", endings=".names")
    ... def to_names(report: Report) -> str:
    ...     return ", ".join(column.name for column in report.columns)
    >>> judged = pdeval.datasets.sample_judged(topics="common")
    >>> judged.report(["AP", "RR"], marks=None).to_names()
    'run, AP, RR'
    >>> forget("names")
    """
    if not name.isidentifier():
        raise ValueError(f"a format's name is one word, as in Report.to_{name}(); found {name!r}.")
    own = (endings,) if isinstance(endings, str) else tuple(endings)
    for ending in own:
        if not ending.startswith(".") or ending != ending.lower():
            raise ValueError(f"the ending {ending!r} must be lower case and begin with a point, e.g. '.tex'.")

    def declare(function: Function) -> Function:
        taken = {ending: other.name for other in FORMATS.values() if other.name != name for ending in other.endings}
        for ending in own:
            if ending in taken:
                raise ValueError(f"files that end in {ending!r} are {taken[ending]} already; choose another ending.")
        FORMATS.add(name, Format(name, function, own, dict(as_file or {})), function.__module__)
        setattr(Report, f"to_{name}", function)
        return function

    return declare


def forget(name: str) -> None:
    """Take a declared format away again."""
    format_named(name)
    del FORMATS[name]
    delattr(Report, f"to_{name}")


def format_named(name: str) -> Format:
    """Return a format, or an error that lists those there are.

    Examples
    --------
    >>> format_named("docx")
    Traceback (most recent call last):
    ValueError: no report format 'docx'; there are csv, excel, html, json, latex, markdown, parquet, typst.
    """
    if name not in FORMATS:
        raise ValueError(f"no report format {name!r}; there are {', '.join(sorted(FORMATS))}.")
    return FORMATS[name]


def format_of(path: str | Path) -> Format:
    """Return the format that a file's ending means, or an error that lists the endings there are.

    Examples
    --------
    >>> format_of("table.tex").name
    'latex'
    """
    path = Path(path)
    ending = path.suffix.lower()
    endings = {own: one for one in FORMATS.values() for own in one.endings}
    if ending not in endings:
        found = f"ends in {ending!r}" if ending else "has no ending"
        offered = sorted(endings)
        raise ValueError(
            f"the file name {path.name!r} {found}; a report can be saved as {', '.join(offered[:-1])} or {offered[-1]}."
        )
    return endings[ending]
