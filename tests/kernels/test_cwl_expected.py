"""What readers gain, spend and look at: grades to gains, depths and parameters, rank by rank."""

import numpy as np
import pytest

from pdeval.catalog import parse
from pdeval.kernels.cwl import ED, ETC, ETU, read_model

inf = np.inf
RANK = np.array([[1.0, 2.0, inf], [3.0, 9.0, inf], [4.0, inf, inf]])
GRADE = np.array([[2.0, 3.0, 1.0], [0.0, 1.0, 2.0], [3.0, 2.0, 3.0]])
OPTIONS = [
    {},
    {"gain": "binary"},
    {"max_grade": 2},
    {"max_grade": 4, "min_grade": 1},
    {"min_grade": 1.0},
    {"n": 3},
    {"n": 12},
]


def plainly(rank, grade, going_on, cost=1.0, gain="graded", max_grade=None, min_grade=0.0, n=1000):
    """Return the total gain, the depth and the total cost of a reader, who goes down one list."""
    top = 3.0 if max_grade is None else max_grade
    worth = {
        f: float(g > 0)
        if gain == "binary"
        else min(max((g - min_grade) / (top - min_grade), 0.0), 1.0)
        for f, g in zip(rank, grade)
    }
    seen, gained, total, depth, spent = 1.0, 0.0, 0.0, 0.0, 0.0
    for place in range(1, n + 1):
        gained += worth.get(float(place), 0.0)
        on = going_on(place, gained, cost * place)
        total, spent, depth = (
            total + seen * (1 - on) * gained,
            spent + seen * (1 - on) * cost * place,
            depth + seen,
        )
        seen *= on
    return total, depth, spent


MODELS = {
    "RBP(p=0.5)": lambda place, gained, spent: 0.5,
    "P@3": lambda place, gained, spent: float(place < 3),
    "RR": lambda place, gained, spent: float(gained == 0),
    "INST(T=2)": lambda place, gained, spent: (1 - 1 / (place + 4 - gained)) ** 2,
    "BPM(T=1.5)@6": lambda place, gained, spent: float(gained < 1.5 and spent < 6),
}


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("options", OPTIONS)
def test_what_a_reader_gains_spends_and_looks_at_is_added_up_rank_by_rank(model, options):
    options = {"n": 20, **options}
    found = [
        ETU(RANK, GRADE, 3.0, model=model, **options),
        ED(RANK, GRADE, 3.0, model=model, **options),
        ETC(RANK, GRADE, 3.0, model=model, **options),
        ETC(RANK, GRADE, 3.0, model=model, cost=2.5, **options),
    ]
    for at in range(3):
        gained, depth, spent = plainly(RANK[:, at], GRADE[:, at], MODELS[model], **options)
        _, _, dear = plainly(RANK[:, at], GRADE[:, at], MODELS[model], cost=2.5, **options)
        assert [float(one[at]) for one in found] == pytest.approx(
            [gained, depth, spent, dear], rel=1e-12
        )


def test_the_reader_is_that_of_inst_who_goes_to_rank_1000_unless_told_otherwise():
    for at in range(3):
        own = lambda place, gained, spent: (1 - 1 / (place + 2 - gained)) ** 2  # noqa: E731
        wanted = plainly(RANK[:, at], GRADE[:, at], own)
        found = [
            kernel(RANK[:, at].tolist(), GRADE[:, at].tolist(), 3.0) for kernel in (ETU, ED, ETC)
        ]
        assert [float(one) for one in found] == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize(
    ("said", "spelled"),
    [
        ("BPM @ 20", "BPM@20"),
        ("INST(T=1)", "INST"),
        ("RBP(p=0.5)", "RBP(p=0.5)"),
        ("INST(n=1000)", "INST"),  # as it is anyway
        ("RR(i=1)", "RR"),
        ("P@5", "P@5"),
    ],
)
def test_a_model_is_spelled_as_a_measure_is(said, spelled):
    assert read_model(said, "ETU") == spelled


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("AP(norm=k)@3", r"the user model has the parameters \(none\)\. Move the others out"),
        ("INST(n=10)", r"the user model has the parameters T\. Move the others out"),
        ("INST(rel=2)", r"the user model has the parameters T\. Move the others out"),
        ("RR(i=2)", r"the user model has the parameters \(none\)\. Move the others"),
        (
            "BPMD(T=2,max_grade=4)",
            r"the user model has the parameters T, hb, hc, median, k\. Move the others out",
        ),
        ("AUC", "is not a user model; the user models are INST"),
    ],
)
def test_what_is_not_of_the_model_is_said_outside_of_it(said, told):
    with pytest.raises(ValueError, match=told):
        read_model(said, f"ETU(model={said})")


def test_judged_items_alone_cannot_be_asked_of_a_model():
    judged = parse("P(judged_only=True)@5")
    assert judged.judged_only
    with pytest.raises(
        ValueError, match=r"the user model has the parameters k\. Move the others out"
    ):
        read_model("P(judged_only=True)@5", "ETU(model=P)")
