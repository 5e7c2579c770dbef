"""Every table in and out: vocabularies, roles, recognition, and other frames to pandas."""

from pdeval.tables import schemas

__all__ = [
    "schemas"
]  # declared before all others: where two tables fit equally well, the first is meant
