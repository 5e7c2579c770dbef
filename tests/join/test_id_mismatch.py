"""Judgments that match the runs in part: told where a form of ids or a query finds nothing, never of a usual pool."""

import re
import warnings

import numpy as np
import pandas as pd
import pytest

import pdeval

UNLIKE = "relevant items"


def told(runs, qrels, **options):
    """Return the warnings of a join about ids."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        runs.ireval.join(qrels, **options)
    return [str(one.message) for one in found if UNLIKE in str(one.message)]


def changed(qrels, which, change):
    """Return judgments with some of their ids changed."""
    doc = qrels["doc_id"].astype(object).to_numpy(copy=True)
    doc[which] = [change(one) for one in doc[which]]
    return qrels.assign(doc_id=doc)


def collection(form="doc-{:05d}".format):
    """Return two runs of 12 queries, which find 36 of the 40 relevant items of each, and the judgments."""
    rows = [
        (run, query, form(1000 * query + n))
        for run in "ab"
        for query in range(12)
        for n in range(4, 60)
    ]
    runs = pd.DataFrame(rows, columns=["run", "query_id", "doc_id"]).assign(score=1.0)
    judged = [
        (query, form(1000 * query + n), int(n < 40)) for query in range(12) for n in range(50)
    ]
    return runs, pd.DataFrame(judged, columns=["query_id", "doc_id", "relevance"])


@pytest.mark.parametrize(
    ("change", "shown"),
    [
        (str.upper, "DOC-00000"),
        ("{} ".format, "doc-00000 "),
        (" {}".format, " doc-00000"),
        ("{}.0".format, "doc-00000.0"),
        ("en/{}".format, "en/doc-00000"),
        ("{}x".format, "doc-00000x"),
        (lambda one: one.replace("-", "-0"), "doc-000000"),
        (lambda one: one.removeprefix("doc-"), "00000"),
    ],
)
@pytest.mark.parametrize("stored", ["category", "str"])
def test_a_third_of_the_judged_ids_in_another_form_is_told_with_its_share(change, shown, stored):
    runs, qrels = collection()
    third = np.arange(len(qrels)) % 3 == 0
    (text,) = told(
        runs.astype({"doc_id": stored}), changed(qrels, third, change).astype({"doc_id": stored})
    )
    count = int((third & (qrels["relevance"] > 0)).sum())
    assert text == (
        f"{count / 480:.0%} of the relevant items ({count} of 480) have ids like {shown!r}, and the runs return none "
        "of that form but such as 'doc-00004'. Use the same ids in both tables."
    )


@pytest.mark.parametrize(
    ("change", "how"),
    [
        ("x{}".format, "without their first character"),
        ("{}e".format, "without their last character"),
    ],
)
def test_28_15_a_letter_glued_to_ids_of_letters_is_told(change, how):
    runs, qrels = collection(lambda n: "".join("xbcdefghij"[int(digit)] for digit in f"{n:05d}"))
    (text,) = told(runs, changed(qrels, np.arange(len(qrels)) % 3 == 0, change))
    assert text.startswith(
        "40% of the relevant items (192 of 480) are returned by no run; many of them match "
    )
    judged, returned = re.search(
        rf"{how}: '(\w+)' is judged, and '(\w+)' is returned", text
    ).groups()
    assert judged == change(returned)
    assert returned in set(runs["doc_id"])


def test_28_15_numbers_that_are_others_without_a_digit_are_not_told():
    runs = pd.DataFrame({"query_id": 1, "doc_id": np.arange(1, 2001), "score": np.arange(2000)})
    qrels = pd.DataFrame({"query_id": 1, "doc_id": np.arange(1000, 3000), "relevance": 1})
    assert told(runs, qrels) == []
    # d1 to d30 are returned, d10 to d59 judged: without a digit, the rest of these are others
    runs = pd.DataFrame({"query_id": 1, "doc_id": [f"d{n}" for n in range(1, 31)], "score": 1.0})
    qrels = pd.DataFrame(
        {"query_id": 1, "doc_id": [f"d{n}" for n in range(10, 60)], "relevance": 1}
    )
    assert told(runs, qrels) == []


def test_the_warning_comes_once_for_a_join():
    runs, qrels = collection()
    bad = changed(qrels, np.arange(len(qrels)) % 3 == 0, str.upper)
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        judged = runs.ireval.join(bad)
        judged.measure(["AP"])
        judged.order(["AP"])
    assert sum(UNLIKE in str(one.message) for one in found) == 1
    with pytest.warns(UserWarning, match="of the relevant items"):
        runs.ireval.measure(bad, ["AP"])


@pytest.mark.parametrize("stored", ["int64", "str"])
def test_judged_numbers_of_more_digits_than_any_run_returns_are_told(stored):
    runs, qrels = collection(int)
    bad = changed(qrels, np.arange(len(qrels)) % 3 == 0, lambda one: one + 1_000_000)
    (text,) = told(runs.astype({"doc_id": stored}), bad.astype({"doc_id": stored}))
    assert "have ids like '1000000', and the runs return none of that form but such as '" in text


@pytest.mark.parametrize("engine", ["pandas", "parts"])
def test_queries_of_which_nothing_is_returned_where_the_others_are_found_are_told(engine):
    runs, qrels = collection()
    bad = changed(
        qrels, (qrels["query_id"] % 3 == 2).to_numpy(), lambda one: f"doc-{50000 + int(one[4:])}"
    )
    runs.loc[runs.index[:10], "doc_id"] = [
        f"doc-{90000 + n}" for n in range(10)
    ]  # no form that the runs do not have
    if engine == "pandas":
        (text,) = told(runs, bad)
    else:
        with pytest.warns(UserWarning, match=UNLIKE) as found:
            pdeval.join_parts([part for _, part in runs.groupby("query_id")], bad)
        (text,) = [str(one.message) for one in found]
    assert text == (
        "no run returns any of the 160 relevant items of 4 queries (33% of all), e.g. of query 2, where 90% of the "
        "others are returned: are the ids of items, and of queries, those of the runs?"
    )


def test_a_pool_of_which_the_runs_find_a_part_is_not_told():
    runs, qrels = collection()
    runs["doc_id"] = runs["doc_id"].where(np.arange(len(runs)) % 4 == 0, "other-" + runs["doc_id"])
    assert runs["doc_id"].isin(qrels["doc_id"]).mean() < 0.25
    assert told(runs, qrels) == []
    # nothing of three queries, and little of the others
    assert told(runs[(runs["query_id"] > 2) | runs["doc_id"].str.startswith("other")], qrels) == []


def test_ids_that_match_and_few_or_placeholder_rows_are_not_told():
    runs, qrels = collection()
    assert told(runs, qrels) == told(runs, qrels, depth=10) == []
    assert told(runs, changed(qrels, np.arange(9), str.upper)) == []
    # one row for each of three queries, of an item that nobody judged
    few = runs[(runs["query_id"] > 2) | ~runs.duplicated(["run", "query_id"])]
    few = few.assign(doc_id=few["doc_id"].where(few["query_id"] > 2, "none"))
    assert told(few, qrels) == []


@pytest.mark.parametrize(
    "name", ["clef-ehealth-2015", "trec-covid-r3", "dl-hard-doc", "trec-web-2012-div"]
)
def test_real_collections_are_not_told_of_nor_their_single_runs(shared_data, name):
    runs = pdeval.read_runs(shared_data / name / "runs", progress=False)
    qrels = pdeval.read_qrels(shared_data / name / "qrels.txt")
    assert told(runs, qrels) == []
    # of one run the lists of eight queries are those of others
    amiss = ["FDUSGInfo_EN_Run.1"] if name == "clef-ehealth-2015" else []
    assert [run for run, part in runs.groupby("run", observed=True) if told(part, qrels)] == amiss
