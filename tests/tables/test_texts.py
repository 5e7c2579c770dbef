"""`texts=`: texts of queries and documents in the forms of other tools."""

from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest

from pdeval.tables.texts import cut, read_texts


class Query(NamedTuple):
    query_id: str
    text: str


class TopicQuery(NamedTuple):
    query_id: str
    title: str
    description: str


class Doc(NamedTuple):
    doc_id: str
    url: str | None
    title: str | None
    body: str


NOTHING = [None, None, None]
QUERIES = pd.DataFrame({"qid": [1, 2], "query": ["masks", "vaccines"]})
DOCS = pd.DataFrame(
    {
        "docno": ["a", "b"],
        "title": ["A", None],
        "text": ["the first", "the second"],
        "url": ["https://x.org/a", "ftp://x.org"],
    }
)


def documents(value, *ids, **options):
    return read_texts(value).documents(ids, **options).values.tolist()


def test_a_frame_has_texts_of_queries_or_of_documents_by_the_names_of_its_columns():
    assert read_texts(QUERIES).queries(["2", 1, 3, None, np.nan]) == ["vaccines", "masks", *NOTHING]
    assert documents(QUERIES, 1, "2") == [NOTHING, NOTHING]
    assert read_texts(DOCS).queries(["a"]) == [None]
    assert documents(DOCS, "b", "a", "c") == [
        [None, "the second", None],
        ["A", "the first", "https://x.org/a"],
        NOTHING,
    ]


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        (("query_id", "text"), "masks"),
        (("topic", "title"), "masks"),
        (("query", "text"), "masks"),  # an id, since there is no other
        (("_id", "query"), "masks"),
        (("number", "description"), "masks"),
        (("user_id", "question"), "masks"),
    ],
)
def test_queries_are_read_in_any_vocabulary(columns, expected):
    frame = pd.DataFrame([(7, "masks")], columns=columns)
    assert read_texts(frame).queries(["7"]) == [expected]
    assert read_texts({"queries": frame}).queries([7]) == [expected]


@pytest.mark.parametrize(
    "columns", [("doc_id", "contents"), ("docid", "body"), ("_id", "text"), ("pid", "passage")]
)
def test_documents_are_read_in_any_vocabulary(columns):
    frame = pd.DataFrame([(7, "page")], columns=columns)
    assert documents(frame, "7") == documents((None, frame), 7) == [[None, "page", None]]


def test_a_frame_may_have_both_texts_and_repeat_them():
    frame = QUERIES.merge(DOCS, how="cross")
    assert read_texts(frame).queries([2]) == ["vaccines"]
    assert documents(frame, "b") == [[None, "the second", None]]
    assert read_texts(frame.drop(columns="query")).queries([2]) == [None]  # `text` is of documents


def test_ids_may_be_in_the_index_or_bound():
    assert documents(DOCS.set_index("docno"), "a")[0][0] == "A"
    assert documents(DOCS.set_index("docno")["text"], "a")[0][1] == "the first"
    assert documents(pd.Series({"a": "page"}), "a")[0][1] == "page"
    bound = DOCS.rename(columns={"docno": "key"}).ireval(doc="key")
    assert documents(bound, "a")[0][0] == "A"


@pytest.mark.parametrize(
    "value",
    [
        (QUERIES, DOCS),
        [QUERIES, DOCS],
        {"queries": QUERIES, "docs": DOCS},
        {"queries": {1: "masks"}, "documents": {"a": {"title": "A", "text": "the first"}}},
        ({"1": "masks"}, {"a": Doc("a", None, "A", "the first")}),
        ([Query("1", "masks")], [Doc("a", None, "A", "the first")]),
        (iter([Query("1", "masks")]), iter([Doc("a", None, "A", "the first")])),
        ([TopicQuery("1", "masks", "Do masks help?")], [{"_id": "a", "title": "A", "text": "x"}]),
    ],
)
def test_queries_and_documents_are_passed_together_in_every_form(value):
    texts = read_texts(value)
    assert texts.queries([1]) == ["masks"]
    assert texts.documents(["a"])["title"].tolist() == ["A"]


def test_a_dataset_with_a_store_gives_only_the_documents_that_are_requested():
    class Store:
        def get_many(self, ids):
            return {one: Doc(one, None, "", f"text of {one}") for one in ids if one != "c"}

    class Dataset:
        def queries_iter(self):
            return iter([Query("1", "masks"), Query("2", "vaccines")])

        def docs_store(self):
            return Store()

    texts = read_texts(Dataset())
    assert texts.queries([2, 1]) == ["vaccines", "masks"]
    assert texts.documents(["b", "c"])["text"].tolist() == ["text of b", None]
    assert documents(Store(), "b")[0][1] == "text of b"


def test_an_iterator_is_not_read_before_its_texts_are_requested():
    read = []

    def rows():
        for number in range(5):
            read.append(number)
            yield Doc(f"d{number}", None, None, f"page {number}")

    texts = read_texts(rows())
    assert read == [0]  # the names of its fields
    assert texts.queries(["d3"]) == [None]
    assert read == [0]
    assert texts.documents(["d3", "d0"])["text"].tolist() == ["page 3", "page 0"]
    with pytest.raises(ValueError, match=r"texts= has no rows\. An iterator can be read only once"):
        texts.documents(["d1"])


def test_other_frames_are_read():
    polars = pytest.importorskip("polars")
    assert read_texts(polars.from_pandas(QUERIES)).queries(["1"]) == ["masks"]
    dask = pytest.importorskip("dask.dataframe")
    parts = dask.from_pandas(DOCS, npartitions=2)
    assert documents(parts, "b", "c") == [[None, "the second", None], NOTHING]


def test_a_text_is_cut_and_its_white_space_is_single():
    assert cut("  a\n\n b\t", 10) == "a b"
    assert cut("abcdef", 6) == "abcdef"
    assert cut("abcdefg", 6) == "abcde…"
    assert len(cut("x" * 100_000, 200)) == 200
    assert cut(" " * 9 + "x" * 9, 1) == "…"  # what is cut is marked
    assert cut("a\ud800b", 9) == "a?b"
    assert cut("\n", 9) is None
    assert cut(["a", "b"], 20) == "['a', 'b']"
    assert documents({"d": "x" * 9}, "d", length=4) == [[None, "xxx…", None]]


@pytest.mark.parametrize(
    "url", ["javascript:alert(1)", "data:text/html,x", "https://", "https://a b", 7, "//x.org"]
)
def test_only_addresses_of_the_web_are_addresses(url):
    assert documents({"d": {"text": "x", "url": url}}, "d") == [[None, "x", None]]


def test_one_text_of_a_query_and_of_a_document_is_refused():
    texts = read_texts({1: "Toy Story", 2: "Heat"})
    assert texts.queries([1]) == ["Toy Story"]
    assert texts.documents([2])["text"].tolist() == ["Heat"]
    with pytest.raises(ValueError, match=r"id '1', which is a query and a document. Pass texts=\{"):
        texts.documents([1])


@pytest.mark.parametrize(
    ("value", "kind", "text"),
    [
        (pd.DataFrame({"qid": [1], "grade": [2]}), ValueError, "no column of texts .known names"),
        (DOCS[["title", "text"]], ValueError, "no column of ids; it has title, text"),
        (pd.Series(["x"]), ValueError, "no column of ids"),  # numbers of rows are no ids
        ("texts.csv", TypeError, "texts='texts.csv': expected a table, a mapping of ids to texts"),
        (7, TypeError, "texts=7: expected a table"),
        ([], ValueError, "texts= has no rows"),
        ([("a", "b")], TypeError, r"the row \('a', 'b'\): expected named tuples"),
        ([{"text": "x"}], ValueError, "no column of ids; it has text. Rename one"),
    ],
)
def test_bad_texts_are_answered_by_text(value, kind, text):
    with pytest.raises(kind, match=text):
        read_texts(value).queries(["1"])


def test_nothing_has_no_texts():
    assert read_texts(None).queries([1]) == [None]
    assert documents(None, "a") == [NOTHING]
    assert read_texts({}).queries([]) == []
    assert list(read_texts(DOCS).documents([])) == ["title", "text", "url"]
