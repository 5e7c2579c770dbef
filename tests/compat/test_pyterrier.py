"""Functions for PyTerrier: tests that Experiment can call, corrections as it lays them out, its per-query tables."""

import numpy as np
import pandas as pd
import pytest

import pdeval
from pdeval.compat.pyterrier import corrected, experiment_test, scores_of

BETTER = np.array([0.4, 0.5, 0.6, 0.7, 0.1, 0.35])
BASELINE = np.array([0.3, 0.45, 0.5, 0.65, 0.2, 0.1])


def per_query():
    rows = [
        (name, str(query), measure, float(value) / scale)
        for name, values in (("new", BETTER), ("old", BASELINE))
        for query, value in enumerate(values)
        for measure, scale in (("map", 1), ("ndcg_cut_10", 2))
    ]
    return pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])


class TestTests:
    @pytest.mark.parametrize(("test", "function"), [("t", "ttest_rel"), ("wilcoxon", "wilcoxon")])
    def test_p_values_are_those_of_scipy_where_it_has_the_test(self, test, function):
        from scipy import stats

        found = experiment_test(test)(BETTER, BASELINE)
        assert isinstance(found, tuple)
        assert found[1] == pytest.approx(getattr(stats, function)(BETTER, BASELINE)[1], rel=1e-9)

    @pytest.mark.parametrize("test", ["t", "wilcoxon", "sign", "permutation", "bootstrap"])
    def test_p_values_are_those_of_compare(self, test):
        table = scores_of(per_query()).ireval.compare(
            "map", test=test, baseline="old", correction=None, draws=2000, progress=False
        )
        assert experiment_test(test, draws=2000)(BETTER, BASELINE)[1] == table["p_value"].item()

    def test_systems_that_never_differ_have_a_p_value_of_one(self):
        assert experiment_test("t")(BETTER, BETTER)[1] == 1

    def test_a_test_of_all_systems_at_once_says_how_it_is_asked(self):
        with pytest.raises(
            ValueError, match=r"test='hsd' compares all systems at once.*perquery=True.*compare\("
        ):
            experiment_test("hsd")

    def test_arguments_that_cannot_be_are_refused(self):
        with pytest.raises(KeyError, match="no test 'nonsense'"):
            experiment_test("nonsense")
        with pytest.raises(ValueError, match="draws"):
            experiment_test("permutation", draws=0)
        with pytest.raises(
            ValueError,
            match=r"two lists of the same length; they have the shapes \(6,\) and \(5,\)",
        ):
            experiment_test()(BETTER, BASELINE[:5])


class TestCorrections:
    def table(self):
        p = [0.01, None, 0.04, 0.03]
        return pd.DataFrame(
            {"name": list("abcd"), "map": 0.3, "map p-value": p, "P_5": 0.1, "P_5 p-value": p}
        )

    def test_columns_stand_where_pyterrier_puts_them(self):
        found = corrected(self.table())
        assert list(found) == [
            *("name", "map", "map p-value", "map reject", "map p-value corrected"),
            *("P_5", "P_5 p-value", "P_5 reject", "P_5 p-value corrected"),
        ]
        # Holm: 3 * 0.01, max(.., 2 * 0.03), max(.., 0.04)
        np.testing.assert_allclose(found["map p-value corrected"], [0.03, np.nan, 0.06, 0.06])
        assert found["map reject"].tolist() == [True, False, False, False]

    def test_the_baseline_is_no_part_of_the_family(self):
        found = corrected(self.table(), "bonferroni")
        np.testing.assert_allclose(found["map p-value corrected"], [0.03, np.nan, 0.12, 0.09])

    def test_a_table_without_p_values_and_an_unknown_correction_are_told(self):
        with pytest.raises(
            ValueError,
            match=r"no column ends in ' p-value' among name, map. Pass baseline= to Experiment",
        ):
            corrected(self.table()[["name", "map"]])
        with pytest.raises((KeyError, ValueError), match="nonsense"):
            corrected(self.table(), "nonsense")
        with pytest.raises(ValueError, match="alpha"):
            corrected(self.table(), alpha=2)


class TestPerQuery:
    def test_they_are_scores_with_their_verbs(self):
        found = scores_of(per_query().sample(frac=1, random_state=1).set_index("qid", drop=False))
        assert list(found.columns) == ["name", "qid", "measure", "value"]
        assert found.ireval.order("map").iloc[0]["name"] == "new"
        assert len(found.ireval.compare()) == 2
        assert "map" in found.ireval.report().to_markdown()

    def test_dicts_and_frames_give_the_same(self):
        nested = {}
        for name, query, measure, value in per_query().itertuples(index=False):
            nested.setdefault(name, {}).setdefault(query, {})[measure] = value
        pd.testing.assert_frame_equal(scores_of(nested), scores_of(per_query()))
        numbered = dict(enumerate(nested.values()))
        pd.testing.assert_frame_equal(
            scores_of(numbered, names=list(nested)), scores_of(per_query())
        )

    def test_two_systems_of_one_name_and_other_tables_are_told(self):
        with pytest.raises(
            ValueError,
            match=r"two systems are named 'new': both have map of query '0'\. Pass different names=",
        ):
            scores_of(pd.concat([per_query(), per_query().head(2)]))
        with pytest.raises(ValueError, match=r"no column 'qid' among .*perquery=True"):
            scores_of(per_query().drop(columns="qid"))


@pytest.mark.extras
@pytest.mark.filterwarnings("ignore")
class TestAgainstPyTerrier:
    def experiment(self, **options):
        pt = pytest.importorskip("pyterrier")
        runs, qrels = pdeval.datasets.sample_runs(), pdeval.datasets.sample_qrels()
        names = {"query_id": "qid", "doc_id": "docno", "relevance": "label"}
        runs, qrels = (
            runs.rename(columns=names).astype({"qid": str}),
            qrels.rename(columns=names).astype({"qid": str}),
        )
        topics = qrels[["qid"]].drop_duplicates().assign(query="x")
        systems = [
            runs[runs["run"] == name].drop(columns="run") for name in ("bm25", "ql", "tfidf")
        ]
        given = {"names": ["bm25", "ql", "tfidf"], "eval_metrics": ["map", "ndcg_cut_10"]}
        return pt.Experiment(systems, topics, qrels, **given, **options)

    def test_an_experiment_takes_the_tests(self):
        plain = self.experiment(baseline=0)
        found = self.experiment(baseline=0, test=experiment_test("t"))
        np.testing.assert_allclose(
            found["map p-value"].astype(float),
            plain["map p-value"].astype(float),
            rtol=1e-9,
            equal_nan=True,
        )
        drawn = self.experiment(baseline=0, test=experiment_test("permutation", draws=500))
        assert drawn["map p-value"].astype(float).dropna().between(0, 1).all()

    def test_corrections_are_laid_out_as_by_pyterrier(self):
        expected = self.experiment(baseline=0, correction="holm")
        found = corrected(self.experiment(baseline=0), "holm")
        assert list(found.columns) == list(expected.columns)
        name = "map p-value corrected"
        np.testing.assert_allclose(
            found[name].astype(float), expected[name].astype(float), equal_nan=True
        )
        assert found["map reject"].tolist() == expected["map reject"].tolist()

    @pytest.mark.parametrize("dataframe", [True, False])
    def test_per_query_results_are_scores(self, dataframe):
        names = None if dataframe else ["bm25", "ql", "tfidf"]  # a dict of it numbers the systems
        found = scores_of(self.experiment(perquery=True, dataframe=dataframe), names=names)
        assert found.ireval.summary()["n"].tolist() == [50] * 6
        expected = self.experiment().set_index("name")["map"]
        means = found.ireval.summary("map").set_index("name")["mean"]
        np.testing.assert_allclose(means.loc[list(expected.index)], expected, rtol=1e-12)
