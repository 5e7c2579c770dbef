"""Drop-in adapters with the names and signatures of other tools. None of the tools is imported before it is used.

pytrec_eval   `RelevanceEvaluator` with the same numbers, from nested dicts or from frames of many runs
ir_measures   a provider of ir_measures' measures
pyterrier     functions for `pt.Experiment(test=...)`, and its per-query results as a table of scores
"""
