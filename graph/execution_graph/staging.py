"""Test files in the run's folder: written below `staged/` by the file tool, never in the project (B-09)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from langgraph.runtime import Runtime

from ..context import RunContext, services_of

STAGED = "staged"


def staged(path: str) -> str:
    """Where a file of the project is staged, relative to the run's folder."""
    return f"{STAGED}/{path}"


async def stage(files: Iterable[Mapping[str, str]], runtime: Runtime[RunContext]) -> list[str]:
    """Write files through the file tool; the answer is their paths in the run's folder, in the given order.

    Raises:
        ToolFailure: a path leads out of the run's folder, or cannot be written.
    """
    tools = services_of(runtime).tools
    paths: list[str] = []
    for file in files:
        path = staged(file["path"])
        await tools.call("write_file", {"path": path, "contents": file["contents"]})
        paths.append(path)
    return paths


def main_file(paths: list[str], test_path: str) -> str | None:
    """The staged test file itself among the files the writer made, or the first of them when it named it otherwise."""
    wanted = staged(test_path)
    return wanted if wanted in paths else (paths[0] if paths else None)


async def read_staged(paths: Iterable[str], runtime: Runtime[RunContext]) -> list[dict[str, str]]:
    """Staged files as `{path, contents}`, paths as in the project. Raises ToolFailure."""
    tools = services_of(runtime).tools
    files: list[dict[str, str]] = []
    for path in paths:
        answer = await tools.call("read_file", {"path": path})
        files.append({"path": path.removeprefix(f"{STAGED}/"), "contents": answer["contents"]})
    return files


def left_out(not_written: Iterable[Mapping[str, str]]) -> list[dict[str, str]]:
    """Cases the writer could not write, in the form in which dropped cases are remembered."""
    return [
        {"case_id": one["case_id"], "nodeid": "", "reason": f"not written: {one['reason']}", "class": "test_defect"}
        for one in not_written
    ]
