"""What the tests of the command line share: files of the sample collection, and a way to run a command."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

import pdeval
from pdeval.__main__ import main


class Done(NamedTuple):
    """What a command left behind."""

    status: int
    out: str
    err: str


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sample collection: runs/, qrels.txt, metadata.csv."""
    folder = tmp_path_factory.mktemp("sample")
    runs, qrels, metadata = pdeval.datasets.load_sample()
    pdeval.write_runs(runs, folder / "runs")
    pdeval.write_qrels(qrels, folder / "qrels.txt")
    metadata.to_csv(folder / "metadata.csv", index=False)
    return folder


@pytest.fixture
def pdeval_command(capsys: pytest.CaptureFixture[str]) -> Callable[..., Done]:
    """Run a command in this process, e.g. pdeval_command("evaluate", qrels, runs)."""

    def run(*words: object) -> Done:
        capsys.readouterr()
        try:
            status = main([str(word) for word in words])
        except SystemExit as stop:  # how argparse ends
            status = int(stop.code or 0)
        return Done(status, *capsys.readouterr())

    return run
