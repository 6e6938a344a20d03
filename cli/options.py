"""Declares the options that commands share, and the groups in which commands take them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

Root = Annotated[Path | None, typer.Option("--root", help="The project's folder. Default: the current folder.")]
StateDir = Annotated[
    Path | None, typer.Option("--state-dir", help="Where runs are kept. Default: .testwright in the project.")
]
Store = Annotated[
    str | None,
    typer.Option("--store", help="PostgreSQL database of the runs, postgresql://USER@HOST/DB. Default: SQLite."),
]
TrustProject = Annotated[
    bool, typer.Option("--trust-project", help="Let the project's own file set everything, this once. See `trust`.")
]
Python = Annotated[
    Path | None,
    typer.Option("--python", help="The target's interpreter. Default: the project's .venv, else the active one."),
]
Sandbox = Annotated[
    str | None,
    typer.Option("--sandbox", help="auto, bubblewrap or weak (no isolation from C code and child programs)."),
]
TestType = Annotated[str | None, typer.Option("--test-type", help="unit, api, integration, e2e or performance.")]
ConfigurePytest = Annotated[
    bool,
    typer.Option(
        "--configure-pytest",
        help="Add the line to the project's pytest settings that a bare `pytest` needs to find the tests' modules.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print the machine-readable result only.")]
Quiet = Annotated[bool, typer.Option("--quiet", help="Show no progress, only the result.")]
Events = Annotated[
    bool, typer.Option("--events", help="Print the run's events on stdout as they happen, one JSON object a line.")
]
Debug = Annotated[bool, typer.Option("--debug", help="Show the traceback of a failure.")]
Request = Annotated[str, typer.Argument(help="What to test, in plain words, with files, packages or symbols named.")]
ON = "A namespace of Temporal: temporal://HOST:PORT/NAMESPACE."
OnTemporal = Annotated[
    str | None,
    typer.Option("--on", metavar="ADDRESS", help=f"Let workers do the work. {ON} Default: this process."),
]
_RUN_NAME = "A run's id or how it begins, as shown by `testwright runs list`, or latest."
ExistingRun = Annotated[str, typer.Argument(metavar="RUN_ID", help=_RUN_NAME)]
RunName = Annotated[str, typer.Argument(metavar="[RUN_ID]", help=_RUN_NAME)]


def _option(kind: Any, *flags: str, about: str) -> Any:
    """Declare an option that is None, or False for a switch, when it is not given."""
    return Annotated[kind if kind is bool else kind | None, typer.Option(*flags, help=about)]


OPTIONS: Mapping[str, Any] = {
    "root": Root,
    "state_dir": StateDir,
    "store": Store,
    "trust_project": TrustProject,
    "run_id": _option(str, "--run-id", about="Fix the run's id, for repeatable output."),
    "jobs": _option(int, "--jobs", "-j", about="Number of targets processed at the same time. Default: 2."),
    "framework": _option(
        str,
        "--framework",
        about="pytest or unittest; playwright or maestro for browser tests, jest for scripts, locust for load tests. "
        "Default: pytest.",
    ),
    "test_type": TestType,
    "target": _option(str, "--target", about="A file, module or symbol to test, besides those the request names."),
    "changed_since": _option(
        str, "--changed-since", about="Test only functions that changed since a branch, tag or commit."
    ),
    "include": _option(
        list[str], "--include", about="Test only this: a module, file, folder or pattern such as 'shop.*'. Repeatable."
    ),
    "exclude": _option(list[str], "--exclude", about="Never test this; as --include. Repeatable."),
    "strict": _option(
        bool,
        "--strict",
        about="Stop if any part of the request is not understood. Default: in CI, and asked on a terminal.",
    ),
    "no_strict": _option(bool, "--no-strict", about="Go on with what was understood of the request."),
    "tests_dir": _option(str, "--tests-dir", about="Where tests are added. Default: tests/generated."),
    "app_command": _option(
        str, "--app-command", about="How API and browser tests start the application; {port} stands for its port."
    ),
    "app_url": _option(
        str,
        "--app-url",
        about="Address of a site on this machine that runs already, for browser tests of what it shows.",
    ),
    "sign_in": _option(
        str,
        "--sign-in",
        about="Who signs in during browser tests, and the variable with the password: ada:SHOP_PASSWORD.",
    ),
    "python": Python,
    "sandbox": Sandbox,
    "trials": _option(int, "--trials", about="Number of calls the embedded engine tries per module. Default: 3000."),
    "mutants": _option(
        int, "--mutants", about="Mutants per module, by which tests are selected and measured. Default: 100."
    ),
    "xfail_defects": _option(
        bool, "--xfail-defects", about="Mark the tests in suspected_defects.patch as strictly expected to fail."
    ),
    "fail_on": _option(str, "--fail-on", about="nothing or defect: exit 8 when a defect is suspected."),
    "dry_run": _option(bool, "--dry-run", about="Stage the tests and show the diff; add nothing to the project."),
    "apply": _option(
        bool,
        "--apply",
        about="Add tests to the project although a model wrote in the run. Default: stage them for review.",
    ),
    "allow_import": _option(
        list[str],
        "--allow-import",
        about="A module that tests of a model may import besides the target, test tools and plain data. Repeatable.",
    ),
    "yes": _option(
        bool,
        "--yes",
        about="Execute risky steps without asking. Default: asked on a terminal, skipped elsewhere.",
    ),
    "no_run": _option(bool, "--no-run", about="Write tests without running them; the report says so."),
    "no_analyze": _option(bool, "--no-analyze", about="Run the tests without analysing their results."),
    "model": _option(
        list[str],
        "--model",
        about="openai:NAME reads, judges and clears up requests; ROLE=openai:NAME for one role. Default: embedded.",
    ),
    "base_url": _option(str, "--base-url", about="The models' OpenAI-compatible endpoint, up to /v1. Default: OpenAI."),
    "stream": _option(bool, "--stream", about="Stream the models' answers."),
    "max_tokens": _option(int, "--max-tokens", about="Stop the run once models have used this many tokens."),
    "max_cost": _option(float, "--max-cost", about="Stop the run once models have cost this many US dollars."),
    "max_seconds": _option(float, "--max-seconds", about="Stop the run after this many seconds."),
    "prices": _option(Path, "--prices", about="Your own price table (JSON), from which cost is computed."),
    "isolate_agents": _option(
        bool, "--isolate-agents", about="Run each agent request in its own process, one at a time."
    ),
    "mcp_config": _option(
        Path, "--mcp-config", about="A JSON file with mcpServers, your own tool servers. This starts their commands."
    ),
    "repository": _option(
        str, "--repository", about="Read owner/name[@ref] on GitHub, without a checkout. Default: the project's folder."
    ),
    "cache_url": _option(str, "--cache-url", about="Cache tool answers in Valkey or Redis. Default: a file."),
    "evidence": _option(
        str,
        "--evidence",
        about="Collect evidence from documents, tests and history before a spec is written: on, off or auto.",
    ),
    "fuzz": _option(
        bool, "--fuzz", about="Have Schemathesis fuzz the application of API tests, too. Needs testwright[fuzz]."
    ),
    "fuzz_seed": _option(int, "--fuzz-seed", about="What the random values of --fuzz begin with. Default: 1."),
    "fresh": _option(bool, "--fresh", about="Repeat all work, even if nothing has changed since an earlier run."),
    "no_cache": _option(bool, "--no-cache", about="Do not cache tool answers between runs."),
}
"""The options of all commands, by the setting that each of them gives."""

LOCATION_OPTIONS = ("root", "state_dir", "store", "trust_project")
"""The project, where its runs are kept and recorded, and whether its own file may set everything."""

CEILING_OPTIONS = ("max_tokens", "max_cost", "max_seconds", "prices")
"""The run's ceilings, and the price table for its cost."""

MODEL_OPTIONS = ("model", "base_url", "stream", *CEILING_OPTIONS, "isolate_agents", "allow_import")
"""The models of the roles, their endpoint and their ceilings."""

TOOL_OPTIONS = ("mcp_config", "cache_url", "fresh", "no_cache")
"""Tool servers, and the cache of tool answers."""

Command = Callable[..., None]


def with_options(*groups: Sequence[str]) -> Callable[[Command], Command]:
    """Declare these groups of `OPTIONS` for a command, in front of its own options.

    The command takes their values as `**options`, from which `flags_of` makes settings.
    """
    names = [name for group in groups for name in group]

    def decorate(command: Command) -> Command:
        own = inspect.signature(command, eval_str=True).parameters.values()
        added = [_parameter(name, OPTIONS[name]) for name in names]
        kept = [part.replace(kind=inspect.Parameter.KEYWORD_ONLY) for part in own if part.kind is not part.VAR_KEYWORD]
        # Python's own order of parameters: those without a default come first.
        required = [part for part in kept if part.default is inspect.Parameter.empty]
        optional = [part for part in kept if part.default is not inspect.Parameter.empty]
        parameters = [*required, *added, *optional]
        command.__signature__ = inspect.Signature(parameters)  # pyrefly: ignore[missing-attribute] - typer reads it
        # typer resolves annotations apart from the signature.
        command.__annotations__ = {part.name: part.annotation for part in parameters}
        return command

    return decorate


def flags_of(options: Mapping[str, Any]) -> dict[str, Any]:
    """Turn options' values into settings.

    An option that was not given is None. A switch `no_x` that was given sets `x` to False.
    """
    flags: dict[str, Any] = {}
    for name, value in options.items():
        if not name.startswith("no_"):
            flags[name] = None if value is False else value
        elif value:
            flags[name.removeprefix("no_")] = False
    return flags


def _parameter(name: str, option: Any) -> inspect.Parameter:
    default = False if option.__origin__ is bool else None
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=option)
