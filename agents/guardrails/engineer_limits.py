"""Checks files of the engineer's model before they are kept: their paths and what their code does."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

from ...core.errors import SchemaValidationError
from ..contract.protocol import JsonObject
from .confined_files import confine_files
from .maestro_code import maestro_reasons
from .problems import problem
from .typescript_code import playwright_reasons

_VARIABLE = re.compile(r"\b[A-Z][A-Z0-9_]{2,}\b")
_ALWAYS = frozenset({"AUTHORIZATION", "CI"})


def refused_files(
    files: Sequence[Mapping[str, Any]], framework: str, cases: Sequence[Mapping[str, Any]]
) -> list[JsonObject]:
    """Lists the reasons why files may not be kept; empty when all may.

    Args:
        framework: playwright or maestro.
        cases: the cases the files were written for; the environment variables they name may be read.
    """
    if not files:
        return [problem("$.files", "holds no file", suggestion="write at least one")]
    problems: list[JsonObject] = []
    try:
        confine_files(files, framework)
    except SchemaValidationError as error:
        path_errors = error.details.get("errors")
        problems += [dict(item) for item in path_errors] if isinstance(path_errors, list) else []
    paths, variables = frozenset(str(file["path"]) for file in files), named_variables(cases)
    for at, file in enumerate(files):
        path, code = str(file["path"]), str(file["contents"])
        if framework == "playwright":
            reasons = playwright_reasons(code, path=path, files=paths, variables=variables)
        else:
            reasons = maestro_reasons(code, variables=variables)
        problems += [problem(f"$.files[{at}].contents", f"{path}: {reason}") for reason in reasons]
    return problems


def named_variables(cases: Sequence[Mapping[str, Any]]) -> AbstractSet[str]:
    """Environment variables that cases name in their preconditions and steps."""
    texts = [str(text) for case in cases for key in ("preconditions", "steps") for text in case.get(key) or ()]
    return _ALWAYS | {name for text in texts for name in _VARIABLE.findall(text)}
