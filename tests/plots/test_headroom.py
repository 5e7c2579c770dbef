"""Headroom as bars."""

import pandas as pd
import pytest

from pdeval.plots import headroom_bars
from tests.plots import frames


def test_a_bar_for_each_bucket_named_by_its_ends(column_ax):
    ax = headroom_bars(frames.headroom().iloc[::-1], ax=column_ax)
    assert [bar.get_height() for bar in ax.patches] == [1, 3, 0, 4]
    assert [label.get_text() for label in ax.get_xticklabels()] == [
        "0–0.25",
        "0.25–0.5",
        "0.5–0.75",
        "0.75–1",
    ]
    assert ax.get_xlabel() == "Best mean P@20"
    assert all(tick == round(tick) for tick in ax.get_yticks())


def test_shares_on_request(column_ax):
    ax = headroom_bars(frames.headroom(), value="fraction", ax=column_ax)
    assert [bar.get_height() for bar in ax.patches] == [1 / 8, 3 / 8, 0, 4 / 8]


def test_repeated_buckets_are_refused(column_ax):
    with pytest.raises(ValueError, match="one row for each bucket"):
        headroom_bars(pd.concat([frames.headroom()] * 2), ax=column_ax)
