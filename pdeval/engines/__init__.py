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
"""
