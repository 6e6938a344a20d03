"""The conftest.py that sets what the code under test reads from the environment."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from testwright.gate.verify.variables_conftest import variables_conftest
from testwright.tests.support.projects.running import WITHOUT_PLUGINS
from testwright.utils.generated_header import is_untouched


@pytest.mark.feature("T-06")
def test_it_sets_what_is_missing_and_leaves_what_a_person_has_set(monkeypatch):
    text = variables_conftest({"SHOP_REGION": "eu", "SHOP_NAME": 'a "b"\n'})
    monkeypatch.setenv("SHOP_REGION", "us")
    monkeypatch.setenv("SHOP_NAME", "")
    monkeypatch.delenv("SHOP_NAME")
    exec(compile(text, "conftest.py", "exec"), {})
    assert (os.environ["SHOP_REGION"], os.environ["SHOP_NAME"]) == ("us", 'a "b"\n')
    assert is_untouched(text) is True


@pytest.mark.feature("T-06")
@pytest.mark.parametrize(
    ("name", "value"),
    [("NOTES_TOKEN", "hunter2"), ("STRIPE_KEY", "abc"), ("SHOP_URL", "postgres://me:hunter2@db/shop")],
)
def test_no_value_of_a_secret_is_written(name, value):
    text = variables_conftest({name: value})
    assert value not in text
    assert f'"test-{name.lower().replace("_", "-")}"' in text


def test_no_line_is_longer_than_common_linters_allow():
    assert max(map(len, variables_conftest({"A" * 60: "b" * 40}).splitlines())) <= 88


TAKEN = {"SHOP_PLACE": "north-${SHOP_SIDE}"}


@pytest.mark.feature("T-06")
def test_what_comes_from_the_environment_is_in_no_file(monkeypatch):
    text = variables_conftest({"SHOP_PLACE": "north-of-the-river", "SHOP_REGION": "eu"}, TAKEN)
    assert "river" not in text
    monkeypatch.setenv("SHOP_SIDE", "east")
    monkeypatch.delenv("SHOP_PLACE", raising=False)
    exec(compile(text, "conftest.py", "exec"), {})
    assert os.environ["SHOP_PLACE"] == "north-east"


@pytest.mark.feature("T-06")
def test_a_secret_in_the_words_around_a_reference_is_not_written_either():
    text = variables_conftest({"SHOP_URL": "db://me:hunter2@east/x"}, {"SHOP_URL": "db://me:hunter2@${SIDE}/x"})
    assert "hunter2" not in text


@pytest.mark.feature("T-06")
def test_the_tests_are_skipped_with_the_name_of_what_is_missing(tmp_path):
    (tmp_path / "conftest.py").write_text(variables_conftest({"SHOP_PLACE": "north-of-the-river"}, TAKEN))
    (tmp_path / "test_shop.py").write_text("import os\nPLACE = os.environ['SHOP_PLACE']\ndef test_place(): pass\n")
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", f"--rootdir={tmp_path}", tmp_path],
        capture_output=True,
        text=True,
        env=WITHOUT_PLUGINS
        | {name: value for name, value in os.environ.items() if not name.startswith(("SHOP_", "PYTEST_"))},
    )
    assert "set in the environment: SHOP_PLACE (north-${SHOP_SIDE})" in ran.stdout
    assert "1 skipped" in ran.stdout
