"""Report formats: declared in one place each, and everything else follows."""

import inspect

import pytest

from pdeval.report import FORMATS, Cell, Column, Group, Report, report_format
from pdeval.report.report import forget, format_of

TABLE = Report(
    (
        Column("run", "System", numeric=False),
        Column("AP", "AP", "Precision", higher=True, spread=("sd",)),
    ),
    (
        (Cell("a_b", "a_b"), Cell(0.25, "0.250", "second", "†", (0.1,), ("0.100",))),
        (Cell("<c>", "<c>"), Cell(0.5, "0.500", "best", "", (0.2,), ("0.200",))),
        (Cell("d", "d"), Cell(None, "–")),
    ),
    groups=(Group("one", 1, ("one",)), Group("two", 2, ("two",))),
    group_names=("group",),
    caption="C",
    label="tab:x",
    notes=("N.",),
)
NEEDS = {"excel": "openpyxl"}  # pyarrow is a dependency of pdeval
every_format = pytest.mark.parametrize("name", sorted(FORMATS))


@pytest.fixture
def org():
    @report_format("org", endings=(".org",), as_file={"page": True})
    def to_org(report: Report, *, page: bool = False) -> str:
        return f"|{len(report.columns)} columns|" + " page" * page

    yield to_org
    forget("org")


@every_format
def test_a_format_says_what_it_gives_and_shows_it(name):
    made = FORMATS[name]
    text = inspect.getdoc(made.function)
    assert text.startswith("Return ")
    assert {"Returns\n", "Examples\n"} <= {
        section for section in ("Returns\n", "Examples\n") if section in text
    }
    for option in made.options:
        assert f"\n{option} : " in text, f"document the option {option}"
    assert made.endings
    assert set(made.as_file) <= set(made.options)


@every_format
def test_a_format_is_a_method_and_a_file(name, tmp_path):
    if name in NEEDS:
        pytest.importorskip(NEEDS[name], reason=f"{name} needs {NEEDS[name]}")
    made = FORMATS[name]
    assert getattr(Report, f"to_{name}") is made.function
    assert isinstance(getattr(TABLE, f"to_{name}")(), str | bytes)
    for ending in made.endings:
        path = TABLE.save(tmp_path / f"table{ending.upper()}")
        assert len(path.read_bytes()) > 10
        assert path.read_bytes()[-1:] == b"\n" or isinstance(getattr(TABLE, f"to_{name}")(), bytes)


def test_an_unknown_format_is_an_error_that_lists_what_exists():
    with pytest.raises(
        AttributeError,
        match=r"no report format 'docx'; there are \.to_csv\(\), .* and \.to_frame\(\)",
    ):
        TABLE.to_docx()
    assert not hasattr(TABLE, "shape")


def test_a_format_of_ones_own_is_a_method_and_an_ending(org, tmp_path):
    assert TABLE.to_org() == "|2 columns|"
    assert TABLE.save(tmp_path / "t.org").read_text() == "|2 columns| page\n"
    assert format_of("t.ORG").function is org


def test_a_format_of_ones_own_can_be_declared_again(org):
    again = report_format("org", endings=".org")(lambda report: "again")
    assert TABLE.to_org() == "again"
    assert again is not org


def test_names_and_endings_are_taken_once(org):
    with pytest.raises(
        ValueError, match=r"the report format 'latex' is declared already, in pdeval\.report\.latex"
    ):
        report_format("latex")(org)
    with pytest.raises(ValueError, match=r"files that end in '\.tex' are latex already"):
        report_format("mine", endings=".tex")(org)
    with pytest.raises(ValueError, match=r"must be lower case and begin with a dot"):
        report_format("mine", endings="tex")
    with pytest.raises(ValueError, match=r"the name of a format must be an identifier"):
        report_format("my format")


def test_without_the_package_a_binary_format_says_what_to_install(monkeypatch):
    import sys

    for name, package in NEEDS.items():
        monkeypatch.setitem(sys.modules, package, None)
        with pytest.raises(ImportError, match=f"need {package}: pip install {package}"):
            getattr(TABLE, f"to_{name}")()
