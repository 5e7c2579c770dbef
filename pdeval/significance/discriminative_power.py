"""Discriminative power: how many pairs of runs a measure tells apart (Sakai)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from pdeval.evaluate.cube import merged_attrs, stacked
from pdeval.evaluate.scores import MEASURES
from pdeval.evaluate.sources import Held, sources
from pdeval.significance.compare import compare
from pdeval.significance.corrections import Correction
from pdeval.significance.registry import TESTS, not_tests, which_test
from pdeval.tables.schemas import table
from pdeval.verbs import verb
from pdeval.verbs.registry import listed_in_docs

table(
    "discriminative_power",
    "measure test correction alpha:float pairs:int n_detected:int detected:share",
    "table of discriminative power",
    known_by="measure test pairs n_detected detected",
    row="measure and test",
    sort="test measure",
    then=".report()",
    means={
        "correction": "for the number of pairs; 'none needed' where the test accounts for all of them",
        "pairs": "number of pairs of runs",
        "n_detected": "number of pairs whose corrected p-value is below alpha",
        "detected": "their share of all pairs",
    },
    undrawn="there is one number per measure and test; draw .discriminative_power.curve()",
)
table(
    "discriminative_curve",
    "measure test correction pair:int share:share p_value:float",
    "table of sorted p-values",
    row="measure, test and pair of runs",
    sort="test measure pair",
    then=".plot()",
    means={
        "correction": "for the number of pairs",
        "pair": "1, 2, ... by falling p-value",
        "share": "of the pairs up to this one",
        "p_value": "after the correction",
    },
    unreported="a curve is drawn: .plot()",
)


@verb(
    on=("scores", "preferences", "judged"),
    per_measure=True,
    gives="discriminative_power",
    independent=True,
)
@listed_in_docs(tests=TESTS)
def discriminative_power(
    data: Held,
    measures: object = MEASURES,
    *,
    tests: str | Sequence[str | None] = ("default", "hsd"),
    correction: Correction | None = "bonferroni",
    alpha: float = 0.05,
    draws: int = 10_000,
    seed: int | None = 0,
    progress: bool | None = None,
) -> pd.DataFrame:
    """Return the share of the pairs of runs that each measure tells apart, by each test.

    It is the share of the p-values below alpha that `discriminative_power.curve` gives by default, with the same tests
    and correction.

    Parameters
    ----------
    tests : str or list of str
        "default" is that of the measure's declaration: the sign test for sgnLP and sgnLR, the t-test for the rest.
        `@pdeval.test` declares another. There are:

        {tests}
    correction : str or None
        ... HSD accounts for all pairs by itself.

    References
    ----------
    Sakai (2006), Evaluating evaluation metrics based on the bootstrap; Diaz and Ferraro (2022), Offline
    retrieval evaluation without evaluation metrics, Tables 3 and 4.

    Examples
    --------
    >>> import pdeval
    >>> judged = pdeval.datasets.sample_judged(topics="common")
    >>> judged.discriminative_power(["RPP", "AP", "RR"], tests=["t", "hsd"], draws=500).round(3)
      measure test   correction  alpha  pairs  n_detected  detected
    0     RPP    t   bonferroni   0.05     66          45     0.682
    1      AP    t   bonferroni   0.05     66          45     0.682
    2      RR    t   bonferroni   0.05     66          11     0.167
    3     RPP  hsd  none needed   0.05     66          42     0.636
    4      AP  hsd  none needed   0.05     66          37     0.561
    5      RR  hsd  none needed   0.05     66          11     0.167
    """
    options = {
        "correction": correction,
        "alpha": alpha,
        "draws": draws,
        "seed": seed,
        "progress": progress,
    }

    def detected(compared: pd.DataFrame) -> pd.DataFrame:
        code, names = pd.factorize(pd.Index(compared["measure"].array))
        pairs = np.bincount(code)
        count = np.bincount(code[compared["significant"].to_numpy()], minlength=len(pairs))
        first = np.unique(code, return_index=True)[1]
        return pd.DataFrame(
            {
                "measure": names,
                "test": compared["test"].array[first],
                "correction": compared.attrs["correction"],
                "alpha": alpha,
                "pairs": pairs,
                "n_detected": count,
                "detected": count / pairs,
            }
        )

    return _by_test(data, measures, tests, detected, options)


@verb(
    on=("scores", "preferences", "judged"),
    per_measure=True,
    gives="discriminative_curve",
    independent=True,
    family="discriminative_power",
    name="curve",
    formerly="p_value_curve",
)
@listed_in_docs(tests=TESTS)
def discriminative_curve(
    data: Held,
    measures: object = MEASURES,
    *,
    tests: str | Sequence[str | None] = ("default", "hsd"),
    correction: Correction | None = "bonferroni",
    draws: int = 10_000,
    seed: int | None = 0,
    progress: bool | None = None,
) -> pd.DataFrame:
    """Return the sorted p-values of all pairs, per measure and test: Sakai's curve of achieved significance levels.

    The lower and the further to the left a curve drops, the more pairs the measure tells apart: the share of p-values
    below alpha is what `discriminative_power` calls detected, with the same tests and correction. Sakai draws the
    p-values of one test as they are: tests="bootstrap", correction="none".

    Parameters
    ----------
    tests : str or list of str
        "default" is that of the measure's declaration: the sign test for sgnLP and sgnLR, the t-test for the rest.
        `@pdeval.test` declares another. There are:

        {tests}
    correction : str or None
        ... HSD accounts for all pairs by itself.

    Examples
    --------
    >>> import pdeval
    >>> judged = pdeval.datasets.sample_judged(topics="common")
    >>> curve = judged.discriminative_power.curve(["RPP", "RR"], tests="t", correction="none")
    >>> curve[curve["pair"] == 20].round(4)
       measure test correction  pair  share  p_value
    19     RPP    t       none    20  0.303   0.0011
    85      RR    t       none    20  0.303   0.2737
    """
    options = {"correction": correction, "draws": draws, "seed": seed, "progress": progress}

    def curve(compared: pd.DataFrame) -> pd.DataFrame:
        p_value, code = compared["p_adjusted"].to_numpy(), pd.factorize(compared["measure"])[0]
        # by measure as they come, then by falling p-value
        order = np.lexsort((-p_value, code))
        code = code[order]
        pair = np.arange(len(code)) - np.searchsorted(code, code) + 1
        part = compared.iloc[order][["measure", "test"]].assign(
            correction=compared.attrs["correction"], pair=pair
        )
        return part.assign(share=pair / np.bincount(code)[code], p_value=p_value[order])

    return _by_test(data, measures, tests, curve, options)


def _by_test(
    data: Held,
    measures: object,
    tests: str | Sequence[str | None],
    rows: Callable[[pd.DataFrame], pd.DataFrame],
    options: dict[str, Any],
) -> pd.DataFrame:
    """Return what `rows` makes of the comparisons of all pairs by each test; names are checked before any work."""
    try:
        cubes = sources(data, measures)
    except KeyError:
        not_tests(measures, "discriminative_power(tests={})")
        raise
    requested = [tests] if isinstance(tests, str) else list(tests)
    if not requested:
        raise ValueError("tests is empty: name at least one test, e.g. tests=['t'].")
    for test in requested:
        which_test(test)
    frame = stacked([rows(compare(cubes, test=test, **options)) for test in requested]).reset_index(
        drop=True
    )
    frame.attrs = merged_attrs(cube.attrs for cube in cubes)
    return frame
