"""Asks the tools that check code about a target; models are told what they find, and a failure is a warning."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from typing import Any

from ...core.errors import ToolFailure
from ..context import GraphServices

_MOST_LINES = 8
_LONGEST = 200
_OF_LOOKS = re.compile(r"(?:I|UP|W|D|E[1-7]|N|Q|COM|ANN|ERA|FA|ISC|TC|PT|RUF100)\d*\Z")
"""Families of ruff's rules about layout, names and spelling, which tell nothing of what code does."""


async def target_checks(services: GraphServices, path: str | None) -> tuple[dict[str, list[str]], list[str]]:
    """What the run's context tools find in a file, by tool, one line each, and warnings about those that failed."""
    if path is None or not path.endswith(".py"):
        return {}, []
    found = await asyncio.gather(*(_check(services, tool, path) for tool in services.context_tools))
    lines = {tool: said for tool, said, _ in found if said}
    return lines, [warning for _, _, warning in found if warning]


async def _check(services: GraphServices, tool: str, path: str) -> tuple[str, list[str], str]:
    arguments: dict[str, Any] = {} if tool == "run_build" else {"file_path": path}
    if tool == "check_syntax":
        arguments["language"] = "python"
    try:
        answer = await _answer(services, tool, arguments)
    except ToolFailure as error:
        return tool, [], f"{tool}: {error}"
    return tool, _lines(tool, answer, path), ""


async def _answer(services: GraphServices, tool: str, arguments: dict[str, Any]) -> Mapping[str, Any]:
    """The answer of a tool; what is the same for every file is asked for once a run. Raises ToolFailure."""
    if arguments:
        return await services.tools.call(tool, arguments)
    async with services.once_lock:
        if tool not in services.once:
            try:
                services.once[tool] = await services.tools.call(tool, arguments)
            except ToolFailure as error:
                services.once[tool] = error
    answer = services.once[tool]
    if isinstance(answer, ToolFailure):
        raise answer
    return answer


def _lines(tool: str, answer: Mapping[str, Any], path: str) -> list[str]:
    """What an answer says, of a build only what it says of the file; what is found in several lines is said once."""
    errors = [row for row in answer.get("errors") or () if isinstance(row, Mapping)]
    places: dict[str, list[str]] = {}
    for row in errors:
        rule = str(row.get("rule") or row.get("code") or "")
        if (tool == "run_build" and row.get("path") != path) or (tool == "lint_code" and _OF_LOOKS.match(rule)):
            continue
        places.setdefault(f"{rule} {row.get('message')}", []).append(str(row.get("line")))
    said = [f"line {', '.join(lines)}: {finding}" for finding, lines in places.items()]
    if tool == "run_build" and answer.get("status") == "failed":
        said.insert(0, f"the build failed: {answer.get('reason') or answer.get('command')}")
    return [" ".join(line.split())[:_LONGEST] for line in said[:_MOST_LINES]]
