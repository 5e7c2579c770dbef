"""TREC files and tables: runs and judgments in and out, plain or compressed, many at once, and as parquet.

file_io       which files a path, folder or pattern means, the names of their runs, and their bytes
lines         bytes to columns: encodings, TREC lines tidy or not, and the error about a line
tabular       files with named columns: parquet, CSV, TSV
ir_metadata   headers of run files, in YAML
reading       read_run, read_runs, read_qrels, read_collections
score_files   scores of other tools, in files and in memory
nugget_files  read_nuggets, write_nuggets
atomic_write  files that are complete or absent
writing       write_run, write_runs, write_qrels
"""

from pdeval.files.file_io import run_name
from pdeval.files.nugget_files import read_nuggets, write_nuggets
from pdeval.files.reading import read_collections, read_qrels, read_run, read_runs
from pdeval.files.score_files import read_scores, scores
from pdeval.files.writing import write_qrels, write_run, write_runs

__all__ = [
    "read_collections",
    "read_nuggets",
    "read_qrels",
    "read_run",
    "read_runs",
    "read_scores",
    "run_name",
    "scores",
    "write_nuggets",
    "write_qrels",
    "write_run",
    "write_runs",
]
