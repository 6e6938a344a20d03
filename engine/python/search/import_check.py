"""Proves that a module imports in its own interpreter, before anything is generated for it (B-05)."""

from __future__ import annotations

from dataclasses import dataclass

from ....sandbox.target import PythonTarget
from ..model.model import Arc, ModuleFacts
from .observer import Conditions, open_observer


@dataclass(frozen=True, slots=True)
class ImportCheck:
    """The proof: which Python imported it, and which arcs of the file that ran."""

    module: str
    python: tuple[int, ...]
    arcs: frozenset[Arc]


async def check_import(target: PythonTarget, facts: ModuleFacts) -> ImportCheck:
    """Import the module in a fresh workspace, under the real clock and nothing instrumented.

    Raises:
        TargetImportError: it does not import; the message holds the exception and the line, the advice what to do.
        SandboxFailure: the worker does not start.
    """
    async with open_observer(target, facts, Conditions()) as observer:
        return ImportCheck(facts.module, observer.python, observer.import_arcs)
