"""The application that a locustfile names is read without running the file."""

from __future__ import annotations

import ast

import pytest

from testwright.engine.performance.load.render import render_load
from testwright.sandbox.worker.suites.run_locust import application_of, profiles_of, value_of

SPEC = {
    "title": "Load tests for the shop",
    "target": {
        "name": "shop",
        "path": "shop.py",
        "application": {"import": "shop:app", "environment": {"SHOP_TOKEN": "made-up-token", "SHOP_DB": "shop.db"}},
        "import_roots": ["src"],
    },
    "auth": {"shop_token": {"kind": "bearer", "variable": "SHOP_TOKEN"}},
    "cases": [
        {
            "id": "tc_smoke",
            "act": {
                "load": {"profile": "smoke", "shape": "stages", "stages": [{"seconds": 10, "users": 2}]},
                "tasks": [{"name": "list_stock", "weight": 1, "requests": [{"method": "GET", "path": "/stock"}]}],
            },
            "expect": [
                {"kind": "threshold", "metric": "error_rate", "operator": "at_most", "value": 0, "unit": "percent"}
            ],
        }
    ],
}


@pytest.mark.parametrize(("outside", "expected"), [(None, "made-up-token"), ("of-the-shop", "of-the-shop")])
def test_a_secret_of_the_application_is_taken_from_outside_or_made_up(
    monkeypatch: pytest.MonkeyPatch, outside: str | None, expected: str
) -> None:
    if outside is None:
        monkeypatch.delenv("SHOP_TOKEN", raising=False)
    else:
        monkeypatch.setenv("SHOP_TOKEN", outside)
    source = render_load(SPEC, "locust", "tests/generated/load/locustfile_shop.py")[0].contents

    profiles, call = profiles_of(source)
    application = application_of(call, source, "/project")

    assert profiles == {"smoke": "tc_smoke"}
    assert application._environment["SHOP_TOKEN"] == expected
    assert application._environment["SHOP_DB"] == "shop.db"
    assert not application.settles, "what is waited for between requests is no load"


def test_a_dictionary_that_takes_in_another_one_is_no_literal() -> None:
    with pytest.raises(ValueError, match="malformed"):
        value_of(ast.parse("{'a': 'b', **others}", mode="eval").body)
