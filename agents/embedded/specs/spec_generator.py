"""Defines what generates the specs of one test type without a model; the embedded spec agent selects one by type."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from ...contract.protocol import JsonObject


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
