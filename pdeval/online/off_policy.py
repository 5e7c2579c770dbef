"""Logged policies: the value of a policy, estimated from actions that another policy chose and their rewards.

A log has one row per action: the context (query), the action or item, its reward, and its propensity, the probability
with which the logging policy chose it. An action is weighted by its probability under the policy to be evaluated,
divided by its propensity. Lists have one row per item with its rank; propensities are then those of an item at its
rank. Every estimator gives a value per round, whose mean is the estimate, so estimates are scores of policies.

References
----------
Horvitz and Thompson 1952; Swaminathan and Joachims 2015 (self-normalized); Dudik, Langford and Li 2011 (doubly robust);
Li et al. 2018, Offline evaluation of ranking policies with click models (item-position); McInerney et al. 2020
(cascade: reward interaction).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd

from pdeval.catalog import DEFAULT, remember
from pdeval.evaluate import Scores, coded, coded_runs, described_frame, run_columns
from pdeval.join import outside
from pdeval.kernels.primitives import share
from pdeval.tables import Table, listed, names_of, numbers, places, run_labels, table
from pdeval.verbs import Registry, one_of, positive, several, verb

NOISE = 1e-6  # by which probabilities may miss the sum of 1
UNLIKELY = 3.2905  # normal quantile of a two-sided p-value of .001
FEW = 20  # rounds whose weights may be equal by chance

table(
    "feedback",
    "[round:any session bucket time:time query action:any doc rank:float] reward:float propensity:float",
    "log of a policy",
    recognized_by="action|doc reward propensity",
    row="logged action",
    then=".off_policy(policies)",
    means={
        "round": "the decision; by default each row is one, and in lists each query. The rows of a list have the same",
        "query": "the context in which the action was chosen: a query, a user, or any id",
        "action": "the action; for recommenders and lists the item",
        "rank": "rank of the item in a list",
        "reward": "the reward of the action, such as a click",
        "propensity": "probability with which the logging policy chose the action; of an item at its rank, in lists",
    },
    no_report="a log is raw data; report .off_policy(policies)",
    no_plot="a log is raw data; see .off_policy(policies)",
)
table(
    "policy_weights",
    "run n:int mean:float max:float effective:float top_fraction:fraction unlogged:fraction",
    "table of weights of policies",
    row="policy",
    sort="run",
    means={
        "n": "number of logged actions",
        "mean": "mean weight: its expectation is 1 if propensities are right and the log has all actions of the policy",
        "max": "largest weight",
        "effective": "effective sample size: the squared sum of the weights over the sum of their squares",
        "top_fraction": "fraction of the total weight in the 1% of actions with the largest weights",
        "unlogged": "mean probability of actions that the log never has; missing for policies that are columns",
    },
    no_report="it is a check, to read before the estimates",
    no_plot="it is a check, to read before the estimates",
)


class Weighted(NamedTuple):
    """The rows of a log, sorted by round and rank, with their weights under policies.

    Parameters
    ----------
    weight : ndarray of shape (rows, policies)
    reward, expected : ndarray of shape (rows, 1)
        The reward, and that of the reward table.
    direct : ndarray of shape (rounds, policies)
        Expected reward of a policy by the reward table.
    round, rank : ndarray of int, shape (rows,)
        Number of the round, and of the rank among those of the log.
    clip : float
        Largest weight of clipped estimators.
    """

    weight: np.ndarray
    reward: np.ndarray
    expected: np.ndarray
    direct: np.ndarray
    round: np.ndarray
    rank: np.ndarray
    clip: float

    @property
    def starts(self) -> np.ndarray:
        """The first row of each round."""
        return np.flatnonzero(np.diff(self.round, prepend=-1))

    def by_round(self, values: np.ndarray) -> np.ndarray:
        """Return the sums of values over the rows of each round."""
        return np.add.reduceat(values, self.starts, axis=0)

    def by_rank(self, values: np.ndarray) -> np.ndarray:
        """Return the sums of values over the rows of each rank."""
        sums = np.zeros((int(self.rank.max()) + 1, values.shape[1]))
        np.add.at(sums, self.rank, values)
        return sums


Estimator = Callable[[Weighted], np.ndarray]
ESTIMATORS: Registry[Estimator] = Registry("estimator")


def estimator(function: Estimator) -> Estimator:
    """Declare an estimator: a function of the weighted log to values of shape (rounds, policies)."""
    ESTIMATORS.add(function.__name__, function, function.__module__)
    remember(function.__name__, DEFAULT)
    return function


@estimator
def IPS(log: Weighted) -> np.ndarray:
    """Inverse propensity scoring: weight times reward; in lists, the sum over items at their ranks (item-position)."""
    return log.by_round(log.weight * log.reward)


@estimator
def SNIPS(log: Weighted) -> np.ndarray:
    """Self-normalized IPS: weights are divided by their mean; in lists, by that of the rank."""
    total, over = log.by_rank(log.weight * log.reward), log.by_rank(log.weight)
    n = np.bincount(log.rank)[:, None]
    # linearized: the mean over rounds is the ratio, and the standard error that of the delta method
    ratio = share(total, over)[log.rank]
    residual = log.weight * (log.reward - ratio)
    return log.by_round(ratio + share(residual, (over / n)[log.rank]))


@estimator
def ClippedIPS(log: Weighted) -> np.ndarray:
    """IPS with weights of at most `clip`: less variance, and a bias towards 0 for rewards of 0 or more."""
    return log.by_round(np.minimum(log.weight, log.clip) * log.reward)


@estimator
def DM(log: Weighted) -> np.ndarray:
    """Direct method: the mean reward of the reward table under the policy; as biased as that table."""
    return log.direct


@estimator
def DR(log: Weighted) -> np.ndarray:
    """Doubly robust: the direct method, plus IPS of what the reward table is off."""
    return log.direct + log.by_round(log.weight * (log.reward - log.expected))


@estimator
def SlateIPS(log: Weighted) -> np.ndarray:
    """IPS of entire lists: the product of the weights of a list times the sum of its rewards.

    Probabilities are then those of an item given the items above it.
    """
    return np.multiply.reduceat(log.weight, log.starts, axis=0) * log.by_round(log.reward)


@estimator
def CascadeIPS(log: Weighted) -> np.ndarray:
    """IPS for users who read downwards: each reward has the product of the weights down to its item.

    Probabilities are then those of an item given the items above it.
    """
    position = np.arange(len(log.round)) - log.starts[log.round]
    weight = np.ones((len(log.starts), int(position.max()) + 1, log.weight.shape[1]))
    weight[log.round, position] = log.weight
    return log.by_round(np.cumprod(weight, axis=1)[log.round, position] * log.reward)


BY_MODEL = ("DM", "DR")
Policies = pd.DataFrame | str | Sequence[str]


@verb(on="feedback", returns="scores", family="off_policy")
def off_policy(
    log: Table,
    policies: Policies,
    estimators: Sequence[str] | str | None = None,
    *,
    rewards: pd.DataFrame | None = None,
    clip: float = 10.0,
    logging: pd.DataFrame | None = None,
    per: Literal["round", "query"] = "round",
) -> pd.DataFrame:
    """Return the estimated value of policies on every round of a log that another policy made.

    The mean over rounds is the estimate, so `summary` gives estimates with intervals, and `compare` compares policies
    on the same rounds. A warning says if the mean weight of a policy differs significantly from 1.

    Parameters
    ----------
    policies : DataFrame, str or list of str
        Policies to evaluate: policy (or run), query, action, probability, under the column names of the log; without a
        probability, a policy always chooses its action. For lists also the rank, so any ranked run table is a policy.
        Or column(s) of the log with the probability of the logged action.
    estimators : str or list of str, optional
        "IPS", "SNIPS", "ClippedIPS"; with a reward table "DM" and "DR"; for lists also "SlateIPS" and "CascadeIPS". By
        default the first three, and "DM" and "DR" with a reward table.
    rewards : DataFrame, optional
        Expected rewards, from a model: query, action, maybe rank, reward.
    clip : float, default 10
        Largest weight of "ClippedIPS".
    logging : DataFrame, optional
        The logging policy, in the form of `policies`: raise if a policy chooses an action that it never chooses.
    per : {'round', 'query'}
        Unit of the scores. With 'query', the rounds of a query (or user) are one unit: their sum, divided by the mean
        number of rounds. The mean stays the same, and intervals allow for rounds that depend on each other.

    Examples
    --------
    >>> log = pd.DataFrame({
    ...     "query_id": ["a", "a", "b", "b"], "action": [1, 2, 1, 2], "reward": [1, 0, 1, 1], "propensity": 0.5,
    ... })
    >>> policies = pd.DataFrame({
    ...     "policy": ["first"] * 2 + ["mixed"] * 4, "query_id": ["a", "b", "a", "a", "b", "b"],
    ...     "action": [1, 1, 1, 2, 1, 2], "probability": [1, 1, 0.5, 0.5, 0.2, 0.8],
    ... })
    >>> log.ireval.off_policy(policies, ["IPS", "SNIPS"]).ireval.summary(wide=True)
      policy   IPS  SNIPS
    0  first  1.00   1.00
    1  mixed  0.75   0.75
    """
    if estimators is None:
        estimators = ("IPS", "SNIPS", "ClippedIPS", *(BY_MODEL if rewards is not None else ()))
    names = [
        one_of("estimators", name, list(ESTIMATORS)) for name in several("estimators", estimators)
    ]
    needed = [name for name in names if name in BY_MODEL]
    if needed and rewards is None:
        raise ValueError(
            f"{needed[0]} needs expected rewards. Pass rewards=, a table of query, action and reward."
        )
    data = Logged.of(log, policies)
    if logging is not None:
        data.check_support(logging)
    weighted = data.weighted(rewards, positive("clip", clip))
    _warn_about_weights(data, weighted)
    values, units = np.stack([ESTIMATORS[name](weighted) for name in names]), data.ids["round"]
    if per == "query":
        values, units = data.by_query(values), data.ids["query"]
    return Scores(
        data.policies,
        units,
        tuple(names),
        values,
        np.ones(len(names), dtype=bool),
        {
            "run_columns": list(map(str, data.policies.columns)),
            "query_column": str(units.name),
            "measures": dict.fromkeys(names, DEFAULT),
            "clip": clip,
        },
    ).frame()


def _warn_about_weights(data: Logged, weighted: Weighted) -> None:
    """Warn of a policy whose mean weight differs significantly from 1."""
    weight = weighted.by_round(weighted.weight) / np.bincount(weighted.round)[:, None]
    n, mean = len(weight), weight.mean(axis=0)
    error = weight.std(axis=0) / np.sqrt(n)
    off = np.flatnonzero((np.abs(mean - 1) > UNLIKELY * error + NOISE) & (n >= FEW))
    if len(off):
        warnings.warn(
            f"the mean weight of policy {run_labels(data.policies)[off[0]]!r} is {mean[off[0]]:.3g}; expected 1. The "
            "logging policy does not choose all its actions, or propensities are wrong: estimates are biased.",
            stacklevel=outside(),
        )


@verb(on="feedback", returns="policy_weights", family="off_policy", name="weights")
def policy_weights(log: Table, policies: Policies) -> pd.DataFrame:
    """Return the weights of the logged actions under policies: how much of the log an estimate uses.

    If the effective sample size is small, or few actions have most of the weight, intervals are too narrow.

    Parameters
    ----------
    policies : DataFrame, str or list of str
        Policies to evaluate, as in `off_policy`.

    Examples
    --------
    >>> log = pd.DataFrame({"action": [1, 2, 1, 2], "reward": [1, 0, 1, 1], "propensity": [0.8, 0.2, 0.8, 0.2]})
    >>> policy = pd.DataFrame({"policy": "new", "action": [1, 2], "probability": [0.2, 0.8]})
    >>> log.ireval.off_policy.weights(policy).round(3)
      policy  n   mean  max  effective  top_fraction  unlogged
    0    new  4  2.125  4.0      2.249         0.471       0.0
    """
    data = Logged.of(log, policies)
    weight = data.weight
    n, total = len(weight), weight.sum(axis=0)
    action = data.keys["doc" if "doc" in data.keys else "action"]
    absent = ~data.actions[action].isin(data.table.frame[action]).to_numpy()
    largest = np.sort(weight, axis=0)[n - int(np.ceil(n / 100)) :]
    return described_frame(
        {
            **run_columns(data.policies, np.arange(len(data.policies))),
            "n": np.full(len(data.policies), n),
            "mean": total / n,
            "max": weight.max(axis=0),
            "effective": share(total**2, (weight**2).sum(axis=0)),
            "top_fraction": share(largest.sum(axis=0), total),
            # missing for policies that are columns of the log
            "unlogged": share(
                data.probability[absent].sum(axis=0), data.probability.sum(axis=0), np.nan
            ),
        },
        {"run_columns": list(map(str, data.policies.columns))},
    )


class Logged(NamedTuple):
    """A log, sorted by round and rank, with the probabilities of its actions under policies.

    Parameters
    ----------
    table : Table
        The log.
    keys : dict of str to str
        The columns that identify an action in its context: query, action, rank, as far as the log has them.
    ids : dict of str to Index
        Rounds, queries and ranks; a log without queries has one for all.
    codes : dict of str to ndarray of int, shape (rows,)
        Their numbers in each row.
    policies : DataFrame
        One row per policy.
    actions : DataFrame
        Actions of the policies, with the columns of `keys`; none if policies are columns of the log.
    probability : ndarray of shape (actions, policies)
        Probability of these actions.
    target : ndarray of shape (rows, policies)
        Probability of the logged actions.
    """

    table: Table
    keys: dict[str, str]
    ids: dict[str, pd.Index]
    codes: dict[str, np.ndarray]
    policies: pd.DataFrame
    actions: pd.DataFrame
    probability: np.ndarray
    target: np.ndarray

    @classmethod
    def of(cls, log: Table, policies: Policies) -> Logged:
        """Return the log with the probabilities of policies; raise an error about its faults."""
        n = len(log.frame)
        if not n:
            raise ValueError("the log of the policy is empty. Pass a log with at least one row.")
        codes = {
            "round": np.arange(n),
            "query": np.zeros(n, np.int64),
            "rank": np.zeros(n, np.int64),
        }
        ids: dict[str, pd.Index] = {
            "round": pd.RangeIndex(n, name="round"),
            "query": pd.Index(["all"], name="query_id"),
        }
        for role in (role for role in codes if role in log):
            codes[role], values = coded(log.column(role), "rank" if role == "rank" else "query")
            ids[role] = values.rename(log.roles[role])
        if "rank" in log and "round" not in log:  # one list of each query
            codes["round"], ids["round"] = codes["query"], ids["query"]
        order = np.lexsort((codes["rank"], codes["round"]))
        codes = {role: code[order] for role, code in codes.items()}
        log = Table(log.kind, log.frame.iloc[order].reset_index(drop=True), log.roles)
        same = np.diff(codes["round"]) == 0
        faults = {
            "actions at one rank": same & (np.diff(codes["rank"]) == 0),
            "queries": same & (np.diff(codes["query"]) != 0),
        }
        for words, fault in faults.items():
            if fault.any():
                example = ids["round"].tolist()[codes["round"][np.argmax(fault)]]
                raise ValueError(
                    f"round {example!r} has several {words}. A round is one action, or a list of one query with a "
                    "column 'rank'; the column 'round' distinguishes rounds."
                )
        _check_probabilities(numbers(log.column("propensity"), "propensity"), positive=True)
        roles = ("query", "doc" if "doc" in log else "action", "rank")
        keys = {role: log.roles[role] for role in roles if role in log}
        _check_columns(log.frame, list(keys.values()), "the log")
        if isinstance(policies, pd.DataFrame):
            names, actions, probability = _read_policies(policies, list(keys.values()))
            row = _rows(actions, log.frame, keys)
            if (row < 0).all():
                example = tuple(log.frame[list(keys.values())].iloc[0])
                raise ValueError(
                    f"no policy has an action of the log, e.g. {example}. Use the same {', '.join(keys.values())} in "
                    "both tables."
                )
            target = np.append(probability, np.zeros((1, len(names))), axis=0)[row]
        else:
            columns = several("policies", policies)
            _check_columns(log.frame, columns, "the log")
            target = np.stack([numbers(log.frame[name], name) for name in columns], axis=1)
            _check_probabilities(target)
            names = pd.DataFrame({"policy": columns})
            actions, probability = log.frame[list(keys.values())].head(0), target[:0]
        made = cls(log, keys, ids, codes, names, actions, probability, target)
        made.check_sums()
        return made

    @property
    def starts(self) -> np.ndarray:
        """The first row of each round."""
        return np.flatnonzero(np.diff(self.codes["round"], prepend=-1))

    @property
    def weight(self) -> np.ndarray:
        """The weights of the logged actions, of shape (rows, policies)."""
        return self.target / numbers(self.table.column("propensity"), "propensity")[:, None]

    def query_of_actions(self) -> np.ndarray:
        """Return the number of the query of each action of the policies, -1 if the log does not have it."""
        return (
            self.ids["query"].get_indexer(pd.Index(self.actions[self.keys["query"]]))
            if "query" in self.keys
            else np.zeros(len(self.actions), dtype=np.int64)
        )

    def check_sums(self) -> None:
        """Raise if the probabilities of a policy do not sum to 1, for a query of the log, or to more at a rank."""
        if not len(self.actions):
            return
        query = self.query_of_actions()
        rank = (
            pd.factorize(self.actions[self.keys["rank"]], sort=True)[0]
            if "rank" in self.keys
            else np.zeros(len(query), dtype=np.int64)
        )
        total = np.zeros((len(self.ids["query"]), int(rank.max()) + 1, len(self.policies)))
        known = query >= 0
        np.add.at(total, (query[known], rank[known]), self.probability[known])
        # lists may be shorter than others, so a rank may have no item
        least = 0.0 if "rank" in self.keys else 1 - NOISE
        wrong = (total > 1 + NOISE) | (total < least) | (total.sum(axis=1, keepdims=True) == 0)
        if wrong.any():
            at, rank_number, policy = np.argwhere(wrong)[0]
            raise ValueError(
                f"the probabilities of policy {run_labels(self.policies)[policy]!r} sum to "
                f"{total[at, rank_number, policy]:g} for query {self.ids['query'].tolist()[at]!r}; expected 1. A "
                "policy has probabilities for all actions of every query of the log, and of lists for every rank."
            )

    def check_support(self, logging: pd.DataFrame) -> None:
        """Raise if a policy chooses an action that the logging policy never chooses."""
        names, actions, probability = _read_policies(logging, list(self.keys.values()))
        if len(names) > 1:
            raise ValueError(
                f"logging= has {len(names)} policies; expected the one that made the log. Keep its rows."
            )
        row = _rows(actions, self.actions, self.keys)
        never = np.append(probability[:, 0], 0.0)[row] == 0
        action, policy = np.nonzero((self.probability > 0) & never[:, None])
        if len(action):
            raise ValueError(
                f"policy {run_labels(self.policies)[policy[0]]!r} chooses {len(np.unique(action)):,} actions that the "
                f"logging policy never chooses, e.g. {tuple(self.actions.iloc[action[0]])}, so their rewards are "
                "unknown. Set their probability to 0."
            )

    def weighted(self, rewards: pd.DataFrame | None, clip: float) -> Weighted:
        """Return the weights of the rows, and the expected rewards of a table of them."""
        reward = _rewards(self.table.column("reward"))[:, None]
        expected, direct = (
            np.zeros_like(reward),
            np.zeros((len(self.ids["round"]), len(self.policies))),
        )
        if rewards is not None:
            if not len(self.actions):
                raise ValueError(
                    "rewards= needs the probabilities of all actions. Pass policies as a table, not as columns."
                )
            name = self.table.roles["reward"]
            _check_columns(rewards, [*self.keys.values(), name], "rewards=")
            value = np.append(_rewards(rewards[name]), np.nan)
            chosen = (self.probability > 0).any(axis=1)
            wanted = pd.concat([self.actions[chosen], self.table.frame[list(self.keys.values())]])
            known = value[_rows(rewards, wanted, self.keys)][:, None]
            if np.isnan(known).any():
                example = tuple(wanted.iloc[np.argmax(np.isnan(known))])
                raise ValueError(
                    f"rewards= has no reward of {int(np.isnan(known).sum()):,} actions of the policies or the log, "
                    f"e.g. {example}. Add them."
                )
            of_action, expected = np.split(known, [int(chosen.sum())])
            of_query = np.zeros((len(self.ids["query"]) + 1, len(self.policies)))
            # the last row is that of queries that the log does not have
            np.add.at(
                of_query, self.query_of_actions()[chosen], self.probability[chosen] * of_action
            )
            direct = of_query[self.codes["query"][self.starts]]
        return Weighted(
            self.weight, reward, expected, direct, self.codes["round"], self.codes["rank"], clip
        )

    def by_query(self, values: np.ndarray) -> np.ndarray:
        """Return values of shape (estimators, queries, policies), with the same means as those of rounds."""
        query = self.codes["query"][self.starts]
        total = np.zeros((len(self.ids["query"]), len(values), values.shape[2]))
        np.add.at(total, query, values.swapaxes(0, 1))
        n = np.bincount(query)[:, None]
        mean = values.mean(axis=1, keepdims=True)
        return np.asarray(
            mean + (total.swapaxes(0, 1) - mean * n) / n.mean()
        )  # a ratio of sums, linearized


def _rows(known: pd.DataFrame, wanted: pd.DataFrame, keys: Mapping[str, str]) -> np.ndarray:
    """Return the row of `known` of each wanted action, or -1; raise if an action is known twice."""
    names = list(keys.values())
    again = known.duplicated(names).to_numpy()
    if again.any():
        raise ValueError(
            f"{int(again.sum()):,} actions are repeated, e.g. {tuple(known.loc[again, names].iloc[0])}. Keep one row "
            "of each."
        )
    return places([known[name] for name in names], [wanted[name] for name in names])


def _read_policies(
    policies: pd.DataFrame, keys: list[str]
) -> tuple[pd.DataFrame, pd.DataFrame, np.ndarray]:
    """Return the policies, their actions, sorted, and the probabilities of these, of shape (actions, policies)."""
    _check_columns(policies, keys, "the table of policies")
    name = next((name for name in ("policy", *names_of("run")) if name in policies), "")
    names, policy = (
        coded_runs({name: policies[name]})
        if name
        else (pd.DataFrame({"policy": ["policy"]}), np.zeros(len(policies), dtype=np.int64))
    )
    value = (
        numbers(policies["probability"], "probability")
        if "probability" in policies
        else np.ones(len(policies))
    )
    _check_probabilities(value)
    again = policies.duplicated([*keys, *([name] if name else [])])
    if again.any():
        raise ValueError(
            f"a policy has several rows of the same {', '.join(keys)}, e.g. "
            f"{tuple(policies.loc[again, keys].iloc[0])}. If other columns distinguish its actions, the log needs them "
            "too. Otherwise keep one row of each."
        )
    # actions in sorted order: sums do not depend on the order of rows
    action = policies.groupby(keys, sort=True, observed=True, dropna=False).ngroup().to_numpy()
    first = np.unique(action, return_index=True)[1]
    probability = np.zeros((len(first), len(names)))
    probability[action, policy] = value
    return names, policies[keys].iloc[first].reset_index(drop=True), probability


def _check_columns(frame: pd.DataFrame, names: Sequence[str], what: str) -> None:
    """Raise if a table does not have these columns, or if values are missing."""
    absent = [name for name in names if name not in frame]
    if absent:
        raise ValueError(
            f"{what} has no column {absent[0]!r}; it has {listed(frame.columns)}. Use the column names of the log."
        )
    missing = frame[list(names)].isna().sum()
    if missing.any():
        raise ValueError(
            f"{what} has {missing.max():,} rows without a value of {missing.idxmax()!r}. Fill or drop them."
        )


def _rewards(column: pd.Series) -> np.ndarray:
    """Return rewards; raise if one is not a finite number."""
    values = numbers(column, "reward")
    if np.isinf(values).any():
        raise ValueError(
            f"the reward column has {int(np.isinf(values).sum()):,} infinite values. Replace or drop them."
        )
    return values


def _check_probabilities(values: np.ndarray, *, positive: bool = False) -> None:
    """Raise if values are not probabilities."""
    what, range_ = (
        ("propensities", "above 0 and at most 1") if positive else ("probabilities", "0 to 1")
    )
    wrong = values[(values < 0) | (values > 1) | (positive & (values == 0))]
    if len(wrong):
        raise ValueError(
            f"{len(wrong):,} {what} are not {range_}, e.g. {wrong[0]:g}. Pass the probabilities with which actions are "
            "chosen."
        )
