"""Per-topic values and leaderboards that were published with real runs, compared digit by digit."""

import pandas as pd
import pytest

import pdeval
from tests.parity import published

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*judged quer.* missing from run:UserWarning"),
    pytest.mark.filterwarnings("ignore:level=. does not change the gains"),  # as in trec_eval
]


def all_published(folder, ending):
    return pd.concat(
        [published.read(p, p.name.removesuffix(ending)) for p in sorted(folder.glob(f"*{ending}"))]
    )


@pytest.fixture(scope="module")
def clef_runs(shared_data):
    return pdeval.read_runs(shared_data / "clef-ehealth-2015" / "runs", progress=False)


@pytest.mark.broad
@pytest.mark.parametrize(
    ("ending", "qrels"), [(".trec_eval.txt.gz", "qrels.binary.txt"), (".ndcg.txt.gz", "qrels.txt")]
)
def test_clef_ehealth_2015_as_trec_eval_9_with_all_topics_to_depth_1000(
    shared_data, clef_runs, ending, qrels
):
    folder = shared_data / "clef-ehealth-2015"
    expected = all_published(folder / "expected", ending)
    scores = clef_runs.ireval.measure(
        pdeval.read_qrels(folder / qrels),
        published.names(expected),
        queries="judged",
        compat="trec_eval-9",
        depth=1000,
    )
    wrong, compared = published.differences(scores, expected)
    assert wrong.empty, wrong
    assert compared > 15_000


@pytest.mark.broad
def test_dl_hard_at_level_two(shared_data):
    folder = shared_data / "dl-hard-doc"
    expected = all_published(folder / "expected", ".trec_eval.txt.gz")
    runs, qrels = (
        pdeval.read_runs(folder / "runs", progress=False),
        pdeval.read_qrels(folder / "qrels.txt"),
    )
    scores = runs.ireval.measure(
        qrels, published.names(expected), level=2, queries="judged", compat="trec_eval-9"
    )
    wrong, compared = published.differences(scores, expected)
    # trec_eval -c counts every positive grade in its summary of num_rel, whatever the level; per topic it does not
    summary = (wrong["name"] == "num_rel") & (wrong["topic"] == "all")
    assert (wrong.loc[summary, "text"] == str((qrels["relevance"] > 0).sum())).all()
    assert wrong[~summary].empty, wrong[~summary]
    assert compared > 60_000


LEADERBOARD = {
    "ndcg@10": "nDCG@10",
    "P@5": "P@5",
    "rbp_p5": "gRBP(p=0.5)",
    "bpref": "bpref",
    "map": "AP",
}
JUDGED = {"J@5": "Judged@5", "J@10": "Judged@10", "J@1000": "Judged@1000"}


@pytest.mark.broad
@pytest.mark.parametrize(
    ("columns", "rules"),
    [
        # RBP and nDCG of UIowaS_Rd3MLReRank and UIowaS_Run2 hang on scores that are equal as 32-bit floats only
        (LEADERBOARD, {"compat": "trec_eval-9"}),
        # the shares of judged items were counted down the file, equal scores in the order of its lines
        (JUDGED, {"ties": "first"}),
    ],
)
def test_the_trec_covid_leaderboard(covid, columns, rules):
    runs, qrels, board = covid
    board = board.melt("run", list(columns), var_name="name", value_name="text")
    board = board.assign(topic="all", name=board["name"].map(columns))
    wrong, compared = published.differences(
        runs.ireval.measure(qrels, list(columns.values()), queries="judged", **rules), board
    )
    assert wrong.empty, wrong
    assert compared == 79 * len(columns)


@pytest.fixture(scope="module")
def covid(shared_data):
    folder = shared_data / "trec-covid-r3"
    board = pd.read_csv(folder / "expected" / "leaderboard.csv", dtype=str)
    return (
        pdeval.read_runs(folder / "runs", progress=False),
        pdeval.read_qrels(folder / "qrels.txt"),
        board,
    )
