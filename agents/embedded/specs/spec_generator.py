"""What writes the specs of one test type without a model; the embedded spec agent asks the one its target needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from ...contract.protocol import JsonObject


@dataclass(frozen=True, slots=True)
class Specified:
    """A spec and what is told beside it.

    Attributes:
        spec: for the schema of its test type; without cases only where `suspected_defects` or `not_reached` say why.
        metadata: plain data for the agent's response.
        trace: events for the response's trace.
    """

    spec: JsonObject
    metadata: JsonObject = field(default_factory=dict)
    trace: list[JsonObject] = field(default_factory=list)


class Specifier(Protocol):
    """Writes first specs of one test type."""

    async def specify(self, inputs: Mapping[str, Any], *, seconds: float | None = None) -> Specified:
        """The spec for one target.

        Args:
            inputs: as in the spec agent's input contract: `target`, `framework`, `user_request`, …
            seconds: about how long it may take (B-08); what takes longer ends with what it has. None for no limit.

        Raises:
            TestwrightError: the target cannot be read, started or explored; it becomes the agent's typed error.
        """
        ...
