"""`run_build()` for clients (T-12)."""

from __future__ import annotations

from ...tools import run_build
from .forwarding import forwarded

TOOL = forwarded(
    run_build.TOOL,
    title="Build or type-check the project",
    description="Builds or type-checks the project by its own configured means (build command, mypy or pyright, "
    "package.json scripts, Makefile target) on a copy in the sandbox without network, and tells "
    "status, time and every error with its place. Use it to see whether a project is sound before "
    "tests are generated, or after code was changed; lint_code and check_syntax look at one file. "
    "Nothing is installed or changed. Takes as long as the build.",
    heavy=True,
)
