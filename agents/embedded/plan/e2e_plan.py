"""Plans browser tests: one step for each named or found site, for what a command starts, or for a folder of pages."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from ....engine.api.document.apps import WebApplication
from ....engine.browser.sites import find_sites, static_folder
from ....engine.python.project.exploration_digest import Foundations
from ....utils.untrusted_files import read_source_bytes
from ...contract.protocol import JsonObject
from .api_plan import is_address, started_program
from .plan_steps import add_generate_step
from .step_scope import PlannedSteps, StepScope

_MOST_FOUND = 3
_SERVE_FOLDER = ("python", "-m", "http.server", "{port}", "--bind", "127.0.0.1")
_ADVICE = (
    "Name the module that makes the site, a folder that has an index.html, or say how it is started: "
    '--app-command "python serve.py {port}"'
)


def browser_steps(scope: StepScope) -> PlannedSteps:
    """Plan one step for each site of the scope."""
    planned = PlannedSteps()
    if scope.framework != "pytest":
        row = {"text": scope.framework, "reason": "browser tests are not written for it", "suggestions": ["pytest"]}
        planned.not_understood.append(row)
        planned.advice = "Ask for pytest: `browser tests with pytest`."
        return planned
    for slug, target in _targets(scope, planned):
        test_path = PurePosixPath(scope.tests_dir, "e2e", f"test_{slug}_browser.py").as_posix()
        spec_path = f"specs/{slug}_e2e.json"
        add_generate_step(planned, scope, "e2e", slug, target, spec_path=spec_path, test_path=test_path)
    if not planned.steps and not planned.not_understood:
        where = f"in {scope.targets[0].place.path}" if scope.named and scope.targets else "in the project"
        reason = f"there is no site to open: no application that answers with pages was found {where}"
        planned.not_understood.append({"text": "browser tests", "reason": reason, "suggestions": []})
    planned.advice = planned.advice or ("" if planned.steps else _ADVICE)
    planned.used = scope.documents
    return planned


def _targets(scope: StepScope, planned: PlannedSteps) -> Iterator[tuple[str, JsonObject]]:
    """Yield a slug and the target of each step."""
    if scope.command:
        planned.understood.append(f"the site that `{' '.join(scope.command)}` starts")
        program = started_program(scope)
        target: JsonObject = {"application": {"command": list(scope.command)}}
        if program is not None:
            target |= {**_place(scope, program.path), "module": program.module}
        yield _slug(program.module if program is not None else "application"), target
        return
    if scope.documents:
        for document in scope.documents:
            yield from _document(scope, document, planned)
        return
    sites = [site for site in _wanted(scope) if site.place.path not in scope.excluded]
    planned.understood += [f"the site {site.label} ({site.framework})" for site in sites[:_MOST_FOUND]]
    reason = "name it to have it tested: there are several"
    planned.skipped += [{"target": site.label, "reason": reason} for site in sites[_MOST_FOUND:]]
    for site in sites[:_MOST_FOUND]:
        yield (
            _slug(site.place.module),
            {
                **_place(scope, site.place.path),
                **{"module": site.place.module, "import_root": site.place.import_root, "symbols": None},
                **{"application": {"import": site.label}, "framework_of_app": site.framework},
            },
        )
    folder = None if sites or scope.named else static_folder(scope.layout.root)
    if folder is not None:
        yield _pages(scope, folder, planned)


def _document(scope: StepScope, document: str, planned: PlannedSteps) -> Iterator[tuple[str, JsonObject]]:
    folder = None if is_address(document) else static_folder(scope.layout.root, document)
    if folder is not None:
        yield _pages(scope, folder, planned)
        return
    reason = (
        "a site that runs already cannot be opened from inside the sandbox yet"
        if is_address(document)
        else "the project has no such folder with an index.html"
    )
    planned.not_understood.append({"text": document, "reason": reason, "suggestions": []})
    planned.advice = planned.advice or _ADVICE


def _pages(scope: StepScope, folder: str, planned: PlannedSteps) -> tuple[str, JsonObject]:
    """The target of a folder of pages, which the standard library's server shows."""
    planned.understood.append(f"the pages in {folder}")
    page = PurePosixPath(folder, "index.html").as_posix()
    application: JsonObject = {"command": list(_SERVE_FOLDER), "folder": folder}
    name = PurePosixPath(folder).name or scope.layout.root.name
    return _slug(f"{name}_pages"), {**_place(scope, page), "application": application}


def _place(scope: StepScope, path: str) -> JsonObject:
    digest = hashlib.sha256(read_source_bytes(scope.layout.root, path)).hexdigest()
    return {"path": path, "digest": digest}


def _wanted(scope: StepScope) -> list[WebApplication]:
    """The sites of the named modules, else those that are built on them; all where a whole is named, or nothing."""
    everything = find_sites(scope.layout)
    if not scope.named or not scope.targets:
        return everything
    paths = {target.place.path for target in scope.targets}
    named = [site for site in everything if site.place.path in paths]
    if named:
        return named
    files = Foundations(scope.layout.root, tuple(place.path for place in scope.layout.modules))
    built_on = [site for site in everything if paths & files.brought_by(site.place.path)]
    return built_on or (everything if len(paths) > 1 else [])


def _slug(name: str) -> str:
    parts = [part for part in name.split(".") if part not in ("app", "main", "__main__")]
    return re.sub(r"\W+", "_", "_".join(parts[-2:]) or name).strip("_").lower() or "site"
