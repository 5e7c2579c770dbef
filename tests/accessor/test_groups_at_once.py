"""Groups that are answered in one call: the numbers of the loop by hand, bit for bit, whatever their sizes."""

import numpy as np
import pandas as pd
import pytest

import pdeval
from pdeval.accessor.pipeline import options_of
from pdeval.evaluate import groups
from pdeval.verbs import of_kind
from pdeval.verbs.arguments import TooFew
from tests.accessor import test_grouping
from tests.accessor.test_grouping import ARGUMENTS, HELD, ask, by_hand, same

# the queries that every run answered: by hand a run that answered no query of a part is none of its runs
IDS = np.array(
    pdeval.datasets.sample_judged(queries="common").measure("AP")["query_id"].unique(), dtype=object
)
RUNS, QRELS = (
    frame[frame["query_id"].isin(IDS)] for frame in (test_grouping.RUNS, test_grouping.QRELS)
)
SIZES = [1, 1, 2, 2, 3, 3, 4, 4, 6, 6, 8, 8]  # two of each: most groups have another of their size
NUMBER = np.random.default_rng(5).permutation(
    np.repeat(np.random.default_rng(6).permutation(len(SIZES)), SIZES)
)
NAMES = np.array([f"s{(7 * number) % 15}" for number in range(len(SIZES))])
ABOUT = {
    "text": pd.DataFrame({"query_id": IDS, "part": NAMES[NUMBER]}),
    "integers": pd.DataFrame({"query_id": IDS, "part": 3 * NUMBER - 20}),
    "categories": pd.DataFrame(
        {"query_id": IDS, "part": pd.Categorical(NAMES[NUMBER], categories=NAMES[::-1])}
    ),
}
# groups of 8 to 11 queries are computed together, with those of 12 beside them
MORE = pd.DataFrame(
    {
        "query_id": IDS,
        "part": np.random.default_rng(7).permutation(np.repeat(list("abcde"), [8, 12, 9, 11, 8])),
    }
)
PER_MEASURE = [
    *(
        "summary",
        "quantiles",
        "anova",
        "compare",
        "order",
        "correlate",
        "discriminative_power",
    ),
    *(
        "discriminative_power.curve",
        "equivalence",
        "friedman",
        "agree",
        "ties",
        "describe",
        "check",
    ),
]
AT_ONCE = [
    name
    for name, verb in of_kind("judged").items()
    if "by" in options_of(verb) and name in PER_MEASURE
]
WORDS = {
    "summary": [
        {"measures": ["nDCG@10", "GMAP", "num_rel_ret"]},
        {"wide": True},
        {"confidence": 0.8},
    ],
    "quantiles": [{"measures": ["AP"], "draws": 20}],
    "compare": [
        {"measures": ["sgnLP", "AP", "ASL"], "correction": "holm"},
        {"measures": ["AP", "RR"], "family": "all"},
        {"measures": ["AP", "RPP"], "baseline": ["ql", "bm25"]},
        {"measures": ["AP"], "test": "wilcoxon", "correction": "none"},
        {"measures": ["AP"], "test": "randomization", "draws": 50},
        {"measures": ["AP", "RPP"], "test": "hsd", "draws": 50},
    ],
    "discriminative_power": [{"measures": ["RR", "AP", "RPP"], "tests": ["sign", "t"]}],
    "order": [
        {"measures": ["RPP", "rrLP", "AP"]},
        {"measures": ["AP", "sgnLP"], "method": ["copeland", "winrate", "borda", "mc4", "leximin"]},
        {"measures": ["AP", "RPP"], "draws": 20, "method": "winrate"},
        {"measures": ["AP", "RPP"], "compat": "pref_eval"},
        {"measures": ["AP", "RR"], "compat": "pref_eval", "method": ["mc4", "mean", "borda"]},
    ],
    "correlate": [
        {"measures": ["RPP", "AP", "RR"], "coefficients": ["tau_b", "rbo", "pearson"]},
        {"measures": ["AP", "RR"], "method": ["mean", "borda"]},
    ],
    "ties": [
        {"measures": ["RR", "P@10", "RPP"]},
        {"per": "query"},
        {"measures": ["sgnLP"], "baseline": "ql"},
    ],
    "agree": [
        {"measures": ["AP", "RR"]},
        {"measures": ["AP", "RPP", "RR"], "fuzziness": [0, 0.1]},
        {"measures": ["AP", "RR"], "relative": True},
    ],
}
# these need other measures than AP and RR
ELSEWHERE = ("delta_sort", "exposure_tradeoff")
OF_SCORES, OF_PREFERENCES = (
    [
        name
        for name in HELD[kind]
        if not name.startswith(("label_", "risk_coverage")) and name not in ELSEWHERE
    ]
    for kind in ("scores", "preferences")
)
CASES = [(name, words) for name in AT_ONCE for words in ({}, *WORDS.get(name, ()))]


def loop(parts, ask_part):
    """Return the answers for all parts that have one, in the order of the labels."""
    hand = []
    for label, part in parts:
        try:
            hand.append((label, ask_part(part)))
        except TooFew:
            continue
    return by_hand(hand, "part")


def parts_of(frame, about, **others):
    labels = sorted(about["part"].unique())
    if isinstance(about["part"].dtype, pd.CategoricalDtype):
        labels = list(
            about["part"].cat.categories[about["part"].cat.categories.isin(about["part"])]
        )
    for label in labels:
        own = about.loc[about["part"] == label, "query_id"]
        yield label, tuple(one[one["query_id"].isin(own)] for one in (frame, *others.values()))


@pytest.mark.broad
@pytest.mark.parametrize(
    ("name", "words"), CASES, ids=lambda one: one if isinstance(one, str) else None
)
def test_groups_of_a_size_are_the_loop_by_hand(name, words):
    given = {**ARGUMENTS.get(name, {}), **words} if name != "replicates" else words
    rules = {} if "runs" in of_kind("judged")[name].on else {"queries": "judged"}
    about = ABOUT["text"]
    found = ask(RUNS.ireval, name, qrels=QRELS, by="part", metadata=about, **given, **rules)
    hand = loop(
        parts_of(RUNS, about, qrels=QRELS),
        lambda part: ask(part[0].ireval, name, qrels=part[1], **given, **rules),
    )
    same(found, hand)
    assert found["part"].nunique() >= len(SIZES) - 4


@pytest.mark.broad
@pytest.mark.parametrize("kind", ["integers", "categories"])
@pytest.mark.parametrize("name", ["summary", "compare", "order", "agree", "describe", "check"])
def test_groups_keep_the_order_and_the_type_of_their_labels(name, kind):
    about = ABOUT[kind]
    found = ask(RUNS.ireval, name, qrels=QRELS, by="part", metadata=about)
    hand = loop(
        parts_of(RUNS, about, qrels=QRELS), lambda part: ask(part[0].ireval, name, qrels=part[1])
    )
    same(found, hand)
    assert pd.Index(found["part"]).dtype.kind == ("i" if kind == "integers" else "O")


@pytest.mark.broad
@pytest.mark.parametrize("complete", [True, False])
@pytest.mark.parametrize("name", OF_SCORES)
def test_runs_that_some_groups_lack_are_not_in_them(name, complete):
    lacking = pd.Series(NUMBER, IDS).isin([SIZES.index(4), SIZES.index(6)])
    scores = RUNS.ireval.measure(QRELS, ["AP", "RR"], queries="judged")
    gone = (scores["run"] == "ql") & scores["query_id"].map(pd.Series(NUMBER, IDS)).isin([2, 5, 9])
    some = (scores["run"] == "bm25") & scores["query_id"].isin(IDS[lacking][:1])
    table = scores if complete else scores[~gone & ~some]
    given = {"measures": None} | ({"run_b": "dense-s1"} if name.endswith("rrie") else {})
    found = ask(table.ireval, name, by="part", metadata=ABOUT["text"], **given)
    hand = loop(parts_of(table, ABOUT["text"]), lambda part: ask(part[0].ireval, name, **given))
    same(found, hand)


@pytest.mark.broad
@pytest.mark.parametrize("lacking", [None, "ql"])
@pytest.mark.parametrize("name", OF_PREFERENCES)
def test_groups_of_a_table_of_preferences_are_the_loop_by_hand(name, lacking):
    table = RUNS.ireval.prefer(QRELS, ["RPP", "AP"], queries="judged")
    few = ABOUT["text"].loc[ABOUT["text"]["part"].isin(NAMES[:6]), "query_id"]
    of_run = table[["run_a", "run_b"]].eq(lacking).any(axis=1) & table["query_id"].isin(few)
    table = table[~of_run]
    found = ask(table.ireval, name, by="part", metadata=ABOUT["text"], measures=None)
    hand = loop(
        parts_of(table, ABOUT["text"]), lambda part: ask(part[0].ireval, name, measures=None)
    )
    same(found, hand)


@pytest.mark.parametrize("measures", [["AP", "RR"], ["RPP"]])
def test_pref_eval_sums_the_queries_of_a_group_in_the_order_of_its_rows(measures):
    made = RUNS.ireval.prefer if measures == ["RPP"] else RUNS.ireval.measure
    table = made(QRELS, measures, queries="judged").sample(frac=1, random_state=3)
    given = {"measures": None, "draws": 0, "compat": "pref_eval"}
    found = ask(table.ireval, "order", by="part", metadata=ABOUT["text"], **given)
    hand = loop(parts_of(table, ABOUT["text"]), lambda part: ask(part[0].ireval, "order", **given))
    same(found, hand)


@pytest.mark.parametrize("pair", [["bm25", "ql"], ["bm25"]])
@pytest.mark.parametrize("name", ["summary", "compare"])
def test_one_column_is_added_as_it_is_alone(name, pair):
    if name != "summary" and len(pair) == 1:
        return
    runs, about = RUNS[RUNS["run"].isin(pair)], ABOUT["text"].assign(part=np.arange(len(IDS)) % 3)
    found = ask(runs.ireval, name, qrels=QRELS, by="part", metadata=about)
    same(
        found,
        loop(
            parts_of(runs, about, qrels=QRELS),
            lambda part: ask(part[0].ireval, name, qrels=part[1]),
        ),
    )


def test_what_a_result_carries_is_what_a_group_carries():
    # with correction='auto', small groups would have another correction than all queries
    options = {"qrels": QRELS, "correction": "holm"}
    found = ask(RUNS.ireval, "compare", by="part", metadata=ABOUT["text"], **options)
    alone = ask(RUNS.ireval, "compare", **options)
    assert found.attrs == {**alone.attrs, "by": ["part"]}


def test_the_tests_of_a_leaderboard_are_those_of_a_group():
    table = RUNS.ireval.prefer(QRELS, ["RPP", "sgnLP"], queries="judged")
    found = table.ireval.leaderboard(by="part", metadata=MORE, draws=20)
    assert found.attrs == {**table.ireval.leaderboard(draws=20).attrs, "by": ["part"]}
    assert found.attrs["tests"] == {"t": ["RPP"], "sign": ["sgnLP"]}


def test_groups_of_one_size_are_computed_together(monkeypatch):
    sizes = []
    made = groups.batches
    monkeypatch.setattr(
        groups,
        "batches",
        lambda *given, **how: (sizes.append(len(one[0])) or one for one in made(*given, **how)),
    )
    RUNS.ireval.summary(QRELS, "AP", by="part", metadata=ABOUT["text"], queries="judged")
    assert sizes == [2, 2, 2, 2, 2, 2]
    sizes.clear()
    RUNS.ireval.summary(QRELS, "AP", by="part", metadata=MORE, queries="judged")
    assert sizes == [4, 1]  # 8 to 11 queries, and 12


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("summary", {}),
        ("summary", {"wide": True}),
        ("summary", {"interval": "bca", "draws": 20}),
        ("order", {"draws": 0}),
        ("order", {"draws": 0, "method": ["mean", "winrate", "borda"]}),
        ("order", {"draws": 20, "method": "winrate"}),
        ("compare", {"correction": "holm"}),
        ("compare", {"draws": 50}),
        ("compare", {"baseline": ["ql", "bm25"], "margin": 0.01, "draws": 50}),
        ("compare", {"test": "randomization", "draws": 50}),
        ("compare", {"test": "wilcoxon"}),
        ("compare", {"test": "hsd", "draws": 50}),
        ("leaderboard", {"draws": 20}),
    ],
)
def test_groups_of_several_sizes_of_scores_are_the_loop_by_hand(name, words):
    table = RUNS.ireval.measure(QRELS, ["AP", "ASL"], queries="judged")
    given = {"measures": None, **words}
    found = ask(table.ireval, name, by="part", metadata=MORE, **given)
    same(found, loop(parts_of(table, MORE), lambda part: ask(part[0].ireval, name, **given)))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("summary", {}),
        ("summary", {"baseline": "ql"}),
        ("order", {"draws": 0}),
        ("order", {"draws": 0, "method": ["winrate", "borda"]}),
        ("compare", {}),
        ("compare", {"baseline": "ql"}),
        ("compare", {"test": "hsd", "draws": 50}),
        ("leaderboard", {"draws": 20, "method": ["winrate", "copeland"]}),
    ],
)
def test_groups_of_several_sizes_of_preferences_are_the_loop_by_hand(name, words):
    table = RUNS.ireval.prefer(QRELS, ["RPP", "AP", "sgnLP"], queries="judged")
    given = {"measures": None, **words}
    found = ask(table.ireval, name, by="part", metadata=MORE, **given)
    same(found, loop(parts_of(table, MORE), lambda part: ask(part[0].ireval, name, **given)))


def test_values_of_zero_keep_their_sign_in_groups_of_several_sizes():
    table = RUNS.ireval.measure(QRELS, ["AP", "ASL"], queries="judged").assign(value=0.0)
    for name in ("summary", "order"):
        found = ask(table.ireval, name, by="part", metadata=MORE, measures=None, draws=0)
        numbers = found.select_dtypes("float")
        assert not np.signbit(numbers.where(numbers == 0, 1.0)).any(axis=None)


def test_a_pair_has_the_bits_that_it_has_beside_other_measures():
    table = RUNS[RUNS["run"].isin(["bm25", "ql"])].ireval.measure(QRELS, ["AP", "nDCG"])
    both = ask(table.ireval, "compare", measures=None, correction="holm")
    for measure, row in both.groupby("measure"):
        alone = ask(
            table[table["measure"] == measure].ireval, "compare", measures=None, correction="holm"
        )
        same(alone, row.reset_index(drop=True))


class TestWhatIsSaid:
    def test_a_batch_that_fails_names_the_group_and_the_measure(self):
        scores = RUNS.ireval.measure(QRELS, "AP", queries="judged")
        one = scores["query_id"] == IDS[3]
        scores.loc[one, "value"] = np.inf
        with pytest.raises(
            ValueError, match=f"in the group part='{NAMES[NUMBER[3]]}': measure 'AP' has 5 infinite"
        ):
            ask(scores.ireval, "compare", measures=None, by="part", metadata=ABOUT["text"])

    @pytest.mark.broad
    @pytest.mark.filterwarnings("ignore:2 of 12 groups were skipped")
    def test_a_warning_of_a_group_is_in_its_own_words(self):
        scores = RUNS.ireval.measure(QRELS, "AP", queries="judged")
        largest = IDS[np.isin(NUMBER, np.flatnonzero(np.bincount(NUMBER) == 8))]
        scores = scores[~((scores["run"] == "ql") & (scores["query_id"] == largest[0]))]
        with pytest.warns(
            UserWarning,
            match="1 of 8 queries have no 'AP' value for at least one run; .*HSD uses the remaining 7",
        ):
            scores.ireval.compare(test="tukey", by="part", metadata=ABOUT["text"])

    def test_one_query_segments_are_left_out_by_name(self):
        with pytest.warns(
            UserWarning,
            match=r"2 of 12 groups were skipped because of too few runs or queries, e\.g\. part='s\d+': a significance",
        ):
            found = RUNS.ireval.compare(
                QRELS, "AP", by="part", metadata=ABOUT["text"], queries="judged"
            )
        assert found["part"].nunique() == 10

    def test_one_measure_has_nothing_to_agree_with(self):
        with pytest.raises(
            ValueError,
            match="in the group part='s0': agreement requires two measures, found only",
        ):
            RUNS.ireval.agree(QRELS, ["AP"], by="part", metadata=ABOUT["text"], queries="judged")

    def test_preferences_have_their_own_pairs(self):
        table = RUNS.ireval.prefer(QRELS, "RPP", queries="judged")
        with pytest.raises(ValueError, match="in the group part='s0': baseline= and pairs= cannot"):
            table.ireval.ties(baseline="ql", by="part", metadata=ABOUT["text"])

    def test_a_baseline_that_is_no_run(self):
        with pytest.raises(KeyError, match="bm26"):
            RUNS.ireval.compare(
                QRELS, "AP", baseline="bm26", by="part", metadata=ABOUT["text"], queries="judged"
            )


@pytest.mark.broad
def test_check_of_a_column_of_rows_that_divides_lists():
    rows = RUNS.assign(half=np.where(np.arange(len(RUNS)) % 2, "odd", "even"))
    found = rows.ireval.check(QRELS, by="half")
    hand = [(half, rows[rows["half"] == half].ireval.check(QRELS)) for half in ("even", "odd")]
    same(found, by_hand(hand, "half"))


def test_check_of_groups_without_a_judged_query_says_so():
    about = pd.DataFrame(
        {"query_id": IDS, "part": np.where(IDS.astype(str) < "103", "few", "many")}
    )
    with pytest.raises(ValueError, match="in the group part='few': the judgments table is empty"):
        RUNS.ireval.check(QRELS[QRELS["query_id"].astype(str) >= "103"], by="part", metadata=about)


def test_the_sample_has_what_these_tests_need():
    assert len(IDS) == sum(SIZES) == 48
    assert RUNS.groupby("run", observed=True)["query_id"].nunique().unique().tolist() == [48]


@pytest.mark.broad
@pytest.mark.parametrize("measures", [["AP", "Coverage@10"], ["Coverage@10"]])
def test_measures_of_all_lists_together_are_asked_for_each_group(measures):
    items = RUNS[["doc_id"]].drop_duplicates()
    about = ABOUT["text"].assign(part=np.where(np.arange(len(IDS)) % 3, "most", "few"))
    given = {"measures": measures, "items": items, "queries": "judged"}
    found = ask(RUNS.ireval, "summary", qrels=QRELS, by="part", metadata=about, **given)
    hand = loop(
        parts_of(RUNS, about, qrels=QRELS),
        lambda part: ask(part[0].ireval, "summary", qrels=part[1], **given),
    )
    same(found, hand)
    with pytest.raises(ValueError, match="'borda' is an ordering, not a measure"):
        ask(
            RUNS.ireval,
            "correlate",
            qrels=QRELS,
            by="part",
            metadata=about,
            measures=["RPP", "borda"],
        )
