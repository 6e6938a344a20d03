"""Builds the steps of a plan as plain data."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Container, Mapping
from dataclasses import dataclass

from ....store.files.base_names import other_framework_file, unique_test_path
from ...contract.protocol import JsonObject
from .step_scope import PlannedSteps, StepScope

CONTEXT = "retrieve_context"
VERIFY = "verify_suite"
ACCEPT = "accept_tests"
_LONGEST_SLUG = 150
_LONGEST_TEST_PATH = 300


def add_generate_step(
    planned: PlannedSteps,
    scope: StepScope,
    test_type: str,
    slug: str,
    target: JsonObject,
    *,
    spec_path: str,
    test_path: str,
    part: str = "",
) -> None:
    """Append the step that specifies, writes, runs and analyses the tests of one target.

    Args:
        slug: part of the step's id, which is made unique, short and plain; the file of the spec is named like it.
        target: with `path` or `endpoint`, and `digest`: sha256 of the file in hex, which a resumed run compares.
        test_path: wanted path of the test file; another one is chosen where a file or an earlier step has it, or where
            it is the name of another module's unit tests: it depends on the project, not on what else is planned.
        part: the end of the name of a file that is limited to a part of the target.
    """
    taken = planned.paths_beside(scope.taken)
    taken_slugs = planned.slugs.setdefault(test_type, set())
    unique = unique_slug(slug, taken_slugs)
    taken_slugs.add(unique)
    spec_path = spec_path.replace(slug, unique)
    if len(test_path) > _LONGEST_TEST_PATH:
        test_path = f"{scope.tests_dir}/test_{unique}.py"
    source = str(target.get("path") or "")
    root, framework = scope.layout.root, scope.framework
    reserved = _reserved(scope, test_type, target, part)
    names = scope.index.names_in_project
    chosen = unique_test_path(
        root, test_path, taken, target=source, reserved=reserved, framework=framework, names=names
    )
    taken.add(chosen)
    if other := other_framework_file(root, test_path, source, framework):
        earlier = "pytest" if framework == "unittest" else "unittest"
        reason = f"its tests for {earlier} stay beside those for {framework} in {chosen}"
        planned.skipped.append({"target": other, "reason": f"{reason}; delete the file that you do not want"})
    params = {
        "test_type": test_type,
        "framework": framework,
        "target": target,
        "spec_path": spec_path,
        "test_path": chosen,
        "depends_on": list(scope.after),
    }
    step = {"id": f"generate_{test_type}_{unique}", "type": f"generate_{test_type}_tests", "params": params}
    planned.steps.append(step)


@dataclass(frozen=True, slots=True)
class _ReservedNames:
    """Names of the unit tests of a project's modules, each with `part` behind it, but not those of the module `own`."""

    names: Mapping[str, str]
    part: str
    own: str | None

    def __contains__(self, stem: object) -> bool:
        name = str(stem)
        module = self.names.get(name.removesuffix(self.part)) if name.endswith(self.part) else None
        return module is not None and module != self.own


def _reserved(scope: StepScope, test_type: str, target: JsonObject, part: str) -> Container[str]:
    """Names of the unit tests of the project's modules, but of this module's own in a step for unit tests."""
    own = target.get("module") if test_type == "unit" else None
    return _ReservedNames(scope.index.unit_test_names, part, own)


def unique_slug(slug: str, taken: set[str]) -> str:
    """The slug in the form of an id; names that differ in what no id can show, such as `_a` and `a`, get a digest."""
    plain = re.sub(r"[^A-Za-z0-9_]+", "_", slug)[:_LONGEST_SLUG]
    if plain == slug and slug not in taken:
        return slug
    digest = hashlib.sha256(slug.encode("utf-8", "surrogatepass")).hexdigest()
    found = f"{plain}_{digest[:8]}"
    number = 2
    while found in taken:
        found = f"{plain}_{digest[:8]}_{number}"
        number += 1
    return found


def context_step(request: str) -> JsonObject:
    """Build the step that retrieves context once for all later steps."""
    return {"id": CONTEXT, "type": CONTEXT, "params": {"query": request, "depends_on": []}}


def verify_step(depends_on: list[str], test_paths: list[str], framework: str) -> JsonObject:
    """Build the step that runs every kept test of the run together, in several orders."""
    params = {"test_paths": test_paths, "framework": framework, "depends_on": depends_on}
    return {"id": VERIFY, "type": VERIFY, "params": params}


def accept_step(depends_on: list[str], test_paths: list[str]) -> JsonObject:
    """Build the step that adds the kept tests to the project, or only shows the difference on a dry run."""
    return {"id": ACCEPT, "type": ACCEPT, "params": {"test_paths": test_paths, "depends_on": depends_on}}
