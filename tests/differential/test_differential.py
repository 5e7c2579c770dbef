"""Random collections against other tools and the definitions; the long runs are `python -m tests.differential`."""

import contextlib
import io
from dataclasses import replace

import pytest

import pdeval
from tests.differential import answers, damage, faults, loop, plain
from tests.differential.cases import Case, draw

pytestmark = [
    pytest.mark.filterwarnings(
        "ignore::UserWarning"
    ),  # what random collections lack is not the question here
]
SEED = 20_001  # odd: the oracles that take long are asked for even ones


def told(**options):
    """Return (tally, what was printed) of a run."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        tally = loop.run(**options)
    return tally, out.getvalue()


@pytest.mark.broad
def test_random_collections_differ_from_no_oracle():
    tally, text = told(seconds=3, seed=SEED)
    assert tally.found == [], text
    assert tally.cases > 0
    assert tally.values["plain Python"] > 0


@pytest.mark.broad
def test_damaged_files_and_frames_are_told_or_make_no_difference():
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        status = faults.report(seconds=1.5, seed=SEED)
    assert status == 0, out.getvalue()


@pytest.mark.large
@pytest.mark.slow
def test_a_minute_of_random_collections_differs_from_no_oracle():
    tally, text = told(seconds=60, seed=SEED + 1_000)
    assert tally.found == [], text


@pytest.mark.large
@pytest.mark.slow
def test_half_a_minute_of_damage_is_told_or_makes_no_difference():
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        status = faults.report(seconds=30, seed=SEED + 1_000)
    assert status == 0, out.getvalue()


def test_a_case_is_what_its_seed_says():
    assert draw(5) == draw(5)
    assert draw(5) != draw(6)


@pytest.mark.broad
def test_a_difference_is_found_shrunk_and_told_with_its_seed(monkeypatch):
    # an oracle that is wrong where a query has more than one relevant item
    def wrong(case):
        theirs = {k: v + (v < 1 and len(plain.relevant(case.grades()[k[1]], None)) > 1)
                  for k, v in plain.scores(case, ("AP",)).items()}  # fmt: skip
        yield from answers.differences("wrong", answers.measured(case, ["AP"]), theirs)

    monkeypatch.setattr(loop, "ORACLES", {"wrong": loop.Oracle(wrong)})
    tally, text = told(seconds=60, seed=0)
    assert len(tally.found) == 1
    assert "DIFFERENCE from wrong, --seed " in text
    runs = text.partition("rank):\n")[2].partition("judgments (")[0].splitlines()
    judgments = text.partition("grade):\n")[2].partition("at (")[0].splitlines()
    assert (len(runs), len(judgments)) == (1, 2)


def test_a_command_ends_with_one_where_something_differs(monkeypatch, capsys):
    monkeypatch.setattr(
        loop,
        "ORACLES",
        {"all": loop.Oracle(lambda case: iter([answers.Difference("all", "x", 1, 2)]))},
    )
    assert loop.main(["--seconds", "60", "--cases", "1"]) == 1
    assert "differences                         1" in capsys.readouterr().out


CASE = Case(
    0,
    runs=((("r",), "q", "a", 2.0, 1), (("r",), "q", "b", 1.0, 2)),
    judgments=(("q", None, "b", 1),),
    rules=replace(draw(0).rules, queries="judged", level=None, ties="docid", depth=None),
)


@pytest.mark.parametrize(
    ("case", "found", "kind"),
    [
        (CASE, ("numbers", {}), "wrong"),
        (None, ("numbers", {"x": 1.0}), "silent"),
        (None, ("crashed", "Traceback"), "crashed"),
        (None, ("hung", "more than 20 s"), "hung"),
        (CASE, ("numbers", plain.scores(CASE, faults.MEASURES)), "equal"),
        (None, ("refused", "the file is empty"), "refused"),
    ],
)
def test_the_judge_of_faults_tells_what_is_wrong(case, found, kind):
    told = faults.judge(case, found)
    assert told[0] == kind
    assert bool(told[1]) == (kind not in ("equal", "refused"))


def test_an_error_that_is_not_pdevals_own_is_a_crash():
    assert faults.outcome(lambda: {}["key"])[0] == "crashed"
    assert faults.outcome(lambda: pdeval.parse("nonsense"))[0] == "refused"


@pytest.mark.parametrize(
    "data",
    [
        b"1 0 a\n",
        b"1 0 a x\n",
        b"1 0 a nan\n",
        b"# only\n",
        b"1 0 a 1\n1 0 a 2\n",
        b"1\0 0 a 1\n",
        b"1 0 a 1 2\n",
    ],
)
def test_the_strict_reader_sees_damage(data):
    with pytest.raises(damage.Unreadable):
        damage.judged_rows(data)


def test_the_strict_reader_reads_what_is_sound():
    rows = damage.judged_rows(b"\xef\xbb\xbf1 0 a 1\r\n\n# no\n 2\t0  b\t-1.5 \n")
    assert rows == [("1", None, "a", 1.0), ("2", None, "b", -1.5)]
