"""The repo crawler with a model, which selects entry points and stack; everything else is read through tools."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, get_args

from ...engine.repository.findings import is_manifest
from ...engine.repository.survey import Kind, Survey, survey
from ...utils.canonical import canonical_json
from ..contract.lifecycle import AgentContract
from ..contract.protocol import AgentRequest, AgentResponse, JsonObject, success_response
from ..embedded.repository.crawler_agent import (
    RepositoryContents,
    RepositoryTools,
    read_repository,
    repository_map,
    what_was_read,
)
from ..guardrails.problems import problem
from ..model.chat import ModelChat
from .model_agent import ModelAgent, closed, list_of, text_of

_MOST_FILES = 1500
_MOST_SAMPLES = 12
_SAMPLE_CHARACTERS = 1200
_KINDS: tuple[Kind, ...] = get_args(Kind)

ANSWER_SCHEMA: JsonObject = closed(
    entry_points=list_of(closed(path=text_of(400), kind={"type": "string", "enum": list(_KINDS)}), 500),
    runtime=text_of(40),
    frameworks=list_of(text_of(60), 50),
)


class ModelCrawlerAgent(ModelAgent):
    """Maps a repository; inputs and result as of the embedded crawler.

    Files, sizes, ids, routes and pages are read through tools. The model selects entry points and stack; a path that
    the repository does not have is returned to it once, then left out (`unknown_paths` in the response's metadata).

    Args:
        chat: the model.
        tools: `repo.tree` and `repo.read_file`, and the calls made so far.
        contract: the schemas to check.
    """

    role = "crawler"

    def __init__(self, chat: ModelChat, tools: RepositoryTools, *, contract: AgentContract | None = None) -> None:
        super().__init__(chat, contract=contract)
        self._tools = tools

    async def _answer(self, request: AgentRequest) -> AgentResponse:
        inputs = request.consumer_inputs()
        found = await read_repository(self._tools, str(inputs["ref"]))
        paths = [str(file["path"]) for file in found.tree]
        seen = await asyncio.to_thread(survey, paths, found.texts)
        there = set(paths)
        answer = await self._valid_answer(
            _message(inputs, found, seen), ANSWER_SCHEMA, lambda answer: _unknown(answer["entry_points"], there)
        )
        judged = _judged(answer, seen, there)
        unknown = [entry_point["path"] for entry_point in answer["entry_points"] if entry_point["path"] not in there]
        result = repository_map(inputs, found, judged)
        return success_response(result, metadata={"unknown_paths": unknown, **what_was_read(found)})


def _judged(answer: Mapping[str, Any], seen: Survey, there: set[str]) -> Survey:
    points = {
        str(entry_point["path"]): entry_point["kind"]
        for entry_point in answer["entry_points"]
        if entry_point["path"] in there
    }
    stack = {
        **seen.stack,
        "runtime": str(answer["runtime"]).strip() or seen.stack["runtime"],
        "frameworks": sorted(
            {str(framework).strip().lower() for framework in answer["frameworks"] if str(framework).strip()}
        ),
    }
    return replace(seen, entry_points=dict(sorted(points.items())), stack=stack)


def _message(inputs: Mapping[str, Any], found: RepositoryContents, seen: Survey) -> str:
    """Build the message: one JSON object, so that text of the repository stays inside its strings."""
    paths = [str(file["path"]) for file in found.tree]
    wanted = [path for path in found.texts if is_manifest(path)] + list(seen.entry_points)
    wanted += list(seen.importance)
    samples = {path: found.texts[path][:_SAMPLE_CHARACTERS] for path in dict.fromkeys(wanted) if path in found.texts}
    listed: Sequence[str] = paths if len(paths) <= _MOST_FILES else [*seen.at("standard", paths)][:_MOST_FILES]
    return canonical_json(
        {
            **inputs,
            "files": listed,
            "found": {"entry_points": dict(seen.entry_points), "stack": dict(seen.stack)},
            "samples": dict(list(samples.items())[:_MOST_SAMPLES]),
        }
    )


def _unknown(points: Sequence[Mapping[str, Any]], there: set[str]) -> list[JsonObject]:
    return [
        problem(f"$.entry_points[{at}].path", f"the repository has no {point['path']!r}", suggestion="use `files`")
        for at, point in enumerate(points)
        if point["path"] not in there
    ]
