"""Modules that need an environment variable at import."""

from __future__ import annotations

import pytest

from testwright.tests.support.projects.files import FLAT_PYTEST, make_project
from testwright.tests.support.runs.command_line import invoke_command

FILES = {
    **FLAT_PYTEST,
    "rates.py": (
        'import os\n\nREGION = os.environ["RATES_REGION"]\n\n\ndef rate(cents):\n'
        '    """Nineteen percent, nothing elsewhere."""\n    return cents * 19 // 100 if REGION == "eu" else 0\n'
    ),
}


@pytest.mark.feature("T-03")
def test_a_missing_variable_is_named_and_a_given_one_reaches_the_code(tmp_path):
    root = make_project(tmp_path / "rates", FILES)
    missing = invoke_command("run", "unit tests for rates", cwd=root)
    assert "needs the environment variable RATES_REGION" in missing.out + missing.err
    assert '[tool.testwright.env] RATES_REGION = "…"' in missing.out + missing.err
    (root / "pyproject.toml").write_text('[tool.testwright.env]\nRATES_REGION = "eu"\n')
    given = invoke_command("run", "unit tests for rates", "--mutants", "0", cwd=root)
    assert given.code == 0, given.out + given.err
    assert "assert" in (root / "tests/generated/rates/test_rates.py").read_text()
