"""`import testwright` is the public API and costs next to nothing."""

import subprocess
import sys

import pytest

import testwright

NAMES = [
    "Event",
    "EventType",
    "ExitCode",
    "Report",
    "Settings",
    "TestwrightError",
    "agenerate",
    "apply",
    "aresume",
    "build_planning_graph",
    "generate",
    "graph_session",
    "plan",
    "resume",
]


@pytest.mark.feature("T-19")
def test_the_public_names_are_these():
    assert testwright.__all__ == NAMES
    assert all(getattr(testwright, name) is not None for name in NAMES)
    assert set(NAMES) <= set(dir(testwright))


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = testwright.nothing


def test_importing_the_package_loads_nothing_heavy():
    heavy = "[name for name in sys.modules if name.partition('.')[0] in {'langgraph', 'pydantic', 'mcp', 'sqlalchemy'}]"
    done = subprocess.run(
        [sys.executable, "-c", f"import sys, testwright; print({heavy})"], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
