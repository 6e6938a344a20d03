"""The tools on scripts: validate_test_code, lint_code and check_syntax through the real chain (T-10, T-12)."""

from __future__ import annotations

from pathlib import Path

import pytest

from testwright.agents.contract.contracts import contract_of
from testwright.agents.embedded.repository.engineer_agent import EmbeddedEngineerAgent
from testwright.analysis.javascript import checks as javascript
from testwright.analysis.javascript.chain import CHECKS, COMPILED
from testwright.core.errors import EnvironmentFault, SandboxUnavailable
from testwright.mcp.tool_client.tool_client import ToolClient
from testwright.mcp.toolbox.toolbox import build_toolbox
from testwright.sandbox.javascript import node
from testwright.sandbox.opening import open_sandbox
from testwright.sandbox.protocol import Limits, Program
from testwright.tests.support.agents.fake_chat import asked as ask
from testwright.tests.support.mcp.js_chain import use_machine_cache
from testwright.tests.support.mcp.tool_session import make_services, write_files
from testwright.tests.support.projects.web_shop import case, engineer_inputs
from testwright.utils.user_folders import cache_folders

GOOD = "import { half } from '../src/half';\n\ntest('half of 4', () => {\n  expect(half(4)).toBe(2);\n});\n"
SPEC = (
    "import { expect, test } from '@playwright/test';\n\n"
    "test('opens', async ({ page }) => {\n  await page.goto('/');\n  await expect(page).toHaveTitle('Shop');\n});\n"
)


@pytest.fixture
def services(tmp_path, monkeypatch):
    use_machine_cache(monkeypatch)
    return make_services(tmp_path)


@pytest.fixture
async def client(services):
    async with ToolClient(build_toolbox(services)) as opened:
        yield opened


@pytest.mark.feature("T-10")
async def test_good_scripts_are_valid_in_every_respect(client, services):
    write_files(services.run_folder.staged, {"tests/half.test.js": GOOD, "e2e/shop.spec.ts": SPEC})
    for path, framework in (("tests/half.test.js", "jest"), ("e2e/shop.spec.ts", "playwright")):
        answer = await client.call("validate_test_code", {"code_path": path, "framework": framework})
        assert answer == {
            "valid": True,
            "syntax_valid": True,
            "lint_passed": True,
            "structure_valid": True,
            "errors": [],
        }


@pytest.mark.feature("T-10", "T-07")
async def test_errors_of_a_script_are_typed_with_line_and_suggestion(client, services):
    bad = GOOD.replace("test('half", "test.only('half") + "\nconst idle = 1;\nhalve(idle);\n"
    write_files(services.run_folder.staged, {"tests/half.test.js": bad, "tests/broken.test.ts": "test('a', () => {"})
    answer = await client.call("validate_test_code", {"code_path": "tests/half.test.js", "framework": "jest"})
    assert (answer["valid"], answer["syntax_valid"], answer["lint_passed"], answer["structure_valid"]) == (
        False,
        True,
        False,
        False,
    )
    assert {(error["type"], error["rule"], error["line"]) for error in answer["errors"]} == {
        ("structure", "jest/no-focused-tests", 3),
        ("lint", "no-undef", 8),
    }
    assert all(error["suggestion"] for error in answer["errors"])
    lint_only = {"code_path": "tests/half.test.js", "framework": "jest", "check_structure": False}
    assert [error["type"] for error in (await client.call("validate_test_code", lint_only))["errors"]] == ["lint"]
    broken = await client.call("validate_test_code", {"code_path": "tests/broken.test.ts", "framework": "jest"})
    assert (broken["syntax_valid"], broken["lint_passed"], broken["structure_valid"]) == (False, False, False)
    assert [error["type"] for error in broken["errors"]] == ["syntax"]


@pytest.mark.feature("T-10")
async def test_a_file_of_another_language_is_no_script(client, services):
    write_files(services.run_folder.staged, {"tests/test_half.py": "def test_half():\n    assert 1\n"})
    answer = await client.call("validate_test_code", {"code_path": "tests/test_half.py", "framework": "jest"})
    assert [(error["type"], error["line"]) for error in answer["errors"]] == [("syntax", 0)]


@pytest.mark.feature("T-10")
async def test_nothing_of_the_projects_configuration_is_run(client, services):
    trap = "require('fs').writeFileSync(require('path').join(__dirname, 'ran'), 'x');\nmodule.exports = [];\n"
    names = ("eslint.config.js", "eslint.config.cjs", ".eslintrc.js", "babel.config.js", "jest.config.js")
    write_files(services.root, dict.fromkeys(names, trap))
    write_files(services.root, {"tests/half.test.js": "/* eslint-disable */\n" + GOOD + "expect(1);\n"})
    answer = await client.call("validate_test_code", {"code_path": "tests/half.test.js", "framework": "jest"})
    assert answer["structure_valid"] is False
    assert not (services.root / "ran").exists()


@pytest.mark.feature("T-10")
async def test_without_a_sandbox_the_answer_is_the_same(services, monkeypatch):
    def none() -> None:
        raise SandboxUnavailable("there is none here")

    monkeypatch.setattr(javascript, "open_sandbox", none)
    [found] = await services.javascript.issues([javascript.ScriptFile("a.test.js", GOOD + "half(;\n", "jest")])
    assert [(one.type, one.line) for one in found] == [("syntax", 6)]


@pytest.mark.feature("T-10")
async def test_what_node_compiled_of_the_chain_is_there_in_the_sandbox(client, services):
    write_files(services.run_folder.staged, {"tests/half.test.js": GOOD})
    await client.call("validate_test_code", {"code_path": "tests/half.test.js", "framework": "jest"})
    chain = CHECKS.install(cache_folders(services.root))
    asking = Program(
        argv=(str(node.find_node().path), javascript.HEAP, "-p", "require('node:module').getCompileCacheDir()"),
        cwd=chain.folder,
        environment={"NODE_COMPILE_CACHE": str(chain.folder / COMPILED)},
        readable=(chain.folder,),
        limits=Limits(memory_mib=32_768),
    )
    kept = Path((await open_sandbox().run(asking)).stdout.decode().strip())
    assert any(kept.iterdir())


@pytest.mark.feature("T-10")
async def test_without_node_the_fault_says_how_to_get_it(client, services, monkeypatch):
    monkeypatch.setattr(node, "_WHEEL", "no_such_wheel_is_installed")
    monkeypatch.setenv("PATH", "")
    write_files(services.run_folder.staged, {"tests/half.test.js": GOOD})
    with pytest.raises(EnvironmentFault, match="Node") as caught:
        await client.call("validate_test_code", {"code_path": "tests/half.test.js", "framework": "jest"})
    assert "testwright[js]" in caught.value.advice


@pytest.mark.feature("T-12")
@pytest.mark.parametrize(
    ("name", "language", "good", "bad"),
    [
        ("a.js", "javascript", "const a = <b>1</b>;\n", "const a = 1;\nconst a = ;\n"),
        ("a.ts", "typescript", "const a: number = 1;\n", "const a: number = 1;\nconst b: = 2;\n"),
        ("a.tsx", "tsx", "const a = <b<number> c={1} />;\n", "const a: number = 1;\nconst b = <b>;\n"),
        ("noend", "typescript", "enum A { B }\n", "enum A { B }\nenum { C }\n"),
    ],
)
async def test_check_syntax_parses_scripts(client, services, name, language, good, bad):
    write_files(services.root, {f"good/{name}": good, f"bad/{name}": bad})
    answer = await client.call("check_syntax", {"file_path": f"good/{name}", "language": language})
    assert answer == {"valid": True, "errors": []}
    answer = await client.call("check_syntax", {"file_path": f"bad/{name}", "language": language})
    assert answer["valid"] is False
    assert answer["errors"][0]["line"] in (2, 3)


@pytest.mark.feature("T-12")
async def test_lint_code_lints_scripts_and_data(client, services):
    files = {
        "src/a.js": "const used = require('x');\nused(unknown);\n",
        "src/b.ts": "import { a } from './a';\nexport const b: Kind = 1;\n",
        "src/c.json": '{"a": 1,\n "a": 2}\n',
        "src/d.yaml": "a: 1\nb: 2\na: 3\n",
        "src/e.yml": "a: [\n",
    }
    write_files(services.root, files)
    found = {name: (await client.call("lint_code", {"file_path": name}))["errors"] for name in files}
    assert [(one["rule"], one["line"]) for one in found["src/a.js"]] == [("no-undef", 2)]
    assert [(one["rule"], one["line"]) for one in found["src/b.ts"]] == [("testwright/unused", 1)]
    assert [(one["rule"], one["line"], one["column"]) for one in found["src/c.json"]] == [("repeated-key", 2, 2)]
    assert [(one["rule"], one["line"]) for one in found["src/d.yaml"]] == [("repeated-key", 3)]
    assert found["src/e.yml"][0]["rule"] == "invalid-syntax"


@pytest.mark.feature("T-10", "A-01")
async def test_what_the_embedded_engineer_writes_is_valid(client, services):
    asked = [
        case(
            id="tc_order",
            title="Bob's order",
            steps=["Send DELETE /v1/orders/{order_id}."],
            expected="The answer has status 204 or 404.",
            preconditions=["The environment variable ORDER_ID holds an existing order_id.", "It is a Monday."],
        ),
        case(id="tc_login", steps=["Open /login."], expected='The page shows the button "Sign in (now)".'),
    ]
    for framework in ("playwright", "maestro"):
        agent = EmbeddedEngineerAgent(contract=contract_of("test_engineer"))
        response = await ask(agent, engineer_inputs(*asked, framework=framework))
        assert response.error is None
        for file in response.result["files"]:
            write_files(services.run_folder.staged, {file["path"]: file["contents"]})
            given = {"code_path": file["path"], "framework": framework}
            assert (await client.call("validate_test_code", given))["errors"] == []
