"""A staged test file is read with the helpers it depends on."""

from __future__ import annotations

from pathlib import Path

import pytest

from testwright.mcp.toolbox.staged_files import with_dependencies
from testwright.tests.support.mcp.tool_session import write_files

TEST = "tests/generated/shop/test_cart.py"
HELPER = "tests/generated/shop/carts.py"


@pytest.mark.parametrize(
    "line", ["import carts", "from carts import full", "from . import carts", "from .carts import full"]
)
def test_a_helper_beside_a_test_is_included_with_its_own_helpers(tmp_path: Path, line: str) -> None:
    other = "tests/generated/shop/prices.py"
    staged = write_files(tmp_path, {TEST: line, HELPER: "import prices\n", other: "", "tests/generated/shop/no.py": ""})
    assert sorted(with_dependencies(staged, TEST)) == sorted([TEST, HELPER, other])


def test_helpers_imported_from_the_root_and_conftests_are_included(tmp_path: Path) -> None:
    files = {TEST: "from tests.generated.shop import carts\n", HELPER: "", "tests/conftest.py": ""}
    staged = write_files(tmp_path, files)
    assert sorted(with_dependencies(staged, TEST)) == sorted(files)
    assert "tests/conftest.py" not in with_dependencies(staged, TEST, conftest=False)


def test_nothing_outside_is_reached(tmp_path: Path) -> None:
    write_files(tmp_path, {"secret.py": ""})
    staged = write_files(tmp_path / "staged", {"test_a.py": "from ... import secret\nimport secret\n"})
    assert list(with_dependencies(staged, "test_a.py")) == ["test_a.py"]


def test_a_script_brings_what_it_names_beside_it_and_the_configuration_that_is_staged(tmp_path: Path) -> None:
    folder = "tests/generated/e2e"
    files = {
        f"{folder}/shop.spec.ts": "import { withApplication } from './application';\n",
        f"{folder}/application.ts": "const serving = join(folder, 'api_serving.py');\n",
        f"{folder}/api_serving.py": "",
        "playwright.config.ts": "",
        f"{folder}/other.spec.ts": "",
    }
    found = with_dependencies(write_files(tmp_path, files), f"{folder}/shop.spec.ts")
    assert sorted(found) == sorted(path for path in files if "other" not in path)


def test_a_flow_brings_the_flows_that_it_runs(tmp_path: Path) -> None:
    files = {
        ".maestro/shop.yaml": "url: x\n---\n- runFlow: shop/buys.yaml\n",
        ".maestro/shop/buys.yaml": "url: x\n---\n- runFlow: signs_in.yaml\n",
        ".maestro/shop/signs_in.yaml": "url: x\n---\n- back\n",
        ".maestro/shop/sells.yaml": "",
    }
    found = with_dependencies(write_files(tmp_path, files), ".maestro/shop.yaml")
    assert sorted(found) == sorted(path for path in files if "sells" not in path)
