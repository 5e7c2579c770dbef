"""Families over groups: the comparisons of several collections are corrected together."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pdeval
from tests.examples import examples

SCORES = pdeval.datasets.sample_judged(queries="common").measure(["AP", "RR"])
PARTED = SCORES.assign(collection="c" + (SCORES["query_id"].astype(int) % 3).astype(str))


def test_the_p_values_of_a_group_become_those_of_all_groups_by_sidak():
    options = {"by": "collection", "baseline": "bm25", "draws": 500}
    alone, together = (PARTED.ireval.compare(**options, family=one) for one in (None, "groups"))
    assert together["p_value"].tolist() == alone["p_value"].tolist()
    expected = 1 - (1 - alone["p_adjusted"]) ** 3
    np.testing.assert_allclose(together["p_adjusted"], expected, rtol=1e-9)
    assert together.attrs["family"] == "groups"
    assert (together.attrs["comparisons"], together.attrs["simultaneous"]) == ([33], True)


def test_measures_and_groups_are_corrected_together():
    options = {"by": "collection", "baseline": "bm25", "draws": 500}
    alone, together = (
        PARTED.ireval.compare(**options, family=one) for one in ("all", "all_groups")
    )
    expected = 1 - (1 - alone["p_adjusted"]) ** 3
    np.testing.assert_allclose(together["p_adjusted"], expected, rtol=1e-9)
    assert together["significant"].tolist() == (together["p_adjusted"] < 0.05).tolist()
    assert together.attrs["family"] == "all_groups"
    assert together.attrs["comparisons"] == [66]
    per_measure = PARTED.ireval.compare(**options, family="groups")
    assert (together["p_adjusted"] >= per_measure["p_adjusted"]).all()
    note = "max-t correction of 66 comparisons of all measures together in all groups"
    assert note in " ".join(together.ireval.report().notes)


def test_intervals_of_groups_have_the_level_of_one_group_of_independent_groups():
    options = {"by": "collection", "test": "tukey"}
    together = PARTED.ireval.compare(**options, family="groups")
    alone = PARTED.ireval.compare(**options, confidence=0.95 ** (1 / 3))
    assert together["ci_low"].tolist() == pytest.approx(alone["ci_low"].tolist(), rel=1e-9)


@examples(15)
@given(
    st.integers(0, 1000),
    st.sampled_from(
        [
            {"test": "t", "correction": "max-t"},
            {"test": "t", "correction": "holm"},
            {"test": "wilcoxon", "correction": "bonferroni"},
            {"test": "sign", "correction": "sidak"},
            {"test": "bootstrap", "correction": "hommel"},
            {"test": "hsd"},
            {"test": "tukey"},
            {"test": "dunnett", "baseline": "r0"},
            {"test": "t", "baseline": "r0"},
        ]
    ),
    st.sampled_from(["groups", "all_groups"]),
)
def test_intervals_and_verdicts_over_groups_agree(seed, options, family):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(24, 4)) + np.array([0.0, 0.4, 0.8, 1.6])
    query, run = (axis.ravel() for axis in np.indices(values.shape))
    frame = pd.DataFrame({"group": query % 2, "query_id": query, "measure": "x"})
    frame = frame.assign(run=np.array(["r0", "r1", "r2", "r3"])[run], value=values.ravel())
    scores = frame.ireval(higher={"x": True})
    found = scores.compare(by="group", family=family, draws=299, **options)
    outside = found["ci_low"].gt(0) | found["ci_high"].lt(0)
    assert not (outside & ~found["significant"]).any()
    favored = np.sign(found["effect_size"])
    beyond = np.where(favored > 0, found["ci_low"] < 0, found["ci_high"] > 0)
    assert not (found["significant"] & beyond).any()
    assert found["significant"].tolist() == (found["p_adjusted"] < 0.05).tolist()


def test_margins_are_corrected_over_groups_too():
    options = {"by": "collection", "baseline": "bm25", "margin": 0.05, "draws": 500}
    alone, together = (PARTED.ireval.compare(**options, family=one) for one in (None, "groups"))
    for name in ("p_noninferior", "p_equivalent"):
        expected = 1 - (1 - alone[name]) ** 3
        np.testing.assert_allclose(together[name], expected, rtol=1e-9, atol=1e-15)
    assert together["noninferior"].tolist() == (together["p_noninferior"] < 0.05).tolist()
    assert (together["noninferior"] == (together["lower"] > -0.05)).all()


def test_runs_and_judgments_of_several_collections_are_corrected_together():
    runs, qrels, _ = pdeval.datasets.load_sample()
    both = [
        pd.concat([table.assign(collection=name) for name in ("x", "y")], ignore_index=True)
        for table in (runs, qrels)
    ]
    options = {"by": "collection", "baseline": "bm25", "draws": 200, "queries": "common"}
    found = both[0].ireval.compare(both[1], "AP", family="groups", **options)
    alone = both[0].ireval.compare(both[1], "AP", **options)
    expected = 1 - (1 - alone["p_adjusted"]) ** 2
    np.testing.assert_allclose(found["p_adjusted"], expected, rtol=1e-9)


def test_groups_need_a_column_and_a_correction_of_the_family_wise_error_rate():
    with pytest.raises(ValueError, match="pass by=<column>, such as by='collection'"):
        SCORES.ireval.compare(family="all_groups")
    for correction in ("fdr_bh", "none", None):
        with pytest.raises(ValueError, match="requires a correction of the family-wise error rate"):
            PARTED.ireval.compare(by="collection", family="groups", correction=correction)
    # nothing is left over after an error
    with pytest.raises(ValueError, match="pass by=<column>"):
        SCORES.ireval.compare(family="groups")


def test_dunnetts_test_needs_one_baseline_and_has_its_family():
    with pytest.raises(ValueError, match=r"compares runs with one baseline. Pass baseline="):
        SCORES.ireval.compare(test="dunnett")
    with pytest.raises(
        ValueError, match=r"family='measure' requires all pairs. Use family='baseline'"
    ):
        SCORES.ireval.compare(test="dunnett", baseline="bm25", family="measure")
    with pytest.raises(ValueError, match="the pairs of 2 measures together"):
        SCORES.ireval.compare(test="dunnett", baseline="bm25", family="all")
    found = SCORES.ireval.compare(test="dunnett", baseline=["bm25", "ql"], family="baseline")
    assert (found.attrs["family"], found.attrs["comparisons"]) == ("baseline", [11])
    assert found["p_adjusted"].tolist() == found["p_value"].tolist()
