"""Tables for papers: frames in, a frozen `Report` out, rendered as LaTeX, HTML, Markdown or a spreadsheet.

spec        Report, Column, Cell: what stands where, without markup
systems     report(): systems x measures, with means, rows, marks, verdict, cells and notes under it
orders      report_order()
pairs       report_matrix(), report_comparisons()
measures    report_power(), report_agreement()
latex, html, markdown, sheet   the renderers
"""

from pdeval.report.measures import report_agreement, report_power
from pdeval.report.orders import report_order
from pdeval.report.pairs import report_comparisons, report_matrix
from pdeval.report.spec import Cell, Column, Group, Report
from pdeval.report.systems import report

__all__ = [
    "Cell",
    "Column",
    "Group",
    "Report",
    "report",
    "report_agreement",
    "report_comparisons",
    "report_matrix",
    "report_order",
    "report_power",
]
