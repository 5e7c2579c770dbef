"""Which tests run a line: a map made by one run of the tests under coverage, kept beside the checkout.

`python -m tests.mutations --map` makes it. Lines that have changed since are not looked up in it: their mutants are
tried with the tests of their folder and of the folders above.
"""

from __future__ import annotations

import ast
import difflib
import json
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from tests.mutations.mutants import Mutant

KEPT = ".coverage_tests.json"
# what is tried of a line that very many tests run, in the seconds that they took under coverage
BUDGET = 60.0
# the first of them are tried before the others are even collected
FIRST = 40


class _Times:
    """The plugin of pytest that notes how long each test took."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    def pytest_runtest_logreport(self, report: Any) -> None:
        self.seconds[report.nodeid] = self.seconds.get(report.nodeid, 0.0) + report.duration


def make(root: Path, folders: list[str]) -> None:
    """Run the tests once, each a context of coverage, and keep which of them ran which line."""
    import coverage
    import pytest

    times = _Times()
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder) / "coveragerc"
        measured = ",".join(f"pdeval/{folder}/*" for folder in folders)
        config.write_text(
            f"[run]\ninclude = {measured}\ndata_file = {folder}/found\n", encoding="utf-8"
        )
        pytest.main(
            ["-p", "no:cacheprovider", "-m", "not slow and not large", f"--cov-config={config}"]
            + ["--cov", "--cov-context=test", "--cov-report=", "--no-header", "--tb=no"],
            plugins=[times],
        )
        data = coverage.CoverageData(f"{folder}/found")
        data.read()
        tests = sorted(times.seconds)
        number = {
            f"{test}|{when}": [place]
            for place, test in enumerate(tests)
            for when in ("run", "teardown")
        }
        for place, test in enumerate(
            tests
        ):  # what one test sets up, others of its file may look at
            number.setdefault(f"{test.partition('::')[0]}|setup", []).append(place)
        groups: dict[tuple[int, ...], int] = {}
        files = {}
        for path in sorted(data.measured_files()):
            lines = {}
            for line, contexts in data.contexts_by_lineno(path).items():
                found = {place for one in contexts for place in number.get(_told(one), ())}
                lines[line] = groups.setdefault(tuple(sorted(found)), len(groups))
            name = Path(path).relative_to(root / "pdeval").as_posix()
            files[name] = {"source": Path(path).read_text(encoding="utf-8"), "lines": lines}
    kept = {
        "tests": tests,
        "seconds": [times.seconds[one] for one in tests],
        "groups": list(groups),
        "files": files,
    }
    (root / KEPT).write_text(json.dumps(kept), encoding="utf-8")


def _told(context: str) -> str:
    return f"{context.partition('::')[0]}|setup" if context.endswith("|setup") else context


def covering(root: Path, mutant: Mutant, budget: float = BUDGET) -> list[list[str]]:
    """Return the tests that run the line of a mutant in stages, the quickest first; none where that is not known."""
    kept = _kept(root)
    now = (root / "pdeval" / mutant.file).read_text(encoding="utf-8")
    known = kept["files"].get(mutant.file, {"source": "", "lines": {}})
    then = _same_lines(now, known["source"])
    groups = {known["lines"].get(str(then.get(line))) for line in _lines(now, mutant.line)} - {None}
    places = {place for group in groups for place in kept["groups"][group]}
    mirror = (
        f"pdeval/{mutant.file}::",
        f"tests/{mutant.folder}/test_{Path(mutant.file).stem}.py::",
    )
    ordered = sorted(
        (not kept["tests"][place].startswith(mirror), kept["seconds"][place], kept["tests"][place])
        for place in places
    )
    chosen, spent = [], 0.0
    for _, seconds, test in ordered:
        spent += seconds
        if spent > budget:
            break
        chosen.append(test)
    return [stage for stage in (chosen[:FIRST], chosen[FIRST:]) if stage]


@cache
def _kept(root: Path) -> dict[str, Any]:
    path = root / KEPT
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {"files": {}}


@cache
def _same_lines(now: str, before: str) -> dict[int, int]:
    """Return where lines stood before, of those that have not changed."""
    blocks = difflib.SequenceMatcher(
        None, now.splitlines(), before.splitlines(), autojunk=False
    ).get_matching_blocks()
    return {one.a + at + 1: one.b + at + 1 for one in blocks for at in range(one.size)}


def _lines(source: str, line: int) -> range:
    """Return the lines of the statement that a line is part of; none of what runs when the module is imported."""
    nodes = [
        node
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.stmt) and node.lineno <= line <= _end(node)
    ]
    functions = [
        node for node in nodes if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    ]
    if not any(node.body[0].lineno <= line for node in functions):
        return range(0)
    found = max(nodes, key=lambda node: node.lineno)
    body = getattr(found, "body", None)
    return range(found.lineno, max(body[0].lineno, found.lineno + 1) if body else _end(found) + 1)


def _end(node: ast.stmt) -> int:
    return node.end_lineno or node.lineno
