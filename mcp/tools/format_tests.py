"""`format_tests`: gives staged test files, and the helpers they need, the layout of the project that they join."""

from __future__ import annotations

import asyncio

from ...analysis.project_style import in_project_style
from ...store.files.staging import Staging
from ..toolbox.json_schema import TEXTS, array, closed_object, string
from ..toolbox.services import ToolServices
from ..toolbox.staged_files import with_dependencies
from ..toolbox.tool_spec import Json, ToolSpec


async def _run(services: ToolServices, /, test_paths: list[str]) -> Json:
    """Orders the imports of staged test files and formats them as the project's own ruff configuration says for the
    folder where they land; without one, as its settings for black and isort say. Nothing but the layout changes.
    """
    staged = services.run_folder.staged

    def read() -> dict[str, str]:
        found: dict[str, str] = {}
        for path in test_paths:
            found |= with_dependencies(staged, services.test_path(path))
        return found

    files = await asyncio.to_thread(read)
    styled = await in_project_style(services.root, files)
    changed = [path for path, text in styled.contents.items() if text != files[path]]
    staging = Staging(services.run_folder, services.root)
    for path in changed:
        await asyncio.to_thread(staging.stage, path, styled.contents[path])
    return {"changed": changed, "problem": styled.problem}


TOOL = ToolSpec(
    name="format_tests",
    input_schema=closed_object(
        test_paths=array(string(minLength=1), minItems=1, description="Paths in the project, as staged.")
    ),
    output_schema=closed_object(
        changed=TEXTS,
        problem={**string(), "description": "Why files are as they were; empty when none had to be."},
    ),
    run=_run,
    timeout_seconds=600.0,
    read_only=False,
)
