"""The steps for API tests: one for each application that is named or found, or each OpenAPI document (T-02, T-20)."""

from __future__ import annotations

import hashlib
import re
from pathlib import PurePosixPath
from typing import Any

from ...engine.api.apps import Found, application_in, applications
from ...engine.python.foundations import Foundations
from ...store.base_names import unique_test_path
from ..protocol import JsonObject
from .planning import Planned, Scope

_MOST_FOUND = 3


def api_steps(scope: Scope) -> Planned:
    """One step for each application of the scope; a document that is named is held against the likeliest one."""
    planned = Planned()
    found = _wanted(scope)
    taken = list(scope.taken)
    if scope.documents:
        for document in scope.documents:
            planned.steps.append(_step(scope, found[0] if found else None, document, taken))
        planned.used = scope.documents
    elif not found:
        names = ", ".join(one.place.path for one in scope.targets[:3])
        where = f"in {names}" if scope.named and names else "in the project"
        planned.not_understood.append(
            {
                "text": "API tests",
                "reason": f"no FastAPI, Starlette, Flask, Quart or Django application was found {where}",
                "suggestions": ["an OpenAPI document"],
            }
        )
    for one in found[:_MOST_FOUND] if not scope.documents else []:
        planned.steps.append(_step(scope, one, "", taken))
        planned.understood.append(f"the application {one.label} ({one.framework})")
    for one in found[_MOST_FOUND:] if not scope.documents else []:
        planned.skipped.append({"target": one.label, "reason": "name it to have it tested: there are several"})
    return planned


def _wanted(scope: Scope) -> list[Found]:
    """The applications of the modules that are named, else those built on them; all where none is named."""
    everything = applications(scope.layout)
    if not scope.named or not scope.targets:
        return everything[:1] if len(everything) > 1 and _one_leads(everything) else everything
    paths = {one.place.path for one in scope.targets}
    named = [one for one in everything if one.place.path in paths]
    if len(paths) == 1 and not named:
        inside = application_in(scope.layout, scope.targets[0].place)
        return [inside] if inside is not None else _built_on(paths, everything, scope)
    named = named or _built_on(paths, everything, scope)
    seen: dict[str, Found] = {}
    for one in named:
        seen.setdefault(one.place.path, one)
    return list(seen.values())


def _built_on(paths: set[str], everything: list[Found], scope: Scope) -> list[Found]:
    """Applications that import a module which is named: "the orders service: its API"."""
    files = Foundations(scope.layout.root, tuple(one.path for one in scope.layout.modules))
    return [one for one in everything if paths & files.brought_by(one.place.path)]


def _one_leads(found: list[Found]) -> bool:
    """Whether the likeliest is the only object; the others are functions that make applications."""
    objects = [one for one in found if not one.attribute.endswith("()")]
    return len({one.place.path for one in found}) == 1 or len(objects) == 1


def _step(scope: Scope, application: Found | None, document: str, taken: list[str]) -> JsonObject:
    target: dict[str, Any] = {}
    if application is not None:
        place = application.place
        target = {
            "path": place.path,
            "module": place.module,
            "import_root": place.import_root,
            "symbols": None,
            "application": {"import": application.label},
            "framework_of_app": application.framework,
            "digest": hashlib.sha256((scope.layout.root / place.path).read_bytes()).hexdigest(),
        }
    if document:
        target["endpoint"] = document
    named = document or (application.label if application is not None else "api")
    slug = _slug(named, application, document)
    path = PurePosixPath(scope.tests_dir, "api", f"test_{slug}_api.py").as_posix()
    test_path = unique_test_path(scope.layout.root, path, taken)
    taken.append(test_path)
    return {
        "id": f"generate_api_{slug}",
        "type": "generate_api_tests",
        "params": {
            "test_type": "api",
            "framework": scope.framework,
            "target": target,
            "spec_path": f"specs/{slug}_api.json",
            "test_path": test_path,
            "depends_on": list(scope.after),
        },
    }


def _slug(named: str, application: Found | None, document: str) -> str:
    if application is not None and not document:
        parts = [one for one in application.place.module.split(".") if one not in ("api", "app", "main")]
        named = "_".join(parts) or application.place.module
    else:
        named = PurePosixPath(re.sub(r"^https?://", "", document)).stem if document else named
    return re.sub(r"\W+", "_", named).strip("_").lower() or "api"
