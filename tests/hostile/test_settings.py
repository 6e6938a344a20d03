"""Settings of a cloned project's own file: nothing of it is executed, sent to, or believed about isolation."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from testwright.config.settings import load_settings
from testwright.core.errors import SettingsError
from testwright.tests.support.hostile.host import unharmed
from testwright.tests.support.hostile.projects import hostile_project, run_on
from testwright.tests.support.mcp.serving import data, real_client
from testwright.tests.support.runs.command_line import invoke_command

KEYS = {"TESTWRIGHT_API_KEY": "tw-key-abc123456789", "OPENAI_API_KEY": "sk-openai-abcdef123456"}


@pytest.fixture
def interpreter_trap(tmp_path: Path) -> Path:
    """A project whose settings name a script of its own as the interpreter; it leaves a mark beside the project."""
    script = f'#!/bin/sh\ntouch {tmp_path}/ran\nexec python3 "$@"\n'
    files = {"testwright.toml": 'python = "evil.sh"\n', "evil.sh": script}
    return hostile_project(tmp_path / "project", files, executable=("evil.sh",))


@pytest.fixture
def requests_seen() -> Iterator[tuple[str, list[str]]]:
    """A server on loopback: its address, and the first line and key of every request to it."""
    seen: list[str] = []

    class Listener(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            seen.append(f"{self.requestline} {self.headers.get('authorization')}")
            self.send_error(500)

        do_GET = do_POST  # noqa: N815 - the name that the library looks for

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's own word
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Listener) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1", seen
        server.shutdown()


@pytest.mark.parametrize("command", [("doctor",), ("run", "unit tests"), ("assess",), ("plan", "unit tests")])
def test_an_interpreter_named_by_the_project_is_not_executed(command: tuple[str, ...], interpreter_trap: Path) -> None:
    with unharmed(interpreter_trap.parent, marker=str(interpreter_trap)):
        outcome = invoke_command(*command, "--root", str(interpreter_trap), cwd=interpreter_trap)
    assert not (interpreter_trap.parent / "ran").exists()
    assert "evil.sh" in "".join((outcome.out + outcome.err).split())


def test_the_users_own_flag_may_name_the_same_interpreter(interpreter_trap: Path) -> None:
    invoke_command(
        "doctor", "--root", str(interpreter_trap), "--python", str(interpreter_trap / "evil.sh"), cwd=interpreter_trap
    )
    assert (interpreter_trap.parent / "ran").exists()


@pytest.mark.parametrize("file", ["testwright.toml", "pyproject.toml"])
def test_the_sandbox_is_not_weakened_by_the_project(file: str, tmp_path: Path) -> None:
    escape = (
        f'import ctypes\nctypes.CDLL(None).system(b"touch {tmp_path}/escaped")\ndef f(n: int) -> int:\n    return n\n'
    )
    table = "" if file == "testwright.toml" else '[project]\nname = "pk"\nversion = "0"\n[tool.testwright]\n'
    root = hostile_project(tmp_path / "project", {file: f'{table}sandbox = "weak"\n', "src/pk/escape.py": escape})
    outcome = run_on(root)
    assert not (tmp_path / "escaped").exists()
    first = outcome.err.splitlines()[0]
    assert f'From {file} ignored until you trust the project: sandbox = "weak"' in first
    assert outcome.code == 0


@pytest.mark.parametrize("setting", ["model", "embeddings"])
def test_no_key_and_no_source_goes_to_an_endpoint_of_the_projects_choice(
    setting: str, requests_seen: tuple[str, list[str]], tmp_path: Path
) -> None:
    address, seen = requests_seen
    root = hostile_project(
        tmp_path / "project", {"testwright.toml": f'base-url = "{address}"\n{setting} = "openai:x"\n'}
    )
    outcome = run_on(root, environment=KEYS)
    assert seen == []
    assert "base_url" in outcome.err
    assert outcome.code == 0


async def test_a_client_of_the_mcp_server_cannot_consent_for_the_user(interpreter_trap: Path) -> None:
    async with real_client(interpreter_trap) as client:
        data(await client.call_tool("run_build", {}))
        refused = await client.call_tool("generate_tests", {"request": "unit tests", "trust_project": True})
    assert refused.is_error
    assert not (interpreter_trap.parent / "ran").exists()


PLACES = (
    ".venv",
    ".git",
    ".testwright",
    ".git/hooks",
    "src/.VENV/lib",
    "a/.git./b",
    "node_modules/x",
    "venv",
    ".tox/t",
)


@pytest.mark.parametrize("folder", PLACES)
def test_tests_are_not_put_where_a_start_executes_them_or_git_and_runs_are(folder: str, tmp_path: Path) -> None:
    root = hostile_project(tmp_path / "project", {"testwright.toml": f'tests_dir = "{folder}"\n'})
    with pytest.raises(SettingsError, match="tests_dir: Value error, must not lie in"):
        load_settings({"root": root})


@pytest.mark.parametrize("folder", ["env", "state/tests"])
def test_tests_are_not_put_into_an_environment_or_state_folder_of_another_name(folder: str, tmp_path: Path) -> None:
    root = hostile_project(tmp_path / "project", {"env/pyvenv.cfg": "", "testwright.toml": f'tests_dir = "{folder}"\n'})
    with pytest.raises(SettingsError, match="must not lie in"):
        load_settings({"root": root, "state_dir": root / "state"})


def test_a_number_with_too_many_digits_is_named_with_its_file(tmp_path: Path) -> None:
    number = f"trials = {'9' * 5000}\n"
    root = hostile_project(tmp_path / "project", {"testwright.toml": number})
    with pytest.raises(SettingsError, match=r"testwright\.toml is not valid TOML: .*digits"):
        load_settings({"root": root})


def test_a_number_with_too_many_digits_in_other_files_keeps_no_run_from_working(tmp_path: Path) -> None:
    number = f"x = {'9' * 5000}\n"
    other = {"ruff.toml": number, "package.json": f'{{"a": {"9" * 5000}}}', "Pipfile": number}
    root = hostile_project(tmp_path / "project", {"pyproject.toml": f"[tool.x]\n{number}", **other})
    outcome = run_on(root)
    assert outcome.code == 0, outcome.err
