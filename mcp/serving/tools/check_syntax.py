"""`check_syntax(file_path, language)` for clients (T-12)."""

from __future__ import annotations

from ...tools import check_syntax
from .forwarding import forwarded

TOOL = forwarded(
    check_syntax.TOOL,
    title="Check a file's syntax",
    description="Parses a file of the project and tells where it does not parse. The cheapest check there is; "
    "lint_code and validate_test_code include it. Nothing is run.",
    file="file_path",
)
