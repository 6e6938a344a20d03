"""The planner that asks a model what a request means; the steps themselves are made by the embedded planner (T-02).

The model names targets that the project has; ids, paths and order of steps are no matter of opinion.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..engine.python.layout import Layout, find_layout
from ..errors import RequestError
from .embedded.repository_steps import repository_plan
from .embedded.target_index import TargetIndex
from .lifecycle import Agent, AgentContract
from .model.chat import ModelChat
from .model_agent import GivenBack, ModelAgent, UnusableAnswer, closed, list_of, optional, problem, text_of
from .prompt import data
from .protocol import AgentRequest, AgentResponse, JsonObject

_MOST_MODULES = 400
_MOST_SYMBOLS = 25
_LONGEST_REQUEST = 4000

ANSWER_SCHEMA: JsonObject = closed(
    targets=list_of(closed(path=text_of(400), symbols=optional(list_of(text_of(200), 100))), 200),
    excluded=list_of(text_of(400), 100),
    whole_project={"type": "boolean"},
    only_untested={"type": "boolean"},
    framework=optional({"type": "string", "enum": ["pytest", "unittest"]}),
    not_understood=list_of(closed(text=text_of(300), reason=text_of(300)), 30),
)


class ModelPlannerAgent(ModelAgent):
    """Plans unit tests; inputs and result as of the embedded planner.

    Args:
        chat: the model.
        steps: the embedded planner, which turns targets into steps; started and shut down with this one.
        repairs: how often an answer that is not in the asked form, or names what there is not, is given back (P-01).
        contract: the schemas the agent is held to.
    """

    def __init__(
        self, chat: ModelChat, steps: Agent, *, repairs: int = 1, contract: AgentContract | None = None
    ) -> None:
        super().__init__("planner", chat, repairs=repairs, contract=contract)
        self._steps = steps

    async def _start(self) -> None:
        await self._steps.start()

    async def _shutdown(self) -> None:
        await self._steps.shutdown()

    async def _work(self, request: AgentRequest) -> AgentResponse:
        inputs = request.inputs or {}
        if inputs.get("target") or repository_plan(str(inputs.get("user_request") or "")) is not None:
            return await self._steps.process(request)
        index = await asyncio.to_thread(_index, Path(str(inputs["root"])))
        user = await asyncio.to_thread(self._message, inputs, index)
        problems = inputs.get("errors")
        meaning = await self._meaning(user, index, GivenBack(problems, "") if problems else None)
        asked = {**inputs, "user_request": canonical_request(meaning, index)}
        planned = await self._steps.process(
            AgentRequest(goal=request.goal, task=request.task, metadata=request.metadata, inputs=asked)
        )
        if isinstance(planned.result, dict):
            unclear = [{**one, "suggestions": []} for one in meaning["not_understood"] if one["text"] and one["reason"]]
            planned.result["not_understood"] = [*unclear, *planned.result["not_understood"]]
        return planned

    async def _meaning(self, user: str, index: TargetIndex, back: GivenBack | None) -> JsonObject:
        """What the request means, with targets that the project has. Raises RequestError when the model finds none."""
        for repair in range(self._repairs + 1):
            try:
                answer = await self._asked(user, ANSWER_SCHEMA, back=back)
            except UnusableAnswer as unusable:
                raise RequestError(
                    f"the planner's model did not answer in the asked form: {unusable.message}",
                    advice="Name the targets in the request, or use the embedded planner.",
                ) from unusable
            meaning: Any = answer.parsed
            wrong = _unknown(meaning, index)
            if not wrong:
                return meaning
            if repair < self._repairs:
                back = GivenBack(wrong, answer.text)
                continue
            known = [one for one in meaning["targets"] if not _missing(one, index)]
            left = [
                {"text": _spelled(one), "reason": "the project has no such target"}
                for one in meaning["targets"]
                if _missing(one, index)
            ]
            if not known and not meaning["whole_project"]:
                raise RequestError(
                    "the planner's model names only targets that the project does not have: "
                    + ", ".join(one["text"] for one in left),
                    advice="Name the targets in the request as paths or modules.",
                )
            return {**meaning, "targets": known, "not_understood": [*meaning["not_understood"], *left]}
        raise AssertionError("unreachable: the last repair returns or raises")

    def _message(self, inputs: Mapping[str, Any], index: TargetIndex) -> str:
        lines: list[str] = []
        for place in index.modules[:_MOST_MODULES]:
            symbols = [one for one in index.symbols_of(place.module) if not _private(one)]
            more = f" and {len(symbols) - _MOST_SYMBOLS} more" if len(symbols) > _MOST_SYMBOLS else ""
            lines.append(f"{place.path}: {', '.join(symbols[:_MOST_SYMBOLS])}{more}")
        request = data("request", str(inputs.get("user_request") or "")[:_LONGEST_REQUEST])
        values = {"request": request, "modules": data("modules", "\n".join(lines))}
        return self._prompt.text("plan", values)


def canonical_request(meaning: Mapping[str, Any], index: TargetIndex) -> str:
    """What a model understood, in words that the embedded planner reads in one way only."""
    words: list[str] = []
    if meaning["whole_project"]:
        words.append("the whole project")
    for target in meaning["targets"]:
        symbols = target["symbols"]
        path = target["path"]
        words += [f"`{name}`" for name in (_symbol_names(path, symbols, index) if symbols else [path])]
    only = " only what has no tests" if meaning["only_untested"] else ""
    framework = f" with {meaning['framework']}" if meaning["framework"] else ""
    excluded = "".join(f" except `{path}`" for path in meaning["excluded"][:1])
    excluded += "".join(f" and `{path}`" for path in meaning["excluded"][1:])
    return f"unit tests for {' and '.join(words) or 'the whole project'}{only}{framework}{excluded}"


def _index(root: Path) -> TargetIndex:
    layout: Layout = find_layout(root)
    return TargetIndex(layout)


def _unknown(meaning: Mapping[str, Any], index: TargetIndex) -> list[JsonObject]:
    """Why the answer cannot be planned: targets that are not there, or none at all."""
    problems = [
        problem(f"$.targets[{at}]", f"the project has no {_spelled(one)!r}", suggestion="use a path of the list")
        for at, one in enumerate(meaning["targets"])
        if _missing(one, index)
    ]
    if not meaning["targets"] and not meaning["whole_project"]:
        problems.append(problem("$.targets", "names no target", suggestion="name one, or set whole_project"))
    return problems


def _missing(target: Mapping[str, Any], index: TargetIndex) -> bool:
    path, symbols = target["path"], target["symbols"] or ()
    if "`" in path or not index.find(path, explicit=True).targets:
        return True
    names = _symbol_names(path, symbols, index)
    return len(names) < len(symbols) or any(not index.find(name, explicit=True).targets for name in names)


def _symbol_names(path: str, symbols: Sequence[str], index: TargetIndex) -> list[str]:
    """`module:Qualified.name` of each symbol that the path's modules have."""
    modules = [target.place.module for target in index.find(path, explicit=True).targets]
    return [f"{module}:{one}" for one in symbols for module in modules if one in index.symbols_of(module)]


def _spelled(target: Mapping[str, Any]) -> str:
    symbols = target["symbols"]
    return f"{target['path']}:{','.join(symbols)}" if symbols else str(target["path"])


def _private(symbol: str) -> bool:
    return any(part.startswith("_") for part in symbol.split("."))
