import pandas as pd
import pytest

from pdeval.evaluate.run_selection import chosen_pairs, place_of

RUNS = pd.DataFrame({"run": ["bm25", "dense", "ql"]})
SEEDS = pd.DataFrame({"model": ["x", "x", "y"], "seed": [1, 2, 1]})
NUMBERED = pd.DataFrame({"run": [10, 20]})


@pytest.mark.parametrize(
    ("runs", "name", "place"),
    [
        (RUNS, "ql", 2),
        (RUNS, ("ql",), 2),
        (SEEDS, ("x", 2), 1),
        (SEEDS, "y / 1", 2),
        (NUMBERED, 20, 1),
        (RUNS.astype("category"), "dense", 1),
    ],
)
def test_a_run_is_found_by_id_by_ids_and_by_label(runs, name, place):
    assert place_of(runs, name) == place


@pytest.mark.parametrize(
    ("runs", "name", "text"),
    [
        (
            RUNS,
            "bm26",
            r"no run 'bm26'; the runs are 'bm25', 'dense', 'ql'\. Did you mean 'bm25'\?",
        ),
        (RUNS, 7, "no run 7; the runs are"),
        (SEEDS, ("x", 3), r"no run \('x', 3\); the runs are 'x / 1', 'x / 2', 'y / 1'"),
        (SEEDS, "x", "no run 'x'"),
        (NUMBERED, "10", r"no run '10'; the runs are 10, 20\. Did you mean 10\?"),
        (
            pd.DataFrame({"run": [f"run{i}" for i in range(9)]}),
            "zzz",
            r"'run4', \.\.\. \(9 in all\)",
        ),
    ],
)
def test_an_unknown_run_is_an_error_that_lists_the_runs(runs, name, text):
    with pytest.raises(KeyError, match=text):
        place_of(runs, name)


def pairs(runs=RUNS, **choice):
    return [side.tolist() for side in chosen_pairs(runs, **choice)]


def test_all_pairs_stand_once():
    assert pairs() == [[0, 0, 1], [1, 2, 2]]


def test_a_baseline_is_the_second_of_every_pair():
    assert pairs(baseline="dense") == [[0, 2], [1, 1]]
    assert pairs(SEEDS, baseline=("x", 2)) == [[0, 2], [1, 1]]


def test_listed_pairs_keep_their_order_and_direction():
    assert pairs(pairs=[("ql", "bm25"), ("bm25", "dense")]) == [[2, 0], [0, 1]]
    assert pairs(pairs=[["ql", "bm25"]]) == [[2], [0]]
    assert pairs(SEEDS, pairs=[(("x", 1), ("y", 1))]) == [[0], [2]]


def test_pairs_may_be_rows_of_a_frame():
    assert pairs(pairs=pd.DataFrame({"a": ["ql"], "b": ["dense"]})) == [[2], [1]]
    frame = pd.DataFrame({"model_a": ["x"], "seed_a": [2], "model_b": ["y"], "seed_b": [1]})
    assert pairs(SEEDS, pairs=frame) == [[1], [2]]


BAD = {
    "one run": (
        {"runs": RUNS[:1]},
        ValueError,
        "a preference needs two runs; there is one: 'bm25'",
    ),
    "no run": ({"runs": RUNS[:0]}, ValueError, "a preference needs two runs; there is none"),
    "both": (
        {"baseline": "ql", "pairs": [("ql", "bm25")]},
        ValueError,
        "baseline= and pairs= cannot be combined. Pass one of them",
    ),
    "unknown baseline": (
        {"baseline": "bm26"},
        KeyError,
        "no baseline 'bm26'; .*Did you mean 'bm25'",
    ),
    "unknown run": ({"pairs": [("ql", "nope")]}, KeyError, "no run 'nope'"),
    "itself": ({"pairs": [("ql", "ql")]}, ValueError, r"compared with itself: \('ql', 'ql'\)"),
    "twice": (
        {"pairs": [("ql", "bm25"), ("ql", "bm25")]},
        ValueError,
        "same two runs more than once",
    ),
    "turned round": (
        {"pairs": [("ql", "bm25"), ("bm25", "ql")]},
        ValueError,
        "same two runs more than once",
    ),
    "none": ({"pairs": []}, ValueError, r"pairs=\[\]: expected a list of \(run_a, run_b\)"),
    "three": (
        {"pairs": [("ql", "bm25", "dense")]},
        ValueError,
        r"'dense'\)\]: expected a list of \(run_a, run_b\)",
    ),
    "a text": ({"pairs": "ql"}, ValueError, r"pairs='ql': expected a list of \(run_a, run_b\)"),
    "texts": (
        {"pairs": ["ql", "bm25"]},
        ValueError,
        r"'bm25'\]: expected a list of \(run_a, run_b\)",
    ),
    "a number": ({"pairs": 3}, ValueError, r"pairs=3: expected a list of \(run_a, run_b\)"),
    "a frame of three": (
        {"pairs": pd.DataFrame(columns=list("abc"))},
        ValueError,
        "or a DataFrame with the id columns of both runs",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_choices_are_refused(case):
    choice, kind, text = BAD[case]
    with pytest.raises(kind, match=text):
        pairs(**{"runs": RUNS, **choice})


def test_a_run_asked_for_by_a_tuple_of_one_is_shown_by_its_id():
    with pytest.raises(KeyError, match="no run 'zz'; the runs are"):
        place_of(pd.DataFrame({"run": ["bm25"]}), ("zz",))


def test_several_baselines_are_each_paired_with_every_other_run_and_with_one_another_once():
    # issue 12, item 12
    assert pairs(baseline=["dense", "bm25"]) == [[0, 2, 2], [1, 1, 0]]
    assert pairs(baseline=("dense", "bm25")) == [[0, 2, 2], [1, 1, 0]]
    assert pairs(SEEDS, baseline=[("x", 2)]) == [[0, 2], [1, 1]]


@pytest.mark.parametrize(("given", "told"), [([], "is empty"), (["bm26"], "no baseline 'bm26'")])
def test_a_list_of_baselines_is_checked_as_one_is(given, told):
    with pytest.raises((ValueError, KeyError), match=told):
        pairs(baseline=given)
