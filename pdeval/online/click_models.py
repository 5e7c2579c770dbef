"""Models of a user who reads a results page from the top: which results are examined, which are clicked.

Every model here is one rule with other numbers: a result is examined if the user has not stopped above it, with
probability rank ** -bias; an examined result is clicked, and a click ends the search, with probabilities that depend
on its relevance. The dependent click model with the published numbers of Hofmann, Whiteson and de Rijke (2011) gives
'perfect', 'navigational' and 'informational'; no stopping gives the position-biased model, always stopping at a click
the cascade model (Craswell et al. 2008). A model with a rule of its own is a subclass of `ClickModel`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pdeval.verbs.registry import Registry


@dataclass(frozen=True)
class ClickModel:
    """A user model.

    Parameters
    ----------
    click : (float, float)
        Probability of a click on an examined result: not relevant, fully relevant; grades between lie between.
    stop : (float, float)
        Probability of stopping after a click, likewise.
    bias : float
        A result is examined with probability rank ** -bias, besides not having stopped above; 0 for always.
    says : str
        What its users do, in a clause.

    Examples
    --------
    >>> ClickModel(click=(0.0, 1.0)).clicks(np.array([[0.0, 1.0, 1.0]]), np.random.default_rng(0))[1].tolist()
    [[False, True, True]]
    """

    click: tuple[float, float]
    stop: tuple[float, float] = (0.0, 0.0)
    bias: float = 0.0
    says: str = ""

    def __post_init__(self) -> None:
        chances = (*self.click, *self.stop)
        if not all(0 <= chance <= 1 for chance in chances) or self.bias < 0:
            raise ValueError(f"a click model has probabilities from 0 to 1 and a bias of at least 0; found {self}.")

    def clicks(self, grade: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Return which results are examined and which are clicked.

        Parameters
        ----------
        grade : ndarray of shape (lists, positions)
            Relevance from 0 to 1; NaN past the end of a list.
        """
        shown = ~np.isnan(grade)
        value = np.where(shown, grade, 0.0)
        chance = rng.random((3, *grade.shape))
        noticed = shown & (chance[0] < np.arange(1, grade.shape[1] + 1) ** -float(self.bias))
        attracted = noticed & (chance[1] < _between(self.click, value))
        ended = np.logical_or.accumulate(attracted & (chance[2] < _between(self.stop, value)), axis=1)
        # the first click that ends the search is still seen; nothing below it is
        above = np.concatenate([np.zeros((len(grade), 1), dtype=bool), ended[:, :-1]], axis=1)
        return noticed & ~above, attracted & ~above


MODELS: Registry[ClickModel] = Registry(
    "click model", taken="pdeval has a click model {name!r} ({old.says}); give yours another name."
)


def click_model(
    name: str,
    *,
    click: tuple[float, float],
    stop: tuple[float, float] = (0.0, 0.0),
    bias: float = 0.0,
    says: str = "",
) -> ClickModel:
    """Declare a click model, so that `simulate_clicks` knows it by name.

    Parameters
    ----------
    name : str
        What `simulate_clicks(model=...)` calls it.
    click : (float, float)
        Probability of a click on an examined result: not relevant, fully relevant; grades between lie between.
    stop : (float, float)
        Probability of stopping after a click, likewise.
    bias : float
        A result is examined with probability rank ** -bias, besides not having stopped above; 0 for always.
    says : str
        What its users do, in a clause.

    Returns
    -------
    ClickModel
        The model.

    Examples
    --------
    >>> click_model("hurried", click=(0.1, 0.6), stop=(0.5, 1.0), says="leave with the first good result").stop
    (0.5, 1.0)
    >>> del MODELS["hurried"]
    """
    return MODELS.add(name, ClickModel(click, stop, bias, says))


for _name, _model in {
    "perfect": ClickModel((0.0, 1.0), says="click everything relevant and nothing else"),
    "navigational": ClickModel((0.05, 0.95), (0.2, 0.9), says="look for one result and stop once it is found"),
    "informational": ClickModel((0.4, 0.9), (0.1, 0.5), says="look around and stop late"),
    "position-biased": ClickModel((0.05, 0.95), bias=1.0, says="look the less at a result the lower it stands"),
    "cascade": ClickModel((0.05, 0.95), (1.0, 1.0), says="read downwards to the first click"),
}.items():
    MODELS.add(_name, _model, __name__)


def chosen_model(model: str | ClickModel) -> ClickModel:
    """Return a click model by name, or the model itself.

    Examples
    --------
    >>> chosen_model("cascade").stop
    (1.0, 1.0)
    """
    if isinstance(model, ClickModel):
        return model
    if not isinstance(model, str) or model not in MODELS:  # type: ignore[redundant-expr]
        raise KeyError(f"no click model {model!r}; there are {', '.join(MODELS)}, or give a ClickModel.")
    return MODELS[model]


def _between(ends: tuple[float, float], value: np.ndarray) -> np.ndarray:
    return ends[0] + (ends[1] - ends[0]) * value
