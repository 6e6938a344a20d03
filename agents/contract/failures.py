"""Converts exceptions into agent errors, with their kind and whether a retry can help."""

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

# The first matching class decides, so subclasses are listed before their bases.
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


def is_recoverable(error: Exception) -> bool:
    """Whether the same request may succeed when it is made again."""
    return error.recoverable if isinstance(error, ModelFailure) else _kind_of(error)[1]


def _kind_of(error: Exception) -> tuple[ErrorType, bool]:
    return next(
        ((kind, recoverable) for cls, kind, recoverable in _KINDS if isinstance(error, cls)), (ErrorType.UNKNOWN, False)
    )


def error_from(error: Exception, agent: str) -> AgentError:
    """Convert an exception into an agent error.

    `details` has `error` (the class name) and, for an error of this package, its `advice`, `exit_code` and details. A
    ModelFailure carries its own kind; exceptions of libraries are UNKNOWN.
    """
    kind, retry_after = _kind_of(error)[0], None
    if isinstance(error, ModelFailure):
        kind, retry_after = ErrorType(error.kind), error.retry_after
    details: JsonObject = {"error": type(error).__name__}
    if isinstance(error, TestwrightError):
        details = {**error.details, **details, "advice": error.advice, "exit_code": int(error.exit_code)}
    message = str(error) or type(error).__name__
    own = isinstance(error, TestwrightError)
    return AgentError(
        kind,
        message if own else f"{agent} failed: {type(error).__name__}: {message}",
        details,
        is_recoverable(error),
        retry_after,
    )
