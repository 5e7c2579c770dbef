"""No option is lost on its way: another value of it gives other numbers, and the numbers say which value it was."""

from functools import cache, reduce

import numpy as np
import pandas as pd
import pytest

import pdeval
from pdeval.significance.corrections import adjust
from tests.dask.bits import quiet

MANY = {"correction": "holm", "alpha": 0.5, "confidence": 0.6, "seed": 5, "draws": 40}
# verb -> (what it is asked, the options that matter to it and another value of each)
ASKED = {
    "compare": (
        {"measures": ["AP", "RR"], "test": "randomization", "draws": 60},
        {
            **MANY,
            "correction": "bonferroni",
            "test": "sign",
            "baseline": "ql",
            "family": "all",
            "measures": ["AP"],
        },
    ),
    "replicates.compare": (
        {"system": "family"},
        {**MANY, "correction": "bonferroni", "baseline": "dense", "measures": ["RR"]},
    ),
    "discriminative_power": (
        {"measures": ["AP", "RPP"], "tests": ["t", "randomization"], "draws": 60},
        {"correction": None, "alpha": 0.5, "tests": ["hsd"], "measures": ["RR"]},
    ),
    "discriminative_power.curve": (
        {"measures": ["AP", "RPP"], "tests": ["t", "randomization"], "draws": 60},
        {"correction": None, "seed": 5, "draws": 7, "tests": ["hsd"], "measures": ["RR"]},
    ),
    "delta_sort": (
        {"new": "RR"},
        {"new": "P@10", "old": "nDCG@10", "margin": 0.9, "alpha": 1e-9, "per": "run"},
    ),
    "power": (
        {"measures": ["AP"], "difference": 0.03},
        {"difference": 0.04, "n_queries": 7, "alpha": 0.5, "baseline": "ql", "measures": ["RR"]},
    ),
    "power.sample_size": (
        {"measures": ["AP"], "difference": 0.03},
        {"difference": 0.04, "power": 0.5, "alpha": 0.5, "baseline": "ql", "measures": ["RR"]},
    ),
    "power.detectable_difference": (
        {"measures": ["AP"]},
        {"power": 0.5, "n_queries": 7, "alpha": 0.5, "baseline": "ql", "measures": ["RR"]},
    ),
    "anova": ({}, {"measures": ["AP"]}),
    "order": (
        {"measures": ["AP", "RPP"], "draws": 60, "confidence": 0.9},
        {
            "measures": ["RR"],
            "method": "borda",
            "draws": 9,
            "confidence": 0.2,
            "seed": 5,
            "compat": "pref_eval",
        },
    ),
    "correlate": (
        {"measures": ["AP", "RR"], "coefficients": "rbo"},
        {
            "measures": ["AP", "P@10"],
            "coefficients": "pearson",
            "method": "copeland",
            "matrix": True,
            "p": 0.3,
        },
    ),
    "segments": (
        {"baseline": "ql"},
        {**MANY, "correction": "bonferroni", "baseline": "bm25", "measures": ["RR"]},
    ),
    "segments.gaps": (
        {},
        {**MANY, "correction": None, "alpha": 0.99, "baseline": "bm25", "measures": ["RR"]},
    ),
    "meta_analysis": (
        {"test": "randomization", "draws": 60},
        {
            **MANY,
            "correction": "none",
            "over": "queries",
            "per": "collection",
            "baseline": "bm25",
            "measures": ["RR"],
        },
    ),
    "meta_analysis.sample_size": (
        {"difference": 0.2},
        {"difference": 0.3, "power": 0.5, "alpha": 0.5, "baseline": "bm25", "measures": ["RR"]},
    ),
}
OF_A_TABLE = ("segments", "segments.gaps", "meta_analysis", "meta_analysis.sample_size")
# what an option cannot change: the gaps have no draws, and so on
NOT_DRAWN = {
    (name, option)
    for name in ("replicates.compare", "segments", "segments.gaps")
    for option in MANY
} & {(name, option) for name in ASKED for option in ("seed", "draws")}
PAIRS = [
    (name, option)
    for name, (_, options) in ASKED.items()
    for option in options
    if (name, option) not in NOT_DRAWN
]


@cache
def accessor(name):
    runs, qrels, _ = pdeval.datasets.load_sample()
    names = ["bm25", "bm25+rm3", "ql", "dense-s1", "dense-s2", "rerank-s1", "tfidf"]
    judged = runs[runs["run"].isin(names)].ireval.join(qrels, queries="common")
    if name not in OF_A_TABLE:
        return judged
    scores = judged.measure(["AP", "RR"])
    number = scores["query_id"].astype(int) % 4
    return scores.assign(part=number.map({0: "a", 1: "b", 2: "c", 3: "d"})).ireval


def asked(name, **changed):
    given = {**ASKED[name][0], **changed}
    if name in OF_A_TABLE:
        given["by"] = "part"
    if name.startswith("replicates"):
        given["metadata"] = pdeval.datasets.sample_metadata()
    return quiet(reduce(getattr, name.split("."), accessor(name)), **given)


@pytest.mark.broad
@pytest.mark.parametrize(("name", "option"), PAIRS)
def test_another_value_of_an_option_gives_other_numbers(name, option):
    usual, other = asked(name), asked(name, **{option: ASKED[name][1][option]})
    with pytest.raises(AssertionError):
        pd.testing.assert_frame_equal(usual, other, check_exact=True)


@pytest.mark.broad
@pytest.mark.parametrize("name", ["compare", "replicates.compare"])
@pytest.mark.parametrize("correction", ["bonferroni", "holm", "bh", None])
def test_p_values_are_corrected_as_asked_within_their_measure(name, correction):
    found = asked(name, correction=correction, alpha=0.2)
    family = pd.factorize(found["measure"])[0]
    wanted = adjust(found["p_value"].to_numpy(), family, correction=correction, alpha=0.2)
    np.testing.assert_array_equal(found["p_adjusted"], wanted)
    assert found["significant"].tolist() == (found["p_adjusted"] < 0.2).tolist()
    assert found.attrs["alpha"] == 0.2
    # by default, intervals of `compare` have the level of the test
    assert found.attrs["confidence"] == {"compare": 0.8, "replicates.compare": 0.95}[name]


@pytest.mark.broad
@pytest.mark.parametrize(
    "name", ["compare", "replicates.compare", "segments", "segments.gaps", "meta_analysis"]
)
def test_less_confidence_is_a_narrower_interval(name):
    # simultaneous intervals from few draws are infinite
    options = {"correction": "none"} if name == "meta_analysis" else {}
    wide, narrow = asked(name, **options), asked(name, confidence=0.6, **options)
    ends = [
        one
        for one in wide.columns
        if one.endswith(("_low", "_high")) and np.isfinite(wide[one]).all()
    ]
    assert ends
    for low in (one for one in ends if one.endswith("_low")):
        high = low.removesuffix("low") + "high"
        some = (wide[high] - wide[low]) > 0
        assert some.any()
        assert ((narrow[high] - narrow[low])[some] < (wide[high] - wide[low])[some]).all()
    assert narrow.attrs["confidence"] == 0.6


@pytest.mark.broad
@pytest.mark.parametrize(
    "name", ["compare", "replicates.compare", "segments", "segments.gaps", "meta_analysis"]
)
def test_the_level_reaches_corrections_in_two_stages(name):
    strict, mild = (asked(name, correction="fdr_tsbky", alpha=alpha) for alpha in (0.001, 0.6))
    adjusted = [one for one in strict.columns if "p_adjusted" in one]
    assert adjusted
    for one in adjusted:
        assert strict[one].tolist() != mild[one].tolist(), one


SAID = {
    "compare": {
        "correction": "holm",
        "family": "measure",
        "alpha": 0.5,
        "confidence": 0.6,
        "draws": 40,
        "seed": 5,
        "table": "comparisons",
    },
    "replicates.compare": {
        "replicates": {"lexical": 4, "dense": 2, "reranker": 1},
        "correction": "holm",
        "family": "measure",
        "alpha": 0.5,
        "confidence": 0.6,
        "table": "comparisons",
    },
    "segments": {
        "correction": "holm",
        "alpha": 0.5,
        "confidence": 0.6,
        "by": ["part"],
        "table": "segment_differences",
    },
    "segments.gaps": {
        "correction": "holm",
        "alpha": 0.5,
        "confidence": 0.6,
        "table": "segment_gaps",
    },
    "meta_analysis": {
        "meta_analysis_by": ["part"],
        "over": "collections",
        "correction": "holm",
        "family": "measure",
        "alpha": 0.5,
        "draws": 40,
        "seed": 5,
        "confidence": 0.6,
        "table": "meta_analysis",
    },
}


@pytest.mark.broad
@pytest.mark.parametrize("name", SAID)
def test_a_table_says_what_it_was_asked(name):
    given = {option: value for option, value in MANY.items() if option in SAID[name]}
    found = asked(name, **given)
    assert {key: found.attrs[key] for key in SAID[name]} == SAID[name]
    against = asked(name, **given, baseline="dense" if name == "replicates.compare" else "bm25")
    assert against.attrs.get("family", "baseline") == "baseline"


def test_a_verdict_per_collection_says_what_it_was_asked_too():
    found = asked(
        "meta_analysis",
        per="collection",
        correction="holm",
        alpha=0.5,
        draws=40,
        seed=5,
        confidence=0.6,
    )
    said = {key: value for key, value in SAID["meta_analysis"].items() if key in found.attrs}
    assert {key: found.attrs[key] for key in said} == {**said, "table": "collection_effects"}
    assert set(SAID["meta_analysis"]) - set(said) <= {"over"}


@pytest.mark.broad
@pytest.mark.parametrize("name", ASKED)
def test_rows_are_numbered_from_0(name):
    assert asked(name).index.equals(pd.RangeIndex(len(asked(name))))


def test_rows_of_two_baselines_stand_measure_by_measure_and_else_as_each_alone():
    both = asked("compare", baseline=["bm25", "ql"], test="t")
    alone = pd.concat([asked("compare", baseline=one, test="t") for one in ("bm25", "ql")])
    wanted = alone.sort_values(
        "measure", key=lambda column: column.map({"AP": 0, "RR": 1}), kind="stable"
    )
    columns = ["run_a", "run_b", "measure", "difference", "p_value"]
    pd.testing.assert_frame_equal(
        both[columns], wanted[columns].reset_index(drop=True), check_exact=True
    )


@pytest.mark.broad
@pytest.mark.parametrize("given", [{}, {"baseline": "bm25"}])
def test_rows_of_groups_stand_group_by_group_and_inside_by_measure_and_run(given):
    for name, found in (
        ("segments", asked("segments", **given)),
        ("meta_analysis", asked("meta_analysis", per="collection", **given)),
    ):
        for _, part in found.groupby("part"):
            assert part["measure"].tolist() == sorted(part["measure"]), name
            runs = [one for one in ("run_a", "run_b", "run") if one in part.columns]
            for _, rows in part.groupby("measure"):
                pairs = list(rows[runs].itertuples(index=False, name=None))
                assert len(set(pairs)) == len(pairs)
                if not given:
                    assert pairs == sorted(pairs), name
        assert found["part"].tolist() == sorted(found["part"])


@pytest.mark.parametrize(
    "name", ["compare", "replicates.compare", "segments", "segments.gaps", "meta_analysis"]
)
def test_a_p_value_of_exactly_the_level_is_not_significant(name):
    usual = asked(name, correction=None)
    for said in [one for one in usual.columns if one.endswith("significant")]:
        adjusted = said.replace("significant", "p_adjusted")
        level = float(usual.loc[usual[adjusted].between(0.001, 0.9), adjusted].median())
        level = float(usual[adjusted].iloc[(usual[adjusted] - level).abs().argmin()])
        found = asked(name, correction=None, alpha=level)
        assert (found[adjusted] == level).any()
        assert found[said].tolist() == (found[adjusted] < level).tolist()
