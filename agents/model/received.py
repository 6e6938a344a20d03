"""Defines a model's raw answer, as it is stored before it is validated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self

LONGEST_ANSWER = 1_000_000
"""Limit on the characters of an answer; no spec, plan or test file comes near it."""

_KEPT_OF_TOO_LONG = 2_000


@dataclass(frozen=True, slots=True)
class ReceivedAnswer:
    """A raw answer of an endpoint.

    Attributes:
        text: the answer; only the beginning of one that is too long.
        length: characters of the complete answer.
        finish: the endpoint's finish_reason; None without one.
        streamed: whether it was streamed, so that a missing finish means that it is incomplete.
        refusal: the model's own words when it refused, else "".
        tool_calls: names of the tools it called, although none is offered.
        tokens_in, tokens_out, tokens_cached: as counted by the endpoint, or estimated.
        estimated: the token counts are estimates.
        duration_ms: from request to last byte.
    """

    text: str
    length: int
    finish: str | None = "stop"
    streamed: bool = False
    refusal: str = ""
    tool_calls: tuple[str, ...] = ()
    tokens_in: int = 0
    tokens_out: int = 0
    tokens_cached: int = 0
    estimated: bool = False
    duration_ms: float = 0.0

    @property
    def whole(self) -> bool:
        """Whether the answer is complete."""
        return self.finish is not None or not self.streamed

    @property
    def too_long(self) -> bool:
        """Whether it exceeds `LONGEST_ANSWER`."""
        return self.length > LONGEST_ANSWER

    def to_dict(self) -> dict[str, Any]:
        """Convert to a JSON object."""
        return {**asdict(self), "tool_calls": list(self.tool_calls)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Invert `to_dict`."""
        fields: dict[str, Any] = {**data, "tool_calls": tuple(data["tool_calls"])}
        return cls(**fields)


def kept_text(text: str) -> str:
    """Return the text, or its beginning when it is too long to store."""
    return text if len(text) <= LONGEST_ANSWER else text[:_KEPT_OF_TOO_LONG]


def whole_characters(text: str) -> str:
    """Replace lone surrogates by U+FFFD: JSON can carry them, but no file can hold them."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
