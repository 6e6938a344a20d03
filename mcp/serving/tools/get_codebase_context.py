"""`get_codebase_context(query, file_paths)` for clients (T-12)."""

from __future__ import annotations

from ...tools import get_codebase_context
from .forwarding import forwarded

TOOL = forwarded(
    get_codebase_context.TOOL,
    title="Find code by what it does",
    description="Finds the functions, classes, tests and sections of documents of the project that fit a query "
    "in words best, with path, lines and text. Use it to learn where something is before naming a "
    "target; get_ast_analysis tells everything about one module whose path is known. The first call "
    "indexes the project (seconds), later ones take milliseconds. Nothing is run.",
    files="file_paths",
)
