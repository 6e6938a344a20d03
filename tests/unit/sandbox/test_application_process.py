"""How scripts start the application under test, and what reaches it of the developer's shell."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from testwright.sandbox.javascript.node import find_node
from testwright.sandbox.worker.http import api_process, api_serving

pytestmark = pytest.mark.feature("T-20")
_HELPER = Path(api_process.__file__).with_name("application_process.cjs")
_ASK = """
const { Application } = require(HELPER);
const application = new Application(LAUNCH);
(async () => {
  const base = await application.fresh(process.cwd());
  const seen = LAUNCH.command && base.startsWith('http://127.') ? await (await fetch(base)).json() : null;
  await application.stop();
  console.log(JSON.stringify({ base, seen }));
})();
"""
_SERVER = """
let asked = 0;
require('node:http').createServer((request, response) => {
  if (request.url === '/ready') response.statusCode = ++asked < 3 ? 503 : 200;
  response.end(JSON.stringify({ asked, variables: process.env }));
}).listen(Number(process.env.PORT), '127.0.0.1');
"""


def fresh(folder, shell, **launch):
    """The address of a fresh application, and what it answers, as a test sees them."""
    node = str(find_node().path)
    (folder / "server.js").write_text(_SERVER)
    launch = {"root": ".", "command": [node, "server.js"], **launch}
    script = _ASK.replace("HELPER", json.dumps(str(_HELPER))).replace("LAUNCH", json.dumps(launch))
    environment = {"PATH": os.environ["PATH"], **shell}
    done = subprocess.run(
        [node, "-e", script], cwd=folder, env=environment, capture_output=True, text=True, check=True, timeout=60
    )
    return json.loads(done.stdout)


def test_what_the_project_says_holds_and_nothing_else_of_the_shell_reaches_the_application(tmp_path):
    shell = {"SHOP_MODE": "mine", "SHOP_MAIL": "mine", "SHOP_URL": "taken", "LC_ALL": "C"}
    seen = fresh(
        tmp_path,
        shell,
        environment={"SHOP_MODE": "project", "SHOP_URL": "", "SHOP_KEY": "made-up"},
        secrets=["SHOP_TOKEN"],
        taken=["SHOP_URL", "SHOP_KEY"],
        alone=True,
    )["seen"]["variables"]
    assert (seen["SHOP_MODE"], seen["SHOP_URL"], seen["SHOP_KEY"], seen["LC_ALL"]) == (
        "project",
        "taken",
        "made-up",
        "C",
    )
    assert seen["SHOP_TOKEN"].startswith("test-")
    assert "SHOP_MAIL" not in seen


def test_a_command_is_ready_once_its_path_answers(tmp_path):
    assert fresh(tmp_path, {}, ready="/ready")["seen"]["asked"] == 3


def test_an_application_that_does_not_start_says_why_without_the_values_of_its_variables_and_leaves_no_folder(
    tmp_path,
):
    fails = "console.error(`no database at ${process.env.DB_PASSWORD}`); process.exit(1)"
    command = [str(find_node().path), "-e", fails]
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    with pytest.raises(subprocess.CalledProcessError) as failed:
        fresh(
            tmp_path,
            {"TMPDIR": str(temporary)},
            command=command,
            environment={"DB_PASSWORD": "correct-horse"},
        )
    assert "no database at ***" in failed.value.stderr
    assert "correct-horse" not in failed.value.stderr
    assert not list(temporary.iterdir())


def test_the_server_that_is_named_is_asked_and_nothing_is_started(tmp_path):
    shell = {"API_BASE_URL": "https://shop.example.org/"}
    assert fresh(tmp_path, shell, command=["no-such-program"])["base"] == "https://shop.example.org"
    assert fresh(tmp_path, shell, startedHere=True)["base"].startswith("http://127.0.0.1:")


def test_scripts_and_python_leave_the_application_the_same_surroundings():
    source = "".join(_HELPER.read_text().split())
    assert all("".join(part.split()) in source for part in api_serving.SURROUNDINGS.pattern.split("|(", 1))


_MISSING = "const { Application } = require(HELPER); console.log(JSON.stringify(new Application(LAUNCH).missing()));"


@pytest.mark.parametrize(
    ("shell", "missing"),
    [
        ({}, ["SHOP_URL (db://${SHOP_HOST}/$$x)"]),
        ({"SHOP_HOST": "here"}, []),
        ({"SHOP_URL": "db://elsewhere"}, []),
        ({"API_BASE_URL": "http://127.0.0.1:1"}, []),
    ],
)
def test_what_has_to_be_set_where_the_tests_run_and_is_not_is_told(shell, missing):
    launch = {"root": ".", "needed": {"SHOP_URL": "db://${SHOP_HOST}/$$x"}}
    script = _MISSING.replace("HELPER", json.dumps(str(_HELPER))).replace("LAUNCH", json.dumps(launch))
    environment = {"PATH": os.environ["PATH"], **shell}
    command = [str(find_node().path), "-e", script]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=60)
    assert json.loads(done.stdout) == missing


def test_a_value_that_takes_something_of_the_shell_reaches_the_application(tmp_path):
    shell = {"SHOP_HOST": "here"}
    seen = fresh(tmp_path, shell, needed={"SHOP_URL": "db://${SHOP_HOST}/$$x"}, alone=True)["seen"]["variables"]
    assert seen["SHOP_URL"] == "db://here/$x"


def test_a_program_that_is_on_no_path_is_that_of_the_environment_of_the_project(tmp_path):
    programs = tmp_path / ".venv" / "bin"
    programs.mkdir(parents=True)
    (programs / "python").touch()
    (programs / "serve-notes").symlink_to(find_node().path)
    told = fresh(tmp_path, {}, command=["serve-notes", "server.js"])
    assert told["base"].endswith(":" + told["seen"]["variables"]["PORT"])


_KEEPS = """
import sqlite3, tempfile

def application(environ, start_response):
    database = sqlite3.connect(PLACE)
    database.execute("create table if not exists visits (number)")
    database.execute("insert into visits values (1)")
    database.commit()
    start_response("200 OK", [])
    return [repr((database.execute("select count(*) from visits").fetchone()[0], tempfile.gettempdir())).encode()]
"""
_VISIT = """
const { Application } = require(HELPER);
const application = new Application(LAUNCH);
(async () => {
  const seen = [];
  for (let visit = 0; visit < 2; visit++) {
    const base = await application.fresh(process.cwd());
    seen.push(await (await fetch(base)).text());
  }
  await application.stop();
  console.log(JSON.stringify(seen));
})();
"""


def test_a_database_at_a_fixed_place_is_the_applications_own_in_the_state_after_its_start(tmp_path):
    """Workers run at the same time, and the place may hold what somebody works with."""
    place, folder = tmp_path / "shared.db", tmp_path / "project"
    folder.mkdir()
    (folder / "keeps.py").write_text(_KEEPS.replace("PLACE", repr(str(place))))
    (folder / "api_serving.py").write_text(Path(api_serving.__file__).read_text())
    launch = json.dumps({"root": ".", "python": "keeps:application"})
    script = _VISIT.replace("HELPER", json.dumps(str(_HELPER))).replace("LAUNCH", launch)
    environment = {"PATH": os.environ["PATH"], "PYTHON": sys.executable, "TMPDIR": str(tmp_path)}
    done = subprocess.run(
        [str(find_node().path), "-e", script],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    seen = [ast.literal_eval(one) for one in json.loads(done.stdout or done.stderr)]
    assert [visits for visits, _ in seen] == [1, 1]
    assert not place.exists()
    assert all(own.startswith(str(tmp_path)) and own != str(tmp_path) for _, own in seen)


def test_a_site_that_runs_already_is_asked_where_it_runs_unless_another_is_named(tmp_path):
    launch = {"command": None, "url": "http://127.0.0.1:8000"}
    assert fresh(tmp_path, {}, **launch)["base"] == "http://127.0.0.1:8000"
    assert fresh(tmp_path, {"API_BASE_URL": "http://127.0.0.1:9"}, **launch)["base"] == "http://127.0.0.1:9"
