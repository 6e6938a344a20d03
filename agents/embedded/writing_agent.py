"""The writer without a model: renders a spec as a test file and its helpers, deterministically."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from ...engine.python.write.repair import case_ranges, offending_cases, without_cases
from ...engine.rendering import render_files, unrenderable_cases
from ..contract.lifecycle import Agent
from ..contract.protocol import AgentRequest, AgentResponse, JsonObject, refusal, success_response

_NOT_PYTHON = ("jest", "playwright", "maestro")


class EmbeddedWritingAgent(Agent):
    """Writes the test file of a spec and its helpers.

    Inputs: `spec`, `framework`, `test_path`, to refine also `previous_files` and `errors`, plain or in a hydration
    envelope. Result: `files`, each with `path` and `contents`, the test file first. A case that cannot be rendered, or
    that the errors are about, is left out completely: the response's metadata lists it under `not_written` (case_id,
    reason), and so does the trace.

    Args: as of `Agent`.
    """

    role = "writer"

    async def _work(self, request: AgentRequest) -> AgentResponse:
        return await asyncio.to_thread(_write, request.consumer_inputs())


def _write(inputs: Mapping[str, Any]) -> AgentResponse:
    spec, test_path = inputs["spec"], str(inputs["test_path"])
    framework = str(inputs.get("framework") or spec.get("framework") or "pytest")
    left_out = unrenderable_cases(spec, framework, test_path)
    previous = _previous_text(inputs, test_path)
    # Which test of a script an error is about is not read from its file: the same spec is rendered again.
    if previous is not None and framework not in _NOT_PYTHON:
        left_out |= _refused(inputs, framework, previous, left_out)
    kept = without_cases(spec, left_out)
    not_written = [{"case_id": name, "reason": reason} for name, reason in left_out.items()]
    trace: list[JsonObject] = [{"event": "case_left_out", **row} for row in not_written]
    metadata: JsonObject = {"not_written": not_written}
    if not kept["cases"]:
        message = f"the spec leaves no case to write to {test_path}"
        return refusal(message, not_written=not_written, trace=trace, metadata=metadata)
    files = [{"path": file.path, "contents": file.contents} for file in render_files(kept, framework, test_path)]
    trace.append({"event": "rendered", "path": test_path, "cases": len(kept["cases"])})
    return success_response({"files": files}, trace=trace, metadata=metadata)


def _previous_text(inputs: Mapping[str, Any], test_path: str) -> str | None:
    files = inputs.get("previous_files") or ()
    same = [file for file in files if file.get("path") == test_path] or list(files[:1])
    return str(same[0]["contents"]) if same else None


def _refused(inputs: Mapping[str, Any], framework: str, previous: str, left_out: Mapping[str, str]) -> dict[str, str]:
    """Select the cases to leave out: those that an earlier attempt left out, and those that the errors are about.

    Where the previous file differs from the rendering of its cases (someone edited it), rendering is the repair.
    """
    spec, test_path = inputs["spec"], str(inputs["test_path"])
    ids = [str(case.get("id")) for case in spec.get("cases", ())]
    written = {name for found in case_ranges(previous, set(ids)) for name in found.case_ids}
    missing = [name for name in ids if written and name not in written and name not in left_out]
    earlier = dict.fromkeys(missing, "an earlier attempt left it out")
    kept = without_cases(spec, {*left_out, *earlier})
    if not kept["cases"] or render_files(kept, framework, test_path)[0].contents != previous:
        return earlier
    return earlier | offending_cases(previous, inputs.get("errors") or (), set(ids))
