"""Every name of ir_measures means something here, and each of its providers gives the same values.

Those of pytrec_eval and cwl_eval are compared in their own files. The provider `runtime` holds measures that its users
define in Python, and has no name of its own; `trectools` and `ranx` give values that others give too.
"""

import numpy as np
import pandas as pd
import pytest

import pdeval

ir_measures = pytest.importorskip("ir_measures", reason="ir-measures is not installed")
pytestmark = pytest.mark.extras


@pytest.mark.parametrize("name", sorted(ir_measures.measures.registry))
def test_every_name_of_the_registry_parses(name):
    assert pdeval.parse(name).entry.family == "metric"
    assert pdeval.parse(ir_measures.measures.registry[name]).entry.family == "metric"


@pytest.mark.parametrize("name", sorted(ir_measures.measures.registry))
def test_every_parameter_of_every_name_is_understood(name):
    example = {int: 2, float: 0.5, bool: True, dict: {0: 1, 1: 2}}
    for parameter, info in ir_measures.measures.registry[name].SUPPORTED_PARAMS.items():
        value = info.choices[0] if isinstance(info.choices, list) else example.get(info.dtype)
        asked = f"{name}@10" if parameter == "cutoff" else f"{name}({parameter}={value!r})"
        assert pdeval.parse(asked).entry.family == "metric", asked


@pytest.mark.parametrize("seed", range(3))
def test_accuracy_is_the_same(seed):
    rng = np.random.default_rng(seed)
    runs = pd.MultiIndex.from_product([list("123"), [f"d{n}" for n in range(30)]]).to_frame(
        name=["query_id", "doc_id"], index=False
    )
    runs["score"] = rng.permutation(len(runs)) * 1.0
    qrels = runs.sample(frac=0.4, random_state=seed)[["query_id", "doc_id"]]
    qrels = qrels.assign(relevance=rng.choice([0, 1, 2], len(qrels)))
    asked = [
        ir_measures.parse_measure(name)
        for name in ("Accuracy", "Accuracy@10", "Accuracy(rel=2)@20")
    ]
    theirs = {
        (m.query_id, str(m.measure)): m.value
        for m in ir_measures.accuracy.iter_calc(asked, qrels, runs)
    }
    ours = runs.ireval.measure(qrels, asked).set_index(["query_id", "measure"])["value"]
    assert len(theirs) >= 6
    for key, value in theirs.items():
        assert ours[key] == pytest.approx(value, rel=1e-12, abs=1e-15), key


# what each provider alone defines, and how many decimals its tool prints
PROVIDERS = {
    "gdeval": (["ERR@5", "ERR@20", "nDCG(dcg='exp-log2')@5", "nDCG(dcg='exp-log2')@20"], 5),
    "judged": (["Judged@1", "Judged@5", "Judged@40"], None),
    "compat": (["Compat", "Compat(p=0.8)", "Compat(p=0.8,normalize=False)"], None),
    "msmarco": (["RR@5", "RR@10", "RR(rel=2)@10"], None),
    "accuracy": (["Accuracy@20", "Accuracy(rel=2)@20"], None),
    "ranx": (
        ["AP@5", "R@5", "P@5", "Rprec", "nDCG@5", "Success@5", "nDCG(dcg='exp-log2')@5"],
        None,
    ),
    "pyndeval": (
        [
            "ERR_IA@5",
            "ERR_IA@20",
            "nERR_IA@20",
            "alpha_DCG@10",
            "alpha_DCG(alpha=0.2)@10",
            "alpha_nDCG@20",
            "NRBP",
        ]
        + ["NRBP(alpha=0.2,beta=0.8)", "nNRBP", "AP_IA", "P_IA@5", "StRecall@5"],
        None,
    ),
}


def drawn(seed, subtopics):
    """Return a run of 8 queries without ties, and grades 0 to 4 of some of 60 documents, each for some subtopics."""
    rng = np.random.default_rng(seed)
    pairs = pd.MultiIndex.from_product(
        [[str(n) for n in range(1, 9)], [f"d{n}" for n in range(60)]]
    )
    every = pairs.to_frame(name=["query_id", "doc_id"], index=False)
    runs = every[rng.random(len(every)) < 0.7].reset_index(drop=True)
    runs["score"] = rng.permutation(len(runs)) * 1.0
    if subtopics:
        topics = [
            every.assign(iteration=str(n))[rng.random(len(every)) < 0.15] for n in range(1, 5)
        ]
        return runs, pd.concat(topics, ignore_index=True).assign(relevance=1)
    qrels = every[rng.random(len(every)) < 0.4].reset_index(drop=True)
    qrels["relevance"] = rng.choice(5, len(qrels), p=[0.5, 0.2, 0.1, 0.1, 0.1])
    return runs, qrels


@pytest.mark.broad
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("name", PROVIDERS)
def test_a_provider_gives_the_same_values(name, seed):
    provider = ir_measures.providers.registry[name]
    if not provider.is_available():
        pytest.skip(f"ir_measures cannot ask {name}: what it calls is not installed")
    texts, decimals = PROVIDERS[name]
    runs, qrels = drawn(seed, name == "pyndeval")
    asked = [ir_measures.parse_measure(text) for text in texts]
    # one at a time: asked together, pyndeval mixes up measures of different alpha and beta
    found = [one for measure in asked for one in provider.iter_calc([measure], qrels, runs)]
    theirs = {(one.query_id, str(one.measure)): one.value for one in found}
    assert {measure for _, measure in theirs} == {str(one) for one in asked}
    given = qrels.rename(columns={"iteration": "subtopic"})
    ours = runs.ireval.measure(given, asked).set_index(["query_id", "measure"])["value"]
    rule = {"abs": 0.5000001 * 10.0**-decimals} if decimals else {"rel": 1e-12, "abs": 1e-15}
    for key, value in theirs.items():
        assert ours[key] == pytest.approx(value, **rule), key


def test_every_provider_is_compared_or_said_not_to_be():
    elsewhere = {"pytrec_eval", "cwl_eval", "runtime", "trectools"}
    assert (
        set(ir_measures.providers.registry) - {"pdeval"} == set(PROVIDERS) | elsewhere
    )  # pdeval is one of them, too


@pytest.mark.parametrize("gains", [{0: 1, 1: 1, 2: 2}, {0: 3}, {0: 0, 1: 5}, {0: 2, 1: 0, 4: 9}])
@pytest.mark.parametrize("judged_only", [False, True])
def test_gains_of_grade_0_are_the_same(gains, judged_only):
    runs, qrels = drawn(3, False)
    asked = [ir_measures.nDCG(gains=gains, judged_only=judged_only) @ k for k in (1, 10, 100)]
    asked.append(ir_measures.nDCG(gains=gains, judged_only=judged_only))
    theirs = {
        (one.query_id, str(one.measure)): one.value
        for one in ir_measures.iter_calc(asked, qrels, runs)
    }
    ours = runs.ireval.measure(qrels, asked).set_index(["query_id", "measure"])["value"]
    assert ours.to_dict() == pytest.approx(theirs, rel=1e-12)
    moved = qrels.assign(relevance=qrels["relevance"] + 1)  # what grades moved up by one give
    up = {grade + 1: gains.get(grade, grade) for grade in range(5)}
    assert runs.ireval.measure(moved, f"nDCG(gains={up})", level=2)[
        "value"
    ].to_numpy() == pytest.approx(
        runs.ireval.measure(qrels, f"nDCG(gains={gains})")["value"].to_numpy(), rel=1e-12
    )
