"""The repo crawler without a model: lists and reads a repository through tools."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from ....core.errors import ToolFailure
from ....engine.repository.survey import Survey, is_surveyed, survey
from ...contract.lifecycle import Agent, AgentContract
from ...contract.protocol import AgentRequest, AgentResponse, JsonObject, success_response

TREE, READ_FILE = "repo.tree", "repo.read_file"
LARGEST_READ = 512 * 1024
"""Bytes; larger files are listed, not read."""


class ToolCallRecord(Protocol):
    """A recorded tool call."""

    @property
    def tool(self) -> str: ...
    @property
    def cached(self) -> bool: ...


class RepositoryTools(Protocol):
    """Calls tools and lists the calls made; implemented by the tool client."""

    async def call(self, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]: ...
    def calls(self) -> Sequence[ToolCallRecord]: ...


class EmbeddedCrawlerAgent(Agent):
    """Maps the checked out repository.

    Inputs and result are those of `schemas/repo_crawler/`. `detected_stack` also holds `routes`, `pages` and
    `programs`, the only data about the application that a test case generator gets. The response's metadata holds
    `read` (files read), `not_read` (path, reason) and `truncated`.

    Args:
        tools: `repo.tree` and `repo.read_file`, and the calls made so far.
        contract: the schemas to check.
    """

    role = "repo_crawler"

    def __init__(self, tools: RepositoryTools, *, contract: AgentContract | None = None) -> None:
        super().__init__(contract=contract)
        self._tools = tools

    async def _work(self, request: AgentRequest) -> AgentResponse:
        inputs = request.consumer_inputs()
        found = await read_repository(self._tools, str(inputs["ref"]))
        return await asyncio.to_thread(_mapped, inputs, found)


class RepositoryContents:
    """Files of a repository as read through tools.

    Attributes:
        tree: files with path, size and sha, sorted by path.
        texts: path → text of those that were read.
        not_read: path → why not.
        cache_hits: answers that came from a cache.
    """

    def __init__(self, tree: list[JsonObject], truncated: bool) -> None:
        self.tree = tree
        self.truncated = truncated
        self.texts: dict[str, str] = {}
        self.not_read: dict[str, str] = {}
        self.cache_hits = 0


async def read_repository(tools: RepositoryTools, ref: str) -> RepositoryContents:
    """List the tree and read every text that a survey can use.

    Raises:
        ToolFailure: the ref is not checked out, or the tree cannot be listed.
    """
    before = _hits(tools)
    answer = await tools.call(TREE, {"ref": ref})
    found = RepositoryContents(answer["files"], bool(answer["truncated"]))
    for file in found.tree:
        path = str(file["path"])
        if not is_surveyed(path):
            continue
        if file["size"] > LARGEST_READ:
            found.not_read[path] = f"larger than {LARGEST_READ // 1024} KiB"
            continue
        try:
            read = await tools.call(READ_FILE, {"path": path, "ref": ref})
        except ToolFailure as error:
            found.not_read[path] = error.message
        else:
            found.texts[path] = str(read["contents"])
    found.cache_hits = _hits(tools) - before
    return found


def _hits(tools: RepositoryTools) -> int:
    return sum(call.cached and call.tool in (TREE, READ_FILE) for call in tools.calls())


def _mapped(inputs: Mapping[str, Any], found: RepositoryContents) -> AgentResponse:
    seen = survey([str(file["path"]) for file in found.tree], found.texts)
    result = repository_map(inputs, found, seen)
    trace = [{"event": "crawled", "files": len(found.tree), "kept": len(result["file_tree"])}]
    return success_response(result, trace=trace, metadata=what_was_read(found))


def what_was_read(found: RepositoryContents) -> JsonObject:
    """The metadata of a crawler's response: how many files were read, which not and why, and whether more are there."""
    not_read = [{"path": path, "reason": reason} for path, reason in found.not_read.items()]
    return {"read": len(found.texts), "not_read": not_read, "truncated": found.truncated}


def repository_map(inputs: Mapping[str, Any], found: RepositoryContents, seen: Survey) -> JsonObject:
    """Build the crawler's result from a survey, at the requested depth."""
    files = {str(file["path"]): file for file in found.tree}
    at_depth = seen.at(inputs["depth_level"], list(files))
    offered = {
        "routes": [route.to_dict() for route in seen.routes],
        "pages": [page.to_dict() for page in seen.pages],
        **({"programs": [program.to_dict() for program in seen.programs]} if seen.programs else {}),
    }
    return {
        "run_id": inputs["run_id"],
        "repo_full_name": inputs["repo_full_name"],
        "ref": inputs["ref"],
        "file_tree": [files[path] for path in at_depth],
        "entry_points": [{"path": path, "kind": kind} for path, kind in seen.entry_points.items()],
        "detected_stack": {**seen.stack, **offered},
        "cache_hits": found.cache_hits,
    }
