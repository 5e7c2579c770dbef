"""The program as a shell sees it: its own process, its streams and its exit status."""

import subprocess
import sys

import pytest

import pdeval
from pdeval import __main__ as program


def shell(*words: str, **options) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-m", "pdeval", *words], capture_output=True, text=True, encoding="utf-8", **options
    )


def test_without_arguments_help_is_printed():
    done = shell()
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("usage: pdeval ")


def test_the_version_is_that_of_the_package():
    assert shell("--version").stdout == f"pdeval {pdeval.__version__}\n"


def test_the_demo_prints_a_table_and_one_warning():
    done = shell("demo")
    assert done.returncode == 0
    assert len(done.stdout.splitlines()) == 2 + 1 + 12
    assert done.stderr.count("\n") == 1


def test_a_closed_pipe_is_no_error():
    command = f"{sys.executable} -m pdeval catalog --format csv | head -n 1; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert done.stdout.startswith("name,family,kind,")
    assert done.stdout.split()[-1] in ("0", "141")
    assert done.stderr == ""


def test_a_reader_that_left_ends_the_program_like_any_other_tool():
    command = f"{{ sleep 0.1; {sys.executable} -m pdeval catalog; echo $? >&2; }} | true"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert done.stderr == "141\n"


def test_a_fault_is_told_on_standard_error_without_a_traceback(tmp_path):
    done = shell("evaluate", "nothing.txt", "nothing.run", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "pdeval: error: no file 'nothing.txt'.\n"


@pytest.mark.parametrize(
    ("raised", "status", "told"),
    [
        (KeyError("no run 'x'"), 1, "pdeval: error: no run 'x'\n"),
        (ImportError("plots need matplotlib"), 1, "pdeval: error: plots need matplotlib\n"),
        (PermissionError(13, "Permission denied", "a.csv"), 1, "pdeval: error: Permission denied: 'a.csv'\n"),
        (KeyboardInterrupt(), 130, ""),
    ],
)
def test_every_kind_of_fault_has_its_status_and_its_words(raised, status, told, monkeypatch, capsys):
    def fail(options):
        raise raised

    monkeypatch.setattr(program.commands, "run", fail)
    assert program.main(["demo"]) == status
    assert capsys.readouterr().err == told


def test_a_defect_of_the_program_is_not_hidden(monkeypatch):
    def fail(options):
        raise ZeroDivisionError

    monkeypatch.setattr(program.commands, "run", fail)
    with pytest.raises(ZeroDivisionError):
        program.main(["demo"])
