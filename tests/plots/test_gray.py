"""What colors say survives gray print: by shade, pattern, marker, hatch or filling."""

import itertools

import numpy as np
import pytest

from pdeval import plots
from tests.plots import frames, interval_frames
from tests.plots.test_style import luminance

DRAWN = {
    "intervals": interval_frames.with_intervals,
    "rank_slopes": interval_frames.several_orders,
    "rank_scatter": interval_frames.several_orders,
    "forest": frames.effects,
    "critical_difference": interval_frames.ranked,
    "equivalence_bars": interval_frames.equivalences,
}


def looks(ax) -> set[tuple]:
    """Color of each line, bar and dot, and what tells it apart without one."""
    from matplotlib.colors import to_hex

    lines = {
        (
            to_hex(one.get_color()),
            (one.get_linestyle(), one.get_marker(), to_hex(one.get_markerfacecolor())),
        )
        for one in ax.lines
        if one.get_color() != "none"
    }
    bars = {(to_hex(one.get_facecolor()), ("bar", one.get_hatch())) for one in ax.patches}
    dots = {
        (to_hex(color), ("dots",))
        for one in ax.collections
        for color in (one.get_facecolor() if len(one.get_facecolor()) else one.get_edgecolor())
    }
    return lines | bars | dots


@pytest.mark.broad
@pytest.mark.parametrize("name", list(DRAWN))
def test_two_colors_of_one_plot_differ_without_color(name, column_ax):
    found = looks(getattr(plots, name)(DRAWN[name](), ax=column_ax))
    assert found
    for (color, form), (other, shape) in itertools.combinations(sorted(found, key=str), 2):
        if color != other and form == shape:
            assert abs(luminance(color) - luminance(other)) > 0.1, (name, color, other, form)


@pytest.mark.broad
def test_the_shades_of_a_heat_map_of_queries_rise_in_gray(column_ax):
    ax = plots.query_heatmap(interval_frames.scores(), ax=column_ax)
    drawn = (ax.images or ax.collections)[0]
    shades = np.array([luminance(drawn.get_cmap()(value)[:3]) for value in np.linspace(0, 1, 21)])
    assert (np.diff(shades) > 0).all() or (np.diff(shades) < 0).all()
    assert np.ptp(shades) > 0.5
