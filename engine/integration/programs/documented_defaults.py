"""Finds options whose `--help` text documents another default than the program has: suspected defects."""

from __future__ import annotations

import re
import shlex
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from ...python.source.titles import cut_slug
from ..model.program_runs import DEFAULT_CONDITIONS, ProgramRun, RunConditions, RunObservation
from ..model.programs import ProjectProgram
from .arguments import Command, ProgramArgument

Observe = Callable[[Sequence[ProgramRun], RunConditions], Awaitable[list[RunObservation]]]
_MOST_STATES = 6


async def wrong_documented_defaults(
    observe: Observe,
    program: ProjectProgram,
    commands: Sequence[Command],
    seen: Sequence[tuple[ProgramRun, RunObservation]],
    source: str = "",
) -> list[dict[str, Any]]:
    """Finds options whose help names a wrong default: without the option the program behaves differently.

    Args:
        observe: runs the program.
        seen: runs so far; those that end well are tried with the option, and with its documented default.
        source: text of the file that the program begins in, where the help text may stand.
    """
    found: list[dict[str, Any]] = []
    for command in commands:
        for argument in command.arguments:
            if _differs(argument):
                entry = await _shown(observe, program, command, argument, seen)
                if entry is not None:
                    line = _line_of(argument.help, source)
                    found.append({**entry, "evidence": {"path": program.place.path, "lines": [line, line]}})
    return found


def relies_on_wrong_default(run: ProgramRun, commands: Sequence[Command]) -> bool:
    """Whether a run depends on a default that the help text contradicts: its behaviour should not be asserted."""
    command = next((command for command in commands if command.words == run.words), None)
    given = set(run.commands[-1])
    return any(
        _differs(argument) and not set(argument.flags) & given for argument in (command.arguments if command else ())
    )


def _differs(argument: ProgramArgument) -> bool:
    """Whether the help text names another default than the parser has."""
    said, real = argument.documented_default, argument.default
    if not argument.flags or argument.kind == "flag" or said is None or real is None:
        return False
    return _plain(said) != _plain(real)


def _plain(text: str) -> str:
    stripped = text.strip("'\"`").rstrip(".").lower()
    try:
        return repr(float(stripped))
    except ValueError:
        return stripped


async def _shown(
    observe: Observe,
    program: ProjectProgram,
    command: Command,
    argument: ProgramArgument,
    seen: Sequence[tuple[ProgramRun, RunObservation]],
) -> dict[str, Any] | None:
    """The defect as a spec entry, if a run without the option differs from one with the documented default."""
    assert argument.documented_default is not None
    assert argument.default is not None
    usable = [
        run
        for run, told in seen
        if run.words == command.words
        and told.last is not None
        and told.last.code == 0
        and not set(argument.flags) & set(run.commands[-1])
    ]
    states = sorted(usable, key=lambda run: -len(run.commands))[:_MOST_STATES]
    tried = [
        (run, _with(run, argument, argument.documented_default), _with(run, argument, argument.default))
        for run in states
    ]
    told = await observe([run for group in tried for run in group], DEFAULT_CONDITIONS)
    for at, (run, promised, real) in enumerate(tried):
        without, documented, actual = told[3 * at : 3 * at + 3]
        if _outcome(without) == _outcome(actual) and _outcome(without) != _outcome(documented):
            return _entry(program, command, argument, (run, promised, real), (without, documented))
    return None


def _with(run: ProgramRun, argument: ProgramArgument, value: str) -> ProgramRun:
    last = (*run.commands[-1], argument.flag, value)
    return ProgramRun(run.files, (*run.commands[:-1], last), run.words)


def _outcome(told: RunObservation) -> tuple[Any, ...]:
    last = told.last
    return (told.failed, last and (last.code, last.out, last.err, last.ended), told.changed())


def _entry(
    program: ProjectProgram,
    command: Command,
    argument: ProgramArgument,
    runs: tuple[ProgramRun, ProgramRun, ProgramRun],
    told: tuple[RunObservation, RunObservation],
) -> dict[str, Any]:
    run, promised, _ = runs
    said = argument.documented_default
    name = " ".join([program.name, *command.words])
    observed = (
        f"without {argument.flag} it does what {argument.flag} {argument.default} does, not {argument.flag} {said}"
    )
    slug = cut_slug(re.sub(r"\W+", "_", f"{name}_{argument.name}_default").strip("_").lower(), 60)
    return {
        "id": f"sd_{slug}",
        "title": f"{name}: {observed}, where its help says that {said} is the default"[:290],
        "subject": name,
        "documented": f"{argument.flag}: {argument.help}"[:600],
        "observed": f"{observed}; {_said(told[0])} instead of {_said(told[1])}"[:600],
        "reproduce": reproduce(program, (run, promised)),
    }


def _line_of(help_text: str, source: str) -> int:
    """The first line that holds the help text, or its beginning."""
    for text in (help_text, help_text[:30]):
        at = source.find(text) if text else -1
        if at >= 0:
            return source.count("\n", 0, at) + 1
    return 1


def _said(told: RunObservation) -> str:
    last = told.last
    return repr((last.out or last.err or "")[:120]) if last is not None else "nothing"


def reproduce(program: ProjectProgram, runs: Sequence[ProgramRun]) -> str:
    """Lines for a shell in the project's root that show the last commands of some runs after the same beginning."""
    root = program.place.import_root
    path = '"$PWD"' if root == "." else f'"$PWD/{root}"'
    lines = [f"export PYTHONPATH={path}", 'cd "$(mktemp -d)"']
    for name, text in runs[0].files:
        lines.append(f"printf %s {shlex.quote(text)} > {shlex.quote(name)}")
    for command in (*runs[0].commands[:-1], *(run.commands[-1] for run in runs)):
        lines.append(shlex.join(["python", *program.start, *command]))
    return "\n".join(lines)[:4000]
