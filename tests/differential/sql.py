"""The same questions in SQL, on DuckDB: ranks by window functions, recall levels by a join, pairs by another."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np
import pandas as pd

from tests.differential import answers
from tests.differential.answers import Difference
from tests.differential.cases import Case

MEASURES = ("AP", "RR", "P@5", "nDCG", "nDCG@3", "NumRelRet")
PREFERENCES = ("RPP", "invRPP", "sgnLP", "rrLP", "sgnLR")
ORDER = {"docid": "score desc, doc desc", "first": "score desc, line", "rank": "place"}
ANSWERS = {
    "relevant": "exists (select 1 from good g where g.query = t.query)",
    "judged": "true",
    "answered": "exists (select 1 from lists l where l.query = t.query and l.run = r.run)",
    "common": "(select count(distinct run) from lists l where l.query = t.query) = (select count(*) from systems)",
}

# {order}, {relevant}, {answers}, {depth} are the rules of the case
TABLES = """
create or replace temp table ranked as select * from (
    select run, query, doc, row_number() over (partition by run, query order by {order}) as rank from rows
) where rank <= {depth};
create or replace temp table systems as select distinct run from rows;
create or replace temp table lists as select distinct run, query from rows;
create or replace temp table good as select query, doc, grade from grades where {relevant};
create or replace temp table cells as
    select t.query, r.run from (select distinct query from grades) t cross join systems r where {answers};
create or replace temp table levels as  -- f_i: where each run found its i-th relevant item
    select c.run, c.query, row_number() over (partition by c.run, c.query order by k.rank nulls last) as i, k.rank as f
    from cells c join good g using (query) left join ranked k on k.run = c.run and k.query = c.query and k.doc = g.doc;
create or replace temp table thresholds as
    select distinct query, case when {binary} then {level} else grade end as least from good;
create or replace temp table by_grade as  -- the same for every threshold on the grades of the query
    select c.run, c.query, t.least, k.rank as f,
           row_number() over (partition by c.run, c.query, t.least order by k.rank nulls last) as i
    from cells c join thresholds t using (query) join good g on g.query = t.query and g.grade >= t.least
    left join ranked k on k.run = c.run and k.query = c.query and k.doc = g.doc;
create or replace temp table pairs as
    select a.query, a.run as run_a, b.run as run_b from cells a join cells b on a.query = b.query and a.run <> b.run;
"""
SCORES = """
with m as (select query, count(*) as m from good group by query),
hits as (
    select run, query, sum(case when f is null then 0 else i / f end) as total, min(f) as first,
           count(case when f <= 5 then 1 end) as top, count(f) as found
    from levels group by run, query),
gains as (
    select k.run, k.query, sum(g.grade / log2(k.rank + 1)) as dcg,
           sum(case when k.rank <= 3 then g.grade / log2(k.rank + 1) else 0 end) as dcg3
    from ranked k join grades g using (query, doc) where g.grade > 0 group by k.run, k.query),
best as (
    select query, sum(grade / log2(n + 1)) as ideal, sum(case when n <= 3 then grade / log2(n + 1) else 0 end) as ideal3
    from (select query, grade, row_number() over (partition by query order by grade desc) as n from grades
          where grade > 0) group by query)
select c.run, c.query, coalesce(b.total / m.m, 0) as "AP", coalesce(1 / b.first, 0) as "RR",
       coalesce(b.top / 5, 0) as "P@5", coalesce(g.dcg / best.ideal, 0) as "nDCG",
       coalesce(g.dcg3 / best.ideal3, 0) as "nDCG@3", coalesce(b.found, 0) as "NumRelRet"
from cells c left join m using (query) left join hits b using (run, query) left join gains g using (run, query)
left join best using (query)
"""
PAIRS = """
with signed as (
    select p.query, p.run_a, p.run_b, x.least, x.i,
           case when x.f is not distinct from y.f then 0 when y.f is null then 1 when x.f is null then -1
                when x.f < y.f then 1 else -1 end as sooner
    from pairs p join by_grade x on x.query = p.query and x.run = p.run_a
    join by_grade y on y.query = p.query and y.run = p.run_b and y.least = x.least and y.i = x.i),
populations as (
    select query, run_a, run_b, least, count(*) as size, avg(sooner) as uniform, sum(sooner / i) / sum(1 / i) as inverse
    from signed group by all),
paired as (
    select query, run_a, run_b, sum(size * uniform) / sum(size) as rpp, sum(size * inverse) / sum(size) as inv
    from populations group by all),
steps as (
    select p.query, p.run_a, p.run_b, x.i, coalesce(1 / x.f, 0) - coalesce(1 / y.f, 0) as gap
    from pairs p join levels x on x.query = p.query and x.run = p.run_a
    join levels y on y.query = p.query and y.run = p.run_b and y.i = x.i
    where x.f is distinct from y.f),
decided as (
    select query, run_a, run_b, arg_min(gap, i) as first, arg_max(gap, i) as last from steps group by all)
select p.query, p.run_a, p.run_b, coalesce(d.rpp, 0) as "RPP", coalesce(d.inv, 0) as "invRPP",
       coalesce(sign(s.first), 0) as "sgnLP", coalesce(s.first, 0) as "rrLP", coalesce(sign(s.last), 0) as "sgnLR"
from pairs p left join paired d using (query, run_a, run_b) left join decided s using (query, run_a, run_b)
"""


@cache
def connection():
    """Return the one database, in memory and on one thread."""
    import duckdb

    held = duckdb.connect()
    held.execute("set threads = 1")
    return held


def prepare(case: Case) -> list[tuple]:
    """Load the tables of a case and make those that the questions need; return the runs by number."""
    names = case.names
    score = np.array([float(row[3]) for row in case.runs])
    if case.rules.compat == "trec_eval-9":
        with np.errstate(over="ignore", under="ignore"):
            score = score.astype(np.float32).astype(np.float64)
    rows = pd.DataFrame(
        {
            "run": [names.index(row[0]) for row in case.runs],
            "query": [str(row[1]) for row in case.runs],
            "doc": [str(row[2]) for row in case.runs],
            "score": score + 0.0,  # one zero
            "place": [row[4] for row in case.runs],
            "line": range(len(score)),
        }
    )
    grades = pd.DataFrame(
        [
            (query, doc, float(grade))
            for query, docs in case.grades().items()
            for doc, grade in docs.items()
        ],
        columns=["query", "doc", "grade"],
    )
    rules, base = case.rules, connection()
    base.register("rows", rows)
    base.register("grades", grades)
    level = rules.level
    base.execute(
        TABLES.format(
            order=ORDER[rules.ties],
            depth=rules.depth or 1 << 30,
            relevant="grade > 0" if level is None else f"grade > 0 and grade >= {level}",
            answers=ANSWERS[rules.queries],
            binary="false" if level is None else "true",
            level=level or 0,
        )
    )
    return names


def compare(case: Case) -> Iterator[Difference | None]:
    """Compare measures and preferences with what SQL gives."""
    names = prepare(case)
    cells = connection().execute(SCORES).df()
    theirs = {
        (names[row["run"]], row["query"], name): row[name]
        for row in cells.to_dict("records")
        for name in MEASURES
    }
    yield from answers.differences("SQL", answers.measured(case, MEASURES), theirs)
    if len(names) < 2:
        return
    pairs = connection().execute(PAIRS).df()
    both = {
        (row["query"], names[row["run_a"]], names[row["run_b"]], name): row[name]
        for row in pairs.to_dict("records")
        for name in PREFERENCES
    }
    ours = answers.preferred(case, PREFERENCES)
    yield from answers.differences("SQL, preferences", *answers.one_way(ours, both))
