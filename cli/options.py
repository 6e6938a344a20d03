"""The options that several commands share, each declared once, and the groups in which commands take them."""

from __future__ import annotations

import functools
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
Jobs = Annotated[int | None, typer.Option("--jobs", "-j", help="Targets worked on at the same time. Default: 2.")]
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
    int | None, typer.Option("--trials", help="Calls the embedded engine tries per module. Default: 3000.")
]
Mutants = Annotated[
    int | None,
    typer.Option("--mutants", help="Mutants of each module that its tests are chosen and measured by. Default: 100."),
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
Stream = Annotated[bool, typer.Option("--stream", help="Ask models for streams.")]
Prices = Annotated[Path | None, typer.Option("--prices", help="A price table of your own (JSON), for the cost.")]
MaxTokens = Annotated[int | None, typer.Option("--max-tokens", help="End the run when models used as many tokens.")]
MaxCost = Annotated[float | None, typer.Option("--max-cost", help="End the run when models cost as many US dollars.")]
MaxSeconds = Annotated[float | None, typer.Option("--max-seconds", help="End the run after as many seconds.")]
FailOn = Annotated[str | None, typer.Option("--fail-on", help="nothing or defect: exit 8 when a defect is suspected.")]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Stage the tests and show the diff; add nothing to the project.")
]
IsolateAgents = Annotated[
    bool, typer.Option("--isolate-agents", help="Each agent works in a process that has ended before the next begins.")
]
NoRun = Annotated[bool, typer.Option("--no-run", help="Write tests without running them; the report says so.")]
NoAnalyze = Annotated[bool, typer.Option("--no-analyze", help="Run the tests without analysing their results.")]
Json = Annotated[bool, typer.Option("--json", help="Print the machine-readable result only.")]
Debug = Annotated[bool, typer.Option("--debug", help="Show the traceback of a failure.")]
McpConfig = Annotated[
    Path | None,
    typer.Option("--mcp-config", help="A JSON file with mcpServers: tool servers of yours. It starts commands."),
]
ProjectServers = Annotated[
    bool, typer.Option("--project-servers", help="Start the tool servers that the project's own settings file names.")
]
CacheUrl = Annotated[
    str | None, typer.Option("--cache-url", help="Keep answers of tools in Valkey or Redis. Default: a file.")
]
Fresh = Annotated[
    bool, typer.Option("--fresh", help="Do all work anew, also where nothing has changed since an earlier run.")
]
NoCache = Annotated[bool, typer.Option("--no-cache", help="Keep no answers of tools between runs.")]
Request = Annotated[str, typer.Argument(help="What to test, in plain words, with files, packages or symbols named.")]
ExistingRun = Annotated[str, typer.Argument(help="A run's id, as `testwright runs list` shows it.")]


LOCATION_OPTIONS: Mapping[str, Any] = {"root": Root, "state_dir": StateDir}
"""Which project, and where its runs are."""

CEILING_OPTIONS: Mapping[str, Any] = {
    "max_tokens": MaxTokens,
    "max_cost": MaxCost,
    "max_seconds": MaxSeconds,
    "prices": Prices,
}
"""How far a run may go, and what its models cost."""

MODEL_OPTIONS: Mapping[str, Any] = {
    "model": Model,
    "base_url": BaseUrl,
    "stream": Stream,
    **CEILING_OPTIONS,
    "isolate_agents": IsolateAgents,
}
"""Who thinks, where, and how far."""

TOOL_OPTIONS: Mapping[str, Any] = {
    "mcp_config": McpConfig,
    "project_servers": ProjectServers,
    "cache_url": CacheUrl,
    "fresh": Fresh,
    "no_cache": NoCache,
}
"""Who serves the tools, and where their answers are kept."""

Command = Callable[..., None]


def with_options(*groups: Mapping[str, Any]) -> Callable[[Command], Command]:
    """Give a command all options of these groups, in front of its own.

    Their values come to it as one dict, `flags`, by setting; what was not said is None. `no_x` is said for `x`.
    """
    options = {name: option for group in groups for name, option in group.items()}

    def decorate(command: Command) -> Command:
        own = inspect.signature(command, eval_str=True).parameters

        @functools.wraps(command)
        def given(**values: Any) -> None:
            flags = {name: None if values[name] is False else values[name] for name in options}
            switched_off = {name.removeprefix("no_"): False for name, one in flags.items() if one and name[:3] == "no_"}
            flags = {name: one for name, one in flags.items() if name[:3] != "no_"} | switched_off
            command(**{name: value for name, value in values.items() if name not in options}, flags=flags)

        added = [_parameter(name, option) for name, option in options.items()]
        kept = [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in own.values() if one.name != "flags"]
        asked = [one for one in kept if one.default is inspect.Parameter.empty]
        flag_value = [one for one in kept if one.default is not inspect.Parameter.empty]
        parameters = [*asked, *added, *flag_value]
        given.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined] - what typer reads
        given.__annotations__ = {one.name: one.annotation for one in parameters}
        return given

    return decorate


def _parameter(name: str, option: Any) -> inspect.Parameter:
    default = False if option.__origin__ is bool else None
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=option)


def flag_value(flag: bool, value: bool = True) -> bool | None:
    """A switch as a setting: `value` when it was given, None (not said) when it was not."""
    return value if flag else None
