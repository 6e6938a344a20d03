"""The Action's inputs, as its step hands them over: INPUT_<NAME>, all text, empty for not given."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...core.errors import SettingsError

FAIL_ON = ("never", "defects", "failures", "dropped", "not-understood")
_SETTINGS = (
    "test-type target app-command framework tests-dir base-url max-tokens max-cost max-seconds sandbox jobs mutants "
    "fuzz-seed run-id"
).split()
"""Inputs that are settings of the same name, with underscores."""

_OTHERS = (
    "request model changed-only changed-since fail-on working-directory python dry-run apply fuzz annotations "
    "job-summary"
).split()
NAMES = (*_SETTINGS, *_OTHERS)
"""Inputs that reach `testwright ci github`; the others steer the Action's own steps."""


@dataclass(frozen=True, slots=True)
class ActionInputs:
    """What a workflow asked for.

    Attributes:
        request: what to test, in plain words.
        settings: what was said of `Settings`, by field.
        fail_on: what makes the step fail, of FAIL_ON; empty for `never`.
        working_directory: the project's folder, relative to the workspace.
        python: the target's interpreter; "" finds it.
        changed_only: limit the run to what changed since the event's base.
        changed_since: limit it to what changed since this ref; "" for the event's base.
        annotations, job_summary: whether to write them.
    """

    request: str
    settings: dict[str, Any]
    fail_on: frozenset[str]
    working_directory: str
    python: str
    changed_only: bool
    changed_since: str
    annotations: bool
    job_summary: bool


def read_inputs(environment: Mapping[str, str]) -> ActionInputs:
    """The inputs, with the defaults of action.yml.

    Raises:
        SettingsError: an input has a value that it cannot have. Settings are checked by `load_settings`.
    """
    given = {name: environment.get(variable(name), "").strip() for name in NAMES}
    settings: dict[str, Any] = {name.replace("-", "_"): given[name] for name in _SETTINGS if given[name]}
    settings.setdefault("sandbox", "auto")  # a file of the project, which a pull request may change, does not decide it
    if given["model"]:
        settings["model"] = given["model"].replace(",", " ").split()
    for switch in ("dry-run", "apply", "fuzz"):
        if _switch(switch, given, default=False):
            settings[switch.replace("-", "_")] = True
    fail_on = _fail_on(given["fail-on"])
    if "defects" in fail_on:
        settings["fail_on"] = "defect"
    return ActionInputs(
        request=given["request"],
        settings=settings,
        fail_on=fail_on,
        working_directory=given["working-directory"] or ".",
        python=given["python"],
        changed_only=_switch("changed-only", given, default=False) or bool(given["changed-since"]),
        changed_since=given["changed-since"],
        annotations=_switch("annotations", given, default=True),
        job_summary=_switch("job-summary", given, default=True),
    )


def variable(name: str) -> str:
    """The environment variable that an input comes in."""
    return f"INPUT_{name.upper().replace('-', '_')}"


def project_folder(inputs: ActionInputs, workspace: Path) -> Path:
    """The project's folder. Raises SettingsError when it is not inside the workspace."""
    return folder_in_workspace(inputs.working_directory, workspace)


def folder_in_workspace(said: str, workspace: Path) -> Path:
    """A folder of the workspace. Raises SettingsError when there is none."""
    folder = (workspace / said).resolve()
    if not folder.is_relative_to(workspace.resolve()):
        raise SettingsError(
            f"working-directory {said!r} lies outside the workspace.",
            advice="Give a folder below the checkout.",
        )
    if not folder.is_dir():
        raise SettingsError(
            f"working-directory {said!r} is no folder of the workspace.",
            advice="Check the path, and that actions/checkout runs before testwright.",
        )
    return folder


def _switch(name: str, given: Mapping[str, str], *, default: bool) -> bool:
    said = given[name].lower()
    if said not in ("", "true", "false"):
        raise SettingsError(f"{name} is {given[name]!r}, which is neither true nor false.", advice=f"See {name}.")
    return default if not said else said == "true"


def _fail_on(said: str) -> frozenset[str]:
    words = said.replace(",", " ").split() or ["failures"]
    unknown = [word for word in words if word not in FAIL_ON]
    if unknown or ("never" in words and len(words) > 1):
        what = f"has no {', '.join(unknown)}" if unknown else "is never and something else at the same time"
        raise SettingsError(f"fail-on {what}.", advice=f"Give never, or some of {', '.join(FAIL_ON[1:])}.")
    return frozenset(words) - {"never"}
