"""How many examples Hypothesis looks at: a few by the README's command, in CI as many as each test asks for."""

from hypothesis import settings

FEW_EXAMPLES = 6


def examples(most: int) -> settings:
    """Return how many examples a test that costs more than others looks at, where all are asked for."""
    few = settings().max_examples == FEW_EXAMPLES
    return settings(max_examples=min(most, FEW_EXAMPLES) if few else most)
