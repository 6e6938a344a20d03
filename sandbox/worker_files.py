"""Locates the worker's files and builds the arguments that start its modules. Imports nothing of ours."""

from __future__ import annotations

from pathlib import Path

WORKER_FOLDER = Path(__file__).with_name("worker")
START = WORKER_FOLDER / "start.py"


def worker_arguments(module: str, *arguments: str) -> list[str]:
    """The arguments of the target's interpreter that run a worker module, named relative to the worker's folder."""
    return [str(WORKER_FOLDER / "bootstrap.py"), module, *arguments]
