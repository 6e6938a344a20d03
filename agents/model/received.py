"""A model's answer as the endpoint gave it, before anybody judges it; stored in this form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self

LONGEST_ANSWER = 1_000_000
"""Characters of an answer; no spec, plan or test file comes near it."""

_KEPT_OF_TOO_LONG = 2_000


@dataclass(frozen=True, slots=True)
class ReceivedAnswer:
    """An answer that arrived.

    Attributes:
        text: the answer; of one that is too long only the beginning.
        length: characters of the whole answer.
        finish: the endpoint's finish_reason; None where it gave none.
        streamed: whether it came as a stream, so that a missing finish means that it was torn off.
        refusal: the model's own words when it refused, else "".
        tool_calls: names of the tools it called; none is ever offered.
        tokens_in, tokens_out, tokens_cached: as counted by the endpoint, or estimated.
        estimated: the endpoint did not count.
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
        """Whether the answer was received to its end."""
        return self.finish is not None or not self.streamed

    @property
    def too_long(self) -> bool:
        """Whether it is longer than any answer may be."""
        return self.length > LONGEST_ANSWER

    def to_dict(self) -> dict[str, Any]:
        """The answer as JSON."""
        return {**asdict(self), "tool_calls": list(self.tool_calls)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The inverse of `to_dict`."""
        return cls(**{**data, "tool_calls": tuple(data["tool_calls"])})


def kept_text(text: str) -> str:
    """The text, or its beginning when it is too long to be kept."""
    return text if len(text) <= LONGEST_ANSWER else text[:_KEPT_OF_TOO_LONG]


def whole_characters(text: str) -> str:
    """The text with U+FFFD for halves of characters (lone surrogates), which JSON can carry and no file can hold."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
