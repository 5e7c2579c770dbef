"""Assignments of nuggets by a machine next to those by human assessors: agreement, bias, and what to label next.

A table of nuggets with the column `machine` has both. `measure` gives scores by both, with which `summary`, `compare`
and `order` estimate the scores by human assessors (prediction-powered inference).
"""

import numpy as np
import pandas as pd

from pdeval.answers.measured import Answers, labels_or_numbers
from pdeval.answers.nuggets import ASSIGNMENTS
from pdeval.evaluate import coded, described_frame, run_columns
from pdeval.judgments.judges import MACHINE, bias_of_judge
from pdeval.significance.corrections import Correction, which_correction
from pdeval.tables import Table, labels, run_labels, table, unique_values
from pdeval.verbs import verb

HUMAN = "human"

table(
    "answers_to_label",
    "run query nuggets:int machine:float expected:float predicted_error:float",
    "plan of answers to label",
    recognized_by="query nuggets machine expected predicted_error",
    row="answer",
    means={
        "nuggets": "number of its nuggets",
        "machine": "NuggetAll by the machine",
        "expected": "NuggetAll that human assessors are expected to give, from their labels of other answers",
        "predicted_error": "root of the expected squared difference between the machine and human assessors",
    },
    no_report="it is a list of work; print it",
    no_plot="it is a list of work",
)


@verb(on="nuggets", returns="labels", family="judges", name="labels", machine=True, grouped=False)
def assignment_labels(assignments: Table) -> pd.DataFrame:
    """Return the nuggets that human assessors and the machine both labeled, as a table of labels.

    Its verbs give the agreement: `.agreement(by="run")` per system, `.agreement.confusion("human")` per label.

    Examples
    --------
    >>> import pdeval
    >>> labels = pdeval.datasets.load_answers().nuggets.ireval.judges.labels()
    >>> labels.ireval.agreement(["observed", "cohen"]).round(3)
      coefficient  items  assessors  labels  observed  expected  value
    0    observed    560          2    1120     0.852       NaN  0.852
    1       cohen    560          2    1120     0.852       0.4  0.753
    """
    human, machine, both = _both(assignments)
    frame = assignments.frame
    ids = [*assignments.run_columns, assignments.roles["query"], assignments.roles["nugget"]]
    answers = Answers.of(assignments)
    nugget, _ = coded(frame[ids[-1]], "nugget")
    # sorted by run, query and nugget; lexsort: the last key is the primary one
    order = np.lexsort((nugget, answers.query, answers.run))
    rows = order[both[order]]
    system = pd.Series(run_labels(answers.runs))[answers.run[rows]].to_numpy()
    item = system + ": " + frame[ids[-1]].iloc[rows].astype(str).to_numpy()
    result = frame[ids].iloc[np.repeat(rows, 2)].reset_index(drop=True)
    result["item"] = np.repeat(item, 2)
    result["assessor"] = np.tile([HUMAN, MACHINE], len(rows))
    # alternating, as the assessors
    values = np.column_stack([human[rows], machine[rows]]).ravel()
    names = {value: name for name, value in ASSIGNMENTS.items()}
    if set(values) <= set(names):
        names = dict(sorted(names.items()))
        scale = pd.CategoricalDtype(list(names.values()), ordered=True)
        result["label"] = pd.Series(values).map(names).astype(scale)
    else:
        result["label"] = values
    result.attrs = {"query_column": assignments.roles["query"]}
    return result


@verb(on="nuggets", returns="judge_bias", family="judges", name="bias", machine=True, grouped=False)
def assignment_bias(
    assignments: Table,
    *,
    correction: Correction | None = "holm",
    alpha: float = 0.05,
    confidence: float = 0.95,
) -> pd.DataFrame:
    """Return the bias of the assignments by the machine for each run, and which runs it favors.

    The bias is the mean over answers of NuggetAll by the machine minus that by human assessors. `favor` is the bias of
    a run minus the mean bias of all runs on the same query. Only nuggets with both assignments count.

    Parameters
    ----------
    correction : str or None
        ... All runs are corrected together.
    confidence : float
        ... Student's intervals of favor over queries are simultaneous, as in `compare`.

    Examples
    --------
    >>> import pdeval
    >>> bias = pdeval.datasets.load_answers().nuggets.ireval.judges.bias()
    >>> bias[["run", "n", "items", "bias", "favor", "significant"]].tail(2).round(3)
                run   n  items   bias  favor  significant
    6  rerank+large  12     70  0.045  0.026        False
    7  rerank+small  12     70 -0.018 -0.037        False
    """
    human, machine, both = _both(assignments)
    correction = which_correction(correction)  # type: ignore[assignment]
    answers = Answers.of(assignments)
    return described_frame(
        bias_of_judge(
            answers.runs,
            len(answers.queries),
            answers.query[both],
            answers.run[both],
            (machine - human)[both],
            MACHINE,
            str(correction),
            alpha,
            confidence,
        ),
        {
            "run_columns": list(answers.runs.columns),
            "correction": correction,
            "alpha": alpha,
            "confidence": confidence,
            "simultaneous": correction != "none",
            "test": "t",
        },
    )


@verb(on="nuggets", returns="answers_to_label", machine=True, name="label_next")
def label_next_answers(assignments: Table, *, n_answers: int | None = 10) -> pd.DataFrame:
    """Return the answers that human assessors should label next: those on which the machine is least reliable.

    For each label of the machine, the labels of human assessors of the same nuggets give the mean and the variance of
    the human label. An answer of many uncertain nuggets has a large predicted error. These answers are not a random
    sample: to estimate scores, draw queries with `.measure().ireval.label_next()` instead.

    Parameters
    ----------
    n_answers : int or None, default 10
        Number of answers; None for all that have no human label.

    Examples
    --------
    >>> import pdeval
    >>> pdeval.datasets.load_answers().nuggets.ireval.label_next(n_answers=2).round(3)
                run query_id  nuggets  machine  expected  predicted_error
    0  hybrid+large      q14        4     0.75      0.75            0.159
    1  rerank+large      q14        4     0.75      0.75            0.159
    """
    human, machine, both = _both(assignments)
    answers = Answers.of(assignments)
    value, label = np.unique(machine[both], return_inverse=True)
    n = np.bincount(label)
    mean = np.bincount(label, human[both]) / n
    # one label more, with the variance of all labels: few equal labels are not certain
    squares = np.bincount(label, (human[both] - mean[label]) ** 2) + human[both].var()
    # the nearest label of the machine with human labels
    near = np.abs(machine[:, None] - value).argmin(axis=1)
    answer = answers.query * len(answers.runs) + answers.run
    unlabeled = ~answers.answered(~np.isnan(human)).ravel()
    counted = unlabeled[answer] & ~np.isnan(machine)
    cells = unique_values(answer[counted])

    def mean_of_answer(values: np.ndarray) -> np.ndarray:
        order = np.lexsort((values[counted], answer[counted]))
        sums = np.bincount(answer[counted][order], values[counted][order])
        return sums[cells] / np.bincount(answer[counted])[cells]

    expected = mean_of_answer(mean[near])
    by_machine = mean_of_answer(machine)
    size = np.bincount(answer[counted])[cells]
    variance = mean_of_answer((squares / (n + 1))[near]) / size
    error = np.sqrt((expected - by_machine) ** 2 + variance)
    query, run = np.divmod(cells, len(answers.runs))
    # the largest errors first, equal ones by run and query
    order = np.lexsort((query, run, -error))[:n_answers]
    columns = {
        **run_columns(answers.runs, run[order]),
        str(answers.queries.name): labels(answers.queries, query[order]),
        "nuggets": size[order],
        "machine": by_machine[order],
        "expected": expected[order],
        "predicted_error": error[order],
    }
    attrs = {"run_columns": list(answers.runs.columns), "query_column": str(answers.queries.name)}
    return described_frame(columns, attrs)


def _both(assignments: Table) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the assignments by human assessors and by the machine, and which rows have both."""
    if "machine" not in assignments:
        raise ValueError(
            "the table of nuggets has no assignments by a machine. Add them as the column 'machine', e.g. "
            "human.merge(machine.rename(columns={'assignment': 'machine'}), how='outer')."
        )
    human, machine = (
        labels_or_numbers(assignments.column(role), role, ASSIGNMENTS)
        for role in ("assignment", "machine")
    )
    both = ~np.isnan(human) & ~np.isnan(machine)
    if not both.any():
        raise ValueError("no nugget has an assignment by human assessors and one by the machine.")
    return human, machine, both
