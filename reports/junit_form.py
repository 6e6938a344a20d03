"""junit.xml: the report as CI servers read it.

A suite for each target: kept cases pass, dropped ones are skipped with their reason, a failed step is an error.
Suspected defects have a suite of their own and fail only when they fail the run, so that the server and the exit code
agree.
"""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree as Xml

from ..core.outcome import ExitReason
from ..utils.outgoing_text import visible_text
from .model import Report, ReportTarget, SuspectedDefect


def junit_form(report: Report) -> str:
    """The text of junit.xml."""
    root = Xml.Element("testsuites", {"name": "testwright"})
    for target in report.targets:
        _suite(root, target)
    if report.suspected_defects:
        _defect_suite(root, report.suspected_defects, fail=report.exit_reason is ExitReason.PRODUCT_DEFECT)
    _count(root)
    Xml.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + Xml.tostring(root, encoding="unicode") + "\n"


def _suite(root: Xml.Element, target: ReportTarget) -> None:
    suite = Xml.SubElement(root, "testsuite", {"name": visible_text(target.path)})
    if target.status != "completed":
        case = _case(suite, target.module or target.path, "the target's step", target.test_path)
        failed = target.status == "failed"
        _add_outcome(
            case, "error" if failed else "skipped", "failed step" if failed else "", target.error or target.status
        )
    titles = {evidence.case_id: evidence for evidence in target.evidence}
    for case_id in target.kept:
        record = titles.get(case_id)
        case = _case(suite, target.module or target.path, case_id, target.test_path)
        _properties(case, [("title", record.title), ("subject", record.subject)] if record else [])
        if target.execution == "not executed":
            _add_outcome(case, "skipped", "", "not executed")
    for dropped in target.dropped:
        case = _case(suite, target.module or target.path, dropped.case_id, target.test_path)
        _properties(case, [("title", dropped.title), ("class", dropped.failure_class)])
        _add_outcome(case, "skipped", "", f"dropped: {dropped.reason}")
        if dropped.message:
            Xml.SubElement(case, "system-out").text = visible_text(dropped.message)
    _count(suite)


def _defect_suite(root: Xml.Element, defects: Sequence[SuspectedDefect], *, fail: bool) -> None:
    suite = Xml.SubElement(root, "testsuite", {"name": "suspected defects"})
    for defect in defects:
        case = _case(suite, defect.subject or defect.target, defect.title, defect.target)
        details = f"documented: {defect.documented}\nobserved: {defect.observed}\n\n{defect.reproduce}".rstrip()
        if fail:
            _add_outcome(case, "failure", "suspected defect", defect.title).text = visible_text(details)
        else:
            _add_outcome(case, "skipped", "", f"suspected defect: {defect.title}")
            Xml.SubElement(case, "system-out").text = visible_text(details)
    _count(suite)


def _case(suite: Xml.Element, owner: str, name: str, file: str) -> Xml.Element:
    place = {"file": visible_text(file)} if file else {}
    return Xml.SubElement(
        suite, "testcase", {"classname": visible_text(owner), "name": visible_text(name), "time": "0", **place}
    )


def _properties(case: Xml.Element, pairs: Sequence[tuple[str, str]]) -> None:
    given = [(name, value) for name, value in pairs if value]
    if given:
        parent = Xml.SubElement(case, "properties")
        for name, value in given:
            Xml.SubElement(parent, "property", {"name": name, "value": visible_text(value)})


def _add_outcome(case: Xml.Element, what: str, kind: str, message: str) -> Xml.Element:
    typed = {"type": visible_text(kind)} if kind else {}
    return Xml.SubElement(case, what, {**typed, "message": visible_text(message)})


def _count(element: Xml.Element) -> None:
    cases = list(element.iter("testcase"))
    element.set("tests", str(len(cases)))
    for plural, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        element.set(plural, str(sum(case.find(tag) is not None for case in cases)))
