"""Where modules meet, read from imports and calls."""

import pytest

from testwright.engine.integration.modules.targets import find_seams, integration_target, integration_targets
from testwright.engine.python.project.layout import find_layout
from testwright.tests.support.projects.depot import DEPOT
from testwright.tests.support.projects.files import make_project


def seams_of(root):
    return {(seam.source, seam.caller, seam.target, seam.name) for seam in find_seams(root, find_layout(root)).seams}


def targets_of(root, files=DEPOT):
    make_project(root, files)
    return integration_targets(root, find_layout(root))


@pytest.mark.feature("T-20")
def test_a_call_through_an_annotated_parameter_is_a_seam(tmp_path):
    make_project(tmp_path, DEPOT)
    assert ("depot.shipping", "ship", "depot.shelf", "Shelf.take") in seams_of(tmp_path)


@pytest.mark.parametrize(
    ("body", "seam"),
    [
        ("from pkg.b import go\n\n\ndef f():\n    return go()\n", ("f", "go")),
        ("from pkg import b\n\n\ndef f():\n    return b.go()\n", ("f", "go")),
        ("import pkg.b as other\n\n\ndef f():\n    return other.go()\n", ("f", "go")),
        ("from . import go\n\n\ndef f():\n    return go()\n", ("f", "go")),
        ("def f():\n    from .b import go\n    return go()\n", ("f", "go")),
        ("from .b import B\n\n\ndef f():\n    made = B()\n    return made.act()\n", ("f", "B.act")),
        ("from .b import B\n\n\ndef f():\n    with B() as made:\n        return made.act()\n", ("f", "B.act")),
        (
            "from .b import B\nfrom typing import List\n\n\ndef f(x: List[B]):\n    return [y.act() for y in x]\n",
            ("f", "B.act"),
        ),
        (
            "from .b import B\n\n\nclass A:\n    def __init__(self, b: B):\n        self.b = b\n\n"
            "    def f(self):\n        return self.b.act()\n",
            ("A.f", "B.act"),
        ),
        ("from .b import make\n\n\ndef f():\n    return make().act()\n", ("f", "B.act")),
    ],
)
def test_ways_to_reach_another_module(tmp_path, body, seam):
    other = "class B:\n  def act(self):\n    return 1\n\ndef go():\n  return 1\n\ndef make() -> B:\n  return B()\n"
    files = {"pkg/__init__.py": "from .b import go\n", "pkg/a.py": body, "pkg/b.py": other}
    make_project(tmp_path, files)
    assert ("pkg.a", seam[0], "pkg.b", seam[1]) in seams_of(tmp_path)


@pytest.mark.feature("T-20")
def test_entries_that_reach_most_components_come_first(tmp_path):
    found = targets_of(tmp_path)
    assert [one.entry.name for one in found] == ["cli", "shipping"]
    assert [program.name for program in found[0].programs] == ["depot"]
    assert [component.name for component in found[1].components] == ["shipping", "shelf", "errors"]


def test_a_module_of_exceptions_alone_is_no_component_to_integrate_with(tmp_path):
    found = targets_of(tmp_path)
    assert "shelf" not in [one.entry.name for one in found]
    assert [component.vocabulary for component in found[1].components] == [False, False, True]


def test_a_project_of_one_module_has_nothing_to_integrate(tmp_path):
    assert targets_of(tmp_path, {"alone.py": "def f(n):\n    return n + 1\n"}) == ()


@pytest.mark.parametrize(
    ("source", "entries"),
    [
        ("import argparse\n\n\ndef main():\n    argparse.ArgumentParser().parse_args()\n", ["tool"]),
        ("import sys\n\n\ndef main():\n    print(sys.argv[1])\n", ["tool"]),
        ("def main():\n    print(1)\n", []),
    ],
)
def test_a_program_that_reads_a_command_line_is_an_entry_by_itself(tmp_path, source, entries):
    scripts = '[project]\nname = "tool"\nversion = "1"\n\n[project.scripts]\ntool = "tool:main"\n'
    found = targets_of(tmp_path, {"tool.py": source, "pyproject.toml": scripts})
    assert [target.entry.place.module for target in found] == entries


def test_modules_that_import_each_other_are_both_entries(tmp_path):
    files = {
        "pkg/__init__.py": "",
        "pkg/a.py": "from . import b\n\n\ndef even(n):\n    return n == 0 or b.odd(n - 1)\n",
        "pkg/b.py": "from . import a\n\n\ndef odd(n):\n    return n != 0 and a.even(n - 1)\n",
    }
    assert sorted(one.entry.name for one in targets_of(tmp_path, files)) == ["a", "b"]


def test_a_module_that_does_not_parse_is_passed_over_and_named(tmp_path):
    make_project(tmp_path, {**DEPOT, "src/depot/broken.py": "def f(:\n"})
    assert list(find_seams(tmp_path, find_layout(tmp_path)).unread) == ["src/depot/broken.py"]


def test_symbols_limit_a_target(tmp_path):
    make_project(tmp_path, DEPOT)
    layout = find_layout(tmp_path)
    limited = integration_target(tmp_path, layout, "src/depot/shipping.py", ["ship"])
    assert limited is not None
    assert limited.subjects == ("ship",)
    assert integration_target(tmp_path, layout, "src/depot/shipping.py", ["Parcel"]) is None
