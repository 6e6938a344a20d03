"""Makes imports of our own processes quick: no search for garbage meanwhile, and nothing that is never used.

It must stay free of imports of ours: what imports it has not begun to import the rest.
"""

from __future__ import annotations

import gc
import importlib.util
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from importlib.machinery import PathFinder
from typing import Any

_THRESHOLDS = (20_000, 20, 20)
_LANGSMITH_MODELS = "langsmith.types"
_LANGGRAPH_CLIENTS = "langgraph_sdk"


@contextmanager
def fast_imports() -> Iterator[None]:
    """Import inside the block without looking for garbage: there is none, and what is imported stays.

    Models that are defined inside the block are built when they are first used, see `_deferred_models`.

    Afterwards the collector leaves all that alone for good, and looks more rarely: a process of ours ends before long,
    and most of what it makes it keeps to its end. Where blocks of several threads overlap, the last one restores.
    """
    _BLOCKS.begin()
    try:
        yield
    finally:
        _BLOCKS.end()


class _Blocks:
    """Counts the blocks that are under way: the first one arranges for all, and the last one restores."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._count = 0
        self._arranged = ExitStack()

    def begin(self) -> None:
        with self._lock:
            if not self._count:
                self._arranged.enter_context(_arranged())
            self._count += 1

    def end(self) -> None:
        with self._lock:
            self._count -= 1
            if not self._count:
                self._arranged.close()


_BLOCKS = _Blocks()


@contextmanager
def _arranged() -> Iterator[None]:
    """Arrange for quick imports and restore what held before."""
    gc.disable()
    try:
        defer_contents()
        with _deferred_models():
            yield
    finally:
        gc.freeze()
        gc.set_threshold(*_THRESHOLDS)
        gc.enable()


def defer_contents() -> None:
    """Let packages that nothing here uses be there without their contents until one of those is asked for.

    langgraph imports langsmith, which defines some hundred models of its service and uses one of them, in a module of
    its own. It imports one type of a module of langgraph_sdk, whose package imports clients of its service, for which
    it needs libraries for HTTP and for web sockets. Nothing here calls these services, and they take a seventh of all
    imports.
    """
    langsmith = importlib.util.find_spec("langsmith")
    if langsmith is not None:
        # `find_spec` of a package in a package would import the outer one.
        _defer_contents(_LANGSMITH_MODELS, langsmith.submodule_search_locations)
    _defer_contents(_LANGGRAPH_CLIENTS, None)


def _defer_contents(name: str, places: Sequence[str] | None) -> None:
    """Put a package without its contents where imports find it; its modules can be imported as ever.

    Args:
        places: folders in which the package is looked for; None for those of `sys.path`.
    """
    if name in sys.modules:
        return
    spec = PathFinder.find_spec(name, places)
    # Not every version has such a package.
    if spec is None or spec.loader is None:
        return
    package = importlib.util.module_from_spec(spec)
    loader = spec.loader

    lock, is_loading = threading.RLock(), False

    def load(attribute: str) -> Any:
        nonlocal is_loading
        # Other threads wait here; the package's own code must not begin it again.
        with lock:
            if is_loading:
                raise AttributeError(f"module {name!r} has no attribute {attribute!r} yet")
            if package.__dict__.get("__getattr__") is load:
                is_loading = True
                try:
                    loader.exec_module(package)
                finally:
                    is_loading = False
                # Unless the code has put a function of its own in its place. Code that failed is tried again.
                if package.__dict__.get("__getattr__") is load:
                    del package.__dict__["__getattr__"]
        return getattr(package, attribute)

    package.__dict__["__getattr__"] = load
    sys.modules[name] = package


@contextmanager
def _deferred_models() -> Iterator[None]:
    """Let pydantic build models that are defined inside the block when they are first used, and not at once.

    The SDK of MCP defines each message once for itself and once for each version of the protocol, and a run uses a
    dozen of them. A model that says itself when it is built is left alone, and so are all models after the block.
    """
    defaults = _defaults_of_models()
    if "defer_build" not in defaults:
        yield
        return
    before = defaults["defer_build"]
    defaults["defer_build"] = True
    try:
        yield
    finally:
        defaults["defer_build"] = before


def _defaults_of_models() -> dict[str, Any]:
    """Return what pydantic takes for a model that says nothing; empty for a version of which that cannot be changed."""
    try:
        import pydantic.main
        from pydantic._internal import _config
    except ImportError:
        return {}
    defaults: Any = getattr(_config, "config_defaults", None)
    # Without this lock two threads that use a model first at the same time could get in each other's way.
    is_safe = isinstance(defaults, dict) and hasattr(pydantic.main, "_rebuild_lock")
    return defaults if is_safe else {}
