"""A progress bar for long computations, shown after one second in interactive sessions."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")


def track(
    steps: Iterable[T], *, total: int | None = None, desc: str = "", progress: bool | None = None
) -> Iterator[T]:
    """Yield the steps and show a tqdm progress bar if they take longer than one second.

    Parameters
    ----------
    steps : iterable
        The steps.
    total : int, optional
        Number of steps, if `steps` has no length.
    desc : str
        Label of the bar.
    progress : bool, optional
        True always shows the bar, False never. By default it is shown after one second in notebooks and interactive
        terminals.

    Examples
    --------
    >>> list(track([1, 2], progress=False))
    [1, 2]
    """
    if not (is_interactive() if progress is None else progress):
        yield from steps
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # without ipywidgets tqdm falls back to text and warns
        from tqdm.auto import tqdm

    yield from tqdm(steps, total=total, desc=desc, delay=0 if progress else 1, leave=False)


def is_interactive() -> bool:
    """Return whether the session is interactive: a notebook, or a terminal on standard error."""
    return "ipykernel" in sys.modules or (hasattr(sys.stderr, "isatty") and sys.stderr.isatty())
