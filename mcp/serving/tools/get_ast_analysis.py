"""`get_ast_analysis(file_path)` for clients (T-12)."""

from __future__ import annotations

from ...tools import get_ast_analysis
from .forwarding import forwarded

TOOL = forwarded(
    get_ast_analysis.TOOL,
    title="Analyse a Python module",
    description="Tells the import name of a Python module and lists its functions, classes and members with "
    "signatures, branches and documented exceptions, without running it. Use it to choose the "
    "symbols to test in a module; get_codebase_context finds modules by what they do. Takes "
    "milliseconds.",
    file="file_path",
)
