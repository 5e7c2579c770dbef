"""trec_eval's own expected outputs: every measure of `-m all_trec`, its parameters, `-l` and `-c`.

`runid` and `relstring` are texts, not measures: relstring is read off explain(), runid is the run's own name.
"""

import pytest

import pdeval
from tests.parity import published

pytestmark = [
    pytest.mark.filterwarnings("ignore:1 of 3 judged queries are missing:UserWarning"),
    pytest.mark.filterwarnings("ignore:level=. does not change the gains"),  # as in trec_eval
]

CASES = {
    "out.test": ("results.test", "qrels.test", {}),
    "out.test.a": ("results.test", "qrels.test", {}),
    "out.test.aq": ("results.test", "qrels.test", {}),
    "out.test.aqc": ("results.trunc", "qrels.test", {"queries": "judged"}),
    "out.test.aql": ("results.test", "qrels.rel_level", {"level": 2}),
    "out.test.meas_params": ("results.test", "qrels.test", {}),
}
LINES = {
    "out.test": 29,
    "out.test.a": 98,
    "out.test.aq": 383,
    "out.test.aqc": 383,
    "out.test.aql": 383,
}


@pytest.mark.parametrize("case", CASES)
def test_every_printed_number_is_ours_to_the_last_digit(shared_data, case):
    folder = shared_data / "trec_eval-test"
    run, qrels, rules = CASES[case]
    expected = published.read(folder / case, "run")
    runs = pdeval.read_run(folder / run, name="run")
    scores = runs.ireval.measure(
        pdeval.read_qrels(folder / qrels), published.names(expected), **rules
    )
    wrong, compared = published.differences(scores, expected)
    assert wrong.empty, wrong
    assert compared == LINES.get(case, len(expected))


@pytest.mark.parametrize("case", ["out.test.aq", "out.test.aqc", "out.test.aql"])
def test_the_grades_from_the_top_are_those_of_relstring(shared_data, case):
    folder = shared_data / "trec_eval-test"
    run, qrels, _ = CASES[case]
    expected = published.read(folder / case, "run")
    expected = expected[expected["name"].str.startswith("relstring")]
    joined = pdeval.read_run(folder / run, name="run").ireval.join(
        pdeval.read_qrels(folder / qrels), queries="judged"
    )
    retrieved = joined.measure("NumRet").set_index("query_id")["value"]
    for name, topic, text in zip(expected["name"], expected["topic"], expected["text"]):
        length = int(min(retrieved[topic], float(name.partition("_")[2] or 10)))
        account = joined.explain(topic, ["AP"], runs=["run"])
        grade = dict(zip(account["rank"], account["relevance"]))
        ours = [
            "-" if i not in grade else "." if grade[i] < 0 else f"{grade[i]:g}"
            for i in range(1, length + 1)
        ]
        assert "".join(ours) == text.strip("'")
    assert len(expected) == 3
