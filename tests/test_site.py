"""The documentation site: everything declared has an entry, links lead on, a build warns and fetches nothing."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

ROOT = Path(__file__).resolve().parent.parent
if not (ROOT / "notebooks" / "site").is_dir():
    pytest.skip("the notebooks are not beside these tests", allow_module_level=True)
pytest.importorskip("matplotlib")
pytestmark = pytest.mark.extras

# what a browser fetches by itself when it shows a page
FETCHED = {
    "script": "src",
    "link": "href",
    "img": "src",
    "iframe": "src",
    "source": "src",
    "video": "src",
    "embed": "src",
}
# the extra docs does not install pytest
BUILD = """
import sys
sys.modules["pytest"] = None
from notebooks.site.__main__ import main
sys.exit(main(["--into", sys.argv[1]]))
"""


def fresh(code: str) -> str:
    """Return what code prints in a process of its own: other tests declare verbs and measures in this one."""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, encoding="utf-8"
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.broad
def test_every_verb_measure_table_and_plot_has_its_entry():
    code = """
import pdeval, pdeval.plots
from notebooks.site import llms, reference, registries
from pdeval.catalog import ENTRIES
from pdeval.tables.schemas import SCHEMAS
from pdeval.verbs import VERBS
pages = reference.pages()
short = llms.short()
lacking = []
for kind, verbs in VERBS.items():
    for name, verb in verbs.items():
        family, _, own = name.partition(".")
        page = f"plots/{own or 'index'}.md" if family == "plot" else f"reference/verbs/{family}.md"
        called = True if family == "plot" else f".{name}(" in pages.get(page, "")
        if page not in pages or not called or (family != "plot" and f"[{name}()" not in short):
            lacking.append(f"verb {name} of {kind}")
whole = "".join(pages[f"reference/{page}.md"] for page, _ in registries.FAMILIES.values())
lacking += [f"measure {name}" for name in ENTRIES if f"## {name}\\n" not in whole or f"[{name}](" not in short]
tables = pages["reference/tables.md"]
lacking += [f"table {name}" for name in SCHEMAS if f"## {name.replace('_', ' ')}\\n" not in tables]
for name in pdeval.plots.__all__:
    lacking += [f"plot {name}"] * (f"../pictures/{name}.png" not in pages[f"plots/{name}.md"])
print(lacking)
"""
    assert fresh(code).strip() == "[]"


@pytest.mark.broad
def test_a_page_begins_with_the_verb_of_runs():
    code = """
import pdeval
from notebooks.site import registries
first = {name: verbs[0].on for name, verbs in registries.families().items()}
print([name for name in ("measure", "report", "summary", "check") if not {"runs", "judged"} & {*first[name]}])
"""
    assert fresh(code).strip() == "[]"


def test_what_a_docstring_says_is_not_taken_for_markup():
    from notebooks.site import docstrings

    assert docstrings.escaped("P*k of `a_b*c` and [df] <x>") == r"P\*k of `a_b*c` and \[df\] \<x\>"
    assert docstrings.entries("x : int\n    What it is.\ny\n    Another.").splitlines()[:2] == [
        "`x` : *int*",
        ": What it is.",
    ]
    assert (
        docstrings.examples(">>> f()\n1\n\nThen:\n\n>>> g()")
        == "```pycon\n>>> f()\n1\n```\n\nThen:\n\n```pycon\n>>> g()\n```"
    )


def test_the_pictures_of_plots_are_drawn_by_the_code_that_is_shown():
    code = """
import pdeval.plots
from notebooks.site import pictures, reference, registries
assert list(pictures.EXAMPLES) == list(registries.plots())
pages = reference.pages()
for name, code in pictures.EXAMPLES.items():
    assert code in pages[f"plots/{name}.md"], name
    assert f".{name}(" in code.splitlines()[-1], name
    assert max(map(len, code.splitlines())) <= 88, name
axes = pictures.drawn("summary_bars").axes
print([label.get_text() for label in axes[0].get_yticklabels()][0])
"""
    assert fresh(code).strip() == "rerank-s2"


def test_links_of_pages_lead_to_the_places_of_the_site():
    from notebooks.site.assembling import relinked

    assert (
        relinked("[a](../02_x.ipynb) [b](../../CHANGELOG.md)", "page")
        == "[a](tutorials/02_x.ipynb) [b](changelog.md)"
    )
    assert (
        relinked("[a](site/ties.md) [b](#1.-Pools)", "notebook") == "[a](../ties.md) [b](#1-pools)"
    )
    assert relinked("[a](https://doi.org/10.1145/1)", "page") == "[a](https://doi.org/10.1145/1)"


def test_links_of_pages_lead_somewhere_in_the_repository():
    lost = []
    for path in sorted((ROOT / "notebooks" / "site").glob("*.md")):
        for link in re.findall(
            r"\]\((?!https?://|#)([^)#]+)[^)]*\)", path.read_text(encoding="utf-8")
        ):
            if not (path.parent / link).exists():
                lost.append(f"{path.name}: {link}")
    assert lost == []


class References(HTMLParser):
    """What a page fetches, where its links lead, and its targets."""

    def __init__(self) -> None:
        super().__init__()
        self.fetched: list[str] = []
        self.links: list[str] = []
        self.ids: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.ids |= {given[name] for name in ("id", "name") if name in given}
        if tag in FETCHED and given.get("rel") != "canonical" and given.get(FETCHED[tag]):
            self.fetched.append(given[FETCHED[tag]])
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Build the site, without a warning."""
    pytest.importorskip("myst_nb")
    pytest.importorskip("furo")
    pytest.importorskip("typst")
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-c", BUILD, str(folder)], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return folder / "html"


def test_the_cheat_sheet_has_one_page_and_every_verb():
    typst = pytest.importorskip("typst")
    from notebooks.site import cheat_sheet

    pages = typst.compile(cheat_sheet.as_typst().encode(), format="svg")
    assert isinstance(pages, bytes), f"{len(pages)} pages"  # a list if there are several
    names = fresh("from notebooks.site import registries; print(*registries.families())").split()
    sheet = cheat_sheet.as_html()
    assert [name for name in names if f"<code>.{name}()</code>" not in sheet] == []


@pytest.mark.slow
def test_the_site_fetches_nothing_and_its_links_lead_somewhere(site):
    pages = {}
    for path in sorted(site.rglob("*.html")):
        pages[path] = References()
        pages[path].feed(path.read_text(encoding="utf-8"))
    assert len(pages) > 80
    faults = []
    for path, found in pages.items():
        for address in found.fetched:
            parts = urlsplit(address)
            if parts.scheme not in ("", "data") or parts.netloc:
                faults.append(f"{path.name} fetches {address}")
            elif not parts.scheme and not (path.parent / unquote(parts.path)).exists():
                faults.append(f"{path.name} lacks {address}")
        for address in found.links:
            parts = urlsplit(address)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            known = target.exists() and (
                not parts.fragment
                or target not in pages
                or unquote(parts.fragment) in pages[target].ids
            )
            if not known:
                faults.append(f"{path.name} links to {address}")
    for path in [*site.rglob("*.css"), *site.rglob("*.html")]:
        faults += [
            f"{path.name}: {one}"
            for one in re.findall(
                r"(?:@import|url\()\s*['\"]?(?:https?:)?//[^)'\" ]+", path.read_text("utf-8")
            )
        ]
    assert faults == []


@pytest.mark.slow
def test_captions_say_their_level_and_wide_code_can_be_scrolled_by_keyboard(site):
    for path in site.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        assert 'role="heading">' not in text, path.name
        assert "<pre>" not in text, path.name
        assert not re.search(r"<img(?![^>]*\balt=)", text), f"{path.name}: a picture without words"


@pytest.mark.slow
def test_the_search_finds_verbs_and_measures(site):
    index = (site / "searchindex.js").read_text(encoding="utf-8")
    for word in ("leaderboard", "alpha-ndcg", "critical_difference", "quickstart"):
        assert word in index.lower(), word
    data = json.loads(index.removeprefix("Search.setIndex(").removesuffix(")"))
    [[page, target, _]] = data["indexentries"]["rank biased precision"]
    assert (data["docnames"][page], data["titles"][page]) == (
        "reference/metrics",
        "RBP: rank biased precision",
    )
    assert f'id="{target}"' in (site / "reference" / "metrics.html").read_text(encoding="utf-8")


@pytest.mark.slow
def test_llms_txt_leads_to_pages_that_are_there(site):
    text = (site / "llms.txt").read_text(encoding="utf-8")
    lost = [link for link in re.findall(r"\]\(([^)\s]+)\)", text) if not (site / link).exists()]
    assert text.startswith("# pdeval\n\n> ")
    assert lost == []
    assert len((site / "llms-full.txt").read_text(encoding="utf-8")) > 200_000
