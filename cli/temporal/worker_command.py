"""worker: executes the steps of runs that Temporal hands out."""

from __future__ import annotations

import asyncio
import importlib.util
import sys
from types import ModuleType
from typing import Annotated, Any

import typer

from ...app.fast_imports import fast_imports
from ...core.errors import EnvironmentFault
from .. import options as given
from ..failures import report_failures

_DEFAULT_JOBS = 2


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("worker")(worker)


@given.with_options(("trust_project",))
def worker(
    on: Annotated[str, typer.Option("--on", metavar="ADDRESS", help=given.ON)],
    jobs: Annotated[
        int, typer.Option("--jobs", "-j", min=1, max=256, help="Number of steps this worker executes at the same time.")
    ] = _DEFAULT_JOBS,
    name: Annotated[
        str | None, typer.Option("--name", help="The worker's name, unique on its machine. Default: its process id.")
    ] = None,
    debug: given.Debug = False,
    **options: Any,
) -> None:
    """Execute steps of runs that were started with `run --on`, until interrupted.

    Example: testwright worker --on temporal://127.0.0.1:7233/default
    """
    with report_failures(debug=debug):
        module = load_temporal("worker")

        def ready(identity: str) -> None:
            sys.stderr.write(f"worker {identity} listens at {on}\n")

        trusts = bool(given.flags_of(options).get("trust_project"))
        asyncio.run(module.work(on, jobs=jobs, name=name, trust_project=trusts, ready=ready))


def load_temporal(name: str) -> ModuleType:
    """Import a module of `app.temporal`. Raises EnvironmentFault: the SDK is not installed."""
    if importlib.util.find_spec("temporalio") is None:
        raise EnvironmentFault(
            "Runs on Temporal need its SDK, which is not installed.", advice="pip install 'testwright[temporal]'"
        )
    with fast_imports():
        return importlib.import_module(f"...app.temporal.{name}", __package__)
