"""The C/W/L framework: what follows from how readers go on, worked by hand, and user models of one's own."""

import inspect

import numpy as np
import pytest

import pdeval
from pdeval.catalog import ENTRIES, parse
from pdeval.kernels import cwl, expectations

GRADES = np.array([1.0, 1.0])


def test_a_reader_who_always_goes_on_to_rank_3_spends_a_third_of_the_attention_on_each():
    found = expectations("P", np.array([1.0, 0.0, 0.5, 1.0]), np.array([1.0, 2.0, 3.0, 9.0]), k=3)
    assert [float(one) for one in found] == [0.5, 1.5, 2.0, 6.0, 3.0]


def test_the_last_item_is_where_a_reader_stops_and_not_before():
    # goes on with probability 1/2: stops at 1 (1/2), at 2 (1/4), at 3 (1/8); of 3 ranks the rest is never stopped
    found = expectations("RBP", np.array([1.0, 1.0, 1.0]), p=0.5)
    assert float(found.total_utility) == 1 / 2 + 2 / 4 + 3 / 8
    assert float(found.depth) == 1.75


def test_costs_that_differ_move_what_is_spent_and_what_depends_on_it():
    gain = np.array([0.0, 1.0, 1.0])
    cheap, dear = (
        expectations("BPM", gain, cost, T=9.0, k=4) for cost in (1.0, np.array([3.0, 3.0, 3.0]))
    )
    assert (float(cheap.depth), float(dear.depth)) == (3.0, 2.0)
    assert (float(dear.cost), float(dear.total_cost)) == (3.0, 6.0)


@pytest.mark.parametrize(
    ("name", "like"),
    [("RBP(p=0.5)", "RBP(p=0.5)"), ("P@5", "P@5"), ("RR", "RR")],
)
def test_the_expected_utility_of_known_readers_is_the_measure_of_their_name(name, like):
    measure = parse(like)
    rank = np.array([[2.0, 7.0, np.inf], [4.0, np.inf, np.inf]])
    own = cwl.MODELS[measure.entry.name].parameters
    own = {one: measure.parameters[one] for one in own}
    found = cwl.of_ranks(
        parse(name).entry.name, "utility", rank, np.ones(rank.shape), n=1000, **own
    )
    rest = [np.full(3, 1000.0)] if "retrieved" in measure.entry.columns else []
    np.testing.assert_allclose(
        found, measure.entry.kernel(rank, *rest, **measure.parameters), rtol=1e-12
    )


def test_many_lists_are_looked_at_some_at_a_time(monkeypatch):
    rng = np.random.default_rng(0)
    rank = np.sort(
        rng.permuted(np.tile(np.arange(1.0, 41), (30, 1)), axis=1)[:, :4], axis=1
    ).T.reshape(4, 5, 6)
    whole = cwl.of_ranks("INST", "utility", rank, np.full(rank.shape, 0.5), n=50, T=1.0)
    assert whole.shape == (5, 6)
    for cells in (3, 120, 10_000):  # one list, two lists, all lists at a time
        monkeypatch.setattr(cwl, "CELLS", cells)
        assert (
            cwl.of_ranks("INST", "utility", rank, np.full(rank.shape, 0.5), n=50, T=1.0).tolist()
            == whole.tolist()
        )


def test_gains_are_grades_between_the_least_and_the_largest():
    assert cwl.scaled(np.array([0.0, 1.0, 2.0, 3.0]), 3, max_grade=3, min_grade=1).tolist() == [
        0.0,
        0.0,
        0.5,
        1.0,
    ]
    assert cwl.scaled(np.array([1.0]), 0).tolist() == [0.0]  # no grade is above 0
    with pytest.raises(ValueError, match=r"max_grade=1 must be above min_grade=2"):
        cwl.scaled(GRADES, 3, max_grade=1, min_grade=2)


@pytest.mark.broad
def test_what_readers_gain_in_all_and_how_far_they_go_are_measures_of_any_model():
    judged = pdeval.datasets.sample_judged(queries="common")
    names = [
        "ETU(model=P@10,gain=binary)",
        "NumRelRet@10",
        "ED(model=P@10)",
        "ETC(model=P@10,cost=2)",
    ]
    table = judged.measure(names).pivot_table(
        index=["run", "query_id"], columns="measure", values="value"
    )
    np.testing.assert_allclose(table[names[0]], table[names[1]], rtol=1e-12)
    assert table[names[2]].unique().tolist() == [10.0]
    assert table[names[3]].unique().tolist() == [20.0]
    attrs = judged.measure(names).attrs["measures"]
    assert [attrs[name]["higher"] for name in names] == [True, True, False, False]


def test_the_depth_is_known_also_where_nothing_is_relevant():
    assert (
        ENTRIES["ED"].kernel(np.zeros((0, 2, 3)), np.zeros((0, 2, 3)), 3.0, model="P@7").tolist()
        == [[7.0] * 3] * 2
    )


@pytest.mark.parametrize(
    ("name", "told"),
    [
        (
            "ETU(model=nDCG)",
            r"model=nDCG in .* is not a user model; the user models are INST, INSQ",
        ),
        ("ETU(model=RR(i=2))", r"the user model has the parameters \(none\)\. Move the others"),
        ("ETU(model=INST(max_grade=3))", r"the user model has the parameters T\. Move the others"),
        ("ETU(model=INST(level=2))", r"the user model has the parameters T\. Move the others"),
        ("INST(T=0)", r"T=0 in 'INST\(T=0\)': expected a number between 1e-06 and inf"),
        ("INST(max_rel=3,max_grade=2)", r"sets a parameter twice, under two names"),
    ],
)
def test_what_cannot_be_meant_is_said(name, told):
    with pytest.raises(ValueError, match=told):
        parse(name)


def test_models_are_spelled_as_other_measures_are():
    assert parse("ETU(model=INST(T=2.0))").spelled == "ETU(model=INST(T=2))"
    assert parse("ETU(model=BPM(T=1)@20)").spelled == "ETU(model=BPM@20)"
    assert parse(parse("ETU(model=BPM(T=2)@20)").spelled) == parse("ETU(model=BPM(T=2)@20)")
    assert parse("INST(T=2,max_rel=3,min_rel=1)").spelled == "INST(T=2,max_grade=3,min_grade=1)"
    assert parse("SDCG(cutoff=10,max_rel=2)").spelled == "SDCG(max_grade=2)@10"


def test_a_user_model_is_one_function():
    @pdeval.user_model(reference="a test", limits={"least": (0, 1)})
    def Picky(rank, gain, *, least: float = 0.5, k: float = 20):
        """Stops at the first item of at least some gain."""
        return np.where(rank < k, gain < least, 0.0)

    try:
        rank, grade = np.array([2.0, 5.0]), np.array([1.0, 2.0])
        assert float(Picky(rank, grade, 2, least=0.6)) == (0.5 + 1.0) / 5
        assert float(Picky(rank, grade, 2)) == 0.25
        assert float(Picky(rank, grade, 2, least=0.6, k=3)) == 0.5 / 3
        assert parse("Picky(least=0.6)@5").spelled == "Picky(least=0.6)@5"
        assert (
            parse("Picky(least=0.6)").entry.summary
            == "Stops at the first item of at least some gain."
        )
        found = pdeval.datasets.sample_judged(queries="common").measure(
            ["Picky@5", "ED(model=Picky@5)"]
        )
        assert found["value"].between(0, 5).all()
    finally:
        del ENTRIES["Picky"], cwl.MODELS["Picky"]


def test_a_user_model_asks_for_what_there_is():
    with pytest.raises(
        TypeError, match="a user model has no column 'grade'; the columns are rank, gain, total"
    ):
        pdeval.user_model(lambda grade: grade)


@pytest.mark.parametrize("name", ["INST", "BPMD", "SDCG", "NERR9", "TBG", "U", "AP"])
def test_lists_on_several_axes_are_those_of_each_alone(name):
    rng = np.random.default_rng(1)
    gain, cost = rng.choice([0.0, 0.5, 1.0], (5, 2, 3)), rng.choice([0.5, 1.0, 2.0], (5, 2, 3))
    together = expectations(name, gain, cost)
    for value in together:
        assert value.shape == (2, 3)
    for at in np.ndindex(2, 3):
        alone = expectations(name, gain[:, *at], cost[:, *at])
        assert [float(one[at]) for one in together] == pytest.approx(
            [float(one) for one in alone], rel=1e-12
        )


def test_gains_and_costs_of_any_type_are_reckoned_with_as_doubles():
    few, dear = (
        np.array([0.1, 0.7, 0.3], dtype=np.float32),
        np.array([0.3, 1.1, 0.7], dtype=np.float32),
    )
    for name in ("NERR10", "TBG"):
        doubles = expectations(name, few.astype(float), dear.astype(float))
        for found in (
            expectations(name, few, dear),
            expectations(name, few.tolist(), dear.tolist()),
        ):
            assert [float(one) for one in found] == [float(one) for one in doubles]
    assert [float(one) for one in expectations("P", [1, 0, 1], 2, k=2)] == [0.5, 1.0, 2.0, 4.0, 2.0]


@pytest.mark.parametrize("value", ["utility", "total_utility", "cost", "total_cost", "depth"])
def test_ranks_and_gains_are_put_at_their_places_down_to_the_depth(value):
    rank = np.array([[[1.0, 3.0], [2.0, np.inf]], [[4.0, 5.0], [6.0, np.inf]]])
    gain = np.array([[[1.0, 0.5], [0.5, 1.0]], [[0.25, 1.0], [1.0, 0.5]]])
    for n in (1, 4, 6):
        found = cwl.of_ranks("RBP", value, rank, gain, n=n, cost=3.0, p=0.6)
        assert found.shape == (2, 2)
        for at in np.ndindex(2, 2):
            dense = np.zeros(n)
            for f, g in zip(rank[:, *at], gain[:, *at]):
                if f <= n:
                    dense[int(f) - 1] = g
            assert found[at] == pytest.approx(
                float(getattr(expectations("RBP", dense, 3.0, p=0.6), value)), rel=1e-12
            )
    assert cwl.of_ranks("RBP", value, rank[:, :0], gain[:, :0], n=5).shape == (0, 2)
    of_one = cwl.of_ranks("RBP", value, [1, 3], [1, 1], n=5, p=0.6)
    assert of_one.shape == ()
    assert of_one == cwl.of_ranks("RBP", value, np.array([1.0, 3.0]), 1.0, n=5, p=0.6)


def test_a_cutoff_of_ranks_ends_the_list_and_one_of_costs_does_not():
    rank, gain = np.array([1.0, 4.0]), np.array([1.0, 1.0])
    assert cwl.of_ranks("NERR8", "depth", rank, np.zeros(2), n=9, k=3) == 3.0
    assert cwl.of_ranks("NERR8", "depth", rank, np.zeros(2), n=2, k=3) == 2.0
    assert (
        cwl.of_ranks("BPM", "depth", rank, gain, n=9, cost=0.5, T=9.0, k=3) == 6.0
    )  # 6 items of half a cost
    assert cwl.of_ranks("INSQ", "depth", rank, gain, n=1) == 1.0


def test_grades_become_gains_from_the_least_to_the_largest_or_not_at_all():
    assert cwl.scaled(np.array([1, 2, 4], dtype=np.uint8), 4, min_grade=2).tolist() == [
        0.0,
        0.0,
        1.0,
    ]
    assert cwl.scaled([1, 2], 2, min_grade=2).tolist() == [0.0, 0.0]  # no grade is above the least
    assert cwl.scaled([1, 2], 1, min_grade=2).tolist() == [0.0, 0.0]
    assert cwl.scaled([3], 9, max_grade=2.5, min_grade=2).tolist() == [1.0]
    for most in (2, 1):
        with pytest.raises(ValueError, match=r"must be above min_grade=2"):
            cwl.scaled(GRADES, 3, max_grade=most, min_grade=2)


def test_the_measure_of_a_model_has_the_parameters_of_both_in_their_order():
    signature = inspect.signature(ENTRIES["BPM"].kernel)
    assert list(signature.parameters) == [
        "rank",
        "grade",
        "top_grade",
        "T",
        "max_grade",
        "min_grade",
        "n",
        "k",
    ]
    assert "parameters" not in ENTRIES["BPM"].kernel.__annotations__
    assert ENTRIES["BPM"].kernel.__annotations__["T"] is float
    assert ENTRIES["BPM"].kernel.__name__ == "BPM"
    assert ENTRIES["U"].kernel.__qualname__ == "U_measure"
    assert ENTRIES["U"].kernel.__module__ == "pdeval.kernels.cwl"


def test_a_user_model_without_a_measure_is_the_function_itself():
    try:

        @pdeval.user_model(name="Half", measure=False)
        def half(rank, *, p: float = 0.5):
            """Half of the readers go on."""
            return np.full(rank.shape, p)

        assert half(np.ones(2)).tolist() == [0.5, 0.5]
        assert "Half" not in ENTRIES
        assert cwl.MODELS["Half"] == (half, ("rank",), {"p": 0.5})
        assert float(expectations("Half", np.ones(2)).depth) == 1.5
        most = float(np.float32(0.7))  # what a model gives is reckoned with in doubles
        assert (
            float(expectations("Half", np.ones(3), p=np.float32(0.7)).depth)
            == 1 + most + most * most
        )

        @pdeval.user_model
        def Whole(rank, *, k: int = 9, T: "float" = 1.0):
            """All readers go on."""
            return T + 0 * rank

        assert float(Whole(np.array([1.0]), np.array([1.0]), 1, n=4)) == 0.25
        own = ENTRIES["Whole"].kernel
        assert list(inspect.signature(own).parameters)[3:] == [
            "T",
            "max_grade",
            "min_grade",
            "n",
            "k",
        ]
        assert (own.__annotations__["T"], own.__annotations__["k"]) == ("float", int)
        assert "parameters" not in own.__annotations__
        assert (own.__name__, own.__module__, own.__doc__) == (
            "Whole",
            __name__,
            "All readers go on.",
        )
        assert ENTRIES["Whole"].reference == cwl.FRAMEWORK
        assert ENTRIES["Whole"].limits == cwl.LIMITS
        assert (ENTRIES["Whole"].kind, ENTRIES["Whole"].padded) == ("graded", True)
    finally:
        cwl.MODELS.pop("Half", None)
        cwl.MODELS.pop("Whole", None)
        ENTRIES.pop("Whole", None)
