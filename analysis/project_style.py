"""Gives test files the layout of the project that they join: import order, formatting and line length of its ruff
configuration, or of the settings it has for black and isort.

Ruff has no plugins, but a configuration may name files anywhere (`extend`): with one, ruff runs in the sandbox, where
it sees the project and the configuration files of its repository only.
"""

from __future__ import annotations

import asyncio
import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..core.errors import SandboxFailure, SandboxUnavailable
from ..engine.python.source.long_lines import break_long_lines, is_same_code, suppress_long_lines
from ..sandbox.opening import open_sandbox
from ..sandbox.protocol import Limits, Program, Sandbox
from ..utils.generated_header import generated_from, with_header, without_header
from ..utils.untrusted_files import source_or_empty
from .ruff import find_ruff

_SECONDS = 60
_AT_ONCE = 2
_TURNS = 3
_FILES = (".ruff.toml", "ruff.toml", "pyproject.toml")
_TOO_LONG = "E501"
_WIDTH = re.compile(r"> (\d+)\)")
_ISORT_OPTIONS = {
    "known_first_party": "known-first-party",
    "known_third_party": "known-third-party",
    "force_single_line": "force-single-line",
    "force_sort_within_sections": "force-sort-within-sections",
    "combine_as_imports": "combine-as-imports",
    "order_by_type": "order-by-type",
}
_ISORT_PROFILES: Mapping[str, Mapping[str, Any]] = {
    "google": {"force_single_line": True, "force_sort_within_sections": True, "order_by_type": False}
}


@dataclass(frozen=True, slots=True)
class StyledFiles:
    """Files in the project's layout; `problem` says why some are as they were, empty when none had to be."""

    contents: dict[str, str]
    problem: str = ""


@dataclass(frozen=True, slots=True)
class _Ruff:
    """How ruff is called for a file: in the sandbox with the configuration around it, else with `options` alone."""

    root: Path
    sandbox: Sandbox
    readable: tuple[Path, ...]
    options: tuple[str, ...]

    async def run(self, command: Sequence[str], path: str, text: str) -> str:
        """The output. Raises ValueError when ruff refuses, as for a broken configuration."""
        place = ("--no-cache", "--stdin-filename", str(self.root / path), "-")
        program = Program(
            argv=(find_ruff(), *command, *self.options, *place),
            cwd=self.root,
            readable=(self.root, *self.readable),
            limits=Limits(wall_seconds=_SECONDS),
            stdin=text.encode("utf-8", "surrogatepass"),
        )
        done = await self.sandbox.run(program)
        if done.exit_code not in (0, 1):
            complaint = done.reason or done.stderr.decode("utf-8", "replace").strip()
            raise ValueError(complaint[:500])
        return done.stdout.decode("utf-8", "surrogatepass")


async def in_project_style(root: Path, files: Mapping[str, str]) -> StyledFiles:
    """Order the imports of Python test files and format them as the project's own configuration says for their folder.

    Lines that the project's linter still finds too long are broken, or marked where nothing can break them. A file is
    left as it is where the project configures nothing, where its configuration is broken, and where more than the
    layout would change.

    Args:
        root: the project.
        files: contents by POSIX path relative to the project, with or without a header; the files need not exist.

    Raises:
        EnvironmentFault: ruff is not installed.
    """
    root = root.resolve()
    wanted = {path: text for path, text in files.items() if path.endswith(".py")}
    found = await asyncio.to_thread(lambda: {path: _configuration(root, path) for path in wanted})
    if not any(found.values()):
        return StyledFiles(dict(files))
    try:
        sandbox = await asyncio.to_thread(open_sandbox)
    except SandboxUnavailable as fault:
        return StyledFiles(dict(files), f"ruff is not run on a configuration without a sandbox: {fault.message}")
    gate = asyncio.Semaphore(_AT_ONCE)

    async def styled(path: str) -> tuple[str, str]:
        configured = found[path]
        if configured is None:
            return wanted[path], ""
        try:
            async with gate:
                return await _styled(_Ruff(root, sandbox, *configured), path, wanted[path]), ""
        except (ValueError, SyntaxError, SandboxFailure) as error:
            return wanted[path], f"ruff, with the project's configuration: {error}"

    answers = dict(zip(wanted, await asyncio.gather(*map(styled, wanted)), strict=True))
    contents = {path: answers[path][0] if path in answers else text for path, text in files.items()}
    return StyledFiles(contents, next((problem for _text, problem in answers.values() if problem), ""))


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
    if not is_same_code(body, new):
        return text
    return new if target is None else with_header(new, target=target)


async def _laid_out(ruff: _Ruff, path: str, text: str) -> str:
    ordered = await ruff.run(("check", "--quiet", "--fix-only", "--select", "I"), path, text)
    # Ruff prints nothing for files that a configuration excludes.
    return await ruff.run(("format", "--quiet"), path, ordered or text) or ordered or text


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


def _configuration(root: Path, path: str) -> tuple[tuple[Path, ...], tuple[str, ...]] | None:
    """Files above the project that ruff reads, and options instead of a configuration; None where there is none."""
    for folder in (root / path).parents:
        if folder.is_relative_to(root) and _has_ruff_settings(folder):
            return (), ()
        if folder == root:
            break
    for folder in _above(root):
        if _has_ruff_settings(folder):
            return tuple(folder / name for name in _FILES if (folder / name).is_file()), ()
    options = _other_settings(root)
    return ((), ("--isolated", *options)) if options else None


def _above(root: Path) -> Sequence[Path]:
    """The folders above the project up to its repository's; none outside a repository, where nobody's settings lie."""
    if (root / ".git").exists():
        return ()
    parents = list(root.parents)
    top = next((number for number, folder in enumerate(parents) if (folder / ".git").exists()), -1)
    return parents[: top + 1]


def _has_ruff_settings(folder: Path) -> bool:
    return any((folder / name).is_file() for name in _FILES[:2]) or "ruff" in _tools(folder)


def _other_settings(root: Path) -> list[str]:
    """Ruff's options for what a pyproject.toml says to black and isort."""
    tools = _tools(root)
    black, isort = (tools.get(name) if isinstance(tools.get(name), dict) else None for name in ("black", "isort"))
    settings: dict[str, Any] = {}
    profile = _ISORT_PROFILES.get(str((isort or {}).get("profile")), {})
    for key, value in {**profile, **(isort or {})}.items():
        if key in _ISORT_OPTIONS:
            settings[f"lint.isort.{_ISORT_OPTIONS[key]}"] = value
    length = (black or {}).get("line-length") or (isort or {}).get("line_length")
    if isinstance(length, int):
        settings["line-length"] = length
    if (black or {}).get("skip-string-normalization") is True:
        settings["format.quote-style"] = "preserve"
    if black is not None or isort is not None:
        settings.setdefault("line-length", 88)
    return [word for key, value in settings.items() for word in ("--config", f"{key} = {json.dumps(value)}")]


def _tools(folder: Path) -> dict[str, Any]:
    """The tables of `[tool]` in a folder's pyproject.toml; none where it does not read."""
    try:
        tools = tomllib.loads(source_or_empty(folder, "pyproject.toml")).get("tool", {})
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}
    return tools if isinstance(tools, dict) else {}
