"""Mutants of functions, tried in forks of one process that has collected the tests once.

The function's new code takes the place of its old one, so that nothing is imported or collected again for a mutant.
What runs when a module is imported (a constant, a default, a declaration) cannot be changed so: `trial` tries that, and
what survives here, on files.
"""

from __future__ import annotations

import functools
import gc
import inspect
import json
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import zip_longest
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

from tests.mutations.mutants import Mutant
from tests.mutations.trial import ROOT, Quick, alone, arguments, named, watch

Told = Callable[[Mutant, str, float, str], None]
# run where they stand, by a module too
_COMPREHENSIONS = {"<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"}


def new_code(package: Path, mutant: Mutant) -> dict[CodeType, CodeType]:
    """Return the code of each function that a mutant changes, by what it was; nothing where more than code changes."""
    source = (package / mutant.file).read_bytes()
    old, new = (
        compile(text, mutant.file, "exec", dont_inherit=True)
        for text in (source, mutant.applied(source))
    )
    before, after = list(_codes(old)), list(_codes(new))
    if [one.co_qualname for one, _ in before] != [one.co_qualname for one, _ in after]:
        return {}
    pairs = [
        (was, now, function)
        for (was, function), (now, _) in zip(before, after, strict=True)
        if was != now
    ]
    own = [function for was, now, function in pairs if _own(was) != _own(now)]
    same = all(was.co_freevars == now.co_freevars for was, now, _ in pairs)
    return {was: now for was, now, function in pairs if function} if all(own) and same else {}


def _codes(code: CodeType, *, called: bool = False) -> Iterator[tuple[CodeType, bool]]:
    """Yield a code and all within it, and whether it is run by a call of a function: a class and a module are not."""
    called = called or bool(
        code.co_flags & inspect.CO_OPTIMIZED and code.co_name not in _COMPREHENSIONS
    )
    yield code, called
    for one in code.co_consts:
        if isinstance(one, CodeType):
            yield from _codes(one, called=called)


def _own(code: CodeType) -> tuple[Any, ...]:
    """Return what a code does itself, apart from the functions that it makes."""
    constants = [(type(one), one) for one in code.co_consts if not isinstance(one, CodeType)]
    return code.co_code, code.co_names, code.co_varnames, repr(constants)


class _Live(Quick):
    """The plugin of pytest that tries mutants where other runs try the tests: each in a fork, `jobs` at a time."""

    def __init__(self, tests: dict[Mutant, list[str]], jobs: int, end: float, tell: Told) -> None:
        self.tests, self.jobs, self.end, self.tell = tests, jobs, end, tell
        self.running: dict[int, tuple[Mutant, float, int]] = {}

    def pytest_runtestloop(self, session: Any) -> bool:
        """Try all mutants, as many at a time as there are jobs."""
        made = gc.get_objects()
        self.functions = [one for one in made if isinstance(one, FunctionType)]
        self.caches = [one for one in made if isinstance(one, functools._lru_cache_wrapper)]
        self.items = {item.nodeid: item for item in session.items}
        self.files: dict[str, list[str]] = {}
        for name in self.items:
            self.files.setdefault(name.partition("::")[0], []).append(name)
        gc.freeze()  # or a fork that counts references copies all of it
        for mutant in self.tests:
            if time.monotonic() < self.end:
                self._begin(session, mutant)
            if len(self.running) == self.jobs:
                self._end(*os.waitpid(-1, 0))
        while self.running:
            self._end(*os.waitpid(-1, 0))
        return True

    def _begin(self, session: Any, mutant: Mutant) -> None:
        reader, self.writer = os.pipe()
        pid = os.fork()
        if pid:
            os.close(self.writer)
            self.running[pid] = mutant, time.monotonic(), reader
            return
        status = 3
        try:
            alone(Path(os.devnull))
            session.config.pluginmanager.unregister(name="terminalreporter")
            self._change(mutant)
            named_ = (name for test in self.tests[mutant] for name in self.files.get(test, [test]))
            session.items = [
                self.items[name] for name in dict.fromkeys(named_) if name in self.items
            ]
            status = self._run(session)
        finally:
            os._exit(status)

    def _change(self, mutant: Mutant) -> None:
        new, file = new_code(ROOT / "pdeval", mutant), str(ROOT / "pdeval" / mutant.file)
        for one in self.functions:
            if one.__code__.co_filename == file and one.__code__ in new:
                one.__code__ = new[one.__code__]
        for cached in self.caches:
            cached.cache_clear()

    def _run(self, session: Any) -> int:
        for item, following in zip_longest(session.items, session.items[1:]):
            watch()
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if session.testsfailed:
                return 1
        return 0

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Tell which test failed, in the fork."""
        if report.failed:
            os.write(self.writer, report.nodeid.encode())

    def _end(self, pid: int, status: int) -> None:
        mutant, began, reader = self.running.pop(pid)
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL)  # with whatever it has started
        killer = os.read(reader, 4096).decode() if os.waitstatus_to_exitcode(status) == 1 else ""
        os.close(reader)
        self.tell(
            mutant, named(os.waitstatus_to_exitcode(status)), time.monotonic() - began, killer
        )


def live(
    tests: dict[Mutant, list[str]], jobs: int, end: float, tell: Told
) -> dict[Mutant, tuple[str, str]]:
    """Return what became of each mutant, and the test that killed it, in a fork: this process stays new."""
    chosen = list(tests)
    with tempfile.TemporaryFile("w+", encoding="utf-8") as kept:

        def keep(mutant: Mutant, outcome: str, took: float, killer: str) -> None:
            tell(mutant, outcome, took, killer)
            json.dump([chosen.index(mutant), outcome, killer], kept)
            kept.write("\n")
            kept.flush()

        sys.stdout.flush()
        pid = os.fork()
        if pid == 0:
            try:
                _collected(_Live(tests, jobs, end, keep))
            finally:
                sys.stdout.flush()
                os._exit(0)
        os.waitpid(pid, 0)
        kept.seek(0)
        return {
            chosen[place]: (outcome, killer) for place, outcome, killer in map(json.loads, kept)
        }


def _collected(plugin: _Live) -> None:
    import pytest

    sys.path.insert(0, str(ROOT))
    os.environ.update(MPLBACKEND="Agg", CI="1")
    os.chdir(ROOT)
    files = dict.fromkeys(
        test.partition("::")[0] for tests in plugin.tests.values() for test in tests
    )
    pytest.main([*arguments(ROOT), *files], plugins=[plugin])
