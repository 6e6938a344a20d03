"""The test engineer without a model: turns cases in the sentences of `case_words` into Playwright or Maestro files."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from typing import Any

from ....utils.names.counted import counted
from ...contract.lifecycle import Agent
from ...contract.protocol import AgentRequest, AgentResponse, JsonObject, refusal, success_response
from .case_words import Script, read_case
from .maestro_files import maestro_files
from .playwright_files import playwright_files

_NAMES = {"playwright": "Playwright", "maestro": "Maestro"}
_MADE_FROM = re.compile(r"^Made from (?P<repository>\S+/\S+) at (?P<ref>\S+), depth ")


class EmbeddedEngineerAgent(Agent):
    """Writes test files for the cases it can parse, and reports the others.

    Inputs and result are those of `schemas/test_engineer/`, inputs plain or in a hydration envelope. A case in free
    words is left out completely, never guessed at: the response's metadata lists it under `not_written`
    (case_id, reason),
    and so does the text of the pull request.

    Args: as of `Agent`.
    """

    role = "test_engineer"

    async def _work(self, request: AgentRequest) -> AgentResponse:
        return await asyncio.to_thread(_engineered, request.consumer_inputs())


def _engineered(inputs: Mapping[str, Any]) -> AgentResponse:
    framework = str(inputs["target_framework"])
    scripts: list[Script] = []
    left_out: dict[str, str] = {}
    for case in inputs["test_cases"]:
        read = read_case(case)
        if isinstance(read, Script):
            scripts.append(read)
        else:
            left_out[str(case["id"])] = read
    source, _ = origin_of(inputs)
    if framework == "maestro":
        files, refused = maestro_files(scripts, source)
        left_out |= refused
    else:
        files = playwright_files(scripts, source)
    not_written = [{"case_id": name, "reason": reason} for name, reason in left_out.items()]
    if not files:
        message = f"no case of {len(inputs['test_cases'])} can be turned into {_NAMES[framework]} code without a model"
        return refusal(message, not_written=not_written, metadata={"not_written": not_written})
    written = [case for case in inputs["test_cases"] if case["id"] not in left_out]
    title = f"Add {counted(len(written), f'{_NAMES[framework]} test')} for {source}"
    result = pull_request(inputs, files, title, _body(inputs, written, left_out, framework))
    trace = [{"event": "written", "files": len(files), "cases": len(written), "left_out": len(left_out)}]
    return success_response(result, trace=trace, metadata={"not_written": not_written})


def _body(inputs: Mapping[str, Any], written: list[JsonObject], left_out: Mapping[str, str], framework: str) -> str:
    instructions = {
        "playwright": "Set BASE_URL (or `use.baseURL`), then `npx playwright test tests/e2e/generated`. Tests whose "
        "preconditions are not met are skipped and say what they need.",
        "maestro": "`maestro test -e BASE_URL=... .maestro/generated`. Flows whose preconditions are not met fail "
        "first and say what they need.",
    }
    lines = [instructions[framework], "", "They were written from the source and have not been run yet.", "", "Cases:"]
    lines += [f"- {case['id']} ({case['priority']}): {case['title']}" for case in written]
    if left_out:
        lines += ["", "Not written:", *(f"- {name}: {reason}" for name, reason in left_out.items())]
    return "\n".join([*lines, "", "Coverage notes:", str(inputs["coverage_notes"])]) + "\n"


def origin_of(inputs: Mapping[str, Any]) -> tuple[str, str]:
    """Return the repository that the cases were made from, or "test cases", and the branch to ask for a merge into."""
    made_from = _MADE_FROM.match(str(inputs["coverage_notes"]))
    if made_from is None:
        return "test cases", "main"
    return made_from["repository"], made_from["ref"] if made_from["ref"] != "worktree" else "main"


def pull_request(inputs: Mapping[str, Any], files: list[JsonObject], title: str, body: str) -> JsonObject:
    """Build the engineer's result: test files and the pull request that brings them."""
    framework = str(inputs["target_framework"])
    return {
        "run_id": inputs["run_id"],
        "framework": framework,
        "files": files,
        "pr_title": title[:256],
        "pr_body": body,
        "base_branch": origin_of(inputs)[1],
        "head_branch": f"testwright/{framework}-{str(inputs['run_id'])[:8]}",
    }
