"""The command line: `pdeval evaluate qrels.txt runs/`, and its other commands.

parser            the commands, their options from the signatures of verbs, and the options of the shell
commands          each command: reads files, calls the verb, writes a frame or a report
output            a frame or a report as an aligned table, or in any declared format of reports
trec_eval_output  the measures of trec_eval's -m, and scores in the output format of trec_eval
"""


class UsageError(ValueError):
    """The command is not valid, whatever the data."""
