"""The measures of one ranking: numpy in, numpy out. Importing this package puts them into the catalog.

A kernel is a function whose positional parameters are columns, requested by name. Axis 0 of a column is the item, in
rank order; any further axes are rankings (topics T of equally many items m, runs R), so one function serves a
single list and thousands at once. Its keyword-only parameters are those of the measure and make up its name.

The items of the block that a kernel sees, by the `kind` of the measure:

| kind     | items                                                             |
|----------|-------------------------------------------------------------------|
| binary   | relevant at the level (the smallest relevant grade)               |
| graded   | of positive grade, at any level                                  |
| judged   | of grade 0 or more                                                |
| signed   | of any grade, negative grades included                            |
| subtopic | relevant to at least one subtopic                                 |
| items    | of the list, judged or not, rank by rank                          |
| set      | all that could be recommended, for all lists of a run together    |

| column            | shape       | meaning                                                                           |
|-------------------|-------------|-----------------------------------------------------------------------------------|
| rank              | (m, T, R)   | ranks from 1, ascending; infinity for an item that was not retrieved              |
| retrieved         | (T, R)      | number of items that the run returned                                             |
| above             | (m, T, R)   | judged non-relevant items (0 <= grade < level) ranked above the item              |
| pooled            | (m, T, R)   | pooled but unjudged items (grade < 0) ranked above the item                       |
| nonrelevant       | (T, 1)      | judged non-relevant items in the qrels                                            |
| nonrelevant_found | (T, R)      | those of them that the run returned                                               |
| corpus            | (T, 1)      | distinct items in the union of all rankings and the qrels of the query            |
| grade             | (m, T, R)   | grade of the item                                                                 |
| weight            | (m, T, R)   | 1 / the propensity of the item, from the judgments' column `propensity`           |
| ideal             | (m, T, 1)   | grades of all items of positive grade, largest first                              |
| relevant          | (m, T, R)   | whether the item is relevant at the level                                         |
| relevants         | (T, 1)      | number of items that are relevant at the level                                    |
| top_grade         | scalar      | the largest grade of the qrels                                                    |
| member            | (m, S, T, R)| whether the item belongs to the subtopic; S is padded with empty subtopics        |
| global_gain       | (m, T, R)   | sum of the grades of the item over the subtopics that it is relevant to           |
| belongs           | (m, S, T, 1)| the same in ascending order of document ids, for ideal rankings                   |
| subtopics         | (T, 1)      | number of subtopics with at least one relevant item                               |
| start             | (m, T, R)   | ties="expected" only: items ranked above the item's group of tied items, or inf   |
| size              | (m, T, R)   | ties="expected" only: items in that group, 1 for an item that was not retrieved   |

A kernel of kind "items" sees, with ranks 1 to k on axis 0:

| column                | shape        | meaning                                                                       |
|-----------------------|--------------|-------------------------------------------------------------------------------|
| item                  | (k, T, R)    | code of the item, -1 beyond the end of the list                               |
| listed                | (k, T, R)    | whether there is an item                                                      |
| rank                  | (k, T, R)    | ranks from 1, infinity beyond the end of the list                             |
| popularity, choice    | (k, T, R)    | fraction of users that had the item; of interactions that were with it        |
| popularity_rank       | (k, T, R)    | quantile of its popularity; `popularity_place` is its place, from 1           |
| seen                  | (k, T, R)    | whether the user had it before                                                |
| grade, relevant       | (k, T, R)    | its grade, 0 if it is unjudged; whether it is relevant at the level           |
| features              | (items+1, F) | features of all items, the last row of no item: `features[item]`              |
| profile, taste        | (F, T, 1)    | fractions of features of the user's items; mean direction of these            |
| had, had_popularity   | (T, 1)       | number of items that the user had before, and their mean popularity           |
| users, catalog      | scalar       | users of the history; items that could be recommended                         |
| any column of items=  | (k, T, R)    | its numbers, 0 beyond the end of the list                                     |

A kernel of kind "set" sees, with the items of the catalog on axis 0 and bootstrap samples D on axis 1: `exposure`
(items, D), the number of lists that show each; `lengths` (k+1, D), the number of users whose lists have 0, 1, ...
items; `users` (D); `popularity` and any column of items= (items, 1); `features` (items, F); `catalog`, their number.

A kernel of kind "nuggets" sees, with the nuggets of a query on axis 0: `assignment` (m, T, R), from 0 to 1; `vital`
(m, T, 1), 1 or 0, or the importance if it is a number; `okay` (m, T, 1), 1 or 0; `length` (T, R) of the answer.
A kernel of kind "exposure" sees, with items or groups of items on axis 0: `exposure` (m, T, R), their exposure in the
rankings of a run; `target` (m, T, 1), the exposure that they should have; `ndcg` (T, R).
A kernel of kind "citations" sees, each of shape (T, R): `citations` and `sentences`, their numbers; `supported`, the
sum of the support of citations; `best`, the sum over sentences of their best support; `relevant`, the number of
citations of relevant documents; and, with ranks on axis 0, `listed` and `cited` (k, T, R): whether the run has a
document at the rank, and whether the answer cites it.
A kernel of kind "spans" sees, with ranks on axis 0: `relevant` and `gain` (k, T, R), the relevant characters and the
fractions of graded spans that this rank is the first to cover; `retrieved` (k, T, R), all its characters; `ideal`
(d, T, 1), the gains of whole documents from the largest; and `judged` (T, 1), the number of relevant characters.
A kernel of kind "abstention" sees `abstained` (T, R) and `answerable` (T, 1), both of type bool.

If a kernel is declared `padded`, topics of about as many items share a block: the shorter are filled up with items
of infinite rank and grade 0, and `m`, a parameter with a default, is then the (T, 1) numbers of items.

"""

from pdeval.kernels import expected_ties as ties
from pdeval.kernels.answers import (
    UDCG,
    AbstentionAccuracy,
    AbstentionPrecision,
    AbstentionRecall,
    CitationF,
    CitationPrecision,
    CitationRecall,
    CitationRelevance,
    CitationUse,
    NuggetAll,
    NuggetF,
    NuggetVital,
    NuggetWeighted,
    SpanIoU,
    SpanNDCG,
    SpanPrecision,
    SpanRecall,
)
from pdeval.kernels.beyond_accuracy import (
    EPC,
    ILD,
    AvgChoice,
    AvgPopularity,
    Calibration,
    Categories,
    ChoiceNovelty,
    Coverage,
    Entropy,
    Gini,
    Novelty,
    Personalization,
    PopSerendipity,
    PopularityLift,
    PopularityRank,
    Serendipity,
    Surprisal,
    TailShare,
    Unexpectedness,
    Unseen,
    UserCoverage,
)
from pdeval.kernels.binary import AP, GMAP, RBP, RR, BinG, F, P, R, RelP, Rprec, Success
from pdeval.kernels.continuation import ERR, Compat, gRBP, nERR
from pdeval.kernels.cwl import (
    BPM,
    BPMD,
    ED,
    ETC,
    ETU,
    IFT,
    INSQ,
    INST,
    NERR8,
    NERR9,
    NERR10,
    NERR11,
    SDCG,
    SET,
    TBG,
    IFT_goal,
    IFT_rate,
    U_measure,
    expectations,
    user_model,
)
from pdeval.kernels.diversity import (
    ERR_IA,
    MAP_IA,
    NRBP,
    P_IA,
    D_nDCG,
    D_sharp_nDCG,
    alpha_DCG,
    alpha_nDCG,
    nERR_IA,
    nNRBP,
    strec,
)
from pdeval.kernels.expected_utility import expected_utility, expected_utility_of_subtopics
from pdeval.kernels.exposure import AWRF, EE_D, EE_L, EE_R, AWRF_nDCG
from pdeval.kernels.graded import CG, DCG, G, Q, RnDCG, nDCG, nDCGrel
from pdeval.kernels.incomplete_judgments import Bpref, GMbpref, Judged, RBPresidual, Unjudged, infAP
from pdeval.kernels.interpolation import IPrec, IPrecAvg, interpolated, precision_recall
from pdeval.kernels.lexicographic import LP, LR
from pdeval.kernels.review import ATD, ERF, PRES, TNR, WSS, EffortRecall, ReviewLoss
from pdeval.kernels.sampling_bias import (
    Sampled,
    corrected_for_sampling,
    rank_distribution,
    wAP,
    wAUC,
    wDCG,
    wR,
)
from pdeval.kernels.search_length import (
    ASL,
    ESL,
    ISL,
    TSE,
    TSL,
    atomized,
    relative_reduction_in_error,
)
from pdeval.kernels.sets import (
    AUC,
    GAP,
    MCC,
    PAP,
    Accuracy,
    Fallout,
    NumNonrelRet,
    NumQ,
    NumRel,
    NumRelRet,
    NumRet,
    PartialAUC,
    SetAP,
    SetF,
    SetP,
    SetR,
    SetRelP,
    Utility,
)

__all__ = [
    "AP",
    "ASL",
    "ATD",
    "AUC",
    "AWRF",
    "BPM",
    "BPMD",
    "CG",
    "DCG",
    "ED",
    "EE_D",
    "EE_L",
    "EE_R",
    "EPC",
    "ERF",
    "ERR",
    "ERR_IA",
    "ESL",
    "ETC",
    "ETU",
    "GAP",
    "GMAP",
    "IFT",
    "ILD",
    "INSQ",
    "INST",
    "ISL",
    "LP",
    "LR",
    "MAP_IA",
    "MCC",
    "NERR8",
    "NERR9",
    "NERR10",
    "NERR11",
    "NRBP",
    "PAP",
    "PRES",
    "P_IA",
    "RBP",
    "RR",
    "SDCG",
    "SET",
    "TBG",
    "TNR",
    "TSE",
    "TSL",
    "UDCG",
    "WSS",
    "AWRF_nDCG",
    "AbstentionAccuracy",
    "AbstentionPrecision",
    "AbstentionRecall",
    "Accuracy",
    "AvgChoice",
    "AvgPopularity",
    "BinG",
    "Bpref",
    "Calibration",
    "Categories",
    "ChoiceNovelty",
    "CitationF",
    "CitationPrecision",
    "CitationRecall",
    "CitationRelevance",
    "CitationUse",
    "Compat",
    "Coverage",
    "D_nDCG",
    "D_sharp_nDCG",
    "EffortRecall",
    "Entropy",
    "F",
    "Fallout",
    "G",
    "GMbpref",
    "Gini",
    "IFT_goal",
    "IFT_rate",
    "IPrec",
    "IPrecAvg",
    "Judged",
    "Novelty",
    "NuggetAll",
    "NuggetF",
    "NuggetVital",
    "NuggetWeighted",
    "NumNonrelRet",
    "NumQ",
    "NumRel",
    "NumRelRet",
    "NumRet",
    "P",
    "PartialAUC",
    "Personalization",
    "PopSerendipity",
    "PopularityLift",
    "PopularityRank",
    "Q",
    "R",
    "RBPresidual",
    "RelP",
    "ReviewLoss",
    "RnDCG",
    "Rprec",
    "Sampled",
    "Serendipity",
    "SetAP",
    "SetF",
    "SetP",
    "SetR",
    "SetRelP",
    "SpanIoU",
    "SpanNDCG",
    "SpanPrecision",
    "SpanRecall",
    "Success",
    "Surprisal",
    "TailShare",
    "U_measure",
    "Unexpectedness",
    "Unjudged",
    "Unseen",
    "UserCoverage",
    "Utility",
    "alpha_DCG",
    "alpha_nDCG",
    "atomized",
    "corrected_for_sampling",
    "expectations",
    "expected_utility",
    "expected_utility_of_subtopics",
    "gRBP",
    "infAP",
    "interpolated",
    "nDCG",
    "nDCGrel",
    "nERR",
    "nERR_IA",
    "nNRBP",
    "precision_recall",
    "rank_distribution",
    "relative_reduction_in_error",
    "strec",
    "ties",
    "user_model",
    "wAP",
    "wAUC",
    "wDCG",
    "wR",
]
