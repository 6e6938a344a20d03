"""The test engineer with a model; code limits where its files go and what they may do."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ...utils.canonical import canonical_json
from ...utils.generated_header import with_header, without_header
from ..contract.protocol import AgentRequest, AgentResponse, JsonObject, refusal, success_response
from ..embedded.repository.engineer_agent import origin_of, pull_request
from ..guardrails.confined_files import confine_files
from ..guardrails.engineer_limits import refused_files
from ..guardrails.problems import problem
from .model_agent import ModelAgent, closed, list_of, text_of

ANSWER_SCHEMA: JsonObject = closed(
    files=list_of(closed(path=text_of(400), contents=text_of(200_000)), 200),
    pr_title=text_of(256),
    pr_body=text_of(20_000),
)
_COMMENTS = {"playwright": "//", "maestro": "#"}


class ModelEngineerAgent(ModelAgent):
    """Writes test files; inputs and result as of the embedded engineer.

    The first user message is the hydration envelope as canonical JSON. Files outside the folders of tests, files
    without an assertion and files that access more than the application are returned once, then refused. Cases
    that no file names are `not_written` in the response's metadata.

    Args: as of `ModelAgent`.
    """

    role = "engineer"

    async def _answer(self, request: AgentRequest) -> AgentResponse:
        inputs = request.consumer_inputs()
        framework = str(inputs["target_framework"])
        ids = [str(case["id"]) for case in inputs["test_cases"]]

        def wrong(answer: Any) -> list[JsonObject]:
            return [*refused_files(answer["files"], framework, inputs["test_cases"]), *_missing(answer["files"], ids)]

        answer = await self._valid_answer(canonical_json(request.inputs), ANSWER_SCHEMA, wrong)
        refused = refused_files(answer["files"], framework, inputs["test_cases"])
        not_written = [{"case_id": name, "reason": "the model wrote no test for it"} for name in ids]
        not_written = [row for row in not_written if not _named(answer["files"], row["case_id"])]
        if refused or len(not_written) == len(ids):
            first = refused[0]["message"] if refused else "no file names any of the cases"
            message = f"what the model wrote cannot be kept: {first}"
            return refusal(message, errors=refused, metadata={"not_written": not_written})
        source, comment = origin_of(inputs)[0], _COMMENTS[framework]
        files = [
            {
                "path": file["path"],
                "contents": with_header(without_header(file["contents"]), target=source, comment=comment),
            }
            for file in confine_files(answer["files"], framework)
        ]
        title = str(answer["pr_title"]).strip() or f"Add {framework} tests for {source}"
        result = pull_request(inputs, files, title, answer["pr_body"])
        return success_response(result, metadata={"not_written": not_written})


def _missing(files: Sequence[Mapping[str, Any]], ids: Sequence[str]) -> list[JsonObject]:
    return [
        problem("$.files", f"no test names the case {name}", suggestion="put the case's id into the test's name")
        for name in ids
        if not _named(files, name)
    ]


def _named(files: Sequence[Mapping[str, Any]], name: str) -> bool:
    return any(re.search(rf"\b{name}\b", str(file["contents"])) for file in files)
