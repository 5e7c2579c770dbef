"""The command line: `pdeval evaluate qrels.txt runs/`, and its other commands.

verb_options  options from the declaration of a verb: its signature and its docstring
parser        what can be typed: a command for every verb that is one, and what is the shell's own
commands      what each command does: reads files, asks the verb, hands on a frame or a report
output        a frame or a report as an aligned table, or in any declared format of reports
trec_names    the measures that trec_eval's -m means, and the names that it prints
trec_format   scores laid out as trec_eval prints them
"""


class UsageError(ValueError):
    """The command was not understood, whatever the data."""
