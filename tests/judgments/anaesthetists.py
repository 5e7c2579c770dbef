"""The example of Dawid and Skene (1979), Table 1: 45 patients, five anaesthetists, fitness for surgery from 1 to 4.

The first anaesthetist assessed every patient three times. `python -m tests.judgments.anaesthetists --write` fits the
model with crowd-kit, an implementation of its own, and writes what it finds beside this file.
"""

import json
import sys
from pathlib import Path

import pandas as pd

WRITTEN = Path(__file__).with_name("anaesthetists.json")
# one patient after the other: the three answers of the first, then those of the others
ANSWERS = """
111 1 1 1 1, 333 4 3 3 4, 112 2 1 2 2, 222 3 1 2 1, 222 3 2 2 2, 222 3 3 2 2, 122 2 1 1 1, 333 3 4 3 3, 222 2 2 2 3,
232 2 2 2 3, 444 4 4 4 4, 222 3 3 4 3, 111 1 1 1 1, 222 3 2 1 2, 121 1 1 1 1, 111 2 1 1 1, 111 1 1 1 1, 111 1 1 1 1,
222 2 2 2 1, 222 1 3 2 2, 222 2 2 2 2, 222 2 2 2 1, 222 3 2 2 2, 221 2 2 2 2, 111 1 1 1 1, 111 1 1 1 1, 232 2 2 2 2,
111 1 1 1 1, 111 1 1 1 1, 112 1 1 2 1, 111 1 1 1 1, 333 3 2 3 3, 111 1 1 1 1, 222 2 2 2 2, 222 3 2 3 2, 433 4 3 4 3,
221 2 2 3 2, 232 3 2 3 3, 333 3 4 3 2, 111 1 1 1 1, 111 1 1 1 1, 121 2 1 1 1, 232 2 2 2 2, 121 1 1 1 1, 222 2 2 2 2
"""


def anaesthetists() -> pd.DataFrame:
    """Return the 315 answers: item, assessor, label."""
    rows = [
        (patient, observer, int(answer))
        for patient, line in enumerate(ANSWERS.split(","), 1)
        for observer, answers in enumerate(line.split(), 1)
        for answer in answers
    ]
    return pd.DataFrame(rows, columns=["item", "assessor", "label"])


def crowd_kit() -> dict:
    """Return what crowd-kit finds, after so many steps that nothing changes any more."""
    from importlib.metadata import version

    from crowdkit.aggregation import DawidSkene

    data = anaesthetists().set_axis(["task", "worker", "label"], axis=1)
    found = DawidSkene(n_iter=300, tol=-1.0).fit(data)
    errors = found.errors_.reset_index()
    return {
        "tool": f"crowd-kit {version('crowd-kit')}, DawidSkene(n_iter=300, tol=-1)",
        "prevalence": found.priors_.sort_index().round(9).tolist(),
        "posterior": found.probas_.sort_index()[[1, 2, 3, 4]].round(9).to_numpy().tolist(),
        # worker, true label, label, rate
        "errors": [
            [int(row["worker"]), true, int(row["label"]), round(float(row[true]), 9)]
            for _, row in errors.iterrows()
            for true in (1, 2, 3, 4)
        ],
    }


if __name__ == "__main__" and "--write" in sys.argv:
    WRITTEN.write_text(json.dumps(crowd_kit()) + "\n")
