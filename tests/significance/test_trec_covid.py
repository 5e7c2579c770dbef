"""Discriminative power on a real collection: 79 systems on the 40 topics of TREC-COVID, round 3."""

import pytest

# Percentage of the 3,081 pairs told apart, from an independent computation: binary at level 1 (for nDCG that means
# binary gains), scores as 32-bit floats, all 40 topics. HSD with 300 draws, so within a point or two.
PAIRED = {
    **{"RPP": 67.38, "dcgRPP": 66.05, "invRPP": 58.94, "AP": 62.22, "nDCG": 64.98},
    **{"RR": 13.44, "rrLP": 20.97, "sgnLP": 26.45},
}
HSD = {"RPP": 57, "dcgRPP": 57, "invRPP": 52, "AP": 45, "nDCG": 45, "RR": 18, "rrLP": 23, "sgnLP": 26}


@pytest.fixture(scope="module")
def pairs(shared_data):
    import pdeval  # noqa: F401  (registers the accessor)
    from pdeval import trec

    folder = shared_data / "trec-covid-r3"
    qrels = trec.read_qrels(folder / "qrels.txt")
    qrels["relevance"] = (qrels["relevance"] >= 1).astype(int)
    joined = trec.read_runs(folder / "runs").ireval.join(qrels, compat="trec_eval-9")
    return joined.pairs(list(PAIRED))


def percents(pairs, test, **options):
    from pdeval.significance import discriminative_power

    result = discriminative_power(pairs, tests=[test], **options)
    assert (result["pairs"] == 3081).all()
    return dict(zip(result["measure"], result["percent"], strict=True))


@pytest.mark.slow
def test_the_paired_test_with_bonferroni_detects_the_independently_computed_shares(pairs):
    found = percents(pairs, "default")
    assert {name: round(value, 2) for name, value in found.items()} == PAIRED


@pytest.mark.slow
def test_randomised_hsd_detects_the_independently_computed_shares_in_the_order_of_the_papers(pairs):
    found = percents(pairs, "hsd", draws=1000)
    assert found == pytest.approx(HSD, abs=2)
    assert min(found["RPP"], found["dcgRPP"], found["invRPP"]) > max(found["AP"], found["nDCG"])
    assert min(found["AP"], found["nDCG"]) > max(found["rrLP"], found["sgnLP"])
    assert min(found["rrLP"], found["sgnLP"]) > found["RR"]
