"""Generates specs of load tests: requests that work become tasks, and a measured load gives the limits.

What is measured differs a little from one time to the next, so that two specs of one API may differ in figures.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ....core.errors import AgentFailure, ApplicationFault
from ....engine.api.document.auth import Credential
from ....engine.api.probe.explore import find_baselines
from ....engine.api.values.data import json_examples
from ....engine.performance.load.compose import compose_load_spec
from ....engine.performance.load.limits import Measurement
from ....engine.performance.load.profiles import PROFILE_NAMES
from ....engine.performance.load.render import render_load
from ....engine.performance.load.tasks import load_tasks, request_name
from ....gate.model.options import LOAD_SECONDS, SuiteOptions
from ....gate.runner.suite import open_suite
from ....sandbox.protocol import Limits
from ....sandbox.target import PythonTarget
from ...contract.protocol import JsonObject
from .api_specs import ApiSpecGenerator, OpenedApi
from .spec_agent import SpecResult

_ROUNDS = 4
"""How often tasks that fail under load are left out before all of it is given up."""
_HEAVIEST = ("smoke", "soak", "load", "spike", "stress")
_PLACE = "load_tests/locustfile_measured.py"
_WALL_SECONDS = 600.0
_TEST_SECONDS = 60.0
_FEW_ERRORS = 0.2
"""Percent of the requests of a whole measurement; what fails more often is left out."""


@dataclass(slots=True)
class _Findings:
    """What measuring gave.

    Attributes:
        dropped: why a task is left out, by the requests that failed.
        defects: suspected defects, in the spec's form.
    """

    tasks: list[JsonObject]
    measurements: list[Measurement] = field(default_factory=list)
    dropped: dict[str, str] = field(default_factory=dict)
    defects: list[JsonObject] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class LoadSpecGenerator:
    """Generates load test specs for one application.

    The metadata holds `tasks`, `measured` (runs of profiles), `processor` (the most of a core that Locust used) and
    `notes`.

    Attributes:
        apis: starts and describes the application.
        load_seconds: what each profile is pressed into for a measurement.
    """

    apis: ApiSpecGenerator
    load_seconds: float = LOAD_SECONDS

    async def generate(self, inputs: Mapping[str, Any], *, seconds: float | None = None) -> SpecResult:
        """Generate the spec for `target` (`application`, `endpoint`, or both; `profiles`, by default all).

        Raises:
            InterpreterError: Locust is not there and cannot be provided.
            ApplicationFault, ToolMissing, SandboxFailure, UsageError: as for API tests.
        """
        target: Mapping[str, Any] = inputs["target"]
        opened = await self.apis.prepare(target)
        await opened.prepared.with_load_tools()  # what is missing is told before the application is explored
        profiles = [str(name) for name in target.get("profiles") or PROFILE_NAMES]
        baselines, credentials, without = await find_baselines(
            opened.prepared,
            opened.api,
            opened.launch,
            secrets=opened.secrets,
            examples=json_examples(self.apis.examples),
            wanted=[str(name) for name in target.get("operations") or ()],
        )
        tasks, reasons = load_tasks(baselines, opened.launch.environment.values())
        findings = await self._measured(opened, tasks, profiles, credentials) if tasks else _Findings([])
        spec = self._spec(opened, findings.tasks, profiles, credentials, findings, {**without, **reasons})
        processor = max((one.processor for one in findings.measurements), default=0.0)
        runs = len(findings.measurements)
        notes = [f"Locust used {100 * processor:.0f} % of a processor core at most."] if runs else []
        metadata = {"tasks": len(findings.tasks), "measured": runs, "processor": processor, "notes": notes}
        trace: list[JsonObject] = [{"event": "explored", "target": opened.path, "cases": len(spec["cases"])}]
        return SpecResult(spec, metadata, trace)

    def _spec(
        self,
        opened: OpenedApi,
        tasks: Sequence[JsonObject],
        profiles: Sequence[str],
        credentials: Mapping[str, Credential],
        findings: _Findings | None = None,
        reasons: Mapping[str, str] | None = None,
    ) -> JsonObject:
        return compose_load_spec(
            title=opened.api.title,
            path=opened.path if (self.apis.root / opened.path).is_file() else "",
            launch=opened.launch,
            tasks=tasks,
            profiles=profiles,
            measurements=findings.measurements if findings else (),
            credentials=credentials,
            reasons={**(reasons or {}), **(findings.dropped if findings else {})},
            places=_places(opened),
            defects=findings.defects if findings else (),
        )

    async def _measured(
        self,
        opened: OpenedApi,
        tasks: Sequence[JsonObject],
        profiles: Sequence[str],
        credentials: Mapping[str, Credential],
    ) -> _Findings:
        """Measure twice; tasks whose requests fail are left out first."""
        findings = _Findings(list(tasks))
        # The heaviest load shows what fails where users meet.
        first = [max(profiles, key=_HEAVIEST.index)]
        for _ in range(_ROUNDS):
            spec = self._spec(opened, findings.tasks, first, credentials)
            failing = _failing(await measure(opened.prepared, spec, self.load_seconds))
            if not failing:
                spec = self._spec(opened, findings.tasks, profiles, credentials)
                both = [await measure(opened.prepared, spec, self.load_seconds) for _ in range(2)]
                found = [one for measured in both for one in measured]
                failing = _failing(found, _FEW_ERRORS)
                if not failing:
                    findings.measurements = found
                    return findings
            _leave_out(findings, failing, opened)
            if not findings.tasks:
                return findings
        raise AgentFailure(
            "requests fail under load however many tasks are left out",
            advice="look at the application under a few users at once: its answers depend on who else is there",
        )


async def measure(target: PythonTarget, spec: JsonObject, load_seconds: float) -> list[Measurement]:
    """Run every profile of a spec once, in the sandbox, each pressed into so many seconds.

    Raises:
        ApplicationFault: Locust or the application did not start, or gave no figures.
        InterpreterError, SandboxFailure: as `open_suite`.
    """
    rendered = await asyncio.to_thread(render_load, spec, "locust", _PLACE)
    files = {file.path: file.contents for file in rendered}
    options = SuiteOptions(test_seconds=_TEST_SECONDS, wall_seconds=_WALL_SECONDS, load_seconds=load_seconds)
    async with open_suite(target, files, "locust") as suite:
        limits = Limits(wall_seconds=_WALL_SECONDS, memory_mib=4096)
        facts, completed = await suite.work("suites.run_locust", options, {}, limits)
    found = [fact for fact in facts if fact.get("kind") == "figures"]
    broken = [fact for fact in facts if fact.get("outcome") in ("error", "timeout")]
    if broken or len(found) < len(spec["cases"]):
        said = [str((fact.get("error") or {}).get("message") or "") for fact in facts if fact.get("error")]
        said += [str(fact["message"]) for fact in facts if fact.get("kind") == "broken"]
        printed = completed.stderr.decode("utf-8", "replace").strip().splitlines()[-1:]
        raise ApplicationFault(
            f"The load could not be measured: {'; '.join(said or printed) or 'Locust gave no figures'}",
            advice="start the application by hand and send it some requests; `testwright doctor` looks for Locust",
        )
    silent = [str(one["profile"]) for one in found if not one["entries"]]
    if silent:
        raise ApplicationFault(
            f"The load could not be measured: in {', '.join(silent)} Locust got no answer to any request",
            advice="send the application a request by hand, and see whether it still answers after some more of them",
        )
    return [Measurement(str(one["profile"]), one["entries"], float(one["processor"])) for one in found]


def _places(opened: OpenedApi) -> dict[str, JsonObject]:
    """Where the handlers are, by the names of their requests; the first one stands for all."""
    found: dict[str, JsonObject] = {
        one.label: {"path": one.source, "lines": list(one.lines)} for one in opened.api.operations if one.source
    }
    return {**found, "": next(iter(found.values()))} if found else {}


def _failing(measurements: Sequence[Measurement], allowed: float = 0.0) -> dict[str, Mapping[str, Any]]:
    """The figures of the requests that failed, or that nobody answered any more.

    Args:
        allowed: percent of a request that may fail.
    """
    return {
        name: entry
        for one in measurements
        for name, entry in one.entries.items()
        if name and (entry["error_rate"] > allowed or entry.get("unanswered"))
    }


def _leave_out(findings: _Findings, failing: Mapping[str, Mapping[str, Any]], opened: OpenedApi) -> None:
    """Leave out what makes requests fail: first what removes something, else the tasks that fail."""
    hit = [task for task in findings.tasks if any(request_name(one) in failing for one in task["requests"])]
    server = {name: entry for name, entry in failing.items() if entry.get("server_failed")}
    findings.defects += [one for one in _defects(server, opened) if one["id"] not in _ids(findings.defects)]
    removing = [task for task in hit if any(one["method"] == "DELETE" for one in task["requests"])]
    gone = removing or hit or list(findings.tasks)
    for task in gone:
        errors = [error for one in task["requests"] for error in _errors(failing.get(request_name(one)))]
        reason = f"under load it fails: {errors[0][:200]}" if errors else "under load its requests fail"
        for one in task["requests"]:
            findings.dropped.setdefault(request_name(one)[:300], reason)
    findings.tasks = [task for task in findings.tasks if task not in gone]
    asked = {request_name(one) for task in findings.tasks for one in task["requests"]}
    findings.dropped = {name: why for name, why in findings.dropped.items() if name not in asked}


def _errors(entry: Mapping[str, Any] | None) -> list[str]:
    return [str(error) for error in (entry or {}).get("errors") or ()]


def _ids(defects: Sequence[JsonObject]) -> set[str]:
    return {str(one["id"]) for one in defects}


def _defects(server: Mapping[str, Mapping[str, Any]], opened: OpenedApi) -> Iterator[JsonObject]:
    """A request that works alone and makes the server fail, or stop answering, in company is suspected."""
    operations = {one.label: one for one in opened.api.operations}
    for name, entry in server.items():
        operation = operations.get(name)
        if operation is None:
            continue
        what = "is not answered any more" if entry.get("unanswered") else "makes the server fail"
        observed = next(iter(_errors(entry)), "it failed")
        yield {
            "id": f"sd_{re.sub(r'[^a-z0-9_]+', '_', operation.name.lower())[:100]}_under_load",
            "title": f"{name} {what} when several users ask at once"[:300],
            "subject": name[:300],
            "documented": "A valid request is answered as it is when nobody else asks.",
            "observed": f"With several users at once: {observed}"[:4000],
            "evidence": {"path": operation.source, "lines": list(operation.lines)},
        }
