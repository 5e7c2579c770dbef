"""Sphinx's settings; `python -m notebooks.site` builds with them. Nothing is executed and nothing is fetched."""

import pdeval

project = "pdeval"
author = copyright = "the authors of pdeval"
version = release = pdeval.__version__
extensions = ["myst_nb"]
root_doc = "index"

nb_execution_mode = "off"  # notebooks show what they store; tests.notebooks keeps that true
nb_merge_streams = True
myst_enable_extensions = ["attrs_inline", "colon_fence", "deflist"]
myst_heading_anchors = 3
nitpicky = True
smartquotes = False  # quotes in prose are often quotes of code
highlight_language = "text"

html_theme = "furo"
html_title = "pdeval"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = True  # llms.txt leads to these
html_show_sphinx = False
html_show_search_summary = False  # excerpts are fetched, which browsers refuse for local files
html_show_copyright = False
pygments_style = "default"
pygments_dark_style = "monokai"
