"""The command line: `pdeval evaluate qrels.txt runs/`, and its other commands.

arguments    what can be typed
commands     what each command computes: frames and reports, through the accessor
output       a frame or a report as a table, csv, json, parquet, LaTeX, Markdown or HTML
trec_names   the measures that trec_eval's -m means, and the names that it prints
trec_format  scores laid out as trec_eval prints them
"""


class UsageError(ValueError):
    """The command was not understood, whatever the data."""
