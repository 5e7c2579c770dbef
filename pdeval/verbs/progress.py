"""A progress bar for long work: shown after a second, and only to a person who is watching."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")


def track(
    steps: Iterable[T], *, total: int | None = None, desc: str = "", progress: bool | None = None
) -> Iterator[T]:
    """Yield the steps, with a tqdm bar once they have taken a second.

    Parameters
    ----------
    progress : bool, optional
        True always shows the bar, False never; by default only in a notebook or an interactive terminal.

    Examples
    --------
    >>> list(track([1, 2], progress=False))
    [1, 2]
    """
    if not (is_interactive() if progress is None else progress):
        yield from steps
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # without ipywidgets tqdm falls back to text, and says so
        from tqdm.auto import tqdm

    yield from tqdm(steps, total=total, desc=desc, delay=0 if progress else 1, leave=False)


def is_interactive() -> bool:
    """Return whether a person is watching: a notebook, or a terminal on standard error."""
    return "ipykernel" in sys.modules or (hasattr(sys.stderr, "isatty") and sys.stderr.isatty())
