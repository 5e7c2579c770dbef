"""Mutants that no test can kill, each with its reason: (file, part of the line, change or "*", why)."""

from __future__ import annotations

EQUIVALENT: list[tuple[str, str, str, str]] = []
