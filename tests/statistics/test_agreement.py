"""Bootstrap intervals of the agreement of a judge with people cover as they say, with few queries too (issue 20)."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import pdeval  # noqa: F401

COEFFICIENTS = ["cohen", "scott", "alpha_nominal"]
ITEMS, CASES = 20, 400


def labeled(rng, queries, judge):
    """People and a judge on the same items; queries differ in how much is relevant and in how hard they are."""
    relevant = rng.beta(2, 3, (queries, 1))
    error = rng.beta(2, 8, (queries, 1))
    drawn = rng.random((2, queries, ITEMS))
    people = rng.random((queries, ITEMS)) < relevant
    said = {
        "random": drawn[0] < 0.4,
        "lenient": np.where(people, drawn[0] > error, drawn[1] < 2 * error),
        "good": people ^ (drawn[0] < error / 2),
        "contrary": ~people ^ (drawn[0] < error),
    }[judge]
    query, item = (axis.ravel() for axis in np.indices(people.shape))
    one = pd.DataFrame({"query_id": query.astype(str), "doc_id": item.astype(str)})
    both = {"people": people, "judge": said}
    parts = [
        one.assign(assessor=name, label=label.ravel().astype(int)) for name, label in both.items()
    ]
    return pd.concat(parts, ignore_index=True)


@pytest.mark.slow
@pytest.mark.parametrize("queries", [20, 50])
@pytest.mark.parametrize("judge", ["random", "lenient", "good", "contrary"])
def test_intervals_of_agreement_cover(judge, queries):
    truth = (
        labeled(np.random.default_rng(1), 20_000, judge)
        .ireval.agreement(COEFFICIENTS)["value"]
        .to_numpy()
    )
    hits = np.zeros(len(COEFFICIENTS))
    for case in range(CASES):
        table = labeled(np.random.default_rng([2, case]), queries, judge)
        found = table.ireval.agreement(COEFFICIENTS, draws=500, seed=case)
        hits += (found["ci_low"].to_numpy() <= truth) & (truth <= found["ci_high"].to_numpy())
    low, high = stats.binom.ppf([0.001, 0.999], CASES, [0.93, 0.97])
    assert (hits >= low).all(), hits / CASES
    assert (hits <= high).all(), hits / CASES
