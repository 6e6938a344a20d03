"""What a model is told beside its task: past turns in short, what is known about the project, the answer wanted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from ..contract.protocol import AgentRequest
from .prompt import data

_BRIEFING: ContextVar[str] = ContextVar("testwright_briefing", default="")
_LONGEST = 6000


@contextmanager
def briefing_of(request: object) -> Iterator[None]:
    """Put what a request tells beside its task in front of the messages that are sent in the block."""
    token = _BRIEFING.set(_text(request) if isinstance(request, AgentRequest) else "")
    try:
        yield
    finally:
        _BRIEFING.reset(token)


def briefed(user: str) -> str:
    """The message with the briefing of the current request at its top; as it is where there is none."""
    briefing = _BRIEFING.get()
    return f"{briefing}\n\n{user}" if briefing else user


def _text(request: AgentRequest) -> str:
    context = request.context if isinstance(request.context, Mapping) else {}
    parts = []
    if isinstance(context.get("summary"), str):
        parts.append(f"What happened in this run so far:\n{data('summary', context['summary'][:_LONGEST])}")
    known = _known(context.get("lore"))
    if known:
        parts.append(f"What earlier runs learned about this project:\n{data('lore', known[:_LONGEST])}")
    if isinstance(request.expected_output, str) and request.expected_output.strip():
        parts.append(f"What a good answer looks like:\n{data('expected_output', request.expected_output[:_LONGEST])}")
    return "\n\n".join(parts)


def _known(lore: Any) -> str:
    rows = lore if isinstance(lore, list) else []
    return "\n".join(f"{row.get('key')}: {row.get('value')}" for row in rows if isinstance(row, Mapping))
