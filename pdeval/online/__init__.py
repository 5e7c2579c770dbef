"""Users: click logs, A/B tests between buckets, interleaving, credit of clicks, simulated users.

log                 the format of a click log, and which click answers which issued query
log_checks          problems of a log: unreadable rows, users in several buckets, sample-ratio mismatch
behaviour           behavior measures by bucket, with intervals
behaviour_measures  the registry of behavior measures
compare_buckets     tests between buckets, an expected order of buckets, A/A tests
variants            the units of a bucket with their values, adjusted by CUPED, and the choice of the test
two_sample_tests    means, rates and medians with intervals, and tests between two independent groups
interleaving        balanced, team-draft and probabilistic interleaving; multileaving of many runs
rankings            ranked rows: the documents of a list in rank order, and the rank of a document
credit              clicks credited to runs, wins with the binomial test, preferences per query
simulation          simulated click logs, and the click models
"""

from pdeval.online import behaviour, compare_buckets, credit, interleaving, log, simulation

__all__ = ["behaviour", "compare_buckets", "credit", "interleaving", "log", "simulation"]
