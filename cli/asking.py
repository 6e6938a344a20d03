"""Asks on a terminal: whether to go on without what was not understood, and whether a risky step may be executed.

Elsewhere, and in continuous integration, the settings decide.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable, Mapping
from contextlib import nullcontext

import typer

from ..config.settings import Settings
from ..core.errors import RequestError
from ..core.events import EventSink
from ..core.exit_code import ExitCode


def in_ci(environment: Mapping[str, str]) -> bool:
    """Whether this is a continuous integration job, where nobody reads along: `CI` is set, and not to false."""
    return environment.get("CI", "").strip().lower() not in ("", "0", "false", "no")


def is_terminal() -> bool:
    """Whether a person can be asked, and answer."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def with_strictness(settings: Settings, environment: Mapping[str, str] = os.environ) -> Settings:
    """The settings, strict in continuous integration unless they say otherwise."""
    return settings.model_copy(update={"strict": True}) if settings.strict is None and in_ci(environment) else settings


def approver(
    sink: EventSink, *, quiet: bool, environment: Mapping[str, str] = os.environ
) -> Callable[[str], Awaitable[bool]] | None:
    """Make what asks the user about a risky step; None where nobody can answer: no terminal, CI, or `quiet`.

    Args:
        sink: shows the run's progress; it pauses during a question.
    """
    if quiet or in_ci(environment) or not is_terminal():
        return None

    def confirm(question: str) -> bool:
        with getattr(sink, "paused", nullcontext)():
            return typer.confirm(question, default=False, err=True)

    async def ask(question: str) -> bool:
        return await asyncio.to_thread(confirm, question)

    return ask


class Clarification:
    """Plans strictly where a person can be asked, and asks before going on without what was not understood.

    Entered in a loop that ends with the work; gives the settings to plan with. The block may raise RequestError before
    it has done anything, and is entered once more when the person wants to go on.

        while True:
            with clarification as chosen:
                made = plan(request, chosen)
                break
    """

    # No function that takes the work: each frame between the command and its work is one more to read in a traceback.

    def __init__(self, settings: Settings, *, quiet: bool) -> None:
        """Ask nothing where `quiet`: the output is for a machine."""
        self._may_ask = settings.strict is None and not quiet and is_terminal()
        self._settings = settings.model_copy(update={"strict": True}) if self._may_ask else settings

    def __enter__(self) -> Settings:
        return self._settings

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> bool:
        """Ask about a RequestError that a person can decide; every other error passes.

        Raises:
            typer.Exit: the person does not want to go on.
        """
        if not (self._may_ask and isinstance(error, RequestError) and error.details.get("can_go_on")):
            return False
        rows = error.details["not_understood"]
        for row in rows if isinstance(rows, list) else ():
            hint = f" Did you mean {', '.join(row['suggestions'])}?" if row["suggestions"] else ""
            typer.echo(f"Not understood: {row['text']}: {row['reason']}.{hint}", err=True)
        if not typer.confirm("Go on without it?", default=False, err=True):
            raise typer.Exit(ExitCode.USAGE) from None
        self._may_ask, self._settings = False, self._settings.model_copy(update={"strict": False})
        return True
