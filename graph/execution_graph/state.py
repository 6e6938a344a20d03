"""Defines the testing graph's state: plain JSON values under fixed field names, which checkpoints contain.

The artifact in the store is authoritative; `spec_json` is its copy. Summaries have at most 128 KiB each.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import Annotated, Any, Literal, NotRequired, cast

from typing_extensions import TypedDict

from ...core.usage import NOTHING_USED, TokenUsage, add_usage
from ..state_format import STATE_VERSION

TestType = Literal["api", "unit", "integration", "e2e", "performance"]
Phase = Literal["spec_generation", "code_generation", "execution", "complete", "error"]

MAX_RETRIES = 3


class TestingAgentState(TypedDict):
    """One target from request to analysed tests.

    Fields that do not explain themselves:
        state_version: a checkpoint of another version is refused.
        step_id: the plan step, or "" when the graph is run by itself.
        target_info: `path`, `module`, `import_root`, `symbols` and further data of the plan about the target.
        target_digest: sha256 of the target's file when it was read; a resumed step whose target changed starts again.
        spec_path, test_path: paths of spec (in the run's folder) and test file (in the project).
        run, analyze: switches of the last phase; `executed`: whether tests were run.
        answer_errors: why the last answer of an agent could not be read; counts as a failed attempt.
        checks: what further tools found in the target, by tool, one line each; for models.
        evidence: what the evidence loop found, and whether and why it ran; None where there is no such loop.
        gaps: what the tests of a model's spec left open: `lines`, `subjects`, and `open` until it was asked about once.
        notices: which mutants the first spec's cases are known to kill, by case id; see the tool `run_tests`.
        spec_artifact_id, code_artifact_id: the accepted artifacts.
        generated_files: paths of all files of the writer, in the run's folder.
        kept: ids of the cases in the current test file. dropped: pruned cases, with reasons.
        suspected_defects, findings: for the report. warnings: faults that ended nothing.
        usage: tokens and cost of all agents.
        prompt_versions: by role, the version of the prompt last sent to a model; recorded with artifacts.
        failure: the fault that ended the step early, or None. exit_reason: a `StepExit`, None while running.
    """

    user_request: str
    test_type: TestType
    target: str
    framework: str

    codebase_context: dict[str, Any] | None
    ast_analysis: dict[str, Any] | None
    checks: dict[str, list[str]]
    evidence: NotRequired[dict[str, Any] | None]
    selected_schema: str | None

    spec_attempts: int
    spec_json: dict[str, Any] | None
    spec_validation_result: dict[str, Any] | None
    spec_errors: list[dict[str, Any]]

    code_attempts: int
    generated_code_path: str | None
    code_validation_result: dict[str, Any] | None
    code_errors: list[dict[str, Any]]

    test_results: dict[str, Any] | None
    analysis: str | None

    phase: Phase
    should_retry: bool
    max_retries: int

    state_version: int
    step_id: str
    target_info: dict[str, Any]
    target_digest: str | None
    spec_path: str
    test_path: str
    run: bool
    analyze: bool
    executed: bool
    openapi: dict[str, Any] | None
    answer_errors: list[dict[str, Any]]
    gaps: dict[str, Any] | None
    notices: dict[str, list[int]]
    spec_artifact_id: str | None
    code_artifact_id: str | None
    generated_files: list[str]
    kept: list[str]
    dropped: list[dict[str, Any]]
    suspected_defects: list[dict[str, Any]]
    findings: list[dict[str, Any]]
    warnings: Annotated[list[str], operator.add]
    usage: Annotated[TokenUsage, add_usage]
    prompt_versions: Annotated[dict[str, str], operator.or_]
    failure: dict[str, Any] | None
    exit_reason: str | None


def new_testing_state(
    *,
    user_request: str,
    test_type: TestType,
    target: Mapping[str, Any] | str,
    framework: str,
    spec_path: str,
    test_path: str,
    step_id: str = "",
    run: bool = True,
    analyze: bool = True,
    max_retries: int = MAX_RETRIES,
    codebase_context: Mapping[str, Any] | None = None,
) -> TestingAgentState:
    """Return the initial state of a testing graph.

    Args:
        target: `{path, module, import_root, symbols}`, or just the path (or endpoint, or scenario).
        max_retries: refinements after the first generation, of spec and code each.
        codebase_context: context retrieved for several steps before; None lets the graph retrieve it.
    """
    info = {"path": target} if isinstance(target, str) else dict(target)
    arguments = {
        "user_request": user_request,
        "test_type": test_type,
        "target": str(info.get("path") or info.get("endpoint") or ""),
        "target_info": info,
        "framework": framework,
        "spec_path": spec_path,
        "test_path": test_path,
        "step_id": step_id,
        "run": run,
        "analyze": analyze,
        "max_retries": max_retries,
        "codebase_context": dict(codebase_context) if codebase_context is not None else None,
    }
    return cast(TestingAgentState, {**_empty_fields(), **arguments})


def _empty_fields() -> dict[str, Any]:
    """Initial values of every field that nodes fill."""
    results = ("codebase_context", "ast_analysis", "selected_schema", "spec_json", "spec_validation_result")
    results += ("generated_code_path", "code_validation_result", "test_results", "analysis", "target_digest", "openapi")
    results += ("gaps", "spec_artifact_id", "code_artifact_id", "failure", "exit_reason")
    lists = ("spec_errors", "code_errors", "answer_errors", "generated_files", "kept", "dropped")
    lists += ("suspected_defects", "findings", "warnings")
    return {
        **dict.fromkeys(results),
        **{name: [] for name in lists},
        "state_version": STATE_VERSION,
        "phase": "spec_generation",
        "spec_attempts": 0,
        "code_attempts": 0,
        "should_retry": False,
        "executed": False,
        "usage": NOTHING_USED,
        "prompt_versions": {},
        "notices": {},
        "checks": {},
    }
