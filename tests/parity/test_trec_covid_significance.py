"""Discriminative power and ties, from run files to percentages: TREC-COVID round 3 and TREC Web 2012.

Diaz and Ferraro (2022), Tables 3 and 4; Diaz (2023), Best-case retrieval evaluation, Tables 3 and 4.
"""

import pytest

import pdeval

# Percentage of the 3,081 pairs of runs told apart, computed independently: binary at grade 1, also for the gains of
# nDCG, scores as 32-bit floats, all 40 topics; t-test, or binomial test for sgnLP, with Bonferroni's correction.
PAIRED = {
    "RPP": 67.38,
    "dcgRPP": 66.05,
    "invRPP": 58.94,
    "AP": 62.22,
    "nDCG": 64.98,
    "RR": 13.44,
    "rrLP": 20.97,
    "sgnLP": 26.45,
}
# The same with the randomized HSD and 300 draws: whole numbers, within a point or two.
HSD = {
    "RPP": 57,
    "dcgRPP": 57,
    "invRPP": 52,
    "AP": 45,
    "nDCG": 45,
    "RR": 18,
    "rrLP": 23,
    "sgnLP": 26,
}

SUBTOPIC = ["ST-RPP", "strec@20", "ERR-IA@20", "MAP-IA"]


@pytest.fixture(scope="module")
def covid(shared_data):
    folder = shared_data / "trec-covid-r3"
    qrels = pdeval.read_qrels(folder / "qrels.txt")
    return pdeval.read_runs(folder / "runs"), qrels.assign(
        relevance=(qrels["relevance"] >= 1).astype(int)
    )


@pytest.fixture(scope="module")
def joined(covid):
    runs, qrels = covid
    return runs.ireval.join(qrels, compat="trec_eval-9")


def percent(table):
    return dict(zip(table["measure"], 100 * table["fraction_significant"], strict=True))


@pytest.mark.broad
def test_runs_and_judgments_give_the_expected_power_of_the_paired_tests(covid):
    runs, qrels = covid
    table = runs.ireval.discriminative_power(
        qrels,
        list(PAIRED),
        tests=["default"],
        correction="bonferroni",
        compat="trec_eval-9",
    )
    assert table["pairs"].unique().tolist() == [3081]
    assert dict(zip(table["measure"], table["test"])) == dict.fromkeys(PAIRED, "t") | {
        "sgnLP": "sign"
    }
    assert {name: round(value, 2) for name, value in percent(table).items()} == PAIRED


@pytest.mark.broad
def test_the_expected_shares_of_pairs_are_tied(joined):
    table = joined.ties(["RR", "rrLP", "sgnLP"]).set_index("measure")
    assert (100 * table["tied_fraction"]).round(2).to_dict() == {
        "RR": 54.02,
        "rrLP": 0.12,
        "sgnLP": 0.12,
    }
    assert table["pairs"].unique().tolist() == [3081 * 40]


@pytest.fixture(scope="module")
def power(joined):
    return percent(joined.discriminative_power(list(HSD), tests=["hsd"], draws=1000))


@pytest.mark.slow
def test_hsd_detects_the_expected_shares(power):
    assert power == pytest.approx(HSD, abs=2)


@pytest.mark.slow
def test_under_hsd_rpp_tells_more_pairs_apart_than_metrics_and_lexiprecision_more_than_reciprocal_rank(
    power,
):
    rpp, others = (
        [power[name] for name in ("RPP", "dcgRPP", "invRPP")],
        [power[name] for name in ("AP", "nDCG")],
    )
    assert min(rpp) > max(others)
    assert min(others) > 2 * power["RR"]
    assert min(others) > max(power["rrLP"], power["sgnLP"])
    assert min(power["rrLP"], power["sgnLP"]) > power["RR"]


@pytest.mark.broad
def test_sorted_p_values_cross_alpha_at_the_discriminative_power(joined):
    curve = joined.discriminative_power.curve("RPP", tests="default", correction="bonferroni")
    assert 100 * (curve["p_value"] < 0.05).mean() == pytest.approx(67.38, abs=0.005)


@pytest.fixture(scope="module")
def web(shared_data):
    folder = shared_data / "trec-web-2012-div"
    runs = pdeval.read_runs(folder / "runs")
    return runs, pdeval.read_qrels(folder / "qrels.ndeval.txt", subtopics=True)


@pytest.mark.broad
@pytest.mark.parametrize("test", ["t", "hsd"])
@pytest.mark.filterwarnings("ignore:the ranks of .* lists have gaps:UserWarning")
def test_subtopic_rpp_tells_most_pairs_apart_in_lists_of_equal_length(web, test):
    runs, qrels = web
    found = percent(
        runs.ireval.discriminative_power(
            qrels, SUBTOPIC, tests=[test], draws=1000, ties="rank", depth=20
        )
    )
    assert found["ST-RPP"] > max(found[name] for name in SUBTOPIC[1:])


@pytest.mark.broad
@pytest.mark.filterwarnings("ignore:the ranks of .* lists have gaps:UserWarning")
def test_subtopic_rpp_sees_what_a_filter_costs_users_who_want_many_items(web):
    # four of the eight runs are filtered and shorter: better at the top, worse at high recall, level in the mean
    runs, qrels = web
    found = runs.ireval.discriminative_power(
        qrels, SUBTOPIC, tests=["t"], correction="bonferroni", ties="rank"
    )
    assert dict(zip(found["measure"], found["n_significant"])) == {
        "ST-RPP": 4,
        "strec@20": 11,
        "ERR-IA@20": 11,
        "MAP-IA": 8,
    }
    mean = runs.ireval.prefer(
        qrels, ["ST-RPP", "ST-invRPP"], pairs=[("ql-cata-filtered", "ql-cata")], ties="rank"
    )
    mean = mean.ireval.summary().set_index("measure")["mean"]
    assert mean["ST-invRPP"] > 0.25 > 0.1 > mean["ST-RPP"] > 0
