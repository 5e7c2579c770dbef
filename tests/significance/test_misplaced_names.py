"""A name in the wrong place works or says what was meant (issue 12, item 11)."""

import pytest

import pdeval


@pytest.fixture(scope="module")
def judged():
    return pdeval.datasets.sample_judged(queries="common")


@pytest.fixture(scope="module")
def scores(judged):
    return judged.measure(["AP", "RR"])


MEANT = [
    ("compare", "hsd", r"'hsd' is a significance test, not a measure\. Use compare\(test='hsd'\)"),
    (
        "compare",
        ["t-test"],
        r"'t-test' is a significance test, not a measure\. Use compare\(test='t'\)\.",
    ),
    ("discriminative_power", "t", r"Use discriminative_power\(tests='t'\)"),
    (
        "correlate",
        "spearman",
        r"'spearman' is a coefficient.*Use correlate\(coefficients='spearman'\)",
    ),
    ("correlate", "Kendall", r"'Kendall' is a coefficient.*Use correlate\(coefficients='tau_b'\)"),
    ("order", "mc4", r"'mc4' is an ordering, not a measure\. Use order\(method='mc4'\)"),
]


@pytest.mark.parametrize(("verb", "name", "told"), MEANT)
def test_a_name_that_is_no_measure_tells_the_option_that_was_meant(
    judged, scores, verb, name, told
):
    for held in (judged, scores.ireval):
        with pytest.raises(ValueError, match=told):
            getattr(held, verb)(name)


def test_a_coefficient_is_told_from_a_measure_on_a_table_of_orders(scores):
    orders = scores.ireval.order()
    with pytest.raises(ValueError, match=r"Use correlate\(coefficients='spearman'\)"):
        orders.ireval.correlate("spearman")
    with pytest.raises(ValueError, match=r"Use correlate\.against\(coefficients='spearman'\)"):
        orders.ireval.correlate.against(orders, "rho")
    with pytest.raises(KeyError, match="no measure 'garbage' in this table"):
        orders.ireval.correlate("garbage")
    with pytest.raises(ValueError, match=r"Use discriminative_power\(tests='sign'\)"):
        scores.ireval.discriminative_power.curve("sign")


def test_a_measure_in_the_first_place_orders_by_it(judged, scores):
    for held in (judged, scores.ireval):
        assert held.order("AP")["measure"].unique().tolist() == ["AP"]


@pytest.mark.parametrize("verb", ["order", "compare", "correlate", "discriminative_power"])
def test_on_a_run_table_the_judgments_come_first_and_that_is_said(verb):
    runs = pdeval.datasets.sample_runs()
    with pytest.raises(TypeError, match=rf"takes judgments first: \.ireval\.{verb}\(qrels, 'AP'\)"):
        getattr(runs.ireval, verb)("AP")
