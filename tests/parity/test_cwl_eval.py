"""Equal to cwl_eval: all five expectations of every user model, with gains and costs of each item."""

import numpy as np
import pytest

import pdeval
from pdeval.kernels import cwl, expectations

ruler = pytest.importorskip("cwl.ruler.cwl_ruler", reason="cwl-eval is not installed")
from cwl.ruler.measures.cwl_npv import NPVCWLMetric  # noqa: E402
from cwl.ruler.measures.cwl_set import SETCWLMetric  # noqa: E402
from cwl.ruler.ranking import Ranking  # noqa: E402

pytestmark = pytest.mark.extras

# pdeval's model and parameters, and cwl_eval's object. Its dynamic BPM leaves the cost that is accepted as it is: hc=0
MODELS = [
    ("INST", {"T": 1.0}, ruler.INSTCWLMetric(1.0)),
    ("INST", {"T": 2.5}, ruler.INSTCWLMetric(2.5)),
    ("INSQ", {"T": 2.0}, ruler.INSQCWLMetric(2.0)),
    ("BPM", {"T": 1.0, "k": 10}, ruler.BPMCWLMetric(1.0, 10)),
    ("BPM", {"T": 3.0, "k": 7}, ruler.BPMCWLMetric(3.0, 7)),
    ("BPMD", {"T": 1.0, "k": 10, "hc": 0.0}, ruler.BPMDCWLMetric(1.0, 10)),
    (
        "BPMD",
        {"T": 5.0, "k": 20, "hb": 0.3, "hc": 0.0, "median": 0.2},
        ruler.BPMDCWLMetric(5.0, 20, 0.3, 0.7, 0.2),
    ),
    ("SDCG", {"k": 10}, ruler.NDCGCWLMetric(10)),
    ("NERR8", {"k": 10}, ruler.NERReq8CWLMetric(10)),
    ("NERR9", {"k": 10}, ruler.NERReq9CWLMetric(10)),
    ("NERR10", {"p": 0.8}, ruler.NERReq10CWLMetric(0.8)),
    ("NERR11", {"T": 2.0}, ruler.NERReq11CWLMetric(2.0)),
    ("TBG", {"halflife": 22.0}, ruler.TBGCWLMetric(22)),
    ("U", {"L": 50.0}, ruler.UMeasureCWLMetric(50)),
    ("U", {"L": 5000.0}, ruler.UMeasureCWLMetric(5000)),
    ("SET", {"beta": 0.5, "k": 10}, SETCWLMetric(0.5, 10)),
    ("IFT-goal", {"T": 2.0, "b1": 0.9, "R1": 1.0}, ruler.IFTGoalCWLMetric(2.0, 0.9, 1.0)),
    ("IFT-rate", {"A": 0.2, "b2": 0.9, "R2": 3.0}, ruler.IFTRateCWLMetric(0.2, 0.9, 3.0)),
    (
        "IFT",
        {"T": 2.0, "b1": 0.9, "R1": 1.0, "A": 0.2, "b2": 0.9, "R2": 3.0},
        ruler.IFTGoalRateCWLMetric(2.0, 0.9, 1.0, 0.2, 0.9, 3.0),
    ),
    ("RBP", {"p": 0.8}, ruler.RBPCWLMetric(0.8)),
    ("RBP", {"p": 1 / 1.1}, NPVCWLMetric(0.1)),  # net present value is RBP with p = 1 / (1 + rate)
    ("P", {"k": 10}, ruler.PrecisionCWLMetric(10)),
    ("RR", {}, ruler.RRCWLMetric()),
    ("AP", {}, ruler.APCWLMetric()),
]
IDS = [f"{name}{number}" for number, (name, *_) in enumerate(MODELS)]


def drawn(seed, costs):
    """A ranking of cwl_eval's: graded gains, none at all for seed 0, items that cost the same or not."""
    rng = np.random.default_rng(seed)
    length = rng.integers(1, 200)
    gain = np.where(
        rng.random(length) < min(seed, 1) * 0.3, rng.choice([0.25, 0.5, 0.75, 1.0], length), 0.0
    )
    return Ranking("q", gain, rng.random(length) * 3 + 0.1 if costs else np.ones(length))


@pytest.mark.broad
@pytest.mark.parametrize("costs", [False, True], ids=["all cost 1", "costs differ"])
@pytest.mark.parametrize(("name", "parameters", "theirs"), MODELS, ids=IDS)
def test_all_expectations_are_the_same(name, parameters, theirs, costs):
    for seed in range(6):
        ranking = drawn(seed, costs)
        theirs.measure(ranking)
        ours = expectations(
            name, ranking.get_gain_vector(), ranking.get_cost_vector(), **parameters
        )
        np.testing.assert_allclose(
            [float(one) for one in ours], theirs.get_scores(), rtol=1e-13, atol=1e-13
        )


def test_every_model_is_compared():
    assert {name for name, *_ in MODELS} == set(cwl.MODELS)


@pytest.mark.broad
@pytest.mark.parametrize("seed", range(3))
def test_the_measures_of_run_tables_are_those_of_ir_measures_with_cwl_eval(seed):
    ir_measures = pytest.importorskip("ir_measures")
    rng = np.random.default_rng(seed)
    runs = pdeval.datasets.sample_runs()
    runs = runs[runs["run"] == rng.choice(runs["run"].unique())].drop(columns="run")
    runs["score"] = rng.permutation(len(runs)) * 1.0  # equal scores keep the order of rows there
    qrels = pdeval.datasets.sample_qrels()
    top = int(qrels["relevance"].max())
    own = f"max_rel={top}"
    names = [
        f"INST({own})",
        f"INST(T=2.5,{own},min_rel=1)",
        f"INSQ({own})",
        f"BPM({own})@10",
        f"BPM(T=2,{own})@20",
    ]
    names += [
        f"SDCG({own})@10",
        f"NERR8({own})@10",
        f"NERR9({own})@10",
        f"NERR10({own})",
        f"NERR11({own},T=2)",
    ]
    asked = [ir_measures.parse_measure(name) for name in names]
    theirs = {
        (m.query_id, str(m.measure)): m for m in ir_measures.cwl_eval.iter_calc(asked, qrels, runs)
    }
    ours = runs.ireval.measure(qrels, asked, queries="answered")
    assert len(ours) == len(theirs) > 400
    for row in ours.itertuples():
        assert row.value == pytest.approx(
            theirs[row.query_id, row.measure].value, rel=1e-12, abs=1e-15
        ), row
    inst = f"model=INST(T=2.5),max_grade={top},min_grade=1"
    more = runs.ireval.measure(
        qrels, [f"ETU({inst})", f"ED({inst})", f"ETC({inst})"], queries="answered"
    )
    fields = {"U": "expected_total_utility", "D": "expected_items", "C": "expected_total_cost"}
    for row in more.itertuples():
        expected = getattr(
            theirs[row.query_id, str(asked[1])], fields[row.measure.split("(")[0][-1]]
        )
        assert row.value == pytest.approx(expected, rel=1e-12), row
