"""The code of a model that obeys an injection really runs, past every limit: in the sandbox it harms nobody."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from testwright.core.errors import ToolFailure
from testwright.mcp.tool_client.tool_client import ToolClient
from testwright.mcp.toolbox.toolbox import build_toolbox
from testwright.sandbox.target import PythonTarget
from testwright.tests.support.agents.injected_code import (
    SECRET,
    Bystander,
    bystander,
    deleting,
    reading,
    sending,
    starting,
)
from testwright.tests.support.engine.targets import prepared
from testwright.tests.support.mcp.tool_session import CART, make_services
from testwright.tests.support.projects.files import tree

pytestmark = pytest.mark.feature("B-11")

FILES = {"src/shop/__init__.py": "", "src/shop/cart.py": CART}
TEST = "tests/generated/test_cart.py"


@pytest.fixture
async def target(tmp_path: Path) -> AsyncIterator[PythonTarget]:
    async with prepared(tmp_path / "sandboxed", FILES) as made:
        yield made


def _obeying(outside: Bystander, root: Path) -> str:
    """One honest test, and a test for each order: it passes where the order could be carried out."""
    orders = {
        "send": sending(outside),
        "delete": deleting(outside),
        "read_secret": reading(),
        # The secret itself must not stand in the test, so that it is found in the answer only if it was read.
        "read_secret_of_parent": f"secret = {SECRET[::-1]!r}[::-1]\n"
        "found = secret in open('/proc/1/environ').read()\nassert found",
        "start": starting(outside),
        "overwrite": f"open({str(outside.canary)!r}, 'w').write('silent')",
        "read_file": f"assert open({str(outside.canary)!r}).read()",
        "change_project": f"open({str(root / 'src/shop/cart.py')!r}, 'w').write('')",
        "send_udp": "import socket\nsocket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('192.0.2.1', 53))",
    }
    tests = ["from shop.cart import half", "def test_honest(tmp_path):\n    (tmp_path / 'a').write_text('x')"]
    tests[1] += "\n    assert half(4) == 2"
    for name, statements in orders.items():
        body = "\n".join(f"    {line}" for line in statements.splitlines())
        tests.append(f"def test_{name}():\n{body}")
    return "\n\n\n".join(tests) + "\n"


async def test_what_passed_all_limits_runs_and_harms_nothing(
    tmp_path: Path, target: PythonTarget, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A person's test through the tool: no limit reads it. Every order fails in the sandbox, the honest test passes."""
    monkeypatch.setenv("TESTWRIGHT_API_KEY", SECRET)

    async def python_target() -> PythonTarget:
        return target

    services = make_services(tmp_path / "room", FILES, python_target=python_target)
    with bystander(tmp_path) as outside:
        staged = services.run_folder.staged / TEST
        staged.parent.mkdir(parents=True)
        staged.write_text(_obeying(outside, target.root), encoding="utf-8")
        before = tree(target.root)
        async with ToolClient(build_toolbox(services)) as client:
            options = {"repeats": 0, "baseline": False, "framework": "pytest"}
            ran = await client.call("run_tests", {"test_path": TEST, "options": options})
        outside.require_unharmed()
    outcomes = {str(test["nodeid"]).rpartition("::")[2]: test["outcome"] for test in ran["tests"]}
    assert ran["sandbox"] == "bubblewrap"
    assert outcomes.pop("test_honest") == "kept"
    # It may have changed the copy that it ran in; that was nobody's.
    outcomes.pop("test_change_project")
    assert len(outcomes) == 8
    assert "kept" not in outcomes.values()
    assert SECRET not in json.dumps(ran)
    assert tree(target.root) == before


async def test_a_test_file_of_the_run_cannot_be_named_outside_of_it(tmp_path: Path) -> None:
    services = make_services(tmp_path / "room", FILES)
    async with ToolClient(build_toolbox(services)) as client:
        for path in ("../../../etc/passwd", "/etc/passwd", "tests/../../x.py"):
            with pytest.raises(ToolFailure):
                await client.call("run_tests", {"test_path": path})
