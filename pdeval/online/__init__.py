"""Users: click logs, A/B comparison of buckets, interleaving, credit of clicks, wins, simulated users.

log           the format of a click log, its checks, issued queries and their clicks   (faults: what is unreadable)
clicks        behaviour per issued query and per session
behaviour     the eight behaviour measures by bucket, with intervals                   (samples: the statistics)
buckets       tests between buckets, the verdict on an expected order
rankings      run tables as rankings ready to be shown
interleaving  balanced, team-draft, probabilistic; team-draft multileaving             (drafts: the arithmetic)
simulate      interleaved lists and judgments to a click log                           (click_models: the users)
credit        clicks to the runs that earned them                                      (matching: rows by keys)
wins          votes of queries and users, the binomial test; outcomes as preferences
"""

from pdeval.online.behaviour import MEASURES, behaviour
from pdeval.online.buckets import compare_buckets, verdict
from pdeval.online.click_models import MODELS, ClickModel
from pdeval.online.clicks import per_query, per_session
from pdeval.online.credit import credit
from pdeval.online.interleaving import interleave, multileave
from pdeval.online.log import check_log
from pdeval.online.simulate import simulate
from pdeval.online.wins import preferences, wins

__all__ = [
    "MEASURES",
    "MODELS",
    "ClickModel",
    "behaviour",
    "check_log",
    "compare_buckets",
    "credit",
    "interleave",
    "multileave",
    "per_query",
    "per_session",
    "preferences",
    "simulate",
    "verdict",
    "wins",
]
