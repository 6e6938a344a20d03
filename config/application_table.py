"""Reads `[tool.testwright.app]`, which says in one place how the application under test is started."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..core.errors import SettingsError
from .models import expand_model

OBJECT = r"^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*(\(\))?$"
"""An application in a module, `package.module:attribute`, with `()` behind a factory."""
_SETTINGS = {"command": "app_command", "object": "app_object", "ready": "app_ready"}


def expand_short_forms(values: dict[str, Any]) -> None:
    """Replace the short forms of a project's file, in place: `model`, and the table `app`.

    `command`, `object` and `ready` of the table are the settings `app_command`, `app_object` and `app_ready`; its `env`
    joins `env`.

    Raises:
        SettingsError: the table has another name, or says again what the file says outside of it.
    """
    expand_model(values)
    table = values.pop("app", None)
    if table is None:
        return
    known = ", ".join([*_SETTINGS, "env"])
    if not isinstance(table, Mapping):
        raise SettingsError("`app` in the project's file is not a table.", advice=f"It has {known}.")
    for name, value in table.items():
        if name == "env":
            _join(values, value)
        elif name not in _SETTINGS:
            raise SettingsError(f"app.{name} in the project's file is no setting.", advice=f"The table has {known}.")
        elif _SETTINGS[name] in values:
            raise SettingsError(
                f"The project's file gives app.{name} and {_SETTINGS[name]}.", advice="Keep one of them."
            )
        else:
            values[_SETTINGS[name]] = value


def _join(values: dict[str, Any], variables: Any) -> None:
    before = values.get("env", {})
    if not (isinstance(before, Mapping) and isinstance(variables, Mapping)):
        values["env"] = variables  # the settings say what is wrong with it
        return
    twice = sorted(set(before) & set(variables))
    if twice:
        raise SettingsError(f"The project's file sets {', '.join(twice)} in env and in app.env.", advice="Keep one.")
    values["env"] = {**before, **variables}
