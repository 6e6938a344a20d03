"""Explains why a target module does not import, and what to do about it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ....core.errors import TargetImportError
from ....sandbox.target import PythonTarget
from ..model.model import ModuleFacts


def import_failure(
    facts: ModuleFacts, target: PythonTarget, answer: dict[str, Any], project: Path
) -> TargetImportError:
    """The error for the worker's `import_error` answer: module, exception, last line, advice."""
    error, refusals = answer["import_error"], answer.get("refusals", [])
    kind, message = str(error["type"]), _without(str(error["message"]), project)
    where = ""
    if error.get("file"):
        where = (
            f" ({_without(str(error['file']), project)} line {error['line']}: {str(error.get('text') or '').strip()})"
        )
    # That the file is another one than asked for is known to our importer only: its class says nothing to anybody.
    named = "" if kind == "WrongFileError" else f"{kind}: "
    return TargetImportError(
        f"{facts.module} does not import: {named}{message}{where}",
        advice=_missing_variable(kind, message, str(error.get("text") or ""))
        or _advice(facts, target, kind, message, error.get("name"), refusals),
        details={"module": facts.module, "path": facts.path, "exception": kind, "message": message},
    )


def syntax_advice(path: str, message: str, line: int, version: Sequence[int]) -> str:
    """What to do about a file that does not parse.

    Args:
        line: 0 where it is not known.
        version: of the Python that does not parse it.
    """
    if "unknown encoding" in message:
        return f"The first lines of {path} name an encoding that Python does not have: mend or remove that comment."
    if "unicode error" in message or "encoding" in message:
        return (
            f"{path} is not in UTF-8: save it so, or name its encoding in its first line, "
            "such as `# -*- coding: latin-1 -*-`."
        )
    where = f"line {line} of {path}" if line else path
    return (
        f"Correct {where}; where it is written for another Python than {'.'.join(map(str, version))}, name the "
        "project's interpreter with --python."
    )


def import_timeout(facts: ModuleFacts, target: PythonTarget) -> TargetImportError:
    """The error for a module whose import does not come to an end."""
    return TargetImportError(
        f"{facts.module} does not import: importing it did not come to an end within {target.import_seconds:g} s",
        advice="Guard what it does at import with if __name__ == '__main__', or allow more time by `import_seconds`.",
        details={"module": facts.module, "path": facts.path, "exception": "TimeoutError", "message": "no end"},
    )


def _missing_variable(kind: str, message: str, text: str) -> str:
    """What to do where an import fails because an environment variable is not set; "" where that is not the reason."""
    names: list[str] = []
    if kind == "KeyError" and re.search(r"\benv(?:iron)?\b", text):
        names = re.findall(r"^'(\w+)'$", message)
    elif kind == "UndefinedValueError":  # python-decouple
        names = re.findall(r"^(\w+) not found", message)
    elif kind == "ImproperlyConfigured":  # django-environ
        names = re.findall(r"[Ss]et the (\w+) environment variable", message)
    elif kind == "ValidationError" and "Field required" in message:  # pydantic settings: a field, whatever its case
        names = [name.upper() for name in re.findall(r"^(\w+)\n\s+Field required", message, re.MULTILINE)]
    if not names:
        return ""
    lines = " ".join(f'{name} = "…"' for name in names)
    return (
        f"It needs the environment variable {', '.join(names)}, and code under test sees none of yours. Give a value "
        f"for tests in pyproject.toml: [tool.testwright.env] {lines} (in testwright.toml: [env])."
    )


def _advice(
    facts: ModuleFacts, target: PythonTarget, kind: str, message: str, name: str | None, refusals: list[list[str]]
) -> str:
    python = target.interpreter.path
    if refusals:
        return (
            f"Importing it reaches for something the sandbox refuses ({refusals[0][0]}). "
            "Move that work out of module level, into a function."
        )
    if kind == "ModuleNotFoundError" and name:
        top = name.partition(".")[0]
        if top == facts.module.partition(".")[0]:
            return f"{name} is part of the project but is not found below {facts.import_root!r}; check the layout."
        return (
            f"Install the package that provides {top!r} for {python} (-m pip install …), "
            "or name another interpreter with --python."
        )
    if "partially initialized module" in message or "circular import" in message:
        return "Two modules import each other. Import one of them inside the function that needs it."
    if kind in ("SyntaxError", "IndentationError", "TabError"):
        broken = re.search(r"\(([^()]+\.py), line (\d+)\)", message)
        path, line = (broken.group(1), int(broken.group(2))) if broken else (facts.path, 0)
        return syntax_advice(path, message, line, target.interpreter.version[:2])
    if kind == "SystemExit":
        return "The module ends the program when it is imported; guard that with if __name__ == '__main__'."
    if kind == "WrongFileError":
        other = re.search(r"is imported from ([^,/][^,]*), not from the project", message)
        if other is not None and facts.import_root not in ("", "."):
            return (
                f"{other[1]} has the same name, and one process imports only one of them: test each project by itself, "
                f"with --root {shlex.quote(facts.import_root)}."
            )
        return (
            f"Any test runner has loaded that one before the project's own {facts.path}, so no test can reach yours: "
            "rename it, or move it into a package. Modules beside it that import the name get the other one as well."
        )
    return f"Import it by hand to see the whole traceback: {python} -c 'import {facts.module}'"


def _without(text: str, project: Path) -> str:
    return text.replace(f"{project}/", "").replace(str(project), ".")
