"""Writes the conftest.py that sets the variables which the code under test needs, where a bare `pytest` has none.

The tests were made with the variables of the `env` setting. A person who types `pytest` does not have them, and a
module that reads one at import would end the whole session. What is set stays, so that a person's own value wins. What
the setting takes from the environment is taken from there again; the tests are skipped where it is missing.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from ...utils.generated_header import with_header
from ...utils.redact import Redactor, is_secret_name, placeholder_secret

_IMPORTS = """import contextlib
import os
import string

import pytest
"""
_TAKEN = '''
for name in TAKEN.keys() - os.environ.keys():
    with contextlib.suppress(KeyError):
        os.environ[name] = string.Template(TAKEN[name]).substitute(os.environ)
UNSET = sorted(TAKEN.keys() - os.environ.keys())


class Skipped(pytest.File):
    """A test file that needs a variable which is not set."""

    def collect(self):
        needed = ", ".join(f"{name} ({TAKEN[name]})" for name in UNSET)
        pytest.skip(f"set in the environment: {needed}", allow_module_level=True)


def pytest_pycollect_makemodule(module_path, parent):
    """Skip the files of this folder while a variable is missing."""
    return Skipped.from_parent(parent, path=module_path) if UNSET else None
'''


def variables_conftest(variables: Mapping[str, str], taken: Mapping[str, str] | None = None) -> str:
    """The file's text. Values of variables whose names say secret, and what looks like one, become placeholders.

    Args:
        taken: the variables whose values come from the user's environment, and what may be written of them, see
            `PythonTarget`.
    """
    outside = {name: (taken or {})[name] for name in unwritten(variables, taken or {})}
    redactor = Redactor.from_environment(variables)
    shown = {
        # What is taken and still has a secret in its form is as little for a file as any secret.
        name: placeholder_secret(name)
        if _is_secret(name) or name in (taken or {}) or redactor.text(value) != value
        else value
        for name, value in sorted(variables.items())
        if name not in outside
    }
    body = [
        '"""Sets what the code under test reads from the environment, where nobody else has."""',
        "",
        *(_IMPORTS.splitlines() if outside else ["import os"]),
        "",
        *(line for name, value in shown.items() for line in _default(name, value)),
        *(_from_outside(outside) if outside else ()),
    ]
    return with_header("\n".join(body) + "\n", target="the setting env")


def unwritten(variables: Mapping[str, str], taken: Mapping[str, str]) -> list[str]:
    """Return the names of variables that the file takes from the environment; secrets have placeholders instead."""
    shapes = Redactor()
    named = (name for name in taken if name in variables and not _is_secret(name))
    return sorted(name for name in named if shapes.text(taken[name]) == taken[name])


def _from_outside(outside: Mapping[str, str]) -> Iterator[str]:
    yield "# The setting env takes these from the environment: their values are in no file."
    yield "TAKEN = {"
    yield from (f"    {_quoted(name)}: {_quoted(form)}," for name, form in outside.items())
    yield "}"
    yield from _TAKEN.strip().splitlines()


def _is_secret(name: str) -> bool:
    return is_secret_name(name) or name.upper().endswith("KEY")


def _default(name: str, value: str) -> list[str]:
    line = f"os.environ.setdefault({_quoted(name)}, {_quoted(value)})"
    if len(line) <= 88:
        return [line]
    return ["os.environ.setdefault(", f"    {_quoted(name)},", f"    {_quoted(value)},", ")"]


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False) if text.isprintable() else repr(text)
