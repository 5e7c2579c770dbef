"""The decorators say in types what an entry of the catalog may hold."""

from dataclasses import fields

from pdeval.catalog import Entry
from pdeval.catalog.entries import Options

# read from the kernel itself, or declared by a decorator of its own
NOT_OPTIONS = {"name", "family", "kernel", "columns", "parameters", "expected"}


def test_a_declaration_may_say_all_that_an_entry_holds_and_nothing_else():
    assert set(Options.__annotations__) == {field.name for field in fields(Entry)} - NOT_OPTIONS
