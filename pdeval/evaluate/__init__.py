"""Kernels over blocks, to cubes, to frames: scores, preferences, win rates, summaries, contributions, curves."""

from pdeval.evaluate import contributions, curves, explanation, fitting, means, pairs, scores, summary

__all__ = ["contributions", "curves", "explanation", "fitting", "means", "pairs", "scores", "summary"]
