"""What stands where on the site: its sections, and the pages of each in order."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

SITE = Path(__file__).resolve().parent
NOTEBOOKS = SITE.parent
ROOT = NOTEBOOKS.parent

# titles of the tables of verbs, by the package of their functions
TASKS = {
    "evaluate": "Measures and preferences",
    "orderings": "Orderings",
    "significance": "Significance and planning",
    "studies": "Measures, ties and robustness",
    "judgments": "Judgments, pools and assessors",
    "online": "Clicks, A/B tests and interleaving",
    "answers": "Answers and chunks",
    "report": "Tables and figures",
}
QUESTIONS = (
    "which_is_better",
    "why_did_it_win",
    "for_whom",
    "how_stable",
    "how_good_are_my_labels",
    "into_my_paper",
)
EXPLANATIONS = (
    "queries",
    "ties",
    "levels",
    "preferences",
    "uncertainty",
    "choosing_a_test",
    "machine_labels",
    "beyond_accuracy",
    "answers",
    "exposure",
    "review",
    "ab_tests",
    "off_policy",
    "reproduction",
    "protocol",
    "conventions",
    "same_name",
)
REFERENCE = (
    "verbs",
    "measures",
    "reference/tables",
    "plots/index",
    "reference/report",
    "reference/functions",
    "columns",
    "command_line",
)
ABOUT = ("trust", "simulations", "speed", "peers", "papers", "changelog", "contributing")


def tutorials() -> list[Path]:
    """Return the notebooks that teach, in order."""
    return sorted(NOTEBOOKS.glob("*.ipynb"))


def replications() -> list[Path]:
    """Return the notebooks that verify."""
    return sorted((NOTEBOOKS / "replications").glob("*.ipynb"))


def toctree(pages: Iterable[str], caption: str = "") -> str:
    """Return the directive that puts pages into the navigation, and with a caption also the pages below them.

    Sections of pages are not in the navigation; without a depth, Sphinx copies them for every page.
    """
    head = ["```{toctree}", ":hidden:", f":maxdepth: {2 if caption else 1}"]
    head += [f":caption: {caption}"] if caption else []
    return "\n".join([*head, "", *pages, "```", ""])


def navigation() -> str:
    """Return the navigation of the front page."""
    sections = {
        "Tutorials": [f"tutorials/{path.stem}" for path in tutorials()]
        + ["tutorials/replications/index"],
        "By question": QUESTIONS,
        "Reference": REFERENCE,
        "Explanation": EXPLANATIONS,
        "About": ABOUT,
    }
    return "\n".join(toctree(pages, caption) for caption, pages in sections.items())
