"""Renders requests as calls of the generated client, shared setup as functions, and expectations as conditions."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ....core.errors import AgentFailure
from ....utils.python_source import parse_python
from ..document.auth import auth_names
from ..model.json_values import HEADERS, formatted, literal, saved_names_in
from .dialects import STARTED, Dialect
from .render_names import SharedPayloads
from .setup_names import setup_key, setup_names

Json = Mapping[str, Any]


def call(
    request: Json,
    auth: Mapping[str, Json],
    *,
    client: str = "",
    given: Mapping[str, str] | None = None,
    dialect: Dialect = STARTED,
) -> str:
    """Render a request as a call.

    Args:
        auth: the spec's credentials.
        client: who sends it; the dialect's client without.
        given: parts (`path`, `query`, `body`, `headers`) that a variable replaces.
    """
    given = given or {}
    parts = [given.get("path") or dialect.path(path_of(request))]
    # What a user sends is the client's matter.
    secrets = [(name.upper(), auth[name]["kind"]) for name in _plain_credentials(request, auth)]
    query, headers, body = request.get("query") or {}, request.get("headers") or {}, request.get("body")
    # A type that the request names itself is the one to send.
    typed = [] if names_type(request) else dialect.headers(body)
    query_parts = [f"**{name}" for name, kind in secrets if kind == "api_key_query"]
    header_parts = [f"**{name}" for name, kind in secrets if kind != "api_key_query"]
    if query and not given.get("query") and not query_parts:
        parts.append(f"{dialect.query}={dialect.values(query)}")
    else:
        parts += _mapping(dialect.query, given.get("query"), query, query_parts)
    cookies = cookie_of(request)
    jar = [name for name, kind in secrets if kind == "api_key_cookie"]
    if len(jar) + bool(cookies) > 1:
        # There is one header for all cookies.
        joined = ", ".join([*([formatted(cookies)] if cookies else []), *(f'{name}["Cookie"]' for name in jar)])
        header_parts = [header_part for header_part in header_parts if header_part.removeprefix("**") not in jar]
        header_parts.append(f'"Cookie": "; ".join([{joined}])')
    elif cookies:
        headers = {**headers, "Cookie": cookies}
    parts += _mapping("headers", given.get("headers"), headers, [*header_parts, *typed])
    if body is not None and ("content" in body or "body" in given):
        parts += dialect.content(body, given.get("body"))
    return dialect.called(client or dialect.client, request, given.get("method", ""), parts)


def names_type(request: Json) -> bool:
    """Whether the headers of a request name the type of its body."""
    return any(str(name).lower() == "content-type" for name in request.get("headers") or {})


def asked_by(request: Json, auth: Mapping[str, Json]) -> str:
    """Return the user who asks a request; empty for nobody who signed in."""
    return next((name for name in auth_names(request) if "sign_in" in auth.get(name, {})), "")


def _plain_credentials(request: Json, auth: Mapping[str, Json]) -> list[str]:
    return [name for name in auth_names(request) if name in auth and "sign_in" not in auth[name]]


def _mapping(name: str, given: str | None, value: Json, more: list[str]) -> list[str]:
    if given and not more:
        return [f"{name}={given}"]
    inner = [
        *more,
        *([f"**{given}"] if given else [f"{literal(key)}: {literal(entry)}" for key, entry in value.items()]),
    ]
    if not inner:
        return []
    if len(inner) == 1 and inner[0].startswith("**"):
        return [f"{name}={inner[0][2:]}"]
    return [f"{name}={{{', '.join(inner)}}}"]


def cookie_of(request: Json) -> str:
    """Return the Cookie header of a request; "" without cookies."""
    return "; ".join(f"{name}={value}" for name, value in (request.get("cookies") or {}).items())


def path_of(request: Json) -> str:
    """Return the path with its parameters in place; saved values stay `{{name}}`."""
    path = str(request["path"])
    for name, value in (request.get("path_parameters") or {}).items():
        path = path.replace("{" + str(name) + "}", str(value).lower() if isinstance(value, bool) else str(value))
    return path


def saved_of(pointer: str, answer: str, *, body: str = ".json") -> str:
    """Render the expression for what is saved of an answer: a part of its body, or a header.

    Args:
        body: what follows the answer where its body is meant.
    """
    header = pointer.removeprefix(HEADERS)
    return f"{answer}.headers[{literal(header)}]" if header != pointer else saved(pointer, f"{answer}{body}")


def saved(pointer: str, of: str) -> str:
    """Render the expression for a part of an answer's body."""
    keys = [key.replace("~1", "/").replace("~0", "~") for key in pointer.split("/")[1:]]
    return of + "".join(f"[{int(key)}]" if key.isdigit() else f"[{literal(key)}]" for key in keys)


@dataclass(frozen=True, slots=True)
class SetupFunction:
    """A request that creates something.

    Attributes:
        name: name of the function.
        arguments: names of saved values that it needs.
        result: name its result is bound to; "" for none.
        lines: the function's body.
        user: who asks; empty for nobody who signed in.
    """

    name: str
    arguments: tuple[str, ...]
    result: str
    lines: tuple[str, ...]
    user: str = ""

    def call(self, client: str, used: str) -> str:
        """Render the call; its result is bound where the following source uses it."""
        made = f"{self.name}({', '.join([client, *self.arguments])})"
        is_bound = any(is_used(part, used) for part in self.result.split(", ") if part)
        return f"{self.result} = {made}" if is_bound else made


def is_used(name: str, source: str) -> bool:
    """Whether source code reads a name; the same word inside a string does not count."""
    return any(isinstance(node, ast.Name) and node.id == name for node in ast.walk(parse_python(source)))


class SetupFunctions:
    """The setup functions of a file, each once, in order of first use."""

    def __init__(self, auth: Mapping[str, Json], requests: Sequence[Json], dialect: Dialect = STARTED) -> None:
        """Name the functions of all that the file's tests arrange; see `setup_requests`."""
        self._auth = auth
        self._dialect = dialect
        # Who asks is the client that a test passes.
        self._users = frozenset(name for name, entry in auth.items() if "sign_in" in entry)
        self._names = setup_names(requests, self._users)
        self._known: dict[str, SetupFunction] = {}

    @property
    def names(self) -> list[str]:
        """The names of all functions."""
        return list(self._names.values())

    def of(self, requests: Iterable[Json]) -> list[SetupFunction]:
        """Return the functions for requests."""
        return [self._step(request) for request in requests]

    def _step(self, request: Json) -> SetupFunction:
        key = setup_key(request, self._users)
        made = self._made(request, self._names[key])
        self._known.setdefault(key, made)
        return made

    def _made(self, request: Json, name: str) -> SetupFunction:
        save: Mapping[str, str] = request.get("save") or {}
        sent = {part: entry for part, entry in request.items() if part != "save"}
        body = self._dialect.body
        made = self._dialect.succeeded(call(sent, self._auth, dialect=self._dialect))
        pointers = list(save.values())
        if not pointers:
            lines: tuple[str, ...] = (made,)
        elif len(pointers) == 1:
            lines = (f"return {saved_of(pointers[0], made, body=body)}",)
        elif any(pointer.startswith(HEADERS) for pointer in pointers):
            values = ", ".join(saved_of(pointer, "answer", body=body) for pointer in pointers)
            lines = (f"answer = {made}", f"return {values}")
        else:
            values = ", ".join(saved(pointer, "answer") for pointer in pointers)
            lines = (f"answer = {made}{body}", f"return {values}")
        return SetupFunction(name, tuple(saved_names_in(sent)), ", ".join(save), lines, asked_by(request, self._auth))

    def functions(self) -> list[str]:
        """Render the functions."""
        return [
            f"def {function.name}({', '.join([self._dialect.client, *function.arguments])}):\n    "
            + "\n    ".join(function.lines)
            for function in self._known.values()
        ]


_TYPES = {
    "string": "str",
    "integer": "int",
    "number": "(int, float)",
    "boolean": "bool",
    "array": "list",
    "object": "dict",
    "null": "type(None)",
}
_COMPARISONS = {"not_equals": "!=", "less": "<", "at_most": "<=", "greater": ">", "at_least": ">="}


@dataclass(frozen=True, slots=True)
class RenderedCheck:
    """One condition of an assertion.

    Attributes:
        left, operator, right: a comparison; `operator` is empty where `left` is the whole condition.
        imports: import statements it needs.
        column: name of the table column for `right` where it differs between rows; empty where it must not.
    """

    left: str
    operator: str = ""
    right: str = ""
    imports: tuple[str, ...] = ()
    column: str = ""

    @property
    def condition(self) -> str:
        """The condition as source."""
        return f"{self.left} {self.operator} {self.right}" if self.operator else self.left


@dataclass(frozen=True, slots=True)
class SavedNames:
    """Names a test file has: schemas by their source, objects that answers share, and the words of its client."""

    schemas: Mapping[str, str]
    payloads: SharedPayloads
    dialect: Dialect = STARTED

    @property
    def body(self) -> str:
        """The expression for the JSON of an answer."""
        return f"response{self.dialect.body}"


def render_checks(expect: Sequence[Mapping[str, Any]], known: SavedNames) -> list[RenderedCheck]:
    """Render the conditions of a case.

    Raises:
        AgentFailure: an expectation cannot be rendered.
    """
    return [_check(expectation, known) for expectation in expect]


def _check(expectation: Mapping[str, Any], known: SavedNames) -> RenderedCheck:
    kind = expectation["kind"]
    if kind == "status":
        statuses = expectation["statuses"]
        if len(statuses) == 1:
            return RenderedCheck(known.dialect.status, "==", str(statuses[0]), column="status")
        return RenderedCheck(known.dialect.status, "in", literal(list(statuses)), column="statuses")
    if kind == "header":
        name = literal(str(expectation["name"]).lower())
        if expectation.get("value") is None:
            return RenderedCheck(name, "in", "response.headers")
        return RenderedCheck(f"response.headers[{name}]", "==", literal(expectation["value"]), column="header")
    if kind == "body_equals":
        return RenderedCheck(known.body, "==", known.payloads.source(expectation["value"]), column="expected")
    if kind == "body_schema":
        if "schema" not in expectation:
            raise AgentFailure(
                "a body_schema names a part of the description, which a test does not have",
                advice="write the schema itself into `schema`",
            )
        source = literal(expectation["schema"])
        name = known.schemas.get(source, source)
        return RenderedCheck(f"mismatches({known.body}, {name})", "==", "[]", ("from api_schema import mismatches",))
    if kind == "body_value":
        return _value(expectation, known.body)
    if kind == "body_contains":
        return RenderedCheck(literal(expectation["text"]), "in", "response.text")
    if kind == "response_time":
        # The clients whose answers do not tell it measure it.
        imports = () if known.dialect.seconds.startswith("response.") else ("import time",)
        return RenderedCheck(known.dialect.seconds, "<=", str(expectation["milliseconds"] / 1000), imports)
    raise AgentFailure(f"an expectation of kind {kind!r} cannot be written as a test")


def _value(expectation: Mapping[str, Any], body: str) -> RenderedCheck:
    pointer, operator = str(expectation["pointer"]), expectation["operator"]
    place, value = saved(pointer, body), expectation.get("value")
    if operator == "equals":
        if value is None or isinstance(value, bool):
            return RenderedCheck(place, "is", repr(value), column="value")
        return RenderedCheck(place, "==", literal(value), column=_column(pointer))
    if operator in _COMPARISONS:
        return RenderedCheck(place, _COMPARISONS[operator], literal(value), column="value")
    if operator == "has_length":
        return RenderedCheck(f"len({place})", "==", literal(value), column="count")
    if operator == "in_any_order":
        return _in_any_order(place, value)
    if operator == "has_type":
        kind = _TYPES.get(str(value))
        if kind is None:
            raise AgentFailure(f"{value!r} is no JSON type")
        return RenderedCheck(f"isinstance({place}, {kind})")
    if operator == "matches":
        return RenderedCheck(f"re.search({literal(str(value))}, {place})", imports=("import re",))
    parent, _, key = pointer.rpartition("/")
    if not pointer:
        raise AgentFailure("the whole body cannot be absent")
    word = "in" if operator == "exists" else "not in"
    return RenderedCheck(literal(key.replace("~1", "/").replace("~0", "~")), word, saved(parent, body))


def _in_any_order(place: str, members: Any) -> RenderedCheck:
    """Compare what is told of all members of a list in order; saved ids are put in order by the test itself."""
    if not isinstance(members, list) or not members:
        raise AgentFailure("members in any order are a list of them")
    told, rows = place, list(members)
    if all(isinstance(member, dict) for member in members):
        keys = list(members[0])
        if any(set(member) != set(keys) for member in members):
            raise AgentFailure("members in any order are told with the same fields")
        fields = ", ".join(f"one[{literal(key)}]" for key in keys)
        told = f"{fields} for one in {place}" if len(keys) == 1 else f"({fields}) for one in {place}"
        rows = [member[keys[0]] if len(keys) == 1 else tuple(member[key] for key in keys) for member in members]
    saved_ids = "{{" in json.dumps(members)
    if not saved_ids:
        try:
            rows.sort()
        except TypeError as error:
            raise AgentFailure("members in any order are told by what can be sorted") from error
    shown = (f"({', '.join(map(literal, row))})" if isinstance(row, tuple) else literal(row) for row in rows)
    right = f"[{', '.join(shown)}]"
    return RenderedCheck(f"sorted({told})", "==", f"sorted({right})" if saved_ids else right, column="members")


def _column(pointer: str) -> str:
    last = pointer.rpartition("/")[2]
    return {"loc": "place"}.get(last, last if last.isidentifier() and not last.isdigit() else "value")
