"""A suite under other conditions than those of its making: warnings as errors, another locale, other interpreters."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .commands import PreparationError
from .environments import Environment, environment
from .fresh_process import FreshProcess
from .interpreters import interpreter
from .sources import Source
from .tools.generated import Terms

PYTHONS = ("3.12", "3.13")
_LOCALE = "de_DE.UTF-8"


@dataclass(frozen=True)
class Condition:
    """What differs from the plain run.

    Attributes:
        variables: added to the environment.
        python: version of the interpreter; empty for the one of the plain run.
    """

    name: str
    variables: Mapping[str, str] = field(default_factory=dict)
    python: str = ""


def conditions(folder: Path) -> list[Condition]:
    """All conditions, in the order of the table; what they need is made below `folder`."""
    name, variables = _another_locale(folder)
    options = f"{os.environ.get('PYTEST_ADDOPTS', '')} -W error".strip()
    warnings = Condition("-W error", {"PYTEST_ADDOPTS": options})
    return [warnings, Condition(name, variables), *(Condition(f"Python {one}", python=one) for one in PYTHONS)]


def failing_under(source: Source, root: Path, tests: Sequence[str], terms: Terms) -> dict[str, Any]:
    """Which tests pass in a plain run and not under each condition: node ids by its name.

    A condition that could not be had, for want of an interpreter or of its environment, has a text instead of a list.

    Args:
        root: the project with its suite.
        tests: the suite's files, relative to it.
    """
    home = environment("subjects", terms.folder, source.subject)
    plain = _passing(FreshProcess(source, home, terms.memory_mib), root, tests, {})
    found: dict[str, Any] = {}
    for condition in conditions(terms.folder):
        there = _home(condition, home, source, terms)
        if isinstance(there, str):
            found[condition.name] = there
            continue
        process = FreshProcess(source, there, terms.memory_mib)
        found[condition.name] = sorted(plain - _passing(process, root, tests, condition.variables))
    return found


def _passing(process: FreshProcess, root: Path, tests: Sequence[str], variables: Mapping[str, str]) -> set[str]:
    return {nodeid for nodeid, outcome in process.outcomes(root, tests, variables).items() if outcome == "passed"}


def _home(condition: Condition, home: Environment, source: Source, terms: Terms) -> Environment | str:
    """The environment a condition needs; why there is none as text."""
    if not condition.python:
        return home
    python = interpreter(condition.python)
    if python is None:
        return f"no Python {condition.python} on this machine"
    try:
        return environment("subjects", terms.folder, source.subject, python)
    except PreparationError as fault:
        return f"no environment: {str(fault).splitlines()[-1][:200]}"


def _another_locale(folder: Path) -> tuple[str, dict[str, str]]:
    """German as a locale, compiled below `folder` where the system has its sources; else plain C without UTF-8."""
    place = folder / "locales" / _LOCALE
    if not place.is_dir() and shutil.which("localedef"):
        place.parent.mkdir(parents=True, exist_ok=True)
        command = ["localedef", "--no-archive", "-i", _LOCALE.partition(".")[0], "-f", "UTF-8", str(place)]
        subprocess.run(command, capture_output=True, check=False)
    if place.is_dir():
        return f"locale {_LOCALE}", {"LOCPATH": str(place.parent), **_asked(_LOCALE)}
    return "locale C", {**_asked("C"), "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


def _asked(name: str) -> dict[str, str]:
    return {"LC_ALL": name, "LANG": name, "LANGUAGE": "de"}
