"""Data types of a build: its steps, their results and errors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

Kind = Literal["configured", "python", "types", "node", "make"]
Status = Literal["passed", "failed", "timed_out", "unavailable", "skipped"]
Severity = Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class BuildStep:
    """One program that shows whether the project builds.

    Attributes:
        kind: `python` compiles every module, `types` is a type checker in the target's interpreter.
        command: for people.
        detected_from: the file, and the place in it, that declares the step.
        python: arguments for the target's interpreter, when that runs it.
        program: another program by name, and its arguments.
        stdin: what the program reads.
        missing: why it cannot run, when that is known before.
        advice: what to do about that.
    """

    kind: Kind
    command: str
    detected_from: str
    python: tuple[str, ...] = ()
    program: tuple[str, ...] = ()
    stdin: bytes = b""
    missing: str = ""
    advice: str = ""


@dataclass(frozen=True, slots=True)
class BuildError:
    """One error; `path` is relative to the project if it lies inside, `line` and `column` count from 1."""

    path: str
    line: int | None
    column: int | None
    code: str
    message: str
    severity: Severity = "error"

    def to_dict(self) -> dict[str, Any]:
        """The error in the form of the tool's answer."""
        return {
            "path": self.path,
            "line": self.line,
            "column": self.column,
            "code": self.code,
            "message": self.message,
            "severity": self.severity,
        }


@dataclass(frozen=True, slots=True)
class StepResult:
    """The result of a step.

    Attributes:
        exit_code: None when it did not run; negative for a signal.
        seconds: wall time.
        output: what it wrote, paths relative to the project.
        reason: why it is not `passed`, in words.
    """

    step: BuildStep
    status: Status
    exit_code: int | None = None
    seconds: float = 0.0
    output: str = ""
    reason: str = ""
    advice: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The step in the form of the tool's answer."""
        return {
            "kind": self.step.kind,
            "command": self.step.command,
            "detected_from": self.step.detected_from,
            "status": self.status,
            "exit_code": self.exit_code,
            "duration_seconds": round(self.seconds, 3),
            "reason": self.reason,
            "advice": self.advice,
        }
