"""Browser specs become flows for Maestro; what it cannot see or do is said, never left out in silence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from testwright.analysis.test_checks.maestro_file import maestro_issues
from testwright.engine.rendering import render_files, unrenderable_cases
from testwright.utils.generated_header import is_untouched

SPEC = Path(__file__).parents[3] / "data" / "schemas" / "e2e_test_schema_v1" / "valid" / "orders_with_pytest.json"
PATH = ".maestro/generated/orders.yaml"
FLOW = ".maestro/generated/orders/tc_an_order_appears.yaml"
pytestmark = pytest.mark.feature("T-20", "A-11")


@pytest.fixture(scope="module")
def whole() -> dict[str, Any]:
    return {**json.loads(SPEC.read_text(encoding="utf-8")), "framework": "maestro", "language": "yaml"}


@pytest.fixture(scope="module")
def files(whole) -> dict[str, str]:
    refused = unrenderable_cases(whole, "maestro", PATH)
    cases = [case for case in whole["cases"] if case["id"] not in refused]
    return {one.path: one.contents for one in render_files({**whole, "cases": cases}, "maestro", PATH)}


def test_a_flow_does_what_a_person_does_and_checks_what_maestro_sees(files):
    wanted = """- runFlow: sign_in_as_keeper.yaml
- openLink: "${BASE_URL}/orders/new"
- tapOn: "Pieces"
- eraseText
- inputText: "2"
- tapOn: "Place order"
- assertVisible: "Order 3 was placed\\\\."
- openLink: "${BASE_URL}/orders"
# Not checked here: visible 'Order 3 apple 2': Maestro sees no row by its name.
"""
    assert files[FLOW].endswith(wanted)


def test_one_flow_runs_all_others_and_says_that_none_was_run(files):
    assert "- runFlow: orders/tc_an_order_appears.yaml\n" in files[PATH]
    assert "# Not run by testwright." in files[PATH]
    assert "-e SHOP_PASSWORD=" in files[PATH]


def test_a_password_comes_from_a_variable(files):
    sign_in = files[".maestro/generated/orders/sign_in_as_keeper.yaml"]
    assert '- inputText: "${SHOP_PASSWORD}"' in sign_in
    assert not any("test-shop-password" in text for text in files.values())


def test_what_maestro_cannot_do_makes_no_flow_and_says_why(whole, files):
    refused = unrenderable_cases(whole, "maestro", PATH)
    assert "answers no dialogs" in refused["tc_an_order_is_not_cancelled"]
    assert "nothing of what it expects" in refused["tc_a_name_is_needed"]
    assert not any("tc_a_name_is_needed" in path for path in files)


def test_every_flow_is_valid_by_the_schema_of_flows_and_the_checks_of_test_code(files):
    found = {
        path: list(maestro_issues(text, path, syntax=True, lint=True, structured=True)) for path, text in files.items()
    }
    assert {path: issues for path, issues in found.items() if issues} == {}
    assert all(is_untouched(text) for text in files.values())


@pytest.mark.parametrize(
    ("command", "says"),
    [
        ("- tapOn:\n    index: [1]", "array"),
        ("- runFlow: sign_in", "sign_in"),
        ("- inputText:\n    label: name", "label"),
    ],
)
def test_a_command_whose_arguments_are_no_arguments_of_it_is_told_with_its_line(command, says):
    flow = f"url: ${{BASE_URL}}\n---\n- launchApp\n{command}\n- assertVisible: Orders\n"
    found = list(maestro_issues(flow, "a.yaml", syntax=True, lint=True, structured=True))
    assert [issue.rule for issue in found] == ["flow_schema"], found
    assert found[0].line == 4
    assert says in found[0].message


def test_texts_of_a_page_start_no_script_and_are_no_pattern(whole):
    case = {
        **whole["cases"][0],
        "arrange": {},
        "act": {"actions": [{"kind": "open", "url": "/"}]},
        "expect": [
            {
                "kind": "text",
                "locator": {"by": "role", "value": "status"},
                "value": "${1 + 1} (a.b)",
                "origin": "observed",
            }
        ],
    }
    text = render_files({**whole, "cases": [case]}, "maestro", PATH)[-1].contents
    assert '- assertVisible: "\\\\$\\\\{1 \\\\+ 1\\\\} \\\\(a\\\\.b\\\\)"' in text


@pytest.mark.parametrize("shown", ["Café 😀", "a\u2028b\x85c", "half \ud83d", "\ufeffx"])
def test_every_text_of_a_page_can_be_read_back_from_the_flow(whole, shown):
    case = {
        **whole["cases"][0],
        **{"title": f"shows {shown}", "arrange": {}, "act": {"actions": [{"kind": "open", "url": "/"}]}},
        "expect": [
            {"kind": "text", "locator": {"by": "role", "value": "status"}, "value": shown, "origin": "observed"}
        ],
    }
    text = render_files({**whole, "cases": [case]}, "maestro", PATH)[-1].contents
    _, commands = yaml.safe_load_all(text)
    assert commands[-1] == {"assertVisible": shown.replace("\ud83d", "\ufffd")}
    assert not list(maestro_issues(text, "a.yaml", syntax=True, lint=True, structured=True))


def test_an_emoji_stands_in_the_flow_as_itself(whole):
    case = {**whole["cases"][0], "title": "thanks 😀"}
    files = render_files({**whole, "cases": [case]}, "maestro", PATH)
    assert any('name: "thanks 😀' in one.contents for one in files)
