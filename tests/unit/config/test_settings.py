"""Settings: explicit flag > environment > project file > default."""

from pathlib import Path

import pytest

from testwright.config.settings import load_settings, restore_settings
from testwright.core.errors import ProjectError, SettingsError
from testwright.core.exit_code import ExitCode

pytestmark = pytest.mark.feature("T-13", "T-14")


@pytest.fixture(autouse=True)
def _no_environment(monkeypatch):
    for name in ("JOBS", "MODEL", "MODELS__SPEC", "BASE_URL"):
        monkeypatch.delenv(f"TESTWRIGHT_{name}", raising=False)


def test_defaults_hold_when_nothing_is_said(tmp_path):
    settings = load_settings({"root": tmp_path})
    assert (settings.jobs, settings.framework, settings.run, settings.sandbox) == (2, "pytest", True, "auto")
    assert settings.state == tmp_path / ".testwright"
    assert set(settings.models.model_dump().values()) == {"embedded"}
    assert settings.models.names == []


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
    settings = load_settings({"root": tmp_path, "trust_project": True})
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


def test_a_model_without_a_role_reads_judges_and_clears_up_requests_and_others_are_named(tmp_path):
    models = load_settings({"root": tmp_path, "model": ["openai:big", "writer=openai:small"]}).models
    assert models.roles_of("big") == ["planner", "spec", "analyzer"]
    assert models.roles_of("small") == ["writer"]
    assert models.names == ["big", "small"]
    assert load_settings({"root": tmp_path, "model": ["openai:big", "spec=embedded"]}).models.of("spec") is None


@pytest.mark.feature("T-12")
@pytest.mark.parametrize(
    ("given", "only_stages"),
    [
        ({}, False),
        ({"dry_run": True}, True),
        ({"model": ["openai:big"]}, True),
        ({"model": ["writer=openai:small"]}, True),
        ({"model": ["openai:big"], "apply": True}, False),
        ({"model": ["openai:big"], "apply": True, "dry_run": True}, True),
        ({"model": ["goal=openai:small"]}, False),
        ({"agents": {"writer": "mine:Plain"}}, True),
        ({"agents": {"safety": "mine:Plain"}}, False),
    ],
)
def test_what_a_model_or_an_own_agent_wrote_is_staged_for_review_unless_it_is_to_be_applied(
    tmp_path, given, only_stages
):
    assert load_settings({"root": tmp_path, **given}).only_stages is only_stages


def test_a_models_flag_beats_environment_beats_project_file_role_by_role(tmp_path, monkeypatch):
    monkeypatch.setenv("TESTWRIGHT_TRUST_PROJECT", "1")
    (tmp_path / "testwright.toml").write_text(
        'model = "openai:file"\nbase-url = "http://localhost:1/v1/"\n[models]\nwriter = "openai:hand"\n'
    )
    settings = load_settings({"root": tmp_path})
    assert (settings.models.of("spec"), settings.models.of("writer")) == ("file", "hand")
    assert settings.base_url == "http://localhost:1/v1"
    monkeypatch.setenv("TESTWRIGHT_MODEL", "openai:environment")
    monkeypatch.setenv("TESTWRIGHT_MODELS__SPEC", "openai:special")
    models = load_settings({"root": tmp_path}).models
    assert (models.of("planner"), models.of("spec"), models.of("writer")) == ("environment", "special", "hand")
    models = load_settings({"root": tmp_path, "model": ["spec=openai:flag"]}).models
    assert (models.of("planner"), models.of("spec")) == ("environment", "flag")
    assert load_settings({"root": tmp_path, "model": "embedded"}).models.names == []


@pytest.mark.parametrize(
    "flags",
    [
        {"model": ["gpt"]},
        {"model": ["painter=openai:x"]},
        {"model": ["openai:"]},
        {"base_url": "localhost:8000"},
        {"base_url": "http://localhost:99999/v1"},
        {"base_url": "http://me:secret@localhost/v1"},
        {"base_url": "http://localhost/v1?key=secret"},
        {"max_tokens": 0},
        {"max_cost": -1.0},
        {"max_seconds": 0},
    ],
)
def test_a_model_an_endpoint_and_ceilings_that_cannot_be_are_refused(tmp_path, flags):
    with pytest.raises(SettingsError):
        load_settings({"root": tmp_path, **flags})


def test_settings_with_models_are_restored_exactly(tmp_path, monkeypatch):
    settings = load_settings({"root": tmp_path, "model": ["spec=openai:x"], "max_cost": 1.5})
    monkeypatch.setenv("TESTWRIGHT_MODEL", "openai:other")
    assert restore_settings(settings.stored()) == settings


def test_a_command_with_a_secret_in_it_is_refused_because_it_stands_in_the_tests(tmp_path):
    with pytest.raises(SettingsError, match="seems to hold a secret") as refused:
        load_settings({"root": tmp_path, "app_command": "app --password hunter2"})
    assert "hunter2" not in str(refused.value)


def test_only_a_site_on_this_machine_may_be_opened_where_it_runs(tmp_path):
    assert load_settings({"root": tmp_path, "app_url": "localhost:5000/shop"}).app_url == "http://localhost:5000"
    with pytest.raises(SettingsError, match="a site on this machine"):
        load_settings({"root": tmp_path, "app_url": "https://example.org"})


def test_a_site_that_runs_already_and_a_command_that_starts_one_are_refused_together(tmp_path):
    with pytest.raises(SettingsError, match=r"app_url: .*app_command starts one: give one of the two"):
        load_settings({"root": tmp_path, "app_url": "localhost:5000", "app_command": "flask run --port {port}"})
