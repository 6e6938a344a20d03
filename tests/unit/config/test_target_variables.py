"""Environment variables for the code under test."""

import pytest

from testwright.config.settings import load_settings
from testwright.config.target_variables import with_sign_in
from testwright.core.errors import SettingsError


def test_a_projects_file_gives_variables_without_consent(tmp_path):
    (tmp_path / "pyproject.toml").write_text('[tool.testwright.env]\nSHOP_REGION = "eu"\n')
    settings = load_settings({"root": tmp_path})
    assert settings.env == {"SHOP_REGION": "eu"}
    assert settings.ignored == ""


@pytest.mark.parametrize(
    "name",
    ["PATH", "LD_PRELOAD", "PYTHONPATH", "PYTHONSTARTUP", "PYTEST_ADDOPTS", "COVERAGE_RCFILE", "HOME", "a-b", "LC_ALL"],
)
def test_no_variable_decides_how_programs_start_or_tests_are_run(tmp_path, name):
    (tmp_path / "testwright.toml").write_text(f'[env]\n"{name}" = "x"\n')
    with pytest.raises(SettingsError, match=r"env: "):
        load_settings({"root": tmp_path})


def test_the_password_of_a_sign_in_is_a_variable_of_the_tests_where_it_is_set() -> None:
    shell = {"SHOP_PASSWORD": "of nobody"}
    assert with_sign_in({}, "boss@example.com:SHOP_PASSWORD", shell) == {"SHOP_PASSWORD": "${SHOP_PASSWORD}"}
    own = {"SHOP_PASSWORD": "another"}
    assert with_sign_in(own, "boss@example.com:SHOP_PASSWORD", shell) == own
    assert (
        with_sign_in({"A": "b"}, "boss@example.com:OTHER", shell) == with_sign_in({"A": "b"}, None, shell) == {"A": "b"}
    )
