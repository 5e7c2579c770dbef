"""Issue 12 at the seams of reports: nothing is left out without a word, and footnotes use the table's own words."""

import numpy as np
import pandas as pd
import pytest

import pdeval
from pdeval import studies
from pdeval.evaluate.cube import Preferences, Scores
from pdeval.report import report, report_table

pytestmark = pytest.mark.filterwarnings(
    "ignore:level=. does not change the gains"
)  # as in trec_eval


def many(count: int) -> Scores:
    """`count` systems on five queries, the first far above the others."""
    values = np.random.default_rng(0).uniform(0.1, 0.2, size=(1, 5, count))
    values[0, :, 0] += 0.7
    runs = pd.DataFrame({"run": [f"s{i:02d}" for i in range(count)]})
    return Scores(runs, pd.Index(range(5), name="query_id"), ("AP",), values, np.array([True]))


def foot(table) -> str:
    return " ".join(table.notes)


# item 12: marks of many systems, and of several baselines


def test_12_above_26_systems_the_footnote_says_that_marks_are_left_out_and_how_to_get_them():
    table = report(many(27))
    assert not any(cell.marks for row in table.rows for cell in row)
    assert "27 systems" in foot(table)
    assert "marks='letters'" in foot(table)
    assert "baseline=" in foot(table)


def test_12_letters_of_any_number_of_systems_are_marked_when_asked_for():
    table = report(many(28), marks="letters", correction="none")
    assert table.rows[27][0].text == "ab"
    assert table.rows[0][-1].marks.split(",")[-3:] == ["z", "aa", "ab"]
    assert "Raised letters" in foot(table)


def test_12_marks_asked_of_a_summary_by_a_baseline_are_said_to_be_missing(scores):
    summary = scores.frame().ireval.summary()
    assert "not marked" in foot(summary.ireval.report(baseline="bm25"))
    assert "values per query" in foot(summary.ireval.report(baseline="bm25"))


def test_12_several_baselines_have_a_mark_each(scores):
    table = report(scores, baseline=["bm25", "lm_dir"], correction="none")
    one = [report(scores, baseline=name, correction="none") for name in ("bm25", "lm_dir")]
    for row, first, second in zip(table.rows, one[0].rows, one[1].rows):
        for cell, a, b in zip(row[1:], first[1:], second[1:]):
            assert cell.marks == (a.marks + "1" if a.marks else "") + (
                b.marks + "2" if b.marks else ""
            )
    assert table.rows[2][1].marks == "†1†2"
    assert "than the baseline of that number: 1 bm25, 2 lm_dir (paired Student t test" in foot(
        table
    )


def test_12_several_baselines_say_that_the_correction_is_made_for_each(scores):
    assert "Holm correction of 2 comparisons per measure for each baseline" in foot(
        report(scores, baseline=["bm25", "lm_dir"])
    )


def test_12_comparisons_of_all_pairs_mark_several_baselines(scores, comparisons):
    table = report(scores, baseline=["bm25", "lm_dir"], comparisons=comparisons)
    assert [[cell.marks for cell in row[1:]] for row in table.rows] == [
        ["", "†2"],
        ["", "‡1"],
        ["†1†2", "†1†2"],
    ]
    assert "for each baseline" not in foot(table)


def test_12_a_list_of_one_baseline_is_that_baseline(scores):
    assert report(scores, baseline=["bm25"]) == report(scores, baseline="bm25")


def test_12_baselines_of_several_columns_are_tuples(scores):
    runs = pd.DataFrame({"model": ["t5", "t5", "lm"], "seed": [1, 2, 1]})
    cube = Scores(runs, scores.queries, scores.measures, scores.values, scores.higher)
    assert "1 t5 / 1, 2 t5 / 2" in foot(report(cube, baseline=[("t5", 1), ("t5", 2)]))


def test_12_preferences_are_averaged_over_all_baselines():
    runs = pd.DataFrame({"run": ["x", "y", "z"]})
    values = np.array([[[0.2, 0.4, 0.6], [0.0, 0.2, 0.4]]])  # x over y, x over z, y over z
    prefs = Preferences(
        runs,
        pd.Index([1, 2], name="query_id"),
        ("RPP",),
        np.array([0, 0, 1]),
        np.array([1, 2, 2]),
        values,
    )
    table = report(prefs, baseline=["x", "y"], marks=None)
    assert [row[1].value for row in table.rows] == pytest.approx([0.1, -0.1, -0.4])
    assert "mean preferences over x and y" in foot(table)


def test_12_an_empty_list_of_baselines_is_refused(scores):
    with pytest.raises(ValueError, match=r"baseline= is empty\. Pass a run or a list of runs"):
        report(scores, baseline=[])


def test_12_the_same_baseline_twice_counts_once_as_in_compare(scores):
    assert report(scores, baseline=["bm25", "bm25"]) == report(scores, baseline=["bm25"])


# items 8, 15 and 19: footnotes that are true, in the table's own words


def recommended(level=None, queries="relevant"):
    """Three runs for four users; one user likes nothing from grade 4 on."""
    users, items = [f"u{i}" for i in range(4)], [f"i{i}" for i in range(5)]
    runs = pd.DataFrame(
        [(run, u, i, float((7 * k + 3 * n + m) % 11)) for m, run in enumerate("xyz") for k, u in enumerate(users)
         for n, i in enumerate(items)],
        columns=["run", "user_id", "item_id", "score"],
    )  # fmt: skip
    ratings = pd.DataFrame(
        [
            (u, i, 1 + (k + n) % (3 if k == 0 else 5))
            for k, u in enumerate(users)
            for n, i in enumerate(items)
        ],
        columns=["user_id", "item_id", "rating"],
    )
    return runs.ireval.join(ratings, level=level, queries=queries)


def test_8_the_footnote_says_for_which_measures_the_level_holds():
    table = recommended(level=4).measure(["AP", "RR", "nDCG@10"]).ireval.report()
    assert "relevant from grade 4 in AP, RR; nDCG@10 counts every positive grade" in foot(table)


def test_8_where_all_measures_are_graded_no_level_is_claimed():
    table = recommended(level=4).measure(["nDCG@10", "ERR"]).ireval.report()
    assert "relevant from grade" not in foot(table)
    assert "nDCG@10, ERR count every positive grade" in foot(table)


def test_8_only_the_measures_that_are_shown_are_named():
    scores = recommended(level=4).measure(["AP", "nDCG@10"])
    assert "nDCG" not in foot(scores.ireval.report("AP"))
    assert "relevant from grade 4 in" not in foot(scores.ireval.report("AP"))
    one = scores[scores["measure"] == "nDCG@10"].ireval
    assert "relevant from grade" not in foot(one.order().ireval.report())
    assert "relevant from grade" not in foot(one.compare().ireval.report())


def test_8_a_measure_with_its_own_level_is_not_said_to_follow_the_other():
    table = recommended(level=4).measure(["AP", "P(level=2)@5", "nDCG"]).ireval.report()
    assert "relevant from grade 4 in AP; nDCG counts" in foot(table)


def test_8_of_unknown_measures_nothing_is_said(scores):
    scores = Scores(
        scores.runs, scores.queries, ("mine", "ASL"), scores.values, scores.higher, {"level": 2}
    )
    assert "Relevant from grade 2" not in foot(report(scores))
    assert "relevant from grade 2." in foot(report(scores))


@pytest.mark.parametrize("queries", ["common", "answered", "judged"])
def test_15_users_without_a_relevant_item_are_said_to_count_as_0(queries):
    judged = recommended(level=4, queries=queries)
    assert judged.measure("AP").query("user_id == 'u0'")["value"].eq(0).all()
    assert "users without a relevant item count as 0" in foot(judged.report("AP"))
    both = foot(judged.report(["AP", "nDCG@10"]))
    assert (
        "relevant from grade 4 in AP; users without a relevant item count as 0 there; nDCG@10"
        in both
    )


def test_15_nothing_is_said_where_they_do_not_count():
    assert "count as 0" not in foot(recommended(level=4).report("AP"))
    assert "count as 0" not in foot(recommended(queries="common").report("AP"))


@pytest.mark.broad
def test_19_footnotes_of_recommenders_speak_of_users_and_items():
    judged = recommended()
    table = judged.report("AP", interval="sd")
    assert (
        "4 users; tied scores ordered by item id; users without a relevant item do not count"
        in foot(table)
    )
    assert "standard deviation over users" in foot(table)
    texts = [
        foot(judged.measure("AP").ireval.compare().ireval.report()),
        foot(judged.measure("AP").ireval.order(draws=20, seed=1).ireval.report()),
        foot(judged.prefer("RPP").ireval.report()),
        str(judged.summary("RPP").ireval.report()),
    ]
    for text in texts:
        assert "user" in text.lower()
        assert "quer" not in text.lower()
        assert "document" not in text


def test_19_messages_speak_of_users_too():
    judged = recommended()
    one = judged.measure("AP").query("user_id == 'u1'")
    with pytest.raises(ValueError, match="at least two users"):
        one.ireval.report(interval="sd")
    with pytest.raises(ValueError, match="fewer than two users"):
        one.ireval.report(marks="letters")


@pytest.mark.parametrize("name", ["userId", "user", "UserID", "user_id"])
def test_19_users_are_known_by_any_spelling(name):
    from pdeval.report.footnotes import words

    assert words({"query_column": name}).queries == "users"


# item 13: what can be reported


@pytest.fixture(scope="module")
def sample():
    runs, qrels, metadata = pdeval.datasets.load_sample()
    return runs.ireval.join(qrels, queries="common"), metadata


@pytest.mark.broad
@pytest.mark.parametrize("by", ["family", ["family", "seed"]])
def test_13_a_summary_by_groups_of_runs_is_reported(sample, by):
    judged, metadata = sample
    means = judged.measure(["AP", "RR"]).merge(metadata).ireval.summary(by=by, per="group")
    for frame in (means, pd.DataFrame(means.to_dict("list"))):  # the second has lost its attributes
        table = frame.ireval.report()
        names = [by] if isinstance(by, str) else by
        assert [column.name for column in table.columns] == [*names, "AP", "RR"]
        assert len(table.rows) == len(means) / 2
        assert table.rows[0][-2].value == pytest.approx(means["mean"].iloc[0])


@pytest.mark.broad
def test_13_rows_are_grouped_by_a_column_that_was_merged_to_the_scores(sample):
    judged, metadata = sample
    scores = judged.measure(["AP", "RR"])
    merged, given = scores.merge(metadata), scores.ireval.report(group="family", metadata=metadata)
    table = merged.ireval.report(group="family")
    assert table.groups == given.groups
    assert table.rows == given.rows
    assert [group.title for group in table.groups] == [
        "lexical",
        "dense",
        "fusion",
        "reranker",
        "sparse",
    ]
    assert (
        scores.ireval.summary().merge(metadata).ireval.report(group="family", sort="AP").groups
        == table.groups
    )


@pytest.mark.broad
def test_13_columns_of_the_table_and_of_the_metadata_group_together(sample):
    judged, metadata = sample
    merged = judged.measure(["AP"]).merge(metadata[["run", "family"]])
    table = merged.ireval.report(group=["family", "year"], metadata=metadata[["run", "year"]])
    assert (
        table.groups
        == judged.measure(["AP"]).ireval.report(group=["family", "year"], metadata=metadata).groups
    )


def test_13_a_column_that_differs_within_a_run_cannot_group_runs(sample):
    judged, _ = sample
    scores = judged.measure(["AP"])
    scores["hard"] = scores["query_id"].astype(str).isin(["101"])
    with pytest.raises(
        ValueError,
        match="'hard' must be the same in all rows of a run; run 'bm25' has 'True', 'False'",
    ):
        scores.ireval.report(group="hard")


def test_13_a_column_that_is_nowhere_is_said_to_be_missing(sample):
    judged, _ = sample
    with pytest.raises(KeyError, match="no column 'famly' to group by"):
        judged.measure(["AP"]).ireval.report(group="famly")


def reportable(name):
    """The tables that issue 12 wants reported, made as a user makes them."""
    judged = pdeval.datasets.sample_judged(queries="common")
    runs, qrels = pdeval.datasets.sample_runs(), pdeval.datasets.sample_qrels()
    if name == "headroom":
        scores = judged.measure("P@20")
        tens = scores.assign(ten=[query[:2] for query in scores["query_id"]])
        return tens.ireval.search_lengths.headroom(by="ten")
    if name == "behavior":
        return (
            runs[runs["run"].isin(["bm25", "tfidf"])]
            .ireval.simulate_clicks(qrels)
            .ireval.behavior(draws=50)
        )
    if name == "wins":
        lists = runs.ireval.interleave(pairs=[("bm25", "hybrid"), ("ql", "bm25")], draws=5)
        return lists.ireval.simulate_clicks(qrels).ireval.credit(lists).ireval.wins()
    makers = {
        "ties": lambda: judged.ties(["RPP", "AP"]),
        "masked_agreement": judged.agree.masked,
        "rrie": lambda: judged.search_lengths.rrie("bm25", "hybrid"),
        "ablation": judged.search_lengths.ablation,
        "best_average_worst": lambda: judged.best_average_worst(baseline="bm25"),
        "locality": judged.agree.locality,
        "robustness_summary": lambda: judged.robustness(
            "AP", to="labels", keep=[0.5, 1], draws=2, summary=True
        ),
        "over_collections": lambda: studies.spread_over_collections(
            judged.search_lengths.ablation().assign(collection="one")
        ),
        "agreement_of_assessors": lambda: pd.DataFrame(
            {"item": [1, 1, 2, 2], "assessor": list("abab"), "label": [0, 1, 1, 1]}
        ).ireval.agreement(),
    }
    return makers[name]()


@pytest.mark.broad
@pytest.mark.parametrize(
    "name",
    [
        "ties",
        "masked_agreement",
        "rrie",
        "ablation",
        "headroom",
        "behavior",
        "wins",
        "best_average_worst",
        "locality",
        "robustness_summary",
        "over_collections",
        "agreement_of_assessors",
    ],
)
def test_13_every_result_is_reported_column_by_column(name):
    frame = reportable(name)
    table = frame.ireval.report()
    assert [column.name for column in table.columns] == list(frame.columns)
    assert len(table.rows) == len(frame)
    assert table.caption
    assert all(cell.text for row in table.rows for cell in row)
    for made in (table.to_latex(), table.to_html(), table.to_markdown()):
        assert "nan" not in made.lower()


@pytest.mark.broad
@pytest.mark.parametrize("name", ["behavior", "wins"])
def test_13_a_count_of_something_else_is_not_headed_queries(name):
    assert "Queries" not in [column.header for column in report_table(reportable(name)).columns]


def test_13_a_text_that_is_missing_is_a_dash():
    frame = reportable("ties").astype({"measure": object})
    frame.loc[0, "measure"] = np.nan
    assert report_table(frame).rows[0][0].text == "–"


# item 20: names in the order in which people look for them


def ten(reverse=False):
    """Runs run1 to run10 as the join leaves them, in the order of text."""
    names = sorted((f"run{i}" for i in range(1, 11)), reverse=reverse)
    values = np.linspace(0.1, 0.5, 3 * 10).reshape(1, 3, 10)
    runs = pd.DataFrame({"run": names})
    return Scores(
        runs, pd.Index(["1", "10", "2"], name="query_id"), ("AP",), values, np.array([True])
    )


NATURAL = [f"run{i}" for i in range(1, 11)]


def first(table, name="run"):
    at = [column.name for column in table.columns].index(name)
    return [row[at].text for row in table.rows]


def test_20_runs_stand_in_natural_order():
    assert first(report(ten(), marks=None)) == NATURAL
    assert first(report(ten(), marks=None, sort="name")) == NATURAL
    assert first(report(ten(reverse=True), marks=None, sort="name")) == NATURAL


def test_20_an_order_that_is_not_by_name_stays():
    assert first(report(ten(reverse=True), marks=None)) == sorted(NATURAL, reverse=True)


def test_20_values_and_marks_go_with_their_runs():
    table = report(ten(), marks=None)
    values = ten().values[0].mean(axis=0)
    assert [row[1].value for row in table.rows] == pytest.approx(
        [values[i] for i in [0, *range(2, 10), 1]]
    )
    lettered = report(ten(), marks="letters", correction="none", digits=2)
    assert [row[0].text for row in lettered.rows] == list("abcdefghij")
    assert lettered.rows[9][1].text == "run10"
    assert lettered.rows[9][-1].marks == "a"  # run10 stands second by text, above run1 alone


def test_20_groups_appear_in_natural_order():
    metadata = pd.DataFrame({"run": NATURAL, "family": ["first", "second", *["third"] * 7, "last"]})
    table = report(ten(), marks=None, group="family", metadata=metadata)
    assert [group.title for group in table.groups] == ["first", "second", "third", "last"]


def test_20_tied_ranks_comparisons_matrices_and_plain_tables_are_natural_too():
    frame = ten().frame()
    orders = frame.ireval.order().assign(rank=1.0)
    assert first(orders.ireval.report()) == NATURAL
    comparisons = frame.ireval.compare(baseline="run1")
    assert first(comparisons.ireval.report(), "run_a") == NATURAL[1:]
    matrix = pd.DataFrame(
        np.arange(100.0).reshape(10, 10), index=sorted(NATURAL), columns=sorted(NATURAL)
    )
    table = matrix.ireval.report(headers="names")
    assert [column.header for column in table.columns][1:] == NATURAL
    assert table.rows[9][2].value == matrix.loc["run10", "run2"]


def test_20_topics_are_in_natural_order():
    frame = pdeval.datasets.sample_judged(queries="common").ties(["AP"], per="query")
    frame["query_id"] = [str(i + 1) for i in range(len(frame))]
    frame = frame.sort_values("query_id").reset_index(drop=True)
    assert first(report_table(frame), "query_id") == [str(i + 1) for i in range(len(frame))]
