"""The layout: few files at the top, no crowded folder, no import cycle."""

import ast
from collections import defaultdict
from graphlib import CycleError, TopologicalSorter

import pytest

from testwright.app.contracts.impact import module_imports
from testwright.tests.support.source_files import ROOT, python_files
from testwright.utils.python_source import walk

OUTSIDE = {"tests", "examples", "benchmarks", "docs"}
FILES = [path for path in python_files() if path.relative_to(ROOT).parts[0] not in OUTSIDE]


def name_of(path):
    parts = ("testwright", *path.relative_to(ROOT).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def test_only_the_package_and_its_entry_stand_at_the_top():
    assert sorted(p.name for p in ROOT.glob("*.py")) == ["__init__.py", "main.py"]


def test_no_folder_holds_more_than_twenty_modules():
    count = defaultdict(int)
    for path in FILES:
        count[path.parent] += path.name != "__init__.py"
    assert {str(k.relative_to(ROOT)): n for k, n in count.items() if n > 20} == {}


@pytest.fixture(scope="module")
def imports():
    """What each module imports of ours, read from its syntax tree; for both tests, because all trees take seconds."""
    modules = {name_of(p): p for p in FILES}
    graph = defaultdict(set)
    for name, path in modules.items():
        package = name if path.name == "__init__.py" else name.rpartition(".")[0]
        for node in walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom):
                base = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
                target = ".".join([*base, *([node.module] if node.module else [])])
                for alias in node.names:
                    inner = f"{target}.{alias.name}"
                    imported = inner if inner in modules else target
                    if imported in modules and imported != name:
                        graph[name].add(imported)
    return graph


def test_no_module_imports_itself_through_others(imports):
    try:
        order = list(TopologicalSorter(imports).static_order())
    except CycleError as error:
        raise AssertionError(" -> ".join(error.args[1])) from None
    assert order


def test_changes_are_traced_through_every_import(imports):
    """The tracing reads import statements by pattern, so one in a form that the pattern misses would be lost."""
    inside = {name: imported for name, imported in imports.items() if name not in {"testwright", "testwright.main"}}
    for name, imported in inside.items():
        traced = {f"testwright.{other}" for other in module_imports()[name.removeprefix("testwright.")]}
        assert imported <= traced, name
