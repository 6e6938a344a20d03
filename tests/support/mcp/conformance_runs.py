"""Runs the official conformance suite, and reads its scenarios, its results and our page about both."""

from __future__ import annotations

import functools
import re
import shlex
import subprocess
from collections.abc import Sequence
from pathlib import Path

from testwright.tests.support.mcp.npm_tools import node_environment, npm_tool
from testwright.tests.support.warm.commands import warm_module

PAGE = Path(__file__).resolve().parents[3] / "docs" / "mcp-conformance.md"
_SECONDS = 500
_TRIES = 3
_ENTRY = re.compile(r"^  - (?P<name>\S+) \[(?P<versions>\S+)\]$", re.MULTILINE)
_SUMMARY = re.compile(r"^(?P<mark>[✓✗]) (?P<name>\S+): (?P<passed>\d+) passed, (?P<failed>\d+) failed", re.MULTILINE)
_COLOUR = re.compile(r"\x1b\[\d*m")


def listed(package: str, kind: str) -> dict[str, set[str]]:
    """The suite's scenarios with the protocol versions each is for.

    Args:
        kind: `Server`, `Client` or `Authorization server`.
    """
    text = _list(package)
    [part] = [part for part in text.split("\n\n") if part.startswith(f"{kind} scenarios")] or [""]
    return {match["name"]: set(match["versions"].split(",")) for match in _ENTRY.finditer(part)}


@functools.cache
def _list(package: str) -> str:
    return _suite(package, ["list"]).stdout


def whole_suite(package: str, url: str, version: str | None = None) -> dict[str, tuple[int, int]]:
    """How many checks of each scenario passed and failed at a server.

    Args:
        version: run the scenarios of this protocol version, in it; without it, as the suite chooses.
    """
    chosen = [] if version is None else ["--spec-version", version]
    done = _suite(package, ["server", "--url", url, "--suite", "all", *chosen])
    found = {match["name"]: (int(match["passed"]), int(match["failed"])) for match in _SUMMARY.finditer(done.stdout)}
    assert found, done.stdout + done.stderr
    return found


def at_server(package: str, url: str, scenario: str, version: str | None = None) -> str:
    """What is wrong when one scenario is played at a server; empty when nothing is."""
    chosen = [] if version is None else ["--spec-version", version]
    return _played(package, ["server", "--url", url, "--scenario", scenario, *chosen])


def with_our_client(package: str, scenario: str, version: str | None = None) -> str:
    """What is wrong when one scenario is played with our client; empty when nothing is."""
    chosen = [] if version is None else ["--spec-version", version]
    client = shlex.join(warm_module("testwright.tests.support.mcp.conformance_client"))
    return _played(package, ["client", "--command", client, "--scenario", scenario, *chosen])


def documented(title: str) -> dict[str, list[str]]:
    """The rows of one table of the page: the cells after the scenario's name, by name.

    Args:
        title: the heading above the table.
    """
    part = PAGE.read_text().split(f"## {title}\n")[1].split("\n## ")[0]
    rows = [line.strip("| ").split(" | ") for line in part.splitlines() if line.startswith("| `")]
    return {name.strip("`"): cells for name, *cells in rows}


def _played(package: str, arguments: Sequence[str]) -> str:
    """The complaint, when it is made every time: some scenarios give an answer half a second, too little when busy."""
    told = ""
    for _ in range(_TRIES):
        told = _complaint(_suite(package, arguments))
        if not told:
            break
    return told


def _complaint(done: subprocess.CompletedProcess[str]) -> str:
    told = done.stdout + done.stderr
    passed = re.search(r"^Passed: (\d+)/(\d+), 0 failed", told, re.MULTILINE)
    fine = done.returncode == 0 and passed is not None and passed[1] == passed[2] != "0"
    return "" if fine else told


def _suite(package: str, arguments: Sequence[str]) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [*npm_tool(package), *arguments],
        env=node_environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=_SECONDS,
        check=False,
    )
    done.stdout = _COLOUR.sub("", done.stdout)
    return done
