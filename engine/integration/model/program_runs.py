"""Runs of a program as plain data: what it was given, and what came of it (T-20)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...python.model.model import Arc


@dataclass(frozen=True, slots=True)
class RunConditions:
    """Under which conditions programs are run; `shift` is how many seconds the clock is ahead."""

    hash_seed: int = 0
    zone: str = "UTC"
    shift: int = 0
    traced: bool = False


DEFAULT_CONDITIONS = RunConditions(hash_seed=1)


@dataclass(frozen=True, slots=True)
class ProgramRun:
    """Commands of one program, one after the other in one folder.

    Attributes:
        files: names and texts of the files that lie in the folder before.
        commands: arguments of each command; the last one is what the run is about.
        words: subcommand of the last one, empty for a program without.
    """

    files: tuple[tuple[str, str], ...]
    commands: tuple[tuple[str, ...], ...]
    words: tuple[str, ...] = ()

    @property
    def cost(self) -> float:
        """Roughly how much a reader must take in."""
        texts = sum(len(text) / 4 + 15 for _, text in self.files)
        return texts + sum(30 + sum(len(one) + 2 for one in command) for command in self.commands)


@dataclass(frozen=True, slots=True)
class CommandResult:
    """How one command ended; texts are None where they are no text or too long."""

    code: int
    out: str | None
    err: str | None
    ended: str
    arcs: frozenset[Arc] = frozenset()


@dataclass(frozen=True, slots=True)
class RunObservation:
    """What one run did.

    Attributes:
        before, after: the folder's files around the last command: `text`, `tables` (rows by table) or `size` each.
        outside: files that it changed outside of its folder.
        failed: why it could not be run, else empty.
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
        """Files that hold something after the last command, and were not there before or held something else."""
        before, after = self.before or {}, self.after or {}
        return {name: told for name, told in after.items() if before.get(name) != told and holds_something(told)}


def holds_something(content: Mapping[str, Any]) -> bool:
    """Whether a file has contents, or a database a row."""
    return any((content.get("tables") or {}).values()) or bool(content.get("text") or content.get("size"))


def run_observation_from(told: Mapping[str, Any], expected: int) -> RunObservation:
    """One answer of the worker as data; a run that stopped early has fewer endings than commands."""
    if told.get("failed"):
        return RunObservation(failed=str(told["failed"]))
    endings = tuple(
        CommandResult(
            code=int(one["code"]),
            out=one["out"],
            err=one["err"],
            ended=str(one["ended"]),
            arcs=frozenset((start, end) for start, end in one.get("arcs") or ()),
        )
        for one in told["commands"]
    )
    failed = "" if len(endings) == expected else f"an earlier command {endings[-1].ended}" if endings else "nothing ran"
    return RunObservation(endings, told["before"], told["after"], tuple(told["outside"]), failed)
