"""Colors of one plot stay apart for readers who lack one of the three kinds of cones."""

import itertools

import numpy as np
import pytest

from pdeval import plots
from pdeval.plots import style
from tests.plots.test_gray import DRAWN, looks

# Machado, Oliveira and Fernandes (2009), of full severity, on linear red, green and blue
BLIND = {
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "tritanopia": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}
XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
APART = 10.0  # of CIELAB, where about 2 is what a careful eye can tell


def seen(color, kind) -> np.ndarray:
    """A color as such a reader sees it, in CIELAB."""
    from matplotlib.colors import to_rgb

    rgb = np.array(to_rgb(color))
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    x, y, z = (XYZ @ np.clip(np.array(BLIND[kind]) @ linear, 0, 1)) / XYZ.sum(axis=1)
    x, y, z = (
        np.cbrt(part) if part > (6 / 29) ** 3 else part * (29 / 6) ** 2 / 3 + 4 / 29
        for part in (x, y, z)
    )
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def distance(one, other, kind) -> float:
    return float(np.linalg.norm(seen(one, kind) - seen(other, kind)))


def test_the_simulation_confuses_what_such_readers_confuse():
    assert (
        distance("#b00000", "#555500", "deuteranopia")
        < 25
        < distance("#b00000", "#0000b0", "deuteranopia")
    )
    assert seen("white", "protanopia") == pytest.approx([100, 0, 0], abs=0.5)


@pytest.mark.parametrize("kind", list(BLIND))
@pytest.mark.parametrize("name", list(DRAWN))
def test_two_colors_of_one_plot_stay_apart_for_color_blind_readers(name, kind, column_ax):
    found = looks(getattr(plots, name)(DRAWN[name](), ax=column_ax))
    colors = sorted({color for color, _ in found})
    assert colors
    for one, other in itertools.combinations(colors, 2):
        assert distance(one, other, kind) > APART, (one, other)


@pytest.mark.parametrize("kind", list(BLIND))
def test_the_first_four_colors_of_lines_stay_apart_for_color_blind_readers(kind):
    for one, other in itertools.combinations(style.PALETTE[:4], 2):
        assert distance(one, other, kind) > APART, (one, other)
