"""13.7: a file is whole or absent, whatever ends the program that writes it."""

import errno
import os
import signal
import stat
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import pdeval
from pdeval.files import atomic_write
from pdeval.files.atomic_write import check_places, is_stream, replacing, replacing_folder
from pdeval.report import Cell, Column, Report
from pdeval.report.latex import PAGE_ROWS

POSIX = pytest.mark.skipif(
    os.name != "posix", reason="signals, links and permissions as POSIX has them"
)
NOT_ROOT = pytest.mark.skipif(
    os.name == "posix" and os.geteuid() == 0, reason="root may write everywhere"
)
ROWS = 3000
RUNS = pd.DataFrame(
    {
        "run": "bm25",
        "query_id": "1",
        "doc_id": [f"d{i}" for i in range(ROWS)],
        "score": np.linspace(9, 1, ROWS),
    }
)
QRELS = pd.DataFrame({"query_id": "1", "doc_id": RUNS["doc_id"], "relevance": np.arange(ROWS) % 3})
TABLE = Report(
    (Column("run", "Run", numeric=False),), tuple((Cell(f"r{i}", f"r{i}"),) for i in range(ROWS))
)

# everything that writes one file, by the name of the file
WRITERS = {
    "a.run": lambda path: pdeval.write_run(RUNS, path),
    "a.run.gz": lambda path: pdeval.write_run(RUNS, path),
    "a.parquet": lambda path: pdeval.write_run(RUNS, path),
    "qrels.txt": lambda path: pdeval.write_qrels(QRELS, path),
    "qrels.parquet": lambda path: pdeval.write_qrels(QRELS, path),
    "table.tex": replace(TABLE, rows=TABLE.rows[:PAGE_ROWS]).save,  # more do not fit a page
    **{f"table.{kind}": TABLE.save for kind in ("md", "html", "csv", "json")},
    "report.parquet": TABLE.save,
    **{
        f"catalog.{kind}": lambda path: command("catalog", "-o", str(path))
        for kind in ("txt", "csv", "parquet")
    },
    "measures": lambda path: command(
        "evaluate", "--trec-eval", *collection(path.parent), "-o", str(path)
    ),
}


def command(*words: str) -> None:
    """Run the program in this process; what it tells goes to standard error."""
    from pdeval.__main__ import main

    if main(words) != 0:
        raise OSError("the command failed")


def collection(folder: Path) -> list[str]:
    inputs = folder.parent / f"{folder.name}-inputs"
    inputs.mkdir(exist_ok=True)
    (inputs / "qrels").write_text("1 0 a 1\n")
    (inputs / "x.run").write_text("1 Q0 a 1 2 x\n")
    return [str(inputs / "qrels"), str(inputs / "x.run")]


def names(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


@pytest.mark.parametrize("name", WRITERS)
def test_a_file_takes_the_place_of_the_old_one(name, tmp_path):
    WRITERS[name](tmp_path / name)
    expected = (tmp_path / name).read_bytes()
    assert len(expected) > 20
    (tmp_path / name).write_bytes(b"old")
    WRITERS[name](tmp_path / name)
    assert (tmp_path / name).read_bytes() == expected
    assert names(tmp_path) == [name]


@pytest.mark.parametrize("name", WRITERS)
def test_what_fails_at_the_last_byte_leaves_the_old_file_and_no_other(name, tmp_path, monkeypatch):
    def full(file, *flags):
        assert file.stat().st_size > 20  # all of it was written, under another name
        assert (tmp_path / name).read_bytes() == b"old"
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    (tmp_path / name).write_bytes(b"old")
    monkeypatch.setattr(atomic_write, "_flush", full)
    with pytest.raises(OSError):
        WRITERS[name](tmp_path / name)
    assert (tmp_path / name).read_bytes() == b"old"
    assert names(tmp_path) == [name]


LIMITED = """
import resource, signal, sys
from pathlib import Path
from tests.files.test_atomic_write import WRITERS, command
path = Path(sys.argv[1])
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (16, 16))
try:
    WRITERS[path.name](path)
except OSError as error:
    print(error)
"""


@POSIX
@pytest.mark.slow
@pytest.mark.parametrize("name", WRITERS)
def test_a_system_that_takes_no_more_bytes_is_told_with_the_name_of_the_file(name, tmp_path):
    (tmp_path / name).write_bytes(b"old")
    collection(tmp_path)
    if name == "measures":
        pytest.skip("its inputs are written too")
    done = shell(LIMITED, tmp_path / name)
    told = done.stdout if "the command failed" not in done.stdout else done.stderr
    assert "File too large" in told
    assert name in told
    assert ".pdeval-" not in told
    assert (tmp_path / name).read_bytes() == b"old"
    assert names(tmp_path) == [name]


KILLED = """
import os, signal, sys
from pathlib import Path
from pdeval.files import atomic_write
from tests.files.test_atomic_write import WRITERS
atomic_write._flush = lambda file, *flags: os.kill(os.getpid(), signal.SIGKILL)
path = Path(sys.argv[1])
WRITERS[path.name](path)
"""


@POSIX
@pytest.mark.slow
@pytest.mark.parametrize("name", WRITERS)
def test_a_program_that_is_killed_leaves_the_old_file(name, tmp_path):
    (tmp_path / name).write_bytes(b"old")
    assert shell(KILLED, tmp_path / name).returncode == -signal.SIGKILL
    assert (tmp_path / name).read_bytes() == b"old"
    left = [one for one in names(tmp_path) if one != name]
    assert len(left) == 1
    assert left[0].startswith(".pdeval-")


HALF_WAY = """
import os, signal, sys
import pandas as pd, pyarrow as pa, pdeval
from pdeval.files import writing
writing.ROWS = 100
before = writing.ids.buffers
def stopped(lines, calls=[]):
    calls.append(1)
    if len(calls) == 20:
        os.kill(os.getpid(), signal.SIGKILL)
    return before(lines)
writing.ids.buffers = stopped
from tests.files.test_atomic_write import RUNS
pdeval.write_runs(RUNS, sys.argv[1])
"""


@pytest.mark.broad
@POSIX
def test_a_program_that_is_killed_between_two_lines_leaves_nothing_that_is_read(tmp_path):
    pdeval.write_runs(RUNS.assign(run="ql").iloc[:5], tmp_path)
    assert shell(HALF_WAY, tmp_path).returncode == -signal.SIGKILL
    assert [name for name in names(tmp_path) if not name.startswith(".")] == ["ql.run"]
    assert len(pdeval.read_runs(tmp_path)) == 5


def shell(program: str, *words: object) -> subprocess.CompletedProcess:
    here = str(Path(pdeval.__file__).parent.parent)
    return subprocess.run(
        [sys.executable, "-c", program, *map(str, words)],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "PYTHONPATH": here},
    )


@pytest.mark.parametrize("fault", [ValueError("x"), KeyboardInterrupt(), SystemExit(1)])
def test_after_any_error_no_temporary_file_is_left(fault, tmp_path):
    def write():
        with replacing(tmp_path / "a.csv") as beside:
            beside.write_text("half")
            raise fault

    with pytest.raises(type(fault)):
        write()
    assert names(tmp_path) == []


@POSIX
@pytest.mark.parametrize("umask", [0o022, 0o077, 0o002])
def test_permissions_are_those_of_any_new_file_or_of_the_one_that_is_there(umask, tmp_path):
    before = os.umask(umask)
    try:
        (tmp_path / "plain").write_text("")
        pdeval.write_qrels(QRELS, tmp_path / "new")
        (tmp_path / "old").write_text("")
        (tmp_path / "old").chmod(0o640)
        pdeval.write_qrels(QRELS, tmp_path / "old")
    finally:
        os.umask(before)
    assert (tmp_path / "new").stat().st_mode == (tmp_path / "plain").stat().st_mode
    assert stat.S_IMODE((tmp_path / "old").stat().st_mode) == 0o640


@POSIX
def test_what_is_to_replace_a_private_file_is_private_while_it_is_written(tmp_path):
    (tmp_path / "a").write_text("")
    (tmp_path / "a").chmod(0o600)
    with replacing(tmp_path / "a") as beside:
        assert stat.S_IMODE(beside.stat().st_mode) == 0o600


@POSIX
@pytest.mark.parametrize("there", [True, False])
def test_of_a_link_the_file_it_leads_to_is_replaced(there, tmp_path):
    (tmp_path / "data").mkdir()
    if there:
        (tmp_path / "data" / "qrels").write_text("old")
    (tmp_path / "link").symlink_to(Path("data") / "qrels")
    pdeval.write_qrels(QRELS, tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "data" / "qrels").read_text().startswith("1 0 d0 0\n")
    assert names(tmp_path / "data") == ["qrels"]


@POSIX
def test_a_pipe_is_written_directly(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with subprocess.Popen(
        ["cat", str(tmp_path / "pipe")], stdout=subprocess.PIPE, text=True
    ) as reader:
        pdeval.write_qrels(QRELS, tmp_path / "pipe")
        assert reader.communicate(timeout=60)[0].startswith("1 0 d0 0\n")
    assert names(tmp_path) == ["pipe"]


@pytest.mark.broad
@POSIX
@pytest.mark.parametrize("place", ["/dev/stdout", "/dev/fd/1", "link"])
def test_standard_output_is_written_directly_also_where_it_is_a_file(place, tmp_path):
    (tmp_path / "link").symlink_to("/dev/stdout")
    (tmp_path / "out").write_text("")
    before = (tmp_path / "out").stat().st_ino
    command = f"{sys.executable} -m pdeval catalog uniform --format csv -o {place} > out"
    done = subprocess.run(
        ["bash", "-c", command], capture_output=True, text=True, cwd=tmp_path, timeout=60
    )
    assert done.stderr == ""
    assert (tmp_path / "out").read_text().startswith("name,family")
    assert (tmp_path / "out").stat().st_ino == before
    assert names(tmp_path) == ["link", "out"]


@POSIX
def test_what_is_a_stream_and_what_is_a_file(tmp_path):
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    streams = ["/dev/null", "/dev/stderr", "/proc/self/fd/1"]
    files = ["/dev/shm/a.run", tmp_path / "loop", tmp_path]

    assert [is_stream(path) for path in (*streams, *files)] == [True] * 3 + [False] * 3


class TestPlaces:
    def test_a_folder_that_is_not_there_is_named(self, tmp_path):
        with pytest.raises(
            FileNotFoundError, match=r"the folder '.*none' does not exist: '.*a.csv'"
        ):
            TABLE.save(tmp_path / "none" / "a.csv")

    def test_a_file_is_no_folder(self, tmp_path):
        (tmp_path / "file").write_text("")
        with pytest.raises(NotADirectoryError, match="is a file, not a folder: "):
            TABLE.save(tmp_path / "file" / "a.csv")

    def test_a_folder_in_the_way_is_told_before_the_first_byte(self, tmp_path):
        (tmp_path / "b.run").mkdir()
        two = pd.concat([RUNS.assign(run="a"), RUNS.assign(run="b")])
        with pytest.raises(IsADirectoryError, match="the path is a folder, not a file"):
            pdeval.write_runs(two, tmp_path)
        assert names(tmp_path) == ["b.run"]

    def test_a_name_that_is_too_long_is_told_before_the_first_byte(self, tmp_path):
        two = pd.concat([RUNS.assign(run="a"), RUNS.assign(run="b" * 300)])
        with pytest.raises(
            ValueError,
            match=r"the file name of run 'bbb.*' would have 304 bytes, but at most 255 are",
        ):
            pdeval.write_runs(two, tmp_path)
        assert names(tmp_path) == []

    def test_a_name_of_the_greatest_length_can_be_written(self, tmp_path):
        pdeval.write_runs(RUNS.assign(run="b" * 251), tmp_path)
        assert names(tmp_path) == ["b" * 251 + ".run"]

    def test_a_run_name_that_no_line_can_hold_is_told_before_the_first_byte(self, tmp_path):
        two = pd.concat([RUNS.assign(run="a"), RUNS.assign(run="b c")])
        with pytest.raises(ValueError, match="'b c' contains white space"):
            pdeval.write_runs(two, tmp_path)
        assert names(tmp_path) == []

    @NOT_ROOT
    def test_what_may_not_be_written_is_not_replaced(self, tmp_path):
        (tmp_path / "a.csv").write_text("old")
        (tmp_path / "a.csv").chmod(0o444)
        with pytest.raises(PermissionError, match="the file that is there may not be written"):
            TABLE.save(tmp_path / "a.csv")
        tmp_path.chmod(0o555)
        try:
            with pytest.raises(
                PermissionError, match="may not be written to: a file is first written beside"
            ):
                TABLE.save(tmp_path / "b.csv")
        finally:
            tmp_path.chmod(0o755)

    def test_the_command_line_looks_before_it_works(self, tmp_path, capsys):
        from pdeval.__main__ import main

        assert main(["evaluate", "no qrels", "no run", "-o", str(tmp_path / "none" / "a.csv")]) == 1
        assert "does not exist" in capsys.readouterr().err

    def test_every_one_of_several_is_looked_at(self, tmp_path):
        with pytest.raises(FileNotFoundError):
            check_places([tmp_path / "a", tmp_path / "none" / "b"])


def test_of_several_runs_the_error_says_which_are_written(tmp_path, monkeypatch):
    flush = atomic_write._flush

    def full(file, *flags):
        if len(names(tmp_path)) == 3:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        flush(file, *flags)

    monkeypatch.setattr(atomic_write, "_flush", full)
    three = pd.concat([RUNS.iloc[:9].assign(run=name) for name in "abc"])
    message = (
        r"No space left on device; 2 of 3 files are complete \('.*a.run', '.*b.run'\): '.*c.run'"
    )
    with pytest.raises(OSError, match=message) as told:
        pdeval.write_runs(three, tmp_path)
    assert told.value.errno == errno.ENOSPC
    assert names(tmp_path) == ["a.run", "b.run"]
    assert [len(pdeval.read_run(tmp_path / f"{name}.run")) for name in "ab"] == [9, 9]


class TestFolders:
    @pytest.mark.parametrize("one_step", [True, False])
    def test_a_folder_takes_the_place_of_the_old_one(self, one_step, tmp_path, monkeypatch):
        if not one_step:
            monkeypatch.setattr(atomic_write, "_exchanged", lambda beside, target: False)
        old = tmp_path / "table"
        old.mkdir(mode=0o700)
        (old / "old").write_text("old")
        with replacing_folder(old) as beside:
            (beside / "new").write_text("new")
            assert names(old) == ["old"]
        assert names(tmp_path) == ["table"]
        assert names(old) == ["new"]
        assert stat.S_IMODE(old.stat().st_mode) == 0o700 or os.name != "posix"

    @pytest.mark.parametrize("one_step", [True, False])
    def test_a_folder_that_was_not_finished_is_not_there(self, one_step, tmp_path, monkeypatch):
        def refuse(beside, target):
            raise OSError(errno.EBUSY, os.strerror(errno.EBUSY), str(target))

        monkeypatch.setattr(
            atomic_write, "_exchanged", refuse if one_step else lambda beside, target: False
        )
        if not one_step:
            rename, calls = Path.rename, []

            def at_the_second_refuse(path, target):
                calls.append(path)
                return refuse(path, target) if len(calls) == 2 else rename(path, target)

            monkeypatch.setattr(Path, "rename", at_the_second_refuse)
        (tmp_path / "table").mkdir()
        (tmp_path / "table" / "old").write_text("old")
        with pytest.raises(OSError), replacing_folder(tmp_path / "table") as beside:
            (beside / "new").write_text("new")
        assert names(tmp_path) == ["table"]
        assert names(tmp_path / "table") == ["old"]

    def test_the_folder_in_which_the_program_runs_stays(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        with (
            pytest.raises(ValueError, match="is the current working directory or contains it"),
            replacing_folder("."),
        ):
            pass
