"""The command line: `pdeval evaluate qrels.txt runs/`, and its other commands.

parser            what can be typed: a command for every verb that is one, its options, and those of the shell
commands          each command: reads files, calls the verb, writes a frame or a report
output            a frame or a report as an aligned table, or in any declared format of reports
trec_eval_output  the measures that trec_eval's -m means, and scores laid out as trec_eval prints them
"""


class UsageError(ValueError):
    """The command was not understood, whatever the data."""
