"""The picture of every plot: of the sample collection where that shows it best, else of the tests' example tables."""

from __future__ import annotations

import ast
import functools
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from notebooks.site import registries

DARK = "#131416"  # the background of the theme
SIX = ["bm25", "bm25+rm3", "dense-s1", "hybrid", "rerank-s1", "splade-s1"]


@functools.cache
def sample(level: float | None = None) -> Any:
    """Return six systems of the sample collection, joined to its judgments."""
    import pdeval

    runs, qrels, _ = pdeval.datasets.load_sample()
    return runs[runs["run"].isin(SIX)].ireval.join(qrels, queries="common", level=level)


@functools.cache
def everything() -> Any:
    """Return all twelve systems."""
    import pdeval

    return pdeval.datasets.sample_judged(queries="common")


# what is drawn of the sample, and with which options
SAMPLED: dict[str, Callable[[], Any]] = {
    "critical_difference": lambda: (everything().compare("AP", test="nemenyi"), {}),
    "equivalence_bars": lambda: (
        everything().equivalence("nDCG@10", rope=0.02, baseline="splade-s1"),
        {},
    ),
    "summary_bars": lambda: (everything().summary("nDCG@10"), {}),
    "precision_recall": lambda: (sample().curve(), {}),
    "query_differences": lambda: (sample().prefer("RPP", pairs=[("rerank-s1", "hybrid")]), {}),
    "win_loss_tie": lambda: (sample().prefer("RPP", baseline="bm25"), {}),
    "preference_heatmap": lambda: (sample().prefer("RPP"), {}),
    "matrix_heatmap": lambda: (sample().matrix("RPP"), {}),
    "correlation_heatmap": lambda: (
        everything().correlate(["AP", "nDCG@10", "RR", "P@10", "RPP"]),
        {},
    ),
    "difference_scatter": lambda: (sample().prefer(["AP", "RPP"]), {"measures": ["AP", "RPP"]}),
    "recall_levels": lambda: (
        sample(1).disaggregate(["AP", "nDCG", "RR", "RPP"], pairs=[("rerank-s1", "bm25")]),
        {"levels": 20},
    ),
    "level_scatter": lambda: (sample(1).disaggregate("EU(utility=reciprocal)"), {"levels": 3}),
    "p_value_curves": lambda: (everything().compare(["AP", "RR", "nDCG@10"]), {}),
    "ties_by_recall": lambda: (everything().ties.by_recall(), {}),
    "decided_by_recall": lambda: (everything().ties.deciding_ecdf(), {}),
    "tie_probability": lambda: (everything().ties.by_first(), {}),
    "asl_histogram": lambda: (sample().search_lengths.histogram(runs=["bm25", "rerank-s1"]), {}),
    "asl_wins": lambda: (sample().search_lengths.wins("rerank-s1", "bm25"), {}),
    "running_sum": lambda: (sample(1).explain("101", "RPP", runs=["rerank-s1", "bm25"]), {}),
    "discount_curves": lambda: (
        _experiments().discount_curves(["DCG", "P@10", "RBP(p=0.8)"], ranks=30),
        {},
    ),
    "rank_slopes": lambda: (everything().order(["AP", "RPP"]), {}),
    "rank_scatter": lambda: (everything().order(["AP", "RPP"]), {}),
    "confusion_heatmap": lambda: (_strict_and_lenient().ireval.agreement.confusion("lenient"), {}),
    "judge_dots": lambda: (everything().judges(_judges(), ["AP", "nDCG@10", "RPP"]), {}),
    "judge_scatter": lambda: (everything().judges.scores(_judges(), "AP"), {}),
    "query_heatmap": lambda: (sample().measure("nDCG@10"), {}),
    "intervals": lambda: (everything().compare("nDCG@10", baseline="bm25"), {}),
    "panels": lambda: (_collections(), {"by": "collection"}),
    "contribution_surface": lambda: (_experiments().contribution_surface("AP"), {}),
    "variance_components": lambda: (
        everything().replicates(["AP", "nDCG@10", "RR"], system="model", metadata=_metadata()),
        {},
    ),
}


# figures of several panels, from joins
FIGURES: dict[str, Callable[[Any], Any]] = {
    "agreement_figure": lambda plot: plot(sample(1), ["AP", "RR"]),
    "contribution_figure": lambda plot: plot({"sample": sample(1)}, ["AP", "RPP"]),
    "incomplete_data_figure": lambda plot: plot(
        {"sample": sample(1)}, show="ties", draws=2, progress=False
    ),
}


def _metadata() -> Any:
    import pdeval

    return pdeval.datasets.sample_metadata()


def _strict_and_lenient() -> Any:
    """The sample's judgments by two assessors: one of them grades one lower on every third item."""
    import pandas as pd

    import pdeval

    qrels = pdeval.datasets.sample_qrels().rename(columns={"relevance": "label"})
    lower = (qrels["label"] - (qrels.index % 3 == 0)).clip(lower=0)
    return pd.concat(
        [qrels.assign(assessor="lenient"), qrels.assign(assessor="strict", label=lower)]
    )


def _judges() -> Any:
    """Two judges of the sample: one strict, one who overlooks every third item."""
    import pdeval

    qrels = pdeval.datasets.sample_qrels()
    grade = qrels["relevance"]
    return {
        "strict": qrels.assign(relevance=grade.where(grade > 1, 0)),
        "hasty": qrels.assign(relevance=grade.where(qrels.index % 3 > 0, 0)),
    }


def _experiments() -> Any:
    import pdeval

    return pdeval.studies


def _collections() -> Any:
    import pandas as pd

    parts = {
        "common queries": everything().order("AP"),
        "by RPP": everything().order("RPP", method="mc4"),
    }
    return pd.concat(
        [frame.assign(collection=name) for name, frame in parts.items()], ignore_index=True
    )


@functools.cache
def _calls() -> dict[str, tuple[str, str]]:
    """Return the table and the options of each plot of the sample as code."""
    tree = ast.parse(Path(__file__).read_text(encoding="utf-8"))
    table = next(
        node.value
        for node in tree.body
        if isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == "SAMPLED"
    )
    calls = {}
    for key, value in zip(table.keys, table.values):
        frame, options = value.body.elts
        pairs = zip(options.keys, options.values)
        text = ", ".join(f"{ast.literal_eval(one)}={ast.unparse(two)}" for one, two in pairs)
        calls[ast.literal_eval(key)] = ast.unparse(frame), text
    return calls


def code(name: str) -> str:
    """Return the code that draws the picture of a plot; empty if its table is an example of the tests.

    Examples
    --------
    >>> print(code("rank_slopes"))
    import pdeval
    judged = pdeval.datasets.sample_judged(queries="common")
    judged.order(['AP', 'RPP']).ireval.plot.rank_slopes()
    """
    frame, options = _calls().get(name, ("", ""))
    if not frame.startswith(("everything()", "sample(")) or re.search(r"\b_\w+\(", frame):
        return ""
    lines = ["import pdeval", 'judged = pdeval.datasets.sample_judged(queries="common")']
    if frame.startswith("sample(1)"):
        lines[1] = 'judged = pdeval.datasets.sample_judged(queries="common").at(level=1)'
    frame = re.sub(r"^(everything|sample)\(1?\)", "judged", frame)
    return "\n".join([*lines, f"{frame}.ireval.plot.{name}({options})"])


@functools.cache
def _sampled(name: str) -> Any:
    """Return the table of a plot and its options, computed once for both backgrounds."""
    return SAMPLED[name]()


def drawn(name: str, plot: Callable[..., Any]) -> Any:
    """Return the figure of one plot."""
    from tests.plots import frames

    if name == "hasse":
        return plot(5, 3).figure
    if name in FIGURES:
        return FIGURES[name](plot)
    if name in SAMPLED:
        frame, options = _sampled(name)
        return _figure(plot(frame, **options))
    kinds = [kind for kind in registries.drawn_by(name, plot) if kind in frames.KINDS]
    if not kinds:
        raise LookupError(
            f"no example of {name}(): add one to SAMPLED, or a table to tests/plots/frames.py."
        )
    return _figure(plot(frames.KINDS[kinds[0]]()))


def _figure(made: Any) -> Any:
    return made if hasattr(made, "savefig") else made.figure


def draw_all(folder: Path) -> None:
    """Draw every plot into a folder: NAME.png, and NAME.dark.png on a dark background."""
    import logging

    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    logging.getLogger("matplotlib.font_manager").setLevel(
        logging.ERROR
    )  # which fonts are missing here
    folder.mkdir(parents=True, exist_ok=True)
    dark = {"figure.facecolor": DARK, "axes.facecolor": DARK, "savefig.facecolor": DARK}
    for name, plot in registries.plots().items():
        for ending, looks in (("", []), (".dark", ["dark_background", dark])):
            with warnings.catch_warnings(), pyplot.style.context(looks):
                warnings.simplefilter("error")
                figure = drawn(name, plot)
                figure.savefig(folder / f"{name}{ending}.png", dpi=110)
            pyplot.close(figure)
