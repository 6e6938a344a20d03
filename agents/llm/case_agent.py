"""The test case generator with a model; cases about paths that the crawl did not find are returned to it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ...utils.canonical import canonical_json
from ..contract.protocol import AgentRequest, AgentResponse, JsonObject, refusal, success_response
from ..embedded.repository.case_words import Open, Script, Send, read_case
from ..guardrails.problems import problem
from .model_agent import ModelAgent, closed, list_of, text_of

ANSWER_SCHEMA: JsonObject = closed(
    test_cases=list_of(
        closed(
            id=text_of(120, "^tc_[a-z0-9_]+$"),
            title=text_of(200),
            preconditions=list_of(text_of(400), 20),
            steps=list_of(text_of(2000), 40),
            expected=text_of(1000),
            priority={"type": "string", "enum": ["critical", "high", "medium", "low"]},
        ),
        500,
    ),
    coverage_notes=text_of(8000),
)


class ModelCaseAgent(ModelAgent):
    """Writes test cases; inputs and result as of the embedded case agent.

    The first user message is the hydration envelope as canonical JSON. A case about a path that no route or page
    of the crawl has is returned once, then left out (`left_out` in the response's metadata).

    Args: as of `ModelAgent`.
    """

    role = "case"

    async def _answer(self, request: AgentRequest) -> AgentResponse:
        inputs = request.consumer_inputs()
        offered = _offered(inputs["detected_stack"])
        answer = await self._valid_answer(
            canonical_json(request.inputs), ANSWER_SCHEMA, lambda answer: _problems(answer["test_cases"], offered)
        )
        left_out: list[JsonObject] = []
        kept: dict[str, JsonObject] = {}
        for case in answer["test_cases"]:
            reason = _reason(case, offered) or ("another case has its id" if case["id"] in kept else "")
            if reason:
                left_out.append({"case_id": case["id"], "reason": reason})
            else:
                kept[case["id"]] = case
        if not kept:
            message = "the model wrote no test case that can be kept"
            return refusal(message, left_out=left_out, metadata={"left_out": left_out})
        notes = _made_from(inputs) + str(answer["coverage_notes"])
        result = {"run_id": inputs["run_id"], "test_cases": list(kept.values()), "coverage_notes": notes}
        return success_response(result, metadata={"left_out": left_out, "not_written": left_out})


def _made_from(inputs: Mapping[str, Any]) -> str:
    return f"Made from {inputs['repo_full_name']} at {inputs['ref']}, depth {inputs['depth_level']}.\n"


def _offered(stack: Mapping[str, Any]) -> list[re.Pattern[str]]:
    """Patterns of the paths that the crawl found, empty when it found none."""
    rows = [row for key in ("routes", "pages") for row in stack.get(key) or () if isinstance(row, Mapping)]
    paths = {str(row["path"]) for row in rows if row.get("path")}
    return [
        re.compile("[^/]+".join(re.escape(part) for part in re.split(r"{\w+}", path)) + "/?$") for path in sorted(paths)
    ]


def _problems(cases: Sequence[Mapping[str, Any]], offered: list[re.Pattern[str]]) -> list[JsonObject]:
    problems = [] if cases else [problem("$.test_cases", "holds no case", suggestion="write at least one")]
    taken: set[str] = set()
    for at, case in enumerate(cases):
        if case["id"] in taken:
            problems.append(problem(f"$.test_cases[{at}].id", f"{case['id']!r} is taken", suggestion="give it its own"))
        taken.add(case["id"])
        if reason := _reason(case, offered):
            problems.append(problem(f"$.test_cases[{at}]", reason, suggestion="use `detected_stack` of the payload"))
    return problems


def _reason(case: Mapping[str, Any], offered: list[re.Pattern[str]]) -> str:
    """Why a case cannot be kept; "" when it can."""
    if not case["title"].strip() or not case["expected"].strip() or not case["steps"]:
        return "it has no title, no step or no expectation"
    if not all(sentence.strip() for sentence in (*case["steps"], *case["preconditions"])):
        return "one of its sentences is empty"
    read = read_case(case)
    if not isinstance(read, Script) or not offered:
        return ""
    paths = [step.path.partition("?")[0] for step in read.steps if isinstance(step, Send | Open)]
    unknown = [path for path in paths if not any(pattern.match(path) for pattern in offered)]
    return f"the repository offers no {unknown[0]}" if unknown else ""
