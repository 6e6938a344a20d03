"""What a handler needs is told from what it takes where it is there."""

from __future__ import annotations

import ast
import json
import subprocess
import sysconfig
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import pytest

from testwright.sandbox import worker
from testwright.sandbox.worker.http.handlers import handler_reads
from testwright.sandbox.worker.http.handlers.handler_reads import _MOST_WALKS, of_handler
from testwright.sandbox.worker.http.handlers.handler_trees import own_method
from testwright.tests.support.runs.interpreters import TARGET_VERSIONS, find_interpreter

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


def _number(request: Any, name: str, default: int, low: int, high: int) -> int:
    text = request.args.get(name, str(default))
    if not text.isdigit() or not low <= int(text) <= high:
        abort(400)
    return int(text)


def _lists_pages(request: Any) -> Any:
    limit, offset = _number(request, "limit", 10, 1, 50), _number(request, "offset", default=0, low=0, high=900)
    return [limit, offset]


def test_a_name_that_a_helper_is_given_is_read_with_the_bounds_and_the_default_of_that_call() -> None:
    assert of_handler(_lists_pages, "GET").schema("query")["properties"] == {
        "limit": {"type": "integer", "minimum": 1, "maximum": 50, "default": 10},
        "offset": {"type": "integer", "minimum": 0, "maximum": 900, "default": 0},
    }


def _checked(data: Any, partial: bool = False) -> dict[str, Any]:
    values = {}
    if not partial or "title" in data:
        title = data.get("title")
        if not isinstance(title, str):
            abort(400)
        values["title"] = title
    if not partial or "reorder_at" in data:
        values["reorder_at"] = data.get("reorder_at", 5)
    return values


def _creates(request: Any) -> Any:
    return _checked(request.get_json())


def _changes(request: Any) -> Any:
    return _checked(request.get_json(), partial=True)


def _changes_some_way(request: Any) -> Any:
    return _checked(request.get_json(), partial=request.method == "PATCH")


def test_a_flag_of_a_helper_decides_what_a_body_needs() -> None:
    body = of_handler(_creates, "POST").schema("body")
    assert body["required"] == ["title"]
    assert body["properties"]["reorder_at"] == {"type": "integer", "default": 5}
    assert "required" not in of_handler(_changes, "PATCH").schema("body")
    assert "required" not in of_handler(_changes_some_way, "PATCH").schema("body")


def _signs_up(request: Any) -> Any:
    name, color = request.json.get("name"), request.json.get("color")
    if not isinstance(name, str) or not name.isalnum() or len(name) > 12:
        abort(400)
    if color is not None and not isinstance(color, str):
        abort(400)
    return {"name": name, "color": color}


def test_what_is_refused_for_its_type_is_required_and_what_may_be_none_is_not() -> None:
    body = of_handler(_signs_up, "POST").schema("body")
    assert body["required"] == ["name"]
    assert body["properties"]["name"] == {"type": "string", "pattern": "^[A-Za-z0-9]+$", "maxLength": 12}


def _sorts(request: Any) -> Any:
    sort = request.args.get("sort", "id")
    if sort.lstrip("-") not in ("id", "title"):
        abort(400)
    if request.args.get("kind") == "none":
        abort(400)
    if request.args.get("order", "").lstrip("+-") not in ("up", "down"):
        abort(400)
    return [sort, request.args.get("low") == "true"]


def test_signs_before_a_choice_and_what_a_query_is_compared_with_are_values_of_it() -> None:
    assert of_handler(_sorts, "GET").schema("query")["properties"] == {
        "sort": {"enum": ["id", "title", "-id", "-title"], "default": "id"},
        "kind": {},
        "order": {"enum": ["up", "down", "+up", "+down", "-up", "-down"]},
        "low": {"examples": ["true"]},
    }


_NO_TAGS: list[str] = []


def _takes_extras(request: Any) -> Any:
    data = request.get_json()
    note, color, size = data.get("note"), data.get("color"), data.get("size") or ""
    if note:  # noqa: SIM102
        if not isinstance(note, str):
            abort(400)
    if color is not None:  # noqa: SIM102
        if not isinstance(color, str):
            abort(400)
    if data.get("place") and not isinstance(data["place"], str):
        abort(400)
    if not isinstance(size, str) or not isinstance(data.get("tags", []), list):
        abort(400)
    marks, title = data.get("marks", _NO_TAGS), data.get("title", None)
    if not isinstance(marks, list) or not isinstance(title, str):
        abort(400)
    return [note, color, size, marks, title]


def test_a_key_that_is_checked_only_where_it_is_there_or_has_any_default_is_optional() -> None:
    body = of_handler(_takes_extras, "POST").schema("body")
    assert set(body["properties"]) == {"note", "color", "size", "place", "tags", "marks", "title"}
    assert body["properties"]["tags"] == {"type": "array"}
    assert body["required"] == ["title"]


def _noted(name: str, level: str = "low") -> str:
    return f"{name}: {level}"


def _translated(text: str) -> str:
    return _noted("title") + _noted("text") + text


def _paged(request: Any, name: str = "page", step: int = 1, last: bool = False) -> Any:
    name, step = request.args.get("start"), 5
    for last in (True,):
        if last:
            request.args.get("size")
    return [request.args.get(name), step, last]


def _deep(request: Any) -> Any:
    return [_paged(request), _paged(request), _paged(request)]


def _shows(request: Any) -> Any:
    return [_translated("a"), _translated("b"), _paged(request)]


def _shows_much(request: Any) -> Any:
    return [request.args.get("first"), [_deep(request) for _ in "ab"], request.args.get("last")]


def test_only_helpers_that_may_read_the_request_are_gone_through() -> None:
    # The handler, and the only such helper of it: for what it reads, and for what it gives back.
    assert of_handler(_shows, "GET").left == [_MOST_WALKS - 3]


def test_a_handler_with_very_many_helpers_is_read_as_far_as_it_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(handler_reads, "_MOST_WALKS", 1)
    assert set(of_handler(_shows_much, "GET").schema("query")["properties"]) == {"first", "last"}


def test_a_parameter_that_a_helper_binds_again_stands_for_none_of_its_callers_values() -> None:
    assert set(of_handler(_shows, "GET").schema("query")["properties"]) == {"start", "size"}


_UNWRITTEN = "".join(["tulip", "-garden-19"])
_ENDLESS, _MOST = float("inf"), 40


def _guards(request: Any) -> Any:
    if request.args.get("key") != _UNWRITTEN:
        abort(403)
    tenant, top = request.args.get("tenant", _UNWRITTEN), request.args.get("top", _ENDLESS)
    return [tenant, top, request.args.get("most", _MOST), request.args.get("highest", 1e999), _limit(request)]


def _limit(request: Any, key: str = "limit", default: str = "10") -> str:
    return request.args.get(key, default)


def test_a_text_of_the_module_that_may_be_a_secret_and_a_number_without_end_are_no_values() -> None:
    query = of_handler(_guards, "GET").schema("query")
    assert query["properties"]["most"] == {"type": "integer", "default": 40}
    assert query["properties"]["limit"] == {"type": "integer", "default": 10}
    assert "tulip" not in str(query)
    json.dumps(query, allow_nan=False)


_READS = """
import sys, types
package = types.ModuleType("handlers")
package.__path__ = [sys.argv[1]]
sys.modules["handlers"] = package
sys.path.insert(0, sys.argv[2])
import shop
from handlers.handler_reads import of_handler
print(of_handler(shop.listed, "GET").schema("query"))
"""
_SHOP = """
def number(request, name, default):
    return int(request.args.get(name, default))

def listed(request):
    low, high = request.args.get("low"), request.args.get("high")
    return number(request, "limit", 10)
"""


def test_handlers_are_read_on_the_oldest_python_that_code_under_test_may_run_on(tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text(_SHOP, encoding="utf-8")
    handlers = Path(worker.__path__[0]) / "http" / "handlers"
    python = find_interpreter(TARGET_VERSIONS[0])
    if python is None:
        # `zip` takes this keyword from Python 3.10 on.
        calls = [node for path in handlers.glob("*.py") for node in ast.walk(ast.parse(path.read_text()))]
        assert "strict" not in [node.arg for node in calls if isinstance(node, ast.keyword)]
        return
    ran = subprocess.run(
        [python, "-I", "-c", _READS, handlers, tmp_path], capture_output=True, text=True, timeout=60, check=True
    )
    assert set(ast.literal_eval(ran.stdout)["properties"]) == {"low", "high", "limit"}


@pytest.mark.parametrize(("folder", "own"), [("data", True), ("stdlib", False), ("platlib", False), ("purelib", False)])
def test_a_project_below_the_prefix_of_python_is_no_library(folder: str, own: bool) -> None:
    names: dict[str, Any] = {}
    source = "class Service:\n    def add(self, fields): ...\n"
    exec(compile(source, f"{sysconfig.get_paths()[folder]}/src_of_shop/services.py", "exec"), names)
    assert (own_method(names["Service"](), "add") is not None) is own


class String:
    """Stands in for a field of marshmallow, as do the others; of an unknown kind is what has another name."""

    def __init__(self, **settings: Any) -> None:
        self.__dict__.update(settings)


class Email(String):
    """A text with a format."""


class Integer(String):
    """A number."""


class Color:
    """A field of the project's own."""


class Schema:
    """Stands in for that of marshmallow."""

    __module__ = "marshmallow.schema"


class _UserSchema(Schema):
    """A schema of the project."""

    _declared_fields: ClassVar = {
        "email": Email(required=True),
        "age": Integer(data_key="years"),
        "id": Integer(dump_only=True),
        "password": String(required=True, load_only=True),
        "color": Color(),
    }

    def __init__(self) -> None:
        self.fields = dict(self._declared_fields)

    def load(self, data: Any, **_: Any) -> Any:
        return data

    dump = load


user_schema = _UserSchema()


def _loads(request: Any) -> Any:
    return user_schema.load(request.json)


def _loads_a_part(request: Any) -> Any:
    data = request.get_json()
    return _UserSchema().load(data, partial=True)


def _loads_no_part(request: Any) -> Any:
    return user_schema.load(request.json, partial=False)


def _loads_several(request: Any) -> Any:
    return _UserSchema(many=True).load(request.json), user_schema.load(request.json, many=True)  # pyrefly: ignore[unexpected-keyword]


class _Session:
    """Stands in for an object that only a request has."""

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError(name)


session = _Session()


def _keeps(request: Any) -> Any:
    session.update(request.json)
    session.load(request.json)
    return request.json["name"]


def test_an_object_that_may_only_be_looked_at_in_a_request_is_let_alone() -> None:
    assert of_handler(_keeps, "POST").schema("body")["required"] == ["name"]


def _dumps(request: Any) -> Any:
    return user_schema.dump(request.json)


def _loads_something_else(request: Any) -> Any:
    return json.dumps(request.json), subprocess.list2cmdline(request.json)


class _Service:
    """A service of the project, whose method reads the body."""

    def rename(self, data: Any) -> Any:
        return data["name"]


service = _Service()


def _hands_on(request: Any) -> Any:
    return service.rename(request.json)


def test_a_method_that_is_no_schemas_is_gone_through() -> None:
    assert of_handler(_hands_on, "PUT").schema("body")["required"] == ["name"]


@pytest.mark.parametrize(
    ("handler", "names", "required"),
    [
        (_loads, {"email", "years", "password", "color"}, ["email", "password"]),
        (_loads_no_part, {"email", "years", "password", "color"}, ["email", "password"]),
        (_loads_a_part, {"email", "years", "password", "color"}, None),
        (_loads_several, None, None),
        (_dumps, {"email", "years", "id", "color"}, None),
        (_loads_something_else, None, None),
    ],
)
def test_a_schema_that_a_body_is_loaded_with_tells_its_keys(
    handler: Callable[[Any], Any], names: set[str] | None, required: list[str] | None
) -> None:
    schema = of_handler(handler, "POST").schema("body")
    assert (set(schema["properties"]) if schema else None) == names
    assert schema.get("required") == required
    if names:
        assert schema["properties"]["email"] == {"type": "string", "format": "email"}
        assert schema["properties"]["years"] == {"type": "integer"}
