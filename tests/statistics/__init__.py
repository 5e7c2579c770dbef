"""How often tests err and intervals miss, by simulation: `python -m tests.statistics`."""
