"""Text sizes and names of ticks."""

import pytest

from pdeval.plots import style


@pytest.fixture
def figure():
    from matplotlib.figure import Figure

    return Figure


def test_text_keeps_a_size_chosen_for_print(figure):
    import matplotlib as mpl

    with mpl.rc_context({"font.size": 6}):
        assert style.text_size(figure(figsize=(3.3, 2)).subplots()) == 6


def test_ticks_and_legends_have_at_least_seven_points_in_a_column_and_in_panels(figure):
    for width in (3.3, 2.2):
        ax = figure(figsize=(width, 2)).subplots()
        ax.plot([0, 1], label="bm25")
        style.finish(ax, x="Recall", place="inside")
        sizes = [label.get_fontsize() for label in ax.get_xticklabels()]
        sizes += [text.get_fontsize() for text in ax.get_legend().get_texts()]
        assert min(sizes) >= 7


def test_names_that_would_become_the_same_are_cut_around_what_tells_them_apart():
    names = ["a-very-long-name-1-of-a-run", "a-very-long-name-2-of-a-run", "bm25"]
    assert style.shorten(names, 10) == ["…e-1-of-a-…", "…e-2-of-a-…", "bm25"]


def test_names_that_differ_in_several_places_are_numbered_where_no_cut_tells_them_apart():
    for begin in ("run", "x" * 60):
        names = [f"{begin}{left}{'-' * 60}{right}{'x' * 60}" for left in "ab" for right in "ab"]
        short = style.shorten(names, 20)
        assert len(set(short)) == 4
        assert max(map(len, short)) <= 22


def test_names_on_a_short_axis_are_thinned_out_and_the_rest_stays_readable(figure):
    ax = figure(figsize=(3.3, 2.4)).subplots()
    ax.set_ylim(78.5, -0.5)
    step = style.name_ticks(ax, "y", [f"run {i}" for i in range(79)])
    labels = ax.get_yticklabels()
    assert step > 1
    assert [label.get_text() for label in labels] == [f"run {i}" for i in range(0, 79, step)]
    assert min(label.get_fontsize() for label in labels) >= style.LEAST_LABEL


def test_few_short_names_lie_flat_and_long_ones_stand(figure):
    ax = figure(figsize=(3.3, 2.4)).subplots()
    style.name_ticks(ax, "x", ["AP", "RR"])
    assert ax.get_xticklabels()[0].get_rotation() == 0
    style.name_ticks(ax, "x", ["interpolated precision"] * 4)
    assert ax.get_xticklabels()[0].get_rotation() == 90


def test_the_layout_of_a_subfigure_is_found(figure):
    left, _ = figure(figsize=(7, 3), layout="constrained").subfigures(1, 2)
    ax = left.subplots()
    style.settle(ax)
    assert style.inches(ax)[0] < 3.5
    assert style.allotted(ax) == pytest.approx((3.5, 3.0), abs=0.05)


def test_levels_are_ticked_from_one(figure):
    ax = figure().subplots()
    for last, ticks in (
        (6, [1, 2, 3, 4, 5, 6]),
        (30, [1, 5, 10, 15, 20, 25, 30]),
        (100, [1, 20, 40, 60, 80, 100]),
    ):
        style.recall_ticks(ax, last)
        assert ax.get_xticks().tolist() == ticks


def test_a_label_that_is_broken_twice_has_even_lines_as_if_it_were_broken_once(figure):
    from pdeval.plots import style

    ax = figure(figsize=(5, 2), layout="constrained").subplots()
    style.finish(
        ax,
        x="neural minus bm25, difference of AP (with confidence interval)",
        note="line: interval",
    )
    style.name_list(ax, ["a-name-that-takes-room-from-the-label" * 2])
    *first, last = ax.get_xlabel().splitlines()
    assert last == "line: interval", "the note keeps its own line"
    assert " ".join(first) == "neural minus bm25, difference of AP (with confidence interval)"
    assert len(first) == 3
    assert max(map(len, first)) - min(map(len, first)) < 5
