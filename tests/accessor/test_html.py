"""What a notebook shows of a join and of tables about documents."""

import pytest

import pdeval
from tests import naive

HOSTILE = '<script>alert(1)</script><img src=x onerror="alert(1)">\u202eright to left\x1b[2J'


@pytest.fixture(scope="module")
def joined():
    lists = {"x": {"1": ["a", "n", "b"]}, "<b>y": {"1": ["b", "n"]}}
    return naive.table(lists).ireval.join(naive.judgments({"1": {"a": 1, "b": 0}}))


def test_an_explanation_shows_its_conclusion_and_marks_unjudged_documents(joined):
    html = joined.explain("1", "P@2", runs="x").ireval._repr_html_()
    assert "x has P@2 0.500: 1 of its top 2 documents is judged" in html
    assert html.count("unjudged</span></td>") == 1
    pair = joined.labeled(layout="side_by_side").ireval._repr_html_()
    assert pair.count("unjudged</span></td>") == 2  # not below the end of the shorter list


def test_texts_do_nothing(joined):
    texts = {"queries": {"1": HOSTILE}, "docs": {"a": HOSTILE, "n": HOSTILE * 2000}}
    for frame in (
        joined.explain("1", "P@2", texts=texts),
        joined.labeled(texts=texts),
        joined.labeled(texts=texts, layout="side_by_side"),
        joined.hard_queries("P@2", texts=texts),
    ):
        # a notebook shows an explanation as the page; this is its plain form
        html = frame.copy().ireval._repr_html_()
        assert "&lt;script&gt;" in html
        assert "<script" not in html
        assert "<img" not in html
        assert "\u202e" not in html
        assert "\x1b" not in html
        assert "<b>y" not in html  # the name of a run
        assert len(html) < 20_000


def test_names_of_columns_are_escaped(joined):
    frame = joined.labeled("P@2").rename(columns={"P@2": "<i>P"})
    assert "<i>" not in frame.ireval._repr_html_()


def test_long_tables_are_cut_and_others_are_shown_as_text():
    sample = pdeval.datasets.sample_judged()
    assert sample.labeled(top=10).ireval._repr_html_().count("<tr>") == 60
    assert "and 5,920 rows more" in sample.labeled(top=10).ireval._repr_html_()
    assert pdeval.datasets.sample_runs().ireval._repr_html_() is None


def test_a_join_shows_its_runs_and_their_labels(joined):
    html = joined._repr_html_()
    assert "runs joined to judgments: 2 runs x 1 query" in html
    assert "judged of the first 10" in html
    assert "67%" in html
    assert "&lt;b&gt;y" in html
