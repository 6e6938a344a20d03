"""Describes how a person starts an application by hand, for the lines that reproduce a defect."""

from __future__ import annotations

import shlex
from collections.abc import Mapping

from ....engine.api.document.application import AppLaunch
from ....engine.api.document.auth import is_secret
from ....utils.redact import is_secret_name


def describe_start(launch: AppLaunch, framework: str, literals: Mapping[str, str] | None = None) -> str:
    """Describe how to start the application by hand.

    Args:
        literals: credentials of the source by their variables, which a person looks up there.
    """
    looked_up = {name for name, value in (literals or {}).items() if launch.environment.get(name) == value}
    own = {name for name, value in launch.environment.items() if is_secret(name) or is_secret_name(name) or not value}
    own -= looked_up
    known = [pair for pair in sorted(launch.environment.items()) if pair[0] not in own | looked_up]
    given = [f"{name}={shlex.quote(value)}" for name, value in known]
    words = [f"with {' '.join(given)}"] if given else []
    words += [f"with a value of your own in {' and '.join(sorted(own))}"] if own else []
    words += [f"with what the source has as {' and '.join(sorted(looked_up))}"] if looked_up else []
    variables = "".join(f", {text}" for text in words)
    if launch.command:
        return f"started by {' '.join(launch.command).replace('{port}', '8000')}{variables}:"
    if framework in ("flask", "django"):
        command = "python manage.py runserver" if framework == "django" else f"flask --app {launch.application} run"
        return f"started by `{command} {'8000' if framework == 'django' else '--port 8000'}`{variables}:"
    factory = " --factory" if str(launch.application).endswith("()") else ""
    roots = "".join(f" --app-dir {root}" for root in launch.import_roots[:1] if root != ".")
    application = str(launch.application).removesuffix("()")
    return f"started by `uvicorn {application}{factory}{roots} --port 8000`{variables}:"
