"""The spec agent with a model: the engine observes what happens, the model reads what should happen.

The target is explored first. The model's cases join the engine's; suspected defects that the engine found stay in the
spec, whatever the model answers.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...core.errors import ModelFailure, ModelRateLimited
from ...core.exit_code import ExitCode
from ...utils.canonical import digest_of
from ...utils.untrusted_files import read_source
from ..contract.lifecycle import Agent, AgentRetryPolicy
from ..contract.protocol import AgentRequest, AgentResponse, JsonObject, success_response
from ..embedded.specs.spec_merge import merged
from ..guardrails.oracles import Documentation
from ..model.chat import ModelChat
from .model_agent import ModelAgent, RejectedAnswer, UnusableAnswer, left_out_notes
from .prompt import Prompt, load_prompt
from .specs import api_answer, flow_answer
from .specs.answer_cases import AnswerCases, Observe, Usable
from .specs.answer_mending import Subjects
from .specs.engine_cases import Decisions
from .specs.spec_answer import ANSWER_SCHEMA, EACH_ALONE, MAY_LACK, READING_SCHEMA
from .specs.spec_message import SpecMessages

WRONG_EXPECTATION = "wrong_expectation"
_KEPT_METADATA = ("trials", "branches", "notes", "notices")


@dataclass(frozen=True, slots=True)
class _SpecExtension:
    """How a model adds cases to the engine's spec of a test type.

    Attributes:
        prompt: its name. message: builds the message (inputs, engine's spec, root). schema: of the answer.
        add_cases: adds the answer's cases to the spec (answer, engine's spec, root), and says what it left out; raises
            UnusableAnswer where that is all of them.
    """

    prompt: str
    message: Callable[[Mapping[str, Any], Mapping[str, Any], Path], str]
    schema: JsonObject
    add_cases: Callable[[Mapping[str, Any], Mapping[str, Any], Path], tuple[JsonObject, list[str]]]


_EXTENSIONS = {
    "api": _SpecExtension("api_spec", api_answer.build_message, api_answer.ANSWER_SCHEMA, api_answer.add_cases),
    "integration": _SpecExtension("flow_spec", flow_answer.build_message, ANSWER_SCHEMA, flow_answer.add_cases),
}


class ModelSpecAgent(ModelAgent):
    """Specifies unit tests for one Python module; inputs and result as of the embedded spec agent.

    With `gaps` and `previous_spec` among the inputs, it asks once for what the tests leave open and returns the spec
    with the new cases. A refinement asks nobody: refused cases are mended or left out by a program, and of a case whose
    expectation was wrong what the code does is observed.

    Args:
        chat: the model.
        engine: the embedded spec agent; started and shut down with this one.
        root: the project.
        observe: observes cases without expectation; None leaves them out.
        allowed: modules that a person allows tests to import, besides those that the limits do.
    """

    role = "spec"
    repairs = 0

    def __init__(
        self,
        chat: ModelChat,
        engine: Agent,
        root: Path,
        *,
        observe: Observe | None = None,
        allowed: Collection[str] = (),
    ) -> None:
        super().__init__(chat, engine=engine)
        self._allowed = allowed
        self._explorer = engine
        self._root = root
        self._observe = observe
        # What could not be used of a long module's parts, while the request is repeated for another part.
        self._unusable: dict[str, UnusableAnswer] = {}

    async def _answer(self, request: AgentRequest) -> AgentResponse:
        inputs = request.consumer_inputs()
        errors = inputs.get("errors") or []
        previous = inputs.get("previous_spec")
        test_type = str(inputs.get("test_type") or "unit")
        scripts = inputs.get("framework") == "jest"
        extension = _EXTENSIONS.get(test_type) if not isinstance(previous, Mapping) else None
        # What a model adds is Python: tests of scripts are the engine's.
        if scripts and test_type != "api":
            return await self._explorer.process(request)
        if extension is not None:
            return await self._extended(request, inputs, errors, extension)
        if test_type != "unit" or scripts:
            return await self._explorer.process(request)
        if isinstance(previous, Mapping) and inputs.get("gaps"):
            return await self._without_gaps(inputs, previous, inputs["gaps"])
        if isinstance(previous, Mapping) and errors:
            return await self._refined(request, previous, errors)
        return await self._first_spec(request, inputs, errors)

    async def _first_spec(
        self, request: AgentRequest, inputs: Mapping[str, Any], errors: Sequence[Mapping[str, Any]]
    ) -> AgentResponse:
        """The first spec of unit tests: the engine's cases and the model's."""
        explored = await self._explorer.process(request)
        if not explored.is_success() or not isinstance(explored.result, dict):
            return explored
        base: JsonObject = explored.result["spec"]
        gaps = [f"{row['subject']}: {row['reason']}" for row in base.get("not_reached") or ()]
        gaps += [str(line) for line in explored.metadata.get("gaps") or ()]
        messages = SpecMessages(self._prompt, inputs, base, self._root)
        texts = await asyncio.to_thread(messages.reading, gaps)
        is_last = bool((request.constraints or {}).get("last_attempt"))
        answers, notes = await self._readings(texts, inputs, errors, is_last=is_last)
        source = self._source(base)
        subjects = Subjects(source, str(base["target"]["module"]))
        decisions = Decisions(base, Documentation(source), explored.metadata.get("notices") or {}, subjects)
        decided = decisions.carry_out(row for answer in answers for row in answer["decisions"])
        found = [await self._usable(answer, base) for answer in answers]
        problems = [row for one in found for row in one.problems]
        if problems and not any(one.cases for one in found) and decided["cases"] == base["cases"]:
            raise UnusableAnswer("nothing of the answer can be used", problems)
        spec = decided
        for one in found:
            spec, left_out = await asyncio.to_thread(merged, spec, one.cases, one.imports)
            notes += [*one.notes, *left_out]
        metadata = {key: explored.metadata[key] for key in _KEPT_METADATA if key in explored.metadata}
        metadata["notes"] = [*(metadata.get("notes") or ()), *decisions.notes, *notes]
        return success_response({"spec": spec}, metadata=metadata, trace=list(explored.trace))

    async def _readings(
        self,
        texts: Sequence[str],
        inputs: Mapping[str, Any],
        errors: Sequence[Mapping[str, Any]],
        *,
        is_last: bool,
    ) -> tuple[list[Any], list[str]]:
        """Ask about each part of a module. Returns the answers, and a note for each part without a usable one.

        Raises:
            UnusableAnswer: no part has one.
            ModelFailure: no part has one; or a part may have one when the request is repeated, which asks for no answer
                anew that was received, whether it could be used or not.
        """
        answers: list[Any] = []
        notes: list[str] = []
        failures: list[UnusableAnswer | ModelFailure] = []
        keys = [digest_of([text, list(errors), inputs.get("attempt")]) for text in texts]
        for number, (key, text) in enumerate(zip(keys, texts, strict=True), 1):
            try:
                if key in self._unusable:
                    raise self._unusable[key]
                answer, left_out = await self._first_answer(inputs, text, errors, READING_SCHEMA, may_lack=MAY_LACK)
                answers.append(answer)
                notes += left_out
            except (UnusableAnswer, ModelFailure) as failure:
                failures.append(failure)
                if isinstance(failure, UnusableAnswer):
                    self._unusable[key] = failure
                if isinstance(failure, ModelFailure) and _holds_for_all(failure):
                    failures += [failure] * (len(texts) - number)
                    break
        passing = [one for one in failures if isinstance(one, ModelFailure) and _may_pass(one)]
        if passing and not is_last:
            raise passing[0]
        for key in keys:
            self._unusable.pop(key, None)
        if not answers:
            raise failures[0]
        return answers, [*notes, *(f"a part of the module was not read: {failure.message}" for failure in failures)]

    async def _without_gaps(
        self, inputs: Mapping[str, Any], previous: Mapping[str, Any], gaps: Mapping[str, Any]
    ) -> AgentResponse:
        """The previous spec with cases for what its tests left open."""
        messages = SpecMessages(self._prompt, inputs, previous, self._root)
        text, unasked = await asyncio.to_thread(messages.about_gaps, gaps.get("rows") or ())
        if text is None:
            return success_response({"spec": dict(previous)}, metadata={"notes": unasked})
        answer, broken = await self._first_answer(inputs, text, (), READING_SCHEMA, may_lack=MAY_LACK)
        found = await self._usable(answer, previous)
        spec, left_out = await asyncio.to_thread(merged, previous, found.cases, found.imports)
        return success_response({"spec": spec}, metadata={"notes": [*unasked, *broken, *found.notes, *left_out]})

    async def _usable(self, answer: Mapping[str, Any], spec: Mapping[str, Any]) -> Usable:
        cases = AnswerCases(spec["target"], self._source(spec), self._root, self._observe, self._allowed)
        return await cases.usable(answer, [str(line) for line in spec.get("imports") or ()])

    async def _extended(
        self,
        request: AgentRequest,
        inputs: Mapping[str, Any],
        errors: Sequence[Mapping[str, Any]],
        extension: _SpecExtension,
    ) -> AgentResponse:
        """The engine's spec with cases that the model adds; running the tests shows whether they hold."""
        explored = await self._explorer.process(request)
        if not explored.is_success() or not isinstance(explored.result, dict):
            return explored
        base: JsonObject = explored.result["spec"]
        user = await asyncio.to_thread(extension.message, inputs, base, self._root)
        prompt = load_prompt(extension.prompt)
        answered, notes = await self._first_answer(inputs, user, errors, extension.schema, prompt)
        spec, left_out = await asyncio.to_thread(extension.add_cases, answered, base, self._root)
        metadata = {**explored.metadata, "notes": [*(explored.metadata.get("notes") or ()), *notes, *left_out]}
        return success_response({"spec": spec}, metadata=metadata, trace=list(explored.trace))

    async def _first_answer(
        self,
        inputs: Mapping[str, Any],
        user: str,
        errors: Sequence[Mapping[str, Any]],
        schema: JsonObject,
        prompt: Prompt | None = None,
        may_lack: tuple[str, ...] = (),
    ) -> tuple[Any, list[str]]:
        """Return the answer to a message, and notes about what is left out of it.

        After an unusable one, the message is sent again with its problems.
        """
        previous_answer = "\n".join(str(error.get("excerpt") or "") for error in errors).strip()
        rejected = RejectedAnswer(errors, previous_answer) if errors else None
        attempt = int(inputs.get("attempt") or 1)
        answer = await self._ask_model(
            user, schema, attempt, rejected=rejected, prompt=prompt, may_lack=may_lack, each_alone=EACH_ALONE
        )
        return answer.parsed, left_out_notes(answer)

    async def _refined(
        self, request: AgentRequest, previous: Mapping[str, Any], errors: Sequence[Mapping[str, Any]]
    ) -> AgentResponse:
        """The previous spec with wrong expectations observed; other errors are the engine's to mend."""
        wrong = [error for error in errors if error.get("rule") == WRONG_EXPECTATION]
        if not wrong or len(wrong) < len(errors):
            return await self._explorer.process(request)
        cases = AnswerCases(previous["target"], self._source(previous), self._root, self._observe, self._allowed)
        spec, replaced, notes = await cases.observed_instead(previous, wrong)
        trace: list[JsonObject] = [{"event": "refined", "cases": replaced}]
        return success_response({"spec": spec}, trace=trace, metadata={"changes": replaced, "notes": notes})

    def _source(self, spec: Mapping[str, Any]) -> str:
        path = str(spec["target"]["path"])
        return read_source(self._root, path, errors="replace") if (self._root / path).is_file() else ""


def _holds_for_all(failure: ModelFailure) -> bool:
    """Whether the next part of a module would fail in the same way, as without quota or beyond the endpoint's rate."""
    holds = isinstance(failure, ModelRateLimited) or not failure.recoverable
    return holds and failure.exit_code is ExitCode.ENVIRONMENT


def _may_pass(failure: ModelFailure) -> bool:
    return failure.recoverable and (failure.retry_after or 0) <= AgentRetryPolicy().longest_wait
