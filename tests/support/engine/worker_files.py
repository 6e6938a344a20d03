"""Modules of the sandbox's worker, imported as the package's own."""

from __future__ import annotations

import importlib
from typing import Any


def worker_module(name: str) -> Any:
    """A module of the worker by its name there, untyped: the scripts carry no annotations."""
    return importlib.import_module(f"testwright.sandbox.worker.{name}")
