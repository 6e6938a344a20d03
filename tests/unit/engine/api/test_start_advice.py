"""What a person is told to do where the application lacks a variable."""

from types import SimpleNamespace
from typing import Any

import pytest

from testwright.engine.api.document.application import AppLaunch, start_failure


@pytest.mark.feature("T-10")
@pytest.mark.parametrize(
    ("settings", "is_named"),
    [("[tool.testwright.app]\nenv = { SHOP_DB = 'x' }", True), ("[tool.testwright.env]\nOTHER = 'x'", False)],
)
def test_trust_is_named_where_an_ignored_setting_has_the_missing_variable(tmp_path, settings, is_named):
    (tmp_path / "pyproject.toml").write_text(settings)
    target: Any = SimpleNamespace(root=tmp_path, interpreter=None)
    fault = start_failure(AppLaunch("shop:app"), "KeyError: 'SHOP_DB'", target)
    assert 'SHOP_DB = "…"' in fault.advice
    assert ("testwright trust" in fault.advice) is is_named
