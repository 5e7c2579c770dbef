"""Seeds of random draws in chunks: the same draws for any block size and any number of threads."""

from collections.abc import Callable, Iterator

import numpy as np

from pdeval.verbs import integer

# Number of draws that share one seed. It is part of the definition of a seeded result: blocks and threads divide the
# work at the bounds of chunks or within them, in order, and never across.
CHUNK = 64
BLOCK = 1 << 20  # values of draws in memory at a time
ONE_THREAD = 1 << 18  # multiplications of a product that OpenBLAS computes without threads


def new_seed() -> int:
    """Return a random seed, shared by all blocks and measures of a call with seed=None."""
    return int(np.random.default_rng().integers(2**63))


def chunks(
    draws: int, seed: int | np.random.SeedSequence | None
) -> list[tuple[int, np.random.SeedSequence]]:
    """Return (number of draws, seed) for every chunk of draws.

    More draws with the same seed begin with the same draws.

    Examples
    --------
    >>> [size for size, _ in chunks(150, seed=0)]
    [64, 64, 22]
    """
    draws = integer("draws", draws, 1)
    root = seed if isinstance(seed, np.random.SeedSequence) else np.random.SeedSequence(seed)
    # root.spawn() would change `root`, and so a second use of it
    return [
        (
            min(CHUNK, draws - start),
            np.random.SeedSequence(root.entropy, spawn_key=(*root.spawn_key, number)),
        )
        for number, start in enumerate(range(0, draws, CHUNK))
    ]


def bootstrap_counts(n: int, draws: int, seed: int | None, together: int) -> Iterator[np.ndarray]:
    """Yield how often each of n units is in each bootstrap sample, (samples, units), some samples together.

    The samples are the same for any number of them together.
    """
    rng = np.random.default_rng(seed)
    for start in range(0, draws, together):
        yield rng.multinomial(n, np.full(n, 1 / n), size=min(together, draws - start))


def draw_blocks(
    draw: Callable[[np.random.Generator, int], np.ndarray],
    draws: int,
    seed: int | None,
    shape: tuple[int, int],
) -> Iterator[np.ndarray]:
    """Yield arrays of random draws, those of many chunks together.

    Each is multiplied by a matrix of this shape. A product is either small enough for one thread of BLAS, or large: the
    threads of many products in between would wait for each other.

    Parameters
    ----------
    draw : callable
        Returns an array with one row per draw, from a generator and the number of draws.

    Examples
    --------
    >>> [len(block) for block in draw_blocks(lambda rng, size: rng.random((size, 2)), 150, 0, (2, 3))]
    [150]
    """
    steps = chunks(draws, seed)
    products = CHUNK * shape[0] * shape[1]
    # multiplications of small products, or values in memory
    most = ONE_THREAD // max(products, 1) or BLOCK // (CHUNK * max(shape))
    together = max(1, most)
    for start in range(0, len(steps), together):
        part = steps[start : start + together]
        yield np.concatenate([draw(np.random.default_rng(child), size) for size, child in part])
