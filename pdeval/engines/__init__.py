"""Engines beyond pandas in one process: the same verbs on other frames. None is imported before it is used.

dask      `.ireval` on Dask DataFrames; the rest of this folder is what it is made of
census    the first pass: which runs and queries each partition holds
layout    partitions that hold whole queries: kept where they do already, shuffled where not; written as parquet
judged    the judgments: broadcast where small, divided as the runs are where large
parts     one partition: its join, as on pandas, told what the whole is
answers   what a partition answers: tidy frames, or numbers to gather
dividing  from two tables to their join: what to count first, and whether rows have to move
joined    all partitions: lazy frames, and what has to be gathered for orderings and tests
reading   run files, one partition each
"""
