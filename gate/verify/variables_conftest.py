"""Writes the conftest.py that sets the variables which the code under test needs, where a bare `pytest` has none.

The tests were made with the variables of the `env` setting. A person who types `pytest` does not have them, and a
module that reads one at import would end the whole session. What is set stays, so that a person's own value wins.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from ...utils.generated_header import with_header
from ...utils.redact import Redactor, is_secret_name, placeholder_secret


def variables_conftest(variables: Mapping[str, str]) -> str:
    """The file's text. Values of variables whose names say secret, and what looks like one, become placeholders."""
    redactor = Redactor.from_environment(variables)
    shown = {
        name: placeholder_secret(name) if _is_secret(name) or redactor.text(value) != value else value
        for name, value in sorted(variables.items())
    }
    body = [
        '"""Sets what the code under test reads from the environment, where nobody else has."""',
        "",
        "import os",
        "",
        *(line for name, value in shown.items() for line in _default(name, value)),
    ]
    return with_header("\n".join(body) + "\n", target="the setting env")


def _is_secret(name: str) -> bool:
    return is_secret_name(name) or name.upper().endswith("KEY")


def _default(name: str, value: str) -> list[str]:
    line = f"os.environ.setdefault({_quoted(name)}, {_quoted(value)})"
    if len(line) <= 88:
        return [line]
    return ["os.environ.setdefault(", f"    {_quoted(name)},", f"    {_quoted(value)},", ")"]


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False) if text.isprintable() else repr(text)
