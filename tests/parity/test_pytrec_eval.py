"""Equal to pytrec_eval in every bit of every double, on every shared collection (compat="trec_eval-9")."""

import numpy as np
import pytest

import pdeval

pytrec_eval = pytest.importorskip("pytrec_eval")
pytestmark = [
    pytest.mark.filterwarnings("ignore:.*judged quer.* missing from run:UserWarning"),
    pytest.mark.filterwarnings("ignore:level=. does not change the gains"),  # as in trec_eval
]

CUTS = "5,10,15,20,30,100,200,500,1000"
ASKED = {
    "map", "recip_rank", "Rprec", "bpref", "ndcg", "success.1,5,10", f"map_cut.{CUTS}", f"P.{CUTS}", f"recall.{CUTS}",
    f"ndcg_cut.{CUTS}", "iprec_at_recall.0.0,0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,1.0",
}  # fmt: skip
# folder, qrels, relevance level, how many runs the fast suite compares (None: all)
SETS = {
    "trec_eval-test": ("qrels.test", 1, None),
    "trec_eval-test level 2": ("qrels.rel_level", 2, None),
    "clef-ehealth-2015": ("qrels.txt", 1, 3),
    "dl-hard-doc": ("qrels.txt", 2, 2),
    "trec-covid-r3": ("qrels.txt", 1, 2),
    "trec-web-2012-div": ("qrels.txt", 1, 1),
}


def compare(folder, qrels_file, level, some, *, judged_only=False):
    qrels = pdeval.read_qrels(folder / qrels_file)
    paths = sorted((folder / "runs").glob("*.gz")) or [folder / "results.test"]
    by_query = {
        q: dict(zip(g["doc_id"], g["relevance"].astype(int)))
        for q, g in qrels.groupby("query_id", observed=True)
    }
    rules = {"relevance_level": level, "judged_docs_only_flag": judged_only}
    oracle = pytrec_eval.RelevanceEvaluator(by_query, ASKED, **rules)
    compared = 0
    for path in paths[:some]:
        run = pdeval.read_run(path, name="run")
        lists = {
            q: dict(zip(g["doc_id"], g["score"])) for q, g in run.groupby("query_id", observed=True)
        }
        theirs = oracle.evaluate(lists)
        names = list(next(iter(theirs.values())))
        scores = run.ireval.measure(
            qrels,
            names,
            level=level,
            queries="answered",
            compat="trec_eval-9",
            judged_only=judged_only,
        )
        table = scores.pivot(index="query_id", columns="measure", values="value")
        for name in names:
            ours = table[pdeval.parse(name).label]
            expected = np.array([theirs[str(query)][name] for query in ours.index])
            wrong = ours.index[ours.to_numpy() != expected]
            assert wrong.empty, (path.name, name, list(wrong[:3]), ours[wrong[:3]].tolist())
            compared += len(expected)
        assert len(table) == len(theirs)
    return compared


@pytest.mark.broad
@pytest.mark.parametrize("collection", SETS)
def test_every_bit_of_every_double(shared_data, collection):
    qrels, level, some = SETS[collection]
    assert compare(shared_data / collection.split()[0], qrels, level, some) >= 3 * 50


@pytest.mark.broad
@pytest.mark.parametrize("collection", SETS)
def test_every_bit_of_judged_items_only(shared_data, collection):
    """trec_eval -J."""
    qrels, level, some = SETS[collection]
    assert (
        compare(shared_data / collection.split()[0], qrels, level, some, judged_only=True) >= 3 * 50
    )


@pytest.mark.slow
@pytest.mark.parametrize("collection", [name for name, (*_, some) in SETS.items() if some])
@pytest.mark.filterwarnings("ignore:no run returns any of the:UserWarning")  # a run of CLEF
def test_every_bit_of_every_double_of_every_run(shared_data, collection):
    qrels, level, some = SETS[collection]
    assert compare(shared_data / collection, qrels, level, None) > some * 50 * 50
