"""The mutator: what it changes, and what it leaves alone."""

import json
from typing import Any

import pytest

from tests.mutations.__main__ import below, sample
from tests.mutations.covering import KEPT, covering
from tests.mutations.equivalent import EQUIVALENT
from tests.mutations.live import new_code
from tests.mutations.mutants import mutants_of, squeezed
from tests.mutations.trial import KILLED, ROOT, SURVIVED, TIMEOUT, stages

pytestmark = pytest.mark.skipif(
    not (ROOT / "pdeval").is_dir(), reason="mutants are made of a checkout's package"
)

SOURCE = b'''"""Text with 1 + 1."""


def share(part: int | None, whole: int = 2, *, least: float = 0.5) -> int | None:
    """Return 1 + 1."""
    if part < whole and whole:
        raise ValueError(f"{part} of {whole + 1}, e.g. {max(1, 2)}")
    part += 1
    found = divide(part, whole, rounded=True)
    return found - least
'''


def changes(source=SOURCE):
    return {(one.line, one.was, one.text) for one in mutants_of(source, "kernels/one.py")}


def test_every_kind_of_slip_is_made_and_nothing_that_people_read_is_changed():
    assert changes() == {
        (4, "2", "3"),
        (4, "0.5", "1.5"),
        (6, "part < whole", "(part <= whole)"),
        (6, "part < whole and whole", "(part < whole or whole)"),
        (6, "part < whole and whole", "(not (part < whole and whole))"),
        (7, 'raise ValueError(f"{part} of {whole + 1}, e.g. {max(1, 2)}")', "pass"),
        (8, "part += 1", "pass"),
        (8, "1", "2"),
        (9, "divide(part, whole, rounded=True)", "divide(whole, part, rounded=True)"),
        (9, "divide(part, whole, rounded=True)", "divide(part, whole)"),
        (9, "True", "False"),
        (10, "found - least", "(found + least)"),
        (10, "found - least", "(found)"),
    }


def test_opposites_are_exchanged():
    source = b"def f(x, y):\n    return min(x.max(), np.searchsorted(x, -y, side='left'))\n"
    texts = {text for _, _, text in changes(source)}
    assert {"max", "x.min", "'right'", "(y)", "(x.max())"} <= texts


def test_the_unknown_side_of_a_shape_is_left_alone():
    assert {text for _, _, text in changes(b"y = x.reshape(-1, runs)\n")} == {"x.reshape(runs, -1)"}
    assert "2" in {text for _, _, text in changes(b"y = x.reshape(1, 4)\n")}
    assert "2" in {text for _, _, text in changes(b"y = x.reshape(-1, *[1] * n)\n")}


def test_what_a_function_does_unasked_may_be_left_out():
    assert "np.stack(rows)" not in {text for _, _, text in changes(b"y = np.stack(rows, axis=0)\n")}
    assert "np.stack(rows)" in {text for _, _, text in changes(b"y = np.stack(rows, axis=1)\n")}
    assert "np.sum(rows)" in {text for _, _, text in changes(b"y = np.sum(rows, axis=0)\n")}


def test_to_multiply_by_one_is_to_divide_by_it():
    assert {text for _, _, text in changes(b"y = x * 1.0\n")} == {"2.0"}
    assert "(x / 2.0)" in {text for _, _, text in changes(b"y = x * 2.0\n")}


def test_a_mutant_is_the_file_with_one_change_whatever_letters_stand_before_it():
    source = "x = 'ä' if a == b else 1\n".encode()
    made = {one.applied(source).decode() for one in mutants_of(source, "kernels/one.py")}
    assert made == {"x = 'ä' if (a != b) else 1\n", "x = 'ä' if a == b else 2\n"}


@pytest.mark.broad
def test_a_sample_is_the_same_each_time_and_part_of_a_larger_one():
    small, large = (sample(["kernels"], [], size, 0) for size in (5, 9))
    assert small == large[:5] == sample(["kernels"], [], 5, 0)
    assert small != sample(["kernels"], [], 5, 1)


def test_equal_numbers_of_one_line_are_drawn_apart():
    made = [one for one in mutants_of(b"y = [1, 1, 1]\n", "kernels/one.py") if one.was == "1"]
    assert [one.column for one in made] == [5, 8, 11]
    assert len({one.draw(0) for one in made}) == 3


@pytest.mark.broad
def test_the_tests_of_a_file_begin_with_its_mirror():
    found = stages("kernels/binary.py")
    assert found[0] == ["tests/kernels/test_binary.py", "pdeval/kernels/binary.py"]
    assert all((ROOT / one).exists() for stage in found for one in stage)


@pytest.mark.broad
def test_every_mutant_that_is_called_equivalent_is_there_and_has_a_reason():
    for file, text, changes_, why in EQUIVALENT:
        source = (ROOT / "pdeval" / file).read_bytes()
        assert set(changes_) <= {
            one.change for one in mutants_of(source, file) if squeezed(text) in one.on
        }, text
        assert len(why) > 10


@pytest.mark.broad
def test_a_group_of_rooms_is_below_its_bar_by_what_survives():
    made = sample(["kernels"], [], 20, 0)
    assert not below(dict.fromkeys(made, KILLED))
    assert not below({**dict.fromkeys(made, KILLED), made[0]: SURVIVED, made[1]: TIMEOUT})
    assert below({**dict.fromkeys(made, KILLED), made[0]: SURVIVED, made[1]: SURVIVED})


def test_how_much_is_done_at_a_time_is_left_alone_and_what_is_done_is_not():
    source = (
        b"def f(n):\n    width = max(1, BLOCK // n)\n    return [n + 1 for _ in range(width)]\n"
    )
    assert {line for line, _, _ in changes(source)} == {3}


def test_functions_get_new_code_and_what_runs_at_import_does_not(tmp_path):
    source = (
        "X = 1\n"
        "def f(y=2):\n    return [y + one for one in (3,)] + [(lambda: 4)()]\n"
        "class C:\n    size = 5\n    def g(self):\n        return 6\n"
        "Y = [one for one in (7,)]\n"
        "Z = lambda: 8\n"
    )
    (tmp_path / "one.py").write_text(source)
    made = {one.text: one for one in mutants_of(source.encode(), "one.py")}
    held: dict[str, Any] = {}
    exec(compile(source, "one.py", "exec", dont_inherit=True), held)
    functions = {"f": held["f"], "g": held["C"].g, "Z": held["Z"]}
    changed = {text: new_code(tmp_path, made[text]) for text in "23456789"}
    assert {text for text in changed if not changed[text]} == {
        "2",
        "3",
        "6",
        "8",
    }  # X, a default, a field, Y

    def values():
        return functions["f"](), functions["g"](None), functions["Z"]()

    assert values() == ([5, 4], 6, 8)
    for text, expected in (
        ("4", ([6, 4], 6, 8)),
        ("5", ([5, 5], 6, 8)),
        ("7", ([5, 4], 7, 8)),
        ("9", ([5, 4], 6, 9)),
    ):
        was = {name: one.__code__ for name, one in functions.items()}
        for one in functions.values():
            one.__code__ = changed[text].get(one.__code__, one.__code__)
        assert values() == expected
        for name, one in functions.items():
            one.__code__ = was[name]


def test_the_tests_that_run_a_line_are_looked_up_also_where_lines_have_moved(tmp_path):
    before = (
        'def f(x, y=1):\n    """Text."""\n    z = g(\n        x,\n        2,\n    )\n    return z\n'
    )
    (tmp_path / "pdeval" / "kernels").mkdir(parents=True)
    (tmp_path / "pdeval" / "kernels" / "one.py").write_text(
        "\n\n" + before.replace("return z", "return z + 3")
    )
    tests = ["tests/a.py::slow", "tests/a.py::quick", "tests/kernels/test_one.py::own"]
    files = {"kernels/one.py": {"source": before, "lines": {"3": 0, "4": 1, "7": 0}}}
    kept = {"tests": tests, "seconds": [2.0, 1.0, 3.0], "groups": [[0], [1, 2]], "files": files}
    (tmp_path / KEPT).write_text(json.dumps(kept))
    made = mutants_of((tmp_path / "pdeval" / "kernels" / "one.py").read_bytes(), "kernels/one.py")
    found = {one.text: covering(tmp_path, one) for one in made}
    assert found["3"] == [
        ["tests/kernels/test_one.py::own", "tests/a.py::quick", "tests/a.py::slow"]
    ]  # of a statement
    assert found["2"] == []  # a default is there from the import on, whatever test came first
    assert found["4"] == []  # the line has changed since
