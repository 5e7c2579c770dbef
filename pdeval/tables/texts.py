"""Texts of queries and documents, for results that list them: the argument `texts=`.

    texts = read_texts(value)
    texts.queries(["47", 48])                    a list: the text of each query, None without one
    texts.documents(["d1", "d2"], length=80)     a DataFrame: title, text and url of each document, None without one
    texts.columns("doc", ids)                    a dict of the columns that a table of documents gets

Ids match as strings: 47 is "47". Texts are cut to a length, and white space is one blank; they are not escaped. Only
the texts of requested ids are kept. An address is returned if it begins with http:// or https://.

The value is one of these, or a pair (queries, documents) or {"queries": ..., "docs": ...} of them:

    a table        ids in a column of any vocabulary, in `id` or `_id`, or in the index; texts in `title`, `text`, ...
    a mapping      id -> text, or id -> {"title": ..., "text": ...} as in BEIR
    an iterable    of named tuples or mappings, as `docs_iter()` and `queries_iter()` of ir_datasets; read once, at the
                   first request, which must have all ids
    a store        with `get_many(ids)`, as `docs_store()` of ir_datasets; or a dataset of ir_datasets

If the value states neither queries nor documents (a mapping, or `_id` as the column of ids), it is used for both. It
raises if an id is both a query and a document.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd

from pdeval.tables.dataframes import as_table
from pdeval.tables.vocabularies import WEAK, Binding, listed, names_of
from pdeval.verbs import short_repr

LENGTH = 200  # of a text in a table, in characters
LONGEST_ADDRESS = 2000
FIELDS = ("title", "text", "url")
KEYS = {"queries": "query", "docs": "doc", "documents": "doc"}
NEUTRAL = ("id", "_id")  # ids of queries or of documents
IDS = {
    "query": ("topic_id", "question_id", "number"),
    "doc": ("document_id", "passage_id", "product_id", "pid"),
}
# names that only the text of a query has
QUERY_TEXTS = ("query_text", "query", "question", "utterance")
COLUMNS: dict[str, dict[str, tuple[str, ...]]] = {
    "query": {"text": (*QUERY_TEXTS, "text", "title", "description")},
    "doc": {
        "title": ("title", "headline", "name"),
        "text": (
            *("text", "body", "contents", "content", "abstract", "passage"),
            *("plain_text", "main_content", "snippet", "summary", "description"),
        ),
        "url": ("url", "link", "uri"),
    },
}
# optional columns of tables of documents, and of tables with two documents in a row
TEXT_COLUMNS = "[query_text:any title:any text:any url:any]"
PAIR_TEXT_COLUMNS = (
    "[query_text:any title_a:any text_a:any url_a:any title_b:any text_b:any url_b:any]"
)
ADDRESS = re.compile(r"https?://[^\s…]+\Z", re.IGNORECASE)
NO_ROWS = (
    "texts= has no rows. An iterator can be read only once: pass a new one, or a list of its rows."
)


@dataclass(frozen=True, eq=False)
class Source:
    """One table, mapping or iterable with texts.

    Parameters
    ----------
    fields : mapping of role to tuple of str
        What it has of queries ("query"), documents ("doc") or both: title, text, url.
    rows : callable
        A function from a role and a set of ids to the fields of these ids, with the ids as index.
    neutral : bool
        Whether its ids may be those of queries or of documents.
    once : bool
        Whether it can be read only once.
    """

    fields: Mapping[str, tuple[str, ...]]
    rows: Callable[[str, set[str]], pd.DataFrame]
    neutral: bool = False
    once: bool = False


@dataclass(frozen=True, eq=False)
class Texts:
    """Texts of queries and documents, from one or two sources."""

    sources: list[Source]
    matches: dict[str, set[str]] = field(default_factory=lambda: {"query": set(), "doc": set()})

    def queries(self, ids: Iterable[object], *, length: int = LENGTH) -> list[str | None]:
        """Return the text of each query, cut to a length; None without one.

        Examples
        --------
        >>> read_texts({"queries": {46: "masks", 47: "long   covid"}}).queries(["47", "48"], length=8)
        ['long co…', None]
        """
        return self._texts("query", ids, length)["text"].tolist()

    def documents(self, ids: Iterable[object], *, length: int = LENGTH) -> pd.DataFrame:
        """Return title, text and url of each document, cut to a length; None without one.

        Examples
        --------
        >>> corpus = pd.DataFrame({"docno": [7, 8], "title": ["Masks", None], "body": ["They help.", "Both do."]})
        >>> read_texts(corpus).documents(["8", "7"], length=9)
           title       text   url
        0   None   Both do.  None
        1  Masks  They hel…  None
        """
        return self._texts("doc", ids, length)

    def columns(self, role: str, ids: Iterable[object], *, length: int = LENGTH) -> dict[str, Any]:
        """Return the columns of a table of queries ("query") or documents ("doc"): those that the sources have.

        Examples
        --------
        >>> texts = read_texts({"queries": {1: "masks"}, "docs": {"d": {"title": "Masks"}}})
        >>> texts.columns("query", [1]), texts.columns("doc", ["d", "e"])
        ({'query_text': ['masks']}, {'title': ['Masks', None]})
        """
        sources = [source for source in self.sources if role in source.fields]
        if not sources:
            return {}
        names = {name for source in sources for name in source.fields[role]}
        values = self._texts(role, ids, length)
        if all(source.neutral for source in sources) and values.isna().all(axis=None):
            return {}
        label = {"text": "query_text"} if role == "query" else {}
        return {label.get(name, name): values[name].tolist() for name in FIELDS if name in names}

    def added(self, frame: pd.DataFrame, query: str, docs: Mapping[str, str]) -> pd.DataFrame:
        """Return a table with the texts of its queries and documents.

        Parameters
        ----------
        query : str
            The column of queries.
        docs : mapping of str to str
            The columns of documents, by the suffix of their columns of texts.
        """
        columns = self.columns("query", frame[query])
        for suffix, name in docs.items():
            texts = self.columns("doc", frame[name])
            columns |= {field + suffix: values for field, values in texts.items()}
        texts = {name: pd.Series(columns[name], frame.index, dtype=object) for name in columns}
        return frame.assign(**texts) if texts else frame

    def _texts(self, role: str, ids: Iterable[object], length: int) -> pd.DataFrame:
        if not isinstance(ids, pd.Series | pd.Index):
            ids = pd.Series(list(ids), dtype=object)
        codes, different = pd.factorize(ids)
        keys = [str(one) for one in different]
        parts = [pd.DataFrame(columns=FIELDS, dtype=object)]
        for source in self.sources:
            if role in source.fields and keys:
                rows = source.rows(role, set(keys))
                if source.neutral:
                    self._check_overlap(role, rows.index)
                parts.append(rows.astype(object))
        texts = pd.concat(parts)
        texts = texts[~texts.index.duplicated()]  # the first row of an id
        columns = [
            [cut(value, LONGEST_ADDRESS if name == "url" else length) for value in texts[name]]
            for name in FIELDS
        ]
        columns[-1] = [url if url and ADDRESS.match(url) else None for url in columns[-1]]
        # the last value of each field is that of ids without a text; a missing id has code -1
        values = np.array([[*column, None] for column in columns], dtype=object)
        place = np.append(texts.index.get_indexer(pd.Index(keys, dtype=object)), -1)[codes]
        return pd.DataFrame(dict(zip(FIELDS, values[:, place])), dtype=object)

    def _check_overlap(self, role: str, ids: Iterable[str]) -> None:
        """Raise if a text would be that of a query and of a document."""
        self.matches[role].update(ids)
        if both := self.matches["query"] & self.matches["doc"]:
            raise ValueError(
                f"texts= has one text of id {min(both)!r}, which is a query and a document. "
                "Pass texts={'queries': ..., 'docs': ...}."
            )


def cut(value: object, length: int) -> str | None:
    r"""Return a text with single blanks, cut to a length; None for a missing or an empty one.

    Examples
    --------
    >>> cut("a  long\n text", 6), cut(b"bytes", 6), cut(float("nan"), 6)
    ('a lon…', 'bytes', None)
    """
    if pd.api.types.is_scalar(value) and pd.isna(value):  # type: ignore[call-overload]
        return None
    text = value if isinstance(value, str | bytes) else str(value)
    start = text[: 8 * length]  # long enough unless most of it is white space
    if isinstance(start, bytes):
        start = start.decode("utf-8", "replace")
    # a lone surrogate cannot be written to a file
    words = " ".join(start.encode("utf-8", "replace").decode("utf-8").split())
    if len(words) <= length and len(text) <= 8 * length:
        return words or None
    return words[: length - 1] + "…"


def read_texts(value: Any) -> Texts:
    """Return the texts of queries and documents in any of the forms of `texts=`; None has none.

    Examples
    --------
    >>> from collections import namedtuple
    >>> Doc = namedtuple("Doc", ["doc_id", "title", "body"])
    >>> texts = read_texts(({1: "masks"}, (Doc(f"d{n}", "", f"page {n}") for n in range(9))))
    >>> texts.queries(["1"]), texts.documents(["d3"])["text"].tolist()
    (['masks'], ['page 3'])
    """
    if isinstance(value, Texts):
        return value
    if value is None:
        return Texts([])
    if hasattr(value, "docs_store") and hasattr(value, "queries_iter"):
        value = {"queries": value.queries_iter(), "docs": value.docs_store()}
    is_tuple = isinstance(value, tuple) and not hasattr(value, "_fields")
    # a pair of Polars tables is a list of pandas frames at this point
    is_list = isinstance(value, list) and all(isinstance(one, pd.DataFrame) for one in value)
    if (is_tuple or is_list) and len(value) == 2:
        value = dict(zip(("queries", "docs"), value))
    labeled = isinstance(value, Mapping) and value and set(value) <= set(KEYS)
    if labeled and not any(isinstance(part, str) for part in value.values()):
        parts = {key: part for key, part in value.items() if part is not None}
        return Texts([_source(part, KEYS[key]) for key, part in parts.items()])
    return Texts([_source(value, None)])


def _source(value: Any, role: str | None) -> Source:
    """Return a table, mapping, store or iterable as a source, of one role if it is known."""
    binding = getattr(value, "_binding", None) or {}
    value = as_table(getattr(value, "_frame", value))
    if isinstance(value, pd.Series):
        value = value.rename("text").to_frame()
    if hasattr(value, "columns"):
        return _table_source(value, role, binding)
    if hasattr(value, "get_many"):
        role = role or "doc"
        return Source(
            {role: FIELDS}, lambda _, ids: _record_fields(value.get_many(ids).values(), role)
        )
    if isinstance(value, Mapping):
        columns, _ = _columns(list(_entry("", next(iter(value.values()), ""))), role, {})
        return Source(
            _field_names(columns),
            lambda one, ids: _record_fields(_entries(value, ids), one, {one: "id"}),
            neutral=role is None,
        )
    if isinstance(value, Iterable) and not isinstance(value, str | bytes):
        return _iterable_source(value, role)
    raise TypeError(
        f"texts={short_repr(value)}: expected a table, a mapping of ids to texts, named tuples, or "
        "{'queries': ..., 'docs': ...} of these."
    )


def _table_source(table: Any, role: str | None, binding: Binding) -> Source:
    """Return a pandas or Dask frame as a source; ids may be in its index."""
    index = getattr(table.index, "names", [table.index.name])
    ids, _ = _id_columns(table.columns, role, binding)
    unnamed = not ids and not isinstance(table.index, pd.RangeIndex)
    if isinstance(table, pd.DataFrame) and (unnamed or any(name is not None for name in index)):
        table = table.rename_axis([name or "id" for name in index]).reset_index()
    columns, neutral = _columns(table.columns, role, binding)
    return Source(
        _field_names(columns), lambda one, ids: _fields(table, columns[one], ids), neutral
    )


def _iterable_source(records: Iterable[Any], role: str | None) -> Source:
    """Return named tuples or mappings as a source; an iterator is read at the first request."""
    rows = iter(records)
    first = next(rows, None)
    if first is None:
        raise ValueError(NO_ROWS)
    if not hasattr(first, "_fields") and not isinstance(first, Mapping):
        raise TypeError(
            f"texts= has the row {short_repr(first)}: expected named tuples or mappings, with an id and a text."
        )
    names = list(_as_mapping(first))
    columns, neutral = _columns(names, role, {})
    if isinstance(records, Iterator):
        records = rows = chain([first], rows)

    def fields(one: str, ids: set[str]) -> pd.DataFrame:
        name = columns[one]["id"]
        number = None if isinstance(first, Mapping) else names.index(name)
        kept, read = [], False
        for record in records:
            read = True
            if str(record[name] if number is None else record[number]) in ids:
                kept.append(record)
        if not read:
            raise ValueError(NO_ROWS)
        return _record_fields(kept, one)

    return Source(_field_names(columns), fields, neutral, once=isinstance(records, chain))


def _entries(mapping: Mapping[Any, Any], ids: set[str]) -> Iterator[dict[str, Any]]:
    """Yield the entries of a mapping from ids to texts, or to mappings or named tuples of fields."""
    for key, value in mapping.items():
        if str(key) in ids:
            yield _entry(key, value)


def _entry(key: object, value: Any) -> dict[str, Any]:
    several = isinstance(value, Mapping) or hasattr(value, "_fields")
    return {**(_as_mapping(value) if several else {"text": value}), "id": key}


def _as_mapping(record: Any) -> Mapping[str, Any]:
    return record if isinstance(record, Mapping) else record._asdict()


def _record_fields(
    records: Iterable[Any], role: str, binding: Binding | None = None
) -> pd.DataFrame:
    """Return the fields of named tuples or mappings."""
    rows = [_as_mapping(record) for record in records]
    if not rows:
        return pd.DataFrame(columns=FIELDS)
    table = pd.DataFrame({name: [row.get(name) for row in rows] for name in {**rows[0]}})
    columns, _ = _columns(table.columns, role, binding or {})
    return _fields(table, columns[role])


def _fields(table: Any, columns: Mapping[str, Any], ids: set[str] | None = None) -> pd.DataFrame:
    """Return the fields of a table, with the ids as index; of some ids."""
    if ids is not None:
        table = table[table[columns["id"]].astype(str).isin(list(ids))]
    if hasattr(table, "compute"):
        table = table[list(columns.values())].compute()
    values = {name: table[columns[name]].to_numpy(object) for name in columns if name != "id"}
    index = table[columns["id"]].astype(str).to_numpy(object)
    return pd.DataFrame({name: values.get(name) for name in FIELDS}, index=index, dtype=object)


def _field_names(columns: Mapping[str, Mapping[str, Any]]) -> dict[str, tuple[str, ...]]:
    return {role: tuple(name for name in FIELDS if name in columns[role]) for role in columns}


def _id_columns(
    names: Collection[Any], role: str | None, binding: Binding
) -> tuple[dict[str, Any], bool]:
    """Return the column of ids of each role, and whether its name states neither role."""
    roles = ("query", "doc") if role is None else (role,)
    words = {one: [*names_of(one), *IDS[one]] for one in roles}
    strong = {one: [word for word in words[one] if word not in WEAK] for one in roles}
    neutral = dict.fromkeys(roles, NEUTRAL)
    # a column named query is an id if there is no other
    bound = {one: [binding.get(one)] for one in roles}
    levels: list[Mapping[str, Collection[Any]]] = [bound, strong, neutral, words]
    for known in levels:
        columns = {one: [word for word in known[one] if word in names] for one in roles}
        if any(columns.values()):
            first = {one: present[0] for one, present in columns.items() if present}
            return first, known is neutral and role is None
    return {}, False


def _columns(
    names: Collection[Any], role: str | None, binding: Binding
) -> tuple[dict[str, dict[str, Any]], bool]:
    """Return the columns of each role by field, with the id, and whether ids may be of either role."""
    ids, neutral = _id_columns(names, role, binding)
    if not ids:
        raise ValueError(
            f"texts= has no column of ids; it has {listed(names)}. Rename one to query_id or doc_id."
        )
    columns: dict[str, dict[str, Any]] = {}
    for one, key in ids.items():
        words = COLUMNS[one]
        if one == "query" and len(ids) > 1 and not neutral:
            words = {"text": QUERY_TEXTS}  # `text` is that of the document
        fields = {
            name: next((word for word in known if word in names and word != key), None)
            for name, known in words.items()
        }
        fields = {name: word for name, word in fields.items() if word is not None}
        if fields:
            columns[one] = {"id": key, **fields}
    if not columns:
        known = dict.fromkeys(
            word for one in ids for words in COLUMNS[one].values() for word in words
        )
        raise ValueError(
            f"texts= has no column of texts (known names: {listed(known)}); it has {listed(names)}."
        )
    return columns, neutral
