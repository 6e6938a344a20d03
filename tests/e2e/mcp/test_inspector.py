"""The MCP Inspector's command line, a client that is not ours, gets everything the server has, over stdio and HTTP."""

import json
import subprocess

import pytest

from testwright.tests.support.mcp.npm_tools import INSPECTOR, node_environment, npm_tool
from testwright.tests.support.mcp.processes import PRODUCT, product_over_http
from testwright.tests.support.mcp.raw_messages import RawSession, call
from testwright.tests.support.mcp.serving import quick_project
from testwright.tests.support.warm.commands import warm_command

pytestmark = pytest.mark.feature("T-11")
NUMBERS = "src/small/numbers.py"
TOKEN = "a-token-of-this-test-1234"
PATIENT = ["--connect-timeout", "120000"]


class Inspector:
    """The Inspector, aimed at a server: a command line or a URL with its options."""

    def __init__(self, home, *target):
        self.home = home
        self.target = target

    def __call__(self, method, *arguments):
        done = self.run(method, *arguments)
        assert done.returncode == 0, done.stdout + done.stderr
        return json.loads(done.stdout)

    def run(self, method, *arguments):
        """The program, to its end."""
        return subprocess.run(
            [*npm_tool(INSPECTOR), "--cli", *self.target, *PATIENT, "--method", method, *arguments],
            env={**node_environment(), "HOME": str(self.home)},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=500,
            check=False,
        )


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    return quick_project(tmp_path_factory.mktemp("inspected") / "small")


@pytest.fixture(scope="module")
def over_http(project):
    # The Inspector starts a server on stdio with the home of its own environment: both are to be the same user's.
    user = {"HOME": str(project.parent), "XDG_CONFIG_HOME": ""}
    with product_over_http(project, "--token-env", "INSPECTED", env={"INSPECTED": TOKEN, **user}) as served:
        yield Inspector(project.parent, served.url, "--header", f"Authorization: Bearer {TOKEN}")
        assert TOKEN not in "\n".join(served.log.lines)


@pytest.fixture(scope="module")
def over_stdio(project):
    return Inspector(project.parent, *warm_command("mcp", "serve", "--root", str(project)))


@pytest.fixture(scope="module")
def made(over_http):
    """A run on the server, made by another client: the Inspector waits no longer than a minute for an answer."""
    with RawSession(over_http.target[0], {"authorization": f"Bearer {TOKEN}"}) as session:
        answer = session.ask(call("generate_test_spec", {"test_type": "unit", "target": NUMBERS}, 2))
    return answer["result"]["structuredContent"]


@pytest.fixture(params=["over_http", "over_stdio"])
def inspector(request):
    return request.getfixturevalue(request.param)


def test_it_lists_the_tools_with_schemas_and_hints(inspector):
    tools = {tool["name"]: tool for tool in inspector("tools/list")["tools"]}
    assert {"generate_test_spec", "generate_tests_from_spec", "validate_test_spec", "run_tests"} <= set(tools)
    assert all(tool["inputSchema"]["type"] == tool["outputSchema"]["type"] == "object" for tool in tools.values())
    assert all("readOnlyHint" in tool["annotations"] for tool in tools.values())


def test_it_calls_a_tool(inspector):
    valid = inspector("tools/call", "--tool-name", "list_runs")
    assert "runs" in valid["structuredContent"]


def test_it_reads_a_run_by_its_id(inspector, made):
    read = inspector("resources/read", "--uri", made["spec_path"])
    assert json.loads(read["contents"][0]["text"]) == made["spec_json"]


def test_it_lists_resources_and_their_templates(inspector):
    assert isinstance(inspector("resources/list")["resources"], list)
    templates = inspector("resources/templates/list")["resourceTemplates"]
    assert any(template["uriTemplate"].startswith("testwright://runs/{") for template in templates)


def test_it_lists_prompts_and_gets_one_filled_in(inspector):
    prompts = {prompt["name"]: prompt for prompt in inspector("prompts/list")["prompts"]}
    assert "cover_module" in prompts
    filled = inspector("prompts/get", "--prompt-name", "cover_module", "--prompt-args", f"module={NUMBERS}")
    assert NUMBERS in filled["messages"][0]["content"]["text"]


def test_it_speaks_the_newest_protocol_too(over_http):
    tools = over_http("tools/list", "--protocol-era", "modern")["tools"]
    assert "validate_test_spec" in {tool["name"] for tool in tools}


def test_with_a_wrong_token_it_gets_nothing(over_http):
    url = over_http.target[0]
    refused = subprocess.run(
        [*npm_tool(INSPECTOR), "--cli", url, "--header", "Authorization: Bearer wrong", "--method", "tools/list"],
        env={**node_environment(), "HOME": str(over_http.home)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )
    assert refused.returncode != 0
    assert "tools" not in refused.stdout


def test_it_starts_the_real_command_and_shows_the_text_of_an_error(project):
    done = Inspector(project.parent, *PRODUCT, "--root", str(project)).run(
        "tools/call", "--tool-name", "get_report", "--tool-arg", "run_id=nope"
    )
    assert "there is no run 'nope'" in done.stdout + done.stderr
    assert "What to do: " in done.stdout + done.stderr
