"""Agreement between measures, ties, and what lower recall levels say about the first.

differences  differences of several measures over the same pairs of rankings
signs        agree: sign agreement with fuzziness, and Pearson's r
synthetic    the same over all lists, random lists, and lists drawn from runs
ties         tied pairs by measure and query, by recall level, given the first relevant item
chance       how many ties to expect in theory
deciding     the recall level that decides between two rankings
backoff      masked agreement and locality: later relevant items foretell the first
"""

from pdeval.agreement.backoff import locality, masked_agreement
from pdeval.agreement.chance import tie_probability, value_growth
from pdeval.agreement.deciding import decided_by_level, deciding_levels
from pdeval.agreement.signs import agree
from pdeval.agreement.synthetic import random_lists, sampled, uniform
from pdeval.agreement.ties import ties, ties_by_first, ties_by_level

__all__ = [
    "agree",
    "decided_by_level",
    "deciding_levels",
    "locality",
    "masked_agreement",
    "random_lists",
    "sampled",
    "tie_probability",
    "ties",
    "ties_by_first",
    "ties_by_level",
    "uniform",
    "value_growth",
]
