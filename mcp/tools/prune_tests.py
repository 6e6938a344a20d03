"""`prune_tests`: cases leave the spec and the staged test file, which is rendered again (B-04, B-11)."""

from __future__ import annotations

import asyncio
from typing import Any

from ...engine.python.render import render
from ...errors import ToolFailure
from ...gate.prune import prune
from ...store.files import write_file
from ...store.staging import Staging
from ...utils.canonical import pretty_json
from ..definition import ToolDefinition, closed_object
from ..services import ToolServices
from .run_tests import read_spec


async def _run(services: ToolServices, /, **arguments: Any) -> dict[str, Any]:
    return await asyncio.to_thread(_pruned, services, **arguments)


def _pruned(services: ToolServices, test_path: str, spec_path: str, drop: list[str], framework: str) -> dict[str, Any]:
    spec = read_spec(services, spec_path) or {}
    if spec.get("test_type") != "unit" or not isinstance(spec.get("cases"), list):
        raise ToolFailure(
            f"the tests of {spec_path!r} cannot be written again: only unit specs are rendered here",
            advice="drop the cases from the spec and have the writing agent write the file",
        )
    path = services.test_path(test_path)
    done = prune(spec, drop, framework=framework, render=render)
    staging = Staging(services.run_folder, services.root)
    if done.contents is None:
        staging.unstage(path)
    else:
        staging.stage(path, done.contents)
    write_file(services.run_file(spec_path), pretty_json(done.spec))
    return {
        "test_path": path,
        "spec_path": spec_path,
        "removed": list(done.removed),
        "unknown": list(done.unknown),
        "kept": [case["id"] for case in done.spec["cases"]],
    }


_IDS = {"type": "array", "items": {"type": "string"}}

TOOL = ToolDefinition(
    name="prune_tests",
    description="Takes cases out of a spec and renders its staged test file again; without a case left, the file goes.",
    input_schema=closed_object(
        {
            "test_path": {"type": "string", "minLength": 1, "description": "Path in the project, as staged."},
            "spec_path": {"type": "string", "minLength": 1, "description": "The spec, relative to the run's folder."},
            "drop": {**_IDS, "description": "Ids of the cases to take out; unknown ones do no harm."},
            "framework": {"type": "string", "enum": ["pytest", "unittest"]},
        }
    ),
    output_schema=closed_object(
        {
            "test_path": {"type": "string"},
            "spec_path": {"type": "string"},
            "removed": _IDS,
            "unknown": _IDS,
            "kept": _IDS,
        }
    ),
    run=_run,
    timeout_seconds=120.0,
    read_only=False,
)
