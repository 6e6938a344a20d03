"""Names and messages that no UTF-8 can carry, or that steer a terminal: shown as escapes, and nothing breaks."""

import json
from pathlib import Path

import pytest

from testwright.tests.support.hostile.projects import hostile_project
from testwright.tests.support.mcp.processes import over_http, over_stdio
from testwright.tests.support.mcp.raw_messages import INITIALIZED, RawSession, call, initialize, request
from testwright.tests.support.projects.files import run_command
from testwright.tests.support.warm.commands import warm_command

FAILING = 'def test_s():\n    assert False, "lone \\udcff surrogate \\x1b[31mred \\u202e"\n'
SHOWN = r"lone \udcff surrogate"


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    root = tmp_path_factory.mktemp("texts") / "pk"
    return hostile_project(
        root, {"bad\udcff.py": "x = 1\n", "tests/test_s.py": FAILING, "testwright.toml": "repeats = 1\n"}
    )


def ask_for_all(ask):
    """Calls that meet the name and the message, and the texts of their answers."""
    near = ask(call("check_syntax", {"file_path": "badx.py", "language": "python"}, 2))
    failed = ask(call("run_tests", {"test_path": "tests/test_s.py"}, 3))
    assert "result" in ask(request("ping", request_id=4))
    return [answer["result"]["content"][0]["text"] for answer in (near, failed)]


def test_a_stdio_server_answers_with_visible_escapes_and_stays_alive(project):
    with over_stdio(warm_command("mcp", "serve"), "--root", str(project)) as served:

        def ask(message):
            served.send(message)
            return served.answer(message["id"])

        ask(initialize())
        served.send(INITIALIZED)
        near, failed = ask_for_all(ask)
        assert r"bad\udcff.py" in near
        assert SHOWN in json.loads(failed)["failures"][0]["reason"]
        assert served.process.poll() is None


def test_a_session_over_http_gets_an_answer_to_each_call(project):
    command = warm_command("mcp", "serve", "--http", "127.0.0.1:0", "--root", str(project))
    with over_http(command) as served, RawSession(served.url) as session:
        near, failed = ask_for_all(session.ask)
        assert r"bad\udcff.py" in near
        assert SHOWN in json.loads(failed)["failures"][0]["reason"]


@pytest.mark.parametrize("form", ["text", "markdown", "json"])
def test_an_assessment_shows_escapes_instead_of_obeying_them(project, plain_python, form):
    done = run_command("assess", "--python", str(plain_python), "--root", str(project), "--format", form, cwd=project)
    assert done.code == 9, done.err
    assert "surrogate" in done.out
    assert all(char.isprintable() or char == "\n" for char in done.out)
    for kept in Path(project / ".testwright" / "runs").glob("*/assess.json"):
        json.loads(kept.read_text("utf-8"))
