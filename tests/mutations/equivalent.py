"""Mutants that no test can kill, since they change no result: (file, part of the line, changes, why)."""

from tests.mutations.equivalent_joins import IN_JOINS
from tests.mutations.equivalent_judged import IN_JUDGED
from tests.mutations.equivalent_kernels import IN_KERNELS
from tests.mutations.equivalent_labels import IN_LABELS
from tests.mutations.equivalent_leaderboards import IN_LEADERBOARDS
from tests.mutations.equivalent_orderings import IN_ORDERINGS
from tests.mutations.equivalent_significance import IN_SIGNIFICANCE

EQUIVALENT = [
    *IN_JOINS,
    *IN_JUDGED,
    *IN_KERNELS,
    *IN_LABELS,
    *IN_LEADERBOARDS,
    *IN_ORDERINGS,
    *IN_SIGNIFICANCE,
]
