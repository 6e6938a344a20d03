"""`prune_tests`: removes cases from a spec and from its staged test file.

A file that equals what its spec renders to is rendered again. From one that is not, such as a model's, the
tests of the dropped cases are cut out and the rest is kept.
"""

from __future__ import annotations

from ...core.errors import AgentFailure, ToolFailure
from ...engine.python.write.render import format_python
from ...engine.python.write.repair import proven_cases, without_tests
from ...engine.rendering import render_files, renderable_types
from ...gate.evidence.prune import prune, without_cases
from ...store.files.files import write_file
from ...store.files.staging import Staging
from ...utils.canonical import pretty_json
from ...utils.confined_paths import read_text
from ...utils.generated_header import is_untouched, with_header, without_header
from ..toolbox.json_schema import TEXTS, closed_object, string
from ..toolbox.services import ToolServices
from ..toolbox.tool_spec import Json, ToolSpec
from .run_tests import read_spec

_RENDERED_ALWAYS = ("jest", "playwright", "maestro")
"""Frameworks whose files no model writes for a spec, and that are no Python that tests could be cut out of."""


def _run(services: ToolServices, /, test_path: str, spec_path: str, drop: list[str], framework: str) -> Json:
    """Takes cases out of a spec and out of its staged test file, which is set aside where no case is left."""
    spec = read_spec(services, spec_path) or {}
    if spec.get("test_type") not in renderable_types() or not isinstance(spec.get("cases"), list):
        known = ", ".join(renderable_types())
        raise ToolFailure(
            f"the tests of {spec_path!r} cannot be written again: only {known} specs are rendered here",
            advice="drop the cases from the spec and have the writing agent write the file",
        )
    path = services.test_path(test_path)
    text = read_text(services.run_folder.staged / path, path, (services.run_folder.staged,))

    def render(remaining: Json, framework: str) -> str:
        return render_files(remaining, framework, path)[0].contents

    renderer = (
        render
        if spec.get("framework") in _RENDERED_ALWAYS or _is_rendered(spec, text, framework, path)
        else lambda rest, _: _cut(spec, rest, text)
    )
    pruned = prune(spec, drop, framework=framework, render=renderer)
    staging = Staging(services.run_folder, services.root)
    if pruned.contents is None:
        staging.set_aside(path)  # no case is left
    else:
        staging.stage(path, pruned.contents)
    write_file(services.run_file(spec_path), pretty_json(pruned.spec))
    return {
        "test_path": path,
        "spec_path": spec_path,
        "removed": list(pruned.removed),
        "unknown": list(pruned.unknown),
        "kept": [case["id"] for case in pruned.spec["cases"]],
    }


def _is_rendered(spec: Json, text: str, framework: str, path: str) -> bool:
    """Whether a staged file equals what its cases render to."""
    proven = proven_cases(text, _ids(spec))
    missing = [case["id"] for case in spec["cases"] if case["id"] not in proven]
    # Cases without a test may have been dropped from the file alone, or from the spec's shared parts as well.
    candidates = [
        {**spec, "cases": [case for case in spec["cases"] if case["id"] in proven]},
        without_cases(spec, missing),
    ]
    try:
        return any(form["cases"] and render_files(form, framework, path)[0].contents == text for form in candidates)
    except AgentFailure:
        return False


def _ids(spec: Json) -> set[str]:
    return {case["id"] for case in spec["cases"]}


def _cut(spec: Json, remaining: Json, text: str) -> str:
    """Removes from a file the tests of all cases that are not in the remaining spec, and renews its header."""
    body = without_header(text) if is_untouched(text) is not None else text
    cut = without_tests(body, proven_cases(body, _ids(spec)) - _ids(remaining))
    return with_header(format_python(cut), target=str((remaining.get("target") or {}).get("path") or ""))


TOOL = ToolSpec(
    name="prune_tests",
    input_schema=closed_object(
        test_path=string(minLength=1, description="Path in the project, as staged."),
        spec_path=string(minLength=1, description="The spec, relative to the run's folder."),
        drop={**TEXTS, "description": "Ids of the cases to take out; unknown ones do no harm."},
        framework=string(enum=["pytest", "unittest", "locust", *_RENDERED_ALWAYS]),
    ),
    output_schema=closed_object(test_path=string(), spec_path=string(), removed=TEXTS, unknown=TEXTS, kept=TEXTS),
    run=_run,
    timeout_seconds=120.0,
    read_only=False,
)
