"""What of a project's own file holds, without consent, with it, and after a change."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from testwright.config.settings import Settings, load_settings, project_file_of, restore_settings, settings_to_consent
from testwright.config.trust import HARMLESS, MOST, is_recorded, needs_consent, record, trust_file
from testwright.core.errors import SettingsError

ASKING = {
    "python": '"evil.sh"',
    "sandbox": '"weak"',
    "base-url": '"http://attacker.example/v1"',
    "embeddings": '"openai:x"',
    "model": '"openai:x"',
    "state-dir": '"/tmp/elsewhere"',
    "app-command": '"sh -c true"',
    "build-command": '"true"',
    "prices": '"/etc/passwd"',
    "answer-tokens": "1000000",
    "jobs": "64",
}


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    """A home of the user's own, beside the project."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home" / ".config"))
    return tmp_path / "home"


@pytest.fixture
def root(tmp_path):
    (tmp_path / "project").mkdir()
    return tmp_path / "project"


def _say(root, **values):
    (root / "testwright.toml").write_text("".join(f"{name} = {value}\n" for name, value in values.items()))


def _consent(root):
    return record(root, settings_to_consent(project_file_of(root)))


@pytest.mark.parametrize("name", ASKING)
@pytest.mark.parametrize("file", ["testwright.toml", "pyproject.toml"])
def test_a_setting_that_can_do_harm_is_ignored_until_a_person_consents(root, name, file):
    table = "" if file == "testwright.toml" else "[tool.testwright]\n"
    (root / file).write_text(f"{table}{name} = {ASKING[name]}\n")
    field = name.replace("-", "_") if name != "model" else "models"
    settings = load_settings({"root": root})
    assert getattr(settings, field) == Settings.model_fields[field].default
    assert settings.ignored.startswith(f"From {file} ignored until you trust the project: {field} = ")
    assert f"testwright trust --root {root}" in settings.ignored
    trusted = load_settings({"root": root, "trust_project": True})
    assert getattr(trusted, field) != Settings.model_fields[field].default
    assert trusted.ignored == ""


def test_every_setting_is_either_harmless_or_asks():
    """A setting that is added later asks, until somebody puts it on the list."""
    assert set(Settings.model_fields) >= HARMLESS
    assert all(needs_consent(name, object()) for name in set(Settings.model_fields) - HARMLESS)


@pytest.mark.parametrize("name", MOST)
def test_a_file_sets_times_and_counts_up_to_a_maximum_and_more_with_consent(root, name, monkeypatch):
    monkeypatch.delenv(f"TESTWRIGHT_{name.upper()}", raising=False)
    default = Settings.model_fields[name].default
    _say(root, **{name: str(MOST[name])})
    assert getattr(load_settings({"root": root}), name) == MOST[name]
    _say(root, **{name: str(MOST[name] + 1)})
    settings = load_settings({"root": root})
    assert (getattr(settings, name), f"{name} = {MOST[name] + 1}" in settings.ignored) == (default, True)
    assert getattr(load_settings({"root": root, "trust_project": True}), name) == MOST[name] + 1


@pytest.mark.parametrize("value", ["1e12", "inf", "nan", '"1e12"'])
def test_no_way_to_write_an_endless_time_needs_no_consent(root, value, monkeypatch):
    monkeypatch.delenv("TESTWRIGHT_IMPORT_SECONDS", raising=False)
    _say(root, import_seconds=value)
    assert load_settings({"root": root}).import_seconds == Settings.model_fields["import_seconds"].default


def test_a_file_may_ask_for_more_isolation_and_for_no_model(root):
    _say(root, sandbox='"bubblewrap"', model='"embedded"', jobs="8", **{"isolate-agents": "true"})
    settings = load_settings({"root": root})
    assert (settings.sandbox, settings.jobs, settings.isolate_agents) == ("bubblewrap", 8, True)
    assert settings.ignored == ""


def test_harmless_settings_hold_beside_ignored_ones_which_are_not_even_checked(root):
    _say(root, **{"step-seconds": "123"}, python="7")
    settings = load_settings({"root": root})
    assert settings.step_seconds == 123
    assert "python = 7" in settings.ignored
    assert "step" not in settings.ignored


def test_what_the_user_says_holds_whatever_the_file_says(root, monkeypatch):
    _say(root, sandbox='"weak"', python='"evil.sh"')
    monkeypatch.setenv("TESTWRIGHT_SANDBOX", "bubblewrap")
    settings = load_settings({"root": root, "python": root / "mine"})
    assert (settings.sandbox, settings.python, settings.ignored) == ("bubblewrap", root / "mine", "")


def test_recorded_consent_holds_until_the_settings_change(root):
    _say(root, python='"tools/python"', trials="50")
    path = _consent(root)
    assert load_settings({"root": root}).python == root / "tools" / "python"
    assert load_settings({"root": root}).trust_project is True
    _say(root, python='"tools/python"', trials="60")  # harmless: no new consent is needed
    assert load_settings({"root": root}).python == root / "tools" / "python"
    _say(root, python='"tools/python"', sandbox='"weak"')
    settings = load_settings({"root": root})
    assert (settings.python, settings.sandbox) == (None, "auto")
    assert path.stat().st_mode & 0o077 == 0 or path.parent.stat().st_mode & 0o077 == 0


def test_consent_to_one_project_is_none_to_another_and_is_withdrawn(root, tmp_path):
    _say(root, python='"x"')
    other = tmp_path / "other"
    other.mkdir()
    _say(other, python='"x"')
    _consent(root)
    assert load_settings({"root": other}).python is None
    record(root, None)
    assert load_settings({"root": root}).python is None


def test_no_consent_at_all_is_said_by_false(root):
    """As the Action does for a fork: the user's own trust file does not count either."""
    _say(root, python='"x"')
    _consent(root)
    assert load_settings({"root": root, "trust_project": False}).python is None


def test_a_trust_file_inside_the_project_counts_for_nothing(root):
    environment = {"XDG_CONFIG_HOME": str(root / "config")}
    record(root, {}, environment)
    assert trust_file(environment) == root / "config" / "testwright" / "trust.json"
    assert not is_recorded(root, {}, environment)


def test_the_trust_file_is_the_users_and_outside_of_home_there_is_none():
    assert trust_file({}) is None
    assert not is_recorded(Path("/"), {}, {})
    with pytest.raises(SettingsError, match="no place for the trust file"):
        record(Path("/"), {}, {})


@pytest.mark.parametrize("text", ["{", "[]", '{"projects": 7}'])
def test_a_trust_file_that_does_not_read_is_an_error_with_advice(root, home, text):
    path = home / ".config" / "testwright" / "trust.json"
    path.parent.mkdir(parents=True)
    path.write_text(text)
    with pytest.raises(SettingsError, match="does not read") as caught:
        load_settings({"root": root})
    assert caught.value.advice


def test_consents_to_several_projects_stand_in_one_file(root, tmp_path):
    (tmp_path / "other").mkdir()
    path = _consent(root)
    _consent(tmp_path / "other")
    assert set(json.loads(path.read_text())["projects"]) == {str(root), str(tmp_path / "other")}


def test_what_is_ignored_is_told_in_plain_ascii_and_cut(root):
    (root / "testwright.toml").write_text('python = "\\u001b[2J' + "x" * 500 + '"\n')
    told = load_settings({"root": root}).ignored
    assert "\x1b" not in told
    assert len(told) < 400 + len(str(root))


def test_restored_settings_do_not_read_the_projects_file(root):
    stored = load_settings({"root": root}).stored()
    (root / "testwright.toml").write_text("broken [\n")
    assert restore_settings(stored).sandbox == "auto"
