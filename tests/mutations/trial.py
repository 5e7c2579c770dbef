"""The trial of a mutant: which tests it must survive, run in a fork of this process on a copy of the package."""

from __future__ import annotations

import ast
import os
import shutil
import signal
import sys
import time
import traceback
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from tests.mutations.mutants import Mutant

ROOT = Path(__file__).resolve().parents[2]
COPIED = ("pdeval", "tests", ".github", "README.md", "CHANGELOG.md", "pyproject.toml", "LICENSE")

# quick tests of all folders together
EVERY_FOLDER = [
    "tests/test_declared_values.py",
    "tests/test_bad_input.py",
    "tests/test_nothing_is_silent.py",
]
# what a folder's own tests are followed by: tests of folders above it that say what its numbers must be
WIDER = {
    "kernels": [
        "catalog",
        "evaluate/test_scores.py",
        "evaluate/test_curves.py",
        "studies",
        "parity",
    ],
    "join": [
        *(
            "evaluate/test_scores.py",
            "evaluate/test_pairs.py",
            "evaluate/test_items.py",
            "accessor",
            "judgments",
        )
    ],
    "orderings": ["parity", "judgments", "accessor/test_results.py"],
    "significance": [
        "online/test_buckets.py",
        "online/test_wins.py",
        "report/test_systems.py",
        "parity",
    ],
    "accessor": ["evaluate", "tables"],
    "dask": [],
}
# a test that computes longer than this hangs: none takes a third of it. One that waits is given longer
TEST_SECONDS, WAIT_SECONDS = 60, 240
OUTPUT, KILLER = "output.txt", "killer.txt"
SURVIVED, KILLED, TIMEOUT = "survived", "killed", "timeout"
HUNG = 77


def preload() -> None:
    """Import what tests need and mutants do not change, once for all forks."""
    for name in (
        "numpy",
        "pandas",
        "pyarrow.compute",
        "scipy.stats",
        "statsmodels.stats.multitest",
        "hypothesis.strategies",
        "hypothesis.extra.numpy",
        "pytest",
        "_pytest.doctest",
        "dask.dataframe",
        "distributed",
        "matplotlib",
    ):
        with suppress(ImportError):  # an extra: its tests skip themselves
            __import__(name)


@cache
def _imports(path: Path) -> frozenset[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            found |= {str(node.module), *(f"{node.module}.{alias.name}" for alias in node.names)}
    return frozenset(found)


def stages(file: str) -> list[list[str]]:
    """Return the tests for a file, those most likely to kill first: its mirror, its folder, what stands above."""
    folder, name = file.split("/", maxsplit=1)
    module = f"pdeval.{folder}.{name.removesuffix('.py').replace('/', '.')}"
    own = sorted(
        path.relative_to(ROOT).as_posix() for path in (ROOT / "tests" / folder).glob("test_*.py")
    )
    mirror = [f"tests/{folder}/test_{Path(name).stem}.py"]
    users = [
        path.relative_to(ROOT).as_posix()
        for path in sorted((ROOT / "tests").rglob("test_*.py"))
        if module in _imports(path)
    ]
    first = [one for one in mirror if one in own] + [f"pdeval/{file}"]
    second = [one for one in dict.fromkeys([*users, *own, *EVERY_FOLDER]) if one not in first]
    wider: list[str] = []
    for one in WIDER[folder]:
        path = ROOT / "tests" / one
        wider += [one.relative_to(ROOT).as_posix() for one in sorted(path.glob("test_*.py"))] or [
            f"tests/{one}"
        ]
    third = [one for one in wider if one not in first and one not in second]
    return [stage for stage in (first, second, third) if stage]


def copy(to: Path) -> Path:
    """Return a copy of what is tested; the checkout itself is never changed."""
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(
                source, to / name, ignore=shutil.ignore_patterns(".hypothesis", "*.nbi", "*.nbc")
            )
        elif source.exists():
            shutil.copy2(source, to / name)
    return to


def named(code: int) -> str:
    """Return what the exit code of a trial says."""
    return SURVIVED if code == 0 else TIMEOUT if code == HUNG else KILLED


class Trial:
    """One mutant (or None: the package as it is) before its tests, in a forked process."""

    def __init__(
        self,
        place: Path,
        mutant: Mutant | None,
        tests: list[list[str]],
        limit: float,
        *options: str,
    ) -> None:
        self.place, self.mutant, self.began, self.limit = place, mutant, time.monotonic(), limit
        (place / KILLER).unlink(missing_ok=True)
        if mutant is not None:
            path = place / "pdeval" / mutant.file
            self.source = path.read_bytes()
            path.write_bytes(mutant.applied(self.source))
            for stale in (path.parent / "__pycache__").glob(f"{path.stem}.*.pyc"):
                stale.unlink()
        sys.stdout.flush()
        self.pid = os.fork()
        if self.pid == 0:
            status = 3
            try:
                status = _run(place, tests, write=mutant is None, options=options)
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(status)

    def outcome(self) -> str | None:
        """Return what became of it; None while it runs."""
        done, status = os.waitpid(self.pid, os.WNOHANG)
        if not done and time.monotonic() - self.began < self.limit:
            return None
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)  # with whatever it has started
        if not done:
            os.waitpid(self.pid, 0)
        if self.mutant is not None:
            (self.place / "pdeval" / self.mutant.file).write_bytes(self.source)
        code = os.waitstatus_to_exitcode(status) if done else HUNG
        return named(code)

    def killer(self) -> str:
        """Return the test that failed, or the file that could not be collected; nothing where all passed."""
        told = self.place / KILLER
        return told.read_text(encoding="utf-8") if told.exists() else ""


class Quick:
    """The plugin of pytest that lets Hypothesis look for a failure, not for the least one."""

    def pytest_configure(self, config: Any) -> None:
        from hypothesis import Phase, settings

        quick = settings(
            settings.get_profile("default"), deadline=None, derandomize=True, database=None
        )
        settings.register_profile(
            "mutations", quick, phases=(Phase.explicit, Phase.reuse, Phase.generate)
        )
        settings.load_profile("mutations")


class _Watched(Quick):
    """The plugin of pytest that ends a hanging test, and tells which one failed."""

    def __init__(self, stage: list[str]) -> None:
        self.wanted = {test: place for place, test in enumerate(stage)}

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        """Leave the tests that are named, in their order, of files of which some are named."""
        named = {test.partition("::")[0] for test in self.wanted if "::" in test}
        left = [
            one
            for one in items
            if one.nodeid.partition("::")[0] not in named or one.nodeid in self.wanted
        ]
        items[:] = sorted(left, key=lambda one: self.wanted.get(one.nodeid, len(self.wanted)))

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed:
            Path(KILLER).write_text(report.nodeid, encoding="utf-8")

    pytest_collectreport = pytest_runtest_logreport

    def pytest_runtest_logstart(self, nodeid: str, location: Any) -> None:
        watch()


def watch() -> None:
    """Begin the time of a test; processor time, so that a busy machine kills no mutant."""
    signal.setitimer(signal.ITIMER_PROF, TEST_SECONDS)
    signal.alarm(WAIT_SECONDS)


def alone(log: Path) -> None:
    """Make a fork a group of its own that prints into a file and ends where a test hangs."""
    os.setsid()
    opened = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(opened, 1)
    os.dup2(opened, 2)
    for one in (signal.SIGALRM, signal.SIGPROF):
        signal.signal(one, lambda *_: os._exit(HUNG))
    watch()


def arguments(root: Path) -> list[str]:
    """Return how pytest is asked to run the tests of a checkout."""
    usual = [
        "-x",
        "-q",
        "--no-header",
        "--tb=no",
        "-rfE",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:xdist",
    ]
    usual += [
        "-W",
        "ignore::pytest.PytestAssertRewriteWarning",
    ]  # some are imported before the fork
    usual += [
        "-W",
        "ignore::pytest.PytestCollectionWarning",
    ]  # a class of the package whose name begins like a test's
    return [
        *usual,
        "--doctest-modules",
        "-m",
        "not slow and not large",
        "-o",
        "addopts=",
        "--rootdir",
        str(root),
    ]


def _run(place: Path, tests: list[list[str]], *, write: bool, options: tuple[str, ...]) -> int:
    """Run the tests of each stage until one fails; in the fork."""
    alone(place / OUTPUT)
    os.chdir(place)
    for name in [name for name in sys.modules if name.split(".")[0] in ("tests", "pdeval")]:
        del sys.modules[name]
    sys.path[:] = [str(place), *(one for one in sys.path if one not in ("", str(ROOT)))]
    os.environ.update(PYTHONPATH=str(place), MPLBACKEND="Agg", CI="1")
    os.environ["PYTHONDONTWRITEBYTECODE"] = "" if write else "1"
    sys.dont_write_bytecode = not write  # or a mutant might be taken from the last one's bytecode
    import pytest

    for stage in tests:
        files = dict.fromkeys(test.partition("::")[0] for test in stage)
        code = int(pytest.main([*arguments(place), *options, *files], plugins=[_Watched(stage)]))
        if code not in (0, 5):
            return code
    return 0
