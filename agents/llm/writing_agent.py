"""The writing agent with a model: turns an accepted spec into test files.

The first user message is the hydration envelope as canonical JSON: foreign texts are JSON strings in it, so they cannot
end early and be read as instructions. What tools and the project's own tests say is fenced besides, as in all messages.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from ...utils.canonical import canonical_json
from ...utils.error_formatter import code_feedback
from ...utils.generated_header import is_untouched, with_header, without_header
from ..contract.protocol import AgentRequest, AgentResponse, JsonObject, success_response
from ..embedded.writing_agent import EmbeddedWritingAgent
from ..guardrails.code_limits import code_problems, helper_problems, imported_by, top_names
from ..guardrails.problems import problem
from ..guardrails.repair_guard import weakened_code
from ..guardrails.replaced_subjects import replaced_subjects
from ..model.chat import ModelChat
from .model_agent import ModelAgent, UnusableAnswer, closed, list_of, text_of
from .project_style import ImportsProvider, StyleProvider
from .prompt import data
from .specs.surroundings import tool_context

ANSWER_SCHEMA: JsonObject = closed(files=list_of(closed(path=text_of(400), contents=text_of(200_000)), 10))
_NOT_SHOWN = ("attempt", "errors", "codebase_context", "ast_analysis", "checks")
"""Inputs that are rendered for the message: errors as `feedback`, the last three as `context`."""


class ModelWritingAgent(ModelAgent):
    """Writes the test file of a spec and its helpers; inputs and result as of the embedded writing agent.

    Args:
        chat: the model.
        style: describes how the project writes tests of a module; None for no description.
        imports: top-level names that the project's own tests import; None for none.
        allowed: modules that a person allows tests to import, besides those that the limits do.
    """

    role = "writer"
    repairs = 0

    def __init__(
        self,
        chat: ModelChat,
        *,
        style: StyleProvider | None = None,
        imports: ImportsProvider | None = None,
        allowed: Collection[str] = (),
    ) -> None:
        super().__init__(chat)
        self._style = style
        self._imports = imports
        self._allowed = allowed

    async def _answer(self, request: AgentRequest) -> AgentResponse:
        inputs: Mapping[str, Any] = request.inputs or {}
        view = request.consumer_inputs()
        if view["spec"].get("test_type") in ("api", "integration", "e2e") or view.get("framework") == "jest":
            return await self._rendered(request)
        errors: Sequence[Mapping[str, Any]] = view.get("errors") or []
        previous = {str(file["path"]): str(file["contents"]) for file in view.get("previous_files") or ()}
        module = str((view["spec"].get("target") or {}).get("module") or "")
        style = await asyncio.to_thread(self._style, module) if self._style is not None else ""
        # Render the envelope with the project's style and what tools say or, in a refinement, with feedback.
        shown = {key: value for key, value in inputs.items() if key not in _NOT_SHOWN}
        beside: JsonObject = {"style": data("style", style)} if style and not previous else {}
        path = str((view["spec"].get("target") or {}).get("path") or view["test_path"])
        context = tool_context(view, path)
        beside |= {"context": data("context", context)} if context and not previous else {}
        if errors:
            beside["feedback"] = code_feedback(errors, next(iter(previous.values()), ""))
        message = canonical_json({**shown, **beside})
        answer = await self._ask_model(message, ANSWER_SCHEMA, int(view.get("attempt") or 1), mends=errors)
        parsed: Any = answer.parsed
        files = _placed(parsed["files"], str(view["test_path"]))
        imported = await asyncio.to_thread(self._imports) if self._imports is not None else frozenset()
        limits = _Limits(str(view["test_path"]), imported, top_names(self._allowed))
        _require_allowed(files, view["spec"], limits, previous)
        result = [{"path": name, "contents": _headed(text, path)} for name, text in files.items()]
        return success_response({"files": result})

    async def _embedded(self, request: AgentRequest) -> AgentResponse:
        return await self._rendered(request)

    async def _rendered(self, request: AgentRequest) -> AgentResponse:
        """Render the spec without the model: API and integration specs hold every act and check as data."""
        async with EmbeddedWritingAgent() as renderer:
            return await renderer.process(request)


def _placed(files: Sequence[Mapping[str, str]], test_path: str) -> dict[str, str]:
    """Return the answered files by path, the test file first.

    Raises UnusableAnswer for a file outside the test file's folder, or without the test file.
    """
    if not files:
        raise UnusableAnswer(
            "the answer has no file", [problem("$.files", "is empty", suggestion="write the test file")]
        )
    folder = PurePosixPath(test_path).parent
    placed = {PurePosixPath(file["path"]).as_posix(): file["contents"] for file in files}
    problems: list[JsonObject] = []
    for path, text in placed.items():
        if PurePosixPath(path).name == "conftest.py":
            # It would run for every test around it, also for those that people wrote.
            problems.append(
                problem(
                    "$.files", "conftest.py is not allowed", suggestion="put fixtures into the test file", rule="path"
                )
            )
        if PurePosixPath(path).parent != folder or ".." in path or not path.endswith(".py"):
            where = f"files belong into {folder.as_posix()}"
            problems.append(problem("$.files", f"{path[:200]!r} is not allowed", suggestion=where, rule="path"))
        if not text.strip():
            problems.append(problem("$.files", f"{path[:200]!r} is empty", suggestion="write it", rule="empty"))
    if test_path not in placed:
        problems.append(problem("$.files", f"{test_path} is missing", suggestion="write it", rule="path"))
    if problems:
        raise UnusableAnswer("the answer's files cannot be used", problems)
    return {test_path: placed[test_path], **placed}


@dataclass(frozen=True, slots=True)
class _Limits:
    """What the files of an answer may import besides their spec's imports.

    Attributes:
        test_path: the test file; the others are its helpers.
        imported: top-level names that the project's own tests import.
        allowed: top-level names that a person allows.
    """

    test_path: str
    imported: frozenset[str]
    allowed: Sequence[str]


def _require_allowed(
    files: Mapping[str, str], spec: Mapping[str, Any], limits: _Limits, previous: Mapping[str, str]
) -> None:
    """Raise UnusableAnswer for code that does what tests may not, replaces its subject, or asserts less."""
    forbidden = _forbidden(files, spec, limits)
    if forbidden:
        raise UnusableAnswer("the code does what tests may not do", forbidden)
    module, cases = str((spec.get("target") or {}).get("module") or ""), spec.get("cases") or ()
    replaced = [{**row, "path": path} for path, text in files.items() for row in replaced_subjects(text, cases, module)]
    if replaced:
        raise UnusableAnswer("the tests replace what they test", replaced)
    weaker = [row for path, text in files.items() for row in _weakened(previous, path, text)]
    if weaker:
        raise UnusableAnswer("the refinement weakens the tests", weaker)


def _forbidden(files: Mapping[str, str], spec: Mapping[str, Any], limits: _Limits) -> list[JsonObject]:
    """List what the files do and tests may not; they may import what the accepted spec imports, and each other."""
    module = str((spec.get("target") or {}).get("module") or "")
    imported = limits.imported | imported_by("\n".join(str(line) for line in spec.get("imports") or ()))
    helpers = [PurePosixPath(path).stem for path in files if path != limits.test_path]
    problems = helper_problems(list(files), limits.test_path, module)
    for path, text in files.items():
        found = code_problems(text, module, imported=imported, helpers=[*helpers, *limits.allowed])
        problems += [{**row, "path": path} for row in found]
    return problems


def _weakened(previous: Mapping[str, str], path: str, text: str) -> list[JsonObject]:
    return weakened_code(previous[path], text) if path in previous else []


def _headed(text: str, target: str) -> str:
    """Add the header of generated files; one that the model repeated is replaced."""
    body = without_header(text) if is_untouched(text) is not None else text
    return with_header(body if body.endswith("\n") else f"{body}\n", target=target)
