"""The Web track's tools: ndeval on subtopics, in both of its orders, and gdeval on grades."""

import pandas as pd
import pytest

import pdeval
from pdeval.catalog import parse
from tests.parity import published

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*judged quer.* missing from run:UserWarning"),
    pytest.mark.filterwarnings(
        "ignore:the ranks of .* lists have gaps:UserWarning"
    ),  # filtered runs keep their ranks
]


def computed(folder, ending):
    """Return the tool's tables as run, name, topic, text; its topic "amean" is the summary."""
    parts = []
    for path in sorted(folder.glob(f"*.{ending}.csv")):
        table = pd.read_csv(path, dtype=str).drop(columns="runid")
        table = table.melt("topic", var_name="name", value_name="text")
        parts.append(table.assign(run=path.name.removesuffix(f".{ending}.csv")))
    table = pd.concat(parts, ignore_index=True)
    return table.assign(topic=table["topic"].replace("amean", "all"))


@pytest.fixture(scope="module")
def web_runs(shared_data):
    return pdeval.read_runs(shared_data / "trec-web-2012-div" / "runs", progress=False)


@pytest.mark.broad
@pytest.mark.parametrize(
    ("ending", "ties"), [("ndeval.rank-order", "rank"), ("ndeval.traditional", "docid")]
)
def test_ndeval_in_both_orders(shared_data, web_runs, ending, ties):
    folder = shared_data / "trec-web-2012-div"
    expected = computed(folder / "expected-computed", ending)
    qrels = pdeval.read_qrels(folder / "qrels.ndeval.txt", subtopics=True)
    names = expected["name"].unique().tolist()
    scores = web_runs.ireval.measure(qrels, names, ties=ties, queries="answered")
    wrong, compared = published.differences(scores, expected)
    assert wrong.empty, wrong
    assert compared == 8 * 51 * 21


@pytest.mark.broad
@pytest.mark.parametrize("k", [10, 20])
def test_gdeval(shared_data, web_runs, k):
    folder = shared_data / "trec-web-2012-div"
    tool = {f"ndcg@{k}": f"nDCG(gain=exp)@{k}", f"err@{k}": f"ERR(max_grade=4)@{k}"}
    expected = computed(folder / "expected-computed", f"gdeval.k{k}")
    expected = expected.assign(name=expected["name"].map(tool))
    scores = web_runs.ireval.measure(pdeval.read_qrels(folder / "qrels.txt"), list(tool.values()))
    wrong, compared = published.differences(scores, expected)
    assert wrong.empty, wrong
    assert compared >= 8 * 50 * 2


def test_the_names_of_ndeval_are_pdevals_own():
    for name in (
        "ERR-IA@5",
        "nERR-IA@10",
        "alpha-DCG@20",
        "alpha-nDCG@20",
        "NRBP",
        "nNRBP",
        "MAP-IA",
        "P-IA@5",
        "strec@5",
    ):
        assert parse(name).label == name
