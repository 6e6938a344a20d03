"""docs/settings.md, docs/security.md and docs/exit-codes.md say what the code says."""

import re
from pathlib import Path

from testwright.config.settings import Settings
from testwright.config.trust import HARMLESS, MOST
from testwright.core.exit_code import ExitCode

DOCS = Path(__file__).resolve().parents[3] / "docs"


def test_every_setting_is_on_its_page_and_nothing_else_is():
    rows = re.findall(r"^\| `(\w+)` \|", (DOCS / "settings.md").read_text(), re.MULTILINE)
    assert sorted(rows) == sorted(Settings.model_fields)


def test_defaults_on_the_page_are_the_settings_defaults():
    text = (DOCS / "settings.md").read_text()
    for name in ("jobs", "trials", "max_retries", "max_retries_per_step", "repeats", "keep_runs"):
        [default] = re.findall(rf"^\| `{name}` \|[^|]*\|[^|]*\| `([^`]+)` \|", text, re.MULTILINE)
        assert int(default) == Settings.model_fields[name].default


def test_every_exit_code_is_on_its_page():
    rows = re.findall(r"^\| (\d+) \| (\w+) \|", (DOCS / "exit-codes.md").read_text(), re.MULTILINE)
    assert [(int(code), name) for code, name in rows] == [(int(code), code.name) for code in ExitCode]


def test_the_settings_that_need_no_consent_are_on_the_security_page():
    text = (DOCS / "security.md").read_text()
    listed = text[text.index("Without consent") : text.index("`jobs` up to 8")]
    assert sorted(re.findall(r"`(\w+)`", listed)) == sorted(HARMLESS)


def test_how_far_a_projects_file_may_go_is_on_the_security_page():
    listed = re.findall(r"`(\w+)`\s+up to (\d+)", (DOCS / "security.md").read_text())
    assert {name: int(most) for name, most in listed} == MOST
