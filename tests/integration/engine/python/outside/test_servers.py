"""Code that asks HTTP servers is tested with stand-ins for them, and what it sent is asserted (B-11)."""

from __future__ import annotations

from pathlib import Path

import pytest

from testwright.engine.python.write.render import render
from testwright.tests.support.engine.exploration import files
from testwright.tests.support.engine.written_tests import written_spec
from testwright.tests.support.projects.files import make_project
from testwright.tests.support.projects.running import pytest_output

TRACKER = '''
from dataclasses import dataclass

import httpx


class NotFound(Exception):
    """The issue does not exist."""


@dataclass
class Issue:
    """One issue."""

    number: int
    title: str
    open: bool


class Tracker:
    """Reads and writes issues with a client whose base URL is that of the tracker."""

    def __init__(self, client: httpx.Client):
        self.client = client

    def issue(self, number: int) -> Issue:
        """Return an issue.

        Raises:
            NotFound: there is none with this number.
        """
        response = self.client.get(f"/issues/{number}")
        if response.status_code == 404:
            raise NotFound(f"no issue {number}")
        data = response.json()
        return Issue(data["number"], data["title"], data["state"] == "open")

    def titles(self) -> list[str]:
        """Return the titles of all issues."""
        return [item["title"] for item in self.client.get("/issues").json()]


async def fetch_title(client: httpx.AsyncClient, number: int) -> str:
    """Return the title of an issue."""
    response = await client.get(f"/issues/{number}")
    return response.json()["title"]


def latest_version(package: str) -> str:
    """Return the latest version of a package."""
    return httpx.get(f"https://index.example.org/{package}/json").json()["info"]["version"]
'''

RATES = '''
import json
import urllib.request

API = "https://rates.example.org"


class RateError(Exception):
    """There is no such rate."""


def rate(base: str, target: str) -> float:
    """Return how many units of the target currency one unit of the base buys."""
    with urllib.request.urlopen(f"{API}/latest?base={base}") as response:
        data = json.load(response)
    return data["rates"][target]


def names(page: int = 1) -> list[str]:
    """Return the names of currencies, sorted.

    Raises:
        RateError: the server is down.
    """
    try:
        with urllib.request.urlopen(f"{API}/names?page={page}") as response:
            data = json.loads(response.read().decode("utf-8"))
    except OSError as error:
        raise RateError("the server is down") from error
    return sorted(currency["name"] for currency in data["currencies"])
'''


@pytest.mark.feature("B-11")
def test_clients_of_httpx_get_answers_in_the_form_that_the_code_reads(tmp_path: Path) -> None:
    spec = written_spec(tmp_path, TRACKER, trials=400)
    text = render(spec, "pytest")
    assert spec["not_reached"] == []
    assert "Tracker(client_answering_json(sent, answer))" in text
    assert "Tracker(client_answering_json(sent, answer, status=404))" in text
    assert "pytest.raises(NotFound" in text
    assert 'result == ["Fix the login", "Add a logo"]' in text
    assert 'sent == ["GET https://example.org/issues"]' in text
    assert "httpx.HTTPTransport.handle_request" in text
    assert "async def handle(request):" in text
    root = make_project(tmp_path / "elsewhere", {**files(TRACKER), "tests/test_written.py": text})
    assert "passed" in pytest_output(root)


@pytest.mark.feature("B-11")
def test_urlopen_is_stood_in_for_and_a_server_that_is_down_is_tried(tmp_path: Path) -> None:
    spec = written_spec(tmp_path, RATES, trials=400)
    text = render(spec, "pytest")
    assert spec["not_reached"] == []
    assert "urllib_answering_json(sent, answer)" in text
    assert 'result == ["Ann", "Bob"]' in text
    assert "pytest.raises(RateError" in text
    assert 'sent == ["https://rates.example.org/latest?base=' in text
    root = make_project(tmp_path / "elsewhere", {**files(RATES), "tests/test_written.py": text})
    assert "passed" in pytest_output(root)
