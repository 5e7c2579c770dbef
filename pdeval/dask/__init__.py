"""Engines beyond pandas in one process: the same verbs on other frames. None is imported before it is used.

dask            `.ireval` on Dask DataFrames: the doors of pandas, asked in another way
dask_judged     the join to keep, with the verbs of pandas' join
gathering       positions and rows in one place, up to a size: what any verb works on as on pandas
partwise        verbs that work where the rows are: measure, prefer, summary, order, compare
dividing        from two tables to partitions that can be joined: what to count first, whether rows have to move
census          the first pass: which runs and queries each partition holds
partitions      partitions that hold whole queries: kept where they do already, shuffled where not; written as parquet
judgments_sent  the judgments: sent to every worker where small, divided as the runs are where large
room            how large a partition may be: what it needs, and what the workers have
parts           one partition: its join, as on pandas, told what the whole is
answers         what a partition answers: tidy frames, or numbers to gather
joined_parts    `pdeval.join_parts`: the join of parts of whole queries, from any engine or none
part_streams    such parts, one by one
run_files       run files, one partition each

What is gathered. `measure` and `prefer` stay lazy; `summary`, `order` and `compare` gather numbers of queries x runs,
or of queries x a block of pairs. Any other verb works on the positions of the join: 40 bytes for every judged item that
a run found, 64 for every judged item, 8 for every list. For a thousand systems on a million queries, on paper:

    judged items per query     found items, at most     positions     list lengths
    1                          1 billion                40 GB         8 GB
    10                         10 billion               400 GB        8 GB
    100                        100 billion              4 TB          8 GB

An estimate from the census decides before anything is computed; above 4 GiB, or `pdeval.gather-limit` of Dask's
configuration, such a verb says so and does not begin. `join_parts` keeps as much, of one pass over the parts.
"""
