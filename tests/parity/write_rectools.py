"""Write what RecTools gives on a small data set: `python tests/parity/write_rectools.py`, where it is installed."""

import json
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd

USERS, ITEMS, LENGTH = 8, 60, 20


def data():
    """Return recommendations and interactions: one row per user and item."""
    rng = np.random.default_rng(7)
    lists = [rng.permutation(ITEMS)[:LENGTH] for _ in range(USERS)]
    wanted = [rng.permutation(ITEMS)[: rng.integers(1, 16)] for _ in range(USERS)]
    reco = pd.DataFrame(
        {"user_id": np.repeat(np.arange(USERS), LENGTH), "item_id": np.concatenate(lists)}
    )
    reco["rank"] = np.tile(np.arange(1, LENGTH + 1), USERS)
    own = np.repeat(np.arange(USERS), [len(one) for one in wanted])
    return reco, pd.DataFrame({"user_id": own, "item_id": np.concatenate(wanted)})


def values():
    """Return the value of every user by pdeval's name for the measure."""
    from rectools import metrics

    reco, interactions = data()
    asked = {
        "P@10": metrics.Precision(10),
        "RelP@10": metrics.Precision(10, r_precision=True),
        "R@10": metrics.Recall(10),
        "F@10": metrics.F1Beta(10),
        "F(beta=2)@10": metrics.F1Beta(10, beta=2.0),
        "Success@10": metrics.HitRate(10),
        "RR@10": metrics.MRR(10),
        "AP@10": metrics.MAP(10),
        "AP(norm=k)@10": metrics.MAP(10, divide_by_k=True),
        "SDCG@10": metrics.NDCG(10),
        "PartialAUC@5": metrics.PartialAUC(5),
        "PAP@5": metrics.PAP(5),
    }
    found = {
        name: metric.calc_per_user(reco, interactions).tolist() for name, metric in asked.items()
    }
    mcc = metrics.MCC(10).calc_per_user(reco, interactions, np.arange(ITEMS))
    return {**found, f"MCC(items={ITEMS})@10": mcc.tolist()}


if __name__ == "__main__":
    held = {"rectools": version("rectools"), "values": values()}
    (Path(__file__).parent / "rectools.json").write_text(json.dumps(held, indent=1) + "\n")
