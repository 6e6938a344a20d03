"""Lints with ruff in a child process; the linted code is not run.

A project's configuration may name files anywhere (`extend`), which ruff would read and quote: with it, ruff runs in the
sandbox and sees the project only.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ruff.__main__ import find_ruff_bin  # pyrefly: ignore[implicit-reexport] - ruff 0.9 has it only there

from ..core.errors import EnvironmentFault, SandboxFailure, SandboxUnavailable, ToolFailure
from ..sandbox.opening import open_sandbox
from ..sandbox.protocol import Limits, Program

_SECONDS = 60
_CHECK = ("check", "--no-cache", "--quiet", "--output-format", "json")
_SYNTAX = "invalid-syntax"
# For tests: what is wrong or idle, not what is a matter of style. Real suites show the difference: comparing with True,
# `assert False` after the call that should raise, f-strings without a placeholder and star imports are all over them.
TEST_RULES = (
    "E711", "E722", "E9", "F", "W605", "PLE",
    "B002", "B005", "B012", "B014", "B016", "B020", "B022", "B025", "B029", "B030", "B031",
    "PT010", "PT014", "PT020", "PT025", "PT026",
)  # fmt: skip
# Names the import of `try: import x / except ImportError: …`, which probes for a module.
_PROBING = "importlib.util.find_spec"
_IGNORED = ("F403", "F405", "F541")


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One diagnostic; `rule` is `invalid-syntax` for code that does not parse."""

    line: int
    column: int
    rule: str
    message: str
    fix: str = ""

    @property
    def is_syntax(self) -> bool:
        """Whether the source does not parse there."""
        return self.rule == _SYNTAX


def lint_test_source(source: str, name: str) -> list[Diagnostic]:
    """Lints a test file with the rules for tests, ignoring any configuration around it.

    Raises:
        EnvironmentFault: ruff cannot be run.
    """
    version = f"py3{min(sys.version_info.minor, 13)}"
    rules = ["--isolated", "--select", ",".join(TEST_RULES), "--ignore", ",".join(_IGNORED)]
    found = _lint([*rules, "--target-version", version, "--stdin-filename", Path(name).name, "-"], source)
    return [found_item for found_item in found if not (found_item.rule == "F401" and _PROBING in found_item.message)]


async def lint_project_file(path: Path, root: Path) -> list[Diagnostic]:
    """Lints a file with its project's configuration; without it where this machine has no sandbox.

    Raises:
        EnvironmentFault: ruff cannot be run.
        ToolFailure: the project's configuration is broken.
    """
    try:
        sandbox = await asyncio.to_thread(open_sandbox)
    except SandboxUnavailable:
        return await asyncio.to_thread(_lint, ["--isolated", "--no-fix", "--", str(path)])
    program = Program(
        argv=(find_ruff(), *_CHECK, "--no-fix", "--", str(path)),
        cwd=root,
        readable=(root,),
        limits=Limits(wall_seconds=_SECONDS),
    )
    try:
        done = await sandbox.run(program)
    except SandboxFailure as fault:
        raise ToolFailure(f"ruff did not start: {fault.message}", advice=fault.advice) from fault
    return _diagnostics(done.exit_code, done.stdout, done.reason.encode() or done.stderr)


def _lint(arguments: Sequence[str], source: str | None = None) -> list[Diagnostic]:
    try:
        done = subprocess.run(
            [find_ruff(), *_CHECK, *arguments], input=None if source is None else source.encode("utf-8", "replace"),
            stdin=subprocess.DEVNULL if source is None else None, capture_output=True, timeout=_SECONDS, check=False,
        )  # fmt: skip
    except OSError as error:
        raise EnvironmentFault(f"ruff cannot be started: {error}", advice="install ruff again") from error
    except subprocess.TimeoutExpired as error:
        raise ToolFailure(f"ruff did not answer within {_SECONDS} s") from error
    return _diagnostics(done.returncode, done.stdout, done.stderr)


def _diagnostics(code: int, out: bytes, complaint: bytes) -> list[Diagnostic]:
    if code not in (0, 1):
        raise ToolFailure(
            f"ruff failed: {complaint.decode('utf-8', 'replace').strip()[:1000]}",
            advice="check the project's ruff configuration",
        )
    return [_diagnostic(item) for item in json.loads(out or b"[]")]


def find_ruff() -> str:
    """The path of the ruff executable. Raises EnvironmentFault."""
    try:
        return str(find_ruff_bin())
    except FileNotFoundError as error:
        raise EnvironmentFault(f"ruff is not installed: {error}", advice="install ruff again") from error


def _diagnostic(found: dict) -> Diagnostic:
    place = found.get("location") or {}
    fix = (found.get("fix") or {}).get("message") or ""
    return Diagnostic(
        line=int(place.get("row") or 0),
        column=int(place.get("column") or 0),
        rule=str(found.get("code") or _SYNTAX),
        message=str(found.get("message") or ""),
        fix=str(fix),
    )
