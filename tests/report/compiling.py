"""Compiles tables as LaTeX, where a program for that is installed."""

import re
import shutil
import subprocess

import pytest

HEADS = {
    "article": "\\documentclass{article}\n\\usepackage{booktabs}\n\\begin{document}\n",
    "pages": "\\documentclass{article}\n\\usepackage{booktabs,longtable,graphicx}\n\\begin{document}\n",
    "twocolumn": "\\documentclass[twocolumn]{article}\n\\usepackage{booktabs,graphicx}\n\\begin{document}\n",
    # letters are not stretched, which needs fonts that small installations lack
    "acmart": (
        "\\PassOptionsToPackage{expansion=false}{microtype}\n\\documentclass[sigconf,nonacm]{acmart}\n"
        "\\begin{document}\n\\title{T}\\maketitle\n"
    ),
}


def compiled(tmp_path, tables, paper="article"):
    """Compile tables, or skip; returns what the program said where it failed."""
    program = shutil.which("tectonic") or shutil.which("pdflatex")
    if program is None:
        pytest.skip("needs tectonic or pdflatex, and neither is installed")
    document = HEADS[paper] + "\n\n".join(tables) + "\nText.\n\\end{document}\n"
    (tmp_path / "paper.tex").write_text(document, encoding="utf-8")
    options = (
        ["--keep-logs"]
        if program.endswith("tectonic")
        else ["-interaction=nonstopmode", "-halt-on-error"]
    )
    done = subprocess.run(
        [program, *options, "paper.tex"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=300,
    )
    if done.returncode == 0:
        assert (tmp_path / "paper.pdf").stat().st_size > 0
        return ""
    if "acmart.cls" in done.stdout + done.stderr and "not found" in done.stdout + done.stderr:
        pytest.skip("needs the acmart class, which is not installed")
    return (done.stdout + done.stderr)[-2000:]


def too_wide(tmp_path):
    """Return by how many points lines of the last document were too wide."""
    log = (tmp_path / "paper.log").read_text(encoding="utf-8", errors="replace")
    return [float(points) for points in re.findall(r"Overfull \\hbox \(([\d.]+)pt too wide\)", log)]


def too_high(tmp_path):
    """Return by how many points floats of the last document were too high for a page."""
    log = (tmp_path / "paper.log").read_text(encoding="utf-8", errors="replace")
    return [float(points) for points in re.findall(r"Float too large for page by ([\d.]+)pt", log)]
