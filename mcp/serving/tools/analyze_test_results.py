"""`analyze_test_results`: explains stored test results."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping
from typing import Any

from ....core.errors import ToolInputError
from ....utils.confined_paths import read_text
from ...toolbox.json_schema import TEXTS, array, closed_object, integer, open_object, string, strings
from ...toolbox.tool_spec import Json, Link, ToolAnswer, client_tool
from ..context import ROOT, ClientCall
from ..handles import RUNS, parse_run_uri, run_uri
from ..jobs import find_run, run_job
from ..run_files import parse_object, read_json, run_folder
from .junit import results_of_junit

_MAX_LISTED = 50
_ADVICE = {
    "product_defect": "look at the code: it contradicts what is documented; the test is right to fail",
    "test_defect": "look at the test: it expects what nobody promised, or is itself wrong",
    "environment": "give the environment what it lacks, or keep the test away from it",
    "flaky": "find what the test depends on besides its inputs: order, time, randomness, leftovers",
    "timeout": "find the loop or the wait that does not end, or give more time",
}


async def _run(call: ClientCall, /, results_path: str, root: str | None = None) -> ToolAnswer:
    server = call.server
    if results_path.startswith(RUNS):
        run_id, part = parse_run_uri(results_path)
        project, run = await find_run(server, run_id)
        # A finished run was analysed already.
        if part in ("", "report", "report.md", "report.json") and run["report"]:
            return ToolAnswer(_analysis_of_report(run_id, project.name, run["report"]))
        # Results of run_tests are stored with their spec; other files are the results themselves.
        stored = await asyncio.to_thread(read_json, run_folder(server, project, run_id), part)
        results, spec = stored.get("results", stored), stored.get("spec") or {}
    else:
        file = await server.roots.file(results_path, root=root, what="results file")
        project, spec = file.root, {}
        text = await asyncio.to_thread(read_text, file.path, results_path)
        is_xml = text.lstrip().startswith("<")
        results = results_of_junit(text, results_path) if is_xml else parse_object(text, results_path)
    if not isinstance(results.get("dropped"), list) or "passed" not in results:
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
    description="Says what test results mean: each failure as product_defect, test_defect, environment, flaky or"
    " timeout, suspected defects with evidence, and what to do next. Use it after run_tests (give "
    "its results_path), for a finished run (its testwright://runs/…/report.json), or for a JUnit XML"
    " file that other tools wrote below a root. Runs no test. Takes about a second; tokens where a "
    "model is configured for it.",
    input_schema=closed_object(
        {
            "results_path": string(
                minLength=1,
                maxLength=4096,
                description="URI of stored results or of a report, or the path of a results file below a root.",
            ),
            "root": ROOT,
        },
        ["results_path"],
    ),
    output_schema=open_object(
        ["run_id", "root", "summary", "counts", "findings", "suspected_defects", "suggestions"],
        {
            **strings("run_id", "root", "summary"),
            "counts": {"type": "object", "additionalProperties": integer(), "description": "By class."},
            "findings": array(open_object(["class", "title"])),
            "suspected_defects": array(open_object(["title"])),
            "suggestions": TEXTS,
            "analysis_path": string(description="URI of the whole analysis."),
        },
    ),
    run=_run,
    is_long=True,
)
