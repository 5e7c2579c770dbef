"""What static tools see of the accessors is what the accessors have."""

import ast
import inspect
import subprocess
import sys

import pytest

from pdeval.accessor import Joined
from pdeval.verbs import of_kind
from tests import stubs

TREE = ast.parse(stubs.FILE.read_text(encoding="utf-8"))
CLASSES = {node.name: node for node in TREE.body if isinstance(node, ast.ClassDef)}


def fresh(code):
    """Return what a new process prints: other tests declare verbs in this one."""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, encoding="utf-8", check=True
    )
    return done.stdout


@pytest.mark.broad
def test_the_stub_is_that_of_the_declared_verbs():
    written = fresh("from tests import stubs; print(stubs.text(), end='')")
    assert stubs.FILE.read_text(encoding="utf-8") == written, "run python -m tests.stubs"


def test_the_join_has_its_verbs_for_static_tools_too():
    assert CLASSES["JudgedVerbs"].bases[0].id == "Judged"
    named = {node.name for node in CLASSES["JudgedVerbs"].body if isinstance(node, ast.FunctionDef)}
    assert named == {made.family for made in of_kind("judged").values()}


def test_the_parameters_are_those_of_the_methods():
    methods = {
        node.name: node for node in CLASSES["JudgedVerbs"].body if isinstance(node, ast.FunctionDef)
    }
    for name, made in of_kind("judged").items():
        if name == made.family and not any(
            isinstance(one, ast.Name) for one in methods[name].decorator_list
        ):
            given = methods[name].args
            stubbed = [one.arg for one in (*given.args, *given.kwonlyargs)]
            method = getattr(Joined, name)
            method = method.__call__ if inspect.isclass(method) else method
            assert stubbed == list(inspect.signature(method).parameters), name


def test_runs_can_be_joined_for_static_tools_too():
    join = next(node for node in CLASSES["RunsIreval"].body if getattr(node, "name", "") == "join")
    assert ast.unparse(join.returns) == "Joined"


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (int | None, "int | None"),
        (dict[str, float], "dict[str, float]"),
        (tuple[str, ...], "tuple[str, ...]"),
    ],
)
def test_types_are_written_as_people_write_them(kind, text):
    assert stubs.Names().text_of(kind) == text


def test_two_types_of_one_name_are_refused():
    class Signature:
        """Another."""

    names = stubs.Names()
    names.text_of(inspect.Signature)
    Signature.__qualname__ = "Signature"
    with pytest.raises(TypeError, match="two types are called Signature: of inspect and of tests"):
        names.text_of(Signature)


USE = """
from pdeval.accessor import Joined

def ask(judged: Joined) -> None:
    judged.measure(["AP"]).head()
    judged.measure(measure="AP")
    judged.nothing()
"""


@pytest.mark.slow
def test_a_type_checker_knows_verbs_and_options(tmp_path):
    pytest.importorskip("mypy")
    (tmp_path / "use.py").write_text(USE)
    words = [
        sys.executable,
        "-m",
        "mypy",
        "--follow-imports=silent",
        "--ignore-missing-imports",
        tmp_path / "use.py",
    ]
    done = subprocess.run(words, capture_output=True, text=True)
    faults = [
        line.partition("error: ")[2] for line in done.stdout.splitlines() if " error: " in line
    ]
    assert len(faults) == 2, done.stdout
    assert faults[0].startswith('Unexpected keyword argument "measure" for "measure"')
    assert '"Joined" has no attribute "nothing"' in faults[1]
