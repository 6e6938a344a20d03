"""Specifies tests without a model: an agent with one generator for each test type, and the same refinement for all.

The same project and request give the same spec. A refinement repairs what the validation reported. A run may start its
first spec early, while the rest of the run is still being opened.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from ....core.errors import TestwrightError
from ....engine.python.write.repair import repair_spec
from ...contract.lifecycle import Agent, AgentContract
from ...contract.protocol import AgentRequest, AgentResponse, JsonObject, refusal, success_response

_DECISIVE_INPUTS = ("target", "test_type", "framework", "user_request")
"""Inputs that decide whether a request is for the prefetched spec."""


@dataclass(frozen=True, slots=True)
class SpecResult:
    """A spec with metadata and trace for the agent's response.

    Attributes:
        spec: for the schema of its test type; without cases only where `suspected_defects` or `not_reached` say why.
        metadata: plain data for the agent's response.
        trace: events for the response's trace.
    """

    spec: JsonObject
    metadata: JsonObject = field(default_factory=dict)
    trace: list[JsonObject] = field(default_factory=list)


class SpecGenerator(Protocol):
    """Generates first specs of one test type."""

    async def generate(self, inputs: Mapping[str, Any], *, seconds: float | None = None) -> SpecResult:
        """Generate the spec for one target.

        Args:
            inputs: as in the spec agent's input contract: `target`, `framework`, `user_request`, …
            seconds: approximate time limit; a spec that takes longer ends with what was found. None for no limit.

        Raises:
            TestwrightError: the target cannot be read, started or explored; it becomes the agent's typed error.
        """
        ...


class ExampleAdder(Protocol):
    """Adds what documents and tests show to a spec of unit tests."""

    async def added(
        self, spec: Mapping[str, Any], examples: Sequence[Mapping[str, Any]]
    ) -> tuple[JsonObject, list[str], dict[str, str]]:
        """Return the spec with the examples, notes, and the new ids of cases by their former ones.

        Raises:
            TestwrightError: the module cannot be explored.
        """
        ...


class PrefetchedSpec:
    """One spec that was started before the graph requests it. Whoever makes it calls `close`."""

    def __init__(self) -> None:
        self._expected: dict[str, Any] | None = None
        self._task: asyncio.Task[SpecResult] | None = None

    def begin(self, generator: SpecGenerator, inputs: Mapping[str, Any]) -> None:
        """Start the spec for these inputs; a second call does nothing."""
        if self._task is None:
            self._expected = _decisive(inputs)
            self._task = asyncio.ensure_future(generator.generate(inputs))

    def take(self, inputs: Mapping[str, Any]) -> asyncio.Task[SpecResult] | None:
        """Return the started spec, once, if it is for these inputs; awaiting it raises the error it ended in."""
        if self._task is None or self._expected != _decisive(inputs):
            return None
        self._expected = None  # a repeated request is a refinement or a retry, which needs a new spec
        return self._task

    async def close(self) -> None:
        """Cancel the spec if it was not requested."""
        if self._task is None:
            return
        self._task.cancel()
        await asyncio.wait((self._task,))
        if not self._task.cancelled():
            # Retrieve the exception so that asyncio does not warn; a caller that awaited the task has it already.
            self._task.exception()


def _decisive(inputs: Mapping[str, Any]) -> dict[str, Any]:
    return {name: inputs.get(name) for name in _DECISIVE_INPUTS}


class EmbeddedSpecAgent(Agent):
    """Specifies the tests of one target.

    Inputs: `target`, `test_type` (unit when it is missing), `framework`, `user_request`; to refine also `previous_spec`
    and `errors`. Result: `spec`. The response's metadata comes from the generator of the test type, and after a
    refinement `dropped` (case_id, reason) and `changes`. The constraint `seconds` is how long a first spec may take.

    Args:
        generators: generate first specs, by test type; other types are refused with a typed error.
        shown: adds the `examples` of the input `evidence` to unit specs; None leaves them out.
        prefetched: a spec that was started early, which answers an equal request without a time limit; None for none.
        contract: the schemas to check.
    """

    role = "spec"

    def __init__(
        self,
        generators: Mapping[str, SpecGenerator],
        *,
        shown: ExampleAdder | None = None,
        prefetched: PrefetchedSpec | None = None,
        contract: AgentContract | None = None,
    ) -> None:
        super().__init__(contract=contract)
        self._generators = dict(generators)
        self._shown = shown
        self._prefetched = prefetched

    async def _work(self, request: AgentRequest) -> AgentResponse:
        inputs = request.consumer_inputs()
        test_type = str(inputs.get("test_type") or "unit")
        generator = self._generators.get(test_type)
        if generator is None:
            known = ", ".join(self._generators)
            return refusal(f"the embedded spec agent specifies {known} tests, not {test_type} tests")
        previous = inputs.get("previous_spec")
        if isinstance(previous, Mapping) and inputs.get("errors"):
            return await asyncio.to_thread(_refined, previous, inputs["errors"])
        seconds = (request.constraints or {}).get("seconds")
        # The prefetched spec was started without a time limit, so it cannot answer a request that has one.
        started = self._prefetched.take(inputs) if self._prefetched is not None and seconds is None else None
        generated = await (started or generator.generate(inputs, seconds=seconds))
        if test_type == "unit":
            generated = await self._with_examples(generated, inputs)
        return success_response({"spec": generated.spec}, trace=generated.trace, metadata=generated.metadata)

    async def _with_examples(self, generated: SpecResult, inputs: Mapping[str, Any]) -> SpecResult:
        """The spec with what documents and tests show; as it is where they show nothing that can be tried."""
        examples = (inputs.get("evidence") or {}).get("examples") or ()
        if self._shown is None or not examples:
            return generated
        try:
            spec, notes, renamed = await self._shown.added(generated.spec, examples)
        except TestwrightError as error:
            spec, notes, renamed = generated.spec, [f"the examples of documents were not tried: {error.message}"], {}
        metadata: JsonObject = {**generated.metadata, "notes": [*(generated.metadata.get("notes") or ()), *notes]}
        if found := metadata.get("notices"):
            metadata["notices"] = {renamed.get(case_id, case_id): numbers for case_id, numbers in found.items()}
        return replace(generated, spec=spec, metadata=metadata)


def _refined(previous: Mapping[str, Any], errors: Any) -> AgentResponse:
    repair = repair_spec(previous, errors)
    dropped = [{"case_id": name, "reason": reason} for name, reason in repair.dropped.items()]
    trace: list[JsonObject] = [{"event": "case_dropped", **row} for row in dropped]
    trace += [{"event": "mended", "change": change} for change in repair.changes]
    metadata: JsonObject = {"dropped": dropped, "changes": repair.changes}
    if not dropped and not repair.changes:
        return refusal("none of the errors could be mended without weakening a case", metadata=metadata)
    return success_response({"spec": repair.spec}, trace=trace, metadata=metadata)
