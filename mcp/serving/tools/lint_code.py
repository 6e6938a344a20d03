"""`lint_code(file_path)` for clients (T-12)."""

from __future__ import annotations

from ...tools import lint_code
from .forwarding import forwarded

TOOL = forwarded(
    lint_code.TOOL,
    title="Lint a file",
    description="Lints a file of the project: line, column, rule and message of each finding. Python by the project's "
    "own ruff settings; JavaScript and TypeScript by rules of testwright's own, as ESLint configurations are code. "
    "For test files use validate_test_code, which also checks their structure; check_syntax only parses. Takes about "
    "a second; nothing is changed.",
    file="file_path",
)
