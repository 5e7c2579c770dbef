"""Click models: each does what its name says, and the rates are those of its definition."""

import numpy as np
import pytest

from pdeval.online.simulation import MODELS, ClickModel, chosen_model, click_model

GRADES = np.tile([0.0, 1.0, 0.0, 1.0], (40_000, 1))


def rates(model, grades=GRADES):
    examined, clicked = chosen_model(model).clicks(grades, np.random.default_rng(0))
    return examined.mean(axis=0), clicked.mean(axis=0)


def test_the_perfect_user_clicks_what_is_relevant_and_nothing_else():
    examined, clicked = MODELS["perfect"].clicks(
        np.array([[0.0, 1.0, 1.0, 0.0]]), np.random.default_rng(0)
    )
    assert clicked.tolist() == [[False, True, True, False]]
    assert examined.all()


@pytest.mark.parametrize("model", ["navigational", "informational"])
def test_the_dependent_click_model_has_its_published_rates(model):
    click, stop = MODELS[model].click, MODELS[model].stop
    expected_examined, expected_clicked, reach = [], [], 1.0
    for grade in (0, 1, 0, 1):
        expected_examined.append(reach)
        expected_clicked.append(reach * click[grade])
        reach *= 1 - click[grade] * stop[grade]
    examined, clicked = rates(model)
    # four standard errors of a share of 40,000
    np.testing.assert_allclose(examined, expected_examined, atol=4 * 0.5 / 200)
    np.testing.assert_allclose(clicked, expected_clicked, atol=4 * 0.5 / 200)


def test_the_position_biased_user_looks_less_at_lower_ranks_whatever_was_clicked():
    examined, clicked = rates("position-biased")
    np.testing.assert_allclose(examined, 1 / np.arange(1, 5), atol=0.01)
    np.testing.assert_allclose(
        clicked, np.array([0.05, 0.95, 0.05, 0.95]) / np.arange(1, 5), atol=0.01
    )


def test_the_cascade_ends_with_its_first_click():
    examined, clicked = MODELS["cascade"].clicks(GRADES, np.random.default_rng(0))
    assert clicked.sum(axis=1).max() == 1
    at = clicked.argmax(axis=1)
    ended = clicked.any(axis=1)
    np.testing.assert_array_equal(examined.sum(axis=1)[ended], at[ended] + 1)


def test_past_the_end_of_a_list_nothing_is_seen():
    examined, clicked = ClickModel(click=(1.0, 1.0)).clicks(
        np.array([[0.0, np.nan]]), np.random.default_rng(0)
    )
    assert examined.tolist() == clicked.tolist() == [[True, False]]


def test_grades_between_have_probabilities_between():
    _, clicked = rates(ClickModel(click=(0.2, 0.6)), np.full((40_000, 1), 0.5))
    assert clicked[0] == pytest.approx(0.4, abs=0.01)


def test_unknown_models_and_impossible_numbers_are_refused():
    with pytest.raises(KeyError, match="no click model 'random'; there are perfect, navigational"):
        chosen_model("random")
    with pytest.raises(ValueError, match="probabilities from 0 to 1"):
        ClickModel(click=(0.0, 1.5))


@pytest.mark.parametrize("name", list(MODELS))
def test_every_model_says_what_its_users_do_and_does_no_more_than_is_shown(name):
    assert MODELS[name].description
    grades = np.array([[0.0, 1.0, np.nan]] * 200)
    examined, clicked = chosen_model(name).clicks(grades, np.random.default_rng(0))
    assert examined.shape == clicked.shape == grades.shape
    assert not (clicked & ~examined).any()
    assert not examined[:, 2].any()
    assert clicked[:, 1].mean() > clicked[:, 0].mean()  # relevance attracts


def test_a_model_of_ones_own_is_known_by_its_name_and_takes_none_of_pdevals():
    try:
        made = click_model("idle", click=(0.0, 0.0), description="click nothing")
        assert chosen_model("idle") is made
        with pytest.raises(KeyError, match=r"cascade, idle\. Or pass a ClickModel"):
            chosen_model("busy")
        assert click_model("idle", click=(0.1, 0.1)).click == (0.1, 0.1)  # declared again
    finally:
        del MODELS["idle"]
    with pytest.raises(
        ValueError, match=r"pdeval has a click model 'perfect' \(click everything relevant"
    ):
        click_model("perfect", click=(1.0, 1.0))
