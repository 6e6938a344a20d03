"""Exceptions as agent errors: which kind each is, and whether asking again can help."""

from __future__ import annotations

from ...core.errors import (
    EnvironmentFault,
    MalformedLlmOutput,
    ModelFailure,
    SandboxFailure,
    SchemaValidationError,
    StorageError,
    TestwrightError,
    ToolTimeout,
    UsageError,
)
from .protocol import AgentError, ErrorType, JsonObject

# The first class that fits decides: subclasses stand before their bases.
_KINDS: tuple[tuple[type[Exception], ErrorType, bool], ...] = (
    (MalformedLlmOutput, ErrorType.EXECUTION, True),
    (SchemaValidationError, ErrorType.VALIDATION, False),
    (ToolTimeout, ErrorType.TIMEOUT, True),
    (UsageError, ErrorType.VALIDATION, False),
    (EnvironmentFault, ErrorType.RESOURCE, False),
    (SandboxFailure, ErrorType.RESOURCE, False),
    (StorageError, ErrorType.RESOURCE, False),
    (TestwrightError, ErrorType.EXECUTION, False),
    (TimeoutError, ErrorType.TIMEOUT, True),
    (ConnectionError, ErrorType.NETWORK, True),
    (PermissionError, ErrorType.PERMISSION, False),
    (OSError, ErrorType.RESOURCE, False),
    (MemoryError, ErrorType.RESOURCE, False),
)


def error_from(error: Exception, agent: str) -> AgentError:
    """The agent error that stands for an exception.

    `details` holds `error` (the class name) and, for an error of ours, its `advice`, `exit_code` and own details.
    A model's failures say themselves what they are; a library's own exceptions are UNKNOWN here.
    """
    kind, recoverable = next(
        ((kind, again) for cls, kind, again in _KINDS if isinstance(error, cls)), (ErrorType.UNKNOWN, False)
    )
    retry_after = None
    if isinstance(error, ModelFailure):
        kind, recoverable, retry_after = ErrorType(error.kind), error.recoverable, error.retry_after
    details: JsonObject = {"error": type(error).__name__}
    if isinstance(error, TestwrightError):
        details = {**error.details, **details, "advice": error.advice, "exit_code": int(error.exit_code)}
    message = str(error) or type(error).__name__
    own = isinstance(error, TestwrightError)
    return AgentError(
        kind,
        message if own else f"{agent} failed: {type(error).__name__}: {message}",
        details,
        recoverable,
        retry_after,
    )
