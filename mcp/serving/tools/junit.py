"""A JUnit XML file as test results: what failed, with the class its message speaks for (B-07)."""

from __future__ import annotations

import re
from typing import Any
from xml.etree import ElementTree

from ....core.errors import ToolInputError
from ....gate.model.classify import classify_case
from ....gate.model.results import CaseResult, Failure
from ..backend import Json

_DECLARES = re.compile(r"<!(?:DOCTYPE|ENTITY)", re.IGNORECASE)
_TYPE = re.compile(r"^(?:E\s+)?([A-Za-z_][\w.]*(?:Error|Exception|Warning|Failed|Exit|Interrupt))\b")
_MESSAGE = 2000


def results_of_junit(text: str, given: str) -> Json:
    """Results in the form of the tool `run_tests`.

    A file that declares a document type is refused: entities could make it grow without bounds.

    Raises:
        ToolInputError: it is no JUnit XML.
    """
    if _DECLARES.search(text):
        raise ToolInputError(f"{given!r} declares a document type", advice="give the XML without <!DOCTYPE>")
    try:
        top = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise ToolInputError(f"{given!r} is not XML: {error}", advice="give a JUnit XML file") from error
    cases = list(top.iter("testcase"))
    if top.tag not in ("testsuites", "testsuite"):
        raise ToolInputError(f"{given!r} is XML, but no JUnit file", advice="give what pytest --junitxml=FILE writes")
    bad = [(case, one) for case in cases if (one := _fault(case)) is not None]
    skipped = sum(case.find("skipped") is not None for case in cases)
    return {
        "framework": "pytest",
        "passed": len(cases) - len(bad) - skipped,
        "failed": len(bad),
        "kept": [],
        "dropped": [_dropped(case, fault) for case, fault in bad],
        "tests": [],
        "coverage": None,
        "repeats": 0,
        "notes": [f"{skipped} skipped"] if skipped else [],
        "sandbox": "",
    }


def _fault(case: ElementTree.Element) -> ElementTree.Element | None:
    failure = case.find("failure")
    return case.find("error") if failure is None else failure


def _dropped(case: ElementTree.Element, fault: ElementTree.Element) -> dict[str, Any]:
    message = (fault.get("message") or (fault.text or "").strip())[:_MESSAGE]
    nodeid = "::".join(part for part in (case.get("classname"), case.get("name")) if part)
    spoken = _TYPE.match(message.strip())
    type_name = (spoken.group(1) if spoken else fault.get("type") or "AssertionError").rpartition(".")[2]
    result = CaseResult(
        nodeid=nodeid,
        path=case.get("file") or "",
        name=case.get("name") or nodeid,
        outcome="error" if fault.tag == "error" else "failed",
        phase="setup" if fault.tag == "error" else "call",
        failure=Failure(type_name, message),
    )
    judged = classify_case(result, None)
    return {
        "case_id": None,
        "nodeid": nodeid,
        "class": judged.failure_class,
        "reason": judged.reason,
        "message": message,
    }
