"""Declares the options that several commands share, and the groups in which commands take them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

Root = Annotated[Path | None, typer.Option("--root", help="The project's folder. Default: the current folder.")]
StateDir = Annotated[
    Path | None, typer.Option("--state-dir", help="Where runs are kept. Default: .testwright in the project.")
]
RunId = Annotated[str | None, typer.Option("--run-id", help="Fix the run's id, for repeatable output.")]
Jobs = Annotated[
    int | None, typer.Option("--jobs", "-j", help="Number of targets processed at the same time. Default: 2.")
]
Framework = Annotated[str | None, typer.Option("--framework", help="pytest or unittest. Default: pytest.")]
TestType = Annotated[str | None, typer.Option("--test-type", help="unit, api, integration, e2e or performance.")]
Python = Annotated[
    Path | None,
    typer.Option("--python", help="The target's interpreter. Default: the project's .venv, else the active one."),
]
Sandbox = Annotated[
    str | None,
    typer.Option("--sandbox", help="auto, bubblewrap or weak (no isolation from C code and child programs)."),
]
Target = Annotated[
    str | None, typer.Option("--target", help="A file, module or symbol to test, besides those the request names.")
]
ChangedSince = Annotated[
    str | None,
    typer.Option("--changed-since", help="Test only functions that changed since a branch, tag or commit."),
]
AppCommand = Annotated[
    str | None,
    typer.Option("--app-command", help="How API tests start the application; {port} stands for its port."),
]
TestsDir = Annotated[str | None, typer.Option("--tests-dir", help="Where tests are added. Default: tests/generated.")]
Trials = Annotated[
    int | None, typer.Option("--trials", help="Number of calls the embedded engine tries per module. Default: 3000.")
]
Mutants = Annotated[
    int | None,
    typer.Option("--mutants", help="Mutants per module, by which tests are selected and measured. Default: 100."),
]
Model = Annotated[
    list[str] | None,
    typer.Option(
        "--model",
        help="openai:NAME or embedded, for all roles; ROLE=openai:NAME for one. May be repeated. Default: embedded.",
    ),
]
BaseUrl = Annotated[
    str | None,
    typer.Option("--base-url", help="The models' OpenAI-compatible endpoint, up to /v1. Default: OpenAI."),
]
Stream = Annotated[bool, typer.Option("--stream", help="Stream the models' answers.")]
Prices = Annotated[
    Path | None, typer.Option("--prices", help="Your own price table (JSON), from which cost is computed.")
]
MaxTokens = Annotated[
    int | None, typer.Option("--max-tokens", help="Stop the run once models have used this many tokens.")
]
MaxCost = Annotated[
    float | None, typer.Option("--max-cost", help="Stop the run once models have cost this many US dollars.")
]
MaxSeconds = Annotated[float | None, typer.Option("--max-seconds", help="Stop the run after this many seconds.")]
FailOn = Annotated[str | None, typer.Option("--fail-on", help="nothing or defect: exit 8 when a defect is suspected.")]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Stage the tests and show the diff; add nothing to the project.")
]
IsolateAgents = Annotated[
    bool, typer.Option("--isolate-agents", help="Run each agent request in its own process, one at a time.")
]
NoRun = Annotated[bool, typer.Option("--no-run", help="Write tests without running them; the report says so.")]
NoAnalyze = Annotated[bool, typer.Option("--no-analyze", help="Run the tests without analysing their results.")]
Json = Annotated[bool, typer.Option("--json", help="Print the machine-readable result only.")]
Debug = Annotated[bool, typer.Option("--debug", help="Show the traceback of a failure.")]
McpConfig = Annotated[
    Path | None,
    typer.Option(
        "--mcp-config", help="A JSON file with mcpServers, your own tool servers. This starts their commands."
    ),
]
TrustProject = Annotated[
    bool, typer.Option("--trust-project", help="Let the project's own file set everything, this once. See `trust`.")
]
CacheUrl = Annotated[
    str | None, typer.Option("--cache-url", help="Cache tool answers in Valkey or Redis. Default: a file.")
]
Fresh = Annotated[
    bool, typer.Option("--fresh", help="Repeat all work, even if nothing has changed since an earlier run.")
]
NoCache = Annotated[bool, typer.Option("--no-cache", help="Do not cache tool answers between runs.")]
Request = Annotated[str, typer.Argument(help="What to test, in plain words, with files, packages or symbols named.")]
ExistingRun = Annotated[str, typer.Argument(help="A run's id, as shown by `testwright runs list`.")]


LOCATION_OPTIONS: Mapping[str, Any] = {"root": Root, "state_dir": StateDir, "trust_project": TrustProject}
"""The project, where its runs are kept, and whether its own file may set everything."""

CEILING_OPTIONS: Mapping[str, Any] = {
    "max_tokens": MaxTokens,
    "max_cost": MaxCost,
    "max_seconds": MaxSeconds,
    "prices": Prices,
}
"""The run's ceilings, and the price table for its cost."""

MODEL_OPTIONS: Mapping[str, Any] = {
    "model": Model,
    "base_url": BaseUrl,
    "stream": Stream,
    **CEILING_OPTIONS,
    "isolate_agents": IsolateAgents,
}
"""The models of the roles, their endpoint and their ceilings."""

TOOL_OPTIONS: Mapping[str, Any] = {
    "mcp_config": McpConfig,
    "cache_url": CacheUrl,
    "fresh": Fresh,
    "no_cache": NoCache,
}
"""Tool servers, and the cache of tool answers."""

Command = Callable[..., None]


def with_options(*groups: Mapping[str, Any]) -> Callable[[Command], Command]:
    """Declare all options of these groups for a command, in front of its own options.

    The command takes their values as `**options`, from which `flags_of` makes settings.
    """
    options = {name: option for group in groups for name, option in group.items()}

    def decorate(command: Command) -> Command:
        own = inspect.signature(command, eval_str=True).parameters.values()
        added = [_parameter(name, option) for name, option in options.items()]
        kept = [part.replace(kind=inspect.Parameter.KEYWORD_ONLY) for part in own if part.kind is not part.VAR_KEYWORD]
        # Python's own order of parameters: those without a default come first.
        required = [part for part in kept if part.default is inspect.Parameter.empty]
        optional = [part for part in kept if part.default is not inspect.Parameter.empty]
        parameters = [*required, *added, *optional]
        command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined] - typer reads it
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
