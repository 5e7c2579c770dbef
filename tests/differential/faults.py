"""Fault injection: damaged files and frames give the oracle's number, or an error that says so; nothing else.

What other mends are awaited for is named in AWAITED; `--awaited` holds pdeval to these too.
"""

from __future__ import annotations

import contextlib
import gzip
import random
import signal
import tempfile
import time
import traceback
import warnings
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pdeval
from tests.differential import answers, damage, entry_points, plain
from tests.differential.cases import Case, Rules, draw

ERRORS = (ValueError, KeyError, TypeError, FileNotFoundError)
SECONDS = 20  # that one case may take
MEASURES = ("AP", "RR", "P@5", "nDCG", "Bpref", "NumRet")
# damage that can be seen and is not yet told. With --awaited a file that is not UTF-8 is refused or warned of, and one
# whose last line has no end is refused, or is read as it stands
AWAITED = ("encoding", "truncation")


class Hung(BaseException):
    """A case took too long."""


@contextlib.contextmanager
def timed():
    """Raise an error where a case hangs, on systems that can."""
    if not hasattr(signal, "SIGALRM"):
        yield
        return

    def ring(*_):
        raise Hung

    was = signal.signal(signal.SIGALRM, ring)
    signal.alarm(SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, was)


def outcome(ask, told: list[str] | None = None) -> tuple[str, object]:
    """Return ('numbers', answer), ('refused', text) for an error of pdeval's own, or what went wrong.

    Warnings are put into `told`.
    """
    try:
        with timed(), warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            found = answers.answered(ask, loud=True)
            if told is not None:
                told += [str(one.message) for one in heard]
    except Hung:
        return "hung", f"more than {SECONDS} s"
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1].filename
        text = str(error)
        known = type(error) in ERRORS or type(error).__module__.startswith("pdeval.")
        own = known and str(Path(pdeval.__file__).parent) in where and len(text.split()) > 3
        return ("refused", text) if own else ("crashed", traceback.format_exc(limit=-4))
    return "numbers", found or {}


def judge(case: Case | None, found: tuple[str, object]) -> tuple[str, str]:
    """Return what a case counts as, and what is wrong with it, if anything: a case of None must be refused."""
    kind, answer = found
    if kind in ("hung", "crashed"):
        return kind, str(answer)
    if kind == "refused":
        return ("refused" if case is None else "refused, though it can be read"), ""
    if case is None:
        return "silent", f"damage that can be seen, and {len(answer)} numbers"  # type: ignore[arg-type]
    wrong = [
        one for one in answers.differences("plain", answer, plain.scores(case, MEASURES)) if one
    ]  # type: ignore[arg-type]
    return ("wrong", str(wrong[0])) if wrong else ("equal", "")


def file_fault(case: Case, rng: random.Random, *, awaited: bool) -> tuple[str, str, str, object]:
    """Damage one file of a case; return (damage, what it counts as, what is wrong, the bytes)."""
    name = rng.choice(list(damage.DAMAGES))
    with tempfile.TemporaryDirectory() as held:
        folder = Path(held)
        content = {("qrels",): _lines([(q, "0", d, repr(g)) for q, _, d, g in case.judgments])}
        for run in case.names:
            own = [
                (q, "Q0", d, k, repr(float(s)), "tag") for r, q, d, s, k in case.runs if r == run
            ]
            content[run, "run"] = _lines(own)
        victim = rng.choice(list(content))
        ending = ".gz" if name in damage.COMPRESSED else ""
        data = content[victim]
        data = damage.DAMAGES[name](gzip.compress(data, 1, mtime=0) if ending else data, rng)
        paths = {}
        for place, (key, text) in enumerate(content.items()):
            paths[key] = folder / (f"{place}" + (ending if key == victim else ""))
            paths[key].write_bytes(data if key == victim else text)
        seen = _unpacked(data) if ending else data
        read = _read(case, {**content, victim: seen}) if seen is not None else None

        def ask() -> dict:
            qrels = pdeval.read_qrels(paths["qrels",])
            runs = pdeval.read_runs({run[0]: paths[run, "run"] for run in case.names})
            return answers.scores_of(
                case, runs.ireval.measure(qrels, list(MEASURES), **case.rules.given())
            )

        told: list[str] = []
        found = outcome(ask, told)
        wide = seen is not None and b"\0" not in seen and not damage.is_utf8(seen)
        if wide and found[0] == "numbers":
            said = any("UTF-8" in text or "Latin-1" in text for text in told)
            if said or not awaited:
                return name, "not UTF-8, warned of" if said else "not UTF-8, awaited", "", None
            return name, "silent", "a file that is not UTF-8, and numbers", (victim, data)
        return name, *judge(read, found), (victim, data)


def _lines(rows) -> bytes:
    return "".join(" ".join(map(str, row)) + "\n" for row in rows).encode()


def _unpacked(data: bytes) -> bytes | None:
    try:
        return gzip.decompress(data)
    except (OSError, EOFError, gzip.zlib.error):  # type: ignore[attr-defined]
        return None


def _read(case: Case, content: dict) -> Case | None:
    """Return the case that the files hold, or None where their damage can be seen."""
    try:
        judgments = damage.judged_rows(content["qrels",])
        runs = [row for run in case.names for row in damage.run_rows(run, content[run, "run"])]
    except damage.Unreadable:
        return None
    found = replace(case, runs=tuple(runs), judgments=tuple(judgments))
    return found if found.shares_queries else None


def frame_fault(case: Case, rng: random.Random) -> tuple[str, str, str, object]:
    """Damage one table of a case; return (damage, what it counts as, what is wrong, which table)."""
    name, side = rng.choice(list(damage.FRAMES)), rng.choice([0, 1])
    frames = list(case.frames())
    try:
        frames[side] = damage.FRAMES[name](frames[side], rng)
    except (TypeError, ValueError):  # pandas holds no such value in such a column
        return name, "not possible", "", side

    def ask() -> dict:
        frame = frames[0].ireval.measure(frames[1], list(MEASURES), **case.rules.given())
        return answers.scores_of(case, frame)

    return name, *judge(None, outcome(ask)), ("runs", "judgments")[side]


def report(
    *, seconds: float, seed: int, cases: int | None = None, stop: int = 1, awaited: bool = False
) -> int:
    """Damage cases of rising seeds until the time is over; print what came of them."""
    until, counts, wrong, tried = time.monotonic() + seconds, Counter(), 0, 0
    while time.monotonic() < until and (cases is None or tried < cases) and wrong < stop:
        case, rng = draw(seed + tried), random.Random(seed + tried)
        tried += 1
        if not entry_points.fit(case) or not case.shares_queries:
            counts["cases that no file holds"] += 1
            continue
        case = replace(
            case,
            rules=Rules(queries="judged", compat=case.rules.compat),
            subtopics=False,
            judgments=_once(case),
        )
        for what, one in (("file", file_fault), ("frame", frame_fault)):
            options = {"awaited": awaited} if what == "file" else {}
            name, kind, text, shown = one(case, rng, **options)
            counts[f"{what}: {kind}"] += 1
            if text:
                wrong += 1
                print(
                    f"\nFAULT {name!r} in a {what}, --faults --seed {case.seed} --cases 1: {kind}\n{text}\n{shown!r}"
                )
                print(f"{case.rules} {case.stored}", flush=True)
    print(f"faults injected   {sum(counts.values()) - counts['cases that no file holds']:>8,}")
    for name in sorted(counts):
        print(f"  {name:<40} {counts[name]:>8,}")
    print(f"wrong             {wrong:>8,}")
    if not awaited:
        print(f"not held to: {', '.join(AWAITED)} (--awaited)")
    return 1 if wrong else 0


def _once(case: Case) -> tuple[tuple, ...]:
    """Return the judgments without subtopics."""
    kept = {(query, doc): (query, None, doc, grade) for query, _, doc, grade in case.judgments}
    return tuple(kept.values())
