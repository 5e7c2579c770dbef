"""The tables of three papers, each by one call of collections that stand on each other: their shape, and their LaTeX.

RPP is Diaz and Ferraro 2022, LP is Diaz 2023, ASL is Alex, Hall and Metzler 2022.
"""

import re
import warnings
from typing import NamedTuple

import pandas as pd
import pytest

import pdeval
from pdeval.report import Report
from tests.report.compiling import compiled, too_wide

KINDS = ["kind", "collection"]
SINGLE = ["RPP", "dcgRPP", "invRPP", "AP", "nDCG", "RR"]
BY_SUBTOPIC = ["ST-RPP", "ST-R", "ERR-IA@20", "MAP-IA"]
REQUESTS = {"queries": "requests", "runs": "runs"} | {
    f"{what}_per_query": f"{said}/request"
    for what, said in {"relevant": "rel", "docs": "docs", "subtopics": "subtopics"}.items()
}
STEPS = {
    "atomize precision": "Atomize P",
    "aggregate within query": "Agg. docs within query",
    "aggregate across queries": "Agg. rates across queries",
    "cumulative": "Cumulative",
    "tau_b": "Kendall",
}


def datasets(runs, qrels):  # Table 1 of RPP
    shown = ["collection", "queries", "runs", "relevant_per_query", "subtopics_per_query"]
    found = runs.ireval.describe(qrels, by="collection")
    return found.ireval.report(columns=shown, digits=2, names=REQUESTS, caption="", footnotes=False)


def kinds_of_datasets(runs, qrels):  # Table 1 of LP
    shown = ["collection", "queries", "runs", "relevant_per_query", "docs_per_query"]
    found = runs.ireval.describe(qrels, by=KINDS)
    return found.ireval.report(
        group="kind", columns=shown, digits=2, names=REQUESTS, caption="", footnotes=False
    )


def correlations(runs, qrels):  # Table 2a of RPP
    measures = ["RR", "invRPP", "RPP", "dcgRPP", "AP", "nDCG"]
    found = runs.ireval.correlate(qrels, measures, by="collection", method="paper")
    return found.ireval.report(layout="triangle", digits=2)


def subtopic_correlations(runs, qrels):  # Table 2b of RPP
    measures = ["ST-RPP", "ST-dcgRPP", "MAP-IA", "ST-invRPP", "ERR-IA@20", "strec@20"]
    found = runs.ireval.correlate(qrels, measures, by="collection", method="paper")
    return found.ireval.report(layout="triangle", digits=2)


def detected(measures, **options):  # Tables 3 and 4 of RPP
    def ask(runs, qrels):
        return runs.ireval.discriminative_power(
            qrels, measures, by="collection", **options
        ).ireval.report(digits=2)

    return ask


def foretold(runs, qrels):  # Table 2 of LP
    found = runs.ireval.agree.masked(qrels, by=KINDS)
    return found.ireval.report(across="measure", percent=True, digits=2, names={"RR(i=2)": "δRR₂"})


def tied(runs, qrels):  # Table 3 of LP
    names = {"sgnLP": "rrLP, sgnLP", "RR": "δRR₁"}
    found = runs.ireval.ties(qrels, ["sgnLP", "RR"], by=KINDS)
    return found.ireval.report(across="measure", percent=True, digits=2, names=names)


def detected_by_two_tests(runs, qrels):  # Table 4 of LP
    measures, tests = ["rrLP", "sgnLP", "RR"], ["hsd", "default"]
    found = runs.ireval.discriminative_power(
        qrels, measures, by=KINDS, tests=tests, correction="bonferroni", draws=200
    )
    return found.ireval.report(digits=2, against="RR")


def reordered(runs, qrels):  # Table 2 of ASL
    shown, digits = (
        ["step", "delta_sort", "tau_b", "delta_value"],
        {"delta_sort": 0, "tau_b": 1, "delta_value": 2},
    )
    found = runs.ireval.search_lengths.ablation(qrels, by="collection")
    return found.ireval.report(average="range", columns=shown, digits=digits, names=STEPS)


class Printed(NamedTuple):
    """How a paper prints a table: its headers, and its rows, which are collections where none are named."""

    ask: object
    heads: list[str]
    rows: tuple[str, ...] = ()
    subtopics: bool = False


TABLES = {
    "RPP 1": Printed(
        datasets, ["Collection", "requests", "runs", "rel/request", "subtopics/request"]
    ),
    "RPP 2a": Printed(
        correlations,
        ["", "invRPP", "RPP", "dcgRPP", "AP", "nDCG"],
        ("RR", "invRPP", "RPP", "dcgRPP", "AP"),
    ),
    "RPP 2b": Printed(
        subtopic_correlations,
        ["", "ST-dcgRPP", "MAP-IA", "ST-invRPP", "ERR-IA@20", "strec@20"],
        ("ST-RPP", "ST-dcgRPP", "MAP-IA", "ST-invRPP", "ERR-IA@20"),
        subtopics=True,
    ),
    "RPP 3a": Printed(detected(SINGLE, tests="hsd", draws=200), ["Collection", *SINGLE]),
    "RPP 3b": Printed(
        detected(BY_SUBTOPIC, tests="hsd", draws=200), ["Collection", *BY_SUBTOPIC], subtopics=True
    ),
    "RPP 4a": Printed(detected(SINGLE, tests="t"), ["Collection", *SINGLE]),
    "RPP 4b": Printed(
        detected(BY_SUBTOPIC, tests="t"), ["Collection", *BY_SUBTOPIC], subtopics=True
    ),
    "LP 1": Printed(
        kinds_of_datasets, ["Collection", "requests", "runs", "rel/request", "docs/request"]
    ),
    "LP 2": Printed(foretold, ["Collection", "sgnLP", "δRR₂"]),
    "LP 3": Printed(tied, ["Collection", "rrLP, sgnLP", "δRR₁"]),
    "LP 4": Printed(detected_by_two_tests, ["Collection", *["rrLP", "sgnLP", "RR"] * 2]),
    "ASL 2": Printed(
        reordered,
        ["Step", "ΔSort (%)", "Kendall", "ΔValue (×)"],
        tuple(name for key, name in STEPS.items() if key != "tau_b"),
    ),
}


WIDE = ["RPP 2b", "RPP 3a", "RPP 4a", "LP 4"]  # over both columns of a page


class Stacked(NamedTuple):
    """Runs of several collections of several kinds, and their judgments."""

    runs: pd.DataFrame
    qrels: pd.DataFrame
    diverse_runs: pd.DataFrame
    diverse_qrels: pd.DataFrame

    def report(self, name: str) -> Report:
        printed = TABLES[name]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # runs of real tracks miss queries
            both = (
                (self.diverse_runs, self.diverse_qrels)
                if printed.subtopics
                else (self.runs, self.qrels)
            )
            return printed.ask(*both)


@pytest.fixture(scope="module")
def thirds():
    """The sample as three collections of two kinds."""

    def split(frame):
        part = (frame["query_id"].astype(int) % 3).astype(str)
        return frame.assign(
            kind=part.map({"0": "news", "1": "news", "2": "web"}), collection="set_" + part
        )

    runs, diverse = (
        split(pdeval.datasets.sample_runs()),
        split(pdeval.datasets.sample_qrels(subtopics=True)),
    )
    return Stacked(runs, split(pdeval.datasets.sample_qrels()), runs, diverse)


@pytest.fixture(scope="module")
def tracks(shared_data):
    """The real collections; one has judgments of subtopics too."""
    kinds = {
        "clef-ehealth-2015": "health",
        "trec-covid-r3": "health",
        "dl-hard-doc": "web",
        "trec-web-2012-div": "web",
    }
    both = pdeval.read_collections({name: shared_data / name for name in kinds}, progress=False)
    runs, qrels = (frame.assign(kind=frame["collection"].astype(str).map(kinds)) for frame in both)
    web = shared_data / "trec-web-2012-div"
    place = {"web (2012)": (web / "runs", web / "qrels.ndeval.txt")}
    binary = qrels.assign(relevance=(qrels["relevance"] >= 1).astype(int))
    return Stacked(runs, binary, *pdeval.read_collections(place, subtopics=True, progress=False))


def check_shape(name, report, stacked):
    """Fail unless a table has the headers and the rows that the paper prints, and numbers in them."""
    printed = TABLES[name]
    frame = stacked.diverse_runs if printed.subtopics else stacked.runs
    assert [column.header for column in report.columns] == printed.heads
    by = [one for one in KINDS if one in frame.columns and (one != "kind" or name.startswith("LP"))]
    labels = frame[by].drop_duplicates().sort_values(by)
    titles = labels["kind"].drop_duplicates().tolist() if "kind" in by else []
    assert [group.title for group in report.groups] == titles
    assert [row[0].text for row in report.rows] == list(
        printed.rows or map(str, labels["collection"])
    )
    cells = [cell.text for row in report.rows for cell in row[1:]]
    filled = [text for text in cells if re.match(r"−?\d", text)]
    triangle = len(report.rows) * (len(report.rows) + 1) // 2
    assert len(filled) == (triangle if name.startswith("RPP 2") else len(cells))


def check_latex(name, report, tmp_path):
    """Fail unless a table compiles and fits its page: an article, and one column of two, or both where it is wide."""
    assert compiled(tmp_path, [report.to_latex()]) == ""
    assert too_wide(tmp_path) == []
    fitted = {"environment": "table*"} if name in WIDE else {"size": "small", "separation": "3pt"}
    assert compiled(tmp_path, [report.to_latex(**fitted)], "acmart") == ""
    assert too_wide(tmp_path) == []


@pytest.mark.broad
@pytest.mark.parametrize("name", TABLES)
def test_a_table_of_a_paper_is_one_call_of_stacked_collections(thirds, name):
    check_shape(name, thirds.report(name), thirds)


@pytest.mark.slow
@pytest.mark.parametrize("name", TABLES)
def test_a_table_of_a_paper_compiles_and_fits_the_page(thirds, name, tmp_path):
    check_latex(name, thirds.report(name), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", TABLES)
def test_a_table_of_a_paper_is_one_call_of_the_real_collections(tracks, name, tmp_path):
    report = tracks.report(name)
    check_shape(name, report, tracks)
    check_latex(name, report, tmp_path)


@pytest.mark.broad
def test_tests_that_suit_their_measures_stand_under_one_heading(thirds):
    report = thirds.report("LP 4")
    heads = [(column.group, column.header) for column in report.columns[1:]]
    tests = ["Randomized Tukey HSD", "Paired tests, Bonferroni"]
    assert heads == [(test, measure) for test in tests for measure in ("rrLP", "sgnLP", "RR")]
    assert (
        "Paired tests: paired Student t test for rrLP, RR, sign test for sgnLP." in report.notes[0]
    )
    options = {"tests": "default", "correction": "bonferroni", "queries": "common"}
    alone = detected(["rrLP", "sgnLP"], **options)(*thirds[:2])
    assert [column.group for column in alone.columns] == ["", "", ""]
    assert (
        "paired Student t test for rrLP, sign test for sgnLP, Bonferroni correction"
        in alone.notes[0]
    )


@pytest.mark.broad
def test_what_detects_more_than_one_measure_is_marked(thirds):
    report = thirds.report("LP 4")
    for row in report.rows:
        for start in (1, 4):
            base = float(row[start + 2].text)
            marks = [cell.marks for cell in row[start : start + 3]]
            assert marks == [
                "†" if float(cell.text) > base else "" for cell in row[start : start + 3]
            ]
    assert any(cell.marks for row in report.rows for cell in row)
    assert "† more than RR." in report.notes
    power = thirds.runs.ireval.discriminative_power(
        thirds.qrels, ["AP", "RR"], by="collection", tests="t", queries="common"
    )
    with pytest.raises(KeyError, match="against='P@10' is not a column; the columns are AP, RR"):
        power.ireval.report(against="P@10")
    with pytest.raises(
        ValueError, match=r"against= requires a table of several collections\. Specify the column"
    ):
        power[power["collection"] == "set_0"].drop(columns="collection").ireval.report(against="RR")
