"""The frozen Report: its shape is checked when it is made."""

import pytest

from pdeval.report import Cell, Column, Group, Report

X, ONE = Column("x", "x"), Cell(1, "1")


def test_rows_must_have_one_cell_per_column():
    with pytest.raises(ValueError, match="row 1 has 2 cells, but there are 1 columns"):
        Report((X,), ((ONE,), (ONE, ONE)))


def test_groups_must_cover_the_rows():
    with pytest.raises(ValueError, match="the groups cover 2 rows, but the report has 1"):
        Report((X,), ((ONE,),), (Group("g", 2),))


def test_column_names_must_differ():
    with pytest.raises(ValueError, match=r"two columns have the name 'x'\. Rename one of them"):
        Report((X, X), ((ONE, ONE),))


@pytest.mark.parametrize("label", ["a b", "tab:{x}", "50%", "a\\b", "a#b", "a,b", "a~b"])
def test_a_label_must_be_one_that_latex_can_refer_to(label):
    with pytest.raises(ValueError, match=r"which .label of LaTeX does not accept"):
        Report((X,), ((ONE,),), label=label)


def test_its_repr_is_short():
    text = repr(Report((X,), ((ONE,),) * 500))
    assert text.startswith("<Report: 500 rows x 1 columns; .to_latex()")
    assert len(text) < 120
