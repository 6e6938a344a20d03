"""contracts: what agents, tools and nodes promise each other, and what depends on what."""

from __future__ import annotations

import json
import sys
from typing import Annotated

import typer

from . import options as given
from .failures import report_failures


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command()(contracts)


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
