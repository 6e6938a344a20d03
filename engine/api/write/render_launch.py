"""Renders how the application of a test file is started: its variables, and the credentials that they hold."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..document.auth import is_secret
from ..model.json_values import literal, quoted

Json = Mapping[str, Any]


def application_call(target: Json, *, started_here: bool = False, plain: bool = False, alone: bool = False) -> str:
    """Render what starts the application of a spec's target; the file has ROOT and, where it has any, ENVIRONMENT.

    Args:
        started_here: whether an application, unlike an address, is told that the tests start it themselves.
        plain: whether `api_command.py` runs its command, which is all that this needs of it.
        alone: whether an application of the source gets no variables of its surroundings but those it is given.
    """
    application: Json = target.get("application") or {}
    parts = [quoted(str(application["import"]))] if application.get("import") and not plain else []
    if application.get("command"):
        parts.append(f"command={literal(list(application['command']))}")
    if application.get("ready_path"):
        parts.append(f"ready={quoted(str(application['ready_path']))}")
    parts.append("root=ROOT")
    if started_here:
        parts.append("started_here=True")
    if target.get("import_roots"):
        parts.append(f"import_roots={literal(list(target['import_roots']))}")
    if application.get("environment"):
        parts.append("environment=ENVIRONMENT")
    if application.get("folder"):
        parts.append(f"folder={quoted(str(application['folder']))}")
    if application.get("emptied_databases") and not plain:
        parts.append(f"emptied={literal(list(application['emptied_databases']))}")
    if alone and application.get("import") and not plain:
        parts.append("alone=True")
    if not application and target.get("base_url"):
        parts = [f"base_url={quoted(str(target['base_url']))}"]
    return f"Application({', '.join(parts)})"


def is_plain_command(spec: Json) -> bool:
    """Whether a command starts the application of a spec in a folder of its own, as `api_command.py` does."""
    application: Json = spec["target"].get("application") or {}
    return bool(application.get("command")) and not application.get("folder")


def environment_literal(environment: Mapping[str, str]) -> str:
    """Render the variables of an application. A secret is taken from where the tests run, else it is made up.

    What the project says itself, such as the place of its database, holds whatever is set there.
    """
    pairs = (
        f"{quoted(name)}: {taken_from_outside(name)} or {quoted(str(value))}"
        if is_secret(name) or not value
        else f"{quoted(name)}: {quoted(str(value))}"
        for name, value in environment.items()
    )
    return "{" + ", ".join(pairs) + "}"


def takes_secrets(spec: Json) -> bool:
    """Whether what `environment_literal` renders of a spec reads the environment."""
    environment = (spec["target"].get("application") or {}).get("environment") or {}
    return any(is_secret(name) or not value for name, value in environment.items())


def taken_from_outside(variable: str) -> str:
    """Render the value of a variable where the tests run."""
    return f"os.environ.get({quoted(variable)})"


def secret_source(entry: Json, environment: Mapping[str, str]) -> str:
    """Render the headers, or the query, that a credential of a spec adds to a request."""
    variable = str(entry["variable"])
    known = variable in environment
    value = f"ENVIRONMENT[{quoted(variable)}]" if known else f'os.environ.get({quoted(variable)}, "")'
    kind = entry["kind"]
    if kind == "bearer":
        return '{"Authorization": "Bearer " + ' + value + "}"
    if kind == "basic":
        return '{"Authorization": "Basic " + base64.b64encode(' + value + ".encode()).decode()}"
    name = quoted(str(entry.get("parameter") or "api_key"))
    if kind == "api_key_cookie":
        return '{"Cookie": ' + quoted(f"{entry.get('parameter')}=") + " + " + value + "}"
    return "{" + name + ": " + value + "}"
