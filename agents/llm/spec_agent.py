"""The spec agent with a model: the engine observes what happens, the model decides what should happen.

The target is explored first, and the model is shown what was observed and what was not reached. Suspected defects that
the engine found stay in the spec, whatever the model answers.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...utils.canonical import canonical_json
from ...utils.error_formatter import spec_feedback
from ...utils.untrusted_files import read_source
from ..contract.lifecycle import Agent
from ..contract.protocol import AgentRequest, AgentResponse, JsonObject, success_response
from ..guardrails.code_limits import case_problems, imported_by
from ..guardrails.oracles import RULE, Documentation, oracle_problems
from ..guardrails.problems import problem
from ..guardrails.repair_guard import weakened_cases
from ..model.chat import ModelChat
from . import api_answer, flow_answer
from .model_agent import ModelAgent, RejectedAnswer, UnusableAnswer
from .project_style import own_test_imports, project_style
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
class _SpecExtension:
    """How a model adds cases to the engine's spec of a test type.

    Attributes:
        prompt: its name. message: builds the message (inputs, engine's spec, root). schema: of the answer.
        add_cases: adds the answer's cases to the spec (answer, engine's spec, root); raises UnusableAnswer.
    """

    prompt: str
    message: Callable[[Mapping[str, Any], Mapping[str, Any], Path], str]
    schema: JsonObject
    add_cases: Callable[[Mapping[str, Any], Mapping[str, Any], Path], JsonObject]


_EXTENSIONS = {
    "api": _SpecExtension("api_spec", api_answer.build_message, api_answer.ANSWER_SCHEMA, api_answer.add_cases),
    "integration": _SpecExtension("flow_spec", flow_answer.build_message, ANSWER_SCHEMA, flow_answer.add_cases),
}


class ModelSpecAgent(ModelAgent):
    """Specifies unit tests for one Python module; inputs and result as of the embedded spec agent.

    Args:
        chat: the model.
        engine: the embedded spec agent; started and shut down with this one.
        root: the project.
        allowed: modules that a person allows tests to import, besides those that the limits do.
    """

    role = "spec"
    repairs = 0

    def __init__(self, chat: ModelChat, engine: Agent, root: Path, *, allowed: Collection[str] = ()) -> None:
        super().__init__(chat, engine=engine)
        self._allowed = allowed
        self._explorer = engine
        self._root = root

    async def _answer(self, request: AgentRequest) -> AgentResponse:
        inputs = request.consumer_inputs()
        errors = inputs.get("errors") or []
        previous = inputs.get("previous_spec")
        test_type = str(inputs.get("test_type") or "unit")
        extension = _EXTENSIONS.get(test_type) if not isinstance(previous, Mapping) else None
        if test_type != "unit" and extension is None:
            return await self._explorer.process(request)  # a refinement: the engine removes refused cases by itself
        if extension is not None:
            return await self._extended(request, inputs, errors, extension)
        if isinstance(previous, Mapping) and errors:
            return await self._refined(inputs, previous, errors)
        return await self._first_spec(request, inputs, errors)

    async def _first_spec(
        self, request: AgentRequest, inputs: Mapping[str, Any], errors: Sequence[Mapping[str, Any]]
    ) -> AgentResponse:
        """The first spec of unit tests: the model's cases in place of the engine's."""
        explored = await self._explorer.process(request)
        if not explored.is_success() or not isinstance(explored.result, dict):
            return explored
        base: JsonObject = explored.result["spec"]
        user = await asyncio.to_thread(self._first_message, inputs, base)
        answered = await self._first_answer(inputs, user, errors, ANSWER_SCHEMA)
        await asyncio.to_thread(self._require_harmless, answered, base)
        path = str(base["target"]["path"])
        cases, notes = await asyncio.to_thread(self._proven, answered["cases"], path)
        spec = {**base, "imports": sorted(set(answered["imports"])), "cases": cases}
        kept = {key: explored.metadata[key] for key in ("trials", "branches", "notes") if key in explored.metadata}
        if notes:
            kept["notes"] = [*(kept.get("notes") or ()), *notes]
        return success_response({"spec": spec}, metadata=kept)

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
        answered = await self._first_answer(inputs, user, errors, extension.schema, load_prompt(extension.prompt))
        spec = await asyncio.to_thread(extension.add_cases, answered, base, self._root)
        return success_response({"spec": spec}, metadata=dict(explored.metadata), trace=list(explored.trace))

    async def _first_answer(
        self,
        inputs: Mapping[str, Any],
        user: str,
        errors: Sequence[Mapping[str, Any]],
        schema: JsonObject,
        prompt: Prompt | None = None,
    ) -> Any:
        """Return the answer to a first message; after an unusable one, the message is sent again with its problems."""
        previous_answer = "\n".join(str(error.get("excerpt") or "") for error in errors).strip()
        rejected = RejectedAnswer(errors, previous_answer) if errors else None
        answer = await self._ask_model(user, schema, int(inputs.get("attempt") or 1), rejected=rejected, prompt=prompt)
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
        """Return the previous spec with the erroneous cases replaced; every other case stays unchanged."""
        cases = list(previous.get("cases") or ())
        at = concerned_cases(cases, errors)
        user = await asyncio.to_thread(self._refine_message, inputs, previous, [cases[index] for index in at], errors)
        answer = await self._ask_model(user, ANSWER_SCHEMA, int(inputs.get("attempt") or 2), mends=errors)
        path = str((previous.get("target") or {}).get("path") or inputs["target"]["path"])
        answered: Any = answer.parsed
        await asyncio.to_thread(self._require_harmless, answered, previous)
        mended, _ = await asyncio.to_thread(self._proven, answered["cases"], path)
        weaker = weakened_cases(cases, at, mended, errors)
        if weaker:
            raise UnusableAnswer("the refinement weakens the spec", weaker)
        imports = sorted(set(answered["imports"])) or list(previous.get("imports") or ())
        spec = {**previous, "imports": imports, "cases": merge_cases(cases, at, mended)}
        replaced = [case["id"] for case in mended]
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
        source = read_source(self._root, str(target["path"]), errors="replace")
        return {
            "framework": str(inputs.get("framework") or "pytest"),
            "request": data("request", str(inputs.get("user_request") or "")[:_LONGEST_REQUEST]),
            "path": str(target["path"]),
            "module": str(target["module"]),
            "source": data("source", relevant_lines(source, symbols)),
        }

    def _proven(self, answered: Sequence[Mapping[str, Any]], path: str) -> tuple[list[JsonObject], list[str]]:
        """Return the cases whose expectations can be oracles, in a spec's form, and a note for each that is left out.

        What is called documented and is not shown by the cited lines becomes inferred.

        Raises:
            UnusableAnswer: all cases would be left out.
        """
        documentation = Documentation(self._source(path))
        problems: list[JsonObject] = []
        cases: list[JsonObject] = []
        for index, case in enumerate(answered):
            found = [*oracle_problems(case, index), *_contradictions(case, index, documentation)]
            problems += found
            if not found:
                cases.append(case_of(_labelled(case, documentation), path))
        if problems and not cases:
            raise UnusableAnswer("no case expects what could fail", problems)
        return cases, [f"a case of the model is left out: {row['message']}" for row in problems]

    def _source(self, path: str) -> str:
        return read_source(self._root, path, errors="replace") if (self._root / path).is_file() else ""

    def _require_harmless(self, answered: Mapping[str, Any], spec: Mapping[str, Any]) -> None:
        """Raise UnusableAnswer for cases that do what tests may not; they may import what the target imports."""
        target, imports = spec.get("target") or {}, list(answered["imports"])
        module, path = str(target.get("module") or ""), str(target.get("path") or "")
        source = self._source(path)
        imported = imported_by(source) | imported_by("\n".join(str(line) for line in spec.get("imports") or ()))
        imported |= own_test_imports(self._root)
        found = [
            row
            for index, case in enumerate(answered["cases"])
            for row in case_problems(case, index, imports, module, imported=imported, allowed=self._allowed)
        ]
        if found:
            raise UnusableAnswer("the cases do what tests may not do", found)


def _contradictions(case: Mapping[str, Any], index: int, documentation: Documentation) -> list[JsonObject]:
    """Report documented expectations whose own cited lines give another value for the call."""
    found: list[JsonObject] = []
    for place, expected in enumerate(case["expect"]):
        said = documentation.contradicted_by(case, expected, expected["lines"])
        if said is not None and expected["origin"] == "documented":
            message = f"{case['id']} expects {expected['value']}, but the lines that it cites say {said}"
            path = f"$.cases[{index}].expect[{place}]"
            found.append(problem(path, message, suggestion="expect what is documented", rule=RULE))
    return found


def _labelled(case: Mapping[str, Any], documentation: Documentation) -> JsonObject:
    """The case with `inferred` for expectations that are called documented, while the cited lines do not show it."""
    expect = [
        {**expected, "origin": "inferred"}
        if expected["origin"] == "documented" and not documentation.shows(case, expected, expected["lines"])
        else expected
        for expected in case["expect"]
    ]
    return {**case, "expect": expect}


def observed_facts(cases: Sequence[Mapping[str, Any]]) -> list[str]:
    """Render observations, one line each, a few for every subject: `half(3) raises ValueError('odd')`."""
    shown: dict[str, int] = {}
    lines: list[str] = []
    for case in cases:
        subject = str(case["subject"])
        shown[subject] = shown.get(subject, 0) + 1
        if shown[subject] <= _FACTS_OF_A_SUBJECT and len(lines) < _MOST_FACTS:
            lines.append(_fact(case)[:_LONGEST_FACT])
    return lines


def _fact(case: Mapping[str, Any]) -> str:
    statements = (case.get("arrange") or {}).get("statements") or []
    setting = f" after {'; '.join(statements)}" if statements else ""
    expected = ", ".join(_expectation_text(row) for row in case["expect"])
    return f"{case['act']['expression']}{setting}: {expected}"


def _expectation_text(row: Mapping[str, Any]) -> str:
    if row["kind"] in ("raises", "warns"):
        return f"{row['kind']} {row.get('exception')}({row.get('match', '')!r})"
    return " ".join(str(part) for part in (row.get("actual", ""), row["kind"], row.get("value", "")) if part)


def merge_cases(
    cases: Sequence[Mapping[str, Any]], concerned_at: Sequence[int], mended: Sequence[JsonObject]
) -> list[Mapping[str, Any]]:
    """Merge corrected cases: each takes the place of its predecessor, a new one is appended."""
    by_id = {str(case["id"]): case for case in mended}
    placed: list[Mapping[str, Any]] = []
    for index, case in enumerate(cases):
        found = by_id.pop(str(case.get("id")), None)
        if index not in concerned_at:
            placed.append(case)
        elif found is not None:
            placed.append(found)
    return [*placed, *by_id.values()]
