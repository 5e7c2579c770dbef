"""Behavior per issued query and per session, against a plain loop over the events."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pdeval  # noqa: F401  (registers the accessor)
from tests.examples import examples

COLUMNS = ["session", "query_id", "timestamp", "action", "rank"]


def naive(events: pd.DataFrame) -> list[tuple]:
    """Walk through every session event by event."""
    found = []
    for session in sorted(events["session"].unique()):
        own = events[events["session"] == session].sort_values("timestamp").itertuples()
        issued = []
        for event in own:
            if event.action == "impression":
                if not issued or issued[-1]["query"] != event.query_id:
                    issued.append(
                        {
                            "query": event.query_id,
                            "start": event.timestamp,
                            "ranks": [],
                            "times": [],
                        }
                    )
            else:
                latest = [page for page in issued if page["query"] == event.query_id]
                if latest:
                    latest[-1]["ranks"].append(event.rank)
                    latest[-1]["times"].append(event.timestamp - latest[-1]["start"])
        for number, page in enumerate(issued):
            ranks = sorted(set(page["ranks"]))
            inverse = [1 / rank for rank in ranks]
            found.append(
                (
                    session,
                    page["query"],
                    len(ranks),
                    number + 1 < len(issued),
                    max(inverse, default=np.nan),
                    np.mean(inverse) if inverse else np.nan,
                    min(page["times"], default=np.nan),
                    max(page["times"], default=np.nan),
                )
            )
    return found


events = st.lists(
    st.tuples(
        st.sampled_from(["s", "t"]), st.sampled_from(["a", "b"]), st.sampled_from(["impression", "click"]),
        st.integers(1, 4),
    ),
    max_size=14,
)  # fmt: skip


@pytest.mark.broad
@given(events)
@examples(40)
def test_every_query_equals_a_walk_through_its_session(drawn):
    rows = [("s", "a", 0, "impression", np.nan)]
    shown = {("s", "a")}
    for second, (session, query, action, rank) in enumerate(
        drawn, start=1
    ):  # different times: no ties to break
        if action == "click" and (session, query) not in shown:
            continue  # the log tests deal with clicks that have no query
        shown.add((session, query))
        rows.append((session, query, second, action, rank if action == "click" else np.nan))
    log = pd.DataFrame(rows, columns=COLUMNS)
    found = log.sample(frac=1, random_state=0).ireval.per_query()
    columns = [
        "session",
        "query_id",
        "clicks",
        "reformulated",
        "max_reciprocal_rank",
        "mean_reciprocal_rank",
    ]
    columns += ["time_to_first_click", "time_to_last_click"]
    expected = pd.DataFrame(naive(log), columns=columns)
    pd.testing.assert_frame_equal(found[columns], expected, check_dtype=False)
    np.testing.assert_array_equal(found["abandoned"], expected["clicks"] == 0)
    queries = expected.groupby("session").size()
    assert log.ireval.per_session().to_numpy().tolist() == [
        [name, size] for name, size in queries.items()
    ]


def test_session_user_and_bucket_are_carried_along():
    log = pd.DataFrame(
        [(7, "q", 0, "impression", None, "ann", "new"), (7, "q", 2, "click", 1, "ann", "new")],
        columns=[*COLUMNS, "user", "bucket"],
    )
    assert log.ireval.per_query().columns.tolist()[:5] == [
        "bucket",
        "session",
        "user",
        "query_id",
        "timestamp",
    ]
    assert log.ireval.per_session().to_numpy().tolist() == [["new", 7, "ann", 1]]
