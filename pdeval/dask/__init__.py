"""The verbs on Dask DataFrames. Dask is not imported before it is used.

accessor             `.ireval` on Dask DataFrames, and the join to keep, with the verbs of pandas
lazy_verbs           verbs that run in the partitions: measure, prefer, labeled, summary, order, compare
collect              positions and rows in one place, up to a size: the input of any other verb, as on pandas
partition_plan       from two tables to partitions that can be joined: whether rows have to move
first_pass           the first pass: the runs and queries of each partition, and the judgments
shuffle              partitions of complete queries, and the size of a partition that the workers' memory allows
partition            one partition: its join, as on pandas, and its results
delayed              the same call on every partition, and results gathered up a tree
join_parts           `pdeval.join_parts`: the join of parts of complete queries, from any engine or none
files                run files, one partition each; folders of Parquet

What is gathered. `measure`, `prefer` and `labeled` stay lazy; `summary`, `order` and `compare` gather numbers of
queries x runs, or of queries x a block of pairs. Any other verb works on the positions of the join: 40 bytes for every
judged item that a run found, 64 for every judged item, 8 for every list. For a thousand systems on a million queries,
on paper:

    judged items per query     found items, at most     positions     list lengths
    1                          1 billion                40 GB         8 GB
    10                         10 billion               400 GB        8 GB
    100                        100 billion              4 TB          8 GB

The size is estimated from the first pass before anything is computed. Above 4 GiB, or `pdeval.gather-limit` of Dask's
configuration, such a verb raises an error. `join_parts` keeps the same positions, from one pass over the parts.
"""
