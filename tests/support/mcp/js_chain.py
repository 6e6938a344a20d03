"""The JavaScript checks for tests: installed once per machine, below the virtual environment."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from testwright.analysis.javascript.checks import JavaScriptChecks, ScriptFile, ScriptIssue

# As XDG_CACHE_HOME: the first test that needs the chain installs it there, the others wait and use it.
MACHINE_CACHE = Path(sys.prefix) / "testwright-cache"


def use_machine_cache(monkeypatch: Any) -> None:
    """Point whoever reads the environment to the machine's chain."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(MACHINE_CACHE))


def issues_of(
    sources: Mapping[str, str], framework: Literal["jest", "playwright", ""], checks: JavaScriptChecks
) -> dict[str, list[ScriptIssue]]:
    """What the chain says of each source, by its file name; all in one process."""
    files = [ScriptFile(name, source, framework) for name, source in sources.items()]
    return dict(zip(sources, asyncio.run(checks.issues(files)), strict=True))


def rules_of(issues: Sequence[ScriptIssue]) -> list[str]:
    """The names of the rules that are broken, sorted."""
    return sorted({issue.rule for issue in issues})
