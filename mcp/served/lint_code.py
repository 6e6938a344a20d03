"""`lint_code(file_path)` for clients (T-12)."""

from __future__ import annotations

from ..tools import lint_code
from .forwarding import forwarded

TOOL = forwarded(
    lint_code.TOOL,
    title="Lint a file",
    description="Lints a file of the project by the project's own rules: line, column, rule and message of each "
    "finding. For test files use validate_test_code, which also checks their structure; check_syntax"
    " only parses. Takes about a second; nothing is changed.",
    file="file_path",
)
