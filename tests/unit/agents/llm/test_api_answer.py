"""A model's cases for an HTTP API: they say where the operation they call is written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from testwright.agents.llm.model_agent import UnusableAnswer
from testwright.agents.llm.specs.api_answer import add_cases, build_message

pytestmark = pytest.mark.feature("T-20", "T-13")


def base() -> dict[str, Any]:
    evidence = {"path": "src/shop/crates.py", "lines": [10, 14]}
    case = {
        "id": "tc_read",
        "operation": {"method": "GET", "path": "/crates/{number}"},
        "expect": [{"kind": "status", "statuses": [200], "origin": "observed", "evidence": evidence}],
    }
    return {"target": {"path": "src/shop/main.py"}, "cases": [case]}


def asked(method: str, path: str) -> dict[str, Any]:
    request = {"method": method, "path": path, "body": None, "auth": None}
    case = {"id": "tc_new", "title": "a crate", "priority": "high", "before": [], **request}
    return {"cases": [{**case, "statuses": [404], "checks": [], "expected": "none", "origin": "inferred"}]}


@pytest.mark.parametrize(
    ("method", "path", "evidence"),
    [
        ("GET", "/crates/7", {"path": "src/shop/crates.py", "lines": [10, 14]}),
        ("DELETE", "/crates/7", {"path": "src/shop/crates.py", "lines": [10, 14]}),
        ("GET", "/elsewhere", {"path": "src/shop/main.py", "lines": [1, 1]}),
    ],
)
def test_a_case_of_a_model_is_told_with_the_lines_of_its_operation(
    method: str, path: str, evidence: dict[str, Any]
) -> None:
    spec, notes = add_cases(asked(method, path), base(), Path())
    assert notes == []
    case = spec["cases"][1]
    assert case["expect"][0]["evidence"] == evidence


def test_a_case_that_cannot_be_sent_is_left_out_alone_by_name() -> None:
    [good], [bad], [silent] = (asked("GET", "/crates/7")["cases"] for _ in range(3))
    given = {"cases": [{**bad, "id": "tc_bad", "body": "{no"}, good, {**silent, "id": "tc_silent", "statuses": [7]}]}
    spec, notes = add_cases(given, base(), Path())
    assert [case["id"] for case in spec["cases"]] == ["tc_read", "tc_new"]
    assert [note.partition(": ")[2].partition(":")[0] for note in notes] == ["tc_bad", "tc_silent"]
    with pytest.raises(UnusableAnswer):
        add_cases({"cases": given["cases"][:1]}, base(), Path())


def test_what_tools_say_of_the_application_is_in_the_message(tmp_path: Path) -> None:
    snippet = {"path": "src/shop/rules.py", "text": "NO_CRATES_ON_SUNDAYS = True"}
    cases = {"cases": [{**base()["cases"][0], "title": "read", "steps": ["GET /crates/1"], "expected": "it is there"}]}
    text = build_message({"codebase_context": {"snippets": [snippet]}}, {**base(), **cases}, tmp_path)
    assert "NO_CRATES_ON_SUNDAYS" in text
