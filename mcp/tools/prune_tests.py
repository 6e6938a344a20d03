"""`prune_tests`: cases leave the spec and the staged test file (B-04, B-11).

A file that its spec renders to is rendered again; one that somebody else wrote, such as a model, has the tests of the
dropped cases cut out and keeps the rest.
"""

from __future__ import annotations

import asyncio
from typing import Any

from ...core.errors import AgentFailure, ToolFailure
from ...engine.python.write.remove_tests import proven_cases, without_tests
from ...engine.python.write.render import format_python
from ...engine.rendering import render_files, renderable_types
from ...gate.evidence.prune import prune, without_cases
from ...store.files.files import write_file
from ...store.files.staging import Staging
from ...utils.canonical import pretty_json
from ...utils.confined_paths import read_text
from ...utils.generated_header import untouched, with_header, without_header
from ..toolbox.definition import ToolDefinition, closed_object
from ..toolbox.services import ToolServices
from .run_tests import read_spec


async def _run(services: ToolServices, /, **arguments: Any) -> dict[str, Any]:
    return await asyncio.to_thread(_pruned, services, **arguments)


def _pruned(services: ToolServices, test_path: str, spec_path: str, drop: list[str], framework: str) -> dict[str, Any]:
    spec = read_spec(services, spec_path) or {}
    if spec.get("test_type") not in renderable_types() or not isinstance(spec.get("cases"), list):
        known = ", ".join(renderable_types())
        raise ToolFailure(
            f"the tests of {spec_path!r} cannot be written again: only {known} specs are rendered here",
            advice="drop the cases from the spec and have the writing agent write the file",
        )
    path = services.test_path(test_path)
    text = read_text(services.run_folder.staged / path, path)

    def render(left: dict[str, Any], framework: str) -> str:
        return render_files(left, framework, path)[0].contents

    written = render if _rendered(spec, text, framework, path) else lambda left, _: _cut(spec, left, text)
    done = prune(spec, drop, framework=framework, render=written)
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


def _rendered(spec: dict[str, Any], text: str, framework: str, path: str) -> bool:
    """Whether a staged file is what the cases it proves render to."""
    proven = proven_cases(text, _ids(spec))
    missing = [case["id"] for case in spec["cases"] if case["id"] not in proven]
    forms = [{**spec, "cases": [case for case in spec["cases"] if case["id"] in proven]}, without_cases(spec, missing)]
    try:
        return any(form["cases"] and render_files(form, framework, path)[0].contents == text for form in forms)
    except AgentFailure:
        return False


def _ids(spec: dict[str, Any]) -> set[str]:
    return {case["id"] for case in spec["cases"]}


def _cut(spec: dict[str, Any], left: dict[str, Any], text: str) -> str:
    """The file without the tests of all cases that the spec no longer has, under a header of its own."""
    body = without_header(text) if untouched(text) is not None else text
    cut = without_tests(body, proven_cases(body, _ids(spec)) - _ids(left))
    return with_header(format_python(cut), target=str((left.get("target") or {}).get("path") or ""))


_IDS = {"type": "array", "items": {"type": "string"}}

TOOL = ToolDefinition(
    name="prune_tests",
    description="Takes cases out of a spec and out of its staged test file; without a case left, the file goes.",
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
