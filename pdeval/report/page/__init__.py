"""One self-contained HTML page of a report: the table, what is behind each cell, and every pair of systems.

writing    the page as text: its frame, its style and its script, inlined
tabled     the table itself as markup; it can be read and printed without the script
opened     what is behind the cells of one collection: values per query, pairs, items, within a limit of size
pairings   every pair of systems: difference, queries won and lost, p-values
adding     what each item adds to a measure or a preference, as factors that the browser multiplies
packing    data as compressed text, and as JSON that no id can break out of
assets     the style and the script, by subject: core, table, panel, queries, adding, items, matrix, start
"""

from pdeval.report.page.render import Page, page_of

__all__ = ["Page", "page_of"]
