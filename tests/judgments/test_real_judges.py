"""Judges on real data: crowd workers against NIST, and the systems of TREC-COVID under judges who err like them.

The figures in the documentation are those of this file. Round 3's previously judged items were taken out of its runs,
so that these judgments cannot order them; judges are drawn instead, with the error rates that the crowd has against
NIST on `crowd-nyt-core17` (job 3P-Doc-High).
"""

import numpy as np
import pandas as pd
import pytest

import pdeval

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore:.* judged queries are missing")]
GRADES = {"not_relevant": 0, "relevant": 1, "highly_relevant": 2}


@pytest.fixture(scope="module")
def crowd(shared_data):
    table = pd.read_csv(shared_data / "crowd-nyt-core17" / "judgments.csv")
    return table[table["label"].notna()]


def bound(part):
    return part.ireval(query="topic", doc="doc", assessor="worker", label="label")


def nist(part):
    return part.drop_duplicates(["topic", "doc"])[["topic", "doc", "nist_rel"]].rename(
        columns={"nist_rel": "relevance"}
    )


# job: share of the 120 items whose consensus is as relevant (or not) as NIST says
RIGHT = {
    "2P-Doc-High": (0.617, 0.800),
    "2P-Doc-NoHigh": (0.517, 0.817),
    "3P-Doc-High": (0.783, 0.767),
    "3P-Doc-NoHigh": (0.700, 0.783),
}


@pytest.mark.parametrize("job", RIGHT)
def test_the_model_of_the_crowd_is_nearer_to_nist_than_the_majority_where_many_workers_guess(
    crowd, job
):
    part = crowd[crowd["job"] == job]
    truth = nist(part).set_index(["topic", "doc"])["relevance"]
    right = []
    for method in ("majority", "dawid_skene"):
        found = (
            bound(part)
            .consensus(method=method, ties="lowest", grades=GRADES)
            .set_index(["topic", "doc"])
        )
        right.append(((found["relevance"] > 0) == (truth.loc[found.index] > 0)).mean())
    assert right == pytest.approx(RIGHT[job], abs=6e-4)


def test_the_crowds_agreement_has_intervals_over_ten_topics(crowd):
    found = bound(crowd).agreement("alpha_ordinal", by="job", order=list(GRADES), draws=1000)
    numbers = found.set_index("job")[["value", "ci_low", "ci_high"]].round(3)
    assert numbers.loc["2P-Doc-High"].tolist() == pytest.approx([0.179, 0.108, 0.264])
    assert numbers.loc["3P-Doc-High"].tolist() == pytest.approx([0.310, 0.206, 0.425])
    assert numbers.loc["3P-Doc-NoHigh"].tolist() == pytest.approx([0.056, 0.015, 0.102])


@pytest.fixture(scope="module")
def error_rates(crowd):
    """How one worker, their majority and the model grade the items of each of NIST's grades."""
    part = crowd[crowd["job"] == "3P-Doc-High"]
    workers = part.assign(label=part["label"].map(GRADES))[["topic", "doc", "worker", "label"]]
    labels = {"one worker": workers.rename(columns={"worker": "assessor"})}
    for method in ("majority", "dawid_skene"):
        found = bound(part).consensus(method=method, ties="lowest", grades=GRADES)
        labels[method] = found.rename(columns={"relevance": "label"})[
            ["topic", "doc", "label"]
        ].assign(assessor=method)
    rates = {}
    for name, own in labels.items():
        found = own.ireval(query="topic", doc="doc").agreement.confusion(nist(part))
        counts = found.groupby(["reference", "label"])["n"].sum().unstack()
        rates[name] = counts.div(counts.sum(axis=1), axis=0).to_numpy()
    return rates


@pytest.fixture(scope="module")
def covid(shared_data):
    folder = shared_data / "trec-covid-r3"
    return pdeval.read_runs(str(folder / "runs" / "*.run.gz")), pdeval.read_qrels(
        folder / "qrels.txt"
    )


@pytest.fixture(scope="module")
def judges(covid, error_rates):
    qrels = covid[1]
    grade = qrels["relevance"].to_numpy()
    made = {"strict": qrels.assign(relevance=np.where(grade > 1, grade, 0))}
    for name, rates in error_rates.items():
        upto = np.cumsum(rates, axis=1)[grade][:, :2]
        drawn = (np.random.default_rng(0).random(len(grade))[:, None] > upto).sum(axis=1)
        made[name] = qrels.assign(relevance=drawn)
    return made


# judge, measure: tau_b, tau_ap, RBO, overlap of the top 10, kept
FOUND = {
    ("dawid_skene", "AP"): (0.859, 0.693, 0.389, 0.300, 0.962),
    ("dawid_skene", "nDCG@10"): (0.853, 0.793, 0.741, 0.900, 0.777),
    ("majority", "AP"): (0.870, 0.701, 0.382, 0.300, 0.966),
    ("majority", "nDCG@10"): (0.865, 0.781, 0.655, 0.800, 0.750),
    ("one worker", "AP"): (0.826, 0.654, 0.304, 0.300, 0.939),
    ("one worker", "nDCG@10"): (0.786, 0.651, 0.545, 0.700, 0.623),
    ("strict", "AP"): (0.893, 0.783, 0.651, 0.800, 0.913),
    ("strict", "nDCG@10"): (0.923, 0.855, 0.866, 0.800, 0.892),
}


def test_judges_who_err_like_a_crowd_keep_the_order_of_systems_and_lose_the_top(covid, judges):
    runs, qrels = covid
    found = runs.ireval.judges(qrels, judges, ["AP", "nDCG@10"], correction="bonferroni").set_index(
        ["judge", "measure"]
    )
    assert set(found["runs"]) == {79}
    assert set(found["queries"]) == {40}
    for key, numbers in FOUND.items():
        own = found.loc[
            key, ["tau_b", "tau_ap", "rbo", "overlap_top", "fraction_confirmed"]
        ].tolist()
        assert own == pytest.approx(numbers, abs=6e-4), key
    assert (found["opposed"] == 0).all()


def test_the_worker_favors_what_people_do_not(covid, judges):
    runs, qrels = covid
    found = runs.ireval.judges.bias(qrels, judges, correction="bonferroni")
    assert found.groupby("judge")["significant"].sum().to_dict() == {
        "dawid_skene": 23, "majority": 30, "one worker": 32, "strict": 4,
    }  # fmt: skip
    people = runs.ireval.summary(qrels, "P@10").set_index("run")["mean"]
    worker = found[found["judge"] == "one worker"].set_index("run")["favor"]
    assert worker.corr(people) == pytest.approx(
        -0.771, abs=6e-4
    )  # errors both ways lift weak systems and lower strong ones


def test_previously_judged_items_say_nothing_of_runs_without_them(covid, shared_data):
    runs, qrels = covid
    previous = pdeval.read_qrels(shared_data / "trec-covid-r3" / "qrels.previously-judged.txt")
    with pytest.raises(
        ValueError,
        match=r"none of the 20,728 judgments of judge 'previous' is of an item of the runs",
    ):
        runs.ireval.judges(qrels, {"previous": previous}, "AP")
