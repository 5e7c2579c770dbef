"""Every verb at every accessor: a complete signature, a complete docstring, and the same verb behind it.

The accessors are built from the declarations, so these tests walk them: what fails here is a declaration to complete.
"""

import inspect
import pydoc
import subprocess
import sys

import pandas as pd
import pytest

import pdeval
from pdeval.accessor import ACCESSORS, Ireval, Joined
from pdeval.accessor.methods import (
    JOIN_ONLY,
    RULES,
    Family,
    FamilyAttribute,
    evaluated,
    joins,
    signature_of,
)
from pdeval.join.judged import Judged
from pdeval.tables.schemas import SCHEMAS, table
from pdeval.verbs import VERBS, of_kind, verb
from pdeval.verbs.parameter_texts import sections
from tests.temporary_declarations import for_a_while, undocumented

EVERY = {
    f"{kind}.{name}": (kind, made)
    for kind in ("judged", *ACCESSORS)
    for name, made in of_kind(kind).items()
    if kind != "example"
}


def accessor_of(kind):
    return Joined if kind == "judged" else ACCESSORS[kind]


def method_of(kind, name):
    """Return the function that a user calls, as its class has it."""
    found = accessor_of(kind)
    for part in name.split("."):
        found = getattr(found, part)
    return found.__call__ if inspect.isclass(found) else found


@pytest.fixture(scope="module")
def judged():
    return pdeval.datasets.sample_judged(queries="common")


@pytest.fixture(scope="module")
def scores(judged):
    return judged.measure(["AP", "RR"])


def test_every_declared_verb_is_on_the_accessors_of_its_kinds():
    for kind, verbs in VERBS.items():
        for name, made in verbs.items():
            assert callable(method_of(kind, name)), f"{kind}.{name}"
            assert accessor_of(kind)._verbs[name] is made


def test_runs_and_their_join_have_the_same_verbs():
    assert list(of_kind("runs")) == list(of_kind("judged"))


@pytest.mark.parametrize("name", EVERY)
def test_every_signature_is_complete(name):
    kind, made = EVERY[name]
    signature = inspect.signature(method_of(kind, made.name))
    for parameter in list(signature.parameters.values())[1:]:
        assert parameter.kind not in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL), (
            f"{name}({parameter})"
        )
        assert parameter.annotation is not parameter.empty, f"{name}({parameter.name})"
        assert evaluated(made, parameter.annotation, parameter.name) is not inspect.Parameter.empty
    assert signature.return_annotation is not signature.empty
    assert evaluated(made, signature.return_annotation) is not None


@pytest.mark.parametrize("name", EVERY)
def test_every_docstring_is_complete(name):
    kind, made = EVERY[name]
    method = method_of(kind, made.name)
    names = [one for one in inspect.signature(method).parameters if one != "self"]
    said = sections(method.__doc__)
    assert said[""].partition("\n")[0].endswith("."), (
        f"{name}: the first line is one sentence that says the result"
    )
    assert undocumented(names, method.__doc__) == []
    assert said.get("Returns", "").strip(), (
        f"{name}: no Returns; name its table in returns=, or write the section"
    )
    assert ">>> " in said.get("Examples", ""), f"{name}: no example"
    shown = [
        line
        for line in said["Examples"].splitlines()
        if line.strip() and not line.startswith((">>>", "..."))
    ]
    assert shown, f"{name}: the example shows nothing"
    listed = any(line.startswith("['") and line.endswith("']") for line in shown)
    assert not (made.returns and listed), f"{name}: show rows, not columns"


@pytest.mark.parametrize("name", EVERY)
def test_tables_that_a_verb_gives_are_declared(name):
    _, made = EVERY[name]
    assert set(made.returns) <= set(SCHEMAS)
    assert made.returns or "Returns" in sections(made.function.__doc__)


@pytest.mark.parametrize("name", [name for name, (kind, _) in EVERY.items() if kind == "runs"])
def test_runs_take_judgments_first_and_the_rules_last_and_the_join_neither(name):
    kind, made = EVERY[name]
    at_runs, at_join = (
        list(signature_of(made, kind).parameters)[1:] for kind in ("runs", "judged")
    )
    if joins(made, kind):
        rules = [
            rule for rule in RULES if rule not in made.own and (made.core or rule not in JOIN_ONLY)
        ]  # by, metadata and replicate stand before them
        assert at_runs == ["qrels", *(one for one in at_join if one not in rules), *rules]
    else:
        assert at_join == [
            one for one in at_runs if one not in ("qrels", *RULES) or one in made.own
        ]


@pytest.mark.parametrize("name", EVERY)
def test_defaults_are_those_of_the_verb_but_tables_of_results_give_all_their_measures(name):
    kind, made = EVERY[name]
    shown = inspect.signature(method_of(kind, made.name)).parameters
    for parameter in made.parameters:
        if parameter.name in shown and (parameter.name not in RULES or not joins(made, kind)):
            all_of_it = kind not in ("judged", "runs") and parameter.name == "measures"
            wanted = (
                None
                if all_of_it and parameter.default is not parameter.empty
                else parameter.default
            )
            assert (
                shown[parameter.name].default is wanted or shown[parameter.name].default == wanted
            )


@pytest.mark.broad
def test_a_verb_is_a_function_of_its_accessor_and_a_family_where_other_verbs_share_its_name():
    for kind, made in EVERY.values():
        getattr(accessor_of(kind), made.family)  # a method is made when somebody looks at it
        of_class = inspect.getattr_static(accessor_of(kind), made.family)
        members = [
            one for verbs in VERBS.values() for one in verbs if one.startswith(f"{made.family}.")
        ]
        assert isinstance(of_class, FamilyAttribute) == bool(members), made.name
        assert inspect.isfunction(of_class) == (not members), made.name


@pytest.mark.broad
def test_help_and_completion_see_methods_that_nobody_looked_at_before():
    asked = """
import inspect, pydoc
from pdeval.accessor import ACCESSORS, Joined
assert not inspect.isfunction(vars(Joined)["prefer"])
text = pydoc.render_doc(Joined, renderer=pydoc.plaintext)
assert "prefer(self, measures: " in text
assert inspect.isfunction(vars(Joined)["prefer"])
functions = dict(inspect.getmembers(ACCESSORS["runs"], inspect.isfunction))
assert functions["measure"] is vars(ACCESSORS["runs"])["measure"]
class Own(ACCESSORS["scores"]):
    pass
assert Own.summary is vars(ACCESSORS["scores"])["summary"] and "summary" not in vars(Own)
"""
    subprocess.run([sys.executable, "-c", asked], check=True)


def test_a_accessor_lists_its_verbs_and_nothing_else(judged, scores):
    frames = {
        "runs": pdeval.datasets.sample_runs(),
        "qrels": pdeval.datasets.sample_qrels(),
        "scores": scores,
    }
    for kind, frame in frames.items():
        shown = [name for name in dir(frame.ireval) if not name.startswith("_")]
        assert set(shown) - {"join"} == {made.family for made in of_kind(kind).values()}
        assert ("join" in shown) == (kind == "runs")
    own = {"at", "runs", "queries"}
    assert set(dir(judged)) == {made.family for made in of_kind("judged").values()} | own
    assert dir(pd.DataFrame({"x": [1]}).ireval) == []


def test_core_verbs_are_listed_first(scores):
    core = [made.family for made in of_kind("scores").values() if made.core]
    shown = list(dict.fromkeys(made.family for made in of_kind("scores").values()))
    assert shown[: len(set(core))] == list(dict.fromkeys(core))


def test_help_shows_the_whole_of_a_verb(scores):
    shown = pydoc.render_doc(scores.ireval.summary, renderer=pydoc.plaintext)
    for text in ("summary(", "wide: bool = False", "Parameters", "One row per run", ">>> "):
        assert text in shown
    shown = pydoc.render_doc(pdeval.datasets.sample_runs().ireval.measure, renderer=pydoc.plaintext)
    assert "qrels : DataFrame" in shown
    assert "level : float, optional" in shown


def test_a_method_says_which_function_is_behind_it(scores):
    assert inspect.getmodule(type(scores.ireval).summary).__name__ == "pdeval.evaluate.summary"
    assert type(scores.ireval).summary.__name__ == "summary"


def test_positional_arguments_bind(judged):
    runs, qrels = pdeval.datasets.sample_runs(), pdeval.datasets.sample_qrels()
    by_place = runs.ireval.measure(qrels, "AP", queries="common")
    pd.testing.assert_frame_equal(
        by_place, runs.ireval.measure(measures="AP", qrels=qrels, queries="common")
    )
    pd.testing.assert_frame_equal(by_place, judged.measure("AP"))


@pytest.mark.parametrize(
    ("ask", "text"),
    [
        (
            lambda runs, qrels: runs.ireval.measure(qrels, "AP", topic="all"),
            r"measure\(\) has no option 'topic'. Its options are qrels, .*machine, level.* Did you mean 'queries'\?",
        ),
        (
            lambda runs, qrels: runs.ireval.measure(qrels, "AP", None),
            r"measure\(\) takes qrels and measures by position, but \d values were passed\. Pass the others by name",
        ),
        (
            lambda runs, qrels: runs.ireval.measure(),
            r"measure\(\) of a run table needs judgments: \.ireval\.measure\(qrels, \.\.\.\)",
        ),
        (
            lambda runs, qrels: runs.ireval.measure(qrels, "AP").ireval.summary(level=2),
            "summary.* The values of this table are already computed",
        ),
        (
            lambda runs, qrels: runs.ireval.join(qrels).measure("AP", depth=3),
            "The join already has it",
        ),
    ],
)
@pytest.mark.filterwarnings("ignore:2 of 50 judged queries")
def test_a_call_that_does_not_fit_says_what_does(ask, text):
    with pytest.raises(TypeError, match=text):
        ask(pdeval.datasets.sample_runs(), pdeval.datasets.sample_qrels())


def test_a_traceback_shows_the_accessor_and_the_verb(judged):
    with pytest.raises(KeyError) as caught:
        judged.measure("nothing of that name")
    ours = [str(entry.path) for entry in caught.traceback if "/pdeval/accessor/" in str(entry.path)]
    assert len(ours) <= 2


def test_a_result_says_which_table_it_is(judged, scores):
    assert scores.attrs["table"] == "scores"
    assert judged.prefer("RPP", baseline="bm25").attrs["table"] == "preferences"
    assert scores.ireval.summary().attrs["table"] == "summary"


def test_the_accessor_follows_the_columns_of_the_frame(scores):
    frame = scores.copy()
    accessor = frame.ireval
    assert len(accessor.summary()) == 24
    del frame["value"]
    with pytest.raises(AttributeError, match=r"summary\(\) needs a scores table"):
        accessor.summary()


def test_roles_are_bound_and_bound_again(scores):
    renamed = scores.rename(
        columns={"run": "system", "query_id": "topic_no", "measure": "metric", "value": "x"}
    )
    renamed.attrs.clear()
    bound = renamed.ireval(run="system", measure="metric")(query="topic_no", value="x")
    assert isinstance(bound, ACCESSORS["scores"])
    assert list(bound.summary(wide=True)) == ["system", "AP", "RR"]
    assert inspect.signature(Ireval.__call__).parameters["higher"].default is None


@pytest.fixture
def declared():
    with for_a_while():
        yield


def shares(judged: Judged, *, least: float = 0.5) -> pd.DataFrame:
    """Return the share of queries that each run answered.

    Parameters
    ----------
    least : float
        Leave out runs with less.

    Examples
    --------
    >>> 1
    1
    """
    share = judged.positions.answered.mean(axis=0)
    return judged.runs.assign(fraction=share)[share >= least].reset_index(drop=True)


def test_a_verb_declared_in_a_notebook_appears_on_every_accessor(declared, judged):
    table("shares", "run fraction:fraction", "table of shares", row="run")
    verb(on="judged", returns="shares")(shares)
    runs, qrels = pdeval.datasets.sample_runs(), pdeval.datasets.sample_qrels()
    assert "shares" in dir(runs.ireval)
    assert "shares" in dir(judged)
    found = runs.ireval.shares(qrels, least=0.99, level=2)
    assert len(found) == 11
    assert repr(found.ireval) == "table of shares: 11 rows"
    assert len(judged.shares()) == 12
    signature = inspect.signature(runs.ireval.shares)
    assert list(signature.parameters) == [
        "qrels",
        "least",
        "by",
        "metadata",
        *(one for one in RULES if one not in JOIN_ONLY),
    ]
    assert "One row per run: run, fraction." in runs.ireval.shares.__doc__
    with pytest.raises(AttributeError, match=r"shares\(\) needs a run table"):
        qrels.ireval.shares()


def test_a_declaration_may_be_made_again_where_it_was_made(declared, judged):
    verb(on="judged")(shares)
    assert len(judged.shares()) == 12

    @verb(on="judged", name="shares")
    def fewer(judged: Judged) -> pd.DataFrame:
        """Return one share."""
        return shares(judged).head(1)

    assert len(judged.shares()) == 1


def test_a_verb_of_another_file_is_not_replaced(declared):
    with pytest.raises(
        ValueError,
        match=r"the judged table already has a verb 'measure', declared in pdeval\.evaluate\.scores",
    ):
        verb(on="judged", name="measure")(shares)


def test_a_family_is_called_and_has_members(declared, judged):
    verb(on="judged", family="shares")(shares)

    @verb(on="judged", family="shares", name="by_first")
    def by_first(judged: Judged, first: int = 2) -> pd.DataFrame:
        """Return the first shares."""
        return shares(judged).head(first)

    accessor = pdeval.datasets.sample_runs().ireval
    qrels = pdeval.datasets.sample_qrels()
    assert isinstance(accessor.shares, Family)
    assert len(accessor.shares(qrels, least=0.99)) == 11
    assert len(accessor.shares.by_first(qrels, 3)) == 3
    assert len(judged.shares.by_first()) == 2
    assert dir(judged.shares) == ["by_first"]
    assert repr(judged.shares) == ".shares(), .shares.by_first()"
    assert list(inspect.signature(judged.shares).parameters) == ["least"]
    assert judged.shares.__doc__.startswith("Return the share of queries")
    with pytest.raises(
        AttributeError,
        match=r"no shares\.by_last\(\)\. Use one of \.shares\(\), \.shares\.by_first\(\)",
    ):
        _ = judged.shares.by_last


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"alpha": 1.5}, "alpha=1.5"),
        ({"draws": -1}, "draws=-1: expected an integer of at least 0"),
        ({"seed": 0.5}, "seed=0.5"),
        ({"family": "none"}, "family='none': choose"),
    ],
)
def test_options_are_checked_by_name_and_type_before_the_verb_is_asked(
    options, text, judged, monkeypatch
):
    for accessor, given in (
        (judged, ()),
        (pdeval.datasets.sample_runs().ireval, (pdeval.datasets.sample_qrels(),)),
    ):
        asked = type(accessor)
        with monkeypatch.context() as patch:
            patch.setattr(asked, "_call", lambda *_: pytest.fail("the verb was asked"))
            with pytest.raises(ValueError, match=text):
                accessor.compare(*given, "AP", **options)


def test_a_family_may_be_declared_before_its_first_verb(declared, judged):
    @verb(on="judged", family="shares", name="by_first")
    def by_first(judged: Judged) -> pd.DataFrame:
        """Return the first shares."""
        return shares(judged).head(1)

    assert repr(judged.shares) == ".shares.by_first()"
    with pytest.raises(
        TypeError,
        match=r"shares\(\) cannot be called directly on this table\. Use one of \.shares\.by_first\(\)",
    ):
        judged.shares()
    verb(on="judged", family="shares")(shares)
    assert len(judged.shares()) == 12


def test_a_verb_whose_family_has_members_on_other_tables_is_a_family_here_too():
    members = {name.partition(".")[0] for verbs in VERBS.values() for name in verbs if "." in name}
    alone = []
    for kind, accessor in ACCESSORS.items():
        for name in of_kind(kind):
            if name in members:
                assert isinstance(accessor.__dict__[name], FamilyAttribute), (kind, name)
                alone += (
                    []
                    if any(one.startswith(f"{name}.") for one in of_kind(kind))
                    else [(kind, name)]
                )
    assert alone  # such as a table that has plot() and no other plot
    kind, name = alone[0]
    assert type(getattr(ACCESSORS[kind], name)) is type


def test_help_on_a_family_prints_the_docstring_once_without_the_class():
    ties = pdeval.datasets.sample_judged(queries="common").ties
    text = pydoc.render_doc(ties, renderer=pydoc.plaintext)
    assert ".ties.deciding_levels()" in text
    assert text.count("Parameters\n") == text.count("measures : ") == 1
    assert "Method resolution order" not in text


def test_completion_of_packages_lists_public_names_only():
    assert set(dir(pdeval.plots)) == set(pdeval.plots.__all__)
    assert not {"sys", "Thread", "import_module", "Any"} & set(dir(pdeval))


def test_a_family_of_a_class_is_the_class_of_its_calls():
    family = ACCESSORS["runs"].__dict__["pool"].family
    assert ACCESSORS["runs"].pool is family
    assert family.__doc__ == "Verbs of pool."
    assert (
        list(inspect.signature(family).parameters)
        == list(inspect.signature(family.__call__).parameters)[1:]
    )
    assert set(family._verbs) == {
        "__call__",
        *(name.partition(".")[2] for name in of_kind("runs") if "pool." in name),
    }


@pytest.mark.parametrize("kind", ["scores", "preferences", "orders"])
def test_verbs_of_results_take_all_measures_of_the_table_by_default(kind):
    asked = [made for made in of_kind(kind).values() if "measures" in made.signature.parameters]
    assert asked
    for made in asked:
        own = made.signature.parameters["measures"].default
        default = signature_of(made, kind).parameters["measures"].default
        assert default is (own if own is inspect.Parameter.empty else None), made.name
