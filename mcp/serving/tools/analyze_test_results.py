"""`analyze_test_results`: explains stored test results."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Mapping
from typing import Any
from xml.etree import ElementTree

from ....core.errors import ToolInputError
from ....gate.model.classify import classify_case
from ....gate.model.results import CaseResult, Failure
from ....utils.confined_paths import read_text
from ...toolbox.json_schema import TEXTS, array, closed_object, integer, open_object, string, strings
from ...toolbox.tool_spec import Json, Link, ToolAnswer, client_tool
from ..context import ROOT, ClientCall
from ..handles import RUNS, parse_run_uri, run_uri
from ..jobs import find_run, report_of, run_job
from ..run_files import parse_object, read_json, run_folder

_DECLARES = re.compile(r"<!(?:DOCTYPE|ENTITY)", re.IGNORECASE)
_TYPE = re.compile(r"^(?:E\s+)?([A-Za-z_][\w.]*(?:Error|Exception|Warning|Failed|Exit|Interrupt))\b")
_MAX_MESSAGE_CHARS = 2000

_MAX_LISTED = 50
_ADVICE = {
    "product_defect": "look at the code: it contradicts what is documented; the test is right to fail",
    "test_defect": "look at the test: it expects what nobody promised, or is itself wrong",
    "environment": "give the environment what it lacks, or keep the test away from it",
    "flaky": "find what the test depends on besides its inputs: order, time, randomness, leftovers",
    "timeout": "find the loop or the wait that does not end, or give more time",
}


async def _run(call: ClientCall, /, results_path: str, root: str | None = None) -> ToolAnswer:
    """Says what test results mean: each failure as product_defect, test_defect, environment, flaky or timeout,
    suspected defects with evidence, and what to do next. Use it after run_tests (give its results_path), for a finished
    run (its testwright://runs/…/report.json), or for a JUnit XML file that other tools wrote below a root. Runs no
    test. Takes about a second; tokens where a model is configured for it.
    """
    server = call.server
    if results_path.startswith(RUNS):
        run_id, part = parse_run_uri(results_path)
        project, run = await find_run(server, run_id)
        # A finished run was analysed already.
        report = report_of(run) if part in ("", "report", "report.md", "report.json") else None
        if report:
            return ToolAnswer(_analysis_of_report(run_id, project.name, report))
        # Results of run_tests are stored with their spec; other files are the results themselves.
        stored = await asyncio.to_thread(read_json, run_folder(server, project, run_id), part)
        results, spec = stored.get("results", stored), stored.get("spec") or {}
    else:
        file = await server.roots.file(results_path, root=root, what="results file")
        project, spec = file.root, {}
        text = await asyncio.to_thread(read_text, file.path, results_path, (project.path,))
        is_xml = text.lstrip().startswith("<")
        results = results_of_junit(text, results_path) if is_xml else parse_object(text, results_path)
    if not _is_results(results) or not _is_spec(spec):
        raise ToolInputError(
            f"{results_path!r} holds no test results",
            advice="give results_path of run_tests, a run's report.json, or a JUnit XML file (pytest --junitxml=FILE)",
        )
    target = spec.get("target") or {}
    run_id, analysis = await run_job(
        call,
        project,
        "analyze_test_results",
        lambda job: server.backend.analyze(job, results=results, spec=spec, target=target),
    )
    uri = run_uri(run_id, "analysis.json")
    answer = _answer(run_id, project.name, analysis["summary"], analysis, uri)
    return ToolAnswer(answer, (Link(uri, "analysis.json", "The whole analysis", "application/json"),))


def _is_results(results: Any) -> bool:
    """Whether somebody's JSON has what is read of results."""
    dropped = results.get("dropped") if isinstance(results, dict) else None
    return (
        isinstance(dropped, list)
        and all(isinstance(row, dict) for row in dropped)
        and type(results.get("passed")) is int
    )


def _is_spec(spec: Any) -> bool:
    return isinstance(spec, dict) and isinstance(spec.get("target") or {}, dict)


def _analysis_of_report(run_id: str, root: str, report: Mapping[str, Any]) -> Json:
    """The analysis that a finished run contains already."""
    summaries = [f"{target['path']}: {target['analysis']}" for target in report["targets"] if target["analysis"]]
    summary = " ".join(summaries) or "The run's results were not analysed."
    return _answer(run_id, root, summary, report, run_uri(run_id, "report.json"))


def _answer(run_id: str, root: str, summary: str, analysis: Mapping[str, Any], uri: str) -> Json:
    findings = analysis["findings"]
    classes = dict(Counter(str(finding.get("class")) for finding in findings))
    return {
        "run_id": run_id,
        "root": root,
        "summary": summary,
        "counts": classes,
        "findings": findings[:_MAX_LISTED],
        "suspected_defects": analysis["suspected_defects"][:_MAX_LISTED],
        "suggestions": [f"{name} ({classes[name]}): {advice}" for name, advice in _ADVICE.items() if name in classes],
        "analysis_path": uri,
    }


TOOL = client_tool(
    name="analyze_test_results",
    title="Analyse test results",
    input_schema=closed_object(
        ["results_path"],
        results_path=string(
            minLength=1,
            maxLength=4096,
            description="URI of stored results or of a report, or the path of a results file below a root.",
        ),
        root=ROOT,
    ),
    output_schema=open_object(
        ["run_id", "root", "summary", "counts", "findings", "suspected_defects", "suggestions"],
        **strings("run_id", "root", "summary"),
        counts={"type": "object", "additionalProperties": integer(), "description": "By class."},
        findings=array(open_object(["class", "title"])),
        suspected_defects=array(open_object(["title"])),
        suggestions=TEXTS,
        analysis_path=string(description="URI of the whole analysis."),
    ),
    run=_run,
    is_long=True,
)


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
