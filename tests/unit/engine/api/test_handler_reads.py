"""What a handler needs is told from what it takes where it is there."""

from __future__ import annotations

from collections.abc import Callable
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
    if "color" not in request.args:
        found["color"] = "any"
    else:
        found["color"] = request.args["color"]
    found["size"] = "size" in request.args and request.args["size"]
    if "brand" in request.args.keys() and request.args["brand"] != "other":  # noqa: SIM118
        found["brand"] = request.args["brand"]
    return found


def test_a_key_that_is_read_only_where_it_is_there_is_optional() -> None:
    schema = of_handler(_list, "GET").schema("query")
    assert set(schema["properties"]) == {"shop", "category", "search", "sort", "color", "size", "brand"}
    assert schema["required"] == ["shop"]


def abort(status: int) -> None:
    """Stands in for that of a framework."""


def _refuses_in_else(request: Any) -> Any:
    if "name" in request.json:
        return {"name": request.json["name"]}
    else:  # noqa: RET505
        return {"error": "no name"}, 400


def _refuses_afterwards(request: Any) -> Any:
    if request.method == "POST":
        if "name" in request.json and request.json["name"] != "nobody":
            with request.session:
                return {}
        return {"error": "no name"}, 422
    return {}


def _aborts_afterwards(request: Any) -> Any:  # noqa: RET503
    if "name" in request.json:
        return {"name": request.json["name"]}
    abort(400)


def _raises_afterwards(request: Any) -> Any:
    if "name" in request.json:
        return {"name": request.json["name"]}
    raise ValueError


def _refuses_by_value(request: Any) -> Any:
    return {"name": request.json["name"]} if "name" in request.json else ({"error": "no name"}, 400)


def _refuses_first(request: Any) -> Any:
    if "name" not in request.json or not request.json["name"]:
        abort(400)
    return {"name": request.json["name"]}


@pytest.mark.parametrize(
    "handler",
    [
        _refuses_in_else,
        _refuses_afterwards,
        _aborts_afterwards,
        _raises_afterwards,
        _refuses_by_value,
        _refuses_first,
    ],
)
def test_a_key_without_which_a_request_is_refused_is_required(handler: Callable[[Any], Any]) -> None:
    assert of_handler(handler, "POST").schema("body")["required"] == ["name"]


def _takes_a_number(request: Any) -> Any:
    most = int(request.args["most"]) if "most" in request.args else 500
    if "name" in request.args:
        most = min(most, len(request.args["name"]))
    if most > 900:
        return {"error": "too many"}, 400
    return [most]


def test_a_default_that_looks_like_a_status_and_later_refusals_make_no_key_required() -> None:
    assert "required" not in of_handler(_takes_a_number, "GET").schema("query")
