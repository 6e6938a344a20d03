"""Plans API tests: one step for each named or found application, or each OpenAPI document."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from ....engine.api.document.apps import WebApplication, find_application_in, find_applications
from ....engine.python.project.exploration_digest import Foundations
from ....engine.python.project.layout import ModulePlace
from ....utils.untrusted_files import is_source_file, read_source_bytes
from ...contract.protocol import JsonObject
from .plan_steps import add_generate_step
from .script_frameworks.api_frameworks import api_notes, api_test_path
from .step_scope import PlannedSteps, StepScope

_MOST_FOUND = 3
_FRAMEWORKS = "FastAPI, Starlette, Flask, Quart or Django application"
_SAY_COMMAND = 'say how it is started: --app-command "python serve.py {port}"'


@dataclass(frozen=True, slots=True)
class _Subject:
    """The subject of one step.

    Attributes:
        application: an object in the source.
        document: a file of the project, POSIX, or an address; empty for none.
        program: the module that a command starts.
    """

    application: WebApplication | None = None
    document: str = ""
    program: ModulePlace | None = None

    @property
    def in_project(self) -> bool:
        """Whether the document is a file."""
        return bool(self.document) and not is_address(self.document)


@dataclass(frozen=True, slots=True)
class _Files:
    """Where the tests of an application and their spec go; `{slug}` and `{only}` are filled in."""

    title: str
    test_type: str
    test_path: str
    spec_path: str


_API = _Files("API tests", "api", "api/test_{slug}_api{only}.py", "specs/{slug}_http_api{only}.json")
_LOAD = _Files("load tests", "performance", "load/locustfile_{slug}{only}.py", "specs/{slug}.load{only}.json")


def api_steps(scope: StepScope) -> PlannedSteps:
    """Plan one step for each application of the scope, or for the program that the command starts.

    A named document is tested with the most likely application.
    """
    return _application_steps(scope, _API, {})


def load_steps(scope: StepScope, profiles: Sequence[str]) -> PlannedSteps:
    """Plan load tests of the same applications as `api_steps`, one step each.

    Args:
        profiles: names of load profiles.
    """
    return _application_steps(scope, _LOAD, {"profiles": list(profiles)})


def _application_steps(scope: StepScope, files: _Files, more: JsonObject) -> PlannedSteps:
    planned = PlannedSteps()
    wanted = [_given(scope)] if scope.application else _wanted(scope)
    found = [application for application in wanted if application.place.path not in scope.excluded]
    program = started_program(scope)
    if scope.command:
        found = [app for app in found if program is not None and app.place.path == program.path] or found[:1]
    documents = list(_documents(scope, planned))
    if not found and not scope.command and (documents or not scope.documents):
        planned.not_understood.append(_nothing_to_start(scope, documents, files))
        planned.advice = f"Name the module that makes the application, or {_SAY_COMMAND}."
        return planned
    first = found[0] if found else None
    if scope.documents:
        subjects = [_Subject(first, document, program) for document in documents]
    elif scope.command:
        subjects = [_Subject(first, "", program)]
        planned.understood.append(f"the application that `{' '.join(scope.command)}` starts")
    else:
        subjects = [_Subject(app) for app in found[:_MOST_FOUND]]
        planned.understood += [f"the application {_described(app)}" for app in found[:_MOST_FOUND]]
        reason = "name it to have it tested: there are several"
        planned.skipped += [{"target": app.label, "reason": reason} for app in found[_MOST_FOUND:]]
    planned.why = _why_whole(scope, subjects)
    for subject in subjects:
        slug = _slug(subject)
        only = _endpoints_slug(scope.endpoints)
        python_path = files.test_path.format(slug=slug, only=only)
        test_path = api_test_path(scope.layout.root, scope.framework, scope.tests_dir, python_path)
        planned.understood += api_notes(scope.layout.root, scope.framework, test_path)
        target = {**_target(scope, subject), **more}
        spec_path = files.spec_path.format(slug=slug, only=only)  # a module `shop.api` has `specs/shop_api.json`
        add_generate_step(
            planned, scope, files.test_type, slug, target, spec_path=spec_path, test_path=test_path, part=only
        )
    planned.used = scope.documents
    return planned


def _why_whole(scope: StepScope, subjects: Sequence[_Subject]) -> str:
    """Say that whole applications are tested where only modules that they are built on were named."""
    applications = {subject.application.place.path for subject in subjects if subject.application is not None}
    named = list(
        dict.fromkeys(target.place.module for target in scope.targets if target.place.path not in applications)
    )
    if not scope.named or scope.endpoints or not named or len(named) < len(scope.targets) or not applications:
        return ""
    shown = ", ".join(named[:_MOST_FOUND]) + (" and more" if len(named) > _MOST_FOUND else "")
    return f"it is built on {shown} (all its operations are tested: name some, such as GET /items, to have these alone)"


def is_address(document: str) -> bool:
    """Whether a document is named by its address."""
    return re.match(r"https?://|(?:localhost|[\w-]+(?:\.[\w-]+)*):\d{2,5}(?:/|$)", document, re.IGNORECASE) is not None


def _documents(scope: StepScope, planned: PlannedSteps) -> Iterator[str]:
    """Yield addresses, and files as paths in the project; a missing file is noted."""
    root = scope.layout.root.resolve()
    for document in scope.documents:
        place = Path(root, document).resolve()
        if is_address(document):
            yield document
        elif place.is_relative_to(root) and is_source_file(root, place):
            yield place.relative_to(root).as_posix()
        else:
            planned.not_understood.append(
                {"text": document, "reason": "the project has no such file", "suggestions": []}
            )
            planned.advice = planned.advice or "Give the OpenAPI document's path in the project, or its address."


def _nothing_to_start(scope: StepScope, documents: Sequence[str], files: _Files) -> JsonObject:
    names = ", ".join(target.place.path for target in scope.targets[:3])
    where = f"in {names}" if scope.named and names else "in the project"
    text = documents[0] if documents else files.title
    calls = "; performance tests time calls of Python functions" if files is _LOAD else ""
    return {
        "text": text,
        "reason": f"there is nothing to start: no {_FRAMEWORKS} was found {where}{calls}",
        "suggestions": [] if documents else ["an OpenAPI document with --app-command"],
    }


def started_program(scope: StepScope) -> ModulePlace | None:
    """Return the module of the project that the command runs: a script, `-m module` or `module:application`."""
    places = {place.path: place for place in scope.layout.modules}
    modules = {place.module: place for place in scope.layout.modules}
    for word in scope.command[1:] or scope.command:
        path = PurePosixPath(word).as_posix()
        found = places.get(path) or modules.get(word.partition(":")[0]) or modules.get(f"{word}.__main__")
        if found is not None:
            return found
    return None


def _given(scope: StepScope) -> WebApplication:
    """Return the application that the settings name; its module may be installed instead of the project's own."""
    module, _, attribute = scope.application.partition(":")
    outside = ModulePlace("", module, ".")
    place = next((place for place in scope.layout.modules if place.module == module), outside)
    found = find_application_in(scope.layout, place) if place.path else None
    framework = found.framework if found is not None and found.attribute == attribute else ""
    return WebApplication(place, attribute, framework, found.line if found is not None else 1)


def _described(application: WebApplication) -> str:
    return f"{application.label} ({application.framework})" if application.framework else application.label


def _wanted(scope: StepScope) -> list[WebApplication]:
    """Select the applications of the named modules, else those that import them; all where none is named."""
    everything = find_applications(scope.layout)
    if not scope.named or not scope.targets:
        return everything[:1] if len(everything) > 1 and _one_leads(everything) else everything
    paths = {target.place.path for target in scope.targets}
    named = [application for application in everything if application.place.path in paths]
    if len(paths) == 1 and not named:
        inside = find_application_in(scope.layout, scope.targets[0].place)
        return [inside] if inside is not None else _built_on(paths, everything, scope)
    named = named or _built_on(paths, everything, scope)
    seen: dict[str, WebApplication] = {}
    for application in named:
        seen.setdefault(application.place.path, application)
    return list(seen.values())


def _built_on(paths: set[str], everything: list[WebApplication], scope: StepScope) -> list[WebApplication]:
    """Select applications that import a named module: "the orders service: its API"."""
    files = Foundations(scope.layout.root, tuple(place.path for place in scope.layout.modules))
    return [application for application in everything if paths & files.brought_by(application.place.path)]


def _one_leads(found: list[WebApplication]) -> bool:
    """Whether the most likely one is the only object; the others are application factories."""
    objects = [app for app in found if not app.attribute.endswith("()")]
    return len({app.place.path for app in found}) == 1 or len(objects) == 1


def _target(scope: StepScope, subject: _Subject) -> JsonObject:
    """Build the step's target: place of the code or document, and how the application is started."""
    application = subject.application
    target: dict[str, Any] = {}
    place = application.place if application is not None else subject.program
    if place is not None and place.path:
        target = {"path": place.path, "module": place.module, "import_root": place.import_root, "symbols": None}
    elif subject.in_project:
        target = {"path": subject.document}
    if "path" in target:
        target["digest"] = hashlib.sha256(read_source_bytes(scope.layout.root, target["path"])).hexdigest()
    if application is not None:
        target |= {"application": {"import": application.label}, "framework_of_app": application.framework}
    if scope.command:
        target["application"] = {**target.get("application", {}), "command": list(scope.command)}
    if subject.document:
        target["endpoint"] = subject.document
    if scope.endpoints:
        target["operations"] = list(scope.endpoints)
    return target


def _endpoints_slug(endpoints: Sequence[str]) -> str:
    """The end of the name of a file that is limited to endpoints, `__post_orders`; the API's own file replaces it."""
    shown = endpoints if len(endpoints) <= 2 else (endpoints[0], f"and_{len(endpoints) - 1}_more")
    plain = [re.sub(r"\W+", "_", name).strip("_").lower() for name in shown]
    return "".join(f"__{name or 'root'}" for name in plain)


def _slug(subject: _Subject) -> str:
    place = subject.application.place if subject.application is not None else subject.program
    if subject.document:
        address = re.sub(r"^https?://", "", subject.document)
        named = PurePosixPath(address).stem if "/" in address or subject.in_project else address.partition(":")[0]
    elif place is not None:
        parts = [part for part in place.module.split(".") if part not in ("api", "app", "main", "__main__")]
        named = "_".join(parts) or place.module
    else:
        named = "application"
    return re.sub(r"\W+", "_", named).strip("_").lower() or "api"
