"""Numbers with their intervals: what names a row, what is filled, and what the axis says."""

import pandas as pd
import pytest

from pdeval import plots
from pdeval.verbs import VERBS
from tests.plots import interval_frames
from tests.walk_tables import tables


def rows_of(ax):
    return [label.get_text() for label in ax.get_yticklabels()]


@pytest.mark.broad
def test_pairs_of_runs_are_named_as_differences_and_the_interval_is_explained(column_ax):
    ax = plots.intervals(interval_frames.with_intervals(4), ax=column_ax)
    assert [row.split(" − ")[0] for row in rows_of(ax)] == ["bm25"] * 3
    assert (
        ax.get_xlabel().replace("\n", " ")
        == "Difference of RPP (with 95% confidence interval, not simultaneous)"
    )
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [
        "significant",
        "not significant",
    ]


def test_significant_rows_are_filled_and_others_hollow(column_ax):
    filled, hollow = plots.intervals(interval_frames.with_intervals(6), ax=column_ax).lines[:2]
    assert (filled.get_markerfacecolor(), hollow.get_markerfacecolor()) == ("#0072B2", (1, 1, 1, 1))
    assert filled.get_xdata().min() > 0.06 >= hollow.get_xdata().max()


@pytest.mark.parametrize(
    ("attrs", "text"),
    [
        ({}, "confidence interval"),
        ({"confidence": 0.9}, "90% confidence interval, not simultaneous"),
        ({"confidence": 0.95, "simultaneous": False}, "95% confidence interval, not simultaneous"),
        ({"confidence": 0.95, "simultaneous": True}, "simultaneous 95% confidence interval"),
    ],
)
def test_the_axis_states_whether_intervals_are_simultaneous(attrs, text, column_ax):
    frame = interval_frames.with_intervals(4)
    frame.attrs = attrs
    label = plots.intervals(frame, ax=column_ax).get_xlabel().replace("\n", " ")
    assert label == f"Difference of RPP (with {text})"


@pytest.mark.broad
def test_segments_buckets_and_quantiles_are_named_by_what_tells_them_apart(column_ax):
    assert rows_of(plots.intervals(interval_frames.segmented(), ax=column_ax)) == [
        "short",
        "mid",
        "long",
    ]
    assert rows_of(plots.intervals(interval_frames.compared_buckets())) == [
        "flat − orig",
        "rand − orig",
    ]
    assert rows_of(plots.intervals(interval_frames.gaps())) == [
        "short − mid",
        "short − long",
        "mid − long",
    ]
    assert rows_of(plots.intervals(interval_frames.quantiles()))[:2] == ["lm, 0.1", "lm, 0.5"]


@pytest.mark.broad
def test_rows_can_be_sorted_and_a_measure_chosen(column_ax):
    frame = interval_frames.with_intervals(5)
    ax = plots.intervals(frame, sort=True, ax=column_ax)
    assert rows_of(ax) == rows_of(plots.intervals(frame))[::-1]
    two = pd.concat([frame, frame.assign(measure="AP")], ignore_index=True)
    with pytest.raises(ValueError, match="draws one measure; the frame has 2"):
        plots.intervals(two)
    assert plots.intervals(two, measure="AP").get_xlabel().startswith("Difference of AP")


def test_too_many_rows_are_refused():
    frame = pd.concat([interval_frames.with_intervals(60)] * 4, ignore_index=True)
    with pytest.raises(ValueError, match=r"draws at most 200 rows; the frame has 236\. Keep some"):
        plots.intervals(frame)


@pytest.mark.broad
def test_every_plot_of_intervals_states_their_level_and_whether_they_are_simultaneous():
    labels = {}
    for kind, table in tables().items():
        if "ci_low" not in getattr(table, "columns", ()) or "plot" not in VERBS[kind]:
            continue
        if kind != "behavior" and "measure" in table:  # the others draw one measure
            table = table[table["measure"] == table["measure"].iloc[0]]
        draw = table.ireval.plot.intervals if kind == "comparisons" else table.ireval.plot
        labels[kind] = draw().get_xlabel().replace("\n", " ")
    assert {"bucket_comparisons", "comparisons", "behavior", "meta_analysis"} <= set(labels)
    stated = ("simultaneous 95% confidence interval", "95% confidence interval, not simultaneous")
    assert {kind: text for kind, text in labels.items() if not any(s in text for s in stated)} == {}
