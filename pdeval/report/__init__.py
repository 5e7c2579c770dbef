"""Tables for papers: every table answers `.report()` with a frozen `Report`, rendered in any declared format.

report                Report, Column, Cell, Group: the table as data; @report_format declares a format
columns               frames to columns of a report; @reported adds the options that all reports share
systems               report(): systems x measures; means, significance_marks, systems_by_collection
sentences             Report.sentence()
footnotes, numbers    texts under the table, and numbers as printed
orderings             report_order()
pairs                 report_matrix(), report_comparisons(), report_confusion()
measures              report_agreement(), report_discriminative_power()
decisions             report_gate(), report_buckets()
generic               report_table(): any other table, column by column
latex, typst, html, text, spreadsheet    the formats; page is the interactive HTML page
"""

from pdeval.report import html, latex, spreadsheet, text, typst  # noqa: F401 - they declare their formats
from pdeval.report.decisions import report_buckets, report_gate
from pdeval.report.generic import add_report, report_table
from pdeval.report.measures import report_agreement, report_discriminative_power
from pdeval.report.orderings import report_order
from pdeval.report.pairs import report_comparisons, report_confusion, report_matrix
from pdeval.report.report import FORMATS, Cell, Column, Group, Report, report_format
from pdeval.report.systems import report
from pdeval.tables import SCHEMAS, WATCHERS

__all__ = [
    "FORMATS",
    "Cell",
    "Column",
    "Group",
    "Report",
    "report",
    "report_agreement",
    "report_buckets",
    "report_comparisons",
    "report_confusion",
    "report_discriminative_power",
    "report_format",
    "report_gate",
    "report_matrix",
    "report_order",
    "report_table",
]

# last, after the tables that have their own report; tables declared later follow
for schema in list(SCHEMAS.values()):
    add_report(schema)
WATCHERS.append(add_report)
