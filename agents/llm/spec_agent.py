"""The spec agent that asks a model: the engine says what happens, the model says what should.

The target is explored first, so that the model is told what was observed and what was not reached; what the engine
found to contradict the documentation stays in the spec, whatever the model says.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...utils.canonical import canonical_json
from ...utils.error_formatter import spec_feedback
from ..contract.lifecycle import Agent, AgentContract
from ..contract.protocol import AgentRequest, AgentResponse, JsonObject, consumer_view, success_response
from ..guardrails.code_limits import case_problems, imported_by
from ..guardrails.repair_guard import weakened_cases
from ..model.chat import ModelChat
from . import api_answer, flow_answer
from .model_agent import ModelAgent, RejectedAnswer, UnusableAnswer
from .project_style import project_style
from .prompt import Prompt, bullets, data, load_prompt
from .source_view import relevant_lines
from .spec_answer import ANSWER_SCHEMA, case_for_model, case_of, concerned_cases

_FACTS_OF_A_SUBJECT = 8
_MOST_FACTS = 60
_LONGEST_FACT = 160
_MOST_UNREACHED = 8
_LONGEST_UNREACHED = 160
_LONGEST_REQUEST = 2000


@dataclass(frozen=True, slots=True)
class _Enlarging:
    """How a model adds cases to the engine's spec of a test type.

    Attributes:
        prompt: its name. message: what the model is told (inputs, engine's spec, root). schema: of its answer.
        added: the spec with the answer's cases (answer, engine's spec, root); raises UnusableAnswer.
    """

    prompt: str
    message: Callable[[Mapping[str, Any], Mapping[str, Any], Path], str]
    schema: JsonObject
    added: Callable[[Mapping[str, Any], Mapping[str, Any], Path], JsonObject]


_ENLARGING = {
    "api": _Enlarging("api_spec", api_answer.build_message, api_answer.ANSWER_SCHEMA, api_answer.add_cases),
    "integration": _Enlarging("flow_spec", flow_answer.build_message, ANSWER_SCHEMA, flow_answer.add_cases),
}


class ModelSpecAgent(ModelAgent):
    """Specifies unit tests for one Python module; inputs and result as of the embedded spec agent.

    Args:
        chat: the model.
        engine: the embedded spec agent; started and shut down with this one.
        root: the project.
        contract: the schemas the agent is held to.
    """

    def __init__(self, chat: ModelChat, engine: Agent, root: Path, *, contract: AgentContract | None = None) -> None:
        super().__init__("spec", chat, contract=contract)
        self._engine = engine
        self._root = root

    async def _start(self) -> None:
        await self._engine.start()

    async def _shutdown(self) -> None:
        await self._engine.shutdown()

    async def _work(self, request: AgentRequest) -> AgentResponse:
        inputs = consumer_view(request.inputs or {})
        errors = inputs.get("errors") or []
        previous = inputs.get("previous_spec")
        test_type = str(inputs.get("test_type") or "unit")
        more = _ENLARGING.get(test_type) if not isinstance(previous, Mapping) else None
        if test_type != "unit" and more is None:
            return await self._engine.process(request)  # what was refused, the engine takes out by itself
        try:
            if more is not None:
                return await self._enlarged(request, inputs, errors, more)
            if isinstance(previous, Mapping) and errors:
                return await self._refined(inputs, previous, errors)
            return await self._specified(request, inputs, errors)
        except UnusableAnswer as unusable:
            return self._unusable(unusable, errors)

    async def _specified(
        self, request: AgentRequest, inputs: Mapping[str, Any], errors: Sequence[Mapping[str, Any]]
    ) -> AgentResponse:
        """The first spec of unit tests: the model's cases in place of the engine's."""
        explored = await self._engine.process(request)
        if not explored.is_success() or not isinstance(explored.result, dict):
            return explored
        base: JsonObject = explored.result["spec"]
        user = await asyncio.to_thread(self._first_message, inputs, base)
        answered = await self._first_answer(inputs, user, errors, ANSWER_SCHEMA)
        await asyncio.to_thread(self._require_harmless, answered, base)
        cases = [case_of(case, base["target"]["path"]) for case in answered["cases"]]
        spec = {**base, "imports": sorted(set(answered["imports"])), "cases": cases}
        kept = {key: explored.metadata[key] for key in ("trials", "branches", "notes") if key in explored.metadata}
        return success_response({"spec": spec}, metadata=kept)

    async def _enlarged(
        self, request: AgentRequest, inputs: Mapping[str, Any], errors: Sequence[Mapping[str, Any]], more: _Enlarging
    ) -> AgentResponse:
        """The engine's spec with cases that the model adds; running the tests shows whether they hold."""
        explored = await self._engine.process(request)
        if not explored.is_success() or not isinstance(explored.result, dict):
            return explored
        base: JsonObject = explored.result["spec"]
        user = await asyncio.to_thread(more.message, inputs, base, self._root)
        answered = await self._first_answer(inputs, user, errors, more.schema, load_prompt(more.prompt))
        spec = await asyncio.to_thread(more.added, answered, base, self._root)
        return success_response({"spec": spec}, metadata=dict(explored.metadata), trace=list(explored.trace))

    async def _first_answer(
        self,
        inputs: Mapping[str, Any],
        user: str,
        errors: Sequence[Mapping[str, Any]],
        schema: JsonObject,
        prompt: Prompt | None = None,
    ) -> Any:
        """The answer to a first message; after one that could not be read, asked once more with what was wrong."""
        said = "\n".join(str(error.get("excerpt") or "") for error in errors).strip()
        back = RejectedAnswer(errors, said) if errors else None
        answer = await self._asked(user, schema, int(inputs.get("attempt") or 1), back=back, prompt=prompt)
        return answer.parsed

    def _first_message(self, inputs: Mapping[str, Any], base: Mapping[str, Any]) -> str:
        target = base["target"]
        unreached = [f"{row['subject']}: {row['reason']}"[:_LONGEST_UNREACHED] for row in base.get("not_reached") or ()]
        values = {
            **self._target(inputs, base, inputs["target"].get("symbols")),
            "facts": data("observed", bullets(observed_facts(base["cases"]), none="nothing")),
            "unreached": data("unreached", bullets(unreached[:_MOST_UNREACHED])),
            "style": data("style", project_style(self._root, str(target["module"])) or "no tests yet"),
        }
        return self._prompt.text("generate", values)

    async def _refined(
        self, inputs: Mapping[str, Any], previous: Mapping[str, Any], errors: Sequence[Mapping[str, Any]]
    ) -> AgentResponse:
        """The previous spec with the cases concerned replaced; every other case stays word for word."""
        cases = list(previous.get("cases") or ())
        at = concerned_cases(cases, errors)
        user = await asyncio.to_thread(self._refine_message, inputs, previous, [cases[index] for index in at], errors)
        answer = await self._asked(user, ANSWER_SCHEMA, int(inputs.get("attempt") or 2), mends=errors)
        path = str((previous.get("target") or {}).get("path") or inputs["target"]["path"])
        answered: Any = answer.parsed
        await asyncio.to_thread(self._require_harmless, answered, previous)
        mended = [case_of(case, path) for case in answered["cases"]]
        weaker = weakened_cases(cases, at, mended, errors)
        if weaker:
            raise UnusableAnswer("the refinement weakens the spec", weaker)
        imports = sorted(set(answered["imports"])) or list(previous.get("imports") or ())
        spec = {**previous, "imports": imports, "cases": merge_cases(cases, at, mended)}
        replaced = [one["id"] for one in mended]
        return success_response(
            {"spec": spec}, trace=[{"event": "refined", "cases": replaced}], metadata={"changes": replaced}
        )

    def _refine_message(
        self,
        inputs: Mapping[str, Any],
        previous: Mapping[str, Any],
        cases: Sequence[Mapping[str, Any]],
        errors: Sequence[Mapping[str, Any]],
    ) -> str:
        symbols = [str(case.get("subject")) for case in cases] or inputs["target"].get("symbols")
        values = {
            **self._target(inputs, previous, symbols),
            "errors": data("errors", spec_feedback(errors)),
            "cases": data("cases", "\n".join(canonical_json(case_for_model(case)) for case in cases) or "none"),
            "imports": data("imports", "\n".join(previous.get("imports") or ()) or "none"),
        }
        return self._prompt.text("refine", values)

    def _target(self, inputs: Mapping[str, Any], spec: Mapping[str, Any], symbols: Any) -> dict[str, str]:
        target = spec["target"]
        source = (self._root / str(target["path"])).read_text(encoding="utf-8", errors="replace")
        return {
            "framework": str(inputs.get("framework") or "pytest"),
            "request": data("request", str(inputs.get("user_request") or "")[:_LONGEST_REQUEST]),
            "path": str(target["path"]),
            "module": str(target["module"]),
            "source": data("source", relevant_lines(source, symbols)),
        }

    def _require_harmless(self, answered: Mapping[str, Any], spec: Mapping[str, Any]) -> None:
        """Raise UnusableAnswer for cases that do what tests may not do; they may import what the target imports."""
        target, imports = spec.get("target") or {}, list(answered["imports"])
        module, path = str(target.get("module") or ""), self._root / str(target.get("path") or "")
        source = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
        imported = imported_by(source) | imported_by("\n".join(str(line) for line in spec.get("imports") or ()))
        found = [
            one
            for index, case in enumerate(answered["cases"])
            for one in case_problems(case, index, imports, module, imported=imported)
        ]
        if found:
            raise UnusableAnswer("the cases do what tests may not do", found)


def observed_facts(cases: Sequence[Mapping[str, Any]]) -> list[str]:
    """What was observed, one line each, a few for every subject: `half(3) raises ValueError('odd')`."""
    told: dict[str, int] = {}
    lines: list[str] = []
    for case in cases:
        subject = str(case["subject"])
        told[subject] = told.get(subject, 0) + 1
        if told[subject] <= _FACTS_OF_A_SUBJECT and len(lines) < _MOST_FACTS:
            lines.append(_fact(case)[:_LONGEST_FACT])
    return lines


def _fact(case: Mapping[str, Any]) -> str:
    statements = (case.get("arrange") or {}).get("statements") or []
    setting = f" after {'; '.join(statements)}" if statements else ""
    return f"{case['act']['expression']}{setting}: {', '.join(_seen(expectation) for expectation in case['expect'])}"


def _seen(one: Mapping[str, Any]) -> str:
    if one["kind"] in ("raises", "warns"):
        return f"{one['kind']} {one.get('exception')}({one.get('match', '')!r})"
    return " ".join(str(part) for part in (one.get("actual", ""), one["kind"], one.get("value", "")) if part)


def merge_cases(
    cases: Sequence[Mapping[str, Any]], concerned_at: Sequence[int], mended: Sequence[JsonObject]
) -> list[Mapping[str, Any]]:
    """All cases in their order; a corrected one stands where its predecessor stood, a new one at the end."""
    by_id = {str(one["id"]): one for one in mended}
    placed: list[Mapping[str, Any]] = []
    for index, case in enumerate(cases):
        found = by_id.pop(str(case.get("id")), None)
        if index not in concerned_at:
            placed.append(case)
        elif found is not None:
            placed.append(found)
    return [*placed, *by_id.values()]
