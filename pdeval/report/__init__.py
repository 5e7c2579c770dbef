"""Tables for papers: every table answers `.report()` with a frozen `Report`, rendered in any declared format.

spec        Report, Column, Cell: what stands where, without markup
systems     report(): systems x measures, with means, rows, marks, verdict, cells and notes under it
sentences   Report.sentence(): what such a table shows, in words
orders      report_order()
pairs       report_matrix(), report_comparisons()
measures    report_agreement()
detected    report_discriminative_power()
confusion   report_confusion()
plain       report_table(): any other table, column by column
formats     @report_format; latex, typst, html, markdown and sheet declare theirs
"""

from pdeval.report import html, latex, markdown, spreadsheet, typst  # noqa: F401 - they declare their formats
from pdeval.report.discriminative_power import report_discriminative_power
from pdeval.report.generic import for_every_other_table, report_table
from pdeval.report.orderings import report_order
from pdeval.report.pairs import report_comparisons, report_matrix
from pdeval.report.report import FORMATS, Cell, Column, Group, Report, report_format
from pdeval.report.small_tables import report_agreement, report_confusion
from pdeval.report.systems import report

__all__ = [
    "FORMATS",
    "Cell",
    "Column",
    "Group",
    "Report",
    "report",
    "report_agreement",
    "report_comparisons",
    "report_confusion",
    "report_discriminative_power",
    "report_format",
    "report_matrix",
    "report_order",
    "report_table",
]

for_every_other_table()  # last: the tables with a report of their own have it by now
