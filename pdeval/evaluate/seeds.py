"""Seeds of random draws in chunks: the same draws for any block size and any number of threads."""

from __future__ import annotations

import numpy as np

from pdeval.verbs.arguments import whole

# Draws that share one seed. It is part of the definition of a seeded result: blocks and threads divide the
# work along these chunks or inside them, in order, and never across.
CHUNK = 64


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
    # built by hand and not by root.spawn(), which would change `root` and so a second use of it
    return [
        (
            min(CHUNK, draws - start),
            np.random.SeedSequence(root.entropy, spawn_key=(*root.spawn_key, number)),
        )
        for number, start in enumerate(range(0, draws, CHUNK))
    ]
