"""Examples in a project's file are values: literals and constructor calls, nothing that acts."""

from __future__ import annotations

from pathlib import Path

import pytest

from testwright.config.examples import checked_examples
from testwright.config.settings import load_settings
from testwright.core.errors import SettingsError


@pytest.mark.parametrize(
    ("key", "source"),
    [
        ("rule", "'total > 100'"),
        ("day", "date(2024, 5, 3)"),
        ("point", "Point(1, -2, label='a')"),
        ("rules", "[Rule.parse('a > 1'), {'limit': (1, 2)}]"),
        ("shop.rules:apply_rule", "apply_rule(Rule('a'), 3)"),
        ("shop.cart:Cart.add", "Cart().add('apple', 2)"),
    ],
)
def test_literals_and_constructor_calls_are_taken(key: str, source: str) -> None:
    assert checked_examples({key: source}) == {key: source}


@pytest.mark.parametrize(
    ("key", "source", "message"),
    [
        ("rule", "open('/etc/passwd').read()", "no constructor"),
        ("rule", "os.system('true')", "no constructor"),
        ("rule", "__import__('os')", "no constructor"),
        ("rule", "(lambda: 1)()", "literals and calls"),
        ("rule", "[x for x in 'ab']", "literals and calls"),
        ("rule", "Rule().__class__", "private"),
        ("rule", "1 +", "not a Python expression"),
        ("shop.rules:apply_rule", "'a'", "is not a call of apply_rule"),
        ("shop.rules:apply_rule", "apply_rule(eval('1'))", "no constructor"),
        ("a-b", "1", "neither module:function"),
    ],
)
def test_whatever_acts_is_refused(key: str, source: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        checked_examples({key: source})


def test_the_projects_file_gives_examples_without_consent(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.testwright.examples]\nrule = \"'a > 1'\"\n")
    settings = load_settings({"root": tmp_path})
    assert settings.examples == {"rule": "'a > 1'"}
    assert settings.ignored == ""


def test_an_example_that_acts_ends_the_command_with_what_is_wrong(tmp_path: Path) -> None:
    (tmp_path / "testwright.toml").write_text("[examples]\nrule = \"open('x')\"\n")
    with pytest.raises(SettingsError, match="calls open, which is no constructor"):
        load_settings({"root": tmp_path})
