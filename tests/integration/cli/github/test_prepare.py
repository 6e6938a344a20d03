"""What the Action does in a bare Python: names of caches, and the installation."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from testwright.cli.github import prepare
from testwright.tests.support.runs.action_runner import assignments

RUNNER = {"RUNNER_OS": "Linux", "RUNNER_ARCH": "X64", "RUNNER_TEMP": "/tmp/x", "GITHUB_RUN_ID": "7"}


def test_it_runs_in_a_python_that_has_nothing_else(tmp_path):
    environment = {**RUNNER, "RUNNER_TEMP": str(tmp_path), "GITHUB_OUTPUT": str(tmp_path / "out")}
    script = str(Path(prepare.__file__))
    done = subprocess.run(
        [sys.executable, "-I", "-S", script, "names"], env=environment, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    found = assignments(tmp_path / "out")
    assert sorted(found) == ["environment", "environment-key", "state", "state-key", "state-restore"]
    assert found["environment"] == str(tmp_path / "testwright" / "environment")


def test_the_same_sources_give_the_same_key_and_other_sources_another(tmp_path, monkeypatch):
    (tmp_path / "engine").mkdir()
    source = tmp_path / "engine" / "a.py"
    source.write_text("x = 1\n")
    monkeypatch.setattr(prepare, "ACTION", tmp_path)
    first = prepare.names(RUNNER)
    assert prepare.names(RUNNER) == first
    for name in ("tests/test_a.py", "docs/ci.md", ".git/config.json", "__pycache__/a.py"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("other")
    assert prepare.names(RUNNER)["environment-key"] == first["environment-key"]
    source.write_text("x = 2\n")
    assert prepare.names(RUNNER)["environment-key"] != first["environment-key"]


def test_answers_are_shared_by_attempts_of_one_request_only():
    first = prepare.names({**RUNNER, "INPUT_REQUEST": "a"})
    again = prepare.names({**RUNNER, "INPUT_REQUEST": "a", "GITHUB_RUN_ATTEMPT": "2"})
    other = prepare.names({**RUNNER, "INPUT_REQUEST": "b"})
    assert first["state-key"] != again["state-key"]
    assert first["state-restore"] == again["state-restore"] != other["state-restore"]


def test_windows_and_an_old_python_are_refused_in_words(monkeypatch, tmp_path):
    with pytest.raises(prepare.NotHere, match="not on Windows"):
        prepare.names({**RUNNER, "RUNNER_OS": "Windows"})
    monkeypatch.setattr(prepare, "OLDEST", (9, 9))
    with pytest.raises(prepare.NotHere, match=r"needs Python 9\.9"):
        prepare.names(RUNNER)


def test_the_installation_is_pinned_and_comes_from_the_action_itself():
    make, install = prepare.install(Path("/place"))
    assert make == [sys.executable, "-I", "-m", "venv", "/place"]
    assert install[0] == "/place/bin/python"
    assert install[-3:] == [
        "--constraint",
        str(prepare.ACTION / "constraints.txt"),
        f"{prepare.ACTION}[sandbox,github]",
    ]
    assert (prepare.ACTION / "action.yml").is_file()


def test_what_fuzzes_is_installed_where_it_is_asked_for_and_kept_apart():
    *usual, fuzzer = prepare.install(Path("/place"), fuzzes=True)
    assert usual == prepare.install(Path("/place"))
    assert fuzzer[-1] == f"{prepare.ACTION}[fuzz]"
    assert re.search(r"^schemathesis==4\.", Path(fuzzer[-2]).read_text(), re.M)
    plain, fuzzes = (prepare.names({**RUNNER, "INPUT_FUZZ": said}) for said in ("false", "true"))
    assert plain["environment-key"] == prepare.names(RUNNER)["environment-key"] != fuzzes["environment-key"]


def test_programs_that_need_no_keys_get_none():
    environment = {"OPENAI_API_KEY": "a", "GITHUB_TOKEN": "b", "DB_PASSWORD": "c", "PATH": "d", "PIP_INDEX_URL": "e"}
    assert prepare.without_secrets(environment) == {"PATH": "d", "PIP_INDEX_URL": "e"}


def test_an_installation_that_fails_ends_the_step_with_an_error(tmp_path):
    environment = {name: value for name, value in os.environ.items() if name == "PATH"}
    (tmp_path / "file").write_text("in the way")
    script = str(Path(prepare.__file__))
    done = subprocess.run(
        [sys.executable, "-I", script, "install"],
        env={**environment, "TESTWRIGHT_ENVIRONMENT": str(tmp_path / "file")},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 3
    assert "::error title=testwright::" in done.stdout
    assert "could not be installed" in done.stdout
