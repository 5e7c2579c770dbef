"""The README and the site's pages are true: their code runs and prints what they say, their tables are the package's.

`python -m tests.test_readme --write` writes the generated parts anew: tables, outputs of examples, the figure.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from pdeval.__main__ import main
from pdeval.tables.equal_values import NOISE
from pdeval.tables.vocabularies import GRADES, VOCABULARIES, names_of

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
SITE = ROOT / "notebooks" / "site"
FIGURE = ROOT / "notebooks" / "figures" / "quickstart.png"
PYTHON = re.compile(r"(?s)```python\n(.*?)```\n(?:```text\n(.*?)```\n)?")
MISSING = "2 of 50 judged queries are missing"
MANY = 6  # kinds of table that are named, of a verb that many have
FAMILIES = {
    "metric": ("Measures of one ranking", "Measure"),
    "set": ("Measures of all rankings of a run together", "Measure"),
    "answer": ("Measures of answers", "Measure"),
    "exposure": ("Measures of exposure", "Measure"),
    "preference": ("Preferences between two rankings", "Preference"),
    "ordering": ("Orderings of many runs", "Ordering"),
}


def readme() -> str:
    return README.read_text(encoding="utf-8")


def page(name: str) -> str:
    """Return a page of the documentation site."""
    if not SITE.is_dir():
        pytest.skip("the notebooks are not beside these tests")
    return (SITE / f"{name}.md").read_text(encoding="utf-8")


def pages_with_examples() -> list[Path]:
    """Return the pages whose code runs; the front page shows files of the reader's own."""
    return [
        path
        for path in sorted(SITE.glob("*.md"))
        if path.stem != "index" and "```python" in path.read_text("utf-8")
    ]


def part(text: str, name: str) -> str:
    """Return what stands between the comments of that name."""
    found = re.search(rf"(?s)<!-- {name} -->\n(.*?)<!-- /{name} -->", text)
    assert found, f"no part <!-- {name} --> ... <!-- /{name} -->"
    return found[1]


def catalog() -> list[dict]:
    """Return the catalog of a fresh process: other tests may have added measures of their own to this one's."""
    code = "import pdeval; print(pdeval.catalog().to_json(orient='records'))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, encoding="utf-8", check=True
    )
    return json.loads(done.stdout)


def measures() -> str:
    """Return the tables of everything that can be asked for by name."""
    lines = []
    for family, (title, header) in FAMILIES.items():
        lines += [f"**{title}**", "", f"| {header} | Parameters | What it is |", "|---|---|---|"]
        for row in catalog():
            if row["family"] == family:
                lower = (
                    "" if row["higher_is_better"] or family == "ordering" else " Lower is better."
                )
                parameters = f"`{row['parameters']}`" if row["parameters"] else ""
                summary = row["summary"].replace("|", r"\|")
                lines.append(f"| `{row['name']}` | {parameters} | {summary}{lower} |")
        lines.append("")
    return "\n".join(lines)


def declared() -> list[dict]:
    """Return the verbs of a fresh process, core verbs first, then by family: other tests declare some of their own."""
    code = """
import inspect, json, pdeval
from pdeval.verbs.parameter_texts import sections
from pdeval.verbs import VERBS
found = {id(verb): verb for verbs in VERBS.values() for verb in verbs.values()}.values()
print(json.dumps([
    {
        "name": verb.name,
        "core": verb.core,
        "on": verb.on,
        "table": bool(verb.returns),
        "first": sections(verb.function.__doc__)[""].partition(chr(10) * 2)[0],
        "package": verb.function.__module__.split(".")[1],
        "returns": str(inspect.signature(verb.function).return_annotation).rpartition(".")[2].strip("'>"),
    }
    for verb in found
]))
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, encoding="utf-8", check=True
    )
    return sorted(
        json.loads(done.stdout), key=lambda row: (not row["core"], row["name"], row["on"])
    )


def verbs() -> str:
    """Return the tables of the verbs of each task, one line per verb."""
    from notebooks.site.contents import TASKS

    keep = "the join of runs and judgments, with all verbs of runs: join once, evaluate many times"
    tables = {
        title: [f"| `.join()` | runs | {keep} |"] * (not i)
        for i, title in enumerate(TASKS.values())
    }
    rows = declared()
    families: dict[str, list[dict]] = {}
    for row in rows:
        families.setdefault(row["name"].partition(".")[0], []).append(row)
    for row in rows:
        table = tables[TASKS.get(row["package"], TASKS["report"])]
        members = families[row["name"].partition(".")[0]]
        if (
            not row["table"] and len(members) > 2
        ):  # one for each kind of table, such as report and plot
            if row is min(members, key=rows.index):
                names = sorted({one["name"] for one in members} - {row["name"]})
                others = (
                    f"; by name: {', '.join(f'`.{name}()`' for name in names)}" if names else ""
                )
                kinds = [kind for one in members for kind in one["on"]]
                table.append(
                    f"| `.{row['name']}()` | {_kinds(kinds)} | `{row['returns']}`: what suits the table{others} |"
                )
            continue
        description = (
            re.sub(r"^Return,? ", "", " ".join(row["first"].split()))
            .rstrip(".")
            .replace("|", r"\|")
        )
        table.append(f"| `.{row['name']}()` | {_kinds(row['on'])} | {description} |")
    lines = []
    for title, verbs_of_task in tables.items():
        lines += [f"## {title}", "", "| verb | of | gives |", "|---|---|---|", *verbs_of_task, ""]
    return "\n".join(lines)


def _kinds(names: list[str]) -> str:
    kinds = sorted(
        dict.fromkeys("runs" if name == "judged" else name.replace("_", " ") for name in names),
        key=_first,
    )
    return ", ".join(kinds[:MANY]) + (f" and {len(kinds) - MANY} more" if len(kinds) > MANY else "")


def _first(kind: str) -> int:
    known = ("runs", "scores", "preferences", "summary", "orders", "comparisons")
    return known.index(kind) if kind in known else len(known)


def columns() -> str:
    """Return the table of the column names that are understood."""
    lines = ["| | run | query | item |", "|---|---|---|---|"]
    said = {
        "pdeval": "pdeval, ir_datasets, ir_measures",
        "recommender": "LensKit, RecTools",
        "plain": "in words",
    }
    for name, words in VOCABULARIES.items():
        lines.append(
            f"| {said.get(name, name)} | `{words['run']}` | `{words['query']}` | `{words['doc']}` |"
        )
    grades, scores = (
        ", ".join(f"`{name}`" for name in names) for names in (GRADES, names_of("score"))
    )
    own = [
        f"`{words['grade']}` ({said.get(name, name)})"
        for name, words in VOCABULARIES.items()
        if "grade" in words
    ]
    text = f"The grade is in {grades}, or in {', '.join(own)}; the score in {scores}; the rank in `rank`."
    return "\n".join([*lines, "", text, ""])


def notebooks() -> str:
    """Return the list of notebooks by their titles."""
    lines = []
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        first = json.loads(path.read_text(encoding="utf-8"))["cells"][0]
        title = "".join(first["source"]).splitlines()[0].lstrip("# ")
        lines.append(f"- [{title}](notebooks/{path.name})")
    return "\n".join([*lines, ""])


def trust() -> str:
    """Return the table of what the commands of the tests try, with the numbers that their code and `.ci/run` have."""
    code = """
import json
from tests.differential.loop import ORACLES
from tests.mutations.__main__ import BARS
from tests.walk import VALUES, function_steps, verb_steps
steps = [[(one.who, one.option) for one in some()] for some in (verb_steps, function_steps)]
print(json.dumps({
    "oracles": list(ORACLES),
    "bars": BARS,
    "values": len(VALUES),
    "walked": [[len({who for who, _ in some}), len(set(some))] for some in steps],
}))
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
        cwd=ROOT,
    )
    found = json.loads(done.stdout)
    steps = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    whole, kernels = re.findall(r"--fail-under=(\d+)", steps)
    thorough = (ROOT / ".ci" / "thorough").read_text(encoding="utf-8")
    sample = re.search(r"tests\.mutations (.+)", steps + thorough)[1]
    bars = "; ".join(f"at least {bar:.0%} in {', '.join(rooms)}" for rooms, bar in found["bars"])
    (verbs, options), (functions, parameters) = found["walked"]
    rows = [
        ("lines and branches covered by the tests", "pytest --cov=pdeval --cov-branch",
         f"at least {whole}% of the package, {kernels}% of kernels"),
        ("mutants detected by the tests", f"python -m tests.mutations {sample}", bars),
        (f"random collections, compared with: {', '.join(found['oracles'])}", "python -m tests.differential",
         "no difference"),
        ("damaged files and frames", "python -m tests.differential --faults", "equal results, or an error message"),
        ("type I error rates of tests and coverage of intervals, by simulation", "python -m tests.statistics",
         "within exact binomial limits, or one-sided with the reason stated"),
        (f"{options:,} options of {verbs} verbs of tables and {parameters} parameters of {functions} functions, each "
         f"with {found['values']} bad values", "python -m tests.walk",
         "a result or an error message of pdeval; no other exception, no slow call"),
    ]  # fmt: skip
    table = [f"| {what} | `{command}` | {wanted} |" for what, command, wanted in rows]
    return "\n".join(["| check | command | requirement |", "|---|---|---|", *table, ""])


def printed(code: str, namespace: dict) -> str:
    """Return what a block of code prints."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), warnings.catch_warnings():
        warnings.filterwarnings("ignore", MISSING)
        exec(compile(code, "README.md", "exec"), namespace)
    return out.getvalue()


@pytest.mark.broad
def test_every_example_prints_what_the_readme_says(tmp_path, monkeypatch):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    monkeypatch.chdir(tmp_path)
    namespace: dict = {}
    blocks = PYTHON.findall(readme())
    assert blocks
    for code, said in blocks:
        assert printed(code, namespace) == said
    assert (tmp_path / "ranking.png").stat().st_size > 10_000


@pytest.mark.broad
@pytest.mark.parametrize("path", pages_with_examples(), ids=lambda path: path.stem)
def test_every_example_prints_what_the_page_says(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    namespace: dict = {}
    for code, said in PYTHON.findall(path.read_text(encoding="utf-8")):
        assert printed(code, namespace) == said, "run python -m tests.test_readme --write"


def test_the_readme_is_short():
    assert len(readme().splitlines()) <= 120


@pytest.mark.broad
def test_every_command_of_the_command_line_page_works(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    commands = re.findall(r"(?m)^pdeval (.*)$", page("command_line"))
    assert len(commands) >= 8
    for command in commands:
        status = main(command.split())
        assert status == (1 if command.startswith("check") else 0), (
            command
        )  # the sample lacks two queries
        assert capsys.readouterr().out or " -o " in command, command
    assert {"scores.csv", "table.tex"} <= set(os.listdir(tmp_path))


@pytest.mark.broad
def test_the_table_of_measures_is_the_catalog():
    assert part(page("measures"), "measures") == "\n" + measures()


def test_the_table_of_columns_is_that_of_the_tables():
    assert part(page("columns"), "columns") == columns()


@pytest.mark.broad
def test_the_table_of_verbs_is_that_of_the_declarations():
    assert part(page("verbs"), "verbs") == verbs(), "run python -m tests.test_readme --write"


@pytest.mark.broad
@pytest.mark.extras
def test_the_table_of_trust_is_that_of_the_tests():
    pytest.importorskip("matplotlib")
    assert part(page("trust"), "trust") == trust(), "run python -m tests.test_readme --write"


@pytest.mark.parametrize("name", ["conventions", "ties", "trust"])
def test_values_are_equal_by_the_share_that_the_pages_say(name):
    assert (
        re.search(r"relative difference is at most ([\d.e-]+\d)", page(name))[1] == f"{NOISE:.0e}"
    )


def test_no_page_plans_with_the_difference_that_was_observed():
    for path in (README, *sorted(SITE.glob("*.md"))):
        calls = re.findall(r"\w\.power(?:\.sample_size)?\(.*?\)", path.read_text("utf-8"))
        assert [call for call in calls if "difference=" not in call] == [], path.stem


def test_every_notebook_is_listed():
    if not (ROOT / "notebooks").is_dir():
        pytest.skip("the notebooks are not beside these tests")
    assert part(readme(), "notebooks") == notebooks()


def test_links_inside_the_repository_lead_somewhere():
    if not (ROOT / "notebooks").is_dir():
        pytest.skip("the notebooks are not beside these tests")
    links = set(re.findall(r"\]\((?!https?://|#)([^)]+)\)", readme()))
    assert "notebooks/figures/quickstart.png" in links
    assert [link for link in sorted(links) if not (ROOT / link.partition("#")[0]).exists()] == []
    assert FIGURE.stat().st_size < 60_000


def test_each_of_the_two_commands_is_one_block_under_its_comment():
    for name, last in (("try", "pdeval demo"), ("test", "python -m pytest")):
        blocks = re.findall(
            rf"<!-- {name} command -->\n```bash\n(.*?)\n```\n", readme(), flags=re.DOTALL
        )
        assert len(blocks) == 1
        assert blocks[0].startswith("python3 -m venv .venv")
        assert blocks[0].endswith(last)


def write() -> None:
    """Write the generated parts of the README anew."""
    import tempfile

    import matplotlib

    matplotlib.use("Agg")
    made = {
        "verbs": verbs(),
        "measures": "\n" + measures(),
        "columns": columns(),
        "notebooks": notebooks(),
    }
    made["trust"] = trust()
    for name, content in made.items():
        path = README if name == "notebooks" else SITE / f"{name}.md"
        text = path.read_text(encoding="utf-8")
        before, mark, rest = text.partition(f"<!-- {name} -->\n")
        after = rest.partition(f"<!-- /{name} -->")[2]
        path.write_text(
            f"{before}{mark}{content}<!-- /{name} -->{after}", encoding="utf-8", newline="\n"
        )
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for path in (README, *pages_with_examples()):
            namespace: dict = {}

            def with_output(block: re.Match, namespace: dict = namespace) -> str:
                said = printed(block[1], namespace)
                return f"```python\n{block[1]}```\n" + (f"```text\n{said}```\n" if said else "")

            text = PYTHON.sub(with_output, path.read_text(encoding="utf-8"))
            path.write_text(text, encoding="utf-8", newline="\n")
        FIGURE.parent.mkdir(exist_ok=True)
        shutil.copy("ranking.png", FIGURE)


if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        sys.exit("usage: python -m tests.test_readme --write")
    write()
