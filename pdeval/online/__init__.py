"""Users: click logs, A/B tests between buckets, interleaving, credit of clicks, simulated users.

log                 the format of a click log, its problems, and which click answers which issued query
behavior            the registry of behavior measures, and their values by bucket, with intervals
compare_buckets     tests between buckets, adjusted by CUPED, an expected order of buckets, A/A tests
two_sample_tests    means, rates and medians with intervals, and tests between two independent groups
interleaving        ranked rows; balanced, team-draft and probabilistic interleaving; multileaving of many runs
credit              clicks credited to runs, wins with the binomial test, preferences per query
off_policy          policies evaluated on the log of another policy, by weights and expected rewards
simulation          simulated click logs, and the click models
"""

from pdeval.online import (
    behavior,
    compare_buckets,
    credit,
    interleaving,
    log,
    off_policy,
    simulation,
)

__all__ = [
    "behavior",
    "compare_buckets",
    "credit",
    "interleaving",
    "log",
    "off_policy",
    "simulation",
]
