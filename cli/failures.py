"""How a failure reaches the person: one clear message on stderr, the right exit code, no traceback unless asked."""

from __future__ import annotations

import errno
import json
import os
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import typer
from rich.markup import escape

from ..core.errors import StorageError, StoreFull, TestwrightError
from ..core.exit_code import ExitCode
from ..utils.redact import Redactor
from .console import Console


@contextmanager
def report_failures(*, debug: bool, as_json: bool = False) -> Iterator[None]:
    """Turn errors into a message and an exit code.

    Args:
        debug: let the traceback through instead.
        as_json: print `{"error": {"type", "message", "advice", "exit_code"}}` on stdout as well.

    Raises:
        typer.Exit: with the error's exit code; 130 when interrupted.
    """
    try:
        yield
    except KeyboardInterrupt as stopped:
        run_id = str(stopped)
        kept, advice = (
            (" What was accepted is kept.", f"`testwright resume {run_id}` continues.") if run_id else ("", "")
        )
        _print_message(f"Interrupted.{kept}", advice)
        raise typer.Exit(ExitCode.INTERRUPTED) from None
    except TestwrightError as error:
        if debug:
            raise
        _report(error, as_json)
        raise typer.Exit(error.exit_code) from None
    except (OSError, sqlite3.Error) as error:
        if debug:
            raise
        _report(_storage(error), as_json)
        raise typer.Exit(ExitCode.STORAGE) from None
    except Exception as error:  # a defect of ours: the person gets a message and an exit code, not a traceback
        if debug or isinstance(error, typer.Exit):
            raise
        advice = "This is a fault of testwright's own. Run again with --debug for the traceback, and report it."
        _report(TestwrightError(f"{type(error).__name__}: {error}", advice=advice), as_json)
        raise typer.Exit(ExitCode.INTERNAL) from None


@contextmanager
def name_interrupted_run(run_id: str, folder: Path | None = None) -> Iterator[None]:
    """Let an interruption inside the block say which run it has stopped, unless the run's folder is not there."""
    try:
        yield
    except KeyboardInterrupt:
        if folder is not None and not folder.is_dir():
            raise
        raise KeyboardInterrupt(run_id) from None


def _storage(error: OSError | sqlite3.Error) -> StorageError:
    number = error.errno if isinstance(error, OSError) else None
    if number == errno.ENOSPC or "disk is full" in str(error):
        return StoreFull(
            "There is no space left for the run's files.", advice="Free some space, or give --state-dir PATH."
        )
    if number == errno.EROFS:
        return StorageError(
            f"A file cannot be written: {error}.", advice="Give a folder you can write: --state-dir PATH."
        )
    return StorageError(f"{type(error).__name__}: {error}.", advice="Run again with --debug for the traceback.")


def _report(error: TestwrightError, as_json: bool) -> None:
    redact = Redactor.from_environment(os.environ).text
    if as_json:
        row = {
            "type": type(error).__name__,
            "message": redact(error.message),
            "advice": redact(error.advice),
            "exit_code": int(error.exit_code),
        }
        sys.stdout.write(json.dumps({"error": row}, indent=2, sort_keys=True) + "\n")
    _print_message(redact(error.message), redact(error.advice))


def _print_message(message: str, advice: str) -> None:
    console = Console(stderr=True)
    console.print(f"[bold red]testwright:[/] {escape(message)}")
    if advice:
        console.print(f"  {escape(advice)}")
