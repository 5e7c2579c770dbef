"""Users: click logs, A/B comparison of buckets, interleaving, credit of clicks, wins, simulated users.

log           the format of a click log, its checks, issued queries and their clicks   (faults: what is unreadable)
clicks        behaviour per issued query, per session and per user
behaviour     behaviour measures by bucket, with intervals      (behaviour_measures: the registry; samples: statistics)
observations  what each unit did on each measure
assignment    what a bucket was given to: the unit that counts, users in several buckets, sample-ratio mismatch
buckets       tests between buckets   (arms: which test; cuped: a pre-period; sequential: looking at any time)
aa_tests      how often these tests err, where users are assigned anew at random
bucket_order  the verdict on an expected order of buckets
interleaving  balanced, team-draft, probabilistic                           (rankings: ranked rows; drafts: arithmetic)
multileaving  many runs: team-draft, optimised, pairwise   (candidates: lists and their probabilities)
simulate      interleaved lists, or runs, and judgments to a click log                 (click_models: the users)
credit        clicks to the runs that earned them                                      (matching: rows by keys)
wins          votes of queries and users, the binomial test; outcomes as preferences
"""

from pdeval.online import behaviour, compare_buckets, credit, interleaving, log, simulation

__all__ = ["behaviour", "compare_buckets", "credit", "interleaving", "log", "simulation"]
