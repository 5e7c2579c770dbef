"""The guide for contributors: every example in it runs, and everything that it names is there."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import pdeval

ROOT = Path(__file__).resolve().parents[1]
GUIDE = (ROOT / ".github" / "CONTRIBUTING.md").read_text(encoding="utf-8")

SECTIONS = {
    title: body
    for title, body in re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", GUIDE, re.MULTILINE | re.DOTALL)
    if title.startswith("Add ")
}
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
THINGS = (
    "a measure",
    "a preference",
    "an ordering",
    "a test",
    "a verb",
    "a kind of table",
    "a report format",
    "a vocabulary",
)


def blocks(section, language="python"):
    return [text for kind, text in BLOCK.findall(section) if kind == language]


def test_the_guide_shows_how_to_add_each_thing_that_is_declared():
    assert list(SECTIONS) == [f"Add {thing}" for thing in THINGS]


@pytest.mark.parametrize("title", SECTIONS)
def test_a_thing_is_added_in_one_file_and_its_test(title):
    code, test = blocks(SECTIONS[title])
    assert re.match(r"# pdeval/[\w/]+\.py\n", code)
    assert re.match(r"# tests/[\w/]+\.py\n", test)


@pytest.mark.broad
@pytest.mark.parametrize("title", SECTIONS)
def test_what_the_guide_adds_works_and_passes_its_own_test(title):
    code, test = blocks(SECTIONS[title])
    names = [node.name for node in ast.parse(test).body if isinstance(node, ast.FunctionDef)]
    assert names
    assert all(name.startswith("test_") for name in names)
    # in a process of its own: what is declared stays declared
    shown = "import doctest\ndoctest.testmod(optionflags=doctest.NORMALIZE_WHITESPACE, raise_on_error=True)"
    script = "\n".join([code, test, *(f"{name}()" for name in names), shown])
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_the_tests_that_the_guide_names_are_there():
    named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", GUIDE)
    assert named
    for path, name in named:
        assert f"\ndef {name}(" in (ROOT / path).read_text(encoding="utf-8"), f"{path}::{name}"


def test_the_two_commands_are_those_of_the_readme():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    commands = blocks(GUIDE, "bash")
    assert len(commands) == 2
    assert all(command in readme for command in commands)


def test_the_guide_draws_the_rooms_that_there_are():
    drawn = set(re.findall(r"(\w+)/", blocks(GUIDE, "text")[0]))
    rooms = {path.parent.name for path in Path(pdeval.__file__).parent.glob("*/__init__.py")}
    assert drawn == rooms
