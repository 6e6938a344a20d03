"""The error hierarchy and the exit codes.

On the right: the exit code where the class or its parent sets one, else 1; `retried` where the same call may succeed
when it is made again.

    TestwrightError
    ├── UsageError                 the request cannot be carried out                exit 2
    │   ├── SettingsError          a setting has a wrong name, type or value
    │   ├── ProjectError           the root is missing, unreadable or no project
    │   ├── HistoryError           git cannot say what has changed
    │   └── RequestError           nothing in the request was understood
    ├── EnvironmentFault           this machine or the target's environment         exit 3
    │   ├── SandboxUnavailable     no isolation, and --sandbox=weak was not given
    │   ├── InterpreterError       no usable Python for the target
    │   ├── ToolMissing            tests of one kind need a tool that is not there
    │   ├── ApplicationFault       the application under test does not start, or cannot be asked
    │   ├── TargetImportError      the target module does not import
    │   └── TargetRunError         the target's code ends the process of its tests, or hides their results
    ├── StorageError               state that cannot be read or written             exit 4
    │   ├── RunNotFound            there is no run of that id                       exit 2
    │   ├── RunLocked              another process works on the run or the project
    │   ├── StoreCorrupt
    │   ├── StoreFull
    │   ├── StoreUnreachable       the database's server is away, or the connection broke
    │   ├── StoreAccessDenied      a wrong password, or a role that may not
    │   └── StateVersionError      a checkpoint or artifact of another version
    ├── AgentFailure               an agent's answer could not be used
    │   ├── MalformedLlmOutput     not parseable after sanitising; retryable        exit 5
    │   ├── SchemaValidationError  parsed, but against the contract; not retryable
    │   ├── RunTerminated          an agent's flag ended the run                       exit 7
    │   ├── PredicateFailure       a predicate of the user's own raised, or did not answer exit 7
    │   ├── SafetyAgentFailure     the safety agent failed, so that its step was rejected  exit 7
    │   └── ModelFailure           a model's endpoint failed, or answered nothing usable
    │       ├── ModelTimeout           no whole answer in time                   exit 3, retried
    │       ├── ModelUnreachable       no connection, or it broke                exit 3, retried
    │       ├── ModelServerFault       the endpoint says that it failed (5xx)    exit 3, retried
    │       ├── ModelRateLimited       too many requests (429)                   exit 3, retried after its wait
    │       ├── ModelQuotaExhausted    the account may not ask any more                   exit 3
    │       ├── ModelAccessDenied      no key, a wrong one, or one that may not           exit 3
    │       ├── ModelUnknown           the endpoint has no such model                     exit 3
    │       ├── ModelRequestRefused    the endpoint does not take the request
    │       ├── ModelContextOverflow   the prompt is longer than the model reads          exit 5
    │       ├── ModelAnswerBroken      the answer is damaged or ends in the middle exit 5, retried
    │       ├── ModelAnswerEmpty       the answer has no text                    exit 5, retried
    │       ├── ModelToolUnknown       the answer calls a tool that was not offered exit 5, retried
    │       ├── ModelAnswerRefused     the model, or a filter, refuses                    exit 5
    │       ├── ModelAnswerCut         it reached the model's limit (finish_reason length) exit 5
    │       └── ModelAnswerTooLarge    it is larger than any answer may be                exit 5
    ├── BudgetExhausted            the run's ceiling on time, tokens or cost              exit 6
    ├── GitHubFailure              GitHub's API did not do what was asked                 exit 3
    │   ├── GitHubUnreachable      no connection, or it says that it failed (5xx)
    │   ├── GitHubRateLimited      too many requests; `retry_after` says how long to wait
    │   ├── GitHubAccessDenied     no token, a wrong one, or one that may not (401, 403)
    │   ├── GitHubNotFound         there is no such thing, or the token may not see it (404)
    │   └── GitHubConflict         what is there is in the way (409, 422)
    ├── ToolFailure                a tool answered with an error, or not at all
    │   ├── ToolInputError         the arguments do not fit the tool's input schema
    │   ├── ToolTimeout
    │   └── ToolBusy               a server takes no more work at the moment
    └── SandboxFailure             the sandbox itself broke, not the program in it  exit 3

A defect in the tested code is never an error of ours: it is a finding in the report.
"""

from __future__ import annotations

from .exit_code import ExitCode


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


class HistoryError(UsageError):
    """git cannot say what has changed; `details["reason"]` says why.

    It is `no_repository`, `no_commits`, `unknown_ref`, `shallow`, `unrelated`, `ownership` or `failed`.
    """


class RequestError(UsageError):
    """The request names nothing that was understood."""


class EnvironmentFault(TestwrightError):
    """This machine, or the target's environment, lacks something."""

    exit_code = ExitCode.ENVIRONMENT


class SandboxUnavailable(EnvironmentFault):
    """There is no isolation here, and the weak sandbox was not asked for."""


class InterpreterError(EnvironmentFault):
    """No usable Python interpreter for the target was found."""


class ToolMissing(EnvironmentFault):
    """Tests of one kind need a tool that is not there: a browser, Node, Locust. Tests of other kinds do not."""


class ApplicationFault(EnvironmentFault):
    """The application under test does not start, or cannot be asked; it is no matter of other targets."""


class TargetImportError(EnvironmentFault):
    """The target module does not import in its own interpreter."""


class TargetRunError(EnvironmentFault):
    """A module ended the process of its tests, or left no results that can be read; it is no matter of others."""


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


class StoreUnreachable(StorageError):
    """The database's server does not answer, or the connection broke; the message says whether anything was stored."""


class StoreAccessDenied(StorageError):
    """The database refuses the user or the password, or the role may not do this."""


class StateVersionError(StorageError):
    """A checkpoint or artifact was written by another version."""


class AgentFailure(TestwrightError):
    """An agent's answer could not be used."""


class MalformedLlmOutput(AgentFailure):
    """The answer does not parse as JSON after sanitising; retryable."""

    exit_code = ExitCode.NOTHING_KEPT


class SchemaValidationError(AgentFailure):
    """The answer parses but breaks its contract; not retryable."""


class RunTerminated(AgentFailure):
    """An agent ended the run by its flag `terminatePipeline`, for the reason it gave."""

    exit_code = ExitCode.PARTIAL


class PredicateFailure(AgentFailure):
    """A predicate of the user's own, which would reveal a step in reserve, raised or did not answer in time."""

    exit_code = ExitCode.PARTIAL


class SafetyAgentFailure(AgentFailure):
    """The safety agent failed, or its model did, so that the step that it was asked about was rejected."""

    exit_code = ExitCode.PARTIAL


class ModelFailure(AgentFailure):
    """A model's endpoint failed, or its answer cannot be used.

    Args:
        retry_after: seconds that the endpoint asks to wait; None when it says nothing.

    Attributes:
        kind: the agent error's type it becomes (`agents.contract.protocol.ErrorType`).
        recoverable: whether the same question may be answered when asked again.
    """

    kind: str = "execution"
    recoverable: bool = False

    def __init__(
        self,
        message: str,
        *,
        advice: str = "",
        details: dict[str, object] | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message, advice=advice, details=details)
        self.retry_after = retry_after


class ModelTimeout(ModelFailure):
    """No whole answer came in time."""

    kind = "timeout"
    recoverable = True
    exit_code = ExitCode.ENVIRONMENT


class ModelUnreachable(ModelFailure):
    """There is no connection to the endpoint, or it broke."""

    kind = "network"
    recoverable = True
    exit_code = ExitCode.ENVIRONMENT


class ModelServerFault(ModelFailure):
    """The endpoint says that it failed itself (5xx)."""

    kind = "network"
    recoverable = True
    exit_code = ExitCode.ENVIRONMENT


class ModelRateLimited(ModelFailure):
    """Too many requests (429); `retry_after` is what the endpoint asks for."""

    kind = "resource"
    recoverable = True
    exit_code = ExitCode.ENVIRONMENT


class ModelQuotaExhausted(ModelFailure):
    """The account may not ask any more: waiting does not help."""

    kind = "resource"
    exit_code = ExitCode.ENVIRONMENT


class ModelAccessDenied(ModelFailure):
    """The key is missing, wrong, or not allowed to use the model."""

    kind = "permission"
    exit_code = ExitCode.ENVIRONMENT


class ModelUnknown(ModelFailure):
    """The endpoint does not have the model, or is no such endpoint."""

    kind = "validation"
    exit_code = ExitCode.ENVIRONMENT


class ModelRequestRefused(ModelFailure):
    """The endpoint does not take the request as it is."""

    kind = "validation"


class ModelContextOverflow(ModelFailure):
    """The prompt is longer than what the model can read."""

    kind = "validation"
    exit_code = ExitCode.NOTHING_KEPT


class ModelAnswerBroken(ModelFailure):
    """The answer is damaged, is not of the expected form, or ends in the middle."""

    kind = "network"
    recoverable = True
    exit_code = ExitCode.NOTHING_KEPT


class ModelAnswerEmpty(ModelFailure):
    """The answer has no text."""

    recoverable = True
    exit_code = ExitCode.NOTHING_KEPT


class ModelToolUnknown(ModelFailure):
    """The answer calls a tool that was not offered; it is never executed."""

    recoverable = True
    exit_code = ExitCode.NOTHING_KEPT


class ModelAnswerRefused(ModelFailure):
    """The model, or its provider's filter, refuses to answer."""

    exit_code = ExitCode.NOTHING_KEPT


class ModelAnswerCut(ModelFailure):
    """The answer reached the model's limit before its end; the same question would be cut again."""

    exit_code = ExitCode.NOTHING_KEPT


class ModelAnswerTooLarge(ModelFailure):
    """The answer is larger than any answer may be."""

    kind = "resource"
    exit_code = ExitCode.NOTHING_KEPT


class BudgetExhausted(TestwrightError):
    """A ceiling of the run on time, tokens or cost is reached; what was accepted stays."""

    exit_code = ExitCode.BUDGET


class GitHubFailure(TestwrightError):
    """GitHub's API did not do what was asked; what was done until then is found again by the next call."""

    exit_code = ExitCode.ENVIRONMENT


class GitHubUnreachable(GitHubFailure):
    """There is no connection to GitHub, or GitHub says that it failed itself (5xx)."""


class GitHubRateLimited(GitHubFailure):
    """GitHub takes no more requests for a while; `details["retry_after"]` has the seconds."""


class GitHubAccessDenied(GitHubFailure):
    """There is no token, it is wrong, or it may not do this."""


class GitHubNotFound(GitHubFailure):
    """There is no such repository, branch or file, or the token may not see it."""


class GitHubConflict(GitHubFailure):
    """Something that is there is in the way: a branch of that name, a branch that moved, a refused field."""


class ToolFailure(TestwrightError):
    """A tool answered with an error, or did not answer."""


class ToolInputError(ToolFailure):
    """The arguments do not fit the tool's input schema."""


class ToolTimeout(ToolFailure):
    """A tool did not answer in time."""


class ToolBusy(ToolFailure):
    """A server takes no more work at the moment; `details["retry_after_seconds"]` says when to call again."""


class SandboxFailure(TestwrightError):
    """The sandbox itself broke, not the program in it."""

    exit_code = ExitCode.ENVIRONMENT
