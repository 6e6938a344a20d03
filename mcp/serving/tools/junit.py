"""Reads JUnit XML files as test results, and classifies each failure by its message."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from ....core.errors import ToolInputError
from ....gate.model.classify import classify_case
from ....gate.model.results import CaseResult, Failure
from ...toolbox.tool_spec import Json

_DECLARES = re.compile(r"<!(?:DOCTYPE|ENTITY)", re.IGNORECASE)
_TYPE = re.compile(r"^(?:E\s+)?([A-Za-z_][\w.]*(?:Error|Exception|Warning|Failed|Exit|Interrupt))\b")
_MAX_MESSAGE_CHARS = 2000


def results_of_junit(text: str, path: str) -> Json:
    """Converts JUnit XML to results in the form of the tool `run_tests`.

    A file that declares a document type is refused: entities could make it grow without bounds.

    Raises:
        ToolInputError: it is no JUnit XML.
    """
    if _DECLARES.search(text):
        raise ToolInputError(f"{path!r} declares a document type", advice="give the XML without <!DOCTYPE>")
    try:
        top = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise ToolInputError(f"{path!r} is not XML: {error}", advice="give a JUnit XML file") from error
    cases = list(top.iter("testcase"))
    if top.tag not in ("testsuites", "testsuite"):
        raise ToolInputError(f"{path!r} is XML, but no JUnit file", advice="give what pytest --junitxml=FILE writes")
    faults = [(case, fault) for case in cases if (fault := _fault(case)) is not None]
    skipped = sum(case.find("skipped") is not None for case in cases)
    return {
        "framework": "pytest",
        "passed": len(cases) - len(faults) - skipped,
        "failed": len(faults),
        "kept": [],
        "dropped": [_dropped(case, fault) for case, fault in faults],
        "tests": [],
        "coverage": None,
        "repeats": 0,
        "notes": [f"{skipped} skipped"] if skipped else [],
        "sandbox": "",
    }


def _fault(case: ElementTree.Element) -> ElementTree.Element | None:
    failure = case.find("failure")
    return case.find("error") if failure is None else failure


def _dropped(case: ElementTree.Element, fault: ElementTree.Element) -> Json:
    message = (fault.get("message") or (fault.text or "").strip())[:_MAX_MESSAGE_CHARS]
    nodeid = "::".join(part for part in (case.get("classname"), case.get("name")) if part)
    # pytest writes no `type` attribute: the exception stands at the start of the message.
    match = _TYPE.match(message.strip())
    type_name = (match.group(1) if match else fault.get("type") or "AssertionError").rpartition(".")[2]
    result = CaseResult(
        nodeid=nodeid,
        path=case.get("file") or "",
        name=case.get("name") or nodeid,
        outcome="error" if fault.tag == "error" else "failed",
        phase="setup" if fault.tag == "error" else "call",
        failure=Failure(type_name, message),
    )
    verdict = classify_case(result, None)
    return {
        "case_id": None,
        "nodeid": nodeid,
        "class": verdict.failure_class,
        "reason": verdict.reason,
        "message": message,
    }
