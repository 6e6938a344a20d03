"""A project and a run folder with the built-in tools over them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mcp.server import MCPServer

from testwright.core.errors import SandboxUnavailable
from testwright.mcp.tool_client.tool_client import ToolClient
from testwright.mcp.toolbox.services import ToolServices
from testwright.sandbox.target import PythonTarget
from testwright.store.files.run_folder import RunFolder

CART = '''"""A cart."""


class Cart:
    """What a shopper wants to buy."""

    def __init__(self) -> None:
        self.items: dict[str, int] = {}

    def add(self, name: str, quantity: int = 1) -> None:
        """Put something in."""
        if quantity < 1:
            raise ValueError("quantity must be positive")
        self.items[name] = quantity


def half(number: int) -> int:
    """Half of an even number."""
    if number % 2:
        raise ValueError("odd")
    return number // 2
'''
EVIDENCE = {"path": "src/shop/cart.py", "lines": [1, 4]}


def write_files(root: Path, files: Mapping[str, str]) -> Path:
    """Write files by their path relative to `root`."""
    for path, text in files.items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    return root


async def no_target() -> PythonTarget:
    """A target for tools that run nothing."""
    raise SandboxUnavailable("there is no sandbox here", advice="this test needs none")


def no_tools() -> ToolClient:
    """A client for agents that call no tools; it is not open, so every call fails."""
    return ToolClient(MCPServer("none"))


def make_services(folder: Path, files: Mapping[str, str] | None = None, **more: Any) -> ToolServices:
    """Services over a small shop below `folder`, with a run folder that exists."""
    root = write_files(folder / "project", files or {"src/shop/__init__.py": "", "src/shop/cart.py": CART})
    run_folder = RunFolder(root / ".testwright", "run-1").create()
    python_target = more.pop("python_target", no_target)
    return ToolServices(root, run_folder, python_target, root / ".testwright" / "cache", **more)


def unit_spec(**changes: Any) -> dict[str, Any]:
    """A good unit spec of the shop's cart; `changes` replace its top-level parts."""
    spec = {
        "schema_version": "1.0.0",
        "test_type": "unit",
        "title": "Unit tests for shop.cart",
        "language": "python",
        "framework": "pytest",
        "target": {"path": "src/shop/cart.py", "module": "shop.cart", "import_root": "src", "digest": "0" * 64},
        "imports": ["from shop.cart import Cart, half"],
        "cases": [unit_case()],
    }
    return {**spec, **changes}


def unit_case(**changes: Any) -> dict[str, Any]:
    """A good case about `half`; `changes` replace its parts."""
    case = {
        "id": "tc_half_of_four",
        "title": "half of 4 is 2",
        "priority": "high",
        "preconditions": [],
        "steps": ["Call half with 4."],
        "expected": "The result is 2.",
        "subject": "half",
        "act": {"expression": "half(4)", "mode": "call"},
        "expect": [expectation()],
    }
    return {**case, **changes}


def expectation(**changes: Any) -> dict[str, Any]:
    """A good expectation; `changes` replace its parts."""
    good = {"kind": "equals", "actual": "result", "value": "2", "origin": "observed", "evidence": dict(EVIDENCE)}
    return {**good, **changes}
