import io
import sys
import time
from functools import partial

import pytest

from pdeval.verbs import progress
from pdeval.verbs.progress import elapsed_time, is_interactive, track


class Terminal(io.StringIO):
    """A screen that a person looks at."""

    def isatty(self):
        return True


def test_all_steps_come_through_in_order(capsys):
    assert list(track(iter(range(5)), total=5, progress=False)) == [0, 1, 2, 3, 4]
    assert list(track(range(5), progress=True)) == [0, 1, 2, 3, 4]


def test_a_bar_that_is_asked_for_names_the_work(capsys):
    list(track(range(3), total=3, desc="preferences", progress=True))
    assert "preferences" in capsys.readouterr().err


def test_nobody_watching_means_no_bar(capsys, monkeypatch):
    monkeypatch.delitem(sys.modules, "ipykernel", raising=False)
    list(track(range(3), desc="preferences"))
    assert capsys.readouterr().err == ""


def test_short_work_shows_no_bar_even_to_a_person(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    assert is_interactive()
    list(track(range(3), desc="preferences"))
    assert "preferences" not in sys.stderr.getvalue()


def test_a_bar_is_never_shown_when_it_is_not_wanted(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    list(track(range(3), desc="preferences", progress=False))
    assert sys.stderr.getvalue() == ""


def test_a_notebook_is_watched(monkeypatch):
    monkeypatch.setitem(sys.modules, "ipykernel", sys)
    assert is_interactive()


def test_a_process_without_standard_error_is_not_watched(monkeypatch):
    monkeypatch.delitem(sys.modules, "ipykernel", raising=False)
    monkeypatch.setattr(sys, "stderr", None)
    assert not is_interactive()


def test_a_bar_is_shown_before_a_long_first_step_ends(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setattr(progress, "DELAY", 0.05)
    for _ in track(range(1), desc="bootstrap test"):
        time.sleep(0.3)
        assert "bootstrap test" in sys.stderr.getvalue()


def test_a_call_without_a_bar_shows_its_elapsed_time(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setattr(progress, "DELAY", 0.05)
    monkeypatch.setattr(progress, "INTERVAL", 0.05)
    with elapsed_time("anova"), elapsed_time("inner"):
        time.sleep(0.3)
    assert "anova: 00:00" in sys.stderr.getvalue()
    assert "inner" not in sys.stderr.getvalue()


def test_a_call_that_shows_a_bar_shows_no_time_beside_it(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setattr(progress, "DELAY", 0.1)
    with elapsed_time("compare"):
        for _ in track(range(2), desc="bootstrap test", progress=True):
            time.sleep(0.2)
    assert "compare" not in sys.stderr.getvalue()
    assert not progress._BARS


@pytest.mark.filterwarnings("error::pytest.PytestUnhandledThreadExceptionWarning")
def test_no_time_is_shown_if_bars_are_disabled(monkeypatch):
    disabled = partial(progress._tqdm(), disable=True)  # as TQDM_DISABLE=1 does
    monkeypatch.setattr(progress, "_tqdm", lambda: disabled)
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setattr(progress, "DELAY", 0.02)
    with elapsed_time("anova"):
        time.sleep(0.2)
    assert sys.stderr.getvalue() == ""
