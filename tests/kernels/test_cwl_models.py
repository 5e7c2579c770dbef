"""User models of C/W/L against their formulas, one reader, one rank, one number at a time."""

import math

import numpy as np
import pytest

from pdeval.kernels import cwl, expectations


def bpmd(gains, costs, i, T, hb, hc, median, k):
    for at in range(i + 1):  # a reader who stopped once does not come back
        moved = sum(gains[one] - median for one in range(at))
        if not (sum(gains[: at + 1]) < T + hb * moved and sum(costs[: at + 1]) < k + hc * moved):
            return 0.0
    return 1.0


def interest(read, L):
    return max(1 - read / L, 0.0)


def u_measure(gains, costs, i, L):
    here, after = interest(sum(costs[:i]), L), interest(sum(costs[: i + 1]), L)
    return after / here if i + 1 < len(gains) - 1 and here > 0 else 0.0


def to_come(gains, i):
    return sum(gains[at] / (at + 1) for at in range(i, len(gains)))


def goal(gains, i, T, b1, R1):
    return 1 - 1 / (1 + b1 * math.exp((T - sum(gains[: i + 1])) * R1))


def rate(gains, costs, i, A, b2, R2):
    return 1 / (1 + b2 * math.exp((A - sum(gains[: i + 1]) / sum(costs[: i + 1])) * R2))


# model -> (parameters, the probability to go on from the item i, counted from 0)
PLAIN = {
    "INST": ({"T": 3.0}, lambda g, c, i, T: (1 - 1 / (i + 1 + T + (T - sum(g[: i + 1])))) ** 2),
    "INSQ": ({"T": 3.0}, lambda g, c, i, T: (1 - 1 / (i + 1 + 2 * T)) ** 2),
    "BPM": (
        {"T": 2.0, "k": 6.0},
        lambda g, c, i, T, k: float(sum(g[: i + 1]) < T and sum(c[: i + 1]) < k),
    ),
    "BPMD": ({"T": 2.5, "hb": 0.7, "hc": 2.0, "median": 0.3, "k": 9.0}, bpmd),
    "SDCG": (
        {"k": 5.0},
        lambda g, c, i, k: math.log2(i + 2) / math.log2(i + 3) if i + 1 < k else 0.0,
    ),
    "NERR8": ({"k": 5.0}, lambda g, c, i, k: 1 - g[i] if i + 1 < k else 0.0),
    "NERR9": ({"k": 5.0}, lambda g, c, i, k: (i + 1) / (i + 2) * (1 - g[i]) if i + 1 < k else 0.0),
    "NERR10": ({"p": 0.7}, lambda g, c, i, p: p * (1 - g[i])),
    "NERR11": ({"T": 3.0}, lambda g, c, i, T: (1 - 1 / (i + 1 + 2 * T)) ** 2 * (1 - g[i])),
    "TBG": (
        {"halflife": 3.0},
        lambda g, c, i, halflife: 0.5 ** (c[i] / halflife) if i + 1 < len(g) else 0.0,
    ),
    "U": ({"L": 7.0}, u_measure),
    "SET": (
        {"beta": 0.3, "k": 6.0},
        lambda g, c, i, beta, k: (
            ((i + 3) ** beta - (i + 2) ** beta) / ((i + 2) ** beta - (i + 1) ** beta)
            if i + 1 < k
            else 0.0
        ),
    ),
    "IFT-goal": ({"T": 2.2, "b1": 0.6, "R1": 3.0}, lambda g, c, i, **own: goal(g, i, **own)),
    "IFT-rate": ({"A": 0.3, "b2": 0.7, "R2": 4.0}, rate),
    "IFT": (
        {"T": 2.2, "b1": 0.6, "R1": 3.0, "A": 0.3, "b2": 0.7, "R2": 4.0},
        lambda g, c, i, T, b1, R1, **own: goal(g, i, T, b1, R1) * rate(g, c, i, **own),
    ),
    "RBP": ({"p": 0.6}, lambda g, c, i, p: p),
    "P": ({"k": 4.0}, lambda g, c, i, k: float(i + 1 < k)),
    "RR": ({}, lambda g, c, i: float(sum(g[: i + 1]) == 0)),
    "AP": ({}, lambda g, c, i: to_come(g, i + 1) / to_come(g, i) if to_come(g, i + 1) > 0 else 0.0),
}


def plainly(gains, costs, going_on):
    """What a reader gains and spends, by adding up where the reader is and where the reader stops."""
    seen, looks, found = 1.0, 0.0, np.zeros(4)
    for i in range(len(gains)):
        on = going_on(i)
        looks += seen
        stops = seen * (1 - on)
        found += [
            seen * gains[i],
            stops * sum(gains[: i + 1]),
            seen * costs[i],
            stops * sum(costs[: i + 1]),
        ]
        seen *= on
    return [found[0] / looks, found[1], found[2] / looks, found[3], looks]


def test_every_model_has_its_formula_here():
    ours = {
        name for name, one in cwl.MODELS.items() if one.going_on.__module__.startswith("pdeval.")
    }
    assert ours == set(PLAIN)


@pytest.mark.parametrize("name", PLAIN)
def test_readers_go_on_as_the_formula_says(name):
    own, formula = PLAIN[name]
    rng = np.random.default_rng(len(name))
    gain = rng.choice([0.0, 0.0, 0.25, 0.5, 1.0], (9, 12))
    gain[:, 0] = 0.0
    gain[:3, 1:4] = 0.0
    cost = rng.choice([0.5, 1.0, 2.0], (9, 12))
    for spent in (np.ones((9, 12)), cost):
        found = expectations(name, gain, spent, **own)
        for at in range(12):
            g, c = gain[:, at].tolist(), spent[:, at].tolist()
            wanted = plainly(g, c, lambda i, g=g, c=c: formula(g, c, i, **own))
            assert [float(one[at]) for one in found] == pytest.approx(wanted, rel=1e-10, abs=1e-12)
            assert found.depth.dtype == np.float64


def test_a_model_gives_probabilities_as_floats_at_every_rank():
    rank = np.arange(1.0, 7.0)
    gain = np.array([0.0, 0.5, 0.0, 1.0, 0.0, 0.0])
    held = {"rank": rank, "gain": gain, "cost": np.ones(6), "total": np.cumsum(gain), "spent": rank}
    for name, (own, formula) in PLAIN.items():
        model = cwl.MODELS[name]
        found = np.asarray(model.going_on(*[held[one] for one in model.columns], **own))
        assert found.dtype == np.float64, name
        wanted = [formula(gain.tolist(), [1.0] * 6, i, **own) for i in range(6)]
        assert found.tolist() == pytest.approx(wanted, rel=1e-10, abs=1e-12), name


def test_a_reader_stops_where_the_gains_are_just_what_is_wanted():
    # T rises by a half for every item of gain 1: 2, 2.5, 3, and 3 gains are found at rank 3
    assert float(expectations("BPMD", np.ones(6), T=2.0, hc=0.0).depth) == 3.0
    # k rises so too: 2, 2.5, 3, and 3 items are seen at rank 3
    assert float(expectations("BPMD", np.ones(6), T=99.0, k=2.0).depth) == 3.0
    assert float(expectations("BPM", np.ones(6), T=2.0).depth) == 2.0
    assert float(expectations("BPM", np.ones(6), T=99.0, k=2.0).depth) == 2.0
    for name in ("SDCG", "NERR8", "NERR9", "SET", "P"):
        assert float(expectations(name, np.zeros(6), k=2.0).depth) > 1.0
        assert (
            expectations(name, np.zeros(6), k=2.0).depth
            == expectations(name, np.zeros(2), k=9.0).depth
        )
