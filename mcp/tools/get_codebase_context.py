"""`get_codebase_context`: the passages of a project's code, tests and documents that fit a query best (T-12)."""

from __future__ import annotations

import asyncio
import hashlib
from contextlib import suppress
from pathlib import Path
from typing import Any

from ...analysis.code_search.files import list_files
from ...analysis.code_search.index import Match
from ..toolbox.cache import content_key
from ..toolbox.definition import ToolDefinition, closed_object
from ..toolbox.services import ToolServices

_LONGEST = 6000


async def _run(services: ToolServices, /, **arguments: Any) -> dict[str, Any]:
    return await asyncio.to_thread(_found, services, **arguments)


def _found(services: ToolServices, query: str, file_paths: list[str], limit: int) -> dict[str, Any]:
    near = [path.removeprefix("./").rstrip("/") for path in file_paths]
    found = services.index.search(query, near, limit)
    return {
        "snippets": [_snippet(services.root, one) for one in found.matches],
        "files_indexed": found.file_count,
        "ranking": "hybrid" if found.used_embeddings else "lexical",
    }


def _snippet(root: Path, match: Match) -> dict[str, Any]:
    chunk, path = match.passage.chunk, match.passage.path
    try:
        lines = (root / path).read_text("utf-8", "replace").splitlines()
    except OSError:
        lines = []
    return {
        "path": path,
        "lines": [chunk.first, chunk.last],
        "score": match.score,
        "text": "\n".join(lines[chunk.first - 1 : chunk.last])[:_LONGEST],
        "kind": chunk.kind,
    }


def _key(services: ToolServices, arguments: dict[str, Any]) -> str | None:
    """By path and content of every file that is searched; not where a model of somebody else's takes part."""
    if services.index.uses_embeddings:
        return None
    files: list[tuple[str, str]] = []
    for stamp in list_files(services.root):
        with suppress(OSError):  # it went away, or may not be read: the search leaves it out as well
            files.append((stamp.path, hashlib.sha256((services.root / stamp.path).read_bytes()).hexdigest()))
    return content_key(arguments, files)


TOOL = ToolDefinition(
    name="get_codebase_context",
    description="Finds the functions, classes, tests and sections of documents that fit a query best, by words and, "
    "where an embeddings model is set, by meaning.",
    input_schema=closed_object(
        {
            "query": {"type": "string", "minLength": 1, "maxLength": 50000},
            "file_paths": {
                "type": "array",
                "items": {"type": "string", "minLength": 1},
                "default": [],
                "description": "Files or folders the query is about: they, and what speaks of them, come first.",
            },
            "limit": {"type": "integer", "minimum": 1, "maximum": 50, "default": 8},
        },
        ["query"],
    ),
    output_schema=closed_object(
        {
            "snippets": {
                "type": "array",
                "items": closed_object(
                    {
                        "path": {"type": "string"},
                        "lines": {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2},
                        "score": {"type": "number"},
                        "text": {"type": "string"},
                        "kind": {
                            "type": "string",
                            "enum": ["module", "class", "function", "method", "test", "section", "text"],
                        },
                    }
                ),
            },
            "files_indexed": {"type": "integer", "minimum": 0},
            "ranking": {"type": "string", "enum": ["lexical", "hybrid"]},
        },
        ["snippets", "files_indexed"],
    ),
    run=_run,
    cache_key=_key,
    timeout_seconds=120.0,
)
