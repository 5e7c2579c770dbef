"""The join of runs and judgments: ids, lists, ranks, duplicates, judgments, positions, and their dense blocks."""
