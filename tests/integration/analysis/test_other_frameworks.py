"""Maestro flows and Locust files (T-10): known commands, assertions that can fail, users that ask."""

from __future__ import annotations

import pytest

from testwright.analysis.test_checks.maestro_file import maestro_issues
from testwright.mcp.tool_client.tool_client import ToolClient
from testwright.mcp.toolbox.toolbox import build_toolbox
from testwright.mcp.tools.validate_code import check_code
from testwright.tests.support.mcp.tool_session import make_services, write_files

pytestmark = pytest.mark.feature("T-10")
HEADER = "appId: com.example.shop\n---\n"


def flow_rules(source: str, name: str = "cart.yaml") -> list[tuple[str, int]]:
    found = maestro_issues(source, name, syntax=True, lint=True, structured=True)
    return [(one.rule, one.line) for one in found]


@pytest.mark.parametrize(
    ("commands", "rule", "line"),
    [
        ("- launchApp\n- tapOn: Cart\n", "no_assertion", 3),
        ("- launchApp\n- tapsOn: Cart\n- assertVisible: a\n", "unknown_command", 4),
        ("- tapOn\n- assertVisible: a\n", "command_shape", 3),
        ("- tapOn: a\n  inputText: b\n- assertVisible: a\n", "command_shape", 3),
        ("- assertTrue: ${true}\n", "tautology", 3),
        ("- assertTrue:\n    condition: 'true'\n", "tautology", 3),
        ("- assertVisible:\n    text: a\n    optional: true\n", "no_assertion", 3),
        ("- evalScript: ${while (Date.now() < end) {}}\n- assertVisible: a\n", "sleep", 3),
        ("- evalScript: ${http.get('https://example.org/x')}\n- assertVisible: a\n", "network", 3),
        ("- repeat:\n    times: 2\n    commands:\n      - tabOn: a\n- assertVisible: a\n", "unknown_command", 6),
        ("- tapOn:\n    text: a\n    text: b\n- assertVisible: a\n", "repeated_key", 5),
    ],
)
def test_a_flow_that_proves_nothing_or_would_not_run_is_told(commands, rule, line):
    assert (rule, line) in flow_rules(HEADER + commands)


@pytest.mark.parametrize(
    ("source", "rule"),
    [
        ("- launchApp\n- assertVisible: a\n", "flow_parts"),
        ("name: cart\n---\n- assertVisible: a\n", "no_application"),
        ("appId: a\n---\n", "no_tests"),
        ("", "flow_parts"),
        ("appId: a\n---\n- tapOn: [\n", "invalid-syntax"),
    ],
)
def test_a_file_that_is_no_flow_is_told(source, rule):
    assert rule in {one for one, _ in flow_rules(source)}


def test_what_people_write_for_maestro_is_left_alone():
    commands = (
        "- launchApp:\n    clearState: true\n- tapOn:\n    id: cart\n- inputText: pen\n- hideKeyboard\n"
        "- extendedWaitUntil:\n    visible: Pen\n    timeout: 5000\n- runFlow:\n    when:\n      visible: Ads\n"
        "    commands:\n      - back\n- assertTrue: ${output.total == 3}\n"
    )
    assert flow_rules(HEADER + commands) == []
    assert flow_rules("url: ${BASE_URL}\n---\n- runFlow: shared/login.yaml\n") == []


def test_aliases_that_explode_cost_nothing():
    levels = [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 40)]
    bomb = "\n".join(["a0: &a0 [x]", *levels]) + "\n---\n- assertVisible: a\n"
    assert {rule for rule, _ in flow_rules(bomb)} == {"no_application"}


LOCUST = "from locust import HttpUser, between, task\n\n\n"


def locust_rules(source: str) -> list[str]:
    result = check_code(source, "locustfile.py", "locust")
    return [error["rule"] for error in result["errors"]]


@pytest.mark.parametrize(
    ("source", "rule"),
    [
        ("import os\n\nprint(os.name)\n", "no_tests"),
        (LOCUST + "class Shopper(HttpUser):\n    wait_time = between(1, 2)\n\n\nprint(task)\n", "no_tests"),
        (
            LOCUST
            + "class Shopper(HttpUser):\n    host = 'https://shop.example.org'\n    wait_time = between(1, 2)\n\n"
            "    @task\n    def look(self):\n        self.client.get('/')\n",
            "host",
        ),
        (
            LOCUST + "class Shopper(HttpUser):\n    wait_time = between(1, 2)\n\n"
            "    @task\n    def look(self):\n        self.client.get('https://shop.example.org/')\n",
            "host",
        ),
        (
            "import time\n" + LOCUST + "class Shopper(HttpUser):\n    wait_time = between(1, 2)\n\n"
            "    @task\n    def look(self):\n        self.client.get('/')\n        time.sleep(1)\n",
            "sleep",
        ),
        (
            LOCUST + "class Shopper(HttpUser):\n    wait_time = between(1, 2)\n\n    @task\n    def look(self):\n"
            "        pass\n",
            "no_assertion",
        ),
        (
            LOCUST + "class Shopper(HttpUser):\n    wait_time = between(1, 2)\n\n    @task\n    def look(self):\n"
            "        self.client.get('/', catch_response=True)\n",
            "response",
        ),
        (
            LOCUST + "class Shopper(HttpUser):\n    wait_time = between(1, 2)\n\n    @task\n    def look(self):\n"
            "        self.client.get('/')\n\n    @task\n    def look(self):\n        self.client.get('/a')\n",
            "duplicate_name",
        ),
    ],
)
def test_a_locustfile_that_would_not_load_the_system_is_told(source, rule):
    assert rule in locust_rules(source)


def test_what_people_write_for_locust_is_left_alone():
    source = (
        "import os\n\nfrom locust import FastHttpUser, TaskSet, constant, task\n\n\n"
        "class Browsing(TaskSet):\n    @task(3)\n    def look(self):\n"
        "        with self.client.get('/items', catch_response=True) as answer:\n"
        "            if answer.status_code != 200:\n                answer.failure('no items')\n\n\n"
        "class Shopper(FastHttpUser):\n    host = os.environ.get('HOST', 'http://localhost:8000')\n"
        "    wait_time = constant(1)\n    tasks = [Browsing]\n\n    def on_start(self):\n"
        "        self.client.post('/login', json={'name': 'a'})\n"
    )
    assert locust_rules(source) == []
    base = LOCUST + (
        "class Base(HttpUser):\n    abstract = True\n    wait_time = between(1, 2)\n\n\n"
        "class Shopper(Base):\n    @task\n    def look(self):\n        self.client.get('/')\n"
    )
    assert locust_rules(base) == []


async def test_the_tool_takes_both(tmp_path):
    services = make_services(tmp_path)
    write_files(
        services.run_folder.staged,
        {
            "flows/cart.yaml": HEADER + "- assertVisible: Cart\n",
            "flows/bad.yaml": "appId: [\n",
            "load/locustfile.py": LOCUST + "class Shopper(HttpUser):\n    wait_time = between(1, 2)\n\n    @task\n"
            "    def look(self):\n        self.client.get('/')\n",
        },
    )
    async with ToolClient(build_toolbox(services)) as client:
        for path, framework in (("flows/cart.yaml", "maestro"), ("load/locustfile.py", "locust")):
            answer = await client.call("validate_test_code", {"code_path": path, "framework": framework})
            assert (answer["valid"], answer["errors"]) == (True, [])
        bad = await client.call("validate_test_code", {"code_path": "flows/bad.yaml", "framework": "maestro"})
    assert (bad["syntax_valid"], bad["lint_passed"], bad["structure_valid"]) == (False, False, False)
    assert bad["errors"][0]["type"] == "syntax"
