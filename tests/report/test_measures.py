"""Tables about measures: discriminative power and agreement."""

import pandas as pd
import pytest

from pdeval.report import report_agreement, report_discriminative_power


@pytest.fixture
def power():
    frame = pd.DataFrame(
        [
            ("AP", "t", "bonferroni", 0.05, 66, 0.30303),
            ("sgnLP", "sign", "bonferroni", 0.05, 66, 0.16667),
            ("AP", "hsd", "none needed", 0.05, 66, 0.33333),
            ("sgnLP", "hsd", "none needed", 0.05, 66, 0.5),
        ],
        columns=["measure", "test", "correction", "alpha", "pairs", "fraction_significant"],
    )
    return frame.astype({"measure": "category", "test": "category"})


def test_power_is_measures_by_tests_with_a_dash_where_a_test_was_not_used(power):
    assert report_discriminative_power(power, caption="Power.").to_markdown() == (
        "Power.\n\n"
        "| Measure | Student t, Bonferroni (%) | Sign, Bonferroni (%) | Randomized Tukey HSD (%) |\n"
        "|:--------|--------------------------:|---------------------:|-------------------------:|\n"
        "| AP      |                      30.3 |                    – |                     33.3 |\n"
        "| sgnLP   |                         – |                 16.7 |                 **50.0** |\n\n"
        "Percentage of 66 pairs of systems that are significantly different (α = 0.05). Best in bold."
    )


def test_one_test_is_named_in_the_header_and_the_rest_in_the_note(power):
    table = report_discriminative_power(
        power[power["test"] == "hsd"], names={"hsd": "HSD", "sgnLP": "sgn"}, digits=0
    )
    assert [column.header for column in table.columns] == ["Measure", "HSD (%)"]
    assert [[cell.text for cell in row] for row in table.rows] == [["AP", "33"], ["sgn", "50"]]
    assert table.to_frame().columns.tolist() == ["measure", "percent"]


def test_power_of_collections_is_grouped(power):
    one = power[power["test"] == "hsd"]
    both = pd.concat(
        [
            one.assign(collection="robust"),
            one.assign(collection="covid", fraction_significant=[0.6, 0.4]),
        ]
    )
    table = report_discriminative_power(both, group="collection")
    assert [(group.title, group.size) for group in table.groups] == [("robust", 2), ("covid", 2)]
    assert [row[1].emphasis for row in table.rows] == ["", "best", "best", ""]


def test_corrections_that_differ_between_collections_stand_under_one_heading(power):
    small = power[power["measure"] == "AP"].assign(
        collection="small", correction=["max-t", "none needed"]
    )
    large = small.assign(collection="large", correction=["holm", "none needed"])
    both = pd.concat([small, large])
    table = report_discriminative_power(both, by="collection")
    heads = [(column.group, column.header) for column in table.columns[1:]]
    assert heads == [("Student t, max-t or Holm", "AP"), ("Randomized Tukey HSD", "AP")]
    assert [[cell.text for cell in row[1:]] for row in table.rows] == [["30.3", "33.3"]] * 2
    alone = report_discriminative_power(both[both["test"] == "t"], by="collection")
    assert "(paired Student t test, max-t or Holm correction, α = 0.05)" in alone.notes[0]


def test_power_refuses_what_it_cannot_show(power):
    with pytest.raises(ValueError, match="the discriminative powers have no rows"):
        report_discriminative_power(power[:0])
    with pytest.raises(
        ValueError,
        match="the discriminative powers have no column 'fraction_significant'; they have measure",
    ):
        report_discriminative_power(power.drop(columns="fraction_significant"))
    with pytest.raises(
        ValueError, match=r"have 4 duplicate \(measure, test, correction, alpha\) rows"
    ):
        report_discriminative_power(pd.concat([power, power]))
    with pytest.raises(KeyError, match="no column 'collection' to group by; there are measure"):
        report_discriminative_power(power, group="collection")
    with pytest.raises(TypeError, match="must be a pandas DataFrame, not dict"):
        report_discriminative_power({})


@pytest.fixture
def agreement():
    return pd.DataFrame(
        [
            ("AP", "DCG", "uniform", 523776, 0.9554),
            ("AP", "P", "uniform", 523776, 0.7694),
            ("AP", "DCG", "runs", 900, 0.91),
        ],
        columns=["measure_a", "measure_b", "sample", "pairs", "agreement"],
    )


def test_agreement_lists_every_column(agreement):
    assert report_agreement(agreement, digits=2, notes="Exact.").to_markdown() == (
        "| Measure A | Measure B | sample  |  Pairs | Agreement |\n"
        "|:----------|:----------|:--------|-------:|----------:|\n"
        "| AP        | DCG       | uniform | 523776 |      0.96 |\n"
        "| AP        | P         | uniform | 523776 |      0.77 |\n"
        "| AP        | DCG       | runs    |    900 |      0.91 |\n\n"
        "Exact."
    )


def test_agreement_spreads_a_column_over_the_header(agreement):
    table = report_agreement(
        agreement, columns="sample", digits=2, names={"runs": "TREC", "AP": "MAP"}
    )
    assert [column.header for column in table.columns] == [
        "Measure A",
        "Measure B",
        "uniform",
        "TREC",
    ]
    assert [[cell.text for cell in row] for row in table.rows] == [
        ["MAP", "DCG", "0.96", "0.91"],
        ["MAP", "P", "0.77", "–"],
    ]


def test_agreement_can_be_grouped(agreement):
    table = report_agreement(agreement, group="sample")
    assert [group.title for group in table.groups] == ["uniform", "runs"]
    assert table.to_frame()["sample"].tolist() == ["uniform", "uniform", "runs"]


def test_agreement_refuses_what_it_cannot_show(agreement):
    with pytest.raises(ValueError, match="the agreements have no column 'kind'"):
        report_agreement(agreement, columns="kind")
    with pytest.raises(ValueError, match=r"have 1 duplicate \(measure_a, measure_b, sample\) rows"):
        report_agreement(pd.concat([agreement, agreement[:1]]), columns="sample")
    with pytest.raises(KeyError, match="no column 'set' to group by"):
        report_agreement(agreement, group="set")
