"""What a handler needs is told from what it takes where it is there."""

from __future__ import annotations

from typing import Any

import pytest

from testwright.sandbox.worker.http.handlers.handler_reads import of_handler

pytestmark = pytest.mark.feature("T-20")


def _list(request: Any) -> dict[str, Any]:
    found = {"shop": request.args["shop"]}
    if "category" in request.args:
        found["category"] = request.args["category"]
    if found and "search" in request.args:
        found["search"] = request.args["search"]
    found["sort"] = int(request.args["sort"]) if "sort" in request.args else 0
    return found


def test_a_key_that_is_read_only_where_it_is_there_is_optional() -> None:
    schema = of_handler(_list, "GET").schema("query")
    assert set(schema["properties"]) == {"shop", "category", "search", "sort"}
    assert schema["required"] == ["shop"]
