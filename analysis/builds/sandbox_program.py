"""Builds the sandbox program of a build step: command, visible folders, limits."""

from __future__ import annotations

import os
import shutil
from dataclasses import replace
from pathlib import Path

from ...core.errors import EnvironmentFault
from ...sandbox.executable import executable_folders
from ...sandbox.protocol import Limits, Program
from ...sandbox.target import Workspace
from ..javascript.node import find_node
from .steps import BuildStep

LINKED: tuple[str, ...] = ("node_modules",)
"""Folders of installed packages: seen read-only at their place, not copied."""

_MEMORY_MIB = 4096
_NODE_MEMORY_MIB = 16384  # address space, of which V8 reserves far more than it uses
_OUTPUT_MIB = 16
_FILE_MIB = 1024
_ENVIRONMENT = {
    "NO_COLOR": "1",
    "TERM": "dumb",
    "PYTHONWARNINGS": "ignore",
    "PYRIGHT_PYTHON_IGNORE_WARNINGS": "1",
    "npm_config_offline": "true",
    "npm_config_update_notifier": "false",
    "npm_config_fund": "false",
    "npm_config_audit": "false",
    "NEXT_TELEMETRY_DISABLED": "1",
}


def program_of(workspace: Workspace, step: BuildStep, seconds: float) -> Program | None:
    """Builds the program of a step; None when it is not installed. Blocks.

    Args:
        seconds: wall time it may take.
    """
    limits = Limits(
        wall_seconds=max(0.1, round(seconds, 1)),
        memory_mib=_MEMORY_MIB if step.kind == "python" else _NODE_MEMORY_MIB,
        processes=512,
        file_mib=_FILE_MIB,
        output_mib=_OUTPUT_MIB,
    )
    program = workspace.program(
        step.python,
        environment={**_ENVIRONMENT, "MYPY_CACHE_DIR": str(workspace.scratch / "mypy")},
        limits=limits,
        stdin=step.stdin,
        readable=_packages(workspace),
    )
    if step.python:
        return program
    started = _program_words(workspace, step.program[0])
    if started is None:
        return None
    used = [Path(started[0]), *_node_beside(started[0])]
    return replace(
        program,
        argv=(*started, *step.program[1:]),
        environment={**program.environment, "PATH": _with_folders(program.environment["PATH"], used)},
        readable=(*program.readable, *(folder for item in used for folder in executable_folders(item))),
    )


def _packages(workspace: Workspace) -> tuple[Path, ...]:
    root = workspace.target.root.resolve()
    return tuple(root / name for name in LINKED if (root / name).is_dir())


def _program_words(workspace: Workspace, name: str) -> tuple[str, ...] | None:
    """The words that start a program, its absolute path first; None when it is missing."""
    if "/" in name:
        place = Path(name) if name.startswith("/") else workspace.project / name
        return (str(place),) if os.access(place, os.X_OK) else None
    found = shutil.which(name)
    if found is not None:
        return (str(Path(found).absolute()),)
    if name != "npm":
        return None
    try:
        return find_node(with_npm=True).npm or None
    except EnvironmentFault:
        return None


def _node_beside(program: str) -> list[Path]:
    """The Node for scripts, the machine's or else the extra's; empty if the program is Node itself."""
    if Path(program).name == "node":
        return []
    found = shutil.which("node")
    if found is not None:
        return [Path(found).absolute()]
    try:
        return [find_node().path]
    except EnvironmentFault:
        return []


def _with_folders(search: str, programs: list[Path]) -> str:
    """Builds a PATH with these programs after the target's interpreter and before the system's folders."""
    first, _, rest = search.partition(":")
    folders = dict.fromkeys(str(program.parent) for program in programs)
    return ":".join([first, *(folder for folder in folders if folder not in rest.split(":")), rest])
