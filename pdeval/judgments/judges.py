"""Meta-evaluation of judges: would their labels have led to the same conclusions about systems as those of people?

The same runs are evaluated under the judgments of people and of each judge, on queries that compare: orderings, scores,
significant differences, and the grades of the items that each run returned.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd

from pdeval.catalog import parse_all
from pdeval.evaluate.cube import run_columns
from pdeval.evaluate.scores import MEASURES, attributes
from pdeval.join.judged import Judged
from pdeval.join.judgments import read_judgments
from pdeval.join.positions import join
from pdeval.join.rules import Compat, QueryRule, Ties, checked_level
from pdeval.judgments.assessor_swaps import all_items, items_of_qrels, regraded, swapped_qrels
from pdeval.judgments.pools import pooled
from pdeval.kernels.primitives import share
from pdeval.orderings.coefficients import rbo, tau_ap, tau_b
from pdeval.orderings.order import Standing, standing
from pdeval.significance.compare import compare
from pdeval.significance.corrections import Correction, adjust, which_correction
from pdeval.significance.registry import TESTS, Outcome, direction, which_test
from pdeval.tables.reader import Table, read
from pdeval.tables.recognition import kind_of
from pdeval.tables.schemas import table
from pdeval.verbs import verb
from pdeval.verbs.arguments import TooFew
from pdeval.verbs.registry import listed_in_docs

Queries = Literal["common", "each", "all"]
VERDICTS = ("both", "opposed", "lost", "gained", "neither")
PEOPLE = "people"
MACHINE = "machine"  # the name of a judge that has none


table(
    "judges",
    "judge:any measure method runs:int queries:int queries_machine:int tau_b:float tau_ap:float rbo:float top:int "
    "overlap_top:fraction tau_b_top:float difference:float difference_absolute:float pairs:int flipped:int "
    "both:int opposed:int lost:int gained:int fraction_significant:fraction "
    "fraction_significant_machine:fraction fraction_confirmed:fraction",
    "judges against people",
    recognized_by="judge tau_b flipped lost gained fraction_confirmed",
    row="judge and measure",
    sort="judge measure method",
    then=".report(), .plot()",
    means={
        "judge": "whose judgments are held against those of people",
        "method": "how the runs were ordered",
        "queries": "queries that count by people's judgments",
        "queries_machine": "queries that count by the judge's",
        "tau_b": "Kendall's tau-b of the ordering by the judge and that by people",
        "tau_ap": "AP correlation of the ordering by the judge with that by people, errors at the top weighing most",
        "rbo": "rank-biased overlap of the two orderings",
        "top": "how many runs are the top for the next two columns",
        "overlap_top": "share of the runs of both tops that they have in common",
        "tau_b_top": "Kendall's tau-b over the runs that people put at the top; missing where one side ties them all",
        "difference": "mean over runs of the score by the judge minus that by people",
        "difference_absolute": "mean over runs of its size",
        "pairs": "pairs of runs",
        "flipped": "pairs that the judge puts in the other order, significantly or not",
        "both": "pairs that are significantly different by both, in the same direction",
        "opposed": "pairs that are significantly different by both, in opposite directions",
        "lost": "pairs that are significantly different by people alone",
        "gained": "pairs that are significantly different by the judge alone",
        "fraction_significant": "fraction of the pairs that differ significantly by human labels",
        "fraction_significant_machine": "discriminative power under the judge",
        "fraction_confirmed": "fraction of the pairs with a significant human difference that the judge confirms",
    },
)


table(
    "judge_scores",
    "judge:any run measure method human:float machine:float difference:float rank:int rank_machine:int moved:int",
    "scores by judges and by people",
    recognized_by="judge human machine rank_machine moved",
    row="judge, run and measure",
    sort="judge measure method rank",
    then=".report(), .plot()",
    means={
        "judge": "whose judgments are held against those of people",
        "method": "how the runs were ordered",
        "human": "the score by people's judgments",
        "machine": "the score by the judge's",
        "difference": "machine - human",
        "rank": "the rank by people's judgments",
        "rank_machine": "the rank by the judge's",
        "moved": "rank - rank_machine: positive where the judge puts the run higher",
    },
)


table(
    "judge_pairs",
    "judge:any run_a run_b measure test human:float machine:float p_human:float p_machine:float flipped:bool "
    "conclusion",
    "pairs of runs by judges and by people",
    recognized_by="judge run_a run_b p_human p_machine conclusion",
    row="judge, pair of runs and measure",
    sort="judge measure run_a run_b",
    then=".report()",
    means={
        "judge": "whose judgments are held against those of people",
        "human": "the difference by people's judgments, positive where run_a is better",
        "machine": "the difference by the judge's",
        "p_human": "corrected p-value of the test by people's judgments",
        "p_machine": "the same by the judge's",
        "flipped": "whether the test favors opposite sides by the two",
        "conclusion": "which differences are significant: 'both', 'opposed' if in opposite directions, 'lost' "
        "by people alone, 'gained' by the judge alone, 'neither'",
    },
    no_plot="it is one row per pair; draw .judges() or .judges.scores()",
)


table(
    "judge_bias",
    "judge:any run n:int items:int higher:fraction lower:fraction bias:float favor:float ci_low:float ci_high:float "
    "p_value:float p_adjusted:float significant:bool",
    "bias of judges by run",
    recognized_by="judge higher lower bias favor",
    row="judge and run",
    sort="judge run",
    then=".report(), .plot()",
    means={
        "judge": "whose labels are held against those of people",
        "n": "queries on which the run returned an item that both labeled",
        "items": "such items, down to the depth",
        "higher": "share of them that the judge grades higher than people",
        "lower": "share of them that the judge grades lower",
        "bias": "mean grade by the judge minus that by people: mean over queries of the mean over items",
        "favor": "bias minus the mean bias of all runs, query by query: positive where the judge favors the run",
        "ci_low": "lower end of the interval of favor",
        "ci_high": "its upper end",
        "p_value": "of the t-test that favor is 0",
        "p_adjusted": "corrected for the number of runs of the judge",
    },
)


@verb(on="runs", returns="judges", family="judges", grouped=False)
@listed_in_docs(tests=TESTS)
def judges(
    runs: Table,
    qrels: object,
    machine: object,
    measures: object = MEASURES,
    *,
    query_set: Queries | None = None,
    top: int = 10,
    p: float = 0.9,
    method: str | Sequence[str] | None = None,
    test: str | None = None,
    correction: Correction | None = "bonferroni",
    alpha: float = 0.05,
    draws: int = 10_000,
    seed: int | None = 0,
    grades: Mapping[object, float] | None = None,
    scale: Sequence[float] | None = None,
    level: float | None = None,
    queries: QueryRule = "relevant",
    ties: Ties | None = None,
    compat: Compat = "trec_eval-10",
    validate: bool = True,
) -> pd.DataFrame:
    """Return how far the labels of judges lead to what those of people do: orderings, scores, significant differences.

    One row per judge and measure. A judge is whoever labeled: a language model, a crowd, a rule, another person.

    Parameters
    ----------
    qrels : DataFrame or bound accessor
        People's judgments.
    machine : mapping of name to DataFrame, or DataFrame
        The judges' own judgments of the same queries: by the name of each judge; those of one judge; or a table of
        labels (query, doc, assessor, label), each assessor a judge. What a judge did not label is not judged there.
    measures : str, Measure, or list of them
        Measures of one ranking, or preferences.
    query_set : {'common', 'each', 'all'}, optional
        What to do where the queries that count differ: use only those of people and every judge; those of people and
        the one judge; or each set of judgments on its own queries. Without it, queries that differ are an error.
    top : int
        How many runs are the top, for `overlap_top` and `tau_b_top`; those tied with the last of them belong to it.
    p : float
        The persistence of RBO.
    method : str or list of str, optional
        How to order the runs; by default by the mean of a measure and by the win rates of a preference.
    test : str, optional
        The test of every pair of runs, under both sets of judgments. There are:

        {tests}
    scale : list of numbers, optional
        The grades that there are; by default the whole numbers from the lowest to the highest that people gave. A judge
        who gives another is an error.

    References
    ----------
    Faggioli et al. (2023), Perspectives on large language models for relevance judgment; Moffat, Scholer and Thomas
    (2012), Models and metrics: IR evaluation as a user process, for pairs that two evaluations decide differently.

    Examples
    --------
    >>> import pdeval
    >>> runs, qrels, _ = pdeval.datasets.load_sample()
    >>> strict = qrels.assign(relevance=qrels["relevance"].where(qrels["relevance"] > 1, 0))
    >>> hasty = qrels.assign(relevance=qrels["relevance"].where(qrels.index % 3 > 0, 0))
    >>> found = runs.ireval.judges(qrels, {"strict": strict, "hasty": hasty}, "AP", queries="common", top=5)
    >>> found[["judge", "measure", "tau_b", "tau_ap", "flipped", "lost", "gained", "fraction_confirmed"]].round(3)
        judge measure  tau_b  tau_ap  flipped  lost  gained  fraction_confirmed
    0   hasty      AP  0.939   0.952        2    16       0               0.644
    1  strict      AP  0.970   0.982        1    12       0               0.733
    """
    judged = JudgedTwice.of(locals())
    compared = judged.compared(
        test=test, correction=correction, alpha=alpha, draws=draws, seed=seed
    )
    rows = []
    for (pair, one, two), (_, human, other) in zip(judged.ordered(method), compared, strict=True):
        verdicts = verdicts_of(human, other, alpha)
        flipped = direction(human) * direction(other) < 0
        for key, (measure, how) in enumerate(one.keys):
            of_measure = (human["measure"].astype(str) == measure).to_numpy()
            difference = two.score[key] - one.score[key]
            row = {
                "judge": pair.judge,
                "measure": measure,
                "method": how,
                "runs": one.rank.shape[1],
                "queries": one.queries[key],
                "queries_machine": two.queries[key],
                **_rank_correlations(one.rank[key], two.rank[key], top, p),
                "difference": float(np.mean(difference)),
                "difference_absolute": float(np.mean(np.abs(difference))),
                **_verdict_counts(verdicts[of_measure], flipped[of_measure]),
            }
            rows.append(row)
    return judged.described(
        pd.DataFrame(rows), alpha=alpha, correction=correction, query_set=query_set
    )


def _rank_correlations(human: np.ndarray, other: np.ndarray, top: int, p: float) -> dict[str, Any]:
    """Return how similar two orderings are, from ranks."""
    first, second = human <= top, other <= top
    return {
        "tau_b": tau_b(-human, -other),
        "tau_ap": tau_ap(-human, -other),
        "rbo": rbo(-human, -other, p=p),
        "top": top,
        "overlap_top": float(2 * (first & second).sum() / (first.sum() + second.sum())),
        "tau_b_top": float(tau_b(-human[first], -other[first])) if first.sum() > 1 else np.nan,
    }


def _verdict_counts(verdicts: np.ndarray, flipped: np.ndarray) -> dict[str, Any]:
    """Return the counts of pairs, and the discriminative power under both."""
    both, opposed, lost, gained, _ = np.bincount(verdicts, minlength=len(VERDICTS))
    by_people = both + opposed + lost
    return {
        "pairs": len(verdicts),
        "flipped": int(flipped.sum()),
        "both": both,
        "opposed": opposed,
        "lost": lost,
        "gained": gained,
        "fraction_significant": by_people / len(verdicts),
        "fraction_significant_machine": (both + opposed + gained) / len(verdicts),
        "fraction_confirmed": float(share(both, by_people)) if by_people else np.nan,
    }


@verb(on="runs", returns="judge_scores", family="judges", name="scores", grouped=False)
def judge_scores(
    runs: Table,
    qrels: object,
    machine: object,
    measures: object = MEASURES,
    *,
    query_set: Queries | None = None,
    method: str | Sequence[str] | None = None,
    grades: Mapping[object, float] | None = None,
    scale: Sequence[float] | None = None,
    level: float | None = None,
    queries: QueryRule = "relevant",
    ties: Ties | None = None,
    compat: Compat = "trec_eval-10",
    validate: bool = True,
) -> pd.DataFrame:
    """Return the score and the rank of every run by people's judgments and by those of each judge.

    Parameters
    ----------
    qrels : DataFrame or bound accessor
        People's judgments.
    machine : mapping of name to DataFrame, or DataFrame
        The judges' own judgments; see `judges`.
    measures : str, Measure, or list of them
        Measures of one ranking, or preferences.
    query_set : {'common', 'each', 'all'}, optional
        What to do where the queries that count differ; see `judges`.
    method : str or list of str, optional
        How to order the runs; by default by the mean of a measure and by the win rates of a preference.
    scale : list of numbers, optional
        The grades that there are; see `judges`.

    Examples
    --------
    >>> import pdeval
    >>> runs, qrels, _ = pdeval.datasets.load_sample()
    >>> strict = qrels.assign(relevance=qrels["relevance"].where(qrels["relevance"] > 1, 0))
    >>> found = runs.ireval.judges.scores(qrels, {"strict": strict}, "AP", queries="common")
    >>> found[["judge", "run", "human", "machine", "difference", "rank", "rank_machine"]].head(2).round(3)
        judge        run  human  machine  difference  rank  rank_machine
    0  strict  rerank-s1  0.560    0.533      -0.027     1             1
    1  strict  rerank-s2  0.554    0.515      -0.039     2             2
    """
    judged = JudgedTwice.of(locals())
    parts = []
    for pair, one, two in judged.ordered(method):
        key, run = (axis.ravel() for axis in np.indices(one.rank.shape))
        by = np.lexsort(
            (run, one.rank.ravel(), key)
        )  # by measure and method, then by people's rank
        human, other = one.score.ravel()[by], two.score.ravel()[by]
        rank, rank_machine = (side.rank.ravel()[by].astype(np.int64) for side in (one, two))
        columns: dict[str, Any] = {
            "judge": [pair.judge] * len(by),
            **run_columns(pair.human.runs, run[by]),
            **one.columns(key[by]),
            "human": human,
            "machine": other,
            "difference": other - human,
            "rank": rank,
            "rank_machine": rank_machine,
            "moved": rank - rank_machine,
        }
        parts.append(pd.DataFrame(columns))
    return judged.described(pd.concat(parts, ignore_index=True), query_set=query_set)


@verb(on="runs", returns="judge_pairs", family="judges", name="pairs", grouped=False)
@listed_in_docs(tests=TESTS)
def judge_pairs(
    runs: Table,
    qrels: object,
    machine: object,
    measures: object = MEASURES,
    *,
    query_set: Queries | None = None,
    test: str | None = None,
    correction: Correction | None = "bonferroni",
    alpha: float = 0.05,
    draws: int = 10_000,
    seed: int | None = 0,
    grades: Mapping[object, float] | None = None,
    scale: Sequence[float] | None = None,
    level: float | None = None,
    queries: QueryRule = "relevant",
    ties: Ties | None = None,
    compat: Compat = "trec_eval-10",
    validate: bool = True,
) -> pd.DataFrame:
    """Return what people's judgments and those of each judge say of every pair of runs, and whether they agree.

    Parameters
    ----------
    qrels : DataFrame or bound accessor
        People's judgments.
    machine : mapping of name to DataFrame, or DataFrame
        The judges' own judgments; see `judges`.
    measures : str, Measure, or list of them
        Measures of one ranking, or preferences.
    query_set : {'common', 'each', 'all'}, optional
        What to do where the queries that count differ; see `judges`.
    test : str, optional
        The test of every pair of runs. There are:

        {tests}
    scale : list of numbers, optional
        The grades that there are; see `judges`.

    Examples
    --------
    >>> import pdeval
    >>> runs, qrels, _ = pdeval.datasets.load_sample()
    >>> strict = qrels.assign(relevance=qrels["relevance"].where(qrels["relevance"] > 1, 0))
    >>> found = runs.ireval.judges.pairs(qrels, {"strict": strict}, "AP", queries="common")
    >>> found["conclusion"].value_counts().to_dict()
    {'both': 33, 'neither': 21, 'lost': 12}
    """
    judged = JudgedTwice.of(locals())
    compared = judged.compared(
        test=test, correction=correction, alpha=alpha, draws=draws, seed=seed
    )
    parts = []
    for pair, human, other in compared:
        # the columns that name the pair stand before the measure
        ids = list(human.columns[: list(human.columns).index("measure")])
        part = human[[*ids, "measure", "test"]].assign(
            human=human["difference"].to_numpy(),
            machine=other["difference"].to_numpy(),
            p_human=human["p_adjusted"].to_numpy(),
            p_machine=other["p_adjusted"].to_numpy(),
            flipped=direction(human) * direction(other) < 0,
            conclusion=np.array(VERDICTS, dtype=object)[verdicts_of(human, other, alpha)],
        )
        part.insert(0, "judge", [pair.judge] * len(part))
        parts.append(part)
    return judged.described(
        pd.concat(parts, ignore_index=True), alpha=alpha, correction=correction, query_set=query_set
    )


class Pair(NamedTuple):
    """The runs under the judgments of people and of one judge."""

    judge: object
    human: Judged
    machine: Judged


class JudgedTwice(NamedTuple):
    """The runs under the judgments of people and of each judge, judges sorted by name, and the measures."""

    pairs: list[Pair]
    measures: list[Any]

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> JudgedTwice:
        """Return both sides from the options that all verbs of judges share."""
        human, machines = (
            read(options["qrels"], "qrels"),
            judges_of(options["machine"], options["grades"]),
        )
        on_scale(human, machines, options["scale"])
        rules = {
            name: options[name]
            for name in ("query_set", "level", "queries", "ties", "compat", "validate")
        }
        pairs = paired_sets(options["runs"], human, machines, **rules)
        if len(pairs[0].human.runs) < 2:
            raise TooFew(
                "judges are compared by their orderings of the runs, which require at least two runs, found one."
            )
        return cls(pairs, parse_all(options["measures"]))

    def _for_sides(self, function: Callable[[Judged], Any]) -> list[tuple[Pair, Any, Any]]:
        """Return each pair with the results of a function for its two sides; judges may share a side."""
        sides = {id(side): side for pair in self.pairs for side in (pair.human, pair.machine)}
        results = {key: function(side) for key, side in sides.items()}
        return [(pair, results[id(pair.human)], results[id(pair.machine)]) for pair in self.pairs]

    def ordered(self, method: Any) -> list[tuple[Pair, Standing, Standing]]:
        """Return each pair with the orderings of the runs by people and by the judge."""
        return self._for_sides(
            lambda side: standing(side, self.measures, method=method, tell=False)
        )

    def compared(
        self, *, test: str | None, **options: Any
    ) -> list[tuple[Pair, pd.DataFrame, pd.DataFrame]]:
        """Return each pair with the comparisons of all runs under people and under the judge."""
        which_test(test)

        def compare_runs(side: Judged) -> pd.DataFrame:
            side.said.add("missing queries")  # warned of already, for all sides
            return compare(
                side, self.measures, test=test, family="measure", progress=False, **options
            )

        return self._for_sides(compare_runs)

    def described(self, frame: pd.DataFrame, **options: Any) -> pd.DataFrame:
        """Return a table with the rules and options of its numbers in `attrs`."""
        frame.attrs.update({**attributes(self.pairs[0].human, self.measures), **options})
        return frame


def judges_of(machine: object, grades: Mapping[object, float] | None = None) -> dict[object, Table]:
    """Return the judgments of each judge by name.

    Parameters
    ----------
    machine : mapping, or DataFrame
        Judgments (query, doc, grade) by the name of the judge; those of one judge; or labels (query, doc, assessor,
        label) of any number of them.
    grades : mapping of label to number, optional
        The grade of each label of a label table; needed where labels are not numbers.

    Examples
    --------
    >>> import pdeval
    >>> qrels = pdeval.datasets.sample_qrels()
    >>> list(judges_of({"llm": qrels, "crowd": qrels})), list(judges_of(qrels))
    (['llm', 'crowd'], ['machine'])
    """
    if isinstance(machine, Mapping):
        if not machine:
            raise ValueError("machine={} is empty. Pass the judgments of at least one judge.")
        return {name: read(one, "qrels") for name, one in machine.items()}
    frame, binding = getattr(machine, "_frame", machine), getattr(machine, "_binding", None) or {}
    if not isinstance(frame, pd.DataFrame) or kind_of(frame, binding) != "labels":
        return {MACHINE: read(machine, "qrels")}
    labels = read(machine, "labels")
    names = {
        "query": labels.roles.get("query", ""),
        "doc": labels.roles["doc"],
        "grade": "relevance",
    }
    return {name: read(part, "qrels", names) for name, part in swapped_qrels(labels, grades=grades)}


def on_scale(human: Table, machines: Mapping[object, Table], scale: Sequence[float] | None) -> None:
    """Raise where a judge gives grades that are not on the scale of people.

    Parameters
    ----------
    scale : list of numbers, optional
        The grades that there are; by default the whole numbers from the lowest to the highest that people gave.
    """
    grades = {
        name: np.unique(read_judgments(table).grade)
        for name, table in {PEOPLE: human, **machines}.items()
    }
    people = grades[PEOPLE] if scale is not None else grades.pop(PEOPLE)
    if scale is None and people.max() <= 0:
        raise TooFew(
            f"all human judgments have the grade {people.max():g}: no item is relevant, so there is nothing to compare."
        )
    least, most = np.floor(people.min()), np.ceil(people.max())
    # of the integers only those that an error lists: there may be very many
    integers = np.arange(least, min(most, least + 6) + 1)
    allowed = np.union1d(people, integers) if scale is None else np.asarray(scale, float)
    for name, given in grades.items():
        integer = (given == np.round(given)) & (least <= given) & (given <= most) & (scale is None)
        off = given[~(np.isin(given, allowed) | integer)]
        if len(off):
            examples = ", ".join(f"{value:g}" for value in off[:3]) + (
                " and others" if len(off) > 3 else ""
            )
            known = ", ".join(f"{value:g}" for value in allowed[:6]) + (
                ", ..." if len(allowed) > 6 else ""
            )
            raise ValueError(
                f"{_who(name)} gave {len(off)} grades that are not on the scale ({known}): {examples}. Map "
                "them to this scale first, or specify the grades: scale=[...]."
            )
        if name != PEOPLE and len(given) == 1:
            raise ValueError(
                f"{_who(name)} gives all items the grade {given[0]:g}, so the labels carry no information."
            )


def _who(name: object) -> str:
    return "people" if name == PEOPLE else f"judge {name!r}"


def paired_sets(
    runs: Table,
    human: Table,
    machines: Mapping[object, Table],
    *,
    query_set: Queries | None,
    level: float | None,
    queries: Any,
    **rules: Any,
) -> list[Pair]:
    """Return the runs under the judgments of people and of each judge, on the queries that were asked for.

    The runs are joined once to all items that anybody judged; each set of judgments only changes the grades.
    """
    tables = {PEOPLE: human, **dict(sorted(machines.items(), key=lambda one: str(one[0])))}
    _check_id_types(tables)
    union = all_items([items_of_qrels(table) for table in tables.values()])
    base = Judged(join(runs, union, **rules), checked_level(level), queries)
    base.tell()
    sides = {name: _under(base, name, table) for name, table in tables.items()}
    counting = {
        name: side.queries[np.flatnonzero(side.counted().any(axis=1))]
        for name, side in sides.items()
    }
    # people's side by the queries that it is restricted to
    people: dict[tuple[object, ...], Judged] = {}
    pairs = []
    for name, (of_people, of_judge) in _chosen_queries(
        counting.pop(PEOPLE), counting, query_set
    ).items():
        key = tuple(of_people)
        if key not in people:  # judges who share their queries share people's numbers
            people[key] = _kept(sides[PEOPLE], of_people)
        pairs.append(Pair(name, people[key], _kept(sides[name], of_judge)))
    return pairs


def _check_id_types(tables: Mapping[object, Table]) -> None:
    """Raise where ids are numbers in one set of judgments and text in another."""
    human = items_of_qrels(tables[PEOPLE])
    for name, judgments in tables.items():
        items = items_of_qrels(judgments).set_axis(human.columns, axis=1)
        for column in human.columns:
            numeric = {pd.api.types.is_numeric_dtype(part[column].dtype) for part in (human, items)}
            if len(numeric) > 1:
                raise ValueError(
                    f"the ids of {column!r} are {human[column].dtype} in people's judgments and {items[column].dtype} "
                    f"in those of {_who(name)}, so no ids match. Convert one of them, e.g. with .astype(str)."
                )


def _under(base: Judged, name: object, table: Table) -> Judged:
    """Return the runs under other judgments, or raise where these say nothing of them."""
    side = base.on(regraded(base.positions, read_judgments(table)))
    if not side.positions.relevant(side.level).any():
        level = "" if side.level is None else f" at level={side.level:g}"
        raise TooFew(
            f"no item is relevant by the judgments of {_who(name)}{level}, so there is nothing to compare."
        )
    if not len(side.positions.item):
        raise ValueError(
            f"no run has an item that {_who(name)} judged, whatever the query: the {len(table.frame):,} judgments say "
            "nothing of these runs. Are items named alike on both sides, or were these items taken out of the runs?"
        )
    return side


def _chosen_queries(
    people: pd.Index, others: Mapping[object, pd.Index], query_set: Queries | None
) -> dict[object, tuple[pd.Index, pd.Index]]:
    """Return the queries of people and of each judge to compare on, or an error where the caller has to say."""
    common = {name: people.intersection(of_judge) for name, of_judge in others.items()}
    for name, both in common.items():
        of_judge = others[name]
        if not len(both) and query_set != "all":
            raise ValueError(
                f"{_who(name)} has none of the {len(people)} queries that count by people's judgments, e.g. "
                f"{people.tolist()[0]!r}; it has {len(of_judge)} others, e.g. {of_judge.tolist()[0]!r}. Are queries "
                "named alike on both sides?"
            )
        if query_set is None and len(both) < max(len(people), len(of_judge)):
            several = "people and every judge have" if len(others) > 1 else "both have"
            each = (
                " query_set='each' for those that people and the one judge have,"
                if len(others) > 1
                else ""
            )
            count = "1 query" if len(people) == 1 else f"{len(people):,} queries"
            raise ValueError(
                f"people's judgments count on {count} and those of {_who(name)} on {len(of_judge)}, "
                f"of which {len(both)} are in common. Specify which queries to use: query_set='common' for those that "
                f"{several},{each} query_set='all' for all queries of each."
            )
    if query_set == "all":
        chosen = {name: (people, of_judge) for name, of_judge in others.items()}
    elif query_set == "each":
        chosen = {name: (both, both) for name, both in common.items()}
    else:
        shared = people
        for both in common.values():
            shared = shared.intersection(both)
        chosen = dict.fromkeys(others, (shared, shared))
    for name, both_sides in chosen.items():
        least = min(map(len, both_sides))
        if least < 2:
            raise TooFew(
                f"a judge is compared with people on at least two queries; there is {'one' if least else 'none'} "
                f"for {_who(name)} under query_set={query_set!r}."
            )
    return chosen


def _kept(side: Judged, queries: pd.Index) -> Judged:
    kept = side.queries.isin(queries)
    return side if kept.all() else side.on(side.positions.keep_topics(kept))


def verdicts_of(human: pd.DataFrame, other: pd.DataFrame, alpha: float) -> np.ndarray:
    """Return which of both comparisons are significant, as places in `VERDICTS`."""
    by_people, by_judge = (one["p_adjusted"].to_numpy() < alpha for one in (human, other))
    same = direction(human) == direction(other)
    return np.select(
        [by_people & by_judge & same, by_people & by_judge, by_people, by_judge], [0, 1, 2, 3], 4
    )


@verb(on="runs", returns="judge_bias", family="judges", name="bias", own="depth", grouped=False)
def judge_bias(
    runs: Table,
    qrels: object,
    machine: object,
    *,
    depth: int = 10,
    correction: Correction | None = "bonferroni",
    alpha: float = 0.05,
    confidence: float = 0.95,
    grades: Mapping[object, float] | None = None,
    scale: Sequence[float] | None = None,
    ties: Ties | None = None,
    compat: Compat = "trec_eval-10",
    validate: bool = True,
) -> pd.DataFrame:
    """Return how each judge grades the items that each run returned, against people, and so which runs it favors.

    A judge who is lenient with everything favors nobody: `favor` is the bias of a run less the mean bias of all runs
    on the same query. Only items that people and the judge labeled count.

    Parameters
    ----------
    qrels : DataFrame or bound accessor
        People's judgments.
    machine : mapping of name to DataFrame, or DataFrame
        The judges' own judgments; see `judges`.
    depth : int
        How far down each list is read.
    correction : str or None
        ... All runs are corrected together.
    confidence : float
        ... That of favor is Student's over queries; it is not corrected for the number of runs.
    scale : list of numbers, optional
        The grades that there are; see `judges`.

    Examples
    --------
    >>> import pdeval
    >>> runs, qrels, _ = pdeval.datasets.load_sample()
    >>> rerank = runs[runs["run"].str.startswith("rerank") & (runs["rank"] <= 10)]
    >>> liked = qrels.merge(rerank[["query_id", "doc_id"]].drop_duplicates().assign(liked=1), how="left")
    >>> llm = qrels.assign(relevance=(liked["relevance"] + (liked["liked"] == 1)).clip(upper=3))
    >>> found = runs.ireval.judges.bias(qrels, {"llm": llm})
    >>> found[["judge", "run", "items", "higher", "bias", "favor", "significant"]].iloc[[0, 7, 8]].round(3)
      judge        run  items  higher   bias  favor  significant
    0   llm       bm25    500   0.172  0.172  -0.103         True
    7   llm  rerank-s1    420   0.736  0.736   0.462         True
    8   llm  rerank-s2    421   0.729  0.734   0.459         True
    """
    human, machines = read(qrels, "qrels"), judges_of(machine, grades)
    on_scale(human, machines, scale)
    correction = which_correction(correction)  # type: ignore[assignment]
    pool = pooled(runs, depth, ties=ties, compat=compat, validate=validate)
    by_people = pool.grades(human)
    parts = []
    for name, judgments in sorted(machines.items(), key=lambda one: str(one[0])):
        difference = pool.grades(judgments) - by_people
        if np.isnan(difference).all():
            raise ValueError(
                f"people and judge {name!r} have no item in common among the first {depth} of any run; of the "
                f"{len(difference):,} items there, people labeled {int((~np.isnan(by_people)).sum()):,}. Use the same "
                "query and item ids on both sides."
            )
        difference = difference[pool.item]
        known = np.flatnonzero(~np.isnan(difference))
        parts.append(
            bias_of_judge(
                pool.runs,
                len(pool.queries),
                pool.query[pool.item[known]],
                pool.run[known],
                difference[known],
                name,
                str(correction),
                alpha,
                confidence,
            )
        )
    frame = pd.concat(parts, ignore_index=True)
    frame.attrs.update(
        pool.attrs, correction=correction, alpha=alpha, confidence=confidence, test="t"
    )
    return frame


def bias_of_judge(
    runs: pd.DataFrame,
    n_queries: int,
    query: np.ndarray,
    run: np.ndarray,
    difference: np.ndarray,
    name: object,
    correction: str,
    alpha: float,
    confidence: float,
) -> pd.DataFrame:
    """Return the rows of one judge, from the query, the run and the difference to people's grade of each item."""
    n_runs = len(runs)
    cell = query * n_runs + run
    # sums over the items of each list, (queries, runs)
    count = np.bincount(cell, minlength=n_queries * n_runs).reshape(n_queries, n_runs)
    total = np.bincount(cell, difference, minlength=n_queries * n_runs).reshape(n_queries, n_runs)
    mean = share(total, count, np.nan)
    mean_of_runs = share(
        np.nansum(mean, axis=1, keepdims=True), (count > 0).sum(axis=1, keepdims=True)
    )
    n = (count > 0).sum(axis=0)
    if n.max(initial=0) < 2:
        raise TooFew(
            f"a test over queries requires two queries, but judge {name!r} has common items for only {n.max()}."
        )
    result: Outcome = which_test("t")(mean - mean_of_runs, confidence=confidence)
    # a test of one query is none
    ci_low, ci_high, p_value = (
        np.where(n > 1, one, np.nan) for one in (result.ci_low, result.ci_high, result.p_value)
    )
    adjusted = adjust(p_value, np.zeros(n_runs, dtype=np.int64), correction=correction, alpha=alpha)
    items = np.bincount(run, minlength=n_runs)
    columns: dict[str, Any] = {
        "judge": [name] * n_runs,
        **run_columns(runs, np.arange(n_runs)),
        "n": n,
        "items": items,
        "higher": share(np.bincount(run, difference > 0, minlength=n_runs), items),
        "lower": share(np.bincount(run, difference < 0, minlength=n_runs), items),
        "bias": share(np.nansum(mean, axis=0), n, np.nan),
        "favor": np.where(n > 0, result.mean, np.nan),
        "ci_low": ci_low,
        "ci_high": ci_high,
        "p_value": p_value,
        "p_adjusted": adjusted,
        "significant": adjusted < alpha,
    }
    return pd.DataFrame(columns)
