"""testwright: from a request in plain words to tests a team would keep.

    import testwright

    report = testwright.generate("unit tests for src/shop/cart.py", root="examples/shop")

The public API, and nothing else; everything is imported on first use (PEP 562).
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .app.api import agenerate, apply, aresume, generate, graph_session, plan, resume
    from .config.settings import Settings
    from .core.errors import TestwrightError
    from .core.events import Event, EventType
    from .core.exit_code import ExitCode
    from .graph.planning_graph.planning_graph import build_planning_graph
    from .reports.model import Report

__all__ = [
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

_HOME = {
    "Event": "core.events",
    "EventType": "core.events",
    "ExitCode": "core.errors",
    "Report": "reports.model",
    "Settings": "config.settings",
    "TestwrightError": "core.errors",
    "agenerate": "app.api",
    "apply": "app.api",
    "aresume": "app.api",
    "build_planning_graph": "graph.planning_graph.planning_graph",
    "generate": "app.api",
    "graph_session": "app.api",
    "plan": "app.api",
    "resume": "app.api",
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_HOME[name]}", __name__), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
