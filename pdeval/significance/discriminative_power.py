"""Discriminative power: the fraction of pairs of runs that differ significantly by a measure (Sakai)."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from pdeval.evaluate import MEASURES, ScoresLike, described_frame, merged_attrs, sources, stacked
from pdeval.significance.compare import compare
from pdeval.significance.corrections import JointCorrection
from pdeval.significance.registry import TESTS, which_test
from pdeval.tables import table
from pdeval.verbs import check_not_declared, listed_in_docs, verb

table(
    "discriminative_power",
    "measure test correction alpha:float pairs:int n_significant:int fraction_significant:fraction",
    "table of discriminative power",
    recognized_by="measure test pairs n_significant fraction_significant",
    row="measure and test",
    sort="test measure",
    then=".report()",
    means={
        "correction": "correction for the number of pairs; 'none needed' if the test accounts for all of them",
        "pairs": "number of pairs of runs",
        "n_significant": "number of pairs whose corrected p-value is below alpha",
        "fraction_significant": "their fraction of all pairs",
    },
    no_plot="there is one number per measure and test; draw .discriminative_power.curve()",
)
table(
    "discriminative_curve",
    "measure test correction pair:int fraction:fraction p_value:float",
    "table of sorted p-values",
    row="measure, test and pair of runs",
    sort="test measure pair",
    then=".plot()",
    means={
        "correction": "correction for the number of pairs",
        "pair": "1, 2, ... by decreasing p-value",
        "fraction": "fraction of the pairs up to this one",
        "p_value": "corrected p-value",
    },
    no_report="a curve is drawn: .plot()",
)


@verb(
    on=("scores", "preferences", "judged"),
    per_measure=True,
    returns="discriminative_power",
    independent=True,
)
@listed_in_docs(tests=TESTS)
def discriminative_power(
    data: ScoresLike,
    measures: object = MEASURES,
    *,
    tests: str | Sequence[str | None] = ("default", "hsd"),
    correction: JointCorrection | None = "auto",
    alpha: float = 0.05,
    draws: int = 10_000,
    seed: int | None = 0,
    progress: bool | None = None,
) -> pd.DataFrame:
    """Return the fraction of pairs of runs that differ significantly, for each measure and test.

    It is the fraction of the p-values of `discriminative_power.curve` below alpha, with the same tests and correction.

    Parameters
    ----------
    tests : str or list of str
        Significance tests. "default" is the test declared by the measure: the sign test for sgnLP and sgnLR, the
        t-test for all others. `@pdeval.test` declares another test. The declared tests are:

        {tests}
    correction : str or None
        ... 'auto' is 'max-t' for t-tests of up to 30 runs, else 'holm', as in `compare`. HSD already accounts for all
        pairs. Papers often use 'bonferroni' or 'none'.

    References
    ----------
    Sakai (2006), Evaluating evaluation metrics based on the bootstrap; Diaz and Ferraro (2022), Offline
    retrieval evaluation without evaluation metrics, Tables 3 and 4.

    Examples
    --------
    >>> import pdeval
    >>> judged = pdeval.datasets.sample_judged(queries="common")
    >>> judged.discriminative_power(["RPP", "AP", "RR"], tests=["t", "hsd"], draws=500).round(3)
      measure test   correction  alpha  pairs  n_significant  fraction_significant
    0     RPP    t        max-t   0.05     66             47                 0.712
    1      AP    t        max-t   0.05     66             45                 0.682
    2      RR    t        max-t   0.05     66             12                 0.182
    3     RPP  hsd  none needed   0.05     66             42                 0.636
    4      AP  hsd  none needed   0.05     66             37                 0.561
    5      RR  hsd  none needed   0.05     66             11                 0.167
    """

    def detected(compared: pd.DataFrame) -> pd.DataFrame:
        code, names = pd.factorize(pd.Index(compared["measure"].array))
        pairs = np.bincount(code)
        count = np.bincount(code[compared["significant"].to_numpy()], minlength=len(pairs))
        return pd.DataFrame(
            {
                "measure": names,
                "test": compared["test"].array[np.unique(code, return_index=True)[1]],
                "correction": compared.attrs["correction"],
                "alpha": alpha,
                "pairs": pairs,
                "n_significant": count,
                "fraction_significant": count / pairs,
            }
        )

    options = {"correction": correction, "draws": draws, "seed": seed, "progress": progress}
    return _by_test(data, measures, tests, detected, {**options, "alpha": alpha})


@verb(
    on=("scores", "preferences", "judged"),
    per_measure=True,
    returns="discriminative_curve",
    independent=True,
    family="discriminative_power",
    name="curve",
)
@listed_in_docs(tests=TESTS)
def discriminative_curve(
    data: ScoresLike,
    measures: object = MEASURES,
    *,
    tests: str | Sequence[str | None] = ("default", "hsd"),
    correction: JointCorrection | None = "auto",
    draws: int = 10_000,
    seed: int | None = 0,
    progress: bool | None = None,
) -> pd.DataFrame:
    """Return the sorted p-values of all pairs, per measure and test: Sakai's curve of achieved significance levels.

    The further to the left a curve drops, the more pairs the measure distinguishes: the fraction of p-values below
    alpha is `fraction_significant` of `discriminative_power`. Sakai plots uncorrected p-values
    of one test: tests="bootstrap", correction="none".

    Parameters
    ----------
    tests : str or list of str
        Significance tests. "default" is the test declared by the measure: the sign test for sgnLP and sgnLR, the
        t-test for all others. `@pdeval.test` declares another test. The declared tests are:

        {tests}
    correction : str or None
        ... 'auto' is 'max-t' for t-tests of up to 30 runs, else 'holm', as in `compare`. HSD already accounts for all
        pairs. Papers often use 'bonferroni' or 'none'.

    Examples
    --------
    >>> import pdeval
    >>> judged = pdeval.datasets.sample_judged(queries="common")
    >>> curve = judged.discriminative_power.curve(["RPP", "RR"], tests="t", correction="none")
    >>> curve[curve["pair"] == 20].round(4)
       measure test correction  pair  fraction  p_value
    19     RPP    t       none    20     0.303   0.0011
    85      RR    t       none    20     0.303   0.2737
    """
    options = {"correction": correction, "draws": draws, "seed": seed, "progress": progress}

    def curve(compared: pd.DataFrame) -> pd.DataFrame:
        p_value, code = compared["p_adjusted"].to_numpy(), pd.factorize(compared["measure"])[0]
        # by measure in order of appearance, then by decreasing p-value
        order = np.lexsort((-p_value, code))
        code = code[order]
        pair = np.arange(len(code)) - np.searchsorted(code, code) + 1
        part = compared.iloc[order][["measure", "test"]].assign(
            correction=compared.attrs["correction"], pair=pair
        )
        return part.assign(fraction=pair / np.bincount(code)[code], p_value=p_value[order])

    return _by_test(data, measures, tests, curve, options)


def _by_test(
    data: ScoresLike,
    measures: object,
    tests: str | Sequence[str | None],
    rows: Callable[[pd.DataFrame], pd.DataFrame],
    options: dict[str, Any],
) -> pd.DataFrame:
    """Return the result of `rows` for the comparisons of all pairs by each test; names are checked first."""
    try:
        cubes = sources(data, measures)
    except KeyError:
        check_not_declared(measures, "a significance test", TESTS, "discriminative_power(tests={})")
        raise
    requested = [tests] if isinstance(tests, str) else list(tests)
    for test in requested:
        which_test(test)
    compared = [compare(cubes, test=test, **options) for test in requested]
    return described_frame(
        stacked(list(map(rows, compared))).reset_index(drop=True),
        merged_attrs(cube.attrs for cube in cubes),
    )
