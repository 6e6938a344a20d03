"""Runs of a program as plain data: their input, conditions and results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...python.model.model import Arc


@dataclass(frozen=True, slots=True)
class RunConditions:
    """The environment of a run; `shift`: seconds that the clock is ahead."""

    hash_seed: int = 0
    zone: str = "UTC"
    shift: int = 0
    traced: bool = False


DEFAULT_CONDITIONS = RunConditions(hash_seed=1)


@dataclass(frozen=True, slots=True)
class ProgramRun:
    """Commands of one program that run one after the other in one folder.

    Attributes:
        files: names and texts of the files in the folder before the first command.
        commands: arguments of each command; the last one is under test.
        words: subcommand of the last one, empty for a program without.
    """

    files: tuple[tuple[str, str], ...]
    commands: tuple[tuple[str, ...], ...]
    words: tuple[str, ...] = ()

    @property
    def cost(self) -> float:
        """Reading cost: roughly the characters of the files and commands."""
        texts = sum(len(text) / 4 + 15 for _, text in self.files)
        return texts + sum(30 + sum(len(one) + 2 for one in command) for command in self.commands)


@dataclass(frozen=True, slots=True)
class CommandResult:
    """The exit code and output of one command; an output is None where it is binary or too long."""

    code: int
    out: str | None
    err: str | None
    ended: str
    arcs: frozenset[Arc] = frozenset()


@dataclass(frozen=True, slots=True)
class RunObservation:
    """The results of one run.

    Attributes:
        before, after: the folder's files around the last command: `text`, `tables` (rows by table) or `size` each.
        outside: files that it changed outside of its folder.
        failed: the reason why it could not be run; empty when it ran.
    """

    endings: tuple[CommandResult, ...] = ()
    before: Mapping[str, Any] | None = None
    after: Mapping[str, Any] | None = None
    outside: tuple[str, ...] = ()
    failed: str = ""

    @property
    def last(self) -> CommandResult | None:
        """The last command's ending."""
        return self.endings[-1] if self.endings else None

    def changed(self) -> dict[str, Any]:
        """Non-empty files that the last command created or changed."""
        before, after = self.before or {}, self.after or {}
        return {
            name: answer for name, answer in after.items() if before.get(name) != answer and holds_something(answer)
        }


def holds_something(content: Mapping[str, Any]) -> bool:
    """Whether a file has contents, or a database a row."""
    return any((content.get("tables") or {}).values()) or bool(content.get("text") or content.get("size"))


def run_observation_from(answer: Mapping[str, Any], expected: int) -> RunObservation:
    """Parses one answer of the worker; a run that stopped early has fewer endings than commands."""
    if answer.get("failed"):
        return RunObservation(failed=str(answer["failed"]))
    endings = tuple(
        CommandResult(
            code=int(command["code"]),
            out=command["out"],
            err=command["err"],
            ended=str(command["ended"]),
            arcs=frozenset((start, end) for start, end in command.get("arcs") or ()),
        )
        for command in answer["commands"]
    )
    failed = "" if len(endings) == expected else f"an earlier command {endings[-1].ended}" if endings else "nothing ran"
    return RunObservation(endings, answer["before"], answer["after"], tuple(answer["outside"]), failed)
