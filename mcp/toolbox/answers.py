"""What a tool of the toolbox answered, as plain data or as the error it was."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from mcp.types import CallToolResult, TextContent

from ...core import errors
from ...core.errors import EnvironmentFault, SandboxFailure, StorageError, ToolFailure

_OWN_ERRORS = (EnvironmentFault, StorageError, SandboxFailure)


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call as the report tells it.

    Attributes:
        seconds: wall time.
        cached: another call of this run had the answer.
        kept: an earlier run had it. What agents hand over counts `cached` alone: it must not depend on earlier runs.
    """

    tool: str
    served_by: str
    seconds: float
    outcome: Literal["ok", "failed", "refused", "timed_out"]
    cached: bool = False
    kept: bool = False


def structured(tool: str, result: CallToolResult) -> dict[str, Any]:
    """The structured answer.

    Raises:
        ToolFailure: there is none, or the tool says that it failed.
        EnvironmentFault, StorageError, SandboxFailure: the tool met one.
    """
    if result.is_error:
        raise _told_error(tool, result)
    answer = result.structured_content
    if isinstance(answer, dict):
        return answer
    raise ToolFailure(f"{tool} gave no structured answer", details={"tool": tool, "text": _text(result)})


def _told_error(tool: str, result: CallToolResult) -> errors.TestwrightError:
    told = result.structured_content.get("error") if isinstance(result.structured_content, dict) else None
    if not isinstance(told, dict):
        return ToolFailure(f"{tool} failed: {_text(result)}", details={"tool": tool})
    kind = getattr(errors, str(told.get("type")), ToolFailure)
    details = {**told.get("details", {}), "tool": tool, "error_type": told.get("type")}
    known = isinstance(kind, type) and issubclass(kind, (*_OWN_ERRORS, ToolFailure))
    return (kind if known else ToolFailure)(told["message"], advice=told.get("advice", ""), details=details)


def _text(result: CallToolResult) -> str:
    return "\n".join(block.text for block in result.content if isinstance(block, TextContent))
