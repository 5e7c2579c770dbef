"""Logged policies. Equality with obp was checked with its own classes: 200 random logs, 3 policies, 1 to 5 positions.

The estimators of obp 0.5.5 (github.com/st-tech/zr-obp, commit 8cbd5fa): InverseProbabilityWeighting (also with
lambda_=2), SelfNormalizedInverseProbabilityWeighting, DirectMethod, DoublyRobust, SlateStandardIPS,
SlateIndependentIPS, SelfNormalizedSlateIndependentIPS, SlateRewardInteractionIPS; largest difference 7e-16. The
formulas below are written by hand.
"""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pdeval  # noqa: F401
from pdeval.tables.schemas import SCHEMAS
from tests.schema_faults import faults

LOG = pd.DataFrame(
    {
        "query_id": ["a", "a", "b", "b"],
        "action": ["x", "y", "x", "y"],
        "reward": [1.0, 0.0, 0.0, 1.0],
        "propensity": [0.5, 0.5, 0.8, 0.2],
    }
)
POLICIES = pd.DataFrame(
    {
        "policy": "new",
        "query_id": ["a", "a", "b", "b"],
        "action": ["x", "y", "x", "y"],
        "probability": [0.9, 0.1, 0.6, 0.4],
    }
)
REWARDS = pd.DataFrame(
    {
        "query_id": ["a", "a", "b", "b"],
        "action": ["x", "y", "x", "y"],
        "reward": [0.5, 0.5, 0.0, 1.0],
    }
)


def values(scores, measure):
    return scores.loc[scores["measure"] == measure, "value"].round(10).tolist()


def test_each_round_has_the_value_of_the_estimator_worked_by_hand():
    # weights .9/.5, .1/.5, .6/.8, .4/.2 = 1.8, .2, .75, 2; their sum is 4.75
    scores = LOG.ireval.off_policy(POLICIES, rewards=REWARDS, clip=1.5)
    assert values(scores, "IPS") == [1.8, 0.0, 0.0, 2.0]
    assert values(scores, "ClippedIPS") == [1.5, 0.0, 0.0, 1.5]
    # .9 * .5 + .1 * .5 = .5 for a, .6 * 0 + .4 * 1 = .4 for b
    assert values(scores, "DM") == [0.5, 0.5, 0.4, 0.4]
    # .5 + 1.8 * .5, .5 + .2 * -.5, .4 + .75 * 0, .4 + 2 * 0
    assert values(scores, "DR") == [1.4, 0.4, 0.4, 0.4]
    snips = scores.loc[scores["measure"] == "SNIPS", "value"]
    assert snips.mean() == pytest.approx(3.8 / 4.75, abs=1e-15)


def test_the_result_is_a_scores_table_that_other_verbs_take():
    both = pd.concat([POLICIES, POLICIES.assign(policy="same", probability=LOG["propensity"])])
    scores = LOG.ireval.off_policy(both)
    assert scores.columns.tolist() == ["policy", "round", "measure", "value"]
    assert scores.attrs["table"] == "scores"
    assert faults(SCHEMAS["scores"], scores, {"run": ["policy"], "query": ["round"]}) == []
    means = scores.ireval.summary(wide=True).set_index("policy")
    assert means.loc["same", ["IPS", "SNIPS", "ClippedIPS"]].tolist() == [0.5, 0.5, 0.5]
    compared = scores.ireval.compare("IPS")
    assert compared["difference"].round(10).tolist() == [0.45]
    assert "0.950" in scores.ireval.report(marks=None).to_text()
    device = pd.DataFrame({"round": range(4), "device": ["phone", "desk", "phone", "desk"]})
    grouped = scores.ireval.summary("IPS", by="device", metadata=device)
    assert grouped["mean"].round(10).tolist() == [1.0, 0.5, 0.9, 0.5]


def test_groups_of_rows_equal_filtered_logs():
    log = LOG.assign(device=["phone", "desk", "phone", "desk"])
    grouped = log.ireval.off_policy(POLICIES, "IPS", by="device")
    phone = log[log["device"] == "phone"].ireval.off_policy(POLICIES, "IPS")
    assert grouped.loc[grouped["device"] == "phone", "value"].tolist() == phone["value"].tolist()


def test_columns_of_the_log_are_policies_too():
    log = LOG.assign(new=POLICIES["probability"])
    by_column, by_table = log.ireval.off_policy("new"), LOG.ireval.off_policy(POLICIES)
    assert by_column["value"].tolist() == by_table["value"].tolist()
    assert by_column["policy"].unique().tolist() == ["new"]


def test_a_policy_without_probabilities_always_chooses_its_action():
    first = pd.DataFrame({"run": "first", "query_id": ["a", "b"], "action": "x"})
    assert values(LOG.ireval.off_policy(first, "IPS"), "IPS") == [2.0, 0.0, 0.0, 0.0]


def test_lists_add_up_their_items_at_their_ranks():
    log = pd.DataFrame(
        {
            "round": [1, 1, 2, 2],
            "query_id": "q",
            "doc_id": ["x", "y", "y", "x"],
            "rank": [1, 2, 1, 2],
            "click": [0, 1, 1, 1],
            "propensity": [0.8, 0.5, 0.2, 0.5],
        }
    )
    run = pd.DataFrame({"run": "new", "query_id": "q", "doc_id": ["y", "x"], "rank": [1, 2]})
    scores = log.ireval.off_policy(run, ["IPS", "SNIPS", "SlateIPS", "CascadeIPS"])
    # y at rank 1 and x at rank 2 were shown in round 2: 1/.2 + 1/.5; the product 10 times two clicks; 5 + 10
    assert values(scores, "IPS") == [0.0, 7.0]
    assert values(scores, "SlateIPS") == [0.0, 20.0]
    assert values(scores, "CascadeIPS") == [0.0, 15.0]
    assert np.mean(values(scores, "SNIPS")) == 2.0  # 5 / 5 at rank 1, 2 / 2 at rank 2
    # one list of each query needs no round
    once = log[log["round"] == 2].drop(columns="round")
    assert values(once.ireval.off_policy(run, "IPS"), "IPS") == [7.0]


def test_the_rounds_of_a_query_form_one_unit_with_the_same_mean():
    log = LOG.iloc[[0, 1, 2, 3, 0]]
    rounds, queries = (log.ireval.off_policy(POLICIES, per=per) for per in ("round", "query"))
    assert len(queries) == 6
    assert queries["query_id"].unique().tolist() == ["a", "b"]
    for name in ("IPS", "SNIPS"):
        assert np.mean(values(queries, name)) == pytest.approx(np.mean(values(rounds, name)))
    # a has 3 rounds of 2.5 on average, total 3.6; the mean of rounds is 5.6 / 5
    assert values(queries, "IPS")[0] == pytest.approx(1.12 + (3.6 - 3 * 1.12) / 2.5)


def test_weights_show_how_much_of_the_log_is_used():
    weights = LOG.ireval.off_policy.weights(POLICIES)
    row = weights.iloc[0]
    assert (row["n"], row["mean"], row["max"]) == (4, 4.75 / 4, 2.0)
    assert row["effective"] == pytest.approx(4.75**2 / (1.8**2 + 0.2**2 + 0.75**2 + 2**2))
    assert row["top_fraction"] == pytest.approx(2 / 4.75)  # one of four actions is 1%, rounded up
    assert row["unlogged"] == 0
    unknown = POLICIES.replace({"action": {"y": "z"}})
    assert LOG.ireval.off_policy.weights(unknown)["unlogged"].tolist() == [0.25]
    column = LOG.assign(new=0.5).ireval.off_policy.weights("new")
    assert column["unlogged"].isna().all()
    assert faults(SCHEMAS["policy_weights"], weights, {"run": ["policy"]}) == []


def test_a_mean_weight_other_than_1_warns_of_bias():
    log = pd.DataFrame({"action": ["x"] * 40, "reward": 1, "propensity": 0.5})
    policy = pd.DataFrame({"action": ["x", "z"], "probability": [0.25, 0.75]})
    with pytest.warns(UserWarning, match="mean weight of policy 'policy' is 0.5; expected 1"):
        log.ireval.off_policy(policy)


@pytest.mark.parametrize(
    ("log", "policies", "text"),
    [
        (
            LOG.assign(propensity=[0.5, 0, 1.5, 1]),
            POLICIES,
            "2 propensities are not above 0 and at",
        ),
        (LOG.assign(propensity=[0.5, None, 1, 1]), POLICIES, "propensity column has 1 missing"),
        (LOG.assign(reward=["x", 1, 1, 1]), POLICIES, "reward column has 1 values that are not"),
        (LOG.assign(round=[1, 1, 2, 3]), POLICIES, "round 1 has several actions at one rank"),
        (
            LOG.assign(round=[1, 2, 2, 3], rank=[1, 1, 2, 1]),
            POLICIES.assign(rank=1),
            "round 2 has several queries",
        ),
        (LOG, POLICIES.assign(probability=2.0), "4 probabilities are not 0 to 1, e.g. 2"),
        (LOG, POLICIES.iloc[:2], "policy 'new' sum to 0 for query 'b'; expected 1"),
        (LOG, POLICIES.iloc[:3], "policy 'new' sum to 0.6 for query 'b'; expected 1"),
        (LOG, POLICIES.iloc[[0, 0, 1, 2, 3]], "several rows of the same query_id, action"),
        (LOG.drop(columns="query_id"), POLICIES, "same action, e.g. .* the log needs them too"),
        (LOG.assign(action=[None, *"yxy"]), POLICIES, "log has 1 rows without a value of 'action'"),
        (LOG, POLICIES.assign(action=[None, *"yxy"]), "policies has 1 rows without a value of"),
        (
            LOG.assign(action="z"),
            POLICIES,
            r"no policy has an action of the log, e.g. \('a', 'z'\)",
        ),
        (LOG.assign(reward=np.inf), POLICIES, "the reward column has 4 infinite values"),
        (LOG, POLICIES.drop(columns="action"), "table of policies has no column 'action'"),
        (LOG, "new", "the log has no column 'new'"),
        (LOG.head(0), POLICIES, "the log of the policy is empty"),
    ],
)
def test_faulty_tables_raise(log, policies, text):
    with pytest.raises(ValueError, match=text):
        log.ireval.off_policy(policies)


def test_faulty_options_raise():
    with pytest.raises(ValueError, match="DR needs expected rewards"):
        LOG.ireval.off_policy(POLICIES, "DR")
    with pytest.raises(ValueError, match="no reward of 2 actions of the policies or the log"):
        LOG.ireval.off_policy(POLICIES, rewards=REWARDS.iloc[:3])
    with pytest.raises(ValueError, match="1 actions are repeated"):
        LOG.ireval.off_policy(POLICIES, rewards=REWARDS.iloc[[0, 0, 1, 2, 3]])
    with pytest.raises(ValueError, match="Pass policies as a table, not as columns"):
        LOG.assign(new=0.5).ireval.off_policy("new", rewards=REWARDS)
    with pytest.raises(ValueError, match="estimators='IPW'"):
        LOG.ireval.off_policy(POLICIES, "IPW")
    with pytest.raises(ValueError, match="clip"):
        LOG.ireval.off_policy(POLICIES, clip=0)


def test_actions_that_the_logging_policy_never_chooses_raise():
    logging = POLICIES.assign(policy="old", probability=[0.5, 0.5, 1.0, 0.0])
    with pytest.raises(ValueError, match=r"'new' chooses 1 actions that .* e.g. \('b', 'y'\)"):
        LOG.ireval.off_policy(POLICIES, logging=logging)
    fine = LOG.ireval.off_policy(
        POLICIES, logging=POLICIES.assign(probability=[0.5, 0.5, 0.8, 0.2])
    )
    assert fine["value"].tolist() == LOG.ireval.off_policy(POLICIES)["value"].tolist()
    with pytest.raises(ValueError, match="logging= has 2 policies"):
        LOG.ireval.off_policy(POLICIES, logging=pd.concat([POLICIES, logging]))


@settings(deadline=None, max_examples=30)
@given(seed=st.integers(0, 2**32 - 1))
def test_estimates_equal_the_formulas_and_do_not_depend_on_the_order_of_rows(seed):
    rng = np.random.default_rng(seed)
    n, n_queries, n_actions = int(rng.integers(1, 40)), int(rng.integers(1, 6)), 4
    query, action = rng.integers(n_queries, size=n), rng.integers(n_actions, size=n)
    logging, target = rng.dirichlet(np.ones(n_actions), size=(2, n_queries))
    model, reward = rng.random((n_queries, n_actions)), rng.random(n)
    log = pd.DataFrame({"round": rng.permutation(n), "user_id": query, "item_id": action})
    log = log.assign(reward=reward, propensity=logging[query, action])
    at = np.indices(target.shape).reshape(2, -1)
    keys = pd.DataFrame({"user_id": at[0], "item_id": at[1]})
    policy, rewards = keys.assign(probability=target.ravel()), keys.assign(reward=model.ravel())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pdeval.online.off_policy.UNLIKELY", 1e9)
        scores = log.ireval.off_policy(policy, rewards=rewards, clip=2)
        shuffled = log.sample(frac=1, random_state=1).ireval.off_policy(
            policy.sample(frac=1, random_state=2),
            rewards=rewards.sample(frac=1, random_state=3),
            clip=2,
        )
    assert scores["value"].tolist() == shuffled["value"].tolist()
    weight = target[query, action] / logging[query, action]
    direct = (target * model).sum(axis=1)[query]
    expected = {
        "IPS": (weight * reward).mean(),
        "SNIPS": (weight * reward).sum() / weight.sum(),
        "ClippedIPS": (np.minimum(weight, 2) * reward).mean(),
        "DM": direct.mean(),
        "DR": (direct + weight * (reward - model[query, action])).mean(),
    }
    means = scores.groupby("measure", observed=True)["value"].mean()
    for name, value in expected.items():
        assert means[name] == pytest.approx(value, rel=1e-12)
