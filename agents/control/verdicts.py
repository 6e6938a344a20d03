"""Reads the verdicts of judge and safety agents: the first leniently, the second strictly."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from ..contract.protocol import AgentResponse
from .flags import FlagCheckResult


@dataclass(frozen=True, slots=True)
class JudgeVerdict:
    """Whether a run is complete.

    Attributes:
        is_complete: `isComplete`; nothing more is to be made.
        should_terminate: `shouldTerminate`; end the run at once.
        reason: in words.
    """

    is_complete: bool = False
    should_terminate: bool = False
    reason: str = ""


def answer_text(response: AgentResponse) -> str:
    """The text of a response: a result that is text as it is, any other as JSON; "" where there is none."""
    if response.result is None:
        return ""
    return response.result if isinstance(response.result, str) else json.dumps(response.result, default=str)


def parse_judge_verdict(text: str) -> JudgeVerdict:
    """Read a judge's answer leniently: a field that is missing or no boolean is False, as is all that is no JSON."""
    found = _object(text) or {}
    return JudgeVerdict(
        is_complete=found.get("isComplete") is True,
        should_terminate=found.get("shouldTerminate") is True,
        reason=found["reason"] if isinstance(found.get("reason"), str) else "",
    )


def parse_path_safety_verdict(text: str) -> bool | None:
    """Read `safe` of a safety agent's answer strictly: only a JSON boolean counts; None for anything else.

    The text is trimmed and otherwise read as it is: a Markdown fence around it is no JSON.
    """
    found = _object(text)
    safe = found.get("safe") if found is not None else None
    return safe if isinstance(safe, bool) else None


def is_safe(response: AgentResponse, flags: FlagCheckResult, *, json_contract: bool = True) -> bool:
    """Whether a safety agent approves a step.

    Its flags come first: terminate rejects, pass approves. Then its answer, where `json_contract` says to read it. What
    says neither rejects, as does every answer that is not whole.
    """
    if flags.should_halt or not response.is_success():
        return False
    if flags.should_pass:
        return True
    return json_contract and parse_path_safety_verdict(answer_text(response)) is True


def reason_of(response: AgentResponse) -> str:
    """The `reason` of a verdict, or the error's message; "" where there is none."""
    if response.error is not None:
        return response.error.message
    found = _object(answer_text(response)) or {}
    return found["reason"] if isinstance(found.get("reason"), str) else ""


def _object(text: str) -> dict[str, Any] | None:
    try:
        found = json.loads(text.strip())
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
