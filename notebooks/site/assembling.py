"""The sources of the site in one folder: pages, notebooks, the reference, pictures, and what machines read."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

from notebooks.site import contents, llms, pictures, reference, registries

PAGE_LINK = re.compile(r"\]\((?!https?:)([^)\s]+)\)")


def relinked(text: str, home: str) -> str:
    """Return Markdown whose links lead to the places that files have on the site.

    Parameters
    ----------
    home : {'page', 'notebook', 'replication', 'top'}
        Where the text stands: a page of the site, a notebook, a replication, or a file of the repository's top.

    Examples
    --------
    >>> relinked("[a](../01_preferences.ipynb) [b](trust.md)", "page")
    '[a](tutorials/01_preferences.ipynb) [b](trust.md)'
    >>> relinked("[a](site/trust.md#seeds) [b](01_preferences.ipynb)", "notebook")
    '[a](../trust.md#seeds) [b](01_preferences.ipynb)'
    """
    rules = {
        "page": [
            (r"^\.\./\.\./README\.md", "index.md"),
            (r"^\.\./\.\./CHANGELOG\.md", "changelog.md"),
            (r"^\.\./(.+\.ipynb)", r"tutorials/\1"),
            (r"^\.\./replications/?$", "tutorials/replications/index.md"),
            (r"^\.\./figures/", "figures/"),
        ],
        "notebook": [
            (r"^site/", "../"),
            (r"^\.\./README\.md", "../index.md"),
            (r"^replications/?$", "replications/index.md"),
        ],
        "replication": [(r"^\.\./site/", "../../"), (r"^\.\./\.\./README\.md", "../../index.md")],
        "top": [
            (r"^notebooks/site/", ""),
            (r"^notebooks/(.+\.ipynb)", r"tutorials/\1"),
            (r"^README\.md", "index.md"),
            (r"^\.github/CONTRIBUTING\.md", "contributing.md"),
        ],
    }[home]

    def moved(link: re.Match[str]) -> str:
        target = link[1]
        if target.startswith("#"):  # notebooks keep capitals and dots of a heading in its anchor
            return f"]({target.lower().replace('.', '')})"
        for pattern, place in rules:
            target = re.sub(pattern, place, target)
        return f"]({target})"

    return PAGE_LINK.sub(moved, text)


def linked_verbs(text: str) -> str:
    """Return the table of verbs with each name linked to its page."""
    known = {verb.name for verb in registries.verbs()} | {"join"}

    def link(cell: re.Match[str]) -> str:
        name = cell[1]
        if name not in known:
            return cell[0]
        family, _, plot = name.partition(".")
        page = (
            (f"plots/{plot}.md" if plot else "plots/index.md")
            if family == "plot"
            else f"reference/verbs/{family}.md"
        )
        return f"[`.{name}()`]({page})"

    return re.sub(r"(?<=[ |])`\.([\w.]+)\(\)`(?=[,| ])", link, text)


def linked_measures(text: str) -> str:
    """Return the tables of measures with each name linked to its entry."""

    def link(row: re.Match[str]) -> str:
        entry = registries.ENTRIES.get(row[1])
        if entry is None:
            return row[0]
        page = registries.FAMILIES[entry.family][0]
        return f"| [`{row[1]}`](reference/{page}.md#measure-{reference.anchor(row[1])}) |"

    return re.sub(r"(?m)^\| `([^`|]+)` \|", link, text)


def copy_notebook(path: Path, target: Path, home: str) -> None:
    """Copy a notebook with its stored outputs, its links led to the site."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        if cell["cell_type"] == "markdown":
            cell["source"] = relinked("".join(cell["source"]), home)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps(notebook), encoding="utf-8")


def assemble(source: Path) -> None:
    """Write all sources of the site into a folder, which is made anew."""
    shutil.rmtree(source, ignore_errors=True)
    source.mkdir(parents=True)
    shutil.copy(contents.SITE / "conf.py", source)
    shutil.copytree(contents.SITE / "static", source / "static")
    for path in sorted(contents.SITE.glob("*.md")):
        text = relinked(path.read_text(encoding="utf-8"), "page")
        (source / path.name).write_text(FINISH.get(path.stem, str)(text), encoding="utf-8")
    for name, page in (("CHANGELOG.md", "changelog"), (".github/CONTRIBUTING.md", "contributing")):
        text = relinked((contents.ROOT / name).read_text(encoding="utf-8"), "top")
        (source / f"{page}.md").write_text(text, encoding="utf-8")
    for path in contents.tutorials():
        copy_notebook(path, source / "tutorials" / path.name, "notebook")
    replications = source / "tutorials" / "replications"
    for path in contents.replications():
        copy_notebook(path, replications / path.name, "replication")
    (replications / "index.md").write_text(_replications(), encoding="utf-8")
    for name, text in reference.pages().items():
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_text(text + _below(name), encoding="utf-8")
    pictures.draw_all(source / "pictures")
    shutil.copytree(contents.NOTEBOOKS / "figures", source / "figures")


def _below(name: str) -> str:
    """Return the navigation below a page of the reference."""
    if name != "plots/index.md":
        return ""
    return "\n" + contents.toctree(registries.plots())


def _verbs_page(text: str) -> str:
    pages = sorted({"join", *registries.families()})
    return linked_verbs(text) + "\n" + contents.toctree(f"reference/verbs/{name}" for name in pages)


def _measures_page(text: str) -> str:
    pages = [f"reference/{page}" for page, _ in registries.FAMILIES.values()]
    return linked_measures(text) + "\n" + contents.toctree(pages)


def _replications() -> str:
    return (
        "# Replications\n\nOne notebook a paper: for each table and figure what the paper has, what comes out here, and "
        "why they differ. They run on the sample collection, and on your collections where the environment variable "
        "`PDEVAL_COLLECTIONS` names their folder.\n\n"
        + "\n".join(f"- [{llms.title(path)}]({path.name})" for path in contents.replications())
        + "\n\n"
        + contents.toctree(path.stem for path in contents.replications())
    )


# files that the build writes beside the pages
MADE = """
<p>The build also makes the <a href="demo.html">interactive page of the sample collection</a>, and a
<a href="cheatsheet.html">cheat sheet</a> (<a href="cheatsheet.pdf">PDF</a>).</p>

"""
# what the site adds to a page of the repository
FINISH = {
    "index": lambda text: text + MADE + contents.navigation(),
    "verbs": _verbs_page,
    "measures": _measures_page,
}
