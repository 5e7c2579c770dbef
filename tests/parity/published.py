"""What other programs printed, as a table, and how to compare scores with it digit by digit."""

import gzip

import pandas as pd

from pdeval.catalog import parse

NO_NUMBER = ("runid", "relstring")


def read(path, run):
    """Return trec_eval's output as run, name, topic, text; its topic "all" is the summary."""
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    rows = [(run, *line.split(None, 2)) for line in data.decode().splitlines() if line.strip()]
    table = pd.DataFrame(rows, columns=["run", "name", "topic", "text"])
    return table.assign(text=table["text"].str.strip())


def numbers(table):
    """Return the rows that are numbers, with the measure that each name means."""
    kept = table[~table["name"].str.startswith(NO_NUMBER)]
    labels = {name: parse(name).label for name in kept["name"].unique()}
    return kept.assign(measure=kept["name"].map(labels))


def names(table):
    """Return the measures to ask for: the names as printed."""
    return numbers(table)["name"].unique().tolist()


def printed(value, text):
    """Return a value with as many decimals as the text has."""
    decimals = len(text.partition(".")[2])
    shown = f"{value:.{decimals}f}"
    return shown.removeprefix("-") if float(shown) == 0 else shown


def differences(scores, table, *, summaries=True):
    """Return the rows of the published table that the scores do not print exactly, and how many were compared."""
    per_query = scores.rename(columns={"query_id": "topic"}).astype(
        {"run": str, "topic": str, "measure": str}
    )
    parts = [per_query[["run", "topic", "measure", "value"]]]
    if summaries:
        summary = scores.ireval.summary().astype({"run": str, "measure": str})
        parts.append(
            summary.assign(topic="all", value=summary["mean"])[["run", "topic", "measure", "value"]]
        )
    both = numbers(table).merge(pd.concat(parts), on=["run", "topic", "measure"], how="left")
    assert both["value"].notna().all(), both[both["value"].isna()].head()
    ours = [printed(value, text) for value, text in zip(both["value"], both["text"])]
    return both[[a != b for a, b in zip(ours, both["text"])]], len(both)
