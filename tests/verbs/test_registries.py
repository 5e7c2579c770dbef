"""What is declared is found by name, listed where it is documented, and complete."""

from dataclasses import dataclass

import pytest

from pdeval.verbs.registry import lacking, listed_in_docs, named, register


@dataclass(frozen=True)
class Entry:
    name: str
    summary: str = "Says it."
    reference: str = "Someone 1999"
    aliases: tuple = ()
    function: object = None


ENTRIES = {"sign": Entry("sign", aliases=("binomial",)), "bradley-terry": Entry("bradley-terry")}


@pytest.mark.parametrize("text", ["sign", "Sign", "binomial", "BINOMIAL"])
def test_a_declaration_is_found_by_its_name_or_alias_whatever_the_case(text):
    assert named("test", text, ENTRIES).name == "sign"


def test_an_unknown_name_suggests_the_nearest_and_lists_all():
    with pytest.raises(KeyError) as caught:
        named("ordering", "Bradley_Terry", ENTRIES)
    assert str(caught.value) == (
        "no ordering 'Bradley_Terry'. Did you mean 'bradley-terry'? There are: sign, bradley-terry."
    )
    assert isinstance(caught.value, ValueError)


def test_a_declaration_without_summary_or_reference_says_what_to_add():
    assert lacking(Entry("mine")) == []
    assert lacking(Entry("mine", summary="", reference="")) == [
        "'mine' has no summary: begin its docstring with one line that ends in a full stop.",
        "'mine' has no reference: add reference='Authors year' to its decorator.",
    ]


def test_a_name_of_pdeval_is_not_taken_but_ones_own_is_declared_again():
    def mine(): ...

    def ours(): ...

    ours.__module__ = "pdeval.significance.paired_tests"
    entries = {"t": Entry("t", function=ours)}
    with pytest.raises(ValueError, match=r"pdeval has a test 't' \(Says it\); .* e.g. name='my_t'"):
        register(entries, Entry("t", function=mine), mine, "test")
    register(entries, Entry("mine", function=mine), mine, "test")
    register(entries, Entry("mine", summary="Again.", function=mine), mine, "test")
    assert entries["mine"].summary == "Again."


def test_docstrings_list_what_is_declared_on_lines_of_their_own():
    @listed_in_docs(tests=ENTRIES)
    def verb():
        """Return it.

            {tests}
        as {tests} are.
        """

    assert verb.__doc__.splitlines()[2:5] == [
        '            - "sign": Says it.',
        '            - "bradley-terry": Says it.',
        "        as {tests} are.",
    ]
