"""Functions that kernels share, over arrays whose axis 0 is the recall level.

A ranking is the sorted ranks of its relevant items, infinity for an item that was not retrieved. Every function takes
arrays of shape (m, ...): one list, all lists of a topic, or all pairs by broadcasting.
"""

import math

import numpy as np

inf = math.inf
MOST_EXPONENT = 1023  # of a double


def level(rank: np.ndarray) -> np.ndarray:
    """Return the recall levels 1..m, shaped to broadcast against `rank`.

    Examples
    --------
    >>> level(np.array([1.0, 4.0, inf])).tolist()
    [1.0, 2.0, 3.0]
    """
    rank = np.asarray(rank)
    # shape (m, 1, ..., 1)
    return np.arange(1.0, len(rank) + 1).reshape(-1, *[1] * (rank.ndim - 1))


def items(rank: np.ndarray, m: np.ndarray | None = None) -> np.ndarray | int:
    """Return the number of items: the number of ranks, or `m` if the block is padded.

    Examples
    --------
    >>> items(np.array([1.0, 4.0, inf])), items(np.array([1.0, 4.0, inf]), 2)
    (3, 2)
    """
    return len(rank) if m is None else m


def cut(rank: np.ndarray, k: float = inf) -> np.ndarray:
    """Return the ranks with those beyond `k` made infinite.

    Examples
    --------
    >>> cut(np.array([1.0, 4.0]), 3).tolist()
    [1.0, inf]
    """
    rank = np.asarray(rank, dtype=np.float64)
    # 1 / inf = 0 and p**inf = 0: an item beyond the cutoff adds nothing to a sum
    return rank if k == inf else np.where(rank <= k, rank, inf)


def found(rank: np.ndarray, k: float | np.ndarray = inf) -> np.ndarray:
    """Return which items were retrieved, down to rank `k`.

    Examples
    --------
    >>> found(np.array([1.0, 4.0, inf])).tolist(), found(np.array([1.0, 4.0, inf]), 3).tolist()
    ([True, True, False], [True, False, False])
    """
    rank = np.asarray(rank)
    return (rank <= k) & (rank < inf)


def total(values: np.ndarray) -> np.ndarray:
    """Return the sum along axis 0, added one level after the other.

    Examples
    --------
    >>> float(total(np.array([0.5, 0.25])))
    0.75
    """
    values = np.asarray(values, dtype=np.float64)
    if len(values) == 0:
        return np.zeros(values.shape[1:])
    # adds in rank order, as trec_eval does: equal systems stay exactly equal
    return np.add.accumulate(values, axis=0)[-1]


def running(values: np.ndarray) -> np.ndarray:
    """Return the running sums along axis 0.

    Examples
    --------
    >>> running(np.array([1.0, 0.0, 2.0])).tolist()
    [1.0, 1.0, 3.0]
    """
    return np.add.accumulate(np.asarray(values, dtype=np.float64), axis=0)


def share(part: np.ndarray, total: np.ndarray | float, empty: float = 0.0) -> np.ndarray:
    """Return part / total, or `empty` if the total is 0.

    Examples
    --------
    >>> share(np.array([1.0, 0.0]), np.array([2.0, 0.0])).tolist()
    [0.5, 0.0]
    """
    part, total = np.asarray(part, dtype=np.float64), np.asarray(total)
    if total.ndim == 0:
        return part / total if total else np.full(part.shape, empty)
    shares = np.full(np.broadcast_shapes(part.shape, total.shape), empty)
    np.divide(part, total, out=shares, where=total != 0)
    return shares


_LOG2 = np.array([-inf])


def log2(number: np.ndarray) -> np.ndarray:
    """Return the base-2 logarithm of integers or infinity, equal to that of the C library to the last bit.

    Examples
    --------
    >>> log2(np.array([1.0, 8.0, inf])).tolist()
    [0.0, 3.0, inf]
    """
    global _LOG2
    number = np.asarray(number)
    integer = np.where(number < inf, number, 0).astype(np.int64)
    top = int(integer.max(initial=0))
    if top >= len(_LOG2):
        # vectorized logarithms differ from libm's in the last bit, so one table is made with libm's
        grown = np.fromiter(map(math.log2, range(len(_LOG2), 2 * top + 1)), dtype=np.float64)
        _LOG2 = np.concatenate([_LOG2, grown])
    return np.where(number < inf, _LOG2[integer], inf)


def closer(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return +1 if `x` has the item at a better rank than `y`, -1 if at a worse one, 0 if at the same rank.

    An item that neither retrieved is a tie.

    Examples
    --------
    >>> closer(np.array([1.0, 5.0, inf]), np.array([2.0, 5.0, 9.0])).tolist()
    [1, 0, -1]
    """
    x, y = np.asarray(x), np.asarray(y)
    # booleans are bytes: seen as int8 they subtract without a copy
    return (x < y).view(np.int8) - (x > y).view(np.int8)


def power_of_two(grade: np.ndarray | float) -> np.ndarray:
    """Return 2^grade, or raise if it is too large for a float.

    Examples
    --------
    >>> power_of_two(np.array([0.0, 3.0])).tolist()
    [1.0, 8.0]
    """
    most = float(np.max(grade, initial=0.0))
    if most > MOST_EXPONENT:
        raise ValueError(
            f"grade {most:g} has an exponential gain of 2^{most:g}, which is too large for a float; the largest "
            f"possible grade is {MOST_EXPONENT}. Use smaller grades, or a linear gain."
        )
    return np.exp2(grade)


def first_nonzero(values: np.ndarray) -> np.ndarray:
    """Return the first nonzero value along axis 0, or 0.

    Examples
    --------
    >>> int(first_nonzero(np.array([0, -1, 1])))
    -1
    """
    values = np.asarray(values)
    if len(values) == 0:
        return np.zeros(values.shape[1:], dtype=values.dtype)
    # argmax of booleans is the first True; of no True it is 0, where the value is 0
    return np.take_along_axis(values, np.argmax(values != 0, axis=0)[None], axis=0)[0]


def weighted_mean(values: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Return the mean along axis 0 under weights of shape (m,), which need not sum to 1.

    Examples
    --------
    >>> float(weighted_mean(np.array([1, -1]), np.array([3.0, 1.0])))
    0.5
    """
    values, weight = np.asarray(values), np.asarray(weight, dtype=np.float64)
    return total(values * weight.reshape(-1, *[1] * (values.ndim - 1))) / weight.sum()
