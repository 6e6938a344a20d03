"""Plans browser tests: one step for each named or found site, for what a command starts, or for a folder of pages."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from ....engine.api.document.apps import WebApplication
from ....engine.browser.sites import find_sites, static_folder
from ....engine.python.project.exploration_digest import Foundations
from ....utils.untrusted_files import read_source_bytes
from ...contract.protocol import JsonObject
from .api_plan import is_address, started_program
from .plan_steps import add_generate_step
from .reading import Reading
from .request.lexicon import BROWSER_FRAMEWORKS
from .request.parsed_request import Clause, ParsedRequest
from .script_frameworks.playwright_places import SPEC_SUFFIX, collected_notes, playwright_folder
from .step_scope import PlannedSteps, StepScope
from .target_index import TargetIndex

_MOST_FOUND = 3
_SERVE_FOLDER = ("python", "-m", "http.server", "{port}", "--bind", "127.0.0.1")
_FRAMEWORKS = ("pytest", *BROWSER_FRAMEWORKS)
MAESTRO_FOLDER = ".maestro/generated"
_ADVICE = (
    "Name the module that makes the site, a folder that has an index.html, say how it is started: "
    '--app-command "python serve.py {port}", or where it runs on this machine: --app-url http://127.0.0.1:8000'
)
NOT_RUN = {
    "maestro": "flows for Maestro are written and checked, and not run: that takes Maestro itself, with a device or a "
    "browser of its own. They stay staged until you add them"
}
"""Why tests for a framework are written only."""
_FLOW = re.compile(r"(?:flow|journey|process|page|form|screen|dialog|funnel)s?", re.IGNORECASE)
_ONLY_NAME = re.compile(r"(?:with|using|use|in|via|through|as)\s+(?:the\s+)?\S+", re.IGNORECASE)


_BOTH = re.compile(r"\b(?:pytest\W+(?:and\W+|with\W+)?playwright|playwright\W+(?:and|with)\W+pytest)\b", re.IGNORECASE)
_IN_PYTHON = re.compile(r"\bin\s+python\b", re.IGNORECASE)


def browser_framework(words: ParsedRequest, option: str, request: str = "") -> str:
    """The framework of browser tests that a request or an option names; "" for the framework of all others.

    "pytest and playwright" is pytest-playwright, and so is Playwright "in Python": of two names the first one decides,
    unless tests are called by one, or the other one is for tests of another kind.
    """
    if not words.test_types and option not in BROWSER_FRAMEWORKS and not words.frameworks:
        return ""
    said = [name for name in words.frameworks if name in BROWSER_FRAMEWORKS]
    if not said:
        return option if option in BROWSER_FRAMEWORKS and not words.frameworks else ""
    kinds = {clause.test_type for clause in words.clauses}
    if said[0] == "playwright" and kinds == {"e2e"} and _IN_PYTHON.search(request):
        return ""
    if "e2e" in kinds and len(kinds) > 1 and not _BOTH.search(request):
        # "unit tests with pytest and browser tests with playwright": each kind has a framework of its own.
        return said[0]
    named = any(clause.test_type == "e2e" and said[0] in clause.text.lower() for clause in words.clauses)
    return "" if words.frameworks[0] == "pytest" and not named else said[0]


def with_browser(clauses: Sequence[Clause], framework: str, words: ParsedRequest, reading: Reading) -> list[Clause]:
    """Return the clauses with the framework of their browser tests, and note what it cannot be for.

    Args:
        framework: as of `browser_framework`.
    """
    if not framework:
        return list(clauses)
    browser = [clause for clause in clauses if clause.test_type == "e2e"]
    others = sorted({clause.test_type for clause in clauses} - {"e2e"})
    # "unit tests with playwright" asks for no browser tests.
    idle = bool(others) and all(_ONLY_NAME.fullmatch(clause.text) for clause in browser)
    if idle:
        kinds = " and ".join(others)
        reason = f"browser tests are written for {framework}, and {kinds} tests are not"
        reading.unclear(framework, reason, ["pytest"], stops=True)
        return [clause for clause in clauses if clause not in browser]
    for name in words.frameworks:
        # Pytest is for the tests of other kinds, if there are any.
        if name != framework and (name in BROWSER_FRAMEWORKS or (name == "pytest" and not others)):
            reason = f"the tests of one run are written for one framework, and {framework} is named first"
            reading.unclear(name, reason, [f"another run for {name}"])
    return [replace(clause, framework=framework) if clause in browser else clause for clause in clauses]


def with_whole_sites(clauses: Sequence[Clause], index: TargetIndex, reading: Reading) -> list[Clause]:
    """Return the clauses, those with flows that only a site has without their words: its flows are found by exploring.

    "the checkout flow in the browser" names nothing of the code.
    """
    return [_of_whole_site(clause, index, reading) if clause.test_type == "e2e" else clause for clause in clauses]


def _of_whole_site(clause: Clause, index: TargetIndex, reading: Reading) -> Clause:
    said = [one for one in clause.mentions if not one.weak and not one.excluded]
    texts = [one.text for one in said]
    speaks_of_flows = clause.text.lower() == "browser" or any(_FLOW.fullmatch(text) for text in texts)
    in_code = any(one.explicit or index.find(one.text, explicit=False).targets for one in said)
    if not said or not speaks_of_flows or in_code or any(index.suggestions(text) for text in texts):
        return clause
    note = f"{' '.join(texts)}: of the site, whose flows are found by exploring all of it"
    reading.understood += [] if note in reading.understood else [note]
    return replace(clause, mentions=(), otherwise=())


def browser_steps(scope: StepScope) -> PlannedSteps:
    """Plan one step for each site of the scope."""
    planned = PlannedSteps()
    if scope.framework not in _FRAMEWORKS:
        reason = "browser tests are not written for it"
        row = {"text": scope.framework, "reason": reason, "suggestions": list(_FRAMEWORKS)}
        planned.not_understood.append(row)
        planned.advice = "Ask for one of these: `browser tests with pytest`."
        return planned
    for slug, target in _targets(scope, planned):
        test_path, spec_path = _test_path(scope, slug), f"specs/{slug}_e2e.json"
        add_generate_step(planned, scope, "e2e", slug, target, spec_path=spec_path, test_path=test_path)
        if scope.framework == "playwright":
            planned.understood += collected_notes(scope.layout.root, test_path)
        if scope.framework in NOT_RUN:
            planned.steps[-1]["params"]["not_run"] = NOT_RUN[scope.framework]
            planned.understood.append(NOT_RUN[scope.framework])
    if not planned.steps and not planned.not_understood:
        where = f"in {scope.targets[0].place.path}" if scope.named and scope.targets else "in the project"
        reason = f"there is no site to open: no application that answers with pages was found {where}"
        planned.not_understood.append({"text": "browser tests", "reason": reason, "suggestions": []})
    planned.advice = planned.advice or ("" if planned.steps else _ADVICE)
    planned.used = scope.documents
    return planned


def _test_path(scope: StepScope, slug: str) -> str:
    """Where the test file goes: for Playwright Test, where the project's own configuration looks for tests."""
    if scope.framework == "maestro":
        return f"{MAESTRO_FOLDER}/{slug}.yaml"
    usual = PurePosixPath(scope.tests_dir, "e2e")
    if scope.framework == "pytest":
        return (usual / f"test_{slug}_browser.py").as_posix()
    return (playwright_folder(scope.layout.root, usual) / f"{slug}{SPEC_SUFFIX}").as_posix()


def _targets(scope: StepScope, planned: PlannedSteps) -> Iterator[tuple[str, JsonObject]]:
    """Yield a slug and the target of each step."""
    if scope.url and not scope.command:
        planned.understood.append(f"the site that runs at {scope.url}, which nothing puts back: it is only read")
        planned.used = scope.documents
        yield "site", {"application": {"url": scope.url}}
        return
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
        f"a site that runs already is opened where it is named by the option: --app-url {document}"
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
    """The sites of the named modules, else those that are built on them, or that they start, as `wsgi.py` does.

    All where a whole is named, or nothing.
    """
    everything = find_sites(scope.layout)
    if not scope.named or not scope.targets:
        return everything
    paths = {target.place.path for target in scope.targets}
    named = [site for site in everything if site.place.path in paths]
    if named:
        return named
    files = Foundations(scope.layout.root, tuple(place.path for place in scope.layout.modules))
    built_on = [site for site in everything if paths & files.brought_by(site.place.path)]
    started = set[str]().union(*(files.brought_by(path) for path in paths))
    return (
        built_on
        or [site for site in everything if site.place.path in started]
        or (everything if len(paths) > 1 else [])
    )


def _slug(name: str) -> str:
    parts = [part for part in name.split(".") if part not in ("app", "main", "__main__")]
    return re.sub(r"\W+", "_", "_".join(parts[-2:]) or name).strip("_").lower() or "site"
