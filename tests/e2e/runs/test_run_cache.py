"""A second run of the same request: answered at once while nothing has changed, and never when anything has (T-16)."""

import json
import os
import shutil
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

from testwright.app import run_cache
from testwright.cli.app import app
from testwright.config.settings import load_settings
from testwright.tests.support.projects.files import SMALL, make_project
from testwright.tests.support.runs.comparison import REQUEST

pytestmark = pytest.mark.feature("T-16")

DATA = {"src/small/rates.json": '{"low": 1}\n', "README.md": "# Small\n"}
TRIALS = "60"


def said(*arguments):
    """The command, in this process, as if these were its words."""
    words, sys.argv = sys.argv, ["testwright", *map(str, arguments)]
    try:
        result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    finally:
        sys.argv = words
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


@pytest.fixture(scope="module")
def run_once(tmp_path_factory):
    """A project and the one run that has been made of it. What a test changes, it puts back."""
    root = make_project(tmp_path_factory.mktemp("twice") / "project", {**SMALL, **DATA})
    words = ("run", REQUEST, "--root", str(root), "--trials", TRIALS)
    first = said(*words)
    assert first.exit_code == 0, first.output
    return SimpleNamespace(root=root, words=words, first=first)


@pytest.fixture
def asked(run_once):
    """What is answered now, for the request of the one run, or for another with other settings."""

    def answer(request=REQUEST, environment=None, **settings):
        chosen = load_settings({"root": run_once.root, "trials": int(TRIALS), **settings})
        return run_cache.lookup(run_cache.key_for(request, chosen, os.environ if environment is None else environment))

    assert answer() is not None, "the project is not as the run left it"
    return answer


def generated(root: Path) -> Path:
    return sorted((root / "tests" / "generated").rglob("test_*.py"))[0]


def test_a_second_run_names_the_first_and_does_nothing(run_once, asked):
    runs = sorted(path.name for path in (run_once.root / ".testwright" / "runs").iterdir())
    again = said(*run_once.words)
    assert again.exit_code == 0
    assert f"Nothing has changed since run {runs[0]}" in again.output
    assert "tests stand" in again.output
    assert str(run_once.root / ".testwright" / "runs" / runs[0] / "report.md") in again.output.replace("\n", "")
    assert sorted(path.name for path in (run_once.root / ".testwright" / "runs").iterdir()) == runs


def test_a_program_reads_the_report_of_the_first_run(run_once, asked):
    report = next((run_once.root / ".testwright" / "runs").glob("*/report.json")).read_text("utf-8")
    again = said(*run_once.words, "--json")
    assert (again.exit_code, again.output) == (0, report)
    assert json.loads(again.output)["totals"]["kept"] > 0


def test_the_words_of_the_command_line_are_enough_to_know(run_once, asked):
    question = run_cache.key_for_command_line(list(run_once.words), os.environ)
    other = run_cache.key_for_command_line([*run_once.words, "--framework", "unittest"], os.environ)
    assert question is not None
    assert other is not None
    answer = run_cache.lookup(question)
    assert answer is not None
    assert answer.exit_code == 0
    assert run_cache.lookup(other) is None


@pytest.mark.parametrize(
    "word", ["--fresh", "--no-cache", "--run-id=x", "--run-id", "--dry-run", "--no-run", "--help"], ids=str
)
def test_words_that_ask_for_work_are_never_answered_from_before(run_once, word):
    assert run_cache.key_for_command_line([*run_once.words, word], os.environ) is None


def test_a_run_id_of_the_environment_asks_for_work_too(run_once):
    assert run_cache.key_for_command_line(list(run_once.words), {"TESTWRIGHT_RUN_ID": "x"}) is None


CHANGES = {
    "the target": ("src/small/names.py", lambda text: text.replace("upper", "lower")),
    "a comment in the target": ("src/small/names.py", lambda text: f"{text}# more\n"),
    "a module it belongs to": ("src/small/__init__.py", lambda text: f"{text}LIMIT = 1\n"),
    "a data file": ("src/small/rates.json", lambda text: text.replace("1", "2")),
    "a document": ("README.md", lambda text: f"{text}more\n"),
    "a test, edited by a person": (None, lambda text: f"{text}# mine\n"),
}


@pytest.mark.parametrize("what", CHANGES)
def test_a_changed_file_is_work_again(run_once, asked, what):
    name, change = CHANGES[what]
    path = run_once.root / name if name else generated(run_once.root)
    before = path.read_text("utf-8")
    path.write_text(change(before), "utf-8")
    try:
        assert asked() is None
    finally:
        path.write_text(before, "utf-8")


def test_a_test_that_was_deleted_is_work_again(run_once, asked):
    path = generated(run_once.root)
    kept = path.read_bytes()
    path.unlink()
    try:
        assert asked() is None
    finally:
        path.write_bytes(kept)


@pytest.mark.parametrize("name", ["src/small/more.py", "pyproject.toml", "tests/conftest.py", "testwright.toml"])
def test_a_new_file_is_work_again(run_once, asked, name):
    path = run_once.root / name
    path.write_text("\n", "utf-8")
    try:
        assert asked() is None
    finally:
        path.unlink()


def test_a_file_that_became_executable_or_a_link_is_work_again(run_once, asked):
    path, other = run_once.root / "README.md", run_once.root / "OTHER.md"
    path.chmod(0o755)
    assert asked() is None
    path.chmod(0o644)
    path.rename(other)
    path.symlink_to("OTHER.md")
    assert asked() is None
    path.unlink()
    other.rename(path)


def test_caches_of_other_tools_are_not_work(run_once, asked):
    (run_once.root / ".pytest_cache").mkdir()
    (run_once.root / "src" / "small" / "__pycache__").mkdir(exist_ok=True)
    (run_once.root / "src" / "small" / "__pycache__" / "names.cpython-311.pyc").write_bytes(b"x")
    assert asked() is not None


@pytest.mark.parametrize(
    "settings",
    [{"framework": "unittest"}, {"trials": 70}, {"tests_dir": "tests/made"}, {"repeats": 2}, {"fail_on": "defect"}],
    ids=str,
)
def test_other_settings_are_another_question(asked, settings):
    assert asked(**settings) is None


def test_settings_that_decide_nothing_are_the_same_question(asked):
    assert asked(jobs=7, keep_runs=3) is not None


def test_another_request_is_another_question(asked):
    assert asked("unit tests for src/small/names.py") is None


def test_another_environment_is_another_question(asked, tmp_path):
    assert asked(environment={**os.environ, "VIRTUAL_ENV": str(tmp_path)}) is None


def test_another_testwright_is_work_again(asked, monkeypatch):
    monkeypatch.setattr(run_cache, "own_digest", lambda: "another")
    assert asked() is None


def test_an_interpreter_of_the_projects_own_is_work_again(run_once, asked):
    config = run_once.root / ".venv" / "pyvenv.cfg"
    config.parent.mkdir()
    config.write_text("home = /usr/bin\n", "utf-8")
    try:
        assert asked() is None
    finally:
        shutil.rmtree(config.parent)


def test_what_is_installed_counts(run_once, asked, monkeypatch):
    monkeypatch.setattr(run_cache, "installed_digest", lambda site: "more")
    assert asked() is None


def answers(root: Path) -> list[Path]:
    return sorted((root / ".testwright" / "cache").glob("*/standing/*.json"))


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b'{"form": 1}', b'{"form": 99}', b"\xff\xfe"], ids=repr)
def test_a_damaged_answer_counts_as_none(run_once, asked, damage):
    kept = {path: path.read_bytes() for path in answers(run_once.root)}
    assert kept
    for path in kept:
        path.write_bytes(damage)
    try:
        assert asked() is None
    finally:
        for path, content in kept.items():
            path.write_bytes(content)


def test_an_answer_needs_its_report(run_once, asked):
    report = next((run_once.root / ".testwright" / "runs").glob("*/report.json"))
    kept = report.read_bytes()
    report.write_bytes(kept + b"\n")
    assert asked() is None
    report.unlink()
    assert asked() is None
    report.write_bytes(kept)


def test_a_project_that_was_copied_elsewhere_is_asked_anew(run_once, tmp_path):
    moved = shutil.copytree(run_once.root, tmp_path / "moved")
    settings = load_settings({"root": moved, "trials": int(TRIALS)})
    assert run_cache.lookup(run_cache.key_for(REQUEST, settings, os.environ)) is None


class TestWhatIsKept:
    """Which runs may stand for later ones."""

    @pytest.fixture
    def report(self, run_once):
        from testwright.reports.model import Report

        path = next((run_once.root / ".testwright" / "runs").glob("*/report.json"))
        return Report.model_validate_json(path.read_bytes())

    def test_the_run_itself(self, run_once, report):
        assert run_cache.is_reusable(load_settings({"root": run_once.root}), report)

    @pytest.mark.parametrize(
        "settings",
        [
            {"dry_run": True},
            {"run": False},
            {"cache": False},
            {"model": "openai:m"},
            {"model": ["spec=openai:m"]},
            {"embeddings": "openai:e"},
            {"mcp_servers": {"mine": {"command": "serve"}}},
        ],
        ids=str,
    )
    def test_no_run_that_rests_on_more_than_files(self, run_once, report, settings):
        assert not run_cache.is_reusable(load_settings({"root": run_once.root, **settings}), report)

    @pytest.mark.parametrize("reason", ["partial", "budget_exhausted", "nothing_kept", "flaky", "nothing_to_do"])
    def test_no_run_that_did_not_come_to_a_good_end(self, run_once, report, reason):
        changed = report.model_copy(update={"exit_reason": type(report.exit_reason)(reason)})
        assert not run_cache.is_reusable(load_settings({"root": run_once.root}), changed)

    @pytest.mark.parametrize("outcome", ["conflict", "staged"])
    def test_no_run_whose_tests_are_not_in_the_project(self, run_once, report, outcome):
        files = tuple(file.model_copy(update={"outcome": outcome}) for file in report.files)
        changed = report.model_copy(update={"files": files})
        assert not run_cache.is_reusable(load_settings({"root": run_once.root}), changed)

    def test_no_run_that_a_ceiling_of_time_has_cut_short(self, run_once, report):
        told = ("Exploring stopped after 3 seconds and 20 trials.",)
        targets = tuple(target.model_copy(update={"notes": told}) for target in report.targets)
        changed = report.model_copy(update={"targets": targets})
        assert not run_cache.is_reusable(load_settings({"root": run_once.root}), changed)

    def test_nothing_when_the_project_changed_during_the_run(self, run_once, asked, report):
        settings = load_settings({"root": run_once.root, "trials": int(TRIALS)})
        snapshot = run_cache.ProjectSnapshot(run_cache.all_keys("another request", settings))
        path = run_once.root / "src" / "small" / "names.py"
        before = path.read_text("utf-8")
        path.write_text(f"{before}# edited while the run was at work\n", "utf-8")
        from testwright.sandbox.interpreter import find_interpreter

        interpreter = find_interpreter(run_once.root, None)
        try:
            assert not snapshot.store(settings, report, interpreter, "shown")
        finally:
            path.write_text(before, "utf-8")
        assert snapshot.store(settings, report, interpreter, "shown")
        assert asked("another request").shown == "shown"


def test_a_run_that_is_begun_anew_and_fails_leaves_no_answer_behind(run_once, asked):
    settings = load_settings({"root": run_once.root, "trials": int(TRIALS)})
    kept = {path: path.read_bytes() for path in answers(run_once.root)}
    run_cache.ProjectSnapshot(run_cache.all_keys(REQUEST, settings))
    question = run_cache.key_for(REQUEST, settings, os.environ)
    assert run_cache.lookup(question) is None
    for path, content in kept.items():
        path.write_bytes(content)


def test_cleaning_forgets_answers_whose_run_is_gone(run_once, asked, tmp_path):
    root = shutil.copytree(run_once.root, tmp_path / "copy")
    assert answers(root)
    done = said("clean", "--keep", "0", "--root", root)
    assert done.exit_code == 0
    assert answers(root) == []


def test_answers_are_few(run_once, tmp_path, monkeypatch):
    from testwright.store.cache import run_results

    monkeypatch.setattr(run_results, "MOST_ANSWERS", 2)
    run = next((run_once.root / ".testwright" / "runs").iterdir())
    shutil.copytree(run, tmp_path / "runs" / run.name)
    kept = run_results.StoredResults(tmp_path, tmp_path / "cache")
    [stored, *_] = answers(run_once.root)
    one = run_results.StoredResults(run_once.root / ".testwright", stored.parent.parent).get(stored.stem)
    assert one is not None
    now = time.time()
    for number, name in enumerate("abcd"):
        kept.put(name, one)
        os.utime(tmp_path / "cache" / "standing" / f"{name}.json", (now - 100 + number, now - 100 + number))
    kept.prune()
    assert [name for name in "abcd" if kept.get(name)] == ["c", "d"]
