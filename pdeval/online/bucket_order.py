"""Whether buckets follow an expected order, from best to worst: one verdict per behaviour measure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
import pandas as pd

from pdeval.kinds.schemas import table
from pdeval.kinds.tables import Table
from pdeval.mechanics.equality import settled
from pdeval.online.arms import TestName
from pdeval.online.assignment import Unit
from pdeval.online.behaviour_measures import measure_named
from pdeval.online.buckets import compare_buckets
from pdeval.online.samples import Aggregate
from pdeval.significance.corrections import Correction
from pdeval.verbs import verb

table(
    "verdicts",
    "measure aggregate hypothesis found pairs:int as_expected:int significant:int against:int verdict",
    "table of verdicts on an order of buckets",
    row="behaviour measure",
    means={
        "hypothesis": "the expected order of the buckets' values",
        "found": "their order in the log",
        "pairs": "number of pairs of buckets",
        "as_expected": "pairs in the expected direction",
        "significant": "those among them that pass the test",
        "against": "pairs that pass the test in the other direction",
        "verdict": "'confirmed': every pair as expected and significant; 'in order': every pair as expected, not all "
        "significant; 'contradicted': some pair significantly against; 'not in order': anything else; 'no data': a "
        "bucket without observations",
    },
    undrawn="it is a table to read: one verdict per measure",
)


@verb(on="clicks", gives="verdicts")
def verdict(
    log: Table,
    order: Sequence[object],
    measures: Sequence[str] | str | None = None,
    *,
    aggregate: Aggregate | Mapping[str, Aggregate] | None = None,
    unit: Unit | None = None,
    test: TestName = "auto",
    correction: Correction | None = "bonferroni",
    alpha: float = 0.05,
) -> pd.DataFrame:
    """Return, per behaviour measure, whether the buckets follow a hypothesised order from best to worst.

    Parameters
    ----------
    order : list
        Buckets from best to worst, such as ["ORIG", "FLAT", "RAND"].
    measures : str or list of str, optional
        Any of abandonment_rate, reformulation_rate, queries_per_session, clicks_per_query, max_reciprocal_rank,
        mean_reciprocal_rank, time_to_first_click, time_to_last_click, first_result_clicks, click_through_rate (CTR),
        conversion_rate, revenue_per_user, sessions_per_user, events_per_user, and your own; of other events than a
        purchase, `conversion_rate(order)`. By default the first nine, your own, and conversion and revenue where the
        log has them.
    aggregate : {'mean', 'median', 'ratio'} or mapping of measure to one of them, optional
        The mean or median of the units' own values, or the ratio of sums over all units: clicks of all users over
        impressions of all users. By default the median for the two times, the ratio for the click-through rate and the
        mean for the others.
    unit : {'user', 'session', 'query'}, optional
        What counts as one observation: each user's or session's own mean, or an issued query (a session, for queries
        per session). By default the user or, in a log without users, the session: what belongs to one user is not
        independent, so a finer unit than what was randomised finds differences where there are none, and warns.
    test : {'auto', 'welch', 'delta', 'mann-whitney', 'bootstrap'}
        'auto': pooled z for rates of single queries or users, Welch's t for other means, the delta method for ratios,
        Mann-Whitney for medians.
    correction : str, optional
        'bonferroni', 'holm', 'fdr_bh' and so on, or 'none': for the number of pairs, within each measure.
    alpha : float
        Level of the tests.

    Examples
    --------
    >>> import pdeval
    >>> runs, qrels = pdeval.datasets.sample_runs(), pdeval.datasets.sample_qrels()
    >>> log = runs[runs["run"].isin(["rerank-s1", "tfidf"])].ireval.simulate_clicks(qrels, sessions=10)
    >>> found = log.ireval.verdict(["rerank-s1", "tfidf"], ["abandonment_rate", "clicks_per_query"])
    >>> found[["measure", "hypothesis", "significant", "verdict"]]
                measure         hypothesis  significant    verdict
    0  abandonment_rate  rerank-s1 < tfidf            1  confirmed
    1  clicks_per_query  rerank-s1 > tfidf            1  confirmed
    """
    pairs = compare_buckets(
        log,
        measures,
        order=order,
        aggregate=aggregate,
        unit=unit,
        test=test,
        correction=correction,
        alpha=alpha,
        draws=10_000 if test == "bootstrap" else 0,
    )
    rows = []
    for name, part in pairs.groupby("measure", sort=False, observed=True):
        sign, mark = (-1, "<") if measure_named(str(name)).worse == "increase" else (1, ">")
        toward = np.sign(part["difference"].to_numpy()) * sign
        significant = part["significant"].to_numpy()
        expected, against = toward > 0, (toward < 0) & significant
        values = [*part["value_a"].iloc[:1], *part["value_b"].iloc[: len(order) - 1]]
        rows.append(
            {
                "measure": name,
                "aggregate": part["aggregate"].iloc[0],
                "hypothesis": f" {mark} ".join(map(str, order)),
                "found": _found(values, order, mark),
                "pairs": len(part),
                "as_expected": int(expected.sum()),
                "significant": int((expected & significant).sum()),
                "against": int(against.sum()),
                "verdict": _word(toward, significant),
            }
        )
    frame = pd.DataFrame(rows)
    frame.attrs = {name: pairs.attrs[name] for name in ("measures", "unit", "correction", "alpha")}
    return frame


def _word(toward: np.ndarray, significant: np.ndarray) -> str:
    if np.isnan(toward).any():
        return "no data"
    if ((toward < 0) & significant).any():
        return "contradicted"
    if not (toward > 0).all():
        return "not in order"
    return "confirmed" if significant.all() else "in order"


def _found(values: list[float], order: Sequence[object], mark: str) -> str:
    """Return the buckets in the order of their values, e.g. 'ORIG < RAND = FLAT'; those without a value last."""
    value = np.array(values, dtype=np.float64)
    value = settled(value)
    rising = np.argsort(value if mark == "<" else -value, kind="stable")
    text = str(order[rising[0]])
    for before, after in pairwise(rising):
        between = "?" if np.isnan(value[after]) else "=" if value[after] == value[before] else mark
        text += f" {between} {order[after]}"
    return text
