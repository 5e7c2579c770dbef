"""The program as a shell sees it: its own process, its streams and its exit status."""

import gc
import os
import subprocess
import sys

import pytest

import pdeval
from pdeval import __main__ as program


def shell(*words: str, **options) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-m", "pdeval", *words],
        capture_output=True,
        text=True,
        encoding="utf-8",
        **options,
    )


@pytest.mark.broad
def test_without_arguments_help_is_printed():
    done = shell()
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("usage: pdeval ")


@pytest.mark.broad
@pytest.mark.parametrize("words", [["--version"], ["catalog", "uniform"], ["nothing"]])
def test_the_program_ends_without_looking_for_cycles(words):
    code = (
        "import atexit, gc, sys; from pdeval import __main__ as program;"
        "atexit.register(lambda: print('frozen', gc.get_freeze_count() > 10_000)); sys.exit(program.program())"
    )
    done = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True)
    assert done.stdout.endswith("frozen True\n")
    assert done.returncode == shell(*words).returncode


def test_a_process_that_goes_on_still_looks_for_cycles(capsys):
    before = gc.get_freeze_count()
    program.main(["catalog", "uniform"])
    assert gc.get_freeze_count() == before


@pytest.mark.broad
def test_the_version_is_that_of_the_package():
    assert shell("--version").stdout == f"pdeval {pdeval.__version__}\n"


@pytest.mark.broad
def test_the_demo_prints_a_table_and_three_commands_without_a_warning():
    done = shell("demo")
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert len(lines) == 3 + 1 + 12 + 6
    assert max(map(len, lines)) <= 80
    assert "ASL ↓" in lines[3]
    assert [line.split()[:2] for line in lines[-3:]] == [
        ["pdeval", "demo"],
        ["pdeval", "report"],
        ["pdeval", "report"],
    ]
    assert done.stderr == ""
    assert "The run ql did not answer two of them; they get the worst possible score" in done.stdout


@pytest.mark.broad
def test_a_closed_pipe_is_no_error():
    command = (
        f"{sys.executable} -m pdeval catalog --format csv | head -n 1; echo ${{PIPESTATUS[0]}}"
    )
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert done.stdout.startswith("name,family,kind,")
    assert done.stdout.split()[-1] in ("0", "141")
    assert done.stderr == ""


@pytest.mark.broad
def test_a_reader_that_left_ends_the_program_like_any_other_tool():
    command = f"{{ sleep 0.1; {sys.executable} -m pdeval catalog; echo $? >&2; }} | true"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert done.stderr == "141\n"


@pytest.mark.broad
def test_a_fault_is_told_on_standard_error_without_a_traceback(tmp_path):
    done = shell("evaluate", "nothing.txt", "nothing.run", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "pdeval: error: no file 'nothing.txt'.\n"


@pytest.mark.parametrize(
    ("raised", "status", "told"),
    [
        (KeyError("no run 'x'"), 1, "pdeval: error: no run 'x'\n"),
        (ImportError("plots need matplotlib"), 1, "pdeval: error: plots need matplotlib\n"),
        (
            PermissionError(13, "Permission denied", "a.csv"),
            1,
            "pdeval: error: Permission denied: 'a.csv'\n",
        ),
        (
            OSError(28, "No space left on device"),
            1,
            "pdeval: error: No space left on device.\n",
        ),  # 13.9
        (ValueError("no run '\x1b[2J'"), 1, "pdeval: error: no run '\\x1b[2J'\n"),  # 13.10
        (KeyboardInterrupt(), 130, ""),
    ],
)
def test_every_kind_of_fault_has_its_status_and_its_words(
    raised, status, told, monkeypatch, capsys
):
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


@pytest.fixture
def judged(tmp_path):
    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 b 1\n")
    (tmp_path / "x.run").write_text("1 Q0 a 1 2 first\n1 Q0 c 2 1 last\n")
    return tmp_path


@pytest.mark.broad
@pytest.mark.parametrize("reader", ["cat", "gzip -c"])
@pytest.mark.parametrize("words", ["qrels -", "qrels <({reader} x.run)", "<({reader} qrels) -"])
def test_a_run_may_come_from_a_pipe_or_the_standard_input(reader, words, judged):  # 12.22
    command = (
        f"{reader} x.run | {sys.executable} -m pdeval evaluate --trec-eval -m runid -m map {words}"
    )
    done = subprocess.run(
        ["bash", "-c", command.format(reader=reader)],
        capture_output=True,
        text=True,
        cwd=judged,
        timeout=60,
    )
    assert (done.stdout.split(), done.stderr) == (
        ["runid", "all", "last", "map", "all", "0.5000"],
        "",
    )


@pytest.mark.broad
def test_the_standard_input_is_read_once(judged):  # 12.22
    done = shell("evaluate", "-", "-", cwd=judged, input="")
    assert done.returncode == 2
    assert done.stderr.startswith(
        "pdeval: error: '-' is the standard input, which can be read only once"
    )


@pytest.mark.broad
@pytest.mark.parametrize("encoding", ["latin-1", "ascii", "cp1252"])
def test_a_character_that_the_output_lacks_is_named_with_the_way_out(encoding, tmp_path):  # 12.27
    (tmp_path / "qrels").write_text("1 0 a 1\n")
    (tmp_path / "\u7d50.run").write_text("1 Q0 a 1 1 t\n")
    words = [sys.executable, "-m", "pdeval", "evaluate", "-m", "AP", "qrels", "\u7d50.run"]
    environment = {**os.environ, "PYTHONIOENCODING": encoding, "PYTHONUTF8": "1"}
    done = subprocess.run(words, capture_output=True, cwd=tmp_path, env=environment)
    assert (done.returncode, done.stdout) == (1, b"")
    told = done.stderr.decode("ascii")
    assert told.startswith("pdeval: error: the output encoding ")
    assert (
        "has no character '\\u7d50'. Set PYTHONIOENCODING=utf-8, or write to a file with -o FILE."
        in told
    )
