"""Kernels over blocks, to cubes, to frames: scores, preferences, win rates, summaries, contributions, curves."""
