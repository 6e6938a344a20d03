"""Checks the environment variables that a project's file gives the code under test; they reach the sandbox only."""

from __future__ import annotations

import re
from collections.abc import Mapping

from .variables import Variables

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_RESERVED = re.compile(
    # What decides which programs and libraries start, how Python starts, and how tests are collected and measured.
    r"(?:PATH|HOME|TMPDIR|TEMP|TMP|LANG|LANGUAGE|TZ|IFS|ENV|BASH_ENV|SHELLOPTS|SHELL|VIRTUAL_ENV|GCONV_PATH|CI"
    r"|(?:LD|DYLD|LC|PYTHON|PYTEST|COVERAGE|COV|TESTWRIGHT|GLIBC|MALLOC|CONDA|UV|PIP|NODE|GIT)(?:_\w*|(?<=PYTHON)\w*))",
    re.IGNORECASE,
)
_LONGEST = 4096


def checked_variables(said: Mapping[str, str]) -> dict[str, str]:
    """Returns the variables in order of their names.

    Raises:
        ValueError: a name is no variable's or is reserved, or a value is too long or has a zero byte.
    """
    for name, value in said.items():
        if not _NAME.fullmatch(name):
            raise ValueError(f"{name!r} is no name of an environment variable")
        if _RESERVED.fullmatch(name):
            raise ValueError(f"{name} decides how programs start or tests are run, and may not be set")
        if len(value) > _LONGEST or "\x00" in value:
            raise ValueError(f"the value of {name} is longer than {_LONGEST} characters or has a zero byte")
    return dict(sorted(said.items()))


def with_sign_in(variables: Mapping[str, str], sign_in: str | None, environment: Mapping[str, str]) -> dict[str, str]:
    """Returns the variables with the one that holds the password of `sign_in`, where it is set and not among them.

    Tests sign in by it: they are run with it, and take it from the environment again.
    """
    name = (sign_in or "").rpartition(":")[2]
    return {**({name: f"${{{name}}}"} if name in environment else {}), **variables}


def taken_variables(variables: Mapping[str, str], environment: Mapping[str, str]) -> dict[str, str]:
    """Returns, for those variables that take something from an environment, what a file may say of them.

    That is the form of `string.Template`: `${NAME}` for what comes from there, and the project's own words around it.
    """
    source = Variables(environment)
    forms = {name: source.form(value) for name, value in variables.items()}
    return {name: form for name, form in forms.items() if form}


def filled_variables(variables: Mapping[str, str], environment: Mapping[str, str]) -> dict[str, str]:
    """Returns the variables with `${NAME}` and `${NAME:-default}` taken from an environment.

    Raises:
        SettingsError: one of them names a variable that is not set.
    """
    source = Variables(environment)
    filled = {name: source.filled(value) for name, value in variables.items()}
    source.require("the setting env")
    return filled
