"""TREC files and tables: runs and judgments in and out, plain or compressed, many at once, and as parquet.

files       which files a path, folder or pattern means, what their runs are called, and their bytes
encodings   in which encoding a file is, by what it holds
lines       bytes to columns: tidy files straight through pyarrow
untidy      the same for files that need cleaning first
line_faults which line is at fault
last_lines  whether the file was cut short, where that can be told
column_files  files whose columns have names: parquet, CSV, TSV
run_metadata  what run files say of themselves, in headers that `yaml_lines` reads
reading     read_run, read_runs, read_qrels
score_layouts  how other tools write scores
wide_scores  scores: one column per measure or per run, and other forms, to a scores table
score_files  read_scores
collection_folders  read_collections
naming      what files are called so that their runs get their names back
writing     write_run, write_runs, write_qrels
"""

from pdeval.files.collections import read_collections
from pdeval.files.file_io import run_name
from pdeval.files.reading import read_qrels, read_run, read_runs
from pdeval.files.score_files import read_scores, scores
from pdeval.files.writing import write_qrels, write_run, write_runs

__all__ = [
    "read_collections",
    "read_qrels",
    "read_run",
    "read_runs",
    "read_scores",
    "run_name",
    "scores",
    "write_qrels",
    "write_run",
    "write_runs",
]
