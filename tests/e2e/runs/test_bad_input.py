"""What goes wrong in the world: each with a clear message, advice and its exit code; accepted tests are never lost."""

import json
import shutil
import subprocess

import pytest
from typer.testing import CliRunner

from testwright.cli.app import app
from testwright.tests.support.projects.files import SMALL, make_project, run_command, tree
from testwright.tests.support.runs.command_line import invoke_command
from testwright.tests.support.runs.comparison import report_of, run_folder

pytestmark = pytest.mark.feature("T-19", "B-07")

FEW = ("--trials", "300", "--mutants", "0")
GOOD = "tests/generated/small/test_small_names.py"
SAY_N = "\n\ndef f(n):\n    return n\n"
BAD = {
    "src/small/broken.py": "def broken(:\n    pass\n",
    "src/small/raises.py": "def area(side):\n    return side * side\n\n\nraise RuntimeError('no database here')\n",
    "src/small/leaves.py": "import sys\n\n\ndef leave(code):\n    return code\n\n\nsys.exit(3)\n",
    "src/small/effects.py": f"import pathlib\n\nprint('loud')\npathlib.Path('OUTSIDE').write_text('x')\n{SAY_N}",
    "src/small/connects.py": f"import socket\n\nsocket.create_connection(('192.0.2.1', 80), 1)\n{SAY_N}",
    "src/small/needs.py": "import nowhere_at_all\n\n\ndef use(n):\n    return nowhere_at_all.go(n)\n",
    "src/small/lazy.py": "def lazy(n):\n    import nowhere_at_all\n\n    return nowhere_at_all.go(n)\n",
    "src/small/constants.py": "LIMIT = 3\n",
    "src/small/ring_a.py": "from small import ring_b\n\nTWO = ring_b.two(1)\n\n\ndef one(n):\n    return n\n",
    "src/small/ring_b.py": f"from small import ring_a\n\nTHREE = ring_a.TWO\n{SAY_N}",
}
SAID = {
    "broken": ("does not parse", ""),
    "raises": ("RuntimeError: no database here (src/small/raises.py line 5", "Import it by hand"),
    "leaves": ("SystemExit: 3 (src/small/leaves.py line 8", "guard that with if __name__"),
    "effects": ("refused by the sandbox", "Move that work out of module level"),
    "connects": ("small.connects does not import", "Move that work out of module level"),
    "needs": ("No module named 'nowhere_at_all'", "Install the package that provides 'nowhere_at_all'"),
    "ring_a": ("circular import", "Import one of them inside the function that needs it"),
    "ring_b": ("circular import", "Import one of them inside the function that needs it"),
}


def asked(*arguments):
    """The command in this process: cheap, for what ends before anything is run."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert "Traceback" not in result.output
    return result


@pytest.fixture(scope="module")
def many_ways(tmp_path_factory):
    """One run over modules that each go wrong in another way, and one good one. Read only."""
    place = tmp_path_factory.mktemp("many-ways")
    outside = place / "written-by-import"
    files = {name: text.replace("OUTSIDE", str(outside)) for name, text in BAD.items()}
    root = make_project(place / "project", {**SMALL, **files})
    request = "unit tests for the whole project except small.numbers"
    outcome = invoke_command("run", request, "--root", str(root), "--run-id", "r", *FEW, cwd=root)
    assert not outside.exists()
    return root, outcome


@pytest.mark.feature("B-05")
def test_bad_modules_do_not_keep_a_good_one_from_its_tests(many_ways):
    root, outcome = many_ways
    assert outcome.code == 7, outcome.err
    assert "Traceback" not in outcome.out + outcome.err
    assert {name for name in tree(root) if name.startswith("tests")} == {GOOD}
    report = report_of(run_folder(root, "r"))
    assert report["exit_reason"] == "partial"
    assert {target["path"] for target in report["targets"] if target["status"] == "completed"} == {"src/small/names.py"}


@pytest.mark.feature("B-05")
@pytest.mark.parametrize("name", SAID)
def test_each_bad_module_is_said_to_be_so_with_what_to_do(name, many_ways):
    root, outcome = many_ways
    message, advice = SAID[name]
    report = report_of(run_folder(root, "r"))
    target = next(one for one in report["targets"] if one["path"] == f"src/small/{name}.py")
    assert target["status"] == "failed"
    assert message in target["error"]
    assert message in outcome.out
    # What several modules need is said once, behind the names of all.
    told = [line.partition(": ") for line in outcome.out.splitlines()]
    assert any(f"src/small/{name}.py" in names.split(", ") and advice in line for names, _, line in told)


def test_what_has_nothing_to_test_is_left_out_with_the_reason(many_ways):
    root, outcome = many_ways
    assert "Left out: src/small/constants.py: it defines no public function or class" in outcome.out
    lazy = next(
        target for target in report_of(run_folder(root, "r"))["targets"] if target["path"] == "src/small/lazy.py"
    )
    assert (lazy["status"], lazy["kept"]) == ("skipped", [])
    assert "No module named 'nowhere_at_all'" in lazy["error"]


def test_a_target_that_is_the_only_one_and_does_not_import_is_an_environment_fault(tmp_path):
    root = make_project(tmp_path / "p", {"needs.py": BAD["src/small/needs.py"]})
    result = asked("run", "needs.py", "--root", root, "--run-id", "r")
    assert result.exit_code == 3
    assert "Install the package that provides 'nowhere_at_all'" in result.output


def test_requests_that_cannot_be_met_end_with_2_and_say_what_to_do(tmp_path):
    root = make_project(tmp_path / "project", {**SMALL, "src/small/constants.py": BAD["src/small/constants.py"]})
    empty = make_project(tmp_path / "empty", {"README.md": ""})
    told = {
        ("run", "small.names", "--root", tmp_path / "missing"): ("does not exist", "--root PATH"),
        ("run", "small.names", "--root", root / "src/small/names.py"): ("is not a folder", "--root PATH"),
        ("run", "small.nams", "--root", root): ("'small.nams'", "Did you mean small.names"),
        ("run", "small.names:initial", "--root", root): ("initial", "initials"),
        ("run", "", "--root", root): ("The request is empty", "Say what to test"),
        ("plan", "", "--root", root): ("The request is empty", "Say what to test"),
        ("plan", "  ", "--root", root): ("The request is empty", "Say what to test"),
        ("run", "small.constants", "--root", root): ("no public function or class", "Name a"),
        ("run", "everything", "--root", empty): ("There is no Python module to test", ""),
        ("run", "small.names", "--root", root, "--framework", "nose"): ("framework", "docs/settings.md"),
        ("run", "small.names", "--root", root, "--run-id", "../up"): ("run_id", "docs/settings.md"),
        ("run", "small.names", "--root", root, "--test-type", "e2e"): ("there is no site to open", "index.html"),
    }
    for arguments, (message, advice) in told.items():
        result = asked(*arguments)
        assert result.exit_code == 2, (arguments, result.output)
        assert message in result.output, (arguments, result.output)
        assert advice in result.output, (arguments, result.output)
    assert not [name for name in tree(root) if name.startswith("tests")]


def test_a_module_of_ten_thousand_lines_gets_tests(tmp_path):
    rows = ['"""Many."""', ""]
    for number in range(1250):
        rows += ["", f"def f{number}(n: int) -> int:", f"    if n > {number}:", f"        return n - {number}", ""]
        rows += [f"    # {number}", f"    return n + {number}", ""]
    root = make_project(tmp_path / "p", {"many.py": "\n".join(rows)})
    assert len(rows) > 10_000
    result = asked("run", "many.py", "--root", root, "--run-id", "r", "--trials", "20", "--no-run")
    assert result.exit_code == 0, result.output
    assert report_of(run_folder(root, "r"))["totals"]["kept"] > 0


@pytest.mark.feature("B-08", "B-09")
def test_a_read_only_project_keeps_its_tests_in_the_state_folder(tmp_path):
    root, state = make_project(tmp_path / "project"), tmp_path / "state"
    state.mkdir()
    held = ("bwrap", "--dev-bind", "/", "/", "--ro-bind", str(root), str(root), "--")
    refused = run_command("run", "small.names", "--root", str(root), cwd=tmp_path, through=held)
    assert refused.code == 4
    assert "read-only" in refused.err
    assert "--state-dir" in refused.err

    where = ("--root", str(root), "--state-dir", str(state))
    outcome = run_command("run", "small.names", *where, "--run-id", "r", *FEW, cwd=tmp_path, through=held)
    assert outcome.code == 4, outcome.out + outcome.err
    assert "Traceback" not in outcome.err
    assert "make the project writable, then `testwright apply r`" in outcome.out
    assert f"staged: {GOOD}" in outcome.out
    assert not [name for name in tree(root) if name.startswith("tests")]

    applied = invoke_command("apply", "r", *where, cwd=tmp_path)
    assert applied.code == 0, applied.err
    assert applied.out == f"added: {GOOD}\n"
    assert (root / GOOD).is_file()


def test_a_full_disk_is_said_to_be_full_and_the_project_stays_as_it_was(tmp_path):
    root, state = make_project(tmp_path / "project"), tmp_path / "state"
    state.mkdir()
    before = tree(root)
    held = ("bwrap", "--dev-bind", "/", "/", "--size", str(160 * 1024), "--tmpfs", str(state), "--")
    outcome = run_command(
        "run", "small.names", "--root", str(root), "--state-dir", str(state), *FEW, cwd=tmp_path, through=held
    )
    assert outcome.code == 4, outcome.out + outcome.err
    assert "Traceback" not in outcome.err
    assert "the disk is full" in outcome.err or "no space left" in outcome.err
    assert "--state-dir" in outcome.err
    assert tree(root) == before


def test_a_corrupt_run_database_is_left_as_it_is_and_named(tmp_path):
    root = make_project(tmp_path / "project")
    database = root / ".testwright" / "testwright.db"
    database.parent.mkdir()
    database.write_bytes(b"this is no database, not at all " * 200)
    before = database.read_bytes()
    for arguments in (("run", "small.names"), ("runs", "list"), ("resume", "r"), ("clean",)):
        result = asked(*arguments, "--root", root, "--state-dir", database.parent)
        assert result.exit_code in (2, 4), (arguments, result.output)
        if arguments[0] != "resume":
            assert result.exit_code == 4
            assert str(database) in result.output
    assert database.read_bytes() == before


def test_errors_are_json_too_when_json_was_asked_for(tmp_path):
    result = asked("run", "small.nams", "--root", make_project(tmp_path / "project"), "--json")
    error = json.loads(result.stdout)["error"]
    assert (error["type"], error["exit_code"]) == ("RequestError", 2)
    assert "small.names" in error["advice"]


def test_bubblewrap_is_there_for_these_tests():
    assert shutil.which("bwrap") is not None
    assert subprocess.run(["bwrap", "--dev-bind", "/", "/", "true"], check=False).returncode == 0
