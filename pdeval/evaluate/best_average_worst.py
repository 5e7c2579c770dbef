"""The best, the average and the worst case of two runs side by side, and where they disagree."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import pandas as pd

from pdeval.catalog import parse
from pdeval.evaluate.cube import described_frame, pair_columns
from pdeval.evaluate.pairs import CELLS, select
from pdeval.evaluate.scores import Views, attributes
from pdeval.join.judged import Judged
from pdeval.kernels.primitives import closer
from pdeval.tables.equal_values import signs
from pdeval.tables.labels import repeated
from pdeval.tables.schemas import table
from pdeval.verbs import verb

table(
    "cases",
    "run_a run_b n:int best:float best_rr:float average:float worst:float "
    "best_average:share average_worst:share best_worst:share",
    "table of best, average and worst cases",
    row="pair of runs",
    sort="run_a run_b",
    means={
        "best": "mean of sgnLP: who serves the user who is easiest to satisfy",
        "best_rr": "mean of rrLP: by how much, in reciprocal ranks",
        "average": "mean of RPP, or of what was asked for: the mean over users",
        "worst": "mean of sgnLR: who serves the user who wants every relevant item",
        "best_average": "share of queries where best and average case name opposite winners",
        "average_worst": "share of queries where average and worst case name opposite winners",
        "best_worst": "share of queries where best and worst case name opposite winners",
    },
    unreported="it is a table of its own",
    undrawn="draw two of its preferences: .prefer(['sgnLP', 'RPP']) and .plot.difference_scatter()",
)
table(
    "query_cases",
    "query run_a run_b best:float best_rr:float average:float worst:float decided_first:int decided_last:int "
    "disagree:bool",
    "table of best, average and worst cases of queries",
    row="query and pair of runs",
    sort="query run_a run_b",
    means={
        "best": "sgnLP: who serves the user who is easiest to satisfy",
        "best_rr": "rrLP: by how much, in reciprocal ranks",
        "average": "RPP, or what was asked for: the mean over users",
        "worst": "sgnLR: who serves the user who wants every relevant item",
        "decided_first": "the lowest recall level where the rankings differ, 0 if none: it decides the best case",
        "decided_last": "the highest recall level where the rankings differ, 0 if none: it decides the worst case",
        "disagree": "whether two of the three cases name opposite winners",
    },
    unreported="it has a row per query",
    undrawn="draw two of its preferences: .prefer(['sgnLP', 'RPP']) and .plot.difference_scatter()",
)


@verb(on="judged", gives=("cases", "query_cases"), needs="judged")
def cases(
    judged: Judged,
    average: object = "RPP",
    *,
    per: Literal["pair", "query"] = "pair",
    baseline: object = None,
    pairs: object = None,
) -> pd.DataFrame:
    """Return the best, the average and the worst case of every pair of runs, and where they disagree.

    The best case is that of the user who is easiest to satisfy (lexicographic precision, sgnLP and rrLP), the worst
    that of the user who wants all relevant items (lexicographic recall, sgnLR), and RPP is the mean over users. All are
    positive where run_a is the better one. A run may serve the average user better and some user worse.

    Parameters
    ----------
    average : str or Measure
        The preference (or measure) of the average case.
    per : {'pair', 'query'}
        One row per pair, with means over queries, or one per query and pair.
    baseline : run, or list of them, optional
        Only pairs of a run with this one, which is then run_b.

    Examples
    --------
    >>> import pdeval
    >>> judged = pdeval.datasets.sample_judged(topics="common")
    >>> judged.cases(baseline="bm25").iloc[:2, :7].round(3)
          run_a run_b   n   best  best_rr  average  worst
    0  bm25+rm3  bm25  48 -0.042   -0.021    0.080  0.208
    1  dense-s1  bm25  48  0.333    0.113    0.356  0.625

    On some queries the best case is one run's and the worst case the other's.

    >>> found = judged.cases(per="query", pairs=[("hybrid", "bm25")])
    >>> found[["query_id", "best", "average", "worst", "decided_first", "decided_last", "disagree"]].head(2).round(3)
      query_id  best  average  worst  decided_first  decided_last  disagree
    0      101   1.0    0.684    1.0              3            11     False
    1      102  -1.0    0.064    1.0              1            31      True
    """
    requested = [parse(name) for name in ("sgnLP", "rrLP", average, "sgnLR")]
    source = select(judged, requested, baseline=baseline, pairs=pairs)
    values_of = dict(zip(source.measures, source.cube().values))
    values = dict(
        zip(
            ("best", "best_rr", "average", "worst"),
            (values_of[measure.label] for measure in requested),
        )
    )
    sign = {
        name: signs(values[name], 1.0) for name in ("best", "average", "worst")
    }  # preferences have size 1
    opposed = {
        f"{first}_{second}": sign[first] * sign[second] < 0
        for first, second in (("best", "average"), ("average", "worst"), ("best", "worst"))
    }
    known = ~np.isnan(values["best"])
    if per == "pair":
        n = known.sum(axis=0)
        divisor = np.where(n > 0, n, np.nan)
        columns: dict[str, Any] = {
            **pair_columns(source.runs, source.a, source.b),
            "n": n,
            **{
                name: np.where(known, value, 0.0).sum(axis=0) / divisor
                for name, value in values.items()
            },
            **{name: (mask & known).sum(axis=0) / divisor for name, mask in opposed.items()},
        }
    else:
        query, pair = np.nonzero(known)
        first, last = _deciding(judged, source.a, source.b)
        columns = {
            str(source.queries.name): repeated(source.queries, query),
            **pair_columns(source.runs, source.a[pair], source.b[pair]),
            **{name: value[query, pair] for name, value in values.items()},
            "decided_first": first[source.kept][query, pair],
            "decided_last": last[source.kept][query, pair],
            "disagree": np.logical_or.reduce(list(opposed.values()))[query, pair],
        }
    return described_frame(columns, attributes(judged, source.asked))


def _deciding(judged: Judged, a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the lowest and the highest recall level at which rankings differ, 0 if none, (topics, pairs) each."""
    first, last = (np.zeros((len(judged.queries), len(a)), dtype=np.int64) for _ in range(2))
    for block in Views(judged).blocks("binary", judged.level):
        if block.size == 0:
            continue
        rank = block["rank"]
        step = max(CELLS // (block.size * block.shape[0]), 1)
        for at in range(0, len(a), step):
            part = slice(at, at + step)
            differ = closer(rank[..., a[part]], rank[..., b[part]]) != 0
            decided = differ.any(axis=0)
            first[block.topics, part] = np.where(decided, differ.argmax(axis=0) + 1, 0)
            last[block.topics, part] = np.where(
                decided, block.size - differ[::-1].argmax(axis=0), 0
            )
    return first, last
