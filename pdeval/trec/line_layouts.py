"""The two layouts of TREC files, and their clean lines split into columns by pyarrow."""

from __future__ import annotations

from typing import NamedTuple

import pyarrow as pa

BLOCK = 1 << 20
TEXT = pa.large_string()


class Layout(NamedTuple):
    """The columns of a kind of file, which of them are numbers, and whether more may follow."""

    what: str
    columns: tuple[str, ...]
    numbers: dict[str, pa.DataType]
    more: bool
    needs: str

    def none(self, keep: list[str]) -> pa.Table:
        """Return columns of no lines."""
        return pa.table({name: pa.array([], self.numbers.get(name, TEXT)) for name in keep})


RUN = Layout(
    "run",
    ("query_id", "iteration", "doc_id", "rank", "score", "tag"),
    {"rank": pa.int64(), "score": pa.float64()},
    True,
    "A run has six columns: query, Q0, doc, rank, score, tag.",
)
QRELS = Layout(
    "qrels",
    ("query_id", "subtopic", "doc_id", "relevance"),
    {"relevance": pa.int64()},
    False,
    "A qrels file has four columns: query, iteration or subtopic, doc, grade.",
)


def split(
    data: bytes,
    layout: Layout,
    keep: list[str],
    numbers: dict[str, pa.DataType],
    *,
    separator: bytes,
    threads: bool = True,
    block: int = BLOCK,
) -> pa.Table:
    """Return columns of lines whose columns stand one separator apart; those without a number type as text.

    Examples
    --------
    >>> split(b"051 0 d1 1", QRELS, ["query_id", "relevance"], QRELS.numbers, separator=b" ").to_pylist()
    [{'query_id': '051', 'relevance': 1}]
    """
    from pyarrow import csv

    return csv.read_csv(
        pa.BufferReader(data),
        read_options=csv.ReadOptions(column_names=list(layout.columns), use_threads=threads, block_size=block),
        parse_options=csv.ParseOptions(
            delimiter=separator.decode(), quote_char=False, double_quote=False, escape_char=False
        ),
        convert_options=csv.ConvertOptions(
            column_types={name: numbers.get(name, TEXT) for name in layout.columns},
            include_columns=keep,
            null_values=[],
            strings_can_be_null=False,
        ),
    )
