"""Settings: explicit flag > environment > project file > default."""

from pathlib import Path

import pytest

from testwright.errors import ExitCode, ProjectError, SettingsError
from testwright.settings import load_settings, restore_settings

pytestmark = pytest.mark.feature("T-13", "T-14")


@pytest.fixture(autouse=True)
def _no_environment(monkeypatch):
    monkeypatch.delenv("TESTWRIGHT_JOBS", raising=False)


def test_defaults_hold_when_nothing_is_said(tmp_path):
    settings = load_settings({"root": tmp_path})
    assert (settings.jobs, settings.framework, settings.run, settings.sandbox) == (2, "pytest", True, "auto")
    assert settings.state == tmp_path / ".testwright"
    assert settings.models.model_dump() == dict.fromkeys(("planner", "spec", "writer", "analyzer"), "embedded")


@pytest.mark.parametrize(
    ("name", "text"),
    [("testwright.toml", "jobs = 3\n"), ("pyproject.toml", "[tool.testwright]\njobs = 3\n")],
)
def test_flag_beats_environment_beats_project_file(tmp_path, monkeypatch, name, text):
    (tmp_path / name).write_text(text)
    assert load_settings({"root": tmp_path}).jobs == 3
    monkeypatch.setenv("TESTWRIGHT_JOBS", "4")
    assert load_settings({"root": tmp_path}).jobs == 4
    assert load_settings({"root": tmp_path, "jobs": 5}).jobs == 5


def test_testwright_toml_beats_pyproject(tmp_path):
    (tmp_path / "testwright.toml").write_text("jobs = 3\n")
    (tmp_path / "pyproject.toml").write_text("[tool.testwright]\njobs = 4\n")
    assert load_settings({"root": tmp_path}).jobs == 3


def test_names_in_the_project_file_may_have_dashes_and_paths_start_there(tmp_path):
    (tmp_path / "testwright.toml").write_text('tests-dir = "tests/made"\nstate-dir = "../state"\n')
    settings = load_settings({"root": tmp_path})
    assert settings.tests_dir == "tests/made"
    assert settings.state.resolve() == (tmp_path / "../state").resolve()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("jobz = 3\n", "unknown setting jobz"),
        ("jobs = [\n", "not valid TOML"),
        ("jobs = 0\n", "jobs"),
        ('root = "x"\n', "root"),
    ],
)
def test_a_wrong_project_file_is_named_with_what_is_wrong(tmp_path, text, message):
    (tmp_path / "testwright.toml").write_text(text)
    with pytest.raises(SettingsError, match=message) as caught:
        load_settings({"root": tmp_path})
    assert caught.value.exit_code == ExitCode.USAGE


def test_all_wrong_values_are_told_at_once(tmp_path):
    with pytest.raises(SettingsError, match=r"(?s)jobs.*framework|framework.*jobs"):
        load_settings({"root": tmp_path, "jobs": 0, "framework": "nose"})


@pytest.mark.parametrize("value", ["/tmp", "../outside", "."])
def test_tests_go_below_the_root_only(tmp_path, value):
    with pytest.raises(SettingsError, match="below the project's root"):
        load_settings({"root": tmp_path, "tests_dir": value})


@pytest.mark.parametrize("value", ["../up", ".hidden", "a b", ""])
def test_a_run_id_is_a_plain_name(tmp_path, value):
    with pytest.raises(SettingsError, match="run_id"):
        load_settings({"root": tmp_path, "run_id": value})


def test_a_missing_root_and_a_file_as_root_are_told_apart(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ProjectError, match="does not exist"):
        load_settings({"root": tmp_path / "nowhere"})
    with pytest.raises(ProjectError, match="is not a folder"):
        load_settings({"root": tmp_path / "file"})


def test_stored_settings_come_back_exactly_whatever_the_environment_says(tmp_path, monkeypatch):
    stored = load_settings({"root": tmp_path, "jobs": 7}).stored()
    monkeypatch.setenv("TESTWRIGHT_JOBS", "9")
    assert restore_settings(stored).jobs == 7
    assert restore_settings(stored).root == Path(tmp_path)


def test_settings_of_another_version_are_refused(tmp_path):
    stored = load_settings({"root": tmp_path}).stored()
    with pytest.raises(SettingsError, match="differ in colour"):
        restore_settings({**stored, "colour": "red"})
    del stored["jobs"]
    with pytest.raises(SettingsError, match="jobs"):
        restore_settings(stored)
