"""The planner with a model, which interprets what the embedded planner does not understand, and nothing else.

The embedded planner builds the steps. The model selects targets that the project has; ids, paths and order of steps are
computed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ...core.errors import RequestError
from ...engine.python.project.layout import Layout, find_layout
from ..contract.lifecycle import Agent, AgentContract
from ..contract.protocol import AgentRequest, AgentResponse, JsonObject
from ..embedded.plan.load_requests import is_of_load
from ..embedded.plan.planner_agent import STEP_PLANNERS
from ..embedded.plan.reading import is_document, left_out_names
from ..embedded.plan.refusals import check_understood
from ..embedded.plan.repository_steps import repository_plan
from ..embedded.plan.request.lexicon import AVAILABLE_FRAMEWORKS, BROWSER_FRAMEWORKS, LOAD_FRAMEWORKS
from ..embedded.plan.request.parsed_request import ParsedRequest
from ..embedded.plan.request.parser import parse_request
from ..embedded.plan.script_plan import wants_scripts
from ..embedded.plan.target_index import TargetIndex
from ..guardrails.problems import problem
from ..model.chat import ModelChat
from .model_agent import ModelAgent, RejectedAnswer, UnusableAnswer, closed, list_of, optional, text_of
from .prompt import Prompt, data, load_prompt

_MOST_MODULES = 400
_MOST_SYMBOLS = 25
_LONGEST_REQUEST = 4000

_TARGETS = list_of(closed(path=text_of(400), symbols=optional(list_of(text_of(200), 100))), 200)
_WHOLE: JsonObject = {"type": "boolean"}
_ASIDE: dict[str, JsonObject] = {
    "excluded": list_of(text_of(400), 100),
    "only_untested": {"type": "boolean"},
    "framework": optional({"type": "string", "enum": ["pytest", "unittest"]}),
    "not_understood": list_of(closed(text=text_of(300), reason=text_of(300)), 30),
}

ANSWER_SCHEMA: JsonObject = closed(targets=_TARGETS, whole_project=_WHOLE, **_ASIDE)
"""The answer to a request for unit tests."""

PARTS_SCHEMA: JsonObject = closed(
    parts=list_of(
        closed(
            test_type={"type": "string", "enum": ["unit", "api", "integration"]}, targets=_TARGETS, whole_project=_WHOLE
        ),
        10,
    ),
    **_ASIDE,
)
"""The answer to a request for other kinds of tests, or for several."""


class ModelPlannerAgent(ModelAgent):
    """Plans tests; inputs and result as of the embedded planner, which answers whatever it understands completely.

    A request that names other test types than unit tests is interpreted in parts, one for each type.

    Args:
        chat: the model.
        steps: the embedded planner, which builds the steps; started and shut down with this one.
        contract: the schemas to check.
    """

    role = "planner"

    def __init__(self, chat: ModelChat, steps: Agent, *, contract: AgentContract | None = None) -> None:
        super().__init__(chat, engine=steps, contract=contract)
        self._steps = steps

    async def _answer(self, request: AgentRequest) -> AgentResponse:
        inputs = request.inputs or {}
        index = await asyncio.to_thread(_index, Path(str(inputs["root"])))
        words = await asyncio.to_thread(parse_request, str(inputs.get("user_request") or ""), index.names)
        given = inputs.get("test_type")
        asked_for = set(words.test_types if given is None else (str(given),))
        known = {*AVAILABLE_FRAMEWORKS, *LOAD_FRAMEWORKS, *BROWSER_FRAMEWORKS}
        available = not words.frameworks or bool(set(words.frameworks) & known)
        is_load = given is None and bool(words.clauses) and all(map(is_of_load, words.clauses))
        is_refused = (asked_for and not asked_for & set(STEP_PLANNERS)) or is_load or not available
        embedded = await self._steps.process(request)
        settled = is_refused or repository_plan(words) is not None or wants_scripts(words, inputs)
        if inputs.get("target") or settled or _is_understood(embedded):
            return embedded
        user = await asyncio.to_thread(self._message, inputs, index)
        problems = inputs.get("errors")
        in_parts = asked_for - {"unit"}
        rejected = RejectedAnswer(problems, "") if problems else None
        meaning = await self._meaning(user, index, rejected, load_prompt("planner_types") if in_parts else None)
        left_out = unaccounted(words, meaning, index)
        meaning = as_requested(words, meaning, index)
        excluded = await asyncio.to_thread(left_out_names, words.mentions, index)
        planner_inputs = {
            **inputs,
            "user_request": canonical_request(meaning, index, _documents(words)) + _superlative(words),
            "exclude": [*(inputs.get("exclude") or ()), *excluded],
            "strict": False if inputs.get("strict") is False else inputs.get("strict") and not left_out,
        }
        planned = await self._steps.process(
            AgentRequest(goal=request.goal, task=request.task, metadata=request.metadata, inputs=planner_inputs)
        )
        if isinstance(planned.result, dict):
            unclear = [{**row, "suggestions": []} for row in meaning["not_understood"] if row["text"] and row["reason"]]
            rows = [*unclear, *left_out, *planned.result["not_understood"]]
            planned.result["not_understood"] = rows
            check_understood(rows, [], bool(inputs.get("strict")))
        return planned

    async def _meaning(
        self, user: str, index: TargetIndex, rejected: RejectedAnswer | None, in_parts: Prompt | None
    ) -> JsonObject:
        """Ask the model to interpret the request. Returns `parts` with targets that the project has.

        Raises RequestError when the model finds none.
        """
        for repair in range(self.repairs + 1):
            try:
                answer = await self._ask_model(
                    user, PARTS_SCHEMA if in_parts else ANSWER_SCHEMA, rejected=rejected, prompt=in_parts
                )
            except UnusableAnswer as unusable:
                raise RequestError(
                    f"the planner's model did not answer in the asked form: {unusable.message}",
                    advice="Name the targets in the request, or use the embedded planner.",
                    details={"of": "model"},
                ) from unusable
            meaning = _parted(answer.parsed)
            wrong = _target_problems(meaning, index)
            if not wrong:
                return meaning
            if repair == self.repairs:
                return _known(meaning, index)
            rejected = RejectedAnswer(wrong, answer.text)
        raise AssertionError("unreachable: the last repair returns or raises")

    def _message(self, inputs: Mapping[str, Any], index: TargetIndex) -> str:
        lines: list[str] = []
        for place in index.modules[:_MOST_MODULES]:
            symbols = [symbol for symbol in index.symbols_of(place.module) if not _private(symbol)]
            more = f" and {len(symbols) - _MOST_SYMBOLS} more" if len(symbols) > _MOST_SYMBOLS else ""
            lines.append(f"{place.path}: {', '.join(symbols[:_MOST_SYMBOLS])}{more}")
        request = data("request", str(inputs.get("user_request") or "")[:_LONGEST_REQUEST])
        values = {"request": request, "modules": data("modules", "\n".join(lines))}
        return self._prompt.text("plan", values)


def _is_understood(planned: AgentResponse) -> bool:
    """Whether a plan accounts for the whole request, or failed for another reason than the request's words."""
    if planned.error is not None:
        return (planned.error.details or {}).get("error") != RequestError.__name__
    return not (planned.result or {}).get("not_understood")


def as_requested(words: ParsedRequest, meaning: JsonObject, index: TargetIndex) -> JsonObject:
    """Return the interpretation with what the request says in so many words, whatever the model makes of it."""
    said = [name for name in words.frameworks if name in (*AVAILABLE_FRAMEWORKS, *BROWSER_FRAMEWORKS)]
    gone = [path for path in meaning["excluded"] if "`" not in path and index.names(path)]
    missing = [_row(path, "the project has nothing of that name to leave out") for path in meaning["excluded"]]
    return {
        **meaning,
        "excluded": gone,
        "not_understood": [*meaning["not_understood"], *(row for row in missing if row["text"] not in gone)],
        "framework": said[0] if said else meaning["framework"],
        "only_untested": words.only_untested or meaning["only_untested"],
    }


def unaccounted(words: ParsedRequest, meaning: Mapping[str, Any], index: TargetIndex) -> list[JsonObject]:
    """List what the request names and the model's answer leaves out: kinds of tests, targets, conditions.

    A word that names nothing in the project is what a model is asked to interpret; it is not held against the answer.
    """
    planned = {part["test_type"] for part in meaning["parts"]}
    rows: list[JsonObject] = []
    for clause in words.clauses:
        if clause.test_type not in STEP_PLANNERS:
            rows.append(_row(clause.text, f"{clause.test_type} tests are not available yet"))
        elif clause.test_type not in planned:
            rows.append(_row(clause.text, "the planner's model left it out"))
    rows += [_row(text, reason) for text, reason in words.unknown]
    if words.depth is not None:
        rows.append(_row(f"{words.depth} depth", "a depth belongs to the end-to-end tests of a whole repository"))
    if any(part["whole_project"] and not part["targets"] for part in meaning["parts"]):
        return rows
    targets = [target for part in meaning["parts"] for target in part["targets"]]
    paths = {found.place.path for target in targets for found in index.find(target["path"], explicit=True).targets}
    said = " ".join(str(row["text"]) for row in meaning["not_understood"])
    for mention in words.mentions:
        named = {found.place.path for found in index.find(mention.text, explicit=mention.explicit).targets}
        if named and not mention.excluded and not mention.weak and not named & paths and mention.text not in said:
            rows.append(_row(mention.text, "the planner's model left it out"))
    return rows


def _superlative(words: ParsedRequest) -> str:
    """The request's superlative, to follow a canonical request; "" where it has none."""
    wanted = words.most_complex
    if wanted is None:
        return ""
    kind = {"module": "modules", "function": "functions", "class": "classes"}[wanted.kind]
    number = f"{wanted.count} " if wanted.count else ""
    return f"; only the {number}most complex {kind}"


def _row(text: str, reason: str) -> JsonObject:
    return {"text": text, "reason": reason, "suggestions": []}


def canonical_request(meaning: Mapping[str, Any], index: TargetIndex, documents: Sequence[str] = ()) -> str:
    """Render an interpretation as a request that the embedded planner parses unambiguously.

    Args:
        meaning: an answer in parts.
        documents: API descriptions that the request names, for the parts about an API.
    """
    only = " only what has no tests" if meaning["only_untested"] else ""
    framework = f" with {meaning['framework']}" if meaning["framework"] else ""
    excluded = "".join(f" except `{path}`" for path in meaning["excluded"][:1])
    excluded += "".join(f" and `{path}`" for path in meaning["excluded"][1:])
    parts = "; ".join(_part_words(part, index, documents) for part in meaning["parts"])
    return f"{parts}{only}{framework}{excluded}"


def _part_words(part: Mapping[str, Any], index: TargetIndex, documents: Sequence[str]) -> str:
    words: list[str] = []
    for target in part["targets"]:
        symbols, path = target["symbols"], target["path"]
        words += [f"`{name}`" for name in (_symbol_names(path, symbols, index) if symbols else [path])]
    if part["test_type"] == "api":
        words += [f"`{document}`" for document in documents]
    if part["whole_project"] and not words:
        words = ["the whole project"]
    return f"{part['test_type']} tests for {' and '.join(words) or 'the whole project'}"


def _documents(words: ParsedRequest) -> list[str]:
    """Select words of a request that name an API description."""
    return [mention.text for mention in words.mentions if not mention.excluded and is_document(mention.text)]


def _parted(answer: Any) -> JsonObject:
    """Convert an answer into parts; one about unit tests only is a single part."""
    if "parts" in answer:
        return answer
    part = {"test_type": "unit", "targets": answer["targets"], "whole_project": answer["whole_project"]}
    return {**answer, "parts": [part]}


def _known(meaning: JsonObject, index: TargetIndex) -> JsonObject:
    """Remove targets that the project does not have. Raises RequestError when none is left."""
    missing = [target for part in meaning["parts"] for target in part["targets"] if _missing(target, index)]
    kept = [
        {**part, "targets": [target for target in part["targets"] if not _missing(target, index)]}
        for part in meaning["parts"]
    ]
    parts = [part for part in kept if part["targets"] or part["whole_project"]]
    left = [{"text": _spelled(target), "reason": "the project has no such target"} for target in missing]
    if not parts:
        raise RequestError(
            "the planner's model names only targets that the project does not have: "
            + ", ".join(row["text"] for row in left),
            advice="Name the targets in the request as paths or modules.",
        )
    return {**meaning, "parts": parts, "not_understood": [*meaning["not_understood"], *left]}


def _index(root: Path) -> TargetIndex:
    layout: Layout = find_layout(root)
    return TargetIndex(layout)


def _target_problems(meaning: Mapping[str, Any], index: TargetIndex) -> list[JsonObject]:
    """List why the answer cannot be planned: unknown targets, or none at all."""
    problems: list[JsonObject] = []
    if not meaning["parts"]:
        return [problem("$.parts", "asks for no tests", suggestion="add one part for each kind of tests asked for")]
    for number, part in enumerate(meaning["parts"]):
        place = f"$.parts[{number}].targets" if "targets" not in meaning else "$.targets"
        problems += [
            problem(f"{place}[{at}]", f"the project has no {_spelled(target)!r}", suggestion="use a path of the list")
            for at, target in enumerate(part["targets"])
            if _missing(target, index)
        ]
        if not part["targets"] and not part["whole_project"]:
            problems.append(problem(place, "names no target", suggestion="name one, or set whole_project"))
    return problems


def _missing(target: Mapping[str, Any], index: TargetIndex) -> bool:
    path, symbols = target["path"], target["symbols"] or ()
    if "`" in path or not index.find(path, explicit=True).targets:
        return True
    names = _symbol_names(path, symbols, index)
    return len(names) < len(symbols) or any(not index.find(name, explicit=True).targets for name in names)


def _symbol_names(path: str, symbols: Sequence[str], index: TargetIndex) -> list[str]:
    """Return `module:Qualified.name` of each symbol that the path's modules have."""
    modules = [target.place.module for target in index.find(path, explicit=True).targets]
    return [f"{module}:{symbol}" for symbol in symbols for module in modules if symbol in index.symbols_of(module)]


def _spelled(target: Mapping[str, Any]) -> str:
    symbols = target["symbols"]
    return f"{target['path']}:{','.join(symbols)}" if symbols else str(target["path"])


def _private(symbol: str) -> bool:
    return any(part.startswith("_") for part in symbol.split("."))
