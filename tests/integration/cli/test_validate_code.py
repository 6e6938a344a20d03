"""`validate code`: the framework is told from the file, and conftest files above it count."""

import json

import pytest
from typer.testing import CliRunner

from testwright.cli.app import app
from testwright.core.exit_code import ExitCode
from testwright.tests.support.mcp.js_chain import use_machine_cache
from testwright.tests.support.projects.files import make_project

pytestmark = pytest.mark.feature("T-10", "T-19")

CONFTEST = "import pytest\n\n\n@pytest.fixture\ndef cart():\n    return []\n"
SPEC = (
    "import { expect, test } from '@playwright/test';\n\ntest('a', async ({ page }) => {\n  await expect(page);\n});\n"
)
UNIT = "const { half } = require('./half');\n\nit('halves', () => {\n  expect(half(2)).toBe(1);\n});\n"
FLOW = "appId: com.example.shop\n---\n- tapOn: Cart\n"
LOCUST = "from locust import HttpUser\n\n\nclass Shopper(HttpUser):\n    pass\n"


@pytest.fixture
def project(tmp_path, monkeypatch):
    use_machine_cache(monkeypatch)
    files = {
        "tests/conftest.py": CONFTEST,
        "tests/unit/test_cart.py": "from shop import empty\n\n\ndef test_a(cart):\n    assert empty(cart)\n",
        "e2e/a.spec.ts": SPEC,
        "src/half.test.js": UNIT,
        "flows/cart.yaml": FLOW,
        "load/locustfile.py": LOCUST,
    }
    root = make_project(tmp_path / "project", files)
    monkeypatch.chdir(root)
    return root


@pytest.mark.parametrize(
    ("path", "rules"),
    [
        ("tests/unit/test_cart.py", []),
        ("e2e/a.spec.ts", ["playwright/valid-expect", "testwright/assertions"]),
        ("src/half.test.js", []),
        ("flows/cart.yaml", ["no_assertion"]),
        ("load/locustfile.py", ["no_tests"]),
    ],
)
def test_the_framework_is_told_from_the_file(project, path, rules):
    result = CliRunner().invoke(app, ["validate", "code", path, "--json"])
    assert sorted(error["rule"] for error in json.loads(result.stdout)["errors"]) == rules
    assert result.exit_code == (ExitCode.TEST_DEFECT if rules else ExitCode.OK)


def test_a_file_elsewhere_and_a_framework_that_is_said(project, tmp_path):
    other = make_project(tmp_path / "other", {"half.test.js": UNIT.replace("it(", "it.only(")}) / "half.test.js"
    result = CliRunner().invoke(app, ["validate", "code", str(other), "--framework", "jest"])
    assert result.exit_code == ExitCode.TEST_DEFECT
    assert "line 3: structure" in result.stdout
    assert CliRunner().invoke(app, ["validate", "code", str(other), "--framework", "mocha"]).exit_code == ExitCode.USAGE
