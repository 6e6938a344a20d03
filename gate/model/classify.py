"""Classifies a failing test by its first failure. Repeats decide `flaky`: see `gate/verify/examination.py`.

`product_defect`  the code does something else than its documentation says, or takes the interpreter down
`test_defect`     the test expects what nobody promised, or is itself wrong
`environment`     something outside the code and the test is missing or refused
`flaky`           it passes under some conditions or in some runs only; the examination names the cause
`timeout`         it does not come to an end
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from .results import CaseResult, CollectError, Failure

FailureClass = Literal["product_defect", "test_defect", "environment", "flaky", "timeout"]
# What a sandbox refuses or a machine lacks. Where a spec expects one of these, the test asserts it and passes.
_SURROUNDINGS = ("ModuleNotFoundError", "MemoryError", "ConnectionError", "gaierror")
_EXPECTATION = ("AssertionError", "Failed")
Spec = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Classification:
    """A class and the reason for it, one sentence."""

    failure_class: FailureClass
    reason: str


def classify_case(result: CaseResult, case: Spec | None, *, own_modules: Iterable[str] = ()) -> Classification:
    """Judge a test that did not pass.

    Args:
        case: the spec's case that the test was written from, None when unknown.
        own_modules: top-level import names of the project; one of these missing is no fault of the environment.
    """
    failure = result.failure or Failure("Exception")
    if result.outcome == "timeout":
        return Classification("timeout", failure.message or "the test did not come to an end")
    if result.outcome == "not_run":
        return Classification("timeout", failure.message)
    if result.outcome in ("skipped", "xfailed"):
        return Classification("test_defect", f"the test is {result.outcome} and asserts nothing")
    if result.outcome == "crashed":
        return _crash(failure)
    if _lacks_surroundings(failure, own_modules):
        return Classification("environment", f"the environment lacks something: {failure.summary}")
    if result.phase != "call" or result.outcome == "error":
        return _fixture(failure, result)
    if failure.type_name in _EXPECTATION or failure.is_a("AssertionError"):
        return _expectation(failure, case, result)
    return _exception(failure, case, result)


def classify_collection(error: CollectError, *, own_modules: Iterable[str] = ()) -> Classification:
    """Judge a file that could not be collected: `environment` ends a run, `test_defect` drops the file."""
    failure = error.failure
    last = failure.frames[-1] if failure.frames else None
    if failure.type_name == "TestTimedOut":
        return Classification("timeout", f"{error.path}: {failure.message}")
    if last is not None and last.path != error.path:
        where = f"{last.path}:{last.line}"
        return Classification("environment", f"the target does not import ({where}): {failure.summary}")
    if failure.is_a("ImportError"):
        top = (failure.missing or "").partition(".")[0]
        if top and top not in set(own_modules) and failure.is_a("ModuleNotFoundError"):
            return Classification("environment", f"the target's environment lacks the module {failure.missing}")
        return Classification("test_defect", f"the test imports what is not there: {failure.summary}")
    if failure.type_name == "ProcessEnded":
        return Classification("environment", f"{error.path}: {failure.message}")
    return Classification("test_defect", f"the test file does not load: {failure.summary}")


def cases_by_id(spec: Spec | None) -> dict[str, Spec]:
    """The cases of a spec by their ids; empty without a spec."""
    return {case["id"]: case for case in (spec or {}).get("cases", ())}


def failed_expectation(case: Spec | None, failure: Failure, trace: str) -> Spec | None:
    """The expectation that a failed test was about: the one whose parts stand in the failing line; None if unclear."""
    expectations: Sequence[Spec] = (case or {}).get("expect", ())
    if len(expectations) == 1:
        return expectations[0]
    lines = [line for line in trace.splitlines() if line.lstrip().startswith(("assert", "self.assert", "with ", ">"))]
    text = "\n".join(lines) or failure.message
    named = [
        expectation
        for expectation in expectations
        if _parts(expectation) and all(part in text for part in _parts(expectation))
    ]
    return named[0] if len(named) == 1 else None


def _parts(expectation: Spec) -> list[str]:
    values = (expectation.get("actual"), expectation.get("value"), expectation.get("exception"))
    return [str(value) for value in values if value and value != "result"]


def _crash(failure: Failure) -> Classification:
    if "signal" in failure.message:
        return Classification("product_defect", failure.message)
    return Classification("test_defect", failure.message)


def _lacks_surroundings(failure: Failure, own_modules: Iterable[str]) -> bool:
    if failure.type_name == "ModuleNotFoundError":
        return (failure.missing or "").partition(".")[0] not in set(own_modules)
    return any(failure.is_a(name) for name in _SURROUNDINGS if name != "ModuleNotFoundError")


def _fixture(failure: Failure, result: CaseResult) -> Classification:
    if failure.type_name == "FixtureLookupError":
        name = failure.message.strip("(").partition(",")[0]
        return Classification("test_defect", f"the test asks for the fixture {name}, which nothing gives it here")
    last = failure.frames[-1] if failure.frames else None
    if last is not None and last.path.rpartition("/")[2] == "conftest.py":
        return Classification(
            "environment", f"a fixture of the project fails ({last.path}:{last.line}): {failure.summary}"
        )
    return Classification("test_defect", f"the test's {result.phase} fails: {failure.summary}")


def _expectation(failure: Failure, case: Spec | None, result: CaseResult) -> Classification:
    expectation = failed_expectation(case, failure, result.trace)
    origins = {one.get("origin") for one in (case or {}).get("expect", ())}
    origin = expectation.get("origin") if expectation else next(iter(origins)) if len(origins) == 1 else None
    if origin == "documented" or (origin is None and "documented" in origins):
        evidence = (expectation or {}).get("evidence") or {}
        place = f" ({evidence['path']}:{evidence['lines'][0]})" if evidence.get("lines") else ""
        return Classification("product_defect", f"the code contradicts its documentation{place}: {failure.summary}")
    what = {"observed": "what was observed does not hold", "inferred": "what was inferred does not hold"}
    return Classification("test_defect", f"{what.get(str(origin), 'the expectation does not hold')}: {failure.summary}")


def _exception(failure: Failure, case: Spec | None, result: CaseResult) -> Classification:
    last = failure.frames[-1] if failure.frames else None
    in_target = last is not None and last.path != result.path
    documented = any(one.get("origin") == "documented" for one in (case or {}).get("expect", ()))
    if in_target and documented:
        where = f"{last.path}:{last.line}" if last else ""
        return Classification(
            "product_defect", f"the code raises instead of doing what is documented ({where}): {failure.summary}"
        )
    where = f" at {last.path}:{last.line}" if in_target and last else ""
    return Classification("test_defect", f"the test meets an exception it does not expect{where}: {failure.summary}")
