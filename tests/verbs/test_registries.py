"""What is declared is found by name, listed where it is documented, and complete."""

from dataclasses import dataclass

import pytest

from pdeval.verbs.registry import Registry, listed_in_docs, lookup


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
    assert lookup("test", text, ENTRIES).name == "sign"


def test_an_unknown_name_suggests_the_nearest_and_lists_all():
    with pytest.raises(KeyError) as caught:
        lookup("ordering", "Bradley_Terry", ENTRIES)
    assert str(caught.value) == (
        "no ordering 'Bradley_Terry'. Did you mean 'bradley-terry'? There are: sign, bradley-terry."
    )
    assert isinstance(caught.value, ValueError)


def test_a_name_of_pdeval_is_not_taken_but_ones_own_is_declared_again():
    tests = Registry("test")
    tests.add("t", Entry("t"), "pdeval.significance.paired_tests")
    with pytest.raises(
        ValueError, match=r"pdeval already has a test 't' \(Says it\)\. .* e.g. name='my_t'"
    ):
        tests.add("t", Entry("t"), __name__)
    tests.add("mine", Entry("mine"), __name__)
    tests.add("mine", Entry("mine", summary="Again."), "another")
    assert tests["mine"].summary == "Again."


@pytest.mark.parametrize(
    ("replace", "again"), [("never", ()), ("module", ("mine",)), ("always", ("mine", "other"))]
)
def test_a_registry_says_which_names_may_be_declared_again(replace, again):
    known = Registry("format", replace=replace, taken="{name} of {module} is {old}.")
    known.add("text", 1, "mine")
    for module in ("mine", "other"):
        if module in again:
            assert known.add("text", 1, module) == 1
            known.modules["text"] = "mine"
        else:
            with pytest.raises(ValueError, match=r"^text of mine is 1\.$"):
                known.add("text", 2, module)


def test_a_function_is_declared_under_a_name_and_stays_itself():
    known = Registry("column")

    @known.function("twice")
    def doubled(): ...

    assert known == {"twice": doubled}
    assert known.modules == {"twice": __name__}


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
