"""Tables for papers: every table answers `.report()` with a frozen `Report`, rendered in any declared format.

spec        Report, Column, Cell: what stands where, without markup
systems     report(): systems x measures, with means, rows, marks, verdict, cells and notes under it
sentences   Report.sentence(): what such a table shows, in words
orders      report_order()
pairs       report_matrix(), report_comparisons()
measures    report_agreement()
detected    report_discriminative_power()
confusion   report_confusion()
powered_report  powered_report(): systems x measures from people's labels and a machine's
plain       report_table(): any other table, column by column
formats     @report_format; latex, typst, html, markdown and sheet declare theirs
"""

from pdeval.report import html, latex, markdown, sheet, typst  # noqa: F401 - they declare their formats
from pdeval.report.confusion import report_confusion
from pdeval.report.detected import report_discriminative_power
from pdeval.report.formats import FORMATS, report_format
from pdeval.report.measures import report_agreement
from pdeval.report.orders import report_order
from pdeval.report.pairs import report_comparisons, report_matrix
from pdeval.report.plain import for_every_other_table, report_table
from pdeval.report.powered_report import powered_report
from pdeval.report.spec import Cell, Column, Group, Report
from pdeval.report.systems import report

__all__ = [
    "FORMATS",
    "Cell",
    "Column",
    "Group",
    "Report",
    "powered_report",
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
