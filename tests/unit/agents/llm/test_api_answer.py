"""A model's cases for an HTTP API: they say where the operation they call is written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from testwright.agents.llm.specs.api_answer import add_cases

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
    [_, case] = add_cases(asked(method, path), base(), Path())["cases"]
    assert case["expect"][0]["evidence"] == evidence
