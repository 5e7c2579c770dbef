"""Wins per query and per user: the slides' table and its bold entries, scipy's binomial test, preferences."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest
from statsmodels.stats.multitest import multipletests

from pdeval.significance.corrections import adjust


def wins(credits, **options):
    return credits.ireval.wins(**options)


# papers: Radlinski et al. 2008, as in the slides: A wins %, B wins %, n, and whether the entry is bold (significant)
SLIDES = {
    "query": {
        ("ORIG", "FLAT"): (47.7, 37.3, 1272, True),
        ("FLAT", "RAND"): (46.7, 39.7, 1376, True),
        ("ORIG", "RAND"): (55.6, 29.8, 1095, True),
        ("ORIG", "SWAP2"): (44.4, 40.3, 1170, False),
        ("SWAP2", "SWAP4"): (44.2, 40.3, 1202, False),
        ("ORIG", "SWAP4"): (47.7, 37.8, 1332, True),
    },
    "user": {
        ("ORIG", "FLAT"): (49.6, 36.0, 667, True),
        ("FLAT", "RAND"): (46.3, 36.8, 646, True),
        ("ORIG", "RAND"): (58.7, 28.6, 622, True),
        ("ORIG", "SWAP2"): (44.7, 37.4, 693, True),
        ("SWAP2", "SWAP4"): (45.1, 39.8, 703, False),
        ("ORIG", "SWAP4"): (47.2, 35.0, 697, True),
    },
}


def credits_of(table: dict, voter: str) -> pd.DataFrame:
    """One impression per voter, with the wins of a printed table."""
    parts = []
    for (a, b), (a_percent, b_percent, n, _) in table.items():
        a_wins, b_wins = round(n * a_percent / 100), round(n * b_percent / 100)
        sign = np.repeat([1, -1, 0], [a_wins, b_wins, n - a_wins - b_wins])
        part = pd.DataFrame(
            {"run_a": a, "run_b": b, "query_id": 1, "clicks": 1, voter: np.arange(n)}
        )
        parts.append(
            part.assign(credit_a=(sign >= 0).astype(int), credit_b=(sign <= 0).astype(int))
        )
    return pd.concat(parts, ignore_index=True)


@pytest.mark.parametrize(("per", "voter"), [("query", "query_id"), ("user", "user")])
def test_the_table_of_the_slides_and_its_bold_entries(per, voter):
    found = wins(credits_of(SLIDES[per], voter), per=per, correction="none").set_index(
        ["run_a", "run_b"]
    )
    for pair, (a_percent, b_percent, n, bold) in SLIDES[per].items():
        row = found.loc[pair]
        assert (round(100 * row["a_win_rate"], 1), round(100 * row["b_win_rate"], 1), row["n"]) == (
            a_percent,
            b_percent,
            n,
        )
        assert row["significant"] == bold
        assert row["p_value"] == pytest.approx(
            binomtest(int(row["a_wins"]), int(row["a_wins"] + row["b_wins"])).pvalue
        )


CREDITS = pd.DataFrame(
    [
        ("x", "y", 1, "ann", 2, 2, 0), ("x", "y", 1, "ann", 1, 1, 0), ("x", "y", 1, "bob", 1, 0, 1),
        ("x", "y", 2, "bob", 1, 0, 1), ("x", "y", 2, "cy", 2, 1, 1), ("x", "y", 3, "cy", 0, 0, 0),
        ("x", "z", 1, "ann", 0, 0, 0),
    ],
    columns=["run_a", "run_b", "query_id", "user", "clicks", "credit_a", "credit_b"],
)  # fmt: skip
COUNTS = ["n", "a_wins", "b_wins", "ties"]


@pytest.mark.parametrize(
    ("per", "expected"),
    [("impression", [5, 2, 2, 1]), ("query", [2, 1, 1, 0]), ("user", [3, 1, 1, 1])],
)
def test_queries_and_users_go_to_the_run_that_won_more_of_their_impressions(per, expected):
    assert wins(CREDITS, per=per)[COUNTS].iloc[0].tolist() == expected


def test_a_pair_without_clicks_has_nothing_to_count():
    row = wins(CREDITS).iloc[1]
    assert row[COUNTS].tolist() == [0, 0, 0, 0]
    assert np.isnan([row["a_win_rate"], row["p_value"], row["p_adjusted"]]).all()
    assert not row["significant"]
    assert len(wins(CREDITS.iloc[:0])) == 0


def test_only_ties_are_no_evidence():
    tied = CREDITS.assign(credit_a=1, credit_b=1, clicks=2)
    assert wins(tied)["p_value"].tolist() == [1, 1]


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_every_alternative_is_scipys(alternative):
    for a_wins, b_wins in ((9, 3), (3, 9), (5, 5), (1, 0)):
        credits = credits_of(
            {("x", "y"): (100 * a_wins / 20, 100 * b_wins / 20, 20, None)}, "query_id"
        )
        oracle = binomtest(a_wins, a_wins + b_wins, alternative=alternative).pvalue
        assert wins(credits, alternative=alternative)["p_value"].iloc[0] == pytest.approx(oracle)


def test_p_values_are_corrected_for_the_number_of_pairs():
    credits = credits_of(SLIDES["query"], "query_id")
    result = wins(credits)
    np.testing.assert_allclose(
        result["p_adjusted"], multipletests(result["p_value"], method="holm")[1]
    )
    result = wins(credits, correction="bonferroni")
    np.testing.assert_allclose(result["p_adjusted"], np.minimum(6 * result["p_value"], 1))


def test_outcomes_as_preferences_average_the_signs_of_clicked_impressions():
    found = CREDITS.assign(method="team-draft").ireval.preferences()
    assert found.columns.tolist() == ["query_id", "run_a", "run_b", "measure", "value"]
    assert found["value"].tolist() == [pytest.approx(1 / 3), -0.5]
    assert found["query_id"].tolist() == [1, 2]


def test_wrong_tables_and_choices_are_refused():
    with pytest.raises(
        AttributeError, match=r"wins\(\): expected a table of credits of interleaved runs"
    ):
        wins(CREDITS.drop(columns="credit_a"))
    with pytest.raises(
        ValueError,
        match="per='user' requires a user column; the credits have run_a, run_b, query_id",
    ):
        wins(CREDITS.drop(columns="user"), per="user")
    with pytest.raises(ValueError, match="per='day': choose 'query', 'user' or 'impression'"):
        wins(CREDITS, per="day")
    with pytest.raises(
        ValueError, match="alternative='better': choose 'two-sided', 'greater' or 'less'"
    ):
        wins(CREDITS, alternative="better")


def test_corrections_leave_undefined_p_values_out():
    p, family = np.array([0.01, np.nan, 0.02, 0.04]), np.zeros(4, dtype=np.int64)

    def adjusted(correction):
        return adjust(p, family, correction=correction)

    assert adjusted("bonferroni")[[0, 2, 3]].tolist() == pytest.approx([0.03, 0.06, 0.12])
    assert adjusted("holm")[[0, 2, 3]].tolist() == pytest.approx([0.03, 0.04, 0.04])
    assert adjusted("bh")[[0, 2, 3]].tolist() == pytest.approx([0.03, 0.03, 0.04])
    assert adjusted("none")[[0, 2, 3]].tolist() == [0.01, 0.02, 0.04]
    assert np.isnan(adjusted("holm")[1])
    with pytest.raises(ValueError, match=r"correction='bonferoni': .*Did you mean 'bonferroni'\?"):
        wins(CREDITS, correction="bonferoni")


def test_credits_that_differ_by_rounding_are_a_tie():  # issue 13, item 1
    credits = pd.DataFrame(
        {
            "run_a": "a",
            "run_b": "b",
            "query_id": ["1", "2"],
            "impression": [1, 2],
            "clicks": 1,
            "credit_a": [0.1 + 0.2, 0.5],
            "credit_b": [0.3, 0.1],
        }
    )
    found = credits.ireval.wins()
    assert found[["a_wins", "b_wins", "ties"]].to_numpy().tolist() == [[1, 0, 1]]
