"""The commands, one by one: help with an example, clean output for people and for programs, the right exit codes."""

import json
import subprocess
import sys
from types import SimpleNamespace

import pytest
import typer.main
from typer.testing import CliRunner

from testwright.app.opened_store import open_store
from testwright.cli.app import app
from testwright.config.settings import load_settings
from testwright.core.exit_code import ExitCode
from testwright.core.version import VERSION
from testwright.store.files.lock import run_lock
from testwright.store.files.run_folder import RunFolder
from testwright.tests.support.projects.files import ROOT, make_project, run_command, tree
from testwright.tests.support.runs.comparison import run_folder
from testwright.utils.schema_registry import schema_names

pytestmark = pytest.mark.feature("T-19")


def leaves(command, *path):
    """Every command that does something, with the words that lead to it."""
    if not hasattr(command, "commands"):
        return [(path, command)]
    return [leaf for name, inner in sorted(command.commands.items()) for leaf in leaves(inner, *path, name)]


COMMANDS = leaves(typer.main.get_command(app))


def said(*arguments):
    """The command, in this process."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


@pytest.fixture(scope="module")
def one_run(tmp_path_factory):
    """A project with one dry run `r`, shown to nobody's terminal. Read only."""
    root = make_project(tmp_path_factory.mktemp("cli") / "project")
    flags = ("--root", root, "--run-id", "r", "--trials", "100", "--dry-run", "--no-run")
    return SimpleNamespace(root=root, folder=run_folder(root, "r"), result=said("run", "small.names", *flags))


@pytest.mark.parametrize(("words", "command"), COMMANDS, ids=[" ".join(words) for words, _ in COMMANDS])
def test_the_help_of_a_command_shows_an_example_and_explains_each_option(words, command):
    result = said(*words, "--help")
    assert result.exit_code == 0
    assert f"Example: testwright {' '.join(words)}" in " ".join(result.output.split()).replace("│", "")
    for option in command.params:
        assert option.name == "help" or getattr(option, "help", None), f"{words}: {option.name} has no help"


@pytest.mark.smoke
def test_the_commands_are_these():
    repository = ["cases", "crawl", "engineer"]
    temporal = [f"temporal {name}" for name in ("cancel", "ceilings", "pause", "progress", "resume")]
    names = [
        "apply",
        "assess",
        "ci github",
        "ci github-pull-request",
        "clean",
        "contracts",
        "doctor",
        "graph",
        "mcp serve",
        "plan",
        "pull-request",
        "report",
        "resume",
        "run",
        "runs list",
        "runs show",
        "schemas",
    ]
    assert [" ".join(words) for words, _ in COMMANDS] == sorted(
        [*repository, *names, *temporal, "trust", "validate code", "validate spec", "worker"]
    )


def test_the_version_is_told():
    assert said("--version").output == f"testwright {VERSION}\n"


def imported(module, *heavy):
    """Which of some modules come along where our own processes import one, in the way in which they do."""
    program = f"""
import sys
from testwright.app.fast_imports import fast_imports
with fast_imports():
    import {module}
print(*sorted({{*{heavy}}} & set(sys.modules)))
"""
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()


def test_help_waits_for_neither_graphs_nor_models():
    assert imported("testwright.cli.app", "langgraph", "openai", "mcp") == []


def test_a_server_without_models_answers_before_their_clients_are_loaded():
    assert imported("testwright.app.mcp_application", "openai", "langchain_openai", "numpy") == []


def test_the_process_of_one_agent_loads_no_graphs_and_no_client_of_tools():
    assert imported("testwright.app.agent_process", "langgraph", "mcp") == []


def test_an_unknown_command_or_option_ends_with_2():
    assert said("rnu").exit_code == ExitCode.USAGE
    assert said("run", "x", "--rot", ".").exit_code == ExitCode.USAGE
    assert "run" in said().output


def test_a_dry_run_shows_the_diff_and_plain_progress(one_run):
    assert one_run.result.exit_code == 0, one_run.result.output
    assert "+++ b/tests/generated/small/test_small_names.py" in one_run.result.stdout
    assert "staged: tests/generated/small/test_small_names.py" in one_run.result.stdout
    assert "[3/3] adding tests to the project: skipped: the files are staged" in one_run.result.stderr
    assert "\x1b" not in one_run.result.output


@pytest.mark.parametrize(
    "words",
    [
        ("plan", "small.names"),
        ("runs", "list"),
        ("runs", "show", "r"),
        ("clean", "--dry-run"),
        ("doctor",),
        ("resume", "r"),
    ],
    ids=" ".join,
)
def test_json_is_all_there_is_on_stdout(words, one_run):
    result = said(*words, "--root", one_run.root, "--json")
    assert result.exit_code == 0, result.output
    assert isinstance(json.loads(result.stdout), dict | list)
    assert result.stderr == ""


@pytest.mark.smoke
def test_json_of_a_run_is_its_report(tmp_path):
    root = make_project(tmp_path / "project")
    flags = ("--root", str(root), "--run-id", "r", "--trials", "50", "--no-run", "--dry-run", "--json")
    outcome = run_command("run", "small.names", *flags, cwd=tmp_path)
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out == (run_folder(root, "r") / "report.json").read_text("utf-8")


def test_a_plan_names_targets_and_files_and_writes_nothing(tmp_path):
    root = make_project(tmp_path / "project")
    before = sorted(root.rglob("*"))
    result = said("plan", "small.names:initials and small.nowhere", "--root", root)
    assert result.exit_code == 0
    assert "src/small/names.py:initials → tests/generated/" in result.stdout
    assert "Not understood: small.nowhere" in result.stdout
    assert sorted(root.rglob("*")) == before


def test_runs_are_listed_and_shown(one_run):
    listed = said("runs", "list", "--root", one_run.root)
    assert listed.exit_code == 0
    assert "small.names" in listed.stdout
    assert "completed" in listed.stdout
    screen = said("runs", "show", "r", "--root", one_run.root).stdout
    assert "small.names" in screen
    assert "--full" in screen
    assert len(screen.splitlines()) <= 24
    shown = said("runs", "show", "r", "--full", "--root", one_run.root)
    assert shown.stdout.strip() == (one_run.folder / "report.md").read_text("utf-8").strip()
    missing = said("runs", "show", "nothing", "--root", one_run.root)
    assert missing.exit_code == ExitCode.USAGE
    assert "runs list" in missing.stderr


def test_the_runs_of_a_project_that_was_moved_are_its_runs(tmp_path):
    root = make_project(tmp_path / "project")
    said("run", "small.names", "--root", root, "--run-id", "r", "--trials", "10", "--dry-run", "--no-run")
    moved = root.rename(tmp_path / "elsewhere")
    assert [one["run_id"] for one in json.loads(said("runs", "list", "--root", moved, "--json").stdout)] == ["r"]
    other = make_project(tmp_path / "other")
    shared = ("--state-dir", moved / ".testwright")
    assert json.loads(said("runs", "list", "--root", other, *shared, "--json").stdout) == []


def test_a_project_without_runs_has_an_empty_list(tmp_path):
    assert said("runs", "list", "--root", make_project(tmp_path / "project")).stdout == "No runs yet.\n"


def test_a_run_id_that_is_taken_is_refused_before_anything_is_done(one_run):
    before = tree(one_run.folder)
    result = said("run", "small.numbers", "--root", one_run.root, "--run-id", "r")
    assert result.exit_code == ExitCode.USAGE
    assert "r" in result.stderr
    assert "resume r" in result.stderr
    assert tree(one_run.folder) == before


def test_clean_removes_old_runs_but_none_that_is_worked_on(tmp_path):
    root = make_project(tmp_path / "project")
    state = root / ".testwright"
    with open_store(load_settings({"root": root}), begins=True) as store:
        for run_id in ("old", "busy"):
            RunFolder(state, run_id).create()
            store.runs.create(run_id, request="small", root=str(root), settings={}, version="1")
    with run_lock(RunFolder(root / ".testwright", "busy")):
        result = said("clean", "--keep", "0", "--root", root)
    assert result.exit_code == 0
    assert "Removed 1 run" in result.stdout
    assert "1 runs" not in result.stdout
    assert "busy is being worked on and stays" in result.stdout
    assert not run_folder(root, "old").exists()
    assert run_folder(root, "busy").exists()


def test_validate_spec_tells_a_good_spec_from_a_bad_one(one_run, tmp_path):
    path = one_run.folder / "specs" / "small_names.json"
    good = said("validate", "spec", path)
    assert (good.exit_code, good.stdout) == (0, f"{path}: valid\n")
    spec = json.loads(path.read_text("utf-8"))
    spec["cases"][0]["id"] = "Not An Id"
    del spec["cases"][0]["act"]
    bad = tmp_path / "bad.json"
    bad.write_text(json.dumps(spec))
    told = said("validate", "spec", bad, "--json")
    assert told.exit_code == ExitCode.TEST_DEFECT
    assert len(json.loads(told.stdout)["errors"]) >= 2
    for content, message in (("{", "is not JSON"), ("{}", "names no known test type")):
        bad.write_text(content)
        refused = said("validate", "spec", bad)
        assert refused.exit_code == ExitCode.USAGE
        assert message in refused.stderr


def test_validate_code_tells_a_good_file_from_a_bad_one(one_run, tmp_path):
    path = one_run.folder / "staged" / "tests" / "generated" / "small" / "test_small_names.py"
    good = said("validate", "code", path)
    assert (good.exit_code, good.stdout) == (0, f"{path}: valid\n")
    bad = tmp_path / "test_bad.py"
    bad.write_text("def test_nothing(:\n")
    told = said("validate", "code", bad)
    assert told.exit_code == ExitCode.TEST_DEFECT
    assert "syntax" in told.stdout
    assert f"{bad}: not valid" in told.stdout
    assert said("validate", "code", tmp_path / "missing.py").exit_code == ExitCode.USAGE


def test_schemas_are_listed_and_each_stands_alone():
    names = said("schemas").stdout.split()
    assert names == list(schema_names())
    for name in ("unit_test_schema_v1.json", "schemas/report_schema_v1.json"):
        schema = json.loads(said("schemas", name).stdout)
        assert schema["$schema"].endswith("2020-12/schema")
    unknown = said("schemas", "nothing.json")
    assert unknown.exit_code != 0
    assert "nothing.json" in unknown.stderr


def test_both_graphs_are_drawn():
    assert "build_plan" in said("graph").stdout
    testing = said("graph", "testing").stdout
    assert all(name in testing for name in ("retrieve_context", "refine_spec", "refine_code", "analyze_results"))
    assert said("graph", "other").exit_code == ExitCode.USAGE


@pytest.mark.feature("B-05")
def test_the_doctor_says_what_is_there_and_what_is_missing(tmp_path):
    root = make_project(tmp_path / "project")
    well = said("doctor", "--root", root)
    assert well.exit_code == 0
    assert all(name in well.stdout for name in ("sandbox", "target's Python", "pytest and coverage", "free space"))
    ill = said("doctor", "--root", root, "--python", tmp_path / "no-python", "--json")
    assert ill.exit_code == ExitCode.ENVIRONMENT
    check = next(one for one in json.loads(ill.stdout) if one["name"] == "target's Python")
    assert (check["ok"], check["required"]) == (False, True)
    assert check["meaning"]


@pytest.mark.feature("B-07")
def test_the_page_of_exit_codes_lists_each_code():
    page = (ROOT / "docs" / "exit-codes.md").read_text("utf-8")
    rows = [line.split("|")[1:3] for line in page.splitlines() if line.startswith("| ") and line[2].isdigit()]
    assert {name.strip(): int(number) for number, name in rows} == {code.name: code.value for code in ExitCode}


def test_debug_shows_the_traceback(tmp_path):
    outcome = run_command("run", "x", "--root", str(tmp_path / "missing"), "--debug", cwd=tmp_path)
    assert outcome.code == 1
    assert "ProjectError" in outcome.err
