"""Makes imports of our own processes quick: no search for garbage meanwhile, and nothing that is never used.

It must stay free of imports of ours: what imports it has not begun to import the rest.
"""

from __future__ import annotations

import gc
import importlib.util
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.machinery import PathFinder
from typing import Any

_THRESHOLDS = (20_000, 20, 20)
_LANGSMITH_MODELS = "langsmith.types"


@contextmanager
def fast_imports() -> Iterator[None]:
    """Import inside the block without looking for garbage: there is none, and what is imported stays.

    Afterwards the collector leaves all that alone for good, and looks more rarely: a process of ours ends before long,
    and most of what it makes it keeps to its end.
    """
    gc.disable()
    defer_langsmith_models()
    try:
        yield
    finally:
        gc.freeze()
        gc.set_threshold(*_THRESHOLDS)
        gc.enable()


def defer_langsmith_models() -> None:
    """Let the package of langsmith's models be there without its contents until one of them is asked for.

    langgraph imports langsmith, which defines some hundred models of its service and uses one of them, in a module of
    its own. Nothing here calls that service, and making them all takes a tenth of all imports.
    """
    langsmith = importlib.util.find_spec("langsmith")
    if _LANGSMITH_MODELS in sys.modules or langsmith is None:
        return
    # `find_spec` of a package in a package would import the outer one.
    spec = PathFinder.find_spec(_LANGSMITH_MODELS, langsmith.submodule_search_locations)
    # Not every version has such a package.
    if spec is None or spec.loader is None:
        return
    package = importlib.util.module_from_spec(spec)
    loader = spec.loader

    def load(name: str) -> Any:
        # The package's own code takes the place of this function first, so it is called once.
        del package.__dict__["__getattr__"]
        loader.exec_module(package)
        return getattr(package, name)

    package.__dict__["__getattr__"] = load
    sys.modules[_LANGSMITH_MODELS] = package
