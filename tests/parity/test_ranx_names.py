"""Every name of ranx 0.3.21 means something here; the cutoff and the least grade are written as there."""

import pytest

import pdeval

# ranx' own switch of metrics, and what each is here
NAMES = {
    "hits": "NumRelRet", "hit_rate": "Success", "precision": "P", "recall": "R", "f1": "F", "r-precision": "Rprec",
    "bpref": "Bpref", "rbp.95": "RBP(p=0.95)", "mrr": "RR", "map": "AP", "dcg": "DCG", "dcg_burges": "DCG(gain=exp)",
    "ndcg": "nDCG", "ndcg_burges": "nDCG(gain=exp)",
}  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_every_name_parses(name):
    assert pdeval.parse(name).spelled == NAMES[name]
    if name not in ("r-precision", "bpref", "rbp.95"):
        assert pdeval.parse(f"{name}@5").spelled == f"{NAMES[name]}@5"
    if name == "map":
        assert pdeval.parse("map@100-l2").spelled == "AP(level=2)@100"
