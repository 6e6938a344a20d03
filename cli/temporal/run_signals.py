"""temporal progress, pause, resume, ceilings, cancel: for a run that is going on at workers."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from typing import Annotated, Any

import typer

from ...core.errors import UsageError
from .. import options as given
from ..failures import report_failures
from .worker_command import load_temporal

_LOCATION = ("root", "state_dir")
_CEILINGS = ("max_tokens", "max_cost", "max_seconds")
On = Annotated[str, typer.Option("--on", metavar="ADDRESS", help=given.ON)]


def register(group: typer.Typer) -> None:
    """Add the commands to the group."""
    for command in (progress, pause, resume, ceilings, cancel):
        group.command(command.__name__)(command)


@given.with_options(_LOCATION)
def progress(on: On, as_json: given.Json = False, debug: given.Debug = False, **options: Any) -> None:
    """Show how far the project's run is.

    Example: testwright temporal progress --on temporal://127.0.0.1:7233/default
    """
    _steer("progress", on, options, as_json=as_json, debug=debug)


@given.with_options(_LOCATION)
def pause(on: On, as_json: given.Json = False, debug: given.Debug = False, **options: Any) -> None:
    """Begin no further step of the project's run; those at work come to their end.

    Example: testwright temporal pause --on temporal://127.0.0.1:7233/default
    """
    _steer("pause", on, options, as_json=as_json, debug=debug)


@given.with_options(_LOCATION)
def resume(on: On, as_json: given.Json = False, debug: given.Debug = False, **options: Any) -> None:
    """Let a paused run go on.

    Example: testwright temporal resume --on temporal://127.0.0.1:7233/default
    """
    _steer("resume", on, options, as_json=as_json, debug=debug)


@given.with_options(_LOCATION, _CEILINGS)
def ceilings(on: On, as_json: given.Json = False, debug: given.Debug = False, **options: Any) -> None:
    """Give the project's run other ceilings, from its next step on.

    Example: testwright temporal ceilings --max-tokens 200000 --on temporal://127.0.0.1:7233/default
    """
    new = {name: options.pop(name) for name in _CEILINGS}
    with report_failures(debug=debug, as_json=as_json):
        if not any(value is not None for value in new.values()):
            raise UsageError("No ceiling was given.", advice="Give --max-tokens, --max-cost or --max-seconds.")
    _steer("ceilings", on, options, as_json=as_json, debug=debug, new=new)


@given.with_options(_LOCATION)
def cancel(on: On, as_json: given.Json = False, debug: given.Debug = False, **options: Any) -> None:
    """Cancel the project's run; its sandboxes end, and it can be resumed.

    Example: testwright temporal cancel --on temporal://127.0.0.1:7233/default
    """
    _steer("cancel", on, options, as_json=as_json, debug=debug)


def _steer(
    action: str, on: str, options: dict[str, Any], *, as_json: bool, debug: bool, new: dict[str, Any] | None = None
) -> None:
    with report_failures(debug=debug, as_json=as_json):
        found = load_temporal("steering").steer_now(on, given.flags_of(options), action, new)
        if as_json:
            sys.stdout.write(json.dumps(asdict(found), indent=2, sort_keys=True) + "\n")
            return
        rows = [f"run {found.run_id}: {found.state}", f"ended: {len(found.ended)}"]
        rows += [f"at work: {step}" for step in found.at_work] + [f"waiting: {step}" for step in found.waiting]
        rows += found.notes
        sys.stdout.write("\n".join(rows) + "\n")
