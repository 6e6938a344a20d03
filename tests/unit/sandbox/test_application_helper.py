"""How the helper of generated tests starts an application, before it does."""

from __future__ import annotations

import asyncio
import os
import sys
from types import SimpleNamespace

import pytest

from testwright.sandbox.worker.http import api_command, api_process, api_serving


@pytest.mark.feature("T-20")
def test_a_browser_test_starts_its_site_wherever_requests_of_other_tests_go(monkeypatch):
    monkeypatch.setenv("API_BASE_URL", "https://shop.example.org/")
    assert api_process.Application("shop:app", launcher=["serve"]).base_url == "https://shop.example.org"
    assert api_process.Application("shop:app", launcher=["serve"], started_here=True).base_url == ""


@pytest.mark.feature("T-20")
@pytest.mark.parametrize(("there", "first"), [(None, sys.executable), ("/usr/bin/python", "python")])
def test_a_command_that_names_python_runs_where_no_program_has_that_name(monkeypatch, there, first):
    monkeypatch.setattr("shutil.which", lambda _: there)
    assert api_process._with_python(["python", "-m", "http.server"]) == [first, "-m", "http.server"]
    assert api_process._with_python(["serve", "python"]) == ["serve", "python"]


@pytest.mark.feature("T-20")
@pytest.mark.parametrize("written", ["notes", ".venv/bin/notes"])
def test_a_program_that_is_on_no_path_is_that_of_the_environment_of_the_tests(monkeypatch, tmp_path, written):
    installed = tmp_path / "notes"
    installed.touch()
    monkeypatch.setattr("sys.executable", str(tmp_path / "python"))
    assert api_process._with_python([written, "{port}"]) == [str(installed), "{port}"]
    assert api_command.Application([written, "{port}"], root=tmp_path / "project")._command == [
        str(installed),
        "{port}",
    ]
    assert api_process._with_python(["sh", "-c", "true"]) == ["sh", "-c", "true"]


@pytest.mark.feature("T-20")
def test_cookies_of_a_user_and_of_a_request_are_sent_together(monkeypatch):
    sent = {}
    application = api_process.Application("shop:app", launcher=["serve"])
    monkeypatch.setattr(application, "headers_of", lambda _: {"Cookie": "sid=1"})
    monkeypatch.setattr(application, "request", lambda *_, headers: sent.update(headers))
    application.as_user("user").get("/", headers={"Cookie": "lang=de"})
    assert sent == {"Cookie": "sid=1; lang=de"}


@pytest.mark.feature("T-20")
def test_only_its_own_variables_and_what_any_process_needs_reach_an_application(monkeypatch):
    for name in ("SHOP_MAIL", "SHOP_REGION", "LC_ALL"):
        monkeypatch.setenv(name, "set")
    monkeypatch.setattr("os.environ", dict(os.environ))
    api_serving.leave_out(["SHOP_REGION"])
    assert {"SHOP_REGION", "LC_ALL", "PATH"} <= set(os.environ)
    assert "SHOP_MAIL" not in os.environ


@pytest.mark.feature("T-20")
def test_routes_are_made_ready_before_the_process_is_forked_without_asking_the_application():
    class Route:
        def __init__(self):
            self.matched = []

        def matches(self, scope):
            self.matched.append(scope["path"])
            raise NotImplementedError

    class Application:
        def __init__(self, *routes):
            self.router = SimpleNamespace(routes=routes)

        async def __call__(self, scope, receive, send):
            raise AssertionError("a request before the first one changes what tests find")

    routes = (Route(), Route())
    api_serving.server_of(Application(*routes))
    assert [route.matched for route in routes] == [["/-"], ["/-"]]


@pytest.mark.feature("T-20")
def test_a_form_with_files_is_sent_alike_whether_a_command_starts_the_application_or_not(monkeypatch, tmp_path):
    sent = []
    application = api_command.Application(["serve"], root=tmp_path)
    monkeypatch.setattr(application, "start", lambda: None)
    monkeypatch.setattr(application, "_sent", lambda *parts: sent.append(parts) or api_command.Response(201, [], "", 0))
    fields = {"title": "a", "last": True, "tags": ["x", "y"], "photo": {"filename": "a.txt", "content": "of a file"}}
    application.request("POST", "/photos", form=fields, media_type="multipart/form-data")
    [(_, _, content, headers)] = sent
    assert (content, headers["Content-Type"]) == api_process._form(fields, "multipart/form-data")
    application.request("POST", "/photos", form={"title": "a b"})
    assert sent[1][2:] == ("title=a+b", {"Content-Type": "application/x-www-form-urlencoded"})


class _Committing:
    """An application that commits after its first answer, when it is told to; what it does is written down."""

    def __init__(self):
        self.done = []
        self.answered, self.commits = asyncio.Event(), asyncio.Event()

    async def __call__(self, scope, receive, send):
        self.done.append(f"{scope['path']} asked")
        await send({"type": "http.response.start", "status": 200})
        if scope["path"] == "/slow":
            self.answered.set()
            await self.commits.wait()
        await send({"type": "http.response.body"})
        if scope["path"] == "/first":
            self.answered.set()
            await self.commits.wait()
        self.done.append(f"{scope['path']} done")


async def _nowhere(message):
    """Send no message."""


async def _asked(application, *paths):
    """The requests for some paths at an application, the second one begun when the first is at its commit."""
    answer = api_serving.settled(application)
    first = asyncio.create_task(answer({"type": "http", "path": paths[0]}, None, _nowhere))
    await application.answered.wait()
    second = asyncio.create_task(answer({"type": "http", "path": paths[1]}, None, _nowhere))
    for _ in range(5):
        await asyncio.sleep(0)
    application.commits.set()
    await asyncio.gather(first, second)
    return application.done


@pytest.mark.feature("T-20")
async def test_a_request_begins_when_what_follows_the_answer_before_it_is_done():
    done = await _asked(_Committing(), "/first", "/second")
    assert done == ["/first asked", "/first done", "/second asked", "/second done"]


@pytest.mark.feature("T-20")
async def test_a_request_does_not_wait_for_one_that_is_not_answered():
    done = await _asked(_Committing(), "/slow", "/second")
    assert done == ["/slow asked", "/second asked", "/second done", "/slow done"]


@pytest.mark.feature("T-20")
async def test_what_goes_on_long_after_its_answer_is_waited_for_once(monkeypatch):
    monkeypatch.setattr(api_serving, "SETTLE_SECONDS", 0)
    waited = []
    wait = asyncio.wait
    monkeypatch.setattr(asyncio, "wait", lambda tasks, **limits: waited.append(len(tasks)) or wait(tasks, **limits))
    application = _Committing()
    answer = api_serving.settled(application)
    first = asyncio.create_task(answer({"type": "http", "path": "/first"}, None, _nowhere))
    await application.answered.wait()
    for path in ("/second", "/third"):
        await asyncio.create_task(answer({"type": "http", "path": path}, None, _nowhere))
    application.commits.set()
    await first
    assert waited == [1]


@pytest.mark.feature("T-20")
def test_where_load_is_measured_the_application_is_served_as_it_is(monkeypatch):
    served = []
    monkeypatch.setattr(api_serving, "settled", lambda application: served.append(application) or application)
    api_serving.server_of(_Committing(), settle=False)
    assert not served
    api_serving.server_of(_Committing())
    assert len(served) == 1
