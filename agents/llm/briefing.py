"""What a model is told beside its task: past turns in short, what is known about the project, the answer wanted.

Only who plans reads of past turns: between the other agents nothing passes but the artifact that one hands to the next.
An agent whose message is that artifact in its envelope is told nothing beside it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from ..contract.protocol import AgentRequest
from .prompt import data

_BRIEFING: ContextVar[str] = ContextVar("testwright_briefing", default="")
_LONGEST = 6000
_PARTS: Mapping[str, tuple[str, ...]] = {
    "planner": ("summary", "lore", "expected_output"),
    "spec": ("lore", "expected_output"),
    "writer": (),
    "crawler": (),
    "case": (),
    "engineer": (),
}
_PARTS_OF_OTHERS = ("expected_output",)


@contextmanager
def briefing_of(request: object, role: str) -> Iterator[None]:
    """Put what a request tells a role beside its task in front of the messages that are sent in the block."""
    parts = _PARTS.get(role, _PARTS_OF_OTHERS)
    token = _BRIEFING.set(_text(request, parts) if isinstance(request, AgentRequest) else "")
    try:
        yield
    finally:
        _BRIEFING.reset(token)


def briefed(user: str) -> str:
    """The message with the briefing of the current request at its top; as it is where there is none."""
    briefing = _BRIEFING.get()
    return f"{briefing}\n\n{user}" if briefing else user


def _text(request: AgentRequest, parts: Collection[str]) -> str:
    context = request.context if isinstance(request.context, Mapping) else {}
    rows = (
        ("summary", "What happened in this run so far", context.get("summary")),
        ("lore", "What earlier runs learned about this project", _known(context.get("lore"))),
        ("expected_output", "What a good answer looks like", request.expected_output),
    )
    return "\n\n".join(
        f"{head}:\n{data(name, text[:_LONGEST])}"
        for name, head, text in rows
        if name in parts and isinstance(text, str) and text.strip()
    )


def _known(lore: Any) -> str:
    rows = lore if isinstance(lore, list) else []
    return "\n".join(f"{row.get('key')}: {row.get('value')}" for row in rows if isinstance(row, Mapping))
