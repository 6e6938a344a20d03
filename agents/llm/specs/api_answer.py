"""Builds the message about an API spec, and adds the cases of a model's answer to it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

from ....utils.untrusted_files import read_source
from ...contract.protocol import JsonObject
from ...guardrails.problems import problem
from ..model_agent import UnusableAnswer, closed, list_of, optional, text_of
from ..prompt import bullets, data, load_prompt
from ..source_view import relevant_lines
from .surroundings import tool_context

_METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
_OBSERVED_OF_AN_OPERATION = 4
_LONGEST_FACT = 200
_MOST_FACTS = 120
_LONGEST_REQUEST = 2000
_REQUEST = {
    "method": {"type": "string", "enum": list(_METHODS)},
    "path": text_of(500, r"^/\S*$"),
    "body": optional(text_of(2000)),
    "auth": optional(text_of(100)),
}
ANSWER_SCHEMA: JsonObject = closed(
    cases=list_of(
        closed(
            id=text_of(120, "^tc_[a-z0-9_]+$"),
            title=text_of(200),
            priority={"type": "string", "enum": ["critical", "high", "medium", "low"]},
            before=list_of(
                closed(**_REQUEST, save_name=optional(text_of(60)), save_pointer=optional(text_of(200))), 10
            ),
            **_REQUEST,
            statuses=list_of({"type": "integer"}, 5),
            checks=list_of(closed(pointer=text_of(200), value=text_of(500)), 8),
            expected=text_of(300),
            origin={"type": "string", "enum": ["documented", "inferred"]},
        ),
        20,
    )
)


def build_message(inputs: Mapping[str, Any], base: Mapping[str, Any], root: Path) -> str:
    """Build the message: a summary of the engine's spec, and the source. Blocks."""
    path = str((base.get("target") or {}).get("path") or "")
    file = root / path
    source = read_source(root, path, errors="replace") if path.endswith(".py") and file.is_file() else ""
    values = {
        "name": str((base.get("target") or {}).get("name") or "the API"),
        "request": data("request", str(inputs.get("user_request") or "")[:_LONGEST_REQUEST]),
        "operations": data("observed", bullets(_facts(base["cases"]), none="nothing")),
        "auth": data("auth", bullets(sorted(base.get("auth") or {}))),
        "source": data("source", relevant_lines(source, None) if source else "not there"),
        "context": data("context", tool_context(inputs, path) or "nothing"),
    }
    return load_prompt("api_spec").text("generate", values)


def _facts(cases: Sequence[Mapping[str, Any]]) -> list[str]:
    shown: dict[str, int] = {}
    lines: list[str] = []
    for case in cases:
        operation = f"{case['operation']['method']} {case['operation']['path']}"
        shown[operation] = shown.get(operation, 0) + 1
        if shown[operation] <= _OBSERVED_OF_AN_OPERATION and len(lines) < _MOST_FACTS:
            lines.append(f"{case['steps'][-1]}: {case['expected']} ({case['title']})"[:_LONGEST_FACT])
    return lines


def add_cases(answered: Mapping[str, Any], base: Mapping[str, Any], _root: Path) -> tuple[JsonObject, list[str]]:
    """Append the model's cases to the spec. Returns it, and a note for each case that is left out.

    Left out are bodies or values that are not JSON, unknown ways to sign in, and cases without a status.

    Raises:
        UnusableAnswer: no case can be sent.
    """
    problems: list[JsonObject] = []
    taken = {str(case["id"]) for case in base["cases"]}
    paths = list(dict.fromkeys(str(case["operation"]["path"]) for case in base["cases"]))
    known = _Known(frozenset(base.get("auth") or {}), tuple(paths), _evidence(base))
    made = []
    for at, answered_case in enumerate(answered["cases"]):
        try:
            case = _case(answered_case, known)
        except ValueError as error:
            message = f"{answered_case['id']}: {error}"
            problems.append(problem(f"$.cases[{at}]", message, suggestion="correct it or leave the case out"))
            continue
        while case["id"] in taken:
            case["id"] += "_again"
        taken.add(case["id"])
        made.append(case)
    if problems and not made:
        raise UnusableAnswer("the cases cannot be sent", problems)
    notes = [f"a case of the model is left out: {row['message']}" for row in problems]
    return {**base, "cases": [*base["cases"], *made]}, notes


@dataclass(frozen=True, slots=True)
class _Known:
    """Facts of the spec: ways to sign in, documented paths, and the source places of operations.

    Attributes:
        evidence: by (method, path); ("", "") for any other.
    """

    auth: frozenset[str]
    paths: tuple[str, ...]
    evidence: Mapping[tuple[str, str], JsonObject]

    def written(self, method: str, path: str) -> JsonObject:
        """Return the source place of an operation, else of another one of its path, else of the API."""
        others = [evidence_item for (_, known), evidence_item in self.evidence.items() if known == path]
        return self.evidence.get((method, path)) or (others or [self.evidence["", ""]])[0]


def _evidence(base: Mapping[str, Any]) -> dict[tuple[str, str], JsonObject]:
    """Collect the source places of the operations in a spec's cases."""
    path = str((base.get("target") or {}).get("path") or "openapi.json")
    made: dict[tuple[str, str], JsonObject] = {}
    for case in base["cases"]:
        found = next((expectation["evidence"] for expectation in case["expect"] if expectation.get("evidence")), None)
        if found is not None:
            made.setdefault((case["operation"]["method"], case["operation"]["path"]), found)
    return {**made, ("", ""): {"path": path, "lines": [1, 1]}}


def _case(answered_case: Mapping[str, Any], known: _Known) -> JsonObject:
    statuses = [status for status in answered_case["statuses"] if 100 <= status <= 599]
    if not statuses:
        raise ValueError("no status is expected")
    before = [_request(each, known) for each in answered_case["before"]]
    request = _request(answered_case, known)
    proof = {"origin": answered_case["origin"], "evidence": known.written(answered_case["method"], request["path"])}
    checks = [
        {
            "kind": "body_value",
            "pointer": check["pointer"],
            "operator": "equals",
            "value": _json(check["value"], "a checked value"),
        }
        for check in answered_case["checks"]
    ]
    case: JsonObject = {
        "id": answered_case["id"],
        "title": answered_case["title"],
        "priority": answered_case["priority"],
        "preconditions": ["The application has just been started."],
        "steps": [f"{each['method']} {each['path']}" for each in (*before, request)],
        "expected": answered_case["expected"],
        "operation": {"method": answered_case["method"], "path": request["path"]},
        "category": "state",
    }
    if before:
        case["arrange"] = {"requests": before}
    status = {"kind": "status", "statuses": list(dict.fromkeys(statuses)), **proof}
    return {**case, "act": {"request": request}, "expect": [status, *({**check, **proof} for check in checks)]}


def _request(call: Mapping[str, Any], known: _Known) -> JsonObject:
    address, _, query = str(call["path"]).partition("?")
    path, parameters = _templated(address, known.paths)
    request: JsonObject = {"method": call["method"], "path": path}
    if parameters:
        request["path_parameters"] = parameters
    if query:
        request["query"] = dict(parse_qsl(query, keep_blank_values=True))
    if call.get("body") is not None:
        request["body"] = {"media_type": "application/json", "content": _json(call["body"], "the body")}
    if call.get("auth"):
        if call["auth"] not in known.auth:
            raise ValueError(f"there is no way to sign in called {call['auth']!r}")
        request["auth"] = call["auth"]
    if call.get("save_name"):
        request["save"] = {str(call["save_name"]): str(call.get("save_pointer") or "")}
    return request


def _templated(path: str, documented: Sequence[str]) -> tuple[str, JsonObject]:
    """Return the documented path that an address matches, with the values of its parameters; else the address."""
    for template in documented:
        pattern = re.sub(r"\\{(\w+)\\}", r"(?P<\1>[^/]+)", re.escape(template))
        found = re.fullmatch(pattern, path)
        if found:
            return template, dict(found.groupdict())
    return re.sub(r"\{\{(\w+)\}\}", r"{\1}", path), {
        name: f"{{{{{name}}}}}" for name in re.findall(r"\{\{(\w+)\}\}", path)
    }


def _json(text: str, what: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise ValueError(f"{what} is no JSON: {error}") from error
