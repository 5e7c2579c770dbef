"""The tables that everything starts from, and those that many verbs share."""

from pdeval.kinds.schemas import table

RUNS = table(
    "runs",
    "run query doc [score:float rank:float]",
    "run table",
    known_by="query doc score|rank",
    row="item in a list",
    then=".measure(qrels), .prefer(qrels), .order(qrels)",
    undrawn="a run table has rows per item; draw what its verbs return",
)
# before judgments, which a table of labels could also be
LABELS = table(
    "labels",
    "[query] doc assessor label:any",
    "labels table",
    known_by="doc|item assessor label",
    row="item and assessor",
    then=".agreement()",
    unreported="labels are raw data; report .agreement()",
    undrawn="labels are raw data; draw .agreement()",
)
QRELS = table(
    "qrels",
    "query [subtopic] doc grade:float [propensity:float]",
    "judgments table",
    row="judged item",
    then="runs.ireval.measure(qrels)",
    unreported="judgments are what a report rests on; report scores",
    undrawn="judgments are what a plot rests on; draw scores",
)
SCORES = table(
    "scores",
    "run query measure value:float",
    "scores table",
    row="run, query and measure",
    sort="run query",
    then=".summary(), .order(), .compare(), .report()",
)
PREFERENCES = table(
    "preferences",
    "query run_a run_b measure value:float",
    "preferences table",
    row="query, pair of runs and measure",
    sort="query run_a run_b",
    then=".mean(), .matrix(), .order(), .compare()",
    means={"value": "positive where run_a is the better one"},
)
VOTES = table(
    "votes",
    "[query] run_a run_b winner:any",
    "log of votes",
    known_by="run_a run_b winner",
    row="vote",
    then=".leaderboard(); pdeval.votes(df) makes preferences of it",
    means={
        "query": "what was voted on",
        "winner": "who won: 'a', 'b' or 'tie', or the name of a system",
    },
    unreported="votes are raw data; report .leaderboard()",
    undrawn="votes are raw data; draw .leaderboard()",
)
CLICKS = table(
    "clicks",
    "session [user bucket run_a run_b method] query [draw:int] time:time action [rank:any doc value:float]",
    "click log",
    # a log with a fault is still a log: its session or its action marks it
    known_by="query session|action time|action|rank|doc",
    row="event",
    sort="session time",
    then=".check(), .behaviour(), .compare_buckets(), .credit(lists)",
    means={
        "session": "a search session, of one user and one bucket",
        "user": "who searched",
        "bucket": "the arm of the experiment",
        "run_a": "the first run of an interleaved list that was shown",
        "run_b": "its second run",
        "method": "how the list was interleaved",
        "draw": "which of several lists of a query was shown",
        "time": "when: date and time with or without a zone, ISO 8601 text, or seconds",
        "action": "'impression' where results were shown, 'click' where one was clicked; any other event by its name",
        "rank": "where the result stood, from 1",
        "value": "what the event was worth, such as the revenue of a purchase",
    },
    unreported="a log is raw data; report .behaviour() or .compare_buckets()",
    undrawn="a log is raw data; see .behaviour()",
)
MATRIX = table("matrix", "", "square matrix", row="run or measure", square=True, then=".report()")
