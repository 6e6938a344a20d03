"""The error hierarchy and the exit codes.

    TestwrightError
    ├── UsageError                 what was asked cannot be done as asked           exit 2
    │   ├── SettingsError          a setting has a wrong name, type or value
    │   ├── ProjectError           the root is missing, unreadable or no project
    │   └── RequestError           nothing in the request was understood
    ├── EnvironmentFault           this machine or the target's environment         exit 3
    │   ├── SandboxUnavailable     no isolation, and --sandbox=weak was not said
    │   ├── InterpreterError       no usable Python for the target
    │   └── TargetImportError      the target module does not import
    ├── StorageError               state that cannot be read or written             exit 4
    │   ├── RunNotFound
    │   ├── RunLocked              another process works on the run or the project
    │   ├── StoreCorrupt
    │   ├── StoreFull
    │   └── StateVersionError      a checkpoint or artifact of another version
    ├── AgentFailure               an agent's answer could not be used
    │   ├── MalformedLlmOutput     not parseable after sanitising; retryable (A-03)
    │   └── SchemaValidationError  parsed, but against the contract; not retryable (A-03)
    ├── ToolFailure                a tool answered with an error, or not at all
    │   ├── ToolInputError         the arguments do not fit the tool's input schema
    │   └── ToolTimeout
    └── SandboxFailure             the sandbox itself broke, not the program in it

A defect in the tested code is never an error of ours: it is a finding in the report.
"""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """The command line's exit codes (B-07); `docs/exit-codes.md` is the documented table."""

    OK = 0
    INTERNAL = 1
    USAGE = 2
    ENVIRONMENT = 3
    STORAGE = 4
    NOTHING_KEPT = 5
    BUDGET = 6
    PARTIAL = 7
    PRODUCT_DEFECT = 8
    TEST_DEFECT = 9
    FLAKY = 10
    TIMEOUT = 11
    INTERRUPTED = 130


class TestwrightError(Exception):
    """Base of every error this package raises on purpose.

    Args:
        message: what happened and where, one sentence.
        advice: what the reader can do about it; empty when there is nothing to do.
        details: plain JSON values for machine readers; never a secret.
    """

    __test__ = False
    exit_code: ExitCode = ExitCode.INTERNAL

    def __init__(self, message: str, *, advice: str = "", details: dict[str, object] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.advice = advice
        self.details = details or {}


class UsageError(TestwrightError):
    """What was asked cannot be done as asked."""

    exit_code = ExitCode.USAGE


class SettingsError(UsageError):
    """A setting has an unknown name, a wrong type or an impossible value."""


class ProjectError(UsageError):
    """The project root is missing, unreadable or holds nothing to test."""


class RequestError(UsageError):
    """The request names nothing that was understood."""


class EnvironmentFault(TestwrightError):
    """This machine, or the target's environment, lacks something."""

    exit_code = ExitCode.ENVIRONMENT


class SandboxUnavailable(EnvironmentFault):
    """There is no isolation here, and the weak sandbox was not asked for."""


class InterpreterError(EnvironmentFault):
    """No usable Python interpreter for the target was found."""


class TargetImportError(EnvironmentFault):
    """The target module does not import in its own interpreter."""


class StorageError(TestwrightError):
    """State could not be read or written."""

    exit_code = ExitCode.STORAGE


class RunNotFound(StorageError):
    """No run of that id is stored."""

    exit_code = ExitCode.USAGE


class RunLocked(StorageError):
    """Another process is working on this run or project."""


class StoreCorrupt(StorageError):
    """The run database or a file of a run does not read."""


class StoreFull(StorageError):
    """There is no space left for the run's files."""


class StateVersionError(StorageError):
    """A checkpoint or artifact was written by another version."""


class AgentFailure(TestwrightError):
    """An agent's answer could not be used."""


class MalformedLlmOutput(AgentFailure):
    """The answer does not parse as JSON after sanitising; retryable (A-03)."""


class SchemaValidationError(AgentFailure):
    """The answer parses but breaks its contract; not retryable (A-03)."""


class ToolFailure(TestwrightError):
    """A tool answered with an error, or did not answer."""


class ToolInputError(ToolFailure):
    """The arguments do not fit the tool's input schema."""


class ToolTimeout(ToolFailure):
    """A tool did not answer in time."""


class SandboxFailure(TestwrightError):
    """The sandbox itself broke, not the program in it."""

    exit_code = ExitCode.ENVIRONMENT
