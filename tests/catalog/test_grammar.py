"""The grammar: NAME(parameter=value)@cutoff, and what other tools call the same measure."""

import math

import pytest

from pdeval.catalog import measures, parse


@pytest.mark.parametrize(
    ("text", "label"),
    [
        # pdeval's own
        ("nDCG@10", "nDCG@10"),
        (" nDCG ( gain = exp ) @ 10 ", "nDCG(gain=exp)@10"),
        ("nDCG(gains={1: 3, 2: 9})", "nDCG(gains={1:3,2:9})"),
        ("RBP(p=0.80)", "RBP"),
        ("RBP(p=.5)@20", "RBP(p=0.5)@20"),
        ("RR(i=2)", "RR(i=2)"),
        ("ASL@g1-10", "ASL@g1-10"),
        ("ASL(unretrieved=corpus)@10", "ASL(unretrieved=corpus)@g1-10"),
        ("AP(level=2)", "AP(level=2)"),
        ("IPrec@0.10", "IPrec@0.1"),
        ("IPrec", "IPrec@0"),
        ("alpha-nDCG", "alpha-nDCG@20"),
        ("alpha-nDCG@inf", "alpha-nDCG@inf"),
        ("P@inf", "P"),
        # trec_eval
        ("map", "AP"),
        ("map_cut_10", "AP@10"),
        ("ndcg", "nDCG"),
        ("ndcg_cut_10", "nDCG@10"),
        ("ndcg_1=3,2=9,4=4.5", "nDCG(gains={1:3,2:9,4:4.5})"),
        ("ndcg_rel", "nDCGrel"),
        ("Rndcg", "RnDCG"),
        ("P_20", "P@20"),
        ("recall_20", "R@20"),
        ("success_5", "Success@5"),
        ("recip_rank", "RR"),
        ("bpref", "Bpref"),
        ("gm_map", "GMAP"),
        ("gm_bpref", "GMbpref"),
        ("iprec_at_recall_0.10", "IPrec@0.1"),
        ("iprec_at_recall_1.00", "IPrec@1"),
        ("11pt_avg", "IPrecAvg"),
        ("11pt_avg_.25,.5,.75", "IPrecAvg(recalls=[0.25,0.5,0.75])"),
        ("Rprec_mult_0.20", "Rprec(mult=0.2)"),
        ("Rprec_mult_1.00", "Rprec"),
        ("set_F", "SetF"),
        ("set_F_0.5", "SetF(x=0.5)"),
        ("set_relative_P", "SetRelP"),
        ("relative_P_5", "RelP@5"),
        ("utility_2,-1,0,0", "Utility(hit=2)"),
        ("utility_1,-1,-0.5,0", "Utility(miss=-0.5)"),
        ("num_rel_ret", "NumRelRet"),
        ("num_nonrel_judged_ret", "NumNonrelRet"),
        ("rbp", "gRBP(p=0.9,max_grade=topic)"),
        ("rbp_p=0.5", "gRBP(p=0.5,max_grade=topic)"),
        ("rbp_resid", "RBPresidual(p=0.9)"),
        ("unj_20", "Unjudged@20"),
        ("binG", "BinG"),
        # ir_measures
        ("AP(rel=2)@100", "AP(level=2)@100"),
        ("nDCG(dcg='log2')@10", "nDCG@10"),
        ("nDCG(dcg='exp-log2')@10", "nDCG(gain=exp)@10"),
        ("alpha_nDCG@20", "alpha-nDCG@20"),
        ("α_nDCG@20", "alpha-nDCG@20"),
        ("ERR_IA@10", "ERR-IA@10"),
        ("P_IA@10", "P-IA@10"),
        ("StRecall@20", "strec@20"),
        ("NumRet(rel=1)", "NumRelRet(level=1)"),
        ("SetP(relative=True)", "SetRelP"),
        # ranx
        ("precision@5", "P@5"),
        ("f1@5", "F@5"),
        ("hits@5", "NumRelRet@5"),
        ("hit_rate@5", "Success@5"),
        ("HR@10", "Success@10"),
        ("Hit@10", "Success@10"),
        ("EFD@5", "ChoiceNovelty@5"),
        ("mrr@10", "RR@10"),
        ("r-precision", "Rprec"),
        ("map@100-l2", "AP(level=2)@100"),
        ("ndcg_burges@10", "nDCG(gain=exp)@10"),
        ("dcg_burges", "DCG(gain=exp)"),
        ("rbp.95", "RBP(p=0.95)"),
    ],
)
def test_a_name_means_one_measure(text, label):
    assert parse(text).spelled == label
    assert parse(label).spelled == label


def test_one_recall_point_is_the_same_however_it_is_written():
    assert (
        parse("IPrec@1").spelled == parse("IPrec@1.0").spelled == parse("IPrec(recall=1)").spelled
    )


def test_a_cutoff_beyond_all_is_no_cutoff():
    assert measures.read("AP@inf")[1] == {"k": math.inf}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("SetP@5", "SetP has no cutoff, but 'SetP@5' sets one. Write 'SetP'."),
        ("P@ten", "the cutoff in 'P@ten' is 'ten': expected a number."),
        ("RBP(0.8)", "cannot parse the parameters of 'RBP(0.8)'. Write them like 'RBP(p=0.8)'."),
        ("RBP(p=)", "cannot parse the parameters of 'RBP(p=)'. Write them like 'RBP(p=0.8)'."),
        ("RBP(p=f(1))", "cannot parse 'f(1)' in 'RBP(p=f(1))': expected a number or a word."),
        ("@10", "cannot parse the measure '@10'. Write it like 'nDCG@10' or 'RBP(p=0.8)'."),
        ("", "cannot parse the measure ''. Write it like 'nDCG@10' or 'RBP(p=0.8)'."),
        (
            "IPrec(points=floor)@0.1",
            "points in 'IPrec(points=floor)@0.1' is set by compat=, e.g. compat='trec_eval-9'. Omit it.",
        ),
        (
            "nDCG(gains=many)",
            "gains='many' in 'nDCG(gains=many)' must be a gain for each grade, e.g. {1:3,2:9}.",
        ),
        (
            "nDCG(gains={-1:1})",
            "gains={-1: 1} in 'nDCG(gains={-1:1})' gives a gain to grade -1, but items of negative grade are "
            "unjudged. Use grades of at least 0 in the judgments.",
        ),
        (
            "IPrecAvg(recalls=[2])",
            "recalls=[2] in 'IPrecAvg(recalls=[2])' must be a list of numbers between 0 and 1, e.g. [0.2,0.5,0.8].",
        ),
    ],
)
def test_a_name_that_cannot_be_read_says_how_to_write_it(text, message):
    with pytest.raises(ValueError) as error:
        parse(text)
    assert str(error.value) == message


def test_names_are_never_run_as_code():
    with pytest.raises(ValueError, match="cannot parse"):
        parse("RBP(p=__import__('os').getcwd())")


def test_a_users_measure_takes_precedence_over_an_alias():
    from pdeval.catalog import ENTRIES, metric

    @metric(name="map")
    def mine(rank):
        """My own."""
        return rank[0]

    assert parse("map").entry.kernel is mine
    del ENTRIES["map"]
    assert parse("map").spelled == "AP"
