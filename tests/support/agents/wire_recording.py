"""What may cross the wire to a model, and proof that agents worked one after the other (A-06)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from testwright.agents.llm.prompt import load_prompt
from testwright.config.control import EVIDENCE_ROLES
from testwright.config.models import ROLES
from testwright.tests.support.agents.scripted_openai import Asked, Reply, Usage, raw
from testwright.tests.support.runs.audit_entries import read_attempts

_ASKED = (*(role for role in ROLES if role != "evidence"), *EVIDENCE_ROLES)
"""Names of the instructions; the model of the role `evidence` is asked by the agents of its loop."""
_SENT = {"messages", "model", "temperature", "top_p", "seed", "max_completion_tokens", "response_format", "stream"}


def marked(content: Any, mark: str) -> Reply:
    """A whole answer that says more than its JSON: thoughts, an id, a fingerprint. They must never be seen again."""
    message = {"role": "assistant", "content": f"```json\n{json.dumps(content)}\n```", "reasoning_content": mark}
    body = {
        "id": f"chatcmpl-{mark}",
        "object": "chat.completion",
        "created": 1,
        "model": "scripted",
        "system_fingerprint": mark,
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": Usage().to_dict(),
    }
    return raw(json.dumps(body))


def asked_by(request: Asked) -> str:
    """The role whose instructions a request has, word for word."""
    system = request.body["messages"][0]["content"]
    return next(role for role in _ASKED if load_prompt(role).system == system)


def crossed(requests: Sequence[Asked], marks: Iterable[str]) -> list[str]:
    """What crossed that must not, over all requests of a run; empty when each stands alone.

    A request is one system message, its role's instructions, and one user message; it has no other fields than those
    that decide the answer. No instructions of another role are in it, and none of `marks`.
    """
    found: list[str] = []
    for number, request in enumerate(requests):
        if request.roles != ["system", "user"]:
            found.append(f"request {number} has the messages {request.roles}")
        role, text = asked_by(request), request.text
        found += [f"{role} sends {name}" for name in sorted(set(request.body) - _SENT)]
        for other in _ASKED:
            if other != role and any(line in text for line in _words(other) - _words(role)):
                found.append(f"{role} sees the instructions of {other}")
        found += [f"{role} sees {mark}" for mark in marks if mark in text]
    return found


def _words(role: str) -> set[str]:
    """The long lines of a role's instructions."""
    return {line for line in load_prompt(role).system.splitlines() if len(line) > 60}


def processes_of(audit: Path) -> list[dict[str, Any]]:
    """The processes that answered a run's agents, in the order of the audit log: role, pid, exit_code, began, ended."""
    lines = [attempt for attempt in read_attempts(audit) if "process" in attempt.details]
    return [{"role": line.role, **line.details["process"]} for line in lines]


def overlapping(processes: Sequence[dict[str, Any]]) -> list[tuple[str, str]]:
    """Roles of processes that began before the one before them had ended."""
    ordered = sorted(processes, key=lambda one: one["began"])
    return [(a["role"], b["role"]) for a, b in pairwise(ordered) if b["began"] < a["ended"]]
