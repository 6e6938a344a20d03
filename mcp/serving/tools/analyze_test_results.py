"""`analyze_test_results(results_path)`: what stored results mean (B-07, T-11)."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from ....core.errors import ToolInputError
from ....utils.confined_paths import read_text
from ...toolbox.definition import closed_object
from ..backend import Json
from ..handles import RUNS, Link, run_part, run_uri
from ..jobs import found_run, worked
from ..roots import Root
from ..tool_definition import ROOT, Answer, Call, Desk, ServedTool
from .junit import results_of_junit
from .run_files import folder_of, json_file, parsed_object

_LISTED = 50
_ADVICE = {
    "product_defect": "look at the code: it contradicts what is documented; the test is right to fail",
    "test_defect": "look at the test: it expects what nobody promised, or is itself wrong",
    "environment": "give the environment what it lacks, or keep the test away from it",
    "flaky": "find what the test depends on besides its inputs: order, time, randomness, leftovers",
    "timeout": "find the loop or the wait that does not end, or give more time",
}


async def _serve(desk: Desk, call: Call, /, **arguments: Any) -> Answer:
    given = arguments["results_path"]
    if given.startswith(RUNS):
        run_id, part = run_part(given)
        root, run = await found_run(desk, run_id)
        if part in ("", "report", "report.md", "report.json") and run["report"]:
            return Answer(_of_report(run_id, root.name, run["report"]))
        kept = await asyncio.to_thread(json_file, folder_of(desk.application.state(root.path), run_id), part)
        results, spec = kept.get("results", kept), kept.get("spec") or {}
    else:
        place = await desk.roots.file(given, root=arguments.get("root"), what="results file")
        root, spec = place.root, {}
        results = _read(await asyncio.to_thread(read_text, place.path, given), given)
    _refuse_other(results, given)
    return await _analysed(desk, call, root, results, spec)


async def _analysed(desk: Desk, call: Call, root: Root, results: Json, spec: Json) -> Answer:
    target = spec.get("target") or {}
    run_id, analysis = await worked(
        desk,
        call,
        root,
        "analyze_test_results",
        lambda job: desk.application.analyze(job, results=results, spec=spec, target=target),
    )
    uri = run_uri(run_id, "analysis.json")
    findings = analysis["findings"]
    data = {
        "run_id": run_id,
        "root": root.name,
        "summary": analysis["summary"],
        "counts": _counts(findings),
        "findings": findings[:_LISTED],
        "suspected_defects": analysis["suspected_defects"][:_LISTED],
        "suggestions": _suggestions(findings),
        "analysis_path": uri,
    }
    return Answer(data, (Link(uri, "analysis.json", "The whole analysis", "application/json"),))


def _of_report(run_id: str, root: str, report: Mapping[str, Any]) -> Json:
    """The analysis that a finished run holds already."""
    findings = list(report["findings"])
    summaries = [f"{one['path']}: {one['analysis']}" for one in report["targets"] if one["analysis"]]
    return {
        "run_id": run_id,
        "root": root,
        "summary": " ".join(summaries) or "The run's results were not analysed.",
        "counts": _counts(findings),
        "findings": findings[:_LISTED],
        "suspected_defects": report["suspected_defects"][:_LISTED],
        "suggestions": _suggestions(findings),
        "analysis_path": run_uri(run_id, "report.json"),
    }


def _read(text: str, given: str) -> Json:
    return results_of_junit(text, given) if text.lstrip().startswith("<") else parsed_object(text, given)


def _refuse_other(results: Json, given: str) -> None:
    if not isinstance(results.get("dropped"), list) or "passed" not in results:
        raise ToolInputError(
            f"{given!r} holds no test results",
            advice="give results_path of run_tests, a run's report.json, or a JUnit XML file (pytest --junitxml=FILE)",
        )


def _counts(findings: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    return dict(Counter(str(one.get("class")) for one in findings))


def _suggestions(findings: Iterable[Mapping[str, Any]]) -> list[str]:
    classes = _counts(findings)
    return [f"{name} ({classes[name]}): {advice}" for name, advice in _ADVICE.items() if name in classes]


TOOL = ServedTool(
    name="analyze_test_results",
    title="Analyse test results",
    description="Says what test results mean: each failure as product_defect, test_defect, environment, flaky or"
    " timeout, suspected defects with evidence, and what to do next. Use it after run_tests (give "
    "its results_path), for a finished run (its testwright://runs/…/report.json), or for a JUnit XML"
    " file that other tools wrote below a root. Runs no test. Takes about a second; tokens where a "
    "model is configured for it.",
    input_schema=closed_object(
        {
            "results_path": {
                "type": "string",
                "minLength": 1,
                "maxLength": 4096,
                "description": "URI of stored results or of a report, or the path of a results file below a root.",
            },
            "root": ROOT,
        },
        ["results_path"],
    ),
    output_schema={
        "type": "object",
        "required": ["run_id", "root", "summary", "counts", "findings", "suspected_defects", "suggestions"],
        "properties": {
            "run_id": {"type": "string"},
            "root": {"type": "string"},
            "summary": {"type": "string"},
            "counts": {"type": "object", "additionalProperties": {"type": "integer"}, "description": "By class."},
            "findings": {"type": "array", "items": {"type": "object", "required": ["class", "title"]}},
            "suspected_defects": {"type": "array", "items": {"type": "object", "required": ["title"]}},
            "suggestions": {"type": "array", "items": {"type": "string"}},
            "analysis_path": {"type": "string", "description": "URI of the whole analysis."},
        },
    },
    serve=_serve,
)
