"""The samples: 12 systems on 50 queries, judged with grades and subtopics; recommendations; and answers.

`python -m tests.datasets.generate` and `generate_answers` make the files from a seed.
"""

from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import pyarrow as pa

from pdeval.join import Compat, QueryRule, Ties
from pdeval.tables import from_arrow
from pdeval.verbs import checks_arguments

FOLDER = Path(__file__).parent / "files"


class Sample(NamedTuple):
    """The sample collection: runs, judgments and metadata of the systems."""

    runs: pd.DataFrame
    qrels: pd.DataFrame
    metadata: pd.DataFrame


@checks_arguments
def load_sample(*, subtopics: bool = False) -> Sample:
    """Return the sample collection: runs, qrels and metadata.

    Twelve systems of five families, 50 queries, 100 items per list. The judgments are a pool of nine systems with depth
    20, so the other three systems have unjudged items at top ranks. The scores of `tfidf`, `bm25` and `bm25+rm3`
    are rounded, so many scores are tied. Run `ql` did not answer queries 117 and 138.

    Parameters
    ----------
    subtopics : bool, default False
        Keep one judgment per query, subtopic and item, instead of the item's highest grade.

    Examples
    --------
    >>> sample = load_sample()
    >>> sample.runs.shape, sample.qrels.shape, sample.metadata.shape
    ((59800, 5), (4432, 3), (12, 5))
    """
    return Sample(sample_runs(), sample_qrels(subtopics=subtopics), sample_metadata())


def sample_runs() -> pd.DataFrame:
    """Return the rankings: run, query_id, doc_id, score, rank; sorted by run, query and rank.

    Examples
    --------
    >>> print(sample_runs().head(3).to_string(index=False))
     run query_id        doc_id  score  rank
    bm25      101     doc-03516   31.6     1
    bm25      101     doc-03054   30.3     2
    bm25      101 news-2021-394   28.2     3
    """
    return from_arrow(stored("runs"))


@checks_arguments
def sample_qrels(*, subtopics: bool = False) -> pd.DataFrame:
    """Return the judgments: query_id, doc_id, relevance (0 to 3) and, on request, subtopic.

    Parameters
    ----------
    subtopics : bool, default False
        One row per query, subtopic and item. By default one row per query and item, with its highest grade
        over the subtopics.

    Examples
    --------
    >>> print(sample_qrels().head(3).to_string(index=False))
    query_id    doc_id  relevance
         101 doc-00000          0
         101 doc-00012          1
         101 doc-00297          0
    >>> print(sample_qrels(subtopics=True).tail(2).to_string(index=False))
    query_id     doc_id  relevance subtopic
         150 web11.5039          0        4
         150 web11.5039          0        5
    """
    judged = from_arrow(stored("qrels"))
    if subtopics:
        return judged
    items = judged.groupby(["query_id", "doc_id"], observed=True, sort=False)
    return items["relevance"].max().reset_index()


def sample_metadata() -> pd.DataFrame:
    """Return the metadata of the systems: run, model, family, seed, year; one row per run.

    A system without randomness has seed 0.

    Examples
    --------
    >>> print(sample_metadata().iloc[1:4].to_string(index=False))
         run    model  family  seed  year
    bm25+rm3 bm25+rm3 lexical     0  2008
    dense-s1    dense   dense     1  2021
    dense-s2    dense   dense     2  2021
    """
    return from_arrow(stored("metadata"))


def sample_judged(
    *,
    subtopics: bool = False,
    level: float | None = None,
    queries: QueryRule = "relevant",
    ties: Ties | None = None,
    compat: Compat = "trec_eval-10",
    depth: int | None = None,
    judged_only: bool = False,
    validate: bool = True,
) -> Any:
    """Return the runs of the sample joined to its judgments.

    Parameters
    ----------
    subtopics : bool
        Keep the judgments by subtopic.
    level : float, optional
        Smallest relevant grade; by default any positive grade.
    queries : {'relevant', 'judged', 'answered', 'common'}
        Queries that count: those with a relevant item; all judged queries; those that each run answered; those that all
        runs answered.
    ties : {'docid', 'rank', 'first', 'expected'}, optional
        Order of equal scores; by default document ids descending, as trec_eval.
    compat : {'trec_eval-10', 'trec_eval-9', 'pref_eval'}
        Tool whose conventions to follow.
    depth : int, optional
        Number of items of each list to use.
    judged_only : bool
        Whether to remove unjudged items from the lists before they are ranked, as trec_eval's -J does.
    validate : bool
        Whether to check for duplicate documents; if not, the best rank of each counts.

    Examples
    --------
    >>> sample_judged(queries="common")
    runs joined to judgments: 12 runs x 48 of 50 queries; next: .measure(), .prefer(), .order(), .compare()
    """
    return sample_runs().ireval.join(
        sample_qrels(subtopics=subtopics),
        level=level,
        queries=queries,
        ties=ties,
        compat=compat,
        depth=depth,
        judged_only=judged_only,
        validate=validate,
    )


class Recommendations(NamedTuple):
    """Recommendations: runs, later ratings, earlier history, items and users."""

    runs: pd.DataFrame
    ratings: pd.DataFrame
    history: pd.DataFrame
    items: pd.DataFrame
    users: pd.DataFrame


def load_recommendations() -> Recommendations:
    """Return the sample of recommendations: runs, ratings, history, items and users.

    Twelve runs of four models, with different numbers of factors and seeds, recommend 20 of 400 items to each of 240
    users. Items have one to three genres, and few of them are popular. Users are new, casual or fans. Each user rated
    five more items from 1 to 5. `itemknn` with 20 factors also recommends items of the history.

    Examples
    --------
    >>> sample = load_recommendations()
    >>> print(sample.runs.head(2).to_string(index=False))
    model  factors  seed user_id item_id  score
      als       16     1    u001    i179  3.491
      als       16     1    u001    i379  2.821
    >>> print(sample.items.head(2).to_string(index=False))
    item_id                    genre  year
       i001                  romance  2019
       i002 documentary|drama|horror  2010
    """
    runs = from_arrow(stored("recommendations"))
    runs.attrs["run_columns"] = ["model", "factors", "seed"]
    return Recommendations(
        runs, *(from_arrow(stored(name)) for name in ("ratings", "history", "items", "users"))
    )


@cache
def stored(name: str) -> pa.Table:
    """Return one of the files shipped with the package as an Arrow table (which cannot be changed)."""
    import pyarrow.parquet as pq

    return pq.read_table(FOLDER / f"{name}.parquet", use_threads=False)
