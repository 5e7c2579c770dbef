"""CUPED: what users did before an experiment takes variance out of what they did in it.

Deng, Xu, Kohavi and Walker (2013). A user's value y is adjusted to y - theta (x - mean x), x being what the same user
did in the pre-period, which no bucket can have changed. theta is the slope of y on x within buckets, so that adjusted
differences are those of the analysis of covariance. Users without a pre-period stay, unadjusted: x is the mean there.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pandas as pd

from pdeval.online.behaviour_measures import BehaviourMeasure
from pdeval.online.log import Log, read_log
from pdeval.online.observations import fitting, observe, units_of
from pdeval.online.two_sample_tests import Aggregate, linearised
from pdeval.tables import reader
from pdeval.tables.reader import Table
from pdeval.verbs.arguments import TooFew


class Adjustment(NamedTuple):
    """What a pre-period foretells.

    Parameters
    ----------
    off : ndarray
        What is taken off each unit's value.
    known : ndarray of bool
        Which units have a pre-period.
    theta : float
        The slope.
    """

    off: np.ndarray
    known: np.ndarray
    theta: float


def adjustment(values: np.ndarray, bucket: np.ndarray, covariate: np.ndarray) -> Adjustment:
    """Return what a covariate foretells of values; NaN in it stands for units without one.

    Examples
    --------
    >>> found = adjustment(np.array([1.0, 3, 2, 4, 9]), np.array([0, 0, 1, 1, 2]), np.array([0.0, 4, 0, 4, np.nan]))
    >>> found.off.tolist(), found.theta
    ([-1.0, 1.0, -1.0, 1.0, 0.0], 0.5)
    """
    known = ~np.isnan(covariate)
    if not known.any():
        return Adjustment(np.zeros(len(values)), known, 0.0)
    x = np.where(known, covariate - covariate[known].mean(), 0.0)
    n = np.bincount(bucket)
    means = [np.bincount(bucket, one) / np.maximum(n, 1) for one in (x, values)]
    within, response = x - means[0][bucket], values - means[1][bucket]
    spread = float(within @ within)
    theta = float(within @ response) / spread if spread > 1e-24 * max(float(x @ x), 1e-300) else 0.0
    return Adjustment(theta * x, known, theta)


def covariates(
    pre: Table, log: Log, measures: dict[str, BehaviourMeasure], how: dict[str, Aggregate]
) -> dict[str, np.ndarray]:
    """Return, for every measure, what each user of a log did in the pre-period; NaN for users without one.

    Parameters
    ----------
    pre : Table
        The click log of the pre-period.
    measures : mapping of str to BehaviourMeasure
        The measure of the pre-period that foretells each measure.
    """
    read = read_log(pre)
    if "user" not in log.names or "user" not in read.names:
        raise ValueError("pre= needs a user column in both logs; bind it: log.ireval(user=...).")
    _apart(read, log)
    units, before = units_of(log, "user"), units_of(read, "user")
    at = before.get_indexer(units)
    if not (at >= 0).any():
        raise TooFew(
            f"pre= has no user of the log: there {before.tolist()[0]!r}, here {units.tolist()[0]!r}; give both the "
            "same user ids."
        )
    fitting(read, measures.values(), "user", named=True)
    everyone = pd.Index(["all"])
    seen = observe(read, measures.values(), "user", np.zeros(len(read.queries), dtype=np.int64), everyone)
    found = {}
    for name, measure in measures.items():
        own = np.full(len(before) + 1, np.nan)  # the last stands for users who are not there
        one = seen[measure.name]
        own[one.who] = linearised(one.total, one.over) if how[name] == "ratio" and len(one.who) else one.values("mean")
        found[name] = own[at]
    return found


def read_pre(pre: object, log: Table) -> Table:
    """Return the log of a pre-period; columns bound for the log are bound here too, where it has them."""
    frame = getattr(pre, "_frame", pre)
    own = getattr(pre, "_binding", None) or {}
    columns = getattr(frame, "columns", ())
    known = {role: name for role, name in log.roles.items() if name in columns and role != "bucket"}
    found = reader.read(frame, "clicks", {**known, **own})
    return replace(found, roles={role: name for role, name in found.roles.items() if role != "bucket"})


def _apart(before: Log, log: Log) -> None:
    """Raise unless the pre-period ends before the log begins."""
    ends, begins = before.span[1], log.span[0]
    try:
        overlaps = bool(ends >= begins)
    except TypeError:
        raise ValueError(
            f"the times of pre= and of the log are of two kinds, e.g. {ends!r} and {begins!r}; convert one of them."
        ) from None
    if overlaps:
        raise ValueError(
            f"pre= overlaps the log: it ends at {ends}, and the log begins at {begins}. What happened after users were "
            f"assigned cannot adjust: keep the rows before {begins}."
        )
