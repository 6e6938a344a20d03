"""Finds Schemathesis in our own environment: a program that runs beside an application, never in its environment."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from ....core.errors import ToolMissing
from ....sandbox.interpreter import find_interpreter


@dataclass(frozen=True, slots=True)
class SchemathesisProgram:
    """How Schemathesis is started in the sandbox.

    Attributes:
        command: its first words.
        readable: folders that must be shown for it.
    """

    command: tuple[str, ...]
    readable: tuple[Path, ...]


def find_schemathesis(root: Path) -> SchemathesisProgram:
    """Find Schemathesis in the environment that runs us. Blocks.

    Raises:
        ToolMissing: it is not installed.
    """
    if find_spec("schemathesis") is None:
        raise ToolMissing(
            "Fuzzing needs Schemathesis, which is not installed beside testwright.",
            advice=f'install the extra: {sys.executable} -m pip install "testwright[fuzz]"',
        )
    return schemathesis_of(root, Path(sys.executable))


def schemathesis_of(root: Path, python: Path) -> SchemathesisProgram:
    """Return how the Schemathesis of an interpreter's environment is started. Blocks.

    It runs without the variables and the current folder that could put other modules before its own (`-I`).
    """
    interpreter = find_interpreter(root, python)
    command = (str(interpreter.path), "-I", "-c", "from schemathesis.cli import schemathesis; schemathesis()")
    return SchemathesisProgram(command, tuple(interpreter.prefix_paths))
