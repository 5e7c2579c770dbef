"""Runs the notebooks: `python -m tests.notebooks [--write] [NAME ...]`.

Prints one line a notebook with its seconds, and ends with status 1 if any fails, or shows another text or table than
the one that is stored (figures may differ by a font). `--write` stores the outputs in the files.

Those in `notebooks/replications/` show the papers' tables and figures on the sample collection, and on all collections
in the folder that PDEVAL_COLLECTIONS names, if it does. What is stored is always the sample's.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent.parent / "notebooks"
COLLECTIONS = "PDEVAL_COLLECTIONS"
KERNELSPEC = {"display_name": "Python 3", "language": "python", "name": "python3"}
KERNEL = {
    # figures belong into the notebook also where MPLBACKEND says otherwise
    "MPLBACKEND": "module://matplotlib_inline.backend_inline",
    # bars come and go with the speed of the machine; without ipywidgets tqdm warns that it draws plain ones
    "TQDM_DISABLE": "1",
    "PYTHONWARNINGS": "ignore:IProgress not found",
}
CELL_FILE = re.compile(r"\S*ipykernel_\d+/\d+\.py:(\d+)")
NOT_FOR_READERS = {
    "a path of this machine": re.compile(
        r"(?<![\w.:/])/(?:home|tmp|work|root|Users|var/folders)/[\w.-]+"
    ),
    "an address in memory": re.compile(r"\bat 0x[0-9a-f]{6,}"),
    "that something is missing": re.compile(r"\bis not here\b"),
}
# what tells of the machine, the minute and the versions, not of pdeval
NOISE = (
    (re.compile(r"\bat 0x[0-9a-f]{6,}"), "at 0x0"),
    (re.compile(r"\b\d+(?:\.\d+)? ?(?:ms|s|seconds|MB|kB|MiB)\b"), "so much"),
    (
        re.compile(r"\b(?:T_[0-9a-f]{5}|cell-[0-9a-f]{8})"),
        "some-id",
    ),  # of pandas' styles, drawn at random
    (
        re.compile(r"<style scoped>.*?</style>", re.DOTALL),
        "",
    ),  # pandas' own, which changes with its version
    (
        # of an interactive table only the plain one, which is shown if scripts do not run
        re.compile(
            r'<div class="pdeval-output".*?<div class="pdeval-plain">(.*?)</div>\n<template>.*',
            re.DOTALL,
        ),
        r"\1",
    ),
    (re.compile(r"\s+"), " "),
)


def chosen(names: list[str]) -> list[Path]:
    """Return the notebooks of these names, or all."""
    paths = [*sorted(FOLDER.glob("*.ipynb")), *sorted(FOLDER.glob("replications/*.ipynb"))]
    if not names:
        return paths
    wanted = {Path(name).stem for name in names}
    if unknown := sorted(wanted - {path.stem for path in paths}):
        raise SystemExit(
            f"no notebook {unknown[0]!r}; there are {', '.join(path.stem for path in paths)}."
        )
    return [path for path in paths if path.stem in wanted]


def executed(path: Path, *, sample: bool = False) -> Any:
    """Return the notebook with the outputs of a run from its own folder, of replications maybe on the sample alone."""
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    client = NotebookClient(
        notebook,
        timeout=300,
        kernel_name="python3",
        record_timing=False,
        resources={"metadata": {"path": path.parent}},
        extra_arguments=["--log-level=40"],
    )
    outside = {
        name: value for name, value in os.environ.items() if not (sample and name == COLLECTIONS)
    }
    client.execute(env={**outside, **KERNEL})
    notebook.metadata = nbformat.from_dict(
        {"kernelspec": KERNELSPEC, "language_info": {"name": "python"}}
    )
    for cell in notebook.cells:
        if cell.get("outputs"):  # which fonts this machine lacks is not for readers
            cell.outputs = [
                one for one in cell.outputs if not one.get("text", "").startswith("findfont:")
            ]
            cell.outputs = whole_streams(cell.outputs)
    for output in (output for cell in notebook.cells for output in cell.get("outputs", ())):
        if output.output_type == "stream":
            # a warning names the cell's line, not the file that the kernel made of it
            output.text = CELL_FILE.sub(r"line \1", output.text)
    return notebook


def texts(cell: Any) -> list[str]:
    """Return what a cell printed, as plain text."""
    found = []
    for output in cell.get("outputs", ()):
        data = output.get("data", {})
        found.append(output.get("text") or data.get("text/plain") or "")
    return ["".join(text) for text in found]


def whole_streams(outputs: list[Any]) -> list[Any]:
    """Return outputs with what a cell printed in one piece: where it breaks is a matter of time."""
    made: list[Any] = []
    for output in outputs:
        if (
            made
            and "text" in output
            and "text" in made[-1]
            and output.get("name") == made[-1].get("name")
        ):
            text = "".join(made[-1]["text"]) + "".join(output["text"])
            made[-1] = type(output)({**made[-1], "text": text})
        else:
            made.append(output)
    return made


def keep_plain_tables(notebook: Any) -> None:
    """Replace interactive tables by plain ones: their data would make the files many times larger."""
    pattern, plain = next(noise for noise in NOISE if "pdeval-plain" in noise[0].pattern)
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            if "text/html" in output.get("data", {}):
                output["data"]["text/html"] = pattern.sub(
                    plain, "".join(output["data"]["text/html"])
                )


def shown(cell: Any) -> list[tuple[str, str]]:
    """Return what a cell shows, as text and as HTML, without what changes from run to run."""
    found = []
    for output in whole_streams(cell.get("outputs", [])):
        data = {"text/plain": output["text"]} if "text" in output else output.get("data", {})
        for kind in ("text/plain", "text/html", "text/markdown", "text/latex"):
            if kind in data and not (kind == "text/plain" and "image/png" in data):
                text = "".join(data[kind])
                for pattern, instead in NOISE:
                    text = pattern.sub(instead, text)
                found.append((kind, text.strip()))
    return found


def unfit(notebook: Any) -> list[str]:
    """Return what stored outputs must not hold: paths, addresses, errors."""
    faults = []
    for place, cell in enumerate(notebook.cells):
        for text in texts(cell):
            for what, pattern in NOT_FOR_READERS.items():
                if match := pattern.search(text):
                    faults.append(f"cell {place} prints {what}: {match[0]!r}")
    return faults


def changed(before: Any, after: Any) -> list[int]:
    """Return the cells that show another text or table than what was stored."""
    pairs = enumerate(zip(before.cells, after.cells))
    return [place for place, (old, new) in pairs if shown(old) != shown(new)]


def run(path: Path, *, write: bool) -> bool:
    """Run a notebook, print a line about it, and return whether it runs and shows what is stored."""
    import nbformat

    began = time.perf_counter()
    stored = nbformat.read(path, as_version=4)
    try:
        notebook = executed(path, sample=write)
    except Exception as error:
        print(f"{path.name}  FAILED\n{error}", file=sys.stderr)
        return False
    line = f"{path.name}  {time.perf_counter() - began:.1f} s"
    if faults := unfit(notebook):
        print(f"{line}  UNFIT\n" + "\n".join(faults), file=sys.stderr)
        return False
    cells = [] if write else changed(stored, notebook)
    if cells:
        line += f"  STALE: cell {', '.join(map(str, cells))} now shows something else; store it with --write"
    if write:
        keep_plain_tables(notebook)
        path.write_text(nbformat.writes(notebook) + "\n", encoding="utf-8")
    print(line, flush=True)
    return not cells


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.notebooks", description=__doc__.partition("\n")[0]
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="notebooks to run; all by default")
    parser.add_argument("--write", action="store_true", help="store the outputs in the files")
    options = parser.parse_args(argv)
    paths = chosen(options.names)
    # each notebook has a kernel of its own, so as many run at once as there are cores
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        fine = list(pool.map(lambda path: run(path, write=options.write), paths))
    failed = [path.name for path, one in zip(paths, fine) if not one]
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
