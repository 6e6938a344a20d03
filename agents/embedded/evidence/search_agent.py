"""The search agent without a model: searches code, documents, tests, API documents and the history through tools."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Coroutine, Mapping, Sequence
from typing import Any, Protocol

from ....core.errors import ToolFailure
from ....utils.names.counted import counted
from ...contract.lifecycle import Agent, AgentContract
from ...contract.protocol import AgentRequest, AgentResponse, JsonObject, success_response
from ...evidence.model import LONGEST_TEXT, Evidence, SourceKind, ValueExample
from .value_examples import read_examples

ROLE = "evidence_search"
MOST_QUERIES = 8
_PER_QUERY = 20
_DOCUMENTS = ("README.md", "README.rst", "README", "README.txt", "docs", "doc", "examples")
_DOCUMENT_WORDS = "use usage example examples tutorial quickstart guide reference"
"""Words of headings: in a project about one function its name is everywhere, and tells no passage from another."""
_MOST_COMMITS = 10
_MOST_OPERATIONS = 60
_KINDS: Mapping[str, SourceKind] = {"test": "test", "section": "document", "text": "document"}
_TEST_FILE = re.compile(r"(?:^|/)tests?[^/]*\.py$")


class EvidenceTools(Protocol):
    """Calls tools; implemented by the tool client."""

    async def call(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]: ...


class EmbeddedSearchAgent(Agent):
    """Collects evidence about a target for some queries.

    Inputs and result are those of `schemas/evidence_search/`. A tool that fails is named in `not_searched`, and the
    others' answers stand.

    Args:
        tools: `get_codebase_context`, `get_history`, `get_openapi_spec`.
        contract: the schemas to check.
    """

    role = ROLE

    def __init__(self, tools: EvidenceTools, *, contract: AgentContract | None = None) -> None:
        super().__init__(contract=contract)
        self._tools = tools

    async def _work(self, request: AgentRequest) -> AgentResponse:
        return success_response(await collect(self._tools, request.consumer_inputs()))


async def collect(tools: EvidenceTools, inputs: Mapping[str, Any]) -> JsonObject:
    """Search for every query, and in the first round the history and the API document. Returns the agent's result."""
    names = [str(name) for name in inputs.get("names") or ()]
    path = str(inputs["target"].get("path") or "")
    queries = [str(query) for query in inputs["queries"]][:MOST_QUERIES]
    work: list[Coroutine[Any, Any, list[Evidence]]] = [
        _passages(tools, query, [path] if path else [], names) for query in queries
    ]
    if queries:
        # Of a module with many tests, these would leave no room for what documents say.
        work.append(_passages(tools, f"{queries[0]} {_DOCUMENT_WORDS}", _DOCUMENTS, names))
    if inputs.get("with_history") and path.endswith(".py"):
        work.append(_history(tools, path, inputs.get("symbols") or ()))
    if document := str(inputs.get("api_document") or ""):
        work.append(_operations(tools, document))
    found: list[Evidence] = []
    failed: list[str] = []
    answers: list[list[Evidence] | BaseException] = await asyncio.gather(*work, return_exceptions=True)
    for answer in answers:
        if isinstance(answer, ToolFailure):
            failed.append(str(answer))
        elif isinstance(answer, BaseException):
            raise answer
        else:
            found += answer
    pieces = list({piece.id: piece for piece in reversed(found)}.values())[::-1]
    said = f"Found {counted(len(pieces), 'source')}:" if pieces else f"No results found for: {'; '.join(queries)}"
    text = "\n".join([said, *(f"- {one.title} ({one.path}:{one.lines[0]})" for one in pieces)])
    return {"evidence": [piece.to_dict() for piece in pieces], "text": text, "not_searched": sorted(set(failed))}


async def _passages(tools: EvidenceTools, query: str, paths: Sequence[str], names: Sequence[str]) -> list[Evidence]:
    arguments = {"query": query, "file_paths": list(paths), "limit": _PER_QUERY}
    answer = await tools.call("get_codebase_context", arguments)
    return [piece for row in answer["snippets"] if (piece := passage(row, query, names)) is not None]


def passage(row: Mapping[str, Any], query: str, names: Sequence[str]) -> Evidence | None:
    """A snippet of the code search as evidence; None for one without text."""
    first, last = row["lines"]
    path, whole = str(row["path"]), str(row.get("text") or "")
    if not whole.strip():
        return None
    kind = _KINDS.get(str(row.get("kind")), "code" if path.endswith(".py") else "document")
    if kind == "code" and _TEST_FILE.search(path):
        kind = "test"
    is_cut = len(whole.rstrip("\n").splitlines()) < int(last) - int(first)
    examples = read_examples(kind, path, int(first), whole, names, is_cut=is_cut)
    title = next((line.strip(" #=*") for line in whole.splitlines() if line.strip(" #=*@-")), path)[:120]
    score = float(row.get("score") or 0.0)
    return Evidence(kind, path, (int(first), int(last)), title, whole[:LONGEST_TEXT], query, score, tuple(examples))


async def _history(tools: EvidenceTools, path: str, symbols: Sequence[Mapping[str, Any]]) -> list[Evidence]:
    """Commits that changed the target, each with the lines of the first function that it changed, as they are now.

    One that changed the whole file has the lines of all its functions.
    """
    answer = await tools.call("get_history", {"file_path": path, "limit": _MOST_COMMITS})
    places = {str(one.get("qualname")): one.get("lines") for one in symbols}
    whole = [1, max((int(lines[1]) for lines in places.values() if lines), default=1)]
    found: list[Evidence] = []
    for row in answer["commits"]:
        changed = [name for name in row["symbols"] or () if places.get(name)]
        lines = (places[changed[0]] if changed else None) or whole
        about = f"changed {', '.join(changed)}" if changed else "changed the file"
        title = f"{row['id']} {row['subject']}"
        found.append(
            Evidence("history", path, (int(lines[0]), int(lines[1])), title, f"{title}\n{about}\n{row['body']}".strip())
        )
    return found


async def _operations(tools: EvidenceTools, document: str) -> list[Evidence]:
    """The operations of an API document with the status codes that it lists, each at its place in it."""
    answer = await tools.call(
        "get_openapi_spec", {"endpoint": document, "limit": _MOST_OPERATIONS, "whole": True}
    )  # only the whole document comes with the places of its operations
    places = {(str(row["method"]).upper(), row["path"]): row for row in answer.get("places") or ()}
    found: list[Evidence] = []
    rows: list[dict[str, Any]] = answer.get("operations") or []
    for row in rows:
        method = str(row.get("method")).upper()
        act, place = f"{method} {row.get('path')}", places.get((method, row.get("path"))) or {}
        source, line = str(place.get("document") or document), int(place.get("line") or 1)
        statuses = sorted({str(one.get("status")) for one in row.get("responses") or () if isinstance(one, Mapping)})
        text = f"{act}: {row.get('summary') or ''} answers {', '.join(statuses)}"
        examples = tuple(ValueExample(act, act, status, source, line, "api") for status in statuses if status.isdigit())
        found.append(Evidence("api", source, (line, line), act, text, document, examples=examples))
    return found
