"""What each verb of a join is asked in tests that walk them all, and when two results are the same."""

import dataclasses
from functools import reduce

import numpy as np
import pandas as pd

import pdeval
from pdeval.verbs import of_kind
from tests.dask.bits import quiet, same_bits


def labeled(judged):
    prefs = quiet(judged.prefer, "invRPP", baseline="bm25").query("value != 0")
    return prefs.assign(winner=np.where(prefs["value"] > 0, "a", "b"))


def labels():
    """Two assessors, of whom the second is stricter."""
    qrels = pdeval.datasets.sample_qrels()
    both = [
        qrels.assign(assessor=name, label=(qrels["relevance"] > least) * 1)
        for name, least in (("a", 0), ("b", 1))
    ]
    return pd.concat(both, ignore_index=True).drop(columns="relevance")


def sampled(judged):
    """Every other judged item of a join, as if it had been drawn."""
    plan = judged.tables[1].frame[["query_id", "doc_id"]].reset_index(drop=True)
    return plan.assign(rank=1, probability=0.5, chosen=plan.index % 2 == 0)


def catalog():
    """Every item that any run returned."""
    return pdeval.datasets.sample_runs()[["doc_id"]].drop_duplicates(ignore_index=True)


def item_groups():
    """Every item that any run returned or that is judged, in two groups."""
    qrels = pdeval.datasets.sample_qrels()[["doc_id"]]
    items = pd.concat([catalog(), qrels]).astype(str).drop_duplicates(ignore_index=True)
    return items.assign(group=np.where(items.index % 3 == 0, "few", "many"))


def halves():
    """Even and odd queries."""
    queries = pdeval.datasets.sample_qrels()["query_id"].drop_duplicates().reset_index(drop=True)
    return pd.DataFrame({"query_id": queries, "half": queries.astype(int) % 2})


def strict():
    """A judge for whom only what is better than relevant is relevant, and who says so of two queries at least."""
    qrels = pdeval.datasets.sample_qrels()
    return {"strict": qrels.assign(relevance=qrels["relevance"].where(qrels["relevance"] > 1, 0))}


# what a verb is asked, where it cannot be asked without arguments or would take long; functions are given the join
def answerable(judged):
    """Return which queries of a join have an answer: every other."""
    queries = judged.queries.astype(str)
    return pd.DataFrame({"query_id": queries, "answerable": queries.astype(int) % 2 == 1})


def spans(judged):
    """Return a relevant span of the first half of each relevant item."""
    qrels = pdeval.datasets.sample_qrels().query("relevance > 0")
    qrels = qrels[qrels["query_id"].isin(judged.queries.astype(str))]
    return qrels.assign(start=0, end=10, doc_id=qrels["doc_id"].astype(str))


def places():
    """Return the place of each item of the sample, as a chunk of a document of its own."""
    items = pdeval.datasets.sample_runs()["doc_id"].astype(str).drop_duplicates()
    return pd.DataFrame({"doc_id": items, "document": items, "start": 5, "end": 20})


ARGUMENTS = {
    "abstention": lambda judged: {"answerable": answerable(judged)},
    "measure_spans": lambda judged: {"spans": spans(judged), "chunks": places()},
    "anova.sample_size": {"difference": 0.1},
    **dict.fromkeys(("awrf", "exposure_shares"), lambda _: {"groups": item_groups()}),
    "reproduce": lambda judged: {"original": judged.tables[0].frame, "measures": ["AP", "nDCG@10"]},
    **dict.fromkeys(
        ("beyond_accuracy", "beyond_accuracy.compare"),
        lambda _: {"measures": ["Coverage@10"], "items": catalog()},
    ),
    "disaggregate": {"measures": ["AP", "RPP"], "baseline": "bm25"},
    "explain": {"query": "116", "measures": ["AP", "nDCG@10"]},
    "agree.labels": lambda judged: {"labeled": labeled(judged)},
    "fit_weights": lambda judged: {"labeled": labeled(judged)},
    "fit_population": lambda judged: {"labeled": labeled(judged), "draws": 2},
    "measure": {"measures": ["AP", "nDCG@10", "bpref", "ASL"]},
    "prefer": {"measures": ["RPP", "rrLP", "AP"]},
    "order": {"measures": ["RPP", "rrLP", "AP", "ASL"]},
    "leaderboard": {"measures": ["RPP", "AP"], "draws": 20},
    "compare": {"measures": ["RPP", "AP"]},
    "equivalence": {"measures": ["RPP", "AP"], "rope": 0.01},
    "gate": {"candidate": "ql", "baseline": "bm25", "measures": ["RPP", "AP"], "margin": 0.05},
    "add_metadata": lambda _: {"metadata": pdeval.datasets.sample_metadata()},
    "delta_sort": {"new": "nDCG@10"},
    "search_lengths.differences": {"run_a": "bm25", "run_b": "ql"},
    "search_lengths.rrie": {"run_a": "bm25", "run_b": "ql"},
    "search_lengths.wins": {"run_a": "bm25", "run_b": "ql"},
    "pool.sample": {"size": 50},
    "label_next.items": {
        "machine": pdeval.datasets.sample_qrels(),
        "measures": "RBP",
        "size": 3,
        "depth": 100,
    },
    "pool.estimate": lambda judged: {"sample": sampled(judged)},
    "replicates": lambda _: {
        "measures": ["AP", "ASL"],
        "system": "family",
        "metadata": pdeval.datasets.sample_metadata(),
    },
    "replicates.compare": lambda _: {
        "system": "family",
        "metadata": pdeval.datasets.sample_metadata(),
    },
    "collection_means": lambda _: {"measures": "AP", "by": "half", "metadata": halves()},
    "meta_analysis": lambda _: {"measures": "RPP", "by": "half", "metadata": halves(), "draws": 20},
    "meta_analysis.sample_size": lambda _: {"measures": "AP", "by": "half", "metadata": halves()},
    "robustness": {"to": "queries", "draws": 2},
    "segments": lambda _: {"measures": "AP", "by": "half", "metadata": halves()},
    "segments.gaps": lambda _: {"measures": "RPP", "by": "half", "metadata": halves()},
    **dict.fromkeys(
        ("judges", "judges.scores", "judges.pairs"),
        lambda _: {"machine": strict(), "measures": "AP", "query_set": "common"},
    ),
    "judges.bias": lambda _: {"machine": strict()},
    "swap_assessors": lambda _: {"labels": labels(), "measures": ["AP", "RPP"]},
}
VERBS_OF_A_JOIN = of_kind("judged")


def arguments(name, judged):
    given = ARGUMENTS.get(name, {})
    given = given(judged) if callable(given) else given
    verb = VERBS_OF_A_JOIN[name]
    known = (
        ("qrels", *judged.positions.rules, "level", "queries", "validate")
        if "judged" not in verb.on
        else ()
    )
    needed = [p.name for p in verb.parameters if p.default is p.empty and p.name not in known]
    lacking = [one for one in needed if one not in given]
    assert not lacking, (
        f"{name}() needs {', '.join(lacking)}: add {name!r} to ARGUMENTS in {__file__}"
    )
    return given


def asked(accessor, name, given):
    return quiet(reduce(getattr, name.split("."), accessor), **given)


def same(left, right):
    """Fail unless two results are the same, part by part."""
    if isinstance(left, pd.DataFrame):
        same_bits(left, right)
    elif dataclasses.is_dataclass(left):
        assert type(left) is type(right)
        for field in filter(lambda one: one.compare, dataclasses.fields(left)):
            same(getattr(left, field.name), getattr(right, field.name))
    elif isinstance(left, np.ndarray):
        assert left.dtype == right.dtype
        np.testing.assert_array_equal(left, right)
    elif type(left).__module__.startswith("matplotlib"):
        assert type(left) is type(right)
    elif isinstance(left, list | tuple):
        assert len(left) == len(right)
        for one, two in zip(left, right, strict=True):
            same(one, two)
    else:
        assert left == right
