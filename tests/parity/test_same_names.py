"""Every row of the page "The same name elsewhere" is true here, and of the peer where it is installed."""

import re

import pytest

import pdeval
from tests.parity import same_names, same_names_peers

HELD = same_names.held()
ROWS = {
    f"{peer}: {name}": (here, value, note, held["rel"])
    for peer, held in HELD.items()
    for name, here, value, note in held["rows"]
}


@pytest.fixture(scope="module")
def ours():
    """Return the mean of every spelling with a value."""
    lists, grades = same_names.data()
    names = list(dict.fromkeys(here for here, value, *_ in ROWS.values() if value is not None))
    found = lists.drop(columns="rank").ireval.join(grades).measure(names)
    return found.groupby("measure")["value"].mean()


@pytest.mark.parametrize("row", [row for row, (_, value, *_) in ROWS.items() if value is not None])
def test_a_row_has_the_value_of_the_peer(ours, row):
    here, value, _, rel = ROWS[row]
    assert ours[here] == pytest.approx(value, rel=rel)


def test_every_spelling_parses_and_every_other_row_says_why():
    for row, (here, value, note, _) in ROWS.items():
        if here:
            assert pdeval.parse(here).spelled, row
        assert value is not None or note, f"{row}: neither a value nor a sentence"


def test_the_data_tell_measures_apart(ours):
    assert ours.nunique() > 0.6 * len(ours)
    assert (ours > 0).all()


def test_the_table_of_the_page_is_the_file():
    if not same_names.PAGE.exists():
        pytest.skip("the notebooks are not beside these tests")
    text = same_names.PAGE.read_text(encoding="utf-8")
    found = re.search(r"(?s)<!-- same names -->\n(.*?)<!-- /same names -->", text)
    assert found, "no part <!-- same names -->"
    assert found[1] == same_names.table(), "run python -m tests.parity.same_names --write"


def test_names_that_point_to_the_page_beyond_accuracy_stand_there():
    path = same_names.PAGE.with_name("beyond_accuracy.md")
    if not path.exists():
        pytest.skip("the notebooks are not beside these tests")
    text = path.read_text(encoding="utf-8")
    pointing = {here for here, _, note, _ in ROWS.values() if note == same_names.BEYOND}
    assert len(pointing) > 10
    assert [here for here in sorted(pointing) if f"`{here}`" not in text] == []


@pytest.mark.extras
@pytest.mark.filterwarnings("ignore")  # those of the peers
@pytest.mark.parametrize("peer", same_names_peers.PEERS, ids=lambda peer: peer.name)
class TestWhereThePeerIsInstalled:
    @pytest.mark.broad
    def test_it_gives_the_values_that_are_held(self, peer):
        now = _asked(peer, lambda: same_names.written(peer.name, peer))
        assert [row[:2] for row in now["rows"]] == [row[:2] for row in HELD[peer.name]["rows"]]
        for (*_, value, _), (name, *_, then, _) in zip(
            now["rows"], HELD[peer.name]["rows"], strict=True
        ):
            assert value == (then if then is None else pytest.approx(then, rel=peer.rel)), name

    def test_every_name_of_its_registry_has_a_row(self, peer):
        names = set(_asked(peer, peer.names))
        rows = {re.split(r"[@(]", name)[0] for name, *_ in HELD[peer.name]["rows"]}
        assert names <= rows | {row.split(".")[0] for row in rows}


def _asked(peer, ask):
    """Return what a peer says; without it, the test is skipped."""
    try:
        return ask()
    except ImportError as fault:
        pytest.skip(f"{peer.name} is not here: {fault}")
