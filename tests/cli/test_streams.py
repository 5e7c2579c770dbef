"""13.9: a full disk, an output of few characters, enormous numbers and other encodings end in a sentence."""

import contextlib
import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from pdeval.cli.parser import verbs

HUGE = {
    "digits": "9" * 30,
    "too many digits": "9" * 5000,
    "exponent": "1e999",
    "negative": "-" + "9" * 30,
}
FULL = Path("/dev/full")
OWN = {
    "query": "101",
    "run_a": "bm25",
    "run_b": "tfidf",
    "order": "bm25,tfidf",
    "new": "RR",
    "candidate": "dense-s1",
    "baseline": "bm25",
}
needs_full = pytest.mark.skipif(not FULL.exists(), reason="there is no full device")


def words_of(name, sample):
    """What a command is asked in these tests."""
    runs = [sample / "runs" / f"{run}.run" for run in ("bm25", "tfidf", "dense-s1")]
    needed = [
        f"--{parameter.name.replace('_', '-')}={OWN[parameter.name]}"
        for parameter in verbs()[name].parameters
        if parameter.default is parameter.empty and parameter.name in OWN
    ]
    return [name, sample / "qrels.txt", *runs, "--quiet", *needed]


def told(done):
    """Whether a command ended well, or in one sentence."""
    if done.status == 0:
        return True
    last = [
        line for line in done.err.splitlines() if line.startswith("pdeval") and "error: " in line
    ]
    return (
        done.status in (1, 2)
        and bool(last)
        and "Traceback" not in done.err
        and len(last[-1].split()) > 4
    )


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
@pytest.mark.parametrize("name", [*verbs(), "demo", "catalog"])
def test_an_output_of_few_characters_is_enough_or_said_so(
    name, encoding, sample, pdeval_command, monkeypatch
):
    words = words_of(name, sample) if name in verbs() else [name, "--quiet"]
    held = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(held, encoding=encoding))
    done = pdeval_command(*words)
    assert told(done)
    assert done.status == 0 or f"the output encoding {encoding}" in done.err


@needs_full
@pytest.mark.parametrize(
    "words", [["catalog"], ["demo", "--quiet"], ["catalog", "--format", "json"]]
)
def test_a_full_disk_behind_standard_output_is_said(words, pdeval_command, monkeypatch):
    full = FULL.open("w")
    monkeypatch.setattr(sys, "stdout", full)
    done = pdeval_command(*words)
    with contextlib.suppress(OSError):  # what it holds has no place
        full.close()
    assert done.status == 1
    assert done.err == "pdeval: error: No space left on device: 'standard output'\n"


@pytest.mark.broad
@needs_full
@pytest.mark.parametrize(
    "words", [[], ["--help"], ["--version"], ["evaluate", "--help"], ["evaluate", "-v"]]
)
def test_help_and_version_that_cannot_be_written_are_an_error(words):
    with FULL.open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "pdeval", *words],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 1
    assert done.stderr == "pdeval: error: No space left on device: 'standard output'\n"


def on_terminal(words, lines):
    """What a command displays on a terminal of so many lines, whose pager marks each line."""
    pty = pytest.importorskip("pty")
    keyboard, terminal = pty.openpty()
    environment = {
        "LINES": str(lines),
        "COLUMNS": "80",
        "TERM": "xterm",
        "PAGER": "sed s/^/paged:/",
    }
    process = subprocess.Popen(
        [sys.executable, "-m", "pdeval", *words],
        stdin=terminal,
        stdout=terminal,
        env={**os.environ, **environment},
    )
    os.close(terminal)
    parts = []
    with contextlib.suppress(OSError):  # how Linux says that the other end is closed
        while part := os.read(keyboard, 65536):
            parts.append(part)
    os.close(keyboard)
    assert process.wait() == 0
    return b"".join(parts).decode().splitlines()


@pytest.mark.broad
def test_a_table_longer_than_the_terminal_goes_to_the_pager():
    words = ["catalog", "rank", "biased"]
    table = on_terminal(words, 100)
    assert len(table) > 5
    assert max(map(len, table)) <= 80
    assert not any(line.startswith("paged:") for line in table)
    assert on_terminal(words, len(table) + 1) == table
    assert on_terminal(words, len(table)) == [f"paged:{line}" for line in table]


@needs_full
def test_a_full_disk_behind_a_file_is_said_with_its_name(pdeval_command):
    done = pdeval_command("catalog", "-o", "/dev/full", "--format", "csv")
    assert (done.status, done.err) == (1, "pdeval: error: No space left on device: '/dev/full'\n")


@pytest.mark.broad
@pytest.mark.extras
@pytest.mark.parametrize("ending", [".xlsx", ".parquet", ".csv", ".html"])
def test_a_disk_that_takes_no_more_leaves_no_file_and_one_sentence(ending, tmp_path):
    pytest.importorskip("resource")
    pytest.importorskip("openpyxl")
    code = (
        "import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "from pdeval.__main__ import main\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
        f"sys.exit(main(['catalog', '-o', 'table{ending}']))"
    )
    done = subprocess.run(
        [sys.executable, "-B", "-c", code],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )
    assert done.returncode == 1
    assert done.stderr == f"pdeval: error: File too large: 'table{ending}'\n"
    assert not (tmp_path / f"table{ending}").exists()


@pytest.mark.parametrize("value", list(HUGE))
@pytest.mark.parametrize(
    ("name", "option"),
    [
        *(("evaluate", option) for option in ("--digits", "--depth", "--level", "-M", "-l")),
        *(("compare", option) for option in ("--alpha", "--draws", "--seed")),
    ],
)
def test_enormous_numbers_as_options_are_refused_or_mean_something(
    name, option, value, sample, pdeval_command
):
    done = pdeval_command(
        *words_of(name, sample),
        f"{option}={HUGE[value]}" if "--" in option else option + HUGE[value],
    )
    assert told(done)
    assert len(done.err) < 2_000


@pytest.mark.parametrize("value", [*HUGE, "infinity", "nothing"])
@pytest.mark.parametrize("place", ["rank", "score", "grade"])
def test_enormous_numbers_in_files_are_refused_or_mean_something(
    place, value, tmp_path, pdeval_command
):
    text = {**HUGE, "infinity": "inf", "nothing": "nan"}[value]
    rank, score, grade = (text if place == one else "1" for one in ("rank", "score", "grade"))
    (tmp_path / "a.run").write_text(f"1 Q0 d {rank} {score} a\n1 Q0 e 2 0.5 a\n")
    (tmp_path / "qrels.txt").write_text(f"1 0 d {grade}\n1 0 e 1\n")
    done = pdeval_command("evaluate", tmp_path / "qrels.txt", tmp_path / "a.run", "-m", "AP,nDCG")
    assert told(done)
    assert len(done.err) < 6_000


class TestEncoding:
    @pytest.fixture
    def folder(self, tmp_path):
        (tmp_path / "a.run").write_bytes("1 Q0 café 1 1.0 a\n".encode("latin-1"))
        (tmp_path / "qrels.txt").write_bytes("1 0 café 1\n".encode())
        return tmp_path

    def test_the_encoding_of_files_can_be_said(self, folder, pdeval_command):
        words = ["evaluate", folder / "qrels.txt", folder / "a.run", "-m", "AP", "--format", "csv"]
        assert pdeval_command(*words, "--encoding", "latin-1").out.splitlines()[-1] == "a,1.0"

    def test_where_it_is_not_said_the_error_tells_the_option(self, folder, pdeval_command):
        done = pdeval_command("evaluate", folder / "qrels.txt", folder / "a.run", "-m", "AP")
        assert done.status == 1
        assert "--encoding latin-1" in done.err
        assert "encoding='" not in done.err

    def test_an_encoding_that_is_none_is_a_fault_of_the_command(self, folder, pdeval_command):
        done = pdeval_command(
            "compare", folder / "qrels.txt", folder / "a.run", "--encoding", "latin-99"
        )
        assert done.status == 2
        assert "unknown encoding 'latin-99'" in done.err

    @pytest.mark.broad
    def test_metadata_are_read_in_it_too(self, sample, tmp_path, pdeval_command):
        text = (sample / "metadata.csv").read_text().replace("lexical", "léxical")
        (tmp_path / "metadata.csv").write_bytes(text.encode("latin-1"))
        words = [
            "report",
            sample / "qrels.txt",
            sample / "runs",
            "-m",
            "AP",
            "--quiet",
            "--group",
            "family",
        ]
        words += ["--metadata", tmp_path / "metadata.csv", "--format", "csv"]
        refused = pdeval_command(*words)
        assert (refused.status, refused.out) == (1, "")
        assert "is not UTF-8. Specify its encoding, e.g. --encoding latin-1." in refused.err
        assert "léxical" in pdeval_command(*words, "--encoding", "latin-1").out
        assert "neither UTF-8 nor ascii" in pdeval_command(*words, "--encoding", "ascii").err

    @pytest.mark.parametrize("name", list(verbs()))
    def test_every_command_that_reads_files_has_it(self, name, pdeval_command):
        assert "--encoding NAME" in pdeval_command(name, "--help").out
