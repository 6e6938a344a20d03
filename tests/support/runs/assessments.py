"""What an assessment says of a small suite, in its JSON form."""

from __future__ import annotations

from typing import Any


def one_test(name: str, **more: Any) -> dict[str, Any]:
    found = {
        "nodeid": f"tests/test_cart.py::{name}",
        "verdict": "holds",
        "class": None,
        "reason": "",
        "message": "",
        "causes": [],
        "relation": "",
        "related": [],
        "evidence": {"lines": [1], "own_branches": 0},
        "adds_nothing": None,
        "repeats": None,
        "covered_by": [],
        "checks": {"count": 2, "strength": "exact"},
        "seconds": 0.25,
        "slow": False,
    }
    return {**found, **more}


def function_of(name: str, rows: int, *numbers: int) -> dict[str, Any]:
    names = ("idle_rows", "lines", "kills", "own_lines", "own_branches", "own_kills")
    return {"name": f"tests/test_cart.py::{name}", "rows": rows, **dict(zip(names, numbers, strict=True))}


NOTHING = "everything it runs and notices, test_adds does, too"
REPORT: dict[str, Any] = {
    "tests": [
        one_test("test_adds", slow=True, seconds=2.5),
        one_test("test_rows[1]", repeats=NOTHING, covered_by=["tests/test_cart.py::test_adds"]),
        one_test("test_rows[2|*]"),
        one_test(
            "test_zone",
            verdict="flaky",
            reason="it depends on the time zone",
            message="AssertionError: 1 == 2\nmore",
            causes=["time_zone"],
            **{"class": "flaky"},
        ),
        one_test(
            "test_lost",
            verdict="error",
            reason="the environment lacks something",
            evidence=None,
            checks={"count": 0, "strength": "none"},
            **{"class": "environment"},
        ),
    ],
    "functions": [
        function_of("test_adds", 1, 0, 9, 3, 4, 2, 1),
        function_of("test_rows", 2, 1, 5, 2, 0, 0, 0),
        function_of("test_zone", 1, 0, 1, 0, 1, 0, 0),
    ],
    "skipped": ["tests/test_cart.py::test_not_today"],
    "disturbances": [],
    "conditions": [
        {"name": "again", "title": "a second time", "in_force": None, "tried": True, "failing": []},
        {"name": "locale", "title": "a locale with a decimal comma", "in_force": None, "tried": False, "failing": []},
        {"name": "encoding", "title": "another encoding", "in_force": "ANSI", "tried": True, "failing": []},
        {"name": "time_zone", "title": "another time zone", "in_force": None, "tried": True, "failing": ["x"]},
    ],
    "totals": {
        "tests": 5,
        "holds": 3,
        "failed": 0,
        "error": 1,
        "timeout": 0,
        "flaky": 1,
        "skipped": 1,
        "adds_nothing": 0,
        "repeating_rows": 1,
        "asserts_nothing": 1,
        "asserts_little": 0,
        "slow": 1,
        "test_seconds": 3.5,
    },
    "coverage": {"statements": 10, "percent_statements": 90.0, "percent_branches": 75.0},
    "unproven": [],
    "trivial": {
        "functions": 3,
        "passed": 1,
        "elsewhere": 1,
        "left_out": 0,
        "rows": [
            {
                "path": "src/cart.py",
                "function": "total",
                "line": 7,
                "survivors": [
                    {"title": "always returns 3", "kind": "constant", "elsewhere": False},
                    {"title": "ignores `rate`", "kind": "ignored", "elsewhere": False},
                ],
            },
            {
                "path": "src/cart.py",
                "function": "count",
                "line": 17,
                "survivors": [{"title": "returns len(items)", "kind": "measure", "elsewhere": True}],
            },
        ],
    },
    "mutation": {
        "score": 60.0,
        "killed": 3,
        "timeout": 0,
        "sampled": 5,
        "found": 9,
        "survived": 1,
        "uncovered": 1,
        "equivalent": 1,
        "set_aside": [
            {"path": "shop/cart.py", "line": 2, "before": "  x: int", "after": "  x: str", "rule": "typing_only"}
        ],
        "survivors": [{"path": "shop/cart.py", "line": 7, "before": "  a < b", "after": "  a <= b"}],
    },
    "notes": ["the tests ran without plugins"],
}
