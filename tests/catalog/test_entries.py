"""Measures are declared once, by a decorator, and found by name."""

import math
import re
from typing import Literal, get_args, get_origin, get_type_hints

import numpy as np
import pandas as pd
import pytest

import pdeval
from pdeval.catalog import ENTRIES, find, metric, parse, parse_all
from pdeval.catalog.measures import value_text
from tests.plain_measures import METRICS


@pytest.fixture
def halves():
    """A measure of the user's own, gone after the test."""

    @metric(range=(0, 1), reference="an example", aliases=("half",), limits={"share": (0, 1)})
    def Halves(
        rank,
        *,
        share: float = 0.5,
        way: Literal["up", "down"] = "up",
        times: int = 1,
        k: float = math.inf,
    ):
        """Half of nothing."""
        return np.zeros(np.shape(rank)[1:])

    yield Halves
    del ENTRIES["Halves"]


def test_positional_parameters_are_columns_and_keywords_are_the_measures_own(halves):
    assert halves.entry.columns == ("rank",)
    assert halves.entry.parameters == {"share": 0.5, "way": "up", "times": 1, "k": math.inf}


def test_a_users_measure_is_found_by_name_alias_and_function(halves):
    assert parse("Halves@5").spelled == parse("half@5").spelled == "Halves@5"
    assert parse(halves).entry is parse("halves").entry is ENTRIES["Halves"]
    assert parse(halves, share=0.25, k=3).spelled == "Halves(share=0.25)@3"


def test_a_name_means_the_measure_that_was_declared_last(halves):
    first = parse("Halves@5").entry
    again = metric(range=(0, 2), name="Halves")(halves)
    assert parse("Halves@5").entry is again.entry is not first
    with pytest.raises(KeyError, match="half"):
        parse("half@5")


def test_a_measure_without_defaults_is_refused():
    with pytest.raises(TypeError, match=r"parameter 'k' of f has no default. Add one"):

        @metric
        def f(rank, *, k):
            return rank


def test_a_kernel_with_open_parameters_is_refused():
    with pytest.raises(TypeError, match=r"f has the parameter \*columns. Name all columns"):

        @metric
        def f(*columns):
            return columns


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Halves(share=2)", r"share=2 in 'Halves\(share=2\)': expected a number between 0 and 1\."),
        ("Halves(share=many)", r"share='many' in .*: expected a number\."),
        ("Halves(way=left)", r"way='left' in .*: expected one of 'up', 'down'\."),
        ("Halves(times=1.5)", r"times=1\.5 in .*: expected an integer\."),
        ("Halves@0", "the cutoff in 'Halves@0' is 0: expected an integer of at least 1."),
        (
            "Halves@2.5",
            "the cutoff in 'Halves@2.5' is 2.5: expected an integer of at least 1.",
        ),
        ("Halves(k=many)", "the cutoff in .* is 'many': expected an integer of at least 1."),
    ],
)
def test_a_parameter_out_of_its_range_says_what_was_found_and_what_fits(halves, text, message):
    with pytest.raises(ValueError, match=message):
        parse(text)


def test_an_unknown_parameter_lists_the_known_ones(halves):
    with pytest.raises(
        KeyError,
        match=r"Halves has no parameter 'q' \(in 'Halves\(q=1\)'\). Its parameters are share, way",
    ):
        parse("Halves(q=1)")


@pytest.mark.parametrize(
    ("text", "suggestion"),
    [
        ("NDGC@10", "nDCG@10"),
        ("precison@5", "P@5"),
        ("recip_rnk", "RR"),
        ("alfa-nDCG@20", "alpha-nDCG@20"),
    ],
)
def test_an_unknown_measure_suggests_the_nearest(text, suggestion):
    with pytest.raises(KeyError) as error:
        parse(text)
    assert (
        error.value.args[0]
        == f"no measure {text!r}. Did you mean {suggestion!r}? pdeval.catalog() lists all."
    )


def test_an_unknown_measure_that_resembles_nothing_gets_no_suggestion():
    with pytest.raises(KeyError, match=r"no measure 'zzz'\. pdeval\.catalog\(\) lists all\."):
        find("zzz")


def test_case_does_not_matter_where_only_one_is_meant():
    assert find("NDCG").name == find("ndcg").name == "nDCG"
    assert find("bpref").name == find("BPREF").name == "Bpref"


def test_measures_are_asked_for_once_each_in_the_order_asked():
    assert [m.label for m in parse_all(["P@5", "map", "AP", "P@5"])] == ["P@5", "map", "AP"]
    assert [m.spelled for m in parse_all("AP")] == ["AP"]
    assert [m.spelled for m in parse_all(parse("AP@3"))] == ["AP@3"]
    with pytest.raises(ValueError, match=r"no measure was requested. Pass at least one"):
        parse_all([])


def test_parsing_a_measure_again_changes_nothing_but_what_is_set():
    measure = parse("nDCG(gain=exp,level=2)@10")
    assert parse(measure).spelled == str(measure) == "nDCG(gain=exp,level=2)@10"
    assert parse(measure, k=5, level=None).spelled == "nDCG(gain=exp)@5"


def test_a_measure_may_carry_a_label_of_its_own():
    assert parse("nDCG@10", label="mine").label == "mine"


def test_every_ir_measures_object_that_exists_here_is_accepted():
    ir_measures = pytest.importorskip("ir_measures")
    asked = [
        ir_measures.nDCG @ 10,
        ir_measures.nDCG(dcg="exp-log2") @ 5,
        ir_measures.AP(rel=2) @ 100,
        ir_measures.P(rel=2) @ 5,
        ir_measures.RR @ 10,
        ir_measures.R @ 10,
        ir_measures.Rprec,
        ir_measures.Bpref(rel=2),
        ir_measures.Success @ 1,
        ir_measures.IPrec @ 0.1,
        ir_measures.infAP,
        ir_measures.ERR @ 20,
        ir_measures.Judged @ 10,
        ir_measures.NumRet,
        ir_measures.NumRet(rel=1),
        ir_measures.NumRel,
        ir_measures.NumQ,
        ir_measures.SetP,
        ir_measures.SetP(relative=True),
        ir_measures.SetR,
        ir_measures.SetF,
        ir_measures.SetAP,
        ir_measures.alpha_DCG @ 5,
        ir_measures.alpha_nDCG(alpha=0.3) @ 20,
        ir_measures.ERR_IA @ 10,
        ir_measures.nERR_IA @ 10,
        ir_measures.NRBP(alpha=0.3, beta=0.4),
        ir_measures.nNRBP,
        ir_measures.AP_IA,
        ir_measures.P_IA @ 10,
        ir_measures.StRecall @ 20,
    ]
    assert [parse(measure).spelled for measure in asked] == [
        "nDCG@10",
        "nDCG(gain=exp)@5",
        "AP(level=2)@100",
        "P(level=2)@5",
        "RR@10",
        "R@10",
        "Rprec",
        "Bpref(level=2)",
        "Success@1",
        "IPrec@0.1",
        "infAP",
        "ERR(max_grade=4)@20",
        "Judged@10",
        "NumRet",
        "NumRelRet(level=1)",
        "NumRel",
        "NumQ",
        "SetP",
        "SetRelP",
        "SetR",
        "SetF",
        "SetAP",
        "alpha-DCG@5",
        "alpha-nDCG(alpha=0.3)@20",
        "ERR-IA@10",
        "nERR-IA@10",
        "NRBP(alpha=0.3,beta=0.4)",
        "nNRBP",
        "MAP-IA",
        "P-IA@10",
        "strec@20",
    ]


@pytest.mark.parametrize("name", METRICS)
def test_every_measure_says_what_it_is(name):
    entry = ENTRIES[name]
    assert entry.summary.endswith(".")
    assert entry.reference
    assert entry.range[0] < entry.range[1]
    assert "Examples" in entry.kernel.__doc__


@pytest.mark.parametrize("name", METRICS)
def test_a_label_means_the_measure_that_it_labels(name):
    measure = parse(name)
    assert parse(measure.spelled) == measure
    assert (
        parse(measure.spelled, level=2).spelled
        == parse(parse(measure.spelled, level=2).spelled).spelled
    )


@pytest.mark.parametrize("name", [n for n in ENTRIES if ENTRIES[n].family != "ordering"])
def test_every_value_that_the_catalog_shows_can_be_typed(name):
    entry = ENTRIES[name]
    hints = get_type_hints(entry.kernel)
    for parameter, default in entry.parameters.items():
        if parameter in entry.compat_only:  # set by compat=
            continue
        words = get_args(hints[parameter]) if get_origin(hints[parameter]) is Literal else ()
        for value in (default, *words):
            meant = parse(name, **{parameter: value})
            assert parse(f"{name}({parameter}={value_text(value)})") == meant
            assert parse(meant.spelled) == meant


def test_aliases_lead_to_their_own_entry():
    for entry in ENTRIES.values():
        for alias, to in entry.aliases.items():
            if "{" not in alias:
                assert parse(alias).entry is entry, (alias, to)


def test_the_catalog_lists_name_parameters_direction_range_kind_and_reference():
    table = pdeval.catalog().set_index("name")
    assert (
        table.loc["nDCG", "parameters"]
        == "discount=log2(r+1), base=2, gain=linear, gains=None, least=0, k=inf"
    )
    assert not table.loc["ASL", "higher_is_better"]
    assert (table.loc["AP", "low"], table.loc["AP", "high"]) == (0.0, 1.0)
    assert table.loc["alpha-nDCG", "kind"] == "subtopic"
    assert "Cooper" in table.loc["ESL", "reference"]


def test_a_measure_of_pdevals_own_is_not_replaced():
    with pytest.raises(
        ValueError,
        match=r"pdeval already has a measure 'AP' \(Average precision.*\)\. Use another name",
    ):

        @metric
        def AP(rank):
            """Mine."""

    assert parse("map").entry.kernel.__module__ == "pdeval.kernels.binary"


def test_a_users_measure_may_be_declared_again(halves):
    @metric
    def Halves(rank):
        """The cell of the notebook, run again."""

    assert parse("Halves").entry.kernel is Halves


def test_two_measures_of_one_name_are_told_apart_by_labels():
    steep, flat = (parse("RPP", weight=lambda i, p=p: p**i) for p in (0.5, 0.9))
    with pytest.raises(
        ValueError,
        match=r"two different measures have the label 'RPP\(weight=<lambda>\)'\. Give one",
    ):
        parse_all([steep, flat])
    assert len(parse_all([steep, parse(flat, label="flat")])) == 2
    assert len(parse_all([steep, steep])) == 1


def test_equal_arrays_are_one_parameter():
    one, two = (parse("RPP", weight=np.arange(1.0, 40)) for _ in range(2))
    assert len(parse_all([one, two])) == 1
    with pytest.raises(ValueError, match="two different measures have the label"):
        parse_all([one, parse("RPP", weight=np.arange(2.0, 41))])


@pytest.mark.parametrize("level", ["0", "-1", "True", "'document'"])
def test_a_level_is_a_grade_above_zero(level):
    with pytest.raises(
        ValueError, match=f"level={level} in .*: expected the smallest relevant grade, above 0"
    ):
        parse(f"AP(level={level})")


def test_search_lengths_of_items_are_a_table_of_their_own():
    with pytest.raises(
        ValueError, match=r"The search length of every item is \.ireval\.search_lengths\(qrels\)"
    ):
        parse("ASL(level=document)")


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        ("hit_ratio@10", "Did you mean 'Success@10'"),
        ("mean_average_precision", "Did you mean 'AP'"),
        ("prec@5", "Did you mean 'P@5'"),
        ("user_coverage", "Did you mean 'UserCoverage'"),
        ("RMSE", "RMSE evaluates predicted ratings; pdeval evaluates rankings"),
        ("NDGC@10", "Did you mean 'nDCG@10'"),
        ("precison(p=0.9)", "Did you mean 'P'"),  # without a parameter that it does not have
    ],
)
def test_hints_go_by_meaning_then_by_spelling(asked, text):
    with pytest.raises(KeyError, match=re.escape(text)):
        parse(asked)


def test_no_ordering_is_suggested_for_a_measure():
    with pytest.raises(KeyError) as error:
        parse("copelnd(p=0.9)")
    assert "copeland" not in error.value.args[0]


def test_names_in_one_text_are_several_measures():
    assert [m.label for m in parse_all("AP, RR,nDCG(gains={1:3,2:9})@10")] == [
        "AP",
        "RR",
        "nDCG(gains={1:3,2:9})@10",
    ]


def test_a_measure_shows_its_name():
    assert repr(parse("ndcg_cut_10")) == str(parse("ndcg_cut_10")) == "ndcg_cut_10"
    assert repr([parse("AP")]) == "[AP]"


def test_measures_are_equal_whatever_they_are_called():
    assert parse("map") == parse("AP")
    assert hash(parse("map")) == hash(parse("AP"))
    assert parse("AP@5") != parse("AP")


@pytest.mark.parametrize(
    ("search", "wanted"),
    [
        ("ndcg", "nDCG"),
        ("LEXICOGRAPHIC", "sgnLP"),
        ("map", "AP"),
        ("Buckley", "Bpref"),
        ("rank biased", "RBP"),
    ],
)
def test_the_catalog_can_be_searched(search, wanted):
    found = pdeval.catalog(search)
    assert wanted in found["name"].tolist()
    assert len(found) < len(pdeval.catalog())
    assert len(pdeval.catalog("no such thing")) == 0


def test_the_catalog_is_displayed_within_80_columns_and_is_a_frame():
    table = pdeval.catalog()
    lines = repr(table).splitlines()
    assert max(map(len, lines)) <= 80
    assert all(any(line.startswith(name) for line in lines) for name in table["name"])
    assert repr(pdeval.catalog("no such thing")) == ""
    html = pdeval.catalog("ndcg")._repr_html_()
    assert "DCG divided by that of the ideal ranking." in html
    assert "..." not in html
    assert type(table[["name", "kind"]]) is type(table.head()) is pd.DataFrame


@pytest.mark.parametrize(
    ("asked", "text"), [("RBP(p=0.5,p=0.9)", "sets p twice"), ("P(k=10)@20", "sets k twice")]
)
def test_a_parameter_is_given_once(asked, text):
    with pytest.raises(ValueError, match=text):
        parse(asked)


def test_reading_a_name_takes_time_in_proportion_to_its_length():
    for text in ("a" + " " * 20_000 + "(", "a(" + " " * 20_000, "a@" + " " * 20_000, "(" * 20_000):
        with pytest.raises((KeyError, ValueError)):
            parse(text)


def test_ranx_levels_take_gains_away_too():
    assert parse("ndcg@10-l2").spelled == "nDCG(least=2)@10"
    assert parse("map@100-l2").spelled == "AP(level=2)@100"


def test_objects_of_ir_measures_mean_what_they_mean_there():
    ir_measures = pytest.importorskip("ir_measures")
    assert parse(ir_measures.SetF(beta=2.0)).parameters["x"] == 2.0
    assert (
        parse(ir_measures.ERR @ 10).parameters["max_grade"],
        parse("ERR@10").parameters["max_grade"],
    ) == (4, None)
    assert parse(ir_measures.IPrec @ 0.1).parameters["points"] == "floor"


@pytest.mark.parametrize(
    "name",
    [
        "ER",
        "EE",
        "ECE",
        "kendall",
        "bleu",
        "fairness",
    ],
)
def test_a_measure_that_is_not_here_is_not_taken_for_another(name):
    with pytest.raises(KeyError) as error:
        parse(name)
    assert error.value.args[0] == f"no measure {name!r}. pdeval.catalog() lists all."


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (
            "nsDCG@10",
            "nsDCG is session DCG (Järvelin et al. 2008), over all queries of a session, which pdeval does not have.",
        ),
        (
            "ILS@10",
            "ILS is intra-list similarity, where lower is better (Ziegler et al. 2005)",
        ),
        ("sdcg", "Scaled DCG is 'SDCG'."),
        (
            "sDCG@10",
            "sDCG is session DCG (Järvelin et al. 2008), over all queries of a session, which pdeval does not have.",
        ),
    ],
)
def test_a_name_that_means_another_measure_in_this_field_is_refused(text, why):
    with pytest.raises(KeyError) as error:
        parse(text)
    assert error.value.args[0].startswith(f"no measure {text!r}. ")
    assert why in error.value.args[0]
    assert parse("SDCG@10").entry.name == "SDCG"
