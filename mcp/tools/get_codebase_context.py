"""`get_codebase_context`: finds the passages of a project's code, tests and documents that fit a query best."""

from __future__ import annotations

import hashlib
from contextlib import suppress
from pathlib import Path

from ...analysis.code_search.chunks import list_files
from ...analysis.code_search.index import Match
from ...utils.python_source import source_lines
from ...utils.untrusted_files import read_source, read_source_bytes
from ..toolbox.content_cache import content_key
from ..toolbox.json_schema import COUNT, array, closed_object, integer, string
from ..toolbox.services import ToolServices
from ..toolbox.tool_spec import ClientForm, Json, ToolSpec

_MAX_SNIPPET_CHARS = 6000


def _run(services: ToolServices, /, query: str, file_paths: list[str], limit: int) -> Json:
    """Finds the functions, classes, tests and sections of documents that fit a query best, by words and, where an
    embeddings model is set, by meaning.
    """
    preferred = [path.removeprefix("./").rstrip("/") for path in file_paths]
    found = services.index.search(query, preferred, limit)
    return {
        "snippets": [_snippet(services.root, match) for match in found.matches],
        "files_indexed": found.file_count,
        "ranking": "hybrid" if found.used_embeddings else "lexical",
    }


def _snippet(root: Path, match: Match) -> Json:
    chunk, path = match.passage.chunk, match.passage.path
    try:
        lines = source_lines(read_source(root, path, errors="replace"))
    except OSError:
        lines = []  # deleted since it was indexed
    return {
        "path": path,
        "lines": [chunk.first, chunk.last],
        "score": match.score,
        "text": "\n".join(lines[chunk.first - 1 : chunk.last])[:_MAX_SNIPPET_CHARS],
        "kind": chunk.kind,
    }


def _key(services: ToolServices, arguments: Json) -> str | None:
    """Keys by path and content of every searched file; with an embeddings model the ranking is not ours to cache."""
    if services.index.uses_embeddings:
        return None
    files: list[tuple[str, str]] = []
    for stamp in list_files(services.root):
        with suppress(OSError):  # deleted, or not readable: the search skips it too
            files.append((stamp.path, hashlib.sha256(read_source_bytes(services.root, stamp.path)).hexdigest()))
    return content_key(arguments, files)


TOOL = ToolSpec(
    name="get_codebase_context",
    input_schema=closed_object(
        ["query"],
        query=string(minLength=1, maxLength=50000),
        file_paths=array(
            string(minLength=1),
            default=[],
            description="Files or folders the query is about: they, and what speaks of them, come first.",
        ),
        limit=integer(minimum=1, maximum=50, default=8),
    ),
    output_schema=closed_object(
        ["snippets", "files_indexed"],
        snippets=array(
            closed_object(
                path=string(),
                lines=array(integer(), minItems=2, maxItems=2),
                score={"type": "number"},
                text=string(),
                kind=string(enum=["module", "class", "function", "method", "test", "section", "text"]),
            )
        ),
        files_indexed=COUNT,
        ranking=string(enum=["lexical", "hybrid"]),
    ),
    run=_run,
    cache_key=_key,
    timeout_seconds=120.0,
    audience="both",
    client_form=ClientForm(
        title="Find code by what it does",
        description="Finds the functions, classes, tests and sections of documents of the project that fit a query "
        "in words best, with path, lines and text. Use it to learn where something is before naming a target; "
        "get_ast_analysis tells everything about one module whose path is known. The first call indexes the project "
        "(seconds), later ones take milliseconds. Nothing is run.",
        paths_argument="file_paths",
    ),
)
