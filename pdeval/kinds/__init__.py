"""Every table in and out: vocabularies, roles, recognition, and other frames to pandas."""

from pdeval.kinds import known_tables

__all__ = ["known_tables"]  # declared before all others: where two tables fit equally well, the first is meant
