"""Progress of long computations, shown after one second in interactive sessions.

Steps have a bar (`track`); a call without a bar shows its elapsed time (`elapsed_time`).
"""

import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from threading import Event, Thread, Timer
from typing import Any, TypeVar

T = TypeVar("T")
DELAY = 1.0  # seconds until progress is shown
INTERVAL = 0.5  # seconds between two displays of the elapsed time
_BARS: set[object] = set()  # bars and calls in progress


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
    bar = _tqdm()(steps, total=total, desc=desc, delay=0 if progress else DELAY, leave=False)
    timer = Timer(DELAY, bar.refresh)  # the first step may take longer
    timer.daemon = True
    timer.start()
    _BARS.add(bar)
    try:
        yield from bar
    finally:
        _BARS.discard(bar)
        timer.cancel()


@contextmanager
def elapsed_time(desc: str, progress: bool | None = None) -> Iterator[None]:
    """Show the elapsed time of a call that takes longer than one second, until it ends or shows a bar.

    Calls inside of the call show nothing.

    Examples
    --------
    >>> with elapsed_time("compare", progress=False):
    ...     print(1)
    1
    """
    if _BARS or not (is_interactive() if progress is None else progress):
        yield
        return
    done = Event()
    _BARS.add(done)
    Thread(target=_show_time, args=[desc, done], daemon=True).start()
    try:
        yield
    finally:
        _BARS.discard(done)
        done.set()


def _show_time(desc: str, done: Event) -> None:
    """Display the elapsed time until the call is done or another bar is open."""
    if done.wait(DELAY) or len(_BARS) > 1:
        return
    bar = _tqdm()(desc=desc, bar_format="{desc}: {elapsed}", leave=False)
    if bar.disable:  # by the environment variable of tqdm
        return
    bar.start_t -= DELAY
    while not (done.wait(INTERVAL) or len(_BARS) > 1):
        bar.refresh()
    bar.close()


def _tqdm() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # without ipywidgets tqdm falls back to text and warns
        from tqdm.auto import tqdm
    return tqdm


def is_interactive() -> bool:
    """Return whether the session is interactive: a notebook, or a terminal on standard error."""
    return "ipykernel" in sys.modules or (hasattr(sys.stderr, "isatty") and sys.stderr.isatty())
