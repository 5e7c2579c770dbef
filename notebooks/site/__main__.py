"""Builds the documentation site: `python -m notebooks.site [--into build/site]`, from the repository's top.

Its pages are the Markdown files of this folder, the notebooks as they are stored, and a reference written from the
registries of the package. Any warning is an error, and nothing is executed or fetched.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path


def accessible(page: str) -> str:
    """Return a page whose captions say their level, and whose wide code can be scrolled by keyboard.

    Examples
    --------
    >>> accessible('<pre>x</pre><p class="caption" role="heading">')
    '<pre tabindex="0">x</pre><p class="caption" role="heading" aria-level="2">'
    """
    page = page.replace('role="heading">', 'role="heading" aria-level="2">')
    return page.replace("<pre>", '<pre tabindex="0">')


def titled(index: str, titles: dict[str, str]) -> str:
    """Return a search index whose entries of measures have titles of their own, in place of that of their page.

    Examples
    --------
    >>> data = '{"docnames":["m"],"filenames":["m.md"],"titles":["Measures"],"indexentries":{"recall":[[0,"r",true]]}}'
    >>> titled(f"Search.setIndex({data})", {"recall": "R: recall"})  # doctest: +ELLIPSIS
    'Search.setIndex({"docnames": ["m", "m"], ... "titles": ["Measures", "R: recall"], ...[[1, "r", true]]}})'
    """
    start = "Search.setIndex("
    data = json.loads(index.removeprefix(start).removesuffix(")"))
    for entry, places in data["indexentries"].items():
        for place in places if entry in titles else ():
            for name in ("docnames", "filenames"):
                data[name].append(data[name][place[0]])
            place[0] = len(data["titles"])
            data["titles"].append(titles[entry])
    return f"{start}{json.dumps(data)})"


def build(folder: Path) -> int:
    """Build the site below a folder, in `html`, and return Sphinx's status."""
    from sphinx.cmd.build import build_main

    import pdeval
    from notebooks.site import cheat_sheet, reference, registries
    from notebooks.site.assembling import assemble
    from notebooks.site.llms import full, short

    source, html = folder / "source", folder / "html"
    assemble(source)
    status = build_main(
        [
            "-q",
            "-W",
            "--keep-going",
            "-n",
            "-b",
            "html",
            "-d",
            str(folder / "doctrees"),
            str(source),
            str(html),
        ]
    )
    for page in html.rglob("*.html"):
        page.write_text(accessible(page.read_text(encoding="utf-8")), encoding="utf-8")
    names = {reference.index_entry(entry): entry.name for entry in registries.ENTRIES.values()}
    index = html / "searchindex.js"
    titles = {entry: f"{name}: {entry}" for entry, name in names.items()}
    index.write_text(titled(index.read_text(encoding="utf-8"), titles), encoding="utf-8")
    cheat_sheet.write(html)
    # the queries that count in the README and in `pdeval demo`
    judged = pdeval.datasets.sample_judged(queries="judged")
    report = judged.report(["AP", "nDCG@10", "RR"], baseline="bm25")
    report.to_html(html / "demo.html", interactive=True)
    (html / "llms.txt").write_text(short(), encoding="utf-8")
    (html / "llms-full.txt").write_text(full(source), encoding="utf-8")
    return status


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m notebooks.site", description=__doc__.partition(":")[0] + "."
    )
    parser.add_argument(
        "--into", type=Path, default=Path("build/site"), help="folder of the site (build/site)"
    )
    folder = parser.parse_args(argv).into.resolve()
    try:
        status = build(folder)
    except ModuleNotFoundError as error:
        print(f"the site needs {error.name}: pip install -e '.[docs]'.", file=sys.stderr)
        return 2
    if status == 0:
        print(f"open {folder / 'html' / 'index.html'}")
    return status


if __name__ == "__main__":
    sys.exit(main())
