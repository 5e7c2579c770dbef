"""Mutants that no test can kill, each with its reason: (file, part of the line, changes, why)."""

from __future__ import annotations

from tests.mutations.equivalent_joins import IN_JOINS
from tests.mutations.equivalent_numbers import IN_NUMBERS

EQUIVALENT: list[tuple[str, str, tuple[str, ...], str]] = [*IN_JOINS, *IN_NUMBERS]
