"""Load tests: tasks from working requests, limits with headroom, stages, and the locustfile (T-10, T-20)."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest

from testwright.agents.embedded.plan.load_requests import profiles_in
from testwright.analysis.test_checks.code_model import read_module
from testwright.analysis.test_checks.locust_file import locust_issues
from testwright.core.errors import AgentFailure
from testwright.engine.api.document.application import AppLaunch
from testwright.engine.api.document.auth import Credential
from testwright.engine.api.model.model import HttpAnswer, Operation
from testwright.engine.api.probe.resource_model import BaselineRequest
from testwright.engine.performance.load.compose import compose_load_spec
from testwright.engine.performance.load.limits import Measurement, limits_of, rounded
from testwright.engine.performance.load.profiles import PROFILES, stages_of
from testwright.engine.performance.load.render import render_load
from testwright.engine.performance.load.tasks import load_tasks
from testwright.mcp.tools.validate_spec import check_spec

pytestmark = pytest.mark.feature("T-20")

PATH = "tests/generated/load/locustfile_orders.py"
ANSWER = HttpAnswer(200, {}, "{}")
CREATED = {"method": "POST", "path": "/orders", "body": {"media_type": "application/json", "content": {"cart": 1}}}
CREATED_SAVING = {**CREATED, "save": {"number": "/number"}}
ONE = {"path": "/orders/{number}", "path_parameters": {"number": "{{number}}"}, "auth": "token"}


def baseline(name: str, request: dict[str, Any], *setup: dict[str, Any], saves: Any = None) -> BaselineRequest:
    operation = Operation(name, name, request["method"], request["path"])
    return BaselineRequest(operation, request, setup, ANSWER, saves or {})


def orders() -> dict[str, BaselineRequest]:
    return {
        "list_orders": baseline("list_orders", {"method": "GET", "path": "/orders", "query": {"most": 5}}),
        "create_order": baseline("create_order", CREATED, saves={"number": "/number"}),
        "read_order": baseline("read_order", {"method": "GET", **ONE}, CREATED_SAVING),
        "drop_order": baseline("drop_order", {"method": "DELETE", **ONE}, CREATED_SAVING),
        "clear": baseline("clear", {"method": "DELETE", "path": "/orders"}),
    }


def figures(p50: float, rate: float = 100.0) -> dict[str, Any]:
    trips = {"latency_p50": p50, "latency_p95": 2 * p50, "latency_p99": 4 * p50, "latency_max": 8 * p50}
    entry = {"requests": 50, "error_rate": 0.0, "requests_per_second": rate, "round_trips": trips}
    return {"": entry, "GET /orders": entry, "GET /rare": {**entry, "requests": 2}}


def spec(**more: Any) -> dict[str, Any]:
    tasks, reasons = load_tasks(orders())
    launch = AppLaunch("shop.api:app", import_roots=("src",), environment={"TOKEN": "test-token"})
    given: dict[str, Any] = {
        "title": "Orders",
        "path": "src/shop/api.py",
        "launch": launch,
        "tasks": tasks,
        "profiles": ["smoke", "load", "stress", "spike", "soak"],
        "measurements": [Measurement(name, figures(2.0)) for name in ("smoke", "load", "stress", "spike", "soak")],
        "credentials": {"token": Credential("token", "bearer", "TOKEN")},
        "reasons": reasons,
        "places": {"": {"path": "src/shop/api.py", "lines": [1, 9]}},
    }
    return compose_load_spec(**{**given, **more})


def test_a_chain_creates_reads_and_removes_and_saves_the_id_for_it() -> None:
    tasks, _ = load_tasks(orders())
    [chain] = [task for task in tasks if len(task["requests"]) > 1]
    assert [request["method"] for request in chain["requests"]] == ["POST", "GET", "DELETE"]
    assert chain["requests"][0]["save"] == {"number": "/number"}


def test_readings_weigh_more_than_changes() -> None:
    weights = {task["name"]: task["weight"] for task in load_tasks(orders())[0]}
    assert weights["list_orders"] > max(weight for name, weight in weights.items() if name != "list_orders")


def test_what_removes_the_things_of_other_users_is_left_out_with_the_reason() -> None:
    tasks, reasons = load_tasks(orders())
    assert reasons == {"DELETE /orders": "it removes what other users work with"}
    assert all(task["name"] != "clear" for task in tasks)


def test_a_request_with_a_secret_is_left_out() -> None:
    request = {"method": "GET", "path": "/orders", "query": {"key": "very-secret"}}
    tasks, reasons = load_tasks({"list_orders": baseline("list_orders", request)}, ["very-secret"])
    assert tasks == []
    assert reasons == {"GET /orders": "its request holds a secret"}


def test_a_limit_is_the_most_that_was_measured_with_headroom() -> None:
    rows = limits_of("load", [Measurement("load", figures(20.0)), Measurement("load", figures(10.0, rate=80.0))])
    found = {(row["metric"], row.get("request", "")): row for row in rows}
    assert found["latency_p50", ""]["value"] == 60
    assert found["latency_p50", ""]["measured"] == [10.0, 20.0]
    assert found["requests_per_second", ""]["value"] == 40


def test_small_figures_have_room_for_chance() -> None:
    [row] = [row for row in limits_of("smoke", [Measurement("smoke", figures(1.0))]) if row["metric"] == "latency_p50"]
    assert row["value"] == 11


@pytest.mark.parametrize(("requests", "limit"), [(50, 240.0), (99, 240.0), (100, 120.0), (1000, 120.0)])
def test_where_few_requests_are_slower_than_a_percentile_the_next_one_counts(requests: int, limit: float) -> None:
    entries = {"": {**figures(20.0)[""], "requests": requests}}
    [row] = [row for row in limits_of("smoke", [Measurement("smoke", entries)]) if row["metric"] == "latency_p95"]
    assert row["value"] == limit


def test_only_requests_that_were_sent_often_have_a_limit_of_their_own() -> None:
    rows = limits_of("load", [Measurement("load", figures(2.0))])
    assert {row["request"] for row in rows if "request" in row} == {"GET /orders"}


@pytest.mark.parametrize(
    ("value", "written"), [(0.0, 0.0), (0.234, 0.3), (12.1, 13.0), (123.0, 130.0), (1999.0, 2000.0)]
)
def test_limits_are_rounded_upwards_as_a_person_would(value: float, written: float) -> None:
    assert rounded(value) == written


def test_a_spike_comes_at_once_and_goes_again() -> None:
    start, stages = stages_of({"shape": "spike", "base_users": 2, "users": 40, "seconds": 60})
    assert start == 2
    assert [users for _, users in stages] == [2, 40, 40, 2, 2]
    assert sum(seconds for seconds, _ in stages) == pytest.approx(60)


def test_every_profile_makes_a_case_of_a_valid_spec() -> None:
    found = check_spec(spec(), "performance")
    assert found["valid"], found["errors"]
    assert [case["category"] for case in spec()["cases"]] == [profile.name for profile in PROFILES]


@pytest.mark.feature("T-10")
def test_the_locustfile_is_one_as_a_person_writes_it() -> None:
    text = render_load(spec(), "locust", PATH)[0].contents
    assert list(locust_issues(read_module(ast.parse(text)))) == []
    assert 'number = self.client.post("/orders", json={"cart": 1}).json()["number"]' in text
    assert 'self.client.get(f"/orders/{number}", name="/orders/{number}", headers=TOKEN)' in text
    assert 'self.client.get("/orders?most=5", name="/orders")' in text
    assert "    @task(5)\n    def list_orders(self):" in text


def test_the_same_spec_gives_the_same_bytes_with_its_helpers() -> None:
    first, second = render_load(spec(), "locust", PATH), render_load(spec(), "locust", PATH)
    assert first == second
    assert [Path(file.path).name for file in first[1:]] == [
        *("api_process.py", "api_serving.py", "load_profiles.py", "load_traffic.py")
    ]


def user_of(request: dict[str, Any], *names: str, **credentials: Credential) -> str:
    """The text of the locustfile for one request, with credentials of these names."""
    sent = {"method": "GET", "path": "/orders", **request, **({"auth": list(names)} if names else {})}
    tasks, _ = load_tasks({"orders": baseline("orders", sent)})
    return render_load(spec(tasks=tasks, credentials=credentials), "locust", PATH)[0].contents


@pytest.mark.parametrize(
    "name", ["tasks", "start", "stop", "wait", "client", "host", "weight", "import", "task", "json"]
)
def test_a_task_is_never_called_as_what_locust_or_python_has_by_that_name(name: str) -> None:
    tasks, _ = load_tasks({name: baseline(name, {"method": "GET", "path": f"/{name}"})})
    text = render_load(spec(tasks=tasks), "locust", PATH)[0].contents
    assert f"    def get_{name}(self):" in text


def test_all_keys_of_a_query_are_sent() -> None:
    first, second = (Credential(name, "api_key_query", name.upper(), name) for name in ("user_key", "app_key"))
    text = user_of({"query": {"most": 5}}, "user_key", "app_key", user_key=first, app_key=second)
    assert '"/orders?" + urlencode({"most": "5", **USER_KEY, **APP_KEY}), name="/orders"' in text
    assert "from urllib.parse import urlencode" in text


def test_all_keys_in_cookies_are_sent_in_one_header() -> None:
    first, second = (Credential(name, "api_key_cookie", name.upper(), name) for name in ("user_key", "app_key"))
    text = user_of({"cookies": {"theme": "dark"}}, "user_key", "app_key", user_key=first, app_key=second)
    assert '"Cookie": "; ".join(["theme=dark", USER_KEY["Cookie"], APP_KEY["Cookie"]])' in text


def test_paths_are_quoted_as_the_client_of_the_api_tests_does() -> None:
    text = user_of({"path": "/files/{path}", "path_parameters": {"path": "été 1/a?b"}})
    assert 'self.client.get("/files/%C3%A9t%C3%A9%201/a%3Fb", name="/files/{path}")' in text


def test_fields_of_forms_are_sent_as_a_browser_does() -> None:
    form = {"media_type": "application/x-www-form-urlencoded", "content": {"gift": True, "tag": ["a", "b"]}}
    text = user_of({"method": "POST", "body": form})
    assert 'data=urlencode({"gift": "true", "tag": ["a", "b"]}, doseq=True)' in text


def test_the_command_in_the_file_names_a_profile_that_it_has() -> None:
    [case] = spec(profiles=["smoke"])["cases"]
    given = {**spec(), "cases": [{**case, "id": "tc_black_friday"}]}
    text = render_load(given, "locust", PATH)[0].contents
    assert "--load-profile black_friday" in text
    assert '"black_friday": Profile(' in text


def test_another_framework_is_refused() -> None:
    with pytest.raises(AgentFailure, match="cannot be written for 'pytest'"):
        render_load(spec(), "pytest", PATH)


@pytest.mark.parametrize(
    ("request_text", "names"),
    [
        ("load tests for the shop", ["smoke", "load", "stress", "spike", "soak"]),
        ("soak tests for the shop", ["smoke", "soak"]),
        ("stress and spike tests", ["smoke", "stress", "spike"]),
    ],
)
def test_a_request_chooses_the_profiles(request_text: str, names: list[str]) -> None:
    assert profiles_in(request_text) == names
