"""A spec that was given says which tests are wanted, and no further ones are made."""

from __future__ import annotations

from pathlib import Path

import pytest

from testwright.app.runs import SingleTargetRequest, run_from_spec
from testwright.config.settings import Settings
from testwright.tests.support.mcp.tool_session import unit_spec
from testwright.tests.support.projects.files import OWN_PYTEST, make_project

SOURCE = "def half(number):\n    return number / 2\n\n\ndef double(number):\n    return number * 2\n"


@pytest.mark.feature("P-03", "T-11")
async def test_what_a_given_spec_leaves_out_is_not_tested_either(tmp_path: Path) -> None:
    files = {**OWN_PYTEST, "src/shop/__init__.py": "", "src/shop/cart.py": SOURCE}
    root = make_project(tmp_path / "my app", files)
    settings = Settings(root=root, trials=100, mutants=4)
    spec = unit_spec(imports=["from shop.cart import half"])
    found = await run_from_spec(SingleTargetRequest("unit tests", "src/shop/cart.py"), spec, settings)
    assert [target.path for target in found.report.targets] == ["src/shop/cart.py"]
    assert len(found.report.files) == found.report.totals.kept == 1
