"""`llms.txt` and `llms-full.txt`: what pdeval offers, for readers that are programs, from the registries."""

from __future__ import annotations

import inspect
import json
from pathlib import Path

from notebooks.site import contents, docstrings, registries

SUMMARY = (
    "Evaluation of rankings on pandas DataFrames, for information retrieval and recommendation: measures (equal to "
    "trec_eval's), preferences between rankings, orderings of systems, significance tests, reports and plots. "
    "`import pdeval` registers the accessor `.ireval`; runs and judgments go in, tidy tables come out."
)
IDIOM = """```python
import pdeval

runs, qrels = pdeval.read_runs("runs/"), pdeval.read_qrels("qrels.txt")
judged = runs.ireval.join(qrels)                 # joined once, asked often
scores = judged.measure(["AP", "nDCG@10"])       # run, query_id, measure, value
judged.compare("AP", baseline="bm25")            # one row per pair: difference, interval, p-value
judged.order("RPP", draws=1000).ireval.plot()    # systems in order, with rank intervals
scores.ireval.report(baseline="bm25").to_latex()
```"""


def title(path: Path) -> str:
    """Return the title of a page or notebook."""
    if path.suffix == ".ipynb":
        text = "".join(json.loads(path.read_text(encoding="utf-8"))["cells"][0]["source"])
    else:
        text = path.read_text(encoding="utf-8")
    return text.lstrip().splitlines()[0].lstrip("# ")


def short() -> str:
    """Return llms.txt: the idiom, and a line for everything that can be asked, with the page that says more."""
    lines = ["# pdeval", "", f"> {SUMMARY}", "", IDIOM, "", "## Guides", ""]
    lines += [
        f"- [{title(contents.SITE / f'{name}.md')}](_sources/{name}.md.txt)"
        for name in contents.QUESTIONS
    ]
    lines += [
        f"- [{title(contents.SITE / f'{name}.md')}](_sources/{name}.md.txt)"
        for name in contents.EXPLANATIONS
    ]
    lines += ["", "## Verbs", ""]
    for family, members in registries.families().items():
        for verb in members:
            kinds = ", ".join(
                dict.fromkeys("runs" if kind == "judged" else kind for kind in verb.on[:4])
            )
            description = docstrings.first(verb.function.__doc__)
            lines.append(
                f"- [{verb.name}() of {kinds}](_sources/reference/verbs/{family}.md.txt): {description}"
            )
    for family, (page, heading) in registries.FAMILIES.items():
        lines += ["", f"## {heading}", ""]
        for entry in registries.ENTRIES.values():
            if entry.family == family:
                lines.append(
                    f"- [{entry.name}](_sources/reference/{page}.md.txt): {docstrings.escaped(entry.summary)}"
                )
    lines += ["", "## Tables", ""]
    for name, schema in sorted(registries.SCHEMAS.items()):
        lines.append(
            f"- [{name}](_sources/reference/tables.md.txt): {schema.description}; {schema.listed}"
        )
    lines += ["", "## Plots", ""]
    for name, plot in registries.plots().items():
        lines.append(f"- [{name}](_sources/plots/{name}.md.txt): {docstrings.first(plot.__doc__)}")
    lines += ["", "## The report", ""]
    for name, method in registries.report_methods().items():
        lines.append(
            f"- [report.{name}()](_sources/reference/report.md.txt): {docstrings.first(inspect.getdoc(method))}"
        )
    lines += ["", "## Functions", ""]
    for name, function in registries.functions().items():
        description = docstrings.first(inspect.getdoc(function))
        lines.append(f"- [{name}](_sources/reference/functions.md.txt): {description}")
    return "\n".join([*lines, ""])


def full(source: Path) -> str:
    """Return llms-full.txt: guides, explanations and the whole reference, one after the other."""
    names = [*contents.QUESTIONS, *contents.EXPLANATIONS, "columns", "command_line"]
    paths = [source / f"{name}.md" for name in names]
    paths += sorted((source / "reference").rglob("*.md")) + sorted((source / "plots").glob("*.md"))
    parts = [
        path.read_text(encoding="utf-8").partition("```{toctree}")[0].strip() for path in paths
    ]
    return "\n\n---\n\n".join([f"# pdeval\n\n> {SUMMARY}\n\n{IDIOM}", *parts]) + "\n"
