"""schemas, doctor, trust, graph and contracts: what is shipped, what this machine may do, how a run flows."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from ..config import trust as consent
from ..config.settings import load_settings, project_file_of, settings_to_consent
from ..core.errors import UsageError
from ..core.exit_code import ExitCode
from ..utils.schema_registry import bundle, schema_names
from . import options as given
from .console import Console
from .failures import report_failures
from .loading import load_service
from .validate_commands import read_json_file


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    for command in (schemas, doctor, trust, graph, contracts):
        app.command()(command)


def schemas(
    name: Annotated[
        str | None, typer.Argument(help="A schema's path as listed, with or without schemas/; or `migrate`.")
    ] = None,
    file: Annotated[Path | None, typer.Argument(help="After `migrate`: the spec, a JSON file.")] = None,
    test_type: given.TestType = None,
    debug: given.Debug = False,
) -> None:
    """List the JSON Schemas of specs, agents and reports, print one that stands alone, or migrate a spec.

    `schemas migrate FILE` prints a spec of an older version in the current form of its test type.

    Example: testwright schemas schemas/unit_test_schema_v1.json
    """
    with report_failures(debug=debug):
        if name == "migrate":
            sys.stdout.write(json.dumps(_migrated(file, test_type), indent=2) + "\n")
            return
        if name is None:
            sys.stdout.write("\n".join(schema_names()) + "\n")
            return
        wanted = name if name.startswith("schemas/") else f"schemas/{name}"
        sys.stdout.write(json.dumps(bundle(wanted), indent=2) + "\n")


def _migrated(file: Path | None, test_type: str | None) -> dict[str, Any]:
    """The migrated spec of a file; what breaks a rule of the current form is said on stderr.

    Raises:
        UsageError: there is no file, it holds no spec, or the spec cannot be migrated.
    """
    if file is None:
        raise UsageError("There is no spec to migrate.", advice="Name its file: testwright schemas migrate FILE.")
    spec = read_json_file(file)
    if not isinstance(spec, dict):
        raise UsageError(f"{file} holds no spec.", advice="A spec is a JSON object.")
    made = load_service().migrated_spec(spec, test_type)
    for error in made["errors"]:
        sys.stderr.write(f"{error['severity']}: {error['path']}: {error['message']}\n")
    return made["spec_json"]


def doctor(
    root: given.Root = None,
    state_dir: given.StateDir = None,
    store: given.Store = None,
    python: given.Python = None,
    sandbox: given.Sandbox = None,
    trust_project: given.TrustProject = False,
    install: Annotated[
        bool, typer.Option("--install-tools", help="Fetch Jest, Playwright Test, Locust and the like into your cache.")
    ] = False,
    as_json: given.Json = False,
    debug: given.Debug = False,
) -> None:
    """Show what this machine and the project's environment have, and what that allows.

    Example: testwright doctor --root examples/shop
    """
    with report_failures(debug=debug, as_json=as_json):
        from .doctor import examine, install_tools

        flags = {"root": root, "state_dir": state_dir, "store": store, "python": python, "sandbox": sandbox}
        settings = load_settings({**flags, "trust_project": trust_project or None})
        lacking = install_tools(settings, os.environ) if install else []
        checks = [*asyncio.run(examine(settings)), *lacking]
    if as_json:
        sys.stdout.write(json.dumps([check.to_dict() for check in checks], indent=2) + "\n")
    else:
        console = Console()
        # Lines are never broken, so that each path can be copied as it stands.
        for check in checks:
            mark = "[green]ok[/]" if check.ok else "[red]no[/]"
            console.print(f"{mark}  {escape(check.name)}: {escape(check.found)}")
            console.print(f"      {escape(check.meaning)}")
    if not all(check.ok for check in checks if check.required):
        raise typer.Exit(ExitCode.ENVIRONMENT)


def trust(
    root: given.Root = None,
    revoke: Annotated[bool, typer.Option("--revoke", help="Withdraw the consent.")] = False,
    debug: given.Debug = False,
) -> None:
    """Let the file of a project set everything, until what needs your consent in it changes.

    Most settings hold without this; `doctor` shows those that do not. The consent is kept outside the project.

    Example: testwright trust --root examples/shop
    """
    with report_failures(debug=debug):
        settings = load_settings({"root": root})
        file = project_file_of(settings.root)
        wanted = settings_to_consent(file)
        path = consent.record(settings.root, None if revoke else wanted)
    if revoke:
        sys.stdout.write(f"{settings.root} is not trusted any more.\n")
        return
    what = consent.in_words(wanted) or "nothing that needs consent so far"
    sys.stdout.write(f"{settings.root} is trusted. Its {file.path.name} sets {what}.\nRecorded in {path}\n")


def graph(
    which: Annotated[str, typer.Argument(help="planning or testing.")] = "planning", debug: given.Debug = False
) -> None:
    """Print the planning or the testing graph as Mermaid text.

    Example: testwright graph testing
    """
    with report_failures(debug=debug):
        service = load_service()
        sys.stdout.write(service.mermaid(which))


def contracts(
    if_changed: Annotated[
        str | None,
        typer.Option("--if-changed", help="Say what depends on this file, schema, agent's role, tool, node or event."),
    ] = None,
    as_json: given.Json = False,
    debug: given.Debug = False,
) -> None:
    """Print the contracts of every agent, tool and node, read from the code, or what depends on one of them.

    Example: testwright contracts --if-changed schemas/unit_test_schema_v1.json
    """
    with report_failures(debug=debug, as_json=as_json):
        from ..app.contracts.impact import impact_of
        from ..app.contracts.page import contracts_page
        from ..app.contracts.registry import contract_registry

        if if_changed is not None:
            found = impact_of(if_changed)
            sys.stdout.write(_json(found.to_dict()) if as_json else _lines(found.to_dict()))
            return
        registry = contract_registry()
        sys.stdout.write(_json(registry.to_dict()) if as_json else contracts_page(registry))


def _json(value: object) -> str:
    return json.dumps(value, indent=2, sort_keys=True) + "\n"


def _lines(found: dict[str, object]) -> str:
    """The impact for people: one line for each kind of component."""
    lines = [f"{found['changed']}: {found['level']}"]
    for kind in ("schemas", "agents", "tools", "nodes", "files"):
        names = found[kind]
        if isinstance(names, tuple) and names:
            lines.append(f"{kind}: {', '.join(names)}")
    return "\n".join(lines) + "\n"
