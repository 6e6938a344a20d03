"""Gives test files the layout of the project that they join: import order, formatting and line length of its ruff
configuration, or of the settings it has for black and isort.

Ruff has no plugins, but a configuration may name files anywhere (`extend`): with one, ruff runs in the sandbox, where
it sees the project and the configuration files that `layout_settings` allows only.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..core.errors import SandboxFailure, SandboxUnavailable
from ..engine.python.source.long_lines import break_long_lines, is_same_code, suppress_long_lines
from ..sandbox.opening import open_sandbox
from ..sandbox.protocol import Limits, Program, Sandbox
from ..utils.generated_header import generated_from, with_header, without_header
from .ruff import find_ruff
from .ruff_configuration import LayoutSettings, layout_settings

_SECONDS = 60
_AT_ONCE = 2
_TURNS = 3
_LONGEST_COMPLAINT = 500
_TOO_LONG = "E501"
_WIDTH = re.compile(r"> (\d+)\)")


@dataclass(frozen=True, slots=True)
class StyledFiles:
    """Files in the project's layout; `problem` says why some are as they were, empty when none had to be."""

    contents: dict[str, str]
    problem: str = ""


@dataclass(frozen=True, slots=True)
class _Ruff:
    """How ruff is called for a file: in the sandbox, with what the settings of the project say."""

    root: Path
    sandbox: Sandbox
    settings: LayoutSettings

    async def run(self, command: Sequence[str], path: str, text: str, options: Mapping[str, Any] | None = None) -> str:
        """The output. Raises ValueError when ruff refuses, as for a broken configuration."""
        place = ("--no-cache", "--stdin-filename", str(self.root / path), "-")
        isolated = ("--isolated",) if self.settings.isolated else ()
        given = [f"{key} = {json.dumps(value)}" for key, value in (options or {}).items()]
        program = Program(
            argv=(find_ruff(), *command, *isolated, *(word for one in given for word in ("--config", one)), *place),
            cwd=self.root,
            readable=(self.root, *self.settings.readable),
            limits=Limits(wall_seconds=_SECONDS),
            stdin=text.encode("utf-8", "surrogatepass"),
        )
        done = await self.sandbox.run(program)
        if done.exit_code not in (0, 1):
            complaint = done.reason or done.stderr.decode("utf-8", "replace").strip()
            raise ValueError(" ".join(complaint.split())[:_LONGEST_COMPLAINT])
        return done.stdout.decode("utf-8", "surrogatepass")


async def in_project_style(root: Path, files: Mapping[str, str]) -> StyledFiles:
    """Order the imports of Python test files and format them as the project's own configuration says for their folder.

    Lines that the project's linter still finds too long are broken, or marked where nothing can break them. A file is
    left as it is where the project configures nothing; where its configuration is broken or must not be read, and where
    more than the layout would change, `problem` says so.

    Args:
        root: the project.
        files: contents by POSIX path relative to the project, with or without a header; the files need not exist.

    Raises:
        EnvironmentFault: ruff is not installed.
    """
    root = root.resolve()
    wanted = {path: text for path, text in files.items() if path.endswith(".py")}
    found = await asyncio.to_thread(lambda: {path: _settings_or_fault(root, path) for path in wanted})
    if not any(found.values()):
        return StyledFiles(dict(files))
    try:
        sandbox = await asyncio.to_thread(open_sandbox)
    except SandboxUnavailable as fault:
        return StyledFiles(dict(files), f"ruff is not run on a configuration without a sandbox: {fault.message}")
    gate = asyncio.Semaphore(_AT_ONCE)

    async def styled(path: str) -> tuple[str, str]:
        settings = found[path]
        if settings is None:
            return wanted[path], ""
        try:
            # A configuration that must not be read is the file's problem, as one that ruff refuses.
            if isinstance(settings, ValueError):
                raise settings
            async with gate:
                return await _styled(_Ruff(root, sandbox, settings), path, wanted[path]), ""
        except (ValueError, SyntaxError, SandboxFailure) as error:
            return wanted[path], f"ruff, with the project's configuration: {error}"

    answers = dict(zip(wanted, await asyncio.gather(*map(styled, wanted)), strict=True))
    contents = {path: answers[path][0] if path in answers else text for path, text in files.items()}
    return StyledFiles(contents, next((problem for _text, problem in answers.values() if problem), ""))


def _settings_or_fault(root: Path, path: str) -> LayoutSettings | ValueError | None:
    try:
        return layout_settings(root, path)
    except ValueError as error:
        return error


async def _styled(ruff: _Ruff, path: str, text: str) -> str:
    target = generated_from(text)
    body = text if target is None else without_header(text)
    new = await _laid_out(ruff, path, body)
    for turn in range(_TURNS):
        long = await _long_lines(ruff, path, new)
        if not long:
            break
        width = min(width for width, _end in long.values())
        if turn + 1 < _TURNS:
            new = await _laid_out(ruff, path, break_long_lines(new, long, width))
        else:
            new = suppress_long_lines(new, {end for _width, end in long.values()})
    if not is_same_code(body, new, required=ruff.settings.required):
        raise ValueError(f"it would change more of {path} than the layout")
    return new if target is None else with_header(new, target=target)


async def _laid_out(ruff: _Ruff, path: str, text: str) -> str:
    order = ("check", "--quiet", "--fix-only", "--select", "I")
    ordered = await ruff.run(order, path, text, ruff.settings.ordering)
    # Ruff prints nothing for files that a configuration excludes.
    new = await ruff.run(("format", "--quiet"), path, ordered or text, ruff.settings.formatting)
    return new or ordered or text


async def _long_lines(ruff: _Ruff, path: str, text: str) -> dict[int, tuple[int, int]]:
    """(allowed columns, line of a suppression) by the number of each line that the project's own rules refuse."""
    printed = await ruff.run(("check", "--quiet", "--no-fix", "--output-format", "json"), path, text)
    found = {}
    for row in json.loads(printed or "[]"):
        width = _WIDTH.search(str(row.get("message")))
        if row.get("code") == _TOO_LONG and width is not None:
            line = int(row["location"]["row"])
            found[line] = int(width.group(1)), int(row.get("noqa_row") or line)
    return found
