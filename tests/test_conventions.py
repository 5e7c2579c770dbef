"""The package itself: layers and boundaries of imports, names of files, and what every docstring has."""

import ast
import importlib
import inspect
import re
from functools import cache
from pathlib import Path

import pytest

import pdeval
from pdeval.catalog import ENTRIES

ROOT = Path(pdeval.__file__).parent
TESTS = Path(__file__).parent


def layers():
    """Return the packages of every layer, from the lowest up, as the package docstring draws them."""
    drawing = pdeval.__doc__.partition("imports go downwards only:")[2]
    found = []
    for line in drawing.splitlines():
        match = re.match(r"    (\w+)  +([a-z ]+?)(?:  +.*)?$", line)
        if match:
            found.append(match[2].split())
    return found[::-1]


LAYERS = layers()
LAYER = {package: height for height, packages in enumerate(LAYERS) for package in packages} | {
    "__init__": len(LAYERS) - 1,
    "__main__": len(LAYERS) - 1,
}

# packages, and what they never import
BOUNDARIES = {
    "kernels never see a DataFrame": (("kernels",), ("pandas",)),
    "reports and plots never see positions": (("report", "plots"), ("join", "kernels")),
}
ON_USE = ("scipy", "statsmodels", "matplotlib", "tqdm", "dask", "distributed")
NO_SUBJECT = ("utils", "util", "helpers", "common", "misc", "core", "base", "mechanics")


def module_name(path):
    parts = path.relative_to(ROOT.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


FILES = {module_name(path): path for path in sorted(ROOT.rglob("*.py"))}


@cache
def trees():
    """Return the syntax tree of every file, once, and not before a test asks."""
    return {name: ast.parse(path.read_text(encoding="utf-8")) for name, path in FILES.items()}


def package_of(module):
    """Return the module or package right below pdeval that a module belongs to."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else "__init__"


def imported(tree, *, top_only=False):
    """Yield the modules that a file imports: pdeval's own in full, of others the package."""
    nodes = tree.body if top_only else ast.walk(tree)
    for node in nodes:
        names = []
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, "import by full names, so that layers can be seen"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        for name in names:
            if name == "pdeval" or name.startswith("pdeval."):
                while name not in FILES:
                    name = name.rpartition(".")[0]
                yield name
            else:
                yield name.partition(".")[0]


def test_every_module_has_a_layer():
    unlisted = sorted({package_of(module) for module in FILES} - set(LAYER))
    assert unlisted == [], "draw them in the docstring of pdeval"
    assert sorted(set(LAYER) - {package_of(module) for module in FILES}) == [], (
        "drawn in the docstring of pdeval, but not there"
    )


def test_the_listing_of_the_package_shows_packages():
    files = {path.name for path in ROOT.iterdir() if path.is_file()}
    assert files == {"__init__.py", "__main__.py", "py.typed"}


def runtime_imports(module):
    """Return the modules of pdeval that a module imports, also inside functions, but not for type checkers alone."""
    tree = trees()[module]
    conditions = [node for node in ast.walk(tree) if isinstance(node, ast.If)]
    typing_only = {
        node
        for block in conditions
        if "TYPE_CHECKING" in ast.unparse(block.test)
        for node in block.body
    }
    nodes = [node for node in ast.walk(tree) if node not in typing_only]
    names = {name for node in nodes for name in imported(ast.Module([node], []), top_only=True)}
    return {name for name in names if name in FILES and name != module}


def test_no_modules_import_each_other_in_a_cycle():
    graph = {module: runtime_imports(module) for module in FILES}
    while leaves := {module for module, others in graph.items() if not others & graph.keys()}:
        for module in leaves:
            del graph[module]
    # what imports a cycle without being part of one has no importer among the rest
    while roots := graph.keys() - {other for others in graph.values() for other in others}:
        for module in roots:
            del graph[module]
    assert {module: sorted(others & graph.keys()) for module, others in graph.items()} == {}


def test_the_path_of_a_call_in_the_guide_names_what_exists():
    guide = (TESTS.parent / ".github" / "CONTRIBUTING.md").read_text(encoding="utf-8")
    path = guide.partition("### From a call to a kernel and back")[2].partition("\n## ")[0]
    steps = re.findall(r"(?m)^\d+\. `(pdeval[\w.]+)`", path)
    assert len(steps) == 10
    for name in re.findall(r"`(pdeval\.[\w.]+)`", path):
        module, _, attribute = name.rpartition(".")
        assert hasattr(importlib.import_module(module), attribute), name


@pytest.mark.broad
def test_no_function_is_called_of():
    found = [
        name
        for name, tree in trees().items()
        for node in tree.body
        if getattr(node, "name", "") == "of"
    ]
    assert found == [], "name what it returns"


@pytest.mark.broad
def test_imports_go_downwards_only():
    upwards = [
        f"{module} imports {other}"
        for module in FILES
        for other in imported(trees()[module])
        if other in FILES and LAYER.get(package_of(other), 0) > LAYER.get(package_of(module), 0)
    ]
    assert upwards == []


@pytest.mark.broad
@pytest.mark.parametrize("boundary", BOUNDARIES)
def test_boundaries_hold(boundary):
    packages, never = BOUNDARIES[boundary]
    for module in FILES:
        if package_of(module) in packages:
            seen = {
                package_of(name) if name in FILES else name for name in imported(trees()[module])
            }
            assert not seen & set(never), f"{boundary}: {module}"


@pytest.mark.broad
def test_slow_packages_are_imported_on_use():
    early = [
        module
        for module, tree in trees().items()
        if set(imported(tree, top_only=True)) & set(ON_USE)
    ]
    assert early == []


def test_files_are_named_after_a_subject():
    assert [module for module, path in FILES.items() if path.stem in NO_SUBJECT] == []


@pytest.mark.broad
def test_user_errors_are_never_assertions():
    found = [
        name
        for name, tree in trees().items()
        if any(isinstance(node, ast.Assert) for node in ast.walk(tree))
    ]
    assert found == []


def public(tree):
    """Yield (name, node) of every public function, class and method; members of a Protocol only name its parts."""
    for node in tree.body:
        decorators = [getattr(one, "id", "") for one in getattr(node, "decorator_list", ())]
        named = isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not node.name.startswith("_")
        if named and "overload" not in decorators:  # their docstring is that of what they overload
            yield node.name, node
            protocol = isinstance(node, ast.ClassDef) and "Protocol" in ast.dump(
                ast.Tuple(node.bases)
            )
            if isinstance(node, ast.ClassDef) and not protocol:
                yield from ((f"{node.name}.{name}", inner) for name, inner in public(node))


def test_everything_public_says_what_it_is():
    silent = [module for module, tree in trees().items() if not ast.get_docstring(tree)]
    for module, tree in trees().items():
        silent += [f"{module}.{name}" for name, node in public(tree) if not ast.get_docstring(node)]
    assert silent == []


def front():
    """Yield (name, object) of what users call: the verbs, the public names of every package, and the kernels."""
    packages = [
        "pdeval",
        *(name for name in FILES if FILES[name].stem == "__init__" and name.count(".") == 1),
    ]
    for package in packages:
        module = importlib.import_module(package) if package != "pdeval.dask" else None
        for name in getattr(module, "__all__", ()):
            one = getattr(module, name)
            if callable(one) and not isinstance(one, (dict, tuple)):
                yield f"{package}.{name}", one
    for name, entry in ENTRIES.items():
        if entry.family != "ordering":  # those are kernels of order(), which shows them
            yield f"the kernel of {name}", entry.kernel


# parts of a Report that users read and never make; report() shows them
PARTS = {
    *(f"pdeval.report.{name}" for name in ("Cell", "Column", "Group")),
    *("pdeval.catalog.Entry", "pdeval.catalog.Measure"),
    *("pdeval.datasets.Sample", "pdeval.datasets.Recommendations", "pdeval.datasets.AnswerSample"),
}


def test_everything_that_users_call_shows_an_example():
    lacking = [name for name, one in front() if "Examples" not in (inspect.getdoc(one) or "")]
    assert set(lacking) <= PARTS


def test_what_users_call_is_annotated():
    lacking = []
    for name, one in front():
        if inspect.isfunction(one) and not name.startswith("the kernel"):
            parameters = [p for p in inspect.signature(one).parameters.values() if p.name != "self"]
            if (
                any(p.annotation is p.empty for p in parameters)
                or "return" not in one.__annotations__
            ):
                lacking.append(name)
    assert lacking == []
