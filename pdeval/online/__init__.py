"""Users: click logs, A/B comparison of buckets, interleaving, credit of clicks, wins, simulated users.

log           the format of a click log, its checks, issued queries and their clicks   (faults: what is unreadable)
clicks        behaviour per issued query and per session
behaviour     behaviour measures by bucket, with intervals      (behaviour_measures: the registry; samples: statistics)
assignment    what a bucket was given to: the unit that counts, users in several buckets, sample-ratio mismatch
buckets       tests between buckets, the verdict on an expected order
interleaving  balanced, team-draft, probabilistic; team-draft multileaving   (rankings: ranked rows; drafts: arithmetic)
simulate      interleaved lists, or runs, and judgments to a click log                 (click_models: the users)
credit        clicks to the runs that earned them                                      (matching: rows by keys)
wins          votes of queries and users, the binomial test; outcomes as preferences
"""

from pdeval.online import behaviour, buckets, clicks, credit, interleaving, log, simulate, wins

__all__ = ["behaviour", "buckets", "clicks", "credit", "interleaving", "log", "simulate", "wins"]
