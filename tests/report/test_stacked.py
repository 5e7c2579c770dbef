"""Tables of several collections in the shapes that papers print, each from one call."""

import re
import warnings

import numpy as np
import pandas as pd
import pytest

import pdeval
from pdeval.report.latex import PAGE_ROWS

KINDS = {"0": "news", "1": "news", "2": "web"}


@pytest.fixture(scope="module")
def stacked():
    """The sample as three collections of two kinds."""
    frames = []
    for frame in pdeval.datasets.load_sample()[:2]:
        part = (frame["query_id"].astype(int) % 3).astype(str)
        frames.append(frame.assign(kind=part.map(KINDS), collection=part.map("set {}".format)))
    return frames


def asked(stacked, verb, *args, by="collection", **options):
    runs, qrels = stacked
    call = runs.ireval
    for name in verb.split("."):
        call = getattr(call, name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return call(qrels, *args, by=by, **options)


def cells(report):
    return [[cell.text for cell in row] for row in report.rows]


def heads(report):
    return [(column.group, column.header) for column in report.columns]


def check_latex(report):
    """Every row of the tabular fills all columns, and braces and environments are balanced.

    So does every row of each tabular of a float, which repeats the first columns of text.
    """
    assert check_rows(report.to_latex(environment="tabular")) == [len(report.columns)]
    if len(report.rows) > PAGE_ROWS:
        assert check_rows(report.to_latex(environment="longtable")) == [len(report.columns)]
    else:
        texts = [*(column.numeric for column in report.columns), True].index(True)
        found = check_rows(report.to_latex())
        repeated = sum(found) - len(report.columns)
        assert repeated in [count * (len(found) - 1) for count in range(1, texts + 1)]


def check_rows(text):
    """Return the number of columns of each tabular; fail unless all its rows have as many."""
    bodies = re.findall(r"\\begin\{(tabular|longtable)\}(.*?)\\end\{\1\}", text, flags=re.DOTALL)
    found = []
    for _, body in bodies:
        specified, *lines = body.splitlines()
        found.append(len(re.sub(r"@\{([^{}]|\{[^{}]*\})*\}", "", specified).strip("{}")))
        for line in lines:
            if line.endswith(r"\\"):
                wide = sum(int(n) - 1 for n in re.findall(r"\\multicolumn\{(\d+)\}", line))
                assert len(re.findall(r"(?<!\\)&", line)) + 1 + wide == found[-1], line
    bare = re.sub(r"\\[{}]", "", text)
    assert bare.count("{") == bare.count("}")
    assert sorted(re.findall(r"\\begin\{(\w+\*?)\}", text)) == sorted(
        re.findall(r"\\end\{(\w+\*?)\}", text)
    )
    return found


@pytest.mark.broad
def test_datasets_are_described_under_the_titles_of_their_kinds(stacked):  # Table 1 of both papers
    found = asked(stacked, "describe", by=["kind", "collection"])
    table = found.ireval.report(
        group="kind", digits=2, columns=["collection", "queries", "runs", "relevant_per_query"]
    )
    assert [group.title for group in table.groups] == ["news", "web"]
    assert [row[0] for row in cells(table)] == ["set 0", "set 1", "set 2"]
    check_latex(table)


@pytest.mark.broad
def test_discriminative_power_is_collections_by_measures(stacked):  # Tables 3 and 4 of RPP
    power = asked(stacked, "discriminative_power", ["RPP", "AP", "RR"], tests="t")
    table = power.ireval.report(digits=2)
    assert heads(table) == [("", "Collection"), ("", "RPP"), ("", "AP"), ("", "RR")]
    own = power.query("collection == 'set 1' and measure == 'AP'")["fraction_significant"].item()
    assert cells(table)[1][2] == f"{100 * own:.2f}"
    assert [cell.emphasis for cell in table.rows[0][1:]].count("best") == 1
    check_latex(table)


def test_nothing_is_second_where_all_others_are():
    frame = pd.DataFrame(
        {
            "set": ["x"] * 3 + ["y"] * 3,
            "measure": ["AP", "RR", "P"] * 2,
            "fraction_significant": [1, 0, 0, 2, 1, 0],
        }
    )
    table = frame.assign(test="t", pairs=3, n_significant=1).ireval.report(by="set")
    assert [[cell.emphasis for cell in row[1:]] for row in table.rows] == [
        ["best", "", ""],
        ["best", "second", ""],
    ]


@pytest.mark.broad
def test_several_tests_are_headings_and_kinds_are_titles(stacked):  # Table 4 of lexiprecision
    power = asked(
        stacked,
        "discriminative_power",
        ["rrLP", "RR"],
        by=["kind", "collection"],
        tests=["hsd", "t"],
        correction="bonferroni",
        draws=50,
    )
    table = power.ireval.report(average=True)
    tests = ["Randomized Tukey HSD", "Student t, Bonferroni"]
    assert heads(table) == [
        ("", "Collection"),
        *((test, measure) for test in tests for measure in ("rrLP", "RR")),
    ]
    assert [(group.title, group.size) for group in table.groups] == [
        ("news", 2),
        ("web", 1),
        ("All", 1),
    ]
    rows = table.to_frame()
    assert rows["collection"].tolist() == ["set 0", "set 1", "set 2", "Mean"]
    numbers = rows.iloc[:3].select_dtypes("number")
    assert np.allclose(rows.iloc[3][numbers.columns].astype(float), numbers.mean())
    check_latex(table)


@pytest.mark.broad
def test_a_mean_over_collections_needs_all_of_them(stacked):
    power = asked(stacked, "discriminative_power", ["AP", "RR"], tests="t")
    less = power.drop(index=power.query("collection == 'set 1' and measure == 'RR'").index)
    assert cells(less.ireval.report(average=True))[3][2] == "–"


@pytest.mark.broad
def test_ties_and_masked_agreement_are_collections_by_measures(
    stacked,
):  # Tables 2 and 3 of lexiprecision
    ties = asked(stacked, "ties", ["sgnLP", "RR"])
    table = ties.ireval.report(across="measure", percent=True, digits=2)
    assert heads(table) == [("", "Collection"), ("", "sgnLP"), ("", "RR")]
    assert cells(table)[2][2] == f"{100 * ties['tied_fraction'].iloc[-1]:.2f}"
    masked = asked(stacked, "agree.masked", by=["kind", "collection"]).ireval.report(
        across="measure", percent=True
    )
    assert [group.title for group in masked.groups] == ["news", "web"]
    assert "Percentages: fraction of these pairs that are predicted correctly" in masked.notes[0]
    check_latex(table)
    check_latex(masked)


@pytest.mark.broad
def test_correlations_are_averaged_in_a_triangle(stacked):  # Table 2 of RPP
    found = asked(stacked, "correlate", ["RR", "invRPP", "RPP", "AP"])
    table = found.ireval.report(layout="triangle", digits=2)
    assert heads(table) == [("", ""), ("", "invRPP"), ("", "RPP"), ("", "AP")]
    mean = found.query("measure_a == 'invRPP' and measure_b == 'AP'")["value"].mean()
    assert cells(table)[1] == ["invRPP", "–", cells(table)[1][2], f"{mean:.2f}"]
    assert table.notes == (
        "Kendall's τ b of the orderings of systems by two measures.",
        "Means over 3 collections, each counting the same.",
    )
    rows = found.ireval.report()
    assert heads(rows)[:4] == [("", "Collection"), ("RR", "invRPP"), ("RR", "RPP"), ("RR", "AP")]
    check_latex(table)
    check_latex(rows)


@pytest.mark.broad
def test_agreement_has_a_heading_for_each_fuzziness(stacked):
    table = asked(stacked, "agree", ["AP", "RPP", "RR"], fuzziness=[0.0, 0.1]).ireval.report(
        average=True
    )
    assert [group for group, _ in heads(table)] == [
        "", "fuzziness 0, AP", "fuzziness 0, AP", "fuzziness 0.1, AP", "fuzziness 0.1, AP",
        "fuzziness 0, RPP", "fuzziness 0.1, RPP",
    ]  # fmt: skip
    check_latex(table)


@pytest.mark.broad
def test_the_steps_from_map_to_search_length_are_ranges_over_collections(stacked):  # Table 2 of ASL
    steps = asked(stacked, "search_lengths.ablation")
    table = steps.ireval.report(
        average="range", columns=["step", "tau_b", "delta_value", "delta_sort"], digits=2
    )
    own = steps.query("step == 'cumulative'")["tau_b"]
    low, high = own.mean() - own.std(), own.mean() + own.std()
    assert cells(table)[3][:2] == ["cumulative", f"{low:.2f}–{high:.2f}"]
    assert (
        table.notes[0]
        == "From one standard deviation below the mean over 3 collections to one above it."
    )
    check_latex(table)


@pytest.mark.broad
def test_moves_of_systems_are_rows_of_collections_or_a_range_over_them(stacked):
    moves = asked(stacked, "delta_sort", "nDCG@10")
    table = moves.ireval.report(
        columns=["collection", "runs", "delta_sort", "tau_b", "delta_value"], digits=2
    )
    assert heads(table)[2:] == [("", "ΔSort (%)"), ("", "τ b"), ("", "ΔValue (×)")]
    assert [row[0] for row in cells(table)] == ["set 0", "set 1", "set 2"]
    spread = moves.ireval.report(
        average="range", columns=["measure_new", "delta_sort", "tau_b"], digits=1
    )
    own = moves["delta_sort"]
    assert cells(spread)[0][:2] == [
        "nDCG@10",
        f"{own.mean() - own.std():.1f}–{own.mean() + own.std():.1f}",
    ]
    check_latex(table)
    check_latex(
        asked(stacked, "delta_sort", "nDCG@10", per="run").ireval.report(group="collection")
    )


@pytest.mark.broad
def test_orders_stand_side_by_side_and_follow_the_mean_rank(stacked):
    orders = asked(stacked, "order", "AP")
    table = orders.ireval.report()
    assert heads(table) == [
        ("", "System"),
        ("", "set 0"),
        ("", "set 1"),
        ("", "set 2"),
        ("", "Mean rank"),
    ]
    mean = orders.groupby("run")["rank"].mean()
    shown = table.to_frame()
    assert shown["mean rank"].tolist() == sorted(mean)
    assert mean[shown["run"]].tolist() == shown["mean rank"].tolist()
    less = orders[~((orders["run"] == "ql") & (orders["collection"] == "set 1"))]
    assert cells(less.ireval.report())[-1][::4] == ["ql", "–"]
    both = asked(stacked, "order", ["AP", "RR"]).ireval.report(show="both")
    assert heads(both)[1:3] == [("AP, mean, set 0", "Rank"), ("AP, mean, set 0", "Score")]
    check_latex(table)
    check_latex(both)


@pytest.mark.broad
def test_comparisons_are_listed_under_their_collection_and_measure(stacked):
    table = asked(stacked, "compare", ["AP", "RR"], baseline="bm25").ireval.report()
    assert [group.title for group in table.groups][:3] == ["set 0, AP", "set 0, RR", "set 1, AP"]
    assert "16 to 17 queries per group" in table.notes[-1]
    check_latex(table)


@pytest.mark.broad
def test_a_table_read_from_a_file_is_told_its_collections(stacked):
    power = asked(stacked, "discriminative_power", ["AP", "RR"], tests="t")
    bare = pd.DataFrame(power.to_dict("list"))
    with pytest.raises(ValueError, match="duplicate"):
        bare.ireval.report()
    assert cells(bare.ireval.report(by="collection")) == cells(power.ireval.report())
    with pytest.raises(
        KeyError, match="no column 'collections' to group by; there are collection, measure"
    ):
        bare.ireval.report(by="collections")


@pytest.mark.broad
def test_what_is_to_be_shown_is_asked_for(stacked):
    steps, ties = asked(stacked, "search_lengths.ablation"), asked(stacked, "ties")
    with pytest.raises(
        ValueError, match=r"Specify it with value=, one of delta_sort, tau_b, delta_value\."
    ):
        steps.ireval.report(across="step")
    with pytest.raises(
        ValueError,
        match=r"average='row' requires a table with one row per collection\. Specify its columns with across=",
    ):
        ties.ireval.report(average="row")
    with pytest.raises(
        ValueError,
        match=r"cannot determine which column identifies the collections\. Specify it with by=",
    ):
        pd.DataFrame(ties.to_dict("list")).ireval.report(across="measure")
