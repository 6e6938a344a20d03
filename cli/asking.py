"""Asks on a terminal whether to go on where a part of a request was not understood; elsewhere the settings decide."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from typing import TypeVar

import typer

from ..config.settings import Settings
from ..core.errors import ExitCode, RequestError


def in_ci(environment: Mapping[str, str]) -> bool:
    """Whether this is a continuous integration job, where nobody reads along: `CI` is set, and not to false."""
    return environment.get("CI", "").strip().lower() not in ("", "0", "false", "no")


def is_terminal() -> bool:
    """Whether a person can be asked, and answer."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def with_strictness(settings: Settings, environment: Mapping[str, str] = os.environ) -> Settings:
    """The settings, strict in continuous integration unless they say otherwise."""
    return settings.model_copy(update={"strict": True}) if settings.strict is None and in_ci(environment) else settings


Result = TypeVar("Result")


def understood_or_asked(settings: Settings, work: Callable[[Settings], Result], *, quiet: bool) -> Result:
    """Do the work; on a terminal, ask before going on without what was not understood.

    Args:
        work: plans with these settings, and raises RequestError before it has done anything.
        quiet: ask nothing: the output is for a machine.

    Raises:
        RequestError: a part was not understood, and there is nobody to ask.
        typer.Exit: the person does not want to go on.
    """
    ask = settings.strict is None and not quiet and is_terminal()
    try:
        return work(settings.model_copy(update={"strict": True}) if ask else settings)
    except RequestError as error:
        if not ask or not error.details.get("can_go_on"):
            raise
        rows = error.details["not_understood"]
        for row in rows if isinstance(rows, list) else ():
            hint = f" Did you mean {', '.join(row['suggestions'])}?" if row["suggestions"] else ""
            typer.echo(f"Not understood: {row['text']}: {row['reason']}.{hint}", err=True)
        if not typer.confirm("Go on without it?", default=False, err=True):
            raise typer.Exit(ExitCode.USAGE) from None
        return work(settings.model_copy(update={"strict": False}))
