import pytest

from pdeval.cli.trec_eval_output import SETS, lines


def names(*asked: str) -> list[str]:
    return [line.name for line in lines(list(asked))]


def test_without_a_measure_the_official_ones_are_meant():
    assert names() == names("official")
    assert names()[:10] == [
        "runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref", "recip_rank",
    ]  # fmt: skip
    assert names()[-1] == "P_1000"


def test_measures_are_printed_in_the_order_of_trec_eval_and_not_as_asked():
    assert names("ndcg", "P.10", "map") == ["map", "P_10", "ndcg"]


@pytest.mark.parametrize(
    ("asked", "printed"),
    [
        ("P.5,7,3", ["P_3", "P_5", "P_7"]),
        ("ndcg_cut.10,20,23.4", ["ndcg_cut_10", "ndcg_cut_20", "ndcg_cut_23"]),
        ("iprec_at_recall..10,.5", ["iprec_at_recall_0.10", "iprec_at_recall_0.50"]),
        ("Rprec_mult.5.0,0.2", ["Rprec_mult_0.20", "Rprec_mult_5.00"]),
        ("utility.2,-1,0,0", ["utility_2,-1,0,0"]),
        ("ndcg.1=3,2=9", ["ndcg_1=3,2=9"]),
        ("11pt_avg..25,.5", ["11pt_avg_.25,.5"]),
        ("relstring.20", ["relstring_20"]),
        ("success", ["success_1", "success_5", "success_10"]),
        ("unj.5", ["unj_5"]),
        ("rbp.p=0.5", ["rbp_p=0.5"]),
    ],
)
def test_parameters_stand_in_the_printed_names(asked, printed):
    assert names(asked) == printed


def test_printed_names_and_names_of_pdeval_are_understood_too():
    assert names("ndcg_cut_10", "P_5") == ["P_5", "ndcg_cut_10"]
    assert names("RBP(p=0.5)", "map") == ["map", "RBP(p=0.5)"]


def test_parameters_replace_the_default_and_add_up():
    assert names("P", "P.2", "P.1") == ["P_1", "P_2"]
    assert [name for name in names("all_trec", "relstring.20") if "relstring" in name] == [
        "relstring_20"
    ]


def test_of_a_text_given_twice_the_first_holds_as_in_trec_eval():
    assert names("ndcg.1=3", "ndcg.1=5") == ["ndcg_1=3"]


def test_shares_are_rounded_in_the_name_alone():  # 12.22
    assert [
        (line.name, line.label) for line in lines(["iprec_at_recall..125,.121", "Rprec_mult.1.005"])
    ] == [
        ("iprec_at_recall_0.12", "iprec_at_recall_0.121"),
        ("iprec_at_recall_0.12", "iprec_at_recall_0.125"),
        ("Rprec_mult_1.00", "Rprec_mult_1.005"),
    ]


def test_version_9_lacks_the_measures_that_version_10_added():  # 12.22
    new = {line.name for line in lines(["all_trec"])} - {
        line.name for line in lines(["all_trec"], version=9)
    }
    assert new == {"rbp", "rbp_resid", "unj_5", "unj_10", "unj_20"}
    with pytest.raises(ValueError, match="trec_eval 9 has no measure 'unj'"):
        lines(["unj.5"], version=9)


def test_measures_of_other_judgments_are_refused_by_name():  # 12.22
    for name in ("prefs", "all_prefs", "qrels_jg"):
        with pytest.raises(ValueError, match=f"'-m {name}' is not supported"):
            lines([name])
    with pytest.raises(ValueError, match="the fourth parameter of utility"):
        lines(["utility.1,-1,0,2"])


def test_sets_of_measures_have_lines_for_all_their_members():
    for name, members in SETS.items():
        assert {line.measure for line in lines([name])} == set(members)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ("map.5", "map has no parameters, but 'map.5' sets some. Write 'map'."),
        (
            "P.5,x",
            "cannot parse 'x' in 'P.5,x'. Write cutoffs like 'P.5,10,15,20,30,100,200,500,1000'.",
        ),
        ("P.0", "cannot parse '0' in 'P.0'"),
        ("relstring.a", "cannot parse 'a' in 'relstring.a'. Write a depth like 'relstring.20'."),
    ],
)
def test_parameters_that_cannot_be_read_are_an_error_that_shows_how_to_write_them(asked, message):
    with pytest.raises(ValueError) as caught:
        lines([asked])
    assert message in str(caught.value)
