"""Seeds of random draws in chunks: the same draws for any block size and any number of threads."""

from __future__ import annotations

import numpy as np

from pdeval.verbs.arguments import whole

# Number of draws that share one seed. It is part of the definition of a seeded result: blocks and threads divide the
# work at the bounds of chunks or within them, in order, and never across.
CHUNK = 64


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
    draws = whole("draws", draws, 1)
    root = seed if isinstance(seed, np.random.SeedSequence) else np.random.SeedSequence(seed)
    # root.spawn() would change `root`, and so a second use of it
    return [
        (
            min(CHUNK, draws - start),
            np.random.SeedSequence(root.entropy, spawn_key=(*root.spawn_key, number)),
        )
        for number, start in enumerate(range(0, draws, CHUNK))
    ]
