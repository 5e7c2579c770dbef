"""The picture of every plot, drawn by the code that its page shows."""

from __future__ import annotations

import ast
import functools
import warnings
from pathlib import Path
from typing import Any

from notebooks.site import registries

DARK = "#131416"  # the background of the theme
ALL = """\
import pdeval

judged = pdeval.datasets.sample_judged(queries="common")
"""
SIX = """\
import pdeval

runs, qrels, metadata = pdeval.datasets.load_sample()
six = ["bm25", "bm25+rm3", "dense-s1", "hybrid", "rerank-s1", "splade-s1"]
judged = runs[runs["run"].isin(six)].ireval.join(qrels, queries="common")
"""
# the same, with every positive grade relevant to the same degree
BINARY = SIX.replace('"common")', '"common", level=1)')
JUDGES = (
    ALL
    + """\
qrels = pdeval.datasets.sample_qrels()
grade = qrels["relevance"]
judges = {
    "strict": qrels.assign(relevance=grade.where(grade > 1, 0)),
    "hasty": qrels.assign(relevance=grade.where(qrels.index % 3 > 0, 0)),
}
"""
)
# the code of each picture; its last line draws
EXAMPLES = {
    "agreement_figure": BINARY + """pdeval.plots.agreement_figure(judged, ["AP", "RR"])""",
    "asl_histogram": SIX
    + """\
lengths = judged.search_lengths.histogram(runs=["bm25", "rerank-s1"])
lengths.ireval.plot.asl_histogram()""",
    "asl_wins": SIX + """judged.search_lengths.wins("rerank-s1", "bm25").ireval.plot.asl_wins()""",
    "behavior_bars": SIX
    + """\
log = judged.simulate_clicks(seed=1)
behavior = log.ireval.behavior(["clicks_per_query", "mean_reciprocal_rank"])
three = behavior[behavior["bucket"].isin(["bm25", "hybrid", "rerank-s1"])]
three.ireval.plot.behavior_bars()""",
    "confusion_heatmap": """\
import pandas as pd
import pdeval

qrels = pdeval.datasets.sample_qrels().rename(columns={"relevance": "label"})
lower = (qrels["label"] - (qrels.index % 3 == 0)).clip(lower=0)
labels = pd.concat(
    [qrels.assign(assessor="lenient"), qrels.assign(assessor="strict", label=lower)]
)
labels.ireval.agreement.confusion("lenient").ireval.plot.confusion_heatmap()""",
    "contribution_ecdf": BINARY
    + """judged.disaggregate.ecdf(["AP", "RPP"]).ireval.plot.contribution_ecdf()""",
    "contribution_figure": BINARY
    + """pdeval.plots.contribution_figure({"Sample collection": judged}, ["AP", "RPP"])""",
    "contribution_surface": """\
import pdeval

pdeval.studies.contribution_surface("AP").ireval.plot.contribution_surface()""",
    "correlation_heatmap": ALL
    + """\
correlations = judged.correlate(["AP", "nDCG@10", "RR", "P@10", "RPP"])
correlations.ireval.plot.correlation_heatmap()""",
    "critical_difference": ALL
    + """judged.compare("AP", test="nemenyi").ireval.plot.critical_difference()""",
    "decided_by_recall": ALL + """judged.ties.deciding_ecdf().ireval.plot.decided_by_recall()""",
    "difference_scatter": SIX
    + """\
preferences = judged.prefer(["AP", "RPP"])
preferences.ireval.plot.difference_scatter(measures=["AP", "RPP"])""",
    "discount_curves": """\
import pdeval

curves = pdeval.studies.discount_curves(["DCG", "P@10", "RBP(p=0.8)"], ranks=30)
curves.ireval.plot.discount_curves()""",
    "effect_scatter": ALL
    + """\
runs, qrels, metadata = pdeval.datasets.load_sample()
original = runs[runs["run"].isin(["bm25", "dense-s1", "splade-s1", "rerank-s1"])]
again = runs[runs["run"].isin(["bm25", "dense-s2", "splade-s2", "rerank-s2"])]
pairs = {run: run.replace("-s2", "-s1") for run in again["run"].unique()}
measures = ["AP", "nDCG@10", "RR"]
result = again.ireval.reproduce(
    qrels, original, measures, baseline="bm25", pairs=pairs, queries="common"
)
result.ireval.plot.effect_scatter()""",
    "equivalence_bars": ALL
    + """\
probabilities = judged.equivalence("nDCG@10", rope=0.02, baseline="splade-s1")
probabilities.ireval.plot.equivalence_bars()""",
    "exposure_curve": """\
import numpy as np
import pandas as pd
import pdeval

runs, qrels, metadata = pdeval.datasets.load_sample()
bm25 = runs[(runs["run"] == "bm25") & (runs["rank"] <= 20)]
draws = np.random.default_rng(0)
samples = []
for noise in (1, 2, 4, 8, 16):  # the more noise, the more random are the rankings
    for i in range(20):
        score = -bm25["rank"] + draws.gumbel(0, noise, len(bm25))
        samples.append(bm25.assign(run=f"noise {noise}", sample=i, score=score))
random_runs = pd.concat(samples).drop(columns="rank")
scores = random_runs.ireval(run=["run", "sample"]).expected_exposure(qrels)
scores.ireval.exposure_tradeoff().ireval.plot.exposure_curve()""",
    "forest": ALL
    + """\
scores = judged.measure("AP")
names = [f"collection {int(query) % 6 + 1}" for query in scores["query_id"]]
effects = scores.assign(collection=names).ireval.meta_analysis(
    by="collection", per="collection", baseline="splade-s1"
)
effects.ireval.plot.forest(runs=["hybrid", "splade-s1"])""",
    "hasse": """\
import pdeval

pdeval.plots.hasse(5, 3)""",
    "headroom_bars": ALL
    + """\
scores = judged.measure("P@20")
tens = scores.assign(ten=scores["query_id"].str[:2])
edges = {"P@20": [0, 0.4, 0.5, 0.6, 0.7]}
headroom = tens.ireval.search_lengths.headroom(by="ten", edges=edges)
headroom.ireval.plot.headroom_bars()""",
    "incomplete_data_figure": BINARY
    + """\
collections = {"Sample collection": judged}
pdeval.plots.incomplete_data_figure(collections, show="ties", draws=2)""",
    "intervals": ALL + """judged.compare("nDCG@10", baseline="bm25").ireval.plot.intervals()""",
    "judge_dots": JUDGES
    + """judged.judges(judges, ["AP", "nDCG@10", "RPP"]).ireval.plot.judge_dots()""",
    "judge_scatter": JUDGES + """judged.judges.scores(judges, "AP").ireval.plot.judge_scatter()""",
    "level_scatter": BINARY
    + """judged.disaggregate("EU(utility=reciprocal)").ireval.plot.level_scatter(levels=3)""",
    "matrix_heatmap": SIX + """judged.matrix("RPP").ireval.plot.matrix_heatmap()""",
    "p_value_curves": ALL
    + """judged.compare(["AP", "RR", "nDCG@10"]).ireval.plot.p_value_curves()""",
    "panels": ALL
    + """\
scores = judged.measure("AP")
odd = scores["query_id"].astype(int) % 2 == 1
halves = scores.assign(half=odd.map({True: "Odd queries", False: "Even queries"}))
halves.ireval.order(by="half").ireval.plot.panels(by="half")""",
    "precision_recall": SIX + """judged.curve().ireval.plot.precision_recall()""",
    "preference_heatmap": SIX + """judged.prefer("RPP").ireval.plot.preference_heatmap()""",
    "query_differences": SIX
    + """\
preferences = judged.prefer("RPP", pairs=[("rerank-s1", "hybrid")])
preferences.ireval.plot.query_differences()""",
    "query_heatmap": SIX + """judged.measure("nDCG@10").ireval.plot.query_heatmap()""",
    "rank_scatter": ALL + """judged.order(["AP", "RPP"]).ireval.plot.rank_scatter()""",
    "rank_slopes": ALL + """judged.order(["AP", "RPP"]).ireval.plot.rank_slopes()""",
    "recall_effort": SIX + """judged.recall_curve().ireval.plot.recall_effort()""",
    "recall_levels": BINARY
    + """\
parts = judged.disaggregate(["AP", "nDCG", "RPP"], pairs=[("rerank-s1", "bm25")])
parts.ireval.plot.recall_levels(levels=20)""",
    "robustness": ALL
    + """\
result = judged.robustness(["RPP", "AP", "nDCG@10", "RR"], to="queries", draws=20)
result.ireval.plot.robustness()""",
    "running_sum": BINARY
    + """judged.explain("101", "RPP", runs=["rerank-s1", "bm25"]).ireval.plot.running_sum()""",
    "summary_bars": ALL + """judged.summary("nDCG@10").ireval.plot.summary_bars()""",
    "tie_probability": ALL + """judged.ties.by_first().ireval.plot.tie_probability()""",
    "ties_by_recall": ALL + """judged.ties.by_recall().ireval.plot.ties_by_recall()""",
    "variance_components": ALL
    + """\
metadata = pdeval.datasets.sample_metadata()
measures = ["AP", "nDCG@10", "RR"]
components = judged.replicates(measures, system="model", metadata=metadata)
components.ireval.plot.variance_components()""",
    "win_loss_tie": SIX + """judged.prefer("RPP", baseline="bm25").ireval.plot.win_loss_tie()""",
}


@functools.cache
def _variables(name: str) -> dict[str, Any]:
    """Return the variables of the code before its last statement, computed once for both backgrounds."""
    variables: dict[str, Any] = {}
    statements = ast.parse(EXAMPLES[name]).body[:-1]
    exec(compile(ast.Module(statements, []), name, "exec"), variables)
    return variables


def drawn(name: str) -> Any:
    """Return the figure of one plot."""
    last = ast.parse(EXAMPLES[name]).body[-1]
    made = eval(ast.unparse(last), _variables(name))
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
    for name in registries.plots():
        for ending, looks in (("", []), (".dark", ["dark_background", dark])):
            with warnings.catch_warnings(), pyplot.style.context(looks):
                warnings.simplefilter("error")
                figure = drawn(name)
                figure.savefig(folder / f"{name}{ending}.png", dpi=110)
            pyplot.close(figure)
