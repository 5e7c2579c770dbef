"""On a dark background, lines, names and legends are light."""

import numpy as np
import pytest

from pdeval import plots
from pdeval.plots import style
from tests.plots.test_plots import FRAMES


@pytest.fixture
def dark():
    import matplotlib.pyplot as plt

    with plt.style.context("dark_background"):
        yield


def lightness(color) -> float:
    from matplotlib.colors import to_rgb

    return float(np.dot(to_rgb(color), [0.299, 0.587, 0.114]))


@pytest.mark.broad
@pytest.mark.parametrize("name", list(FRAMES))
def test_no_line_and_no_name_is_as_dark_as_the_background(name, dark):
    ax = getattr(plots, name)(FRAMES[name]())
    texts = [ax.title, ax.xaxis.label, ax.yaxis.label, *ax.get_xticklabels(), *ax.get_yticklabels()]
    if (legend := ax.get_legend()) is not None:
        texts += legend.get_texts()
    shown = {artist: artist.get_color() for artist in (*texts, *ax.lines)}
    assert [artist for artist, color in shown.items() if lightness(color) < 0.25] == []


def test_black_of_the_palette_is_white_on_a_dark_background(dark):
    assert style.PALETTE[3] == style.BLACK
    assert style.line(3)["color"] == style.fill(3)["facecolor"] == "white"


def test_hollow_markers_have_the_color_of_the_background(dark):
    from tests.plots import interval_frames

    ax = plots.intervals(interval_frames.with_intervals(6))
    assert lightness(ax.lines[1].get_markerfacecolor()) == 0
