"""How the helper of generated tests starts an application, before it does."""

from __future__ import annotations

import sys

import pytest

from testwright.sandbox.worker.http import api_process


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
def test_cookies_of_a_user_and_of_a_request_are_sent_together(monkeypatch):
    sent = {}
    application = api_process.Application("shop:app", launcher=["serve"])
    monkeypatch.setattr(application, "headers_of", lambda _: {"Cookie": "sid=1"})
    monkeypatch.setattr(application, "request", lambda *_, headers: sent.update(headers))
    application.as_user("user").get("/", headers={"Cookie": "lang=de"})
    assert sent == {"Cookie": "sid=1; lang=de"}
