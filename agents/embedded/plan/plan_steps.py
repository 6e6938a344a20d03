"""Builds the steps of a plan as plain data."""

from __future__ import annotations

from ....store.files.base_names import unique_test_path
from ...contract.protocol import JsonObject
from .step_scope import PlannedSteps, StepScope

CONTEXT = "retrieve_context"
VERIFY = "verify_suite"
ACCEPT = "accept_tests"


def add_generate_step(
    planned: PlannedSteps,
    scope: StepScope,
    test_type: str,
    slug: str,
    target: JsonObject,
    *,
    spec_path: str,
    test_path: str,
) -> None:
    """Append the step that specifies, writes, runs and analyses the tests of one target.

    Args:
        slug: part of the step's id; unique among steps of the test type.
        target: with `path` or `endpoint`, and `digest`: sha256 of the file in hex, which a resumed run compares.
        test_path: wanted path of the test file; another one is chosen where a file or an earlier step has it.
    """
    taken = [*scope.taken, *(str(step["params"]["test_path"]) for step in planned.steps)]
    params = {
        "test_type": test_type,
        "framework": scope.framework,
        "target": target,
        "spec_path": spec_path,
        "test_path": unique_test_path(scope.layout.root, test_path, taken),
        "depends_on": list(scope.after),
    }
    step = {"id": f"generate_{test_type}_{slug}", "type": f"generate_{test_type}_tests", "params": params}
    planned.steps.append(step)


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
