"""Colors, line patterns and legends."""

import numpy as np
import pytest

from pdeval.plots import style


def luminance(color):
    from matplotlib.colors import to_rgb

    return float(np.dot(to_rgb(color), [0.299, 0.587, 0.114]))


def test_the_first_35_lines_differ_without_their_color():
    gray = {(str(style.line(i)["linestyle"]), style.line(i)["marker"]) for i in range(35)}
    assert len(gray) == 35


def test_wins_losses_and_ties_differ_in_gray_by_shade_or_hatch():
    shades = sorted(luminance(color) for color in (style.WIN, style.LOSS, style.TIE))
    assert min(np.diff(shades)) > 0.15


def test_the_ends_of_the_diverging_map_differ_in_gray_and_its_middle_is_white():
    colors = style.color_map(signed=True)
    low, high = (luminance(colors(end)[:3]) for end in (0.0, 1.0))
    assert abs(low - high) > 0.15
    assert colors(0.5)[:3] == pytest.approx((1, 1, 1), abs=0.02)


@pytest.mark.broad
@pytest.mark.parametrize("place", ["inside", "right", "below", "above"])
def test_a_legend_outside_does_not_cover_the_axes_or_its_labels(place):
    from matplotlib.figure import Figure

    figure = Figure(figsize=(3.3, 2.4), layout="constrained")
    ax = figure.subplots()
    for name in ("one", "a name of more letters", "another of more letters"):
        ax.plot([0, 1], label=name)
    style.finish(ax, x="across", y="up", title="What is shown")
    style.legend(ax, place=place)
    figure.draw_without_rendering()
    box, frame = ax.get_legend().get_window_extent(), ax.get_window_extent()
    assert box.overlaps(frame) == (place == "inside")
    assert not box.overlaps(ax.xaxis.label.get_window_extent())
    assert not box.overlaps(ax.title.get_window_extent())


@pytest.mark.broad
def test_a_legend_cuts_names_that_have_no_room_and_no_others():
    from matplotlib.figure import Figure

    figure = Figure(figsize=(3.3, 2.4), layout="constrained")
    ax = figure.subplots()
    long = "an-own-measure-whose-name-is-sixty-letters-long(with=options)"
    for name in ("AP", long, r"$\alpha$"):
        ax.plot([0, 1], label=name)
    style.legend(ax)
    first, cut, formula = (text.get_text() for text in ax.get_legend().get_texts())
    assert (first, formula) == ("AP", r"$\alpha$")
    assert "…" in cut
    assert cut[0] + cut[-1] == "a)"
    figure.draw_without_rendering()
    assert ax.get_legend().get_window_extent().width < ax.get_window_extent().width


@pytest.mark.parametrize("sign", ["−", "vs"])
def test_a_baseline_of_all_rows_is_named_once_if_pairs_are_too_long(sign):
    from matplotlib.figure import Figure

    def named(first, baseline):
        ax = Figure(figsize=(5.0, 3.4), layout="constrained").subplots()
        style.name_list(ax, [f"{name} {sign} {baseline}" for name in first])
        labels = [label.get_text() for label in ax.get_yticklabels()]
        return labels, ax.get_ylabel().replace("\n", " ")

    assert named(["ql", "lm"], "bm25") == ([f"ql {sign} bm25", f"lm {sign} bm25"], "")
    first = ["cross-encoder-rerank-1", "cross-encoder-rerank-2"]
    assert named(first, "bm25-anserini-default") == (first, f"Each {sign} bm25-anserini-default")
