"""Whether what API tests need is there: the project's web applications are found, and what serves them."""

from __future__ import annotations

from importlib.metadata import distributions
from pathlib import Path

from ..config.settings import Settings
from ..engine.api.document.apps import WebApplication, find_applications
from ..engine.python.project.layout import find_layout
from ..sandbox.interpreter import find_interpreter

_NEEDS = {
    "fastapi": ("fastapi", "uvicorn"),
    "starlette": ("starlette", "uvicorn"),
    "quart": ("quart", "uvicorn"),
    "flask": ("flask",),
    "django": ("django",),
}


def api_check(settings: Settings) -> tuple[bool, str, str]:
    """Whether API tests can be made, what was found, and what it means. Blocks, runs nothing.

    Raises:
        InterpreterError, ProjectError: the target's Python or the project is not there.
    """
    found = find_applications(find_layout(settings.root))
    if not found:
        return True, "no web application in the source", "API tests need one, or --app-command"
    interpreter = find_interpreter(settings.root, settings.python, trusted=bool(settings.trust_project))
    missing = missing_packages(found[0], interpreter.site_paths)
    if not missing:
        return True, f"{found[0].label} ({found[0].framework})", "it is started for the tests and asked over HTTP"
    named = " and ".join(missing)
    told = f"{found[0].label} needs {named}, missing there"
    return False, told, f"{interpreter.path} -m pip install {' '.join(missing)}; other tests need nothing of it"


def missing_packages(application: WebApplication, sites: tuple[Path, ...]) -> list[str]:
    """Names of packages that an application needs to be served and that no folder of an environment has."""
    needed = _NEEDS.get(application.framework, ())
    there = {
        str(distribution.metadata["Name"]).lower() for distribution in distributions(path=[str(site) for site in sites])
    }
    return [name for name in needed if name not in there]
