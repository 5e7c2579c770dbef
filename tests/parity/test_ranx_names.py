"""Every name of ranx 0.3.21 means something here; the cutoff and the least grade are written as there."""

import pytest

import pdeval
from tests.parity.same_names_peers import ranx_names

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


@pytest.mark.extras
def test_every_name_of_the_installed_switch_parses():
    pytest.importorskip("ranx", reason="ranx is not installed")
    names = set(ranx_names())
    assert "ndcg" in names
    assert [
        name
        for name in sorted(names)
        if not pdeval.parse("rbp.95" if name == "rbp" else name).spelled
    ] == []


def test_a_name_that_is_not_ranx_is_refused_by_name():
    with pytest.raises(KeyError, match="ndcg_burgess"):
        pdeval.parse("ndcg_burgess")
