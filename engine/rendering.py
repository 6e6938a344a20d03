"""Chooses the renderer of a spec by its test type (unit, api, integration, …) and renders its test files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ..core.errors import AgentFailure
from .python.write.render import render as render_unit
from .python.write.repair import unrenderable_cases as unrenderable_unit_cases

Spec = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class RenderedFile:
    """A file of a test suite: `path` is POSIX, relative to the project's root."""

    path: str
    contents: str


Renderer = Callable[[Spec, str, str], tuple[RenderedFile, ...]]
"""(spec, framework, test_path) → the test file first, then the helpers that it needs (a conftest, a client)."""


def render_files(spec: Spec, framework: str, test_path: str) -> tuple[RenderedFile, ...]:
    """Renders the test file of a spec and its helpers; the same spec gives the same bytes.

    Args:
        spec: valid against the schema of its `test_type`, with at least one case.
        framework: pytest or unittest; locust for load tests, jest for API tests, and unit and integration tests of
            scripts, playwright for API and browser tests.
        test_path: path of the test file, POSIX, relative to the project's root.

    Raises:
        AgentFailure: the spec does not make Python files, or its type or framework is unknown.
        EnvironmentFault: ruff, which formats the files, cannot be run.
    """
    return _renderer(spec)(spec, framework, test_path)


def renderable_types() -> tuple[str, ...]:
    """The test types whose specs can be rendered."""
    return tuple(_RENDERERS)


def unrenderable_cases(spec: Spec, framework: str, test_path: str) -> dict[str, str]:
    """Ids of cases that make no test, with the reason; empty when all of them do. Raises as `render_files`."""
    renderer = _renderer(spec)
    if spec.get("test_type", "unit") == "unit" and framework != "jest":
        return unrenderable_unit_cases(spec, framework)
    cases = list(spec.get("cases") or ())
    if not cases or not _problem(renderer, spec, framework, test_path):
        return {}
    problems = {
        str(case.get("id") or f"cases[{at}]"): _problem(renderer, {**spec, "cases": [case]}, framework, test_path)
        for at, case in enumerate(cases)
    }
    return {case_id: problem for case_id, problem in problems.items() if problem}


def _problem(renderer: Renderer, spec: Spec, framework: str, test_path: str) -> str:
    try:
        renderer(spec, framework, test_path)
    except AgentFailure as failure:
        return failure.message
    return ""


def _renderer(spec: Spec) -> Renderer:
    test_type = str(spec.get("test_type") or "unit")
    renderer = _RENDERERS.get(test_type)
    if renderer is None:
        known = ", ".join(_RENDERERS)
        raise AgentFailure(f"{test_type} specs cannot be rendered", advice=f"test types that can: {known}")
    return renderer


def _unit(spec: Spec, framework: str, test_path: str) -> tuple[RenderedFile, ...]:
    if framework == "jest":
        from .javascript.render import render_jest

        return (RenderedFile(test_path, render_jest(spec, test_path)),)
    return (RenderedFile(test_path, render_unit(spec, framework)),)


def _integration(spec: Spec, framework: str, test_path: str) -> tuple[RenderedFile, ...]:
    if framework == "jest" and spec.get("language") != "python":
        from .javascript.flows.render import render_flows

        return (RenderedFile(test_path, render_flows(spec, test_path)),)
    from .integration.write.compose import render_integration

    return (RenderedFile(test_path, render_integration(spec, framework)),)


def _api(spec: Spec, framework: str, test_path: str) -> tuple[RenderedFile, ...]:
    if framework in ("jest", "playwright"):
        from .api.write.scripts.render_scripts import render_api_script

        return tuple(RenderedFile(one.path, one.contents) for one in render_api_script(spec, framework, test_path))
    from .api.write.render import render_api  # imports JSON schema checks, which other test types do not need

    return tuple(RenderedFile(one.path, one.contents) for one in render_api(spec, framework, test_path))


def _browser(spec: Spec, framework: str, test_path: str) -> tuple[RenderedFile, ...]:
    from .browser.write.render import render_browser

    return tuple(RenderedFile(one.path, one.contents) for one in render_browser(spec, framework, test_path))


def _performance(spec: Spec, framework: str, test_path: str) -> tuple[RenderedFile, ...]:
    if framework == "locust":
        from .performance.load.render import render_load

        return tuple(RenderedFile(one.path, one.contents) for one in render_load(spec, framework, test_path))
    from .performance.render import render_performance

    return (RenderedFile(test_path, render_performance(spec, framework)),)


_RENDERERS: Mapping[str, Renderer] = {
    "unit": _unit,
    "api": _api,
    "integration": _integration,
    "e2e": _browser,
    "performance": _performance,
}
