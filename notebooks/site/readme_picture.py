"""The picture of the README: `python -m notebooks.site.readme_picture` renews notebooks/figures/page_and_table.png.

The interactive page, drawn by Chromium, beside the table of a paper, set by Typst. Both are made from the sample
collection.
"""

from __future__ import annotations

import io
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from notebooks.site import contents

PICTURE = contents.NOTEBOOKS / "figures" / "page_and_table.png"
WIDTH, HEIGHT = 900, 760  # of the page


def draw() -> Any:
    """Return the picture."""
    import typst
    from PIL import Image

    import pdeval

    runs, qrels, _ = pdeval.datasets.load_sample()
    judged = runs.ireval.join(qrels, queries="judged")
    report = judged.report(["AP", "nDCG@10", "RBP(p=0.9)"], baseline="bm25")
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        report.to_html(place / "page.html", interactive=True)
        browser = shutil.which("chromium") or shutil.which("google-chrome") or "chromium"
        options = [
            "--headless",
            "--no-sandbox",
            "--hide-scrollbars",
            f"--window-size={WIDTH},{HEIGHT}",
        ]
        options += ["--virtual-time-budget=4000", f"--screenshot={place / 'page.png'}"]
        subprocess.run(
            [browser, *options, (place / "page.html").as_uri()], check=True, capture_output=True
        )
        page = Image.open(place / "page.png").convert("RGB")
    settings = "#set page(width: 11.5cm, height: auto, margin: 6mm)\n#set text(size: 9pt)\n"
    table = Image.open(
        io.BytesIO(typst.compile((settings + report.to_typst()).encode(), format="png", ppi=144))
    )
    table = table.convert("RGB")
    joined = Image.new(
        "RGB", (page.width + table.width + 20, max(page.height, table.height)), "white"
    )
    joined.paste(page, (0, 0))
    joined.paste(table, (page.width + 20, 0))
    return joined


if __name__ == "__main__":
    draw().save(PICTURE, optimize=True)
    print(PICTURE)
