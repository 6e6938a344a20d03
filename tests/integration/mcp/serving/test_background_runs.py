"""Long work is answered in time: it goes on, is waited for by its id, and can be cancelled."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from testwright.core.errors import EnvironmentFault
from testwright.mcp.serving.backend import Job, Json
from testwright.tests.support.mcp.serving import (
    Progress,
    ScriptedApplication,
    a_report,
    data,
    scripted_client,
    told,
)

pytestmark = pytest.mark.feature("T-11")
ASKED = {"request": "test cart1", "wait_seconds": 1}


class Slow(ScriptedApplication):
    """Works until the test lets it end."""

    def __init__(self, outcome: Any = None) -> None:
        super().__init__()
        self.go_on = asyncio.Event()
        self.begun = asyncio.Event()
        self.cancelled = asyncio.Event()
        self._outcome = outcome

    async def generate_tests(self, job: Job, request: str, options: Any) -> Json:
        self.begun.set()
        try:
            await self.go_on.wait()
        except asyncio.CancelledError:
            self.cancelled.set()
            raise
        if isinstance(self._outcome, Exception):
            raise self._outcome
        return a_report(job.run_id)


async def test_work_that_takes_longer_is_answered_as_running_and_waited_for_by_its_id(tmp_path: Path) -> None:
    application, heard = Slow(), Progress()
    async with scripted_client(application, tmp_path, heartbeat_seconds=0.01) as client:
        first = data(await client.call_tool("generate_tests", ASKED))
        assert first["status"] == "running"
        assert f"run_status(run_id={first['run_id']!r})" in first["next"][0]
        asked = {"run_id": first["run_id"], "wait_seconds": 1}
        assert data(await client.call_tool("run_status", asked))["status"] == "running"
        waiting = asyncio.create_task(
            client.call_tool("run_status", {**asked, "wait_seconds": 60}, progress_callback=heard)
        )
        await heard.until(lambda _: True)
        application.go_on.set()
        ended = data(await waiting)
        again = data(await client.call_tool("run_status", asked))
    assert ended["status"] == "completed"
    assert ended["answer"]["run_id"] == ended["run_id"] == first["run_id"]
    assert ended["answer"]["counts"]["kept"] == 2
    assert again == ended


async def test_work_that_ends_in_time_is_answered_as_before(tmp_path: Path) -> None:
    application = ScriptedApplication({"generate_tests": a_report()})
    async with scripted_client(application, tmp_path) as client:
        assert data(await client.call_tool("generate_tests", ASKED))["status"] == "completed"


async def test_the_error_of_work_in_the_background_reaches_the_one_who_waits(tmp_path: Path) -> None:
    application = Slow(EnvironmentFault("no interpreter", advice="install one"))
    async with scripted_client(application, tmp_path) as client:
        first = data(await client.call_tool("generate_tests", ASKED))
        application.go_on.set()
        error = told(await client.call_tool("run_status", {"run_id": first["run_id"]}))
    assert (error["type"], error["advice"]) == ("EnvironmentFault", "install one")


async def test_a_run_in_the_background_is_cancelled_when_asked(tmp_path: Path) -> None:
    application = Slow()
    async with scripted_client(application, tmp_path) as client:
        first = data(await client.call_tool("generate_tests", ASKED))
        application.keep(tmp_path, first["run_id"], status="stopped", resumable=True)
        ended = data(await client.call_tool("cancel_run", {"run_id": first["run_id"]}))
        again = data(await client.call_tool("cancel_run", {"run_id": first["run_id"]}))
        status = data(await client.call_tool("run_status", {"run_id": first["run_id"]}))
    assert application.cancelled.is_set()
    assert (ended["outcome"], again["outcome"], status["status"]) == ("cancelled", "had_ended", "stopped")


async def test_a_connection_that_ends_takes_its_runs_with_it(tmp_path: Path) -> None:
    application = Slow()
    async with scripted_client(application, tmp_path) as client:
        assert data(await client.call_tool("generate_tests", ASKED))["status"] == "running"
    assert application.cancelled.is_set()


async def test_runs_of_earlier_sessions_are_listed_when_asked(tmp_path: Path) -> None:
    application = ScriptedApplication()
    application.keep(tmp_path, "run-of-an-earlier-server")
    async with scripted_client(application, tmp_path) as client:
        own = data(await client.call_tool("list_runs", {}))
        stored = data(await client.call_tool("list_runs", {"scope": "project"}))
    assert own["runs"] == []
    assert "scope='project'" in own["note"]
    assert [run["run_id"] for run in stored["runs"]] == ["run-of-an-earlier-server"]
