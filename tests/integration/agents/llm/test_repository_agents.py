"""The three embedded agents of A-01: from a repository to a map, to cases, to files that say only what is known."""

from __future__ import annotations

from typing import Any

import pytest

from testwright.agents.contract.compliance import COMPLIANCE, Candidate, Check
from testwright.agents.contract.contracts import contract_of
from testwright.agents.contract.lifecycle import Agent
from testwright.agents.contract.protocol import AgentRequest, AgentResponse, RequestMetadata
from testwright.agents.embedded.repository.case_agent import EmbeddedCaseAgent
from testwright.agents.embedded.repository.crawler_agent import EmbeddedCrawlerAgent
from testwright.agents.embedded.repository.engineer_agent import EmbeddedEngineerAgent
from testwright.mcp.tool_client.tool_client import ToolClient
from testwright.mcp.toolbox.toolbox import build_toolbox
from testwright.tests.support.mcp.tool_session import make_services
from testwright.tests.support.projects.web_shop import LISTED, SHOP, case, crawl_inputs, engineer_inputs
from testwright.utils.generated_header import is_untouched

pytestmark = pytest.mark.feature("A-01")


async def ask(agent: Agent, inputs: dict[str, Any]) -> AgentResponse:
    async with agent:
        return await agent.process(AgentRequest("test it", "work", RequestMetadata("trace-1"), inputs=inputs))


async def crawled(tmp_path, depth: str, files: dict[str, str] | None = None) -> dict[str, Any]:
    services = make_services(tmp_path, SHOP if files is None else files)
    async with ToolClient(build_toolbox(services)) as tools:
        agent = EmbeddedCrawlerAgent(tools, contract=contract_of("repo_crawler"))
        response = await ask(agent, crawl_inputs(depth))
    assert response.error is None
    return response.result


async def cases_of(tmp_path, depth: str) -> dict[str, dict[str, Any]]:
    found = await crawled(tmp_path, depth)
    agent = EmbeddedCaseAgent(contract=contract_of("test_case_generator"))
    response = await ask(agent, {**found, "depth_level": depth})
    assert response.error is None
    return {test_case["id"]: test_case for test_case in response.result["test_cases"]}


def paths(found: dict[str, Any]) -> list[str]:
    return [file["path"] for file in found["file_tree"]]


async def test_entry_points_are_told_by_what_files_do(tmp_path):
    found = await crawled(tmp_path, "smoke")
    assert {entry_point["path"]: entry_point["kind"] for entry_point in found["entry_points"]} == {
        "app/main.py": "api_route",
        "app/orders.py": "api_route",
        "public/index.html": "ui_component",
        "pyproject.toml": "config",
        "tests/conftest.py": "test_fixture",
        "web/server.js": "api_route",
        "web/users.js": "api_route",
    }
    assert found["detected_stack"]["runtime"] == "python"
    assert found["detected_stack"]["frameworks"] == ["fastapi"]


@pytest.mark.feature("A-10")
async def test_each_depth_looks_at_more(tmp_path):
    smoke = await crawled(tmp_path / "a", "smoke")
    assert paths(smoke) == sorted(entry_point["path"] for entry_point in smoke["entry_points"])
    assert set(paths(await crawled(tmp_path / "b", "core"))) - set(paths(smoke)) == {"app/prices.py"}
    standard = paths(await crawled(tmp_path / "c", "standard"))
    assert "app/unused.py" in standard
    assert standard.index("app/orders.py") < standard.index("app/prices.py") < standard.index("app/unused.py")
    assert "kept.log" not in standard
    assert sorted(paths(await crawled(tmp_path / "d", "deep"))) == LISTED


async def test_routes_have_the_prefixes_they_are_mounted_under_and_the_statuses_their_handlers_name(tmp_path):
    found = await crawled(tmp_path, "smoke")
    routes = {(route["method"], route["path"]): route for route in found["detected_stack"]["routes"]}
    assert list(routes) == [
        ("POST", "/items"),
        ("GET", "/items/{item_id}"),
        ("GET", "/ping"),
        ("GET", "/users/{id}"),
        ("DELETE", "/v1/orders/{order_id}"),
    ]
    assert routes["POST", "/items"]["success"] == 201
    assert routes["POST", "/items"]["rejects_empty"] == 422
    assert routes["GET", "/users/{id}"]["errors"] == [404]
    assert routes["DELETE", "/v1/orders/{order_id}"]["authorized"] is True


async def test_a_file_that_does_not_parse_or_is_no_text_costs_only_itself(tmp_path):
    files = {"app/main.py": SHOP["web/users.js"], "web/server.js": SHOP["web/server.js"], "package.json": "{"}
    services = make_services(tmp_path, files)
    (services.root / "binary.py").write_bytes(b"\xff\xfe\x00")
    async with ToolClient(build_toolbox(services)) as tools:
        response = await ask(EmbeddedCrawlerAgent(tools, contract=contract_of("repo_crawler")), crawl_inputs("deep"))
    assert [one["path"] for one in response.metadata["not_read"]] == ["binary.py"]
    assert [route["path"] for route in response.result["detected_stack"]["routes"]] == ["/ping"]


async def test_cases_grow_with_the_depth_and_expect_what_the_source_declares(tmp_path):
    smoke = await cases_of(tmp_path / "a", "smoke")
    core = await cases_of(tmp_path / "b", "core")
    standard = await cases_of(tmp_path / "c", "standard")
    deep = await cases_of(tmp_path / "d", "deep")
    assert set(smoke) < set(core) < set(standard) < set(deep)
    assert smoke["tc_post_items_succeeds"]["expected"] == "The answer has status 201."
    assert core["tc_get_users_id_unknown"]["expected"] == "The answer has status 404."
    assert standard["tc_post_items_rejects_empty_body"]["steps"] == ["Send POST /items with the JSON body {}."]
    assert standard["tc_get_items_item_id_rejects_item_id"]["expected"] == "The answer has status 422."
    assert smoke["tc_page_root_opens"]["expected"] == 'The page shows the heading "Welcome (1.0)".'


async def test_what_no_source_says_is_a_precondition(tmp_path):
    found = await cases_of(tmp_path, "smoke")
    assert found["tc_get_users_id_succeeds"]["preconditions"] == [
        "The environment variable USERS_ID holds an existing id."
    ]


async def test_a_library_without_routes_or_pages_gets_no_invented_cases(tmp_path):
    found = await crawled(tmp_path, "deep", {"src/lib/__init__.py": "", "src/lib/a.py": "def f():\n    return 1\n"})
    agent = EmbeddedCaseAgent(contract=contract_of("test_case_generator"))
    response = await ask(agent, {**found, "depth_level": "deep"})
    assert response.error is not None
    assert "no HTTP route" in response.error.message
    assert "unit tests" in (response.error.details or {})["advice"]


async def test_playwright_files_assert_what_cases_expect_and_take_the_unknown_from_the_environment():
    asked = case(
        id="tc_order",
        title="Bob's order",
        steps=["Send DELETE /v1/orders/{order_id}."],
        expected="The answer has status 204 or 404.",
        preconditions=["The environment variable ORDER_ID holds an existing order_id.", "It is a Monday."],
    )
    response = await ask(EmbeddedEngineerAgent(contract=contract_of("test_engineer")), engineer_inputs(asked))
    (file,) = response.result["files"]
    assert file["path"] == "tests/e2e/generated/orders.spec.ts"
    assert is_untouched(file["contents"]) is True
    body = file["contents"].split("\n\n", 2)[2]
    assert body == (
        "test('Bob\\'s order [tc_order]', { tag: '@high' }, async ({ request }) => {\n"
        "  test.skip(!process.env.ORDER_ID, 'The environment variable ORDER_ID holds an existing order_id.');\n"
        "  // Precondition: It is a Monday.\n"
        "  const answer = await request.delete(`/v1/orders/${encodeURIComponent(process.env.ORDER_ID!)}`);\n"
        "  expect([204, 404]).toContain(answer.status());\n"
        "});\n"
    )
    assert (response.result["base_branch"], response.result["head_branch"]) == (
        "main",
        "testwright/playwright-0b9f2a4e",
    )


async def test_maestro_flows_are_one_a_case_and_say_what_must_be_set():
    asked = case(
        steps=["Open /login."], expected='The page shows the button "Sign in (now)". The page shows the field "Name".'
    )
    agent = EmbeddedEngineerAgent(contract=contract_of("test_engineer"))
    response = await ask(agent, engineer_inputs(asked, framework="maestro"))
    (file,) = response.result["files"]
    assert file["path"] == ".maestro/generated/tc_ping.yaml"
    assert is_untouched(file["contents"]) is True
    _, commands = file["contents"].split("---\n")
    assert commands.splitlines() == [
        "- assertTrue:",
        "    condition: ${typeof BASE_URL !== 'undefined'}",
        '    label: "BASE_URL is set."',
        "- launchApp",
        '- openLink: "${BASE_URL}/login"',
        '- assertVisible: "Sign in \\\\(now\\\\)"',
        '- assertVisible: "Name"',
    ]


async def test_a_case_in_free_words_is_left_out_and_said_to_be():
    free = case(id="tc_free", steps=["Have a look around."], expected="It looks nice.")
    response = await ask(EmbeddedEngineerAgent(contract=contract_of("test_engineer")), engineer_inputs(case(), free))
    assert [one["case_id"] for one in response.metadata["not_written"]] == ["tc_free"]
    assert "tc_free" not in response.result["files"][0]["contents"]
    assert "- tc_free: the step 'Have a look around.'" in response.result["pr_body"]
    alone = await ask(EmbeddedEngineerAgent(contract=contract_of("test_engineer")), engineer_inputs(free))
    assert alone.error is not None


@pytest.mark.parametrize("text", ["'); process.exit(); ('", "${process.env.SECRET}", "`; x", "a\\", "</script>", "*/"])
async def test_text_of_a_case_stays_text_in_the_file(text):
    asked = case(title=f"says {text}", steps=["Open /x."], expected=f'The page shows the text "{text}".')
    response = await ask(EmbeddedEngineerAgent(contract=contract_of("test_engineer")), engineer_inputs(asked))
    line = next(one for one in response.result["files"][0]["contents"].splitlines() if "getByText" in one)
    literal = line.removeprefix("  await expect(page.getByText(").removesuffix(
        ", { exact: true }).first()).toBeVisible();"
    )
    inner = literal[1:-1].replace("\\\\", "").replace("\\'", "")
    assert literal[0] == literal[-1] == "'"
    assert "'" not in inner
    assert not inner.endswith("\\")


@pytest.mark.feature("C-04", "C-05")
@pytest.mark.parametrize("check", COMPLIANCE, ids=lambda check: check.__name__)
async def test_the_engineer_keeps_the_contract_of_every_agent(check: Check) -> None:
    def make() -> Agent:
        return EmbeddedEngineerAgent(contract=contract_of("test_engineer"))

    await check(Candidate(make, good=engineer_inputs(case())))
