"""The model of Dawid and Skene: the published example, another implementation, and the formulas step by step."""

import json

import numpy as np
import pandas as pd
import pytest

from pdeval.judgments.crowds import fitted
from pdeval.judgments.labels import Labels, coded
from pdeval.tables.reader import read
from tests.judgments.anaesthetists import WRITTEN, anaesthetists, crowd_kit


@pytest.fixture(scope="module")
def fit():
    found, assessors, _ = coded(read(anaesthetists(), "labels"), repeats=True)
    return fitted(found, len(assessors))


def naive(rows, items, assessors, labels, steps):
    """The EM algorithm in loops over items, assessors and labels, with products of probabilities."""
    count = np.zeros((items, assessors, labels))
    for item, who, label in rows:
        count[item, who, label] += 1
    posterior = count.sum(axis=1) / count.sum(axis=(1, 2))[:, None]
    for _ in range(steps):
        prevalence = posterior.mean(axis=0)
        errors = np.zeros((assessors, labels, labels))
        for who in range(assessors):
            for true in range(labels):
                for label in range(labels):
                    errors[who, true, label] = sum(
                        posterior[i, true] * count[i, who, label] for i in range(items)
                    )
                total = errors[who, true].sum()
                errors[who, true] /= total if total > 0 else 1.0
        for i in range(items):
            for true in range(labels):
                posterior[i, true] = prevalence[true]
                for who in range(assessors):
                    for label in range(labels):
                        posterior[i, true] *= errors[who, true, label] ** count[i, who, label]
            posterior[i] /= posterior[i].sum()
    return posterior, prevalence, errors


# Estimates from the answers in Table 1 of Dawid and Skene (1979): class marginals, error rates of each anaesthetist (a
# row per true class), and the patients whose class is not certain. Taken from a transcription, not from the paper: the
# tests of x-lin/consensusalgorithms expect them to .01 (DawidSkeneAlgorithmTest.java of algorithms/dawidskene, commit
# 4cc5af5). The answers are those of that file and of dallascard/dawid_skene (generate_sample_data, commit 7cfb2b3).
MARGINALS = [0.40, 0.42, 0.11, 0.07]
ERROR_RATES = [
    [
        [0.89, 0.11, 0.00, 0.00],
        [0.07, 0.88, 0.05, 0.00],
        [0.00, 0.34, 0.66, 0.00],
        [0.00, 0.00, 0.56, 0.44],
    ],
    [
        [0.83, 0.17, 0.00, 0.00],
        [0.05, 0.63, 0.31, 0.00],
        [0.00, 0.00, 1.00, 0.00],
        [0.00, 0.00, 0.00, 1.00],
    ],
    [
        [1.00, 0.00, 0.00, 0.00],
        [0.11, 0.79, 0.11, 0.00],
        [0.00, 0.40, 0.20, 0.40],
        [0.00, 0.00, 0.67, 0.33],
    ],
    [
        [0.94, 0.06, 0.00, 0.00],
        [0.05, 0.84, 0.10, 0.00],
        [0.00, 0.00, 0.80, 0.20],
        [0.00, 0.00, 0.33, 0.67],
    ],
    [
        [1.00, 0.00, 0.00, 0.00],
        [0.16, 0.73, 0.11, 0.00],
        [0.00, 0.21, 0.79, 0.00],
        [0.00, 0.00, 0.33, 0.67],
    ],
]
IN_DOUBT = {7: [0.98, 0.02, 0.0, 0.0], 35: [0.0, 0.95, 0.05, 0.0], 38: [0.0, 0.02, 0.98, 0.0]}


def test_the_published_example_has_its_published_estimates(fit):
    assert fit.converged
    assert fit.prevalence.round(2).tolist() == MARGINALS
    assert fit.errors.round(2).tolist() == ERROR_RATES
    found = fit.posterior.round(2)
    assert {patient: found[patient - 1].tolist() for patient in IN_DOUBT} == IN_DOUBT
    sure = np.delete(found, np.array(list(IN_DOUBT)) - 1, axis=0)
    assert np.unique(sure).tolist() == [0.0, 1.0]
    assert (sure.sum(axis=0)).tolist() == [17.0, 18.0, 4.0, 3.0]


@pytest.mark.parametrize("source", ["written", "live"])
def test_the_published_example_is_that_of_crowd_kit(fit, source):
    if source == "live":
        pytest.importorskip(
            "crowdkit",
            reason="crowd-kit is the live oracle; its written values are compared always",
        )
    other = json.loads(WRITTEN.read_text()) if source == "written" else crowd_kit()
    # crowd-kit clips probabilities at 1e-10
    np.testing.assert_allclose(fit.prevalence, other["prevalence"], atol=1e-7)
    np.testing.assert_allclose(fit.posterior, other["posterior"], atol=1e-7)
    assert len(other["errors"]) > 60
    for who, true, label, rate in other["errors"]:
        assert fit.errors[who - 1, true - 1, label - 1] == pytest.approx(rate, abs=1e-7)


@pytest.mark.broad
def test_the_steps_are_those_of_the_formulas(fit):
    frame = anaesthetists()
    rows = (frame - 1).to_numpy().tolist()
    posterior, prevalence, errors = naive(rows, 45, 5, 4, fit.steps)
    np.testing.assert_allclose(fit.posterior, posterior, atol=1e-12)
    np.testing.assert_allclose(fit.prevalence, prevalence, atol=1e-12)
    np.testing.assert_allclose(fit.errors, errors, atol=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_gaps_and_labels_that_an_assessor_never_met_change_nothing(seed):
    rng = np.random.default_rng(seed)
    rows = np.unique(np.column_stack([rng.integers(0, 12, 60), rng.integers(0, 5, 60)]), axis=0)
    rows = np.column_stack(
        [rows, np.where(rng.random(len(rows)) < 0.7, rows[:, 0] % 3, rng.integers(0, 3, len(rows)))]
    )
    rows = np.vstack([rows, [11, 5, 2]])  # an assessor with one label
    items, rows[:, 0] = np.unique(rows[:, 0], return_inverse=True)
    labels = Labels(*rows.T, np.arange(3.0))
    found = fitted(labels, 6, steps=25)
    posterior, prevalence, errors = naive(rows.tolist(), len(items), 6, 3, found.steps)
    np.testing.assert_allclose(found.posterior, posterior, atol=1e-10)
    np.testing.assert_allclose(found.prevalence, prevalence, atol=1e-10)
    np.testing.assert_allclose(found.errors, errors, atol=1e-10)
    assert np.isfinite(found.log_likelihood)
    assert ((found.accuracy >= 0) & (found.accuracy <= 1)).all()


def test_weights_are_repeated_items():
    found, assessors, _ = coded(read(anaesthetists(), "labels"), repeats=True)
    often = np.random.default_rng(5).integers(0, 3, 45)
    by_weight = fitted(found, len(assessors), weight=often.astype(float))
    frame = anaesthetists()
    copies = [frame[often[frame["item"].to_numpy() - 1] > at].assign(copy=at) for at in range(2)]
    table = pd.concat(copies).assign(item=lambda one: one["item"] * 10 + one["copy"])
    by_rows = fitted(coded(read(table, "labels"), repeats=True)[0], len(assessors))
    np.testing.assert_allclose(by_weight.errors, by_rows.errors, atol=1e-7)
    np.testing.assert_allclose(by_weight.log_likelihood, by_rows.log_likelihood, atol=1e-7)


def test_the_likelihood_rises_with_every_step():
    found, assessors, _ = coded(read(anaesthetists(), "labels"), repeats=True)
    history = [fitted(found, len(assessors), steps=step).log_likelihood for step in range(1, 12)]
    assert (np.diff(history) >= -1e-10).all()
